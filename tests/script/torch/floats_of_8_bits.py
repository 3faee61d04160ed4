# Floats of 8 bits store numbers: every code, casts to and from, what moves them, files; arithmetic is refused.
import io
import torch

kinds = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu)
codes = torch.arange(256).to(torch.uint8)
special = torch.tensor([0.3, -500., 1e-3, 7, float("inf"), 1e9, -0.0, 464., 465., 480., -1e-30, 57344., 61439., 61440.])
sweep = (torch.arange(4000).float() - 2000) * 0.37
small = 2.0 ** (torch.arange(600).float() / 10 - 30)

for d in kinds:
    x = codes.view(d)
    print(d, x.element_size(), x.is_floating_point(), torch.finfo(d))
    print(x.float().tolist())
    for other in (torch.float64, torch.float16, torch.bfloat16, torch.bool, torch.complex64):
        print(other, x[:127].to(other)[::9].tolist())
    print(x[40:80].to(torch.int32).tolist())
    print(special.to(d).view(torch.uint8).tolist(), special.to(d))
    for v in (sweep, small, sweep.double(), sweep.to(torch.bfloat16), torch.arange(-600, 600), torch.arange(100).to(torch.uint8)):
        bits = v.to(d).view(torch.uint8).long()
        print(bits.sum().item(), (bits * torch.arange(len(bits))).sum().item())
    y = special.to(d)
    print(y[::2], y.reshape(2, 7).t(), torch.cat([y, y])[3:6], torch.stack([y, y]).shape, y[torch.tensor([1, 0])])
    print(y == y, y.clone()[1], torch.where(y == y, y, y)[2], y.tolist()[:4], y[0].item(), y.expand(2, 14)[1, 3])
    print(torch.ones(3, dtype=d), torch.full((2,), 2.5, dtype=d), torch.tensor([1.0, 2.0], dtype=d))
    for act in (lambda: y + y, lambda: y * 2, lambda: y.sum(), lambda: -y, lambda: y.exp()):
        try:
            print(act())
        except NotImplementedError as e:
            print("refused", str(e).rpartition(" ")[2])
    try:
        y + torch.ones(14)
    except RuntimeError as e:
        print(e)
    file = io.BytesIO()
    torch.save({"w": y, "scale": torch.ones(2)}, file)
    file.seek(0)
    back = torch.load(file)["w"]
    print(back.dtype, torch.equal(back.view(torch.uint8), y.view(torch.uint8)))

w = torch.tensor([0.3, 1.7, -2.2], requires_grad=True)
(w.to(torch.float8_e5m2).float() * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(w.grad)


def quantise(x, scale):
    return (x / scale).to(torch.float8_e4m3fn)


for _ in range(4):
    q = quantise(sweep, 1.7)
    back = q.float() * 1.7
print((back - sweep).abs().max())
