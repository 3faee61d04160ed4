# Layers that few programs use: pools that are undone or of random windows, attention with more keys, channel-wise dropout,
# softmax by frequency, losses of several labels.
import torch
import torch.nn as nn
import torch.nn.functional as F


def show(name, f):
    try:
        v = f()
        v = v if isinstance(v, (tuple, list)) else [v]
        print(name, [(tuple(x.shape), ["%.6g" % y for y in x.detach().double().reshape(-1)[:12]], "%.5g" % x.detach().double().sum()) for x in v if x is not None])
    except Exception as e:
        print(name, type(e).__name__, str(e)[:120])


torch.manual_seed(0)
for n, pool, unpool, shape in ((1, F.max_pool1d, F.max_unpool1d, (2, 3, 8)), (2, F.max_pool2d, F.max_unpool2d, (2, 2, 6, 8)),
                               (3, F.max_pool3d, F.max_unpool3d, (1, 2, 4, 6, 4))):
    x = torch.randn(shape, requires_grad=True)
    y, i = pool(x, 2, return_indices=True)
    show(f"pool {n}", lambda: (y, i))
    z = unpool(y, i, 2)
    show(f"unpool {n}", lambda: z)
    show(f"unpool grad {n}", lambda: torch.autograd.grad((z * torch.arange(z.numel()).reshape(z.shape)).sum(), x))
    show(f"unpool one {n}", lambda: unpool(*pool(x[0], 2, return_indices=True), 2))
    show(f"overlap {n}", lambda: pool(x, 3, 2, 1, return_indices=True))
    show(f"dilated {n}", lambda: pool(x, 2, 1, 0, 2, return_indices=True))
    show(f"ceil {n}", lambda: pool(x, 3, 2, ceil_mode=True, return_indices=True))
x = torch.randn(1, 1, 7, 7)
y, i = nn.MaxPool2d(2, stride=2, return_indices=True)(x)
show("unpool size", lambda: nn.MaxUnpool2d(2, stride=2)(y, i, output_size=x.size()))
show("unpool bad size", lambda: nn.MaxUnpool2d(2, stride=2)(y, i, output_size=(20, 20)))
show("unpool bad shape", lambda: F.max_unpool2d(y, i[..., :1], 2))
print(nn.MaxUnpool2d(2), nn.LPPool3d(2, 3), nn.CrossMapLRN2d(5))
for n, pool, shape in ((2, nn.FractionalMaxPool2d, (2, 3, 9, 7)), (3, nn.FractionalMaxPool3d, (1, 2, 6, 7, 8))):
    torch.manual_seed(4)
    x = torch.randn(shape)
    show(f"fractional {n}", lambda: pool(2, output_size=3, return_indices=True)(x))
    show(f"ratio {n}", lambda: pool(2, output_ratio=0.5)(x))
    show(f"one {n}", lambda: pool(2, output_size=2)(x[0]))
    show(f"none {n}", lambda: pool(2))
    show(f"large {n}", lambda: pool(5, output_size=6)(x))
show("lp3", lambda: F.lp_pool3d(torch.randn(1, 2, 4, 4, 4).abs(), 2.0, 2))
torch.manual_seed(1)
for f, shape in ((F.dropout1d, (3, 4)), (F.dropout1d, (2, 3, 4)), (F.dropout2d, (2, 3, 2, 2)), (F.dropout2d, (2, 3, 2)),
                 (F.dropout3d, (2, 2, 2, 2)), (F.dropout3d, (2, 2, 1, 2, 2)), (F.feature_alpha_dropout, (2, 3, 2, 2)),
                 (F.alpha_dropout, (2, 3)), (F.dropout1d, (2,))):
    show(f"{f.__name__} {len(shape)}", lambda: f(torch.ones(shape), 0.5, True))
    show("  all", lambda: f(torch.ones(shape), 1.0, True))
for bias, zero, first in ((True, False, True), (False, True, False), (True, True, True)):
    torch.manual_seed(2)
    m = nn.MultiheadAttention(8, 2, add_bias_kv=bias, add_zero_attn=zero, batch_first=first)
    print([k for k, _ in m.named_parameters()])
    q, k = torch.randn(2, 3, 8), torch.randn(2, 5 if first else 3, 8) if first else torch.randn(4, 3, 8)
    q = q if first else torch.randn(2, 3, 8)
    show("attention", lambda: m(q, k, k))
    length = k.shape[1] if first else k.shape[0]
    mask = torch.zeros(q.shape[1] if first else q.shape[0], length, dtype=torch.bool)
    mask[:, 1] = True
    padding = torch.zeros(2 if first else 3, length, dtype=torch.bool)
    padding[0, 2] = True
    show("masked", lambda: m(q, k, k, attn_mask=mask, key_padding_mask=padding, average_attn_weights=False))
    show("grad", lambda: torch.autograd.grad(m(q, k, k)[0].sum(), [p for p in m.parameters()]))
show("causal", lambda: m(q, k, k, is_causal=True))
w, b, ow, ob = torch.randn(24, 8), torch.randn(24), torch.randn(8, 8), torch.randn(8)
x = torch.randn(4, 3, 8)
show("functional", lambda: F.multi_head_attention_forward(x, x, x, 8, 2, w, b, None, None, False, 0.0, ow, ob, training=False))
torch.manual_seed(3)
m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0)
x, t = torch.randn(5, 8), torch.tensor([0, 3, 9, 15, 19])
show("adaptive", lambda: tuple(m(x, t)))
show("log_prob", lambda: m.log_prob(x))
print(m.predict(x).tolist(), type(m(x, t)).__name__)
show("one", lambda: tuple(m(x[0], t[0])))
show("bad", lambda: m(x, t + 1))
x = torch.tensor([[0.1, 0.2, 0.4, 0.8], [0.3, -0.2, 0.5, 0.1]], requires_grad=True)
t = torch.tensor([[3, 0, -1, 1], [1, -1, 2, -1]])
for r in ("none", "mean", "sum"):
    show("multilabel", lambda: nn.MultiLabelMarginLoss(reduction=r)(x, t))
show("multilabel grad", lambda: torch.autograd.grad(F.multilabel_margin_loss(x, t), x))
show("lrn", lambda: nn.CrossMapLRN2d(3, 0.1, 0.5, 2.0)(torch.arange(16.0).reshape(1, 4, 2, 2)))
for f in (F.celu_, F.elu_, F.hardtanh_, F.leaky_relu_, F.selu_):
    x = torch.tensor([-2.0, 0.5, 3.0])
    show("in place", lambda: (f(x), x))
x = torch.tensor([-2.0, 0.5, 3.0])
show("threshold_", lambda: (F.threshold_(x, 1.0, 7.0), x))
show("tbc", lambda: torch.conv_tbc(torch.randn(5, 2, 3), torch.randn(3, 3, 4), torch.randn(4), 1))
show("up", lambda: F.upsample_bilinear(torch.arange(8.0).reshape(1, 2, 2, 2), scale_factor=2))
show("up", lambda: F.upsample_nearest(torch.arange(8.0).reshape(1, 2, 2, 2), size=(3, 3)))
