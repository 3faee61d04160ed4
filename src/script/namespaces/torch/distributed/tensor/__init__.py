# torch.distributed.tensor -- tensors of which each process of a mesh has a part.
#
# What has a rule is done on parts: elementwise operations, products of matrices, reductions, rearrangements. For anything else the
# parts are brought together, and every process has the whole result. Gradients lie as the tensors do; see _rules.
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from torch.distributed.tensor import _rules


def _dims(mesh, placements):
    placements = tuple([Replicate()] * mesh.ndim) if placements is None else tuple(placements)
    if len(placements) != mesh.ndim:
        raise ValueError(f"`placements` must have the same length as `device_mesh.ndim`! Found placements length: {len(placements)}, and "
                         f"device_mesh.ndim: {mesh.ndim}.")
    return placements


def _normal(placements, ndim):
    out = []
    for p in placements:
        if isinstance(p, Shard) and p.dim < 0:
            p = Shard(p.dim + ndim)
        if isinstance(p, Shard) and p.dim >= ndim:
            raise AssertionError(f"Sharding dim {p.dim} greater than tensor ndim {ndim}")
        out.append(p)
    return tuple(out)


class DTensor:
    def __init__(self, local, mesh, placements, shape):
        self._local_tensor, self.device_mesh, self.placements, self.shape = local, mesh, tuple(placements), torch.Size(shape)

    @staticmethod
    def from_local(local_tensor, device_mesh=None, placements=None, *, run_check=False, shape=None, stride=None):
        mesh = device_mesh
        placements = _normal(_dims(mesh, placements), local_tensor.ndim)
        whole = list(local_tensor.shape)
        for p, k in zip(placements, range(mesh.ndim)):
            if isinstance(p, Shard):
                whole[p.dim] *= mesh.size(k)
        if stride is not None:
            raise NotImplementedError("DTensor.from_local: stride")
        local = local_tensor.view_as(local_tensor) if local_tensor.requires_grad else local_tensor.detach()
        if run_check and all([isinstance(p, Replicate) for p in placements]):
            local = local.clone()
            for k in range(mesh.ndim):
                dist.broadcast(local, group=mesh.get_group(k), group_src=0)
        return DTensor(local, mesh, placements, whole if shape is None else shape)

    # ---- what it is

    dtype = property(lambda self: self._local_tensor.dtype)
    device = property(lambda self: self._local_tensor.device)
    ndim = property(lambda self: len(self.shape))
    T = property(lambda self: self.t())

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return self.ndim

    def numel(self):
        return self.shape.numel()

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"DTensor(local_tensor={self._local_tensor}, device_mesh={self.device_mesh}, placements={self.placements})"

    def to_local(self, *, grad_placements=None):
        # grad_placements: how the gradients lie that come back
        if grad_placements is None:
            return self._local_tensor
        back = _normal(_dims(self.device_mesh, grad_placements), self.ndim)
        for p, own in zip(back, self.placements):
            if p != own and not (p.is_partial("sum") and own.is_replicate()):
                raise NotImplementedError(f"grad_placements: {p!r} where the tensor is {own!r}")
        sums = [k for k, p in enumerate(back) if p.is_partial() and self.placements[k].is_replicate()]
        return _rules.shared(self._local_tensor, self.device_mesh, sums)

    def full_tensor(self, *, grad_placements=None):
        return self.redistribute(placements=[Replicate()] * self.device_mesh.ndim).to_local(grad_placements=grad_placements)

    # ---- derivatives

    requires_grad = property(lambda self: self._local_tensor.requires_grad)
    is_leaf = property(lambda self: self._local_tensor.is_leaf)
    grad_fn = property(lambda self: self._local_tensor.grad_fn)

    @property
    def grad(self):
        g = self._local_tensor.grad
        return None if g is None else DTensor(g, self.device_mesh, _rules.of_gradients(self.placements), self.shape)

    @grad.setter
    def grad(self, value):
        self._local_tensor.grad = value if value is None else value.redistribute(placements=_rules.of_gradients(self.placements))._local_tensor

    def requires_grad_(self, requires_grad=True):
        self._local_tensor.requires_grad_(requires_grad)
        return self

    def retain_grad(self):
        self._local_tensor.retain_grad()

    def backward(self, gradient=None, retain_graph=None, create_graph=False):
        if isinstance(gradient, DTensor):
            gradient = gradient.redistribute(placements=_rules.of_gradients(self.placements))._local_tensor
        if gradient is None and self.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        self._local_tensor.backward(gradient, retain_graph, create_graph)

    def redistribute(self, device_mesh=None, placements=None, *, async_op=False, forward_dtype=None, backward_dtype=None):
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        if (device_mesh is not None and device_mesh != self.device_mesh) or forward_dtype is not None or backward_dtype is not None:
            raise NotImplementedError("DTensor.redistribute: another mesh, forward_dtype, backward_dtype")
        return _rules.redistributed(self, _normal(_dims(self.device_mesh, placements), self.ndim))

    def item(self):
        return self.full_tensor().item()

    def tolist(self):
        return self.full_tensor().tolist()

    def __bool__(self):
        return bool(self.full_tensor())

    def __float__(self):
        return float(self.full_tensor())

    def __int__(self):
        return int(self.full_tensor())

    def __getitem__(self, key):
        return _rules.whole("__getitem__", [self, key], {})

    def __getattr__(self, name):
        # Methods of tensors.
        if name.startswith("_") or not hasattr(torch.Tensor, name):
            raise AttributeError(f"'DTensor' object has no attribute '{name}'")
        return lambda *args, **kwargs: _rules.call(name, [self] + list(args), kwargs)


def _operator(name, swapped=False):
    def run(self, other):
        return _rules.call(name, [other, self] if swapped else [self, other], {})
    return run


for _name, _method in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("pow", "pow"), ("matmul", "matmul")):
    setattr(DTensor, f"__{_name}__", _operator(_method))
    setattr(DTensor, f"__r{_name}__", _operator(_method, True))
for _name in ("gt", "ge", "lt", "le", "eq", "ne"):
    setattr(DTensor, f"__{_name}__", _operator(_name))
DTensor.__neg__ = lambda self: _rules.call("neg", [self], {})
DTensor.__hash__ = lambda self: id(self)
_rules.DTensor = DTensor


# ---- making


def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank=0):
    # Everyone has what the first process of the mesh has, and keeps its part.
    mesh = device_mesh
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError(f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different device mesh {mesh}.")
        return tensor.redistribute(placements=placements)
    placements = _normal(_dims(mesh, placements), tensor.ndim)
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    local = tensor.detach().clone()
    for k in range(mesh.ndim if src_data_rank is not None else 0):
        dist.broadcast(local, group=mesh.get_group(k), group_src=src_data_rank)
    whole = DTensor(local, mesh, [Replicate()] * mesh.ndim, tensor.shape)
    return _rules.redistributed(whole, placements).requires_grad_(tensor.requires_grad)


def _factory(make):
    def f(*size, dtype=None, layout=torch.strided, requires_grad=False, device_mesh=None, placements=None):
        size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
        if layout != torch.strided:
            raise NotImplementedError("torch.distributed.tensor: other layouts than strided")
        whole = DTensor(make(size, dtype), device_mesh, [Replicate()] * device_mesh.ndim, size)
        made = _rules.redistributed(whole, _normal(_dims(device_mesh, placements), len(size)))
        return made.requires_grad_() if requires_grad else made
    return f


zeros = _factory(lambda size, dtype: torch.zeros(size, dtype=dtype))
ones = _factory(lambda size, dtype: torch.ones(size, dtype=dtype))
empty = _factory(lambda size, dtype: torch.zeros(size, dtype=dtype))


def full(size, fill_value, *, dtype=None, layout=torch.strided, requires_grad=False, device_mesh=None, placements=None):
    return _factory(lambda s, d: torch.full(s, fill_value, dtype=d))(size, dtype=dtype, layout=layout, requires_grad=requires_grad,
                                                                     device_mesh=device_mesh, placements=placements)


_rules.take_part()
