"""torch.compile(backend="weft") on blocks of transformers in plain PyTorch, written as Hugging Face's models are: against eager mode in f64, for
several sizes (the second makes torch's sizes symbolic), predictions and gradients, and no graph is left to torch."""
import math

import pytest

torch = pytest.importorskip("torch")
import weft.torch as wt  # noqa: E402

nn, F = torch.nn, torch.nn.functional
LEAST = torch.finfo(torch.float32).min


def heads(x, n):
    return x.view(x.shape[:-1] + (n, x.shape[-1] // n)).permute(0, 2, 1, 3)


def joined(x):
    x = x.permute(0, 2, 1, 3).contiguous()
    return x.view(x.size()[:-2] + (-1,))


class GPT2(nn.Module):
    """the causal mask is a buffer that is sliced; a loss of shifted tokens; weights that are tied"""

    def __init__(self, d=16, vocab=20):
        super().__init__()
        self.register_buffer("bias", torch.tril(torch.ones((32, 32), dtype=torch.bool)).view(1, 1, 32, 32), persistent=False)
        self.wte, self.wpe, self.norm, self.drop = nn.Embedding(vocab, d), nn.Embedding(32, d), nn.LayerNorm(d), nn.Dropout(0.1)
        self.qkv, self.proj, self.up, self.down = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def attend(self, x, past=None):
        q, k, v = (heads(t, 4) for t in self.qkv(x).split(x.shape[-1], dim=2))
        if past is not None:
            k, v = torch.cat((past[0], k), dim=-2), torch.cat((past[1], v), dim=-2)
        w = torch.matmul(q, k.transpose(-1, -2)) / torch.full([], v.size(-1) ** 0.5, dtype=x.dtype)
        m = self.bias[:, :, k.size(-2) - q.size(-2):k.size(-2), :k.size(-2)]
        w = self.drop(F.softmax(torch.where(m, w, torch.full([], LEAST, dtype=x.dtype)), dim=-1).type(v.dtype))
        return self.proj(joined(torch.matmul(w, v))), k, v

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(0, ids.size(-1), dtype=torch.long).unsqueeze(0))
        x = x + self.attend(self.norm(x))[0]
        h = self.up(x)
        h = 0.5 * h * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0))))
        y = (x + self.down(h)) @ self.wte.weight.t()
        return F.cross_entropy(y[..., :-1, :].contiguous().view(-1, y.size(-1)), ids[..., 1:].contiguous().view(-1)), y


class Cache(GPT2):
    def forward(self, x, k, v):
        return self.attend(x, (k, v))


class Bert(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(20, d, padding_idx=0), nn.Embedding(40, d), nn.Embedding(2, d)
        self.register_buffer("ids", torch.arange(40).expand((1, -1)))
        self.norm, self.qkv, self.pool, self.drop = nn.LayerNorm(d, eps=1e-12), nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Dropout(0.1)

    def forward(self, ids, kinds, mask):
        x = self.drop(self.norm(self.words(ids) + self.places(self.ids[:, :ids.size(1)]) + self.kinds(kinds)))
        q, k, v = (heads(t, 4) for t in self.qkv(x).chunk(3, -1))
        a = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1)) + (1.0 - mask[:, None, None, :].to(x.dtype)) * LEAST
        x = self.norm(self.drop(joined(torch.matmul(self.drop(F.softmax(a, dim=-1)), v))) + x)
        return torch.tanh(self.pool(F.gelu(x)[:, 0])), x


class Llama(nn.Module):
    """rotations by sines or by complex numbers, heads that share keys, experts by topk and one_hot"""

    def __init__(self, by_complex=False, d=32, h=4, shared=2):
        super().__init__()
        self.emb, self.weight, self.h, self.shared, self.size, self.by_complex = nn.Embedding(20, d), nn.Parameter(torch.ones(d)), h, shared, d // h, by_complex
        self.q, self.kv, self.gate = nn.Linear(d, d, bias=False), nn.Linear(d, 2 * shared * self.size, bias=False), nn.Linear(d, 4, bias=False)
        self.up, self.down = nn.Parameter(torch.randn(4, d, 2 * d) * 0.1), nn.Parameter(torch.randn(4, d, d) * 0.1)
        self.register_buffer("inv_freq", 1.0 / (10000 ** (torch.arange(0, self.size, 2).float() / self.size)), persistent=False)

    def norm(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    def turned(self, x, angles):
        if self.by_complex:
            z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(angles), angles)[:, None]
            return torch.view_as_real(z).flatten(3)
        e = torch.cat((angles, angles), dim=-1)[:, None]
        half = x.shape[-1] // 2
        return x * e.cos() + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * e.sin()

    def experts(self, x):
        chosen, which = torch.topk(F.softmax(self.gate(x), dim=-1), 2, dim=-1)
        share = (F.one_hot(which, num_classes=4) * (chosen / chosen.sum(-1, keepdim=True)).unsqueeze(-1)).sum(-2)
        a, b = torch.einsum("btd,edf->betf", x, self.up).chunk(2, -1)
        return torch.einsum("betf,bte->btf", torch.matmul(F.silu(a) * b, self.down), share)

    def forward(self, ids, pos):
        x, (b, t) = self.emb(ids), ids.shape
        y = self.norm(x)
        q, (k, v) = heads(self.q(y), self.h), (heads(z, self.shared) for z in self.kv(y).chunk(2, -1))
        angles = (self.inv_freq[None, :, None].expand(b, -1, 1) @ pos[:, None, :].to(x.dtype)).transpose(1, 2)
        q, k = self.turned(q, angles), self.turned(k, angles)
        k, v = (z[:, :, None].expand(b, self.shared, self.h // self.shared, t, self.size).reshape(b, self.h, t, self.size) for z in (k, v))
        x = x + joined(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return x + self.experts(self.norm(x))


class T5(nn.Module):
    """places as buckets of logarithms; attention to an encoder of another length"""

    def __init__(self, d=16):
        super().__init__()
        self.near, self.qkv = nn.Embedding(8, 4), nn.Linear(d, 3 * d, bias=False)

    def bias(self, rows, cols):
        away = torch.arange(cols, dtype=torch.long)[None, :] - torch.arange(rows, dtype=torch.long)[:, None]
        side, away = (away > 0).to(torch.long) * 4, torch.abs(away)
        far = 2 + (torch.log(away.float() / 2) / math.log(20 / 2) * 2).to(torch.long)
        far = torch.min(far, torch.full_like(far, 3))
        return self.near(side + torch.where(away < 2, away, far)).permute([2, 0, 1]).unsqueeze(0)

    def forward(self, x, other):
        q, (_, k, v) = heads(self.qkv(x).chunk(3, -1)[0], 4), (heads(z, 4) for z in self.qkv(other).chunk(3, -1))
        scores = torch.matmul(q, k.transpose(3, 2))
        scores += self.bias(x.shape[1], other.shape[1])
        return joined(torch.matmul(F.dropout(F.softmax(scores, dim=-1), p=0.1, training=self.training), v))


class ViT(nn.Module):
    """places by bicubic interpolation, for images of one size; windows that are rolled and masked, as Swin has them"""

    def __init__(self, d=8):
        super().__init__()
        self.proj, self.cls, self.pos, self.qkv = nn.Conv2d(3, d, 4, 4), nn.Parameter(torch.randn(1, 1, d)), nn.Parameter(torch.randn(1, d, 4, 4)), nn.Linear(d, 3 * d)

    def forward(self, image):
        x = torch.roll(self.proj(image), shifts=(-1, -1), dims=(2, 3))
        rows, cols = x.shape[2:]
        where = torch.zeros((rows, cols), dtype=x.dtype)
        where[-1:, :] = 1
        where[:, -1:] += 2
        x = (x + F.interpolate(self.pos, size=(rows, cols), mode="bicubic", align_corners=False)).flatten(2).transpose(1, 2)
        m = where.view(-1)[None] - where.view(-1)[:, None]
        m = F.pad(m.masked_fill(m != 0, -100.0), (1, 0, 1, 0))
        x = torch.cat((self.cls.expand(x.shape[0], -1, -1), x), dim=1)
        q, k, v = self.qkv(x).reshape(x.shape[0], x.shape[1], 3, 2, -1).permute(2, 0, 3, 1, 4).unbind(0)
        return ((q * 2 ** -0.5) @ k.transpose(-2, -1) + m).softmax(dim=-1) @ v


class Slopes(nn.Module):
    """Bloom: distances as a bias; a constant made in the function"""

    def forward(self, x, mask):
        b, t, d = x.shape
        slopes = torch.pow(torch.tensor(2 ** -2.0), torch.arange(1, 5, dtype=torch.int32))
        bias = (slopes[..., None] * ((mask.cumsum(dim=-1) - 1) * mask)[:, None, :]).reshape(b * 4, 1, t).to(x.dtype)
        q = heads(x, 4).reshape(b * 4, t, d // 4)
        scores = bias.baddbmm(batch1=q, batch2=q.transpose(1, 2), beta=1.0, alpha=0.5).view(b, 4, t, t)
        keep = torch.tril(torch.ones(t, t, dtype=torch.bool)) & mask[:, None, None, :].bool()
        return F.softmax(torch.masked_fill(scores, ~keep, LEAST), dim=-1)[..., ::2, 1:], x[:, -2:], x[:, :-1].flip(1)


def tokens(b, t):
    return torch.randint(1, 20, (b, t))


def ones(b, t):
    m = torch.ones(b, t, dtype=torch.long)
    m[0, -2:] = 0
    return m


def real(*shape):
    return torch.randn(*shape, dtype=torch.float64)


BLOCKS = {
    "gpt2": (GPT2, lambda b, t: (tokens(b, t),)),
    "gpt2, with a cache": (Cache, lambda b, t: (real(b, 1, 16), real(b, 4, t, 4), real(b, 4, t, 4))),
    "bert": (Bert, lambda b, t: (tokens(b, t), torch.randint(0, 2, (b, t)), ones(b, t))),
    "llama": (Llama, lambda b, t: (tokens(b, t), torch.arange(t)[None].expand(b, -1))),
    "llama, complex": (lambda: Llama(True), lambda b, t: (tokens(b, t), torch.arange(t)[None].expand(b, -1))),
    "t5": (T5, lambda b, t: (real(b, t, 16), real(b, t + 3, 16))),
    "vit": (ViT, lambda b, t: (real(b, 3, 20, 24),)),
    "bloom": (Slopes, lambda b, t: (real(b, t, 16), ones(b, t))),
    "encoder": (lambda: nn.TransformerEncoderLayer(16, 4, 32, 0.1, "gelu", batch_first=True), lambda b, t: (real(b, t, 16), torch.triu(torch.ones(t, t, dtype=torch.bool), 1))),
    "encoder, norms first": (lambda: nn.TransformerEncoderLayer(16, 4, 32, 0.1, batch_first=True, norm_first=True),
                             lambda b, t: (real(b, t, 16), None, ones(b, t) == 0)),
}


def results(net, run, args, train):
    net.zero_grad()
    args = [a.clone().requires_grad_() if train and a is not None and a.is_floating_point() else a for a in args]
    torch.manual_seed(7)
    with torch.set_grad_enabled(train):
        out = run(*args)
    out = list(out) if isinstance(out, tuple) else [out]
    if not train:
        return out
    sum((o * o.detach().cos()).sum() for o in out if o.requires_grad).backward()
    return [o.detach() for o in out] + [p.grad for p in net.parameters() if p.grad is not None] + [a.grad for a in args if a is not None and a.grad is not None]


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_transformers(name):
    make, inputs = BLOCKS[name]
    torch._dynamo.reset()
    wt.reasons.clear()
    torch.manual_seed(0)
    net = make().double()
    compiled = torch.compile(net, backend=wt.backend)
    for train in (False, True):
        net.train(train)
        for b, t in ((2, 6), (3, 8)):
            args = inputs(b, t)
            expected = [e.clone() for e in results(net, net, args, train)]
            got = results(net, compiled, args, train)
            assert len(got) == len(expected)
            for g, e in zip(got, expected):
                torch.testing.assert_close(g, e, rtol=1e-9, atol=1e-9)
    assert not wt.reasons, wt.reasons
