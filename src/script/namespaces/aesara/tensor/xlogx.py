# aesara.tensor.xlogx -- x log x and x log y, which are 0 where x is.
import _aesara as _w
from aesara._graph import Op
from aesara.tensor import _binary, _float_out, _unary


def _log(x, y):
    # x log y; where x is 0, the logarithm of 1
    return x * _w.log(_w.where(x == 0, _w.ones_like(y), y))


xlogx = _unary("xlogx", Op("xlogx", _float_out(lambda x: _log(x, x))))
xlogy0 = _binary(Op("xlogy0", _float_out(_log)))
