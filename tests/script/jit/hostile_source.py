# The source in a file is definitions alone: whatever would run when it is loaded, or reach the
# host when it is called, is refused with its line before anything of it is run.
import importlib
import os
import tempfile

import _syntax
import numpy as np
import torch

hostile = {
    "a statement": "print('EVIL')",
    "an if": "if True:\n    print('EVIL')",
    "a loop": "for i in [1]:\n    print('EVIL')",
    "a with": "with x as y:\n    pass",
    "a value": "x = print('EVIL')",
    "a sum": "x = 1 + 2",
    "a comprehension": "x = [print('EVIL') for i in (1,)]",
    "a format": "x = f'{print(1)}'",
    "a walrus": "x = (y := print)",
    "a target": "import torch\ntorch.nn.Linear = 1",
    "an item": "x = {}\nx[0] = 1",
    "a default": "def f(x=print('EVIL')):\n    return x",
    "a keyword default": "def f(*, x=[print('EVIL')]):\n    return x",
    "an annotation": "def f(x: print('EVIL')):\n    return x",
    "a result annotation": "def f(x) -> print('EVIL'):\n    return x",
    "a decorator": "def d(f):\n    print('EVIL')\n    return f\n@d\ndef g(x):\n    return x",
    "a decorator that is called": "import torch\n@torch.no_grad()\ndef g(x):\n    return x",
    "a decorator bound again": "def property(f):\n    print('EVIL')\n@property\ndef g(x):\n    return x",
    "a decorator imported": "from math import sqrt as staticmethod",
    "torch bound again": "class torch:\n    pass",
    "a base": "class A(print('EVIL')):\n    pass",
    "a metaclass": "class M(type):\n    pass\nclass A(metaclass=M):\n    pass",
    "a class body": "class A:\n    print('EVIL')",
    "a class value": "class A:\n    x = print('EVIL')",
    "a class in a class": "class A:\n    class B:\n        pass",
    "__new__": "class A:\n    def __new__(cls):\n        print('EVIL')",
    "__init_subclass__": "class A:\n    def __init_subclass__(cls):\n        print('EVIL')\nclass B(A):\n    pass",
    "__set_name__": "class A:\n    def __set_name__(self, o, n):\n        print('EVIL')",
    "__class_getitem__": "class A:\n    def __class_getitem__(cls, i):\n        print('EVIL')\ndef f(x: A[0]):\n    return x",
    "__del__": "class A:\n    def __del__(self):\n        print('EVIL')",
    "__setattr__": "class A:\n    def __setattr__(self, n, v):\n        print('EVIL')",
    "__getattribute__": "class A:\n    def __getattribute__(self, n):\n        print('EVIL')",
    "__getattr__": "class A:\n    def __getattr__(self, n):\n        print('EVIL')",
    "__getattr__ of the module": "def __getattr__(n):\n    print('EVIL')",
    "os": "import os",
    "os from": "from os import system",
    "subprocess": "import subprocess",
    "a hidden module": "import _torch",
    "a hidden part": "import torch.jit._file",
    "a file of the folder": "import torch.evil",
    "a relative import": "from . import x",
    "everything": "from torch import *",
    "os by way of torch": "import torch\ndef f(x):\n    return torch.jit._file.os.system(x)",
    "os by a public name": "import torch\ndef f(x):\n    return torch.utils.data.os.system(x)",
    "a module handed on": "import torch\ndef f(x):\n    m = torch.utils.data\n    return m",
    "the module handed on": "import torch\ndef f(x):\n    m = torch\n    return m",
    "a module by from": "from torch import jit\ndef f(x):\n    j = jit\n    return j",
    "save": "import torch\ndef f(x):\n    torch.save(x, '/tmp/evil')",
    "save by from": "from torch import save",
    "save of a submodule": "from torch import jit\ndef f(x):\n    jit.save(x, '/tmp/evil')",
    "open": "def f(x):\n    return open(x)",
    "open as a constant": "o = open",
    "__import__": "def f(x):\n    return __import__('os')",
    "getattr": "def f(x):\n    return getattr(x, '__globals__')",
    "getattr of a name": "def f(x, n):\n    return getattr(x, n)",
    "getattr handed on": "def f(x):\n    g = getattr\n    return g(x, '__globals__')",
    "__globals__": "def f(x):\n    return f.__globals__",
    "__subclasses__": "def f(x):\n    return x.__class__.__subclasses__()",
    "an import inside": "def f(x):\n    import os\n    return os",
    "a global": "def f(x):\n    global torch\n    return x",
    "a lambda": "def f(x):\n    return (lambda y: open(y))(x)",
    "an inner function": "def f(x):\n    def g(y):\n        return open(y)\n    return g(x)",
    "an inner default": "def f(x):\n    def g(y=open):\n        return y\n    return g",
    "exec": "def f(x):\n    exec(x)",
    "del": "del print",
    "try": "try:\n    x = 1\nexcept Exception:\n    print('EVIL')",
    "assert": "assert print('EVIL')",
    "raise": "raise ValueError(print('EVIL'))",
    "a subscript": "x = [1][print('EVIL')]",
    "a conditional": "x = 1 if print('EVIL') else 2",
    "a decorator bound in a class": "def evil(f):\n    print('EVIL')\n    return f\nclass A:\n    staticmethod = evil\n    @staticmethod\n    def g():\n        pass",
    "a decorator defined in a class": "class A:\n    def property(f):\n        print('EVIL')\n        return f\n    @property\n    def g(self):\n        pass",
    "torch bound in a class": "import torch as t\nclass A:\n    t = print\n    @t.jit.script\n    def g(self):\n        pass",
    "a setter that is none": "class x:\n    @staticmethod\n    def setter(f):\n        print('EVIL')\n        return f\n@x.setter\ndef g(x):\n    return x",
    "a setter of another class": "class x:\n    @staticmethod\n    def setter(f):\n        print('EVIL')\nclass A:\n    @x.setter\n    def g(self, v):\n        pass",
    "a setter bound again": "class A:\n    @property\n    def g(self):\n        pass\n    g = print\n    @g.setter\n    def g(self, v):\n        pass",
    "an operator": "x = -torch",
    "a member that is made": "from enum import Enum\nclass E(Enum):\n    A = 1\n    def __init__(self, v):\n        print('EVIL')",
    "a member and an operator": "from enum import Enum\nclass E(Enum):\n    A = 1\n    def __neg__(self):\n        print('EVIL')\nx = -E.A",
    "a name of a module": "import torch\ndef f(x):\n    torch.nn.Linear = x",
    "a name of a module in a loop": "import torch\ndef f(x):\n    for torch.relu in x:\n        pass",
    "a name of a module that is deleted": "import torch\ndef f(x):\n    del torch.nn.Linear",
    "tofile": "def f(x):\n    x.numpy().tofile('/tmp/evil')",
    "a method that saves": "import torch\n@torch.jit.script\ndef g(x):\n    return x\ndef f(x):\n    g.save('/tmp/evil')",
    "source": "import torch\ndef f(x):\n    return torch.jit.CompilationUnit(x)",
}
for what, text in hostile.items():
    try:
        _syntax.load(text, "<file>")
        print("TAKEN:", what)
    except (RuntimeError, SyntaxError) as e:
        print(f"{what}: {e}".replace(", and the source in a file is definitions alone", ""))

# what files really hold
names = _syntax.load("""import math
import torch
import torch.nn.functional as F
from torch import nn
from typing import List, NamedTuple, Optional
half = 0.5
sizes = [1, (2, -3), {'a': None}]
kind = torch.float32


class Pair(NamedTuple):
    a: object
    b: object


class Counter(object):
    \"\"\"counts\"\"\"
    start: int = 3

    def __init__(self, n: int):
        self.n = n

    def __len__(self):
        return self.n

    @staticmethod
    def zero():
        return 0


class Net(nn.Module):
    __constants__ = ['width']

    def forward(self, x, k: Optional[List[int]] = None, mode: str = 'a'):
        y = F.relu(x) * half + math.pi
        if hasattr(self, 'bias'):
            y = y + getattr(self, 'bias')
        return [v for v in (y, torch.zeros(2, dtype=kind))]


@torch.jit.script
def f(x):
    return x + 1
""", "<file>")
print(sorted([n for n in names if n[0] != "_"]))
print(len(names["Counter"](4)), names["Counter"].zero(), names["f"](names["torch"].ones(1)).tolist(), names["half"], names["sizes"])

# What the text does not show is stopped when it happens: functions of a file, and what they leave behind that calls
# later, reach no file, whichever way they came to the function that would.
left = _syntax.load("""import functools
import itertools
import torch
from enum import Enum


def now(g, p):
    return g(p)


def mapped(g, p):
    return map(g, [p])


def filtered(g, p):
    return filter(g, [p])


def starred(g, p):
    return itertools.starmap(g, [(p,)])


def generated(g, p):
    return (g(q) for q in [p])


def partial(g, p):
    return functools.partial(g, p)


def closure(g, p):
    return lambda: g(p)


def cached(g, p):
    return functools.lru_cache(functools.partial(g, p))


def again(g, p):
    return iter(functools.partial(g, p), 3)


def hidden(g, p):
    return "{0.__globals__}".format(now)


def a_class(g, p):
    c = torch.nn.Linear
    c.forward = g


@torch.jit.script
def scripted(x: torch.Tensor):
    return x ** 2 + 1


class Box:
    @property
    def n(self):
        return 3

    @n.setter
    def n(self, v):
        pass
""", "<file>")
reach = {"open": open, "exec": exec, "eval": eval, "os.system": os.system, "os.remove": os.remove, "os.listdir": os.listdir, "os.kill": lambda p: os.kill(0, 0),
         "os.fork": lambda p: os.fork(), "torch.save": lambda p: torch.save(1, p), "torch.load": torch.load, "np.save": lambda p: np.save(p, np.ones(2)),
         "np.fromfile": np.fromfile, "tempfile": lambda p: tempfile.mkdtemp(), "import": importlib.import_module, "os.putenv": lambda p: os.environ.__setitem__("EVIL", p),
         "torch.jit.save": lambda p: torch.jit.save(left["scripted"], p), "torch.jit.load": torch.jit.load, "input": input}
for what, g in reach.items():
    try:
        print("REACHED:", what, left["now"](g, "/nowhere/evil"))
    except (RuntimeError, OSError, ImportError) as e:
        print(f"{what}: {type(e).__name__}: {e}")
for how in ("mapped", "filtered", "starred", "generated", "partial", "closure", "cached", "again", "hidden", "a_class"):
    try:
        r = left[how](open, "/nowhere/evil")
        print("REACHED:", how, r() if how in ("partial", "closure", "cached") else list(r))
    except RuntimeError as e:
        print(f"{how}: {e}")
box = left["Box"]()
box.n = 4
print(box.n, left["scripted"](torch.ones(2)).tolist(), list(left["mapped"](len, "abc")), left["partial"](max, [1, 3])())
# others go on as before
print(list(map(len, ["ab"])), os.path.exists("/nowhere/evil"), eval("1 + 2"))

# Pickles: what a file names and has called is the program's own, or computes and does no more.
import functools
import pickle


def named(module, name, *args):
    p = b"\x80\x02c" + module.encode() + b"\n" + name.encode() + b"\n("
    for a in args:
        p += a if isinstance(a, bytes) else b"X" + len(a).to_bytes(4, "little") + a.encode()
    return p + b"tR"


class Own:
    def __setstate__(self, state):
        self.n = state["n"] + len(os.listdir("/"))


def run_own(x):
    return ("own", x, os.path.exists("/nowhere"))


for module, name, arg in (("torch.jit", "CompilationUnit", "print('EVIL')\ndef f(x):\n    return x"), ("numpy", "fromfile", "/etc/passwd"), ("os", "system", "echo EVIL"),
                          ("__main__", "os.system", "echo EVIL"), ("__main__", "os", "x"), ("torch", "jit.os.system", "echo EVIL"), ("__main__", "run_own", "a"),
                          ("functools", "reduce", "a"), ("builtins", "exec", "print('EVIL')"), ("torch", "tensor", "x")):
    try:
        print(module, name, pickle.loads(named(module, name, arg) + b"."))
    except Exception as e:
        print(module, name, type(e).__name__, str(e)[:90])
# by way of the globals of a function of the library
p = named("builtins", "getattr", b"ctorch.nn\nModule.__init__\n", "__globals__")[:-2].replace(b"\x80\x02", b"") + b"tR"
try:
    print("REACHED", type(pickle.loads(b"\x80\x02" + p + b".")))
except pickle.UnpicklingError as e:
    print(str(e)[:60])
own = pickle.loads(pickle.dumps(Own.__new__(Own)))
o = Own()
o.n = 1
back = pickle.loads(pickle.dumps(o))
print(type(own).__name__, back.n > 1, pickle.loads(pickle.dumps(functools.partial(run_own, 3)))(), pickle.loads(pickle.dumps(np.arange(3))).tolist())
