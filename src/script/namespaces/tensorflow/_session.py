# tensorflow._session -- sessions: what is fetched is run as a program.
#
# A run takes the part of the graph that its fetches need, as a program, made once for the fetches,
# the feeds and their types. Variables are further inputs, handed in anew each time; those that are
# assigned are further results, which take the old memory. Random numbers are drawn before the
# program runs. What only the host can do (a function of Python, a variable whose shape changes in a
# loop) is run node by node.
import os
import sys

import _tf as _w
from tensorflow._base import staging
from _expression import order_of, run_order, value_of
from tensorflow import _host
from tensorflow._strings import string
from tensorflow._base import state, as_tensor, InvalidArgumentError, FailedPreconditionError, EagerTensor
from tensorflow._graph import GraphTensor, GraphVariable, Operation, _Root, default_graph

_said = []      # what was told once


class Run:
    # Variables during one run: as they are when it begins, and now.
    def __init__(self, session):
        self.session = session
        self.level = _w.trace_level()   # None: node by node
        self.free_sizes = False
        self.start, self.now = {}, {}
        self.captured = []              # (variable, place among the captures)
        self.draws = []                 # (what draws, place among the captures, shape, dtype)
        self.written = []

    def first(self, v):
        if v not in self.start:
            x = self.session.value(v)
            if self.level is not None:
                x, at = _w.capture(x, self.level)
                self.captured.append((v, at))
            self.start[v] = x
        return self.start[v]

    def value(self, v):
        return self.now[v] if v in self.now else self.first(v)

    def set(self, v, x):
        self.now[v] = x
        if v not in self.written:
            self.written.append(v)


class _Program:
    # One choice of fetches and feeds.
    def __init__(self, session, targets, feeds, values):
        def body(*xs):
            _w.name_inputs(xs, [(f.name or "").split(":")[0] for f in feeds])
            state.run = run = Run(session)
            env = dict(zip(feeds, xs))
            for t in targets:
                # variables that are fetched are read before anything changes them
                if isinstance(t, _Root) and t not in env:
                    run.first(t.variable)
            run_order(order_of(targets, env, {}), env, {})
            self.run = run
            return [value_of(t, env, {}) for t in targets] + [run.now[v] for v in run.written]
        self.count = len(targets)
        self.program = _w.note(_w.trace(body, values, _w.named("run")))
        run = self.run
        first = len(values)
        self.donated = [first + at for v, at in run.captured if v in run.written]

    def call(self, session, values):
        captures = list(self.program.captures)
        for v, at in self.run.captured:
            captures[at] = session.value(v)
        kept, state.run = state.run, self.run      # operations draw from streams of the session
        for make, at, _, _ in self.run.draws:
            captures[at] = make()
        state.run = kept
        out = _w.apply(self.program, values, [], captures, self.donated)
        for v, x in zip(self.run.written, out[self.count:]):
            session.set(v, x)
        return out[:self.count]


class Session:
    _stack = []

    def __init__(self, target="", graph=None, config=None):
        self.graph = graph if graph is not None else default_graph()
        self._values = {}
        self._programs = {}     # None: node by node
        self._hosts = {}        # of what is fetched: nodes that the host runs
        self.streams = {}       # of operations that draw random numbers
        self._closed = False

    @staticmethod
    def current():
        if not Session._stack:
            raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
                             "sess.as_default()` or pass an explicit session to `eval(session=sess)`")
        return Session._stack[-1]

    def __enter__(self):
        Session._stack.append(self)
        self._old = state.graph
        state.graph = self.graph
        return self

    def __exit__(self, *exc):
        Session._stack.pop()
        state.graph = self._old

    def as_default(self):
        return self

    def close(self):
        self._closed = True

    @property
    def graph_def(self):
        return self.graph.as_graph_def()

    def has(self, v):
        return v in self._values

    def value(self, v):
        if v not in self._values:
            raise FailedPreconditionError(f"Could not find variable {v.name[:-2]}. This could mean that the variable has been deleted "
                                          f"or not been initialized: Attempting to use uninitialized value {v.name[:-2]}")
        return self._values[v]

    def set(self, v, x):
        self._values[v] = _w.detach(x)

    def _fed(self, feed_dict):
        env = {}
        for k, x in _flat_feeds(feed_dict or {}):
            if isinstance(k, str):
                try:
                    k = self.graph.get_tensor_by_name(k)
                except (KeyError, ValueError) as e:
                    raise TypeError(f"Cannot interpret feed_dict key as Tensor: {e.args[0]}") from None
            if isinstance(k, GraphVariable):
                k = k._root
            if not isinstance(k, GraphTensor):
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: Can not convert a {type(k).__name__} into a Tensor.")
            if isinstance(x, GraphTensor):
                raise TypeError("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, "
                                "strings, lists, numpy ndarrays, or TensorHandles.")
            t = as_tensor(x) if k.dtype is string else _w.cast(as_tensor(x), k.dtype)
            if not k._shape.is_compatible_with(t.shape):
                raise ValueError(f"Cannot feed value of shape {t.shape} for Tensor {k.name}, which has shape {k._shape}")
            env[k] = t
        return env

    def _targets(self, fetches, out):
        # the structure of fetches with numbers for its parts; the parts go to out
        if isinstance(fetches, str):
            try:
                fetches = self.graph.as_graph_element(fetches)
            except KeyError as e:
                raise ValueError(f"Argument `fetch` = {fetches} cannot be interpreted as a Tensor. ({e})") from None
        if isinstance(fetches, GraphVariable):
            fetches = fetches._root
        v = getattr(fetches, "variable", None)
        if v is not None and not v._is_resource:     # memory, of which the fetch sees what the run has written
            out.append(fetches)
            written = fetches not in self._env
            return _Made(lambda values: self._values[v].numpy() if written else values[0], [len(out) - 1])
        if hasattr(fetches, "tensors") and hasattr(fetches, "make"):     # a summary: bytes, made of tensors
            return _Made(fetches.make, [self._targets(t, out) for t in fetches.tensors])
        if isinstance(fetches, GraphTensor) and fetches.dtype is string and fetches.known is not None:
            return _Made(lambda values: fetches.known.numpy(), [])
        if isinstance(fetches, GraphTensor):
            if fetches.graph is not self.graph:
                raise ValueError(f"Argument `fetch` = {fetches} cannot be interpreted as a Tensor. (Tensor {fetches} is not an element of this graph.)")
            out.append(fetches)
            return len(out) - 1
        if isinstance(fetches, Operation):
            out += fetches.outputs if fetches.outputs else fetches.results
            return None
        if isinstance(fetches, list):
            return [self._targets(f, out) for f in fetches]
        if isinstance(fetches, tuple):
            parts = [self._targets(f, out) for f in fetches]
            return type(fetches)(*parts) if hasattr(fetches, "_fields") else tuple(parts)
        if isinstance(fetches, dict):
            return {k: self._targets(f, out) for k, f in fetches.items()}
        if fetches is None:
            raise TypeError("Argument `fetch` = None has invalid type \"NoneType\". Cannot be None")
        raise TypeError(f"Argument `fetch` = {fetches} has invalid type \"{type(fetches).__name__}\" must be a string or Tensor. (Can not convert a "
                        f"{type(fetches).__name__} into a Tensor or Operation.)")

    def program(self, fetches, feed_dict=None):
        # the program of a run, to be printed
        targets = []
        self._env = self._fed(feed_dict)
        self._targets(fetches, targets)
        entry = self._program(targets, self._env)
        return None if entry is None else entry.program

    def _program(self, targets, env):
        key = (tuple([id(t) for t in targets]), tuple([id(k) for k in env]), tuple([tuple(x.shape) for x in env.values()]),
               tuple([self.has(v) for v in self.graph.asked_initialized]))
        if key not in self._programs:
            self._programs[key] = self._make(targets, env)
        return self._programs[key]

    def _make(self, targets, env):
        old = state.graph, state.run
        state.graph = None
        try:
            return _Program(self, targets, list(env), list(env.values()))
        except (staging.Refuse, ValueError, TypeError, RuntimeError, IndexError, NotImplementedError) as e:
            text = f"Session.run: node by node, not as a program: {e}"
            _w.log_text(text)
            if os.getenv("WEFT_LOG"):
                sys.stderr.write(text + "\n")
            return None
        finally:
            state.graph, state.run = old

    def _by_nodes(self, targets, env):
        old = state.graph, state.run
        state.graph, state.run = None, Run(self)
        try:
            for v in self._values:
                state.run.first(v)
            order = order_of(targets, env, {})
            run_order(order, env, {})
            out = [value_of(t, env, {}) for t in targets]
            for v in state.run.written:
                self.set(v, state.run.now[v])
            return out
        finally:
            state.graph, state.run = old

    def values_of(self, targets, env):
        if self.graph.host_nodes:
            env = self._hosted(targets, env)
            targets, all_ = [t for t in targets if t.dtype is not string and t not in env], targets
            if len(targets) < len(all_):
                found = dict(zip(targets, self._computed(targets, env))) if targets else {}
                return [found[t] if t in found else env[t] if t in env else t.root_value() for t in all_]
        return self._computed(targets, env)

    def _hosted(self, targets, env):
        # what is fed, and what the host gives
        key = tuple([id(t) for t in targets])
        if key not in self._hosts:
            self._hosts[key] = _host.hosts_of(targets)
        env = dict(env)
        _host.run_hosts(self, self._hosts[key], env)
        return env

    def _computed(self, targets, env):
        env = {k: x for k, x in env.items() if k.dtype is not string} if self.graph.host_nodes else env
        entry = self._program(targets, env)
        try:
            return self._by_nodes(targets, env) if entry is None else entry.call(self, list(env.values()))
        except AssertionError as e:     # of an operation that asserts
            raise InvalidArgumentError(str(e)) from None

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if run_metadata is not None and not _said:
            _said.append(True)
            sys.stderr.write("Session.run: nothing is written to run_metadata; `weft bench` measures programs\n")
        env = self._env = self._fed(feed_dict)
        targets = []
        form = self._targets(fetches, targets)
        values = self.values_of(targets, env)
        return _shaped(form, [v.numpy() if hasattr(v, "numpy") else v for v in values])

    def partial_run(self, *args):
        raise NotImplementedError("partial_run is not offered")

    def make_callable(self, fetches, feed_list=None):
        return lambda *args: self.run(fetches, dict(zip(feed_list or [], args)))


class InteractiveSession(Session):
    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        Session._stack.append(self)


def _flat_feeds(feeds):
    # keys may be nests of tensors (states of cells); their values are nests alike
    for k, x in feeds.items():
        if isinstance(k, tuple):
            yield from _flat_feeds(dict(zip(k, x)))
        else:
            yield k, x


class _Made:
    def __init__(self, make, parts):
        self.make, self.parts = make, parts


def _shaped(form, values):
    if form is None:
        return None
    if isinstance(form, _Made):
        return form.make([_shaped(i, values) for i in form.parts])
    if isinstance(form, int):
        return values[form]
    if isinstance(form, list):
        return [_shaped(f, values) for f in form]
    if isinstance(form, tuple):
        parts = [_shaped(f, values) for f in form]
        return type(form)(*parts) if hasattr(form, "_fields") else tuple(parts)
    return {k: _shaped(f, values) for k, f in form.items()}
