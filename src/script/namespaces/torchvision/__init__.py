# torchvision -- transforms, data sets of files and pictures of tensors. What is Python alone in the library (models, ops)
# is run from its own source, where a folder of sys.path has it.
import os as _os
import sys as _sys

__version__ = "0.29.2"
__path__ = [_p for _p in [_os.path.join(_d, "torchvision") for _d in _sys.path] if _os.path.isdir(_p)]


def get_image_backend():
    return "PIL"


def set_image_backend(backend):
    if backend != "PIL":
        raise ValueError(f"Invalid backend '{backend}'. Options are 'PIL'")


def disable_beta_transforms_warning():
    pass


def _is_tracing():
    return False


def __getattr__(name):
    if name in ("transforms", "datasets", "utils", "io", "models", "ops", "tv_tensors"):
        return __import__("torchvision." + name)
    raise AttributeError(f"module 'torchvision' has no attribute '{name}'")
