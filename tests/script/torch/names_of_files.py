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
