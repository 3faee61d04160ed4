# jax.lax -- the operations themselves: exact types, no broadcasting, and control flow.
import _jax as _w
from jax.lax._flow import (cond, switch, while_loop, fori_loop, scan, map, associative_scan,
                           custom_root, custom_linear_solve, platform_dependent, composite)
from jax.lax._elementwise import *
from jax.lax._ops import *
from jax.lax._contract import *
from jax.lax._window import *
from jax.lax._scatter import *
from jax.lax._fourier import *
from jax.lax._parallel import *
from jax._api import stop_gradient
from jax._layout import with_sharding_constraint
from jax._jaxpr import primitives as _primitives


def __getattr__(name):
    # exp_p, dot_general_p ..: the primitives of equations
    if name.endswith("_p"):
        return _primitives(name[:-2])
    if name == "linalg":
        return __import__("jax.lax.linalg")
    raise AttributeError(f"module 'jax.lax' has no attribute '{name}'")
