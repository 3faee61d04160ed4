# A derivative of products by square matrices of one shape that lie in memory in different orders, one after the other.
import torch

g = torch.arange(6.0).reshape(2, 3)
w = torch.arange(9.0).reshape(3, 3)
wide = torch.arange(18.0).reshape(3, 6)


def by_history(f, y):
    x = torch.ones(2, 3, requires_grad=True)
    return torch.autograd.grad((f(x, y) * g).sum(), x)[0].tolist()


for f in (torch.matmul, lambda x, y: torch.inner(x, y), torch.nn.functional.linear, lambda x, y: torch.einsum("ij,kj->ik", x, y)):
    for y in (w.t(), w, w.t(), wide[:, ::2], wide[:, ::2].t(), w.clone(), w.t().contiguous()):
        print(by_history(f, y))

b = torch.arange(8.0).reshape(2, 2, 2)
for order in ((0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1), (0, 1, 2)):
    x = torch.ones(2, 2, 2, requires_grad=True)
    ((x @ b.permute(order)) * b).sum().backward()
    print(order, x.grad.flatten().tolist())
    x = torch.ones(2, 2, 2, requires_grad=True)
    (x * b.permute(order) * b).sum().backward()
    print(order, x.grad.flatten().tolist())
