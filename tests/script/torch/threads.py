# How many threads work is split for, as it is told.
import torch


def refused(f, n):
    try:
        f(n)
    except RuntimeError as e:
        print(e)


x = torch.randn(300, 300)
many = torch.get_num_threads()
y = x @ x
torch.set_num_threads(1)
print(torch.get_num_threads(), torch.equal(x @ x, y) or torch.allclose(x @ x, y))
torch.set_num_threads(3)
print(torch.get_num_threads(), torch.allclose(x @ x, y))
torch.set_num_threads(many)
print(torch.get_num_threads() == many)
for n in 0, -1, 1.5, True, "2":
    refused(torch.set_num_threads, n)
refused(torch.set_num_interop_threads, 0)
torch.set_num_interop_threads(2)
print(torch.get_num_interop_threads())
refused(torch.set_num_interop_threads, 2)
