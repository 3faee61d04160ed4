# Linear algebra of complex matrices, with gradients.
import torch
def flat(r):
    if isinstance(r, (tuple, list)):
        return [flat(x) for x in r]
    if isinstance(r, torch.Tensor):
        r = torch.view_as_real(r.detach()) if r.is_complex() else r.detach().double()
        return [round(x, 4) + 0.0 for x in r.flatten().tolist()]
    return round(r.real, 4) + 0.0, round(r.imag, 4) + 0.0

def T(name, f):
    try:
        print(name, flat(f()))
    except BaseException as e:
        print(name, 'EXC', type(e).__name__, str(e)[:160].replace('\n', ' '))
# complex
torch.manual_seed(0)
A = torch.complex(torch.randn(3,3,dtype=torch.float64), torch.randn(3,3,dtype=torch.float64)).requires_grad_()
B = torch.complex(torch.randn(3,2,dtype=torch.float64), torch.randn(3,2,dtype=torch.float64)).requires_grad_()
def G(f, *a):
    def run():
        y = f(*a)
        l = sum((t.abs()**2 * torch.arange(1, t.numel()+1, dtype=torch.float64).reshape(t.shape)).sum() for t in (y if isinstance(y,(tuple,list)) else [y]))
        g = torch.autograd.grad(l, a)
        return l.detach(), [x.detach() for x in g]
    return run
T('det', G(torch.linalg.det, A)); T('torch.det', G(torch.det, A))
T('slogdet', G(lambda a: torch.linalg.slogdet(a)[1], A)); T('slogdet0', lambda: torch.linalg.slogdet(A.detach()))
T('logdet', lambda: torch.logdet(A.detach()))
T('solve', G(torch.linalg.solve, A, B)); T('inv', G(torch.linalg.inv, A))
T('qr', lambda: [x.abs() for x in torch.linalg.qr(A.detach())]); T('qrg', G(lambda a: torch.linalg.qr(a)[1].abs(), A))
T('svd', lambda: torch.linalg.svd(A.detach())[1]); T('svdg', G(lambda a: torch.linalg.svd(a)[1], A))
T('svdvals', G(torch.linalg.svdvals, A))
def usv(a):
    u,s,v = torch.linalg.svd(a, full_matrices=False); return (u*s)@v
T('usv', G(usv, A))
T('eigvals', lambda: sorted(torch.linalg.eigvals(A.detach()).tolist(), key=lambda z:z.real)); 
T('eig', G(lambda a: (torch.linalg.eigvals(a)**2).sum(), A))
def eigrec(a):
    l,v = torch.linalg.eig(a); return v @ torch.diag(l) @ torch.linalg.inv(v)
T('eigrec', G(eigrec, A))
R = A.real.detach().clone().requires_grad_()
T('eig real', G(eigrec, R))
T('eigvals real', G(lambda a: (torch.linalg.eigvals(a)**3).sum().real, R))
H = (A + A.mH).detach().requires_grad_()
T('eigh', G(lambda a: torch.linalg.eigh(a)[0], H)); T('eigvalsh', G(torch.linalg.eigvalsh, H))
P = (A@A.mH + torch.eye(3)).detach().requires_grad_()
T('chol', G(torch.linalg.cholesky, P)); 
T('cholsolve', lambda: torch.cholesky_solve(B.detach(), torch.linalg.cholesky(P.detach())))
T('matexp', G(torch.matrix_exp, A)); T('matpow', G(lambda a: torch.linalg.matrix_power(a,3), A))
T('pinv', G(torch.linalg.pinv, B)); T('lstsq', lambda: torch.linalg.lstsq(A.detach(), B.detach()).solution)
T('lu', lambda: [x.abs() for x in torch.linalg.lu(A.detach())]); T('lu_factor', lambda: torch.linalg.lu_factor(A.detach())[1])
T('norm', G(lambda a: torch.linalg.norm(a), A)); T('norm nuc', G(lambda a: torch.linalg.norm(a,'nuc'), A)); T('cond', lambda: torch.linalg.cond(A.detach()))
T('solve_tri', G(lambda a,b: torch.linalg.solve_triangular(a, b, upper=True), A, B))
T('rank', lambda: torch.linalg.matrix_rank(A.detach())); T('batched det', lambda: torch.linalg.det(torch.stack([A,A]).detach()))
T('multi_dot', lambda: torch.linalg.multi_dot([A,A,B]).detach()); T('tensorinv', lambda: torch.linalg.tensorinv(A.detach(), ind=1)); T('tensorsolve', lambda: torch.linalg.tensorsolve(A.detach(), B.detach()[:, 0]))
T('cross', lambda: torch.linalg.cross(A.detach(), A.detach().T)); T('vecdot', lambda: torch.linalg.vecdot(A.detach(), A.detach().conj()))
T('eigh s', G(lambda a: torch.linalg.eigh(a)[1].abs(), H))

LU, piv = torch.linalg.lu_factor(A.detach())
T('lu_solve', lambda: torch.linalg.lu_solve(LU, piv, B.detach())); T('lu_solve adjoint', lambda: torch.linalg.lu_solve(LU, piv, B.detach(), adjoint=True))
T('lu_solve right', lambda: torch.linalg.lu_solve(LU, piv, B.detach().T.contiguous(), left=False).resolve_conj())
T('lu_unpack', lambda: [x.abs() for x in torch.lu_unpack(LU, piv)]); T('cholesky_inverse', lambda: torch.cholesky_inverse(torch.linalg.cholesky(P.detach())))
T('cholesky upper', lambda: torch.linalg.cholesky(P.detach(), upper=True)); T('cholesky_ex', lambda: list(torch.linalg.cholesky_ex(P.detach()))); T('vector norm', lambda: torch.linalg.vector_norm(A.detach(), 3))
M = torch.tensor([[2., 0., 1.], [1., 3., 0.], [0., 1., 4.]])
print(torch.linalg.eigvals(M), torch.linalg.eig(torch.tensor([[0., -1.], [1., 0.]])))
print(torch.linalg.eigvals(torch.stack([M, M.T])).shape, torch.linalg.eigvals(M.double()).dtype)
z = torch.tensor([1 + 2j])
print(z.conj().resolve_conj(), z.resolve_conj(), torch.resolve_conj(z.conj()), z.resolve_neg(), z.conj_physical())
