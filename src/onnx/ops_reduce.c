/* ops_reduce.c -- reductions, running sums, products of matrices. */
#include "onnx/ops.h"

enum { L1, L2, LOG_SUM, LOG_SUM_EXP, MAXIMUM, MEAN, MINIMUM, PROD, SUM, SUM_SQUARE };

/* What the largest of nothing is: the least number there is (or its opposite). */
static double extreme(wf_dtype dtype, bool least)
{
    static const double top[] = {[WF_I8] = 127, [WF_I16] = 32767, [WF_I32] = 2147483647, [WF_I64] = 9223372036854775807.0,
                                 [WF_U8] = 255, [WF_U16] = 65535, [WF_U32] = 4294967295.0, [WF_U64] = 18446744073709551615.0};

    if (wf_dtype_is_float(dtype))
        return least ? -INFINITY : INFINITY;
    if (dtype == WF_BOOL)
        return least ? 0 : 1;
    if (dtype == WF_U8 || dtype == WF_U16 || dtype == WF_U32 || dtype == WF_U64)
        return least ? 0 : top[dtype];
    return least ? -top[dtype] - 1 : top[dtype];
}

static wf_tensor of_nothing(OxRun *r, int kind, wf_tensor x, const int *axes, int n, bool keep)
{
    wf_tensor y = wf_sum(r->c, wf_cast(r->c, x, WF_F32), axes, n, keep); /* its shape */
    wf_dtype dtype = wf_dtype_of(r->c, x);

    return wf_cast(r->c, wf_full_like(r->c, y, extreme(dtype, kind == MAXIMUM)), dtype);
}

static bool is_empty(OxRun *r, wf_tensor x, const int *axes, int n)
{
    int rank = wf_rank(r->c, x);

    for (int i = 0; i < (axes ? n : rank); i++)
        if (wf_size(r->c, x, axes ? axes[i] : i) == 0)
            return true;
    return false;
}

static wf_tensor extremum(OxRun *r, int kind, wf_tensor x, const int *axes, int n, bool keep)
{
    if (is_empty(r, x, axes, n))
        return of_nothing(r, kind, x, axes, n, keep);
    if (wf_dtype_of(r->c, x) == WF_BOOL)
        return kind == MAXIMUM ? wf_any(r->c, x, axes, n, keep) : wf_all(r->c, x, axes, n, keep);
    return kind == MAXIMUM ? wf_max(r->c, x, axes, n, keep) : wf_min(r->c, x, axes, n, keep);
}

wf_tensor ox_reduce_one(OxRun *r, int kind, wf_tensor x, const int *axes, int n, bool keep)
{
    wf_ctx *c = r->c;

    switch (kind) {
    case L1: return wf_sum(c, wf_abs(c, x), axes, n, keep);
    case L2: return wf_sqrt(c, wf_sum(c, wf_square(c, x), axes, n, keep));
    case LOG_SUM: return wf_log(c, wf_sum(c, x, axes, n, keep));
    case LOG_SUM_EXP:
        return is_empty(r, x, axes, n) ? wf_log(c, wf_sum(c, wf_exp(c, x), axes, n, keep))
                                       : wf_logsumexp(c, x, axes, n, keep);
    case MEAN: return wf_mean(c, x, axes, n, keep);
    case PROD: return wf_prod(c, x, axes, n, keep);
    case SUM: return wf_sum(c, x, axes, n, keep);
    case SUM_SQUARE: return wf_sum(c, wf_square(c, x), axes, n, keep);
    default: return extremum(r, kind, x, axes, n, keep);
    }
}

/* No axis at all: the op on each element by itself. */
static wf_tensor reduce_nothing(OxRun *r, int kind, wf_tensor x)
{
    wf_ctx *c = r->c;

    return kind == L1 || kind == L2 ? wf_abs(c, x) : kind == LOG_SUM ? wf_log(c, x) : kind == SUM_SQUARE ? wf_square(c, x) : x;
}

OX_RULE(reduce)
{
    wf_tensor x = ox_in(r, 0), y;
    int axes[WF_MAX_RANK], n, rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    bool keep = ox_int(r, "keepdims", 1) != 0;

    if (!ox_axes(r, 1, "axes", rank, axes, &n))
        return false;
    if (n <= 0 && ox_int(r, "noop_with_empty_axes", 0))
        return ox_put(r, 0, wf_cast(r->c, reduce_nothing(r, op->arg, x), wf_dtype_of(r->c, x)));
    for (int i = 0; n <= 0 && i < rank; i++)
        axes[i] = i;
    n = n <= 0 ? rank : n;
    y = n ? ox_reduce_one(r, op->arg, x, axes, n, keep) : reduce_nothing(r, op->arg, x);
    return ox_put(r, 0, wf_cast(r->c, y, wf_dtype_of(r->c, x)));
}

OX_RULE(arg)
{
    wf_tensor x = ox_in(r, 0), y;
    int axis = ox_ok(r) ? ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, x)) : -1;
    bool keep = ox_int(r, "keepdims", 1) != 0, last = ox_int(r, "select_last_index", 0) != 0;

    if (axis < 0)
        return false;
    if (last)
        x = wf_flip(r->c, x, &axis, 1);
    y = op->arg ? wf_argmax(r->c, x, &axis, keep) : wf_argmin(r->c, x, &axis, keep);
    if (last)
        y = wf_sub(r->c, ox_num_tensor(r, ox_num_size(wf_size_sub(r->c, wf_size(r->c, x, axis), 1))), y);
    return ox_put(r, 0, wf_cast(r->c, y, WF_I64));
}

OX_RULE(cum)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), y;
    bool reverse = ox_int(r, "reverse", 0) != 0;
    int64_t at = 0, n = 0, lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    int axis, count;

    if (!ox_ok(r) || !ox_numbers(r, 1, &at, 1, &count) || (axis = ox_axis(r, at, wf_rank(c, x))) < 0)
        return false;
    n = wf_size(c, x, axis);
    if (reverse)
        x = wf_flip(c, x, &axis, 1);
    if (ox_int(r, "exclusive", 0)) { /* one place further, beginning with nothing */
        lo[axis] = 1;
        x = wf_narrow(c, wf_pad(c, x, lo, hi, wf_rank(c, x), op->arg), axis, 0, n);
    }
    y = op->arg ? wf_cumprod(c, x, axis) : wf_cumsum(c, x, axis, false);
    if (reverse)
        y = wf_flip(c, y, &axis, 1);
    return ox_put(r, 0, wf_cast(c, y, wf_dtype_of(c, x)));
}

/* ---- products ------------------------------------------------------------------------------- */

/* A matrix on the right meets all rows at once, however many axes they have. */
wf_tensor ox_product(OxRun *r, wf_tensor x, wf_tensor y)
{
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0;

    ox_agree_product(r, &x, &y);
    if (rank > 2 && wf_rank(r->c, y) == 2)
        return wf_tensordot(r->c, x, y, (int[]){rank - 1}, (int[]){0}, 1);
    return wf_matmul(r->c, x, y);
}

OX_RULE(matmul)
{
    wf_tensor y = ox_quant_product(r), a;

    (void)op;
    if (wf_is_none(y) && ox_ok(r)) {
        a = ox_in(r, 0);
        y = ox_product(r, a, ox_in(r, 1));
    }
    return ox_put(r, 0, y);
}

OX_RULE(gemm)
{
    wf_ctx *c = r->c;
    wf_tensor a = ox_in(r, 0), b = ox_in(r, 1), bias = ox_opt(r, 2), y;
    double alpha = ox_float(r, "alpha", 1), beta = ox_float(r, "beta", 1);

    (void)op;
    if (ox_int(r, "transA", 0))
        a = wf_permute(c, a, (int[]){1, 0}, 2);
    if (ox_int(r, "transB", 0))
        b = wf_permute(c, b, (int[]){1, 0}, 2);
    y = ox_quant_gemm(r);
    if (wf_is_none(y))
        y = wf_matmul(c, a, b);
    if (alpha != 1)
        y = wf_mul(c, y, ox_like(r, alpha, y));
    if (!wf_is_none(bias) && beta != 0)
        y = wf_add(c, y, beta == 1 ? bias : wf_mul(c, bias, ox_like(r, beta, bias)));
    return ox_put(r, 0, y);
}

OX_RULE(einsum)
{
    size_t n = ox_nin(r);
    wf_tensor *x = ox_alloc(&r->mem, n + 1, sizeof *x);
    const char *spec = ox_text(r, "equation", "");
    char *plain = ox_alloc(&r->mem, strlen(spec) + 1, 1);
    size_t k = 0;

    (void)op;
    for (size_t i = 0; x && i < n; i++)
        x[i] = ox_in(r, i);
    for (; plain && *spec; spec++)
        if (*spec != ' ')
            plain[k++] = *spec;
    if (x && plain)
        ox_agree_labels(r, plain, x, n);
    return x && plain && ox_put(r, 0, wf_einsum(r->c, plain, x, (int)n));
}

OX_RULE(det)
{
    (void)op;
    return ox_put(r, 0, wf_det(r->c, ox_in(r, 0)));
}

OX_RULE(lp_normalization)
{
    wf_tensor x = ox_in(r, 0), norm;
    int axis = ox_ok(r) ? ox_axis(r, ox_int(r, "axis", -1), wf_rank(r->c, x)) : -1;

    (void)op;
    if (axis < 0)
        return false;
    norm = ox_reduce_one(r, ox_int(r, "p", 2) == 1 ? L1 : L2, x, &axis, 1, true);
    norm = wf_where(r->c, wf_eq(r->c, norm, ox_like(r, 0, norm)), ox_like(r, 1, norm), norm);
    return ox_put(r, 0, wf_div(r->c, x, norm));
}
