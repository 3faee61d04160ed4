# torch._compile -- torch.compile: its arguments, and what it gives. torch._dynamo makes the programs.
import functools as _functools

import _torch as _w

from torch.nn.modules.module import Module


class OptimizedModule(Module):
    def __init__(self, mod, quick):
        super().__init__()
        self._orig_mod = mod
        vars(self)["_quick"] = vars(self)["forward"] = quick

    def forward(self, *args, **kwargs):
        return self._quick(*args, **kwargs)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self.__dict__["_modules"]["_orig_mod"]
        return getattr(self.__dict__["_modules"]["_orig_mod"], name)


BACKENDS = ("inductor", "eager", "aot_eager", "aot_eager_decomp_partition")
_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def _check(backend, mode, options):
    # What torch.compile refuses, and what it is asked for that is not done here.
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if not callable(backend) and backend not in BACKENDS:
        from torch._dynamo.exc import InvalidBackend
        raise InvalidBackend(f"Invalid backend: {backend!r}. See `torch._dynamo.list_backends()` for available "
                             "backends.")
    if mode is not None and backend == "inductor" and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if options:
        raise NotImplementedError(f"torch.compile: there is no option {list(options)[0]!r}: options are those of the "
                                  "compiler that PyTorch has")


runners = []            # of all that was compiled


def _of_tensors(x):
    # A tensor, or lists and tuples of nothing else? Numbers stand in programs as they were, and calls are told apart
    # by their types alone.
    return isinstance(x, _w.Tensor) or type(x) in (list, tuple) and all([_of_tensors(y) for y in x])


class Quick(_w.Dispatch):
    # Calls with tensors of types seen before run their program at once, where one program is all there is to do.
    def __init__(self, runner):
        super().__init__()
        self.runner = runner

    def slow(self, *args, **kwargs):
        r = self.runner(*args, **kwargs)
        s = self.runner.quick()
        if s is not None and not kwargs and not s.remembered and all([_of_tensors(x) for x in args]):
            s.remembered = True
            tree, reads = s.quick(), s.reads.flat()
            if tree is not None and reads is not None:
                state, guards = reads
                single = isinstance(tree, int) and all([isinstance(x, _w.Tensor) for x in args])
                self.remember(args, s.program, single, state, None if single else tree, None, guards)
        return r

    def __deepcopy__(self, memo):
        return Quick(self.runner)


class Graph:
    # What a backend of the user's gets: a program that can be called.
    def __init__(self, program):
        self.graph = program
        self.forward = self.__call__

    @property
    def code(self):
        return self.graph.text()

    def print_readable(self, print_output=True):
        if print_output:
            print(self.code)
        return self.code

    def __call__(self, *inputs):
        return _w.apply(self.graph, list(inputs))


def _made(program, inputs, backend):
    made = backend(Graph(program), inputs)
    if not callable(made):
        raise TypeError("torch.compile: a backend gives something that can be called")
    return made


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    # mode says how much time is spent on code, which is one here: no result depends on it.
    _check(backend, mode, options)
    if model is None:
        return lambda fn: compile(fn, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode,
                                  options=options, disable=disable)
    if not callable(model):
        raise RuntimeError(f"torch.compile: needs a function or a module, got {type(model).__name__}")
    if disable:
        return model
    from torch._dynamo.frame import Runner
    own = (lambda program, inputs: _made(program, inputs, backend)) if callable(backend) else None
    if isinstance(model, OptimizedModule):
        model = model._orig_mod
    runner = Runner(model, fullgraph, dynamic, own)
    runners.append(runner)
    if isinstance(model, Module):
        return OptimizedModule(model, Quick(runner))

    quick = Quick(runner)

    @_functools.wraps(model)
    def inner(*args, **kwargs):
        return quick(*args, **kwargs)

    inner.__compiled__ = model
    _w.relay(inner, quick)
    return inner
