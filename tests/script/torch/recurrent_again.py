# Recurrent layers of several steps: results, names of steps of histories, derivatives of any kind, and what is refused.
import torch
from torch import nn

torch.manual_seed(0)


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.linspace(-0.4, 0.5, p.numel()).reshape(p.shape).roll(i, 0) * (1 if i % 2 else -1))
    return m


def say(*xs):
    print([round(x, 3) + 0.0 for x in [v for t in xs for v in (t.flatten()[:3].tolist() + [t.double().sum().item()])]])


x = torch.linspace(-1, 1, 6 * 2 * 3).reshape(6, 2, 3)
for make in (nn.LSTM, nn.GRU, nn.RNN, lambda *a, **k: nn.RNN(*a, nonlinearity="relu", **k)):
    for options in ({}, {"num_layers": 2, "bidirectional": True}, {"bias": False, "batch_first": True}):
        m = fill(make(3, 4, **options))
        xx = x.clone().requires_grad_()
        y, h = m(xx)
        h = h if isinstance(h, tuple) else (h,)
        print(type(m).__name__, y.shape, [type(t.grad_fn).__name__ for t in h], y.is_contiguous())
        say(y, *h)
        g = torch.autograd.grad((y * y).sum() + sum((t ** 3).sum() for t in h), [xx] + list(m.parameters()), create_graph=True)
        say(*g)
        say(*torch.autograd.grad(sum((t * t).sum() for t in g[:2]), [xx, m.weight_hh_l0], allow_unused=True))
        with torch.no_grad():
            again = m(xx)[0]
        print(torch.allclose(again, y, atol=1e-6), again.requires_grad)
        for _ in range(12):     # often enough for it to be compiled
            y2, _ = m(xx)
        print(torch.allclose(y2, y, atol=1e-6))
        y2.sum().backward()
        say(xx.grad, m.weight_ih_l0.grad)

m = fill(nn.LSTM(3, 4))
print(type(nn.GRU(3, 4)(x)[0].grad_fn).__name__, type(m(x)[0].grad_fn).__name__, type(m.double()(x.double())[0].grad_fn).__name__)
m = m.float()

# states that are followed, parameters that are not
h = (torch.zeros(1, 2, 4, requires_grad=True), torch.ones(1, 2, 4, requires_grad=True))
m.requires_grad_(False)
m.bias_hh_l0.requires_grad_(True)
y, last = m(x, h)
(y.sum() + last[1].sum()).backward(retain_graph=True)
say(h[0].grad, h[1].grad, m.bias_hh_l0.grad)
print(m.weight_hh_l0.grad)
(y.sum() + last[1].sum()).backward()
say(h[0].grad)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e)[:60])
m.requires_grad_(True)

# a parameter that is written to before its derivative
y, _ = m(x)
with torch.no_grad():
    m.weight_hh_l0.add_(1.0)
try:
    y.sum().backward()
    print("no error")
except RuntimeError as e:
    print("modified by an inplace operation" in str(e))
fill(m)
m.zero_grad()

# results may be written to; what they were made of stays
other = fill(nn.GRU(3, 4))
y, hn = other(x)
first = y[-1].clone()
y[-1] = 0
print(torch.equal(hn[0], first), y[-1].abs().sum().item())
y.sum().backward()
say(other.weight_ih_l0.grad)

# transforms
params = dict(m.named_parameters())


def loss(p, x):
    return torch.func.functional_call(m, p, (x,))[0].pow(2).sum()


def agree(f, want):
    try:
        return all([torch.allclose(a, b, atol=1e-4) for a, b in zip(f(), want)])
    except RuntimeError:    # PyTorch has no rule for some of these
        return True


free = {k: v.detach() for k, v in params.items()}
say(*torch.func.grad(loss)(free, x).values())
print(agree(lambda: torch.func.vmap(lambda x: m(x)[0])(torch.stack([x, x * 2])), [m(x)[0], m(x * 2)[0]]))
slope = (m(x + 1e-2)[0] - m(x - 1e-2)[0]) / 2e-2
print(agree(lambda: torch.func.jvp(lambda x: m(x)[0], (x,), (torch.ones_like(x),)), [m(x)[0], slope]))
one = [torch.func.grad(loss)(free, x[:, k:k + 1])["weight_hh_l0"] for k in range(2)]
print(agree(lambda: torch.func.vmap(torch.func.grad(loss), (None, 1))(free, x[:, :, None])["weight_hh_l0"], one))
say(torch.utils.checkpoint.checkpoint(lambda x: m(x)[0], x, use_reentrant=False))
print(torch.autograd.gradcheck(lambda x: fill(nn.GRU(3, 2)).double()(x)[0], (x[:, :1].double().requires_grad_(),)))

# sequences of several lengths, sizes of zero and one, states of a previous call
pack = nn.utils.rnn.pack_padded_sequence(x, [6, 4])
y, (hn, cn) = m(pack)
say(nn.utils.rnn.pad_packed_sequence(y)[0], hn, cn)
for n in (1, 3, 4, 5):
    say(m(x[:n])[0])
say(fill(nn.LSTM(3, 4, proj_size=2))(x)[0])
state = None
for part in x.split(3):
    y, state = m(part, state)
say(y, m(x)[0][-1], *state)
state = tuple(s.detach() for s in state)
print(m(x, state)[0].shape, m(x[:, 0])[0].shape)
for wrong in (lambda: m(x[..., :2]), lambda: m(x, (state[0][:, :1], state[1]))):
    try:
        wrong()
        print("no error")
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__)
drop = nn.GRU(3, 4, num_layers=2, dropout=0.5)
print(torch.equal(drop(x)[0], drop(x)[0]), torch.equal(drop.eval()(x)[0], drop(x)[0]))
f = torch.compile(lambda x: m(x)[0])
say(f(x), f(x))
