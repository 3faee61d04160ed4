# jax.experimental.checkify -- checks of values inside functions that are transformed: errors are results.
#
# A checked function runs with a list of what was checked; its predicates become results beside its own, so that it
# can be jitted and vmapped. Checks of the user are there; those that look at every operation are refused by name.
import functools as _functools
import jax as _jax
import jax.numpy as _jnp
from jax.tree_util import register_pytree_node as _register


class ErrorCategory:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<ErrorCategory {self.name}>"


user_checks = frozenset({ErrorCategory("user")})
nan_checks = frozenset({ErrorCategory("nan")})
index_checks = frozenset({ErrorCategory("index")})
div_checks = frozenset({ErrorCategory("div")})
float_checks = nan_checks | div_checks
automatic_checks = float_checks | index_checks
all_checks = automatic_checks | user_checks


class JaxException(Exception):
    pass


class JaxRuntimeError(JaxException):
    pass


# Each part: (failed, format, arguments, keyword arguments), failed true where the check did not hold.
class Error:
    def __init__(self, parts=()):
        self._parts = tuple(parts)

    def get(self):
        for failed, fmt, args, kwargs in self._parts:
            if bool(_jnp.any(failed)):
                return fmt.format(*args, **kwargs) + " (`check` failed)"
        return None

    def throw(self):
        text = self.get()
        if text is not None:
            raise JaxRuntimeError(text)

    def get_exception(self):
        text = self.get()
        return None if text is None else JaxRuntimeError(text)

    def __repr__(self):
        return f"Error({self.get()})"


def _flatten(e):
    return [(p[0], p[2], p[3]) for p in e._parts], tuple(p[1] for p in e._parts)


_register(Error, _flatten, lambda formats, children: Error([(c[0], f, c[1], c[2]) for f, c in zip(formats, children)]))
_checks = [] # of the checked functions that run, innermost last


def check(pred, msg, *fmt_args, debug=False, **fmt_kwargs):
    if not _jnp.issubdtype(_jnp.asarray(pred).dtype, _jnp.bool_):
        raise TypeError(f"debug_check takes a boolean argument, got {pred!r}" if debug else f"check takes a bool argument, got {pred!r}")
    failed = _jnp.logical_not(_jnp.all(_jnp.asarray(pred)))
    if _checks:
        _checks[-1].append((failed, msg, fmt_args, fmt_kwargs))
        return
    if isinstance(failed, _jax.core.Tracer):
        if debug:
            return
        raise ValueError("Cannot abstractly evaluate a checkify.check which was not functionalized. This probably means you tried to "
                         "stage (jit/scan/pmap/...) a `check` without functionalizing it through `checkify.checkify`.")
    Error([(failed, msg, fmt_args, fmt_kwargs)]).throw()


def debug_check(pred, msg, *fmt_args, **fmt_kwargs):
    check(pred, msg, *fmt_args, debug=True, **fmt_kwargs)


def check_error(error):
    for failed, fmt, args, kwargs in error._parts:
        if _checks or isinstance(failed, _jax.core.Tracer):
            check(_jnp.logical_not(failed), fmt, *args, **kwargs)
    if not any(isinstance(p[0], _jax.core.Tracer) for p in error._parts) and not _checks:
        error.throw()


def checkify(f, errors=user_checks):
    automatic = sorted(c.name for c in errors - user_checks)
    if automatic:
        raise NotImplementedError(f"checkify: checks of every operation ({', '.join(automatic)}) are not here; those of the user are")

    @_functools.wraps(f)
    def checked(*args, **kwargs):
        _checks.append([])
        try:
            out = f(*args, **kwargs)
        finally:
            parts = _checks.pop()
        return Error(parts if user_checks <= errors else ()), out
    return checked
