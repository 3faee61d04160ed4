# torch.nn.parameter -- tensors that a module counts among its own.
import _torch as _w
from torch._tensor import Tensor, _shown


class Parameter(Tensor):
    def __init__(self, data=None, requires_grad=True):
        if data is None:
            data = _w.full((0,), 0.0)
        _w.Tensor.__init__(self, _w.detach(data))
        if requires_grad:
            self.requires_grad_()

    def __repr__(self):
        return _shown(self, True)

    __str__ = __repr__


class Buffer(Tensor):
    def __init__(self, data=None, *, persistent=True):
        _w.Tensor.__init__(self, _w.detach(data))
        self.persistent = persistent


def is_lazy(p):
    return False
