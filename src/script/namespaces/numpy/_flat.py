# numpy._flat -- the elements of an array one after the other: x.flat.
import _numpy as _w


def cycled(values, n, dtype):
    # n of the values, again from the first one where there are fewer
    values = _w.reshape(_w.wrap(values), -1)
    if values.shape[0] == 0:
        raise ValueError("Cannot copy an empty array to an iterator")
    return _w.cast(_w.take(values, _w.arange(0, n) % values.shape[0], 0), dtype)


class flatiter:
    __module__ = "numpy"

    def __init__(self, base):
        self.base, self.index = base, 0
        flat = _w.reshape(base, -1)
        self._view = flat if _w.shares_memory(flat, base) else None

    def _all(self):
        return _w.reshape(self.base, -1) if self._view is None else self._view

    @property
    def coords(self):
        at, left = [], self.index
        for d in self.base.shape[::-1]:
            at.append(left % d)
            left //= d
        return tuple(at[::-1])

    def __iter__(self):
        for v in self._all()[self.index:]:
            self.index += 1
            yield v

    def __next__(self):
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self._all()[self.index - 1]

    def __len__(self):
        return self.base.size

    def __array__(self, dtype=None, copy=None):
        return _w.copy(self._all()) if dtype is None else _w.cast(self._all(), dtype)

    def __getitem__(self, key):
        if isinstance(key, tuple) and len(key) > 1:
            raise IndexError(f"too many indices for flat iterator: flat iterator is 1-dimensional, but {len(key)} were indexed")
        if isinstance(key, int) and not -self.base.size <= key < self.base.size:
            raise IndexError(f"index {key} is out of bounds for size {self.base.size}")
        y = self._all()[key]
        return _w.array(_w.copy(y)) if y.ndim else y

    def __setitem__(self, key, value):
        places = _w.array(_w.arange(0, self.base.size))[key]
        at, left = [], _w.reshape(places, -1)
        for d in self.base.shape[::-1]:
            at.append(left % d)
            left = left // d
        values = cycled(value, places.size, self.base.dtype)
        if self.base.ndim:
            self.base[tuple(at[::-1])] = values
        else:
            self.base[...] = values[0]

    def copy(self):
        return _w.array(_w.copy(self._all()))


def _compares(name):
    def compare(self, other):
        return getattr(self._all(), name)(other._all() if isinstance(other, flatiter) else other)
    return compare


for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(flatiter, _name, _compares(_name))
