# torch.distributed -- processes that run together: groups, collectives, handles, objects. Those of one machine exchange in shared
# memory, under mpirun over MPI; tensors of GPUs by NCCL in groups of that backend, and else through the host.
import os
import torch
import _torch as _w
from torch._types import check_device


class DistError(RuntimeError):
    pass


class DistBackendError(DistError):
    pass


class DistNetworkError(DistError):
    pass


class DistStoreError(DistError):
    pass


from torch.distributed import _store
from torch.distributed._store import FileStore, HashStore, PrefixStore, Store, TCPStore
_store._Fields.DistStoreError = DistStoreError


class _Op:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<RedOpType.{self.name}: {_ops.index(self.name)}>"

    def __str__(self):
        return f"RedOpType.{self.name}"

    def __eq__(self, other):
        return isinstance(other, _Op) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


_ops = ["SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "PREMUL_SUM"]


class ReduceOp:
    SUM, AVG, PRODUCT, MIN, MAX = _Op("SUM"), _Op("AVG"), _Op("PRODUCT"), _Op("MIN"), _Op("MAX")
    BAND, BOR, BXOR, PREMUL_SUM = _Op("BAND"), _Op("BOR"), _Op("BXOR"), _Op("PREMUL_SUM")
    RedOpType = _Op


class Backend(str):
    UNDEFINED, GLOO, NCCL, UCC, MPI = "undefined", "gloo", "nccl", "ucc", "mpi"

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return str.__new__(cls, name.lower())


class Work:
    # An exchange in progress; what it brings is in the tensors when it has been waited for.
    def __init__(self, job, finish, result):
        self._job, self._finish, self._result, self._sender = job, finish, result, -1

    def wait(self, timeout=None):
        if timeout is not None and timeout.total_seconds() > 0:
            self._until(timeout.total_seconds())
        if self._job is not None:
            job, self._job = self._job, None
            value, self._sender = _run(_w.comm_wait, job)
            if self._finish is not None:
                self._finish(value)
        return True

    def _until(self, seconds):
        import time
        start = time.time()
        while not self.is_completed():
            if time.time() - start > seconds:
                raise DistBackendError(f"Wait timeout after {seconds * 1000:g}ms.")
            time.sleep(0.0005)

    def is_completed(self):
        return self._job is None or _w.comm_done(self._job)

    def is_success(self):
        return self.is_completed()

    def source_rank(self):
        return self._sender

    def result(self):
        self.wait()
        return list(self._result)

    def get_future(self):
        return Future(self)


class Future:
    def __init__(self, work):
        self.work, self.made = work, None

    def wait(self):
        return self.value()

    def done(self):
        return self.work.is_completed()

    def value(self):
        if self.made is None:
            self.made = self.work.result()
        return self.made

    def then(self, callback):
        made = Future(self.work)
        made.value = lambda: callback(self)
        return made


class ProcessGroup:
    def __init__(self, backend, ranks, name):
        self.backend, self.ranks, self.group_name = backend, ranks, name

    def rank(self):
        return self.ranks.index(_State.rank) if _State.rank in self.ranks else -1

    def size(self):
        return len(self.ranks)

    def name(self):
        return self.backend

    def barrier(self):
        return barrier(self, async_op=True)

    def allreduce(self, tensors, op=ReduceOp.SUM):
        return all_reduce(tensors[0] if isinstance(tensors, list) else tensors, op, self, async_op=True)


class _State:
    world, rank, count = None, 0, 0


class group:
    WORLD = None


class GroupMember:
    WORLD = None
    NON_GROUP_MEMBER = -100


_backends = ("gloo", "nccl", "mpi", "ucc")


def is_available():
    return True


def is_gloo_available():
    return True


def is_nccl_available():
    return torch.cuda.is_available() and _w.device_link(1) is None


def is_mpi_available():
    return "OMPI_COMM_WORLD_SIZE" in os.environ or "PMI_SIZE" in os.environ


def is_ucc_available():
    return False


def is_torchelastic_launched():
    return "TORCHELASTIC_RUN_ID" in os.environ


def is_initialized():
    return _State.world is not None


def _variable(name):
    value = os.environ.get(name)
    if value is None:
        raise ValueError("Error initializing torch.distributed using env:// rendezvous: "
                         f"environment variable {name} expected, but not set")
    return value


def _check_here(address):
    # Shared memory joins processes of one machine.
    import socket
    if address not in ("localhost", "::1", "0.0.0.0", socket.gethostname()) and not address.startswith("127."):
        raise DistNetworkError(f"init_process_group: MASTER_ADDR={address!r} is another machine; processes of several machines are "
                               "started by mpirun, or have MASTER_ADDR=localhost")


def _given(method, rank, world_size):
    # tcp://host:port?rank=0&world_size=2 and file:///path: (rank, world_size, key)
    kind, rest = method.split("://", 1)
    rest, _, query = rest.partition("?")
    for part in query.split("&") if query else []:
        name, _, value = part.partition("=")
        if name == "rank":
            rank = int(value)
        elif name == "world_size":
            world_size = int(value)
    if kind == "tcp":
        host, _, port = rest.rpartition(":")
        _check_here(host)
        return rank, world_size, "port" + port
    if kind == "file":
        return rank, world_size, "file" + "".join([c if c.isalnum() else "_" for c in rest])[-40:]
    raise RuntimeError(f"No rendezvous handler for {kind}://")


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    if _State.world is not None:
        raise ValueError("trying to initialize the default process group twice!")
    name = (backend or ("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")).lower()
    for part in name.split(","):
        if part.split(":")[-1] not in _backends:
            raise ValueError(f"Invalid backend: '{backend}'")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    for part, value in (("pg_options", pg_options), ("device_id", None if name != "gloo" else device_id)):
        if value is not None:
            raise NotImplementedError(f"init_process_group: {part}={value!r}")
    if "nccl" in name:
        _need_nccl(name)
    key, by_mpi = None, False
    if store is not None:
        if world_size < 1:
            raise AssertionError("world_size must be positive if using store")
        if rank < 0:
            raise AssertionError("rank must be non-negative if using store")
        if rank == 0:
            store.set("weft/world", f"store{os.getpid()}_{_State.count}")
        key = store.get("weft/world").decode()
    elif init_method is None or init_method.startswith("env://"):
        by_mpi = is_mpi_available() and ("RANK" not in os.environ or os.environ["RANK"] == os.environ.get("OMPI_COMM_WORLD_RANK"))
        if not by_mpi or rank != -1 or world_size != -1:
            by_mpi = False
            rank = int(_variable("RANK")) if rank == -1 else rank
            world_size = int(_variable("WORLD_SIZE")) if world_size == -1 else world_size
            _check_here(_variable("MASTER_ADDR"))
            key = os.environ.get("WEFT_COMM") or "port" + _variable("MASTER_PORT")
    else:
        rank, world_size, key = _given(init_method, rank, world_size)
    if not by_mpi and (world_size < 1 or not 0 <= rank < world_size):
        raise ValueError(f"init_process_group: rank {rank} of {world_size} processes, {init_method or 'env://'}")
    seconds = 0.0 if timeout is None else timeout.total_seconds()
    _run(_w.comm_open, rank, 0 if by_mpi else world_size, key, seconds, seconds)
    _State.rank, world_size, _ = _w.comm_info()
    _State.world = group.WORLD = GroupMember.WORLD = ProcessGroup(name, list(range(world_size)), group_name or "0")


default_pg_timeout = _store.timedelta(minutes=30)


def get_default_backend_for_device(device):
    return "nccl" if torch.device(device).type == "cuda" else "gloo"


def is_backend_available(backend):
    name = backend.lower()
    known = {"gloo": is_gloo_available, "nccl": is_nccl_available, "mpi": is_mpi_available, "ucc": is_ucc_available}
    return known[name]() if name in known else False


def supports_complex(reduceOp):
    return reduceOp.name not in ("MAX", "MIN", "PRODUCT", "BAND", "BOR", "BXOR")


def get_pg_count():
    return 0 if _State.world is None else 1 + _State.count


def get_backend_config(group=None):
    name = _group(group).backend
    return name if ":" in name else ",".join([f"{kind}:{name}" for kind in ("cpu", "cuda")])


def _need_nccl(name):
    # What a group of this backend is refused for; a backend for each kind of device may do without.
    if ":" in name:
        return
    if not torch.cuda.is_available():
        raise ValueError("ProcessGroupNCCL is only supported with GPUs, no GPUs found!")
    if not is_nccl_available():
        raise RuntimeError(f"Distributed package doesn't have NCCL built in: {_w.device_link(1)}")


def _backend_for(backend, kind):
    # The backend for tensors of this kind of device; None: there is none.
    names = dict([tuple(part.split(":")) for part in backend.split(",")]) if ":" in backend else None
    if names is not None:
        return names.get(kind)
    return None if backend == "nccl" and kind == "cpu" else backend


def _travelling(g, x):
    # The tensor as its group's backend takes it: on its GPU by NCCL, in the host's memory by all others.
    kind = x.device.type
    name = _backend_for(g.backend, kind)
    if name is None and x.numel():
        raise RuntimeError(f"No backend type associated with device type {kind}")
    return x if kind == "cpu" or name == "nccl" else x.cpu()


def _nothing(x, result):
    # A tensor of no elements is in no device's memory: one that stands for it where the result is to be.
    return torch.zeros(1, dtype=x.dtype, device=result[0].device) if result and result[0].device.type != "cpu" else x


def _run(fn, *args):
    # What another process did is an error of the backend.
    try:
        return fn(*args)
    except RuntimeError as e:
        if "rank " in str(e):
            raise DistBackendError(str(e)) from None
        raise


def _group(g):
    if _State.world is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _State.world if g is None else g


def _mine(g):
    # The group, if this process is in it; else None, and nothing is to be done.
    g = _group(g)
    return None if g == GroupMember.NON_GROUP_MEMBER or g.rank() < 0 else g


def destroy_process_group(group=None):
    if _group(group) is _State.world:
        _w.comm_close(None)
        _State.world = None
        globals()["group"].WORLD = GroupMember.WORLD = None


def get_rank(group=None):
    g = _group(group)
    return -1 if g == GroupMember.NON_GROUP_MEMBER else g.rank()


def get_world_size(group=None):
    g = _group(group)
    return -1 if g == GroupMember.NON_GROUP_MEMBER else g.size()


def get_node_local_rank(fallback_rank=None):
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to "
                       "work, assuming you are not running in a multi-device context and want the code to run locally instead.")


def get_backend(group=None):
    return _group(group).backend


def get_process_group_ranks(group):
    return list(_group(group).ranks)


def get_global_rank(group, group_rank):
    g = _group(group)
    if g is _group(None):
        return group_rank
    if not 0 <= group_rank < g.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {g}")
    return g.ranks[group_rank]


def get_group_rank(group, global_rank):
    g = _group(group)
    if g is _group(None):
        return global_rank
    if global_rank not in g.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {g}")
    return g.ranks.index(global_rank)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
              device_id=None):
    world = _group(None)
    for part, value in (("pg_options", pg_options), ("device_id", device_id), ("timeout", timeout)):
        if value is not None:
            raise NotImplementedError(f"new_group: {part}={value!r}; a group's exchanges wait as long as the world's")
    _State.count += 1
    if ranks is None:
        ranks = world.ranks
    if not use_local_synchronization:
        ranks = sorted(ranks)
    if len(ranks) > world.size():
        raise ValueError("the new group's world size should be less or equal to the world size set by init_process_group")
    for r in ranks:
        if not 0 <= r < world.size():
            raise ValueError(f"Rank {r} is out of range. Valid ranks are 0 to {world.size() - 1} (world_size={world.size()})")
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    if _State.rank not in ranks:
        return GroupMember.NON_GROUP_MEMBER
    return ProcessGroup(world.backend if backend is None else backend, list(ranks), group_desc or str(_State.count))


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    n = get_world_size(group)
    if group_size is None:
        group_size = int(os.environ.get("LOCAL_WORLD_SIZE", n))
    if n % group_size:
        raise ValueError("The world size must be divisible by 'group_size'")
    made = [new_group(list(range(k, k + group_size)), timeout, backend, pg_options, group_desc=group_desc)
            for k in range(0, n, group_size)]
    return made[_State.rank // group_size], made


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    seen, mine, made = set(), None, []
    for ranks in ranks_per_subgroup_list:
        for r in ranks:
            if r in seen:
                raise ValueError("Rank " + str(r) + " has appeared in subgroups twice: every rank is in one")
            seen.add(r)
        made.append(new_group(ranks, timeout, backend, pg_options, group_desc=group_desc))
        mine = made[-1] if _State.rank in ranks else mine
    return mine, made


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None):
    parent = _group(parent_pg)
    for ranks in split_ranks:
        if parent.rank() in ranks:
            return new_group([parent.ranks[r] for r in ranks], timeout, None, pg_options, group_desc=group_desc)
    return None


def _tensor(x, name="tensor"):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
                        f"             but got {type(x)} instead.")
    if x.is_sparse:
        raise NotImplementedError("torch.distributed: sparse tensors")
    return x


def _tensors(xs, name):
    if not isinstance(xs, list) or not all([isinstance(x, torch.Tensor) for x in xs]):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
                        f"             but got {type(xs)} with elements of type {[type(x) for x in xs]}.")
    return xs


def _same_dtypes(*tensors):
    # Of tensors and lists of them; complex numbers are as two real ones.
    plain = {torch.complex64: torch.float32, torch.complex128: torch.float64}
    first = None
    for t in [t for ts in tensors for t in (ts if isinstance(ts, (list, tuple)) else [ts])]:
        if first is not None and plain.get(t.dtype, t.dtype) != first:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {first} and  {t.dtype}")
        first = plain.get(t.dtype, t.dtype)


def _sizes(t):
    return ", ".join([str(d) for d in t.shape])


def _same_sizes(what, tensor, others):
    for i, t in enumerate(others):
        if t.shape != tensor.shape:
            raise RuntimeError(f"ProcessGroupGloo::{what}: invalid tensor size at index {i} (expected ({_sizes(tensor)}), got ({_sizes(t)}))")


def _one_each(g, what, kind, tensors):
    if len(tensors) != g.size():
        raise RuntimeError(f"ProcessGroupGloo::{what}: Incorrect {kind} list size {len(tensors)}. {kind.capitalize()} list size should be "
                           f"{g.size()}, same as size of the process group.")


def _check(left, right, text):
    # As PyTorch says that two sizes, or dtypes, of its own do not fit.
    if left != right:
        raise RuntimeError(f"Check failed: {text} ({left} vs. {right}). ")


def _exchange(g, kind, x, finish, async_op, how=None, root=-1, give=None, take=None, result=()):
    x = _travelling(g, x.detach() if x.numel() or kind != "all_to_all" else _nothing(x, result))
    args = (kind, x, g.ranks, how, root, 0, give, take)
    if async_op:
        return Work(_run(_w.comm_start, *args), finish, result)
    value, _ = _run(_w.comm_do, *args)
    if finish is not None:
        finish(value)


def _into(tensor, value):
    with torch.no_grad():
        tensor.copy_(value.reshape(tensor.shape))


def _how(op, tensor):
    # (the reduction, what divides it)
    if not isinstance(op, _Op):
        raise TypeError(f"{op!r} is not a ReduceOp")
    if op.name == "PREMUL_SUM":
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with Gloo")
    if tensor.is_complex() and op.name not in ("SUM", "AVG"):
        raise ValueError(f"all_reduce does not support {op} on complex tensors")
    if op.name in ("BAND", "BOR", "BXOR") and tensor.is_floating_point():
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op.name == "AVG" and not (tensor.is_floating_point() or tensor.is_complex()):
        kind = tensor.type().split(".")[-1].replace("Tensor", "")
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    return "SUM" if op.name == "AVG" else op.name


def _averaged(value, op, n):
    return value / n if op.name == "AVG" else value


def _root(g, rank, group_rank, what):
    # Who it is in the group, for the exchange of that name.
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if rank is None and group_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    root = get_group_rank(g, rank) if group_rank is None else group_rank
    if not 0 <= root < g.size():
        raise RuntimeError(f"ProcessGroupGloo::{what}: invalid root rank: {root}")
    return root


def barrier(group=None, async_op=False, device_ids=None):
    if device_ids is not None:
        raise RuntimeError(f"Function argument device_ids not supported for the selected backend {_group(group).backend}")
    g = _mine(group)
    if g is not None and g.backend == "nccl":
        torch.cuda.synchronize()
    return g and _exchange(g, "gather", torch.zeros(0), None, async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    work = barrier(group, async_op=True)
    return work and (work.wait(timeout), None)[1]


_LARGE = 1 << 18


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    g = _mine(group)
    how = _how(op, _tensor(tensor))
    if g and not async_op and tensor.nbytes >= _LARGE and tensor.device.type == "cpu" and tensor.dtype in (torch.float32, torch.float64) \
            and tensor.is_contiguous():
        _run(_w.comm_reduce, tensor, g.ranks, how)    # where it is: no memory is taken for it
        if op.name == "AVG":
            with torch.no_grad():
                tensor.div_(g.size())
        return None
    return g and _exchange(g, "reduce", tensor, lambda v: _into(tensor, _averaged(v, op, g.size())), async_op, how,
                           result=(tensor,))


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else _tensors(tensors, "tensor")
    _same_dtypes(tensors)
    works = [all_reduce(t, op, group, True) for t in tensors]
    return works[-1] if async_op else [w.wait() for w in works if w] and None


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    g = _mine(group)
    how = _how(op, _tensor(tensor))
    if g is None:
        return None
    root = _root(g, dst, group_dst, "reduce")
    return _exchange(g, "reduce", tensor, lambda v: _into(tensor, _averaged(v, op, g.size())) if g.rank() == root else None, async_op,
                     how, root, result=(tensor,))


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    g = _mine(group)
    _tensor(tensor)
    return g and _exchange(g, "broadcast", tensor, lambda v: _into(tensor, v), async_op,
                           root=_root(g, src, group_src, "broadcast"), result=(tensor,))


def all_gather(tensor_list, tensor, group=None, async_op=False):
    g = _mine(group)
    _tensors(tensor_list, "tensor_list")
    _same_dtypes(tensor_list, _tensor(tensor))
    if g is None:
        return None
    if len(tensor_list) != g.size():
        raise RuntimeError("ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length "
                           f"{g.size()}, got {len(tensor_list)})")
    if g.backend != "nccl":
        _same_sizes("allgather", tensor, tensor_list)
    elif any([t.shape != tensor.shape for t in tensor_list]):
        return _gather_uneven(g, tensor_list, tensor, async_op)

    def finish(v):
        for t, part in zip(tensor_list, v):
            _into(t, part)
    return _exchange(g, "gather", tensor, finish, async_op, result=tensor_list)


def _gather_uneven(g, tensor_list, tensor, async_op):
    # Of other sizes from each: everyone sends its own to all.
    n = g.size()
    take = [t.numel() for t in tensor_list]
    if tensor.numel() != take[g.rank()]:
        raise ValueError(f"all_gather: a tensor of {tensor.numel()} elements, its place in the list has {take[g.rank()]}")

    def finish(v):
        for t, part in zip(tensor_list, v.split(take)):
            _into(t, part)
    return _exchange(g, "all_to_all", tensor.reshape(-1).repeat(n), finish, async_op, give=[tensor.numel()] * n, take=take,
                     result=tensor_list)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    g = _mine(group)
    _tensor(output_tensor, "output_tensor")
    _tensor(input_tensor, "input_tensor")
    if g is None:
        return None
    if g.backend == "nccl":
        if output_tensor.dtype != input_tensor.dtype:
            raise TypeError("output tensor must have the same type as input tensor")
        if output_tensor.numel() != input_tensor.numel() * g.size():
            raise ValueError("output tensor size must be equal to world_size times input tensor size")
    else:
        if output_tensor.dtype != input_tensor.dtype:
            raise RuntimeError("ProcessGroupGloo::allgather: invalid tensor type at index 0 "
                               f"(expected {input_tensor.dtype}, got {output_tensor.dtype})")
        _same_sizes("allgather", input_tensor, output_tensor.chunk(g.size()))
    return _exchange(g, "gather", input_tensor, lambda v: _into(output_tensor, v), async_op, result=(output_tensor,))


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    # output_tensor_lists[k]: what rank k brought
    works = [all_gather([out[i] for out in output_tensor_lists], x, group, True)
             for i, x in enumerate(_tensors(input_tensor_list, "tensor_list"))]
    return works[-1] if async_op else [w.wait() for w in works if w] and None


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    g = _mine(group)
    _tensor(tensor)
    if g is None:
        return None
    root = _root(g, 0 if dst is None and group_dst is None else dst, group_dst, "gather")
    if g.rank() == root:
        if not gather_list:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
        _same_dtypes(tensor, _tensors(gather_list, "gather_list"))
        _one_each(g, "gather", "output", gather_list)
        _same_sizes("gather", tensor, gather_list)
    elif gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")

    def finish(v):
        for t, part in zip(gather_list or [], v if v is not None else []):
            _into(t, part)
    return _exchange(g, "gather", tensor, finish, async_op, root=root, result=gather_list or ())


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    g = _mine(group)
    _tensor(tensor)
    if g is None:
        return None
    root = _root(g, 0 if src is None and group_src is None else src, group_src, "scatter")
    give, x = [0] * g.size(), tensor.reshape(-1)[:0]
    if g.rank() == root:
        if not scatter_list:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
        _same_dtypes(tensor, _tensors(scatter_list, "scatter_list"))
        _one_each(g, "scatter", "input", scatter_list)
        _same_sizes("scatter", tensor, scatter_list)
        x, give = torch.cat([t.reshape(-1) for t in scatter_list]), [t.numel() for t in scatter_list]
    elif scatter_list:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    take = [tensor.numel() if k == root else 0 for k in range(g.size())]
    return _exchange(g, "all_to_all", x, lambda v: _into(tensor, v), async_op, give=give, take=take, result=(tensor,))


def _reduce_parts(g, output, parts, op, async_op):
    return _exchange(g, "scatter_reduce", parts, lambda v: _into(output, _averaged(v, op, g.size())), async_op, _how(op, parts),
                     result=(output,))


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    g = _mine(group)
    _tensor(output, "output")
    _same_dtypes(output, _tensors(input_list, "input_list"))
    if g is None:
        return None
    if len(input_list) != g.size():
        raise RuntimeError("invalid input tensor list size, must be world size")
    for t in input_list:
        _check(_sizes(output), _sizes(t), "outputs[0].sizes().vec() == inputs[0][i].sizes().vec()")
    return _reduce_parts(g, output, torch.stack([t.detach() for t in input_list]), op, async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    g = _mine(group)
    _tensor(output, "output")
    _tensor(input, "input")
    if g is None:
        return None
    _check(output.dtype, input.dtype, "outputTensors[i].dtype() == inputTensors[i].dtype()")
    _check(output.numel() * g.size(), input.numel(), "outputShape[0] * worldSize == inputShape[0]")
    return _reduce_parts(g, output, input.reshape((g.size(), -1)), op, async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    g = _mine(group)
    _tensors(output_tensor_list, "output_tensor_list")
    _same_dtypes(output_tensor_list, _tensors(input_tensor_list, "input_tensor_list"))
    if g is None:
        return None
    for kind, xs in (("output", output_tensor_list), ("input", input_tensor_list)):
        if len(xs) != g.size():
            raise RuntimeError(f"ProcessGroupGloo::alltoall: {kind} tensor list size {len(xs)} does not match world size {g.size()}")
    take = [t.numel() for t in output_tensor_list]

    def finish(v):
        for t, part in zip(output_tensor_list, v.split(take)):
            _into(t, part)
    return _exchange(g, "all_to_all", torch.cat([t.detach().reshape(-1) for t in input_tensor_list]), finish, async_op,
                     give=[t.numel() for t in input_tensor_list], take=take, result=output_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    g = _mine(group)
    _same_dtypes(_tensor(output, "output"), _tensor(input, "input"))
    if g is None:
        return None
    counts = []
    for sizes, t in ((input_split_sizes, input), (output_split_sizes, output)):
        rows = t.shape[0]
        if sizes:
            if len(sizes) != g.size():
                raise RuntimeError("Number of tensor splits not equal to group size")
            if sum(sizes) != rows:
                raise RuntimeError("Split sizes doesn't match total dim 0 size")
        elif rows % g.size():
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        each = t.numel() // rows if rows else 0
        counts.append([k * each for k in sizes or [rows // g.size()] * g.size()])
    return _exchange(g, "all_to_all", input.reshape(-1), lambda v: _into(output, v), async_op, give=counts[0], take=counts[1],
                     result=(output,))


# ---- from one to another


def _other(g, rank, group_rank, what):
    if rank is None and group_rank is None:
        return -1
    other = get_global_rank(g, _root(g, rank, group_rank, "recv" if what == "source" else "send"))
    if other == _State.rank:
        raise ValueError(f"Invalid {what} rank: {what} rank should not be the same as the rank of the current process.")
    return other


def _message(fn, kind, tensor, other, tag):
    # Through the host's memory, whatever the backend is.
    return _run(fn, kind, _tensor(tensor).detach(), None, None, other, tag, None, None)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    g = _mine(group)
    if g is not None:
        _message(_w.comm_do, "send", tensor, _other(g, dst, group_dst, "destination"), tag)


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    g = _mine(group)
    return g and Work(_message(_w.comm_start, "send", tensor, _other(g, dst, group_dst, "destination"), tag), None, (tensor,))


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    g = _mine(group)
    if g is None:
        return -1
    value, sender = _message(_w.comm_do, "receive", tensor, _other(g, src, group_src, "source"), tag)
    _into(tensor, value)
    return sender


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    g = _mine(group)
    return g and Work(_message(_w.comm_start, "receive", tensor, _other(g, src, group_src, "source"), tag),
                      lambda v: _into(tensor, v), (tensor,))


class P2POp:
    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                             "``torch.distributed.irecv``.")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = op, tensor, peer, group, tag, group_peer


def batch_isend_irecv(p2p_op_list):
    p2p_op_list[0]    # there is none to take the group of: IndexError
    return [p.op(p.tensor, p.peer, p.group, p.tag, p.group_peer) for p in p2p_op_list]


# ---- of any objects, as bytes


def _to_bytes(obj):
    import io
    out = io.BytesIO()
    torch.save(obj, out)
    return torch.frombuffer(bytearray(out.getvalue()), dtype=torch.uint8)


def _to_object(t):
    import io
    return torch.load(io.BytesIO(t.numpy().tobytes()), weights_only=False)


def _all_objects(g, obj, root=-1):
    # Bytes of each, in the order of the group; of other lengths from each. root: who wants them.
    data = _to_bytes(obj)
    n = g.size()
    lengths, _ = _run(_w.comm_do, "gather", torch.tensor([data.numel()]), g.ranks, None, -1, 0, None, None)
    take = [int(k) if root in (-1, g.rank()) else 0 for k in lengths.reshape(-1)]
    give = [data.numel() if root in (-1, k) else 0 for k in range(n)]
    x = data.repeat(n) if root < 0 else data
    value, _ = _run(_w.comm_do, "all_to_all", x, g.ranks, None, -1, 0, give, take)
    return [_to_object(p) if k else None for p, k in zip(value.split(take), take)]


def all_gather_object(object_list, obj, group=None):
    g = _mine(group)
    if g is not None:
        object_list[:g.size()] = _all_objects(g, obj)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    g = _mine(group)
    if g is None:
        return
    root = _root(g, 0 if dst is None and group_dst is None else dst, group_dst, "gather")
    if (g.rank() == root) != bool(object_gather_list):
        raise ValueError("Argument ``gather_list`` must be specified on destination rank." if g.rank() == root else
                         "Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    made = _all_objects(g, obj, root)
    if g.rank() == root:
        object_gather_list[:g.size()] = made


def _one_object(g, obj, root):
    data = _to_bytes(obj) if g.rank() == root else torch.zeros(0, dtype=torch.uint8)
    length, _ = _run(_w.comm_do, "broadcast", torch.tensor([data.numel()]), g.ranks, None, root, 0, None, None)
    if g.rank() != root:
        data = torch.zeros(int(length[0]), dtype=torch.uint8)
    data, _ = _run(_w.comm_do, "broadcast", data, g.ranks, None, root, 0, None, None)
    return _to_object(data)


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    check_device(device)
    g = _mine(group)
    if g is not None:
        data = _to_bytes(list(object_list))
        send(torch.tensor([data.numel()]), dst, group, 0, group_dst)
        send(data, dst, group, 0, group_dst)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    check_device(device)
    g = _mine(group)
    if g is None:
        return -1
    length = torch.zeros(1, dtype=torch.int64)
    sender = recv(length, src, group, 0, group_src)
    data = torch.zeros(int(length[0]), dtype=torch.uint8)
    recv(data, sender, group)
    object_list[:] = _to_object(data)
    return sender


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    check_device(device)        # where the bytes would travel; here through memory
    g = _mine(group)
    if g is not None:
        root = _root(g, 0 if src is None and group_src is None else src, group_src, "broadcast")
        object_list[:] = _one_object(g, list(object_list), root)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None):
    g = _mine(group)
    if g is None:
        return
    root = _root(g, 0 if src is None and group_src is None else src, group_src, "scatter")
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    scatter_object_output_list[0] = _one_object(g, scatter_object_input_list, root)[g.rank()]


def __getattr__(name):
    if name in ("distributed_c10d", "_functional_collectives"):
        return __import__("torch.distributed." + name)
    raise AttributeError(f"module 'torch.distributed' has no attribute '{name}'")
