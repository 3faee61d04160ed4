# lists that are emptied by the comparison of their items
class Clears:
    def __init__(self, which):
        self.which = which

    def __eq__(self, other):
        del lists[self.which][1:]
        lists[self.which].clear()
        return False


for which in (0, 1):
    for name in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
        lists = [[Clears(which) for _ in range(3)] for _ in range(2)]
        print(which, name, getattr(list, name)(lists[0], lists[1]), [len(x) for x in lists])
