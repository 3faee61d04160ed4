# DeviceMesh and DTensor: placements, how they print, what operations make of them; expected: what PyTorch with gloo prints.
import torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh, DeviceMesh
from torch.distributed.tensor import distribute_tensor, DTensor, Shard, Replicate, Partial, zeros, ones, full
import torch.nn as nn
dist.init_process_group("gloo")
r=dist.get_rank()
def told(*what):
    got=[None]*dist.get_world_size()
    dist.all_gather_object(got, " ".join([str(w) for w in what]))
    if r==0:
        for k,line in enumerate(got): print(k, line, flush=True)
m=init_device_mesh("cpu",(2,))
told(m, m.size(), m.ndim, m.shape, m.get_rank(), m.get_local_rank(), m.get_coordinate(), m.device_type, m.mesh, m.mesh_dim_names)
m2=init_device_mesh("cpu",(1,2),mesh_dim_names=("dp","tp"))
told(m2, m2["tp"], m2["dp"].size(), m2["tp"].get_local_rank(), m2.get_local_rank("tp"), m2.size(1), dist.get_process_group_ranks(m2.get_group("tp")))
x=torch.arange(12.).reshape(3,4)
d=distribute_tensor(x,m,[Shard(0)])
told(d.shape, d.to_local(), d.placements, d.device_mesh, type(d).__name__)
told(d)
told(d.full_tensor(), d.redistribute(m,[Shard(1)]).to_local(), d.redistribute(placements=[Replicate()]).to_local().shape)
p=DTensor.from_local(torch.ones(2,2)*(r+1), m, [Partial()])
told(p.full_tensor(), p.redistribute(m,[Shard(0)]).to_local(), p.placements, p)
a=distribute_tensor(torch.arange(8.).reshape(4,2),m,[Shard(0)]); b=distribute_tensor(torch.arange(6.).reshape(2,3),m,[Replicate()])
c=a@b
told(c.placements, c.full_tensor(), torch.mm(distribute_tensor(torch.ones(2,4),m,[Shard(1)]), a).placements)
told((a+a).placements, (a*2).to_local(), a.sum().placements, a.sum().full_tensor(), a.sum(0).placements, a.sum(1).placements, torch.relu(p).placements, a.t().placements, a.mean().placements)
told(zeros(4,2,device_mesh=m,placements=[Shard(0)]).to_local().shape, ones(5,device_mesh=m,placements=[Shard(0)]).to_local(), full((3,),2.,device_mesh=m,placements=[Replicate()]))
for f in (lambda: a+torch.ones(4,2), lambda: distribute_tensor(x,m,[Shard(3)]), lambda: init_device_mesh("cpu",(3,)), lambda: m2["zz"], lambda: a + distribute_tensor(torch.ones(4,2),init_device_mesh("cpu",(2,)),[Shard(0)])):
    try: told("fine", f())
    except Exception as e: told(type(e).__name__, str(e)[:200])
told(a.max().placements, torch.softmax(a,1).placements, (a-1).abs().mean(0).placements, a.clone().placements, a.detach().placements, a.to(torch.float64).dtype, (a>3).placements)
dist.destroy_process_group()
