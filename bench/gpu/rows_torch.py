# rows_torch.py -- the rows of the GPU table in PyTorch, eager and compiled.
#   python rows_torch.py eager|compile [ROW,ROW..]     milliseconds a call, back to back, and seconds of the first call
import sys
import time

import torch
import torch.nn.functional as F
from torch.func import grad, jvp, vmap

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True
torch.set_default_device("cuda")
bf = torch.bfloat16


def normal(*shape, dtype=torch.float32, scale=1.0):
    return (torch.randn(*shape) * scale).to(dtype)


def ew():
    x = normal(256 << 20)
    return lambda x, w, b: torch.tanh(x) * torch.sigmoid(x) + torch.exp(-x * x) * w + b, (x, x, x)


def softmax():
    return lambda x: torch.softmax(x, -1), (normal(65536, 4096),)


def layernorm_grad():
    p = [normal(65536, 4096).requires_grad_(), normal(4096).requires_grad_(), normal(4096).requires_grad_()]

    def f(x, w, b):
        y = (F.layer_norm(x, (4096,), w, b) ** 2).sum()
        return y, torch.autograd.grad(y, (x, w, b))
    return f, p


def matmul():
    return torch.matmul, (normal(8192, 8192, dtype=bf), normal(8192, 8192, dtype=bf))


def sgd(params, loss):
    """A step that updates the parameters in place."""
    params = [p.requires_grad_() for p in params]

    def step(*data):
        g = torch.autograd.grad(loss(params, *data), params)
        with torch.no_grad():
            for p, d in zip(params, g):
                p.sub_(d, alpha=0.01)
    return step


def mlp_train():
    params = [normal(4096, 16384, dtype=bf, scale=0.01), normal(16384, 4096, dtype=bf, scale=0.01)]

    def loss(p, x, y):
        return ((F.gelu(x @ p[0], approximate="tanh") @ p[1] - y).float() ** 2).mean()
    return sgd(params, loss), (normal(8192, 4096, dtype=bf), normal(8192, 4096, dtype=bf))


def tiny_train():
    params = [normal(64, 128, scale=0.1), torch.zeros(128), normal(128, 10, scale=0.1), torch.zeros(10)]

    def loss(p, x, y):
        return F.cross_entropy(torch.relu(x @ p[0] + p[1]) @ p[2] + p[3], y)
    return sgd(params, loss), (normal(32, 64), torch.randint(0, 10, (32,)))


def two_layers():
    params = (normal(784, 2048, scale=0.03), torch.zeros(2048), normal(2048, 10, scale=0.02), torch.zeros(10))

    def loss(p, x, y):
        return F.cross_entropy(torch.tanh(x @ p[0] + p[1]) @ p[2] + p[3], y)
    return params, loss, normal(512, 784), torch.randint(0, 10, (512,))


def hvp():
    params, loss, x, y = two_layers()
    v = tuple(torch.ones_like(p) for p in params)
    return lambda p, v, x, y: jvp(lambda q: grad(loss)(q, x, y), (p,), (v,))[1], (params, v, x, y)


def persample():
    params, loss, x, y = two_layers()
    g = vmap(lambda p, x, y: grad(loss)(p, x[None], y[None]), (None, 0, 0))
    return g, (params, x, y)


def attention_grad():
    q = [normal(4, 16, 4096, 128, dtype=bf).requires_grad_() for _ in range(3)]

    def f(q, k, v):
        return torch.autograd.grad(F.scaled_dot_product_attention(q, k, v, is_causal=True).float().sum(), (q, k, v))
    return f, q


def transformer_train():
    d, layers, heads, b, t, vocab = 1024, 6, 16, 16, 1024, 256
    shapes = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
    params = [normal(vocab, d, dtype=bf, scale=0.02), normal(d, vocab, dtype=bf, scale=0.02)]
    for _ in range(layers):
        params += [torch.ones(d, dtype=bf), torch.zeros(d, dtype=bf), torch.ones(d, dtype=bf), torch.zeros(d, dtype=bf)]
        params += [normal(*s, dtype=bf, scale=0.02) for s in shapes]

    def loss(p, ids, y):
        x = p[0][ids]
        for i in range(2, len(p), 8):
            w1, c1, w2, c2, qkv, o, up, down = p[i:i + 8]
            h = (F.layer_norm(x, (d,), w1, c1) @ qkv).view(b, t, 3, heads, d // heads).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(h[0], h[1], h[2], is_causal=True)
            x = x + a.transpose(1, 2).reshape(b, t, d) @ o
            x = x + F.gelu(F.layer_norm(x, (d,), w2, c2) @ up, approximate="tanh") @ down
        return F.cross_entropy((x @ p[1]).float().view(b * t, vocab), y.view(-1))
    ids = torch.randint(0, vocab, (b, t))
    return sgd(params, loss), (ids, ids)


def lstm_train():
    net = torch.nn.LSTM(512, 512)
    return sgd(list(net.parameters()), lambda p, x: (net(x)[0] ** 2).mean()), (normal(128, 64, 512),)


def inception_train():
    class Basic(torch.nn.Module):
        def __init__(self, inp, out, k, pad=0):
            super().__init__()
            self.conv = torch.nn.Conv2d(inp, out, k, padding=pad, bias=False)
            self.norm = torch.nn.BatchNorm2d(out, eps=0.001)

        def forward(self, x):
            return torch.relu(self.norm(self.conv(x)))

    class Block(torch.nn.Module):
        def __init__(self, inp, ch1, r3, ch3, r5, ch5, ch6):
            super().__init__()
            self.a = Basic(inp, ch1, 1)
            self.b = torch.nn.Sequential(Basic(inp, r3, 1), Basic(r3, ch3, 3, 1))
            self.c = torch.nn.Sequential(Basic(inp, r5, 1), Basic(r5, ch5, 3, 1))
            self.d = torch.nn.Sequential(torch.nn.MaxPool2d(3, 1, 1), Basic(inp, ch6, 1))

        def forward(self, x):
            return torch.cat([self.a(x), self.b(x), self.c(x), self.d(x)], 1)
    net = torch.nn.Sequential(Basic(1, 32, 3, 1), torch.nn.MaxPool2d(2), Block(32, 16, 16, 24, 4, 8, 16), torch.nn.MaxPool2d(2),
                              Block(64, 32, 32, 48, 8, 16, 24), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
                              torch.nn.Linear(120, 10)).to(memory_format=torch.channels_last)
    step = sgd(list(net.parameters()), lambda p, x, y: F.cross_entropy(net(x), y))
    return step, (normal(2048, 1, 28, 28).to(memory_format=torch.channels_last), torch.randint(0, 10, (2048,)))


ROWS = {"ew": ew, "softmax": softmax, "layernorm_grad": layernorm_grad, "matmul": matmul, "mlp_train": mlp_train,
        "tiny_train": tiny_train, "inception_train": inception_train, "transformer_train": transformer_train,
        "attention_grad": attention_grad, "lstm_train": lstm_train, "hvp": hvp, "persample": persample}


def measure(name, compiled):
    f, args = ROWS[name]()
    if compiled:
        f = torch.compile(f, mode="reduce-overhead" if name in ("tiny_train", "hvp") else None)
    torch.cuda.synchronize()
    t0 = time.perf_counter()
    f(*args)
    torch.cuda.synchronize()
    first = time.perf_counter() - t0
    for _ in range(3):
        f(*args)
    torch.cuda.synchronize()
    n = 1
    while True:
        t0 = time.perf_counter()
        for _ in range(n):
            f(*args)
        torch.cuda.synchronize()
        spent = time.perf_counter() - t0
        if spent > 0.3 or n >= 10000:
            break
        n = max(n + 1, min(int(n * 0.4 / max(spent, 1e-6)) + 1, n * 20))
    print(f"{name:18} {spent / n * 1e3:10.4f} ms   first {first:6.2f} s", flush=True)


for name in (sys.argv[2].split(",") if len(sys.argv) > 2 and sys.argv[2] else ROWS):
    if name not in ROWS:
        continue
    try:
        measure(name, sys.argv[1] == "compile")
    except Exception as e:
        print(f"{name:18} {type(e).__name__}: {str(e)[:300]}", flush=True)
    torch.cuda.empty_cache()
