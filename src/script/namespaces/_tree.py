# _tree -- trees of values: tuples, lists, dicts and None around leaves, as jax.tree and
# torch.utils._pytree have them. A spec is a nested tuple, equal for equal structures.
from collections import OrderedDict, defaultdict

import _host

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
    if not sort or type(x) is OrderedDict:
        return list(x)
    try:
        return sorted(x)
    except TypeError:
        raise ValueError("Comparator raised exception while sorting pytree dictionary keys.") from None


def taken_apart(x):
    # (children, aux) of an object of a registered class.
    got = _nodes[type(x)].flatten(x)
    if not isinstance(got, tuple) or len(got) != 2:
        raise ValueError("The to_iterable function for a custom PyTree node should return a (children, aux_data) tuple, "
                         f"got {got!r}")
    try:
        return list(got[0]), got[1]
    except TypeError:
        raise ValueError("The to_iterable function for a custom PyTree node should return a (children, aux_data) tuple "
                         f"where 'children' is iterable, got {got!r}") from None


def _walk(x, leaves, is_leaf, sort):
    if is_leaf is not None and is_leaf(x):
        leaves.append(x)
        return LEAF
    if x is None:
        return None
    kind = type(x)
    if kind in _nodes:
        kids, aux = taken_apart(x)
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


def _named(spec, name, out):
    if spec == LEAF:
        out.append(name)
    elif spec is not None:
        what, kind, aux, kids = spec
        keys = aux if what == "dict" else kind._fields if what == "namedtuple" else range(len(kids))
        for k, s in zip(keys, kids):
            _named(s, f"{name}.{k}" if name else "", out)


def _parameters(fn):
    # (name, kind, default) of each parameter that a call of fn fills; none of what is not written in the language.
    skip = 0
    for _ in range(50):
        if hasattr(fn, "__wrapped__"):
            fn = fn.__wrapped__
        elif isinstance(fn, type(_parameters)):
            return _host.parameters(fn)[skip:]
        elif hasattr(fn, "__func__"):
            fn, skip = fn.__func__, skip + 1
        elif hasattr(fn, "func") and hasattr(fn, "keywords"):
            fn, skip = fn.func, skip + len(fn.args)
        else:
            fn, skip = getattr(type(fn), "__call__", None), skip + 1
    return []


def argument_names(fn, spec, named=None, skip=0):
    # Names of the leaves of the arguments of a call fn(*args, **named), by the specs of both: x, params.w, layers.0.
    # "" where fn does not tell. skip: parameters at the front that args do not have.
    own = _parameters(fn)[skip:]
    plain = [p[0] for p in own if p[1] < 2]
    rest = [p[0] for p in own if p[1] == 2]
    out = []
    for i, s in enumerate(spec[3]):
        _named(s, plain[i] if i < len(plain) else f"{rest[0]}.{i - len(plain)}" if rest else "", out)
    if named is not None:
        for k, s in zip(named[2], named[3]):
            _named(s, k, out)
    return out


def types_text(leaves):
    # float32[2,3], int, ..: what a trace is made for, for the log
    return ", ".join([f"{x.dtype}[{','.join([str(n) for n in x.shape])}]" if hasattr(x, "dtype") and hasattr(x, "shape")
                      else type(x).__name__ for x in leaves])


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
    parts = taken_apart(x)[0] if what == "node" else x
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
