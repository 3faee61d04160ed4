# tensorflow._more -- functions of tensors that few programs call: shapes, bits, places, names.
import time as _time

import _tf as _w
import numpy as _np
from tensorflow._base import state, op, as_tensor, like, ints, dtype_of, TensorShape, TensorSpec, InvalidArgumentError, int32, int64
from tensorflow._strings import string
from tensorflow import _ops


class AggregationMethod:
    # how gradients are summed: here always in one way
    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 1, 2


@op("Bitcast")
def bitcast(input, type):
    x, to = as_tensor(input), dtype_of(type)
    wide, narrow = x.dtype.itemsize, to.itemsize
    shape = list(x.shape)
    if wide > narrow:
        shape += [wide // narrow]
    elif wide < narrow:
        if not shape or shape[-1] != narrow // wide:
            raise InvalidArgumentError(f"Cannot bitcast from {x.dtype.name} to {to.name}: the last dimension must be {narrow // wide}")
        shape = shape[:-1]
    if _w.about(x, "symbolic"):
        if wide != narrow:
            raise NotImplementedError("bitcast inside a function: to a type of another width")
        return _w.bitcast(x, to)
    return _w.reshape(_w.from_bytes(_w.to_bytes(x), to), shape)


def broadcast_dynamic_shape(shape_x, shape_y):
    @op("BroadcastArgs")
    def joined(a, b):
        return _w.tensor(broadcast_sizes(ints(a), ints(b)), as_tensor(a).dtype)
    return joined(shape_x, shape_y)


def broadcast_sizes(a, b):
    n = max(len(a), len(b))
    a, b = [1] * (n - len(a)) + list(a), [1] * (n - len(b)) + list(b)
    for p, q in zip(a, b):
        if p != q and p != 1 and q != 1:
            raise InvalidArgumentError(f"Incompatible shapes for broadcasting: {a} and {b}")
    return [max(p, q) if p and q else 0 for p, q in zip(a, b)]


@op("EditDistance")
def _distances(rows, truths, normalize):
    return _w.tensor([_distance(a, b, normalize) for a, b in zip(rows, truths)], "float32")


def _distance(a, b, normalize):
    last = list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            row.append(min(last[j + 1] + 1, row[j] + 1, last[j] + (x != y)))
        last = row
    d = last[-1]
    return (d / len(b) if b else float("inf") if d else 0.0) if normalize else float(d)


def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    def rows(st):
        from tensorflow.sparse import _list
        sizes = _list(st.dense_shape)[:-1]
        found = {}
        values = getattr(st.values, "known", st.values)._value if st.dtype is string else _list(st.values)
        for at, v in zip(_list(st.indices), values):
            found.setdefault(tuple(at[:-1]), []).append(v)
        return found, sizes
    (a, n), (b, m) = rows(hypothesis), rows(truth)
    sizes = [max(p, q) for p, q in zip(n, m)]
    places = [()]
    for s in sizes:
        places = [p + (i,) for p in places for i in range(s)]
    return _ops.reshape(_distances([a.get(p, []) for p in places], [b.get(p, []) for p in places], normalize), sizes)


def identity_n(input, name=None):
    return [_ops.identity(x) for x in input]


def shape_n(input, out_type=int32, name=None):
    return [_ops.shape(x, out_type) for x in input]


def guarantee_const(input, name=None):
    return _ops.identity(input)


def parallel_stack(values, name="parallel_stack"):
    return _ops.stack(values)


@op("UnravelIndex")
def unravel_index(indices, dims):
    ix, sizes = as_tensor(indices), ints(dims)
    rest, out = ix, []
    for d in sizes[::-1]:
        out.append(_w.remainder(rest, _w.full((), d, ix.dtype)))
        rest = _w.floor_div(rest, _w.full((), d, ix.dtype))
    return _w.stack(out[::-1], 0)


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    sizes, blocks = ints(input_shape), ints(block_shape)
    base = [[0, 0]] * len(sizes) if base_paddings is None else as_tensor(base_paddings).tolist()
    pads, crops = [], []
    for n, b, (lo, hi) in zip(sizes, blocks, base):
        more = -(n + lo + hi) % b
        pads.append([lo, hi + more])
        crops.append([0, more])
    return _ops.constant(pads), _ops.constant(crops)


def timestamp(name=None):
    return _w.tensor(_time.time(), "float64")


def grad_pass_through(f):
    # f's value with the derivative of the identity
    def call(*args, **kw):
        x = as_tensor(args[0])
        y = as_tensor(f(*args, **kw))
        return x + _w.stop_gradient(y - x)
    return call


def type_spec_from_value(value):
    from tensorflow.ragged import RaggedTensor
    from tensorflow.sparse import SparseTensor, SparseTensorSpec
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if isinstance(value, RaggedTensor):
        raise NotImplementedError("type_spec_from_value: of a RaggedTensor")
    return TensorSpec(value.shape, value.dtype)


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    # objects of the type are tensors wherever one is asked for
    base_type.__tensor__ = lambda self: as_tensor(conversion_func(self, None, None, False))


def get_logger():
    import logging
    return logging.getLogger("tensorflow")


# ---- tensors as messages ----

class TensorProto:
    def __init__(self, tensor):
        self.tensor = tensor
        self.dtype, self.tensor_shape = tensor.dtype, tensor.shape
        if tensor.dtype is not string:
            self.tensor_content = _w.to_bytes(tensor)

    def SerializeToString(self):
        from tensorflow._example import serialize_tensor
        return serialize_tensor(self.tensor)._value


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    if allow_broadcast:
        raise NotImplementedError("make_tensor_proto: allow_broadcast")
    kept, state.graph = state.graph, None
    try:
        t = _ops.constant(values, dtype)
        if shape is not None:
            if verify_shape and list(t.shape) != list(shape):
                raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {tuple(t.shape)}.")
            t = _ops.constant(values, dtype, shape)
    finally:
        state.graph = kept
    return TensorProto(t)


def make_ndarray(tensor):
    return tensor.tensor.numpy()


class RegisterGradient:
    def __init__(self, op_type):
        raise NotImplementedError("tf.RegisterGradient: operations have their derivatives from what they are made of; use tf.custom_gradient")


class CriticalSection:
    # calls are never at once here
    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        self.name = name or "critical_section"

    def execute(self, fn, exclusive_resource_access=True, name=None):
        return fn()


def get_static_value(tensor, partial=False):
    # What is known of a tensor without running anything; None: nothing.
    tensor = as_tensor(tensor)
    return None if _w.about(tensor, "symbolic") else tensor.numpy()
