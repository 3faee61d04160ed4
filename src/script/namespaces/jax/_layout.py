# jax._layout -- arrays put onto devices, and functions of arrays that lie on several.
import _jax as _w
import _tree
from jax import _gpu
from jax._sharding import (Device, IndivisibleError, NamedSharding, P, Sharding, SingleDeviceSharding, World, as_sharding,
                           context_mesh, layout_text, own_place, placed, said_of, set_layout, spec_of, with_sharding, wrong_length)


def _array(x):
    from jax.numpy import asarray
    return asarray(x)


def _is_place(x):
    return x is None or isinstance(x, (Sharding, Device, P))


def _places(tree, given, what="with_sharding_constraint", argument="shardings"):
    # One for each leaf; given is a tree of shardings, or a prefix of one.
    spec = _tree.flatten(tree)[1]
    return [as_sharding(s, what, argument) for s in _tree.prefix(spec, given)]


# ---- putting


def _put(x, place):
    x = _array(x)
    if place is None:
        return x
    if _w.about(x, "symbolic") or (isinstance(place, NamedSharding) and _w.in_trace() and is_explicit(place.mesh)):
        place.check(x.shape)
        return with_sharding_constraint(x, place, False) if isinstance(place, NamedSharding) else x
    if isinstance(place, NamedSharding):
        place.check(x.shape, "device_put")
    if _gpu.devices and isinstance(place, SingleDeviceSharding):
        return _w.to_device(x, _gpu.number_of(place._device))      # where it lies says the rest
    return with_sharding(x, place)


def put(x, device):
    if isinstance(device, P) and context_mesh() is None:
        raise ValueError("Please set a mesh via `jax.set_mesh` if a PartitionSpec is passed to device_put")
    leaves, spec = _tree.flatten(x)
    try:
        places = _places(x, device)
    except ValueError as e:
        found = wrong_length("device_put device", device, spec)
        raise ValueError("device_put device specification must be a tree prefix of the corresponding value; \n  Mismatch details (1 found):\n  "
                         + str(found)) if found else e
    return _tree.unflatten(spec, [_put(v, s) for v, s in zip(leaves, places)])


def reshard(x, out_shardings):
    leaves, spec = _tree.flatten(x)
    places = [_entry_each(s, v) for v, s in zip(leaves, _places(x, out_shardings))]
    return _tree.unflatten(spec, [_put(v, s) for v, s in zip(leaves, places)])


def _entry_each(s, x):
    # On axes that are a part of types a spec has an entry for each axis of the array.
    short = len(getattr(x, "shape", ())) - len(s.spec) if isinstance(s, NamedSharding) and is_explicit(s.mesh) else 0
    return NamedSharding(s.mesh, P(*s.spec.partitions, *[None] * short, unreduced=s.spec.unreduced, reduced=s.spec.reduced)) if short > 0 else s


seen_meshes = []    # that traces have met in constraints


def with_sharding_constraint(x, shardings, by_user=True):
    def one(v, s):
        v = _array(v)
        if s is None:
            return v
        traced, spec = _w.about(v, "symbolic") or (not by_user and _w.in_trace()), s.spec if isinstance(s, NamedSharding) else None
        if spec is not None:
            if by_user and any([n in s.mesh.explicit_names for n in spec.names()]):
                raise ValueError("The spec of NamedSharding passed to with_sharding_constraint can only refer to Auto axes of the mesh. "
                                 f"Got spec={spec!r} and mesh={s.mesh.abstract_mesh}. You probably meant to use `reshard` API?")
            try:
                s.check(v.shape)
            except IndivisibleError:
                if not traced:
                    raise
                spec = P()    # as JAX has it: whole
        if by_user and spec is not None and s.mesh.explicit_names == list(s.mesh.axis_names):
            return v    # there is no axis that it could speak of
        if not traced:
            return with_sharding(v, s)
        if spec is not None and s.mesh.size > 1:
            seen_meshes.append(s.mesh)
            v = _w.shard(v, s.mesh.text(), spec.text(len(v.shape)))
            if is_explicit(s.mesh):
                set_layout(v, NamedSharding(s.mesh, spec))
            else:
                _w.set_layout(v, None)
        return v

    leaves, spec = _tree.flatten(x)
    return _tree.unflatten(spec, [one(v, s) for v, s in zip(leaves, _places(x, shardings))])


def make_array_from_callback(shape, sharding, data_callback, dtype=None):
    # Each part that devices of this process have is asked for; other processes bring theirs.
    import numpy
    shape, out, asked = tuple(shape), None, []
    start, size = own_place(sharding, shape) or ((0,) * len(shape), shape)
    for index in sharding.addressable_devices_indices_map(shape).values():
        if index in asked:
            continue
        asked.append(index)
        part = numpy.asarray(data_callback(index))
        if out is None:
            out = numpy.zeros(size, part.dtype if dtype is None else dtype)
        if index:
            out[tuple([slice((i.start or 0) - k, (n if i.stop is None else i.stop) - k) for i, k, n in zip(index, start, shape)])] = part
        else:
            out = part
    if size != shape:
        return placed(_joined(out, sharding, shape), sharding)
    if sharding.is_fully_addressable or sharding.is_fully_replicated:
        return with_sharding(_array(out), sharding)
    return make_array_from_process_local_data(sharding, out[_of_processes(sharding, shape)[World.index]], shape)


def _joined(part, sharding, shape):
    # The array of which the processes have such parts.
    return _w.join_parts(_array(part), layout_text(sharding, len(shape)), tuple(shape))


def make_array_from_single_device_arrays(shape, sharding, arrays, *, dtype=None):
    import numpy
    of = dict([(list(a.devices())[0].id, a) for a in arrays])
    n = len(sharding.addressable_devices)
    if len(arrays) != n:
        raise ValueError(f"Expected {n} per-device arrays (this is how many devices are addressable by the sharding), but got {len(arrays)}")
    places = sharding.addressable_devices_indices_map(tuple(shape)).items()
    return make_array_from_callback(shape, sharding, lambda index: numpy.asarray(
        [of[d.id] for d, i in places if i == index][0]), dtype)


# ---- jit


def check_in_shardings(jitted, given, args, lies):
    # How leaves lie once they are where in_shardings wants them.
    args = tuple(args)
    if isinstance(given, (tuple, list)):
        given = tuple(given)
        if len(given) != len(args):
            raise ValueError("pjit in_shardings specification must be a tree prefix of the positional arguments tuple. In "
                             "particular, pjit in_shardings must either be a Sharding, a PartitionSpec, or a tuple of length "
                             "equal to the number of positional arguments. But pjit in_shardings is the wrong length: got a "
                             f"tuple or list of length {len(given)} for an args tuple of length {len(args)}.")
    wanted = _places(args, given, "jit", "in_shardings")
    leaves, out = _tree.flatten(args)[0], []
    for k, (x, s, has) in enumerate(zip(leaves, wanted, lies)):
        if s is None:
            out.append(has)
            continue
        shape = getattr(x, "shape", ())
        if isinstance(s, NamedSharding):
            s.check(shape, lambda: f"pjit arguments with pytree key path {_parameter(jitted, args, k)}")
        if has is not None and getattr(x, "_committed", False) and not s.is_equivalent_to(has, len(shape)):
            from jax._array import shape_text
            raise ValueError("Sharding passed to jit does not match the sharding on the respective arg. Got jit sharding: "
                             f"{s!r},\narg sharding: {has!r} for arg type: {shape_text(x)}")
        out.append(s)
    return out


def _parameter(jitted, args, k):
    # The name of the argument that leaf k is.
    from jax._statics import parameters
    names = parameters(jitted.fun) or []
    return names[k] if k < len(names) and len(_tree.flatten(args)[0]) == len(args) else f"args[{k}]"


def check_devices(jitted, lies, args):
    # Arguments that stay where they are lie on the same devices.
    first = None
    for k, (x, s) in enumerate(zip(_tree.flatten(args)[0], lies)):
        if s is None or not getattr(x, "_committed", True):
            continue
        ids = sorted([d.id for d in s.device_set])
        if first is None:
            first = (k, x, ids)
        elif ids != first[2]:
            from jax._array import shape_text
            names = [_parameter(jitted, args, i) for i in (first[0], k)]
            raise ValueError("Received incompatible devices for jitted computation. Got argument "
                             f"{names[0]} of {jitted.__qualname__} with shape {shape_text(first[1])} and with device ids "
                             f"{first[2]} on platform CPU and argument {names[1]} of {jitted.__qualname__} with shape "
                             f"{shape_text(x)} and with device ids {ids} on platform CPU")


def _mesh_of(lies):
    for s in lies:
        if isinstance(s, NamedSharding):
            return s.mesh
    return None


def _text(s, mesh, rank):
    # A sharding as natives take it; what lies on another mesh counts as whole.
    return s.spec.text(rank) if isinstance(s, NamedSharding) and s.mesh == mesh else ",".join(["-"] * rank)


def _texts(shardings, mesh, shapes):
    return ";".join([_text(s, mesh, len(shape)) for s, shape in zip(shardings, shapes)])


def wanted_results(out_spec, out_shardings, shapes):
    # One for each result, None: as it comes.
    if out_shardings is None:
        return [None] * len(shapes)
    try:
        wanted = [as_sharding(s, "jit", "out_shardings") for s in _tree.prefix(out_spec, out_shardings)]
    except ValueError as e:
        raise mismatch("out_shardings", out_shardings, out_spec) or e
    for s, shape in zip(wanted, shapes):
        if isinstance(s, NamedSharding):
            s.check(shape, "pjit outputs")
    return wanted


def mismatch(what, given, spec):
    found = wrong_length(f"pjit {what}", given, spec)
    return found and ValueError(f"Mismatch details (1 found):\n{found}")


class Division:
    # A traced program on a mesh: what each device does, and how the results lie.
    def __init__(self, entry, mesh, lies, wanted):
        program = entry.program
        values, inputs, _, outs = program.view()
        shapes = [tuple(values[v][1]) for v in inputs]
        lies = list(lies) + [None] * (len(shapes) - len(lies))    # captures are whole
        specs = _texts(lies, mesh, shapes)
        found = [NamedSharding(mesh, spec_of(t, mesh)) for t in program.layouts(mesh.text(), mesh.typed, specs).split(";")]
        found = [_as_given(s, len(values[v][1]), lies[:1], shapes[:1]) for s, v in zip(found, outs)]
        self.results = [f if w is None else w for f, w in zip(found, wanted)]
        self.program, self.mesh, self.lies, self.among = program, mesh, None, None
        if any([s.names() for s in [s.spec for s in lies + self.results if isinstance(s, NamedSharding)]]):
            results = _texts(self.results, mesh, [tuple(values[v][1]) for v in outs])
            if mesh.process_sizes:    # each process does its part, and has that of the results
                self.lies, self.among = lies[:len(entry.shapes)], (layout_text(NamedSharding(mesh, P()), 0), results)
                return
            try:
                self.program = program.spread(mesh.text(), specs, results)
            except RuntimeError as e:    # what prints, or finds sizes when it runs, is done by one
                if not str(e).startswith("spread: "):
                    raise

    def run(self, leaves, donated=()):
        if self.among is None:
            return _w.apply(self.program, leaves, donated=donated) if donated else _w.apply(self.program, leaves)
        here = [x if s is None or said_of(x) == s else with_sharding(_array(x), s) for x, s in zip(leaves, self.lies)]
        return _w.apply_lying(self.program, here, *self.among)


def _as_given(s, rank, lies, shapes):
    # In the words of an argument that lies the same.
    for a, shape in zip(lies, shapes):
        if isinstance(a, NamedSharding) and len(shape) == rank and a.is_equivalent_to(s, rank):
            return a
    return s


class Alone:
    # A program on one device; results: where they lie, if something says so.
    def __init__(self, program, results):
        self.program, self.results = program, results

    run = Division.run
    among = None


def divide(entry, lies, out_shardings):
    # What runs a call whose arguments lie so.
    outs = [tuple(entry.program.view()[0][v][1]) for v in entry.program.view()[3]]
    wanted = wanted_results(entry.out_spec, out_shardings, outs)
    lies = [None] * len(entry.shapes) if lies is None else lies
    mesh = _mesh_of(lies + wanted) or entry.mesh
    if mesh is None or mesh.size == 1:
        single = [s for s in lies if s is not None]
        return Alone(entry.program, [w or (single[0] if single else None) for w in wanted])
    key = (mesh, tuple(lies), tuple(wanted))
    if key not in entry.divisions:
        entry.divisions[key] = Division(entry, mesh, lies, wanted)
    return entry.divisions[key]


def place_results(out, shardings):
    return [y if s is None else placed(y, s) for y, s in zip(out, shardings)]


# ---- axes of the type Explicit


def is_explicit(mesh):
    return mesh is not None and any([t.name == "Explicit" for t in mesh.axis_types])


def explicit_lies(lies):
    # How arguments lie on a mesh of such axes: a part of their types. None: they do not.
    mesh = _mesh_of(lies or [])
    return tuple([s if isinstance(s, NamedSharding) and s.mesh == mesh else None for s in lies]) if is_explicit(mesh) else None


def typed_values(program, leaves):
    # How values of a program lie along axes of the type Explicit, by their numbers, if the arguments do.
    from jax._sharding import type_layout
    lies = [type_layout(x) if isinstance(x, _w.Tensor) else None for x in leaves]
    mesh = _mesh_of(lies)
    values, inputs, _, _ = program.view()
    if mesh is None or len(lies) > len(inputs):
        return {}
    shapes = [tuple(values[v][1]) for v in inputs]
    texts = program.layouts(mesh.text(), mesh.typed, _texts(lies + [None] * (len(shapes) - len(lies)), mesh, shapes), True).split(";")
    first = inputs[0]
    return dict([(first + k, NamedSharding(mesh, spec_of(t, mesh))) for k, t in enumerate(texts)])


def lie_as(made, like):
    # The arrays of a tree as those of another, along such axes.
    from jax._sharding import type_layout
    leaves, spec = _tree.flatten(made)
    wanted = [type_layout(x) if isinstance(x, _w.Tensor) else None for x in _tree.flatten(like)[0]]
    if len(wanted) != len(leaves):
        return made
    return _tree.unflatten(spec, [y if s is None or not isinstance(y, _w.Tensor) or type_layout(y) == s else reshard(y, s)
                                  for y, s in zip(leaves, wanted)])


def type_inputs(xs, lies):
    # Inputs of a trace lie as in_shardings say.
    for x, s in zip(xs, lies):
        if s is not None:
            set_layout(x, s)


# ---- of parts that processes have


def everywhere(x):
    # All of an array, in every process.
    x = _w.copy(_w.part_lie(x, None))
    _w.set_layout(x, None)
    return x


def gathered(x):
    # [process, ..] of what each has.
    import numpy
    x = numpy.asarray(x)
    if World.count == 1:
        return x.reshape((1,) + tuple(x.shape))
    return numpy.asarray(_w.comm_do("gather", _array(x), None, None, -1, 0, None, None)[0])


def make_array_from_process_local_data(sharding, local_data, global_shape=None):
    # Every process brings the block that its devices have.
    import numpy
    if isinstance(local_data, (list, tuple, dict)):
        shapes = global_shape
        return _tree.map(lambda v: make_array_from_process_local_data(sharding, v, shapes), local_data)
    local = numpy.asarray(local_data)
    if sharding.is_fully_addressable or sharding.is_fully_replicated:
        if global_shape is not None and tuple(global_shape) != tuple(local.shape):
            raise ValueError(f"make_array_from_process_local_data: local data of shape {tuple(local.shape)}, global shape "
                             f"{tuple(global_shape)}")
        return put(local, sharding)
    if not sharding.mesh.is_multi_process or len(set([d.process_index for d in sharding._devices()])) != World.count:
        raise NotImplementedError("make_array_from_process_local_data: a mesh of some of the processes")
    shape = list(local.shape) if global_shape is None else list(global_shape)
    if global_shape is None:    # an axis that processes divide is as many times as long
        for k, entry in enumerate(sharding._tiles(len(shape))):
            shape[k] *= len(set([_start(i[k]) for i in _of_processes(sharding, [d * World.count for d in shape])])) if entry else 1
    shape = tuple(shape)
    if shape == tuple(local.shape):    # all of it, of which each has its own
        return put(local, sharding)
    place = own_place(sharding, shape)
    if place is not None and place[1] == tuple(local.shape):
        return placed(_joined(local, sharding, shape), sharding)
    out = numpy.zeros(shape, local.dtype)
    for part, index in zip(gathered(local), _of_processes(sharding, shape)):
        out[index] = part
    return put(out, sharding)


def _start(s):
    return s.start or 0


def _of_processes(sharding, shape):
    # The slices of all that the devices of each process have: from the first to the last.
    parts = [[i for d, i, _ in sharding.places(tuple(shape)) if d.process_index == p] for p in range(World.count)]
    return [tuple([slice(None) if index[0][k].stop is None else
                   slice(min([i[k].start for i in index]), max([i[k].stop for i in index]))
                   for k in range(len(shape))]) for index in parts]
