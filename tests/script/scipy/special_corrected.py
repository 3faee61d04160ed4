# Special functions off their usual arguments: signs below 0, poles, tails, what is not whole.
import numpy as np
import scipy.special as s

x = np.array([-2.5, -1.0, -0.3, 0.0, 0.2, 0.5, 1.0, 1.7, 3.0, 10.0])
p = np.abs(x) + 0.1
t = np.linspace(0, 1, 10)


def show(name, *args, **kw):
    r = getattr(s, name)(*args, **kw)
    for v in r if isinstance(r, tuple) else (r,):
        print(name, ["%.9g" % (e + 0.0) for e in np.ravel(v).tolist()])


for name in """erf erfc erfcx erfinv gammaln psi entr i0 i0e i1 i1e ndtr ndtri log_ndtr gamma loggamma gammasgn rgamma exp1 expi sinc
        dawsn sici fresnel spence cbrt exp10 log_expit exprel erfcinv expit logit expm1 log1p""".split():
    show(name, x)
for name in "xlogy xlog1py gammainc gammaincc beta betaln rel_entr kl_div poch comb binom perm huber pseudo_huber boxcox boxcox1p".split():
    show(name, p, x)
for name in "gammainc gammaincc beta rel_entr kl_div comb perm zeta".split():
    show(name, x, p)
show("betainc", p, p[::-1], t)
show("hyp1f1", p, p[::-1], t)
show("factorial", x)
show("factorial", np.arange(6))
show("polygamma", 2, p)
show("expn", 2, p)
show("multigammaln", p + 2, 3)
show("bernoulli", 6)
show("logsumexp", x, b=x)
show("logsumexp", np.array([1.0, 2.0]), b=np.array([1, -2.0]), return_sign=True)
show("logsumexp", x.reshape(2, 5), axis=1, keepdims=True)
show("softmax", x.reshape(2, 5), axis=1)
show("comb", 2.5, 1.5)
show("gammaincc", 1.0, np.array([50.0, 100.0]))
print(s.comb(30, 15), s.comb(5, 2, exact=True), s.perm(5, 2, exact=True), s.factorial(5, exact=True), s.gamma(np.arange(3, dtype="f4")).dtype)
a = np.array([0.0, 0, 0, 1, 1, -1, np.nan, np.inf, np.inf, 2, 1])
b = np.array([0.0, 1, np.inf, 0, np.nan, 1, 1, 1, np.inf, -1, np.inf])
show("gammainc", a, b)
show("gammaincc", a, b)
show("comb", np.array([0.0, 0.0, 5.0]), np.array([0.0, 4.0, 2.0]), repetition=True)
