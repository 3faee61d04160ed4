# torch.distributed in a world of one process, DistributedDataParallel and DistributedSampler.
import os
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

print(dist.is_available(), dist.is_initialized())
for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
    os.environ.pop(name, None)
for bad in (lambda: dist.get_rank(), lambda: dist.init_process_group("gloo")):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e))
os.environ.update({"MASTER_ADDR": "localhost", "MASTER_PORT": "29571", "RANK": "0", "WORLD_SIZE": "1"})
dist.init_process_group("gloo")
print(dist.is_initialized(), dist.get_rank(), dist.get_world_size(), dist.get_backend())
try:
    dist.init_process_group("gloo")
except ValueError as e:
    print(e)
t = torch.arange(4.0)
dist.all_reduce(t)
dist.all_reduce(t, op=dist.ReduceOp.MAX)
print(t, dist.all_reduce(t, async_op=True).wait() is not None)
out = [torch.zeros(4)]
dist.all_gather(out, t)
print(out)
dist.broadcast(t, src=0)
dist.reduce(t, dst=0)
piece = torch.zeros(4)
dist.reduce_scatter(piece, [t])
print(piece)
flat = torch.zeros(4)
dist.all_gather_into_tensor(flat, t)
dist.all_to_all_single(piece, flat + 1)
print(flat, piece)
things = [None]
dist.all_gather_object(things, {"a": [1, 2]})
print(things)
dist.barrier()
g = dist.new_group([0])
print(dist.get_rank(g), dist.get_world_size(g))

torch.manual_seed(0)
model = DDP(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)))
print(list(model.state_dict())[:2], sum([p.numel() for p in model.parameters()]))
x = torch.randn(64, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
data = TensorDataset(x, y)
sampler = DistributedSampler(data, shuffle=True)
loader = DataLoader(data, batch_size=16, sampler=sampler)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(20):
    sampler.set_epoch(epoch)
    total = 0.0
    for a, b in loader:
        opt.zero_grad()
        loss = ((model(a) - b) ** 2).mean()
        loss.backward()
        opt.step()
        total += loss.item()
    if epoch % 5 == 0:
        print(epoch, f"{total:.3f}")
with model.no_sync():
    model(x).sum().backward()
print(model.module[2].bias.grad.shape)
for n, rank, drop, shuffle in ((3, 0, False, False), (3, 2, False, True), (4, 3, True, False), (12, 11, False, False)):
    s = DistributedSampler(list(range(10)), num_replicas=n, rank=rank, drop_last=drop, shuffle=shuffle, seed=3)
    s.set_epoch(2)
    print(len(s), list(s))
try:
    DistributedSampler(list(range(10)), num_replicas=2, rank=2)
except ValueError as e:
    print(e)
dist.destroy_process_group()
print(dist.is_initialized())
