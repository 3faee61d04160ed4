# Answers that were others once: axes of logspace, frexp of infinities, take_along_axis that broadcasts; names of linalg.
import numpy as np

print(np.logspace(np.array([0.0, 1.0]), np.array([2.0, 3.0]), 2, axis=1).tolist(), np.frexp(np.array([np.inf, -np.inf, 0.0, 3.0])))
print(np.take_along_axis(np.arange(6.0).reshape(2, 3), np.array([[0, -1]]), axis=1), np.block(3).shape, np.block([1, 2]).shape)
a = np.sin(np.arange(24.0)).reshape(6, 4)
print(np.round(np.linalg.tensorinv((a[:4] + np.eye(4)).reshape(2, 2, 4), ind=2), 4).shape, np.round(np.linalg.tensorsolve(a[:4].reshape(2, 2, 4) + np.eye(4).reshape(2, 2, 4), np.ones((2, 2))), 6))
print(np.linalg.vecdot(a, a).round(4), np.linalg.matrix_transpose(a).shape, np.linalg.cross([1, 2, 3], [4, 5, 6]), np.linalg.tensordot(a, a.T, axes=1).shape)
