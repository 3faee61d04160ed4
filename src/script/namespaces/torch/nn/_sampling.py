# torch.nn._sampling -- images sampled at places, for torch.nn.functional.
import _torch as _w
from torch._types import int64 as _int64


def _centres(n, align_corners, dtype):
    # The places of n pixels in [-1, 1]: of the outer pixels' centres, or of their edges.
    x = _w.linspace(-1.0, 1.0, n, True, dtype) if n > 1 else _w.full((1,), 0.0, dtype)
    return x if align_corners else x * ((n - 1) / n)


def affine_grid(theta, size, align_corners=None):
    sizes = list(size)[2:]
    rank = len(sizes)
    axes = [_centres(n, bool(align_corners), theta.dtype) for n in sizes]
    parts = [_w.broadcast_to(_w.reshape(axes[i], [-1 if j == i else 1 for j in range(rank)]), sizes)
             for i in reversed(range(rank))]
    places = _w.reshape(_w.stack(parts + [_w.full(sizes, 1.0, theta.dtype)], -1), (1, -1, rank + 1))
    flat = _w.matmul(_w.broadcast_to(places, (size[0],) + tuple(places.shape[1:])), _w.swap_axes(theta, -1, -2))
    return _w.reshape(flat, [size[0]] + sizes + [rank])


def _unnormalised(x, n, align_corners):
    return (x + 1) * ((n - 1) / 2) if align_corners else (x + 1) * (n / 2) - 0.5


def _reflected(x, n, align_corners):
    # Mirrored at the ends until it lies inside.
    low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
    if span <= 0:
        return _w.zeros_like(x)
    x = _w.abs(x - low)
    turns = _w.floor(x / span)
    rest = x - turns * span
    x = _w.where(_w.eq(_w.remainder(turns, 2.0), 0), rest + low, span - rest + low)
    return _w.clip(x, 0.0, n - 1.0)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
                         f"got: '{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
                         f"got: '{padding_mode}'")
    if not _w.about(input, "symbolic") and (input.shape[0] != grid.shape[0]):
        raise RuntimeError("grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                           f"{list(input.shape)} and grid with sizes {list(grid.shape)}")
    if input.dtype != grid.dtype:
        from torch._errors import named
        raise RuntimeError(f"expected scalar type {named(input.dtype)} but found {named(grid.dtype)}")
    sizes = list(input.shape)[2:]
    rank = len(sizes)
    at = []
    for i, n in enumerate(sizes):
        x = _unnormalised(grid[..., rank - 1 - i], n, align_corners)
        at.append(x if mode == "bicubic" else _kept_inside(x, n, padding_mode, align_corners))
    if mode == "bicubic":
        return _grid_cubic(input, at, sizes, padding_mode, align_corners)
    if mode == "nearest":
        none = sum(_w.where(_w.tensor(False), x, 0.0) for x in at)      # the grid's gradient is zero, not nothing
        return _picked(input, [_w.round(x) for x in at], sizes) + _w.expand_dims(none, 1)
    low = [_w.floor(x) for x in at]
    total = 0.0
    for corner in range(2 ** rank):
        places, weight = [], 1.0
        for i in range(rank):
            far = corner >> i & 1
            places.append(low[i] + far)
            weight = weight * ((at[i] - low[i]) if far else (low[i] + 1 - at[i]))
        total = total + _picked(input, places, sizes) * _w.expand_dims(weight, 1)
    return total


def _kept_inside(x, n, padding_mode, align_corners):
    # a place of an axis of n elements, where it is when it lies outside
    if padding_mode == "border":
        return _w.clip(x, 0.0, n - 1.0)
    return _reflected(x, n, align_corners) if padding_mode == "reflection" else x


def _grid_cubic(input, at, sizes, padding_mode, align_corners):
    # Four elements an axis, each kept inside by itself, by the convolution kernel of Keys with a = -0.75.
    if len(sizes) != 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    low = [_w.floor(x) for x in at]
    near = lambda d: ((-0.75 + 2) * d - (-0.75 + 3)) * d * d + 1
    far = lambda d: ((-0.75 * d - 5 * -0.75) * d + 8 * -0.75) * d - 4 * -0.75
    axes = []
    for x, l, n in zip(at, low, sizes):
        t = x - l
        axes.append([(_kept_inside(l + k, n, padding_mode, align_corners), w)
                     for k, w in zip((-1, 0, 1, 2), (far(t + 1), near(t), near(1 - t), far(2 - t)))])
    total = 0.0
    for y, wy in axes[0]:
        for x, wx in axes[1]:
            total = total + _picked(input, [y, x], sizes) * _w.expand_dims(wy * wx, 1)
    return total


def _picked(input, places, sizes):
    # input[n, :, places..], 0 outside: [N, C, ..places]
    inside, flat = None, 0
    for x, n in zip(places, sizes):
        ok = _w.logical_and(_w.ge(x, 0.0), _w.le(x, n - 1.0))
        inside = ok if inside is None else _w.logical_and(inside, ok)
        flat = flat * n + _w.cast(_w.clip(_w.stop_gradient(x), 0.0, n - 1.0), _int64)
    n, c = input.shape[0], input.shape[1]
    index = _w.broadcast_to(_w.reshape(flat, (n, 1, -1)), (n, c, _w.about(flat, "count") // n))
    values = _w.reshape(_w.take_along(_w.reshape(input, (n, c, -1)), index, 2), (n, c) + tuple(flat.shape[1:]))
    return _w.where(_w.expand_dims(inside, 1), values, 0.0)


for _f in [f for n, f in list(globals().items()) if n[0] != "_" and getattr(f, "__module__", "") == __name__]:
    _f.__module__ = "torch.nn.functional"
