# torchvision.ops._register_onnx_ops -- what the library tells torch.onnx of its compiled ops, which are not here.
def _register_custom_op():
    pass
