# builtins -- the names every module has.
def __getattr__(name):
    return eval(name, {}, None)
