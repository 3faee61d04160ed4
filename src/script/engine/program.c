/* program.c -- programs as script values: tracing a script function, applying a program to
 * tensors, transforming it; and the recorders that grad and its kin run under.
 *
 * trace(fn, args) calls fn with symbolic tensors of the types of args. What fn uses from
 * outside (tensors of an enclosing trace, recorded ones) becomes further inputs, which the
 * Program keeps and hands in itself, behind the arguments. Trees, static arguments and
 * caches are the libraries' work, in namespaces/.
 */
#include "script/engine/engine.h"
#include "io/io.h"

static void program_destroy(Vm *vm, Obj *o)
{
    ProgramObj *g = (ProgramObj *)(void *)o;

    for (uint32_t i = 0; i < g->ncaptures; i++)
        tensor_release(vm->cx, g->captures[i]);
    sc_free(vm, g->captures, g->ncaptures * sizeof *g->captures);
    sc_free(vm, g->weak, g->nweak);
    g->captures = NULL;
    g->weak = NULL;
    g->ncaptures = g->nweak = 0;
    wf_exec_release(g->update);
    g->update = NULL;
    program_release(g->p);
    g->p = NULL;
    if (g->attrs)
        obj_drop(vm, g->attrs);
    g->attrs = NULL;
}

static void program_visit(Obj *o, VisitFn fn, void *user)
{
    if (((ProgramObj *)(void *)o)->attrs)
        fn(v_obj(((ProgramObj *)(void *)o)->attrs), user);
}

Value box_program(Vm *vm, const Program *p, uint32_t nargs, Tensor *const *captures,
                  uint32_t ncaptures, const bool *weak, uint32_t nweak)
{
    ProgramObj *g = p ? sc_gc_new(vm, vm->engine->program, sizeof *g) : NULL;

    if (!g) {
        program_release(p);
        return NIL;
    }
    g->p = p;
    g->nargs = nargs;
    if (ncaptures && (g->captures = sc_alloc(vm, ncaptures * sizeof *g->captures))) {
        for (uint32_t i = 0; i < ncaptures; i++)
            g->captures[i] = tensor_retain(captures[i]);
        g->ncaptures = ncaptures;
    }
    if (nweak && (g->weak = sc_alloc(vm, nweak))) {
        memcpy(g->weak, weak, nweak);
        g->nweak = nweak;
    }
    if (g->ncaptures != ncaptures || g->nweak != nweak) {
        obj_drop(vm, g);
        return NIL;
    }
    return v_obj(g);
}

Value box_traced(Vm *vm, const Program *p, const Trace *tr, uint32_t nargs, const bool *weak, uint32_t nweak)
{
    Tensor **captures = NULL;
    Value v;

    if (tr->ncaptures) {
        captures = sc_alloc(vm, tr->ncaptures * sizeof *captures);
        if (!captures) {
            program_release(p);
            return NIL;
        }
        for (uint32_t i = 0; i < tr->ncaptures; i++)
            captures[i] = tr->captures[i].t;
    }
    v = box_program(vm, p, nargs, captures, tr->ncaptures, weak, nweak);
    sc_free(vm, captures, tr->ncaptures * sizeof *captures);
    return v;
}

/* ---- tracing ----------------------------------------------------------------------- */

/* (shape, dtype) in place of a tensor: a type. */
static bool is_type(Vm *vm, Value v)
{
    return v.tag == T_OBJ && !is_tensor(vm, v) && sc_is(vm, v, C_tuple) &&
           ((Tuple *)(void *)v.o)->n == 2;
}

/* An input of the innermost trace, of the type of a tensor or of (shape, dtype). */
static wf_tensor trace_input_like(En *e, Value v)
{
    wf_dtype d = WF_INVALID;
    wf_tensor t, h;
    Shape s;
    int64_t dims[WF_MAX_RANK];
    int rank = 0;
    bool weak = false;

    if (is_type(e->vm, v)) {
        const Value *part = ((Tuple *)(void *)v.o)->v;

        if (!en_shape(e, part[0], dims, &rank) || !en_dtype(e, part[1], &d))
            return WF_NONE;
        return trace_input(e->c, e->c->tensors->trace, NULL, d, dims, (uint32_t)rank);
    }
    if (!en_tensor(e, v, &t) || !shape_of(e->c, t, "trace", &s))
        return WF_NONE;
    weak = wf_is_weak(e->c, t);
    h = trace_input(e->c, e->c->tensors->trace, NULL, wf_dtype_of(e->c, t), s.d, s.rank);
    if (!failed(e->c)) {
        Tensor *x = tensor_get(e->c, h, "trace");

        x->weak = weak;
        x->layout = layout_explicit(e->c, tensor_get(e->c, t, "trace"));
        trace_set_vary(e->c, e->c->tensors->trace, x->val,
                       tensor_vary(e->c, tensor_get(e->c, t, "trace")));
    }
    return h;
}

Tuple *en_box_each(En *e, Value of, wf_tensor (*one)(En *e, Value v))
{
    Tuple *in = sc_tuple_from(e->vm, of), *t = in ? sc_tuple(e->vm, in->n) : NULL;

    for (int64_t i = 0; t && i < in->n; i++) {
        wf_tensor h = one(e, in->v[i]);

        t->v[i] = sc_failed(e->vm) ? NIL : en_box(e, h);
        if (t->v[i].tag == T_NIL) {
            obj_drop(e->vm, t);
            t = NULL;
        }
    }
    if (in)
        obj_drop(e->vm, in);
    return t;
}

/* Inputs of the innermost trace, of the types of args; boxed in a tuple. */
static Tuple *trace_inputs(En *e, Value args)
{
    return en_box_each(e, args, trace_input_like);
}

Value en_traced(En *e, Value results, int nargs)
{
    wf_tensor *out;
    int n = 0;
    bool *weak;
    const Program *p;
    Trace *tr = e->c->tensors->trace;

    if (!en_tensors(e, results, &out, &n) || !(weak = en_alloc(e, (size_t)n)))
        return NIL;
    for (int j = 0; j < n; j++)
        weak[j] = wf_is_weak(e->c, out[j]);
    p = trace_finish(e->c, out, (uint32_t)n);
    if (!p)
        return en_raise(e), NIL;
    return box_traced(e->vm, p, tr, (uint32_t)nargs, weak, (uint32_t)n);
}

Value en_trace_call(En *e, Trace *outer, Value fn, Tuple *args, Value (*end)(En *, Value, int))
{
    Value r = args ? sc_call(e->vm, fn, args->v, (int)args->n) : NIL, v = NIL;

    if (r.tag != T_NIL)
        v = end(e, r, (int)args->n);
    sc_drop(e->vm, r);
    if (args)
        obj_drop(e->vm, args);
    if (failed(e->c))
        en_raise(e);
    while (e->c->tensors->trace && e->c->tensors->trace != outer)
        trace_end(e->c);
    return v.tag == T_NIL ? en_fail(e) : en_end_value(e, v);
}

/* trace(fn, args, name="f", graph=False): fn(*symbols) gives a list of tensors. An argument
 * is a tensor, or its type: (shape, dtype). graph:
 * recorded tensors from outside become constants. */
static Value n_trace(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *name = "f";
    bool graph = false;
    Trace *tr, *outer = e.c->tensors->trace;

    if (!en_str(&e, a->v[2], &name) || !en_bool(&e, a->v[3], &graph) ||
        !(tr = trace_begin(e.c, name)))
        return en_fail(&e);
    tr->kind = graph ? TRACE_CLOSED : TRACE_OPEN;
    return en_trace_call(&e, outer, a->v[0], trace_inputs(&e, a->v[1]), en_traced);
}

/* trace_sizes(fn, args, fixed=(), name="f", reads=False): as trace, with graph's meaning, but the
 * sizes of the arguments are symbols with these as hints, save those of the arguments numbered in
 * fixed. reads: fn may look at numbers, and sees those of the example. */
static Value n_trace_sizes(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *in;
    int n = 0, m = 0, nopen = -1;
    int64_t *which = NULL, *open = NULL;
    bool *fixed, before, reads = a->v[4].tag == T_OBJ || (a->v[4].tag == T_BOOL && a->v[4].i);
    Value reader = vm->engine->reader;
    ScriptCallee k;
    wf_function f;
    const char *name = "f";
    const wf_program *p = NULL;

    if (!en_tensors(&e, a->v[1], &in, &n) || !(which = en_alloc(&e, ((size_t)n + 1) * sizeof *which)) ||
        !en_ints(&e, a->v[2], which, &m, n + 1) || !(open = en_alloc(&e, ((size_t)n + 1) * sizeof *open)) ||
        !en_ints(&e, a->v[5], open, &nopen, n + 1) || !en_str(&e, a->v[3], &name) || !(fixed = en_alloc(&e, (size_t)n + 1)))
        return en_fail(&e);
    memset(fixed, 0, (size_t)n + 1);
    for (int i = 0; i < m; i++)
        if (which[i] >= 0 && which[i] < n)
            fixed[which[i]] = true;
    f = en_function(&k, vm, e.f, a->v[0], n, name);
    before = vm->engine->example_reads;
    vm->engine->example_reads = reads;
    vm->engine->reader = a->v[4].tag == T_OBJ ? a->v[4] : NIL;
    function_trace_hinted(e.c, &f, in, fixed, nopen == n ? (const uint64_t *)(const void *)open : NULL, n, &p);
    vm->engine->example_reads = before;
    vm->engine->reader = reader;
    if (!p)
        return en_fail(&e);
    return en_end_value(&e, box_program(vm, p, (uint32_t)n, NULL, 0, NULL, 0));
}

static Value n_in_trace(Vm *vm, const Args *a)
{
    (void)a;
    return v_bool(vm->cx->tensors->trace != NULL);
}

/* Sets how products of f32 may be computed, gives what was set before; names as in text. */
static Value n_precision(Vm *vm, const Args *a)
{
    const char *name = sc_to_cstr(vm, a->v[0], "a precision");
    wf_semantics *means = &((Front *)a->user)->means;
    wf_precision was = means->precision;

    for (int i = 0; name && op_precisions[i]; i++)
        if (!strcmp(op_precisions[i], name)) {
            means->precision = (wf_precision)i;
            return v_obj(sc_str(vm, op_precisions[was]));
        }
    if (name)
        sc_fail(vm, C_ValueError, "'%s' is not a precision", name);
    return NIL;
}

/* ---- applying ---------------------------------------------------------------------- */

/* Does each result depend on an input that has a history? Control flow counts as a whole. */
static void find_history(En *e, const Program *p, const wf_tensor *in, bool *out)
{
    bool *has = sc_alloc(e->vm, p->nvals + 1);

    memset(out, 1, p->nout);
    if (!has) {
        sc_clear_exc(e->vm);
        return;
    }
    memset(has, 0, p->nvals + 1);
    for (uint32_t i = 0; i < p->nin; i++)
        has[program_in(p, i)] = wf_has_grad_history(e->c, in[i]);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *q = &p->eqns[i];
        bool any = false;

        for (uint32_t k = 0; k < q->nin; k++)
            any = any || has[eqn_in(p, q)[k]];
        for (uint32_t k = 0; k < q->nout; k++)
            has[q->out + k] = any;
    }
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = has[p->outs[j]];
    sc_free(e->vm, has, p->nvals + 1);
}

/* For each of the program's inputs, whether it is listed. */
static bool find_donated(En *e, Value list, uint32_t total, bool **out)
{
    int64_t *at;
    int n = 0;

    if (!en_all_ints(e, list, &at, &n) || !(*out = en_alloc(e, total + 1)))
        return false;
    memset(*out, 0, total + 1);
    for (int i = 0; i < n; i++)
        if (at[i] >= 0 && at[i] < total)
            (*out)[at[i]] = true;
    return true;
}

/* args, then the captures, then more: a list of results. donated: numbers of args; head, specs: how results are to lie among
 * processes. */
static Value apply(Vm *vm, Front *f, ProgramObj *g, Value args, Value more, Value captures,
                   Value given, const char *head, const char *specs)
{
    bool *donated = NULL;
    En e = en_begin_front(vm, f);
    wf_tensor *in = NULL, *rest = NULL, *caps = NULL, *all, *out;
    int n = 0, m = 0, k = 0;
    uint32_t total;

    if (!en_tensors(&e, args, &in, &n) ||
        (more.tag != T_NIL && !en_tensors(&e, more, &rest, &m)) ||
        (captures.tag != T_NIL && !en_tensors(&e, captures, &caps, &k)))
        return en_fail(&e);
    if (caps && k != (int)g->ncaptures) {
        sc_fail(vm, C_ValueError, "the program has %u captures, got %d", g->ncaptures, k);
        return en_fail(&e);
    }
    total = (uint32_t)n + g->ncaptures + (uint32_t)m;
    if (total != g->p->nin) {
        sc_fail(vm, C_TypeError, "the program takes %u tensors, got %u",
                g->p->nin - g->ncaptures, (unsigned)(n + m));
        return en_fail(&e);
    }
    all = en_alloc(&e, (total + 1) * sizeof *all);
    out = all ? en_alloc(&e, (g->p->nout + 1) * sizeof *out) : NULL;
    if (!out)
        return en_fail(&e);
    if (n)
        memcpy(all, in, (size_t)n * sizeof *all);
    for (uint32_t i = 0; i < g->ncaptures; i++)
        all[(uint32_t)n + i] =
            caps ? caps[i] : tensor_handle(e.c, tensor_retain(g->captures[i]));
    if (m)
        memcpy(all + (uint32_t)n + g->ncaptures, rest, (size_t)m * sizeof *all);
    if (given.tag != T_NIL && !find_donated(&e, given, total, &donated))
        return en_fail(&e);
    /* the script's tensor is one reference, its handle in `all` another */
    if (!(specs     ? tensor_call_lying(e.c, g->p, all, total, head, specs, out, g->p->nout)
          : donated ? tensor_call_donating(e.c, g->p, all, total, donated, 2, out, g->p->nout)
                    : tensor_call(e.c, g->p, all, total, out, g->p->nout)))
        return en_fail(&e);
    for (uint32_t j = 0; j < g->nweak && j < g->p->nout; j++)
        tensor_get(e.c, out[j], "apply")->weak = g->weak[j];
    if (!e.c->tensors->trace && g->p->nout > 1 && !donated) {
        bool *has = en_alloc(&e, g->p->nout + 1);

        if (!has)
            return en_fail(&e);
        find_history(&e, g->p, all, has);
        for (uint32_t j = 0; j < g->p->nout; j++)
            if (!has[j] && wf_has_grad_history(e.c, out[j]))
                out[j] = wf_detach(e.c, out[j]);
    }
    return en_end_list(&e, out, (int)g->p->nout);
}

int64_t en_program_results(Value program) { return as_program(program)->p->nout; }

Value en_program_call(Vm *vm, Front *f, Value program, const Value *v, int n, const bool *donated, bool single)
{
    ProgramObj *g = as_program(program);
    En e = en_begin_front(vm, f);
    wf_tensor few[64], *in = few, *out;
    uint32_t total = (uint32_t)n + g->ncaptures;

    if (total != g->p->nin) {
        sc_fail(vm, C_TypeError, "the program takes %u tensors, got %d", g->p->nin, n);
        return en_fail(&e);
    }
    if (total + g->p->nout > COUNT(few) &&
        !(in = en_alloc(&e, ((size_t)total + g->p->nout) * sizeof *in)))
        return en_fail(&e);
    out = in + total;
    for (int i = 0; i < n; i++)
        if (is_tensor(vm, v[i]))
            in[i] = as_tensor(v[i])->t;
        else if (!en_tensor(&e, v[i], &in[i]))
            return en_fail(&e);
    for (uint32_t i = 0; i < g->ncaptures; i++)
        in[(uint32_t)n + i] = tensor_handle(e.c, tensor_retain(g->captures[i]));
    /* the script's tensor is the one reference */
    if (!(donated ? tensor_call_donating(e.c, g->p, in, total, donated, 1, out, g->p->nout)
                  : tensor_call(e.c, g->p, in, total, out, g->p->nout)))
        return en_fail(&e);
    for (uint32_t j = 0; j < g->nweak && j < g->p->nout; j++)
        tensor_get(e.c, out[j], "call")->weak = g->weak[j];
    return single ? en_end(&e, out[0]) : en_end_tuple(&e, out, (int)g->p->nout);
}

/* apply(program, args, more=(), captures=its own, donated=none) in the class of this front;
 * donated: numbers of args whose memory results may take */
static Value n_apply(Vm *vm, const Args *a)
{
    if (a->v[0].tag != T_OBJ || !sc_is_subclass(a->v[0].o->cls, vm->engine->program))
        return sc_raise(vm, C_TypeError, "apply: needs a Program");
    return apply(vm, a->user, as_program(a->v[0]), a->v[1], a->v[2], a->v[3], a->v[4], NULL, NULL);
}

/* apply_lying(program, args, head, specs): results lie so on the mesh of several processes that head names */
static Value n_apply_lying(Vm *vm, const Args *a)
{
    En e = {.vm = vm, .c = vm->cx, .f = a->user};
    const char *head = NULL, *specs = NULL;

    if (a->v[0].tag != T_OBJ || !sc_is_subclass(a->v[0].o->cls, vm->engine->program))
        return sc_raise(vm, C_TypeError, "apply_lying: needs a Program");
    if (!en_str(&e, a->v[2], &head) || !en_str(&e, a->v[3], &specs))
        return NIL;
    return apply(vm, a->user, as_program(a->v[0]), a->v[1], NIL, NIL, NIL, head, specs);
}

bool en_is_donated(Vm *vm, Value tensor)
{
    const Tensors *s = vm->cx->tensors;
    wf_tensor h = as_tensor(tensor)->t;

    return s && h.index < s->nslots && s->slots[h.index].gen == h.gen && s->slots[h.index].t->gone;
}

static Value n_is_donated(Vm *vm, const Args *a)
{
    return v_bool(a->v[0].tag == T_OBJ && sc_is_subclass(a->v[0].o->cls, vm->engine->tensor) &&
                  en_is_donated(vm, a->v[0]));
}

/* ---- transforms -------------------------------------------------------------------- */

/* A program made of g, with its captures. */
static Value derived(Vm *vm, ProgramObj *g, const Program *p, bool same_results)
{
    if (!p) {
        sc_raise_ctx(vm);
        return NIL;
    }
    return box_program(vm, p, g->nargs, g->captures, g->ncaptures, g->weak,
                       same_results ? g->nweak : 0);
}

typedef wf_status (*Transform)(wf_ctx *, const wf_program *, const int *, int,
                               const wf_program **);

/* Numbers of inputs; the caller frees e's blocks. */
static bool read_wrt(En *e, Value v, int **out, int *n)
{
    int64_t *wide;

    if (!en_all_ints(e, v, &wide, n) || !(*out = en_alloc(e, (size_t)*n * sizeof **out)))
        return false;
    for (int i = 0; i < *n; i++)
        (*out)[i] = (int)wide[i];
    return true;
}

static Value by_inputs(Vm *vm, const Args *a, Transform fn)
{
    En e = {.vm = vm, .c = vm->cx, .f = &vm->engine->front[FRONT_TORCH]};
    ProgramObj *g = as_program(a->v[0]);
    int *wrt, n = 0;
    const wf_program *p = NULL;
    Value made = NIL;

    if (read_wrt(&e, a->v[1], &wrt, &n)) {
        fn(vm->cx, g->p, wrt, n, &p);
        made = derived(vm, g, p, false);
    }
    en_free(&e);
    return made;
}
static Value p_vjp(Vm *vm, const Args *a) { return by_inputs(vm, a, wf_vjp); }
static Value p_jvp(Vm *vm, const Args *a) { return by_inputs(vm, a, wf_jvp); }
static Value p_grad(Vm *vm, const Args *a) { return by_inputs(vm, a, wf_grad); }
static Value p_value_and_grad(Vm *vm, const Args *a) { return by_inputs(vm, a, wf_value_and_grad); }
static Value p_jacfwd(Vm *vm, const Args *a) { return by_inputs(vm, a, wf_jacfwd); }
static Value p_jacrev(Vm *vm, const Args *a) { return by_inputs(vm, a, wf_jacrev); }
static Value p_hessian(Vm *vm, const Args *a) { return by_inputs(vm, a, wf_hessian); }

/* vmap(axes, name=None, size=None): axes with None for what is not mapped; the batch comes
 * first in the results */
static Value p_vmap(Vm *vm, const Args *a)
{
    ProgramObj *g = as_program(a->v[0]);
    Tuple *t = sc_tuple_from(vm, a->v[1]);
    int axes[WF_MAX_RANK * 8];
    const char *name = NULL;
    int64_t size = -1, k;
    const wf_program *p = NULL;
    bool ok = t != NULL;
    En e = {.vm = vm, .c = vm->cx, .f = &vm->engine->front[FRONT_TORCH]};

    if (ok && (t->n != g->nargs || g->p->nin > COUNT(axes)))
        ok = sc_fail(vm, C_ValueError, "vmap: %lld axes for %u inputs", (long long)t->n,
                     g->nargs);
    for (uint32_t i = 0; ok && i < g->p->nin; i++) {
        axes[i] = -1;
        if (i < g->nargs && t->v[i].tag != T_NONE) {
            ok = sc_to_int(vm, t->v[i], &k);
            axes[i] = (int)k;
        }
    }
    if (t)
        obj_drop(vm, t);
    if (!ok || !en_str(&e, a->v[2], &name) || !en_int(&e, a->v[3], &size))
        return NIL;
    wf_vmap(vm->cx, g->p, axes, (int)g->p->nin, name, size, &p);
    return derived(vm, g, p, true);
}

/* optimise(last=None): after all passes, or up to one */
static Value p_optimise(Vm *vm, const Args *a)
{
    ProgramObj *g = as_program(a->v[0]);
    En e = {.vm = vm, .c = vm->cx, .f = &vm->engine->front[FRONT_TORCH]};
    const char *last = NULL;
    const wf_program *p = NULL;

    if (!en_str(&e, a->v[1], &last))
        return NIL;
    wf_optimise(vm->cx, g->p, last, &p);
    return derived(vm, g, p, true);
}

/* split(wrt): (forward, backward), as ahead-of-time differentiation has them. forward
 * gives the results, then what backward needs; backward takes that, then the cotangents. */
static Value p_split(Vm *vm, const Args *a)
{
    En e = {.vm = vm, .c = vm->cx, .f = &vm->engine->front[FRONT_TORCH]};
    ProgramObj *g = as_program(a->v[0]);
    int *wrt, n = 0;
    const wf_program *fw = NULL, *bw = NULL;
    Tuple *t;
    bool ok = read_wrt(&e, a->v[1], &wrt, &n);

    if (ok && wf_partition(vm->cx, g->p, wrt, n, &fw, &bw) != WF_OK) {
        sc_raise_ctx(vm);
        ok = false;
    }
    en_free(&e);
    if (!ok)
        return NIL;
    t = sc_tuple(vm, 2);
    if (!t) {
        program_release(fw);
        program_release(bw);
        return NIL;
    }
    t->v[0] = derived(vm, g, fw, false);
    t->v[1] = box_program(vm, bw, bw->nin, NULL, 0, NULL, 0);
    if (t->v[0].tag == T_NIL || t->v[1].tag == T_NIL) {
        obj_drop(vm, t);
        return NIL;
    }
    return v_obj(t);
}

/* ---- what it is -------------------------------------------------------------------- */

static Value p_text(Vm *vm, const Args *a)
{
    const char *text;

    if (wf_program_text(vm->cx, as_program(a->v[0])->p, 0, &text) != WF_OK)
        return sc_raise_ctx(vm);
    return v_obj(sc_str(vm, text));
}

static Value program_repr(Vm *vm, Value self)
{
    return p_text(vm, &(Args){.v = &self, .n = 1});
}

static Value get_name(Vm *vm, Value self)
{
    return v_obj(sc_str(vm, wf_program_name(as_program(self)->p)));
}
static Value get_inputs(Vm *vm, Value self)
{
    (void)vm;
    return v_int(as_program(self)->p->nin);
}
static Value get_outputs(Vm *vm, Value self)
{
    (void)vm;
    return v_int(as_program(self)->p->nout);
}
static Value get_equations(Vm *vm, Value self)
{
    (void)vm;
    return v_int(wf_program_equations(as_program(self)->p));
}

/* The captured tensors, as a list in the base class of tensors of PyTorch's front. */
static Value get_captures(Vm *vm, Value self)
{
    ProgramObj *g = as_program(self);
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    List *l = sc_list(vm, g->ncaptures);

    for (uint32_t i = 0; l && i < g->ncaptures; i++)
        if ((l->v[i] = en_box(&e, tensor_handle(e.c, tensor_retain(g->captures[i])))).tag ==
            T_NIL) {
            obj_drop(vm, l);
            l = NULL;
        }
    return l ? en_end_value(&e, v_obj(l)) : en_fail(&e);
}

static const NativeDef program_methods[] = {
    {"text", p_text, "self"},
    {"vjp", p_vjp, "self,wrt"},
    {"jvp", p_jvp, "self,wrt"},
    {"grad", p_grad, "self,wrt"},
    {"value_and_grad", p_value_and_grad, "self,wrt"},
    {"jacfwd", p_jacfwd, "self,wrt"},
    {"jacrev", p_jacrev, "self,wrt"},
    {"has_rules", en_program_has_rules, "self"},
    {"hessian", p_hessian, "self,wrt"},
    {"vmap", p_vmap, "self,axes|name,size"},
    {"layouts", en_program_layouts, "self,mesh,typed,specs|all"},
    {"optimise", p_optimise, "self|last"},
    {"part", en_program_part, "self"},
    {"split", p_split, "self,wrt"},
    {"spread", en_program_spread, "self,mesh,in_specs,out_specs"},
    {"view", en_program_view, "self"},
    {"equation", en_program_equation, "self,k"},
    {0},
};
static const PropertyDef program_properties[] = {
    {"name", get_name, NULL},           {"inputs", get_inputs, NULL},
    {"outputs", get_outputs, NULL},     {"equations", get_equations, NULL},
    {"captures", get_captures, NULL},   {0},
};
const ClassDef en_program_def = {
    .name = "Program", .size = sizeof(ProgramObj), .attrs_at = offsetof(ProgramObj, attrs),
    .sealed = true, .destroy = program_destroy, .visit = program_visit, .repr = program_repr,
    .methods = program_methods, .properties = program_properties,
};

/* ---- files ------------------------------------------------------------------------- */

static bool model_tensors(En *e, wf_model *m, Dict *d)
{
    DictEntry *x;

    for (uint32_t i = 0; dict_next(d, &i, &x);) {
        const char *name = sc_to_cstr(e->vm, x->key, "a name");
        wf_array *array = NULL;
        wf_tensor t;
        bool ok = name && en_tensor(e, x->val, &t) &&
                  wf_to_array(e->c, wf_copy(e->c, wf_detach(e->c, t)), &array) == WF_OK &&
                  wf_model_set_tensor(e->c, m, name, array) == WF_OK;

        wf_array_release(array);
        if (!ok)
            return false;
    }
    return true;
}

static bool model_texts(En *e, wf_model *m, Dict *d)
{
    DictEntry *x;

    for (uint32_t i = 0; dict_next(d, &i, &x);) {
        const char *key = sc_to_cstr(e->vm, x->key, "a key");
        const char *text = key ? sc_to_cstr(e->vm, x->val, "a text") : NULL;

        if (!text || wf_model_set_meta(e->c, m, key, text) != WF_OK)
            return false;
    }
    return true;
}

/* As Weft's own, whatever the end of the name: a file of torch.jit.save may end in .pt. */
static wf_status write_own(wf_ctx *cx, wf_model *m, const char *path)
{
    API_ENTER(cx);
    model_write(cx, m, path);
    API_RETURN(cx);
}

/* save_model(path, tensors, texts, programs): a .weft file of {name: tensor}, {key: text} and
 * programs without captures, by their names; path None: into the model that the interpreter fills.
 * by_name: in the format that the end of the path says */
static Value n_save_model(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *path = NULL;
    wf_model *m = NULL;
    Tuple *t = NULL;
    bool ok;

    ok = sc_may(vm, "reach files") && en_str(&e, a->v[0], &path) &&
         ((a->v[1].tag == T_OBJ && sc_is(vm, a->v[1], C_dict) && a->v[2].tag == T_OBJ &&
           sc_is(vm, a->v[2], C_dict)) ||
          sc_fail(vm, C_TypeError, "save_model: needs dicts of tensors and of texts")) &&
         (t = sc_tuple_from(vm, a->v[3])) != NULL &&
         (path ? wf_model_new(e.c, &m) == WF_OK : (m = vm->opt.programs) != NULL) &&
         model_tensors(&e, m, (Dict *)(void *)a->v[1].o) &&
         model_texts(&e, m, (Dict *)(void *)a->v[2].o);
    for (int64_t i = 0; ok && i < t->n; i++)
        ok = t->v[i].tag == T_OBJ && sc_is_subclass(t->v[i].o->cls, vm->engine->program)
                 ? wf_model_add(e.c, m, as_program(t->v[i])->p) == WF_OK
                 : sc_fail(vm, C_TypeError, "save_model: needs programs");
    if (ok && path && a->v[4].tag == T_BOOL && a->v[4].i)
        wf_model_save(e.c, m, path);
    else if (ok && path)
        write_own(e.c, m, path);
    if (path)
        wf_model_free(m);
    if (t)
        obj_drop(vm, t);
    return sc_failed(vm) || failed(e.c) ? en_fail(&e) : en_end_value(&e, NONE);
}

static bool put_named(Vm *vm, Dict *d, const char *name, Value owned)
{
    Str *s = owned.tag == T_NIL ? NULL : sc_intern(vm, name, strlen(name));
    bool ok = s && sc_dict_put_str(vm, d, s, owned);

    if (s)
        obj_drop(vm, s);
    sc_drop(vm, owned);
    return ok;
}

/* load_model(path, keys): ({name: tensor}, {key: text}, {name: program}); keys that the file
 * does not have are left out */
static Value n_load_model(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *path = NULL;
    wf_model *m = NULL;
    Tuple *keys = NULL, *out = NULL;
    Dict *d[3] = {0};
    bool ok = sc_may(vm, "reach files") && en_str(&e, a->v[0], &path) && (keys = sc_tuple_from(vm, a->v[1])) != NULL &&
              (out = sc_tuple(vm, 3)) != NULL;

    for (int i = 0; ok && i < 3; i++)
        ok = (out->v[i] = v_obj(d[i] = sc_dict(vm))).tag != T_NIL;
    ok = ok && wf_model_load(e.c, path, &m) == WF_OK;
    for (int i = 0; ok && i < wf_model_tensors(m); i++) /* copies: the file is mapped */
        ok = put_named(vm, d[0], wf_model_tensor_name(m, i),
                       en_box(&e, wf_copy(e.c, wf_from_array(e.c, wf_model_tensor(m, i)))));
    for (int64_t i = 0; ok && i < keys->n; i++) {
        const char *key = sc_to_cstr(vm, keys->v[i], "a key");

        ok = key && (!wf_model_has_meta(m, key) ||
                     put_named(vm, d[1], key, v_obj(sc_str(vm, wf_model_meta(m, key)))));
    }
    for (int i = 0; ok && i < wf_model_programs(m); i++) {
        const Program *p = program_retain(wf_model_program(m, i));

        ok = put_named(vm, d[2], wf_program_name(p),
                       box_program(vm, p, p->nin, NULL, 0, NULL, 0));
    }
    wf_model_free(m);
    if (keys)
        obj_drop(vm, keys);
    if (ok)
        return en_end_value(&e, v_obj(out));
    if (out)
        obj_drop(vm, out);
    return en_fail(&e);
}

/* ---- recorders --------------------------------------------------------------------- */

static Value n_tape_begin(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int tape = wf_tape_begin(e.c);

    return en_end_value(&e, v_int(tape));
}

static Value n_tape_end(Vm *vm, const Args *a)
{
    int64_t tape;

    if (!sc_to_int(vm, a->v[0], &tape))
        return NIL;
    wf_tape_end(vm->cx, (int)tape);
    return NONE;
}

static Value n_tape_watch(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t tape = 0;
    wf_tensor x;

    if (!en_int(&e, a->v[0], &tape) || !en_tensor(&e, a->v[1], &x))
        return en_fail(&e);
    wf_tape_watch(e.c, (int)tape, x);
    return en_end_value(&e, NONE);
}

/* lift(x, tape): x as an argument the recorder follows, and outer ones through it */
static Value n_lift(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t tape = 0;
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &tape))
        return en_fail(&e);
    return en_end(&e, derive_lift(e.c, x, (int)tape, "grad"));
}

static Value with_nones(En *e, const wf_tensor *t, int n)
{
    List *l = failed(e->c) ? NULL : sc_list(e->vm, n);

    for (int i = 0; l && i < n; i++)
        if ((l->v[i] = wf_is_none(t[i]) ? NONE : en_box(e, t[i])).tag == T_NIL) {
            obj_drop(e->vm, l);
            l = NULL;
        }
    return l ? en_end_value(e, v_obj(l)) : en_fail(e);
}

/* ys of xs by what was recorded: from seeds of those on one side a gradient or tangent for each on the other. */
static Value history(Vm *vm, const Args *a, bool forward, Value ys, Value xs, Value seeds)
{
    En e = en_begin(vm, a);
    wf_tensor *y, *x, *seed, *out;
    int ny, nx, nseed, nout;

    if (!en_tensors(&e, ys, &y, &ny) || !en_tensors(&e, xs, &x, &nx) || !en_tensors(&e, seeds, &seed, &nseed))
        return en_fail(&e);
    nout = forward ? ny : nx;
    if (!(out = en_alloc(&e, ((size_t)nout + 1) * sizeof *out)))
        return en_fail(&e);
    if (nseed != (forward ? nx : ny)) {
        sc_fail(vm, C_ValueError, forward ? "%d arguments, but %d tangents" : "%d results, but %d cotangents", forward ? nx : ny, nseed);
        return en_fail(&e);
    }
    for (int i = 0; i < nout; i++)
        out[i] = WF_NONE;
    if (forward)
        history_jvp(e.c, y, (uint32_t)ny, x, seed, (uint32_t)nx, GRAD_KEEP | GRAD_CREATE, out);
    else
        history_vjp(e.c, y, seed, (uint32_t)ny, x, (uint32_t)nx, GRAD_KEEP | GRAD_CREATE, out);
    return with_nones(&e, out, nout);
}

/* history_vjp(ys, gys, xs): None where ys do not depend on x */
static Value n_history_vjp(Vm *vm, const Args *a) { return history(vm, a, false, a->v[0], a->v[2], a->v[1]); }

/* history_jvp(ys, xs, dxs): None where a y does not depend on the xs */
static Value n_history_jvp(Vm *vm, const Args *a) { return history(vm, a, true, a->v[0], a->v[1], a->v[2]); }

/* gradients(ys, gys, xs, keep, create, unused_ok): gys None for ones */
static Value n_gradients(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *y, *gy = NULL, *x, *out;
    int ny, ngy = 0, nx;
    bool keep = false, create = false, unused = false, all = false;

    if (!en_tensors(&e, a->v[0], &y, &ny) ||
        (a->v[1].tag != T_NONE && !en_tensors(&e, a->v[1], &gy, &ngy)) ||
        !en_tensors(&e, a->v[2], &x, &nx) || !en_bool(&e, a->v[3], &keep) ||
        !en_bool(&e, a->v[4], &create) || !en_bool(&e, a->v[5], &unused) ||
        !en_bool(&e, a->v[6], &all) || !(out = en_alloc(&e, ((size_t)nx + 1) * sizeof *out)))
        return en_fail(&e);
    for (int i = 0; i < nx; i++)
        out[i] = WF_NONE;
    wf_gradients(e.c, y, gy, ny, x, nx,
                 (keep ? WF_GRAD_KEEP : 0u) | (create ? WF_GRAD_CREATE : 0u) |
                     (unused ? WF_GRAD_UNUSED_OK : 0u) | (all ? WF_GRAD_ALL : 0u),
                 out);
    for (int i = 0; i < nx && !failed(e.c); i++) { /* a gradient is where its tensor is */
        const Tensor *g = wf_is_none(out[i]) ? NULL : tensor_get(e.c, out[i], "gradients"), *t = tensor_get(e.c, x[i], "gradients");

        if (g && t && !g->symbolic && !t->symbolic && tensor_device(g) != tensor_device(t))
            out[i] = wf_to_device(e.c, out[i], tensor_device(t));
    }
    return with_nones(&e, out, nx);
}

/* trace_level(): a number for the innermost trace, None outside */
static Value n_trace_level(Vm *vm, const Args *a)
{
    Trace *tr = vm->cx->tensors->trace;

    (void)a;
    return tr ? v_int((int64_t)tr->id) : NONE;
}

/* capture(x, level): (symbol, place): a concrete tensor as an input of that trace which may be
 * handed in anew at each apply; place: which of the captures it is */
static Value n_capture(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_ctx *c = e.c;
    Trace *tr;
    Tensor *x, *y = NULL;
    wf_tensor t;
    int64_t level = -1;
    Tuple *r;

    if (!en_tensor(&e, a->v[0], &t) || !en_int(&e, a->v[1], &level) ||
        !(x = tensor_get(c, t, "capture")))
        return en_fail(&e);
    tr = trace_find(c, (uint64_t)level);
    if (!tr || x->symbolic) {
        sc_fail(vm, C_RuntimeError, "capture: needs a concrete tensor and an open trace");
        return en_fail(&e);
    }
    if (!(x = tensor_alias(c, x))) /* so that equal tensors stay apart */
        return en_fail(&e);
    t = tensor_handle(c, x);
    T_ENTER(c, en_fail(&e))
    y = tensor_symbol(c, tr, trace_capture(c, tr, x));
    trace_hold(tr);
    T_LEAVE(c);
    r = y ? sc_tuple(vm, 2) : NULL;
    if (!r)
        return en_fail(&e);
    r->v[1] = v_int((int64_t)tr->ncaptures - 1);
    if ((r->v[0] = en_box(&e, tensor_handle(c, y))).tag == T_NIL) {
        obj_drop(vm, r);
        return en_fail(&e);
    }
    return en_end_value(&e, v_obj(r));
}

/* partials(ys, gys, xs): derivatives of symbolic tensors of the current trace; None where no
 * y depends on x */
static Value n_partials(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *y, *gy, *x, *out;
    int ny, ngy, nx;

    if (!en_tensors(&e, a->v[0], &y, &ny) || !en_tensors(&e, a->v[1], &gy, &ngy) ||
        !en_tensors(&e, a->v[2], &x, &nx) ||
        !(out = en_alloc(&e, ((size_t)nx + 1) * sizeof *out)))
        return en_fail(&e);
    if (ny != ngy) {
        sc_fail(vm, C_ValueError, "%d results, but %d cotangents", ny, ngy);
        return en_fail(&e);
    }
    for (int i = 0; i < nx; i++)
        out[i] = WF_NONE;
    derive_partials(e.c, y, gy, (uint32_t)ny, x, (uint32_t)nx, out);
    return with_nones(&e, out, nx);
}

const NativeDef engine_programs[] = {
    {"trace", n_trace, "fn,args|name,graph"},
    {"trace_sizes", n_trace_sizes, "fn,args|fixed,name,reads,open"},
    {"save_model", n_save_model, "path,tensors,texts,programs|by_name"},
    {"load_model", n_load_model, "path,keys"},
    {"in_trace", n_in_trace, ""},
    {"so_far", n_so_far, "x"},
    {"outside", n_outside, "fn"},
    {"precision", n_precision, "name"},
    {"apply_lying", n_apply_lying, "program,args,head,specs"},
    {"apply", n_apply, "program,args|more,captures,donated"},
    {"is_donated", n_is_donated, "x"},
    {"capture", n_capture, "x,level"},
    {"trace_level", n_trace_level, ""},
    {"partials", n_partials, "ys,gys,xs"},
    {"tape_begin", n_tape_begin, ""},
    {"tape_end", n_tape_end, "tape"},
    {"tape_watch", n_tape_watch, "tape,x"},
    {"lift", n_lift, "x,tape"},
    {"history_vjp", n_history_vjp, "ys,gys,xs"},
    {"history_jvp", n_history_jvp, "ys,xs,dxs"},
    {"gradients", n_gradients, "ys,gys,xs|keep,create,unused_ok,all"},
    {0},
};
