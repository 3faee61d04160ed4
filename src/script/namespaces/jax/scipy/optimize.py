# jax.scipy.optimize -- minimisation by BFGS.
import _jax as _w
from jax.numpy import asarray as _asarray


class OptimizeResults:
    def __init__(self, x, success, status, fun, jac, hess_inv, nfev, njev, nit):
        self.x, self.success, self.status, self.fun = x, success, status, fun
        self.jac, self.hess_inv, self.nfev, self.njev, self.nit = jac, hess_inv, nfev, njev, nit


def minimize(fun, x0, args=(), *, method="BFGS", tol=None, options=None):
    from jax._api import value_and_grad
    if method.lower() not in ("bfgs", "l-bfgs-experimental-do-not-rely-on-this"):
        raise ValueError(f"Method {method} not recognized")
    x = _asarray(x0)
    f = value_and_grad(lambda v: fun(v, *args))
    n = x.shape[0]
    eye = _w.eye(n, dtype=x.dtype)
    inverse = eye
    value, g = f(x)
    limit = (options or {}).get("maxiter", 200 * n)
    small = (options or {}).get("gtol", tol or 1e-5)
    calls, k = 1, 0
    while k < limit and float(_w.max(_w.abs(g))) > small:
        p = -(inverse @ g)
        slope = float(_w.matmul(g, p))
        step = 1.0
        for _ in range(40):
            new_value, new_g = f(x + step * p)
            calls += 1
            if float(new_value) <= float(value) + 1e-4 * step * slope:
                break
            step *= 0.5
        s, y = step * p, new_g - g
        sy = _w.matmul(s, y)
        if float(sy) > 1e-10:
            rho = 1.0 / sy
            left = eye - rho * _w.outer(s, y)
            inverse = left @ inverse @ _w.permute(left) + rho * _w.outer(s, s)
        if float(_w.max(_w.abs(s))) == 0.0:
            break
        x, value, g = x + s, new_value, new_g
        k += 1
    good = float(_w.max(_w.abs(g))) <= small
    return OptimizeResults(x, _asarray(good), _asarray(0 if good else 1), value, g, inverse, _asarray(calls),
                           _asarray(calls), _asarray(k))
