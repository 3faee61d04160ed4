# _sys -- what of sys is rarely asked for: made when it is.
import sys


def _fields(name, **values):
    keys = tuple(values)

    def text(self):
        return f"sys.{name}(" + ", ".join(f"{k}={v!r}" for k, v in zip(keys, self)) + ")"
    body = {k: property(lambda self, i=i: self[i]) for i, k in enumerate(keys)}
    body["__repr__"] = text
    return tuple.__new__(type(name, (tuple,), body), tuple(values.values()))


class _Implementation:
    name, cache_tag = "cpython", "cpython-311"
    hexversion = 0x030B00F0


class _Buffer:
    # the bytes of a stream
    def __init__(self, stream):
        self._stream, self.raw = stream, self

    def write(self, data):
        self._stream._write_bytes(bytes(data))
        return len(data)

    def flush(self):
        self._stream.flush()

    def fileno(self):
        return self._stream.fileno()


def _refuse(name):
    def f(*args, **kwargs):
        if args != (None,):
            raise NotImplementedError(f"sys.{name}: frames are not followed here")
    return f


def _excepthook(kind, value, tb):
    import traceback
    traceback.print_exception(kind, value, tb)


def _displayhook(value):
    if value is not None:
        print(repr(value))


_values = {
    "version_info": lambda: _fields("version_info", major=3, minor=11, micro=0, releaselevel="final", serial=0),
    "float_info": lambda: _fields("float_info", max=1.7976931348623157e+308, max_exp=1024, max_10_exp=308, min=2.2250738585072014e-308,
                                  min_exp=-1021, min_10_exp=-307, dig=15, mant_dig=53, epsilon=2.220446049250313e-16, radix=2, rounds=1),
    "int_info": lambda: _fields("int_info", bits_per_digit=30, sizeof_digit=4, default_max_str_digits=4300, str_digits_check_threshold=640),
    "hash_info": lambda: _fields("hash_info", width=64, modulus=2305843009213693951, inf=314159, nan=0, imag=1000003),
    "flags": lambda: _fields("flags", debug=0, inspect=0, interactive=0, optimize=0, dont_write_bytecode=0, no_user_site=0, no_site=0,
                             ignore_environment=0, verbose=0, bytes_warning=0, quiet=0, hash_randomization=1, isolated=0, dev_mode=False,
                             utf8_mode=0, warn_default_encoding=0, safe_path=False, int_max_str_digits=4300),
    "implementation": _Implementation, "hexversion": lambda: 0x030B00F0, "maxunicode": lambda: 0x10FFFF, "float_repr_style": lambda: "short",
    "api_version": lambda: 1013, "copyright": lambda: "", "prefix": lambda: "/usr", "exec_prefix": lambda: "/usr", "base_prefix": lambda: "/usr",
    "base_exec_prefix": lambda: "/usr", "dont_write_bytecode": lambda: True, "warnoptions": list, "path_hooks": list,
    "pycache_prefix": lambda: None, "builtin_module_names": lambda: ("builtins", "sys"), "orig_argv": lambda: list(sys.argv),
    "__stdin__": lambda: sys.stdin,
    "getdefaultencoding": lambda: lambda: "utf-8", "getfilesystemencoding": lambda: lambda: "utf-8", "is_finalizing": lambda: lambda: False,
    "exception": lambda: lambda: sys.exc_info()[1], "gettrace": lambda: lambda: None, "getprofile": lambda: lambda: None,
    "settrace": lambda: _refuse("settrace"), "setprofile": lambda: _refuse("setprofile"), "getswitchinterval": lambda: lambda: 0.005,
    "setswitchinterval": lambda: lambda interval: None, "excepthook": lambda: _excepthook, "__excepthook__": lambda: _excepthook,
    "displayhook": lambda: _displayhook, "audit": lambda: lambda event, *args: None,
}


def find(name):
    if name not in _values:
        raise AttributeError(name)
    v = _values[name]()
    setattr(sys, name, v)
    return v
