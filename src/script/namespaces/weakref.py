# weakref -- references that here keep what they refer to; collections of them are ordinary ones.


class ref:
    def __init__(self, obj, callback=None):
        self._obj, self.__callback__ = obj, callback

    def __call__(self):
        return self._obj

    def __eq__(self, other):
        return self._obj == other._obj if isinstance(other, ref) else NotImplemented

    def __hash__(self):
        return hash(self._obj)


ReferenceType = WeakMethod = ref


def proxy(obj, callback=None):
    if callback is not None:
        raise NotImplementedError("weakref.proxy: a callback")
    return obj


class WeakSet(set):
    pass


class WeakKeyDictionary(dict):
    pass


class WeakValueDictionary(dict):
    pass


class finalize:
    def __init__(self, obj, func, *args, **kwargs):
        self._obj, self._call, self.atexit = obj, (func, args, kwargs), True

    @property
    def alive(self):
        return self._call is not None

    def __call__(self):
        if self._call is not None:
            f, args, kwargs = self._call
            self._call = None
            return f(*args, **kwargs)

    def detach(self):
        self._call = None
