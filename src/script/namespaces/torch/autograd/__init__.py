# torch.autograd -- gradients of what was recorded.
from torch._grad import (backward, grad, no_grad, enable_grad, set_grad_enabled, inference_mode)
from torch._grad import after_backward as _after_backward
from torch.autograd.gradcheck import gradcheck, gradgradcheck
from torch.autograd.function import Function, FunctionCtx, once_differentiable
from torch._tensor import Variable


def _look_for_nan(leaves):
    for x in leaves:
        if x.grad is not None and bool(x.grad.isnan().any()):
            raise RuntimeError(f"backward returned nan values in the gradient of a leaf of shape {tuple(x.shape)}; which "
                               "function they come from is not known here")


class set_detect_anomaly:
    # Gradients of leaves are looked at after each backward pass: steps of one pass are one program here.
    def __init__(self, mode=True, check_nan=True):
        self._was = _look_for_nan in _after_backward
        self._set(mode, check_nan)

    def _set(self, mode, check_nan):
        import warnings
        if _look_for_nan in _after_backward:
            _after_backward.remove(_look_for_nan)
        if mode:
            warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled "
                          "for debugging.")
            if check_nan:
                _after_backward.append(_look_for_nan)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self._was != (_look_for_nan in _after_backward):
            (_after_backward.append if self._was else _after_backward.remove)(_look_for_nan)
        return False


class detect_anomaly(set_detect_anomaly):
    def __init__(self, check_nan=True):
        self._check = check_nan

    def __enter__(self):
        self._was = _look_for_nan in _after_backward
        self._set(True, self._check)


def __getattr__(name):
    if name in ("functional", "function", "forward_ad", "profiler", "graph"):
        return __import__("torch.autograd." + name)
    raise AttributeError(name)
