# unittest.mock -- objects that note how they are called, and names that stand for others for a while.
import functools as _functools
import importlib as _importlib
import inspect as _inspect


class _Sentinel:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "sentinel.%s" % self.name


class _Sentinels:
    def __init__(self):
        self._made = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._made.setdefault(name, _Sentinel(name))


sentinel = _Sentinels()
DEFAULT = sentinel.DEFAULT
_missing = sentinel.MISSING


class _ANY:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __repr__(self):
        return "<ANY>"


ANY = _ANY()


# A call: (name, args, kwargs), equal to tuples of the last one, two or three of them.
class _Call(tuple):
    def __new__(cls, value=(), name="", parent=None, two=False):
        args, kwargs = (), {}
        for v in value:
            if isinstance(v, str):
                name = v
            elif isinstance(v, tuple):
                args = v
            else:
                kwargs = v
        return tuple.__new__(cls, (args, kwargs) if two else (name, args, kwargs))

    def __init__(self, value=(), name=None, parent=None, two=False):
        self._mock_name, self._mock_parent = name, parent

    args = property(lambda s: s[-2])
    kwargs = property(lambda s: s[-1])

    def __eq__(self, other):
        try:
            n = len(other)
        except TypeError:
            return NotImplemented
        name = self[0] if len(self) == 3 else ""
        o_name, o_args, o_kwargs = "", (), {}
        for v in tuple(other):
            if isinstance(v, str):
                o_name = v
            elif isinstance(v, tuple):
                o_args = v
            elif isinstance(v, dict):
                o_kwargs = v
            else:
                return False
        if n > 3:
            return False
        return (not o_name or not name or o_name == name) and (o_args, o_kwargs) == (self[-2], self[-1])

    __ne__ = lambda self, other: not self == other
    __hash__ = tuple.__hash__

    def __call__(self, *args, **kwargs):
        return _Call((self._mock_name or "", args, kwargs), name="()" if not self._mock_name else self._mock_name + "()")

    def __getattr__(self, attr):
        if attr.startswith("__"):
            raise AttributeError(attr)
        name = self.__dict__.get("_mock_name")
        return _Call(name=attr if name is None else f"{name}.{attr}")

    def __repr__(self):
        name = (self[0] if len(self) == 3 else "") or "call"
        if not name.startswith("call"):
            name = "call." + name if not name.startswith("()") else "call" + name
        return name + _args_text(self[-2], self[-1])


call = _Call(name=None)


def _args_text(args, kwargs):
    return "(%s)" % ", ".join([repr(a) for a in args] + [f"{k}={v!r}" for k, v in kwargs.items()])


class _CallList(list):
    def __contains__(self, value):
        if not isinstance(value, list):
            return list.__contains__(self, value)
        n = len(value)
        return any(list(self[i:i + n]) == value for i in range(len(self) - n + 1))


_own = {"return_value", "side_effect", "called", "call_count", "call_args", "call_args_list", "mock_calls", "method_calls"}
_supported = ("len getitem setitem delitem contains iter next enter exit call bool int float str repr hash eq ne lt gt le ge "
              "add sub mul truediv floordiv mod pow matmul radd rsub rmul neg pos invert iadd isub index abs reversed").split()


class NonCallableMock:
    def __new__(cls, *args, **kwargs):
        # special methods are looked up on classes: each mock has one of its own
        return object.__new__(type(cls.__name__, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__}))

    def __init__(self, spec=None, wraps=None, name=None, spec_set=None, side_effect=None, return_value=DEFAULT,
                 parent=None, **kwargs):
        d = self.__dict__
        spec = spec if spec is not None else spec_set
        d.update(_mock_children={}, _mock_parent=parent, _mock_name=name, _mock_new_name="", _mock_wraps=wraps,
                 _spec_set=spec_set is not None, _mock_return=return_value, _mock_side=None, _spec_class=None,
                 _mock_methods=None, called=False, call_count=0, call_args=None, call_args_list=_CallList(),
                 mock_calls=_CallList(), method_calls=_CallList(), _mock_sealed=False)
        if spec is not None:
            d["_mock_methods"] = list(spec) if isinstance(spec, (list, tuple)) else dir(spec)
            if not isinstance(spec, (list, tuple)):
                d["_spec_class"] = spec if isinstance(spec, type) else type(spec)
        self.side_effect = side_effect
        if kwargs:
            self.configure_mock(**kwargs)

    @property
    def __class__(self):
        spec = self.__dict__.get("_spec_class")
        return type(self) if spec is None else spec

    def _full_name(self):
        d = self.__dict__
        parent, name = d["_mock_parent"], d["_mock_new_name"] or d["_mock_name"]
        if parent is None:
            return d["_mock_name"] or "mock"
        return parent._full_name() + (name if name == "()" else "." + name)

    def __repr__(self):
        d = self.__dict__
        name = ""
        if d["_mock_parent"] is not None or d["_mock_name"]:
            name = " name=%r" % self._full_name()
        spec = f" spec={d['_spec_class'].__name__!r}" if d["_spec_class"] is not None else ""
        return "<%s%s%s id='%s'>" % (type(self).__name__, name, spec, id(self))

    def _child(self, **kwargs):
        base = type(self).__mro__[1]
        if base is AsyncMock:
            base = MagicMock
        return (MagicMock if base is NonCallableMagicMock else Mock if base is NonCallableMock else base)(**kwargs)

    def __getattr__(self, name):
        d = self.__dict__
        if "_mock_children" not in d or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        if d["_mock_methods"] is not None and name not in d["_mock_methods"]:
            raise AttributeError("Mock object has no attribute %r" % name)
        if name.startswith(("assert", "assret", "asert", "aseert", "assrt")):
            raise AttributeError(f"{name!r} is not a valid assertion. Use a spec for the mock if {name!r} is meant to be an attribute.")
        got = d["_mock_children"].get(name)
        if got is _missing:
            raise AttributeError(name)
        if got is None:
            if d["_mock_sealed"]:
                raise AttributeError(f"{self._full_name()}.{name}")
            wraps = getattr(d["_mock_wraps"], name) if d["_mock_wraps"] is not None else None
            got = d["_mock_children"][name] = self._child(parent=self, name=name, wraps=wraps)
            got.__dict__["_mock_new_name"] = name
        return got

    def __setattr__(self, name, value):
        d = self.__dict__
        if name == "side_effect":
            if value is not None and not callable(value) and not isinstance(value, BaseException) and not (
                    isinstance(value, type) and issubclass(value, BaseException)):
                value = iter(value)
            d["_mock_side"] = value
        elif name == "return_value":
            d["_mock_return"] = value
            self._adopt(value, "()")
        elif name in _own or "_mock_children" not in d:
            d[name] = value
        elif name.startswith("__") and name.endswith("__"):
            setattr(type(self), name, value if isinstance(value, NonCallableMock) is False else
                    (lambda self, *a, **k: value(*a, **k)))
            d["_mock_children"][name] = value
        else:
            if d["_spec_set"] and name not in d["_mock_methods"]:
                raise AttributeError("Mock object has no attribute '%s'" % name)
            if isinstance(value, NonCallableMock):
                self._adopt(value, name)
                d["_mock_children"][name] = value
            d[name] = value

    def _adopt(self, value, name):
        if isinstance(value, NonCallableMock) and value.__dict__["_mock_parent"] is None and not value.__dict__["_mock_name"]:
            value.__dict__["_mock_parent"], value.__dict__["_mock_new_name"] = self, name

    def __delattr__(self, name):
        d = self.__dict__
        if name in d and name not in d["_mock_children"]:
            del d[name]
        elif d["_mock_children"].get(name) is _missing:
            raise AttributeError(name)
        d["_mock_children"][name] = _missing

    @property
    def return_value(self):
        d = self.__dict__
        if d["_mock_return"] is DEFAULT:
            d["_mock_return"] = self._child(parent=self, name="()")
            d["_mock_return"].__dict__["_mock_new_name"] = "()"
        return d["_mock_return"]

    @property
    def side_effect(self):
        return self.__dict__["_mock_side"]

    def configure_mock(self, **kwargs):
        for path, value in sorted(kwargs.items(), key=lambda e: e[0].count(".")):
            obj, parts = self, path.split(".")
            for p in parts[:-1]:
                obj = getattr(obj, p)
            setattr(obj, parts[-1], value)

    def attach_mock(self, mock, attribute):
        mock.__dict__.update(_mock_parent=None, _mock_name="", _mock_new_name="")
        setattr(self, attribute, mock)

    def mock_add_spec(self, spec, spec_set=False):
        self.__dict__.update(_mock_methods=list(spec) if isinstance(spec, (list, tuple)) else dir(spec), _spec_set=spec_set)

    def reset_mock(self, visited=None, *, return_value=False, side_effect=False):
        d = self.__dict__
        d.update(called=False, call_count=0, call_args=None, call_args_list=_CallList(), mock_calls=_CallList(),
                 method_calls=_CallList())
        if return_value:
            d["_mock_return"] = DEFAULT
        if side_effect:
            d["_mock_side"] = None
        for c in list(d["_mock_children"].values()) + [d["_mock_return"]]:
            if isinstance(c, NonCallableMock) and c is not self:
                c.reset_mock(return_value=return_value, side_effect=side_effect)

    # ---- what was called ----

    def _no(self, text):
        raise AssertionError(text)

    def _name(self):
        return self.__dict__["_mock_name"] or "mock"

    def _calls_text(self, prefix="Calls"):
        return f"\n{prefix}: {list(self.mock_calls)!r}." if self.mock_calls else ""

    def assert_not_called(self):
        if self.call_count:
            self._no("Expected '%s' to not have been called. Called %s times.%s" % (
                self._name(), self.call_count, self._calls_text()))

    def assert_called(self):
        if not self.call_count:
            self._no("Expected '%s' to have been called." % self._name())

    def assert_called_once(self):
        if self.call_count != 1:
            self._no("Expected '%s' to have been called once. Called %s times.%s" % (
                self._name(), self.call_count, self._calls_text()))

    def assert_called_with(self, /, *args, **kwargs):
        expected = self._name() + _args_text(args, kwargs)
        if self.call_args is None:
            self._no("expected call not found.\nExpected: %s\n  Actual: not called." % expected)
        if self.call_args != (args, kwargs):
            self._no("expected call not found.\nExpected: %s\n  Actual: %s" % (
                expected, self._name() + _args_text(self.call_args[-2], self.call_args[-1])))

    def assert_called_once_with(self, /, *args, **kwargs):
        if self.call_count != 1:
            self._no("Expected '%s' to be called once. Called %s times.%s" % (
                self._name(), self.call_count, self._calls_text()))
        return self.assert_called_with(*args, **kwargs)

    def assert_any_call(self, /, *args, **kwargs):
        if (args, kwargs) not in [(c[-2], c[-1]) for c in self.call_args_list]:
            self._no("%s call not found" % (self._name() + _args_text(args, kwargs)))

    def assert_has_calls(self, calls, any_order=False):
        calls = list(calls)
        if not any_order:
            if calls not in self.mock_calls:
                self._no("Calls not found.\nExpected: %r\n  Actual: %r" % (calls, list(self.mock_calls)))
            return
        left = list(self.mock_calls)
        missing = []
        for c in calls:
            if c in left:
                left.remove(c)
            else:
                missing.append(c)
        if missing:
            self._no("%r does not contain all of %r in its call list, found %r instead" % (
                self._name(), tuple(missing), list(self.mock_calls)))


class _Callable(NonCallableMock):
    def __call__(self, /, *args, **kwargs):
        d = self.__dict__
        d["called"], d["call_count"] = True, d["call_count"] + 1
        one = _Call((args, kwargs), two=True)
        d["call_args"] = one
        d["call_args_list"].append(one)
        d["mock_calls"].append(_Call(("", args, kwargs)))
        name, m = d["_mock_new_name"], d["_mock_parent"]
        is_method = name != "()" and not name.startswith("__")
        while m is not None:
            md = m.__dict__
            if is_method:
                md["method_calls"].append(_Call((name, args, kwargs)))
            md["mock_calls"].append(_Call((name, args, kwargs)))
            up = md["_mock_new_name"]
            is_method = is_method and up != "()"
            name = up + ("" if name == "()" or not up else ".") + name if up else name
            m = md["_mock_parent"]
        return self._result(args, kwargs)

    def _result(self, args, kwargs):
        effect = self.__dict__["_mock_side"]
        if effect is not None:
            if isinstance(effect, BaseException) or (isinstance(effect, type) and issubclass(effect, BaseException)):
                raise effect
            got = effect(*args, **kwargs) if callable(effect) else next(effect)
            if isinstance(got, BaseException) or (isinstance(got, type) and issubclass(got, BaseException)):
                raise got
            if got is not DEFAULT:
                return got
        if self.__dict__["_mock_return"] is DEFAULT and self.__dict__["_mock_wraps"] is not None:
            return self.__dict__["_mock_wraps"](*args, **kwargs)
        return self.return_value


class Mock(_Callable):
    pass


_defaults = {"__len__": 0, "__contains__": False, "__bool__": True, "__int__": 1, "__float__": 1.0, "__index__": 1,
             "__exit__": False}


class _MagicSlot:
    def __init__(self, name):
        self.name = name

    def __get__(self, obj, kind=None):
        if obj is None:
            return self
        have = obj.__dict__["_mock_children"].get(self.name)
        return obj._magic_child(self.name) if have is None else have

    def __set__(self, obj, value):
        setattr(type(obj), self.name, value)


class _Magic:
    def _magic_child(self, name):
        m = MagicMock(parent=self, name=name)
        m.__dict__["_mock_new_name"] = name
        if name in _defaults:
            m.return_value = _defaults[name]
        elif name == "__iter__":
            m.side_effect = lambda: iter([])
        self.__dict__["_mock_children"][name] = m
        return m

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name[2:-2] in _supported and "_mock_children" in self.__dict__:
            have = self.__dict__["_mock_children"].get(name)
            return self._magic_child(name) if have is None else have
        return NonCallableMock.__getattr__(self, name)


for _n in "len getitem setitem delitem contains iter bool int float index enter exit add sub mul truediv floordiv mod pow matmul neg pos invert abs".split():
    setattr(_Magic, f"__{_n}__", _MagicSlot(f"__{_n}__"))


class NonCallableMagicMock(_Magic, NonCallableMock):
    pass


class MagicMock(_Magic, Mock):
    pass


class AsyncMock(MagicMock):
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("coroutines are not part of the language: AsyncMock is not here")


class PropertyMock(Mock):
    def __get__(self, obj, obj_type=None):
        return self()

    def __set__(self, obj, value):
        self(value)


def seal(mock):
    mock.__dict__["_mock_sealed"] = True
    for c in mock.__dict__["_mock_children"].values():
        if isinstance(c, NonCallableMock):
            seal(c)


def create_autospec(spec, spec_set=False, instance=False, _parent=None, _name=None, **kwargs):
    if isinstance(spec, type) or not callable(spec):
        m = MagicMock(spec=spec, name=_name, **kwargs)
        if isinstance(spec, type) and not instance:
            m.return_value = MagicMock(spec=spec)
        return m
    sig = _inspect.signature(spec)
    m = MagicMock(name=_name or spec.__name__, **kwargs)

    @_functools.wraps(spec)
    def checked(*args, **kw):
        sig.bind(*args, **kw)
        return m(*args, **kw)
    checked.mock = m
    for n in dir(NonCallableMock):
        if n.startswith("assert_") or n in ("reset_mock", "configure_mock"):
            setattr(checked, n, getattr(m, n))
    return checked


# ---- names replaced for a while ----

class _patch:
    def __init__(self, target, attribute, new, kwargs):
        self.target, self.attribute, self.new, self.kwargs = target, attribute, new, kwargs
        self.additional = []

    def copy(self):
        p = _patch(self.target, self.attribute, self.new, self.kwargs)
        p.additional = list(self.additional)
        return p

    def __call__(self, func):
        if isinstance(func, type):
            for name in list(vars(func)):
                f = getattr(func, name)
                if name.startswith(TEST_PREFIX) and callable(f):
                    setattr(func, name, self.copy()(vars(func)[name]))
            return func
        if hasattr(func, "patchings"):
            func.patchings.append(self)
            return func

        @_functools.wraps(func)
        def patched(*args, **kw):
            active, extra = [], ()
            try:
                for p in patched.patchings:
                    value = p.__enter__()
                    active.append(p)
                    if p.new is DEFAULT:
                        extra += (value,)
                return func(*args, *extra, **kw)
            finally:
                for p in reversed(active):
                    p.__exit__(None, None, None)
        patched.patchings = [self]
        return patched

    def __enter__(self):
        target = self.obj = self.target() if callable(self.target) and not isinstance(self.target, type) and getattr(
            self.target, "_getter", False) else self.target
        create = self.kwargs.get("create", False)
        own = getattr(target, "__dict__", {})
        self.local = self.attribute in own
        if self.local:
            self.original = own[self.attribute]
        elif hasattr(target, self.attribute):
            self.original = getattr(target, self.attribute)
        elif create:
            self.original = DEFAULT
        else:
            raise AttributeError("%s does not have the attribute %r" % (target, self.attribute))
        new = self.new
        if new is DEFAULT:
            options = {k: v for k, v in self.kwargs.items() if k not in ("create", "new_callable", "autospec", "spec", "spec_set")}
            spec = self.kwargs.get("spec") or self.kwargs.get("spec_set")
            if self.kwargs.get("autospec"):
                auto = self.kwargs["autospec"]
                new = create_autospec(self.original if auto is True else auto, _name=self.attribute, **options)
            elif self.kwargs.get("new_callable"):
                new = self.kwargs["new_callable"](**options)
            else:
                if spec is True:
                    spec = self.original
                new = MagicMock(spec=spec, name=self.attribute, **options)
        setattr(target, self.attribute, new)
        return new

    def __exit__(self, *exc):
        if self.original is DEFAULT or not self.local:
            delattr(self.obj, self.attribute)
            if self.original is not DEFAULT and getattr(self.obj, self.attribute, DEFAULT) is DEFAULT:
                setattr(self.obj, self.attribute, self.original)
        else:
            setattr(self.obj, self.attribute, self.original)
        return False

    def start(self):
        value = self.__enter__()
        _active.append(self)
        return value

    def stop(self):
        if self not in _active:
            return None
        _active.remove(self)
        return self.__exit__(None, None, None)


_active = []
TEST_PREFIX = "test"


def _import(path):
    parts = path.split(".")
    obj = __import__(parts[0])
    for i, p in enumerate(parts[1:], 2):
        if not hasattr(obj, p):
            _importlib.import_module(".".join(parts[:i]))
        obj = getattr(obj, p)
    return obj


def patch(target, new=DEFAULT, spec=None, create=False, spec_set=None, autospec=None, new_callable=None, **kwargs):
    where, dot, name = target.rpartition(".")
    if not dot:
        raise TypeError("Need a valid target to patch. You supplied: %r" % (target,))

    def getter():
        return _import(where)
    getter._getter = True
    return _patch(getter, name, new, dict(kwargs, spec=spec, create=create, spec_set=spec_set, autospec=autospec,
                                          new_callable=new_callable))


def _patch_object(target, attribute, new=DEFAULT, spec=None, create=False, spec_set=None, autospec=None,
                  new_callable=None, **kwargs):
    return _patch(target, attribute, new, dict(kwargs, spec=spec, create=create, spec_set=spec_set, autospec=autospec,
                                               new_callable=new_callable))


class _patch_dict:
    def __init__(self, in_dict, values=(), clear=False, **kwargs):
        self.target, self.values, self.clear = in_dict, dict(values), clear
        self.values.update(kwargs)

    def __call__(self, f):
        @_functools.wraps(f)
        def inner(*args, **kw):
            with self:
                return f(*args, **kw)
        return inner

    def __enter__(self):
        d = self.used = _import(self.target) if isinstance(self.target, str) else self.target
        self.was = {k: d[k] for k in d}
        if self.clear:
            for k in list(d):
                del d[k]
        for k, v in self.values.items():
            d[k] = v
        return d

    def __exit__(self, *exc):
        d = self.used
        for k in list(d):
            del d[k]
        for k, v in self.was.items():
            d[k] = v
        return False

    start = __enter__

    def stop(self):
        return self.__exit__(None, None, None)


def _patch_multiple(target, spec=None, create=False, spec_set=None, autospec=None, new_callable=None, **kwargs):
    obj = _import(target) if isinstance(target, str) else target
    patches = {k: _patch_object(obj, k, v, spec, create, spec_set, autospec, new_callable) for k, v in kwargs.items()}

    class _Multiple:
        def __enter__(self):
            return {k: p.__enter__() for k, p in patches.items() if p.new is DEFAULT or p.__enter__() is None}

        def __exit__(self, *exc):
            for p in patches.values():
                p.__exit__(*exc)
            return False
    return _Multiple()


def _stopall():
    for p in reversed(list(_active)):
        p.stop()


patch.object, patch.dict, patch.multiple, patch.stopall = _patch_object, _patch_dict, _patch_multiple, _stopall
patch.TEST_PREFIX = TEST_PREFIX


def mock_open(mock=None, read_data=""):
    import io
    make = io.BytesIO if isinstance(read_data, bytes) else io.StringIO
    mock = MagicMock(name="open") if mock is None else mock
    handle = MagicMock()
    state = [make(read_data)]
    handle.__enter__ = lambda self: handle
    handle.read.side_effect = lambda *a: state[0].read(*a)
    handle.readline.side_effect = lambda *a: state[0].readline(*a)
    handle.readlines.side_effect = lambda *a: state[0].readlines(*a)
    handle.__iter__ = lambda self: iter(state[0])

    def opened(*args, **kwargs):
        state[0] = make(read_data)
        return DEFAULT
    mock.side_effect, mock.return_value = opened, handle
    return mock
