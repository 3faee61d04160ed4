# aesara.ifelse -- a choice between expressions: `cond` of the program, so only the one chosen is run.
import _aesara as _w
from _expression import evaluate
from aesara._graph import Op, Apply, as_variable


class _IfElse(Op):
    def __init__(self):
        super().__init__("if", None, "if{}", "if", 2)

    def needed(self, node):
        return node.inputs[:1]

    def run(self, node, values, env, subst):
        n = node.params
        chosen = values[0]
        if chosen.dtype.kind != "b":
            chosen = chosen != 0

        def branch(at):
            def run():
                out = evaluate(node.inputs[at:at + n], dict(env), subst)
                return [_w.cast(x, o.dtype) if x.dtype.name != o.dtype else x for x, o in zip(out, node.outputs)]
            return run
        return _w.cond(chosen, [branch(1 + n), branch(1)], [])


_op = _IfElse()


def ifelse(condition, then_branch, else_branch, name=None):
    many = isinstance(then_branch, (list, tuple))
    a = [as_variable(v) for v in (then_branch if many else [then_branch])]
    b = [as_variable(v) for v in (else_branch if many else [else_branch])]
    if len(a) != len(b):
        raise ValueError("The number of values on the `then` branch must be the same as the number of variables on the `else` "
                         f"branch: (then {len(a)}, else {len(b)})")
    types = []
    for x, y in zip(a, b):
        if x.ndim != y.ndim:
            raise TypeError(f"IfElse requires same types for true and false return values: {x.type} and {y.type}")
        types.append(x.type if x.type.dtype == y.type.dtype or y.type.dtype.startswith("int") else y.type)
    outs = Apply(_op, [as_variable(condition)] + a + b, len(a), types).outputs
    if name is not None and not many:
        outs[0].name = name
    return outs if many else outs[0]
