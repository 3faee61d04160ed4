# A hook that is called also when forward raises.
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x, bad=False):
        if bad:
            raise ValueError("bad")
        return x + 1


net = Net()
net.register_forward_hook(lambda m, args, out: print("hook", out))
handle = net.register_forward_hook(lambda m, args, out: print("always", out), always_call=True)
net(torch.ones(1))
for _ in range(2):
    try:
        net(torch.ones(1), True)
    except ValueError as e:
        print(e)
    handle.remove()
