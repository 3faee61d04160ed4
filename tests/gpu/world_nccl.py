# Tensors of GPUs in groups of the backend nccl: every collective, and a training step, beside the same in the host's memory.
import time
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

assert dist.is_nccl_available()
dist.init_process_group("nccl")
r, n = dist.get_rank(), dist.get_world_size()
everyone = dist.new_group(backend="gloo")
part = dist.new_group([0, n - 1])


def both(make, run):
    # The same on the host's tensors, by gloo, and on the GPU's, by nccl.
    out = []
    for device, group in (("cpu", everyone), ("cuda", None)):
        xs = [x.to(device) for x in make()]
        out.append([t.cpu() for t in run(xs, device, group)])
        assert all([x.device.type == device for x in xs])
    for a, b in zip(*out):
        assert torch.allclose(a, b), (a, b)


def numbers(dtype=torch.float32):
    return lambda: [(torch.arange(12) * (r + 1) % 7 + 1).to(dtype)]


def reduced(op):
    def run(xs, device, group):
        dist.all_reduce(xs[0], op, group)
        return xs
    return run


for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.AVG):
    both(numbers(), reduced(op))
for dtype in (torch.float64, torch.int64, torch.int32, torch.uint8, torch.int16, torch.complex64):
    both(numbers(dtype), reduced(dist.ReduceOp.SUM))      # int16: NCCL has none, the host does it


def gathered(xs, device, group):
    out = [torch.zeros(12, device=device) for _ in range(n)]
    dist.all_gather(out, xs[0], group=group)
    whole = torch.zeros(12 * n, device=device)
    dist.all_gather_into_tensor(whole, xs[0], group=group)
    one = [torch.zeros(12, device=device) for _ in range(n)] if r == 1 else None
    dist.gather(xs[0], one, 1, group=group)
    return out + [whole] + (one or [])


def scattered(xs, device, group):
    out = torch.zeros(12 // n, device=device)
    dist.reduce_scatter_tensor(out, xs[0], group=group)
    mine = torch.zeros(3, device=device)
    dist.scatter(mine, [torch.ones(3, device=device) * k for k in range(n)] if r == 0 else None, 0, group=group)
    return [out, mine]


def dealt(xs, device, group):
    out = torch.zeros(12, device=device)
    dist.all_to_all_single(out, xs[0], group=group)
    give = [r + k + 1 for k in range(n)]          # uneven
    uneven = [torch.zeros(r + k + 1, device=device) for k in range(n)]
    dist.all_to_all(uneven, [torch.ones(k, device=device) * (10 * r + k) for k in give], group=group)
    return [out] + uneven


def cast(xs, device, group):
    dist.broadcast(xs[0], 1, group=group)
    y = xs[0].clone() * (r + 1)
    dist.reduce(y, 0, group=group)
    return [xs[0]] + ([y] if r == 0 else [])


for run in (gathered, scattered, dealt, cast):
    both(numbers(), run)
if part is not dist.GroupMember.NON_GROUP_MEMBER and r in (0, n - 1):
    x = torch.ones(2, device="cuda") * (r + 1)
    dist.all_reduce(x, group=part)
    assert x.tolist() == [float(n + 1)] * 2 if n > 1 else True
work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
assert work.wait() and work.is_completed() and work.result()[0].tolist() == [float(n)] * 3
dist.barrier()
for k in range(4):          # who gives is ahead of those who take
    if r:
        time.sleep(0.05)
    x = torch.full((5,), float(k if r == 0 else -1), device="cuda")
    dist.broadcast(x, 0)
    assert x.tolist() == [float(k)] * 5, (k, x)
dist.barrier()
objects = [None] * n
dist.all_gather_object(objects, {"rank": r})
assert objects == [{"rank": k} for k in range(n)]
try:
    dist.all_reduce(torch.ones(2))
    print("a tensor of the host was taken")
except RuntimeError as e:
    assert str(e) == "No backend type associated with device type cpu", e


def train(device, group):
    torch.manual_seed(3)
    net = DDP(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).to(device), process_group=group)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    losses = []
    for k in range(3):
        opt.zero_grad()
        x = torch.arange(12.0).reshape(3, 4).to(device) / 12 + r + k
        loss = (net(x) ** 2).mean()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses, [p.detach().cpu() for p in net.parameters()]


a, b = train("cpu", everyone), train("cuda", None)
assert all([abs(x - y) < 1e-5 for x, y in zip(a[0], b[0])]) and all([torch.allclose(x, y, atol=1e-5) for x, y in zip(a[1], b[1])])
dist.destroy_process_group()
print("done")
