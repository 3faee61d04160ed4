# importlib.metadata -- versions of packages in the folders of sys.path, and of the libraries that are built in.
import os as _os
import sys as _sys


_BUILT_IN = {"torch": "torch", "torchvision": "torchvision", "numpy": "numpy", "jax": "jax", "jaxlib": "jax", "tensorflow": "tensorflow",
             "scipy": "scipy", "matplotlib": "matplotlib", "pillow": "PIL"}


class PackageNotFoundError(ModuleNotFoundError):
    pass


def version(name):
    want = name.replace("-", "_").lower()
    for folder in _sys.path:
        if not _os.path.isdir(folder or "."):
            continue
        for n in _os.listdir(folder or "."):
            base = n[:-10].rsplit("-", 1) if n.endswith(".dist-info") else None
            if base and base[0].replace("-", "_").lower() == want:
                return base[1]
    if want in _BUILT_IN:
        return __import__(_BUILT_IN[want]).__version__
    raise PackageNotFoundError(name)
