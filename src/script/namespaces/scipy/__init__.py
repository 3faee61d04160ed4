# scipy -- its special functions, its linear algebra, filters, distances and statistics, over arrays of NumPy.
__version__ = "1.17.1"


def __getattr__(name):
    if name in ("special", "linalg", "signal", "spatial", "stats"):
        return __import__("scipy." + name)
    raise AttributeError(f"module 'scipy' has no attribute '{name}': special, linalg, signal, spatial and stats are here")
