# aesara.scan -- loops in the graph: scan, map, reduce, foldl, foldr, and until.
#
# The step is called once, with symbols for one slice of each sequence and one earlier value
# of each tap; the expressions it gives are the body of a `scan` of the program, or with until of a
# `while` whose rows go into room for as many as there can be.
import _aesara as _w
from aesara import _random
from _expression import ancestors, order_of, run_order, value_of, free_variables, dependents
from aesara._graph import Op, Apply, TensorType, TensorVariable, TensorSharedVariable, Variable, as_variable


class until:
    def __init__(self, condition):
        self.condition = as_variable(condition)


class OrderedUpdates(dict):
    pass


class _Body:
    # seqs: [(input, taps, symbols)]; states: [(initial, taps, symbols)], initial None: none;
    # shared: [(variable, expression)].
    def __init__(self, seqs, states, outputs, shared, stop, backwards, truncate, seqs_at, steps_at, draws):
        self.seqs = seqs
        self.states = states
        self.outputs = outputs
        self.shared = shared
        self.stop = stop
        self.backwards = backwards
        self.truncate = truncate
        self.seqs_at = seqs_at
        self.steps_at = steps_at
        self.draws = draws    # how many sequences are draws, the last ones

    def results(self):
        return self.outputs + [e for _, e in self.shared] + ([] if self.stop is None else [self.stop])

    def symbols(self):
        out = []
        for _, _, names in self.seqs + self.states:
            out += names
        return out


def _windows(body, values):
    # (how many steps, for each sequence and tap its rows)
    turn = len(body.seqs) - body.draws if body.backwards else 0
    seqs = [_w.flip(values[i], 0) if i < turn else values[i] for i in body.seqs_at]
    n, asked = None, None
    if body.steps_at is not None:
        asked = _w.size_of(values[body.steps_at])
        if isinstance(asked, int) and asked < 0:
            asked, seqs = -asked, [_w.flip(s, 0) if i < len(seqs) - body.draws else s for i, s in enumerate(seqs)]
    rooms = []
    for (_, taps, _), s in zip(body.seqs, seqs):
        span = max(0, max(taps)) - min(0, min(taps))
        rooms.append(_w.size_of(_w.tensor(s.shape[0], "int64") - span) if span else s.shape[0])
    known = [r for r in rooms if isinstance(r, int)]
    n = asked if asked is not None else min(known) if len(known) == len(rooms) else rooms[0]
    if isinstance(n, int) and known and n > min(known):
        raise ValueError(f"Scan was asked to run for {n} steps, but the sequences have only {min(known)}")
    rows = []
    for (_, taps, _), s, room in zip(body.seqs, seqs, rooms):
        low = -min(0, min(taps))
        for tap in taps:
            whole = room is n and low + tap == 0 and len(taps) == 1
            rows.append(s if whole else _w.narrow(s, 0, low + tap, n))
    return n, rows


class _Scan(Op):
    def __init__(self):
        super().__init__("scan", None, "for{cpu,scan_fn}", "for", 2)

    def run(self, node, values, env, subst):
        body = node.params
        n, rows = _windows(body, values)
        history = []    # the last values of each output that has taps, oldest first
        at = len(body.seqs)
        for (initial, taps, _), o in zip(body.states, body.outputs):
            if initial is None:
                history.append([])
                continue
            first = values[at]
            at += 1
            many = isinstance(initial, _Many)
            history.append([first[i] for i in range(-min(taps))] if many else [first])
        shared = [value_of(v, env, subst) for v, _ in body.shared]
        outer = {v: values[i] for v, i in node.outer}
        step = _Step(body, outer, [len(h) for h in history])
        carries = [x for h in history for x in h] + shared
        if body.stop is not None:
            return step.until(carries, rows, n)
        k = body.truncate
        if k == -1 or isinstance(n, int) and k >= n:
            return step.result(_w.scan(step.call, carries, rows, n), len(carries), len(shared))
        return step.truncated(carries, rows, n, k, len(shared))


class _Step:
    def __init__(self, body, outer, depth):
        self.body, self.outer, self.depth = body, outer, depth

    def call(self, *xs):
        # carries, rows: the carries afterwards, and a row for each output
        return self.step(xs)[0]

    def step(self, xs):
        body = self.body
        inner = dict(self.outer)
        at, history = 0, []
        for depth in self.depth:
            history.append(list(xs[at:at + depth]))
            at += depth
        for v, _ in body.shared:
            inner[v] = xs[at]
            at += 1
        for _, _, names in body.seqs:
            for name in names:
                inner[name] = xs[at]
                at += 1
        for (_, taps, names), h in zip(body.states, history):
            for tap, name in zip(taps, names):
                inner[name] = h[len(h) + tap]
        run_order(order_of(body.results(), inner, {}), inner, {})
        rows, after = [], []
        for o, h in zip(body.outputs, history):
            x = value_of(o, inner, {})
            if h:
                x = x if x.dtype == h[0].dtype else _w.cast(x, h[0].dtype)
                after += h[1:] + [x]
            rows.append(x)
        for v, e in body.shared:
            x = value_of(e, inner, {})
            after.append(x if x.dtype.name == v.dtype else _w.cast(x, v.dtype))
        stop = None if body.stop is None else value_of(body.stop, inner, {})
        return after + rows, stop

    def result(self, out, carries, shared):
        return out[carries:] + out[carries - shared:carries]

    def truncated(self, carries, rows, n, k, shared):
        # Derivatives go back through the last k steps alone.
        most = _w.tensor(n, "int64")
        last = _w.size_of(_w.minimum(_w.tensor(k, "int64"), most))
        first = _w.size_of(most - _w.tensor(last, "int64"))
        stop = _w.stop_gradient
        fixed = _Step(self.body, {v: stop(x) for v, x in self.outer.items()}, self.depth)
        a = _w.scan(fixed.call, [stop(c) for c in carries], [stop(_w.narrow(r, 0, 0, first)) for r in rows], first)
        b = _w.scan(self.call, [stop(x) for x in a[:len(carries)]], [_w.narrow(r, 0, first, last) for r in rows], last)
        m = len(carries)
        return [_w.concat([stop(x), y], 0) for x, y in zip(a[m:], b[m:])] + b[m - shared:m]

    def until(self, carries, rows, n):
        # A while: the step's number, whether to go on, carries, room for the rows.
        body = self.body
        m = len(carries)
        like = self.step(carries + [_w.cast(_w.sum(r, 0), r.dtype) for r in rows])[0][m:]
        room = [_w.full((n,) + tuple(x.shape), 0, x.dtype) for x in like]
        limit = _w.tensor(n, "int64")

        def test(t, go, *xs):
            return [_w.logical_and(go, t < limit)]

        def turn(t, go, *xs):
            now = [_w.index_get(r, (t,)) for r in rows]
            new, stop = self.step(list(xs[:m]) + now)
            kept = [_w.index_set(r, (t,), x) for r, x in zip(xs[m:], new[m:])]
            go = _w.logical_not(stop if stop.dtype.kind == "b" else stop != 0)
            return [t + 1, go] + new[:m] + kept

        out = _w.while_loop(test, turn, [_w.full((), 0, "int64"), _w.full((), True, "bool")] + carries + room,
                            n if isinstance(n, int) else None)
        turns = _w.size_of(out[0])
        shared = len(body.shared)
        return [_w.narrow(r, 0, 0, turns) for r in out[2 + m:]] + out[2 + m - shared:2 + m]


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
            raise IndexError(f"too many indices for array: the sequence {v} of scan is a scalar")
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
    drawn = []
    _random.watching.append(drawn)
    try:
        outputs, updates, stop = _taken_apart(fn(*args, *others))
    finally:
        _random.watching.pop()
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
    given = [s for s in updates if isinstance(s, _random.RngVariable)]
    shared = [(k, as_variable(v)) for k, v in updates.items() if k not in given] + _own_updates(outputs, updates, args + others)
    draws = _draws(drawn, seqs, args, n_steps)
    result = _make(seqs, states, outputs, shared, stop, n_steps, go_backwards, truncate_gradient, return_list, draws)
    for rows, _, _ in draws:
        result[1][rows.owner.inputs[0]] = rows.owner.outputs[0]
    return result


def _own_updates(outputs, updates, outside):
    # Shared variables of the step that bring an update with them.
    found = [v for v in ancestors(outputs, outside) if isinstance(v, TensorSharedVariable) and v not in outside]
    return [(v, v.default_update) for v in found if v.default_update is not None and v not in updates]


def _draws(nodes, seqs, inside, n_steps):
    # Draws in a step are a sequence of as many as there are steps.
    if nodes and n_steps is None:
        from aesara.tensor import shape_i, minimum
        for v, taps, _ in seqs:
            n = shape_i(v, 0) - (max(0, max(taps)) - min(0, min(taps)))
            n_steps = n if n_steps is None else minimum(n_steps, n)
    out = []
    for node in nodes:
        if dependents(node.inputs, inside):
            raise NotImplementedError("scan: a draw in a step whose parameters depend on the step")
        out.append((_random.rows(node, as_variable(n_steps)), [0], [node.outputs[1]]))
    return out


def _make(seqs, states, outputs, shared, stop, n_steps, backwards, truncate, return_list, draws):
    seqs = seqs + draws
    inputs = [v for v, _, _ in seqs]
    for initial, _, _ in states:
        if initial is not None:
            inputs.append(initial.value if isinstance(initial, _Many) else initial)
    steps_at = None
    if n_steps is not None:
        steps_at = len(inputs)
        inputs.append(as_variable(n_steps))
    body = _Body(seqs, states, outputs, shared, stop, backwards, truncate, list(range(len(seqs))), steps_at, len(draws))
    inside = body.symbols() + [v for v, _ in shared]
    outer = []
    for v in free_variables(body.results(), inside):
        outer.append((v, len(inputs)))
        inputs.append(v)
    types = []
    for (initial, _, names), o in zip(states, outputs):
        types.append(TensorType(names[0].dtype if names else o.dtype, (None,) + tuple(o.type.shape)))
    types += [v.type for v, _ in shared]
    inputs += [v for v, _ in shared]
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
