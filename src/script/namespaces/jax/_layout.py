# jax._layout -- arrays put onto devices, and functions of arrays that lie on several.
import _jax as _w
import _tree
from jax._sharding import (Device, IndivisibleError, NamedSharding, P, Sharding, SingleDeviceSharding, as_sharding,
                           put_sharding, spec_of, with_sharding)


def _array(x):
    from jax.numpy import asarray
    return asarray(x)


def _is_place(x):
    return x is None or isinstance(x, (Sharding, Device, P))


def _places(tree, given):
    # One for each leaf; given is a tree of shardings, or a prefix of one.
    spec = _tree.flatten(tree)[1]
    return [as_sharding(s) for s in _tree.prefix(spec, given)]


# ---- putting


def _put(x, place):
    x = _array(x)
    if place is None:
        return x
    if _w.about(x, "symbolic"):
        place.check(x.shape)
        return x
    if isinstance(place, NamedSharding):
        place.check(x.shape, "device_put")
    return with_sharding(x, place)


def put(x, device):
    leaves, spec = _tree.flatten(x)
    return _tree.unflatten(spec, [_put(v, s) for v, s in zip(leaves, _places(x, device))])


def reshard(x, out_shardings):
    return put(x, out_shardings)


seen_meshes = []    # that traces have met in constraints


def with_sharding_constraint(x, shardings):
    def one(v, s):
        v = _array(v)
        if s is None:
            return v
        if isinstance(s, NamedSharding):
            s.check(v.shape)
        if not _w.about(v, "symbolic"):
            return with_sharding(v, s)
        if isinstance(s, NamedSharding) and s.mesh.size > 1:
            seen_meshes.append(s.mesh)
            return _w.shard(v, s.mesh.text(), s.spec.text(len(v.shape)))
        return v

    leaves, spec = _tree.flatten(x)
    return _tree.unflatten(spec, [one(v, s) for v, s in zip(leaves, _places(x, shardings))])


def make_array_from_callback(shape, sharding, data_callback, dtype=None):
    # Each device's part is asked for once.
    import numpy
    out = None
    for device, index in sharding.devices_indices_map(tuple(shape)).items():
        part = numpy.asarray(data_callback(index))
        if out is None:
            out = numpy.zeros(tuple(shape), part.dtype if dtype is None else dtype)
        if index:
            out[index] = part
        else:
            out = part
    return with_sharding(_array(out), sharding)


def make_array_from_single_device_arrays(shape, sharding, arrays, *, dtype=None):
    import numpy
    of = dict([(list(a.devices())[0].id, a) for a in arrays])
    return make_array_from_callback(shape, sharding, lambda index: numpy.asarray(
        [of[d.id] for d, i in sharding.devices_indices_map(tuple(shape)).items() if i == index][0]), dtype)


# ---- jit


def check_in_shardings(given, args, lies):
    # How leaves lie once they are where in_shardings wants them.
    args = tuple(args)
    if isinstance(given, (tuple, list)):
        given = tuple(given)
        if len(given) != len(args):
            raise ValueError("pytree structure error: different lengths of tuple at key path\n    pjit in_shardings")
    wanted = _places(args, given)
    leaves, out = _tree.flatten(args)[0], []
    for x, s, has in zip(leaves, wanted, lies):
        if s is None:
            out.append(has)
            continue
        shape = getattr(x, "shape", ())
        if isinstance(s, NamedSharding):
            s.check(shape)
        if has is not None and getattr(x, "_committed", False) and not s.is_equivalent_to(has, len(shape)):
            from jax._array import shape_text
            raise ValueError("Sharding passed to jit does not match the sharding on the respective arg. Got jit sharding: "
                             f"{s!r},\narg sharding: {has!r} for arg type: {shape_text(x)}")
        out.append(s)
    return out


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
            from jax._api import _parameters
            names = _parameters(jitted.fun) or []
            names = [names[i] if i < len(names) else f"args[{i}]" for i in (first[0], k)]
            raise ValueError("Received incompatible devices for jitted computation. Got argument "
                             f"{names[0]} of {jitted.__name__} with shape {shape_text(first[1])} and with device ids "
                             f"{first[2]} on platform CPU and argument {names[1]} of {jitted.__name__} with shape "
                             f"{shape_text(x)} and with device ids {ids} on platform CPU")


def _mesh_of(lies):
    for s in lies:
        if isinstance(s, NamedSharding):
            return s.mesh
    return None


def propagated(program, mesh, lies, shapes):
    # How the results of a program lie when its inputs lie so.
    if mesh is None:
        single = [s for s in lies if s is not None]
        return [single[0] if single else None] * len(program.view()[3])
    specs = [s.spec.text(len(shape)) if isinstance(s, NamedSharding) and s.mesh == mesh else
             ",".join(["-"] * len(shape)) for s, shape in zip(lies, shapes)]
    texts = program.layouts(mesh.text(), ";".join(specs)).split(";")
    return [NamedSharding(mesh, spec_of(t, mesh)) for t in texts]


def place_results(entry, lies, out_shardings, out):
    wanted = [None] * len(out)
    if out_shardings is not None:
        wanted = [as_sharding(s) for s in _tree.prefix(entry.out_spec, out_shardings)]
    lies = [None] * len(entry.shapes) if lies is None else lies
    mesh = _mesh_of(lies + wanted) or entry.mesh
    found = propagated(entry.program, mesh, lies, entry.shapes) if None in wanted else wanted
    for y, w, f in zip(out, wanted, found):
        s = f if w is None else w
        if isinstance(w, NamedSharding):
            w.check(y.shape)
        if s is not None:
            put_sharding(y, s)
    return out
