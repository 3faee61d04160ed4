#!/usr/bin/env python3
"""tests/onnx/net.onnx, a small network with its loss as PyTorch exports it, and what PyTorch computes of it
(tests/onnx/net.safetensors): loss, gradients by all parameters, and the same in training. tests/onnx/microsoft.bin: ops of
com.microsoft with what ONNX Runtime computes, as tools/onnx_cases packs cases. tests/onnx/halves.bin: weights of 4 bits in the same form, by their definition. tests/onnx/columns.bin: zero points by column. tests/onnx/found.bin: sizes that only a run knows. tests/onnx/positions.onnx: numbers from one open size
to another.

    tools/golden_onnx.py        needs torch, onnx and onnxruntime"""
import json
import struct
import warnings

import ml_dtypes
import numpy as np
import onnxruntime as ort
import torch
import torch.nn as nn
from onnx import helper, numpy_helper

warnings.filterwarnings("ignore")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.rnn = nn.LSTM(8, 3, batch_first=True)
        self.norm = nn.LayerNorm(3)
        self.out = nn.Linear(3, 5)

    def forward(self, x, t):
        h = torch.relu(self.bn(self.conv(x)))
        h = h.flatten(2).reshape(x.shape[0], -1, 8)
        h = self.norm(self.rnn(h)[0]).mean(1)
        return nn.functional.cross_entropy(self.out(h), t)


def save(path, tensors):
    header, data = {}, b""
    for name, t in tensors.items():
        raw = t.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": {torch.float32: "F32", torch.int64: "I64"}[t.dtype], "shape": list(t.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def main():
    torch.manual_seed(0)
    net = Net()
    net.bn.running_mean.normal_()
    net.bn.running_var.uniform_(0.5, 1.5)
    x, t = torch.randn(3, 2, 8, 8), torch.tensor([1, 4, 0])
    net.eval()
    torch.onnx.export(net, (x, t), "tests/onnx/net.onnx", input_names=["x", "t"], output_names=["loss"], dynamo=False,
                      opset_version=17, dynamic_axes={"x": {0: "batch"}, "t": {0: "batch"}}, do_constant_folding=False,
                      training=torch.onnx.TrainingMode.PRESERVE)
    want = {"x": x, "t": t, "loss": net(x, t)}
    net(x, t).backward()
    for name, p in net.named_parameters():
        want["grad." + name] = p.grad.clone()
    net.train()
    before = net.bn.running_mean.clone(), net.bn.running_var.clone()
    batch = net.conv(x).transpose(0, 1).flatten(1)
    want["train.loss"] = net(x, t)
    want["train.mean"] = 0.9 * before[0] + 0.1 * batch.mean(1)
    want["train.var"] = 0.9 * before[1] + 0.1 * batch.var(1, unbiased=False)
    save("tests/onnx/net.safetensors", want)


# ---- com.microsoft ---------------------------------------------------------------------------------------------------

def case(out, op, ins, domain="com.microsoft", outs=("y",), fed=0, **attrs):
    """ins: arrays, or None for one that is left out; all but the one that is fed are initialisers."""
    names = ["" if a is None else "i%d" % k for k, a in enumerate(ins)]
    x = helper.make_tensor_value_info(names[fed], helper.np_dtype_to_tensor_dtype(ins[fed].dtype), ins[fed].shape)
    init = [numpy_helper.from_array(np.asarray(a), n) for k, (a, n) in enumerate(zip(ins, names)) if n and k != fed]
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1        # DynamicQuantizeLSTM quantises the rows of each thread by their own range
    graph = helper.make_graph([helper.make_node(op, names, outs, domain=domain, **attrs)], "g", [x],
                              [helper.make_empty_tensor_value_info(n) for n in outs], init)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
                              ir_version=9).SerializeToString()
    y = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, {names[fed]: ins[fed]})
    parts = [model] + [numpy_helper.from_array(a).SerializeToString() for a in [ins[fed]] + y]
    name = ("ms_" + op).encode()
    out.write(struct.pack("<I", len(name)) + name + struct.pack("<ddII", 1e-4, 1e-5, 1, len(outs)))
    for p in parts:
        out.write(struct.pack("<I", len(p)) + p)


def microsoft():
    rng = np.random.default_rng(0)

    def f(*s):
        return rng.standard_normal(s).astype(np.float32)

    def u8(*s):
        return rng.integers(0, 255, s).astype(np.uint8)

    def i8(*s):
        return rng.integers(-128, 127, s).astype(np.int8)

    def s(v):
        return np.array(v, np.float32)

    def z(v, t=np.uint8):
        return np.array(v, t)

    with open("tests/onnx/microsoft.bin", "wb") as out:
        case(out, "FusedConv", [f(1, 3, 8, 8), f(4, 3, 3, 3), f(4)], activation="Relu", pads=[1, 1, 1, 1])
        case(out, "FusedMatMul", [f(2, 5, 3), f(2, 4, 3)], transB=1, alpha=0.5)
        case(out, "FusedGemm", [f(5, 3), f(3, 4), f(4)], activation="LeakyRelu", activation_alpha=0.1)
        for op in ("Gelu", "QuickGelu"):
            case(out, op, [f(3, 4)])
        for op in ("FastGelu", "BiasGelu"):
            case(out, op, [f(3, 4), f(4)])
        case(out, "SkipLayerNormalization", [f(2, 3, 4), f(2, 3, 4), f(4), f(4), f(4)], epsilon=1e-5)
        case(out, "SkipSimplifiedLayerNormalization", [f(2, 3, 4), f(2, 3, 4), f(4)], epsilon=1e-5)
        case(out, "SimplifiedLayerNormalization", [f(2, 3, 4), f(4)], domain="", epsilon=1e-5, axis=-1)
        case(out, "MultiHeadAttention", [f(2, 5, 8), f(2, 6, 8), f(2, 6, 8), f(24)], num_heads=2)
        mask = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], np.int32)
        case(out, "MultiHeadAttention", [f(2, 5, 8), f(2, 6, 8), f(2, 6, 8), None, mask], num_heads=2)
        case(out, "Attention", [f(2, 5, 8), f(8, 24), f(24)], num_heads=2)
        case(out, "Attention", [f(2, 5, 8), f(8, 24), f(24), np.array([3, 5], np.int32)], num_heads=2, unidirectional=1)
        case(out, "QLinearAdd", [u8(3, 4), s(.1), z(3), u8(4), s(.2), z(7), s(.3), z(9)])
        t = np.int8
        case(out, "QLinearMul", [i8(3, 4), s(.1), z(3, t), i8(4), s(.2), z(7, t), s(3), z(9, t)])
        case(out, "QGemm", [u8(3, 5), s(.1), z(120), i8(5, 4), s(.02), z(0, t), np.arange(4, dtype=np.int32), s(.2), z(9)])
        case(out, "QGemm", [i8(3, 5), s(.1), z(3, t), i8(4, 5), f(4) ** 2, z([0] * 4, t)], transB=1)
        case(out, "QLinearWhere", [u8(3, 4) > 99, u8(3, 4), s(.1), z(3), u8(4), s(.2), z(7), s(.3), z(9)])
        cache = [w(np.outer(np.arange(16), [1, .1])).astype(np.float32) for w in (np.cos, np.sin)]
        for mixed in 0, 1:
            case(out, "RotaryEmbedding", [f(2, 5, 8), np.array([3], np.int64)] + cache, interleaved=mixed)
        case(out, "RotaryEmbedding", [f(2, 2, 5, 4), np.array([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], np.int64)] + cache)
        cache = [w(np.outer(np.arange(16), .5 ** np.arange(8))).astype(np.float32) for w in (np.cos, np.sin)]
        lens, total = np.array([4, 4], np.int32), np.array(5, np.int32)
        group = dict(num_heads=4, kv_num_heads=2)
        case(out, "GroupQueryAttention", [f(2, 5, 64), f(2, 5, 32), f(2, 5, 32), None, None, lens, total], **group)
        case(out, "GroupQueryAttention", [f(2, 5, 128), None, None, None, None, lens, total] + cache, do_rotary=1, **group)
        lens, total = np.array([6, 4], np.int32), np.array(7, np.int32)
        case(out, "GroupQueryAttention", [f(2, 1, 64), f(2, 1, 32), f(2, 1, 32), f(2, 2, 6, 16), f(2, 2, 6, 16), lens, total] + cache,
             do_rotary=1, rotary_interleaved=1, local_window_size=3, outs=("y", "k", "v"), **group)
        case(out, "QLinearSigmoid", [u8(3, 4), s(.05), z(128), s(1 / 256), z(0)])
        case(out, "QLinearLeakyRelu", [u8(3, 4), s(.05), z(128), s(.06), z(10)], alpha=0.1)
        case(out, "QLinearGlobalAveragePool", [u8(1, 3, 4, 4), s(.05), z(128), s(.06), z(10)])
        case(out, "MatMulIntegerToFloat", [u8(3, 8), i8(8, 4), s(.1), s(.2), z(3), z(1, t), f(4)])
        case(out, "DynamicQuantizeMatMul", [f(3, 8), i8(8, 4), s(.2), z(0, t), f(4)])
        case(out, "MatMulNBits", [f(3, 64), u8(16, 2, 16), f(32)], K=64, N=16, bits=4, block_size=32)
        case(out, "MatMulNBits", [f(3, 64), u8(16, 2, 16), f(32), u8(16)], K=64, N=16, bits=4, block_size=32)
        lstm = [f(5, 2, 6), i8(2, 6, 16), i8(2, 4, 16), f(2, 32), None, f(2, 2, 4), f(2, 2, 4), None]
        case(out, "DynamicQuantizeLSTM", lstm + [s([.01, .02]), z([0, 0], t), s([.02, .01]), z([0, 0], t)],
             outs=("y", "h", "c"), hidden_size=4, direction="bidirectional")
        columns = [np.abs(f(1, 16)) / 99, np.zeros((1, 16), t)]
        case(out, "DynamicQuantizeLSTM", [f(5, 2, 6), i8(1, 6, 16), i8(1, 4, 16), f(1, 32)] + [None] * 4 + columns * 2,
             outs=("y", "h"), hidden_size=4)
        lens, total = np.array([4, 4], np.int32), np.array(5, np.int32)
        plain = [f(2, 5, 64), f(2, 5, 32), f(2, 5, 32), None, None, lens, total, None, None, None]
        case(out, "GroupQueryAttention", plain + [None, f(4)], **group)
        case(out, "GroupQueryAttention", plain + [f(1, 4, 5, 5), f(4)], local_window_size=3, **group)
        case(out, "GroupQueryAttention", plain, smooth_softmax=1, **group)
        ids, kinds = rng.integers(0, 9, (2, 5), np.int32), rng.integers(0, 2, (2, 5), np.int32)
        shown, places = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32), rng.integers(0, 6, (2, 5), np.int32)
        tables = [f(9, 8), f(6, 8), f(2, 8), f(8), f(8)]
        case(out, "EmbedLayerNormalization", [ids, kinds] + tables + [shown], outs=("y", "n", "s"))
        case(out, "EmbedLayerNormalization", [ids, None] + tables[:2] + [None] + tables[3:] + [None, places], outs=("y", "n"), epsilon=1e-5)
        scales, zeros = [s(v) for v in (.02, .03, .04, .01, .05)], [z(v) for v in (120, 3, 99, 0, 7)]
        case(out, "QEmbedLayerNormalization", [ids, kinds, u8(9, 8), u8(6, 8), u8(2, 8), u8(8), u8(8), shown] + scales + zeros,
             outs=("y", "n"))
        quantised = [u8(2, 5, 8), i8(8, 24), f(24), s(.02), s(.01)]
        case(out, "QAttention", quantised + [np.array([3, 5], np.int32), z(120), z(3, t)], num_heads=2)
        case(out, "QAttention", quantised + [None, z(120), z(3, t), f(2, 2, 2, 3, 4)], num_heads=2, unidirectional=1, outs=("y", "p"))
        case(out, "QLinearAveragePool", [u8(1, 3, 7, 7), s(.05), z(128), s(.06), z(10)], kernel_shape=[3, 3], strides=[2, 2],
             pads=[1, 1, 1, 1])
        case(out, "QLinearAveragePool", [u8(1, 7, 7, 3), s(.05), z(128), s(.06), z(10)], kernel_shape=[3, 2], channels_last=1)
        case(out, "NhwcMaxPool", [u8(1, 7, 7, 3)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        rows = np.array([[3, 8, 0], [2, 2, 7]], np.int64)
        for more in [], [u8(9, 2)]:
            for bits, width in (4, 32), (8, 64):
                more = [u8(9, 4)] if more and bits == 8 else more
                case(out, "GatherBlockQuantized", [u8(9, width), rows, f(9, 4)] + more, bits=bits, block_size=16, quantize_axis=1)
        for four in ml_dtypes.int4, ml_dtypes.uint4:
            low = -8 if four is ml_dtypes.int4 else 0
            table, zeros4 = (rng.integers(low, low + 16, shape).astype(four) for shape in ((9, 64), (9, 4)))
            case(out, "GatherBlockQuantized", [table, rows, f(9, 4), zeros4], fed=1, block_size=16, quantize_axis=1)
        case(out, "Inverse", [f(2, 4, 4)])
        case(out, "Trilu", [f(4, 5)], upper=0)
        case(out, "ExpandDims", [f(4, 5), np.array(1, np.int32)])
        case(out, "CDist", [f(4, 5), f(3, 5)], metric="euclidean")
        case(out, "CDist", [f(4, 5), f(3, 5)], metric="sqeuclidean")
        case(out, "Pad", [f(2, 3), np.array([1, 0, 0, 2], np.int64), np.array(7, np.float32)])
        case(out, "GridSample", [f(1, 2, 4, 5), rng.uniform(-1.2, 1.2, (1, 3, 3, 2)).astype(np.float32)], padding_mode="border")
        case(out, "TransposeMatMul", [f(2, 5, 3), f(2, 4, 3)], transB=1, alpha=0.5)


# ---- weights of 4 bits -------------------------------------------------------------------------------------------------

def halves():
    """x [5,K] times DequantizeLinear of integers of 4 bits, in double precision: ONNX Runtime rounds x to 8 bits first."""
    rng = np.random.default_rng(1)

    def packed(name, q, signed):
        flat = q.reshape(-1) & 15
        flat = np.append(flat, [0] * (flat.size % 2)).astype(np.uint8)
        return helper.make_tensor(name, 22 if signed else 21, q.shape, (flat[::2] | flat[1::2] << 4).tobytes(), raw=True)

    with open("tests/onnx/halves.bin", "wb") as out:
        for k, n, block, signed, zeros, turned in [(96, 40, 32, 1, 0, 0), (96, 40, 32, 1, 1, 0), (128, 34, 64, 0, 1, 0),
                                                   (96, 36, 32, 1, 1, 1), (96, 37, 32, 0, 0, 1), (48, 24, 0, 1, 0, 0),
                                                   (47, 25, 0, 0, 1, 0), (90, 40, 32, 1, 1, 1)]:
            axis = 1 if turned else 0
            shape, scales = ((n, k), (n, -(-k // block))) if turned else ((k, n), (-(-k // block), n) if block else (n,))
            low = -8 if signed else 0
            q, z = rng.integers(low, low + 16, shape), rng.integers(low + 4, low + 12, scales)
            s = rng.uniform(0.01, 0.1, scales).astype(np.float32)
            spread = (lambda v: np.repeat(v, block, axis)[:shape[0], :shape[1]]) if block else lambda v: v
            w = (q - (spread(z) if zeros else 0)) * spread(s).astype(np.float64)
            x = rng.standard_normal((5, k)).astype(np.float32)
            y = (x.astype(np.float64) @ (w.T if turned else w)).astype(np.float32)
            attrs = {"axis": axis, "block_size": block} if block else {"axis": 1}
            init = [packed("q", q, signed), numpy_helper.from_array(s, "s")] + [packed("z", z, signed)] * zeros
            info = lambda name, a: helper.make_tensor_value_info(name, 1, ["M"] + list(a.shape[1:]))
            graph = helper.make_graph([helper.make_node("DequantizeLinear", ["q", "s", "z"][:2 + zeros], ["w"], **attrs),
                                       helper.make_node("Gemm", ["x", "w"], ["y"], transB=turned)],
                                      "g", [info("x", x)], [info("y", y)], init)
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()
            name = b"halves"
            out.write(struct.pack("<I", len(name)) + name + struct.pack("<ddII", 1e-5, 1e-5, 1, 1))
            for part in [model] + [numpy_helper.from_array(a).SerializeToString() for a in (x, y)]:
                out.write(struct.pack("<I", len(part)) + part)


def positions():
    """A cache that grows: x [N], past [P] -> (x + P .. P + N - 1), both sizes open."""
    node, at = helper.make_node, numpy_helper.from_array
    info = lambda name, size: helper.make_tensor_value_info(name, 1, [size])
    graph = helper.make_graph([
        node("Shape", ["x"], ["n1"]), node("Shape", ["past"], ["p1"]), node("Add", ["p1", "n1"], ["all1"]),
        node("Squeeze", ["p1", "zero"], ["p"]), node("Squeeze", ["all1", "zero"], ["all"]),
        node("Range", ["p", "all", "one"], ["i"]), node("Cast", ["i"], ["at"], to=1), node("Add", ["x", "at"], ["y"]),
    ], "g", [info("x", "N"), info("past", "P")], [info("y", "N")],
        [at(np.array([0]), "zero"), at(np.array(1), "one")])
    with open("tests/onnx/positions.onnx", "wb") as out:
        out.write(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString())


def columns():
    """Weights with a zero point for each column, of which the first is 128: the others are not."""
    rng = np.random.default_rng(2)
    a, w = rng.integers(0, 256, (5, 12)).astype(np.uint8), rng.integers(0, 256, (12, 6)).astype(np.uint8)
    values = {"sa": np.float32(0.02), "za": np.uint8(7), "w": w, "sw": rng.uniform(0.001, 0.003, 6).astype(np.float32),
              "zw": np.array([128, 130, 141, 121, 87, 104], np.uint8), "sy": np.float32(0.03), "zy": np.uint8(120)}
    graph = helper.make_graph([helper.make_node("QLinearMatMul", ["a", "sa", "za", "w", "sw", "zw", "sy", "zy"], ["y"])], "g",
                              [helper.make_tensor_value_info("a", 2, ["N", 12])], [helper.make_tensor_value_info("y", 2, ["N", 6])],
                              [numpy_helper.from_array(v, k) for k, v in values.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    y = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"a": a})[0]
    with open("tests/onnx/columns.bin", "wb") as out:
        out.write(struct.pack("<I", 7) + b"columns" + struct.pack("<ddII", 0, 0, 1, 1))
        for part in [model] + [numpy_helper.from_array(v).SerializeToString() for v in (a, y)]:
            out.write(struct.pack("<I", len(part)) + part)


# ---- sizes that only a run knows -----------------------------------------------------------------------------------------

def found():
    """Tensors whose sizes come out of data, where they meet; and lists that a loop makes longer."""
    node, at = helper.make_node, numpy_helper.from_array
    info = lambda name, shape, kind=1: helper.make_tensor_value_info(name, kind, shape)
    pick = [node("Greater", ["x", "zero"], ["m"]), node("NonZero", ["m"], ["p"]), node("Squeeze", ["p", "axis0"], ["i"]),
            node("Gather", ["x", "i"], ["a"]), node("Compress", ["x", "m"], ["b"], axis=0)]    # as many, found twice
    init = [at(np.float32(0), "zero"), at(np.array([0]), "axis0"), at(np.array([1]), "axis1"), at(np.array([2, -1]), "two"),
            at(np.array([-1, 1]), "column"), at(np.float32(3), "three"),
            at(np.zeros((0, 2), np.float32), "none")]
    turn = helper.make_graph([
        node("Gather", ["a", "t"], ["v"]), node("Add", ["v", "sum"], ["sum2"]), node("Unsqueeze", ["v", "axis0"], ["r"]),
        node("Concat", ["r", "r"], ["pair"], axis=0), node("Unsqueeze", ["pair", "axis0"], ["row"]),
        node("Cast", ["so_far"], ["same"], to=1), node("Concat", ["same", "row"], ["longer"], axis=0), node("Identity", ["go"], ["on"]),
    ], "turn", [info("t", [], 7), info("go", [], 9), info("so_far", [None, 2]), info("sum", [])],
        [info("on", [], 9), info("longer", [None, 2]), info("sum2", [])])
    cases = {
        "add": [node("Add", ["a", "b"], ["y"])],
        "where": [node("Less", ["a", "three"], ["small"]), node("Where", ["small", "b", "a"], ["y"])],
        "concat": [node("Reshape", ["a", "column"], ["a2"]), node("Reshape", ["b", "column"], ["b2"]),
                   node("Concat", ["a2", "b2", "a2"], ["y"], axis=1)],
        "product": [node("Reshape", ["b", "column"], ["b2"]), node("MatMul", ["a", "b2"], ["y"])],
        "labels": [node("Einsum", ["a", "b"], ["y"], equation="i,i->")],
        "halved": [node("Reshape", ["a", "two"], ["y"])],
        "list": [node("Size", ["a"], ["n"]), node("Loop", ["n", "true", "none", "zero"], ["y", "all"], body=turn)],
    }
    # sizes of two inputs that are one, of which the file says nothing: z[N,T] as [rows of x, -1]
    cases["joined"] = [node("Reshape", ["x", "column"], ["x2"]), node("Shape", ["x2"], ["n"], start=0, end=1),
                       node("Concat", ["n", "minus"], ["to"], axis=0), node("Reshape", ["z", "to"], ["z2"]), node("Add", ["x2", "z2"], ["y"])]
    x8 = np.array([1, -2, 3, 4, -5, 6, -7, -8], np.float32)
    own = {"joined": ([info("x", ["M"]), info("z", ["N", "T"])], {"x": x8, "z": np.arange(24, dtype=np.float32).reshape(8, 3)})}
    # down and up again, beside what was there: H must be even, which only a run knows
    cases["down_up"] = [node("MaxPool", ["z"], ["h"], kernel_shape=[2, 2], strides=[2, 2]),
                        node("ConvTranspose", ["h", "ones"], ["h2"], strides=[2, 2], kernel_shape=[2, 2]),
                        node("Concat", ["z", "h2"], ["zh"], axis=1), node("Add", ["zh", "h2"], ["y"])]
    own["down_up"] = [info("z", ["N", 1, "H", "W"])], {"z": np.arange(24, dtype=np.float32).reshape(1, 1, 4, 6)}
    init.append(at(np.ones((1, 1, 2, 2), np.float32), "ones"))
    # a graph whose first nodes come last, which ONNX Runtime puts in order
    cases["turned"] = [node("Add", ["k", "b"], ["y"]), node("If", ["true"], ["k"], then_branch=helper.make_graph(
        [node("Neg", ["h"], ["k2"])], "then", [], [info("k2", None)]), else_branch=helper.make_graph(
        [node("Neg", ["x"], ["k3"])], "else", [], [info("k3", None)])), node("Exp", ["x"], ["h"]), node("Abs", ["x"], ["b"])]
    own["turned"] = [info("x", ["M"])], {"x": x8 / 4}
    with open("tests/onnx/found.bin", "wb") as out:
        for name, nodes in cases.items():
            outs = [o for o in ("y", "all") if any(o in n.output for n in nodes)]
            ins, fed = own.get(name, ([info("x", [8])], {"x": x8}))
            graph = helper.make_graph(([] if name in own else pick) + nodes, "g", ins, [helper.make_empty_tensor_value_info(o) for o in outs],
                                      init + [at(np.array(True), "true"), at(np.array([-1]), "minus")])
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
            y = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(outs, fed)
            name = ("found_" + name).encode()
            out.write(struct.pack("<I", len(name)) + name + struct.pack("<ddII", 1e-5, 1e-5, len(fed), len(outs)))
            for p in [model] + [numpy_helper.from_array(a).SerializeToString() for a in [*fed.values()] + y]:
                out.write(struct.pack("<I", len(p)) + p)


main()
microsoft()
halves()
columns()
positions()
found()
