# Which of x += y and its like write into x: Python's all do, TorchScript's few.
import torch


def mod(x):
    y = x
    y %= 2
    return x, y


def bits(x):
    y = x
    y |= 8
    y &= 14
    y ^= 6
    return x, y


def shifts(x):
    y = x
    y <<= 2
    y >>= 1
    return x, y


def powers(x):
    y = x
    y **= 2
    return x, y


def sums(x):
    y = x[1:]
    y += 8
    y -= 1
    y *= 2
    return x


def parts(x):
    x[1:] <<= 2
    x[0] %= 2
    return x


for f in (mod, bits, shifts, powers, sums, parts):
    for g in (f, torch.jit.script(f)):
        x = torch.tensor([3, 5, 9])
        print(f.__name__, g(x), x)


@torch.jit.script
def dropped(x):
    x[1:] |= 2
    x[0] **= 2
    x[2] &= 1
    return x


print(dropped(torch.tensor([3, 5, 9])))


class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.tensor([3, 5, 9]))

    def forward(self, x):
        m = self.n
        self.n |= 8
        self.n += x
        return m, self.n


m = torch.jit.script(Counted())
print(m(torch.tensor(1)), m.n)
