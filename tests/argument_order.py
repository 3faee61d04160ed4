# argument_order.py -- C leaves to the compiler which of two arguments is computed first. Where both add equations to a program, the
# program would depend on it: its order, its hash, the code kept for it. weft run argument_order.py FOLDER.. prints such calls.
import os
import re
import sys

READ = {"in", "arg", "eqn_in", "of_all_turns", "power"}     # look up what is there already


def plain(text):
    # without comments, and with empty texts and characters
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"'(\\.|[^'\\\n])'", "0", text)


def arguments(text, i):
    # the pieces between commas from i to the parenthesis that closes
    depth, start, out = 0, i, []
    while i < len(text):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return out + [text[start:i]]
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[start:i])
            start = i + 1
        i += 1
    return out


def calls(text):
    return re.finditer(r"\b(\w+)\(", text)


files = {}
for folder in sys.argv[1:]:
    for name in sorted(os.listdir(folder)):
        if name.endswith((".c", ".h")):
            with open(os.path.join(folder, name)) as f:
                files[os.path.join(folder, name)] = plain(f.read())

adds = set()
with open("src/op/ops.def") as f:       # b_add and its like are made of the table
    adds |= {"b_" + m.group(1) for m in re.finditer(r"^(?:MAP1|MAP2|OP)\((\w+)", f.read(), re.M)}
with open("src/ir/ir.h") as f:
    declared = plain(f.read())
for text in [declared, *files.values()]:
    adds |= {m.group(1) for m in re.finditer(r"\bVal\s+(\w+)\(([^;{]*?)\)", text) if m.group(1) not in READ}

found = 0
for path, text in files.items():
    for m in calls(text):
        if m.group(1) not in ("if", "while", "for", "switch"):
            if sum([any(c.group(1) in adds for c in calls(a)) for a in arguments(text, m.end())]) > 1:
                found += 1
                print(f"{path}:{text.count(chr(10), 0, m.start()) + 1}: two arguments of {m.group(1)} add equations")
print(len(files), "files,", len(adds), "functions")
sys.exit(1 if found else 0)
