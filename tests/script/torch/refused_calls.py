# What PyTorch refuses, by the same class of exception: operands of the wrong kind, sizes that do not fit, singular matrices, and
# histories that were used. Of a text the first line.
import torch, torch.nn as nn
T = torch.tensor
nan, inf = float("nan"), float("inf")
zero, one = torch.zeros(2, 2), torch.eye(2)
several = torch.stack([one, zero])
indefinite = T([[1., 0, 0], [0, 1, 0], [0, 0, -1]])
cases = '''
torch.Generator(device="foo")
torch.Generator("cpu").manual_seed(3).initial_seed()
nn.GRUCell(2, 3)(torch.zeros(1, 4))
nn.LSTMCell(2, 3)(torch.zeros(1, 2), (torch.zeros(2, 3), torch.zeros(1, 3)))
nn.LSTMCell(2, 3)(torch.zeros(1, 2), (torch.zeros(1, 3), torch.zeros(1, 4)))
nn.LSTMCell(2, 3)(torch.zeros(2), (torch.zeros(3), torch.zeros(3)))[0].shape
nn.RNNCell(2, 3)(torch.zeros(1, 2), torch.zeros(2, 3))
nn.RNNCell(2, 3)(torch.zeros(1, 1, 2))
nn.RNNCell(2, 3)(torch.zeros(1, 2), torch.zeros(1, 1, 3))
torch.where(T([1.]), 1, 2)
torch.where(T([1], dtype=torch.uint8), 1, 2)
torch.cat([torch.zeros(2), 3])
torch.stack([torch.zeros(2), 3])
torch.kthvalue(torch.zeros(3), 5)
torch.kthvalue(torch.zeros(3), 0)
torch.kthvalue(T(1.), 1)
torch.cross(torch.zeros(2), torch.zeros(2))
torch.linalg.cross(torch.zeros(2), torch.zeros(2))
torch.linalg.cross(torch.zeros(2, 3), torch.zeros(3))
torch.linalg.cross(torch.zeros(3, 2), torch.zeros(3, 2), dim=0).shape
torch.roll(torch.zeros(3), (1, 2))
torch.repeat_interleave(torch.zeros(2), T([1, 2, 3]))
torch.einsum("ij->k", torch.zeros(2, 3))
torch.einsum("ij,jk->ik", torch.zeros(2, 3), torch.zeros(4, 5))
torch.einsum("...j,jk", torch.zeros(2, 3), torch.zeros(4, 5))
torch.einsum("i,i->ii", torch.zeros(2), torch.zeros(2))
torch.einsum("ij", torch.zeros(2))
torch.einsum("i,j", torch.zeros(2))
torch.einsum("i", torch.zeros(2), torch.zeros(2))
nn.Parameter([1])
T([1, 2]).bernoulli()
torch.eye(-1)
torch.full((2,), "a")
zero.permute(0, 0)
zero.sum((0, 0))
zero.mean((0, 0))
zero.amax((0, 0))
zero.reshape(-1, -1)
zero.view(-1, -1)
zero.type("foo")
torch.histc(torch.zeros(3), bins=0)
torch.zeros(2)["a"]
torch.zeros(2)[1.5]
torch.flip(zero, 0)
zero.flip(0, 1).shape, zero.flip(0).shape, torch.flip(zero, (0, -1)).shape
torch.tril(torch.zeros(3))
torch.masked_select(torch.zeros(2), torch.zeros(2))
torch.bmm(torch.zeros(2, 3, 4), torch.zeros(3, 4, 5))
torch.bmm(torch.zeros(1, 3, 4), torch.zeros(2, 4, 5))
torch.matmul(torch.zeros(2, 3, 4), torch.zeros(3, 4, 5))
torch.linalg.inv(zero)
torch.linalg.inv(T([[1., 2, 0], [2, 4, 0], [0, 0, 1]]))
torch.linalg.inv(several)
torch.linalg.inv(T([[nan]]))
torch.inverse(zero)
zero.inverse()
torch.linalg.matrix_power(zero, -1)
torch.linalg.solve(several, torch.ones(2, 2, 1))
torch.linalg.cholesky(-one)
torch.linalg.cholesky(indefinite)
torch.linalg.cholesky(several)
torch.linalg.cholesky(T([[nan]]))
torch.linalg.cholesky_ex(torch.stack([indefinite, torch.eye(3), -torch.eye(3)])).info
torch.linalg.cholesky(torch.zeros(2, 3))
torch.linalg.svd(T([[nan]]))
torch.linalg.svdvals(torch.stack([one, one * nan]))
torch.linalg.pinv(T([[1., nan], [0, 1]]))
torch.linalg.matrix_rank(T([[nan]]))
torch.linalg.eig(T([[inf]]))
torch.linalg.lu_factor(several)
torch.linalg.lu_factor_ex(several)
torch.linalg.cond(zero), torch.linalg.cond(zero, 1), torch.linalg.cond(one, 1)
'''
for case in cases.strip().split("\n"):
    try:
        print(case, "->", eval(case))
    except Exception as e:
        print(case, "->", type(e).__name__, str(e).strip().split("\n")[0])

# A history serves once, also where what it saved is a leaf that is still there.
for f in (lambda x: x * x, lambda x: x.sin(), lambda x: x / 3, lambda x: x @ x, lambda x: x.relu(), lambda x: x * 2, lambda x: x + 1,
          lambda x: x[0], lambda x: x.cumsum(0), lambda x: torch.cat([x, x]), lambda x: x.exp() + x):
    x = torch.ones(3, requires_grad=True)
    y = f(x).sum()
    y.backward()
    try:
        y.backward()
        print("again", x.grad)
    except RuntimeError as e:
        print(str(e)[:49])
a = torch.ones(2, requires_grad=True)
b = a * a
b.sum().backward()
try:
    (b * 3).sum().backward()
except RuntimeError as e:
    print(str(e)[:49])
b = a * a
b.sum().backward(retain_graph=True)
(b * 3).sum().backward()
print(a.grad)
