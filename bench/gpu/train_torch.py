# train_torch.py -- an MLP with Adam in eager PyTorch style: python train_torch.py cpu|cuda
import sys, time, torch
import torch.nn as nn
dev = sys.argv[1]
torch.manual_seed(0)
x = torch.randn(256, 64); y = torch.randint(0, 10, (256,))
m = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.LayerNorm(128), nn.Dropout(0.0), nn.Linear(128, 10))
m = m.to(dev); x = x.to(dev); y = y.to(dev)
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
t0 = time.time()
for i in range(30):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(m(x), y)
    loss.backward()
    opt.step()
    if i % 10 == 0: print(i, round(loss.item(), 4))
print(loss.device, next(m.parameters()).device, m[0].weight.grad.device)
print(m(x)[:1, :3].detach().cpu())
if dev != "cpu":
    print(x[:1, :3])
    try: x + torch.ones(256, 64)
    except RuntimeError as e: print(e)
    try: x.numpy()
    except TypeError as e: print(e)
    n = 200
    for i in range(20):
        loss = nn.functional.cross_entropy(m(x), y); loss.backward(); opt.step(); opt.zero_grad()
    torch.cuda.synchronize(); t0 = time.time()
    for i in range(n):
        loss = nn.functional.cross_entropy(m(x), y); loss.backward(); opt.step(); opt.zero_grad()
    torch.cuda.synchronize(); print("eager step ms", (time.time() - t0) / n * 1e3, file=sys.stderr)
    a = torch.ones(1, device=dev); b = a
    for i in range(100): b = b + a
    torch.cuda.synchronize(); b = a; t0 = time.time()
    for i in range(1000): b = b + a
    torch.cuda.synchronize(); print("add us", (time.time() - t0) * 1e3, b, file=sys.stderr)
