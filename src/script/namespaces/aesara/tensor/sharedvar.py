# aesara.tensor.sharedvar -- shared variables of tensors.
from aesara._graph import TensorSharedVariable, shared
