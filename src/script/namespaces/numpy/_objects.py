# numpy._objects -- arrays of objects that are no numbers, such as devices: shapes and places, no
# arithmetic.


def _shape(x):
    if isinstance(x, (list, tuple)):
        return (len(x),) + (_shape(x[0]) if len(x) else ())
    return ()


def _flat(x):
    return [v for part in x for v in _flat(part)] if isinstance(x, (list, tuple)) else [x]


def _count(shape):
    n = 1
    for d in shape:
        n *= d
    return n


class ObjectArray:
    def __init__(self, data, shape=None):
        if isinstance(data, ObjectArray):
            data, shape = data._data, data.shape
        self.shape = _shape(data) if shape is None else tuple(shape)
        self._data = _flat(data)
        if len(self._data) != _count(self.shape):
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return len(self._data)

    @property
    def flat(self):
        return iter(self._data)

    @property
    def T(self):
        return self.transpose()

    def reshape(self, *shape):
        shape = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], (list, tuple)) else list(shape)
        if -1 in shape:
            rest = _count([d for d in shape if d != -1])
            shape[shape.index(-1)] = len(self._data) // rest if rest else 0
        if _count(shape) != len(self._data):
            raise ValueError(f"cannot reshape array of size {len(self._data)} into shape {tuple(shape)}")
        return ObjectArray(self._data, shape)

    def ravel(self, order="C"):
        return ObjectArray(self._data, (len(self._data),))

    flatten = ravel

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (list, tuple)) else axes
        axes = list(axes) or list(reversed(range(self.ndim)))
        shape = [self.shape[a] for a in axes]
        strides = [_count(self.shape[a + 1:]) for a in axes]
        data = []
        for i in range(len(self._data)):
            at = 0
            for d, s in reversed(list(zip(shape, strides))):
                at += i % d * s
                i //= d
            data.append(self._data[at])
        return ObjectArray(data, shape)

    def tolist(self):
        def nest(data, shape):
            if not shape:
                return data[0]
            n = len(data) // shape[0] if shape[0] else 0
            return [nest(data[i * n:i * n + n], shape[1:]) for i in range(shape[0])]
        return nest(self._data, self.shape)

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        rows = self.tolist()

        def pick(x, keys):
            if not keys:
                return x
            if isinstance(keys[0], slice):
                return [pick(v, keys[1:]) for v in x[keys[0]]]
            return pick(x[keys[0]], keys[1:])
        got = pick(rows, key)
        return ObjectArray(got) if isinstance(got, list) else got

    def __repr__(self):
        return f"array({self.tolist()!r}, dtype=object)"

    def __str__(self):
        return str(self.tolist())
