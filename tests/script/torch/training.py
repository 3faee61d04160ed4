# Small trainings from seeds: every optimiser and schedule, modules' state, saving and loading.
import copy
import os
import tempfile
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.optim.lr_scheduler import *
from torch.utils.data import DataLoader, TensorDataset, Dataset, Subset, ConcatDataset, random_split, WeightedRandomSampler, RandomSampler, BatchSampler, SequentialSampler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(4 * 9, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv(x))), 2)
        return self.fc(self.drop(x.flatten(1)))


torch.manual_seed(0)
data = torch.randn(24, 1, 6, 6)
labels = data.mean((1, 2, 3)).mul(20).long().clamp(-1, 1) + 1
makers = [
    lambda p: optim.SGD(p, lr=0.1), lambda p: optim.SGD(p, 0.05, momentum=0.9, nesterov=True, weight_decay=1e-3),
    lambda p: optim.SGD(p, 0.05, momentum=0.5, dampening=0.1, maximize=False), lambda p: optim.Adam(p, lr=0.01),
    lambda p: optim.Adam(p, lr=0.01, amsgrad=True, weight_decay=0.1), lambda p: optim.AdamW(p, lr=0.01),
    lambda p: optim.RMSprop(p, lr=0.005, centered=True, momentum=0.3), lambda p: optim.Adagrad(p, lr=0.05, lr_decay=0.01),
    lambda p: optim.Adadelta(p), lambda p: optim.Adamax(p, lr=0.01), lambda p: optim.NAdam(p, lr=0.01), lambda p: optim.RAdam(p, lr=0.01), lambda p: optim.Rprop(p, lr=0.01)]
for make in makers:
    torch.manual_seed(1)
    net = Net()
    opt = make(net.parameters())
    loader = DataLoader(TensorDataset(data, labels), batch_size=8, shuffle=True)
    losses = []
    for epoch in range(2):
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
            losses.append(round(loss.item(), 4))
    net.eval()
    print(type(opt).__name__, losses, round(net(data).sum().item(), 3), round(net.bn.running_var.sum().item(), 3))
print(optim.SGD(net.parameters(), lr=0.1))
print(optim.Adam(net.parameters()))


def rates(make, steps=9, **options):
    p = nn.Parameter(torch.ones(1))
    o = optim.SGD([p], lr=0.1, **options)
    s = make(o)
    out = []
    for _ in range(steps):
        out.append(round(o.param_groups[0]["lr"], 5))
        o.step()
        s.step()
    return out


for make in (lambda o: StepLR(o, 2), lambda o: MultiStepLR(o, [1, 3, 3]), lambda o: ExponentialLR(o, 0.9), lambda o: CosineAnnealingLR(o, 4), lambda o: CosineAnnealingWarmRestarts(o, 2, 2), lambda o: LambdaLR(o, lambda e: 0.5 ** e), lambda o: MultiplicativeLR(o, lambda e: 0.9), lambda o: LinearLR(o, 0.1, total_iters=5), lambda o: ConstantLR(o, 0.5, 3), lambda o: PolynomialLR(o, 5, 2.0), lambda o: OneCycleLR(o, 0.5, total_steps=10, cycle_momentum=False), lambda o: CyclicLR(o, 0.01, 0.1, 3, cycle_momentum=False), lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)], [3]), lambda o: ChainedScheduler([ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)])):
    print(rates(make))
o = optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.9)
s = OneCycleLR(o, 1.0, total_steps=6)
for _ in range(5):
    o.step()
    s.step()
    print(round(s.get_last_lr()[0], 5), round(o.param_groups[0]["momentum"], 5))
print("total_steps" in s.state_dict(), o.state_dict()["param_groups"][0]["params"])

folder = tempfile.mkdtemp()
path = os.path.join(folder, "state.pt")
torch.save({"model": net.state_dict(), "step": 7, "nested": [1.5, (None, "text"), {"t": torch.arange(3)}]}, path)
back = torch.load(path)
other = Net()
print(other.load_state_dict(back["model"]), back["step"], back["nested"], list(back["model"])[:3])
other.eval()
print(torch.equal(other(data), net(data)), os.path.getsize(path) > 100)
os.remove(path)
twin = copy.deepcopy(net)
with torch.no_grad():
    twin.fc.bias.add_(1)
print(torch.equal(twin.fc.weight, net.fc.weight), (twin.fc.bias - net.fc.bias).mean().item())

torch.manual_seed(4)
a, b = random_split(range(10), [0.7, 0.3])
print(list(a), list(b), a.indices)
print([x.tolist() for x in DataLoader(range(7), batch_size=3, shuffle=True)], len(DataLoader(range(7), 3, drop_last=True)))
print(list(WeightedRandomSampler([0.1, 0.9, 0.4], 6)), list(RandomSampler(range(5))), list(BatchSampler(SequentialSampler(range(5)), 2, False)), list(RandomSampler(range(3), replacement=True, num_samples=5)))
g = torch.Generator().manual_seed(9)
print([x.tolist() for x in DataLoader(torch.arange(6), batch_size=4, shuffle=True, generator=g)], torch.rand(1))


class Words(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return {"id": i, "word": "abc"[i], "vec": torch.full((2,), float(i)), "pair": (i, i / 2)}


for batch in DataLoader(Words(), batch_size=2):
    print(batch)
print(len(ConcatDataset([Words(), Words()])), Subset(Words(), [2, 0])[0]["word"])
