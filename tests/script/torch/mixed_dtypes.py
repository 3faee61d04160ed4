# Where PyTorch wants one dtype, another one is an error, and no promotion.
import torch
import torch.nn.functional as F
from torch import nn

D, L = torch.float64, torch.int64


def say(f):
    try:
        y = f()
        print(y.dtype if isinstance(y, torch.Tensor) else y)
    except Exception as e:
        print(type(e).__name__, str(e))


one = torch.ones
for n in (1, 2, 3):
    x, w = one(1, 2, *[4] * n), one(2, 2, *[3] * n)
    conv, back = getattr(F, f"conv{n}d"), getattr(F, f"conv_transpose{n}d")
    say(lambda: conv(x, w))
    say(lambda: conv(x, w.double()))
    say(lambda: conv(x.double(), w, one(2)))
    say(lambda: conv(x.to(L), w, one(2)))
    say(lambda: back(x, w.double()))
    say(lambda: getattr(nn, f"Conv{n}d")(2, 3, 3)(x.double()))
    say(lambda: getattr(nn, f"Conv{n}d")(2, 3, 3).double()(x))
for kind in (torch.float32, torch.float64, torch.bfloat16, L):
    x = torch.arange(12).reshape(4, 3).to(kind)
    for m in (nn.LayerNorm(3), nn.GroupNorm(1, 3), nn.BatchNorm1d(3), nn.BatchNorm1d(3).eval()):
        if kind != L or isinstance(m, nn.LayerNorm):
            say(lambda: m(x))
say(lambda: F.binary_cross_entropy(one(2) * 0.5, one(2, dtype=D)))
say(lambda: F.binary_cross_entropy(one(2) * 0.5, one(2, dtype=L)))
say(lambda: F.binary_cross_entropy_with_logits(one(2), one(2, dtype=D)))
say(lambda: F.mse_loss(one(2, dtype=D), one(2)))
say(lambda: F.cross_entropy(one(2, 3), one(2, dtype=torch.int32)))
say(lambda: F.cross_entropy(one(2, 3), one(2, dtype=torch.uint8)))
say(lambda: F.nll_loss(one(2, 3), one(2, dtype=torch.int32)))
say(lambda: F.embedding(one(2), one(2, 3)))
say(lambda: F.embedding(one(2, dtype=torch.int16), one(2, 3)))
say(lambda: F.embedding(one(2, dtype=torch.int32), one(2, 3)))
say(lambda: F.bilinear(one(2, 3), one(2, 3, dtype=D), one(1, 3, 3)))
say(lambda: F.prelu(one(2, 3, dtype=D), one(1)))
say(lambda: F.scaled_dot_product_attention(one(1, 2, 4), one(1, 2, 4), one(1, 2, 4, dtype=D)))
say(lambda: one(2).index_add_(0, torch.tensor([0]), one(1, dtype=D)))
say(lambda: one(2).index_copy_(0, torch.tensor([0]), one(1, dtype=D)))
say(lambda: torch.einsum("i,i->", one(2), one(2, dtype=D)))
say(lambda: torch.dot(one(2), one(2, dtype=D)))
say(lambda: torch.lerp(one(2), one(2, dtype=D), 0.5))
say(lambda: torch.cdist(one(1, 2), one(2, 2, dtype=D)))
say(lambda: torch.linalg.solve(torch.eye(2), one(2, dtype=D)))
say(lambda: F.grid_sample(one(1, 1, 2, 2), torch.zeros(1, 1, 1, 2, dtype=D), align_corners=False))
with torch.autocast("cpu", dtype=torch.bfloat16):       # casts come first
    say(lambda: F.conv2d(one(1, 1, 3, 3), one(1, 1, 2, 2, dtype=torch.bfloat16)))
    say(lambda: F.linear(one(1, 3), one(1, 3, dtype=torch.bfloat16)))
