# jax.export -- functions as programs that outlive this run: traced for given types, written as bytes (a .weft file), read and called.
import os as _os
import pickle as _pickle
import tempfile as _tempfile

import _jax as _w
import _tree
import jax
from jax._jaxpr import ShapedArray, closed_jaxpr as _closed_jaxpr

minimum_supported_calling_convention_version, maximum_supported_calling_convention_version = 9, 10


def default_export_platform():
    return jax.default_backend()


class DisabledSafetyCheck:
    # A check that export or call shall leave out.
    def __init__(self, what):
        self._what = what

    @classmethod
    def platform(cls):
        return cls("platform")

    @classmethod
    def custom_call(cls, target_name):
        return cls("custom_call:" + target_name)

    def is_custom_call(self):
        return self._what[12:] if self._what.startswith("custom_call:") else None

    def __eq__(self, other):
        return isinstance(other, DisabledSafetyCheck) and self._what == other._what

    def __hash__(self):
        return hash(self._what)

    def __repr__(self):
        return f"DisabledSafetyCheck({self._what})"


class Exported:
    nr_devices = 1
    calling_convention_version = maximum_supported_calling_convention_version

    def __init__(self, fun_name, program, in_spec, out_spec, in_avals, platforms, disabled, vjp_order):
        self.fun_name, self._program, self._in_spec, self._out_spec = fun_name, program, in_spec, out_spec
        self.in_avals, self.out_avals = tuple(in_avals), tuple(_closed_jaxpr(program).out_avals)
        self.platforms, self.disabled_safety_checks, self._order = tuple(platforms), tuple(disabled), vjp_order

    @property
    def in_tree(self):
        return jax.tree.structure(_tree.unflatten(self._in_spec, list(range(len(self.in_avals)))))

    @property
    def out_tree(self):
        return jax.tree.structure(_tree.unflatten(self._out_spec, list(range(len(self.out_avals)))))

    def has_vjp(self):
        return self._order is None or self._order > 0

    def mlir_module(self):
        raise NotImplementedError("Exported.mlir_module: a program here is no MLIR; Exported.program_text() shows it")

    @property
    def mlir_module_serialized(self):
        raise NotImplementedError("Exported.mlir_module_serialized: a program here is no MLIR; serialize() gives its bytes")

    def program_text(self):
        return self._program.text()

    def serialize(self, vjp_order=0):
        about = (self.fun_name, self._in_spec, self._out_spec, [(tuple(a.shape), a.dtype.name, a.weak_type) for a in self.in_avals],
                 self.platforms, [c._what for c in self.disabled_safety_checks], vjp_order)
        path = _os.path.join(_tempfile.mkdtemp(), "exported.weft")
        _w.save_model(path, {}, {"exported": _pickle.dumps(about).hex()}, [self._program])
        with open(path, "rb") as f:
            data = bytearray(f.read())
        _os.remove(path)
        _os.rmdir(_os.path.dirname(path))
        return data

    def _checked(self, args, kwargs):
        leaves, spec = _tree.flatten((args, kwargs), lambda x: isinstance(x, _w.Tensor), False)
        if spec != self._in_spec:
            raise ValueError(f"The invocation args and kwargs must have the same pytree structure as when the function '{self.fun_name}' was exported")
        platform = default_export_platform()
        if platform not in self.platforms and DisabledSafetyCheck.platform() not in self.disabled_safety_checks:
            raise ValueError(f"Function '{self.fun_name}' was exported for platforms '{self.platforms}' but it is used on '('{platform}',)'.")
        leaves = [jax.numpy.asarray(x) for x in leaves]
        for i, (x, a) in enumerate(zip(leaves, self.in_avals)):
            if tuple(x.shape) != tuple(a.shape) or x.dtype != a.dtype:
                raise ValueError(f"Shape or dtype mismatch for argument {i} of '{self.fun_name}': expected {a.str_short()}, got {x.aval.str_short()}")
        return leaves

    def call(self, *args, **kwargs):
        out = _ordered(lambda *xs: tuple(_w.apply(self._program, list(xs))), self._order)(*self._checked(args, kwargs))
        return _tree.unflatten(self._out_spec, list(out))

    def vjp(self):
        # the function (arguments, cotangents) -> cotangents of the arguments, exported too
        if not self.has_vjp():
            raise ValueError("No VJP is available")
        n = len(self.in_avals)

        def pulled(*xs):
            return tuple(jax.vjp(lambda *a: tuple(_w.apply(self._program, a)), *xs[:n])[1](tuple(xs[n:])))
        structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.in_avals + self.out_avals]
        return export(jax.jit(pulled), platforms=self.platforms)(*structs)


def _ordered(fun, order):
    # fun, of arrays to a tuple, with derivatives up to an order; None: all
    if order is None:
        return fun
    if order == 0:
        def last(*xs):
            if any([_w.about(x, "need") for x in xs]):
                raise ValueError("No VJP is available")
            return fun(*xs)
        return last

    def pulled(*xs):
        n = len(xs) - count[0]
        return tuple(jax.vjp(fun, *xs[:n])[1](tuple(xs[n:])))

    def forward(*xs):
        ys = fun(*xs)
        count[0] = len(ys)
        return ys, xs
    count = [0]
    ruled = jax.custom_vjp(fun)
    ruled.defvjp(forward, lambda xs, gs: _ordered(pulled, order - 1)(*xs, *gs))
    return ruled


def export(fun_jit, *, platforms=None, disabled_checks=(), **options):
    if options:
        raise NotImplementedError("jax.export.export: " + ", ".join(options))

    def of(*args, **kwargs):
        f = fun_jit if hasattr(fun_jit, "lower") else jax.jit(fun_jit)
        entry = f.lower(*args, **kwargs).entry
        if entry.mesh is not None:
            raise NotImplementedError("jax.export of a function whose arguments are divided among devices")
        if entry.program.captures:
            raise NotImplementedError("jax.export inside a traced function")
        leaves, spec = _tree.flatten((args, kwargs), lambda x: isinstance(x, (_w.Tensor, jax.ShapeDtypeStruct)), False)
        for x in leaves:
            if getattr(x, "sharding", None) is not None and isinstance(x, jax.ShapeDtypeStruct):
                raise NotImplementedError("jax.export of a function whose arguments are divided among devices")
        weak = [not hasattr(x, "dtype") or bool(getattr(x, "weak_type", False)) for x in leaves]
        avals = [ShapedArray(a.shape, a.dtype, w) for a, w in zip(_closed_jaxpr(entry.program).in_avals, weak)]
        return Exported(getattr(f, "__name__", "fun"), entry.program, spec, entry.out_spec, avals, platforms or (default_export_platform(),),
                        disabled_checks, None)
    return of


def deserialize(blob):
    path = _os.path.join(_tempfile.mkdtemp(), "exported.weft")
    with open(path, "wb") as f:
        f.write(bytes(blob))
    try:
        _, texts, programs = _w.load_model(path, ["exported"])
    finally:
        _os.remove(path)
        _os.rmdir(_os.path.dirname(path))
    if "exported" not in texts:
        raise ValueError("jax.export.deserialize: the bytes are not those of Exported.serialize")
    name, in_spec, out_spec, avals, platforms, disabled, order = _pickle.loads(bytes.fromhex(texts["exported"]))
    avals = [ShapedArray(s, jax.numpy.dtype(d), w) for s, d, w in avals]
    return Exported(name, list(programs.values())[0], in_spec, out_spec, avals, platforms, [DisabledSafetyCheck(c) for c in disabled], order)


def __getattr__(name):
    if name in ("symbolic_shape", "symbolic_args_specs", "SymbolicScope", "register_pytree_node_serialization", "register_namedtuple_serialization"):
        raise AttributeError(f"module 'jax.export' has no attribute '{name}': exported functions have fixed shapes and plain containers here")
    raise AttributeError(f"module 'jax.export' has no attribute '{name}'")
