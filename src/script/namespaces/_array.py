# _array -- the array core: functions that NumPy and its kin have in common, written once.
#
# A library is a Semantics: its natives (which have its promotion and its class of arrays), what it takes as an array,
# how it makes floats, and what it raises. Core(semantics) has the functions as methods; a library gives them its names
# and keeps for itself what differs: arguments such as `out` or `size`, defaults, errors of its own. Nothing here looks at
# numbers, so that all of it may be traced, but where a comment says so.
import _factors
import _order
import _signal


class Semantics:
    def __init__(self, natives, array, floats, loose=None, axis_error=ValueError, shape_error=ValueError, many=tuple,
                 mismatch=None, written=None, index=None):
        self.natives = natives          # _numpy, _jax ..
        self.array = array              # what a function takes as an array
        self.loose = loose or array     # the same where lists are arrays, too
        self.floats = floats            # an array of floats: what division takes
        self.axis_error = axis_error    # of an axis that is not there
        self.shape_error = shape_error  # of shapes that do not go together; mismatch(shapes) is its text
        self.mismatch = mismatch
        self.many = many                # several arrays as a result
        self.written = written          # fn(result, out): into `out`, or an error where there is none
        self.index = index or (lambda: natives.int64)   # the dtype of places and counts


class Core(_order.Order, _signal.Signal):
    def __init__(self, semantics):
        self.s, self.w = semantics, semantics.natives
        self.array, self.loose, self.floats = semantics.array, semantics.loose, semantics.floats

    # ---- bits

    def bitcast(self, x, dtype):
        # The bytes of x as numbers of the dtype: where these are smaller with one axis more, where larger without the last
        # one, which must have as many as make one.
        # A view, where there is memory to look at.
        w, old, new = self.w, x.dtype.itemsize, dtype.itemsize
        shared = w.memory_as(x, dtype) if dtype != w.bool_ else None
        if shared is not None:
            return shared
        if old == new:
            return w.bitcast(x, dtype)
        whole = {1: w.uint8, 2: w.uint16, 4: w.uint32, 8: w.uint64}
        cast = lambda v, d: w.op("cast", [v], {"dtype": d})[0]
        n = max(old, new) // min(old, new)
        big, bits = whole[max(old, new)], 8 * min(old, new)
        shift = lambda shape, k: cast(w.full(shape, bits * k, w.int32), big)
        u = w.bitcast(x, whole[old]) if x.dtype != w.bool_ else w.cast(x, w.uint8)
        if old > new:
            parts = [cast(w.op("shr_logical", [u, shift(u.shape, k)])[0], whole[new]) for k in range(n)]
            return w.bitcast(w.stack(parts, -1), dtype)
        if not x.ndim or x.shape[-1] != n:
            raise ValueError(f"bitcast from {x.dtype.name}{tuple(x.shape)} to {dtype.name} needs a last axis of size {n}")
        total = None
        for k in range(n):
            part = w.shift_left(cast(u[..., k], big), shift(tuple(x.shape)[:-1], k))
            total = part if total is None else w.bitwise_or(total, part)
        return w.bitcast(total, dtype)

    def pairs(self, x):
        # Real and imaginary parts of complex numbers on a new last axis: a view, where they lie side by side.
        w = self.w
        shared = w.memory_as(x, w.float32 if x.dtype.itemsize == 8 else w.float64)
        return w.stack([w.real(x), w.imag(x)], -1) if shared is None else shared

    def part(self, x, k):
        # The real part (k = 0) or the imaginary one of an array, through which a complex one can be written to.
        w = self.w
        if x.dtype.is_complex and not w.about(x, "symbolic"):   # of a symbol, real and imag are views themselves
            shared = w.memory_as(x, w.float32 if x.dtype.itemsize == 8 else w.float64)
            if shared is not None:
                return shared[..., k]
        return w.imag(x) if k else w.real(x)

    def view(self, x, dtype):
        # The same bytes along the last axis.
        w = self.w
        if x.dtype == dtype:
            return x
        if x.dtype.is_complex:      # its parts, one beside the other
            return self.view(w.reshape(self.pairs(x), tuple(x.shape)[:-1] + (2 * x.shape[-1],)), dtype)
        if dtype.is_complex:
            if x.ndim and x.shape[-1] * x.dtype.itemsize % dtype.itemsize == 0 and not x.dtype.is_complex:
                n = dtype.itemsize // x.dtype.itemsize
                split = x if n == 1 else w.reshape(x, tuple(x.shape)[:-1] + (x.shape[-1] // n, n))
                shared = w.memory_as(split, dtype)
                if shared is not None:
                    return shared
            parts = self.view(x, w.float32 if dtype.itemsize == 8 else w.float64)
            return w.complex(parts[..., ::2], parts[..., 1::2])
        old, new, shape = x.dtype.itemsize, dtype.itemsize, tuple(x.shape)
        if old == new:
            return w.bitcast(x, dtype)
        if not shape:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        if shape[-1] * old % new:
            raise ValueError("When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
                             "last axis of the array.")
        if old < new:
            x = self.w.reshape(x, shape[:-1] + (shape[-1] * old // new, new // old))
            return self.bitcast(x, dtype)
        return self.w.reshape(self.bitcast(x, dtype), shape[:-1] + (shape[-1] * old // new,))

    def _signed(self, x):
        return {1: self.w.int8, 2: self.w.int16, 4: self.w.int32, 8: self.w.int64}[x.dtype.itemsize]

    def nextafter(self, x, y):
        # One step in the bits, which are in the order of the numbers on either side of 0; x and y are of one dtype.
        w, ints = self.w, self._signed(x)
        least = -(1 << (8 * x.dtype.itemsize - 1)) + 1
        one = lambda cond, a, b: w.where(cond, w.full((), a, ints), w.full((), b, ints))
        up = w.gt(y, x)
        moved = w.bitcast(w.bitcast(x, ints) + one(w.eq(w.gt(x, 0), up), 1, -1), x.dtype)
        moved = w.where(w.eq(x, 0), w.bitcast(one(up, 1, least), x.dtype), moved)
        moved = w.where(w.eq(x, y), y, moved)
        return w.where(w.logical_or(w.is_nan(x), w.is_nan(y)), x + y, moved)

    def frexp(self, x):
        # (m, e): x = m 2^e with 0.5 <= |m| < 1, from the bits; what is below the normal numbers is made one first. Derivatives of m
        # are those of a product by a number.
        w = self.w
        ints, nmant, nexp = {"float16": (w.uint16, 10, 5), "bfloat16": (w.uint16, 7, 8), "float32": (w.uint32, 23, 8),
                             "float64": (w.uint64, 52, 11)}[x.dtype.name]
        const, bias = lambda v: w.full((), v, ints), (1 << (nexp - 1)) - 1
        tiny = w.logical_and(w.lt(w.abs(x), 2.0 ** (1 - bias)), w.ne(x, 0))
        x = w.where(tiny, x * 2.0 ** (nmant + 1), x)
        bits = w.bitcast(x, ints)
        raw = w.bitwise_and(w.shift_right(bits, const(nmant)), const((1 << nexp) - 1))
        e = w.cast(raw, w.int32) - (bias - 1) - w.where(tiny, nmant + 1, 0)
        keep = w.bitwise_and(bits, w.bitwise_not(const(((1 << nexp) - 1) << nmant)))
        half = w.bitcast(w.bitwise_or(keep, const((bias - 1) << nmant)), x.dtype)
        plain = w.logical_and(w.is_finite(x), w.ne(x, 0))
        scale = w.stop_gradient(w.where(plain, half / w.where(plain, x, 1.0), 1.0))
        return x * scale, w.cast(w.where(plain, e, 0), w.int32)

    def spacing(self, x):
        # The distance to the next number away from 0.
        w = self.w
        size = w.abs(x)
        step = self.nextafter(size, w.full_like(x, float("inf"))) - size
        step = w.where(w.lt(w.bitcast(x, self._signed(x)), 0), -step, step)
        return w.where(w.is_inf(x), w.full_like(x, float("nan")), step)

    def bitwise_count(self, x):
        # Bits that are 1, of the absolute values of signed numbers.
        w, x = self.w, self.array(x)
        u = w.abs(x) if x.dtype.kind == "i" else w.cast(x, w.uint8) if x.dtype == w.bool_ else x
        out = w.zeros_like(u)
        for i in range(8 * x.dtype.itemsize):
            out = out + w.bitwise_and(w.shift_right(u, w.cast(i, u.dtype)), w.cast(1, u.dtype))
        return w.cast(out, w.uint8)

    # ---- axes

    def axis(self, axis, rank):
        if not -rank <= axis < rank:
            raise self.s.axis_error(f"axis {axis} is out of bounds for array of dimension {rank}")
        return axis % rank

    def axes(self, axis, rank):
        axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
        return [self.axis(a, rank) for a in axes]

    def along(self, v, axis, rank):
        # the vector v along one of so many axes
        return self.w.reshape(v, [-1 if i == axis % rank else 1 for i in range(rank)])

    def rows(self, x, axis):
        # x with the axes that are reduced as its last one, and its shape with sizes 1 for them
        gone = self.axes(axis, x.ndim)
        rest = [i for i in range(x.ndim) if i not in gone]
        n = 1
        for i in gone:
            n *= x.shape[i]
        kept = [1 if i in gone else d for i, d in enumerate(x.shape)]
        return self.w.reshape(self.w.permute(x, rest + gone), [x.shape[i] for i in rest] + [n]), kept

    def moveaxis(self, a, source, destination):
        a = self.array(a)
        if isinstance(source, int):
            return self.w.move_axis(a, source, destination)
        source, destination = self.axes(source, a.ndim), self.axes(destination, a.ndim)
        order = [i for i in range(a.ndim) if i not in source]
        for d, s in sorted(zip(destination, source)):
            order.insert(d, s)
        return self.w.permute(a, order)

    def rollaxis(self, a, axis, start=0):
        axis, start = self.axis(axis, a.ndim), start + a.ndim if start < 0 else start
        return self.w.move_axis(a, axis, start - 1 if axis < start else start)

    def expand_dims(self, a, axis):
        a = self.array(a)
        axis = (axis,) if isinstance(axis, int) else axis
        axes = self.axes(axis, a.ndim + len(axis))
        if len(set(axes)) < len(axes):
            raise ValueError(f"repeated axis in expand_dims: {axis}")
        for i in sorted(axes):
            a = self.w.expand_dims(a, i)
        return a

    def broadcast_shapes(self, *shapes):
        out = []
        for s in shapes:
            s = [s] if isinstance(s, int) else list(s)
            n = max(len(out), len(s))
            pairs = list(zip([1] * (n - len(out)) + out, [1] * (n - len(s)) + s))
            if any([x != y and x != 1 and y != 1 for x, y in pairs]):
                raise self.s.shape_error(self.s.mismatch(shapes))
            out = [y if x == 1 else x for x, y in pairs]
        return tuple(out)

    def broadcast_arrays(self, *args):
        xs = [self.array(a) for a in args]
        shape = self.broadcast_shapes(*[tuple(x.shape) for x in xs])
        return self.s.many([self.w.broadcast_to(x, shape) for x in xs])

    # ---- joining, splitting and turning. The library sets `concatenate`.

    def _atleast(self, least, arys):
        out = []
        for x in [self.array(a) for a in arys]:
            if x.ndim < least:
                wide = {1: (1,), 2: (1, -1), 3: (1, -1, 1) if x.ndim < 2 else (*x.shape, 1)}
                x = self.w.reshape(x, wide[least])
            out.append(x)
        return out[0] if len(out) == 1 else self.s.many(out)

    def atleast_1d(self, *arys):
        return self._atleast(1, arys)

    def atleast_2d(self, *arys):
        return self._atleast(2, arys)

    def atleast_3d(self, *arys):
        return self._atleast(3, arys)

    def vstack(self, tup, dtype=None):
        return self.concatenate([self.atleast_2d(x) for x in tup], 0, dtype=dtype)

    def hstack(self, tup, dtype=None):
        xs = [self.atleast_1d(x) for x in tup]
        return self.concatenate(xs, 0 if xs[0].ndim == 1 else 1, dtype=dtype)

    def dstack(self, tup, dtype=None):
        return self.concatenate([self.atleast_3d(x) for x in tup], 2, dtype=dtype)

    def column_stack(self, tup):
        xs = [self.array(x) for x in tup]
        return self.concatenate([x if x.ndim > 1 else self.w.reshape(x, (-1, 1)) for x in xs], 1)

    def append(self, arr, values, axis=None):
        arr, values = self.array(arr), self.array(values)
        if axis is None:
            return self.concatenate([self.w.reshape(arr, -1), self.w.reshape(values, -1)], 0)
        return self.concatenate([arr, values], axis)

    def block(self, arrays):
        def depth(x):
            return 1 + depth(x[0]) if isinstance(x, list) else 0

        def join(x, d):
            if isinstance(x, list):
                kids = [join(y, d - 1) for y in x]
                rank = max([k.ndim for k in kids])
                return self.concatenate([self.w.reshape(k, (1,) * (rank - k.ndim) + tuple(k.shape)) for k in kids], -d)
            x = self.array(x)
            return self.w.reshape(x, (1,) * (total - x.ndim) + tuple(x.shape)) if x.ndim < total else x

        total = depth(arrays)
        return join(arrays, total)

    def _sizes(self, n, parts, even):
        if not isinstance(parts, int):
            ends = [0] + [min(max(int(c) + n if c < 0 else int(c), 0), n) for c in parts] + [n]
            return [max(b - a, 0) for a, b in zip(ends[:-1], ends[1:])]
        if even and n % parts:
            raise ValueError("array split does not result in an equal division")
        if parts <= 0:
            raise ValueError("number sections must be larger than 0.")
        return [n // parts + (1 if i < n % parts else 0) for i in range(parts)]

    def array_split(self, ary, indices_or_sections, axis=0):
        ary = self.array(ary)
        return list(self.w.split(ary, self._sizes(ary.shape[axis], indices_or_sections, False), axis))

    def split(self, ary, indices_or_sections, axis=0):
        ary = self.array(ary)
        return list(self.w.split(ary, self._sizes(ary.shape[axis], indices_or_sections, True), axis))

    def vsplit(self, ary, indices_or_sections):
        return self.split(ary, indices_or_sections, 0)

    def hsplit(self, ary, indices_or_sections):
        ary = self.array(ary)
        return self.split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)

    def dsplit(self, ary, indices_or_sections):
        return self.split(ary, indices_or_sections, 2)

    def tile(self, A, reps):
        A = self.array(A)
        reps = (reps,) if isinstance(reps, int) else tuple(reps)
        n = max(len(reps), A.ndim)
        return self.w.tile(self.w.reshape(A, (1,) * (n - A.ndim) + tuple(A.shape)), (1,) * (n - len(reps)) + reps)

    def roll(self, a, shift, axis=None):
        a = self.array(a)
        if axis is None:
            return self.w.reshape(self.roll(self.w.reshape(a, -1), shift, 0), a.shape)
        if not isinstance(axis, int):
            many = isinstance(shift, (list, tuple)) or isinstance(shift, self.w.Tensor) and shift.ndim
            if many and len(shift) == 1:
                shift, many = shift[0], False
            for s, i in zip(shift, axis) if many else [(shift, i) for i in axis]:
                a = self.roll(a, s, i)
            return a
        if isinstance(shift, (list, tuple)) or isinstance(shift, self.w.Tensor) and shift.ndim:     # one after the other
            for s in shift:
                a = self.roll(a, s, axis)
            return a
        if isinstance(shift, self.w.Tensor) and self.w.about(shift, "symbolic"):
            n = a.shape[axis]
            return self.w.take(a, self.w.remainder(self.w.sub(self.w.arange(0, n), shift), n), axis)
        return self.w.roll(a, int(shift), axis)

    def fliplr(self, m):
        return self.w.flip(m, 1)

    def flipud(self, m):
        return self.w.flip(m, 0)

    def rot90(self, m, k=1, axes=(0, 1)):
        m, (a, b) = self.loose(m), axes
        if k % 4 == 0:
            return m[...]
        if k % 4 == 2:
            return self.w.flip(m, (a, b))
        return self.w.swap_axes(self.w.flip(m, b), a, b) if k % 4 == 1 else self.w.flip(self.w.swap_axes(m, a, b), b)

    # ---- taking out and putting in: by places that are known

    def delete(self, arr, obj, axis=None):
        x = self.array(arr)
        if axis is None:
            x, axis = self.w.reshape(x, -1), 0
        n = x.shape[axis]
        if isinstance(obj, slice):
            gone = list(range(n))[obj]
        else:
            o = self.loose(obj)
            gone = self.w.reshape(self.w.nonzero(o) if o.dtype.kind == "b" else o, -1).tolist()
        for g in gone:
            if not -n <= g < n:
                raise IndexError(f"index {g} is out of bounds for axis {axis} with size {n}")
        gone = {g % n for g in gone}
        return self.w.take(x, self.w.tensor([i for i in range(n) if i not in gone], self.w.int64), axis)

    def insert(self, arr, obj, values, axis=None):
        x = self.array(arr)
        if axis is None:
            x, axis = self.w.reshape(x, -1), 0
        n, shape = x.shape[axis], list(x.shape)
        values = self.w.cast(self.loose(values), x.dtype)
        if isinstance(obj, self.w.Tensor) and self.w.about(obj, "symbolic") and obj.ndim == 0:
            return self._insert_traced(x, obj, values, axis)
        places = list(range(*obj.indices(n))) if isinstance(obj, slice) else self.loose(obj).tolist()
        if isinstance(places, int):    # what one place gets runs along the first axis of values
            values = self.w.move_axis(self.w.reshape(values, (1,) * (x.ndim - values.ndim) + tuple(values.shape)), 0, axis)
            shape[axis] = values.shape[axis]
            at = places + n if places < 0 else places
            if not 0 <= at <= n:
                raise IndexError(f"index {places} is out of bounds for axis {axis} with size {n}")
            return self.w.concat([self.w.narrow(x, axis, 0, at), self.w.broadcast_to(values, shape),
                                  self.w.narrow(x, axis, at, n - at)], axis)
        places = [p + n if p < 0 else p for p in places]
        shape[axis] = len(places)
        values = self.w.broadcast_to(values, shape)
        parts, last = [], 0
        for i in sorted(range(len(places)), key=lambda i: places[i]):
            parts += [self.w.narrow(x, axis, last, places[i] - last), self.w.narrow(values, axis, i, 1)]
            last = places[i]
        return self.w.concat(parts + [self.w.narrow(x, axis, last, n - last)], axis)

    def _insert_traced(self, x, at, values, axis):
        # one slice at a place that is traced
        n, w = x.shape[axis], self.w
        values = w.move_axis(w.reshape(values, (1,) * (x.ndim - values.ndim) + tuple(values.shape)), 0, axis)
        k = values.shape[axis]
        shape = list(x.shape)
        shape[axis] = k
        values = w.broadcast_to(values, shape)
        at = w.where(w.lt(at, 0), at + n, at)
        i = w.arange(0, n + k)
        old = w.where(w.lt(i, at), i, i - k)
        inside = w.logical_and(w.ge(i, at), w.lt(i, at + k))
        y = w.take(x, w.clip(old, 0, max(n - 1, 0)), axis) if n else w.take(values, w.remainder(i, k), axis)
        new = w.take(values, w.clip(i - at, 0, k - 1), axis)
        return w.where(w.reshape(inside, [-1] + [1] * (x.ndim - 1 - axis % x.ndim)), new, y)

    def trim_zeros(self, filt, trim="fb", axis=None):
        x = self.loose(filt)
        axes = range(x.ndim) if axis is None else [axis % x.ndim] if isinstance(axis, int) else [a % x.ndim for a in axis]
        there = self.w.ne(x, 0)
        cuts = []
        for i in range(x.ndim):
            others = [k for k in range(x.ndim) if k != i]
            keep = [k for k, v in enumerate((self.w.any(there, others) if others else there).tolist()) if v]
            lo = keep[0] if keep and "f" in trim.lower() else 0
            hi = keep[-1] + 1 if keep and "b" in trim.lower() else x.shape[i]
            cuts.append(slice(None) if i not in axes else slice(lo, hi) if keep else slice(0, 0))
        return x[tuple(cuts)]

    # ---- padding

    pad_options = {"constant": ("constant_values",), "linear_ramp": ("end_values",), "maximum": ("stat_length",),
                   "minimum": ("stat_length",), "mean": ("stat_length",), "median": ("stat_length",),
                   "reflect": ("reflect_type",), "symmetric": ("reflect_type",), "edge": (), "wrap": (), "empty": ()}

    def _pairs(self, v, rank):
        # (before, after) for each axis; a number that is traced stays what it is
        if isinstance(v, (int, float)) or isinstance(v, self.w.Tensor) and v.ndim == 0:
            return [(v, v)] * rank
        return self.w.broadcast_to(self.loose(v), (rank, 2)).tolist()

    def _mirror(self, i, n, mode):
        # where place i outside 0 .. n-1 is read
        if mode == "wrap":
            return i % n
        if mode == "edge":
            return min(max(i, 0), n - 1)
        period = max(2 * n - 2, 1) if mode == "reflect" else 2 * n
        i %= period
        return i if i < n else 2 * n - (2 if mode == "reflect" else 1) - i

    def _ends(self, x, axis, lo, hi, first, last):
        # x with lo rows of first before it and hi rows of last after it
        row = lambda v, n: self.w.broadcast_to(self.w.cast(v, x.dtype), [n if i == axis else d for i, d in enumerate(x.shape)])
        return self.w.concat([p for p, n in ((row(first, lo), lo), (x, 1), (row(last, hi), hi)) if n], axis)

    def _ramp(self, x, axis, lo, hi, ends):
        def side(edge, end, n):
            y = end + (edge - end) * self.along(self.w.arange(0, n) / max(n, 1), axis, x.ndim)
            return self.w.cast(self.w.trunc(y) if x.dtype.kind in "iu" else y, x.dtype)

        n = x.shape[axis]
        a = side(self.w.narrow(x, axis, 0, 1), ends[0], lo)
        b = self.w.flip(side(self.w.narrow(x, axis, n - 1, 1), ends[1], hi), axis)
        return self.w.concat([a, x, b], axis)

    def _odd(self, x, axis, lo, hi, mode):
        # reflect_type="odd": 2 x[edge] less the mirrored ones, as often as it takes
        while lo or hi:
            n, skip = x.shape[axis], 1 if mode == "reflect" else 0
            first, last = self.w.narrow(x, axis, 0, 1), self.w.narrow(x, axis, n - 1, 1)
            if n == skip:
                return self._ends(x, axis, lo, hi, first, last)
            p, q = min(lo, n - skip), min(hi, n - skip)
            a = 2 * first - self.w.flip(self.w.narrow(x, axis, skip, p), axis)
            b = 2 * last - self.w.flip(self.w.narrow(x, axis, n - skip - q, q), axis)
            x = self.w.concat([a, x, b], axis)
            lo, hi = lo - p, hi - q
        return x

    def _statistic(self, x, axis, mode):
        if mode in ("maximum", "minimum"):
            return (self.w.max if mode == "maximum" else self.w.min)(x, axis, True)
        y = self.w.mean(x, axis, True) if mode == "mean" else self.w.median(self.floats(x), axis, False, True)
        return self.w.round(y) if x.dtype.kind in "iu" else y

    def pad(self, array, pad_width, mode="constant", **kwargs):
        x = self.array(array)
        if mode not in self.pad_options:
            raise ValueError(f"mode '{mode}' is not supported")
        extra = [k for k in kwargs if k not in self.pad_options[mode]]
        if extra:
            raise ValueError(f"unsupported keyword arguments for mode '{mode}': {set(extra)}")
        widths = self._pairs(pad_width, x.ndim)
        value = kwargs.get("constant_values", 0)
        if mode in ("constant", "empty") and isinstance(value, (int, float)):
            return self.w.pad(x, [lo for lo, hi in widths], [hi for lo, hi in widths], value)
        for axis, (lo, hi) in enumerate(widths):
            if lo or hi:
                x = self._padded(x, axis, lo, hi, mode, kwargs)
        return x

    def _padded(self, x, axis, lo, hi, mode, options):
        pair = lambda name: self._pairs(options.get(name, 0), x.ndim)[axis]
        n = x.shape[axis]
        if mode in ("constant", "empty"):
            return self._ends(x, axis, lo, hi, *pair("constant_values"))
        if n == 0:
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
        if mode == "linear_ramp":
            return self._ramp(x, axis, lo, hi, pair("end_values"))
        if options.get("reflect_type", "even") == "odd":
            return self._odd(x, axis, lo, hi, mode)
        if mode in ("edge", "reflect", "wrap", "symmetric"):
            return self.w.take(x, self.w.tensor([self._mirror(i, n, mode) for i in range(-lo, n + hi)], self.w.int64), axis)
        a, b = (n, n) if options.get("stat_length") is None else [min(k, n) for k in pair("stat_length")]
        return self._ends(x, axis, lo, hi, self._statistic(self.w.narrow(x, axis, 0, a), axis, mode),
                          self._statistic(self.w.narrow(x, axis, n - b, b), axis, mode))

    # ---- grids and products

    def ix_(self, *args):
        xs = [self.loose(a) for a in args]
        xs = [self.w.reshape(self.w.nonzero(x), -1) if x.dtype.kind == "b" else x for x in xs]
        return tuple([self.along(x, i, len(xs)) for i, x in enumerate(xs)])

    def meshgrid(self, *xi, sparse=False, indexing="xy"):
        if indexing not in ("xy", "ij"):
            raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
        xs = [self.w.reshape(self.loose(x), -1) for x in xi]
        order = list(range(len(xs)))
        if indexing == "xy" and len(xs) > 1:
            order[:2] = 1, 0
        shape = [xs[i].shape[0] for i in order]
        out = [self.along(x, order[i], len(xs)) for i, x in enumerate(xs)]
        return self.s.many(out if sparse else [self.w.broadcast_to(x, shape) for x in out])

    def kron(self, a, b):
        a, b = self.array(a), self.array(b)
        n = max(a.ndim, b.ndim)
        sa, sb = [1] * (n - a.ndim) + list(a.shape), [1] * (n - b.ndim) + list(b.shape)
        wide_a, wide_b = [d for x in sa for d in (x, 1)], [d for y in sb for d in (1, y)]
        return self.w.reshape(self.w.reshape(a, wide_a) * self.w.reshape(b, wide_b), [x * y for x, y in zip(sa, sb)])

    def cross(self, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
        if axis is not None:
            axisa = axisb = axisc = axis
        a, b = self.array(a), self.array(b)
        a, b = self.w.move_axis(a, self.axis(axisa, a.ndim), -1), self.w.move_axis(b, self.axis(axisb, b.ndim), -1)
        if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
            raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
        part = lambda i, j: a[..., i] * b[..., j] - a[..., j] * b[..., i]
        if a.shape[-1] == 2 and b.shape[-1] == 2:
            return part(0, 1)
        a, b = [self.w.concat([x, self.w.zeros_like(x[..., :1])], -1) if x.shape[-1] == 2 else x for x in (a, b)]
        return self.w.move_axis(self.w.stack([part(1, 2), part(2, 0), part(0, 1)], -1), -1, axisc)

    def matrix_power(self, a, n, inv):
        a = self.array(a)
        if n < 0:
            a, n = inv(a), -n
        if n == 0:
            return self.w.broadcast_to(self.w.cast(self.w.eye(a.shape[-1]), a.dtype), a.shape)
        y = None
        while n:
            if n % 2:
                y = a if y is None else self.w.matmul(y, a)
            n //= 2
            a = self.w.matmul(a, a) if n else a
        return y

    def norm(self, x, ord=None, axis=None, keepdims=False):
        x = self.floats(x)
        if axis is None and ord is None:
            y = self.w.norm(self.w.reshape(x, -1), 2.0, 0, False)
            return self.w.reshape(y, (1,) * x.ndim) if keepdims else y
        axes = self.axes(axis, x.ndim)
        if len(axes) == 1:
            return self._vector_norm(x, ord, axes[0], keepdims)
        if len(axes) != 2:
            raise ValueError("Improper number of dimensions to norm.")
        return self._matrix_norm(x, ord, axes, keepdims)

    def _vector_norm(self, x, ord, axis, keepdims):
        if ord is None or ord == 2:
            return self.w.norm(x, 2.0, axis, keepdims)
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        size = self.w.abs(x)
        if ord in (float("inf"), float("-inf")):
            return (self.w.max if ord > 0 else self.w.min)(size, axis, keepdims)
        if ord == 0:
            return self.w.sum(self.w.cast(self.w.ne(x, 0), size.dtype), axis, keepdims)
        if ord == 1:
            return self.w.sum(size, axis, keepdims)
        return self.w.pow(self.w.sum(self.w.pow(size, ord), axis, keepdims), 1.0 / ord)

    def _matrix_norm(self, x, ord, axes, keepdims):
        i, j = axes
        if ord is None or ord == "fro":
            return self.w.norm(x, 2.0, (i, j), keepdims)
        if ord in ("nuc", 2, -2):
            rest = [k for k in range(x.ndim) if k not in (i, j)]
            s = _factors.svd(self.w, self.w.permute(x, rest + [i, j]), False)[1]
            y = self.w.sum(s, -1) if ord == "nuc" else (self.w.max if ord == 2 else self.w.min)(s, -1)
            return self.w.reshape(y, [1 if k in (i, j) else d for k, d in enumerate(x.shape)]) if keepdims else y
        if ord not in (1, -1, float("inf"), float("-inf")):
            raise ValueError("Invalid norm order for matrices.")
        over, rest = (i, j) if ord in (1, -1) else (j, i)
        y = (self.w.max if ord > 0 else self.w.min)(self.w.sum(self.w.abs(x), over, True), rest, True)
        return y if keepdims else self.w.squeeze(y, (i, j))

    def vector_norm(self, x, axis=None, keepdims=False, ord=2):
        x = self.floats(x)
        if axis is not None:
            return self.norm(x, ord, axis, keepdims)
        y = self._vector_norm(self.w.reshape(x, -1), ord, 0, False)
        return self.w.reshape(y, (1,) * x.ndim) if keepdims else y

    def matrix_norm(self, x, keepdims=False, ord="fro"):
        return self.norm(x, ord, (-2, -1), keepdims)

    def cond(self, x, p, inv):
        x = self.floats(x)
        if p in (None, 2, -2):
            return _factors.cond(self.w, x, p == -2)
        return self.norm(x, p, (-2, -1)) * self.norm(inv(x), p, (-2, -1))

    def multi_dot(self, arrays):
        y = arrays[0]
        for a in arrays[1:]:
            y = self.w.matmul(y, a)
        return y

    def tensordot(self, a, b, axes):
        # axes: how many of the last ones of a and of the first ones of b, or which of each, one or several
        if isinstance(axes, int):
            axes = range(len(a.shape) - axes, len(a.shape)), range(axes)
        p, q = [self.axes(x, len(v.shape)) for x, v in zip(axes, (a, b))]
        return self.w.tensordot(a, b, p, q)

    # ---- differences and statistics

    def diff(self, a, n=1, axis=-1, prepend=None, append=None):
        x = self.array(a)
        parts = [None if p is None else self.array(p) for p in (prepend, append)]
        ends = [1 if i == axis % x.ndim else d for i, d in enumerate(x.shape)]
        parts = [self.w.broadcast_to(p, ends) if p is not None and p.ndim == 0 else p for p in parts]
        parts = [p for p in (parts[0], x, parts[1]) if p is not None]
        x = self.w.concat(parts, axis) if len(parts) > 1 else x
        for _ in range(n):
            m = x.shape[axis]
            first, rest = (1, m - 1) if self.w.is_size(m) else (min(1, m), max(m - 1, 0))
            hi, lo = self.w.narrow(x, axis, first, rest), self.w.narrow(x, axis, 0, rest)
            x = self.w.ne(hi, lo) if x.dtype.kind == "b" else hi - lo
        return x

    def ediff1d(self, ary, to_end=None, to_begin=None):
        parts = [to_begin, self.diff(self.w.reshape(self.array(ary), -1)), to_end]
        return self.w.concat([self.w.reshape(self.array(p), -1) for p in parts if p is not None], 0)

    def _slope(self, f, h, ax, edge_order):
        n = f.shape[ax]
        part = lambda start, count: self.w.narrow(f, ax, start, count)
        h = self.floats(self.loose(h)) if not isinstance(h, (int, float)) else h
        if not isinstance(h, (int, float)) and h.ndim > 0:
            d = self.along(h[1:] - h[:-1], ax, f.ndim)
            a, b = self.w.narrow(d, ax, 0, n - 2), self.w.narrow(d, ax, 1, n - 2)
            mid = (part(2, n - 2) * a * a + (b * b - a * a) * part(1, n - 2) - b * b * part(0, n - 2)) / (a * b * (a + b))
            first, last = self.w.narrow(d, ax, 0, 1), self.w.narrow(d, ax, n - 2, 1)
            second, before = (self.w.narrow(d, ax, 1, 1), self.w.narrow(d, ax, n - 3, 1)) if edge_order == 2 else (0, 0)
        else:
            mid = (part(2, n - 2) - part(0, n - 2)) / (2.0 * h)
            first = second = before = last = h
        if edge_order == 2:     # the slopes of parabolas through three places
            first = part(1, 1) * ((first + second) / (first * second)) - part(2, 1) * (first / (second * (first + second))) \
                - part(0, 1) * ((2.0 * first + second) / (first * (first + second)))
            last = part(n - 1, 1) * ((2.0 * last + before) / (last * (before + last))) \
                - part(n - 2, 1) * ((last + before) / (before * last)) + part(n - 3, 1) * (last / (before * (before + last)))
        else:
            first, last = (part(1, 1) - part(0, 1)) / first, (part(n - 1, 1) - part(n - 2, 1)) / last
        return self.w.concat([first, mid, last], ax)

    def gradient(self, f, *varargs, axis=None, edge_order=1):
        f = self.floats(f)
        axes = self.axes(axis, f.ndim)
        steps = list(varargs) if varargs else [1.0]
        out = [self._slope(f, h, ax, edge_order) for ax, h in zip(axes, steps * len(axes) if len(steps) == 1 else steps)]
        return out[0] if len(out) == 1 else self.s.many(out)

    def trapezoid(self, y, x=None, dx=1.0, axis=-1):
        y = self.floats(y)
        n = y.shape[axis]
        pair = self.w.narrow(y, axis, 1, n - 1) + self.w.narrow(y, axis, 0, n - 1)
        if x is None:
            if isinstance(dx, self.w.Tensor) and dx.ndim:
                return 0.5 * self.w.sum(self.w.move_axis(pair, axis, -1) * dx, -1)
            return 0.5 * dx * self.w.sum(pair, axis)
        x = self.floats(x)
        step = self.along(x[1:] - x[:-1], axis, y.ndim) if x.ndim == 1 else self.diff(x, axis=axis)
        return 0.5 * self.w.sum(pair * step, axis)

    def cov(self, m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
        def observed(v):
            v = self.floats(v)
            v = self.w.reshape(v, (1, -1)) if v.ndim < 2 else v
            return v if rowvar or v.shape[0] == 1 else self.w.permute(v)

        x = observed(m)
        x = x if y is None else self.w.concat([x, observed(y)], 0)
        d = (0 if bias else 1) if ddof is None else ddof
        w, n = None, x.shape[1]
        if fweights is not None:
            w = self.floats(fweights)
            n = self.w.sum(w)
        if aweights is not None:
            aw = self.floats(aweights)
            w = aw if w is None else w * aw
        if w is None:
            x = x - self.w.mean(x, 1, True)
            if not n:
                return self.w.full((x.shape[0],) * 2 if x.shape[0] > 1 else (), float("nan"), x.dtype)
            c = self.w.matmul(x, self.w.conj(self.w.permute(x))) / (n - d)
        else:
            total = self.w.sum(w)
            x = x - self.w.sum(x * w, 1, True) / total
            scale = total - d if aweights is None else total - d * self.w.sum(w * aw) / total
            c = self.w.matmul(x * w, self.w.conj(self.w.permute(x))) / scale
        return self.w.reshape(c, ()) if c.shape[0] == 1 else c

    def corrcoef(self, x, y=None, rowvar=True):
        c = self.cov(x, y, rowvar)
        if c.ndim == 0:
            return c / c
        s = self.w.sqrt(self.w.real(self.w.diagonal(c)))
        c = c / self.w.expand_dims(s, 1) / self.w.expand_dims(s, 0)
        if c.dtype.kind == "c":
            return self.w.complex(self.w.clip(self.w.real(c), -1, 1), self.w.clip(self.w.imag(c), -1, 1))
        return self.w.clip(c, -1, 1)

    def unwrap(self, p, discont=None, axis=-1, period=6.283185307179586):
        p = self.array(p)
        p = self.floats(p) if p.dtype.kind == "b" or p.dtype.kind in "iu" and isinstance(period, float) else p
        if p.shape[axis] == 0:
            return p
        d = self.diff(p, 1, axis)
        half, odd = divmod(period, 2) if p.dtype.kind in "iu" else (period / 2, 0)
        m = self.w.remainder(d + half, period) - half
        if not odd:     # a jump of half a period may go either way
            m = self.w.where(self.w.logical_and(self.w.eq(m, -half), self.w.gt(d, 0)), half, m)
        c = self.w.where(self.w.lt(self.w.abs(d), half if discont is None else discont), self.w.zeros_like(d), m - d)
        rest = self.w.cast(self.w.narrow(p, axis, 1, p.shape[axis] - 1) + self.w.cumsum(c, axis), p.dtype)
        return self.w.concat([self.w.narrow(p, axis, 0, 1), rest], axis)

    # ---- without NaN. The library sets `sum`, `prod`, `max`, `min`, `mean`, `var`, `cumsum` and `cumprod`, which have its
    # own `initial` and `where`.

    def nans(self, a):
        x = self.array(a)
        return x, self.w.is_nan(x) if x.dtype.is_inexact else self.w.zeros_like(self.w.eq(x, x))

    def without_nan(self, a, fill):
        x, bad = self.nans(a)
        return self.w.where(bad, fill, x) if x.dtype.is_inexact else x

    def nansum(self, a, axis=None, dtype=None, out=None, keepdims=False, **more):
        return self.sum(self.without_nan(a, 0), axis, dtype, out, keepdims, **more)

    def nanprod(self, a, axis=None, dtype=None, out=None, keepdims=False, **more):
        return self.prod(self.without_nan(a, 1), axis, dtype, out, keepdims, **more)

    def nancumsum(self, a, axis=None, dtype=None, out=None):
        return self.cumsum(self.without_nan(a, 0), axis, dtype, out)

    def nancumprod(self, a, axis=None, dtype=None, out=None):
        return self.cumprod(self.without_nan(a, 1), axis, dtype, out)

    def _good(self, a, more):
        # where there is something to count
        good = self.w.logical_not(self.nans(a)[1])
        where = more.get("where")
        return good if where is None or where is True else self.w.logical_and(good, where)

    def _extreme(self, fn, fill, a, axis, out, keepdims, more):
        # NaN where nothing counts, but for an initial value
        x = self.array(a)
        if not x.dtype.is_inexact:
            return fn(x, axis, out, keepdims, **more)
        y = fn(self.without_nan(x, fill), axis, None, keepdims, **more)
        if more.get("initial") is None:
            y = self.w.where(self.w.any(self._good(x, more), axis, keepdims), y, float("nan"))
        return self.s.written(y, out)

    def nanmax(self, a, axis=None, out=None, keepdims=False, **more):
        return self._extreme(self.max, float("-inf"), a, axis, out, keepdims, more)

    def nanmin(self, a, axis=None, out=None, keepdims=False, **more):
        return self._extreme(self.min, float("inf"), a, axis, out, keepdims, more)

    def nanmean(self, a, axis=None, dtype=None, out=None, keepdims=False, **more):
        return self.mean(self.without_nan(a, 0), axis, dtype, out, keepdims, where=self._good(a, more))

    def nanvar(self, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, **more):
        x, good = self.floats(self.without_nan(a, 0)), self._good(a, more)
        x = x if dtype is None else self.w.cast(x, dtype)
        n = self.w.sum(self.w.cast(good, self.w.real(x).dtype), axis, keepdims)
        mean = more.get("mean")
        d = x - (self.mean(x, axis, keepdims=True, where=good) if mean is None else mean)
        y = self.w.sum(self.w.where(good, self.w.square(self.w.abs(d)), 0), axis, keepdims) / (n - ddof)
        return self.s.written(self.w.where(self.w.gt(n, ddof), y, float("nan")), out)

    def nanstd(self, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, **more):
        return self.s.written(self.w.sqrt(self.nanvar(a, axis, dtype, None, ddof, keepdims, **more)), out)

    # ---- counts in several dimensions

    def histogramdd(self, sample, edges, weights, density):
        # sample [n, d], edges of each of the d; what lies on the last edge is in the last bin
        w = self.w
        flat, size = None, 1
        inside = None
        for k, e in enumerate(edges):
            v = sample[:, k]
            n = e.shape[0] - 1
            i = w.searchsorted(e, v, True) - 1
            i = w.where(w.eq(v, e[-1]), n - 1, i)
            ok = w.logical_and(w.ge(i, 0), w.lt(i, n))
            inside = ok if inside is None else w.logical_and(inside, ok)
            i = w.clip(i, 0, n - 1)
            flat = i if flat is None else flat * n + i
            size *= n
        h = w.index_add(w.full((size,), 0, weights.dtype), flat, w.where(inside, weights, w.zeros_like(weights)))
        h = w.reshape(h, [e.shape[0] - 1 for e in edges])
        if density:
            h = h / w.sum(h)
            for k, e in enumerate(edges):
                h = h / self.along(e[1:] - e[:-1], k, len(edges))
        return h

    # ---- functions by axes

    def apply_over_axes(self, func, a, axes):
        a = self.loose(a)
        for axis in self.axes(axes, a.ndim):
            b = func(a, axis)
            if b.ndim != a.ndim:
                b = self.w.expand_dims(b, axis)
                if b.ndim != a.ndim:
                    raise ValueError("function is not returning an array of the correct shape")
            a = b
        return a

    def matvec(self, x1, x2):
        return self.w.squeeze(self.w.matmul(x1, self.w.expand_dims(x2, -1)), -1)

    def vecmat(self, x1, x2):
        return self.w.squeeze(self.w.matmul(self.w.expand_dims(self.w.conj(x1), -2), x2), -2)
