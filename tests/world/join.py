# Processes with different numbers of inputs: DistributedDataParallel.join, torch.distributed.algorithms.Join with others that join;
# expected: what PyTorch with gloo prints.
import torch, torch.distributed as dist, torch.nn as nn
from torch.distributed.algorithms.join import Join, Joinable, JoinHook
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP

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
    return nn.Sequential(nn.Linear(4, 3, bias=False), nn.BatchNorm1d(3), nn.Linear(3, 1))


X = torch.randn(10, 6, 4, generator=torch.Generator().manual_seed(5))
for divide in (True, False):
    ddp = DDP(net())
    opt = torch.optim.SGD(ddp.parameters(), lr=0.1)
    sums = []
    with ddp.join(divide_by_initial_world_size=divide):
        for k in range(3 + 2 * rank):
            opt.zero_grad()
            if k == 1:
                with ddp.no_sync():
                    ddp(X[k]).pow(2).sum().backward()
            ddp(X[k + rank]).pow(2).sum().backward()
            opt.step()
            sums.append(round(ddp.module[0].weight.grad.sum().item(), 4))
    told(divide, sums, [round(p.sum().item(), 4) for p in ddp.parameters()], [round(b.float().sum().item(), 4) for b in ddp.buffers()])

ddp = DDP(net())
try:
    with ddp.join(throw_on_early_termination=True):
        for k in range(2 + rank):
            ddp(X[k]).sum().backward()
    text = "all done"
except RuntimeError as e:
    text = str(e)
told(text)


class CounterHook(JoinHook):
    def __init__(self, counter, sync):
        self.counter, self.sync = counter, sync

    def main_hook(self):
        dist.all_reduce(torch.zeros(1))

    def post_hook(self, is_last_joiner):
        if self.sync:
            r = torch.tensor([rank if is_last_joiner else -1])
            dist.all_reduce(r, op=dist.ReduceOp.MAX)
            dist.broadcast(self.counter.most, src=int(r.item()))


class Counter(Joinable):
    def __init__(self):
        super().__init__()
        self.count, self.most = torch.zeros(1), torch.zeros(1)

    def __call__(self):
        Join.notify_join_context(self)
        one = torch.ones(1)
        dist.all_reduce(one)
        self.count += one
        self.most.copy_(self.count)

    def join_hook(self, **kwargs):
        return CounterHook(self, kwargs.get("sync", False))

    @property
    def join_device(self):
        return torch.device("cpu")

    @property
    def join_process_group(self):
        return dist.group.WORLD


counter = Counter()
with Join([counter], sync=True):
    for _ in range(2 + 3 * rank):
        counter()
told(counter.count, counter.most)

ddp = DDP(net())
zero = ZeroRedundancyOptimizer(ddp.parameters(), torch.optim.Adam, lr=0.01)
with Join([ddp, zero]):
    for k in range(2 + rank):
        zero.zero_grad()
        ddp(X[k]).pow(2).sum().backward()
        zero.step()
told([round(p.sum().item(), 4) for p in ddp.parameters()])
with ddp.join(enable=False):
    ddp(X[0]).sum().backward()
told("off", round(ddp.module[2].weight.grad.sum().item(), 4))
dist.destroy_process_group()
