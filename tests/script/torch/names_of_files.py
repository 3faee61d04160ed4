# Names of torch and numpy that real files use: lazy modules, masked arrays, ops by name, nested tensors.
import torch, numpy as np, torch.nn as nn
np.random.seed(0); print(np.random.RandomState(3).zipf(2.0,size=8), np.random.zipf(1.5,size=4))
m=np.ma.masked_array([1.,2.,3.],mask=[0,1,0]); print(m.mean(), m.filled(0), (m+1).compressed(), m.sum(), m)
torch.manual_seed(0)
c=nn.Sequential(nn.LazyConv2d(4,3),nn.LazyBatchNorm2d(),nn.ReLU(),nn.Flatten(),nn.LazyLinear(2)); print(c(torch.ones(2,3,6,6)).shape); print(c)
x=torch.zeros(2); print(torch.sin_(x))
n=torch.nested.nested_tensor([torch.ones(2,3),torch.zeros(1,3)]); print(n.size(0), torch.nested.to_padded_tensor(n,-1.), n.is_nested)
with torch.backends.cudnn.flags(enabled=False): pass
import torch.functional; print(torch.functional.einsum('ij->i',torch.ones(2,3)))
print(torch.ops.aten.add.Tensor(torch.ones(1),2), torch.ops.aten.add_.Tensor._schema.is_mutable, torch.ops.aten.add.Tensor._schema.is_mutable)
@torch.library.custom_op("mylib::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor: return x*2
twice.register_autograd(lambda ctx,g: g*2)
y=torch.ones(3,requires_grad=True); torch.ops.mylib.twice(y).sum().backward(); print(y.grad)
# files by whatever has __fspath__, by position and by name
import os, tempfile
from pathlib import Path
class Place:
    def __init__(self, at): self.at = at
    def __fspath__(self): return self.at
class Derived(os.PathLike):
    def __fspath__(self): return at
at = os.path.join(tempfile.mkdtemp(), "m.pt")
print([isinstance(p, os.PathLike) for p in (Path(at), Place(at), Derived(), at, os)], isinstance(Place(at), Derived), issubclass(int, os.PathLike))
for p in (Path(at), Place(at), Derived()):
    torch.save({"a": 1}, p); print(torch.load(p)); torch.save(obj=torch.ones(2), f=p); print(torch.load(f=p))
try: torch.load(Path(at + ".none"))
except FileNotFoundError as e: print("FileNotFoundError", e.errno)
# what loaders and devices refuse
from torch.utils.data import DataLoader, RandomSampler, WeightedRandomSampler, BatchSampler
for f in (lambda: DataLoader([], shuffle=True), lambda: RandomSampler([1], num_samples=0), lambda: RandomSampler([1], replacement=1), lambda: WeightedRandomSampler([1.], 0),
          lambda: WeightedRandomSampler([1.], 2, 1), lambda: WeightedRandomSampler([[1.]], 2), lambda: BatchSampler([1], 1, 0), lambda: list(DataLoader([])),
          lambda: torch.ones(1).cuda("cpu"), lambda: nn.Linear(1, 1).cuda(torch.device("cpu"))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
