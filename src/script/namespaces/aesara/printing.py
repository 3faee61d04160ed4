# aesara.printing -- expressions as text, pp and debugprint; of a function its optimised program.
from aesara._pp import pp
from aesara._function import Function
from aesara.tensor.subtensor import _HOLE


pprint = pp


def _letters(n):
    return chr(65 + n) if n < 26 else chr(64 + n // 26) + chr(65 + n % 26)


def _tree(v, lines, ids, prefix, child, types):
    if isinstance(v, _Listed):
        new = v.key() not in ids
        if new:
            ids[v.key()] = _letters(len(ids))
        lines.append(f"{prefix}{v.text} [id {ids[v.key()]}]")
        if v.inputs and not new:
            lines.append(child + " |...")
        elif v.inputs:
            _tree(v.inputs[0], lines, ids, child + " |", child + "  ", types)
        return
    new = v not in ids
    if new:
        ids[v] = _letters(len(ids))
    label = str(v.owner.op) + (f".{v.index}" if v.owner.op.nout > 1 else "") if v.owner is not None else str(v)
    if v.owner is not None and v.name is not None:
        label += f" [id {ids[v]}]" + (f" <{v.type}>" if types else "") + f" '{v.name}'"
    else:
        label += f" [id {ids[v]}]" + (f" <{v.type}>" if types else "")
    lines.append(prefix + label)
    if v.owner is None:
        return
    if not new:
        lines.append(child + " |...")
        return
    inputs = _operands(v.owner)
    for k, i in enumerate(inputs):
        _tree(i, lines, ids, child + " |", child + (" |" if k < len(inputs) - 1 else "  "), types)


class _Listed:
    # What Aesara's graphs have as a node, and these do not: an operand brought to the rank of the others, a number that is an index.
    index, name = 0, None

    def __init__(self, text, inputs):
        self.text, self.inputs = text, inputs

    def key(self):
        return (self.text, *self.inputs) if self.inputs else self


def _operands(node):
    shown = str(node.op)
    if shown.startswith("Elemwise{"):
        rank = node.outputs[0].ndim
        return [_Listed("InplaceDimShuffle{" + ",".join(["x"] * (rank - i.ndim) + [str(d) for d in range(i.ndim)]) + "}", (i,)) if i.ndim < rank else i
                for i in node.inputs]
    if shown == "Join":
        return [_Listed(f"TensorConstant{{{node.params}}}", ()), *node.inputs]
    n = 1 if shown.startswith("Subtensor{") else 2 if shown.startswith("IncSubtensor{") else len(node.inputs)
    if n == len(node.inputs) and not shown.endswith("Subtensor{", 0, shown.find("{") + 1):
        return node.inputs
    rest, out = iter([_Listed("ScalarFromTensor", (v,)) for v in node.inputs[n:]]), list(node.inputs[:n])
    for kind, p in node.params:
        if kind == "v":
            out.append(next(rest))
        elif kind == "s":
            out.extend([next(rest) if b is _HOLE else _Listed(f"ScalarConstant{{{b}}}", ()) for b in p if b is not None])
        elif isinstance(p, int):
            out.append(_Listed(f"ScalarConstant{{{p}}}", ()))
    return out


def _program_tree(f, lines, ids, types):
    # The optimised program of a function: operations with the order they run in.
    values, inputs, equations, results = f.compiled().optimise().view()
    names = {v: str(s) for v, s in zip(inputs, f.symbols())}
    made = {}
    for at, (op, operands, outs, attrs) in enumerate(equations):
        for k, v in enumerate(outs):
            made[v] = (at, op, operands, f".{k}" if len(outs) > 1 else "")

    def walk(v, prefix, child):
        new = v not in ids
        if new:
            ids[v] = _letters(len(ids))
        kind = f" <{values[v][0]}{list(values[v][1])}>" if types else ""
        if v not in made:
            lines.append(f"{prefix}{names.get(v, v)} [id {ids[v]}]{kind}")
            return
        at, op, operands, index = made[v]
        lines.append(f"{prefix}{op}{index} [id {ids[v]}]{kind} {at}")
        if operands and not new:
            lines.append(child + " |...")
            return
        for k, i in enumerate(operands):
            walk(i, child + " |", child + (" |" if k < len(operands) - 1 else "  "))
    for v in results:
        walk(v, "", "")


def debugprint(obj, depth=-1, print_type=False, file=None):
    if depth != -1:
        raise NotImplementedError(f"debugprint: depth={depth}")
    lines, ids = [], {}
    for v in obj if isinstance(obj, (list, tuple)) else [obj]:
        if isinstance(v, Function):
            _program_tree(v, lines, ids, print_type)
        else:
            _tree(v, lines, ids, "", "", print_type)
    text = "\n".join(lines)
    if file == "str":
        return text + "\n"
    print(text)
    return None


dprint = debugprint


def pydotprint(*args, **kw):
    raise NotImplementedError("pydotprint draws with graphviz, which is not offered")
