# Numbers of few bits with a scale and a zero point: made, shown, turned back; rounding as they do, with its derivative; linear
# layers with weights of 8 bits.
import torch
import torch.nn as nn
import warnings

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = torch.randn(2, 3)
q = torch.quantize_per_tensor(x, 0.1, 10, torch.quint8)
print(q, q.int_repr(), q.dequantize(), q.q_scale(), q.q_zero_point(), q.qscheme(), q.dtype, q.shape, q.is_quantized, x.is_quantized)
print(torch.quantize_per_tensor(x * 100, 0.5, 0, torch.qint8))
print(torch.quantize_per_tensor(x, 0.01, 3, torch.qint32).int_repr().dtype, torch.dequantize(q))
c = torch.quantize_per_channel(x, torch.tensor([.1, .01]), torch.tensor([10, 0]), 0, torch.quint8)
print(c, c.int_repr(), c.q_per_channel_scales(), c.q_per_channel_zero_points(), c.q_per_channel_axis(), c.dequantize())
print(torch.fake_quantize_per_tensor_affine(x, .1, 0, -128, 127))
print(torch.fake_quantize_per_channel_affine(x, torch.tensor([.1, .01]), torch.tensor([0, 0], dtype=torch.int32), 0, -128, 127))
y = x.clone().requires_grad_()
torch.fake_quantize_per_tensor_affine(y, .01, 0, -64, 63).sum().backward()
print(y.grad)
m = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
d = torch.ao.quantization.quantize_dynamic(m, {nn.Linear}, dtype=torch.qint8)
print(d)
print(d(x), m(x).detach())
print(d[0].weight(), d[0].bias())
print(torch.quantization.quantize_dynamic(m, {nn.Linear}, dtype=torch.qint8)(x[:1] * 3))
