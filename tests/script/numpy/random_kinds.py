"""Distributions of both generators: their numbers, how many bits they take, parameters that are arrays, mistakes."""
import numpy as np
P = dict(beta=[(.5, .5), (2, 3), (1, 1)], binomial=[(10, .3), (100, .5), (1000, .7), (5, 0.), (40, .99)], chisquare=[(3,), (.5,)], exponential=[(2.,)], f=[(3, 4)], gamma=[(.5, 2), (1, 1), (3., .5)], geometric=[(.1,), (.5,), (1.,)], gumbel=[(1, 2)], hypergeometric=[(10, 5, 4), (100, 50, 40), (7, 100, 30), (30, 10, 35)], laplace=[(0, 1)], logistic=[(1, 2)], logseries=[(.3,), (.9,)], negative_binomial=[(3, .4), (50, .1)], noncentral_chisquare=[(3, 2), (.5, 1), (2, 0)], noncentral_f=[(3, 4, 1)], pareto=[(2,)], poisson=[(.5,), (3,), (10,), (50.5,)], power=[(2,)], rayleigh=[(1.5,)], standard_cauchy=[()], standard_t=[(4,)], triangular=[(0, 1, 3)], vonmises=[(0, 1), (1, 5), (.5, 1e-6)], wald=[(1, 2)], weibull=[(1.5,)], zipf=[(2,), (4.5,)], lognormal=[(0, 1)], multinomial=[(20, [.2, .3, .5])], dirichlet=[([1, 2, 3],), ([.05, .02, .03],)], standard_exponential=[()], standard_gamma=[(2.5,)])
for make in (lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)):
    for name, all in P.items():
        for a in all:
            r = make(); x = getattr(r, name)(*a, size=2000)
            print(name, a, x.shape, x.dtype, [float('%.12g' % v) for v in np.ravel(x[:3])], float('%.10g' % x.astype(float).sum()), r.uniform())
    r = make(); print(r.poisson([1., 5, 20]), r.gamma([[1.], [2.]], [1., 2., 3.]).shape, r.binomial(10, [.1, .9]), type(r.poisson(3)), type(r.gamma(2.)), r.normal([0, 1], 1).shape, r.beta(1, 2, (2, 2)).shape)
    for bad in (lambda: r.gamma(-1), lambda: r.poisson(-1), lambda: r.binomial(3, 2.), lambda: r.binomial(-3, .2), lambda: r.beta(0, 1), lambda: r.exponential(-1.), lambda: r.zipf(1.), lambda: r.geometric(0.), lambda: r.hypergeometric(1, 1, 5), lambda: r.triangular(0, 5, 2), lambda: r.dirichlet([0., 1])):
        try: print(bad())
        except ValueError as e: print(e)
