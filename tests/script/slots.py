vals = {"int": 5, "float": 2.5, "str": "ab", "list": [1, 2], "tuple": (1, 2), "dict": {"a": 1}, "set": {1}, "bytes": b"ab", "bool": True, "none": None, "range": range(3), "complex": 1+2j, "frozenset": frozenset([1]), "slice": slice(1), "func": len, "gen": (i for i in [1]), "type": int, "obj": object(), "ba": bytearray(b"x")}
names = "repr str hash eq ne lt le gt ge len getitem setitem delitem contains iter next add radd sub rsub mul rmul truediv rtruediv floordiv mod pow and or xor lshift rshift neg pos abs invert bool int float index round trunc floor ceil call class doc reversed iadd imul ior format sizeof dir init new init_subclass subclasshook reduce reduce_ex getattribute setattr delattr divmod rdivmod rpow complex length_hint missing get set enter exit concat matmul".split()
for k, v in []:
    print(k, [n for n in names if hasattr(v, f"__{n}__")])
    print(k, "cls", [n for n in names if hasattr(type(v), f"__{n}__")])
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [lambda: int.__repr__(5), lambda: (5).__add__(3), lambda: (5).__add__("x"), lambda: int.__add__(1, 2), lambda: [1].__len__(), lambda: list.__len__([1, 2]),
  lambda: "ab".__getitem__(1), lambda: {"a": 1}.__getitem__("a"), lambda: dict.__getitem__({"a": 1}, "a"), lambda: {"a": 1}.__contains__("a"), lambda: list([1].__iter__()), lambda: (2.5).__int__(), lambda: (2.5).__round__(), lambda: int.__eq__(1, 1), lambda: (1).__eq__("a"), lambda: (1).__lt__(2),
  lambda: str.__len__("abc"), lambda: "a".__mul__(3), lambda: [1].__add__([2]), lambda: (1).__bool__(), lambda: float.__repr__(1.5), lambda: str.__repr__("a"), lambda: list.__repr__([1]), lambda: dict.__repr__({1: 2}), lambda: tuple.__repr__((1,)), lambda: set.__repr__({1}), lambda: object.__repr__(5)[:12], lambda: str.__str__("q"), lambda: int.__str__(7), lambda: float.__format__(2.5, ".2f"), lambda: (3).__rsub__(10), lambda: (7).__divmod__(2), lambda: (2).__pow__(3), lambda: (5).__index__(), lambda: True.__and__(False), lambda: {1}.__or__({2}), lambda: [3, 1].__setitem__(0, 9), lambda: {}.__setitem__(1, 2), lambda: hash(5) == (5).__hash__(), lambda: list.__eq__([1], [1]), lambda: "a".__eq__(1), lambda: (1).__neg__(), lambda: int.__hash__(3), lambda: [1, 2].__reversed__().__next__(), lambda: list(map(int.__add__, [1, 2], [3, 4])), lambda: sorted([3, 1], key=int.__neg__), lambda: "x".__class__.__name__, lambda: [].__class__([1]), lambda: (1,).__hash__() == hash((1,)), lambda: list.__contains__([1], 1), lambda: dict.__len__({}), lambda: dict.__iter__({1: 2}).__next__(), lambda: int.__truediv__(3, 2), lambda: str.__add__("a", "b"), lambda: float.__add__(1.0, 2), lambda: b"a".__add__(b"b"), lambda: [1].__iadd__([2]), lambda: object().__eq__(1), lambda: type.__call__(int, "5"), lambda: int.__call__("5"), lambda: len.__call__([1]), lambda: (lambda x: x).__call__(4), lambda: None.__bool__(), lambda: ().__len__(), lambda: str.__mod__("%d", 3), lambda: int.__float__(3), lambda: (-3).__abs__(), lambda: int.__invert__(3), lambda: list.__getitem__([1, 2], slice(1)), lambda: range(3).__contains__(2), lambda: set.__contains__({1}, 1), lambda: str.__contains__("abc", "b"), lambda: (3.7).__floor__(), lambda: (3.2).__ceil__(), lambda: (3).__trunc__()]:
    t(f)
class L(list):
    def __len__(self): return 10 + super().__len__()
    def __getitem__(self, i): return super().__getitem__(i) * 2
    def __repr__(self): return "L" + super().__repr__()
    def __add__(self, o): return L(super().__add__(o))
    def __eq__(self, o): return super().__eq__(o)
    def __contains__(self, x): return super().__contains__(x)
    def __iter__(self): return super().__iter__()
    def __setitem__(self, i, v): super().__setitem__(i, v + 1)
l = L([1, 2]); l[0] = 5; print(len(l), l[1], l, l + [3], l == [6, 2], 2 in l, list(l))
class D(dict):
    def __getitem__(self, k): return super().__getitem__(k) + 1
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
    def __delitem__(self, k): print("del", k); super().__delitem__(k)
    def __contains__(self, k): return super().__contains__(k)
    def __iter__(self): return super().__iter__()
    def __len__(self): return super().__len__()
d = D(); d["a"] = 2; print(d["a"], "a" in d, len(d), list(d), d); del d["a"]
class I(int):
    def __add__(self, o): return I(super().__add__(o))
    def __repr__(self): return f"I({super().__repr__()})"
    def __eq__(self, o): return super().__eq__(o)
    __hash__ = int.__hash__
    def __str__(self): return super().__str__() + "!"
print(I(3) + 4, repr(I(3)), I(3) == 3, hash(I(3)), str(I(2)), f"{I(2)}")
class S(str):
    def __eq__(self, o): return super().__eq__(o.lower())
    def __hash__(self): return super().__hash__()
    def __add__(self, o): return S(super().__add__(o))
    def __getitem__(self, i): return super().__getitem__(i) + "-"
print(S("a") == "A", S("a") + "b", S("ab")[1], {S("k"): 1}["k"])
for v, n in [([1], "__len__"), ([1], "__call__"), (5, "__add__"), (5, "__len__"), ("a", "__iter__"), (b"a", "__iter__"), ({}, "__or__"), (None, "__bool__"), (len, "__call__"), (1.5, "__or__")]:
    print(n, hasattr(v, n))
