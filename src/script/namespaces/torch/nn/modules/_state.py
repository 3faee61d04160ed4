# torch.nn.modules._state -- what a module keeps: its state dict, written and read, and the hooks around both. Methods of Module.
from collections import OrderedDict, namedtuple

import _torch as _w
from torch._grad import new_handle, no_grad
from torch.nn.parameter import Parameter, is_lazy

_EXTRA = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


def _hooks(module, kind):
    return vars(module).get(kind, {})


def _hook(module, kind, hook):
    return new_handle(vars(module).setdefault(kind, OrderedDict()), hook)


def register_state_dict_pre_hook(self, hook):
    return _hook(self, "_state_dict_pre_hooks", hook)


def _register_state_dict_hook(self, hook):
    return _hook(self, "_state_dict_hooks", hook)


def register_state_dict_post_hook(self, hook):
    hook._from_public_api = True
    return _hook(self, "_state_dict_hooks", hook)


def _register_load_state_dict_pre_hook(self, hook, with_module=False):
    return _hook(self, "_load_state_dict_pre_hooks", (lambda *args: hook(self, *args)) if with_module else hook)


def register_load_state_dict_pre_hook(self, hook):
    return self._register_load_state_dict_pre_hook(hook, True)


def register_load_state_dict_post_hook(self, hook):
    return _hook(self, "_load_state_dict_post_hooks", hook)


def _kept(module):
    # parameters and persistent buffers that are there
    for name, p in module._parameters.items():
        if p is not None:
            yield name, p
    for name, b in module._buffers.items():
        if b is not None and name not in module._non_persistent_buffers_set:
            yield name, b


def _has_extra(module, method, plain):
    return getattr(type(module), method, plain) is not plain


def get_extra_state(self):
    raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
                       "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.")


def set_extra_state(self, state):
    raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
                       "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.")


def _save_to_state_dict(self, destination, prefix, keep_vars):
    for name, x in _kept(self):
        destination[prefix + name] = x if keep_vars or is_lazy(x) else _w.detach(x)
    if _has_extra(self, "get_extra_state", get_extra_state):
        destination[prefix + _EXTRA] = self.get_extra_state()


def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
    if args:        # the form of old
        destination, prefix, keep_vars = (args + (destination, prefix, keep_vars)[len(args):])[:3]
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    about = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = about
    for hook in list(_hooks(self, "_state_dict_pre_hooks").values()):
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, m in self._modules.items():
        if m is not None:
            m.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
    for hook in list(_hooks(self, "_state_dict_hooks").values()):
        result = hook(self, destination, prefix, about)
        if getattr(hook, "_from_public_api", False):
            if result is not None:
                raise RuntimeError("state_dict post-hook must return None")
        elif result is not None:
            destination = result
    return destination


def _take(module, name, x, value, key, assign, errors):
    # What a state dict has for x goes into x, or into its place.
    if not isinstance(value, _w.Tensor):
        errors.append(f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
                      f"received {type(value)}")
        return
    if is_lazy(value) and is_lazy(x):
        return
    if not is_lazy(x) and len(x.shape) == 0 and len(value.shape) == 1:      # as 0-d tensors were kept once
        value = value[0]
    if not is_lazy(x) and value.shape != x.shape:
        errors.append(f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current "
                      f"model is {x.shape}.")
        return
    if x.is_meta and not value.is_meta and not assign:
        __import__("warnings").warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                                    "current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
                                    "state dictionary to their corresponding key in the module instead of copying them in place?)")
    try:
        with no_grad():
            if not assign:
                x.copy_(value)
            elif name not in module._parameters:
                module._buffers[name] = value
            else:
                module._parameters[name] = value if isinstance(value, Parameter) else Parameter(value, x.requires_grad)
    except Exception as e:
        errors.append(f'While copying the parameter named "{key}", whose dimensions in the model are {x.size()} and whose dimensions '
                      f"in the checkpoint are {value.size()}, an exception occurred : {e.args}.")


def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
    for hook in list(_hooks(self, "_load_state_dict_pre_hooks").values()):
        hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    own = dict(_kept(self))
    for name, x in own.items():
        key = prefix + name
        if key in state_dict:
            _take(self, name, x, state_dict[key], key, local_metadata.get("assign_to_params_buffers", False), error_msgs)
        elif strict:
            missing_keys.append(key)
    extra = prefix + _EXTRA
    if _has_extra(self, "set_extra_state", set_extra_state):
        if extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict:
            missing_keys.append(extra)
    elif strict and extra in state_dict:
        unexpected_keys.append(extra)
    if strict:
        for key in state_dict:
            first, _, rest = key[len(prefix):].partition(".")
            if key.startswith(prefix) and key != extra and (first not in self._modules if rest else first not in own):
                unexpected_keys.append(key)


def _quoted(keys):
    return ", ".join([f'"{k}"' for k in keys])


def load_state_dict(self, state_dict, strict=True, assign=False):
    if not hasattr(state_dict, "keys"):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing, unexpected, errors = [], [], []
    versions = getattr(state_dict, "_metadata", None)
    state_dict = OrderedDict(state_dict)
    if versions is not None:
        state_dict._metadata = versions

    def load(module, state, prefix):
        about = dict(({} if versions is None else versions).get(prefix[:-1], {}))
        if assign:
            about["assign_to_params_buffers"] = assign
        module._load_from_state_dict(state, prefix, about, True, missing, unexpected, errors)
        for name, m in module._modules.items():
            if m is not None:
                at = prefix + name + "."
                load(m, {k: v for k, v in state.items() if k.startswith(at)}, at)
        keys = _IncompatibleKeys(missing, unexpected)
        for hook in list(_hooks(module, "_load_state_dict_post_hooks").values()):
            if hook(module, keys) is not None:
                raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                                     "values, if incompatible_keys need to be modified, it should be done inplace.")

    load(self, state_dict, "")
    if strict:
        if unexpected:
            errors.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        if missing:
            errors.insert(0, f"Missing key(s) in state_dict: {_quoted(missing)}. ")
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
    return _IncompatibleKeys(missing, unexpected)
