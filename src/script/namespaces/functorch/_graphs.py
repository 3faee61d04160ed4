# functorch._graphs -- programs as scripts see them: make_fx, and ahead-of-time differentiation
# whose forward and backward programs go through the user's own compilers.
import _torch as _w
import _tree


class Graph:
    def __init__(self, program):
        self.program = program

    @property
    def nodes(self):
        values, inputs, eqns, results = self.program.view()
        out = [Node("placeholder", f"arg{i}_1", None, (), {}) for i in range(len(inputs))]
        names = {v: n for v, n in zip(inputs, out)}
        for op, ins, outs, attrs in eqns:
            node = Node("call_function", f"{op}_{outs[0]}" if outs else op, op, tuple([names[v] for v in ins]), attrs)
            out.append(node)
            for v in outs:
                names[v] = node
        out.append(Node("output", "output", "output", tuple([names[v] for v in results]), {}))
        return out

    def __str__(self):
        return self.program.text()

    def print_tabular(self):
        print("opcode         name           target         args")
        for n in self.nodes:
            print(f"{n.op:<14} {n.name:<14} {str(n.target):<14} {n.args}")


class Node:
    def __init__(self, op, name, target, args, kwargs):
        self.op, self.name, self.target, self.args, self.kwargs = op, name, target, args, kwargs

    def __repr__(self):
        return self.name


class GraphModule:
    # A program that is called like the function it was made of.
    def __init__(self, program, in_spec=None, out_spec=None):
        self.program, self.in_spec, self.out_spec = program, in_spec, out_spec
        self.graph = Graph(program)

    @property
    def code(self):
        return self.program.text()

    def __repr__(self):
        return "GraphModule()\n\n\n" + self.program.text()

    def print_readable(self, print_output=True):
        if print_output:
            print(self.program.text())
        return self.program.text()

    def forward(self, *args):
        leaves = _tree.flatten(args, None, False)[0]
        out = _w.apply(self.program, [x for x in leaves if isinstance(x, _w.Tensor)])
        if self.out_spec is not None:
            return _tree.unflatten(self.out_spec, out)
        return tuple(out)

    __call__ = forward

    def recompile(self):
        return self

    def eval(self):
        return self

    def train(self, mode=True):
        return self


def traced(fn, args, kwargs=None):
    # (program, tree of the results); arguments that are no tensors stay what they are
    leaves, spec = _tree.flatten((args, kwargs or {}), None, False)
    live = [i for i, x in enumerate(leaves) if isinstance(x, _w.Tensor)]
    out = []

    def flat(*xs):
        new = list(leaves)
        for i, x in zip(live, xs):
            new[i] = x
        a, k = _tree.unflatten(spec, new)
        ys, s = _tree.flatten(fn(*a, **k), None, False)
        out.append(s)
        return ys

    xs = [_w.detach(leaves[i]) for i in live]
    return _w.trace(flat, xs), out[-1], live


def make_fx(f, decomposition_table=None, tracing_mode="real"):
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"Unexpected tracing type: {tracing_mode}")
    if decomposition_table:
        raise NotImplementedError("make_fx: decomposition_table: graphs are of Weft's operations")
    def make(*args):
        program, out, live = traced(f, args)
        return GraphModule(program, None, out)
    return make


# ---- ahead of time


def make_boxed_func(f):
    def boxed(args):
        return f(*args)
    boxed._boxed_call = True
    return boxed


def make_boxed_compiler(compiler):
    def compile(module, inputs):
        return make_boxed_func(compiler(module, inputs))
    return compile


def boxed_nop(module, inputs):
    return make_boxed_func(module)


def nop(module, inputs):
    return module


def ts_compile(module, inputs):
    return module


def print_compile(module, inputs):
    print(module.code)
    return module


def _call(compiled, args):
    out = compiled(list(args)) if getattr(compiled, "_boxed_call", False) else compiled(*args)
    return [out] if isinstance(out, _w.Tensor) else list(out)


class _Compiled:
    # One signature of a function: its forward, and where gradients are asked for its backward,
    # through the user's compilers. The backward is compiled when it is first run.
    def __init__(self, fn, args, kwargs, fw, bw):
        program, self.out_spec, self.live = traced(fn, args, kwargs)
        self.bw = bw
        leaves = _tree.flatten((args, kwargs), None, False)[0]
        xs = [leaves[i] for i in self.live]
        self.wrt = [i for i, x in enumerate(xs) if x.requires_grad]
        self.count = program.outputs
        self.backward = None
        if not self.wrt:
            self.forward = fw(GraphModule(program), xs)
            return
        first, self.back_program = program.split(self.wrt)
        self.forward = fw(GraphModule(first), xs)

    def run(self, xs):
        if not self.wrt:
            return _call(self.forward, xs)[:self.count]
        from torch.autograd import Function
        if _Compiled.step is None:
            class AotFunction(Function):
                @staticmethod
                def forward(ctx, own, *xs):
                    out = _call(own.forward, xs)
                    ctx.own = own
                    ctx.kept = out[own.count:]
                    ctx.n = len(xs)
                    return tuple(out[:own.count])

                @staticmethod
                def backward(ctx, *gys):
                    return (None,) + tuple(ctx.own.pull(ctx.kept, gys, ctx.n))

            _Compiled.step = AotFunction
        return list(_Compiled.step.apply(self, *xs))

    step = None

    def pull(self, kept, gys, n):
        args = list(kept) + [g for g in gys if g is not None]
        if self.backward is None:
            self.backward = self.bw(GraphModule(self.back_program), args)
        gxs = _call(self.backward, args)
        out = [None] * n
        for i, g in zip(self.wrt, gxs):
            out[i] = g
        return out


def aot_function(fn, fw_compiler, bw_compiler=None, partition_fn=None, decompositions=None, num_params_buffers=0,
                 keep_inference_input_mutations=False, inference_compiler=None, dynamic=False):
    if partition_fn not in (None, default_partition, min_cut_rematerialization_partition) or decompositions or inference_compiler is not None:
        raise NotImplementedError("aot_function: partition_fn, decompositions, inference_compiler")
    cache = {}
    bw = fw_compiler if bw_compiler is None else bw_compiler

    def compiled(*args, **kw):
        leaves, spec = _tree.flatten((args, kw), None, False)
        key = (spec, tuple([(str(x.dtype), tuple(x.shape), x.requires_grad) if isinstance(x, _w.Tensor) else x
                            for x in leaves]))
        entry = cache.get(key)
        if entry is None:
            entry = cache[key] = _Compiled(fn, args, kw, fw_compiler, bw)
        ys = entry.run([leaves[i] for i in entry.live])
        return _tree.unflatten(entry.out_spec, ys)

    return compiled


def aot_module(mod, *args, **kwargs):
    from torch.func import functional_call

    def call(named, *inputs, **kw):
        return functional_call(mod, named, inputs, kw)

    compiled = aot_function(call, *args, **kwargs)

    def module(*inputs, **kw):
        named = dict(mod.named_parameters())
        named.update(dict(mod.named_buffers()))
        return compiled(named, *inputs, **kw)

    return module


aot_module_simplified = aot_module


def default_partition(joint_module, joint_inputs, **kwargs):
    return joint_module


min_cut_rematerialization_partition = default_partition


def memory_efficient_fusion(fn):
    from torch.nn import Module
    return aot_module(fn, ts_compile) if isinstance(fn, Module) else aot_function(fn, ts_compile)


default_decompositions = {}


def get_decompositions(aten_ops):
    if aten_ops:
        raise NotImplementedError("get_decompositions: graphs are of Weft's operations")
    return {}


def draw_graph(*args, **kwargs):
    raise NotImplementedError("functorch.compile.draw_graph: print the module's code instead")
