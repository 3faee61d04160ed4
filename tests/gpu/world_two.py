# DistributedDataParallel of a module over two GPUs a process; gradients beside those of one process on the host.
import torch, torch.nn as nn, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Two(nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second
        self.a, self.b = nn.Linear(3, 3).to(first), nn.Linear(3, 2).to(second)

    def forward(self, x):
        return self.b(torch.relu(self.a(x.to(self.first))).to(self.second))


dist.init_process_group("nccl")
rank, n = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = DDP(Two(2 * rank, 2 * rank + 1))
x = torch.randn(4, 3)
y = model(x + rank)
y.pow(2).sum().backward()
torch.manual_seed(0)
want = Two("cpu", "cpu")
(sum([want(x + k).pow(2).sum() for k in range(n)]) / n).backward()
near = [torch.allclose(p.grad.cpu(), q.grad, rtol=1e-4) for p, q in zip(model.parameters(), want.parameters())]
places = [str(p.grad.device) for p in model.parameters()]
own = torch.autograd.grad(model.module(x).sum(), list(model.parameters()))
norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
total = sum([p.grad.cpu().pow(2).sum() for p in model.parameters()])
print(rank, all(near), places, [str(g.device) for g in own], norm.device, bool(abs(total - 1) < 1e-3))
dist.destroy_process_group()
