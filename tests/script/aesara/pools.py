# Pools with all of their modes, borders and strides, and the derivative of a maximum that several share.
import numpy as np
import aesara
import aesara.tensor as at
from aesara.tensor.signal.pool import pool_2d, pool_3d
from aesara.tensor.xlogx import xlogx, xlogy0

x = at.tensor4("x")
v = np.random.RandomState(0).randn(1, 2, 5, 7).round(1)
for mode in ("max", "sum", "average_inc_pad", "average_exc_pad"):
    for border, stride, pad in ((True, None, (0, 0)), (False, None, (0, 0)), (True, (1, 2), (1, 1)), (False, (1, 3), (0, 0)), (False, (3, 3), (0, 0))):
        y = pool_2d(x, (2, 2), ignore_border=border, stride=stride, pad=pad, mode=mode)
        z = y if mode in ("max", "average_exc_pad") and pad == (1, 1) else aesara.grad((y * y).sum(), x)
        out = aesara.function([x], [y, z])(v)
        print(mode, border, out[0].shape, round(float(out[0].sum()), 6), round(float((out[1] ** 2).sum()), 6))
tied = pool_2d(x, (2, 2), ignore_border=True)
print(aesara.function([x], aesara.grad(tied.sum(), x))(np.array([[[[1., 1., 0., 2.], [1., 0., 2., 2.]]]])))
m = at.matrix("m")
print(aesara.function([m], pool_2d(m, (2, 3), ignore_border=True))(v[0, 0]))
t = at.tensor5("t")
print(aesara.function([t], pool_3d(t, (2, 2, 2), ignore_border=True, mode="sum"))(np.ones((1, 1, 4, 4, 5))).shape)
a = at.vector("a")
print(aesara.function([a], [xlogx(a), xlogy0(a, a + 1), aesara.grad(xlogy0(a, a + 1).sum(), a)])(np.array([0.5, 1.0, 3.0])))
print(aesara.function([a], [xlogx(a), xlogy0(a, a)])(np.array([0.0, 2.0])))
for wrong in (dict(ws=None), dict(ws=(2, 2), mode="median"), dict(ws=(2, 2), pad=(1, 1), ignore_border=False)):
    try:
        aesara.function([x], pool_2d(x, **wrong))(v)
    except (ValueError, NotImplementedError) as e:
        print(type(e).__name__)
