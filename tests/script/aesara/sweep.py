# A wide sweep: shapes, dtypes, indexing, derivatives, errors, one function at several sizes, loops.
import numpy as np
import aesara
import aesara.tensor as at
import aesara.tensor.nnet
from aesara import function, shared, grad, scan
from aesara.ifelse import ifelse
x, y = at.dscalars("x", "y"); v, u = at.dvectors("v", "u"); m, n = at.dmatrices("m", "n"); i = at.iscalar("i"); k = at.lvector("k"); t3 = at.dtensor3("t3"); fm = at.fmatrix("fm"); r, c = at.drow("r"), at.dcol("c"); b = at.matrix("b", dtype="bool")
def show(*a):
    for z in a:
        z = np.asarray(z); print(z.dtype, z.shape, z.round(6).tolist())
def err(f):
    try: f(); print("no error")
    except Exception as e: print(type(e).__name__)
A = np.arange(6.).reshape(2, 3); B = np.arange(12.).reshape(3, 4); T = np.arange(24.).reshape(2, 3, 4)
show(function([m, r, c], m + r * 2 - c)(A, np.ones((1, 3)), np.ones((2, 1))), function([m, v], m * v)(A, [1., 2., 3.]), function([m], m - m.mean(axis=0, keepdims=True))(A), function([t3], t3.sum(axis=(0, -1)))(T), function([t3], t3.max(axis=1))(T), function([t3], t3.dimshuffle(2, "x", 0, 1).shape)(T), function([t3], at.argmax(t3, axis=-1))(T))
show(function([fm], fm * 2)(A.astype("float32")), function([fm, m], fm + m)(A.astype("float32"), A), function([fm], fm + 1.5)(A.astype("float32")), function([k], k / 2)([1, 2]), function([k], k // 2)([1, 5]), function([k], k ** 2)([1, 2]), function([i], i * 0.5)(3), function([k], at.cast(k, "float32") * 2)([1]), function([i, k], i + k)(1, [1, 2]), function([k], k.mean())([1, 2]), function([k], k.sum())([1, 2]), function([b], b.sum())(np.array([[True, False]])))
show(*function([t3], at.split(t3, [1, 2], 2, axis=1))(T), function([m, n], at.concatenate([m, n], axis=0))(A, A), function([v], at.stack([v, v * 2]).T)([1., 2.]), function([m], at.tile(m, (2, 1)))(A), function([m, k], m[:, k])(A, [0, 2]), function([m, k], m[k, k])(A, [0, 1]), function([m, b], m[b])(A, A > 2), function([m, k], m[k])(A, [1, 1, 0]), function([t3, i], t3[i, ::2, 1:])(T, 1), function([t3, i], t3[:, i])(T, -1), function([m], m[-1, ::-1])(A), function([m], m[None, :, 0])(A))
show(function([m, k, v], at.set_subtensor(m[k, 0], v))(A, [0, 1], [9., 8.]), function([m], at.inc_subtensor(m[:, 1], 1.0))(A), function([m, v], at.set_subtensor(m[0], v))(A, [1., 1., 1.]), function([m, b], at.set_subtensor(m[b.nonzero()], 0.0))(A, A > 2), function([m, i], at.set_subtensor(m[i:, :i], 5.0))(A, 1))
loss = lambda e: (e ** 2).sum()
show(function([m, k], grad(loss(m[:, k]), m))(A, [0, 2]), function([m, i], grad(loss(m[i:]), m))(A, 1), function([v, k, x], grad(loss(at.inc_subtensor(v[k], x)), v))([1., 2., 3.], [0, 0], 2.0), function([v, k, x], grad(loss(at.set_subtensor(v[k], x)), x))([1., 2., 3.], [0, 2], 2.0), function([m], grad(at.nnet.softmax(m)[:, 0].sum(), m))(A), function([m], grad(at.log(at.exp(m).sum(axis=1)).sum(), m))(A), function([m, n], grad(at.dot(m, n).sum(), n))(A, B), function([t3], grad(t3.max(axis=2).sum(), t3))(T), function([m, v], grad((m + v).sum(), v))(A, [1., 2., 3.]), function([m], grad(m.reshape((m.shape[0] * m.shape[1],))[1:3].prod(), m))(A + 1), function([v], grad(at.sort(v)[0], v))([3., 1., 2.]), function([m], grad(m.std(axis=0).sum(), m))(A), function([m], grad(at.switch(m > 2, m, m * 3).sum(), m))(A), function([x, v], grad((x * v.shape[0] + v.sum()), x))(2.0, [1., 2.]), function([m], grad(at.linalg.det(at.dot(m, m.T)), m))(A))
p = at.nnet.softmax(m); show(function([m, k], at.nnet.categorical_crossentropy(p, k))(A, [0, 2]), function([m], at.nnet.relu(m - 2))(A), function([m], at.sigmoid(m))(A), function([m], at.special.log_softmax(m, axis=-1))(A), function([m], at.nnet.elu(m - 2))(A), function([v], at.clip(v, 1, 2))([0., 1.5, 5.]), function([m, n], at.batched_dot(m, n))(A, A), function([m], at.cumsum(m, axis=0))(A))
# errors
err(lambda: function([m, n], m + n)(A, B)); err(lambda: function([m, n], at.dot(m, n))(A, A)); err(lambda: function([v, i], v[i])([1.], 5)); err(lambda: function([v], v[7])([1.])); err(lambda: function([v], v * 2)([[1.]])); err(lambda: function([v], v + u)); err(lambda: function([v, u], v)); err(lambda: grad(x ** 2, y)); err(lambda: grad(v, v)); err(lambda: function([v], v)(1, 2)); err(lambda: function([v], v)()); err(lambda: at.dot(at.constant(np.ones((2, 3))), at.constant(np.ones((2, 3)))).eval()); err(lambda: function([fm], fm)(np.ones((2, 2)))); err(lambda: function([i], i)(1.5)); err(lambda: scan(lambda a: a, sequences=x)); err(lambda: function([], x)()); err(lambda: function([m], m.reshape((4, 4)))(A)); err(lambda: function([v, k], v[k])([1., 2.], [0, 3])); err(lambda: shared(np.zeros(2)).set_value(np.zeros((2, 2)))); err(lambda: function([x], x, updates=[(x, x + 1)])); err(lambda: function([v, m], at.concatenate([v, m]))); err(lambda: function([k], at.zeros((k.sum(),)))([-3]))
s = shared(np.float32(1.0)); err(lambda: function([x], s, updates=[(s, s + x)])); show(function([x], s, updates=[(s, at.cast(s + x, "float32"))])(2.0), s.get_value())
# several sizes through one function; loops
f = function([m, v], [at.dot(m, v), m.shape, (m * v).sum(axis=1)]); show(*f(A, [1., 1., 1.])); show(*f(np.ones((4, 2)), [1., 2.])); show(*f(np.ones((0, 2)), [1., 2.])); show(*f(np.ones((1, 1)), [3.]))
W = shared(np.arange(4.).reshape(2, 2) / 10); h0 = at.dvector("h0")
hs, _ = scan(lambda a, h, w: at.tanh(a + at.dot(w, h)), sequences=m, outputs_info=h0, non_sequences=W); g = function([m, h0], [hs[-1]] + grad(hs.sum(), [W, h0, m])); show(*g(np.ones((3, 2)), [0., 0.])); show(*g(np.ones((5, 2)), [1., 0.]))
(o1, o2), _ = scan(lambda a, p, q: (p + a, q * a + p), sequences=v, outputs_info=[x, y]); show(*function([v, x, y], [o1, o2, grad(o2[-1], x)])([1., 2., 3.], 0.5, 1.0))
fib, _ = scan(lambda p, q: p + q, outputs_info=[dict(initial=k, taps=[-2, -1])], n_steps=i); show(function([k, i], fib)([0, 1], 6), function([k, i], fib)([2, 1], 0))
z, _ = scan(lambda j, w: (w * j).sum(), sequences=at.arange(v.shape[0]), non_sequences=v); show(function([v], z)([1., 2., 3.]), function([v], grad(z.sum(), v))([1., 2., 3.]))
pw, _ = scan(lambda a: a * x, outputs_info=at.ones_like(x), n_steps=i); show(function([x, i], pw[-1])(2.0, 5), function([x, i], grad(pw[-1], x))(2.0, 5), function([x, i], grad(grad(pw[-1], x), x))(2.0, 5))
show(function([x, y], ifelse(at.lt(x, y), x * 2, y * 3))(1.0, 2.0), *function([x, y], ifelse(at.gt(x, y), [x, y], [y, x]))(1.0, 2.0)); J, _ = scan(lambda j, e, w: grad(e[j], w), sequences=at.arange(v.shape[0]), non_sequences=[v ** 2, v]); show(function([v], J)([1., 2.]))
sq = v ** 2; show(function([v, x], ifelse(x > 0, grad(sq.sum(), v), v))([1., 2.], 1.0), function([v, x], ifelse(x > 0, [grad(sq.sum(), v), sq], [v, v])[0] + sq)([1., 2.], 1.0))
