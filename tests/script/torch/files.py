# torch.save and torch.load: PyTorch's own files, in both directions.
import io
import os
import tempfile

import torch
from torch import nn

here = "tests/files/" if os.path.exists("tests/files") else "../../files/"

for name in ("nest.pt", "stream.pt"):
    o = torch.load(here + name, weights_only=False)
    for k, v in o.items():
        print(k, type(v).__name__, v)
    m = o["model"]
    m["w"][1, 1] = 77
    print(m["row"], m["col"])
    print(o["l1"] is o["l2"], o["p"].requires_grad, isinstance(o["p"], nn.Parameter))
print(torch.load(here + "protocol5.pt", weights_only=False))

# what is saved comes back, shared as it was
o = torch.load(here + "nest.pt", weights_only=False)
b = io.BytesIO()
torch.save(o, b)
b.seek(0)
q = torch.load(b, weights_only=False)
q["model"]["w"][2, 1] = -1
print(q["model"]["col"], q["l1"] is q["l2"], q["huge"] == 1 << 80, q["dd"], q["cnt"], q["by"], q["model"]["c"], q["model"]["u"])

w = torch.ones(3, 4, requires_grad=True)
with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "w.pt")
    torch.save([w, w.detach(), w.detach().t(), w.detach()[1:]], path)
    x = torch.load(path)
    print(x[0].requires_grad, x[1].requires_grad, x[0].is_leaf, x[2].stride(), x[3].shape)
    x[1][2, 3] = 5
    print(x[2], x[3])

    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.BatchNorm1d(4))
    net.load_state_dict(torch.load(here + "state.pt"))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(2):
        opt.zero_grad()
        net(torch.arange(12.0).reshape(4, 3)).square().sum().backward()
        opt.step()
    torch.save({"net": net.state_dict(), "opt": opt.state_dict()}, path)
    net2 = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.BatchNorm1d(4))
    opt2 = torch.optim.Adam(net2.parameters(), lr=1.0)
    c = torch.load(path)
    net2.load_state_dict(c["net"])
    opt2.load_state_dict(c["opt"])
    print(opt2.param_groups[0]["lr"], torch.equal(net2[0].weight, net[0].weight), c["opt"]["state"][0]["step"])
    print(net2[0].weight)

try:
    torch.load(here + "module.pt", weights_only=True)
except Exception as e:
    print(type(e).__name__)
try:
    torch.load(here + "nothing.pt")
except FileNotFoundError as e:
    print("not there")

# sparse tensors, and floats of eight bits: a file of PyTorch's, and saved again
with tempfile.TemporaryDirectory() as folder:
    for path in (here + "sparse.pt", os.path.join(folder, "sparse.pt")):
        d = torch.load(path)
        for k, v in d.items():
            print(k, v.dtype, v.layout, v.shape, (v.float() if k == "f8" else v.to_dense()).tolist())
        torch.save(d, os.path.join(folder, "sparse.pt"))
