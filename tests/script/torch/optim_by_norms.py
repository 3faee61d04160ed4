# Adafactor and Muon; layers fused with the normalisation behind them.
import torch
import torch.nn as nn
from torch.nn.utils import fuse_conv_bn_eval, fuse_linear_bn_eval

for options in ({}, {"lr": 0.1, "weight_decay": 0.05}, {"beta2_decay": -0.5, "eps": (1e-6, 1e-2), "d": 2.0}, {"maximize": True}):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
    opt = torch.optim.Adafactor(m.parameters(), **options)
    x, y = torch.randn(8, 4), torch.randn(8, 2)
    losses = []
    for _ in range(5):
        opt.zero_grad()
        loss = ((m(x) - y) ** 2).mean()
        loss.backward()
        opt.step()
        losses.append(round(float(loss.detach()), 3))
    print("Adafactor", losses, [round(float(p.detach().sum()), 3) for p in m.parameters()])
    print(sorted(opt.state_dict()["state"][0]), sorted(opt.state_dict()["state"][1]))
for options in ({}, {"lr": 0.3, "weight_decay": 0.0}, {"nesterov": False, "momentum": 0.8, "lr": 0.05}, {"adjust_lr_fn": "match_rms_adamw"}):
    torch.manual_seed(1)
    w, v = torch.randn(5, 3, requires_grad=True), torch.randn(3, 7, requires_grad=True)
    opt = torch.optim.Muon([w, v], **options)
    x = torch.randn(4, 5)
    losses = []
    for _ in range(5):
        opt.zero_grad()
        loss = ((x @ w @ v) ** 2).mean()
        loss.backward()
        opt.step()
        losses.append(round(float(loss.detach()), 1))
    print("Muon", losses)
for bad in (lambda: torch.optim.Adafactor([torch.zeros(1)], lr=-1.0), lambda: torch.optim.Adafactor([torch.zeros(1)], d=0.5),
            lambda: torch.optim.Muon([torch.zeros(3)])):
    try:
        bad()
    except ValueError as e:
        print(e)
torch.manual_seed(2)
for layer, bn, fuse, shape in ((nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), fuse_conv_bn_eval, (2, 3, 6, 6)),
                               (nn.Conv1d(3, 4, 3, bias=False), nn.BatchNorm1d(4), fuse_conv_bn_eval, (2, 3, 6)),
                               (nn.Linear(3, 4), nn.BatchNorm1d(4), fuse_linear_bn_eval, (5, 3))):
    x = torch.randn(shape)
    bn(layer(x))
    layer.eval(), bn.eval()
    one = fuse(layer, bn)
    print(torch.allclose(one(x), bn(layer(x)), atol=1e-5), [(k, tuple(v.shape), v.requires_grad) for k, v in one.named_parameters()], round(float(one(x).sum().detach()), 3))
try:
    fuse_conv_bn_eval(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
except AssertionError as e:
    print(e)
