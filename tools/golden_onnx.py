#!/usr/bin/env python3
"""tests/onnx/net.onnx, a small network with its loss as PyTorch exports it, and what PyTorch computes of it
(tests/onnx/net.safetensors): loss, gradients by all parameters, and the same in training.

    tools/golden_onnx.py        needs torch and onnx"""
import json
import struct
import warnings

import torch
import torch.nn as nn

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


main()
