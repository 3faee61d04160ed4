# Operators of torch.* that have other arguments than the functions of torch.nn.functional of the same name.
import torch
torch.manual_seed(0)
x = torch.arange(12.).reshape(2, 3, 2)
w, b = torch.tensor([1., 2., 3.]), torch.tensor([.5, 0., -.5])
m, v = torch.tensor([0., 1., 2.]), torch.tensor([1., 4., 9.])


def show(n, f):
    try:
        print(n, f())
    except Exception as e:
        print(n, type(e).__name__)


show("batch_norm", lambda: torch.batch_norm(x, w, b, m, v, False, 0.1, 1e-5, False))
show("embedding", lambda: torch.embedding(torch.arange(6.).reshape(3, 2), torch.tensor([2, 0])))
show("instance_norm", lambda: torch.instance_norm(x, w, b, None, None, True, 0.1, 1e-5, False))
show("group_norm", lambda: torch.group_norm(x, 3, w, b, 1e-5))
show("layer_norm", lambda: torch.layer_norm(x, [2], None, None, 1e-5))
show("rms_norm", lambda: torch.rms_norm(x, [2]))
show("dropout", lambda: torch.dropout(x, 0.5, False).shape)
show("dropout p", lambda: torch.dropout(x, p=0.5, train=False).shape)
show("dropout without", lambda: torch.dropout(x, 0.5))
show("alpha", lambda: torch.alpha_dropout(x, 0.5, False).shape)
show("rrelu", lambda: torch.rrelu(-x, 0.1, 0.3, False))
show("celu", lambda: torch.celu(-x, 1.0))
show("threshold", lambda: torch.threshold(x, 3.0, 9.0))
show("max_pool1d", lambda: torch.max_pool1d(x, 2))
show("avg_pool1d", lambda: torch.avg_pool1d(x, 2))
show("bilinear", lambda: torch.bilinear(x[:, :, 0], x[:, :, 1], torch.ones(1, 3, 3)))
show("cosine", lambda: torch.cosine_similarity(x, x + 1))
show("margin", lambda: torch.margin_ranking_loss(x, x + 1, torch.ones_like(x), 0.5, 2))
show("hinge", lambda: torch.hinge_embedding_loss(x, torch.ones(1)))
show("kl", lambda: torch.kl_div(x, x))
show("triplet", lambda: torch.triplet_margin_loss(x, x + 1, x - 1))
show("poisson", lambda: torch.poisson_nll_loss(x, x, True, False, 1e-8, 1))
show("bce", lambda: torch.binary_cross_entropy_with_logits(x, x))
show("pixel", lambda: torch.pixel_shuffle(torch.arange(4.).reshape(4, 1, 1), 2))
show("cosine_embedding", lambda: torch.cosine_embedding_loss(x[0], x[0] + 1, torch.ones(3)))
