"""gen_ops.py -- a method of Builder for each function of tensors that the public headers declare.

    python gen_ops.py INCLUDE_DIR OUT.c

A function is taken if all its parameters are of kinds that arguments have (see args.c). A pointer with a count behind it is a
list; pointers whose count came first (convolutions, pools) are lists of that length, or None; results are what is returned and
what is pointed to by `wf_tensor *`.
"""
import re
import sys

SKIP = {"wf_from", "wf_from_array", "wf_from_dlpack", "wf_keep", "wf_scope_end_with", "wf_to_device", "wf_tree_tensor",
        "wf_variable", "wf_symbol", "wf_trace_value", "wf_grad_of", "wf_detach", "wf_assign"}
SCALARS = {"wf_tensor": "tensor", "bool": "bool", "double": "double", "int": "int", "int64_t": "int64", "uint64_t": "uint64",
           "wf_dtype": "dtype", "const char *": "text"}
LISTS = {"const int *": "ints", "const int64_t *": "sizes", "const double *": "doubles", "const wf_tensor *": "tensors"}


def split(param):
    m = re.fullmatch(r"(.*?)(\w+)", param.strip(), re.S)
    return " ".join(m.group(1).split()), m.group(2)


def functions(folder):
    for header in ("weft_tensor.h", "weft_keys.h"):
        text = re.sub(r"/\*.*?\*/", "", open(f"{folder}/{header}").read(), flags=re.S)
        for kind, name in re.findall(r"\bWF_(UNARY|BINARY)\((\w+)\)", text):
            if name != "name":
                yield "wf_tensor", "wf_" + name, ["wf_ctx *c", "wf_tensor x"] + ["wf_tensor y"] * (kind == "BINARY")
        text = re.sub(r"^#.*?$", "", text.replace("\\\n", " "), flags=re.M)
        for ret, name, params in re.findall(r"WF_API\s+(wf_tensor|wf_status)\s+(wf_\w+)\(([^;{}]*?)\);", text):
            yield ret, name, params.split(",")


def enums(folder):
    found = set()
    for header in ("weft_tensor.h", "weft_keys.h"):
        found |= set(re.findall(r"typedef enum (wf_\w+)", open(f"{folder}/{header}").read()))
    return found


def method(ret, name, params, kinds):
    """The C of one method, or None."""
    if name in SKIP or not params or split(params[0])[0] != "wf_ctx *":
        return None
    ps = [split(p) for p in params[1:]]
    lines, call, outs, docs, i, k = [], [], [], [], 0, 0
    while i < len(ps):
        t, n = ps[i]
        if t in LISTS:
            group = [(t, n)]
            while i + len(group) < len(ps) and ps[i + len(group)][0] in LISTS:
                group.append(ps[i + len(group)])
            after = ps[i + len(group)] if i + len(group) < len(ps) else (None, None)
            counted = after[0] == "int" and after[1] in ("n", "rank")
            if not counted and len(group) == 1 and t == "const int *":
                lines.append(f"const int *{n} = arg_maybe_int(&s, {k});")
            else:
                count = f"n{k}" if counted else "n"
                if counted:
                    lines.append(f"int {count} = -1;")
                elif ("int", "n") not in ps[:i]:
                    return None
                for j, (lt, ln) in enumerate(group):
                    star = lt if lt.endswith("*") else lt + " "
                    lines.append(f"{star}{ln} = arg_{LISTS[lt]}(&s, {k + j}, &{count});")
            call += [ln for _, ln in group]
            docs += [ln for _, ln in group]
            k += len(group)
            i += len(group)
            if counted:
                call.append(count)
                i += 1
            continue
        if t == "wf_tensor *":
            if n == "out":
                return None
            call.append(f"&o[{len(outs) + (ret == 'wf_tensor')}]")
            outs.append(n)
            i += 1
            continue
        kind = SCALARS.get(t) or ("int" if t in kinds else None)
        if not kind:
            return None
        cast = f"({t})" if t in kinds else ""
        lines.append(f"{t}{'' if t.endswith('*') else ' '}{n} = {cast}arg_{kind}(&s, {k});")
        call.append(n)
        docs.append(n)
        k += 1
        i += 1
    if ret == "wf_status" and not outs:
        return None
    short = name[3:]
    body = [f"static PyObject *op_{short}(PyObject *self, PyObject *const *args_, Py_ssize_t n_)", "{", "    Args s;"]
    total = len(outs) + (ret == "wf_tensor")
    if outs:
        body.append(f"    wf_tensor o[{total}] = {{{', '.join(['{0, 0, 0}'] * total)}}};")
    body += ["", f'    if (!args_begin(&s, self, "{short}", args_, n_, 0, {k}))', "        return NULL;"]
    body += ["    " + line for line in lines]
    what = f"{name}({', '.join(['s.b->cx'] + call)})"
    if not outs:
        body.append(f"    return args_end(&s, s.bad ? WF_NONE : {what});")
    elif ret == "wf_tensor":
        body += ["    if (!s.bad)", f"        o[0] = {what};", f"    return args_end_many(&s, WF_OK, o, {total});"]
    else:
        body += [f"    wf_status st = s.bad ? WF_ERR_ARG : {what};", f"    return args_end_many(&s, st, o, {total});"]
    body.append("}")
    result = " -> (" + ", ".join((["y"] if ret == "wf_tensor" else []) + outs) + ")" if outs else ""
    return "\n".join(body), f"{short}({', '.join(docs)}){result}"


def main(folder, out):
    kinds, seen, rows, bodies = enums(folder), set(), [], []
    for ret, name, params in functions(folder):
        made = None if name in seen else method(ret, name, params, kinds)
        seen.add(name)
        if made:
            bodies.append(made[0])
            short = name[3:]
            rows.append(f'    {{"{short}", (PyCFunction)(void (*)(void))op_{short}, METH_FASTCALL, "{made[1]}"}},')
    with open(out, "w") as f:
        f.write("/* Made by gen_ops.py from the public headers. */\n#include \"weftpy.h\"\n\n")
        f.write("\n\n".join(bodies))
        f.write("\n\nPyMethodDef builder_ops[] = {\n" + "\n".join(rows) + "\n    {NULL, NULL, 0, NULL},\n};\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
