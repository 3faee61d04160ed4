# jax._gpu -- arrays live on the first GPU where there is one, unless JAX_PLATFORMS says cpu.
import os

import _jax as _w
from jax._sharding import Device


class CudaDevice(Device):
    platform = "gpu"

    def __init__(self, id):
        super().__init__(id)
        self.device_kind = _w.device_label(id + 1).partition(", compute")[0]

    def __repr__(self):
        return f"CudaDevice(id={self.id})"

    def __str__(self):
        return f"cuda:{self.id}"

    def memory_stats(self):
        held, peak, _, total, _ = _w.device_memory(self.id + 1)
        return {"bytes_in_use": held, "peak_bytes_in_use": peak, "bytes_limit": total}


devices = []
_wanted = os.environ.get("JAX_PLATFORMS", os.environ.get("JAX_PLATFORM_NAME", "")).split(",")
_first = os.environ.get("WEFT_DEVICE", "cuda:0")         # weft run --device=
if _wanted[0] in ("", "gpu", "cuda") and _first != "cpu":
    devices = [CudaDevice(i) for i in range(_w.device_count())]
    if devices:
        _w.set_home(int(_first.partition(":")[2]) + 1)
    elif _wanted[0]:
        raise RuntimeError(f"Unable to initialize backend '{_wanted[0]}': no GPU can be used (you may need to uninstall "
                           "the failing plugin package, or set JAX_PLATFORMS=cpu to skip this backend.)")


def wait():
    if devices:
        _w.device_sync(1)


def number_of(device):
    # Of a device, "cpu", "gpu" or None, which is the first there is.
    platform = device if isinstance(device, str) else getattr(device, "platform", None)
    if platform == "cpu":
        return 0
    if platform in ("gpu", "cuda") and not devices:
        raise RuntimeError(f"Unknown backend {platform}. Available backends are ['cpu']")
    return (getattr(device, "id", 0) + 1) if devices else 0


def put_default(device):
    # New arrays are there from now on.
    _w.set_home(number_of(device))
    at = getattr(device, "id", 0) if getattr(device, "platform", "") == "cpu" else 0
    _w.default_layout(f"~{at}||" if at else None)


class default_device:
    # with jax.default_device(jax.devices("cpu")[0]): new arrays are there
    def __init__(self, device):
        number_of(device)
        self._to = device

    def __enter__(self):
        from jax._config import config
        self._before = config.values["jax_default_device"]
        config.update("jax_default_device", self._to)
        return self

    def __exit__(self, kind, value, trace):
        from jax._config import config
        config.update("jax_default_device", self._before)
        return False
