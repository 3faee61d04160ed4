# torch.ao.quantization -- linear layers with weights of 8 bits, and the places in a model of floats where quantised numbers would begin
# and end. Converting a model whole is refused.
from torch._quantized import quantize_dynamic
from torch.nn.modules import Module


class QuantStub(Module):
    # The identity, until a model is converted.
    def __init__(self, qconfig=None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x):
        return x


class DeQuantStub(QuantStub):
    pass


def __getattr__(name):
    if name in ("prepare", "prepare_qat", "convert", "quantize", "fuse_modules", "fuse_modules_qat",
                "get_default_qconfig", "get_default_qat_qconfig"):
        def refuse(*args, **kwargs):
            raise NotImplementedError(f"torch.ao.quantization.{name}: models with quantised numbers are not here")
        return refuse
    raise AttributeError(f"module 'torch.ao.quantization' has no attribute '{name}'")
