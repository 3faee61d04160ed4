# aesara.tensor.nnet -- functions of neural networks.
import _aesara as _w
from aesara._graph import Op, apply, as_variable


def _at():
    import aesara.tensor as at
    return at


def relu(x, alpha=0):
    x = as_variable(x)
    if isinstance(alpha, (int, float)) and alpha == 0:
        return apply(Op("relu", lambda p, x: 0.5 * (x + x * _w.stop_gradient(_w.sign(x))), "Relu"), [x])
    at = _at()
    return at.switch(x > 0, x, alpha * x)


def elu(x, alpha=1):
    return apply(Op("elu", lambda p, x: _w.where(x > 0, x, p * _w.expm1(_w.minimum(x, 0))), "Elu"), [x], alpha)


def selu(x):
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


def softsign(x):
    return apply(Op("softsign", lambda p, x: x / (1.0 + _w.abs(x)), "Softsign"), [x])


def sigmoid(x):
    return _at().sigmoid(x)


def softplus(x):
    return _at().softplus(x)


def hard_sigmoid(x):
    return apply(Op("hard_sigmoid", lambda p, x: _w.clip(x * 0.2 + 0.5, 0, 1), "HardSigmoid"), [x])


def ultra_fast_sigmoid(x):
    return _at().sigmoid(x)


def softmax(c, axis=None):
    c = as_variable(c)
    if axis is None:
        axis = -1
    if c.ndim == 1 and axis == -1:
        c = _at().shape_padleft(c)
    return _at().special.softmax(c, axis)


def logsoftmax(c, axis=-1):
    return _at().special.log_softmax(c, axis)


def binary_crossentropy(output, target):
    run = lambda p, o, t: -(t * _w.log(o) + (1.0 - t) * _w.log(1.0 - o))
    return apply(Op("binary_crossentropy", run, "BinaryCrossentropy"), [output, target])


def sigmoid_binary_crossentropy(output, target):
    run = lambda p, x, t: _w.softplus(-_w.abs(x)) + _w.maximum(x, 0) - x * t
    return apply(Op("sigmoid_binary_crossentropy", run, "SigmoidBinaryCrossentropy"), [output, target])


def categorical_crossentropy(coding_dist, true_dist):
    coding_dist, true_dist = as_variable(coding_dist), as_variable(true_dist)
    if true_dist.ndim == coding_dist.ndim:
        return apply(Op("categorical_crossentropy", lambda p, q, t: -_w.sum(t * _w.log(q), -1), "Crossentropy"), [coding_dist, true_dist])
    if true_dist.ndim != coding_dist.ndim - 1:
        raise TypeError("rank mismatch between coding and true distributions")
    run = lambda p, q, t: -_w.log(_w.squeeze(_w.take_along(q, _w.expand_dims(t, 1), 1), 1))
    return apply(Op("CrossentropyCategorical1Hot", run, "CrossentropyCategorical1Hot"), [coding_dist, true_dist])


def crossentropy_softmax_1hot(x, y_idx):
    p = softmax(x)
    return categorical_crossentropy(p, y_idx), p


def confusion_matrix(actual, pred):
    raise NotImplementedError("confusion_matrix is not offered")


def _padding(mode, k, dilation):
    if mode == "valid":
        return [0] * len(k)
    if mode == "full":
        return [(n - 1) * d for n, d in zip(k, dilation)]
    if mode == "half":
        return [((n - 1) * d + 1) // 2 for n, d in zip(k, dilation)]
    return [mode, mode] if isinstance(mode, int) else list(mode)


def conv2d(input, filters, input_shape=None, filter_shape=None, border_mode="valid", subsample=(1, 1), filter_flip=True, image_shape=None,
           filter_dilation=(1, 1), num_groups=1, unshared=False):
    if unshared:
        raise NotImplementedError("conv2d: unshared")

    def run(p, x, w):
        mode, stride, flip, dilation, groups = p
        if flip:
            w = _w.flip(w, [2, 3])
        return _w.conv(x, w, None, 2, stride, _padding(mode, list(w.shape)[2:], dilation), dilation, groups)
    return apply(Op("AbstractConv2d", run, "AbstractConv2d"), [input, filters], (border_mode, list(subsample), filter_flip, list(filter_dilation), num_groups), 4)


def max_pool_2d(x, ws, stride=None, pad=(0, 0), ignore_border=True):
    if not ignore_border:
        raise NotImplementedError("max_pool_2d: ignore_border=False")
    return apply(Op("Pool", lambda p, x: _w.max_pool(x, 2, p[0], p[1], p[2]), "Pool"), [x], (list(ws), list(stride or ws), list(pad)), 4, as_variable(x).dtype)


def batch_normalization(inputs, gamma, beta, mean, std, mode="low_mem"):
    return (inputs - mean) * (gamma / std) + beta
