# A name that ends in .ts: an archive of TorchScript, which PyTorch loads, too. What was loaded of an archive is saved as one again.
import os
import tempfile
from typing import Dict, List, Tuple

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)

    def forward(self, x, scale: float):
        y = torch.relu(self.bn(self.conv(x))).mean((2, 3))
        for l in self.layers:
            y = l(y) * scale
        if y.sum() > 100:
            y = y * 2
        return y, {"a": [y, y + 1]}

    @torch.jit.export
    def cell(self, x, h: Tuple[torch.Tensor, torch.Tensor], more: List[torch.Tensor], named: Dict[str, torch.Tensor]):
        a, b = h
        i = 0
        while a.sum() < 5:
            a = a + b.abs() + more[0] + named["n"]
            i += 1
        return a, i


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 5, batch_first=True)

    def forward(self, x):
        return self.rnn(x)[0]


@torch.jit.script
def powers(x, n: int):
    for i in range(n):
        x = x * x + i
    return x


def fill(m):
    for i, p in enumerate(m.parameters()):
        with torch.no_grad():
            p.copy_(torch.sin(torch.arange(p.numel()).float() + i).reshape(p.shape))


def there_and_back(m, folder):
    path = os.path.join(folder, "model.ts")
    torch.jit.save(m, path)
    return torch.jit.load(path)


def show(t):
    print([round(v, 4) for v in t.detach().flatten().tolist()])


x = torch.arange(2 * 3 * 4 * 4).reshape(2, 3, 4, 4) / 50.0
h = (torch.ones(2), torch.ones(2))
with tempfile.TemporaryDirectory() as folder:
    net = Net()
    fill(net)
    net = torch.jit.script(net)
    net.eval()
    net(x, 0.5)
    net.cell(x, h, [torch.ones(2)], {"n": torch.ones(2)})
    for times in range(2):
        net = there_and_back(net, folder)
        net.eval()
        y, more = net(x, 0.5)
        show(y)
        show(more["a"][1])
        a, i = net.cell(x, h, [torch.ones(2)], {"n": torch.ones(2)})
        show(a)
        print(i, sorted(net.state_dict().keys())[:4], len(list(net.parameters())))
        net.train()
        net(x, 0.5)[0].sum().backward()
        show(dict(net.named_parameters())["layers.0.bias"].grad)
        show(net.bn.running_mean)
    steps = Steps()
    fill(steps)
    t = torch.ones(2, 7, 3)
    t = there_and_back(torch.jit.trace(steps, (t,)), folder)(t)
    show(t[:, -1])
    powers(torch.ones(2), 3)
    show(there_and_back(powers, folder)(torch.ones(2) / 2, 4))
    try:
        there_and_back(net, folder)(x.double(), 0.5)
    except Exception:
        print("another type is refused")
