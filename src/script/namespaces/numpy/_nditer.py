# numpy._nditer -- walks over the elements of several arrays that are spread to one shape.
import _numpy as _w
import numpy as _np


def _permission(flags):
    flags = (flags,) if isinstance(flags, str) else tuple(flags)
    for f in flags:
        if f not in ("readonly", "readwrite", "writeonly", "allocate", "no_broadcast", "copy", "nbo", "contig", "aligned"):
            raise ValueError(f"Unexpected iterator flag \"{f}\"")
    return "readwrite" in flags or "writeonly" in flags or "allocate" in flags


def _as_in_memory(xs, n):
    # The axes from the slowest on, by the steps of all arrays; where these say nothing, as they stand
    steps = [[abs(s) for s in x.strides] for x in xs]
    axes = list(range(n))[::-1]
    for i in range(1, n):
        axis, place = axes[i], i
        for j in range(i)[::-1]:
            pairs = [(s[axes[j]], s[axis]) for s in steps if s[axes[j]] and s[axis]]
            if not pairs:
                continue
            if not all([a > b for a, b in pairs]):
                break
            place = j
        axes.insert(place, axes.pop(i))
    return axes[::-1]


class nditer:
    def __init__(self, op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", op_axes=None, itershape=None, buffersize=0):
        flags = tuple(flags or ())
        for f in flags:
            if f not in ("multi_index", "c_index", "f_index", "buffered", "refs_ok", "zerosize_ok", "external_loop", "delay_bufalloc", "growinner",
                         "reduce_ok"):
                raise NotImplementedError(f"nditer: flags={flags!r}")
        if op_axes is not None or itershape is not None or "reduce_ok" in flags:
            raise NotImplementedError("nditer: op_axes, itershape and reductions")
        several = isinstance(op, (tuple, list))
        ops = list(op) if several else [op]
        each = [op_flags] * len(ops) if op_flags is None or op_flags and isinstance(op_flags[0], str) else list(op_flags)
        self._written = [x is None if f is None else _permission(f) for x, f in zip(ops, each)]
        dtypes = [None] * len(ops) if op_dtypes is None else list(op_dtypes) if several or isinstance(op_dtypes, (list, tuple)) else [op_dtypes]
        ops = [x if x is None else _np.asarray(x) for x in ops]
        if any([d is not None and x is not None and x.dtype != d for x, d in zip(ops, dtypes)]) and "buffered" not in flags:
            raise TypeError("Iterator operand required copying or buffering, but neither copying nor buffering was enabled")
        for x, w in zip(ops, self._written):
            if x is not None and w and hasattr(x, "flags") and not x.flags.writeable:
                raise ValueError("output array is read-only")
        ops = [x if x is None or d is None or x.dtype == d else x.astype(d) for x, d in zip(ops, dtypes)]
        self.shape = _np.broadcast_shapes(*[x.shape for x in ops if x is not None])
        kind = _np.result_type(*[x.dtype for x in ops if x is not None])
        ops = [_np.zeros(self.shape, d or kind) if x is None else x for x, d in zip(ops, dtypes)]
        for x, w in zip(ops, self._written):
            if w and x.shape != self.shape:
                raise ValueError("output operand requires a reduction along dimension 0, but the reduction is not enabled")
        self.operands, self.ndim, self.nop, self.itersize = tuple(ops), len(self.shape), len(ops), int(_np.prod(self.shape))
        self._spread = [x if x.shape == self.shape else _np.broadcast_to(x, self.shape) for x in ops]
        axes = list(range(self.ndim))       # from the slowest on
        if order == "F":
            axes = axes[::-1]
        elif order in ("K", "A") and "external_loop" not in flags:
            axes = _as_in_memory(self._spread, self.ndim)
        self._axes, self._at, self._flags = axes, 0, flags
        self._parts = _outer(self, flags, order) if "external_loop" in flags else None
        self._n = len(self._parts) if self._parts is not None else self.itersize
        self.has_multi_index, self.has_index = "multi_index" in flags, "c_index" in flags or "f_index" in flags

    finished = property(lambda self: self._at >= self._n)

    @property
    def multi_index(self):
        if not self.has_multi_index:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place()

    @property
    def index(self):
        if not self.has_index:
            raise ValueError("Iterator does not have an index")
        n = 0
        pairs = list(zip(self._place(), self.shape))
        for i, size in pairs if "c_index" in self._flags else pairs[::-1]:
            n = n * size + i
        return n

    iterindex = property(lambda self: self._at)

    def _place(self):
        at, place = self._at, [0] * self.ndim
        for a in self._axes[::-1]:
            place[a] = at % self.shape[a]
            at //= self.shape[a]
        return tuple(place)

    @property
    def value(self):
        if self._parts is not None:
            got = self._parts[self._at]
        else:
            place = self._place() + (Ellipsis,)
            got = tuple([x[place] if w else _w.lock(_np.array(x[place]), True) for x, w in zip(self._spread, self._written)])
        return got if self.nop > 1 else got[0]

    def __getitem__(self, i):
        got = self.value
        return got if self.nop == 1 and i == 0 else got[i]

    def __setitem__(self, i, v):
        self[i][...] = v

    def __len__(self):
        return self._n

    def __iter__(self):
        self._first = True
        return self

    def __next__(self):
        if not getattr(self, "_first", True):
            self._at += 1
        self._first = False
        if self.finished:
            raise StopIteration
        return self.value

    def iternext(self):
        self._at += 1
        return not self.finished

    def reset(self):
        self._at, self._first = 0, True

    def copy(self):
        raise NotImplementedError("nditer.copy")

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


def _outer(it, flags, order):
    # external_loop: parts as long as memory allows, each of all operands
    if any(it._written) or order not in ("K", "C", "F"):
        raise NotImplementedError("nditer: external_loop with operands that are written")
    xs = [x.T if order == "F" else x for x in it._spread]
    if "buffered" in flags or it.ndim < 2 or all([x.flags["C_CONTIGUOUS"] for x in xs]):
        return [tuple([x.reshape(-1) for x in xs])]
    return [tuple([x[i] for x in xs]) for i in _np.ndindex(*xs[0].shape[:-1])]
