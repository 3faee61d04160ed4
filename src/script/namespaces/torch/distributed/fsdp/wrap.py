# torch.distributed.fsdp.wrap -- which modules of a tree become units of their own.
class ModuleWrapPolicy:
    def __init__(self, module_classes):
        self.classes = tuple(module_classes)

    def __call__(self, module, recurse, nonwrapped_numel=0):
        return True if recurse else isinstance(module, self.classes)


class CustomPolicy:
    def __init__(self, lambda_fn):
        self.fn = lambda_fn

    def __call__(self, module, recurse, nonwrapped_numel=0):
        wanted = True if recurse else self.fn(module)
        if isinstance(wanted, dict):
            raise NotImplementedError("CustomPolicy: arguments for one module")
        return wanted


def always_wrap_policy(*args, **kwargs):
    return True


def transformer_auto_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls):
    return True if recurse else isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(module, recurse, nonwrapped_numel, min_num_params=int(1e8), force_leaf_modules=None,
                                exclude_wrap_modules=None):
    from torch.nn import ModuleList, ModuleDict, MultiheadAttention
    leaves = (MultiheadAttention,) if force_leaf_modules is None else tuple(force_leaf_modules)
    excluded = (ModuleList, ModuleDict) if exclude_wrap_modules is None else tuple(exclude_wrap_modules)
    large = nonwrapped_numel >= min_num_params
    return large and not isinstance(module, leaves) if recurse else large and not isinstance(module, excluded)


def _numel(module):
    return sum([p.numel() for p in module.parameters()])


def wrap_children(module, policy, wrap):
    # How many elements of parameters are in units of their own then.
    wrapped = 0
    for name, child in list(module.named_children()):
        total = _numel(child)
        if not policy(module=child, recurse=True, nonwrapped_numel=total):
            continue
        inside = wrap_children(child, policy, wrap)
        if policy(module=child, recurse=False, nonwrapped_numel=total - inside):
            setattr(module, name, wrap(child))
            inside = total
        wrapped += inside
    return wrapped
