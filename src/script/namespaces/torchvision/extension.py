# torchvision.extension -- the library's compiled ops, which are not here; its Python asks.
def _has_ops():
    return False


def _assert_has_ops():
    raise RuntimeError("torchvision's compiled ops are not here")


def _check_cuda_version():
    return -1
