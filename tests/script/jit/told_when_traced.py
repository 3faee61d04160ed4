# Numbers that a function reads while it is traced: it is told, once for each place.
import warnings

import torch


def fn(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    k = int(x[0])
    f = float(x[0])
    i = x.max().item()
    r = x.tolist()
    return y * k * f * i + r[0]


with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    t = torch.jit.trace(fn, torch.ones(2), check_trace=False)
print(t(-torch.ones(2)))
for w in told:
    if isinstance(w.message, torch.jit.TracerWarning):
        print(w.lineno, w.message)
