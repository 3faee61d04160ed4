# tensorflow._flow -- derivatives and control flow of graphs, as nodes: inside a session's program they
# are its transforms, cond, while and scan.
import _tf as _w
import _tree
from _expression import order_of, run_order, value_of, evaluate, dependents, free_variables, partials
from tensorflow._base import state, TensorLike
from tensorflow import _ops
from tensorflow._graph import GraphTensor, GraphVariable, Operation, IMPURE, _Assign, _Graph, as_constant, default_graph
from tensorflow._tape import UnconnectedGradients

_BLOCKS = ("StopGradient", "ArgMax", "ArgMin", "Shape", "Rank", "Size", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
           "zeros_like", "ones_like", "Floor", "Ceil", "Round", "Sign")


class _Op:
    def needed(self, node):
        return node.inputs + node.control


# ---- derivatives ----

class _Gradients(_Op):
    # inputs: ys, xs, what is stopped, weights of some ys
    def __init__(self, ny, nx, ns, weighted):
        self.ny, self.nx, self.ns, self.weighted = ny, nx, ns, weighted

    def run(self, node, values, env, subst):
        a, b = self.ny, self.ny + self.nx
        c = b + self.ns
        ys, xs, stopped = node.inputs[:a], node.inputs[a:b], node.inputs[b:c]
        given = iter(values[c:])
        gys = []
        for y, has in zip(values[:a], self.weighted):
            g = next(given) if has else None
            if not y.dtype.is_floating:
                gys.append(None)
            else:
                gys.append(_w.ones_like(y) if g is None else _w.broadcast_to(_w.cast(g, y.dtype), y.shape))
        if _w.in_trace():
            out = partials(_w, ys, gys, xs, stopped, env, subst)
        else:
            out = _recorded(ys, gys, xs, stopped, env, subst)
        return [_w.zeros_like(v) if g is None else g for g, v in zip(out, values[a:b])]


def _recorded(ys, gys, xs, stopped, env, subst):
    # the same where the graph is run node by node: one x after the other
    fixed = [_w.stop_gradient(value_of(v, env, subst)) for v in stopped]
    out = []
    for x in xs:
        def run(value):
            moving = dependents(ys, [x] + stopped)
            inner = {v: t for v, t in env.items() if v not in moving}
            inner.update(zip(stopped, fixed))
            inner[x] = value
            return evaluate([y for y, g in zip(ys, gys) if g is not None], inner, subst)
        out.append(_w.record(run, [value_of(x, env, subst)]).vjp([g for g in gys if g is not None])[0])
    return out


def _as_node(x):
    return x._root if isinstance(x, GraphVariable) else x


def _listed(x):
    return [] if x is None else list(x) if isinstance(x, (list, tuple)) else [x]


def _reach(ys, stop):
    # what ys depend on through functions that have derivatives
    seen, stack = set(), list(ys)
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        if v.owner is not None and v not in stop and v.owner.kind not in _BLOCKS:
            stack.extend([i for i in v.owner.inputs if i.dtype.is_floating])
    return seen


def gradients(ys, xs, grad_ys=None, name="gradients", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None,
              stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
    g = default_graph()
    ys, sources = [_as_node(y) for y in _listed(ys)], [_as_node(x) for x in _listed(xs)]
    weights = list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys] * len(ys)
    if len(weights) != len(ys):
        raise ValueError(f"Passed {len(weights)} grad_ys for {len(ys)} ys")
    stopped = [s for s in [_as_node(s) for s in _listed(stop_gradients)] if s not in sources]
    reach = _reach(ys, stopped)
    live = [x for x in sources if x in reach]
    made = {}
    if live:
        with _Graph(g):
            given = [as_constant(w) for w in weights if w is not None]
            op = _Gradients(len(ys), len(live), len(stopped), [w is not None for w in weights])
            node = g.node(op, f"{name or 'gradients'}/grad", ys + live + stopped + given)
        node.kind = "Gradients"
        for x in live:
            made[x] = g.register(node.output(x.dtype, x._shape))
    results = []
    for x in sources:
        if x in made:
            results.append(made[x])
        elif unconnected_gradients in (UnconnectedGradients.ZERO, "zero"):
            with _Graph(g):
                results.append(_ops.zeros_like(x))
        else:
            results.append(None)
    return results


class _Hessian(_Op):
    # inputs: y, x: the second derivatives, of shape [*x, *x]
    def run(self, node, values, env, subst):
        y, x = node.inputs[0], node.inputs[1]

        def value(t):
            moving = dependents([y], [x])
            inner = {v: u for v, u in env.items() if v not in moving}
            inner[x] = t
            return evaluate([y], inner, subst)

        def slope(t):
            r = _w.record(value, [t])
            return r.vjp([_w.ones_like(r.results[0])])
        r = _w.record(slope, [values[1]])
        shape = list(values[1].shape)
        n = 1
        for d in shape:
            n *= d
        basis = _w.reshape(_w.eye(n, n, 0, values[1].dtype), [n] + shape)
        return [_w.reshape(_w.vmap(lambda d: r.jvp([d]), [basis], [0])[0], shape + shape)]


def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    g = default_graph()
    out = []
    for x in _listed(xs):
        x = _as_node(x)
        with _Graph(g):
            total = _ops.add_n([_ops.reduce_sum(y) for y in _listed(ys)])
        node = g.node(_Hessian(), name or "hessians", [total, x])
        node.kind = "Hessian"
        out.append(g.register(node.output(x.dtype, x._shape.concatenate(x._shape))))
    return out


# ---- choices ----

def _assigned(outputs, known):
    # the variables that are assigned on the way to outputs
    found, seen, stack = [], set(), list(outputs)
    while stack:
        v = stack.pop()
        if v in seen or v in known:
            continue
        seen.add(v)
        node = v.owner
        if node is None:
            continue
        if isinstance(node.op, _Assign) and node.op.variable not in found:
            found.append(node.op.variable)
        if isinstance(node.op, (_Cond, _While)):
            stack.extend(node.op.inner())
        stack.extend(node.inputs + node.control)
    return found


class _Inside:
    # Within a branch or a body variables have values of its own.
    def __init__(self, variables, values=None):
        self.variables, self.values = variables, values

    def __enter__(self):
        run = state.run
        self.kept = run.now, run.written
        run.now, run.written = dict(run.now), list(run.written)
        if self.values is not None:
            run.now.update(zip(self.variables, self.values))
        return self

    def now(self):
        return [state.run.value(v) for v in self.variables]

    def __exit__(self, *exc):
        state.run.now, state.run.written = self.kept


class _Cond(_Op):
    # inputs: the predicate, then the results of both branches; outer: what these read that was made outside, and runs whatever is taken
    def __init__(self, n, outer):
        self.n, self.outer = n, outer

    def needed(self, node):
        return node.inputs[:1] + self.outer + node.control

    def inner(self):
        return []

    def run(self, node, values, env, subst):
        n, p = self.n, values[0]
        if not _w.about(p, "symbolic"):
            at = 1 if p.item() else 1 + n
            return evaluate(node.inputs[at:at + n], env, subst)
        changed = _assigned(node.inputs[1:], env)

        def branch(at):
            def run():
                with _Inside(changed) as inside:
                    return evaluate(node.inputs[at:at + n], dict(env), subst) + inside.now()
            return run
        out = _w.cond(p, [branch(1 + n), branch(1)], [])
        for v, x in zip(changed, out[n:]):
            state.run.set(v, x)
        return out[:n]


def _is_leaf(x):
    return isinstance(x, (GraphTensor, GraphVariable, Operation, _w.Tensor))


def _branch(fn):
    leaves, spec = _tree.flatten(fn(), _is_leaf, False)
    return [(x.outputs or x.results)[0] if isinstance(x, Operation) else as_constant(x) for x in leaves], spec


def _common(a, b):
    same = a.rank is not None and a.rank == b.rank
    return [p if p == q else None for p, q in zip(a, b)] if same else None


def _outer(results, made):
    # the tensors on the way to results whose nodes are not among made
    found, seen, stack = [], set(), list(results)
    while stack:
        t = stack.pop()
        if t in seen or t.owner is None:
            continue
        seen.add(t)
        if t.owner in made:
            stack.extend(t.owner.inputs + t.owner.control)
        else:
            found.append(t)
    return found[::-1]


def graph_cond(pred, true_fn, false_fn):
    g = default_graph()
    if isinstance(pred, (bool, int)):
        return true_fn() if pred else false_fn()
    pred = as_constant(pred)
    g.push_scope("cond")
    before = len(g.operations)
    a, spec = _branch(true_fn)
    b, _ = _branch(false_fn)
    made = set([o.node for o in g.operations[before:]])
    if len(a) != len(b):
        raise ValueError("true_fn and false_fn must return the same number of results")
    node = g.node(_Cond(len(a), _outer(a + b, made)), "Merge", [pred] + a + b)
    g.pop_scope()
    node.kind = "Merge"
    for x, y in zip(a, b):
        if x.dtype != y.dtype:
            raise ValueError(f"Outputs of true_fn and false_fn must have the same type: {x.dtype.name}, {y.dtype.name}")
        g.register(node.output(x.dtype, _common(x._shape, y._shape), True, True))
    return _tree.unflatten(spec, node.outputs)


# ---- loops ----

class _Loop(_Op):
    # inputs: what the loop begins with, then outer, which its body reads
    def __init__(self, symbols, outer, results):
        self.symbols, self.outer, self.results = symbols, outer, results

    def inner(self):
        return self.results

    def body(self, xs, fixed, which):
        env = dict(fixed)
        env.update(zip(self.symbols, xs))
        return evaluate(which, env, {})


class _While(_Loop):
    # results: the test, then the values after a turn
    def __init__(self, symbols, outer, test, after, limit):
        super().__init__(symbols, outer, [test] + after)
        self.limit = limit

    def run(self, node, values, env, subst):
        n = len(self.symbols)
        fixed = dict(zip(self.outer, values[n:]))
        now, test, after = values[:n], self.results[:1], self.results[1:]
        limit = self.limit
        if isinstance(limit, GraphTensor):
            limit = _w.size_of(fixed[limit] if limit in fixed else value_of(limit, env, subst))
        if not _w.in_trace():
            turns = 0
            while (limit is None or turns < limit) and self.body(now, fixed, test)[0].item():
                now = self.body(now, fixed, after)
                turns += 1
            return now
        changed = _assigned(self.results, set(self.symbols + self.outer))

        def step(which):
            def run(*xs):
                with _Inside(changed, xs[n:]) as inside:
                    out = self.body(xs[:n], fixed, which)
                    return out if which is test else out + inside.now()
            return run
        out = _w.while_loop(step(test), step(after), now + [state.run.value(v) for v in changed], limit)
        for v, x in zip(changed, out[n:]):
            state.run.set(v, x)
        return out[:n]


def _symbols(g, name, values):
    return [GraphTensor(g, g.unique_name(name) + ":0", x.dtype, x._shape) for x in values]


def _leaves(tree):
    from tensorflow._control import TensorArray
    leaf = lambda x: isinstance(x, (TensorLike, GraphVariable, _w.Tensor, TensorArray))
    return _tree.flatten(tree, leaf, False)


class _Vars:
    # Loop variables as graph tensors; a TensorArray is the tensor of its rows.
    def __init__(self, tree):
        from tensorflow._control import TensorArray
        self.array = TensorArray
        self.leaves, self.spec = _leaves(tree)

    def tensors(self):
        return [x.rows() if isinstance(x, self.array) else as_constant(x) for x in self.leaves]

    def tree(self, tensors):
        return _tree.unflatten(self.spec, [x.of_rows(t) if isinstance(x, self.array) else t for x, t in zip(self.leaves, tensors)])


def graph_while(cond, body, loop_vars, limit, invariants=None):
    g = default_graph()
    many = isinstance(loop_vars, (list, tuple))
    start = _Vars(tuple(loop_vars) if many else (loop_vars,))

    given = [None]  # what the body gave last

    def turn(args):
        given[0] = r = body(*args)
        return tuple(r) if isinstance(r, (list, tuple)) and many else (r,)
    g.push_scope("while")
    _find_rows(g, start, turn)
    first = start.tensors()
    symbols = _symbols(g, "loop_var", first)
    if invariants is not None:
        for s, shape in zip(symbols, _tree.flatten(tuple(invariants), lambda x: not isinstance(x, (tuple, dict)), False)[0]):
            s._shape = type(s._shape)(shape)
    args = start.tree(symbols)
    before = len(g.operations)
    test = as_constant(cond(*args))
    after = _Vars(turn(args)).tensors()
    if len(after) != len(first):
        raise ValueError(f"The number of inputs and outputs of a loop body must match: {len(first)} and {len(after)}")
    for a, s, b in zip(first, symbols, after):
        if a.dtype != b.dtype:
            raise TypeError(f"Loop var '{a.name}' has dtype {a.dtype.name} but its value after the body has dtype {b.dtype.name}")
        if invariants is None and a._shape.rank is not None and not b._shape.is_compatible_with(a._shape):
            raise ValueError(f"Input tensor '{a.name}' enters the loop with shape {a._shape}, but has shape {b._shape} after one iteration. To "
                             "allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify "
                             "a less-specific shape.")
    ends = [as_constant(limit)] if isinstance(limit, (GraphTensor, GraphVariable)) else []
    outer = free_variables([test] + after, symbols, _effects(g, before))
    node = g.node(_While(symbols, outer + ends, test, after, ends[0] if ends else limit), "Exit", first + outer + ends)
    g.pop_scope()
    node.kind = "Exit"
    for a, s, b in zip(first, symbols, after):
        g.register(node.output(a.dtype, _common(s._shape, b._shape) if s._shape.rank is not None else None, True, True))
    out = start.tree(node.outputs)
    if not many:
        return out[0]
    return list(out) if isinstance(given[0] if isinstance(given[0], (list, tuple)) else loop_vars, list) else out


def _effects(g, since):
    # what a body assigns or draws: anew in each turn
    out = []
    for o in g.operations[since:]:
        if o.node is not None and (isinstance(o.node.op, _Assign) or o.node.kind in IMPURE):
            out += o.node.outputs
    return out


def _find_rows(g, start, turn):
    # TensorArrays that nothing was written to yet: a turn on trial tells the shape of their rows.
    empty = [x for x in start.leaves if isinstance(x, start.array) and x.is_open()]
    if not empty:
        return
    kept = g.mark()
    trial = [x.on_trial() if isinstance(x, start.array) and x.is_open() else
             x if isinstance(x, start.array) else as_constant(x) for x in start.leaves]
    symbols = [x if isinstance(x, start.array) else _symbols(g, "trial", [x])[0] for x in trial]
    after = _leaves(turn(_tree.unflatten(start.spec, symbols)))[0]
    g.rewind(kept)
    for x, y in zip(start.leaves, after):
        if isinstance(x, start.array) and x.is_open() and isinstance(y, start.array):
            x.open_with(y)


class _Rows(_Loop):
    # map_fn, scan, foldl, foldr. inputs: carries, elements, outer. results: carries after a row, then rows
    def __init__(self, symbols, outer, results, carries, elements, reverse):
        super().__init__(symbols, outer, results)
        self.carries, self.elements, self.reverse = carries, elements, reverse

    def run(self, node, values, env, subst):
        c, e = self.carries, self.carries + self.elements
        fixed = dict(zip(self.outer, values[e:]))
        return _w.scan(lambda *xs: self.body(xs, fixed, self.results), values[:c], values[c:e], None, self.reverse)


def graph_rows(fn, elems, initializer, name, keep, reverse):
    # fn(acc, row), or with initializer "none" fn(row)
    g = default_graph()
    leaves, spec = _leaves(elems)
    xs = [as_constant(x) for x in leaves]
    head = None
    with _Graph(g):
        g.push_scope(name)
        if initializer == "none":
            accs, acc_spec = [], None
        elif initializer is None:
            at = -1 if reverse else 0
            head = [x[at] for x in xs]
            accs, acc_spec = head, spec
            xs = [x[:-1] if reverse else x[1:] for x in xs]
        else:
            accs, acc_spec = _leaves(initializer)
            accs = [as_constant(x) for x in accs]
        rows = [GraphTensor(g, g.unique_name("row") + ":0", x.dtype, x._shape[1:]) for x in xs]
        states = _symbols(g, "acc", accs)
        args = [_tree.unflatten(spec, rows)]
        if acc_spec is not None:
            args = [_tree.unflatten(acc_spec, states)] + args
        before = len(g.operations)
        out, out_spec = _leaves(fn(*args))
        after = [as_constant(x) for x in out]
        g.pop_scope()
        results = after + (after if keep else []) if acc_spec is not None else after
        outer = free_variables(results, states + rows, _effects(g, before))
        node = g.node(_Rows(states + rows, outer, results, len(accs), len(xs), reverse), name, accs + xs + outer)
        node.kind = "Scan"
        n = xs[0]._shape[0]
        for k, x in enumerate(results):
            lead = [] if k < len(accs) else [n]
            g.register(node.output(x.dtype, None if x._shape.rank is None else lead + list(x._shape)))
        if acc_spec is not None and not keep:
            return _tree.unflatten(out_spec, node.outputs)
        stacked = node.outputs[len(accs):]
        if head is not None:
            joined = [(y, [h]) if reverse else ([h], y) for h, y in zip(head, stacked)]
            stacked = [_ops.concat([p if isinstance(p, GraphTensor) else _ops.expand_dims(p[0], 0) for p in pair], 0) for pair in joined]
        return _tree.unflatten(out_spec, stacked)
