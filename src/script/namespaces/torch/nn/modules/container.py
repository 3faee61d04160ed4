# torch.nn.modules.container -- modules that hold others.
from collections import OrderedDict

import _torch as _w
from torch.nn.modules.module import Module, _indented
from torch.nn.parameter import Parameter


def _position(n, i, what):
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of range")
    return i % n


class Sequential(Module):
    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def _key(self, i):
        return list(self._modules)[_position(len(self), i, "index")]

    def __getitem__(self, i):
        if isinstance(i, slice):
            return type(self)(OrderedDict(list(self._modules.items())[i]))
        return self._modules[self._key(i)]

    def __setitem__(self, i, module):
        setattr(self, self._key(i), module)

    def __delitem__(self, i):
        keys = list(self._modules)
        for k in keys[i] if isinstance(i, slice) else [self._key(i)]:
            del self._modules[k]
        modules = list(self._modules.values())
        self._modules.clear()
        for k, m in enumerate(modules):
            self._modules[str(k)] = m

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __add__(self, other):
        return Sequential(*(list(self) + list(other)))

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for m in modules:
            self.append(m)
        return self

    def insert(self, index, module):
        modules = list(self)
        modules.insert(index, module)
        self._modules.clear()
        for k, m in enumerate(modules):
            self._modules[str(k)] = m
        return self

    def pop(self, key):
        m = self[key]
        del self[key]
        return m


class ModuleList(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _key(self, i):
        return str(_position(len(self), i, "index"))

    def __getitem__(self, i):
        if isinstance(i, slice):
            return type(self)(list(self._modules.values())[i])
        return self._modules[self._key(i)]

    def __setitem__(self, i, module):
        setattr(self, self._key(i), module)

    def __delitem__(self, i):
        modules = list(self._modules.values())
        del modules[i]
        self._renew(modules)

    def _renew(self, modules):
        self._modules.clear()
        for k, m in enumerate(modules):
            self.add_module(str(k), m)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList(list(self) + list(other))

    def __contains__(self, module):
        return any([m is module for m in self._modules.values()])

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for m in modules:
            self.append(m)
        return self

    def insert(self, index, module):
        modules = list(self)
        modules.insert(index, module)
        self._renew(modules)

    def pop(self, key):
        m = self[key]
        del self[key]
        return m

    def __repr__(self):
        # Equal neighbours are written once, with their number; not those of scripted modules.
        if self._get_name() != type(self).__name__ or self.extra_repr():
            return Module.__repr__(self)
        texts = [repr(m) for m in self]
        if not texts:
            return self._get_name() + "()"
        groups = []
        for i, t in enumerate(texts):
            if groups and groups[-1][2] == t:
                groups[-1][1] = i
            else:
                groups.append([i, i, t])
        lines = []
        for first, last, t in groups:
            many = f"{last - first + 1} x " if last > first else ""
            at = f"({first}-{last}): " if last > first else f"({first}): "
            lines.append(_indented(at + many + t, 2))
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules))

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        return self._modules.pop(key)

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        for key, m in modules.items() if hasattr(modules, "items") else modules:
            self[key] = m


def _parameter_line(key, p, kind):
    if isinstance(p, Parameter):
        return f"({key}): Parameter containing: [{kind} of size {'x'.join([str(n) for n in p.shape])}]"
    return f"({key}): Object of type: {type(p).__name__}"


def _as_parameter(x):
    return Parameter(x) if isinstance(x, _w.Tensor) and not isinstance(x, Parameter) else x


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        object.__setattr__(self, "_size", 0)
        if values is not None:
            self.extend(values)

    def __len__(self):
        return self._size

    def __getitem__(self, i):
        if isinstance(i, slice):
            return ParameterList([self[k] for k in range(*i.indices(len(self)))])
        return getattr(self, str(_position(len(self), i, "index")))

    def __setitem__(self, i, x):
        setattr(self, str(_position(len(self), i, "index")), _as_parameter(x))

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, values):
        return self.extend(values)

    def append(self, x):
        object.__setattr__(self, "_size", self._size + 1)
        setattr(self, str(self._size - 1), _as_parameter(x))
        return self

    def extend(self, values):
        for x in values:
            self.append(x)
        return self

    def extra_repr(self):
        return "\n".join(["  " + _parameter_line(i, p, p.dtype) for i, p in enumerate(self)])


class ParameterDict(Module):
    def __init__(self, parameters=None):
        super().__init__()
        object.__setattr__(self, "_keys", {})
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, key)

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def keys(self):
        return self._keys.keys()

    def items(self):
        return [(k, self[k]) for k in self._keys]

    def values(self):
        return [self[k] for k in self._keys]

    def get(self, key, default=None):
        return self[key] if key in self._keys else default

    def pop(self, key):
        v = self[key]
        del self[key]
        return v

    def update(self, parameters):
        for key, p in parameters.items() if hasattr(parameters, "items") else parameters:
            self[key] = p

    def extra_repr(self):
        return "\n".join(["  " + _parameter_line(k, p, p.type()) for k, p in self.items()])
