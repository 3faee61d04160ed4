# aesara._extent -- slices x[a:b] of which b - a is a number, as those of minibatches, x[i * 20:(i + 1) * 20].
#
# NumPy's slice ends where x does, so how long it is the run alone knows. A function whose inputs tell where such slices begin
# computes that before it runs, and has a program for each length: the whole batch's, and what is left at the end.
from aesara._graph import TensorConstant, TensorSharedVariable


class Extent:
    # axis of the slice; size: b - a; start: what linear gives of a; length: what a trace takes for granted, or None
    def __init__(self, axis, size, start):
        self.axis, self.size, self.start, self.length = axis, size, start, None


def linear(v):
    # ({variable: factor}, number) of which v is the sum, or None; variables without an owner
    if isinstance(v, int):
        return {}, v
    if isinstance(v, TensorConstant):
        return ({}, int(v.data_.item())) if v.ndim == 0 and v.dtype.startswith(("int", "uint")) else None
    if v.ndim or not v.dtype.startswith(("int", "uint")):
        return None
    if v.owner is None:
        return {v: 1}, 0
    name, parts = v.owner.op.name, [linear(i) for i in v.owner.inputs]
    if None in parts:
        return None
    if name.startswith("Cast{") or name == "identity":
        return parts[0]
    if name == "neg":
        return _scaled(parts[0], -1)
    if name == "add":
        return _sum(parts[0], parts[1])
    if name == "sub":
        return _sum(parts[0], _scaled(parts[1], -1))
    if name == "mul":
        for a, b in (parts, parts[::-1]):
            if not a[0]:
                return _scaled(b, a[1])
    return None


def _scaled(a, k):
    return {v: c * k for v, c in a[0].items()}, a[1] * k


def _sum(a, b):
    out = dict(a[0])
    for v, c in b[0].items():
        out[v] = out.get(v, 0) + c
    return {v: c for v, c in out.items() if c}, a[1] + b[1]


def extent_of(axis, start, stop):
    a, b = linear(start), linear(stop)
    if a is None or b is None or not a[0]:
        return None
    between = _sum(b, _scaled(a, -1))
    return Extent(axis, between[1], a) if not between[0] and between[1] > 0 else None


class Guard:
    # an extent, and the input or shared variable whose axis it must stay inside of
    def __init__(self, extent, root):
        self.extent, self.root = extent, root

    def length(self, values):
        # how long the slice is; values: of inputs, by variable
        at = self.extent.start[1]
        for v, c in self.extent.start[0].items():
            at += c * int(values[v].item())
        n = (values[self.root] if self.root in values else self.root.value_).shape[self.extent.axis]
        if at >= 0 and at + self.extent.size <= n:
            return self.extent.size
        first, last, _ = slice(at, at + self.extent.size).indices(n)
        return max(0, last - first)


def guards_of(order, inputs, subst):
    out = []
    for node in order:
        for e in getattr(node, "extents", ()):
            root = node.inputs[0]
            while root in subst or root.owner is not None and root.owner.op.name.startswith("Cast{"):
                root = subst[root] if root in subst else root.owner.inputs[0]
            known = [v for v in e.start[0] if v in inputs and v not in subst]
            if len(known) == len(e.start[0]) and (root in inputs or isinstance(root, TensorSharedVariable)):
                out.append(Guard(e, root))
    return out
