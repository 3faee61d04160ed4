# difflib -- how alike two sequences are, and names that are close to one.


class SequenceMatcher:
    def __init__(self, isjunk=None, a="", b="", autojunk=True):
        if isjunk is not None:
            raise NotImplementedError("SequenceMatcher: isjunk")
        self._auto = autojunk
        self.set_seqs(a, b)

    def set_seqs(self, a, b):
        self.a = a
        self.set_seq2(b)

    def set_seq1(self, a):
        self.a = a

    def set_seq2(self, b):
        self.b = b
        self._places = {}
        for i, x in enumerate(b):
            self._places.setdefault(x, []).append(i)
        n = len(b)
        if self._auto and n >= 200:
            for x in [x for x, at in self._places.items() if len(at) > n // 100 + 1]:
                del self._places[x]

    def find_longest_match(self, alo=0, ahi=None, blo=0, bhi=None):
        ahi, bhi = len(self.a) if ahi is None else ahi, len(self.b) if bhi is None else bhi
        bi, bj, size, runs = alo, blo, 0, {}
        for i in range(alo, ahi):
            new = {}
            for j in self._places.get(self.a[i], ()):
                if j < blo:
                    continue
                if j >= bhi:
                    break
                k = new[j] = runs.get(j - 1, 0) + 1
                if k > size:
                    bi, bj, size = i - k + 1, j - k + 1, k
            runs = new
        while bi > alo and bj > blo and self.a[bi - 1] == self.b[bj - 1]:
            bi, bj, size = bi - 1, bj - 1, size + 1
        while bi + size < ahi and bj + size < bhi and self.a[bi + size] == self.b[bj + size]:
            size += 1
        return (bi, bj, size)

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
        return joined + [(len(self.a), len(self.b), 0)]

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

    quick_ratio = real_quick_ratio = ratio


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
