# tensorflow._host -- nodes of a graph that the host runs before the program of a session: iterators of datasets, queues,
# functions of Python. A run gives their results to the program as if they were fed.
import _tf as _w
import _tree
from _expression import settled
from tensorflow._base import as_tensor, dtype_of, StringTensor, OutOfRangeError, InvalidArgumentError, int32
from tensorflow._strings import string
from tensorflow._graph import GraphTensor, GraphVariable, default_graph, _Graph, as_constant


class HostOp:
    # pull(session, values) gives a value for each output; values: of the node's inputs
    def __init__(self, pull):
        self.pull = pull

    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        raise InvalidArgumentError(f"{node.name}: the host has not run it")


def node_of(name, kind, inputs, pull, types):
    # types: (dtype, shape) of each output; without any, an operation
    g = default_graph()
    with _Graph(g):
        inputs = [as_constant(x) for x in inputs]
    node = g.node(HostOp(pull), name, inputs)
    g.host_nodes = True
    node.kind = kind
    for dtype, shape in types:
        g.register(node.output(dtype, shape))
    if not types:
        node.output(dtype_of("int32"), (), False)
        return node.operation
    return node.outputs


def hosts_of(targets):
    # nodes of the host that targets need, each after those it needs
    out, seen, stack = [], set(), [(t.owner, False) for t in targets if t.owner is not None]
    while stack:
        node, ready = stack.pop()
        if ready:
            if isinstance(node.op, HostOp):
                out.append(node)
            continue
        if node in seen:
            continue
        seen.add(node)
        stack.append((node, True))
        stack.extend([(t.owner, False) for t in node.inputs + node.control if t.owner is not None and t.known is None])
    return out


def run_hosts(session, nodes, env):
    for node in nodes:
        if [o for o in node.outputs if o not in env]:
            open_ = [i for i in node.inputs + node.control if i not in env and not settled(i)]
            if open_:
                env.update(zip(open_, session.values_of(open_, env)))
            values = [env[i] if i in env else i.known for i in node.inputs]
            for o, x in zip(node.outputs, _outside(node.op.pull, session, values)):
                env[o] = x


def _outside(fn, *args):
    # what the host computes is no part of the graph
    with _Graph(None):
        return fn(*args)


# ---- functions of Python ----

def py_func(func, inp, Tout, stateful=True, name=None, of=lambda x: x.numpy()):
    single = not isinstance(Tout, (list, tuple))
    types = [(dtype_of(d), None) for d in ([Tout] if single else Tout)]

    def pull(session, values):
        r = func(*[of(v) for v in values])
        r = [r] if single else list(r) if isinstance(r, (list, tuple)) else [r]
        return [_w.cast(as_tensor(x), d) for x, (d, _) in zip(r, types)] or [_w.tensor(0)]
    out = node_of(name or "PyFunc", "PyFunc", inp, pull, types)
    return out[0] if single and types else out


# ---- iterators of datasets ----

class Iterator:
    def __init__(self, dataset):
        self.dataset = dataset
        self.state = {}         # of each session: the iterator
        self._initializer = None
        leaves, self.spec = _tree.flatten(_outside(dataset.example), dataset.leaf, False)
        self.types = [(x.dtype, [None] + list(x.shape)[1:] if dataset.open_rows else list(x.shape)) for x in leaves]

    @property
    def initializer(self):
        if self._initializer is None:
            sources = self.dataset.sources
            tensors = [t for s in sources for t in s.tensors]

            def pull(session, values):
                at = 0
                for s in sources:
                    s.start(values[at:at + len(s.tensors)])
                    at += len(s.tensors)
                self.state[session] = iter(self.dataset)
                return [_w.tensor(0)]
            self._initializer = node_of("MakeIterator", "MakeIterator", tensors, pull, [])
        return self._initializer

    make_initializer = property(lambda self: lambda dataset: self._other(dataset))

    def _other(self, dataset):
        self.dataset, self._initializer = dataset, None
        return self.initializer

    def get_next(self, name=None):
        outs = node_of(name or "IteratorGetNext", "IteratorGetNext", [], self._pull, self.types)
        return _tree.unflatten(self.spec, list(outs))

    def _pull(self, session, values):
        if session not in self.state:
            if not self.one_shot:
                from tensorflow._base import FailedPreconditionError
                raise FailedPreconditionError("GetNext() failed because the iterator has not been initialized. Ensure that you have "
                                              "run the initializer operation for this iterator before getting the next element.")
            self.state[session] = iter(self.dataset)
        try:
            x = next(self.state[session])
        except StopIteration:
            raise OutOfRangeError("End of sequence") from None
        return _tree.flatten(x, self.dataset.leaf, False)[0]

    one_shot = False

    @property
    def output_types(self):
        return _tree.unflatten(self.spec, [d for d, _ in self.types])


def make_one_shot_iterator(dataset):
    captured = [t for s in dataset.sources for t in s.tensors]
    if captured:
        raise ValueError("Cannot capture a placeholder (name:{}, type:Placeholder) by value.".format(captured[0].name[:-2]))
    it = Iterator(dataset)
    it.one_shot = True
    return it


def make_initializable_iterator(dataset, shared_name=None):
    return Iterator(dataset)


# ---- queues ----

class QueueBase:
    # Rows wait in a list. A queue that is empty is filled by its runners, once they are started.
    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name=None):
        if names is not None:
            raise NotImplementedError("queues whose components have names")
        self.capacity = int(capacity)
        self.dtypes = [dtype_of(d) for d in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
        shapes = None if shapes is None else list(shapes)
        if shapes is not None and (not shapes or not isinstance(shapes[0], (list, tuple)) and not hasattr(shapes[0], "as_list")):
            shapes = [shapes]
        self.shapes = shapes if shapes is not None else [None] * len(self.dtypes)
        self.name = name or type(self).__name__
        self.rows, self.closed, self.runners = [], False, []

    def _types(self, many=None):
        return [(d, None if s is None else ([many] if many != () else []) + list(s)) for d, s in zip(self.dtypes, self.shapes)]

    def _given(self, vals):
        vals = list(vals) if isinstance(vals, (list, tuple)) and len(self.dtypes) > 1 else [vals[0] if isinstance(vals, (list, tuple)) and
                                                                                          len(vals) == 1 else vals]
        with _Graph(default_graph()):
            from tensorflow import _ops
            return [v if isinstance(v, (GraphTensor, GraphVariable)) else _ops.constant(v, dtype=d) for v, d in zip(vals, self.dtypes)]

    def _put(self, row):
        if self.closed:
            raise errors_cancelled(f"{self.name} is closed.")
        if len(self.rows) >= self.capacity:
            raise InvalidArgumentError(f"{self.name} is full: this enqueue would wait for ever")
        self.rows.append(row)

    def enqueue(self, vals, name=None):
        def pull(session, values):
            self._put(list(values))
            return [_w.tensor(0)]
        return node_of(name or f"{self.name}_enqueue", "QueueEnqueueV2", self._given(vals), pull, [])

    def enqueue_many(self, vals, name=None):
        def pull(session, values):
            for i in range(values[0].shape[0]):
                self._put([v[i] for v in values])
            return [_w.tensor(0)]
        return node_of(name or f"{self.name}_EnqueueMany", "QueueEnqueueManyV2", self._given(vals), pull, [])

    least = 0

    def _taken(self, session):
        while len(self.rows) <= self.least and not self.closed and self._filled(session):
            pass
        if not self.rows:
            if self.closed or self.runners and session in self.runners[0].done:
                raise OutOfRangeError(f"{self.name} is closed and has insufficient elements (requested 1, current size 0)")
            raise InvalidArgumentError(f"{self.name} is empty, and no runner fills it: this dequeue would wait for ever")
        return self.rows.pop(self._place())

    def _place(self):
        return 0

    def _filled(self, session):
        # more rows by the runners that were started
        for r in self.runners:
            if r.started and session not in r.done and len(self.rows) < self.capacity:
                try:
                    session.run(r.enqueue_ops[0])
                    return True
                except OutOfRangeError:
                    r.done.append(session)
        return False

    def dequeue(self, name=None):
        outs = node_of(name or f"{self.name}_Dequeue", "QueueDequeueV2", [], lambda session, values: self._taken(session), self._types(()))
        return outs[0] if len(outs) == 1 else outs

    def _many(self, session, n, less):
        rows = []
        for _ in range(n):
            try:
                rows.append(self._taken(session))
            except OutOfRangeError:
                if not rows or not less:
                    raise OutOfRangeError(f"{self.name} is closed and has insufficient elements (requested {n}, current size "
                                          f"{len(rows)})") from None
                break
        return [_stacked([r[k] for r in rows]) for k in range(len(self.dtypes))]

    def dequeue_many(self, n, name=None, less=False):
        outs = node_of(name or f"{self.name}_DequeueMany", "QueueDequeueManyV2", [], lambda session, values: self._many(session, n, less),
                       self._types(None if less else n))
        return outs[0] if len(outs) == 1 else outs

    def dequeue_up_to(self, n, name=None):
        return self.dequeue_many(n, name, True)

    def size(self, name=None):
        return node_of(name or f"{self.name}_Size", "QueueSizeV2", [], lambda session, values: [_w.tensor(len(self.rows), int32)],
                       [(int32, ())])[0]

    def close(self, cancel_pending_enqueues=False, name=None):
        def pull(session, values):
            self.closed = True
            return [_w.tensor(0)]
        return node_of(name or f"{self.name}_Close", "QueueCloseV2", [], pull, [])


def _stacked(xs):
    return StringTensor([x._value for x in xs]) if xs[0].dtype is string else _w.stack(xs, 0)


def errors_cancelled(text):
    from tensorflow import errors
    return errors.CancelledError(text)


class FIFOQueue(QueueBase):
    pass


class RandomShuffleQueue(QueueBase):
    # which row is next is drawn here; the order is not TensorFlow's
    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None, name=None):
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)
        import random
        self.least = min_after_dequeue
        self._rng = random.Random(seed)

    def _place(self):
        return self._rng.randrange(len(self.rows))


class QueueRunner:
    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, queue_closed_exception_types=None):
        self.queue, self.enqueue_ops, self.started, self.done = queue, list(enqueue_ops), False, []
        queue.runners.append(self)

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        self.started = self.started or start
        return [_Thread(self)]


class _Thread:
    # what stands for a thread: rows are made when they are asked for
    def __init__(self, runner):
        self.runner, self.name = runner, runner.queue.name

    def start(self):
        self.runner.started = True

    def join(self, timeout=None):
        return None

    def is_alive(self):
        return False


def add_queue_runner(qr, collection="queue_runners"):
    default_graph().add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection="queue_runners"):
    return [t for r in default_graph().get_collection(collection) for t in r.create_threads(sess, coord, daemon, start)]


def _limited(epochs):
    # rows, over and over or as often as asked for
    state_ = {}

    def pull(session, values):
        n = values[0].shape[0]
        at = state_.get(session, 0)
        if epochs is not None and at >= n * epochs:
            raise OutOfRangeError(f"Reached limit of {epochs}")
        state_[session] = at + 1
        return [v[state_["order"][at // n][at % n] if "order" in state_ else at % n] for v in values]
    return pull, state_


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    tensors = [as_constant(t) for t in tensor_list]
    pull, kept = _limited(num_epochs)
    if shuffle:
        import random
        rng = random.Random(seed)
        kept["order"] = _Orders(rng, tensors[0].shape[0])
    return node_of(name or "input_producer", "Gather", tensors, pull, [(t.dtype, list(t.shape)[1:]) for t in tensors])


class _Orders:
    def __init__(self, rng, n):
        self.rng, self.n, self.made = rng, n, []

    def __getitem__(self, epoch):
        while len(self.made) <= epoch:
            order = list(range(self.n))
            self.rng.shuffle(order)
            self.made.append(order)
        return self.made[epoch]


class _Producer(FIFOQueue):
    pass


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                   summary_name=None, name=None, cancel_op=None):
    t = as_constant(input_tensor)
    row = slice_input_producer([t], num_epochs, shuffle, seed)[0]
    q = _Producer(capacity, [t.dtype], [list(t.shape)[1:]], name=name or "input_producer")
    add_queue_runner(QueueRunner(q, [q.enqueue(row)]))
    return q


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    from tensorflow import _ops
    return input_producer(_ops.range(limit), None, num_epochs, shuffle, seed, capacity, name=name)


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None, cancel_op=None):
    return input_producer(string_tensor, None, num_epochs, shuffle, seed, capacity, name=name)


def _batched(queue, tensors, batch_size, enqueue_many, less):
    rows = queue.enqueue_many(tensors) if enqueue_many else queue.enqueue(tensors)
    add_queue_runner(QueueRunner(queue, [rows]))
    return queue.dequeue_many(batch_size, None, less)


def _tensors_of(tensors, enqueue_many):
    ts = [as_constant(t) for t in (tensors if isinstance(tensors, (list, tuple)) else [tensors])]
    return ts, [t.dtype for t in ts], [list(t.shape)[1:] if enqueue_many else list(t.shape) for t in ts]


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
          shared_name=None, name=None):
    if dynamic_pad:
        raise NotImplementedError("tf.train.batch: dynamic_pad")
    if isinstance(tensors, dict):
        out = batch(list(tensors.values()), batch_size, num_threads, capacity, enqueue_many, shapes, False, allow_smaller_final_batch)
        return dict(zip(tensors, out if isinstance(out, list) else [out]))
    ts, dtypes, found = _tensors_of(tensors, enqueue_many)
    q = FIFOQueue(max(capacity, batch_size), dtypes, shapes or found, name=name or "batch")
    return _batched(q, ts, batch_size, enqueue_many, allow_smaller_final_batch)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    ts, dtypes, found = _tensors_of(tensors, enqueue_many)
    q = RandomShuffleQueue(max(capacity, batch_size), min_after_dequeue, dtypes, shapes or found, seed=seed, name=name or "shuffle_batch")
    return _batched(q, ts, batch_size, enqueue_many, allow_smaller_final_batch)


class Coordinator:
    def __init__(self, clean_stop_exception_types=None):
        self._stop, self._error = False, None
        self._clean = tuple(clean_stop_exception_types or (OutOfRangeError,))

    def should_stop(self):
        return self._stop

    def request_stop(self, ex=None):
        self._stop = True
        if ex is not None and isinstance(ex, Exception) and not isinstance(ex, self._clean):
            self._error = self._error or ex

    def clear_stop(self):
        self._stop = False

    def stop_on_exception(self):
        return _Stopping(self)

    def wait_for_stop(self, timeout=None):
        return self._stop

    def register_thread(self, thread):
        return None

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        if self._error is not None:
            raise self._error

    @property
    def joined(self):
        return True


class _Stopping:
    def __init__(self, coord):
        self.coord = coord

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if value is not None and isinstance(value, Exception):
            self.coord.request_stop(value)
            return True
        return False
