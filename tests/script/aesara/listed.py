# Expressions as debugprint lists them, and the names of their operations.
import aesara
import aesara.tensor as at
import numpy as np

x, M, i = at.dvector("x"), at.dmatrix("M"), at.iscalar("i")
s = aesara.shared(np.float64(2.0), name="s")
for q in (x / 2, x // 2, x % 2, at.maximum(x, 0), at.minimum(x, 0), abs(x), at.sqr(x), at.cast(x, "int32"), at.eye(2), at.arange(3), at.exp(x), at.log1p(x),
          at.sigmoid(x), at.floor(x), at.round(x), at.sgn(x), at.eq(x, 1), at.neq(x, 1), at.ge(x, 1), at.clip(x, 0, 1), at.isnan(x), at.and_(i, 1), at.invert(i),
          at.zeros_like(x), at.zeros((2, 3)), x.sum(), at.sum(M, axis=0), at.any(x), at.cumsum(x), at.cumprod(M, axis=1), at.dot(M, x), at.erf(x), at.arctan2(x, x),
          at.reciprocal(x), at.second(x, x), at.switch(x, x, x), at.set_subtensor(x[0], 1.0), at.inc_subtensor(x[:2], 1.0), x[::2], M[0, 1], M[:, i], M[[0, 1]],
          x.T, M.dimshuffle("x", 1, 0), at.stack([x, x]), x.shape, x.shape[0], at.softplus(x), -x, x ** 2, x - 1):
    print(q.owner.op, "|", q)
for q in (at.exp(-x).sum() / (1 + s), at.set_subtensor(x[1:3], 0.0), [x + 1, (x + 1) * 2], M[i] * x, at.dot(M, x) + M.sum(axis=0), M[:, ::-1], x ** 2 + x ** 2,
          at.switch(x > 0, x, -x), x.dimshuffle("x", 0) * M, at.concatenate([x, x]), x.shape[0] + 1, at.cumsum(x), M[[0, 1]], s * 2, x.T,
          at.tanh(at.dot(x, M.T) + 1.5), x[i:], M.T.dot(x)):
    aesara.dprint(q)
print(aesara.printing.debugprint(x * 2, file="str"))
print(aesara.pprint(at.exp(x) / 2))
