# torch.sparse -- matrices of few numbers: COO (places and values) and CSR (rows compressed). Products with dense matrices go over
# the values alone; where nothing else is known, a sparse tensor is its dense form. Gradients reach the values.
import torch
from torch._types import gpu_of, layout as _layout, sparse_coo

sparse_csr = _layout("sparse_csr")


def _lines(text, indent):
    return text.replace("\n", "\n" + " " * indent)


def _added(shape, at, values):
    # Values of one place are added; of bools, one of them is enough.
    if values.dtype == torch.bool:
        return _added(shape, at, values.to(torch.int32)) != 0
    return torch.zeros(shape, dtype=values.dtype).index_add(0, at, values)


class SparseTensor:
    is_sparse, is_cuda, is_leaf = True, False, True
    __module__, grad_fn = "torch", None

    def __init__(self, indices, values, size, coalesced=False, layout=sparse_coo):
        self._i, self._v, self.shape, self._coalesced, self.layout = indices, values, torch.Size(size), coalesced, layout

    # ---- what it is

    dtype = property(lambda self: self._v.dtype)
    device = property(lambda self: self._v.device)
    ndim = property(lambda self: len(self.shape))
    requires_grad = property(lambda self: self._v.requires_grad)
    is_sparse_csr = property(lambda self: self.layout is sparse_csr)
    grad = property(lambda self: None if self._v.grad is None else self._like(self._v.grad))

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return len(self.shape)

    def sparse_dim(self):
        return self._i.shape[0]

    def dense_dim(self):
        return self._v.ndim - 1

    def numel(self):
        return self.shape.numel()

    def _nnz(self):
        return self._v.shape[0]

    def is_coalesced(self):
        return self._coalesced

    def _indices(self):
        return self._i

    def _values(self):
        return self._v

    def indices(self):
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._i

    def values(self):
        if not self._coalesced and self.layout is sparse_coo:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return self._v

    def crow_indices(self):
        counts = torch.bincount(self._i[0], minlength=self.shape[0])
        return torch.cat([torch.zeros(1, dtype=torch.int64), torch.cumsum(counts, 0)])

    def col_indices(self):
        return self._i[1]

    def __repr__(self):
        size = f"size={tuple(self.shape)}, nnz={self._nnz()}"
        values = _lines(repr(self._v.detach()), 14)
        if self.layout is sparse_csr:
            text = (f"tensor(crow_indices={_lines(repr(self.crow_indices()), 20)},\n       col_indices="
                    f"{_lines(repr(self.col_indices()), 19)},\n       values={values}")
            kind = "" if self._v.dtype in (torch.get_default_dtype(), torch.int64) else f"dtype={self._v.dtype}"
            text = text.replace(f", {kind})", ")") if kind else text
            last = len(text) - text.rfind("\n") + 1
            for tail in [f"size={tuple(self.shape)}", f"nnz={self._nnz()}", kind, "layout=torch.sparse_csr"]:
                if not tail:
                    continue
                if last + len(tail) + 2 > 80:
                    text, last = text + ",\n       " + tail, 7 + len(tail)
                else:
                    text, last = text + ", " + tail, last + len(tail) + 2
            return text + ")"
        end = ", requires_grad=True" if self.requires_grad else ""
        return (f"tensor(indices={_lines(repr(self._i), 15)},\n       values={values},\n       {size}, layout=torch.sparse_coo{end})")

    # ---- other forms

    def _like(self, values):
        return SparseTensor(self._i, values, self.shape, self._coalesced, self.layout)

    def _flat(self):
        at = torch.zeros(self._nnz(), dtype=torch.int64)
        for k in range(self._i.shape[0]):
            at = at * self.shape[k] + self._i[k]
        return at

    def coalesce(self):
        # places in order, each once
        if self._coalesced:
            return self
        flat = self._flat()
        once, to = torch.unique(flat, return_inverse=True)
        values = _added((len(once),) + tuple(self._v.shape[1:]), to, self._v)
        places, rest = [], once
        for n in reversed(self.shape[:self._i.shape[0]]):
            places.append(rest % n)
            rest = torch.div(rest, n, rounding_mode="floor")
        return SparseTensor(torch.stack(places[::-1]), values, self.shape, True, self.layout)

    def to_dense(self, dtype=None):
        k = self._i.shape[0]
        n = 1
        for s in self.shape[:k]:
            n *= s
        out = _added((n,) + tuple(self._v.shape[1:]), self._flat(), self._v)
        out = out.reshape(tuple(self.shape))
        return out if dtype is None else out.to(dtype)

    __tensor__ = to_dense

    def to_sparse(self):
        return SparseTensor(self._i, self._v, self.shape, True) if self.is_sparse_csr else self

    to_sparse_coo = to_sparse

    def to_sparse_csr(self):
        c = self.coalesce()
        return SparseTensor(c._i, c._v, c.shape, True, sparse_csr)

    def to(self, *args, **kwargs):
        return self._like(self._v.to(*args, **kwargs))

    def cpu(self):
        return self.to("cpu")

    def cuda(self, device=None):
        return self.to(gpu_of(device))

    def float(self):
        return self.to(torch.float32)

    def double(self):
        return self.to(torch.float64)

    def detach(self):
        return self._like(self._v.detach())

    def clone(self):
        return self._like(self._v.clone())

    def requires_grad_(self, requires_grad=True):
        self._v.requires_grad_(requires_grad)
        return self

    def transpose(self, a, b):
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return SparseTensor(self._i[torch.tensor(order)], self._v, [self.shape[k] for k in order], False)

    def t(self):
        return self.transpose(0, 1)

    T = property(t)

    # ---- arithmetic

    def matmul(self, other):
        if isinstance(other, SparseTensor):
            return (self @ other.to_dense()).to_sparse()
        if self.ndim != 2 or self.dense_dim():
            return self.to_dense() @ other
        if other.shape[0] != self.shape[1]:
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({self.shape[0]}x{self.shape[1]} and "
                               f"{'x'.join([str(n) for n in other.shape])})")
        rows = other.index_select(0, self._i[1])
        rows = rows * (self._v if other.ndim == 1 else self._v.unsqueeze(1))
        return torch.zeros((self.shape[0],) + tuple(other.shape[1:]), dtype=rows.dtype).index_add(0, self._i[0], rows)

    mm = mv = spmm = smm = __matmul__ = matmul

    def __rmatmul__(self, other):
        return (self.t() @ other.transpose(0, 1)).transpose(0, 1) if other.ndim == 2 else self.t() @ other

    def mul(self, other):
        if isinstance(other, SparseTensor):
            return (self.to_dense() * other.to_dense()).to_sparse()
        if isinstance(other, torch.Tensor) and other.ndim:
            return (self.to_dense() * other).to_sparse()
        return self._like(self._v * other)

    __mul__ = __rmul__ = multiply = mul

    def div(self, other):
        return self._like(self._v / other)

    __truediv__ = div

    def __neg__(self):
        return self._like(-self._v)

    def add(self, other, *, alpha=1):
        if isinstance(other, SparseTensor):
            other = other if alpha == 1 else other * alpha
            return SparseTensor(torch.cat([self._i, other._i], 1), torch.cat([self._v, other._v]), self.shape).coalesce()
        return self.to_dense() + alpha * other

    __add__ = __radd__ = add

    def __sub__(self, other):
        return self.add(other, alpha=-1)

    def sum(self, dim=None, dtype=None):
        return self._v.sum() if dim is None else sum(self, dim, dtype)

    def abs(self):
        return self._like(self._v.abs())

    def pow(self, exponent):
        return self.coalesce()._like(self.coalesce()._v ** exponent)

    __pow__ = pow

    def __getitem__(self, index):
        return self.to_dense()[index]

    def backward(self, *args, **kwargs):
        raise RuntimeError("backward: of a dense scalar")


def sparse_coo_tensor(indices, values=None, size=None, *, dtype=None, device=None, requires_grad=False, is_coalesced=None,
                      check_invariants=None):
    indices = indices.to(torch.int64) if isinstance(indices, torch.Tensor) else torch.tensor(indices, dtype=torch.int64)
    values = torch.as_tensor(values, dtype=dtype, device=device)
    if indices.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {tuple(indices.shape)}")
    if indices.shape[1] != values.shape[0]:
        raise RuntimeError(f"number of dimensions must be sparse_dim ({indices.shape[0]}) + dense_dim "
                           f"({values.ndim - 1}); {indices.shape[1]} places and {values.shape[0]} values")
    if size is None:
        size = tuple([int(v) + 1 for v in indices.max(dim=1).values.tolist()]) + tuple(values.shape[1:])
    elif len(size) != indices.shape[0] + values.ndim - 1:
        raise RuntimeError(f"number of dimensions must be sparse_dim ({indices.shape[0]}) + dense_dim ({values.ndim - 1}), but got {len(size)}")
    elif tuple(size[indices.shape[0]:]) != tuple(values.shape[1:]):
        raise RuntimeError(f"values has incorrect size, expected {[indices.shape[1]] + list(size[indices.shape[0]:])}, got {list(values.shape)}")
    elif indices.shape[1] and (check_invariants is not False):
        for k, high in enumerate(indices.max(dim=1).values.tolist()):
            if high >= size[k] or int(indices[k].min()) < 0:
                raise RuntimeError(f"size is inconsistent with indices: for dim {k}, size is {size[k]} but found index {int(high)}")
    out = SparseTensor(indices, values.detach().clone() if requires_grad else values, tuple(size), bool(is_coalesced))
    return out.requires_grad_() if requires_grad else out


def sparse_csr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, device=None, requires_grad=False,
                      check_invariants=None):
    crow, col = [torch.as_tensor(v).to(torch.int64) for v in (crow_indices, col_indices)]
    values = torch.as_tensor(values, dtype=dtype, device=device)
    if size is None:
        size = (len(crow) - 1, int(col.max()) + 1)
    if check_invariants and (crow.ndim != 1 or col.ndim != 1 or len(crow) != size[0] + 1 or int(crow[0]) != 0 or
                             int(crow[-1]) != len(col) or len(col) != len(values) or bool((crow[1:] < crow[:-1]).any())):
        raise RuntimeError("crow_indices must go up from 0 to the number of values, one more than there are rows")
    if check_invariants and len(col) and not 0 <= int(col.min()) <= int(col.max()) < size[1]:
        raise RuntimeError(f"col_indices must be from 0 to {size[1] - 1}")
    rows = torch.repeat_interleave(torch.arange(len(crow) - 1), crow[1:] - crow[:-1])
    out = SparseTensor(torch.stack([rows, col]), values, tuple(size), True, sparse_csr)
    return out.requires_grad_() if requires_grad else out


def FloatTensor(indices, values, size=None):
    return sparse_coo_tensor(indices, values, size)


def from_dense(x, sparse_dim=None):
    # Tensor.to_sparse
    k = x.ndim if sparse_dim is None else sparse_dim
    seen = x if k == x.ndim else x.reshape(tuple(x.shape[:k]) + (-1,)).abs().sum(-1)
    places = torch.nonzero(seen)
    return SparseTensor(places.t(), x[tuple([places[:, i] for i in range(k)])], tuple(x.shape), True)


def mm(sparse, dense):
    return sparse @ dense


spmm = mm


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    return beta * mat + alpha * (mat1 @ mat2)


def sum(input, dim=None, dtype=None):
    d = input.to_dense(dtype)
    if dim is None:
        return d.sum()
    out = d.sum(dim)
    return from_dense(out) if out.ndim and input.ndim > len([dim] if isinstance(dim, int) else dim) else out


def softmax(input, dim, *, dtype=None):
    return _over(input, dim, dtype, torch.softmax)


def log_softmax(input, dim, *, dtype=None):
    return _over(input, dim, dtype, torch.log_softmax)


def _over(input, dim, dtype, f):
    # what is not there counts as minus infinity
    c = input.coalesce()
    dense = torch.full(tuple(c.shape), float("-inf"), dtype=dtype or c.dtype)
    at = tuple([c._i[k] for k in range(c._i.shape[0])])
    dense = dense.index_put(at, c._v.to(dense.dtype))
    return c._like(f(dense, dim)[at])


def __getattr__(name):
    raise AttributeError(f"module 'torch.sparse' has no attribute '{name}': matrices of COO and CSR are here")
