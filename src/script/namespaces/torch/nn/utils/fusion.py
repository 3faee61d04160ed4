# torch.nn.utils.fusion -- a convolution or linear layer and the batch normalisation behind it, as one layer.
import copy

import _torch as _w
from torch.nn.parameter import Parameter


def _scaled(weight, bias, mean, var, eps, scale, shift, axis):
    bias = _w.zeros_like(mean) if bias is None else bias
    scale = _w.ones_like(mean) if scale is None else scale
    shift = _w.zeros_like(mean) if shift is None else shift
    factor = scale * _w.rsqrt(var + eps)
    shape = [1] * weight.ndim
    shape[axis] = -1
    made = [_w.detach(_w.cast(v, weight.dtype)) for v in (weight * _w.reshape(factor, shape), (bias - mean) * factor + shift)]
    return Parameter(made[0], weight.requires_grad), Parameter(made[1], getattr(bias, "requires_grad", False))


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    return _scaled(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 1 if transpose else 0)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    return _scaled(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _fused(layer, bn, fuse):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    layer = copy.deepcopy(layer)
    layer.weight, layer.bias = fuse(layer.weight, layer.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return layer


def fuse_conv_bn_eval(conv, bn, transpose=False):
    return _fused(conv, bn, lambda *a: fuse_conv_bn_weights(*a, transpose=transpose))


def fuse_linear_bn_eval(linear, bn):
    return _fused(linear, bn, fuse_linear_bn_weights)
