/* nums.c -- ops on integers that are made of sizes: see onnx/nums.c. Those whose inputs are not laid out as ONNX has them. */
#include "tensorflow/ops.h"

/* All inputs but the axis, scalars or vectors, one after the other. */
static bool join(OxRun *r, size_t from, size_t to)
{
    OxNum *out = ox_alloc(&r->mem, OX_MAX, sizeof *out);
    OxElem elem = ox_elem_of(r, from);
    int total = 0, n;

    for (size_t i = from; i < to && out; i++) {
        const OxNum *v = ox_nums(r, i, &n);

        if (!v || total + n > OX_MAX)
            return false;
        memcpy(out + total, v, (size_t)n * sizeof *v);
        total += n;
    }
    if (out)
        ox_set_nums(r, 0, out, total, 1, elem);
    return out != NULL;
}

static int rank_of(OxRun *r, size_t i)
{
    const OxValue *v = ox_value(r, i);

    return v->nums ? v->num_rank : wf_rank(r->c, v->t);
}

static bool nums_concat(OxRun *r) { return join(r, 0, ox_nin(r) - 1); }

static bool nums_pack(OxRun *r)
{
    for (size_t i = 0; i < ox_nin(r); i++)
        if (rank_of(r, i) != 0)
            return false;
    return join(r, 0, ox_nin(r));
}

static bool nums_cast(OxRun *r)
{
    const TgAttr *a = tg_attr(r, "DstT");
    const OxValue *v = ox_value(r, 0);
    OxElem to = a ? tg_elem(a->type) : 0;

    if ((to != OX_INT64 && to != OX_INT32) || !v->nums)
        return false;
    ox_set_nums(r, 0, v->nums, v->nnums, v->num_rank, to);
    return true;
}

static bool nums_product(OxRun *r)
{
    return ox_nums_product(r, tg_bool(r, "keep_dims", false));
}

static bool nums_sum(OxRun *r)
{
    const OxValue *v = ox_value(r, 0);
    OxNum *s = ox_alloc(&r->mem, 1, sizeof *s);

    if (!s || !v->nums || !v->num_rank)
        return false;
    *s = ox_number(0);
    for (int i = 0; i < v->nnums; i++)
        *s = ox_num_add(r, *s, v->nums[i]);
    ox_set_nums(r, 0, s, 1, tg_bool(r, "keep_dims", false), v->num_elem);
    return true;
}

static bool nums_strided_slice(OxRun *r)
{
    int64_t begin[1], end[1], step[1];
    int n, a, b, c, count = 0;
    const OxNum *v = ox_nums(r, 0, &n);
    OxNum *out = ox_alloc(&r->mem, (size_t)MAX(n, 0) + 1, sizeof *out);

    if (!v || !out || rank_of(r, 0) != 1 || tg_int(r, "ellipsis_mask", 0) ||
        tg_int(r, "new_axis_mask", 0) || !ox_numbers(r, 1, begin, 1, &a) ||
        !ox_numbers(r, 2, end, 1, &b) || !ox_numbers(r, 3, step, 1, &c) || a != 1 ||
        b != 1 || c != 1 || !step[0])
        return false;
    if (tg_int(r, "shrink_axis_mask", 0) & 1) {
        int64_t i = begin[0] < 0 ? begin[0] + n : begin[0];

        if (i < 0 || i >= n)
            return ox_fail(r, WF_ERR_VALUE, "element %lld of %d", (long long)begin[0], n);
        *out = v[i];
        ox_set_nums(r, 0, out, 1, 0, ox_elem_of(r, 0));
        return true;
    }
    int64_t lo = step[0] < 0 ? -1 : 0, hi = step[0] < 0 ? n - 1 : n, from = begin[0],
            to = end[0];
    from = tg_int(r, "begin_mask", 0) & 1 ? (step[0] < 0 ? n - 1 : 0)
           : from < -n                    ? lo
           : from < 0                     ? from + n
                                          : MIN(from, hi);
    to = tg_int(r, "end_mask", 0) & 1 ? (step[0] < 0 ? -1 : n)
         : to < -n                    ? lo
         : to < 0                     ? to + n
                                      : MIN(to, hi);
    for (int64_t i = from; step[0] > 0 ? i < to : i > to; i += step[0])
        out[count++] = v[i];
    ox_set_nums(r, 0, out, count, 1, ox_elem_of(r, 0));
    return true;
}

static bool nums_slice(OxRun *r)
{
    int64_t begin[1], size[1];
    int n, a, b;
    const OxNum *v = ox_nums(r, 0, &n);

    if (!v || rank_of(r, 0) != 1 || !ox_numbers(r, 1, begin, 1, &a) ||
        !ox_numbers(r, 2, size, 1, &b) || a != 1 || b != 1 || begin[0] < 0 ||
        begin[0] > n)
        return false;
    if (size[0] < 0)
        size[0] = n - begin[0];
    if (size[0] > n - begin[0])
        return false;
    ox_set_nums(r, 0, v + begin[0], (int)size[0], 1, ox_elem_of(r, 0));
    return true;
}

/* arg by arg: sizes are at least 0, so that much is known of comparisons with numbers. */
static bool nums_compare(OxRun *r)
{
    int n, m;
    const OxNum *a = ox_nums(r, 0, &n), *b = a ? ox_nums(r, 1, &m) : NULL;
    const char *op = r->node->op;
    OxNum *out = ox_alloc(&r->mem, 1, sizeof *out);
    bool holds;

    if (!b || !out || n != 1 || m != 1 || a->kind != OX_NUMBER || b->kind != OX_NUMBER)
        return false;
    holds = strcmp(op, "Less") == 0        ? a->v < b->v
            : strcmp(op, "LessEqual") == 0 ? a->v <= b->v
            : strcmp(op, "Greater") == 0   ? a->v > b->v
                                           : a->v >= b->v;
    *out = ox_number(holds);
    ox_set_nums(r, 0, out, 1, rank_of(r, 0) || rank_of(r, 1), OX_BOOL);
    return true;
}

const OxNumOp tg_num_ops[TG_NUM_OPS] = {
    {"Add", ox_nums_add},
    {"AddV2", ox_nums_add},
    {"Cast", nums_cast},
    {"ConcatV2", nums_concat},
    {"Equal", ox_nums_equal},
    {"ExpandDims", ox_nums_unsqueeze},
    {"FloorDiv", ox_nums_div},
    {"FloorMod", ox_nums_mod},
    {"GatherV2", ox_nums_gather},
    {"Greater", nums_compare},
    {"GreaterEqual", nums_compare},
    {"Identity", ox_nums_identity},
    {"Less", nums_compare},
    {"LessEqual", nums_compare},
    {"Maximum", ox_nums_max},
    {"Minimum", ox_nums_min},
    {"Mul", ox_nums_mul},
    {"Pack", nums_pack},
    {"Prod", nums_product},
    {"Reshape", ox_nums_reshape},
    {"Select", ox_nums_where},
    {"SelectV2", ox_nums_where},
    {"Slice", nums_slice},
    {"Squeeze", ox_nums_squeeze},
    {"StridedSlice", nums_strided_slice},
    {"Sub", ox_nums_sub},
    {"Sum", nums_sum},
};
