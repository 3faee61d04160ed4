# tensorflow.compat


def __getattr__(name):
    if name == "v1":
        return __import__("tensorflow.compat.v1")
    raise AttributeError(f"module 'tensorflow.compat' has no attribute '{name}'")
