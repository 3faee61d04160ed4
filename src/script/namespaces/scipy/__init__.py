# scipy -- its special functions and its linear algebra, over arrays of NumPy.
__version__ = "1.17.1"


def __getattr__(name):
    if name in ("special", "linalg"):
        return __import__("scipy." + name)
    raise AttributeError(f"module 'scipy' has no attribute '{name}': scipy.special and scipy.linalg are here")
