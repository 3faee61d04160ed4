# Values that autograd saves, packed and unpacked by hooks; what a step saved, by name.
import os
import tempfile
import torch
import torch.nn as nn
from torch.autograd.graph import saved_tensors_hooks, save_on_cpu, disable_saved_tensors_hooks

torch.manual_seed(0)
a = torch.randn(5, requires_grad=True)
b = torch.ones(5, requires_grad=True)
y = a * b
print(y.grad_fn._saved_self is a, y.grad_fn._saved_other is b)
print(y.grad_fn.next_functions[0][0].variable is a)
y = torch.exp(a)
print(y.grad_fn._saved_result.equal(y), y.grad_fn._saved_result is y)


def pack_hook(x):
    print("Packing", x)
    return x


def unpack_hook(x):
    print("Unpacking", x)
    return x


a = torch.ones(5, requires_grad=True)
b = torch.ones(5, requires_grad=True) * 2
with saved_tensors_hooks(pack_hook, unpack_hook):
    y = a * b
y.sum().backward()
print(a.grad)

with saved_tensors_hooks(lambda x: x.detach() + 0, unpack_hook):   # once is saved, twice is derived
    y = torch.exp(a)
y.sum().backward(retain_graph=True)
y.sum().backward()
print(a.grad)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e)[:60])

x = torch.randn(5, requires_grad=True)
with saved_tensors_hooks(lambda x: x * 4, lambda x: x / 4):
    y = torch.pow(x, 2)
y.sum().backward()
print(torch.allclose(x.grad, 2 * x))

x = torch.randn(5, requires_grad=True)
with saved_tensors_hooks(lambda x: repr(x.detach().tolist()), lambda s: torch.tensor(eval(s))):
    y = (x * x).sum()
y.backward()
print(torch.allclose(x.grad, 2 * x))

folder = tempfile.TemporaryDirectory()
count = [0]


class File:
    def __init__(self):
        count[0] += 1
        self.name = os.path.join(folder.name, f"t{count[0]}")

    def __del__(self):
        os.remove(self.name)


def to_disk(t):
    f = File()
    torch.save(t, f.name)
    return f


class SaveToDisk(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *args):
        with saved_tensors_hooks(to_disk, lambda f: torch.load(f.name)):
            return self.module(*args)


net = nn.Sequential(nn.Linear(4, 8), SaveToDisk(nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.LayerNorm(8))), nn.Linear(8, 1))
same = nn.Sequential(net[0], net[1].module, net[2])
x = torch.randn(3, 4)
net(x).sum().backward()
got = [p.grad.clone() for p in net.parameters()]
print(len(os.listdir(folder.name)), count[0] > 0)
net.zero_grad()
same(x).sum().backward()
print(all(torch.allclose(g, p.grad) for g, p in zip(got, same.parameters())))

with save_on_cpu(pin_memory=False):     # and a derivative of a derivative
    z = (a ** 3).sum()
g, = torch.autograd.grad(z, a, create_graph=True)
print(torch.autograd.grad(g.sum(), a)[0])

for hooks in ((lambda x: 1 / 0, lambda x: x), (lambda x: x, lambda x: 3), (lambda x: x, lambda x: x[:2])):
    try:
        with saved_tensors_hooks(*hooks):
            y = a * b
        y.sum().backward()
        print("no error")
    except Exception as e:
        print(type(e).__name__, str(e)[:60] if not isinstance(e, RuntimeError) else "")
try:
    with disable_saved_tensors_hooks("not here"):
        with saved_tensors_hooks(pack_hook, unpack_hook):
            pass
except RuntimeError as e:
    print(e)
y = a * 2
y.sum().backward()
print(a.grad)
