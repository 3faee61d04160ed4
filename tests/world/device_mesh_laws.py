# DTensors of all placements, on meshes of one and two axes: whole results are those of whole tensors. Expected: none that are not.
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

import itertools, random

def same(what, d, want):
    got = d.full_tensor() if isinstance(d, DTensor) else d
    if got.shape != want.shape or not torch.allclose(got.to(want.dtype), want):
        bad.append((what, got.tolist(), want.tolist()))

bad = []
random.seed(4)
W = dist.get_world_size()
meshes = [init_device_mesh("cpu", (W,))] + [init_device_mesh("cpu", s) for s in ((1, W), (2, W // 2))]
kinds = [Replicate(), Shard(0), Shard(1)]
for mesh in meshes:
    every = list(itertools.product(kinds, repeat=mesh.ndim))
    for n in (4, 5, 1):
        A, B = torch.randn(n, 6, generator=torch.Generator().manual_seed(n)), torch.randn(6, 3, generator=torch.Generator().manual_seed(9))
        for p in every:
            x = distribute_tensor(A, mesh, p)
            for q in every:
                same((mesh.shape, p, q, "redistribute"), x.redistribute(placements=q), A)
                same((mesh.shape, p, q, "back"), x.redistribute(placements=q).redistribute(placements=p), A)
                same((mesh.shape, p, q, "mm"), x @ distribute_tensor(B, mesh, q), A @ B)
                y = distribute_tensor(A * 2 + 1, mesh, q)
                same((mesh.shape, p, q, "add"), x + y, A + A * 2 + 1)
                same((mesh.shape, p, q, "where"), (x * y).abs().sqrt(), (A * (A * 2 + 1)).abs().sqrt())
                same((mesh.shape, p, q, "late"), (x @ distribute_tensor(B, mesh, q)).sum(0), (A @ B).sum(0))
            for f in (lambda v: v.sum(), lambda v: v.sum(0), lambda v: v.mean(1), lambda v: v.mean(), lambda v: v.max(), lambda v: v.t(),
                      lambda v: torch.softmax(v, 1), lambda v: torch.softmax(v, 0), lambda v: v.sum(1, keepdim=True), lambda v: -v / 3,
                      lambda v: torch.exp(v).sum(0).sum(), lambda v: (v.sum(0) * 2).mean(), lambda v: v.amax(0)):
                same((mesh.shape, p), f(x), f(A))
told(len(bad), bad[:3])
dist.destroy_process_group()
