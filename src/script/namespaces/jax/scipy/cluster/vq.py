# jax.scipy.cluster.vq -- vector quantisation.
import _jax as _w
from jax.scipy.stats._base import floats as _floats


def vq(obs, code_book, check_finite=True):
    # The nearest code of each observation, and how far it is. JAX does not look for what is not finite either.
    obs, codes = _floats(obs, code_book)
    if len(obs.shape) != len(codes.shape):
        raise ValueError("Observation and code_book should have the same rank")
    if len(obs.shape) not in (1, 2):
        raise ValueError("ndim different than 1 or 2 are not supported")
    if len(obs.shape) == 1:
        obs, codes = _w.expand_dims(obs, -1), _w.expand_dims(codes, -1)
    gap = _w.expand_dims(obs, 1) - _w.expand_dims(codes, 0)
    far = _w.sqrt(_w.sum(gap * gap, -1))
    return _w.cast(_w.argmin(far, -1), _w.int32), _w.min(far, -1)
