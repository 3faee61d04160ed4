# Passes over graphs as users write them: transformers, interpreters, patterns, shapes; forward with a self of another name.
import torch, torch.nn as nn, torch.fx as fx, operator
class M(nn.Module):
    def __init__(s):
        super().__init__(); s.p = nn.Parameter(torch.rand(3, 4)); s.linear = nn.Linear(4, 5); s.bn = nn.BatchNorm1d(5)
    def forward(s, x, k=2): return torch.topk(torch.sum(s.bn(s.linear(x + s.p)).relu(), dim=-1), k)
torch.manual_seed(0); m = M(); g = fx.symbolic_trace(m); print(g.graph); print(g.code)
for n in g.graph.nodes: print(n.op, n.name, n.args, n.kwargs, sorted(u.name for u in n.users))
for n in g.graph.nodes:
    if n.op == 'call_method' and n.target == 'relu':
        with g.graph.inserting_after(n):
            new = g.graph.call_function(torch.sigmoid, (n.args[0],)); n.replace_all_uses_with(new)
        g.graph.erase_node(n)
g.recompile(); g.graph.lint(); print(g.code); print(g(torch.ones(3, 4)))
class Swap(fx.Transformer):
    def call_function(self, target, args, kwargs):
        if target is torch.sigmoid: return torch.tanh(*args, **kwargs)
        return super().call_function(target, args, kwargs)
print(Swap(g).transform().code)
class Shape(fx.Interpreter):
    def run_node(self, n):
        r = super().run_node(n); 
        if isinstance(r, torch.Tensor): print(n.name, tuple(r.shape))
        return r
Shape(g).run(torch.ones(3, 4))
from torch.fx.passes.shape_prop import ShapeProp
ShapeProp(g).propagate(torch.ones(3, 4)); print([n.meta['tensor_meta'].shape for n in g.graph.nodes if 'tensor_meta' in n.meta and hasattr(n.meta['tensor_meta'], 'shape')])
def f(x, y):
    a = x + y; b = torch.relu(a); return b * a, [a, {'b': b}]
t = fx.symbolic_trace(f); print(t.code); t.graph.print_tabular() if 0 else None
def pat(x, y): return torch.relu(x + y)
def rep(x, y): return torch.sigmoid(x - y)
def h(x, y): return torch.relu(x + y) * 2
t = fx.symbolic_trace(h); print(len(fx.replace_pattern(t, pat, rep))); print(t.code)
def bad(x):
    if x.sum() > 0: return x
    return -x
try: fx.symbolic_trace(bad)
except Exception as e: print(type(e).__name__, e)
def bad2(x): 
    for i in range(x.shape[0]): x = x + i
    return x
try: fx.symbolic_trace(bad2)
except Exception as e: print(type(e).__name__, e)
@fx.wrap
def my(x): return x * 2
def u(x): return my(x) + len(x.shape) if 0 else my(x)
print(fx.symbolic_trace(u).code)
gr = fx.Graph(); x = gr.placeholder('x'); y = gr.call_function(operator.add, (x, 1)); z = gr.call_method('view', (y, -1)); gr.output(z); gm = fx.GraphModule(nn.Module(), gr); print(gm(torch.ones(2, 2)), gm.code)
print(fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU())).graph); 
gm.graph.eliminate_dead_code(); print(list(gm.graph.find_nodes(op='call_function', target=operator.add)))
import copy; g2 = copy.deepcopy(g); print(g2.code == g.code); print(sorted(g.state_dict()))
