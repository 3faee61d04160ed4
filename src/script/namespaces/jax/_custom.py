# jax._custom -- functions with derivative rules of their own: custom_jvp and custom_vjp.
import _jax as _w
import _tree
from _transform import NestedRule
from jax._api import kit, _named
from jax._statics import numbers, parameters
from jax._float0 import Float0Array
from jax.errors import ConcretizationTypeError


def _is_float(x):
    return isinstance(x, (float, complex)) or (isinstance(x, _w.Tensor) and x.dtype.is_inexact)


_deepest = 3     # rules inside rules of one function that get rules themselves: orders of derivatives


def _or_at_values(traced, at_values, leaves):
    # What traced() gives. A function or a rule that looks at values is run at them where they are known:
    # then the tangents or cotangents alone are traced.
    try:
        return traced()
    except ConcretizationTypeError:
        if any([_w.about(x, "symbolic") for x in leaves]) or (_w.recorders() > 1 and not _w.in_trace()):
            raise
        return at_values([_w.stop_gradient(x) for x in leaves])


def _runs_now():
    # No derivative is recorded and nothing is traced: the function is called as it is.
    return _w.recorders() == 0 and not _w.in_trace()


def _run_now(fun, args, kwargs):
    out = fun(*args, **kwargs)
    for y in kit.flatten(out)[0]:
        _w.wrap(y)      # what is no array is refused
    return out


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:      # nothing yet
        return None


def _mentions(f, what):
    # Does the text of f name it? Then f takes its value from there.
    code = getattr(f, "__code__", None)
    held = [] if code is None else [f.__globals__.get(name) for name in code.co_names] + [_content(c) for c in f.__closure__ or ()]
    return code is None or any([x is what for x in held])


def _once(f):
    # f, called but once: what it does is kept as a program.
    kept = []

    def run(*xs):
        if not kept:
            program = _w.trace(f, list(xs))
            kept.append((program, list(program.captures)))
        program, captures = kept[0]
        return list(_w.apply(program, list(xs), (), captures))
    return run


class _Custom:
    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        self.depth = 0          # rules of this function that are running
        self.fun = fun
        self.nondiff = numbers(nondiff_argnums)
        self.slots = {}
        _named(self, fun)

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return lambda *args, **kwargs: self(obj, *args, **kwargs)

    def _split(self, args, kwargs):
        # (fixed arguments by place, the others), defaults and keywords filled in
        if kwargs:
            names = parameters(self.fun) or []
            args = list(args) + [kwargs[n] for n in names[len(args):] if n in kwargs]
        n = len(args)
        nums = [i + n if i < 0 else i for i in self.nondiff]
        fixed = {i: args[i] for i in nums}
        return fixed, [a for i, a in enumerate(args) if i not in fixed], n

    def _inside(self, rule, *args):
        # A rule that calls its function on something new would be traced without an end.
        self.depth += 1
        try:
            return rule(*args)
        finally:
            self.depth -= 1

    def _by_rule(self, leaves, rule):
        # Where a derivative is being taken, the value is the rule's, too; it is the function's if the rule asks that.
        if self.depth or _mentions(rule, self):
            return False
        kit.met = True
        kit.asked = kit.asked or kit.in_body
        return kit.by_rules or kit.follows(leaves)

    def _merge(self, fixed, rest, n):
        it = iter(rest)
        return [fixed[i] if i in fixed else next(it) for i in range(n)]

    def _slot(self, fixed, spec, by_rule):
        # One for each set of fixed values, so that a rule knows its own function.
        try:
            key = (tuple(fixed.items()), spec, by_rule)
            hash(key)
        except TypeError:
            return _w.Slot()
        if key not in self.slots:
            self.slots[key] = _w.Slot()
        return self.slots[key]


class custom_jvp(_Custom):
    rule = None
    parts = None

    def defjvp(self, jvp, symbolic_zeros=False):
        self.rule = jvp
        return jvp

    def defjvps(self, *jvps):
        # One rule for each argument, or None; the tangent is their sum.
        def rule(primals, tangents):
            out = self(*primals)
            total = None
            for f, t in zip(jvps, tangents):
                if f is None:
                    continue
                part = f(t, out, *primals)
                total = part if total is None else _tree.map(_w.add, total, part)
            return out, _tree.map(_w.zeros_like, out) if total is None else total

        self.rule = rule

    def __call__(self, *args, **kwargs):
        if self.rule is None:
            raise AttributeError(f"No JVP defined for custom_jvp function {self.__name__} using defjvp.")
        if self.depth > _deepest:
            return self.fun(*args, **kwargs)
        if _runs_now():
            return _run_now(self.fun, args, kwargs)
        if NestedRule.watch and self.depth == 0 and _w.recorders() > 1 and not _w.in_trace():
            raise NestedRule()
        fixed, rest, n = self._split(args, kwargs)
        leaves, spec = kit.flatten(rest)
        leaves = [_w.wrap(x) for x in leaves]
        live = [i for i, x in enumerate(leaves) if _is_float(x)]
        by_rule = self._by_rule(leaves, self.rule)
        out = []
        counts = []

        def flat(*xs, of=None):
            if by_rule:
                return (of or rule)(*xs, *[_w.zeros_like(xs[i]) for i in live])[:counts[-1]]
            ys, s = kit.flatten(self.fun(*self._merge(fixed, _tree.unflatten(spec, xs), n)))
            out.append(s)
            return ys

        def each(*xs):
            primals, tangents = xs[:len(leaves)], xs[len(leaves):]
            zeros = [_w.zeros_like(x) if _is_float(x) else Float0Array(tuple(x.shape)) for x in primals]
            for i, t in zip(live, tangents):
                zeros[i] = t
            p, t = _tree.unflatten(spec, primals), _tree.unflatten(spec, zeros)
            head = [fixed[i] for i in sorted(fixed)]
            y, dy = self._inside(self.rule, *head, tuple(p), tuple(t))
            ys, s = kit.flatten(y)
            if by_rule:
                out.append(s)
                counts.append(len(ys))
            dys = _tree.flatten_up_to(s, dy)
            pairs = [(_w.wrap(a), b) for a, b in zip(ys, dys)]
            return ys + [_w.cast(_w.broadcast_to(_w.wrap(d), v.shape), v.dtype) for v, d in pairs if _is_float(v)]

        rule = _once(each) if by_rule else each

        def at_values(at):
            ys = [_w.wrap(y) for y in flat(*at, of=each)]
            if _w.recorders() == 0:
                return ys
            return _w.custom_jvp(_w.Slot(), lambda *xs: ys, lambda *xs: ys + each(*at, *xs[len(at):])[len(ys):], leaves)

        slot = self._slot(fixed, spec, by_rule)
        ys = _or_at_values(lambda: _w.custom_jvp(slot, flat, rule, leaves), at_values, leaves)
        return _tree.unflatten(out[-1], ys)


class CustomVJPPrimal:
    # What fwd gets with symbolic_zeros: a value, and whether derivatives by it may be taken (here by every float).
    def __init__(self, value, perturbed):
        self.value, self.perturbed = value, perturbed

    def __repr__(self):
        return f"CustomVJPPrimal(value={self.value}, perturbed={self.perturbed})"


class SymbolicZero:
    # A tangent or cotangent that is zero and not written out.
    def __init__(self, aval):
        self.aval = aval

    @property
    def shape(self):
        return tuple(self.aval.shape)

    @property
    def dtype(self):
        return self.aval.dtype

    def __repr__(self):
        return f"SymbolicZero({self.aval})"


def zero_from_primal(x, symbolic_zeros=False):
    from jax._api import typeof
    return SymbolicZero(typeof(x)) if symbolic_zeros else _w.zeros_like(x)


def custom_vjp_primal_tree_values(tree):
    return _tree.map(lambda x: x.value if isinstance(x, CustomVJPPrimal) else x, tree)


class custom_vjp(_Custom):
    fwd = bwd = None

    def defvjp(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False):
        if symbolic_zeros:
            inner = fwd
            fwd = lambda *args: inner(*[a if i in self.nondiff else _tree.map(lambda x: CustomVJPPrimal(x, _is_float(x)), a)
                                        for i, a in enumerate(args)])
        self.fwd, self.bwd = fwd, bwd

    def __call__(self, *args, **kwargs):
        if self.fwd is None:
            raise AttributeError(f"No VJP defined for custom_vjp function {self.__name__} using defvjp.")
        if self.depth > _deepest:
            return self.fun(*args, **kwargs)
        if _runs_now():
            return _run_now(self.fun, args, kwargs)
        fixed, rest, n = self._split(args, kwargs)
        leaves, spec = kit.flatten(rest)
        leaves = [_w.wrap(x) for x in leaves]
        by_rule = self._by_rule(leaves, self.fwd)
        out = []
        saved = []

        def found(y):
            ys, s = kit.flatten(y)
            ys = [_w.wrap(y) for y in ys]
            out.append((s, [(_is_float(y), _w.about(y, "weak"), tuple(y.shape)) for y in ys]))
            return ys

        def flat(*xs, of=None):
            if by_rule:
                ys = (of or forward)(*xs)
                return ys[:len(out[-1][1])]
            return found(self.fun(*self._merge(fixed, _tree.unflatten(spec, xs), n)))

        def each(*xs):
            y, res = self._inside(self.fwd, *self._merge(fixed, _tree.unflatten(spec, xs), n))
            ys = found(y) if by_rule else kit.flatten(y)[0]
            parts, s = kit.flatten(res)
            keep = [i for i, r in enumerate(parts) if isinstance(r, (float, int, bool, complex, _w.Tensor))]
            kept = [_w.wrap(parts[i]) for i in keep]
            saved.append((parts, s, keep, [_w.about(x, "weak") for x in kept]))
            return ys + kept

        def backward(*xs):
            parts, s, keep, weak = saved[-1]
            parts = list(parts)
            for i, x, soft in zip(keep, xs, weak):
                parts[i] = _w.set_weak(x, True) if soft else x
            out_spec, kinds = out[-1]
            gs = iter(xs[len(keep):])
            g = [next(gs) if is_float else Float0Array(shape) for is_float, _, shape in kinds]
            g = [_w.set_weak(x, True) if is_float and soft else x for x, (is_float, soft, _) in zip(g, kinds)]
            g = _tree.unflatten(out_spec, g)
            head = [fixed[i] for i in sorted(fixed)]
            got = self._inside(self.bwd, *head, _tree.unflatten(s, parts), g)
            if not isinstance(got, (tuple, list)) or len(got) != len(rest):
                raise TypeError(f"Custom VJP bwd rule {getattr(self.bwd, '__name__', 'bwd')} must produce a tuple of "
                                f"{len(rest)} cotangents, one for each differentiable argument, got {got!r}")
            return self._cotangents(got, rest, leaves)

        forward = _once(each) if by_rule else each

        def at_values(at):
            if _w.recorders() == 0:
                return flat(*at, of=each)
            count = len(flat(*at, of=each))
            both = [_w.wrap(y) for y in each(*at)]
            ys, kept = both[:count], both[count:]
            return _w.custom_vjp(_w.Slot(), lambda *xs: ys, lambda *xs: ys, lambda *gs: backward(*kept, *gs), leaves)

        slot = self._slot(fixed, spec, by_rule)
        ys = _or_at_values(lambda: _w.custom_vjp(slot, flat, forward, backward, leaves), at_values, leaves)
        return _tree.unflatten(out[-1][0], ys)

    def _cotangents(self, got, rest, leaves):
        # One for each float leaf of the arguments; None stands for zeros.
        out = []
        at = 0
        for g, a in zip(got, rest):
            own, s = kit.flatten(a)
            here = leaves[at:at + len(own)]
            at += len(own)
            gs = [None] * len(own) if g is None else _tree.flatten_up_to(s, g)
            for x, d in zip(here, gs):
                if not _is_float(x):
                    continue
                if d is None:
                    out.append(_w.zeros_like(x))
                else:
                    d = _w.wrap(d)
                    if _w.about(x, "weak") and not _w.about(d, "weak") and not _w.about(x, "symbolic"):
                        kit.strong[:] = kit.strong[-63:] + [x]
                    out.append(_w.cast(_w.broadcast_to(d, x.shape), x.dtype))
        return out


def custom_gradient(fun):
    # fun gives its result and a function from cotangents of that to those of the arguments.
    @custom_vjp
    def wrapped(*args):
        return fun(*args)[0]

    def fwd(*args):
        y, rule = fun(*args)
        converted, captured = closure_convert(rule, y)
        return y, (converted, tuple(captured))

    def bwd(res, g):
        converted, captured = res
        out = converted(g, *captured)
        return tuple(out) if isinstance(out, (tuple, list)) else (out,)

    wrapped.defvjp(fwd, bwd)
    _named(wrapped, fun)
    return wrapped


def closure_convert(fun, *example_args):
    # fun as a function of what it closes over, too, as far as derivatives by that are being taken.
    leaves, spec = kit.flatten(example_args)
    out = []

    def flat(*xs):
        ys, s = kit.flatten(fun(*_tree.unflatten(spec, xs)))
        out.append(s)
        return ys

    program = _w.trace(flat, leaves)
    captures = list(program.captures)
    at = [i for i, x in enumerate(captures) if _is_float(x)]

    def converted(*args):
        n = len(args) - len(at)
        own = list(captures)
        for i, x in zip(at, args[n:]):
            own[i] = _w.wrap(x)
        return _tree.unflatten(out[-1], _w.apply(program, kit.flatten(tuple(args[:n]))[0], (), own))

    return converted, [captures[i] for i in at]
