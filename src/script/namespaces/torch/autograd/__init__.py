# torch.autograd -- gradients of what was recorded.
from torch._grad import (backward, grad, no_grad, enable_grad, set_grad_enabled, inference_mode)
from torch.autograd.function import Function, FunctionCtx, once_differentiable
from torch._tensor import Variable


def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, check_forward_ad=False, check_backward_ad=True, **options):
    return __import__("torch.autograd._gradcheck").check(func, inputs, eps, atol, rtol, raise_exception, check_forward_ad, check_backward_ad)


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True,
                  **options):
    if grad_outputs is not None:
        raise NotImplementedError("gradgradcheck: grad_outputs")
    return __import__("torch.autograd._gradcheck").check_twice(func, inputs, eps, atol, rtol, raise_exception)


class set_detect_anomaly:
    def __init__(self, mode=True, check_nan=True):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False


detect_anomaly = set_detect_anomaly


def __getattr__(name):
    if name in ("functional", "function", "forward_ad", "profiler", "graph"):
        return __import__("torch.autograd." + name)
    raise AttributeError(name)
