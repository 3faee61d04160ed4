# tensorflow.math
from tensorflow._ops import (
    abs, negative, exp, expm1, log, log1p, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, sqrt, rsqrt, square,
    sign, floor, ceil, round, rint, sigmoid, erf, erfc, erfinv, reciprocal, is_finite, is_nan, is_inf, log_sigmoid, lgamma, digamma,
    logical_not, add, subtract, multiply, divide, truediv, floordiv, mod, floormod, pow, maximum, minimum, equal, not_equal, less,
    less_equal, greater, greater_equal, logical_and, logical_or, logical_xor, atan2, divide_no_nan, multiply_no_nan,
    squared_difference, xlogy, add_n, accumulate_n, reduce_sum, reduce_prod, reduce_mean, reduce_max, reduce_min, reduce_all, reduce_any,
    reduce_logsumexp, reduce_variance, reduce_std, reduce_euclidean_norm, count_nonzero, argmax, argmin, cumsum, cumprod, bincount, top_k,
    in_top_k, l2_normalize, scalar_mul, real, imag, conj, angle)
from tensorflow._specials import (
    erfcinv, ndtri, reciprocal_no_nan, truncatediv, truncatemod, nextafter, igamma, igammac, zeta, polygamma, betainc, lbeta, xdivy, xlog1py,
    cumulative_logsumexp, bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, polyval)
from tensorflow._segments import (
    segment_sum, segment_mean, segment_prod, segment_max, segment_min, unsorted_segment_sum, unsorted_segment_mean, unsorted_segment_sqrt_n,
    unsorted_segment_prod, unsorted_segment_max, unsorted_segment_min, invert_permutation,
    confusion_matrix)
from tensorflow._debug import is_non_decreasing, is_strictly_increasing
from tensorflow.nn import softplus, softmax, log_softmax, zero_fraction, softsign

ceiling = ceil


def __getattr__(name):
    if name == "special":
        from tensorflow import _math_special
        return _math_special
    raise AttributeError(f"module 'tensorflow.math' has no attribute '{name}'")
