# torch.cuda -- there is none.
def is_available():
    return False


def device_count():
    return 0


def manual_seed(seed):
    pass


manual_seed_all = manual_seed


def empty_cache():
    pass


def synchronize(device=None):
    pass


def __getattr__(name):
    if name == "amp":
        return __import__("torch.cuda.amp")
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
