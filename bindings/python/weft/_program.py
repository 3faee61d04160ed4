"""Programs and models: Python's side of what files hold."""
import os
from types import MappingProxyType

from . import _svg, _weft

WEIGHTS = {"file": 0, "blob": 1, "tensors": 2}


def _numbers(program, wrt):
    """Inputs by number or name, as numbers."""
    names = [name for name, *_ in program.inputs]
    wrt = wrt if isinstance(wrt, (tuple, list)) else (wrt,)
    for w in wrt:
        if isinstance(w, str) and w not in names:
            raise KeyError(f"{program.name} has no input '{w}': it has {', '.join(names)}")
    return [names.index(w) if isinstance(w, str) else w % max(len(names), 1) for w in wrt]


class Program(_weft.Program):
    """A typed, pure program. Calling it runs it; its transforms give new programs.

    Inputs are NumPy arrays, DLPack arrays (torch, JAX ..), numbers or lists; results are of the kind of the first array among
    them. Arrays are not copied, and the GIL is free while it runs.
    """

    def jvp(self, wrt=0):
        """(x.., dx for wrt) -> (y.., dy..)"""
        return self._transform("jvp", _numbers(self, wrt))

    def vjp(self, wrt=0):
        """(x.., gy for each float y) -> (y.., gx for wrt)"""
        return self._transform("vjp", _numbers(self, wrt))

    def grad(self, wrt=0):
        """The gradient of the first result, a float scalar, by inputs named or numbered."""
        return self._transform("grad", _numbers(self, wrt))

    def value_and_grad(self, wrt=0):
        """(y.., dy/dx for wrt)"""
        return self._transform("value_and_grad", _numbers(self, wrt))

    def jacfwd(self, wrt=0):
        """dy/dx, of shape y.shape + x.shape, by forward mode."""
        return self._transform("jacfwd", _numbers(self, wrt))

    def jacrev(self, wrt=0):
        """dy/dx, of shape y.shape + x.shape, by reverse mode."""
        return self._transform("jacrev", _numbers(self, wrt))

    def hessian(self, wrt=0):
        """The second derivatives."""
        return self._transform("hessian", _numbers(self, wrt))

    def hvp(self, wrt=0):
        """(x.., v for wrt) -> H v"""
        return self._transform("hvp", _numbers(self, wrt))

    def linearize(self, wrt=0):
        """Two programs: x.. -> (y.., residuals..) and (residuals.., dx) -> dy.."""
        return self._transform("linearize", _numbers(self, wrt))

    def partition(self, wrt=0):
        """Two programs: x.. -> (y.., saved..) and (saved.., gy..) -> gx.., with as little saved as may be."""
        return self._transform("partition", _numbers(self, wrt))

    def vmap(self, in_axes=0, axis_name=None, size=None):
        """Batched: in_axes for each input an axis or None; results along axis 0. size None: a symbol."""
        n = len(self.inputs)
        axes = [in_axes] * n if in_axes is None or isinstance(in_axes, int) else list(in_axes)
        return self._vmap([-1 if a is None else a for a in axes], axis_name, -1 if size is None else size)

    def specialise(self, **sizes):
        """Symbols replaced by numbers: p.specialise(N=32)"""
        return self._specialise(sizes)

    def bind(self, **arrays):
        """Inputs become constants: p.bind(w=weights)"""
        return self._bind({_numbers(self, name)[0]: a for name, a in arrays.items()})

    def cost(self, **sizes):
        """What running it once costs: flops and bytes, by symbols' sizes."""
        return self._cost(sizes)

    def profile(self, *args, runs=10):
        """Where the time goes: [(op, program, type, place, calls, seconds, flops, bytes)], the dearest first; compiled."""
        return self.compile()._profile(args, runs)[0]

    def show(self, form="text"):
        """'text', 'types', 'dot', 'svg', 'fused', 'kernels' or 'c'."""
        if form == "svg":
            return self._repr_svg_()
        if form in ("text", "types", "places"):
            return self.text({"text": 0, "types": 2, "places": 1}[form])
        return self.dot() if form == "dot" else self.code(form)

    def save(self, path):
        """As .weft, .wir or .onnx, by the name's end."""
        m = Model()
        m.add(self)
        m.save(path)

    def export(self, folder, **options):
        """As C that stands alone; see Model.export."""
        m = Model()
        m.add(self)
        m.export(folder, **options)

    def __repr__(self):
        def side(rows):
            return ", ".join(f"{n}: {d}[{','.join(map(str, s))}]" if n else f"{d}[{','.join(map(str, s))}]" for n, d, s, _ in rows)
        return f"<weft.Program {self.name}({side(self.inputs)}) -> ({side(self.outputs)}), {self.equations} equations>"

    def _repr_svg_(self):
        return _svg.draw(self.dot(), self.name)


class Method:
    """A method of a model. Calling it runs it with the model's tensors; one that changes them changes them in the model."""

    def __init__(self, model, name):
        self.model, self.name = model, name
        takes, gives = model._method_inputs(name), model._method_outputs(name)
        self.inputs = [row for row in takes if row[3] == "input"]
        self.outputs = [row for row in gives if row[3] == "result"]
        self.changes = [row[0] for row in gives if row[3] != "result"]
        self._bound = (-1, None)

    @property
    def program(self):
        """The program of its arguments alone, with the model's tensors, as they are now, as constants."""
        changes, program = self._bound
        if changes != self.model._changes:
            changes, program = self.model._changes, self.model._bind(self.name)
            self._bound = (changes, program)
        return program

    def _ordered(self, args, kwargs):
        names = [row[0] for row in self.inputs]
        unknown = [k for k in kwargs if k not in names[len(args):]]
        if unknown or len(args) + len(kwargs) != len(names):
            raise TypeError(f"{self.name}() takes {', '.join(names) or 'nothing'}"
                            + (f", not '{unknown[0]}'" if unknown else f": {len(names)}, not {len(args) + len(kwargs)}"))
        return args + tuple(kwargs[n] for n in names[len(args):])

    def __call__(self, *args, **kwargs):
        if not self.changes:
            return self.program(*args, **kwargs)
        out = self.model._run(self.name, self._ordered(args, kwargs), len(self.outputs))
        return out[0] if len(out) == 1 else out

    def compile(self, *, exact=False):
        """An executable of the method as it is now."""
        return self.program.compile(exact=exact)

    def __getattr__(self, name):  # grad, vmap, show ..: of the program
        if name.startswith("_") and not name.startswith("_repr"):
            raise AttributeError(name)
        return getattr(self.program, name)

    def __repr__(self):
        args = ", ".join(f"{n}: {d}[{','.join(map(str, s))}]" for n, d, s, _ in self.inputs)
        return f"<weft.Method {self.name}({args})" + (f", changes {len(self.changes)} tensors>" if self.changes else ">")


class _Tensors:
    """The tensors of a model by name; what is set is copied."""

    def __init__(self, model):
        self._model = model

    def __getitem__(self, name):
        return self._model._tensor(name).numpy().copy()

    def __setitem__(self, name, value):
        self._model._set_tensor(name, value)

    def __iter__(self):
        return iter(self._model._tensors)

    def __len__(self):
        return len(self._model._tensors)

    def __contains__(self, name):
        return name in self._model._tensors

    def keys(self):
        return list(self._model._tensors)

    def items(self):
        return [(n, self[n]) for n in self]

    def __repr__(self):
        return f"<{len(self)} tensors: {', '.join(self.keys()[:8])}{' ..' if len(self) > 8 else ''}>"


NAMED_LOSSES = {
    "cross_entropy": lambda b, y, t: b.cross_entropy(y, t, None, -100, 0.0, 1),
    "mse": lambda b, y, t: b.mse_loss(y, t, 1),
    "l1": lambda b, y, t: b.l1_loss(y, t, 1),
    "bce": lambda b, y, t: b.bce_loss(y, t, 1),
    "bce_with_logits": lambda b, y, t: b.bce_with_logits(y, t, 1),
    "nll": lambda b, y, t: b.nll_loss(y, t, None, -100, 1),
}
OPTIMISERS = {  # numbers after the rate, PyTorch's names and defaults
    "sgd": (1e-3, {"momentum": 0.0, "nesterov": False, "weight_decay": 0.0}),
    "adam": (1e-3, {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0}),
    "adamw": (1e-3, {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.01}),
    "rmsprop": (1e-2, {"alpha": 0.99, "eps": 1e-8, "weight_decay": 0.0, "momentum": 0.0}),
    "adagrad": (1e-2, {"lr_decay": 0.0, "eps": 1e-10, "weight_decay": 0.0}),
}


class Model(_weft.Model):
    """What a file holds: methods, tensors by name, metadata. Methods are attributes: model.forward(x)."""

    @property
    def methods(self):
        """Methods by name."""
        return MappingProxyType({name: self._method(name) for name in self._programs})

    @property
    def tensors(self):
        """Tensors by name, as NumPy arrays that are copies."""
        return _Tensors(self)

    def _method(self, name):
        cache = self.__dict__.setdefault("_cache", {})
        if name not in cache:
            cache[name] = Method(self, name)
        return cache[name]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._programs:
            raise AttributeError(f"the model has no method '{name}': it has {', '.join(self._programs) or 'none'}")
        return self._method(name)

    def __getitem__(self, name):
        """The method of that name, whatever it is."""
        if name not in self._programs:
            raise KeyError(f"the model has no method '{name}': it has {', '.join(self._programs) or 'none'}")
        return self._method(name)

    def __call__(self, *args, **kwargs):
        """The method forward, or the only one there is."""
        names = self._programs
        return self._method("forward" if "forward" in names or len(names) != 1 else names[0])(*args, **kwargs)

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self._programs))

    def add(self, program):
        """A program, by its name; one that is there is replaced."""
        self._add(program)
        self.__dict__.pop("_cache", None)

    def train_step(self, types, loss="cross_entropy", optimizer="adam", lr=None, name="train", **numbers):
        """A training step as a method of the model: loss, gradients, update. Gives the method, which gives the loss.

        types: of the inputs of forward and of the target, such as ["f32[N,64]", "i64[N]"]. loss: a name, or a function of
        (result, target) on NumPy-like values. numbers: momentum, nesterov, weight_decay, beta1 .. as the optimiser has them.
        """
        if optimizer not in OPTIMISERS:
            raise ValueError(f"there is no optimiser '{optimizer}': {', '.join(OPTIMISERS)}")
        rate, rest = OPTIMISERS[optimizer]
        if unknown := set(numbers) - set(rest):
            raise TypeError(f"{optimizer} has no {', '.join(sorted(unknown))}: it has {', '.join(rest)}")
        values = [rate if lr is None else lr] + [float(numbers.get(k, v)) for k, v in rest.items()]
        if isinstance(loss, str):
            if loss not in NAMED_LOSSES:
                raise ValueError(f"there is no loss '{loss}': {', '.join(NAMED_LOSSES)}, or a function")
            def call(pair, named=NAMED_LOSSES[loss]):
                return named(_builder_of(pair[0]), *pair)
        else:
            from ._trace import wrap_loss
            call = wrap_loss(loss)
        self._add_step(name, call, [str(t) for t in types], optimizer, tuple(values + [0.0] * (5 - len(values))))
        self.__dict__.pop("_cache", None)
        return self._method(name)

    def train(self, inputs, targets, *, loss="cross_entropy", optimizer="adam", lr=None, epochs=1, batch=32, seed=0,
              on_epoch=None, **numbers):
        """Trains on rows of inputs and targets (NumPy arrays); gives the mean loss of each epoch.

        The step is the method "train" of the model afterwards, with the optimiser's state among its tensors: saved and loaded, it
        goes on where it was.
        """
        import numpy as np

        inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
        data = [np.ascontiguousarray(a) for a in (*inputs, targets)]
        rows = len(data[0])
        if any(len(a) != rows for a in data):
            raise ValueError("inputs and targets have different numbers of rows: " + ", ".join(str(len(a)) for a in data))
        types = [f"{_short(a.dtype)}[{','.join(['N', *map(str, a.shape[1:])])}]" for a in data]
        step = self.train_step(types, loss, optimizer, lr, "train", **numbers)
        order, history = np.random.default_rng(seed), []
        for epoch in range(epochs):
            places, total = order.permutation(rows), 0.0
            for at in range(0, rows, batch):
                chosen = places[at:at + batch]
                total += float(step(*(a[chosen] for a in data))) * len(chosen)
            history.append(total / max(rows, 1))
            if on_epoch:
                on_epoch(epoch, history[-1])
        return history

    def compile(self, name="forward", *, exact=False):
        """A method as an executable."""
        return self._method(name).compile(exact=exact)

    def save(self, path):
        """As .weft; programs alone as .wir; one program as .onnx."""
        self._save(os.fspath(path))

    def export(self, folder, name=None, methods=(), sizes=None, most=None, weights="file"):
        """As C that stands alone: C99, no malloc. sizes fixes symbols, most bounds them; weights: 'file', 'blob', 'tensors'."""
        if weights not in WEIGHTS:
            raise ValueError(f"weights are in the 'file', a 'blob' or 'tensors', not '{weights}'")
        self._export(os.fspath(folder), name, list(methods), dict(sizes or {}), dict(most or {}), WEIGHTS[weights])

    def show(self, form="text"):
        """The programs, one after the other; see Program.show."""
        return "\n".join(self.program(n).show(form) for n in self._programs)

    def __repr__(self):
        return f"<weft.Model: {', '.join(map(repr, self._programs)) or 'no methods'}; {len(self._tensors)} tensors>"

    def _repr_html_(self):
        import html
        rows = "".join(f"<tr><td>{html.escape(n)}</td><td>{html.escape(repr(self._method(n)))}</td></tr>" for n in self._programs)
        pictures = "".join(f"<details><summary>{html.escape(n)}</summary>{self.program(n)._repr_svg_()}</details>"
                           for n in self._programs)
        return f"<table>{rows}</table>{pictures}"


def _builder_of(value):
    return value.builder


def _short(dtype):
    return _weft.dtype_name(dtype)
