/* functions.c -- C functions as programs: trace, jit, vmap.
 *
 * The function is traced into a program, the program is transformed, and the result is applied like an
 * op; what it captured from outside is handed in as further operands. So these nest in any order, with
 * each other and with derive.c.
 */
#include "tensor/tensor.h"

#include <stdio.h>

/* ---- tracing a function ---- */

void traced_free(wf_ctx *c, Traced *t)
{
    for (uint32_t i = 0; i < t->ncaptures; i++)
        tensor_release(c, t->captures[i]);
    if (t->captures)
        mem_free(&c->al, t->captures, (t->ncaptures + 1) * sizeof *t->captures);
    if (t->weak)
        mem_free(&c->al, t->weak, t->nout + 1);
    program_release(t->p);
    memset(t, 0, sizeof *t);
}

void results_free(wf_ctx *c, Results *r)
{
    if (r->v)
        mem_free(&c->al, r->v, r->cap * sizeof *r->v);
    r->v = NULL;
    r->n = r->cap = 0;
}

static bool results_room(wf_ctx *c, Results *r, uint32_t n)
{
    uint32_t cap = MAX(n + 1, 2 * r->cap);
    wf_tensor *v;

    if (n < r->cap)
        return true;
    if (!(v = mem_alloc(&c->al, cap * sizeof *v)))
        return fail_memory(c);
    if (r->n)
        memcpy(v, r->v, r->n * sizeof *v);
    if (r->v)
        mem_free(&c->al, r->v, r->cap * sizeof *v);
    r->v = v;
    r->cap = cap;
    return true;
}

static bool results_add(wf_ctx *c, Results *r, const wf_tensor *v, uint32_t n)
{
    if (failed(c) || !results_room(c, r, r->n + n))
        return false;
    if (n)
        memcpy(r->v + r->n, v, n * sizeof *v);
    r->n += n;
    return true;
}

wf_status wf_give(wf_ctx *c, const wf_tensor *t, int n)
{
    Results *r;

    if (!NEEDS(c, has_n(t, n)))
        return ctx_status(c);
    r = c->tensors ? c->tensors->giving : NULL;
    if (!r)
        tfail(c, WF_ERR_ARG,
              "wf_give: no function with any number of results is running");
    else
        results_add(c, r, t, (uint32_t)n);
    return ctx_status(c);
}

bool call_function(wf_ctx *c, const wf_function *f, const wf_tensor *in, Results *out)
{
    Tensors *s = c->tensors;
    Results *outer = s->giving;
    const char *name = f->name ? f->name : "f";
    wf_status status;

    memset(out, 0, sizeof *out);
    if (!results_room(c, out, f->outputs < 0 ? 7 : (uint32_t)f->outputs))
        return false;
    for (int j = 0; j < f->outputs; j++)
        out->v[out->n++] = WF_NONE;
    s->giving = f->outputs == WF_ANY ? out : NULL;
    status = f->call(c, f->user, in, f->inputs, f->outputs == WF_ANY ? NULL : out->v,
                     MAX(f->outputs, 0));
    if (status != WF_OK && !failed(c))
        tfail(c, status, "%s: the function gave up without an error", name);
    s->giving = outer;
    for (uint32_t j = 0; j < out->n && !failed(c); j++)
        if (wf_is_none(out->v[j]))
            tfail(c, WF_ERR_ARG, "%s: the function did not set result %u", name, j);
    if (failed(c))
        results_free(c, out);
    return !failed(c);
}

bool deliver_more(wf_ctx *c, const wf_tensor *v, uint32_t n)
{
    return results_add(c, &c->tensors->given, v, n);
}

bool deliver(wf_ctx *c, const wf_function *f, const wf_tensor *v, uint32_t n,
             wf_tensor *out)
{
    if (failed(c))
        return false;
    if (f->outputs == WF_ANY) {
        c->tensors->given.n = 0;
        return deliver_more(c, v, n);
    }
    if (n)
        memcpy(out, v, n * sizeof *v);
    return true;
}

const wf_tensor *wf_given(wf_ctx *c, int *n)
{
    int given = !failed(c) && !ctx_elsewhere(c) && c->tensors ? (int)c->tensors->given.n : 0;

    if (n)
        *n = given;
    return given ? c->tensors->given.v : NULL;
}

bool check_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                wf_tensor *out, int nout, const char *fn)
{
    for (int j = 0; out && j < nout; j++)
        out[j] = WF_NONE;
    return check_function(c, f, fn) && has_count(c, fn, "inputs", in, nin, f->inputs) &&
           has_count(c, fn, "places of results", out, nout,
                     f->outputs == WF_ANY ? 0 : f->outputs);
}

bool check_function(wf_ctx *c, const wf_function *f, const char *fn)
{
    if (failed(c) || !ts(c))
        return false;
    if (f && f->size < sizeof *f) {
        tfail(c, WF_ERR_ARG, "%s: the function does not say its size (WF_FUNCTION)", fn);
        return false;
    }
    if (!f || !f->call || f->inputs < 0 || (f->outputs < 1 && f->outputs != WF_ANY)) {
        tfail(c, WF_ERR_ARG, "%s: needs a function with at least one result", fn);
        return false;
    }
    return true;
}

/* Sizes of the outer trace as sizes of the innermost. */
static bool bring_dims(wf_ctx *c, Shape *s)
{
    Trace *to = c->tensors->trace, *from = to->outer;

    T_ENTER(c, false)
    for (uint32_t i = 0; i < s->rank; i++)
        if (s->d[i] < 0 && from)
            s->d[i] = trace_dim(c, to->b, from, s->d[i]);
    T_LEAVE(c);
    return !failed(c);
}

static bool take_captures(wf_ctx *c, Trace *tr, Traced *out)
{
    out->ncaptures = 0;
    out->captures = mem_alloc(&c->al, (tr->ncaptures + 1) * sizeof *out->captures);
    if (!out->captures)
        return fail_memory(c);
    out->closed = true;
    for (uint32_t i = 0; i < tr->ncaptures; i++) {
        out->captures[i] = tensor_retain(tr->captures[i].t);
        out->closed = out->closed && !tr->captures[i].t->symbolic;
    }
    out->ncaptures = tr->ncaptures;
    return true;
}

/* The inputs of the innermost trace are there already. */
static bool trace_body(wf_ctx *c, const wf_function *f, const wf_tensor *in, Traced *out)
{
    Results res;

    out->nin = (uint32_t)f->inputs;
    if (!call_function(c, f, in, &res))
        return false;
    out->nout = res.n;
    out->weak = mem_alloc(&c->al, out->nout + 1);
    if (!out->weak)
        fail_memory(c);
    for (uint32_t j = 0; j < out->nout && !failed(c); j++)
        out->weak[j] = wf_is_weak(c, res.v[j]);
    if (!failed(c))
        out->p = trace_finish(c, res.v, out->nout);
    if (out->p)
        take_captures(c, c->tensors->trace, out);
    results_free(c, &res);
    return !failed(c);
}

/* End the traces inside outer, also those the function left open. */
static void leave_traces(wf_ctx *c, const Trace *outer)
{
    while (c->tensors->trace && c->tensors->trace != outer)
        trace_end(c);
}

bool trace_function(wf_ctx *c, const wf_function *f, InType *types, TraceKind kind,
                    const TraceAxis *axis, Traced *out)
{
    wf_tensor *in;
    size_t room = ((size_t)f->inputs + 1) * sizeof *in;
    Trace *tr, *outer = c->tensors->trace;
    uint32_t depth = c->tensors->nmarks;

    memset(out, 0, sizeof *out);
    if (!(tr = trace_begin(c, f->name ? f->name : "f")))
        return false;
    tr->kind = kind;
    if (axis)
        tr->axis = *axis;
    scope_open(c);
    in = mem_alloc(&c->al, room);
    if (!in)
        fail_memory(c);
    for (int i = 0; in && i < f->inputs && !failed(c); i++) {
        if (bring_dims(c, &types[i].s))
            in[i] = trace_input(c, tr, NULL, types[i].dtype, types[i].s.d, types[i].s.rank);
        if (!failed(c)) {
            Tensor *x = tensor_get(c, in[i], "trace");

            x->weak = types[i].weak;
            trace_set_vary(c, tr, x->val, types[i].vary);
        }
    }
    if (!failed(c))
        trace_body(c, f, in, out);
    if (in)
        mem_free(&c->al, in, room);
    while (c->tensors->nmarks > depth) /* also scopes the function left open */
        scope_close_n(c, NULL, 0);
    leave_traces(c, outer);
    if (failed(c))
        traced_free(c, out);
    return !failed(c);
}

InType *types_of(wf_ctx *c, const char *fn, const wf_tensor *in, int n)
{
    InType *t;

    if (!has_n(in, n)) {
        arg_fail(c, fn, "inputs");
        return NULL;
    }
    t = mem_alloc(&c->al, ((size_t)n + 1) * sizeof *t);
    if (!t) {
        fail_memory(c);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        if (!shape_of(c, in[i], fn, &t[i].s)) {
            mem_free(&c->al, t, ((size_t)n + 1) * sizeof *t);
            return NULL;
        }
        t[i].dtype = wf_dtype_of(c, in[i]);
        t[i].weak = wf_is_weak(c, in[i]);
        t[i].vary = tensor_vary(c, tensor_get(c, in[i], fn));
    }
    return t;
}

bool trace_function_on(wf_ctx *c, const char *fn, const wf_function *f,
                       const wf_tensor *in, TraceKind kind, Traced *out)
{
    InType *t;
    bool ok;

    if (!check_function(c, f, fn) || !(t = types_of(c, fn, in, f->inputs)))
        return false;
    ok = trace_function(c, f, t, kind, NULL, out);
    mem_free(&c->al, t, ((size_t)f->inputs + 1) * sizeof *t);
    return ok;
}

/* Apply a program to args and the captures of t. */
bool traced_apply(wf_ctx *c, const Traced *t, const Program *p, const wf_tensor *in,
                  uint32_t nin, const wf_tensor *more, uint32_t nmore, wf_tensor *out)
{
    uint32_t n = nin + t->ncaptures + nmore;
    wf_tensor *v = mem_alloc(&c->al, (n + 1) * sizeof *v);
    bool ok;

    if (!v)
        return fail_memory(c);
    if (nin)
        memcpy(v, in, nin * sizeof *v);
    for (uint32_t i = 0; i < t->ncaptures; i++)
        v[nin + i] = tensor_handle(c, tensor_retain(t->captures[i]));
    if (nmore)
        memcpy(v + nin + t->ncaptures, more, nmore * sizeof *v);
    ok = tensor_call(c, p, v, n, out, p->nout);
    mem_free(&c->al, v, (n + 1) * sizeof *v);
    return ok;
}

void traced_set_weak(wf_ctx *c, const Traced *t, wf_tensor *out)
{
    for (uint32_t j = 0; j < t->nout && !failed(c); j++)
        tensor_get(c, out[j], "jit")->weak = t->weak[j];
}

wf_status wf_trace(wf_ctx *c, const wf_function *f, const wf_tensor *example, int n,
                   const wf_program **out)
{
    Traced t;

    if (!SET_OUT(c, out) || !check_function(c, f, "wf_trace") ||
        !has_count(c, "wf_trace", "inputs", example, n, f->inputs) ||
        !trace_function_on(c, "wf_trace", f, example, TRACE_CLOSED, &t))
        return ctx_status(c);
    if (t.ncaptures)
        tfail(c, WF_ERR_VALUE,
              "wf_trace: the function uses a symbolic tensor from outside");
    else
        *out = program_retain(t.p);
    traced_free(c, &t);
    return ctx_status(c);
}

/* ---- types as text: f32[N,784], f32[2*N+1] ---- */

#define SIZE_TEXT 64 /* characters of a symbolic size */

static const char *parse_type(const char *s, InType *out, char names[MAX_RANK][SIZE_TEXT])
{
    size_t n = strcspn(s, "[");

    out->dtype = WF_INVALID;
    for (int d = WF_BOOL; d <= WF_C128; d++)
        if (strlen(wf_dtype_name((wf_dtype)d)) == n &&
            !strncmp(s, wf_dtype_name((wf_dtype)d), n))
            out->dtype = (wf_dtype)d;
    out->s.rank = 0;
    out->weak = false;
    s += n;
    if (!out->dtype || *s != '[')
        return NULL;
    s++;
    while (*s != ']') {
        bool overflow = false;
        uint32_t k = out->s.rank;
        if (k == MAX_RANK)
            return NULL;
        names[k][0] = 0;
        n = strcspn(s, ",]");
        if (strspn(s, "0123456789") < n) {
            if (!n || n >= SIZE_TEXT)
                return NULL;
            memcpy(names[k], s, n);
            names[k][n] = 0;
        } else if (number_parse_i64(s, s + n, &out->s.d[k], &overflow) != s + n) {
            return NULL;
        }
        out->s.rank++;
        s += n;
        if (*s == ',')
            s++;
        else if (*s != ']')
            return NULL;
    }
    return s[1] ? NULL : s;
}

/* factor := integer | name, the symbol of that name. NULL: it is none, as of all that follows. */
static const char *size_factor(Builder *b, const char *s, Dim *out)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    char name[SIZE_TEXT];
    bool overflow = false;
    int64_t v;

    if (!n)
        return NULL;
    if (*s >= '0' && *s <= '9') {
        if (number_parse_i64(s, s + n, &v, &overflow) != s + n)
            return NULL;
        *out = dim_const(&b->dims, v);
        return s + n;
    }
    memcpy(name, s, n);
    name[n] = 0;
    *out = dim_find(&b->dims, name);
    if (*out == DIM_NONE)
        *out = b_symbol(b, name);
    return s + n;
}

/* term := factor ('*' factor)* */
static const char *size_term(Builder *b, const char *s, Dim *out)
{
    Dim d;

    s = size_factor(b, s, out);
    while (s && *s == '*')
        if ((s = size_factor(b, s + 1, &d)))
            *out = dim_mul(&b->dims, *out, d);
    return s;
}

/* size := '?' | term (('+' | '-') term)* */
static bool size_parse(Builder *b, const char *s, Dim *out)
{
    Dim d;

    if (!strcmp(s, "?")) {
        *out = b_symbol(b, "N");
        return true;
    }
    s = size_term(b, s, out);
    while (s && (*s == '+' || *s == '-')) {
        bool plus = *s == '+';
        if ((s = size_term(b, s + 1, &d)))
            *out = plus ? dim_add(&b->dims, *out, d) : dim_sub(&b->dims, *out, d);
    }
    return s && !*s;
}

bool spec_shape(wf_ctx *c, Trace *tr, const char *fn, const char *type,
                wf_dtype *out_dtype, Shape *out)
{
    char names[MAX_RANK][SIZE_TEXT];
    bool well;
    InType t;

    T_ENTER(c, false)
    well = type && parse_type(type, &t, names);
    for (uint32_t i = 0; well && i < t.s.rank; i++)
        well = !names[i][0] || size_parse(tr->b, names[i], &t.s.d[i]);
    T_LEAVE(c);
    if (!well) {
        tfail(c, WF_ERR_SYNTAX, "%s: '%s' is not a type such as f32[N,784]", fn,
              type ? type : "(null)");
        return false;
    }
    *out_dtype = t.dtype;
    *out = t.s;
    return !failed(c);
}

bool trace_closed(wf_ctx *c, const char *fn, const wf_function *f,
                  bool (*inputs)(wf_ctx *c, const wf_function *f, void *user,
                                 wf_tensor *in),
                  void *user, Traced *out)
{
    size_t room = ((size_t)f->inputs + 1) * sizeof(wf_tensor);
    wf_tensor *in = mem_alloc(&c->al, room);
    uint32_t depth = c->tensors->nmarks;
    Trace *tr = NULL, *outer = c->tensors->trace;

    memset(out, 0, sizeof *out);
    if (!in)
        return fail_memory(c);
    if ((tr = trace_begin(c, f->name ? f->name : "f")) != NULL) {
        tr->kind = TRACE_CLOSED;
        tr->guarded = c->semantics->size_guards;
        scope_open(c);
        if (inputs(c, f, user, in) && trace_body(c, f, in, out) && out->ncaptures)
            tfail(c, WF_ERR_VALUE, "%s: the function uses a symbolic tensor from outside",
                  fn);
        while (c->tensors->nmarks > depth) /* also scopes the function left open */
            scope_close_n(c, NULL, 0);
        leave_traces(c, outer);
    }
    mem_free(&c->al, in, room);
    if (failed(c))
        traced_free(c, out);
    return !failed(c);
}

static bool inputs_of_types(wf_ctx *c, const wf_function *f, void *user, wf_tensor *in)
{
    const char *const *types = user;

    for (int i = 0; i < f->inputs && !failed(c); i++) {
        wf_dtype d;
        Shape s;
        if (spec_shape(c, c->tensors->trace, "wf_trace_types", types[i], &d, &s))
            in[i] = trace_input(c, c->tensors->trace, NULL, d, s.d, s.rank);
    }
    return !failed(c);
}

wf_status wf_trace_types(wf_ctx *c, const wf_function *f, const char *const *types, int n,
                         const wf_program **out)
{
    Traced t = {0};

    if (!SET_OUT(c, out))
        return ctx_status(c);
    if (!check_function(c, f, "wf_trace_types") ||
        !has_count(c, "wf_trace_types", "types", types, n, f->inputs))
        return ctx_status(c);
    if (trace_closed(c, "wf_trace_types", f, inputs_of_types, (void *)(uintptr_t)types,
                     &t))
        *out = program_retain(t.p);
    traced_free(c, &t);
    return ctx_status(c);
}

wf_status wf_apply(wf_ctx *c, const wf_program *p, const wf_tensor *in, int nin,
                   wf_tensor *out, int nout)
{
    if (failed(c) || !ts(c))
        return ctx_status(c);
    if (!p)
        tfail(c, WF_ERR_ARG, "wf_apply: the program is NULL");
    else if (has_count(c, "wf_apply", "inputs", in, nin, p->nin) &&
             has_count(c, "wf_apply", "places of results", out, nout, p->nout))
        tensor_call(c, p, in, p->nin, out, p->nout);
    return ctx_status(c);
}

static void compare_results(wf_ctx *c, uint32_t j, wf_tensor a, wf_tensor b, double rtol,
                            double atol)
{
    Tensor *x = tensor_get(c, a, "wf_trace_check"),
           *y = tensor_get(c, b, "wf_trace_check");
    char text[NUMBER_MAX];
    wf_tensor d;

    if (!x || !y)
        return;
    if (x->rank != y->rank ||
        (x->rank && memcmp(x->dims, y->dims, x->rank * sizeof *x->dims))) {
        tfail(c, WF_ERR_VALUE,
              "wf_trace_check: result %u of the function has type %s, of its trace %s", j,
              shape_text(c, x), shape_text(c, y));
        return;
    }
    if (wf_item(c, wf_all(c, wf_is_close(c, a, b, rtol, atol), NULL, 0, false)) != 0)
        return;
    d = wf_max(c, wf_abs(c, wf_sub(c, as_float(c, a, ""), as_float(c, b, ""))), NULL, 0,
               false);
    number_f64(text, wf_item(c, d));
    tfail(c, WF_ERR_VALUE,
          "wf_trace_check: result %u of the function and of its trace differ by up to "
          "%s: the trace took one branch, or kept a value, that depends on the inputs",
          j, text);
}

/* Run f on the inputs and compare with what the program gives. */
wf_status wf_trace_check(wf_ctx *c, const wf_function *f, const wf_program *p,
                         const wf_tensor *in, int n, double rtol, double atol)
{
    Results r = {0};
    wf_tensor *v;

    if (!check_function(c, f, "wf_trace_check") ||
        !NEEDS(c, p && p->nin == (uint32_t)f->inputs) ||
        !has_count(c, "wf_trace_check", "inputs", in, n, f->inputs))
        return ctx_status(c);
    if (!(v = mem_alloc(&c->al, (p->nout + 1) * sizeof *v))) {
        fail_memory(c);
        return ctx_status(c);
    }
    scope_open(c);
    wf_no_grad_begin(c);
    if (call_function(c, f, in, &r) && tensor_call(c, p, in, p->nin, v, p->nout) &&
        r.n != p->nout)
        tfail(c, WF_ERR_VALUE,
              "wf_trace_check: the function has %u results, its trace %u", r.n, p->nout);
    for (uint32_t j = 0; j < r.n && !failed(c); j++)
        compare_results(c, j, r.v[j], v[j], rtol, atol);
    results_free(c, &r);
    wf_no_grad_end(c);
    scope_close_n(c, NULL, 0);
    mem_free(&c->al, v, (p->nout + 1) * sizeof *v);
    return ctx_status(c);
}

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
    if (!SET_OUT(c, out))
        return ctx_status(c);
    if (!check_function(c, f, "wf_jit_new"))
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
    if (!trace_function(c, &j->f, t, TRACE_OPEN, NULL, &e->t)) {
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
    deliver(c, f, v, t->nout, out);
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
        !check_call(c, &j->f, in, nin, out, nout, "wf_jit_call"))
        return ctx_status(c);
    if (!(t = types_of(c, "wf_jit_call", in, j->f.inputs)))
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
            tfail(c, WF_ERR_SHAPE,
                  "wf_vmap_call: input %d has %lld elements along its mapped axis, "
                  "others have %lld",
                  i, (long long)t[i].s.d[k], (long long)*out_size);
            return false;
        }
        *out_size = t[i].s.d[k];
        any = true;
        memmove(t[i].s.d + k, t[i].s.d + k + 1, (t[i].s.rank - k - 1) * sizeof(Dim));
        t[i].s.rank--;
    }
    if (!any)
        tfail(c, WF_ERR_ARG, "wf_vmap_call: no input is mapped");
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
    if (!check_call(c, f, in, nin, out, nout, "wf_vmap_call") || !NEEDS(c, axes))
        return ctx_status(c);
    if (!(types = types_of(c, "wf_vmap_call", in, f->inputs)))
        return ctx_status(c);
    ok = batch_types(c, f, types, axes, &axis.size) &&
         trace_function(c, f, types, TRACE_OPEN, &axis, &t);
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
