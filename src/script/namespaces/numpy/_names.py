# numpy._names -- rarer functions: steps between floats, indices of matrices, counts in several dimensions, polynomials.
import _numpy as _w
from numpy._array import ndarray
from numpy._reduce import histogram_bin_edges
from numpy._shape import _core
from numpy._ufunc import ufunc

apply_over_axes, matvec, vecmat = _core.apply_over_axes, _core.matvec, _core.vecmat
diag_indices_from, mask_indices = _core.diag_indices_from, _core.mask_indices


def polyint(p, m=1, k=None):
    # divided by integers: in 64 bits, but for what is not integrated at all
    if hasattr(p, "coeffs"):
        return type(p)(polyint(p.coeffs, m, k))
    p = _w.wrap(p)
    if m:
        p = _w.cast(p, _w.complex128 if p.dtype.kind == "c" else _w.float64)
    return _core.polyint(p, m, k)


def _of_kinds(name, x, kinds):
    x = _w.wrap(x)
    if x.dtype.kind not in kinds:
        raise TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any supported "
                        "types according to the casting rule ''safe''")
    return x


def _floats(x, name):
    # as the smallest float that holds all of its dtype; a Python number takes that of its neighbour
    x = _of_kinds(name, x, "biuf")
    if x.dtype.kind == "f":
        return x
    return _w.div(x, 1) if _w.about(x, "weak") else _w.cast(x, {1: _w.float16, 2: _w.float32}.get(x.dtype.itemsize, _w.float64))


def _pair(x, y):
    x, y = _floats(x, "nextafter"), _floats(y, "nextafter")
    d = _w.add(x, y).dtype
    return _w.cast(x, d), _w.cast(y, d)


nextafter = ufunc("nextafter", lambda x, y: _core.nextafter(*_pair(x, y)), 2)
spacing = ufunc("spacing", lambda x: _core.spacing(_floats(x, "spacing")), 1)
bitwise_count = ufunc("bitwise_count", lambda x: _core.bitwise_count(_of_kinds("bitwise_count", x, "biu")), 1)


class _FromPython:
    # A Python function element by element; results are what it gives, arrays of objects.
    def __init__(self, func, nin, nout, identity):
        self._func, self.nin, self.nout, self.identity = func, nin, nout, identity
        self.nargs = nin + nout
        self.__name__ = f"{getattr(func, '__name__', '?')} (vectorized)"

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args):
        from numpy import array, broadcast_arrays
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__} takes {self.nin} positional arguments but {len(args)} were given")
        xs = broadcast_arrays(*[_w.array(_w.wrap(a)) for a in args])
        shape = xs[0].shape
        rows = [self._func(*v) for v in zip(*[_w.reshape(x, -1).tolist() for x in xs])]
        columns = [rows] if self.nout == 1 else [list(c) for c in zip(*rows)]
        found = [array(c, dtype=object).reshape(shape) if shape else c[0] for c in columns]
        return found[0] if self.nout == 1 else tuple(found)


def frompyfunc(func, /, nin, nout, *, identity=None):
    return _FromPython(func, nin, nout, identity)


def sort_complex(a):
    x = _w.array(_w.wrap(a))
    wide = x if x.dtype.kind == "c" else _w.cast(x, _w.complex64 if x.dtype.itemsize < 4 and x.dtype.kind in "iu" else _w.complex128)
    order = _w.op("sort", [_w.real(wide), _w.imag(wide)], {"axis": wide.ndim - 1, "keys": 2})
    return _w.complex(order[0], order[1])


def _bins_of(column, bins, range):
    # Ends that are given are Python's floats.
    if not isinstance(bins, int):
        return _w.wrap(bins)
    return histogram_bin_edges(column if range is None else _w.cast(column, _w.float64), bins, range)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    x = sample if isinstance(sample, ndarray) else _w.permute(_w.stack([_w.wrap(s) for s in sample], 0))
    x = _w.expand_dims(x, 1) if x.ndim == 1 else x
    d = x.shape[1]
    bins = [bins] * d if isinstance(bins, int) else list(bins)
    if len(bins) != d:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    edges = [_w.wrap(_bins_of(x[:, k], b, None if range is None else range[k])) for k, b in enumerate(bins)]
    counted = _w.full((x.shape[0],), 1.0, _w.float64) if weights is None else _w.cast(_w.wrap(weights), _w.float64)
    return _core.histogramdd(x, edges, counted, density), edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    x, y = _w.wrap(x), _w.wrap(y)
    if x.shape != y.shape:
        raise ValueError("x and y must have the same length.")
    if not isinstance(bins, int) and len(bins) not in (1, 2):
        bins = [bins, bins]
    h, edges = histogramdd(_w.stack([x, y], 1), bins, range, density, weights)
    return h, edges[0], edges[1]


def poly(seq_of_zeros):
    z = _w.wrap(seq_of_zeros)
    if z.ndim == 2:
        from numpy.linalg import eigvals
        z = eigvals(z)
    elif z.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if not z.shape[0]:
        return 1.0
    out = _core.poly(z)
    if out.dtype.kind == "c":       # zeros in pairs of conjugates: the polynomial is real
        order = sort_complex(z)
        if bool((order == sort_complex(_w.conj(z))).all()):
            out = _w.real(out)
    return out
