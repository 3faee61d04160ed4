# _order -- the part of the array core (_array) that goes by order: quantiles, sets, counts in bins, lines between points; and
# polynomials. Methods of Core, which has w (the natives), array, loose and floats of its library.


def product(sizes):
    n = 1
    for s in sizes:
        n *= s
    return n


class Order:
    # ---- order statistics

    quantile_methods = ("linear", "lower", "higher", "midpoint", "nearest")

    # A library sets others of these three, where its own numbers differ.

    def nearest(self, at):
        return self.w.round(at)

    def above(self, at):
        # the second of the neighbours that a place lies between
        return self.w.ceil(at)

    def between(self, low, high, t, method):
        # At t of the way from low to high, from the nearer end, so that it is monotonic; "median": the mean of both. The dtype of t
        # is that of places.
        w, d = self.w, low.dtype
        if method == "median":
            return w.where(w.eq(t, 0), low, w.mean(w.stack([low, high], 0), 0))
        if method == "midpoint":
            t = w.where(w.gt(t, 0), w.full_like(t, 0.5), t)
        return w.where(w.lt(t, 0.5), low + (high - low) * w.cast(t, d), high - (high - low) * w.cast(1 - t, d))

    def quantile(self, x, q, axis=None, method="linear", keepdims=False, skip=False):
        # x: floats, some along the axes; q: 0 .. 1, one or a vector, in whose dtype places are counted. A row with NaN is NaN;
        # skip: it goes without them.
        w = self.w
        x, kept = self.rows(x, axis)
        x = w.sort(x, -1)[0]        # NaN last
        bad = w.is_nan(x)
        last = w.clip(w.sum(w.cast(w.logical_not(bad), q.dtype), -1, True) - 1, 0, None) if skip else x.shape[-1] - 1
        at = w.reshape(q, (-1,))
        at = w.broadcast_to(at * last, tuple(x.shape)[:-1] + (at.shape[0],))
        pick = lambda i: w.take_along(x, w.cast(w.clip(w.minimum(i, last), 0, None), w.int32), -1)
        whole = {"lower": w.floor, "higher": w.ceil, "nearest": self.nearest}
        if method in whole:
            y = pick(whole[method](at))
        else:
            low = w.floor(at)
            y = self.between(pick(low), pick(self.above(at)), at - low, method)
        y = w.where((w.all if skip else w.any)(bad, -1, True), float("nan"), y)
        y = w.move_axis(y, -1, 0) if len(q.shape) else w.squeeze(y, -1)
        return w.reshape(y, tuple(q.shape) + tuple(kept)) if keepdims else y

    def average(self, x, axis, weights, keepdims):
        # (the mean of floats, the sum of the weights): these like x, or along the axes alone
        w, weights = self.w, self.array(weights)
        if tuple(weights.shape) != tuple(x.shape):
            if axis is None:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
            axes = self.axes(axis, len(x.shape))
            if tuple(weights.shape) != tuple([x.shape[i] for i in axes]):
                raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
            weights = w.permute(weights, sorted(range(len(axes)), key=lambda i: axes[i]))
            weights = w.reshape(weights, [n if i in axes else 1 for i, n in enumerate(x.shape)])
        scale = w.sum(w.broadcast_to(weights, x.shape), axis, keepdims)
        return w.sum(x * weights, axis, keepdims) / scale, scale

    # ---- sets

    def lexsort(self, keys, axis=-1):
        # The last key is the first to go by.
        keys = [self.array(k) for k in keys]
        if not keys:
            raise TypeError("need sequence of keys with len > 0 in lexsort")
        axis = axis % len(keys[0].shape)
        index = self.w.iota(self.w.int32, tuple(keys[0].shape), axis)
        return self.w.cast(self.w.op("sort", keys[::-1] + [index], {"axis": axis, "keys": len(keys)})[-1], self.s.index())

    def distinct(self, x, axis=None, equal_nan=True, starts=None):
        # (values, first place, which of them each one is, how often): of all elements, or of the rows along an axis in the order of
        # their elements. starts(new): the places of what is true, in a way of the library's own, perhaps fewer or more.
        w, d = self.w, self.s.index()
        rows = w.reshape(x, (-1, 1)) if axis is None else w.move_axis(x, axis, 0)
        n, row = rows.shape[0], tuple(rows.shape)[1:]
        if n == 0:
            none = w.full((0,), 0, d)
            return w.reshape(rows, (-1,)) if axis is None else x, none, none, none
        flat = w.reshape(rows, (n, product(row)))
        if axis is None:
            order = w.sort(flat, 0)[1][:, 0]
        else:
            order = self.lexsort([flat[:, i] for i in range(flat.shape[1] - 1, -1, -1)]) if flat.shape[1] else w.arange(0, n)
        values = w.take(flat, order, 0)
        new = w.ne(values[1:], values[:-1])
        if equal_nan and values.dtype.is_inexact:
            new = w.logical_and(new, w.logical_not(w.logical_and(w.is_nan(values[1:]), w.is_nan(values[:-1]))))
        new = w.concat([w.full((1,), True, w.bool_), w.any(new, 1)], 0)
        group = w.cumsum(w.cast(new, d), 0) - 1
        at = w.cast(w.reshape(w.nonzero(new), (-1,)) if starts is None else starts(new), d)
        k = at.shape[0]
        inverse = w.put_along(w.full((n,), 0, d), order, group, 0)
        counts = w.index_add(w.full((k + 1,), 0, d), w.minimum(group, k), w.full((n,), 1, d))[:k]
        values = w.reshape(w.take(values, at, 0), (-1,) if axis is None else (k,) + row)
        return values if axis is None else w.move_axis(values, 0, axis), w.cast(w.take(order, at, 0), d), inverse, counts

    def chosen(self, found, shape, index, inverse, counts):
        # what unique gives of distinct: the values alone, or a tuple; shape: that of the inverse, or None
        out = [found[0]]
        if index:
            out.append(found[1])
        if inverse:
            out.append(found[2] if shape is None else self.w.reshape(found[2], shape))
        if counts:
            out.append(found[3])
        return out[0] if len(out) == 1 else tuple(out)

    def intersect1d(self, a, b):
        # (values, where they are in a, in b)
        (u, i), (v, j) = self.distinct(a)[:2], self.distinct(b)[:2]
        inside, others = self.isin(u, v), self.isin(v, u)
        return u[inside], i[inside], j[others]

    def joined(self, a, b):
        return self.concatenate([self.w.reshape(self.array(a), -1), self.w.reshape(self.array(b), -1)], 0)

    def union1d(self, ar1, ar2):
        return self.distinct(self.joined(ar1, ar2))[0]

    def setdiff1d(self, ar1, ar2, assume_unique=False):
        a = self.w.reshape(self.array(ar1), -1) if assume_unique else self.distinct(self.array(ar1))[0]
        return a[self.isin(a, ar2, invert=True)]

    def setxor1d(self, ar1, ar2, assume_unique=False):
        return self.union1d(self.setdiff1d(ar1, ar2), self.setdiff1d(ar2, ar1))

    def isin(self, element, test_elements, assume_unique=False, invert=False):
        x, t = self.array(element), self.w.reshape(self.array(test_elements), -1)
        r = self.w.any(self.w.eq(self.w.expand_dims(x, -1), t), -1)
        return self.w.logical_not(r) if invert else r

    def in1d(self, ar1, ar2, assume_unique=False, invert=False):
        return self.isin(self.w.reshape(self.array(ar1), -1), ar2, assume_unique, invert)

    def equal(self, a1, a2, equal_nan=False):
        # an array; False: they have different shapes
        a, b = self.loose(a1), self.loose(a2)
        if tuple(a.shape) != tuple(b.shape):
            return False
        same = self.w.eq(a, b)
        if equal_nan:
            same = self.w.logical_or(same, self.w.logical_and(self.w.is_nan(a), self.w.is_nan(b)))
        return self.w.all(same)

    # ---- places and bins

    def unravel(self, i, sizes):
        out = []
        for n in list(sizes)[::-1]:
            out.append(self.w.remainder(i, n))
            i = self.w.floor_div(i, n)
        return tuple(out[::-1])

    def counted(self, x, edges, weights):
        # the weights in each bin, of a vector: what lies on the last edge is in the last bin
        return self.histogramdd(self.w.expand_dims(x, 1), [edges], weights, False)

    def interp(self, x, xp, fp, left, right, period, line):
        # fp between the points xp, which go up; line(x, x0, x1, y0, y1): the library's numbers. left and right: beyond the points,
        # None for the last ones, a text to go on with the line.
        w = self.w
        if period is not None:
            x = w.remainder(x, period)
            xp, order = w.sort(w.remainder(xp, period), 0)
            fp = w.take(fp, order, 0)
            xp = w.concat([xp[-1:] - period, xp, xp[:1] + period], 0)
            fp = w.concat([fp[-1:], fp, fp[:1]], 0)
        i = w.clip(w.searchsorted(xp, x, True), 1, xp.shape[0] - 1)
        y = line(x, *[w.take(v, k, 0) for v in (xp, fp) for k in (i - 1, i)])
        if period is None:
            if not isinstance(left, str):
                y = w.where(w.lt(x, xp[0]), fp[0] if left is None else left, y)
            if not isinstance(right, str):
                y = w.where(w.gt(x, xp[-1]), fp[-1] if right is None else right, y)
        return y

    def select(self, condlist, choicelist, default=0):
        y = default
        for c, x in list(zip(condlist, choicelist))[::-1]:
            y = self.w.where(self.array(c), x, y)
        return y

    def piecewise(self, x, condlist, funclist, *args, **kw):
        w, x = self.w, self.array(x)
        conds = [self.loose(c) for c in condlist]
        call = lambda f: w.cast(f(x, *args, **kw), x.dtype) if callable(f) else w.full(x.shape, f, x.dtype)
        y = call(funclist[len(conds)]) if len(funclist) > len(conds) else w.zeros_like(x)
        for c, f in zip(conds, funclist):     # of several that hold the last one counts
            y = w.where(c, call(f), y)
        return y

    def nan_to_num(self, x, nan, posinf, neginf, top):
        w = self.w
        y = w.where(w.is_nan(x), nan, x)
        y = w.where(w.eq(x, float("inf")), top if posinf is None else posinf, y)
        return w.where(w.eq(x, float("-inf")), -top if neginf is None else neginf, y)

    # ---- bits in bytes

    def packbits(self, a, axis=None, bitorder="big"):
        w, a = self.w, self.array(a)
        a = w.reshape(a, (-1,)) if axis is None else w.move_axis(a, axis, -1)
        a = w.cast(w.ne(a, 0), w.int32)
        a = w.pad(a, [0] * len(a.shape), [0] * (len(a.shape) - 1) + [-a.shape[-1] % 8])
        weights = [1 << i for i in range(8)]
        a = w.reshape(a, tuple(a.shape)[:-1] + (a.shape[-1] // 8, 8))
        y = w.cast(w.sum(a * w.tensor(weights[::-1] if bitorder == "big" else weights, w.int32), -1), w.uint8)
        return y if axis is None else w.move_axis(y, -1, axis)

    def unpackbits(self, a, axis=None, count=None, bitorder="big"):
        w, a = self.w, self.array(a)
        if a.dtype != w.uint8:
            raise TypeError("Expected an input array of unsigned byte data type")
        a = w.reshape(a, (-1,)) if axis is None else w.move_axis(a, axis, -1)
        shifts = list(range(8))
        shifts = w.tensor(shifts[::-1] if bitorder == "big" else shifts, w.int32)
        bits = w.bitwise_and(w.shift_right(w.expand_dims(w.cast(a, w.int32), -1), shifts), w.full((), 1, w.int32))
        y = w.cast(w.reshape(bits, tuple(a.shape)[:-1] + (8 * a.shape[-1],)), w.uint8)
        y = y if count is None else y[..., :count]
        return y if axis is None else w.move_axis(y, -1, axis)

    # ---- indices and matrices of them

    def indices(self, dimensions, dtype=None, sparse=False):
        dimensions = tuple(dimensions)
        w, d, n = self.w, self.s.index() if dtype is None else dtype, len(dimensions)
        if sparse:
            return tuple([w.iota(d, (1,) * i + (k,) + (1,) * (n - i - 1), i) for i, k in enumerate(dimensions)])
        parts = [w.iota(d, dimensions, i) for i in range(n)]
        return w.stack(parts, 0) if parts else w.full((0,), 0, d)

    def places(self, mask):
        # where it is true, one vector for each axis
        at = self.w.cast(self.w.nonzero(mask), self.s.index())
        return tuple([at[:, i] for i in range(len(mask.shape))])

    def tril_indices(self, n, k=0, m=None):
        return self.places(self.w.tri(n, n if m is None else m, k, self.w.bool_))

    def triu_indices(self, n, k=0, m=None):
        return self.places(self.w.logical_not(self.w.tri(n, n if m is None else m, k - 1, self.w.bool_)))

    def tril_indices_from(self, arr, k=0):
        return self.tril_indices(arr.shape[-2], k, arr.shape[-1])

    def triu_indices_from(self, arr, k=0):
        return self.triu_indices(arr.shape[-2], k, arr.shape[-1])

    def mask_indices(self, n, mask_func, k=0):
        return self.places(self.w.ne(mask_func(self.w.full((n, n), 1, self.s.index()), k), 0))

    def diag_indices(self, n, ndim=2):
        return (self.w.arange(0, n),) * ndim

    def diag_indices_from(self, arr):
        shape = tuple(arr.shape)
        if len(shape) < 2:
            raise ValueError("input array must be at least 2-d")
        if any([n != shape[0] for n in shape]):
            raise ValueError("All dimensions of input must be of equal length")
        return self.diag_indices(shape[0], len(shape))

    def resize(self, a, new_shape):
        # its elements again and again
        shape, flat = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape), self.w.reshape(self.array(a), -1)
        if not flat.shape[0] or not product(shape):
            return self.w.full(shape, 0, flat.dtype)
        return self.w.reshape(self.w.take(flat, self.w.remainder(self.w.arange(0, product(shape)), flat.shape[0]), 0), shape)

    def tensorinv(self, a, ind, inv):
        if ind <= 0:
            raise ValueError("Invalid ind argument.")
        lead, tail = tuple(a.shape)[:ind], tuple(a.shape)[ind:]
        return self.w.reshape(inv(self.w.reshape(a, (product(lead), product(tail)))), tail + lead)

    def tensorsolve(self, a, b, axes, solve):
        if axes is not None:
            last = self.axes(axes, len(a.shape))
            a = self.w.permute(a, [i for i in range(len(a.shape)) if i not in last] + last)
        rest = tuple(a.shape)[len(b.shape):]
        rows = product(tuple(a.shape)[:len(b.shape)])
        return self.w.reshape(solve(self.w.reshape(a, (rows, product(rest))), self.w.reshape(b, (-1,))), rest)

    # ---- polynomials, the highest power first

    def polyint(self, p, m=1, k=None):
        # k: one constant for all turns, or one for each
        if m < 0:
            raise ValueError("Order of integral must be positive (see polyder)")
        p = self.floats(p)
        k = p[:0] if k is None else self.floats(self.array(k))
        k = self.w.reshape(k, (-1,))
        if k.shape[0] == 0:
            k = self.w.full((m,), 0, p.dtype)
        elif k.shape[0] == 1 and m > 1:
            k = self.w.broadcast_to(k, (m,))
        if k.shape[0] < m:
            raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
        for i in range(m):
            n = p.shape[0]
            p = self.w.concat([p / self.w.cast(self.w.arange(n, 0, -1), p.dtype), k[i:i + 1]], 0)
        return p

    def poly(self, seq):
        # The polynomial of given zeros, or a matrix's characteristic one by its eigenvalues (which the caller takes).
        seq = self.floats(seq)
        out = self.w.full((1,), 1, seq.dtype)
        zero = self.w.full((1,), 0, seq.dtype)
        for i in range(seq.shape[0]):
            out = self.w.concat([out, zero], 0) - self.w.concat([zero, out * seq[i]], 0)
        return out

    def _aligned(self, a, b):
        a, b = self.w.reshape(self.array(a), -1), self.w.reshape(self.array(b), -1)
        n = max(a.shape[0], b.shape[0])
        return [self.w.pad(p, [n - p.shape[0]], [0]) for p in (a, b)]

    def polyadd(self, a1, a2):
        a, b = self._aligned(a1, a2)
        return a + b

    def polysub(self, a1, a2):
        a, b = self._aligned(a1, a2)
        return a - b

    def polyder(self, p, m=1):
        p = self.array(p)
        for _ in range(m):
            p = p[:-1] * self.w.arange(p.shape[0] - 1, 0, -1)
        return p

    def polyval(self, p, x):
        p, x = self.array(p), self.array(x)
        y = self.w.zeros_like(x)
        for i in range(p.shape[0]):
            y = y * x + p[i]
        return y

    def polydiv(self, u, v):
        # (quotient, rest) of vectors of floats of one dtype
        n, m = u.shape[0] - 1, v.shape[0] - 1
        scale, q = 1.0 / v[0], []
        for k in range(n - m + 1):
            d = scale * u[k]
            q.append(d)
            u = self.w.concat([u[:k], u[k:k + m + 1] - d * v, u[k + m + 1:]], 0)
        return self.w.stack(q, 0) if q else self.w.full((1,), 0, u.dtype), u

    def roots(self, p, eigvals, none):
        # The eigenvalues of the companion matrix; zeros at the end of p are roots 0. none: the dtype where there is no other root.
        if len(p.shape) != 1:
            raise ValueError("Input must be a rank-1 array.")
        at = [i for i, c in enumerate(p.tolist()) if c != 0]
        zeros, p = p.shape[0] - at[-1] - 1 if at else 0, p[at[0]:at[-1] + 1] if at else p[:1]
        n = p.shape[0] - 1
        if n <= 0:
            return self.w.full((zeros,), 0.0, none)
        r = eigvals(self.w.concat([self.w.expand_dims(-p[1:] / p[0], 0), self.w.eye(n - 1, n, 0, p.dtype)], 0))
        return self.w.concat([r, self.w.full((zeros,), 0.0, r.dtype)], 0) if zeros else r

    def polyfit(self, x, y, deg, rcond, w, cov, lstsq):
        # (coefficients, what lstsq gave beside them, their covariance or None): least squares of the powers of x, each scaled to
        # length 1. x, y, w: floats.
        n = self.w
        for wrong, text in ((deg < 0, None), (len(x.shape) != 1, "expected 1D vector for x"),
                            (product(x.shape) == 0, "expected non-empty vector for x"),
                            (len(y.shape) not in (1, 2), "expected 1D or 2D array for y"),
                            (x.shape[:1] != y.shape[:1], "expected x and y to have same length"),
                            (w is not None and len(w.shape) != 1, "expected a 1-d array for weights")):
            if wrong:
                raise TypeError(text) if text else ValueError("expected deg >= 0")
        a, many = n.pow(n.expand_dims(x, 1), n.arange(deg, -1, -1)), len(y.shape) == 2
        if w is not None:
            a, y = a * n.expand_dims(w, 1), y * (n.expand_dims(w, 1) if many else w)
        scale = n.sqrt(n.sum(a * a, 0))
        c, residuals, rank, s = lstsq(a / scale, y, rcond)
        c = c / (n.expand_dims(scale, 1) if many else scale)
        if not cov:
            return c, (residuals, rank, s), None
        v = n.inv(n.matmul(n.permute(a / scale), a / scale)) / n.outer(scale, scale)
        if cov != "unscaled" and x.shape[0] <= deg + 1:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        v = n.expand_dims(v, -1) if many else v
        return c, (residuals, rank, s), v if cov == "unscaled" else v * (residuals / (x.shape[0] - deg - 1))
