# torch.distributed.nn.functional -- exchanges that have derivatives: what brings gradients back is the exchange the other way.
import torch
import torch.distributed as dist
from torch.autograd.function import Function
from torch.distributed import ReduceOp

__all__ = ["broadcast", "gather", "scatter", "reduce", "reduce_scatter", "all_gather", "all_to_all", "all_to_all_single", "all_reduce"]


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src, ctx.group = src, group
        out = tensor.clone()
        dist.broadcast(out, src, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        back = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, g)
        return None, None, back if ctx.src == dist.get_rank() else torch.zeros_like(g)


class _Reduce(Function):
    @staticmethod
    def forward(ctx, dst, op, group, tensor):
        ctx.dst, ctx.group = dst, group
        out = tensor.clone()
        dist.reduce(out, dst, op=op, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, g)


class _Gather(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        out = [torch.zeros_like(tensor) for _ in range(dist.get_world_size(group))]
        dist.gather(tensor.contiguous(), out if dst == dist.get_rank() else None, dst, group=group)
        return tuple(out)

    @staticmethod
    def backward(ctx, *gs):
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *gs)


class _Scatter(Function):
    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src, ctx.group = src, group
        out = torch.zeros_like(tensors[0])
        dist.scatter(out, [t.contiguous() for t in tensors] if src == dist.get_rank() else None, src, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        return (None, None) + _Gather.apply(ctx.src, ctx.group, g)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.op, ctx.group = op, group
        out = tensor.clone()
        dist.all_reduce(out, op=op, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        return None, None, _AllReduce.apply(ctx.op, ctx.group, g)


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        out = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
        dist.all_gather(out, tensor.contiguous(), group=group)
        return tuple(out)

    @staticmethod
    def backward(ctx, *gs):
        return None, _ReduceScatter.apply(ReduceOp.SUM, ctx.group, *gs)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx, op, group, *tensors):
        ctx.group = group
        out = torch.empty_like(tensors[0])
        dist.reduce_scatter(out, [t.contiguous() for t in tensors], op=op, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        return (None, None) + _AllGather.apply(ctx.group, g)


class _AllToAll(Function):
    @staticmethod
    def forward(ctx, group, out, *tensors):
        ctx.group, ctx.shapes = group, [tuple(t.shape) for t in tensors]
        out = [torch.empty_like(t) for t in out]
        dist.all_to_all(out, [t.contiguous() for t in tensors], group=group)
        return tuple(out)

    @staticmethod
    def backward(ctx, *gs):
        back = [torch.empty(s, dtype=gs[0].dtype, device=gs[0].device) for s in ctx.shapes]
        return (None, None) + _AllToAll.apply(ctx.group, back, *gs)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(ctx, group, out, takes, gives, tensor):
        ctx.group, ctx.takes, ctx.gives, ctx.shape = group, takes, gives, tuple(tensor.shape)
        out = torch.empty_like(out)
        dist.all_to_all_single(out, tensor.contiguous(), takes, gives, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        back = torch.empty(ctx.shape, dtype=g.dtype, device=g.device)
        return None, None, None, None, _AllToAllSingle.apply(ctx.group, back, ctx.gives, ctx.takes, g)


def broadcast(tensor, src, group=None):
    return _Broadcast.apply(src, group, tensor)


def gather(tensor, dst=0, group=None):
    return _Gather.apply(dst, group, tensor)


def scatter(tensors, src=0, group=None):
    return _Scatter.apply(src, group, *tensors)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    return _Reduce.apply(dst, op, group, tensor)


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    return _AllReduce.apply(op, group, tensor)


def all_gather(tensor, group=None):
    return _AllGather.apply(group, tensor)


def _all_gather_base(output_tensor, input_tensor, group=None):
    return torch.stack(_AllGather.apply(group, input_tensor)).reshape(output_tensor.shape)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    return _ReduceScatter.apply(op, group, *input_list)


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    return _AllToAll.apply(group, output_tensor_list, *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    return _AllToAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)
