# numpy._paths -- in which order products of several arrays are best taken: einsum_path. Loaded when it is asked for.
from itertools import combinations

import _numpy as _w


def _flops(labels, inner, terms, size):
    # Multiplications of each element, and an addition where something is summed.
    return _elements(labels, size) * (max(1, terms - 1) + (1 if inner else 0))


def _elements(labels, size):
    n = 1
    for k in labels:
        n *= size[k]
    return n


def _taken(picked, sets, output):
    # (labels of the result, labels that take part) of the product of the sets at these places
    rest = set(output).union(*[s for i, s in enumerate(sets) if i not in picked])
    part = set().union(*[sets[i] for i in picked])
    return part & rest, part


def _optimal(sets, output, size, limit):
    # Every order of pairs.
    found = [(0, [], sets)]
    for turn in range(len(sets) - 1):
        more = []
        for cost, path, now in found:
            for pair in combinations(range(len(sets) - turn), 2):
                result, part = _taken(pair, now, output)
                if _elements(result, size) <= limit:
                    total = cost + _flops(part, part - result, 2, size)
                    more.append((total, path + [pair], [s for i, s in enumerate(now) if i not in pair] + [result]))
        if not more:
            best = min(found, key=lambda f: f[0])
            return best[1] + [tuple(range(len(sets) - turn))]
        found = more
    return min(found, key=lambda f: f[0])[1]


def _greedy(sets, output, size, limit):
    # Of the pairs with a label in common the one that leaves the least behind, the cheaper one of two.
    if len(sets) < 3:
        return [tuple(range(len(sets)))]
    result, part = _taken(range(len(sets)), sets, output)
    naive = _flops(part, part - result, len(sets), size)
    now = list(enumerate(sets))     # a number for each array that there is, and its labels
    known, path, spent = [], [], 0

    def rate(pair, apart):
        (i, a), (j, b) = pair
        if not apart and not a & b:
            return
        at = [k for k, (n, _) in enumerate(now) if n in (i, j)]
        result, part = _taken(at, [s for _, s in now], output)
        left = _elements(result, size)
        cost = _flops(part, part - result, 2, size)
        if left <= limit and spent + cost <= naive:
            known.append(((left - _elements(a, size) - _elements(b, size), cost), (i, j), result))

    pairs = combinations(now, 2)
    for turn in range(len(sets) - 1):
        for pair in pairs:
            rate(pair, False)
        if not known:
            for pair in combinations(now, 2):
                rate(pair, True)
        if not known:
            path.append(tuple(range(len(now))))
            break
        (_, cost), (i, j), result = min(known, key=lambda k: k[0])
        path.append(tuple([k for k, (n, _) in enumerate(now) if n in (i, j)]))
        spent += cost
        known = [k for k in known if not {i, j} & set(k[1])]
        new = (len(sets) + turn, result)
        now = [s for s in now if s[0] not in (i, j)] + [new]
        pairs = [(s, new) for s in now[:-1]]
    return path


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _parsed(text, shapes):
    # The labels of the operands and of the result, all written out.
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError("Number of einsum subscripts must be equal to the number of operands.")
    if "..." in text:
        free = [c for c in _LETTERS if c not in text]
        lengths = [len(s) - len(t.replace(".", "")) if "..." in t else 0 for t, s in zip(terms, shapes)]
        dots = free[:max(lengths)]
        terms = [t.replace("...", "".join(dots[len(dots) - n:])) for t, n in zip(terms, lengths)]
        right = right.replace("...", "".join(dots))
        if not arrow:
            right = "".join(dots)
    if not arrow:
        all = "".join(terms)
        right = right + "".join([c for c in sorted(set(all)) if all.count(c) == 1 and c not in right])
    for c in right:
        if c not in "".join(terms):
            raise ValueError(f"Output character {c} did not appear in the input")
    return terms, right


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    if einsum_call:
        raise NotImplementedError("einsum_path: einsum_call")
    if not isinstance(operands[0], str):
        from numpy import _lettered
        operands = (lambda text, xs: (text, *xs))(*_lettered(operands[0], operands[1:]))
    shapes = [tuple(_w.wrap(x).shape) for x in operands[1:]]
    terms, output = _parsed(operands[0], shapes)
    kind, limit = "greedy" if optimize is True else optimize, None
    if kind is None or kind is False:
        kind = False
    elif isinstance(kind, (tuple, list)) and len(kind) == 2 and isinstance(kind[0], str) and isinstance(kind[1], (int, float)):
        kind, limit = kind[0], int(kind[1])
    elif not isinstance(kind, str) and not (len(kind) and kind[0] == "einsum_path"):
        raise TypeError(f"Did not understand the path: {kind}")
    size = {}
    for n, (t, s) in enumerate(zip(terms, shapes)):
        if len(t) != len(s):
            raise ValueError(f"Einstein sum subscript {t} does not contain the correct number of indices for operand {n}.")
        for c, d in zip(t, s):
            if size.get(c, 1) != 1 and d not in (1, size[c]):
                raise ValueError(f"Size of label '{c}' for operand {n} ({size[c]}) does not match previous terms ({d}).")
            size[c] = max(size.get(c, 1), d)
    sets = [set(t) for t in terms]
    labels = set("".join(terms))
    if limit is None:
        limit = max([_elements(t, size) for t in terms + [output]])
    if kind not in (False, "greedy", "optimal") and isinstance(kind, str):
        raise KeyError(f"Path name {kind} not found")
    if not isinstance(kind, (str, bool)):
        path = [tuple(p) for p in kind[1:]]
    elif kind is False or len(sets) < 3 or labels == set(output):
        path = [tuple(range(len(sets)))]
    else:
        path = (_greedy if kind == "greedy" else _optimal)(sets, set(output), size, limit)
    lines, costs, widths, sizes = [], [], [], []
    now = list(terms)
    for k, picked in enumerate(path):
        picked = sorted(picked, reverse=True)
        result, part = _taken(picked, [set(t) for t in now], set(output))
        costs.append(_flops(part, part - result, len(picked), size))
        widths.append(len(part))
        sizes.append(_elements(result, size))
        own = output if k == len(path) - 1 else "".join([c for _, c in sorted([(size[c], c) for c in result])])
        step = ",".join([now.pop(i) for i in picked]) + "->" + own
        now.append(own)
        lines.append("\n%4d    %24s %40s" % (widths[-1], step, ",".join(now) + "->" + output))
    naive = _flops(labels, sum([len(s) for s in sets]) > len(labels), len(sets), size)
    best = sum(costs) + 1
    text = "".join(["  Complete contraction:  %s\n" % (",".join(terms) + "->" + output), "         Naive scaling:  %d\n" % len(labels),
                    "     Optimized scaling:  %d\n" % max(widths), "      Naive FLOP count:  %.3e\n" % naive,
                    "  Optimized FLOP count:  %.3e\n" % best, "   Theoretical speedup:  %3.3f\n" % (naive / best),
                    "  Largest intermediate:  %.3e elements\n" % max(sizes), "-" * 74 + "\n",
                    "%6s %24s %40s\n" % ("scaling", "current", "remaining"), "-" * 74, *lines])
    return ["einsum_path"] + path, text
