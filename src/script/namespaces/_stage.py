# _stage -- from source to programs: runs a function of the script, statement by statement, on
# symbolic tensors inside a trace, and turns control flow on values that are not known yet into
# cond, while and scan. torch.jit.script and tf.function stand on it.
#
#   Stage(w, numbers)   w: natives of a front; numbers: how host numbers that become unknown are
#                       kept: "sym" (Sym: Python's arithmetic, TorchScript) or "tensor" (tf)
#   stage.call(f, args, kwargs)   what f gives, inside the current trace
#
# What happens to a statement depends on the value it branches on. Known: Python's way. Unknown:
# both arms, or the body of the loop, are traced on copies of the variables; what they changed is
# joined. An arm that may leave by return, break or continue takes the statements that follow with
# it, up to the end of the loop's body or of the function; so after it nothing is left to be done,
# and the two ends are joined with a code that says how each ended.
#
# Whatever does not fit (a list that grows in a loop, a size that changes, a number needed for a
# shape) raises Refuse: the caller then runs the function in the ordinary way. So a program is
# either right or not made.
import _syntax

NEXT, BREAK, RETURN, RAISE = 0, 1, 2, 3


class Refuse(Exception):
    pass


class Node:
    pass


class Missing:
    # The value of a variable that has none.
    pass


MISSING = Missing()


# ---- numbers that are not known yet ----------------------------------------------------------

class Sym:
    # A Python number as a tensor of rank 0: i64, f64 or bool.
    def __init__(self, stage, kind, t):
        self.stage = stage
        self.kind = kind
        self.t = t

    def __tensor__(self):
        return self.stage.w.set_weak(self.t, True)

    def _needed(self):
        raise Refuse("the value of a number is needed while compiling")

    def __index__(self):
        self._needed()

    def __int__(self):
        self._needed()

    def __float__(self):
        self._needed()

    def __bool__(self):
        self._needed()

    def __hash__(self):
        self._needed()

    def __str__(self):
        self._needed()

    def __repr__(self):
        return f"<{self.kind} {self.t!r}>"

    def __add__(self, o):
        return self.stage.arith("+", self, o)

    def __radd__(self, o):
        return self.stage.arith("+", o, self)

    def __sub__(self, o):
        return self.stage.arith("-", self, o)

    def __rsub__(self, o):
        return self.stage.arith("-", o, self)

    def __mul__(self, o):
        return self.stage.arith("*", self, o)

    def __rmul__(self, o):
        return self.stage.arith("*", o, self)

    def __truediv__(self, o):
        return self.stage.arith("/", self, o)

    def __rtruediv__(self, o):
        return self.stage.arith("/", o, self)

    def __floordiv__(self, o):
        return self.stage.arith("//", self, o)

    def __rfloordiv__(self, o):
        return self.stage.arith("//", o, self)

    def __mod__(self, o):
        return self.stage.arith("%", self, o)

    def __rmod__(self, o):
        return self.stage.arith("%", o, self)

    def __pow__(self, o):
        return self.stage.arith("**", self, o)

    def __rpow__(self, o):
        return self.stage.arith("**", o, self)

    def __and__(self, o):
        return self.stage.arith("&", self, o)

    def __or__(self, o):
        return self.stage.arith("|", self, o)

    def __xor__(self, o):
        return self.stage.arith("^", self, o)

    def __neg__(self):
        return Sym(self.stage, "int" if self.kind == "bool" else self.kind,
                   self.stage.w.neg(self.stage.number(self, "int" if self.kind == "bool" else self.kind)))

    def __pos__(self):
        return self

    def __abs__(self):
        return Sym(self.stage, self.kind, self.stage.w.abs(self.t))

    def __lt__(self, o):
        return self.stage.compare("<", self, o)

    def __le__(self, o):
        return self.stage.compare("<=", self, o)

    def __gt__(self, o):
        return self.stage.compare(">", self, o)

    def __ge__(self, o):
        return self.stage.compare(">=", self, o)

    def __eq__(self, o):
        return self.stage.compare("==", self, o)

    def __ne__(self, o):
        return self.stage.compare("!=", self, o)


# ---- state: variables taken apart, compared and joined ------------------------------------------

class Leaf:
    # What stands at one place of a state: a tensor, a number that is not known, or anything
    # else, which must then be the same on every way.
    def __init__(self, kind, value):
        self.kind = kind        # tensor int float bool static
        self.value = value


class Part:
    # One variable or slot: its form, its leaves, and the value itself (MISSING: put together).
    def __init__(self, spec, leaves, value):
        self.spec = spec
        self.leaves = leaves
        self.value = value
        self.origin = value


class Trial:
    # What a run of statements on a copy of the state gave.
    def __init__(self, start, after, outcome):
        self.start = start
        self.after = after
        self.outcome = outcome
        self.value = None       # Part of the returned value
        self.program = None
        self.before = None

    def all_leaves(self):
        out = []
        for p in self.after.values():
            out += p.leaves
        return out + (self.value.leaves if self.value is not None else [])

    def tensors(self):
        # What the program of the trial gives.
        out = []
        for l in self.all_leaves():
            if l.kind != "static":
                l.dtype, l.shape = l.value.dtype.name, tuple(l.value.shape)
                out.append(l.value)
        if not isinstance(self.outcome.code, int):
            out.append(self.outcome.code)
        return out

    def rebuilt(self, outs):
        # {id of a leaf: the leaf with the program's result in it}, and the code
        it = iter(outs)
        got = {id(l): l if l.kind == "static" else Leaf(l.kind, next(it)) for l in self.all_leaves()}
        if not isinstance(self.outcome.code, int):
            got["code"] = next(it)
        return got


def _leaf(kind, t):
    l = Leaf(kind, t)
    l.dtype, l.shape = t.dtype.name, tuple(t.shape)
    return l


def _records(spec, out):
    if spec != "*":
        if spec[0] == "record":
            out.append(spec[1])
        for p in spec[3]:
            _records(p, out)


class Outcome:
    # How a run of statements ended: code is a number, or a tensor of one where arms differ.
    def __init__(self, code, value=MISSING):
        self.code = code
        self.value = value


class Frame:
    def __init__(self, stage, func, tree, info, env):
        self.stage = stage
        self.func = func
        self.tree = tree
        self.info = info
        self.env = env
        self.outer = None       # of a nested function: the frame it was made in


class Nested:
    # A function defined inside a staged one.
    def __init__(self, frame, tree):
        self.frame = frame
        self.tree = tree
        self.__name__ = tree.name
        self.defaults = [None if p.value is None else frame.stage.eval(frame, p.value) for p in tree.params]

    def __call__(self, *args, **kwargs):
        return self.frame.stage.call_nested(self, args, kwargs)


_trees = {}

def tree_of(func):
    # Trees are kept by function definition; functions made by one def share theirs.
    key = id(func)
    if key not in _trees:
        _trees[key] = (func, _syntax.tree(func, Node), _syntax.info(func))
    return _trees[key][1], _trees[key][2]


def leaves_out(stmts):
    # May the statements leave by return, break or continue (of a loop around them)?
    return _leaves(stmts, False)


def _leaves(stmts, in_loop):
    for s in stmts:
        k = s.kind
        if k == "return" or k == "raise":
            return True
        if (k == "break" or k == "continue") and not in_loop:
            return True
        if k == "if" and (_leaves(s.list, in_loop) or _leaves(s.more, in_loop)):
            return True
        if (k == "while" or k == "for") and (_leaves(s.list, True) or _leaves(s.more, in_loop)):
            return True
        if k == "with" and _leaves(s.more, in_loop):
            return True
        if k == "try" and _leaves(s.list, in_loop):
            return True
    return False


def assigned(stmts, out):
    # Names that the statements bind, or change by item, attribute or method.
    for s in stmts:
        k = s.kind
        if k == "assign":
            for t in s.list:
                _target(t, out)
        elif k == "aug" or k == "ann":
            _target(s.a, out)
        elif k == "for":
            _target(s.a, out)
        elif k == "expr" and s.a.kind == "call" and s.a.a.kind == "attr":
            _root(s.a.a.a, out)
        if k == "if" or k == "while" or k == "for":
            assigned(s.list, out)
            assigned(s.more, out)
        elif k == "with":
            for i in s.list:
                if i.b is not None:
                    _target(i.b, out)
            assigned(s.more, out)
    return out


def _root(e, out):
    while e.kind == "attr" or e.kind == "index":
        e = e.a
    if e.kind == "name":
        out.add(e.name)


def _target(t, out):
    if t.kind == "name":
        out.add(t.name)
    elif t.kind == "tuple" or t.kind == "list":
        for x in t.list:
            _target(x, out)
    elif t.kind == "star":
        _target(t.a, out)
    else:
        _root(t, out)


_binary = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b,
    "**": lambda a, b: a ** b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "@": lambda a, b: a @ b,
}


def _iadd(a, b):
    a += b
    return a


def _isub(a, b):
    a -= b
    return a


def _imul(a, b):
    a *= b
    return a


def _idiv(a, b):
    a /= b
    return a


_inplace = {"+": _iadd, "-": _isub, "*": _imul, "/": _idiv}

_compare = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "is": lambda a, b: a is b, "is not": lambda a, b: a is not b,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}

_kinds = {"int": "int64", "float": "float64", "bool": "bool"}


class Stage:
    def __init__(self, w, numbers="sym", module_call=None):
        self.w = w
        self.numbers = numbers
        self.module_call = module_call  # object -> function to stage instead of calling it, or None
        self.slots = []                 # [object, name]: attributes that are part of the state
        self.depth = 0
        self.prints = numbers == "sym"  # print is part of the program

    # ---- numbers ----

    def symbolic(self, x):
        return isinstance(x, self.w.Tensor) and self.w.about(x, "symbolic")

    def unknown(self, x):
        return isinstance(x, Sym) or self.symbolic(x)

    def number(self, x, kind):
        # x, a Sym or a host number, as a tensor of the kind.
        w = self.w
        if isinstance(x, Sym):
            return x.t if x.kind == kind else w.cast(x.t, _kinds[kind])
        return w.tensor(x, _kinds[kind])

    def kind_of(self, x):
        if isinstance(x, Sym):
            return x.kind
        if isinstance(x, bool):
            return "bool"
        if isinstance(x, int):
            return "int"
        if isinstance(x, float):
            return "float"
        return None

    def arith(self, op, a, b):
        ka, kb = self.kind_of(a), self.kind_of(b)
        if ka is None or kb is None:
            return NotImplemented
        w = self.w
        if op in ("&", "|", "^"):
            if ka == "float" or kb == "float":
                raise Refuse("bits of a float")
            kind = "bool" if ka == "bool" and kb == "bool" else "int"
            fn = {"&": w.bitwise_and, "|": w.bitwise_or, "^": w.bitwise_xor}[op]
            return Sym(self, kind, fn(self.number(a, kind), self.number(b, kind)))
        kind = "float" if op == "/" or ka == "float" or kb == "float" else "int"
        if op == "**" and kind == "int" and (isinstance(b, Sym) or b < 0):
            raise Refuse("an integer power whose sign is not known")
        if op in ("//", "%", "/") and not isinstance(b, Sym) and b == 0:
            raise ZeroDivisionError("division by zero")
        x, y = self.number(a, kind), self.number(b, kind)
        if op in ("//", "%", "/") and isinstance(b, Sym):
            w.assert_now(y != 0, "division by zero")
        return Sym(self, kind, _binary[op](x, y))

    def compare(self, op, a, b):
        ka, kb = self.kind_of(a), self.kind_of(b)
        if ka is None or kb is None:
            if op == "==":
                return False if b is None or isinstance(b, str) else NotImplemented
            if op == "!=":
                return True if b is None or isinstance(b, str) else NotImplemented
            return NotImplemented
        kind = "float" if ka == "float" or kb == "float" else "int"
        return Sym(self, "bool", _compare[op](self.number(a, kind), self.number(b, kind)))

    def truth(self, x):
        # True, False, or a tensor of one bool.
        w = self.w
        if isinstance(x, Sym):
            return x.t if x.kind == "bool" else w.ne(x.t, 0)
        if self.symbolic(x):
            if x.ndim > 0:
                n = 1
                for d in x.shape:
                    n *= d
                if n != 1:
                    raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
                x = w.reshape(x, ())
            return w.ne(x, 0) if x.dtype.name != "bool" else x
        return bool(x)

    def to_number(self, x, kind):
        # int(x), float(x), bool(x) of something unknown.
        w = self.w
        if isinstance(x, Sym):
            return Sym(self, kind, w.ne(x.t, 0) if kind == "bool" else self.number(x, kind))
        t = w.reshape(x, ())
        if self.numbers == "tensor":
            if kind == "bool":
                return w.ne(t, 0)
            raise Refuse("a number of a tensor that is not known")
        t = w.stop_gradient(t)
        return Sym(self, kind, w.ne(t, 0) if kind == "bool" else w.cast(t, _kinds[kind]))

    def promote(self, x):
        # A host number as something that may change from turn to turn.
        kind = self.kind_of(x)
        if self.numbers == "sym":
            return Sym(self, kind, self.number(x, kind))
        return self.w.tensor(x)

    # ---- states: the variables and slots, part by part ----

    def take_apart(self, x, out, seen):
        # Leaves of a value into out; gives the spec to put it together again. A container that
        # is met twice has two names: copies would not follow each other.
        if isinstance(x, Sym):
            out.append(Leaf(x.kind, x.t))
            return "*"
        if isinstance(x, self.w.Tensor):
            out.append(Leaf("tensor", x))
            return "*"
        if isinstance(x, tuple):
            return ("tuple", type(x), None, [self.take_apart(v, out, seen) for v in x])
        what = "list" if isinstance(x, list) else "dict" if isinstance(x, dict) else None
        if what is None and self.is_record(x):
            what = "record"
        if what is None:
            out.append(Leaf("static", x))
            return "*"
        if id(x) in seen:
            raise Refuse("a container with two names")
        seen[id(x)] = x
        if what == "list":
            return ("list", list, None, [self.take_apart(v, out, seen) for v in x])
        if what == "dict":
            return ("dict", dict, list(x), [self.take_apart(v, out, seen) for v in x.values()])
        d = vars(x)
        return ("record", x, list(d), [self.take_apart(v, out, seen) for v in d.values()])

    def is_record(self, x):
        # An instance of a class of the user's that holds values: part of the state.
        return (_syntax.sort(type(x)) == "class" and not callable(x) and hasattr(x, "__dict__")
                and not isinstance(x, BaseException) and not hasattr(x, "__tensor__")
                and not hasattr(x, "__stage_opaque__"))

    def put_together(self, spec, it):
        if spec == "*":
            return self.value_of(next(it))
        what, kind, keys, parts = spec
        values = [self.put_together(p, it) for p in parts]
        if what == "tuple":
            return tuple(values) if kind is tuple else kind(*values)
        if what == "list":
            return values
        if what == "dict":
            return dict(zip(keys, values))
        for k in list(vars(kind)):
            if k not in keys:
                delattr(kind, k)
        for k, v in zip(keys, values):
            setattr(kind, k, v)
        return kind

    def same_spec(self, a, b):
        if a == "*" or b == "*":
            return a == b
        if a[0] != b[0] or a[2] != b[2] or len(a[3]) != len(b[3]):
            return False
        if a[0] == "record" and a[1] is not b[1]:
            return False
        for x, y in zip(a[3], b[3]):
            if not self.same_spec(x, y):
                return False
        return True

    def value_of(self, leaf):
        if leaf.kind == "tensor" or leaf.kind == "static":
            return leaf.value
        return Sym(self, leaf.kind, leaf.value)

    def state(self, frame):
        # {key: Part}: a key is the name of a variable, or the number of a slot.
        parts = {}
        seen = {}
        for name, v in frame.env.items():
            parts[name] = self.part(v, seen)
        for i, (o, n) in enumerate(self.slots):
            parts[i] = self.part(getattr(o, n), seen)
        return parts

    def part(self, v, seen):
        leaves = []
        spec = self.take_apart(v, leaves, seen)
        return Part(spec, leaves, v)

    def install(self, frame, parts):
        # Make the parts the state: those that have their value as it was, or put together.
        frame.env.clear()
        for key, p in parts.items():
            v = p.value if p.value is not MISSING else self.put_together(p.spec, iter(p.leaves))
            if isinstance(key, str):
                frame.env[key] = v
            else:
                setattr(self.slots[key][0], self.slots[key][1], v)

    def records(self, parts):
        # What the user's objects hold, to be given back.
        out = []
        for p in parts.values():
            _records(p.spec, out)
        return [(o, dict(vars(o))) for o in out]

    def give_back(self, records):
        for o, d in records:
            for k in list(vars(o)):
                if k not in d:
                    delattr(o, k)
            for k, v in d.items():
                setattr(o, k, v)

    def unchanged(self, a, b):
        # Is leaf b what leaf a was?
        if a.kind != b.kind:
            return False
        if a.kind == "static":
            return a.value is b.value or (type(a.value) is type(b.value) and
                                          isinstance(a.value, (int, float, bool, str)) and a.value == b.value)
        return self.w.same_value(a.value, b.value)

    # ---- trials: statements run in a trace of their own ----

    def trial(self, frame, carries, run, index=None):
        # run(frame) on a copy of the state, in a trace of its own. carries: {(key, place): Leaf}:
        # leaves that are inputs, of those types. index: a further input, given to run(frame, i).
        w = self.w
        kept = self.state(frame)
        records = self.records(kept)
        order = list(carries)
        done = []

        def body(*args):
            start = self.copies(kept, dict(zip(order, args)), carries)
            self.install(frame, start)
            outcome = run(frame) if index is None else run(frame, args[-1])
            t = Trial(start, self.state(frame), outcome)
            if outcome.value is not MISSING:
                t.value = self.part(outcome.value, {})
            for key, p in t.after.items():
                before = start.get(key)
                fits = before is not None and self.same_spec(before.spec, p.spec)
                p.same = [fits and self.unchanged(before.leaves[i], l) for i, l in enumerate(p.leaves)]
                p.fits = fits
            done.append(t)
            return t.tensors()

        self.depth += 1
        if self.depth > 60:
            raise Refuse("control flow is nested too deeply")
        inputs = [l.value for l in carries.values()]
        if index is not None:
            inputs.append(index)
        try:
            program = w.trace(body, inputs)
        finally:
            self.depth -= 1
            self.give_back(records)
            for p in kept.values():     # values as they were, not copies
                p.value = p.origin
            self.install(frame, kept)
        t = done[0]
        t.program = program
        t.before = kept
        return t

    def copies(self, parts, inputs, carries):
        # The parts for a trial: tensors anew, so that a write does not touch the outer ones.
        seen = {}
        out = {}
        for key, p in parts.items():
            leaves = []
            for i, l in enumerate(p.leaves):
                if (key, i) in inputs:
                    l = Leaf(carries[(key, i)].kind, inputs[(key, i)])
                elif l.kind == "tensor":
                    k = id(l.value)
                    if k not in seen:
                        seen[k] = self.w.alias(l.value)
                    l = Leaf("tensor", seen[k])
                leaves.append(l)
            out[key] = Part(p.spec, leaves, MISSING)
        return out

    # ---- joining ----

    def join_type(self, a, b):
        # (kind, dtype, shape) that holds both leaves.
        na = self.kind_of(a.value) if a.kind == "static" else a.kind if a.kind in _kinds else None
        nb = self.kind_of(b.value) if b.kind == "static" else b.kind if b.kind in _kinds else None
        if a.kind == "tensor" and b.kind == "tensor":
            if a.shape != b.shape:
                raise Refuse(f"shape {a.shape} on one way and {b.shape} on the other")
            if a.dtype != b.dtype:
                raise Refuse(f"{a.dtype} on one way and {b.dtype} on the other")
            return ("tensor", a.dtype, a.shape)
        if a.kind == "tensor" or b.kind == "tensor":
            t, n = (a, nb) if a.kind == "tensor" else (b, na)
            if n is None or self.numbers == "sym" or t.shape != ():
                raise Refuse("a tensor on one way and something else on the other")
            return ("tensor", t.dtype, ())
        if na is None or nb is None:
            raise Refuse("a value is not the same on both ways")
        if self.numbers == "tensor":
            return ("tensor", "float32" if "float" in (na, nb) else "bool" if na == nb == "bool" else "int32", ())
        kind = na if na == nb else "float" if "float" in (na, nb) else "int"
        return (kind, _kinds[kind], ())

    def type_of(self, l):
        if l.kind == "tensor":
            return ("tensor", l.dtype, l.shape)
        if l.kind == "static":
            return self.join_type(l, l)
        return (l.kind, _kinds[l.kind], ())

    def convert(self, leaf, target):
        # The leaf as a tensor of the type; None: anything.
        w = self.w
        kind, dtype, shape = target
        if leaf is None:
            return w.full(shape, False if dtype == "bool" else 0, dtype)
        t = w.tensor(leaf.value, dtype) if leaf.kind == "static" else leaf.value
        return t if t.dtype.name == dtype else w.cast(t, dtype)

    def branch(self, frame, pred, then, other):
        # Both arms, joined. pred: a tensor of one bool. Gives the Outcome of the two.
        a, b = self.trial(frame, {}, then), self.trial(frame, {}, other)
        arms = [a, b]
        gone = [isinstance(t.outcome.code, int) and t.outcome.code in (RETURN, RAISE) for t in arms]
        joined = []     # (what each arm gives: a function of its leaves, the type)
        parts = {}
        if not (gone[0] and gone[1]):
            for key in a.before if gone[0] == gone[1] else (b if gone[0] else a).after:
                self.join_part(key, arms, gone, joined, parts)
            if gone[0] == gone[1]:
                for key in a.after:     # names that both arms bind anew
                    if key not in a.before and key in b.after:
                        self.join_part(key, arms, gone, joined, parts)
        value = self.join_value(arms, joined)
        codes = [t.outcome.code for t in arms]
        for k in (0, 1):        # an arm that raises never gets there
            if isinstance(codes[k], int) and codes[k] == RAISE:
                codes[k] = codes[1 - k]
        known = isinstance(codes[0], int) and isinstance(codes[1], int) and codes[0] == codes[1]
        results = self.emit(pred, arms, joined, None if known else codes)
        new = {}
        for key, (spec, plan, origin) in parts.items():
            leaves = [results[p] if isinstance(p, int) else p for p in plan]
            new[key] = Part(spec, leaves, origin)
        if new or not (gone[0] and gone[1]):
            self.install(frame, new)
        out = MISSING
        if value is not None:
            out = self.put_together(value[0], iter([results[p] if isinstance(p, int) else p for p in value[1]]))
        return Outcome(codes[0] if known else results[-1].value, out)

    def join_part(self, key, arms, gone, joined, parts):
        have = [t.after.get(key) for t in arms]
        live = [k for k in (0, 1) if not gone[k]]
        for k in live:
            if have[k] is None:         # unbound on one way: not known after
                return
        first = have[live[0]]
        before = arms[0].before.get(key)
        if before is not None and all([have[k].fits and all(have[k].same) for k in live]):
            parts[key] = (before.spec, before.leaves, before.origin)
            return
        if len(live) == 2 and not self.same_spec(have[0].spec, have[1].spec):
            raise Refuse("a container has another form on the two ways")
        plan = []
        for i in range(len(first.leaves)):
            ls = [have[k].leaves[i] if k in live else None for k in (0, 1)]
            plan.append(self.join_leaf(ls, before, i, [have[k] for k in live], joined))
        parts[key] = (first.spec, plan, MISSING)

    def join_leaf(self, ls, before, i, have, joined):
        # A Leaf, or the number of a joined result.
        if before is not None and all([h.fits and h.same[i] for h in have]):
            return before.leaves[i]
        known = [l for l in ls if l is not None]
        if all([l.kind == "static" for l in known]) and self.unchanged(known[0], known[-1]):
            return known[0]
        typ = self.join_type(known[0], known[-1]) if len(known) == 2 else self.type_of(known[0])
        for n, (old, t) in enumerate(joined):   # one tensor with two names stays one
            if t == typ and old[0] is ls[0] and old[1] is ls[1]:
                return n
            if (t == typ and typ[0] == "tensor" and None not in ls and None not in old and
                    old[0].value is ls[0].value and old[1].value is ls[1].value):
                return n
        joined.append((ls, typ))
        return len(joined) - 1

    def join_value(self, arms, joined):
        # The returned value: (spec, plan), or None.
        have = [t.value for t in arms]
        if have[0] is None and have[1] is None:
            return None
        for k in (0, 1):
            if have[k] is None and isinstance(arms[k].outcome.code, int) and arms[k].outcome.code == RETURN:
                raise Refuse("the function gives a result on one way only")
        if have[0] is not None and have[1] is not None and not self.same_spec(have[0].spec, have[1].spec):
            raise Refuse("the function gives results of another form on the two ways")
        first = have[0] if have[0] is not None else have[1]
        plan = []
        for i in range(len(first.leaves)):
            ls = [h.leaves[i] if h is not None else None for h in have]
            plan.append(self.join_leaf(ls, None, i, [], joined))
        return first.spec, plan

    def emit(self, pred, arms, joined, codes):
        # The cond. Its results as Leaves; the code, where it is not known, comes last.
        w = self.w

        def arm(k):
            def run():
                t = arms[k]
                got = t.rebuilt(w.apply(t.program, []))
                out = [self.convert(None if ls[k] is None else got[id(ls[k])], typ) for ls, typ in joined]
                if codes is not None:
                    c = codes[k]
                    out.append(w.tensor(c, "int64") if isinstance(c, int) else
                               got["code"] if c is t.outcome.code else w.tensor(NEXT, "int64"))
                return out
            return run

        outs = w.cond(pred, [arm(1), arm(0)], [])
        leaves = [_leaf(typ[0], o) for (ls, typ), o in zip(joined, outs)]
        if codes is not None:
            leaves.append(Leaf("int", outs[-1]))
        return leaves

    # ---- loops ----

    def loop(self, frame, node, test, step, count):
        # A loop as an op.   test(frame): truth of going on; None: `count` turns
        #   step(frame, i): binds the loop's variable for turn i, a tensor; None: there is none
        #   count: turns, a number or a Sym; None with a test
        w = self.w
        names = assigned(node.list, set())
        types = {}      # (key, place): type
        start = self.state(frame)
        for key, p in start.items():
            if key in names or not isinstance(key, str):
                for i, l in enumerate(p.leaves):
                    if self.carries(l):
                        types[(key, i)] = self.first_type(l)

        def run(fr, i=None):
            if step is not None:
                step(fr, i)
            return self.run(fr, node.list)

        for attempt in range(8):
            first = {k: _leaf(typ[0], self.convert(start[k[0]].leaves[k[1]], typ)) for k, typ in types.items()}
            t = self.trial(frame, first, run, None if step is None else w.tensor(0, "int64"))
            if not self.widen(t, start, types):
                break
        else:
            raise Refuse("the variables of a loop do not settle")
        code = t.outcome.code
        leaves = not isinstance(code, int) or code != NEXT
        if leaves and node.more:
            raise Refuse("else of a loop that may end early")
        if isinstance(code, int) and code == RAISE:
            raise Refuse("a loop whose body always raises")
        vtypes = []
        if leaves and t.value is not None:
            vtypes = [None if l.kind == "static" and self.kind_of(l.value) is None else self.type_of(l)
                      for l in t.value.leaves]
        outs, scan = self.emit_loop(frame, t, types, first, start, test, step is not None, count, leaves, vtypes)
        new = {}
        for key, p in start.items():
            changed = [i for i in range(len(p.leaves)) if (key, i) in types]
            if not changed:
                new[key] = Part(p.spec, p.leaves, p.origin)
                continue
            ls = [_leaf(types[(key, i)][0], outs[(key, i)]) if (key, i) in types else l
                  for i, l in enumerate(p.leaves)]
            new[key] = Part(p.spec, ls, MISSING)
        self.install(frame, new)
        if not leaves:
            return Outcome(NEXT)
        value = MISSING
        if t.value is not None:
            it = iter(outs["value"])
            value = self.put_together(t.value.spec, iter([
                l if typ is None else _leaf(typ[0], next(it)) for l, typ in zip(t.value.leaves, vtypes)]))
        return Outcome(outs["code"], value)

    def emit_loop(self, frame, t, types, first, start, test, indexed, count, leaves, vtypes):
        # Results: {(key, place): tensor, "code": tensor, "value": [tensors]}
        w = self.w
        order = list(types)
        m = len(order)
        carry = [first[k].value for k in order]
        scan = indexed and not leaves and isinstance(count, int)
        if indexed and not scan:
            carry.append(w.tensor(0, "int64"))
        if leaves:
            carry.append(w.tensor(NEXT, "int64"))
            carry += [self.convert(None, typ) for typ in vtypes if typ is not None]

        def body(*args):
            inputs = list(args[:m + 1] if indexed else args[:m])
            got = t.rebuilt(w.apply(t.program, inputs))
            out = [self.convert(got[id(t.after[k].leaves[i])], types[(k, i)]) for k, i in order]
            if indexed and not scan:
                out.append(args[m] + 1)
            if leaves:
                c = t.outcome.code
                out.append(w.tensor(c, "int64") if isinstance(c, int) else got["code"])
                if t.value is not None:
                    out += [self.convert(got[id(l)], typ) for l, typ in zip(t.value.leaves, vtypes) if typ is not None]
            return out

        def cond(*args):
            ok = None
            if indexed:
                ok = w.lt(args[m], self.number(count, "int"))
            if leaves:
                c = w.eq(args[m + indexed], NEXT)
                ok = c if ok is None else w.logical_and(ok, c)
            if test is not None:
                more = self.test_on(frame, start, dict(zip(order, args)), types, test)
                ok = more if ok is None else w.logical_and(ok, more)
            return [ok]

        if scan:
            outs = w.scan(body, carry, [w.arange(0, count, 1, "int64")], count)
        else:
            outs = w.while_loop(cond, body, carry, count if isinstance(count, int) else None)
        result = dict(zip(order, outs))
        if leaves:
            result["code"] = outs[m + indexed]
            result["value"] = outs[m + indexed + 1:]
        return result, scan

    def test_on(self, frame, start, values, types, test):
        # The loop's condition on the carries.
        kept = self.state(frame)
        records = self.records(kept)
        parts = {}
        for key, p in start.items():
            ls = [_leaf(types[(key, i)][0], values[(key, i)]) if (key, i) in types else l
                  for i, l in enumerate(p.leaves)]
            parts[key] = Part(p.spec, ls, MISSING)
        self.install(frame, parts)
        try:
            ok = test(frame)
        finally:
            self.give_back(records)
            for p in kept.values():
                p.value = p.origin
            self.install(frame, kept)
        return self.w.tensor(ok) if isinstance(ok, bool) else ok

    def carries(self, l):
        return l.kind != "static" or self.kind_of(l.value) is not None

    def first_type(self, l):
        if l.kind == "tensor":
            return ("tensor", l.value.dtype.name, tuple(l.value.shape))
        return self.type_of(l)

    def widen(self, t, start, types):
        # Make the carries what the body gives them. False when nothing had to change.
        again = False
        for key, p in start.items():
            after = t.after.get(key)
            if after is None:
                raise Refuse("a variable is deleted in a loop")
            if not self.same_spec(p.spec, after.spec):
                raise Refuse("a container changes its form in a loop")
            for i, l in enumerate(after.leaves):
                if (key, i) in types:
                    want = self.carry_type(types[(key, i)], l)
                    if want != types[(key, i)]:
                        types[(key, i)] = want
                        again = True
                elif not after.same[i]:
                    if not self.carries(p.leaves[i]):
                        raise Refuse("a value that cannot be in a program changes in a loop")
                    types[(key, i)] = self.first_type(p.leaves[i])
                    again = True
        return again

    def carry_type(self, typ, l):
        if l.kind == "static" and self.kind_of(l.value) is None:
            raise Refuse("a variable of a loop becomes something that cannot be in a program")
        if typ[0] == "tensor":
            if l.kind == "tensor":
                if l.shape != typ[2]:
                    raise Refuse(f"a variable of a loop has shape {typ[2]}, then {l.shape}")
                if l.dtype != typ[1] and self.numbers == "sym":
                    raise Refuse(f"a variable of a loop is {typ[1]}, then {l.dtype}")
                return ("tensor", l.dtype, typ[2])
            if self.numbers == "sym":
                raise Refuse("a variable of a loop is a tensor, then a number")
            return typ
        if l.kind == "tensor":
            raise Refuse("a variable of a loop is a number, then a tensor")
        kind = self.kind_of(l.value) if l.kind == "static" else l.kind
        k = kind if kind == typ[0] else "float" if "float" in (kind, typ[0]) else "int"
        return (k, _kinds[k], ())

    # ---- statements ----

    def run(self, frame, stmts):
        # The Outcome of the statements.
        stmts = list(stmts)
        while stmts:
            s = stmts[0]
            rest = stmts[1:]
            k = s.kind
            if k == "if":
                t = self.truth(self.eval(frame, s.a))
                if t is True:
                    stmts = s.list + rest
                    continue
                if t is False:
                    stmts = s.more + rest
                    continue
                if leaves_out(s.list) or leaves_out(s.more):
                    return self.branch(frame, t, self.arm(s.list + rest), self.arm(s.more + rest))
                out = self.branch(frame, t, self.arm(s.list), self.arm(s.more))
                if isinstance(out.code, int) and out.code == NEXT:
                    stmts = rest
                    continue
                return out
            if k == "while":
                out = self.run_while(frame, s)
            elif k == "for":
                out = self.run_for(frame, s)
            elif k == "with":
                out = self.run_with(frame, s)
            elif k == "return":
                return Outcome(RETURN, None if s.a is None else self.eval(frame, s.a))
            elif k == "break":
                return Outcome(BREAK)
            elif k == "continue":
                return Outcome(NEXT)
            elif k == "raise":
                return self.run_raise(frame, s)
            elif k == "try":
                out = self.run_try(frame, s)
            else:
                self.simple(frame, s)
                stmts = rest
                continue
            if isinstance(out.code, int):
                if out.code != NEXT:
                    return out
                stmts = rest
                continue
            # the loop ended in ways that are only known when it runs
            return self.after_loop(frame, out, rest)
        return Outcome(NEXT)

    def arm(self, stmts):
        return lambda frame: self.run(frame, stmts)

    def after_loop(self, frame, out, rest):
        # A loop may have returned: then that is the result, else the rest.
        left = self.w.eq(out.code, RETURN)
        if out.value is MISSING:
            return self.run(frame, rest)
        value = out.value
        return self.branch(frame, left, lambda fr: Outcome(RETURN, value), self.arm(rest))

    def run_raise(self, frame, s):
        if self.depth == 0 and not self.in_branch():
            if s.a is None:
                raise Refuse("raise without an exception")
            e = self.eval(frame, s.a)
            raise e
        message = "an exception"
        if s.a is not None:
            e = self.eval(frame, s.a)
            message = str(e)
        self.w.assert_now(self.w.tensor(False), message.replace("{", "{{").replace("}", "}}"))
        return Outcome(RAISE)

    def in_branch(self):
        return self.depth > 0

    def run_while(self, frame, s):
        turns = 0
        while True:
            t = self.truth(self.eval(frame, s.a))
            if t is False:
                return self.run(frame, s.more)
            if t is not True:
                if turns:
                    raise Refuse("a loop whose end becomes unknown on the way")
                def test(fr):
                    return self.truth(self.eval(fr, s.a))
                out = self.loop(frame, s, test, None, None)
                if s.more and isinstance(out.code, int) and out.code == NEXT:
                    return self.run(frame, s.more)
                return self.ended(out)
            out = self.run(frame, s.list)
            if not isinstance(out.code, int):
                raise Refuse("a loop that is left depending on values")
            if out.code == BREAK:
                return Outcome(NEXT)
            if out.code != NEXT:
                return out
            turns += 1
            if turns > 10000:
                raise Refuse("a loop of very many turns")

    def ended(self, out):
        # After a loop, break means that it is over.
        if isinstance(out.code, int):
            return Outcome(NEXT) if out.code == BREAK else out
        if out.value is MISSING:
            return Outcome(NEXT)
        return out

    def run_for(self, frame, s):
        it, item = self.eval_iter(frame, s.b)
        if item is None:
            return self.unroll(frame, s, it)
        if isinstance(it, int) and it <= 1:
            return self.unroll(frame, s, [item(i) for i in range(it)])

        def step(fr, i):
            self.assign(fr, s.a, item(self.index_value(i)))

        if not isinstance(it, int):
            out = self.loop(frame, s, None, step, it)
        else:
            try:
                out = self.loop(frame, s, None, step, it)
            except Refuse:
                return self.peel(frame, s, it, item)
        if s.more and isinstance(out.code, int) and out.code == NEXT:
            return self.run(frame, s.more)
        return self.ended(out)

    def peel(self, frame, s, n, item):
        # The first turn by itself: it may give variables the types they keep. Then the others
        # as a loop, or one after the other, if they are not too many.
        out = self.unroll_one(frame, s, item(0))
        if out is not None:
            return out

        def step(fr, i):
            self.assign(fr, s.a, item(self.index_value(i + 1)))

        try:
            out = self.loop(frame, s, None, step, n - 1)
        except Refuse:
            if n > 1000:
                raise
            return self.unroll(frame, s, [item(i) for i in range(1, n)])
        if s.more and isinstance(out.code, int) and out.code == NEXT:
            return self.run(frame, s.more)
        return self.ended(out)

    def unroll_one(self, frame, s, x):
        # One turn; None: go on, else how the loop ended.
        self.assign(frame, s.a, x)
        out = self.run(frame, s.list)
        if not isinstance(out.code, int):
            raise Refuse("a loop over host values that is left depending on values")
        if out.code == BREAK:
            return Outcome(NEXT)
        return None if out.code == NEXT else out

    def index_value(self, i):
        return Sym(self, "int", i) if self.numbers == "sym" else i

    def unroll(self, frame, s, items):
        for x in items:
            out = self.unroll_one(frame, s, x)
            if out is not None:
                return out
        return self.run(frame, s.more)

    def eval_iter(self, frame, e):
        # What a for goes over: (count, item) for what can be a loop of the program, with
        # item(i) for a number or a Sym; (iterable, None) for host values.
        if self.numbers == "sym" and e.kind == "call" and e.a.kind == "name" and not self.bound(frame, e.a.name) \
                and all([x.kind not in ("kw", "star", "dstar") for x in e.list]):
            name = e.a.name
            if name == "range":
                return self.range_of([self.eval(frame, x) for x in e.list])
            if name == "enumerate" and len(e.list) <= 2:
                n, item = self.eval_iter(frame, e.list[0])
                start = self.eval(frame, e.list[1]) if len(e.list) == 2 else 0
                if item is None:
                    return enumerate(n, start), None
                return n, lambda i: (start + i, item(i))
            if name == "zip" and e.list:
                parts = [self.eval_iter(frame, x) for x in e.list]
                if all([p[1] is not None and isinstance(p[0], int) for p in parts]):
                    return min([p[0] for p in parts]), lambda i: tuple([p[1](i) for p in parts])
                if any([not isinstance(p[0], int) and p[1] is not None for p in parts]):
                    raise Refuse("zip of something whose length is not known")
                return zip(*[p[0] if p[1] is None else [p[1](i) for i in range(p[0])] for p in parts]), None
        x = self.eval(frame, e)
        if hasattr(x, "staged_rows"):
            return x.staged_rows(self)
        if isinstance(x, self.w.Tensor):
            if x.ndim == 0:
                raise TypeError("iteration over a 0-d tensor")
            return int(x.shape[0]), lambda i: self.row(x, i)
        return x, None

    def range_of(self, args):
        start, stop, step = 0, args[0], 1
        if len(args) > 1:
            start, stop = args[0], args[1]
        if len(args) > 2:
            step = args[2]
        if isinstance(step, Sym):
            raise Refuse("a range whose step is not known")
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        if step > 0:
            count = (stop - start + (step - 1)) // step
        else:
            count = (start - stop + (-step - 1)) // -step
        count = Sym(self, "int", self.w.maximum(count.t, 0)) if isinstance(count, Sym) else max(int(count), 0)
        return count, lambda i: start + i * step

    def row(self, x, i):
        if isinstance(i, int):
            return x[i]
        return x[i.t if isinstance(i, Sym) else i]

    def run_with(self, frame, s):
        managers = []
        for item in s.list:
            m = self.eval(frame, item.a)
            v = m.__enter__()
            managers.append(m)
            if item.b is not None:
                self.assign(frame, item.b, v)
        try:
            out = self.run(frame, s.more)
        except BaseException as e:
            for m in reversed(managers):
                m.__exit__(type(e), e, None)
            raise
        for m in reversed(managers):
            m.__exit__(None, None, None)
        return out

    def run_try(self, frame, s):
        if self.numbers == "sym":
            raise Refuse("try")
        try:
            out = self.run(frame, s.list)
        except Refuse:
            raise
        except Exception as e:
            for h in s.more:
                if h.a is None or isinstance(e, self.eval(frame, h.a)):
                    if h.name is not None:
                        frame.env[h.name] = e
                    out = self.run(frame, h.list)
                    break
            else:
                raise
        else:
            if s.a is not None and isinstance(out.code, int) and out.code == NEXT:
                out = self.run(frame, s.a.list)
        if s.b is not None:
            fin = self.run(frame, s.b.list)
            if not isinstance(fin.code, int) or fin.code != NEXT:
                return fin
        return out

    def simple(self, frame, s):
        k = s.kind
        self.at(frame, s)
        if k == "expr":
            self.eval(frame, s.a)
        elif k == "assign":
            v = self.eval(frame, s.a)
            for t in s.list:
                self.assign(frame, t, v)
        elif k == "aug":
            self.augment(frame, s)
        elif k == "ann":
            if s.c is not None:
                self.assign(frame, s.a, self.eval(frame, s.c))
        elif k == "assert":
            self.run_assert(frame, s)
        elif k == "pass":
            pass
        elif k == "def":
            f = Nested(frame, s.def_)
            for d in reversed(s.list):
                f = self.call(self.eval(frame, d), [f], {})
            frame.env[s.def_.name] = f
        elif k == "del":
            for t in s.list:
                if t.kind == "name":
                    del frame.env[t.name]
                elif t.kind == "index":
                    del self.eval(frame, t.a)[self.key(self.eval(frame, t.b))]
                else:
                    raise Refuse("del")
        else:
            raise Refuse(k)

    def run_assert(self, frame, s):
        t = self.truth(self.eval(frame, s.a))
        if t is True:
            return
        message = ""
        if s.b is not None:
            m = self.eval(frame, s.b)
            message = m if isinstance(m, str) else repr(m)
        if t is False and self.depth == 0:
            raise AssertionError(message) if s.b is not None else AssertionError()
        if t is False:
            t = self.w.tensor(False)
        self.w.assert_now(t, message.replace("{", "{{").replace("}", "}}"))

    def assign(self, frame, t, v):
        if t.kind == "name":
            frame.env[t.name] = v
        elif t.kind == "tuple" or t.kind == "list":
            self.unpack(frame, t.list, v)
        elif t.kind == "attr":
            self.set_attribute(self.eval(frame, t.a), t.name, v)
        elif t.kind == "index":
            o = self.eval(frame, t.a)
            key = self.key(self.eval(frame, t.b))
            if isinstance(o, (list, dict)) and self.unknown(key):
                raise Refuse("an item whose place is not known")
            o[key] = v
        elif t.kind == "star":
            self.assign(frame, t.a, v)
        else:
            raise Refuse(t.kind)

    def set_attribute(self, o, name, v):
        # Attributes of things that are not part of the state would be set while compiling only.
        if (self.depth > 0 or self.numbers == "sym") and not self.is_record(o) and \
                not any([so is o and sn == name for so, sn in self.slots]):
            raise Refuse("an attribute that is not a tensor is set")
        setattr(o, name, v)

    def unpack(self, frame, targets, v):
        star = [i for i, t in enumerate(targets) if t.kind == "star"]
        v = list(v)
        if not star:
            if len(v) != len(targets):
                raise ValueError(f"expected {len(targets)} values to unpack, got {len(v)}")
            for t, x in zip(targets, v):
                self.assign(frame, t, x)
            return
        i, after = star[0], len(targets) - star[0] - 1
        for t, x in zip(targets[:i], v[:i]):
            self.assign(frame, t, x)
        self.assign(frame, targets[i].a, v[i:len(v) - after])
        for t, x in zip(targets[i + 1:], v[len(v) - after:]):
            self.assign(frame, t, x)

    def augment(self, frame, s):
        b = self.eval(frame, s.b)
        t = s.a
        fn = _inplace.get(s.op, _binary[s.op])
        if t.kind == "name":
            frame.env[t.name] = fn(self.lookup(frame, t), b)
        elif t.kind == "attr":
            o = self.eval(frame, t.a)
            self.set_attribute(o, t.name, fn(getattr(o, t.name), b))
        else:
            o = self.eval(frame, t.a)
            key = self.key(self.eval(frame, t.b))
            o[key] = fn(self.item(o, key), b)

    # ---- expressions ----

    def at(self, frame, e):
        _syntax.place(frame.info["file"], e.line, e.col, e.len)

    def bound(self, frame, name):
        return name in frame.env or name in frame.tree.locals

    def lookup(self, frame, e):
        name = e.name
        env = frame.env
        if name in env:
            return env[name]
        if name in frame.tree.locals:
            raise Refuse(f"the variable {name} may have no value here")
        outer = frame.outer
        while outer is not None:
            if name in outer.env:
                return outer.env[name]
            outer = outer.outer
        if frame.func is not None:
            try:
                return _syntax.free(frame.func, name)
            except NameError:
                pass
        g = frame.info["globals"]
        if name in g:
            return g[name]
        return _syntax.builtin(name)

    def eval(self, frame, e):
        k = e.kind
        if k == "name":
            return self.lookup(frame, e)
        if k == "int" or k == "float" or k == "str":
            return e.value
        return getattr(self, "e_" + k)(frame, e)

    def e_none(self, frame, e):
        return None

    def e_true(self, frame, e):
        return True

    def e_false(self, frame, e):
        return False

    def e_ellipsis(self, frame, e):
        return ...

    def e_fstr(self, frame, e):
        return "".join([p.value if p.kind == "str" else self.e_fmt(frame, p) for p in e.list])

    def e_fmt(self, frame, e):
        v = self.eval(frame, e.a)
        if self.unknown(v):
            raise Refuse("the text of a value that is not known")
        if e.op == ord("r"):
            v = repr(v)
        elif e.op == ord("s"):
            v = str(v)
        return format(v, self.e_fstr(frame, e.b) if e.b is not None else "")

    def e_bin(self, frame, e):
        a, b = self.eval(frame, e.a), self.eval(frame, e.b)
        self.at(frame, e)
        return _binary[e.op](a, b)

    def e_un(self, frame, e):
        v = self.eval(frame, e.a)
        self.at(frame, e)
        if e.op == "not":
            t = self.truth(v)
            return (not t) if isinstance(t, bool) else self.as_bool(self.w.logical_not(t))
        return -v if e.op == "-" else +v if e.op == "+" else ~v

    def as_bool(self, t):
        return Sym(self, "bool", t) if self.numbers == "sym" else t

    def e_and(self, frame, e):
        return self.short(frame, e.list, True)

    def e_or(self, frame, e):
        return self.short(frame, e.list, False)

    def short(self, frame, parts, conj):
        # and, or: a part whose truth is not known decides whether the others are looked at.
        for i, p in enumerate(parts):
            v = self.eval(frame, p)
            if i == len(parts) - 1:
                return v
            t = self.truth(v)
            if isinstance(t, bool):
                if t != conj:
                    return v
                continue
            rest = parts[i + 1:]
            other = self.as_bool(self.w.tensor(not conj)) if self.numbers == "sym" else self.w.tensor(not conj)

            def more(fr):
                x = self.short(fr, rest, conj)
                t2 = self.truth(x)
                if isinstance(t2, bool):
                    t2 = self.w.tensor(t2)
                return Outcome(RETURN, self.as_bool(t2))

            def known(fr):
                return Outcome(RETURN, other)

            out = self.branch(frame, t, more, known) if conj else self.branch(frame, t, known, more)
            return out.value
        return conj

    def e_cmp(self, frame, e):
        a = self.eval(frame, e.a)
        result = True
        for i, op in enumerate(e.ops):
            b = self.eval(frame, e.list[i])
            self.at(frame, e)
            if op in ("in", "not in") and self.unknown(a) and not self.symbolic(b):
                raise Refuse("in, of a value that is not known")
            r = _compare[op](a, b)
            if len(e.ops) == 1:
                return r
            if not self.unknown(r) and not self.unknown(result):
                if not r:
                    return r
                result = r
            else:
                x = self.truth(result)
                y = self.truth(r)
                result = self.as_bool(self.w.logical_and(x, y))
            a = b
        return result

    def e_cond(self, frame, e):
        t = self.truth(self.eval(frame, e.a))
        if isinstance(t, bool):
            return self.eval(frame, e.b if t else e.c)
        out = self.branch(frame, t, lambda fr: Outcome(RETURN, self.eval(fr, e.b)),
                          lambda fr: Outcome(RETURN, self.eval(fr, e.c)))
        return out.value

    def e_attr(self, frame, e):
        o = self.eval(frame, e.a)
        self.at(frame, e)
        return getattr(o, e.name)

    def key(self, k):
        if isinstance(k, Sym):
            return k.t
        if isinstance(k, tuple):
            return tuple([self.key(x) for x in k])
        return k

    def item(self, o, key):
        if self.unknown(key) and isinstance(o, (list, tuple, dict, str)):
            raise Refuse("an item whose place is not known")
        return o[key]

    def e_index(self, frame, e):
        o = self.eval(frame, e.a)
        key = self.key(self.eval(frame, e.b))
        self.at(frame, e)
        return self.item(o, key)

    def e_slice(self, frame, e):
        return slice(None if e.a is None else self.eval(frame, e.a),
                     None if e.b is None else self.eval(frame, e.b),
                     None if e.c is None else self.eval(frame, e.c))

    def items(self, frame, parts):
        out = []
        for p in parts:
            if p.kind == "star":
                out += list(self.eval(frame, p.a))
            else:
                out.append(self.eval(frame, p))
        return out

    def e_tuple(self, frame, e):
        return tuple(self.items(frame, e.list))

    def e_list(self, frame, e):
        return self.items(frame, e.list)

    def e_set(self, frame, e):
        return set(self.items(frame, e.list))

    def e_dict(self, frame, e):
        out = {}
        for k, v in zip(e.list, e.more):
            if k is None:
                out.update(self.eval(frame, v))
            else:
                out[self.eval(frame, k)] = self.eval(frame, v)
        return out

    def comprehend(self, frame, clauses, make):
        inner = Frame(self, frame.func, frame.tree, frame.info, dict(frame.env))
        inner.outer = frame.outer
        self.clauses(inner, clauses, 0, make)

    def clauses(self, frame, clauses, i, make):
        if i == len(clauses):
            make(frame)
            return
        c = clauses[i]
        items = self.eval(frame, c.b)
        for x in items:
            self.assign(frame, c.a, x)
            ok = True
            for test in c.list:
                t = self.truth(self.eval(frame, test))
                if not isinstance(t, bool):
                    raise Refuse("a comprehension that chooses by values")
                if not t:
                    ok = False
                    break
            if ok:
                self.clauses(frame, clauses, i + 1, make)

    def e_listcomp(self, frame, e):
        out = []
        self.comprehend(frame, e.list, lambda fr: out.append(self.eval(fr, e.a)))
        return out

    def e_genexp(self, frame, e):
        return self.e_listcomp(frame, e)

    def e_setcomp(self, frame, e):
        return set(self.e_listcomp(frame, e))

    def e_dictcomp(self, frame, e):
        out = {}

        def make(fr):
            out[self.eval(fr, e.a)] = self.eval(fr, e.b)

        self.comprehend(frame, e.list, make)
        return out

    def e_lambda(self, frame, e):
        return Nested(frame, e.def_)

    def e_walrus(self, frame, e):
        v = self.eval(frame, e.b)
        self.assign(frame, e.a, v)
        return v

    def e_yield(self, frame, e):
        raise Refuse("yield")

    def e_yieldfrom(self, frame, e):
        raise Refuse("yield")

    def e_star(self, frame, e):
        raise Refuse("a star")

    # ---- calls ----

    def e_call(self, frame, e):
        if e.a.kind == "name" and e.a.name == "super" and not e.list:
            first = frame.tree.params[0].name
            cls = _syntax.free(frame.func, "__class__")
            return super(cls, frame.env[first])
        f = self.eval(frame, e.a)
        args, kwargs = [], {}
        for x in e.list:
            if x.kind == "kw":
                kwargs[x.name] = self.eval(frame, x.a)
            elif x.kind == "star":
                args += list(self.eval(frame, x.a))
            elif x.kind == "dstar":
                kwargs.update(self.eval(frame, x.a))
            else:
                args.append(self.eval(frame, x))
        self.at(frame, e)
        r = self.call(f, args, kwargs)
        if self.numbers == "sym" and isinstance(r, self.w.Tensor) and not self.w.about(r, "symbolic"):
            r = self.w.symbol_of(r)     # a constant of the program, so that it can be written to
        return r

    def call(self, f, args, kwargs):
        special = _special.get(id(f))
        if special is not None and special[0] is f:
            r = special[1](self, args, kwargs)
            if r is not NotImplemented:
                return r
        sort = _syntax.sort(f)
        if sort == "method":
            inner = getattr(f.__func__, "__stage_as__", f.__func__)
            if _syntax.sort(inner) == "function" and self.stages(inner):
                return self.call_function(inner, [f.__self__] + list(args), kwargs)
            if f.__name__ == "item" and self.unknown(f.__self__):
                return self.item_of(f.__self__)
        elif sort == "function" and self.stages(f):
            return self.call_function(f, args, kwargs)
        elif sort == "native":
            if getattr(f, "__name__", "") == "item" and self.unknown(getattr(f, "__self__", None)):
                return self.item_of(f.__self__)
        elif sort == "other":
            if isinstance(f, Nested):
                return self.call_nested(f, args, kwargs)
            if self.module_call is not None:
                inner = self.module_call(f)
                if inner is not None:
                    func, first = inner
                    args = list(args) if first is None else [first] + list(args)
                    return self.call_function(func, args, kwargs) if self.stages(func) else func(*args, **kwargs)
        return f(*args, **kwargs)

    def item_of(self, x):
        if isinstance(x, Sym):
            return x
        name = x.dtype.name
        return self.to_number(x, "bool" if name == "bool" else "float" if name.find("float") >= 0 else "int")

    def stages(self, func):
        if hasattr(func, "__jit_ignore__"):
            raise Refuse("a function that is run by the machine")
        tree, info = tree_of(func)
        return not info["generator"] and (not info["hidden"] or hasattr(func, "__stage__") or
                                          func.__name__ == "forward")

    def bind(self, tree, defaults, kwdefaults, args, kwargs, name):
        env = {}
        args = list(args)
        kwargs = dict(kwargs)
        pos = [p for p in tree.params if p.kind == "pos"]
        n = len(pos) - len(defaults)
        for i, p in enumerate(pos):
            if args:
                env[p.name] = args.pop(0)
            elif p.name in kwargs:
                env[p.name] = kwargs.pop(p.name)
            elif i >= n:
                env[p.name] = defaults[i - n]
            else:
                raise TypeError(f"{name}() missing 1 required positional argument: '{p.name}'")
        for p in tree.params:
            if p.kind == "star":
                env[p.name] = tuple(args)
                args = []
            elif p.kind == "kw":
                if p.name in kwargs:
                    env[p.name] = kwargs.pop(p.name)
                elif p.name in kwdefaults:
                    env[p.name] = kwdefaults[p.name]
                else:
                    raise TypeError(f"{name}() missing 1 required keyword-only argument: '{p.name}'")
            elif p.kind == "dstar":
                env[p.name] = kwargs
                kwargs = {}
        if args:
            raise TypeError(f"{name}() takes {len(pos)} positional arguments but {len(pos) + len(args)} were given")
        for k in kwargs:
            raise TypeError(f"{name}() got an unexpected keyword argument '{k}'")
        return env

    def call_function(self, func, args, kwargs):
        tree, info = tree_of(func)
        defaults, kwdefaults = _syntax.defaults(func)
        env = self.bind(tree, defaults, kwdefaults, args, kwargs, func.__name__)
        return self.enter(Frame(self, func, tree, info, env))

    def call_nested(self, f, args, kwargs):
        tree = f.tree
        pos = [d for p, d in zip(tree.params, f.defaults) if p.kind == "pos" and p.value is not None]
        kw = {p.name: d for p, d in zip(tree.params, f.defaults) if p.kind == "kw" and p.value is not None}
        frame = Frame(self, f.frame.func, tree, f.frame.info, self.bind(tree, pos, kw, args, kwargs, tree.name))
        frame.outer = f.frame
        return self.enter(frame)

    def enter(self, frame):
        self.calls += 1
        if self.calls > 200:
            raise Refuse("calls are nested too deeply")
        try:
            out = self.run(frame, frame.tree.body)
        finally:
            self.calls -= 1
        if isinstance(out.code, int):
            if out.code == RAISE:
                raise Refuse("a function that always raises here")
            return None if out.value is MISSING or out.code != RETURN else out.value
        return self.settle(out)

    def settle(self, out):
        # Some ways return a value and others none.
        raise Refuse("the function gives a result on one way only")

    calls = 0



# ---- functions of the language on values that are not known ------------------------------------

def _convert(kind):
    def fn(stage, args, kwargs):
        if len(args) == 1 and stage.unknown(args[0]):
            return stage.to_number(args[0], kind)
        return NotImplemented
    return fn


def _extreme(pick):
    def fn(stage, args, kwargs):
        xs = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        if kwargs or not any([isinstance(x, Sym) for x in xs]):
            return NotImplemented
        kind = "float" if any([stage.kind_of(x) == "float" for x in xs]) else "int"
        t = stage.number(xs[0], kind)
        for x in xs[1:]:
            t = getattr(stage.w, pick)(t, stage.number(x, kind))
        return Sym(stage, kind, t)
    return fn


def _print(stage, args, kwargs):
    # In order with everything else, when the program runs.
    if not stage.prints:
        return NotImplemented
    sep, end = kwargs.get("sep", " "), kwargs.get("end", "\n")
    if end != "\n":
        raise Refuse("print without a new line")
    parts, tensors = [], []
    for x in args:
        if isinstance(x, Sym):
            parts.append("{}")
            tensors.append(x.t)
        elif stage.symbolic(x):
            parts.append("{}")
            tensors.append(x)
        else:
            parts.append(str(x).replace("{", "{{").replace("}", "}}"))
    stage.w.print_now(sep.join(parts), tensors)
    return None


def _isinstance(stage, args, kwargs):
    x, kinds = args
    if not isinstance(x, Sym):
        return NotImplemented
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return any([k is {"int": int, "float": float, "bool": bool}[x.kind] or (k is int and x.kind == "bool")
                for k in kinds])


def _abs(stage, args, kwargs):
    return abs(args[0]) if isinstance(args[0], Sym) else NotImplemented


def _sum(stage, args, kwargs):
    if not any([isinstance(x, Sym) for x in list(args[0])]):
        return NotImplemented
    total = args[1] if len(args) > 1 else 0
    for x in args[0]:
        total = total + x
    return total


def _math(name):
    def fn(stage, args, kwargs):
        if not any([isinstance(x, Sym) for x in args]):
            return NotImplemented
        kind = "int" if name in ("floor", "ceil") else "float"
        t = getattr(stage.w, name)(*[stage.number(x, "float") for x in args])
        return Sym(stage, kind, stage.w.cast(t, _kinds[kind]))
    return fn


_special = {}


def special(f, fn):
    # When f is called with what is not known: fn(stage, args, kwargs), or NotImplemented.
    _special[id(f)] = (f, fn)


def _setup():
    import math
    for f, kind in ((int, "int"), (float, "float"), (bool, "bool")):
        special(f, _convert(kind))
    special(max, _extreme("maximum"))
    special(min, _extreme("minimum"))
    special(print, _print)
    special(isinstance, _isinstance)
    special(abs, _abs)
    special(sum, _sum)
    for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "floor", "ceil", "pow", "atan2", "log2", "log10"):
        special(getattr(math, name), _math(name))


_setup()
