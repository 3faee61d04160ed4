# jax._float0 -- derivatives by what has none: arrays of float0, which have a shape and no numbers.


class Float0:
    name, kind, itemsize = "float0", "V", 0
    is_floating_point = is_complex = is_inexact = False

    def __repr__(self):
        return "dtype([('float0', 'V')])"

    def __str__(self):
        return "[('float0', 'V')]"

    def zeros(self, shape):
        # what numpy.zeros and jax.numpy.zeros give for this dtype
        return Float0Array((shape,) if isinstance(shape, int) else tuple(shape))


float0 = Float0()


class Shaped:
    # What has a shape alone.
    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        n = 1
        for d in self.shape:
            n *= d
        return n


class Float0Array(Shaped):
    dtype = float0

    def __init__(self, shape):
        self.shape = shape

    def _rows(self, shape):
        if not shape:
            return "(b'',)"
        return "[" + " ".join([self._rows(shape[1:]) for _ in range(shape[0])]) + "]"

    def __str__(self):
        return self._rows(self.shape)

    def __repr__(self):
        inside = self._rows(self.shape).replace(") (", "), (").replace("] [", "], [")
        return f"array({inside}, dtype=[('float0', 'V')])"

    def __eq__(self, other):
        import numpy
        if not isinstance(other, Float0Array) or self.shape != other.shape:
            return False
        return numpy.full(self.shape, True) if self.shape else True

    def __hash__(self):
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def reshape(self, *shape):
        import numpy
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return Float0Array(tuple(numpy.zeros(self.shape, bool).reshape(shape).shape))

    def transpose(self, *axes):
        import numpy
        return Float0Array(tuple(numpy.zeros(self.shape, bool).transpose(*axes).shape))

    def tolist(self):
        def rows(shape):
            return [rows(shape[1:]) for _ in range(shape[0])] if shape else (b"",)
        return rows(self.shape)

    @property
    def T(self):
        return Float0Array(self.shape[::-1])

    def _refused(self, *other):
        raise TypeError("float0s do not support any operations by design, because they are not compatible with non-trivial vector "
                        "spaces. No implicit dtype conversion is done. You can use np.zeros_like(arr, dtype=np.float) to cast a float0 "
                        "array to a regular zeros array.")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __pow__ = _refused
