# jax -- JAX's names over Weft's tensors, programs and transforms.
#
#   _array _index        arrays, x.at[..]
#   numpy lax nn random scipy     functions
#   _api _custom         jit, grad, vmap ..; derivative rules of one's own
#   _jaxpr _bind core    programs to be walked
#   _pytree tree tree_util        trees
import _jax as _w
import _tree
from jax._array import Array
from jax import _gpu, _sharding
from jax._gpu import default_device
from jax._api import (
    jit, grad, value_and_grad, vjp, jvp, linearize, linear_transpose, jacrev, jacfwd, jacobian,
    hessian, vmap, checkpoint, remat, checkpoint_policies, eval_shape, ShapeDtypeStruct,
    block_until_ready, device_put, device_get, disable_jit, named_call, named_scope, typeof)
from jax._spmd import pmap, shard_map
from jax._sharding import devices, make_mesh, set_mesh, Device, NamedSharding as NamedSharding, P
from jax._layout import (make_array_from_callback, make_array_from_process_local_data, make_array_from_single_device_arrays,
                         reshard)
from jax._custom import custom_gradient, custom_jvp, custom_vjp, closure_convert
from jax._float0 import float0
from jax._jaxpr import make_jaxpr
from jax._config import (
    config, enable_x64, debug_nans, debug_infs, numpy_rank_promotion, numpy_dtype_promotion, enable_checks, debug_key_reuse,
    check_tracer_leaks, checking_leaks, enable_custom_prng, legacy_prng_key, default_prng_impl, threefry_partitionable,
    log_compiles, explain_cache_misses, softmax_custom_jvp, no_tracing, no_execution, thread_guard, transfer_guard,
    transfer_guard_host_to_device, transfer_guard_device_to_device, transfer_guard_device_to_host)
from jax._refs import Ref, empty_ref, free_ref, freeze, new_ref
from jax._precision import default_matmul_precision
from jax import errors, tree, tree_util

__version__ = "0.10.2"
_lazy = ("numpy", "lax", "sharding", "distributed", "nn", "random", "scipy", "core", "debug", "dtypes", "typing", "flatten_util", "ad_checkpoint", "experimental",
         "extend", "ops", "example_libraries", "image", "custom_derivatives", "custom_batching", "stages", "ref")


def __getattr__(name):
    if name in _lazy:
        __import__("jax." + name)
        return globals()[name]
    raise AttributeError(f"module 'jax' has no attribute '{name}'")


def local_devices(process_index=None, backend=None, host_id=None):
    return _sharding.local_devices(host_id if process_index is None else process_index, backend)


def device_count(backend=None):
    return len(devices(backend))


def local_device_count(backend=None):
    return len(local_devices(None, backend))


def default_backend():
    return "gpu" if _gpu.devices else "cpu"


def process_index(backend=None):
    return _sharding.World.index


def process_count(backend=None):
    return _sharding.World.count


def process_indices(backend=None):
    return list(range(_sharding.World.count))


host_id, host_count, host_ids = process_index, process_count, process_indices


def clear_caches():
    pass


def ensure_compile_time_eval():
    return disable_jit()


def effects_barrier():
    # what programs print and call has happened when they return
    pass


from jax._callback import pure_callback
