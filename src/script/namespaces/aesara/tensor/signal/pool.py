# aesara.tensor.signal.pool -- maxima, sums and means of windows of the last axes.
import _aesara as _w
from aesara._graph import Op, apply, as_variable

_MODES = ("max", "sum", "average_inc_pad", "average_exc_pad")


def _missing(n, window, stride, pad, ignore_border):
    # how much the axis lacks at its end for its last window
    if ignore_border:
        return pad
    if not isinstance(n, int):
        raise ValueError("pool: with ignore_border=False the sizes must be known")
    if stride >= window:
        out = (n - 1) // stride + 1
    else:
        out = max(0, (n - 1 - window + stride) // stride) + 1
    return max(0, (out - 1) * stride + window - n)


def _ends(params, x):
    # the padding of each of the last axes, before and behind
    ws, stride, pad, ignore_border, mode = params
    first = x.ndim - len(ws)
    return [(p, _missing(x.shape[first + i], w, s, p, ignore_border)) for i, (w, s, p) in enumerate(zip(ws, stride, pad))]


def _windows(x, params, fill):
    # the windows as axes of their own, behind the others
    ws, stride = params[0], params[1]
    first = x.ndim - len(ws)
    ends = _ends(params, x)
    if [e for e in ends if e != (0, 0)]:
        x = _w.pad(x, [0] * first + [a for a, _ in ends], [0] * first + [b for _, b in ends], fill)
    for i in range(len(ws)):
        x = _w.unfold(x, first + i, ws[i], stride[i])
    return x


def _pooled(params, x):
    from aesara.tensor import _extreme
    ws, mode = params[0], params[4]
    axes = list(range(-len(ws), 0))
    if mode == "max":       # all of the largest elements of a window have a derivative
        return _extreme(_w.max)(_windows(x, params, float("-inf")), axes, False)
    total = _w.sum(_windows(x, params, 0), axes)
    if mode == "sum":
        return total
    if mode == "average_inc_pad" and params[3]:     # what is beyond the border is no padding
        size = 1
        for w in ws:
            size *= w
        return total / size
    return total / _w.sum(_windows(_w.ones_like(x), params, 0), axes)


def _pool(rank, input, ws, ignore_border, stride, pad, mode, ds, st, padding):
    ws, stride, pad = ds if ws is None else ws, st if stride is None else stride, pad if padding is None else padding
    if ws is None:
        raise ValueError("You must provide a tuple value for the window size.")
    if mode not in _MODES:
        raise ValueError(f"Pool mode parameter only support 'max', 'sum', 'average_inc_pad' and 'average_exc_pad'. Got {mode}")
    x = as_variable(input)
    if x.ndim < rank:
        raise NotImplementedError(f"pool_{rank}d requires a dimension >= {rank}")
    pair = lambda v: tuple([v] * rank if isinstance(v, int) else [int(i) for i in v])
    ws, pad = pair(ws), pair(pad)
    if any(pad) and not ignore_border:
        raise NotImplementedError("padding works only with ignore_border=True")
    params = (ws, ws if stride is None else pair(stride), pad, bool(ignore_border), mode)
    name = "Pool{ignore_border=" + f"{bool(ignore_border)}, mode='{mode}', ndim={rank}" + "}"
    return apply(Op("Pool", _pooled, name), [x], params, x.ndim, x.dtype)


def pool_2d(input, ws=None, ignore_border=None, stride=None, pad=(0, 0), mode="max", ds=None, st=None, padding=None):
    return _pool(2, input, ws, ignore_border, stride, pad, mode, ds, st, padding)


def pool_3d(input, ws=None, ignore_border=None, stride=None, pad=(0, 0, 0), mode="max", ds=None, st=None, padding=None):
    return _pool(3, input, ws, ignore_border, stride, pad, mode, ds, st, padding)
