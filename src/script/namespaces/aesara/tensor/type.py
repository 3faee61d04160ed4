# aesara.tensor.type -- types of tensors.
from aesara._graph import TensorType
