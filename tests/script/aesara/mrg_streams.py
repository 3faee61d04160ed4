# Numbers by MRG31k3p: streams, sizes that are expressions, draws inside scan, seeds.
import numpy as np
import aesara
import aesara.tensor as at
from aesara.sandbox.rng_mrg import MRG_RandomStream

r = MRG_RandomStream(42)
x = at.matrix("x")
f = aesara.function([], r.uniform((3, 5)))
print(f(), f())
g = aesara.function([], r.uniform((13,), low=-2, high=3))
print(g())
h = aesara.function([x], r.binomial(size=x.shape, p=0.3, n=1))
print(h(np.zeros((4, 6))), h(np.zeros((4, 6))).sum())
n = aesara.function([], r.normal((3, 3), avg=1.0, std=2.0))
print(n(), n())
p = np.array([[.1, .2, .7], [.5, .25, .25], [0, 1, 0]])
for times in (1, 3):
    print(aesara.function([x], r.multinomial(pvals=x, n=times))(p))
s, u = aesara.scan(lambda q: q + r.uniform((2,)), outputs_info=at.zeros((2,)), n_steps=4)
k = aesara.function([], s, updates=u)
print(k(), k())
state = r.state_updates[0][0]
print(state.get_value().shape, state.get_value().dtype, state.get_value()[1])
many = aesara.function([], r.uniform((41,), nstreams=4))
print(many().sum(), many()[-3:])
noisy = at.scalar("noisy")
try:
    aesara.grad((noisy * r.uniform((4,), high=noisy)).sum(), noisy)
except aesara.gradient.NullTypeGradError as e:
    print(type(e).__name__)
d = aesara.function([noisy], aesara.grad((noisy * r.uniform((4,), high=2)).sum(), noisy))
print(d(2.0))
r.seed(7)
print(f(), h(np.ones((2, 2))))
for seed in (0, 2147462579, [1, 2, 3]):
    try:
        MRG_RandomStream(seed)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e.args[0])
for size in ((0, 2), [2]):
    try:
        r.uniform(size)
    except (ValueError, TypeError) as e:
        print(type(e).__name__)
