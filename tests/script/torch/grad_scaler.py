# GradScaler: overflow skips the step and halves the factor, steps without it let it grow.
import torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
opt = torch.optim.SGD([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
try:
    scaler.update()
except AssertionError as e:
    print(e)
for i in range(6):
    opt.zero_grad()
    loss = (w * w).sum() * (float("inf") if i == 3 else 1.0)
    scaled = scaler.scale(loss)
    scaled.backward()
    if i == 1:
        scaler.unscale_(opt)
        print(w.grad)
        try:
            scaler.unscale_(opt)
        except RuntimeError as e:
            print(e)
    scaler.step(opt)
    try:
        scaler.step(opt)
    except RuntimeError as e:
        print(e)
    try:
        scaler.unscale_(opt)
    except RuntimeError as e:
        print(e)
    scaler.update()
    print(i, scaled.item(), w.tolist(), scaler.get_scale(), scaler._get_growth_tracker())
print(scaler.scale([torch.ones(1), (torch.zeros(2),)]))
state = scaler.state_dict()
print(state)
other = torch.amp.GradScaler("cpu")
other.load_state_dict(state)
print(other.get_scale(), other.scale(torch.ones(())).item())
other.update(8.0)
print(other.get_scale(), other.is_enabled())
off = torch.amp.GradScaler("cpu", enabled=False)
print(off.scale(3), off.state_dict(), off.get_scale())
half = torch.nn.Parameter(torch.ones(2, dtype=torch.float16))
half.grad = torch.ones(2, dtype=torch.float16)
s = torch.amp.GradScaler("cpu")
s.scale(torch.ones(1))
try:
    s.step(torch.optim.SGD([half], lr=0.1))
except ValueError as e:
    print(e)
for bad in ({"growth_factor": 0.5}, {"backoff_factor": 2.0}):
    try:
        torch.amp.GradScaler("cpu", **bad)
    except AssertionError as e:
        print(e)
try:
    torch.amp.autocast(1)
except ValueError as e:
    print(e)
