/* public.c -- scripts through weft.h. */
#include "ast.h"

#include <stdio.h>

/* What sys.exit was given: a status, or a text for standard error and status 1. */
int sc_exit_code(Vm *vm)
{
    Tuple *t = (Tuple *)vm->exit->args.o;
    Value v = t->n ? t->v[0] : NONE, s;

    if (v.tag == T_NONE)
        return 0;
    if (v.tag == T_INT || v.tag == T_BOOL)
        return (int)(v.i & 255);
    s = sc_to_str(vm, v);
    if (s.tag != T_NIL) {
        sc_write(vm, as_str(s)->s, as_str(s)->n, true);
        sc_write(vm, "\n", 1, true);
    }
    sc_drop(vm, s);
    return 1;
}

/* Where the host takes what is printed; errors go to standard error. */
static void write_to_host(void *user, const char *s, size_t n, bool err)
{
    const wf_options *o = user;

    if (err)
        fwrite(s, 1, n, stderr);
    else
        o->print(o->print_user, s, n);
}

VmOptions sc_host_options(wf_ctx *cx, int argc, char **argv)
{
    VmOptions opt = {.argc = argc, .argv = argv};

    if (cx->options.print) {
        opt.write = write_to_host;
        opt.write_user = &cx->options;
    }
    return opt;
}

static wf_status run_main(wf_ctx *cx, const char *what, const char *path, const char *module,
                          int argc, char **argv, int *out_exit)
{
    VmOptions opt;
    Vm *vm;

    if (out_exit)
        *out_exit = 0;
    if (failed(cx))
        return ctx_status(cx);
    if (!(path || module) || argc < 0 || (argc && !argv)) {
        fail(cx, WF_ERR_ARG, NOWHERE, "%s must not be NULL", what);
        return ctx_status(cx);
    }
    opt = sc_host_options(cx, argc, argv);
    vm = sc_vm_new(cx, &opt);
    if (!vm)
        return ctx_status(cx);
    if (module)
        sc_run_module(vm, module);
    else
        sc_run_file(vm, path);
    if (vm->exit && out_exit)
        *out_exit = sc_exit_code(vm);
    sc_flush(vm);
    sc_vm_free(vm);
    return ctx_status(cx);
}

wf_status wf_script_run(wf_ctx *cx, const char *path, int argc, char **argv, int *out_exit)
{
    return run_main(cx, "wf_script_run: path and argv", path, NULL, argc, argv, out_exit);
}

wf_status wf_script_run_module(wf_ctx *cx, const char *name, int argc, char **argv, int *out_exit)
{
    return run_main(cx, "wf_script_run_module: name and argv", NULL, name, argc, argv, out_exit);
}

static void write_errors(void *user, const char *s, size_t n, bool err)
{
    (void)user;
    if (err)
        fwrite(s, 1, n, stderr);
}

wf_status wf_script_programs(wf_ctx *cx, const char *path, int argc, char **argv,
                             wf_model **out_programs)
{
    VmOptions opt = {.argc = argc, .argv = argv, .write = write_errors};
    Vm *vm;

    if (out_programs)
        *out_programs = NULL;
    if (failed(cx))
        return ctx_status(cx);
    if (!path || !out_programs || argc < 0 || (argc && !argv)) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_script_programs: an argument is NULL");
        return ctx_status(cx);
    }
    if (wf_model_new(cx, &opt.programs) != WF_OK)
        return ctx_status(cx);
    vm = sc_vm_new(cx, &opt);
    if (vm) {
        sc_run_file(vm, path);
        sc_vm_free(vm);
    }
    if (failed(cx))
        wf_model_free(opt.programs);
    else
        *out_programs = opt.programs;
    return ctx_status(cx);
}

static const FuncDef *find_def(const AstList *l, const char *name)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->v[i]->kind == S_DEF && strcmp(l->v[i]->def->name, name) == 0)
            return l->v[i]->def;
    return NULL;
}

static wf_status print_unit(wf_ctx *cx, const Unit *u, const char *name, const char **out)
{
    API_ENTER(cx);
    Text t;
    const FuncDef *d = name ? find_def(&u->body, name) : NULL;

    text_init(&t, &cx->sources_arena);
    if (name && !d)
        fail(cx, WF_ERR_NAME, NOWHERE, "%s: there is no function '%s'", u->file, name);
    else if (d)
        ast_print_def(d, &t);
    else
        ast_print_stmts(&u->body, &t);
    *out = text_str(&t);
    API_RETURN(cx);
}

wf_status wf_script_tree(wf_ctx *cx, const char *file, const char *text, size_t size,
                         const char *name, const char **out_text)
{
    Vm *vm;
    Unit *u;

    if (out_text)
        *out_text = NULL;
    if (failed(cx))
        return ctx_status(cx);
    if (!file || !text || !out_text) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_script_tree: an argument is NULL");
        return ctx_status(cx);
    }
    vm = sc_vm_new(cx, NULL);
    if (!vm)
        return ctx_status(cx);
    u = sc_compile_unit(vm, file, text, size);
    if (u) {
        print_unit(cx, u, name, out_text);
        unit_release(u);
    } else {
        sc_report(vm);
    }
    sc_vm_free(vm);
    return ctx_status(cx);
}

wf_status wf_script_check(wf_ctx *cx, const char *file, const char *text, size_t size)
{
    Vm *vm;
    Unit *u;

    if (failed(cx))
        return ctx_status(cx);
    if (!file || !text) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_script_check: an argument is NULL");
        return ctx_status(cx);
    }
    vm = sc_vm_new(cx, NULL);
    if (!vm)
        return ctx_status(cx);
    u = sc_compile_unit(vm, file, text, size);
    if (u)
        unit_release(u);
    else
        sc_report(vm);
    sc_vm_free(vm);
    return ctx_status(cx);
}
