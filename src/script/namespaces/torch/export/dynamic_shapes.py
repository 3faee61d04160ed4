# torch.export.dynamic_shapes -- names for sizes that stay open, and which axes of arguments have them.
import enum

import _tree
import torch


class _DimHint(enum.Enum):
    AUTO = 1
    STATIC = 2
    DYNAMIC = 3

    def __call__(self, min=None, max=None):
        return self


class Dim:
    AUTO = _DimHint.AUTO
    DYNAMIC = _DimHint.DYNAMIC
    STATIC = _DimHint.STATIC

    def __init__(self, name, *, min=None, max=None):
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.min = 0 if min is None else min
        self.max = 2 ** 63 - 1 if max is None else max
        if self.max <= self.min:
            raise AssertionError(f"Cannot create Dim with inconsistent min={self.min}, max={self.max}")
        self.__name__ = name

    def _derived(self, other, sign):
        raise NotImplementedError(f"torch.export: a size that is computed of another ({self.__name__}{sign}{other}); give it a Dim of its own, "
                                  "or Dim.AUTO")

    def __add__(self, other):
        return self._derived(other, "+")

    def __sub__(self, other):
        return self._derived(other, "-")

    def __mul__(self, other):
        return self._derived(other, "*")

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self):
        return f"Dim('{self.__name__}', min={self.min}, max={self.max})"


def dims(*names, min=None, max=None):
    return tuple([Dim(n, min=min, max=max) for n in names])


def is_open(d):
    return d is not None and d is not Dim.STATIC and not isinstance(d, int)


def open_axes(shape, spec):
    # The axes of a tensor that are left open, as bits: spec is a dict {axis: Dim} or a sequence with one for each.
    if spec is None:
        return 0
    pairs = spec.items() if isinstance(spec, dict) else enumerate(spec)
    return sum([1 << (i % len(shape)) for i, d in pairs if is_open(d)])


def _is_axes(x):
    # One tensor's: a dict by axis, or a sequence of sizes
    if isinstance(x, dict):
        return all([isinstance(k, int) for k in x])
    return isinstance(x, (tuple, list)) and all([d is None or isinstance(d, (int, Dim, _DimHint)) for d in x])


def opens(leaves, spec, given):
    # For each leaf of an argument the axes that are open; given has the argument's form, with a tensor's axes in the place of the tensor.
    if given is None:
        return [0] * len(leaves)
    parts = [given] * len(leaves) if _is_axes(given) else _tree.prefix(spec, given)
    return [open_axes(x.shape, p) if isinstance(x, torch.Tensor) and _is_axes(p) else 0 for x, p in zip(leaves, parts)]
