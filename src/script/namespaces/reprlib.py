# reprlib -- texts of objects that may contain themselves.
_repr = repr


def recursive_repr(fillvalue="..."):
    def decorate(method):
        inside = set()

        def wrapper(self):
            if id(self) in inside:
                return fillvalue
            inside.add(id(self))
            try:
                return method(self)
            finally:
                inside.discard(id(self))
        wrapper.__name__, wrapper.__qualname__, wrapper.__doc__ = method.__name__, method.__qualname__, method.__doc__
        wrapper.__module__, wrapper.__wrapped__ = method.__module__, method
        return wrapper
    return decorate


class Repr:
    # repr with limits on what is shown of containers and texts
    def __init__(self):
        self.fillvalue, self.maxlevel = "...", 6
        self.maxtuple, self.maxlist, self.maxarray, self.maxdict, self.maxset, self.maxfrozenset, self.maxdeque = 6, 6, 5, 4, 6, 6, 6
        self.maxstring, self.maxlong, self.maxother = 30, 40, 30

    def repr(self, x):
        return self.repr1(x, self.maxlevel)

    def repr1(self, x, level):
        method = getattr(self, "repr_" + type(x).__name__.replace(" ", "_"), None)
        return method(x, level) if method else self.repr_instance(x, level)

    def _cut(self, s, most):
        if len(s) <= most:
            return s
        left = max(0, (most - 3) // 2)
        right = max(0, most - 3 - left)
        return s[:left] + self.fillvalue + s[len(s) - right:]

    def _items(self, x, level, left, right, most, tail=""):
        if level <= 0 and x:
            inner = self.fillvalue
        else:
            parts = [self.repr1(v, level - 1) for _, v in zip(range(most), x)]
            if len(x) > most:
                parts.append(self.fillvalue)
            inner = ", ".join(parts)
            if len(x) == 1:
                right = tail + right
        return left + inner + right

    def repr_tuple(self, x, level):
        return self._items(x, level, "(", ")", self.maxtuple, ",")

    def repr_list(self, x, level):
        return self._items(x, level, "[", "]", self.maxlist)

    def repr_deque(self, x, level):
        return self._items(x, level, "deque([", "])", self.maxdeque)

    def _sorted(self, x):
        try:
            return sorted(x)
        except Exception:
            return list(x)

    def repr_set(self, x, level):
        return self._items(self._sorted(x), level, "{", "}", self.maxset) if x else "set()"

    def repr_frozenset(self, x, level):
        return self._items(self._sorted(x), level, "frozenset({", "})", self.maxfrozenset) if x else "frozenset()"

    def repr_dict(self, x, level):
        if not x:
            return "{}"
        if level <= 0:
            return "{" + self.fillvalue + "}"
        parts = [f"{self.repr1(k, level - 1)}: {self.repr1(x[k], level - 1)}" for k in self._sorted(x)[:self.maxdict]]
        if len(x) > self.maxdict:
            parts.append(self.fillvalue)
        return "{" + ", ".join(parts) + "}"

    def repr_str(self, x, level):
        s = _repr(x[:self.maxstring])
        if len(s) <= self.maxstring:
            return s
        left = max(0, (self.maxstring - 3) // 2)
        right = max(0, self.maxstring - 3 - left)
        s = _repr(x[:left] + x[len(x) - right:])
        return s[:left] + self.fillvalue + s[len(s) - right:]

    def repr_int(self, x, level):
        return self._cut(_repr(x), self.maxlong)

    def repr_instance(self, x, level):
        return self._cut(_repr(x), self.maxother)


aRepr = Repr()
repr = aRepr.repr
