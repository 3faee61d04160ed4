"""peer_torch.py -- the rows in PyTorch: `eager`, `compile` (torch.compile) or `script` (torch.jit.script)."""

import sys

import torch
import torch.nn.functional as F
from nets_torch import Parts, googlenet_forward, gpt_loss, loss_of, net
from worker import serve

MODE = sys.argv[1]
torch.set_num_threads(int(sys.argv[2]))
ROWS = {}


def row(modes):
    def add(f):
        if MODE in modes:
            ROWS[f.__name__] = lambda arrays: f(*[torch.from_numpy(a) for a in arrays])
        return f

    return add


def built(f):
    return torch.compile(f) if MODE == "compile" else f


BOTH = ("eager", "compile")


def forward(f, *x):
    f = built(f)

    def run():
        with torch.no_grad():
            return [f(*x)]

    return run


@row(BOTH)
def ew(x, w, b):
    return forward(lambda x, w, b: torch.tanh(x) * torch.sigmoid(x) + torch.exp(-x * x) * w + b, x, w, b)


@row(BOTH)
def softmax(x):
    return forward(lambda x: torch.softmax(x, -1), x)


@row(BOTH)
def layernorm(x, w, b):
    return forward(lambda x, w, b: F.layer_norm(x, (1024,), w, b), x, w, b)


@row(BOTH)
def matmul(x, y):
    return forward(lambda x, y: x @ y, x, y)


@row(BOTH)
def eigh(x):
    return forward(lambda x: torch.linalg.eigh(x)[0], x)


@row(BOTH)
def svd(x):
    return forward(lambda x: torch.linalg.svd(x, full_matrices=False)[1], x)


@row(BOTH)
def qr(x):
    return forward(lambda x: torch.linalg.qr(x)[1].abs(), x)


@row(BOTH)
def solve(a, b):
    return forward(lambda a, b: torch.linalg.solve(a, b) + torch.linalg.cholesky(a), a, b)


def gradients(loss, params, data):
    """value and gradients, in fresh tensors each time"""
    params = [p.requires_grad_() for p in params]
    loss = built(loss)

    def run():
        y = loss(params, *data)
        return [y.detach(), *torch.autograd.grad(y, params)]

    return run


@row(BOTH)
def layernorm_grad(x, w, b):
    return gradients(lambda p: (F.layer_norm(p[0], (1024,), p[1], p[2]) ** 2).sum(), [x, w, b], [])


def training(loss, params, data, lr=0.01):
    """one step of SGD in place; gives the loss before it and the parameters after"""
    params = [p.clone().requires_grad_() for p in params]
    loss = built(loss)
    opt = torch.optim.SGD(params, lr=lr)

    def run():
        opt.zero_grad(set_to_none=True)
        y = loss(params, *data)
        y.backward()
        opt.step()
        return [y.detach(), *[p.detach() for p in params]]

    return run


@row(BOTH)
def mlp_train(*a):
    return training(loss_of, a[:-2], a[-2:])


@row(BOTH)
def tiny_train(*a):
    return training(loss_of, a[:-2], a[-2:])


@row(BOTH)
def tiny_infer(*a):
    if MODE == "compile":
        return forward(lambda *a: net(a[:-1], a[-1]), *a)
    m = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).eval()
    with torch.no_grad():
        for p, v in zip(m.parameters(), a):
            p.copy_(v)
    return forward(m, a[-1])


@row(BOTH)
def inception_train(*a):
    params, buffers = a[: 13 * 3 + 2], [b.clone() for b in a[41:-2]]

    def loss(p, x, y):
        m = Parts(p, buffers, True)
        x = F.max_pool2d(m.basic(x, padding=1), 2)
        x = F.max_pool2d(m.inception(x), 2)
        return F.cross_entropy(m.head(m.inception(x)), y)

    return training(loss, params, a[-2:])


@row(BOTH)
def googlenet(*a):
    n = 57 * 3 + 2
    return forward(lambda *a: googlenet_forward(a[:n], a[n:-1], a[-1]), *a)


@row(BOTH)
def transformer_train(*a):
    return training(gpt_loss, a[:-2], a[-2:])


def lstm_module(w):
    m = torch.nn.LSTM(256, 256)
    with torch.no_grad():
        for p, v in zip(m.parameters(), w):
            p.copy_(v)
    return m


@row(BOTH)
def lstm(x, *w):
    m = lstm_module(w)
    return forward(lambda x: m(x)[0], x)


@row(BOTH)
def lstm_train(x, *w):
    m = lstm_module(w)
    params = list(m.parameters())
    loss = built(lambda x: (m(x)[0] ** 2).sum())

    def run():
        y = loss(x)
        return [y.detach(), *torch.autograd.grad(y, params)]

    return run


@row(BOTH)
def hvp(*a):
    p, x, y, v = a[:4], a[4], a[5], a[6:]
    grad = torch.func.grad(lambda p: loss_of(p, x, y))
    f = built(lambda p, v: torch.func.jvp(grad, (p,), (v,))[1])
    return lambda: f(tuple(p), tuple(v))


@row(BOTH)
def persample(*a):
    p, x, y = a[:4], a[4], a[5]
    one = torch.func.grad(lambda p, x, y: F.cross_entropy(net(p, x), y))
    f = built(torch.func.vmap(one, (None, 0, 0)))
    return lambda: f(tuple(p), x, y)


@row(("eager",))
def dispatch(x):
    def run():
        y = x
        for _ in range(1000):
            y = y + x
        return [y]

    return run


@row(("eager",))
def tape(x):
    x = x.requires_grad_()

    def run():
        x.grad = None
        y = x
        for _ in range(1000):
            y = y * x + x
        y.sum().backward()
        return [y.detach(), x.grad]

    return run


if MODE == "script":

    @torch.jit.script
    def loop(x: torch.Tensor) -> torch.Tensor:
        while bool(x > 1.0):
            x = x * 0.99999
        return x

    ROWS = {"while": lambda arrays: lambda: [loop(torch.from_numpy(arrays[0]))]}

serve(MODE, ROWS, lambda t: t.numpy())
