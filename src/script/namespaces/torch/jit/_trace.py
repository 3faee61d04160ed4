# torch.jit._trace -- trace: a function or module run once on an example; what it did with tensors
# is the program. The sizes of the example are symbols, so that the program serves other sizes; a
# size whose number the function looked at stays that number. Parameters and buffers are inputs.
import warnings

import _stage
import _syntax
import _tree
import _torch as _w
import torch
from torch import nn
from torch.jit._module import ScriptModule
from torch.jit import _types
from torch.jit._script import ScriptFunction, check_view, fell_back, input_names, kept_for_backward, overlap, remember, viewed, _made, _state, _view


class TracerWarning(Warning):
    pass


class TracingCheckError(Exception):
    pass


_tracing = [0]          # open traces


def is_tracing():
    return _tracing[0] > 0


class _Traced:
    # The program of a traced function, with the trees of its arguments and results.
    def __init__(self, program, in_spec, out_spec, statics, writes, views, same, name):
        self.program = program
        self.in_spec = in_spec
        self.out_spec = out_spec
        self.statics = statics      # results that are not tensors, by place
        self.writes = writes        # numbers of the inputs (the state, then the arguments) that it writes to
        self.views = views          # number of a tensor among the results: of the input it is a view of,
        self.same = same            # or, with these numbers, itself
        self.name = name
        self.again = None           # args -> the trace for them; None: it is not known (of a file)
        self.func = None            # what was traced, if it is known
        self.others = {}            # by the types of arguments that this program does not take

    def other(self, args, leaves, why):
        # The trace for arguments of other ranks, dtypes or fixed sizes: what the function does then, if that is the same
        # operations one after the other. Where the function went another way, the trace would not have gone it.
        if self.again is None or not why.startswith("call: ") or _w.in_trace():
            return None
        key = tuple([(x.dtype.name, tuple(x.shape)) for x in leaves])
        if key not in self.others:
            t = self.again(args)
            self.others[key] = t if isinstance(t, _Traced) and _operations(t.program) == _operations(self.program) else None
        return self.others[key]

    def run(self, args, state):
        leaves, spec = _tree.flatten(tuple(args), None, False)
        if spec != self.in_spec:        # dicts may be in another order, and have more
            leaves, spec = _tree.flatten(_conform(tuple(args), self.in_spec), None, False)
        if spec != self.in_spec:
            raise RuntimeError(f"{self.name}: expected arguments of the form it was traced with")
        for x in leaves:
            if not isinstance(x, _w.Tensor):
                raise RuntimeError(f"{self.name}: a traced function takes tensors, got {type(x).__name__}")
        inputs = [s.t for s in state] + leaves
        if self.writes and overlap(inputs, self.writes, 0, len(state)):
            if self.func is None or state:
                raise RuntimeError(f"{self.name}: a trace that writes to its arguments was given one of them twice")
            return self.func(*args)
        try:
            outs = _w.apply(self.program, kept_for_backward(inputs, self.writes))
        except RuntimeError as e:
            other = self.other(args, leaves, str(e))
            if other is None:
                raise
            return other.run(args, state)
        n = len(outs) - len(self.writes)
        written = {}
        for k, (i, new) in enumerate(zip(self.writes, outs[n:])):
            written[i] = n + k
            if i < len(state):
                with torch.no_grad():
                    _w.write(inputs[i], new)
            else:
                _w.write(inputs[i], new)
        tensors = outs[:n]
        for k, i in self.views.items():
            if not _w.in_trace():
                tensors[k] = inputs[i] if k in self.same else _view(self.program, k, inputs, i, written.get(i, -1))
        it = iter(tensors)
        values = [self.statics[i] if i in self.statics else next(it)
                  for i in range(n + len(self.statics))]
        return _tree.unflatten(self.out_spec, values)


def _operations(program):
    lines = [line.strip() for line in program.text().split("\n")]
    return [line.split(" = ")[1].split(" ")[0] for line in lines if line.startswith("%") and line.find(" = ") > 0]


def _conform(x, spec):
    # x in the form of a spec, where it has all that this has.
    if spec == "*" or spec is None:
        return x
    if spec[0] == "dict" and isinstance(x, dict) and all([k in x for k in spec[2]]):
        return {k: _conform(x[k], s) for k, s in zip(spec[2], spec[3])}
    if type(x) in (list, tuple) and len(x) == len(spec[3]):
        return type(x)([_conform(v, s) for v, s in zip(x, spec[3])])
    return x


def _parameters(func):
    # Names of what a function or module takes, if they are known.
    if isinstance(func, nn.Module):
        func = func.forward
    func = getattr(func, "__func__", func)
    func = getattr(func, "__stage_as__", func)
    if _syntax.sort(func) != "function":
        return []
    tree = _stage.tree_of(func)[0]
    return [p.name for p in tree.params if p.kind == "pos" and p.name != tree.receiver]


def _positional(names, args, kwargs, name):
    # The arguments of a call by position.
    args = list(args)
    kwargs = dict(kwargs)
    for n in names[len(args):]:
        if n in kwargs:
            args.append(kwargs.pop(n))
    for k in kwargs:
        raise RuntimeError(f"{name}() got an unexpected keyword argument '{k}'")
    return tuple(args)


def _check_inputs(x):
    # What can be traced: tensors, and containers of them that have something of one kind.
    if isinstance(x, (list, dict)):
        if not x:
            raise RuntimeError("List trace inputs must have elements" if isinstance(x, list) else
                               "Dictionary inputs must have entries")
        values = x if isinstance(x, list) else list(x.values())
        for v in values:
            _check_inputs(v)
        if isinstance(x, list) and len({_types.of_value(v) for v in x}) > 1:
            raise RuntimeError("Tracer inputs: elements of a list must be of consistent types, found "
                               f"{' and '.join(sorted({_types.of_value(v) for v in x}))}")
    elif isinstance(x, tuple):
        for v in x:
            _check_inputs(v)


def _read(what):
    warnings.warn(f"Converting a tensor to a Python {what} might cause the trace to be incorrect. We can't record the data flow of Python "
                  "values, so this value will be treated as a constant in the future. This means that the trace might not generalize "
                  "to other inputs!", TracerWarning, stacklevel=2)


_CHANGES = ("Encountering a {} at the output of the tracer might cause the trace to be incorrect, this is only valid if the container "
            "structure does not change based on the module's inputs. Consider using a constant container instead (e.g. for `list`, use "
            "a `tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know the side effects, pass "
            "strict=False to trace() to allow this behavior.")


_OUTPUTS = "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions"


def _check_output(r, leaves, strict):
    # What a traced function gives: tensors, and flat lists or dicts of them, which are its own.
    if isinstance(r, dict) and strict:
        raise RuntimeError(_CHANGES.format("dict"))
    if not any([isinstance(x, _w.Tensor) for x in leaves]):
        raise RuntimeError("The traced function didn't return any values! Side-effects are not captured in traces, so it would be a no-op."
                           if r is None else _OUTPUTS)
    if isinstance(r, (list, dict)):
        values = r if isinstance(r, list) else r.values()
        if isinstance(r, dict) and any([isinstance(k, _w.Tensor) for k in r]):
            raise RuntimeError("a trace cannot give a dict whose keys are tensors")
        if isinstance(r, list) and not all([isinstance(v, _w.Tensor) for v in values]):
            raise RuntimeError(_OUTPUTS)
        if isinstance(r, list) and strict:
            warnings.warn(_CHANGES.format("list"), TracerWarning, stacklevel=2)


class _AsItIs:
    # A function that cannot be a program (it draws random numbers, anew at each call; it packs
    # sequences by their lengths): it is run as it is.
    writes = ()
    program = None

    def __init__(self, func, name, reason):
        self.func = func
        self.name = name
        self.reason = reason

    def run(self, args, state):
        return self.func(*args)


def _record(func, args, state, name, strict, names=None, opens=None, counts=True):
    # counts: is the run on the example one that the caller asked for? names: of the inputs. opens: of each argument the axes whose sizes stay open, as bits; None: all that can.
    _check_inputs(tuple(args))
    leaves, spec = _tree.flatten(tuple(args), None, False)
    for x in leaves:
        if not isinstance(x, _w.Tensor):
            raise RuntimeError(f"Type '{_types.of_value(tuple(args))}' cannot be traced. Only Tensors and (possibly nested) "
                               "Lists, Dicts, and Tuples of Tensors can be traced")
    if _w.in_trace():
        raise RuntimeError("a trace cannot be made inside another trace")
    n = len(state)
    done, counted = [], []
    owner = func if isinstance(func, nn.Module) else getattr(func, "__self__", None)
    owner = owner if isinstance(owner, nn.Module) else None
    if names is None:
        names = input_names(owner, state, func.forward if func is owner else func, spec, 0)

    def body(*symbols):
        _w.name_inputs(symbols, names)
        first = [_w.alias(s) for s in symbols]
        for k, s in zip(state, symbols):
            k.put(s)
        try:
            r = func(*_tree.unflatten(spec, list(symbols[n:])))
            out, out_spec = _tree.flatten(r, None, False)
            _check_output(r, out, strict)
            tensors, statics, views, same = [], {}, {}, []
            for i, x in enumerate(out):
                if isinstance(x, _w.Tensor):
                    of = viewed(x, symbols)
                    if of is not None:
                        views[len(tensors)] = of
                        if x is symbols[of]:
                            same.append(len(tensors))
                    tensors.append(x)
                else:
                    statics[i] = x
            counted.append(len(tensors))
            writes = []
            for i, (s, old) in enumerate(zip(symbols, first)):
                now = s
                if i < n:
                    m, d, key = state[i].places[0]
                    now = d[key]
                if now is not s or not _w.same_value(s, old):
                    writes.append(i)
                    tensors.append(now)
            done.append((out_spec, statics, writes, views, same))
            return tensors
        finally:
            for k in state:
                k.put(k.t)

    _tracing[0] += 1
    try:
        program = _made(body, [s.t for s in state] + leaves, name,
                        lambda f, xs: _w.trace_sizes(f, xs, list(range(n)), name, _read, None if opens is None else [0] * n + opens))
        out_spec, statics, writes, views, same = done[0]
        results = counted[0]
        for k, i in views.items():
            check_view(program, k, i, results + writes.index(i) if i in writes else -1)
    except _stage.Refuse as e:
        fell_back(name, getattr(func, "__name__", type(func).__name__), 0, str(e))
        with torch.no_grad():       # the run on the example draws its numbers
            func(*args)
        return _AsItIs(func, name, str(e))
    finally:
        _tracing[0] -= 1
    t = _Traced(program, spec, *done[0], name)
    t.func = func
    t.again = lambda more: _record(func, more, state, name, strict, names, opens, False)
    if t.writes and counts:        # the run on the example counts: buffers have its traces
        with torch.no_grad():
            t.run(args, state)
    return t


def _check(traced, func, args, state, tolerance):
    # Does the trace give what the function gives? What it writes to would be written twice.
    if traced.writes:
        return
    with torch.no_grad():
        want = func(*args)
        got = traced.run(args, state)
    for i, (a, b) in enumerate(zip(_tree.flatten(want, None, False)[0], _tree.flatten(got, None, False)[0])):
        if isinstance(a, _w.Tensor) and not torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
            warnings.warn(f"Output nr {i + 1}. of the traced function does not match the corresponding output of the Python "
                          "function.", TracerWarning, stacklevel=3)


class TracedFunction(ScriptFunction):
    def __init__(self, traced, func):
        _w.Dispatch.__init__(self)
        self._traced = traced
        self.__name__ = traced.name
        self.__wrapped__ = func

    def slow(self, *args, **kwargs):
        if kwargs:
            args = _positional(_parameters(self.__wrapped__), args, kwargs, self.__name__)
        r = self._traced.run(args, [])
        if self._traced.program is not None and isinstance(r, _w.Tensor) and not self._traced.writes and \
                not self._traced.views and all([isinstance(x, _w.Tensor) for x in args]) and not _w.in_trace():
            self.remember(args, self._traced.program, True)
        return r

    @property
    def graph(self):
        return self._traced.program

    def graph_for(self, *args):
        return self._traced.program

    @property
    def code(self):
        return self._traced.program.text()

    def __repr__(self):
        return f"<torch.jit.ScriptFunction object: {self.__name__}>"


class TracedModule(ScriptModule):
    _made = True


class TopLevelTracedModule(TracedModule):
    @property
    def graph(self):
        return self._traced["forward"].program

    @property
    def code(self):
        return self._traced["forward"].program.text()

    @property
    def original_name(self):
        return type(self)._original.__name__

    def _get_name(self):
        return type(self)._original.__name__

    def extra_repr(self):
        return f"original_name={type(self)._original.__name__}"

    def forward(self, *args, **kwargs):
        t = self._traced["forward"]
        if kwargs:
            args = _positional(_parameters(type(self)._original.forward), args, kwargs, "forward")
        state = _state(self)
        r = t.run(args, state)
        if t.program is not None and not t.writes and not t.views and isinstance(r, _w.Tensor) and not _w.in_trace():
            remember(self, args, t.program, True, [k.places[0][1:] for k in state])
        return r


class ONNXTracedModule(TracedModule):
    pass


_classes = {}


def _traced_class(cls, top):
    key = (id(cls), top)
    if key not in _classes:
        if top:
            class Traced(TopLevelTracedModule, cls):
                pass
            Traced.forward = TopLevelTracedModule.forward
        else:
            class Traced(TracedModule, cls):
                pass
        Traced.__name__ = Traced.__qualname__ = "TopLevelTracedModule" if top else "TracedModule"
        Traced._original = cls
        _classes[key] = (cls, Traced)
    return _classes[key][1]


def _clone(m, top, memo):
    if isinstance(m, ScriptModule) and not top:
        return m
    if id(m) in memo:
        return memo[id(m)]
    cls = _traced_class(type(m), top)
    new = cls.__new__(cls)
    memo[id(m)] = new
    d = vars(new)
    for k, v in vars(m).items():
        if k not in ("_quick", "_programs"):
            d[k] = dict(v) if k in ("_parameters", "_buffers", "_modules") else v
    for name, child in m._modules.items():
        new._modules[name] = None if child is None else _clone(child, False, memo)
    return new


def trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5,
          strict=True, _force_outplace=False, _module_class=None, _compilation_unit=None, example_kwarg_inputs=None,
          _store_inputs=True):
    if isinstance(func, (TracedFunction, TopLevelTracedModule)):
        return func
    if isinstance(func, ScriptFunction):
        return func
    if example_kwarg_inputs is not None:
        if not isinstance(example_kwarg_inputs, dict):
            raise RuntimeError("example_kwarg_inputs should be a dict")
        example_inputs = _positional(_parameters(func), (), example_kwarg_inputs, getattr(func, "__name__", "forward"))
    if isinstance(example_inputs, _w.Tensor) or isinstance(example_inputs, dict):
        example_inputs = (example_inputs,)
    args = tuple(example_inputs)
    if isinstance(func, nn.Module):
        return trace_module(func, {"forward": args}, None, check_trace, None, check_tolerance, strict)
    name = getattr(func, "__name__", "forward")
    bound = getattr(func, "__self__", None)
    if isinstance(bound, nn.Module):
        raise AttributeError("trace doesn't support compiling individual module's functions. Please use trace_module")
    t = _record(func, args, [], name, strict)
    if check_trace and t.program is not None:
        for a in [args] + [tuple(x) if isinstance(x, (list, tuple)) else (x,) for x in (check_inputs or [])]:
            _check(t, func, a, [], check_tolerance)
    return TracedFunction(t, func)


def trace_module(mod, inputs, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5, strict=True,
                 _force_outplace=False, _module_class=None, _compilation_unit=None, example_inputs_is_kwarg=False,
                 _store_inputs=True):
    if example_inputs_is_kwarg:
        raise NotImplementedError("trace_module: example_inputs_is_kwarg=True")
    for m in mod.modules():
        if m._backward_hooks:
            raise Exception("Modules that have backward hooks assigned can't be compiled: " + str(m))
    state = _state(mod)
    traced = {}
    for name, args in inputs.items():
        args = (args,) if isinstance(args, _w.Tensor) else tuple(args)
        method = mod if name == "forward" else getattr(mod, name)
        traced[name] = _record(method, args, state, name, strict)
        if check_trace and traced[name].program is not None:
            _check(traced[name], method, args, state, check_tolerance)
    new = _clone(mod, True, {})
    vars(new)["_traced"] = traced
    for name in traced:
        if name != "forward":
            vars(new)[name] = _bound(new, name)
    return new


def _bound(m, name):
    return lambda *args: m._traced[name].run(args, _state(m))
