"""Models that PyTorch exports into ONNX, with random weights: Weft beside ONNX Runtime, on as many threads.

    models_onnx.py BUILD [MODEL...]

Models are made once, under BUILD/bench/onnx; resnet50_int8 is resnet50 quantised by ONNX Runtime. The two take turns; a figure is
the best of all. WEFT_THREADS: 1. WEFT_BATCH: 1; models of another batch are models of their own."""
import os
import re
import subprocess
import sys
import time
import warnings

import numpy as np
import onnxruntime
import torch
import torch.nn as nn
import torchvision.models as tv

warnings.filterwarnings("ignore")
build, chosen = sys.argv[1], sys.argv[2:]
folder = build + "/bench/onnx"
threads = int(os.environ.get("WEFT_THREADS", "1"))
batch = int(os.environ.get("WEFT_BATCH", "1"))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(5000, 128)
        self.l = nn.LSTM(128, 256, 2, batch_first=True, bidirectional=True)
        self.o = nn.Linear(512, 32)

    def forward(self, x):
        return self.o(self.l(self.e(x))[0])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.p = nn.Embedding(30000, 384), nn.Embedding(512, 384)
        self.t = nn.TransformerEncoder(nn.TransformerEncoderLayer(384, 6, 1536, batch_first=True, activation="gelu"), 6)
        self.o = nn.Linear(384, 2)

    def forward(self, x):
        return self.o(self.t(self.e(x) + self.p(torch.arange(x.shape[1]))))


image = [batch, 3, 224, 224]
models = {
    "resnet50": (tv.resnet50, image), "mobilenet_v3": (tv.mobilenet_v3_large, image),
    "efficientnet_b0": (tv.efficientnet_b0, image), "vit_b_16": (tv.vit_b_16, image),
    "googlenet": (lambda: tv.googlenet(aux_logits=False, init_weights=False), image),
    "tagger": (Tagger, [batch, 40]), "encoder": (Encoder, [batch, 128]),
    "resnet50_int8": (None, image),
}


def quantised(name, path, shape):
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Reader(CalibrationDataReader):
        images = iter([np.random.RandomState(k).rand(*shape).astype(np.float32) for k in range(2)])

        def get_next(self):
            return next(({"x": x} for x in self.images), None)

    quantize_static(made(name)[0], path + ".new", Reader(), quant_format=QuantFormat.QOperator, per_channel=True,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    os.rename(path + ".new", path)


def made(name):
    path, (make, shape) = "%s/%s%s.onnx" % (folder, name, "" if batch == 1 else "_by_%d" % batch), models[name]
    if not os.path.exists(path) and name.endswith("_int8"):
        quantised(name[:-5], path, shape)
    elif not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        torch.manual_seed(0)
        x = torch.randn(shape) if len(shape) == 4 else torch.randint(0, 1000, shape)
        torch.onnx.export(make().eval(), (x,), path + ".new", input_names=["x"], output_names=["y"], dynamo=True,
                          external_data=False, verbose=False)
        os.rename(path + ".new", path)
    return path, shape


def weft(path, shape):
    kind = "rand:f32" if len(shape) == 4 else "zeros:i64"
    r = subprocess.run([build + "/bench/bench_onnx", path, "%s[%s]" % (kind, ",".join(map(str, shape))), "10", str(threads)],
                       capture_output=True, text=True, check=True)
    first, run = re.search(r"first ([\d.]+) .* run ([\d.]+)", r.stdout).groups()
    return float(first), float(run)


def runtime(path, shape):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    clock = time.thread_time if threads == 1 else time.perf_counter
    begin = time.perf_counter()
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    x = np.random.rand(*shape).astype(np.float32) if len(shape) == 4 else np.zeros(shape, np.int64)
    session.run(None, {"x": x})
    first, best = time.perf_counter() - begin, 1e9
    for _ in range(10):
        t = clock()
        session.run(None, {"x": x})
        best = min(best, clock() - t)
    return first * 1e3, best * 1e3


print("%-16s %12s %12s %8s   %12s %12s" % ("ms", "weft run", "ort run", "ratio", "weft first", "ort first"))
for name in chosen or models:
    path, shape = made(name)
    a, b = zip(*(((weft(path, shape)), runtime(path, shape)) for _ in range(3)))
    (fa, ra), (fb, rb) = (tuple(map(min, zip(*v))) for v in (a, b))
    print("%-16s %12.2f %12.2f %7.2fx   %12.1f %12.1f" % (name, ra, rb, rb / ra, fa, fb), flush=True)
