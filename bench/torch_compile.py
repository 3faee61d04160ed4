"""torch_compile.py -- rows of the benchmark under torch.compile: eager, inductor and Weft, one after the other, several times;
first calls each in a process of its own, nothing cached.

    python bench/torch_compile.py [ROW...]        with torch and the package weft; times in ms, first calls in s

WEFT_THREADS=1 WEFT_CLOCK=cpu: one thread, and the time that it computed, which other work on the machine does not change; of first calls
also the compilers that were started.
"""
import copy
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import weft.torch as wt

nn, F = torch.nn, torch.nn.functional
if "WEFT_THREADS" in os.environ:
    torch.set_num_threads(int(os.environ["WEFT_THREADS"]))
clock = time.process_time if os.environ.get("WEFT_CLOCK") == "cpu" else time.perf_counter


def first_clock():
    t = os.times()
    return sum(t[:4]) if clock is time.process_time else clock()


def step(model, loss):
    def run(*args):
        for p in model.parameters():
            p.grad = None
        loss(model.run, *args).backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 1e-3 * p.grad
    return run


def mlp(*sizes):
    layers = [m for a, b in zip(sizes, sizes[1:]) for m in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


class Formula(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *x):
        return self.f(*x)


class GPT(nn.Module):
    def __init__(self, d=256, heads=4, layers=4, vocab=256, time_=128):
        super().__init__()
        self.emb, self.pos = nn.Embedding(vocab, d), nn.Parameter(torch.zeros(time_, d))
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(d, heads, 4 * d, 0.0, "gelu", batch_first=True, norm_first=True) for _ in range(layers))
        self.out = nn.Linear(d, vocab)
        self.register_buffer("mask", torch.triu(torch.full((time_, time_), float("-inf")), 1))

    def forward(self, i):
        x = self.emb(i) + self.pos
        for b in self.blocks:
            x = b(x, src_mask=self.mask)
        return self.out(x)


class Branch(nn.Sequential):
    """conv, batch norm, relu, as often as channels and kernels say"""

    def __init__(self, channels, *kernels):
        super().__init__(*[m for a, b, k in zip(channels, channels[1:], kernels)
                           for m in (nn.Conv2d(a, b, k, padding=k // 2, bias=False), nn.BatchNorm2d(b), nn.ReLU())])


class Inception(nn.Module):
    """a convolution and two blocks of four branches: the row inception_train"""

    def __init__(self):
        super().__init__()
        self.first, self.out = Branch((1, 32), 3), nn.Linear(120, 10)
        self.blocks = nn.ModuleList(nn.ModuleList([Branch((n, a), 1), Branch((n, b, c), 1, 3), Branch((n, d, e), 1, 3),
                                                   nn.Sequential(nn.MaxPool2d(3, 1, 1), Branch((n, f), 1))])
                                    for n, a, b, c, d, e, f in ((32, 16, 16, 24, 4, 8, 16), (64, 32, 32, 48, 8, 24, 16)))

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = F.max_pool2d(x, 2)
            x = torch.cat([b(x) for b in block], 1)
        return self.out(x.mean((2, 3)))


def square(run, *args):
    return (run(*args) ** 2).sum()


class Rows(nn.Module):
    """a loss of a batch, whose gradients of each row, or product with its Hessian, are made within the compiled function"""

    def __init__(self, product):
        super().__init__()
        self.net, self.product = mlp(784, 512, 10), product

    def forward(self, x, t, *v):
        p = dict(self.net.named_parameters())

        def loss(p, x, t):
            return F.cross_entropy(torch.func.functional_call(self.net, p, (x,)), t)
        if self.product:
            return torch.func.jvp(torch.func.grad(lambda p: loss(p, x, t)), (p,), (dict(zip(p, v)),))[1]
        return torch.func.vmap(torch.func.grad(lambda p, x, t: loss(p, x[None], t[None])), (None, 0, 0))(p, x, t)


def cross_entropy(run, x, t):
    return F.cross_entropy(run(x).flatten(0, -2), t.flatten())


def rows():
    r = torch.randn
    yield "ew", Formula(lambda x, w, b: torch.tanh(x) * torch.sigmoid(x) + torch.exp(-x * x) * w + b), (r(1 << 24), r(1 << 24), r(1 << 24)), None
    yield "softmax", Formula(lambda x: torch.softmax(x, -1)), (r(4096, 1024),), None
    yield "layernorm", nn.LayerNorm(1024), (r(4096, 1024),), None
    yield "layernorm_grad", nn.LayerNorm(1024), (r(4096, 1024),), square
    yield "matmul", Formula(torch.matmul), (r(1024, 1024), r(1024, 1024)), None
    yield "tiny_infer", mlp(64, 128, 10), (r(1, 64),), None
    yield "tiny_train", mlp(64, 128, 10), (r(32, 64), torch.randint(0, 10, (32,))), cross_entropy
    yield "mlp_train", mlp(784, 512, 512, 10), (r(64, 784), torch.randint(0, 10, (64,))), cross_entropy
    yield "transformer_train", GPT(), (torch.randint(0, 256, (8, 128)), torch.randint(0, 256, (8, 128))), cross_entropy
    yield "inception_train", Inception(), (r(64, 1, 28, 28), torch.randint(0, 10, (64,))), cross_entropy
    yield "lstm", nn.LSTM(256, 256), (r(128, 32, 256),), None
    yield "hvp", Rows(True), (r(64, 784), torch.randint(0, 10, (64,)), *[r(*p.shape) for p in mlp(784, 512, 10).parameters()]), None
    yield "persample", Rows(False), (r(64, 784), torch.randint(0, 10, (64,))), None
    try:
        import torchvision
        yield "googlenet", torchvision.models.googlenet(weights=None, init_weights=False).eval(), (r(1, 3, 224, 224),), None
    except ImportError:
        pass


def ready(system, model, loss):
    """The row as a function of its arguments, compiled by system when it is called first."""
    m = copy.deepcopy(model)
    m.__dict__["run"] = m if system == "eager" else torch.compile(m, backend=wt.backend if system == "weft" else system)
    if loss:
        return step(m, loss)

    def run(*args):
        with torch.no_grad():
            return m.__dict__["run"](*args)
    return run


def first_call(system, row):
    """Seconds, in this process, which has compiled nothing before."""
    for name, model, args, loss in rows():
        if name == row:
            f, at = ready(system, model, loss), first_clock()
            f(*args)
            return first_clock() - at


def first_call_apart(system, row):
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run([sys.executable, __file__, "--first", system, row], capture_output=True, text=True,
                             env=dict(os.environ, TORCHINDUCTOR_CACHE_DIR=folder, WEFT_CACHE=folder)).stdout
    return float(out.split()[-1])


def main(wanted):
    if wanted[:1] == ["--first"]:
        print(first_call(*wanted[1:]))
        return
    for name, model, args, loss in rows():
        if wanted and name not in wanted:
            continue
        torch._dynamo.reset()
        runs = {s: ready(s, model, loss) for s in ("eager", "inductor", "weft")}
        times = {s: [] for s in runs}
        for _ in range(5):
            for s, f in runs.items():
                f(*args)
                at, n = clock(), 0
                while n < 3 or clock() - at < 0.3:
                    f(*args)
                    n += 1
                times[s].append((clock() - at) / n * 1e3)
        print(f"{name:18s}" + "".join(f"  {s} {statistics.median(t):8.3f} ms ({first_call_apart(s, name):.2f} s)" for s, t in times.items()),
              *wt.reasons, flush=True)
        wt.reasons.clear()


if __name__ == "__main__":
    main(sys.argv[1:])
