/* op_sort.c -- operands sorted together along an axis, by the first of them; the first few
 * of such an order. */
#include "op/nd.h"
#include "op/op_map.h"

static const AttrField sort_attrs[] = {FIELD(SortAttr, axis, A_INT, ATTR_REQUIRED),
                                       FIELD(SortAttr, keys, A_INT, 1),
                                       FIELD(SortAttr, descending, A_INTS, 0), FIELD_END};

static bool type_sort(TypeRule *t)
{
    const SortAttr *a = t->attr;
    Type x;

    if (t->nin == 0)
        return type_fail(t, WF_ERR_VALUE, "no operands, needs at least one");
    x = t->in[0];
    for (uint32_t i = 0; i < t->nin; i++) {
        Type y = t->in[i];

        if (!dtype_is_usable((wf_dtype)y.dtype))
            return type_fail(t, WF_ERR_TYPE, "operand %u is %s, needs a dtype in use",
                             i + 1, type_show(t, y));
        if (y.rank != x.rank || y.dims != x.dims)
            return type_fail(t, WF_ERR_SHAPE,
                             "operands are %s and %s, needs equal shapes",
                             type_show(t, x), type_show(t, y));
    }
    if (a->axis < 0 || a->axis >= x.rank)
        return type_fail(t, WF_ERR_VALUE, "axis %lld of %s, needs 0 <= axis < %d",
                         (long long)a->axis, type_show(t, x), x.rank);
    if (a->keys < 1 || a->keys > (int64_t)t->nin)
        return type_fail(t, WF_ERR_VALUE,
                         "%lld keys of %u operands, needs 1 <= keys <= operands",
                         (long long)a->keys, t->nin);
    if (a->descending.n && a->descending.n != a->keys)
        return type_fail(t, WF_ERR_VALUE,
                         "descending has %u entries, needs one for each of %lld keys",
                         a->descending.n, (long long)a->keys);
    for (uint32_t i = 0; i < a->descending.n; i++)
        if (a->descending.v[i] != 0 && a->descending.v[i] != 1)
            return type_fail(t, WF_ERR_VALUE, "descending has %lld, needs 0 or 1",
                             (long long)a->descending.v[i]);
    for (uint32_t i = 0; i < t->nin; i++)
        type_out_like(t, t->in[i]);
    return true;
}

/* ---- oracle: a stable merge sort of places ----------------------------------------- */

typedef struct Line { /* the elements number first + k*step */
    const Eval *e;
    int64_t first, step;
} Line;

/* Place i comes strictly after place j. NaN comes last in both directions. */
static bool is_after(const Line *l, int64_t i, int64_t j)
{
    const SortAttr *a = l->e->attr;

    for (int64_t key = 0; key < a->keys; key++) {
        const Nd *x = &l->e->in[key];
        Scalar u = scalar_load(x->dtype, x->data, l->first + i * l->step);
        Scalar v = scalar_load(x->dtype, x->data, l->first + j * l->step);
        bool any_nan = scalar_is_nan(x->dtype, u) || scalar_is_nan(x->dtype, v);
        int c = scalar_compare(x->dtype, u, v);

        if (c && a->descending.n && a->descending.v[key] && !any_nan)
            c = -c;
        if (c)
            return c > 0;
    }
    return false;
}

/* order = 0 .. n-1 sorted; spare has n entries too */
static void merge_sort(const Line *l, int64_t *order, int64_t *spare, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * run) {
            int64_t mid = MIN(lo + run, n), hi = MIN(lo + 2 * run, n), i = lo, j = mid;

            for (int64_t k = lo; k < hi; k++) {
                bool right = i == mid || (j < hi && is_after(l, order[i], order[j]));

                spare[k] = right ? order[j++] : order[i++];
            }
        }
        memcpy(order, spare, (size_t)n * sizeof *order);
    }
}

static bool eval_sort(Eval *e)
{
    const Nd *x = &e->in[0];
    uint32_t axis = (uint32_t)((const SortAttr *)e->attr)->axis;
    int64_t n = x->dims[axis], stride[MAX_RANK];
    ArenaMark mark = arena_mark(e->a);
    int64_t *order = arena_array(e->a, (size_t)n, sizeof *order);
    int64_t *spare = arena_array(e->a, (size_t)n, sizeof *spare);

    nd_strides(x->dims, x->rank, stride);
    for (int64_t j = 0; n && j < x->count / n; j++) {
        int64_t inner = stride[axis];
        Line l = {e, j / inner * n * inner + j % inner, inner};

        merge_sort(&l, order, spare, n);
        for (uint32_t i = 0; i < e->nin; i++)
            for (int64_t k = 0; k < n; k++)
                nd_copy(&e->out[i], l.first + k * inner, &e->in[i],
                        l.first + order[k] * inner);
    }
    arena_reset(e->a, mark);
    return true;
}

/* ---- jvp: tangents go where their elements go: dy = dx[order of the keys] ---- */

/* Where each element of the result came from, i64, by sorting 0, 1 .. with the keys. */
static Val sort_order(Builder *b, const EqnView *e, const SortAttr *a)
{
    Type x = e->in_type[0];
    uint32_t keys = (uint32_t)a->keys, n = 0;
    Val *in = arena_array(&b->arena, keys + 1, sizeof *in), *out;

    memcpy(in, e->in, keys * sizeof *in);
    in[keys] = b_iota(b, WF_I64, x.dims, x.rank, (uint32_t)a->axis);
    out = b_eqn_n(b, OP_sort, in, keys + 1, a, &n);
    return n == keys + 1 ? out[keys] : VAL_NONE;
}

/* y[.., k, ..] = x[.., order[.., k, ..], ..] along the axis; the others are batching */
static Val take_along(Builder *b, Val x, Val order, uint32_t axis)
{
    Type t = b_type(b, x);
    int64_t others[MAX_RANK], ones[MAX_RANK], along = axis;
    uint32_t n = 0;

    for (uint32_t i = 0; i < t.rank; i++) {
        ones[i] = 1;
        if (i != axis)
            others[n++] = i;
    }
    return b_gather(b, x, b_expand(b, order, t.rank),
                    &(GatherAttr){
                        .collapsed = {1, &along},
                        .operand_batching = {n, others},
                        .indices_batching = {n, others},
                        .start_index_map = {1, &along},
                        .slice_sizes = {t.rank, ones},
                        .mode = INDEX_PROMISED,
                    });
}

static void jvp_sort(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const SortAttr *a = e->attr;
    Val order = sort_order(b, e, a);

    for (uint32_t i = 0; i < e->nin && order; i++)
        if (dx[i])
            dy[i] = take_along(b, dx[i], order, (uint32_t)a->axis);
}

static void batch_sort(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    SortAttr a = *(const SortAttr *)e->attr;
    Val *in = arena_array(&b->arena, e->nin, sizeof *in);

    batch_front(b, e, bt, true, in);
    a.axis++;
    b_eqn(b, OP_sort, in, e->nin, &a, out, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = 0;
}

/* along an axis of at most one element: the operands */
static bool fold_sort(Builder *b, const EqnView *e, Val *out)
{
    Dim n = e->in_type[0].dims[((const SortAttr *)e->attr)->axis];

    (void)b;
    if (n != 0 && n != 1)
        return false;
    memcpy(out, e->in, e->nin * sizeof *out);
    return true;
}

const OpRow op_row_sort = {
    .attrs = sort_attrs,
    .attr_size = sizeof(SortAttr),
    .type = type_sort,
    .eval = eval_sort,
    .along = along_axis,
    .fold = fold_sort,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_sort = {
    .doc =
        DOC("y.. = the operands x.., all sorted along the axis in the order of the first "
            "`keys` of them, compared one after the other: sort k v axis=0 keys=1 "
            "descending=[1]. Every dtype, one shape. Stable, also where descending; NaN "
            "comes last in both directions, -0 equals 0, false < true."),
    .jvp = jvp_sort,
    .batch = batch_sort,
};

/* ---- top_k:  dy = dx at the places ------------------------------------------------- */

static const AttrField top_attrs[] = {FIELD(TopAttr, axis, A_INT, ATTR_REQUIRED),
                                      FIELD(TopAttr, k, A_INT, ATTR_REQUIRED),
                                      FIELD(TopAttr, largest, A_BOOL, true), FIELD_END};

static bool type_top_k(TypeRule *t)
{
    const TopAttr *a = t->attr;
    Type x = t->in[0];
    Dim dims[MAX_RANK], n;

    if (!dtype_is((wf_dtype)x.dtype, DT_USED | DT_ORDERED))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a dtype with an order",
                         type_show(t, x));
    if (!type_axis(t, a->axis))
        return false;
    n = x.dims[a->axis];
    if (a->k < 0 || (dim_is_const(n) && a->k > n))
        return type_fail(t, WF_ERR_VALUE, "k is %lld along axis %lld of %s",
                         (long long)a->k, (long long)a->axis, type_show(t, x));
    for (uint32_t i = 0; i < x.rank; i++)
        dims[i] = i == a->axis ? dim_const(t->dims, a->k) : x.dims[i];
    type_out(t, (wf_dtype)x.dtype, dims, x.rank);
    type_out(t, WF_I64, dims, x.rank);
    return true;
}

/* Does x come before y, at a later place? NaN is largest. */
static bool comes_before(const Eval *e, Scalar x, Scalar y)
{
    wf_dtype t = e->in[0].dtype;
    bool nan[2] = {scalar_is_nan(t, x), scalar_is_nan(t, y)};
    int c = nan[0] || nan[1] ? nan[0] - nan[1] : scalar_compare(t, x, y);

    return ((const TopAttr *)e->attr)->largest ? c > 0 : c < 0;
}

/* By insertion into the k best so far. */
static void top_of_line(Eval *e, int64_t k, int64_t from, int64_t n, int64_t to,
                        int64_t step, int64_t *best)
{
    const Nd *x = &e->in[0];
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++) {
        Scalar v = scalar_load(x->dtype, x->data, from + i * step);
        int64_t at = count;

        while (at > 0 &&
               comes_before(e, v,
                            scalar_load(x->dtype, x->data, from + best[at - 1] * step)))
            at--;
        if (at == k)
            continue;
        count = MIN(count + 1, k);
        for (int64_t j = count - 1; j > at; j--)
            best[j] = best[j - 1];
        best[at] = i;
    }
    for (int64_t j = 0; j < k; j++) {
        nd_copy(&e->out[0], to + j * step, x, from + best[j] * step);
        ((int64_t *)e->out[1].data)[to + j * step] = best[j];
    }
}

static bool eval_top_k(Eval *e)
{
    const TopAttr *a = e->attr;
    Lines l = nd_lines(&e->in[0], a->axis);
    int64_t *best = arena_array(e->a, (size_t)a->k + 1, sizeof *best);

    if (a->k > l.n)
        return eval_fail(e, WF_ERR_VALUE, "k is %lld along an axis of %lld elements",
                         (long long)a->k, (long long)l.n);
    for (int64_t j = 0; j < l.outer * l.inner; j++)
        top_of_line(e, a->k, j / l.inner * l.n * l.inner + j % l.inner, l.n,
                    j / l.inner * a->k * l.inner + j % l.inner, l.inner, best);
    return true;
}

static void jvp_top_k(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = take_along(b, dx[0], e->out[1], (uint32_t)((const TopAttr *)e->attr)->axis);
}

static void batch_top_k(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                        int *out_axis)
{
    TopAttr a = *(const TopAttr *)e->attr;

    a.axis += a.axis >= bt->axis[0];
    b_eqn(b, OP_top_k, e->in, 1, &a, out, 2);
    out_axis[0] = out_axis[1] = bt->axis[0];
}

const OpRow op_row_top_k = {
    .attrs = top_attrs,
    .attr_size = sizeof(TopAttr),
    .type = type_top_k,
    .eval = eval_top_k,
    .along = along_top_k,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_top_k = {
    .doc = DOC(
        "The k largest elements along the axis in order, or with largest=false the k "
        "smallest, and their places (i64): top_k x axis=1 k=5. Every dtype; equal ones "
        "in the order of their places, NaN counts as largest. More than there are is "
        "an error."),
    .jvp = jvp_top_k,
    .batch = batch_top_k,
};
