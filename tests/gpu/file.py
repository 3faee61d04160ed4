# A file saved on a GPU names it; test_devices.sh runs it there, and where there is none.
# GPU_FAKE: devices=1
import torch

net = torch.jit.script(torch.nn.Linear(2, 1).to("cuda"))
assert net(torch.ones(1, 2, device="cuda")).is_cuda
net.save("net.weft")
print("ok")
