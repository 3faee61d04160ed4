# Slices from an expression to another a number further: of that size, unless the axis ends before.
import numpy as np
import aesara
import aesara.tensor as at

data = aesara.shared(np.arange(22.0).reshape(11, 2))
labels = aesara.shared(np.arange(11.0))
i, j = at.lscalar("i"), at.iscalar("j")
x = at.matrix("x")
f = aesara.function([i], x.reshape((4, 1, 1, 2)).sum((1, 2)), givens={x: data[i * 4:(i + 1) * 4]})
print(f(0), f(1))
try:
    f(2)
except ValueError:
    print("3 rows are not 4")
g = aesara.function([i], [x.sum(0), x.shape], givens={x: data[i * 4:(i + 1) * 4]})
print(g(0), g(2), g(3), g(-1), g(-2))
y = at.ivector("y")
w = aesara.shared(np.ones(2))
e = at.neq(at.cast(at.dot(x, w), "int32"), y).mean()
h = aesara.function([j], e, givens={x: data[j * 5:j * 5 + 5], y: at.cast(labels, "int32")[j * 5:(j + 1) * 5]})
print(h(0), h(1), h(2))
k = aesara.function([i, j], data[i + j:i + j + 3, 1])
print(k(1, 2), k(4, 5), k(-3, 1), k(0, -1))
cost = ((at.dot(x, w) - 1) ** 2).mean()
train = aesara.function([i], cost, updates=[(w, w - 0.001 * aesara.grad(cost, w))], givens={x: data[i * 4:(i + 1) * 4]})
print([round(float(train(n)), 6) for n in (0, 1, 2, 0)], w.get_value())
data.set_value(np.ones((3, 2)))
print(g(0), k(0, 0))
v = at.vector("v")
print(aesara.function([v, i], v[2 * i - 1:i + i + 1])(np.arange(6.0), 2))
