# jax.tree, jax.tree_util, shapes.
import jax
import jax.numpy as jnp


def show(*values):
    for v in values:
        print(repr(v))


x = jnp.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
v = jnp.array([3.0, 1.0, 2.0, 1.0])
i = jnp.array([3, 1, 2, 1])
b = jnp.array([True, False, True, True])
u = jnp.array([1, 200, 30], dtype=jnp.uint8)
h = jnp.array([1.5, 2.5], dtype=jnp.float16)
n = jnp.array([1.0, jnp.nan, 3.0, jnp.inf])

show(jax.tree.map(lambda a: a + 1, {"a": 1, "b": (2, [3])}), jax.tree.leaves({"b": 1, "a": 2}))
show(jax.tree.structure((1, {"a": None})), jax.tree.flatten([1, (2,)]))
show(jax.tree.reduce(lambda a, b: a + b, [1, 2, 3]))
show(jax.tree.transpose(jax.tree.structure([0, 0]), jax.tree.structure((0, 0)), [(1, 2), (3, 4)]))
show(jax.tree.all([True, False]), jax.tree_util.tree_map(lambda a, b: a * b, [1, 2], [3, 4]))
show(jax.tree_util.tree_leaves_with_path({"a": [1, 2]}))
show([jax.tree_util.keystr(p) for p, _ in jax.tree_util.tree_leaves_with_path({"a": [1, {"b": 2}]})])
show(jax.tree.structure([1]).num_leaves, jax.tree.unflatten(jax.tree.structure([1, 2]), [5, 6]))
show(jax.tree.structure([1, 2]) == jax.tree.structure([3, 4]))
show(jax.tree.map_with_path(lambda p, a: jax.tree_util.keystr(p) + str(a), {"x": 1}))
show(jax.eval_shape(lambda a: a @ a.T, x), jax.ShapeDtypeStruct((2, 3), jnp.float32))
show(jax.eval_shape(lambda a: (a, a.sum()), jax.ShapeDtypeStruct((5,), jnp.float32)))

# an OrderedDict has an order of its own, a defaultdict its factory; keys of paths are equal by what they name
from collections import OrderedDict, defaultdict
from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey

o = OrderedDict([("b", 2), ("a", 1)])
c = defaultdict(list, {"b": 2, "a": 1})
for tree in (o, c, {"b": 2, "a": 1}):
    show(jax.tree.leaves(tree), jax.tree.structure(tree), jax.tree.map(lambda a: a * 10, tree))
    show(jax.tree_util.tree_leaves_with_path(tree), jax.jit(lambda a: a["a"] - a["b"])(tree))
show(jax.tree.map(lambda a: a, c)["new"], jax.tree.structure(o) == jax.tree.structure(c))
show(SequenceKey(0) == SequenceKey(0), SequenceKey(0) == SequenceKey(1), DictKey("a") == DictKey("a"))
show(GetAttrKey("a") == DictKey("a"), FlattenedIndexKey(1) == FlattenedIndexKey(1), len({DictKey("a"), DictKey("a")}))
