ns = {}
exec("x = 1\ndef f(): return x + 1\nprint(__name__)", ns)
print(ns["f"](), sorted(k for k in ns if k != "__builtins__"))
def g(a):
    b = 3
    print(eval("a + b"), eval("a * c", {"c": 5, "a": 2}), eval("a", {"a": 1}, {"a": 7}))
    exec("b = 10; print(b)")
    return b
print(g(4))
loc = {}
exec("y = z + 1", {"z": 4}, loc); print(loc)
c = compile("1 + 2", "<s>", "eval"); print(eval(c), c.co_name, c.co_filename)
c = compile("q = 5\nprint(q)", "f.py", "exec"); exec(c); print(q)
try: compile("1 +", "bad.py", "exec")
except SyntaxError as e: print(type(e).__name__, e.filename, e.lineno)
def h(a, b: int, /, c: "str" = 1, *d: float, e: list[int] = 2, **f) -> dict[str, int]:
    u = v = 1
    return u
k = h.__code__
print(k.co_name, k.co_argcount, k.co_posonlyargcount, k.co_kwonlyargcount, k.co_varnames, k.co_flags & 12, k.co_nlocals)
print(h.__annotations__)
import inspect, typing
print(inspect.signature(h), typing.get_type_hints(h))
import sys
def where(): return sys._getframe(1).f_code.co_name, sys._getframe(1).f_lineno
def caller():
    zz = 5
    f = inspect.currentframe()
    print(f.f_code.co_name, f.f_locals["zz"], f.f_back.f_code.co_name, f.f_globals is globals())
    return where()
print(caller())
try:
    try: 1/0
    except ZeroDivisionError as e:
        tb = e.__traceback__
        print(tb.tb_lineno, tb.tb_frame.f_code.co_name, tb.tb_next, sys.exc_info()[2] is not None)
        raise ValueError from e
except ValueError as e: print(e.__cause__)
import types
m = types.ModuleType("mm", "doc"); m.a = 1; print(m.__name__, m.__doc__, m.a, m)
class L(types.ModuleType):
    def __getattr__(self, n): return n.upper()
print(L("zz").hello)


def reads(x):
    y = len(x)
    return abs(x.count(y)), len(x)


print(reads.__code__.co_names, (lambda: reads(1).real).__code__.co_names)
