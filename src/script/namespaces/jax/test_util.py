# jax.test_util -- derivatives held against differences.
import functools as _functools
import jax as _jax
import jax.numpy as _jnp
import numpy as _np
from jax.tree_util import tree_map as _map, tree_leaves as _leaves

EPS = 1e-4
_tolerances = {"float16": 1e-2, "bfloat16": 1e-1, "float32": 2e-3, "float64": 1e-5, "complex64": 1e-3, "complex128": 1e-5}


def _tolerance(xs, given):
    # given: a number, or one for each dtype
    if given is not None and not isinstance(given, dict):
        return given
    table = {**_tolerances, **{_np.dtype(d).name: tol for d, tol in (given or {}).items()}}
    return max([table.get(_np.dtype(_jnp.asarray(x).dtype).name, 0.0) for x in _leaves(xs)] + [0.0])


def _close(a, b, atol, rtol, what):
    for x, y in zip(_leaves(a), _leaves(b)):
        _np.testing.assert_allclose(_np.asarray(x), _np.asarray(y), atol=_tolerance(b, atol), rtol=_tolerance(b, rtol), err_msg=what)


def _draw(rng, x):
    x = _np.asarray(x)
    r = rng.randn(*x.shape)
    if x.dtype.kind == "c":
        r = r + 1j * rng.randn(*x.shape)
    return _jnp.asarray(r, x.dtype)


def _inner(xs, ys):
    total = 0.0
    for x, y in zip(_leaves(xs), _leaves(ys)):
        total = total + _np.real(_np.sum(_np.asarray(x, "complex128") * _np.asarray(y, "complex128")))
    return total


# The derivative of f at primals in the direction of tangents, by two values of f
def numerical_jvp(f, primals, tangents, eps=EPS):
    step = _map(lambda t: _jnp.asarray(t * (0.5 * eps), t.dtype), tuple(tangents))
    up = f(*_map(lambda x, d: x + d, tuple(primals), step))
    down = f(*_map(lambda x, d: x - d, tuple(primals), step))
    return _map(lambda a, b: (a - b) / eps, up, down)


def check_jvp(f, f_jvp, args, atol=None, rtol=None, eps=EPS, err_msg=""):
    rng = _np.random.RandomState(0)
    tangents = _map(lambda x: _draw(rng, x), tuple(args))
    v, t = f_jvp(tuple(args), tangents)
    _close(v, f(*args), atol, rtol, f"{err_msg} primal".strip())
    _close(t, numerical_jvp(f, args, tangents, eps), atol, rtol, f"{err_msg} tangent".strip())


def check_vjp(f, f_vjp, args, atol=None, rtol=None, eps=EPS, err_msg=""):
    rng = _np.random.RandomState(0)
    v, back = f_vjp(*args)
    _close(v, f(*args), atol, rtol, f"{err_msg} primal".strip())
    tangents = _map(lambda x: _draw(rng, x), tuple(args))
    out = numerical_jvp(f, args, tangents, eps)
    cotangent = _map(lambda x: _draw(rng, x), out)
    _close(_inner(tangents, back(cotangent)), _inner(out, cotangent), _tolerance(v, atol), _tolerance(v, rtol),
           f"{err_msg} cotangent projection".strip())


def check_grads(f, args, order, modes=("fwd", "rev"), atol=None, rtol=None, eps=None):
    args = tuple(args)
    if eps is None: # of f32 a step of 1e-4 leaves three digits
        eps = EPS if all(_jnp.asarray(x).dtype.itemsize >= 8 for x in _leaves(args)) else 1e-2

    def go(g, at, left, text):
        if "fwd" in modes:
            check_jvp(g, _functools.partial(_jax.jvp, g), at, atol, rtol, eps, text + "JVP")
            if left > 1:
                go(lambda *x: _jax.jvp(g, x, tuple(at))[1], at, left - 1, text + "JVP of ")
        if "rev" in modes:
            check_vjp(g, _functools.partial(_jax.vjp, g), at, atol, rtol, eps, text + "VJP")
            if left > 1:
                def both(*x):
                    v, back = _jax.vjp(g, *x)
                    return back(v)
                go(both, at, left - 1, text + "VJP of ")
    go(f, args, order, "")
