# torch._dynamo.program -- from statements and the variables of a frame to a program, and its calls.
import _stage
import _syntax
import _tree
import _torch as _w
import torch
from torch import nn
from torch._dynamo.segment import Break, Reads, Tracer
from torch.jit._script import _made, _view, check_view, kept_for_backward, overlap, viewed
from _stage.state import NEXT, RETURN, Outcome

_number = {int: "int64", float: "float64"}
SHARED = "shared"       # a tensor that is written to shares memory with another input


class Segment:
    # Statements i .. stop of a block as a program, for the guards in `reads`; without a program: the first of them
    # is for the machine.
    def __init__(self, reads, stop, program=None):
        self.reads = reads
        self.stop = stop
        self.program = program
        self.remembered = False # by who calls it without the machine of scripts
        self.compiled = None    # what a backend of the user's made of it
        self.reason = None      # why it ends where it does, and the place; None: at the end of the block
        self.place = None

    def run(self, env, leaves, dynamic):
        # The outcome, with the variables set; None: a tensor is of another type now; SHARED: the machine must do it.
        kept = self.reads.fetched()
        if kept is None:
            return None
        inputs = kept + given(leaves, dynamic)
        mine = [i for i, places in self.writes if places is None]
        if overlap(inputs, mine, len(self.reads.tensors), len(kept)):
            return SHARED
        for name, args, _ in self.reads.draws:
            inputs.append(getattr(_w, name)(*args))
        ready = kept_for_backward(inputs, mine)
        outs = _w.apply(self.program, ready) if self.compiled is None else self.compiled(*ready)
        written = {}
        for k, (i, places) in enumerate(self.writes):
            new = outs[self.count + k]
            if places is not None:      # an attribute that holds another tensor now
                for d, name in places:
                    d[name] = new
                continue
            written[i] = self.count + k
            if len(self.reads.tensors) <= i < len(kept):
                with torch.no_grad():
                    _w.write(inputs[i], new)
            else:
                _w.write(inputs[i], new)
        values = []
        for kind, what, k in self.plan:
            if kind == "static":
                values.append(what)
            elif kind == "same":
                values.append(inputs[what])
            elif kind == "view":
                values.append(_view(self.program, k, inputs, what, written.get(what, -1)))
            else:
                values.append(outs[k] if kind == "tensor" else outs[k].item())
        result = _tree.unflatten(self.spec, values)
        for name, v in result[0].items():
            env[name] = v
        return Outcome(self.code, *result[1])

    def quick(self):
        # Can it be run for the types of its arguments alone? The tree of its results, or None.
        if self.code != RETURN or self.writes or self.reads.draws or self.compiled is not None or \
                not all([kind == "tensor" for kind, _, _ in self.plan]):
            return None
        return _tree.unflatten(self.spec, [k for _, _, k in self.plan])[1][0]


def given(leaves, dynamic):
    # Inputs for the values of variables.
    return [x if isinstance(x, _w.Tensor) else _w.tensor(x, _number[type(x)]) for x in leaves
            if isinstance(x, _w.Tensor) or (dynamic and type(x) in _number)]


class Trial:
    # One trace of statements: how far it came, and what it needs to be known beforehand.
    compiling = 1       # so it is for torch.compiler.is_compiling
    tracer_class = Tracer

    def __init__(self, block, i, upto, frame, names, live, dynamic, known):
        self.block, self.i, self.upto = block, i, upto
        self.frame, self.names, self.live, self.dynamic = frame, names, live, dynamic
        self.reads = Reads()
        self.reads.roots, self.reads.state = list(known.roots), list(known.state)
        self.reads.sources, self.reads.tensors = list(known.sources), list(known.tensors)
        self.reads.draws = list(known.draws)
        self.stop = i
        self.drawn = 0          # draws of the statements before `stop`
        self.reason, self.place = None, None
        leaves, self.spec = _tree.flatten([frame.env[n] for n in names], None, False)
        self.leaves = leaves
        self.given = given(leaves, dynamic)
        self.inputs = self.reads.tensors + [k.t for k in self.reads.state] + self.given + \
            [example for _, _, example in self.reads.draws]

    def complete(self, known):
        r = self.reads
        return len(r.state) == len(known.state) and len(r.tensors) == len(known.tensors) and \
            len(r.draws) == len(known.draws)

    def trace(self):
        # The program, or None if it broke off.
        torch.compiler._programs[0] += self.compiling
        try:
            return _made(self.body, self.inputs, self.frame.tree.name, drawer=self.draw)
        except Exception as e:
            self.reason = str(e) if isinstance(e, _stage.Refuse) else f"{type(e).__name__}: {e}"
            return None
        finally:
            torch.compiler._programs[0] -= self.compiling

    def draw(self, name, *args):
        return self.tracer.draw(name, *args)

    def variables(self, tracer, symbols):
        it = iter(symbols)
        mine = []
        for x in self.leaves:
            if isinstance(x, _w.Tensor):
                mine.append(next(it))
            elif self.dynamic and type(x) in _number:
                mine.append(_stage.Sym(tracer, tracer.kind_of(x), next(it)))
            else:
                if isinstance(x, nn.Module):
                    tracer.module(x)
                mine.append(x)
        values = _tree.unflatten(self.spec, mine)
        for v in values:
            _containers(v, tracer.outside)
        return dict(zip(self.names, values))

    def body(self, *symbols):
        r = self.reads
        tracer = self.tracer = self.tracer_class(r)
        first = [_w.alias(s) for s in symbols]
        known = list(r.state)
        at = len(r.tensors)
        end = at + len(known) + len(self.given)
        tracer.symbols = symbols[end:]
        for t, s in zip(r.tensors, symbols):
            tracer.inputs[id(t)] = s
        for k, s in zip(known, symbols[at:]):
            k.put(s)
            tracer.slots += [[m, name] for m, d, name in k.places if k.kind != "param"]
        try:
            env = self.variables(tracer, symbols[at + len(known):])
            start = dict(env)
            frame = _stage.Frame(tracer, self.frame.func, self.frame.tree, self.frame.info, env)
            outcome = self.statements(tracer, frame)
            return self.results(tracer, env, start, outcome, symbols[:end], first, known)
        finally:
            self.place = tracer.place
            for k in r.state:
                k.put(k.t)

    def statements(self, tracer, frame):
        for k in range(self.i, self.upto):
            self.stop, self.drawn = k, tracer.drawn
            tracer.at(frame, self.block[k])
            out = tracer.run(frame, [self.block[k]])
            if not isinstance(out.code, int):
                raise Break("statements that end in different ways")
            if out.code != NEXT:
                self.stop = k + 1
                return out
        self.stop = self.upto
        return Outcome(NEXT)

    def results(self, tracer, env, start, outcome, symbols, first, known):
        changed = {}
        if outcome.code != RETURN:
            live = self.live(self.stop)
            changed = {n: v for n, v in env.items() if n in live and (n not in start or v is not start[n])}
        if any([n not in env for n in start]):
            raise Break("a variable is deleted")
        value = (changed, [outcome.value] if outcome.code == RETURN else [])
        held = []
        _containers(value, held)
        for c in held:
            if any([c is o for o in tracer.outside]):
                raise Break("a container from outside is given another name")
        leaves, self.out_spec = _tree.flatten(value, None, False)
        outs, plan = [], []
        for x in leaves:
            plan.append(self.leaf(tracer, x, outs, symbols))
        self.apart(outs, [k for kind, _, k in plan if kind == "tensor"])
        self.count = len(outs)
        self.plan, self.code = plan, outcome.code
        self.writes = []
        at = len(symbols) - len(known) - len(self.given)
        for i, (s, old) in enumerate(zip(symbols, first)):
            now, places = s, None
            if at <= i < at + len(known):
                k = known[i - at]
                now = k.places[0][1][k.places[0][2]]
                if now is not s:
                    places = [(d, name) for m, d, name in k.places]
                if k.kind == "param" and not (now is s and _w.same_value(s, old)):
                    raise Break("a parameter is written to")
            if now is not s or not _w.same_value(s, old):
                self.writes.append((i, places))
                outs.append(now)
        return outs

    def leaf(self, tracer, x, outs, symbols):
        if isinstance(x, _stage.Sym) or isinstance(x, _w.Tensor):
            t = x.t if isinstance(x, _stage.Sym) else _w.symbol_of(x)
            of = None if isinstance(x, _stage.Sym) else viewed(t, symbols)
            k = [i for i, o in enumerate(outs) if o is t]
            if not k:
                outs.append(t)
            k = k[0] if k else len(outs) - 1
            if of is not None:
                return ("same" if t is symbols[of] or _w.same(t, symbols[of]) else "view", of, k)
            return (x.kind if isinstance(x, _stage.Sym) else "tensor", None, k)
        if isinstance(x, _stage.Nested) or id(x) in tracer.made:
            raise Break("an object that was made on the way is kept")
        return ("static", x, None)

    def apart(self, outs, mine):
        # Results that share memory with each other, as a program's cannot?
        for n, i in enumerate(mine):
            for j in mine[:n]:
                if i != j and _w.related(outs[i], outs[j]):
                    raise Break("two results share memory")


def _containers(v, out):
    if isinstance(v, (list, dict)):
        out.append(v)
    if isinstance(v, (list, tuple)):
        for x in v:
            _containers(x, out)
    elif isinstance(v, dict):
        for x in v.values():
            _containers(x, out)


def make(block, i, frame, names, live, dynamic, trial=Trial):
    # The segment that begins at statement i.
    known, upto, why = Reads(), len(block), None
    while True:
        t = trial(block, i, upto, frame, names, live, dynamic, known)
        program = t.trace()
        if program is None:
            if why is None or t.stop < upto:
                why = (t.reason, t.place)
            upto = t.stop if t.stop < upto else upto - 1
            t.reads.draws = t.reads.draws[:t.drawn]
        elif t.complete(known):
            break
        if upto <= i:
            s = Segment(t.reads, i)
            s.reads.close()
            s.reason, s.place = why
            return s
        known = t.reads
    s = Segment(t.reads, t.stop, program)
    s.reads.close()
    s.spec, s.plan, s.writes, s.code, s.count = t.out_spec, t.plan, t.writes, t.code, t.count
    s.example = t.inputs
    to = {i: s.count + k for k, (i, places) in enumerate(s.writes) if places is None}
    try:
        for kind, what, k in s.plan:
            if kind == "view":
                check_view(program, k, what, to.get(what, -1))
    except _stage.Refuse as e:
        s.program, s.stop, why = None, i, (str(e), t.place)
    if len(to) > 0 and len({id(x) for x in t.inputs}) < len(t.inputs):
        s.program, s.stop, why = None, i, ("a tensor that is written to is there twice", t.place)
    if why is not None:
        s.reason, s.place = why
    return s
