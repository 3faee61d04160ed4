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
