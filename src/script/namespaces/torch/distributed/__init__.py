# torch.distributed -- a world of one process: groups, collectives, handles. A larger world is refused when it is
# initialised.
import os
import torch
from torch._types import check_device


class _Op:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<RedOpType.{self.name}>"


class ReduceOp:
    SUM, AVG, PRODUCT, MIN, MAX = _Op("SUM"), _Op("AVG"), _Op("PRODUCT"), _Op("MIN"), _Op("MAX")
    BAND, BOR, BXOR, PREMUL_SUM = _Op("BAND"), _Op("BOR"), _Op("BXOR"), _Op("PREMUL_SUM")


class Work:
    # Of one process: done when it is made.
    def wait(self, timeout=None):
        return True

    def is_completed(self):
        return True

    def is_success(self):
        return True


class ProcessGroup:
    def __init__(self, backend):
        self.backend = backend

    def rank(self):
        return 0

    def size(self):
        return 1


class _State:
    world = None


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
    return False


def is_mpi_available():
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


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    if _State.world is not None:
        raise ValueError("trying to initialize the default process group twice!")
    name = (backend or "gloo").lower()
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if store is None and (init_method is None or init_method.startswith("env://")):
        rank = int(_variable("RANK")) if rank == -1 else rank
        world_size = int(_variable("WORLD_SIZE")) if world_size == -1 else world_size
        _variable("MASTER_ADDR")
        _variable("MASTER_PORT")
    if world_size < 1 or rank < 0:
        raise ValueError(f"world_size and rank are required for {init_method or 'a store'}")
    if world_size > 1:
        raise NotImplementedError(f"init_process_group: a world of {world_size} processes; there is one")
    if rank != 0:
        raise ValueError(f"init_process_group: rank {rank} in a world of {world_size}")
    for part in name.split(","):
        if part.split(":")[-1] not in _backends:
            raise ValueError(f"Invalid backend: '{backend}'")
    for part, value in (("pg_options", pg_options), ("device_id", device_id)):
        if value is not None:
            raise NotImplementedError(f"init_process_group: {part}={value!r}")
    _State.world = group.WORLD = GroupMember.WORLD = ProcessGroup(name)
    _State.world.name, _State.world.timeout = group_name, timeout


def _group(g):
    if _State.world is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _State.world if g is None else g


def destroy_process_group(group=None):
    if _group(group) is _State.world:
        _State.world = None
        globals()["group"].WORLD = GroupMember.WORLD = None


def get_rank(group=None):
    return _group(group).rank()


def get_world_size(group=None):
    return _group(group).size()


def get_backend(group=None):
    return _group(group).backend


def get_process_group_ranks(group):
    return [0] if _group(group) else []


def get_global_rank(group, group_rank):
    return _member(group_rank, group)


def get_group_rank(group, global_rank):
    return _member(global_rank, group)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
              device_id=None):
    made = ProcessGroup(_group(None).backend if backend is None else backend)
    made.name, made.timeout, made.options = group_desc, timeout, (pg_options, use_local_synchronization, device_id)
    if ranks is not None:
        for r in ranks:
            if r != 0:
                raise ValueError("the new group's rank should be within the world_size set by init_process_group")
        if len(ranks) == 0:
            return GroupMember.NON_GROUP_MEMBER
    return made


def _member(rank, g):
    _group(g)
    if rank not in (None, 0):
        raise ValueError(f"Global rank {rank} is not part of group")
    return 0


def _done(async_op):
    return Work() if async_op else None


def _tensor(x, name="tensor"):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
                        f"             but got {type(x)} instead.")
    return x


def _same(a, b):
    # b into a, as a message of so many elements.
    with torch.no_grad():
        a.copy_(_tensor(b).reshape(_tensor(a).shape))


def barrier(group=None, async_op=False, device_ids=None):
    if device_ids is not None:
        raise RuntimeError(f"Function argument device_ids not supported for the selected backend {_group(group).backend}")
    _group(group)
    return _done(async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    return barrier(group)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    _group(group)
    _reduced(_tensor(tensor), op)
    return _done(async_op)


def _reduced(tensor, op):
    # What one tensor is reduced to: itself.
    if not isinstance(op, _Op):
        raise TypeError(f"{op!r} is not a ReduceOp")
    if op.name in ("BAND", "BOR", "BXOR") and tensor.is_floating_point():
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    return tensor


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    _member(dst, group)
    _member(group_dst, group)
    _reduced(_tensor(tensor), op)
    return _done(async_op)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    _member(src, group)
    _member(group_src, group)
    _tensor(tensor)
    return _done(async_op)


def _one(tensors, what):
    if len(tensors) != 1:
        raise ValueError(f"{what}: a list of {len(tensors)} tensors for a group of 1")
    return tensors[0]


def all_gather(tensor_list, tensor, group=None, async_op=False):
    _group(group)
    _same(_one(tensor_list, "all_gather"), tensor)
    return _done(async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    _group(group)
    _same(output_tensor, input_tensor)
    return _done(async_op)


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    _member(dst, group)
    _member(group_dst, group)
    if not gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    _same(_one(gather_list, "gather"), tensor)
    return _done(async_op)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    _member(src, group)
    _member(group_src, group)
    if not scatter_list:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    _same(tensor, _one(scatter_list, "scatter"))
    return _done(async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    _group(group)
    _same(output, _reduced(_one(input_list, "reduce_scatter"), op))
    return _done(async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    _group(group)
    _same(output, _reduced(input, op))
    return _done(async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    _group(group)
    _same(_one(output_tensor_list, "all_to_all"), _one(input_tensor_list, "all_to_all"))
    return _done(async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    _group(group)
    for sizes, t in ((output_split_sizes, output), (input_split_sizes, input)):
        if sizes and list(sizes) != [t.shape[0]]:
            raise RuntimeError("Split sizes doesn't match total dim 0 size")
    _same(output, input)
    return _done(async_op)


def _alone(what):
    raise ValueError(f"Invalid {what} rank: there is no other process")


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    _alone(f"destination {dst if group_dst is None else group_dst} of {tuple(tensor.shape)}, tag {tag}, {_group(group)}")


isend = send


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    _alone(f"source {src if group_src is None else group_src} of {tuple(tensor.shape)}, tag {tag}, {_group(group)}")


irecv = recv


# ---- of any objects: what arrives is a copy


def _copied(x):
    import copy
    return copy.deepcopy(x)


def all_gather_object(object_list, obj, group=None):
    _group(group)
    object_list[0] = _copied(obj)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    _member(dst, group)
    _member(group_dst, group)
    object_gather_list[0] = _copied(obj)


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    _member(src, group)
    _member(group_src, group)
    check_device(device)        # where the bytes would travel; here they stay
    object_list[:] = [_copied(x) for x in object_list]


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None):
    _member(src, group)
    _member(group_src, group)
    scatter_object_output_list[0] = _copied(scatter_object_input_list[0])
