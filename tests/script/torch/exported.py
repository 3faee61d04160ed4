# torch.export.export and torch.onnx.export: modules recorded, run again, written and read back.
import os
import tempfile

import torch
import torch.onnx
from torch import nn
from torch.export import Dim, dims


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.b, self.l, self.d = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(144, 5), nn.Dropout()

    def forward(self, image, scale=1.0, *, mask=None):
        y = self.l(self.d(torch.relu(self.b(self.c(image))).flatten(1))) * scale
        return (y if mask is None else y * mask), y.argmax(1)


torch.manual_seed(0)
m, x = Net(), torch.randn(2, 1, 8, 8)
m.eval()
ep = torch.export.export(m, (x,), dynamic_shapes={"image": {0: Dim("batch", min=1, max=64)}})
with torch.no_grad():
    print(type(ep).__name__, torch.allclose(ep.module()(x)[0], m(x)[0], atol=1e-6), ep.module()(torch.ones(3, 1, 8, 8))[1].shape)
print(list(ep.state_dict) == list(m.state_dict()), len(list(ep.parameters())), [k for k, _ in ep.named_buffers()])
try:
    ep(x)
except RuntimeError as e:
    print(e)
fixed = torch.export.export(m, (x, 2.0), {"mask": torch.ones(5)})
print(torch.allclose(fixed.module()(x, 2.0, mask=torch.zeros(5))[0], torch.zeros(2, 5)))
for args, kwargs in (((torch.ones(3, 1, 8, 8), 2.0), {"mask": torch.ones(5)}), ((x, 3.0), {"mask": torch.ones(5)}), ((x, 2.0), {})):
    try:
        fixed.module()(*args, **kwargs)
        print("ran")
    except Exception as e:
        print("refused")
print(Dim("n", min=2).min, [d.__name__ for d in dims("a", "b")])
try:
    torch.export.export(m.forward, (x,))
except ValueError as e:
    print(str(e)[:60])

folder = tempfile.mkdtemp()
torch.export.save(ep, os.path.join(folder, "m.pt2"))
print(torch.allclose(torch.export.load(os.path.join(folder, "m.pt2")).module()(x)[0], m(x)[0], atol=1e-6))

m.train()
path = os.path.join(folder, "m.onnx")
r = torch.onnx.export(m, (x,), path, input_names=["img"], output_names=["logits", "best"], dynamic_axes={"img": {0: "batch"}}, dynamo=False)
print(r, m.training, os.path.getsize(path) > 3000, torch.onnx.is_in_onnx_export())
data = open(path, "rb").read()
print([s in data for s in (b"img", b"logits", b"best", b"l.weight", b"Conv", b"image")])
p = torch.onnx.export(m, (x, 2.0), os.path.join(folder, "other"), kwargs={"mask": torch.ones(5)})
print(type(p).__name__, os.listdir(folder) and sorted(os.listdir(folder)), [t.shape for t in p(x, 2.0, mask=torch.ones(5))])
for kw in ({"export_params": False}, {"custom_opsets": {"a": 1}}):
    try:
        torch.onnx.export(m, (x,), path, **kw)
    except NotImplementedError as e:
        print(e)
