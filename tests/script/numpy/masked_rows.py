# Masked arrays of several axes as text.
import numpy as np

a = np.ma.masked_array(np.arange(8.0).reshape(2, 2, 2), np.arange(8).reshape(2, 2, 2) % 3 == 0)
print(a)
print(a[0])
print(a[0][1], a.sum())
