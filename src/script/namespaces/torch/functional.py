# torch.functional -- functions of torch that the library writes in Python.
from torch import (atleast_1d, atleast_2d, atleast_3d, broadcast_tensors, cartesian_prod, cdist, chain_matmul, einsum, meshgrid, norm,
                   split, tensordot, unique, unique_consecutive)
from torch import block_diag, broadcast_shapes
