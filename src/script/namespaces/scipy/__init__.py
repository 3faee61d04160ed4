# scipy -- its special functions, its linear algebra, filters and distances, over arrays of NumPy.
__version__ = "1.17.1"


def __getattr__(name):
    if name in ("special", "linalg", "signal", "spatial"):
        return __import__("scipy." + name)
    raise AttributeError(f"module 'scipy' has no attribute '{name}': special, linalg, signal and spatial are here")
