# Sharding within groups and copies across them: fully_shard on meshes of one and two axes, FullyShardedDataParallel by strategy; expected:
# what PyTorch with gloo prints.
import os
os.environ["LOCAL_WORLD_SIZE"] = "1"
import torch, torch.distributed as dist, torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy, fully_shard
dist.init_process_group("gloo")
rank, n = dist.get_rank(), dist.get_world_size()


def told(*what):
    got = [None] * n
    dist.all_gather_object(got, " ".join([str(w) for w in what]))
    if rank == 0:
        for r, line in enumerate(got):
            print(r, line, flush=True)


def net():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))


X = torch.randn(6, 4, generator=torch.Generator().manual_seed(5))
for shape in ((n,), (2, n // 2), (1, n)):
    names = ("copies", "parts")[-len(shape):]
    model = fully_shard(net(), mesh=init_device_mesh("cpu", shape, mesh_dim_names=names))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for k in range(3):
        opt.zero_grad()
        loss = model(X[rank::n]).pow(2).mean()
        loss.backward()
        opt.step()
        losses.append(round(loss.item(), 5))
    told(shape, losses, [tuple(p.to_local().shape) for p in model.parameters()], [round(p.full_tensor().sum().item(), 5) for p in model.parameters()])
model = FSDP(net(), sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_id=torch.device("cpu"),
             device_mesh=init_device_mesh("cpu", (1, n)))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for k in range(3):
    opt.zero_grad()
    loss = model(X[rank::n]).pow(2).mean()
    loss.backward()
    opt.step()
    losses.append(round(loss.item(), 5))
told(losses, [tuple(p.shape) for p in model.parameters()])
dist.destroy_process_group()
