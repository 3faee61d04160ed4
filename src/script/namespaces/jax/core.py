# jax.core -- what scripts that walk jaxprs use.
from jax._jaxpr import (Jaxpr, ClosedJaxpr, JaxprEqn, Var, DropVar, Literal, Primitive, ShapedArray,
                        eval_jaxpr, jaxpr_as_fun)
from jax._array import Array as _Array
import _jax as _w


# Values that a transform watches: those without numbers, and those whose derivatives are recorded.
class _TracerMeta(type):
    def __instancecheck__(cls, x):
        return isinstance(x, _Array) and bool(_w.about(x, "symbolic") or _w.about(x, "need"))


class Tracer(metaclass=_TracerMeta):
    pass


def safe_map(f, *args):
    args = [list(a) for a in args]
    for a in args[1:]:
        if len(a) != len(args[0]):
            raise AssertionError(f"length mismatch: {[len(x) for x in args]}")
    return [f(*xs) for xs in zip(*args)]


def safe_zip(*args):
    return list(zip(*args))


def get_aval(x):
    from jax.numpy import asarray
    return asarray(x).aval


def new_jaxpr_eqn(invars, outvars, primitive, params, effects=None, source_info=None):
    return JaxprEqn(list(invars), list(outvars), primitive, params)
