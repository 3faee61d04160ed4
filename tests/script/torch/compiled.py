# torch.compile: what it gives is what the function gives, whatever the function does, and in what pieces.
import math
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def same(a, b):
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and (
            torch.allclose(a, b, equal_nan=True) if a.dtype.is_floating_point else torch.equal(a, b))
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all([same(x, y) for x, y in zip(a, b)])
    if isinstance(a, dict):
        return list(a) == list(b) and all([same(a[k], b[k]) for k in a])
    return type(a) is type(b) and a == b


def mine(a):
    return a.clone() if isinstance(a, torch.Tensor) else list(a) if isinstance(a, list) else a


def called(f, args):
    torch.manual_seed(3)
    args = [mine(a) for a in args]
    try:
        r = f(*args)
    except Exception as e:
        r = (type(e).__name__, str(e))
    return r, [a for a in args if isinstance(a, (torch.Tensor, list))], torch.get_rng_state()


def check(f, *argsets):
    c = torch.compile(f)
    ok = [same(called(f, args), called(c, args)) for args in argsets]
    print(f.__name__, "same" if all(ok) else ok, torch._dynamo.explain(f)(*[mine(a) for a in argsets[0]]).graph_count)


x, y = torch.randn(4, 4), torch.randn(4, 4)
xs = ((x,), (y,), (-x.abs(),), (torch.randn(2, 4),))


def steps(x):
    for i in range(4):
        if i == 1:
            continue
        if i == 3:
            break
        x = x * i + 1
    return x


def collected(x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i] * i)
    return torch.stack(out), out


def left_by_value(x):
    y = x
    for i in range(5):
        y = y + 1
        if y.sum() > 3:
            break
        if y.sum() < -100:
            continue
        y = y * 0.5
    else:
        y = y + 100
    return y


def until(x):
    while x.sum() < 10:
        x = x + 1
    return x


def numbers(x, n):
    return x * n + n // 2 + n % 3, n


def written(x):
    x.add_(1)
    x[0] = 5
    return x


def written_by_view(x):
    v = x.view(-1)
    v[0] = 9
    return v, x * 2


def view_over_a_break(x):
    a = x * 1
    b = a.view(-1)
    print(end="")
    b.add_(1)
    return a


def argument_and_view(x):
    y = x[0]
    x.add_(1)
    print(end="")
    y.mul_(3)
    return x, y


def tree(x):
    return {"a": x + 1, "b": [x, x * 2], "c": (1, "s", None)}


def number_of_a_tensor(x):
    n = x.sum().item()
    return x * n, n, int(x.sum() > 0), x.tolist()


def caught(x):
    try:
        return x.reshape(7, 7)
    except RuntimeError:
        return x + 1


def raises(x):
    if x.shape[0] > 3:
        raise ValueError("too large")
    return x


def nested(x):
    def inner(a, b=2):
        return a * b + x
    return inner(x) + (lambda t: t + 1)(x)


def draws(x):
    r = torch.rand(4) + F.dropout(x, 0.5) + torch.randn_like(x) + torch.randint(0, 10, (4,))
    return r + torch.bernoulli(torch.full((4,), 0.5)) + torch.normal(x, 2.0)


def without_gradients(x):
    with torch.no_grad():
        y = x * 2
        if y.sum() > 0:
            y = y + 1
    return y, y.requires_grad


Pair = namedtuple("Pair", "a b")


def pair(x):
    p = Pair(x + 1, x * 2)
    return p.a + p.b, p


class Scale:
    def __init__(self, k):
        self.k = k
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * self.k

    @property
    def twice(self):
        return self.k * 2

    def __mul__(self, o):
        return o * self.k


scale = Scale(3.0)


def objects(x):
    return scale(x) + scale.twice + (scale * x)


def of_a_dict(x, opts):
    s = 0
    for k, v in opts.items():
        s = s + v * x
    return s


def list_of_the_caller(x, l):
    l.append(x + 1)
    l[0] = x
    return l[-1] * 2


def unpacked(x):
    a, *b = x.unbind(0)
    return a + sum(b), [t * 2 for t in b], {i: t for i, t in enumerate(b)}


def checked(x):
    assert x.shape[1] == 4, "shape"
    assert x.sum() > -1e9
    return x.chunk(2, 1)


def masked(x):
    y = x.clone()
    y[x > 0] = 0
    y[:, 1] += 1
    return y, x.nonzero(), x[x > 0]


def printed(x):
    m = x.mean()
    print(end="")
    q = (x - m) / x.std()
    return q, math.sqrt(2) * q, f"{x.shape}"


def rows(x):
    t = 0
    for row in x:
        t = t + row.sum()
    return t


def optional(x, flag=True, *args, k=1, **kw):
    return x * k if flag else x


for f in (steps, collected, left_by_value, until, written, written_by_view, view_over_a_break, argument_and_view, tree,
          number_of_a_tensor, caught, raises, nested, draws, without_gradients, pair, objects, unpacked, checked,
          masked, printed, rows):
    check(f, *xs) if f is not raises else check(f, xs[3], xs[0])
check(numbers, (x, 1), (x, 2), (x, 3), (x, 2.5), (x, 4), (y, 7))
check(of_a_dict, (x, {"a": 1.0, "b": 2.0}), (x, {"a": 1.0}), (x, {"b": y}))
check(list_of_the_caller, (x, [y]), (x, [y, y]))
check(optional, (x,), (x, False), (x, True))
print(scale.calls)

# ---- what a program holds for
factor, table, names = 2.0, {"t": torch.ones(4)}, [1, 2]


def reads(x):
    return x * factor + table["t"] * len(names)


c = torch.compile(reads, fullgraph=True)
for change in ("", "factor = 5.0", "table['t'] = torch.zeros(4)", "names.append(3)", "table['t'].add_(1)"):
    exec(change, globals())
    print(repr(change), same(c(x), reads(x)), same(c(x), reads(x)))


def maker(k):
    def f(x):
        return x * k

    def change(v):
        nonlocal k
        k = v
    return torch.compile(f), change


f, change = maker(2.0)
print(f(torch.ones(1)).item(), change(3.0), f(torch.ones(1)).item())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.bn = nn.BatchNorm1d(8)
        self.act = nn.ReLU()
        self.out = nn.Linear(8, 2)
        self.register_buffer("seen", torch.zeros(2))
        self.calls, self.k = 0, 1.0

    def forward(self, x):
        x = F.dropout(self.act(self.bn(self.fc(x))), 0.3, self.training)
        self.calls += 1
        y = self.out(x) * self.k
        self.seen = self.seen * 0.9 + y.detach().mean(0)
        return y


def made():
    torch.manual_seed(1)
    return Net()


def history(m, run):
    torch.manual_seed(7)
    opt = torch.optim.SGD(run.parameters(), 0.01)
    out = []
    for i in range(6):
        if i == 3:
            m.k = 0.5
        if i == 4:
            m.act = nn.Tanh()
        opt.zero_grad()
        loss = run(X).pow(2).sum()
        loss.backward()
        opt.step()
        out.append(loss.detach())
    run.eval()
    return out + [run(X), m.bn.running_mean, m.bn.running_var, m.bn.num_batches_tracked, m.seen, m.calls]


X = torch.randn(16, 4)
a, b = made(), made()
print(same(history(a, a), history(b, torch.compile(b))), same(list(a.state_dict().values()), list(b.state_dict().values())))

seq = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
cs = torch.compile(seq)
log = []
for change in (lambda: None, lambda: seq.__setitem__(1, nn.Sigmoid()), lambda: seq.append(nn.Tanh()),
               lambda: seq[0].register_forward_hook(lambda m, i, o: log.append(1)),
               lambda: setattr(seq[0], "weight", nn.Parameter(torch.ones(4, 4)))):
    change()
    print(same(cs(x), seq(x)), same(cs(x), seq(x)), len(log))
print([n for n, _ in cs.named_parameters()][:2], type(cs).__name__)

# ---- gradients, and second ones
v = torch.randn(4, requires_grad=True)


def broken(x):
    y = x * 2
    if y.sum() > 100:
        return y
    z = torch.sin(y) * y
    print(end="")
    return z.sum()


for order in (1, 2):
    got = []
    for f in (broken, torch.compile(broken)):
        g, = torch.autograd.grad(f(v), v, create_graph=True)
        got.append(g if order == 1 else torch.autograd.grad(g.sum(), v)[0])
    print(same(*got))

# ---- places
for f in (broken, caught, lambda x: x.sum().item()):
    try:
        print(torch.compile(f, fullgraph=True)(v))
    except torch._dynamo.exc.Unsupported as e:
        print("Unsupported:", e)


def parts(x):
    x = x + 1
    torch._dynamo.graph_break()
    x = x * 2
    return outside(x) + 1


@torch._dynamo.disable
def outside(x):
    return x if torch.compiler.is_compiling() else x * 10


print(torch._dynamo.explain(parts)(x).graph_break_count, same(torch.compile(parts)(x), parts(x)))
print(torch.compile(lambda x: x * 2 if torch.compiler.is_compiling() else x)(torch.ones(2)))
got = []


def backend(gm, inputs):
    got.append((type(inputs).__name__, len(inputs)))
    return gm.forward


print(same(torch.compile(steps, backend=backend)(x), steps(x)), got)
many = torch.compile(lambda x: x * x.shape[0])
print([many(torch.ones(n))[0].item() for n in range(1, 15)])
e = torch._dynamo.explain(broken)(v)
print(e.graph_count, e.graph_break_count, e.op_count, [(r.reason, r.place[1:]) for r in e.break_reasons])
print(str(e).split("\n")[:3])
