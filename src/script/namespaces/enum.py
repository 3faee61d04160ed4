# enum -- classes whose instances are named members.


class auto:
    # A value to come. The class body may already combine such values; they are made when the class is.
    def __init__(self, value=None, make=None):
        self.value, self._make = value, make

    def _now(self):
        if self.value is None and self._make is not None:
            self.value = self._make()
        return self.value

    def _with(self, other, op):
        return auto(None, lambda: op(self._now(), other._now() if isinstance(other, auto) else other))

    def __or__(self, other):
        return self._with(other, lambda a, b: a | b)

    def __and__(self, other):
        return self._with(other, lambda a, b: a & b)

    def __xor__(self, other):
        return self._with(other, lambda a, b: a ^ b)

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__


class nonmember:
    def __init__(self, value):
        self.value = value


class member(nonmember):
    pass


_property = property


def _is_member(name, v):
    if name.startswith("__") and name.endswith("__") or name.startswith("_") and name.endswith("_"):
        return False
    if isinstance(v, (nonmember, type(len))):
        return isinstance(v, member)
    c = type(v).__name__
    return c not in ("function", "classmethod", "staticmethod", "property", "cached_property")


class _Both:
    # a member that is called as an attribute of members: the member for the class, the attribute for its members
    def __init__(self, member, kept):
        self._member, self._kept = member, kept

    def __get__(self, obj, cls=None):
        return self._member if obj is None else self._kept.__get__(obj, cls)

    def __set__(self, obj, value):
        self._kept.__set__(obj, value)


class EnumType(type):
    def __new__(meta, name, bases, namespace, **kwargs):
        values = {k: v for k, v in namespace.items() if _is_member(k, v)}
        ignore = namespace.get("_ignore_", [])
        for k in ignore.split() if isinstance(ignore, str) else ignore:
            values.pop(k, None)
        for b in bases:
            if getattr(b, "_member_map_", None):
                raise TypeError(f"<enum {name!r}> cannot extend {b!r}")
        space = {k: v.value if isinstance(v, nonmember) and not isinstance(v, member) else v
                 for k, v in namespace.items() if k not in values}
        cls = type.__new__(meta, name, bases, space, **kwargs)
        cls._member_map_, cls._value2member_map_, cls._member_names_ = {}, {}, []
        kind = next((b for b in cls.__mro__ if b in (int, str, float, bytes, tuple)), object)
        new = next((c.__dict__["__new__"] for c in cls.__mro__ if "__new__" in c.__dict__ and c.__name__ != "Enum"
                    and c not in (object, int, str, float, bytes, tuple)), None)
        for k in ("__repr__", "__str__", "__format__"):
            f = next((c.__dict__[k] for c in cls.__mro__ if isinstance(c, EnumType) and k in c.__dict__), None)
            if f is not None and k not in space:
                type.__setattr__(cls, k, f)
        last = []
        for k, v in values.items():
            if isinstance(v, member):
                v = v.value
            if isinstance(v, auto):
                if v._now() is None:
                    v.value = cls._generate_next_value_(k, 1, len(last), list(last))
                v = v.value
            elif isinstance(v, tuple) and any(isinstance(x, auto) for x in v):
                v = tuple(cls._generate_next_value_(k, 1, len(last), list(last)) if isinstance(x, auto) else x for x in v)
            args = v if isinstance(v, tuple) and kind is not tuple else (v,)
            if new is not None:
                m = (new.__func__ if isinstance(new, staticmethod) else new)(cls, *args)
            elif kind is object:
                m = object.__new__(cls)
            else:
                m = kind.__new__(cls, *args)
            if "_value_" not in m.__dict__:
                m._value_ = v if kind is object or new is not None or isinstance(v, tuple) is False else kind(*args)
            same = next((x for x in cls._member_map_.values() if x._value_ == m._value_ and type(x._value_) is type(m._value_)), None)
            last.append(m._value_)
            if same is not None:
                cls._member_map_[k] = same
                type.__setattr__(cls, k, same)
                continue
            m._name_ = k
            m._sort_order_ = len(cls._member_names_)
            if "__init__" in dir(cls) and type(cls.__init__).__name__ == "function":
                m.__init__(*args)
            cls._member_map_[k] = m
            cls._member_names_.append(k)
            try:
                cls._value2member_map_[m._value_] = m
            except TypeError:
                pass
            kept = next((c.__dict__[k] for c in cls.__mro__ if k in c.__dict__), None)
            type.__setattr__(cls, k, _Both(m, kept) if isinstance(kept, _property) else m)
        return cls

    def __call__(cls, value, names=None, *, module=None, qualname=None, type=None, start=1, boundary=None):
        if names is None:
            return cls._lookup(value)
        if isinstance(names, str):
            names = names.replace(",", " ").split()
        if isinstance(names, dict):
            items = list(names.items())
        else:
            items = [n if isinstance(n, (tuple, list)) else None for n in names]
            items = [i if i is not None else (n, cls._functional(k + start)) for k, (i, n) in enumerate(zip(items, names))]
        space = {"__module__": module or "__main__", "__qualname__": value}
        space.update({n: v for n, v in items})
        return EnumType(value, (cls,) if type is None else (type, cls), space)

    def _functional(cls, k):
        return 1 << (k - 1) if issubclass(cls, Flag) else k

    def _lookup(cls, value):
        if type(value) is cls:
            return value
        try:
            return cls._value2member_map_[value]
        except (KeyError, TypeError):
            pass
        for m in cls._member_map_.values():
            if m._value_ == value:
                return m
        found = cls._missing_(value)
        if found is None:
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
        return found

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __getattr__(cls, name):
        raise AttributeError(name)

    def _listed(cls):
        # members of several flags, and of none, are names for what the others make
        every = [cls._member_map_[n] for n in cls._member_names_]
        return [m for m in every if len(_bits(m._value_)) == 1] if Flag is not None and issubclass(cls, Flag) else every

    def __iter__(cls):
        return iter(cls._listed())

    def __reversed__(cls):
        return iter(cls._listed()[::-1])

    def __len__(cls):
        return len(cls._listed())

    def __bool__(cls):
        return True

    def __contains__(cls, value):
        if isinstance(value, cls):
            return value._name_ in cls._member_map_
        if not isinstance(value, Enum):
            raise TypeError(f"unsupported operand type(s) for 'in': '{type(value).__qualname__}' and '{cls.__class__.__qualname__}'")
        return False

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get("_member_map_", {}):
            raise AttributeError(f"cannot reassign member {name!r}")
        type.__setattr__(cls, name, value)

    def __delattr__(cls, name):
        if name in cls.__dict__.get("_member_map_", {}):
            raise AttributeError(f"{cls.__name__!r} cannot delete member {name!r}.")
        type.__delattr__(cls, name)

    @_property
    def __members__(cls):
        return dict(cls._member_map_)

    def __repr__(cls):
        return f"<flag {cls.__name__!r}>" if Flag is not None and issubclass(cls, Flag) else f"<enum {cls.__name__!r}>"


EnumMeta = EnumType
Flag = None


class Enum(metaclass=EnumType):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        for v in reversed(last_values):
            try:
                return v + 1
            except TypeError:
                pass
        return start

    @classmethod
    def _missing_(cls, value):
        return None

    @_property
    def name(self):
        return self._name_

    @_property
    def value(self):
        return self._value_

    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"

    def __format__(self, spec):
        return format(str(self), spec)

    def __hash__(self):
        return hash(self._name_)

    def __setattr__(self, name, value):
        if name in ("name", "value"):
            raise AttributeError(f"<enum 'Enum'> cannot set attribute {name!r}")
        object.__setattr__(self, name, value)

    def __reduce_ex__(self, proto):
        return (type(self), (self._value_,))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __dir__(self):
        return ["name", "value"]


class IntEnum(int, Enum):
    def __str__(self):
        return str(self._value_)

    def __repr__(self):
        return Enum.__repr__(self)

    def __format__(self, spec):
        return format(self._value_, spec)


class StrEnum(str, Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()

    def __str__(self):
        return self._value_

    def __repr__(self):
        return Enum.__repr__(self)

    def __format__(self, spec):
        return format(self._value_, spec)


def _bits(v):
    return [1 << i for i in range(v.bit_length()) if v >> i & 1]


class Flag(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return 1 << max([v.bit_length() for v in last_values], default=0)

    @classmethod
    def _missing_(cls, value):
        whole = 0
        for m in cls._member_map_.values():
            whole |= m._value_
        if not isinstance(value, int):
            return None
        if value < 0:
            value &= whole
        if value & ~whole and not issubclass(cls, IntFlag):
            raise ValueError(f"{cls!r} invalid value {value}\n    given 0b{value:b}\n  allowed 0b{whole:b}")
        m = int.__new__(cls, value) if issubclass(cls, int) else object.__new__(cls)
        m._value_ = value
        names = [k._name_ for k in cls if k._value_ and k._value_ & value == k._value_ and len(_bits(k._value_)) == 1]
        known = 0
        for k in cls:
            known |= k._value_ & value
        if known != value and names:
            names.append(str(value & ~known))
        m._name_ = "|".join(names) if names else None
        cls._value2member_map_[value] = m
        return m

    def _other(self, other):
        return other._value_ if isinstance(other, Flag) else other if isinstance(other, int) and isinstance(self, int) else NotImplemented

    def __or__(self, other):
        v = self._other(other)
        return v if v is NotImplemented else type(self)(self._value_ | v)

    def __and__(self, other):
        v = self._other(other)
        return v if v is NotImplemented else type(self)(self._value_ & v)

    def __xor__(self, other):
        v = self._other(other)
        return v if v is NotImplemented else type(self)(self._value_ ^ v)

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __invert__(self):
        whole = 0
        for m in type(self)._member_map_.values():
            whole |= m._value_
        return type(self)(whole & ~self._value_)

    def __contains__(self, other):
        return other._value_ & self._value_ == other._value_

    def __iter__(self):
        return iter([m for m in type(self) if m._value_ and m._value_ & self._value_ == m._value_ and len(_bits(m._value_)) == 1])

    def __len__(self):
        return len(_bits(self._value_))

    def __bool__(self):
        return bool(self._value_)

    def __repr__(self):
        c = type(self).__name__
        return f"<{c}: {self._value_!r}>" if self._name_ is None else f"<{c}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        c = type(self).__name__
        return f"{c}({self._value_!r})" if self._name_ is None else f"{c}.{self._name_}"


class IntFlag(int, Flag):
    def __str__(self):
        return str(self._value_)

    def __repr__(self):
        return Flag.__repr__(self)

    def __format__(self, spec):
        return format(self._value_, spec)

    def __hash__(self):
        return hash(self._value_)

    __or__, __and__, __xor__, __invert__ = Flag.__or__, Flag.__and__, Flag.__xor__, Flag.__invert__
    __ror__, __rand__, __rxor__ = Flag.__or__, Flag.__and__, Flag.__xor__


def unique(cls):
    twice = [(n, m._name_) for n, m in cls._member_map_.items() if n != m._name_]
    if twice:
        raise ValueError(f"duplicate values found in {cls!r}: " + ", ".join(f"{a} -> {b}" for a, b in twice))
    return cls


class FlagBoundary(StrEnum):
    STRICT, CONFORM, EJECT, KEEP = auto(), auto(), auto(), auto()


STRICT, CONFORM, EJECT, KEEP = FlagBoundary


def verify(*checks):
    raise NotImplementedError("enum.verify")
