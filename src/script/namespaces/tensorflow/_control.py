# tensorflow._control -- control flow with functions, and TensorArray. On tensors whose values are
# known it is Python's; inside a trace it becomes cond, while and scan of the program.
import _tf as _w
from tensorflow._base import staging
import _tree
from tensorflow._base import state, as_tensor, op, ints, TensorShape, dtype_of, int32, float32, InvalidArgumentError
from tensorflow import _ops


def _symbolic(x):
    return isinstance(x, _w.Tensor) and _w.about(x, "symbolic")


def _leaf(x):
    return isinstance(x, _w.Tensor) or hasattr(x, "__tensor__")


def _flat(tree):
    return [as_tensor(x) for x in _tree.flatten(tree, _leaf, False)[0]]


def _traced(fn, out):
    # fn as a function that gives a flat list; the structure of its result goes to out
    def run(*xs):
        r = fn(*xs)
        leaves, spec = _tree.flatten(r, _leaf, False)
        out.append(spec)
        return [as_tensor(x) for x in leaves]
    return run


def cond(pred, true_fn=None, false_fn=None, name=None, strict=False, fn1=None, fn2=None):
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    if state.graph is not None:
        from tensorflow._flow import graph_cond
        return graph_cond(pred, true_fn, false_fn)
    p = as_tensor(pred)
    if not _symbolic(p):
        return true_fn() if p.item() else false_fn()
    specs = []
    out = _w.cond(p, [_traced(false_fn, specs), _traced(true_fn, specs)], [])
    return _tree.unflatten(specs[0], out)


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name=None):
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if default is None and pairs:       # the last one, which must hold then
        pred, last = pairs.pop()
        default = lambda: _asserted(pred, last)
    if exclusive and pairs:
        if state.graph is not None or [p for p, _ in pairs if _symbolic(as_tensor(p))]:
            return _exclusive_case(pairs, default, strict, name)
        if len([p for p, _ in pairs if as_tensor(p).item()]) > 1:
            raise InvalidArgumentError("Input error: exclusive=True: more than 1 conditions evaluated as True.")

    def rest(i):
        if i == len(pairs):
            return default
        return lambda: cond(pairs[i][0], pairs[i][1], rest(i + 1))
    return rest(0)()


def _asserted(pred, fn):
    from tensorflow import control_dependencies
    from tensorflow._debug import Assert
    with control_dependencies([v for v in [Assert(pred, ["Input error: None of conditions evaluated as True:"])] if v is not None]):
        return fn()


def _exclusive_case(pairs, default, strict, name):
    from tensorflow import control_dependencies
    from tensorflow._ops import add_n, cast, less_equal
    from tensorflow._debug import Assert
    one = less_equal(add_n([cast(p, "int32") for p, _ in pairs]), 1)
    with control_dependencies([Assert(one, ["Input error: exclusive=True: more than 1 conditions evaluated as True."])]):
        return case(pairs, default, False, strict, name)


def switch_case(branch_index, branch_fns, default=None, name=None):
    fns = [branch_fns[k] for k in sorted(branch_fns)] if isinstance(branch_fns, dict) else [f[1] if isinstance(f, tuple) else f for f in branch_fns]
    i = as_tensor(branch_index)
    if not _symbolic(i):
        k = i.item()
        return fns[k]() if 0 <= k < len(fns) else (default or fns[-1])()
    specs = []
    n = len(fns)
    fns = fns + [default or fns[-1]]
    i = _w.where(_w.logical_or(i < 0, i >= n), _w.cast(n, i.dtype), i)
    return _tree.unflatten(*_switch(i, fns, specs))


def _switch(i, fns, specs):
    out = _w.cond(i, [_traced(f, specs) for f in fns], [])
    return specs[0], out


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               maximum_iterations=None, name=None):
    return repeated(cond, body, loop_vars, shape_invariants, maximum_iterations)


def repeated(cond, body, loop_vars, shape_invariants, maximum_iterations):
    # Results are a list or a tuple as loop_vars are; those of a graph of version 1, and of a loop that runs at once, as what
    # the body gave.
    if state.graph is not None:
        from tensorflow._flow import graph_while
        return graph_while(cond, body, loop_vars, maximum_iterations, shape_invariants)
    many = isinstance(loop_vars, (list, tuple))
    values = tuple(loop_vars) if many else (loop_vars,)
    leaves, spec = _tree.flatten(values, _leaf, False)
    xs = [as_tensor(x) for x in leaves]
    given = [None]  # what the body gave last
    like = loop_vars

    def call(fn, ts):
        return fn(*_tree.unflatten(spec, list(ts)))

    def step(*ts):
        given[0] = r = call(body, ts)
        if not many or len(values) == 1 and not isinstance(r, (list, tuple)):
            r = (r,)
        return [as_tensor(x, None) for x in _tree.flatten(tuple(r), _leaf, False)[0]]

    def test(ts):
        return as_tensor(call(cond, ts))
    if not _w.in_trace() or not ([x for x in xs if _symbolic(x)] or _symbolic(test(xs))):
        n = 0
        while test(xs).item() and (maximum_iterations is None or n < maximum_iterations):
            xs = step(*xs)
            n += 1
            like = given[0]
            if [x for x in xs if _symbolic(x)]:
                break
        else:
            return _result(spec, xs, many, like)
    bound = None if maximum_iterations is None else int(_ops._number(maximum_iterations))
    out = _w.while_loop(lambda *ts: [test(ts)], step, xs, bound)
    return _result(spec, out, many, loop_vars)


def _result(spec, xs, many, loop_vars):
    r = _tree.unflatten(spec, list(xs))
    if not many:
        return r[0]
    return list(r) if isinstance(loop_vars, list) else r


# ---- functions over rows ----

def _rows(elems):
    leaves, spec = _tree.flatten(elems, _leaf, False)
    xs = [as_tensor(x) for x in leaves]
    n = xs[0].shape[0]
    return [_tree.unflatten(spec, [x[i] for x in xs]) for i in range(n)]


def _stacked(results):
    spec = _tree.flatten(results[0], _leaf, False)[1]
    cols = [_flat(r) for r in results]
    return _tree.unflatten(spec, [_w.stack([c[k] for c in cols], 0) for k in range(len(cols[0]))])


def _mapped(fn, elems, keep_shape=False):
    rows = _rows(elems)
    if not rows:        # what fn would give of a row of zeros says the types; map_fn has seen no row, and knows no shape
        like = fn(_tree.map(lambda x: _w.full(list(as_tensor(x).shape)[1:], 0, as_tensor(x).dtype), elems))
        return _tree.map(lambda y: _w.full([0] + (list(as_tensor(y).shape) if keep_shape else []), 0, as_tensor(y).dtype), like)
    return _stacked([fn(row) for row in rows])


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None,
           fn_output_signature=None):
    if state.graph is not None:
        from tensorflow._flow import graph_rows
        return graph_rows(fn, elems, "none", name or "map", True, False)
    return _as_declared(_mapped(fn, elems), dtype if fn_output_signature is None else fn_output_signature)


def _as_declared(found, signature):
    # what fn gave must be of the dtypes that were told
    if signature is not None:
        for x, s in zip(_tree.flatten(found, _leaf)[0], _tree.flatten(signature, _leaf)[0]):
            d = dtype_of(getattr(s, "dtype", s))
            if as_tensor(x).dtype != d:
                raise InvalidArgumentError(f"TensorArray dtype is {d.name} but Op is trying to write dtype {as_tensor(x).dtype.name}")
    return found


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    return map_fn(fn, elems) if state.graph is not None else _mapped(fn, elems, True)


def _folded(fn, elems, initializer, keep, backwards, name):
    if state.graph is not None:
        from tensorflow._flow import graph_rows
        return graph_rows(fn, elems, initializer, name, keep, backwards)
    rows = _rows(elems)
    if backwards:
        rows = rows[::-1]
    out = []
    acc = initializer
    if acc is None:
        acc = rows.pop(0)
        out.append(acc)
    for r in rows:
        acc = fn(acc, r)
        out.append(acc)
    if not keep:
        return acc
    return _stacked(out[::-1] if backwards else out)


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True, reverse=False, name=None):
    return _folded(fn, elems, initializer, True, reverse, name or "scan")


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    return _folded(fn, elems, initializer, False, False, name or "foldl")


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    return _folded(fn, elems, initializer, False, True, name or "foldr")


class TensorArray:
    # The rows that were written; while a graph is built, a tensor of all rows (GraphArray).
    def __new__(cls, dtype, size=None, *args, **kw):
        if cls is TensorArray and state.graph is not None:
            cls = GraphArray
        return object.__new__(cls)

    def __init__(self, dtype, size=None, dynamic_size=False, clear_after_read=None, tensor_array_name=None, handle=None, flow=None,
                 infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None):
        self.dtype = dtype_of(dtype)
        self.dynamic_size = dynamic_size
        self._shape = element_shape
        self._start(size)

    def _start(self, size):
        self._items = [None] * (0 if size is None else int(_ops._number(size)))

    def _with(self, items):
        t = TensorArray(self.dtype, 0, self.dynamic_size, element_shape=self._shape)
        t._items = items
        return t

    def _place(self, index):
        if _symbolic(index):
            raise staging.Refuse("a place in a TensorArray that is not known while tracing")
        return int(_ops._number(index))

    def write(self, index, value, name=None):
        i = self._place(index)
        items = list(self._items)
        if i >= len(items):
            if not self.dynamic_size:
                raise InvalidArgumentError(f"Tried to write to index {i} but array is not resizeable and size is: {len(items)}")
            items += [None] * (i + 1 - len(items))
        x = as_tensor(value)
        if x.dtype != self.dtype:
            raise InvalidArgumentError(f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype {x.dtype.name}")
        items[i] = x
        self._items = items
        return self._with(items)

    def _item(self, i):
        x = self._items[i]
        if x is None:
            for y in self._items:
                if y is not None:
                    return _w.zeros_like(y)
            return _w.full(list(self._shape or []), 0, self.dtype)
        return x

    def read(self, index, name=None):
        i = self._place(index)
        if not 0 <= i < len(self._items):
            raise InvalidArgumentError(f"Tried to read from index {i} but array size is: {len(self._items)}")
        return self._item(i)

    def stack(self, name=None):
        if not self._items:
            return _w.full([0] + list(self._shape or []), 0, self.dtype)
        return _w.stack([self._item(i) for i in range(len(self._items))], 0)

    def concat(self, name=None):
        return _w.concat([self._item(i) for i in range(len(self._items))], 0)

    def gather(self, indices, name=None):
        return _w.stack([self._item(i) for i in ints(indices)], 0)

    def unstack(self, value, name=None):
        x = as_tensor(value)
        return self._with([x[i] for i in range(x.shape[0])])

    def scatter(self, indices, value, name=None):
        t = self
        for k, i in enumerate(ints(indices)):
            t = t.write(i, value[k])
        return t

    def split(self, value, lengths, name=None):
        return self._with(list(_w.split(as_tensor(value), ints(lengths), 0)))

    def size(self, name=None):
        return _w.tensor(len(self._items), int32)

    def identity(self):
        return self

    def grad(self, source, flow=None, name=None):
        raise NotImplementedError("TensorArray.grad")

    def close(self, name=None):
        return None

    @property
    def flow(self):
        return _w.tensor(0.0, float32)


class GraphArray(TensorArray):
    # buffer: [size, *row], None until the shape of a row is known.
    def _start(self, size):
        self._size = 0 if size is None else size
        self._buffer = None
        self._trial = False
        shape = None if self._shape is None else TensorShape(self._shape)
        if shape is not None and shape.is_fully_defined():
            self._buffer = _ops.zeros(_sizes_of(self._size, shape.as_list()), self.dtype)
        elif self.dynamic_size and size is None:
            self._size = 0

    def _like(self, buffer):
        t = object.__new__(GraphArray)
        t.__dict__.update(self.__dict__)
        t._buffer = buffer
        return t

    def is_open(self):
        return self._buffer is None

    def on_trial(self):
        # one that takes any row, to see its shape
        t = self._like(None)
        t._trial = True
        return t

    def open_with(self, other):
        if other._buffer is None or self.dynamic_size and not isinstance(self._size, int):
            raise NotImplementedError("TensorArray: nothing tells the shape of its rows: give element_shape")
        self._buffer = _ops.zeros(_sizes_of(self._size, other._buffer.shape.as_list()[1:]), self.dtype)

    def rows(self):
        if self._buffer is None:
            raise NotImplementedError("TensorArray: nothing tells the shape of its rows: give element_shape")
        return self._buffer

    of_rows = _like

    def write(self, index, value, name=None):
        x = _ops.convert_to_tensor(value)
        if x.dtype != self.dtype:
            raise InvalidArgumentError(f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype {x.dtype.name}")
        buffer = self._buffer
        if buffer is None:
            if not x.shape.is_fully_defined():
                raise NotImplementedError("TensorArray: rows of a shape that is not known")
            buffer = _ops.zeros(_sizes_of(1 if self._trial else self._size, x.shape.as_list()), self.dtype)
            if self._trial:
                return self._like(buffer)
        if self.dynamic_size:
            buffer = _grown(buffer, index)
        return self._like(_written(buffer, index, x))

    def read(self, index, name=None):
        if self._buffer is None:
            raise InvalidArgumentError("TensorArray: nothing was written to it")
        return _ops.gather(self._buffer, index)

    def stack(self, name=None):
        return _ops.identity(self.rows())

    def concat(self, name=None):
        x = self.rows()
        return _ops.reshape(x, [-1] + x.shape.as_list()[2:])

    def gather(self, indices, name=None):
        return _ops.gather(self.rows(), indices)

    def unstack(self, value, name=None):
        return self._like(_ops.convert_to_tensor(value))

    def scatter(self, indices, value, name=None):
        t, ix = self, ints(indices)
        for k, i in enumerate(ix):
            t = t.write(i, value[k])
        return t

    def split(self, value, lengths, name=None):
        raise NotImplementedError("TensorArray.split: rows of different lengths are no part of a program")

    def size(self, name=None):
        return _ops.shape(self._buffer)[0] if self._buffer is not None else _ops.constant(self._size)


def _sizes_of(n, row):
    return [n] + [int(d) for d in row]


@op("TensorArrayWriteV3")
def _written(buffer, index, value):
    return _w.index_set(as_tensor(buffer), (as_tensor(index),), as_tensor(value))


@op("TensorArrayGrow")
def _grown(buffer, index):
    b, i = as_tensor(buffer), _w.size_of(as_tensor(index) + 1)
    if isinstance(i, int) and isinstance(b.shape[0], int):
        return b if i <= b.shape[0] else _w.pad(b, [0] * b.ndim, [i - b.shape[0]] + [0] * (b.ndim - 1))
    raise staging.Refuse("a TensorArray that grows")
