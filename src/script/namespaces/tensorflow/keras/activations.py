# tensorflow.keras.activations
from tensorflow.nn import relu, elu, selu, softplus, softsign, softmax, gelu, silu, swish, leaky_relu, log_softmax
from tensorflow._ops import sigmoid, tanh, exp as exponential
import _tf as _w
from tensorflow._base import op, as_tensor

hard_sigmoid = op("HardSigmoid")(lambda x: _w.clip(as_tensor(x) / 6.0 + 0.5, 0, 1))


def linear(x):
    return x


_by_name = {"relu": relu, "elu": elu, "selu": selu, "softplus": softplus, "softsign": softsign, "softmax": softmax, "gelu": gelu, "silu": silu,
            "swish": swish, "leaky_relu": leaky_relu, "sigmoid": sigmoid, "tanh": tanh, "exponential": exponential, "linear": linear,
            "hard_sigmoid": hard_sigmoid, "log_softmax": log_softmax}


def get(identifier):
    if identifier is None:
        return linear
    if isinstance(identifier, str):
        if identifier not in _by_name:
            raise ValueError(f"Could not interpret activation function identifier: {identifier}")
        return _by_name[identifier]
    return identifier
