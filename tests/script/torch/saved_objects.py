# Whole modules, arrays and objects of a program's classes in files: torch.load(weights_only=False) finds them by their names.
import io, pickle
import numpy as np
import torch, torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.register_buffer("b", torch.ones(2))
        self.tag = {"k": [1, np.arange(2)]}
    def forward(self, x): return self.l(x * self.b)
torch.manual_seed(0)
net = Net(); f = io.BytesIO(); torch.save(net, f); f.seek(0)
again = torch.load(f, weights_only=False)
z = torch.ones(1, 2)
print(torch.equal(net(z), again(z)), again.tag, again, again.l[0].weight.requires_grad)
f.seek(0)
try: torch.load(f)
except pickle.UnpicklingError as e: print("refused")
f = io.BytesIO(); t = torch.arange(4.)
x = np.arange(6, dtype=np.float32).reshape(2, 3)
torch.save({"a": x, "v": [t, t[1:3]], "n": Net, "s": np.float32(1.5)}, f); f.seek(0)
g = torch.load(f, weights_only=False); g["v"][0][1] = 9; print(g["a"], g["v"], g["n"] is Net, g["s"])
y = pickle.loads(pickle.dumps([x, x, x.T, np.float64(2.5), np.arange(2), x.dtype, torch.float16]))
print(y[0] is y[1], y)
z = pickle.loads(pickle.dumps({"t": torch.arange(3.), "p": nn.Parameter(torch.ones(2)), "net": net}))
print(z["t"], z["p"], torch.equal(z["net"](torch.ones(1, 2)), net(torch.ones(1, 2))))
