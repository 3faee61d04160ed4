# torch._products -- products of vectors and matrices, and solving.
import _factors
import _torch as _w
from torch._cast import full as _full, low as _low, stay as _stay
from torch._core import core as _core
from torch._math import __keywords__, put
from torch._shape import _size_of
from torch._types import result as _result


def _same_dtype(a, b, message):
    if a.dtype != b.dtype:
        raise RuntimeError(message.format(_cname(a.dtype), _cname(b.dtype)))


def _cname(d):
    names = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
             "int64": "long int", "int32": "int", "int16": "short", "int8": "signed char",
             "uint8": "unsigned char", "bool": "bool"}
    return names.get(d.name, d.name)


def matmul(input, other, *, out=None):
    if input.dtype != other.dtype and not _w.casting():
        _same_dtype(input, other, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    return _w.matmul(input, other, out=out)


def _with_rank(name, ranks, fn=matmul):
    def product(input, other, *, out=None):
        for x, rank, which in zip((input, other), ranks, ("mat1", "mat2")):
            if x.ndim != rank:
                kind = {1: "vector", 2: "matrix", 3: "batch of matrices"}[rank]
                raise RuntimeError(f"{name}: {which} must be a {kind}, got {x.ndim}-D tensor")
        if ranks == (3, 3) and not _w.about(input, "symbolic") and not _w.about(other, "symbolic"):
            need, found = [input.shape[0], input.shape[2]], list(other.shape[:2])
            if need != found:   # batches of one are not repeated
                raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: {need} but got: {found}.")
        return put(out, _w.label(fn(input, other), name))
    product.__name__ = product.__qualname__ = name
    return product


mm = _with_rank("mm", (2, 2))
bmm = _with_rank("bmm", (3, 3))
mv = _stay(_with_rank("mv", (2, 1)))


@_stay
def dot(input, other, *, out=None):
    if input.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {other.ndim}D tensors")
    if input.shape != other.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{input.shape[0]}] and src "
                           f"[{other.shape[0]}] to have the same number of elements, but got {input.shape[0]} and "
                           f"{other.shape[0]} elements respectively")
    if input.dtype != other.dtype:
        from torch._errors import named
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {named(input.dtype)} and "
                           f"{named(other.dtype)}")
    return put(out, _w.label(matmul(input, other), "dot"))


def vdot(input, other, *, out=None):
    return dot(input.conj(), other, out=out)


def inner(input, other):
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    return _w.tensordot(input, other, [input.ndim - 1], [other.ndim - 1])


def outer(input, vec2):
    return _w.outer(input, vec2)


ger = outer


def _sum_of(product, label):
    def add(input, left, other, *, beta=1, alpha=1, out=None):
        p = product(left, other)
        if alpha != 1:
            p = p * alpha
        if beta == 0:
            return put(out, p)
        return put(out, _w.label((input if beta == 1 else input * beta) + p, label))
    add.__name__ = add.__qualname__ = label
    return add


addmm = _low(_sum_of(matmul, "addmm"))
addmv = _stay(_sum_of(matmul, "addmv"))
baddbmm = _low(_sum_of(matmul, "baddbmm"))
addr = _sum_of(_w.outer, "addr")


@_low
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return input * beta + alpha * _w.sum(matmul(batch1, batch2), 0)


def chain_matmul(*matrices):
    out = matrices[0]
    for m in matrices[1:]:
        out = matmul(out, m)
    return out


def tensordot(a, b, dims=2):
    return _core.tensordot(a, b, dims)


def einsum(equation, *operands):
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    equation = equation.replace(" ", "")
    try:
        return _w.einsum(equation, list(operands))
    except (RuntimeError, ValueError):
        _explain(equation, operands)
        raise


def _explain(equation, operands):
    # What is wrong with an einsum, in PyTorch's words.
    def wrong(what):
        raise RuntimeError("einsum(): " + what) from None

    left, _, right = equation.partition("->")
    terms, sizes = left.split(","), {}
    if len(terms) != len(operands):
        wrong(f"{'fewer' if len(operands) < len(terms) else 'more'} operands were provided than specified in the equation")
    for k, (term, x) in enumerate(zip(terms, operands)):
        labels = term.replace("...", "")
        if len(labels) != x.ndim and "..." not in term or len(labels) > x.ndim:
            wrong(f"the number of subscripts in the equation ({len(labels)}) "
                  + (f"does not match the number of dimensions ({x.ndim}) for operand {k} and no ellipsis was given" if "..." not in term
                     else f"is more than the number of dimensions ({x.ndim}) for operand {k}"))
    for k, c in enumerate(right.replace("...", "")):
        if c in right[:k]:
            wrong(f"output subscript {c} appears more than once in the output")
        if c not in left:
            wrong(f"output subscript {c} does not appear in the equation for any input operand")
    for k, (term, x) in enumerate(zip(terms, operands)):
        shape = tuple(x.shape)
        before, dots, after = term.partition("...")
        for c, n in list(zip(before, shape)) + list(zip(after, shape[x.ndim - len(after):])):
            if sizes.setdefault(c, n) == 1:
                sizes[c] = n
            elif n not in (1, sizes[c]):
                wrong(f"subscript {c} has size {n} for operand {k} which does not broadcast with previously seen size {sizes[c]}")


@_full
def trace(input):
    if input.dtype.name == "bool":
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    return _w.diagonal_sum(input)


def cross(input, other, dim=None):
    if dim is None:
        dim = next((k for k, n in enumerate(input.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    a, b = _size_of(input, dim), _size_of(other, dim)
    if a != 3 or b != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a} and {b}")

    def part(x, k):
        return _w.narrow(x, dim, k, 1)

    pairs = ((1, 2), (2, 0), (0, 1))
    return _w.concat([part(input, i) * part(other, j) - part(input, j) * part(other, i) for i, j in pairs], dim)


def cholesky(input, upper=False):
    return __import__("torch.linalg").cholesky(input, upper=upper)


def cholesky_solve(B, L, upper=False):
    low = _factors._h(_w, L) if upper else L
    y = _w.solve_triangular(low, B, True, False, False)
    return _w.solve_triangular(_factors._h(_w, low), y, False, False, False)


def cholesky_inverse(L, upper=False):
    return cholesky_solve(_w.broadcast_to(_w.eye(L.shape[-1], L.shape[-1], 0, L.dtype), L.shape), L, upper)


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    x = _w.solve_triangular(A, b, not upper, transpose, unitriangular)
    return _result("triangular_solve", ("solution", "cloned_coefficient"))((x, A))


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    # P L U: the exchanges one after the other are one order of the rows.
    m, k = LU_data.shape[-2], min(LU_data.shape[-2:])
    none = _w.full((0,), 0.0, LU_data.dtype)
    p, low, up = none, none, none
    if unpack_data:
        low = _w.tril(LU_data, -1)[..., :k] + _w.eye(m, k, 0, LU_data.dtype)
        up = _w.triu(LU_data)[..., :k, :]
    if unpack_pivots:
        p = _w.broadcast_to(_w.eye(m, m, 0, LU_data.dtype), tuple(LU_data.shape[:-2]) + (m, m))
        rows = _w.arange(0, m, 1, _w.int64)
        for i in range(k):
            to = _w.expand_dims(_w.cast(LU_pivots[..., i], _w.int64) - 1, -1)
            order = _w.where(_w.eq(rows, i), to, _w.where(_w.eq(rows, to), i, rows))
            p = _w.take_along(p, _w.broadcast_to(_w.expand_dims(order, -1), p.shape), -2)
        p = _w.swap_axes(p, -1, -2)
    return _result("lu_unpack", ("P", "L", "U"))((p, low, up))


def inverse(input):
    return __import__("torch.linalg").inv(input)


def det(input):
    return _w.det(input)


def logdet(input):
    sign, size = _factors.slogdet(_w, input)
    if input.dtype.is_complex:
        return _w.cast(size, input.dtype) + _w.log(sign)
    return _w.where(_w.lt(sign, 0), float("nan"), size)


@_full
def cdist(x1, x2, p=2.0, compute_mode=None):
    if x1.dtype != x2.dtype:
        from torch._errors import named
        raise RuntimeError(f"expected scalar type {named(x1.dtype)} but found {named(x2.dtype)}")
    d = _w.expand_dims(x1, -2) - _w.expand_dims(x2, -3)
    if p == 2:
        square = _w.sum(d * d, -1)
        zero = _w.eq(square, 0)  # the slope at 0 is taken as 0
        return _w.where(zero, 0.0, _w.sqrt(_w.where(zero, 1.0, square)))
    return _w.norm(d, p, -1)


def pdist(input, p=2.0):
    n = input.shape[0]
    i, j = zip(*[(a, b) for a in range(n) for b in range(a + 1, n)])
    return _w.norm(_w.take(input, _w.tensor(list(i)), 0) - _w.take(input, _w.tensor(list(j)), 0), p, -1)


def kron(input, other):
    return _core.kron(input, other)


def matrix_power(input, n):
    return _core.matrix_power(input, n, inverse)


def cov(input, *, correction=1, fweights=None, aweights=None):
    return _core.cov(input, ddof=correction, fweights=fweights, aweights=aweights)


def corrcoef(input):
    return _core.corrcoef(input)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    from torch._math import _one_dtype
    from torch._shape import broadcast_tensors
    wide = _one_dtype(x1, x2)
    if not (x1.dtype.is_inexact or x2.dtype.is_inexact):
        from torch._errors import named
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {named(__import__('torch._misc').result_type(x1, x2))}")
    x1, x2 = broadcast_tensors(*[x if x.dtype.is_floating_point else y for x, y in zip((x1, x2), wide)])
    a, b = [_w.clip(x.norm(2, dim, True), eps, None) for x in (x1, x2)]
    return _w.sum((x1 / a) * (x2 / b), dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return _w.norm(x1 - x2 + eps, p, -1, keepdim)
