# _stage.builtin -- functions of the language on values that are not known.
from _stage.expression import special
from _stage.number import Refuse, Sym, kinds


def _convert(kind):
    def fn(stage, args, kwargs):
        if len(args) == 1 and stage.unknown(args[0]):
            return stage.to_number(args[0], kind)
        return NotImplemented
    return fn


def _extreme(pick):
    def fn(stage, args, kwargs):
        xs = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        if not kwargs and stage.texts and len(args) > 1 and {type(x) for x in xs} == {int, float}:
            return float({"maximum": max, "minimum": min}[pick](*xs))       # TorchScript takes both as floats
        if kwargs or not any([isinstance(x, Sym) for x in xs]):
            return NotImplemented
        kind = "float" if any([stage.kind_of(x) == "float" for x in xs]) else "int"
        t = stage.number(xs[0], kind)
        for x in xs[1:]:
            t = getattr(stage.w, pick)(t, stage.number(x, kind))
        return Sym(stage, kind, t)
    return fn


def _print(stage, args, kwargs):
    # In order with everything else, when the program runs.
    if stage.texts and not any([stage.unknown(x) for x in args]):
        args = [stage.texts.text(x) for x in args]
    elif stage.texts and any([not isinstance(x, Sym) or x.kind == "float" for x in args if stage.unknown(x)]):
        raise Refuse("the text of a value that is not known")
    if not stage.prints:
        return print(*args, **kwargs) if stage.texts else NotImplemented
    sep, end = kwargs.get("sep", " "), kwargs.get("end", "\n")
    if end != "\n":
        raise Refuse("print without a new line")
    parts, tensors = [], []
    for x in args:
        if isinstance(x, Sym):
            parts.append("{numpy}")     # as a plain number
            tensors.append(x.t)
        elif stage.symbolic(x):
            parts.append("{}")
            tensors.append(x)
        else:
            parts.append((stage.texts.text if stage.texts else str)(x).replace("{", "{{").replace("}", "}}"))
    stage.w.print_now(sep.join(parts), tensors)
    return None


def _str(stage, args, kwargs):
    if not stage.texts or len(args) != 1:
        return NotImplemented
    if stage.unknown(args[0]):
        raise Refuse("the text of a value that is not known")
    return stage.texts.text(args[0])


def _isinstance(stage, args, kwargs):
    x, kinds = args
    if not isinstance(x, Sym) and not (stage.texts and type(x) is bool):
        return NotImplemented
    kinds = kinds if isinstance(kinds, (tuple, list)) else (kinds,)
    own = {"int": int, "float": float, "bool": bool}[x.kind] if isinstance(x, Sym) else bool
    return any([k is own or (k is int and own is bool and not stage.texts) for k in kinds])     # a bool is no int to TorchScript


def _round(stage, args, kwargs):
    if stage.texts and len(args) == 1 and not kwargs:       # TorchScript's is a float
        if isinstance(args[0], Sym) and args[0].kind == "float":
            return Sym(stage, "float", stage.w.round(args[0].t))
        if type(args[0]) is float:
            return float(round(args[0]))
    return NotImplemented


def _abs(stage, args, kwargs):
    return abs(args[0]) if isinstance(args[0], Sym) else NotImplemented


def _sum(stage, args, kwargs):
    if not any([isinstance(x, Sym) for x in list(args[0])]):
        return NotImplemented
    total = args[1] if len(args) > 1 else 0
    for x in args[0]:
        total = total + x
    return total


def _math(name):
    def fn(stage, args, kwargs):
        if not any([isinstance(x, Sym) for x in args]):
            return NotImplemented
        kind = "int" if name in ("floor", "ceil") else "float"
        t = getattr(stage.w, name)(*[stage.number(x, "float") for x in args])
        return Sym(stage, kind, stage.w.cast(t, kinds[kind]))
    return fn


def _setup():
    import math
    for f, kind in ((int, "int"), (float, "float"), (bool, "bool")):
        special(f, _convert(kind))
    special(max, _extreme("maximum"))
    special(min, _extreme("minimum"))
    special(print, _print)
    special(str, _str)
    special(isinstance, _isinstance)
    special(round, _round)
    special(abs, _abs)
    special(sum, _sum)
    for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "floor", "ceil", "pow", "atan2", "log2", "log10"):
        special(getattr(math, name), _math(name))


_setup()
