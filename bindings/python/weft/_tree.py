"""Trees: tuples, lists and dicts of leaves, flat and back."""


def flatten(tree):
    """(leaves, structure); the structure is hashable and equal for equal trees."""
    leaves = []

    def walk(t):
        if t is None:
            return ("none",)
        if isinstance(t, tuple) and hasattr(t, "_fields"):
            return ("named", type(t), tuple(walk(x) for x in t))
        if isinstance(t, (tuple, list)):
            return ("tuple" if isinstance(t, tuple) else "list", tuple(walk(x) for x in t))
        if isinstance(t, dict):
            keys = sorted(t)
            return ("dict", tuple(keys), tuple(walk(t[k]) for k in keys))
        leaves.append(t)
        return "*"

    return leaves, walk(tree)


def unflatten(structure, leaves):
    it = iter(leaves)

    def build(s):
        if s == "*":
            return next(it)
        if s[0] == "none":
            return None
        if s[0] == "named":
            return s[1](*(build(x) for x in s[2]))
        if s[0] == "dict":
            return {k: build(x) for k, x in zip(s[1], s[2])}
        return (tuple if s[0] == "tuple" else list)(build(x) for x in s[1])

    return build(structure)


def paths(tree, name):
    """A name for each leaf: 'w', 'p.0.bias'."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [n for k in sorted(tree) for n in paths(tree[k], f"{name}.{k}" if name else str(k))]
    if isinstance(tree, (tuple, list)):
        return [n for i, x in enumerate(tree) for n in paths(x, f"{name}.{i}" if name else str(i))]
    return [name]
