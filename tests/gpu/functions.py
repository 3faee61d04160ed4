# Functions of torch that make tensors for themselves: on tensors of a GPU they give what they give on the host, and give it there.
# Only tensors of the user's own are of two devices when they are.
import copy
import io
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import grad, jacrev, vmap

torch.manual_seed(0)
x, y = torch.randn(4, 6), torch.randn(4, 6)
square, tall = torch.randn(5, 5) + 5 * torch.eye(5), torch.randn(6, 3)
image = torch.randn(2, 3, 8, 8)
labels, rows = torch.tensor([1, 0, 5, 2]), torch.tensor([0, 2])
ints, mask = torch.tensor([3, 1, 3, 0, 2]), torch.randn(4, 6) > 0
sequence = torch.randn(7, 2, 4)
places = torch.randint(0, 4, (3, 6))


def net(module, *inputs):
    # Results and gradients of a module that has the same parameters everywhere.
    def run(*given):
        m = copy.deepcopy(module).to(given[0].device)
        out = m(*given)
        out = [t for t in torch.utils._pytree.tree_flatten(out)[0]]
        sum([t.float().sum() for t in out if t.is_floating_point()]).backward()
        return out + [p.grad for p in m.parameters()]
    return run, *inputs


def trained(make):
    def run(x, y):
        w = x.clone().requires_grad_()
        o = make([w])

        def loss():
            o.zero_grad()
            l = ((w - y) ** 2).sum()
            l.backward()
            return l
        for _ in range(3):
            o.step(loss) if make is lbfgs else (loss(), o.step())
        state = copy.deepcopy(o.state_dict())
        o.load_state_dict(state)
        o.step(loss) if make is lbfgs else (loss(), o.step())
        return w
    return run, x, y


def lbfgs(p): return torch.optim.LBFGS(p, lr=0.1)


def saved(x):
    m = torch.jit.script(nn.Sequential(nn.Linear(6, 3), nn.Tanh()))
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(torch.arange(p.numel()).reshape(p.shape) / 10)
    m = m.to(x.device)
    m(x)
    b = io.BytesIO()
    torch.jit.save(m, b)
    b.seek(0)
    return torch.jit.load(b)(x)


def through_file(x):
    b = io.BytesIO()
    torch.save({"x": x, "y": [x[1:]]}, b)
    b.seek(0)
    d = torch.load(b)
    return [d["x"], d["y"][0]]


def packed(x):
    p = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([7, 4]))
    return nn.utils.rnn.pad_packed_sequence(p)[0]


calls = {
    "repeat_interleave": (lambda x, n: torch.repeat_interleave(x, n, 0), x, torch.tensor([1, 0, 2, 1])),
    "interpolate": (lambda x: [F.interpolate(x, scale_factor=2, mode=m) for m in ("nearest", "bilinear", "bicubic", "area")], image),
    "upsample": (lambda x: F.interpolate(x, size=(5, 3)), image),
    "max_pool": (lambda x: F.max_pool2d(x, 2, return_indices=True), image),
    "adaptive": (lambda x: [F.adaptive_avg_pool2d(x, 3), F.adaptive_max_pool2d(x, (2, 3), return_indices=True)], image),
    "lp_pool": (lambda x: F.lp_pool2d(x, 2, 2), image),
    "grid": (lambda x: F.grid_sample(x, F.affine_grid(torch.eye(2, 3, device=x.device).expand(2, 2, 3), [2, 3, 4, 4], align_corners=False),
                                     align_corners=False), image),
    "unfold": (lambda x: [F.unfold(x, 3), F.fold(F.unfold(x, 2, stride=2), (8, 8), 2, stride=2)], image),
    "pad": (lambda x: [F.pad(x, (1, 2, 0, 1), mode=m) for m in ("constant", "reflect", "replicate", "circular")], image),
    "shuffle": (lambda x: [F.pixel_shuffle(x[:, :1].expand(2, 4, 8, 8), 2), F.pixel_unshuffle(x, 2)], image),
    "local norm": (lambda x: F.local_response_norm(x, 2), image),
    "one_hot": (lambda i: F.one_hot(i, 6), labels),
    "embedding": (lambda i, w: F.embedding(i, w, padding_idx=1), rows, x),
    "embedding_bag": (lambda i, w: F.embedding_bag(i, w, torch.tensor([0, 1], device=i.device)), rows, x),
    "cross_entropy": (lambda x, i, w: [F.cross_entropy(x, i), F.cross_entropy(x, i, weight=w, label_smoothing=0.1),
                                       F.cross_entropy(x, i, ignore_index=5), F.cross_entropy(x[1:3], i[1:3])], x, labels, torch.rand(6)),
    "losses": (lambda x, y: [f(x, y) for f in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.poisson_nll_loss, F.soft_margin_loss)], x, y),
    "margin": (lambda x, i: [F.multi_margin_loss(x, i), F.nll_loss(F.log_softmax(x, 1), i)], x, labels),
    "bce": (lambda x, y: [F.binary_cross_entropy_with_logits(x, y.sigmoid(), pos_weight=torch.ones(6, device=x.device)),
                          F.binary_cross_entropy(x.sigmoid(), y.sigmoid())], x, y),
    "triplet": (lambda x, y: [F.triplet_margin_loss(x, y, x.flip(0)), F.cosine_embedding_loss(x, y, torch.ones(4, device=x.device)),
                              F.cosine_similarity(x, y), F.pairwise_distance(x, y), F.kl_div(x.log_softmax(1), y.softmax(1))], x, y),
    "activations": (lambda x: [f(x) for f in (F.gelu, F.silu, F.elu, F.selu, F.celu, F.mish, F.hardswish, F.hardtanh, F.softplus, F.softsign,
                                              F.tanhshrink, F.softshrink, F.hardshrink, F.logsigmoid, F.relu6, F.leaky_relu)] + [F.glu(x), F.softmin(x, 1)], x),
    "norms": (lambda x: [F.layer_norm(x, (6,)), F.normalize(x), F.group_norm(x, 2), F.rms_norm(x, (6,))], x),
    "attention": (lambda q: [F.scaled_dot_product_attention(q, q, q, is_causal=c) for c in (False, True)] +
                  [F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(8, 8, dtype=torch.bool, device=q.device).tril())], image),
    "rnn": net(nn.RNN(4, 3), sequence), "lstm": net(nn.LSTM(4, 3, num_layers=2, bidirectional=True), sequence), "gru": net(nn.GRU(4, 3), sequence),
    "lstm cell": net(nn.LSTMCell(4, 3), sequence[0]),
    "multihead": net(nn.MultiheadAttention(4, 2), sequence, sequence, sequence),
    "encoder": net(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), sequence),
    "embedding module": net(nn.Embedding(6, 3, padding_idx=0), labels),
    "batch norm": net(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.PReLU()), image),
    "transposed": net(nn.ConvTranspose2d(3, 2, 3, stride=2), image), "instance": net(nn.InstanceNorm2d(3, affine=True), image),
    "bilinear": net(nn.Bilinear(6, 6, 2), x, y), "spectral": net(nn.utils.parametrizations.weight_norm(nn.Linear(6, 2)), x),
    "packed": (packed, sequence), "pad_sequence": (lambda x: nn.utils.rnn.pad_sequence([x[:3, 0], x[:5, 1]]), sequence),
    "scatter": (lambda x, i: [x.scatter(0, i, 9.0), x.scatter_add(0, i, x[:3]), x.scatter_reduce(0, i, x[:3], "amax"), x.gather(0, i)], x, places),
    "index": (lambda x, i: [x.index_select(0, i), x.index_fill(0, i, 1.0), x.index_add(0, i, x[:2]), x.index_copy(0, i, x[:2]), x[i], x[i, 1:], x.take(i)], x, rows),
    "put": (lambda x, i: x.clone().index_put((i,), torch.zeros(2, 6, device=x.device)), x, rows),
    "masked": (lambda x, m: [x.masked_fill(m, 0.0), x.masked_select(m), x[m], x.masked_scatter(m, x), torch.where(m, x, 0.0)], x, mask),
    "order": (lambda x: [x.sort(1), x.argsort(0), x.topk(2), x.kthvalue(2), x.median(1), x.mode(1), x.msort(), x.quantile(0.3), x.nanmedian()], x),
    "sets": (lambda i: [i.unique(), i.unique(return_inverse=True, return_counts=True), i.bincount(), i.unique_consecutive(), torch.isin(i, i[:2])], ints),
    "histc": (lambda x: [x.histc(4, -1, 1), torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0], device=x.device)),
                         torch.searchsorted(x.sort(1)[0], x)], x),
    "shapes": (lambda x: [x.roll(1, 0), x.flip(1), x.rot90(), x.tril(), x.triu(1), x.diag(), x.diagonal(), torch.diag_embed(x), x.unfold(1, 2, 2),
                          torch.block_diag(x, x), torch.stack([x, x]), torch.cat([x, x], 1), x.tile(2, 1), x.expand(2, 4, 6), torch.kron(x, x)], x),
    "indices": (lambda x: [x.nonzero(), torch.argwhere(x > 0), x.argmax(1), x.count_nonzero(), torch.tril_indices(3, 3, device=x.device),
                           torch.meshgrid(x[0], x[1], indexing="ij"), torch.cartesian_prod(x[0], x[1]), torch.combinations(x[0]), torch.vander(x[0])], x),
    "sums": (lambda x: [x.cumsum(0), x.cumprod(1), x.cummax(1), x.logcumsumexp(0), x.logsumexp(1), x.std(1), x.var(), x.norm(), x.diff(), x.prod(1),
                        x.nansum(), torch.trapz(x), x.cov(), x.corrcoef(), torch.cdist(x, x), x.renorm(2, 0, 1.0), x.aminmax()], x),
    "arithmetic": (lambda x, y: [x.lerp(y, 0.3), x.addcmul(x, y), torch.lerp(x, y, torch.tensor(0.5)), x.clamp(-0.5, y), x.fmod(y), x.atan2(y), x.copysign(y),
                                 x.hypot(y), x.logaddexp(y), x.xlogy(y.abs()), torch.heaviside(x, y), x.nan_to_num(), x.remainder(0.7),
                                 torch.polygamma(1, x.abs() + 1), x.sinc(), x ** 2, 2 ** x, 1 / x, x // 1, -x, x > 0], x, y),
    "products": (lambda x, y: [x @ y.T, torch.einsum("ij,kj->ik", x, y), x[0].dot(y[0]), x[0].outer(y[1]), torch.tensordot(x, y, 2), x.addmm(x[:, :4], y),
                               torch.baddbmm(x[None], x[None, :, :4], y[None]), torch.chain_matmul(x, y.T, x), x[:, :3].cross(y[:, :3], 1)], x, y),
    "solve": (lambda a, t: [torch.linalg.solve(a, a[:, :2]), torch.linalg.inv(a), torch.linalg.det(a), torch.linalg.slogdet(a), torch.linalg.cholesky(a @ a.T),
                            torch.linalg.lstsq(t, t[:, :1]).solution, torch.linalg.matrix_power(a, 3), torch.linalg.svdvals(t), torch.linalg.eigvalsh(a + a.T),
                            torch.linalg.pinv(t), torch.matrix_exp(a / 10), torch.linalg.matrix_rank(t), torch.trace(a), torch.linalg.cond(a)], square, tall),
    "fft": (lambda x: [torch.view_as_real(torch.fft.fft(x)), torch.fft.irfft(torch.fft.rfft(x)), torch.fft.fftshift(x), torch.fft.ifft2(torch.fft.fft2(x)).real], x),
    "windows": (lambda x: [torch.stft(x.reshape(-1), 8, return_complex=True).abs(), torch.stft(x.reshape(-1), 8, window=torch.hann_window(8, device=x.device), return_complex=True).abs()], x),
    "func": (lambda x: [vmap(grad(lambda r: (r ** 2).sum()))(x), jacrev(torch.tanh)(x[0]), vmap(lambda r: F.softmax(r, 0))(x)], x),
    "autograd": (lambda x: [torch.autograd.functional.hessian(lambda v: (v ** 3).sum(), x[0]), torch.autograd.functional.jacobian(torch.sin, x[0])], x),
    "checkpoint": (lambda x: torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=False), x),
    "scripted": (lambda x: torch.jit.script(F.relu)(x) if False else torch.jit.trace(lambda v: v.cumsum(1) * torch.arange(6, device=v.device), x)(x), x),
    "jit file": (saved, x), "file": (through_file, x),
    "dtypes": (lambda x: [x.int(), x.half(), x.bool(), x.double(), x.to(torch.bfloat16), x.view(torch.int32), x.type_as(x.double())], x),
    "new": (lambda x: [x.new_zeros(2), x.new_tensor([1.0, 2.0]), x.new_full((2,), 3.0), torch.zeros_like(x), torch.full_like(x, 2.0), x.clone(), x.detach()], x),
    "lists": (lambda x: [x + torch.tensor(2.0), torch.as_tensor(x), x.where(x > 0, torch.tensor(1.0)), torch.maximum(x, torch.tensor(0.0))], x),
    **{k: trained(m) for k, m in {
        "sgd": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True), "adam": lambda p: torch.optim.Adam(p, 0.1, amsgrad=True),
        "adamw": lambda p: torch.optim.AdamW(p, 0.1), "rmsprop": lambda p: torch.optim.RMSprop(p, 0.1, centered=True, momentum=0.5),
        "adagrad": lambda p: torch.optim.Adagrad(p, 0.1), "adadelta": lambda p: torch.optim.Adadelta(p), "adamax": lambda p: torch.optim.Adamax(p),
        "nadam": lambda p: torch.optim.NAdam(p), "radam": lambda p: torch.optim.RAdam(p), "rprop": lambda p: torch.optim.Rprop(p), "asgd": lambda p: torch.optim.ASGD(p),
        "lbfgs": lbfgs}.items()},
}


def tensors_of(result):
    return [t for t in torch.utils._pytree.tree_flatten(result)[0] if isinstance(t, torch.Tensor)]


for name, (f, *given) in calls.items():
    try:
        here = tensors_of(f(*given))
    except (NotImplementedError, AttributeError) as e:
        print(f"{name}: {e}")       # not of this version, wherever it runs
        continue
    try:
        there = tensors_of(f(*[t.to("cuda") for t in given]))
        assert len(here) == len(there) > 0
        for i, (a, b) in enumerate(zip(here, there)):
            assert b.is_cuda, f"result {i} is on {b.device}"
            assert a.dtype == b.dtype and torch.allclose(a.double(), b.cpu().double(), 1e-4, 1e-5, equal_nan=True), f"result {i}: {a} {b}"
    except Exception as e:
        print(f"{name}: {type(e).__name__}: {str(e)[:300]}")
assert torch.bernoulli(torch.ones(3, device="cuda")).tolist() == [1, 1, 1]
assert torch.multinomial(torch.tensor([0.0, 1.0], device="cuda"), 1).device.type == "cuda"
for f in (lambda: x + x.to("cuda"), lambda: F.linear(x.to("cuda"), x), lambda: torch.cat([torch.zeros(2), torch.ones(2, device="cuda")]),
          lambda: F.cross_entropy(x.to("cuda"), labels), lambda: nn.Linear(6, 2)(x.to("cuda")), lambda: torch.arange(6) * x.to("cuda")):
    try:
        f()
        print("two devices were mixed")
    except RuntimeError as e:
        assert "Expected all tensors to be on the same device" in str(e), e
print("done")
