# aesara.scan -- loops in the graph: scan, map, reduce, foldl, foldr, and until.
#
# The step is called once, with symbols for one slice of each sequence and one earlier value
# of each tap; the expressions it gives are the body, run once for each step.
import _aesara as _w
from _expression import order_of, run_order, value_of, free_variables
from aesara._graph import Op, Apply, TensorType, TensorVariable, TensorSharedVariable, Variable, as_variable


class until:
    def __init__(self, condition):
        self.condition = as_variable(condition)


class OrderedUpdates(dict):
    pass


class _Body:
    # seqs: [(input, taps, symbols)]; states: [(initial, taps, symbols)], initial None: none;
    # shared: [(variable, expression)].
    def __init__(self, seqs, states, outputs, shared, stop, backwards, seqs_at, steps_at):
        self.seqs = seqs
        self.states = states
        self.outputs = outputs
        self.shared = shared
        self.stop = stop
        self.backwards = backwards
        self.seqs_at = seqs_at
        self.steps_at = steps_at
        self.order = None

    def results(self):
        return self.outputs + [e for _, e in self.shared] + ([] if self.stop is None else [self.stop])

    def symbols(self):
        out = []
        for _, _, names in self.seqs + self.states:
            out += names
        return out


def _steps(body, values, seqs):
    n = None
    for (_, taps, _), s in zip(body.seqs, seqs):
        room = s.shape[0] - max(0, max(taps)) + min(0, min(taps))
        n = room if n is None else min(n, room)
    if body.steps_at is not None:
        asked = int(values[body.steps_at].item())
        if n is not None and asked > n:
            raise ValueError(f"Scan was asked to run for {asked} steps, but the sequences have only {n}")
        n = asked
    return n


class _Scan(Op):
    def __init__(self):
        super().__init__("scan", None, "for{cpu,scan_fn}", "for", 2)

    def run(self, node, values, env, subst):
        body = node.params
        seqs = [values[i] for i in body.seqs_at]
        if body.backwards:
            seqs = [_w.flip(s, 0) for s in seqs]
        n = _steps(body, values, seqs)
        history = []
        at = len(seqs)
        for initial, taps, _ in body.states:
            if initial is None:
                history.append(None)
                continue
            first = values[at]
            at += 1
            depth = -min(taps)
            history.append([first] if depth == 1 and taps == [-1] and not isinstance(initial, _Many) else [first[i] for i in range(depth)])
        base = len([h for h in history if h is not None])
        depth = [0 if h is None else len(h) for h in history]
        rows = [[] for _ in body.outputs]
        current = {v: value_of(v, env, subst) for v, _ in body.shared}
        outer = {v: values[i] for v, i in self._outer(node)}
        symbols = body.symbols()
        if body.order is None:
            known = {v: None for v in symbols}
            known.update({v: None for v in outer})
            known.update({v: None for v in current})
            body.order = order_of(body.results(), known, {})
        for t in range(n):
            inner = dict(outer)
            for (_, taps, names), s in zip(body.seqs, seqs):
                low = -min(0, min(taps))
                for tap, name in zip(taps, names):
                    inner[name] = s[t + low + tap]
            for (_, taps, names), h in zip(body.states, history):
                for tap, name in zip(taps, names):
                    inner[name] = h[len(h) + tap]
            inner.update(current)
            run_order(body.order, inner, {})
            new = [value_of(o, inner, {}) for o in body.outputs]
            for k, v in enumerate(new):
                if history[k] is not None:
                    if v.dtype != history[k][0].dtype:
                        v = _w.cast(v, history[k][0].dtype)
                    history[k].append(v)
                    if len(history[k]) > depth[k]:
                        history[k] = history[k][1:]
                rows[k].append(v)
            current = {v: value_of(e, inner, {}) for v, e in body.shared}
            if body.stop is not None and value_of(body.stop, inner, {}).item():
                break
        out = []
        for k, r in enumerate(rows):
            if r:
                out.append(_w.stack(r, 0))
            else:
                like = history[k][-1].shape if history[k] else (0,) * (body.outputs[k].ndim)
                out.append(_w.full((0,) + tuple(like), 0, body.outputs[k].dtype))
        return out + [current[v] for v, _ in body.shared]

    def _outer(self, node):
        # (variable of the enclosing graph that the body reads, its place among the operands)
        return node.outer


class _Many:
    # an initial value with one row for each tap
    def __init__(self, value):
        self.value = value


_op = _Scan()


def _listed(x):
    if x is None:
        return []
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _symbol(v, drop, name):
    return TensorVariable(TensorType(v.dtype, v.type.shape[drop:]), None, 0, name)


def _sequence(s):
    if isinstance(s, dict):
        taps = s.get("taps", [0])
        taps = [0] if taps is None else taps
        return as_variable(s["input"]), [taps] if isinstance(taps, int) else list(taps)
    return as_variable(s), [0]


def _state(o):
    if o is None:
        return None, []
    if isinstance(o, dict):
        if o.get("initial") is None:
            return None, []
        taps = o.get("taps", [-1])
        taps = [taps] if isinstance(taps, int) else list(taps) if taps is not None else [-1]
        x = as_variable(o["initial"])
        if taps == [-1]:
            return x, taps
        return _Many(x), taps
    return as_variable(o), [-1]


def _taken_apart(r):
    # what a step gives: outputs, updates, condition
    outputs, updates, stop = [], {}, None
    if isinstance(r, until):
        return [], {}, r.condition
    if isinstance(r, dict):
        return [], dict(r), None
    if not isinstance(r, (list, tuple)):
        return [as_variable(r)], {}, None
    parts = list(r)
    if parts and isinstance(parts[-1], until):
        stop = parts.pop().condition
    if parts and isinstance(parts[-1], dict):
        updates = dict(parts.pop())
    elif len(parts) == 2 and isinstance(parts[0], dict):
        updates = dict(parts.pop(0))
    if parts and len(parts) == 2 and isinstance(parts[1], (list, tuple)) and parts[1] and isinstance(parts[1][0], tuple):
        updates = dict(parts.pop())
    elif parts and isinstance(parts[0], tuple) and len(parts[0]) == 2 and isinstance(parts[0][0], TensorSharedVariable):
        return [], dict(parts), stop
    if len(parts) == 1 and isinstance(parts[0], (list, tuple)):
        parts = list(parts[0])
    elif parts and isinstance(parts[0], (list, tuple)) and len(parts) > 1 and not isinstance(parts[1], Variable):
        parts = list(parts[0])
    return [as_variable(p) for p in parts], updates, stop


def scan(fn, sequences=None, outputs_info=None, non_sequences=None, n_steps=None, truncate_gradient=-1, go_backwards=False,
         mode=None, name=None, profile=False, allow_gc=None, strict=False, return_list=False):
    seqs = []
    for s in _listed(sequences):
        v, taps = _sequence(s)
        if v.ndim == 0:
            raise ValueError(f"The sequence {v} of scan is a scalar: it has no slices")
        seqs.append((v, taps, [_symbol(v, 1, f"{v.name}[t{tap:+d}]" if tap else f"{v.name}[t]") for tap in taps]))
    infos = _listed(outputs_info)
    states, args = [], []
    for _, _, names in seqs:
        args += names
    for o in infos:
        initial, taps = _state(o)
        value = initial.value if isinstance(initial, _Many) else initial
        names = [] if value is None else [_symbol(value, 1 if isinstance(initial, _Many) else 0, f"{value.name}[t{tap}]") for tap in taps]
        states.append((initial, taps, names))
        args += names
    others = [as_variable(v) for v in _listed(non_sequences)]
    outputs, updates, stop = _taken_apart(fn(*args, *others))
    if not seqs and n_steps is None:
        raise ValueError("No information about the number of steps provided. Either provide a value for n_steps argument of scan "
                         "or provide an input sequence")
    if infos and len(outputs) != len(states):
        if len(states) == 1 and states[0][0] is None:
            states = [(None, [], []) for _ in outputs]
        else:
            raise ValueError(f"Please provide None as outputs_info for any output that does not feed back into scan (i.e. it behaves "
                             f"like a map): the step gives {len(outputs)} outputs, outputs_info has {len(states)}")
    if not infos:
        states = [(None, [], []) for _ in outputs]
    for (initial, taps, names), o in zip(states, outputs):
        if names and names[0].ndim != o.ndim:
            raise ValueError(f"When compiling the inner function of scan the following error has been encountered: The initial state "
                             f"(`outputs_info` in scan nomenclature) of variable {o} has {names[0].ndim} dimension(s), while the result "
                             f"of the inner function (`fn`) has {o.ndim} dimension(s)")
    shared = [(k, as_variable(v)) for k, v in updates.items()]
    return _make(seqs, states, outputs, shared, stop, n_steps, go_backwards, return_list)


def _make(seqs, states, outputs, shared, stop, n_steps, backwards, return_list):
    inputs = [v for v, _, _ in seqs]
    for initial, _, _ in states:
        if initial is not None:
            inputs.append(initial.value if isinstance(initial, _Many) else initial)
    steps_at = None
    if n_steps is not None:
        steps_at = len(inputs)
        inputs.append(as_variable(n_steps))
    body = _Body(seqs, states, outputs, shared, stop, backwards, list(range(len(seqs))), steps_at)
    inside = body.symbols() + [v for v, _ in shared]
    outer = []
    for v in free_variables(body.results(), inside):
        outer.append((v, len(inputs)))
        inputs.append(v)
    types = []
    for (initial, _, names), o in zip(states, outputs):
        types.append(TensorType(names[0].dtype if names else o.dtype, (None,) * (o.ndim + 1)))
    types += [v.type for v, _ in shared]
    node = Apply(_op, inputs, body, types)
    node.outer = outer
    outs = node.outputs[:len(outputs)]
    changes = OrderedUpdates()
    for (v, _), o in zip(shared, node.outputs[len(outputs):]):
        changes[v] = o
    if len(outs) == 1 and not return_list:
        return outs[0], changes
    if not outs:
        return None, changes
    return outs, changes


def map(fn, sequences, non_sequences=None, truncate_gradient=-1, go_backwards=False, mode=None, name=None):
    return scan(fn, sequences, [], non_sequences, None, truncate_gradient, go_backwards)


def reduce(fn, sequences, outputs_info, non_sequences=None, go_backwards=False, mode=None, name=None):
    r, updates = scan(fn, sequences, outputs_info, non_sequences, None, -1, go_backwards)
    if isinstance(r, (list, tuple)):
        return [x[-1] for x in r], updates
    return r[-1], updates


def foldl(fn, sequences, outputs_info, non_sequences=None, mode=None, name=None):
    return reduce(fn, sequences, outputs_info, non_sequences, False)


def foldr(fn, sequences, outputs_info, non_sequences=None, mode=None, name=None):
    return reduce(fn, sequences, outputs_info, non_sequences, True)
