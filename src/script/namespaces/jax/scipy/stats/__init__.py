# jax.scipy.stats -- distributions, each a name such as norm with logpdf, pdf, cdf ..; statistics of samples.
from jax.scipy.stats._continuous import (beta, cauchy, chi2, expon, gamma, gennorm, gumbel_l, gumbel_r, laplace, logistic, norm, pareto,
                                         t, truncnorm, uniform, vonmises, wrapcauchy)
from jax.scipy.stats._discrete import bernoulli, betabinom, binom, geom, multinomial, nbinom, poisson
from jax.scipy.stats._several import dirichlet, multivariate_normal
from jax.scipy.stats._samples import mode, rankdata, sem
from jax.scipy.stats._density import gaussian_kde
