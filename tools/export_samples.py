#!/usr/bin/env python3
"""Archives of torch.export for the tests: tests/export/NAME.pt2, deflated, without places in files of this machine.

    python tools/export_samples.py tests/export        needs torch; then tools/script_golden.py export
"""
import io
import json
import sys
import zipfile

import torch

nn, F, Dim = torch.nn, torch.nn.functional, torch.export.Dim
N, T = Dim("N", min=1, max=512), Dim("T", min=2, max=64)
CASES = {}


def case(name, args, sizes=None, train=False, core=False):
    def put(m):
        m = m() if isinstance(m, type) else Of(m)
        CASES[name] = (m.train() if train else m.eval(), args, sizes, core)
        return m
    return put


class Of(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


torch.manual_seed(0)
R = torch.randn
IMG = R(2, 3, 12, 12)


@case("mlp", (R(4, 6),), ({0: N},))
class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))

    def forward(self, x):
        return F.log_softmax(self.body(x), -1)


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(3, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6)
        self.c2, self.b2 = nn.Conv2d(6, 6, 3, stride=2, groups=3), nn.BatchNorm2d(6)
        self.out = nn.Linear(6, 4)

    def forward(self, x):
        h = F.max_pool2d(F.relu(self.b1(self.c1(x))), 2)
        h = F.hardswish(self.b2(self.c2(h)))
        return self.out(F.adaptive_avg_pool2d(h, 1).flatten(1))


case("convnet", (IMG,), ({0: N},))(ConvNet)
case("convnet_train", (IMG,), ({0: N},), train=True)(ConvNet)
case("convnet_core", (IMG,), ({0: N},), core=True)(ConvNet)
case("convnet_train_core", (IMG,), None, train=True, core=True)(ConvNet)


@case("counter", (R(4, 3),), ({0: N},), train=True)
class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.BatchNorm1d(3)
        self.register_buffer("n", torch.zeros(()))

    def forward(self, x):
        self.n.add_(1)
        return self.b(x) * self.n


class Tagger(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.words = nn.Embedding(11, 5)
        self.rnn = kind(5, 4, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(8, 3)

    def forward(self, i):
        return self.out(self.rnn(self.words(i))[0])


WORDS = torch.arange(10).reshape(2, 5) % 11
CASES["lstm_tagger"] = (Tagger(nn.LSTM).eval(), (WORDS,), ({0: N},), False)
CASES["gru_tagger"] = (Tagger(nn.GRU).eval(), (WORDS,), ({0: N},), False)
CASES["rnn_tagger"] = (Tagger(nn.RNN).eval(), (WORDS,), ({0: N},), False)
CASES["encoder"] = (nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0), 2, enable_nested_tensor=False).eval(),
                    (R(2, 5, 8),), None, False)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.o = nn.Linear(8, 24), nn.Linear(8, 8)
        self.n1, self.n2 = nn.LayerNorm(8), nn.RMSNorm(8)
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.q(self.n1(x)).view(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        x = x + self.o(a)
        return x + self.down(F.silu(self.up(self.n2(x))))


case("block", (R(2, 5, 8),), ({0: N, 1: T},))(Block)
case("block_core", (R(2, 5, 8),), ({0: N},), core=True)(Block)

class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        y, w = self.m(x, x, x)
        return y, w


case("attention", (R(2, 5, 8),))(Attend)
case("shapes", (R(4, 6),), ({0: N},))(lambda x: (x.reshape(x.shape[0] * 2, -1), torch.cat([x, torch.zeros(x.shape[0] + 1, 6)]), x * (x.shape[0] + 1), x.view(x.shape[0], -1).unbind(1)[0],
                                                x.to(torch.float64), torch.split(torch.cat([x, x]), [x.shape[0], x.shape[0]])[1], torch.arange(x.shape[0]) * 2))
case("reductions", (R(4, 6),), ({0: N},))(lambda x: (x.sum(), x.mean(1), x.max(1)[0], x.argmin(0), x.std(1), x.var(0, unbiased=False), torch.logsumexp(x, 1), x.cumsum(1), torch.linalg.vector_norm(x, dim=1), x.prod(1), (x > 0).any(1)))
case("indexing", (R(4, 6), torch.tensor([2, 0, 3])))(lambda x, i: (x[i], x[:, 1:5:2], x.index_select(1, i), torch.gather(x, 1, i[:, None].expand(3, 2)[:3]), x.flip(0), torch.where(x > 0, x, -x), x.topk(2, 1)[0],
                                                                   x.sort(1)[0], F.one_hot(i, 4), x.masked_fill(x < 0, 0.5), x.roll(1, 0), x.tril(), x.scatter(1, i[:, None], 9.0)))
case("elementwise", (R(4, 6),), ({0: N},))(lambda x: (torch.exp(x), torch.log1p(x.abs()), torch.erf(x), torch.rsqrt(x.abs() + 1), x.clamp(-0.5, 0.5), x ** 2, x // 0.3, torch.remainder(x, 0.7), torch.sigmoid(x), F.softplus(x), F.elu(x), F.leaky_relu(x, 0.1),
                                                      F.mish(x), F.hardsigmoid(x), torch.atan2(x, x + 1), x.sign(), x.round(), (x > 0) & (x < 1), x.float().half().float(), torch.reciprocal(x), F.gelu(x, approximate="tanh"), F.relu6(x), F.hardtanh(x)))
case("upsample", (IMG,))(lambda x: (F.interpolate(x, scale_factor=2.0, mode="nearest"), F.interpolate(x, size=(7, 9), mode="bilinear", align_corners=False), F.pad(x, (1, 2, 0, 1)), F.pad(x, (1, 1, 1, 1), mode="reflect"), F.avg_pool2d(x, 3, 2, 1), F.pixel_shuffle(R(1, 4, 2, 2) * 0 + 1, 2)))
case("losses", (R(4, 3), torch.tensor([0, 2, 1, 1])), ({0: N}, {0: N}))(lambda x, t: (F.cross_entropy(x, t), F.mse_loss(x, x * 2), F.nll_loss(F.log_softmax(x, 1), t), F.smooth_l1_loss(x, x * 3), F.binary_cross_entropy_with_logits(x, (x > 0).float())))
case("einsum", (R(2, 3, 4), R(2, 4, 5)))(lambda a, b: (torch.einsum("bij,bjk->bik", a, b), torch.bmm(a, b), torch.matmul(a, b[0]), torch.addmm(a[0] @ b[0], a[1], b[1]), torch.outer(a[0, 0], b[0, 0])))
case("branch", (R(3),))(lambda x: torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y * 2, (x,)))
case("transposed", (R(1, 3, 5, 5),))(nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1).eval().forward)
case("norms", (R(2, 4, 3, 3),))(lambda x: (F.group_norm(x, 2), F.instance_norm(x), F.normalize(x, dim=1), F.layer_norm(x, (3, 3)), F.local_response_norm(x, 2)))
case("norms_core", (R(2, 4, 3, 3),), core=True)(lambda x: (F.group_norm(x, 2), F.normalize(x, dim=1), F.layer_norm(x, (3, 3)), F.softmax(x, 1), F.gelu(x)))
case("constants", (R(3),))(lambda x: x * torch.tensor([1.0, 2.0, 3.0]) + torch.arange(3) + torch.full((3,), 0.5) + torch.eye(3)[1])
case("embedding_bag", (torch.tensor([1, 2, 4]),))(lambda i, w=R(6, 3): F.embedding(i, w).mean(0))
case("dict_result", (R(3),))(lambda x: {"a": x + 1, "b": [x * 2, x.sum()]})


def tidy(data, name):
    """The archive without places of files, deflated."""
    src, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for e in src.namelist():
            body = src.read(e)
            if e.endswith("models/model.json"):
                d = json.loads(body)
                clean(d["graph_module"]["graph"])
                body = json.dumps(d, separators=(",", ":")).encode()
            z.writestr(zipfile.ZipInfo(e), body, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def clean(graph):
    for n in graph["nodes"]:
        n["metadata"] = {}
        for i in n["inputs"]:
            if "as_graph" in i["arg"]:
                clean(i["arg"]["as_graph"]["graph"])


if __name__ == "__main__":
    for name, (m, args, sizes, core) in CASES.items():
        try:
            ep = torch.export.export(m, args, dynamic_shapes=sizes if not isinstance(m, Of) or sizes is None else (tuple(sizes),))
            if core:
                ep = ep.run_decompositions()
            f = io.BytesIO()
            torch.export.save(ep, f)
            with open(f"{sys.argv[1]}/{name}.pt2", "wb") as out:
                out.write(tidy(f.getvalue(), name))
        except Exception as e:
            print(name, type(e).__name__, str(e)[:300])
    print(len(CASES))
