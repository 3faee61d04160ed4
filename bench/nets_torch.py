"""nets_torch.py -- the networks of the rows as functions of lists of parameters, in PyTorch."""

import torch
import torch.nn.functional as F
from rows import GOOGLENET, GPT


def net(p, x):
    for i in range(0, len(p) - 2, 2):
        x = F.relu(F.linear(x, p[i], p[i + 1]))
    return F.linear(x, p[-2], p[-1])


def loss_of(p, x, y):
    return F.cross_entropy(net(p, x), y)


class Parts:
    """parameters and buffers handed out in order, as the layers want them"""

    def __init__(self, params, buffers, training):
        self.p, self.b, self.training = iter(params), iter(buffers), training

    def basic(self, x, stride=1, padding=0):
        x = F.conv2d(x, next(self.p), None, stride, padding)
        w, b = next(self.p), next(self.p)
        x = F.batch_norm(x, next(self.b), next(self.b), w, b, self.training, 0.1, 0.001)
        return F.relu(x, inplace=True)

    def inception(self, x):
        a = self.basic(x)
        b = self.basic(self.basic(x), padding=1)
        c = self.basic(self.basic(x), padding=1)
        d = self.basic(F.max_pool2d(x, 3, 1, 1, ceil_mode=True))
        return torch.cat([a, b, c, d], 1)

    def head(self, x):
        return F.linear(x.mean((2, 3)), next(self.p), next(self.p))


def googlenet_forward(p, b, x):
    m = Parts(p, b, False)
    pool = lambda x, k: F.max_pool2d(x, k, 2, ceil_mode=True)
    x = pool(m.basic(x, 2, 3), 3)
    x = pool(m.basic(m.basic(x), padding=1), 3)
    for i in range(len(GOOGLENET)):
        x = m.inception(x)
        if i in (1, 6):
            x = pool(x, 3 if i == 1 else 2)
    return m.head(x)


def gpt_loss(p, tokens, target):
    p = iter(p)
    take = lambda: (next(p), next(p))
    d, h = GPT["size"], GPT["heads"]
    n, t = tokens.shape
    x = F.embedding(tokens, next(p)) + next(p)
    for _ in range(GPT["layers"]):
        ln1, qkv, proj, ln2, up, down = [take() for _ in range(6)]
        q, k, v = F.linear(F.layer_norm(x, (d,), *ln1), *qkv).view(n, t, 3, h, d // h).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, d)
        x = x + F.linear(y, *proj)
        x = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (d,), *ln2), *up)), *down)
    ln, head = take(), take()
    return F.cross_entropy(F.linear(F.layer_norm(x, (d,), *ln), *head).flatten(0, 1), target)
