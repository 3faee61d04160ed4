# scipy.stats: distributions with loc and scale, frozen ones, draws, tests of samples. Printed to ten digits.
import numpy as np
from scipy import stats
from scipy.stats import norm


def said(*xs):
    print(*[np.array2string(np.asarray(x, float), precision=9) for x in xs])


x = np.array([-3.0, -1.0, -0.25, 0.0, 0.5, 1.0, 2.5, 40.0])
q = np.array([0.0, 0.001, 0.25, 0.5, 0.9, 0.999, 1.0, 1.5])
for d, args in ((norm, ()), (norm, (1.0, 2.0)), (stats.uniform, ()), (stats.uniform, (-1, 3)), (stats.expon, ()), (stats.expon, (0.5, 2.0)), (stats.t, (3,)),
                (stats.t, (7.5, 1.0, 0.5)), (stats.gamma, (2.5,)), (stats.gamma, (2.0, 0.0, 3.0)), (stats.chi2, (4,)), (stats.beta, (2.0, 3.5)), (stats.f, (4, 9))):
    print(d.name, args)
    said(d.pdf(x, *args), d.logpdf(x[d.pdf(x, *args) > 0], *args), d.cdf(x, *args), d.sf(x, *args), d.ppf(q, *args))
    said(d.mean(*args), d.var(*args), d.std(*args), d.median(*args), d.interval(0.9, *args))
k = np.arange(-1, 8)
for d, args in ((stats.binom, (5, 0.3)), (stats.poisson, (2.5,)), (stats.poisson, (2.5, 1))):
    print(d.name, args)
    said(d.pmf(k, *args), d.cdf(k, *args), d.sf(k, *args), d.ppf(q[:7], *args), d.mean(*args), d.var(*args))
z = norm(loc=2.0, scale=0.5)
said(z.pdf(2.0), z.cdf([1.0, 3.0]), z.ppf(0.975), z.mean(), z.std(), norm.pdf(0, scale=2), norm.cdf(1.96), norm.pdf(x, [[0.0], [1.0]]), norm.pdf(0, 0, -1))
np.random.seed(3)
said(norm.rvs(size=3), norm.rvs(5, 2, size=(2, 2)), stats.uniform.rvs(1, 2, size=2), stats.expon.rvs(scale=3, size=2), stats.t.rvs(4, size=2), stats.gamma.rvs(2.0, size=2),
     stats.beta.rvs(1, 2, size=2), stats.binom.rvs(9, 0.4, size=3), stats.poisson.rvs(3, size=3), z.rvs(2), norm.rvs(size=2, random_state=7), norm.rvs())
a = np.array([5.1, 4.9, 6.2, 5.8, 6.0, 5.5, 5.3, 6.7])
b = np.array([6.1, 5.9, 6.8, 6.5, 6.0, 7.1, 6.6])
for r in (stats.ttest_ind(a, b), stats.ttest_ind(a, b, equal_var=False), stats.ttest_1samp(a, 5.0), stats.ttest_rel(a[:7], b), stats.ttest_1samp(a, 5.0, alternative="greater")):
    said(r.statistic, r.pvalue, r[0])
r = stats.linregress(a[:7], b)
said(r.slope, r.intercept, r.rvalue, r.pvalue, r.stderr)
said(stats.zscore(a), stats.sem(a), stats.gmean(a), stats.hmean(a), stats.skew(a), stats.kurtosis(a), stats.skew(a, bias=False), stats.kurtosis(a, bias=False, fisher=False))
said(stats.entropy([0.2, 0.3, 0.5]), stats.entropy([1, 2, 3], base=2), stats.entropy([0.2, 0.8], [0.5, 0.5]), stats.zscore(np.arange(6.0).reshape(2, 3), axis=1))
for wrong in (lambda: norm.pdf(0, 1, 2, 3), lambda: stats.t.pdf(0), lambda: norm.pdf(0, shape=3)):
    try:
        print(wrong())
    except TypeError as e:
        print("TypeError")
