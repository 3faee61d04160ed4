# builtins -- the names every module has.
def __getattr__(name):
    try:
        return eval(name, {}, None)
    except NameError:
        raise AttributeError(f"module 'builtins' has no attribute {name!r}") from None
