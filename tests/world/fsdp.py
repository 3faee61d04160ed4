# Sharded parameters: FullyShardedDataParallel, fully_shard, and torch.distributed.checkpoint; expected: what PyTorch with gloo prints.
import os, sys, functools, shutil, torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy, StateDictType, FullStateDictConfig, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy
import torch.distributed.checkpoint as dcp

dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
lines = []


def say(*args):
    lines.append(f"{r} " + " ".join([str(a) for a in args]))


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(x)))


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 6), Block(6), Block(6), nn.Linear(6, 3))


g = torch.Generator().manual_seed(7)
X, Y = torch.randn(8, 5, generator=g), torch.randint(0, 3, (8,), generator=g)
x, y = X[r::n], Y[r::n]
alone = model()
opt = torch.optim.Adam(alone.parameters(), lr=0.02)
for k in range(4):
    opt.zero_grad()
    loss = F.cross_entropy(alone(X), Y)
    loss.backward()
    opt.step()
full = {k: v.clone() for k, v in alone.state_dict().items()}


def train(net, opt, steps=4, clip=None):
    for k in range(steps):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        if clip is not None:
            norm = clip(net)
        opt.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    return total.item() / n


def same(state):
    return list(state) == list(full) and all([torch.allclose(v, full[k], atol=1e-5) for k, v in state.items()])


policy = ModuleWrapPolicy({Block})
for strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy.NO_SHARD):
    net = FSDP(model(), auto_wrap_policy=policy, sharding_strategy=strategy, device_id=torch.device("cpu"))
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    loss = train(net, opt)
    say(strategy.name, f"{loss:.4f}", same(net.state_dict()), [tuple(p.shape) for p in net.parameters()])
net = FSDP(model(), auto_wrap_policy=policy, device_id=torch.device("cpu"))
say([name for name, _ in net.named_parameters()])
opt = torch.optim.Adam(net.parameters(), lr=0.02)
train(net, opt)
say(len(opt.state), [tuple(s["exp_avg"].shape) for s in opt.state.values()])
with FSDP.state_dict_type(net, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True, offload_to_cpu=True)):
    say(len(net.state_dict()))
with FSDP.summon_full_params(net):
    say([tuple(p.shape) for p in net.parameters()][:3])
say(tuple(next(net.parameters()).shape))
other = FSDP(model(), auto_wrap_policy=policy, device_id=torch.device("cpu"))
other.load_state_dict(full)
say(same(other.state_dict()))
states = FSDP.optim_state_dict(net, opt)
say(sorted(states["state"])[:2], tuple(states["state"]["1.up.weight"]["exp_avg"].shape) if states["state"] else None)
small = FSDP(model(), device_id=torch.device("cpu"))
train(small, torch.optim.SGD(small.parameters(), lr=0.1), 1, lambda m: say(f"norm {m.clip_grad_norm_(0.1).item():.4f}"))
with small.no_sync():
    F.cross_entropy(small(x), y).backward()

# parameter by parameter
net = model()
for block in (net[1], net[2]):
    fully_shard(block)
fully_shard(net)
opt = torch.optim.Adam(net.parameters(), lr=0.02)
loss = train(net, opt)
say(f"{loss:.4f}", [name for name, _ in net.named_parameters()][:3], tuple(net[1].up.weight.to_local().shape), tuple(net[1].up.weight.shape))
say(all([torch.allclose(p.full_tensor(), full[k], atol=1e-5) for k, p in net.named_parameters()]))

# checkpoints: once, and by other numbers of processes
folder = os.environ.get("WHERE", "/tmp") + "/weft_fsdp_checkpoint"
if r == 0:
    shutil.rmtree(folder, ignore_errors=True)
dist.barrier()
state = {"model": full, "step": 4, "note": {"lr": 0.02}}
dcp.save(state, checkpoint_id=folder)
new = {"model": {k: torch.zeros_like(v) for k, v in full.items()}, "step": 0, "note": {"lr": 0.0}}
dcp.load(new, checkpoint_id=folder)
say(same(new["model"]), new["step"], new["note"], os.path.exists(folder + "/.metadata"))
dist.barrier()
if r == 0:
    shutil.rmtree(folder)
for k in range(n):
    if k == r:
        print("\n".join(lines), flush=True)
    dist.barrier()
dist.destroy_process_group()
