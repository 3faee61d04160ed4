# jax.lax: control flow over trees.
import _jax as _w
import _tree
from jax import _refs
from jax._api import kit


def _operands(tree):
    leaves, spec = kit.flatten(tree)
    for x in leaves:
        if not isinstance(x, (bool, int, float, complex, _w.Tensor)):
            raise TypeError(f"Argument '{x}' of type {type(x)} is not a valid JAX type")
    return [_w.wrap(x) for x in leaves], spec


def _type(x):
    from jax._array import shape_text
    return shape_text(_w.wrap(x))


def _branches(fns, operands, name):
    # Flat functions of the leaves, and where the tree of their results is noted.
    leaves, spec = _operands(operands)
    outs = []

    def flat(fn):
        def call(*xs):
            y = fn(*_tree.unflatten(spec, xs))
            ys, s = kit.flatten(y)
            _check_leaves(fn, ys, name)
            ys = [_w.wrap(v) for v in ys]
            outs.append((s, [_type(v) for v in ys], fn))
            _check_branches(outs, name)
            return ys
        return call

    return [flat(f) for f in fns], leaves, outs


def _check_leaves(fn, leaves, name):
    from jax._api import place_of
    for y in leaves:
        if not isinstance(y, (bool, int, float, complex, _w.Tensor)):
            raise TypeError(f"{place_of(fn)} traced for {name} returned a value of type {type(y)}, which is not a valid JAX type")


def _check_branches(outs, name):
    # The latest branch against the first; cond's are told with true_fun first.
    (s, a, f), (t, b, g) = outs[0], outs[-1]
    if s == t and a == b:
        return
    from jax.lax import _differ
    if name == "cond":
        s, a, f, t, b, g = t, b, g, s, a, f
    raise _differ.branch_trees(name, (f, g), len(outs) - 1, s, t) if s != t else _differ.branch_types(name, (f, g), len(outs) - 1, s, a, b)


_none_given = object()


def cond(pred, true_fun, false_fun=None, *operands, operand=_none_given, linear=None):
    if not callable(true_fun) or not callable(false_fun):
        raise TypeError("lax.cond: true_fun and false_fun arguments should be callable.")
    if operand is not _none_given:
        operands = (operand,)
    if pred is None:
        raise TypeError("cond predicate is None")
    if isinstance(pred, (str, list, tuple, dict)):
        raise TypeError(f"Pred must be a scalar, got {pred} of type {type(pred)}")
    p = _w.wrap(pred)
    if tuple(p.shape) != ():
        raise TypeError(f"Pred must be a scalar, got {pred} of shape {tuple(p.shape)}.")
    if p.dtype != _w.bool_:
        p = _w.ne(p, 0)
    return _branch(p, [false_fun, true_fun], operands, "cond")


def _branch(which, fns, operands, name):
    def plain(which, fns, operands):
        fns, leaves, outs = _branches(fns, operands, name)
        results = kit.with_rules(lambda: _w.cond(which, fns, leaves), leaves)
        return _tree.unflatten(outs[-1][0], results)
    return _refs.branch(plain, which, fns, operands) if _refs.used else plain(which, fns, operands)


def switch(index, branches, *operands, operand=_none_given):
    if operand is not _none_given:
        operands = (operand,)
    if len(branches) == 0:
        raise ValueError("Empty branch sequence")
    if not all([callable(b) for b in branches]):
        raise TypeError("lax.switch: branches argument should be a sequence of callables.")
    if isinstance(index, (str, list, tuple, dict)) or index is None:
        raise TypeError(f"Index type must be an integer, got {index}.")
    i = _w.wrap(index)
    if tuple(i.shape) != ():
        raise TypeError(f"Branch index must be scalar, got {index} of shape {tuple(i.shape)}.")
    if i.dtype.is_floating_point or i.dtype == _w.bool_:
        raise TypeError(f"Index type must be an integer, got {index} as {i.dtype.name}")
    if len(branches) == 1:
        return branches[0](*operands)
    i = _w.clip(_w.cast(i, _w.int32), 0, len(branches) - 1)
    return _branch(i, branches, operands, "switch")


def _loop(fn, spec, name, body):
    # A flat body whose carry keeps the tree it begins with; body is the function that the user gave.
    def call(*xs):
        ys, s = kit.flatten(fn(_tree.unflatten(spec, xs)))
        if s != spec:
            from jax.lax import _differ
            raise _differ.carry_trees(name, body, spec, s)
        _check_leaves(body, ys, name.partition(" ")[0])
        ys = [_w.wrap(y) for y in ys]
        own, got = [_type(x) for x in xs], [_type(y) for y in ys]
        got = [b if not _w.about(x, "weak") or tuple(x.shape) != tuple(y.shape) else a for x, y, a, b in zip(xs, ys, own, got)]
        if own != got:
            from jax.lax import _differ
            raise _differ.carry_types(name, body, spec, own, got)
        return [y if _w.about(x, "weak") else _w.cast(y, x.dtype) for x, y in zip(xs, ys)]
    return call


def while_loop(cond_fun, body_fun, init_val):
    if not (callable(cond_fun) and callable(body_fun)):
        raise TypeError("lax.while_loop: body_fun and cond_fun arguments should be callable.")
    return _refs.while_loop(_while, cond_fun, body_fun, init_val) if _refs.used else _while(cond_fun, body_fun, init_val)


def _while(cond_fun, body_fun, init_val):
    leaves, spec = _operands(init_val)

    def test(*xs):
        p, s = kit.flatten(cond_fun(_tree.unflatten(spec, xs)))
        if s != _tree.LEAF:
            from jax._pytree import PyTreeDef
            raise TypeError(f"cond_fun must return a boolean scalar, but got pytree {PyTreeDef(s)}.")
        p = _w.wrap(p[0])
        if tuple(p.shape) != () or p.dtype != _w.bool_:
            from jax._api import typeof
            weak = ", weak_type=True" if _w.about(p, "weak") else ""
            raise TypeError(f"cond_fun must return a boolean scalar, but got output type(s) [ShapedArray({typeof(p).str_short()}{weak})].")
        return [p]

    if not leaves:
        return _empty_loop(test, body_fun, init_val)
    return _tree.unflatten(spec, kit.with_rules(lambda: _w.while_loop(test, _loop(body_fun, spec, "while_loop body", body_fun), leaves), leaves))


def _empty_loop(test, body_fun, init_val):
    # Nothing is carried: the condition is the same for ever.
    body = kit.flatten(body_fun(init_val))[1]
    spec = kit.flatten(init_val)[1]
    if body != spec:
        from jax.lax import _differ
        raise _differ.carry_trees("while_loop body", body_fun, spec, body)
    p = test()[0]
    if _w.about(p, "symbolic") or bool(p):
        raise NotImplementedError("lax.while_loop without a carry and with a condition that may hold")
    return init_val


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    if not callable(body_fun):
        raise TypeError("lax.fori_loop: body_fun argument should be callable.")
    known = [_known(lower), _known(upper)]
    if known[0] is not None and known[1] is not None:
        n = max(known[1] - known[0], 0)
        index = _w.set_weak(_w.arange(known[0], known[0] + n), isinstance(lower, int))
        body = lambda carry, i: (body_fun(i, carry), None)
        body.carry_name = ("loop_carry", "[1]")
        return scan(body, init_val, index, length=n)[0]
    is_int = [isinstance(v, int) and not isinstance(v, bool) for v in (lower, upper)]
    lower, upper = _w.wrap(lower), _w.wrap(upper)
    if lower.dtype != upper.dtype:      # an int takes the other's type
        if not any(is_int) or upper.dtype.kind not in "iu" or lower.dtype.kind not in "iu":
            raise TypeError(f"lower and upper arguments to fori_loop must have equal types, got {lower.dtype.name} and {upper.dtype.name}")
        lower, upper = (_w.cast(lower, upper.dtype), upper) if is_int[0] else (lower, _w.cast(upper, lower.dtype))
    end = lambda s: _w.lt(s[0], s[1])
    step = lambda s: (s[0] + 1, s[1], body_fun(s[0], s[2]))
    step.carry_name = ("loop_carry", "")
    return while_loop(end, step, (lower, upper, init_val))[2]


def _known(x):
    if isinstance(x, int) and not isinstance(x, bool):
        return x
    if isinstance(x, _w.Tensor) and x.dtype == _w.int32 and tuple(x.shape) == () and not _w.about(x, "symbolic") and not _w.in_trace():
        return int(x)
    return None


def _scan_length(leaves, length):
    if any([len(x.shape) == 0 for x in leaves]):
        raise ValueError(f"scan got value with no leading axis to scan over: {', '.join([str(x) for x in leaves if len(x.shape) == 0])}.")
    sizes = [x.shape[0] for x in leaves]
    if length is not None:
        if any([n != length for n in sizes]):
            raise ValueError(f"scan got `length` argument of {length} which disagrees with leading axis sizes {sizes}.")
        return length
    if not sizes:
        raise ValueError("scan got no values to scan over and `length` not provided.")
    if any([n != sizes[0] for n in sizes]):
        raise ValueError(f"scan got values with different leading axis sizes: {', '.join([str(n) for n in sizes])}.")
    return sizes[0]


def _check_rows(rows):
    # An axis of the mesh that is a part of types must not divide the rows.
    from jax._sharding import type_layout, used
    specs = [s.spec for s in [type_layout(x) for x in rows if isinstance(x, _w.Tensor)] if s is not None] if used else []
    if any([len(s) and s[0] is not None for s in specs]):
        raise ValueError(f"0th dimension of all xs should be replicated. Got {', '.join([repr(s) for s in specs])}")


def scan(f, init, xs=None, length=None, reverse=False, unroll=1, _split_transpose=False):
    if not callable(f):
        raise TypeError("lax.scan: f argument should be a callable.")
    return _refs.scan(_scan, f, init, xs, length, reverse) if _refs.used else _scan(f, init, xs, length, reverse)


def _scan(f, init, xs, length, reverse):
    carry, spec = _operands(init)
    rows, row_spec = _operands(xs)
    _check_rows(rows)
    length = _scan_length(rows, length)
    outs = []

    def body(*all):
        c = _tree.unflatten(spec, all[:len(carry)])
        x = _tree.unflatten(row_spec, all[len(carry):])
        got = f(c, x)
        if not isinstance(got, (tuple, list)) or len(got) != 2:
            from jax._api import typeof
            said = _tree.map(lambda v: ("~" if _w.about(v, "weak") else "") + typeof(v).str_short() if isinstance(v, _w.Tensor) else v, got)
            raise TypeError(f"scan body output must be a pair, got {said}.")
        ys, s = kit.flatten(got[1])
        _check_leaves(f, ys, "scan")
        outs.append(s)
        keep = _loop(lambda _: got[0], spec, "scan body", f)
        return keep(*all[:len(carry)]) + ys

    results = kit.with_rules(lambda: _w.scan(body, carry, rows, length, reverse), carry + rows)
    return (_tree.unflatten(spec, results[:len(carry)]),
            _tree.unflatten(outs[-1], results[len(carry):]))


def map(f, xs, *, batch_size=None):
    if not batch_size:
        return scan(lambda _, x: (None, f(x)), None, xs)[1]
    from jax._api import vmap
    leaves, spec = _operands(xs)
    n = _scan_length(leaves, None)
    k = n // batch_size
    parts = []
    if k:
        rows = [_w.reshape(_w.narrow(x, 0, 0, k * batch_size), (k, batch_size) + tuple(x.shape)[1:]) for x in leaves]
        found = scan(lambda _, x: (None, vmap(f)(x)), None, _tree.unflatten(spec, rows))[1]
        parts.append(_tree.map(lambda y: _w.reshape(y, (k * batch_size,) + tuple(y.shape)[2:]), found))
    if n % batch_size:
        rest = [_w.narrow(x, 0, k * batch_size, n % batch_size) for x in leaves]
        parts.append(vmap(f)(_tree.unflatten(spec, rest)))
    return parts[0] if len(parts) == 1 else _tree.map(lambda a, b: _w.concat([a, b], 0), *parts)


def associative_scan(fn, elems, reverse=False, axis=0):
    leaves, spec = kit.flatten(elems)
    leaves = [_w.wrap(x) for x in leaves]
    if reverse:
        leaves = [_w.flip(x, axis) for x in leaves]

    def combine(a, b):
        y = fn(_tree.unflatten(spec, a), _tree.unflatten(spec, b))
        return [_w.wrap(v) for v in kit.flatten(y)[0]]

    def part(x, lo, hi, step=1):
        key = [slice(None)] * len(x.shape)
        key[axis % len(x.shape)] = slice(lo, hi, step)
        return x[tuple(key)]

    def go(xs):
        n = xs[0].shape[axis]
        if n < 2:
            return xs
        pairs = combine([part(x, 0, n - 1, 2) for x in xs], [part(x, 1, None, 2) for x in xs])
        odd = go(pairs)
        if n % 2 == 0:
            even = combine([part(y, 0, -1) for y in odd], [part(x, 2, None, 2) for x in xs])
        else:
            even = combine(odd, [part(x, 2, None, 2) for x in xs])
        even = [_w.concat([part(x, 0, 1), e], axis) for x, e in zip(xs, even)]
        return [_interleave(e, o, axis) for e, o in zip(even, odd)]

    out = go(leaves)
    if reverse:
        out = [_w.flip(x, axis) for x in out]
    return _tree.unflatten(spec, out)


def _interleave(a, b, axis):
    n, m = a.shape[axis], b.shape[axis]
    axis = axis % len(a.shape)
    if n > m:
        last = _w.narrow(a, axis, n - 1, 1)
        head = _interleave(_w.narrow(a, axis, 0, n - 1), b, axis) if m else None
        return last if head is None else _w.concat([head, last], axis)
    shape = list(a.shape)
    shape[axis] = n + m
    return _w.reshape(_w.stack([a, b], axis + 1), shape)


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    # f(x) = 0 by solve; the derivative by the implicit function theorem.
    x = solve(f, initial_guess)
    x, aux = x if has_aux else (x, None)
    x = _tree.map(_w.stop_gradient, x)
    for _ in range(max(len(kit.levels), 2)):    # a step of Newton's method for each derivative that is being taken
        x = _newton(f, x, tangent_solve)
    return (x, aux) if has_aux else x


def _newton(f, at, tangent_solve):
    pull = kit.linearize(f, (at,))[1]
    step = _Inverse(lambda v: pull(v), tangent_solve, tangent_solve, False).small(kit.levels or (False,))(f(at))
    return _tree.map(lambda a, s: a - s, at, step)


def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    # x with A x = b. With x0 = solve(b) and A0, the numbers of x and A, x0 + inverse(A0) (b - A x0) has the first derivatives by b
    # and by what matvec closes over, and doing so again the second ones: what is far from x shrinks by 1 - inverse(A0) A.
    if symmetric and transpose_solve is None:
        transpose_solve = solve
    found = _tree.map(_w.stop_gradient, solve(matvec, b))
    x, aux = found if has_aux else (found, None)
    if not _w.recorders() and not _w.in_trace():
        return found
    if has_aux:
        inner, other = solve, transpose_solve
        solve = lambda a, r: inner(a, r)[0]
        transpose_solve = (lambda a, r: other(a, r)[0]) if other is not None else None
    levels = kit.levels or (False,)
    inverse = _Inverse(_at_numbers(matvec, b), solve, transpose_solve, symmetric).small(levels)
    for _ in levels:
        rest = _tree.map(lambda p, q: p - q, b, matvec(x))
        x = _tree.map(lambda p, d: p + d, x, inverse(rest))
    return (x, aux) if has_aux else x


def _at_numbers(matvec, b):
    # matvec with what it closes over as numbers, which no derivative goes through
    from jax._custom import closure_convert
    converted, captured = closure_convert(matvec, b)
    fixed = [_w.stop_gradient(c) for c in captured]
    return lambda v: converted(v, *fixed)


class _Inverse:
    # The inverse of a linear map by its solvers, linear under each of the derivatives that are being taken: forward mode solves
    # for the tangent, reverse mode solves the transposed system for the cotangent.
    def __init__(self, matvec, solve, transpose_solve, symmetric):
        self.matvec, self.solve, self.transpose_solve, self.symmetric = matvec, solve, transpose_solve, symmetric

    def transposed(self, like):
        a = self.matvec if self.symmetric else lambda v: kit.vjp(self.matvec, (like,))[1](v)[0]
        return _Inverse(a, self.transpose_solve, self.solve, self.symmetric)

    def whole(self, levels):
        return self._under(levels, self.whole, lambda r: self.solve(self.matvec, r))

    def derived(self, r):
        # the derivative of the solver itself, at ones
        ones = _tree.map(_w.ones_like, r)
        if not self.follows(r):
            raise NotImplementedError("derivatives of derivatives, by forward and reverse mode, of a linear solve whose solver stops gradients")
        near = _tree.map(lambda o, v: o + v - _w.stop_gradient(v), ones, r)
        return _tree.map(lambda p, q: p - q, self.solve(self.matvec, near), self.solve(self.matvec, ones))

    def follows(self, like):
        # Does the solver's result follow its argument other than through stop_gradient?
        leaves, spec = kit.flatten(like)
        program = _w.trace(lambda *xs: kit.flatten(self.solve(self.matvec, _tree.unflatten(spec, xs)))[0],
                           [_w.stop_gradient(_w.wrap(x)) for x in leaves])
        _, inputs, eqns, results = program.view()
        live = dict([(v, True) for v in inputs[:len(leaves)]])
        for op, ins, outs, _ in eqns:
            if op != "stop_gradient" and any([v in live for v in ins]):
                live.update([(v, True) for v in outs])
        return any([v in live for v in results])

    def small(self, levels):
        # of what is 0 but for its derivatives: a solver that iterates would stop at once
        kit.asked = True
        if True in levels and False in levels:  # a rule is of one mode
            return self.derived
        return self._under(levels, self.small, lambda r: _tree.map(_w.zeros_like, r))

    def _under(self, levels, values, plain):
        from jax._custom import custom_jvp, custom_vjp
        if not levels:
            return plain
        inner = values(levels[:-1])
        if levels[-1] or self.transpose_solve is None:
            outer = custom_jvp(inner)
            outer.defjvp(lambda r, d: (inner(r[0]), self.whole(levels[:-1])(d[0])))
        else:
            outer = custom_vjp(inner)
            outer.defvjp(lambda r: (inner(r), r), lambda r, g: (self.transposed(r).whole(levels[:-1])(g),))
        return outer


def platform_dependent(*args, default=None, **per_platform):
    # The branch of the platform that runs it, which is known when it is traced.
    from jax import default_backend
    platform = default_backend()
    branch = per_platform.get("cuda" if platform == "gpu" and "cuda" in per_platform else platform, default)
    if branch is None:
        raise NotImplementedError(f"platform_dependent: no branch for {platform}, and no default")
    return branch(*args)


def composite(decomposition, name, version=0):
    # A function by a name that a compiler may know: here it is what it is composed of, derivatives and all.
    from jax._api import _named
    return _named(lambda *args, **attributes: decomposition(*args, **attributes), decomposition)
