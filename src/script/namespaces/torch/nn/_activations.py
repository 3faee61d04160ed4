# torch.nn._activations -- activations as functions, for torch.nn.functional.
import _torch as _w
from torch._cast import low as _low
from torch._math import _scalar
from torch._types import default_generator


def known_sizes(x):
    # not in traces, where sizes are left open that nobody asks for
    return not _w.about(x, "symbolic")


def write(input, value, inplace):
    return _w.write(input, value) if inplace else value


def _source(input, inplace):
    # What a function of several steps reads: steps that save it must not see it written over.
    return _w.copy(input) if inplace and _w.about(input, "need") else input


# ---- activations

def _not_whole(input, kernel):
    # Activations of several steps would promote integers and bools, which PyTorch has no kernels for.
    if isinstance(input, _w.Tensor) and input.dtype.kind in "biu":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{_scalar(input.dtype)}'")


def relu(input, inplace=False):
    return _w.relu(input) if not inplace else _w.write(input, _w.relu(input))


def relu_(input):
    return _w.write(input, _w.relu(input))


def relu6(input, inplace=False):
    return hardtanh(input, 0.0, 6.0, inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.dtype.kind == "b":
        raise NotImplementedError("Bool inputs not supported for hardtanh")
    # At the bounds the slope is 0, which where() gives and clip does not.
    inside = _w.logical_and(_w.gt(input, min_val), _w.lt(input, max_val))
    y = _w.where(inside, input, _w.clip(_w.detach(input), min_val, max_val))
    y = _w.label(y, "hardtanh")
    return write(input, _w.cast(y, input.dtype) if input.dtype.kind in "iu" else y, inplace)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    _not_whole(input, "leaky_relu_cpu")
    return write(input, _w.leaky_relu(input, negative_slope), inplace)


def elu(input, alpha=1.0, inplace=False):
    _not_whole(input, "elu_cpu")
    return write(input, _w.elu(input, alpha), inplace)


SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def selu(input, inplace=False):
    _not_whole(input, "elu_cpu")
    x = _source(input, inplace)
    return write(input, _w.label(_w.elu(x, SELU_ALPHA) * SELU_SCALE, "elu"), inplace)


def celu(input, alpha=1.0, inplace=False):
    _not_whole(input, "elu_cpu")
    # elu of alpha with its exponent divided by alpha
    x = _source(input, inplace)
    y = _w.where(_w.gt(x, 0), x, alpha * _w.expm1(_w.where(_w.gt(x, 0), 0.0, x) / alpha))
    return write(input, y, inplace)


def gelu(input, approximate="none"):
    _not_whole(input, "GeluKernelImpl")
    return _w.gelu(input, approximate == "tanh")


def silu(input, inplace=False):
    _not_whole(input, "silu_cpu")
    return write(input, _w.silu(input), inplace)


def mish(input, inplace=False):
    _not_whole(input, "mish_cpu")
    return write(input, _w.mish(_source(input, inplace)), inplace)


def softplus(input, beta=1, threshold=20):
    _not_whole(input, "softplus_cpu")
    y = _w.softplus(input, beta)
    if beta * threshold == 0 or threshold * beta < 20 or beta < 0:  # beyond 20 they are the same number
        y = _w.label(_w.where(_w.gt(input * beta, threshold), input, y), "softplus")
    return y


def logsigmoid(input):
    _not_whole(input, "log_sigmoid_cpu")
    return _w.log_sigmoid(input)


def softsign(input):
    return input / (_w.abs(input) + 1)


def tanhshrink(input):
    return input - _w.tanh(input)


def softshrink(input, lambd=0.5):
    _not_whole(input, "softshrink_check")
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    y = _w.where(_w.gt(input, lambd), input - lambd, _w.where(_w.lt(input, -lambd), input + lambd, 0.0 * input))
    return _w.label(y, "softshrink")


def hardshrink(input, lambd=0.5):
    _not_whole(input, "hardshrink_cpu")
    return _w.label(_w.where(_w.le(_w.abs(input), lambd), 0.0, input), "hardshrink")


def threshold(input, threshold, value, inplace=False):
    return write(input, _w.label(_w.where(_w.le(input, threshold), value, input), "threshold"), inplace)


def hardsigmoid(input, inplace=False):
    _not_whole(input, "hardsigmoid_cpu")
    return write(input, _w.label(hardtanh(input / 6 + 0.5, 0.0, 1.0), "hardsigmoid"), inplace)


def hardswish(input, inplace=False):
    _not_whole(input, "hardswish_cpu")
    return write(input, _w.hardswish(_source(input, inplace)), inplace)


@_low
def prelu(input, weight):
    if input.dtype != weight.dtype and not _w.casting():
        from torch._errors import named
        raise RuntimeError(f"prelu: Type promoting not supported. Got {named(input.dtype)} and {named(weight.dtype)}")
    if weight.numel() > 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if known_sizes(input) and weight.numel() != channels:
            raise RuntimeError(f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} and "
                               f"channel size = {channels}.")
        shape = [1] * input.ndim
        shape[1 if input.ndim > 1 else 0] = weight.numel()
        weight = _w.reshape(weight, shape)
    positive = _w.gt(input, 0)      # what is not taken must not reach the gradient: 0 times inf is NaN
    return _w.label(_w.where(positive, input, weight * _w.where(positive, 0.0, input)), "prelu")


def rrelu(input, lower=1 / 8, upper=1 / 3, training=False, inplace=False):
    _not_whole(input, "leaky_relu_cpu")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        return write(input, _w.leaky_relu(input, (lower + upper) / 2), inplace)
    below = _w.le(input, 0)  # numbers are drawn for these alone
    drawn = _w.draw("uniform", (int(_w.count_nonzero(below)),), _w.float64, lower, upper, default_generator)
    slope = _w.index_set(_w.full(input.shape, 1.0, input.dtype), below, _w.cast(drawn, input.dtype))
    return write(input, input * slope, inplace)


def glu(input, dim=-1):
    _not_whole(input, "glu_cpu")
    n = input.shape[dim]
    if n % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input.ndim} is size {n}")
    a, b = _w.narrow(input, dim, 0, n // 2), _w.narrow(input, dim, n // 2, n // 2)
    return _w.label(a * _w.sigmoid(b), "glu")


for _f in [f for n, f in list(globals().items()) if n[0] != "_" and getattr(f, "__module__", "") == __name__]:
    _f.__module__ = "torch.nn.functional"
