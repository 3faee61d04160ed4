# Sparse matrices, and tangents carried forward.
import torch
import torch.autograd.forward_ad as fwAD
torch.manual_seed(0)
s=torch.sparse_coo_tensor([[0,1,1],[2,0,2]],[3.,4.,5.],(2,3)); print(s); print(s.to_dense())
u=torch.sparse_coo_tensor(torch.tensor([[1,1,0],[1,1,0]]),torch.tensor([3.,4.,1.]),(2,2)); print(u.is_coalesced()); print(u.coalesce()); print(u.coalesce().values())
v=torch.tensor([1.,2.,3.],requires_grad=True); w=torch.randn(3,2,requires_grad=True)
a=torch.sparse_coo_tensor(torch.tensor([[0,1,1],[2,0,2]]),v,(2,3)); y=torch.sparse.mm(a,w); y.sum().backward(); print(y.detach(), v.grad, w.grad)
print(torch.mm(s,torch.ones(3,2)), s@torch.ones(3), torch.spmm(s,torch.ones(3,1)))
c=torch.sparse_csr_tensor([0,2,3],[0,2,1],[1.,2.,3.],(2,3)); print(c.to_dense(), c.crow_indices(), c.col_indices(), c@torch.ones(3,1))
d=torch.tensor([[0,1.],[2,0]]); print(d.to_sparse()); print((d.to_sparse()*2).to_dense(), (s+s).to_dense(), s.t().to_dense())
print(torch.sparse.softmax(d.to_sparse(),1).to_dense(), s.shape, s._nnz(), s.layout, s.is_sparse, torch.sparse.sum(s))
x=torch.randn(3); t=torch.randn(3)
with fwAD.dual_level():
    q=fwAD.make_dual(x,t); o=torch.sin(q)*q**2; r=fwAD.unpack_dual(o); print(r.tangent, r.primal, fwAD.unpack_dual(q).tangent is t)
    m=torch.nn.Linear(3,2); ps={n:p for n,p in m.named_parameters()}
    for n,p in ps.items():
        delattr(m,n); setattr(m,n,fwAD.make_dual(p,torch.ones_like(p)))
    print(fwAD.unpack_dual(m(x)).tangent.detach())
print(fwAD.unpack_dual(x).tangent)
