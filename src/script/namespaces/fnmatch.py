# fnmatch -- names against shell patterns.
import re as _re


def translate(pat):
    out, i = "", 0
    while i < len(pat):
        c = pat[i]
        i += 1
        if c == "*":
            out += ".*"
        elif c == "?":
            out += "."
        elif c == "[":
            j = i + (i < len(pat) and pat[i] == "!")
            j = pat.find("]", j + 1 if j < len(pat) and pat[j] == "]" else j)
            if j < 0:
                out += "\\["
            else:
                body = pat[i:j].replace("\\", "\\\\")
                i = j + 1
                out += "[" + ("^" + body[1:] if body[0] == "!" else "\\" + body if body[0] == "^" else body) + "]"
        else:
            out += _re.escape(c)
    return "(?s:" + out + ")\\Z"


def fnmatchcase(name, pat):
    return _re.match(translate(pat), name) is not None


fnmatch = fnmatchcase


def filter(names, pat):
    m = _re.compile(translate(pat)).match
    return [n for n in names if m(n) is not None]
