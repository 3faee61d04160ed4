# x.flat and einsum_path.
import numpy as np
x = np.arange(6).reshape(2, 3)
f = x.flat
print(type(f), f.base is x, f.index, f.coords, next(f), f.index, f.coords, list(f), f.index, len(f))
print(x.flat[3], x.T.flat[3], repr(x.flat[1:4]), x.flat[[0, 5]], x.flat[x.flat > 3], type(x.flat[1:4]))
x.flat[[1, 4]] = 100; print(x)
x.T.flat[0:3] = -1; print(x)
x.flat = [7, 8]; print(x); x.flat = 3; print(x)
y = np.arange(12).reshape(3, 4)[:, ::2]
y.flat[-1] = 55; y.flat[::2] = [9, 10]; print(y)
for v in np.array([[1.5, 2], [3, 4]]).flat: print(v, type(v))
print([i * 2 for i in np.arange(3).flat], sum(np.ones((2, 2)).flat), np.sum(x.flat), np.array(x.flat), np.asarray(x.T.flat).shape, max(x.flat), x.flat.copy(), list(zip(x.flat, y.flat)))
print(np.array([1, 2]).flat == np.array([1, 3]).flat, np.fromiter(x.flat, int), len(x.flat), np.zeros((0, 3)).flat[:], [*np.zeros((2, 0)).flat], np.unique(x.flat), np.concatenate([x.flat, y.flat]), np.array(5.0).flat[0])
for bad in (lambda: x.flat[10], lambda: x.flat[0, 1], lambda: next(np.zeros(0).flat)):
    try:
        bad()
    except (IndexError, StopIteration) as e:
        print(type(e).__name__, e)

def show(*a, **k):
    p, t = np.einsum_path(*a, **k)
    print(p); print(t)
r = np.random.RandomState(0)
a, b, c = r.rand(2, 2), r.rand(2, 5), r.rand(5, 2)
show("ij,jk,kl->il", a, b, c, optimize="greedy")
I, C = r.rand(10, 10, 10, 10), r.rand(10, 10)
show("ea,fb,abcd,gc,hd->efgh", C, C, I, C, C, optimize="greedy")
show("ea,fb,abcd,gc,hd->efgh", C, C, I, C, C, optimize="optimal")
show("ij,jk->ik", a, b); show("ij,jk", a, b, optimize=False); show("ii->i", a); show("ij,jk,kl->il", a, b, c, optimize=True); show("ij,jk,kl->il", a, b, c, optimize=("greedy", 10)); show("ij,jk,kl->il", a, b, c, optimize=["einsum_path", (0, 1), (0, 1)]); show("i,i", np.ones(3), np.ones(3)); show("ab,cd,ef->", a, a, a); show("ij,jk,kl,lm,mn->in", r.rand(3, 40), r.rand(40, 2), r.rand(2, 50), r.rand(50, 4), r.rand(4, 5), optimize="optimal"); show("ij,jk,kl,lm,mn->in", r.rand(3, 40), r.rand(40, 2), r.rand(2, 50), r.rand(50, 4), r.rand(4, 5)); show("ijk,ilm,njm,nlk,abc->", *[r.rand(3, 3, 3)] * 5)
