# All memory of a GPU asked for, and more: an error that says how much, and everything is usable after it.
import torch

x = torch.ones(1000, device="cuda")
free, total = torch.cuda.mem_get_info()
half = int(free * 0.6) // 4
kept = torch.empty(half, device="cuda")
try:
    more = torch.empty(half, device="cuda")
    print("there was room")
except torch.cuda.OutOfMemoryError as e:
    assert "asked for" in str(e) and "free" in str(e) and "held by arrays" in str(e), e
assert (x + 1).sum().item() == 2000
del kept
for part in (0.5, 0.4, 0.3):        # other sizes: what is kept must go back
    kept = torch.empty(int(free * part) // 4, device="cuda")
    del kept
assert torch.cuda.memory_reserved() > 0
torch.cuda.empty_cache()
assert torch.cuda.memory_reserved() < 1 << 26 and torch.cuda.mem_get_info()[0] > 0.9 * free
print("ok")
