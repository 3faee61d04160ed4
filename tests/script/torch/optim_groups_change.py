# Entries of groups that change between steps, groups that are replaced, added and loaded, optimisers of the user's beside
# those of the library: each step is by what its group says then.
import copy
import random

import torch

o = torch.optim


def line(ts):
    return " ".join(["%.4g" % x for t in ts for x in t.detach().flatten().tolist()[:3]])


class Own(o.SGD):   # asks every time what its groups say
    pass


class OwnAdam(o.Adam):
    pass


def start():
    return [torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_(), torch.linspace(0, 2, 4).requires_grad_(),
            torch.tensor(0.5, dtype=torch.float64, requires_grad=True)]


def gradients(ps, k):
    for i, p in enumerate(ps):
        p.grad = None if i == 1 and k % 5 == 3 else (p.detach() * (i + 1) + 0.1 * k)


def change_sgd(r, g):
    key = r.choice(["lr", "momentum", "weight_decay", "nesterov", "maximize", "dampening"])
    if key == "lr":
        g["lr"] = r.choice([0.1, 0.05, 1, torch.tensor(0.02)])
    elif key == "momentum":
        g["momentum"], g["nesterov"] = r.choice([(0, False), (0.9, False), (0.5, True)])
    elif key == "nesterov":
        g["nesterov"] = g["momentum"] != 0 and not g["nesterov"]
    elif key == "dampening":
        g["dampening"] = 0 if g["nesterov"] else r.choice([0, 0.2])
    else:
        g[key] = r.choice([0.1, 0]) if key == "weight_decay" else r.choice([True, False])


def change_adam(r, g):
    key = r.choice(["lr", "betas", "eps", "weight_decay", "maximize"])
    g[key] = {"lr": r.choice([0.1, 0.01]), "betas": r.choice([(0.9, 0.99), (0.8, 0.95)]), "eps": r.choice([1e-8, 1e-3]),
              "weight_decay": r.choice([0, 0.1]), "maximize": r.choice([True, False])}[key]


def run(make, change, seed):
    r, ps = random.Random(seed), start()
    opt = make([{"params": ps[:2]}, {"params": ps[2:], "lr": 0.03}])
    for k in range(30):
        gradients(ps, k)
        if r.random() < 0.5:
            change(r, r.choice(opt.param_groups))
        what = r.random()
        if what < 0.1:
            opt.param_groups[0] = dict(opt.param_groups[0])
        elif what < 0.2:
            opt.load_state_dict(copy.deepcopy(opt.state_dict()))
        elif what < 0.3:
            opt.param_groups[0]["note"] = k
        elif what < 0.4:
            opt.param_groups[0]["params"].reverse()
        opt.step()
    return ps


for kinds, change in (((o.SGD, Own), change_sgd), ((o.Adam, OwnAdam), change_adam)):
    lines = []
    for seed in range(12):
        a, b = [run(lambda g: kind(g, lr=0.1), change, seed) for kind in kinds]
        assert all([torch.equal(x, y) for x, y in zip(a, b)]), seed
        lines.append(line(a))
    print(kinds[0].__name__, lines[0], "|", lines[5])

# a method that is put in its place by a class of the user's
p = torch.ones(3, requires_grad=True)
opt = o.SGD([p], lr=0.1)
p.grad = torch.ones(3)
opt.step()


class Twice(o.SGD):
    def step(self, closure=None):
        super().step(closure)
        return super().step(closure)


twice = Twice([p], lr=0.1)
twice.step()
opt.step()
print(line([p]))
other = copy.deepcopy(opt)
other.param_groups[0]["params"][0].grad = torch.ones(3)
other.param_groups[0]["lr"] = 1.0
other.step()
print(line([p]), line(other.param_groups[0]["params"]))
for bad in ("lr", "momentum"):
    kept = opt.param_groups[0].pop(bad)
    try:
        opt.step()
    except KeyError as e:
        print("KeyError", e)
    opt.param_groups[0][bad] = kept
opt.step()
print(line([p]))
