# jax.lax: reading and writing windows at indices.
import enum as _enum
import _jax as _w

__all__ = """gather scatter scatter_add scatter_sub scatter_mul scatter_min scatter_max GatherDimensionNumbers
    ScatterDimensionNumbers GatherScatterMode""".split()


class GatherScatterMode(_enum.Enum):
    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2
    ONE_HOT = 3

    @staticmethod
    def from_any(s):
        if isinstance(s, GatherScatterMode):
            return s
        if s is None:
            return GatherScatterMode.FILL_OR_DROP
        names = {"clip": "CLIP", "fill": "FILL_OR_DROP", "drop": "FILL_OR_DROP", "promise_in_bounds": "PROMISE_IN_BOUNDS",
                 "one_hot": "ONE_HOT"}
        if s not in names:
            raise ValueError(f'Unknown gather mode "{s}"')
        return GatherScatterMode[names[s]]


def _mode(mode, scatter):
    # As the ops say it. A gather of ONE_HOT reads nothing outside, as one that fills with 0.
    if mode is None and not scatter:
        return "clip"
    mode = GatherScatterMode.from_any(mode)
    if mode == GatherScatterMode.ONE_HOT:
        raise NotImplementedError("mode ONE_HOT")
    return {"CLIP": "clip", "PROMISE_IN_BOUNDS": "promised", "FILL_OR_DROP": "drop" if scatter else "fill"}[mode.name]


class GatherDimensionNumbers:
    def __init__(self, offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims=(),
                 start_indices_batching_dims=()):
        self.offset_dims, self.collapsed_slice_dims = offset_dims, collapsed_slice_dims
        self.start_index_map = start_index_map
        self.operand_batching_dims = operand_batching_dims
        self.start_indices_batching_dims = start_indices_batching_dims


class ScatterDimensionNumbers:
    def __init__(self, update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims,
                 operand_batching_dims=(), scatter_indices_batching_dims=()):
        self.update_window_dims, self.inserted_window_dims = update_window_dims, inserted_window_dims
        self.scatter_dims_to_operand_dims = scatter_dims_to_operand_dims
        self.operand_batching_dims = operand_batching_dims
        self.scatter_indices_batching_dims = scatter_indices_batching_dims


# ---- what does not fit is refused in JAX's words


def _distinct(dims, name, op, ordered):
    if ordered and list(dims) != sorted(dims):
        raise TypeError(f"{name} in {op} op must be sorted; got {tuple(dims)}")
    if len(set(dims)) != len(dims):
        raise TypeError(f"{name} in {op} op must not repeat; got: {tuple(dims)}.")


def _bounded(dims, name, op, limit):
    for d in dims:
        if not 0 <= d < limit:
            raise TypeError(f"Invalid {name} set in {op} op; valid range is [0, {limit}), got: {d}.")


def _check_batching(op, names, operand, indices, own, other, mapped, elided):
    # own, other: batching dimensions of the operand and the indices; mapped, elided: dimensions of the operand that must not be among them
    last = len(indices) - 1
    _distinct(own, names[0], op, True)
    _bounded(own, names[0], op, len(operand))
    for dims, name in (elided, mapped):
        if set(dims) & set(own):
            raise TypeError(f"{name} and {names[0]} in {op} op must be disjoint; got: {tuple(dims)} and {tuple(own)}.")
    _distinct(other, names[1], op, False)
    _bounded(other, names[1], op, len(indices))
    if last in other:
        raise TypeError(f"{op.capitalize()} op cannot have the index vector dimension as a batching dimension; got {tuple(other)}.")
    if len(own) != len(other):
        raise TypeError(f"{op.capitalize()} op requires equal numbers of {names[0]} and {names[1]}, got {tuple(own)} and {tuple(other)}.")
    a, b = [operand[i] for i in own], [indices[i] for i in other]
    if a != b:
        raise TypeError(f"{op.capitalize()} op requires operand batching dimensions and indices batching dimensions to have the same "
                        f"shape, got {a} and {b}.")


def _check_map(op, dims, name, operand, indices):
    if len(dims) != indices[-1]:
        raise TypeError(f"{op.capitalize()} op has {len(dims)} elements in {name} and the bound of dimension index_vector_dim="
                        f"{len(indices) - 1} of indices is {indices[-1]}. These two numbers must be equal.")
    for i, d in enumerate(dims):
        if not 0 <= d < len(operand):
            raise TypeError(f"Invalid {name}{' mapping' if op == 'scatter' else ''}; domain is [0, {len(operand)}), got: {i}->{d}.")
    _distinct(dims, name, op, False)


def _check_gather(operand, indices, d, sizes):
    rank = len(d.offset_dims) + len(indices) - 1
    _distinct(d.offset_dims, "offset_dims", "gather", True)
    for i, o in enumerate(d.offset_dims):
        if not 0 <= o < rank:
            raise TypeError(f"Offset dimension {i} in gather op is out of bounds; got {o}, but should have been in [0, {rank})")
    _check_map("gather", d.start_index_map, "start_index_map", operand, indices)
    _distinct(d.collapsed_slice_dims, "collapsed_slice_dims", "gather", True)
    _bounded(d.collapsed_slice_dims, "collapsed_slice_dims", "gather", len(operand))
    _check_batching("gather", ("operand_batching_dims", "start_indices_batching_dims"), operand, indices, d.operand_batching_dims,
                    d.start_indices_batching_dims, (d.start_index_map, "start_index_map"), (d.collapsed_slice_dims, "collapsed_slice_dims"))
    if len(sizes) != len(operand):
        raise TypeError(f"Gather op must have one slice size for every input dimension; got: len(slice_sizes)={len(sizes)}, "
                        f"input_shape.rank={len(operand)}")
    if len(sizes) != len(d.offset_dims) + len(d.collapsed_slice_dims) + len(d.operand_batching_dims):
        raise TypeError("All components of the offset index in a gather op must either be a offset dimension or explicitly "
                        f"collapsed/batching; got len(slice_sizes)={len(sizes)}, output_slice_sizes={d.offset_dims}, "
                        f"collapsed_slice_dims={d.collapsed_slice_dims}, operand_batching_dims={d.operand_batching_dims}.")
    for i, (n, m) in enumerate(zip(sizes, operand)):
        if not 0 <= n <= m:
            raise TypeError(f"Slice size at index {i} in gather op is out of range, must be within [0, {m} + 1), got {n}.")
    for i, k in enumerate(d.collapsed_slice_dims):
        if sizes[k] != 1:
            raise TypeError(f"Gather op can only collapse slice dims with bound 1, but bound is {sizes[k]} for index {k} at position {i}.")
    for i, k in enumerate(d.operand_batching_dims):
        if sizes[k] > 1:
            raise TypeError(f"Gather op can only have operand batching dims with bound 0/1, but bound is {sizes[k]} for index {k} at "
                            f"position {i}.")


def _check_scatter(operand, indices, updates, d):
    rank = len(indices) - 1 + len(d.update_window_dims)
    if len(updates) != rank:
        raise TypeError(f"Updates tensor must be of rank {rank}; got {len(updates)}.")
    _distinct(d.update_window_dims, "update_window_dims", "scatter", True)
    _bounded(d.update_window_dims, "update_window_dims", "scatter", len(updates))
    _distinct(d.inserted_window_dims, "inserted_window_dims", "scatter", True)
    _bounded(d.inserted_window_dims, "inserted_window_dims", "scatter", len(operand))
    _check_map("scatter", d.scatter_dims_to_operand_dims, "scatter_dims_to_operand_dims", operand, indices)
    _check_batching("scatter", ("operand_batching_dims", "scatter_indices_batching_dims"), operand, indices, d.operand_batching_dims,
                    d.scatter_indices_batching_dims, (d.scatter_dims_to_operand_dims, "scatter_dims_to_operand_dims"),
                    (d.inserted_window_dims, "inserted_window_dims"))
    window = len(d.update_window_dims) + len(d.inserted_window_dims) + len(d.operand_batching_dims)
    if window != len(operand):
        raise TypeError(f"Scatter op has window of size {window}; doesn't match operand of rank {len(operand)}.")
    limits = [n for i, n in enumerate(operand) if i not in d.inserted_window_dims and i not in d.operand_batching_dims]
    for i, (k, n) in enumerate(zip(d.update_window_dims, limits)):
        if updates[k] > n:
            raise TypeError("Bounds of the window dimensions of updates must not exceed the bounds of the corresponding dimensions of "
                            f"operand. For dimension {k}, updates bound is {updates[k]}, operand bound is {n}.")
    rest = [n for i, n in enumerate(updates) if i not in d.update_window_dims]
    if rest != list(indices[:-1]):
        raise TypeError(f"Bounds of the scatter dimensions of updates must be the same as the bounds of the corresponding dimensions of "
                        f"scatter indices: {rest} and {list(indices[:-1])}.")


def _filler(d):
    # What stands for an element that is not there: NaN, the smallest of signed integers, the largest of others.
    if d.is_inexact:
        return float("nan")
    bits = 8 * d.itemsize
    return 1 if d.kind == "b" else -(1 << (bits - 1)) if d.kind == "i" else (1 << bits) - 1


def gather(operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=False,
           indices_are_sorted=False, mode=None, fill_value=None):
    d = dimension_numbers
    operand, start_indices = _w.wrap(operand), _w.wrap(start_indices)
    _check_gather(tuple(operand.shape), tuple(start_indices.shape), d, slice_sizes)
    if fill_value is None:
        fill_value = _filler(operand.dtype)
    return _w.op("gather", [operand, start_indices], {
        "offset_dims": list(d.offset_dims), "collapsed": list(d.collapsed_slice_dims),
        "operand_batching": list(d.operand_batching_dims),
        "indices_batching": list(d.start_indices_batching_dims),
        "start_index_map": list(d.start_index_map), "slice_sizes": list(slice_sizes),
        "mode": _mode(mode, False), "fill": float(fill_value)})[0]


def _scatter(op):
    def call(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False,
             unique_indices=False, mode=None):
        d = dimension_numbers
        operand, scatter_indices, updates = _w.wrap(operand), _w.wrap(scatter_indices), _w.wrap(updates)
        _check_scatter(tuple(operand.shape), tuple(scatter_indices.shape), tuple(updates.shape), d)
        return _w.op(op, [operand, scatter_indices, _w.cast(updates, operand.dtype)], {
            "update_window": list(d.update_window_dims), "inserted": list(d.inserted_window_dims),
            "operand_batching": list(d.operand_batching_dims),
            "indices_batching": list(d.scatter_indices_batching_dims),
            "operand_dims": list(d.scatter_dims_to_operand_dims), "mode": _mode(mode, True)})[0]
    return call


scatter, scatter_add, scatter_mul = _scatter("scatter"), _scatter("scatter_add"), _scatter("scatter_mul")
scatter_min, scatter_max = _scatter("scatter_min"), _scatter("scatter_max")


def scatter_sub(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False, mode=None):
    return scatter_add(operand, scatter_indices, _w.neg(updates), dimension_numbers, indices_are_sorted=indices_are_sorted,
                       unique_indices=unique_indices, mode=mode)


