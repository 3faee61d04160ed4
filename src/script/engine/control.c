/* control.c -- natives that take functions of the script: derivatives, batches, control flow,
 * rules of one's own; and what talks over a named axis.
 *
 * A function of the script gets tensors and gives a list of tensors, all flat: trees,
 * static arguments and auxiliary results are the libraries' work, in namespaces/.
 *
 *   record(fn, xs)                         fn run once, to be derived many times: .results,
 *                                          .vjp(gys) with None for no cotangent, .jvp(dxs)
 *   vmap(fn, xs, axes, name)               axes: None for what is not mapped
 *   cond(index, fns, xs)  while_loop(cond, body, xs)  scan(body, carries, xs, length, reverse)
 *   checkpoint(fn, xs, keep_dots)
 *   spmd(fn, xs, mesh, in_specs, out_specs, check)
 *   custom_jvp(slot, fn, rule, xs)  custom_vjp(slot, fn, forward, backward, xs)
 *
 * An exception in such a function travels through the tensor library as an error without a
 * message of its own, and goes on where the native returns.
 */
#include "op/mesh.h"
#include "script/engine/engine.h"

#include <stdlib.h>

/* ---- functions of the script as functions of tensors ------------------------------- */

static Tuple *boxed(En *e, const wf_tensor *in, int n)
{
    Tuple *t = sc_tuple(e->vm, n);

    for (int i = 0; t && i < n; i++)
        if ((t->v[i] = en_box(e, in[i])).tag == T_NIL) {
            obj_drop(e->vm, t);
            t = NULL;
        }
    return t;
}

/* The call of a wf_function whose results are WF_ANY. */
static wf_status call_script(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    ScriptCallee *k = user;
    Vm *vm = k->vm;
    const wf_semantics *means = c->semantics; /* natives of other fronts change both */
    Place place = c->tensors->place;
    En e = en_begin_front(vm, k->front);
    Tuple *args = boxed(&e, in, nin);
    Value r = args ? sc_call(vm, k->fn, args->v, nin) : NIL;
    wf_tensor *y = NULL;
    int n = 0;

    (void)out, (void)nout;
    if (r.tag != T_NIL && en_tensors(&e, r, &y, &n))
        wf_give(c, y, n);
    sc_drop(vm, r);
    if (args)
        obj_drop(vm, args);
    if (sc_failed(vm) && !failed(c))
        tensor_fail(c, WF_ERR_VALUE, "an exception in a function of the script");
    en_close(&e, y, failed(c) ? 0 : n);
    c->semantics = means;
    c->tensors->place = place;
    return wf_ctx_status(c);
}

static wf_function function_of(ScriptCallee *k, const char *name)
{
    return (wf_function)WF_FUNCTION(call_script, k, k->n, WF_ANY, name);
}

static ScriptCallee call_of(En *e, Value fn, int n)
{
    return (ScriptCallee){.vm = e->vm, .front = e->f, .fn = fn, .n = n};
}

wf_function en_function(ScriptCallee *k, Vm *vm, Front *f, Value fn, int inputs, const char *name)
{
    *k = (ScriptCallee){.vm = vm, .front = f, .fn = fn, .n = inputs};
    return function_of(k, name);
}

/* The results that a function of functions has left. */
static Value given(En *e)
{
    int n = 0;
    const wf_tensor *v;
    wf_tensor *copy;

    if (failed(e->c) || sc_failed(e->vm))
        return en_fail(e);
    v = wf_given(e->c, &n);
    copy = en_alloc(e, ((size_t)n + 1) * sizeof *copy); /* boxing may run other calls */
    if (!copy)
        return en_fail(e);
    if (n)
        memcpy(copy, v, (size_t)n * sizeof *copy);
    return en_end_list(e, copy, n);
}

/* ---- records ----------------------------------------------------------------------- */

typedef struct RecordObj {
    GcObj h;
    Dict *attrs;
    wf_record *r;
    Front *front;
    Value results; /* a list */
    int nx;
    bool traced;
} RecordObj;

static RecordObj *as_record(Value v) { return (RecordObj *)(void *)v.o; }

static void record_destroy(Vm *vm, Obj *o)
{
    RecordObj *r = (RecordObj *)(void *)o;

    wf_record_free(vm->cx, r->r);
    r->r = NULL;
    sc_put(vm, &r->results, NIL);
    if (r->attrs)
        obj_drop(vm, r->attrs);
    r->attrs = NULL;
}

static void record_visit(Obj *o, VisitFn fn, void *user)
{
    RecordObj *r = (RecordObj *)(void *)o;

    fn(r->results, user);
    if (r->attrs)
        fn(v_obj(r->attrs), user);
}

/* record(fn, xs): what is recorded although the script said no_grad outside */
static Value n_record(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *in;
    int n = 0, *wrt;
    ScriptCallee k;
    bool traced = false;
    wf_function f;
    RecordObj *r;
    Value results;

    if (!en_tensors(&e, a->v[1], &in, &n) ||
        !(wrt = en_alloc(&e, (size_t)n * sizeof *wrt)))
        return en_fail(&e);
    for (int i = 0; i < n; i++)
        wrt[i] = i;
    if (!(r = sc_gc_new(vm, vm->engine->record, sizeof *r)))
        return en_fail(&e);
    r->front = e.f;
    r->results = NIL;
    r->nx = n;
    if (!en_bool(&e, a->v[2], &traced)) {
        obj_drop(vm, r);
        return en_fail(&e);
    }
    r->traced = e.c->tensors->trace || traced;
    k = call_of(&e, a->v[0], n);
    f = function_of(&k, "f");
    derive_record(e.c, &f, in, n, wrt, n, traced, NULL, 0, &r->r);
    results = given(&e); /* closes the scope */
    if (results.tag == T_NIL) {
        obj_drop(vm, r);
        return NIL;
    }
    r->results = results;
    return v_obj(r);
}

/* recorders(): how many derivatives are being taken around this call */
static Value n_recorders(Vm *vm, const Args *a)
{
    (void)a;
    return v_int(__builtin_popcountll(vm->cx->tensors->recorders & ~(uint64_t)1));
}

/* vjp(gys): one for each result; None: no cotangent */
static Value record_vjp(Vm *vm, const Args *a)
{
    RecordObj *r = as_record(a->v[0]);
    En e = en_begin_front(vm, r->front);
    List *ys = (List *)(void *)r->results.o;
    Tuple *t = sc_tuple_from(vm, a->v[1]);
    wf_tensor *gy, *gx;
    bool ok = t != NULL;

    if (ok && t->n != ys->n)
        ok = sc_fail(vm, C_ValueError, "%lld cotangents for %lld results", (long long)t->n,
                     (long long)ys->n);
    gy = ok ? en_alloc(&e, ((size_t)ys->n + 1) * sizeof *gy) : NULL;
    gx = gy ? en_alloc(&e, ((size_t)r->nx + 1) * sizeof *gx) : NULL;
    ok = gx != NULL;
    for (int64_t j = 0; ok && j < ys->n; j++) {
        gy[j] = WF_NONE;
        if (t->v[j].tag != T_NONE)
            ok = en_tensor(&e, t->v[j], &gy[j]);
        else if (r->traced)
            gy[j] = wf_zeros_like(e.c, as_tensor(ys->v[j])->t);
    }
    if (ok)
        wf_record_vjp(e.c, r->r, gy, (int)ys->n, gx, r->nx);
    if (t)
        obj_drop(vm, t);
    return ok ? en_end_list(&e, gx, r->nx) : en_fail(&e);
}

static Value record_jvp(Vm *vm, const Args *a)
{
    RecordObj *r = as_record(a->v[0]);
    En e = en_begin_front(vm, r->front);
    int n = 0, ny = wf_record_results(r->r);
    wf_tensor *dx, *dy;

    if (!en_tensors(&e, a->v[1], &dx, &n) ||
        !(dy = en_alloc(&e, ((size_t)ny + 1) * sizeof *dy)))
        return en_fail(&e);
    if (n != r->nx) {
        sc_fail(vm, C_ValueError, "%d tangents for %d arguments", n, r->nx);
        return en_fail(&e);
    }
    wf_record_jvp(e.c, r->r, dx, n, dy, ny);
    return en_end_list(&e, dy, ny);
}

static Value record_results(Vm *vm, Value self)
{
    (void)vm;
    return sc_ref(as_record(self)->results);
}

static const NativeDef record_methods[] = {
    {"vjp", record_vjp, "self,gys"}, {"jvp", record_jvp, "self,dxs"}, {0}};
static const PropertyDef record_properties[] = {{"results", record_results, NULL}, {0}};
const ClassDef en_record_def = {
    .name = "Record", .size = sizeof(RecordObj), .attrs_at = offsetof(RecordObj, attrs),
    .sealed = true, .destroy = record_destroy, .visit = record_visit,
    .methods = record_methods, .properties = record_properties,
};

/* ---- vmap -------------------------------------------------------------------------- */

/* vmap(fn, xs, axes, name=None, once=False): the batch comes first in every result; once: but in those that are the
 * same for every slice, which have none */
static Value n_vmap(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *in;
    int n = 0, *axes;
    const char *name = NULL;
    Tuple *t = NULL;
    ScriptCallee k;
    wf_function f;
    bool once = false;
    bool ok = en_tensors(&e, a->v[1], &in, &n) && en_str(&e, a->v[3], &name) && en_bool(&e, a->v[4], &once) &&
              (t = sc_tuple_from(vm, a->v[2])) != NULL &&
              (axes = en_alloc(&e, ((size_t)n + 1) * sizeof *axes)) != NULL;

    if (ok && t->n != n)
        ok = sc_fail(vm, C_ValueError, "vmap: %lld axes for %d arguments", (long long)t->n, n);
    for (int i = 0; ok && i < n; i++) {
        int64_t x = 0;

        axes[i] = WF_UNMAPPED;
        if (t->v[i].tag != T_NONE && (ok = sc_to_int(vm, t->v[i], &x)))
            axes[i] = (int)(x < -1000 ? -1000 : x > 1000 ? 1000 : x);
    }
    if (t)
        obj_drop(vm, t);
    if (!ok)
        return en_fail(&e);
    k = call_of(&e, a->v[0], n);
    f = function_of(&k, "f");
    wf_vmap_call(e.c, &f, in, axes, n, once ? &(int){WF_UNMAPPED} : NULL, name, NULL, 0);
    return given(&e);
}

/* ---- control flow ------------------------------------------------------------------ */

/* cond(index, fns, xs) */
static Value n_cond(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor index, *in;
    int n = 0;
    Tuple *t = NULL;
    ScriptCallee *k = NULL;
    wf_function *f = NULL;
    Value v;

    if (!en_tensor(&e, a->v[0], &index) || !en_tensors(&e, a->v[2], &in, &n) ||
        !(t = sc_tuple_from(vm, a->v[1])) ||
        !(k = en_alloc(&e, ((size_t)t->n + 1) * sizeof *k)) ||
        !(f = en_alloc(&e, ((size_t)t->n + 1) * sizeof *f))) {
        if (t)
            obj_drop(vm, t);
        return en_fail(&e);
    }
    for (int64_t i = 0; i < t->n; i++) {
        k[i] = call_of(&e, t->v[i], n);
        f[i] = function_of(&k[i], "branch");
    }
    wf_cond_call(e.c, index, f, (int)t->n, in, n, NULL, 0);
    v = given(&e);
    obj_drop(vm, t);
    return v;
}

/* while_loop(cond, body, xs) */
static Value n_while_loop(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *in;
    int n = 0;
    int64_t bound = WF_UNBOUNDED;
    ScriptCallee k[2];
    wf_function f[2];

    if (!en_tensors(&e, a->v[2], &in, &n) || !en_int(&e, a->v[3], &bound))
        return en_fail(&e);
    for (int i = 0; i < 2; i++) {
        k[i] = call_of(&e, a->v[i], n);
        f[i] = function_of(&k[i], i ? "body" : "cond");
    }
    wf_while_call(e.c, &f[0], &f[1], in, n, bound, NULL, 0);
    return given(&e);
}

/* scan(body, carries, xs, length=None, reverse=False): carries, then rows */
static Value n_scan(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *carry, *xs, *in;
    int nc = 0, nx = 0;
    int64_t length = WF_UNBOUNDED;
    bool reverse = false;
    ScriptCallee k;
    wf_function f;

    if (!en_tensors(&e, a->v[1], &carry, &nc) || !en_tensors(&e, a->v[2], &xs, &nx) ||
        !en_size(&e, a->v[3], &length) || !en_bool(&e, a->v[4], &reverse) ||
        !(in = en_alloc(&e, ((size_t)nc + (size_t)nx + 1) * sizeof *in)))
        return en_fail(&e);
    if (nc)
        memcpy(in, carry, (size_t)nc * sizeof *in);
    if (nx)
        memcpy(in + nc, xs, (size_t)nx * sizeof *in);
    k = call_of(&e, a->v[0], nc + nx);
    f = function_of(&k, "body");
    wf_scan_call(e.c, &f, nc, in, nc + nx, length, reverse, NULL, 0);
    return given(&e);
}

/* checkpoint(fn, xs, keep_dots=False) */
static Value n_checkpoint(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *in;
    int n = 0;
    bool dots = false;
    ScriptCallee k;
    wf_function f;

    if (!en_tensors(&e, a->v[1], &in, &n) || !en_bool(&e, a->v[2], &dots))
        return en_fail(&e);
    k = call_of(&e, a->v[0], n);
    f = function_of(&k, "f");
    wf_checkpoint_call(e.c, &f, in, n, dots, NULL, 0);
    return given(&e);
}

/* ---- derivative rules of one's own ------------------------------------------------- */

/* What tells one function with rules from another: a rule that calls its own function is
 * known by it. Holds the call that is under way. */
typedef struct SlotObj {
    GcObj h;
    Dict *attrs;
    ScriptCallee call;
} SlotObj;

static void slot_destroy(Vm *vm, Obj *o)
{
    SlotObj *s = (SlotObj *)(void *)o;

    if (s->attrs)
        obj_drop(vm, s->attrs);
    s->attrs = NULL;
}

static void slot_visit(Obj *o, VisitFn fn, void *user)
{
    if (((SlotObj *)(void *)o)->attrs)
        fn(v_obj(((SlotObj *)(void *)o)->attrs), user);
}

static Value slot_make(Vm *vm, Class *cls, const Args *a)
{
    (void)a;
    return v_obj((SlotObj *)sc_gc_new(vm, cls, sizeof(SlotObj)));
}

const ClassDef slot_def = {
    .name = "Slot", .size = sizeof(SlotObj), .attrs_at = offsetof(SlotObj, attrs),
    .sealed = true, .make = slot_make, .make_params = "", .destroy = slot_destroy,
    .visit = slot_visit,
};

/* custom_jvp(slot, fn, rule, xs), custom_vjp(slot, fn, forward, backward, xs) */
static Value custom(Vm *vm, const Args *a, int nrules)
{
    En e = en_begin(vm, a);
    wf_tensor *in;
    int n = 0;
    SlotObj *slot = (SlotObj *)(void *)a->v[0].o;
    ScriptCallee k[2], outer;
    wf_function f, rule[2];
    Value v;

    if (a->v[0].tag != T_OBJ || a->v[0].o->cls != vm->engine->slot) {
        sc_fail(vm, C_TypeError, "needs a Slot");
        return en_fail(&e);
    }
    if (!en_tensors(&e, a->v[2 + nrules], &in, &n))
        return en_fail(&e);
    outer = slot->call; /* a rule that calls its own function comes here again */
    slot->call = call_of(&e, a->v[1], n);
    f = function_of(&slot->call, "f");
    k[0] = call_of(&e, a->v[2], n);
    k[1] = call_of(&e, nrules > 1 ? a->v[3] : NIL, 0);
    rule[0] = function_of(&k[0], nrules > 1 ? "forward" : "rule");
    rule[1] = function_of(&k[1], "backward");
    if (nrules == 1) {
        for (int i = 0; i < n; i++) /* tangents of floats */
            k[0].n += dtype_is_differentiable(wf_dtype_of(e.c, in[i]));
        rule[0].inputs = k[0].n;
        wf_custom_jvp_call(e.c, &f, &rule[0], in, n, NULL, 0);
    } else {
        rule[1].inputs = WF_ANY;
        wf_custom_vjp_call(e.c, &f, &rule[0], &rule[1], in, n, NULL, 0);
    }
    v = given(&e);
    slot->call = outer;
    return v;
}
static Value n_custom_jvp(Vm *vm, const Args *a) { return custom(vm, a, 1); }
static Value n_custom_vjp(Vm *vm, const Args *a) { return custom(vm, a, 2); }

/* ---- over a named axis ------------------------------------------------------------- */

#define MOST_ROWS 4096 /* of groups and pairs */

/* op(x, axis, .. groups, parts) with what else the attribute has; from: where groups stand among the arguments */
static Value over_axis(Vm *vm, const Args *a, OpCode op, CollectiveAttr *like, int from)
{
    En e = en_begin(vm, a);
    wf_tensor x = WF_NONE;
    int64_t *v = en_alloc(&e, 2 * MOST_ROWS * sizeof *v);
    int n = 0, m = 0;

    if (!v || !en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &like->axis) ||
        !en_ints(&e, a->v[from], v, &n, MOST_ROWS) ||
        (op != OP_ppermute && !en_ints(&e, a->v[from + 1], v + MOST_ROWS, &m, MOST_ROWS)))
        return en_fail(&e);
    if (op == OP_ppermute) {
        like->perm = (Ints){(uint32_t)n, v};
    } else {
        like->groups = (Ints){(uint32_t)n, v};
        like->parts = (Ints){(uint32_t)m, v + MOST_ROWS};
    }
    return en_end(&e, collective_op(e.c, op, x, like, op_name(op)));
}

static Value reduced(Vm *vm, const Args *a, OpCode op)
{
    return over_axis(vm, a, op, &(CollectiveAttr){0}, 2);
}
static Value n_psum(Vm *vm, const Args *a) { return reduced(vm, a, OP_psum); }
static Value n_pmax(Vm *vm, const Args *a) { return reduced(vm, a, OP_pmax); }
static Value n_pmin(Vm *vm, const Args *a) { return reduced(vm, a, OP_pmin); }

static Value n_ppermute(Vm *vm, const Args *a) /* pairs: source, target, source, target .. */
{
    return over_axis(vm, a, OP_ppermute, &(CollectiveAttr){0}, 2);
}

/* With axes that are counted from 0, and are there. */
static Value n_all_gather(Vm *vm, const Args *a)
{
    CollectiveAttr like = {.inv = a->v[5].tag == T_BOOL && a->v[5].i};

    return sc_to_int(vm, a->v[2], &like.at) ? over_axis(vm, a, OP_all_gather, &like, 3) : NIL;
}

static Value n_reduce_scatter(Vm *vm, const Args *a)
{
    CollectiveAttr like = {0};

    return sc_to_int(vm, a->v[2], &like.at) ? over_axis(vm, a, OP_reduce_scatter, &like, 3) : NIL;
}

static Value n_all_to_all(Vm *vm, const Args *a)
{
    CollectiveAttr like = {0};

    return sc_to_int(vm, a->v[2], &like.at) && sc_to_int(vm, a->v[3], &like.to)
               ? over_axis(vm, a, OP_all_to_all, &like, 4)
               : NIL;
}

static Value n_pvary(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    CollectiveAttr like = {0};

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &like.axis))
        return en_fail(&e);
    return en_end(&e, collective_op(e.c, OP_pvary, x, &like, "pvary"));
}

static Value n_axis_index(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *axis = NULL;

    return en_str(&e, a->v[0], &axis) ? en_end(&e, wf_axis_index(e.c, axis)) : en_fail(&e);
}

/* shard(x, mesh, spec) */
static Value n_shard(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    ShardAttr s = {"", ""};

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &s.mesh) || !en_str(&e, a->v[2], &s.spec))
        return en_fail(&e);
    return en_end(&e, tensor_op1(e.c, OP_shard, &x, 1, &s));
}

/* layout(x): what set_layout said of it, or what followed for it; None: nothing */
static Value n_layout(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    const Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !(t = tensor_get(e.c, x, "layout")))
        return en_fail(&e);
    return en_end_value(&e, t->layout ? v_obj(sc_str(vm, layout_text(e.c, t->layout))) : NONE);
}

/* set_layout(x, "WHICH|MESH|SPEC" or None) */
static Value n_set_layout(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    const char *text = NULL;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &text) ||
        !(t = tensor_get(e.c, x, "layout")))
        return en_fail(&e);
    t->layout = text ? layout_intern(e.c, text) : 0;
    return en_end_value(&e, NONE);
}

/* default_layout("~WHICH||" or None): of what natives give from now on and nothing else is said of */
static Value n_default_layout(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *text = NULL;

    if (!en_str(&e, a->v[0], &text))
        return en_fail(&e);
    e.f->lies = text ? layout_intern(e.c, text) : 0;
    return en_end_value(&e, NONE);
}

/* lenient(on): layouts that are a part of types refuse nothing from now on, or as before */
static Value n_lenient(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    uint32_t *depth = &e.c->tensors->lenient;
    bool on;

    if (!sc_to_bool(vm, a->v[0], &on))
        return en_fail(&e);
    if (on || *depth)
        *depth += on ? 1u : UINT32_MAX;
    return en_end_value(&e, NONE);
}

/* axis_kind(axis): who binds it: "vmap", "mesh", "checked"; None: nobody */
static Value n_axis_kind(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *axis = NULL;
    const TraceAxis *by = NULL;

    if (!en_str(&e, a->v[0], &axis))
        return en_fail(&e);
    by = collective_axis(e.c, axis);
    return en_end_value(&e, !by ? NONE : v_obj(sc_str(vm, !by->mesh ? "vmap" : by->check ? "checked" : "mesh")));
}

/* vary(x): the axes of the mesh around over which x differs, "x,y" */
static Value n_vary(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const TraceAxis *mesh = innermost_mesh(e.c);
    wf_tensor x;
    uint32_t bits;
    Buf b = {.vm = vm};

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    bits = tensor_vary(e.c, tensor_get(e.c, x, "vary"));
    for (uint32_t k = 0; mesh && k < mesh->mesh->n; k++)
        if (bits & 1u << k) {
            buf_str(&b, bits & ((1u << k) - 1) ? "," : "");
            buf_str(&b, mesh->mesh->name[k]);
        }
    return en_end_value(&e, buf_done(&b));
}

/* bound(xs): what a trace of a function of xs depends on besides their types: the axes around, and over which xs vary */
static Value n_bound(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *x;
    int n = 0;
    Buf b = {.vm = vm};

    if (!e.c->tensors->trace)
        return en_end_value(&e, NONE);
    if (!en_tensors(&e, a->v[0], &x, &n))
        return en_fail(&e);
    for (const Trace *tr = e.c->tensors->trace; tr; tr = tr->outer)
        if (tr->axis.name) {
            buf_str(&b, tr->axis.name);
            buf_str(&b, tr->axis.mesh ? tr->axis.check ? "!" : "." : "=");
            buf_value(&b, v_int(tr->axis.size), false);
        }
    for (int i = 0; i < n; i++) {
        const Tensor *t = tensor_get(e.c, x[i], "bound");

        buf_char(&b, ' ');
        buf_value(&b, v_int(innermost_mesh(e.c) ? tensor_vary(e.c, t) : 0), false);
        if (layout_explicit(e.c, t))
            buf_str(&b, layout_text(e.c, t->layout));
    }
    return en_end_value(&e, buf_done(&b));
}

/* A call whose layouts of results are known when it is back: fn leaves them in a list. */
typedef struct SpmdScript {
    ScriptCallee k;
    Value list;
    const char *specs;
} SpmdScript;

static wf_status call_spmd(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                           int nout)
{
    SpmdScript *s = user;
    List *l = (List *)(void *)s->list.o;

    if (call_script(c, &s->k, in, nin, out, nout) != WF_OK)
        return ctx_status(c);
    if (l->n != 1 || !(s->specs = sc_to_cstr(s->k.vm, l->v[0], "a layout")))
        tensor_fail(c, WF_ERR_VALUE, "spmd: the function left no layout of its results");
    return ctx_status(c);
}

/* spmd(fn, xs, mesh, in_specs, out_specs, check): out_specs is an empty list, to which fn adds one text */
static Value n_spmd(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *in;
    int n = 0;
    const char *mesh = "", *specs = "";
    bool check = false;
    SpmdScript s = {.list = a->v[4]};
    wf_function f;

    if (!en_tensors(&e, a->v[1], &in, &n) || !en_str(&e, a->v[2], &mesh) ||
        !en_str(&e, a->v[3], &specs) || !en_bool(&e, a->v[5], &check))
        return en_fail(&e);
    if (!sc_is(vm, a->v[4], C_list)) {
        sc_fail(vm, C_TypeError, "spmd: out_specs is no list");
        return en_fail(&e);
    }
    s.k = call_of(&e, a->v[0], n);
    f = (wf_function)WF_FUNCTION(call_spmd, &s, n, WF_ANY, "f");
    spmd_call(e.c, &f, mesh, specs, in, n, &s.specs, check, NULL, 0);
    return given(&e);
}

static Value n_axis_size(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *axis = NULL;

    if (!en_str(&e, a->v[0], &axis))
        return en_fail(&e);
    return en_end_value(&e, en_dim(vm, e.f, wf_axis_size(e.c, axis)));
}

const NativeDef engine_control[] = {
    {"record", n_record, "fn,xs|traced"},
    {"recorders", n_recorders, ""},
    {"vmap", n_vmap, "fn,xs,axes|name,once"},
    {"cond", n_cond, "index,fns,xs"},
    {"while_loop", n_while_loop, "cond,body,xs|bound"},
    {"scan", n_scan, "body,carries,xs|length,reverse"},
    {"checkpoint", n_checkpoint, "fn,xs|keep_dots"},
    {"custom_jvp", n_custom_jvp, "slot,fn,rule,xs"},
    {"custom_vjp", n_custom_vjp, "slot,fn,forward,backward,xs"},
    {"psum", n_psum, "x,axis,groups,parts"},
    {"pmax", n_pmax, "x,axis,groups,parts"},
    {"pmin", n_pmin, "x,axis,groups,parts"},
    {"all_gather", n_all_gather, "x,axis,at,groups,parts|inv"},
    {"reduce_scatter", n_reduce_scatter, "x,axis,at,groups,parts"},
    {"all_to_all", n_all_to_all, "x,axis,at,to,groups,parts"},
    {"ppermute", n_ppermute, "x,axis,pairs"},
    {"pvary", n_pvary, "x,axis"},
    {"vary", n_vary, "x"},
    {"bound", n_bound, "xs"},
    {"spmd", n_spmd, "fn,xs,mesh,in_specs,out_specs,check"},
    {"axis_index", n_axis_index, "axis"},
    {"shard", n_shard, "x,mesh,spec"},
    {"layout", n_layout, "x"},
    {"set_layout", n_set_layout, "x,text"},
    {"default_layout", n_default_layout, "text"},
    {"lenient", n_lenient, "on"},
    {"axis_kind", n_axis_kind, "axis"},
    {"axis_size", n_axis_size, "axis"},
    {0},
};
