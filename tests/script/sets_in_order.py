# Sets of ints are walked in the order of CPython's table, also what is made of others by operators and methods.
print(set([-6, 12, 20, 11]) ^ set([40, 4, 38, -5, -2]), set([9, 0]) ^ set([18, 12, -7, 7, 2]))
print(set([-6]) | set([-5, 32, 19, 9, 6]), set([20, 5, -4]) - set(), set([28, -4, 38, 31, 1, 36]) - set([6, -2, 36, 1]))
print(set([14]).symmetric_difference([-9, -1, 1]), set([37, 37, -5, 38]).symmetric_difference([4, 5, 7]))
print(set([-6, 2, 16, 38, -9, 13]).difference([0, 5, -8, -1, 5]))
for numbers in ([0, 10, 7, 1, 34], [11, -7, 10, 29, 14], [27, 4, -3, 32, 33]):
    s = set(numbers)
    print(s.pop(), s, s.copy(), frozenset(s), list(s))
s = set([25, 37, -2, -4, 38])
s.difference_update([-4, -8, -3, -3])
print(s)
everything = set(range(0, 600, 7))
held = set(range(0, 600, 21))
print(list(everything - held)[:12], list(everything & held)[:12], list(held | set(range(5)))[:12])
s = set(range(0, 200, 3))
s -= set(range(0, 200, 2))
print(list(s))
s |= {1000, 2000, -1}
s ^= {1000, 3}
s &= set(range(-5, 150))
print(list(s))
s.clear()
s.update([40, 8, 16])
print(s, s.union([24, 32], {48}), s.intersection([16, 40]), s.union() is s, type(frozenset([1]).union([2])).__name__)
# the element that stays is the one that is walked
print({True} & {1}, {1} & {True}, {1.0} | {1}, {0} ^ {False}, {1, 2}.intersection([True]), set([1]) - set([1.0]))


class Named(set):
    pass


n = Named([1, 2, 3])
print(type(n | {4}).__name__, type(n.union([5])).__name__, type(n.copy()).__name__, n - {1}, n ^ n, n.difference())
n -= n
print(n, n.isdisjoint([1]))
try:
    {1}.union(3)
except TypeError as e:
    print(e)
