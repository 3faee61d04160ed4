# Small elementwise ops have a way of their own: broadcasts, views, numbers beside tensors and every comparison must
# be what the long way gives. Composed functions become one program at their third call: the same numbers each time.
import torch
import torch.nn.functional as F

row = torch.tensor([1.5, -2.0, float("nan"), float("inf")])
column = torch.tensor([[1.0], [-2.0], [0.0]])
grid = torch.arange(12, dtype=torch.float32).reshape(3, 4) - 5

for name, f in [("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b),
                ("div", lambda a, b: a / b), ("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b),
                ("lt", lambda a, b: a < b), ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b),
                ("ge", lambda a, b: a >= b)]:
    for what, a, b in [("row and column", row, column), ("turned", grid.T, row[:3]), ("steps", grid[:, ::2], column),
                       ("a number", grid, 2), ("a fraction", 0.5, grid), ("expanded", column.expand(3, 4), grid),
                       ("none", torch.zeros(0, 4), row), ("scalars", torch.tensor(3.0), torch.tensor(0.5))]:
        z = f(a, b)
        print(name, what, tuple(z.shape), z.dtype, z.flatten().tolist())

# Numbers take the dtype of the tensor; those that no f32 is are rounded once.
print((torch.tensor([16777216.0]) + 16777217).item(), (torch.tensor([1.0]) * 0.1).double().item())
print((torch.tensor([1.0]) == 0.1 * 10).item(), (torch.tensor([0.1]) == 0.1).item())
for t in [torch.int32, torch.int64, torch.float64, torch.float16, torch.uint8, torch.bool]:
    x = torch.tensor([0, 1, 1], dtype=t)
    print(t, (x + 1).dtype, (x * 0.5).dtype, (x > 0.5).tolist(), (x == 1).tolist(), (x + True).dtype)
big = torch.tensor([2**31 - 1, -2**31], dtype=torch.int32)
print((big + 1).tolist(), (big * 2).tolist(), (-big).tolist(), (big - torch.tensor([1, 1], dtype=torch.int32)).tolist())
for a, b in [(torch.zeros(2, 3), torch.zeros(4)), (torch.zeros(2, 3), torch.zeros(3, 2))]:
    try:
        print(a + b)
    except RuntimeError as e:
        print(type(e).__name__)

# choices
mask = grid > 0
print(torch.where(mask, grid, 0).tolist(), torch.where(mask, 1.5, column).dtype, torch.where(mask, row, column).tolist())
print(torch.where(mask, grid.double(), grid).dtype, torch.where(column > 0, 1, 0).tolist())
print(F.relu(grid).tolist(), F.relu(torch.tensor([float("nan"), 0.0, -1.0])).tolist(), F.relu(torch.tensor(-3.0)).item())
print(F.relu(torch.tensor([-1, 2], dtype=torch.int32)), F.relu(torch.tensor([-1.0, 2.0], dtype=torch.float16)))

# a written view is seen
base = torch.zeros(4)
view = base[1:3]
base += 1
print((view + 1).tolist(), (view > 0.5).tolist())

# followed by a history
x = torch.tensor([[1.0, -2.0, 3.0]], requires_grad=True)
b = torch.tensor([0.5, 0.5, -4.0], requires_grad=True)
y = F.relu(x + b) * 2 - torch.where(x > 0, x, b)
y.sum().backward()
print(y.tolist(), x.grad.tolist(), b.grad.tolist())
with torch.no_grad():
    print((x * 2 + b).requires_grad)

# one program from the third call on, under histories too
w = torch.tensor([1.0, 2.0, 0.5, -1.0], requires_grad=True)
for _ in range(5):
    g = (grid / 4).requires_grad_()
    outs = [F.softmax(g, -1), F.log_softmax(g, 0), F.layer_norm(g, (4,), w), F.layer_norm(g, (3, 4)),
            F.group_norm(g, 2, w, w), F.layer_norm(g, (4,), None, w)]
    print([o.grad_fn is not None for o in outs])
    total = sum([(o * torch.arange(12).reshape(3, 4)).sum() for o in outs])
    print(f"{total.item():.4f}", [f"{v:.4f}" for v in torch.autograd.grad(total, [g, w])[0].flatten().tolist()[:5]])
print(F.softmax(grid.double(), -1).dtype, F.softmax(grid, 0).sum(0).round(decimals=4).tolist())
for cast in [torch.float32, torch.float64] * 4:
    print(F.layer_norm(grid.to(cast), (4,)).dtype, end=" ")
print()

for half in (torch.float16, torch.bfloat16):    # powers of two of halves are halves
    print(torch.ldexp(torch.tensor([1.28, -0.5], dtype=half), torch.tensor([5, -1])), torch.ldexp(torch.ones((), dtype=half), torch.arange(2)))
print(torch.ldexp(torch.ones(2), torch.tensor([3, -1], dtype=torch.int32)), torch.ldexp(torch.ones(1, dtype=torch.float64), torch.arange(2)))
