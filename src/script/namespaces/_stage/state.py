# _stage.state -- the variables of a function taken apart into leaves, and trials: statements run on
# a copy of them, in a trace of their own.
import _syntax
from _stage.number import Numbers, Refuse, Sym

NEXT, BREAK, RETURN, RAISE = 0, 1, 2, 3


class Missing:
    # The value of a variable that has none.
    pass


MISSING = Missing()


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


def leaf_of(kind, t):
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


class State(Numbers):
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

    def write(self, parts, key, i, new):
        # The tensor at a place gets a value, for all who hold it.
        mine = parts[key].leaves[i].value
        for k, p in parts.items():
            for j, l in enumerate(p.leaves):
                if l.kind == "tensor" and l.value is not mine and self.w.related(l.value, mine):
                    raise Refuse("a tensor and a view of it, written to on one way or in a loop")
        self.w.write(mine, new)

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
            as_was = {key: [self.as_it_is(l) for l in p.leaves] for key, p in start.items()}
            self.install(frame, start)
            outcome = run(frame) if index is None else run(frame, args[-1])
            t = Trial(start, self.state(frame), outcome)
            if outcome.value is not MISSING:
                t.value = self.part(outcome.value, {})
            for key, p in t.after.items():
                before = start.get(key)
                fits = before is not None and self.same_spec(before.spec, p.spec)
                p.same = [fits and self.unchanged(as_was[key][i], l) for i, l in enumerate(p.leaves)]
                p.fits = fits
                # written in place: the tensor that stood there at the start, with another value
                p.written = [fits and not p.same[i] and l.kind == "tensor" and l.value is before.leaves[i].value
                             for i, l in enumerate(p.leaves)]
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

    def as_it_is(self, l):
        # The leaf under another name, which writes in place do not reach.
        return Leaf("tensor", self.w.alias(l.value)) if l.kind == "tensor" else l

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
