# tensorflow._debug -- assertions on tensors: checked now, when the program runs, or as an operation of a graph, and at once where
# a graph's tensors are known.
import _tf as _w
from tensorflow._base import state, as_tensor, like, InvalidArgumentError, float32, float64
from tensorflow import _ops


class _Check:
    # The op of an assertion in a graph: holds(*values) says of each element whether it is right.
    def __init__(self, holds, message):
        self.holds, self.message = holds, message

    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        _check(self.holds(*values[:len(node.inputs)]), self.message)     # behind them is what it waits for
        return [_w.tensor(0)]


def _check(ok, message):
    ok = as_tensor(ok)
    if _w.about(ok, "symbolic"):
        _w.assert_now(_w.all(ok), message or "assertion failed", [])
    elif not _w.all(ok).item():
        raise InvalidArgumentError(message)


def _assert(holds, message, xs, name):
    # None, or an operation of the graph
    if state.graph is None:
        _check(holds(*xs), message)
        return None
    from tensorflow._graph import as_constant
    xs = [as_constant(x) for x in xs]
    g = state.graph
    if not [x for x in xs if x.known is None]:
        state.graph = None
        try:
            _check(holds(*[x.known for x in xs]), message)
        finally:
            state.graph = g
    node = g.node(_Check(holds, message), name, xs)
    node.kind = "Assert"
    node.output(_w.int32, (), False)
    return node.operation


def _pair(x, y):
    # two operands of one dtype, tensors of the graph where one is built
    if state.graph is None:
        return like(x, y)
    x, y = _ops.convert_to_tensor(x), y
    return x, _ops.convert_to_tensor(y, x.dtype) if not hasattr(y, "dtype") else _ops.convert_to_tensor(y)


def _compare(fn, sign, name):
    def call(x, y, data=None, summarize=None, message=None, name=None):
        a, b = _pair(x, y)
        return _assert(fn, f"{message + ' ' if message else ''}Condition x {sign} y did not hold.", [a, b], name or kind)
    kind = name
    call.__name__ = name
    return call


assert_equal = _compare(_w.eq, "==", "assert_equal")
assert_none_equal = _compare(_w.ne, "!=", "assert_none_equal")
assert_less = _compare(_w.lt, "<", "assert_less")
assert_less_equal = _compare(_w.le, "<=", "assert_less_equal")
assert_greater = _compare(_w.gt, ">", "assert_greater")
assert_greater_equal = _compare(_w.ge, ">=", "assert_greater_equal")


def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name="assert_near"):
    a, b = _pair(x, y)
    eps = 10 * 1.1920929e-07
    r, t = eps if rtol is None else rtol, eps if atol is None else atol
    return _assert(lambda p, q: _w.abs(p - q) <= t + r * _w.abs(q), f"{message or ''}x and y not equal to tolerance rtol = {r}, atol = {t}", [a, b], name)


def _signed(holds, sign, name):
    def call(x, data=None, summarize=None, message=None, name=None):
        return _assert(holds, f"{message or ''} Condition x {sign} 0 did not hold element-wise", [_ops.convert_to_tensor(x)], name or kind)
    kind = name
    call.__name__ = name
    return call


assert_positive = _signed(lambda x: x > 0, ">", "assert_positive")
assert_negative = _signed(lambda x: x < 0, "<", "assert_negative")
assert_non_negative = _signed(lambda x: x >= 0, ">=", "assert_non_negative")
assert_non_positive = _signed(lambda x: x <= 0, "<=", "assert_non_positive")


def _passed():
    if state.graph is None:
        return None
    from tensorflow._graph import graph_group
    return graph_group([], "static_checks_determined_all_ok")


def _rank(x, what):
    t = _ops.convert_to_tensor(x)
    if t.shape.rank is None:
        raise NotImplementedError(f"{what}: of a tensor whose rank is not known")
    return t.shape.rank, t


def assert_rank(x, rank, data=None, summarize=None, message=None, name="assert_rank"):
    n, t = _rank(x, "assert_rank")
    if n != rank:
        raise ValueError(f"{message or ''}Tensor must have rank {rank}.  Received rank {n}, shape {t.shape}")
    return _passed()


def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name="assert_rank_at_least"):
    n, t = _rank(x, "assert_rank_at_least")
    if n < rank:
        raise ValueError(f"{message or ''}Tensor must have rank at least {rank}.  Received rank {n}, shape {t.shape}")
    return _passed()


def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name="assert_rank_in"):
    n, t = _rank(x, "assert_rank_in")
    if n not in [int(r) for r in ranks]:
        raise ValueError(f"{message or ''}Tensor must have rank in {tuple(ranks)}.  Received rank {n}, shape {t.shape}")
    return _passed()


def assert_scalar(tensor, name=None, message=None):
    n, t = _rank(tensor, "assert_scalar")
    if n != 0:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {t.shape}.")
    return t


def assert_type(tensor, tf_type, message=None, name=None):
    t = _ops.convert_to_tensor(tensor)
    if t.dtype != tf_type:
        raise TypeError(f"{message or ''} tensor must be of type {tf_type}; got {t.dtype}")
    return _passed()


def assert_integer(x, message=None, name=None):
    t = _ops.convert_to_tensor(x)
    if not t.dtype.is_integer:
        raise TypeError(f"{message or ''}Expected \"x\" to be integer type.  Found: {t.dtype}")
    return _passed()


def assert_same_float_dtype(tensors=None, dtype=None):
    found = dtype
    for t in tensors or []:
        t = _ops.convert_to_tensor(t)
        if found is not None and t.dtype != found:
            raise ValueError(f"Expected {found}, got {t} of type {t.dtype}.")
        found = t.dtype
    if found is not None and not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found}.")
    return float32 if found is None else found


def assert_proper_iterable(values):
    if isinstance(values, (_w.Tensor, str, bytes)) or _ops.is_tensor(values) or not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument \"values\" to be a \"proper\" iterable.  Found: {type(values)}")


def is_numeric_tensor(tensor):
    return _ops.is_tensor(tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex)


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    sizes = {}
    for x, s in shapes if not isinstance(shapes, dict) else shapes.items():
        for d, want in zip(_ops.convert_to_tensor(x).shape, s):
            if sizes.setdefault(want, d if isinstance(want, str) else want) != d:
                raise ValueError(f"{message + '  ' if message else ''}tensor dimension {want} must have size {sizes[want]}. Received size {d}")


@_ops.op("CheckNumerics")
def check_numerics(tensor, message):
    x = as_tensor(tensor)
    if not state.inferring:
        found = "NaN or Inf"
        if not _w.about(x, "symbolic"):
            found = " and ".join([name for name, has in (("Inf", _w.is_inf), ("NaN", _w.is_nan)) if _w.any(has(x)).item()])
        _check(_w.is_finite(x), f"{message} : Tensor had {found} values")
    return x


def assert_all_finite(x, message, name=None):
    return check_numerics(x, message)


def _summary(x, n):
    x = as_tensor(x).numpy()
    if not getattr(x, "shape", ()):
        return str(x)
    flat = x.reshape(-1)
    n = 3 if n is None else len(flat) if n < 0 else n
    return ", ".join([str(v) for v in flat[:n]] + (["..."] if n < len(flat) else []))


def Assert(condition, data, summarize=None, name=None):
    if state.graph is None and not _w.about(as_tensor(condition), "symbolic"):
        if not _w.all(as_tensor(condition)).item():
            raise InvalidArgumentError(f"Expected '{as_tensor(condition)!s}' to be true. Summarized data: " + "\n".join([_summary(d, summarize) for d in data]))
        return None
    text = "assertion failed: " + str([str(as_tensor(d)) if state.graph is None and not isinstance(d, str) else str(d) for d in data])
    return _assert(lambda c: c, text, [_ops.convert_to_tensor(condition)], name or "Assert")


def _steps(fn):
    @_ops.op("ReduceAll")
    def call(x):
        x = _w.reshape(as_tensor(x), [-1])
        return _w.all(fn(x[1:], x[:-1])) if x.shape[0] > 1 else _w.tensor(True)
    return call


is_non_decreasing, is_strictly_increasing = _steps(_w.ge), _steps(_w.gt)
