# jax.typing -- names for annotations.
from jax._array import Array

ArrayLike = object
DTypeLike = object
