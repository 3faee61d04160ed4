# torch.backends -- switches of back ends that are not there, and of the precision of products.
from torch._misc import get_float32_matmul_precision, set_float32_matmul_precision


class _Switches:
    enabled = deterministic = benchmark = False

    def is_available(self):
        return False

    def is_built(self):
        return False


class _Flags:
    # with cudnn.flags(..): switches for a while
    def __init__(self, switches, new, tf32):
        self.switches, self.new, self.tf32 = switches, new, tf32

    def __enter__(self):
        self.old = {k: getattr(self.switches, k) for k in self.new}
        self.switches.__dict__.update(self.new)
        self.old_tf32, self.switches.allow_tf32 = self.switches.allow_tf32, self.tf32
        return self

    def __exit__(self, kind, value, trace):
        self.switches.__dict__.update(self.old)
        self.switches.allow_tf32 = self.old_tf32
        return False


class _Cudnn(_Switches):
    def flags(self, enabled=False, benchmark=False, deterministic=False, allow_tf32=True):
        return _Flags(self, {"enabled": enabled, "benchmark": benchmark, "deterministic": deterministic}, allow_tf32)

    def version(self):
        return None

    @property
    def allow_tf32(self):
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, on):
        set_float32_matmul_precision("high" if on else "highest")


class _Matmul:
    # torch.backends.cuda.matmul: allow_tf32 is another name of the precision of products of float32.
    @property
    def allow_tf32(self):
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, on):
        set_float32_matmul_precision("high" if on else "highest")


cudnn = _Cudnn()
mps = _Switches()
cuda = _Switches()
cuda.matmul = _Matmul()


def _sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    on = ((enable_flash, SDPBackend.FLASH_ATTENTION), (enable_math, SDPBackend.MATH),
          (enable_mem_efficient, SDPBackend.EFFICIENT_ATTENTION), (enable_cudnn, SDPBackend.CUDNN_ATTENTION))
    return sdpa_kernel([b for yes, b in on if yes])


cuda.sdp_kernel = _sdp_kernel
mkl = _Switches()
openmp = _Switches()
