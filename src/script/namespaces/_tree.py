# _tree -- trees of values: tuples, lists, dicts and None around leaves, as jax.tree and
# torch.utils._pytree have them. A spec is a nested tuple, equal for equal structures.
from collections import OrderedDict, defaultdict

LEAF = "*"


class Node:
    # How a registered class is taken apart and put together.
    def __init__(self, cls, flatten, unflatten):
        self.cls = cls
        self.flatten = flatten      # x -> (children, aux)
        self.unflatten = unflatten  # aux, children -> x


_nodes = {}


def register(cls, flatten, unflatten):
    _nodes[cls] = Node(cls, flatten, unflatten)


def _is_namedtuple(x):
    return isinstance(x, tuple) and hasattr(x, "_fields")


def keys_of(x, sort=True):
    # The keys of a dict in the order of its leaves; an OrderedDict has one of its own.
    return sorted(x) if sort and type(x) is not OrderedDict else list(x)


def _walk(x, leaves, is_leaf, sort):
    if is_leaf is not None and is_leaf(x):
        leaves.append(x)
        return LEAF
    if x is None:
        return None
    kind = type(x)
    if kind in _nodes:
        kids, aux = _nodes[kind].flatten(x)
        return ("node", kind, aux, tuple([_walk(k, leaves, is_leaf, sort) for k in kids]))
    if isinstance(x, dict):
        keys = keys_of(x, sort)
        return ("dict", kind if kind is not defaultdict else (kind, x.default_factory), tuple(keys), tuple([_walk(x[k], leaves, is_leaf, sort) for k in keys]))
    if isinstance(x, list):
        return ("list", kind, None, tuple([_walk(k, leaves, is_leaf, sort) for k in x]))
    if isinstance(x, tuple):
        return ("namedtuple" if _is_namedtuple(x) else "tuple", kind, None,
                tuple([_walk(k, leaves, is_leaf, sort) for k in x]))
    leaves.append(x)
    return LEAF


def flatten(x, is_leaf=None, sort=True):
    leaves = []
    spec = _walk(x, leaves, is_leaf, sort)
    return leaves, spec


def _build(spec, it):
    if spec is LEAF or spec == LEAF:
        return next(it)
    if spec is None:
        return None
    what, kind, aux, kids = spec
    values = [_build(k, it) for k in kids]
    if what == "dict":
        d = dict(zip(aux, values))
        return d if kind is dict else kind[0](kind[1], d) if isinstance(kind, tuple) else kind(d)
    if what == "list":
        return values
    if what == "tuple":
        return tuple(values)
    if what == "namedtuple":
        return kind(*values)
    return _nodes[kind].unflatten(aux, values)


def unflatten(spec, leaves):
    return _build(spec, iter(leaves))


def count(spec):
    if spec == LEAF:
        return 1
    if spec is None:
        return 0
    return sum([count(k) for k in spec[3]])


def map(fn, tree, *rest, is_leaf=None):
    leaves, spec = flatten(tree, is_leaf)
    others = [flatten_up_to(spec, r) for r in rest]
    return unflatten(spec, [fn(*xs) for xs in zip(leaves, *others)])


def _up_to(spec, x, out):
    if spec == LEAF:
        out.append(x)
        return
    if spec is None:
        return
    what, kind, aux, kids = spec
    if what == "dict":
        if not isinstance(x, dict) or len(x) != len(aux) or any([k not in x for k in aux]):
            raise ValueError(f"the trees differ: expected a dict with keys {list(aux)}, got {x!r}")
        for k, s in zip(aux, kids):
            _up_to(s, x[k], out)
        return
    parts = _nodes[kind].flatten(x)[0] if what == "node" else x
    if len(parts) != len(kids):
        raise ValueError(f"the trees differ: {len(kids)} children, and {len(parts)}")
    for s, k in zip(kids, parts):
        _up_to(s, k, out)


def flatten_up_to(spec, x):
    # The parts of x that stand where spec has leaves.
    out = []
    _up_to(spec, x, out)
    return out


def prefix(spec, x):
    # x is a tree whose leaves each stand for a whole subtree of spec (None too): one value
    # for each leaf, as in_axes has it.
    out = []
    _prefix(spec, x, out)
    return out


def _prefix(spec, x, out):
    if spec == LEAF:
        out.append(x)
        return
    if spec is None:
        return
    what, kind, aux, kids = spec
    if what == "dict" and isinstance(x, dict):
        for k, s in zip(aux, kids):
            _prefix(s, x[k], out)
    elif what in ("list", "tuple") and isinstance(x, (list, tuple)):
        if len(x) != len(kids):
            raise ValueError(f"a prefix of {len(x)} parts for a tree of {len(kids)}")
        for s, k in zip(kids, x):
            _prefix(s, k, out)
    else:
        for s in kids:
            _prefix(s, x, out)
