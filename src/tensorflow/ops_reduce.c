/* ops_reduce.c -- reductions, running sums, products of matrices. */
#include "tensorflow/ops.h"

/* arg: as ONNX numbers them (onnx/ops_reduce.c), 10 all, 11 any */
TG_RULE(reduce)
{
    wf_tensor x = ox_in(r, 0), y;
    int axes[WF_MAX_RANK], n, rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    bool keep = tg_bool(r, "keep_dims", false);

    if (!ox_ok(r) || !ox_axes(r, 1, "", rank, axes, &n))
        return false;
    if (n <= 0)
        return ox_put(r, 0, op->arg == 1 ? wf_abs(r->c, x) : x);
    y = op->arg == 10   ? wf_all(r->c, x, axes, n, keep)
        : op->arg == 11 ? wf_any(r->c, x, axes, n, keep)
                        : ox_reduce_one(r, op->arg, x, axes, n, keep);
    return ox_put(r, 0, wf_cast(r->c, y, wf_dtype_of(r->c, x)));
}

TG_RULE(arg)
{
    wf_tensor x = ox_in(r, 0);
    const TgAttr *a = tg_attr(r, "output_type");
    int axis;

    return ox_ok(r) && tg_axis_in(r, 1, wf_rank(r->c, x), &axis) &&
           ox_put(r, 0,
                  wf_cast(r->c,
                          op->arg ? wf_argmax(r->c, x, &axis, false)
                                  : wf_argmin(r->c, x, &axis, false),
                          a && tg_dtype(a->type) == WF_I32 ? WF_I32 : WF_I64));
}

/* arg 1: products */
TG_RULE(cum)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), y;
    bool exclusive = tg_bool(r, "exclusive", false),
         reverse = tg_bool(r, "reverse", false);
    int64_t lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    int axis;

    if (!ox_ok(r) || !tg_axis_in(r, 1, wf_rank(c, x), &axis))
        return false;
    if (reverse)
        x = wf_flip(c, x, &axis, 1);
    y = op->arg ? wf_cumprod(c, x, axis) : wf_cumsum(c, x, axis, false);
    if (exclusive) {
        lo[axis] = 1;
        y = wf_pad(c, wf_narrow(c, y, axis, 0, wf_size_sub(c, wf_size(c, y, axis), 1)),
                   lo, hi, wf_rank(c, y), op->arg ? 1 : 0);
    }
    return ox_put(r, 0,
                  wf_cast(c, reverse ? wf_flip(c, y, &axis, 1) : y, wf_dtype_of(c, x)));
}

/* arg 1: batches, whose attributes have other names */
TG_RULE(matmul)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), y = ox_in(r, 1), z;
    bool tx = tg_bool(r, op->arg ? "adj_x" : "transpose_a", false),
         ty = tg_bool(r, op->arg ? "adj_y" : "transpose_b", false);
    const TgAttr *to = tg_attr(r, "Tout");
    wf_tensor conj;

    if (!ox_ok(r) || wf_rank(c, x) < 2 || wf_rank(c, y) < 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "ranks %d and %d", wf_rank(c, x),
                                  wf_rank(c, y))
                        : false;
    if (tx)
        x = wf_swap_axes(c, x, wf_rank(c, x) - 2, wf_rank(c, x) - 1);
    if (ty)
        y = wf_swap_axes(c, y, wf_rank(c, y) - 2, wf_rank(c, y) - 1);
    conj = op->arg && ty ? wf_conj(c, y) : y;
    z = wf_matmul(c, op->arg && tx ? wf_conj(c, x) : x, conj);
    return ox_put(
        r, 0,
        to && tg_dtype(to->type) != WF_INVALID ? wf_cast(c, z, tg_dtype(to->type)) : z);
}

TG_RULE(einsum)
{
    wf_tensor x[16];
    size_t n = ox_nin(r);

    (void)op;
    if (n > 16)
        return ox_fail(r, WF_ERR_LIMIT, "%zu operands", n);
    for (size_t i = 0; i < n; i++)
        x[i] = ox_in(r, i);
    return ox_ok(r) &&
           ox_put(r, 0, wf_einsum(r->c, tg_text(r, "equation", ""), x, (int)n));
}

enum { CHOLESKY, INVERSE, DETERMINANT, SOLVE, TRIANGULAR, EIGH };

TG_RULE(linalg)
{
    wf_ctx *c = r->c;
    wf_tensor a = ox_in(r, 0), b = op->arg == SOLVE || op->arg == TRIANGULAR ? ox_in(r, 1) : WF_NONE, w, v;
    bool adjoint = tg_bool(r, "adjoint", false);

    if (!ox_ok(r))
        return false;
    if (adjoint && op->arg != TRIANGULAR)
        a = wf_swap_axes(c, a, wf_rank(c, a) - 2, wf_rank(c, a) - 1);
    switch (op->arg) {
    case CHOLESKY: return ox_put(r, 0, wf_cholesky(c, a));
    case INVERSE: return ox_put(r, 0, wf_inv(c, a));
    case DETERMINANT: return ox_put(r, 0, wf_det(c, a));
    case SOLVE: return ox_put(r, 0, wf_solve(c, a, b));
    case EIGH:
        wf_eigh(c, a, &w, &v);
        return ox_put(r, 0, w) && ox_put(r, 1, v);
    default:
        return ox_put(
            r, 0,
            wf_solve_triangular(c, a, b, tg_bool(r, "lower", true), adjoint, false));
    }
}

/* A transform of the last axes: arg is its kind, and 4 times how many they are. Real ones are of the length that input 1 says. */
TG_RULE(fourier)
{
    int n = op->arg / 4, given = 0;
    bool real = op->arg % 4 == WF_RFFT || op->arg % 4 == WF_IRFFT;
    wf_tensor x = ox_in(r, 0);
    const OxNum *to = real ? ox_nums(r, 1, &given) : NULL;
    int64_t lengths[3];

    if (!ox_ok(r) || (real && !to))
        return false;
    if (wf_rank(r->c, x) < n || (real && given != n))
        return ox_fail(r, WF_ERR_SHAPE, "%d lengths for %d axes of %d", given, n, wf_rank(r->c, x));
    for (int i = 0; i < given; i++)
        lengths[i] = ox_size(r, to[i]);
    return ox_ok(r) && ox_bounded(r, lengths, given, OX_FILLED) &&
           ox_put(r, 0, wf_fft(r->c, x, (wf_fft_kind)(op->arg % 4), NULL, real ? lengths : NULL, n, WF_NORM_BACKWARD));
}
