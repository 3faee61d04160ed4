/* lib_laws.c -- what the transforms promise of any program, as checks on one program at random inputs. Every law
 * compares a transform with an independent one, or with plain evaluation, by the eval rules alone:
 *
 *   jvp is a central difference; <gy, J dx> = <J^T gy, dx>; linearize is jvp; both again for the gradient
 *   partition, merged again, is the program; the two halves of split are vjp, those of record jvp
 *   vmap is a loop; jacfwd = jacrev, and J dx = jvp
 *   for a scalar result hvp = H v = a difference of gradients, H is symmetric, and grad and vmap commute
 *   symbolic sizes give what constants give; text is read as it was written
 *   custom_vjp with the derivative it would have anyway changes nothing
 *   collectives: derivatives before the vmap that binds their axis are those after it
 */
#include "lib_check.h"

#include <math.h>

#define TRY(expr, law)                                                                   \
    do {                                                                                 \
        const char *why_ = (expr);                                                       \
        if (why_)                                                                        \
            return arena_printf(&cx->scratch, law ": %s", why_);                         \
    } while (0)
#define GO(cond)                                                                         \
    if (!(cond))                                                                         \
    return failed(cx) ? arena_strdup(&cx->scratch, wf_ctx_message(cx)) : #cond

#define MAX_WRT 16

/* A program at its inputs, with what the laws of its derivatives need. */
typedef struct Point {
    const Program *p;
    Nd *x, *y;
    int wrt[MAX_WRT], nwrt; /* float inputs */
    uint32_t nfloat;        /* float results */
    Nd *dx, *gy;            /* a direction, a cotangent for each */
} Point;

static Nd random_like(wf_ctx *cx, const Nd *x, Rng *rng)
{
    Nd v = nd_new(cx, x->dtype, x->dims, x->rank);

    for (int64_t i = 0; i < v.count; i++)
        nd_set(&v, i, rng_unit(rng) - 0.4);
    return v;
}

static const char *point_at(wf_ctx *cx, const Program *p, Nd *in, Rng *rng, Point *out)
{
    *out = (Point){.p = p, .x = in};
    GO((out->y = run_program(cx, p, in)));
    out->dx = arena_array(&cx->scratch, p->nin + 1, sizeof *out->dx);
    out->gy = arena_array(&cx->scratch, p->nout + 1, sizeof *out->gy);
    for (uint32_t i = 0; i < p->nin && out->nwrt < MAX_WRT; i++)
        if (dtype_is_float(in[i].dtype)) {
            out->dx[out->nwrt] = random_like(cx, &in[i], rng);
            out->wrt[out->nwrt++] = (int)i;
        }
    for (uint32_t j = 0; j < p->nout; j++)
        if (dtype_is_differentiable(out->y[j].dtype))
            out->gy[out->nfloat++] = random_like(cx, &out->y[j], rng);
    return NULL;
}

/* x.. and more behind */
static Nd *join(wf_ctx *cx, const Point *at, const Nd *more, uint32_t n)
{
    Nd *in = arena_array(&cx->scratch, at->p->nin + n + 1, sizeof *in);

    memcpy(in, at->x, at->p->nin * sizeof *in);
    memcpy(in + at->p->nin, more, n * sizeof *in);
    return in;
}

static const char *law_linearize(wf_ctx *cx, const Point *at)
{
    const Program *p = at->p, *j = xf_jvp_user(cx, p, at->wrt, at->nwrt), *f, *l;
    Nd *dy, *y, *d, *in;
    uint32_t nres;

    GO(j && xf_linearize(cx, p, at->wrt, at->nwrt, &f, &l) && is_valid(cx, f) &&
       is_valid(cx, l));
    nres = f->nout - p->nout;
    GO(l->nin == nres + (uint32_t)at->nwrt);
    GO((dy = run_program(cx, j, join(cx, at, at->dx, (uint32_t)at->nwrt))) &&
       (y = run_program(cx, f, at->x)));
    in = arena_array(&cx->scratch, l->nin + 1, sizeof *in);
    memcpy(in, y + p->nout, nres * sizeof *in);
    memcpy(in + nres, at->dx, (size_t)at->nwrt * sizeof *in);
    GO((d = run_program(cx, l, in)));
    for (uint32_t k = 0; k < p->nout; k++)
        TRY(nd_differ(cx, &y[k], &at->y[k], 0), "value by linearize");
    for (uint32_t k = 0; k < at->nfloat; k++)
        TRY(nd_differ(cx, &d[k], &dy[p->nout + k], 1e-10), "linearize = jvp");
    return NULL;
}

static const char *law_split(wf_ctx *cx, const Point *at)
{
    const Program *p = at->p, *v = xf_vjp(cx, p, at->wrt, at->nwrt), *fwd, *bwd;
    Nd *want, *f, *b, *in;
    uint32_t nsaved;

    GO(v && xf_split(cx, p, at->wrt, at->nwrt, &fwd, &bwd) && is_valid(cx, fwd) &&
       is_valid(cx, bwd));
    GO((want = run_program(cx, v, join(cx, at, at->gy, at->nfloat))) &&
       (f = run_program(cx, fwd, at->x)));
    nsaved = fwd->nout - p->nout;
    GO(bwd->nin == nsaved + at->nfloat);
    in = arena_array(&cx->scratch, bwd->nin + 1, sizeof *in);
    memcpy(in, f + p->nout, nsaved * sizeof *in);
    memcpy(in + nsaved, at->gy, at->nfloat * sizeof *in);
    GO((b = run_program(cx, bwd, in)));
    for (uint32_t k = 0; k < p->nout; k++)
        TRY(nd_differ(cx, &f[k], &want[k], 1e-12), "value by split");
    for (uint32_t k = 0; k < (uint32_t)at->nwrt; k++)
        TRY(nd_differ(cx, &b[k], &want[p->nout + k], 1e-10), "split = vjp");
    return NULL;
}

/* What the derivative takes are operands and results of the forward, so that nothing is computed twice. with_gradient: of a
 * scalar, recorded with its gradients. */
static const char *law_record(wf_ctx *cx, const Point *at, bool with_gradient)
{
    const Program *p = at->p, *j = xf_jvp_user(cx, p, at->wrt, at->nwrt), *f, *l;
    bool *wrt = arena_zalloc(&cx->scratch, p->nin + 1);
    Nd *want, *y, *d, *in;
    uint32_t n = 0, m = 0;
    Recording r;

    GO(j && (want = run_program(cx, j, join(cx, at, at->dx, (uint32_t)at->nwrt))));
    for (int k = 0; k < at->nwrt; k++)
        wrt[at->wrt[k]] = true;
    if ((!xf_record(cx, p, wrt, &r) || (with_gradient && !xf_record_gradient(cx, p, wrt, r.nz, &r))) &&
        cx->status == WF_ERR_NORULE) {
        wf_clear(cx); /* a while; no derivative; f16 */
        return NULL;
    }
    GO(!failed(cx) && is_valid(cx, r.forward) &&
       xf_close(cx, r.forward, r.linear, r.ntaken, &f, &l) && is_valid(cx, l));
    GO((y = run_program(cx, f, at->x)));
    in = arena_array(&cx->scratch, l->nin + 1, sizeof *in);
    for (; n < r.ntaken; n++)
        in[n] = r.taken[n] < p->nin ? at->x[r.taken[n]] : y[r.taken[n] - p->nin];
    for (uint32_t k = r.forward->nout; k < f->nout; k++)
        in[n++] = y[k];
    for (uint32_t i = 0; i < p->nin; i++)
        for (int k = 0; k < at->nwrt; k++)
            if (at->wrt[k] == (int)i)
                in[n++] = at->dx[k];
    GO(n == l->nin && (d = run_program(cx, l, in)));
    for (uint32_t k = 0; k < p->nout; k++)
        TRY(nd_differ(cx, &y[k], &at->y[k], 1e-12), "value by record");
    n = 0;
    for (uint32_t k = 0; k < p->nout; k++) {
        if (r.nz[k])
            TRY(nd_differ(cx, &d[n++], &want[p->nout + m], 1e-10), "record = jvp");
        m += dtype_is_differentiable((wf_dtype)val_type(p, p->outs[k]).dtype);
    }
    return NULL;
}

/* Blocks of shape y.shape + x.shape; those of one result, times dx and added up, are its tangent. */
static const char *law_jacobians(wf_ctx *cx, const Point *at)
{
    uint32_t nwrt = (uint32_t)at->nwrt;
    const Program *f = xf_jacfwd(cx, at->p, at->wrt, at->nwrt),
                  *r = xf_jacrev(cx, at->p, at->wrt, at->nwrt);
    const Program *j = xf_jvp_user(cx, at->p, at->wrt, at->nwrt);
    Nd *a, *b, *dy;

    for (uint32_t k = 0; k < at->p->nout; k++)
        if (dtype_is_complex(at->y[k].dtype)) /* no real matrix */
            return NULL;
    GO(is_valid(cx, f) && is_valid(cx, r) && j && f->nout == nwrt * at->nfloat);
    GO((a = run_program(cx, f, at->x)) && (b = run_program(cx, r, at->x)));
    GO((dy = run_program(cx, j, join(cx, at, at->dx, nwrt))));
    for (uint32_t k = 0; k < f->nout; k++) {
        Nd as = nd_new(cx, a[k].dtype, b[k].dims,
                       b[k].rank); /* forward has the dtype of y, reverse that of x */
        for (int64_t i = 0; i < as.count; i++)
            nd_set(&as, i, nd_get(&b[k], i));
        TRY(nd_differ(cx, &a[k], &as, 1e-9), "jacfwd = jacrev");
    }
    for (uint32_t m = 0; m < at->nfloat; m++) {
        const Nd *want = &dy[at->p->nout + m];
        Nd sum = nd_new(cx, want->dtype, want->dims, want->rank);
        for (uint32_t k = 0; k < nwrt; k++) {
            const Nd *block = &a[k * at->nfloat + m], *dx = &at->dx[k];
            GO(block->rank == want->rank + dx->rank &&
               block->count == want->count * dx->count);
            for (int64_t q = 0; q < block->count; q++)
                nd_set(&sum, q / dx->count,
                       nd_get(&sum, q / dx->count) +
                           nd_get(block, q) * nd_get(dx, q % dx->count));
        }
        TRY(nd_differ(cx, &sum, want, 1e-9), "J dx = jvp");
    }
    return NULL;
}

static const char *law_hessian(wf_ctx *cx, const Point *at)
{
    const Program *h = xf_hessian(cx, at->p, at->wrt, at->nwrt),
                  *v = xf_hvp(cx, at->p, at->wrt, at->nwrt);
    Nd *hm, *hv;
    int n = at->nwrt;

    GO(is_valid(cx, h) && is_valid(cx, v) && h->nout == (uint32_t)(n * n));
    GO((hm = run_program(cx, h, at->x)) &&
       (hv = run_program(cx, v, join(cx, at, at->dx, (uint32_t)n))));
    for (int a = 0; a < n; a++) {
        Nd want = nd_new(cx, hv[a].dtype, hv[a].dims, hv[a].rank);
        for (int b = 0; b < n; b++) {
            const Nd *block = &hm[a * n + b], *turned = &hm[b * n + a], *dx = &at->dx[b];
            GO(block->count == want.count * dx->count);
            for (int64_t q = 0; q < block->count; q++) {
                int64_t i = q / dx->count, k = q % dx->count;
                double x = nd_get(block, q), y = nd_get(turned, k * want.count + i);
                if (!(fabs(x - y) <= 1e-8 * (1 + fabs(y))) && !(isnan(x) && isnan(y)))
                    return "the hessian is not symmetric";
                nd_set(&want, i, nd_get(&want, i) + x * nd_get(dx, k));
            }
        }
        TRY(nd_differ(cx, &hv[a], &want, 1e-8), "hvp = hessian v");
    }
    return NULL;
}

/* [a, b] */
static Nd stack_two(wf_ctx *cx, const Nd *a, const Nd *b)
{
    int64_t dims[MAX_RANK + 1] = {2};
    size_t bytes = (size_t)a->count * wf_dtype_size(a->dtype);
    Nd x;

    memcpy(dims + 1, a->dims, a->rank * sizeof *dims);
    x = nd_new(cx, a->dtype, dims, a->rank + 1);
    if (bytes) {
        memcpy(x.data, a->data, bytes);
        memcpy((char *)x.data + bytes, b->data, bytes);
    }
    return x;
}

/* vmap(grad f) and grad(sum of vmap f) over a batch of two: per-sample gradients. The first result is a scalar. */
static const char *law_commute(wf_ctx *cx, const Case *c, const Point *at, Rng *rng)
{
    const Program *f = at->p, *vg, *vf, *gv;
    int *axes = arena_zalloc(&cx->scratch, (f->nin + 1) * sizeof *axes);
    Nd *other = case_inputs(cx, c, rng),
       *in = arena_array(&cx->scratch, f->nin + 1, sizeof *in), *x, *y;

    GO((vg = xf_grad(cx, f, at->wrt, at->nwrt, false)) &&
       (vg = xf_vmap(cx, vg, axes, NULL, 2, NULL)) && (vf = xf_vmap(cx, f, axes, NULL, 2, NULL)) &&
       (gv = xf_vjp(cx, vf, at->wrt, at->nwrt)));
    for (uint32_t i = 0; i < f->nin; i++)
        in[i] = stack_two(cx, &at->x[i], &other[i]);
    in[f->nin] = nd_new(cx, at->y[0].dtype, (int64_t[]){2}, 1);
    nd_set(&in[f->nin], 0, 1);
    nd_set(&in[f->nin], 1, 1);
    GO((x = run_program(cx, vg, in)) && (y = run_program(cx, gv, in)));
    for (int k = 0; k < at->nwrt; k++)
        TRY(nd_differ(cx, &x[k], &y[1 + k], 1e-9), "vmap and grad commute");
    return NULL;
}

/* One program of the two: known on the known inputs, rest on its residuals and the other inputs. */
static const Program *merge(wf_ctx *cx, const Program *p, const Split *s,
                            const bool *known)
{
    Builder *b = builder_new(cx, "merged", B_VERBATIM);
    Val *in = arena_array(&b->arena, p->nin + 1, sizeof *in),
        *k = arena_array(&b->arena, s->known->nout + 1, sizeof *k);
    Val *rin = arena_array(&b->arena, s->rest->nin + p->nin + 1, sizeof *rin),
        *r = arena_array(&b->arena, p->nout + 1, sizeof *r);
    Val *out = arena_array(&b->arena, p->nout + 1, sizeof *out);
    uint32_t n = 0, nk = 0, nr = 0;
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->nin; i++)
        if (known[i])
            in[n++] = c.val[program_in(p, i)];
    if (s->known->nin != n || s->rest->nin != s->nres + p->nin - n ||
        !b_inline(b, s->known, xf_binds(b, s->known, NULL, 0), in, k, NULL))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        if (s->out_known[j])
            out[j] = k[nk++];
    for (n = 0; n < s->nres; n++) {
        rin[n] = k[nk + n];
        if (s->res_input[n] >= 0 &&
            rin[n] != c.val[program_in(p, (uint32_t)s->res_input[n])])
            return NULL;
    }
    for (uint32_t i = 0; i < p->nin; i++)
        if (!known[i])
            rin[n++] = c.val[program_in(p, i)];
    if (!b_inline(b, s->rest, xf_binds(b, s->rest, NULL, 0), rin, r, NULL))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        if (!s->out_known[j])
            out[j] = r[nr++];
    return builder_finish(b, out, p->nout);
}

static const char *law_partition(wf_ctx *cx, const Program *p, const Nd *in,
                                 uint64_t mask)
{
    bool *known = arena_zalloc(&cx->scratch, p->nin + 1),
         *unknown = arena_zalloc(&cx->scratch, p->nout + 1);
    const Program *m;
    Nd *got, *want;
    Split s;

    for (uint32_t i = 0; i < p->nin; i++)
        known[i] = mask >> i & 1;
    unknown[0] = mask & 1;
    GO(xf_partition(cx, p, known, unknown, &s));
    TRY(check_text(cx, s.known), "known part");
    TRY(check_text(cx, s.rest), "rest");
    GO((m = merge(cx, p, &s, known)) && program_verify(cx, m));
    GO((got = run_program(cx, m, in)) && (want = run_program(cx, p, in)));
    for (uint32_t j = 0; j < p->nout; j++) {
        TRY(nd_differ(cx, &got[j], &want[j], 1e-12), "partition, then merge");
        if (unknown[j] && s.out_known[j])
            return "a result that was to be unknown is known";
    }
    return NULL;
}

static const char *law_specialise(wf_ctx *cx, const Case *c, const Nd *in)
{
    Nd *a, *b;
    const Program *q;

    for (uint32_t i = 0; i < c->p->dims.syms.n; i++)
        if (c->sizes[i] >= 0) {
            GO((q = program_specialise(cx, c->p, &c->p->dims.syms.v[i].name, &c->sizes[i],
                                       1)) &&
               (a = run_program(cx, c->p, in)) && (b = run_program(cx, q, in)));
            for (uint32_t j = 0; j < q->nout; j++)
                TRY(nd_differ(cx, &b[j], &a[j], 1e-12), "symbolic = concrete");
        }
    return NULL;
}

/* ---- custom_vjp: the derivative given is the one it would have anyway ---- */

static const Program *without_customs(wf_ctx *cx, const Program *p);

static Sub without_customs_in(Builder *b, const Sub *s)
{
    const Program *p = s->p ? without_customs(b->cx, s->p) : NULL;

    return p && p != s->p ? sub_like(b, s, p) : *s;
}

/* p with every custom_vjp a call of its primal; p itself if it has none. */
static const Program *without_customs(wf_ctx *cx, const Program *p)
{
    Builder *b = builder_new(cx, p->name, B_VERBATIM);
    bool changed = false;
    Val *outs = arena_array(&cx->scratch, p->nout + 1, sizeof *outs);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        if (!op_has(e->op, OPF_CONTROL)) {
            copier_eqn(&c, e);
            continue;
        }
        void *attr = copier_attr(&c, e);
        OpCode op = e->op == OP_custom_vjp ? OP_call : (OpCode)e->op;
        changed |= op != (OpCode)e->op;
        for (const AttrField *f = op_row(e->op)->attrs; f->name; f++) {
            Sub *s = (Sub *)(void *)((char *)attr + f->offset);
            Subs *many = (Subs *)(void *)((char *)attr + f->offset);
            uint32_t n = f->kind == A_SUB ? 1 : f->kind == A_SUBS ? many->n : 0;
            Sub *now = arena_array(&b->arena, n + 1, sizeof *now);
            for (uint32_t k = 0; k < n; k++) {
                const Sub *was = f->kind == A_SUB ? s : &many->v[k];
                now[k] = without_customs_in(b, was);
                changed |= now[k].p != was->p;
            }
            if (f->kind == A_SUB)
                *s = now[0];
            else if (f->kind == A_SUBS)
                many->v = now;
        }
        Val *in = arena_array(&b->arena, e->nin + 1, sizeof *in), *out;
        uint32_t n;
        for (uint32_t k = 0; k < e->nin; k++)
            in[k] = c.val[eqn_in(p, e)[k]];
        out = b_eqn_n(b, op, in, e->nin, attr,
                      &n); /* primal, body: the first field of each */
        for (uint32_t k = 0; k < n; k++)
            c.val[e->out + k] = out[k];
    }
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return changed ? builder_finish(b, outs, p->nout) : p;
}

/* The same results at the same inputs? */
static const char *same_results(wf_ctx *cx, const Program *a, const Program *b,
                                const Nd *in)
{
    Nd *x, *y;

    GO(a && b && (x = run_program(cx, a, in)) && (y = run_program(cx, b, in)));
    for (uint32_t j = 0; j < b->nout; j++)
        TRY(nd_differ(cx, &x[j], &y[j], 1e-9), "results differ");
    return NULL;
}

/* grad, grad of grad, vmap of grad and grad of vmap of p are those of q. */
static const char *law_custom(wf_ctx *cx, const Case *c, const Program *q, const Nd *in,
                              Rng *rng)
{
    int axes[16] = {0}, wrt[] = {0};
    const Program *p[2] = {c->p, q}, *v[2], *g[2], *gg[2], *vg[2], *gv[2];
    uint32_t nin = c->p->nin;
    Nd *args = arena_array(&cx->scratch, nin + 3, sizeof *args),
       *many = arena_array(&cx->scratch, nin + 3, sizeof *many);

    for (int k = 0; k < 2; k++) {
        GO((p[k] = xf_select(cx, p[k], (uint32_t[]){0}, 1)));
        GO((v[k] = xf_vmap(cx, p[k], axes, NULL, 2, NULL)) &&
           (g[k] = xf_vjp(cx, p[k], wrt, 1)));
        GO((gg[k] = xf_vjp(cx, g[k], wrt, 1)) &&
           (vg[k] = xf_vmap(cx, g[k], axes, NULL, 2, NULL)) &&
           (gv[k] = xf_vjp(cx, v[k], wrt, 1)));
    }
    memcpy(args, in, nin * sizeof *args);
    args[nin] = args[nin + 1] = nd_new(cx, WF_F64, NULL, 0);
    nd_set(&args[nin], 0, 0.7);
    args[nin + 2] = in[0]; /* the cotangent of the gradient */
    for (uint32_t i = 0; i < nin + 1; i++)
        many[i] =
            stack_two(cx, &args[i], i < nin ? &case_inputs(cx, c, rng)[i] : &args[i]);
    TRY(same_results(cx, p[0], p[1], in), "value of custom_vjp");
    TRY(same_results(cx, v[0], v[1], many), "vmap of custom_vjp");
    TRY(same_results(cx, g[0], g[1], args), "gradient of custom_vjp");
    TRY(same_results(cx, gg[0], gg[1], args), "gradient of gradient of custom_vjp");
    TRY(same_results(cx, vg[0], vg[1], many), "vmap of gradient of custom_vjp");
    TRY(same_results(cx, gv[0], gv[1], many), "gradient of vmap of custom_vjp");
    return NULL;
}

/* For result 0, if it is a float scalar. */
static const char *laws_of_scalar(wf_ctx *cx, const Case *c, const Nd *in, Rng *rng,
                                  bool vmap)
{
    Type t = val_type(c->p, c->p->outs[0]);
    const Program *s;
    Point at;

    if (t.rank || !dtype_is_float((wf_dtype)t.dtype))
        return NULL;
    GO((s = xf_select(cx, c->p, (uint32_t[]){0}, 1)));
    TRY(point_at(cx, s, arena_dup(&cx->scratch, in, s->nin * sizeof *in), rng, &at),
        "value");
    if (!at.nwrt)
        return NULL;
    TRY(law_hessian(cx, &at), "hessian");
    TRY(law_record(cx, &at, true), "record with gradients");
    if (vmap)
        TRY(law_commute(cx, c, &at, rng), "commute");
    return NULL;
}

Case case_of(wf_ctx *cx, const Program *p, uint64_t seed)
{
    Case c = {.p = p};
    Rng rng = {seed};

    c.in = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *c.in);
    c.sizes = arena_array(&cx->scratch, p->dims.syms.n + 1, sizeof *c.sizes);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        c.sizes[i] = p->dims.syms.v[i].origin == SYM_EQN
                         ? -1
                         : rng_int(&rng, 1, 3) - (*p->dims.syms.v[i].name == 'Z');
    return c;
}

const char *check_case_laws(wf_ctx *cx, const Case *c, uint64_t seed)
{
    const Program *p = c->p, *plain;
    Rng rng = {seed ^ 0xabcdef};
    Nd *in = case_inputs(cx, c, &rng);
    Point at;
    int64_t count = 0;

    TRY(check_text(cx, p), "text");
    TRY(point_at(cx, p, in, &rng, &at), "value");
    GO((plain = without_customs(cx, p)));
    if (plain != p) { /* forward mode cannot go through it */
        TRY(law_custom(cx, c, plain, in, &rng), "custom");
        TRY(check_vmap(cx, c, &rng), "vmap");
        TRY(law_split(cx, &at), "split");
        TRY(law_specialise(cx, c, in), "specialise");
        return NULL;
    }
    TRY(check_jvp(cx, p, in, &rng), "jvp");
    TRY(check_vjp(cx, p, in, &rng), "vjp");
    TRY(check_second(cx, p, in, &rng), "grad of grad");
    for (int k = 0; k < at.nwrt; k++)
        count += in[at.wrt[k]].count;
    if (at.nwrt && at.nfloat) {
        TRY(law_linearize(cx, &at), "linearize");
        TRY(law_split(cx, &at), "split");
        TRY(law_record(cx, &at, false), "record");
        if (count <= 24) /* work grows with its square */
            TRY(law_jacobians(cx, &at), "jacobians");
        if (count <= 24)
            TRY(laws_of_scalar(cx, c, in, &rng, !c->novmap), "second order");
    }
    uint64_t some = rng_next(&rng);
    TRY(law_partition(cx, p, in, some), "partition");
    TRY(law_partition(cx, p, in, ~some), "partition");
    TRY(law_specialise(cx, c, in), "specialise");
    if (!c->novmap)
        TRY(check_vmap(cx, c, &rng), "vmap");
    return NULL;
}

const char *check_laws(wf_ctx *cx, const Program *p, uint64_t seed)
{
    Case c = case_of(cx, p, seed);

    return check_case_laws(cx, &c, seed);
}

void keep_laws(wf_ctx *cx, const Program *p, bool vmap)
{
    Case c;
    const char *why;

    REQUIRE(p != NULL);
    c = case_fixed(cx, p);
    c.novmap = !vmap;
    why = check_case_laws(cx, &c, 1);
    if (why)
        FAIL("%s: %s", p->name, why);
}

/* p speaks over the axis "i": jvp and vjp come before and after the vmap that binds it; and the program it then is
 * keeps all other laws. */
const char *check_speaking(wf_ctx *cx, const Program *p, uint64_t seed)
{
    int axes[16] = {0}, wrt[16], n = 0;
    const Program *v = xf_vmap(cx, p, axes, "i", 2, NULL), *a, *b;
    Case c;
    Rng rng = {seed ^ 0xfedcba};
    Nd *in, *out, *args;

    GO(v);
    TRY(check_text(cx, p), "text");
    c = case_of(cx, v, seed);
    in = case_inputs(cx, &c, &rng);
    for (uint32_t i = 0; i < p->nin; i++)
        if (dtype_is_float(in[i].dtype))
            wrt[n++] = (int)i;
    args = arena_array(&cx->scratch, p->nin + p->nout + (uint32_t)n, sizeof *args);
    memcpy(args, in, p->nin * sizeof *args);
    for (int k = 0; k < n; k++)
        args[p->nin + (uint32_t)k] = in[wrt[k]];
    GO((a = xf_jvp_user(cx, p, wrt, n)) && (a = xf_vmap(cx, a, axes, "i", 2, NULL)) &&
       (b = xf_jvp_user(cx, v, wrt, n)));
    TRY(same_results(cx, a, b, args), "jvp, then vmap of collectives");
    GO((out = run_program(cx, v, in)));
    for (uint32_t j = 0, k = p->nin; j < p->nout; j++)
        if (dtype_is_differentiable(out[j].dtype))
            args[k++] = out[j];
    GO((a = xf_vjp(cx, p, wrt, n)) && (a = xf_vmap(cx, a, axes, "i", 2, NULL)) &&
       (b = xf_vjp(cx, v, wrt, n)));
    TRY(same_results(cx, a, b, args), "vjp, then vmap of collectives");
    /* one more vmap, of another name, outside and inside */
    TRY(check_vmap(cx, &c, &rng), "vmap of collectives");
    GO((a = xf_vmap(cx, p, axes, "j", 2, NULL)) &&
       (a = xf_vmap(cx, a, (int[16]){1, 1, 1, 1, 1, 1, 1, 1}, "i", 2, NULL)) &&
       (b = xf_vmap(cx, v, (int[16]){0}, "j", 2, NULL)));
    for (uint32_t i = 0; i < p->nin; i++)
        args[i] = stack_two(cx, &in[i], &in[i]);
    GO((in = run_program(cx, a, args)) && (out = run_program(cx, b, args)));
    for (uint32_t j = 0; j < p->nout;
         j++) /* i comes first in one, j in the other; both rows of j are alike */
        for (int64_t k = 0; k < in[j].count; k++) {
            int64_t row = in[j].count / 4, r = k / row;
            double x = nd_get(&in[j], k),
                   y = nd_get(&out[j], (r % 2 * 2 + r / 2) * row + k % row);
            if (!(fabs(x - y) <= 1e-9 * (1 + fabs(y))) && !(x != x && y != y))
                return "vmaps of two names do not commute";
        }
    return NULL;
}
