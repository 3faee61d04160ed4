# jax.scipy.stats.gaussian_kde: a density as a sum of normals around points.
import _jax as _w
import jax as _jax
import jax.numpy as _jnp
from jax.scipy import linalg as _linalg, special as _sp
from jax.scipy.stats._base import floats
from jax.tree_util import register_pytree_node_class as _register


@_register
class gaussian_kde:
    # dataset [d, n]; weights sum to 1; covariance that of the data, narrowed by the bandwidth.
    def __init__(self, dataset, bw_method=None, weights=None):
        data = _jnp.atleast_2d(_jnp.asarray(dataset))
        if data.dtype.is_complex:
            raise NotImplementedError("gaussian_kde does not support complex data")
        if not _w.about(data, "count") > 1:
            raise ValueError("`dataset` input should have multiple elements.")
        self.dataset = data = floats(data)[0]
        d, n = data.shape
        if weights is None:
            self.weights = _w.full((n,), 1.0 / n, data.dtype)
        else:
            w = _w.cast(_jnp.atleast_1d(_jnp.asarray(weights)), data.dtype)
            if len(w.shape) != 1:
                raise ValueError("`weights` input should be one-dimensional.")
            if w.shape[0] != n:
                raise ValueError("`weights` input should be of length n")
            self.weights = w / _jnp.sum(w)
        self.neff = 1 / _jnp.sum(self.weights ** 2)
        if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
            factor = _w.pow(self.neff, -1.0 / (d + 4))
        elif isinstance(bw_method, str) and bw_method == "silverman":
            factor = _w.pow(self.neff * (d + 2) / 4.0, -1.0 / (d + 4))
        elif callable(bw_method):
            factor = bw_method(self)
        elif _jnp.isscalar(bw_method) and not isinstance(bw_method, str):
            factor = bw_method
        else:
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar, or a callable.")
        full = _jnp.atleast_2d(_jnp.cov(data, rowvar=1, bias=False, aweights=self.weights))
        self.covariance = full * factor ** 2
        self.inv_cov = _jnp.linalg.inv(full) / factor ** 2

    @property
    def d(self):
        return self.dataset.shape[0]

    @property
    def n(self):
        return self.dataset.shape[1]

    def tree_flatten(self):
        return (self.dataset, self.weights, self.covariance, self.inv_cov, self.neff), None

    @classmethod
    def tree_unflatten(cls, aux, kids):
        del aux
        out = cls.__new__(cls)
        out.dataset, out.weights, out.covariance, out.inv_cov, out.neff = kids
        return out

    def _points(self, points):
        points = _jnp.atleast_2d(_jnp.asarray(points))
        if points.dtype.is_complex:
            raise NotImplementedError("gaussian_kde does not support complex coordinates")
        d, m = points.shape
        if d != self.d:
            if d == 1 and m == self.d:
                return _jnp.reshape(points, (self.d, 1))
            raise ValueError(f"points have dimension {d}, dataset has dimension {self.d}")
        return points

    def logpdf(self, x):
        points = self._points(x)
        return _log_mixture(self.dataset, self.weights, points, self.covariance)

    def evaluate(self, points):
        return _w.exp(self.logpdf(points))

    __call__ = pdf = evaluate

    def integrate_gaussian(self, mean, cov):
        mean, cov = _jnp.atleast_1d(_jnp.squeeze(mean)), _jnp.atleast_2d(cov)
        if tuple(mean.shape) != (self.d,):
            raise ValueError(f"mean does not have dimension {self.d}")
        if tuple(cov.shape) != (self.d, self.d):
            raise ValueError(f"covariance does not have dimension {self.d}")
        at = _w.reshape(mean, (-1, 1))
        return _w.exp(_log_mixture(self.dataset, self.weights, at, self.covariance + cov))[0]

    def integrate_box_1d(self, low, high):
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        if _jnp.ndim(low) != 0 or _jnp.ndim(high) != 0:
            raise ValueError("the limits of integration in integrate_box_1d must be scalars")
        width = _w.sqrt(_jnp.squeeze(self.covariance))
        at = lambda v: _sp.ndtr(_w.squeeze(_w.div(_w.sub(v, self.dataset), width), 0))
        return _jnp.sum(self.weights * (at(high) - at(low)))

    def integrate_kde(self, other):
        if other.d != self.d:
            raise ValueError("KDEs are not the same dimensionality")
        small, large = (self, other) if self.n < other.n else (other, self)
        logs = _log_mixture(large.dataset, large.weights, small.dataset, self.covariance + other.covariance)
        return _jnp.sum(small.weights * _w.exp(logs))

    def resample(self, key, shape=()):
        picks = _jax.random.split(key)
        at = _jax.random.choice(picks[0], self.n, shape=shape, p=self.weights)
        noise = _jax.random.multivariate_normal(picks[1], _w.full((self.d,), 0.0, self.covariance.dtype), self.covariance, shape=shape,
                                                dtype=self.dataset.dtype)
        return _jnp.moveaxis(self.dataset.T[at] + noise, -1, 0)


def _log_mixture(data, weights, points, cov):
    # log sum_i w_i N(point; data_i, cov) for the columns of points
    low = _w.cholesky(cov)
    d = data.shape[0]
    a = _linalg.solve_triangular(low, data, lower=True)
    b = _linalg.solve_triangular(low, _w.cast(points, data.dtype), lower=True)
    gap = _w.expand_dims(a, 2) - _w.expand_dims(b, 1)
    scale = 0.9189385332046727 * d + _jnp.sum(_w.log(_w.diagonal(low, 0)))
    energy = _w.log(_w.expand_dims(weights, 1)) - 0.5 * _jnp.sum(gap * gap, axis=0)
    return _w.logsumexp(energy, 0) - scale
