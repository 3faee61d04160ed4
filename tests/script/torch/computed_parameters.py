# Parameters that are computed: pruned, parametrized, of a norm; the module behind DataParallel.
import torch, torch.nn as nn
import torch.nn.utils.prune as prune
import torch.nn.utils.parametrize as P
from torch.nn.utils.parametrizations import weight_norm, spectral_norm, orthogonal
torch.manual_seed(0)
m=nn.Sequential(nn.Conv2d(1,4,3),nn.Flatten(),nn.Linear(4*36,5))
prune.random_unstructured(m[0],'weight',amount=.3); print([n for n,_ in m.named_parameters()],[n for n,_ in m.named_buffers()], m[0].weight_mask.sum())
prune.l1_unstructured(m[0],'bias',amount=2); print(m[0].bias, len(m[0]._forward_pre_hooks))
prune.ln_structured(m[0],'weight',amount=.5,n=2,dim=0); print(m[0].weight_mask.sum(), m(torch.ones(1,1,8,8)))
for h in m[0]._forward_pre_hooks.values(): pass
prune.global_unstructured([(m[2],'weight'),(m[0],'weight')],pruning_method=prune.L1Unstructured,amount=.4); print((m[2].weight==0).sum(), prune.is_pruned(m))
prune.remove(m[0],'weight'); print([n for n,_ in m.named_parameters()]); print(list(m.state_dict()))
class Sym(nn.Module):
    def forward(self,X): return X.triu()+X.triu(1).transpose(-1,-2)
    def right_inverse(self,A): return A.triu()
l=nn.Linear(3,3); P.register_parametrization(l,'weight',Sym()); A=l.weight; print(torch.allclose(A,A.T)); print(l); l.weight=torch.arange(9.).reshape(3,3); print(l.weight)
l(torch.ones(2,3)).sum().backward(); print(l.parametrizations.weight.original.grad)
with P.cached(): print(l.weight is l.weight)
P.remove_parametrizations(l,'weight'); print(l, type(l).__name__, l.weight)
for f in (weight_norm, spectral_norm):
    q=f(nn.Linear(4,3)); print(list(q.state_dict()), q(torch.ones(2,4)))
q=torch.nn.utils.weight_norm(nn.Linear(4,3)); print(list(q.state_dict()), q(torch.ones(2,4))); torch.nn.utils.remove_weight_norm(q); print(q.weight)
q=torch.nn.utils.spectral_norm(nn.Conv2d(2,3,2)); print(list(q.state_dict()), q(torch.ones(1,2,3,3)))
o=orthogonal(nn.Linear(3,3)); print(torch.allclose(o.weight@o.weight.T,torch.eye(3),atol=1e-5))
d=nn.DataParallel(nn.Linear(2,2)); print(d(torch.ones(1,2)).shape, list(d.state_dict()))
