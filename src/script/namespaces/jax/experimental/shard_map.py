# jax.experimental.shard_map -- the older way to say it.
from jax._spmd import shard_map as _shard_map


def shard_map(f, mesh, in_specs, out_specs, check_rep=True, auto=frozenset()):
    names = tuple([n for n in mesh.axis_names if n not in auto])
    return _shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, axis_names=names, check_vma=check_rep)
