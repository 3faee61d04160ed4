# numpy.exceptions -- what NumPy raises and warns of.


class AxisError(ValueError, IndexError):
    pass


class ComplexWarning(RuntimeWarning):
    pass


class VisibleDeprecationWarning(UserWarning):
    pass


class RankWarning(RuntimeWarning):
    pass


class DTypePromotionError(TypeError):
    pass


class TooHardError(RuntimeError):
    pass


class _UFuncTypeError(TypeError):
    pass


_UFuncTypeError.__name__ = _UFuncTypeError.__qualname__ = "UFuncTypeError"
