# tensorflow.debugging -- assertions on tensors, checked now or when the program runs.
import _tf as _w
from tensorflow._base import as_tensor, like, op, InvalidArgumentError
from tensorflow._ops import is_nan as _is_nan


def _check(ok, message):
    ok = as_tensor(ok)
    if _w.about(ok, "symbolic"):
        _w.assert_now(_w.all(ok), message or "assertion failed", [])
    elif not _w.all(ok).item():
        raise InvalidArgumentError(message)


def _compare(fn, sign):
    def call(x, y, message=None, summarize=None, name=None):
        a, b = like(x, y)
        _check(fn(a, b), f"{message + ' ' if message else ''}Condition x {sign} y did not hold.")
    return call


assert_equal = _compare(_w.eq, "==")
assert_none_equal = _compare(_w.ne, "!=")
assert_less = _compare(_w.lt, "<")
assert_less_equal = _compare(_w.le, "<=")
assert_greater = _compare(_w.gt, ">")
assert_greater_equal = _compare(_w.ge, ">=")


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    a, b = like(x, y)
    eps = 10 * 1.1920929e-07
    _check(_w.is_close(a, b, eps if rtol is None else rtol, eps if atol is None else atol), f"{message or ''} x and y not equal to tolerance")


def assert_positive(x, message=None, summarize=None, name=None):
    _check(as_tensor(x) > 0, f"{message or ''} Condition x > 0 did not hold element-wise")


def assert_non_negative(x, message=None, summarize=None, name=None):
    _check(as_tensor(x) >= 0, f"{message or ''} Condition x >= 0 did not hold element-wise")


def assert_rank(x, rank, message=None, name=None):
    if as_tensor(x).ndim != rank:
        raise ValueError(f"{message or ''} Tensor must have rank {rank}.  Received rank {as_tensor(x).ndim}, shape {as_tensor(x).shape}")


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    sizes = {}
    for x, s in shapes if not isinstance(shapes, dict) else shapes.items():
        for d, want in zip(as_tensor(x).shape, s):
            if sizes.setdefault(want, d if isinstance(want, str) else want) != d:
                raise ValueError(f"{message + '  ' if message else ''}tensor dimension {want} must have size {sizes[want]}. Received size {d}")


def assert_all_finite(x, message, name=None):
    x = as_tensor(x)
    _check(_w.is_finite(x), message + " : Tensor had NaN or Inf values")
    return x


check_numerics = assert_all_finite


def assert_type(tensor, tf_type, message=None, name=None):
    if as_tensor(tensor).dtype != tf_type:
        raise TypeError(f"{message or ''} tensor must be of type {tf_type}; got {as_tensor(tensor).dtype}")


def Assert(condition, data, summarize=None, name=None):
    _check(condition, "assertion failed: " + str([str(as_tensor(d)) if not isinstance(d, str) else d for d in data]))


def enable_check_numerics():
    return None
