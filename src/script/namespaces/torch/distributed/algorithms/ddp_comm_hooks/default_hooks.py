# torch.distributed.algorithms.ddp_comm_hooks.default_hooks -- averages of gradients, as they are and in fewer bits.
import torch
import torch.distributed as dist


def allreduce_hook(process_group, bucket):
    tensor = bucket.buffer()
    tensor /= dist.get_world_size(process_group)
    return dist.all_reduce(tensor, group=process_group, async_op=True).get_future().then(lambda f: f.value()[0])


def _compressed(process_group, bucket, dtype):
    whole = bucket.buffer()
    small = whole.to(dtype) / dist.get_world_size(process_group)
    return dist.all_reduce(small, group=process_group, async_op=True).get_future().then(lambda f: f.value()[0].to(whole.dtype))


def fp16_compress_hook(process_group, bucket):
    return _compressed(process_group, bucket, torch.float16)


def bf16_compress_hook(process_group, bucket):
    return _compressed(process_group, bucket, torch.bfloat16)


def fp16_compress_wrapper(hook):
    return _wrapper(hook, torch.float16)


def bf16_compress_wrapper(hook):
    return _wrapper(hook, torch.bfloat16)


def _wrapper(hook, dtype):
    def wrapped(state, bucket):
        whole = bucket.buffer()
        bucket.set_buffer(whole.to(dtype))

        def back(f):
            v = f.value()
            return (v[0] if isinstance(v, (list, tuple)) else v).to(whole.dtype)
        return hook(state, bucket).then(back)
    return wrapped
