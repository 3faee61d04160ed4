"""weft.from_jax(f, *args): a JAX function as a program, by the StableHLO text that JAX lowers it to.

Shapes are those of the arguments. What the text does not say is warned of: rules of derivatives that f brings along.
"""
import re
import warnings

# what changes derivatives and is gone from the text; custom_jvp_call is that of jax.nn's functions, whose rules are those of their ops
LOST = {"stop_gradient": "stop_gradient", "custom_vjp_call": "custom_vjp", "custom_vjp_call_jaxpr": "custom_vjp"}


def is_library(e):
    """Is it written in JAX itself, as softmax's stop_gradient, which changes no derivative?"""
    frames = e.source_info.traceback.frames if e.source_info.traceback else ()
    at = max((k for k, f in enumerate(frames) if f.function_name == e.primitive.name), default=-1)
    return 0 <= at < len(frames) - 1 and "/jax/_src/" in frames[at + 1].file_name


def lost_rules(jaxpr):
    """The names of what is LOST in a jaxpr and in those in it."""
    for e in jaxpr.eqns:
        if e.primitive.name in LOST and not is_library(e):
            yield LOST[e.primitive.name]
        for v in e.params.values():
            for inner in v if isinstance(v, (list, tuple)) else (v,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from lost_rules(inner)


def from_function(f, *args, **kwargs):
    import jax

    from . import loads
    traced = jax.jit(lambda *a: f(*a, **kwargs), keep_unused=True).trace(*args)
    lost = sorted(set(lost_rules(traced.jaxpr.jaxpr)))
    if lost:
        warnings.warn(f"from_jax: {' and '.join(lost)} of the function are not in its StableHLO: gradients of the program are those of "
                      "what it computes. Give from_jax jax.grad of the function for its own.", stacklevel=3)
    name = re.sub(r"\W", "_", getattr(f, "__name__", "f")).strip("_") or "f"
    text = traced.lower().as_text()
    while f"@{name}(" in text:
        name += "_"
    model = loads(re.sub(r"func\.func public @main\(", f"func.func public @{name}(", text, count=1), name + ".mlir")
    return model.program(name)
