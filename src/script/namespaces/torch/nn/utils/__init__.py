# torch.nn.utils -- gradients of many parameters at once, and parameters as one vector.
import _torch as _w
from torch._grad import no_grad


def _list(parameters):
    return [parameters] if isinstance(parameters, _w.Tensor) else list(parameters)


def _there(x, device):
    return x if x.device == device else x.to(device)


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    tensors = _list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return _w.tensor(0.0)
    first = tensors[0].device
    norms = [_there(_w.norm(g, norm_type), first) for g in tensors]
    total = _w.norm(_w.stack(norms, 0), norm_type)
    if error_if_nonfinite and not bool(_w.is_finite(total)):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
                           "cannot be clipped. To disable this error and scale the gradients by the non-finite norm "
                           "anyway, set `error_if_nonfinite=False`")
    return total


def _norm_of(parameters, norm_type, strict):
    # Of all gradients; processes of the groups `divided` have parts of some.
    by_group = {(): []}
    for p in parameters:
        if p.grad is not None:
            by_group.setdefault(getattr(p, "divided", ()), []).append(p.grad)
    if len(by_group) == 1:
        return get_total_norm(by_group[()], norm_type, strict)
    from torch.distributed import ReduceOp, all_reduce
    norms = []
    for groups, grads in by_group.items():
        norm = get_total_norm(grads, norm_type)
        for group in groups:
            part = norm.clone() if norm_type == float("inf") else norm ** norm_type
            all_reduce(part, op=ReduceOp.MAX if norm_type == float("inf") else ReduceOp.SUM, group=group)
            norm = part if norm_type == float("inf") else part ** (1 / norm_type)
        norms.append(norm)
    return get_total_norm(norms, norm_type, strict)


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    with no_grad():
        scale = _w.clip(max_norm / (total_norm + 1e-6), None, 1.0)
        for p in _list(parameters):
            if p.grad is not None:
                p.grad.mul_(_there(scale, p.grad.device))


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    parameters = _list(parameters)
    with no_grad():
        total = _norm_of(parameters, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, float(max_norm), total)
    return total


def clip_grad_value_(parameters, clip_value, foreach=None):
    with no_grad():
        for p in _list(parameters):
            if p.grad is not None:
                p.grad.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters):
    return _w.concat([_w.reshape(p, (-1,)) for p in parameters], 0)


def vector_to_parameters(vec, parameters):
    at = 0
    for p in parameters:
        n = p.numel()
        p.data = _w.copy(_w.detach(_w.reshape(vec[at:at + n], p.shape)))
        at += n


def skip_init(module_cls, *args, **kwargs):
    # a module whose parameters have memory and no numbers of their own
    final = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=final)


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    __import__("warnings").warn("torch.nn.utils.clip_grad_norm is now deprecated in favor of torch.nn.utils.clip_grad_norm_.",
                                FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def __getattr__(name):
    if name in ("fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"):
        return getattr(__import__("torch.nn.utils.fusion"), name)
    if name in ("rnn", "parametrizations", "parametrize", "prune", "stateless"):
        return __import__("torch.nn.utils." + name)
    if name in ("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm"):
        return getattr(__import__("torch.nn.utils._renormed"), name)
    raise AttributeError(name)
