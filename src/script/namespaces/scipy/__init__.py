# scipy -- its special functions, its linear algebra, filters, distances, statistics, integrals and assignments, over arrays of NumPy.
__version__ = "1.17.1"


def __getattr__(name):
    if name in ("special", "linalg", "signal", "spatial", "stats", "integrate", "optimize"):
        return __import__("scipy." + name)
    raise AttributeError(f"module 'scipy' has no attribute '{name}': special, linalg, signal, spatial, stats, integrate and optimize are here")
