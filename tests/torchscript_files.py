"""Archives made by one of Weft and PyTorch, and what their modules give, opened by the other.

    torchscript_files.py make FOLDER NAME..     saves again each archive NAME.pt of tests/files, and modules as NAME.ts
    torchscript_files.py show FOLDER            what all of the folder give"""
import os
import sys

import torch
from torch import nn

do, folder = sys.argv[1:3]
INPUTS = {"script_named": lambda: (torch.ones(2),), "script": lambda: (torch.arange(50.0).reshape(2, 1, 5, 5) / 10,), "net": lambda: (torch.arange(96.0).reshape(2, 3, 4, 4) / 50,)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1, stride=2)
        self.bn = nn.BatchNorm2d(4)
        self.block = nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.GELU(), nn.Linear(6, 2))

    def forward(self, x):
        y = torch.relu(self.bn(self.conv(x)))
        y = nn.functional.max_pool2d(y, 2).flatten(1)
        for i in range(3):
            if y.sum() > i:
                y = y * 0.5
        return {"y": self.block(y), "top": torch.topk(y, 2)[0], "order": torch.argsort(y, dim=1)}


def flat(r):
    if isinstance(r, torch.Tensor):
        return [[round(v, 3) for v in r.detach().double().flatten().tolist()]]
    parts = [r[k] for k in sorted(r)] if isinstance(r, dict) else list(r)
    return [x for p in parts for x in flat(p)]


if do == "make":
    for name in sys.argv[3:]:
        torch.jit.load("tests/files/" + name + ".pt").save(folder + "/" + name + ".pt")
    net = Net()
    for i, p in enumerate(net.parameters()):
        with torch.no_grad():
            p.copy_(torch.sin(torch.arange(float(p.numel())) + i).reshape(p.shape))
    net = torch.jit.script(net.eval())
    net(*INPUTS["net"]())
    net.save(folder + "/net.ts")
else:
    for file in sorted(os.listdir(folder)):
        m = torch.jit.load(folder + "/" + file).eval()
        x = INPUTS.get(file.split(".")[0], lambda: (torch.arange(6.0).reshape(2, 3),))()
        print(file, len(list(m.parameters())), sorted(m.state_dict().keys()))
        try:
            print(flat(m(*x)))
            if file == "net.ts":    # the others draw
                print(flat(m.train()(*x)))
        except Exception as e:
            print(type(e).__name__)
