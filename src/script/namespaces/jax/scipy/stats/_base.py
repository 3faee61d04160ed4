# jax.scipy.stats: what the distributions share.
import _jax as _w
from jax._dtypes import float_of, result_type
from jax.numpy import asarray

log_root = 0.9189385332046727   # log sqrt(2 pi)
pi = 3.141592653589793
inf, nan = float("inf"), float("nan")


def floats(*xs):
    # The arguments in the floating dtype that they are promoted to.
    xs = [asarray(x) for x in xs]
    d = float_of(result_type(*xs))
    return [_w.cast(x, d) for x in xs]


def centred(x, loc, scale, *more):
    # ((x - loc) / scale, log scale, more ..)
    x, loc, scale, *more = floats(x, loc, scale, *more)
    return [(x - loc) / scale, _w.log(scale)] + more


def within(good, y, else_=-inf):
    return _w.where(good, y, else_)


# Not below, not beyond: NaN is neither, and goes through.

def above(x, low):
    return _w.logical_not(_w.lt(x, low))


def below(x, high):
    return _w.logical_not(_w.gt(x, high))


def both(a, b):
    return _w.logical_and(a, b)


# What follows from another function of the same arguments.

def exp_of(f):
    return staticmethod(lambda *args, **kwargs: _w.exp(f(*args, **kwargs)))


def log_of(f):
    return staticmethod(lambda *args, **kwargs: _w.log(f(*args, **kwargs)))
