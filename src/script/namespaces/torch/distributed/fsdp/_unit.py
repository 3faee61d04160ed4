# torch.distributed.fsdp._unit -- the parameters of a unit as one array, of which each process has a part.
import torch
import torch.distributed as dist
from torch.nn import Parameter


class Gather(torch.autograd.Function):
    # The parts of all, end to end; backwards each gets its part of the average of what all bring.
    @staticmethod
    def forward(ctx, shard, unit):
        ctx.unit = unit
        return unit.whole(shard)

    @staticmethod
    def backward(ctx, g):
        return ctx.unit.part_of_average(g), None


def groups_of(group, mesh):
    # (who divides, who has the same part): of a group, of two, or of a mesh, whose last axis divides.
    if mesh is not None:
        if group is not None:
            raise ValueError("Cannot pass both process_group and device_mesh at the same time. Please just pass only one of them.")
        if mesh.ndim > 2:
            raise ValueError(f"a mesh of {mesh.ndim} axes; one divides, another one has copies")
        groups = mesh.get_all_groups()
        return groups[-1], groups[0] if mesh.ndim == 2 else None
    return tuple(group) if isinstance(group, tuple) else (group, None)


class Parts:
    # One-dimensional arrays of which each process of a group has an equal part; not divided: each has all of it. Processes of
    # the group `across` have the same part.
    def __init__(self, group, divided, across=None):
        self.group, self.divided, self.sync, self.left = group, divided, True, None
        self.across = across if across is not None and dist.get_world_size(across) > 1 else None
        self.world, self.rank = dist.get_world_size(group), dist.get_rank(group)

    def whole(self, shard):
        if not self.divided or self.world == 1:
            return shard.detach().clone()
        out = torch.empty(shard.numel() * self.world, dtype=shard.dtype)
        dist.all_gather_into_tensor(out, shard.detach().contiguous(), group=self.group)
        return out

    def part_of_average(self, g):
        g = self._own_average(g.contiguous())
        if g is not None and self.across is not None:
            g = g.clone()
            dist.all_reduce(g, group=self.across)
            g = g / dist.get_world_size(self.across)
        return g

    def _own_average(self, g):
        if self.left is not None:
            g, self.left = g + self.left, None
        if not self.sync:
            self.left = g.clone()
            return None
        if self.world == 1:
            return g
        if not self.divided:
            g = g.clone()
            dist.all_reduce(g, group=self.group)
            return g / self.world
        out = torch.empty(g.numel() // self.world, dtype=g.dtype)
        dist.reduce_scatter_tensor(out, g, group=self.group)
        return out / self.world


class FlatUnit(Parts):
    # entries: (module, name) of each parameter, in order. `shard` is what the optimiser sees.
    def __init__(self, module, entries, group, divided, across=None):
        super().__init__(group, divided, across)
        params = [m._parameters[name] for m, name in entries]
        if len(set([p.dtype for p in params])) != 1:
            raise ValueError("Must flatten tensors with uniform dtype but got " + " and ".join([str(p.dtype) for p in params]))
        self.module, self.entries = module, entries
        self.shapes, self.sizes = [tuple(p.shape) for p in params], [p.numel() for p in params]
        flat = torch.cat([p.detach().reshape(-1) for p in params])
        self.shard = Parameter(self.own(flat), requires_grad=any([p.requires_grad for p in params]))
        for m, name in entries:
            del m._parameters[name]
        module.register_parameter("_flat_param", self.shard)

    def own(self, flat):
        # This process's part, with zeros at the end that make parts equal.
        if not self.divided:
            return flat.clone()
        n = -(-flat.numel() // self.world)
        flat = torch.cat([flat, torch.zeros(n * self.world - flat.numel(), dtype=flat.dtype)])
        return flat[self.rank * n:self.rank * n + n].clone()

    def parts(self, whole):
        cut = whole[:sum(self.sizes)].split(self.sizes)
        return [p.reshape(shape) for p, shape in zip(cut, self.shapes)]

    def bring(self):
        recorded = torch.is_grad_enabled() and self.shard.requires_grad
        whole = Gather.apply(self.shard, self) if recorded else self.whole(self.shard)
        for (m, name), p in zip(self.entries, self.parts(whole)):
            setattr(m, name, p)

    def give_up(self):
        for m, name in self.entries:
            delattr(m, name)

    def store(self, k, value):
        # Parameter k of all, of which this process keeps what is its own.
        start = sum(self.sizes[:k])
        n = self.shard.numel()
        first = self.rank * n if self.divided else 0
        low, high = max(start, first), min(start + self.sizes[k], first + n)
        if tuple(value.shape) != self.shapes[k]:
            raise RuntimeError(f"size mismatch for {self.entries[k][1]}: copying a param with shape {tuple(value.shape)} from "
                               f"checkpoint, the shape in current model is {self.shapes[k]}.")
        if low < high:
            self.shard.data[low - first:high - first] = value.detach().reshape(-1)[low - start:high - start]

    def summon(self):
        del self.module._parameters["_flat_param"]
        for (m, name), p in zip(self.entries, self.parts(self.whole(self.shard))):
            m.register_parameter(name, Parameter(p.clone(), requires_grad=self.shard.requires_grad))

    def dismiss(self, writeback):
        values = [m._parameters[name].detach() for m, name in self.entries]
        for m, name in self.entries:
            del m._parameters[name]
        if writeback:
            with torch.no_grad():
                self.shard.copy_(self.own(torch.cat([v.reshape(-1) for v in values])))
        self.module.register_parameter("_flat_param", self.shard)
