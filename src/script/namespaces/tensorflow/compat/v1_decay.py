# tensorflow.compat.v1_decay -- rates that change with the step: tensors of a graph, and without one functions of no arguments.
import math as _m

from tensorflow import _ops
from tensorflow._base import state, float32


def _rated(fn):
    def call(learning_rate, *args, **kw):
        kw.pop("name", None)
        if state.graph is None:
            return lambda: fn(_ops.convert_to_tensor(learning_rate), *args, **kw)
        return fn(_ops.convert_to_tensor(learning_rate), *args, **kw)
    return call


def _float(x, like):
    return _ops.cast(x, like.dtype)


@_rated
def exponential_decay(rate, global_step, decay_steps, decay_rate, staircase=False):
    p = _float(global_step, rate) / _float(decay_steps, rate)
    return rate * _ops.pow(_float(decay_rate, rate), _ops.floor(p) if staircase else p)


@_rated
def natural_exp_decay(rate, global_step, decay_steps, decay_rate, staircase=False):
    p = _float(global_step, rate) / _float(decay_steps, rate)
    return rate * _ops.exp(-_float(decay_rate, rate) * (_ops.floor(p) if staircase else p))


@_rated
def inverse_time_decay(rate, global_step, decay_steps, decay_rate, staircase=False):
    p = _float(global_step, rate) / _float(decay_steps, rate)
    return rate / (1.0 + _float(decay_rate, rate) * (_ops.floor(p) if staircase else p))


@_rated
def polynomial_decay(rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False):
    step, steps = _float(global_step, rate), _float(decay_steps, rate)
    if cycle:
        steps = steps * _ops.where(_ops.equal(step, 0.0), _ops.ones_like(step), _ops.ceil(step / steps))
    else:
        step = _ops.minimum(step, steps)
    end = _float(end_learning_rate, rate)
    return (rate - end) * _ops.pow(1.0 - step / steps, _float(power, rate)) + end


@_rated
def cosine_decay(rate, global_step, decay_steps, alpha=0.0):
    p = _ops.minimum(_float(global_step, rate), _float(decay_steps, rate)) / _float(decay_steps, rate)
    return rate * ((1 - alpha) * 0.5 * (1.0 + _ops.cos(_m.pi * p)) + alpha)


@_rated
def linear_cosine_decay(rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001):
    steps = _float(decay_steps, rate)
    step = _ops.minimum(_float(global_step, rate), steps)
    p = step / steps
    return rate * ((alpha + (1.0 - p)) * 0.5 * (1.0 + _ops.cos(_m.pi * 2.0 * num_periods * p)) + beta)


@_rated
def cosine_decay_restarts(rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0):
    p = _float(global_step, rate) / _float(first_decay_steps, rate)
    if t_mul == 1.0:
        turn = _ops.floor(p)
        p = p - turn
    else:
        turn = _ops.floor(_ops.log(1.0 - p * (1.0 - t_mul)) / _m.log(t_mul))
        done = (1.0 - _ops.pow(_float(t_mul, rate), turn)) / (1.0 - t_mul)
        p = (p - done) / _ops.pow(_float(t_mul, rate), turn)
    return rate * ((1 - alpha) * 0.5 * _ops.pow(_float(m_mul, rate), turn) * (1.0 + _ops.cos(_m.pi * p)) + alpha)


def piecewise_constant(x, boundaries, values, name=None):
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    if state.graph is None:
        return lambda: _pieces(x, boundaries, values)
    return _pieces(x, boundaries, values)


def _pieces(x, boundaries, values):
    x = _ops.convert_to_tensor(x)
    y = _ops.convert_to_tensor(values[-1])
    for b, v in list(zip(boundaries, values))[::-1]:
        y = _ops.where(_ops.less_equal(x, _ops.cast(b, x.dtype)), _ops.cast(v, y.dtype), y)
    return y


piecewise_constant_decay = piecewise_constant
