"""Functions on NumPy-like values as programs: Tensor, trace, jit, and transforms of functions.

A traced function is run once on Tensors, which have types and no numbers; NumPy's functions see them (__array_ufunc__,
__array_function__) and add to the program instead of computing.
"""
import functools
import inspect
import os
import sys
import threading
import weakref

from . import _tree, _weft
from ._errors import TraceError
from ._program import Method, Program

HERE = os.path.dirname(os.path.abspath(__file__))
NUMPY_NAMES = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
               "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
               "c64": "complex64", "c128": "complex128"}


def caller():
    """(file, line) of the nearest caller that is not this package or NumPy."""
    frame = sys._getframe(2)
    while frame:
        name = frame.f_code.co_filename
        if not name.startswith(HERE) and f"{os.sep}numpy{os.sep}" not in name:
            return name, frame.f_lineno
        frame = frame.f_back
    return None, 0


class Size:
    """A size that is not a number yet: of an axis of symbolic length. Shapes take it."""

    __slots__ = ("_size", "_b")

    def __init__(self, builder, size):
        self._b, self._size = builder, size

    @staticmethod
    def of(builder, size):
        return size if size >= 0 else Size(builder, size)

    def _two(self, op, a, b):
        if op in ("add", "sub"):  # to the builder a negative number is a symbol
            if isinstance(a, int) and a < 0 and op == "add":
                a, b = b, a
            if isinstance(b, int) and b < 0:
                op, b = "sub" if op == "add" else "add", -b
        return Size.of(self._b, self._b.size(op, a, b))

    def __add__(self, o): return self._two("add", self, o)
    def __radd__(self, o): return self._two("add", o, self)
    def __sub__(self, o): return self._two("sub", self, o)
    def __rsub__(self, o): return self._two("sub", o, self)
    def __mul__(self, o): return self._two("mul", self, o)
    def __rmul__(self, o): return self._two("mul", o, self)
    def __floordiv__(self, o): return self._two("div", self, o)
    def __rfloordiv__(self, o): return self._two("div", o, self)
    def __mod__(self, o): return self._two("mod", self, o)
    def __truediv__(self, o): return self.tensor() / o
    def __rtruediv__(self, o): return o / self.tensor()

    def __eq__(self, o):
        return isinstance(o, (int, Size)) and self._b.size("equal", self, o)

    __hash__ = None

    def tensor(self):
        """The size as a weak integer scalar of the program."""
        return Tensor(self._b.size_tensor(self))

    def __index__(self):
        raise TraceError("the number of a symbolic size was asked for: it is known when the program runs")

    __int__ = __float__ = __bool__ = __index__

    def __repr__(self):
        return "<symbolic size>"


def raw(x):
    return x._v if isinstance(x, Tensor) else x


def raw_all(xs):
    return [raw(x) for x in xs]


class _At:
    """x.at[i].set(v), x.at[i].add(v): x with other numbers there, which is how traced values are written to."""

    __slots__ = ("_x", "_i")

    def __init__(self, x, i=None):
        self._x, self._i = x, i

    def __getitem__(self, i):
        return _At(self._x, i)

    def set(self, v):
        return self._x._op("index_set", self._x, _indices(self._i), v)

    def add(self, v):
        return self._x._op("index_add", self._x, _indices(self._i), v)

    def get(self):
        return self._x[self._i]


def _indices(ix):
    def one(i):
        if isinstance(i, Tensor):
            return i._v
        if isinstance(i, Size):
            return i.tensor()._v
        if i is None or i is Ellipsis or isinstance(i, (int, slice)):
            return int(i) if isinstance(i, int) and not isinstance(i, bool) else i
        if isinstance(i, list):
            import numpy as np
            return np.asarray(i)
        return i.__index__() if hasattr(i, "__index__") and getattr(i, "shape", None) == () else i
    return [one(i) for i in (ix if isinstance(ix, tuple) else (ix,))]


class Tensor:
    """A value of a function that is being traced: NumPy's array in type and manners, without numbers."""

    __slots__ = ("_v",)
    __array_priority__ = 1000.0

    def __init__(self, value):
        self._v = value

    @property
    def _b(self):
        return self._v.builder

    def _op(self, name, *args):
        b = self._v.builder
        b.place(*caller())
        out = getattr(b, name)(*[raw(a) if not isinstance(a, (list, tuple)) else raw_all(a) for a in args])
        if isinstance(out, (tuple, list)):
            return tuple(None if o is None else Tensor(o) for o in out)
        return Tensor(out)

    # ---- what it is

    @property
    def shape(self):
        return tuple(Size.of(self._b, d) for d in self._v.dims)

    @property
    def ndim(self):
        return len(self._v.dims)

    @property
    def size(self):
        n = 1
        for d in self.shape:
            n = d * n
        return n

    @property
    def dtype(self):
        import numpy as np
        name = NUMPY_NAMES[self._v.dtype]
        try:
            return np.dtype(name)
        except TypeError:
            import ml_dtypes
            return np.dtype(getattr(ml_dtypes, name))

    @property
    def T(self):
        return self._op("permute", self, None)

    @property
    def real(self):
        return self._op("real", self)

    @property
    def imag(self):
        return self._op("imag", self)

    @property
    def at(self):
        return _At(self)

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of a value of rank 0")
        return self.shape[0].__index__()

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        dims = ",".join(str(d) if isinstance(d, int) else "?" for d in self.shape)
        return f"<weft.Tensor {self._v.dtype}[{dims}]>"

    # ---- numbers it has not

    def _numbers(self, what):
        if self._v.symbolic:
            file, line = caller()
            raise TraceError(f"{file}:{line}: {what} of a value that is being traced: it has a type, and no numbers yet. Use where, "
                             "weft.cond or weft.while_loop for decisions by value")
        return self._v.array().numpy()

    def __array__(self, dtype=None, copy=None):
        a = self._numbers("the array")
        return a if dtype is None else a.astype(dtype)

    def __bool__(self):
        return bool(self._numbers("the truth"))

    def __float__(self):
        return float(self._numbers("the number"))

    def __int__(self):
        return int(self._numbers("the number"))

    def __index__(self):
        return self._numbers("the number").__index__()

    def item(self):
        return self._numbers("the number").item()

    def tolist(self):
        return self._numbers("the numbers").tolist()

    # ---- operators

    def __getitem__(self, ix):
        return self._op("index_get", self, _indices(ix))

    def __setitem__(self, ix, v):
        raise TraceError("a traced value is not written to: x = x.at[i].set(v), or .add(v)")

    def __matmul__(self, o): return self._op("matmul", self, o)
    def __rmatmul__(self, o): return self._op("matmul", o, self)
    def __neg__(self): return self._op("neg", self)
    def __pos__(self): return self
    def __abs__(self): return self._op("abs", self)
    def __invert__(self): return self._op("bitwise_not", self)
    def __divmod__(self, o): return self // o, self % o

    # ---- NumPy

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        from . import _numpy
        return _numpy.ufunc(self, ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        from . import _numpy
        return _numpy.function(func, args, kwargs)

    def __getattr__(self, name):  # sum, reshape, astype ..: NumPy's methods
        from . import _numpy
        if name in _numpy.METHODS:
            return functools.partial(_numpy.METHODS[name], self)
        raise AttributeError(f"a traced value has no '{name}'")


def _operators():
    two = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_div", "mod": "remainder", "pow": "pow",
           "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "shift_left", "rshift": "shift_right"}
    for name, op in two.items():
        setattr(Tensor, f"__{name}__", lambda self, o, op=op: self._op(op, self, o))
        setattr(Tensor, f"__r{name}__", lambda self, o, op=op: self._op(op, o, self))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Tensor, f"__{name}__", lambda self, o, op=name: self._op(op, self, o))
    Tensor.__hash__ = object.__hash__


_operators()

# ---- tracing -----------------------------------------------------------------------------------------------------------


def is_array(x):
    return (isinstance(x, (Tensor, _weft.Array)) or hasattr(x, "__array_interface__") or hasattr(x, "__dlpack__")
            or hasattr(x, "__array_struct__"))


def type_of(x):
    """'f32[2,3]' of an array."""
    a = x if hasattr(x, "shape") and hasattr(x, "dtype") else _weft.Array(x)
    return f"{_weft.dtype_name(a.dtype)}[{','.join(str(int(d)) for d in a.shape)}]"


def _leaf_type(x, free, k):
    if isinstance(x, str):
        return x
    if free:
        a = x if hasattr(x, "shape") else _weft.Array(x)
        return f"{_weft.dtype_name(a.dtype)}[{','.join(str(d) if d <= 1 else f's{k}_{i}' for i, d in enumerate(a.shape))}]"
    return type_of(x)


def _results(leaves, builder):
    return [x._v if isinstance(x, Tensor) else x.tensor()._v if isinstance(x, Size) else builder.constant(x) for x in leaves]


_now = threading.local()  # .builders: of the traces this thread is in
WEAK = {int: "i64[]", float: "f64[]", complex: "c128[]"}  # Python's numbers take the dtype of what they meet


def _name(f):
    return getattr(f, "__name__", "f").strip("<>")


def _argument_names(f, args):
    try:
        known = [p.name for p in inspect.signature(f).parameters.values()
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        known = []
    return [known[i] if i < len(known) else f"x{i}" for i in range(len(args))]


def _trace_flat(f, leaves, names, free, name):
    """(program, structure of the results) of f on a list of leaves: types as text, arrays or numbers, which are weak."""
    b = _weft.Builder(name if name.isidentifier() else "f", "numpy", "f64")
    stack = _now.__dict__.setdefault("builders", [])
    stack.append(b)
    try:
        symbols, tensors = [], []
        for k, (x, n) in enumerate(zip(leaves, names)):
            weak = WEAK.get(type(x))
            v = b.symbol(n, weak or _leaf_type(x, free, k))
            symbols.append(v)
            tensors.append(Tensor(b.set_weak(v, True) if weak else v))
        out, shape = _tree.flatten(f(*tensors))
        return b.finish(symbols, _results(out, b)), shape
    finally:
        stack.pop()
        b.close()


def _leaf_names(f, args, kwargs):
    names = [n for a, k in zip(args, _argument_names(f, args)) for n in _tree.paths(a, k)]
    return names + [n for k in sorted(kwargs) for n in _tree.paths(kwargs[k], k)]


def trace(f, *args, symbolic=False, name=None, **kwargs):
    """A program of a function on NumPy-like values.

    args: for each argument a type ("f32[N,784]", one size for each name), an array or a number as an example, or a tuple, list or dict
    of these. symbolic: sizes of examples (but 0 and 1) become symbols, so that one program serves other sizes.
    """
    leaves, structure = _tree.flatten((args, kwargs))

    def flat(*xs):
        a, k = _tree.unflatten(structure, xs)
        return f(*a, **k)
    return _trace_flat(flat, leaves, _leaf_names(f, args, kwargs), symbolic, name or _name(f))[0]


def _in_trace(leaves):
    """Is a program being built, here or of these? A function may use values of it from outside alone."""
    return any(isinstance(x, Tensor) for x in leaves) or bool(getattr(_now, "builders", None))


class Jitted:
    """A function that is traced once for each signature (dtypes and shapes; with symbolic, ranks), then run as a program."""

    def __init__(self, f, symbolic=False, compiled=False):
        self._f, self._symbolic, self._compiled = f, symbolic, compiled
        self._programs, self._lock = {}, threading.Lock()
        functools.update_wrapper(self, f)

    def _find(self, args, kwargs):
        leaves, structure = _tree.flatten((args, kwargs))
        key, places = [structure], []
        for i, x in enumerate(leaves):
            if is_array(x):
                shape = tuple(x.shape)
                key.append((_weft.dtype_name(x.dtype), tuple(d if d <= 1 else -1 for d in shape) if self._symbolic else shape))
            elif type(x) in WEAK:
                key.append(type(x))
            else:
                key.append(("static", x))
                places.append(i)
        key = tuple(key)
        found = self._programs.get(key)
        if found is None:
            with self._lock:
                found = self._programs.get(key)
                if found is None:
                    found = self._programs[key] = self._make(leaves, structure, places)
        return found, [x for i, x in enumerate(leaves) if i not in places]

    def _make(self, leaves, structure, places):
        fixed = {i: leaves[i] for i in places}

        def flat(*given):
            it = iter(given)
            args, kwargs = _tree.unflatten(structure, [fixed[i] if i in fixed else next(it) for i in range(len(leaves))])
            return self._f(*args, **kwargs)

        args, kwargs = _tree.unflatten(structure, leaves)
        names = _leaf_names(self._f, args, kwargs)
        program, shape = _trace_flat(flat, [x for i, x in enumerate(leaves) if i not in fixed],
                                     [n for i, n in enumerate(names) if i not in fixed], self._symbolic, _name(self._f))
        return program, shape, program.compile() if self._compiled else program

    def __call__(self, *args, **kwargs):
        leaves, _ = _tree.flatten((args, kwargs))
        if _in_trace(leaves):
            return self._f(*args, **kwargs)
        (program, shape, run), given = self._find(args, kwargs)
        out = run(*given)
        return _tree.unflatten(shape, (out,) if len(program.outputs) == 1 else out)

    def program(self, *args, **kwargs):
        """The program that these arguments run."""
        return self._find(args, kwargs)[0][0]

    @property
    def traces(self):
        """How many programs there are."""
        return len(self._programs)


def jit(f=None, *, symbolic=False, compile=False):
    """The function as programs, traced at the first call of each signature. Also as a decorator.

    symbolic: one program for all sizes of a rank. compile: machine code at the first call, not after ten.
    """
    if f is None:
        return functools.partial(jit, symbolic=symbolic, compile=compile)
    if isinstance(f, Method):
        f = f.program
    return f.compile() if isinstance(f, Program) else Jitted(f, symbolic, compile)


# ---- transforms of functions ---------------------------------------------------------------------------------------------


def _flat_function(f, structure, cell, b):
    """Of Values, in a builder: f on a tree of Tensors; the structure of its results goes into cell."""
    def call(values):
        args = _tree.unflatten(structure, [Tensor(v) for v in values])
        out, cell["out"] = _tree.flatten(f(*args))
        return _results(out, b)
    return call


def _lift(leaves):
    b = next((x._b for x in leaves if isinstance(x, Tensor)), None) or _now.builders[-1]
    return b, [x._v if isinstance(x, Tensor) else b.constant(x) for x in leaves]


def _transform(f, inside):
    """A function that runs `inside(args)` in a trace: the one there is, or one of its own."""
    def body(*args):
        leaves, _ = _tree.flatten(args)
        return inside(*args) if _in_trace(leaves) else jitted(*args)

    functools.update_wrapper(body, f, assigned=("__name__", "__doc__"), updated=())
    jitted = Jitted(inside)
    jitted.__name__ = _name(f)
    body.program = jitted.program
    return body


_made = weakref.WeakKeyDictionary()  # {function: {what: its transform}}, so that jvp and vjp trace once


def _kept(f, what, make):
    try:
        kept = _made.setdefault(f, {})
    except TypeError:  # no weak references to it
        return make()
    if what not in kept:
        kept[what] = make()
    return kept[what]


def _wrt(args, argnums):
    """Numbers of the leaves of these arguments, and their structure."""
    single = isinstance(argnums, int)
    chosen = [argnums] if single else list(argnums)
    chosen = [c % len(args) for c in chosen]
    wrt, at, starts = [], 0, []
    for a in args:
        starts.append(at)
        at += len(_tree.flatten(a)[0])
    for c in chosen:
        wrt += range(starts[c], starts[c] + len(_tree.flatten(args[c])[0]))
    tree = args[chosen[0]] if single else tuple(args[c] for c in chosen)
    return wrt, _tree.flatten(tree)[1]


def _program(f):
    return f.program if isinstance(f, Method) else f if isinstance(f, Program) else None


def value_and_grad(f, argnums=0):
    """(f(x..), the gradient of its first result, a number, by arguments argnums); of a Program, wrt by number or name."""
    if p := _program(f):
        return p.value_and_grad(argnums)

    def inside(*args):
        leaves, structure = _tree.flatten(args)
        wrt, shape = _wrt(args, argnums)
        b, values = _lift(leaves)
        cell = {}
        y, g = b.grad(_flat_function(f, structure, cell, b), values, wrt)
        out = _tree.unflatten(cell["out"], [Tensor(v) for v in y])
        return out, _tree.unflatten(shape, [Tensor(v) for v in g])
    return _transform(f, inside)


def grad(f, argnums=0, has_aux=False):
    """The gradient of f, whose result is a number (has_aux: a pair of it and more), by arguments argnums."""
    if p := _program(f):
        return p.grad(argnums)

    inner = value_and_grad(f, argnums)

    def outer(*args):
        y, g = inner(*args)
        return (g, y[1]) if has_aux else g
    functools.update_wrapper(outer, f, assigned=("__name__", "__doc__"), updated=())
    return outer


def vmap(f, in_axes=0, out_axes=0, axis_name=None):
    """f on every slice: in_axes for each argument an axis or None."""
    if p := _program(f):
        return p.vmap(in_axes, axis_name)

    def inside(*args):
        leaves, structure = _tree.flatten(args)
        per = [in_axes] * len(args) if in_axes is None or isinstance(in_axes, int) else list(in_axes)
        if len(per) != len(args):
            raise ValueError(f"vmap: in_axes for {len(per)} arguments, {len(args)} were given")
        axes = [a for a, x in zip(per, args) for _ in _tree.flatten(x)[0]]
        b, values = _lift(leaves)
        cell = {}
        out = b.vmap(_flat_function(f, structure, cell, b), values, axes, out_axes, axis_name)
        return _tree.unflatten(cell["out"], [Tensor(v) for v in out])
    return _transform(f, inside)


def jvp(f, primals, tangents):
    """(f(primals), its derivative along tangents), forward mode."""
    def inside(primals, tangents):
        leaves, structure = _tree.flatten(tuple(primals))
        d, _ = _tree.flatten(tuple(tangents))
        b, values = _lift(leaves + d)
        cell = {}
        n = len(leaves)
        out = [Tensor(v) for v in b.jvp(_flat_function(f, structure, cell, b), values[:n], list(range(n)), values[n:])]
        half = len(out) // 2
        return _tree.unflatten(cell["out"], out[:half]), _tree.unflatten(cell["out"], out[half:])
    if p := _program(f):
        out = p.jvp(list(range(len(primals))))(*primals, *tangents)
        half = len(out) // 2
        return (out[0], out[1]) if half == 1 else (out[:half], out[half:])
    return _kept(f, "jvp", lambda: _transform(f, inside))(primals, tangents)


def vjp(f, *primals):
    """(f(primals), a function from cotangents of its results to gradients of primals), reverse mode."""
    if p := _program(f):
        run = p.vjp(list(range(len(primals))))
        n = len(p.outputs)

        def program_back(*gy):
            out = run(*primals, *gy)
            return tuple(out[n:])
        return p(*primals), program_back

    def inside(primals, cotangents):
        leaves, structure = _tree.flatten(tuple(primals))
        g, _ = _tree.flatten(cotangents)
        b, values = _lift(leaves + g)
        cell = {}
        n = len(leaves)
        _, gx = b.vjp(_flat_function(f, structure, cell, b), values[:n], list(range(n)), values[n:])
        return _tree.unflatten(_tree.flatten(tuple(primals))[1], [Tensor(v) for v in gx])

    run = _kept(f, "vjp", lambda: _transform(f, inside))
    leaves, _ = _tree.flatten(primals)
    y = f(*primals) if _in_trace(leaves) else _kept(f, "jit", lambda: Jitted(f))(*primals)
    return y, lambda gy: run(tuple(primals), gy)


def _jacobian(f, argnums, forward):
    """Of the results by one argument, an array: y.shape + x.shape."""
    import numpy as np

    def derivative(*args):
        x = args[argnums]
        shape = tuple(x.shape)
        n = int(np.prod(shape, dtype=np.int64))

        def at(z):
            return f(*args[:argnums], z, *args[argnums + 1:])
        if forward:
            basis = np.eye(n, dtype=x.dtype).reshape((n,) + shape)
            columns = vmap(lambda d: jvp(at, (x,), (d,))[1], 0, -1)(basis)
            return _map(lambda c: c.reshape(tuple(c.shape[:-1]) + shape), columns)

        def rows(y):
            m = int(np.prod(tuple(y.shape), dtype=np.int64))
            basis = np.eye(m, dtype=y.dtype).reshape((m,) + tuple(y.shape))
            out = vmap(lambda g: vjp(at, x)[1](g)[0])(basis)
            return out.reshape(tuple(y.shape) + shape)
        y = at(x)
        if isinstance(y, (tuple, list, dict)):
            raise TypeError("jacrev: the function gives several results; it must give one array")
        return rows(y)

    def inside(*args):
        return derivative(*args)
    return _transform(f, inside)


def _map(f, tree):
    leaves, structure = _tree.flatten(tree)
    return _tree.unflatten(structure, [f(x) for x in leaves])


def jacfwd(f, argnums=0):
    """The Jacobian by forward mode, of shape y.shape + x.shape."""
    p = _program(f)
    return p.jacfwd(argnums) if p else _jacobian(f, argnums, True)


def jacrev(f, argnums=0):
    """The Jacobian by reverse mode, of shape y.shape + x.shape."""
    p = _program(f)
    return p.jacrev(argnums) if p else _jacobian(f, argnums, False)


def hessian(f, argnums=0):
    """The second derivatives of a function that gives a number: x.shape + x.shape."""
    p = _program(f)
    return p.hessian(argnums) if p else _jacobian(grad(f, argnums), argnums, True)


# ---- control flow by value -----------------------------------------------------------------------------------------------


def _body(f, structure, cell, what):
    def call(values):
        out, shape = _tree.flatten(f(*_tree.unflatten(structure, [Tensor(v) for v in values])))
        if cell.setdefault("out", shape) != shape:
            raise TypeError(f"{what}: branches give different structures: {cell['out']} and {shape}")
        return _results(out, cell["b"])
    return call


def cond(index, functions, *args):
    """functions[index](*args), decided when the program runs; of two functions, index may be a bool (False is 0)."""
    leaves, structure = _tree.flatten(args)
    if not _in_trace([index, *leaves]):
        chosen = functions[min(max(int(index), 0), len(functions) - 1)]
        return chosen(*args)
    b, values = _lift([index, *leaves])
    cell = {"b": b}
    out = b.cond(values[0], [_body(f, structure, cell, "cond") for f in functions], values[1:])
    return _tree.unflatten(cell["out"], [Tensor(v) for v in out])


def while_loop(test, body, carry, bound=None):
    """While test(carry): carry = body(carry)."""
    leaves, structure = _tree.flatten(carry)
    if not _in_trace(leaves):
        return Jitted(lambda c: while_loop(test, body, c, bound))(carry)
    b, values = _lift(leaves)

    def test_call(vs):
        return _results([test(_tree.unflatten(structure, [Tensor(v) for v in vs]))], b)

    def body_call(vs):
        out, shape = _tree.flatten(body(_tree.unflatten(structure, [Tensor(v) for v in vs])))
        if shape != structure:
            raise TypeError(f"while_loop: the carry is {structure}, body gives {shape}")
        return _results(out, b)
    return _tree.unflatten(structure, [Tensor(v) for v in b.while_loop(test_call, body_call, values, bound)])


def scan(body, carry, xs, length=None, reverse=False):
    """carry, y = body(carry, x) for each slice x of xs along axis 0; gives (the last carry, the y stacked)."""
    c, cs = _tree.flatten(carry)
    x, xss = _tree.flatten(xs)
    if not _in_trace(c + x):
        return Jitted(lambda a, b: scan(body, a, b, length, reverse))(carry, xs)
    b, values = _lift(c + x)
    n, cell = len(c), {}

    def call(vs):
        out = body(_tree.unflatten(cs, [Tensor(v) for v in vs[:n]]), _tree.unflatten(xss, [Tensor(v) for v in vs[n:]]))
        new, shape = _tree.flatten(out[0])
        rows, cell["rows"] = _tree.flatten(out[1])
        if shape != cs:
            raise TypeError(f"scan: the carry is {cs}, body gives {shape}")
        return _results(new + rows, b)
    out = [Tensor(v) for v in b.scan(call, n, values, length, reverse)]
    return _tree.unflatten(cs, out[:n]), _tree.unflatten(cell["rows"], out[n:])


def checkpoint(f):
    """f, computed again in the backward pass instead of being kept."""
    def call(*args):
        leaves, structure = _tree.flatten(args)
        if not _in_trace(leaves):
            return Jitted(call)(*args)
        b, values = _lift(leaves)
        cell = {}
        out = b.checkpoint(_flat_function(f, structure, cell, b), values)
        return _tree.unflatten(cell["out"], [Tensor(v) for v in out])
    functools.update_wrapper(call, f, assigned=("__name__", "__doc__"), updated=())
    return call


def wrap_loss(f):
    """A loss of (result, target) as a function of a pair of Values, for Model.train_step."""
    def call(pair):
        out = f(*[Tensor(v) for v in pair])
        return out._v
    return call
