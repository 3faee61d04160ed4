# What files of public repositories write: forms of calls that stopped them.
import numpy as np
import torch, torch.nn as nn
import torch.nn.utils.prune as prune
from torch.autograd import Function
import torch.autograd.forward_ad as fw

torch.manual_seed(0)
print(torch.randint(9, size=(4,)), torch.randint(3, 9, size=(4,)), torch.randint(high=5, size=(2,)))
np.random.seed(0)
print(np.random.choice(range(5), 3), np.random.choice(range(2, 9), 3, replace=False), np.random.RandomState(1).choice(range(4)))

m = nn.Linear(3, 2)
prune.random_unstructured(m, "weight", amount=2)
prune.ln_structured(m, "weight", amount=0.5, n=2, dim=0)
print([type(h).__name__ for h in m._forward_pre_hooks.values()], [len(h) for h in m._forward_pre_hooks.values() if h._tensor_name == "weight"])
seen = []
h = m.register_forward_hook(lambda mod, args, kwargs, out: seen.append(sorted(kwargs)), with_kwargs=True)
p = m.register_forward_pre_hook(lambda mod, args: seen.append(len(args)))
m(input=torch.ones(1, 3))
m(torch.ones(1, 3))
print(seen)


class Sine(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.sin(x)
        ctx.x = x
        return result

    @staticmethod
    def jvp(ctx, gx):
        return gx * torch.cos(ctx.x)


class Wrong(Sine):
    @staticmethod
    def jvp(ctx, gx):
        return gx * torch.sin(ctx.x)


x = torch.linspace(0, 1, 3, dtype=torch.double, requires_grad=True)
only = dict(check_forward_ad=True, check_backward_ad=False, check_undefined_grad=False, check_batched_grad=False)
print(torch.autograd.gradcheck(Sine.apply, (x,), **only), torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False, **only))
print(torch.autograd.gradcheck(torch.tanh, (x,), check_forward_ad=True))
with fw.dual_level():
    d = fw.make_dual(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
    y = Sine.apply(d * 2) + d
    print(fw.unpack_dual(y).tangent)

# The constructors of old: sizes, or numbers.
s = torch.ones(2, 3).size()
for t in (torch.FloatTensor(s), torch.Tensor(s), torch.LongTensor(s), torch.ones(1).new(s), torch.FloatTensor(torch.Size([4])), torch.FloatTensor([2, 3]),
          torch.FloatTensor((2, 3)), torch.FloatTensor(2, 3), torch.FloatTensor(np.ones((2, 2))), torch.FloatTensor(), torch.ones(2).new(np.ones(3)),
          torch.ones(1).new([1, 2]), torch.ones(1).new(2, 2), torch.ones(1).double().new([1.5]), torch.Tensor(torch.ones(2)), torch.ones(3).new(torch.ones(2)),
          torch.ones(1).new(), torch.Tensor([[1, 2]]), torch.tensor(s), torch.ByteTensor(s), torch.FloatTensor(5), torch.ones(1).new((3, 1)),
          torch.FloatTensor(range(3)), torch.BoolTensor([1, 0])):
    print(tuple(t.shape), t.dtype, end="; ")
print()

# Batches of texts, numbers and arrays; samples without batches.
from torch.utils.data import DataLoader, default_convert
rows = [("a", 1, np.ones(2), {"k": "x", "n": 0.5}), ("b", 2, np.zeros(2), {"k": "y", "n": 1.5})]
print(next(iter(DataLoader(rows, batch_size=2))), next(iter(DataLoader(["p", "q"], batch_size=2))))
print(next(iter(DataLoader(rows, batch_size=None))), default_convert((np.ones(1), [2, np.zeros(1)], "t")))
for kw in ({}, {"num_layers": 2}, {"bidirectional": True}, {"batch_first": True}):
    o, (h, c) = nn.LSTM(3, 2, **kw)(torch.ones(4, 2, 3))
    print(o.grad_fn.name(), h.grad_fn.name(), c.grad_fn.name())
print(torch.dist(torch.ones(2, requires_grad=True), torch.zeros(2)).grad_fn.name())
