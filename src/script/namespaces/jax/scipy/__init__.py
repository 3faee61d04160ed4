# jax.scipy -- what of SciPy works over jax arrays.
from jax.scipy import special, linalg, stats, optimize, sparse, signal

_lazy = ("cluster", "fft", "integrate", "interpolate", "ndimage", "spatial")


def __getattr__(name):
    if name in _lazy:
        __import__("jax.scipy." + name)
        return globals()[name]
    raise AttributeError(f"module 'jax.scipy' has no attribute '{name}'")
