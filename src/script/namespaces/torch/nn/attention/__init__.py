# torch.nn.attention -- which kernel computes attention: there is one, and all that are named give its numbers.
import contextlib as _contextlib
from enum import Enum

from torch.nn.attention import bias


class SDPBackend(Enum):
    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __repr__(self):
        return f"<SDPBackend.{self.name}: {self.value}>"


@_contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    backends = [backends] if isinstance(backends, SDPBackend) else list(backends)
    for b in backends:
        if not isinstance(b, SDPBackend):
            raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    if set_priority and len(backends) < 1:
        raise ValueError("set_priority needs a backend")
    yield


def __getattr__(name):
    if name == "flex_attention":
        return __import__("torch.nn.attention.flex_attention")
    raise AttributeError(f"module 'torch.nn.attention' has no attribute '{name}'")
