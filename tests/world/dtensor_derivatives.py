# Derivatives of DTensors: products, reductions, redistribution, to_local and from_local; expected: what PyTorch with gloo prints.
import torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import distribute_tensor, DTensor, Shard, Replicate, Partial, ones
dist.init_process_group("gloo"); r=dist.get_rank()
out=[]
def told(*w): out.append(f"{r} "+" ".join([str([round(v, 4) for v in x.reshape(-1).tolist()] if isinstance(x, torch.Tensor) else x) for x in w]))
m=init_device_mesh("cpu",(2,))
X=torch.sin(torch.arange(12.)).reshape(4,3); W=torch.cos(torch.arange(15.)).reshape(3,5)
import itertools
for a,b in itertools.product([Shard(0),Shard(1),Replicate()],repeat=2):
    x=distribute_tensor(X.clone().requires_grad_(),m,[a]); w=distribute_tensor(W.clone().requires_grad_(),m,[b])
    y=(x@w).tanh(); l=(y*y).sum(); l.backward()
    told(a,b, round(l.full_tensor().item(),4), [round(v,4) for v in x.grad.full_tensor().reshape(-1).tolist()], [round(v,4) for v in w.grad.full_tensor().sum(0).tolist()])
x=distribute_tensor(X.clone().requires_grad_(),m,[Shard(0)]); (x.mean()*3).backward(); told(x.grad.full_tensor())
x=distribute_tensor(X.clone().requires_grad_(),m,[Shard(0)]); x.sum(0).pow(2).sum().backward(); told(x.grad.full_tensor())
x=distribute_tensor(X.clone().requires_grad_(),m,[Shard(0)]); torch.softmax(x,0).pow(2).sum().backward(); told(x.grad.full_tensor())
x=distribute_tensor(X.clone().requires_grad_(),m,[Shard(0)]); x.full_tensor().pow(2).sum().backward(); told(x.grad.to_local(), x.requires_grad, x.is_leaf)
x=distribute_tensor(X.clone().requires_grad_(),m,[Replicate()]); (x.to_local(grad_placements=[Partial()])*(r+1)).sum().backward(); told(x.grad.full_tensor())
lx=(torch.ones(2,3)*(r+1)).requires_grad_(); d=DTensor.from_local(lx,m,[Shard(0)]); (d*d).sum().backward(); told(lx.grad)
lx=(torch.ones(2,3)*(r+1)).requires_grad_(); d=DTensor.from_local(lx,m,[Partial()]); d.redistribute(m,[Shard(0)]).pow(2).sum().backward(); told(lx.grad)
lx=(torch.ones(4,3)*(r+1)).requires_grad_(); d=DTensor.from_local(lx,m,[Replicate()]); d.redistribute(m,[Shard(1)]).pow(2).sum().backward(); told(lx.grad)
try: distribute_tensor(X.requires_grad_()*2, m,[Shard(0)])
except RuntimeError as e: told(e)
p=torch.nn.Parameter(torch.ones(4,3)); d=distribute_tensor(p,m,[Shard(0)]); told(d.requires_grad, d.is_leaf)
for k in range(dist.get_world_size()):
    if k==r: print("\n".join(out),flush=True)
    dist.barrier()
dist.destroy_process_group()
