# Complex tensors: parts, transforms, gradients in PyTorch's convention, stft.
import torch
x = torch.tensor([1+2j, 3-1j])
print(x, x.dtype, x * 2, 1j * x, x.abs(), x.real, x.imag, x.conj(), x.angle(), torch.is_complex(x))
print(torch.tensor([[0.5+1j, 100.25j]]), torch.tensor(1j), torch.complex(torch.ones(2), torch.zeros(2)), torch.polar(torch.ones(2), torch.tensor([0.0, 3.0])))
print((x @ x), x.sum(), x + 1, torch.ones(2) * 1j, x.tolist(), x[0].item(), torch.view_as_real(x), torch.view_as_complex(torch.ones(3, 2)))
print(torch.fft.fft(torch.arange(4.0)), torch.fft.rfft(torch.arange(6.0)), torch.fft.fftfreq(5))
z = torch.tensor([1+2j, 3-1j], requires_grad=True)
(z.abs() ** 2).sum().backward()
print(z.grad, torch.autograd.grad((z * z).real.sum(), z), torch.ones(2, dtype=torch.float64).mul(1j).dtype, x.mean(), torch.sgn(x), x.mH.shape if x.ndim > 1 else 0)
try:
    (z * 2).sum().backward()
except RuntimeError as e:
    print(e)
s = torch.sin(torch.arange(64.0))
S = torch.stft(s, 16, window=torch.hann_window(16), return_complex=True)
print(S.shape, S.dtype, S[3, 2].abs() > 0.5, torch.allclose(torch.istft(S, 16, window=torch.hann_window(16), length=64), s, atol=1e-5))
print(torch.zeros(2, dtype=torch.complex64), torch.randn(2).to(torch.complex128).dtype, torch.complex64.is_complex, torch.exp(x), torch.sqrt(x), x ** 2)
