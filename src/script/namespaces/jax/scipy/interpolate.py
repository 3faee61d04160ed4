# jax.scipy.interpolate -- interpolation on a rectangular grid.
import _jax as _w
import jax.numpy as _jnp


class RegularGridInterpolator:
    def __init__(self, points, values, method="linear", bounds_error=False, fill_value=float("nan")):
        if method not in ("linear", "nearest"):
            raise ValueError(f"method {method!r} is not defined")
        if bounds_error:
            raise NotImplementedError("`bounds_error` takes no effect under JIT")
        self.method, self.fill_value = method, fill_value
        self.grid = [_jnp.asarray(p) for p in points]
        self.values = values = _jnp.asarray(values)
        if len(points) > len(values.shape):
            raise ValueError(f"there are {len(points)} point arrays, but values has {len(values.shape)} dimensions")
        if not values.dtype.is_inexact:
            self.values = _w.cast(values, _jnp.result_type(float))
        for i, p in enumerate(self.grid):
            if len(p.shape) != 1:
                raise ValueError(f"the points in dimension {i} must be 1-dimensional")
            if values.shape[i] != p.shape[0]:
                raise ValueError(f"there are {p.shape[0]} points and {values.shape[i]} values in dimension {i}")

    def __call__(self, xi, method=None):
        method = self.method if method is None else method
        if method not in ("linear", "nearest"):
            raise ValueError(f"method {method!r} is not defined")
        d = len(self.grid)
        if isinstance(xi, tuple):
            xi = _w.stack(_jnp.broadcast_arrays(*xi), -1)
        xi = _jnp.asarray(xi)
        xi = _w.expand_dims(xi, -1) if d == 1 and (len(xi.shape) == 0 or xi.shape[-1] != 1) else xi
        if xi.shape[-1] != d:
            raise ValueError(f"the requested sample points xi have dimension {xi.shape[-1]}, but this RegularGridInterpolator has "
                             f"dimension {d}")
        shape = tuple(xi.shape)[:-1] + tuple(self.values.shape)[d:]
        flat = _w.reshape(xi, (-1, d))
        places = [self._place(p, flat[:, i]) for i, p in enumerate(self.grid)]
        y = self._nearest(places) if method == "nearest" else self._linear(places)
        if self.fill_value is not None:
            out = places[0][2]
            for p in places[1:]:
                out = _w.logical_or(out, p[2])
            out = _w.reshape(out, (-1,) + (1,) * (len(y.shape) - 1))
            y = _w.where(out, self.fill_value, y)
        return _w.reshape(y, shape)

    def _place(self, grid, x):
        # (index of the cell, where in it from 0 to 1, outside?)
        i = _w.clip(_jnp.searchsorted(grid, x, side="right") - 1, 0, grid.shape[0] - 2)
        out = _w.logical_or(_w.lt(x, grid[0]), _w.gt(x, grid[-1]))
        return i, (x - grid[i]) / (grid[i + 1] - grid[i]), out

    def _nearest(self, places):
        return self.values[tuple([_w.where(_w.le(t, 0.5), i, i + 1) for i, t, _ in places])]

    def _linear(self, places):
        corners = [((), None)]
        for i, t, _ in places:
            corners = [(at + (i + up,), w * (t if up else 1 - t) if w is not None else (t if up else 1 - t))
                       for at, w in corners for up in (0, 1)]
        total = None
        more = len(self.values.shape) - len(places)
        for at, w in corners:
            part = self.values[at] * _w.reshape(w, (-1,) + (1,) * more)
            total = part if total is None else total + part
        return total
