# numpy.exceptions -- an axis that is not there.


class AxisError(ValueError, IndexError):
    pass
