# tensorflow.bitwise
import _tf as _w
from tensorflow._base import op as _op, as_tensor as _as_tensor, like as _like, InvalidArgumentError as _InvalidArgumentError


def _whole(x):
    if x.dtype.is_inexact or x.dtype.name == "bool":
        raise _InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: int8, int16, int32, int64, uint8, uint16, uint32, uint64")
    return x


def _of_two(name, fn):
    def call(x, y):
        x, y = _like(x, y)
        return fn(_whole(x), y)
    return _op(name)(call)


bitwise_and, bitwise_or = _of_two("BitwiseAnd", _w.bitwise_and), _of_two("BitwiseOr", _w.bitwise_or)
bitwise_xor = _of_two("BitwiseXor", _w.bitwise_xor)


def _shifted(fn):
    # a shift beyond the width is one by the width less one; one by less than nothing none
    return lambda x, y: fn(x, _w.clip(y, 0, 8 * x.dtype.size - 1))


left_shift, right_shift = _of_two("LeftShift", _shifted(_w.shift_left)), _of_two("RightShift", _shifted(_w.shift_right))
invert = _op("Invert")(lambda x: _w.bitwise_not(_whole(_as_tensor(x))))
