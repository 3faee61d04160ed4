# aesara.compile -- functions of expressions, and the modes they can be compiled in.
from aesara._graph import In, Out, Param, Function, function_of as function, UnusedInputError, shared


class Mode:
    def __init__(self, linker=None, optimizer="fast_run"):
        self.linker = linker
        self.optimizer = optimizer


class NanGuardMode(Mode):
    def __init__(self, nan_is_error=True, inf_is_error=True, big_is_error=True):
        super().__init__()


FAST_RUN, FAST_COMPILE = Mode(), Mode()


def get_default_mode():
    return FAST_RUN
