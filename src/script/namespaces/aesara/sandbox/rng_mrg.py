# aesara.sandbox.rng_mrg -- random numbers by MRG31k3p (L'Ecuyer and Touzin, 2000), with the library's streams
# and so its numbers.
#
# A state is a shared matrix of int32, a row of six words for each stream; element i of a draw is
# the next number of stream i mod n. Draws are part of the program, states its inputs and results, as
# those of any shared variable with a default update.
import _aesara as _w
import numpy as _np
from aesara._graph import Apply, Op, TensorType, TensorVariable, Variable, as_variable, config, shared, constant, apply as _apply
from aesara.gradient import undefined_grad

M1, M2 = 2147483647, 2147462579                     # 2^31 - 1, 2^31 - 21069
_A1P72 = [[1516919229, 758510237, 499121365], [1884998244, 1516919229, 335398200], [601897748, 1884998244, 358115744]]
_A2P72 = [[1228857673, 1496414766, 954677935], [1133297478, 1407477216, 1496414766], [2002613992, 1639496704, 1407477216]]
_A1P134 = [[1702500920, 1849582496, 1656874625], [828554832, 1702500920, 1512419905], [1143731069, 828554832, 102237247]]
_A2P134 = [[796789021, 1464208080, 607337906], [1241679051, 1431130166, 1464208080], [1401213391, 1178684362, 1431130166]]
_MOST_STREAMS = 60 * 256


def _turned(a, rows, m):
    # each row times the matrix a, modulo m: products fit into 62 bits
    a = _np.asarray(a, dtype="int64")
    return _np.stack([((a[i] * rows) % m).sum(1) % m for i in range(3)], 1)


def _ahead(rows, a1, a2):
    return _np.concatenate([_turned(a1, rows[:, :3], M1), _turned(a2, rows[:, 3:], M2)], 1)


def _streams(state, n):
    # n states, each 2^72 numbers behind the one before: made by doubling, with the matrix squared each time
    rows, a1, a2 = state.reshape(1, 6), _np.asarray(_A1P72, dtype="int64"), _np.asarray(_A2P72, dtype="int64")
    while len(rows) < n:
        rows = _np.concatenate([rows, _ahead(rows[:n - len(rows)], a1, a2)], 0)
        a1, a2 = _turned(a1, a1.T, M1).T, _turned(a2, a2.T, M2).T
    return rows.astype("int32")


def _less(y, m):
    return _w.where(y >= m, y - m, y)


def _next(x11, x12, x13, x21, x22, x23):
    # the words after one number, of int64, and the number as an integer of 1 .. 2^31 - 1
    y = _less((x12 & 511) * 4194304 + (x12 >> 9) + (x13 & 16777215) * 128 + (x13 >> 24), M1)
    y = _less(y + x13, M1)
    a = _less((x21 & 65535) * 32768 + (x21 >> 16) * 21069, M2)
    b = _less((x23 & 65535) * 32768 + (x23 >> 16) * 21069, M2)
    z = _less(_less(b + x23, M2) + a, M2)
    return [y, x11, x12, z, x21, x22], _w.where(y <= z, y - z + M1, y - z)


def _uniform(dtype, state, *sizes):
    sizes = [_w.size_of(s) for s in sizes]
    streams = state.shape[0]
    count = _w.full((), 1, "int64")
    for s in sizes:
        count = count * _w.tensor(s, "int64")
    turns = _w.size_of(_w.floor_div(count + _w.tensor(streams, "int64") - 1, _w.tensor(streams, "int64")))
    place = _w.iota("int64", (streams,))

    def step(at, *words):
        new, number = _next(*words)
        go = place + at < count                     # the last turn may not need all of the streams
        return [at + _w.tensor(streams, "int64")] + [_w.where(go, n, w) for n, w in zip(new, words)] + [number]
    words = [_w.cast(state[:, i], "int64") for i in range(6)]
    out = _w.scan(step, [_w.full((), 0, "int64")] + words, [], turns)
    norm = _w.full((), 4.6566126e-10 if dtype == "float32" else 4.656612873077392578125e-10, dtype)     # about 2^-31, below it for floats
    numbers = _w.narrow(_w.reshape(out[7], (-1,)), 0, 0, _w.size_of(count))
    return [_w.stack([_w.cast(x, "int32") for x in out[1:7]], 1), _w.reshape(_w.cast(numbers, dtype) * norm, sizes)]


def guess_n_streams(size, warn=False):
    if not isinstance(size, (tuple, list)) or [i for i in size if not isinstance(i, int)]:
        return _MOST_STREAMS
    n = 1
    for s in size:
        n *= s
    return min(n // 6 if n > 6 else n, _MOST_STREAMS)


def _size_of(size):
    if isinstance(size, (int, _np.integer)):
        return (int(size),)
    if isinstance(size, Variable):
        if size.ndim > 1:
            raise ValueError("Aesara variable must have 1 dimension to be a valid size.", size)
        return size if size.ndim == 1 else (size,)
    if not isinstance(size, (tuple, list)):
        raise ValueError("Size must be a int, tuple, list or Aesara variable.", size)
    return tuple([s if isinstance(s, Variable) else int(s) for s in size])


class MRG_RandomStream:
    def __init__(self, seed=12345):
        self.state_updates = []
        self.default_instance_seed = seed
        self.set_rstate(seed)

    def set_rstate(self, seed):
        if isinstance(seed, (int, _np.integer)):
            if seed == 0:
                raise ValueError("seed should not be 0", seed)
            if seed >= M2:
                raise ValueError(f"seed should be less than {M2}", seed)
            seed = [int(seed)] * 6
        if len(seed) != 6:
            raise TypeError("seed should be 1 integer or 6 integers")
        for part, words, m in (("first", seed[:3], M1), ("last", seed[3:], M2)):
            if not any(words):
                raise ValueError(f"The {part} 3 values of seed should not be all 0", seed)
            if max(words) >= m:
                raise ValueError(f"The {part} 3 values of seed should be less than {m}", seed)
        self.rstate = _np.asarray(seed, dtype="int64")

    def get_substream_rstates(self, n_streams, dtype="float64", inc_rstate=True):
        if dtype not in ("float16", "float32", "float64"):
            raise TypeError(f"get_substream_rstates: {dtype!r} is not a dtype of floats")
        rows = _streams(self.rstate, n_streams)
        if inc_rstate:
            self.rstate = _ahead(self.rstate.reshape(1, 6), _A1P134, _A2P134)[0]
        return rows

    def seed(self, seed=None):
        self.set_rstate(self.default_instance_seed if seed is None else seed)
        for old, new, size, nstreams in self.state_updates:
            old.set_value(self.get_substream_rstates(self.n_streams(size) if nstreams is None else nstreams))

    def n_streams(self, size):
        return guess_n_streams(size)

    def updates(self):
        return list(self.state_updates)

    def uniform(self, size, low=0.0, high=1.0, ndim=None, dtype=None, nstreams=None):
        from aesara.tensor import _sizes, cast
        low, high = as_variable(low), as_variable(high)
        if dtype is None:
            dtype = str(_np.result_type(config.floatX, low.dtype, high.dtype))
        if isinstance(size, tuple):
            if [s for s in size if not isinstance(s, Variable) and s <= 0]:
                raise ValueError("The specified size contains a dimension with value <= 0", size)
        elif not (isinstance(size, Variable) and size.ndim == 1):
            raise TypeError(f"size must be a tuple of int or an Aesara Variable with 1 dimension, got {size} of type {type(size)}")
        sizes, rank = _sizes(size)
        if rank is None:
            if ndim is None:
                raise ValueError("the length of size is not known; give ndim")
            sizes, rank = [size[i] for i in range(ndim)], ndim
        state = shared(self.get_substream_rstates(self.n_streams(size) if nstreams is None else nstreams))
        known = tuple([s if isinstance(s, int) else None for s in size]) if isinstance(size, tuple) else (None,) * rank
        node = Apply(Op("mrg_uniform", _uniform, "mrg_uniform{" + f"{TensorType(dtype, (None,) * rank)},no_inplace" + "}", nout=2),
                     [state] + sizes, dtype, [state.type, TensorType(dtype, known)])
        state.default_update, u = node.outputs
        u.rstate, u.update = state, (state, state.default_update)
        self.state_updates.append((state, state.default_update, size, nstreams))
        low, high = undefined_grad(cast(low, dtype)), undefined_grad(cast(high, dtype))
        return u * (high - low) + low

    def binomial(self, size=None, n=1, p=0.5, ndim=None, dtype="int64", nstreams=None):
        from aesara.tensor import cast
        if n != 1:
            raise NotImplementedError("MRG_RandomStream.binomial with n > 1")
        return cast(self.uniform(size, ndim=ndim, nstreams=nstreams) < as_variable(p), dtype)

    def multinomial(self, size=None, n=1, pvals=None, ndim=None, dtype="int64", nstreams=None):
        if pvals is None:
            raise TypeError("You have to specify pvals")
        if size is not None or ndim is not None:
            raise ValueError("Provided a size or ndim argument to MRG_RandomStream.multinomial, which does not use it.")
        pvals = as_variable(pvals)
        if pvals.ndim != 2:
            raise NotImplementedError("MRG_RandomStream.multinomial only implemented for pvals.ndim = 2")
        unis = self.uniform((pvals.shape[0] * n,), nstreams=nstreams)

        def run(params, p, u):
            # for each row n numbers, which are counted at the place where the sum of p passes them
            n, d = params
            ends = _w.cumsum(p, 1)
            u = _w.permute(_w.reshape(u, (n, p.shape[0])), [1, 0])
            at = _w.sum(_w.cast(_w.expand_dims(u, 2) >= _w.expand_dims(ends, 1), "int64"), 2)
            return _w.sum(_w.cast(_w.one_hot(_w.minimum(at, p.shape[1] - 1), p.shape[1], "int64"), d), 1)
        return _apply(Op("MultinomialFromUniform", run, "MultinomialFromUniform"), [pvals, unis], (n, dtype), 2, dtype)

    def normal(self, size, avg=0.0, std=1.0, ndim=None, dtype=None, nstreams=None, truncate=False):
        import aesara.tensor as at
        if truncate:
            raise NotImplementedError("MRG_RandomStream.normal: truncate")
        size = _size_of(size)
        avg, std = as_variable(avg), as_variable(std)
        if dtype is None:
            dtype = str(_np.result_type(config.floatX, avg.dtype, std.dtype))
        if isinstance(size, tuple) and not [s for s in size if isinstance(s, Variable)]:
            n = 1
            for s in size:
                n *= s
        else:
            n = at.prod(at.stack(list(size)) if isinstance(size, tuple) else size)
        even = n + n % 2
        # the library takes the size of a constant for a variable's, so streams are as many as there can be
        u = self.uniform((constant(even, dtype="int64") if isinstance(even, int) else even,), 0.0, 1.0, 1, dtype, nstreams)
        half = even // 2
        r = at.sqrt(-2.0 * at.log(u[:half]))
        theta = constant(_np.array(2.0 * _np.pi, dtype=dtype)) * u[half:]
        z = at.concatenate([r * at.cos(theta), r * at.sin(theta)])[:n]
        return at.reshape(z, size, ndim) * undefined_grad(at.cast(std, dtype)) + undefined_grad(at.cast(avg, dtype))

    def choice(self, size=1, a=None, replace=True, p=None, ndim=None, dtype="int64", nstreams=None):
        raise NotImplementedError("MRG_RandomStream.choice")

    def truncated_normal(self, size, avg=0.0, std=1.0, ndim=None, dtype=None, nstreams=None):
        raise NotImplementedError("MRG_RandomStream.truncated_normal")


MRG_RandomStreams = MRG_RandomStream
