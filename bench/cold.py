"""cold.py -- what a system costs before it has done anything: start, memory, size of its library.

The model is a multilayer perceptron 64-128-10 in a file of the system's own kind. Each start is a new process, from
its beginning to the first result; systems take turns, and the median of five counts.
"""

import glob
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


# ---- the model in each system's file ------------------------------------------------------------------------------


def save_torch(folder):
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    torch.save(net, os.path.join(folder, "m.pt"))


def save_jax(folder):
    import numpy as np

    r = np.random.default_rng(1)
    f32 = lambda *s: r.standard_normal(s).astype(np.float32)
    np.savez(os.path.join(folder, "m.npz"), a=f32(64, 128), b=f32(128), c=f32(128, 10), d=f32(10))


def save_ort(folder):
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    r = np.random.default_rng(1)
    const = lambda n, *s: numpy_helper.from_array(r.standard_normal(s).astype(np.float32), n)
    info = lambda n, *s: helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
    nodes = [helper.make_node("Gemm", ["x", "a", "b"], ["h"]), helper.make_node("Relu", ["h"], ["r"]),
             helper.make_node("Gemm", ["r", "c", "d"], ["y"])]
    graph = helper.make_graph(nodes, "g", [info("x", 1, 64)], [info("y", 1, 10)],
                              [const("a", 64, 128), const("b", 128), const("c", 128, 10), const("d", 10)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, os.path.join(folder, "m.onnx"))


# ---- the start, in a process of its own -----------------------------------------------------------------------------


def start_torch(folder, compiled):
    import torch

    net = torch.load(os.path.join(folder, "m.pt"), weights_only=False)
    with torch.no_grad():
        print((torch.compile(net) if compiled else net)(torch.ones(1, 64))[0, 0].item())


def start_jax(folder):
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import numpy as np

    p = np.load(os.path.join(folder, "m.npz"))
    net = jax.jit(lambda p, x: jax.nn.relu(x @ p["a"] + p["b"]) @ p["c"] + p["d"])
    print(net(dict(p), np.ones((1, 64), np.float32))[0, 0])


def start_ort(folder):
    import numpy as np
    import onnxruntime as ort

    s = ort.InferenceSession(os.path.join(folder, "m.onnx"), providers=["CPUExecutionProvider"])
    print(s.run(None, {"x": np.ones((1, 64), np.float32)})[0][0, 0])


STARTS = {
    "eager": (save_torch, lambda d: start_torch(d, False)),
    "compile": (save_torch, lambda d: start_torch(d, True)),
    "jax": (save_jax, start_jax),
    "ort": (save_ort, start_ort),
}


def save(system, folder):
    STARTS[system][0](folder)


def start(system, folder):
    STARTS[system][1](folder)
    sys.stdout.flush()
    from worker import most_resident

    print(most_resident())


def timed(argv):
    """seconds until the first line of a process, and the MB it says on the second; None if it fails"""
    begin = time.perf_counter()
    p = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    p.stdout.readline()
    seconds = time.perf_counter() - begin
    mb = p.stdout.readline()
    p.stdout.close()
    return (seconds, float(mb)) if p.wait() == 0 and mb else None


def starts(build, systems):
    answer = {}
    with tempfile.TemporaryDirectory() as folder:
        weft = os.path.join(build, "bench", "weft_rows")
        argvs = {"weft": [weft, "cold", os.path.join(folder, "m.weft")]}
        for s in ("eager", "compile", "jax", "ort"):
            if s in systems and STARTS[s]:
                code = f"import sys; sys.path.insert(0, {HERE!r}); import cold; cold.%s({s!r}, {folder!r})"
                if subprocess.run([sys.executable, "-c", code % 'save'], stderr=subprocess.DEVNULL).returncode == 0:
                    argvs[s] = [sys.executable, "-c", code % 'start']
        subprocess.run([weft, "save", os.path.join(folder, "m.weft")], check=False)
        taken = {s: [] for s in argvs}
        for i in range(5):
            for s, argv in argvs.items():
                if s != "compile" or i < 2:  # seconds each
                    r = timed(argv)
                    if r:
                        taken[s].append(r)
    print(f"\n{'cold start':18} {'seconds':>9} {'to weft':>8} {'MB':>7}   (target 10x of ONNX Runtime)")
    for s, rs in taken.items():
        if rs:
            seconds, mb = (statistics.median(x[i] for x in rs) for i in (0, 1))
            answer[s] = {"seconds": seconds, "memory_mb": mb}
            ratio = seconds / answer["weft"]["seconds"] if "weft" in answer else float("nan")
            print(f"{s:18} {seconds:>9.4f} {ratio:>7.1f}x {mb:>7.0f}")
        else:
            print(f"{s:18}    failed")
    return answer


def sizes(build):
    answer = {}
    with tempfile.NamedTemporaryFile() as f:
        subprocess.run(["strip", "-o", f.name, os.path.join(build, "libweft.so")], check=False)
        answer["weft"] = os.path.getsize(f.name) / 1e6
    site = [p for p in sys.path if p.endswith("site-packages")]
    for name, pattern in (("torch", "torch/lib/libtorch_cpu.so"), ("jax", "jaxlib/libjax_common.so"),
                          ("ort", "onnxruntime/capi/*pybind11_state*.so")):
        for found in [g for p in site for g in glob.glob(os.path.join(p, pattern))]:
            answer[name] = os.path.getsize(found) / 1e6
    print("\nlibrary, MB: " + ", ".join(f"{k} {v:.1f}" for k, v in answer.items()))
    return answer


def versions():
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("torch", "torchvision", "jax", "jaxlib", "onnxruntime", "onnx", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            pass
    return found
