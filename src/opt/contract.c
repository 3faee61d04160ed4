/* contract.c -- transposes, broadcasts and sums go into products, products side by side
 * join.
 *
 *   requires   nothing
 *   keeps      values bit for bit, as the eval rules sum in the order of the contracted
 *              axes, but for sums of products; kernels may round another way
 *   breaks     nothing
 *
 *   dot(transpose x, y)           the axes of x renumbered, where the free axes of the
 *                                 result stay in their order
 *   transpose(dot(x, y))          dot(y, x), where that is what the transpose does; also
 *                                 with elementwise ops of constants in between
 *   dot(x, broadcast y)           no batch axis where the broadcast made y's
 *   dot(cast x, y)                dot(x, y) of f16 or bf16, where the product is large:
 *                                 it is widened on the way
 *   reduce_sum(dot(x, y))         a batch axis that is summed is a contracted one; of half
 *                                 floats, whose sums were rounded on the way, only for
 *                                 targets that say so (sums_half)
 *   conv(transpose x, k), conv(x, transpose k), transpose(conv(x, k))       another spec
 *   dot(x, v), dot(x, w) ..       slices of dot(x, concat v w ..): one pass over x. Only
 *                                 for constant sizes and where reading x once less is
 *                                 worth a copy of v, w ..
 */
#include "opt/opt.h"

#define MAX_JOINED 16

static Ints mapped(Ints a, const int64_t *map, int64_t *buf)
{
    for (uint32_t i = 0; i < a.n; i++)
        buf[i] = map[a.v[i]];
    return (Ints){a.n, buf};
}

/* ---- dot --------------------------------------------------------------------------- */

/* v = dot(.., transpose x, ..), the transposed operand at `side`. */
static Val absorb_operand(Rewriter *r, Eqn e, uint32_t side)
{
    Builder *b = r->b;
    DotAttr a = *(const DotAttr *)e.attr;
    Val in[2] = {b->args.v[e.args], b->args.v[e.args + 1]};
    const Eqn *t = made_by(b, in[side], OP_transpose);
    Ints perm, *axes = side ? &a.rhs : &a.lhs,
               *batch = side ? &a.rhs_batch : &a.lhs_batch;
    int64_t buf1[MAX_RANK], buf2[MAX_RANK], last = -1;

    if (!t)
        return VAL_NONE;
    perm = ((const TransposeAttr *)t->attr)->perm;
    for (uint32_t i = 0; i < perm.n; i++) { /* free axes must stay in order */
        if (ints_have(*axes, i) || ints_have(*batch, i))
            continue;
        if (perm.v[i] < last)
            return VAL_NONE;
        last = perm.v[i];
    }
    in[side] = arg(b, t, 0);
    *axes = mapped(*axes, perm.v, buf1);
    *batch = mapped(*batch, perm.v, buf2);
    return rw_eqn(r, OP_dot_general, in, 2, &a);
}

/* v = dot(x, y), its result transposed so that the free axes of y come before those of
 * x; VAL_NONE if that is not what perm does. */
static Val swap_operands(Rewriter *r, Val v, Ints perm)
{
    Builder *b = r->b;
    const Eqn *d = made_by(b, v, OP_dot_general);
    DotAttr a, s;
    uint32_t nb, nx, ny;

    if (!d)
        return VAL_NONE;
    a = *(const DotAttr *)d->attr;
    nb = a.lhs_batch.n;
    nx = b_rank(b, arg(b, d, 0)) - nb - a.lhs.n;
    ny = b_rank(b, arg(b, d, 1)) - nb - a.rhs.n;
    if (!nx || !ny)
        return VAL_NONE;
    for (uint32_t i = 0; i < perm.n; i++)
        if (perm.v[i] != (i < nb ? i : i < nb + ny ? i + nx : i - ny))
            return VAL_NONE;
    s = (DotAttr){a.rhs, a.lhs, a.rhs_batch, a.lhs_batch, a.acc, a.precision};
    return rw_eqn(r, OP_dot_general, (Val[]){arg(b, d, 1), arg(b, d, 0)}, 2, &s);
}

#define MAX_MAPS 4 /* between a product and its transpose */

/* The same for elementwise ops of a product and constants. */
static Val swap_under(Rewriter *r, Val v, Ints perm, int depth)
{
    Builder *b = r->b;
    uint32_t i = b->vals.v[v].eqn, model = UINT32_MAX;
    Type t = b_type(b, v);
    const void *element;
    Dim dims[MAX_RANK];
    Val in[6];
    Eqn e;

    if (i == EQN_INPUT)
        return VAL_NONE;
    e = b->eqns.v[i];
    if (e.op == OP_dot_general)
        return swap_operands(r, v, perm);
    if (!is_map(e.op) || e.nout != 1 || e.nin > 6 || depth == MAX_MAPS)
        return VAL_NONE;
    for (uint32_t k = 0; k < e.nin; k++) {
        in[k] = arg(b, &e, k);
        if (b_rank(b, in[k]) == 0 || b_splat(b, in[k], &element))
            continue;
        if (model != UINT32_MAX)
            return VAL_NONE;
        model = k;
    }
    if (model == UINT32_MAX || !(in[model] = swap_under(r, in[model], perm, depth + 1)))
        return VAL_NONE;
    for (uint32_t k = 0; k < t.rank; k++)
        dims[k] = t.dims[perm.v[k]];
    for (uint32_t k = 0; k < e.nin; k++)
        if (k != model && b_rank(b, in[k]) && b_splat(b, in[k], &element))
            in[k] =
                b_splat_bits(b, b_make_type(b, b_dtype(b, in[k]), dims, t.rank), element);
    return b_failed(b) ? VAL_NONE : rw_eqn(r, (OpCode)e.op, in, e.nin, e.attr);
}

/* Rows (columns) of the product: elements of an operand's free axes; 0 if not known. */
static int64_t free_count(const Builder *b, Val v, Ints sum, Ints batch)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < b_rank(b, v); i++)
        if (!ints_have(sum, i) && !ints_have(batch, i) &&
            (!dim_is_const(b_dim(b, v, i)) || !mul_i64(n, b_dim(b, v, i), &n)))
            return 0;
    return n;
}

/* dot(cast x, y), x a half float: the same numbers. */
static Val absorb_cast(Rewriter *r, Eqn e, uint32_t side)
{
    Builder *b = r->b;
    const DotAttr *a = e.attr;
    Val in[2] = {b->args.v[e.args], b->args.v[e.args + 1]};
    Val x = under(b, in[side], OP_cast);
    const Target *t = opt_target(r->o);

    if (!x || !target_calls(t, CALL_HALF) || a->acc != WF_F32 || b_dtype(b, in[side]) != WF_F32 ||
        (b_dtype(b, x) != WF_F16 && b_dtype(b, x) != WF_BF16) ||
        free_count(b, in[0], a->lhs, a->lhs_batch) < t->half_least ||
        free_count(b, in[1], a->rhs, a->rhs_batch) < t->half_least)
        return VAL_NONE;
    in[side] = x;
    return rw_eqn(r, OP_dot_general, in, 2, a);
}

static Ints without(Ints a, uint32_t k, int64_t *buf)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < a.n; i++)
        if (i != k)
            buf[n++] = a.v[i];
    return (Ints){n, buf};
}

/* Axes after axis x are one less once it is gone. */
static Ints renumbered(Ints a, int64_t x, int64_t *buf)
{
    for (uint32_t i = 0; i < a.n; i++)
        buf[i] = a.v[i] - (a.v[i] > x);
    return (Ints){a.n, buf};
}

/* x, made by a broadcast that made axis `axis`, without it; VAL_NONE if it did not. */
static Val without_axis(Rewriter *r, Val x, int64_t axis)
{
    Builder *b = r->b;
    const Eqn *e = made_by(b, x, OP_broadcast);
    int64_t buf[MAX_RANK];
    Dim shape[MAX_RANK];
    Ints dims;
    Type t = b_type(b, x);
    uint32_t n = 0;

    if (!e || ints_have(((const BroadcastAttr *)e->attr)->dims, axis))
        return VAL_NONE;
    for (uint32_t i = 0; i < t.rank; i++)
        if (i != axis)
            shape[n++] = t.dims[i];
    dims = renumbered(((const BroadcastAttr *)e->attr)->dims, axis, buf);
    return rw_broadcast(r, arg(b, e, 0), (Ints){n, shape}, dims.v);
}

/* dot(x, broadcast y), the last batch axis of y made by the broadcast: that of x is a
 * free one, if it comes before the others, as the result has it. */
static Val unbatch(Rewriter *r, Eqn e)
{
    Builder *b = r->b;
    DotAttr a = *(const DotAttr *)e.attr;
    Val x = b->args.v[e.args], y = b->args.v[e.args + 1];
    int64_t buf[4][MAX_RANK], axis;
    uint32_t last = a.lhs_batch.n - 1;

    if (a.lhs_batch.n == 0)
        return VAL_NONE;
    for (int64_t i = 0; i < a.lhs_batch.v[last]; i++)
        if (!ints_have(a.lhs, i) && !ints_have(a.lhs_batch, i))
            return VAL_NONE;
    axis = a.rhs_batch.v[last];
    if (!(y = without_axis(r, y, axis)))
        return VAL_NONE;
    a.lhs_batch = without(a.lhs_batch, last, buf[0]);
    a.rhs_batch = without(a.rhs_batch, last, buf[1]);
    a.rhs_batch = renumbered(a.rhs_batch, axis, buf[2]);
    a.rhs = renumbered(a.rhs, axis, buf[3]);
    return rw_eqn(r, OP_dot_general, (Val[]){x, y}, 2, &a);
}

/* reduce_sum of a dot over batch axes of its result */
static Val sum_of_products(Rewriter *r, Eqn e)
{
    Builder *b = r->b;
    const Eqn *d = made_by(b, b->args.v[e.args], OP_dot_general);
    Ints axes = ((const ReduceAttr *)e.attr)->axes;
    int64_t buf[4][MAX_RANK], rest[MAX_RANK];
    uint32_t nrest = 0, nb = 0, ns = 0;
    DotAttr a, s;
    Val y;

    if (!d)
        return VAL_NONE;
    a = *(const DotAttr *)d->attr;
    if (dtype_is_float((wf_dtype)a.acc) && a.acc != WF_F32 && a.acc != WF_F64 &&
        !opt_target(r->o)->sums_half)
        return VAL_NONE;
    for (uint32_t i = 0; i < a.lhs_batch.n; i++) {
        uint32_t k = ints_have(axes, i) ? 2 : 0, at = ints_have(axes, i) ? ns++ : nb++;

        buf[k][at] = a.lhs_batch.v[i];
        buf[k + 1][at] = a.rhs_batch.v[i];
    }
    if (!ns || a.lhs.n + ns > MAX_RANK)
        return VAL_NONE;
    for (uint32_t i = 0; i < axes.n; i++)
        if (axes.v[i] >= a.lhs_batch.n)
            rest[nrest++] = axes.v[i] - ns;
    for (uint32_t i = 0; i < a.lhs.n; i++) {
        buf[2][ns + i] = a.lhs.v[i];
        buf[3][ns + i] = a.rhs.v[i];
    }
    s = (DotAttr){{a.lhs.n + ns, buf[2]},
                  {a.lhs.n + ns, buf[3]},
                  {nb, buf[0]},
                  {nb, buf[1]},
                  a.acc,
                  a.precision};
    y = rw_eqn(r, OP_dot_general, (Val[]){arg(b, d, 0), arg(b, d, 1)}, 2, &s);
    if (nrest && !b_failed(b))
        y = rw_eqn(r, OP_reduce_sum, &y, 1, &(ReduceAttr){{nrest, rest}});
    return y;
}

/* ---- conv -------------------------------------------------------------------------- */

/* The axes of a spec, an empty one in order, as perm numbers them. */
static Ints spec_mapped(Ints spec, const int64_t *perm, uint32_t rank, int64_t *buf)
{
    for (uint32_t i = 0; i < rank; i++)
        buf[i] = perm[spec.n ? spec.v[i] : i];
    return (Ints){rank, buf};
}

static Val absorb_into_conv(Rewriter *r, Eqn e, uint32_t side)
{
    Builder *b = r->b;
    ConvAttr a = *(const ConvAttr *)e.attr;
    Val in[2] = {b->args.v[e.args], b->args.v[e.args + 1]};
    const Eqn *t = made_by(b, in[side], OP_transpose);
    Ints *spec = side ? &a.rhs_spec : &a.lhs_spec;
    int64_t buf[MAX_RANK];

    if (!t)
        return VAL_NONE;
    in[side] = arg(b, t, 0);
    *spec = spec_mapped(*spec, ((const TransposeAttr *)t->attr)->perm.v,
                        b_rank(b, in[side]), buf);
    return rw_eqn(r, OP_conv_general, in, 2, &a);
}

static Val transposed_conv(Rewriter *r, Eqn e)
{
    Builder *b = r->b;
    const Eqn *d = made_by(b, b->args.v[e.args], OP_conv_general);
    Ints perm = ((const TransposeAttr *)e.attr)->perm;
    int64_t inverse[MAX_RANK], buf[MAX_RANK];
    ConvAttr a;

    if (!d)
        return VAL_NONE;
    a = *(const ConvAttr *)d->attr;
    for (uint32_t i = 0; i < perm.n; i++)
        inverse[perm.v[i]] = i;
    a.out_spec = spec_mapped(a.out_spec, inverse, perm.n, buf);
    return rw_eqn(r, OP_conv_general, (Val[]){arg(b, d, 0), arg(b, d, 1)}, 2, &a);
}

static Val contract_value(Rewriter *r, Val v, Eqn e)
{
    Val w = VAL_NONE;

    (void)v;
    if (e.op == OP_dot_general && !(w = absorb_operand(r, e, 0)) &&
        !(w = absorb_operand(r, e, 1)) && !(w = absorb_cast(r, e, 0)) &&
        !(w = absorb_cast(r, e, 1)))
        w = unbatch(r, e);
    else if (e.op == OP_reduce_sum)
        w = sum_of_products(r, e);
    else if (e.op == OP_conv_general && !(w = absorb_into_conv(r, e, 0)))
        w = absorb_into_conv(r, e, 1);
    else if (e.op == OP_transpose &&
             !(w = swap_under(r, r->b->args.v[e.args],
                              ((const TransposeAttr *)e.attr)->perm, 0)))
        w = transposed_conv(r, e);
    return w;
}

/* ---- products of one operand ------------------------------------------------------- */

/* For each equation of the program being copied: the next product with the same lhs, + 1.
 * r->user maps programs to such lists. */
static const uint32_t *next_products(Rewriter *r)
{
    const Program *p = r->from;
    Arena *a = &r->o->cx->scratch;
    uint32_t *next = (uint32_t *)(uintptr_t)ptrmap_get(r->user, p), *last;

    if (next)
        return next;
    last = arena_zalloc(a, (p->nvals + 1u) * sizeof *last);
    next = arena_zalloc(a, (p->neqns + 1u) * sizeof *next);
    for (uint32_t i = p->neqns; i-- > 0;)
        if (p->eqns[i].op == OP_dot_general) {
            Val x = eqn_in(p, &p->eqns[i])[0];
            next[i] = last[x];
            last[x] = i + 1;
        }
    ptrmap_put(r->user, p, next);
    return next;
}

static bool is_static(Type t)
{
    for (uint32_t i = 0; i < t.rank; i++)
        if (!dim_is_const(t.dims[i]))
            return false;
    return true;
}

static bool same_ints(Ints a, Ints b)
{
    return a.n == b.n && (!a.n || !memcmp(a.v, b.v, a.n * sizeof *a.v));
}

static int64_t rows_of(const Program *p, const Eqn *e)
{
    const DotAttr *a = e->attr;
    Type x = val_type(p, eqn_in(p, e)[0]);
    int64_t rows = 1;

    for (uint32_t i = 0; i < x.rank; i++)
        if (i != a->lhs.v[0])
            rows *= x.dims[i];
    return rows;
}

/* The copy of all the columns costs about two readings of them; n - 1 readings of x are
 * saved. */
static bool is_worth_joining(const Rewriter *r, const Program *p, const uint32_t *group,
                             uint32_t n)
{
    int64_t columns = 0;

    for (uint32_t i = 0; i < n; i++) {
        const Eqn *e = &p->eqns[group[i]];
        const DotAttr *a = e->attr;

        columns += val_type(p, eqn_in(p, e)[1]).dims[1 - a->rhs.v[0]];
    }
    return (double)(rows_of(p, &p->eqns[group[0]]) * (n - 1)) >=
           opt_target(r->o)->join_copy * (double)columns;
}

/* dot(x, w): x with one contracted axis and enough rows, w a matrix with few columns. */
static bool is_joinable(const Rewriter *r, const Program *p, const Eqn *e)
{
    const DotAttr *a = e->attr;
    Type x = val_type(p, eqn_in(p, e)[0]), w = val_type(p, eqn_in(p, e)[1]);

    if (!is_static(x) || !is_static(w) || w.rank != 2 || a->lhs.n != 1 ||
        a->lhs_batch.n || w.dims[1 - a->rhs.v[0]] > opt_target(r->o)->join_columns)
        return false;
    return rows_of(p, e) >= opt_target(r->o)->join_rows;
}

/* The copy of v, which may be a slice of something copied already: then it is made now,
 * and merges with its copy later. */
static Val early_value(Rewriter *r, Val v)
{
    const Program *p = r->from;
    const Eqn *e;
    Val x, y;

    if (r->c->val[v] || p->vals[v].eqn == EQN_INPUT)
        return r->c->val[v];
    e = &p->eqns[p->vals[v].eqn];
    if (e->op != OP_slice || !(x = r->c->val[eqn_in(p, e)[0]]))
        return VAL_NONE;
    y = rw_eqn(r, OP_slice, &x, 1, copier_attr(r->c, e));
    r->c->val[v] = y;
    return y;
}

/* Products after the first that can be had with it: their other operand is there. */
static uint32_t find_group(Rewriter *r, uint32_t first, uint32_t *group)
{
    const Program *p = r->from;
    const uint32_t *next = next_products(r);
    const Eqn *e = &p->eqns[first], *f;
    const DotAttr *a = e->attr, *o;
    uint32_t n = 0;

    group[n++] = first;
    for (uint32_t k = next[first]; k && n < MAX_JOINED; k = next[k - 1]) {
        f = &p->eqns[k - 1];
        o = f->attr;
        Val w = early_value(r, eqn_in(p, f)[1]);
        if (!w || !is_joinable(r, p, f) || r->c->val[f->out] ||
            !same_ints(a->lhs, o->lhs) || !same_ints(a->rhs, o->rhs) ||
            a->acc != o->acc ||
            val_type(p, eqn_in(p, f)[1]).dtype != val_type(p, eqn_in(p, e)[1]).dtype)
            continue;
        for (uint32_t i = 0; i < n && w; i++)
            if (r->c->val[eqn_in(p, &p->eqns[group[i]])[1]] == w)
                w = VAL_NONE;
        if (w)
            group[n++] = k - 1;
    }
    return n;
}

static bool join_eqn(Rewriter *r, const EqnView *e, Val *out)
{
    const Program *p = r->from;
    Builder *b = r->b;
    const DotAttr *a = e->attr;
    uint32_t group[MAX_JOINED], n, axis;
    Val w[MAX_JOINED], y, joined;
    Dim at = 0;

    if (e->op != OP_dot_general)
        return false;
    if (out[0]) /* made with an earlier one */
        return true;
    if (!is_joinable(r, p, r->at) ||
        (n = find_group(r, (uint32_t)(r->at - p->eqns), group)) < 2 ||
        !is_worth_joining(r, p, group, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        w[i] = r->c->val[eqn_in(p, &p->eqns[group[i]])[1]];
    joined = rw_eqn(r, OP_concat, w, n, &(AxisAttr){1 - a->rhs.v[0]});
    y = rw_eqn(r, OP_dot_general, (Val[]){e->in[0], joined}, 2, a);
    if (b_failed(b))
        return false;
    axis = b_rank(b, y) - 1;
    for (uint32_t i = 0; i < n && !b_failed(b); i++) {
        Dim end = at + b_dim(b, w[i], (uint32_t)(1 - a->rhs.v[0]));
        r->c->val[p->eqns[group[i]].out] = b_slice_axis(b, y, axis, at, end);
        at = end;
    }
    return !b_failed(b);
}

const Program *opt_contract(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    PtrMap lists = {.a = a};
    Rewriter r = {.o = o,
                  .rule = contract_value,
                  .before = join_eqn,
                  .user = &lists,
                  .done.a = a,
                  .origin.a = a};

    return rewrite_apply(&r, p);
}
