# torch.optim.optimizer -- what all optimisers share: groups of parameters, state, saving.
#
# A kind of its own says what a step does by rule(p, g, s, way, *numbers): it writes to p and to the tensors of its state,
# s[k] for k in slots(way), by operations that depend on nothing but `way`; numbers(group, step) are floats, and all
# arithmetic of those is done there. So a rule is traced once, for parameters of any size, and a step is that program
# on one parameter after the other, in their memory, without the machine of scripts (_w.step). Where that cannot be,
# and for the first step, which makes the state, the rule itself is run. Kinds without a rule define
# update(p, gradient, state, group).
from collections import OrderedDict, defaultdict

import _torch as _w
from torch._grad import enable_grad, new_handle, no_grad


class _Required:
    def __repr__(self):
        return "<required parameter>"


required = _Required()


_SIZES = (2, 3, 5, 7, 11, 13, 17, 19)   # all different, none of them 1: no size is taken for another


class Optimizer:
    rule = None
    steps = "step"      # where the state counts them, for numbers(group, step); None: it does not

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._knows_nothing()
        self.state = defaultdict(dict)
        self.param_groups = []
        self._pre_hooks, self._post_hooks = {}, {}
        if type(self).step is Optimizer.step:   # whether it has made a step is told by no other
            self._opt_called = False
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

    def _knows_nothing(self):
        self._programs = {}
        self._asked = {} if type(self).__module__.startswith("torch.optim") else None   # what groups said (_w.step)

    def __getstate__(self):     # what steps are found to be is for each to find
        return {k: v for k, v in vars(self).items() if k not in ("_programs", "_asked")}

    def __setstate__(self, state):
        vars(self).update(state)
        self._knows_nothing()

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
            if set_to_none:
                _w.drop_grads(group["params"])
                continue
            for p in _w.with_grad(group["params"]):
                p.grad.detach().zero_()

    def step(self, closure=None):
        self._opt_called = True
        if self._pre_hooks:
            for hook in list(self._pre_hooks.values()):
                hook(self, (closure,), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        was = _w.recording(False)
        try:
            for group in self.param_groups:
                if self.rule is None or _w.in_trace():
                    rest = _w.with_grad(group["params"])
                else:
                    left = _w.step(self, group, group["params"])    # by programs; None: all is done
                    if left is None:
                        continue
                    rest, undone, way = left
                    for p, numbers in undone:
                        self.rule(p, _w.grad_of(p), self.state[p], way, *numbers)
                for p in rest:      # for which there is no program, or before their first step
                    self.update(p, _w.grad_of(p), self.state[p], group)
        finally:
            _w.recording(was)
        if self._post_hooks:
            for hook in list(self._post_hooks.values()):
                hook(self, (closure,), {})
        return loss

    def _traced(self, kind, way, slots, count):
        # The program, and which of the numbers it takes: those that are read. Every operand costs every parameter time.
        dtype = "float64" if kind >> 8 else "float32"
        n = len(slots)

        x, number = _w.full(_SIZES[:kind & 255], 0.0, dtype), _w.full((), 0.0, dtype)

        def of_numbers(read):
            def step(p, *rest):
                s, numbers = dict(zip(slots, rest)), [1.0] * count
                for i, y in zip(read, rest[n + 1:]):
                    numbers[i] = y
                self.rule(p, rest[n], s, way, *numbers)
                return [p, *[s[k] for k in slots]]

            return _w.trace_sizes(step, [x] * (n + 2) + [number] * len(read), (), type(self).__name__)

        program = of_numbers(range(count))
        _, inputs, equations, results = program.view()
        known = set(results).union(*[e[1] for e in equations])
        read = [i for i in range(count) if inputs[n + 2 + i] in known]
        return program if len(read) == count else of_numbers(read), read

    def update(self, p, g, state, group):
        if self.rule is None:
            raise NotImplementedError
        if not state:
            self.start(p, state, group)
        step = None
        if self.steps:
            state["step"] += 1
            step = state["step"].item()
        self.rule(p, g, state, self.way(group), *self.numbers(group, step))

    def start(self, p, state, group):
        # The state before the first step.
        if self.steps:
            state["step"] = _w.tensor(0.0)
        for k in self.slots(self.way(group)):
            state[k] = _w.zeros_like(p)

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
