# torch.masked: tensors of which some elements are not there.
import warnings
warnings.filterwarnings("ignore")
import torch
from torch.masked import masked_tensor, as_masked_tensor

data = torch.arange(24).reshape(2, 3, 4)
mask = data % 2 == 0
mt = masked_tensor(data.float(), mask)
print(mt)
print(mt[0], mt[:, :, 2:4], mt.shape, mt.dtype)
print(torch.sum(mt, 1), torch.mean(mt, 1), torch.amin(mt, 1), torch.amax(mt, 2), torch.prod(mt, 2))
print(mt.sum(), mt.mean(), mt.get_mask().sum(), mt.to_tensor(-1)[0])
x = torch.tensor([-10.0, -5, 0, 5, 100])
m = x < 0
mx = masked_tensor(x, m, requires_grad=True)
my = masked_tensor(torch.ones_like(x), ~m, requires_grad=True)
y = torch.where(m, torch.exp(mx), my)
print(y)
y.sum().backward()
print(mx.grad)
a = masked_tensor(torch.tensor(2.0), torch.tensor(True), requires_grad=True)
print(torch.exp(a))
d0 = torch.arange(5.0)
k = torch.tensor([True, True, False, True, False])
m0, m1 = masked_tensor(d0, k), masked_tensor(d0, ~k)
try:
    m0 + m1
except ValueError as e:
    print("failed:", e)
print(m0 + m0, m0 * 2, m0 / (m0 + 1), -m0, m0.sin(), m0 ** 2)
print(torch.tensor([1, 2, 3]), masked_tensor(torch.tensor([[0, 0, 3], [4, 0, 5]]), torch.tensor([[False, False, True], [False, False, True]])))
v = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w = masked_tensor(v, torch.tensor([[True, False], [True, True]]))
print(w.softmax(0), w.softmax(1).to_tensor(0))
z = torch.arange(16).float()
z = z * z.fmod(4)
print(torch.mean(masked_tensor(z, z != 0)), torch.argmin(masked_tensor(z, z != 0)))
nan = torch.full((4,), float("nan"))
print(torch.mean(masked_tensor(nan, ~torch.isnan(nan))))
b = torch.tensor(1.0, requires_grad=True)
q = torch.tensor([1.0, 2.0, float("nan")])
c = masked_tensor(q, ~torch.isnan(q)) * b
print(torch.autograd.grad(torch.sum(c), b))
a = masked_tensor(torch.tensor(3.0), torch.tensor(True), requires_grad=True)
print(torch.autograd.grad(torch.where(torch.tensor(False), a / 0, torch.ones(())), a))
print(torch.autograd.grad(torch.where(torch.tensor(True), a * 2, torch.ones(())), a))
for bad in (lambda: masked_tensor(v, torch.tensor([True, False])), lambda: masked_tensor(v, v)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__)
at = torch.tensor([[0, 1, 1], [2, 0, 2]])
s = torch.sparse_coo_tensor(at, torch.tensor([3, 4, 5]), (2, 3))
t = masked_tensor(s, torch.sparse_coo_tensor(at, torch.tensor([True, False, True]), (2, 3)))
print(t, t.get_data(), t.is_sparse, t.to_dense().is_sparse)
print(masked_tensor(s.to_dense(), s.to_dense() > 3).to_sparse_csr().get_data())
