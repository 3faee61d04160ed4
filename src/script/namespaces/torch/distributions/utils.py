# torch.distributions.utils -- parameters of one shape, odds and probabilities, values computed once.
import math

import torch
import torch.nn.functional as F

euler_constant = 0.57721566490153286060


def broadcast_all(*values):
    for v in values:
        if not isinstance(v, (torch.Tensor, int, float)):
            raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                             "__torch_function__.")
    tensors = [v for v in values if isinstance(v, torch.Tensor)]
    options = {"dtype": torch.get_default_dtype()}
    if tensors:
        options = {"dtype": tensors[0].dtype, "device": tensors[0].device}
    return tuple(torch.broadcast_tensors(*[v if isinstance(v, torch.Tensor) else torch.tensor(float(v), **options)
                                           for v in values]))


def is_number(*values):
    return all([isinstance(v, (int, float)) for v in values])


def standard_normal(shape, like):
    return torch.empty(shape, dtype=like.dtype, device=like.device).normal_()


def rand(shape, like):
    return torch.rand(shape, dtype=like.dtype, device=like.device)


def sum_rightmost(value, dim):
    return value if dim == 0 else value.sum(list(range(-dim, 0)))


_sum_rightmost = sum_rightmost


def logits_to_probs(logits, is_binary=False):
    return torch.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs):
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    p = clamp_probs(probs)
    return torch.log(p) - torch.log1p(-p) if is_binary else torch.log(p)


class lazy_property:
    # computed when it is first asked for, then an attribute
    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance, owner=None):
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(property):
    def __init__(self, wrapped):
        property.__init__(self, wrapped)


def tril_matrix_to_vec(mat, diag=0):
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows = torch.arange(n)
    return mat[..., rows < rows.view(-1, 1) + (diag + 1)]


def vec_to_tril_matrix(vec, diag=0):
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular "
                         "part of a square D x D matrix.")
    n = round(n)
    mat = vec.new_zeros(vec.shape[:-1] + torch.Size((n, n)))
    rows = torch.arange(n)
    mat[..., rows < rows.view(-1, 1) + (diag + 1)] = vec
    return mat


def batch_mv(mat, vec):
    return torch.matmul(mat, vec.unsqueeze(-1)).squeeze(-1)


def batch_mahalanobis(low, x):
    # x' (low low')^-1 x for each x of a batch
    low = low.expand(torch.broadcast_shapes(low.shape[:-2], x.shape[:-1]) + low.shape[-2:])
    return torch.linalg.solve_triangular(low, x.expand(low.shape[:-1]).unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


def half_log_det(low):
    return low.diagonal(dim1=-2, dim2=-1).log().sum(-1)


LOG_2PI = math.log(2 * math.pi)



class Odds:
    # What is said by probs or by logits: the other one is there when it is asked for.
    def _odds(self, probs, logits, *counts):
        # Keeps the one that is given, and gives it, of one shape and dtype with the counts behind it.
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        *counts, odds = broadcast_all(*counts, logits if probs is None else probs)
        setattr(self, "logits" if probs is None else "probs", odds)
        return odds, *[n.type_as(odds) for n in counts]

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits, is_binary=True)
