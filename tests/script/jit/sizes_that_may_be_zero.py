# Sizes in traces: expressions of them may be 0, where sizes themselves are not; what a branch looks at is the example's number.
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")


def t(name, f, *a):
    try:
        g = torch.jit.trace(f, a)
        print(name, [round(float(v), 4) for v in g(*a).flatten()[:4]], tuple(g(*a).shape))
    except Exception as e:
        print(name, type(e).__name__, str(e)[:80])


x = torch.arange(24.0).reshape(4, 6)
t("mod", lambda x: x * 2 if x.shape[0] % 2 else x * 3, x)
t("mod is 0", lambda x: x * 2 if x.shape[0] % 2 == 0 else x * 3, x)
t("mod is not 0", lambda x: x * 2 if x.shape[1] % 4 != 0 else x * 3, x)
t("quotient", lambda x: x * 2 if x.shape[0] // 5 else x * 3, x)
t("quotient is 0", lambda x: x * 2 if x.shape[0] // 5 == 0 else x * 3, x)
t("difference", lambda x: x * 2 if x.shape[0] - 4 else x * 3, x)
t("difference is 0", lambda x: x * 2 if 6 - x.size(1) == 0 else x * 3, x)
t("of two", lambda x: x * 2 if x.shape[1] - x.shape[0] - 2 else x * 3, x)
t("not", lambda x: x * 2 if not x.shape[0] % 4 else x * 3, x)
t("and", lambda x: x * 2 if x.shape[0] and x.shape[1] % 6 else x * 3, x)
t("numel", lambda x: x * 2 if x.numel() == 0 else x * 3, x)
t("size", lambda x: x * 2 if x.shape[0] else x * 3, x)


def even(x):
    if x.shape[0] % 2:
        raise RuntimeError(f"odd {x.shape[0]}")
    while x.shape[0] % 4:
        x = F.pad(x, (0, 0, 0, 1))
    return x


t("loop", even, x)
t("pads", even, torch.ones(6, 2))
t("glu", lambda x: F.glu(x, dim=0), x)
t("adaptive", lambda x: F.adaptive_avg_pool1d(x, 3), torch.arange(14.0).reshape(1, 2, 7))
t("adaptive 2", lambda x: F.adaptive_max_pool2d(x, (2, 1)), torch.arange(70.0).reshape(1, 2, 5, 7))
t("attention", lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), torch.arange(24.0).reshape(1, 2, 3, 4) / 10)
t("area", lambda x: F.interpolate(x, scale_factor=1.5, mode="area"), torch.arange(32.0).reshape(1, 2, 4, 4))
g = torch.jit.trace(lambda x: x.sum() if x.shape[0] % 2 else x.mean(), (torch.ones(4, 2),))
print(g(torch.ones(4, 2)))
