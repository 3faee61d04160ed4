# argument_order.py -- C leaves to the compiler which of two arguments is computed first. Where both add equations to a program, the
# program would depend on it: its order, its hash, the code kept for it. weft run argument_order.py FOLDER.. prints such calls.
#
# Equations are added by the builder's functions (b_add and its like) and by operations of tensors, and by what calls those: a
# function is known by its text, a static one in its file alone; names without one, in the headers, add.
import os
import re
import sys

LEFT = {"src/onnx/lower.c", "src/stablehlo/ops_map.c"}     # formulas with many constants, which would no longer read as such
READ = {"in", "arg", "eqn_in", "of_all_turns", "power", "program_in"}     # look up what is there already
READ |= {"wf_scalar", "wf_float", "wf_int", "wf_bool", "wf_from"}     # known numbers: they come into a program where it uses them


def plain(text):
    # without comments, and with empty texts and characters
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"'(\\.|[^'\\\n])'", "0", text)


def closing(text, i):
    # where the bracket that is open at i closes; the pieces between commas on the way
    depth, start, out = 0, i, []
    while i < len(text):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[start:i])
            start = i + 1
        i += 1
    return i, out + [text[start:i]]


def called(text):
    return re.finditer(r"\b(\w+)\(", text)


files, declared = {}, []
for folder in sys.argv[1:]:
    for name in sorted(os.listdir(folder)):
        if name.endswith((".c", ".h")):
            with open(os.path.join(folder, name)) as f:
                files[os.path.join(folder, name)] = plain(f.read())
for path in ["src/ir/ir.h"] + ["include/" + n for n in sorted(os.listdir("include")) if n.endswith(".h")]:
    with open(path) as f:
        declared.append(plain(f.read()))

known = {}      # (file, or None if all may call it, name) -> what its body calls
home = {}       # such -> its file
adds = set()    # of such, and names without a text
for path, text in files.items():
    for m in re.finditer(r"\b(static\s+(?:inline\s+)?)?(?:Val|wf_tensor)\s+(\w+)\(([^;{]*?)\)\s*\{", text):
        own = path if m.group(1) and path.endswith(".c") else None
        home[own, m.group(2)] = path
        known[own, m.group(2)] = {c.group(1) for c in called(text[m.end():closing(text, m.end())[0]])}
with open("src/op/ops.def") as f:       # b_add and its like are made of the table
    builders = {"b_" + m.group(1) for m in re.finditer(r"^(?:MAP1|MAP2|OP)\((\w+)", f.read(), re.M)}
for text in declared + list(files.values()):
    adds |= {m.group(1) for m in re.finditer(r"\b(?:Val|wf_tensor)\s+(\w+)\(([^;{]*?)\)\s*;", text) if (None, m.group(1)) not in known}
builders |= {m.group(1) for m in re.finditer(r"\bVal\s+(\w+)\(", declared[0])} | {"tensor_op", "tensor_op1", "tensor_call"}
builders |= {"wf_" + m.group(1) for text in declared for m in re.finditer(r"\bWF_(?:UNARY|BINARY)\((\w+)\)", text)}


def is_added(path, name):
    # does a call of that name in that file add equations?
    if name in READ:
        return False
    own = next((k for k in ((path, name), (None, name)) if k in known), name)
    return own in adds or name in builders


more = True
while more:
    more = False
    for key, calls in known.items():
        if key not in adds and key[1] not in READ and any([is_added(home[key], c) for c in calls]):
            adds.add(key)
            more = True

found = 0
for path, text in files.items():
    for m in called(text):
        if path not in LEFT and m.group(1) not in ("if", "while", "for", "switch") and not m.group(1).isupper():    # a macro
            if sum([any([is_added(path, c.group(1)) for c in called(a)]) for a in closing(text, m.end())[1]]) > 1:
                found += 1
                print(f"{path}:{text.count(chr(10), 0, m.start()) + 1}: two arguments of {m.group(1)} add equations")
print(len(files), "files,", len(adds), "functions")
sys.exit(1 if found else 0)
