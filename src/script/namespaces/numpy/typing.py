# numpy.typing -- names for annotations.
from typing import Any, Union

import numpy as _np

ArrayLike = Union[_np.ndarray, int, float, complex, str, bytes, list, tuple]
DTypeLike = Any


class _NDArray:
    def __getitem__(self, item):
        from _generic import GenericAlias
        return GenericAlias(_np.ndarray, (Any, item))

    def __repr__(self):
        return "numpy.typing.NDArray"


NDArray = _NDArray()
