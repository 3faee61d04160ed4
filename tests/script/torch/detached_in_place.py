# detach_: the tensor itself has no history any more, and requires no gradient.
import torch
from torch import nn

p = nn.Parameter(torch.ones(2))
q = p.detach_()
print(p.requires_grad, q is p, p.is_leaf, type(p).__name__)
a = torch.ones(2, requires_grad=True)
y = a * 2
z = y * 3
r = y.detach_()
print(y.requires_grad, y.is_leaf, y.grad_fn, r is y, y)
z.sum().backward()
print(a.grad)
y += 1
print(y, (y * 2).requires_grad)

torch.manual_seed(0)
rnn = nn.RNN(3, 4)
opt = torch.optim.SGD(rnn.parameters(), 0.1)
h = torch.zeros(1, 2, 4)
for step in range(4):       # a state that is carried on without its past
    out, h = rnn(torch.randn(5, 2, 3), h)
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    h.detach_()
    print("%.5f" % loss.item(), h.requires_grad)
