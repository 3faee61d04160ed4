# Trees that must be of one structure, and what can be asked of a structure.
import collections
import dataclasses
import jax
from jax import tree_util as tu

Point = collections.namedtuple("Point", "x y")


def refused(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except (TypeError, ValueError) as e:
        print(type(e).__name__, str(e).split("\n")[0][:60])


add = lambda x, y: (x, y)
for a, b in [([1, 2], (1, 2)), ((1, 2), [1, 2]), ([1, 2], [1]), ({"a": 1}, {"b": 1}), ({"a": 1}, [1]), (None, 1), ((), 1),
             (Point(1, 2), (1, 2)), (Point(1, 2), Point(3, 4)), ((1, 2), Point(1, 2)), ([1, [2]], [[5], [(6,)]]),
             ({"a": 1}, collections.OrderedDict(a=1)), (collections.OrderedDict(a=1), collections.OrderedDict(a=2))]:
    refused(jax.tree.structure(a).flatten_up_to, b)
    try:
        print(tu.tree_map(add, a, b))
    except ValueError as e:
        print(str(e)[:22])

outer, inner = jax.tree.structure({"a": 0, "b": 0}), jax.tree.structure([0, 0, 0])
print(outer.compose(inner), outer.compose(inner).num_nodes)
print(jax.tree.transpose(outer, inner, {"a": [1, 2, 3], "b": [4, 5, 6]}))
print(jax.tree.transpose(outer, None, {"a": (1, {"c": 2}), "b": (3, {"c": 4})}))
refused(jax.tree.transpose, outer, jax.tree.structure([0, 0]), {"a": [1, 2, 3], "b": [4, 5, 6]})
print(jax.tree.broadcast((1, 2, 3), (0, {"a": 0, "b": 0}, (0, 0))))
try:
    jax.tree.broadcast((1, 2), (0, 0, 0))
except ValueError as e:
    print(str(e)[:22])
seen = []
print(jax.tree.structure({"b": (1, 2), "a": [3]}).walk(lambda kids, data: seen.append((kids, data)), lambda x: x * 10, [3, 1, 2]), seen)
print(jax.tree.reduce_associative(lambda x, y: f"({x}{y})", ["a", "b", "c", "d", "e"]))

print(tu.tree_flatten_with_path({"a": [1, (2, 3)]}, is_leaf=lambda x: isinstance(x, tuple)))
print(tu.tree_map_with_path(lambda p, x: f"{tu.keystr(p)}={x}", ((1, 2), [3, [4]]),
                            is_leaf=lambda p, x: len(p) == 1 and p[0].idx == 1, is_leaf_takes_path=True))
match tu.tree_leaves_with_path({"k": [5]})[0][0]:
    case (tu.DictKey("k"), tu.SequenceKey(i)):
        print("matched", i)
print(hash(tu.DictKey(1)) == hash(tu.DictKey(1)), tu.DictKey(1) == tu.FlattenedIndexKey(1), tu.GetAttrKey("x"))


class Odd:
    def __init__(self, what):
        self.what = what


tu.register_pytree_node(Odd, lambda x: x.what, lambda aux, kids: Odd((kids, aux)))
refused(jax.tree.leaves, Odd("hello"))
refused(jax.tree.leaves, Odd((1, 2, 3)))
refused(jax.tree.leaves, Odd((7, 7)))
print(jax.tree.structure(Odd(((1, 2), "word"))))


@dataclasses.dataclass
class Pair:
    x: int
    y: int
    z: int = dataclasses.field(init=False, default=0)


refused(tu.register_dataclass, Pair, data_fields=["x"], meta_fields=[])
refused(tu.register_dataclass, Pair, data_fields=["x", "y", "w"], meta_fields=[])
refused(tu.register_dataclass, Pair, data_fields=["x", "y"], meta_fields=["x"])
refused(tu.register_dataclass, Pair, data_fields=["x", "y"])
refused(tu.register_dataclass, int)


@tu.register_dataclass
@dataclasses.dataclass
class Named:
    name: str = jax.tree.static(default="n")
    value: int = 3


print(jax.tree.leaves(Named()), jax.tree.structure(Named("q", 4)))


class Keyed:
    def __init__(self, a, b):
        self.a, self.b = a, b


tu.register_pytree_node(Keyed, lambda k: ((k.a, k.b), None), lambda aux, kids: Keyed(*kids),
                        lambda k: (((tu.GetAttrKey("a"), k.a), (tu.GetAttrKey("b"), k.b)), None))
print([tu.keystr(p) for p, _ in tu.tree_leaves_with_path({"k": Keyed(1, [2, 3])})])
