# fronts.py -- how much of each library there is: the table in docs/fronts.md, and the names that are missing.
#
#   weft run tools/fronts.py [--check]
#
# Reads the names that the libraries have (src/script/namespaces/names.txt, which tools/library_names wrote with the
# libraries), looks each up in Weft's module, and looks for it in what is compared with the library: the calls of
# tools/agree and the scripts whose output is the library's. With --check nothing is written; it fails if
# docs/fronts.md or docs/fronts_missing.md would change.
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
SPACES = TOP + "/src/script/namespaces"
BEGIN, END = "<!-- from tools/fronts.py -->\n", "<!-- to here -->\n"
FOLDERS = {"numpy": ["numpy"], "jax": ["jax"], "torch": ["torch", "jit", "functorch"], "tensorflow": ["tf"], "aesara": ["aesara"]}
CALLS = {"numpy": ["numpy", "arrays"], "jax": ["jax", "arrays"], "torch": ["torch"], "tensorflow": ["tf"], "aesara": []}


def read(path):
    with open(path) as f:
        return f.read()


def words_of(library):
    # identifiers in what is compared with the library
    seen = set()
    for line in read(SPACES + "/calls.txt").split("\n"):
        if line.split(":")[0] in CALLS[library]:
            seen |= set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", line))
    for folder in FOLDERS[library]:
        place = TOP + "/tests/script/" + folder
        for name in sorted(os.listdir(place)):
            if name.endswith(".py"):
                seen |= set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", read(place + "/" + name)))
    return seen


def refusals(library):
    # functions that do nothing but refuse
    out = set()
    for folder, _, files in os.walk(SPACES + "/" + library):
        for name in files:
            if name.endswith(".py"):
                out |= set(re.findall(r"def ([a-z_A-Z0-9]+)\([^\n]*\):\n +raise NotImplementedError", read(folder + "/" + name)))
    return out


def looked_up(path):
    parts = path.split(".")
    x = __import__(parts[0])
    for i in range(1, len(parts)):
        try:
            x = getattr(x, parts[i])
        except AttributeError:
            try:
                x = __import__(".".join(parts[:i + 1]))
            except ImportError:
                return None
    return x


def main():
    rows, missing, words, refused = [], [], {}, {}
    for line in read(SPACES + "/names.txt").split("\n"):
        if line == "" or line.startswith("#"):
            continue
        path, rest = line.split(": ", 1)
        library, names = path.split(".")[0], rest.split(" ")
        if library not in words:
            words[library], refused[library] = words_of(library), refusals(library)
        module = looked_up(path)
        there = [n for n in names if module is not None and hasattr(module, n)]
        no = [n for n in there if n in refused[library]]
        seen = [n for n in there if n in words[library] and n not in no]
        rows.append(f"| `{path}` | {len(names)} | {len(there) - len(no)} | {len(seen)} | {len(no)} |")
        gone = [n for n in names if n not in there]
        if gone:
            missing.append(f"`{path}`: " + ", ".join(gone) + "\n")
    table = "\n".join(["| module | names in the library | here | compared with it | refuse |", "|---|---|---|---|---|"] + rows) + "\n"
    text = read(TOP + "/docs/fronts.md")
    a, b = text.index(BEGIN) + len(BEGIN), text.index(END)
    files = {"/docs/fronts.md": text[:a] + table + text[b:],
             "/docs/fronts_missing.md": "# Names of the libraries that are not here\n\nWritten by `weft run tools/fronts.py`.\n\n" + "\n".join(missing)}
    old = 0
    for path, new in files.items():
        if not os.path.exists(TOP + path) or read(TOP + path) != new:
            old += 1
            if "--check" in sys.argv:
                print(f"{path[1:]} is not up to date: weft run tools/fronts.py")
            else:
                with open(TOP + path, "w") as f:
                    f.write(new)
    return old if "--check" in sys.argv else 0


sys.exit(1 if main() else 0)
