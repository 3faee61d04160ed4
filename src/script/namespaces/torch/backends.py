# torch.backends -- switches of back ends that are not there.
class _Switches:
    enabled = deterministic = benchmark = False

    def is_available(self):
        return False

    def is_built(self):
        return False


cudnn = _Switches()
mps = _Switches()
cuda = _Switches()
mkl = _Switches()
openmp = _Switches()
