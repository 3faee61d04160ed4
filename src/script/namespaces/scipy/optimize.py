# scipy.optimize -- roots by Brent's method, and assignments of least cost.
import math as _math

import numpy as _np


def __getattr__(name):
    raise AttributeError(f"module 'scipy.optimize' has no attribute '{name}': brentq and linear_sum_assignment are here")


class RootResults:
    def __init__(self, root, iterations, function_calls, flag, method):
        self.root, self.iterations, self.function_calls, self.method = root, iterations, function_calls, method
        self.converged, self.flag = flag == "converged", flag

    def __repr__(self):
        return "\n".join([f"{k:>14}: {getattr(self, k)}" for k in ("converged", "flag", "function_calls", "iterations", "root", "method")])


def brentq(f, a, b, args=(), xtol=2e-12, rtol=4 * 2.220446049250313e-16, maxiter=100, full_output=False, disp=True):
    if xtol <= 0:
        raise ValueError(f"xtol too small ({xtol:g} <= 0)")
    if rtol < 4 * 2.220446049250313e-16:
        raise ValueError(f"rtol too small ({rtol:g} < {4 * 2.220446049250313e-16:g})")
    args = args if isinstance(args, tuple) else (args,)
    before, x = float(a), float(b)
    f_before, fx = float(f(before, *args)), float(f(x, *args))
    other = f_other = last = step = 0.0       # of other f has the other sign
    calls, rounds, flag = 2, 0, "converged"
    if f_before == 0:
        x, fx = before, 0.0
    elif fx != 0 and (f_before < 0) == (fx < 0):
        raise ValueError("f(a) and f(b) must have different signs")
    while fx != 0:
        if rounds == maxiter:
            if disp:
                raise RuntimeError(f"Failed to converge after {maxiter} iterations.")
            flag = "convergence error"
            break
        rounds += 1
        if f_before != 0 and fx != 0 and (f_before < 0) != (fx < 0):
            other, f_other = before, f_before
            last = step = x - before
        if abs(f_other) < abs(fx):
            before, x, other = x, other, x
            f_before, fx, f_other = fx, f_other, fx
        near = (xtol + rtol * abs(x)) / 2
        half = (other - x) / 2
        if fx == 0 or abs(half) < near:
            break
        if abs(last) > near and abs(fx) < abs(f_before):
            if before == other:     # a secant
                guess = -fx * (x - before) / (fx - f_before)
            else:                   # a parabola through three points, lying
                by_before = (f_before - fx) / (before - x)
                by_other = (f_other - fx) / (other - x)
                guess = -fx * (f_other * by_other - f_before * by_before) / (by_other * by_before * (f_other - f_before))
            if 2 * abs(guess) < min(abs(last), 3 * abs(half) - near):
                last, step = step, guess
            else:
                last = step = half
        else:
            last = step = half
        before, f_before = x, fx
        x += step if abs(step) > near else near if half > 0 else -near
        fx = float(f(x, *args))
        calls += 1
    return (x, RootResults(x, rounds, calls, flag, "brentq")) if full_output else x


def linear_sum_assignment(cost_matrix, maximize=False):
    # By shortest augmenting paths, a row at a time.
    cost = _np.asarray(cost_matrix)
    if cost.ndim != 2:
        raise ValueError(f"expected a matrix (2-D array), got a {cost.ndim} array")
    if cost.dtype.kind not in "biuf":
        raise ValueError(f"expected a matrix containing numerical entries, got {cost.dtype}")
    cost = cost.astype(_np.float64)
    cost = -cost if maximize else cost
    if _np.isnan(cost).any() or (cost == -_math.inf).any():
        raise ValueError("matrix contains invalid numeric entries")
    turned = cost.shape[1] < cost.shape[0]
    rows = (cost.T if turned else cost).tolist()
    count, width = (cost.shape[1], cost.shape[0]) if turned else cost.shape
    by_row, by_column = [0.0] * count, [0.0] * width
    column_of, row_of = [-1] * count, [-1] * width
    for first in range(count):
        shortest, path = [_math.inf] * width, [-1] * width
        seen_rows, seen_columns = [], []
        left = list(range(width - 1, -1, -1))
        row, least, end = first, 0.0, -1
        while end < 0:
            seen_rows.append(row)
            at, lowest = -1, _math.inf
            base = least - by_row[row]
            costs = rows[row]
            for i, j in enumerate(left):
                r = base + costs[j] - by_column[j]
                if r < shortest[j]:
                    path[j], shortest[j] = row, r
                if shortest[j] < lowest or shortest[j] == lowest and row_of[j] < 0:
                    at, lowest = i, shortest[j]
            if lowest == _math.inf:
                raise ValueError("cost matrix is infeasible")
            least, j = lowest, left[at]
            if row_of[j] < 0:
                end = j
            else:
                row = row_of[j]
            seen_columns.append(j)
            left[at] = left[-1]
            left.pop()
        by_row[first] += least
        for i in seen_rows:
            if i != first:
                by_row[i] += least - shortest[column_of[i]]
        for j in seen_columns:
            by_column[j] -= least - shortest[j]
        while True:
            i = path[end]
            row_of[end] = i
            column_of[i], end = end, column_of[i]
            if i == first:
                break
    if not turned:
        return _np.arange(count), _np.array(column_of, dtype=_np.int64)
    order = sorted(range(count), key=column_of.__getitem__)
    return _np.array([column_of[i] for i in order], dtype=_np.int64), _np.array(order, dtype=_np.int64)
