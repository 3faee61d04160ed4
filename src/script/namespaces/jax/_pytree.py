# jax._pytree -- trees as JAX has them: jax.tree and jax.tree_util are names of these.
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
    return f"CustomNode({kind.__name__}[{aux!r}], [{', '.join(parts)}])"


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
        return _tree.flatten_up_to(self.spec, tree)

    def children(self):
        return [PyTreeDef(k) for k in self.spec[3]] if isinstance(self.spec, tuple) else []

    def node_data(self):
        return None if not isinstance(self.spec, tuple) else (self.spec[1], self.spec[2])


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
    return _tree.map(f, tree, *rest, is_leaf=is_leaf)


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


def tree_all(tree, is_leaf=None):
    return all(_tree.flatten(tree, is_leaf)[0])


def tree_transpose(outer_treedef, inner_treedef, pytree_to_transpose):
    if inner_treedef is None:
        parts = outer_treedef.flatten_up_to(pytree_to_transpose)
        inner_treedef = tree_structure(parts[0])
    rows = [tree_leaves(p) for p in outer_treedef.flatten_up_to(pytree_to_transpose)]
    columns = [tree_unflatten(outer_treedef, [r[i] for r in rows])
               for i in range(inner_treedef.num_leaves)]
    return tree_unflatten(inner_treedef, columns)


def tree_broadcast(prefix_tree, full_tree, is_leaf=None):
    spec = _tree.flatten(full_tree, is_leaf)[1]
    return _tree.unflatten(spec, _tree.prefix(spec, prefix_tree))


def treedef_is_leaf(treedef):
    return treedef.spec == _tree.LEAF


def treedef_tuple(treedefs):
    return PyTreeDef(("tuple", tuple, None, tuple([t.spec for t in treedefs])))


def treedef_children(treedef):
    return treedef.children()


def all_leaves(iterable, is_leaf=None):
    return all([_tree.flatten(x, is_leaf)[1] == _tree.LEAF for x in iterable])


# ---- classes of one's own


def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None):
    _tree.register(nodetype, flatten_func, unflatten_func)


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


def register_dataclass(nodetype, data_fields=None, meta_fields=None, drop_fields=()):
    if data_fields is None:
        import dataclasses
        fields = dataclasses.fields(nodetype)
        meta_fields = [f.name for f in fields if (f.metadata or {}).get("static", False)]
        data_fields = [f.name for f in fields if f.name not in meta_fields]
    meta_fields = meta_fields or []

    def flatten(x):
        return [getattr(x, f) for f in data_fields], tuple([getattr(x, f) for f in meta_fields])

    def unflatten(aux, kids):
        kwargs = dict(zip(data_fields, kids))
        kwargs.update(dict(zip(meta_fields, aux)))
        return nodetype(**kwargs)

    _tree.register(nodetype, flatten, unflatten)
    _keyed[nodetype] = lambda x: ([(GetAttrKey(f), getattr(x, f)) for f in data_fields], None)
    return nodetype


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
        return hash((type(self).__name__, str(self)))


class SequenceKey(_Key):
    def __init__(self, idx):
        self.idx = idx

    def __str__(self):
        return f"[{self.idx}]"

    def __repr__(self):
        return f"SequenceKey(idx={self.idx})"


class DictKey(_Key):
    def __init__(self, key):
        self.key = key

    def __str__(self):
        return f"[{self.key!r}]"

    def __repr__(self):
        return f"DictKey(key={self.key!r})"


class GetAttrKey(_Key):
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f".{self.name}"

    def __repr__(self):
        return f"GetAttrKey(name={self.name!r})"


class FlattenedIndexKey(_Key):
    def __init__(self, key):
        self.key = key

    def __str__(self):
        return f"[<flat index {self.key}>]"

    def __repr__(self):
        return f"FlattenedIndexKey(key={self.key})"


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
    kids = None if is_leaf is not None and is_leaf(x) else ([] if x is None else _kids(x))
    if kids is None:
        out.append((at, x))
        return
    for key, v in kids:
        _paths(v, at + (key,), out, is_leaf)


def tree_leaves_with_path(tree, is_leaf=None):
    out = []
    _paths(tree, (), out, is_leaf)
    return out


def tree_flatten_with_path(tree, is_leaf=None):
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(f, tree, *rest, is_leaf=None):
    spec = _tree.flatten(tree, is_leaf)[1]
    others = [_tree.flatten_up_to(spec, r) for r in rest]
    pairs = tree_leaves_with_path(tree, is_leaf)
    return _tree.unflatten(spec, [f(p, x, *more) for (p, x), *more in zip(pairs, *others)])
