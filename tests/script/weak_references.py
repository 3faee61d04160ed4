# References that do not keep what they refer to: callbacks, collections, proxies, cycles; and what lives until the end.
import gc
import weakref


class O:
    def __init__(self, n):
        self.n = n

    def m(self):
        return self.n


o = O(1)
r = weakref.ref(o, lambda dead: print("dead", dead() is None))
print(r() is o, r == weakref.ref(o), hash(r) == hash(o), weakref.ref(O)() is O)
d, k = weakref.WeakValueDictionary(), weakref.WeakKeyDictionary()
d["k"], k[o] = o, 1
p = weakref.proxy(o)
o.x = 5
p.y = 6
print(p.x, o.y, len(d), len(k), p.m())
fin = weakref.finalize(o, print, "finalized")
ws, wm = weakref.WeakSet([o]), weakref.WeakMethod(o.m)
print(len(ws), wm()(), o in ws, k[o], d["k"] is o)
del o
print(r(), len(d), len(k), len(ws), fin.alive, wm())
try:
    p.x
except ReferenceError as e:
    print(e)
for bad in (5, "a", [], (), {}, None, 1.5, b"", 2 ** 100):
    try:
        weakref.ref(bad)
    except TypeError as e:
        print(e)
a = O(1)
a.me = a
r = weakref.ref(a, lambda _: print("cycle gone"))
del a
gc.collect()
print(r())


class Keyed(weakref.ref):
    def __new__(cls, o, callback, key):
        made = super().__new__(cls, o, callback)
        made.key = key
        return made

    def __init__(self, o, callback, key):
        super().__init__(o, callback)


x = O(3)
kr = Keyed(x, lambda w: print("key", w.key), "q")
del x
print(kr())
f = lambda: 0
rf = weakref.ref(f)
print(rf() is f)
del f
print(rf())
y = O(9)
refs = [weakref.ref(y, lambda r, i=i: print("callback", i)) for i in range(3)]
del refs[1]
del y
cache = weakref.WeakValueDictionary()
keep = [cache.setdefault(i, O(i)) for i in range(3)]
print(sorted(cache.keys()))
del keep[1]
print(sorted(cache), [v.n for v in cache.values()], 1 in cache, cache.get(1))


class Tree:
    def __init__(self, parent=None):
        self.parent = weakref.ref(parent) if parent else None
        self.children = []
        if parent:
            parent.children.append(self)


root = Tree()
leaf = Tree(Tree(root))
print(leaf.parent().parent() is root)
del root
print(leaf.parent())
z = O(4)
weakref.finalize(z, print, "at exit")
try:
    raise OSError(2, "No such", "file")
except FileNotFoundError as e:
    print(e, repr(e), type(OSError(13, "x")).__name__, type(OSError("x")).__name__)
print("end")
