# torch._misc -- functions of torch that are not about computing, and rare ones.
import math

import _torch as _w
from torch._core import core as _core
from torch._types import (dtype as _dtype, float32, float64, float16, bfloat16, int64, bool as _bool, finfo, iinfo,
                          device_at, home, number_of)
from torch._creation import get_default_dtype, set_default_dtype


def is_tensor(obj):
    return isinstance(obj, _w.Tensor)


def _assert(condition, message):
    if not condition:
        raise AssertionError(message)


def _check_with(error, cond, message=None):
    if not isinstance(cond, (bool, _w.Tensor)):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        raise error("Expected cond to be True, but got False. (Could this error message be improved? If so, please report an enhancement "
                    "request to PyTorch.)" if message is None else str(message()))


def _check(cond, message=None):
    _check_with(RuntimeError, cond, message)


def _check_index(cond, message=None):
    _check_with(IndexError, cond, message)


def _check_value(cond, message=None):
    _check_with(ValueError, cond, message)


def _check_type(cond, message=None):
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message=None):
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i, message=None, *, max=None):
    _check(i >= 0 and (max is None or i <= max), message)


def cond(pred, true_fn, false_fn, operands=()):
    # One of the two functions; in a trace a branch of the program.
    import _tree
    if isinstance(pred, _w.Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not isinstance(pred, _w.Tensor) or not _w.in_trace():
        return (true_fn if pred else false_fn)(*operands)
    leaves, spec = _tree.flatten(tuple(operands), None, False)
    specs = []

    def branch(f):
        def run(*xs):
            out, s = _tree.flatten(f(*_tree.unflatten(spec, list(xs))), None, False)
            specs.append(s)
            if s != specs[0]:
                raise RuntimeError("torch.cond: the two functions give results of different forms")
            return out
        return run

    out = _w.cond(pred.reshape(()) != 0, [branch(false_fn), branch(true_fn)], leaves)
    return _tree.unflatten(specs[0], out)


def foreach(name):
    # torch._foreach_add(tensors, others) and its kin: the function for each tensor, with that of each argument which is a list.
    import torch
    inplace = name[-1] == "_"
    own = "linalg_vector_norm" if name == "norm" else name
    if inplace:
        f = lambda t, *args, **kw: getattr(t, name)(*args, **kw)
    elif own == "linalg_vector_norm":
        f = lambda t, ord=2, **kw: torch.linalg.vector_norm(t, ord, **kw)
    else:
        f = getattr(torch, name)

    def each(tensors, *args, **kwargs):
        for a in list(args) + list(kwargs.values()):
            if isinstance(a, (list, tuple)) and len(a) != len(tensors):
                raise RuntimeError(f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(a)}")
        pick = lambda a, i: a[i] if isinstance(a, (list, tuple)) else a
        out = tuple([f(t, *[pick(a, i) for a in args], **{k: pick(v, i) for k, v in kwargs.items()}) for i, t in enumerate(tensors)])
        return tensors if inplace else out

    each.__name__ = "_foreach_" + name
    return each


def is_storage(obj):
    return type(obj).__name__.endswith("Storage")


def is_floating_point(input):
    return input.dtype.is_floating_point


def is_complex(input):
    return input.dtype.is_complex


def is_nonzero(input):
    return bool(input)


def numel(input):
    return input.numel()


def typename(obj):
    return obj.type() if isinstance(obj, _w.Tensor) else type(obj).__name__


def result_type(tensor1, tensor2):
    # Sizes do not matter, but whether there are any does.
    a, b = [_w.full((0,) if x.ndim else (), 0, x.dtype) if isinstance(x, _w.Tensor) else x for x in (tensor1, tensor2)]
    return _w.add(a, b).dtype


def promote_types(type1, type2):
    return _w.add(_w.full((1,), 0, type1), _w.full((1,), 0, type2)).dtype if type1 != type2 else type1


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def can_cast(from_, to):
    for given, name in ((from_, "from_"), (to, "to")):
        if not isinstance(given, type(_bool)):
            raise TypeError(f"can_cast(): argument '{name}' must be torch.dtype, not {type(given).__name__}")
    if from_ == to:
        return True
    if to == _bool:
        return False
    return _RANK[from_.kind] <= _RANK[to.kind]


get_num_threads = _w.threads
_between = []       # threads that run ops side by side, as told: ops run one after the other here


def _threads(name, n):
    if type(n) is not int:
        raise RuntimeError(f"{name} expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return n


def set_num_threads(n):
    _w.set_threads(_threads("set_num_threads", n))


def get_num_interop_threads():
    return _between[0] if _between else _w.threads()


def set_num_interop_threads(n):
    n = _threads("set_num_interop_threads", n)
    if _between:
        raise RuntimeError("Error: cannot set number of interop threads after parallel work has started or set_num_interop_threads called")
    _between.append(n)


def use_deterministic_algorithms(mode, *, warn_only=False):
    pass


def are_deterministic_algorithms_enabled():
    return True


_precisions = {"highest": "default", "high": "tf32", "medium": "bf16"}
_float32_matmul_precision = ["highest"]


def set_float32_matmul_precision(precision):
    if precision not in _precisions:
        import warnings
        warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
                      "setFloat32MatmulPrecision call has no effect.")
        return
    _float32_matmul_precision[0] = precision
    _w.precision(_precisions[precision])


def get_float32_matmul_precision():
    return _float32_matmul_precision[0]


def _use_gpu():
    # The host has but one precision of products; a GPU must be told that float32 is float32.
    _precisions["highest"] = "highest"
    _w.precision(_precisions[_float32_matmul_precision[0]])


def set_default_device(device):
    home[0] = 0 if device is None else number_of(device)


def get_default_device():
    return device_at(home[0])


def set_default_tensor_type(t):
    set_default_dtype(t._dtype if hasattr(t, "_dtype") else t)


def set_flush_denormal(mode):
    return False if mode else True      # whether it could be set: denormals are kept


def set_warn_always(b):
    if b:
        raise NotImplementedError("set_warn_always(True)")


def relu_(input):
    return input.relu_()


def sigmoid_(input):
    return input.sigmoid_()


def is_deterministic():
    return True


def cumulative_trapezoid(y, x=None, *, dx=1.0, dim=-1):
    from torch import _math
    n = y.shape[dim]
    mid = (_w.narrow(y, dim, 1, n - 1) + _w.narrow(y, dim, 0, n - 1)) / 2
    return _w.cumsum(mid * (dx if x is None else _math.diff(x)), dim)


def unravel_index(indices, shape):
    return _core.unravel(indices, shape)


def ravel_multi_index(coords, shape):
    at = 0
    for c, n in zip(coords, shape):
        at = at * n + c
    return at


def view_copy(input, size):
    return _w.copy(_w.reshape(input, size))


def _window(name, of, **parameters):
    # of(k, n, ..): the window at the numbers k, which is the same again at n.
    def window(window_length, periodic=True, *args, dtype=None, layout=None, device=None, requires_grad=False, **given):
        from torch._creation import _finish
        dtype = dtype or get_default_dtype()
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        if not dtype.is_floating_point:
            raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
        values = dict(parameters)
        for key, v in list(zip(parameters, args)) + list(given.items()):
            if key not in parameters:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            values[key] = v
        if window_length < 2:
            t = _w.full((window_length,), 1.0, dtype)
        else:
            t = of(_w.arange(0, window_length, 1, dtype), window_length if periodic else window_length - 1, *values.values())
        return _finish(t, device, requires_grad)
    window.__name__ = window.__qualname__ = name
    return window


def _hamming(k, n, alpha, beta):
    return _w.cos(k * (2 * math.pi / n)) * -beta + alpha


def _blackman(k, n):
    k = k * (math.pi / n)
    return _w.cos(k * 4) * 0.08 - _w.cos(k * 2) * 0.5 + 0.42


hann_window = _window("hann_window", lambda k, n: _hamming(k, n, 0.5, 0.5))
hamming_window = _window("hamming_window", _hamming, alpha=0.54, beta=0.46)
blackman_window = _window("blackman_window", _blackman)
bartlett_window = _window("bartlett_window", lambda k, n: 1 - _w.abs(k * (2 / n) - 1))


def is_warn_always_enabled():
    return False


def svd(input, some=True, compute_uv=True):
    from torch._types import result
    u, s, vt = __import__("torch.linalg").svd(input, not some)
    if not compute_uv:
        m, n = input.shape[-2], input.shape[-1]
        u, vt = [_w.full(tuple(input.shape[:-2]) + (k, k), 0, input.dtype) for k in (m, n)]
    return result("svd", ("U", "S", "V"))((u, s, _w.swap_axes(vt, -1, -2)))


def qr(input, some=True):
    from torch._types import result
    return result("qr", ("Q", "R"))(tuple(__import__("torch.linalg").qr(input, "reduced" if some else "complete")))


def _bin_edges(x, bins, range):
    if not isinstance(bins, int):
        return bins
    lo, hi = (float(_w.min(x)), float(_w.max(x))) if range is None else range
    if lo == hi:
        lo, hi = lo - 0.5, hi + 0.5
    return _w.linspace(lo, hi, bins + 1, True, x.dtype)


def histogram(input, bins, *, range=None, weight=None, density=False):
    from torch._types import result
    edges = _bin_edges(input, bins, range)
    flat = _w.reshape(input, (-1,))
    hist = _core.counted(flat, edges, _w.ones_like(flat) if weight is None else _w.reshape(weight, (-1,)))
    if density:
        hist = hist / _w.sum(hist) / (edges[1:] - edges[:-1])
    return result("histogram", ("hist", "bin_edges"))((hist, edges))


def pinverse(input, rcond=1e-15):
    return __import__("torch.linalg").pinv(input, rcond)


def _start_on(name):
    # weft run --device=cuda: new tensors are there, unless a script says otherwise.
    if name and name != "cpu":
        set_default_device(name)
