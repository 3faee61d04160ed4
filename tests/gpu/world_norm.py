# SyncBatchNorm of several processes: outputs, gradients and statistics of BatchNorm on all rows in one process.
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("nccl")
r, n = dist.get_rank(), dist.get_world_size()
rows = [torch.randn(k + 2, 3, 5, generator=torch.Generator().manual_seed(k)) for k in range(n)]    # uneven numbers of rows
scale = torch.arange(1.0, 4.0).reshape(1, 3, 1)
whole, part = nn.BatchNorm1d(3), nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(3)))
assert type(part[0]) is nn.SyncBatchNorm
part = DDP(part.cuda())
x, mine = torch.cat(rows).requires_grad_(), rows[r].cuda().requires_grad_()
for _ in range(2):
    y, z = whole(x), part(mine)
    (y ** 3 * scale).sum().backward()
    (z ** 3 * scale.cuda()).sum().backward()
own = slice(sum([len(v) for v in rows[:r]]), sum([len(v) for v in rows[:r + 1]]))
pairs = [(y[own], z), (x.grad[own], mine.grad), (whole.weight.grad / n, part.module[0].weight.grad), (whole.bias.grad / n, part.module[0].bias.grad),
         (whole.running_mean, part.module[0].running_mean), (whole.running_var, part.module[0].running_var)]
for k, (a, b) in enumerate(pairs):
    assert torch.allclose(a.detach(), b.detach().cpu(), atol=1e-4), (k, a, b)
assert int(part.module[0].num_batches_tracked) == 2
assert torch.allclose(whole.eval()(x), part.eval()(x.detach().cuda()).cpu(), atol=1e-5)
dist.destroy_process_group()
print("done")
