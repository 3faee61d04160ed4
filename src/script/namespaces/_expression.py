# _expression -- graphs of expressions, and how programs are made of them: what aesara and
# tensorflow's sessions share. All of this happens inside a trace: values are symbols.
#
# A variable has .owner, the node that makes it, or None and root_value() (which raises where it
# has none); .known is its value where it is the same in every run, else None. A node has .inputs,
# .control (what must be done before it), .outputs, and .op with needed(node), the operands that must be
# there before it runs, and run(node, values, env, subst), which gives a value for each output.
# env maps variables to values; subst variables to others that stand for them.


def settled(v):
    # a constant; what is made of constants is not, since one may be fed, or be what a derivative is taken by
    return v.known is not None and (v.owner is None or not v.owner.inputs)


def order_of(outputs, known, subst):
    # The Applies that outputs need, each after what it needs. Fails at a symbol without value.
    order, done = [], set()
    stack = [o for o in outputs][::-1]
    while stack:
        v = stack.pop()
        if v in known:
            continue
        if v in subst:
            stack.append(subst[v])
            continue
        node = v.owner
        if node is None or settled(v):
            v.root_value()
            continue
        if node in done:
            continue
        waiting = []
        for i in node.op.needed(node):
            i = subst.get(i, i)
            if i.owner is not None and not settled(i) and i not in known and i.owner not in done:
                waiting.append(i)
            elif i.owner is None and i not in known:
                i.root_value()
        if waiting:
            stack.append(v)
            stack.extend(waiting)
            continue
        done.add(node)
        order.append(node)
    return order


def value_of(v, env, subst):
    if v in env:
        return env[v]
    if v in subst:
        return value_of(subst[v], env, subst)
    return v.root_value()


def run_order(order, env, subst, watch=None):
    # watch(node, results): after each node
    for node in order:
        if len([o for o in node.outputs if o in env]) == len(node.outputs):
            continue
        values = []
        for i in node.op.needed(node):
            values.append(env[i] if i in env else value_of(i, env, subst))
        results = node.op.run(node, values, env, subst)
        for o, r in zip(node.outputs, results):
            if o not in env:
                env[o] = r
        if watch is not None:
            watch(node, results)


def evaluate(outputs, env, subst):
    run_order(order_of(outputs, env, subst), env, subst)
    return [value_of(o, env, subst) for o in outputs]


def ancestors(outputs, stop=()):
    # Everything outputs are made of, themselves included, in the order of a walk from them; not
    # beyond those in stop. The keys of a dict.
    seen = {}
    stack = list(outputs)[::-1]
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen[v] = True
        if v.owner is not None and v not in stop:
            stack.extend((v.owner.inputs + v.owner.control)[::-1])
    return seen


def dependents(outputs, roots):
    # Those variables under outputs that are made of a root, roots included.
    roots = set(roots)
    state = {}
    stack = list(outputs)
    while stack:
        v = stack[-1]
        if v in state:
            stack.pop()
            continue
        if v in roots or v.owner is None:
            state[v] = v in roots
            stack.pop()
            continue
        waiting = [i for i in v.owner.inputs + v.owner.control if i not in state]
        if waiting:
            stack.extend(waiting)
            continue
        yes = False
        for i in v.owner.inputs + v.owner.control:
            yes = yes or state[i]
        state[v] = yes
        stack.pop()
    return set([v for v, yes in state.items() if yes])


# ---- derivatives: of values of the program that is being built ----

def again(w, ys, xs, constants, env, subst):
    # env with ys computed again, so that xs are values of their own and constants have no derivative
    moving = dependents(ys, xs + constants)
    inner = {v: x for v, x in env.items() if v not in moving}
    for v in constants:
        inner[v] = w.stop_gradient(value_of(v, env, subst))
    for v in xs:
        inner[v] = w.op("name", [w.symbol_of(value_of(v, env, subst))], {"as": "cut"})[0]
    run_order(order_of(ys, inner, subst), inner, subst)
    return inner


def _above(x, others, constants):
    found = ancestors(x.owner.inputs, constants) if x.owner is not None else ()
    return len([o for o in others if o is not x and o in found]) > 0


def _lost(w, ys, xs, env):
    level = w.trace_level()
    for v in dependents(ys, xs):
        if v in env and v not in xs and w.about(env[v], "level") not in (level, None):
            return True
    return False


def partials(w, ys, gys, xs, constants, env, subst):
    # Derivatives of ys, weighted by gys, by xs: None where there is none. An x that is made of
    # others does not stand in their way; constants do.
    out = [None] * len(xs)
    pairs = [(y, g) for y, g in zip(ys, gys) if value_of(y, env, subst).dtype.is_floating]
    live = [i for i, x in enumerate(xs) if value_of(x, env, subst).dtype.is_floating]
    together = [i for i in live if not _above(xs[i], xs, constants)]
    groups = [[i] for i in live if i not in together]
    if together:
        groups.append(together)
    for group in groups if pairs else []:
        by = [xs[i] for i in group]
        # what was computed outside of the body that this is part of has lost how it depends on xs
        lost = _lost(w, [y for y, _ in pairs], by, env)
        made = by if lost else [x for x in by if x.owner is not None or x in subst]
        inner = again(w, [y for y, _ in pairs], made, constants, env, subst) if made or constants else env
        cut = [w.symbol_of(value_of(xs[i], inner, subst)) for i in group]
        found = w.partials([w.symbol_of(value_of(y, inner, subst)) for y, _ in pairs], [g for _, g in pairs], cut)
        for i, g in zip(group, found):
            out[i] = g
    return out


def free_variables(results, symbols, own=()):
    # The outermost parts of a body that do not depend on its symbols: what it takes from outside.
    # own: what is done anew in each turn although it does not depend on them.
    moving = dependents(results, list(symbols) + list(own))
    out, seen, stack = [], set(), list(results)
    while stack:
        v = stack.pop()
        if v in seen or v in symbols:
            continue
        seen.add(v)
        if v not in moving:
            out.append(v)
        else:
            stack.extend(v.owner.inputs + v.owner.control)
    return out
