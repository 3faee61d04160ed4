# What frames say of the arguments of their functions; members of an Enum that are called value and name.
import inspect
from enum import Enum


class Hyper:
    def keep(self, ignore=()):
        args, varargs, keywords, local = inspect.getargvalues(inspect.currentframe().f_back)
        print(args, varargs, keywords, sorted(local))
        for k, v in local.items():
            if k not in set(list(ignore) + ["self"]) and not k.startswith("_"):
                setattr(self, k, v)


class Model(Hyper):
    def __init__(self, width, depth=3, *more, rate=0.1, **others):
        self.keep(ignore=["depth"])


m = Model(5, 4, 6, rate=0.5, seed=1)
print(m.width, hasattr(m, "depth"), m.rate, m.more, m.others)


def plain(a, b):
    return inspect.getargvalues(inspect.currentframe())


print(plain(1, b=2))


class Text(Enum):
    none = None
    key = "cyan"
    value = "bold"
    name = "n"


print(Text.key.value, Text.value, Text.value.value, Text.value.name, Text.name, [t.value for t in Text], Text("bold"), Text["name"])
