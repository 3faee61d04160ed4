# torch._dynamo -- nothing is kept between calls of what torch.compile gave.
from torch._compile import BACKENDS
from torch.compiler import disable, reset


def list_backends(exclude_tags=("debug", "experimental")):
    return sorted(BACKENDS)
