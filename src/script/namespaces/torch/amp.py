# torch.amp -- one precision on the cpu: the block changes nothing.
class autocast:
    def __init__(self, device_type="cpu", dtype=None, enabled=True, cache_enabled=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False

    def __call__(self, fn):
        return fn


class GradScaler:
    def __init__(self, device="cpu", enabled=True, **options):
        pass

    def scale(self, loss):
        return loss

    def step(self, optimizer, *args, **kwargs):
        return optimizer.step(*args, **kwargs)

    def unscale_(self, optimizer):
        pass

    def update(self):
        pass
