# A loop whose length depends on the data, scripted, differentiated and saved.
import torch


@torch.jit.script
def settle(x, rate):
    while x.norm() > 1.0:
        x = x * rate
    return x.sin()


x = torch.tensor([3.0, 4.0], requires_grad=True)
y = settle(x, torch.tensor(0.5))
y.sum().backward()
print(y.detach(), x.grad)

settle.save("/tmp/settle.weft")         # and from here on without a script
