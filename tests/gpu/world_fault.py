# What happens to an exchange between GPUs when a member is killed (argument kill), or goes on elsewhere (sleep), or nothing.
import os, sys, time
import torch
import torch.distributed as dist
dist.init_process_group("nccl")
x = torch.ones(3, device="cuda")
dist.all_reduce(x)
assert x.tolist() == [float(dist.get_world_size())] * 3
if dist.get_rank() == 1 and sys.argv[1] == "kill":
    os.kill(os.getpid(), 9)
if dist.get_rank() == 1 and sys.argv[1] == "sleep":
    time.sleep(30)
since = time.time()
try:
    dist.all_reduce(x)
    print("reduced", x.tolist())
except RuntimeError as e:
    print(f"error in {'seconds' if time.time() - since < 8 else 'a long time'}: {e}", flush=True)
    try:
        dist.all_reduce(x)
    except RuntimeError as again:
        print("again:", again, flush=True)
os._exit(0)
