# urllib -- addresses, and the files that file: URLs name.


def __getattr__(name):
    # `import urllib` alone: in Python, too, the libraries have loaded these by then
    if name in ("request", "parse", "error"):
        return __import__("urllib." + name)
    raise AttributeError(f"module 'urllib' has no attribute '{name}'")
