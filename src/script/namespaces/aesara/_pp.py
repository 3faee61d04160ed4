# aesara._pp -- expressions as the one line that pp gives. Aesara has a gradient as the expression its operations' rules build;
# here it is one node, so that the rules are applied for the text alone: a Term is a node of that expression.
from aesara._graph import TensorConstant


class Unknown(Exception):
    # an operation whose rule is not here: its gradient is printed as the node it is
    pass


class Term:
    def __init__(self, name, args, ndim, key=None):
        self.name, self.args, self.ndim, self.key = name, args, ndim, key


_INFIX = {"add": "+", "sub": "-", "mul": "*", "true_div": "/", "pow": "**", "dot": "\\dot", "int_div": "//"}
_CALLED = {"sqr": "square", "maximum": "scalar_maximum", "minimum": "scalar_minimum", "abs_": "abs"}


def _number(x):
    return Term("number", [str(x)], 0)


def _shown(x):
    # a Term of a variable, remembered by it
    return x if isinstance(x, Term) else _opened(x)


_terms = {}


def _opened(v):
    if v not in _terms:
        _terms[v] = Term("leaf", [v], v.ndim) if v.owner is None else _term(v)
    return _terms[v]


def _term(v):
    node = v.owner
    name, args = node.op.name, node.inputs
    if name == "mean":
        axes = range(args[0].ndim) if node.params[0] is None else [a % args[0].ndim for a in node.params[0]]
        x = _shown(args[0])
        y = Term("sum", [x], v.ndim, (node.params[0], False))
        for a in axes:
            y = Term("true_div", [y, Term("size", [x], 0, a)], v.ndim)
        return y
    if name == "outer":
        return Term("dot", [Term("dimshuffle", [_shown(args[0])], 2, (0, "x")), Term("dimshuffle", [_shown(args[1])], 2, ("x", 0))], 2)
    if name == "grad":
        try:
            return _gradient(node, v.index)
        except Unknown:
            pass
    out = Term(name, [_shown(a) for a in args], v.ndim, node.key if name == "Subtensor" else node.params)
    out.variable = v
    return out


# ---- text ----

def _joined(args):
    return ", ".join([text(a) for a in args])


def _places(k):
    # of a slice only where numbers are
    if isinstance(k, tuple):
        return ", ".join([_places(x) for x in k])
    if isinstance(k, slice):
        ends = [("int64" if isinstance(e, int) else _places(e)) if e is not None else "" for e in (k.start, k.stop)]
        return ":".join(ends) + ("" if k.step is None else ":" + ("int64" if isinstance(k.step, int) else _places(k.step)))
    return text(k) if hasattr(k, "owner") else str(k)


def _turned(order, x):
    while order and order[0] == "x":
        order = order[1:]
    n = list(range(x.ndim))
    if list(order) == n:
        return text(x)
    if list(order) == n[::-1]:
        return text(x) + ".T"
    return f"DimShuffle{{{', '.join(map(str, order))}}}({text(x)})"


def _axes(key):
    return None if key[0] is None else tuple(key[0])


def text(x):
    if not isinstance(x, Term):
        if x.name is not None:
            return x.name
        if isinstance(x, TensorConstant):
            return str(x.data)
        return str(x) if x.owner is None else text(_opened(x))
    named = getattr(x, "variable", None)
    if named is not None and named.name is not None:
        return named.name
    name, args, key = x.name, x.args, x.key
    if name == "number":
        return args[0]
    if name == "leaf":
        return text(args[0])
    if name in _INFIX:
        return "(" + f" {_INFIX[name]} ".join([text(a) for a in args]) + ")"
    if name in _SPECIAL:
        return _SPECIAL[name](x, args, key)
    if name[:5] == "Cast{":
        return f"{name[5:-1]}({text(args[0])})"
    shape = named.owner.op.pp if named is not None else name
    return shape.format(*[text(a) for a in args]) if "{0}" in shape else f"{_CALLED.get(name, shape)}({_joined(args)})"


def _sizes(args):
    # of a shape, an array or numbers one by one
    shape = args[0].args[0] if len(args) == 1 and args[0].name == "leaf" else None
    if isinstance(shape, TensorConstant) and shape.ndim == 1 or len(args) > 1 or args[0].name == "leaf" and args[0].ndim == 0:
        return f"[{_joined(args)}]" if shape is None or shape.ndim == 0 else "[" + " ".join([str(int(n)) for n in shape.data]) + "]"
    return text(args[0])


def _key_of(key):
    # from the form that nodes keep: ("c", number), ("s", ends) ..
    parts = [v if kind == "c" else slice(*v) if kind == "s" else None for kind, v in key]
    return parts[0] if len(parts) == 1 else tuple(parts)


_SPECIAL = {
    "neg": lambda x, args, key: f"(-{text(args[0])})",
    "abs": lambda x, args, key: f"|{text(args[0])}|",
    "mod": lambda x, args, key: f"mod({_joined(args)})",
    "size": lambda x, args, key: f"float64(Shape({text(args[0])}))[{key}]",
    "sum": lambda x, args, key: f"sum({text(args[0])}, axis={_axes(key)})",
    "Subtensor": lambda x, args, key: f"{text(args[0])}[{_places(key)}]",
    "inc": lambda x, args, key: f"inc_subtensor({text(args[0])}[{_places(key)}], {text(args[1])})",
    "dimshuffle": lambda x, args, key: _turned(key, args[0]),
    "max": lambda x, args, key: f"MaxAndArgmax{{axis={_axes(key)}}}({text(args[0])})" if key[0] is not None else f"max({text(args[0])})",
    "Softmax": lambda x, args, key: f"Softmax{{axis={key}}}({text(args[0])})",
    "MakeVector": lambda x, args, key: f"[{_joined(args)}]",
    "join": lambda x, args, key: f"join({key}, {_joined(args)})",
    "Reshape": lambda x, args, key: f"Reshape{{{x.ndim}}}({text(args[0])}, {_sizes(args[1:])})",
    "argmax": lambda x, args, key: f"MaxAndArgmax{{axis={_axes(([key[0]] if isinstance(key[0], int) else key[0],))}}}({text(args[0])})",
    "SetSubtensor": lambda x, args, key: f"set_subtensor({text(args[0])}[{_places(_key_of(key))}], {text(args[1])})",
    "IncSubtensor": lambda x, args, key: f"inc_subtensor({text(args[0])}[{_places(_key_of(key))}], {text(args[1])})",
    "Alloc": lambda x, args, key: f"alloc({float(key[1]) if isinstance(key, tuple) else text(args[0])}, {_joined(args[0 if isinstance(key, tuple) else 1:])})",
    "ARange": lambda x, args, key: f"ARange{{dtype='{key}'}}({_joined(args)})",
    "Eye": lambda x, args, key: f"Eye{{dtype='{key}'}}({_joined(args)})",
}


# ---- gradients ----

def _gradient(node, index):
    ys, xs, constants, weights = node.op._parts(node)
    if len(ys) != 1 or weights or constants:
        raise Unknown
    y, x = _shown(ys[0]), xs[index]
    on = _on_path(y, x)
    if not on.get(y):
        raise Unknown
    uses, given = _uses(y, on), {}
    for t in _ordered(y, on):
        terms = [_fill(y, _number("1.0"))] if t is y else [given[user][k] for user, k in uses[t]]
        g = _sum_of([v for v in terms if v is not None])
        if _is(t, x):
            return g
        given[t] = _rule(t, g)
    raise Unknown


def _uses(y, on):
    # Who uses a node, and as which operand, in the order in which they are come across: that of the sums.
    uses, seen = {}, set()

    def walk(t):
        if t in seen:
            return
        seen.add(t)
        live = _children(t)
        for k, a in enumerate(t.args):
            if any([a is v for v in live]) and on.get(a):
                uses.setdefault(a, []).append((t, k))
                walk(a)
    walk(y)
    return uses


def _sum_of(terms):
    out = terms[0]
    for t in terms[1:]:
        out = Term("add", [out, t], out.ndim)
    return out


def _is(t, x):
    return t.name == "leaf" and t.args[0] is x or getattr(t, "variable", None) is x


def _children(t):
    # what a slope goes on to: not to sizes, conditions, nor to what fill takes its shape of
    if t.name in ("leaf", "number", "size", "eq", "gt", "lt", "ge", "le", "neq"):
        return []
    return t.args[1:] if t.name in ("fill", "switch") else t.args


def _on_path(y, x):
    on = {}

    def walk(t):
        if t in on:
            return on[t]
        on[t] = _is(t, x)
        if not on[t]:
            on[t] = any([walk(a) for a in _children(t)])
        return on[t]
    walk(y)
    return on


def _ordered(y, on):
    # from the result to x, a node after all that use it
    seen, out = set(), []

    def walk(t):
        if t in seen or not on.get(t):
            return
        seen.add(t)
        for a in reversed(_children(t)):
            walk(a)
        out.append(t)
    walk(y)
    return out[::-1]


def _fill(shape, value):
    return Term("fill", [shape, value], shape.ndim)


def _like(a, ndim, g):
    # to the operand that was spread: sums over the axes it has not
    if a.ndim == ndim:
        return g
    gone = tuple(range(ndim - a.ndim))
    return Term("dimshuffle", [Term("sum", [g], ndim, (gone, True))], a.ndim, tuple(range(ndim - a.ndim, ndim)))


def _rule(t, g):
    rule = _RULES.get(t.name)
    if rule is None:
        raise Unknown
    found = rule(t, g, *t.args)
    if t.name in _SPREAD:
        found = [None if ga is None else _like(a, t.ndim, ga) for a, ga in zip(t.args, found)]
    return found


def _of(name):
    return lambda *args: Term(name, list(args), max([a.ndim for a in args]))


_add, _sub, _mul, _div, _pow, _neg = [_of(n) for n in ("add", "sub", "mul", "true_div", "pow", "neg")]
_exp, _log, _sqr, _sqrt, _eq = [_of(n) for n in ("exp", "log", "sqr", "sqrt", "eq")]
_switch = _of("switch")
_zero, _one, _one_float = _number("0"), _number("1"), _number("1.0")


def _dot_slopes(g, a, b):
    turn = lambda v: Term("dimshuffle", [v], 2, (1, 0)) if v.ndim == 2 else v
    if a.ndim == b.ndim == 1:
        return [_mul(g, b), _mul(g, a)]
    dot = lambda p, q, n: Term("dot", [p, q], n)
    row = lambda v: Term("dimshuffle", [v], 2, ("x", 0))
    column = lambda v: Term("dimshuffle", [v], 2, (0, "x"))
    if b.ndim == 1:
        return [dot(column(g), row(b), 2), dot(turn(a), g, 1)]
    if a.ndim == 1:
        return [dot(g, turn(b), 1), dot(column(a), row(g), 2)]
    return [dot(g, turn(b), 2), dot(turn(a), g, 2)]


def _sum_slopes(t, g, x):
    if t.key[0] is not None and not t.key[1]:
        gone, at = [a % x.ndim for a in t.key[0]], 0
        order = []
        for k in range(x.ndim):
            order.append("x" if k in gone else at)
            at += k not in gone
        g = Term("dimshuffle", [g], x.ndim, tuple(order))
    return [_fill(x, g)]


def _shuffled_slopes(t, g, x):
    kept = [k for k in t.key if k != "x"]
    if len(kept) != x.ndim:
        raise Unknown
    return [Term("dimshuffle", [g], x.ndim, tuple([list(t.key).index(k) for k in range(x.ndim)]))]


_RULES = {
    "add": lambda t, g, *args: [g] * len(args),
    "sub": lambda t, g, a, b: [g, _neg(g)],
    "mul": lambda t, g, a, b: [_mul(g, b), _mul(g, a)],
    "true_div": lambda t, g, a, b: [_div(g, b), _div(_neg(_mul(g, a)), _mul(b, b))],
    "pow": lambda t, g, a, b: [_mul(_mul(g, b), _pow(a, _sub(b, _one))), _switch(_eq(a, _zero), _zero, _mul(_mul(g, _log(a)), _pow(a, b)))],
    "neg": lambda t, g, a: [_neg(g)],
    "exp": lambda t, g, a: [_mul(g, _exp(a))],
    "log": lambda t, g, a: [_div(g, a)],
    "sqr": lambda t, g, a: [_mul(_mul(g, a), _number("2"))],
    "sqrt": lambda t, g, a: [_div(_mul(g, _number("0.5")), _sqrt(a))],
    "tanh": lambda t, g, a: [_mul(g, _sub(_one, _sqr(_of("tanh")(a))))],
    "sigmoid": lambda t, g, a: [_mul(_mul(g, _of("sigmoid")(a)), _sub(_one_float, _of("sigmoid")(a)))],
    "sin": lambda t, g, a: [_mul(g, _of("cos")(a))],
    "cos": lambda t, g, a: [_mul(_neg(g), _of("sin")(a))],
    "log1p": lambda t, g, a: [_div(g, _add(_one, a))],
    "maximum": lambda t, g, a, b: [_mul(_eq(t, a), g), _mul(_eq(t, b), g)],
    "fill": lambda t, g, a, b: [None, g],
    "dot": lambda t, g, a, b: _dot_slopes(g, a, b),
    "sum": _sum_slopes,
    "dimshuffle": _shuffled_slopes,
    "Subtensor": lambda t, g, a: [Term("inc", [_fill(a, _number("0.0")), g], a.ndim, t.key)],
}
_SPREAD = ("add", "sub", "mul", "true_div", "pow", "maximum", "fill")


def pp(v):
    _terms.clear()
    return text(v)
