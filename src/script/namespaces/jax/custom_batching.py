# jax.custom_batching -- functions with a rule of their own for vmap.
#
# A vmap whose function may call such a function is noted while that runs (kit.batches): the axis has a name, so that the
# function gets all of its arguments along it (all_gather), gives them to the rule, and takes its own part of what the rule gave.
import _jax as _w
import _tree
from jax._api import kit, _named

kit.named_batches = True


def _structure(tree):
    from jax._pytree import tree_structure
    return tree_structure(tree)


class custom_vmap:
    rule = None

    def __init__(self, fun):
        self.fun = fun
        _named(self, fun)

    def def_vmap(self, vmap_rule):
        self.rule = vmap_rule
        return vmap_rule

    def __get__(self, obj, owner=None):
        return self if obj is None else lambda *args, **kwargs: self(obj, *args, **kwargs)

    def __call__(self, *args, **kwargs):
        if self.rule is None:
            raise AttributeError(f"No batching rule defined for custom_vmap function {self.__name__} using def_vmap.")
        args = self._placed(args, kwargs)
        leaves, spec = kit.flatten(args)
        for depth in range(len(kit.batches) - 1, -1, -1):
            batched = kit.batches[depth].mapped(leaves)
            if any(batched):
                self._check_forward(leaves, kit.batches[depth].levels)
                return self._batched(depth, leaves, spec, batched, args)
        self._check_forward(leaves, 0)
        return self.fun(*args)

    def _check_forward(self, leaves, outside):
        # Nothing says what the reverse derivative of such a function is; outside of a vmap it is that of what the rule gave.
        if len(kit.levels) > outside and not kit.forward and kit.follows(leaves):
            raise ValueError("Linearization failed to produce known values for all output primals. This is typically caused by attempting to "
                             "differentiate a function uses an operation that does not support reverse-mode autodiff.")

    def _placed(self, args, kwargs):
        if not kwargs:
            return args
        import inspect
        bound = inspect.signature(self.fun).bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise NotImplementedError("custom_vmap: arguments that are given by keyword alone")
        return bound.args

    def _batched(self, depth, leaves, spec, batched, args):
        from jax.lax import all_gather, axis_index, dynamic_index_in_dim
        batch = kit.batches[depth]
        whole = [all_gather(x, batch.name) if on else x for x, on in zip(leaves, batched)]
        inner = kit.batches[depth:]
        del kit.batches[depth:]
        try:
            out, out_batched = self.rule(batch.size, list(_tree.unflatten(spec, batched)), *_tree.unflatten(spec, whole))
            expected = _shapes(self.fun, args)
        finally:
            kit.batches.extend(inner)
        name = getattr(self.rule, "__name__", "rule")
        if _structure(out) != _structure(out_batched):
            raise ValueError("structure of output value and output batching specification returned by custom vmap rule "
                             f"({name}) do not match.\nOutput values: {_structure(out)}\nBatching spec: {_structure(out_batched)}")
        if _structure(out) != expected:
            raise ValueError(f"structure of output returned by custom vmap rule ({name}) does not match that of original "
                             f"custom-vmapped function.\nOriginal output: {expected}\nRule output: {_structure(out)}")
        ys, out_spec = kit.flatten(out)
        index = axis_index(batch.name)
        own = [dynamic_index_in_dim(_w.wrap(y), index, 0, keepdims=False) if on else _w.wrap(y)
               for y, on in zip(ys, kit.flatten(out_batched)[0])]
        return _tree.unflatten(out_spec, own)


def _shapes(fun, args):
    # The tree of what fun gives for such arguments.
    found = []

    def flat(*xs):
        y = fun(*_tree.unflatten(spec, xs))
        found.append(_structure(y))
        return [_w.wrap(v) for v in kit.flatten(y)[0]]

    leaves, spec = kit.flatten(args)
    _w.trace(flat, [_w.wrap(x) for x in leaves])
    return found[-1]


def sequential_vmap(fun):
    # Under vmap one after the other.
    wrapped = custom_vmap(fun)

    def rule(_, in_batched, *args):
        from jax.lax import map as lax_map
        leaves, spec = kit.flatten(args)
        on = kit.flatten(in_batched)[0]
        mapped = [x for x, b in zip(leaves, on) if b]

        def one(rows):
            rows = iter(rows)
            return fun(*_tree.unflatten(spec, [next(rows) if b else x for x, b in zip(leaves, on)]))

        out = lax_map(one, mapped)
        return out, _tree.map(lambda _: True, out)

    wrapped.def_vmap(rule)
    return wrapped
