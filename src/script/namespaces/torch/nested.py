# torch.nested -- tensors of several lengths side by side: a list of them that computes elementwise and by rows.
import torch
from torch._types import layout as _layout

jagged = _layout("jagged")


class NestedTensor:
    is_nested, __module__ = True, "torch"

    def __init__(self, tensors, layout):
        self._t, self.layout = list(tensors), layout

    dtype = property(lambda self: self._t[0].dtype)
    device = property(lambda self: self._t[0].device)
    requires_grad = property(lambda self: any([t.requires_grad for t in self._t]))
    ndim = property(lambda self: self._t[0].ndim + 1)

    def dim(self):
        return self.ndim

    def size(self, dim=None):
        if dim is None:
            raise RuntimeError("Internal error: NestedTensorImpl doesn't support sizes.")
        if dim == 0:
            return len(self._t)
        sizes = {t.shape[dim - 1 if dim > 0 else dim] for t in self._t}
        if len(sizes) > 1:
            raise RuntimeError(f"Given dimension {dim} is irregular and does not have a size.")
        return sizes.pop()

    def __len__(self):
        return len(self._t)

    def numel(self):
        return sum([t.numel() for t in self._t])

    def unbind(self, dim=0):
        if dim != 0:
            raise RuntimeError("unbind: of axis 0")
        return tuple(self._t)

    def __iter__(self):
        return iter(self._t)

    def __getitem__(self, i):
        return self._t[i]

    def offsets(self):
        at = [0]
        for t in self._t:
            at.append(at[-1] + t.shape[0])
        return torch.tensor(at)

    def values(self):
        return torch.cat(self._t)

    def to_padded_tensor(self, padding, output_size=None):
        shape = [max([t.shape[k] for t in self._t]) for k in range(self._t[0].ndim)]
        if output_size is not None:
            shape = list(output_size)[1:]
        out = []
        for t in self._t:
            sides = []
            for k in reversed(range(t.ndim)):
                sides += [0, shape[k] - t.shape[k]]
            out.append(torch.nn.functional.pad(t, sides, value=padding))
        return torch.stack(out)

    def _each(self, f, *others):
        rows = [[o._t[i] if isinstance(o, NestedTensor) else o for o in others] for i in range(len(self._t))]
        return NestedTensor([f(t, *r) for t, r in zip(self._t, rows)], self.layout)

    def __add__(self, o):
        return self._each(lambda a, b: a + b, o)

    def __sub__(self, o):
        return self._each(lambda a, b: a - b, o)

    def __mul__(self, o):
        return self._each(lambda a, b: a * b, o)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, o):
        return self._each(lambda a, b: a / b, o)

    def __neg__(self):
        return self._each(lambda a: -a)

    def transpose(self, a, b):
        if 0 in (a, b):
            raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
        move = lambda d: d - 1 if d > 0 else d
        return self._each(lambda t: t.transpose(move(a), move(b)))

    def to(self, *args, **kwargs):
        return self._each(lambda t: t.to(*args, **kwargs))

    def detach(self):
        return self._each(lambda t: t.detach())

    def __repr__(self):
        inner = ",\n".join(["  " + repr(t).replace("\n", "\n  ") for t in self._t])
        return f"nested_tensor([\n{inner}\n])"


def nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    made = []
    for t in tensor_list:
        t = t.detach().clone() if isinstance(t, torch.Tensor) else torch.tensor(t)
        t = t.to(dtype=dtype, device=device) if dtype is not None or device is not None else t
        made.append(t.requires_grad_() if requires_grad else t)
    return NestedTensor(made, layout or torch.strided)


def as_nested_tensor(ts, dtype=None, device=None, layout=None):
    ts = list(ts)
    if dtype is not None or device is not None:
        ts = [t.to(dtype=dtype, device=device) for t in ts]
    return NestedTensor(ts, layout or torch.strided)


def to_padded_tensor(input, padding, output_size=None):
    return input.to_padded_tensor(padding, output_size)
