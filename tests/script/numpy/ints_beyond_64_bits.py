# Python's ints that a dtype does not hold: compared by their value, floats beside floats and in quotients, errors elsewhere.
import operator
import numpy as np


def show(label, f, *args):
    try:
        r = f(*args)
        print(label, getattr(r, "dtype", ""), r)
    except (OverflowError, IndexError) as e:
        print(label, type(e).__name__, e)


def put(a, i, v):
    a[i] = v
    return a


def filled(a, v):
    a.fill(v)
    return a


def added(a, v):
    a += v
    return a


OPS = ("eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "truediv", "floordiv", "pow")
for dt in ("int8", "uint32", "int64", "uint64", "float16", "float32", "bool"):
    a = np.ones(2, dt)
    for v in (10**30, -10**30, 2**63, -2**63 - 1, 300, -1):
        for op in OPS if abs(v) > 2**64 else OPS[:3] + ("add",):
            if dt == "bool" and op in ("sub", "pow", "floordiv") or op == "pow" and v < 0:
                continue
            show(f"{dt} {op} {v}", getattr(operator, op), a, v)
            show(f"{v} {op} {dt}", getattr(operator, op), v, a)
            show(f"{dt} of one {op} {v}", getattr(operator, op), a[0], v)
        for f in ("add", "equal", "less", "maximum"):
            show(f"{f} {dt} {v}", getattr(np, f), a, v)
        show(f"array {dt} {v}", lambda: np.array(v, dtype=dt))
        show(f"asarray {dt} {v}", lambda: np.asarray([1, v], dtype=dt))
        show(f"full {dt} {v}", lambda: np.full(2, v, dtype=dt))
        show(f"put {dt} {v}", put, a.copy(), 0, v)
        show(f"fill {dt} {v}", filled, a.copy(), v)
        if dt != "bool" or abs(v) > 2**40:
            show(f"in place {dt} {v}", added, a.copy(), v)
        if dt != "bool":
            show(f"clip above {dt} {v}", lambda: np.clip(a, 0, v))
            show(f"clip below {dt} {v}", lambda: a.clip(v, 3))
top = np.full(2, 2**64 - 1, np.uint64)
print(top == -1, top > -1, top == 2**64 - 1, top < 2**64)
a = np.arange(3)
for v in (10**25, -10**25, 2**64):
    show(f"at {v}", lambda: a[v])
    show(f"in a column {v}", lambda: a.reshape(1, 3)[0, v])
    show(f"to {v}", lambda: a[:v])
    show(f"from {v}", lambda: a[v:])
    show(f"put at {v}", put, a.copy(), v, 1)
    for made in (np.array(v), np.array([v, 1]), np.array([[v], [1.5]]), np.full(2, v), np.asarray(v)):
        print(made.dtype, made.shape, made.tolist())
print(np.array([2**63, -1], dtype=float), np.array([10**30, 1.5], dtype=float), np.where([True, False], np.ones(2), 10**30))
print((np.array(10**30) + a).tolist())
show("too large for a float", lambda: np.ones(2) + 10**400)
