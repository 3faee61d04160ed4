# jax._gpu -- arrays live on the first GPU where there is one, unless JAX_PLATFORMS says cpu.
import os

import _jax as _w


class CudaDevice:
    platform = "gpu"
    process_index = 0

    def __init__(self, id):
        self.id = self.local_hardware_id = id
        self.device_kind = _w.device_label(id + 1).partition(", compute")[0]

    def __repr__(self):
        return f"CudaDevice(id={self.id})"

    def __str__(self):
        return f"cuda:{self.id}"

    def memory_stats(self):
        held, peak, _, total = _w.device_memory(self.id + 1)
        return {"bytes_in_use": held, "peak_bytes_in_use": peak, "bytes_limit": total}


devices = []
_wanted = os.environ.get("JAX_PLATFORMS", os.environ.get("JAX_PLATFORM_NAME", "")).split(",")
if _wanted[0] in ("", "gpu", "cuda"):
    devices = [CudaDevice(i) for i in range(_w.device_count())]
    if devices:
        _w.set_home(1)
    elif _wanted[0]:
        raise RuntimeError(f"Unable to initialize backend '{_wanted[0]}': no GPU can be used (you may need to uninstall "
                           "the failing plugin package, or set JAX_PLATFORMS=cpu to skip this backend.)")


def wait():
    if devices:
        _w.device_sync(1)
