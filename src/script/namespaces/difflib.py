# difflib -- how alike two sequences are, what makes one into another, and names that are close to one.
from collections import namedtuple as _namedtuple

Match = _namedtuple("Match", "a b size")


class SequenceMatcher:
    def __init__(self, isjunk=None, a="", b="", autojunk=True):
        self.isjunk, self.autojunk = isjunk, autojunk
        self.set_seqs(a, b)

    def set_seqs(self, a, b):
        self.a = a
        self.set_seq2(b)

    def set_seq1(self, a):
        self.a = a

    def set_seq2(self, b):
        self.b = b
        at = self.b2j = {}
        for i, x in enumerate(b):
            at.setdefault(x, []).append(i)
        self.bjunk = {x for x in at if self.isjunk(x)} if self.isjunk else set()
        for x in self.bjunk:
            del at[x]
        n = len(b)
        self.bpopular = {x for x, p in at.items() if len(p) > n // 100 + 1} if self.autojunk and n >= 200 else set()
        for x in self.bpopular:
            del at[x]

    def find_longest_match(self, alo=0, ahi=None, blo=0, bhi=None):
        ahi, bhi = len(self.a) if ahi is None else ahi, len(self.b) if bhi is None else bhi
        bi, bj, size, runs = alo, blo, 0, {}
        for i in range(alo, ahi):
            new = {}
            for j in self.b2j.get(self.a[i], ()):
                if j < blo:
                    continue
                if j >= bhi:
                    break
                k = new[j] = runs.get(j - 1, 0) + 1
                if k > size:
                    bi, bj, size = i - k + 1, j - k + 1, k
            runs = new
        # junk is matched only beside what is not
        for junk in (False, True):
            while bi > alo and bj > blo and self.a[bi - 1] == self.b[bj - 1] and (self.b[bj - 1] in self.bjunk) == junk:
                bi, bj, size = bi - 1, bj - 1, size + 1
            while (bi + size < ahi and bj + size < bhi and self.a[bi + size] == self.b[bj + size]
                   and (self.b[bj + size] in self.bjunk) == junk):
                size += 1
        return Match(bi, bj, size)

    def get_matching_blocks(self):
        todo, out = [(0, len(self.a), 0, len(self.b))], []
        while todo:
            alo, ahi, blo, bhi = todo.pop()
            i, j, k = self.find_longest_match(alo, ahi, blo, bhi)
            if k:
                out.append((i, j, k))
                if alo < i and blo < j:
                    todo.append((alo, i, blo, j))
                if i + k < ahi and j + k < bhi:
                    todo.append((i + k, ahi, j + k, bhi))
        out.sort()
        joined = []
        for i, j, k in out:
            if joined and joined[-1][0] + joined[-1][2] == i and joined[-1][1] + joined[-1][2] == j:
                joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + k)
            else:
                joined.append((i, j, k))
        return [Match(*m) for m in joined] + [Match(len(self.a), len(self.b), 0)]

    def get_opcodes(self):
        i = j = 0
        out = []
        for a, b, n in self.get_matching_blocks():
            tag = "replace" if i < a and j < b else "delete" if i < a else "insert" if j < b else ""
            if tag:
                out.append((tag, i, a, j, b))
            i, j = a + n, b + n
            if n:
                out.append(("equal", a, i, b, j))
        return out

    def ratio(self):
        n = len(self.a) + len(self.b)
        return 2.0 * sum(k for _, _, k in self.get_matching_blocks()) / n if n else 1.0

    # upper bounds of ratio(): by what elements there are, and by the lengths alone
    def quick_ratio(self):
        left, n = {}, 0
        for x in self.b:
            left[x] = left.get(x, 0) + 1
        for x in self.a:
            if left.get(x, 0) > 0:
                left[x] -= 1
                n += 1
        total = len(self.a) + len(self.b)
        return 2.0 * n / total if total else 1.0

    def real_quick_ratio(self):
        total = len(self.a) + len(self.b)
        return 2.0 * min(len(self.a), len(self.b)) / total if total else 1.0

    def get_grouped_opcodes(self, n=3):
        codes = self.get_opcodes() or [("equal", 0, 1, 0, 1)]
        if codes[0][0] == "equal":
            tag, a, b, c, d = codes[0]
            codes[0] = tag, max(a, b - n), b, max(c, d - n), d
        if codes[-1][0] == "equal":
            tag, a, b, c, d = codes[-1]
            codes[-1] = tag, a, min(b, a + n), c, min(d, c + n)
        group = []
        for tag, a, b, c, d in codes:
            if tag == "equal" and b - a > 2 * n:
                group.append((tag, a, min(b, a + n), c, min(d, c + n)))
                yield group
                group = []
                a, c = max(a, b - n), max(c, d - n)
            group.append((tag, a, b, c, d))
        if group and not (len(group) == 1 and group[0][0] == "equal"):
            yield group


# Lines of two texts one below the other; similar ones are compared character by character.
class Differ:
    def __init__(self, linejunk=None, charjunk=None):
        self.linejunk, self.charjunk = linejunk, charjunk

    def compare(self, a, b):
        for tag, alo, ahi, blo, bhi in SequenceMatcher(self.linejunk, a, b).get_opcodes():
            if tag == "replace":
                yield from self._replace(a, alo, ahi, b, blo, bhi)
            elif tag == "delete":
                yield from self._dump("-", a, alo, ahi)
            elif tag == "insert":
                yield from self._dump("+", b, blo, bhi)
            else:
                yield from self._dump(" ", a, alo, ahi)

    def _dump(self, tag, x, lo, hi):
        for i in range(lo, hi):
            yield "%s %s" % (tag, x[i])

    def _plain(self, a, alo, ahi, b, blo, bhi):
        if bhi - blo < ahi - alo:
            yield from self._dump("+", b, blo, bhi)
            yield from self._dump("-", a, alo, ahi)
        else:
            yield from self._dump("-", a, alo, ahi)
            yield from self._dump("+", b, blo, bhi)

    # The pair of lines that are most alike splits both ranges.
    def _replace(self, a, alo, ahi, b, blo, bhi):
        best, cutoff, cruncher = 0.74, 0.75, SequenceMatcher(self.charjunk)
        eqi = eqj = None
        best_i = best_j = None
        for j in range(blo, bhi):
            cruncher.set_seq2(b[j])
            for i in range(alo, ahi):
                if a[i] == b[j]:
                    if eqi is None:
                        eqi, eqj = i, j
                    continue
                cruncher.set_seq1(a[i])
                if cruncher.real_quick_ratio() > best and cruncher.quick_ratio() > best and cruncher.ratio() > best:
                    best, best_i, best_j = cruncher.ratio(), i, j
        if best < cutoff:
            if eqi is None:
                yield from self._plain(a, alo, ahi, b, blo, bhi)
                return
            best_i, best_j = eqi, eqj
        else:
            eqi = None
        yield from self._around(a, alo, best_i, b, blo, best_j)
        x, y = a[best_i], b[best_j]
        if eqi is None:
            atags = btags = ""
            cruncher.set_seqs(x, y)
            for tag, ai1, ai2, bj1, bj2 in cruncher.get_opcodes():
                la, lb = ai2 - ai1, bj2 - bj1
                mark = {"replace": "^^", "delete": "- ", "insert": " +", "equal": "  "}[tag]
                if tag in ("replace", "delete", "equal"):
                    atags += mark[0] * la
                if tag in ("replace", "insert", "equal"):
                    btags += mark[1] * lb
            yield from self._qformat(x, y, atags, btags)
        else:
            yield "  " + x
        yield from self._around(a, best_i + 1, ahi, b, best_j + 1, bhi)

    def _around(self, a, alo, ahi, b, blo, bhi):
        if alo < ahi:
            if blo < bhi:
                yield from self._replace(a, alo, ahi, b, blo, bhi)
            else:
                yield from self._dump("-", a, alo, ahi)
        elif blo < bhi:
            yield from self._dump("+", b, blo, bhi)

    def _qformat(self, aline, bline, atags, btags):
        atags = _keep_spaces(aline, atags).rstrip()
        btags = _keep_spaces(bline, btags).rstrip()
        yield "- " + aline
        if atags:
            yield f"? {atags}\n"
        yield "+ " + bline
        if btags:
            yield f"? {btags}\n"


def _keep_spaces(line, tags):
    return "".join(c if tag == " " and c.isspace() else tag for c, tag in zip(line, tags))


def IS_LINE_JUNK(line, pat=None):
    return line.strip() in ("", "#")


def IS_CHARACTER_JUNK(ch, ws=" \t"):
    return ch in ws


def ndiff(a, b, linejunk=None, charjunk=IS_CHARACTER_JUNK):
    return Differ(linejunk, charjunk).compare(a, b)


def restore(delta, which):
    tag = {1: "- ", 2: "+ "}[int(which)]
    for line in delta:
        if line[:2] in ("  ", tag):
            yield line[2:]


def _unified(start, stop):
    n = stop - start
    if n == 1:
        return f"{start + 1}"
    return f"{start + 1 if n else start},{n}"


def unified_diff(a, b, fromfile="", tofile="", fromfiledate="", tofiledate="", n=3, lineterm="\n"):
    started = False
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(n):
        if not started:
            started = True
            yield "--- {}{}{}".format(fromfile, f"\t{fromfiledate}" if fromfiledate else "", lineterm)
            yield "+++ {}{}{}".format(tofile, f"\t{tofiledate}" if tofiledate else "", lineterm)
        first, last = group[0], group[-1]
        yield "@@ -{} +{} @@{}".format(_unified(first[1], last[2]), _unified(first[3], last[4]), lineterm)
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for line in a[i1:i2]:
                    yield " " + line
                continue
            if tag in ("replace", "delete"):
                for line in a[i1:i2]:
                    yield "-" + line
            if tag in ("replace", "insert"):
                for line in b[j1:j2]:
                    yield "+" + line


def _context(start, stop):
    n = stop - start
    first = start + 1 if n else start
    return f"{first}" if n <= 1 else f"{first},{first + n - 1}"


def context_diff(a, b, fromfile="", tofile="", fromfiledate="", tofiledate="", n=3, lineterm="\n"):
    prefix = dict(insert="+ ", delete="- ", replace="! ", equal="  ")
    started = False
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(n):
        if not started:
            started = True
            yield "*** {}{}{}".format(fromfile, f"\t{fromfiledate}" if fromfiledate else "", lineterm)
            yield "--- {}{}{}".format(tofile, f"\t{tofiledate}" if tofiledate else "", lineterm)
        first, last = group[0], group[-1]
        yield "***************" + lineterm
        yield "*** {} ****{}".format(_context(first[1], last[2]), lineterm)
        if any(g[0] in ("replace", "delete") for g in group):
            for tag, i1, i2, _, _ in group:
                if tag != "insert":
                    for line in a[i1:i2]:
                        yield prefix[tag] + line
        yield "--- {} ----{}".format(_context(first[3], last[4]), lineterm)
        if any(g[0] in ("replace", "insert") for g in group):
            for tag, _, _, j1, j2 in group:
                if tag != "delete":
                    for line in b[j1:j2]:
                        yield prefix[tag] + line


def get_close_matches(word, possibilities, n=3, cutoff=0.6):
    out, s = [], SequenceMatcher()
    s.set_seq2(word)
    for x in possibilities:
        s.set_seq1(x)
        r = s.ratio()
        if r >= cutoff:
            out.append((r, x))
    out.sort(reverse=True)
    return [x for _, x in out[:n]]
