# _stage.tree -- what a function's syntax tree says before it is run: how statements may be left,
# which names they change.
import _syntax


class Node:
    pass


_trees = {}


def tree_of(func):
    # Trees are kept by function definition; functions made by one def share theirs.
    key = id(func)
    if key not in _trees:
        tree = _syntax.tree(func, Node)
        tree.receiver = _receiver(func, tree)
        _trees[key] = (func, tree, _syntax.info(func))
    return _trees[key][1], _trees[key][2]


def _receiver(func, tree):
    # The name of the parameter that is the instance, of a method; None.
    name = tree.params[0].name if tree.params else None
    if name is None or name == "self":
        return name
    path = func.__qualname__.split(".")
    if len(path) < 2 or path[-2] == "<locals>":
        return None
    for line in _syntax.source(func).split("\n"):
        if not line.strip().startswith("@"):
            return name
        if line.strip() in ("@staticmethod", "@classmethod"):
            return None


def leaves_out(stmts):
    # May the statements leave by return, break or continue (of a loop around them)?
    return _leaves(stmts, False)


def _leaves(stmts, in_loop):
    for s in stmts:
        k = s.kind
        if k == "return" or k == "raise":
            return True
        if (k == "break" or k == "continue") and not in_loop:
            return True
        if k == "if" and (_leaves(s.list, in_loop) or _leaves(s.more, in_loop)):
            return True
        if (k == "while" or k == "for") and (_leaves(s.list, True) or _leaves(s.more, in_loop)):
            return True
        if k == "with" and _leaves(s.more, in_loop):
            return True
        if k == "try" and _leaves(s.list, in_loop):
            return True
    return False


def assigned(stmts, out):
    # Names that the statements bind, or change by item, attribute or method.
    for s in stmts:
        k = s.kind
        if k == "assign":
            for t in s.list:
                targets(t, out)
        elif k == "aug" or k == "ann":
            targets(s.a, out)
        elif k == "for":
            targets(s.a, out)
        elif k == "expr" and s.a.kind == "call" and s.a.a.kind == "attr":
            _root(s.a.a.a, out)
        if k == "if" or k == "while" or k == "for":
            assigned(s.list, out)
            assigned(s.more, out)
        elif k == "with":
            for i in s.list:
                if i.b is not None:
                    targets(i.b, out)
            assigned(s.more, out)
    return out


def _root(e, out):
    while e.kind == "attr" or e.kind == "index":
        e = e.a
    if e.kind == "name":
        out.add(e.name)


def targets(t, out):
    if t.kind == "name":
        out.add(t.name)
    elif t.kind == "tuple" or t.kind == "list":
        for x in t.list:
            targets(x, out)
    elif t.kind == "star":
        targets(t.a, out)
    else:
        _root(t, out)
