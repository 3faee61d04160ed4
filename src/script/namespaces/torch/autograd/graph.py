# torch.autograd.graph -- what is kept for backward. Values are kept in programs' own memory, not in tensors that a hook could
# put elsewhere: hooks that only move them away and back change no number, others are refused.

class save_on_cpu:
    # values are on the host already, or on the device that computes with them, where they stay
    def __init__(self, pin_memory=False, device_type="cuda"):
        if device_type not in ("cuda", "cpu", "xpu"):
            raise ValueError(f"unknown device type {device_type}")
        self.pin_memory = pin_memory

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False


class saved_tensors_hooks:
    def __init__(self, pack_hook, unpack_hook):
        raise NotImplementedError("saved_tensors_hooks: what backward needs is not kept in tensors that hooks could pack; "
                                  f"{getattr(pack_hook, '__name__', pack_hook)} and {getattr(unpack_hook, '__name__', unpack_hook)} "
                                  "would never be called")


class disable_saved_tensors_hooks:
    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False


def increment_version(tensor):
    for t in [tensor] if hasattr(tensor, "shape") else tensor:
        t.data = t.data
