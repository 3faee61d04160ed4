# DistributedDataParallel, its sampler, no_sync, unused parameters, ZeroRedundancyOptimizer; expected: what PyTorch with gloo prints.
import os, torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset, DataLoader
from torch.utils.data.distributed import DistributedSampler
from torch.distributed.optim import ZeroRedundancyOptimizer
def main():
    dist.init_process_group("gloo")
    r, n = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(r)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    ddp = DDP(net, bucket_cap_mb=0.0001)
    g = torch.Generator().manual_seed(7)
    X = torch.randn(32, 4, generator=g); Y = (X.sum(1) > 0).long()
    s = DistributedSampler(TensorDataset(X, Y), shuffle=True)
    dl = DataLoader(TensorDataset(X, Y), batch_size=4, sampler=s)
    opt = torch.optim.SGD(ddp.parameters(), lr=0.1, momentum=0.9)
    lines = []
    for ep in range(3):
        s.set_epoch(ep)
        for i, (x, y) in enumerate(dl):
            if i % 2 == 0:
                with ddp.no_sync():
                    F.cross_entropy(ddp(x), y).backward()
            else:
                loss = F.cross_entropy(ddp(x), y)
                loss.backward()
                opt.step(); opt.zero_grad()
        lines.append(f"{r} {ep} {loss.item():.5f}")
    p = torch.cat([q.detach().reshape(-1) for q in ddp.parameters()])
    lines.append(f"{p.sum().item():.5f} {list(ddp.state_dict())[0]}")
    ps = [torch.zeros_like(p) for _ in range(n)]
    dist.all_gather(ps, p)
    lines.append(str(all([torch.equal(ps[0], q) for q in ps])))
    torch.manual_seed(0)
    m2 = DDP(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 1)))
    z = ZeroRedundancyOptimizer(m2.parameters(), torch.optim.Adam, lr=0.05)
    for k in range(5):
        z.zero_grad(); l = (m2(X[r::n]) ** 2).mean(); l.backward(); z.step()
    lines.append(f"zero {l.item():.5f}")
    class Un(nn.Module):
        def __init__(self):
            super().__init__(); self.a = nn.Linear(2, 1); self.b = nn.Linear(2, 1)
        def forward(self, x, w): return self.a(x) if w else self.b(x)
    torch.manual_seed(3)
    u = DDP(Un(), find_unused_parameters=True)
    u(torch.ones(1, 2) * (r + 1), r == 0).sum().backward()
    lines.append(str([q.grad.tolist() for q in u.parameters()]))
    u = DDP(Un())
    u(torch.ones(1, 2), True).sum().backward()
    try:
        u(torch.ones(1, 2), True)
    except RuntimeError as e:
        lines.append(str(e)[:60])
    for k in range(n):
        if k == r: print("\n".join(lines), flush=True)
        dist.barrier()
    dist.destroy_process_group()
main()
