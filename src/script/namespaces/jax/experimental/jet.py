# jax.experimental.jet -- Taylor series through functions.
#
# x(t) = x0 + x1 t + x2 t^2 / 2! ..; the series of f(x(t)) is that of a function of one number, by forward derivatives inside
# forward derivatives.
import math as _math
import jax as _jax
import jax.numpy as _jnp
from jax.tree_util import tree_flatten as _flatten, tree_unflatten as _unflatten


class ZeroSeries:
    # A series of zeros, not written out.
    pass


class ZeroTerm:
    pass


zero_series, zero_term = ZeroSeries(), ZeroTerm()


def _curve(x, terms, t, scaled):
    # Horner's scheme; what is no float stays.
    if not _jnp.issubdtype(_jnp.result_type(x), _jnp.inexact):
        return x
    y = 0.0
    for k in range(len(terms), 0, -1):
        c = terms[k - 1]
        if isinstance(c, ZeroTerm):
            c = _jnp.zeros_like(x)
        y = (c / _math.factorial(k) if scaled else c) + t * y
    return x + _jnp.asarray(t * y, _jnp.result_type(x))


def _derivative(f):
    return lambda t: _jax.jvp(f, (t,), (_jnp.ones_like(t),))[1]


def jet(fun, primals, series, *, factorial_scaled=True):
    for i, (x, terms) in enumerate(zip(primals, series)):
        if len(_flatten(x)[0]) != 1 or not hasattr(_flatten(x)[0][0], "dtype") and not isinstance(x, (int, float, complex)):
            raise ValueError(f"primal value at position {i} is not an array")
        for j, term in enumerate([] if isinstance(terms, ZeroSeries) else terms):
            if not isinstance(term, (ZeroTerm, int, float, complex)) and not hasattr(term, "dtype"):
                raise ValueError(f"term {j} for argument {i} is not an array")
    orders = set([len(s) for s in series if not isinstance(s, ZeroSeries)])
    if len(orders) != 1:
        raise ValueError("jet terms have inconsistent lengths for different arguments")
    order = orders.pop()
    rows = [[zero_term] * order if isinstance(s, ZeroSeries) else s for s in series]

    def along(t):
        return fun(*[_curve(x, s, t, factorial_scaled) for x, s in zip(primals, rows)])

    zero = _jnp.zeros((), _jnp.result_type(float))
    leaves, spec = _flatten(along(zero))
    leaves = [_jnp.asarray(v) for v in leaves]
    out, f = [[] for _ in leaves], along
    for k in range(1, order + 1):
        f = _derivative(f)
        for terms, v, y in zip(out, _flatten(f(zero))[0], leaves):
            exact = not _jnp.issubdtype(y.dtype, _jnp.inexact)
            terms.append(_jnp.zeros_like(y) if exact else _jnp.asarray(v if factorial_scaled else v / fact(k), y.dtype))
    return _unflatten(spec, leaves), _unflatten(spec, out)


def fact(n):
    return _math.factorial(n)
