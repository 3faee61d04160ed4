# torch._shape -- shapes, joining and splitting, choosing by index, sorting.
from math import prod as _math_prod

import _torch as _w
from torch._types import pair, Size, int32, int64, bool as _bool
from torch._core import core as _core
from torch._creation import as_size
from torch._math import __keywords__, _put_both, put

# ---- shapes


def reshape(input, *shape):
    shape = as_size(shape)
    try:
        return _w.reshape(input, shape)
    except RuntimeError as error:
        raise _bad_shape(input, shape, error) from None


def _bad_shape(input, shape, error):
    if "invalid for input" not in str(error) and "cannot be divided" not in str(error):
        return error
    new = RuntimeError(f"shape '{list(shape)}' is invalid for input of size {input.numel()}")
    new.detail = getattr(error, "detail", str(error))
    return new


def _as_dtype(input, dtype):
    from torch._errors import named
    old, new = input.dtype.itemsize, dtype.itemsize
    if old != new:
        if not input.ndim:
            raise RuntimeError(f"self.dim() cannot be 0 to view {named(input.dtype)} as {named(dtype)} (different element sizes)")
        if input.stride(-1) != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to view {named(input.dtype)} as {named(dtype)} (different element "
                               f"sizes), but got {input.stride(-1)}")
        if input.shape[-1] * old % new:
            raise RuntimeError(f"self.size(-1) must be divisible by {new // old} to view {named(input.dtype)} as "
                               f"{named(dtype)} (different element sizes), but got {input.shape[-1]}")
    elif input.dtype.is_complex or dtype.is_complex:
        return _core.bitcast(input, dtype)
    return _core.view(input, dtype) if old != new else _w.bitcast(input, dtype)


def view(input, *shape, size=None, dtype=None):
    if not shape:
        shape = (size if dtype is None else dtype,)
    if len(shape) == 1 and isinstance(shape[0], _w.dtype):
        return _as_dtype(input, shape[0])
    shape = as_size(shape)
    if not _w.about(input, "packed") and not _can_view(input, shape):
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans across two contiguous subspaces). Use .reshape(...) instead.")
    try:
        return _w.label(_w.reshape(input, shape), "view")
    except RuntimeError as error:
        raise _bad_shape(input, shape, error) from None


def _can_view(input, shape):
    if _w.about(input, "symbolic"):
        return True  # as far as is known
    r = _w.detach(_w.reshape(input, shape))
    return r.numel() == 0 or _w.shares_memory(r, input)


def view_as(input, other):
    return view(input, other.shape)


def reshape_as(input, other):
    return _w.reshape(input, other.shape)


def flatten(input, start_dim=0, end_dim=-1):
    if input.ndim == 0:
        return _w.reshape(input, (1,))
    return _w.flatten(input, start_dim, end_dim)


def ravel(input):
    return _w.reshape(input, (-1,))


def unflatten(input, dim, sizes):
    d = dim % input.ndim
    shape = tuple(input.shape)
    if not _w.about(input, "symbolic") and -1 not in sizes and _math_prod(sizes) != shape[d]:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {d} ({shape[d]}) in the input tensor")
    return _w.reshape(input, shape[:d] + tuple(sizes) + shape[d + 1:])


def permute(input, *dims):
    return _w.permute(input, as_size(dims))


def transpose(input, dim0, dim1):
    if input.ndim == 0:
        _w.sum(input, dim0), _w.sum(input, dim1)  # are there such axes?
        return _w.reshape(input, ())
    return _w.swap_axes(input, dim0, dim1)


swapaxes = swapdims = transpose


def t(input):
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return _w.label(_w.swap_axes(input, 0, 1) if input.ndim == 2 else _w.reshape(input, input.shape), "t")


def movedim(input, source, destination):
    return _core.moveaxis(input, source, destination)


moveaxis = movedim


def broadcast_shapes(*shapes):
    return Size(_core.broadcast_shapes(*shapes))


def broadcast_tensors(*tensors):
    return _core.broadcast_arrays(*tensors)


def meshgrid(*tensors, indexing="ij"):
    many = len(tensors) == 1 and isinstance(tensors[0], (tuple, list))
    return _core.meshgrid(*(tensors[0] if many else tensors), indexing=indexing)


def squeeze(input, dim=None):
    if dim is None:
        return _w.squeeze(input)
    if input.ndim == 0:
        return input.view_as(input)
    dims = [d for d in ((dim,) if isinstance(dim, int) else dim) if _size_of(input, d) == 1]
    return _w.squeeze(input, dims) if dims else input.view_as(input)


def _size_of(input, d):
    if not -input.ndim <= d < input.ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], "
                         f"but got {d})")
    return input.shape[d]


def unsqueeze(input, dim):
    return _w.expand_dims(input, dim)


def expand(input, *sizes):
    sizes = list(as_size(sizes))
    lead = len(sizes) - input.ndim
    shape = input.shape
    for k in range(len(sizes)):
        if sizes[k] == -1:
            sizes[k] = shape[k - lead]
        # an open size, which is no int, is not asked whether it is 1: that would fix it
        elif k >= lead and not (isinstance(shape[k - lead], int) and shape[k - lead] == 1) and shape[k - lead] != sizes[k]:
            raise RuntimeError(f"The expanded size of the tensor ({sizes[k]}) must match the existing size "
                               f"({shape[k - lead]}) at non-singleton dimension {k}.  Target sizes: {sizes}.  "
                               f"Tensor sizes: {list(shape)}")
    return _w.broadcast_to(input, sizes)


def expand_as(input, other):
    return expand(input, other.shape)


def broadcast_to(input, size):
    return expand(input, size)


def atleast_1d(*tensors):
    return _each(tensors, lambda x: _w.reshape(x, (1,)) if x.ndim == 0 else x)


def atleast_2d(*tensors):
    return _each(tensors, lambda x: _w.reshape(x, (1, -1)) if x.ndim < 2 else x)


def atleast_3d(*tensors):
    def lift(x):
        return _w.reshape(x, (1, -1, 1)) if x.ndim < 2 else _w.expand_dims(x, -1) if x.ndim == 2 else x
    return _each(tensors, lift)


def _each(tensors, fn):
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        return tuple([fn(x) for x in tensors[0]])
    return fn(tensors[0]) if len(tensors) == 1 else tuple([fn(x) for x in tensors])


# ---- joining and splitting

def _several(tensors, name):
    if isinstance(tensors, _w.Tensor) and not _w.about(tensors, "symbolic"):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}")
    tensors = list(tensors)
    for i, x in enumerate(tensors):
        if not isinstance(x, _w.Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(x).__name__}")
    return tensors


def cat(tensors, dim=0, *, out=None):
    tensors = _several(tensors, "cat")
    if len(tensors) == 0:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    some = [x for x in tensors if not (x.ndim == 1 and x.numel() == 0)]
    if 0 < len(some) < len(tensors):  # the others count for the dtype alone
        d = tensors[0].dtype
        for x in tensors[1:]:
            d = __import__("torch._misc").promote_types(d, x.dtype)
        some = [_w.cast(x, d) if x.dtype != d else x for x in some]
    try:
        return put(out, _w.label(_w.concat(some or tensors, dim), "cat"))
    except RuntimeError as error:
        raise _bad_cat(tensors, dim, error) from None


def _bad_cat(tensors, dim, error):
    first = tensors[0]
    for i, x in enumerate(tensors):
        if x.ndim != first.ndim:
            text = f"Tensors must have same number of dimensions: got {first.ndim} and {x.ndim}"
        else:
            bad = [k for k in range(x.ndim) if k != dim % x.ndim and x.shape[k] != first.shape[k]]
            if not bad:
                continue
            text = (f"Sizes of tensors must match except in dimension {dim % x.ndim}. Expected size "
                    f"{first.shape[bad[0]]} but got size {x.shape[bad[0]]} for tensor number {i} in the list.")
        new = RuntimeError(text)
        new.detail = f"the shapes are {[list(t.shape) for t in tensors]}"
        return new
    return error


concat = concatenate = cat


def stack(tensors, dim=0, *, out=None):
    tensors = _several(tensors, "stack")
    if len(tensors) == 0:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, x in enumerate(tensors):
        if x.shape != tensors[0].shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at "
                               f"entry 0 and {list(x.shape)} at entry {i}")
    return put(out, _w.stack(tensors, dim))


def hstack(tensors):
    tensors = atleast_1d(*tensors) if len(tensors) > 1 else [atleast_1d(tensors[0])]
    return _w.concat(list(tensors), 0 if tensors[0].ndim == 1 else 1)


def vstack(tensors):
    return _w.concat([atleast_2d(x) for x in tensors], 0)


row_stack = vstack


def dstack(tensors):
    return _w.concat([atleast_3d(x) for x in tensors], 2)


def column_stack(tensors):
    return _w.concat([_w.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in tensors], 1)


def split(tensor, split_size_or_sections, dim=0):
    n = tensor.shape[dim]
    s = split_size_or_sections
    if isinstance(s, _w.Tensor) and s.ndim == 0:
        s = s.__index__()
    if isinstance(s, int):
        if s < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={s}")
        if s == 0 and n:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
        sizes = [min(s, n - at) for at in range(0, n, s)] or [0]
    else:
        sizes = list(s)
        if sum(sizes) != n:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at "
                               f"dimension {dim}), but got split_sizes={sizes}")
    return _pieces(tensor, sizes, dim, "split")


def _pieces(x, sizes, dim, label):
    out, at = [], 0
    for n in sizes:
        out.append(_w.label(_w.narrow(x, dim, at, n), label))
        at += n
    return tuple(out)


def chunk(input, chunks, dim=0):
    chunks = chunks.__index__()
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input.shape[dim]
    size = max(1, -(-n // chunks))
    return split(input, size, dim)


def tensor_split(input, indices_or_sections, dim=0):
    n = input.shape[dim]
    if isinstance(indices_or_sections, int):
        k = indices_or_sections
        return _pieces(input, [n // k + (1 if i < n % k else 0) for i in range(k)], dim, "split")
    cuts = [0] + [min(c if c >= 0 else n + c, n) for c in indices_or_sections] + [n]
    return _pieces(input, [max(b - a, 0) for a, b in zip(cuts, cuts[1:])], dim, "split")


def dsplit(input, indices_or_sections):
    if input.ndim < 3:
        raise RuntimeError(f"torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with "
                           f"{input.ndim} dimensions!")
    return tensor_split(input, indices_or_sections, 2)


def unsafe_split(tensor, split_size_or_sections, dim=0):
    return split(tensor, split_size_or_sections, dim)


def unsafe_chunk(input, chunks, dim=0):
    return chunk(input, chunks, dim)


def adjoint(input):
    return _w.conj(_w.swap_axes(input, -1, -2))


def hsplit(input, indices_or_sections):
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input, indices_or_sections):
    return tensor_split(input, indices_or_sections, 0)


def unbind(input, dim=0):
    return tuple([_w.label(_w.squeeze(_w.narrow(input, dim, i, 1), dim), "unbind")
                  for i in range(input.shape[dim])])


def narrow_copy(input, dim, start, length):
    return narrow(input, dim, start, length).clone()


def narrow(input, dim, start, length):
    if isinstance(start, _w.Tensor):
        start = int(start)
    if start < 0 and -start <= _size_of(input, dim):
        start += _size_of(input, dim)
    return _w.label(_w.narrow(input, dim, start, length), "slice")


def select(input, dim, index):
    n = _size_of(input, dim)
    if _w.is_size(n):       # left open: whether it is inside is a matter of the run
        return _w.label(input[(slice(None),) * (dim % input.ndim) + (index,)], "select")
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension "
                         f"{dim}")
    return _w.label(_w.squeeze(_w.narrow(input, dim, index % n, 1), dim), "select")


def repeat(input, *sizes):
    sizes = as_size(sizes)
    if len(sizes) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of "
                           "tensor")
    return _w.tile(input, sizes)


def tile(input, *dims):
    return _w.tile(input, as_size(dims))


def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    if repeats is None:  # repeat_interleave(repeats)
        input, repeats = _w.arange(0, input.shape[0], 1, int64), input
    if dim is None:
        input, dim = _w.reshape(input, (-1,)), 0
    if isinstance(repeats, int):
        return _w.repeat(input, repeats, dim)
    counts = repeats.tolist()
    if isinstance(counts, int):
        return _w.repeat(input, counts, dim)
    if len(counts) == 1:
        return _w.repeat(input, counts[0], dim)
    if len(counts) != input.shape[dim]:
        raise RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) = "
                           f"{len(counts)} and input.size({dim}) = {input.shape[dim]}")
    index = [i for i, n in enumerate(counts) for _ in range(n)]
    if output_size is not None and len(index) != output_size:
        raise RuntimeError("allocated size does not match required size")
    return _w.take(input, _w.tensor(index, int64), dim)


def flip(input, dims):
    if isinstance(dims, int):
        raise TypeError("flip(): argument 'dims' (position 2) must be tuple of ints, not int")
    return flipped(input, *dims)


def flipped(input, *dims):
    dims = as_size(dims)
    for k, d in enumerate(dims):
        if input.ndim or d not in (0, -1):
            _size_of(input, d)
        if d % max(input.ndim, 1) in [e % max(input.ndim, 1) for e in dims[:k]]:
            raise RuntimeError(f"dim {d % input.ndim} appears multiple times in the list of dims")
    return _w.label(_w.copy(_w.flip(input, dims) if len(dims) and input.ndim else input), "flip")


def fliplr(input):
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flipped(input, 1)


def flipud(input):
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flipped(input, 0)


def roll(input, shifts, dims=None):
    if dims is None or (isinstance(dims, (tuple, list)) and len(dims) == 0):
        if not isinstance(shifts, int):
            if len(shifts) != 1:
                raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:0")
            shifts, = shifts
        return _w.reshape(_w.roll(_w.reshape(input, (-1,)), shifts, 0), input.shape)
    shifts = [shifts] if isinstance(shifts, int) else shifts
    dims = [dims] if isinstance(dims, int) else dims
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    for s, d in zip(shifts, dims):
        input = _w.roll(input, s, d)
    return input


def rot90(input, k=1, dims=(0, 1)):
    a, b = dims
    k %= 4
    if k == 0:
        return _w.copy(input)
    if k == 2:
        return flipped(input, a, b)
    return _w.swap_axes(flipped(input, b), a, b) if k == 1 else flipped(_w.swap_axes(input, a, b), b)


def combinations(input, r=2, with_replacement=False):
    import itertools
    pick = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = [list(c) for c in pick(range(input.shape[0]), r)]
    if not rows:
        return _w.full((0, r), 0, input.dtype)
    return _w.take(input, _w.tensor(rows, int64), 0)


def cartesian_prod(*tensors):
    if len(tensors) == 1:
        return tensors[0]
    return _w.stack([_w.reshape(g, (-1,)) for g in meshgrid(*tensors)], 1)


def unfold(input, dimension, size, step):
    if input.ndim == 0:
        input = _w.reshape(input, (1,))
        if size == 0:
            return _w.reshape(input[:0], (0,))
    n = _size_of(input, dimension)
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return _w.label(_w.unfold(input, dimension, size, step), "unfold")


def as_strided(input, size, stride, storage_offset=None):
    return _w.label(_w.as_strided(input, size, stride, storage_offset), "as_strided")


# ---- diagonals and triangles

def tril(input, diagonal=0, *, out=None):
    return put(out, _w.tril(input, diagonal))


def triu(input, diagonal=0, *, out=None):
    return put(out, _w.triu(input, diagonal))


def diag(input, diagonal=0):
    return _w.diag(input, diagonal)


def diagonal(input, offset=0, dim1=0, dim2=1):
    n = input.ndim
    _size_of(input, dim1), _size_of(input, dim2)
    a, b = dim1 % n, dim2 % n
    order = [k for k in range(n) if k not in (a, b)] + [a, b]
    if _w.about(input, "symbolic"):
        int(input.shape[a]), int(input.shape[b])  # a trace takes those of its example
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return _w.label(_w.diagonal(input if order == list(range(n)) else _w.permute(input, order), offset), "diagonal")


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    n = input.shape[-1] + abs(offset)
    eye = _w.eye(n, n, offset, input.dtype)
    if offset:
        lo, hi = [0] * input.ndim, [0] * input.ndim
        if offset > 0:
            hi[-1] = offset
        else:
            lo[-1] = -offset
        input = _w.pad(input, lo, hi, 0)
    full = _w.where(_w.cast(eye, _bool), _w.expand_dims(input, -1), _w.full((), 0, input.dtype))
    rank = full.ndim
    a, b = dim1 % rank, dim2 % rank
    return full if (a, b) == (rank - 2, rank - 1) else movedim(full, (-2, -1), (a, b))


def diagflat(input, offset=0):
    return diag(_w.reshape(input, (-1,)), offset)


def block_diag(*tensors):
    tensors = [_w.reshape(x, (1, -1)) if x.ndim < 2 else x for x in tensors]
    width = sum([x.shape[1] for x in tensors])
    rows, at = [], 0
    for x in tensors:
        rows.append(_w.pad(x, (0, at), (0, width - at - x.shape[1]), 0))
        at += x.shape[1]
    return _w.concat(rows, 0)


def vander(x, N=None, increasing=False):
    n = x.shape[0] if N is None else N
    if not x.dtype.is_inexact:
        x = _w.cast(x, int64)
    powers = list(range(n)) if increasing else list(range(n - 1, -1, -1))
    return _w.stack([_w.pow(x, p) for p in powers], 1)


# ---- choosing by index

def _in_range(index, low, n, dim=None):
    bad = _w.check_index(index, low, n)
    if bad is not None:
        raise IndexError("index out of range in self") if dim is None else \
            RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {n}")


def index_select(input, dim, index):
    if input.ndim == 0:
        _in_range(index, 0, 1)
        return _w.copy(input)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    _in_range(index, 0, _size_of(input, dim))
    return _w.take(input, index if index.ndim else _w.reshape(index, (1,)), dim)


def gather(input, dim, index, *, sparse_grad=False, out=None):
    if sparse_grad:
        raise NotImplementedError("torch.gather: sparse_grad")
    if input.ndim == 0:
        return _w.reshape(_w.take(_w.reshape(input, (1,)), _w.reshape(index, (-1,)), 0), index.shape)
    if input.ndim != index.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    _in_range(index, 0, _size_of(input, dim), dim % input.ndim)
    d = dim % input.ndim
    for k in range(input.ndim):
        if k != d and index.shape[k] > input.shape[k]:
            raise RuntimeError(f"Size does not match at dimension {k} expected index {list(index.shape)} to be no "
                               f"larger than self {list(input.shape)} apart from dimension {d}")
        if k != d and index.shape[k] < input.shape[k]:
            input = _w.narrow(input, k, 0, index.shape[k])
    return put(out, _w.label(_w.take_along(input, index, dim), "gather"))


def take(input, index):
    n = input.numel()
    bad = _w.check_index(index, -n, n)
    if bad is not None:
        raise IndexError(f"out of range: tried to access index {bad} on a tensor of {n} elements.")
    return _w.take(_w.reshape(input, (-1,)), index, 0)


def take_along_dim(input, indices, dim=None):
    if dim is None:
        return _w.take(_w.reshape(input, (-1,)), _w.reshape(indices, (-1,)), 0)
    if input.ndim != indices.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
                           f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices")
    if not (_w.about(input, "symbolic") or _w.about(indices, "symbolic")):      # the other axes go together as those of a sum
        at = dim % input.ndim
        mine, own = [tuple(x.shape[:at]) + (1,) + tuple(x.shape[at + 1:]) for x in (input, indices)]
        if mine != own:
            both = tuple(broadcast_shapes(mine, own))
            input = _w.broadcast_to(input, both[:at] + (input.shape[at],) + both[at + 1:])
            indices = _w.broadcast_to(indices, both[:at] + (indices.shape[at],) + both[at + 1:])
    return _w.take_along(input, indices, dim)


def _grid(input, index, dim):
    # Index tensors, one for each axis, that say where index points along dim.
    out, rank = [], input.ndim
    _in_range(index, 0, _size_of(input, dim), dim % rank)
    if index.ndim != rank:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    for k in range(rank):
        shape = [1] * rank
        shape[k] = index.shape[k]
        out.append(index if k == dim % rank else _w.reshape(_w.arange(0, index.shape[k], 1, int64), shape))
    return tuple(out)


def _source(input, index, src):
    if not isinstance(src, _w.Tensor):
        return _w.full(index.shape, src, input.dtype)
    if src.dtype != input.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if tuple(src.shape) == tuple(index.shape):
        return src
    return src[tuple([slice(0, n) for n in index.shape])]


# How a function puts numbers at places of a tensor: into a new one, or into its own memory (x.scatter_ and its like).
_NEW = (_w.index_set, _w.index_add)
_HERE = (_w.index_write, _w.index_add_in)


def in_place(fn):
    # The method of a function of IN_PLACE.
    def write(self, *args, **kwargs):
        _w.apart(self, args + tuple(kwargs.values()))
        out = fn(_HERE, self, *args, **kwargs)
        return out if out is self else _w.write(self, out)
    return write


def _scatter(put, input, dim, index, src=None, value=None, reduce=None):
    v = _source(input, index, value if src is None else src)
    if input.ndim == 0:
        return _w.reshape(v, ())
    if reduce == "multiply":
        return scatter_reduce(input, dim, index, v, "prod")
    return _w.label(put[reduce == "add"](input, _grid(input, index, dim), v), "scatter")


def _scatter_add(put, input, dim, index, src):
    return _w.label(put[1](input, _grid(input, index, dim), _source(input, index, src)), "scatter_add")


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if input.ndim == 0:
        one = [_w.reshape(x, (1,)) if isinstance(x, _w.Tensor) else x for x in (input, index, src)]
        return _w.reshape(scatter_reduce(one[0], dim, one[1], one[2], reduce, include_self=include_self), ())
    where = _grid(input, index, dim)
    v = _source(input, index, src)
    start = {"sum": 0, "mean": 0, "prod": 1, "amax": float("-inf"), "amin": float("inf")}[reduce]
    if not include_self:
        input = _w.index_set(input, where, _w.full(index.shape, start, input.dtype))
    if reduce in ("sum", "mean"):
        total = _w.index_add(input, where, v)
        if reduce == "sum":
            return total
        ones = _w.full(index.shape, 1, input.dtype)
        base = _w.full(input.shape, 1 if include_self else 0, input.dtype)
        return total / _w.maximum(_w.index_add(base, where, ones), 1)
    places, step = 0, 1     # of each index in the flat input
    for k, n in zip(where[::-1], input.shape[::-1]):
        places, step = places + k * step, step * n
    places = _w.reshape(_w.broadcast_to(places, index.shape), (-1, 1))
    op = {"prod": "scatter_mul", "amax": "scatter_max", "amin": "scatter_min"}[reduce]
    out = _w.op("scatter_min" if op == "scatter_mul" and input.dtype == _w.bool_ else op,   # are all true?
                [_w.reshape(input, (-1,)), places, _w.reshape(v, (-1,))],
                {"inserted": [0], "operand_dims": [0], "mode": "drop"})[0]
    return _w.reshape(out, input.shape)


def _index_add(put, input, dim, index, source, alpha=1):
    _in_range(index, 0, _size_of(input, dim))
    if input.dtype != source.dtype:
        from torch._errors import named
        raise RuntimeError(f"index_add_(): self ({named(input.dtype)}) and source ({named(source.dtype)}) must have the same "
                           "scalar type")
    return put[1](input, _along(input, dim, index), source if alpha == 1 else source * alpha)


def _along(input, dim, index):
    return (slice(None),) * (dim % input.ndim) + (index,)


def _index_copy(put, input, dim, index, source):
    _in_range(index, 0, _size_of(input, dim))
    if _w.casting() and input.dtype != source.dtype:
        input, source = _w.cast(input, _w.float32), _w.cast(source, _w.float32)
    if input.dtype != source.dtype:
        from torch._errors import named
        raise RuntimeError(f"index_copy_(): self and source expected to have the same dtype, but got (self) "
                           f"{named(input.dtype)} and (source) {named(source.dtype)}")
    return _w.label(put[0](input, _along(input, dim, index), source), "index_copy")


def _index_fill(put, input, dim, index, value):
    return _w.label(put[0](input, _along(input, dim, index), value), "index_fill")


def _index_put(put, input, indices, values, accumulate=False):
    return _w.label(put[accumulate](input, tuple(indices), values), "index_set")


IN_PLACE = {"scatter": _scatter, "scatter_add": _scatter_add, "index_add": _index_add, "index_copy": _index_copy,
            "index_fill": _index_fill, "index_put": _index_put}


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    return _scatter(_NEW, input, dim, index, src, value, reduce)


def scatter_add(input, dim, index, src):
    return _scatter_add(_NEW, input, dim, index, src)


def index_add(input, dim, index, source, *, alpha=1):
    return _index_add(_NEW, input, dim, index, source, alpha)


def index_copy(input, dim, index, source):
    return _index_copy(_NEW, input, dim, index, source)


def index_fill(input, dim, index, value):
    return _index_fill(_NEW, input, dim, index, value)


def index_put(input, indices, values, accumulate=False):
    return _index_put(_NEW, input, indices, values, accumulate)


def masked_fill(input, mask, value):
    if mask.dtype != _bool:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           + mask.dtype.name)
    if isinstance(value, _w.Tensor):
        return _w.label(_w.where(mask, value, input), "masked_fill")
    return _w.masked_fill(input, mask, value)


def masked_select(input, mask):
    a, b = broadcast_tensors(input, mask)
    if a.ndim == 0:
        a, b = _w.reshape(a, (1,)), _w.reshape(b, (1,))
    return _w.masked_select(a, b)


def masked_scatter(input, mask, source):
    mask = _w.broadcast_to(mask, input.shape)
    place = _w.cumsum(_w.cast(_w.reshape(mask, (-1,)), int64), 0) - 1
    picked = _w.take(_w.reshape(source, (-1,)), _w.clip(place, 0, None), 0)
    return _w.where(mask, _w.reshape(picked, input.shape), input)


def argwhere(input):
    return _w.nonzero(input)


def isin(elements, test_elements, *, assume_unique=False, invert=False):     # unique ones are found no sooner here
    for x in (elements, test_elements):
        if isinstance(x, _w.Tensor) and x.dtype == _bool:
            raise NotImplementedError("Unsupported input type encountered for isin(): Bool")
    if isinstance(elements, _w.Tensor) and isinstance(test_elements, _w.Tensor) and elements.dtype != test_elements.dtype:
        d = __import__("torch._misc").result_type(elements, test_elements)
        elements, test_elements = _w.cast(elements, d), _w.cast(test_elements, d)
    return _core.isin(elements, test_elements, assume_unique, invert)


def bucketize(input, boundaries, *, right=False, out_int32=False, out=None):
    return searchsorted(boundaries, input, right=right, out_int32=out_int32, out=out)


def searchsorted(sorted_sequence, input, *, right=False, side=None, out_int32=False, sorter=None, out=None):
    if sorter is not None:
        sorted_sequence = _w.take_along(sorted_sequence, sorter, -1)
    found = _searched(sorted_sequence, input, right, side)
    return put(out, _w.cast(found, int32) if out_int32 else found)


def _searched(sorted_sequence, input, right, side):
    right = right or side == "right"
    scalar = not isinstance(input, _w.Tensor)
    v = _w.tensor(input, sorted_sequence.dtype) if scalar else input
    if sorted_sequence.ndim != 1 and (v.ndim != sorted_sequence.ndim or v.shape[:-1] != sorted_sequence.shape[:-1]):
        if scalar:
            raise RuntimeError("torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
                               f"tensor dim({sorted_sequence.ndim}) and input value's dim(0) numel(1)")
        raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
                           f"value tensor must match, but we got boundaries tensor {list(sorted_sequence.shape)} and input value tensor "
                           f"{list(v.shape)}")
    found = _searched_rows(sorted_sequence, v, right)
    if v.dtype.is_floating_point:       # NaN is behind all
        found = _w.where(_w.is_nan(v), _w.full((), sorted_sequence.shape[-1], found.dtype), found)
    return found


def _searched_rows(sorted_sequence, v, right):
    if sorted_sequence.ndim == 1:
        return _w.searchsorted(sorted_sequence, v, right)
    rows = _w.reshape(sorted_sequence, (-1, sorted_sequence.shape[-1]))
    values = _w.reshape(v, (-1, v.shape[-1]))
    out = [_w.searchsorted(a, b, right) for a, b in zip(rows, values)]
    return _w.reshape(_w.stack(out, 0), v.shape)


# ---- sorting

def sort(input, dim=-1, descending=False, stable=False, *, out=None):
    if input.ndim == 0:
        return pair("sort", _put_both(out, (_w.copy(input), _w.tensor(0))))
    return pair("sort", _put_both(out, _sorted(input, dim, descending)))


def _sorted(input, dim, descending):
    # NaN is the largest of numbers, which the engine puts last.
    if not descending or not input.dtype.is_floating_point or _w.about(input, "symbolic") or not bool(
            _w.any(_w.is_nan(input))):
        return _w.sort(input, dim, descending)
    v, i = _w.sort(_w.flip(input, dim), dim)
    return flipped(v, dim), input.shape[dim] - 1 - flipped(i, dim)


def argsort(input, dim=-1, descending=False, stable=False):
    if input.ndim == 0:
        return _w.sort(_w.reshape(input, (1,)), dim)[1][0]
    return _sorted(input, dim, descending)[1]


def msort(input):
    if input.ndim == 0:
        return _w.copy(input)
    return _w.sort(input, 0)[0]


def topk(input, k, dim=-1, largest=True, sorted=True, *, out=None):
    n = input.shape[dim] if input.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    if input.ndim == 0:
        return pair("topk", _put_both(out, (_w.copy(input), _w.tensor(0))))
    return pair("topk", _put_both(out, _w.top_k(input, k, dim, largest)))


def kthvalue(input, k, dim=-1, keepdim=False):
    from torch._math import _no_bool
    _no_bool(input, "kthvalue_cpu")
    n = _size_of(input, dim) if input.ndim else 1
    if not 0 < k <= n:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim % max(input.ndim, 1)}")
    if input.ndim == 0:
        return pair("kthvalue", (_w.copy(input), _w.tensor(0)))
    values, index = _w.sort(input, dim)
    v, i = _w.narrow(values, dim, k - 1, 1), _w.narrow(index, dim, k - 1, 1)
    return pair("kthvalue", (v, i) if keepdim else (_w.squeeze(v, dim), _w.squeeze(i, dim)))


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    found = _core.distinct(input, dim, False)
    return _core.chosen(found, input.shape if dim is None else None, False, return_inverse, return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    if dim is not None and input.ndim > 1:
        raise NotImplementedError("torch.unique_consecutive: dim")
    flat = _w.reshape(input, (-1,))
    n = flat.shape[0]
    fresh = _w.concat([_w.full((1,), True, _bool), _w.ne(flat[1:], flat[:-1])], 0)
    more = []
    if return_inverse:
        more.append(_w.reshape(_w.cumsum(_w.cast(fresh, int64), 0) - 1, input.shape))
    if return_counts:
        starts = _w.reshape(_w.nonzero(fresh), (-1,))
        more.append(_w.concat([starts[1:], _w.tensor([n], int64)], 0) - starts)
    return tuple([flat[fresh]] + more) if more else flat[fresh]
