/* derive.c -- derivatives of C functions: grad, jvp, and records that serve vjp and linearize.
 *
 * With concrete arguments and no trace open, the function runs on its values under a recorder (host
 * control flow on values works), and the record is transformed. Inside a trace it is traced into a
 * program, and the program is transformed.
 */
#include "higher/higher.h"

struct wf_record {
    int nx, ny;
    bool recorded; /* else traced */
    Tensor **x,
        **y; /* recorded: lifted arguments and results. traced: all inputs and captures; y unused */
    uint32_t nheld;
    const Program *p, *vjp, *jvp; /* traced; the derivatives are made when they are asked for */
    int *wrt;                     /* nx numbers of inputs */
    int nin;
};

void wf_record_free(wf_ctx *c, wf_record *r)
{
    IN_CALL(c);
    if (!c || ctx_elsewhere(c) || !r)
        return;
    for (uint32_t i = 0; i < r->nheld; i++)
        tensor_release(c, r->x[i]);
    mem_free(&c->al, r->x, (r->nheld + 1) * sizeof *r->x);
    if (r->wrt)
        mem_free(&c->al, r->wrt, ((size_t)r->nx + 1) * sizeof *r->wrt);
    program_release(r->p);
    program_release(r->vjp);
    program_release(r->jvp);
    mem_free(&c->al, r, sizeof *r);
}

static wf_record *record_new(wf_ctx *c, int nx, int ny, uint32_t nheld)
{
    wf_record *r = mem_alloc(&c->al, sizeof *r);

    if (r) {
        memset(r, 0, sizeof *r);
        r->nx = nx;
        r->ny = ny;
        r->x = mem_alloc(&c->al, (nheld + 1) * sizeof *r->x);
    }
    if (!r || !r->x) {
        fail_memory(c);
        if (r)
            mem_free(&c->al, r, sizeof *r);
        return NULL;
    }
    memset(r->x, 0, (nheld + 1) * sizeof *r->x);
    r->nheld = nheld;
    return r;
}

/* x as an argument that the recorder follows, and through which outer recorders follow x. */
wf_tensor derive_lift(wf_ctx *c, wf_tensor x, int tape, const char *fn)
{
    Tensor *t = tensor_get(c, x, fn);
    wf_tensor h;

    if (!t)
        return WF_NONE;
    if (!dtype_is_differentiable((wf_dtype)t->dtype))
        return tensor_fail(c, WF_ERR_TYPE, "%s: derivatives need float arguments, got %s", fn,
                     shape_text(c, t));
    if (t->need & c->tensors->recorders)
        h = op_1(c, OP_name, x, &(NameAttr){"x"});
    else
        h = tensor_handle(c, tensor_alias(c, t));
    if (failed(c))
        return WF_NONE;
    wf_tape_watch(c, tape, h);
    return h;
}

static bool check_wrt(wf_ctx *c, const wf_function *f, const int *wrt, int nwrt,
                      const char *fn)
{
    if (!has_n(wrt, nwrt))
        return arg_fail(c, fn, "a list of inputs");
    for (int k = 0; k < nwrt; k++)
        if (wrt[k] < 0 || wrt[k] >= f->inputs) {
            tensor_fail(c, WF_ERR_INDEX, "%s: the function has no input %d", fn, wrt[k]);
            return false;
        }
    return true;
}

/* x for a function that may write into it: what it has then is not what x was. */
static wf_tensor same_history(wf_ctx *c, wf_tensor x, const char *fn)
{
    Tensor *t = tensor_get(c, x, fn), *v = t ? tensor_alias(c, t) : NULL;

    if (!v)
        return WF_NONE;
    history_take(c, v, t);
    return tensor_handle(c, v);
}

/* Run f with lifted arguments; hold arguments and results. */
static wf_record *run_recorded(wf_ctx *c, const wf_function *f, const wf_tensor *in,
                               const int *wrt, int nwrt, Results *y, const char *fn)
{
    Tensors *s = c->tensors;
    wf_record *r = NULL;
    wf_tensor *args;
    size_t room = ((size_t)f->inputs + (size_t)nwrt + 1) * sizeof *args;
    wf_tensor *x; /* what the derivatives are by */
    int tape, no_grad = s->no_grad;

    args = mem_alloc(&c->al, room);
    if (!args) {
        fail_memory(c);
        return NULL;
    }
    tape = wf_tape_begin(c);
    s->no_grad = 0;
    if (f->inputs)
        memcpy(args, in, (size_t)f->inputs * sizeof *args);
    x = args + f->inputs;
    for (int k = 0; k < nwrt && !failed(c); k++) {
        x[k] = derive_lift(c, args[wrt[k]], tape, fn);
        args[wrt[k]] = same_history(c, x[k], fn);
    }
    if (!failed(c) && function_call(c, f, args, y))
        r = record_new(c, nwrt, (int)y->n, (uint32_t)nwrt + y->n);
    if (r) {
        r->recorded = true;
        r->y = r->x + nwrt;
        for (int k = 0; k < nwrt && !failed(c); k++)
            r->x[k] = tensor_retain(tensor_get(c, x[k], fn));
        for (uint32_t j = 0; j < y->n && !failed(c); j++) {
            /* a copy of the handle's tensor: the caller may write into its own */
            Tensor *t = tensor_with_history(c, y->v[j], fn);
            if (t && (r->y[j] = tensor_alias(c, t)) != NULL)
                history_take(c, r->y[j], t);
        }
    }
    s->no_grad = no_grad;
    wf_tape_end(c, tape);
    mem_free(&c->al, args, room);
    if (!failed(c))
        return r;
    wf_record_free(c, r);
    return NULL;
}

/* The derivative program of a traced record. */
static const Program *derivative_of(wf_ctx *c, wf_record *r, bool reverse)
{
    const Program **slot = reverse ? &r->vjp : &r->jvp, *p;

    if (*slot)
        return *slot;
    T_ENTER(c, NULL)
    p = xf_pure(c, r->p); /* the effects were had when r was made */
    *slot = program_retain(reverse ? xf_vjp(c, p, r->wrt, r->nx) : xf_jvp_user(c, p, r->wrt, r->nx));
    T_LEAVE(c);
    return failed(c) ? NULL : *slot;
}

static bool keep_program(wf_ctx *c, wf_record *r, const Program *p, const int *wrt)
{
    size_t room = ((size_t)r->nx + 1) * sizeof *r->wrt;

    if (!(r->wrt = mem_alloc(&c->al, room)))
        return fail_memory(c);
    if (r->nx)
        memcpy(r->wrt, wrt, (size_t)r->nx * sizeof *r->wrt);
    r->p = program_retain(p);
    return true;
}

static wf_record *run_traced(wf_ctx *c, const wf_function *f, const wf_tensor *in,
                             const int *wrt, int nwrt, Results *y, const char *fn)
{
    Traced t;
    wf_record *r = NULL;

    if (!function_trace_on(c, fn, f, in, TRACE_OPEN, &t))
        return NULL;
    traced_mark_vary(c, &t, in);
    if (!(y->v = mem_alloc(&c->al, (t.nout + 1) * sizeof *y->v))) {
        fail_memory(c);
    } else {
        y->cap = t.nout + 1;
        y->n = t.nout;
        if (traced_apply(c, &t, t.p, in, (uint32_t)f->inputs, NULL, 0, y->v))
            r = record_new(c, nwrt, (int)t.nout, t.nin + t.ncaptures);
    }
    if (r) {
        r->nin = f->inputs;
        for (int i = 0; i < f->inputs; i++)
            r->x[i] = tensor_retain(tensor_get(c, in[i], fn));
        for (uint32_t i = 0; i < t.ncaptures; i++)
            r->x[t.nin + i] = tensor_retain(t.captures[i]);
        if (!keep_program(c, r, t.p, wrt)) {
            wf_record_free(c, r);
            r = NULL;
        }
    }
    traced_free(c, &t);
    return r;
}

/* y: the results, to be freed, also after an error. */
static wf_record *make_record(wf_ctx *c, const wf_function *f, const wf_tensor *in,
                              const int *wrt, int nwrt, bool traced, Results *y, const char *fn)
{
    static const int first[] = {0};

    memset(y, 0, sizeof *y);
    if (!wrt) {
        wrt = first;
        nwrt = 1;
    }
    if (!check_wrt(c, f, wrt, nwrt, fn))
        return NULL;
    return traced || c->tensors->trace
               ? run_traced(c, f, in, wrt, nwrt, y, fn)
               : run_recorded(c, f, in, wrt, nwrt, y, fn);
}

/* The result as outer recorders see it: the value the function gave has this recorder's history too, which does no
 * harm, since its tape has ended. */
static wf_record *record_function(wf_ctx *c, const wf_function *f, const wf_tensor *in,
                                  int nin, const int *wrt, int nwrt, bool traced, wf_tensor *y,
                                  int ny, const char *fn)
{
    wf_record *r;
    Results res;

    if (!function_check_call(c, f, in, nin, y, ny, fn))
        return NULL;
    scope_open(c);
    r = make_record(c, f, in, wrt, nwrt, traced, &res, fn);
    scope_close_n(c, res.v, r ? (int)res.n : 0);
    if (r && !results_deliver(c, f, res.v, res.n, y)) {
        wf_record_free(c, r);
        r = NULL;
    }
    results_free(c, &res);
    return r;
}

wf_status derive_record(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                        const int *wrt, int nwrt, bool traced, wf_tensor *y, int ny,
                        wf_record **out)
{
    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (SET_OUT(c, out))
        *out = record_function(c, f, in, nin, wrt, nwrt, traced, y, ny, "wf_record_new");
    return ctx_status(c);
}

wf_status wf_record_new(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                        const int *wrt, int nwrt, wf_tensor *y, int ny, wf_record **out)
{
    return derive_record(c, f, in, nin, wrt, nwrt, false, y, ny, out);
}

int wf_record_results(const wf_record *r) { return r ? r->ny : 0; }

static wf_tensor *handles_of(wf_ctx *c, Tensor **t, uint32_t n, uint32_t extra)
{
    wf_tensor *v = mem_alloc(&c->al, (n + extra + 1) * sizeof *v);

    if (!v) {
        fail_memory(c);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        v[i] = tensor_handle(c, tensor_retain(t[i]));
    return v;
}

static bool is_float_tensor(const Tensor *t)
{
    return dtype_is_differentiable((wf_dtype)t->dtype);
}

/* Float results of the recorded function: those that have cotangents. */
static bool recorded_vjp(wf_ctx *c, const wf_record *r, const wf_tensor *gy,
                         wf_tensor *gx)
{
    uint32_t nx = (uint32_t)r->nx, ny = (uint32_t)r->ny, n = 0;
    wf_tensor *v = handles_of(c, r->x, nx + ny, 2 * ny), *ys, *gs;

    if (!v)
        return false;
    ys = v + nx + ny;
    gs = ys + ny;
    for (uint32_t j = 0; j < ny; j++)
        if (is_float_tensor(r->y[j]) && !wf_is_none(gy[j])) {
            ys[n] = v[nx + j];
            gs[n++] = gy[j];
        }
    history_vjp(c, ys, gs, n, v, nx, GRAD_KEEP | GRAD_CREATE, gx);
    for (uint32_t i = 0; i < nx && !failed(c); i++)
        if (wf_is_none(gx[i]))
            gx[i] = wf_zeros_like(c, v[i]);
    mem_free(&c->al, v, (nx + 3 * ny + 1) * sizeof *v);
    return !failed(c);
}

static bool recorded_jvp(wf_ctx *c, const wf_record *r, const wf_tensor *dx,
                         wf_tensor *dy)
{
    uint32_t nx = (uint32_t)r->nx, ny = (uint32_t)r->ny;
    wf_tensor *v = handles_of(c, r->x, nx + ny, 0);

    if (!v)
        return false;
    history_jvp(c, v + nx, ny, v, dx, nx, GRAD_KEEP | GRAD_CREATE, dy);
    for (uint32_t j = 0; j < ny && !failed(c); j++)
        if (wf_is_none(dy[j]))
            dy[j] = wf_zeros_like(c, v[nx + j]);
    mem_free(&c->al, v, (nx + ny + 1) * sizeof *v);
    return !failed(c);
}

/* (x.., s..) -> (y.., r..): apply and give r. Seeds and results of float y only. */
static bool traced_derivative(wf_ctx *c, wf_record *r, bool reverse,
                              const wf_tensor *seed, int nseed, bool skip_int_seeds,
                              wf_tensor *out, int nout, bool skip_int_outs)
{
    const Program *p = derivative_of(c, r, reverse);
    wf_tensor *v = p ? handles_of(c, r->x, r->nheld, (uint32_t)nseed) : NULL,
              *res = v ? mem_alloc(&c->al, (p->nout + 1) * sizeof *res) : NULL;
    uint32_t n = r->nheld, k = (uint32_t)r->ny;
    bool ok = false;

    if (!p)
        return false;
    if (!res)
        fail_memory(c);
    if (v && res) {
        for (int i = 0; i < nseed; i++)
            if (!skip_int_seeds ||
                dtype_is_differentiable((wf_dtype)val_type(p, p->outs[i]).dtype))
                v[n++] = seed[i];
        ok = tensor_call(c, p, v, n, res, p->nout);
        for (int i = 0; i < nout && ok; i++) {
            bool has =
                !skip_int_outs || dtype_is_differentiable((wf_dtype)val_type(p, p->outs[i]).dtype);
            out[i] = has ? res[k++] : wf_zeros_like(c, res[i]);
        }
    }
    if (v)
        mem_free(&c->al, v, (r->nheld + (uint32_t)nseed + 1) * sizeof *v);
    if (res)
        mem_free(&c->al, res, (p->nout + 1) * sizeof *res);
    return ok && !failed(c);
}

wf_status wf_record_vjp(wf_ctx *c, wf_record *r, const wf_tensor *gy, int ny,
                        wf_tensor *gx, int nx)
{
    if (!NEEDS(c, r) || !has_count(c, "wf_record_vjp", "cotangents", gy, ny, r->ny) ||
        !has_count(c, "wf_record_vjp", "places of results", gx, nx, r->nx) || !ts(c))
        return ctx_status(c);
    for (int i = 0; i < r->nx; i++)
        gx[i] = WF_NONE;
    scope_open(c);
    if (r->recorded)
        recorded_vjp(c, r, gy, gx);
    else
        traced_derivative(c, r, true, gy, r->ny, true, gx, r->nx, false);
    scope_close_n(c, gx, r->nx);
    return ctx_status(c);
}

wf_status wf_record_jvp(wf_ctx *c, wf_record *r, const wf_tensor *dx, int nx,
                        wf_tensor *dy, int ny)
{
    if (!NEEDS(c, r) || !has_count(c, "wf_record_jvp", "tangents", dx, nx, r->nx) ||
        !has_count(c, "wf_record_jvp", "places of results", dy, ny, r->ny) || !ts(c))
        return ctx_status(c);
    for (int j = 0; j < r->ny; j++)
        dy[j] = WF_NONE;
    scope_open(c);
    if (r->recorded)
        recorded_jvp(c, r, dx, dy);
    else
        traced_derivative(c, r, false, dx, r->nx, false, dy, r->ny, true);
    scope_close_n(c, dy, r->ny);
    return ctx_status(c);
}

/* ---- grad, jvp in one call ---- */

/* Gradients of the first of the results y. */
static void grad_of_first(wf_ctx *c, wf_record *r, const Results *y, wf_tensor *out)
{
    Tensor *t = y->n ? tensor_get(c, y->v[0], "wf_grad_call") : NULL;
    wf_tensor *gy;

    if (!t || t->rank || !is_float_tensor(t)) {
        if (!failed(c))
            tensor_fail(c, WF_ERR_SHAPE,
                  "wf_grad_call: the first result must be a float scalar, got %s",
                  t ? shape_text(c, t) : "none");
        return;
    }
    if (!(gy = mem_alloc(&c->al, y->n * sizeof *gy))) {
        fail_memory(c);
        return;
    }
    gy[0] = wf_ones_like(c, y->v[0]);
    for (uint32_t j = 1; j < y->n; j++) /* others are auxiliary */
        gy[j] = r->recorded ? WF_NONE : wf_zeros_like(c, y->v[j]);
    wf_record_vjp(c, r, gy, r->ny, out, r->nx);
    mem_free(&c->al, gy, y->n * sizeof *gy);
}

wf_status wf_grad_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                       const int *wrt, int nwrt, wf_tensor *out_y, int ny,
                       wf_tensor *out_grads)
{
    int n = wrt ? nwrt : 1;
    uint32_t total;
    wf_tensor *keep;
    wf_record *r;
    Results y;

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    for (int i = 0; out_grads && i < n; i++)
        out_grads[i] = WF_NONE;
    if (!function_check(c, f, "wf_grad_call") ||
        !has_count(c, "wf_grad_call", "inputs", in, nin, f->inputs) ||
        !NEEDS(c, has_n(out_grads, n)) ||
        ((out_y || ny) && !has_count(c, "wf_grad_call", "places of results", out_y, ny,
                                     MAX(f->outputs, 0))))
        return ctx_status(c);
    scope_open(c);
    r = make_record(c, f, in, wrt, nwrt, false, &y, "wf_grad_call");
    if (r)
        grad_of_first(c, r, &y, out_grads);
    wf_record_free(c, r);
    total = (uint32_t)n + y.n;
    if (!(keep = mem_alloc(&c->al, (total + 1) * sizeof *keep)))
        fail_memory(c);
    if (keep && !failed(c)) {
        memcpy(keep, out_grads, (size_t)n * sizeof *keep);
        memcpy(keep + n, y.v, y.n * sizeof *keep);
    }
    scope_close_n(c, keep, failed(c) ? 0 : (int)total);
    if (keep)
        mem_free(&c->al, keep, (total + 1) * sizeof *keep);
    if (out_y || f->outputs == WF_ANY)
        results_deliver(c, f, y.v, y.n, out_y);
    results_free(c, &y);
    return ctx_status(c);
}

wf_status wf_jvp_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                      const int *wrt, int nwrt, const wf_tensor *dx, wf_tensor *y,
                      wf_tensor *dy, int ny)
{
    wf_record *r;
    wf_tensor *d = dy;
    size_t room;

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (!function_check_call(c, f, in, nin, dy, ny, "wf_jvp_call") ||
        !(r = record_function(c, f, in, nin, wrt, nwrt, false, y, ny, "wf_jvp_call")))
        return ctx_status(c);
    room = ((size_t)r->ny + 1) * sizeof *d;
    if (f->outputs == WF_ANY && !(d = mem_alloc(&c->al, room))) {
        fail_memory(c);
    } else {
        wf_record_jvp(c, r, dx, r->nx, d, r->ny);
        if (f->outputs == WF_ANY) { /* y.., then dy.. */
            results_deliver_more(c, d, (uint32_t)r->ny);
            mem_free(&c->al, d, room);
        }
    }
    wf_record_free(c, r);
    return ctx_status(c);
}
