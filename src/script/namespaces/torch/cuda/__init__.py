# torch.cuda -- the GPUs.
import _torch as _w
from torch._types import current, device as _device, gpu_generator, home, number_of


def is_available():
    return _w.device_count() > 0


def device_count():
    return _w.device_count()


def is_initialized():
    return home[1]


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


class device_of(device):
    # with torch.cuda.device_of(tensor): that of the tensor, if it is on a GPU
    def __init__(self, tensor):
        self.index = tensor.device.index if tensor.is_cuda else current[0]


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

OutOfMemoryError = _w.OutOfMemoryError


def _memory(device, i):
    return _w.device_memory(_index(device))[i] if is_available() else 0


def memory_allocated(device=None):
    return _memory(device, 0)


def max_memory_allocated(device=None):
    return _memory(device, 1)


def memory_reserved(device=None):
    return _memory(device, 4)


memory_cached = memory_reserved
_most_reserved = {}         # of a device: what was reserved at most when somebody asked


def max_memory_reserved(device=None):
    now, i = memory_reserved(device), _index(device) if is_available() else 0
    _most_reserved[i] = max(_most_reserved.get(i, 0), now)
    return _most_reserved[i]


max_memory_cached = max_memory_reserved


def mem_get_info(device=None):
    return _w.device_memory(_index(device))[2:4]


def reset_peak_memory_stats(device=None):
    _w.device_reset_peak(_index(device))
    _most_reserved.pop(_index(device), None)


def reset_max_memory_allocated(device=None):
    reset_peak_memory_stats(device)


reset_max_memory_cached = reset_max_memory_allocated


def memory_stats(device=None):
    if not is_available():
        return {}
    held, peak, _, _, reserved = _w.device_memory(_index(device))
    return {"allocated_bytes.all.current": held, "allocated_bytes.all.peak": peak,
            "reserved_bytes.all.current": reserved, "reserved_bytes.all.peak": max_memory_reserved(device)}


def memory_stats_as_nested_dict(device=None):
    nested = {}
    for name, value in memory_stats(device).items():
        at = nested
        *outer, last = name.split(".")
        for part in outer:
            at = at.setdefault(part, {})
        at[last] = value
    return nested


def memory_summary(device=None, abbreviated=False):
    names = ("allocated_bytes",) if abbreviated else ("allocated_bytes", "reserved_bytes")
    stats = memory_stats(device)
    lines = [f"{n:16} current {stats[n + '.all.current'] / 1048576:10.2f} MiB, peak {stats[n + '.all.peak'] / 1048576:10.2f} MiB"
             for n in names]
    return "\n".join([f"Memory of {get_device_name(device)}"] + lines)


def empty_cache():
    # What is kept for tensors to come goes back to the driver.
    for i in range(device_count() if is_initialized() else 0):
        _w.device_trim(i + 1)


def get_arch_list():
    return [f"sm_{major}{minor}" for _, major, minor in [_parts(i) for i in range(device_count())]]


def can_device_access_peer(device, peer_device):
    return _index(device) != _index(peer_device)


def ipc_collect():
    pass        # nothing is shared with other processes


# ---- random numbers: drawn by the host from a generator of the GPUs' own, which gives the numbers of PyTorch's, and
# brought there.

def manual_seed(seed):
    gpu_generator.manual_seed(int(seed))


manual_seed_all = manual_seed


def seed():
    import random
    manual_seed(random.getrandbits(62))


seed_all = seed


def initial_seed():
    return gpu_generator.initial_seed()


def get_rng_state(device="cuda"):
    _index(device)          # there is one generator for all
    return gpu_generator.get_state()


def set_rng_state(new_state, device="cuda"):
    _index(device)
    gpu_generator.set_state(new_state)


def get_rng_state_all():
    return [get_rng_state() for _ in range(device_count())]


def set_rng_state_all(new_states):
    for state in new_states:
        set_rng_state(state)


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


def set_stream(stream):
    if stream is not None:
        set_device(stream.device)       # its one stream


def is_current_stream_capturing():
    return False        # runs are captured and replayed unasked


class Event:
    # A point in the stream: reached when all that was put before it is done.
    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise NotImplementedError("torch.cuda.Event: events are not shared with other processes")
        self._timing = enable_timing
        self._mark = _w.Mark()

    def record(self, stream=None):
        self._mark.record(_index(stream.device if stream is not None else None))

    def synchronize(self):
        self._mark.wait()

    def wait(self, stream=None):
        pass        # there is one stream: what comes later comes later

    def query(self):
        return self._mark.reached()

    def elapsed_time(self, end_event):
        if not self._timing or not end_event._timing:
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not self.query() or not end_event.query():
            raise RuntimeError("CUDA error: device not ready")
        ms = self._mark.elapsed(end_event._mark)
        if ms is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return ms


def is_tf32_supported():
    return is_available() and get_device_capability()[0] >= 8


def is_bf16_supported(including_emulation=True):
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


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
    if name == "_initialized":
        return is_initialized()
    if name == "default_generators":
        return tuple([gpu_generator for _ in range(device_count())])
    if name in _TYPES:
        return _typed(name)
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
