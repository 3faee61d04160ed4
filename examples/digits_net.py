# A network that reads digits of 8x8 pixels, as a file: weft run examples/digits_net.py net.weft
# Not trained yet: weft train examples/digits_net.py digits --loss=cross_entropy -o digits.weft
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.head = nn.Linear(16 * 4 * 4, 10)

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return self.head(torch.flatten(x, 1))


torch.manual_seed(0)
net = torch.jit.script(Net())
net(torch.zeros(2, 1, 8, 8))  # what it takes: pictures of one channel, any number of them
net.save(sys.argv[1])
