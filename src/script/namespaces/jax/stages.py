# jax.stages -- what lies between a function and its calls: traced, lowered, compiled.
import _jax as _w
import _tree
from jax._api import ShapeDtypeStruct, kit


class ArgInfo:
    def __init__(self, aval, donated):
        self._aval, self.aval, self.donated = aval, aval, donated

    @property
    def shape(self):
        return tuple(self.aval.shape)

    @property
    def dtype(self):
        return self.aval.dtype

    def __eq__(self, other):
        return isinstance(other, ArgInfo) and (self.aval, self.donated) == (other.aval, other.donated)

    def __hash__(self):
        return hash((self.shape, self.donated))

    def __repr__(self):
        return f"ArgInfo(_aval={self.aval}, donated={self.donated})"


class Signature:
    # What a function is called with: its trees (without what is static), the type of each leaf, which are donated.
    def __init__(self, args, kwargs, leaves, donated, donate_argnums):
        from jax._jaxpr import ShapedArray
        self.spec = kit.flatten((tuple(args), kwargs))[1]
        xs = [_w.wrap(x) for x in leaves]
        self.avals = [ShapedArray(tuple(x.shape), x.dtype, bool(_w.about(x, "weak"))) for x in xs]
        self.donated, self.donate_argnums = donated or (), donate_argnums

    def tree(self, leaves):
        args, kwargs = _tree.unflatten(self.spec, leaves)
        return tuple(args), kwargs

    def check(self, args, kwargs, fun):
        # The leaves of a call, whose trees and types must be these.
        leaves, spec = kit.flatten((tuple(args), kwargs))
        if spec != self.spec:
            from jax._pytree import PyTreeDef
            raise TypeError("Function compiled with input pytree does not match the input pytree it was called with. Compiled for "
                            f"{PyTreeDef(self.spec)}, called with {PyTreeDef(spec)}")
        leaves = [_w.wrap(x) for x in leaves]
        if _w.recorders() or any([_w.about(x, "symbolic") for x in leaves]):
            raise TypeError("Cannot apply JAX transformations to a function lowered and compiled for a particular signature. Detected "
                            "arguments that are tracers: BatchTracer, JVPTracer or their like")
        names, wrong = _tree.argument_names(fun, *self.spec[3]), []
        for i, (x, a) in enumerate(zip(leaves, self.avals)):
            if tuple(x.shape) != tuple(a.shape) or x.dtype != a.dtype:
                from jax._array import shape_text
                wrong.append(f"Argument '{names[i]}' compiled with {shape_text(a)} and called with {shape_text(x)}")
        if wrong:
            raise TypeError("Argument types differ from the types for which this computation was compiled. Perhaps you are calling the "
                            "compiled executable with a different enable_x64 mode than when it was AOT compiled? The mismatches are:\n" +
                            "\n".join(wrong))
        return leaves


class Traced:
    # A function that was traced: what it computes, before a compiler sees it.
    def __init__(self, lowered, name):
        self._lowered, self.fun_name = lowered, name

    def lower(self, *, lowering_platforms=None, **kwargs):
        if lowering_platforms not in (None, ("cpu",), ["cpu"]):
            raise NotImplementedError(f"lower: lowering_platforms={lowering_platforms!r}")
        return self._lowered

    @property
    def jaxpr(self):
        return self._lowered.jaxpr

    @property
    def out_info(self):
        return self._lowered.out_info

    @property
    def args_info(self):
        return self._lowered.args_info

    @property
    def in_tree(self):
        return self._lowered.in_tree

    @property
    def out_tree(self):
        return self._lowered.out_tree


class Lowered:
    # made: what runs it, alone or divided among devices; lies: how arguments do, None: all on one.
    def __init__(self, entry, made, signature, fun, lies):
        self.entry, self.made, self.signature, self.fun, self.lies = entry, made, signature, fun, lies

    def as_text(self, dialect=None):
        if dialect is not None:
            raise NotImplementedError(f"Lowered.as_text: dialect={dialect!r}; the text is Weft's")
        return self.entry.program.text()

    def compile(self, compiler_options=None):
        if compiler_options:
            raise NotImplementedError(f"Lowered.compile: compiler_options={compiler_options!r}, which are XLA's")
        return Compiled(self.entry, self.made, self.signature, self.fun, self.lies)

    @property
    def output_shardings(self):
        return None if self.made.results is None else _tree.unflatten(self.entry.out_spec, self.made.results)

    @property
    def jaxpr(self):
        from jax._jaxpr import closed_jaxpr
        return closed_jaxpr(self.entry.program)

    def cost_analysis(self):
        return {}

    @property
    def in_avals(self):
        return self.signature.tree(self.signature.avals)

    @property
    def in_tree(self):
        from jax._pytree import PyTreeDef
        return PyTreeDef(self.signature.spec)

    @property
    def out_tree(self):
        from jax._pytree import PyTreeDef
        return PyTreeDef(self.entry.out_spec)

    @property
    def args_info(self):
        s = self.signature
        return s.tree([ArgInfo(a, i in s.donated) for i, a in enumerate(s.avals)])

    @property
    def donate_argnums(self):
        return self.signature.donate_argnums

    @property
    def out_info(self):
        return _tree.unflatten(self.entry.out_spec, [ShapeDtypeStruct(a.shape, a.dtype) for a in self.jaxpr.out_avals])


class Compiled(Lowered):
    @property
    def input_shardings(self):
        from jax._sharding import NamedSharding, P, SingleDeviceSharding, local_devices
        lies = self.lies or [None] * len(self.signature.avals)
        meshes = [s.mesh for s in lies if isinstance(s, NamedSharding)]
        rest = NamedSharding(meshes[0], P()) if meshes else SingleDeviceSharding(local_devices()[0])
        return self.signature.tree([s or rest for s in lies])

    def as_text(self):
        return self.made.program.optimise().text()

    def __call__(self, *args, **kwargs):
        out = self.made.run(self.signature.check(args, kwargs, self.fun))
        if self.made.results is not None:
            from jax._layout import place_results
            place_results(out, self.made.results)
        return _tree.unflatten(self.entry.out_spec, out)
