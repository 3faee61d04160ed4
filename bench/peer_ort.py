"""peer_ort.py -- the rows in ONNX Runtime: inference only, from models made here."""

import io
import os
import sys
import warnings

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from worker import serve

ROWS = {}
OPSET = [helper.make_opsetid("", 17)]


def session(model):
    o = ort.SessionOptions()
    o.intra_op_num_threads = int(sys.argv[2])
    o.inter_op_num_threads = 1
    return ort.InferenceSession(model, o, providers=["CPUExecutionProvider"])


def row(constants):
    """f(names) -> nodes, the last of which gives y; the first inputs are fed, others are constants"""

    def add(f):
        def build(arrays):
            names = [f"i{k}" for k in range(len(arrays))]
            fed = [k for k in range(len(arrays)) if k not in constants(len(arrays))]
            info = lambda n, a: helper.make_tensor_value_info(n, TensorProto.FLOAT, a)
            graph = helper.make_graph(
                f(names), "g", [info(names[k], arrays[k].shape) for k in fed],
                [info("y", None)], [numpy_helper.from_array(a, n) for k, (n, a) in enumerate(zip(names, arrays))
                                    if k not in fed])
            s = session(helper.make_model(graph, opset_imports=OPSET, ir_version=8).SerializeToString())
            feed = {names[k]: arrays[k] for k in fed}
            return lambda: s.run(None, feed)

        ROWS[f.__name__] = build
        return f

    return add


def node(op, ins, out, **attr):
    return helper.make_node(op, ins, [out], **attr)


none = lambda n: ()
but_first = lambda n: range(1, n)
but_last = lambda n: range(n - 1)


@row(none)
def ew(n):
    x, w, b = n
    return [node("Tanh", [x], "t"), node("Sigmoid", [x], "s"), node("Mul", ["t", "s"], "ts"), node("Mul", [x, x], "xx"),
            node("Neg", ["xx"], "nx"), node("Exp", ["nx"], "e"), node("Mul", ["e", w], "ew"),
            node("Add", ["ts", "ew"], "a"), node("Add", ["a", b], "y")]


@row(none)
def softmax(n):
    return [node("Softmax", n, "y", axis=-1)]


@row(but_first)
def layernorm(n):
    return [node("LayerNormalization", n, "y", axis=-1, epsilon=1e-5)]


@row(none)
def matmul(n):
    return [node("MatMul", n, "y")]


@row(but_last)
def tiny_infer(n):
    w1, b1, w2, b2, x = n
    return [node("Gemm", [x, w1, b1], "a", transB=1), node("Relu", ["a"], "h"),
            node("Gemm", ["h", w2, b2], "y", transB=1)]


def lstm(arrays):
    x, wi, wh, bi, bh = arrays
    order = lambda a: np.concatenate([a[k * 256:(k + 1) * 256] for k in (0, 3, 1, 2)])[None]  # iofc from ifgo
    consts = {"w": order(wi), "r": order(wh), "b": np.concatenate([order(bi), order(bh)], 1)}
    info = lambda n, s: helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
    nodes = [helper.make_node("LSTM", ["x", "w", "r", "b"], ["y4"], hidden_size=256),
             helper.make_node("Squeeze", ["y4", "axes"], ["y"])]
    inits = [numpy_helper.from_array(a, n) for n, a in consts.items()]
    inits.append(numpy_helper.from_array(np.array([1], np.int64), "axes"))
    graph = helper.make_graph(nodes, "g", [info("x", x.shape)], [info("y", None)], inits)
    s = session(helper.make_model(graph, opset_imports=OPSET, ir_version=8).SerializeToString())
    return lambda: s.run(None, {"x": x})


def googlenet(arrays):
    """exported by PyTorch, the parameters inside"""
    import torch
    from nets_torch import googlenet_forward

    n = 57 * 3 + 2
    t = [torch.from_numpy(a) for a in arrays]

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.t = torch.nn.ParameterList([torch.nn.Parameter(p, False) for p in t[:-1]])

        def forward(self, x):
            p = list(self.t)
            return googlenet_forward(p[:n], p[n:], x)

    f = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(Net().eval(), (t[-1],), f, dynamo=False, opset_version=17, input_names=["x"])
    s = session(f.getvalue())
    return lambda: s.run(None, {"x": arrays[-1]})


ROWS.update(lstm=lstm, googlenet=googlenet)
os.environ.setdefault("OMP_NUM_THREADS", sys.argv[2])
serve("ort", ROWS, np.asarray)
