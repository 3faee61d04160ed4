# jax._worded -- errors of the engine in JAX's words and classes. Imported when there is one.
import re

_dtypes = {"f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
           "f8e8m0fnu": "float8_e8m0fnu", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i4": "int4", "u4": "uint4",
           "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
_CALLBACKS = {
    "host: there is no call of it for a batch": NotImplementedError(
        "vmap is only supported for the pure_callback primitive when vmap_method is one of 'sequential', 'sequential_unrolled', "
        "'expand_dims', 'broadcast_all', or 'legacy_vectorized'. Got vmap_method=None."),
    "callback: there is no call of it for a batch": ValueError("Cannot `vmap` ordered IO callback."),
    "host: a function of a script has no derivative": ValueError(
        "Pure callbacks do not support JVP. Please use `jax.custom_jvp` to use callbacks while taking gradients."),
    "callback: a function of a script has no derivative": ValueError("IO callbacks do not support JVP."),
}


# What JAX's functions of these names do not fit with is the primitive that they come to first.
_PRIMITIVES = {"maximum": "max", "minimum": "min", "logical_and": "and", "logical_or": "or", "logical_xor": "xor", "bitwise_and": "and",
               "bitwise_or": "or", "bitwise_xor": "xor", "remainder": "rem", "floor_div": "rem", "fmod": "rem", "hypot": "or"}
_TWO = re.compile(r"(\w+): shapes? \w+\[([\d,]*)\] and \w+\[([\d,]*)\] (.*)", re.DOTALL)


# Functions that meet arrays of several devices, by the op that they are here, and the names of their arguments.
_FUNCTIONS = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power", "max": "maximum", "min": "minimum",
              "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
              "dot_general": "matmul", "select": "_where", "concat": "concatenate", "atan2": "arctan2", "rem": "remainder"}
_ARGUMENTS = {"matmul": ("a", "b"), "_where": ("condition", "x", "y"), "concatenate": None}
_DEVICES = re.compile(r"(\w+): operand (\d+) is (\S+) on the devices (\S+), operand (\d+) is (\S+) on the devices (\S+)")


def _devices(op, i, x, at, j, y, at_y):
    name = _FUNCTIONS.get(op, op)
    names = _ARGUMENTS.get(name, ("x", "y") if op in _FUNCTIONS else None)

    def of(i, type, ids):
        argument = names[int(i)] if names else f"args[{i}]"
        shape = re.sub(r"\w+(?=\[)", lambda m: _name(m.group()), type)
        return f"argument {argument} of {name} with shape {shape} and with device ids {[int(n) for n in ids.split(',')]} on platform CPU"
    return ValueError(f"Received incompatible devices for jitted computation. Got {of(i, x, at)} and {of(j, y, at_y)}")


_NO_PROMOTION = ("Input dtypes {} have no available implicit dtype promotion path. To avoid unintended promotion, {} do not support "
                 "implicit promotion. If you'd like your inputs to be promoted to another type, you can do so explicitly using e.g. "
                 "x.astype('{}32')")


class TypePromotionError(ValueError):
    pass


def _name(d):
    return _dtypes.get(d, d)


def _dims(text):
    return tuple(int(d) for d in text.split(",") if d)


def _of_two(name, x, y, rest):
    # two shapes that do not fit; None: in the engine's words
    if rest.startswith("cannot be broadcast together"):
        if len(x) != len(y) or name in ("where", "logaddexp", "logaddexp2"):
            return ValueError(f"Incompatible shapes for broadcasting: shapes={[x, y]}")
        return TypeError(f"{_PRIMITIVES.get(name, name)} got incompatible shapes for broadcasting: {x}, {y}.")
    if name == "matmul" and rest.startswith("do not fit: the last axis"):
        return TypeError(f"dot_general requires contracting dimensions to have the same shape, got {x[-1:]} and {y[-2:][:1]}.")
    if name == "concat" and len(x) != len(y):
        return TypeError(f"Cannot concatenate arrays with different numbers of dimensions: got {x}, {y}.")
    if name == "concat" and rest.startswith("differ in more than axis "):
        return TypeError("Cannot concatenate arrays with shapes that differ in dimensions other than the one being concatenated: "
                         f"concatenating along dimension {rest.split()[-1]} for shapes {x}, {y}.")
    return None


def worded(text, label=""):
    # The exception that JAX raises, or the text where the engine's class and words stay.
    given = re.match(r"expected a tensor, got (\w+) as operand (\d+)", text)
    if given:
        return TypeError(f"{_FUNCTIONS.get(label, label)} requires ndarray or scalar arguments, got <class '{given.group(1)}'> at position "
                         f"{given.group(2)}.")
    two = _TWO.match(text)
    found = _of_two(two.group(1), _dims(two.group(2)), _dims(two.group(3)), two.group(4)) if two else None
    if found is not None:
        return found
    pair = re.search(r": no common dtype of (\w+) and (\w+)", text)
    if pair:
        return TypePromotionError(_NO_PROMOTION.format(tuple(sorted([_name(d) for d in pair.groups()])),
                                                       *(("8-bit floats", "float") if "f8" in text else ("1-bit, 2-bit and 4-bit integers", "int"))))
    axis = re.match(r"\w+: axis (-?\d+) is out of range for a tensor of rank (\d+)", text)
    if axis:
        return ValueError(f"axis {axis.group(1)} is out of bounds for array of dimension {axis.group(2)}")
    if text.startswith("matmul: needs at least one axis each"):
        return ValueError(f"matmul input operand {int(not re.search(r'got [a-z0-9]+[[][]]', text))} must have ndim at least 1, but it has ndim 0")
    size = re.match(r"broadcast_to: shape (\w+)\[([\d,]*)\] cannot be broadcast to \[([\d,]*)\]", text)
    if size:
        d, a, b = size.groups()
        return ValueError(f"Incompatible types for broadcasting: input type={_name(d)}[{a}] and requested type={_name(d)}[{b}]")
    if "only one size can be inferred" in text:
        return TypeError("can only specify one unknown axis size with a `-1` value")
    if text.startswith("index: ") and "indices for a tensor of rank" in text:
        n, rank = re.findall(r"\d+", text)[:2]
        return IndexError(f"Too many indices: array is {rank}-dimensional, but {n} were indexed")
    sizes = re.match(r"dot_general: contracted axes .* have sizes (\d+) and (\d+), needed equal ones", text)
    if sizes:
        return TypeError(f"dot_general requires contracting dimensions to have the same shape, got ({sizes.group(1)},) and ({sizes.group(2)},).")
    traced = re.search(r"a symbolic tensor of type (\w+?)(\[[\d,]*\]) has no numbers yet", text)
    if traced:
        from jax.errors import ConcretizationTypeError
        return ConcretizationTypeError("Abstract tracer value encountered where concrete value is expected: traced array with shape "
                                       f"{_name(traced.group(1))}{traced.group(2)}")
    if "while loop of unknown length" in text:
        return ValueError("Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop values. Try "
                          "using lax.scan, or using fori_loop with static start/stop.")
    several = _DEVICES.fullmatch(text)
    if several:
        return _devices(*several.groups())
    for start in ("move_axis", "roll", "stack", "einsum", "index: ", "expand_dims", "squeeze", "reduce"):
        if text.startswith(start):
            return ValueError(text)
    if text.startswith("ShardingTypeError: "):
        from jax._sharding import ShardingTypeError
        return ShardingTypeError(text[len("ShardingTypeError: "):])
    if text in _CALLBACKS:
        return _CALLBACKS[text]
    if text.startswith("custom_lin: ") and "cannot be evaluated" in text:
        return TypeError("can't apply forward-mode autodiff (jvp) to a custom_vjp function.")
    if "after the trace that made it has ended" in text:
        from jax.errors import UnexpectedTracerError
        return UnexpectedTracerError("Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a "
                                     "reference to an intermediate value to escape the scope of the transformation.\nJAX transformations "
                                     "require that functions explicitly return their outputs, and disallow saving intermediate values to "
                                     "global state: " + text)
    if text.startswith("Array boolean indices must be concrete"):
        from jax.errors import NonConcreteBooleanIndexError
        shape = re.search(r"bool(\[[\d,]*\])", text)
        return NonConcreteBooleanIndexError("Array boolean indices must be concrete; got bool" + shape.group(1) if shape else text)
    if "broadcast together" in text:
        return ValueError("Incompatible shapes for broadcasting: " + text)
    return text
