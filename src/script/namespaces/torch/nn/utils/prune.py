# torch.nn.utils.prune -- parameters with a mask: NAME becomes NAME_orig times the buffer NAME_mask before each forward.
import torch


class BasePruningMethod:
    PRUNING_TYPE = "unstructured"

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t, default_mask):
        raise NotImplementedError

    def apply_mask(self, module):
        name = self._tensor_name
        orig, mask = getattr(module, name + "_orig"), getattr(module, name + "_mask")
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        method, old = cls(*args, **kwargs), None
        for k, hook in list(module._forward_pre_hooks.items()):
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
                old = hook
                del module._forward_pre_hooks[k]
        method._tensor_name = name
        orig = getattr(module, name)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}")
        if old is not None:
            container = PruningContainer(old)
            container.add_pruning_method(method)
            method = container
        else:
            module.register_parameter(name + "_orig", orig)
            del module._parameters[name]
        default = getattr(module, name + "_mask", None) if old is not None else None
        if default is None:
            default = torch.ones_like(orig)
        with torch.no_grad():
            mask = method.compute_mask(scores, default_mask=default)
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        scores = t if importance_scores is None else importance_scores
        default = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module):
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name) and name in module.__dict__:
            delattr(module, name)
        orig = module._parameters[name + "_orig"]
        orig.data = weight.detach()
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, orig)


class PruningContainer(BasePruningMethod):
    def __init__(self, *args):
        self._pruning_methods = ()
        self._tensor_name = args[0]._tensor_name if args else None
        for m in args:
            self.add_pruning_method(m)

    def add_pruning_method(self, method):
        if isinstance(method, PruningContainer):
            self._pruning_methods += method._pruning_methods
        else:
            self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, i):
        return self._pruning_methods[i]

    def compute_mask(self, t, default_mask):
        # the last method prunes what those before have left
        method, mask = self._pruning_methods[-1], default_mask.to(t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            keep = mask == 1
        elif method.PRUNING_TYPE == "structured":
            axes = [i for i in range(t.dim()) if i != method.dim % t.dim()]
            alive = mask.sum(dim=axes) != 0
            index = [slice(None)] * t.dim()
            index[method.dim] = alive
            keep = tuple(index)
        else:
            keep = tuple([slice(None)] * t.dim())
        new, part = mask.clone(), mask[keep]
        new[keep] = method.compute_mask(t[keep], default_mask=part).to(new.dtype)
        return new


class Identity(BasePruningMethod):
    def compute_mask(self, t, default_mask):
        return default_mask


def _check_amount(amount):
    if not isinstance(amount, (int, float)):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (isinstance(amount, int) and amount < 0) or (isinstance(amount, float) and not 0.0 <= amount <= 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _how_many(amount, size):
    n = amount if isinstance(amount, int) else round(amount * size)
    if n > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return n


class _Amount(BasePruningMethod):
    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomUnstructured(_Amount):
    def compute_mask(self, t, default_mask):
        n = _how_many(self.amount, t.nelement())
        mask = default_mask.clone()
        if n:
            mask.view(-1)[torch.topk(torch.rand_like(t).view(-1), k=n).indices] = 0
        return mask


class L1Unstructured(_Amount):
    def compute_mask(self, t, default_mask):
        n = _how_many(self.amount, t.nelement())
        mask = default_mask.clone()
        if n:
            mask.view(-1)[torch.topk(torch.abs(t).view(-1), k=n, largest=False).indices] = 0
        return mask


class _Structured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def _mask(self, t, default_mask, scores):
        size = t.shape[self.dim]
        n = _how_many(self.amount, size)
        if n == 0:
            return default_mask
        keep = torch.topk(scores, k=size - n, largest=True).indices
        mask = torch.zeros_like(t)
        index = [slice(None)] * t.dim()
        index[self.dim] = keep
        mask[tuple(index)] = 1
        return mask * default_mask.to(mask.dtype)


class RandomStructured(_Structured):
    def __init__(self, amount, dim=-1):
        _check_amount(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t, default_mask):
        return self._mask(t, default_mask, torch.rand(t.shape[self.dim]))

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    def __init__(self, amount, n, dim=-1):
        _check_amount(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def compute_mask(self, t, default_mask):
        axes = [i for i in range(t.dim()) if i != self.dim % t.dim()]
        return self._mask(t, default_mask, torch.norm(t, p=self.n, dim=axes))

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)


def identity(module, name):
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    parameters, scores = list(parameters), importance_scores or {}
    flat = torch.cat([scores.get((m, n), getattr(m, n)).reshape(-1) for m, n in parameters])
    default = torch.cat([getattr(m, n + "_mask", torch.ones_like(getattr(m, n))).reshape(-1) for m, n in parameters])
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f"{pruning_method} of type {method.PRUNING_TYPE}")
    container = PruningContainer(method)
    with torch.no_grad():
        final = container.compute_mask(flat, default)
    at = 0
    for m, n in parameters:
        p = getattr(m, n)
        custom_from_mask(m, n, mask=final[at:at + p.numel()].view_as(p))
        at += p.numel()


def remove(module, name):
    for k, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[k]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    return any([isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values()])
