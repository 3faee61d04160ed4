# tensorflow.compat.v1_names -- functions that version 2 keeps elsewhere or has dropped, by version 1's names and arguments.
from collections import namedtuple as _namedtuple

import _tf as _w
from tensorflow import _ops, debugging, image, io, linalg, math, nn, random, signal, sparse, strings
from tensorflow._base import (Dimension, OpError, op, as_tensor, as_operand, dtype_of, ints, state, TensorShape, InvalidArgumentError, like, bfloat16, complex64, complex128,
                              float32, float64, int32, int64)
from tensorflow._graph import GraphTensor, GraphVariable, default_graph, graph_group
from tensorflow._decompose import matrix_solve_ls
from tensorflow._segments import (
    segment_sum, segment_mean, segment_prod, segment_max, segment_min, unsorted_segment_sum, unsorted_segment_mean, unsorted_segment_sqrt_n,
    unsorted_segment_prod, unsorted_segment_max, unsorted_segment_min, invert_permutation, histogram_fixed_width_bins, sparse_segment_sum,
    sparse_segment_mean, sparse_segment_sqrt_n)
from tensorflow._specials import betainc, igamma, igammac, lbeta, polygamma, zeta
from tensorflow._debug import (
    Assert, assert_equal, assert_greater, assert_greater_equal, assert_integer, assert_less, assert_less_equal, assert_near, assert_negative,
    assert_non_negative, assert_non_positive, assert_none_equal, assert_positive, assert_proper_iterable, assert_rank, assert_rank_at_least,
    assert_rank_in, assert_same_float_dtype, assert_scalar, assert_type, check_numerics, is_non_decreasing, is_numeric_tensor, is_strictly_increasing)
from tensorflow.linalg import cholesky, cholesky_solve, cross, matrix_transpose
from tensorflow.linalg import (band_part as matrix_band_part, diag_part as matrix_diag_part, set_diag as matrix_set_diag,
                               triangular_solve as matrix_triangular_solve, qr, svd, eigh as self_adjoint_eig,
                               eigvalsh as self_adjoint_eigvals, sqrtm as matrix_square_root)
from tensorflow.signal import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from tensorflow.nn import batch_to_space as batch_to_space_nd
from tensorflow.io import (decode_base64, decode_compressed, decode_csv, decode_raw, encode_base64, matching_files, parse_example,
                           parse_single_example, parse_tensor, read_file, serialize_tensor, write_file, FixedLenFeature, FixedLenSequenceFeature,
                           VarLenFeature, SparseFeature)
from tensorflow.sparse import (SparseTensor, concat as sparse_concat, fill_empty_rows as sparse_fill_empty_rows, mask as sparse_mask,
                               maximum as sparse_maximum, minimum as sparse_minimum, reorder as sparse_reorder, reset_shape as sparse_reset_shape,
                               reshape as sparse_reshape, retain as sparse_retain, slice as sparse_slice, softmax as sparse_softmax,
                               sparse_dense_matmul as sparse_tensor_dense_matmul, to_dense as sparse_tensor_to_dense,
                               to_indicator as sparse_to_indicator, transpose as sparse_transpose, sparse_placeholder, SparseTensorValue)
from tensorflow.sparse import add as _sparse_add, reduce_sum as _sparse_sum, reduce_max as _sparse_max, split as _sparse_split
from tensorflow._ops import linspace as lin_space, reverse as reverse_v2, divide_no_nan as div_no_nan, tensor_scatter_nd_update as tensor_scatter_update
from tensorflow._ops import tensor_scatter_nd_add as tensor_scatter_add, tensor_scatter_nd_sub as tensor_scatter_sub, where_v2, scalar_mul

multinomial, random_gamma, random_poisson, random_crop = random.multinomial, random.gamma, random.poisson_v1, random.crop
extract_image_patches = image.extract_image_patches
string_join, string_strip, regex_replace = strings.join, strings.strip, strings.regex_replace
string_to_hash_bucket_fast, string_to_hash_bucket = strings.to_hash_bucket_fast, strings.to_hash_bucket


def _row_wise(c, x, y):
    # x and y of one shape; a vector of conditions takes whole rows
    if list(x.shape) != list(y.shape):
        raise InvalidArgumentError(f"Shapes must be equal: {_ops._sizes(x)} and {_ops._sizes(y)}")
    if c.ndim == 1 and x.ndim > 1:
        c = _w.reshape(c, [-1] + [1] * (x.ndim - 1))
    elif c.ndim and list(c.shape) != list(x.shape):
        raise InvalidArgumentError(f"Shapes must be equal: {_ops._sizes(c)} and {_ops._sizes(x)}")
    return c


where = _ops._select(_row_wise)


def _to(dtype):
    def call(x, name=None):
        return _ops.cast(x, dtype)
    return call


to_int64, to_double, to_bfloat16, to_complex64, to_complex128 = [_to(d) for d in (int64, float64, bfloat16, complex64, complex128)]


def space_to_depth(input, block_size, name=None, data_format="NHWC"):
    return nn.space_to_depth(input, block_size, data_format)


def depth_to_space(input, block_size, name=None, data_format="NHWC"):
    return nn.depth_to_space(input, block_size, data_format)


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    return nn.batch_to_space(input, [block_size, block_size] if block_shape is None else block_shape, crops)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    return nn.space_to_batch(input, [block_size, block_size] if block_shape is None else block_shape, paddings)


space_to_batch_nd = nn.space_to_batch


def confusion_matrix(labels, predictions, num_classes=None, dtype=int32, name=None, weights=None):
    return math.confusion_matrix(labels, predictions, num_classes, weights, dtype)


def string_split(source, sep=None, skip_empty=True, delimiter=" ", result_type="SparseTensor", name=None):
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    r = strings.split_v1(source, delimiter if sep is None else sep, skip_empty)
    return r if result_type == "RaggedTensor" else r.to_sparse()


def string_to_number(string_tensor=None, out_type=float32, name=None, input=None):
    return strings.to_number(string_tensor if input is None else input, out_type)


def substr(input, pos, len, name=None, unit="BYTE"):
    return strings.substr(input, pos, len, unit)


def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    return strings.as_string(input, precision, scientific, shortest, width, fill)


def reduce_join(inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None, keepdims=None):
    return strings.reduce_join(inputs, axis if reduction_indices is None else reduction_indices, bool(keepdims or keep_dims), separator)


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    return check_numerics(t if x is None else x, msg if message is None else message)


def add_check_numerics_ops():
    g = default_graph()
    return graph_group([check_numerics(t, f"{t.name}") for o in g.get_operations() for t in o.outputs if t.dtype.is_floating])


def clip_by_average_norm(t, clip_norm, name=None):
    x = _ops.convert_to_tensor(t)
    n = _ops.cast(_ops.size(x), x.dtype)
    inverse = n * _ops.rsqrt(_ops.reduce_sum(x * x))
    return x * clip_norm * _ops.minimum(inverse, 1.0 / clip_norm)


def batch_gather(params, indices, name=None):
    return _ops.gather(params, indices, None, None, _ops.convert_to_tensor(indices).shape.rank - 1)


@op("ListDiff")
def _listdiff(x, y, index_dtype):
    x, away = as_tensor(x), set(as_tensor(y).tolist())
    kept = [(v, i) for i, v in enumerate(x.tolist()) if v not in away]
    return _Listed(_w.tensor([v for v, _ in kept], x.dtype), _w.tensor([i for _, i in kept], index_dtype))


def setdiff1d(x, y, index_dtype=int32, name=None):
    return _listdiff(x, y, index_dtype)


_Listed = _namedtuple("ListDiff", ["out", "idx"])
listdiff = setdiff1d


# ---- dense values of indices ----

def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    return _to_dense(sparse_indices, output_shape, sparse_values, default_value, validate_indices)


@op("SparseToDense")
def _to_dense(indices, shape, values, default, validate):
    ix, v = as_tensor(indices), as_tensor(values)
    shape = ints(shape)
    ix = _w.reshape(ix, [-1, 1]) if ix.ndim < 2 else ix
    if validate and not _w.about(ix, "symbolic"):
        rows = ix.tolist()
        for a, b in zip(rows, rows[1:]):
            if a >= b:
                raise InvalidArgumentError(f"indices[{rows.index(b)}] = {b} is {'repeated' if a == b else 'out of order'}")
    base = _w.copy(_w.broadcast_to(as_operand(default, v.dtype), shape))
    n = ix.shape[0]
    return _w.index_set(base, tuple([ix[:, k] for k in range(ix.shape[1])]), _w.broadcast_to(v, [n]) if v.ndim == 0 else v)


def sparse_add(a, b, threshold=None, thresh=None):
    return _sparse_add(a, b, threshold if threshold is not None else 0 if thresh is None else thresh)


def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    return _sparse_sum(sp_input, axis if reduction_axes is None else reduction_axes, bool(keepdims or keep_dims))


def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    return _sparse_max(sp_input, axis if reduction_axes is None else reduction_axes, bool(keepdims or keep_dims))


def sparse_split(_sentinel=None, sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
    if _sentinel is not None:
        raise ValueError("Keyword arguments are required for this function.")
    return _sparse_split(sp_input, num_split, split_dim if axis is None else axis)


def sparse_matmul(a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None):
    return _ops.matmul(a, b, transpose_a, transpose_b, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)


# ---- variables ----

def is_variable_initialized(variable):
    return variable.is_initialized()


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    from tensorflow._host import node_of
    from tensorflow._strings import string
    from tensorflow._base import StringTensor
    g = default_graph()
    found = list(var_list) if var_list is not None else g.get_collection("variables") + g.get_collection("local_variables")

    def pull(session, values):
        return [StringTensor([v.name[:-2] for v in found if not session.has(v)])]
    return node_of(name, "BooleanMask", [], pull, [(string, [None])])[0]


def assert_variables_initialized(var_list=None):
    from tensorflow._host import node_of
    g = default_graph()
    found = list(var_list) if var_list is not None else g.get_collection("variables")

    def pull(session, values):
        for v in found:
            session.value(v)
        return [_w.tensor(0)]
    return node_of("assert_variables_initialized", "NoOp", [], pull, [])


def count_up_to(ref, limit, name=None):
    return ref.count_up_to(limit)


def _scattered(kind):
    # rows of a variable, changed one after the other
    def call(ref, indices, updates, use_locking=False, name=None):
        return ref._change(lambda x, i, u: _rows_changed(x, i, u, kind), _ops.convert_to_tensor(indices), updates)
    return call


def _rows_changed(x, ix, u, kind):
    flat = _w.reshape(ix, [-1])
    u = _w.broadcast_to(u, list(ix.shape) + list(x.shape)[1:])
    u = _w.reshape(u, [-1] + list(x.shape)[1:])
    if kind == "add" or kind == "sub":
        return _w.index_add(x, flat, u if kind == "add" else -u)
    if kind == "set":
        return _w.index_set(x, flat, u)
    change = {"mul": _w.mul, "div": _w.div, "max": _w.maximum, "min": _w.minimum}[kind]
    for k in range(flat.shape[0]):
        at = flat[k:k + 1]
        x = _w.index_set(x, at, change(_w.take(x, at, 0), u[k:k + 1]))
    return x


scatter_add, scatter_sub, scatter_update, scatter_mul, scatter_div, scatter_max, scatter_min = [
    _scattered(k) for k in ("add", "sub", "set", "mul", "div", "max", "min")]


def _scattered_nd(fn):
    def call(ref, indices, updates, use_locking=True, name=None):
        return ref._change(fn, _ops.convert_to_tensor(indices), updates)
    return call


def _nd(ix):
    return tuple([ix[..., k] for k in range(ix.shape[-1])])


scatter_nd_add = _scattered_nd(lambda x, i, u: _w.index_add(x, _nd(i), u))
scatter_nd_sub = _scattered_nd(lambda x, i, u: _w.index_add(x, _nd(i), -u))
scatter_nd_update = _scattered_nd(lambda x, i, u: _w.index_set(x, _nd(i), u))


# ---- messages that configure a session ----

class _Options:
    # fields by name, as a message has them: a field that was not set is another message
    def __init__(self, **kw):
        for k, v in kw.items():
            setattr(self, k, v)


class RunOptions(_Options):
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3
    trace_level, timeout_in_ms, inter_op_thread_pool, output_partition_graphs = 0, 0, 0, False


class RunMetadata(_Options):
    pass


class OptimizerOptions(_Options):
    L1, L0, DEFAULT, OFF, ON_1, ON_2 = 0, -1, 0, -1, 1, 2
    opt_level, global_jit_level, do_function_inlining = 0, 0, False


class GraphOptions(_Options):
    def __init__(self, **kw):
        self.optimizer_options = OptimizerOptions()
        super().__init__(**kw)


def dimension_value(dimension):
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape, index):
    return Dimension(None if shape.rank is None else shape[index])


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    return value if isinstance(value, SparseTensor) else _ops.convert_to_tensor(value, dtype)


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    from tensorflow._tape import IndexedSlices
    return value if isinstance(value, IndexedSlices) else _ops.convert_to_tensor(value, dtype)


def op_scope(values, name, default_name=None):
    from tensorflow import name_scope
    return name_scope(name, default_name, values)


def no_regularizer(_):
    return None


def executing_eagerly_outside_functions():
    return state.eager


def control_flow_v2_enabled():
    return state.unknown != "?"


def _same(what, given):
    # a switch that has one position here
    def call():
        if not given():
            raise NotImplementedError(f"{what}: graphs keep the form of control flow that disable_v2_behavior chose")
    return call


enable_control_flow_v2 = _same("enable_control_flow_v2", lambda: control_flow_v2_enabled())
disable_control_flow_v2 = _same("disable_control_flow_v2", lambda: not control_flow_v2_enabled())


_own = ("op", "like", "as_tensor", "as_operand", "dtype_of", "ints", "state", "GraphTensor", "GraphVariable", "default_graph", "graph_group", "nn", "image")
__all__ = [n for n in globals() if not n.startswith("_") and n not in _own]
