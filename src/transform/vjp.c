/* vjp.c -- reverse mode: vjp, and linearize.
 *
 *   vjp         (x.., gy..) -> (y.., gx..)        gx = J(x)^T gy
 *   linearize   x.. -> (y.., residuals..)  and  (residuals.., dx..) -> dy..
 *
 * Method of vjp: forward mode is emitted into a builder; its equations that depend on the
 * tangent inputs are linear in them (linear.c); they are run backwards into the same
 * builder (transpose.c); finishing it drops the forward tangents, which nothing reads any
 * more. So reverse mode needs no derivative rules of its own, and the values the backward
 * part reads are simply there. linearize goes through partition.c.
 */
#include "transform/transform.h"

typedef struct Reverse {
    wf_ctx *cx;
    const Program *p;
    Builder *b;
    Linear linear;
    Val *x;  /* inputs */
    Val *dx; /* tangent inputs, VAL_NONE where not wrt */
    Val *y;  /* results */
    Val *dy; /* their tangents, VAL_NONE: zero */
} Reverse;

static void add_inputs(Reverse *r, Copier *c, const bool *wrt)
{
    const Program *p = r->p;

    copier_inputs(c);
    for (uint32_t i = 0; i < p->nin && !b_failed(r->b); i++) {
        r->x[i] = c->val[program_in(p, i)];
        if (!wrt[i])
            continue;
        r->dx[i] = b_input(r->b, NULL, b_type(r->b, r->x[i]));
        linear_add(&r->linear, r->dx[i]);
    }
}

/* Straight programs: forward mode directly into the builder. */
static bool emit_straight(Reverse *r, const bool *wrt, const char *via)
{
    const Program *p = r->p;
    Val *tangent = arena_zalloc(&r->b->arena, (p->nvals + 1) * sizeof *tangent);
    Copier c;

    copier_init(&c, r->b, p, NULL, via);
    add_inputs(r, &c, wrt);
    for (uint32_t i = 0; i < p->nin; i++)
        tangent[program_in(p, i)] = r->dx[i];
    if (b_failed(r->b) || !jvp_emit(&c, tangent))
        return false;
    for (uint32_t j = 0; j < p->nout; j++) {
        r->y[j] = c.val[p->outs[j]];
        r->dy[j] = tangent[p->outs[j]];
    }
    return true;
}

/* With control flow: forward mode first, then a copy in which loops and branches are
 * split. */
static bool emit_control(Reverse *r, const bool *wrt, const char *via)
{
    bool *nz = arena_zalloc(&r->b->arena, r->p->nout + 1u);
    int *order = arena_array(&r->b->arena, r->p->nin + 1u, sizeof *order), n = 0;
    const Program *j;
    uint32_t ndx = 0, ndy = 0;
    Copier c;

    for (uint32_t i = 0; i < r->p->nin; i++)
        if (wrt[i])
            order[n++] = (int)i;
    if (!(j = jvp_program(r->cx, r->p, order, n, true, NULL, nz, via)))
        return false;
    copier_init(&c, r->b, j, NULL, NULL);
    for (uint32_t i = 0; i < j->nin && !b_failed(r->b); i++) {
        Val v = program_in(j, i);
        bool primal = i < r->p->nin;

        c.val[v] = b_input(r->b, primal ? j->names[j->vals[v].name] : NULL,
                           copier_type(&c, val_type(j, v)));
        if (primal)
            r->x[i] = c.val[v];
        else
            linear_add(&r->linear, c.val[v]);
    }
    for (uint32_t i = 0; i < r->p->nin; i++)
        if (wrt[i])
            r->dx[i] = c.val[program_in(j, r->p->nin + ndx++)];
    if (b_failed(r->b) || !linear_copy(&r->linear, &c))
        return false;
    for (uint32_t k = 0; k < r->p->nout; k++) {
        r->y[k] = c.val[j->outs[k]];
        if (nz[k])
            r->dy[k] = c.val[j->outs[r->p->nout + ndy++]];
    }
    return true;
}

/* The forward part. */
static bool reverse_begin(Reverse *r, wf_ctx *cx, const Program *p, const bool *wrt,
                          const char *via)
{
    Builder *b = builder_new(cx, xf_name(cx, p->name, via), B_OPTIMISE);

    *r = (Reverse){.cx = cx, .p = p, .b = b};
    linear_init(&r->linear, b);
    r->x = arena_zalloc(&b->arena, (p->nin + 1) * sizeof(Val));
    r->dx = arena_zalloc(&b->arena, (p->nin + 1) * sizeof(Val));
    r->y = arena_zalloc(&b->arena, (p->nout + 1) * sizeof(Val));
    r->dy = arena_zalloc(&b->arena, (p->nout + 1) * sizeof(Val));
    return p->nsubs ? emit_control(r, wrt, via) : emit_straight(r, wrt, via);
}

/* The backward part: gx[i] for the inputs with a tangent, zeros made. */
static bool reverse_run(Reverse *r, const Val *gy, Val *gx)
{
    Builder *b = r->b;
    Val *ct = arena_zalloc(&b->arena, (b->vals.n + 1) * sizeof *ct);

    linear_mark(&r->linear);
    for (uint32_t j = 0; j < r->p->nout; j++) {
        Val d = r->dy[j];

        if (gy[j] && d && is_linear(&r->linear, d))
            ct[d] = ct[d] ? b_add(b, ct[d], gy[j]) : gy[j];
    }
    if (b_failed(b) || !transpose_emit(&r->linear, ct))
        return false;
    b->place = 0;
    for (uint32_t i = 0; i < r->p->nin; i++) {
        if (!r->dx[i])
            continue;
        gx[i] = ct[r->dx[i]] ? ct[r->dx[i]] : b_zeros_like(b, r->x[i]);
        b_name(b, gx[i], xf_val_name(r->cx, r->p, "g", program_in(r->p, i)));
    }
    return !b_failed(b);
}

/* The results: y.. if with_y, then gx in the order asked for. */
static const Program *reverse_end(Reverse *r, const Val *gy, const Val *gx,
                                  const int *order, int nwrt, bool with_y)
{
    const Program *p = r->p;
    Arena *a = &r->b->arena;
    Val *ins = arena_array(a, (size_t)p->nin + p->nout + 1, sizeof *ins);
    Val *outs = arena_array(a, (size_t)p->nout + (size_t)nwrt + 1, sizeof *outs);
    uint32_t nins = 0, nouts = 0;

    for (uint32_t i = 0; i < p->nin; i++)
        ins[nins++] = r->x[i];
    for (uint32_t j = 0; j < p->nout; j++) {
        if (gy[j] && r->b->vals.v[gy[j]].eqn == EQN_INPUT)
            ins[nins++] = gy[j];
        if (with_y)
            outs[nouts++] = r->y[j];
    }
    for (int k = 0; k < nwrt; k++)
        outs[nouts++] = gx[order[k]];
    return builder_finish_as(r->b, ins, nins, outs, nouts);
}

static bool is_float_out(const Program *p, uint32_t j)
{
    return dtype_is_differentiable((wf_dtype)val_type(p, p->outs[j]).dtype);
}

const Program *vjp_program(wf_ctx *cx, const Program *p, const bool *wrt,
                           const int *order, int nwrt, const bool *seed, bool with_y,
                           const char *via)
{
    Val *gy, *gx;
    Reverse r;

    if (!reverse_begin(&r, cx, p, wrt, via))
        return NULL;
    gy = arena_zalloc(&r.b->arena, (p->nout + 1) * sizeof *gy);
    gx = arena_zalloc(&r.b->arena, (p->nin + 1) * sizeof *gx);
    for (uint32_t j = 0; j < p->nout; j++)
        if (is_float_out(p, j) && (!seed || seed[j]))
            gy[j] =
                b_input(r.b, xf_val_name(cx, p, "g", p->outs[j]), b_type(r.b, r.y[j]));
    if (!reverse_run(&r, gy, gx))
        return NULL;
    return reverse_end(&r, gy, gx, order, nwrt, with_y);
}

const Program *xf_vjp(wf_ctx *cx, const Program *p, const int *wrt, int nwrt)
{
    const bool *is = xf_wrt(cx, p, wrt, nwrt, "vjp");

    return is ? vjp_program(cx, p, is, wrt, nwrt, NULL, true, "vjp") : NULL;
}

const Program *linear_program(wf_ctx *cx, const Program *p, const bool *wrt, bool *out_nz,
                              const char *via)
{
    Val *ins, *outs;
    uint32_t nins = 0, nouts = 0;
    Reverse r;

    if (!reverse_begin(&r, cx, p, wrt, via))
        return NULL;
    ins = arena_array(&r.b->arena, 2u * p->nin + 1u, sizeof *ins);
    outs = arena_array(&r.b->arena, 2u * p->nout + 1u, sizeof *outs);
    for (uint32_t i = 0; i < p->nin; i++)
        ins[nins++] = r.x[i];
    for (uint32_t i = 0; i < p->nin; i++)
        if (wrt[i])
            ins[nins++] = r.dx[i];
    for (uint32_t j = 0; j < p->nout; j++)
        outs[nouts++] = r.y[j];
    for (uint32_t j = 0; j < p->nout; j++) {
        out_nz[j] = r.dy[j] != VAL_NONE && is_float_out(p, j);
        if (out_nz[j])
            outs[nouts++] = r.dy[j];
    }
    return builder_finish_as(r.b, ins, nins, outs, nouts);
}

/* ---- grad: the cotangent of the first result is 1 ---------------------------------- */

static bool check_scalar(wf_ctx *cx, const Program *p)
{
    Type t;
    uint32_t eqn;
    Place place;

    if (p->nout == 0)
        return fail(cx, WF_ERR_SHAPE, NOWHERE,
                    "grad: needs a scalar result, but '%s' has none", p->name);
    t = val_type(p, p->outs[0]);
    eqn = p->vals[p->outs[0]].eqn;
    place = eqn == EQN_INPUT ? NOWHERE : eqn_place(p, &p->eqns[eqn]);
    if (t.rank != 0)
        return fail(cx, WF_ERR_SHAPE, place, "grad: needs a scalar result, got %s",
                    type_str(&p->dims, t, &cx->scratch));
    if (!dtype_is_differentiable((wf_dtype)t.dtype))
        return fail(cx, WF_ERR_TYPE, place, "grad: needs a floating-point result, got %s",
                    type_str(&p->dims, t, &cx->scratch));
    return true;
}

const Program *xf_grad(wf_ctx *cx, const Program *p, const int *wrt, int nwrt,
                       bool with_value)
{
    const bool *is = xf_wrt(cx, p, wrt, nwrt, "grad");
    Val *gy, *gx;
    Reverse r;

    if (!is || !check_scalar(cx, p) || !reverse_begin(&r, cx, p, is, "grad"))
        return NULL;
    gy = arena_zalloc(&r.b->arena, (p->nout + 1) * sizeof *gy);
    gx = arena_zalloc(&r.b->arena, (p->nin + 1) * sizeof *gx);
    gy[0] = b_one_like(r.b, r.y[0]);
    if (!reverse_run(&r, gy, gx))
        return NULL;
    return reverse_end(&r, gy, gx, wrt, nwrt, with_value);
}

/* ---- a number and its gradients, recorded at once ------------------------------------ */

/* Is there room for cotangents that are large, as those of scaled losses? Not in f16 and narrower. */
static bool has_room(const Program *p)
{
    for (Val v = 1; v < p->nvals; v++) {
        wf_dtype t = (wf_dtype)val_type(p, v).dtype;

        if (dtype_is_differentiable(t) && t != WF_BF16 && (wf_dtype_size(t) < 4 || dtype_is_complex(t)))
            return false;
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (!has_room(p->subs[i]))
            return false;
    return true;
}

/* (g.., dx..) -> sum of g * dx over all of them, of the dtype of y */
static const Program *gradient_product(wf_ctx *cx, const Program *p, const int *wrt, int nwrt, uint32_t y)
{
    Builder *b = builder_new(cx, xf_name(cx, p->name, "linear"), B_OPTIMISE);
    Val *ins = arena_array(&b->arena, 2 * (size_t)nwrt + 1, sizeof *ins), sum = VAL_NONE;
    wf_dtype dtype = (wf_dtype)val_type(p, p->outs[y]).dtype;
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (int k = 0; k < 2 * nwrt && !b_failed(b); k++)
        ins[k] = b_input(b, NULL, copier_type(&c, val_type(p, program_in(p, (uint32_t)wrt[k % nwrt]))));
    for (int k = 0; k < nwrt && !b_failed(b); k++) {
        Val d = b_cast(b, b_sum_all(b, b_mul(b, ins[k], ins[nwrt + k])), dtype);

        sum = sum ? b_add(b, sum, d) : d;
    }
    return b_failed(b) ? NULL : builder_finish_as(b, ins, 2 * (uint32_t)nwrt, &sum, 1);
}

bool xf_record_gradient(wf_ctx *cx, const Program *p, const bool *wrt, const bool *nz, Recording *out)
{
    int *order = arena_array(&cx->scratch, p->nin + 1u, sizeof *order), n = 0;
    uint32_t y = 0, ny = 0;
    Val *gy, *gx;
    Reverse r;

    memset(out, 0, sizeof *out);
    for (uint32_t j = 0; j < p->nout; j++)
        if (nz[j])
            y = j, ny++;
    for (uint32_t i = 0; i < p->nin; i++)
        if (wrt[i])
            order[n++] = (int)i;
    if (ny != 1 || !n || val_type(p, p->outs[y]).rank || !has_room(p))
        return fail(cx, WF_ERR_NORULE, NOWHERE, "record: the derivative of '%s' is not that of one number", p->name);
    if (!reverse_begin(&r, cx, p, wrt, "grad"))
        return false;
    gy = arena_zalloc(&r.b->arena, (p->nout + 1) * sizeof *gy);
    gx = arena_zalloc(&r.b->arena, (p->nin + 1) * sizeof *gx);
    gy[y] = b_one_like(r.b, r.y[y]);
    if (!reverse_run(&r, gy, gx))
        return false;
    out->forward = reverse_end(&r, gy, gx, order, n, true);
    out->linear = out->forward ? gradient_product(cx, p, order, n, y) : NULL;
    out->nz = arena_dup(&cx->scratch, nz, p->nout + 1u);
    out->taken = arena_array(&cx->scratch, (size_t)n + 1, sizeof *out->taken);
    for (out->ntaken = 0; out->ntaken < (uint32_t)n; out->ntaken++)
        out->taken[out->ntaken] = p->nin + p->nout + out->ntaken;
    return out->linear != NULL;
}

/* ---- linearize --------------------------------------------------------------------- */

bool xf_linearize(wf_ctx *cx, const Program *p, const int *wrt, int nwrt,
                  const Program **out_forward, const Program **out_linear)
{
    const Program *j = NULL;
    bool *known, *unknown;
    Split s;

    *out_forward = *out_linear = NULL;
    if (!(j = xf_jvp_user(cx, p, wrt, nwrt)))
        return false;
    known = arena_zalloc(&cx->scratch, j->nin + 1u);
    unknown = arena_zalloc(&cx->scratch, j->nout + 1u);
    memset(known, true, p->nin);
    memset(unknown + p->nout, true, j->nout - p->nout);
    if (!xf_partition(cx, j, known, unknown, &s))
        return false;
    for (uint32_t k = 0; k < p->nout; k++)
        if (!s.out_known[k])
            return fail(cx, WF_ERR_INTERNAL, NOWHERE, "linearize: result %u is not known",
                        k);
    return xf_close(cx, s.known, s.rest, s.nres, out_forward, out_linear);
}
