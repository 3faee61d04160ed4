# jax.distributed -- processes that run together: those of weft launch or mpirun, or whatever says how many there are and which
# this is. Those of one machine exchange in shared memory; under mpirun MPI carries everything.
import os
import _jax as _w
from jax._sharding import World, are_started


class _State:
    on = False


def _number(given, *names):
    # What is given, or what the environment says.
    if given is not None:
        return int(given)
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    return None


def initialize(coordinator_address=None, num_processes=None, process_id=None, local_device_ids=None,
               cluster_detection_method=None, initialization_timeout=300, heartbeat_timeout_seconds=100,
               shutdown_timeout_seconds=300, coordinator_bind_address=None, slice_index=None):
    if are_started():
        raise RuntimeError("jax.distributed.initialize() must be called before any JAX calls that might initialise the XLA "
                           "backend. This includes any computation, but also calls to jax.devices, jax.device_put, and others.")
    if _State.on:
        raise RuntimeError("distributed.initialize should only be called once.")
    for name, value in (("local_device_ids", local_device_ids), ("cluster_detection_method", cluster_detection_method),
                        ("slice_index", slice_index)):
        if value is not None:
            raise NotImplementedError(f"jax.distributed.initialize: {name}={value!r}")
    by_mpi = num_processes is None and "JAX_NUM_PROCESSES" not in os.environ and \
        ("OMPI_COMM_WORLD_SIZE" in os.environ or "PMI_SIZE" in os.environ)
    address = coordinator_address or os.environ.get("JAX_COORDINATOR_ADDRESS")
    if address is None and not by_mpi:
        raise ValueError("coordinator_address should be defined.")
    n = _number(num_processes, "JAX_NUM_PROCESSES")
    k = _number(process_id, "JAX_PROCESS_ID")
    if not by_mpi and (n is None or k is None):
        raise ValueError("Number of processes must be defined." if n is None else "The process id of the current process must be defined.")
    if by_mpi or n > 1:
        if not by_mpi and not 0 <= k < n:
            raise ValueError(f"process_id {k} of {n} processes")
        key = os.environ.get("WEFT_COMM") or "jax" + (address or "").rpartition(":")[2]
        _w.comm_open(0 if by_mpi else k, 0 if by_mpi else n, None if by_mpi else key, 0.0, float(initialization_timeout))
        World.index, World.count, _ = _w.comm_info()
    elif k != 0:
        raise ValueError(f"process_id {k} of {n} processes")
    _State.on = (address, coordinator_bind_address, heartbeat_timeout_seconds, shutdown_timeout_seconds)


def is_initialized():
    return bool(_State.on)


def shutdown():
    if World.count > 1:
        _w.comm_do("reduce", _w.full((1,), 0, float), None, "SUM", -1, 0, None, None)    # all are here
        _w.comm_close(None)
    World.index, World.count = 0, 1
    _State.on = False
