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


class JaxRuntimeError(RuntimeError):
    pass


class KeyReuseError(RuntimeError):
    pass
