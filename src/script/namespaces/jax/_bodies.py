# jax._bodies -- parts of JAX's transforms: the axes of a vmap, and what functions with rules give inside bodies of control flow.
import _jax as _w
import _tree


def not_a_prefix(what, axes, spec):
    from jax.lax._differ import prefix_text
    text = prefix_text(_tree.flatten(axes)[1], spec, f"vmap {what}", _tree.unflatten(spec, [None] * _tree.count(spec)))
    return ValueError(f"vmap {what} specification must be a tree prefix of the corresponding value; \n  Mismatch details (1 found):\n  "
                      f"pytree structure error: {text}")


class Axes:
    def axes_of_results(self, spec, out_axes):
        try:
            return _tree.prefix(spec, out_axes)
        except (ValueError, KeyError):
            raise not_a_prefix("out_axes", out_axes, spec) from None

    mapping = None          # the call that vmap is at: function, arguments

    def unequal_sizes(self, leaves, axes, what, asked):
        from jax.lax._differ import mapped_sizes
        lines = mapped_sizes(self.mapping, leaves, axes, asked)
        return ValueError(f"{what} got inconsistent sizes for array axes to be mapped:\n" + ";\n".join(lines))


class Bodies:
    # Bodies of control flow: is one traced, was a function with a rule of its own met there, and does it give its rule's value?
    in_body = met = by_rules = False

    def follows(self, leaves):
        # Is a derivative taken of one of them?
        at = self.traced_at
        return any([_w.about(x, "followed") or (at is not None and _w.about(x, "level") == at) for x in leaves])

    def with_rules(self, run, operands):
        # run() traces bodies, whose values are not followed by themselves: rules give the values of functions where a derivative goes through
        # the operands. If it goes through what comes out alone, by what bodies close over, and rules were met, bodies are traced again.
        before = self.in_body, self.met, self.by_rules
        self.in_body, self.met = True, False
        try:
            self.by_rules = self.by_rules or bool(self.levels) and self.follows([x for x in operands if isinstance(x, _w.Tensor)])
            out = run()
            if self.levels and self.met and not self.by_rules and self.follows([x for x in out if isinstance(x, _w.Tensor)]):
                self.by_rules = True
                out = run()
            return out
        finally:
            self.in_body, self.met, self.by_rules = before[0], before[1] or self.met, before[2]
