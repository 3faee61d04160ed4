# torch.accelerator -- the GPUs, whatever they are called.
import torch.cuda as _cuda
from torch._types import device as _device


def is_available():
    return _cuda.is_available()


def device_count():
    return _cuda.device_count()


def current_accelerator(check_available=False):
    return _device("cuda") if _cuda.is_available() else None


def current_device_index():
    return _cuda.current_device()


current_device_idx = current_device_index


def set_device_index(device):
    _cuda.set_device(device)


set_device_idx = set_device_index


def synchronize(device=None):
    _cuda.synchronize(device)


def current_stream(device=None):
    return _cuda.current_stream(device)


def empty_cache():
    _cuda.empty_cache()


def memory_allocated(device_index=None):
    return _cuda.memory_allocated(device_index)


def max_memory_allocated(device_index=None):
    return _cuda.max_memory_allocated(device_index)
