# In-place activations after layers: which of them have gradients.
import torch, torch.nn as nn, torch.nn.functional as F


def attempt(name, f):
    try:
        x = (torch.arange(72.).reshape(2, 4, 3, 3).sin() * 4).requires_grad_()
        y = f(x)
        (y * torch.arange(1., y.numel() + 1).reshape(y.shape)).sum().backward()
        print(name, round(y.abs().sum().item(), 2), round(x.grad.abs().mean().item(), 3))
    except RuntimeError as e:
        print(name, "refused", str(e)[:60])


ACTS = [nn.ReLU, nn.Hardswish, nn.SiLU, nn.ReLU6, nn.Hardsigmoid, nn.LeakyReLU, nn.ELU, nn.Mish, nn.SELU, nn.CELU,
        nn.Hardtanh, nn.Threshold]
for act in ACTS:
    layer = act(0.1, 0.0, True) if act is nn.Threshold else act(inplace=True)
    conv, norm, linear = nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.Linear(3, 3)
    for p in list(conv.parameters()) + list(linear.parameters()):
        p.data.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape))
    for name, before in (("norm", norm), ("conv", conv), ("add", lambda x: x + 1), ("mul", lambda x: x * 2),
                         ("group", nn.GroupNorm(2, 4)), ("layer", nn.LayerNorm(3)), ("skip", lambda x: conv(x) + x),
                         ("cat", lambda x: torch.cat([x, x])), ("pool", lambda x: F.avg_pool2d(x, 3)),
                         ("max", lambda x: F.max_pool2d(x, 3)), ("linear", linear)):
        attempt(act.__name__ + " " + name, lambda x: layer(before(x)))


def steps(x):
    y = x * 2
    y += x
    y *= 3
    return y


def hard(x):
    y = x + 3
    y.div_(6)
    return y.clamp_(0, 1) * x


def mixed(x):
    y = x + 3
    y.addcmul_(x, x, value=0.1).lerp_(x, 0.25)
    y.addcdiv_(x, x * x + 1)
    return y.remainder_(2.0) * y


def functions(x):
    y = x.sigmoid() * 0.5 + 0.2
    y.logit_()
    y.sinc_()
    return y


attempt("steps", steps)
attempt("hard", hard)
attempt("mixed", mixed)
attempt("functions", functions)
attempt("norm, then +=", lambda x: F.relu_(nn.BatchNorm2d(4)(x).add_(x)))
