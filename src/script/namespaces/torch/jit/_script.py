# torch.jit._script -- script: functions and modules kept as source, checked when they are
# scripted, and specialised at each new signature.
#
# A call whose tensors have shapes and dtypes seen before runs the program made then. At a new
# signature the source is run on symbolic values (_stage): ints, floats and bools are inputs of
# the program; where their value is needed (for a shape, a container) the program is made for
# those values. What cannot be a program at all (lists that grow, texts, dicts of numbers) is run
# by the machine that runs scripts, around the programs of what it calls.
import os
import sys

import _syntax
import _tree
import _stage
import _torch as _w
import torch
from torch import amp, nn
from torch.jit import _check, _failure, _graph, _infer, _text, _types
from torch.jit._failure import Error


class _Special:
    # A program for one signature, and how its results become the function's.
    def __init__(self, program, spec, plan, writes):
        self.program = program
        self.spec = spec
        # For each leaf of the result (kind, what): tensor, int, float, bool: the program's next
        # result; "static": a value known beforehand; "same": input `what`; "view": a view of it
        self.plan = plan
        # What is written after the call, to each the program's next result: ("arg", number of the
        # leaf), or ("write", i) into tensor i of the state, ("set", i) in its place
        self.writes = writes
        self.draws = False      # the last of its state is a key of random numbers

    def plain(self, args):
        # Tensors in, a tensor or a tuple of them out, and nothing else?
        flat = self.spec == "*" or (self.spec is not None and self.spec[0] == "tuple" and self.spec[1] is tuple and
                                    all([s == "*" for s in self.spec[3]]))
        return flat and not self.writes and all([k == "tensor" for k, _ in self.plan]) and \
            all([isinstance(x, _w.Tensor) for x in args])


class _Draws(_stage.Refuse):
    # Of a program that would draw random numbers.
    pass


class _Programs:
    # What was made of a method for one module, or of a function.
    def __init__(self):
        self.by_key = {}
        self.by_value = {}      # signature: how many programs for values it has
        self.last = None        # the _Special of the last call
        self.example = None     # (spec, leaves) of the last signature that could be a program

    def __deepcopy__(self, memo):
        return _Programs()      # a copy's attributes are its own


fallbacks = []          # (name, file, line, reason) of what is run by the machine


def fell_back(name, file, line, reason, who="torch.jit"):
    fallbacks.append((name, file, line, reason))
    text = f"{who}: '{name}' ({file}:{line}) is run by the machine, not as a program: {reason}"
    _w.log_text(text)
    if _logs:
        sys.stderr.write(text + "\n")


def _fell_back(method, reason):
    fell_back(method.name, method.info["file"], method.tree.body[0].line if method.tree.body else 0, reason)


_logs = bool(os.getenv("WEFT_LOG")) or (os.getenv("TORCH_LOGS") or "").find("graph_breaks") >= 0

HOST = "host"
_static_limit = 32      # programs for values of one signature, before it is left to the machine
generation = [0]        # changes with every attribute of a scripted module


def changed():
    generation[0] = _w.Dispatch.changed()


class Quick(_w.Dispatch):
    # Calls of a module's forward with tensors of types seen before: its program, at once.
    def __init__(self, module):
        super().__init__()
        self.module = module

    def slow(self, *args, **kwargs):
        return nn.Module.__call__(self.module, *args, **kwargs)

    def __deepcopy__(self, memo):
        return None             # programs of the original


def quick_call(self, *args, **kwargs):
    # __call__ of scripted and traced modules.
    q = vars(self).get("_quick")
    return nn.Module.__call__(self, *args, **kwargs) if q is None else q(*args, **kwargs)


def remember(module, args, program, single, state):
    # state: [(dict, name)]
    if module._forward_hooks or module._forward_pre_hooks or module._backward_hooks or \
            not all([isinstance(x, _w.Tensor) for x in args]) or len(state) > 200:
        return
    q = vars(module).get("_quick")
    if q is None:
        q = vars(module)["_quick"] = Quick(module)
    flat = []
    for d, name in state:
        flat += [d, name]
    q.remember(args, program, single, flat)


class Method:
    # A function of the script. Its programs are kept by the module they are for.
    def __init__(self, func, name=None):
        self.func = func
        self.name = name if name is not None else func.__name__
        self.own = _Programs()
        self.tree, self.info = _stage.tree_of(func)
        self.defaults, self.kwdefaults = _syntax.defaults(func)
        self.params = [p.name for p in self.tree.params]
        self.own_ways = None    # is there what TorchScript has otherwise? Then the machine goes by the source, too
        self.signature, self.returns = _types.signature(func, self.tree)

    def programs(self, owner):
        if owner is None:
            return self.own
        mine = vars(owner).get("_programs")
        if mine is None:
            mine = vars(owner)["_programs"] = {}
        if self.name not in mine:
            mine[self.name] = _Programs()
        return mine[self.name]

    def declaration(self):
        params = [f"{_types.shown(t)} {n}" for n, t, _ in self.signature]
        return f"{self.name}({', '.join(params)}) -> {_types.shown(self.returns or 'Tensor')}"

    def schema(self):
        t = self.tree
        args = ", ".join([f"{_graph.annotation(p.ann)} {p.name}" for p in t.params])
        return f"{t.name}({args}) -> {_graph.annotation(t.returns)}"

    def bound(self, owner, args, kwargs):
        # The arguments by position, with defaults.
        first = [] if owner is None else [owner]
        if kwargs or len(args) + len(first) != len(self.params):
            n = len(self.params)
            if len(args) + len(first) > n and not any([p.kind == "star" for p in self.tree.params]):
                raise RuntimeError(f"{self.name}() expected at most {n} argument(s) but received "
                                   f"{len(args) + len(first)} argument(s). Declaration: {self.declaration()}")
            try:
                env = _binder.bind(self.tree, self.defaults, self.kwdefaults, first + list(args), kwargs, self.name)
            except TypeError as e:
                missing = [p.name for p in self.tree.params[len(args) + len(first):] if p.name not in kwargs]
                if str(e).find("missing") < 0 or not missing:
                    raise RuntimeError(str(e))
                raise RuntimeError(f"{self.name}() is missing value for argument '{missing[0]}'. Declaration: "
                                   f"{self.declaration()}")
            args = [env[p] for p in self.params[len(first):]]
        return args

    def __call__(self, owner, args, kwargs):
        if not self.info["confined"]:
            return self.called(owner, args, kwargs)
        _syntax.confine(1)
        try:
            return self.called(owner, args, kwargs)
        finally:
            _syntax.confine(-1)

    def called(self, owner, args, kwargs):
        args = self.bound(owner, args, kwargs)
        own = self.programs(owner)
        own.last = None
        if _w.in_trace():
            return self.inline(owner, args)
        shared = any([isinstance(x, _types.Shared) for x in args])
        args = _types.arguments(self, args, 0 if owner is None else 1)
        if _scripting[0]:
            return self.by_machine(owner, args) if shared else self.run(owner, own, args)
        try:
            r = self.by_machine(owner, args) if shared else self.run(owner, own, args)
            if isinstance(r, _w.Tensor) and self.returns in _types.NUMBERS:
                return _types.implicit(r, self.returns)
            return r if own.last is not None else _types.coded(r)
        except Exception as e:
            failure = _failure.of(self, e)
        raise failure

    def run(self, owner, own, args):
        leaves, spec = _tree.flatten(args, None, False)
        state = _state(owner) if owner is not None else []
        key = (spec, tuple([_key(x) for x in leaves]), tuple([_key(k.t) for k in state]),
               generation[0] if owner is not None else 0, amp._mode[0])
        s = own.by_key.get(key)
        if s is None:
            s = self.specialise(owner, key, spec, leaves, state, False)
            own.by_key[key] = s
        if s == "values":
            vkey = (key, tuple([repr(x) if isinstance(x, (int, float, bool)) else None for x in leaves]))    # -0.0 is not 0.0
            s = own.by_key.get(vkey)
            if s is None:
                n = own.by_value.get(key, 0)
                s = HOST
                if n < _static_limit:
                    s = self.specialise(owner, key, spec, leaves, state, True)
                    own.by_value[key] = n + 1
                else:
                    _fell_back(self, "it has a program for each of many values already")
                own.by_key[vkey] = s
        own.last = s if isinstance(s, _Special) else None
        if s is HOST:
            return self.by_machine(owner, args)
        inputs = [s_.t for s_ in state] + \
            [x if isinstance(x, _w.Tensor) else _w.tensor(x, _dtypes[type(x)]) for x in leaves
             if isinstance(x, _w.Tensor) or (s.numbers and isinstance(x, (int, float, bool)))]
        written = [i if how != "arg" else _input_of(s, state, leaves, i) for how, i in s.writes]
        if overlap(inputs, written, 0, len(state)) or self.writes_recorded(s, leaves):
            own.last = None
            return self.by_machine(owner, args)
        return self.finish(s, state, leaves, inputs, _w.apply(s.program, kept_for_backward(inputs, written)))

    def writes_recorded(self, s, leaves):
        # Is an argument written to that requires a gradient? Whether it may be depends on the modes inside the function.
        return _w.recording() and any([how == "arg" and _w.about(leaves[i], "requires_grad") for how, i in s.writes])

    def by_machine(self, owner, args):
        _scripting[0] += 1
        func = self.func
        if self.own_ways is None:
            self.own_ways = _has_own_ways(self.tree.body)
        if self.own_ways:
            from torch._dynamo.frame import Machine
            func = Machine(self.func)
        try:
            return _types.result(func(*args) if owner is None else func(owner, *args))
        finally:
            _scripting[0] -= 1

    def finish(self, s, state, leaves, inputs, outs):
        written = {}            # number of an input: of the result that was written to it
        n = len(outs) - len(s.writes)
        for k, (how, i) in enumerate(s.writes):
            new = outs[n + k]
            if how == "arg":
                _w.write(leaves[i], new)
                written[_input_of(s, state, leaves, i)] = n + k
            elif how == "write":
                with torch.no_grad():
                    _w.write(state[i].t, new)
                written[i] = n + k
            else:
                for m, d, name in state[i].places:
                    d[name] = new
        values, k = [], 0
        for kind, what in s.plan:
            if kind == "static":
                values.append(what)
                continue
            if kind == "same":
                values.append(inputs[what])
            elif kind == "view":
                values.append(_view(s.program, k, inputs, what, written.get(what, -1)))
            else:
                values.append(outs[k] if kind == "tensor" else outs[k].item())
            k += 1
        return _tree.unflatten(s.spec, values)

    def inline(self, owner, args):
        # Inside a trace: the source becomes part of the program that is being made.
        stage = _Script()
        if owner is not None:
            stage.slots = _slots(_state(owner))
        try:
            r = stage.call(self.func, ([owner] if owner is not None else []) + list(args), {})
        finally:
            _syntax.place()
        return _tree.map(lambda x: x.t if isinstance(x, _stage.Sym) else x, r)

    def specialise(self, owner, key, spec, leaves, state, by_value):
        # A _Special, "values" if the values of numbers are needed, or HOST.
        for x in leaves:
            if not isinstance(x, (_w.Tensor, int, float, bool, str)):
                _fell_back(self, f"an argument is a {type(x).__name__}")
                return HOST
        numbers = any([isinstance(x, (int, float, bool)) for x in leaves])
        if numbers and _has_containers(spec):
            _fell_back(self, "an argument is a container of numbers")
            return HOST
        if self.programs(owner).by_key:
            _w.log_text(f"torch.jit: '{self.name}' is traced again, for {_tree.types_text(leaves)}")
        if not by_value:
            self.programs(owner).example = (spec, [_w.full(tuple(x.shape), 0, x.dtype) if isinstance(x, _w.Tensor)
                                                   else x for x in leaves])
        try:
            s = self.compile(owner, spec, leaves, state, by_value)
        except (_stage.Refuse, RuntimeError, ValueError) as e:
            if not isinstance(e, _stage.Refuse) and "wf_size_value: " not in str(e):     # else a size is asked for that only a run knows
                raise
            if numbers and not by_value:
                return "values"
            _fell_back(self, str(e))
            return HOST
        return s

    def for_file(self, owner, state, name, draws=None):
        # The program for all sizes, to be saved under a name: (it, None), or (None, why there is none). draws: where it draws
        # random numbers, the key that it has after the state (_draws.Draws; then it has `draws`); None: it may draw none.
        example = self.programs(owner).example
        if example is None:
            return None, "it has not been called with tensors and numbers yet"
        if owner is not None and name.startswith("forward") and (owner._forward_hooks or owner._forward_pre_hooks):
            return None, "it has hooks"

        def trace(body, args):
            return _w.trace_sizes(body, args, list(range(len(state))), name)

        try:
            try:
                s = self.compile(owner, example[0], example[1], state, False, trace)
            except _Draws:
                if draws is None:
                    raise
                state = state + [draws]
                s = self.compile(owner, example[0], example[1], state, False, trace, draws.draw)
                s.draws = True
        except _stage.Refuse as e:
            return None, str(e)
        if any([kind == "static" for kind, _ in s.plan]):
            return None, "a result is no tensor"
        if any([w[0] == "arg" for w in s.writes]):
            return None, "it writes to an argument"
        return s, None

    def compile(self, owner, spec, leaves, state, by_value, trace=None, drawer=None):
        # The program: inputs are the state, then the tensors and (unless by value) numbers among
        # the leaves; results are those of the function, then what it writes.
        done = []
        inputs = [x if isinstance(x, _w.Tensor) else _w.tensor(x, _dtypes[type(x)]) for x in leaves
                  if isinstance(x, _w.Tensor) or (not by_value and isinstance(x, (int, float, bool)))]
        names = input_names(owner, state, self.func, spec, owner is not None)
        names = names[:len(state)] + [n for n, x in zip(names[len(state):], leaves)
                                      if isinstance(x, _w.Tensor) or (not by_value and isinstance(x, (int, float, bool)))]

        def body(*symbols):
            _w.name_inputs(symbols, names)
            stage = _Script()
            first = [(t, _w.alias(t)) for t in symbols]
            it = iter(symbols[len(state):])
            mine = []
            for x in leaves:
                if isinstance(x, _w.Tensor):
                    mine.append(next(it))
                elif not by_value and isinstance(x, (int, float, bool)):
                    mine.append(_stage.Sym(stage, stage.kind_of(x), next(it)))
                else:
                    mine.append(x)
            args = _tree.unflatten(spec, mine)
            for s, t in zip(state, symbols):
                s.put(t)
            stage.slots = _slots(state)
            try:
                r = _types.result(stage.call(self.func, ([owner] if owner is not None else []) + args, {}))
                outs, plan, rspec = _results(r, symbols)
                writes = []
                for i, x in enumerate(mine):
                    if isinstance(x, _w.Tensor) and not _w.same_value(*first[len(state) + _place(mine, i)]):
                        writes.append(("arg", i))
                        outs.append(x)
                for i, s in enumerate(state):
                    m, d, name = s.places[0]
                    now = d[name]
                    if now is first[i][0] and _w.same_value(*first[i]):
                        continue
                    if s.kind == "param":
                        raise _stage.Refuse("a parameter is written to")
                    writes.append(("write" if now is first[i][0] else "set", i))
                    outs.append(now)
                done.append((rspec, plan, writes))
                return outs
            finally:
                for s in state:
                    s.put(s.t)

        program = _made(body, [s.t for s in state] + inputs, self.name, trace, drawer)
        s = _Special(program, *done[0])
        s.numbers = not by_value
        if trace is None:       # a program in a file shares no memory with its inputs
            n = len(s.plan) - len([1 for kind, _ in s.plan if kind == "static"])
            to = [i if how != "arg" else _input_of(s, state, leaves, i) for how, i in s.writes]
            at = 0
            for kind, what in s.plan:
                if kind == "view":
                    check_view(program, at, what, n + to.index(what) if what in to else -1)
                at += kind != "static"
        return s


def _made(body, args, name, trace=None, drawer=None):
    # The program of body: no_grad inside it cuts derivatives, whatever the mode outside is. drawer(name, *args):
    # what a native that draws gives; without one it is refused.
    before = _w.recording(True)
    cuts = _w.cuts(True)
    refused = _w.refuse_random(True)
    _w.drawer(drawer)
    try:
        return _w.trace(body, args, name) if trace is None else trace(body, args)
    except RuntimeError:
        drawn = _w.refuse_random(True) != refused
        _w.refuse_random(False)
        if drawn:
            raise _Draws("it draws random numbers, anew at each call")
        raise
    finally:
        _w.drawer(None)
        _w.refuse_random(False)
        _w.cuts(cuts)
        _w.recording(before)
        _syntax.place()


_differ = ("isinstance", "round", "max", "min", "print", "str")


def _has_own_ways(nodes):
    # Or a text, or a function of numbers, that TorchScript has otherwise?
    return any([n is not None and (n.kind in ("bin", "aug") and (n.op == "**" or n.op == "%" and n.a.kind == "str") or n.kind == "fstr" or
                                   n.kind == "call" and (n.a.kind == "name" and n.a.name in _differ or n.a.kind == "attr" and n.a.name == "format") or
                                   _has_own_ways([n.a, n.b, n.c, *n.list, *n.more])) for n in nodes])


def _place(mine, i):
    # The number of mine[i] among those that are inputs.
    return len([x for x in mine[:i] if isinstance(x, (_w.Tensor, _stage.Sym))])


def _input_of(s, state, leaves, i):
    return len(state) + len([x for x in leaves[:i] if isinstance(x, _w.Tensor) or
                             (s.numbers and isinstance(x, (int, float, bool)))])


def _results(r, symbols):
    # (outs, plan, spec) of what a function gave, with its views of the symbols found.
    outs, plan = [], []
    leaves, spec = _tree.flatten(r, None, False)
    for x in leaves:
        if isinstance(x, _stage.Sym):
            plan.append((x.kind, None))
            outs.append(x.t)
        elif isinstance(x, _w.Tensor):
            of = viewed(x, symbols)
            plan.append(("tensor", None) if of is None else ("same" if x is symbols[of] else "view", of))
            outs.append(x)
        elif isinstance(x, (int, float, bool, str)):
            plan.append(("static", x))
        else:
            raise _stage.Refuse("a result that is not a tensor or a number")
    return outs, plan, spec


def viewed(x, symbols):
    # The number of the symbol that x is, or is a view of; None.
    for i, s in enumerate(symbols):
        if _w.view_of(x, s):
            return i
    return None


def _view(program, k, inputs, i, written):
    # Result k as a view of input i.
    v = _w.view_again(program, k, inputs, i, written)
    if v is None:
        raise RuntimeError(f"result {k} shares memory with an argument in a way that a program cannot: use clone()")
    return v


def check_view(program, k, i, written):
    if not _w.views(program, k, i, written):
        raise _stage.Refuse("a result shares memory with an argument in a way that a program cannot")


def overlap(inputs, written, first, end):
    # Does an input that is written to share memory with another one? Programs know nothing of that. Those from
    # first to end are a module's, each for itself.
    for i in written:
        x = inputs[i]
        others = inputs[:first] + inputs[end:] if first <= i < end else inputs
        if len([y for y in others if y is x]) > (not first <= i < end) or \
                any([y is not x and _w.shares_memory(y, x) for y in others]):
            return True
    return False


def kept_for_backward(inputs, written):
    # The inputs of a call that writes to some of them afterwards: what its derivative reads stays.
    if not written or not _w.recording():
        return inputs
    return [x.clone() if i in written else x for i, x in enumerate(inputs)]


_scripting = [0]        # open calls that are run by the machine
_dtypes = {int: "int64", float: "float64", bool: "bool"}
_binder = _stage.Stage(_w)


class _Script(_stage.Stage):
    # Source of TorchScript. Exceptions carry where they were, and whether the script raised them (_failure.py).
    def __init__(self):
        super().__init__(_w, "sym", _callee, _text)

    def passed(self, frame, e):
        at = frame.here
        if at is not None:
            e.script_places = [(frame.info["file"], at.line, at.col, at.len, frame.tree.name)] + \
                getattr(e, "script_places", [])

    def raised(self, e):
        e = e() if isinstance(e, type) else e
        e.script_raised = True
        return e

    def raise_text(self, e):
        return _failure.raise_text(e() if isinstance(e, type) else e)


def _key(x):
    if isinstance(x, _w.Tensor):
        return (x.dtype.name, tuple(x.shape))
    if isinstance(x, str):
        return x
    return type(x)


def _has_containers(spec):
    # Lists or dicts below the arguments themselves?
    return any([s != "*" and s is not None and s[0] in ("list", "dict") for s in _below(spec)])


def _below(spec):
    out = []
    for s in spec[3]:
        if s != "*" and s is not None:
            out.append(s)
            out += _below(s)
    return out


class _Kept:
    # A tensor of a tree of modules, and where it stands: [(module, dict, name)].
    def __init__(self, kind, t):
        self.kind = kind        # param buffer attr
        self.t = t
        self.places = []

    def put(self, t):
        for m, d, name in self.places:
            d[name] = t


def _state(owner):
    # The tensors of the whole tree, each once: parameters, buffers, and plain attributes.
    out = {}
    for m in owner.modules():
        for kind, d in (("param", m._parameters), ("buffer", m._buffers), ("attr", vars(m))):
            for name, t in d.items():
                if isinstance(t, _w.Tensor):
                    if id(t) not in out:
                        out[id(t)] = _Kept(kind, t)
                    out[id(t)].places.append((m, d, name))
    return list(out.values())


def input_names(owner, state, func, spec, skip):
    # Names of the inputs of a program of the state and of arguments for func: paths in the tree, then parameters.
    paths = {} if owner is None else {id(m): p + "." if p else "" for p, m in owner.named_modules()}
    return [paths.get(id(m), "") + name for m, d, name in [s.places[0] for s in state]] + \
        _tree.argument_names(func, spec, None, skip)


def _slots(state):
    return [[m, name] for s in state if s.kind != "param" for m, d, name in s.places]


def _callee(f):
    # What a call of f stages: (function, first argument) or None.
    if isinstance(f, ScriptFunction):
        return (f._method.func, None) if hasattr(f, "_method") else None
    if isinstance(f, nn.Module):
        if f._forward_hooks or f._forward_pre_hooks:
            return None
        func = _forward_of(f)
        return None if func is None else (func, f)
    return None


def _forward_of(m):
    for c in type(m).__mro__:
        f = vars(c).get("forward")
        if f is not None:
            f = getattr(f, "__stage_as__", f)
            return f if _syntax.sort(f) == "function" else None
    return None


# ---- functions -----------------------------------------------------------------------------------

class ScriptFunction(_w.Dispatch):
    # Calls with tensors of types seen before run their program at once; others are slow.
    def __init__(self, func):
        super().__init__()
        _check.check(func)
        _infer.check([(func, None)])
        self._method = Method(func)
        self.__name__ = func.__name__
        self.__doc__ = getattr(func, "__doc__", None)
        self.__wrapped__ = func

    def slow(self, *args, **kwargs):
        r = self._method(None, args, kwargs)
        s = self._method.own.last
        if not kwargs and s is not None and s.plain(args):
            self.remember(args, s.program, s.spec == "*")
        return r

    @property
    def name(self):
        return self.__name__

    @property
    def qualified_name(self):
        return "__torch__." + self.__name__

    @property
    def graph(self):
        return _graph.Graph(self._method.func)

    @property
    def inlined_graph(self):
        return self.graph

    def graph_for(self, *args, **kwargs):
        # The program for these arguments, if there is one.
        self(*args, **kwargs)
        found = [s for s in self._method.own.by_key.values() if isinstance(s, _Special)]
        return found[-1].program.text() if found else self.graph

    @property
    def code(self):
        return _graph.code(self._method.func)

    @property
    def schema(self):
        return self._method.schema()

    def save(self, path, _extra_files=None):
        from torch.jit._file import save
        save(self, path, _extra_files)

    def save_to_buffer(self, _extra_files=None):
        from torch.jit._file import to_bytes
        return to_bytes(self, _extra_files)

    def get_debug_state(self):
        return None

    def __repr__(self):
        return f"<torch.jit.ScriptFunction object: {self.__name__}>"
