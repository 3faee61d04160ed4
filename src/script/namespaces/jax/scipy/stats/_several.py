# jax.scipy.stats: distributions of vectors.
import _jax as _w
from jax.scipy.special import gammaln as _gammaln, xlogy as _xlogy
from jax.scipy.stats._base import floats, within, both, exp_of, log_root


class multivariate_normal:
    def logpdf(x, mean, cov, allow_singular=None):
        if allow_singular is not None:
            raise NotImplementedError("allow_singular argument of multivariate_normal.logpdf")
        x, mean, cov = floats(x, mean, cov)
        if len(mean.shape) == 0:
            if len(cov.shape):
                raise ValueError(f"multivariate_normal.logpdf: a mean that is a number, and cov of shape {tuple(cov.shape)}")
            d = x - mean
            return -0.5 * d * d / cov - log_root - 0.5 * _w.log(cov)
        n = mean.shape[-1]
        d = x - mean
        if len(cov.shape) == 0:
            return -0.5 * _w.sum(d * d, -1) / cov - n * (log_root + 0.5 * _w.log(cov))
        if len(cov.shape) < 2 or cov.shape[-1] != n or cov.shape[-2] != n:
            raise ValueError("multivariate_normal.logpdf got incompatible shapes")
        low = _w.cholesky(cov)
        from jax.numpy import broadcast_shapes
        shape = broadcast_shapes(tuple(d.shape)[:-1], tuple(low.shape)[:-2])
        y = _w.solve_triangular(_w.broadcast_to(low, shape + (n, n)), _w.broadcast_to(_w.expand_dims(d, -1), shape + (n, 1)),
                                True, False, False)
        return -0.5 * _w.sum(y * y, (-2, -1)) - n * log_root - _w.sum(_w.log(_w.diagonal(low, 0)), -1)

    pdf = exp_of(logpdf)


class dirichlet:
    def logpdf(x, alpha):
        # x runs over its first axis; its last entry may be left out.
        x, alpha = floats(x, alpha)
        if len(alpha.shape) != 1:
            raise ValueError(f"`alpha` must be one-dimensional; got alpha.shape={tuple(alpha.shape)}")
        if x.shape[0] not in (alpha.shape[0], alpha.shape[0] - 1):
            raise ValueError("`x` must have either the same number of entries as `alpha` or one entry fewer; got "
                             f"x.shape={tuple(x.shape)}, alpha.shape={tuple(alpha.shape)}")
        if x.shape[0] != alpha.shape[0]:
            x = _w.concat([x, 1 - _w.sum(x, 0, True)], 0)
        a = _w.reshape(alpha, (-1,) + (1,) * (len(x.shape) - 1))
        y = _w.sum(_xlogy(a - 1, x), 0) - _w.sum(_gammaln(alpha)) + _gammaln(_w.sum(alpha))
        inside = both(_w.all(_w.ge(x, 0), 0), _w.lt(_w.abs(_w.sum(x, 0) - 1), 1e-6))
        return within(inside, y)

    pdf = exp_of(logpdf)
