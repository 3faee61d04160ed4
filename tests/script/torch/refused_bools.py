# Operands that PyTorch refuses: bools that are subtracted, numbers where tensors are wanted, integers in functions of floats.
import torch

b, f, i = torch.tensor([True]), torch.tensor([1.0]), torch.tensor([1])
calls = {
    "f-b": lambda: f - b, "b-f": lambda: b - f, "b-1": lambda: b - 1, "1-b": lambda: 1 - b, "f-True": lambda: f - True,
    "True-f": lambda: True - f, "b-b": lambda: b - b, "i-b": lambda: i - b, "f-=b": lambda: f.sub_(b),
    "rsub": lambda: torch.rsub(b, 1), "frac": lambda: torch.frac(i), "positive": lambda: torch.positive(b), "+b": lambda: +b,
    "-b": lambda: -b, "neg": lambda: torch.neg(b), "neg_": lambda: b.neg_(), "x.positive": lambda: b.positive(),
    "hypot": lambda: torch.hypot(f, True), "hypot of ints": lambda: torch.hypot(i, i),
    "logaddexp": lambda: torch.logaddexp(f, 0), "logaddexp of ints": lambda: torch.logaddexp(i, i),
    "trace": lambda: torch.trace(b[None]), "fmax": lambda: torch.fmax(f, 1), "fmin": lambda: torch.fmin(f, 1),
    "f-i": lambda: f - i, "i-1": lambda: i - 1, "f-1.5": lambda: f - 1.5, "frac of f": lambda: torch.frac(f * 1.5),
    "narrow": lambda: torch.narrow(torch.arange(4), 0, -2, 2), "fmax of f": lambda: torch.fmax(f, f * 2),
}
for name, call in calls.items():
    try:
        print(name, call())
    except Exception as e:
        print(name, type(e).__name__, e)
