# Tensors of the meta device have a type and no numbers: shapes of whole models without their memory.
import torch
import torch.nn as nn
import torch.nn.functional as F


def refused(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


x = torch.empty(3, 4, device="meta")
print(x, x.shape, x.device, x.is_meta, x.get_device(), x.dtype)
print((x @ x.T).shape, (x + 1).device, x.sum().shape, x[1:, ::2].shape, x.t().stride(), x.view(2, 6).shape)
print(torch.zeros(5, dtype=torch.int64, device="meta"))
print(torch.ones((2, 0), device="meta").shape)
print(torch.randn(2, 3, device="meta"), torch.randint(0, 5, (4,), device="meta"), torch.randperm(5, device="meta"))
print(torch.full((2,), 3, device="meta"), torch.arange(4, device="meta"))
print(torch.zeros_like(x).device, torch.rand_like(x), x.to(torch.float16), torch.tensor([1.0, 2.0]).to("meta"))
refused(lambda: x.to("cpu"))
refused(lambda: x + torch.ones(3, 4))
print((x * torch.tensor(2.0)).device)
big = torch.empty(1 << 20, 1 << 20, device="meta")
print((big @ big).shape, big.numel(), big.softmax(-1).shape)

with torch.device("meta"):
    m = nn.Sequential(nn.Linear(20000, 30000), nn.ReLU(), nn.LayerNorm(30000), nn.Dropout(), nn.Linear(30000, 7))
print(m[0].weight)
y = m(torch.empty(8, 20000, device="meta"))
print(y.shape, y.device, y.requires_grad, sum(p.numel() for p in m.parameters()))
y.sum().backward()
print(m[4].weight.grad.shape, m[4].weight.grad.device)
refused(lambda: nn.Linear(2, 3, device="meta").to("cpu"))

net = nn.Sequential(nn.Conv2d(3, 8, 3, device="meta"), nn.BatchNorm2d(8, device="meta"), nn.MaxPool2d(2))
print(net(torch.empty(2, 3, 16, 16, device="meta")).shape)
print(nn.LSTM(5, 6, num_layers=2, device="meta")(torch.empty(7, 2, 5, device="meta"))[0].shape)
att = nn.MultiheadAttention(8, 2, batch_first=True, device="meta")
q = torch.empty(2, 5, 8, device="meta")
print(att(q, q, q)[0].shape)
print(F.cross_entropy(torch.empty(4, 10, device="meta"), torch.empty(4, dtype=torch.long, device="meta")))

small = nn.Linear(2, 3)
empty = nn.Linear(2, 3, device="meta")
empty.load_state_dict(small.state_dict(), assign=True)
print(empty.weight.device, torch.equal(empty.weight, small.weight))
empty = nn.Linear(2, 3, device="meta").to_empty(device="cpu")
print(empty.weight.shape, empty.weight.device, empty.weight.requires_grad)
small.to("meta")
print(small.weight.device, small.bias.shape)
with torch.device("meta"):
    print(torch.zeros(2).device, torch.get_default_device())
print(torch.zeros(2).device)
table = nn.Embedding(10, 3, device="meta")
print(table(torch.zeros(2, 5, dtype=torch.long, device="meta")).shape)
print(torch.cat([x, x]).shape, torch.stack([x, x]).shape, torch.where(x > 0, x, 0).shape, torch.einsum("ij,kj->ik", x, x).shape)
print(x.sort()[0].shape, x.topk(2)[1].dtype, x.cumsum(0).shape, x.argmax(1).shape, x.gather(1, torch.zeros(3, 1, dtype=torch.long, device="meta")).shape)
x[0] = 1.0
x.add_(1).mul_(2)
x.normal_()
print(x.expand(2, 3, 4).shape, x.clone().device, x.detach().device, x.new_zeros(2).device)
opt = torch.optim.SGD(m.parameters(), lr=0.1)
opt.step()
print(torch.svd(x)[0].shape, torch.linalg.norm(x).shape, x.requires_grad_().is_leaf)
