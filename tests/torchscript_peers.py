"""TorchScript archives that Weft wrote, run by PyTorch; results are held against those beside them, FOLDER/NAME.out0.npy ..,
as tests/test_onnx_write keeps them.

    torchscript_peers.py FOLDER [part of a name]"""
import glob
import os
import re
import sys
import warnings
import zipfile

import numpy as np
import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)
folder = sys.argv[1]
TOLERANCE = {5: 2e-2, 15: 6e-2, 6: 1e-3, 9: 1e-3}     # f16, bf16, f32, c64 by their numbers; others 1e-9


# What PyTorch refuses to compute, with the words of it; any other error, and none, is a failure.
LIMITS = {
    # windows that reach past the end of an input that turns out to be short
    r"contract\.wir\.conv_general_never_fits": "Kernel size can't be greater than actual input size",
    # the greatest and least of a size that turns out to be 0
    r"reduce\.wir\.reduce_(max|min)_symbolic_empty": "Expected reduction dim 0 to have non-zero size",
}


def tensor(stem, what, k):
    """Array k; those of bf16 are kept as f32."""
    wide = "%s.bf16_%s%d.npy" % (stem, what, k)
    if os.path.exists(wide):
        return torch.from_numpy(np.load(wide)).to(torch.bfloat16)
    return torch.from_numpy(np.array(np.load("%s.%s%d.npy" % (stem, what, k))))


def kept(stem, what):
    names = [glob.glob("%s.%s%s*.npy" % (glob.escape(stem), wide, what)) for wide in ("", "bf16_")]
    return [tensor(stem, what, k) for k in range(sum(map(len, names)))]


def tolerance(path):
    """Of the narrowest type that the code names: what is computed in f16 on the way is as near as f16 is."""
    with zipfile.ZipFile(path) as z:
        code = z.read([n for n in z.namelist() if n.endswith("weft.py")][0]).decode()
    types = {int(n) for pair in re.findall(r"dtype=(\d+)|prim\.dtype\(\w+\), (\d+)", code) for n in pair if n}
    return max([TOLERANCE.get(t, 1e-9) for t in types] + [1e-9])


def comparable(t):
    return t.float().numpy() if t.dtype == torch.bfloat16 else t.resolve_conj().numpy()


def check(path):
    """What is wrong, or None."""
    stem = path[:-3]
    with torch.no_grad():
        got = torch.jit.load(path)(*kept(stem, "in"))
    got = list(got) if isinstance(got, (tuple, list)) else [] if got is None else [got]
    want = kept(stem, "out")
    if len(got) != len(want):
        return "%d results, not %d" % (len(got), len(want))
    floor = tolerance(path)
    for k, (a, b) in enumerate(zip(got, want)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return "result %d is %s%s, not %s%s" % (k, a.dtype, tuple(a.shape), b.dtype, tuple(b.shape))
        x, y = comparable(a), comparable(b)
        if not np.allclose(x, y, rtol=floor, atol=floor, equal_nan=True):
            with np.errstate(all="ignore"):
                at = np.unravel_index(np.nanargmax(np.where(np.isclose(x, y, rtol=floor, atol=floor, equal_nan=True), -1, np.nan_to_num(np.abs(x - y)))),
                                      x.shape)
            return "result %d differs: %s, not %s" % (k, x[at], y[at])
    return None


def limited(path, wrong):
    """Is that the error that is expected here? None where none is."""
    for name, words in LIMITS.items():
        if re.match(name, os.path.basename(path)):
            return words in (wrong or "")
    return None


passed = failed = limits = 0
for path in sorted(glob.glob(folder + "/*.ts")):
    if len(sys.argv) > 2 and sys.argv[2] not in path:
        continue
    try:
        wrong = check(path)
    except Exception as error:
        wrong = "%s: %s" % (type(error).__name__, error)
    known = limited(path, wrong)
    if known is not None:
        limits += known
        wrong = None if known else wrong or "is listed as what PyTorch refuses"
    passed += wrong is None
    failed += wrong is not None
    if wrong:
        print("%s: %s" % (path[len(folder) + 1:], wrong.strip().replace("\n", " ")[-300:]))
print("%d passed (of them %d that PyTorch refuses), %d failed" % (passed, limits, failed))
sys.exit(failed != 0)
