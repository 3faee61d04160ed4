# Functions are programs: sizes that are numbers, updates and defaults, derivatives by parts, loops.
import numpy as np
import aesara
import aesara.tensor as at
from aesara import function, shared, scan, grad
from aesara.ifelse import ifelse
from aesara.scan.utils import until
x, y = at.dscalars("x", "y"); v, u = at.dvectors("v", "u"); m = at.dmatrix("m"); i, j = at.iscalars("i", "j"); k = at.lvector("k")
def show(*a):
    for z in a: print(np.asarray(z).tolist())
# sizes that are numbers
show(function([i], at.eye(i))(3), function([i, j], at.zeros((i, j)) + 1)(2, 3), function([i], at.arange(i) ** 2)(4), function([i, j], at.arange(i, j, 2))(1, 8))
show(function([v, i], v[:i])([1., 2., 3.], 2), function([v, i], v[i:])([1., 2., 3.], -2), function([v, i, j], v[i:j])([1., 2., 3., 4.], 1, 3), function([v, i], v[i::-1])([1., 2., 3.], 1))
show(function([v], v[:10])([1., 2.]), function([v], v[-5:])([1., 2.]), function([v], v[3:0:-1])([1., 2., 3., 4., 5.]), function([m], m[::-1, 1:])(np.arange(6.).reshape(2, 3)))
show(function([m], m.reshape((m.shape[1], m.shape[0])))(np.arange(6.).reshape(2, 3)), function([m], m.flatten())(np.ones((2, 2))), function([m], m.reshape((-1, 1)))(np.ones((2, 2))), function([m], m.reshape(m.T.shape))(np.arange(6.).reshape(3, 2)))
show(function([v, k], at.repeat(v, k))([1., 2., 3.], [1, 0, 2]), function([v], at.tile(v, 2))([1., 2.]), function([k], at.bincount(k))([0, 2, 2]), function([v], at.unique(v))([3., 1., 3.]))
show(function([v, i], at.set_subtensor(v[i:], 9.0))([1., 2., 3.], 1), function([v, i], at.inc_subtensor(v[i], 9.0))([1., 2., 3.], 1), function([v, k], at.inc_subtensor(v[k], 1.0))([1., 2., 3.], [0, 0, 2]), function([m, i], at.set_subtensor(m[:i, i:], 7.0))(np.zeros((3, 3)), 2))
show(function([v, i], grad((v[:i] ** 2).sum(), v))([1., 2., 3.], 2), function([v, k], grad((v[k] ** 2).sum(), v))([1., 2., 3.], [0, 0, 2]))
show(function([v, i], at.roll(v, i))([1., 2., 3.], 1), function([m], at.diag(m))(np.arange(9.).reshape(3, 3)), function([v], at.diag(v))([1., 2.]), function([v], at.cumprod(v))([1., 2., 3.]))
show(*function([v], at.nonzero(v))([0., 2., 3.]), function([v], v[v > 1])([0., 2., 3.]), function([v], v[at.nonzero(v)].sum())([0., 2., 3.]))
# updates, givens, defaults
s = shared(np.array([1.0, 2.0]), "s"); f = function([v], (s * v).sum(), updates=[(s, s + v)]); show(f([1., 1.]), f([1., 1.]), s.get_value())
g = function([], s * 2, givens={s: u * 3}, on_unused_input="ignore") if False else function([u], s * 2, givens={s: u * 3}); show(g([1., 1.]), s.get_value())
c = shared(0, "c"); c.default_update = c + 1; h = function([], c); show(h(), h(), c.get_value()); h2 = function([], c, no_default_updates=True); show(h2(), h2())
h3 = function([], c, no_default_updates=[c]); show(h3(), h3()); h4 = function([], c, updates={c: c + 10}); show(h4(), c.get_value())
from aesara.compile.io import In
f = function([x, In(y, value=2.0)], x * y); show(f(3.0), f(3.0, 4.0), f(3.0, y=5.0))
f = function([x, In(y, value=0.0, update=x + y, name="acc")], y); show(f(1.0), f(2.0), f(3.0))
out = function([], s)(); out[0] = 100.; show(s.get_value())
# gradients
h = x * y + x; c2 = h * h + x * 2
show(*function([x, y], grad(c2, [x, y, h]))(2.0, 3.0), function([x, y], grad(c2, x, consider_constant=[h]))(2.0, 3.0), *function([x, y], grad(None, [x, y], known_grads={h: at.constant(2.0)}))(2.0, 3.0))
show(function([x, y], grad(ifelse(x > y, x ** 2, y ** 3), x))(3.0, 2.0), function([x, y], grad(ifelse(x > y, x ** 2, y ** 3), [x, y][1]))(1.0, 2.0))
show(function([v, u], aesara.gradient.Rop(v ** 2, v, u))([1., 2.], [3., 1.]), function([v, u], aesara.gradient.Lop(v ** 2, v, u))([1., 2.], [3., 1.]), function([v], aesara.gradient.jacobian(v ** 2 * v.sum(), v))([1., 2.]), function([v], aesara.gradient.hessian((v ** 3).sum() * v[0], v))([1., 2.]))
# scan
r, up = scan(lambda a, b: a + b, sequences=v, outputs_info=at.constant(0.0, dtype="float64")); show(function([v], r)([1., 2., 3.]), function([v], grad(r.sum(), v))([1., 2., 3.]))
r, up = scan(lambda a, b: a + b, sequences=v, outputs_info=at.constant(0.0, dtype="float64"), go_backwards=True); show(function([v], r)([1., 2., 3.]))
r, up = scan(lambda a, b: a * 2 + b, outputs_info=[dict(initial=v, taps=[-2, -1])], n_steps=i); show(function([v, i], r)([1., 2.], 4))
r, up = scan(lambda p, q, a: p * q + a, sequences=[dict(input=v, taps=[-1, 1])], outputs_info=x); show(function([v, x], r)([1., 2., 3., 4.], 1.0), function([v, x], grad(r[-1], v))([1., 2., 3., 4.], 1.0))
r, up = scan(lambda a: (a * 2, until(a * 2 > 30)), outputs_info=x, n_steps=100); show(function([x], r)(1.0), function([x], grad(r[-1], x))(1.0))
r, up = scan(lambda w, p: w * p, sequences=v, outputs_info=[x], truncate_gradient=2); show(function([v, x], r)([1., 2., 3., 4.], 1.5), function([v, x], grad(r[-1], v))([1., 2., 3., 4.], 1.5), function([v, x], grad(r[-1], x))([1., 2., 3., 4.], 1.5), function([v, x], grad(r.sum(), v))([1., 2., 3., 4.], 1.5))
acc = shared(0.0, "acc"); r, up = scan(lambda a: (a * 2, {acc: acc + a}), sequences=v); f = function([v], r, updates=up); show(f([1., 2.]), acc.get_value())
r, up = scan(lambda a, w: at.dot(w, a), sequences=m, non_sequences=[m.T]); show(function([m], r)(np.arange(4.).reshape(2, 2)))
r, up = scan(lambda a, b, p, q: [a + p, b * q], sequences=[v, u], outputs_info=[x, y]); show(*function([v, u, x, y], r)([1., 2., 3.], [1., 2.], 0.0, 1.0))
r, up = aesara.map(lambda a: a ** 2, v); show(function([v], r)([1., 2.])); r, up = aesara.reduce(lambda a, b: a + b, v, x); show(function([v, x], r)([1., 2.], 0.5)); r, up = aesara.foldr(lambda a, b: a + b * 2, v, x); show(function([v, x], r)([1., 2.], 0.5))
def outer(a):
    q, _ = scan(lambda b, s: s + a * b, sequences=v, outputs_info=at.constant(0.0, dtype="float64")); return q[-1]
r, up = scan(outer, sequences=u); show(function([v, u], r)([1., 2.], [3., 4., 5.]), function([v, u], grad(r.sum(), v))([1., 2.], [3., 4., 5.]))
print(bool(s), not s)

