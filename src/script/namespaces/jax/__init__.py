# jax -- JAX's names over Weft's tensors, programs and transforms.
#
#   _array _index        arrays, x.at[..]
#   numpy lax nn random scipy     functions
#   _api _custom         jit, grad, vmap ..; derivative rules of one's own
#   _jaxpr _bind core    programs to be walked
#   _pytree tree tree_util        trees
import _jax as _w
from jax._array import Array, cpu as _cpu
from jax import _gpu
from jax._api import (
    jit, grad, value_and_grad, vjp, jvp, linearize, linear_transpose, jacrev, jacfwd, jacobian,
    hessian, vmap, pmap, checkpoint, remat, checkpoint_policies, eval_shape, ShapeDtypeStruct,
    block_until_ready, device_put, device_get, disable_jit, named_call, named_scope, typeof)
from jax._custom import custom_jvp, custom_vjp, closure_convert
from jax._jaxpr import make_jaxpr
from jax._config import config, enable_x64
from jax._precision import default_matmul_precision
from jax import errors, tree, tree_util
from jax import numpy, lax

__version__ = "0.10.2"
_lazy = ("nn", "random", "scipy", "core", "debug", "dtypes", "typing", "flatten_util", "ad_checkpoint", "experimental",
         "extend", "ops", "example_libraries")


def __getattr__(name):
    if name in _lazy:
        __import__("jax." + name)
        return globals()[name]
    raise AttributeError(f"module 'jax' has no attribute '{name}'")


def devices(backend=None):
    return [_cpu] if backend == "cpu" else _gpu.devices or [_cpu]


local_devices = devices


def device_count(backend=None):
    return len(devices(backend))


local_device_count = device_count


def default_backend():
    return "gpu" if _gpu.devices else "cpu"


def process_index():
    return 0


def clear_caches():
    pass


def ensure_compile_time_eval():
    return disable_jit()


def pure_callback(callback, result_shape_dtypes, *args, **kwargs):
    if _w.in_trace():
        raise NotImplementedError("jax.pure_callback inside a traced function")
    return callback(*args, **kwargs)
