# torch.distributed.fsdp._fully_shard -- fully_shard: every parameter of a module divided along its first axis.
import torch
import torch.distributed as dist
from torch.nn import Parameter
from torch.distributed.fsdp._unit import Gather, Parts, groups_of
from torch.distributed.tensor.placement_types import Replicate, Shard


class MixedPrecisionPolicy:
    def __init__(self, param_dtype=None, reduce_dtype=None, output_dtype=None, cast_forward_inputs=True):
        if param_dtype is not None or reduce_dtype is not None or output_dtype is not None:
            raise NotImplementedError("MixedPrecisionPolicy: other types than those of the parameters")
        self.cast_forward_inputs = cast_forward_inputs


class OffloadPolicy:
    pass


class CPUOffloadPolicy(OffloadPolicy):
    def __init__(self, pin_memory=True):
        self.pin_memory = pin_memory


class DTensor(Parameter):
    # Rows of a parameter that this process has; shape is that of the whole. _over: the parameter before, a part itself, or None.
    @property
    def shape(self):
        return torch.Size(self._whole) if self._over is None else self._over.shape

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    @property
    def divided(self):
        # The groups whose processes have parts of it, and of its gradient.
        return (self._unit.group,) + (() if self._over is None else self._over.divided)

    @property
    def placements(self):
        own = (Shard(0),) if self._unit.across is None else (Replicate(), Shard(0))
        return own if self._over is None else own + self._over.placements

    def to_local(self):
        return self.data[:self._rows]

    def full_tensor(self):
        value = self._unit.full(self)
        return value if self._over is None else self._over.whole_of(value)

    def _load(self, value):
        # The own rows of the whole.
        n = self._unit.chunk(self._whole[0])
        own = value.detach()[self._unit.rank * n:self._unit.rank * n + n]
        with torch.no_grad():
            self.data[:self._rows] = own


class _Rows(Parts):
    # Parameters of a unit by rows; each process has as many of each, the last ones fewer, with zeros behind.
    def __init__(self, entries, group, across):
        super().__init__(group, True, across)
        self.entries, self.params = entries, []
        for m, name in entries:
            p = m._parameters[name]
            value = p.detach()
            whole = tuple(value.shape)
            if not whole:
                raise ValueError("fully_shard doesn't support scalar parameters. Change it to a 1D tensor with numel equal to 1.")
            n = self.chunk(whole[0])
            own = value[self.rank * n:self.rank * n + n]
            rows = own.shape[0]
            own = torch.cat([own, torch.zeros((n - rows,) + whole[1:], dtype=value.dtype)])
            made = DTensor(own.clone(), requires_grad=p.requires_grad)
            made._whole, made._rows, made._unit = whole, rows, self
            made._over = p if hasattr(p, "whole_of") else None
            m._parameters[name] = made
            self.params.append(made)

    def chunk(self, rows):
        return -(-rows // self.world)

    def _counts(self):
        return [p.data.numel() for p in self.params]

    def full(self, p):
        return self.whole(p.data.reshape(-1)).reshape((-1,) + tuple(p._whole[1:]))[:p._whole[0]]

    def bring(self):
        flat = torch.cat([p.reshape(-1) for p in self.params])
        whole = Gather.apply(flat, self) if torch.is_grad_enabled() and flat.requires_grad else self.whole(flat)
        cut = whole.reshape(self.world, -1).split(self._counts(), dim=1)
        for (m, name), p, part in zip(self.entries, self.params, cut):
            del m._parameters[name]
            setattr(m, name, part.reshape((-1,) + tuple(p._whole[1:]))[:p._whole[0]])

    def give_up(self):
        for (m, name), p in zip(self.entries, self.params):
            delattr(m, name)
            m._parameters[name] = p


class FSDPModule:
    # What fully_shard adds to a module.
    def set_requires_gradient_sync(self, requires_gradient_sync, *, recurse=True):
        for m in self.modules() if recurse else [self]:
            unit = getattr(m, "_fsdp_rows", None)
            if unit is not None:
                unit.sync = requires_gradient_sync

    def reshard(self):
        pass    # parameters are whole in forward passes alone

    def unshard(self, async_op=False):
        raise NotImplementedError("unshard: parameters are whole in forward passes alone")


def _bound(module, name):
    fn = getattr(FSDPModule, name)
    return lambda *args, **kwargs: fn(module, *args, **kwargs)


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None, mp_policy=None, offload_policy=None,
                ignored_params=None):
    # reshard_after_forward: parameters are gathered when they are used, whatever it says
    for name, value in (("shard_placement_fn", shard_placement_fn), ("ignored_params", ignored_params),
                        ("mp_policy", mp_policy), ("offload_policy", offload_policy)):
        if value is not None:
            raise NotImplementedError(f"fully_shard: {name}={value!r}")
    if hasattr(module, "_fsdp_rows"):
        raise AssertionError("fully_shard has already been applied to this module")
    if not isinstance(module, torch.nn.Module):
        return [fully_shard(m, mesh=mesh, reshard_after_forward=reshard_after_forward) for m in module]
    entries = [(m, name) for m in module.modules() for name, p in m._parameters.items()
               if p is not None and not isinstance(p, DTensor)]
    module._fsdp_rows = unit = _Rows(entries, *groups_of(None, mesh))
    for name in ("set_requires_gradient_sync", "reshard", "unshard"):
        setattr(module, name, _bound(module, name))
    if entries:
        module.register_forward_pre_hook(lambda m, args: unit.bring())
        module.register_forward_hook(lambda m, args, out: unit.give_up(), always_call=True)
    return module
