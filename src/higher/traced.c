/* traced.c -- C functions as programs, and functions in the place of programs.
 *
 * The function is traced into a program, the program is transformed (jit.c, derive.c, flow.c ..), and the result is applied
 * like an op; what it captured from outside is handed in as further operands. So these nest in any order.
 */
#include "functions/functions.h"
#include "higher/higher.h"

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
    IN_CALL(c);
    Results *r;

    if (!NEEDS(c, has_n(t, n)))
        return ctx_status(c);
    r = c->tensors ? c->tensors->giving : NULL;
    if (!r)
        tensor_fail(c, WF_ERR_ARG,
              "wf_give: no function with any number of results is running");
    else
        results_add(c, r, t, (uint32_t)n);
    return ctx_status(c);
}

bool function_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, Results *out)
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
        tensor_fail(c, status, "%s: the function gave up without an error", name);
    s->giving = outer;
    for (uint32_t j = 0; j < out->n && !failed(c); j++)
        if (wf_is_none(out->v[j]))
            tensor_fail(c, WF_ERR_ARG, "%s: the function did not set result %u", name, j);
    if (failed(c))
        results_free(c, out);
    return !failed(c);
}

bool results_deliver_more(wf_ctx *c, const wf_tensor *v, uint32_t n)
{
    return results_add(c, &c->tensors->given, v, n);
}

bool results_deliver(wf_ctx *c, const wf_function *f, const wf_tensor *v, uint32_t n,
             wf_tensor *out)
{
    if (failed(c))
        return false;
    if (f->outputs == WF_ANY) {
        c->tensors->given.n = 0;
        return results_deliver_more(c, v, n);
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

bool function_check_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                wf_tensor *out, int nout, const char *fn)
{
    for (int j = 0; out && j < nout; j++)
        out[j] = WF_NONE;
    return function_check(c, f, fn) && has_count(c, fn, "inputs", in, nin, f->inputs) &&
           has_count(c, fn, "places of results", out, nout,
                     f->outputs == WF_ANY ? 0 : f->outputs);
}

bool function_check(wf_ctx *c, const wf_function *f, const char *fn)
{
    if (failed(c) || !ts(c))
        return false;
    if (f && f->size < sizeof *f) {
        tensor_fail(c, WF_ERR_ARG, "%s: the function does not say its size (WF_FUNCTION)", fn);
        return false;
    }
    if (!f || !f->call || f->inputs < 0 || (f->outputs < 1 && f->outputs != WF_ANY)) {
        tensor_fail(c, WF_ERR_ARG, "%s: needs a function with at least one result", fn);
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
    if (!function_call(c, f, in, &res))
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

bool function_trace(wf_ctx *c, const wf_function *f, InType *types, TraceKind kind,
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
            x->layout = types[i].layout;
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

InType *function_types(wf_ctx *c, const char *fn, const wf_tensor *in, int n)
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
        t[i].layout = layout_explicit(c, tensor_get(c, in[i], fn));
    }
    return t;
}

bool function_trace_on(wf_ctx *c, const char *fn, const wf_function *f,
                       const wf_tensor *in, TraceKind kind, Traced *out)
{
    InType *t;
    bool ok;

    if (!function_check(c, f, fn) || !(t = function_types(c, fn, in, f->inputs)))
        return false;
    ok = function_trace(c, f, t, kind, NULL, out);
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

    if (!SET_OUT(c, out) || !function_check(c, f, "wf_trace") ||
        !has_count(c, "wf_trace", "inputs", example, n, f->inputs) ||
        !function_trace_on(c, "wf_trace", f, example, TRACE_CLOSED, &t))
        return ctx_status(c);
    if (t.ncaptures)
        tensor_fail(c, WF_ERR_VALUE,
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

bool function_spec(wf_ctx *c, Trace *tr, const char *fn, const char *type,
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
        tensor_fail(c, WF_ERR_SYNTAX, "%s: '%s' is not a type such as f32[N,784]", fn,
              type ? type : "(null)");
        return false;
    }
    *out_dtype = t.dtype;
    *out = t.s;
    return !failed(c);
}

bool function_trace_closed(wf_ctx *c, const char *fn, const wf_function *f,
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
            tensor_fail(c, WF_ERR_VALUE, "%s: the function uses a symbolic tensor from outside",
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

const char *function_spec_name(const char **type, char *name)
{
    size_t n = *type ? strcspn(*type, ":[") : 0;

    if (!n || n >= SPEC_NAME || (*type)[n] != ':')
        return NULL;
    memcpy(name, *type, n);
    name[n] = '\0';
    *type += n + 1;
    *type += strspn(*type, " ");
    return name;
}

static bool inputs_of_types(wf_ctx *c, const wf_function *f, void *user, wf_tensor *in)
{
    const char *const *types = user;

    for (int i = 0; i < f->inputs && !failed(c); i++) {
        char room[SPEC_NAME];
        const char *type = types[i], *name = function_spec_name(&type, room);
        wf_dtype d;
        Shape s;

        if (function_spec(c, c->tensors->trace, "wf_trace_types", type, &d, &s))
            in[i] = trace_input(c, c->tensors->trace, name, d, s.d, s.rank);
    }
    return !failed(c);
}

wf_status wf_trace_types(wf_ctx *c, const wf_function *f, const char *const *types, int n,
                         const wf_program **out)
{
    Traced t = {0};

    if (!SET_OUT(c, out))
        return ctx_status(c);
    if (!function_check(c, f, "wf_trace_types") ||
        !has_count(c, "wf_trace_types", "types", types, n, f->inputs))
        return ctx_status(c);
    if (function_trace_closed(c, "wf_trace_types", f, inputs_of_types, (void *)(uintptr_t)types,
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
        tensor_fail(c, WF_ERR_ARG, "wf_apply: the program is NULL");
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
    wf_tensor d, cast;

    if (!x || !y)
        return;
    if (x->rank != y->rank ||
        (x->rank && memcmp(x->dims, y->dims, x->rank * sizeof *x->dims))) {
        tensor_fail(c, WF_ERR_VALUE,
              "wf_trace_check: result %u of the function has type %s, of its trace %s", j,
              shape_text(c, x), shape_text(c, y));
        return;
    }
    if (wf_item(c, wf_all(c, wf_is_close(c, a, b, rtol, atol), NULL, 0, false)) != 0)
        return;
    cast = float_cast(c, b, "");
    d = wf_max(c, wf_abs(c, wf_sub(c, float_cast(c, a, ""), cast)), NULL, 0, false);
    number_f64(text, wf_item(c, d));
    tensor_fail(c, WF_ERR_VALUE,
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

    if (!function_check(c, f, "wf_trace_check") ||
        !NEEDS(c, p && p->nin == (uint32_t)f->inputs) ||
        !has_count(c, "wf_trace_check", "inputs", in, n, f->inputs))
        return ctx_status(c);
    if (!(v = mem_alloc(&c->al, (p->nout + 1) * sizeof *v))) {
        fail_memory(c);
        return ctx_status(c);
    }
    scope_open(c);
    wf_no_grad_begin(c);
    if (function_call(c, f, in, &r) && tensor_call(c, p, in, p->nin, v, p->nout) &&
        r.n != p->nout)
        tensor_fail(c, WF_ERR_VALUE,
              "wf_trace_check: the function has %u results, its trace %u", r.n, p->nout);
    for (uint32_t j = 0; j < r.n && !failed(c); j++)
        compare_results(c, j, r.v[j], v[j], rtol, atol);
    results_free(c, &r);
    wf_no_grad_end(c);
    scope_close_n(c, NULL, 0);
    mem_free(&c->al, v, (p->nout + 1) * sizeof *v);
    return ctx_status(c);
}
