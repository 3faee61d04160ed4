# What an exception was called with is its args, whatever its __init__ does.
class E(Exception):
    def __init__(self, a, k=None): self.a = a
class F(ValueError, IndexError):
    def __init__(self, a): self.a = a
class G(E, KeyError): pass
for e in (E(1), E("x", "y"), F(3), E(1, k=2), G(1), G("q")): print(repr(e), str(e), e.args)
class O(OSError):
    def __init__(self, a): self.a = a
class P(Exception):
    def __init__(self, a, b): super().__init__(a); self.b = b
class Q(Exception):
    def __new__(cls, *args): return super().__new__(cls, *args)
    def __init__(self, *a): pass
class R(Exception):
    def __init__(self, msg): self.args = ("changed",)
class S(StopIteration):
    def __init__(self, v): pass
class K(KeyError):
    def __init__(self, k): self.k = k
for e in (O(1), P(1, 2), Q(5, 6), R(3), S(4), K("a"), E(a=1)): print(repr(e), str(e), e.args)
try:
    raise E("told", k=3)
except E as e:
    print("caught:", e)
try:
    raise K("gone")
except KeyError as e:
    print("caught:", e, e.k)
def gen():
    raise E("inside")
    yield
try: list(gen())
except Exception as e: print(type(e).__name__, e)
