# jax.experimental.mesh_utils -- devices in the shape of a mesh.
from jax._sharding import devices as _devices


def create_device_mesh(mesh_shape, devices=None, *, contiguous_submeshes=False, allow_split_physical_axes=False):
    import numpy
    if contiguous_submeshes or allow_split_physical_axes:
        raise NotImplementedError("create_device_mesh: there are no physical axes")
    have = _devices() if devices is None else list(devices)
    n = 1
    for s in mesh_shape:
        n *= s
    if n != len(have):
        raise ValueError(f"Number of devices {len(have)} must equal the product of mesh_shape {tuple(mesh_shape)}")
    return numpy.array(have, dtype=object).reshape(tuple(mesh_shape))
