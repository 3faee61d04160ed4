# torch.fx.graph_module
from torch.fx._trace import GraphModule
