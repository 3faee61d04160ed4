# inspect -- functions and classes looked at.
import sys as _sys
from collections import namedtuple as _namedtuple
import types as _types
import _host


class _empty:
    pass


class _Kind(int):
    _names = ["POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD"]

    @property
    def name(self):
        return self._names[int(self)]

    @property
    def description(self):
        return ["positional-only", "positional or keyword", "variadic positional", "keyword-only", "variadic keyword"][int(self)]

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"<_ParameterKind.{self.name}: {int(self)}>"


class Parameter:
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = [_Kind(i) for i in range(5)]
    empty = _empty

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        self.name, self.kind, self.default, self.annotation = name, _Kind(kind), default, annotation

    def replace(self, **changes):
        d = {"name": self.name, "kind": self.kind, "default": self.default, "annotation": self.annotation}
        d.update(changes)
        return Parameter(d["name"], d["kind"], default=d["default"], annotation=d["annotation"])

    def __str__(self):
        s = self.name
        if self.annotation is not _empty:
            s += ": " + formatannotation(self.annotation)
        if self.default is not _empty:
            s += (" = " if self.annotation is not _empty else "=") + repr(self.default)
        return "*" + s if self.kind == 2 else "**" + s if self.kind == 4 else s

    def __repr__(self):
        return f'<Parameter "{self}">'

    def __eq__(self, other):
        return isinstance(other, Parameter) and (self.name, int(self.kind), self.default) == (other.name, int(other.kind), other.default)

    def __hash__(self):
        return hash((self.name, int(self.kind)))


def formatannotation(a):
    if getattr(a, "__module__", None) == "typing":
        return repr(a).replace("typing.", "")
    if isinstance(a, type) and getattr(a, "__origin__", None) is None:
        return a.__qualname__ if a.__module__ in ("builtins", None) else f"{a.__module__}.{a.__qualname__}"
    return repr(a)


class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature, self.arguments = signature, arguments

    @property
    def args(self):
        out = []
        for n, p in self.signature.parameters.items():
            if p.kind >= 3 or n not in self.arguments:
                break
            out += list(self.arguments[n]) if p.kind == 2 else [self.arguments[n]]
        return tuple(out)

    @property
    def kwargs(self):
        out, by_name = {}, False
        for n, p in self.signature.parameters.items():
            if n not in self.arguments:
                by_name = True
            elif p.kind == 4:
                out.update(self.arguments[n])
            elif p.kind == 3 or by_name and p.kind == 1:
                out[n] = self.arguments[n]
        return out

    def apply_defaults(self):
        d = {}
        for n, p in self.signature.parameters.items():
            if n in self.arguments:
                d[n] = self.arguments[n]
            elif p.default is not _empty:
                d[n] = p.default
            elif p.kind == 2:
                d[n] = ()
            elif p.kind == 4:
                d[n] = {}
        self.arguments = d


class Signature:
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty):
        self.parameters, self.return_annotation = {p.name: p for p in parameters or ()}, return_annotation

    @classmethod
    def from_callable(cls, obj):
        return signature(obj)

    def replace(self, *, parameters=None, return_annotation=None):
        return Signature(self.parameters.values() if parameters is None else parameters,
                         return_annotation=self.return_annotation if return_annotation is None else return_annotation)

    def bind(self, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def _bind(self, args, kwargs, partial):
        out, args, kwargs = {}, list(args), dict(kwargs)
        for n, p in self.parameters.items():
            if p.kind == 2:
                if args:
                    out[n], args = tuple(args), []
            elif p.kind == 4:
                if kwargs:
                    out[n], kwargs = kwargs, {}
            elif args and p.kind < 2:
                if n in kwargs and p.kind == 1:
                    raise TypeError(f"multiple values for argument {n!r}")
                out[n] = args.pop(0)
            elif n in kwargs and p.kind != 0:
                out[n] = kwargs.pop(n)
            elif p.default is _empty and not partial:
                raise TypeError(f"missing a required argument: {n!r}")
        if args:
            raise TypeError("too many positional arguments")
        if kwargs:
            raise TypeError(f"got an unexpected keyword argument {next(iter(kwargs))!r}")
        return BoundArguments(self, out)

    def __str__(self):
        out, slash, star = [], False, True
        for p in self.parameters.values():
            if p.kind == 0:
                slash = True
            elif slash:
                out.append("/")
                slash = False
            if p.kind == 2:
                star = False
            elif p.kind == 3 and star:
                out.append("*")
                star = False
            out.append(str(p))
        if slash:
            out.append("/")
        s = "(" + ", ".join(out) + ")"
        return s if self.return_annotation is _empty else s + " -> " + formatannotation(self.return_annotation)

    def __repr__(self):
        return f"<Signature {self}>"

    def __eq__(self, other):
        return isinstance(other, Signature) and list(self.parameters.values()) == list(other.parameters.values())


def unwrap(func, *, stop=None):
    while hasattr(func, "__wrapped__") and not (stop is not None and stop(func)):
        func = func.__wrapped__
    return func


def signature(obj, *, follow_wrapped=True):
    if not callable(obj):
        raise TypeError(f"{obj!r} is not a callable object")
    if follow_wrapped and not isinstance(obj, type):
        obj = unwrap(obj)
    if hasattr(obj, "__signature__") and obj.__signature__ is not None:
        return obj.__signature__
    if isinstance(obj, type):
        init = getattr(obj, "__init__", None)
        if isinstance(init, _types.FunctionType):
            return _drop_first(signature(init))
        new = getattr(obj, "__new__", None)
        if isinstance(new, _types.FunctionType):
            return _drop_first(signature(new))
        if type(init).__name__ == "builtin_function_or_method" and obj.__module__ != "builtins":
            return Signature()
        raise ValueError(f"no signature found for builtin type {obj!r}")
    if isinstance(obj, _types.MethodType):
        return _drop_first(signature(obj.__func__))
    if hasattr(obj, "func") and hasattr(obj, "keywords"):
        s = signature(obj.func)
        ps = list(s.parameters.values())[len(obj.args):]
        return Signature([p.replace(default=obj.keywords[p.name], kind=3) if p.name in obj.keywords else p for p in ps])
    if isinstance(obj, _types.FunctionType):
        hints = obj.__annotations__
        return Signature([Parameter(n, k, default=d[0] if d else _empty, annotation=hints.get(n, _empty))
                          for n, k, d in _host.parameters(obj)], return_annotation=hints.get("return", _empty))
    call = getattr(type(obj), "__call__", None)
    if isinstance(call, _types.FunctionType):
        return _drop_first(signature(call))
    raise ValueError(f"no signature found for builtin {obj!r}")


def _drop_first(s):
    ps = list(s.parameters.values())
    return s.replace(parameters=ps[1:] if ps and ps[0].kind < 2 else ps)


class FullArgSpec(tuple):
    def __repr__(self):
        names = ("args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations")
        return "FullArgSpec(" + ", ".join(f"{n}={v!r}" for n, v in zip(names, self)) + ")"

    args = property(lambda s: s[0])
    varargs = property(lambda s: s[1])
    varkw = property(lambda s: s[2])
    defaults = property(lambda s: s[3])
    kwonlyargs = property(lambda s: s[4])
    kwonlydefaults = property(lambda s: s[5])
    annotations = property(lambda s: s[6])


def getfullargspec(func):
    ps = list((signature(func.__func__) if isinstance(func, _types.MethodType) else signature(func)).parameters.values())
    named = lambda k: next((p.name for p in ps if p.kind == k), None)
    defaults = tuple(p.default for p in ps if p.kind < 2 and p.default is not _empty)
    return FullArgSpec(([p.name for p in ps if p.kind < 2], named(2), named(4), defaults or None, [p.name for p in ps if p.kind == 3],
                        {p.name: p.default for p in ps if p.kind == 3 and p.default is not _empty} or None,
                        dict(getattr(func, "__annotations__", {}))))


def _place(obj):
    obj = unwrap(obj) if not isinstance(obj, type) else obj
    if isinstance(obj, _types.MethodType):
        obj = obj.__func__
    if isinstance(obj, type):
        for v in obj.__dict__.values():
            if isinstance(v, _types.FunctionType):
                file, line, text = _host.source(v)
                lines = text.split("\n")
                for i in range(line - 1, -1, -1):
                    if lines[i].lstrip().startswith(f"class {obj.__name__}"):
                        return file, i + 1, lines
        raise OSError("could not find class definition")
    if isinstance(obj, _types.FunctionType):
        file, line, text = _host.source(obj)
        return file, line, text.split("\n")
    raise TypeError(f"module, class, method, function, traceback, frame, or code object was expected, got {type(obj).__name__}")


def getsourcelines(obj):
    if ismodule(obj):
        return [l + "\n" for l in open(obj.__file__).read().split("\n")], 0
    file, first, lines = _place(obj)
    start = first - 1
    while start > 0 and lines[start - 1].lstrip().startswith("@"):
        start -= 1
    indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    end, depth = first, 0
    for i in range(first - 1, len(lines)):
        depth += sum(lines[i].count(c) for c in "([{") - sum(lines[i].count(c) for c in ")]}")
        if depth <= 0:
            end = i + 1
            break
    for i in range(end, len(lines)):
        if lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) <= indent:
            break
        if lines[i].strip():
            end = i + 1
    return [l + "\n" for l in lines[start:end]], start + 1


def getsource(obj):
    return "".join(getsourcelines(obj)[0])


def getfile(obj):
    return obj.__file__ if ismodule(obj) else _place(obj)[0]


getsourcefile = getabsfile = getfile


def getdoc(obj):
    return cleandoc(obj.__doc__) if isinstance(obj.__doc__, str) else None


def cleandoc(doc):
    lines = doc.expandtabs().split("\n")
    margin = min([len(l) - len(l.lstrip()) for l in lines[1:] if l.strip()], default=0)
    lines = [lines[0].lstrip()] + [l[margin:] for l in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def getmodule(obj):
    return _sys.modules.get(getattr(obj, "__module__", None))


def getmembers(obj, predicate=None):
    out = []
    for n in dir(obj):
        try:
            v = getattr(obj, n)
        except AttributeError:
            continue
        if predicate is None or predicate(v):
            out.append((n, v))
    return out


def getmro(cls):
    return cls.__mro__


def isfunction(obj):
    return isinstance(obj, _types.FunctionType)


def ismethod(obj):
    return isinstance(obj, _types.MethodType)


def isclass(obj):
    return isinstance(obj, type)


def ismodule(obj):
    return isinstance(obj, _types.ModuleType)


def isbuiltin(obj):
    return isinstance(obj, _types.BuiltinFunctionType)


def isroutine(obj):
    return isfunction(obj) or ismethod(obj) or isbuiltin(obj)


def isgeneratorfunction(obj):
    return _host.is_generator(unwrap(obj))


def isgenerator(obj):
    return isinstance(obj, _types.GeneratorType)


def iscoroutinefunction(obj):
    return obj is None and False


isasyncgenfunction = iscoroutine = isawaitable = iscoroutinefunction


def isabstract(obj):
    return isinstance(obj, type) and bool(getattr(obj, "__abstractmethods__", ()))


def isdatadescriptor(obj):
    return isinstance(obj, property) or hasattr(type(obj), "__set__")


def getattr_static(obj, attr, default=_empty):
    for d in [getattr(obj, "__dict__", {})] + [c.__dict__ for c in (obj if isinstance(obj, type) else type(obj)).__mro__]:
        if attr in d:
            return d[attr]
    if default is _empty:
        raise AttributeError(attr)
    return default


class FrameInfo(tuple):
    frame = property(lambda s: s[0])
    filename = property(lambda s: s[1])
    lineno = property(lambda s: s[2])
    function = property(lambda s: s[3])


def currentframe():
    return _sys._getframe(1)


ArgInfo = _namedtuple("ArgInfo", "args varargs keywords locals")


def getargvalues(frame):
    code = frame.f_code
    n = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames)
    varargs = names[n] if code.co_flags & 4 else None
    keywords = names[n + (varargs is not None)] if code.co_flags & 8 else None
    return ArgInfo(names[:n], varargs, keywords, frame.f_locals)


def isframe(obj):
    return isinstance(obj, _types.FrameType)


def iscode(obj):
    return isinstance(obj, _types.CodeType)


def istraceback(obj):
    return isinstance(obj, _types.TracebackType)


def getframeinfo(frame, context=1):
    if istraceback(frame):
        frame = frame.tb_frame
    return FrameInfo((None, frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, None, 0))


def getouterframes(frame, context=1):
    out = []
    while frame is not None:
        out.append(FrameInfo((frame, frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, None, 0)))
        frame = frame.f_back
    return out


def stack(context=1):
    return getouterframes(_sys._getframe(1), context)


def getinnerframes(tb, context=1):
    out = []
    while tb is not None:
        out.append(FrameInfo((tb.tb_frame, tb.tb_frame.f_code.co_filename, tb.tb_lineno, tb.tb_frame.f_code.co_name, None, 0)))
        tb = tb.tb_next
    return out


def trace(context=1):
    return getinnerframes(_sys.exc_info()[2], context)


def getcallargs(func, /, *positional, **named):
    sig = signature(func)
    bound = sig.bind(*positional, **named)
    bound.apply_defaults()
    return dict(bound.arguments)
