# tensorflow._variable -- tf.Variable: a place that holds a tensor, and is watched by the tapes
# that are active where it is read.
import _tf as _w
import numpy as _np
from tensorflow._base import state, as_tensor, as_operand, dtype_of, TensorShape, ints, Reference, FailedPreconditionError
from tensorflow import _ops


def _operator(fn):
    return lambda self, other: fn(self.__tensor__(), other)


def _reflected(fn):
    return lambda self, other: fn(other, self.__tensor__())


_both = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b, "pow": lambda a, b: a ** b, "matmul": lambda a, b: a @ b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
}
_orders = {"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b,
           "ne": lambda a, b: a != b}
_Operators = type("_Operators", (), {
    **{f"__{n}__": _operator(f) for n, f in (_both | _orders).items()}, **{f"__r{n}__": _reflected(f) for n, f in _both.items()}})


class Variable(_Operators):
    def __new__(cls, *args, **kw):
        if cls is Variable and state.graph is not None:
            from tensorflow._graph import GraphVariable
            return GraphVariable(*args, **kw)
        return object.__new__(cls)

    def __init__(self, initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None, variable_def=None,
                 dtype=None, import_scope=None, constraint=None, synchronization=None, aggregation=None, shape=None, **kw):
        if state.graph is not None:
            return
        if callable(initial_value) and not isinstance(initial_value, _w.Tensor):
            initial_value = initial_value()
        if initial_value is None:
            raise ValueError("`initial_value` must be specified.")
        x = as_tensor(initial_value)
        if dtype is not None:
            x = _w.cast(x, dtype) if isinstance(initial_value, _w.Tensor) else as_operand(initial_value, dtype_of(dtype))
        if _w.about(x, "symbolic"):
            raise ValueError("tf.function only supports singleton tf.Variables created on the first call: make the variable outside")
        self._value = _w.copy(_w.detach(x))
        state.made += 1
        from tensorflow import _eager_scope
        self._name = _eager_scope() + (name if name is not None else "Variable") + ":0"
        self.aggregation = str(getattr(aggregation, "name", aggregation or "NONE")).upper()
        self._trainable = True if trainable is None else trainable
        self.constraint = constraint
        self._declared = None if shape is None else TensorShape(shape)      # where assigned values may have other shapes
        if self._declared is not None and not self._declared.is_compatible_with(x.shape):
            raise ValueError(f"The initial value's shape ({x.shape}) is not compatible with the explicitly supplied `shape` argument ({shape}).")

    # ---- reading ----

    def __tensor__(self):
        if state.funcs:
            x = state.funcs[-1].read(self)
        else:
            x = self._value
        for tape in state.tapes:
            tape.read(self, x)
        return x

    def read_value(self):
        return self.__tensor__()

    value = read_value

    def numpy(self):
        return _np._w.wrap(_w.copy(self._value))

    @property
    def name(self):
        return self._name

    @property
    def trainable(self):
        return self._trainable

    @property
    def shape(self):
        return self._value.shape if self._declared is None else self._declared

    @property
    def dtype(self):
        return self._value.dtype

    @property
    def ndim(self):
        return self._value.ndim

    @property
    def device(self):
        return self._value.device

    def get_shape(self):
        return self.shape

    def ref(self):
        return Reference(self)

    # ---- writing ----

    def _set(self, x):
        together = state.updates
        if together is not None:
            if self.aggregation == "MEAN":
                together.mean(self, x)
                return self
            if self._trainable:
                raise ValueError("You must specify an aggregation method to update a MirroredVariable in Replica Context. You can do "
                                 "so by passing an explicit value for argument `aggregation` to tf.Variable(..).e.g. `tf.Variable(..., "
                                 "aggregation=tf.VariableAggregation.SUM)`")
        if not self._declared.is_compatible_with(x.shape) if self._declared is not None else x.shape != self.shape:
            raise ValueError(f"Cannot assign value to variable ' {self._name}': Shape mismatch.The variable shape {self.shape}, and the "
                             f"assigned value shape {x.shape} are incompatible.")
        if state.funcs:
            state.funcs[-1].write(self, x)
        else:
            self._value = _w.copy(_w.detach(x))
        return self

    def assign(self, value, use_locking=False, name=None, read_value=True):
        x = self._set(as_operand(value, self.dtype))
        return x if read_value else None

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        x = self._set(self._current() + as_operand(delta, self.dtype))
        return x if read_value else None

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        x = self._set(self._current() - as_operand(delta, self.dtype))
        return x if read_value else None

    def _current(self):
        return state.funcs[-1].read(self) if state.funcs else self._value

    def _renew(self):
        # the same value as a new tensor: what was made of the old one is forgotten
        self._value = _w.detach(self._value)

    def scatter_nd_update(self, indices, updates, name=None):
        return self._set(_ops.tensor_scatter_nd_update(self._current(), indices, updates))

    def scatter_nd_add(self, indices, updates, name=None):
        return self._set(_ops.tensor_scatter_nd_add(self._current(), indices, updates))

    def scatter_nd_sub(self, indices, updates, name=None):
        return self._set(_ops.tensor_scatter_nd_sub(self._current(), indices, updates))

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._set(_w.index_set(self._current(), as_tensor(sparse_delta.indices), as_tensor(sparse_delta.values)))

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        return self._set(_w.index_add(self._current(), as_tensor(sparse_delta.indices), as_tensor(sparse_delta.values)))

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        return self._set(_w.index_add(self._current(), as_tensor(sparse_delta.indices), -as_tensor(sparse_delta.values)))

    # ---- as a value ----

    def __getitem__(self, key):
        return VariableSlice(self, key)

    def __iter__(self):
        return iter(self.__tensor__())

    def __len__(self):
        return self.shape[0]

    def __bool__(self):
        return bool(self._value)

    def __float__(self):
        return float(self._value)

    def __int__(self):
        return int(self._value)

    def __index__(self):
        return int(self._value)

    def __neg__(self):
        return -self.__tensor__()

    def __invert__(self):
        return ~self.__tensor__()

    def __abs__(self):
        return _w.abs(self.__tensor__())

    def __hash__(self):
        return id(self)

    def __format__(self, spec):
        return format(self._value, spec) if spec else str(self)

    def __array__(self, dtype=None):
        return self.numpy()

    def __deepcopy__(self, memo):
        return Variable(self._value, trainable=self._trainable, name=self._name[:-2])

    def __repr__(self):
        text = repr(self._value)
        at = text.index("numpy=")
        return f"<tf.Variable '{self._name}' shape={self.shape} dtype={self.dtype.name}, {text[at:]}"

    __str__ = __repr__


def VariableSlice(v, key):
    # What v[key] gives: the tensor, with assign on it.
    x = v.__tensor__()[_ops._key(key)]
    x.assign = lambda value, **kw: _assign_part(v, key, value)
    x.assign_add = lambda value, **kw: _assign_part(v, key, v._current()[_ops._key(key)] + value)
    x.assign_sub = lambda value, **kw: _assign_part(v, key, v._current()[_ops._key(key)] - value)
    return x


def _assign_part(v, key, value):
    return v._set(_w.index_set(v._current(), _ops._key(key), as_operand(value, v.dtype)))
