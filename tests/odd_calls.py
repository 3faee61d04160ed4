# Random calls of the natives of the language and of the engine, with values that nobody means: an exception at most.
#
#   weft run tests/odd_calls.py MODULES SEED CALLS LOG     MODULES: "types", "builtins", or names of modules, with , between
#
# Each call is written to LOG before it is made, so that the last line names the one that ended the process.
import random
import sys

MODULES, SEED, CALLS, LOG = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3]), open(sys.argv[4], "w")
# These reach outside, wait, or change what the calls after them mean.
SKIPPED = set("""exit _exit quit abort kill killpg fork system popen run remove unlink rmdir removedirs rename replace mkdir makedirs
    chmod chown link symlink truncate chdir mkfifo putenv unsetenv utime mkstemp mkdtemp mktemp NamedTemporaryFile write listdir walk open
    sleep wait waitpid pause read input breakpoint help exec eval compile setrecursionlimit settrace refuse_random save savez
    savez_compressed savetxt tofile set_watch comm_open comm_close comm_abort connect cuts watch saved_hooks select poll betavariate
    gammavariate set_class set_shape_class set_scalar_class""".split())
TYPES = [int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice, complex, bool, object, type, BaseException,
         KeyError, property, staticmethod, classmethod, super, map, filter, zip, enumerate, reversed, type(len), type(sys), type(None)]
BUILTINS = """abs all any ascii bin bool bytearray bytes callable chr complex delattr dict dir divmod enumerate filter float format
    frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map max min next oct ord pow property range repr
    reversed round set setattr slice sorted str sum super tuple type vars zip""".split()


class Changes:  # what it is asked changes what is being looked at
    def __index__(self):
        L.clear()
        return 1

    def __hash__(self):
        return 1

    def __eq__(self, other):
        L.clear()
        D.clear()
        return True

    def __lt__(self, other):
        L.clear()
        return True

    def __iter__(self):
        return iter([1, 2])

    def __len__(self):
        return 2

    def __format__(self, spec):
        return L


class Refuses:
    def __index__(self):
        raise ValueError("no")

    __iter__ = __bool__ = __repr__ = __index__

    def __len__(self):
        return -1

    def __float__(self):
        return float("nan")

    def __call__(self, *args):
        raise KeyError(1)


def gives():
    yield 1
    L.clear()
    yield "x"


def arrays():
    return []


if any(m not in ("types", "builtins") and m[0] in "_jtn" for m in MODULES):
    import torch
    import numpy as np
    import jax.numpy as jnp

    def arrays():
        return [torch.ones(2), torch.zeros(0), torch.ones(2, 3), torch.tensor(1), torch.tensor([0, 1]), torch.tensor([True, False]),
                torch.ones(2, requires_grad=True), torch.float32, torch.int64, np.ones(3), np.zeros((2, 0)), np.float32(1),
                np.array([1, 2]), np.int32, np.dtype("f4"), jnp.ones(2), jnp.arange(3), jnp.float32, torch.nn.Linear(2, 2),
                torch.Generator(), torch.ones(1, 2, 3, 4), torch.complex(torch.ones(2), torch.ones(2)), torch.device("cpu"),
                torch.Size([2, 3]), torch.empty(2, device="meta")]


def values():
    global L, D
    L, D, own = [1, 2, 3, "x", None], {1: 2, "a": [1], (1, 2): 3}, []
    own.append(own)
    return [None, True, 0, 1, -1, 2, 7, 2**31, -2**31, 2**63 - 1, -2**63, 2**64, 2**200, 0.5, -0.0, float("nan"), float("inf"), 1e300, 1j,
            "a", "", "x" * 70, "\u20ac", "f32", "float32", "i,j->ij", "%s%d", "{}", b"", b"ab\0", bytearray(b"xyz"), [], [1], [1, 2, 3], L,
            [[1, 2], [3]], own, (), (1,), (0, -1), (2**40, 2**40), (3, 4), {}, D, {"a": 1}, set(), {1, 2}, frozenset([1]), range(3),
            range(10**5), slice(None), slice(0, 2**62, -1), Ellipsis, NotImplemented, int, str, list, dict, object, type, Changes,
            Changes(), Refuses(), len, lambda *a: a, lambda *a, **k: L.clear(), gives(), iter([1, 2]), map(str, [1]), zip(),
            enumerate("ab"), Exception("x"), KeyError, sys, print] + arrays()


def members(name, of):
    for n in dir(of):
        if n not in SKIPPED and n not in ("__del__", "__class__", "__subclasses__", "__init_subclass__"):
            try:
                f = getattr(of, n)
            except Exception:
                continue
            if callable(f):
                yield name + "." + n, f
            if isinstance(f, type) and not isinstance(of, type):
                yield from members(name + "." + n, f)


def targets():
    for m in MODULES:
        if m == "types":
            for t in TYPES:
                yield t.__name__, t
                yield from members(t.__name__, t)
        elif m == "builtins":
            for n in BUILTINS:
                yield n, eval(n)
        else:
            of = __import__(m)
            for part in m.split(".")[1:]:
                of = getattr(of, part)
            yield from members(m, of)


def shown(v):
    try:
        return repr(v)[:60].replace("\n", " ")
    except Exception:
        return "a " + type(v).__name__


def one(r, i, name, f):
    v = values()
    args = [r.choice(v) for _ in range(r.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5]))]
    named = {r.choice(["dim", "axis", "dtype", "out", "key", "size", "n", "x", "default"]): r.choice(v)} if r.random() < .1 else {}
    LOG.write(f"{i} {name}({', '.join([shown(a) for a in args])}) {list(named)}\n")
    LOG.flush()
    try:
        got = f(*args, **named)
        if not isinstance(got, (bytes, bytearray, str)):  # they may be large
            shown(got)
        it = iter(got)
        for _ in range(5):
            next(it)
    except (Exception, SystemExit, GeneratorExit) as e:
        shown(e)


draw = random.Random(SEED)
all_targets = list(targets())
for i in range(CALLS):
    one(draw, i, *draw.choice(all_targets))
print("end", len(all_targets) > 0)
