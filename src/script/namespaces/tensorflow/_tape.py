# tensorflow._tape -- GradientTape, IndexedSlices, custom_gradient.
import _tf as _w
import _tree
from tensorflow._base import state, as_tensor, as_operand, TensorShape, EagerTensor
from tensorflow._variable import Variable


class UnconnectedGradients:
    NONE = "none"
    ZERO = "zero"


class IndexedSlices:
    # Rows of a gradient that is zero elsewhere: what gather gives back.
    def __init__(self, values, indices, dense_shape=None):
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def shape(self):
        return TensorShape(self.dense_shape.tolist())

    def __tensor__(self):
        return _w.index_add(_w.full(self.dense_shape.tolist(), 0, self.values.dtype), self.indices, self.values)

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __mul__(self, other):
        return self.__tensor__() * other

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.__tensor__() / other

    def __add__(self, other):
        return self.__tensor__() + other

    __radd__ = __add__

    def numpy(self):
        return self.__tensor__().numpy()

    def __repr__(self):
        return f"IndexedSlices(indices={self.indices}, values={self.values}, dense_shape={self.dense_shape})"


def _is_leaf(x):
    return isinstance(x, (_w.Tensor, Variable)) or hasattr(x, "__tensor__")


def conjugated(g):
    # TensorFlow's gradients of complex tensors are conjugates of the engine's; a part that is 0 has no sign.
    return g if g is None or not g.dtype.is_complex else _w.complex(_w.real(g), _w.sub(0.0, _w.imag(g)))


class _Pause:
    def __init__(self, tape):
        self.tape = tape

    def __enter__(self):
        if self.tape in state.tapes:
            state.tapes.remove(self.tape)
            self.paused = True
        _w.no_grad(True)

    def __exit__(self, *exc):
        _w.no_grad(False)
        state.tapes.append(self.tape)


class GradientTape:
    _forward = False        # is it a ForwardAccumulator's?

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._auto = watch_accessed_variables
        self._id = None
        self._used = False
        self._clear()

    def _clear(self):
        self._variables = {}   # variable: the values of it that were read
        self._watched = []     # tensors
        self._gathers = []     # (x, indices, rows)
        self._customs = []     # (inputs, outputs, grad) of custom_gradient

    def __enter__(self):
        if self._id is not None:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if not self._persistent:
            self._clear()
        self._id = _w.tape_begin()
        state.tapes.append(self)
        return self

    def __exit__(self, *exc):
        self._end()

    def _end(self):
        if self._id is not None:
            if self in state.tapes:
                state.tapes.remove(self)
            _w.tape_end(self._id)
            self._id = None

    # ---- what it sees ----

    def watch(self, tensor):
        leaves, _ = _tree.flatten(tensor, _is_leaf)
        for x in leaves:
            if isinstance(x, Variable):
                x.__tensor__()
                self._note(x, x.__tensor__() if self._auto and x.trainable else x._current())
            else:
                x = as_tensor(x)
                if not x.dtype.is_inexact:
                    continue
                self._watched.append(x)
                if not _w.about(x, "symbolic"):
                    _w.tape_watch(self._id, x)

    def read(self, variable, x):
        if self._auto and variable.trainable:
            self._note(variable, x)
        elif variable in self._variables:
            self._note(variable, x)

    def _note(self, variable, x):
        if not x.dtype.is_inexact:
            return
        values = self._variables.setdefault(variable, [])
        for v in values:
            if v is x or _w.same_value(v, x):
                return
        values.append(x)
        if not _w.about(x, "symbolic"):
            _w.tape_watch(self._id, x)

    def gathered(self, x, indices, rows):
        self._gathers.append((x, indices, rows))

    def watched_variables(self):
        return tuple(self._variables.keys())

    def stop_recording(self):
        return _Pause(self)

    def reset(self):
        for v in self._variables:
            v._renew()
        self._clear()
        _w.tape_end(self._id)
        self._id = _w.tape_begin()

    # ---- what it gives ----

    def _use(self):
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")
        self._used = True
        if self._id is not None and not self._persistent:
            self._end()

    def _sources(self, sources):
        # for each source its tensors on the tape
        out = []
        for s in sources:
            if isinstance(s, Variable):
                out.append(self._variables.get(s, []))
            else:
                out.append([as_tensor(s)])
        return out

    def _pull(self, ys, gys, groups):
        # the gradient for each group of tensors, None where there is none
        if not self._customs:
            return self._pull_plain(ys, gys, groups)
        ys, gys, direct = list(ys), list(gys), [None] * len(groups)
        for inputs, outputs, grad in self._customs[::-1]:
            got = self._pull_plain(ys, gys, [[o] for o in outputs])
            if not [g for g in got if g is not None]:
                continue
            gx = grad(*[_w.zeros_like(o) if g is None else g for g, o in zip(got, outputs)])
            for x, g in zip(inputs, gx if isinstance(gx, (list, tuple)) else [gx]):
                if g is None:
                    continue
                g, found = as_tensor(g), False
                for i, group in enumerate(groups):
                    if [v for v in group if _w.same_value(v, x)]:
                        # a source itself gets what grad gave, of whatever shape
                        direct[i] = g if direct[i] is None else direct[i] + g
                        found = True
                if not found and g.shape == x.shape:
                    ys.append(x)
                    gys.append(g)
        out = self._pull_plain(ys, gys, groups)
        return [d if g is None else g if d is None else g + d for g, d in zip(out, direct)]

    def custom(self, inputs, outputs, grad):
        self._customs.append((inputs, outputs, grad))
        for o in outputs:
            _w.tape_watch(self._id, o)

    def _pull_plain(self, ys, gys, groups):
        flat = []
        for g in groups:
            flat += g
        if not flat or not ys:
            return [None] * len(groups)
        gys = [conjugated(g) for g in gys]
        if [y for y in ys if _w.about(y, "symbolic")]:
            got = _w.partials(ys, gys, flat)
        else:
            got = _w.gradients(ys, gys, flat, True, len(state.tapes) > 0, True)
        got = [conjugated(g) for g in got]
        out, at = [], 0
        for g in groups:
            total = None
            for part in got[at:at + len(g)]:
                if part is not None:
                    total = part if total is None else total + part
            at += len(g)
            out.append(total)
        return out

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
        self._use()
        ys = [as_tensor(y) for y in _tree.flatten(target, _is_leaf)[0]]
        leaves, spec = _tree.flatten(sources, _is_leaf, False)
        given = None if output_gradients is None else [None if g is None else as_tensor(g) for g in _tree.flatten(output_gradients, _is_leaf)[0]]
        gys = [_w.ones_like(y) if given is None or given[i] is None else _w.cast(given[i], y.dtype) for i, y in enumerate(ys)]
        inexact = [(y, g) for y, g in zip(ys, gys) if y.dtype.is_inexact]
        ys, gys = [y for y, _ in inexact], [g for _, g in inexact]
        groups = self._sources(leaves)
        out = self._pull(ys, gys, groups)
        targets = _tree.flatten(target, _is_leaf)[0]
        for y, gy in zip(targets, given or [None] * len(targets)):
            for i, x in enumerate(leaves):      # a variable by itself: it was not read
                if isinstance(y, Variable) and x is y and not [v for v in groups[i] if v is y._value]:
                    g = _w.ones_like(as_tensor(y)) if gy is None else gy
                    out[i] = g if out[i] is None else out[i] + g
        for i, g in enumerate(out):
            if g is None and unconnected_gradients == UnconnectedGradients.ZERO:
                out[i] = _w.zeros_like(as_tensor(leaves[i]))
            elif g is not None and self._gathers:
                out[i] = self._sparse(ys, gys, groups[i], g)
        return _tree.unflatten(spec, out)

    def _sparse(self, ys, gys, values, dense):
        # the gradient as rows, if all of it came through gather
        rows, places = [], []
        for x, ix, y in self._gathers:
            if [v for v in values if _w.same_value(v, x)] and not _w.about(x, "symbolic"):
                g = self._pull(ys, gys, [[y]])[0]
                if g is not None:
                    rows.append(_w.reshape(g, [-1] + list(x.shape)[1:]))
                    places.append(_w.reshape(ix, [-1]))
        if not rows:
            return dense
        s = IndexedSlices(_w.concat(rows, 0), _w.concat(places, 0), _w.tensor(list(dense.shape), _w.int32))
        return s if _w.all(_w.is_close(s.__tensor__(), dense, 1e-5, 1e-6)).item() else dense

    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                 experimental_use_pfor=True):
        self._use()
        y = as_tensor(target)
        leaves, spec = _tree.flatten(sources, _is_leaf, False)
        groups = self._sources(leaves)
        n = _w.about(y, "count")
        eye = _w.reshape(_w.eye(n, n, 0, y.dtype), [n] + list(y.shape))
        rows = [[] for _ in leaves]
        for k in range(n):
            for at, g in enumerate(self._pull([y], [eye[k]], groups)):
                rows[at].append(g)
        out = []
        for at, r in enumerate(rows):
            x = as_tensor(leaves[at])
            if not [g for g in r if g is not None]:
                zero = unconnected_gradients == UnconnectedGradients.ZERO
                out.append(_w.full(list(y.shape) + list(x.shape), 0, x.dtype) if zero else None)
                continue
            r = [_w.zeros_like(x) if g is None else g for g in r]
            out.append(_w.reshape(_w.stack(r, 0), list(y.shape) + list(x.shape)))
        return _tree.unflatten(spec, out)

    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                       experimental_use_pfor=True):
        self._use()
        y, x = as_tensor(target), as_tensor(source)
        b, n = y.shape[0], _w.about(y, "count") // y.shape[0]
        groups = self._sources([source])
        eye = _w.reshape(_w.eye(n, n, 0, y.dtype), [n, 1] + list(y.shape)[1:])
        rows = [self._pull([y], [_w.copy(_w.broadcast_to(eye[k], y.shape))], groups)[0] for k in range(n)]
        if unconnected_gradients == UnconnectedGradients.NONE and not [g for g in rows if g is not None]:
            return None
        rows = [_w.zeros_like(x) if g is None else g for g in rows]
        return _w.reshape(_w.stack(rows, 1), list(y.shape) + list(x.shape)[1:])


def custom_gradient(f):
    # f(*args) gives (results, grad). In the backward pass f is called again, for its grad.
    def call(*args, **kw):
        if state.graph is not None:     # one node, which is this call when it runs
            return state.graph.add("IdentityN", call, args, kw)
        xs = [as_tensor(a) for a in args]
        if not [x for x in xs if _w.about(x, "symbolic")]:
            return _eager_custom(f, xs, kw)
        slot = _w.Slot()
        many = []

        def results(*ts):
            y, _ = f(*ts, **kw)
            many.append(isinstance(y, (list, tuple)))
            return list(y) if many[-1] else [as_tensor(y)]

        def forward(*ts):
            return results(*ts) + list(ts)

        def backward(*ts):
            ts = list(ts)
            inputs, gys = ts[:len(xs)], ts[len(xs):]
            _, grad = f(*inputs, **kw)
            g = grad(*gys)
            g = list(g) if isinstance(g, (list, tuple)) else [g]
            return [_w.zeros_like(x) if v is None else _summed(as_tensor(v), x) for v, x in zip(g, inputs)]
        out = _w.custom_vjp(slot, results, forward, backward, xs)
        return tuple(out) if many[0] else out[0]
    call.__name__ = f.__name__
    return call


def _eager_custom(f, xs, kw):
    # the function unrecorded; its place on the tapes is taken by its grad
    tapes, state.tapes = state.tapes, []
    _w.no_grad(True)
    try:
        y, grad = f(*xs, **kw)
    finally:
        _w.no_grad(False)
        state.tapes = tapes
    many = isinstance(y, (list, tuple))
    outs = [_w.detach(as_tensor(t)) for t in (y if many else [y])]
    for tape in tapes:
        tape.custom(xs, outs, _own_gradient(f, xs, kw) if tape._forward else grad)
    return tuple(outs) if many else outs[0]


def _own_gradient(f, xs, kw):
    # What f itself has as a gradient: forward mode goes through it, and its grad is for reverse mode alone.
    def pulled(*gys):
        with GradientTape() as tape:
            inputs = [_w.copy(x) for x in xs]
            tape.watch(inputs)
            y = f(*inputs, **kw)[0]
        return tape.gradient(y, inputs, output_gradients=gys if isinstance(y, (list, tuple)) else gys[0])
    return pulled


def _summed(g, x):
    # a gradient of the broadcast shape, as one of x
    while g.ndim > x.ndim:
        g = _w.sum(g, 0)
    for i in range(x.ndim):
        if x.shape[i] == 1 and g.shape[i] != 1:
            g = _w.sum(g, i, True)
    return g


def recompute_grad(f):
    return f


def no_gradient(op_type):
    raise NotImplementedError(f"no_gradient({op_type!r}): use tf.stop_gradient")
