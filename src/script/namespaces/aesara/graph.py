# aesara.graph -- walking expressions.
from aesara._graph import Apply, Variable, TensorConstant as Constant, ancestors as _ancestors, MissingInputError, Op


def ancestors(graphs, blockers=None):
    return list(_ancestors(graphs, blockers or ()))


def graph_inputs(graphs, blockers=None):
    return [v for v in _ancestors(graphs, blockers or []) if v.owner is None]


def clone_replace(output, replace=None):
    from aesara import clone_replace as f
    return f(output, replace)
