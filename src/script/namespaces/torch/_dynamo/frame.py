# torch._dynamo.frame -- a function under torch.compile: its statements in order, as many at a time as one program
# holds, and by the machine what no program holds; functions of the user's that those statements call are run
# the same way.
import _stage
import _syntax
import _tree
import _torch as _w
import torch
from torch import nn
from torch._dynamo import config, exc
from torch._dynamo.program import SHARED, make
from torch._dynamo.segment import Tracer
from torch.jit import _text
from torch.jit._script import fell_back
from _stage.state import BREAK, NEXT, RETURN, Outcome

CONTINUE = 4
Tracer.go_on = CONTINUE


def _loads(stmts, out):
    # {name: how often it stands in the statements}
    def walk(n):
        if n is None:
            return
        if n.kind == "name":
            out[n.name] = out.get(n.name, 0) + 1
        if n.kind in ("lambda", "def"):
            for s in n.def_.body:
                walk(s)
        for x in (n.a, n.b, n.c):
            walk(x)
        for x in (*n.list, *n.more):
            walk(x)

    for s in stmts:
        walk(s)
    return out


_foreign = ("global", "nonlocal", "class", "import", "from", "yield", "yieldfrom", "try")


def _strange(n):
    # A statement that only the machine can run?
    if n is None:
        return False
    if n.kind in _foreign:
        return True
    inner = n.def_.body if n.kind in ("lambda", "def") else ()
    return any([_strange(x) for x in (n.a, n.b, n.c, *n.list, *n.more, *inner)])


class Point:
    # Where segments begin.
    def __init__(self):
        self.by_key = {}
        self.count = 0
        self.numbers = None     # the first key of numbers; others make them inputs
        self.dynamic = False
        self.names = None


class Runner(_stage.Stage):
    # One function given to torch.compile, with all the segments of what it calls.
    def __init__(self, func, fullgraph=False, dynamic=None, backend=None):
        super().__init__(_w, "tensor", self.forward_of)
        self.func = func
        self.fullgraph, self.dynamic, self.backend = fullgraph, dynamic, backend
        self.points = {}        # id of a statement: (it, Point)
        self.plain = {}         # id of a function: (it, is it for the machine as a whole?)
        self.usage = {}         # id of a function's tree: (it, how often its names stand in it)
        self.graphs = []        # segments with programs
        self.breaks = []        # (reason, place)
        self.kept = []
        self.programs = True
        self.prints = False
        self.loops = 0
        self.ran = []           # segments of the last call; None for what the machine did

    def reset(self):
        self.points.clear()
        self.kept.clear()

    def __call__(self, *args, **kwargs):
        if _w.in_trace() or torch.compiler._off[0]:
            return self.func(*args, **kwargs)
        self.ran = []
        try:
            return self.call(self.func, list(args), kwargs)
        finally:
            _syntax.place()

    def quick(self):
        # The segment that the last call was, or None.
        return self.ran[0] if len(self.ran) == 1 else None

    # -- calls

    def forward_of(self, m):
        if isinstance(m, nn.Module) and not (m._forward_hooks or m._forward_pre_hooks or m._backward_hooks) and \
                "forward" not in vars(m):
            f = getattr(type(m), "forward", None)
            if _syntax.sort(f) == "function" and self.stages(f):
                return f, m
        return None

    def stages(self, func):
        if id(func) not in self.plain:
            tree, info = _stage.tree_of(func)
            plain = info["hidden"] and func.__name__ != "forward" or info["generator"] or \
                any([_strange(s) for s in tree.body])
            if plain and not info["hidden"]:
                self.broke("a function with statements that only the machine runs", (info["file"], tree.body[0].line,
                           tree.body[0].col, tree.body[0].len, tree.name))
            self.plain[id(func)] = (func, plain or hasattr(func, "__compile_disabled__") or
                                    hasattr(func, "__jit_ignore__"))
        return not self.plain[id(func)][1]

    def call(self, f, args, kwargs):
        if _syntax.sort(f) == "method":
            if _syntax.sort(f.__func__) == "function" and self.stages(f.__func__):
                return self.call_function(f.__func__, [f.__self__] + list(args), kwargs)
            return f(*args, **kwargs)
        if isinstance(f, nn.Module):
            inner = self.forward_of(f)
            return f(*args, **kwargs) if inner is None else self.call_function(inner[0], [f] + list(args), kwargs)
        if _syntax.sort(f) == "function" and self.stages(f):
            return self.call_function(f, args, kwargs)
        return f(*args, **kwargs)

    def enter(self, frame):
        loops, self.loops = self.loops, 0
        confined = frame.info["confined"]
        if confined:
            _syntax.confine(1)
        try:
            out = self.run(frame, frame.tree.body)
        finally:
            self.loops = loops
            if confined:
                _syntax.confine(-1)
        return out.value if out.code == RETURN else None

    # -- statements

    def run(self, frame, stmts):
        i = 0
        while i < len(stmts):
            s = self.segment(frame, stmts, i)
            if s is not None:
                i, out = s
                if out.code != NEXT:
                    return out
                continue
            self.ran.append(None)
            out = self.statement(frame, stmts[i])
            if out.code != NEXT:
                return out
            i += 1
        return Outcome(NEXT)

    def statement(self, frame, s):
        k = s.kind
        if k == "if":
            return self.run(frame, s.list if self.truth(self.eval(frame, s.a)) else s.more)
        if k == "while":
            return self.repeat(frame, s)
        if k == "for":
            return self.walk(frame, s)
        if k == "with":
            return self.run_with(frame, s)
        if k == "return":
            return Outcome(RETURN, None if s.a is None else self.eval(frame, s.a))
        if k == "break":
            return Outcome(BREAK)
        if k == "continue":
            return Outcome(CONTINUE)
        if k == "raise":
            e = self.eval(frame, s.a)
            if s.b is not None:
                raise e from self.eval(frame, s.b)
            raise e
        self.simple(frame, s)
        return Outcome(NEXT)

    def repeat(self, frame, s):
        self.loops += 1
        try:
            while self.truth(self.eval(frame, s.a)):
                out = self.run(frame, s.list)
                if out.code == BREAK:
                    return Outcome(NEXT)
                if out.code == RETURN:
                    return out
        finally:
            self.loops -= 1
        return self.run(frame, s.more)

    def walk(self, frame, s):
        it = self.eval(frame, s.b)
        self.loops += 1
        try:
            for x in it:
                self.assign(frame, s.a, x)
                out = self.run(frame, s.list)
                if out.code == BREAK:
                    return Outcome(NEXT)
                if out.code == RETURN:
                    return out
        finally:
            self.loops -= 1
        return self.run(frame, s.more)

    def truth(self, x):
        return bool(x)

    def run_with(self, frame, s):
        return self.within(frame, s.list, s.more)

    def within(self, frame, items, body):
        if not items:
            return self.run(frame, body)
        with self.eval(frame, items[0].a) as v:
            if items[0].b is not None:
                self.assign(frame, items[0].b, v)
            return self.within(frame, items[1:], body)
        return Outcome(NEXT)    # the manager took an exception

    # -- segments

    def names(self, frame, point, stmts, i):
        if i == 0 and stmts is frame.tree.body:
            return [p.name for p in frame.tree.params]
        if point.names is None:
            point.names = sorted(_loads(stmts[i:], {}))
        return [n for n in point.names if n in frame.env]

    def live(self, frame, stmts, i, stop):
        # Names that stand elsewhere in the function than in the statements of the segment.
        key = id(frame.tree)
        if key not in self.usage:
            self.usage[key] = (frame.tree, _loads(frame.tree.body, {}))
        used = self.usage[key][1]
        if self.loops:
            return used
        mine = _loads(stmts[i:stop], {})
        return [n for n in used if used[n] > mine.get(n, 0)]

    def segment(self, frame, stmts, i):
        # What the segment that begins here did: (the statement behind it, outcome), or None.
        if frame.outer is not None or not self.programs:
            return None
        s = stmts[i]
        if id(s) not in self.points:
            self.points[id(s)] = (s, Point())
        point = self.points[id(s)][1]
        names = self.names(frame, point, stmts, i)
        leaves, spec = _tree.flatten([frame.env[n] for n in names], None, False)
        numbers = tuple([x for x in leaves if type(x) in (int, float)])
        if point.numbers is None:
            point.numbers = numbers
        elif point.numbers != numbers and self.dynamic is not False and not point.dynamic:
            point.dynamic = len(point.numbers) == len(numbers)
        for dynamic in ((True, False) if point.dynamic else (False,)):
            got = self.at_key(frame, stmts, i, point, names, leaves, _key(spec, leaves, dynamic), dynamic)
            if got is not None:
                return got if got is not _by_machine else None
        return None

    def at_key(self, frame, stmts, i, point, names, leaves, key, dynamic):
        known = point.by_key.get(key)
        if known is None:
            known = point.by_key[key] = []
            self.kept.append(leaves)    # the key has the numbers of objects
        for s in known:
            if s.reads.hold():
                if s.program is None:
                    return None if dynamic else _by_machine
                out = s.run(frame.env, leaves, dynamic)
                if out is not None:
                    return self.done(s, out)
        if point.count >= config.limit():
            if point.count == config.limit():
                point.count += 1
                self.broke(f"recompile_limit reached: {config.limit()} programs for one place", (
                    frame.info["file"], stmts[i].line, stmts[i].col, stmts[i].len, frame.tree.name))
            return _by_machine
        point.count += 1
        s = make(stmts, i, frame, names, lambda stop: self.live(frame, stmts, i, stop), dynamic)
        known.append(s)
        if dynamic and (s.program is None or s.reason is not None):
            s.program = None
            return None         # numbers as they are let more be a program
        if s.reason is not None:
            self.broke(s.reason, s.place)
        if s.program is None:
            return _by_machine
        self.graphs.append(s)
        if self.backend is not None:
            s.compiled = self.backend(s.program, s.example)
        out = s.run(frame.env, leaves, dynamic)
        return self.done(s, out)

    def done(self, s, out):
        if out is SHARED:
            return _by_machine
        self.ran.append(s)
        return s.stop, out

    def broke(self, reason, place):
        file, line, col, n, name = place if place is not None else ("", 0, 0, 0, "")
        if self.fullgraph:
            _syntax.raise_at(exc.Unsupported, reason, file, line, col, n)
        if (reason, (file, line, name)) not in self.breaks:
            self.breaks.append((reason, (file, line, name)))
            fell_back(name, file, line, reason, "torch.compile")


class Machine(Runner):
    # A scripted function by its source, without programs: its numbers are TorchScript's.
    def __init__(self, func):
        super().__init__(func)
        self.texts, self.programs = _text, False

    def call(self, f, args, kwargs):
        r = self.own_way(f, args, kwargs)
        return super().call(f, args, kwargs) if r is NotImplemented else r


_by_machine = object()


def _key(spec, leaves, dynamic):
    first = {}
    out = []
    for i, x in enumerate(leaves):
        if isinstance(x, _w.Tensor):
            out.append((x.dtype.name, tuple(x.shape), str(x.device), first.setdefault(id(x), i)))
        elif isinstance(x, (bool, str)) or x is None or (not dynamic and type(x) in (int, float)):
            out.append((type(x), str(x)))
        elif type(x) in (int, float):
            out.append(type(x))
        else:
            out.append(id(x))
    return (spec, tuple(out))
