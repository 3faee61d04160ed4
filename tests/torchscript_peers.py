"""TorchScript archives that Weft wrote, run by PyTorch; results are held against those beside them, FOLDER/NAME.out0.npy ..,
as tests/test_onnx_write keeps them.

    torchscript_peers.py FOLDER [part of a name]"""
import glob
import sys
import warnings

import numpy as np
import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)
folder = sys.argv[1]
TOLERANCE = {torch.float16: 2e-2, torch.bfloat16: 6e-2, torch.float32: 1e-3, torch.complex64: 1e-3}


# What PyTorch does not compute: of no elements, windows that reach past the end.
LIMITS = ["to have non-zero size", "is too small", "Calculated padded input size", "Kernel size can't be greater", "not implemented for 'UInt"]


def kept(stem, what):
    count = len(glob.glob("%s.%s*.npy" % (glob.escape(stem), what)))
    return [np.load("%s.%s%d.npy" % (stem, what, k)) for k in range(count)]


def tensor(a):
    return torch.from_numpy(np.array(a))


def check(path):
    """What is wrong, or None."""
    stem = path[:-3]
    if len(kept(stem, "in")) + len(kept(stem, "out")) < 1 or "bf16" in path:
        return None         # of types that .npy has not
    with torch.no_grad():
        got = torch.jit.load(path)(*[tensor(a) for a in kept(stem, "in")])
    got = list(got) if isinstance(got, (tuple, list)) else [] if got is None else [got]
    want = [tensor(a) for a in kept(stem, "out")]
    if len(got) != len(want):
        return "%d results, not %d" % (len(got), len(want))
    floor = max([TOLERANCE.get(t.dtype, 1e-9) for t in got + want] + [1e-9])
    for k, (a, b) in enumerate(zip(got, want)):
        if a.dtype != b.dtype and not b.dtype == torch.uint16 or a.shape != b.shape:
            return "result %d is %s%s, not %s%s" % (k, a.dtype, tuple(a.shape), b.dtype, tuple(b.shape))
        if a.dtype == torch.bfloat16:
            continue
        x, y = a.cpu().numpy(), b.numpy()
        if not np.allclose(x, y, rtol=floor, atol=floor, equal_nan=True):
            return "result %d differs: %s, not %s" % (k, x.ravel()[:6], y.ravel()[:6])
    return None


passed = failed = 0
for path in sorted(glob.glob(folder + "/*.ts")):
    if len(sys.argv) > 2 and sys.argv[2] not in path:
        continue
    try:
        wrong = check(path)
    except Exception as error:
        wrong = "%s: %s" % (type(error).__name__, error)
    if wrong and any(w in wrong for w in LIMITS):
        continue
    passed += wrong is None
    failed += wrong is not None
    if wrong:
        print("%s: %s" % (path[len(folder) + 1:], wrong.strip().replace("\n", " ")[-300:]))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
