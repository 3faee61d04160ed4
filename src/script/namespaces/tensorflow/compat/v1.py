# tensorflow.compat.v1 -- version 1's names: graphs, placeholders, sessions, optimisers.
import sys as _sys

import _tf as _w
from tensorflow import *
from tensorflow._base import state as _state, as_tensor as _as_tensor, dtype_of as _dtype_of, TensorShape, TensorLike as Tensor, InvalidArgumentError
from tensorflow import (_ops, errors, nn, math, linalg, random, keras, data, nest, debugging, initializers, compat, group, no_op, control_dependencies, name_scope, device, cond, case, TensorArray, UnconnectedGradients, slice, print,
                        bool, name_scope as _name_scope)
from tensorflow._graph import (Graph, GraphVariable, GraphTensor, GraphDef, NodeDef, Operation, placeholder, placeholder_with_default, default_graph,
                               graph_group, _Graph)
from tensorflow._session import Session, InteractiveSession
from tensorflow._flow import gradients, hessians
from tensorflow._control import repeated as _repeated
from tensorflow._variable import Variable
from tensorflow.compat import v1_train as train, v1_losses as losses, v1_layers as layers, v1_saved_model as saved_model, v1_summary as summary, v1_metrics as metrics
from tensorflow._host import FIFOQueue, QueueBase, RandomShuffleQueue, py_func as _py_func
from tensorflow._strings import string
from tensorflow._summary import Summary

from tensorflow.compat import v1_nn as nn

from tensorflow._graphdef import import_graph_def

to_float, to_int32 = _ops.to_float, _ops.to_int32
log_loss = None
AUTO_REUSE = "auto"
div = _ops.divide
mul, sub, neg = _ops.multiply, _ops.subtract, _ops.negative
random_uniform, random_normal, truncated_normal = random.uniform, random.normal, random.truncated_normal
random_shuffle = random.shuffle
set_random_seed = random.set_random_seed
get_seed = random.get_seed
matrix_inverse, matrix_determinant, matrix_solve = _ops.inv, _ops.det, _ops.solve
diag, diag_part, matrix_diag = linalg.tensor_diag, linalg.tensor_diag_part, linalg.diag
log_sigmoid = _ops.log_sigmoid
is_nan = _ops.is_nan
arg_min, arg_max = _ops.argmin, _ops.argmax


def py_func(func, inp, Tout, stateful=True, name=None):
    if _state.graph is None:
        return numpy_function(func, inp, Tout)
    return _py_func(func, inp, Tout, stateful, name)


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None,
               maximum_iterations=None, return_same_structure=False):
    r = _repeated(cond, body, loop_vars, shape_invariants, maximum_iterations)
    return r if return_same_structure or len(loop_vars) != 1 or not isinstance(r, (list, tuple)) else r[0]


def disable_eager_execution():
    _state.eager = False
    _state.graph = default_graph()


def disable_v2_behavior():
    disable_eager_execution()
    _state.unknown = "?"
    _state.resources = False


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    _state.eager = True
    _state.graph = None


def enable_v2_behavior():
    enable_eager_execution()


def disable_resource_variables():
    _state.resources = False


def enable_resource_variables():
    _state.resources = True


def resource_variables_enabled():
    return _state.resources


def get_default_graph():
    return default_graph()


def reset_default_graph():
    fresh = Graph()
    if _state.graph is not None and _state.graph is _state.default:
        _state.graph = fresh
    _state.default = fresh


def get_default_session():
    return Session._stack[-1] if Session._stack else None


def global_variables():
    return default_graph().get_collection("variables")


def trainable_variables(scope=None):
    return [v for v in default_graph().get_collection("trainable_variables") if scope is None or v.name.startswith(scope)]


all_variables = global_variables


def local_variables(scope=None):
    return [v for v in default_graph().get_collection("local_variables") if scope is None or v.name.startswith(scope)]


def variables_initializer(var_list, name="init"):
    return graph_group([v.initializer for v in var_list])


def global_variables_initializer():
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer


def local_variables_initializer():
    return variables_initializer(local_variables())


def tables_initializer(name="init_all_tables"):
    return graph_group([])


def get_collection(key, scope=None):
    return [v for v in default_graph().get_collection(key) if scope is None or v.name.startswith(scope)]


def add_to_collection(name, value):
    default_graph().collections.setdefault(name, []).append(value)


class GraphKeys:
    GLOBAL_VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"


# ---- variables by scope ----

class variable_scope:
    def __init__(self, name_or_scope=None, default_name=None, values=None, initializer=None, reuse=None, regularizer=None, dtype=None, **kw):
        self.given = name_or_scope if name_or_scope is not None else default_name
        self.initializer = initializer
        self.reuse = reuse

    def __enter__(self):
        g = default_graph()
        outer = g.variable_scopes[-1] if g.variable_scopes else None
        if isinstance(self.given, variable_scope):
            self.name = self.given.name
        else:
            self.name = (outer.name + "/" if outer is not None and outer.name else "") + self.given
        if self.reuse is None and outer is not None:
            self.reuse = outer.reuse
        if self.initializer is None and outer is not None:
            self.initializer = outer.initializer
        g.variable_scopes.append(self)
        g.layer_counts = {k: n for k, n in g.layer_counts.items() if not k.startswith(self.name + "/")}
        g.push_scope(self.given if isinstance(self.given, str) else self.name)
        return self

    def __exit__(self, *exc):
        g = default_graph()
        g.variable_scopes.pop()
        g.pop_scope()

    @property
    def original_name_scope(self):
        return self.name + "/"

    def reuse_variables(self):
        self.reuse = True


def get_variable_scope():
    g = default_graph()
    if g.variable_scopes:
        return g.variable_scopes[-1]
    s = variable_scope("")
    s.name = ""
    return s


def get_variable(name, shape=None, dtype=float32, initializer=None, regularizer=None, trainable=None, collections=None, caching_device=None,
                 partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None, synchronization=None,
                 aggregation=None):
    if partitioner is not None or custom_getter is not None:
        raise NotImplementedError("get_variable: partitioner, custom_getter")
    g = default_graph()
    scope = g.variable_scopes[-1] if g.variable_scopes else None
    full = scope.name + "/" + name if scope is not None and scope.name else name
    reuse = scope.reuse if scope is not None else None
    if full in g.store:
        if reuse is None or reuse is False:
            raise ValueError(f"Variable {full} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?")
        v = g.store[full]
        if shape is not None and not v.shape.is_compatible_with(shape if not isinstance(shape, int) else [shape]):
            raise ValueError(f"Trying to share variable {full}, but specified shape {TensorShape(shape)} and found shape {v.shape}.")
        return v
    if reuse is True:
        raise ValueError(f"Variable {full} does not exist, or was not created with tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?")
    if initializer is None and scope is not None:
        initializer = scope.initializer
    if initializer is None:
        initializer = glorot_uniform_initializer() if _dtype_of(dtype).is_floating else initializers.Zeros()
    if isinstance(initializer, type):
        initializer = initializer()
    scopes, g.scopes = g.scopes, []
    if callable(initializer) and not isinstance(initializer, GraphTensor):
        sizes = [shape] if isinstance(shape, int) else list(shape if shape is not None else [])
        if isinstance(initializer, _Drawn):     # when it is initialised, by the graph's seeds
            g.scopes = [full + "/Initializer"]
            with _Graph(g):
                first = initializer(sizes, dtype)
            g.scopes = []
        else:
            graph, _state.graph = _state.graph, None
            first = initializer(sizes, dtype)
            _state.graph = graph
    else:
        first = initializer
    v = GraphVariable(first, trainable=True if trainable is None else trainable, name=full, constraint=constraint, aggregation=aggregation,
                      use_resource=use_resource)
    for c in collections or ():
        if v not in g.collections.setdefault(c, []):
            g.collections[c].append(v)
    if collections is not None and "variables" not in collections:
        g.collections["variables"].remove(v)
    g.scopes = scopes
    g.store[full] = v
    if regularizer is not None:
        add_to_collection("regularization_losses", regularizer(v))
    return v


# ---- assignment ----

def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    return ref.assign(value)


def assign_add(ref, value, use_locking=None, name=None):
    return ref.assign_add(value)


def assign_sub(ref, value, use_locking=None, name=None):
    return ref.assign_sub(value)


def scatter_update(ref, indices, updates, use_locking=True, name=None):
    return ref._change(lambda x, i, u: _w.index_set(x, i, u), _ops.constant(indices), updates)


def scatter_add(ref, indices, updates, use_locking=False, name=None):
    return ref._change(lambda x, i, u: _w.index_add(x, i, u), _ops.constant(indices), updates)


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    if not _said:
        _said.append("Print")
        _sys.stderr.write("tf.Print: nothing is printed when the graph runs; fetch the tensors, or use tf.print\n")
    return input_


_said = []


class ConfigProto:
    def __init__(self, **kw):
        self.__dict__.update(kw)

    class _Options:
        allow_growth = False

    gpu_options = _Options()


GPUOptions = ConfigProto


def _typed(make, dtype):
    # an initializer with a dtype of its own, where the call names none
    def call(shape, dtype=dtype, partition_info=None):
        return make(shape, dtype or float32)
    return call


def zeros_initializer(dtype=float32):
    return _typed(initializers.Zeros(), dtype)


def ones_initializer(dtype=float32):
    return _typed(initializers.Ones(), dtype)


def constant_initializer(value=0, dtype=float32, verify_shape=False):
    def make(shape, dtype):
        if verify_shape and list(_as_tensor(value).shape) != list(shape):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {tuple(_as_tensor(value).shape)}.")
        return initializers.Constant(value)(shape, dtype)
    return _typed(make, dtype)


# Version 1's draw with the seeds of the graph, when the variable is initialised.

class _Drawn:
    def __init__(self, draw, dtype=None):
        self.draw, self.dtype = draw, dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        return self.draw(shape, dtype or self.dtype or float32)


def random_normal_initializer(mean=0.0, stddev=1.0, seed=None, dtype=None):
    return _Drawn(lambda shape, d: random.normal(shape, mean, stddev, d, seed), dtype)


def random_uniform_initializer(minval=0, maxval=None, seed=None, dtype=None):
    return _Drawn(lambda shape, d: random.uniform(shape, minval, maxval, d, seed), dtype)


def truncated_normal_initializer(mean=0.0, stddev=1.0, seed=None, dtype=None):
    return _Drawn(lambda shape, d: random.truncated_normal(shape, mean, stddev, d, seed), dtype)


def variance_scaling_initializer(scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=None):
    def draw(shape, d):
        field = 1
        for n in shape[:-2]:
            field *= n
        fan_in = shape[-2] * field if len(shape) > 1 else shape[0] if shape else 1
        fan_out = shape[-1] * field if shape else 1
        v = scale / max(1.0, {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[mode])
        if distribution == "uniform":
            limit = (3.0 * v) ** 0.5
            return random.uniform(shape, -limit, limit, d, seed)
        if distribution == "untruncated_normal":
            return random.normal(shape, 0.0, v ** 0.5, d, seed)
        return random.truncated_normal(shape, 0.0, v ** 0.5 / 0.87962566103423978, d, seed)
    return _Drawn(draw, dtype)


def glorot_uniform_initializer(seed=None, dtype=None):
    return variance_scaling_initializer(1.0, "fan_avg", "uniform", seed, dtype)


def glorot_normal_initializer(seed=None, dtype=None):
    return variance_scaling_initializer(1.0, "fan_avg", "truncated_normal", seed, dtype)


class logging:
    ERROR, WARN, INFO, DEBUG, FATAL = 40, 30, 20, 10, 50

    @staticmethod
    def set_verbosity(v):
        return None


class app:
    @staticmethod
    def run(main=None, argv=None):
        main(argv or [])


def __getattr__(name):
    if name == "contrib":
        import tensorflow.contrib as contrib
        return contrib
    raise AttributeError(f"module 'tensorflow.compat.v1' has no attribute '{name}'")


class graph_util:
    from tensorflow._graphdef import convert_variables_to_constants as _convert
    convert_variables_to_constants = staticmethod(_convert)
