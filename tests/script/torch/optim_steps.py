# Steps of optimisers over many parameters: the numbers of the library, in the memory of the parameters, for all ways
# of a rule, with parameters that come late, stay away, share memory or are not in one piece.
import copy

import torch

torch.manual_seed(3)
SHAPES = [(4, 3), (5,), (2, 3, 2), (3, 3)]
START = [torch.linspace(-1, 1, 12).reshape(4, 3), torch.linspace(0, 2, 5), torch.linspace(-2, 0, 12).reshape(2, 3, 2),
         torch.linspace(0.5, 1.5, 9).reshape(3, 3)]


def line(ts):
    return " ".join(["%.4g" % x for t in ts for x in t.detach().double().flatten().tolist()[:3]])


def train(make, steps=6, dtype=torch.float32):
    ps = [t.clone().to(dtype).requires_grad_() for t in START]
    views = [p.detach() for p in ps]
    opt = make(ps)
    for k in range(steps):
        opt.zero_grad()
        parts = [(p * p * (i + 1) - p).sum() for i, p in enumerate(ps) if not (i == 1 and k == 0) and not (i == 2 and k == 3)]
        sum(parts).backward()
        opt.step()
    return ps, views, opt


o = torch.optim
WAYS = [
    ("sgd", lambda p: o.SGD(p, lr=0.05)),
    ("momentum", lambda p: o.SGD(p, lr=0.05, momentum=0.9, dampening=0.1, weight_decay=0.01)),
    ("nesterov", lambda p: o.SGD(p, lr=0.05, momentum=0.9, nesterov=True, maximize=True)),
    ("adam", lambda p: o.Adam(p, lr=0.05)),
    ("amsgrad", lambda p: o.Adam(p, lr=0.05, amsgrad=True, weight_decay=0.1, maximize=True)),
    ("adamw", lambda p: o.AdamW(p, lr=0.05, betas=(0.8, 0.9))),
    ("rmsprop", lambda p: o.RMSprop(p, lr=0.01)),
    ("centered", lambda p: o.RMSprop(p, lr=0.01, momentum=0.5, centered=True, weight_decay=0.1)),
    ("adagrad", lambda p: o.Adagrad(p, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.2)),
    ("adadelta", lambda p: o.Adadelta(p, lr=1.0, weight_decay=0.1)),
    ("adamax", lambda p: o.Adamax(p, lr=0.05)),
]
for name, make in WAYS:
    for dtype in (torch.float32, torch.float64):
        ps, views, opt = train(make, dtype=dtype)
        print(name, line(ps), all([torch.equal(p, v) for p, v in zip(ps, views)]))
    state = [opt.state[p] for p in ps]
    print("  state", [sorted(s) for s in state][0], [float(s["step"]) for s in state if "step" in s],
          line([s[k] for s in state for k in sorted(s) if k != "step"][:4]))

print("groups and schedules")
ps = [t.clone().requires_grad_() for t in START]
opt = o.SGD([{"params": ps[:2]}, {"params": ps[2:], "lr": 0.5, "momentum": 0.5}], lr=0.1)
plan = o.lr_scheduler.StepLR(opt, 2, 0.5)
for k in range(5):
    opt.zero_grad()
    sum([(p * p).sum() for p in ps]).backward()
    opt.step()
    plan.step()
print(line(ps), opt.param_groups[1]["lr"])

print("a rate that is a tensor")
p = torch.ones(3, requires_grad=True)
opt = o.SGD([p], lr=torch.tensor(0.5))
for k in range(3):
    p.grad = torch.ones(3)
    opt.step()
print(p)

print("memory that is shared, turned or read alone")
base = torch.arange(12.0).reshape(3, 4)
a, b = base[:, :2], base.t()[2:]
for t in (a, b):
    t.requires_grad_()
whole = torch.ones(6)
c, d = whole[:3].requires_grad_(), whole[2:5].requires_grad_()
opt = o.SGD([a, b, c, d], lr=0.25, momentum=0.5)
for k in range(3):
    for t in (a, b, c, d):
        t.grad = t.detach() * 1.0
    opt.step()
print(base)
print(whole)
e = torch.ones(4, requires_grad=True)
e.grad = e.detach()             # the parameter is its own gradient
o.SGD([e], lr=0.5).step()
print(e)

print("what saw the old numbers says so")
w = torch.tensor([2.0, 3.0], requires_grad=True)
opt = o.Adam([w], lr=0.1)
for k in range(3):
    y = (w * w).sum()
    version = w._version
    y.backward()
    opt.step()
    print(w._version > version)
y = (w * w).sum()
opt.step()
try:
    y.backward()
    print("no error")
except RuntimeError as err:
    print("RuntimeError", "modified by an inplace operation" in str(err))

print("saved and loaded")
ps, _, opt = train(WAYS[3][1], 3)
more = [p.detach().clone().requires_grad_() for p in ps]
other = o.Adam(more, lr=0.9)
other.load_state_dict(copy.deepcopy(opt.state_dict()))
for which, run in ((ps, opt), (more, other)):
    for k in range(3):
        run.zero_grad()
        sum([(p ** 3).sum() for p in which]).backward()
        run.step()
print(all([torch.equal(p, q) for p, q in zip(ps, more)]), line(ps), other.param_groups[0]["lr"])

print("half precision, and numbers that are not finite")
h = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
n = torch.tensor([1.0, 2.0], requires_grad=True)
opt = o.Adam([h, n], lr=0.1)
for k in range(3):
    h.grad, n.grad = torch.ones_like(h), torch.tensor([float("nan"), float("inf")])
    opt.step()
print(h, n)
