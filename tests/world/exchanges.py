# Every exchange of torch.distributed in two processes; expected: what PyTorch with gloo prints.
import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
t = torch.arange(4.) + r
dist.all_reduce(t)
out = [str(t)]
t = torch.tensor([1 + r, 6], dtype=torch.int32)
for op in (dist.ReduceOp.PRODUCT, dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.BAND, dist.ReduceOp.BOR, dist.ReduceOp.BXOR):
    u = t.clone(); dist.all_reduce(u, op); out.append(str(u))
l = [torch.zeros(2) for _ in range(n)]
dist.all_gather(l, torch.ones(2) * r); out.append(str(l))
b = torch.ones(3) * r
dist.broadcast(b, 1); out.append(str(b))
w = dist.all_reduce(b, async_op=True); w.wait(); out.append(str(b))
o = torch.zeros(2); dist.reduce_scatter(o, [torch.ones(2) * k + r for k in range(n)]); out.append(str(o))
o = torch.zeros(2 * n); dist.all_gather_into_tensor(o, torch.ones(2) * r); out.append(str(o))
o = torch.zeros(2); dist.scatter(o, [torch.ones(2) * k * 5 for k in range(n)] if r == 0 else None, src=0); out.append(str(o))
g = [torch.zeros(1) for _ in range(n)] if r == 1 else None
dist.gather(torch.tensor([float(r)]), g, dst=1); out.append(str(g))
rd = torch.ones(2) * (r + 1); dist.reduce(rd, 0)
if r == 0: out.append(str(rd))
i = torch.arange(n * 2) + 10 * r; o = torch.empty(n * 2, dtype=torch.int64)
try:
    dist.all_to_all_single(o, i); out.append(str(o))
except RuntimeError as e: out.append(str(e)[:60])
if r == 0:
    dist.send(torch.tensor([3., 4.]), 1); x = torch.zeros(2); dist.recv(x, 1); out.append(str(x))
else:
    x = torch.zeros(2); s = dist.recv(x); out.append(str((s, x))); q = dist.isend(x * 2, 0); q.wait()
ol = [None] * n; dist.all_gather_object(ol, {"r": r, "l": [1] * r}); out.append(str(ol))
bl = [r, "x" * r]; dist.broadcast_object_list(bl, 1); out.append(str(bl))
so = [None]; dist.scatter_object_list(so, [("a", k) for k in range(n)] if r == 0 else None, 0); out.append(str(so))
sub = dist.new_group([1]); out.append(str((dist.get_rank(sub), dist.get_world_size(sub))))
dist.barrier()
for k in range(n):
    if k == r: print(f"rank {r}"); print("\n".join(out), flush=True)
    dist.barrier()
dist.destroy_process_group()
