# numpy.char -- methods of texts, for all elements of arrays.
import numpy as _np
from numpy._objects import ItemArray, made


def _each(name):
    def call(a, *args):
        x = a if isinstance(a, ItemArray) else made(a)
        r = [getattr(str(v) if isinstance(v, str) else bytes(v), name)(*args) for v in x._list()]
        if r and isinstance(r[0], (bool, int)):
            return _np.array(r).reshape(x.shape)
        return made(r if r else [""], None if name not in ("split", "rsplit", "splitlines") else "O").reshape(x.shape) \
            if name not in ("split", "rsplit", "splitlines") else ItemArray(_np.arange(len(r)).reshape(x.shape), r, _np.dtype(object))
    call.__name__ = name
    return call


for _name in ("upper lower capitalize title swapcase strip lstrip rstrip replace center ljust rjust zfill startswith endswith find rfind index count "
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


def equal(x1, x2):
    return (x1 if isinstance(x1, ItemArray) else made(x1)) == x2


def not_equal(x1, x2):
    return (x1 if isinstance(x1, ItemArray) else made(x1)) != x2


array = asarray = made
