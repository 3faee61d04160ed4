"""torchvision_models.py -- every classification model of torchvision under torch.compile(backend="weft") beside eager PyTorch:
what it predicts, and a step of training.

    python bench/torchvision_models.py [--train] [--double] [NAME...]     with torch, torchvision and the package weft

A line for each, status 1 if one differs. --train: the gradients of a step and the buffers it changes, else what the model predicts.
--double: in f64, where rounding cannot hide a difference (but for PyTorch's slope of hardsigmoid, whose sixth is an f32: 3e-9 in mobilenet_v3).
"""
import copy
import gc
import sys
import time

import torch
import torchvision
import weft.torch as wt

# The smallest pictures that a model takes, where that is not 64.
SIZES = {"inception_v3": 299, "alexnet": 64, "vit_h_14": 224, "maxvit_t": 224}


def size_of(name):
    return 224 if name.startswith("vit") else SIZES.get(name, 64)


def fresh(name):
    torch.manual_seed(0)
    torch._dynamo.reset()
    wt.reasons.clear()
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    model = torchvision.models.get_model(name, weights=None, num_classes=10, **options).to(torch.get_default_dtype())
    for p in model.parameters():  # a head of zeros, as vit has it, says nothing of what is before it
        if p.dim() > 1 and not p.any():
            torch.nn.init.normal_(p, std=0.05)
    return model


def check(name):
    model = fresh(name)
    x = torch.randn(2, 3, size_of(name), size_of(name))
    compiled = torch.compile(model, backend="weft")
    norms = [m for m in model.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    for m in norms:  # means and variances of such pictures, so that numbers do not vanish on their way
        m.momentum = 1.0
    with torch.no_grad():
        if norms:  # of so many that a rounding is not made larger from layer to layer: by 1e15 in efficientnet_v2_l with four
            model.train()(torch.randn(16, *x.shape[1:]))
        model.eval()
        want = model(x)
        start = time.time()
        got = compiled(x)
        first = time.time() - start
    worst = ((got - want).abs().max() / want.abs().max().clamp_min(1e-3)).item()
    return worst, first, list(wt.reasons)


def check_training(name):
    model = fresh(name)
    for m in model.modules():
        if isinstance(m, (torch.nn.Dropout, torchvision.ops.StochasticDepth)):
            m.p = 0.0
    model.train()
    x, t = torch.randn(4, 3, size_of(name), size_of(name)), torch.tensor([1, 2, 3, 4])
    state = copy.deepcopy(model.state_dict())  # with the versions of its modules

    def gradients(f):
        model.load_state_dict(state)
        model.zero_grad(set_to_none=True)
        y = f(x)
        y = y if isinstance(y, torch.Tensor) else y.logits
        torch.nn.functional.cross_entropy(y, t).backward()
        # of a result that the loss leaves out: AOTAutograd gives zeros, eager PyTorch nothing
        return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()], [b.clone() for b in model.buffers()]
    want, buffers = gradients(model)
    start = time.time()
    got, changed = gradients(torch.compile(model, backend="weft"))
    took = time.time() - start
    whole = torch.sqrt(sum((g ** 2).sum() for g in want))
    off = torch.sqrt(sum(((a - b) ** 2).sum() for a, b in zip(got, want)))
    moved = max([((a.double() - b.double()).abs().max() / b.double().abs().max().clamp_min(1e-3)).item() for a, b in zip(changed, buffers)], default=0.0)
    return max((off / whole).item(), moved), took, list(wt.reasons)


def main(args):
    train, double = "--train" in args, "--double" in args
    if double:
        torch.set_default_dtype(torch.float64)
    limit = (1e-8 if train else 1e-11) if double else (2e-2 if train else 1e-3)
    names = [a for a in args if not a.startswith("-")] or torchvision.models.list_models(module=torchvision.models)
    wrong = 0
    for name in names:
        try:
            worst, first, reasons = (check_training if train else check)(name)
            ok = worst <= limit and not reasons
            print(f"{name:24} {worst:.1e}  first call {first:6.1f} s  {'' if ok else 'DIFFERS'} {reasons or ''}", flush=True)
        except Exception as e:
            ok = False
            print(f"{name:24} {type(e).__name__}: {str(e)[:300]}", flush=True)
        wrong += not ok
        gc.collect()
    print(f"{len(names)} models, {wrong} differ")
    return wrong > 0


sys.exit(main(sys.argv[1:]))
