# jax._pytree -- trees as JAX has them: jax.tree and jax.tree_util are names of these.
from collections import OrderedDict, defaultdict

import _tree


def _text(spec):
    if spec == _tree.LEAF:
        return "*"
    if spec is None:
        return "None"
    what, kind, aux, kids = spec
    parts = [_text(k) for k in kids]
    if what == "dict":
        inner = "{" + ", ".join([f"{k!r}: {p}" for k, p in zip(aux, parts)]) + "}"
        if kind is dict:
            return inner
        name, data = (kind[0], (kind[1], aux)) if isinstance(kind, tuple) else (kind, aux)
        return f"CustomNode({name.__name__}[{data!r}], [{', '.join(parts)}])"
    if what == "list":
        return "[" + ", ".join(parts) + "]"
    if what == "tuple":
        return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
    if what == "namedtuple":
        return f"CustomNode(namedtuple[{kind.__name__}], [{', '.join(parts)}])"
    return f"CustomNode({kind.__name__}[{aux}], [{', '.join(parts)}])"


def _data(spec):
    what, kind, aux, kids = spec
    return list(aux) if kind is dict else (kind[1], aux) if isinstance(kind, tuple) else kind if what == "namedtuple" else aux


def _compose(spec, inner):
    if spec == _tree.LEAF:
        return inner
    return spec if spec is None else (*spec[:3], tuple([_compose(k, inner) for k in spec[3]]))


def _walked(spec, f_node, f_leaf, leaves):
    if spec == _tree.LEAF:
        x = next(leaves)
        return x if f_leaf is None else f_leaf(x)
    kids = () if spec is None else spec[3]
    return f_node(tuple([_walked(k, f_node, f_leaf, leaves) for k in kids]), None if spec is None else _data(spec))


def _arity(name, kids, x, what):
    if len(x) != len(kids):
        raise ValueError(f"{name} arity mismatch: {len(x)} != {len(kids)}; {what}: {x!r}.")


def _parts(spec, x):
    # What stands where the children of spec stand; x is a node of the same kind, or that is an error.
    what, kind, aux, kids = spec
    if kind is dict:
        if type(x) is not dict:
            raise ValueError(f"Expected dict, got {x!r}.")
        if len(x) != len(aux) or any([k not in x for k in aux]):
            raise ValueError(f"Dict key mismatch; expected keys: {list(aux)}; present keys: {_tree.keys_of(x)}; dict: {x!r}.")
        return [x[k] for k in aux]
    if what == "namedtuple":
        if not isinstance(x, tuple) or not hasattr(x, "_fields"):
            raise ValueError(f"Expected named tuple, got {x!r}.")
        _arity("Named tuple", kids, x, "tuple")
        if type(x) is not kind:
            raise ValueError(f"Named tuple type mismatch: expected type: {kind!r}, tuple: {x!r}.")
        return x
    if kind is list or kind is tuple:
        name = kind.__name__
        if not isinstance(x, kind) or hasattr(x, "_fields"):
            raise ValueError(f"Expected {name}, got {x!r}.")
        _arity(name.capitalize(), kids, x, name)
        return x
    of = kind[0] if isinstance(kind, tuple) else kind
    if type(x) is not of:
        raise ValueError(f"Custom node type mismatch: expected type: {of!r}, value: {x!r}.")
    if what != "node":
        data = tuple(_tree.keys_of(x)) if what == "dict" else aux
        parts = [x[k] for k in data] if what == "dict" else x
    else:
        parts, data = _tree.taken_apart(x)
    if data != aux:
        raise ValueError(f"Mismatch custom node data: {aux} != {data}; value: {x!r}.")
    _arity("Custom type", kids, parts, "value")
    return parts


def _up_to(spec, x, out):
    if spec == _tree.LEAF:
        out.append(x)
    elif spec is None:
        if x is not None:
            raise ValueError(f"Expected None, got {x!r}.\n\nIn previous releases of JAX, flatten-up-to used to consider None to "
                             "be a tree-prefix of any value. To obtain the previous behavior, you can usually write:\n  "
                             "jax.tree.map(lambda x, y: None if x is None else f(x, y), a, b, is_leaf=lambda x: x is None)")
    else:
        for s, part in zip(spec[3], _parts(spec, x)):
            _up_to(s, part, out)


def flatten_up_to(spec, x):
    out = []
    _up_to(spec, x, out)
    return out


def _prefixed(spec, x):
    try:
        return flatten_up_to(spec, x)
    except ValueError as e:
        from jax.lax._differ import prefix_text
        text = prefix_text(spec, _tree.flatten(x)[1], "tree_map tree", x)
        raise ValueError(f"pytree structure error: {text or e}") from None


class PyTreeDef:
    def __init__(self, spec):
        self.spec = spec

    def __repr__(self):
        return f"PyTreeDef({_text(self.spec)})"

    def __eq__(self, other):
        return isinstance(other, PyTreeDef) and self.spec == other.spec

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(_text(self.spec))

    @property
    def num_leaves(self):
        return _tree.count(self.spec)

    @property
    def num_nodes(self):
        return _nodes(self.spec)

    def unflatten(self, leaves):
        return tree_unflatten(self, leaves)

    def flatten_up_to(self, tree):
        return flatten_up_to(self.spec, tree)

    def compose(self, inner):
        return PyTreeDef(_compose(self.spec, inner.spec))

    def walk(self, f_node, f_leaf, leaves):
        return _walked(self.spec, f_node, f_leaf, iter(leaves))

    def children(self):
        return [PyTreeDef(k) for k in self.spec[3]] if isinstance(self.spec, tuple) else []

    def node_data(self):
        return None if not isinstance(self.spec, tuple) else (self.spec[1], _data(self.spec))


def _nodes(spec):
    if not isinstance(spec, tuple):
        return 1
    return 1 + sum([_nodes(k) for k in spec[3]])


def tree_flatten(tree, is_leaf=None):
    leaves, spec = _tree.flatten(tree, is_leaf)
    return leaves, PyTreeDef(spec)


def tree_unflatten(treedef, leaves):
    leaves = list(leaves)
    n = _tree.count(treedef.spec)
    if len(leaves) != n:
        raise ValueError(f"Too {'few' if len(leaves) < n else 'many'} leaves for PyTreeDef; "
                         f"expected {n}, got {len(leaves)}")
    return _tree.unflatten(treedef.spec, leaves)


def tree_leaves(tree, is_leaf=None):
    return _tree.flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None):
    return PyTreeDef(_tree.flatten(tree, is_leaf)[1])


def tree_map(f, tree, *rest, is_leaf=None):
    leaves, spec = _tree.flatten(tree, is_leaf)
    others = [_prefixed(spec, r) for r in rest]
    return _tree.unflatten(spec, [f(*xs) for xs in zip(leaves, *others)])


def tree_reduce(function, tree, initializer=None, is_leaf=None, **kwargs):
    leaves = _tree.flatten(tree, is_leaf)[0]
    if "initializer" in kwargs:
        initializer = kwargs["initializer"]
    if initializer is None:
        if not leaves:
            raise TypeError("reduce() of empty iterable with no initial value")
        initializer, leaves = leaves[0], leaves[1:]
    for x in leaves:
        initializer = function(initializer, x)
    return initializer


def _halved(operation, parts):
    if len(parts) == 1:
        return parts[0]
    mid = len(parts) // 2
    return operation(_halved(operation, parts[:mid]), _halved(operation, parts[mid:]))


def tree_reduce_associative(operation, tree, *, identity=None, is_leaf=None):
    # By halves, so that the chain of results is as short as it can be.
    leaves = _tree.flatten(tree, is_leaf)[0]
    if not leaves and identity is None:
        raise ValueError("Must specify identity for parallel reduction of empty sequence.")
    return _halved(operation, leaves) if leaves else identity


def tree_all(tree, is_leaf=None):
    return all(_tree.flatten(tree, is_leaf)[0])


def tree_transpose(outer_treedef, inner_treedef, pytree_to_transpose):
    leaves, treedef = tree_flatten(pytree_to_transpose)
    if inner_treedef is None:
        inner_treedef = tree_structure(outer_treedef.flatten_up_to(pytree_to_transpose)[0])
    inner, outer = inner_treedef.num_leaves, outer_treedef.num_leaves
    if inner == 0 or outer == 0:
        raise ValueError("TreeDefs must have at least one leaf.")
    if len(leaves) != inner * outer:
        raise TypeError(f"Mismatch\n{treedef}\n != \n{outer_treedef.compose(inner_treedef)}")
    return tree_unflatten(inner_treedef, [tree_unflatten(outer_treedef, leaves[i::inner]) for i in range(inner)])


def tree_broadcast(prefix_tree, full_tree, is_leaf=None):
    leaves, spec = _tree.flatten(prefix_tree, is_leaf)
    parts = [_tree.flatten(p, is_leaf) for p in _prefixed(spec, full_tree)]
    return _tree.unflatten(spec, [_tree.unflatten(of, [x] * len(within)) for x, (within, of) in zip(leaves, parts)])


def treedef_is_leaf(treedef):
    return treedef.spec == _tree.LEAF


def treedef_tuple(treedefs):
    return PyTreeDef(("tuple", tuple, None, tuple([t.spec for t in treedefs])))


def treedef_children(treedef):
    return treedef.children()


def flatten_one_level_with_keys(tree):
    kids = None if tree is None else _kids(tree)
    if kids is None and tree is not None:
        raise ValueError(f"can't tree-flatten type: {type(tree)}")
    if tree is None:
        return [], None
    what, kind, aux, _ = _tree.flatten(tree, lambda x: x is not tree)[1]
    return kids, aux if kind is dict else _data((what, kind, aux, ()))


def flatten_one_level(tree):
    kids, data = flatten_one_level_with_keys(tree)
    return [x for _, x in kids], data


def is_tree_node(cls):
    return cls in _tree._nodes or cls in (dict, list, tuple, type(None), OrderedDict, defaultdict)


def all_leaves(iterable, is_leaf=None):
    return all([_tree.flatten(x, is_leaf)[1] == _tree.LEAF for x in iterable])


# ---- classes of one's own


def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None):
    _tree.register(nodetype, flatten_func, unflatten_func)
    if flatten_with_keys_func is not None:
        _keyed[nodetype] = flatten_with_keys_func


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    def plain(x):
        kids, aux = flatten_with_keys(x)
        return [v for k, v in kids], aux
    _tree.register(nodetype, flatten_func or plain, unflatten_func)
    _keyed[nodetype] = flatten_with_keys


def register_pytree_node_class(cls):
    _tree.register(cls, lambda x: x.tree_flatten(), cls.tree_unflatten)
    return cls


def register_pytree_with_keys_class(cls):
    register_pytree_with_keys(cls, lambda x: x.tree_flatten_with_keys(), cls.tree_unflatten)
    return cls


def _check_fields(nodetype, data_fields, meta_fields, drop_fields):
    import dataclasses
    data, meta = set(data_fields), set(meta_fields)
    if dataclasses.is_dataclass(nodetype):
        own, both = {f.name for f in dataclasses.fields(nodetype) if f.init}, data | meta
        wrong = [f"Missing fields: {own - both - set(drop_fields)}"] if own - both - set(drop_fields) else []
        wrong += [f"Unexpected fields: {both - own}"] if both - own else []
        if wrong:
            raise ValueError("data_fields and meta_fields must include all dataclass fields with ``init=True`` and only them."
                             f" {' '.join(wrong)}.")
    if data & meta:
        raise ValueError(f"data_fields and meta_fields must not overlap. Overlapping fields: {data & meta}.")


def register_dataclass(nodetype, data_fields=None, meta_fields=None, drop_fields=()):
    import dataclasses
    if data_fields is None and meta_fields is None:
        if not dataclasses.is_dataclass(nodetype):
            raise TypeError("register_dataclass: data_fields and meta_fields are required when nodetype is not a dataclass."
                            f" Got nodetype={nodetype}.")
        fields = [f for f in dataclasses.fields(nodetype) if f.init]
        meta_fields = [f.name for f in fields if (f.metadata or {}).get("static", False)]
        data_fields = [f.name for f in fields if f.name not in meta_fields and f.name not in drop_fields]
    elif data_fields is None or meta_fields is None:
        raise TypeError("register_dataclass: data_fields and meta_fields must both be specified when either is specified."
                        f" Got data_fields={data_fields!r} meta_fields={meta_fields!r}.")
    else:
        _check_fields(nodetype, data_fields, meta_fields, drop_fields)

    def flatten(x):
        return [getattr(x, f) for f in data_fields], tuple([getattr(x, f) for f in meta_fields])

    def unflatten(aux, kids):
        kwargs = dict(zip(data_fields, kids))
        kwargs.update(dict(zip(meta_fields, aux)))
        return nodetype(**kwargs)

    _tree.register(nodetype, flatten, unflatten)
    _keyed[nodetype] = lambda x: ([(GetAttrKey(f), getattr(x, f)) for f in data_fields], None)
    return nodetype


def static(**kwargs):
    # A dataclass's field that is part of the structure.
    import dataclasses
    return dataclasses.field(**{**kwargs, "metadata": {"static": True, **(kwargs.get("metadata") or {})}})


def register_static(cls):
    _tree.register(cls, lambda x: ([], x), lambda aux, kids: aux)
    return cls


class Partial:
    # functools.partial whose arguments are leaves.
    def __init__(self, func, *args, **kw):
        self.func, self.args, self.keywords = func, args, kw

    def __call__(self, *args, **kw):
        merged = dict(self.keywords)
        merged.update(kw)
        return self.func(*self.args, *args, **merged)


_tree.register(Partial, lambda p: ((p.args, p.keywords), p.func), lambda f, kids: Partial(f, *kids[0], **kids[1]))


# ---- paths


class _Key:
    # Keys of one class are equal where what they name is.
    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((type(self).__name__, *self.__dict__.values()))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join([f'{k}={v!r}' for k, v in self.__dict__.items()])})"


class SequenceKey(_Key):
    __match_args__ = ("idx",)

    def __init__(self, idx):
        self.idx = idx

    def __str__(self):
        return f"[{self.idx}]"


class DictKey(_Key):
    __match_args__ = ("key",)

    def __init__(self, key):
        self.key = key

    def __str__(self):
        return f"[{self.key!r}]"


class GetAttrKey(_Key):
    __match_args__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f".{self.name}"


class FlattenedIndexKey(_Key):
    __match_args__ = ("key",)

    def __init__(self, key):
        self.key = key

    def __str__(self):
        return f"[<flat index {self.key}>]"


_keyed = {}


def keystr(keys, *, simple=False, separator=""):
    if simple:
        return separator.join([str(getattr(k, "idx", getattr(k, "key", getattr(k, "name", k)))) for k in keys])
    return separator.join([str(k) for k in keys])


def _kids(x):
    kind = type(x)
    if kind in _keyed:
        return _keyed[kind](x)[0]
    if kind in _tree._nodes:
        return [(FlattenedIndexKey(i), v) for i, v in enumerate(_tree._nodes[kind].flatten(x)[0])]
    if isinstance(x, dict):
        return [(DictKey(k), x[k]) for k in _tree.keys_of(x)]
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return [(GetAttrKey(f), getattr(x, f)) for f in x._fields]
    if isinstance(x, (list, tuple)):
        return [(SequenceKey(i), v) for i, v in enumerate(x)]
    return None


def _paths(x, at, out, is_leaf):
    kids = None if is_leaf is not None and is_leaf(at, x) else ([] if x is None else _kids(x))
    if kids is None:
        out.append((at, x))
        return _tree.LEAF
    if x is None:
        return None
    what, kind, aux, _ = _tree.flatten(x, lambda y: y is not x)[1]
    return (what, kind, aux, tuple([_paths(v, at + (key,), out, is_leaf) for key, v in kids]))


def tree_flatten_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    out = []
    ends = is_leaf if is_leaf is None or is_leaf_takes_path else lambda at, x: is_leaf(x)
    return out, PyTreeDef(_paths(tree, (), out, ends))


def tree_leaves_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def tree_map_with_path(f, tree, *rest, is_leaf=None, is_leaf_takes_path=False):
    pairs, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = [treedef.flatten_up_to(r) for r in rest]
    return treedef.unflatten([f(p, x, *more) for (p, x), *more in zip(pairs, *others)])
