# Expressions: functions of them, indexing, reductions, math and its gradients, linear algebra, a loop.
import numpy as np
import aesara
import aesara.tensor as at
from aesara import function, shared, grad, scan
x, y = at.dscalars("x", "y"); v, u = at.dvectors("v", "u"); m, n = at.dmatrices("m", "n"); i = at.iscalar("i"); k = at.lvector("k")
f = function([x, y], {"sum": x + y, "prod": x * y}); print(sorted(f(2.0, 3.0).items()))
print(function([x], [])(1.0) if False else "", function([], at.arange(5))(), (x + y).eval({x: 1.0, y: 2.0}), at.constant([1, 2, 3]).eval(), at.as_tensor_variable(3.5).eval())
print(function([v], v[::-1])([1.0, 2.0]), function([v, i], v[i])([1.0, 2.0], 1), function([m, i], m[i, :])(np.eye(2), 0), function([m], m[:, ::2].sum(axis=0, keepdims=True))(np.ones((2, 3))), function([v, k], v[k])([5.0, 6.0, 7.0], [2, 0]))
print(function([m], [m.shape, m.size, m.T.shape[0], m.mean(axis=1), m.var(), m.std(axis=0), m.min(), m.argmax(), m.argmin(axis=0)])(np.arange(6.0).reshape(2, 3)))
print(function([v], [at.cumsum(v), at.cumprod(v), at.diff(v), at.sort(v), at.argsort(v), at.max_and_argmax(v)[1], at.prod(v), at.any(v > 2), at.all(v > 0), at.ptp(v)])(np.array([3.0, 1.0, 2.0])))
print(function([v, u], [at.outer(v, u), at.dot(v, u), at.maximum(v, u), at.minimum(v, u), at.stack([v, u], axis=1), at.concatenate([v, u]), v ** u, v % u, v // u, at.switch(v > u, v, u), at.arctan2(v, u)])(np.array([1.0, 5.0]), np.array([2.0, 3.0])))
fns = [at.exp, at.log, at.sqrt, at.sin, at.cos, at.tan, at.tanh, at.sinh, at.cosh, at.arcsin, at.arccos, at.arctan, at.sigmoid, at.softplus, at.erf, at.log1p, at.expm1, at.sqr, at.abs, at.sgn, at.floor, at.ceil, at.round, at.neg, at.reciprocal, at.gammaln, at.log2, at.log10, at.exp2]
for fn in fns:
    e = fn(v); print(function([v], e)([0.25, 0.5]), function([v], grad(e.sum(), v))([0.25, 0.5]))
print(function([m], [at.linalg.inv(m), at.linalg.det(m), at.linalg.cholesky(at.dot(m, m.T)), at.nlinalg.trace(m), at.diag(m), at.tril(m), at.triu(m)])(np.array([[2.0, 1.0], [0.5, 3.0]])))
print(function([m, n], [at.dot(m, n), at.tensordot(m, n, axes=1), at.batched_dot(at.stack([m, m]), at.stack([n, n])).sum(), m @ n])(np.eye(2) * 2, np.arange(4.0).reshape(2, 2)))
# types
# grads
print(function([v], grad(at.sum(v ** 3), v))([1.0, 2.0]), function([x, y], grad(x ** y, [x, y]))(2.0, 3.0), function([m], grad(at.sum(at.log(at.linalg.det(m))), m))(np.array([[2.0, 1.0], [0.5, 3.0]])))
g1 = grad(x ** 3 * y, x); print(function([x, y], grad(g1, y))(2.0, 5.0), function([x], grad(at.switch(x > 0, x ** 2, -x), x))(-3.0))
print(function([v], grad(v.max(), v))([1.0, 3.0, 3.0]), function([v], grad(at.abs(v).sum(), v))([-1.0, 0.0, 2.0]), function([v], grad(at.maximum(v, 0).sum(), v))([-1.0, 0.5]), function([v], grad(at.prod(v), v))([2.0, 3.0, 4.0]), function([v], grad(v.std(), v))([1.0, 2.0, 4.0]))
z = x * 2; print(function([x], grad(z ** 2, z))(3.0), function([x, y], grad(None, x, known_grads={x * y: at.constant(2.0)}))(3.0, 4.0) if False else "")
# scan variants
i_fact, _ = scan(lambda k, acc: acc * k, sequences=at.arange(1, 6), outputs_info=at.constant(1, dtype="int64")); print(function([], i_fact)())
