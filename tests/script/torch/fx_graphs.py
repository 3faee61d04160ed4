# Functions and modules as graphs: traced, read, changed, run again.
import torch, operator
import torch.nn as nn, torch.nn.functional as F
from torch.fx import symbolic_trace, Proxy, Graph, GraphModule, replace_pattern, wrap, Tracer, Interpreter
class M(nn.Module):
    def __init__(self):
        super().__init__(); self.param=nn.Parameter(torch.ones(3,4)); self.linear=nn.Linear(4,5)
    def forward(self,x):
        return self.linear(x+self.param).clamp(min=0.0,max=1.0)
torch.manual_seed(0)
m=M(); g=symbolic_trace(m); print(g.graph); print(g.code); print(torch.equal(m(torch.ones(3,4)),g(torch.ones(3,4))))
for n in g.graph.nodes: print(n.op,n.name,n.args,n.kwargs)
def f(x,y):
    a=torch.relu(x)+y*2
    b=F.silu(a).sum(dim=1)
    return torch.cat([a[:,0:1], b.unsqueeze(1)],1), x.shape[0]
t=symbolic_trace(f); print(t.code); print(t(torch.ones(2,3),torch.ones(2,3)))
for n in t.graph.nodes:
    if n.op=='call_function' and n.target==operator.add: n.target=operator.mul
t.recompile(); print(t.code, t(torch.ones(2,3),torch.ones(2,3))[0])
with t.graph.inserting_after([n for n in t.graph.nodes if n.name=='relu'][0]) as _:
    nn_=t.graph.call_function(torch.neg,args=([n for n in t.graph.nodes if n.name=='relu'][0],))
print(t.graph)
def pat(a,b): return torch.relu(a)+b
def rep(a,b): return torch.sigmoid(a)*b
h=symbolic_trace(lambda x,y: (torch.relu(x)+y).sum()); print(len(replace_pattern(h,pat,rep))); print(h.code)
@wrap
def special(x): return x*3 if x.sum()>0 else x
k=symbolic_trace(lambda x: special(x)+1); print(k.code, k(torch.ones(2)))
try: symbolic_trace(lambda x: x if x.sum()>0 else -x)
except Exception as e: print(type(e).__name__, e)
s=symbolic_trace(nn.Sequential(nn.Linear(2,3),nn.ReLU(),nn.Linear(3,1))); print(s)
gr=Graph(); x=gr.placeholder('x'); y=gr.call_function(torch.sin,(x,)); gr.output(y); print(GraphModule({},gr)(torch.zeros(1)), gr)
gr.lint(); print(s.graph)
