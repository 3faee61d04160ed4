# singletons are their own copies, and slices equal ones
import copy

for x in (NotImplemented, Ellipsis, None, True, int, len, (1, (2, Ellipsis)), range(3), slice(1, 2), slice([1], None)):
    print(copy.copy(x) == x, copy.deepcopy(x) == x)
d = {"a": [NotImplemented, Ellipsis]}
print(copy.deepcopy(d), copy.deepcopy(d)["a"][0] is NotImplemented)


class Late:
    def __init__(self):
        self.me = self

    def __del__(self):
        print("gone")


Late()
