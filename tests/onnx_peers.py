"""Models converted to ONNX, checked by onnx and run by ONNX Runtime; the results are held against weft eval.

    onnx_peers.py WEFT FOLDER FILE...

Models of FOLDER/written, as tests/test_onnx_write keeps them, are held against the results beside them. Where ONNX Runtime has no
kernel for a type, ONNX's own evaluator runs them."""
import glob
import os
import re
import subprocess
import sys

import numpy as np
import onnx
import onnx.reference
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


# What these do not run, or run otherwise than ONNX says.
LIMITS = ["slicer", "Scan is not implemented for other", "index can't contain negative", "raw_pads should be", "is not supported with",
          "Could not find an implementation", "division by zero"]


def kept(stem, what):
    count = len(glob.glob("%s.%s*.npy" % (glob.escape(stem), what)))
    return [np.load("%s.%s%d.npy" % (stem, what, k)) for k in range(count)]


def evaluate(model, path, feeds):
    try:
        return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feeds)
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error):
            raise
    return onnx.reference.ReferenceEvaluator(model).run(None, feeds)


def check_written(path):
    """What is wrong, or None; "limit" where neither runs it."""
    model, stem = onnx.load(path), path[:-5]
    onnx.checker.check_model(model, full_check=True)
    inputs, need = kept(stem, "in"), kept(stem, "out")
    if len(inputs) != len(model.graph.input) or len(need) != len(model.graph.output):
        return "limit"                      # bf16, of which NumPy has no files
    try:
        got = evaluate(model, path, {i.name: a for i, a in zip(model.graph.input, inputs)})
    except Exception as error:
        if any(t in str(error) for t in LIMITS) or any(0 in a.shape for a in inputs):
            return "limit"
        raise
    halves = b"Cast" in model.SerializeToString() or any(a.dtype == np.float16 for a in inputs)
    tol = 1e-2 if halves else 1e-3
    for k, (a, b) in enumerate(zip(got, need)):
        a = np.asarray(a)
        if a.shape != b.shape and 0 in b.shape:
            return "limit"                  # Expand to a size of 0 gives 1 in ONNX Runtime
        if a.dtype != b.dtype or a.shape != b.shape:
            return "result %d is %s%s, not %s%s" % (k, a.dtype, a.shape, b.dtype, b.shape)
        if not np.allclose(a.astype(float), b.astype(float), rtol=tol, atol=tol, equal_nan=True):
            return "result %d differs by %g" % (k, np.nanmax(np.abs(a.astype(float) - b.astype(float))))
    return None


passed = failed = limits = 0
onnxruntime.set_default_logger_severity(4)
for path in sorted(glob.glob(folder + "/written/*.onnx")):
    try:
        wrong = check_written(path)
    except Exception as error:
        wrong = str(error)[:400]
    limits += wrong == "limit"
    passed += wrong is None
    if wrong not in (None, "limit"):
        failed += 1
        print("%s: %s" % (os.path.basename(path), wrong.strip()))
if limits > passed // 10:
    failed += 1
    print("%d models were run by neither" % limits)
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
