# jax.scipy.ndimage -- reading an array between its elements.
import _jax as _w
import jax.numpy as _jnp
from jax.lax import round as _round    # halves away from 0


def _reflected(i, n, edge):
    # Back and forth; with edge the last elements are read twice.
    if edge:
        i = _w.remainder(i, 2 * n)
        return _w.minimum(i, 2 * n - 1 - i)
    period = max(2 * (n - 1), 1)
    i = _w.remainder(i, period)
    return _w.minimum(i, period - i)


_outside = {"constant": lambda i, n: i, "nearest": lambda i, n: _w.clip(i, 0, n - 1), "wrap": lambda i, n: _w.remainder(i, n),
            "mirror": lambda i, n: _reflected(i, n, False), "reflect": lambda i, n: _reflected(i, n, True)}


def _whole(x):
    return x if x.dtype.kind in "iu" else _w.cast(_round(x), _w.int32)


def _neighbours(c, order):
    # (index, weight) of the elements that one coordinate is made of
    if order == 0:
        return [(_whole(c), None)]
    low = _w.floor(c)
    upper = c - low
    i = _w.cast(low, _w.int32)
    return [(i, 1 - upper), (i + 1, upper)]


def map_coordinates(input, coordinates, order, mode="constant", cval=0.0):
    x = _jnp.asarray(input)
    coordinates = [_jnp.asarray(c) for c in coordinates]
    cval = _w.cast(_jnp.asarray(cval), x.dtype)
    if len(coordinates) != len(x.shape):
        raise ValueError(f"coordinates must be a sequence of length input.ndim, but {len(coordinates)} != {len(x.shape)}")
    if mode not in _outside:
        raise NotImplementedError(f"jax.scipy.ndimage.map_coordinates does not yet support mode {mode}. Currently supported modes are "
                                  f"{set(_outside)}.")
    if order not in (0, 1):
        raise NotImplementedError("jax.scipy.ndimage.map_coordinates currently requires order<=1")
    # Each corner: indices, whether all are inside, the product of weights.
    corners = [([], None, None)]
    for c, n in zip(coordinates, x.shape):
        grown = []
        for i, weight in _neighbours(c if c.dtype.is_inexact or order == 0 else _w.cast(c, _jnp.result_type(float)), order):
            inside = _w.logical_and(_w.ge(i, 0), _w.lt(i, n)) if mode == "constant" else None
            at = _w.clip(_outside[mode](i, n), 0, n - 1)
            for indices, ok, w in corners:
                both = inside if ok is None else ok if inside is None else _w.logical_and(ok, inside)
                grown.append((indices + [at], both, weight if w is None else w if weight is None else w * weight))
        corners = grown
    total = None
    for indices, ok, w in corners:
        value = x[tuple(indices)]
        if ok is not None:
            value = _w.where(ok, value, cval)
        part = value if w is None else value * w
        total = part if total is None else total + part
    if x.dtype.kind in "iu" and total.dtype.is_inexact:
        total = _round(total)
    return _w.cast(total, x.dtype)
