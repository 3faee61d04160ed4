# Calls of a module that come again by the thousand, with a change between them: each gives what the ops one by one give.
import copy
import gc
import pickle
import weakref

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
MANY = 2100
x = torch.arange(12.0).reshape(2, 6) / 7 - 0.8


def many(m, *args):
    for _ in range(MANY):
        y = m(*args)
    return y


def plain(net, x):
    a, b = net[0], net[2]
    return torch.relu(x @ a.weight.T + a.bias) @ b.weight.T + b.bias


def same(a, b):
    return torch.allclose(a, b, atol=1e-6) and not torch.isnan(a).any().item()


def network():
    return nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3)).eval()


with torch.no_grad():
    net = network()
    first = net(x)
    print("again", torch.equal(first, many(net, x)), type(first).__name__, first.grad_fn, first.requires_grad)
    kept = [net(x + i) for i in range(4)]
    print("results of their own", all([same(k, plain(net, x + i)) for i, k in enumerate(kept)]), kept[0].is_contiguous())
    y = net(x)
    y.add_(100)
    print("written results", torch.equal(net(x), first), torch.equal(x, torch.arange(12.0).reshape(2, 6) / 7 - 0.8))

    # tensors that change
    net[0].weight.mul_(2)
    print("written", same(net(x), plain(net, x)), not torch.equal(net(x), first))
    net[0].weight = nn.Parameter(net[0].weight * 0.5)
    print("replaced", torch.equal(net(x), first))
    net[2].bias.data = torch.ones(3)
    print("data", same(net(x), plain(net, x)))
    net.load_state_dict({k: v * 3 for k, v in net.state_dict().items()})
    print("loaded", same(net(x), plain(net, x)))
    many(net, x)
    net[0] = nn.Linear(6, 5)
    print("child", same(net(x), plain(net, x)))
    many(net, x)
    net[1] = nn.Tanh()
    print("another class", same(net(x), torch.tanh(F.linear(x, net[0].weight, net[0].bias)) @ net[2].weight.T + net[2].bias))
    many(net, x)
    net.append(nn.Hardtanh())
    print("longer", net(x).abs().max().item() <= 1)
    many(net, x)
    net[3].max_val = 0.125
    print("an attribute", net(x).max().item() <= 0.125)
    net[2].bias = None
    print("no bias", net(x).shape)
    net = net.double()
    print("dtype", net(x.double()).dtype)
    try:
        net(x)
    except RuntimeError as e:
        print("refused", type(e).__name__)

    # arguments that change
    net = network()
    many(net, x)
    for other in (x[:1], x.T.contiguous().T, x[:, None], x.expand(2, 6), torch.zeros(0, 6), nn.Parameter(x)):
        print("argument", tuple(other.shape), same(net(other), plain(net, other)), net(input=other).shape == net(other).shape)
    try:
        net(x[:, :5])
    except RuntimeError as e:
        print(str(e))
    try:
        net(x, x)
    except TypeError as e:
        print("TypeError")
    print("NaN", torch.isnan(net(x * float("nan"))).all().item(), torch.isinf(net(x * float("inf"))).any().item())

# derivatives
y = net(x)
print("recorded", y.requires_grad, type(y.grad_fn).__name__)
y.sum().backward()
print(same(net[2].bias.grad, torch.full((3,), 2.0)))
with torch.no_grad():
    print("not recorded", net(x).requires_grad)
with torch.inference_mode():
    many(net, x)
    print("inference", net(x).is_inference(), same(net(x), plain(net, x)))
with torch.no_grad():
    print("no inference", net(x).is_inference())
    with torch.enable_grad():
        print("enabled", net(x).requires_grad)

# modes and hooks
with torch.no_grad():
    drop = nn.Sequential(nn.Linear(6, 64), nn.Dropout(0.5), nn.ReLU()).eval()
    a = many(drop, x)
    drop.train()
    print("dropout", torch.equal(drop(x), drop(x)))
    drop.eval()
    print(torch.equal(a, drop(x)))
    calls = []
    handle = net[1].register_forward_hook(lambda m, i, o: calls.append(o.shape))
    net(x), net(x)
    handle.remove()
    net(x)
    handle = net.register_forward_pre_hook(lambda m, i: (i[0] * 0,))
    print("hooks", calls, same(net(x)[0], net(x)[1]))
    handle.remove()
    handle = nn.modules.module.register_module_forward_hook(lambda m, i, o: calls.append(type(m).__name__))
    net(x)
    handle.remove()
    net(x)
    print(calls[2:])
    net.forward = lambda x: "mine"
    print("forward", net(x))
    del net.forward
    print(same(net(x), plain(net, x)))
    net[0].forward = lambda x: torch.ones(2, 5)
    print(same(net(x)[0], net(x)[1]))
    del net[0].forward
    kept = nn.ReLU.forward
    nn.ReLU.forward = lambda self, x: x * 0
    print("a method of the library", same(net(x)[0], net[2].bias))
    nn.ReLU.forward = kept
    print(same(net(x), plain(net, x)))
    many(net, x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        print("autocast", net(x).dtype)
    print(net(x).dtype)

# what a forward of the user's does besides is done each time
scale = 2.0


class Mine(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(6, 6)
        self.calls, self.names, self.steps, self.factor = 0, [], [1.0, 2.0], 3.0
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        return self.inner(x) * scale * self.factor * self.steps[1]


class Counts(Mine):
    def forward(self, x):
        self.calls += 1
        return self.inner(x)


class Lists(Mine):
    def forward(self, x):
        self.names.append(x.shape)
        return self.inner(x)


class Buffers(Mine):
    def forward(self, x):
        self.seen += 1
        return self.inner(x)


class Writes(Mine):
    def forward(self, x):
        x += 1
        return self.inner(x)


class Keeps(Mine):
    def forward(self, x):
        self.last = self.inner(x)
        return self.last


class Draws(Mine):
    def forward(self, x):
        return self.inner(x) + torch.rand(1)


class Decides(Mine):
    def forward(self, x):
        return self.inner(x) if x.sum() > 0 else x


class Asks(Mine):
    def forward(self, x):
        return self.inner(x) * (0 if torch.compiler.is_compiling() else 1) * (2 if torch.is_grad_enabled() else 1)


class Returns(Mine):
    def forward(self, x):
        self.inner(x)
        return x


class Views(Mine):
    def forward(self, x):
        return self.inner(x)[0]


class Calls(Mine):
    def forward(self, x):
        return F.relu(self.inner(x))


class Defaults(Mine):
    def forward(self, x, by=2.0):
        return self.inner(x) * by


class Mutable(Mine):
    def forward(self, x, by=[2.0]):
        return self.inner(x) * by[0]


class Raises(Mine):
    def forward(self, x):
        if self.calls > 0:
            raise ValueError("enough")
        return self.inner(x)


with torch.no_grad():
    m = Mine()
    first = many(m, x)
    scale = 4.0
    print("a global", same(m(x), first * 2))
    m.factor = 6.0
    print("an attribute", same(m(x), first * 4))
    many(m, x)
    m.steps[1] = 4.0
    print("an item", same(m(x), first * 8))
    many(m, x)
    m.steps.insert(0, 1.0)
    print("items", same(m(x), first * 2))
    m.calls = 5
    print(same(m(x), first * 2))
    many(m, x)
    Mine.forward = lambda self, x: x + 1
    print("a class", same(m(x), x + 1))
    m.__class__ = Counts
    m(x)
    print("another class", m.calls)
    c = Counts()
    many(c, x)
    print("counts", c.calls)
    c = Lists()
    many(c, x)
    print("lists", len(c.names))
    c = Buffers()
    many(c, x)
    print("buffers", c.seen.item())
    c, z = Writes(), x.clone()
    many(c, z)
    print("writes", same(z, x + MANY))
    c = Keeps()
    y = many(c, x)
    print("keeps", c.last is y)
    c = Draws()
    print("draws", torch.equal(many(c, x), c(x)))
    torch.manual_seed(3)
    many(c, x)
    y = torch.rand(1)
    torch.manual_seed(3)
    for _ in range(MANY):
        torch.rand(1)
    print(torch.equal(y, torch.rand(1)))
    c = Decides()
    many(c, x)
    print("decides", torch.equal(c(x - 9), x - 9), torch.equal(c(x + 9), x + 9))
    c = Asks()
    print("asks", same(many(c, x), c.inner(x)))
    c = Returns()
    print("returns", many(c, x) is x)
    c = Views()
    print("views", many(c, x).shape)
    c = Defaults()
    many(c, x)
    Defaults.forward.__defaults__ = (3.0,)
    print("defaults", same(c(x), c.inner(x) * 3), same(c(x, 4.0), c.inner(x) * 4), same(c(x, by=5.0), c.inner(x) * 5))
    c = Mutable()
    many(c, x)
    Mutable.forward.__defaults__[0][0] = 3.0
    print(same(c(x), c.inner(x) * 3))
    c = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(6, 6)), nn.ReLU())
    many(c, x)
    c[0].parametrizations.weight.original0.zero_()
    print("parametrizations", same(c(x), torch.relu(c[0].bias).expand(2, 6)))
    c, relu = Calls(), F.relu
    many(c, x)
    F.relu = lambda x: x * 0
    print("a function of the library", c(x).abs().sum().item())
    F.relu = relu
    print(same(c(x), torch.relu(c.inner(x))))
    c = Raises()
    many(c, x)
    c.calls = 1
    try:
        c(x)
    except ValueError as e:
        print("raises", e)

    # the module itself
    m = network()
    first = many(m, x)
    print("attributes", sorted(vars(m)) == sorted(vars(network())), len(m.state_dict()))
    print("copies", torch.equal(copy.deepcopy(m)(x), first), torch.equal(pickle.loads(pickle.dumps(m))(x), first))
    m2 = copy.deepcopy(m)
    m2[0].bias.zero_()
    print(torch.equal(m2(x), first), torch.equal(m(x), first))
    alive = [weakref.ref(m), weakref.ref(m[0]), weakref.ref(m[0].weight)]
    child = m[2]
    del m, m2
    gc.collect()
    print("gone", [r() is None for r in alive], child(torch.ones(5)).shape)

    print(sorted(dir(vars(child))) == sorted(dir({})), hasattr(vars(child), "_modules"))

    def circle():
        class M(nn.Module):
            def __init__(self):
                super().__init__()
                self.a = nn.Linear(6, 6)

            def forward(self, x):
                return self.a(x) * 2

        m = M()
        M.last = m
        many(m, x)
        return weakref.ref(m), weakref.ref(M), sorted(dir(vars(m))) == sorted(dir({}))

    *refs, plain_dict = circle()
    gc.collect()
    print([r() is None for r in refs], plain_dict)

    # modules in modules: outer calls, and inner ones by themselves
    block = nn.Sequential(nn.Sequential(nn.Linear(6, 6), nn.ReLU()), nn.Sequential(nn.Linear(6, 6), nn.Sigmoid()))
    first = many(block, x)
    print("nested", torch.equal(block[1](block[0](x)), first))
    part = many(block[0], x)
    print(torch.equal(block[1](part), first))
    block[0][0].weight.zero_()
    print(same(block(x)[0], block(x)[1]), torch.equal(block[0](x)[0], torch.relu(block[0][0].bias)))
    shared = nn.Linear(6, 6)
    tied = nn.Sequential(shared, nn.ReLU(), shared)
    first = many(tied, x)
    tied[2] = nn.Linear(6, 6)
    print("tied", torch.equal(tied(x), first))
