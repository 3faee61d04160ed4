# torch.fx.passes.shape_prop -- a graph is run on values, and each node keeps what its own looked like.
import traceback as _traceback
from collections import namedtuple as _namedtuple

import torch
from torch.fx._trace import Interpreter
from torch.fx.graph import map_aggregate

TensorMetadata = _namedtuple("TensorMetadata", ["shape", "dtype", "requires_grad", "stride", "memory_format", "is_quantized", "qparams"])


def _extract_tensor_metadata(result, include_contiguity=True):
    memory_format = torch.contiguous_format if include_contiguity and result.is_contiguous() else None
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), memory_format, result.is_quantized, {})


class ShapeProp(Interpreter):
    def run_node(self, n):
        try:
            result = super().run_node(n)
        except Exception as e:
            _traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from e
        found = []

        def about(x):
            if isinstance(x, torch.Tensor):
                found.append(x)
                return _extract_tensor_metadata(x)
            return x

        meta = map_aggregate(result, about)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        return self.run(*args)
