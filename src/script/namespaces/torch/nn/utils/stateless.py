# torch.nn.utils.stateless -- modules as functions of their parameters, by the name of old.
import warnings as _warnings

from torch.func import functional_call as _call


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    _warnings.warn("`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of "
                   "PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.", FutureWarning, stacklevel=2)
    return _call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
