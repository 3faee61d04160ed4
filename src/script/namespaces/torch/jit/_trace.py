# torch.jit._trace -- trace: a function or module run once on an example; what it did with tensors
# is the program. The sizes of the example are symbols, so that the program serves other sizes; a
# size whose number the function looked at stays that number. Parameters and buffers are inputs.
import _tree
import _torch as _w
import torch
from torch import nn
from torch.jit._script import ScriptModule, ScriptFunction, remember


class TracerWarning(Warning):
    pass


class TracingCheckError(Exception):
    pass


def is_tracing():
    return _w.in_trace()


def _named_state(m):
    # (name, owner, dict, key, tensor) of parameters and buffers of the tree, each once.
    out, seen = [], {}
    for owner in m.modules():
        for d in (owner._parameters, owner._buffers):
            for k, t in d.items():
                if t is not None and id(t) not in seen:
                    seen[id(t)] = t
                    out.append((owner, d, k, t))
    return out


class _Traced:
    # The program of a traced function, with the trees of its arguments and results.
    def __init__(self, program, in_spec, out_spec, statics, writes, name):
        self.program = program
        self.in_spec = in_spec
        self.out_spec = out_spec
        self.statics = statics      # results that are not tensors, by place
        self.writes = writes        # numbers of the state that the function writes to
        self.name = name

    def run(self, args, state):
        leaves, spec = _tree.flatten(tuple(args), None, False)
        if spec != self.in_spec:
            raise RuntimeError(f"{self.name}: expected arguments of the form it was traced with")
        for x in leaves:
            if not isinstance(x, _w.Tensor):
                raise RuntimeError(f"{self.name}: a traced function takes tensors, got {type(x).__name__}")
        outs = _w.apply(self.program, [s[3] for s in state] + leaves)
        n = len(outs) - len(self.writes)
        it = iter(outs[:n])
        values = [self.statics[i] if i in self.statics else next(it)
                  for i in range(n + len(self.statics))]
        with torch.no_grad():
            for i, new in zip(self.writes, outs[n:]):
                owner, d, k, t = state[i]
                _w.write(t, new)
        return _tree.unflatten(self.out_spec, values)


class _Drawing:
    # A function that draws random numbers, anew at each call: it is run as it is.
    writes = ()
    program = None

    def __init__(self, func, name):
        self.func = func
        self.name = name

    def run(self, args, state):
        return self.func(*args)


def _record(func, args, state, name, strict):
    leaves, spec = _tree.flatten(tuple(args), None, False)
    for x in leaves:
        if not isinstance(x, _w.Tensor):
            raise RuntimeError(f"Type '{type(x).__name__}' cannot be traced. Only Tensors and (possibly nested) "
                               "Lists, Dicts, and Tuples of Tensors can be traced")
    if _w.in_trace():
        raise RuntimeError("a trace cannot be made inside another trace")
    n = len(state)
    done = []

    def body(*symbols):
        kept = []
        for (owner, d, k, t), s in zip(state, symbols):
            kept.append((d, k, t, s, _w.alias(s)))
            d[k] = s
        try:
            r = func(*_tree.unflatten(spec, list(symbols[n:])))
            out, out_spec = _tree.flatten(r, None, False)
            if isinstance(r, dict) and strict:
                raise RuntimeError("Encountering a dict at the output of the tracer might cause the trace to be "
                                   "incorrect; use strict=False to allow it")
            tensors, statics = [], {}
            for i, x in enumerate(out):
                if isinstance(x, _w.Tensor):
                    tensors.append(x)
                else:
                    statics[i] = x
            if not tensors:
                raise RuntimeError("The traced function didn't return any values")
            writes = []
            for i, (d, k, t, s, old) in enumerate(kept):
                if d[k] is not s or not _w.same_value(s, old):
                    writes.append(i)
                    tensors.append(d[k])
            done.append((out_spec, statics, writes))
            return tensors
        finally:
            for d, k, t, s, old in kept:
                d[k] = t

    refused = _w.refuse_random(True)
    try:
        program = _w.trace_sizes(body, [s[3] for s in state] + leaves, list(range(n)), name, True)
    except RuntimeError:
        _w.refuse_random(True)
        if _w.refuse_random(False) == refused:
            raise
        return _Drawing(func, name)
    finally:
        _w.refuse_random(False)
    t = _Traced(program, spec, *done[0], name)
    if t.writes:        # the run on the example counts: buffers have its traces
        with torch.no_grad():
            t.run(args, state)
    return t


def _check(traced, func, args, state, tolerance):
    # Does the trace give what the function gives?
    with torch.no_grad():
        want = func(*args)
        got = traced.run(args, state) if not traced.writes else want
    for i, (a, b) in enumerate(zip(_tree.flatten(want, None, False)[0], _tree.flatten(got, None, False)[0])):
        if isinstance(a, _w.Tensor) and not torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
            import sys
            sys.stderr.write(f"TracerWarning: Output nr {i + 1}. of the traced function does not match the "
                             "corresponding output of the Python function.\n")


class TracedFunction(ScriptFunction):
    def __init__(self, traced, func):
        _w.Dispatch.__init__(self)
        self._traced = traced
        self.__name__ = traced.name
        self.__wrapped__ = func

    def slow(self, *args):
        r = self._traced.run(args, [])
        if self._traced.program is not None and isinstance(r, _w.Tensor) and \
                all([isinstance(x, _w.Tensor) for x in args]) and not _w.in_trace():
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
    pass


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

    def forward(self, *args):
        t = self._traced["forward"]
        state = _named_state(self)
        r = t.run(args, state)
        if t.program is not None and not t.writes and isinstance(r, _w.Tensor) and not _w.in_trace():
            remember(self, args, t.program, True, [(d, k) for _, d, k, _ in state])
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
        Traced.__name__ = "TopLevelTracedModule" if top else "TracedModule"
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
        raise NotImplementedError("trace: example_kwarg_inputs; give the inputs by position")
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
    state = _named_state(mod)
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
    return lambda *args: m._traced[name].run(args, _named_state(m))
