# Gradients are added up in the memory of the one that is there: who holds it, or the buffer that it is a part of, sees it.
import torch
from torch import nn
a = torch.ones(3, requires_grad=True)
b = torch.full((3,), 2., requires_grad=True)
(a + b).sum().backward()
a.grad.mul_(7)
print(a.grad, b.grad)
flat = torch.zeros(6)
a.grad, b.grad = flat[:3], flat[3:]
for i in range(3):
    (a * b).sum().backward()
    print(flat)
a.grad.zero_()
print(flat)

net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.sin(torch.arange(p.numel()) * (1.7 + i)).view(p.shape))
n = sum(p.numel() for p in net.parameters())
whole, at = torch.zeros(n), 0
for p in net.parameters():
    p.grad = whole[at:at + p.numel()].view_as(p)
    at += p.numel()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    for x in torch.tensor([[[1., 2.]], [[-1., 0.5]]]):
        net(x).pow(2).mean().backward()
    print(whole)
    whole /= max(1., whole.norm().item())
    opt.step()
    opt.zero_grad(set_to_none=False)
print(whole.abs().sum(), net[0].weight)
net(torch.ones(1, 2)).sum().backward()
before = [p.grad for p in net.parameters()]
net(torch.ones(1, 2)).sum().backward()
print([g is p.grad for g, p in zip(before, net.parameters())], before[1])

# A derivative of the sum may be asked for: it is a new one.
x = torch.ones(2, requires_grad=True)
(x ** 2).sum().backward(create_graph=True)
first = x.grad
(x ** 3).sum().backward(create_graph=True)
print(first.detach(), x.grad.detach())
# By inputs=, through hooks, and what such a gradient is known by.
x.grad = kept = torch.ones(2)
kept.name_of_mine = "kept"
version = kept._version
(x * 2).sum().backward(inputs=[x])
print(kept, kept._version - version, x.grad is kept, x.grad.name_of_mine)
x.register_hook(lambda g: g * 2)
(x * 2).sum().backward()
print(kept)
x.grad = None
print(x.grad, kept)
x.grad = torch.ones(1).expand(2)
try:
    (x * 2).sum().backward()
except RuntimeError as e:
    print(str(e)[:47])
z = torch.tensor([1 + 2j], requires_grad=True)
for i in range(2):
    (z * z.conj()).real.sum().backward()
    print(z.grad)
