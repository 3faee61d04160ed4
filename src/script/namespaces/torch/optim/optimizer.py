# torch.optim.optimizer -- what all optimisers share: groups of parameters, state, saving.
# A kind of its own defines update(p, gradient, state, group).
from collections import OrderedDict, defaultdict

import _torch as _w
from torch._grad import enable_grad, new_handle, no_grad


class _Required:
    def __repr__(self):
        return "<required parameter>"


required = _Required()


class Optimizer:
    def __init__(self, params, defaults):
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self._pre_hooks, self._post_hooks = {}, {}
        if isinstance(params, _w.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but "
                            f"got {params.type()}")
        groups = list(params)
        if len(groups) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for g in groups:
            self.add_param_group(g)

    def add_param_group(self, param_group):
        params = param_group["params"]
        params = [params] if isinstance(params, _w.Tensor) else list(params)
        if params and isinstance(params[0], tuple):  # named_parameters()
            params = [p for _, p in params]
        for p in params:
            if not isinstance(p, _w.Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if p.dtype.is_complex and type(self).__name__ != "SGD":
                raise NotImplementedError(f"{type(self).__name__} of complex parameters; torch.view_as_real gives real ones")
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        seen = [id(p) for g in self.param_groups for p in g["params"]]
        if any([id(p) in seen for p in params]):
            raise ValueError("some parameters appear in more than one parameter group")
        group = dict(param_group)
        group["params"] = params
        for key, value in self.defaults.items():
            if value is required and key not in group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {key}")
            group.setdefault(key, value)
        self.param_groups.append(group)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    _w.set_grad(p, None)
                elif p.grad is not None:
                    p.grad.detach().zero_()

    def step(self, closure=None):
        for hook in list(self._pre_hooks.values()):
            hook(self, (closure,), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        was = _w.recording(False)
        try:
            for group in self.param_groups:
                for p in group["params"]:
                    g = _w.grad_of(p)
                    if g is not None:
                        self.update(p, g, self.state[p], group)
        finally:
            _w.recording(was)
        for hook in list(self._post_hooks.values()):
            hook(self, (closure,), {})
        return loss

    def update(self, p, g, state, group):
        raise NotImplementedError

    def register_step_pre_hook(self, hook):
        return new_handle(self._pre_hooks, hook)

    def register_step_post_hook(self, hook):
        return new_handle(self._post_hooks, hook)

    # ---- state

    def state_dict(self):
        numbers, groups = {}, []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {}
        for p, s in self.state.items():
            if s:
                state[numbers[id(p)] if isinstance(p, _w.Tensor) else p] = s
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for mine, other in zip(self.param_groups, saved):
            if len(mine["params"]) != len(other["params"]):
                raise ValueError("loaded state dict contains a parameter group that doesn't match the size of "
                                 "optimizer's group")
        by_number = {}
        for mine, other in zip(self.param_groups, saved):
            by_number.update(zip(other["params"], mine["params"]))
        self.state = defaultdict(dict)
        for number, s in state_dict["state"].items():
            target = by_number.get(number, number)
            self.state[target] = {k: v.clone() if isinstance(v, _w.Tensor) else v for k, v in s.items()}
        for mine, other in zip(self.param_groups, saved):
            for key, value in other.items():
                if key != "params":
                    mine[key] = value

    def __repr__(self):
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines += [""] * (i > 0) + [f"Parameter Group {i}"]
            for key in sorted(group):
                if key != "params":
                    lines.append(f"    {key}: {group[key]}")
        return "\n".join(lines) + "\n)"
