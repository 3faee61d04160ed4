# Out of memory: an error that says how much, and everything is usable after it; what is kept can be given back.
# GPU_FAKE: memory=1000000
import torch

x = torch.ones(1000, device="cuda")
try:
    y = torch.ones(1000000, device="cuda")
    print("there was room")
except torch.cuda.OutOfMemoryError as e:
    said = str(e)
    assert "cuda:0" in said and "3.81 MiB asked for" in said and "free" in said and "held by arrays" in said, said
assert issubclass(torch.cuda.OutOfMemoryError, RuntimeError)
assert (x + 1).sum().item() == 2000
held = torch.cuda.memory_allocated()
for i in range(40):      # as much as there is, again and again, of other sizes
    y = torch.ones(20000 + 3000 * i, device="cuda")
    del y
assert torch.cuda.memory_allocated() == held, (torch.cuda.memory_allocated(), held)
assert torch.cuda.memory_reserved() > held
torch.cuda.empty_cache()
assert torch.cuda.memory_reserved() < 200000, torch.cuda.memory_reserved()
free, total = torch.cuda.mem_get_info()
assert total == 1000000 and free > 0
print("ok")
