# torch.distributions.chi2 -- the distribution of sums of squares of normal numbers.
from torch.distributions import constraints
from torch.distributions.gamma import Gamma


class Chi2(Gamma):
    arg_constraints = {"df": constraints.positive}

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    df = property(lambda self: self.concentration * 2)
