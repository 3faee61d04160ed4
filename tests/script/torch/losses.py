# Losses: every reduction, options, gradients.
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
x, y = torch.randn(5, 3), torch.randn(5, 3)
p = torch.rand(5, 3) * 0.8 + 0.1
t = (torch.rand(5, 3) > 0.5).float()
labels = torch.tensor([0, 2, 1, 1, 0])
sign = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0])


def show(name, fn, *inputs):
    values = []
    for reduction in ("mean", "sum", "none"):
        a = inputs[0].clone().requires_grad_()
        loss = fn(a, *inputs[1:], reduction=reduction)
        loss.sum().backward()
        values.append((round(loss.sum().item(), 4), round(a.grad.norm().item(), 4), tuple(loss.shape)))
    print(name, values)


show("mse", F.mse_loss, x, y)
show("l1", F.l1_loss, x, y)
show("smooth", lambda *a, **k: F.smooth_l1_loss(*a, beta=0.5, **k), x, y)
show("huber", lambda *a, **k: F.huber_loss(*a, delta=0.5, **k), x, y)
show("bce", F.binary_cross_entropy, p, t)
show("bce weight", lambda *a, **k: F.binary_cross_entropy(*a, weight=torch.tensor([1.0, 2.0, 3.0]), **k), p, t)
show("logits", F.binary_cross_entropy_with_logits, x, t)
show("pos weight", lambda *a, **k: F.binary_cross_entropy_with_logits(*a, pos_weight=torch.tensor([1.0, 2.0, 3.0]), **k), x, t)
show("ce", F.cross_entropy, x, labels)
show("ce weight", lambda *a, **k: F.cross_entropy(*a, weight=torch.tensor([1.0, 2.0, 0.5]), **k), x, labels)
show("ce smooth", lambda *a, **k: F.cross_entropy(*a, label_smoothing=0.2, weight=torch.tensor([1.0, 2.0, 0.5]), **k), x, labels)
show("ce ignore", lambda *a, **k: F.cross_entropy(*a, ignore_index=1, **k), x, labels)
show("ce soft", F.cross_entropy, x, torch.softmax(y, 1))
show("nll", lambda a, b, **k: F.nll_loss(F.log_softmax(a, 1), b, **k), x, labels)
show("kl", lambda a, b, **k: F.kl_div(F.log_softmax(a, 1), b, **k), x, torch.softmax(y, 1))
show("kl log", lambda a, b, **k: F.kl_div(F.log_softmax(a, 1), b, log_target=True, **k), x, torch.log_softmax(y, 1))
show("poisson", F.poisson_nll_loss, x, p * 5)
show("poisson full", lambda *a, **k: F.poisson_nll_loss(*a, log_input=False, full=True, **k), p, p * 5)
show("gaussian", lambda a, b, **k: F.gaussian_nll_loss(a, b, p, full=True, **k), x, y)
show("hinge", lambda a, **k: F.hinge_embedding_loss(a[:, 0], sign, **k), x)
show("ranking", lambda a, **k: F.margin_ranking_loss(a[:, 0], a[:, 1], sign, margin=0.3, **k), x)
show("cosine", lambda a, **k: F.cosine_embedding_loss(a, y, sign, margin=0.1, **k), x)
show("soft margin", lambda a, **k: F.soft_margin_loss(a[:, 0], sign, **k), x)
show("multi label soft", lambda a, **k: F.multilabel_soft_margin_loss(a, t, **k), x)
show("multi margin", lambda a, **k: F.multi_margin_loss(a, labels, **k), x)
show("triplet", lambda a, **k: F.triplet_margin_loss(a, y, y.flip(0), margin=2.0, **k), x)
show("triplet swap", lambda a, **k: F.triplet_margin_loss(a, y, y.flip(0), swap=True, p=1, **k), x)
logp = torch.randn(6, 2, 4).log_softmax(2)
show("ctc", lambda a, **k: F.ctc_loss(a.log_softmax(2), torch.tensor([[1, 2, 0], [3, 3, 1]]), torch.tensor([6, 5]), torch.tensor([2, 3]), **k), logp)
for loss in (nn.MSELoss(), nn.L1Loss(reduction="sum"), nn.CrossEntropyLoss(label_smoothing=0.1), nn.NLLLoss(), nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.KLDivLoss(reduction="batchmean"), nn.HuberLoss(), nn.SmoothL1Loss(), nn.TripletMarginLoss(), nn.CosineEmbeddingLoss(), nn.GaussianNLLLoss(), nn.CTCLoss()):
    print(loss, len(list(loss.parameters())))
images = torch.randn(2, 3, 4, 4)
print(F.cross_entropy(images, torch.randint(0, 3, (2, 4, 4))), nn.CrossEntropyLoss(reduction="none")(images, torch.randint(0, 3, (2, 4, 4))).shape)
print(F.cross_entropy(torch.randn(3), torch.tensor(1)), F.mse_loss(torch.ones(3), torch.zeros(3)), F.cosine_similarity(x, y), F.pairwise_distance(x, y, p=1))
print("kl_div of a negative target", F.kl_div(torch.ones(3), torch.tensor([-1.0, 0.0, 0.5]), reduction="none"))
x = torch.randn(4, 3, 2, dtype=torch.bfloat16)
print(F.batch_norm(x, torch.zeros(3), torch.ones(3)).dtype, F.batch_norm(x, None, None, torch.ones(3), torch.ones(3), True).dtype)
print(torch.allclose(torch.tensor([True]), torch.tensor([True])), torch.isclose(torch.tensor([True, False]), torch.tensor([True, True])))

# CTC: gradients take the logarithms for those of log_softmax; labels that the steps are too few for
for kw in ({}, dict(reduction="sum"), dict(blank=3, zero_infinity=True)):
    torch.manual_seed(1)
    a = torch.randn(6, 3, 5, requires_grad=True)
    logp = a.log_softmax(2)
    logp.retain_grad()
    lost = F.ctc_loss(logp, torch.tensor([[1, 2, 2], [2, 1, 4], [1, 1, 1]]), torch.tensor([6, 5, 3]), torch.tensor([3, 2, 3]), **kw)
    lost.backward()
    print("ctc", lost.item(), logp.grad[:, :2].sum(1), a.grad[:, :2].norm(), logp.grad[:, 2].sum() if kw.get("zero_infinity") else "")
