# Random streams draw NumPy's numbers: as inputs of functions, with their updates, in steps of a scan.
import numpy as np, aesara, aesara.tensor as at
from aesara.tensor.random.utils import RandomStream
srng = RandomStream(seed=234)
rv_u = srng.uniform(0, 1, size=(2, 2)); rv_n = srng.normal(0, 1, size=(2, 2)); b = srng.binomial(1, 0.3, size=(5,)); i = srng.integers(0, 10, size=(4,))
f = aesara.function([], rv_u); g = aesara.function([], rv_n, no_default_updates=True); nz = aesara.function([], rv_u + rv_u - 2 * rv_u)
print(f(), f()); print(g(), g()); print(nz()); print(aesara.function([], [b, i])())
x = at.dmatrix("x"); m = srng.bernoulli(0.5, size=x.shape); h = aesara.function([x], x * m); print(h(np.ones((2, 3))))
srng.seed(902340); print(f(), f())
rng_val = rv_u.owner.inputs[0].get_value(borrow=True)
y = srng.normal(x.sum(), 2.0, size=(3,)); print(aesara.function([x], [y, y * 2])(np.ones((2, 2))))
print(aesara.function([x], aesara.grad((x * srng.uniform(size=x.shape)).sum(), x))(np.ones((2,2))))
v = at.dvector("v"); s2 = RandomStream(7)
r, up = aesara.scan(lambda a, b: a + b * s2.normal(0, 1, size=(2,)).sum(), sequences=v, outputs_info=at.constant(1.0, dtype="float64"))
q = aesara.function([v], r, updates=up); print(q([1., 2., 3.]), q([1., 2.]))
