# numpy.ma -- arrays some of whose elements do not count.
import operator as _ops

import numpy as np

nomask = False
MaskType = np.bool_


class _Masked:
    def __repr__(self):
        return "masked"

    def __str__(self):
        return "--"


masked = _Masked()


class MaskedArray:
    def __init__(self, data, mask=nomask, dtype=None, fill_value=None):
        if isinstance(data, MaskedArray):
            mask = data.mask if mask is nomask else np.logical_or(data.mask, mask)
            data = data.data
        self.data = np.array(data, dtype)
        self.mask = np.zeros(self.data.shape, bool) | np.asarray(mask, dtype=bool)
        self.fill_value = (1e20 if self.data.dtype.kind == "f" else 999999) if fill_value is None else fill_value

    shape = property(lambda self: self.data.shape)
    dtype = property(lambda self: self.data.dtype)
    ndim = property(lambda self: self.data.ndim)
    size = property(lambda self: self.data.size)
    T = property(lambda self: MaskedArray(self.data.T, self.mask.T))

    def filled(self, fill_value=None):
        return np.where(self.mask, np.asarray(self.fill_value if fill_value is None else fill_value).astype(self.data.dtype), self.data)

    def compressed(self):
        return self.data[~self.mask]

    def count(self, axis=None):
        return (~self.mask).sum(axis=axis)

    def _reduced(self, value, axis):
        gone = self.mask.all(axis=axis)
        if axis is None:
            return masked if bool(gone) else value
        return MaskedArray(value, gone)

    def sum(self, axis=None):
        return self._reduced(np.where(self.mask, 0, self.data).sum(axis=axis), axis)

    def mean(self, axis=None):
        return self._reduced(np.where(self.mask, 0, self.data).sum(axis=axis) / np.maximum(self.count(axis), 1), axis)

    def var(self, axis=None):
        n = np.maximum(self.count(axis), 1)
        m = np.where(self.mask, 0, self.data).sum(axis=axis, keepdims=True) / np.maximum((~self.mask).sum(axis=axis, keepdims=True), 1)
        return self._reduced(np.where(self.mask, 0, (self.data - m) ** 2).sum(axis=axis) / n, axis)

    def std(self, axis=None):
        v = self.var(axis)
        return v if v is masked else MaskedArray(np.sqrt(v.data), v.mask) if isinstance(v, MaskedArray) else np.sqrt(v)

    def min(self, axis=None):
        return self._reduced(np.where(self.mask, np.inf, self.data).min(axis=axis).astype(self.data.dtype), axis)

    def max(self, axis=None):
        return self._reduced(np.where(self.mask, -np.inf, self.data).max(axis=axis).astype(self.data.dtype), axis)

    def reshape(self, *shape):
        return MaskedArray(self.data.reshape(*shape), self.mask.reshape(*shape))

    def tolist(self):
        def both(d, m):
            return [both(a, b) for a, b in zip(d, m)] if isinstance(d, list) else None if m else d
        return both(self.data.tolist(), self.mask.tolist())

    def __getitem__(self, i):
        d, m = self.data[i], self.mask[i]
        return (masked if bool(m) else d) if np.ndim(d) == 0 else MaskedArray(d, m)

    def __setitem__(self, i, v):
        if v is masked:
            self.mask[i] = True
        else:
            self.data[i] = v
            self.mask[i] = False

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __str__(self):
        def text(v, depth):     # rows on lines of their own, planes with blank lines between them
            if not isinstance(v, list):
                return "--" if v is None else repr(v)
            between = "\n" * (self.ndim - depth) + " " * depth if depth < self.ndim else " "
            return "[" + between.join([text(x, depth + 1) for x in v]) + "]"
        return text(self.tolist(), 1)

    def __repr__(self):
        def text(v):
            return "[" + ", ".join([text(x) for x in v]) + "]" if isinstance(v, list) else "--" if v is None else repr(v)
        return f"masked_array(data={text(self.tolist())},\n             mask={self.mask.tolist()},\n       fill_value={self.fill_value})"


def _operator(f):
    def call(self, other):
        mask = self.mask
        if isinstance(other, MaskedArray):
            mask, other = mask | other.mask, other.data
        return MaskedArray(f(self.data, np.asarray(other)), mask)

    def swapped(self, other):
        return MaskedArray(f(np.asarray(other), self.data), self.mask)
    return call, swapped


for _n in "add sub mul truediv floordiv mod pow".split():
    _f, _g = _operator(getattr(_ops, _n))
    setattr(MaskedArray, f"__{_n}__", _f)
    setattr(MaskedArray, f"__r{_n}__", _g)
for _n in "lt le gt ge eq ne".split():
    setattr(MaskedArray, f"__{_n}__", _operator(getattr(_ops, _n))[0])

masked_array = array = MaskedArray


def masked_where(condition, a):
    return MaskedArray(a, condition)


def masked_equal(x, value):
    return MaskedArray(x, np.asarray(x) == value)


def masked_greater(x, value):
    return MaskedArray(x, np.asarray(x) > value)


def masked_less(x, value):
    return MaskedArray(x, np.asarray(x) < value)


def masked_invalid(a):
    return MaskedArray(a, ~np.isfinite(np.asarray(a)))


def getdata(a):
    return a.data if isinstance(a, MaskedArray) else np.asarray(a)


def getmaskarray(a):
    return a.mask if isinstance(a, MaskedArray) else np.zeros(np.shape(a), bool)


def is_masked(x):
    return x is masked or (isinstance(x, MaskedArray) and bool(x.mask.any()))


isMaskedArray = isMA = lambda x: isinstance(x, MaskedArray)
