# torch.nn.parallel.distributed -- a module whose gradients are averaged over all processes of a group, in buckets.
#
# They travel while the backward pass runs where it is one program and gives all gradients anew; else when it has ended.
import torch
from torch import _grad
from torch.distributed.algorithms.join import Join, JoinHook, _JoinConfig, _sum
from torch.nn.modules import Module

_FIRST, _CAP = 1 << 20, 25 << 20     # bytes of the first bucket, and of others


class GradBucket:
    # Some gradients as one tensor, for a hook of the user's.
    def __init__(self, buffer, params, index, last):
        self._buffer, self._params, self._index, self._last = buffer, params, index, last

    def buffer(self):
        return self._buffer

    def set_buffer(self, tensor):
        self._buffer = tensor

    def parameters(self):
        return list(self._params)

    def gradients(self):
        return [g.reshape(p.shape) for p, g in zip(self._params, self._buffer.split([p.numel() for p in self._params]))]

    def index(self):
        return self._index

    def is_last(self):
        return self._last


class _DDPJoinHook(JoinHook):
    # What a process without inputs does in a step of the others.
    def __init__(self, ddp, divide_by_initial_world_size):
        self.ddp = ddp
        ddp._divide_by_all = divide_by_initial_world_size

    def main_hook(self):
        ddp = self.ddp
        if ddp._goes_on(0):
            ddp._buffers_from_one(False)
        if not ddp._goes_on(0):
            return
        ddp._average([False] * len(ddp._named), False)

    def post_hook(self, is_last_joiner):
        # Everyone has what one of those has who went on longest.
        self.ddp._from_one(list(self.ddp.module.parameters()) + list(self.ddp.module.buffers()), is_last_joiner)


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
        if device_ids and next(module.parameters()).device.type == "cpu":
            raise ValueError("DistributedDataParallel device_ids and output_device arguments only work with single-device/"
                             "multiple-device GPU modules or CPU modules, but got device_ids "
                             f"{list(device_ids)}, output_device {output_device}, and module parameters "
                             f"{{{', '.join([repr(p.device) for p in list(module.parameters())[:1]])}}}.")
        if any([isinstance(m, torch.nn.SyncBatchNorm) for m in module.modules()]) and next(module.parameters()).device.type == "cpu":
            raise ValueError("SyncBatchNorm layers only work with GPU modules")
        self.device_ids = list(device_ids) if device_ids else None
        self.process_group = process_group
        self.world = dist.get_world_size(process_group)
        self.module = module
        self.dim, self.broadcast_buffers, self.bucket_cap_mb = dim, broadcast_buffers, bucket_cap_mb
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view, self.check_reduction = gradient_as_bucket_view, check_reduction
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self._named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
        self._unfinished, self._hook, self._waiting = None, None, False
        self._join_config, self._divide_by_all = _JoinConfig(), True
        if init_sync:
            self._check_shapes(dist)
            self._from_first([p for p in module.parameters()] + list(module.buffers()))

    def _check_shapes(self, dist):
        mine = [(name, tuple(p.shape), str(p.dtype)) for name, p in self.module.named_parameters()]
        theirs = [None] * self.world
        dist.all_gather_object(theirs, mine, self.process_group)
        for rank, other in enumerate(theirs):
            if other != mine:
                raise RuntimeError(f"DDP expects same model across all ranks, but Rank {dist.get_rank(self.process_group)} has "
                                   f"{len(mine)} params, while rank {rank} has inconsistent {len(other)} params.")

    def _goes_on(self, mine):
        # Does anybody, where processes have different numbers of inputs?
        return _sum(mine, self.process_group, self.join_device)

    def _from_one(self, tensors, able):
        # Everyone has what the last of those has who are able to say it.
        import torch.distributed as dist
        which = torch.tensor([dist.get_rank(self.process_group) if able else -1], device=self.join_device)
        dist.all_reduce(which, op=dist.ReduceOp.MAX, group=self.process_group)
        self._from_first(tensors, int(which.item()))

    def _buffers_from_one(self, able):
        buffers = list(self.module.buffers())
        if self.broadcast_buffers and buffers:
            self._from_one(buffers, able)

    def _from_first(self, tensors, first=0):
        # Everyone has what the first of the group has; tensors of one dtype and device travel together.
        import torch.distributed as dist
        if self.world == 1:
            return
        for kind in {(t.dtype, str(t.device)): None for t in tensors}:
            some = [t for t in tensors if (t.dtype, str(t.device)) == kind]
            flat = torch.cat([t.detach().reshape(-1) for t in some])
            dist.broadcast(flat, group=self.process_group, group_src=first)
            with torch.no_grad():
                for t, part in zip(some, flat.split([t.numel() for t in some])):
                    t.copy_(part.reshape(t.shape))

    def forward(self, *inputs, **kwargs):
        if self._unfinished:
            raise RuntimeError(
                "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that "
                "your module has parameters that were not used in producing loss. You can enable unused parameter detection by "
                "passing the keyword argument `find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by "
                "\nmaking sure all `forward` function outputs participate in calculating loss. \nIf you already have done the above, "
                "then the distributed data parallel module wasn't able to locate the output tensors in the return value of your "
                "module's `forward` function. Please include the loss function and the structure of the return value of `forward` of "
                f"your module when reporting this issue (e.g. list, dict, iterable).\nParameters which did not receive grad: "
                f"{', '.join(self._unfinished)}")
        if self._join_config.enable:
            Join.notify_join_context(self)
            if self._goes_on(int(self.require_forward_param_sync)):
                self._buffers_from_one(True)
            self._goes_on(int(torch.is_grad_enabled() and self.require_backward_grad_sync))
        elif self.broadcast_buffers and self.require_forward_param_sync:
            self._from_first(list(self.module.buffers()))
        if self.device_ids is not None:
            inputs, kwargs = self._moved(inputs), self._moved(kwargs)
        out = self.module(*inputs, **kwargs)
        self.require_forward_param_sync = torch.is_grad_enabled() and self.require_backward_grad_sync
        if self.require_forward_param_sync and not self._waiting:
            self._waiting = True
            _grad.after_backward.append(self._reduce)
        _grad.within[0] = self._within if self._travels() else None
        return out

    def _moved(self, x):
        # Tensors in it on the module's own GPU.
        if isinstance(x, torch.Tensor):
            place = self.device_ids[0]
            return x.to(place if not isinstance(place, int) else torch.device("cuda", place))
        if isinstance(x, (list, tuple)):
            made = [self._moved(v) for v in x]
            return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
        return {k: self._moved(v) for k, v in x.items()} if isinstance(x, dict) else x

    def _travels(self):
        import torch.distributed as dist
        return (self.world > 1 and self._hook is None and self.bucket_cap_mb is None and self.require_backward_grad_sync
                and not self._join_config.enable
                and dist.get_process_group_ranks(self.process_group) == list(range(self.world))
                and self.world == dist.get_world_size())

    def _within(self, ys, gys, keep, reached):
        # A pass that gives all parameters of this module, and nothing else, their first gradients.
        _grad.within[0] = None
        params = [p for _, p in self._named][::-1]
        if len(reached) != len(params) or not all(_grad._w.among(params, reached)):
            return False
        import torch.distributed as dist
        for p in params:
            by = dist._backend_for(dist.get_backend(self.process_group), p.device.type)
            if p.device != params[0].device or p.grad is not None or p.dtype not in (torch.float32, torch.float64):
                return False
            if p.device.type != "cpu" and by != "nccl":
                return False
        _grad._w.comm_use(f"processes:{self.world}")
        try:
            with torch.no_grad():
                grads = _grad._w.gradients(ys, [g / self.world for g in gys], params, keep, False, True, True)
        finally:
            _grad._w.comm_use(None)
        for p, g in zip(params, grads):
            p.grad = g
        _grad.after_backward.remove(self._reduce)
        self._waiting = False
        return True

    def _reduce(self, leaves):
        # After a backward pass: were these parameters reached by it?
        used = _grad._w.among([p for _, p in self._named], leaves)
        if not any(used):
            return
        _grad.after_backward.remove(self._reduce)
        self._waiting = False
        if not self.require_backward_grad_sync:
            return
        if not all(used) and not self.find_unused_parameters:
            self._unfinished = [name for (name, _), u in zip(self._named, used) if not u]
            return
        self._average(used)

    def _average(self, used, has_inputs=True):
        # Without inputs nothing is brought to the sums, and nothing kept of them.
        import torch.distributed as dist
        params = [p for _, p in self._named]
        joins = self._join_config.enable
        going = self._goes_on(int(has_inputs)) if joins else 0
        self._count = going if joins and not self._divide_by_all else self.world
        if self.find_unused_parameters and self.world > 1:
            seen = torch.tensor([int(u) for u in used], dtype=torch.int32, device=params[0].device)
            dist.all_reduce(seen, group=self.process_group)
            params = [p for p, k in zip(params, seen.tolist()) if k]
        buckets = self._buckets(params[::-1])
        works = []
        ranks = dist.get_process_group_ranks(self.process_group)
        for k, some in enumerate(buckets):
            if self._hook is None and self.world > 1 and not joins and self._in_place(some):
                works.append(dist.Work(_grad._w.comm_average([p.grad for p in some], ranks), None, []))
                continue
            flat = torch.cat([(p.grad if p.grad is not None and has_inputs else torch.zeros_like(p)).detach().reshape(-1) for p in some])
            if self._hook is not None:
                state, hook = self._hook
                works.append(hook(state, GradBucket(flat, some, k, k == len(buckets) - 1)))
            elif self.world > 1:
                works.append((flat, dist.all_reduce(flat, group=self.process_group, async_op=True)))
        for some, work in zip(buckets, works):
            if has_inputs:
                self._give(some, work)
            else:
                (work[1] if isinstance(work, tuple) else work).wait()

    def _in_place(self, params):
        # Can gradients be averaged where they are?
        for p in params:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            if p.dtype not in (torch.float32, torch.float64) or p.device.type != "cpu" or not p.grad.is_contiguous():
                return False
        return True

    def _give(self, params, work):
        if isinstance(work, torch.distributed.Work):
            work.wait()
            return
        if isinstance(work, tuple):
            flat, handle = work
            handle.wait()
            flat /= self._count
        else:
            flat = work.wait()
            flat = flat[0] if isinstance(flat, (list, tuple)) else flat
        with torch.no_grad():
            for p, part in zip(params, flat.split([p.numel() for p in params])):
                if p.grad is None:
                    p.grad = part.reshape(p.shape).clone()
                else:
                    p.grad.copy_(part.reshape(p.shape))

    def _buckets(self, params):
        # Of one dtype, in order, up to so many bytes; the first is small, so that something is on its way early.
        cap = _CAP if self.bucket_cap_mb is None else int(self.bucket_cap_mb * (1 << 20))
        out, size = [], 0
        for p in params:
            n = p.numel() * p.element_size()
            if not out or out[-1][0].dtype != p.dtype or out[-1][0].device != p.device or size + n > (min(_FIRST, cap) if len(out) == 1 else cap):
                out.append([])
                size = 0
            out[-1].append(p)
            size += n
        return out

    def register_comm_hook(self, state, hook):
        if self._hook is not None:
            raise RuntimeError("register_comm_hook can only be called once.")
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        self._hook = (state, hook)

    def no_sync(self):
        return _NoSync(self)

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        return Join([self], enable and self.world > 1, throw_on_early_termination,
                    divide_by_initial_world_size=divide_by_initial_world_size)

    def join_hook(self, **kwargs):
        return _DDPJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self):
        return next(self.module.parameters()).device

    @property
    def join_process_group(self):
        return self.process_group


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
