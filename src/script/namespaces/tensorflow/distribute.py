# tensorflow.distribute -- replicas on the logical devices of this machine. They run one after the other, and what they change
# together is changed when all have run: gradients are summed and applied once, values of variables that are averaged are.
from collections import namedtuple
import _tf as _w
from tensorflow import nest
from tensorflow._base import as_tensor, state


class ReduceOp:
    def __init__(self, name):
        self.name, self.value = name, name

    def __repr__(self):
        return f"<ReduceOp.{self.name}: '{self.name}'>"

    @staticmethod
    def from_variable_aggregation(aggregation):
        return ReduceOp.MEAN if aggregation == "MEAN" else ReduceOp.SUM


ReduceOp.SUM, ReduceOp.MEAN = ReduceOp("SUM"), ReduceOp("MEAN")


class VariableAggregation:
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = "NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"


class VariableSynchronization:
    AUTO, NONE, ON_WRITE, ON_READ = "AUTO", "NONE", "ON_WRITE", "ON_READ"


def _op(op):
    name = op.name if isinstance(op, ReduceOp) else str(op).upper()
    if name not in ("SUM", "MEAN"):
        raise ValueError(f"'{op}' is not a valid ReduceOp")
    return name


class PerReplica(namedtuple("PerReplica", ["values"])):
    # A value for each replica.
    def __repr__(self):
        return "PerReplica:{\n" + ",\n".join([f"  {k}: {v!r}" for k, v in enumerate(self.values)]) + "\n}"

    __str__ = __repr__


DistributedValues = PerReplica


class ValueContext:
    def __init__(self, replica_id_in_sync_group=0, num_replicas_in_sync=1):
        self.replica_id_in_sync_group, self.num_replicas_in_sync = replica_id_in_sync_group, num_replicas_in_sync


class InputContext:
    num_input_pipelines, input_pipeline_id = 1, 0

    def __init__(self, replicas):
        self.num_replicas_in_sync = replicas

    def get_per_replica_batch_size(self, global_batch_size):
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                             f"{self.num_replicas_in_sync!r} ")
        return global_batch_size // self.num_replicas_in_sync


class ReplicaContext:
    def __init__(self, strategy, number):
        self.strategy, self._number = strategy, number

    @property
    def replica_id_in_sync_group(self):
        return as_tensor(self._number)

    @property
    def num_replicas_in_sync(self):
        return self.strategy.num_replicas_in_sync

    def all_reduce(self, reduce_op, value, options=None):
        if self.num_replicas_in_sync > 1:
            raise NotImplementedError("ReplicaContext.all_reduce: replicas run one after the other; return the value, and reduce it "
                                      "with Strategy.reduce")
        return value

    def merge_call(self, merge_fn, args=(), kwargs=None):
        if self.num_replicas_in_sync > 1:
            raise NotImplementedError("ReplicaContext.merge_call: replicas run one after the other")
        return merge_fn(self.strategy, *args, **(kwargs or {}))


class _Now:
    strategies, replica = [], None


def get_strategy():
    return _Now.strategies[-1] if _Now.strategies else _default


def has_strategy():
    return bool(_Now.strategies)


def in_cross_replica_context():
    return bool(_Now.strategies) and _Now.replica is None


def get_replica_context():
    if _Now.replica is not None:
        return _Now.replica
    return None if _Now.strategies else ReplicaContext(_default, 0)


class _Updates:
    # What replicas change together, by variable, in the order of the first that did.
    def __init__(self, n):
        self.n, self.steps, self.means = n, {}, {}

    def gradients(self, optimizer, pairs):
        mine = self.steps.setdefault(id(optimizer), (optimizer, {}))[1]
        calls = mine.setdefault(_Now.replica._number, [])
        calls.append(pairs)

    def mean(self, variable, value):
        self.means.setdefault(id(variable), (variable, []))[1].append(value)

    def carry_out(self):
        for variable, values in self.means.values():
            if len(values) % self.n:
                raise ValueError(f"variable {variable.name}: not all replicas assigned to it")
            variable.assign(_sum(values[-self.n:]) / self.n)
        for optimizer, of in self.steps.values():
            calls = [of.get(k, []) for k in range(self.n)]
            if any([len(c) != len(calls[0]) for c in calls]):
                raise ValueError("apply_gradients: not all replicas called it as often")
            for together in zip(*calls):
                pairs = []
                for k, (_, v) in enumerate(together[0]):
                    gs = [p[k][0] for p in together if p[k][0] is not None]
                    pairs.append((_sum([as_tensor(g) for g in gs]) if gs else None, v))
                optimizer.apply_gradients(pairs)


def _sum(values):
    out = values[0]
    for v in values[1:]:
        out = out + v
    return out


class _Scope:
    def __init__(self, strategy):
        self.strategy = strategy

    def __enter__(self):
        _Now.strategies.append(self.strategy)
        return self.strategy

    def __exit__(self, *exc):
        _Now.strategies.pop()
        return False


class Strategy:
    def __init__(self, extended=None):
        self._names = ["/device:CPU:0"]
        self.extended = self

    @property
    def num_replicas_in_sync(self):
        return len(self._names)

    @property
    def worker_devices(self):
        return tuple(self._names)

    def scope(self):
        return _Scope(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        outer, before, n = _Now.replica, state.updates, self.num_replicas_in_sync
        state.updates = updates = _Updates(n) if n > 1 else None
        _Now.strategies.append(self)
        out = []
        try:
            for k in range(n):
                _Now.replica = ReplicaContext(self, k)
                out.append(fn(*_own(args, k), **_own(kwargs or {}, k)))
        finally:
            _Now.replica, state.updates = outer, before
            _Now.strategies.pop()
        if updates is not None:
            updates.carry_out()
        return _joined(out)

    def reduce(self, reduce_op, value, axis=None):
        how = _op(reduce_op)

        def one(v):
            parts = [as_tensor(p) for p in (v.values if isinstance(v, PerReplica) else [v])]
            if axis is None:
                total = _sum(parts)
                return total / len(parts) if how == "MEAN" else total
            sums = [_w.sum(p, axis) for p in parts]
            if how == "SUM":
                return _sum(sums)
            return _sum(sums) / sum([p.shape[axis] for p in parts])

        return _map(one, value)

    def gather(self, value, axis):
        return _map(lambda v: _w.concat([as_tensor(p) for p in (v.values if isinstance(v, PerReplica) else [v])], axis), value)

    def experimental_local_results(self, value):
        return tuple(value.values) if isinstance(value, PerReplica) else (value,)

    def experimental_distribute_values_from_function(self, value_fn):
        n = self.num_replicas_in_sync
        return _joined([value_fn(ValueContext(k, n)) for k in range(n)])

    def experimental_distribute_dataset(self, dataset, options=None):
        return _Distributed(dataset, self.num_replicas_in_sync)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        # Batches as they come are for one replica each.
        return _Dealt(dataset_fn(InputContext(self.num_replicas_in_sync)), self.num_replicas_in_sync)


_default = Strategy()


class MirroredStrategy(Strategy):
    def __init__(self, devices=None, cross_device_ops=None):
        super().__init__()
        from tensorflow import config
        have = [d.name for d in config.list_logical_devices("CPU")]
        self._names = [_full_name(d) for d in devices] if devices is not None else have[:1]
        assert self._names and len(set(self._names)) == len(self._names), f"No duplicates allowed in `devices` argument: {devices}"
        for d in self._names:
            if d not in have:
                raise ValueError(f"MirroredStrategy: {d} is none of the logical devices {have}")


def _full_name(device):
    kind, _, number = str(device).rpartition("/")[2].upper().replace("DEVICE:", "").partition(":")
    return f"/device:{kind}:{number or 0}"


def _own(tree, k):
    # The values of replica k.
    if isinstance(tree, PerReplica):
        return tree.values[k]
    if isinstance(tree, dict):
        return {name: _own(v, k) for name, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        made = [_own(v, k) for v in tree]
        return type(tree)(*made) if hasattr(tree, "_fields") else type(tree)(made)
    return tree


def _joined(values):
    # Trees of one form as a tree of values for each replica; what is no tensor is the first's.
    first = values[0]
    if len(values) == 1 or first is None:
        return first
    if isinstance(first, dict):
        return {name: _joined([v[name] for v in values]) for name in first}
    if isinstance(first, (list, tuple)):
        made = [_joined([v[k] for v in values]) for k in range(len(first))]
        return type(first)(*made) if hasattr(first, "_fields") else type(first)(made)
    if all([v is first or (isinstance(v, (int, str, bool)) and v == first) for v in values]):
        return first
    return PerReplica(tuple(values))


def _map(fn, value):
    if isinstance(value, PerReplica):
        return fn(value)
    if isinstance(value, dict):
        return {k: _map(fn, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_map(fn, v) for v in value])
    return fn(value)


class _Distributed:
    # Each batch in as many parts as there are replicas, the first ones longer where it does not come out even.
    def __init__(self, dataset, n):
        self.dataset, self.n = dataset, n

    def __len__(self):
        return len(self.dataset)

    def _part(self, element, k):
        size = nest.flatten(element)[0].shape[0]
        each = -(-size // self.n)
        return nest.map_structure(lambda v: v[min(k * each, size):min((k + 1) * each, size)], element)

    def __iter__(self):
        for element in self.dataset:
            if self.n == 1:
                yield element
            else:
                yield _joined([self._part(element, k) for k in range(self.n)])

    @property
    def element_spec(self):
        return self.dataset.element_spec


class _Dealt(_Distributed):
    def __iter__(self):
        some = []
        for element in self.dataset:
            some.append(element)
            if len(some) == self.n:
                yield _joined(some)
                some = []
        if some:
            raise ValueError(f"distribute_datasets_from_function: {len(some)} batches are left for {self.n} replicas")
