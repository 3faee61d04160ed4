# torch.distributed.optim -- an optimiser whose state is divided among the processes: each has that of some parameters, updates those,
# and gives them to the others.
import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join, Joinable, JoinHook, _JoinConfig
from torch.optim import Optimizer


class _StepHook(JoinHook):
    def __init__(self, zero):
        self.zero = zero

    def main_hook(self):
        self.zero.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    def __init__(self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False, overlap_with_ddp=False,
                 **defaults):
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: overlap_with_ddp=True")
        self.process_group, self.parameters_as_bucket_view = process_group, parameters_as_bucket_view
        self.world_size, self.rank = dist.get_world_size(process_group), dist.get_rank(process_group)
        self._class, self._defaults, self._all = optimizer_class, defaults, None
        self._join_config = _JoinConfig()
        super().__init__(params, defaults)
        self._divide()

    def _divide(self):
        # Largest first, each to whoever has least: parts of about one size.
        sizes, self._owner = [0] * self.world_size, {}
        for g in self.param_groups:
            for p in sorted(g["params"], key=lambda p: -p.numel()):
                k = sizes.index(min(sizes))
                sizes[k] += p.numel()
                self._owner[id(p)] = k
        groups = [dict(g, params=[p for p in g["params"] if self._owner[id(p)] == self.rank]) for g in self.param_groups]
        self.optim = self._class([g for g in groups if g["params"]] or [dict(groups[0], params=[torch.zeros(1)])], **self._defaults)
        mine = [g for g, own in zip(self.param_groups, groups) if own["params"]]
        self._pairs = list(zip(mine, self.optim.param_groups)) if mine else []
        for g, own in self._pairs:
            for k, v in own.items():
                g.setdefault(k, v)

    def join_hook(self, **kwargs):
        return _StepHook(self)

    @property
    def join_device(self):
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self):
        return self.process_group

    def step(self, closure=None, **kwargs):
        Join.notify_join_context(self)
        for g, own in self._pairs:                 # what schedulers changed
            for k in own:
                if k != "params":
                    own[k] = g[k]
        loss = self.optim.step(closure, **kwargs) if self._pairs else (closure() if closure else None)
        for g in self.param_groups:
            for p in g["params"]:
                dist.broadcast(p.data, group=self.process_group, group_src=self._owner[id(p)])
        return loss

    def zero_grad(self, set_to_none=True):
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        p.grad.zero_()

    def _numbers(self):
        # Of each parameter, over all groups.
        return {id(p): k for k, p in enumerate([p for g in self.param_groups for p in g["params"]])}

    def consolidate_state_dict(self, to=0):
        number = self._numbers()
        mine = {number[id(p)]: s for p, s in self.optim.state.items() if id(p) in number}
        parts = [None] * self.world_size
        dist.gather_object(mine, parts if self.rank == to else None, group=self.process_group, group_dst=to)
        self._all = {k: s for part in parts for k, s in part.items()} if self.rank == to else None

    def state_dict(self):
        if self._all is None:
            raise RuntimeError(f"Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to={self.rank})` "
                               "on all ranks beforehand if you meant to save the global state.")
        number = self._numbers()
        groups = [dict({k: v for k, v in g.items() if k != "params"}, params=[number[id(p)] for p in g["params"]])
                  for g in self.param_groups]
        return {"state": dict(sorted(self._all.items())), "param_groups": groups}

    def load_state_dict(self, state_dict):
        params = [p for g in self.param_groups for p in g["params"]]
        for k, p in enumerate(params):
            if self._owner[id(p)] == self.rank and k in state_dict["state"]:
                self.optim.state[p] = state_dict["state"][k]
        for g, new in zip(self.param_groups, state_dict["param_groups"]):
            g.update({k: v for k, v in new.items() if k != "params"})
