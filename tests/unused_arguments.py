# unused_arguments.py -- parameters that functions of the libraries accept and never look at.
#
#   weft run tests/unused_arguments.py ALLOWED ROOT FILE...
#
# An argument that is accepted and ignored is a wrong answer without a word. This walks the signatures in the
# sources of the namespaces and reports each parameter that the body of its function does not name, unless ALLOWED
# gives a reason or owns up to it:
#
#   any NAME: REASON                  parameters of that name, in every library
#   LIBRARY NAME: REASON              in one library, or in one file of it
#   FILE FUNCTION NAME...             owed: accepted and without effect so far
#
# What no line covers fails; what is owed no longer is told, so that the list gets shorter. Functions that only
# refuse, methods whose signature the language fixes (__exit__) and names that begin with _ are left alone.
import sys


def code(line):
    # The line without its comment.
    at = line.find("#")
    if at < 0:
        return line
    return line[:at] if line[:at].strip() == "" or line[:at].endswith(" ") else line


def signature(lines, at):
    # (the text between the parentheses, the number of the first line of the body)
    text, depth = "", 0
    start = lines[at].index("(")
    for i in range(at, len(lines)):
        line = lines[i] if i > at else lines[i][start:]
        for k, ch in enumerate(line):
            if ch in "([{":
                depth += 1
            elif ch in ")]}":
                depth -= 1
                if depth == 0:
                    return text[1:], i + 1
            text += ch
    return text[1:], len(lines)


def parameters(text):
    names, depth, word = [], 0, ""
    for ch in text + ",":
        if ch in "([{":
            depth += 1
        elif ch in ")]}":
            depth -= 1
        if ch == "," and depth == 0:
            name = word.strip().strip("*").split("=")[0].split(":")[0].strip()
            if name not in ("", "/", "self", "cls") and not name.startswith("_"):
                names.append(name)
            word = ""
        else:
            word += ch
    return names


def indent(line):
    return len(line) - len(line.lstrip())


def names(text, word):
    at = text.find(word)
    while at >= 0:
        before = text[at - 1] if at > 0 else " "
        after = text[at + len(word)] if at + len(word) < len(text) else " "
        if not (before.isalnum() or before in "_.") and not (after.isalnum() or after == "_"):
            return True
        at = text.find(word, at + 1)
    return False


def used_in(lines, start, margin):
    # The text of the body; "" where the function only refuses.
    body = []
    for line in lines[start:]:
        if line.strip() != "" and indent(line) <= margin:
            break
        body.append(line)
    text = "\n".join(body)
    return "" if text.strip().startswith("raise ") else text


def unused(path):
    # (function, parameter) of one file
    with open(path) as f:
        lines = [code(line) for line in f.read().split("\n")]
    out = []
    for i, line in enumerate(lines):
        word = line.strip()
        if not word.startswith("def ") or word.startswith("def __"):
            continue
        text, start = signature(lines, i)
        body = used_in(lines, start, indent(line))
        rest = lines[start - 1].split("):")[-1] if "):" in lines[start - 1] else ""
        body = rest + "\n" + body if rest.strip() else body
        if body == "":
            continue
        out += [(word[4:word.index("(")], p) for p in parameters(text) if not names(body, p)]
    return out


def read_allowed(path):
    rules, owed = {}, {}
    with open(path) as f:
        for line in f.read().split("\n"):
            if line.strip() == "" or line.startswith("#"):
                continue
            if ": " in line:
                where, name = line.split(": ")[0].split(" ")
                rules[(where, name)] = False
            else:
                parts = line.split(" ")
                for p in parts[2:]:
                    owed[(parts[0], parts[1], p)] = False
    return rules, owed


def main(allowed, root, files):
    rules, owed = read_allowed(allowed)
    bad = 0
    for path in files:
        short = path[len(root) + 1:]
        library = short.split("/")[0].replace(".py", "")
        for function, p in unused(path):
            if (short, function, p) in owed:
                owed[(short, function, p)] = True
            elif ("any", p) in rules:
                rules[("any", p)] = True
            elif (library, p) in rules:
                rules[(library, p)] = True
            elif (short, p) in rules:
                rules[(short, p)] = True
            else:
                print(f"{short} {function} {p}: accepted and never used")
                bad += 1
    for where in sorted(k for k in rules if not rules[k]):
        print(f"{where[0]} {where[1]}: no such parameter is unused any more")
    for where in sorted(k for k in owed if not owed[k]):
        print(f"{' '.join(where)}: is used now; take it from the list")
    print(f"{len(files)} files, {len([k for k in owed])} parameters owed, {bad} to look at")
    return bad


sys.exit(1 if main(sys.argv[1], sys.argv[2], sys.argv[3:]) else 0)
