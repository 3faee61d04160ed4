# Kernels by their names, in graphs: nodes of torch.fx, and record_function as a tracer of one's own writes it.
import torch
import torch.fx


class M(torch.nn.Module):
    def forward(self, x, y):
        a = torch.ops.aten.add.Tensor(x, y)
        b = torch.ops.aten.relu(a)
        return torch.ops.aten.sum.default(b)


g = torch.fx.symbolic_trace(M())
print(g.code)
x = torch.arange(4.0) - 2
print(g(x, x), M()(x, x))
for n in g.graph.nodes:
    print(n.op, n.name, n.target if n.op != "output" else "", n.args)


class Tracer(torch.fx.Tracer):
    def trace(self, root, concrete_args=None):
        record = torch.autograd.profiler.record_function
        enter, leave = record.__enter__, record.__exit__

        def on_enter(r):
            r.handle = self.create_proxy("call_function", torch.ops.profiler._record_function_enter, (r.name,), {})
            return r.handle

        def on_exit(r, kind, value, trace):
            torch.ops.profiler._record_function_exit(r.handle)

        record.__enter__, record.__exit__ = on_enter, on_exit
        try:
            return super().trace(root, concrete_args)
        finally:
            record.__enter__, record.__exit__ = enter, leave


class Named(torch.nn.Module):
    def forward(self, x):
        with torch.profiler.record_function("part"):
            return torch.relu(x)


t = Tracer()
graph = t.trace(Named())
traced = torch.fx.GraphModule(t.root, graph)
print(traced.code)
with torch.autograd.profiler.profile() as prof:
    print(traced(x))
print(any(e.key == "part" for e in prof.key_averages()), torch.cuda._initialized)

# Names of nodes: only those that begin and end with two underscores lose them.
class _Inner(torch.nn.Module):
    def forward(self, x): return x*2
class M(torch.nn.Module):
    def __init__(self):
        super().__init__(); self._a=_Inner(); self.b_=torch.nn.Linear(2,2); self.__c=torch.nn.ReLU(); self._p=torch.nn.Parameter(torch.ones(2)); self.LinearX=torch.nn.Linear(2,2)
    def forward(self,_x, y__=1):
        z=self.b_(_x)+self._p
        z=self._M__c(z) if hasattr(self,'_M__c') else z
        z=z.__add__(1); z=z.relu_(); z=self.LinearX(z); z=torch.add(z,1); z=z._is_view(); 
        return z
print(torch.fx.symbolic_trace(M()).code)
