# Modules: attributes, the tree, containers, state, texts, conversions, sharing.
from collections import OrderedDict
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.register_buffer("count", torch.zeros(1, dtype=torch.long))
        self.register_buffer("scratch", torch.ones(2), persistent=False)
        self.scale = nn.Parameter(torch.ones(n))
        self.hidden = [nn.Linear(1, 1)]
        self.note = "text"

    def forward(self, x):
        self.count += 1
        return self.lin(x) * self.scale

    def extra_repr(self):
        return f"note={self.note}"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(2) for _ in range(2)])
        self.heads = nn.ModuleDict({"a": nn.Linear(2, 1), "b": nn.Sequential(nn.Linear(2, 2), nn.Tanh())})
        self.free = nn.ParameterList([torch.zeros(2), nn.Parameter(torch.ones(1))])
        self.named = nn.ParameterDict({"w": torch.zeros(1)})
        self.act = nn.ReLU()
        self.nothing = None

    def forward(self, x, head="a"):
        for b in self.blocks:
            x = self.act(b(x))
        return self.heads[head](x)


torch.manual_seed(0)
net = Net()
print(net)
print([n for n, _ in net.named_parameters()])
print([n for n, _ in net.named_buffers()], [n for n, _ in net.named_modules()], [n for n, _ in net.named_children()])
print(list(net.state_dict()), sum(p.numel() for p in net.parameters()), len(list(net.modules())))
print(net(torch.ones(1, 2)).shape, net.blocks[0].count, net(torch.ones(1, 2), head="b").shape, net.blocks[0].count.item())
net.double()
print(net.blocks[0].lin.weight.dtype, net.blocks[0].count.dtype, net(torch.ones(1, 2).double()).dtype)
net.float().half().to(torch.float32)
net.eval()
print(net.training, net.blocks[1].training, net.train().training)
net.requires_grad_(False)
print(any(p.requires_grad for p in net.parameters()))
net.requires_grad_()
for p in net.parameters():
    p.grad = torch.ones_like(p)
net.zero_grad(set_to_none=False)
print(net.blocks[0].scale.grad)
net.zero_grad()
print(net.blocks[0].scale.grad)
print(net.get_submodule("heads.b.0"), net.get_parameter("blocks.0.scale").shape, net.get_buffer("blocks.1.count"))
other = Net()
print(other.load_state_dict(net.state_dict()), torch.equal(other.heads["a"].weight, net.heads["a"].weight))
state = net.state_dict()
state["extra"] = torch.ones(1)
del state["free.0"]
print(other.load_state_dict(state, strict=False))
try:
    other.load_state_dict(state)
except RuntimeError as error:
    print(error)
state = {k: v for k, v in net.state_dict().items()}
state["blocks.0.lin.weight"] = torch.ones(3, 3)
try:
    other.load_state_dict(state)
except RuntimeError as error:
    print(error)
seq = nn.Sequential(OrderedDict([("one", nn.Linear(2, 3)), ("two", nn.ReLU())]))
seq.append(nn.Linear(3, 1))
seq.insert(1, nn.Identity()) if False else None
print(seq, len(seq), seq[0] is seq.one, seq[-1].out_features, [type(m).__name__ for m in seq], seq[1:])
lst = nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1), nn.ReLU()])
lst.extend([nn.Tanh()])
lst.insert(0, nn.Identity())
lst[1] = nn.Sigmoid()
del lst[2]
print(lst, len(lst), lst.pop(0), list(nn.ModuleDict({"x": nn.ReLU()}).items()))
shared = nn.Linear(2, 2, bias=False)
tied = nn.Sequential(shared, shared)
print(len(list(tied.parameters())), list(tied.state_dict()), len(list(tied.named_parameters(remove_duplicate=False))))
tied[0].weight.data.fill_(1)
print(tied[1].weight, tied(torch.ones(2)))
m = nn.Module()
m.w = nn.Parameter(torch.ones(1))
m.w = None
m.add_module("sub", nn.ReLU())
print(m.w, m, hasattr(m, "zzz"), "sub" in dict(m.named_modules()))
m.w = nn.Parameter(torch.zeros(2))
del m.sub
for bad in (lambda: setattr(m, "w", 3), lambda: m.register_buffer("w", torch.ones(1)), lambda: m.zzz, lambda: nn.Linear(2, 2)(torch.ones(3)), lambda: nn.Sequential(3), lambda: m(1), lambda: nn.ModuleList([nn.ReLU()])[4], lambda: m.add_module("a.b", nn.ReLU())):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


class Forgot(nn.Module):
    def __init__(self):
        self.x = nn.Linear(1, 1)


try:
    Forgot()
except AttributeError as error:
    print(error)
print(nn.Parameter(torch.ones(2)), isinstance(nn.Parameter(torch.ones(1)), torch.Tensor), nn.Parameter(torch.ones(1), requires_grad=False).requires_grad)
net.apply(lambda mod: print(type(mod).__name__, end=" "))
print()
ema = {k: v.clone() for k, v in net.state_dict().items()}
with torch.no_grad():
    for k, v in net.state_dict().items():
        if v.dtype.is_floating_point:
            ema[k].mul_(0.9).add_(v, alpha=0.1)
print(round(sum(v.float().sum().item() for v in ema.values()), 4))
vec = nn.utils.parameters_to_vector(net.parameters())
nn.utils.vector_to_parameters(torch.zeros_like(vec), net.parameters())
print(vec.shape, net.blocks[0].lin.weight)
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence
padded = pad_sequence([torch.ones(3, 2), torch.ones(1, 2) * 2], batch_first=True)
packed = pack_padded_sequence(padded, torch.tensor([3, 1]), batch_first=True)
print(padded, packed.batch_sizes, packed.data.shape)
rnn = nn.GRU(2, 3, batch_first=True)
for p in rnn.parameters():
    nn.init.constant_(p, 0.1)
out, h = rnn(packed)
back, lengths = pad_packed_sequence(out, batch_first=True)
print(back.detach(), lengths, h.detach())
