# What one operation costs from a script: 1000 adds of one-element tensors; 1000 x `y*x+x` and backward; one call of a
# small network. Runs in Weft and in Python with PyTorch. Prints milliseconds, the median of 21 rounds.
import sys
import time

import torch

torch.set_num_threads(1)
x = torch.tensor([0.5])
w = torch.tensor([0.999], requires_grad=True)
net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
image = torch.ones(1, 64)


def adds():
    y = x
    for _ in range(1000):
        y = y + x
    return y


def tape():
    w.grad = None
    y = w
    for _ in range(1000):
        y = y * w + w
    y.sum().backward()
    return w.grad


def calls():
    with torch.no_grad():
        for _ in range(10):
            y = net(image)
    return y


def median_ms(f, n):
    f()
    times = []
    for _ in range(n):
        start = time.process_time()
        f()
        times.append(time.process_time() - start)
    return sorted(times)[n // 2] * 1e3


for name, f in (("dispatch", adds), ("tape", tape), ("call", calls)):
    print(name, median_ms(f, 21))
