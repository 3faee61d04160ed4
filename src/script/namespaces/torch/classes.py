# torch.classes -- classes of machine code, which cannot be loaded here.
loaded_libraries = set()


def load_library(path):
    raise OSError(f"torch.classes.load_library: {path} is machine code for the library itself, which cannot be loaded here")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise RuntimeError(f"Class {name} does not exist: no library of classes is loaded")
