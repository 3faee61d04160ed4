#!/usr/bin/env python3
"""golden_nn_models.py -- what whole networks give in PyTorch, for tests/test_nn_models.c.

    python3 tools/golden_nn_models.py        writes tests/golden/nn/models.txt

The networks are written here from their papers, with torchvision's names for GoogLeNet. For each case
(torch.manual_seed(0), then the module; embeddings are then overwritten with 0.5 sin(0.3 i + 0.1)):

    case NAME
    | a line of its printed text
    y DTYPE MODE DIMS = numbers      results (dropout is off in train mode too; GoogLeNet in train mode only in f64: by
                                     f32 some gradients are known to a tenth only); inputs as in golden_nn.py, tokens (7 i + 3) mod 5
    grad DTYPE NAME COUNT = numbers  of mean(y_k w_k), w_k = 0.1 (k mod 7) - 0.2, in train mode: the sum, the sum of
                                     absolute values, and the first 6
    after NAME COUNT = numbers       the same of some buffers, after the call in train mode, f64
"""
import math
import os

import torch
from torch import nn

torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False
os.makedirs("tests/golden/nn", exist_ok=True)


class BasicConv2d(nn.Module):
    def __init__(self, i, o, **kw):
        super().__init__()
        self.conv = nn.Conv2d(i, o, bias=False, **kw)
        self.bn = nn.BatchNorm2d(o, eps=0.001)

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))


class Inception(nn.Module):
    def __init__(self, i, a, b, c, d, e, f):
        super().__init__()
        self.branch1 = BasicConv2d(i, a, kernel_size=1)
        self.branch2 = nn.Sequential(BasicConv2d(i, b, kernel_size=1), BasicConv2d(b, c, kernel_size=3, padding=1))
        self.branch3 = nn.Sequential(BasicConv2d(i, d, kernel_size=1), BasicConv2d(d, e, kernel_size=3, padding=1))
        self.branch4 = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), BasicConv2d(i, f, kernel_size=1))

    def forward(self, x):
        return torch.cat([self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)], 1)


class Chain(nn.Module):
    """The children in order; flat before the last."""

    def forward(self, x):
        *body, last = self.children()
        for m in body:
            x = m(x)
        return last(torch.flatten(x, 1))


class SmallInception(Chain):
    def __init__(self, channels, classes):
        super().__init__()
        self.stem = BasicConv2d(channels, 16, kernel_size=3, padding=1)
        self.pool1 = nn.MaxPool2d(2, 2)
        self.block1 = Inception(16, 8, 8, 16, 4, 8, 8)
        self.pool2 = nn.MaxPool2d(2, 2)
        self.block2 = Inception(40, 16, 16, 32, 8, 16, 16)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(80, classes)


class GoogLeNet(Chain):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = BasicConv2d(3, 64, kernel_size=7, stride=2, padding=3)
        self.maxpool1 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.conv2 = BasicConv2d(64, 64, kernel_size=1)
        self.conv3 = BasicConv2d(64, 192, kernel_size=3, padding=1)
        self.maxpool2 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.inception3a = Inception(192, 64, 96, 128, 16, 32, 32)
        self.inception3b = Inception(256, 128, 128, 192, 32, 96, 64)
        self.maxpool3 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.inception4a = Inception(480, 192, 96, 208, 16, 48, 64)
        self.inception4b = Inception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c = Inception(512, 128, 128, 256, 24, 64, 64)
        self.inception4d = Inception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e = Inception(528, 256, 160, 320, 32, 128, 128)
        self.maxpool4 = nn.MaxPool2d(2, 2, ceil_mode=True)
        self.inception5a = Inception(832, 256, 160, 320, 32, 128, 128)
        self.inception5b = Inception(832, 384, 192, 384, 48, 128, 128)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(1024, classes)


class Block(nn.Module):
    def __init__(self, size, heads, dropout):
        super().__init__()
        self.ln1 = nn.LayerNorm(size)
        self.attn = nn.MultiheadAttention(size, heads, batch_first=True)
        self.ln2 = nn.LayerNorm(size)
        self.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size), nn.Dropout(dropout))

    def forward(self, x, mask):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, vocab, context, size, heads, layers, dropout):
        super().__init__()
        self.tok = nn.Embedding(vocab, size)
        self.pos = nn.Embedding(context, size)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList([Block(size, heads, dropout) for _ in range(layers)])
        self.ln_f = nn.LayerNorm(size)
        self.head = nn.Linear(size, vocab)

    def forward(self, i):
        time = i.shape[1]
        x = self.drop(self.tok(i) + self.pos(torch.arange(time)))
        mask = torch.ones(time, time, dtype=torch.bool).tril().logical_not()
        for b in self.blocks:
            x = b(x, mask)
        return self.head(self.ln_f(x))


# name, network, input shape (tokens for an int first), parameters whose gradients are shown, buffers
CASES = [
    ("inception", lambda: Inception(3, 4, 3, 6, 2, 4, 5), (2, 3, 4, 3),
     ["branch1.conv.weight", "branch2.0.bn.weight", "branch2.1.conv.weight", "branch3.1.bn.bias",
      "branch4.1.conv.weight"], ["branch2.1.bn.running_var"]),
    ("small_inception", lambda: SmallInception(1, 10), (2, 1, 13, 12),
     ["stem.conv.weight", "stem.bn.bias", "block1.branch3.1.conv.weight", "block2.branch4.1.bn.weight", "fc.weight",
      "fc.bias"], ["stem.bn.running_mean", "block2.branch2.1.bn.running_var"]),
    ("googlenet", lambda: GoogLeNet(12), (2, 3, 64, 48),
     ["conv1.conv.weight", "conv3.bn.weight", "inception3b.branch2.1.conv.weight",
      "inception4d.branch4.1.conv.weight", "inception5b.branch1.bn.bias", "fc.weight"],
     ["conv1.bn.running_var", "inception5b.branch3.1.bn.running_mean"]),
    ("gpt", lambda: GPT(5, 7, 8, 2, 2, 0.0), "2,6",
     ["tok.weight", "pos.weight", "blocks.0.attn.in_proj_weight", "blocks.0.attn.out_proj.bias", "blocks.1.ln2.weight",
      "blocks.1.mlp.0.weight", "ln_f.bias", "head.weight"], []),
]


def some(t):
    v = t.detach().double().reshape(-1)
    return [v.sum().item(), v.abs().sum().item()] + v[:6].tolist()


def row(head, values, digits):
    return f"{head} = " + " ".join(f"{v:.{digits}g}" for v in values)


def make_input(shape, dtype):
    if isinstance(shape, str):
        dims = tuple(map(int, shape.split(",")))
        return torch.tensor([(7 * i + 3) % 5 for i in range(math.prod(dims))]).reshape(dims)
    n = math.prod(shape)
    v = torch.tensor([1.5 * math.sin(0.7 * i + 0.3) for i in range(n)], dtype=torch.float64)
    return v.to(dtype).reshape(shape)


out = []
for name, make, shape, params, buffers in CASES:
    for dtype, word, digits in [(torch.float32, "f32", 7), (torch.float64, "f64", 13)]:
        torch.manual_seed(0)
        m = make()
        with torch.no_grad():
            for e in m.modules():
                if isinstance(e, nn.Embedding):
                    n = e.weight.numel()
                    e.weight.copy_(torch.tensor([0.5 * math.sin(0.3 * i + 0.1) for i in range(n)]).reshape(e.weight.shape))
        if word == "f32":
            out.append(f"case {name}")
            out += ["| " + line for line in repr(m).split("\n")]
        m = m.to(dtype)
        x = make_input(shape, dtype)
        m.eval()
        y = m(x)
        dims = ",".join(map(str, y.shape))
        out.append(row(f"y {word} eval {dims}", y.detach().reshape(-1).tolist(), digits))
        if name == "googlenet" and word == "f32":
            continue
        m.train()
        for e in m.modules():
            if isinstance(e, nn.Dropout):
                e.eval()
        y = m(x)
        out.append(row(f"y {word} train {dims}", y.detach().reshape(-1).tolist(), digits))
        w = torch.tensor([0.1 * (i % 7) - 0.2 for i in range(y.numel())], dtype=dtype)
        (y.reshape(-1) * w).mean().backward()
        named = dict(m.named_parameters())
        for p in params:
            out.append(row(f"grad {word} {p} {named[p].numel()}", some(named[p].grad), digits))
        if word == "f64":
            named = dict(m.named_buffers())
            for b in buffers:
                out.append(row(f"after {b} {named[b].numel()}", some(named[b]), digits))
open("tests/golden/nn/models.txt", "w").write("\n".join(out) + "\n")
