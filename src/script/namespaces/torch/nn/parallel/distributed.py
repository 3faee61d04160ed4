# torch.nn.parallel.distributed -- a module whose gradients are averaged over all processes. In a world of one, which is
# all there is here (torch.distributed), they are what they are.
import torch
from torch.nn.modules import Module


class DistributedDataParallel(Module):
    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=True, init_sync=True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False):
        super().__init__()
        import torch.distributed as dist
        if not any([p.requires_grad for p in module.parameters()]):
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that "
                               "requires a gradient.")
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError("device_ids can only be None or contain a single element.")
        if device_ids:
            raise ValueError("DistributedDataParallel device_ids and output_device arguments only work with single-device/"
                             "multiple-device GPU modules or CPU modules, but got device_ids "
                             f"{list(device_ids)}, output_device {output_device}, and module parameters "
                             f"{{{', '.join([repr(p.device) for p in list(module.parameters())[:1]])}}}.")
        self.process_group = process_group
        self.world = dist.get_world_size(process_group)
        self.module = module
        self.dim, self.broadcast_buffers, self.bucket_cap_mb = dim, broadcast_buffers, bucket_cap_mb
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view, self.check_reduction, self.init_sync = gradient_as_bucket_view, check_reduction, init_sync
        self.require_backward_grad_sync = True

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    def no_sync(self):
        return _NoSync(self)

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        self.join_options = (divide_by_initial_world_size, enable, throw_on_early_termination)
        return _NoSync(self)


class _NoSync:
    # Gradients of this process alone are added up.
    def __init__(self, ddp):
        self.ddp = ddp

    def __enter__(self):
        self.before = self.ddp.require_backward_grad_sync
        self.ddp.require_backward_grad_sync = False

    def __exit__(self, *exc):
        self.ddp.require_backward_grad_sync = self.before
        return False
