# jax._statics -- arguments of jit by place and by name: which are static or donated, whether the function has them.


def numbers(x):
    if x is None:
        return ()
    return (x,) if isinstance(x, int) else tuple(x)


def strings(x):
    if x is None:
        return ()
    return (x,) if isinstance(x, str) else tuple(x)


def parameters(fun):
    # Names of the parameters that have a place, where they are known.
    import _syntax
    fun = getattr(fun, "__wrapped__", fun)
    sort = _syntax.sort(fun)
    if sort not in ("function", "method"):
        said = getattr(fun, "__signature__", None)
        return None if said is None else [p.name for p in said.parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD]
    from _stage.tree import Node
    tree = _syntax.tree(fun if sort == "function" else fun.__func__, Node)
    return [p.name for p in tree.params if p.kind == "pos"][sort == "method":]


def check_numbers(fun, argnums, what):
    # Places beyond the parameters, unless there may be more.
    import inspect
    try:
        known = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return
    kinds = inspect.Parameter
    if any([p.kind == kinds.VAR_POSITIONAL for p in known]):
        return
    n = sum([p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD) for p in known])
    if any([not -n <= i < n for i in argnums]):
        raise ValueError(f"Jitted function has {what}={tuple(argnums)}, but only accepts {n} positional arguments.")


def check_names(fun, argnames, what="static_argnames"):
    import inspect
    kinds = inspect.Parameter
    try:
        known = inspect.signature(fun).parameters
    except (TypeError, ValueError):
        return
    if any([p.kind == kinds.VAR_KEYWORD for p in known.values()]):
        return
    for a in argnames:
        if a not in known or known[a].kind in (kinds.POSITIONAL_ONLY, kinds.VAR_POSITIONAL):
            raise ValueError(f"Jitted function has invalid argnames {{{a!r}}} in {what}. Function does not take "
                             "these args.")


class _Compared:
    # A structure with fixed parts that no hash knows, such as a dict: as a key.
    def __init__(self, spec):
        self.spec = spec

    def __eq__(self, other):
        return isinstance(other, _Compared) and self.spec == other.spec

    def __hash__(self):
        return 0


def key_of(spec):
    try:
        hash(spec)
    except TypeError:
        return _Compared(spec)
    return spec


def spread_statics(fun, argnums, argnames):
    # What is static by place is static by name too, or the other way round; not where both are given.
    names = parameters(fun) if argnums or argnames else None
    if names is None:
        return argnums, argnames
    check_names(fun, argnames)
    if argnums and argnames:
        return argnums, argnames
    n = len(names)
    nums = [i + n if i < 0 else i for i in argnums]
    more = [names.index(a) for a in argnames if a in names]
    return tuple(nums + [i for i in more if i not in nums]), \
        tuple(list(argnames) + [names[i] for i in nums if i < n and names[i] not in argnames])
