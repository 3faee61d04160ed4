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

# Classes that are allowed by name; where names of modules are.
class Settings:
    def __init__(self, n):
        self.n = n


f = io.BytesIO()
torch.save({"s": Settings(3), "t": torch.ones(1)}, f)
f.seek(0)
with torch.serialization.safe_globals([Settings]):
    print(torch.load(f)["s"].n, Settings in torch.serialization.get_safe_globals())
f.seek(0)
try:
    torch.load(f)
except pickle.UnpicklingError:
    print("refused")
torch.serialization.add_safe_globals([dict])
f.seek(0)
try:
    torch.load(f)
except pickle.UnpicklingError:
    print("refused")
from torch.distributions.normal import Normal
from torch.distributions.categorical import Categorical
from torch.nn.modules.activation import MultiheadAttention
print(Normal is torch.distributions.Normal, Categorical is torch.distributions.Categorical, MultiheadAttention is nn.MultiheadAttention)
