# numpy.exceptions -- what NumPy raises and warns of.


class AxisError(ValueError, IndexError):
    # of a text, or of an axis and a number of dimensions
    def __init__(self, axis, ndim=None, msg_prefix=None):
        if ndim is None and msg_prefix is None:
            self._msg, self.axis, self.ndim = axis, None, None
        else:
            self._msg, self.axis, self.ndim = msg_prefix, axis, ndim

    def __str__(self):
        if self.axis is None:
            return str(self._msg)
        prefix = "" if self._msg is None else f"{self._msg}: "
        return f"{prefix}axis {self.axis} is out of bounds for array of dimension {self.ndim}"


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
