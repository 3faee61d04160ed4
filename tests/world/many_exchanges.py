# More kinds of exchanges than an engine remembers, over three groups, of which each process is in two.
import torch, torch.distributed as dist

dist.init_process_group("gloo")
r, W = dist.get_rank(), dist.get_world_size()
own = [dist.new_group([k]) for k in range(W)][r]
wrong = 0
for n in range(1, 2500):
    x = torch.full((n,), float(r + 1))
    dist.all_reduce(x)
    wrong += x[n // 2].item() != W * (W + 1) / 2
    if n % 3 == r:                      # not everybody's
        y = torch.ones(n + 1)
        dist.all_reduce(y, group=own)
        wrong += y[0].item() != 1
for n in range(1, 200):                 # some that were seen long ago
    x = torch.full((n,), 2.0)
    dist.all_reduce(x, op=dist.ReduceOp.MAX if n % 2 else dist.ReduceOp.SUM)
    wrong += x[0].item() != (2 if n % 2 else 2 * W)
for dtype in (torch.float32, torch.float64):    # large ones are combined where they are, and mean what small ones do
    for op in (dist.ReduceOp.SUM, dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.PRODUCT, dist.ReduceOp.AVG):
        large, small = [(torch.arange(float(n)) % 7 + 2 * r).to(dtype) for n in (200000, 200)]
        dist.all_reduce(large, op)
        dist.all_reduce(small, op)
        wrong += not torch.equal(large[:200], small)
turned = torch.ones(500, 500).t() * (r + 1) if r else torch.ones(500, 500).t().contiguous().t()
dist.all_reduce(turned)
wrong += turned.sum().item() != 250000 * W * (W + 1) / 2
got = [None] * W
dist.all_gather_object(got, wrong)
if r == 0:
    print(got)
dist.destroy_process_group()
