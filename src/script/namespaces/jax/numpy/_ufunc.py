# jax.numpy: functions of elements that can also reduce, accumulate and update.
import _jax as _w

__all__ = ["ufunc", "frompyfunc"]


def _vectorized(func):
    from jax.numpy._math import vectorize
    return vectorize(func)


class ufunc:
    # call: what the function does to arrays; reductions that NumPy's function has of its own, by name.
    def __init__(self, func, nin, nout, *, name=None, nargs=None, identity=None, call=None, reduce=None, accumulate=None, at=None,
                 reduceat=None):
        self.func, self.nin, self.nout, self.identity = func, nin, nout, identity
        self.nargs = nin if nargs is None else nargs
        self.__name__ = name or getattr(func, "__name__", "ufunc")
        self.__doc__ = getattr(func, "__doc__", None)
        self._call = call or _vectorized(func)
        self._own = {"reduce": reduce, "accumulate": accumulate, "at": at, "reduceat": reduceat}

    def __hash__(self):
        return hash((self.func, self.__name__, self.identity, self.nin, self.nout))

    def __eq__(self, other):
        return isinstance(other, ufunc) and (self.func, self.__name__, self.identity, self.nin, self.nout) == \
            (other.func, other.__name__, other.identity, other.nin, other.nout)

    def __repr__(self):
        return f"<jnp.ufunc '{self.__name__}'>"

    def __call__(self, *args, out=None, where=None):
        if out is not None:
            raise NotImplementedError(f"out argument of {self}")
        if where is not None:
            raise NotImplementedError(f"where argument of {self}")
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} positional arguments but {len(args)} were given")
        return self._call(*args)

    def _two(self, what):
        if self.nin != 2:
            raise ValueError(f"{what} only supported for functions taking two arguments" if what != "reduce"
                             else "reduce only supported for binary ufuncs")
        if self.nout != 1:
            raise ValueError(f"{what} only supported for functions returning a single value")

    def reduce(self, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
        import jax.numpy as jnp
        self._two("reduce")
        if out is not None:
            raise NotImplementedError(f"out argument of {self.__name__}.reduce()")
        if where is not None and initial is None and self.identity is None:
            raise ValueError(f"reduction operation {self.__name__!r} does not have an identity, so to use a where mask one has to "
                             "specify 'initial'.")
        own = self._own["reduce"]
        if own is not None:
            return own(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)
        a = jnp.asarray(a, dtype)
        axes = tuple(range(len(a.shape))) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        axes = tuple([x % len(a.shape) for x in axes])
        if len(axes) > 1 and self.identity is None and initial is None and axis is not None:
            raise ValueError(f"reduction operation {self.__name__!r} is not reorderable, so at most one axis may be specified")
        return self._folded(a, axes, keepdims, initial, where)

    def _folded(self, a, axes, keepdims, initial, where):
        import jax.numpy as jnp
        from jax.lax import fori_loop
        rest = [i for i in range(len(a.shape)) if i not in axes]
        flat = lambda x: _w.reshape(_w.permute(x, list(axes) + rest), (-1,) + tuple([x.shape[i] for i in rest]))
        shape = tuple([1 if i in axes else n for i, n in enumerate(a.shape)])
        rows = flat(a)
        mask = None if where is None else flat(_w.broadcast_to(jnp.asarray(where), a.shape))
        start = self.identity if initial is None else initial
        if start is None and rows.shape[0] == 0:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        first = 0 if start is not None else 1
        y = _w.broadcast_to(_w.cast(start, a.dtype), tuple(rows.shape)[1:]) if start is not None else rows[0]

        def step(i, y):
            new = _w.cast(self(y, rows[i]), y.dtype)
            return new if mask is None else _w.where(mask[i], new, y)

        y = fori_loop(first, rows.shape[0], step, y)
        return _w.reshape(y, shape) if keepdims else y

    def accumulate(self, a, axis=0, dtype=None, out=None):
        import jax.numpy as jnp
        from jax.lax import scan
        self._two("accumulate")
        if out is not None:
            raise NotImplementedError(f"out argument of {self.__name__}.accumulate()")
        if self._own["accumulate"] is not None:
            return self._own["accumulate"](a, axis=axis, dtype=dtype)
        if axis is None or isinstance(axis, tuple):
            raise ValueError("accumulate does not allow multiple axes")
        x = jnp.moveaxis(jnp.asarray(a, dtype), axis, 0)
        if x.shape[0] == 0:
            return jnp.moveaxis(x, 0, axis)

        def step(c, v):
            y = _w.cast(self(c, v), x.dtype)
            return y, y

        rest = scan(step, x[0], x[1:])[1]
        return jnp.moveaxis(_w.concat([x[:1], rest], 0), 0, axis)

    def at(self, a, indices, b=None, *, inplace=True):
        import jax.numpy as jnp
        if inplace:
            raise NotImplementedError(_no_inplace)
        a = jnp.asarray(a)
        if b is None:
            if self.nin != 1:
                raise ValueError("second operand needed for ufunc")
            return a.at[indices].set(self(a[indices]))
        if self.nin == 1:
            raise ValueError("second operand provided when ufunc is unary")
        if self._own["at"] is not None:
            return self._own["at"](a, indices, b)
        return self._each_at(a, indices, b)

    def _each_at(self, a, indices, b):
        # One after the other: an index that comes twice is updated twice.
        import jax.numpy as jnp
        from jax._index import _places
        from jax.lax import fori_loop
        places = _places(a, indices)
        values = _w.reshape(_w.broadcast_to(jnp.asarray(b), places.shape), (-1,))
        places, flat = _w.reshape(places, (-1,)), _w.reshape(a, (-1,))
        step = lambda i, x: x.at[places[i]].set(_w.cast(self(x[places[i]], values[i]), a.dtype))
        return _w.reshape(fori_loop(0, values.shape[0], step, flat), a.shape)

    def reduceat(self, a, indices, axis=0, dtype=None, out=None):
        import jax.numpy as jnp
        self._two("reduceat")
        if out is not None:
            raise NotImplementedError(f"out argument of {self.__name__}.reduceat()")
        if axis is None or isinstance(axis, tuple):
            raise ValueError("reduceat requires a single integer axis.")
        idx = jnp.asarray(indices)
        if len(idx.shape) != 1:
            raise ValueError(f"reduceat: indices must be one-dimensional, got {indices=}")
        if idx.dtype.kind not in "iu":
            raise ValueError(f"reduceat: indices must be integers, got {indices=}")
        x = jnp.moveaxis(jnp.asarray(a, dtype), axis, 0)
        n = x.shape[0]
        ends = _w.concat([idx[1:], _w.full((1,), n, idx.dtype)], 0)
        y = x[idx]
        from jax.lax import fori_loop

        def step(i, y):
            inside = _w.logical_and(_w.gt(i, idx), _w.lt(i, ends))
            inside = _w.reshape(inside, (-1,) + (1,) * (len(x.shape) - 1))
            return _w.where(inside, _w.cast(self(y, _w.expand_dims(x[i], 0)), y.dtype), y)

        return jnp.moveaxis(fori_loop(0, n, step, y), 0, axis)

    def outer(self, A, B):
        import jax.numpy as jnp
        if self.nin != 2:
            raise ValueError("outer only supported for functions taking two arguments")
        A, B = jnp.asarray(A), jnp.asarray(B)
        return self(_w.reshape(A, tuple(A.shape) + (1,) * len(B.shape)), B)


_no_inplace = ("Because JAX arrays are immutable, jnp.ufunc.at() cannot operate in-place like np.ufunc.at(). Instead, you can pass "
               "inplace=False and capture the result; e.g.\n>>> arr = jnp.add.at(arr, ind, val, inplace=False)")


def frompyfunc(func, /, nin, nout, *, identity=None):
    return ufunc(func, nin, nout, identity=identity)


def _reducing(name):
    def reduce(a, axis=0, dtype=None, keepdims=False, initial=None, where=None):
        import jax.numpy as jnp
        return getattr(jnp, name)(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)
    return reduce


def _running(name):
    def accumulate(a, axis=0, dtype=None):
        import jax.numpy as jnp
        if axis is None or isinstance(axis, tuple):
            raise ValueError("accumulate does not allow multiple axes")
        return getattr(jnp, name)(a, axis=axis, dtype=dtype)
    return accumulate


def _updating(name):
    return lambda a, indices, b: getattr(a.at[indices], name)(b)


def native(name, fn, nin=2, identity=None, **own):
    # One whose call is the native itself.
    kind = type("ufunc", (ufunc,), {"__call__": staticmethod(fn), "__repr__": ufunc.__repr__})
    return kind(fn, nin, 1, name=name, identity=identity, call=fn, **own)


add = native("add", _w.add, identity=0, reduce=_reducing("sum"), accumulate=_running("cumsum"), at=_updating("add"))
multiply = native("multiply", _w.mul, identity=1, reduce=_reducing("prod"), accumulate=_running("cumprod"), at=_updating("multiply"))
subtract, negative = native("subtract", _w.sub, at=_updating("subtract")), native("negative", _w.neg, 1)
def _ordered(fn, name):
    # Complex numbers are ordered by real parts, then imaginary ones.
    def call(a, b):
        for x in (a, b):
            if isinstance(x, complex) or isinstance(x, _w.Tensor) and x.dtype.is_complex:
                from jax import lax
                from jax.numpy._shape import _same, broadcast_arrays
                return getattr(lax, name)(*_same(broadcast_arrays(a, b)))
        return fn(a, b)
    return call


maximum = native("maximum", _ordered(_w.maximum, "max"), at=_updating("max"))
minimum = native("minimum", _ordered(_w.minimum, "min"), at=_updating("min"))
def _logaddexp(a, b):
    x, y = _w.wrap(a), _w.wrap(b)
    if not (x.dtype.is_complex or y.dtype.is_complex):
        return _w.logaddexp(a, b)
    # by what is greater in its real part, then in its imaginary one; the angle within (-pi, pi]
    p, q, r, s = _w.real(x), _w.real(y), _w.imag(x), _w.imag(y)
    first = _w.logical_or(_w.gt(p, q), _w.logical_and(_w.eq(p, q), _w.ge(r, s)))
    top, delta = _w.where(first, x, y), _w.where(first, y - x, x - y)
    out = _w.where(_w.is_nan(_w.real(delta)), x + y, top + _w.log(1 + _w.exp(delta)))
    pi = 3.141592653589793
    return _w.complex(_w.real(out), _w.remainder(_w.imag(out) + pi, 2 * pi) - pi)


logaddexp = native("logaddexp", _logaddexp, identity=float("-inf"))
logical_and, logical_or = native("logical_and", _w.logical_and, identity=True), native("logical_or", _w.logical_or, identity=False)
logical_xor = native("logical_xor", _w.logical_xor, identity=False)
bitwise_and, bitwise_or = native("bitwise_and", _w.bitwise_and, identity=-1), native("bitwise_or", _w.bitwise_or, identity=0)
bitwise_xor = native("bitwise_xor", _w.bitwise_xor, identity=0)
