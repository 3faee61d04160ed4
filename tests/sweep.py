# sweep.py -- from the preprocessed public headers to C: one caller for each function, which takes its arguments
# from test_sweep.c's pick_ functions, one for each type. Run by weft itself.
#
#   weft run tests/sweep.py HEADER.i > sweep_calls.h
import sys

# What a caller must promise and this cannot: memory of the right size behind a pointer, a handle not used again.
# test_sweep.c calls each by hand, with arguments that promise nothing.
LEFT_OUT = {
    "wf_memory": "the old block must be the allocator's",
    "wf_array_wrap": "strides are the caller's word",
    "wf_array_wrap_const": "strides are the caller's word",
    "wf_from_dlpack": "the struct is the producer's word",
    "wf_array_from_dlpack": "the struct is the producer's word",
    "wf_array_from_dlpack_versioned": "the struct is the producer's word",
    "wf_nn_sequential": "variadic",
    "wf_nn_list": "variadic",
    "wf_machine_speed": "takes a second",
    "wf_script_run": "runs a file",
    "wf_script_run_module": "runs a file",
    "wf_script_programs": "runs a file",
    "wf_ctx_free": "the context of the test",
}
# Functions that take a context and need not notice that another thread is in it.
ANY_THREAD = ["wf_cancel"]
PLAIN = ["wf_size_"]    # of plain numbers they are arithmetic
BORROWED = ["wf_model_method_state"]
MANY = ["const int64_t *", "int64_t *", "const int *", "const wf_tensor *", "wf_tensor *", "const char *const *", "wf_array *const *",
        "wf_tree *const *", "const double *", "double *", "const wf_index *", "const _Bool *", "void *", "const void *",
        "wf_array **", "const void *const *"]
COUNTS = ["int", "int64_t", "size_t"]
RELEASE = {"wf_array **": "wf_array_release", "const wf_program **": "wf_program_release", "wf_exec **": "wf_exec_release",
           "wf_event **": "wf_event_free",
           "wf_model **": "wf_model_free", "wf_profile **": "wf_profile_free", "wf_generator **": "wf_generator_free",
           "wf_runner **": "wf_runner_free", "wf_prompt **": "wf_prompt_free"}
RELEASE_WITH = {"wf_tree **": "wf_tree_free", "wf_jit **": "wf_jit_free", "wf_jit_tree **": "wf_jit_tree_free",
                "wf_record **": "wf_record_free", "wf_session **": "wf_session_free", "wf_graph **": "wf_graph_free"}


def arguments(text):
    out, depth, now = [], 0, ""
    for ch in text:
        depth += (ch == "(") - (ch == ")")
        if ch == "," and depth == 0:
            out.append(now.strip())
            now = ""
        else:
            now += ch
    if now.strip() and now.strip() != "void":
        out.append(now.strip())
    return out


def split(arg):
    # type and name of one
    if "(*" in arg:
        name = arg[arg.index("(*") + 2:]
        return "fn " + name[:name.index(")")], name[:name.index(")")]
    i = len(arg)
    while i > 0 and (arg[i - 1].isalnum() or arg[i - 1] == "_"):
        i -= 1
    return " ".join(arg[:i].split()), arg[i:]


def mangle(t):
    return t.replace("*", "p").replace(" ", "_")


def functions(text):
    for part in " ".join(text.split()).split(";"):
        mark = '__attribute__((visibility("default")))'
        if mark in part:
            part = part[part.index(mark) + len(mark):].strip()
            i = j = part.index("(")
            while part[j - 1].isalnum() or part[j - 1] == "_":
                j -= 1
            yield part[:j].strip(), part[j:i], arguments(part[i + 1:part.rindex(")")])


names = []
for ret, name, args in functions(open(sys.argv[1]).read()):
    if name in LEFT_OUT:
        continue
    lines, call, free, before = [], [], [], ""
    for k, a in enumerate(args):
        t, n = split(a)
        pick = f"pick_{mangle(t)}(s)"
        if t in COUNTS and before in MANY:
            pick = f"({t})pick_count(s, a{k - 1})"
        elif t == "size_t" and before == "const char *":
            pick = f"a{k - 1} ? strlen(a{k - 1}) : 0"
        elif t == "size_t" and n == "data_size":
            pick = "16"
        if t.startswith("fn "):
            lines.append(f"    Fn_{t[3:]} *a{k} = {pick.replace('pick_fn_', 'pick_')};")
        elif t == "wf_array **" and n == "out":
            lines += [f"    wf_array *o{k}[ROOM] = {{0}};", f"    wf_array **a{k} = skip(s) ? NULL : o{k};"]
            if name not in BORROWED:
                free.append(f"    for (int i = 0; i < ROOM; i++)\n        wf_array_release(o{k}[i]);")
        elif t in RELEASE or t in RELEASE_WITH:
            lines += [f"    {t[:-1].strip()}o{k} = NULL;", f"    {t}a{k} = skip(s) ? NULL : &o{k};"]
            free.append(f"    {RELEASE[t]}(o{k});" if t in RELEASE else f"    {RELEASE_WITH[t]}(s->c, o{k});")
        else:
            lines.append(f"    {t}{'' if t.endswith('*') else ' '}a{k} = {pick};")
        call.append(f"a{k}")
        before = t
    print(f"static void call_{name}(Sweep *s)\n{{")
    for line in lines:
        print(line)
    context = [f"a{k}" for k, a in enumerate(args) if split(a)[0] == "wf_ctx *"]
    if name in ANY_THREAD or any([name.startswith(p) for p in PLAIN]):
        context = []
    if context:
        print(f"    before_call(s, {context[0]});")
    made = f"{name}({', '.join(call)})"
    print(f"    see_tensor(s, {made});" if ret == "wf_tensor" else f"    {'' if ret == 'void' else '(void)'}{made};")
    if context:
        print(f"    after_call(s, {context[0]});")
    for line in free:
        print(line)
    print("    (void)s;\n}\n")
    names.append(name)
print("static const struct { const char *name; void (*call)(Sweep *s); } sweep_calls[] = {")
for n in names:
    print(f'    {{"{n}", call_{n}}},')
print("};")
print("#define SWEEP_LEFT_OUT " + ", ".join([f'"{n}"' for n in LEFT_OUT]))
