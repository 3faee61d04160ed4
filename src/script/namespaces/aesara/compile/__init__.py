# aesara.compile -- functions of expressions, and the modes they can be compiled in.
import _aesara as _w
from aesara._graph import shared, config
from aesara._function import In, Out, Param, Function, function, UnusedInputError


class Mode:
    # How a function is compiled has no effect on its results: programs are optimised alike.
    watch = None    # called with each node and its values while the program is made

    def __init__(self, linker=None, optimizer="default", db=None):
        self.linker = linker
        self.optimizer = optimizer

    def including(self, *tags):
        return self

    def excluding(self, *tags):
        return self


class DebugMode(Mode):
    pass


class NanGuardMode(Mode):
    # The program checks every value it computes.
    def __init__(self, nan_is_error=None, inf_is_error=None, big_is_error=None, optimizer="default", linker=None, db=None):
        super().__init__(linker, optimizer)
        self.nan, self.inf, self.big = nan_is_error is not False, inf_is_error is not False, big_is_error is not False

    def watch(self, node, results):
        for x in results:
            if isinstance(x, _w.Tensor) and x.dtype.is_floating:
                for on, bad, what in ((self.nan, _w.is_nan, "NaN"), (self.inf, _w.is_inf, "Inf"), (self.big, _is_big, "Big value")):
                    if on:
                        _w.assert_now(_w.logical_not(_w.any(bad(x))), f"{what} detected in an output of {node}")


def _is_big(x):
    return _w.logical_and(_w.abs(x) > 1e10, _w.is_finite(x))


FAST_RUN, FAST_COMPILE, JAX, NUMBA = Mode("cvm"), Mode("py"), Mode("jax"), Mode("numba")
predefined_modes = {"FAST_RUN": FAST_RUN, "FAST_COMPILE": FAST_COMPILE, "JAX": JAX, "NUMBA": NUMBA, "Mode": FAST_RUN}


def mode_of(mode):
    if mode is None:
        mode = config.mode
    if not isinstance(mode, str):
        return mode
    if mode in ("DebugMode", "DEBUG_MODE"):
        return DebugMode()
    if mode == "NanGuardMode":
        return NanGuardMode(True, True, True)
    if mode not in predefined_modes:
        raise Exception(f"No predefined mode exist for string: {mode}")
    return predefined_modes[mode]


get_mode = mode_of


def get_default_mode():
    return FAST_RUN
