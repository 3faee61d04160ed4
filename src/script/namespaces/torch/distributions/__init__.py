# torch.distributions -- samples with PyTorch's numbers, densities, entropies, divergences; transforms and constraints. Each class
# is in a module of PyTorch's name and loaded when it is asked for.
_HOMES = {
    "distribution": "Distribution", "exp_family": "ExponentialFamily", "bernoulli": "Bernoulli", "beta": "Beta",
    "binomial": "Binomial", "categorical": "Categorical", "cauchy": "Cauchy", "chi2": "Chi2",
    "continuous_bernoulli": "ContinuousBernoulli", "dirichlet": "Dirichlet", "exponential": "Exponential",
    "fishersnedecor": "FisherSnedecor", "gamma": "Gamma", "generalized_pareto": "GeneralizedPareto", "geometric": "Geometric",
    "gumbel": "Gumbel", "half_cauchy": "HalfCauchy", "half_normal": "HalfNormal", "independent": "Independent",
    "inverse_gamma": "InverseGamma", "kumaraswamy": "Kumaraswamy", "laplace": "Laplace", "lkj_cholesky": "LKJCholesky",
    "log_normal": "LogNormal", "logistic_normal": "LogisticNormal", "lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "mixture_same_family": "MixtureSameFamily", "multinomial": "Multinomial", "multivariate_normal": "MultivariateNormal",
    "negative_binomial": "NegativeBinomial", "normal": "Normal",
    "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough", "pareto": "Pareto", "poisson": "Poisson",
    "relaxed_bernoulli": "RelaxedBernoulli", "relaxed_categorical": "RelaxedOneHotCategorical", "studentT": "StudentT",
    "transformed_distribution": "TransformedDistribution", "uniform": "Uniform", "von_mises": "VonMises", "weibull": "Weibull",
    "wishart": "Wishart", "kl": "kl_divergence register_kl", "constraint_registry": "biject_to transform_to",
    "transforms": "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
                  "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
                  "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform "
                  "SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform identity_transform",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = list(_HOME_OF)


def __getattr__(name):
    if name in _HOME_OF:
        return getattr(__import__("torch.distributions." + _HOME_OF[name]), name)
    if name in _HOMES or name in ("constraints", "utils"):
        return __import__("torch.distributions." + name)
    raise AttributeError(f"module 'torch.distributions' has no attribute '{name}'")
