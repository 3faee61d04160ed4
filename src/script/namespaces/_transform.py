# _transform -- functions of functions over trees: grad, vjp, jvp, linearize, Jacobians, vmap.
# jax, torch.func and functorch are thin layers over one Transforms each, made for the natives
# of their library. Derivatives run the function on its values under a recorder, inside a
# trace they trace it (engine/control.c: record); vmap traces.
import _tree


def _as_tuple(argnums):
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


class NestedRule(Exception):
    # A function with a derivative rule is called while derivatives of derivatives are taken: those
    # of higher order must see what the rule computes, not the function. A trace does that.
    watch = True


class _Run:
    # One recorded call of fn, of the leaves of args[i] for i in argnums: the tree of its
    # results, the auxiliary ones, and derivatives of and by leaves.
    def __init__(self, kit, fn, args, kwargs, argnums, has_aux, what):
        self.kit = kit
        self.forward = what in ("jvp", "jacfwd", "linearize")
        n = len(args)
        self.argnums = [i + n if i < 0 else i for i in argnums]
        for i in self.argnums:
            if not 0 <= i < n:
                raise kit.bad_argnum(what, i, n)
        leaves, self.in_spec = kit.flatten([args[i] for i in self.argnums])
        self.leaves = leaves
        self.live = [i for i, x in enumerate(leaves) if kit.is_float(x)]
        self.record = self._record(self._flat(fn, args, kwargs, has_aux, what), [leaves[i] for i in self.live])
        results = self.record.results
        self.ys = results[:self.count]
        self.y = _tree.unflatten(self.out_spec, self.ys)
        if has_aux:
            aux = list(self.aux_leaves)
            for i, x in zip(self.aux_live, results[self.count:]):
                aux[i] = x
            self.aux = _tree.unflatten(self.aux_spec, aux)

    def _record(self, flat, xs):
        kit = self.kit
        before = kit.levels, kit.traced_at
        kit.levels += (self.forward,)
        try:
            return self._recorded(flat, xs)
        finally:
            kit.levels, kit.traced_at = before

    def _recorded(self, flat, xs):
        w = self.kit.w
        try:
            return w.record(flat, xs)
        except NestedRule:
            try:
                return w.record(flat, xs, True)
            except Exception:   # it looks at values: so without a trace
                NestedRule.watch = False
                try:
                    return w.record(flat, xs)
                finally:
                    NestedRule.watch = True

    def _flat(self, fn, args, kwargs, has_aux, what):
        kit = self.kit

        def flat(*xs):
            self.lifted = xs
            kit.seen(xs)
            kit.traced_at = kit.w.about(xs[0], "level") if xs else None
            leaves = list(self.leaves)
            for i, x in zip(self.live, xs):
                leaves[i] = x
            full = list(args)
            for i, x in zip(self.argnums, _tree.unflatten(self.in_spec, leaves)):
                full[i] = x
            y = fn(*full, **kwargs)
            more = []
            if has_aux:
                if not isinstance(y, (tuple, list)) or len(y) != 2:
                    raise kit.bad_pair(what, y)
                y, aux = y
                self.aux_leaves, self.aux_spec = kit.flatten(aux)
                self.aux_live = [i for i, x in enumerate(self.aux_leaves) if kit.is_tensor(x)]
                more = [self.aux_leaves[i] for i in self.aux_live]
            ys, self.out_spec = kit.flatten(y)
            for x in ys:
                kit.check_result(x, what)
            self.count = len(ys)
            self.extra = len(more)
            return ys + more

        return flat

    def _spread(self, live_values):
        # Values of the differentiated leaves as trees like the arguments, a list.
        out = [None] * len(self.leaves)
        for i, v in zip(self.live, live_values):
            out[i] = v
        for i, x in enumerate(self.leaves):
            if out[i] is None:
                out[i] = self.kit.no_derivative(x)
        return _tree.unflatten(self.in_spec, out)

    def vjp_leaves(self, gys):
        if not self.live:
            return []
        return self.record.vjp(list(gys) + [None] * self.extra)

    def vjp(self, gys):
        like = self.kit.like
        grads = self.vjp_leaves(gys)
        return self._spread([like(g, self.leaves[i], x) for g, i, x in zip(grads, self.live, self.lifted)])

    def jvp_leaves(self, dxs):
        return self.record.jvp(dxs)[:self.count]

    def jvp(self, dxs):
        like = self.kit.like
        dys = self.jvp_leaves(dxs)
        return _tree.unflatten(self.out_spec, [like(d, y) for d, y in zip(dys, self.ys)])

    def live_of(self, trees):
        # The leaves of trees like the arguments that stand where they are differentiated.
        got = _tree.flatten_up_to(self.in_spec, trees)
        return [got[i] for i in self.live]


def _basis(w, x):
    # The unit tensors of the shape of x, one after the other: [size, *shape].
    n = w.about(x, "count")
    return w.to_device(w.reshape(w.eye(n, dtype=x.dtype), (n,) + tuple(x.shape)), w.device_at(x))


class Transforms:
    writes = False              # may functions write into their arguments? Then there is write(x, y, axis)
    levels = ()                 # the derivatives that are being taken, innermost last: in forward mode?
    traced_at = None            # the trace in which that is recorded; None: it is done as it comes

    @property
    def forward(self):
        return bool(self.levels) and self.levels[-1]

    def __init__(self, w, sort):
        self.w = w
        self.sort = sort        # are dicts flattened in the order of their keys?
        self.error = ValueError

    # -- what a library may see differently

    def seen(self, xs):
        # xs are what a function is given where its derivative is taken.
        pass

    def bad_argnum(self, what, i, n):
        return self.error(f"{what}: argnums {i} for a function of {n} arguments")

    def bad_pair(self, what, y):
        return TypeError(f"{what} with has_aux needs a function that gives a pair (output, aux), got {type(y).__name__}")

    def flatten(self, tree):
        return _tree.flatten(tree, None, self.sort)

    def is_tensor(self, x):
        return isinstance(x, self.w.Tensor)

    def is_float(self, x):
        return isinstance(x, (float, complex)) or (isinstance(x, self.w.Tensor) and x.dtype.is_inexact)

    def like(self, g, x, lifted=None):
        # g as a gradient by x, which the function saw as lifted, or as a tangent of x
        return g

    def cotangent(self, g):
        # g as it is handed to a pullback; None is 0
        return g

    def no_derivative(self, x):
        return self.w.zeros_like(x) if self.is_tensor(x) else 0.0

    def check_argument(self, x, what):
        pass

    def check_result(self, x, what):
        pass

    def bad_tangents(self, run, tangents):
        return None

    def check_row(self, y, what):
        # y is a result whose Jacobian is asked for
        pass

    def check_scalar(self, run, what):
        if run.count != 1 or tuple(run.ys[0].shape) != ():
            raise TypeError(f"{what} needs a function with a scalar result")

    # -- reverse mode

    def run(self, fn, args, kwargs, argnums, has_aux, what):
        for i in argnums:
            if -len(args) <= i < len(args):
                for x in self.flatten(args[i])[0]:
                    self.check_argument(x, what)
        return _Run(self, fn, args, kwargs, argnums, has_aux, what)

    def grads_and_run(self, fn, args, kwargs, argnums, has_aux, what):
        run = self.run(fn, args, kwargs, _as_tuple(argnums), has_aux, what)
        self.check_scalar(run, what)
        grads = run.vjp([self.w.ones_like(run.ys[0])])
        return (grads[0] if isinstance(argnums, int) else tuple(grads)), run

    def vjp(self, fn, primals, has_aux=False):
        run = self.run(fn, primals, {}, range(len(primals)), has_aux, "vjp")

        def pullback(*cotangents):
            ct = cotangents[0] if len(cotangents) == 1 else tuple(cotangents)
            leaves, spec = self.flatten(ct)
            if spec != run.out_spec:
                leaves = self.match(run.out_spec, ct, "vjp: the cotangent and the result")
            for g, y in zip(leaves, run.ys):
                self.check_cotangent(g, y)
            return tuple(run.vjp([self.cotangent(g) for g in leaves]))

        return (run.y, pullback, run.aux) if has_aux else (run.y, pullback)

    def match(self, spec, tree, what):
        raise ValueError(f"{what} have different tree structures")

    def check_cotangent(self, g, y):
        shape = tuple(g.shape) if self.is_tensor(g) else ()
        if shape != tuple(y.shape):
            raise self.error(f"vjp: a cotangent of shape {shape} for a result of shape {tuple(y.shape)}")

    # -- forward mode

    def jvp(self, fn, primals, tangents, has_aux=False):
        if len(primals) != len(tangents):
            raise ValueError(f"jvp: {len(primals)} primals, but {len(tangents)} tangents")
        run = self.run(fn, primals, {}, range(len(primals)), has_aux, "jvp")
        dxs = run.live_of(list(tangents))
        for i, d in zip(run.live, dxs):
            self.check_tangent(run.leaves[i], d)
        dy = run.jvp(dxs)
        return (run.y, dy, run.aux) if has_aux else (run.y, dy)

    def check_tangent(self, x, d):
        pass

    def linearize(self, fn, primals, has_aux=False):
        run = self.run(fn, primals, {}, range(len(primals)), has_aux, "linearize")

        def pushforward(*tangents):
            wrong = self.bad_tangents(run, tangents)
            if wrong is not None:
                raise wrong
            dxs = run.live_of(list(tangents))
            for i, d in zip(run.live, dxs):
                self.check_tangent(run.leaves[i], d)
            return run.jvp(dxs)

        return (run.y, pushforward, run.aux) if has_aux else (run.y, pushforward)

    # -- Jacobians: for each leaf of the result a tree like the arguments

    def jacrev(self, fn, argnums=0, has_aux=False):
        def jacobian(*args, **kwargs):
            run = self.run(fn, args, kwargs, _as_tuple(argnums), has_aux, "jacrev")
            rows = []
            for k, y in enumerate(run.ys):
                self.check_row(y, "jacrev")
                rows.append(self._rows(run, k, y))
            return self._jacobian(run, argnums, rows, has_aux)

        return jacobian

    def _rows(self, run, k, y):
        # d y[k] / d x for each x, of shape [*y, *x].
        w = self.w

        def pull(g):
            gys = [None] * run.count
            gys[k] = g
            return run.vjp_leaves(gys)

        if w.about(y, "count") == 0:
            blocks = [w.full((0,) + tuple(w.wrap(run.leaves[i]).shape), 0, w.wrap(run.leaves[i]).dtype) for i in run.live]
        else:
            blocks = w.vmap(pull, [_basis(w, y)], [0])
        shape = tuple(y.shape)
        blocks = [w.reshape(b, shape + tuple(b.shape)[1:]) for b in blocks]
        return [self.like(b, run.leaves[i]) for b, i in zip(blocks, run.live)]

    def jacfwd(self, fn, argnums=0, has_aux=False):
        def jacobian(*args, **kwargs):
            run = self.run(fn, args, kwargs, _as_tuple(argnums), has_aux, "jacfwd")
            rows = [[] for y in run.ys]
            for k in range(len(run.live)):
                for row, block in zip(rows, self._columns(run, k)):
                    row.append(block)
            return self._jacobian(run, argnums, rows, has_aux)

        return jacobian

    def _columns(self, run, k):
        # d y / d x[k] for each y, of shape [*y, *x].
        w = self.w
        xs = [w.wrap(run.leaves[i]) for i in run.live]
        zeros = [w.zeros_like(x) for x in xs]

        def push(d):
            return run.jvp_leaves(zeros[:k] + [d] + zeros[k + 1:])

        blocks = w.vmap(push, [_basis(w, xs[k])], [0])
        shape = tuple(xs[k].shape)
        return [self.like(w.reshape(w.move_axis(b, 0, -1), tuple(b.shape)[1:] + shape), y, y) for b, y in zip(blocks, run.ys)]

    def _jacobian(self, run, argnums, rows, has_aux):
        trees = []
        for row in rows:
            parts = run._spread(row)
            trees.append(parts[0] if isinstance(argnums, int) else tuple(parts))
        out = _tree.unflatten(run.out_spec, trees)
        return (out, run.aux) if has_aux else out

    def hessian(self, fn, argnums=0, has_aux=False):
        return self.jacfwd(self.jacrev(fn, argnums, has_aux), argnums, has_aux)

    # -- batches

    def mapped_size(self, leaves, axes, what):
        # The size they share; None where nothing is mapped.
        size = None
        for x, a in zip(leaves, axes):
            if a is None:
                continue
            shape = tuple(x.shape) if self.is_tensor(x) else ()
            if not -len(shape) <= a < len(shape):
                raise self.error(f"{what} was asked to map axis {a} of an argument of shape {shape}")
            if size is not None and shape[a] != size:
                raise self.error(f"{what} got inconsistent sizes for the mapped axes: "
                                 f"one has size {size}, another {shape[a]}")
            size = shape[a]
        return size

    def axes_of_results(self, spec, out_axes):
        return _tree.prefix(spec, out_axes)

    def vmap_call(self, fn, args, kwargs, axes, out_axes, name=None, size=None, what="vmap"):
        # axes: one for each leaf of (args, kwargs). fn sees one slice.
        w = self.w
        leaves, spec = self.flatten((args, kwargs))
        found = self.mapped_size(leaves, axes, what)
        if found is not None and size is not None and found != size:
            raise self.error(f"{what} got inconsistent sizes for array axes to be mapped: axis_size={size}, but arguments "
                             f"have size {found}")
        if found is None and size is None:
            raise self.error(f"{what} must have at least one mapped argument")
        # What is not mapped goes in too, but for numbers, which stay what they are.
        live = [i for i, x in enumerate(leaves)
                if axes[i] is not None or (self.is_tensor(x) and len(x.shape) > 0)]
        xs = [leaves[i] for i in live]
        at = [axes[i] for i in live]
        if found is None:
            xs = xs + [w.arange(0, size)]
            at = at + [0]
        out = []

        def flat(*slices):
            new = list(leaves)
            for i, x in zip(live, slices):
                new[i] = x
            before = [w.alias(x) for x in slices] if self.writes else ()
            a, k = _tree.unflatten(spec, new)
            ys, s = self.flatten(fn(*a, **k))
            for y in ys:
                self.check_result(y, what)
            written = [i for i, (x, b) in enumerate(zip(slices, before)) if not w.same_value(x, b)]
            out.append((s, [len(getattr(y, "shape", ())) for y in ys], written))
            return ys + [slices[i] for i in written]

        results = w.vmap(flat, xs, at, name, True)
        spec, ranks, written = out[-1]
        for i, y in zip(written, results[len(ranks):]):
            self.write(xs[i], y, at[i])
        to = self.axes_of_results(spec, out_axes)
        size = found if found is not None else size
        return _tree.unflatten(spec, [self._moved(y, r, a, size, what) for y, r, a in zip(results, ranks, to)])

    def _moved(self, y, rank, axis, size, what):
        # A result that is mapped has one axis more than the function gave it.
        mapped = len(y.shape) > rank
        if axis is None:
            if mapped:
                self.mapped_result(y, what)
            return y
        if not mapped:
            y = self.w.broadcast_to(y, (size,) + tuple(y.shape))
        return y if axis == 0 else self.w.move_axis(y, 0, axis)

    def mapped_result(self, y, what):
        raise ValueError(f"at {what} out_axes, got axis spec None but output was batched on axis 0")
