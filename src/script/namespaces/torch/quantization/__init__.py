# torch.quantization -- the older name of torch.ao.quantization.
from torch.ao.quantization import DeQuantStub, QuantStub, quantize_dynamic


def __getattr__(name):
    import torch.ao.quantization as q
    return getattr(q, name)
