# aesara -- Aesara's names (Theano's and PyTensor's too): symbolic expressions, functions of
# them, shared variables, gradients and loops.
from aesara._graph import (config, shared, Variable, TensorType, MissingInputError, as_variable as as_symbolic, evaluate, Op, Apply, value_of,
                           TensorSharedVariable as SharedVariable)
from aesara._function import function, In, Out, Param, UnusedInputError
from aesara import gradient, tensor, ifelse, printing, compile, graph, misc, scalar
from aesara.gradient import grad, subgraph_grad, Rop, Lop, jacobian, hessian
from aesara.printing import pp, pprint, dprint, debugprint
from aesara.scan import scan, map, reduce, foldl, foldr, until

__version__ = "2.9.4"


class _Clone(Op):
    # an expression with parts of it replaced: params maps what to what
    def __init__(self):
        super().__init__("clone", None, "clone", "clone", 2)

    def needed(self, node):
        return []

    def run(self, node, values, env, subst):
        from aesara._graph import dependents
        outs = node.outs
        moving = dependents(outs, list(node.params.keys()))
        inner = {v: x for v, x in env.items() if v not in moving}
        for k, new in node.params.items():
            inner[k] = evaluate([new], env, subst)[0]
        return evaluate(outs, inner, subst)


_clone_op = _Clone()


def clone_replace(output, replace=None, strict=True):
    from aesara._graph import as_variable
    outs = list(output) if isinstance(output, (list, tuple)) else [output]
    changes = {k: as_variable(v) for k, v in (replace.items() if isinstance(replace, dict) else replace or [])}
    for k, v in changes.items():
        if strict and k.type.dtype != v.type.dtype:
            raise TypeError(f"Cannot convert Type {v.type} (of Variable {v}) into Type {k.type}.")
    node = Apply(_clone_op, outs + list(changes.values()) + list(changes.keys()), changes, [o.type for o in outs])
    node.outs = outs
    return node.outputs if isinstance(output, (list, tuple)) else node.outputs[0]


clone = clone_replace
