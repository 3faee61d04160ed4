# torch.fx -- functions and modules as graphs that a script can read, change and run again.
#
#   graph      Graph, Node: nodes and their text        proxy    Proxy: what a traced function computes with
#   _trace     Tracer, GraphModule, Interpreter, replace_pattern
from torch.fx._trace import (GraphModule, Interpreter, Match, Tracer, Transformer, replace_pattern, symbolic_trace, wrap)
from torch.fx.graph import Graph, Node, PythonCode, map_aggregate, map_arg
from torch.fx.proxy import GraphAppendingTracer, Proxy, TraceError


def __getattr__(name):
    if name in ("graph", "node", "proxy", "passes", "experimental", "graph_module", "subgraph_rewriter", "interpreter"):
        return __import__("torch.fx." + name)
    raise AttributeError(f"module 'torch.fx' has no attribute '{name}'")
