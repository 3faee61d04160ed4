# shlex -- command lines as words.
def split(s, comments=False, posix=True):
    if not posix:
        raise NotImplementedError("shlex.split: as a POSIX shell does")
    out, word, quote, i = [], None, "", 0
    while i < len(s):
        c = s[i]
        if quote:
            if c == quote:
                quote = ""
            elif c == "\\" and quote == '"' and i + 1 < len(s) and s[i + 1] in '"\\':
                i += 1
                word += s[i]
            else:
                word += c
        elif c in "'\"":
            quote, word = c, word or ""
        elif c == "\\":
            i += 1
            if i >= len(s):
                raise ValueError("No escaped character")
            word = (word or "") + s[i]
        elif c.isspace():
            if word is not None:
                out.append(word)
            word = None
        elif c == "#" and comments:
            while i + 1 < len(s) and s[i + 1] != "\n":
                i += 1
        else:
            word = (word or "") + c
        i += 1
    if quote:
        raise ValueError("No closing quotation")
    return out + ([word] if word is not None else [])


def quote(s):
    if not s:
        return "''"
    if all([c.isalnum() and c.isascii() or c in "_@%+=:,./-" for c in s]):
        return s
    return "'" + s.replace("'", "'\"'\"'") + "'"


def join(split_command):
    return " ".join([quote(a) for a in split_command])
