# torch._cast -- what torch.autocast does to functions that are not one native: full, low and stay are decorators.
import functools

import _torch as _w


def _to(x, dtype):
    if isinstance(x, _w.Tensor):
        return _w.cast(x, dtype) if x.dtype.name in ("float32", "float16", "bfloat16") and x.dtype != dtype else x
    return [_to(v, dtype) for v in x] if type(x) is list else x


def low_dtype(xs):
    # The lower precision where the first tensor among xs is, or None.
    import torch
    for x in xs:
        if isinstance(x, _w.Tensor):
            on, dtype = torch.amp._state["cuda" if x.device.type == "cuda" else "cpu"]
            return dtype if on else None
    return None


def _decorator(before):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            if _w.casting():
                return before(fn, args, kwargs)
            return fn(*args, **kwargs)
        return inner
    return decorate


def _full(fn, args, kwargs):
    if low_dtype(args) is None:
        return fn(*args, **kwargs)
    return fn(*[_to(x, _w.float32) for x in args], **{k: _to(x, _w.float32) for k, x in kwargs.items()})


def _low(fn, args, kwargs):
    dtype = low_dtype(args)
    if dtype is None:
        return fn(*args, **kwargs)
    return fn(*[_to(x, dtype) for x in args], **{k: _to(x, dtype) for k, x in kwargs.items()})


def _stay(fn, args, kwargs):
    from torch.amp import autocast
    with autocast("cpu", enabled=False):
        return fn(*args, **kwargs)


full = _decorator(_full)        # in f32
low = _decorator(_low)          # in the lower precision
stay = _decorator(_stay)        # in the dtype of its operands on the host, though it is made of others
