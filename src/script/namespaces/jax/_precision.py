# How products of f32 may be computed: jax.default_matmul_precision, jax.lax.Precision, precision=...
from contextlib import ContextDecorator
import _jax as _w

_names = {"default": "default", "fastest": "bf16", "bfloat16": "bf16", "bfloat16_3x": "bf16x3", "high": "bf16x3",
          "tensorfloat32": "tf32", "highest": "highest", "float32": "highest", "BF16_BF16_F32": "bf16",
          "BF16_BF16_F32_X3": "bf16x3", "TF32_TF32_F32": "tf32", "F32_F32_F32": "highest"}


def name_of(precision):
    if isinstance(precision, (tuple, list)):
        if len(precision) != 2:
            raise ValueError(f"Precision must be None, an algorithm, a string, or a pair of them; got {precision}.")
        precision = precision[0]
    if precision is None:
        return "default"
    key = precision if precision in _names else str(precision).lower()
    if key not in _names:
        raise ValueError(f"Precision must be None, an algorithm, a string, or a pair of them; got {precision}.")
    return _names[key]


class default_matmul_precision(ContextDecorator):
    def __init__(self, precision):
        self.name = name_of(precision)
        self.before = []

    def __enter__(self):
        self.before.append(_w.precision(self.name))

    def __exit__(self, *error):
        _w.precision(self.before.pop())


def precisely(precision, f, *args, **kw):
    with default_matmul_precision(precision):
        return f(*args, **kw)
