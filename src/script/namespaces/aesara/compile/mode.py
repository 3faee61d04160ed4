# aesara.compile.mode -- how functions are compiled.
from aesara.compile import Mode, FAST_RUN, FAST_COMPILE, get_mode, get_default_mode, predefined_modes
