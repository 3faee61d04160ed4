# torch.compiler
from torch._compile import compile, runners
from torch._types import programs as _programs

_off = [0]          # open calls of functions that disable gave


def disable(fn=None, recursive=True, *, reason=None):
    # fn is run by the machine; what it calls as well, unless recursive is False.
    if fn is None or isinstance(fn, bool):
        return lambda f: disable(f, recursive, reason=reason)

    def disabled(*args, **kwargs):
        _off[0] += recursive
        try:
            return fn(*args, **kwargs)
        finally:
            _off[0] -= recursive

    disabled.__compile_disabled__ = True
    disabled.__name__ = getattr(fn, "__name__", "disabled")
    disabled.__wrapped__ = fn
    return disabled


def is_compiling():
    return _programs[0] > 0


is_dynamo_compiling = is_compiling


def reset():
    for r in runners:
        r.reset()


def allow_in_graph(fn):
    return fn


def assume_constant_result(fn):
    return fn


def cudagraph_mark_step_begin():
    pass


def list_backends(exclude_tags=("debug", "experimental")):
    from torch._dynamo import list_backends as names
    return names(exclude_tags)
