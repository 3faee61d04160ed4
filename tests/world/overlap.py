# Gradients that travel while the backward pass runs: the average of what each process computes alone, whatever sizes and
# histories the processes have; for many steps, with and without gradients from before.
import torch
import torch.distributed as dist
import torch.nn as nn

dist.init_process_group("gloo")
rank, n = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(40, 600), nn.Linear(600, 600), nn.Linear(600, 3)
        self.d = nn.Linear(40, 3)

    def forward(self, x, turned):
        if turned:      # the same parameters in another order
            return self.d(x) + self.c(torch.relu(self.b(torch.tanh(self.a(x)))))
        y = self.c(torch.relu(self.b(torch.tanh(self.a(x)))))
        return y * 1.0 + self.d(x)


def alone(net, x, turned):
    grads = torch.autograd.grad(net(x, turned).square().mean(), list(net.parameters()))
    for g in grads:
        dist.all_reduce(g)
    return [g / n for g in grads]


def near(some, others):
    return all([torch.allclose(a, b, rtol=1e-4, atol=1e-6) for a, b in zip(some, others)])


def same_everywhere(tensors):
    for t in tensors:
        all_of = [torch.zeros_like(t) for _ in range(n)]
        dist.all_gather(all_of, t)
        if not all([torch.equal(a, t) for a in all_of]):
            return False
    return True


net = Net()
ddp = nn.parallel.DistributedDataParallel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
good = same = 0
for step in range(24):
    rows, turned = 5 + (rank * step) % 3, step % 4 == 3 and rank == n - 1
    x = torch.randn(rows, 40, generator=torch.Generator().manual_seed(100 * step + rank))
    want = alone(net, x, turned)
    opt.zero_grad()
    ddp(x, turned).square().mean().backward()
    good += near([p.grad for p in net.parameters()], want)
    if step % 5 == 4:   # and once more on top of it
        ddp(x, turned).square().mean().backward()
        good += near([p.grad for p in net.parameters()], [2 * g for g in want])
    same += same_everywhere([p.grad for p in net.parameters()])
    opt.step()
if rank == 0:
    print(good, same, same_everywhere(list(net.parameters())))
else:
    same_everywhere(list(net.parameters()))
with ddp.no_sync():
    ddp(x, False).sum().backward()
opt.zero_grad()
loss = ddp(x, False).sum() * (rank + 1)
loss.backward()
g = net.c.bias.grad.clone()
rows = torch.tensor(float(rows * (rank + 1)))
dist.all_reduce(rows)
if rank == 0:
    print(torch.allclose(g, rows / n))
dist.destroy_process_group()
