# Arguments of NumPy's functions that change the result, and what NumPy refuses.
import numpy as np


def t(name, f):
    try:
        print(name, repr(f()))
    except Exception as e:
        print(name, type(e).__name__)


x = np.array([1.0, 2.0, 4.0])
m = np.arange(6).reshape(2, 3)
i = np.array([1, 3, 1])

t("ediff1d", lambda: np.ediff1d(x, to_begin=0, to_end=[8, 9]))
t("cov", lambda: np.cov(x, fweights=[1, 2, 1]))
t("cov of weights", lambda: np.cov(m, aweights=[0.5, 1.0, 1.0], ddof=0))
t("cov of float32", lambda: np.cov(m.astype(np.float32)))
t("cov of both", lambda: np.cov(m, fweights=[1, 2, 1], aweights=[0.5, 1.0, 2.0]))
t("average", lambda: np.average([1, 2, 3], weights=[1, 2, 3], returned=True))
t("linspace", lambda: np.linspace([0, 1], [4, 5], 3, axis=1))
t("logspace", lambda: np.logspace(0, 2, 3))
t("intersect1d", lambda: np.intersect1d([3, 1, 1], [1, 3, 2], return_indices=True))
t("setdiff1d", lambda: np.setdiff1d([3, 1, 3, 2], [1], assume_unique=True))
for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "median", "linear_ramp"):
    t("pad " + mode, lambda: np.pad(x, (2, 3), mode=mode))
    t("pad ints " + mode, lambda: np.pad(m, ((1, 0), (0, 2)), mode=mode))
t("pad values", lambda: np.pad(x, 2, constant_values=(7, 8)))
t("pad length", lambda: [np.pad(x, 2, mode="mean", stat_length=k) for k in (1, 2, (1, 2))])
t("pad ends", lambda: np.pad(x, (2, 2), mode="linear_ramp", end_values=(5, -4)))
t("pad odd", lambda: [np.pad(x, (2, 4), mode=k, reflect_type="odd") for k in ("reflect", "symmetric")])
t("pad of another mode", lambda: np.pad(x, 1, mode="edge", constant_values=1))
t("pad by no mode", lambda: np.pad(x, 1, mode="nothing"))
t("unravel_index", lambda: [np.unravel_index([1, 5], (2, 3), order=o) for o in "CF"])
t("unravel_index outside", lambda: np.unravel_index(9, (2, 3)))
t("ravel_multi_index", lambda: [np.ravel_multi_index(([1, 0], [2, 1]), (2, 3), order=o) for o in "CF"])
t("ravel_multi_index modes", lambda: [np.ravel_multi_index(([3], [4]), (2, 3), mode=k) for k in ("clip", "wrap", ("wrap", "clip"))])
t("ravel_multi_index outside", lambda: np.ravel_multi_index(([3], [4]), (2, 3)))
t("choose", lambda: [np.choose([0, 4, -1], [[1, 2, 3], [10, 20, 30]], mode=k) for k in ("clip", "wrap")])
t("choose outside", lambda: np.choose([0, 4, 1], [[1, 2, 3], [10, 20, 30]]))
t("interp", lambda: np.interp([-1.0, 5.0, 0.5], [0.0, 1.0, 3.0], [2.0, 4.0, 8.0], period=4.0))
t("einsum", lambda: np.einsum("ij->i", m, dtype=np.float64))
t("einsum down", lambda: np.einsum("i->", x, dtype=np.int32))
t("can_cast", lambda: [np.can_cast(a, b, c) for a, b in (("f8", "f4"), ("i4", "f4"), ("f4", "i4"), ("u1", "i1"))
                       for c in ("safe", "same_kind", "unsafe", "no")])
t("astype", lambda: x.astype(np.float32, casting="same_kind"))
t("astype safe", lambda: x.astype(np.int64, casting="safe"))
t("nan dtypes", lambda: [f(x, dtype=np.float32) for f in (np.nanmean, np.nanvar, np.nanstd)])
t("fromstring", lambda: np.fromstring("1 2 3", count=2, sep=" "))
t("lexsort", lambda: (np.lexsort(np.array([[2, 1, 2], [1, 1, 0]])), np.lexsort((m, m[::-1])), np.lexsort((m,), axis=0)))
t("array2string", lambda: (np.array2string(x, separator=", "), np.array2string(x, precision=1)))
t("vectorize", lambda: np.vectorize(lambda a, b: a + b)(m, [1, 2, 3]))
t("vectorize two", lambda: np.vectorize(lambda a: (a, a * 0.5))(i))
t("vectorize signature", lambda: np.vectorize(lambda r: r.sum(), signature="(n)->()")(m))
t("vectorize excluded", lambda: np.vectorize(lambda a, b: a + b, excluded=["b"])(i, b=1))
t("vectorize otypes", lambda: np.vectorize(lambda a: a, otypes=[np.float32])(i))
t("integer zero", lambda: [np.array([5, 0, -5]) // np.array([0, 0, 0]), np.array([5, 0, -5]) % np.array([0, 0, 0])])


def filled(shape, **kw):
    a = np.zeros(shape, int)
    np.fill_diagonal(a, 1, **kw)
    return a


t("fill_diagonal", lambda: [filled((5, 2)), filled((5, 2), wrap=True), filled((2, 4), wrap=True), filled((2, 2, 2))])
t("fill_diagonal of one", lambda: filled((3,)))


def put(mode):
    a = np.arange(4)
    a.put([1, 9, -2], [7, 8], mode=mode)
    return a


t("put", lambda: [put("clip"), put("wrap")])
t("put outside", lambda: put("raise"))
