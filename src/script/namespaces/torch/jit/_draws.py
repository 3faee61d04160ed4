# torch.jit._draws -- random numbers in a program of a file: by a key among its state, which every run changes (docs/modules.md).
#
# They are distributed as PyTorch's, but other numbers: a program has no generator.
import _stage
import _torch as _w
import torch
from torch._types import generator_at


class Draws:
    # The key, as _script._Kept has the tensors of a tree; draw is what a trace calls (_script._made).
    def __init__(self):
        self.kind = "buffer"
        self.t = _w.full((2,), 0, _w.uint32)
        self.random_key = self.t
        self.places = [(self, vars(self), "random_key")]

    def put(self, t):
        self.random_key = t

    def draw(self, name, *args):
        kind = args[0] if name in ("draw", "draw_each") else name
        if kind not in _KINDS:
            raise _stage.Refuse(f"it draws random numbers of a kind that no program has ({kind})")
        if args[-1] is not generator_at(0) and args[-1] is not generator_at(1):
            raise _stage.Refuse("it draws random numbers from a generator of its own")
        keys = _w.key_split(self.random_key)
        self.random_key = keys[0]
        return _KINDS[kind](keys[1], *(args[1:-1] if name == "draw" else args[:-1]))


def _wide(dtype):
    return _w.float64 if dtype == _w.float64 else _w.float32


def _uniform(key, shape, dtype, low, high):
    return _w.cast(_w.key_uniform(key, shape, _wide(dtype), low, high), dtype)


def _normal(key, shape, dtype, mean, std):
    return _w.cast(_w.key_normal(key, shape, _wide(dtype)) * std + mean, dtype)


def _cauchy(key, shape, dtype, median, sigma):
    return _w.cast(_w.key_cauchy(key, shape, _wide(dtype)) * sigma + median, dtype)


def _log_normal(key, shape, dtype, mean, std):
    return _w.cast(_w.exp(_normal(key, shape, _wide(dtype), mean, std)), dtype)


def _exponential(key, shape, dtype, rate, _):
    return _w.cast(_w.key_exponential(key, shape, _wide(dtype)) / rate, dtype)


def _geometric(key, shape, dtype, p, _):
    # how many trials until the first success: more than n with probability (1 - p)^n
    turns = _w.ceil(_w.key_exponential(key, shape, _w.float64) / -torch.log1p(torch.tensor(-p, dtype=_w.float64)))
    return _w.cast(_w.maximum(turns, 1.0), dtype)


def _bernoulli(key, shape, dtype, p, _):
    return _w.cast(_w.key_bernoulli(key, _w.full((), p, _w.float32), shape), dtype)


def _bernoulli_each(key, p):
    return _w.cast(_w.key_bernoulli(key, _w.cast(p, _wide(p.dtype)), p.shape), p.dtype)


def _integers(key, low, high, shape, dtype):
    return _w.cast(_w.key_randint(key, shape, _w.int64, low, high), dtype)


def _permutation(key, n):
    return _w.key_permutation(key, torch.arange(n))


def _multinomial(key, weights, m, again):
    # The largest of log(weight) + a number of Gumbel's, each time anew or the m largest of one time.
    ok = _w.ge(weights, 0).all() & _w.lt(weights, float("inf")).all()
    _w.assert_now(ok, "probability tensor contains either `inf`, `nan` or element < 0")
    logits = _w.log(weights)
    if not again:
        return torch.topk(logits + _w.key_gumbel(key, logits.shape, logits.dtype), m)[1]
    drawn = _w.key_categorical(key, logits, -1, (m, *logits.shape[:-1]))
    return _w.permute(drawn, (1, 0)) if logits.ndim == 2 else drawn


_KINDS = {"uniform": _uniform, "normal": _normal, "cauchy": _cauchy, "log_normal": _log_normal, "exponential": _exponential,
          "geometric": _geometric, "bernoulli": _bernoulli, "draw_bernoulli": _bernoulli_each, "draw_int": _integers,
          "draw_permutation": _permutation, "draw_multinomial": _multinomial}
