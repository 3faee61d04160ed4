# Bessel functions of the first kind.
import numpy as np
from scipy import special
x = np.array([0, 1e-8, 0.1, 0.5, 1, 2, 3.7, 5, 9.5, 12.3, 20, 24.9, 26, 40, 100, 1234.5])
for v in (0, 1, 2, 3, 7, 20, -1, -3, 0.5, 1.5, 2.25, 7.75, 15.3, -0.5, -1.5, -2.3):
    r = special.jv(v, x)
    print(v, " ".join([f"{t:.10g}" if abs(t) > 1e-200 else "~0" for t in r]))
print(special.jv([[0.], [1.]], [1., 2.]), special.jv(1, -2.0), special.jv(2, -2.0), special.jv(0.5, -1.0), special.j0(1.5), special.j1([1.5, 2]), repr(special.jv(0, np.float32(1))), special.jv(np.float32(0), np.float32([1, 2])).dtype, special.jv(np.nan, 1.0), special.jn(2, 3.0), special.jv(0, np.inf))
