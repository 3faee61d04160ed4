# torch.utils
def __getattr__(name):
    if name in ("data", "checkpoint", "_pytree", "tensorboard", "benchmark", "dlpack", "model_zoo"):
        return __import__("torch.utils." + name)
    raise AttributeError(name)
