# jax.experimental.ode -- initial value problems by Dormand and Prince's pair, steps as errors allow; derivatives by the
# adjoint equation, solved backwards.
import functools as _functools
import _jax as _w
import jax as _jax
import jax.numpy as _jnp
from jax import lax as _lax
from jax.flatten_util import ravel_pytree as _ravel

_at = [1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0]
_rows = [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
         [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
         [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]]
_error = [35 / 384 - 1951 / 21600, 0.0, 500 / 1113 - 22642 / 50085, 125 / 192 - 451 / 720, -2187 / 6784 - -12231 / 42400,
          11 / 84 - 649 / 6300, -1.0 / 60.0]
_middle = [6025192743 / 30085553152 / 2, 0.0, 51252292925 / 65400821598 / 2, -2691868925 / 45128329728 / 2,
           187940372067 / 1594534317056 / 2, -1776094331 / 19743644256 / 2, 11237099 / 235043384 / 2]


def _weighted(weights, ks):
    total = None
    for w, k in zip(weights, ks):
        if w:
            total = w * k if total is None else total + w * k
    return total


def _step(func, y, f, t, dt):
    ks = [f]
    for a, row in zip(_at, _rows):
        ks.append(func(y + dt * _weighted(row, ks), t + dt * a))
    y1 = y + dt * _weighted(_rows[-1], ks)
    return y1, ks[-1], dt * _weighted(_error, ks), y + dt * _weighted(_middle, ks)


def _size2(x):
    return _w.real(x) ** 2 + _w.imag(x) ** 2 if x.dtype.is_complex else x * x


def _ratio(error, rtol, atol, y0, y1):
    bound = atol + rtol * _w.maximum(_w.abs(y0), _w.abs(y1))
    return _w.sqrt(_jnp.mean(_size2(error / bound)))


def _first_step(func, t, y, order, rtol, atol, f):
    norm = lambda v: _w.sqrt(_jnp.sum(_size2(v)))
    scale = atol + _w.abs(y) * rtol
    d0, d1 = norm(y / scale), norm(f / scale)
    h0 = _w.where(_w.logical_or(_w.lt(d0, 1e-5), _w.lt(d1, 1e-5)), 1e-6, 0.01 * d0 / d1)
    d2 = norm((func(y + h0 * f, t + h0) - f) / scale) / h0
    small = _w.logical_and(_w.le(d1, 1e-15), _w.le(d2, 1e-15))
    h1 = _w.where(small, _w.maximum(1e-6, h0 * 1e-3), _w.pow(0.01 / _w.maximum(d1, d2), 1 / (order + 1)))
    return _w.minimum(100.0 * h0, h1)


def _next_step(dt, ratio, safety=0.9, most=10.0, least=0.2, order=5.0):
    least = _w.where(_w.lt(ratio, 1), 1.0, least)
    factor = _w.minimum(most, _w.maximum(_w.pow(ratio, -1.0 / order) * safety, least))
    return _w.where(_w.eq(ratio, 0), dt * most, dt * factor)


def _quartic(y0, y1, middle, f0, f1, dt):
    # The polynomial of degree four through three points and two slopes, in (t - t0) / dt
    a = -2 * dt * f0 + 2 * dt * f1 - 8 * y0 - 8 * y1 + 16 * middle
    b = 5 * dt * f0 - 3 * dt * f1 + 18 * y0 + 14 * y1 - 32 * middle
    c = -4 * dt * f0 + dt * f1 - 11 * y0 - 5 * y1 + 16 * middle
    return a, b, c, dt * f0, y0


def _solve(func, rtol, atol, mxstep, hmax, y0, ts):
    # y at all ts; between steps by interpolation
    def advance(carry, target):
        def going(s):
            i, (y, f, t, dt, last, poly) = s
            return _w.logical_and(_w.logical_and(_w.lt(t, target), _w.lt(i, mxstep)), _w.gt(dt, 0))

        def turn(s):
            i, (y, f, t, dt, last, poly) = s
            y1, f1, error, middle = _step(func, y, f, t, dt)
            ratio = _ratio(error, rtol, atol, y, y1)
            fits = _w.le(ratio, 1.0)
            keep = lambda new, old: _w.where(fits, new, old)
            new = _w.stack(_quartic(y, y1, middle, f, f1, dt), 0)
            dt1 = _w.clip(_next_step(dt, ratio), 0.0, hmax)
            return i + 1, (keep(y1, y), keep(f1, f), keep(t + dt, t), dt1, keep(t, last), keep(new, poly))

        carry = _lax.while_loop(going, turn, (0, carry))[1]
        y, f, t, dt, last, poly = carry
        x = _w.cast((target - last) / (t - last), _jnp.finfo(y.dtype).dtype)
        out = poly[0]
        for k in range(1, 5):
            out = out * x + poly[k]
        return carry, out

    f0 = func(y0, ts[0])
    dt = _w.clip(_first_step(func, ts[0], y0, 4, rtol, atol, f0), 0.0, hmax)
    start = (y0, f0, ts[0], _w.cast(dt, ts.dtype), ts[0], _w.stack([y0] * 5, 0))
    ys = _lax.scan(advance, start, ts[1:])[1]
    return _w.concat([_w.expand_dims(y0, 0), ys], 0)


@_functools.partial(_jax.custom_vjp, nondiff_argnums=(0, 1, 2, 3, 4))
def _odeint(func, rtol, atol, mxstep, hmax, y0, ts, *args):
    return _solve(lambda y, t: func(y, t, *args), rtol, atol, mxstep, hmax, y0, ts)


def _forward(func, rtol, atol, mxstep, hmax, y0, ts, *args):
    ys = _odeint(func, rtol, atol, mxstep, hmax, y0, ts, *args)
    return ys, (ys, ts, args)


def _backward(func, rtol, atol, mxstep, hmax, res, g):
    ys, ts, args = res
    # The state and its adjoint, the adjoints of time and arguments, run from each time to the one before.

    def both(state, t, *args):
        y, y_bar, _, _ = state
        y_dot, pull = _jax.vjp(func, y, -t, *args)
        return (-y_dot, *pull(y_bar))

    y_bar, t0_bar = g[-1], _w.zeros_like(ts[-1])
    args_bar = _jax.tree.map(_jnp.zeros_like, args)
    ts_bar = []

    def turn(carry, i):
        y_bar, t0_bar, args_bar = carry
        t_bar = _w.real(_jnp.dot(func(ys[i], ts[i], *args), g[i]))
        t0_bar = t0_bar - _w.cast(t_bar, t0_bar.dtype)
        state = (ys[i], y_bar, t0_bar, args_bar)
        _, y_bar, t0_bar, args_bar = odeint(both, state, _w.stack([-ts[i], -ts[i - 1]], 0), *args, rtol=rtol, atol=atol, mxstep=mxstep,
                                            hmax=hmax)
        take = lambda tree: _jax.tree.map(lambda v: v[1], tree)
        return (take(y_bar) + g[i - 1], take(t0_bar), take(args_bar)), t_bar

    (y_bar, t0_bar, args_bar), rest = _lax.scan(turn, (y_bar, t0_bar, args_bar), _w.arange(len(ts) - 1, 0, -1))
    ts_bar = _w.concat([_w.expand_dims(t0_bar, 0), _w.cast(_w.flip(rest, 0), t0_bar.dtype)], 0)
    return (y_bar, ts_bar, *args_bar)


_odeint.defvjp(_forward, _backward)


def odeint(func, y0, t, *args, rtol=1.4e-8, atol=1.4e-8, mxstep=_jnp.inf, hmax=_jnp.inf):
    """dy/dt = func(y, t, *args) from y0 at t[0]: y at all t, which increase."""
    for arg in _jax.tree.leaves(args):
        if callable(arg):
            raise TypeError(f"The contents of odeint *args must be arrays or scalars, but got\n{arg}.")
    if not _jnp.issubdtype(_jnp.asarray(t).dtype, _jnp.floating):
        raise TypeError(f"t must be an array of floats, but got {t}.")
    t = _jnp.asarray(t)
    flat, unravel = _ravel(y0)
    converted, more = _jax.closure_convert(lambda y, s, *a: _ravel(func(unravel(y), s, *a))[0], flat, t[0], *args)
    limit = 2 ** 31 - 1 if mxstep == _jnp.inf else mxstep
    out = _odeint(converted, rtol, atol, limit, hmax, flat, t, *args, *more)
    return _jax.vmap(unravel)(out)
