# scipy.special and scipy.linalg on arrays.
import numpy as np
from scipy import linalg, special
x=np.array([0.3,1.7,2.5,-0.4]); p=np.array([0.3,1.7,2.5,4.0])
for n in 'expit erf erfc gamma ndtr exp2'.split(): print(n, np.round(getattr(special,n)(x),6))
for n in 'gammaln psi entr'.split(): print(n, np.round(getattr(special,n)(p),6))
print(np.round(special.logit([0.2,0.7]),6), np.round(special.erfinv([0.1,-0.5]),6), special.gamma(5), np.round(special.beta(2.0,3.5),6), special.comb(5,2), special.comb(10,3,exact=True), special.factorial(4))
print(np.round(special.softmax([1.0,2,3]),6), np.round(special.logsumexp([[1.0,2],[3,4]],axis=1),6), np.round(special.logsumexp([1,2,3]),6), np.round(special.xlogy([0,1.5],[2.0,3.0]),6), np.round(special.gammainc(2.0,1.5),6), np.round(special.zeta(3.0,1.0),6), np.round(special.polygamma(1,2.0),6))
a=np.array([[4.0,1,0],[1,3,1],[0,1,2]]); b=np.array([1.0,2,3])
print(np.round(linalg.solve(a,b),6), np.round(linalg.det(a),6), np.round(linalg.inv(a),5), np.round(linalg.cholesky(a,lower=True),5), np.round(linalg.cho_solve(linalg.cho_factor(a),b),6))
print(np.round(linalg.expm(a/4),5), np.round(linalg.eigh(a,eigvals_only=True),5), np.round(linalg.svdvals(a),5), linalg.block_diag([[1.0]],[[2,3],[4,5]]), linalg.toeplitz([1,2,3]), linalg.circulant([1,2,3]))
print(np.round(linalg.solve_triangular(np.triu(a),b),6), np.round(np.abs(linalg.qr(a)[1]),5), linalg.null_space([[1.0,1]]).shape, np.round(linalg.norm(a),6))
P,L,U=linalg.lu(a); print(np.round(P@L@U,6))
