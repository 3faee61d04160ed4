# torch.autograd.graph -- what is kept for backward: hooks that keep it elsewhere.
import _torch as _w

_hooks = []         # (pack, unpack) of the blocks that are open; the innermost is in force
_disabled = []      # messages of the blocks in which there may be none


def _put_in_force():
    if _hooks:
        _w.saved_hooks(*_hooks[-1])
    else:
        _w.saved_hooks(None, None)


class saved_tensors_hooks:
    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        if _disabled:
            raise RuntimeError(_disabled[-1])
        _hooks.append((self.pack_hook, self.unpack_hook))
        _put_in_force()

    def __exit__(self, kind, value, trace):
        _hooks.pop()
        _put_in_force()


class save_on_cpu(saved_tensors_hooks):
    def __init__(self, pin_memory=False, device_type="cuda"):
        if device_type not in ("cuda", "cpu", "xpu"):
            raise ValueError(f"unknown device type {device_type}")
        super().__init__(lambda x: (x.device, x.cpu()), lambda packed: packed[1].to(packed[0]))


class disable_saved_tensors_hooks:
    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        if _hooks:
            raise RuntimeError(self.error_message)
        _disabled.append(self.error_message)

    def __exit__(self, kind, value, trace):
        _disabled.pop()

    def __call__(self, fn):
        def wrapped(*args, **kwargs):
            with self:
                return fn(*args, **kwargs)
        return wrapped


def increment_version(tensor):
    for t in [tensor] if hasattr(tensor, "shape") else tensor:
        t.data = t.data
