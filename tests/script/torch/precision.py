# The precision of products of float32, and its other name.
import torch

print(torch.get_float32_matmul_precision(), torch.backends.cuda.matmul.allow_tf32)
torch.set_float32_matmul_precision("high")
print(torch.get_float32_matmul_precision(), torch.backends.cuda.matmul.allow_tf32)
a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([[0.5, -1.0], [2.0, 1.5]])
y = a @ b
y.sum().backward()
print(y, a.grad)
torch.backends.cuda.matmul.allow_tf32 = False
print(torch.backends.cuda.matmul.allow_tf32)
