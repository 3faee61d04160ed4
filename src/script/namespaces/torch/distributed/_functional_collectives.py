# torch.distributed._functional_collectives -- exchanges that give new tensors; each is over when it returns.
import torch
import torch.distributed as dist
from torch.distributed import ReduceOp
from torch.distributed.nn import functional as _f

_ops = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "product": ReduceOp.PRODUCT, "min": ReduceOp.MIN, "max": ReduceOp.MAX,
        "band": ReduceOp.BAND, "bor": ReduceOp.BOR, "bxor": ReduceOp.BXOR}


def _group(given):
    # A group, one axis of a mesh, or a mesh and an axis of it.
    if isinstance(given, tuple):
        return given[0].get_group(given[1])
    if hasattr(given, "get_group"):
        return given.get_group()
    if isinstance(given, list):
        raise NotImplementedError("_functional_collectives: a group as a list of ranks")
    return given


def _plain(function):
    # Without a history, as the functions that have none in their name.
    def call(*args, **kwargs):
        with torch.no_grad():
            return function(*args, **kwargs)
    call.__name__ = call.__qualname__ = function.__name__.replace("_autograd", "")
    return call


def wait_tensor(tensor):
    return tensor


def all_gather_tensor_autograd(self, gather_dim, group, tag=""):
    return torch.cat(_f.all_gather(self, _group(group)), gather_dim)


def reduce_scatter_tensor_autograd(self, reduceOp, scatter_dim, group, tag=""):
    n = dist.get_world_size(_group(group))
    if self.shape[scatter_dim] % n:
        raise AssertionError(f"input dimension {scatter_dim} ({self.shape[scatter_dim]}) must be a multiple of group_size {n}")
    return _f.reduce_scatter(None, list(self.chunk(n, scatter_dim)), _ops[reduceOp.lower()], _group(group))


def all_to_all_single_autograd(self, output_split_sizes, input_split_sizes, group, tag=""):
    rows = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    out = torch.empty((rows,) + tuple(self.shape[1:]), dtype=self.dtype, device=self.device)
    return _f.all_to_all_single(out, self, output_split_sizes, input_split_sizes, _group(group))


def _all_reduce_autograd(self, reduceOp, group, tag=""):
    return _f.all_reduce(self, _ops[reduceOp.lower()], _group(group))


def _broadcast_autograd(self, src, group, tag=""):
    return _f.broadcast(self, src, _group(group))


all_reduce, broadcast = _plain(_all_reduce_autograd), _plain(_broadcast_autograd)
all_gather_tensor, reduce_scatter_tensor = _plain(all_gather_tensor_autograd), _plain(reduce_scatter_tensor_autograd)
all_to_all_single = _plain(all_to_all_single_autograd)


def all_reduce_coalesced(self, reduceOp, group, tag=""):
    return [all_reduce(t, reduceOp, group) for t in self]
