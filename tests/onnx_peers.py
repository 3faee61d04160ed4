"""Models converted to ONNX, checked by onnx and run by ONNX Runtime; the results are held against weft eval.

    onnx_peers.py WEFT FOLDER FILE..."""
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

TYPES = {"float": np.float32, "double": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_,
         "float16": np.float16, "uint8": np.uint8, "int8": np.int8, "uint32": np.uint32}
weft, folder = sys.argv[1:3]
rng = np.random.default_rng(0)


def run(*words):
    return subprocess.run([weft, *words], capture_output=True, text=True)


def argument(info):
    """Numbers for an input; symbols are 3."""
    dims = [d if isinstance(d, int) else eval(re.sub(r"[A-Za-z_]\w*", "3", d.replace("floor", "").replace("/", "//")))
            for d in info.shape]
    dtype = TYPES[info.type[7:-1]]
    return np.asarray(rng.uniform(0.1, 1, dims) if np.issubdtype(dtype, np.floating) else rng.integers(0, 2, dims), dtype)


def check(path):
    """What is wrong, or None."""
    made = folder + "/made.onnx"
    r = run("convert", path, made)
    if r.returncode:
        return r.stderr
    onnx.checker.check_model(onnx.load(made), full_check=True)
    session = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
    feeds = {i.name: argument(i) for i in session.get_inputs()}
    want = session.run(None, feeds)
    words = []
    for k, a in enumerate(feeds.values()):
        np.save("%s/x%d.npy" % (folder, k), a)
        words.append("%s/x%d.npy" % (folder, k))
    for k in range(len(want)):
        words += ["-o", "%s/y%d.npy" % (folder, k)]
    r = run("eval", path, *words)
    if r.returncode:
        return r.stderr
    for k, a in enumerate(want):
        got = np.load("%s/y%d.npy" % (folder, k))
        if got.dtype != a.dtype or got.shape != a.shape:
            return "result %d is %s%s, not %s%s" % (k, got.dtype, got.shape, a.dtype, a.shape)
        if not np.allclose(got.astype(float), a.astype(float), rtol=1e-3, atol=1e-5, equal_nan=True):
            return "result %d differs by %g" % (k, np.abs(got.astype(float) - a.astype(float)).max())
    return None


passed = failed = 0
for path in sys.argv[3:]:
    try:
        wrong = check(path)
    except Exception as error:  # of the peers
        wrong = str(error)
    if wrong is None:
        passed += 1
    else:
        failed += 1
        print("%s: %s" % (path, wrong.strip()))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
