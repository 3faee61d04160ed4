# What pp prints: expressions, and gradients as the expressions that the operations' rules build.
import aesara
import aesara.tensor as at
import numpy as np
from aesara import pp

x, y, i = at.dscalar("x"), at.dscalar("y"), at.iscalar("i")
v, u = at.dvector("v"), at.dvector("u")
m, n = at.dmatrix("m"), at.dmatrix("n")
w = aesara.shared(np.ones((2, 2)), name="w")
b = aesara.shared(np.ones(2), name="b")
for e in (x ** 2, (v * 2).sum(), at.dot(m, w), at.switch(v > 0, v, 0), v.mean(), m.mean(axis=0), v[0] + v[1:].sum(), m.reshape((4,)), m.T,
          v.dimshuffle("x", 0), v.dimshuffle(0, "x"), at.exp(x) / (1 + at.exp(-x)), m.max(axis=0), m.argmax(axis=1), at.cast(i, "float64") + x,
          at.eq(x, y), at.and_(x > 1, y < 2), -x, abs(x), x % y, at.clip(x, 0, 1), at.set_subtensor(v[0], x), at.inc_subtensor(v[1:3], 1.),
          at.join(0, v, v), at.stack([x, y]), at.arange(i), at.zeros((i, 2)), at.alloc(x, 3), at.log1p(at.exp(x)), (v ** 2).sum() ** 0.5, v.shape[0], at.eye(3), at.outer(v, v),
          at.sqr(x) + at.sqrt(y), at.maximum(x, y), at.sin(x) - at.cos(y), v[::2], m.sum(axis=1)):
    print(pp(e))
cost = at.sum((at.tanh(at.dot(m, w) + b) - n) ** 2)
for c, z in ((x ** 2, x), ((v ** 2).sum(), v), (at.sigmoid(v).sum(), v), (at.dot(m, w).sum(), w), (v.mean(), v), (v[0] * 2, v), (at.tanh(x), x),
             (at.maximum(x, y), x), (at.exp(x * y), y), (x * x, x), (x + x * y, x), (at.log(x) / x, x), (at.sqrt(x) * at.sqr(x), x),
             (-at.cos(x) + at.sin(x), x), (at.log1p(at.exp(x)), x), ((v * x).sum(), x), ((v + x).sum(), x), (at.dot(v, u), u), (at.dot(m, v).sum(), v),
             (at.dot(m, v).sum(), m), (m.sum(axis=0).sum(), m), (m.sum(axis=1).sum(), m), ((m * v).sum(), v), (cost, w), (cost, b), (y ** x, x)):
    print(pp(aesara.grad(c, z)))
print(pp(aesara.grad(aesara.grad(x ** 3, x), x)))
gy = aesara.grad(x ** 2, x)
f = aesara.function([x], gy)
print(f(4.0))
