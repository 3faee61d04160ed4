# jax.errors -- what goes wrong with traced values.
class JAXTypeError(TypeError):
    pass


class ConcretizationTypeError(JAXTypeError):
    pass


class TracerBoolConversionError(ConcretizationTypeError):
    pass


class TracerArrayConversionError(JAXTypeError):
    pass


class TracerIntegerConversionError(JAXTypeError):
    pass


class NonConcreteBooleanIndexError(IndexError):
    pass


class UnexpectedTracerError(JAXTypeError):
    pass


tracing = []        # the functions that are being traced for jit, the innermost last


def _told(context=""):
    # What stands behind the first line: what asked for the value, and which function was traced.
    lines = [context] if context else []
    code = getattr(tracing[-1], "__code__", None) if tracing else None
    if code is not None:
        lines.append(f"The error occurred while tracing the function {tracing[-1].__name__} at {code.co_filename}:{code.co_firstlineno} for jit.")
    return "".join(["\n" + line for line in lines])


def concrete_needed(x, context=""):
    from jax._array import shape_text
    return ConcretizationTypeError("Abstract tracer value encountered where concrete value is expected: traced array with shape "
                                   f"{shape_text(x)}{_told(context)}")


def truth_needed(x):
    from jax._array import shape_text
    return TracerBoolConversionError(f"Attempted boolean conversion of traced array with shape {shape_text(x)}.{_told()}")


def index_needed(x):
    from jax._array import shape_text
    return TracerIntegerConversionError(f"The __index__() method was called on traced array with shape {shape_text(x)}{_told()}")



def sizes_needed(shape, context=""):
    sizes = ", ".join([repr(d) for d in shape]) + ("," if len(shape) == 1 else "")
    return TypeError(f"Shapes must be 1D sequences of concrete values of integer type, got ({sizes}).{context and ' ' + context}\nIf using `jit`, "
                     f"try using `static_argnums` or applying `jit` to smaller subfunctions.{_told()}")


class JaxRuntimeError(RuntimeError):
    pass


class KeyReuseError(RuntimeError):
    pass
