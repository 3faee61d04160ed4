# torch.autocast: which operations have the lower precision, which f32, and which keep what they get.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
a, b = torch.randn(4, 4), torch.randn(4, 4)
c3 = torch.randn(2, 4, 4)
im = torch.randn(1, 4, 5, 5)
t = torch.tensor([0, 1, 2, 3])
calls = {
    "matmul": lambda x, y: torch.matmul(x, y),
    "at": lambda x, y: x @ y,
    "mm": lambda x, y: torch.mm(x, y),
    "x.mm": lambda x, y: x.mm(y),
    "bmm": lambda x, y: torch.bmm(x[None], y[None]),
    "mv": lambda x, y: torch.mv(x, y[0]),
    "dot": lambda x, y: torch.dot(x[0], y[0]),
    "addmm": lambda x, y: torch.addmm(x, x, y),
    "baddbmm": lambda x, y: torch.baddbmm(x[None], x[None], y[None]),
    "addbmm": lambda x, y: torch.addbmm(x, x[None], y[None]),
    "addmv": lambda x, y: torch.addmv(x[0], x, y[0]),
    "outer": lambda x, y: torch.outer(x[0], y[0]),
    "addr": lambda x, y: torch.addr(x, x[0], y[0]),
    "linear": lambda x, y: F.linear(x, y),
    "linearb": lambda x, y: F.linear(x, y, x[0]),
    "einsum": lambda x, y: torch.einsum("ij,jk->ik", x, y),
    "kron": lambda x, y: torch.kron(x, y),
    "cdist": lambda x, y: torch.cdist(x, y),
    "exp": lambda x, y: torch.exp(x),
    "softmax": lambda x, y: torch.softmax(x, -1),
    "log_softmax": lambda x, y: F.log_softmax(x, -1),
    "layer_norm": lambda x, y: F.layer_norm(x, (4,)),
    "sum": lambda x, y: x.sum(),
    "mean": lambda x, y: x.mean(),
    "pow": lambda x, y: x ** 2,
    "norm": lambda x, y: x.norm(),
    "prod": lambda x, y: x.prod(),
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "cat": lambda x, y: torch.cat([x, y]),
    "stack": lambda x, y: torch.stack([x, y]),
    "relu": lambda x, y: F.relu(x),
    "gelu": lambda x, y: F.gelu(x),
    "prelu": lambda x, y: F.prelu(x, y[0, :1]),
    "cumsum": lambda x, y: x.cumsum(0),
    "var": lambda x, y: x.var(),
    "std": lambda x, y: x.std(),
    "quantile": lambda x, y: torch.quantile(x, 0.5),
    "trace": lambda x, y: torch.trace(x),
    "where": lambda x, y: torch.where(x > 0, x, y),
    "mse": lambda x, y: F.mse_loss(x, y),
    "l1": lambda x, y: F.l1_loss(x, y),
    "smooth": lambda x, y: F.smooth_l1_loss(x, y),
    "huber": lambda x, y: F.huber_loss(x, y),
    "ce": lambda x, y: F.cross_entropy(x, t),
    "nll": lambda x, y: F.nll_loss(F.log_softmax(x, -1), t),
    "bcel": lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "bce": lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
    "kl": lambda x, y: F.kl_div(x, y),
    "cos": lambda x, y: F.cosine_similarity(x, y),
    "cose": lambda x, y: F.cosine_embedding_loss(x, y, torch.ones(4)),
    "hinge": lambda x, y: F.hinge_embedding_loss(x, torch.ones(4)),
    "margin": lambda x, y: F.margin_ranking_loss(x, y, torch.ones(4)),
    "triplet": lambda x, y: F.triplet_margin_loss(x, y, x + y),
    "softm": lambda x, y: F.soft_margin_loss(x, y),
    "mlm": lambda x, y: F.multi_margin_loss(x, t),
    "poisson": lambda x, y: F.poisson_nll_loss(x, y.abs()),
    "gnll": lambda x, y: F.gaussian_nll_loss(x, y, y.abs()),
    "mlsm": lambda x, y: F.multilabel_soft_margin_loss(x, y.sigmoid()),
    "sdpa": lambda x, y: F.scaled_dot_product_attention(x[None], y[None], x[None]),
    "embedding": lambda x, y: F.embedding(t, x),
    "bn": lambda x, y: F.batch_norm(x, None, None, training=True),
    "gn": lambda x, y: F.group_norm(x, 2),
    "avg_pool": lambda x, y: F.avg_pool2d(x[None, None], 2),
    "max_pool": lambda x, y: F.max_pool2d(x[None, None], 2),
    "interp": lambda x, y: F.interpolate(x[None, None], scale_factor=2.0),
    "dropout": lambda x, y: F.dropout(x, 0.0),
    "inv": lambda x, y: torch.linalg.inv(x.float()),
    "logsumexp": lambda x, y: torch.logsumexp(x, 0),
    "sigmoid": lambda x, y: torch.sigmoid(x),
    "div": lambda x, y: x / y,
    "addcmul": lambda x, y: torch.addcmul(x, x, y),
    "atan2": lambda x, y: torch.atan2(x, y),
    "index_copy": lambda x, y: torch.index_copy(x, 0, t, y),
    "pdist": lambda x, y: F.pairwise_distance(x, y),
    "dist": lambda x, y: torch.dist(x, y),
    "renorm": lambda x, y: torch.renorm(x, 2, 0, 1.0),
    "tri": lambda x, y: torch.tril(x),
    "fft": lambda x, y: torch.fft.rfft(x).real,
    "cov": lambda x, y: torch.cov(x),
}
for dt in (torch.bfloat16, torch.float16):
    for name, f in calls.items():
        row = []
        for x, y in ((a, b), (a.to(dt), b.to(dt)), (a.to(dt), b), (a.double(), b.double())):
            try:
                with torch.autocast("cpu", dtype=dt):
                    r = f(x, y)
                row.append(str(r.dtype)[6:])
            except Exception as e:
                row.append("E")
        print(str(dt)[6:], name, row)
conv = nn.Conv2d(4, 3, 3)
bn = nn.BatchNorm2d(3)
ln = nn.LayerNorm(4)
lin = nn.Linear(4, 4)
rnn = nn.LSTM(4, 4)
gru = nn.GRU(4, 4)
mha = nn.MultiheadAttention(4, 2)
tr = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
ct = nn.ConvTranspose2d(4, 3, 3)
c1 = nn.Conv1d(4, 3, 1)
emb = nn.Embedding(5, 4)
cell = nn.LSTMCell(4, 4)
pr = nn.PReLU()
gn = nn.GroupNorm(2, 4)
rms = nn.RMSNorm(4)
bil = nn.Bilinear(4, 4, 2)
mods = {
    "conv": lambda: conv(im),
    "convbn": lambda: bn(conv(im)),
    "lnlin": lambda: ln(lin(a)),
    "lin": lambda: lin(a),
    "lstm": lambda: rnn(c3)[0],
    "gru": lambda: gru(c3)[0],
    "mha": lambda: mha(c3, c3, c3)[0],
    "tr": lambda: tr(c3),
    "ct": lambda: ct(im),
    "c1": lambda: c1(c3),
    "emb": lambda: emb(t),
    "cell": lambda: cell(a)[0],
    "pr": lambda: pr(a),
    "gn": lambda: gn(lin(a)),
    "rms": lambda: rms(lin(a)),
    "bil": lambda: bil(a, b),
    "seq": lambda: F.cross_entropy(lin(F.relu(lin(a))), t),
    "add": lambda: lin(a) + a,
    "cat": lambda: torch.cat([lin(a), a]),
    "iadd": lambda: lin(a).add_(a),
    "res": lambda: a.clone().add_(lin(a)),
    "sm": lambda: F.softmax(lin(a), -1) @ a,
}
for name, f in mods.items():
    with torch.autocast("cpu"):
        print(name, f().dtype)
lin.zero_grad()
with torch.autocast("cpu", dtype=torch.bfloat16):
    l = F.mse_loss(lin(a), b)
l.backward()
print(l.dtype, lin.weight.grad.dtype, "%.3f" % lin.weight.grad.abs().sum().item(), lin.bias.grad.dtype)
print(torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda"))
with torch.autocast("cpu"):
    print(torch.is_autocast_enabled("cpu"), torch.is_autocast_cpu_enabled(), (a @ b).dtype)
    with torch.autocast("cpu", enabled=False):
        print(torch.is_autocast_enabled("cpu"), (a @ b).dtype)
        with torch.autocast("cpu", dtype=torch.float16):
            print((a @ b).dtype, torch.get_autocast_dtype("cpu"))
        print((a @ b).dtype)
    print((a @ b).dtype)
@torch.autocast("cpu")
def deco(x):
    return x @ x
print(deco(a).dtype, deco.__name__, (a @ a).dtype)
@torch.jit.script
def scr(x):
    return torch.mm(x, x)
print(scr(a).dtype)
with torch.autocast("cpu"):
    print(scr(a).dtype)
print(scr(a).dtype)
class Fn(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        print("fwd", x.dtype, torch.is_autocast_enabled("cpu"))
        return x @ y
    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        print("bwd", g.dtype, torch.is_autocast_enabled("cpu"))
        return g @ y.t(), x.t() @ g
p = a.clone().requires_grad_()
q = b.clone().requires_grad_()
with torch.autocast("cpu"):
    r = Fn.apply(p.bfloat16(), q)
    print(r.dtype)
r.sum().backward()
print(p.grad.dtype, q.grad.dtype)
try:
    torch.autocast("foo")
except Exception as e:
    print(type(e).__name__)
def g(x):
    return F.relu(lin(x)).sum()
cg = torch.compile(g)
print(cg(a).dtype)
with torch.autocast("cpu"):
    print(cg(a).dtype)
print(cg(a).dtype)
