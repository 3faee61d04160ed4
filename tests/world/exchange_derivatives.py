# Exchanges that have derivatives, and gradients that reach parameters through steps of scripts; expected: what PyTorch with gloo prints.
import warnings; warnings.simplefilter("ignore")
import torch, torch.distributed as dist, torch.nn as nn
import torch.distributed._functional_collectives as fc
import torch.distributed.nn.functional as df
import torch.utils.checkpoint as cp
from torch.nn.parallel import DistributedDataParallel as DDP
class Thrice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return 3 * x
    @staticmethod
    def backward(ctx, g): return 3 * g
class Net(nn.Module):
    def __init__(s, how):
        super().__init__(); torch.manual_seed(0); s.a = nn.Linear(4, 3); s.b = nn.Linear(3, 2); s.how = how
    def forward(s, x):
        if s.how == "function": return s.b(Thrice.apply(s.a(x)))
        y = cp.checkpoint(s.a, x, use_reentrant=s.how == "reentrant")
        return cp.checkpoint(s.b, y.tanh(), use_reentrant=s.how == "reentrant")
def main():
    dist.init_process_group("gloo")
    r, n = dist.get_rank(), dist.get_world_size()
    lines = []
    def show(name, *values):
        lines.append(f"{r} {name} " + " ".join(str([round(v, 4) for v in x.detach().double().reshape(-1).tolist()]) for x in values))
    def both(name, run, *shape):
        x = (torch.arange(1.0, 1 + torch.Size(shape).numel()).reshape(shape) * (r + 1)).requires_grad_()
        ys = run(x)
        ys = list(ys) if isinstance(ys, (tuple, list)) else [ys]
        sum([(y ** 2).sum() * (r + 1) * (k + 1) for k, y in enumerate(ys)]).backward()
        show(name, *ys, x.grad)
    both("all_reduce", lambda x: df.all_reduce(x * 2), 2)
    both("all_gather", lambda x: df.all_gather(x), 2)
    both("broadcast", lambda x: df.broadcast(x, 1), 2)
    both("reduce", lambda x: df.reduce(x, 0) * (r == 0), 2)
    both("reduce_scatter", lambda x: df.reduce_scatter(torch.empty(2), list(x.chunk(n))), 2 * n)
    both("all_to_all_single", lambda x: df.all_to_all_single(torch.empty(n * (r + 1)), x, [r + 1] * n, [k + 1 for k in range(n)]), n * (n + 1) // 2)
    both("gather", lambda x: df.gather(x, 0), 2)
    both("scatter", lambda x: df.scatter(list(x.chunk(n)), 1), 2 * n)
    both("all_gather_tensor", lambda x: fc.all_gather_tensor_autograd(x, 1, dist.group.WORLD) + 0, 2, 2)
    both("reduce_scatter_tensor", lambda x: fc.reduce_scatter_tensor_autograd(x, "sum", 0, dist.group.WORLD) + 0, 2 * n)
    show("plain", fc.all_reduce(torch.ones(2) * r, "avg", dist.group.WORLD) + 0, fc.broadcast(torch.ones(2) * r, 1, dist.group.WORLD) + 0)
    for how in ("function", "plain", "reentrant"):
        net = DDP(Net(how))
        x = (torch.ones(3, 4) * (r + 1)).requires_grad_()
        for k in range(2):
            net(x).pow(2).sum().backward()
        show(how, *[p.grad.sum() for p in net.parameters()])
    with torch.autograd.detect_anomaly(check_nan=True):
        y = DDP(nn.Linear(2, 1)); z = y(torch.ones(1, 2) * (r + 1))
    z.sum().backward()
    show("anomaly", y.module.weight.grad)
    for op, x in ((dist.ReduceOp.AVG, torch.ones(2, dtype=torch.int64)), (dist.ReduceOp.BAND, torch.ones(2)), (dist.ReduceOp.MAX, torch.ones(2) * 1j)):
        try:
            dist.all_reduce(x, op)
        except (RuntimeError, ValueError) as e:
            lines.append(f"{r} {op}: {type(e).__name__} {e}")
    for norm in (lambda: nn.SyncBatchNorm(3)(torch.ones(4, 3)), lambda: DDP(nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(3))))):
        try:
            norm()
        except ValueError as e:
            lines.append(f"{r} {e}")
    for k in range(n):
        if k == r: print("\n".join(lines), flush=True)
        dist.barrier()
    dist.destroy_process_group()
main()
