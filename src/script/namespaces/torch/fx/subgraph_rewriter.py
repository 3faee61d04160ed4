# torch.fx.subgraph_rewriter
from torch.fx._trace import Match, replace_pattern
