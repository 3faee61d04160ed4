# torch.fx.node
from torch.fx.graph import Node, map_aggregate, map_arg

Argument = Target = object
