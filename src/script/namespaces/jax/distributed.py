# jax.distributed -- a world of one process; a larger one is refused.
import os


class _State:
    on = False


def initialize(coordinator_address=None, num_processes=None, process_id=None, local_device_ids=None,
               cluster_detection_method=None, initialization_timeout=300, heartbeat_timeout_seconds=100,
               shutdown_timeout_seconds=300, coordinator_bind_address=None, slice_index=None):
    from jax._sharding import are_started
    if are_started():
        raise RuntimeError("jax.distributed.initialize() must be called before any JAX calls that might initialise the XLA "
                           "backend. This includes any computation, but also calls to jax.devices, jax.device_put, and others.")
    if _State.on:
        raise RuntimeError("distributed.initialize should only be called once.")
    address = coordinator_address or os.environ.get("JAX_COORDINATOR_ADDRESS")
    n = int(os.environ.get("JAX_NUM_PROCESSES", "1")) if num_processes is None else num_processes
    k = int(os.environ.get("JAX_PROCESS_ID", "0")) if process_id is None else process_id
    if address is None:
        raise ValueError("coordinator_address should be defined.")
    if n != 1:
        raise NotImplementedError(f"jax.distributed.initialize: {n} processes; there is one")
    if k != 0:
        raise ValueError(f"process_id {k} of {n} processes")
    for name, value in (("local_device_ids", local_device_ids), ("cluster_detection_method", cluster_detection_method),
                        ("slice_index", slice_index)):
        if value is not None:
            raise NotImplementedError(f"jax.distributed.initialize: {name}={value!r}")
    _State.on = (address, coordinator_bind_address, initialization_timeout, heartbeat_timeout_seconds,
                 shutdown_timeout_seconds)


def is_initialized():
    return bool(_State.on)


def shutdown():
    _State.on = False
