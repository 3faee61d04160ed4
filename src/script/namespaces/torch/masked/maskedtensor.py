# torch.masked.maskedtensor -- a tensor and a mask that go through functions together.
#
# Where torch.masked is imported, the functions of torch that masked tensors have (the lists below) look for one among their
# arguments first. Nothing is changed for programs that do not import it.
#
# A gradient is masked where no element that was chosen depends on it: _paths lists the leaves behind a masked tensor, each
# with the elements that torch.where has let through so far (None: all).
import torch
from torch.masked import _reduce

_UNARY = ("abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh bitwise_not ceil clamp clip "
          "conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac lgamma log log10 log1p log2 logit "
          "i0 isnan nan_to_num neg negative positive pow rad2deg reciprocal round rsqrt sigmoid sign sgn signbit sin sinc sinh sqrt "
          "square tan tanh trunc relu").split()
_BINARY = ("add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div divide floor_divide fmod "
           "logaddexp logaddexp2 mul multiply nextafter remainder sub subtract true_divide eq ne le ge greater greater_equal gt "
           "less_equal lt less maximum minimum fmax fmin not_equal").split()
_REDUCTIONS = "sum mean prod amax amin argmax argmin norm var std all".split()
_SHAPES = "reshape transpose permute unsqueeze squeeze flatten t broadcast_to expand".split()


def is_masked_tensor(a):
    return isinstance(a, MaskedTensor)


def _check(data, mask):
    if not isinstance(data, torch.Tensor) and not hasattr(data, "to_dense"):
        raise TypeError(f"data must be a Tensor, got {type(data)}")
    if not (hasattr(mask, "dtype") and mask.dtype == torch.bool):
        raise TypeError(f"mask must have dtype bool, got {getattr(mask, 'dtype', type(mask))}")
    if data.layout != mask.layout:
        raise TypeError(f"data and mask must have the same layout. Got data.layout={data.layout}, mask.layout={mask.layout}")
    if tuple(data.shape) != tuple(mask.shape):
        raise ValueError(f"data.shape and mask.shape must be equal, got {data.shape} and {mask.shape}")


class MaskedTensor:
    def __init__(self, data, mask, requires_grad=False):
        _check(data, mask)
        self._layout = data.layout
        # sparse ones of the same places keep those; others have those of the mask
        same = data.layout != torch.strided and data._nnz() == mask._nnz()
        self._given = (data, mask) if same else None
        if data.layout != torch.strided:
            data, mask = data.to_dense(), mask.to_dense()
        data = data.detach().clone()
        self._data, self._mask = (data.requires_grad_() if requires_grad else data), mask.clone()
        self._paths = [(self, None)] if requires_grad else []
        self._reached = None

    @staticmethod
    def _of(data, mask, layout=torch.strided, paths=()):
        self = MaskedTensor.__new__(MaskedTensor)
        self._data, self._mask, self._layout = data, mask, layout
        self._paths, self._reached, self._given = list(paths), None, None
        return self

    def _reach(self, leaf):
        # Which elements of a leaf this depends on, as far as choices tell.
        seen = None
        for x, chosen in self._paths:
            if x is leaf:
                if chosen is None or chosen.shape != leaf._mask.shape:
                    return leaf._mask
                seen = chosen if seen is None else seen | chosen
        return leaf._mask if seen is None else leaf._mask & seen

    # ---- what it is

    def get_data(self):
        return _laid(self._data.detach(), self._layout, self._mask) if self._given is None else self._given[0]

    def get_mask(self):
        return _laid(self._mask, self._layout, self._mask) if self._given is None else self._given[1]

    def to_tensor(self, value):
        return torch.where(self._mask, self._data, torch.tensor(value, dtype=self._data.dtype))

    shape = property(lambda self: self._data.shape)
    dtype = property(lambda self: self._data.dtype)
    device = property(lambda self: self._data.device)
    layout = property(lambda self: self._layout)
    ndim = property(lambda self: self._data.ndim)
    requires_grad = property(lambda self: self._data.requires_grad)
    is_leaf = property(lambda self: self._data.is_leaf)
    is_sparse = property(lambda self: self._layout != torch.strided)
    T = property(lambda self: self.transpose(0, 1))

    @property
    def grad(self):
        g = self._data.grad
        return None if g is None else MaskedTensor._of(g, self._mask if self._reached is None else self._reached)

    def size(self, dim=None):
        return self._data.size() if dim is None else self._data.size(dim)

    def dim(self):
        return self._data.ndim

    def numel(self):
        return self._data.numel()

    def __len__(self):
        return len(self._data)

    def is_sparse_coo(self):
        return self._layout == torch.sparse_coo

    def is_sparse_csr(self):
        return self._layout == torch.sparse_csr

    def to_dense(self):
        return MaskedTensor._of(self._data, self._mask, torch.strided, self._paths)

    def to_sparse(self):
        return MaskedTensor._of(self._data, self._mask, torch.sparse_coo, self._paths)

    to_sparse_coo = to_sparse

    def to_sparse_csr(self):
        return MaskedTensor._of(self._data, self._mask, torch.sparse_csr, self._paths)

    def contiguous(self):
        return self

    def to(self, *args, **kwargs):
        return MaskedTensor._of(self._data.to(*args, **kwargs), self._mask, self._layout, _whole(self))

    def float(self):
        return self.to(torch.float32)

    def detach(self):
        return MaskedTensor._of(self._data.detach(), self._mask, self._layout)

    def clone(self):
        return MaskedTensor._of(self._data.clone(), self._mask.clone(), self._layout, _whole(self))

    def requires_grad_(self, on=True):
        self._data.requires_grad_(on)
        self._paths = [(self, None)] if on else []
        return self

    def backward(self, gradient=None, **options):
        if isinstance(gradient, MaskedTensor):
            gradient = gradient.to_tensor(0)
        self._data.backward(gradient, **options)
        for leaf, _ in self._paths:
            now = self._reach(leaf)
            leaf._reached = now if leaf._reached is None else leaf._reached | now

    def __getitem__(self, key):
        return MaskedTensor._of(self._data[key], self._mask[key], paths=_whole(self))

    def item(self):
        return self._data.item() if self._mask.item() else None

    def tolist(self):
        def pick(x, m):
            return [pick(a, b) for a, b in zip(x, m)] if isinstance(x, list) else x if m else None
        return pick(self._data.tolist(), self._mask.tolist())

    # ---- text

    def __repr__(self):
        if self.ndim == 0:
            there = self._mask.item()
            return f"MaskedTensor({_number(self._data.item()) if there else '--'}, {there})"
        rows = _rows(self._data.detach(), self._mask).split("\n")
        return "MaskedTensor(\n" + "\n".join(["  " + r for r in rows]) + "\n)"

    __str__ = __repr__

    # ---- operators

    def _binary(self, name, other, flipped=False):
        return _binary(name, (other, self) if flipped else (self, other), {})

    def __add__(self, o): return self._binary("add", o)
    def __radd__(self, o): return self._binary("add", o, True)
    def __sub__(self, o): return self._binary("sub", o)
    def __rsub__(self, o): return self._binary("sub", o, True)
    def __mul__(self, o): return self._binary("mul", o)
    def __rmul__(self, o): return self._binary("mul", o, True)
    def __truediv__(self, o): return self._binary("div", o)
    def __rtruediv__(self, o): return self._binary("div", o, True)
    def __floordiv__(self, o): return self._binary("floor_divide", o)
    def __mod__(self, o): return self._binary("remainder", o)
    def __pow__(self, o): return _unary("pow", self, (o,), {})
    def __neg__(self): return _unary("neg", self, (), {})
    def __abs__(self): return _unary("abs", self, (), {})
    def __eq__(self, o): return self._binary("eq", o)
    def __ne__(self, o): return self._binary("ne", o)
    def __lt__(self, o): return self._binary("lt", o)
    def __le__(self, o): return self._binary("le", o)
    def __gt__(self, o): return self._binary("gt", o)
    def __ge__(self, o): return self._binary("ge", o)
    def __matmul__(self, o): return _matmul(self, o)
    def __rmatmul__(self, o): return _matmul(o, self)
    __hash__ = object.__hash__

    def softmax(self, dim, dtype=None):
        return MaskedTensor._of(_reduce.softmax(self._data, dim, dtype=dtype, mask=self._mask), self._mask, paths=_whole(self))

    def log_softmax(self, dim, dtype=None):
        return MaskedTensor._of(_reduce.log_softmax(self._data, dim, dtype=dtype, mask=self._mask), self._mask, paths=_whole(self))

    def view(self, *shape):
        return MaskedTensor._of(self._data.view(*shape), self._mask.view(*shape), self._layout, _whole(self))

    def expand_as(self, other):
        return self.expand(*other.shape)


def _laid(x, layout, mask):
    # As the layout has it: sparse ones hold the places that the mask names.
    if layout == torch.strided:
        return x
    at = mask.nonzero().t()
    coo = torch.sparse_coo_tensor(at, x[tuple(at)], x.shape).coalesce()
    return coo if layout == torch.sparse_coo else coo.to_sparse_csr()


def _number(x):
    return f"{x:8.4f}" if isinstance(x, float) else str(x)


def _rows(data, mask):
    if data.ndim == 1:
        texts = [_number(x) for x in data.tolist()]
        there = mask.tolist()
        width = max([len(s) if m else 8 for s, m in zip(texts, there)], default=0)
        return "[" + ", ".join([s if m else "--".rjust(width) for s, m in zip(texts, there)]) + "]"
    parts = []
    for d, m in zip(data, mask):
        parts.append("\n".join(["  " + line for line in _rows(d, m).split("\n")]))
    return "[\n" + ",\n".join(parts) + "\n]"


# ---- functions of them

def _whole(x):
    return [(leaf, None) for leaf, _ in x._paths]


def _both(a, b):
    return b if a is None else a & b if a.shape == b.shape else None


def _mask_of(x):
    return x._mask if isinstance(x, MaskedTensor) else torch.ones(getattr(x, "shape", ()), dtype=torch.bool)


def _plain(x):
    return x._data if isinstance(x, MaskedTensor) else x


def _unary(name, x, args, kwargs):
    return MaskedTensor._of(_functions[name](x._data, *args, **kwargs), x._mask, x._layout, x._paths)


def _binary(name, args, kwargs):
    masked = [a for a in args if isinstance(a, MaskedTensor)]
    first = masked[0]
    for other in masked[1:]:
        if first._layout != other._layout:
            raise TypeError("data and mask must have the same layout. Got "
                            f"data.layout={first._layout}, mask.layout={other._layout}")
        if first._mask.shape != other._mask.shape or not torch.equal(first._mask, other._mask):
            raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    if any([isinstance(a, torch.Tensor) and a.requires_grad for a in args]):
        args = [MaskedTensor._of(a.to_tensor(1), a._mask, a._layout, a._paths) if isinstance(a, MaskedTensor) else a for a in args]
    y = _functions[name](*[_plain(a) for a in args], **kwargs)
    paths = [p for m in masked for p in (m._paths if m.shape == y.shape else _whole(m))]
    return MaskedTensor._of(y, torch.broadcast_to(first._mask, y.shape), first._layout, paths)


def _reduced(name, x, args, kwargs):
    kwargs = dict(kwargs)
    if name == "norm":
        names = ("ord", "dim")
        kwargs.pop("p", None) is not None and kwargs.setdefault("ord", kwargs["p"])
    else:
        names = ("dim", "keepdim")
    for n, a in zip(names, args):
        kwargs[n] = a
    dim, keep = kwargs.get("dim"), kwargs.get("keepdim", False)
    if name == "all":
        data = torch.where(x._mask, x._data.to(torch.bool), torch.tensor(True))
        data = data.all() if dim is None else data.all(dim, keepdim=keep)
    else:
        data = getattr(_reduce, name)(x._data, mask=x._mask, **kwargs)
        data = data.to(x.dtype) if name in ("argmax", "argmin") else data
    axes = _reduce._axes(dim, x.ndim)
    mask = _reduce._along(torch.any, x._mask, axes, keep) if x.ndim else x._mask
    return MaskedTensor._of(data, mask, paths=x._paths)


def _matmul(a, b):
    x, y = [v.to_tensor(0) if isinstance(v, MaskedTensor) else v for v in (a, b)]
    z = _functions["matmul"](x, y)
    there = [_mask_of(v) for v in (a, b)]
    return MaskedTensor._of(z, _functions["matmul"](there[0].float(), there[1].float()) > 0,
                            paths=[w for v in (a, b) if isinstance(v, MaskedTensor) for w in _whole(v)])


def _where(condition, input=None, other=None):
    masks = [_mask_of(v) for v in (input, other)]
    condition = _plain(condition)
    y = _functions["where"](condition, _plain(input), _plain(other))
    chosen = torch.broadcast_to(condition, y.shape)
    paths = [(leaf, _both(let, on)) for v, on in ((input, chosen), (other, ~chosen)) if isinstance(v, MaskedTensor)
             for leaf, let in (v._paths if v.shape == y.shape else [])]
    paths += [p for v in (input, other) if isinstance(v, MaskedTensor) and v.shape != y.shape for p in _whole(v)]
    return MaskedTensor._of(y, _functions["where"](condition, masks[0], masks[1]), paths=paths)


def _shaped(name, x, args, kwargs):
    return MaskedTensor._of(_functions[name](x._data, *args, **kwargs), _functions[name](x._mask, *args, **kwargs), paths=_whole(x))


def _joined(name, xs, args, kwargs):
    parts = [MaskedTensor._of(_plain(x), _mask_of(x)) for x in xs]
    return MaskedTensor._of(_functions[name]([p._data for p in parts], *args, **kwargs),
                            _functions[name]([p._mask for p in parts], *args, **kwargs),
                            paths=[w for x in xs if isinstance(x, MaskedTensor) for w in _whole(x)])


_functions = {}     # those of torch, by name


def _call(name, args, kwargs):
    if name in _UNARY:
        return _unary(name, args[0], args[1:], kwargs)
    if name in _BINARY:
        return _binary(name, args, kwargs)
    if name in _REDUCTIONS:
        return _reduced(name, args[0], args[1:], kwargs)
    if name in _SHAPES:
        return _shaped(name, args[0], args[1:], kwargs)
    if name in ("cat", "stack"):
        return _joined(name, args[0], args[1:], kwargs)
    if name == "where":
        return _where(*args, **kwargs)
    if name in ("softmax", "log_softmax"):
        return getattr(args[0], name)(*args[1:], **kwargs)
    return _matmul(*args, **kwargs)


def _over(name, fn):
    def call(*args, **kwargs):
        for a in args:
            if isinstance(a, MaskedTensor) or (isinstance(a, (list, tuple)) and any([isinstance(x, MaskedTensor) for x in a])):
                return _call(name, args, kwargs)
        return fn(*args, **kwargs)
    call.__name__ = call.__qualname__ = name
    return call


def _method(name):
    return lambda self, *args, **kwargs: _call(name, (self,) + args, kwargs)


for _name in _UNARY + _BINARY + _REDUCTIONS + _SHAPES + ["where", "cat", "stack", "softmax", "log_softmax", "matmul", "mm"]:
    if hasattr(torch, _name):
        _functions[_name] = getattr(torch, _name)
        setattr(torch, _name, _over(_name, _functions[_name]))
        if not hasattr(MaskedTensor, _name) and _name not in ("where", "cat", "stack"):
            setattr(MaskedTensor, _name, _method(_name))


# ---- derivatives: autograd takes them as it takes tensors

def _reached(ys, x):
    if not isinstance(x, MaskedTensor):
        return _mask_of(x)
    found = [y._reach(x) for y in ys if isinstance(y, MaskedTensor) and any([leaf is x for leaf, _ in y._paths])]
    return x._mask if not found else found[0] if len(found) == 1 else torch.stack(found).any(0)


def _grad_over(fn):
    def grad(outputs, inputs, grad_outputs=None, **options):
        ys = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        xs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if not any([isinstance(v, MaskedTensor) for v in ys + xs]):
            return fn(outputs, inputs, grad_outputs, **options)
        got = fn([_plain(y) for y in ys], [_plain(x) for x in xs], grad_outputs, **options)
        return tuple([None if g is None else MaskedTensor._of(g, _reached(ys, x)) for g, x in zip(got, xs)])
    return grad


torch.autograd.grad = _grad_over(torch.autograd.grad)


def masked_tensor(data, mask, requires_grad=False):
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data, mask):
    # The same numbers with their history: gradients reach what data was made of, none through what is masked.
    _check(data, mask)
    return MaskedTensor._of(torch.where(mask, data, data.detach()) if data.requires_grad else data, mask.clone(), data.layout)
