"""torch.compile(model, backend="weft"), and torch.export's programs as models.

AOTAutograd gives a forward and a backward graph of ATen's ops; each becomes a program, with symbolic sizes where torch has them, which
is compiled. A graph with an op that has no lowering is run by torch as it is, and the reason is logged (torch's logger "weft"). Random
masks and numbers are drawn by torch before the program runs, so that they are the numbers of eager mode.
"""
import functools
import logging
import math
import operator
import os
import re

import torch
from torch._dynamo import disable
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import aot_module_simplified, make_boxed_func
from torch._subclasses.fake_tensor import unset_fake_temporarily

from . import _weft
from ._aten import OPS, Refuse
from ._errors import Error
from ._program import Model
from ._trace import Size

log = logging.getLogger("weft")
_weft.use_openmp()  # torch's
RANDOM = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "bernoulli", "native_dropout", "normal",
          "normal_functional", "multinomial", "uniform", "exponential"}
# Ops of composite kinds that have lowerings of their own: to take them apart is most of what AOTAutograd does in a first call.
OWN = {"_scaled_dot_product_flash_attention_for_cpu", "silu", "roll", "pixel_shuffle", "stack", "softplus", "t", "transpose", "_reshape_alias",
       "_unsafe_view", "detach", "select_backward", "slice_backward", "masked_fill", "native_layer_norm_backward", "gelu_backward", "zeros", "zeros_like", "new_zeros",
       "ones", "ones_like", "squeeze", "split", "unbind"}
reasons = []  # why graphs were left to torch, in order


@functools.cache
def decompositions(exported=False):
    """Made once. exported: with those of composite ops, which AOTAutograd has taken apart and exported graphs still have; torch goes through
    all of its operators for them, which takes longer than compiling a small network."""
    from torch import _decomp
    from torch._decomp import get_decompositions
    a = torch.ops.aten
    core = None if exported else getattr(_decomp, "_core_aten_decompositions_post_autograd", None)
    table = dict((core or _decomp.core_aten_decompositions)())
    table.update(get_decompositions([a.grid_sampler_2d, a._adaptive_avg_pool3d_backward, a.native_batch_norm_backward,
                                     a.nll_loss2d_forward, a.nll_loss2d_backward]))
    own = [k for k in table if k.name().split("::")[1].split(".")[0] in OWN]
    for k in own:
        del table[k]
    return table


class Lowering:
    """One graph on its way to a program."""

    size_of = staticmethod(Size.of)

    def __init__(self, name):
        self.b = _weft.Builder(name, "torch", _weft.dtype_name(torch.get_default_dtype()))
        self.values, self.node, self.meta = {}, None, None
        self.inputs, self.sources = [], []  # symbols, and what gives each its array when it is run
        self.symbols, self.names = {}, {}   # sizes by torch's symbol or expression; names of expressions
        self.bare = set()                   # symbols that are a size of an input by themselves
        self.shifted = {}                   # symbols that are one but for a number: what they are by a symbol that is

    # ---- sizes

    def type_of(self, t):
        if t.device.type != "cpu":
            raise Refuse(f"a tensor on {t.device}")
        if t.layout != torch.strided:
            raise Refuse(f"a tensor whose layout is {t.layout}")
        dims = [str(int(d)) if isinstance(d, int) else self.name_of(d) for d in t.shape]
        return f"{_weft.dtype_name(t.dtype)}[{','.join(dims)}]"

    def name_of(self, d):
        """torch's symbol or a sum of products of those that stand by themselves; of others a name: equal ones are one size."""
        expr = d.node.expr
        if any(a in self.shifted for a in expr.free_symbols):
            expr = expr.xreplace(self.shifted).expand()
        text = str(expr).replace(" ", "")
        plain = text.isidentifier() or ("**" not in text and len(text) < 64 and re.fullmatch(r"[A-Za-z_0-9][A-Za-z_0-9*+-]*", text) and
                                        all(str(a) in self.bare for a in expr.free_symbols))
        return text if plain else self.names.setdefault(text, f"e{len(self.names)}_")

    def find_bare(self, dims):
        """Which symbols the sizes of the inputs give: those that are one, and those of which one is s + number, as s of a cache to which a
        step was added: then s + number is a symbol, and s that less the number."""
        exprs = [d.node.expr for d in dims if isinstance(d, torch.SymInt)]
        self.bare = {str(e) for e in exprs if e.is_Symbol}
        for e in exprs:
            number, rest = e.as_coeff_Add()
            if number.is_Integer and rest.is_Symbol and str(rest) not in self.bare:
                longer = type(rest)(f"{rest}_{'m' if number < 0 else 'p'}{abs(int(number))}", integer=True)
                self.shifted[rest] = longer - number
                self.bare |= {str(rest), str(longer)}

    def learn(self, t, v):
        for d, size in zip(t.shape, v.dims):
            if not isinstance(d, int):
                self.symbols.setdefault(str(d.node.expr), Size.of(self.b, size))
                number, rest = d.node.expr.as_coeff_Add()
                if rest in self.shifted:
                    self.symbols.setdefault(str(rest), Size.of(self.b, size) - int(number))

    def size(self, d):
        """torch's size as Weft's: by its expression over symbols."""
        if isinstance(d, (int, Size)):
            return d
        if isinstance(d, _weft.Value):
            return Size.of(self.b, self.b.size_from(d))
        expr = d.node.expr if hasattr(d, "node") else d
        return self.evaluate(expr)

    def evaluate(self, e):
        if e.is_Integer:
            return int(e)
        if str(e) in self.symbols and (e.is_Symbol or any(str(a) not in self.symbols for a in e.free_symbols)):
            return self.symbols[str(e)]
        if e.is_Symbol:
            raise Refuse(f"the size {e} is not of an input")
        name = type(e).__name__
        if name == "Add":  # what is added first: sizes are not negative in between
            less = [a for a in e.args if a.could_extract_minus_sign()]
            return sum(self.evaluate(a) for a in e.args if a not in less) - sum(self.evaluate(-a) for a in less)
        args = [self.evaluate(a) for a in e.args]
        if name == "Mul":
            return math.prod(args)
        if name in ("FloorDiv", "CleanDiv", "PythonMod", "Mod"):
            return args[0] // args[1] if "Div" in name else args[0] % args[1]
        if name == "Pow" and isinstance(args[1], int) and args[1] > 0:
            out = args[0]
            for _ in range(args[1] - 1):
                out = out * args[0]
            return out
        raise Refuse(f"a size {e}")

    def sizes(self, dims):
        return [d if isinstance(d, int) and not isinstance(d, bool) else self.size(d) for d in dims]

    def dtype(self):
        return _weft.dtype_name(self.meta.dtype)

    # ---- nodes

    def add_input(self, name, t, source):
        v = self.b.symbol(name, self.type_of(t))
        self.learn(t, v)
        self.inputs.append(v)
        self.sources.append(source)
        return v

    def placeholders(self, nodes):
        later = []
        self.find_bare(d for n in nodes if isinstance(n.meta.get("val"), torch.Tensor) for d in n.meta["val"].shape)
        for i, n in enumerate(nodes):
            val = n.meta.get("val")
            if isinstance(val, torch.Tensor):
                self.values[n] = self.add_input(n.name, val, i)
            elif isinstance(val, torch.SymInt):
                later.append((i, n, val))
            elif isinstance(val, torch.SymFloat):
                self.values[n] = self.b.symbol(n.name, "f64[]")
                self.inputs.append(self.values[n])
                self.sources.append(i)
            elif isinstance(val, (int, float, bool)) or val is None:
                self.values[n] = val
            else:
                raise Refuse(f"an input that is {type(val).__name__}")
        for i, n, val in later:
            name = str(val.node.expr)
            if name.isidentifier() and name not in self.symbols:
                v = self.b.symbol(n.name, "i64[]")
                self.inputs.append(v)
                self.sources.append(i)
                self.symbols[name] = Size.of(self.b, self.b.size_from(v))
            self.values[n] = self.size(val)

    def arg(self, a):
        if isinstance(a, torch.fx.Node):
            return self.values[a]
        if isinstance(a, (list, tuple)):
            return [self.arg(x) for x in a]
        return a

    def draw(self, n):
        """A random op: torch runs it before the program does, on the sizes of the time."""
        metas = n.meta["val"]
        name = n.target.overloadpacket.__name__

        def sized(env, a):
            if isinstance(a, torch.fx.Node):
                m = a.meta["val"]
                if not isinstance(m, torch.Tensor):
                    return concrete(m, env)
                like = torch.empty_strided(*([concrete(d, env) for d in s] for s in (m.shape, m.stride())), dtype=m.dtype)
                return like.fill_(1)  # numbers are drawn in the order of memory
            if isinstance(a, (list, tuple)):
                return [sized(env, x) for x in a]
            return concrete(a, env)
        if name in ("bernoulli", "multinomial", "normal") and not isinstance(metas, tuple) and any(
                isinstance(a, torch.fx.Node) and isinstance(a.meta["val"], torch.Tensor) for a in n.args):
            raise Refuse(f"random numbers by {name} of values")

        def run(env, target=n.target, args=n.args, kwargs=n.kwargs):
            out = target(*sized(env, list(args)), **{k: sized(env, v) for k, v in kwargs.items()})
            return out[1] if name == "native_dropout" else out
        if name == "native_dropout":
            x, p, train = (self.arg(a) for a in (*n.args, True)[:3])
            if not train or p == 0:
                return x, self.b.broadcast_to(self.b.constant(True), list(x.dims))
            mask = self.add_input(n.name + "_mask", metas[1], run)
            return self.b.mul(self.b.mul(x, self.b.cast(mask, x.dtype)), 1 / (1 - p) if p < 1 else 0.0), mask
        return self.add_input(n.name, metas, run)

    def call(self, n):
        target, self.node, self.meta = n.target, n, n.meta.get("val")
        if target is operator.getitem:
            return self.arg(n.args[0])[n.args[1]]
        if isinstance(self.meta, torch.SymFloat):
            return self.number(target, [self.as_float(a) for a in self.arg(n.args)])
        if target in SYMBOLIC_OPS:
            a, b = (self.size(x) if not isinstance(x, (int, Size)) else x for x in map(self.arg, n.args))
            return SYMBOLIC_OPS[target](a, b)
        if isinstance(self.meta, torch.SymInt):
            return self.size(self.meta)
        if not isinstance(target, torch._ops.OpOverload):
            raise Refuse(f"{target} is no op of ATen")
        name = target.overloadpacket.__name__
        if name in ("sym_size", "sym_numel", "sym_stride", "sym_storage_offset"):
            return self.meta
        if isinstance(self.meta, int) and not isinstance(self.meta, bool):
            return self.meta
        if name in RANDOM:
            return self.draw(n)
        f = OPS.get(f"{name}.{target._overloadname}") or OPS.get(name)
        if f is None or target.namespace not in ("aten", "prims"):
            raise Refuse(f"{target} has no lowering")
        return self.typed(f(self, *self.arg(n.args), **{k: self.arg(v) for k, v in n.kwargs.items()}), self.meta)

    def as_float(self, a):
        """A number, or a size, as an f64 of the program."""
        return self.b.cast(self.b.size_tensor(a) if isinstance(a, Size) else self.b.constant(float(a)) if isinstance(a, (int, float)) else a, "f64")

    def number(self, target, args):
        """Arithmetic on numbers that come from sizes, as 1 / n of a mean."""
        name = FLOAT_OPS.get(target) or FLOAT_OPS.get(getattr(target, "__name__", ""))
        if name is None:
            raise Refuse(f"{target} of numbers has no lowering")
        return args[0] if name == "same" else getattr(self.b, name)(*args)

    def typed(self, out, meta):
        if isinstance(out, (tuple, list)):
            return tuple(self.typed(o, m) for o, m in zip(out, meta))
        if out is None or not isinstance(meta, torch.Tensor):
            return out
        want = _weft.dtype_name(meta.dtype)
        return out if out.dtype == want else self.b.cast(out, want)

    def place(self, n):
        text = n.meta.get("stack_trace") or ""
        at = text.rfind('File "')
        if at >= 0:
            file, _, rest = text[at + 6:].partition('", line ')
            self.b.place(file, int(rest.split(",")[0]))

    def run(self, graph):
        nodes = list(graph.nodes)
        self.placeholders([n for n in nodes if n.op == "placeholder"])
        for n in nodes:
            if n.op == "call_function":
                self.place(n)
                try:
                    self.values[n] = self.call(n)
                except (Error, TypeError, ValueError, KeyError, IndexError) as e:
                    raise Refuse(f"{n.target}: {e}") from e
            elif n.op == "get_attr":
                self.values[n] = self.attribute(graph.owning_module, n.target)
            elif n.op == "output":
                return self.finish(n.args[0])
            elif n.op != "placeholder":
                raise Refuse(f"{n.op} {n.target}")

    def attribute(self, module, path):
        for part in path.split("."):
            module = getattr(module, part)
        if not isinstance(module, torch.Tensor):
            raise Refuse(f"the attribute {path} is {type(module).__name__}")
        if type(module).__name__ == "FakeTensor":
            raise Refuse(f"the constant {path} has no numbers here")
        with unset_fake_temporarily():  # a constant has numbers, which torch does not show while it follows shapes
            return self.b.constant(module.detach())

    def finish(self, outs):
        """(program, plan): what to make of its results, one entry each: None, a number, or (which, permutation or strides)."""
        plan, results = [], []
        for o in outs if isinstance(outs, (tuple, list)) else [outs]:
            v = self.values[o] if isinstance(o, torch.fx.Node) else o
            meta = o.meta.get("val") if isinstance(o, torch.fx.Node) else None
            if v is None or isinstance(v, (int, float, bool)):
                plan.append(("value", v))
            elif isinstance(meta, torch.SymFloat):
                plan.append(("float", len(results)))
                results.append(v)
            elif isinstance(v, Size):
                plan.append(("size", len(results)))
                results.append(self.b.cast(self.b.size_tensor(v), "i64"))
            else:
                order = memory_order(meta)
                if order is not None:
                    v = self.b.permute(v, order)
                    plan.append(("permuted", len(results), [order.index(i) for i in range(len(order))]))
                else:
                    plan.append(("plain", len(results)))
                results.append(v)
        return self.b.finish(self.inputs, results), plan


SYMBOLIC_OPS = {operator.add: lambda a, b: a + b, operator.sub: lambda a, b: a - b, operator.mul: lambda a, b: a * b,
                operator.floordiv: lambda a, b: a // b, operator.mod: lambda a, b: a % b}


FLOAT_OPS = {operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div", operator.pow: "pow", operator.neg: "neg", "sym_float": "same",
             "sym_sum": "add", "_sym_sqrt": "sqrt", "_sym_exp": "exp", "_sym_log": "log", "sym_max": "maximum", "sym_min": "minimum"}


def memory_order(meta):
    """Axes in the order of memory, if torch says that a result is dense and not row-major."""
    if not isinstance(meta, torch.Tensor) or not all(isinstance(d, int) for d in (*meta.shape, *meta.stride())):
        return None
    if meta.is_contiguous() or meta.dim() < 2:
        return None
    order = sorted(range(meta.dim()), key=lambda k: (-meta.stride(k), meta.shape[k] == 1, k))
    return order if meta.permute(order).is_contiguous() else None


def concrete(d, env):
    """A size for the sizes of the time."""
    if isinstance(d, torch.SymInt):
        return int(d.node.expr.subs(env)) if not d.node.expr.is_Integer else int(d.node.expr)
    return d


class Compiled:
    """A program as torch calls it: a list of arguments, a list of results."""

    def __init__(self, program, plan, sources, nodes):
        self.program, self.plan, self.sources = program, plan, sources
        self.run = program.compile()
        self.direct = all(isinstance(s, int) for s in sources) and all(p[0] == "plain" for p in plan)
        self.single = len(program.outputs) == 1
        self.metas = [n.meta.get("val") for n in nodes]
        self.all = sources == list(range(len(nodes)))
        self.none = all(p[0] == "value" for p in plan)

    def env(self, args):
        """Numbers of torch's symbols."""
        out = {}
        for m, a in zip(self.metas, args):
            for d, n in zip(m.shape, a.shape) if isinstance(m, torch.Tensor) else [(m, a)]:
                if isinstance(d, torch.SymInt) and d.node.expr.is_Symbol:
                    out[d.node.expr] = int(n)
        return out

    def __call__(self, args):
        if self.direct:
            given = args if self.all else [args[s] for s in self.sources]
        else:
            env = self.env(args) if any(callable(s) for s in self.sources) else None
            given = [s(env) if callable(s) else args[s] for s in self.sources]
        out = () if self.none else self.run(*given)
        out = (out,) if self.single else out
        if not self.sources and out:
            out = tuple(torch.from_dlpack(o) if not isinstance(o, torch.Tensor) else o for o in out)
        if self.direct:
            return list(out) if len(out) == len(self.plan) else [out[p[1]] for p in self.plan]
        results = []
        for p in self.plan:
            if p[0] == "value":
                results.append(p[1])
            elif p[0] == "size":
                results.append(int(out[p[1]]))
            elif p[0] == "float":
                results.append(float(out[p[1]]))
            else:
                results.append(out[p[1]].permute(p[2]) if p[0] == "permuted" else out[p[1]])
        return results


def lower(gm, name="f"):
    """(program, plan, sources): a graph of ATen's ops as a program. Refuse says why not."""
    c = Lowering(name)
    try:
        program, plan = c.run(gm.graph)
        return program, plan, c.sources
    finally:
        c.b.close()


def compile_graph(gm, example_inputs):
    try:
        program, plan, sources = lower(gm)
        done = Compiled(program, plan, sources, [n for n in gm.graph.nodes if n.op == "placeholder"])
        done._boxed_call = True
        return done
    except (Refuse, Error) as e:
        reasons.append(str(e))
        log.warning("weft: a graph is left to torch: %s", e)
        return make_boxed_func(gm.forward)


def compile_backward(gm, example_inputs):
    """Dynamo is not to trace it, nor what it makes."""
    return disable(disable(compile_graph)(gm, example_inputs))


compile_backward._is_wrapped_bw_compiler = True  # aot_autograd need not


def partition(*args, **kwargs):
    """torch's own, without its pass for equal nodes: that loads all of inductor, more than half of the first call, and programs have one."""
    from functorch.compile import min_cut_rematerialization_partition
    with torch._functorch.config.patch(cse=False):
        return min_cut_rematerialization_partition(*args, **kwargs)


def backend(gm, example_inputs, **options):
    """What torch.compile(backend="weft") calls."""
    if options:
        raise TypeError(f"weft: torch.compile's {', '.join(options)} mean nothing to this back end")
    how = dict(fw_compiler=compile_graph, bw_compiler=compile_backward, inference_compiler=compile_graph, decompositions=decompositions(), partition_fn=partition)
    if os.environ.get("TORCH_COMPILE_DEBUG") == "1" or any(isinstance(x, (list, tuple, dict)) for x in example_inputs):
        return aot_autograd(**how)(gm, example_inputs)
    return disable(aot_module_simplified(gm, example_inputs, **how))  # aot_autograd does this, having loaded inductor to log what it does


def from_exported(exported, name="forward"):
    """A model of a torch.export.ExportedProgram: parameters and buffers are tensors of the model; a buffer that forward changes is
    changed in the model."""
    from torch.export.graph_signature import InputKind, OutputKind
    ep = exported.run_decompositions(decompositions(True))
    sig, gm = ep.graph_signature, ep.graph_module
    c = Lowering(name)
    try:
        nodes = [n for n in gm.graph.nodes if n.op == "placeholder"]
        c.placeholders(nodes)
        kinds = {s.arg.name: s for s in sig.input_specs}
        state, model = {}, Model()
        for n in nodes:
            spec = kinds[n.name]
            if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER):
                state[n] = spec.target
            elif spec.kind == InputKind.CONSTANT_TENSOR:
                c.values[n] = c.b.constant(ep.constants[spec.target])
        for n in gm.graph.nodes:
            if n.op == "call_function":
                c.place(n)
                try:
                    c.values[n] = c.call(n)
                except (Error, TypeError, ValueError, KeyError, IndexError) as e:
                    raise Refuse(f"{n.target}: {e}") from e
            elif n.op == "get_attr":
                c.values[n] = c.attribute(gm, n.target)
        if any(callable(s) for s in c.sources):
            raise Refuse("random numbers: export the model in evaluation mode")
        out = next(n for n in gm.graph.nodes if n.op == "output").args[0]
        updates = {s.target: o for s, o in zip(sig.output_specs, out) if s.kind == OutputKind.BUFFER_MUTATION}
        results = [c.values[o] for s, o in zip(sig.output_specs, out) if s.kind == OutputKind.USER_OUTPUT]
        lines = [f"state {t}\n" for t in state.values()] + [f"update {t}\n" for t in updates]
        tensors = [n for n in nodes if isinstance(c.values[n], _weft.Value) and n not in state
                   and kinds[n.name].kind != InputKind.CONSTANT_TENSOR]
        inputs = [c.values[n] for n in state] + [c.values[n] for n in tensors]
        program = c.b.finish(inputs, results + [c.values[o] for o in updates.values()])
    except Refuse as e:
        from ._errors import UnsupportedError
        raise UnsupportedError(f"from_torch: {e}") from e
    finally:
        c.b.close()
    model.add(program)
    for target in state.values():
        t = ep.state_dict[target] if target in ep.state_dict else ep.constants[target]
        model.tensors[target] = t.detach()
    model.set_meta(f"method.{name}", "".join(lines))
    model.set_meta("tree", tree_text(state.values(), {n for n, _ in exported.named_parameters()}))
    return model


def tree_text(names, parameters):
    """The tree of the model, as files have it: modules, then tensors."""
    seen, lines = set(), ["module\t\tExported\t\n"]
    for n in names:
        parts = n.split(".")
        for k in range(1, len(parts)):
            path = ".".join(parts[:k])
            if path not in seen:
                seen.add(path)
                lines.append(f"module\t{path}\tModule\t\n")
    return "".join(lines) + "".join(f"{'param' if n in parameters else 'buffer'}\t{n}\n" for n in names)
