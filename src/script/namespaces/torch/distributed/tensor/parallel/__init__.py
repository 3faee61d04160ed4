# torch.distributed.tensor.parallel -- modules whose parameters, inputs and results are divided over an axis of a mesh.
#
# A divided parameter is a Parameter of the own part (`Divided`), which optimisers step as any other. A module's forward function
# runs on parts: its inputs are brought to what its style wants, its result lies as the style says.
import torch
import torch.distributed as dist
from fnmatch import fnmatch
from torch import nn
from torch.nn import functional as F
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, _rules

__all__ = ["ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput", "RowwiseParallel",
           "SequenceParallel", "parallelize_module"]


class Divided(nn.Parameter):
    # A part of a parameter; shape is that of the whole.
    @property
    def shape(self):
        return torch.Size(self._whole)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def numel(self):
        return self.shape.numel()

    @property
    def divided(self):
        # The groups whose processes have parts of it, and of its gradient.
        return tuple([self.device_mesh.get_group(k) for k, p in enumerate(self.placements) if p.is_shard()])

    def to_local(self):
        return self.data

    def whole_of(self, part):
        return DTensor(part, self.device_mesh, self.placements, self._whole).full_tensor()

    def full_tensor(self):
        return self.whole_of(self.data)


def _divide(module, name, mesh, placement, source):
    # The parameter of that name, of which everyone has what the first process of the mesh has.
    p = module._parameters.get(name)
    if p is None:
        return
    value = p.detach().clone()
    if source is not None:
        dist.broadcast(value, group=mesh.get_group(0), group_src=source)
    local = value if placement.is_replicate() else _rules._own(value, placement.dim, mesh, 0)
    made = Divided(local, requires_grad=p.requires_grad)
    made._whole, made.device_mesh, made.placements = tuple(value.shape), mesh, (placement,)
    module._parameters[name] = made


def _given(x, mesh, has, wants):
    # An input as a DTensor that lies as wanted; a plain tensor lies as `has` says.
    if not isinstance(x, DTensor):
        if not isinstance(x, torch.Tensor) or has is None:
            return x
        x = DTensor.from_local(x, mesh, [has])
    return x if wants is None else x.redistribute(placements=[wants])


def _result(x, layout, local):
    x = x.redistribute(placements=[layout])
    return x.to_local() if local else x


class ParallelStyle:
    src_data_rank = 0

    def _apply(self, module, device_mesh):
        raise NotImplementedError

    def _unable(self, module, kinds):
        raise NotImplementedError(f"{type(self).__name__} currently only support {kinds}!")

    def _replace(self, module, run):
        # run(*inputs) instead of the module's own function.
        module.forward = run
        return module


class ColwiseParallel(ParallelStyle):
    # A linear layer by its outputs, an embedding by its columns.
    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        self.input, self.output, self.local = input_layouts or Replicate(), output_layouts or Shard(-1), use_local_output

    def _apply(self, module, mesh):
        linear = isinstance(module, nn.Linear)
        if not linear and not isinstance(module, nn.Embedding):
            self._unable(module, "nn.Linear and nn.Embedding")
        _divide(module, "weight", mesh, Shard(0) if linear else Shard(1), self.src_data_rank)
        if linear:
            _divide(module, "bias", mesh, Shard(0), self.src_data_rank)
        columns = module.weight.shape[0 if linear else 1]

        def run(x):
            x = _given(x, mesh, self.input, Replicate())
            shape = tuple(x.shape[:-1] if linear else x.shape) + (columns,)
            value = _rules.shared(x.to_local(), mesh, [0]) if linear else x.to_local()
            y = F.linear(value, module.weight, module.bias) if linear else F.embedding(value, module.weight, module.padding_idx)
            return _result(DTensor(y, mesh, [Shard(y.ndim - 1)], shape), self.output, self.local)
        return self._replace(module, run)


class RowwiseParallel(ParallelStyle):
    # A linear layer by its inputs, an embedding by its rows: results are sums.
    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        self.input, self.output, self.local = input_layouts or Shard(-1), output_layouts or Replicate(), use_local_output

    def _apply(self, module, mesh):
        linear = isinstance(module, nn.Linear)
        if not linear and not isinstance(module, nn.Embedding):
            self._unable(module, "nn.Linear and nn.Embedding")
        rows = module.weight.shape[0]
        _divide(module, "weight", mesh, Shard(1) if linear else Shard(0), self.src_data_rank)
        if linear:
            _divide(module, "bias", mesh, Replicate(), self.src_data_rank)
        elif module.padding_idx is not None or module.max_norm is not None:
            raise NotImplementedError("RowwiseParallel: an embedding with padding_idx or max_norm")

        def product(x):
            x = _given(x, mesh, self.input, Shard(-1))
            y = F.linear(x.to_local(), module.weight)
            if module.bias is not None:     # of the sum once
                y = y + _rules._as_sum(module.bias, Partial(), mesh, 0)
            return y, tuple(x.shape[:-1]) + (rows,)

        def looked_up(x):
            x = _given(x, mesh, self.input, Replicate())
            at, end = _rules._bounds(rows, mesh.size(0), mesh.get_coordinate()[0])
            index = x.to_local()
            here = (index >= at) & (index < end)
            y = F.embedding((index - at) * here, module.weight) * here.unsqueeze(-1)
            return y, tuple(x.shape) + (y.shape[-1],)

        def run(x):
            y, shape = (product if linear else looked_up)(x)
            return _result(DTensor(y, mesh, [Partial()], shape), self.output, self.local)
        return self._replace(module, run)


class SequenceParallel(ParallelStyle):
    # Normalisation and dropout of parts of the sequence; parameters are whole.
    def __init__(self, *, sequence_dim=1, use_local_output=False):
        self.dim, self.local = sequence_dim, use_local_output

    def _apply(self, module, mesh):
        names = [name for name, p in module._parameters.items() if p is not None]
        for name in names:
            _divide(module, name, mesh, Replicate(), self.src_data_rank)
        plain = module.forward

        def run(x):
            x = _given(x, mesh, Shard(self.dim), Shard(self.dim))
            kept = {name: getattr(module, name) for name in names}
            own = {name: module._parameters.pop(name) for name in names if name in module._parameters}
            try:
                for name in names:
                    setattr(module, name, _rules.shared(kept[name], mesh, [0]))
                y = plain(x.to_local())
            finally:
                for name in names:
                    delattr(module, name)
                    if name in own:
                        module._parameters[name] = own[name]
                    else:       # fully_shard has put the whole there
                        setattr(module, name, kept[name])
            return _result(DTensor(y, mesh, x.placements, x.shape), Shard(self.dim), self.local)
        return self._replace(module, run)


def _tuple(x):
    return x if x is None or isinstance(x, tuple) else (x,)


class PrepareModuleInput(ParallelStyle):
    # Inputs of a module that lie so are brought to lie so.
    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None, desired_input_kwarg_layouts=None,
                 use_local_output=False):
        self.has, self.wants = _tuple(input_layouts), _tuple(desired_input_layouts)
        self.has_named, self.wants_named = input_kwarg_layouts or {}, desired_input_kwarg_layouts or {}
        self.local = use_local_output
        if self.has is not None and (self.wants is None or len(self.has) != len(self.wants)):
            raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        if len(self.has_named) != len(self.wants_named):
            raise AssertionError("input_kwarg_layouts and desired_input_kwarg_layouts should have same length!")

    def _one(self, x, has, wants, mesh):
        if has is None or not isinstance(x, (torch.Tensor, DTensor)):
            return x
        x = _given(x, mesh, has, wants)
        return x.to_local() if self.local else x

    def _apply(self, module, mesh):
        def before(m, args, kwargs):
            if self.has is not None:
                if len(args) != len(self.has):
                    raise ValueError("module inputs and input_layouts should have same length!")
                args = tuple([self._one(*v, mesh) for v in zip(args, self.has, self.wants)])
            return args, {k: self._one(v, self.has_named.get(k), self.wants_named.get(k), mesh) for k, v in kwargs.items()}
        module.register_forward_pre_hook(before, with_kwargs=True)
        return module


class PrepareModuleOutput(ParallelStyle):
    def __init__(self, *, output_layouts, desired_output_layouts, use_local_output=True):
        self.has, self.wants, self.local = _tuple(output_layouts), _tuple(desired_output_layouts), use_local_output
        if len(self.has) != len(self.wants):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _apply(self, module, mesh):
        def after(m, args, out):
            outs = out if isinstance(out, tuple) else (out,)
            if len(outs) != len(self.has):
                raise ValueError("module outputs and output_layouts should have same length!")
            made = []
            for x, has, wants in zip(outs, self.has, self.wants):
                x = _given(x, mesh, has, wants) if has is not None else x
                made.append(x.to_local() if self.local and isinstance(x, DTensor) else x)
            return tuple(made) if isinstance(out, tuple) else made[0]
        module.register_forward_hook(after)
        return module


class PrepareModuleInputOutput(ParallelStyle):
    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None, desired_input_kwarg_layouts=None,
                 use_local_input=False, output_layouts, desired_output_layouts, use_local_output=True):
        self.parts = (PrepareModuleInput(input_layouts=input_layouts, desired_input_layouts=desired_input_layouts,
                                         input_kwarg_layouts=input_kwarg_layouts, use_local_output=use_local_input,
                                         desired_input_kwarg_layouts=desired_input_kwarg_layouts),
                      PrepareModuleOutput(output_layouts=output_layouts, desired_output_layouts=desired_output_layouts,
                                          use_local_output=use_local_output))

    def _apply(self, module, mesh):
        for part in self.parts:
            part._apply(module, mesh)
        return module


def parallelize_module(module, device_mesh=None, parallelize_plan=None, *, src_data_rank=0):
    if device_mesh is None:
        raise NotImplementedError("parallelize_module: the mesh that a context says")
    if device_mesh.ndim > 1:
        raise ValueError(f"device_mesh should be a 1D DeviceMesh, but got {device_mesh.ndim}D; use one axis of it: device_mesh[\"tp\"]")
    if parallelize_plan is None:
        import warnings
        warnings.warn("No parallelize_plan is provided and auto-parallel is not supported at the moment, so this parallelize_module call "
                      "will do nothing.")
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, device_mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(f"Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, {type(parallelize_plan)} found!")
    for path, style in parallelize_plan.items():
        if path == "":
            parallelize_module(module, device_mesh, style, src_data_rank=src_data_rank)
            continue
        first, _, rest = path.partition(".")
        found = [child for name, child in module.named_children() if fnmatch(name, first)]
        if not found:
            import warnings
            warnings.warn(f"Parallelize plan key '{path}' could not be resolved: no submodule matching token '{first}' in module {module}, "
                          "skipping this plan entry.")
        for child in found:
            parallelize_module(child, device_mesh, {rest: style} if rest else style, src_data_rank=src_data_rank)
    return module
