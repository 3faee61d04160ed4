# numpy.testing -- assertions on arrays.
import _numpy as _w


def _report(name, a, b, bad, detail):
    n = int(_w.sum(_w.cast(bad, _w.int64)))
    return (f"\n{name}{detail}\n\nMismatched elements: {n} / {bad.size} ({100 * n / max(bad.size, 1):.3g}%)"
            f"\n ACTUAL: {a!r}\n DESIRED: {b!r}")


def _pair(actual, desired, name):
    a, b = _w.array(_w.wrap(actual)), _w.array(_w.wrap(desired))
    if a.shape != b.shape and a.ndim and b.ndim:
        raise AssertionError(f"\n{name}\n\n(shapes {a.shape}, {b.shape} mismatch)\n ACTUAL: {a!r}\n DESIRED: {b!r}")
    return a, b


def _nans(a, b):
    return _w.logical_and(_w.is_nan(a), _w.is_nan(b))


def assert_allclose(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False):
    if strict:
        _same_kind(actual, desired, err_msg)
    a, b = _pair(actual, desired, f"Not equal to tolerance rtol={rtol}, atol={atol}")
    ok = _w.eq(a, b) if a.dtype == _w.bool_ or b.dtype == _w.bool_ else _w.is_close(a, b, rtol, atol)
    if equal_nan:
        ok = _w.logical_or(ok, _nans(a, b))
    if not _w.all(ok):
        raise AssertionError(_report(f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}", a, b, _w.array(_w.logical_not(ok)), "\n" + str(err_msg)))


# strict: shapes and dtypes are equal, too
def _same_kind(actual, desired, err_msg):
    a, b = _w.wrap(actual), _w.wrap(desired)
    for what, x, y in (("shapes", tuple(a.shape), tuple(b.shape)), ("dtypes", a.dtype, b.dtype)):
        if x != y:
            raise AssertionError(f"\n{err_msg}\n({what} {x}, {y} mismatch)")


def assert_array_equal(actual, desired, err_msg="", verbose=True, strict=False):
    if strict:
        _same_kind(actual, desired, err_msg)
    a, b = _pair(actual, desired, "Arrays are not equal")
    ok = _w.logical_or(_w.eq(a, b), _nans(a, b))
    if not _w.all(ok):
        raise AssertionError(_report("Arrays are not equal", a, b, _w.array(_w.logical_not(ok)), "\n" + str(err_msg)))


def assert_equal(actual, desired, err_msg="", verbose=True):
    if isinstance(desired, dict) and isinstance(actual, dict):
        assert_equal(len(actual), len(desired), err_msg)
        for k in desired:
            if k not in actual:
                raise AssertionError(repr(k))
            assert_equal(actual[k], desired[k], f"key={k!r}\n{err_msg}")
        return
    if isinstance(desired, (list, tuple)) and isinstance(actual, (list, tuple)):
        assert_equal(len(actual), len(desired), err_msg)
        for i in range(len(desired)):
            assert_equal(actual[i], desired[i], f"item={i!r}\n{err_msg}")
        return
    if isinstance(actual, _w.Tensor) or isinstance(desired, _w.Tensor) or hasattr(actual, "__array__") or hasattr(desired, "__array__"):
        return assert_array_equal(actual, desired, err_msg)
    if actual != actual and desired != desired:     # two NaN
        return
    if actual != desired:
        raise AssertionError(f"\nItems are not equal:\n{err_msg}\n ACTUAL: {actual!r}\n DESIRED: {desired!r}")


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True):
    a, b = _pair(actual, desired, "Arrays are not almost equal")
    ok = _w.logical_or(_w.abs(a - b) < 1.5 * 10.0 ** -decimal, _w.logical_or(_w.eq(a, b), _nans(a, b)))
    if not _w.all(ok):
        raise AssertionError(_report(f"Arrays are not almost equal to {decimal} decimals", a, b, _w.array(_w.logical_not(ok)), "\n" + str(err_msg)))


assert_almost_equal = assert_array_almost_equal


def assert_array_less(x, y, err_msg="", verbose=True):
    a, b = _pair(x, y, "Arrays are not strictly ordered `x < y`")
    ok = _w.lt(a, b)
    if not _w.all(ok):
        raise AssertionError(_report("Arrays are not strictly ordered `x < y`", a, b, _w.array(_w.logical_not(ok)), "\n" + str(err_msg)))


def assert_(val, msg=""):
    if not val:
        raise AssertionError(msg)


class _Raises:
    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise AssertionError(f"{self.kind.__name__} not raised")
        return issubclass(kind, self.kind)


def assert_raises(kind, fn=None, *args, **kw):
    if fn is None:
        return _Raises(kind)
    with _Raises(kind):
        fn(*args, **kw)
