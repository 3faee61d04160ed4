# torch.fx._symbolic_trace
from torch.fx._trace import Tracer, symbolic_trace, wrap
