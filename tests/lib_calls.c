/* lib_calls.c -- see lib_calls.h. One row a function: how its arguments are taken from a case. */
#include "lib_calls.h"

#include <stdlib.h>
#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------------- */

static double num(const CallArgs *a, int g) { return a->g[g].n ? a->g[g].v[0] : 0; }
static int64_t at(const CallArgs *a, int g, int i) { return (int64_t)a->g[g].v[i]; }

typedef struct Sizes {
    int64_t v[8];
} Sizes;
typedef struct Axes {
    int v[8];
} Axes;

static const int64_t *sizes(const CallArgs *a, int g, Sizes *s)
{
    for (int i = 0; i < a->g[g].n; i++)
        s->v[i] = (int64_t)a->g[g].v[i];
    return a->g[g].n ? s->v : NULL;
}

static const int *axes(const CallArgs *a, int g, Axes *s)
{
    for (int i = 0; i < a->g[g].n; i++)
        s->v[i] = (int)a->g[g].v[i];
    return a->g[g].n ? s->v : NULL;
}

static wf_dtype dtype_named(const CallArgs *a)
{
    if (!strcmp(a->text, "f64"))
        return a->real;
    for (int d = WF_BOOL; d <= WF_F64; d++)
        if (!strcmp(a->text, wf_dtype_name((wf_dtype)d)))
            return (wf_dtype)d;
    return WF_INVALID;
}

/* "i-1,s1:_:2,e,n,t": tensors come from in, in order */
static int parse_index(const char *s, const wf_tensor *in, wf_index *ix)
{
    int n = 0;

    while (*s) {
        char kind = *s++;
        int64_t v[3] = {WF_NOT, WF_NOT, WF_NOT};

        if (kind == 'i')
            v[0] = strtoll(s, (char **)(uintptr_t)&s, 10);
        for (int k = 0; kind == 's' && k < 3; k++) {
            if (*s == '_')
                s++;
            else
                v[k] = strtoll(s, (char **)(uintptr_t)&s, 10);
            s += *s == ':';
        }
        ix[n++] = kind == 'i'   ? wf_at_int(v[0])
                  : kind == 's' ? wf_at_slice_step(v[0], v[1], v[2])
                  : kind == 'e' ? wf_at_rest()
                  : kind == 'n' ? wf_at_new()
                                : wf_at_tensor(*in++);
        s += *s == ',';
    }
    return n;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

#define CALL(name)                                                                       \
    static void c_##name(wf_ctx *c, const CallArgs *a, const wf_tensor *in,              \
                         wf_tensor *out)
#define PLAIN(name, expr)                                                                \
    CALL(name)                                                                           \
    {                                                                                    \
        Sizes s0, s1, s2, s3;                                                            \
        Axes x0, x1;                                                                     \
        (void)a, (void)in, (void)s0, (void)s1, (void)s2, (void)s3, (void)x0, (void)x1;   \
        out[0] = (expr);                                                                 \
    }
#define EACH_UNARY(X)                                                                    \
    X(neg)                                                                               \
    X(abs)                                                                               \
    X(sign)                                                                              \
    X(positive) X(square) X(reciprocal) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10)  \
        X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)    \
            X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(erf_inv) X(sqrt) X(rsqrt)        \
                X(sigmoid) X(floor) X(ceil) X(round) X(trunc) X(frac) X(is_finite)       \
                    X(is_nan) X(is_inf) X(logical_not) X(bitwise_not) X(stop_gradient)   \
                        X(deg2rad) X(rad2deg) X(relu) X(silu) X(log_sigmoid)             \
                            X(zeros_like) X(ones_like) X(copy) X(diagonal_sum)           \
                                X(cholesky) X(inv) X(det) X(nonzero) X(detach)
#define EACH_BINARY(X)                                                                   \
    X(add)                                                                               \
    X(sub)                                                                               \
    X(mul) X(div) X(floor_div) X(remainder) X(fmod) X(pow) X(atan2) X(maximum)           \
        X(minimum) X(hypot) X(logaddexp) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)             \
            X(logical_and) X(logical_or) X(logical_xor) X(bitwise_and) X(bitwise_or)     \
                X(bitwise_xor) X(shift_left) X(shift_right) X(matmul) X(outer) X(solve)  \
                    X(masked_select) X(embedding)
#define DEFINE_UNARY(name)  PLAIN(name, wf_##name(c, in[0]))
#define DEFINE_BINARY(name) PLAIN(name, wf_##name(c, in[0], in[1]))
EACH_UNARY(DEFINE_UNARY)
EACH_BINARY(DEFINE_BINARY)

PLAIN(where, wf_where(c, in[0], in[1], in[2]))
PLAIN(clip, wf_clip(c, in[0], in[1], in[2]))
PLAIN(lerp, wf_lerp(c, in[0], in[1], in[2]))
PLAIN(is_close, wf_is_close(c, in[0], in[1], num(a, 0), num(a, 1)))
PLAIN(gelu, wf_gelu(c, in[0], num(a, 0) != 0))
PLAIN(softplus, wf_softplus(c, in[0], num(a, 0)))
PLAIN(elu, wf_elu(c, in[0], num(a, 0)))
PLAIN(leaky_relu, wf_leaky_relu(c, in[0], num(a, 0)))
PLAIN(softmax, wf_softmax(c, in[0], (int)num(a, 0)))
PLAIN(log_softmax, wf_log_softmax(c, in[0], (int)num(a, 0)))

PLAIN(full, wf_full(c, a->real, sizes(a, 0, &s0), a->g[0].n, num(a, 1)))
PLAIN(zeros, wf_zeros(c, a->real, sizes(a, 0, &s0), a->g[0].n))
PLAIN(ones, wf_ones(c, a->real, sizes(a, 0, &s0), a->g[0].n))
PLAIN(full_like, wf_full_like(c, in[0], num(a, 0)))
PLAIN(arange, wf_arange(c, a->real, a->g[0].v[0], a->g[0].v[1], a->g[0].v[2]))
PLAIN(linspace,
      wf_linspace(c, a->real, a->g[0].v[0], a->g[0].v[1], at(a, 0, 2), num(a, 1) != 0))
PLAIN(iota, wf_iota(c, a->real, sizes(a, 0, &s0), a->g[0].n, (int)num(a, 1)))
PLAIN(eye, wf_eye(c, a->real, at(a, 0, 0), at(a, 0, 1), (int)at(a, 0, 2)))
PLAIN(tri, wf_tri(c, a->real, at(a, 0, 0), at(a, 0, 1), (int)at(a, 0, 2)))
PLAIN(one_hot, wf_one_hot(c, in[0], at(a, 0, 0), a->real))
PLAIN(cast, wf_cast(c, in[0], dtype_named(a)))
PLAIN(bitcast, wf_bitcast(c, in[0], dtype_named(a)))

CALL(reshape)
{
    Sizes s;

    sizes(a, 0, &s);
    for (int i = 0; i < a->g[0].n; i++)
        s.v[i] = s.v[i] < 0 ? WF_INFER : s.v[i];
    out[0] = wf_reshape(c, in[0], s.v, a->g[0].n);
}
PLAIN(flatten, wf_flatten(c, in[0], (int)at(a, 0, 0), (int)at(a, 0, 1)))
PLAIN(permute, wf_permute(c, in[0], axes(a, 0, &x0), a->g[0].n))
PLAIN(swap_axes, wf_swap_axes(c, in[0], (int)at(a, 0, 0), (int)at(a, 0, 1)))
PLAIN(move_axis, wf_move_axis(c, in[0], (int)at(a, 0, 0), (int)at(a, 0, 1)))
PLAIN(squeeze, wf_squeeze(c, in[0], axes(a, 0, &x0), a->g[0].n))
PLAIN(expand_dims, wf_expand_dims(c, in[0], (int)num(a, 0)))
PLAIN(broadcast_to, wf_broadcast_to(c, in[0], sizes(a, 0, &s0), a->g[0].n))
PLAIN(flip, wf_flip(c, in[0], axes(a, 0, &x0), a->g[0].n))
PLAIN(narrow, wf_narrow(c, in[0], (int)at(a, 0, 0), at(a, 0, 1), at(a, 0, 2)))
PLAIN(concat, wf_concat(c, in, a->nin, (int)num(a, 0)))
PLAIN(stack, wf_stack(c, in, a->nin, (int)num(a, 0)))
CALL(split_sizes)
{
    Sizes s;

    wf_split_sizes(c, in[0], sizes(a, 0, &s), a->g[0].n, (int)num(a, 1), out);
}
CALL(split_equal) { wf_split_equal(c, in[0], (int)at(a, 0, 1), out, (int)at(a, 0, 0)); }
PLAIN(tile, wf_tile(c, in[0], sizes(a, 0, &s0), a->g[0].n))
PLAIN(repeat, wf_repeat(c, in[0], at(a, 0, 0), (int)at(a, 0, 1)))
PLAIN(roll, wf_roll(c, in[0], at(a, 0, 0), (int)at(a, 0, 1)))
PLAIN(pad, wf_pad(c, in[0], sizes(a, 0, &s0), sizes(a, 1, &s1), a->g[0].n, num(a, 2)))
PLAIN(tril, wf_tril(c, in[0], (int)num(a, 0)))
PLAIN(triu, wf_triu(c, in[0], (int)num(a, 0)))

#define REDUCE(name)                                                                     \
    PLAIN(name, wf_##name(c, in[0], axes(a, 0, &x0), a->g[0].n, num(a, 1) != 0))
REDUCE(sum)
REDUCE(prod)
REDUCE(max)
REDUCE(min)
REDUCE(all)
REDUCE(any)
REDUCE(mean)
REDUCE(logsumexp)
PLAIN(count_nonzero, wf_count_nonzero(c, in[0], axes(a, 0, &x0), a->g[0].n))
PLAIN(var, wf_var(c, in[0], axes(a, 0, &x0), a->g[0].n, num(a, 1), num(a, 2) != 0))
PLAIN(std, wf_std(c, in[0], axes(a, 0, &x0), a->g[0].n, num(a, 1), num(a, 2) != 0))
PLAIN(norm, wf_norm(c, in[0], num(a, 0), axes(a, 1, &x0), a->g[1].n, num(a, 2) != 0))
PLAIN(argmax, wf_argmax(c, in[0], axes(a, 0, &x0), num(a, 1) != 0))
PLAIN(argmin, wf_argmin(c, in[0], axes(a, 0, &x0), num(a, 1) != 0))
PLAIN(cumsum, wf_cumsum(c, in[0], (int)num(a, 0), num(a, 1) != 0))
PLAIN(cumprod, wf_cumprod(c, in[0], (int)num(a, 0)))
PLAIN(cummax, wf_cummax(c, in[0], (int)num(a, 0)))
PLAIN(cummin, wf_cummin(c, in[0], (int)num(a, 0)))

CALL(index_get)
{
    wf_index ix[16];
    int n = parse_index(a->text, in + 1, ix);

    out[0] = wf_index_get(c, in[0], ix, n);
}
CALL(index_set)
{
    wf_index ix[16];
    int n = parse_index(a->text, in + 1, ix);

    out[0] = wf_index_set(c, in[0], ix, n, in[a->nin - 1]);
}
CALL(index_add)
{
    wf_index ix[16];
    int n = parse_index(a->text, in + 1, ix);

    out[0] = wf_index_add(c, in[0], ix, n, in[a->nin - 1]);
}
PLAIN(take, wf_take(c, in[0], in[1], (int)num(a, 0)))
PLAIN(take_along, wf_take_along(c, in[0], in[1], (int)num(a, 0)))
PLAIN(put_along, wf_put_along(c, in[0], in[1], in[2], (int)num(a, 0)))
PLAIN(add_along, wf_add_along(c, in[0], in[1], in[2], (int)num(a, 0)))
PLAIN(masked_fill, wf_masked_fill(c, in[0], in[1], num(a, 0)))
PLAIN(diagonal, wf_diagonal(c, in[0], (int)num(a, 0)))
PLAIN(diag, wf_diag(c, in[0], (int)num(a, 0)))

CALL(sort) { wf_sort(c, in[0], (int)num(a, 0), num(a, 1) != 0, &out[0], &out[1]); }
PLAIN(argsort, wf_argsort(c, in[0], (int)num(a, 0), num(a, 1) != 0))
CALL(top_k)
{
    wf_top_k(c, in[0], at(a, 0, 0), (int)at(a, 0, 1), num(a, 1) != 0, &out[0], &out[1]);
}
PLAIN(searchsorted, wf_searchsorted(c, in[0], in[1], num(a, 0) != 0))
PLAIN(median, wf_median(c, in[0], (int)num(a, 0), num(a, 1) != 0, num(a, 2) != 0))

PLAIN(tensordot,
      wf_tensordot(c, in[0], in[1], axes(a, 0, &x0), axes(a, 1, &x1), a->g[0].n))
PLAIN(einsum, wf_einsum(c, a->text, in, a->nin))
PLAIN(solve_triangular, wf_solve_triangular(c, in[0], in[1], at(a, 0, 0) != 0,
                                            at(a, 0, 1) != 0, at(a, 0, 2) != 0))

CALL(qr) { wf_qr(c, in[0], num(a, 0) != 0, &out[0], &out[1]); }
CALL(eigh)
{
    (void)a;
    wf_eigh(c, in[0], &out[0], &out[1]);
}
CALL(svd)
{
    (void)a;
    wf_svd(c, in[0], &out[0], &out[1], &out[2]);
}

PLAIN(layer_norm, wf_layer_norm(c, in[0], (int)num(a, 0), in[1], in[2], num(a, 1)))
PLAIN(rms_norm, wf_rms_norm(c, in[0], (int)num(a, 0), in[1], num(a, 1)))
CALL(batch_norm)
{
    bool training = num(a, 0) != 0;

    out[0] = wf_batch_norm(c, in[0], in[1], in[2], in[3], in[4], training, num(a, 1),
                           training ? &out[1] : NULL, training ? &out[2] : NULL);
}
PLAIN(group_norm, wf_group_norm(c, in[0], at(a, 0, 0), in[1], in[2], num(a, 1)))

#define LOSS(name) PLAIN(name, wf_##name(c, in[0], in[1], (wf_reduction)num(a, 0)))
LOSS(mse_loss)
LOSS(l1_loss)
LOSS(bce_loss)
LOSS(bce_with_logits)
LOSS(kl_div)
PLAIN(smooth_l1_loss,
      wf_smooth_l1_loss(c, in[0], in[1], num(a, 0), (wf_reduction)num(a, 1)))
PLAIN(cross_entropy, wf_cross_entropy(c, in[0], in[1], in[2], at(a, 0, 0), num(a, 1),
                                      (wf_reduction)num(a, 2)))
PLAIN(nll_loss, wf_nll_loss(c, in[0], in[1], in[2], at(a, 0, 0), (wf_reduction)num(a, 1)))

PLAIN(conv, wf_conv(c, in[0], in[1], in[2], (int)num(a, 0), sizes(a, 1, &s0),
                    sizes(a, 2, &s1), sizes(a, 3, &s2), at(a, 4, 0)))
PLAIN(conv_transpose, wf_conv_transpose(c, in[0], in[1], in[2], (int)num(a, 0),
                                        sizes(a, 1, &s0), sizes(a, 2, &s1),
                                        sizes(a, 3, &s2), sizes(a, 4, &s3), at(a, 5, 0)))
PLAIN(max_pool, wf_max_pool(c, in[0], (int)num(a, 0), sizes(a, 1, &s0), sizes(a, 2, &s1),
                            sizes(a, 3, &s2), sizes(a, 4, &s3)))
PLAIN(avg_pool, wf_avg_pool(c, in[0], (int)num(a, 0), sizes(a, 1, &s0), sizes(a, 2, &s1),
                            sizes(a, 3, &s2), num(a, 4) != 0))
PLAIN(adaptive_avg_pool, wf_adaptive_avg_pool(c, in[0], (int)num(a, 0), sizes(a, 1, &s0)))
PLAIN(adaptive_max_pool, wf_adaptive_max_pool(c, in[0], (int)num(a, 0), sizes(a, 1, &s0)))
CALL(max_pool_with)
{
    Sizes s0, s1, s2, s3;

    out[0] =
        wf_max_pool_with(c, in[0], (int)num(a, 0), sizes(a, 1, &s0), sizes(a, 2, &s1),
                         sizes(a, 3, &s2), sizes(a, 4, &s3), num(a, 5) != 0, &out[1]);
}
PLAIN(avg_pool_with,
      wf_avg_pool_with(c, in[0], (int)num(a, 0), sizes(a, 1, &s0), sizes(a, 2, &s1),
                       sizes(a, 3, &s2), at(a, 4, 0) != 0, at(a, 4, 1) != 0, at(a, 4, 2)))
PLAIN(pad_with, wf_pad_with(c, in[0], sizes(a, 0, &s0), sizes(a, 1, &s1), a->g[0].n,
                            (wf_pad_kind)num(a, 2), num(a, 3)))
PLAIN(unfold, wf_unfold(c, in[0], a->g[0].n, sizes(a, 0, &s0), sizes(a, 1, &s1),
                        sizes(a, 2, &s2), sizes(a, 3, &s3)))
CALL(fold)
{
    Sizes s[5];

    for (int i = 0; i < 5; i++)
        sizes(a, i, &s[i]);
    out[0] = wf_fold(c, in[0], a->g[0].n, s[0].v, s[1].v, s[2].v, s[3].v, s[4].v);
}
PLAIN(pixel_shuffle, wf_pixel_shuffle(c, in[0], at(a, 0, 0)))
PLAIN(pixel_unshuffle, wf_pixel_unshuffle(c, in[0], at(a, 0, 0)))
PLAIN(interpolate,
      wf_interpolate(c, in[0], (int)num(a, 0), sizes(a, 1, &s0),
                     a->g[2].n ? a->g[2].v : NULL, at(a, 3, 0) != 0, at(a, 3, 1) != 0))
PLAIN(logcumsumexp, wf_logcumsumexp(c, in[0], (int)num(a, 0)))
PLAIN(diff, wf_diff(c, in[0], (int)at(a, 0, 0), (int)at(a, 0, 1)))
PLAIN(trapezoid, wf_trapezoid(c, in[0], in[1], num(a, 0), (int)num(a, 1)))
PLAIN(put_slices, wf_put_slices(c, in[0], in[1], in[2], (int)num(a, 0)))
PLAIN(add_slices, wf_add_slices(c, in[0], in[1], in[2], (int)num(a, 0)))
PLAIN(scatter_along, wf_scatter_along(c, in[0], in[1], in[2], (int)num(a, 0),
                                      (wf_scatter_kind)num(a, 1), num(a, 2) != 0))
PLAIN(masked_scatter, wf_masked_scatter(c, in[0], in[1], in[2]))
CALL(kth_value)
{
    wf_kth_value(c, in[0], at(a, 0, 0), (int)num(a, 1), num(a, 2) != 0, &out[0], &out[1]);
}
CALL(mode) { wf_mode(c, in[0], (int)num(a, 0), num(a, 1) != 0, &out[0], &out[1]); }
CALL(unique)
{
    (void)a;
    wf_unique(c, in[0], &out[0], &out[1], &out[2]);
}
PLAIN(bincount, wf_bincount(c, in[0], in[1], at(a, 0, 0), at(a, 1, 0)))
PLAIN(histogram, wf_histogram(c, in[0], at(a, 0, 0), num(a, 1), num(a, 2)))
PLAIN(cross, wf_cross(c, in[0], in[1], (int)num(a, 0)))
PLAIN(cosine_similarity, wf_cosine_similarity(c, in[0], in[1], (int)num(a, 0), num(a, 1)))
PLAIN(normalize, wf_normalize(c, in[0], num(a, 0), (int)num(a, 1), num(a, 2)))
PLAIN(cdist, wf_cdist(c, in[0], in[1], num(a, 0)))
PLAIN(linear, wf_linear(c, in[0], in[1], in[2]))
PLAIN(dropout, wf_dropout(c, in[0], in[1], num(a, 0)))
PLAIN(attention, wf_attention(c, in[0], in[1], in[2], in[3], num(a, 0) != 0, num(a, 1)))

/* ---- the table ------------------------------------------------------------------------------------------ */

#define ROW(name) {#name, c_##name, 0},
static const CallRow rows[] = {
    EACH_UNARY(ROW) EACH_BINARY(ROW) ROW(where) ROW(clip) ROW(lerp) ROW(is_close) ROW(
        gelu) ROW(softplus) ROW(elu) ROW(leaky_relu) ROW(softmax) ROW(log_softmax)
        ROW(full) ROW(zeros) ROW(ones) ROW(full_like) ROW(arange) ROW(linspace) ROW(
            iota) ROW(eye) ROW(tri) ROW(one_hot) ROW(cast) ROW(reshape) ROW(flatten)
            ROW(permute) ROW(swap_axes) ROW(move_axis) ROW(squeeze) ROW(expand_dims) ROW(
                broadcast_to) ROW(flip) ROW(narrow) ROW(concat) ROW(stack)
                ROW(split_sizes) ROW(split_equal) ROW(tile) ROW(repeat) ROW(roll) ROW(
                    pad) ROW(tril) ROW(triu) ROW(sum) ROW(prod) ROW(max) ROW(min) ROW(all)
                    ROW(any) ROW(mean) ROW(logsumexp) ROW(count_nonzero) ROW(var) ROW(
                        std) ROW(norm) ROW(argmax) ROW(argmin) ROW(cumsum)
                        ROW(cumprod) ROW(cummax) ROW(cummin) ROW(index_get) ROW(
                            index_set) ROW(index_add) ROW(take) ROW(take_along)
                            ROW(put_along) ROW(add_along) ROW(
                                masked_fill) ROW(diagonal) ROW(diag) ROW(sort) ROW(argsort)
                                ROW(top_k) ROW(median) ROW(tensordot) ROW(einsum) ROW(
                                    solve_triangular) ROW(qr) ROW(eigh) ROW(svd) ROW(layer_norm)
                                    ROW(rms_norm) ROW(batch_norm) ROW(group_norm) ROW(
                                        mse_loss) ROW(l1_loss) ROW(bce_loss)
                                        ROW(bce_with_logits) ROW(kl_div) ROW(
                                            smooth_l1_loss) ROW(cross_entropy)
                                            ROW(nll_loss) ROW(
                                                conv) ROW(conv_transpose) ROW(max_pool)
                                                ROW(avg_pool) ROW(adaptive_avg_pool) ROW(
                                                    adaptive_max_pool) ROW(linear)
                                                    ROW(dropout) ROW(attention){
                                                        "searchsorted",
                                                        c_searchsorted,
                                                        CALL_NO_VMAP}, /* the other rows would not be sorted */
    ROW(max_pool_with) ROW(avg_pool_with) ROW(pad_with) ROW(unfold) ROW(fold)
        ROW(pixel_shuffle) ROW(pixel_unshuffle) ROW(interpolate) ROW(logcumsumexp)
            ROW(diff) ROW(trapezoid) ROW(put_slices) ROW(add_slices) ROW(scatter_along)
                ROW(masked_scatter) ROW(kth_value) ROW(mode) ROW(unique) ROW(bincount)
                    ROW(histogram) ROW(cross) ROW(cosine_similarity) ROW(normalize)
                        ROW(cdist){"bitcast", c_bitcast, CALL_NO_F32},
};

/* Sizes of these results depend on values, so that rows of a batch would differ; detach is of concrete tensors. */
static const struct {
    const char *name;
    unsigned flags;
} special[] = {
    {"nonzero", CALL_NO_VMAP},
    {"masked_select", CALL_NO_VMAP},
    {"detach", CALL_NO_GRAPH | CALL_NO_VMAP},
    {"unique", CALL_NO_VMAP},
    {"bincount", CALL_NO_GRAPH | CALL_NO_VMAP},
    {"histogram", CALL_NO_GRAPH | CALL_NO_VMAP},
};

const CallRow *call_find(const char *name)
{
    static _Thread_local CallRow found;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) {
            found = rows[i];
            for (size_t k = 0; k < sizeof special / sizeof *special; k++)
                if (!strcmp(special[k].name, name))
                    found.flags |= special[k].flags;
            return &found;
        }
    return NULL;
}
