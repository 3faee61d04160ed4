# Logarithms to the base ten that are whole numbers, and geometric rows that meet them.
import numpy as np

powers = np.array([float("1e" + str(k)) for k in range(-300, 309)])
print(bool((np.log10(powers) == np.arange(-300, 309)).all()), np.log10(1000), np.floor(np.log10(1000)), np.log10([[1000, 10]]))
with np.errstate(all="ignore"):
    print(np.log10(np.array([0.0, -1.0, np.inf, np.nan, 1.0, 7.0])))
with np.errstate(all="raise"):
    print(np.log10(1e300), np.log10(1e-6))
    for x in (0.0, -1.0):
        try:
            np.log10(x)
        except FloatingPointError as e:
            print(e)
out = np.zeros(3)
print(np.log10(np.array([1.0, 100.0, 1000.0]), out=out) is out, out)
print(np.geomspace(1, 1000, 4, dtype=int), np.geomspace(1000, 1, 4, dtype=int), np.geomspace(-1000, -1, 4, dtype=int))
print(np.geomspace(1, 256, 9, dtype=int), np.geomspace(2, 2048, 11, dtype=int), np.geomspace(1, 1e6, 7).tolist())
print(np.geomspace([1, 10], [100, 1000], 3), np.geomspace(1, 100, 2, endpoint=False))
