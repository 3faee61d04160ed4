# Rates from step to step, what their state is, averages of parameters; what optimisers refuse.
import torch, torch.nn as nn, warnings
from torch.optim import lr_scheduler as S
def run(make, n=8, closs=False):
    p = [nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))]
    o = torch.optim.SGD([{'params': p[:1]}, {'params': p[1:], 'lr': 0.5}], lr=0.1, momentum=0.9)
    s = make(o); out = []
    for i in range(n):
        o.step(); s.step(1.0 / (i + 1)) if closs else s.step(); out.append([round(g['lr'], 6) for g in o.param_groups])
    print(type(s).__name__, out, [round(v, 6) for v in s.get_last_lr()]); return s, o
run(lambda o: S.StepLR(o, 3, 0.5)); run(lambda o: S.MultiStepLR(o, [2, 5], 0.1)); run(lambda o: S.ExponentialLR(o, 0.9)); run(lambda o: S.CosineAnnealingLR(o, 5, 0.01))
run(lambda o: S.LambdaLR(o, [lambda e: 0.9 ** e, lambda e: 1 / (e + 1)])); run(lambda o: S.MultiplicativeLR(o, lambda e: 0.8)); run(lambda o: S.ConstantLR(o, 0.3, 4)); run(lambda o: S.LinearLR(o, 0.2, 1.0, 4))
run(lambda o: S.PolynomialLR(o, 5, 2.0)); run(lambda o: S.CyclicLR(o, 0.01, 0.2, 3, mode='triangular2', cycle_momentum=True)); run(lambda o: S.OneCycleLR(o, 0.3, total_steps=10)); run(lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2))
run(lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [3])); run(lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]))
s, o = run(lambda o: S.ReduceLROnPlateau(o, 'max', patience=1, factor=0.5, cooldown=1), closs=True); print({k: v for k, v in s.state_dict().items() if k not in ('optimizer',)})
s, o = run(lambda o: S.StepLR(o, 3, 0.5)); sd = s.state_dict(); print(sd); s2 = S.StepLR(o, 1); s2.load_state_dict(sd); print(s2.last_epoch, s2.step_size)
print(o); print(o.state_dict()['param_groups'])
try: S.StepLR(o, 3, last_epoch=2)
except Exception as e: print(type(e).__name__, e)
try: S.StepLR(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1), 3, last_epoch=2)
except Exception as e: print(type(e).__name__, e)
try: S.LambdaLR(o, [lambda e: 1])
except Exception as e: print(type(e).__name__, e)
try: S.StepLR('x', 1)
except Exception as e: print(type(e).__name__, e)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    o = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1); s = S.StepLR(o, 1); s.step(); s.step(3); print([(type(x.message).__name__, str(x.message)[:60]) for x in w])
swa = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 1)); lin = nn.Linear(2, 1); 
for i in range(3):
    lin.weight.data.fill_(i); swa.update_parameters(lin)
print(swa.module.weight, swa.n_averaged); print(list(swa.state_dict()))
ema = torch.optim.swa_utils.AveragedModel(lin, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)); lin.weight.data.fill_(5); ema.update_parameters(lin); lin.weight.data.fill_(6); ema.update_parameters(lin); print(ema.module.weight)
sw = torch.optim.swa_utils.SWALR(torch.optim.SGD(lin.parameters(), 0.1), swa_lr=0.05, anneal_epochs=3); 
for _ in range(4): sw.optimizer.step(); sw.step(); print(round(sw.get_last_lr()[0], 5), end=' ')
print()
bnm = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)); torch.manual_seed(0); torch.optim.swa_utils.update_bn([torch.randn(4, 2), torch.randn(4, 2)], bnm); print(bnm[1].num_batches_tracked)
for cls, kw in [(torch.optim.Adam, dict(lr=-1)), (torch.optim.SGD, dict(lr=0.1, momentum=-1)), (torch.optim.SGD, dict(lr=0.1, nesterov=True)), (torch.optim.Adam, dict(betas=(1.5, 0.9))), (torch.optim.RMSprop, dict(eps=-1))]:
    try: cls([nn.Parameter(torch.ones(1))], **kw)
    except Exception as e: print(type(e).__name__, e)
for bad in ([], [torch.ones(1) * torch.ones(1, requires_grad=True)], torch.ones(1), ['a'], [{'params': []}], {nn.Parameter(torch.ones(1))}):
    try: torch.optim.SGD(bad, lr=0.1); print('ok')
    except Exception as e: print(type(e).__name__, e)
