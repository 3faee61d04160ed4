# tensorflow._function -- tf.function: a function traced once for each kind of arguments.
#
# Tensors among the arguments become inputs; everything else is part of the kind. A variable that
# is read becomes a further input, handed in anew at each call; one that is written, a further
# result, stored after it. Control flow on tensors is staged (_stage); what cannot be staged runs
# in Python at each call.
import os
import sys

import _tf as _w
import _tree
import numpy as _np
from tensorflow._base import staging
from tensorflow._base import drawn, state, as_tensor, TensorSpec, InvalidArgumentError
from tensorflow._variable import Variable


class NeedsVariables(Exception):
    pass


class FuncGraph:
    # One trace: the variables it reads and writes.
    def __init__(self, free_sizes=False):
        self.level = _w.trace_level()
        self.free_sizes = free_sizes
        self.captured = []   # [variable, place among the captures]
        self.current = {}    # variable: its value at this point
        self.written = []
        self.draws = []      # (what draws, place among the captures, shape, dtype)
        self.mistakes = {}   # errors of its calls, by the marks of values that must not be needed
        self.shown = []      # (tensor, its shape as the signature has it)

    def mistaken(self, text):
        mark = f"mistake {len(self.mistakes)}"
        self.mistakes[mark] = text
        return mark

    def read(self, v):
        if v not in self.current:
            if self.free_sizes:
                raise NeedsVariables()
            x, at = _w.capture(v._value, self.level)
            self.captured.append((v, at))
            self.current[v] = x
        return self.current[v]

    def write(self, v, x):
        if _w.trace_level() != self.level:
            raise staging.Refuse("a variable is assigned under a condition that is not known while tracing")
        if v not in self.current:
            self.read(v)
        if not [w for w in self.written if w is v]:
            self.written.append(v)
        self.current[v] = x


def _ran(*args):
    try:
        return _w.apply(*args)
    except AssertionError as e:     # of an operation that asserts
        raise InvalidArgumentError(str(e)) from None


class Concrete:
    # A trace: program, structure of the result, variables.
    def __init__(self, program, spec, constants, graph, name):
        self.program = program
        self.spec = spec
        self.constants = constants  # leaves of the result that are no tensors, by place
        self.graph = graph
        self.name = name
        needed = str(program) if graph.mistakes else ""
        self.mistakes = [text for mark, text in graph.mistakes.items() if f'"{mark}"' in needed]

    def call(self, xs):
        g = self.graph
        if self.mistakes:
            raise InvalidArgumentError(self.mistakes[0])
        if g.free_sizes:
            return self._result(_ran(self.program, xs))
        caps = list(self.program.captures)
        for v, at in g.captured:
            caps[at] = v.__tensor__()
        for make, at, shape, dtype in g.draws:
            caps[at] = drawn(make, shape, dtype)
        out = _ran(self.program, xs, [], caps)
        n = len(g.written)
        results = out[:len(out) - n]
        for v, x in zip(g.written, out[len(out) - n:]):
            if state.funcs:
                state.funcs[-1].write(v, x)
            else:
                v._value = _w.detach(x)
        return self._result(results)

    def _result(self, results):
        leaves, at = [], 0
        for c in self.constants:
            if c is None:
                leaves.append(results[at])
                at += 1
            else:
                leaves.append(c[0])
        return _tree.unflatten(self.spec, leaves)


def _is_spec(x):
    return isinstance(x, TensorSpec)


def _leaf(x):
    return isinstance(x, (_w.Tensor, Variable)) or hasattr(x, "__tensor__")


class _Same:
    # An object as a part of a key: itself, which stays alive so that no other one is taken for it.
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return isinstance(other, _Same) and self.x is other.x

    def __hash__(self):
        return id(self.x)


def _key_of(x):
    # Numbers that are equal share a trace, whatever their types, as there.
    return ("value", x) if isinstance(x, (int, float, str, bool)) or x is None else _Same(x)


class Function:
    def __init__(self, fn, input_signature=None, autograph=True, name=None):
        self.python_function = fn
        self._fn = fn
        self._signature = input_signature
        self._autograph = autograph
        self._traces = {}
        self._eager = False
        self._open = bool([s for s in input_signature or [] if not s.shape.is_fully_defined()])
        self._free = {}
        self._bound = {}
        self._parameters = None
        self.__name__ = name or getattr(fn, "__name__", "f")
        self.__doc__ = getattr(fn, "__doc__", None)

    def __get__(self, obj, cls=None):
        if obj is None:
            return self
        key = id(obj)
        if key not in self._bound:
            fn = self._fn
            b = Function(lambda *args, **kw: fn(obj, *args, **kw), self._signature, self._autograph, self.__name__)
            b._target = (fn, obj)
            self._bound[key] = b
        return self._bound[key]

    def __repr__(self):
        return f"<tensorflow.python.eager.polymorphic_function.polymorphic_function.Function object at {hex(id(self))}>"

    def _arguments(self, args, kw):
        if self._signature is None:
            return self._in_order(args, kw)
        if len(args) > len(self._signature):
            raise TypeError(f"{self.__name__}() takes {len(self._signature)} arguments, got {len(args)}")
        out = []
        for a, s in zip(args, self._signature):
            x = as_tensor(a) if isinstance(a, _w.Tensor) or _leaf(a) else _w.cast(as_tensor(a), s.dtype)
            if x.dtype != s.dtype or not s.shape.is_compatible_with(x.shape):
                raise TypeError(f"Binding inputs to tf.function failed due to `Can not cast TensorSpec(shape={x.shape}, "
                                f"dtype=tf.{x.dtype.name}, name=None) to {s!r}`.")
            out.append(x)
        return tuple(out), kw

    def _in_order(self, args, kw):
        # Arguments by position and defaults where they are not given: the same call is traced once, however it is written.
        target = getattr(self, "_target", None)
        if self._parameters is None:
            self._parameters = _tree._parameters(target[0] if target is not None else self._fn)[1 if target is not None else 0:]
        plain = [p for p in self._parameters if p[1] < 2]
        if len(plain) != len(self._parameters) or len(args) > len(plain):
            return args, kw
        out, kw = list(args), dict(kw)
        for p in plain[len(args):]:
            if p[0] in kw:
                out.append(kw.pop(p[0]))
            elif p[2]:      # has a default
                out.append(p[2][0])
            else:
                return args, kw
        return tuple(out), kw

    def _trace(self, args, kw):
        # (concrete, tensors): the trace for these arguments, made at need
        args, kw = self._arguments(args, kw)
        leaves, spec = _tree.flatten((args, kw), _leaf, False)
        tensors, key = [], []
        for x in leaves:
            if isinstance(x, Variable):
                key.append(("variable", id(x)))
            elif isinstance(x, _w.Tensor) or hasattr(x, "__tensor__"):
                t = as_tensor(x)
                tensors.append(t)
                key.append(("tensor", t.dtype.name, tuple(t.shape)))
            else:
                key.append(_key_of(x))
        if self._open:
            found = self._with_free_sizes(leaves, spec, tensors)
            if found is not None:
                return found, tensors
        key = (tuple(key), spec)
        if key not in self._traces:
            self._traces[key] = self._first(leaves, spec, tensors)
        return self._traces[key], tensors

    def _first(self, leaves, spec, tensors):
        # Variables are made by the first trace of all; then it is traced once more, and must make none.
        before, state.made = state.made, 0
        try:
            concrete = self._make(leaves, spec, tensors, False)
            if state.made and not self._traces:
                state.made = 0
                concrete = self._make(leaves, spec, tensors, False)
            if state.made:
                raise ValueError("tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
                                 "created once or created outside tf.function. See https://www.tensorflow.org/guide/function#creating_tfvariables "
                                 "for more information.")
            return concrete
        finally:
            state.made += before

    def _with_free_sizes(self, leaves, spec, tensors):
        # one trace for all sizes that the signature leaves open; None: it cannot be
        ranks = tuple([t.ndim for t in tensors])
        if ranks not in self._free:
            try:
                self._free[ranks] = self._make(leaves, spec, tensors, True)
            except (NeedsVariables, staging.Refuse):
                self._open = False
        return self._free.get(ranks)

    def _run(self, args, kw):
        target = getattr(self, "_target", None)
        fn = self._fn
        if target is not None:
            fn, args = target[0], (target[1],) + tuple(args)
        if self._autograph:
            return staging.Stage(_w, "tensor").call(fn, args, kw)
        return fn(*args, **kw)

    def _make(self, leaves, spec, tensors, free_sizes):
        found = []
        if self._traces or self._free:
            _w.log_text(f"tf.function: '{self.__name__}' is traced again, for {_tree.types_text(leaves)}")

        def body(*symbols):
            names = _tree.argument_names(self._fn, *spec[3])
            _w.name_inputs(symbols, [n for n, x in zip(names, leaves) if _leaf(x) and not isinstance(x, Variable)])
            g = FuncGraph(free_sizes)
            if self._signature is not None:
                g.shown = list(zip(symbols, [s.shape for s in _tree.flatten(tuple(self._signature), _is_spec, False)[0]]))
            state.funcs.append(g)
            at, values = 0, []
            for x in leaves:
                if _leaf(x) and not isinstance(x, Variable):
                    values.append(symbols[at])
                    at += 1
                else:
                    values.append(x)
            args, kw = _tree.unflatten(spec, values)
            r = self._run(args, kw)
            out, out_spec = _tree.flatten(r, _leaf, False)
            constants, results = [], []
            for x in out:
                if isinstance(x, Variable):
                    x = x.__tensor__()
                if isinstance(x, (_w.Tensor, int, float, bool, _np.generic)) or hasattr(x, "__tensor__"):
                    constants.append(None)
                    results.append(as_tensor(x))
                else:
                    constants.append((x,))
            found.append((out_spec, constants, g))
            return results + [g.current[v] for v in g.written]
        depth = len(state.funcs)
        tapes, state.tapes = state.tapes, []
        try:
            program = _w.trace_sizes(body, tensors) if free_sizes else _w.trace(body, tensors, self.__name__)
        finally:
            state.funcs = state.funcs[:depth]
            state.tapes = tapes
        return Concrete(program, found[-1][0], found[-1][1], found[-1][2], self.__name__)

    def __call__(self, *args, **kw):
        if self._eager or (_eagerly[0] and not state.funcs):
            return self._fn(*args, **kw)
        try:
            concrete, tensors = self._trace(args, kw)
        except staging.Refuse as e:
            if state.funcs:
                raise
            self._by_python(str(e))
            return self._fn(*args, **kw)
        except RuntimeError as e:
            # Python needed a value: then it runs at each call
            if "traced tensor" not in str(e):
                raise
            self._by_python(str(e))
            return self._fn(*args, **kw)
        if not concrete.graph.free_sizes:
            return concrete.call(tensors)
        try:
            return concrete.call(tensors)
        except (ValueError, InvalidArgumentError):
            # a size was needed as a number after all
            self._open = False
            return self(*args, **kw)

    def _by_python(self, reason):
        # From now on it runs in Python at each call.
        self._eager = True
        fallbacks.append((self.__name__, reason))
        text = f"tf.function: '{self.__name__}' is run by the machine, not as a program: {reason}"
        _w.log_text(text)
        if os.getenv("WEFT_LOG"):
            sys.stderr.write(text + "\n")

    def get_concrete_function(self, *args, **kw):
        if self._signature is not None and not args:
            args = tuple(self._signature)
        args = tuple([_w.full([1 if d is None else d for d in a.shape], 0, a.dtype) if isinstance(a, TensorSpec) else a for a in args])
        concrete, tensors = self._trace(args, kw)
        return ConcreteFunction(self, concrete)

    def experimental_get_tracing_count(self):
        return len(self._traces)


class ConcreteFunction:
    def __init__(self, function, concrete):
        self.function = function
        self.concrete = concrete

    def __call__(self, *args, **kw):
        return self.function(*args, **kw)

    @property
    def graph(self):
        return self.concrete.program

    @property
    def structured_outputs(self):
        return self.concrete.spec


def function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False, experimental_implements=None,
             experimental_autograph_options=None, experimental_relax_shapes=None, experimental_compile=None, experimental_follow_type_hints=None):
    if experimental_implements is not None:
        raise NotImplementedError("tf.function: experimental_implements")
    if func is None:
        return lambda f: Function(f, input_signature, autograph)
    return Function(func, input_signature, autograph)


def _by_host(func, inp, Tout, of, name):
    if state.graph is not None:
        from tensorflow._host import py_func
        return py_func(func, inp, [] if Tout is None else Tout, True, name, of)
    if state.funcs:
        raise staging.Refuse("py_function runs Python at each call")
    r = func(*[of(x) for x in inp])
    if isinstance(Tout, (list, tuple)):
        return [_w.cast(as_tensor(x), t) for x, t in zip(r if isinstance(r, (list, tuple)) else [r], Tout)]
    return None if Tout is None or r is None else _w.cast(as_tensor(r), Tout)


def py_function(func=None, inp=None, Tout=None, name=None):
    if func is None:        # @tf.py_function(Tout=..)
        return lambda f: lambda *args: py_function(f, args, Tout, name)
    return _by_host(func, inp, Tout, as_tensor, name or "EagerPyFunc")


def numpy_function(func, inp, Tout, stateful=True, name=None):
    return _by_host(func, inp, Tout, lambda x: as_tensor(x).numpy(), name or "PyFunc")


fallbacks = []      # (name, reason) of functions that run in Python at each call
_eagerly = [False]


def run_functions_eagerly(run_eagerly):
    _eagerly[0] = bool(run_eagerly)


def functions_run_eagerly():
    return _eagerly[0]


class init_scope:
    # A block outside of the function that is being traced: it runs once, while tracing.
    def __enter__(self):
        self.kept = (state.funcs, state.tapes)
        state.funcs, state.tapes = [], []
        return self

    def __exit__(self, *exc):
        state.funcs, state.tapes = self.kept
        return None
