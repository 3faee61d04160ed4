# torch.jit._containers -- lists and dicts that Python and scripts share: what a script does to one is seen outside, and
# what is put in must be of its type.
from torch.jit import _types


def _text(x):
    # A value as TorchScript prints it.
    if isinstance(x, float):
        text = repr(x)
        return text[:-1] if text.endswith(".0") else text
    return x if isinstance(x, str) else repr(x)


class ScriptList(_types.Shared):
    def __init__(self, data, element=None):
        self.element = element or _types.common([_types.of_value(x) for x in data], "List element")
        self.data = [self._fit(x) for x in data]

    def _fit(self, x):
        try:
            return _types.fit(x, self.element)
        except _types.NoFit as e:
            raise TypeError(str(e))

    @property
    def type(self):
        return f"List[{self.element}]"

    def __repr__(self):
        return f"[{', '.join([_text(x) for x in self.data])}]"

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, x):
        return self._fit(x) in self.data

    def __eq__(self, other):
        return self.data == (other.data if isinstance(other, ScriptList) else other)

    def __getitem__(self, i):
        return ScriptList(self.data[i], self.element) if isinstance(i, slice) else self.data[i]

    def __setitem__(self, i, x):
        self.data[i] = [self._fit(v) for v in x] if isinstance(i, slice) else self._fit(x)

    def __delitem__(self, i):
        del self.data[i]

    def append(self, x):
        self.data.append(self._fit(x))

    def extend(self, xs):
        self.data.extend([self._fit(x) for x in xs])

    def insert(self, i, x):
        self.data.insert(i, self._fit(x))

    def count(self, x):
        return self.data.count(self._fit(x))

    def remove(self, x):
        self.data.remove(self._fit(x))

    def pop(self, i=-1):
        return self.data.pop(i)

    def clear(self):
        self.data.clear()


class ScriptDict(_types.Shared):
    def __init__(self, data, key=None, value=None):
        self.key = key or _types.common([_types.of_value(k) for k in data], "Dict key")
        self.value = value or _types.common([_types.of_value(v) for v in data.values()], "Dict value")
        self.data = {self._fit(k, self.key, TypeError): self._fit(v, self.value, TypeError) for k, v in data.items()}

    def _fit(self, x, t, error):
        try:
            return _types.fit(x, t)
        except _types.NoFit as e:
            raise error(str(e))

    @property
    def type(self):
        return f"Dict[{self.key}, {self.value}]"

    def __repr__(self):
        return "{" + ", ".join([f"{_text(k)}: {_text(v)}" for k, v in self.data.items()]) + "}"

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, k):
        return self._fit(k, self.key, KeyError) in self.data

    def __eq__(self, other):
        return self.data == (other.data if isinstance(other, ScriptDict) else other)

    def __getitem__(self, k):
        return self.data[self._fit(k, self.key, KeyError)]

    def __setitem__(self, k, v):
        self.data[self._fit(k, self.key, TypeError)] = self._fit(v, self.value, TypeError)

    def __delitem__(self, k):
        del self.data[self._fit(k, self.key, TypeError)]

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()


def shared(data):
    return ScriptList(data) if isinstance(data, list) else ScriptDict(data)
