"""Schedules that share one optimiser: each starts from the rate that the first one found, and from what those before it left."""
import torch

S = torch.optim.lr_scheduler
p = torch.nn.Parameter(torch.ones(1))
o = torch.optim.SGD([p], lr=1.0)
made = (S.CosineAnnealingWarmRestarts(o, 3), S.CyclicLR(o, 0.1, 1.0, 2), S.PolynomialLR(o, 4, 2.0), S.LinearLR(o, 0.5, 1.0, 3),
        S.ConstantLR(o, 0.5, 2), S.StepLR(o, 2))
for s in made:
    print(type(s).__name__, s.base_lrs, s.get_last_lr(), o.param_groups[0]["initial_lr"], o.param_groups[0]["lr"])
for s in made:
    rates = []
    for _ in range(5):
        o.step()
        s.step()
        rates.append(round(s.get_last_lr()[0], 6))
    print(type(s).__name__, rates)
try:
    S.CyclicLR(torch.optim.Rprop([p]), 0.1, 1.0)
except ValueError as e:
    print(e)
