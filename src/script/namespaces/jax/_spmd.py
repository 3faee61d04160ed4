# jax._spmd -- one function on many devices: shard_map, pmap. The function is traced once, on
# what one device has, and becomes an spmd equation: see docs/parallel.md.
import _jax as _w
import _tree
from jax._api import kit, typeof, _named, _callable, _Jit, _axes_of, refuse
from jax._statics import numbers, parameters
from jax._sharding import (P, Mesh, NamedSharding, IndivisibleError, World, axis_id, context_mesh, devices, placed,
                           AxisType, said_of, set_mesh, tell, type_layout, wrong_length)


def _type(x):
    from jax._array import shape_text
    return shape_text(_w.wrap(x))


def _name(fun):
    return getattr(fun, "__name__", type(fun).__name__)


def _mark(leaves, shardings):
    # Results of a run say where they lie.
    return leaves if _w.in_trace() else [placed(y, s) for y, s in zip(leaves, shardings)]


# ---- shard_map


class _Running:
    # A shard_map that nothing traces: what its function asks of a value is computed, as far as the function has come.
    def __init__(self, mesh, names, leaves, ins, check):
        self.mesh, self.names, self.leaves, self.ins, self.check = mesh, names, leaves, ins, check
        self.inputs = ()

    def blocks(self, x):
        # [device, ..] of all; None: x is of a trace inside, or there is none to compute.
        if not self.inputs or _w.so_far(self.inputs[0]) is None:
            return None
        program = _w.so_far(x)
        if program is None:
            return None
        axes = "+".join([axis_id(n) for n in self.mesh.axis_names if n in self.names])
        spec = ",".join([axes] + ["-"] * len(x.shape))
        text = []

        def so_far(*xs):
            text.append(spec)
            return [_w.expand_dims(_w.apply(program, list(xs))[0], 0)]

        return _w.outside(lambda: _w.spmd(so_far, self.leaves, self.mesh.text(self.names), self.ins, text, self.check)[0])

    def text(self, x):
        blocks = self.blocks(x)
        if blocks is None:
            return None
        axes = f"({', '.join([str(n) for n in self.mesh.axis_names])},)"
        inner = [s if n in self.names else 1 for n, s in zip(self.mesh.axis_names, self.mesh.axis_sizes)]
        out = []
        for k, device in enumerate(self.mesh.flat_devices):
            at = _coordinates(k, self.mesh.axis_sizes)
            own = 0
            for i, s in zip(at, inner):
                own = own * s + (i if s > 1 else 0)
            out.append(f"On {device} at mesh coordinates {axes} = {tuple(at)}:\n{_w.outside(lambda: str(blocks[own]))}\n")
        return "\n".join(out)

    def value(self, x):
        # Of an x that is the same on all devices.
        if not self.check or _w.vary(x):
            return None
        blocks = self.blocks(x)
        return None if blocks is None else _w.outside(lambda: blocks[0])


def _coordinates(k, sizes):
    at = []
    for s in reversed(sizes):
        at.insert(0, k % s)
        k //= s
    return at


running = []    # innermost last


def shown(x):
    # The text of a value inside a shard_map that runs, or None.
    return running[-1].text(x) if running else None


def known(x):
    # Its number, where all devices have the same, or None.
    return running[-1].value(x) if running else None


def _specs(spec, given, what):
    try:
        specs = _tree.prefix(spec, given)
    except (ValueError, KeyError) as e:
        raise wrong_length(f"shard_map {what}", given, spec) or ValueError(f"pytree structure error at key path\n    shard_map {what}\n{e}")
    specs = [P() if s is None else s for s in specs]
    for s in specs:
        if not isinstance(s, P):
            raise TypeError(f"shard_map {what} argument must be a pytree of `jax.sharding.PartitionSpec` instances, but:\n\n"
                            f"  {what} is {s} of type {type(s).__name__}, \n\nCheck the {what} values passed to shard_map.")
    return specs


class _ShardMap:
    def __init__(self, f, mesh, in_specs, out_specs, names, check):
        self.f, self.mesh, self.in_specs, self.out_specs = f, mesh, in_specs, out_specs
        self.names, self.check = names, check
        if in_specs is not None:
            self._manual(in_specs, "in_specs")
        self._manual(out_specs, "out_specs")

    def _manual(self, given, what):
        for s in kit.flatten(given)[0]:
            for n in s.names() if isinstance(s, P) else ():
                if n not in self.names:
                    raise ValueError(f"shard_map {what} argument must refer to an axis marked as manual "
                                     f"({frozenset(self.names)}), but:\n\n  {what} refers to {n!r}\n\n"
                                     f"Check the {what} values passed to shard_map.")

    def head(self, what, name=None):
        return f"shard_map applied to the function {name or _name(self.f)!r} was given {what}"

    def mesh_words(self):
        return f"The mesh given has shape {self.mesh.axis_sizes} with corresponding axis names {self.mesh.axis_names}."

    def too_long(self, what, side, s, named, x):
        ends = "inputs" if what == "in_specs" else "outputs"
        scalar = "" if what == "in_specs" or x.shape else (
            "\n\nFor scalar values (rank 0), consider using an out_specs entry of `P()`, where `P = jax.sharding.PartitionSpec`. In "
            "particular, for rank 0 outputs which are not constant over the mesh, add at least one (singleton) axis to them so that they "
            "can be concatenated using out_specs.")
        raise ValueError(self.head(f"an {what} entry which is too long to be compatible with the corresponding {side}:\n\n"
                         f"{what} is {s!r} which has length {len(s)}, but {named} has shape {_type(x)}, which has rank "
                         f"{len(x.shape)} (and {len(x.shape)} < {len(s)})\n\nEntries in {what} must be of length no greater "
                         f"than the number of axes in the corresponding {ends[:-1]} value.\n\nEither revise the spec to be "
                         f"shorter, or modify {_name(self.f)!r} so that its {ends} have sufficient rank.{scalar}"))

    def bound(self, i):
        # Which parameter takes argument i, if that can be told.
        names = parameters(self.f) or []
        return f", where args[{i}] is bound to {_name(self.f)}'s parameter {names[i]!r}," if i < len(names) else ""

    def check_in(self, leaves, specs):
        for i, (x, s) in enumerate(zip(leaves, specs)):
            if len(s) > len(x.shape):
                self.too_long("in_specs", "input value from the function", s, f"the passed args[{i}]{self.bound(i)}", x)
            for k, (d, n) in enumerate(zip(x.shape, NamedSharding(self.mesh, s).factors(len(x.shape)))):
                if d % n:
                    axes = s.entries()[k]
                    axes = repr(axes[0]) if len(axes) == 1 else repr(axes)
                    raise ValueError(self.head("argument arrays with axis sizes that are not evenly divisible by the "
                                     f"corresponding mesh axis sizes:\n\n{self.mesh_words()}\n\nthe passed args[{i}] of shape "
                                     f"{_type(x)}{self.bound(i)} corresponds to in_specs of value {s!r}, which maps array axis {k} "
                                     f"(of size {d}) to mesh axis {axes} (of size {n}), but {n} does not evenly divide {d}\n\nArray "
                                     "arguments' axis sizes must be evenly divisible by the mesh axis or axes indicated by the "
                                     "corresponding elements of the argument's in_specs entry. Consider checking that in_specs are "
                                     "correct, and if so consider changing the mesh axis sizes or else padding the input and adapting "
                                     f"{_name(self.f)!r} appropriately."))

    def check_types(self, leaves, specs):
        # Axes of the type Explicit: arguments must lie so already.
        if set(self.names) != set(self.mesh.axis_names) or {t.name for t in self.mesh.axis_types} != {"Explicit"}:
            return
        for x, s in zip(leaves, specs):
            has = type_layout(x)
            rank = len(x.shape)
            full = [P(*[None if not e else e[0] if len(e) == 1 else e for e in entries])
                    for entries in (NamedSharding(self.mesh, s)._tiles(rank), has._tiles(rank) if has is not None else [()] * rank)]
            if full[0].entries() != full[1].entries():
                raise ValueError(f"in_specs passed to shard_map: {full[0]} does not match the specs of the input: {full[1]} for arg: "
                                 f"{typeof(x).str_short()}. `in_specs` is an optional argument so you can omit specifying it and "
                                 "shard_map will infer the in_specs from the arguments. If you want to reshard your inputs, you can "
                                 "use `jax.reshard` on the arguments and then pass those args to shard_map.")

    def check_out(self, ys, specs, traced):
        for y, s in zip(ys, specs):
            if len(s) > len(y.shape):
                self.too_long("out_specs", "output value from the function", s, f"{_name(self.f)}(*args)", y)
            if not self.check:
                continue
            ids = [axis_id(n) for n in s.names()]
            varies = [n for n in self.mesh.axis_names if axis_id(n) in _w.vary(y).split(",")]
            rest = [n for n in self.mesh.axis_names if axis_id(n) not in ids]
            over = [n for n in varies if n in rest]
            if over:
                short = f"replicated across mesh axis '{rest[0]}', but could not infer replication over any axes"
                axes = [",".join([n for n in self.mesh.axis_names if n in some]) for some in (s.names(), over, varies)]
                long = (f"only varying across mesh axes {{{axes[0]}}} and not {{{axes[1]}}}, but it was inferred to be possibly "
                        f"varying over {{{axes[2]}}}")
                raise ValueError(self.head("out_specs which require replication which can't be statically inferred given the "
                                 f"mesh:\n\n{self.mesh_words()}\n\nout_specs is {s!r} which implies that the corresponding "
                                 f"output value is {short if len(rest) == 1 else long}\n\nCheck if these output values are "
                                 "meant to be replicated over those mesh axes. If not, consider revising the corresponding "
                                 "out_specs entries. If so, consider disabling the check by passing the check_vma=False "
                                 "argument to `jax.shard_map`.", None if traced else "_rem_singleton"))    # what JAX runs there

    def nested(self):
        # Axes of a mesh that are bound around this.
        bound = [n for n in self.mesh.axis_names if _w.axis_kind(axis_id(n)) in ("mesh", "checked")]
        return tuple(bound)

    def of_types(self, leaves):
        # How arguments lie by their types.
        lie = [type_layout(x) for x in leaves]
        return [P() if s is None else s.spec for s in lie]

    def call(self, args):
        leaves, spec = kit.flatten(args)
        leaves = [_w.wrap(x) for x in leaves]
        specs = self.of_types(leaves) if self.in_specs is None else _specs(spec, self.in_specs, "in_specs")
        self.check_in(leaves, specs)
        if self.in_specs is not None:
            self.check_types(leaves, specs)
        text, out = [], []
        ins = ";".join([s.text(len(x.shape)) for s, x in zip(specs, leaves)])
        now = None if _w.in_trace() else _Running(self.mesh, self.names, leaves, ins, self.check)

        def flat(*xs):
            if now is not None:
                now.inputs = xs
            ys, tree = kit.flatten(self.f(*_tree.unflatten(spec, xs)))
            for y in ys:
                kit.check_result(y, "shard_map")
            ys = [_w.wrap(y) for y in ys]
            out_specs = _specs(tree, self.out_specs, "out_specs")
            self.check_out(ys, out_specs, now is None)
            out.append((tree, out_specs))
            text.append(";".join([s.text(len(y.shape)) for s, y in zip(out_specs, ys)]))
            return ys

        if self.nested():
            raise ValueError(f"The context mesh {self.nested()} should match the mesh passed to shard_map {self.mesh}")
        if now is not None:
            running.append(now)
        tell(self.mesh)
        try:
            results = _w.spmd(flat, leaves, self.mesh.text(self.names), ins, text, self.check)
        finally:
            if now is not None:
                running.remove(now)
        if _w.in_trace():
            from jax._layout import seen_meshes
            seen_meshes.append(self.mesh)
        tree, out_specs = out[-1]
        return _tree.unflatten(tree, _mark(results, [NamedSharding(self.mesh, s) for s in out_specs]))


def _shard_map(f, mesh, in_specs, out_specs, axis_names, check_vma):
    # With the mesh that is there when it is called, if none is given.
    mesh = context_mesh() if mesh is None else mesh
    if mesh is None:
        raise ValueError("The context mesh cannot be empty. Use `jax.set_mesh(mesh)` to enter into a mesh context")
    if not isinstance(mesh, Mesh):
        raise TypeError(f"shard_map requires a `jax.sharding.Mesh` or a `jax.sharding.AbstractMesh` instance for its second "
                        f"argument, but got {mesh} of type {type(mesh)}.")
    names = tuple(axis_names) or mesh.axis_names
    for n in names:
        if n not in mesh.axis_names:
            raise ValueError(f"jax.shard_map requires axis_names={axis_names} to be a subset of mesh.axis_names={mesh.axis_names}")
    if in_specs is None:
        types = {t.name for n, t in zip(mesh.axis_names, mesh.axis_types) if n in names}
        if types != {"Explicit"}:
            kinds = ", ".join([f"AxisType.{t}" for t in sorted(types)])
            raise TypeError("shard_map in_specs argument must be a pytree of `jax.sharding.PartitionSpec` instances, but it was "
                            f"`None` when axis_names={frozenset(names)} are of type {kinds}")
    return _ShardMap(f, mesh, in_specs, out_specs, names, bool(check_vma))


def shard_map(f=None, *, out_specs, in_specs=None, mesh=None, axis_names=(), check_vma=True):
    if f is None:
        return lambda g: shard_map(g, out_specs=out_specs, in_specs=in_specs, mesh=mesh, axis_names=axis_names,
                                   check_vma=check_vma)
    _callable(f, "shard_map")

    def shard_map_f(*args):
        return _shard_map(f, mesh, in_specs, out_specs, axis_names, check_vma).call(args)

    return _named(shard_map_f, f)


# ---- axes of the types Auto and Explicit, inside a function


def _with_types(mesh, axes, kind):
    names = mesh.axis_names if axes is None else (axes,) if isinstance(axes, str) else tuple(axes)
    return Mesh(mesh.devices, mesh.axis_names, tuple([kind if n in names else t for n, t in zip(mesh.axis_names, mesh.axis_types)]))


def _inside(name, kind, f, axes, given, word):
    # f with axes of another type; how its results lie, or its arguments, is said by the caller.
    if f is None:
        return lambda g: _inside(name, kind, g, axes, given, word)

    def wrapper(*args, **kwargs):
        said = kwargs.pop(word, given)
        outer = context_mesh()
        if outer is None:
            raise ValueError("The context mesh cannot be empty. Use `jax.set_mesh(mesh)` to enter into a mesh context")
        if said is None:
            raise TypeError(f"Missing required keyword argument: {word!r}")
        inner = _with_types(outer, axes, kind)
        from jax._layout import reshard
        args = [_tree.map(lambda x: reshard(x, _moved(x, inner)), a) for a in args] if word == "out_sharding" else \
            reshard(tuple(args), _on(inner, said))
        with set_mesh(inner):
            made = f(*args, **kwargs)
        to = _on(outer, said) if word == "out_sharding" else None
        return reshard(made, to) if to is not None else _tree.map(lambda x: reshard(x, _moved(x, outer)), made)

    return _named(wrapper, f)


def _on(mesh, specs):
    return _tree.map(lambda s: NamedSharding(mesh, s) if isinstance(s, P) else s, specs)


def _moved(x, mesh):
    # The same layout on a mesh whose axes are of other types.
    x = _w.wrap(x)
    s = type_layout(x) if _w.about(x, "symbolic") else said_of(x)
    return NamedSharding(mesh, s.spec if isinstance(s, NamedSharding) else P())


def auto_axes(f=None, /, *, axes=None, out_sharding=None):
    return _inside("auto_axes", AxisType.Auto, f, axes, out_sharding, "out_sharding")


def explicit_axes(f=None, /, *, axes=None, in_sharding=None):
    return _inside("explicit_axes", AxisType.Explicit, f, axes, in_sharding, "in_sharding")


# ---- pmap


_default_axis = "_internal_pmap_axis_name"


class _Pmap:
    # A jitted function that is one spmd equation over a mesh of one axis.
    def __init__(self, fun, axis_name, in_axes, out_axes, statics, given, axis_size, donated):
        self.fun, self.in_axes, self.out_axes = fun, in_axes, out_axes
        self.axis_name = _default_axis if axis_name is None else axis_name
        self.given, self.axis_size, self.statics = given, axis_size, statics
        self.to = []    # where results are mapped
        self.jitted = _Jit(self.traced, statics, None, donated)
        _named(self, fun)

    def mesh(self, n):
        have = devices() if self.given is None else list(self.given)
        return Mesh(have[:min(n, len(have))], (self.axis_name,))

    def sized(self, leaves, axes):
        # How many rows there are, and the mesh; a row for each device.
        mapped = [x.shape[a] for x, a in zip(leaves, axes) if a is not None]
        if not mapped:
            raise ValueError("pmap requires at least one argument with a mapped axis.")
        n = mapped[0]
        if self.axis_size is not None and self.axis_size != n:
            raise ValueError(f"Specified axis_size {self.axis_size} doesn't match received axis_size {n}.")
        mesh = self.mesh(n)
        for x, a in zip(leaves, axes):
            if a is None:
                continue
            NamedSharding(mesh, P(*([None] * a + [self.axis_name]))).check(x.shape)
            if x.shape[a] != mesh.size:
                part = x.shape[:a] + (x.shape[a] // mesh.size,) + x.shape[a + 1:]
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one, got "
                                 f"shape={tuple(part)} and dimensions=({a},)")
        return mesh

    def axes(self, args, kwargs, leaves):
        in_axes = self.in_axes
        if isinstance(in_axes, (tuple, list)):
            in_axes = tuple([None if i in self.statics else a for i, a in enumerate(in_axes)])
        spec = kit.flatten(args)[1]
        try:
            axes = _axes_of(spec, in_axes, len(args), self.fun)
        except ValueError as e:
            found = wrong_length("pmap in_axes", in_axes, spec, "[0]")
            raise found and ValueError(
                f"{found}\n\nThe 'full pytree' here is the tuple of arguments passed positionally to the pmapped function, and the value of "
                "`in_axes` must be a tree prefix of that tuple. But it was not a prefix.\n\nCheck that the value of the `in_axes` argument to "
                "`pmap` is a tree prefix of the tuple of arguments passed positionally to the pmapped function.") or ValueError(str(e).replace("vmap in_axes", "pmap in_axes"))
        axes = axes + [0] * len(kit.flatten(kwargs)[0])
        out = []
        for x, a in zip(leaves, axes):
            rank = len(x.shape)
            if a is not None and not rank:
                raise ValueError("pmap requires at least one argument with a mapped axis.")
            if a is not None and not -rank <= a < rank:
                raise IndexError("tuple index out of range")
            out.append(a + rank if a is not None and a < 0 else a)
        return out

    def traced(self, *args, **kwargs):
        fixed = {i: args[i] for i in self.statics if i < len(args)}
        args = tuple([None if i in fixed else a for i, a in enumerate(args)])
        leaves, spec = kit.flatten((args, kwargs))
        leaves = [_w.wrap(x) for x in leaves]
        axes = self.axes(args, kwargs, leaves)
        mesh = self.sized(leaves, axes)
        text, out = [], []
        name = axis_id(self.axis_name)

        def layout(rank, at):
            return ",".join([name if k == at else "-" for k in range(rank)])

        def flat(*xs):
            rows = [x if a is None else _w.squeeze(x, a) for x, a in zip(xs, axes)]
            a, k = _tree.unflatten(spec, rows)
            a = [fixed.get(i, v) for i, v in enumerate(a)]
            ys, tree = kit.flatten(self.fun(*a, **k))
            for y in ys:
                kit.check_result(y, "pmap")
            ys, to = [_w.wrap(y) for y in ys], _tree.prefix(tree, self.out_axes)
            to = [o + len(y.shape) + 1 if o is not None and o < 0 else o for o, y in zip(to, ys)]
            ys = [y if o is None else _w.expand_dims(y, o) for y, o in zip(ys, to)]
            out.append((tree, to))
            text.append(";".join([layout(len(y.shape), o) for y, o in zip(ys, to)]))
            return ys

        ins = ";".join([layout(len(x.shape), a) for x, a in zip(leaves, axes)])
        tell(mesh)
        results = _w.spmd(flat, leaves, mesh.text(), ins, text, False)
        tree, to = out[-1]
        self.to = to
        return _tree.unflatten(tree, results)

    def __call__(self, *args, **kwargs):
        for i in self.statics:
            if i >= len(args):
                raise ValueError(f"pmapped function has static_broadcasted_argnums={self.statics} but was called with only "
                                 f"{len(args)} positional argument{'' if len(args) == 1 else 's'}. All static broadcasted arguments "
                                 "must be passed positionally.")
        for i in self.statics:
            try:
                hash(args[i])
            except TypeError:
                raise ValueError("Non-hashable static arguments are not supported, as this can lead to unexpected cache-misses. Static "
                                 f"argument (index {i}) of type {type(args[i])} for function {_name(self.fun)} is non-hashable.")
        if World.count > 1:
            return self.across(args, kwargs)
        out = self.jitted(*args, **kwargs)
        leaves = kit.flatten(out)[0]
        to = self.to
        rows = [y.shape[o] for y, o in zip(leaves, to) if o is not None]
        if len(to) == len(leaves) and rows:
            mesh = self.mesh(rows[0])
            _mark(leaves, [NamedSharding(mesh, P() if o is None else P(*([None] * o + [self.axis_name]))) for o in to])
        return out

    def across(self, args, kwargs):
        # Over the devices of all processes: each brings rows for its own, and gets theirs.
        from jax._layout import make_array_from_process_local_data
        mesh = Mesh(devices() if self.given is None else list(self.given), (self.axis_name,))
        live = tuple([None if i in self.statics else a for i, a in enumerate(args)])
        leaves, spec = kit.flatten((live, kwargs))
        leaves = [_w.wrap(x) for x in leaves]
        axes = self.axes(live, kwargs, leaves)
        whole = [x if a is None else
                 make_array_from_process_local_data(NamedSharding(mesh, P(*([None] * a + [self.axis_name]))), x)
                 for x, a in zip(leaves, axes)]
        live, kwargs = _tree.unflatten(spec, whole)
        ys, tree = kit.flatten(self.jitted(*[args[i] if i in self.statics else a for i, a in enumerate(live)], **kwargs))
        n = len(mesh.local_devices)
        own = slice(World.index * n, World.index * n + n)
        here = Mesh(mesh.local_devices, (self.axis_name,))
        spread = [_w.part_of(y) for y in ys]    # where a process has no block of its own, it has all
        ys = [y if o is None or y.shape[o] == n else y[tuple([slice(None)] * o + [own])] for y, o in zip(spread, self.to)]
        ys = [_w.copy(y) for y in ys]
        for y in ys:
            _w.set_layout(y, None)
        return _tree.unflatten(tree, _mark(ys, [NamedSharding(here, P() if o is None else P(*([None] * o + [self.axis_name])))
                                                for o in self.to]))

    def lower(self, *args, **kwargs):
        return self.jitted.lower(*args, **kwargs)

    def clear_cache(self):
        self.jitted.clear_cache()


def pmap(fun=None, axis_name=None, *, in_axes=0, out_axes=0, static_broadcasted_argnums=(), devices=None, backend=None,
         axis_size=None, donate_argnums=(), global_arg_shapes=None):
    if fun is None:
        return lambda f: pmap(f, axis_name, in_axes=in_axes, out_axes=out_axes,
                              static_broadcasted_argnums=static_broadcasted_argnums, devices=devices, backend=backend,
                              axis_size=axis_size, donate_argnums=donate_argnums)
    _callable(fun, "pmap")
    refuse("pmap", global_arg_shapes=(global_arg_shapes, None))
    if backend not in (None, "cpu"):
        raise RuntimeError(f"Unknown backend {backend}. Available backends are ['cpu']")
    return _Pmap(fun, axis_name, in_axes, out_axes, numbers(static_broadcasted_argnums), devices, axis_size, donate_argnums)
