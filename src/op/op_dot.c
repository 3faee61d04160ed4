/* op_dot.c -- dot_general: sums of products over paired axes.
 *
 * Axes of x: batch (lhs_batch), contracted (lhs), and free, which keep their order; y
 * likewise. Result: batch axes, then the free axes of x, then the free axes of y:
 *
 *   z[b.., m.., n..] = sum_k  x[b.., m.., k..] * y[b.., k.., n..]
 *
 * The rules are dot_generals again, so that every order of derivative and every nesting
 * of vmap stays a contraction; axes are renamed rather than moved wherever the result
 * allows it.
 */
#include "op/contract.h"

/* ---- numbers ----------------------------------------------------------------------- */

bool contract_check(TypeRule *t, wf_dtype acc)
{
    for (int i = 0; i < 2; i++) {
        wf_dtype d = (wf_dtype)t->in[i].dtype;

        if (!dtype_is_arithmetic(d))
            return type_fail(t, WF_ERR_TYPE, "%s is %s, needed an integer or float dtype",
                             i ? "right operand" : "left operand", wf_dtype_name(d));
    }
    if (!dtype_is_arithmetic(acc))
        return type_fail(t, WF_ERR_TYPE, "acc is %s, needed an integer or float dtype",
                         wf_dtype_name(acc));
    for (int i = 0; i < 2; i++) {
        wf_dtype d = (wf_dtype)t->in[i].dtype;

        if (dtype_is_complex(d) && !dtype_is_complex(acc))
            return type_fail(t, WF_ERR_TYPE,
                             "%s is %s, needed a complex acc but it is %s",
                             i ? "right operand" : "left operand", wf_dtype_name(d),
                             wf_dtype_name(acc));
        if (dtype_is_float(d) && !dtype_is_inexact(acc))
            return type_fail(t, WF_ERR_TYPE, "%s is %s, needed a float acc but it is %s",
                             i ? "right operand" : "left operand", wf_dtype_name(d),
                             wf_dtype_name(acc));
    }
    return true;
}

Scalar *contract_load(Arena *a, const Nd *x, wf_dtype acc)
{
    wf_dtype as = dtype_is_complex(acc) ? WF_C128
                  : dtype_is_float(acc) ? WF_F64
                                        : x->dtype;
    Scalar *r = arena_array(a, (size_t)x->count, sizeof *r);

    for (int64_t i = 0; i < x->count; i++)
        r[i] = scalar_cast(x->dtype, as, scalar_load(x->dtype, x->data, i));
    return r;
}

void contract_add(Scalar *sum, wf_dtype acc, Scalar x, Scalar y)
{
    if (dtype_is_complex(acc)) {
        sum->f += x.f * y.f - x.im * y.im;
        sum->im += x.f * y.im + x.im * y.f;
    } else if (dtype_is_float(acc)) {
        sum->f += x.f * y.f;
    } else {
        sum->u += x.u * y.u;
    }
}

Val contract_narrow(Builder *b, Val g, Type operand)
{
    return b_cast(b, g, (wf_dtype)operand.dtype);
}

/* ---- axes -------------------------------------------------------------------------- */

/* The axes of one operand by role, each list in the order of the axes. */
typedef struct Roles {
    uint32_t nfree;
    int64_t free[MAX_RANK];
} Roles;

static Roles roles_of(uint32_t rank, Ints contract, Ints batch)
{
    Roles r = {0};

    for (int64_t i = 0; i < rank; i++)
        if (!ints_have(contract, i) && !ints_have(batch, i))
            r.free[r.nfree++] = i;
    return r;
}

/* How many of the n axes stand before `axis`. */
static uint32_t count_before(const int64_t *axes, uint32_t n, int64_t axis)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < n; i++)
        k += axes[i] < axis;
    return k;
}

/* ---- type -------------------------------------------------------------------------- */

static bool check_axes(TypeRule *t, const char *side, Type x, Ints contract, Ints batch)
{
    bool seen[MAX_RANK] = {false};

    for (uint32_t i = 0; i < contract.n + batch.n; i++) {
        int64_t axis = i < contract.n ? contract.v[i] : batch.v[i - contract.n];

        if (axis < 0 || axis >= x.rank)
            return type_fail(t, WF_ERR_VALUE,
                             "axis %lld of the %s operand %s, which has %d axes",
                             (long long)axis, side, type_show(t, x), x.rank);
        if (seen[axis])
            return type_fail(t, WF_ERR_VALUE,
                             "axis %lld of the %s operand %s is named twice",
                             (long long)axis, side, type_show(t, x));
        seen[axis] = true;
    }
    return true;
}

static bool check_pairs(TypeRule *t, const char *what, Ints l, Ints r)
{
    Type x = t->in[0], y = t->in[1];

    for (uint32_t i = 0; i < l.n; i++) {
        Dim p = x.dims[l.v[i]], q = y.dims[r.v[i]];

        if (p != q)
            return type_fail(t, WF_ERR_SHAPE,
                             "%s axes %lld of %s and %lld of %s have sizes %s and %s, "
                             "needed equal ones",
                             what, (long long)l.v[i], type_show(t, x), (long long)r.v[i],
                             type_show(t, y), dim_show(t, p), dim_show(t, q));
    }
    return true;
}

static bool type_dot_general(TypeRule *t)
{
    const DotAttr *a = t->attr;
    Type x = t->in[0], y = t->in[1];
    Dim dims[3 * MAX_RANK];
    uint32_t n = 0;

    if (!contract_check(t, (wf_dtype)a->acc))
        return false;
    if (a->lhs.n != a->rhs.n || a->lhs_batch.n != a->rhs_batch.n)
        return type_fail(
            t, WF_ERR_VALUE,
            "%u and %u contracted axes, %u and %u batch axes; needed equal numbers",
            a->lhs.n, a->rhs.n, a->lhs_batch.n, a->rhs_batch.n);
    if (!check_axes(t, "left", x, a->lhs, a->lhs_batch) ||
        !check_axes(t, "right", y, a->rhs, a->rhs_batch))
        return false;
    if (!check_pairs(t, "contracted", a->lhs, a->rhs) ||
        !check_pairs(t, "batch", a->lhs_batch, a->rhs_batch))
        return false;

    Roles rx = roles_of(x.rank, a->lhs, a->lhs_batch);
    Roles ry = roles_of(y.rank, a->rhs, a->rhs_batch);

    for (uint32_t i = 0; i < a->lhs_batch.n; i++)
        dims[n++] = x.dims[a->lhs_batch.v[i]];
    for (uint32_t i = 0; i < rx.nfree; i++)
        dims[n++] = x.dims[rx.free[i]];
    for (uint32_t i = 0; i < ry.nfree; i++)
        dims[n++] = y.dims[ry.free[i]];
    if (n > MAX_RANK)
        return type_fail(t, WF_ERR_LIMIT,
                         "the result has %u axes, at most %d are possible", n, MAX_RANK);
    type_out(t, (wf_dtype)a->acc, dims, n);
    return true;
}

/* ---- eval -------------------------------------------------------------------------- */

/* Offsets (in elements of x) of every combination of indices of the given axes. */
static int64_t *offsets_of(Arena *a, const Nd *x, const int64_t *axes, uint32_t n,
                           int64_t *out_count)
{
    int64_t stride[MAX_RANK], dims[MAX_RANK], index[MAX_RANK] = {0}, count = 1;
    int64_t *list;

    nd_strides(x->dims, x->rank, stride);
    for (uint32_t i = 0; i < n; i++)
        count *= dims[i] = x->dims[axes[i]];
    list = arena_array(a, (size_t)count, sizeof *list);
    for (int64_t k = 0; k < count; k++, nd_next(dims, n, index)) {
        list[k] = 0;
        for (uint32_t i = 0; i < n; i++)
            list[k] += index[i] * stride[axes[i]];
    }
    *out_count = count;
    return list;
}

static bool eval_dot_general(Eval *e)
{
    const DotAttr *a = e->attr;
    const Nd *x = &e->in[0], *y = &e->in[1];
    wf_dtype acc = (wf_dtype)a->acc;
    Roles rx = roles_of(x->rank, a->lhs, a->lhs_batch);
    Roles ry = roles_of(y->rank, a->rhs, a->rhs_batch);
    const Scalar *xs = contract_load(e->a, x, acc), *ys = contract_load(e->a, y, acc);
    int64_t nb, nm, nn, nk, z = 0;
    const int64_t *xb = offsets_of(e->a, x, a->lhs_batch.v, a->lhs_batch.n, &nb);
    const int64_t *yb = offsets_of(e->a, y, a->rhs_batch.v, a->rhs_batch.n, &nb);
    const int64_t *xm = offsets_of(e->a, x, rx.free, rx.nfree, &nm);
    const int64_t *yn = offsets_of(e->a, y, ry.free, ry.nfree, &nn);
    const int64_t *xk = offsets_of(e->a, x, a->lhs.v, a->lhs.n, &nk);
    const int64_t *yk = offsets_of(e->a, y, a->rhs.v, a->rhs.n, &nk);

    for (int64_t b = 0; b < nb; b++)
        for (int64_t m = 0; m < nm; m++)
            for (int64_t n = 0; n < nn; n++, z++) {
                const Scalar *xat = xs + xb[b] + xm[m], *yat = ys + yb[b] + yn[n];
                Scalar sum = scalar_int(acc, 0);

                for (int64_t k = 0; k < nk; k++)
                    contract_add(&sum, acc, xat[xk[k]], yat[yk[k]]);
                scalar_store(acc, e->out[0].data, z, sum);
            }
    return true;
}

/* ---- transpose --------------------------------------------------------------------- */

/* first, first+1, ..: n axes */
static Ints range_of(int64_t first, uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = first + i;
    return (Ints){n, out};
}

/*   gx[b.., m.., k..] = sum_n  gz[b.., m.., n..] * y[b.., k.., n..]
 * as made: axes batch, free of x, then contracted in the order they have in y. */
static Val transpose_lhs(Builder *b, const EqnView *e, Val gz)
{
    const DotAttr *a = e->attr;
    Type x = e->in_type[0], y = e->in_type[1];
    Roles rx = roles_of(x.rank, a->lhs, a->lhs_batch);
    Roles ry = roles_of(y.rank, a->rhs, a->rhs_batch);
    uint32_t nb = a->lhs_batch.n;
    int64_t free[MAX_RANK], batch[MAX_RANK];
    DotAttr d = {.lhs = range_of(nb + rx.nfree, ry.nfree, free),
                 .rhs = {ry.nfree, ry.free},
                 .lhs_batch = range_of(0, nb, batch),
                 .rhs_batch = a->rhs_batch,
                 .acc = a->acc,
                 .precision = a->precision};
    int64_t perm[MAX_RANK]; /* axis of x -> axis of what d makes */
    Val g = b_dot(b, gz, e->in[1], &d);

    for (uint32_t i = 0; i < nb; i++)
        perm[a->lhs_batch.v[i]] = i;
    for (uint32_t i = 0; i < rx.nfree; i++)
        perm[rx.free[i]] = nb + i;
    for (uint32_t i = 0; i < a->lhs.n; i++)
        perm[a->lhs.v[i]] = nb + rx.nfree + count_before(a->rhs.v, a->rhs.n, a->rhs.v[i]);
    return contract_narrow(b, b_transpose(b, g, perm), x);
}

/*   gy[b.., k.., n..] = sum_m  x[b.., m.., k..] * gz[b.., m.., n..]
 * as made: axes batch, contracted in the order they have in x, then free of y. */
static Val transpose_rhs(Builder *b, const EqnView *e, Val gz)
{
    const DotAttr *a = e->attr;
    Type x = e->in_type[0], y = e->in_type[1];
    Roles rx = roles_of(x.rank, a->lhs, a->lhs_batch);
    Roles ry = roles_of(y.rank, a->rhs, a->rhs_batch);
    uint32_t nb = a->lhs_batch.n, nk = a->lhs.n;
    int64_t free[MAX_RANK], batch[MAX_RANK];
    DotAttr d = {.lhs = {rx.nfree, rx.free},
                 .rhs = range_of(nb, rx.nfree, free),
                 .lhs_batch = a->lhs_batch,
                 .rhs_batch = range_of(0, nb, batch),
                 .acc = a->acc,
                 .precision = a->precision};
    int64_t perm[MAX_RANK]; /* axis of y -> axis of what d makes */
    Val g = b_dot(b, e->in[0], gz, &d);

    for (uint32_t i = 0; i < nb; i++)
        perm[a->rhs_batch.v[i]] = i;
    for (uint32_t i = 0; i < nk; i++)
        perm[a->rhs.v[i]] = nb + count_before(a->lhs.v, nk, a->lhs.v[i]);
    for (uint32_t i = 0; i < ry.nfree; i++)
        perm[ry.free[i]] = nb + nk + i;
    return contract_narrow(b, b_transpose(b, g, perm), y);
}

static void transpose_dot_general(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (gy[0] == VAL_NONE)
        return;
    if (e->in[0] == VAL_NONE)
        gx[0] = transpose_lhs(b, e, gy[0]);
    else if (e->in[1] == VAL_NONE)
        gx[1] = transpose_rhs(b, e, gy[0]);
}

/* ---- batch ------------------------------------------------------------------------- */

/* Axes of an operand that has gained axis `at` (-1: it has not), with that axis first if
 * `lead`. */
static Ints shift_axes(Ints axes, int at, bool lead, int64_t *out)
{
    uint32_t n = 0;

    if (lead)
        out[n++] = at;
    for (uint32_t i = 0; i < axes.n; i++)
        out[n++] = axes.v[i] + (at >= 0 && axes.v[i] >= at);
    return (Ints){n, out};
}

/* Both batched: one more batch axis. One batched: its batch axis is one more free axis,
 * which stands in the result among the free axes of that operand. Nothing is moved. */
static void batch_dot_general(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                              int *out_axis)
{
    const DotAttr *a = e->attr;
    int ax = bt->axis[0], ay = bt->axis[1];
    bool both = ax >= 0 && ay >= 0;
    int64_t lhs[MAX_RANK + 1], rhs[MAX_RANK + 1], lb[MAX_RANK + 1], rb[MAX_RANK + 1];
    DotAttr d = {.lhs = shift_axes(a->lhs, ax, false, lhs),
                 .rhs = shift_axes(a->rhs, ay, false, rhs),
                 .lhs_batch = shift_axes(a->lhs_batch, ax, both, lb),
                 .rhs_batch = shift_axes(a->rhs_batch, ay, both, rb),
                 .acc = a->acc,
                 .precision = a->precision};
    Roles rx = roles_of(e->in_type[0].rank, a->lhs, a->lhs_batch);
    Roles ry = roles_of(e->in_type[1].rank, a->rhs, a->rhs_batch);
    uint32_t at = 0;

    if (!both && ax >= 0)
        at = a->lhs_batch.n + count_before(rx.free, rx.nfree, ax);
    else if (!both)
        at = a->lhs_batch.n + rx.nfree + count_before(ry.free, ry.nfree, ay);
    out[0] = b_dot(b, e->in[0], e->in[1], &d);
    out_axis[0] = (int)at;
}

/* ---- the short form `dot x y` ------------------------------------------------------ */

void dot_short_attr(Arena *a, Type x, Type y, DotAttr *out)
{
    int64_t *axes = arena_array(a, 2, sizeof *axes);

    (void)y;
    axes[0] = (int64_t)x.rank - 1; /* of a scalar -1: the type rule names it */
    axes[1] = 0;
    *out = (DotAttr){.lhs = {1, axes}, .rhs = {1, axes + 1}, .acc = x.dtype};
}

bool dot_is_short(const DotAttr *a, Type x, Type y)
{
    return x.dtype == y.dtype && a->acc == x.dtype && !a->precision &&
           a->lhs_batch.n == 0 && a->lhs.n == 1 && a->lhs.v[0] == (int64_t)x.rank - 1 &&
           a->rhs.n == 1 && a->rhs.v[0] == 0 && a->rhs_batch.n == 0;
}

const char *const op_precisions[] = {"default", "highest", "tf32",
                                     "bf16x3",  "bf16",    NULL};

static const AttrField attrs_dot[] = {
    FIELD(DotAttr, lhs, A_INTS, 0),
    FIELD(DotAttr, rhs, A_INTS, 0),
    FIELD(DotAttr, lhs_batch, A_INTS, 0),
    FIELD(DotAttr, rhs_batch, A_INTS, 0),
    FIELD(DotAttr, acc, A_DTYPE, ATTR_REQUIRED),
    FIELD_ENUM(DotAttr, precision, WF_PRECISION_DEFAULT, op_precisions),
    FIELD_END,
};

/* 2 m n k */
static double flops_dot(const SizedEqn *s)
{
    const DotAttr *a = s->e->attr;
    Type x = val_type(s->p, eqn_in(s->p, s->e)[0]);
    double n = 2 * sized_count(s, val_type(s->p, s->e->out));

    for (uint32_t i = 0; i < a->lhs.n; i++)
        n *= (double)sized_dim(s, x.dims[a->lhs.v[i]]);
    return n;
}

const OpRow op_row_dot_general = {
    .attrs = attrs_dot,
    .attr_size = sizeof(DotAttr),
    .type = type_dot_general,
    .eval = eval_dot_general,
    .along = along_dot,
    .flops = flops_dot,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_dot_general = {
    .doc = DOC(
        "z[b.., m.., n..] = sum over k of x[b.., m.., k..] * y[b.., k.., n..]\n"
        "lhs and rhs pair the contracted axes, lhs_batch and rhs_batch the batch "
        "axes; result "
        "axes: batch, free axes of x, free axes of y.\n"
        "Operands are integers or floats and may differ in dtype; acc is the dtype of "
        "the sum and "
        "of the result: a float acc takes any operands, an integer acc integers only "
        "and wraps. "
        "The oracle sums floats in f64 and rounds once. NaN and inf follow IEEE "
        "arithmetic (0 * "
        "inf is NaN). A sum over an empty axis is 0.\n"
        "`dot x y` is the case of the last axis of x with the first of y, equal "
        "dtypes, acc the "
        "same."),
    .jvp = jvp_bilinear,
    .transpose = transpose_dot_general,
    .batch = batch_dot_general,
};

/* ---- axes by what they are ------------------------------------------------------------- */

void dot_roles(DotRoles *r, uint32_t rank, Ints batch, Ints sum, bool free_first)
{
    uint32_t n = 0;

    r->batch = batch;
    r->sum = sum;
    for (uint32_t i = 0; i < rank; i++)
        if (!ints_have(batch, i) && !ints_have(sum, i))
            r->free_v[n++] = i;
    r->free = (Ints){n, r->free_v};
    n = 0;
    for (uint32_t i = 0; i < batch.n; i++)
        r->order[n++] = batch.v[i];
    for (int part = 0; part < 2; part++) {
        Ints list = (part == 0) == free_first ? r->free : r->sum;

        for (uint32_t i = 0; i < list.n; i++)
            r->order[n++] = list.v[i];
    }
}
