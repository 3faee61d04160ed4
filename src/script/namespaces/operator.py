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


def inv(a):
    return ~a


def countOf(a, b):
    return sum(x is b or x == b for x in a)


def indexOf(a, b):
    for i, x in enumerate(a):
        if x is b or x == b:
            return i
    raise ValueError("sequence.index(x): x not in sequence")


def length_hint(obj, default=0):
    if hasattr(obj, "__len__"):
        return len(obj)
    n = obj.__length_hint__() if hasattr(obj, "__length_hint__") else NotImplemented
    return default if n is NotImplemented else n


def call(obj, /, *args, **kwargs):
    return obj(*args, **kwargs)


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


def itruediv(a, b):
    a /= b
    return a


def ifloordiv(a, b):
    a //= b
    return a


def imod(a, b):
    a %= b
    return a


def ipow(a, b):
    a **= b
    return a


def imatmul(a, b):
    a @= b
    return a


def iand(a, b):
    a &= b
    return a


def ior(a, b):
    a |= b
    return a


def ixor(a, b):
    a ^= b
    return a


def ilshift(a, b):
    a <<= b
    return a


def irshift(a, b):
    a >>= b
    return a


iconcat = iadd


class itemgetter:
    def __init__(self, item, /, *items):
        self._items = (item, *items)

    def __call__(self, obj):
        if len(self._items) == 1:
            return obj[self._items[0]]
        return tuple([obj[i] for i in self._items])

    def __repr__(self):
        return f"operator.itemgetter({', '.join(map(repr, self._items))})"

    def __reduce__(self):
        return itemgetter, self._items


class attrgetter:
    def __init__(self, attr, /, *attrs):
        self._attrs = (attr, *attrs)
        if not all(isinstance(a, str) for a in self._attrs):
            raise TypeError("attribute name must be a string")

    def _one(self, obj, name):
        for part in name.split("."):
            obj = getattr(obj, part)
        return obj

    def __call__(self, obj):
        if len(self._attrs) == 1:
            return self._one(obj, self._attrs[0])
        return tuple([self._one(obj, n) for n in self._attrs])

    def __repr__(self):
        return f"operator.attrgetter({', '.join(map(repr, self._attrs))})"

    def __reduce__(self):
        return attrgetter, self._attrs


class methodcaller:
    def __init__(self, name, /, *args, **kwargs):
        if not isinstance(name, str):
            raise TypeError("method name must be a string")
        self._name, self._args, self._kwargs = name, args, kwargs

    def __call__(self, obj):
        return getattr(obj, self._name)(*self._args, **self._kwargs)

    def __repr__(self):
        parts = [repr(self._name), *map(repr, self._args), *(f"{k}={v!r}" for k, v in self._kwargs.items())]
        return f"operator.methodcaller({', '.join(parts)})"


# The same by the names of the methods.
for _name in "add sub mul truediv floordiv mod pow matmul neg pos abs lt le eq ne gt ge lshift rshift and_ or_ xor inv invert not_ " \
        "contains concat getitem setitem delitem index iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift " \
        "iconcat call".split():
    if _name in globals():
        globals()["__" + _name.rstrip("_") + "__"] = globals()[_name]
