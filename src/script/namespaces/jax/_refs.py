# jax._refs -- jax.Ref: arrays that are written in place, as results and inputs of the programs that write them.
#
# Outside of everything a Ref has a value. Inside of a function that is traced it has one in that function's region, which
# it gets from the region around when it is first looked at; when the region ends, what was written is a result of the
# program, and the Ref's new value around. Loops, branches and jitted functions are traced once more, to know what they touch.
import _jax as _w
import _tree

used = []        # not empty: there is a Ref somewhere
_regions = []    # of the functions that are being traced, innermost last


class Region:
    def __init__(self):
        self.values = {}     # by Ref
        self.born = []       # the Refs made inside
        self.written = {}

    def __enter__(self):
        _regions.append(self)
        return self

    def __exit__(self, *_):
        _regions.pop()

    def touched(self):
        return [r for r in self.values if not any([r is b for b in self.born])]

    def changed(self):
        # (the Refs from outside that were written, their values)
        refs = [r for r in self.touched() if r in self.written]
        return refs, [self.values[r] for r in refs]


class Ref:
    def __init__(self, value):
        used[:] = [True]
        self._shape, self._dtype, self._weak = tuple(value.shape), value.dtype, _w.about(value, "weak")
        if _regions:
            _regions[-1].born.append(self)
            _regions[-1].values[self] = value
        else:
            self._value = value

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    ndim = property(lambda self: len(self._shape))
    size = property(lambda self: self._read().size)
    sharding = property(lambda self: self._read().sharding)
    committed = property(lambda self: True)

    @property
    def aval(self):
        return self

    def _text(self):
        from jax._array import shape_text
        return f"Ref{{{shape_text(self)}}}"

    def __repr__(self):
        if _regions:
            return self._text()
        return "Ref" + repr(self._value)[5:]

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __float__(self):
        raise TypeError("float() argument must be a string or a real number, not 'Ref'")

    def _read(self, depth=None):
        # The value in the innermost region, or in that of a depth.
        depth = len(_regions) if depth is None else depth
        if depth == 0:
            if not hasattr(self, "_value"):
                from jax.errors import UnexpectedTracerError
                raise UnexpectedTracerError("Encountered an unexpected tracer: a Ref was made by a function that has ended")
            if self._value is None:
                raise RuntimeError(f"{self._text()} has been freed")
            return self._value
        region = _regions[depth - 1]
        if self not in region.values:
            region.values[self] = self._read(depth - 1)
        return region.values[self]

    def _write(self, value):
        if _regions:
            self._read()
            _regions[-1].values[self] = value
            _regions[-1].written[self] = True
        else:
            self._value = value

    def _key(self, idx):
        idx = idx if isinstance(idx, tuple) else () if idx is None or idx is Ellipsis else (idx,)
        axis = 0
        for i in [i for i in idx if i is not Ellipsis and i is not None]:
            if isinstance(i, int) and axis < self.ndim and not -self._shape[axis] <= i < self._shape[axis]:
                raise ValueError(f"Out of bound indexer: idx={i}, dim={self._shape[axis]}.")
            if isinstance(i, _w.Tensor) and i.dtype == _w.bool_:
                from jax.errors import NonConcreteBooleanIndexError
                raise NonConcreteBooleanIndexError(f"Array boolean indices must be concrete; got bool[{','.join([str(d) for d in i.shape])}]")
            axis += 1
        return idx

    def __getitem__(self, idx):
        idx = self._key(idx)
        value = self._read()
        return value[idx] if idx else value

    def _checked(self, value, shape):
        from jax.numpy import asarray
        value = asarray(value)
        kinds = self._dtype.kind, value.dtype.kind
        if _w.about(value, "weak") and kinds in (("f", "f"), ("i", "i"), ("u", "i")) or kinds in (("i", "i"), ("u", "i"), ("i", "u"), ("u", "u")):
            value = _w.cast(value, self._dtype)
        if tuple(value.shape) != tuple(shape):
            raise ValueError(f"Invalid shape for `swap`. Ref shape: {self._shape}. Expected shape: {tuple(shape)}. "
                             f"Value shape: {tuple(value.shape)}. ")
        if value.dtype != self._dtype:
            raise ValueError(f"Invalid dtype for `swap`. Ref dtype: {self._dtype.name}. Value dtype: {value.dtype.name}. ")
        return _w.set_weak(value, self._weak and len(_regions) > 0)

    def __setitem__(self, idx, value):
        swap(self, idx, value)

    def addupdate(self, x, idx=()):
        addupdate(self, idx, x)


def _of_ref(ref, what):
    if not isinstance(ref, Ref):
        raise ValueError(f"Can only call `{what}` on a `Ref`: {ref}.")


def new_ref(init_val, *, memory_space=None, kind=None):
    from jax._api import kit
    from jax._prng import KeyArray
    if memory_space is not None:
        raise NotImplementedError("array ref with memory space only works inside of a `jit`.")
    if isinstance(init_val, KeyArray):
        return KeyRef(init_val)
    if not isinstance(init_val, (bool, int, float, complex, _w.Tensor)) and not hasattr(init_val, "__array__"):
        raise TypeError("Error interpreting argument to new_ref as a JAX value. The problematic value is of type "
                        f"{type(init_val)} and was passed to new_ref at position 0.")
    from jax.numpy import asarray
    value = asarray(init_val)
    return Ref(_w.set_weak(_w.copy(value), _w.about(value, "weak")))


def empty_ref(ty, memory_space=None):
    if memory_space is not None:
        raise NotImplementedError("empty_ref: memory_space")
    return Ref(_w.full(tuple(ty.shape), 0, ty.dtype))


class KeyRef(Ref):
    # of an array of keys: their words are what is kept
    def __init__(self, keys):
        from jax.random import key_data
        self._impl = keys.dtype
        super().__init__(key_data(keys))

    def _keys(self, data):
        from jax.random import wrap_key_data
        return wrap_key_data(data, impl=self._impl._impl.name if hasattr(self._impl, "_impl") else None)

    def __getitem__(self, idx):
        return self._keys(self._read())[idx]

    def __setitem__(self, idx, value):
        from jax.random import key_data
        if idx is not Ellipsis and idx != ():
            raise NotImplementedError("a Ref of keys is written as a whole")
        self._write(key_data(value))


def get(ref, idx=None):
    _of_ref(ref, "ref_get")
    return ref[idx]


def swap(ref, idx, value):
    _of_ref(ref, "ref_swap")
    idx = ref._key(idx)
    before = ref._read()
    part = before[idx] if idx else before
    value = ref._checked(value, part.shape)
    ref._write(before.at[idx].set(value) if idx else value)
    return part


def set(ref, idx, value):
    swap(ref, idx, value)


def addupdate(ref, idx, x):
    _of_ref(ref, "ref_addupdate")
    idx = ref._key(idx)
    before = ref._read()
    part = before[idx] if idx else before
    x = ref._checked(x, part.shape)
    ref._write(before.at[idx].add(x) if idx else before + x)


def freeze(ref):
    return ref[...]


def free_ref(ref):
    ref._read()
    if _regions:
        raise NotImplementedError("free_ref in a function that is traced")
    ref._value = None


# ---- functions that touch Refs, as functions that take and give their values


def is_ref(x):
    return isinstance(x, Ref)


def without(fn, refs):
    # fn as a function of (values, *args) that gives (result, new values).
    def call(values, *args):
        with Region() as region:
            region.values.update(dict(zip(refs, values)))
            y = fn(*args)
            new = [region.values[r] for r in refs]
        check_result(y, fn)
        return y, new
    return call


def check_result(y, fn, what="jit"):
    for x in _tree.flatten(y, is_ref)[0]:
        if is_ref(x):
            raise ValueError(f"function {getattr(fn, '__name__', fn)} traced for {what} returned a mutable array reference of type "
                             f"{x._text()}, but mutable array references cannot be returned.")


def touched(fns, *args):
    # The Refs from outside that these functions look at, given such arguments; Refs among those are not asked about.
    from jax._api import kit
    leaves, spec = kit.flatten(args)
    at = [i for i, x in enumerate(leaves) if isinstance(x, (_w.Tensor, float, complex)) or hasattr(x, "dtype") and not is_ref(x)]
    found = []
    for fn in fns:
        def flat(*xs):
            full = list(leaves)
            for i, x in zip(at, xs):
                full[i] = x
            with Region() as region:
                fn(*_tree.unflatten(spec, full))
            found.extend([r for r in region.touched() if not any([r is f for f in found])])
            return []
        _w.trace(flat, [x if isinstance(x, (_w.Tensor, float, complex)) else (tuple(x.shape), x.dtype) for x in [leaves[i] for i in at]])
    return found


def check_apart(own, found, what):
    # The same Ref by two names would be two.
    for r in own:
        if sum([r is o for o in list(own) + list(found)]) > 1:
            raise ValueError("only one reference to a mutable array may be passed as an argument to a function, and none that it "
                             f"closes over, but when tracing {what} the mutable array reference of type {r._text()} appeared twice")


def write(refs, values):
    for r, v in zip(refs, values):
        r._write(v)


def read(refs):
    return [r._read() for r in refs]


def exported(fn):
    # (fn with the new values of what it writes beside its result, where the Refs are noted)
    found = []

    def call(*args, **kwargs):
        with Region() as region:
            y = fn(*args, **kwargs)
            found[:], new = region.changed()
        return y, new
    return call, found


def held(fns, args):
    # fns and their arguments with Refs among those held by the functions
    from jax._api import kit
    leaves, spec = kit.flatten(args)
    refs = {i: x for i, x in enumerate(leaves) if is_ref(x)}
    if not refs:
        return fns, args

    def holding(fn):
        def call(*xs):
            it = iter(xs)
            return fn(*_tree.unflatten(spec, [refs[i] if i in refs else next(it) for i in range(len(leaves))]))
        return call
    return [holding(f) for f in fns], tuple([x for i, x in enumerate(leaves) if i not in refs])


# ---- scan, while, cond and jit over them; each is given the function that knows of no Refs


def scan(plain, f, init, xs, length, *rest):
    from jax._api import ShapeDtypeStruct
    rows, own, close = opened(xs)

    def body(c, row):
        row, inner = close(row)
        c, y = f(c, row)
        return c, (y, [r[...] for r in inner])

    found = touched([body], init, _tree.map(lambda x: ShapeDtypeStruct(tuple(x.shape)[1:], x.dtype), rows))
    check_apart(own, found, "scan")
    if not own and not found:
        return plain(f, init, xs, length, *rest)
    inner = without(body, found)

    def step(c, row):
        (c, y), new = inner(c[1], c[0], row)
        return (c, new), y

    (c, new), (ys, stacked) = plain(step, (init, read(found)), rows, length, *rest)
    write(found, new)
    write(own, stacked)
    return c, ys


def while_loop(plain, test, body, init):
    found = touched([test, body], init)
    if not found:
        return plain(test, body, init)
    go, turn = without(test, found), without(body, found)
    c, new = plain(lambda s: go(s[1], s[0])[0], lambda s: turn(s[1], s[0]), (init, read(found)))
    write(found, new)
    return c


def branch(plain, which, fns, operands):
    fns, operands = held(fns, operands)
    found = touched(fns, *operands)
    if not found:
        return plain(which, fns, operands)
    y, new = plain(which, [without(f, found) for f in fns], (read(found),) + tuple(operands))
    write(found, new)
    return y


class Jitted:
    # Of a jitted function, by signature: the Refs it closes over, and the program with their values.
    def __init__(self):
        self.known = {}

    def call(self, jitted, args, kwargs, make):
        # (True, the result), or (False, None): no Ref is touched
        from jax._api import kit
        statics, named, dynamic, rest = jitted._split(args, kwargs)
        values, own, close = opened((dynamic, rest))
        check_apart(own, (), f"{jitted.__name__} for jit")
        leaves, spec = kit.flatten(values)
        if not all([isinstance(x, (bool, int, float, complex, _w.Tensor)) for x in leaves]):
            return False, None
        key = (statics, named, spec, tuple([i for i, x in enumerate(kit.flatten((dynamic, rest))[0]) if is_ref(x)]), _w.signature(leaves))

        def run(values):
            (dynamic, rest), inner = close(values)
            for i, v in statics:
                dynamic[i] = v
            y = jitted.fun(*dynamic, **rest, **dict(named))
            check_result(y, jitted.fun)
            return y, [r[...] for r in inner]

        if key not in self.known:
            found = touched([run], values)
            self.known[key] = (found, make(without(run, found)) if own or found else None)
        found, program = self.known[key]
        check_apart(own, found, f"{jitted.__name__} for jit")
        if program is None:
            return False, None
        (y, mine), new = program(read(found), values)
        write(found, new)
        write(own, mine)
        return True, y


def opened(tree):
    # (the tree with values where it has Refs, those Refs, a function that puts fresh Refs of values there)
    from jax._api import kit
    leaves, spec = kit.flatten(tree)
    at = [i for i, x in enumerate(leaves) if is_ref(x)]
    refs = [leaves[i] for i in at]
    for i, x in enumerate(leaves):
        if is_ref(x):
            leaves[i] = x._read()

    def close(values):
        full = kit.flatten(values)[0]
        inner = [Ref(full[i]) for i in at]
        for i, r in zip(at, inner):
            full[i] = r
        return _tree.unflatten(spec, full), inner
    return _tree.unflatten(spec, leaves), refs, close
