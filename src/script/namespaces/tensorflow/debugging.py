# tensorflow.debugging -- assertions on tensors, with version 2's order of arguments: the message comes before the data.
from tensorflow import _debug
from tensorflow._debug import (assert_all_finite, assert_integer, assert_proper_iterable, assert_same_float_dtype, assert_scalar, assert_shapes,
                               assert_type, check_numerics, is_numeric_tensor, Assert)


def _second(fn):
    def call(x, y, message=None, summarize=None, name=None):
        return fn(x, y, None, summarize, message, name)
    call.__name__ = fn.__name__
    return call


def _first(fn):
    def call(x, message=None, summarize=None, name=None):
        return fn(x, None, summarize, message, name)
    call.__name__ = fn.__name__
    return call


def _ranked(fn):
    def call(x, rank, message=None, name=None):
        return fn(x, rank, None, None, message, name)
    call.__name__ = fn.__name__
    return call


assert_equal, assert_none_equal, assert_less, assert_less_equal, assert_greater, assert_greater_equal = [_second(f) for f in (
    _debug.assert_equal, _debug.assert_none_equal, _debug.assert_less, _debug.assert_less_equal, _debug.assert_greater,
    _debug.assert_greater_equal)]
assert_positive, assert_negative, assert_non_negative, assert_non_positive = [_first(f) for f in (
    _debug.assert_positive, _debug.assert_negative, _debug.assert_non_negative, _debug.assert_non_positive)]
assert_rank, assert_rank_at_least = _ranked(_debug.assert_rank), _ranked(_debug.assert_rank_at_least)


def assert_rank_in(x, ranks, message=None, name=None):
    return _debug.assert_rank_in(x, ranks, None, None, message)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    return _debug.assert_near(x, y, rtol, atol, None, summarize, message, name or "assert_near")


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    raise NotImplementedError("tf.debugging.enable_check_numerics: check tensors with tf.debugging.check_numerics")


def disable_check_numerics():
    return None


_filtering = [True]


def enable_traceback_filtering():
    _filtering[0] = True


def disable_traceback_filtering():
    _filtering[0] = False


def is_traceback_filtering_enabled():
    return _filtering[0]
