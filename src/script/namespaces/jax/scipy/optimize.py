# jax.scipy.optimize -- minimisation by BFGS and its form of little memory, as programs that can be jitted and mapped.
#
# Nocedal and Wright, Numerical Optimization: algorithms 6.1 (BFGS), 7.4 (two loops), 3.5 and 3.6 (a step that satisfies
# the strong Wolfe conditions). Constants, and what ends a search, are those of JAX, so that counts and statuses are.
from typing import NamedTuple as _NamedTuple
import jax as _jax
import jax.numpy as _np
from jax.lax import fori_loop as _fori_loop, while_loop as _while_loop

_armijo, _curvature = 1e-4, 0.9     # how much of the slope a step must gain, and leave


class OptimizeResults(_NamedTuple):
    x: object
    success: object
    status: object
    fun: object
    jac: object
    hess_inv: object
    nfev: object
    njev: object
    nit: object


def _pick(test, new, old):
    return _jax.tree.map(lambda a, b: _np.where(test, a, b), new, old)


def _inner(a, b):
    return _np.real(_np.dot(a, b))


class _Line:
    # f along x + a p. A point of it is (a, f, slope); with its gradient behind it, where one is asked for.
    def __init__(self, f, x, p, value, g):
        self.f, self.x, self.p = _jax.value_and_grad(f), x, p
        self.start = (_np.zeros((), x.real.dtype), value, _inner(g, p))
        self.g = g

    def at(self, a):
        value, g = self.f(self.x + a * self.p)
        return (a, value.astype(self.start[1].dtype), _inner(g, self.p).astype(self.start[2].dtype)), g.astype(self.g.dtype)

    def too_high(self, point):
        return point[1] > self.start[1] + _armijo * point[0] * self.start[2]

    def flat_enough(self, point):
        return _np.abs(point[2]) <= -_curvature * self.start[2]


def _cubic(low, high, last):
    # where the cubic through three values, with the slope at the first, is least; NaN where it is not
    (a, fa, slope), (b, fb), (c, fc) = low, high[:2], last
    db, dc = b - a, c - a
    scale = (db * dc) ** 2 * (db - dc)
    turn = _np.array([[dc ** 2, -db ** 2], [-dc ** 3, db ** 3]])
    p, q = _np.dot(turn, _np.array([fb - fa - slope * db, fc - fa - slope * dc])) / scale
    return a + (-q + _np.sqrt(q * q - 3.0 * p * slope)) / (3.0 * p)


def _parabola(low, high):
    (a, fa, slope), (b, fb) = low, high[:2]
    db = b - a
    return a - slope / (2.0 * ((fb - fa - slope * db) / db ** 2))


def _zoom(line, low, high, on):
    # Algorithm 3.6, if on: (best point, its gradient, failed, evaluations)
    smallest = 1e-5 if low[0].dtype.itemsize < 8 else 1e-10

    def body(s):
        low, high, last = s["low"], s["high"], s["last"]
        width = high[0] - low[0]
        left, right = _np.minimum(high[0], low[0]), _np.maximum(high[0], low[0])
        cubic, square = _cubic(low, high, last), _parabola(low, high)
        by_cubic = (s["n"] > 0) & (cubic > left + 0.2 * width) & (cubic < right - 0.2 * width)
        by_square = ~by_cubic & (square > left + 0.1 * width) & (square < right - 0.1 * width)
        a = _np.where(by_cubic, cubic, _np.where(by_square, square, (low[0] + high[0]) / 2.0))
        point, g = line.at(a)

        shrink = line.too_high(point) | (point[1] >= low[1])       # it becomes the upper end
        found = line.flat_enough(point) & ~shrink
        swap = (point[2] * width >= 0.0) & ~shrink & ~found        # the lower end becomes the upper one
        move = ~shrink & ~found                                    # it becomes the lower end
        return {"low": _pick(move, point, low), "high": _pick(shrink, point, _pick(swap, low, high)),
                "last": _pick(shrink | swap, high[:2], _pick(move, low[:2], last)),
                "best": _pick(found, (point, g), s["best"]), "done": found | s["done"],
                "failed": s["failed"] | (width <= smallest) | (s["n"] + 1 >= 30), "n": s["n"] + 1}

    no = _np.array(False)
    s = _while_loop(lambda s: on & ~s["done"] & ~s["failed"], body, {
        "low": low, "high": high, "last": ((low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0),
        "best": ((_np.ones_like(low[0]),) + low[1:], line.g), "done": no, "failed": no, "n": _np.array(0)})
    return s["best"], s["failed"], s["n"]


class _Step(_NamedTuple):
    size: object
    value: object
    gradient: object
    failed: object
    status: object
    calls: object


def _search(f, x, p, value, g, before, limit):
    # Algorithm 3.5 from the value and the gradient at x; before: the value one step ago, or None
    line = _Line(f, x, p, value, g)
    first = _np.ones((), x.real.dtype)
    if before is not None:
        guess = 1.01 * 2 * (value - before) / line.start[2]
        first = _np.where(guess > 1, 1.0, guess).astype(x.real.dtype)

    def body(s):
        last = s["last"]
        point, g = line.at(_np.where(s["i"] == 1, first, last[0] * 2.0))
        between = line.too_high(point) | ((point[1] >= last[1]) & (s["i"] > 1))
        found = line.flat_enough(point) & ~between
        beyond = (point[2] >= 0.0) & ~between & ~found
        best1, failed1, n1 = _zoom(line, last, point, between)
        best2, failed2, n2 = _zoom(line, point, last, beyond)
        best = _pick(beyond, best2, _pick(found, (point, g), _pick(between, best1, s["best"])))
        return {"last": point, "best": best, "done": s["done"] | between | found | beyond,
                "failed": s["failed"] | (between & failed1) | (beyond & failed2), "i": s["i"] + 1, "calls": s["calls"] + 1 + n1 + n2}

    no = _np.array(False)
    s = _while_loop(lambda s: ~s["done"] & (s["i"] <= limit) & ~s["failed"], body, {
        "last": line.start, "best": (line.start, g), "done": no, "failed": no, "i": _np.array(1), "calls": _np.array(0)})
    (size, value, _), g = s["best"]
    if size.dtype.itemsize < 8:     # a step of nothing would never be left
        size = _np.where(_np.abs(size) < 1e-8, _np.sign(size) * 1e-8, size)
    status = _np.where(s["failed"], 1, _np.where(s["i"] > limit, 3, 0))
    return _Step(size, value, g, s["failed"] | ~s["done"], status, s["calls"])


def _bfgs(f, x, maxiter=None, norm=_np.inf, gtol=1e-5, line_search_maxiter=10):
    limit = x.size * 200 if maxiter is None else maxiter
    eye = _np.eye(x.shape[0], dtype=x.dtype)
    value, g = _jax.value_and_grad(f)(x)
    small = lambda g: _np.linalg.norm(g, ord=norm) < gtol

    def body(s):
        p = -_np.dot(s["inverse"], s["g"])
        step = _search(f, s["x"], p, s["value"], s["g"], s["before"], line_search_maxiter)
        move, turn = step.size * p, step.gradient - s["g"]
        rho = _np.reciprocal(_np.dot(turn, move))
        left = eye - rho * _np.outer(move, turn)
        inverse = _np.einsum("ij,jk,lk", left, s["inverse"], left) + rho * _np.outer(move, move)
        return {"x": s["x"] + move, "value": step.value, "g": step.gradient, "before": s["value"], "calls": s["calls"] + step.calls,
                "inverse": _np.where(_np.isfinite(rho), inverse, s["inverse"]), "done": small(step.gradient), "failed": step.failed,
                "status": step.status, "k": s["k"] + 1}

    s = _while_loop(lambda s: ~s["done"] & ~s["failed"] & (s["k"] < limit), body, {
        "x": x, "value": value, "g": g, "before": value + _np.linalg.norm(g) / 2, "calls": _np.array(1), "inverse": eye,
        "done": small(g), "failed": _np.array(False), "status": _np.array(0), "k": _np.array(0)})
    status = _np.where(s["done"], 0, _np.where(s["k"] == limit, 1, _np.where(s["failed"], 2 + s["status"], -1)))
    return OptimizeResults(s["x"], s["done"] & ~s["failed"], status, s["value"], s["g"], s["inverse"], s["calls"], s["calls"], s["k"])


def _direction(s):
    # -H g by the steps and turns that are kept, the newest last
    room = s["rho"].shape[0]
    many = _np.minimum(s["k"], room)

    def back(j, c):
        q, found = c
        i = room - 1 - j
        a = s["rho"][i] * _inner(_np.conj(s["moves"][i]), q)
        return q - a * _np.conj(s["turns"][i]), found.at[i].set(a)

    q, found = _fori_loop(0, many, back, (-_np.conj(s["g"]), _np.zeros_like(s["rho"])))

    def forth(j, q):
        i = room - many + j
        return q + (found[i] - s["rho"][i] * _inner(s["turns"][i], q)) * s["moves"][i]

    return _fori_loop(0, many, forth, s["gamma"] * q)


def _lbfgs(f, x, maxiter=None, norm=_np.inf, maxcor=10, ftol=2.220446049250313e-09, gtol=1e-05, maxfun=None, maxgrad=None,
           maxls=20):
    if maxiter is None and maxfun is None and maxgrad is None:
        maxiter = x.shape[0] * 200
    limits = [_np.inf if m is None else m for m in (maxgrad, maxfun, maxiter)]
    value, g = _jax.value_and_grad(f)(x)
    push = lambda kept, new: _np.roll(kept, -1, axis=0).at[-1].set(new)

    def body(s):
        p = _direction(s)
        step = _search(f, s["x"], p, s["value"], s["g"], None, maxls)
        move, turn = step.size * p, step.gradient - s["g"]
        inner = _inner(turn, move)
        status = _np.where(s["value"] - step.value < ftol, 4, 0)
        for code, reached in ((3, s["calls"] >= limits[0]), (2, s["calls"] >= limits[1]), (1, s["k"] >= limits[2]), (5, step.failed)):
            status = _np.where(reached, code, status)
        done = _np.linalg.norm(step.gradient, ord=norm) < gtol
        return {"x": s["x"] + move, "value": step.value, "g": step.gradient, "moves": push(s["moves"], move),
                "turns": push(s["turns"], turn), "rho": push(s["rho"], _np.reciprocal(inner)), "gamma": inner / _inner(_np.conj(turn), turn),
                "done": done, "failed": (status > 0) & ~done, "status": _np.where(done, 0, status), "calls": s["calls"] + step.calls,
                "k": s["k"] + 1}

    kept, no = _np.zeros((maxcor, x.shape[0]), x.dtype), _np.array(False)
    s = _while_loop(lambda s: ~s["done"] & ~s["failed"], body, {
        "x": x, "value": value, "g": g, "moves": kept, "turns": kept, "rho": kept[:, 0].real, "gamma": _np.ones((), x.real.dtype), "done": no,
        "failed": no, "status": _np.array(0), "calls": _np.array(1), "k": _np.array(0)})
    return OptimizeResults(s["x"], s["done"] & ~s["failed"], s["status"], s["value"], s["g"], None, s["calls"], s["calls"], s["k"])


def minimize(fun, x0, args=(), *, method, tol=None, options=None):
    # tol changes nothing, as in JAX: tolerances are options of the methods.
    if not isinstance(args, tuple):
        raise TypeError(f"args argument to jax.scipy.optimize.minimize must be a tuple, got {args}")
    found = {"bfgs": _bfgs, "l-bfgs-experimental-do-not-rely-on-this": _lbfgs}.get(method.lower())
    if found is None:
        raise ValueError(f"Method {method} not recognized")
    return found(lambda x: fun(x, *args), _np.asarray(x0), **(options or {}))
