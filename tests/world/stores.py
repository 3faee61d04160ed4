# Stores: values by key that processes see, directly and as where a world meets; groups by enumeration; lists of objects sent.
import os, sys
from datetime import timedelta
import torch
import torch.distributed as dist

by_mpi = "OMPI_COMM_WORLD_RANK" in os.environ        # which has no port of its own: one by the process that began all
rank = int(os.environ["OMPI_COMM_WORLD_RANK" if by_mpi else "RANK"])
n = int(os.environ["OMPI_COMM_WORLD_SIZE" if by_mpi else "WORLD_SIZE"])
port = 20000 + os.getppid() % 30000 if by_mpi else int(os.environ["MASTER_PORT"]) + 7
store = dist.TCPStore("localhost", port, n, rank == 0, timedelta(seconds=30))
dist.init_process_group("gloo", store=dist.PrefixStore("world", store), rank=rank, world_size=n)
for k in range(50):
    store.add("count", rank + 1)
dist.barrier()
lines = [store.get("count").decode()]
if rank == 0:
    store.set("word", "from the first")
lines.append(store.get("word").decode())
won = store.compare_set("winner", "", str(rank)).decode()
dist.barrier()
lines.append(str(store.get("winner").decode() in ("0", "1") and won == store.get("winner").decode()))
mine, made = dist.new_subgroups_by_enumeration([[k] for k in range(n)])
lines.append(f"{mine.size()} {len(made)}")
if rank == 0:
    dist.send_object_list(["a", {"b": 2}], dst=1)
if rank == 1:
    objects = [None, None]
    dist.recv_object_list(objects, src=0)
    lines.append(str(objects))
out = [[torch.zeros(2) for _ in range(n)] for _ in range(2)]
dist.all_gather_coalesced(out, [torch.ones(2) * rank, torch.arange(2.0) + rank])
lines.append(str([[t.tolist() for t in o] for o in out]))
for k in range(n):
    dist.barrier()
    if k == rank:
        print("\n".join(lines), flush=True)
dist.barrier()
dist.destroy_process_group()
