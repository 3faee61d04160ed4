# torch.jit.load of archives that the real torch.jit.save wrote (tools/format_samples.py): they run, with all their methods, and
# train.
import io
import os

import torch

here = "tests/files/" if os.path.exists("tests/files") else "../../files/"
torch.manual_seed(0)

m = torch.jit.load(here + "traced.pt")
x = torch.arange(6.0).reshape(2, 3)
print(m(x))
m(x).square().sum().backward()
print([p.grad.sum() for p in m.parameters()])

m = torch.jit.load(here + "script.pt")
x = torch.arange(50.0).reshape(2, 1, 5, 5) / 10
d, outs = m(x)
print(d['out'].detach(), d['cat'].detach(), outs[0].shape, len(outs))
print(m(x, 5)[0]["out"].detach())
print(m.count(torch.ones(2, 3)).detach(), m.count(torch.ones(2, 1, 3)).detach(), m.steps.detach())
print(m.halves(6))
print(m.training, m.scale, m.names, list(dict(m.named_parameters())), list(m.state_dict()))
m(x)[0]["out"].sum().backward()
print(m.fc.weight.grad, m.conv.bias.grad)

m.bn.train()
opt = torch.optim.SGD(m.parameters(), lr=0.001)
for _ in range(3):
    opt.zero_grad()
    loss = m(x)[0]["cat"].square().sum()
    loss.backward()
    opt.step()
    print(loss.item())
print(m.bn.running_mean.detach(), m.bn.num_batches_tracked)

m = torch.jit.load(here + "tagger.pt")
t = torch.tensor([[0, 1, 2, 3], [4, 3, 1, 0]])
print(m(t).detach())
m(t).sum().backward()
print(m.lstm.weight_hh_l0.grad, m.emb.weight.grad)

with open(here + "tagger.pt", "rb") as f:
    data = f.read()
print(torch.equal(torch.jit.load(io.BytesIO(data))(t), m(t)))
try:
    torch.jit.load(here + "state.pt")
except RuntimeError as e:
    print("not a script")

m = torch.jit.load(here + "traced_numbers.pt")
print([(y.dtype, y.tolist()) for y in m(torch.tensor([0.0, 1.0, 3.0]))])

# attributes of an Enum class and of named tuples; saved again they are what they were
m = torch.jit.load(here + "script_named.pt")
print(m(torch.ones(2)), m.kind, m.kind.value, m.pair, m.pairs, m.table)
f = io.BytesIO()
torch.jit.save(m, f)
f.seek(0)
m = torch.jit.load(f)
print(m(torch.ones(2)), m.kind, m.pair)
m.pair = type(m.pair)((2.5, [3, 4]))
f = io.BytesIO()
torch.jit.save(m, f)
f.seek(0)
print(torch.jit.load(f)(torch.ones(2)))
