# aesara.tensor.var -- variables of tensors.
from aesara._graph import TensorVariable, TensorConstant, TensorSharedVariable
