# parallel.py -- steps of training a second, of one process or of processes that share gradients; the same under PyTorch with gloo.
#
#   parallel.py alone      one process, one thread
#   parallel.py together   every process that was started with it (weft launch, torchrun's variables), 512 rows each
import sys
import time
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
together = sys.argv[1] == "together"


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.place = nn.Embedding(256, 64), nn.Parameter(torch.zeros(16, 64))
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True) for _ in range(2)])
        self.out = nn.Linear(64, 256)

    def forward(self, t):
        x = self.embed(t) + self.place
        for b in self.blocks:
            x = b(x)
        return self.out(x)


def mlp():
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    return net, torch.randn(512, 784), torch.randint(0, 10, (512,))


def transformer():
    return Transformer(), torch.randint(0, 256, (512, 16)), torch.randint(0, 256, (512, 16))


def seconds(net, x, y, runs):
    if together:
        net = nn.parallel.DistributedDataParallel(net)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    times = []
    for _ in range(runs + 3):
        start = time.perf_counter()
        opt.zero_grad()
        out = net(x)
        F.cross_entropy(out.reshape(-1, out.shape[-1]), y.reshape(-1)).backward()
        opt.step()
        times.append(time.perf_counter() - start)
    return sorted(times[3:])[runs // 2]


if together:
    dist.init_process_group("gloo")
torch.manual_seed(0)
for name, make, runs in (("mlp_train", mlp, 30), ("transformer_train", transformer, 6)):
    t = seconds(*make(), runs)
    if not together or dist.get_rank() == 0:
        print(f"{name:20s} {1 / t:8.2f} steps/s", flush=True)
if together:
    dist.destroy_process_group()
