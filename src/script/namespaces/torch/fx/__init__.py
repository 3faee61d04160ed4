# torch.fx -- programs as modules of a graph.
from functorch._graphs import Graph, GraphModule, Node, make_fx


def symbolic_trace(root, concrete_args=None):
    raise NotImplementedError("torch.fx.symbolic_trace: make_fx(f)(*examples) gives the graph of a function")


class Tracer:
    def trace(self, root, concrete_args=None):
        return symbolic_trace(root, concrete_args)
