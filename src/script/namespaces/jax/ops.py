# jax.ops -- sums and extremes of segments: elements that share a number.
import _jax as _w
from jax._index import update as _update
from jax.numpy import asarray as _asarray


def _segments(how, start):
    def call(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False,
             bucket_size=None, mode=None):
        data, segment_ids = _asarray(data), _asarray(segment_ids)
        n = num_segments
        if n is None:
            n = int(_w.max(segment_ids)) + 1 if segment_ids.shape[0] else 0
        if n < 0:
            raise ValueError("num_segments must be non-negative.")
        out = _w.full((n,) + tuple(data.shape)[1:], start(data.dtype), data.dtype)
        if mode in (None, "fill", "drop"):     # a number below 0 is outside: it does not count from the end
            segment_ids = _w.where(_w.lt(segment_ids, 0), n, segment_ids)
        return _update(out, segment_ids, data, how, mode)
    return call


def _least(d):
    from jax.numpy._reduce import _lowest
    return _lowest(d)


def _most(d):
    from jax.numpy._reduce import _highest
    return _highest(d)


segment_sum, segment_prod = _segments("add", lambda d: 0), _segments("mul", lambda d: 1)
segment_max, segment_min = _segments("max", _least), _segments("min", _most)
