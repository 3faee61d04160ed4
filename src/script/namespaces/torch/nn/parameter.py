# torch.nn.parameter -- tensors that a module counts among its own.
import _torch as _w
from torch._tensor import Tensor, _shown


class Parameter(Tensor):
    def __init__(self, data=None, requires_grad=True):
        if data is None:
            data = _w.full((0,), 0.0)
        if not isinstance(data, _w.Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
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


_FREE = "materialize data to cuda cpu half float double char short int long get_device is_complex is_floating_point requires_grad_ copy_ size".split()


def _refuse_use():
    # Methods of tensors that an uninitialised one has not. `size` and `copy_` are left to say what they miss.
    def refusing(name):
        def refuse(self, *args, **kwargs):
            raise ValueError(f"Attempted to use an uninitialized parameter in <method '{name}' of 'torch._C.TensorBase' objects>. This "
                             "error happens when you are using a `LazyModule` or explicitly manipulating "
                             f"`torch.nn.parameter.{type(self).__name__}` objects. When using LazyModules Call `forward` with a dummy "
                             "batch to initialize the parameters before calling torch functions")
        return refuse

    for name in dir(Tensor):
        if not name.startswith("_") and name not in _FREE and callable(getattr(Tensor, name)):
            setattr(UninitializedTensorMixin, name, refusing(name))
    for name in "add sub mul matmul truediv pow getitem len neg lt gt le ge radd rsub rmul rtruediv rmatmul rpow".split():
        setattr(UninitializedTensorMixin, f"__{name}__", refusing(name.replace("truediv", "div")))


class UninitializedTensorMixin:
    # A tensor whose sizes are not known yet: its memory has no elements until `materialize`.
    def __init__(self, requires_grad=True, device=None, dtype=None):
        if not hasattr(UninitializedTensorMixin, "numel"):
            _refuse_use()
        _w.Tensor.__init__(self, __import__("torch").empty(0, device=device, dtype=dtype))
        if requires_grad:
            self.requires_grad_()

    def materialize(self, shape, device=None, dtype=None):
        old = _w.detach(self)
        _w.set_data(self, __import__("torch").empty(shape, device=old.device if device is None else device,
                                                    dtype=old.dtype if dtype is None else dtype))
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        raise RuntimeError("Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
                           "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` to "
                           "initialize the parameters before accessing their attributes.")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    __str__ = __repr__


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    cls_to_become = Parameter

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            plain = _w.detach(self)
            memo[id(self)] = type(self)(self.requires_grad, plain.device, plain.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    cls_to_become = Tensor

    def __init__(self, requires_grad=False, device=None, dtype=None, persistent=True):
        UninitializedTensorMixin.__init__(self, requires_grad, device, dtype)
        self.persistent = persistent


def is_lazy(p):
    return isinstance(p, UninitializedTensorMixin)
