# Linear algebra of complex matrices, with gradients; eigenvalues of any matrix.
import numpy as np, jax, jax.numpy as jnp
jax.config.update('jax_enable_x64', True)
def T(name, f):
    try:
        r = f(); r = jax.tree.map(lambda t: (np.round(np.asarray(t), 5) + 0.0), r)
        print(name, '->', r)
    except BaseException as e:
        print(name, type(e).__name__)
np.set_printoptions(precision=8, suppress=False)
g = np.random.RandomState(0)
A = g.randn(3,3)+1j*g.randn(3,3); B = g.randn(3,2)+1j*g.randn(3,2); R = A.real.copy(); H = A+A.conj().T; P = A@A.conj().T+np.eye(3)
for m,name in ((np,'np'),(jnp,'jnp')):
    l=m.linalg
    T(name+' det', lambda: l.det(A)); T(name+' slogdet', lambda: l.slogdet(A)); T(name+' solve', lambda: l.solve(A,B)); T(name+' inv', lambda: l.inv(A))
    T(name+' qr', lambda: m.abs(l.qr(A)[0])); T(name+' qr r', lambda: l.qr(A)[1]); T(name+' svd', lambda: l.svd(A)[1]); T(name+' svd0', lambda: l.svd(A, compute_uv=False)); T(name+' svdvh', lambda: m.abs(l.svd(B,full_matrices=False)[2]))
    T(name+' eig', lambda: m.sort(l.eig(A)[0])); T(name+' eigvals', lambda: m.sort(l.eigvals(A))); T(name+' eigv', lambda: m.round(m.abs(A@l.eig(A)[1]-l.eig(A)[1]*l.eig(A)[0]),8))
    T(name+' eig real', lambda: l.eig(R)); T(name+' eig small', lambda: l.eig(m.array([[2.,0.],[1.,3.]]))); T(name+' eig rot', lambda: l.eig(m.array([[0.,-1.],[1.,0.]]))); T(name+' eig sym', lambda: l.eigvals(m.array([[2.,1.],[1.,3.]])))
    T(name+' eigh', lambda: l.eigh(H)[0]); T(name+' eighv', lambda: m.abs(l.eigh(H)[1])); T(name+' eigvalsh', lambda: l.eigvalsh(H)); T(name+' chol', lambda: l.cholesky(P)); T(name+' pinv', lambda: l.pinv(B)); T(name+' lstsq', lambda: l.lstsq(A,B)[0])
    T(name+' norm', lambda: (l.norm(A), l.norm(A,2), l.norm(A,'nuc'), l.norm(A,1), l.norm(A[0]), l.norm(A,axis=0))); T(name+' cond', lambda: l.cond(A)); T(name+' rank', lambda: l.matrix_rank(A)); T(name+' mp', lambda: l.matrix_power(A,3)); T(name+' mp-1', lambda: l.matrix_power(A,-1)); T(name+' vecdot', lambda: m.vecdot(A,A)); T(name+' vdot', lambda: m.vdot(A,A)); T(name+' multi', lambda: l.multi_dot([A,A,B])); T(name+' tensorsolve', lambda: l.tensorsolve(A,A[0])); T(name+' roots', lambda: m.roots(m.array([1.,-3.,2.,5.]))); T(name+' roots2', lambda: m.roots(m.array([1.,0.,1.])))
    T(name+' cross', lambda: m.cross(A,A[::-1])); T(name+' trace', lambda: m.trace(A)); T(name+' eig3', lambda: l.eigvals(m.array([[1.,2,3],[4,5,6],[7,8,10]]))); T(name+' eig4', lambda: l.eig(m.array([[1.,2,3],[4,5,6],[7,8,10]]))[1]); T(name+' eigi', lambda: l.eigvals(m.array([[1,2],[3,4]])))
def loss(f):
    def run(*a):
        y=f(*a); return sum((jnp.abs(t)**2*jnp.arange(1,t.size+1).reshape(t.shape)).sum() for t in jax.tree.leaves(y))
    return run
def G(f,*a): return lambda: [x for x in jax.grad(loss(f),argnums=tuple(range(len(a))))(*map(jnp.asarray,a))]
T('g det',G(jnp.linalg.det,A)); T('g slogdet',G(lambda a: jnp.linalg.slogdet(a)[1],A)); T('g solve',G(jnp.linalg.solve,A,B)); T('g inv',G(jnp.linalg.inv,A)); T('g svd',G(lambda a: jnp.linalg.svd(a,compute_uv=False),A)); T('g usv',G(lambda a:(lambda u,s,v: (u*s)@v)(*jnp.linalg.svd(a,full_matrices=False)),B)); T('g qr',G(lambda a: jnp.abs(jnp.linalg.qr(a)[1]),A)); T('g eigvals',G(lambda a: jnp.sum(jnp.linalg.eigvals(a)**2),A)); T('g eigvals r',G(lambda a: jnp.sum(jnp.linalg.eigvals(a)**3),R)); T('g eigh',G(lambda a: jnp.linalg.eigh(a)[0],H)); T('g chol',G(jnp.linalg.cholesky,P)); T('g pinv',G(jnp.linalg.pinv,B)); T('g norm',G(jnp.linalg.norm,A)); T('g cholr',G(jnp.linalg.cholesky,P.real)); T('g eigv', G(lambda a: jnp.abs(jnp.linalg.eig(a)[1]), A))
L=jax.lax.linalg
T('lax eig', lambda: jnp.sort(L.eig(A, compute_left_eigenvectors=False)[0])); T('lax eig3', lambda: len(L.eig(A))); T('lax eigl', lambda: (lambda w,vl,vr: jnp.round(jnp.abs(vl.conj().T@A-w[:,None]*vl.conj().T),6))(*L.eig(A)))
T('lax eigh', lambda: jnp.abs(L.eigh(H)[0])); T('lax qr', lambda: jnp.abs(L.qr(A,full_matrices=False)[1])); T('lax svd', lambda: L.svd(A)[1]); T('lax lu', lambda: L.lu(A)); T('lax chol', lambda: L.cholesky(P)); T('lax ts', lambda: L.triangular_solve(A,B,left_side=True,lower=True)); T('lax tsc', lambda: L.triangular_solve(A,B,left_side=True,lower=True,transpose_a=True,conjugate_a=True))
S=jax.scipy.linalg
T('s solve', lambda: S.solve(A,B)); T('s expm', lambda: S.expm(A)); T('s lu', lambda: S.lu(A)[2]); T('s lusolve', lambda: S.lu_solve(S.lu_factor(A),B)); T('s chosolve', lambda: S.cho_solve(S.cho_factor(P),B)); T('s st', lambda: S.solve_triangular(A,B,trans='C')); T('s polar', lambda: S.polar(A)[1]); T('s eigh', lambda: S.eigh(H)[0])
print(f'{complex(jax.jit(jnp.linalg.det)(A)):.6f}', jax.vmap(jnp.linalg.eigvals)(jnp.stack([R,R.T])).shape)
