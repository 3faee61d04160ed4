# Processes that a script starts itself, by spawn and by Process; expected: what PyTorch prints.
import os, sys, tempfile
import torch, torch.nn as nn, torch.optim as optim
import torch.distributed as dist, torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP
def setup(rank, world_size):
    os.environ['MASTER_ADDR'] = 'localhost'
    os.environ['MASTER_PORT'] = str(20000 + os.getppid() % 20000)
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10); self.relu = nn.ReLU(); self.net2 = nn.Linear(10, 5)
    def forward(self, x): return self.net2(self.relu(self.net1(x)))
def demo(rank, world_size, path):
    setup(rank, world_size)
    torch.manual_seed(1)
    m = DDP(ToyModel())
    if rank == 0: torch.save(m.state_dict(), path)
    dist.barrier()
    m.load_state_dict(torch.load(path))
    o = optim.SGD(m.parameters(), lr=0.001)
    nn.MSELoss()(m(torch.ones(20, 10) * (rank + 1)), torch.ones(20, 5)).backward(); o.step()
    dist.barrier()
    if rank == 1: print("sum", round(sum(p.sum().item() for p in m.parameters()), 4), flush=True)
    dist.destroy_process_group()
def bad(rank):
    if rank == 1: raise ValueError("oh")
def one(rank, size):
    setup(rank, size)
    t = torch.ones(1) * rank
    dist.all_reduce(t)
    if rank == 0: print("all", t, flush=True)
if __name__ == "__main__":
    mp.spawn(demo, args=(2, tempfile.gettempdir() + "/model.ckpt"), nprocs=2, join=True)
    try: mp.spawn(bad, nprocs=2)
    except mp.ProcessRaisedException as e: print(str(e).strip().splitlines()[0], str(e).strip().splitlines()[-1])
    ps = [mp.Process(target=one, args=(r, 2)) for r in range(2)]
    for p in ps: p.start()
    for p in ps: p.join()
    print([p.exitcode for p in ps])
