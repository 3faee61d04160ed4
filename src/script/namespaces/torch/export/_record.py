# torch.export._record -- a module's forward as a program of its state and of the tensors among the arguments: what torch.export.export and
# torch.onnx.export keep. Other arguments are constants, sizes too unless they are left open.
import _tree
import torch
from torch import nn
from torch.export.dynamic_shapes import Dim, open_axes, opens
from torch.jit import _script, _trace


class Recorded:
    def __init__(self, mod, args, kwargs=None, dynamic_shapes=None, what="torch.export.export", input_names=(), dynamic_axes=None):
        # input_names, dynamic_axes {name: axes}: as torch.onnx.export has them
        if not isinstance(mod, nn.Module):
            raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
        if not isinstance(args, tuple):
            raise TypeError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
        self.mod = mod
        self.arguments = self._bind(args, kwargs or {})
        self.state = _script._state(mod)
        self.positions = []         # of the tensors among the leaves
        self.leaves, self.names, self.masks = [], [], []
        for i, (name, value) in enumerate(self.arguments):
            leaves, spec = _tree.flatten(value, None, False)
            g = dynamic_shapes
            g = g.get(name) if isinstance(g, dict) else g[i] if g is not None and i < len(g) else None
            own = []
            _tree._named(spec, name, own)
            for leaf, n, mask in zip(leaves, own, opens(leaves, spec, g)):
                if isinstance(leaf, torch.Tensor):
                    self.positions.append(len(self.leaves))
                    self.names.append(n)
                    self.masks.append(mask)
                self.leaves.append(leaf)
        if len(input_names) > len(self.names):
            raise ValueError(f"{len(input_names)} names for {len(self.names)} inputs")
        self.names[:len(input_names)] = input_names
        for k, name in enumerate(self.names):
            if dynamic_axes and name in dynamic_axes:
                self.masks[k] |= open_axes(self.leaves[self.positions[k]].shape, {a: Dim.DYNAMIC for a in dynamic_axes[name]})
        self.spec = _tree.flatten(self._call(self.arguments), None, False)[1]
        names = _script.input_names(mod, self.state, None, (None, None, None, ()), 0) + self.names
        self.traced = _trace._record(self._run, [self.leaves[i] for i in self.positions], self.state, "forward", False, names, self.masks)
        self.traced.again = None        # sizes that were not said to be open are fixed
        if self.traced.program is None:
            raise RuntimeError(f"{what}: forward is no program: {self.traced.reason}")

    def _bind(self, args, kwargs):
        own = [p for p in _tree._parameters(self.mod.forward)]
        plain = [p[0] for p in own if p[1] < 2]
        rest = [p[0] for p in own if p[1] == 2]
        if len(args) > len(plain) and not rest:
            raise TypeError(f"{type(self.mod).__name__}.forward() takes {len(plain)} arguments, got {len(args)}")
        self.npos = len(args)
        return [(plain[i] if i < len(plain) else f"{rest[0]}_{i - len(plain)}", x) for i, x in enumerate(args)] + list(kwargs.items())

    def _call(self, bound):
        return (tuple([v for _, v in bound[:self.npos]]), dict(bound[self.npos:]))

    def _run(self, *tensors):
        leaves = list(self.leaves)
        for i, t in zip(self.positions, tensors):
            leaves[i] = t
        args, kwargs = _tree.unflatten(self.spec, leaves)
        return self.mod(*args, **kwargs)

    def run(self, args, kwargs):
        leaves, spec = _tree.flatten((tuple(args), dict(kwargs)), None, False)
        if spec != self.spec:
            raise ValueError("the arguments have not the form that the module was exported with")
        for k, (x, was) in enumerate(zip(leaves, self.leaves)):
            if not isinstance(was, torch.Tensor) and x != was:
                raise RuntimeError(f"an argument is {x!r}, and the module was exported for {was!r}")
        return self.traced.run([leaves[i] for i in self.positions], self.state)
