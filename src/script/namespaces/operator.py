# operator -- operators as functions.
_abs = abs


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def truediv(a, b):
    return a / b


def floordiv(a, b):
    return a // b


def mod(a, b):
    return a % b


def pow(a, b):
    return a ** b


def matmul(a, b):
    return a @ b


def neg(a):
    return -a


def pos(a):
    return +a


def invert(a):
    return ~a


def not_(a):
    return not a


def and_(a, b):
    return a & b


def or_(a, b):
    return a | b


def xor(a, b):
    return a ^ b


def lshift(a, b):
    return a << b


def rshift(a, b):
    return a >> b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def is_(a, b):
    return a is b


def is_not(a, b):
    return a is not b


def contains(a, b):
    return b in a


def getitem(a, b):
    return a[b]


def setitem(a, b, c):
    a[b] = c


def delitem(a, b):
    del a[b]


def concat(a, b):
    return a + b


def truth(a):
    return bool(a)


def index(a):
    return a.__index__()


def abs(a):
    return _abs(a)


def itemgetter(*items):
    if len(items) == 1:
        return lambda x: x[items[0]]
    return lambda x: tuple([x[i] for i in items])


def attrgetter(*names):
    def get(x, name):
        for part in name.split("."):
            x = getattr(x, part)
        return x
    if len(names) == 1:
        return lambda x: get(x, names[0])
    return lambda x: tuple([get(x, n) for n in names])


def methodcaller(name, *args, **kwargs):
    return lambda x: getattr(x, name)(*args, **kwargs)


# The same by the names of the methods.
for _name in "add sub mul truediv floordiv mod pow matmul neg pos abs lt le eq ne gt ge lshift rshift and_ or_ xor inv invert not_ " \
        "contains concat getitem setitem delitem index iadd isub imul itruediv ifloordiv imod ipow imatmul".split():
    if _name in globals():
        globals()["__" + _name.rstrip("_") + "__"] = globals()[_name]
