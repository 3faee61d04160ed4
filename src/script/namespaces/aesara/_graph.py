# aesara._graph -- expressions: variables, their types, and the operations that made them.
#
# An expression is a graph of Variables and Applies. An Apply has an Op, whose run(values)
# computes with tensors. Types (dtype and shape, None for a size that is not known) come from
# the type rules of what the Op does with symbols (infer). aesara._function makes programs.
import _aesara as _w
import numpy
from _expression import value_of, evaluate, ancestors, dependents


class MissingInputError(Exception):
    pass


class Config:
    def __init__(self):
        self.floatX = "float64"
        self.mode = "Mode"
        self.device = "cpu"
        self.cxx = ""
        self.compute_test_value = "off"
        self.exception_verbosity = "low"
        self.optimizer = "fast_run"
        self.on_unused_input = "raise"


config = Config()


class TensorType:
    def __init__(self, dtype, shape=None, name=None, broadcastable=None):
        if shape is None:
            shape = broadcastable
        self.dtype = config.floatX if dtype == "floatX" else str(_w.full((1,), 0, dtype).dtype)
        self.shape = tuple([(1 if s else None) if isinstance(s, bool) else s for s in shape])
        self.name = name

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def broadcastable(self):
        return tuple([s == 1 for s in self.shape])

    def __call__(self, name=None, dtype=None):
        return TensorVariable(self if dtype is None else TensorType(dtype, self.shape), None, 0, name)

    def __eq__(self, other):
        return isinstance(other, TensorType) and self.dtype == other.dtype and self.shape == other.shape

    def __hash__(self):
        return hash((self.dtype, self.shape))

    def __str__(self):
        inner = ", ".join(["?" if s is None else str(s) for s in self.shape])
        return f"TensorType({self.dtype}, ({inner}{',' if len(self.shape) == 1 else ''}))"

    __repr__ = __str__

    def filter(self, data, strict=False, allow_downcast=None):
        # The value as a tensor of this type, or TypeError.
        if isinstance(data, TensorVariable):
            raise TypeError("Expected an array-like object, but found a Variable: maybe you are trying to call a "
                            "function on a (possibly shared) variable instead of a numeric array?")
        x = numpy.asarray(data)
        if x.ndim != self.ndim:
            raise TypeError(f"Wrong number of dimensions: expected {self.ndim}, got {x.ndim} with shape {tuple(x.shape)}.")
        for want, got in zip(self.shape, x.shape):
            if want is not None and want != got:
                raise TypeError(f"The type's shape ({self.shape}) is not compatible with the data's ({tuple(x.shape)})")
        if x.dtype.name == self.dtype:
            return _w.wrap(x)
        if strict:
            raise TypeError(f"expected an array of dtype {self.dtype}, got {x.dtype.name}")
        y = x.astype(self.dtype)
        if numpy.promote_types(x.dtype, self.dtype) == self.dtype or allow_downcast:
            return _w.wrap(y)
        if allow_downcast is None and isinstance(data, float) and not isinstance(data, numpy.generic) and self.dtype == config.floatX:
            return _w.wrap(y)
        if not isinstance(data, numpy.ndarray) and numpy.array_equal(x, y):
            return _w.wrap(y)
        raise TypeError(f"{self} cannot store accurately value {data}, it would be represented as {y}. If you do not mind "
                        f"this precision loss, you can: 1) explicitly convert your data to a numpy array of dtype "
                        f"{self.dtype}, or 2) set \"allow_input_downcast=True\" when calling \"function\".")


# Names of Aesara's elementwise ops that are not those of its functions.
_SHOWN = {"true_div": "true_divide", "int_div": "floor_divide", "sqr": "square", "maximum": "scalar_maximum", "minimum": "scalar_minimum"}


class Op:
    # fn(params, *values) gives a tensor or, with several outputs, a list. show: the name in
    # listings. pp: a format for pp, with {0} for operands, or a name.
    def __init__(self, name, fn, show=None, pp=None, nout=1):
        self.name = name
        self.fn = fn
        self.show = show if show is not None else f"Elemwise{{{_SHOWN.get(name, name)},no_inplace}}"
        self.pp = pp if pp is not None else name
        self.nout = nout

    def run(self, node, values, env, subst):
        r = self.fn(node.params, *values)
        return r if self.nout > 1 or isinstance(r, list) else [r]

    def needed(self, node):
        # operands that must be there before run
        return node.inputs

    def __str__(self):
        return self.show

    __repr__ = __str__


def held(x):
    # an array as shared variables hold it
    return _w.wrap(x)


class Apply:
    control = []

    def __init__(self, op, inputs, params, types):
        self.op = op
        self.inputs = inputs
        self.params = params
        self.outputs = [TensorVariable(t, self, i, None) for i, t in enumerate(types)]

    def __str__(self):
        return f"{self.op}({', '.join([str(i) for i in self.inputs])})"


def _type_of(x, sizes=False):
    return TensorType(x.dtype.name, tuple(x.shape) if sizes else (None,) * x.ndim)


def infer(fn, inputs):
    # The types of what fn gives for values of these variables.
    try:
        found = _w.infer(fn, [(i.type.shape, i.type.dtype) for i in inputs])
    except ValueError:  # an operation that needs numbers for sizes: of these only dtype and rank stay
        found = _w.infer(fn, [(tuple([2 if n is None else n for n in i.type.shape]), i.type.dtype) for i in inputs])
        found = [((None,) * len(shape), d) for shape, d in found]
    return [TensorType(d.name, shape) for shape, d in found]


def apply(op, inputs, params=None, ndim=None, dtype=None):
    # A new node. ndim and dtype are given where they depend on numbers.
    inputs = [as_variable(i) for i in inputs]
    if ndim is None or dtype is None:
        def run(*values):
            r = op.fn(params, *values)
            return list(r) if isinstance(r, (list, tuple)) else [r]
        types = infer(run, inputs)
    else:
        types = [TensorType(dtype, (None,) * ndim)] * op.nout
    outs = Apply(op, inputs, params, types).outputs
    return outs[0] if op.nout == 1 else outs


# ---- variables ----

class Variable:
    known = None


class TensorVariable(Variable):
    def __init__(self, type, owner=None, index=0, name=None):
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name
        self.tag = Tag()

    @property
    def ndim(self):
        return self.type.ndim

    @property
    def dtype(self):
        return self.type.dtype

    @property
    def broadcastable(self):
        return self.type.broadcastable

    def __str__(self):
        if self.name is not None:
            return self.name
        if self.owner is not None:
            return f"{self.owner.op}.{self.index}"
        return f"<{self.type}>"

    __repr__ = __str__

    compared = False    # the result of <, <=, > or >=, whose truth nobody knows

    def __bool__(self):
        if self.compared:
            raise TypeError("Variables do not support boolean operations.")
        return True

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def root_value(self):
        raise MissingInputError(f"Input ({self}) of the graph was not provided and not given a value. Use the Aesara flag "
                                "exception_verbosity='high', for more information on this error.")

    def eval(self, inputs_to_values=None):
        from aesara._function import function
        given = inputs_to_values or {}
        return function(list(given.keys()), self, on_unused_input="ignore")(*given.values())


class Tag:
    pass


class TensorConstant(TensorVariable):
    def __init__(self, data, name=None):
        super().__init__(_type_of(data, True), None, 0, name)
        self.data_ = data

    def root_value(self):
        return self.data_

    @property
    def data(self):
        return numpy._wrap(self.data_)

    @property
    def value(self):
        return self.data

    def __str__(self):
        if self.name is not None:
            return self.name
        x = self.data
        if x.size > 1:
            flat = x.ravel()
            if bool((flat == flat[0]).all()):
                return f"TensorConstant{{{x.shape} of {flat[0]}}}"
            s = " ".join(str(x).split())
            return f"TensorConstant{{{s if len(s) < 20 else s[:10] + '..' + s[-10:]}}}"
        s = str(x)
        return f"TensorConstant{{{s}}}"

    __repr__ = __str__


class TensorSharedVariable(TensorVariable):
    def __init__(self, value, name=None, type=None):
        super().__init__(type if type is not None else _type_of(value), None, 0, name)
        self.value_ = value

    def root_value(self):
        return self.value_

    def get_value(self, borrow=False, return_internal_type=False):
        return numpy._wrap(_w.copy(self.value_))

    def set_value(self, new_value, borrow=False):
        self.value_ = _w.copy(self.type.filter(new_value))

    container = property(lambda self: self)

    @property
    def default_update(self):
        return getattr(self, "update_", None)

    @default_update.setter
    def default_update(self, value):
        self.update_ = value


def shared(value, name=None, borrow=False, strict=False, allow_downcast=None, shape=None, broadcastable=None):
    if isinstance(value, Variable):
        raise TypeError("Shared variable values must not be symbolic")
    if strict and not isinstance(value, numpy.ndarray):
        raise TypeError("No suitable SharedVariable constructor could be found: strict takes arrays")
    if shape is not None:
        broadcastable = tuple([d == 1 for d in shape])
    x = _w.copy(_w.wrap(numpy.asarray(value)))
    t = None if broadcastable is None else TensorType(x.dtype.name, broadcastable=broadcastable)
    return TensorSharedVariable(x, name, t)


# Python's numbers become constants of the smallest dtype that holds them exactly.
def _number(x):
    if isinstance(x, bool):
        return _w.full((), x, "bool")
    if isinstance(x, int):
        for d, most in (("int8", 127), ("int16", 32767), ("int32", 2147483647)):
            if -most - 1 <= x <= most:
                return _w.full((), x, d)
        return _w.cast(x, "int64")
    if config.floatX == "float32":
        return _w.full((), x, "float32")
    t = _w.full((), x, "float32")
    if t.item() == x or x != x:
        return t
    return _w.full((), x, "float64")


def constant(x, name=None, ndim=None, dtype=None):
    if isinstance(x, (bool, int, float)) and not isinstance(x, _w.Tensor):
        t = _number(x)
    else:
        t = _w.copy(_w.wrap(numpy.asarray(x)))
    if dtype is not None:
        t = _w.cast(t, dtype)
    while ndim is not None and t.ndim < ndim:
        t = _w.expand_dims(t, 0)
    return TensorConstant(t, name)


def _has_variable(x):
    if isinstance(x, (list, tuple)):
        return any([_has_variable(y) for y in x])
    return isinstance(x, Variable)


def as_variable(x, name=None, ndim=None, dtype=None):
    if isinstance(x, Variable):
        return x
    if isinstance(x, (list, tuple)) and _has_variable(x):
        return stack_of([as_variable(y) for y in x])
    if isinstance(x, (bool, int, float)) and not isinstance(x, _w.Tensor) and dtype is None:
        return TensorConstant(_number(x), name)
    if isinstance(x, (str, dict)) or x is None or callable(x):
        raise TypeError(f"Cannot convert {x!r} to TensorType")
    return constant(x, name, ndim, dtype)


def _make_vector(params, *xs):
    return _w.stack(list(xs), 0)


make_vector = Op("MakeVector", _make_vector, "MakeVector", "MakeVector")


def stack_of(xs, axis=0):
    rank = max([x.ndim for x in xs])
    if axis == 0 and rank == 0:
        return apply(make_vector, xs)
    return apply(Op("join", lambda p, *v: _w.stack(list(v), p), "Join", "join"), xs, axis)
