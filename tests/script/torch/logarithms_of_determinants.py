# Logarithms of determinants that no number holds, with slopes.
import numpy as np
import torch

for n, f in ((500, 0.1), (400, 10.0)):
    sign, size = np.linalg.slogdet(np.eye(n) * f)
    print(float(sign), round(float(size), 6))
    sign, size = torch.linalg.slogdet(torch.eye(n, dtype=torch.float64) * f)
    print(sign.item(), round(size.item(), 6), round(torch.logdet(torch.eye(n, dtype=torch.float64) * f).item(), 6))
a = np.array([[1.0, 2.0, 0.5], [3.0, -1.0, 2.0], [0.5, 1.5, 4.0]])
print(np.linalg.slogdet(a), np.linalg.slogdet(a[[1, 0, 2]]), np.linalg.slogdet(a[[1, 2, 0]]), np.linalg.slogdet(np.zeros((2, 2))))
print(np.linalg.slogdet(np.zeros((0, 0))), np.linalg.slogdet(np.stack([a, -a])))
t = torch.tensor(a, requires_grad=True)
torch.linalg.slogdet(t)[1].backward()
print(t.grad)
t = torch.tensor(a[[1, 0, 2]], requires_grad=True)
y = torch.logdet(t)
g, = torch.autograd.grad(y, t, create_graph=True)
g.square().sum().backward()
print(y, t.grad)
print(torch.logdet(torch.tensor(a)), torch.logdet(torch.zeros(2, 2)), torch.logdet(torch.eye(2) * (1 + 2j)))
