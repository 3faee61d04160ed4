# Operators of torchvision in an archive (tests/files/boxes.pt): boxes that overlap better ones are dropped, parts of an image
# are sampled; how many boxes are left, only a run knows.
import os

try:
    import torchvision
except ImportError:
    pass
import torch

m = torch.jit.load(("tests/files/" if os.path.exists("tests/files") else "../../files/") + "boxes.pt")
torch.manual_seed(0)
x = torch.rand(1, 2, 12, 12)
corner = torch.rand(9, 2) * 6
boxes = torch.cat([corner, corner + 2 + torch.rand(9, 2) * 5], 1)
boxes[3] = boxes[0] + 0.25
out, names, first = m(x, boxes, torch.rand(9))
print(names, first)
for k in names:
    print(k, tuple(out[k].shape), [round(v, 4) for v in out[k].double().flatten().tolist()[:12]], round(float(out[k].double().sum()), 3))
empty, _, _ = m(x, boxes[:0], torch.rand(0))
print({k: tuple(v.shape) for k, v in empty.items()})
