# torch.distributed.algorithms.join -- processes with different numbers of inputs: who has none left takes part in what the others
# exchange, until all have none.
#
# At every step who goes on says so by a sum over the group; who waits brings nothing to it, and does what the hooks say as long as
# somebody goes on.
import torch
import torch.distributed as dist


class JoinHook:
    def main_hook(self):
        pass

    def post_hook(self, is_last_joiner):
        pass


class _JoinConfig:
    def __init__(self, enable=False, throw_on_early_termination=False, is_first_joinable=False):
        self.enable, self.throw_on_early_termination = enable, throw_on_early_termination
        self.is_first_joinable = is_first_joinable

    @staticmethod
    def construct_disabled_join_config():
        return _JoinConfig()


class Joinable:
    _join_config = _JoinConfig()

    def __init__(self):
        super().__init__()
        self._join_config = _JoinConfig()

    def join_hook(self, **kwargs):
        raise NotImplementedError("join_hook")


class Join:
    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = list(joinables)
        self._hooks = [j.join_hook(**kwargs) for j in self._joinables]
        self._enable, self._throw = enable, throw_on_early_termination
        groups = [j.join_process_group for j in self._joinables]
        if any([g is not groups[0] for g in groups]):
            raise ValueError("Using join context manager with multiple process groups")
        self._group, self._device = groups[0], self._joinables[0].join_device
        self._rank = dist.get_rank(self._group)
        for k, j in enumerate(self._joinables):
            j._join_config = _JoinConfig(enable, throw_on_early_termination, k == 0)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if not self._enable or kind:
            return False
        last = True
        while _sum(0, self._group, self._device):
            if self._throw:
                _sum(1, self._group, self._device)
                raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")
            last = False
            for hook in self._hooks:
                hook.main_hook()
        for hook in self._hooks:
            hook.post_hook(last)
        for j in self._joinables:
            j._join_config = _JoinConfig()
        return False

    @staticmethod
    def notify_join_context(joinable):
        how = joinable._join_config
        if not how.is_first_joinable or not how.enable:
            return None
        group, device = joinable.join_process_group, joinable.join_device
        there = torch.ones(1, device=device)
        work = dist.all_reduce(there, group=group, async_op=True)
        if how.throw_on_early_termination and _sum(0, group, device):
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work


def _sum(mine, group, device):
    # Over the group; who goes on brings one.
    x = torch.full((1,), float(mine), device=device)
    dist.all_reduce(x, group=group)
    return int(x.item())
