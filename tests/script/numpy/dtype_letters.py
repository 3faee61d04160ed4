# dtypes by NumPy's letters and old names; closeness of bools
import numpy as np

for c in "?bBhHiIlLqQefdFD":
    print(c, np.dtype(c), np.zeros(1, c).dtype.name)
for n in ("single", "intc", "uint", "short", "b1", "half", "double"):
    print(n, np.dtype(n).name)
print(np.arange(3, dtype="f"), np.allclose([True, False], [True, False]), np.isclose(np.array([True, True]), np.array([True, False])))
