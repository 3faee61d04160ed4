# Modules whose sizes come from the first input, as PyTorch has them.
import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.LazyConv2d(8, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(5))
print(m)
print(m[0].weight)
print(m[4].weight, m[4].bias)
print(isinstance(m[4].weight, nn.parameter.UninitializedParameter), nn.parameter.is_lazy(m[4].weight))
try:
    print(m[4].weight.shape)
except Exception as e:
    print(type(e).__name__, e)
try:
    print(m[4].weight + 1)
except Exception as e:
    print(type(e).__name__, e)
print(m[4].has_uninitialized_params())
x = torch.randn(2, 3, 8, 8)
y = m(x)
print(y.shape, type(m[4]), type(m[0]), type(m[1]))
print(m)
print(y)
print([(n, tuple(p.shape)) for n, p in m.named_parameters()])
opt = torch.optim.SGD(m.parameters(), lr=0.1)
y.sum().backward(); opt.step()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.LazyLinear(4)
        self.l2 = nn.LazyLinear(2, bias=False)
    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)))
n = Net()
print(n)
print(n.state_dict())
try:
    sum(p.numel() for p in n.parameters())
except Exception as e:
    print(type(e).__name__, e)
n(torch.ones(1, 7))
sd = n.state_dict()
print({k: tuple(v.shape) for k, v in sd.items()})
n2 = Net()
n2.load_state_dict(sd)
print(n2.l1.weight.shape, type(n2.l1))
print(torch.equal(n(torch.ones(2, 7)), n2(torch.ones(2, 7))))
for cls in (nn.LazyConv1d, nn.LazyConv3d, nn.LazyConvTranspose1d, nn.LazyConvTranspose2d, nn.LazyConvTranspose3d):
    l = cls(4, 3)
    d = int(cls.__name__[-2])
    print(l, l(torch.ones(1, 2, *[5] * d)).shape, l)
for cls in (nn.LazyBatchNorm1d, nn.LazyBatchNorm3d, nn.LazyInstanceNorm1d, nn.LazyInstanceNorm2d):
    l = cls()
    d = int(cls.__name__[-2])
    print(l, l(torch.ones(2, 2, *[5] * d)).shape, l)
u = nn.UninitializedBuffer()
print(u)
p = nn.UninitializedParameter()
p.materialize((2, 3)); print(p.shape, type(p))
import copy
c = copy.deepcopy(nn.LazyLinear(3)); print(c)
