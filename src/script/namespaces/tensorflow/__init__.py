# tensorflow -- TensorFlow's names: eager tensors, variables, tapes, functions. compat.v1 has graphs
# and sessions.
import _tf as _w
from _host import names as _names_of_file
from tensorflow._base import (
    float16, float32, float64, bfloat16, half, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool_, complex64, complex128, DType, TensorShape,
    TensorSpec, TensorLike as Tensor, state as _state, as_tensor as _as_tensor, dtype_of)
from tensorflow import errors, _ops
from tensorflow._strings import string
from tensorflow._gpu import device
from tensorflow._ops import *
from tensorflow._ops import slice_ as slice
from tensorflow._text import print_ as print
from tensorflow._variable import Variable
from tensorflow._tape import GradientTape, IndexedSlices, UnconnectedGradients, custom_gradient, recompute_grad, no_gradient
from tensorflow._control import (cond, case, switch_case, while_loop, map_fn, vectorized_map, scan, foldl, foldr, TensorArray)
from tensorflow._function import function, py_function, numpy_function, init_scope, run_functions_eagerly
from tensorflow._module import Module

__version__ = "2.21.0"
# Names of other modules, which are loaded when the first of them is asked for.
_lazy = ("autodiff", "bitwise", "image", "math", "nest", "nn", "linalg", "random", "debugging", "data", "config", "keras", "train", "losses", "initializers",
         "experimental", "autograph", "saved_model", "signal", "version", "summary", "compat", "contrib", "examples", "metrics", "optimizers", "strings",
         "io", "sparse", "ragged", "distribute")
_elsewhere = {name: (home, name) for home, names in {
    "_graphdef": "import_graph_def",
    "_more": "AggregationMethod CriticalSection RegisterGradient bitcast broadcast_dynamic_shape edit_distance get_logger get_static_value grad_pass_through "
             "guarantee_const identity_n make_ndarray make_tensor_proto parallel_stack register_tensor_conversion_function "
             "required_space_to_batch_paddings shape_n timestamp type_spec_from_value unravel_index",
    "_segments": "tensor_scatter_nd_max tensor_scatter_nd_min dynamic_partition dynamic_stitch histogram_fixed_width histogram_fixed_width_bins "
                 "reverse_sequence",
    "_specials": "truncatediv truncatemod",
    "debugging": "Assert assert_equal assert_greater assert_less assert_rank",
    "distribute": "VariableAggregation VariableSynchronization",
    "linalg": "eig eigvals norm",
    "nn": "batch_to_space space_to_batch",
    "ragged": "RaggedTensor",
    "sparse": "SparseTensor SparseTensorSpec",
    "strings": "as_string",
}.items() for name in names.split()}
_elsewhere.update(matrix_square_root=("linalg", "sqrtm"), space_to_batch_nd=("nn", "space_to_batch"))
bool = bool_
newaxis = None
dtypes = _w
Operation = object


def __getattr__(name):
    if name in _lazy:
        return __import__("tensorflow." + name)
    if name in _elsewhere:
        home, name = _elsewhere[name]
        return getattr(__import__("tensorflow." + home), name)
    raise AttributeError(f"module 'tensorflow' has no attribute '{name}'")


def as_dtype(d):
    return dtype_of(d)


def executing_eagerly():
    return _state.graph is None and not _state.funcs


def inside_function():
    return len(_state.funcs) > 0


class name_scope:
    def __init__(self, name, default_name=None, values=None):
        self.name = default_name if name is None else name

    def __enter__(self):
        self.graph = _state.graph
        if self.graph is not None:
            return self.graph.push_scope(self.name)
        name = self.name or ""
        _eager_scopes.append(name if name.endswith("/") or not name else _eager_scope() + name + "/")
        return _eager_scopes[-1]

    def __exit__(self, *exc):
        if self.graph is not None:
            self.graph.pop_scope()
        else:
            _eager_scopes.pop()


_eager_scopes = []


def _eager_scope():
    return _eager_scopes[-1] if _eager_scopes else ""


def get_current_name_scope():
    return _eager_scope()[:-1] if _state.graph is None else _state.graph.scope()


class control_dependencies:
    def __init__(self, control_inputs):
        self.inputs = control_inputs

    def __enter__(self):
        self.graph = _state.graph
        if self.graph is not None:
            self.graph.push_control(self.inputs)
        return self

    def __exit__(self, *exc):
        if self.graph is not None:
            self.graph.pop_control()


def group(*inputs, name=None):
    if _state.graph is not None:
        from tensorflow._graph import graph_group
        return graph_group(inputs, name or "group_deps")
    return None


def no_op(name=None):
    return group(name=name or "NoOp")


def tuple_(tensors, name=None, control_inputs=None):
    if _state.graph is None:
        return list(tensors)
    with control_dependencies([t for t in tensors if t is not None] + list(control_inputs or [])):
        return [None if t is None else _ops.identity(t) for t in tensors]


tuple = tuple_


def gradients(ys, xs, grad_ys=None, name="gradients", gate_gradients=False, aggregation_method=None, stop_gradients=None,
              unconnected_gradients=UnconnectedGradients.NONE):
    from tensorflow._flow import gradients as g
    if _state.graph is None:
        raise RuntimeError("tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.")
    return g(ys, xs, grad_ys, name, False, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients)


def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    from tensorflow._flow import hessians as h
    return h(ys, xs, name, False, gate_gradients, aggregation_method)


def Graph():
    from tensorflow._graph import Graph as G
    return G()


def random_uniform_initializer(minval=-0.05, maxval=0.05, seed=None):
    from tensorflow import initializers
    return initializers.RandomUniform(minval, maxval, seed)


def random_normal_initializer(mean=0.0, stddev=0.05, seed=None):
    from tensorflow import initializers
    return initializers.RandomNormal(mean, stddev, seed)


def zeros_initializer():
    from tensorflow import initializers
    return initializers.Zeros()


def ones_initializer():
    from tensorflow import initializers
    return initializers.Ones()


def constant_initializer(value=0):
    from tensorflow import initializers
    return initializers.Constant(value)


# ---- version 1 ----
# A file that writes names which only version 1 has is one for version 1: tensorflow is then compat.v1, without version 2's behaviour.
_first = {"placeholder", "Session", "InteractiveSession", "global_variables_initializer", "initialize_all_variables", "get_variable",
          "variable_scope", "reset_default_graph", "enable_eager_execution", "contrib",
          "GradientDescentOptimizer", "AdamOptimizer", "RMSPropOptimizer", "AdagradOptimizer", "MomentumOptimizer", "ConfigProto"}


def _become_first():
    from tensorflow.compat import v1
    v1.disable_v2_behavior()
    globals().update({k: v for k, v in vars(v1).items() if not k.startswith("__")})
    globals()["__version__"] = "1.15.5"


_written = set(_names_of_file())
if not _first.isdisjoint(_written) and "v1" not in _written:
    _become_first()
