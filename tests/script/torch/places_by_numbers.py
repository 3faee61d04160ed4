# What a tensor of one integer selects is a view, and so is what a number of NumPy selects.
import numpy as np
import torch

q = torch.zeros(2, 3)
i = torch.tensor(1)
q[i][2] = 5.0
q[np.int64(1)][1] = 6
q[i, 1:][0] += 7
k = torch.argmax(torch.tensor([1, 2, 0]))
q[k][0] = 9
v = q[torch.tensor(0, dtype=torch.int32)]
v += 1
print(q)
q[torch.tensor([1])][0] = 8  # a copy
print(q)
t = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
print(t[i].grad_fn.name(), t[i, :, torch.tensor([0, 1])].shape, t[:, i].shape, t[i, i, i], t[..., i].shape, t[i, None].shape)
print(t[1, :, [0, 1]].shape, t[:, i, [0, 1]].shape, t[torch.tensor([0, 1]), i].shape)
try:
    t[torch.tensor(7)]
except IndexError as e:
    print(e)
e = torch.nn.Embedding(3, 2)
e.weight.data[i].fill_(7.0)
print(e.weight.data[1])
f = torch.jit.trace(lambda a, i: a[i], (torch.arange(5.0), torch.tensor(2)))
print(f(torch.arange(5.0), torch.tensor(3)))

x = np.arange(24).reshape(2, 3, 4)
n = np.int64(1)
x[n][0][n] = -1
x[np.argmax([0, 3])][2] = 0
w = x[n, 1]
w[:] = 5
x[np.array(1)][0] = 77  # a copy
print(x)
print(x[n, :, [0, 1]], x[[0, 1], n], x[n, ..., n], x[:, n], x[n, n, n], x[-n, 0], x[np.uint8(1)].shape)
g = torch.empty(3, 4)
torch.manual_seed(0)
torch.nn.init.orthogonal_(g)
print(torch.allclose(g @ g.T, torch.eye(3), atol=1e-6))
print(g, torch.nn.init.orthogonal_(torch.empty(4, 2), gain=2.0), torch.nn.init.orthogonal_(torch.empty(2, 2, 2)))
print(torch.special.erfinv(torch.tensor([0.0, 0.3, -0.84, 0.86, 0.99999, -1.0, 1.0, 1.5], dtype=torch.float64)))
a, b = torch.tensor([1.5]), torch.tensor([[2.5]])
print(torch.tensor([a, b]), torch.tensor([[a, a], [b, b]]), torch.tensor([a, 3.0]), torch.tensor([3.0, a]), torch.as_tensor((a, a)), torch.tensor([torch.tensor(1.0), 2]))
for bad in ([torch.tensor([1, 2]), torch.tensor([3, 4])], [torch.zeros(0)]):
    try:
        torch.tensor(bad)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
print(torch.FloatTensor([torch.tensor([1.0]), torch.tensor([2.0])]), torch.LongTensor([torch.tensor([3]), 4]), torch.Tensor([torch.tensor(5)]))

# a list with something else than numbers is a tuple of steps
grid = torch.arange(12).view(2, 2, 3)
for key in [[0, None], [0, slice(1, 3)], [0, ...], [[0, 1], [1, 0]], [torch.tensor(1), 1], [torch.tensor([0, 1]), 1], [[0, 1], 1], [0, 1],
            [range(2), 0]]:
    print(grid[key].tolist())
grid[[0, slice(None), 1]] = -1
print(grid[[0, ..., 1]].tolist(), grid[[0]].shape, grid[[[0, 1]]].shape)


class Shrinks:
    def __index__(self):
        steps.clear()
        return 0


steps = [Shrinks(), None, 1]
print(grid[steps].shape, steps)
