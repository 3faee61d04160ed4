# What has no effect says so once; what cannot be done is refused.
import warnings
import torch
from torch.utils.data import DataLoader

warnings.warn = lambda text: print("told:", text)
for k in range(2):
    print([b.tolist() for b in DataLoader([1, 2, 3], batch_size=2, num_workers=2)])
    with torch.amp.autocast("cpu", dtype=torch.bfloat16):
        print((torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
    with torch.amp.autocast("cpu", enabled=False):
        pass
    torch.amp.GradScaler()


def refused(f):
    try:
        f()
        print("not refused")
    except Exception as e:
        print(type(e).__name__, e)


refused(lambda: DataLoader([1], num_workers=-1))
refused(lambda: DataLoader([1], timeout=-1))
refused(lambda: DataLoader([1], prefetch_factor=2))
refused(lambda: DataLoader([1], persistent_workers=True))
refused(lambda: torch.compile(abs, backend="nonsense"))
refused(lambda: torch.compile(abs, mode="nonsense"))
refused(lambda: torch.compile(abs, mode="default", options={}))
refused(lambda: torch.compile(abs, options={"nonsense": 1}))
refused(lambda: torch.compile(lambda x: x, backend=lambda graph, inputs: None)(torch.ones(1)))
refused(lambda: torch.compile(mode="nonsense"))
refused(lambda: torch.nn.Linear(1, 1).compile(mode="nonsense"))
print(torch.compile(abs, disable=True) is abs, torch.compile(dynamic=True, fullgraph=True)(lambda x: x + 1)(2))
from torch.cuda.amp import GradScaler, autocast
with torch.cuda.amp.autocast(), autocast():
    print(torch.autocast is torch.amp.autocast, torch.GradScaler is torch.amp.GradScaler, GradScaler().is_enabled())
print("inductor" in torch._dynamo.list_backends(), torch._dynamo.reset())
try:
    torch.cuda.nonsense
except AttributeError as e:
    print(e)
