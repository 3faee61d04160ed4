# torch.jit.frontend -- syntax trees of functions.
import _syntax
from torch.jit._check import UnsupportedNodeError, NotSupportedError, FrontendError


class Def:
    # The tree of a function; prints as an S-expression.
    def __init__(self, fn, name):
        self._text = _syntax.text(fn)
        self._name = name

    def name(self):
        return self._name

    def __str__(self):
        return self._text

    def __repr__(self):
        return self._text


def get_jit_def(fn, def_name, self_name=None, is_classmethod=False):
    return Def(fn, def_name)


def get_jit_class_def(cls, self_name):
    return [Def(f, n) for n, f in vars(cls).items() if _syntax.sort(f) == "function"]
