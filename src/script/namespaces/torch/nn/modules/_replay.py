# torch.nn.modules._replay -- what a call of a module does, for those that come again and again (engine/replay.c).
import _syntax
import _torch as _w
import torch
from torch._dynamo.frame import Runner
from torch._dynamo.program import Trial, make
from torch._dynamo.segment import Break, Tracer
from torch._types import home
from torch.nn.modules.module import Module
from torch.nn.parameter import Buffer, Parameter

_WHOLE = 64         # modules of one tree, at most


class _Found(Exception):
    pass


def _stays(x):
    return x is None or type(x) in (bool, int, float, str) or (type(x) is tuple and all([_stays(y) for y in x]))


class _Tracer(Tracer):
    def stages(self, func):
        # What a default holds may be another thing at the next call.
        if not _syntax.info(func)["hidden"] and not all([_stays(x) for x in func.__defaults__ or ()] +
                                                        [_stays(x) for x in (func.__kwdefaults__ or {}).values()]):
            raise Break("a default that changes")
        return super().stages(func)


class _Trial(Trial):
    # To its source the call is a plain one, and what it draws is drawn at each.
    compiling = 0
    tracer_class = _Tracer

    def draw(self, name, *args):
        raise Break("random numbers")


class _Recorder(Runner):
    # The body of the first function that is called, as one segment.
    def segment(self, frame, stmts, i):
        names = [p.name for p in frame.tree.params]
        if not all([isinstance(x, (Module, torch.Tensor)) or _stays(x) or x == () for x in frame.env.values()]):
            raise Break("a default that changes")
        self.found = make(stmts, i, frame, names, lambda stop: [], False, _Trial)
        raise _Found()


def _is_plain(m):
    # Calls and attributes are those of Module?
    cls = type(m)
    return cls.__call__ is Module.__call__ and cls.__getattr__ is Module.__getattr__ and cls.__setattr__ is Module.__setattr__ and \
        "forward" not in vars(m) and "parametrizations" not in m._modules


def _flat(reads, modules):
    # (places of the inputs, guards), or None where a guard is none that the engine can hold. It holds tuples of attributes itself.
    own = {id(vars(m)) for m in modules}
    reads.guards = [g for g in reads.guards if not (id(g[1]) in own and type(g[3]) is tuple and _stays(g[3]))]
    places = []
    for k in reads.state:
        if len(k.places) > 1:
            return None
        places += k.places[0][1:]
    flat = reads.flat()
    if flat is None or reads.sources:
        return None
    return places, flat[1][3 * len(reads.state):] + [home, 0, home[0]]


def record(module, args):
    # (program, places, guards) of a call, or None.
    modules = list(module.modules())
    if len(modules) > _WHOLE or not all([_is_plain(m) for m in modules]) or not all([type(x) is torch.Tensor for x in args]):
        return None
    r = _Recorder(module)
    _w.met_composed(False)
    try:
        r.call(module, list(args), {})
    except _Found:
        pass
    except Exception as e:      # the call itself says what it has to say
        _w.log_text(f"torch.nn: calls of a {type(module).__name__} are not replayed: {type(e).__name__}: {e}")
        return None
    s = getattr(r, "found", None)
    if s is None or _w.met_composed(False) or s.program is None or s.reason is not None or s.quick() != 0 or \
            s.reads.draws or s.reads.roots != [module] or \
            not all([type(k.t) in (torch.Tensor, Parameter, Buffer) for k in s.reads.state]):
        return None
    flat = _flat(s.reads, modules)
    if flat is None or any([k.t is x for k in s.reads.state for x in args]):
        return None
    return s.program, flat[0], flat[1]
