# torch.backends -- switches of back ends that are not there, and of the precision of products.
from torch._misc import get_float32_matmul_precision, set_float32_matmul_precision


class _Switches:
    enabled = deterministic = benchmark = False

    def is_available(self):
        return False

    def is_built(self):
        return False


class _Matmul:
    # torch.backends.cuda.matmul: allow_tf32 is another name of the precision of products of float32.
    @property
    def allow_tf32(self):
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, on):
        set_float32_matmul_precision("high" if on else "highest")


cudnn = _Switches()
mps = _Switches()
cuda = _Switches()
cuda.matmul = _Matmul()
mkl = _Switches()
openmp = _Switches()
