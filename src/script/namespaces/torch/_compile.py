# torch._compile -- torch.compile: what it is given runs as it is, after its arguments are looked at.
import functools as _functools
import warnings as _warnings

from torch.nn.modules.module import Module


class OptimizedModule(Module):
    def __init__(self, mod):
        super().__init__()
        self._orig_mod = mod

    def forward(self, *args, **kwargs):
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self.__dict__["_modules"]["_orig_mod"]
        return getattr(self.__dict__["_modules"]["_orig_mod"], name)


class InvalidBackend(RuntimeError):
    pass


BACKENDS = ("inductor", "eager", "aot_eager", "aot_eager_decomp_partition")
_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def _check(backend, mode, options):
    # What torch.compile refuses, and what it is asked for that is not done here.
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if callable(backend):
        raise NotImplementedError("torch.compile: a backend of one's own gets no graph here; use functorch.compile's "
                                  "aot_function, which gives one to its compilers")
    if backend not in BACKENDS:
        raise InvalidBackend(f"Invalid backend: {backend!r}. See `torch._dynamo.list_backends()` for available "
                             "backends.")
    if mode is not None and backend == "inductor" and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if options:
        raise NotImplementedError(f"torch.compile: there is no option {list(options)[0]!r}: options are those of the "
                                  "compiler that PyTorch has")


_told = []


def _tell(fullgraph, dynamic, mode):
    # Once: what is asked for that says how programs are made, where none is.
    for name, asked in (("fullgraph", fullgraph), ("dynamic", dynamic is not None), ("mode", mode not in (None, "default"))):
        if asked and name not in _told:
            _told.append(name)
            _warnings.warn(f"torch.compile: {name} has no effect: functions run as they are, operation by operation, and "
                           "give the same results")


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    _check(backend, mode, options)
    if model is None:
        return lambda fn: compile(fn, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode,
                                  options=options, disable=disable)
    if not callable(model):
        raise RuntimeError(f"torch.compile: needs a function or a module, got {type(model).__name__}")
    if disable:
        return model
    _tell(fullgraph, dynamic, mode)
    if isinstance(model, Module):
        return OptimizedModule(model)

    @_functools.wraps(model)
    def inner(*args, **kwargs):
        return model(*args, **kwargs)

    return inner
