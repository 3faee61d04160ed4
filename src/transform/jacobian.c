/* jacobian.c -- whole Jacobians, Hessians, and Hessian times vector.
 *
 *   jacfwd   the columns of J at once: vmap of jvp over the basis of x; x small
 *   jacrev   the rows of J at once: vmap of vjp over the basis of y; y small
 *   hessian  jacfwd of jacrev
 *   hvp      jvp of grad: H v without H
 *
 * The basis is an identity matrix of the elements, eye[n,n] reshaped to [n] + shape,
 * built of iota so that shapes may be symbolic. The transformed program stands unbatched
 * in all but the basis, so what depends on x alone is computed once.
 */
#include "transform/transform.h"

static bool is_float_val(const Program *p, Val v)
{
    return dtype_is_differentiable((wf_dtype)val_type(p, v).dtype);
}

/* eye[n,n] as [n] + t.shape, n the number of elements of t */
static Val make_basis(Builder *b, Type t, Dim n)
{
    Dim dims[MAX_RANK + 1] = {n};
    Val column = b_iota(b, WF_I64, (Dim[]){n, n}, 2, 1), same = b_eq(b, b_iota(b, WF_I64, (Dim[]){n, n}, 2, 0), column);

    memcpy(dims + 1, t.dims, t.rank * sizeof *dims);
    return b_reshape(b, b_cast(b, same, (wf_dtype)t.dtype), dims, t.rank + 1u);
}

/* Inline q: (x.., v) -> outs with a basis for v, which has type t in b. out[j]: [n] + the
 * shape of result j. */
static bool inline_basis(Builder *b, const Program *q, const Val *x, Type t, Val *out,
                         const char *via)
{
    wf_ctx *cx = b->cx;
    Dim n = dim_prod(&b->dims, t.dims, t.rank);
    int *in_axis = arena_array(&cx->scratch, q->nin + 1u, sizeof *in_axis);
    int *out_axis = arena_array(&cx->scratch, q->nout + 1u, sizeof *out_axis);
    bool *want = arena_alloc(&cx->scratch, q->nout + 1u);
    Val *in = arena_array(&cx->scratch, q->nin + 1u, sizeof *in);
    const char *symbol = NULL;
    const Program *v;

    memset(in_axis, -1, q->nin * sizeof *in_axis);
    memset(want, true, q->nout + 1u);
    in_axis[q->nin - 1] = 0;
    if (!(v = xf_batch(cx, q, dim_is_const(n) ? n : -1, "basis", NULL, in_axis, want,
                       out_axis)))
        return false;
    memcpy(in, x, (q->nin - 1) * sizeof *in);
    in[q->nin - 1] = make_basis(b, t, n);
    if (!dim_is_const(n))
        symbol = v->dims.syms
                     .v[dim_node(&v->dims, val_type(v, program_in(v, q->nin - 1)).dims[0])
                            ->sym]
                     .name;
    return b_inline(b, v, xf_binds(b, v, symbol, n), in, out, via);
}

/* v, whose axes are those of y then x in one or in groups, reshaped to y.shape + x.shape
 */
static Val reshape_block(Builder *b, Val v, Type y, Type x)
{
    Dim dims[2 * MAX_RANK];

    memcpy(dims, y.dims, y.rank * sizeof *dims);
    memcpy(dims + y.rank, x.dims, x.rank * sizeof *dims);
    return b_reshape(b, v, dims, (uint32_t)y.rank + x.rank);
}

static Builder *begin(wf_ctx *cx, const Program *p, const char *suffix, Copier *c)
{
    Builder *b = builder_new(cx, xf_name(cx, p->name, suffix), B_OPTIMISE);

    copier_init(c, b, p, NULL, NULL);
    copier_inputs(c);
    return b;
}

const Program *xf_jacfwd(wf_ctx *cx, const Program *p, const int *wrt, int nwrt)
{
    bool *want = arena_alloc(&cx->scratch, p->nout + 1u),
         *nz = arena_alloc(&cx->scratch, p->nout + 1u);
    Val *col = arena_array(&cx->scratch, p->nout + 1u, sizeof *col), *outs;
    uint32_t n = 0;
    Builder *b;
    Copier c;

    memset(want, true, p->nout + 1u);
    if (!xf_wrt(cx, p, wrt, nwrt, "jacfwd"))
        return NULL;
    outs = arena_array(&cx->scratch, (size_t)nwrt * p->nout + 1, sizeof *outs);
    b = begin(cx, p, "jacfwd", &c);
    for (int k = 0; k < nwrt && !b_failed(b); k++) {
        const Program *q = jvp_program(cx, p, &wrt[k], 1, false, want, nz, "jvp");
        Type x = copier_type(&c, val_type(p, program_in(p, (uint32_t)wrt[k])));
        uint32_t m = 0;

        if (!q || !inline_basis(b, q, c.val + 1, x, col, "jacfwd"))
            return NULL;
        for (uint32_t j = 0; j < p->nout; j++) {
            Type y = copier_type(&c, val_type(p, p->outs[j]));

            if (!is_float_val(p, p->outs[j]))
                continue;
            outs[n++] = reshape_block(b, b_move_axis(b, col[m++], 0, y.rank), y, x);
        }
    }
    return builder_finish(b, outs, n);
}

const Program *xf_jacrev(wf_ctx *cx, const Program *p, const int *wrt, int nwrt)
{
    const bool *is = xf_wrt(cx, p, wrt, nwrt, "jacrev");
    bool *seed = arena_zalloc(&cx->scratch, p->nout + 1u);
    uint32_t nfloat = 0, m = 0;
    Val *outs, *row;
    Builder *b;
    Copier c;

    if (!is)
        return NULL;
    outs = arena_array(&cx->scratch, (size_t)nwrt * p->nout + 1, sizeof *outs);
    row = arena_array(&cx->scratch, (size_t)nwrt + 1, sizeof *row);
    b = begin(cx, p, "jacrev", &c);
    for (uint32_t j = 0; j < p->nout; j++)
        nfloat += is_float_val(p, p->outs[j]);
    for (uint32_t j = 0; j < p->nout && !b_failed(b); j++) {
        Type y = copier_type(&c, val_type(p, p->outs[j]));
        const Program *q;

        if (!is_float_val(p, p->outs[j]))
            continue;
        seed[j] = true;
        q = vjp_program(cx, p, is, wrt, nwrt, seed, false, "vjp");
        seed[j] = false;
        if (!q || !inline_basis(b, q, c.val + 1, y, row, "jacrev"))
            return NULL;
        for (int k = 0; k < nwrt; k++) {
            Type x = copier_type(&c, val_type(p, program_in(p, (uint32_t)wrt[k])));

            outs[(uint32_t)k * nfloat + m] = reshape_block(b, row[k], y, x);
        }
        m++;
    }
    return builder_finish(b, outs, (uint32_t)nwrt * nfloat);
}

const Program *xf_hessian(wf_ctx *cx, const Program *p, const int *wrt, int nwrt)
{
    const Program *rev, *h;
    uint32_t nf, n = 0, nw = (uint32_t)nwrt, *order;

    if (!xf_wrt(cx, p, wrt, nwrt, "hessian") || !(rev = xf_jacrev(cx, p, wrt, nwrt)) ||
        !(h = xf_jacfwd(cx, rev, wrt, nwrt)))
        return NULL;
    nf = rev->nout / nw;
    if (nw == 1)
        return h;
    order = arena_array(&cx->scratch, h->nout + 1u, sizeof *order);
    for (uint32_t a = 0; a < nw; a++)
        for (uint32_t b = 0; b < nw; b++)
            for (uint32_t k = 0; k < nf; k++)
                order[n++] = (b * nw + a) * nf + k;
    return xf_select(cx, h, order, n);
}

const Program *xf_hvp(wf_ctx *cx, const Program *p, const int *wrt, int nwrt)
{
    bool *want = arena_alloc(&cx->scratch, (size_t)MAX(nwrt, 0) + 1);
    bool *nz = arena_alloc(&cx->scratch, (size_t)MAX(nwrt, 0) + 1);
    const Program *g;

    if (!xf_wrt(cx, p, wrt, nwrt, "hvp") || !(g = xf_grad(cx, p, wrt, nwrt, false)))
        return NULL;
    memset(want, true, (size_t)nwrt + 1);
    return jvp_program(cx, g, wrt, nwrt, false, want, nz, "hvp");
}
