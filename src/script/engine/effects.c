/* effects.c -- programs that print, and that call functions of the script.
 *
 * A program holds a function of the script by a name: CALLBACK_MARK, a number that nobody can guess and that is another in
 * each engine, and the function's number. So a text of a file calls nothing. Functions stay as long as the engine does:
 * nobody knows which programs still hold them.
 */
#include "higher/higher.h"
#include "op/op.h"
#include "script/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

/* ---- lines ------------------------------------------------------------------------- */

/* A value of the print op as a library prints it. */
static const char *print_value(wf_ctx *c, const char *style, const void *nd, Arena *a)
{
    static const struct {
        const char *name;
        wf_style style;
    } styles[] = {{"numpy", WF_STYLE_NUMPY_STR}, {"torch", WF_STYLE_TORCH}};
    const Nd *x = nd;
    const char *text = NULL, *copy = NULL;
    bool item = !strcmp(style, "item");

    /* an array as a format without a specification has it: of no axes, as the Python number */
    if (item && !x->rank && (x->dtype == WF_F32 || x->dtype == WF_F16 || x->dtype == WF_BF16)) {
        Value s = sc_float_repr(c->print_user, element_as_f64(x->dtype, x->data));

        copy = s.tag == T_NIL ? NULL : arena_strdup(a, as_str(s)->s);
        sc_drop(c->print_user, s);
        return copy;
    }
    if (item)
        style = "numpy";
    for (int k = 0; k < COUNT(styles); k++)
        if (!strcmp(styles[k].name, style)) {
            wf_scope_begin(c);
            wf_text(c, wf_from(c, x->dtype, x->dims, (int)x->rank, x->data), styles[k].style,
                    NULL, &text);
            copy = !failed(c) && text ? arena_strdup(a, text) : NULL;
            wf_scope_end(c);
        }
    return copy;
}

static void print_line(void *user, const char *text)
{
    Vm *vm = user;
    Value file = sc_other_stdout(vm);

    if (file.tag != T_NIL) {
        Value s = sc_strf(vm, "%s\n", text), r = s.tag == T_NIL ? NIL : sc_call_method(vm, file, "write", &s, 1);

        sc_drop(vm, s);
        sc_drop(vm, r);
        sc_drop(vm, file);
        return;
    }
    sc_write(vm, text, strlen(text), false);
    sc_write(vm, "\n", 1, false);
}

/* print_now(format, xs): now, or when the program runs. {} is as NumPy prints it; but in
 * PyTorch's front, where it may be a number of the script: there {torch} prints a tensor */
static Value n_print_now(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const Front *f = vm->engine->front;
    const char *format = "", *style = e.f == &f[FRONT_TORCH] ? "" : e.f == &f[FRONT_JAX] ? "item" : "numpy";
    wf_tensor *x;
    Buf b = {.vm = vm};
    Value text;
    int n = 0;

    if (!en_str(&e, a->v[0], &format) || !en_tensors(&e, a->v[1], &x, &n))
        return en_fail(&e);
    for (const char *s = format; *s; s++) { /* {} becomes {style} */
        buf_char(&b, *s);
        if ((s[0] == '{' || s[0] == '}') && s[1] == s[0])
            buf_char(&b, *s++);
        else if (s[0] == '{' && s[1] == '}')
            buf_str(&b, style);
    }
    text = buf_done(&b);
    if (text.tag == T_NIL)
        return en_fail(&e);
    e.c->print_value = print_value;
    e.c->print_line = print_line;
    e.c->print_user = vm;
    wf_print(e.c, as_str(text)->s, x, n);
    sc_drop(vm, text);
    return en_end_value(&e, NONE);
}

/* ---- calls ------------------------------------------------------------------------- */

static Value name_of(Vm *vm, size_t number)
{
    Engine *g = vm->engine;

    return sc_strf(vm, "%c%016llx%016llx.%llu", CALLBACK_MARK, (unsigned long long)g->mark[0],
                   (unsigned long long)g->mark[1], (unsigned long long)number);
}

/* The function of that name; false: it is none of this engine's. */
static bool find_function(Vm *vm, const char *name, ScriptCallee *out)
{
    List *l = vm->engine->called;
    const char *dot = strrchr(name, '.');
    size_t number = dot ? (size_t)strtoull(dot + 1, NULL, 10) : 0;
    Value is;
    bool same;
    Tuple *t;

    if (!l || !dot || number >= (size_t)l->n || (is = name_of(vm, number)).tag == T_NIL)
        return false;
    same = !strcmp(as_str(is)->s, name);
    sc_drop(vm, is);
    if (!same)
        return false;
    t = (Tuple *)(void *)l->v[number].o; /* fn, the number of its front */
    *out = (ScriptCallee){.vm = vm, .front = &vm->engine->front[t->v[1].i], .fn = t->v[0]};
    return true;
}

static void give_results(wf_ctx *c, const Results *y, wf_kernel_value *out, uint32_t n)
{
    if (y->n != n)
        tensor_fail(c, WF_ERR_VALUE, "a function of the script gave %u results, %u were said", y->n, n);
    for (uint32_t j = 0; j < n && !failed(c); j++) {
        const Tensor *t = tensor_get(c, y->v[j], "callback");

        if (t && (t->dtype != out[j].dtype || (int)t->rank != out[j].rank ||
                  memcmp(t->dims, out[j].dims, t->rank * sizeof *t->dims) != 0))
            tensor_fail(c, WF_ERR_TYPE, "result %u of a function of the script has another type than was said", j);
        wf_read(c, y->v[j], out[j].data, (size_t)wf_count(c, y->v[j]) * wf_dtype_size(out[j].dtype));
    }
}

static wf_status call_back(wf_ctx *c, void *user, const char *name, const wf_kernel_value *in, int nin,
                           wf_kernel_value *out, int nout)
{
    Vm *vm = user;
    ScriptCallee k;
    Results y = {0};
    wf_function f;
    wf_tensor *x;

    if (!find_function(vm, name, &k))
        return tensor_fail(c, WF_ERR_NAME, "it calls a function of a script that is not here"), c->status;
    if (!(x = mem_alloc(&c->al, ((size_t)nin + 1) * sizeof *x)))
        return fail_memory(c), c->status;
    wf_scope_begin(c);
    for (int i = 0; i < nin; i++)
        x[i] = wf_from(c, in[i].dtype, in[i].dims, in[i].rank, in[i].data);
    f = en_function(&k, vm, k.front, k.fn, nin, "callback");
    if (!failed(c) && function_call(c, &f, x, &y))
        give_results(c, &y, out, (uint32_t)nout);
    results_free(c, &y);
    wf_scope_end(c);
    mem_free(&c->al, x, ((size_t)nin + 1) * sizeof *x);
    return c->status;
}

/* A place for fn in the engine, and the name that programs have for it: owned. */
static Value keep_function(En *e, Value fn)
{
    Engine *g = e->vm->engine;
    Tuple *t;
    bool ok;

    if (!g->called) {
        if (getrandom(g->mark, sizeof g->mark, 0) != (ssize_t)sizeof g->mark)
            return sc_fail(e->vm, C_OSError, "no random bits: %s", strerror(errno)), NIL;
        if (!(g->called = sc_list(e->vm, 0)))
            return NIL;
    }
    if (!(t = sc_tuple(e->vm, 2)))
        return NIL;
    t->v[0] = sc_ref(fn);
    t->v[1] = v_int(e->f - g->front);
    ok = sc_list_push(e->vm, g->called, v_obj(t));
    obj_drop(e->vm, t);
    return ok ? name_of(e->vm, (size_t)g->called->n - 1) : NIL;
}

/* The types of the results: dtypes, and shapes as one list of sequences. */
static bool read_types(En *e, Value dtypes, Value shapes, HostAttr *to)
{
    Value list[2] = {dtypes, shapes};
    int64_t *v;
    uint32_t at = 0, n;

    for (int k = 0; k < 2; k++)
        if (!sc_is(e->vm, list[k], C_list))
            return sc_fail(e->vm, C_TypeError, "callback: the types are no lists"), false;
    n = (uint32_t)((List *)(void *)dtypes.o)->n;
    if (((List *)(void *)shapes.o)->n != n || n > UINT16_MAX)
        return sc_fail(e->vm, C_ValueError, "callback: not as many shapes as dtypes"), false;
    if (!(v = en_alloc(e, ((size_t)n * (WF_MAX_RANK + 2) + 1) * sizeof *v)))
        return false;
    to->dtypes = (Ints){n, v};
    to->ranks = (Ints){n, v + n};
    to->dims = (Ints){0, v + 2 * n};
    for (uint32_t j = 0; j < n; j++) {
        wf_dtype d = WF_F32;
        int rank = 0;

        if (!en_dtype(e, ((List *)(void *)dtypes.o)->v[j], &d) ||
            !en_shape(e, ((List *)(void *)shapes.o)->v[j], v + 2 * n + at, &rank))
            return false;
        v[j] = d;
        v[n + j] = rank;
        at += (uint32_t)rank;
    }
    to->dims.n = at;
    return true;
}

/* callback(fn, xs, dtypes, shapes, effect, batch): what fn, given xs, returns when the program runs: tensors of these types.
 * effect: it is called whoever uses them. batch: "loop", "lead", "single", "none" */
static Value n_callback(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    HostAttr attr = {0};
    wf_tensor *x, *y;
    const char *batch = "loop";
    bool effect = true;
    Value name;
    int n = 0;

    if (!en_tensors(&e, a->v[1], &x, &n) || !read_types(&e, a->v[2], a->v[3], &attr) ||
        !en_bool(&e, a->v[4], &effect) || !en_str(&e, a->v[5], &batch) ||
        !(y = en_alloc(&e, (attr.dtypes.n + 1u) * sizeof *y)) || (name = keep_function(&e, a->v[0])).tag == T_NIL)
        return en_fail(&e);
    attr.kernel = as_str(name)->s;
    attr.alone = !strcmp(batch, "none");
    attr.single = !strcmp(batch, "single");
    attr.leading = attr.single || !strcmp(batch, "lead");
    e.c->call_back = call_back;
    e.c->call_user = vm;
    tensor_op(e.c, effect ? OP_callback : OP_host, x, (uint32_t)n, &attr, y, attr.dtypes.n);
    sc_drop(vm, name);
    for (uint32_t j = 0; j < attr.dtypes.n && !failed(e.c); j++)
        tensor_get(e.c, y[j], "callback")->weak = false; /* it has the type that was said */
    return en_end_list(&e, y, failed(e.c) ? 0 : (int)attr.dtypes.n);
}

void effects_end(Vm *vm)
{
    if (vm->engine->called)
        obj_drop(vm, vm->engine->called);
    if (vm->cx->print_user == vm) {
        vm->cx->print_value = NULL;
        vm->cx->print_line = NULL;
        vm->cx->print_user = NULL;
    }
    if (vm->cx->call_user == vm) {
        vm->cx->call_back = NULL;
        vm->cx->call_user = NULL;
    }
}

const NativeDef engine_effects[] = {
    {"print_now", n_print_now, "format,xs"},
    {"callback", n_callback, "fn,xs,dtypes,shapes,effect,batch"},
    {0},
};
