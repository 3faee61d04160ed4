# torch._dynamo.utils -- what libraries ask of it.


def is_compile_supported(device_type):
    # Are there kernels of a compiler for this kind of device?
    return device_type in ("cpu", "cuda")
