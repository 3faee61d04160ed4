# Modules divided by parallelize_module, trained; with four processes under fully_shard too. Expected: what PyTorch with gloo prints.
import torch, torch.nn as nn, torch.nn.functional as F, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import *
from torch.distributed.tensor import Shard, Replicate
dist.init_process_group("gloo"); r=dist.get_rank(); n=dist.get_world_size(); m=init_device_mesh("cpu",(n,))
out=[]
def rnd(v): return [round(x,4) for x in v.detach().reshape(-1).tolist()]
def full(t): return t.full_tensor() if hasattr(t,'full_tensor') else t
class MLP(nn.Module):
    def __init__(s): super().__init__(); torch.manual_seed(r); s.a=nn.Linear(6,8); s.b=nn.Linear(8,4)
    def forward(s,x): return s.b(F.gelu(s.a(x)))
class Blk(nn.Module):
    def __init__(s): super().__init__(); torch.manual_seed(r); s.e=nn.Embedding(10,6); s.n=nn.LayerNorm(6); s.f=MLP(); s.n2=nn.LayerNorm(4); s.o=nn.Linear(4,10)
    def forward(s,i): return s.o(s.n2(s.f(s.n(s.e(i)))))
def run(name, model, x, y, lossf, opt=lambda p: torch.optim.AdamW(p, .01), steps=3):
    o=opt(model.parameters()); L=[]
    for k in range(steps):
        o.zero_grad(); l=lossf(model(x), y); l.backward(); nrm=torch.nn.utils.clip_grad_norm_(model.parameters(), .5); o.step(); L.append(round(l.item(),4)); L.append(round(full(nrm).item(),4))
    out.append(f"{r} {name} {L} "+" ".join(f"{k}{tuple(p.shape)}{rnd(full(p).sum())}" for k,p in model.named_parameters()))
X=torch.sin(torch.arange(48.)).reshape(2,4,6); Y=torch.cos(torch.arange(32.)).reshape(2,4,4)
run('tp', parallelize_module(MLP(), m, {'a':ColwiseParallel(),'b':RowwiseParallel()}), X, Y, F.mse_loss)
run('tp sgd', parallelize_module(MLP(), m, {'a':ColwiseParallel(),'b':RowwiseParallel()}), X, Y, F.mse_loss, lambda p: torch.optim.SGD(p,.1,momentum=.9))
run('sp', parallelize_module(MLP(), m, {'a':ColwiseParallel(input_layouts=Shard(1)),'b':RowwiseParallel(output_layouts=Shard(1))}), X.chunk(n,1)[r], Y.chunk(n,1)[r], F.mse_loss)
i=torch.arange(8).reshape(2,4); t=(i*3)%10
plan={'e':RowwiseParallel(input_layouts=Replicate(),output_layouts=Shard(1)),'n':SequenceParallel(),'f':PrepareModuleInput(input_layouts=(Shard(1),),desired_input_layouts=(Replicate(),)),'f.a':ColwiseParallel(),'f.b':RowwiseParallel(output_layouts=Shard(1)),'n2':SequenceParallel(),'o':ColwiseParallel(input_layouts=Shard(1),output_layouts=Replicate())}
run('block', parallelize_module(Blk(), m, plan), i, t, lambda p,t: F.cross_entropy(p.reshape(-1,10), t.reshape(-1)))
if n==4:
    from torch.distributed.fsdp import fully_shard
    m2=init_device_mesh("cpu",(2,2),mesh_dim_names=("dp","tp")); m=m2["tp"]; rr=m.get_local_rank(); dp=m2["dp"].get_local_rank()
    def two(mod, plan):
        parallelize_module(mod, m2["tp"], plan); fully_shard(mod, mesh=m2["dp"]); return mod
    run('2d', two(MLP(), {'a':ColwiseParallel(),'b':RowwiseParallel()}), X*(dp+1), Y, F.mse_loss)
    plan={'e':RowwiseParallel(input_layouts=Replicate(),output_layouts=Shard(1)),'n':SequenceParallel(),'f':PrepareModuleInput(input_layouts=(Shard(1),),desired_input_layouts=(Replicate(),)),'f.a':ColwiseParallel(),'f.b':RowwiseParallel(output_layouts=Shard(1)),'n2':SequenceParallel(),'o':ColwiseParallel(input_layouts=Shard(1),output_layouts=Replicate())}
    run('2d block', two(Blk(), plan), (i+dp)%10, t, lambda p,t: F.cross_entropy(p.reshape(-1,10), t.reshape(-1)))
for k in range(n):
    if k==r: print("\n".join(out),flush=True)
    dist.barrier()
dist.destroy_process_group()
