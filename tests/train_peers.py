"""Steps of SGD on an ONNX file by weft train give the parameters that PyTorch gets: python3 train_peers.py WEFT"""
import json
import struct
import subprocess
import sys
import warnings

import numpy as np
import torch
import torch.nn as nn

warnings.filterwarnings("ignore")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.fc = nn.Linear(4 * 16, 10)

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.bn(self.conv(x))), 2)
        return self.fc(torch.flatten(x, 1))


torch.manual_seed(0)
m = Net()
x, y = torch.randn(32, 1, 8, 8), torch.randint(0, 10, (32,))
torch.onnx.export(m, (x,), "peer.onnx", training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False,
                  input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "N"}, "y": {0: "N"}}, dynamo=False)
np.save("peer_x.npy", x.numpy())
np.save("peer_y.npy", y.numpy())
subprocess.run([sys.argv[1], "train", "peer.onnx", "peer_x.npy", "peer_y.npy", "--loss=cross_entropy", "--optimizer=sgd",
                "--lr=0.1", "--batch=32", "--epochs=3", "--in-order", "--quiet", "-o", "peer.weft"], check=True)
optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
m.train()
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.cross_entropy(m(x), y).backward()
    optimizer.step()

data = open("peer.weft", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header, seen = json.loads(data[8:8 + size]), 0
for name, want in m.state_dict().items():
    if name not in header or header[name]["dtype"] != "F32" or name == "bn.running_var":
        continue  # ONNX's running variance is that of the batch itself, PyTorch's is unbiased
    a, b = header[name]["data_offsets"]
    got = np.frombuffer(data[8 + size + a:8 + size + b], np.float32).reshape(header[name]["shape"])
    wrong = np.abs(got - want.detach().numpy()).max()
    assert wrong < 1e-6, (name, wrong)
    seen += 1
assert seen == 7, seen
