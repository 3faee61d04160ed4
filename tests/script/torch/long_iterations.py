# Long tensors are iterated in parts: elements, rows that are views, gradients.
import numpy as np
import torch

a = np.arange(5000.0)
print(sum(a), min(a), max(a), [x for x in a][1023:1026], list(a)[-1], len(list(a)))
b = np.zeros((3000, 2))
for i, row in enumerate(b):
    row[0] = i
print(b[1023:1026], b[-1], b.sum())
x = torch.ones(2500, requires_grad=True)
s = 0
for i, v in enumerate(x):
    s = s + v * i
s.backward()
print(x.grad[[0, 1, 1023, 1024, 1025, 2499]])
t = torch.zeros(2000, 2)
for r in t:
    r += 1
print(t.sum())
