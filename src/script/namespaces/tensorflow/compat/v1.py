# tensorflow.compat.v1 -- version 1's names: graphs, placeholders, sessions, optimisers.
import sys as _sys

import _tf as _w
from tensorflow import *
from tensorflow import __getattr__ as _later, _elsewhere, __version__
from tensorflow._base import state as _state, as_tensor as _as_tensor, dtype_of as _dtype_of, TensorShape, TensorLike as Tensor, InvalidArgumentError
from tensorflow import (_ops, errors, nn, math, linalg, random, keras, data, nest, debugging, initializers, compat, group, no_op, control_dependencies, name_scope, device, cond, case, TensorArray, UnconnectedGradients, slice, print,
                        bool, name_scope as _name_scope)
from tensorflow._graph import (Graph, GraphVariable, GraphTensor, GraphDef, NodeDef, Operation, placeholder, placeholder_with_default, default_graph,
                               graph_group, _Graph)
from tensorflow._session import Session, InteractiveSession
from tensorflow._flow import gradients, hessians
from tensorflow._control import repeated as _repeated
from tensorflow._variable import Variable
from tensorflow.compat import v1_train as train, v1_losses as losses, v1_layers as layers, v1_saved_model as saved_model, v1_summary as summary, v1_metrics as metrics, v1_flags as flags
from tensorflow.compat.v1_scope import (AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, make_template,
                                        variable_op_scope, variable_scope)
from tensorflow._host import FIFOQueue, QueueBase, RandomShuffleQueue, py_func as _py_func
from tensorflow._strings import string
from tensorflow._text import Print
from tensorflow._summary import Summary

from tensorflow.compat import v1_nn as nn, v1_image as image

from tensorflow._graphdef import import_graph_def

from tensorflow.compat.v1_names import *

to_float, to_int32 = _ops.to_float, _ops.to_int32
log_loss = None


def div(x, y, name=None):
    # Python 2's: of integers, the one below
    x = _ops.convert_to_tensor(x, dtype_hint=getattr(y, "dtype", None))
    return _ops.divide(x, y) if x.dtype.is_inexact else _ops.floordiv(x, y)


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


_tuple = type(())       # tuple is a function of the library


def py_func(func, inp, Tout, stateful=True, name=None):
    if _state.graph is None:
        return numpy_function(func, inp, Tout)
    return _py_func(func, inp, Tout, stateful, name)


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None,
               maximum_iterations=None, return_same_structure=False):
    r = _repeated(cond, body, loop_vars, shape_invariants, maximum_iterations)
    return r if return_same_structure or len(loop_vars) != 1 or not isinstance(r, (list, _tuple)) else r[0]


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


def global_variables(scope=None):
    return get_collection("variables", scope)


def trainable_variables(scope=None):
    return get_collection("trainable_variables", scope)


def local_variables(scope=None):
    return get_collection("local_variables", scope)


def model_variables(scope=None):
    return get_collection("model_variables", scope)


def moving_average_variables(scope=None):
    return get_collection("moving_average_variables", scope)


all_variables = global_variables


def variables_initializer(var_list, name="init"):
    return graph_group([v.initializer for v in var_list], name)


initialize_variables = variables_initializer


def global_variables_initializer():
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer


def local_variables_initializer():
    return variables_initializer(local_variables(), "init")


initialize_local_variables = local_variables_initializer


def tables_initializer(name="init_all_tables"):
    return graph_group([], name)


initialize_all_tables = tables_initializer


def get_collection(key, scope=None):
    return default_graph().get_collection(key, scope)


def get_collection_ref(key):
    return default_graph().get_collection_ref(key)


def add_to_collection(name, value):
    default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    default_graph().add_to_collections(names, value)


class GraphKeys:
    GLOBAL_VARIABLES = VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    METRIC_VARIABLES = "metric_variables"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    BIASES, WEIGHTS, ACTIVATIONS = "biases", "weights", "activations"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS, SAVEABLE_OBJECTS = "savers", "saveable_objects"
    RESOURCES, LOCAL_RESOURCES = "resources", "local_resources"
    INIT_OP, LOCAL_INIT_OP, READY_OP, READY_FOR_LOCAL_INIT_OP = "init_op", "local_init_op", "ready_op", "ready_for_local_init_op"
    EVAL_STEP, TRAIN_OP = "eval_step", "train_op"
    COND_CONTEXT, WHILE_CONTEXT = "cond_context", "while_context"


# ---- assignment ----

def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    return ref.assign(value, name=name)


def assign_add(ref, value, use_locking=None, name=None):
    return ref.assign_add(value, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    return ref.assign_sub(value, name=name)


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
            raise TypeError(f"Expected Tensor's shape: {TensorShape(shape)}, got {_as_tensor(value).shape}.")
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


def uniform_unit_scaling_initializer(factor=1.0, seed=None, dtype=float32):
    def draw(shape, d):
        size = 1.0
        for n in shape[:-1]:
            size *= float(n)
        limit = (3 / max(size, 1.0)) ** 0.5 * factor
        return random.uniform(shape, -limit, limit, d, seed)
    return _Drawn(draw, dtype)


def orthogonal_initializer(gain=1.0, seed=None, dtype=float32):
    def draw(shape, d):
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows = 1
        for n in shape[:-1]:
            rows *= n
        cols = shape[-1]
        q, r = linalg.qr(random.normal([max(rows, cols), min(rows, cols)], 0.0, 1.0, d, seed))
        q = q * _ops.sign(linalg.diag_part(r))
        return gain * _ops.reshape(linalg.matrix_transpose(q) if rows < cols else q, shape)
    return _Drawn(draw, dtype)


def glorot_uniform_initializer(seed=None, dtype=None):
    return variance_scaling_initializer(1.0, "fan_avg", "uniform", seed, dtype)


def glorot_normal_initializer(seed=None, dtype=None):
    return variance_scaling_initializer(1.0, "fan_avg", "truncated_normal", seed, dtype)


class logging:
    # what goes to stderr, by the logger "tensorflow"
    DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
    _level = 30

    @staticmethod
    def set_verbosity(v):
        if isinstance(v, str):
            v = {"DEBUG": 10, "INFO": 20, "WARN": 30, "WARNING": 30, "ERROR": 40, "FATAL": 50}[v.upper()]
        logging._level = v

    @staticmethod
    def get_verbosity():
        return logging._level

    @staticmethod
    def log(level, msg, *args):
        if level >= logging._level:
            name = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}.get(level, f"Level {level}")
            _sys.stderr.write(f"{name}:tensorflow:{msg % args if args else msg}\n")

    @staticmethod
    def flush():
        _sys.stderr.flush()

    debug, info = staticmethod(lambda msg, *a: logging.log(10, msg, *a)), staticmethod(lambda msg, *a: logging.log(20, msg, *a))
    warn = warning = staticmethod(lambda msg, *a: logging.log(30, msg, *a))
    error, fatal = staticmethod(lambda msg, *a: logging.log(40, msg, *a)), staticmethod(lambda msg, *a: logging.log(50, msg, *a))


class app:
    flags, run = flags, staticmethod(flags.run)


def __getattr__(name):
    if name == "contrib":
        import tensorflow.contrib as contrib
        return contrib
    if name in ("ragged", "autograph", "config", "distribute", "saved_model", "version", "experimental", "bitwise"):
        return __import__("tensorflow." + name)
    if name in _elsewhere:
        return _later(name)
    raise AttributeError(f"module 'tensorflow.compat.v1' has no attribute '{name}'")


class graph_util:
    from tensorflow._graphdef import convert_variables_to_constants as _convert
    convert_variables_to_constants = staticmethod(_convert)
