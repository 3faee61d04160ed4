# What PyTorch has in common with NumPy and its kin (namespaces/_array.py), by its names.
import torch
x = torch.tensor([[1.0, 2.5, -3.0], [4.0, 0.5, 6.0]], requires_grad=True)
v = torch.tensor([3.0, 1.0, 2.0])
i = torch.tensor([[1, 2, 3], [4, 5, 6]])
x3 = torch.arange(8.0).reshape(2, 2, 2)


def show(name, f):
    try:
        r = f()
    except Exception as e:
        print(name, type(e).__name__, str(e)[:60])
        return
    for y in r if isinstance(r, (list, tuple)) else [r]:
        print(name, type(r).__name__, y.detach() if isinstance(y, torch.Tensor) else y)


show("mv", lambda: torch.movedim(x3, (0, 1), (1, 2)))
show("mv2", lambda: torch.movedim(x3, 0, 2))
show("bs", lambda: torch.broadcast_shapes((3, 1), (1, 4), 4))
show("bt", lambda: torch.broadcast_tensors(x, v))
show("mesh", lambda: torch.meshgrid(v, v[:2], indexing="xy"))
show("mesh2", lambda: torch.meshgrid([v, v], indexing="ij"))
show("mesh3", lambda: torch.meshgrid(torch.tensor(2.0), v, indexing="ij"))
show("kron", lambda: torch.kron(x, v))
show("kron2", lambda: torch.kron(i, i))
show("mp", lambda: torch.matrix_power(x3, 3))
show("mp0", lambda: torch.matrix_power(x3, 0))
show("mpn", lambda: torch.matrix_power(x3[1] + torch.eye(2), -2))
show("cov", lambda: torch.cov(x))
show("cov2", lambda: torch.cov(v))
show("cov3", lambda: torch.cov(x, correction=0))
show("cov4", lambda: torch.cov(x, fweights=torch.tensor([1, 2, 3])))
show("cov5", lambda: torch.cov(x, aweights=torch.tensor([1.0, 0.5, 2.0])))
show("cov6", lambda: torch.cov(i))
show("cov7", lambda: torch.cov(x, fweights=torch.tensor([1, 2, 3]), aweights=torch.tensor([1.0, 0.5, 2.0])))
show("corr", lambda: torch.corrcoef(x))
show("corr2", lambda: torch.corrcoef(v))
show("corr3", lambda: torch.corrcoef(i))
show("g", lambda: torch.gradient(x))
show("g2", lambda: torch.gradient(v, spacing=2.0))
show("g3", lambda: torch.gradient(v, spacing=(torch.tensor([0.0, 1.0, 3.0]),)))
show("g4", lambda: torch.gradient(x, dim=1, edge_order=2))
show("g5", lambda: torch.gradient(x, spacing=(2.0, 3.0)))
show("g6", lambda: torch.gradient(i, dim=(0, 1)))
show("g7", lambda: torch.gradient(x, dim=0, edge_order=2))
show("g8", lambda: torch.gradient(torch.tensor([1.0, 4, 9, 16]), spacing=(torch.tensor([0.0, 1.0, 3.0, 4.0]),), edge_order=2))
torch.corrcoef(x).sum().backward(); print(x.grad)
