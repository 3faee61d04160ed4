# numpy.char -- methods of texts, for all elements of arrays.
import numpy as _np
from numpy._objects import ItemArray, made


_PARAMETERS = {}
for _names, _words in (("center ljust rjust", "width fillchar"), ("zfill", "width"), ("encode decode", "encoding errors"), ("strip lstrip rstrip", "chars"),
                       ("split rsplit", "sep maxsplit"), ("splitlines", "keepends"), ("replace", "old new count"), ("expandtabs", "tabsize"),
                       ("find rfind index rindex count", "sub start end"), ("startswith", "prefix start end"), ("endswith", "suffix start end")):
    for _name in _names.split():
        _PARAMETERS[_name] = _words.split()


def _each(name):
    known = _PARAMETERS.get(name, [])

    def call(a, *args, **kw):
        for k in kw:
            if k not in known:
                raise TypeError(f"{name}() got an unexpected keyword argument '{k}'")
        given = [*args, *[kw[k] for k in known[len(args):] if k in kw]]
        x = a if isinstance(a, ItemArray) else made(a)
        r = [getattr(str(v) if isinstance(v, str) else bytes(v), name)(*given) for v in x._list()]
        if r and isinstance(r[0], (bool, int)):
            return _np.array(r).reshape(x.shape)[()]
        return made(r if r else [""]).reshape(x.shape) \
            if name not in ("split", "rsplit", "splitlines") else ItemArray(_np.arange(len(r)).reshape(x.shape), r, _np.dtype(object))
    call.__name__ = name
    return call


for _name in ("upper lower capitalize title swapcase strip lstrip rstrip replace center ljust rjust zfill startswith endswith find rfind index rindex count "
              "isalpha isdigit isnumeric isupper islower isspace isalnum isdecimal istitle split rsplit splitlines encode decode expandtabs").split():
    globals()[_name] = _each(_name)


def add(x1, x2):
    return (x1 if isinstance(x1, ItemArray) else made(x1)) + x2


def multiply(a, i):
    x = a if isinstance(a, ItemArray) else made(a)
    return made([str(v) * int(k) for v, k in zip(x._list(), _np.broadcast_to(_np.array(i), x.shape).reshape(-1).tolist())]).reshape(x.shape)


def join(sep, seq):
    x = seq if isinstance(seq, ItemArray) else made(seq)
    return made([str(sep).join(str(v)) for v in x._list()]).reshape(x.shape)


def str_len(a):
    x = a if isinstance(a, ItemArray) else made(a)
    return _np.array([len(v) for v in x._list()], int).reshape(x.shape)


def _compares(name):
    # spaces at the end of texts do not count
    def compare(x1, x2):
        x, y = [globals()["rstrip"](v) for v in (x1, x2)]
        return getattr(x, f"__{name}__")(y)
    return compare


equal, not_equal, less, less_equal, greater, greater_equal = [_compares(n) for n in ("eq", "ne", "lt", "le", "gt", "ge")]
array = asarray = made
