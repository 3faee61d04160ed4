from .sub.b import g


def f():
    return "f" + g()
