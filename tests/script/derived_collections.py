# Classes derived from collections are shown by their own names.
import collections


class Ordered(collections.OrderedDict):
    pass


class Count(collections.Counter):
    pass


class Queue(collections.deque):
    def __init__(self, *a):
        super().__init__(*a, maxlen=2)


class Endless(collections.deque):
    pass


class Default(collections.defaultdict):
    pass


class Chain(collections.ChainMap):
    pass


print(Ordered(a=1), Ordered(), Count("aab"), Count(), Queue([1, 2, 3]), Endless([1]), Endless(), Default(list, a=[1]), Chain({"a": 1}))
print(collections.OrderedDict(a=1), collections.Counter("a"), collections.deque([1], 3), collections.deque(), collections.Counter())
print([Count("ab") + Count("b")], [Queue([1])], {"k": Ordered(b=2)}, f"{Ordered(a=1)} {str(Endless('ab'))}")


class Frozen(frozenset):
    def __init__(self, *a):
        self.given = len(a)


class Made(frozenset):
    def __new__(cls, *values):
        return super().__new__(cls, values)


print(Frozen([1]), Frozen().given, len(Frozen("ab")), Frozen([2]) == {2}, hash(Frozen([1])) == hash(frozenset([1])), Made(1), type(Made(1) | {2}).__name__)
print(frozenset(), frozenset([3]), frozenset("a") | {"a"}, frozenset([1]).union([1]), type(frozenset(x for x in [1])).__name__)
for bad in (lambda: frozenset(1), lambda: frozenset(1, 2), lambda: frozenset([[]])):
    try:
        print(bad())
    except TypeError as e:
        print("TypeError")
