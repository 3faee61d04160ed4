#!/usr/bin/env python3
"""Make the samples in tests/files with the libraries whose formats they are; run it with a Python that has them, from the root
of the tree. Small on purpose: they are read by tests, cut short at every byte, changed at random, and begin fuzzing.

    format_samples.py torch script numpy gguf"""
import collections
import sys
from enum import Enum
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

OUT = Path("tests/files")


class Kind(Enum):
    ADD = 1
    MUL = 2


class Pair(NamedTuple):
    a: float
    l: List[int]


def of_torch():
    import torch
    base = torch.arange(12.0).reshape(3, 4)
    same = [1, 2]
    values = {
        "model": collections.OrderedDict(
            w=base, row=base[1], col=base[:, 1], i=torch.tensor([1, 2, 3], dtype=torch.int8), h=torch.ones(2, dtype=torch.float16),
            bf=torch.ones(2, dtype=torch.bfloat16), c=torch.tensor([1 + 2j]), u=torch.tensor([1, 2], dtype=torch.uint16),
            t=torch.tensor([True, False]), s=torch.tensor(3.5), e=torch.zeros(0, 3)),
        "opt": {"state": {0: {"step": torch.tensor(1.0), "exp_avg": torch.zeros(3)}},
                "param_groups": [{"lr": 1e-3, "betas": (0.9, 0.999), "params": [0], "amsgrad": False, "foreach": None}]},
        "epoch": 3, "best": 0.25, "big": 1 << 40, "huge": 1 << 80, "neg": -5, "name": "réseau", "size": torch.Size([2, 3]),
        "dt": torch.float32, "dev": torch.device("cpu"), "set": {1, 2}, "by": b"ab\xff", "p": torch.nn.Parameter(torch.ones(2)),
        "cx": 1 + 2j, "odd": [True, None, (1,)], "dd": collections.defaultdict(list, a=[1]), "cnt": collections.Counter("abca"),
        "l1": same, "l2": same}
    torch.save(values, OUT / "nest.pt")
    del values["model"]["u"]  # which real PyTorch does not read from a stream
    torch.save(values, OUT / "stream.pt", _use_new_zipfile_serialization=False)
    torch.save([torch.arange(3), {"a": (1.5, "x")}], OUT / "protocol5.pt", pickle_protocol=5)
    torch.save({"coo": torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3)).coalesce(), "csr": torch.eye(3).to_sparse_csr(),
                "part": torch.sparse_coo_tensor([[0, 3]], torch.ones(2, 4), (5, 4)), "f8": torch.arange(3.0).to(torch.float8_e4m3fn)}, OUT / "sparse.pt")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.BatchNorm1d(4))
    torch.save(net.state_dict(), OUT / "state.pt")
    torch.save(net, OUT / "module.pt")


def of_script():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3)
            self.bn = nn.BatchNorm2d(2)
            self.fc = nn.Linear(2, 3)
            self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Dropout(0.5))
            self.scale = 2.0
            self.names = ["a", "b"]
            self.register_buffer("steps", torch.zeros(2))

        def forward(self, x, n: int = 2) -> Tuple[Dict[str, torch.Tensor], List[torch.Tensor]]:
            x = self.fc(torch.relu(self.bn(self.conv(x))).mean([2, 3]))
            for i in range(n):
                if x.sum() > 0:
                    x = x * self.scale + i
                else:
                    x = x - 1
            outs: List[torch.Tensor] = []
            for layer in self.layers:
                x = layer(x)
                outs.append(x)
            return {"out": x, "cat": torch.cat(outs, 1)}, outs

        @torch.jit.export
        def count(self, x: torch.Tensor):
            self.steps += 1
            return x.view(x.size(0), -1) * self.steps.sum()

        @torch.jit.export
        def halves(self, n: int) -> List[int]:
            out: List[int] = []
            while n > 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                out.append(n)
            return out

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(5, 3)
            self.lstm = nn.LSTM(3, 2, bidirectional=True, batch_first=True)
            self.out = nn.Linear(4, 3)

        def forward(self, x):
            return torch.log_softmax(self.out(self.lstm(self.emb(x))[0]), -1)

    class Open(nn.Module):      # what traces of transformers do with sizes, and a recurrent layer
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(5, 4)
            self.lstm = nn.LSTM(4, 2, bidirectional=True, batch_first=True)
            self.register_buffer("places", torch.arange(12.0).reshape(1, 12))

        def forward(self, x, mask):
            n, t = x.shape
            y = self.emb(x) + torch.cos(self.places[:, :t]).unsqueeze(-1)
            y = self.lstm(y)[0].view(n, -1, 2, 2).transpose(1, 2)
            a = y @ y.transpose(2, 3) + (1 - mask)[:, None, None, :] * -1e4
            a = a.masked_fill(torch.arange(t)[None, :] > torch.arange(t)[:, None], -1e4)
            y = (a.softmax(-1) @ y).transpose(1, 2).reshape(n, t, 4)
            return y, y[:, 0], torch.diff(y, 1, 1).repeat(n, 1, 1)[: n * n - 1]

    torch.manual_seed(1)
    from torchvision.ops import nms, roi_align

    class Boxes(torch.nn.Module):
        def forward(self, x: torch.Tensor, boxes: torch.Tensor, scores: torch.Tensor):
            keep = nms(boxes, scores, 0.5)
            rois = torch.cat([torch.zeros_like(boxes[:, :1]), boxes], 1)
            out: Dict[str, torch.Tensor] = {"keep": keep, "two": roi_align(x, rois, [2, 3], 0.5, 2, True),
                                            "any": roi_align(x, rois, [2, 2], 1.0, -1, False)}
            total = 0
            for i in range(int(keep.numel()), 0, -2):
                total += i
            out["total"] = torch.tensor(total)
            names: List[str] = []
            for k, v in out.items():
                names.append(k)
            return out, names, list(out.keys())[0]

    torch.jit.script(Net().eval()).save(OUT / "script.pt")
    torch.jit.script(Boxes()).save(OUT / "boxes.pt")
    torch.jit.script(Tagger().eval()).save(OUT / "tagger.pt")
    torch.jit.trace(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Flatten()), torch.ones(2, 3)).save(OUT / "traced.pt")

    class Root(nn.Module):      # a side that is computed of a size: the trace holds it as a tensor
        def forward(self, x):
            n = torch.tensor(x.shape[1]) if not torch.jit.is_tracing() else x.shape[1]
            side = (n ** 0.5).to(torch.int64)
            rows = x.shape[0]
            rows *= 2
            rows -= 1
            return x.reshape(x.shape[0], side, side).transpose(1, 2) * side.detach() + torch.zeros(rows, 1, 1, 1)

    torch.jit.trace(Root(), torch.ones(2, 9)).save(OUT / "traced_root.pt")

    class Numbers(nn.Module):      # a trace holds numbers as tensors of f64, whose dtype counts for nothing in arithmetic
        def forward(self, x):
            i, two = x.to(torch.int32), torch.tensor(2.0, dtype=torch.float64)
            return x.sum() + 0.5, (1 - i) * -10000.0, i.sum() / 2.0, x.half().sum() - 1.5, x.sum() * two, torch.max(x.sum(), two.detach())

    torch.jit.trace(Numbers(), torch.ones(3)).save(OUT / "traced_numbers.pt")
    torch.jit.trace(Open().eval(), (torch.ones(2, 4, dtype=torch.long), torch.ones(2, 4)), check_trace=False).save(OUT / "traced_open.pt")

    class Named(nn.Module):      # attributes of classes of the archive's own that are no modules
        kind: Kind
        pair: Pair
        pairs: List[Pair]

        def __init__(self):
            super().__init__()
            self.kind, self.pair, self.pairs = Kind.MUL, Pair(1.5, [1, 2]), [Pair(2.5, [3])]
            self.table = torch.jit.Attribute({"k": Kind.ADD}, Dict[str, Kind])
            self.lin = nn.Linear(2, 2)

        def pick(self, x, k: Kind):
            return x + 1 if k == Kind.ADD else x * 2

        def forward(self, x):
            y = self.pick(x, self.kind) + self.pick(x, Kind.ADD) + self.pick(x, self.table["k"])
            if self.kind != Kind.ADD:
                y = y + self.kind.value + len(self.kind.name)
            t = 0
            for k in Kind:
                t += k.value
            return y * t + self.pair.a + self.pair.l[1] + self.pairs[0].a

    torch.jit.script(Named()).save(OUT / "script_named.pt")
    # one pixel cannot be normalised by the batch: there is a program for inference alone
    torch.jit.script(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).eval()).save(OUT / "script_pixel.pt")


def of_numpy():
    import numpy as np
    np.savez(OUT / "arrays.npz", a=np.arange(6, dtype=np.float32).reshape(2, 3), b=np.array([1, -2]), c=np.float64(2.5))
    np.savez_compressed(OUT / "packed.npz", zeros=np.zeros((20, 30), np.int16), f=np.asfortranarray(np.arange(6.0).reshape(2, 3)))


def of_gguf():
    # Random blocks of every type, and beside them what ggml's own package makes of them.
    import gguf
    import numpy as np
    from gguf import GGMLQuantizationType as Q, quants
    rng = np.random.default_rng(0)
    out = {}
    w = gguf.GGUFWriter(OUT / "blocks.gguf", "llama")
    w.add_uint32("test.count", 3)
    w.add_array("test.words", ["a", "b"])
    w.add_float32("test.half", 0.5)
    w.add_tensor("plain", np.arange(6, dtype=np.float32).reshape(2, 3))
    w.add_tensor("half", np.arange(4, dtype=np.float16))
    for name in "Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K IQ4_NL IQ4_XS TQ2_0 MXFP4 IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S IQ1_S IQ1_M TQ1_0".split():
        q = Q[name]
        elements, size = gguf.GGML_QUANT_SIZES[q]
        data = rng.integers(0, 256, (2, size), dtype=np.uint8)
        # scales that are numbers: f16 of moderate size where the block has its f16
        for at in {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
                   "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "TQ2_0": [64], "IQ2_XXS": [0],
                   "IQ2_XS": [0], "IQ2_S": [0], "IQ3_XXS": [0], "IQ3_S": [0], "IQ1_S": [0], "TQ1_0": [52]}.get(name, []):
            data[:, at:at + 2] = rng.uniform(0.1, 1, 2).astype(np.float16).reshape(2, 1).view(np.uint8)
        if name == "MXFP4":
            data[:, 0] = [120, 130]
        if name == "IQ1_M":     # the highest quarter of its f16
            data[:, 55] = data[:, 55] & 15 | 0x20
        w.add_tensor(name, data, raw_dtype=q)
        out[name] = quants.dequantize(data, q).astype(np.float32)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    np.savez(OUT / "blocks.npz", **out)


MAKERS = {"torch": of_torch, "script": of_script, "numpy": of_numpy, "gguf": of_gguf}
OUT.mkdir(exist_ok=True)
for name in sys.argv[1:] or MAKERS:
    MAKERS[name]()
