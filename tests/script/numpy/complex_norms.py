import numpy as np
x = np.array([[1+2j, 0.5j, 2], [-1+1j, 1-3j, 0.25]])
s = x[:, :2]
for r in (np.linalg.norm(x), np.linalg.norm(x, "fro"), np.linalg.norm(x, axis=1), np.linalg.norm(x, 1, axis=0), np.linalg.norm(x, 0, axis=1),
          np.linalg.norm(x[0], 3), np.linalg.inv(s), np.linalg.solve(s, s[:, 0]), np.cov(x), np.corrcoef(x), np.correlate(x[0], x[1]),
          np.round(x, 1), np.vdot(x, x)):
    print(np.round(r, 5) + 0)
