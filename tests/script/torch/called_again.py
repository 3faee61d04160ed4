# Functions called over and over, which become programs: the same numbers, gradients and errors as at first.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
z = torch.randn(6, 5, requires_grad=True)
y = torch.tensor([0, 1, 2, 3, 4, -100])
w = torch.rand(5)
WAYS = ({}, {"weight": w}, {"label_smoothing": 0.1}, {"reduction": "none"}, {"reduction": "sum", "weight": w})
for k in range(8):
    for way in WAYS:
        loss = F.cross_entropy(z, y, **way).sum()
        g, = torch.autograd.grad(loss, z, create_graph=True)
        h, = torch.autograd.grad((g * g).sum(), z)
        if k in (0, 2, 3, 7):
            print(k, round(loss.item(), 4), round(g.abs().sum().item(), 4), round(h.abs().sum().item(), 4))
for n in range(3, 60):      # more types than are kept
    for k in range(3):
        loss = F.cross_entropy(torch.full((n, 4), 1.0), torch.zeros(n, dtype=torch.long))
    if n % 20 == 0:
        print(n, round(loss.item(), 4))
try:
    for k in range(5):
        F.cross_entropy(z, torch.tensor([0, 1, 2, 3, 4, 5 if k == 4 else 0]))
except IndexError as e:
    print(k, e)

print("compiled functions of lists")
f = torch.compile(lambda p, x: (F.linear(x, *p[0]) * p[1]).sum())
p = [(torch.randn(3, 4, requires_grad=True), torch.zeros(3)), torch.tensor(2.0)]
for k in range(4):
    v = f(p, torch.ones(2, 4))
    v.backward()
print(round(v.item(), 4), p[0][0].grad.sum().item())
print(round(f([p[0], torch.tensor(3.0)], torch.ones(5, 4)).item(), 4))
print(round(f([p[0], 3.0], torch.ones(5, 4)).item(), 4), round(f([p[0], 4.0], torch.ones(5, 4)).item(), 4))
print(round(f((p[0], torch.tensor(3.0)), torch.ones(5, 4)).item(), 4))
