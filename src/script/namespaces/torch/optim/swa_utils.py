# torch.optim.swa_utils -- averages of parameters over the steps of training, and the rates that go with them.
import copy as _copy
import math as _math

import torch
from torch.nn.modules.module import Module
from torch.optim.lr_scheduler import LRScheduler


def get_ema_avg_fn(decay=0.999):
    _check_decay(decay)
    return torch.no_grad()(lambda averaged, current, n: decay * averaged + (1 - decay) * current)


def get_swa_avg_fn():
    return torch.no_grad()(lambda averaged, current, n: averaged + (current - averaged) / (n + 1))


def get_ema_multi_avg_fn(decay=0.999):
    _check_decay(decay)
    return lambda averaged, current, n: _towards(averaged, current, 1 - decay)


def get_swa_multi_avg_fn():
    return lambda averaged, current, n: _towards(averaged, current, 1 / (float(n) + 1))


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _towards(averaged, current, weight):
    with torch.no_grad():
        for a, x in zip(averaged, current):
            if a.is_floating_point() or a.is_complex():
                a.lerp_(x, weight)
            else:
                a.copy_(a + (x - a) * weight)


class AveragedModel(Module):
    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = _copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        own, new = list(self.module.parameters()), list(model.parameters())
        if self.use_buffers:
            own, new = own + list(self.module.buffers()), new + list(model.buffers())
        new = [x.detach().to(a.device) for a, x in zip(own, new)]
        own = [a.detach() for a in own]
        if self.n_averaged == 0:
            for a, x in zip(own, new):
                a.copy_(x)
        elif self.avg_fn is None:
            (self.multi_avg_fn or get_swa_multi_avg_fn())(own, new, self.n_averaged)
        else:
            for a, x in zip(own, new):
                a.copy_(self.avg_fn(a, x, self.n_averaged))
        if not self.use_buffers:        # then they are those of the model
            for a, x in zip(self.module.buffers(), model.buffers()):
                a.detach().copy_(x.detach().to(a.device))
        self.n_averaged += 1


@torch.no_grad()
def update_bn(loader, model, device=None):
    norms = [m for m in model.modules() if isinstance(m, torch.nn.modules.norm._BatchNorm)]
    if not norms:
        return
    training, momenta = model.training, [m.momentum for m in norms]
    for m in norms:
        m.reset_running_stats()
        m.momentum = None
    model.train()
    for batch in loader:
        x = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(x if device is None else x.to(device))
    for m, momentum in zip(norms, momenta):
        m.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(optimizer.param_groups)
        if len(rates) != len(optimizer.param_groups):
            raise ValueError(f"swa_lr must have the same length as optimizer.param_groups: swa_lr has {len(rates)}, "
                             f"optimizer.param_groups has {len(optimizer.param_groups)}")
        for group, rate in zip(optimizer.param_groups, rates):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step):
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - _math.cos(_math.pi * t)) / 2 if self._strategy == "cos" else t

    def get_lr(self):
        # from the rate now, which is a mix of the first and the last one, back to the first, and on
        step = self._step_count - 1
        step = max(1, step) if self.anneal_epochs == 0 else step
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            last = group["swa_lr"]
            first = last if before == 1 else (group["lr"] - before * last) / (1 - before)
            rates.append(last * now + first * (1 - now))
        return rates
