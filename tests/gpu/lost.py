# A GPU that is lost in the middle: an error with its reason, the host goes on.
# GPU_FAKE: lost=3
import torch

x = torch.ones(4)
y = x.to("cuda")
try:
    for _ in range(10):
        y = y * 2 + 1
    y.cpu()
    print("nothing happened")
except RuntimeError as e:
    assert "cuda:0" in str(e) and "a launch that was to fail" in str(e), e
assert (x * 2).tolist() == [2.0] * 4
try:
    torch.ones(2, device="cuda")
    print("it is back")
except RuntimeError as e:
    pass
print("ok")
