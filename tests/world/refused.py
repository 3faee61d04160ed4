# What the exchanges of torch.distributed refuse, in the words of gloo, and that others go on after it.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()


def attempt(name, f):
    try:
        v = f()
    except Exception as e:
        v = f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else str()}"
    print(name, v) if r == 0 else None


z, d = torch.zeros, torch.float64
attempt("ag shape", lambda: dist.all_gather([z(2, 2)] * n, z(4)))
attempt("ag uneven", lambda: dist.all_gather([z(3), z(4)], z(3 + r)))
attempt("ag len", lambda: dist.all_gather([z(4)], z(4)))
attempt("agi size", lambda: dist.all_gather_into_tensor(z(7), z(4)))
attempt("gather dtype", lambda: dist.gather(z(4), [z(4, dtype=d)] * n if r == 0 else None, dst=0) if r == 0 else 0)
attempt("gather shape", lambda: dist.gather(z(4), [z(3)] * n, dst=0) if r == 0 else 0)
attempt("gather len", lambda: dist.gather(z(4), [z(4)] * 3, dst=0) if r == 0 else 0)
attempt("scatter dtype", lambda: dist.scatter(z(4), [z(4, dtype=d)] * n, src=0) if r == 0 else 0)
attempt("scatter shape", lambda: dist.scatter(z(4), [z(3)] * n, src=0) if r == 0 else 0)
attempt("rs dtype", lambda: dist.reduce_scatter(z(2), [z(2, dtype=d)] * n))
attempt("rs len", lambda: dist.reduce_scatter(z(2), [z(2)] * 3))
attempt("a2a dtype", lambda: dist.all_to_all([z(2, dtype=d)] * n, [z(2)] * n))
attempt("a2a len", lambda: dist.all_to_all([z(2)] * 3, [z(2)] * n))
attempt("a2as dtype", lambda: dist.all_to_all_single(z(4, dtype=d), z(4)))
attempt("a2as div", lambda: dist.all_to_all_single(z(3), z(3)))
attempt("arc dtype", lambda: dist.all_reduce_coalesced([z(2), z(2, dtype=d)]))
attempt("arc type", lambda: dist.all_reduce_coalesced(z(2)))
attempt("bool", lambda: dist.all_reduce(torch.tensor([True])))
attempt("avg int", lambda: dist.all_reduce(torch.tensor([1]), op=dist.ReduceOp.AVG))
attempt("band float", lambda: dist.all_reduce(z(2), op=dist.ReduceOp.BAND))
attempt("send self", lambda: dist.send(z(2), dst=r))
attempt("bc far", lambda: dist.broadcast(z(2), src=7))
attempt("bc none", lambda: dist.broadcast(z(2)))
attempt("reduce none", lambda: dist.reduce(z(2)))
attempt("reduce both", lambda: dist.reduce(z(2), dst=0, group_dst=0))
attempt("not contiguous", lambda: dist.all_reduce(z(4, 4).t()[:2]))
attempt("gather other list", lambda: dist.gather(z(4), [z(4)] * n, dst=1) if r == 0 else 0)
attempt("scatter other list", lambda: dist.scatter(z(4), [z(4)] * n, src=1) if r == 0 else 0)
attempt("gather no list", lambda: dist.gather(z(4), dst=0) if r == 0 else 0)
attempt("new_group dup", lambda: dist.new_group([0, 0]))
attempt("new_group far", lambda: dist.new_group([0, 5]))
attempt("p2pop", lambda: dist.P2POp(dist.all_reduce, z(2), 0))
attempt("batch", lambda: dist.batch_isend_irecv([]))
attempt("init twice", lambda: dist.init_process_group("gloo"))
attempt("rank of", lambda: dist.get_group_rank(dist.group.WORLD, 9))
attempt("global of", lambda: dist.get_global_rank(dist.group.WORLD, 9))
attempt("backend names", lambda: (str(dist.ReduceOp.SUM), dist.Backend("gloo"), dist.Backend.GLOO))
attempt("backend bad", lambda: dist.Backend(3))
attempt("cpu i8", lambda: (lambda x: (dist.all_reduce(x), x))(torch.tensor([100 + r], dtype=torch.int8))[1])
attempt("half", lambda: (lambda x: (dist.all_reduce(x), x))(torch.tensor([1.5], dtype=torch.float16))[1])
attempt("bf", lambda: (lambda x: (dist.all_reduce(x), x))(torch.tensor([1.5], dtype=torch.bfloat16))[1])
attempt("cplx", lambda: (lambda x: (dist.all_reduce(x), x))(torch.tensor([1.5 + 2j]))[1])
attempt("zero", lambda: (lambda x: (dist.all_reduce(x), x))(torch.zeros(0))[1])
attempt("scalar", lambda: (lambda x: (dist.all_reduce(x), x))(torch.tensor(2.0))[1])
attempt("grad", lambda: (lambda x: (dist.all_reduce(x), x))(torch.ones(2, requires_grad=True))[1])
attempt("strided", lambda: (lambda x: (dist.broadcast(x, 0), x))(torch.arange(6.).reshape(2, 3).t() * (r + 1))[1].tolist())
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
sampler = DistributedSampler(TensorDataset(torch.arange(11)), shuffle=True, seed=3)
attempt("sampler", lambda: [b[0].tolist() for b in DataLoader(TensorDataset(torch.arange(11)), 3, sampler=sampler)])
