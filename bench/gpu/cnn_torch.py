# cnn_torch.py -- a small CNN in eager PyTorch style: python cnn_torch.py cpu|cuda
import sys, time, torch
import torch.nn as nn, torch.nn.functional as F
dev = sys.argv[1]
torch.manual_seed(0)
x = torch.randn(64, 1, 28, 28); y = torch.randint(0, 10, (64,))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 5, padding=2); self.b1 = nn.BatchNorm2d(16)
        self.c2 = nn.Conv2d(16, 32, 3, stride=2, padding=1); self.f = nn.Linear(32 * 7 * 7, 10)
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.b1(self.c1(x))), 2)
        x = F.relu(self.c2(x))
        return self.f(x.flatten(1))
m = Net().to(dev); x = x.to(dev); y = y.to(dev)
opt = torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.9)
def step():
    opt.zero_grad(); loss = F.cross_entropy(m(x), y); loss.backward(); opt.step(); return loss
for i in range(10):
    print(i, round(step().item(), 4))
if dev != "cpu":
    torch.cuda.synchronize(); t0 = time.time()
    for i in range(100): step()
    torch.cuda.synchronize(); print("cnn step ms", (time.time() - t0) * 10, file=sys.stderr)
