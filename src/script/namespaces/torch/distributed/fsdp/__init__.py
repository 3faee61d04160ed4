# torch.distributed.fsdp -- parameters, gradients and optimiser state divided among the processes of a group. A unit's parameters are
# brought together when its forward pass begins and given up when it ends; the backward pass uses what the forward pass gathered,
# and leaves each process its part of the averaged gradients.
import enum
import torch
import torch.distributed as dist
from torch.nn import Module, Parameter
from torch.distributed.fsdp._unit import FlatUnit, groups_of
from torch.distributed.fsdp._fully_shard import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard


class ShardingStrategy(enum.Enum):
    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class StateDictType(enum.Enum):
    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


class FullStateDictConfig:
    def __init__(self, offload_to_cpu=False, rank0_only=False):
        self.offload_to_cpu, self.rank0_only = offload_to_cpu, rank0_only


class FullOptimStateDictConfig(FullStateDictConfig):
    pass


class LocalStateDictConfig:
    offload_to_cpu = rank0_only = False


class BackwardPrefetch(enum.Enum):
    BACKWARD_PRE = 1
    BACKWARD_POST = 2


class CPUOffload:
    def __init__(self, offload_params=False):
        self.offload_params = offload_params


class MixedPrecision:
    def __init__(self, param_dtype=None, reduce_dtype=None, buffer_dtype=None, **more):
        self.param_dtype, self.reduce_dtype, self.buffer_dtype = param_dtype, reduce_dtype, buffer_dtype


class _Saving:
    # What state_dict gives, of one module tree.
    def __init__(self, kind, config):
        self.kind, self.config = kind, config


def _nodes():
    # Who divides: the processes of one machine; who has the same part: one of each machine.
    import os
    n = int(os.environ.get("LOCAL_WORLD_SIZE", dist.get_world_size()))
    own, _ = dist.new_subgroups(n)
    across = [dist.new_group(list(range(k, dist.get_world_size(), n))) for k in range(n)]
    return own, across[dist.get_rank() % n]


class FullyShardedDataParallel(Module):
    def __init__(self, module, process_group=None, sharding_strategy=None, cpu_offload=None, auto_wrap_policy=None,
                 backward_prefetch=None, mixed_precision=None, ignored_modules=None, param_init_fn=None, device_id=None,
                 sync_module_states=False, forward_prefetch=False, limit_all_gathers=True, use_orig_params=False,
                 ignored_states=None, device_mesh=None):
        super().__init__()
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        for name, value in (("mixed_precision", mixed_precision), ("ignored_modules", ignored_modules),
                            ("param_init_fn", param_init_fn), ("ignored_states", ignored_states),
                            ("use_orig_params", use_orig_params or None),
                            ("cpu_offload", cpu_offload if cpu_offload is not None and cpu_offload.offload_params else None)):
            if value is not None:
                raise NotImplementedError(f"FullyShardedDataParallel: {name}={value!r}")
        if device_id is not None and torch.device(device_id).type != "cpu":
            raise NotImplementedError(f"FullyShardedDataParallel: device_id={device_id!r}")
        hybrid = strategy in (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)
        if hybrid and device_mesh is None and not isinstance(process_group, tuple):
            process_group = _nodes()
        process_group, across = groups_of(process_group, device_mesh)
        if hybrid and across is None:
            raise ValueError("Manual wrapping with ShardingStrategy.HYBRID_SHARD requires explicit specification of process group or "
                             "device_mesh.")
        if auto_wrap_policy is not None:
            from torch.distributed.fsdp.wrap import wrap_children
            wrap_children(module, auto_wrap_policy, lambda m: FullyShardedDataParallel(
                m, (process_group, across) if hybrid else process_group, strategy, sync_module_states=sync_module_states))
        self.process_group, self.sharding_strategy = process_group, strategy
        self._saving = _Saving(StateDictType.FULL_STATE_DICT, FullStateDictConfig())
        self._fsdp_wrapped_module = module
        found = [(m, name) for m in _own_modules(module) for name, p in m._parameters.items() if p is not None]
        if sync_module_states:
            for x in [m._parameters[name].data for m, name in found] + \
                    [b for m in _own_modules(module) for b in m._buffers.values() if b is not None]:
                for group in [process_group] + ([across] if across is not None else []):
                    dist.broadcast(x, group=group, group_src=0)
        self._unit = FlatUnit(module, found, process_group, strategy is not ShardingStrategy.NO_SHARD, across) if found else None

    @property
    def module(self):
        return self._fsdp_wrapped_module

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_fsdp_wrapped_module"), name)

    def __getitem__(self, key):
        return self.module[key]

    def forward(self, *args, **kwargs):
        if self._unit is None:
            return self.module(*args, **kwargs)
        self._unit.bring()
        try:
            return self.module(*args, **kwargs)
        finally:
            self._unit.give_up()

    # ---- the tree

    @staticmethod
    def fsdp_modules(module, root_only=False):
        found = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        return found[:1] if root_only else found

    def no_sync(self):
        return _Unsynced([m._unit for m in FullyShardedDataParallel.fsdp_modules(self) if m._unit is not None])

    def clip_grad_norm_(self, max_norm, norm_type=2.0):
        p = float(norm_type)
        units = [m._unit for m in FullyShardedDataParallel.fsdp_modules(self) if m._unit is not None]
        total = torch.zeros(())
        for unit in units:
            g = unit.shard.grad
            if g is not None:
                part = g.abs().max() if p == float("inf") else (g.abs() ** p).sum()
                part = part if unit.divided or p == float("inf") else part / unit.world
                total = torch.maximum(total, part) if p == float("inf") else total + part
        dist.all_reduce(total, dist.ReduceOp.MAX if p == float("inf") else dist.ReduceOp.SUM, self.process_group)
        norm = total if p == float("inf") else total ** (1.0 / p)
        scale = torch.clamp(float(max_norm) / (norm + 1e-6), max=1.0)
        with torch.no_grad():
            for unit in units:
                if unit.shard.grad is not None:
                    unit.shard.grad *= scale
        return norm

    @staticmethod
    def summon_full_params(module, recurse=True, writeback=True, rank0_only=False, offload_to_cpu=False, with_grads=False):
        if with_grads or rank0_only or offload_to_cpu:
            raise NotImplementedError("summon_full_params: with_grads, rank0_only, offload_to_cpu")
        found = FullyShardedDataParallel.fsdp_modules(module)
        return _Summoned([m._unit for m in (found if recurse else found[:1]) if m._unit is not None], writeback)

    # ---- state

    @staticmethod
    def state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        return _Typed(module, FullyShardedDataParallel._typed(state_dict_type, state_dict_config))

    @staticmethod
    def set_state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        made = FullyShardedDataParallel._typed(state_dict_type, state_dict_config)
        for m in FullyShardedDataParallel.fsdp_modules(module):
            m._saving = made

    @staticmethod
    def _typed(kind, config):
        if kind is StateDictType.SHARDED_STATE_DICT:
            raise NotImplementedError("StateDictType.SHARDED_STATE_DICT: FULL_STATE_DICT and LOCAL_STATE_DICT are there")
        return _Saving(kind, config or FullStateDictConfig())

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        out = {} if destination is None else destination
        if self._saving.kind is StateDictType.LOCAL_STATE_DICT:
            return self.module.state_dict(destination=out, prefix=prefix, keep_vars=keep_vars)
        for name, value in _whole(self, prefix):    # all processes take part
            if not self._saving.config.rank0_only or dist.get_rank(self.process_group) == 0:
                out[name] = value
        return out

    def load_state_dict(self, state_dict, strict=True, assign=False):
        if assign:
            raise NotImplementedError("FullyShardedDataParallel.load_state_dict: assign=True")
        if self._saving.kind is StateDictType.LOCAL_STATE_DICT:
            return self.module.load_state_dict(state_dict, strict)
        want = [name for name, _, _ in _places(self, "")]
        missing = [k for k in want if k not in state_dict]
        extra = [k for k in state_dict if k not in want]
        if strict and (missing or extra):
            raise RuntimeError("Error(s) in loading state_dict for FullyShardedDataParallel:\n\t" + "\n\t".join(
                ([f"Missing key(s) in state_dict: {', '.join([repr(k) for k in missing])}. "] if missing else []) +
                ([f"Unexpected key(s) in state_dict: {', '.join([repr(k) for k in extra])}. "] if extra else [])))
        with torch.no_grad():
            for name, unit, at in _places(self, ""):
                if name not in state_dict:
                    continue
                if unit is None:
                    at.copy_(state_dict[name])
                else:
                    unit.store(at, state_dict[name])
        from torch.nn.modules.module import _IncompatibleKeys
        return _IncompatibleKeys(missing, extra)

    @staticmethod
    def optim_state_dict(model, optim, optim_state_dict=None, group=None):
        if group is not None:
            raise NotImplementedError("optim_state_dict: group")
        # By names of parameters, whole.
        given = optim.state_dict() if optim_state_dict is None else optim_state_dict
        by_flat = {id(unit.shard): (prefix, unit) for prefix, unit in _units(model, "")}
        params = [p for g in optim.param_groups for p in g["params"]]
        state, names = {}, {}
        for k, p in enumerate(params):
            if id(p) not in by_flat:
                raise ValueError("optim_state_dict: a parameter of the optimiser is none of the model's")
            unit = by_flat[id(p)][1]
            names[k] = [n for n, u, _ in _places(model, "") if u is unit]
            for key, value in given["state"].get(k, {}).items():
                parts = unit.parts(unit.whole(value)) if hasattr(value, "shape") and tuple(value.shape) == tuple(p.shape) else None
                for i, name in enumerate(names[k]):
                    state.setdefault(name, {})[key] = value if parts is None else parts[i].clone()
        groups = [dict(g, params=[n for k in g["params"] for n in names[k]]) for g in given["param_groups"]]
        return {"state": state, "param_groups": groups}

    full_optim_state_dict = optim_state_dict

    @staticmethod
    def optim_state_dict_to_load(model, optim, optim_state_dict, is_named_optimizer=False, load_directly=False, group=None):
        if is_named_optimizer or group is not None:
            raise NotImplementedError("optim_state_dict_to_load: is_named_optimizer, group")
        by_flat = {id(unit.shard): unit for _, unit in _units(model, "")}
        state = {}
        for k, p in enumerate([p for g in optim.param_groups for p in g["params"]]):
            unit = by_flat[id(p)]
            names = [n for n, u, _ in _places(model, "") if u is unit]
            have = optim_state_dict["state"].get(names[0])
            for key, value in (have or {}).items():
                if hasattr(value, "shape") and len(value.shape):
                    value = unit.own(torch.cat([optim_state_dict["state"][n][key].reshape(-1) for n in names]))
                state.setdefault(k, {})[key] = value
        current = optim.state_dict()["param_groups"]
        groups = [dict(g, params=c["params"]) for g, c in zip(optim_state_dict["param_groups"], current)]
        made = {"state": state, "param_groups": groups}
        if load_directly:
            optim.load_state_dict(made)
        return made


FSDP = FullyShardedDataParallel


def _own_modules(module):
    # Those that no nested unit has.
    out = [module]
    for child in module.children():
        if not isinstance(child, FullyShardedDataParallel):
            out.extend(_own_modules(child))
    return out


def _places(module, prefix, unit=None):
    # (name, unit, number in it) of every parameter, (name, None, buffer) of every buffer, in the order of the module as it was.
    if isinstance(module, FullyShardedDataParallel):
        return _places(module._fsdp_wrapped_module, prefix, module._unit)
    out = []
    for k, (m, name) in enumerate(unit.entries if unit is not None else []):
        if m is module:
            out.append((prefix + name, unit, k))
    for name, b in module._buffers.items():
        if b is not None and name not in getattr(module, "_non_persistent_buffers_set", ()):
            out.append((prefix + name, None, b))
    for name, child in module.named_children():
        out.extend(_places(child, prefix + name + ".", unit))
    return out


def _units(module, prefix):
    return [(prefix, m._unit) for m in FullyShardedDataParallel.fsdp_modules(module) if m._unit is not None]


def _whole(module, prefix):
    parts = {}
    for _, unit in _units(module, ""):
        parts[id(unit)] = unit.parts(unit.whole(unit.shard.detach()))
    return [(name, at.detach() if unit is None else parts[id(unit)][at].clone()) for name, unit, at in _places(module, prefix)]


class _Unsynced:
    # Gradients of this process alone are added up, whole, and go with the next ones.
    def __init__(self, units):
        self.units = units

    def __enter__(self):
        for u in self.units:
            u.sync = False

    def __exit__(self, *exc):
        for u in self.units:
            u.sync = True
        return False


class _Summoned:
    def __init__(self, units, writeback):
        self.units, self.writeback = units, writeback

    def __enter__(self):
        for u in self.units:
            u.summon()

    def __exit__(self, *exc):
        for u in self.units:
            u.dismiss(self.writeback)
        return False


class _Typed:
    def __init__(self, module, saving):
        self.modules, self.saving = FullyShardedDataParallel.fsdp_modules(module), saving

    def __enter__(self):
        self.before = [m._saving for m in self.modules]
        for m in self.modules:
            m._saving = self.saving

    def __exit__(self, *exc):
        for m, s in zip(self.modules, self.before):
            m._saving = s
        return False
