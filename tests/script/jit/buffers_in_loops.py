# Buffers that a program writes beside a loop of its parameters have no history: their steps would follow each other for ever.
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.register_buffer("steps", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x, n: int):
        self.steps = self.steps + 1
        self.mean = 0.5 * self.mean + x.mean(0)
        i = 0
        while i < n:
            if bool(x.sum() > 0):
                x = torch.tanh(self.fc(x))
            else:
                x = x + 1
            i += 1
        return x


torch.manual_seed(0)
net = torch.jit.script(Net())
x = torch.arange(6.0).reshape(2, 3)
for n in (2, 3, 2):
    net(x, n).sum().backward()
    print(net.steps, net.mean, net.steps.requires_grad, net.mean.requires_grad)
print(net.fc.weight.grad)
