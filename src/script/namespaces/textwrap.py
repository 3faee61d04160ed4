# textwrap -- paragraphs of a width.


def _chunks(text, hyphens):
    out, word = [], ""
    for piece in text.replace("\t", " ").split(" "):
        if out or word:
            out.append(" ")
        while hyphens:
            k = next((i for i in range(1, len(piece) - 1) if piece[i] == "-" and piece[i - 1].isalnum() and piece[i + 1].isalpha()), -1)
            if k < 0:
                break
            out.append(piece[:k + 1])
            piece = piece[k + 1:]
        if piece:
            out.append(piece)
        word = "x"
    return out


def _ends_sentence(word):
    # a small letter, then . ! or ?, perhaps a quote
    word = word[:-1] if word[-1:] in ("'", '"') else word
    return len(word) > 1 and word[-1] in ".!?" and "a" <= word[-2] <= "z"


class TextWrapper:
    def __init__(self, width=70, initial_indent="", subsequent_indent="", expand_tabs=True, replace_whitespace=True,
                 fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True, tabsize=8,
                 *, max_lines=None, placeholder=" [...]"):
        self.width, self.initial_indent, self.subsequent_indent = width, initial_indent, subsequent_indent
        self.expand_tabs, self.replace_whitespace, self.tabsize = expand_tabs, replace_whitespace, tabsize
        self.fix_sentence_endings, self.break_long_words = fix_sentence_endings, break_long_words
        self.drop_whitespace, self.break_on_hyphens = drop_whitespace, break_on_hyphens
        self.max_lines, self.placeholder = max_lines, placeholder

    def wrap(self, text):
        if self.width <= 0:
            raise ValueError(f"invalid width {self.width!r} (must be > 0)")
        if self.expand_tabs:
            text = text.expandtabs(self.tabsize)
        if self.replace_whitespace:
            text = "".join([" " if c in "\t\n\x0b\x0c\r " else c for c in text])
        pieces = []
        for c in _chunks(text, self.break_on_hyphens):
            if c == " " and pieces and pieces[-1].isspace():
                pieces[-1] += c
            else:
                pieces.append(c)
        if self.fix_sentence_endings:
            for k in range(len(pieces) - 1):
                if pieces[k + 1] == " " and _ends_sentence(pieces[k]):
                    pieces[k + 1] = "  "
        lines, i = [], 0
        while i < len(pieces):
            indent = self.subsequent_indent if lines else self.initial_indent
            room = self.width - len(indent)
            if self.drop_whitespace and lines and pieces[i].isspace():
                i += 1
                continue
            line, n = [], 0
            while i < len(pieces) and n + len(pieces[i]) <= room:
                line.append(pieces[i])
                n += len(pieces[i])
                i += 1
            if i < len(pieces) and len(pieces[i]) > room:
                if self.break_long_words:
                    k = max(room - n, 1 if not line else 0)
                    if k > 0:
                        line.append(pieces[i][:k])
                        pieces[i] = pieces[i][k:]
                        i += not pieces[i]
                elif not line:
                    line.append(pieces[i])
                    i += 1
            if self.drop_whitespace and line and line[-1].isspace():
                line.pop()
            if not line:
                continue
            rest = any(not p.isspace() for p in pieces[i:])
            if self.max_lines is not None and len(lines) + 1 >= self.max_lines and rest:
                while line:
                    if not line[-1].isspace() and len("".join(line)) + len(self.placeholder) <= room:
                        break
                    line.pop()
                lines.append(indent + "".join(line) + (self.placeholder if line else self.placeholder.lstrip()))
                break
            lines.append(indent + "".join(line))
        return lines

    def fill(self, text):
        return "\n".join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    return TextWrapper(width=width, max_lines=1, **kwargs).fill(" ".join(text.strip().split()))


def dedent(text):
    lines = text.split("\n")
    margin = None
    for l in lines:
        if l.strip():
            indent = l[:len(l) - len(l.lstrip(" \t"))]
            if margin is None:
                margin = indent
            else:
                n = 0
                while n < min(len(margin), len(indent)) and margin[n] == indent[n]:
                    n += 1
                margin = margin[:n]
    margin = margin or ""
    return "\n".join([l[len(margin):] if l.strip() else "" for l in lines])


def indent(text, prefix, predicate=None):
    if predicate is None:
        predicate = lambda l: l.strip()
    return "".join([prefix + l if predicate(l) else l for l in text.splitlines(True)])
