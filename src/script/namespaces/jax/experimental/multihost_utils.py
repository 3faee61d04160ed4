# jax.experimental.multihost_utils -- what processes tell each other.
import numpy
import _tree
import _jax as _w
from jax._layout import everywhere, gathered, make_array_from_process_local_data, put
from jax._sharding import NamedSharding, World, is_local, own_place, said_of, with_sharding


def sync_global_devices(name):
    # Nobody goes on before all are here, and all mean the same place.
    assert_equal(numpy.array(sum([(i + 1) * ord(c) for i, c in enumerate(name)]) % 2147483647, dtype=numpy.int32),
                 f"sync_global_devices name mismatch ('{name}')")


def process_allgather(in_tree, tiled=False):
    # Of every process, along a new first axis, or end to end; of global arrays the whole.
    def one(x):
        s = said_of(x)
        if s is not None and not s.is_fully_addressable:
            return numpy.asarray(everywhere(x))
        all_ = gathered(x)
        if not tiled:
            return all_
        if all_.ndim == 1:
            return all_
        return all_.reshape((all_.shape[0] * all_.shape[1],) + tuple(all_.shape[2:]))
    return _tree.map(one, in_tree)


def broadcast_one_to_all(in_tree, is_source=None):
    # What the source has, process 0 if nobody says so.
    source = World.index == 0 if is_source is None else bool(is_source)
    root = int(gathered(numpy.array(source, dtype=numpy.int32)).argmax())
    return _tree.map(lambda x: gathered(x)[root], in_tree)


def assert_equal(in_tree, fail_message=""):
    want = broadcast_one_to_all(in_tree)
    same = gathered(numpy.array(all([numpy.array_equal(numpy.asarray(a), b) for a, b in
                                     zip(_tree.flatten(in_tree)[0], _tree.flatten(want)[0])]), dtype=numpy.int32))
    if not same.all():
        raise AssertionError(f"{fail_message}. Expected: {process_allgather(in_tree)}; got: {in_tree}.")


def _each(tree, specs):
    return zip(_tree.flatten(tree)[0], _tree.prefix(_tree.flatten(tree)[1], specs))


def host_local_array_to_global_array(local_inputs, global_mesh, pspecs):
    made = [make_array_from_process_local_data(NamedSharding(global_mesh, s), x) for x, s in _each(local_inputs, pspecs)]
    return _tree.unflatten(_tree.flatten(local_inputs)[1], made)


def global_array_to_host_local_array(global_inputs, global_mesh, pspecs):
    # The part that the devices of this process have.
    def own(x, spec):
        s, here = NamedSharding(global_mesh, spec), NamedSharding(global_mesh.local_mesh, spec)
        if own_place(s, x.shape) is not None:
            part = _w.copy(_w.part_of(x if said_of(x) == s else with_sharding(x, s)))
            _w.set_layout(part, None)
            return put(part, here)
        value = numpy.asarray(everywhere(x))
        mine = [i for d, i, _ in s.places(tuple(value.shape)) if is_local(d)]
        cut = tuple([slice(None) if mine[0][k].stop is None else slice(min([i[k].start for i in mine]), max([i[k].stop for i in mine]))
                     for k in range(value.ndim)])
        return put(value[cut] if cut else value, here)
    made = [own(x, s) for x, s in _each(global_inputs, pspecs)]
    return _tree.unflatten(_tree.flatten(global_inputs)[1], made)
