# Edges: half floats, NaN and infinities, numbers without axes, indices out of range, arguments that were once ignored.
import torch
import torch.nn as nn
import torch.nn.functional as F


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:80])


nan, inf = float("nan"), float("inf")
x = torch.arange(120.).reshape(2, 3, 4, 5)
for key in ((slice(None), 0, slice(None), [0, 1]), (0, slice(None), [0, 1]), (slice(0, 2), -1, None, [1, -1]),
            ([0, 1], 0, [1, 2]), (0, [1, 2], slice(None), 1), (Ellipsis, 0, [3]), ([1], 0, slice(None), 2)):
    print(x[key].shape, x[key].sum())
    y = x.clone()
    y[key] = -1.
    print(y.sum())

for d in (torch.float16, torch.bfloat16):
    h = torch.tensor([300., 0., 10., -20.5], dtype=d)
    t("std", lambda: h.std())
    t("var", lambda: h.var(correction=0))
    t("norm", lambda: (h.norm(), h.norm(p=1), h.norm(p=3)))
    t("mean", lambda: torch.full((100,), 1000., dtype=d).mean())
    t("layer_norm", lambda: F.layer_norm(h, (4,)))
    t("group_norm", lambda: F.group_norm(h.reshape(1, 4), 2))
    t("mse", lambda: F.mse_loss(torch.tensor([200.], dtype=d), torch.tensor([1.], dtype=d)))
    t("softmax", lambda: torch.softmax(torch.tensor([1., 2., 3.], dtype=d), 0))
    t("log_softmax", lambda: (torch.log_softmax(torch.tensor([1., 2., 3.], dtype=d), 0) * 4).round())
    t("logsumexp", lambda: (torch.logsumexp(h / 100, 0) * 16).round())
    t("cross_entropy", lambda: (F.cross_entropy(h.reshape(2, 2) / 10, torch.tensor([0, 1])) * 16).round())
    t("pow", lambda: (torch.tensor([1.5, 3.], dtype=d) ** torch.tensor([2.5, 3.5], dtype=d)))
    t("gelu", lambda: F.gelu(h / 100))
    t("silu", lambda: F.silu(h / 100))
    t("log2", lambda: torch.log2(torch.tensor([3., 10.], dtype=d)))
    t("polygamma", lambda: torch.polygamma(1, torch.tensor([0.8], dtype=d)))
    t("digamma", lambda: torch.digamma(torch.tensor([0.8], dtype=d)))
    t("bce", lambda: F.binary_cross_entropy_with_logits(h[1:] / 8, torch.tensor([1., 0., 1.], dtype=d)))

t("softplus", lambda: F.softplus(torch.tensor([1., 0.2, 30.]), beta=2, threshold=1))
t("diag_embed", lambda: torch.diag_embed(torch.tensor([inf, 1.])))
t("digamma", lambda: torch.digamma(torch.tensor([0., -0., -1., -3., 2.5])))
t("logcumsumexp", lambda: torch.logcumsumexp(torch.tensor([0., 1000., -200., 3.]), 0))
t("median", lambda: (torch.tensor([1., nan, 3., 2., 5.]).median(), torch.tensor([[1., nan], [4., 2.]]).median(1)))
t("topk", lambda: torch.tensor([1., nan, 3.]).topk(2))
t("sort", lambda: torch.tensor([1., nan, 3., nan]).sort(descending=True))
t("// 0", lambda: torch.tensor([1, -1, 5]) // 0)
t("% 0", lambda: torch.tensor([1, -1, 5]) % 0)
t("fmod 0", lambda: torch.fmod(torch.tensor([1]), torch.tensor([0])))
t("div trunc 0", lambda: torch.div(torch.tensor([5]), torch.tensor([0]), rounding_mode="trunc"))
t("div trunc", lambda: torch.div(torch.tensor([7, -7, 2 ** 60 + 1]), torch.tensor([2, 2, 1]), rounding_mode="trunc"))
t("// 0.", lambda: torch.tensor([1., -1.]) // 0)
t("circular", lambda: F.pad(torch.arange(4.).reshape(1, 1, 4), (-1, 1), mode="circular"))
t("square", lambda: torch.square(torch.tensor([True, False])))
t("all", lambda: torch.all(torch.tensor([1, 0], dtype=torch.uint8)))
t("nansum", lambda: torch.nansum(torch.tensor([1, 2])))
t("copysign", lambda: torch.copysign(torch.tensor([1, 2]), torch.tensor(-1.)))
t("cov", lambda: torch.cov(torch.tensor([[1., 2., 4.]])))
t("vander", lambda: torch.vander(torch.tensor([3], dtype=torch.int8), 6))
t("softmax of inf", lambda: torch.softmax(torch.tensor([inf, 1.]), 0))
t("softmax of nothing", lambda: torch.softmax(torch.zeros(0, 3), 0).shape)
t("cat", lambda: torch.cat([torch.zeros(0, dtype=torch.float64), torch.tensor([1])]))
t("trapezoid", lambda: torch.trapezoid(torch.zeros(2, 0)))
t("renorm", lambda: torch.func.grad(lambda x: x.renorm(2, 0, 1.).sum())(torch.tensor([[3., 4.], [0., 0.]])))
t("hardswish", lambda: torch.func.grad(lambda x: F.hardswish(x).sum())(torch.tensor([inf, 5., -inf, 1.])))
t("hardswish", lambda: F.hardswish(torch.tensor([-inf, -4., -3., -0., 0., 3., inf, float("nan")])))
for f in (F.gelu, F.silu, F.mish, F.hardswish, torch.nn.GELU("tanh"), torch.nn.SiLU(), torch.nn.Mish(), torch.nn.Hardswish()):
    t("of whole numbers", lambda: f(torch.tensor([1, 2])))
    t("of bools", lambda: f(torch.tensor([True])))
for f in (F.leaky_relu, F.elu, F.selu, F.celu, F.softplus, F.hardsigmoid, F.rrelu, F.logsigmoid, F.hardshrink, F.softshrink,
          torch.nn.ELU(), torch.nn.Softplus(), torch.nn.LogSigmoid(), lambda x: F.glu(torch.cat([x, x]))):
    t("of whole numbers", lambda: f(torch.tensor([1, 2])))
    t("of bools", lambda: f(torch.tensor([True])))
for f in (F.hardtanh, F.relu6, lambda x: F.hardtanh(x, -1.5, 2.5), torch.nn.ReLU6()):
    t("of whole numbers", lambda: f(torch.tensor([-9, 2, 9])))
    t("of bytes", lambda: f(torch.tensor([2, 9], dtype=torch.uint8)))
    t("of bools", lambda: f(torch.tensor([True])))
one = torch.tensor(3.)
for f in (torch.sum, torch.mean, torch.prod, torch.amax, torch.logsumexp, torch.argsort, torch.logcumsumexp):
    t(f.__name__, lambda: (f(one, -1), f(one, 0)))
    t(f.__name__, lambda: f(one, 1))
m = torch.ones(3, dtype=torch.bool)
m[0] = 0
i = torch.arange(3)
i[0] = 1.5
i[1:] = torch.tensor([7.9, -2.9])
print(m, i)

t("cut and pad", lambda: F.pad(torch.arange(8.).reshape(2, 4), (-1, 2, 1, -1)))
t("nanmedian", lambda: torch.nanmedian(torch.tensor([[1., nan, 3., 2.], [4., 5., 6., 7.]]), dim=1))
t("cummax", lambda: torch.cummax(torch.tensor([1., nan, 3., nan]), 0))
t("cumsum", lambda: (torch.cumsum(one, 0), torch.softmax(one, -1), one.argmax(0), one.cummax(0), torch.flip(one, [0])))
t("xlogy", lambda: torch.xlogy(torch.tensor([3.]), torch.tensor([0.377], dtype=torch.float16)))
t("sinc", lambda: torch.sinc(torch.tensor([0.3, 1.7], dtype=torch.float16)))
yes = torch.tensor([True, False])
for name, f in (("sub", lambda: torch.sub(one, True)), ("alpha", lambda: torch.add(i, i, alpha=0.5)),
                ("isclose", lambda: torch.isclose(one, i)), ("heaviside", lambda: torch.heaviside(one, i)),
                ("maximum", lambda: torch.maximum(one, 2.)), ("std", lambda: i.std()), ("nanmean", lambda: i.nanmean()),
                ("scatter_add", lambda: x[0, 0].scatter_add(0, torch.zeros(1, 1, dtype=torch.long), torch.ones(1, 1).long()))):
    t(name, f)

# indices
a, w = torch.arange(6.).reshape(2, 3), torch.eye(3)
for k in (-1, 2, 3):
    j = torch.tensor([[k]])
    t("gather", lambda: a.gather(1, j))
    t("index_select", lambda: a[:, 0].index_select(0, j[0] - 1))
    t("take", lambda: torch.take(a, j * 2))
    t("scatter", lambda: a.scatter(1, j, 9.))
    t("scatter_add", lambda: a.scatter_add(1, j, torch.ones(1, 1)))
    t("embedding", lambda: F.embedding(j, w))
    t("one_hot", lambda: F.one_hot(j, 3))
    t("cross_entropy", lambda: F.cross_entropy(a, torch.tensor([0, k])))
    t("ignored", lambda: F.cross_entropy(a, torch.tensor([0, k]), ignore_index=3))
    t("nll_loss", lambda: F.nll_loss(a, torch.tensor([k, 1])))
    t("x[k]", lambda: w[torch.tensor([k])])
loss = torch.jit.trace(lambda x, y: F.cross_entropy(x, y), (a, torch.tensor([0, 1])), check_trace=False)
print(loss(a, torch.tensor([2, 0])))
try:
    loss(a, torch.tensor([0, 77]))
    print("no error")
except Exception:
    print("refused")

# arguments of losses
torch.manual_seed(0)
p, q = torch.linspace(0.1, 0.9, 12).reshape(4, 3), torch.linspace(0.8, 0.2, 12).reshape(4, 3)
labels = torch.tensor([0, 1, 2, 0])
for f in (F.binary_cross_entropy, F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.kl_div, F.binary_cross_entropy_with_logits,
          F.poisson_nll_loss, F.soft_margin_loss, F.hinge_embedding_loss, F.multilabel_soft_margin_loss):
    print(f.__name__, f(p, q, size_average=False), f(p, q, size_average=True), f(p, q, reduce=False).shape)
for f in (F.cross_entropy, F.nll_loss, F.multi_margin_loss):
    print(f.__name__, f(p, labels, size_average=False), f(p, labels, reduce=False))
print(F.mse_loss(p, q, weight=q), F.l1_loss(p, q, weight=q), F.huber_loss(p, q, weight=q), F.mse_loss(p, q, weight=q, reduction="sum"))
for loss in (nn.MSELoss, nn.BCELoss, nn.L1Loss, nn.KLDivLoss, nn.BCEWithLogitsLoss, nn.SmoothL1Loss):
    print(loss.__name__, loss(size_average=False)(p, q))


# what is computed without a gradient inside of a function
def detached(x):
    with torch.no_grad():
        c = x * x
    return (x * c).sum()


print(torch.func.grad(detached)(torch.tensor([2., 3.])), torch.func.vmap(torch.func.grad(detached))(torch.tensor([[2.], [3.]])))

# a scale of 0 is one, not the usual
q = torch.arange(12.0).reshape(1, 3, 4)
print(torch.allclose(torch.nn.functional.scaled_dot_product_attention(q, q, q, scale=0.0), q.mean(1, keepdim=True).expand_as(q)))
