/* jit.c -- jit and vmap of C functions.
 *
 * A jit has one trace for each set of types, weak bits, axes in force and static bytes; one that captured symbolic tensors
 * serves a single call. A vmap is traced anew at each call.
 */
#include "higher/higher.h"

#include <stdio.h>

/* ---- jit ---- */

typedef struct JitEntry {
    struct JitEntry *next;
    void *key;
    size_t size;
    Traced t;
} JitEntry;

struct wf_jit {
    wf_function f;
    JitEntry *entries;
    int count;
};

wf_status wf_jit_new(wf_ctx *c, const wf_function *f, wf_jit **out)
{
    IN_CALL(c);
    if (!SET_OUT(c, out))
        return ctx_status(c);
    if (!function_check(c, f, "wf_jit_new"))
        return ctx_status(c);
    *out = mem_alloc(&c->al, sizeof **out);
    if (!*out)
        fail_memory(c);
    else
        **out = (wf_jit){*f, NULL, 0};
    return ctx_status(c);
}

void wf_jit_free(wf_ctx *c, wf_jit *j)
{
    IN_CALL(c);
    if (!c || ctx_elsewhere(c) || !j)
        return;
    for (JitEntry *e; (e = j->entries) != NULL;) {
        j->entries = e->next;
        traced_free(c, &e->t);
        mem_free(&c->al, e->key, e->size);
        mem_free(&c->al, e, sizeof *e);
    }
    mem_free(&c->al, j, sizeof *j);
}

int wf_jit_traces(const wf_jit *j) { return j ? j->count : 0; }

/* What the trace depends on: types, weak bits, the axes in force, the static key. */
static size_t jit_key(const wf_ctx *c, const InType *t, int n, const void *statics,
                      size_t size, char *out)
{
    size_t at = 0;

    for (int i = 0; i < n; i++) {
        int32_t head[3] = {(int32_t)t[i].dtype, t[i].weak, (int32_t)t[i].s.rank};
        if (out)
            memcpy(out + at, head, sizeof head);
        at += sizeof head;
        if (out && t[i].s.rank)
            memcpy(out + at, t[i].s.d, t[i].s.rank * sizeof(Dim));
        at += t[i].s.rank * sizeof(Dim);
    }
    for (const Trace *tr = c->tensors->trace; tr; tr = tr->outer)
        if (tr->axis.name) {
            size_t length = strlen(tr->axis.name) + 1;
            if (out) {
                memcpy(out + at, tr->axis.name, length);
                memcpy(out + at + length, &tr->axis.size, sizeof(Dim));
            }
            at += length + sizeof(Dim);
        }
    if (out && size)
        memcpy(out + at, statics, size);
    return at + size;
}

static void jit_entry_free(wf_ctx *c, JitEntry *e)
{
    traced_free(c, &e->t);
    mem_free(&c->al, e->key, e->size);
    mem_free(&c->al, e, sizeof *e);
}

/* Traces into a new entry, which owns key; NULL after an error. */
static JitEntry *jit_trace(wf_ctx *c, wf_jit *j, InType *t, char *key, size_t size)
{
    JitEntry *e = mem_alloc(&c->al, sizeof *e);

    if (!e) {
        fail_memory(c);
        mem_free(&c->al, key, size);
        return NULL;
    }
    memset(e, 0, sizeof *e);
    e->size = size;
    e->key = key;
    if (!function_trace(c, &j->f, t, TRACE_OPEN, NULL, &e->t)) {
        jit_entry_free(c, e);
        return NULL;
    }
    j->count++;
    return e;
}

/* "f32[2,3]" of a part of a key, or of a type: its head and dims. */
static void type_words(const int32_t head[3], const char *dims, char *out, size_t room)
{
    size_t n = (size_t)snprintf(out, room, "%s%s[", head[1] ? "weak " : "", wf_dtype_name((wf_dtype)head[0]));

    for (int32_t k = 0; k < head[2] && n + 24 < room; k++) {
        Dim d;

        memcpy(&d, dims + (size_t)k * sizeof d, sizeof d);
        n += (size_t)snprintf(out + n, room - n, "%s%lld", k ? "," : "", (long long)d);
    }
    snprintf(out + n, room - n, "]");
}

/* Why the newest of the traces does not serve: the first input that has another type. */
static void tell_retrace(wf_ctx *c, const wf_jit *j, const InType *t)
{
    const char *at = j->entries->key;
    char was[200], is[200];

    for (int i = 0; i < j->f.inputs; i++) {
        int32_t now[3] = {(int32_t)t[i].dtype, t[i].weak, (int32_t)t[i].s.rank}, old[3];
        size_t dims;

        memcpy(old, at, sizeof old);
        at += sizeof old;
        dims = (size_t)old[2] * sizeof(Dim);
        if (memcmp(now, old, sizeof old) != 0 || memcmp(t[i].s.d, at, dims) != 0) {
            type_words(old, at, was, sizeof was);
            type_words(now, (const char *)t[i].s.d, is, sizeof is);
            ctx_log(c, WF_LOG_DEBUG, "'%s' is traced again: input %d is %s, was %s", j->f.name ? j->f.name : "f", i, is, was);
            return;
        }
        at += dims;
    }
    ctx_log(c, WF_LOG_DEBUG, "'%s' is traced again: its static arguments, or the axes it runs under, are others",
            j->f.name ? j->f.name : "f");
}

/* The entry for inputs of these types, made if there is none. *kept: it stays in j. A trace that
 * captured symbolic tensors, or has sizes of the trace around it, serves one call only. */
static JitEntry *jit_entry(wf_ctx *c, wf_jit *j, InType *t, const void *statics,
                           size_t size, bool *kept)
{
    size_t n = jit_key(c, t, j->f.inputs, statics, size, NULL);
    char *key = mem_alloc(&c->al, n + 1);
    bool symbolic = false;
    JitEntry *e;

    if (!key) {
        fail_memory(c);
        return NULL;
    }
    jit_key(c, t, j->f.inputs, statics, size, key);
    for (int i = 0; i < j->f.inputs; i++)
        for (uint32_t k = 0; k < t[i].s.rank; k++)
            symbolic = symbolic || t[i].s.d[k] < 0;
    *kept = true;
    for (e = symbolic ? NULL : j->entries; e; e = e->next)
        if (e->size == n + 1 && !memcmp(e->key, key, n)) {
            mem_free(&c->al, key, n + 1);
            return e;
        }
    if (j->entries && !symbolic)
        tell_retrace(c, j, t);
    if (!(e = jit_trace(c, j, t, key, n + 1)))
        return NULL;
    *kept = e->t.closed && !symbolic;
    if (*kept) {
        e->next = j->entries;
        j->entries = e;
    }
    return e;
}

/* The axis of result j; results of a function that gives any number have one for all. */
static int out_axis(const wf_function *f, const int *out_axes, uint32_t j)
{
    return out_axes ? out_axes[f->outputs == WF_ANY ? 0 : j] : 0;
}

/* Apply p, made of t, and hand out the results, whose weak bits are those of t. */
static void apply_traced(wf_ctx *c, const wf_function *f, const Traced *t,
                         const Program *p, const wf_tensor *in, const int *out_axes,
                         wf_tensor *out)
{
    wf_tensor *v = mem_alloc(&c->al, (p->nout + 1) * sizeof *v);

    if (!v) {
        fail_memory(c);
        return;
    }
    scope_open(c);
    if (traced_apply(c, t, p, in, (uint32_t)f->inputs, NULL, 0, v)) {
        traced_set_weak(c, t, v);
        for (uint32_t j = 0; j < t->nout && !failed(c); j++)
            if (out_axis(f, out_axes, j) && out_axis(f, out_axes, j) != WF_UNMAPPED)
                v[j] = wf_move_axis(c, v[j], 0, out_axis(f, out_axes, j));
    }
    scope_close_n(c, v, failed(c) ? 0 : (int)t->nout);
    results_deliver(c, f, v, t->nout, out);
    mem_free(&c->al, v, (p->nout + 1) * sizeof *v);
}

wf_status wf_jit_call(wf_ctx *c, wf_jit *j, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout, const void *statics, size_t size)
{
    InType *t;
    JitEntry *e;
    bool kept;

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (!NEEDS(c, j && has_n(statics, (int64_t)size)) ||
        !function_check_call(c, &j->f, in, nin, out, nout, "wf_jit_call"))
        return ctx_status(c);
    if (!(t = function_types(c, "wf_jit_call", in, j->f.inputs)))
        return ctx_status(c);
    e = jit_entry(c, j, t, statics, size, &kept);
    mem_free(&c->al, t, ((size_t)j->f.inputs + 1) * sizeof *t);
    if (!e)
        return ctx_status(c);
    apply_traced(c, &j->f, &e->t, e->t.p, in, NULL, out);
    if (!kept)
        jit_entry_free(c, e);
    return ctx_status(c);
}

/* ---- vmap ---- */

static bool batch_types(wf_ctx *c, const wf_function *f, InType *t, const int *axes,
                        Dim *out_size)
{
    bool any = false;

    for (int i = 0; i < f->inputs; i++) {
        uint32_t k;
        if (axes[i] == WF_UNMAPPED)
            continue;
        if (!axis_of(c, "wf_vmap_call", axes[i], t[i].s.rank, &k))
            return false;
        if (any && !size_same(c, t[i].s.d[k], *out_size)) {
            tensor_fail(c, WF_ERR_SHAPE,
                  "wf_vmap_call: input %d has %lld elements along its mapped axis, "
                  "others have %lld",
                  i, (long long)t[i].s.d[k], (long long)*out_size);
            return false;
        }
        *out_size = t[i].s.d[k];
        any = true;
        memmove(t[i].s.d + k, t[i].s.d + k + 1, (t[i].s.rank - k - 1) * sizeof(Dim));
        t[i].s.rank--;
        t[i].layout = layout_row(c, t[i].layout, k);
    }
    if (!any)
        tensor_fail(c, WF_ERR_ARG, "wf_vmap_call: no input is mapped");
    return any;
}

static const Program *make_vmap(wf_ctx *c, const Traced *t, const wf_function *f,
                                const wf_tensor *in, const int *axes, const int *out_axes,
                                const char *axis_name, Dim size)
{
    const Program *p;
    int *all;
    bool *want;

    T_ENTER(c, NULL)
    want = arena_alloc(&c->scratch, t->p->nout + 1u);
    for (uint32_t j = 0; j < t->p->nout; j++)
        want[j] = out_axis(f, out_axes, j) != WF_UNMAPPED;
    all = arena_array(&c->scratch, t->p->nin + 1, sizeof *all);
    for (uint32_t i = 0; i < t->p->nin; i++)
        all[i] = -1;
    for (int i = 0; i < f->inputs; i++)
        if (axes[i] != WF_UNMAPPED)
            all[i] = axes[i] < 0 ? axes[i] + wf_rank(c, in[i]) : axes[i];
    p = program_retain(xf_vmap(c, t->p, all, axis_name, size < 0 ? -1 : size, want));
    T_LEAVE(c);
    return p;
}

wf_status wf_vmap_call(wf_ctx *c, const wf_function *f, const wf_tensor *in,
                       const int *axes, int nin, const int *out_axes,
                       const char *axis_name, wf_tensor *out, int nout)
{
    InType *types;
    Traced t;
    TraceAxis axis = {.name = axis_name};
    const Program *p;
    bool ok;

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (!function_check_call(c, f, in, nin, out, nout, "wf_vmap_call") || !NEEDS(c, axes))
        return ctx_status(c);
    if (!(types = function_types(c, "wf_vmap_call", in, f->inputs)))
        return ctx_status(c);
    ok = batch_types(c, f, types, axes, &axis.size) &&
         function_trace(c, f, types, TRACE_OPEN, &axis, &t);
    mem_free(&c->al, types, ((size_t)f->inputs + 1) * sizeof *types);
    if (!ok)
        return ctx_status(c);
    p = make_vmap(c, &t, f, in, axes, out_axes, axis_name, axis.size);
    if (p)
        apply_traced(c, f, &t, p, in, out_axes, out);
    program_release(p);
    traced_free(c, &t);
    return ctx_status(c);
}
