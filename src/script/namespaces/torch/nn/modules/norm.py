# torch.nn.modules.norm -- layers that normalise.
import _torch as _w
from torch._creation import ones as _ones, zeros as _zeros, tensor as _tensor
from torch.nn import functional as F, init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class _NormBase(Module):
    _version = 2
    ranks = None

    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None, bias=True):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._with_bias = bias and affine
        if affine:
            self.weight = Parameter(_ones(num_features, dtype=dtype, device=device))
            if bias:
                self.bias = Parameter(_zeros(num_features, dtype=dtype, device=device))
            else:
                self.register_parameter("bias", None)
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        on = track_running_stats
        self.register_buffer("running_mean", _zeros(num_features, dtype=dtype, device=device) if on else None)
        self.register_buffer("running_var", _ones(num_features, dtype=dtype, device=device) if on else None)
        self.register_buffer("num_batches_tracked", _tensor(0, dtype=_w.int64, device=device) if on else None)

    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        key = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats and key not in state_dict:
            state_dict[key] = _tensor(0, dtype=_w.int64) if self.num_batches_tracked is None else self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)

    def _check(self, input):
        if self.ranks and input.ndim not in self.ranks:
            raise ValueError(f"expected {'D or '.join([str(r) for r in self.ranks])}D input (got {input.ndim}D input)")

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"bias={self._with_bias}, track_running_stats={self.track_running_stats}")


class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            if self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    momentum = 1.0 / float(self.num_batches_tracked)
        batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if keep else None, self.running_var if keep else None,
                            self.weight, self.bias, batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    # Statistics of the rows of all processes, which PyTorch has for GPUs alone.
    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, process_group=None,
                 device=None, dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        self.process_group = process_group

    def forward(self, input):
        from torch import distributed as dist
        if not (self.training and dist.is_initialized()):
            return super().forward(input)
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")
        if input.device.type == "cpu":
            raise ValueError("SyncBatchNorm expected input tensor to be on GPU or XPU or privateuseone")
        if dist.get_world_size(self.process_group) == 1:
            return super().forward(input)
        return self._together(input)

    def _together(self, input):
        from torch.distributed.nn.functional import all_reduce
        import torch
        others = [k for k in range(input.ndim) if k != 1]
        x = input if input.dtype == torch.float64 else input.float()
        rows = torch.full((1,), float(x.numel() // x.shape[1]), dtype=x.dtype, device=x.device)
        sums = all_reduce(torch.cat([x.sum(others), rows]), group=self.process_group)
        mean, count = sums[:-1] / sums[-1], sums[-1].detach()
        shape = [1, -1] + [1] * (input.ndim - 2)
        centered = x - mean.reshape(shape)
        var = all_reduce((centered * centered).sum(others), group=self.process_group) / count
        if self.track_running_stats:
            self.num_batches_tracked.add_(1)
            new = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
            with torch.no_grad():
                self.running_mean.lerp_(mean.to(self.running_mean.dtype), new)
                self.running_var.lerp_((var * count / (count - 1)).to(self.running_var.dtype), new)
        y = centered * torch.rsqrt(var + self.eps).reshape(shape)
        if self.affine:
            y = y * self.weight.reshape(shape) + self.bias.reshape(shape)
        return y.to(input.dtype)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        # The module with layers like this in place of others that normalise batches.
        made = module
        if isinstance(module, _BatchNorm):
            made = SyncBatchNorm(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                                 process_group)
            made.training = module.training
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
                setattr(made, name, getattr(module, name))
        for name, child in list(module.named_children()):
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


class _InstanceNorm(_NormBase):
    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input):
        self._check(input)
        if input.ndim == self.ranks[0]:
            return _w.squeeze(self._run(_w.expand_dims(input, 0)), 0)
        return self._run(input)

    def _run(self, input):
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats, self.momentum, self.eps)


class InstanceNorm1d(_InstanceNorm):
    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    ranks = (4, 5)


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._with_bias = bias and elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(_ones(self.normalized_shape, dtype=dtype, device=device))
            if bias:
                self.bias = Parameter(_zeros(self.normalized_shape, dtype=dtype, device=device))
            else:
                self.register_parameter("bias", None)
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)

    def reset_parameters(self):
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
                f"bias={self._with_bias}")


class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(_ones(self.normalized_shape, dtype=dtype, device=device))
        else:
            self.register_parameter("weight", None)

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    def __init__(self, num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        if affine:
            self.weight = Parameter(_ones(num_channels, dtype=dtype, device=device))
        else:
            self.register_parameter("weight", None)
        self._with_bias = affine and bias
        if self._with_bias:
            self.bias = Parameter(_zeros(num_channels, dtype=dtype, device=device))
        else:
            self.register_parameter("bias", None)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self._with_bias}"


class LocalResponseNorm(Module):
    def __init__(self, size, alpha=0.0001, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
