# jax.lax: what of two trees or types that should be equal is not. Imported when there is an error.
import _tree
from jax._api import kit, place_of
from jax._array import shape_text
from jax._pytree import PyTreeDef


def _kind(spec, leaf):
    return leaf if spec == _tree.LEAF else str(type(None)) if spec is None else str(spec[1] if isinstance(spec[1], type) else spec[1][0])


def _keys(spec):
    what, kind, aux, kids = spec
    return [f"[{k!r}]" for k in aux] if what == "dict" else [f".{k}" for k in kind._fields] if what == "namedtuple" else \
        [f"[{i}]" for i in range(len(kids))]


def _trees(a, b, leaf, path=""):
    # (path, what stands there in the one, in the other, why they differ)
    if a == b:
        return []
    if not isinstance(a, tuple) or not isinstance(b, tuple) or a[:2] != b[:2]:
        return [(path, f"a {_kind(a, leaf)}", f"a {_kind(b, leaf)}", "so their Python types differ")]
    what, kind, aux, kids = a
    n, m = len(kids), len(b[3])
    if n != m:
        if what in ("tuple", "list"):
            return [(path, f"a {what} of length {n}", f"a {what} of length {m}", "so the lengths do not match")]
        more = f", with the symmetric difference of key sets: {set(aux) ^ set(b[2])}" if what == "dict" else ""
        return [(path, *[f"a {_kind(s, leaf)} with {len(s[3])} child{'' if len(s[3]) == 1 else 'ren'}" for s in (a, b)],
                 "so the numbers of children do not match" + more)]
    if aux != b[2]:
        return [(path, *[f"a {_kind(s, leaf)} with pytree metadata {s[2]!r}" for s in (a, b)], "so the pytree node metadata does not match")]
    return [d for key, s, t in zip(_keys(a), kids, b[3]) for d in _trees(s, t, leaf, path + key)]


def _paths(spec, path=""):
    if spec == _tree.LEAF:
        return [path]
    return [] if spec is None else [p for key, s in zip(_keys(spec), spec[3]) for p in _paths(s, path + key)]


def _types(a, b):
    # why two types of arrays, as texts, differ
    (d, _, s), (e, _, t) = a.partition("["), b.partition("[")
    return "so " + ", and ".join([f"the {name} do not match" for name, same in (("dtypes", d == e), ("shapes", s == t)) if not same])


def _listed(lines):
    if len(lines) == 1:
        return lines[0][0].upper() + lines[0][1:] + "."
    return ";\n".join([f"  * {line}" for line in lines]) + "."


def _carry(body):
    # What the carry is called, and where it is in that: the body's first parameter, if the loop does not say.
    own = [p[0] for p in _tree._parameters(body) if p[1] < 2]
    return getattr(body, "carry_name", (own[0] if own else "loop_carry", ""))


def _carried(name, path):
    return f"the input carry {'component ' if path else ''}{name}{path}"


def carry_trees(what, body, own, got):
    name, at = _carry(body)
    found = _trees(own, got, "<class 'jax._src.core.ShapedArray'>", at)
    text = f"the input tree structure is:\n{PyTreeDef(own)}\nthe output tree structure is:\n{PyTreeDef(got)}" if got is None else \
        _listed([f"{_carried(name, p)} is {a} but the corresponding component of the carry output is {b}, {why}" for p, a, b, why in found])
    return TypeError(f"{what} function carry input and carry output must have the same pytree structure, but they differ:\n\n{text}\n\n"
                     "Revise the function so that the carry output has the same pytree structure as the carry input.")


def carry_types(what, body, spec, own, got):
    name, at = _carry(body)
    lines = [f"{_carried(name, p)} has type {a} but the corresponding output carry component has type {b}, {_types(a, b)}"
             for p, a, b in zip(_paths(spec, at), own, got) if a != b]
    return TypeError(f"{what} function carry input and carry output must have equal types, but they differ:\n\n{_listed(lines)}\n\n"
                     "Revise the function so that all output types match the corresponding input types.")


def _branches(fns, name, k):
    names = ("true_fun", "false_fun") if name == "cond" else ("branch 0", f"branch{k}")
    return names, "\n".join([f"{n} is {place_of(f).partition(' ')[2]}" for n, f in zip(names, fns)])


def _at(path):
    return f" at path {path}" if path else ""


def branch_trees(name, fns, k, a, b):
    names, places = _branches(fns, name, k)
    lines = []
    for p, x, y, why in _trees(a, b, "pytree leaf"):
        lines.append(f"{names[0]} output{_at(p)} is {x} but {names[1]} output{_at(p)} is {y}, {why}")
    text = ";\n".join([f"  * {line}" for line in lines]) if len(lines) > 1 else lines[0]
    return TypeError(f"{name} branch outputs must have the same pytree structure, but they differ:\n\n{places}\n\n{text}.\n\n"
                     f"Revise {names[0]} and/or {names[1]} so that they have the same pytree structure.")


def branch_types(name, fns, k, spec, a, b):
    names, places = _branches(fns, name, k)
    lines = [f"the output of {names[0]}{_at(p)} has type {x} but the corresponding output of {names[1]} has type {y}, {_types(x, y)}"
             for p, x, y in zip(_paths(spec), a, b) if x != y]
    return TypeError(f"{name} branches must have equal output types but they differ.\n\n{places}\n\n{_listed(lines)}\n\n"
                     f"Revise {names[0]} and/or {names[1]} so that all output types match.")


def _argument_paths(fun, args, kwargs):
    # a['p'] and kwargs['k'], as arguments of a call are told
    own = _tree._parameters(fun)
    plain, rest = [p[0] for p in own if p[1] < 2], [p[0] for p in own if p[1] == 2]
    out = []
    for i, a in enumerate(args):
        name = plain[i] if i < len(plain) else f"{rest[0]}[{i - len(plain)}]" if rest else f"args[{i}]"
        out.extend([f"argument {name}{p}" for p in _paths(kit.flatten(a)[1])])
    return out + [f"kwargs{p}" for p in _paths(kit.flatten(kwargs)[1])]


def mapped_sizes(call, leaves, axes, asked):
    # A line for each size that arrays have along the axes that are mapped, the most frequent one first.
    of = {}
    for x, a, name in zip(leaves, axes, _argument_paths(*call)):
        if a is not None:
            of.setdefault(x.shape[a], []).append(f"axis {a} of {name} of type {shape_text(x)}")
    most = max([len(v) for v in of.values()])
    lines = [] if asked is None else [f"  * the `axis_size` argument was {asked}"]
    for n, found in sorted(of.items(), key=lambda item: -len(item[1])):
        many = f"  * {'most' if len(found) == most and len(lines) == 0 else 'some'} axes ({len(found)} of them) had size {n}, e.g. {found[0]}"
        lines.append(f"  * one axis had size {n}: {found[0]}" if len(found) == 1 else many)
    return lines


def cotangent_trees(fun, own, got):
    lines = [f"  * out{p} was {a} in the original output, but {b} here, {why}." for p, a, b, why in _trees(own, got, "pytree leaf")]
    return ValueError("unexpected tree structure.\n\nThe argument to a VJP function returned by `jax.vjp` must match the pytree\nstructure of the "
                      f"differentiated {place_of(fun)}.\n\nBut the tree structures differ:\n" + "\n".join(lines))


def _children(spec, x):
    return [x[k] for k in spec[2]] if spec[0] == "dict" else _tree.taken_apart(x)[0] if spec[0] == "node" else x


def _diff(a, b):
    import difflib
    lines = "\n".join(difflib.ndiff(str(a).splitlines(), str(b).splitlines())).split("\n")
    return "\n".join(["    " + line if line else "" for line in lines])


def prefix_text(a, b, name, whole, path=""):
    # Why a, the spec of a tree, is no prefix of b, that of the tree `whole`; None if it is.
    if a == _tree.LEAF or a == b:
        return None
    head = f" at key path\n    {name}{path}\nAt that key path, the prefix pytree {name.partition('[')[0]} has a subtree of type"
    if not isinstance(a, tuple) or not isinstance(b, tuple) or a[:2] != b[:2]:
        of = type(whole) if b == _tree.LEAF else _kind(b, "")
        return f"different types{head}\n    {_kind(a, '')}\nbut at the same key path the full pytree has a subtree of different type\n    {of}."
    what, kind, aux, kids = a
    n, m = len(kids), len(b[3])
    if what in ("tuple", "list") and n != m:
        return f"different lengths of {what}{head} {what} of length {n}, but the full pytree has a subtree of the same type but of length {m}."
    if n != m:
        own, other = [[str(k) for k in (s[2] if what == "dict" else range(len(s[3])))] for s in (a, b)]
        return (f"different numbers of pytree children{head}\n    {_kind(a, '')}\nwith {n} child keys\n    {' '.join(own)}\nbut at the same key path "
                f"the full pytree has a subtree of the same type but with {m} child keys\n    {' '.join(other)}\nso the symmetric difference on key "
                f"sets is\n    {' '.join(sorted(set(own) ^ set(other)))}")
    if aux != b[2]:
        return (f"different pytree metadata{head}\n    {_kind(a, '')}\nwith metadata\n    {aux!r}\nbut at the same key path the full pytree has a "
                f"subtree of the same type but with metadata\n    {b[2]!r}\nso the diff in the metadata at these pytree nodes is\n{_diff(aux, b[2])}")
    for key, s, t, x in zip(_keys(a), kids, b[3], _children(b, whole)):
        found = prefix_text(s, t, name, x, path + key)
        if found is not None:
            return found
    return None
