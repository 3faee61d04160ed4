# torch.cuda -- the GPUs.
import time as _time

import _torch as _w
from torch._types import current, device as _device, home, number_of


def is_available():
    return _w.device_count() > 0


def device_count():
    return _w.device_count()


def is_initialized():
    return len(home) > 1


def init():
    number_of("cuda")


def _index(device):
    return number_of("cuda" if device is None else device)


def current_device():
    return _index(None) - 1


def set_device(device):
    current[0] = _index(device) - 1


class device:
    # with torch.cuda.device(1): "cuda" means that one
    def __init__(self, device):
        self.index = _index(device) - 1

    def __enter__(self):
        self._before, current[0] = current[0], self.index
        return self

    def __exit__(self, kind, value, trace):
        current[0] = self._before
        return False


def _parts(device):
    # "NVIDIA H200, compute capability 9.0"
    name, _, capability = _w.device_label(_index(device)).rpartition(", compute capability ")
    major, _, minor = capability.partition(".")
    return name, int(major), int(minor)


def get_device_name(device=None):
    return _parts(device)[0]


def get_device_capability(device=None):
    return _parts(device)[1:]


class _DeviceProperties:
    def __init__(self, i):
        self.name, self.major, self.minor = _parts(i)
        self.total_memory = _w.device_memory(i + 1)[3]

    def __repr__(self):
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory // (1 << 20)}MB)")


def get_device_properties(device=None):
    return _DeviceProperties(_index(device) - 1)


def synchronize(device=None):
    if is_available():
        _w.device_sync(_index(device))


# ---- memory

def memory_allocated(device=None):
    return _w.device_memory(_index(device))[0] if is_available() else 0


def max_memory_allocated(device=None):
    return _w.device_memory(_index(device))[1] if is_available() else 0


memory_reserved, max_memory_reserved = memory_allocated, max_memory_allocated


def mem_get_info(device=None):
    return _w.device_memory(_index(device))[2:]


def empty_cache():
    pass        # what the driver's pool keeps it gives back when memory runs out


# ---- random numbers: those of the host's generator, brought there

def manual_seed(seed):
    pass


manual_seed_all = manual_seed


# ---- order: each process has one stream a GPU

class Stream:
    def __init__(self, device=None, priority=0):
        self.device = _device("cuda", _index(device) - 1)

    def synchronize(self):
        synchronize(self.device)

    def wait_stream(self, stream):
        pass

    wait_event = wait_stream

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False


def current_stream(device=None):
    return Stream(device)


default_stream = current_stream


def stream(s):
    return s


class Event:
    # A point in the stream: when all that was put before it is done.
    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._at = None

    def record(self, stream=None):
        synchronize()
        self._at = _time.perf_counter()

    def synchronize(self):
        pass

    wait = synchronize

    def query(self):
        return True

    def elapsed_time(self, end):
        if self._at is None or end._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end._at - self._at) * 1000


def reset_peak_memory_stats(device=None):
    raise NotImplementedError(f"torch.cuda.reset_peak_memory_stats: the most memory that was ever held is known, of {_index(device)}")


def is_bf16_supported(including_emulation=True):
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def memory_summary(device=None, abbreviated=False):
    now, most = memory_allocated(device), max_memory_allocated(device)
    return f"Allocated memory: {now} bytes" if abbreviated else f"Allocated memory: {now} bytes\nMost so far: {most} bytes"


_TYPES = {"FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "LongTensor": "int64", "IntTensor": "int32",
          "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8", "BoolTensor": "bool_", "BFloat16Tensor": "bfloat16"}


def _typed(name):
    # torch.cuda.FloatTensor(2, 3): the host's, brought there
    from torch._tensor import typed
    host = typed(getattr(_w, _TYPES[name]))

    def make(*args):
        return host(*args).cuda()
    make._dtype, make.__name__ = host._dtype, name
    return make


def __getattr__(name):
    if name == "amp":
        return __import__("torch.cuda.amp")
    if name in _TYPES:
        return _typed(name)
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
