# tensorflow._module -- tf.Module: finds the variables of its parts.
from tensorflow._variable import Variable


def _found(x, kind, out, seen, into):
    if id(x) in seen:
        return
    if isinstance(x, kind):
        seen.add(id(x))
        out.append(x)
        if kind is Variable or not into:
            return
    if isinstance(x, Module):
        seen.add(id(x))
        # in order of the attributes' names, as TensorFlow has it
        for name in sorted(vars(x)):
            if not name.startswith("_self_"):
                _found(vars(x)[name], kind, out, seen, into)
    elif isinstance(x, dict):
        for k in sorted(x, key=str):
            _found(x[k], kind, out, seen, into)
    elif isinstance(x, (list, tuple)):
        for y in x:
            _found(y, kind, out, seen, into)


class Module:
    def __init__(self, name=None):
        self._self_name = name

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if "_self_later" in vars(self):     # a checkpoint was restored before this was made
            from tensorflow._checkpoint import restore_later
            restore_later(self, name, value)

    @property
    def name(self):
        n = getattr(self, "_self_name", None)
        if n is not None:
            return n
        out = ""
        for i, c in enumerate(type(self).__name__):
            out += ("_" if i and c.isupper() else "") + c.lower()
        return out

    @property
    def name_scope(self):
        from tensorflow import name_scope
        return name_scope(self.name)

    def _all(self, kind):
        # breadth first: own variables, then those of the parts
        out, seen = [], set()
        level = [self]
        done = set()
        while level:
            parts = []
            for m in level:
                if id(m) in done:
                    continue
                done.add(id(m))
                for name in sorted(vars(m)):
                    if name.startswith("_self_"):
                        continue
                    _level(vars(m)[name], kind, out, seen, parts)
            level = parts
        return out

    @property
    def variables(self):
        return tuple(self._all(Variable))

    @property
    def trainable_variables(self):
        return tuple([v for v in self._all(Variable) if v.trainable])

    @property
    def non_trainable_variables(self):
        return tuple([v for v in self._all(Variable) if not v.trainable])

    @property
    def submodules(self):
        out, level = [], [self]
        while level:
            parts = []
            for m in level:
                for name in sorted(vars(m)):
                    if not name.startswith("_self_"):
                        _level(vars(m)[name], Variable, [], set(), parts)
            parts = [p for p in parts if p not in out and p is not self]
            out += parts
            level = parts
        return tuple(out)

    @staticmethod
    def with_name_scope(method):
        return method


def _level(x, kind, out, seen, parts):
    if isinstance(x, kind):
        if id(x) not in seen:
            seen.add(id(x))
            out.append(x)
    elif isinstance(x, Module):
        parts.append(x)
    elif isinstance(x, dict):
        for k in x:
            _level(x[k], kind, out, seen, parts)
    elif isinstance(x, (list, tuple)):
        for y in x:
            _level(y, kind, out, seen, parts)
