# jax._limits -- finfo and iinfo of JAX's dtypes.
import _jax as _w
from jax._dtypes import dtype
from numpy import _limits


class finfo(_limits.finfo):
    def __init__(self, d):
        super().__init__(d.dtype if isinstance(d, _w.Tensor) else dtype(d))


class iinfo(_limits.iinfo):
    def __init__(self, d):
        super().__init__(d.dtype if isinstance(d, _w.Tensor) else dtype(d))
