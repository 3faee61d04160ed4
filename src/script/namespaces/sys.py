# sys -- what of it is written in the language itself; the rest is modules/sys.c
def __getattr__(name):
    import _sys
    return _sys.find(name)
