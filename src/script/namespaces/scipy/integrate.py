# scipy.integrate -- integrals of samples, and initial value problems by explicit Runge-Kutta methods.
import math as _math
import warnings as _warnings

import numpy as _np


def __getattr__(name):
    raise AttributeError(f"module 'scipy.integrate' has no attribute '{name}': trapezoid, cumulative_trapezoid, simpson and solve_ivp are here")


# ---- samples ----------------------------------------------------------------------------------------

def _widths(x, dx, y, axis):
    # Of the gaps along the axis, as they go with y.
    if x is None:
        return dx
    x = _np.asarray(x)
    if x.ndim == 1:
        d = _np.diff(x)
        shape = [1] * y.ndim
        shape[axis] = d.shape[0]
        return d.reshape(shape)
    return _np.diff(x, axis=axis)


def _part(y, axis, start, stop, step=None):
    at = [slice(None)] * y.ndim
    at[axis] = slice(start, stop, step)
    return y[tuple(at)]


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = _np.asarray(y)
    d = _widths(x, dx, y, axis)
    return (d * (_part(y, axis, 1, None) + _part(y, axis, None, -1)) / 2.0).sum(axis)


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    y = _np.asarray(y)
    if y.shape[axis] == 0:
        raise ValueError("At least one point is required along `axis`.")
    if initial is not None and initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")
    d = _widths(x, dx, y, axis)
    out = _np.cumsum(d * (_part(y, axis, 1, None) + _part(y, axis, None, -1)) / 2.0, axis=axis)
    if initial is None:
        return out
    shape = list(out.shape)
    shape[axis] = 1
    return _np.concatenate([_np.full(shape, initial, dtype=out.dtype), out], axis=axis)


def simpson(y, x=None, *, dx=1.0, axis=-1):
    # Parabolas over pairs of gaps; an odd gap that is left has the parabola of the last three points (Cartwright).
    y = _np.asarray(y)
    n = y.shape[axis]
    if x is None:
        h = _np.full([n - 1 if k == axis % y.ndim else 1 for k in range(y.ndim)], float(dx))
    else:
        x = _np.asarray(x)
        if x.ndim > 1 and x.shape != y.shape or x.shape[-1 if x.ndim == 1 else axis] != n:
            raise ValueError("If given, length of x along axis must be the same as y.")
        h = _widths(x, dx, y, axis)
    if n == 1:
        return 0.0 * y.sum(axis)
    if n == 2:
        return (0.5 * h * (_part(y, axis, 0, 1) + _part(y, axis, 1, 2))).sum(axis)
    even = n - 1 if n % 2 == 0 else n           # points that pairs of gaps reach
    h0, h1 = _part(h, axis, 0, even - 1, 2), _part(h, axis, 1, even - 1, 2)
    y0, y1, y2 = _part(y, axis, 0, even - 2, 2), _part(y, axis, 1, even - 1, 2), _part(y, axis, 2, even, 2)
    both, product, ratio = h0 + h1, h0 * h1, h0 / h1
    out = (both / 6.0 * (y0 * (2.0 - 1.0 / ratio) + y1 * (both * both / product) + y2 * (2.0 - ratio))).sum(axis)
    if n % 2 == 0:
        a, b = _part(h, axis, -2, -1), _part(h, axis, -1, None)
        alpha = (2 * b * b + 3 * a * b) / (6 * (b + a))
        beta = (b * b + 3.0 * a * b) / (6 * a)
        eta = b ** 3 / (6 * a * (a + b))
        out = out + (alpha * _part(y, axis, -1, None) + beta * _part(y, axis, -2, -1) - eta * _part(y, axis, -3, -2)).sum(axis)
    return out


# ---- initial value problems -------------------------------------------------------------------------

class _Method:
    def __init__(self, order, at, steps, new, error, dense):
        self.order = order                      # of what the error is told by
        self.at, self.steps = at, [_np.array(s) for s in steps]
        self.new, self.error, self.dense = _np.array(new), _np.array(error), _np.array(dense)


def _bogacki_shampine():
    return _Method(2, [1 / 2, 3 / 4], [[1 / 2], [0, 3 / 4]], [2 / 9, 1 / 3, 4 / 9], [5 / 72, -1 / 12, -1 / 9, 1 / 8],
                   [[1, -4 / 3, 5 / 9], [0, 1, -2 / 3], [0, 4 / 3, -8 / 9], [0, -1, 1]])


def _dormand_prince():
    return _Method(4, [1 / 5, 3 / 10, 4 / 5, 8 / 9, 1],
                   [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
                    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
                    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]],
                   [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
                   [-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40],
                   [[1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
                    [0, 0, 0, 0],
                    [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
                    [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
                    [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
                    [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
                    [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423]])


_METHODS = {"RK23": _bogacki_shampine, "RK45": _dormand_prince}
_MESSAGES = {0: "The solver successfully reached the end of the integration interval.", 1: "A termination event occurred.",
             -1: "Required step size is less than spacing between numbers."}


class OdeResult(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    __setattr__ = dict.__setitem__

    def __repr__(self):
        return "\n".join([f"{k:>11}: {v}" for k, v in self.items()])


def _length(x):
    return float(_np.linalg.norm(x)) / x.size ** 0.5


class _Dense: # one step, as a polynomial
    def __init__(self, t_old, t, y_old, q):
        self.t_old, self.t, self.h, self.y_old, self.q = t_old, t, t - t_old, y_old, q

    def __call__(self, t):
        t = _np.asarray(t)
        x = (t - self.t_old) / self.h
        p = _np.cumprod(_np.array([x] * self.q.shape[1]), axis=0)
        y = self.h * self.q.dot(p)
        return y + (self.y_old[:, None] if y.ndim == 2 else self.y_old)


class OdeSolution:
    def __init__(self, ts, interpolants):
        self.ts, self.interpolants = _np.array(ts), interpolants
        self.t_min, self.t_max = min(ts), max(ts)
        self._up = ts[-1] >= ts[0]

    def _one(self, t):
        i = int(_np.searchsorted(self.ts, t)) if self._up else len(self.ts) - int(_np.searchsorted(self.ts[::-1], t, side="right"))
        return self.interpolants[min(max(i - 1, 0), len(self.interpolants) - 1)](t)

    def __call__(self, t):
        t = _np.asarray(t)
        return self._one(float(t)) if t.ndim == 0 else _np.stack([self._one(float(x)) for x in t], axis=1)


class _Solver:
    def __init__(self, fun, method, t, y, bound, rtol, atol, max_step, first_step):
        self.fun, self.m, self.t, self.y, self.bound = fun, method, t, y, bound
        self.rtol, self.atol, self.max_step = rtol, atol, max_step
        self.direction = -1.0 if bound < t else 1.0
        self.f = fun(t, y)
        self.h = self._first() if first_step is None else first_step

    def _first(self):
        # Hairer, Norsett and Wanner, II.4
        span = abs(self.bound - self.t)
        if self.y.size == 0:
            return _math.inf
        if span == 0:
            return 0.0
        scale = self.atol + abs(self.y) * self.rtol
        d0, d1 = _length(self.y / scale), _length(self.f / scale)
        h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, span)
        f1 = self.fun(self.t + h0 * self.direction, self.y + h0 * self.direction * self.f)
        d2 = _length((f1 - self.f) / scale) / h0
        h1 = max(1e-6, h0 * 1e-3) if d1 <= 1e-15 and d2 <= 1e-15 else (0.01 / max(d1, d2)) ** (1 / (self.m.order + 1))
        return min(100 * h0, h1, span, self.max_step)

    def step(self):
        # False: the steps that would be needed are too small.
        t, m, power = self.t, self.m, -1 / (self.m.order + 1)
        least = 10 * abs(_math.nextafter(t, self.direction * _math.inf) - t)
        h, refused = min(max(self.h, least), self.max_step), False
        while True:
            if h < least:
                return False
            t_new = t + h * self.direction
            if self.direction * (t_new - self.bound) > 0:
                t_new = self.bound
            signed = t_new - t
            h = abs(signed)
            k = _np.zeros((len(m.error), self.y.size), dtype=self.y.dtype)
            k[0] = self.f
            for i, (a, c) in enumerate(zip(m.steps, m.at)):
                k[i + 1] = self.fun(t + c * signed, self.y + k[:i + 1].T.dot(a) * signed)
            y_new = self.y + signed * k[:-1].T.dot(m.new)
            k[-1] = self.fun(t + signed, y_new)
            scale = self.atol + _np.maximum(abs(self.y), abs(y_new)) * self.rtol
            error = _length(k.T.dot(m.error) * signed / scale) if self.y.size else 0.0
            if error < 1:
                break
            h *= max(0.2, 0.9 * error ** power) if error == error else 0.2
            refused = True
        grow = 10 if error == 0 else min(10, 0.9 * error ** power)
        self.h = h * (min(1, grow) if refused else grow)
        self.k, self.t_old, self.y_old = k, t, self.y
        self.t, self.y, self.f = t_new, y_new, k[-1].copy()
        return True

    def dense(self):
        return _Dense(self.t_old, self.t, self.y_old, self.k.T.dot(self.m.dense))


class _Events:
    def __init__(self, events, args, t, y):
        self.fs = [(lambda t, y, e=e: float(e(t, y, *args))) for e in events]
        self.limits, self.directions = [], []
        for e in events:
            terminal = getattr(e, "terminal", None)
            if terminal is not None and (int(terminal) != terminal or terminal < 0):
                raise ValueError("The `terminal` attribute of each event must be a boolean or positive integer.")
            self.limits.append(_math.inf if not terminal else int(terminal))
            self.directions.append(getattr(e, "direction", 0))
        self.values = [f(t, y) for f in self.fs]
        self.counts = [0] * len(events)
        self.t, self.y = [[] for _ in events], [[] for _ in events]

    def pass_step(self, solver):
        # Where the first event that ends it all has happened in the step; None: nowhere.
        from scipy.optimize import brentq
        new = [f(solver.t, solver.y) for f in self.fs]
        active = [i for i, (a, b, d) in enumerate(zip(self.values, new, self.directions))
                  if (a <= 0 <= b and d >= 0) or (a >= 0 >= b and d <= 0)]
        self.values = new
        if not active:
            return None
        sol = solver.dense()
        eps = 4 * 2.220446049250313e-16
        found = []
        for i in active:
            self.counts[i] += 1
            found.append((brentq(lambda t: self.fs[i](t, sol(t)), solver.t_old, solver.t, xtol=eps, rtol=eps), i))
        end = None
        if any([self.counts[i] >= self.limits[i] for i in active]):
            found.sort(key=lambda p: p[0] * solver.direction)
            n = [self.counts[i] >= self.limits[i] for _, i in found].index(True)
            found = found[:n + 1]
            end = found[-1][0]
        for at, i in found:
            self.t[i].append(at)
            self.y[i].append(sol(at))
        return end


def _points(t_eval, t0, bound):
    t_eval = _np.asarray(t_eval)
    if t_eval.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if _np.any(t_eval < min(t0, bound)) or _np.any(t_eval > max(t0, bound)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    d = _np.diff(t_eval)
    if bound > t0 and _np.any(d <= 0) or bound < t0 and _np.any(d >= 0):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return t_eval


def _tolerances(rtol, atol, n):
    eps = 2.220446049250313e-16
    if _np.any(_np.asarray(rtol) < 100 * eps):
        _warnings.warn(f"At least one element of `rtol` is too small. Setting `rtol = np.maximum(rtol, {100 * eps})`.", stacklevel=3)
        rtol = _np.maximum(rtol, 100 * eps)
    atol = _np.asarray(atol)
    if atol.ndim > 0 and atol.shape != (n,):
        raise ValueError("`atol` has wrong shape.")
    if _np.any(atol < 0):
        raise ValueError("`atol` must be positive.")
    return rtol, atol


def solve_ivp(fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None, *,
              rtol=1e-3, atol=1e-6, max_step=_math.inf, first_step=None, min_step=None, jac=None, jac_sparsity=None,
              lband=None, uband=None):
    if method in ("DOP853", "Radau", "BDF", "LSODA"):
        raise NotImplementedError(f"solve_ivp: the method '{method}' is not here: RK45 and RK23 are")
    if method not in _METHODS:
        raise ValueError("`method` must be one of ['RK23', 'RK45', 'DOP853', 'Radau', 'BDF', 'LSODA'] or OdeSolver class.")
    if jac is not None or jac_sparsity is not None or lband is not None or uband is not None or min_step is not None:
        _warnings.warn("The following arguments have no relevance for the chosen solver: jac, jac_sparsity, lband, uband, min_step", stacklevel=2)
    if args is not None and not isinstance(args, (tuple, list)):
        raise TypeError(f"Supplied 'args' cannot be unpacked. Please supply `args` as a tuple (e.g. `args=({args},)`)")
    args = tuple(args or ())
    t0, bound = map(float, t_span)
    y = _np.asarray(y0)
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    y = y.astype(_np.complex128 if y.dtype.kind == "c" else _np.float64)
    if not _np.isfinite(y).all():
        raise ValueError("All components of the initial state `y0` must be finite.")
    if max_step <= 0:
        raise ValueError("`max_step` must be positive.")
    if first_step is not None and first_step <= 0:
        raise ValueError("`first_step` must be positive.")
    if first_step is not None and first_step > abs(bound - t0):
        raise ValueError("`first_step` exceeds bounds.")
    rtol, atol = _tolerances(rtol, atol, y.size)
    calls = [0]

    def derivative(t, y):
        calls[0] += 1
        if vectorized:
            return _np.asarray(fun(t, y[:, None], *args), dtype=y.dtype).reshape(-1)
        return _np.asarray(fun(t, y, *args), dtype=y.dtype)

    wanted = None if t_eval is None else _points(t_eval, t0, bound)
    happen = None if events is None else _Events([events] if callable(events) else list(events), args, t0, y)
    s = _Solver(derivative, _METHODS[method](), t0, y, bound, rtol, atol, max_step, first_step)
    return _run(s, wanted, happen, dense_output, calls)


def _run(s, wanted, happen, dense_output, calls):
    stops, parts = [s.t], []
    ts, ys = ([s.t], [s.y]) if wanted is None else ([], [])
    at, status = 0, None
    while status is None:
        if s.t == s.bound and len(stops) > 1 or s.y.size == 0 or s.t == s.bound == stops[0]:
            if s.t == s.bound == stops[0]:
                parts.append(lambda t, y=s.y: y if _np.ndim(t) == 0 else _np.stack([y] * len(t), axis=1))
                stops.append(s.t)
                if wanted is None:
                    ts.append(s.t)
                    ys.append(s.y)
                else:
                    ts.extend(wanted.tolist())
                    ys.extend([s.y] * len(wanted))
            status = 0
            break
        if not s.step():
            status = -1
            break
        t, y, sol = s.t, s.y, None
        if s.t == s.bound:
            status = 0
        if dense_output:
            sol = s.dense()
            parts.append(sol)
        end = happen.pass_step(s) if happen is not None else None
        if end is not None:
            status, t = 1, end
            sol = sol or s.dense()
            y = sol(t)
        stops.append(t)
        if wanted is None:
            ts.append(t)
            ys.append(y)
        else:
            n = at
            while n < len(wanted) and (wanted[n] - t) * s.direction <= 0:
                n += 1
            if n > at:
                sol = sol or s.dense()
                part = wanted[at:n]
                ts.extend(part.tolist())
                ys.extend(list(sol(part).T))
                at = n
    return OdeResult(message=_MESSAGES[status], success=status >= 0, status=status, t=_np.array(ts),
                     y=_np.stack(ys, axis=1) if ys else _np.zeros((s.y.size, 0)),
                     sol=OdeSolution(stops, parts) if dense_output else None,
                     t_events=None if happen is None else [_np.array(v) for v in happen.t],
                     y_events=None if happen is None else [_np.array(v) for v in happen.y], nfev=calls[0], njev=0, nlu=0)
