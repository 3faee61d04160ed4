# tensorflow._base -- what everything stands on: state, errors, shapes, the tensor class, and op(),
# which runs a function now or, while a graph is built, adds it to the graph.
import _tf as _w
import numpy as _np
from _printing import text
from tensorflow import _gpu, _strings


class _Staging:
    # The module _stage, which is loaded when it is asked for something.
    def __getattr__(self, name):
        return getattr(__import__("_stage"), name)


staging = _Staging()

float16, float32, float64, bfloat16 = _w.float16, _w.float32, _w.float64, _w.bfloat16
half, double = float16, float64
int8, int16, int32, int64 = _w.int8, _w.int16, _w.int32, _w.int64
uint8, uint16, uint32, uint64 = _w.uint8, _w.uint16, _w.uint32, _w.uint64
bool_ = _w.bool_
complex64, complex128 = _w.complex64, _w.complex128
DType = _w.dtype


def _describe(d, bits, largest=None):
    d.size, d.is_bool, d.is_integer, d.is_unsigned, d.is_numpy_compatible = bits // 8, d is bool_, d.kind in "iu", d.kind == "u", True
    d.base_dtype = d.real_dtype = d
    if largest is not None:
        d.min, d.max = -largest, largest
        d.limits = d.min, d.max


for _d, _bits, _largest in ((float16, 16, 65504.0), (bfloat16, 16, 3.3895313892515355e38), (float32, 32, 3.4028234663852886e38),
                            (float64, 64, 1.7976931348623157e308), (bool_, 8, None), (complex64, 64, None), (complex128, 128, None)):
    _describe(_d, _bits, _largest)
bool_.min, bool_.max = False, True
complex64.real_dtype, complex128.real_dtype = float32, float64
for _d in (int8, int16, int32, int64, uint8, uint16, uint32, uint64):
    _bits = 8 * _d.itemsize
    _describe(_d, _bits)
    _d.min, _d.max = (0, 2 ** _bits - 1) if _d.is_unsigned else (-2 ** (_bits - 1), 2 ** (_bits - 1) - 1)
    _d.limits = _d.min, _d.max
for _d in (float16, float32, float64, bool_, complex64, complex128, int8, int16, int32, int64, uint8, uint16, uint32, uint64):
    _d.as_numpy_dtype = getattr(_np, _d.name if _d is not bool_ else "bool_")


# how messages number the dtypes
DTYPES = {1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 9: "int64", 10: "bool", 14: "bfloat16", 17: "uint16",
          19: "float16", 22: "uint32", 23: "uint64"}


class State:
    def __init__(self):
        self.eager = True
        self.graph = None   # being built, or None
        self.default = None # the default graph while eager execution is off
        self.tapes = []     # active GradientTapes, outermost first
        self.funcs = []     # tf.functions being traced, outermost first
        self.updates = None     # of variables, gathered while several replicas run (distribute); None: they are done at once
        self.made = 0       # variables made outside of graphs
        self.run = None     # the Session.run in progress
        self.inferring = False  # types alone are asked for
        self.unknown = "None"  # how a size that is not known is shown
        self.resources = True  # are variables of graphs read when an op reads them? Else what is fetched is what they are in the end


state = State()


# ---- errors ----

class OpError(Exception):
    @property
    def message(self):
        return str(self)


class InvalidArgumentError(OpError):
    pass


class FailedPreconditionError(OpError):
    pass


class NotFoundError(OpError):
    pass


class OutOfRangeError(OpError):
    pass


class UnimplementedError(OpError):
    pass


class CancelledError(OpError):
    pass


def _worded(text, label=""):
    # an error of a tensor function, as TensorFlow raises it
    if text.startswith("type: "):
        return TypeError(text[6:])
    if text.startswith("dtype: "):
        text = _in_words(text[7:], label)
        return TypeError(text) if _w.in_trace() else InvalidArgumentError(text)
    text = _in_words(text, label)
    return ValueError(text) if _w.in_trace() else InvalidArgumentError(text)


def _in_words(text, label):
    from tensorflow._worded import worded
    return worded(text, label, _w.in_trace())


_w.set_error(_worded)


# ---- shapes ----

class Dimension:
    def __init__(self, value):
        self.value = value


class TensorShape:
    # Sizes, None where one is not known; dims None: not even how many.
    def __init__(self, dims=()):
        if isinstance(dims, TensorShape):
            dims = dims.dims
        elif isinstance(dims, int):
            dims = (dims,)
        # a size that is a symbol of a trace stays one
        self.dims = None if dims is None else tuple([None if d is None or isinstance(d, int) and d == -1 else d for d in dims])

    @property
    def rank(self):
        return None if self.dims is None else len(self.dims)

    ndims = rank

    def as_list(self):
        if self.dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self.dims)

    def num_elements(self):
        n = 1
        for d in self.dims or (None,):
            if d is None:
                return None
            n *= d
        return n

    def is_fully_defined(self):
        return self.dims is not None and None not in self.dims

    def is_compatible_with(self, other):
        other = TensorShape(other)
        if self.dims is None or other.dims is None:
            return True
        if len(self.dims) != len(other.dims):
            return False
        for a, b in zip(self.dims, other.dims):
            if a is not None and b is not None and a != b:
                return False
        return True

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def concatenate(self, other):
        other = TensorShape(other)
        return TensorShape(None if self.dims is None or other.dims is None else self.dims + other.dims)

    def merge_with(self, other):
        other = TensorShape(other)
        if self.dims is None:
            return other
        if other.dims is None:
            return self
        self.assert_is_compatible_with(other)
        return TensorShape([b if a is None else a for a, b in zip(self.dims, other.dims)])

    def with_rank(self, rank):
        if self.rank != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self

    def __len__(self):
        if self.dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self.dims)

    def __bool__(self):
        return self.dims is not None

    def __iter__(self):
        return iter(self.dims)

    def __getitem__(self, k):
        if self.dims is None:
            return TensorShape(None) if isinstance(k, slice) else None
        r = self.dims[k]
        return TensorShape(r) if isinstance(k, slice) else r

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def __eq__(self, other):
        try:
            return self.dims == TensorShape(other).dims
        except (TypeError, ValueError):
            return False

    def __hash__(self):
        return hash(self.dims)

    def __str__(self):
        if self.dims is None:
            return "<unknown>"
        return "(" + ", ".join([state.unknown if d is None else str(d) for d in self.dims]) + (",)" if len(self.dims) == 1 else ")")

    def __repr__(self):
        return f"TensorShape({None if self.dims is None else list(self.dims)})"


class TensorSpec:
    def __init__(self, shape, dtype=float32, name=None):
        self.shape = TensorShape(shape)
        self.dtype = _w.full((1,), 0, dtype).dtype
        self.name = name

    @staticmethod
    def from_tensor(t, name=None):
        return TensorSpec(t.shape, t.dtype, name)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype=tf.{self.dtype.name}, name={self.name!r})"


# ---- tensors ----

class TensorLike:
    # of tf.Tensor: eager tensors and those of a graph
    pass


def _declared(x):
    # the shape of an argument as the function's signature has it
    for t, shape in state.funcs[-1].shown if state.funcs else ():
        if t is x:
            return shape
    return x.shape


class EagerTensor(_w.Tensor, TensorLike):
    __module__ = "tensorflow.python.framework.ops"

    def numpy(self):
        if _w.about(self, "symbolic"):
            raise AttributeError("'SymbolicTensor' object has no attribute 'numpy'")
        x = _w.detach(self)
        return _np._w.wrap(_w.copy(x))

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        self.shape.assert_is_compatible_with(shape)

    def ref(self):
        return Reference(self)

    @property
    def name(self):
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def op(self):
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self):
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def device(self):
        return _gpu.name_of(_gpu.at(self))

    @property
    def backing_device(self):
        return self.device

    def cpu(self):
        return _gpu.moved(self, 0)

    def gpu(self, gpu_index=0):
        if gpu_index >= _gpu.gpus:
            raise RuntimeError(f"GPU:{gpu_index} unknown device.")
        return _gpu.moved(self, gpu_index + 1)

    def __abs__(self):
        signed(self)
        return _w.abs(self)

    def __hash__(self):
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __array__(self, dtype=None):
        return self.numpy()

    def __round__(self, n=None):
        return _w.round(self)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return _w.copy(self)

    def __repr__(self):
        if _w.about(self, "symbolic"):
            return f"<tf.Tensor 'x:0' shape={_declared(self)} dtype={self.dtype.name}>"
        return text(_w, self, "tf_repr")

    def __str__(self):
        if _w.about(self, "symbolic"):
            return f'Tensor("x:0", shape={_declared(self)}, dtype={self.dtype.name})'
        return text(_w, self, "tf")


_w.set_class(EagerTensor)
_w.set_shape_class(TensorShape)


def _rows_of(v):
    return "[" + " ".join([_rows_of(x) for x in v]) + "]" if isinstance(v, list) else repr(v)


class StringTensor(TensorLike):
    __module__ = "tensorflow.python.framework.ops"
    dtype = _strings.string

    def __init__(self, value):
        self._value = _strings.bytes_of(value)
        self.shape = TensorShape(_strings.sizes_of(self._value))

    @property
    def ndim(self):
        return len(self.shape)

    def get_shape(self):
        return self.shape

    def numpy(self):
        return _np.array(self._value, dtype=object) if isinstance(self._value, list) else self._value

    def __len__(self):
        return len(self._value)

    def __getitem__(self, i):
        return StringTensor(self._value[i])

    def __iter__(self):
        return iter([StringTensor(v) for v in self._value])

    def __eq__(self, other):
        if isinstance(other, (str, bytes)):
            other = StringTensor(other)
        if not isinstance(other, StringTensor):
            return NotImplemented
        return _w.tensor(_alike(self._value, other._value), bool_)

    def __ne__(self, other):
        r = self.__eq__(other)
        return r if r is NotImplemented else _w.logical_not(r)

    def __add__(self, other):
        from tensorflow.strings import join
        return join([self, other])

    def __radd__(self, other):
        from tensorflow.strings import join
        return join([other, self])

    def __hash__(self):
        return id(self)

    def __str__(self):
        return f"tf.Tensor({_rows_of(self._value) if self.ndim else repr(self._value)}, shape={self.shape}, dtype=string)"

    def __repr__(self):
        return f"<tf.Tensor: shape={self.shape}, dtype=string, numpy={self.numpy()!r}>"


def _alike(a, b):
    if isinstance(a, list) or isinstance(b, list):
        n = len(a) if isinstance(a, list) else len(b)
        return [_alike(x, y) for x, y in zip(a if isinstance(a, list) else [a] * n, b if isinstance(b, list) else [b] * n)]
    return a == b


class Reference:
    def __init__(self, x):
        self.x = x

    def deref(self):
        return self.x

    def __hash__(self):
        return id(self.x)

    def __eq__(self, other):
        return isinstance(other, Reference) and self.x is other.x


def dtype_of(d):
    return d if d is None or d is _strings.string else _w.full((1,), 0, d).dtype


def as_tensor(x, dtype=None):
    # anything as an eager tensor; numpy's 64 bits stay, Python's numbers are 32 bits wide
    if isinstance(x, _w.Tensor):
        x = _w.wrap(x)
        if dtype is not None and x.dtype != dtype:
            raise ValueError(f"Tensor conversion requested dtype {dtype_of(dtype).name} for Tensor with dtype {x.dtype.name}: {x!r}")
        return x
    if hasattr(x, "__tensor__"):
        return as_tensor(x.__tensor__(), dtype)
    if _strings.is_string_tensor(x):
        return x
    if _strings.is_text(x):
        return StringTensor(x)
    if isinstance(x, TensorShape):
        x = x.as_list()
    if dtype is None and isinstance(x, complex):
        return _w.tensor(x, complex128)
    if dtype is None and isinstance(x, (int, float, bool)):
        return _w.tensor(x, bool_ if isinstance(x, bool) else float32 if isinstance(x, float) else int32 if -2147483648 <= x <= 2147483647 else int64)
    try:
        return _w.tensor(x, dtype, False)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    except TypeError:
        raise ValueError(f"Attempt to convert a value ({x!r}) with an unsupported type ({type(x)}) to a Tensor.") from None


def like(x, y):
    # the operands of a function of two: host numbers take the dtype of the tensor
    a, b = _is_tensor(x), _is_tensor(y)
    if a and not b:
        x = as_tensor(x)
        return x, as_operand(y, x.dtype)
    if b and not a:
        y = as_tensor(y)
        return as_operand(x, y.dtype), y
    if not a:
        x = as_tensor(x)
        return x, as_operand(y, x.dtype)
    x, y = as_tensor(x), as_tensor(y)
    if x.dtype != y.dtype:
        raise InvalidArgumentError(f"cannot compute as input #1(zero-based) was expected to be a {x.dtype.name} tensor but is a {y.dtype.name} tensor")
    return x, y


def _is_tensor(x):
    # of TensorFlow: an array of NumPy is a host value, which takes the dtype of the other operand
    return isinstance(x, TensorLike) or (not isinstance(x, _w.Tensor) and hasattr(x, "__tensor__"))


def drawn(make, shape, dtype):
    # Random numbers, make(): in a function or a session's program they are a further input, drawn anew
    # at each call.
    if state.inferring:
        return _w.full(ints(shape), 0, dtype)
    g = state.funcs[-1] if state.funcs else state.run
    if g is None or g.level is None:
        if _w.in_trace():
            raise staging.Refuse("random numbers in a loop or a branch are drawn anew in each turn")
        return make()
    if g.free_sizes or _w.trace_level() != g.level:
        raise staging.Refuse("random numbers in a loop or a branch are drawn anew in each turn")
    x, at = _w.capture(_w.full(ints(shape), 0, dtype), g.level)     # drawn when it is called
    g.draws.append((make, at, shape, dtype))
    return x


def as_operand(x, dtype):
    # A host value takes the dtype as it is: through 32 bits it would lose digits.
    t = as_tensor(x)
    if t.dtype == dtype:
        return t
    if (dtype == bool_ or t.dtype.is_floating and not dtype.is_inexact) and _w.about(t, "count"):
        raise TypeError(f"Cannot convert {x!r} to EagerTensor of dtype {dtype.name}")
    if isinstance(x, (int, float, list, tuple)) and dtype in (float64, complex128, int64, uint64) and not _has_tensors(x):
        return _w.tensor(x, dtype, False)
    return _w.cast(t, dtype)


def _has_tensors(x):
    if isinstance(x, (list, tuple)):
        for v in x:
            if _has_tensors(v):
                return True
        return False
    return isinstance(x, _w.Tensor) or hasattr(x, "__tensor__")


def signed(x):
    # functions that have no kernels for bools and numbers without a sign
    if x.dtype in (bool_, uint8, uint16, uint32, uint64):
        raise InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values")
    return x


def axes_of(axis):
    if axis is None or isinstance(axis, int):
        return axis
    if isinstance(axis, _w.Tensor):
        return axis.tolist()
    return [int(a) for a in axis]


def ints(x):
    # a shape or a list of sizes: numbers, or while a graph's program is made expressions of sizes
    if isinstance(x, int):
        return [x]
    if isinstance(x, _w.Tensor):
        if _symbolic(x):
            return [_w.size_of(x)] if x.ndim == 0 else [_w.size_of(x[i]) for i in range(x.shape[0])]
        x = x.tolist()
        return x if isinstance(x, list) else [x]
    return [_w.size_of(d) if _symbolic(d) else d if isinstance(d, int) or _w.is_size(d) else int(d) for d in x]


def _symbolic(x):
    return isinstance(x, _w.Tensor) and not state.funcs and _w.about(x, "symbolic")


def op(name):
    # Decorates a function of tensors: while a graph is built, calls become nodes of it.
    def wrap(fn):
        def call(*args, **kw):
            if state.graph is not None:
                return state.graph.add(name, fn, args, kw)
            if kw:
                kw.pop("name", None)
            return fn(*args, **kw)
        call.__name__ = name
        return call
    return wrap
