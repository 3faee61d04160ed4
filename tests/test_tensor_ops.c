/* test_tensor_ops.c -- every function of the tensor interface: eager, recorded, traced, as a graph, jitted and under
 * vmap, and its gradient against central differences.
 */
#include "lib_tensor.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- elementwise ---- */

#define U(name) BODY(name, wf_##name(c, in[0]))
#define B(name) BODY(name, wf_##name(c, in[0], in[1]))
U(neg)
U(abs) U(sign) U(positive) U(square) U(reciprocal) U(exp) U(exp2) U(expm1) U(log) U(
    log2) U(log10) U(log1p) U(sin) U(cos) U(tan) U(asin) U(acos) U(atan) U(sinh) U(cosh)
    U(tanh) U(asinh) U(acosh) U(atanh) U(erf) U(erf_inv) U(sqrt) U(rsqrt) U(sigmoid) U(
        floor) U(ceil) U(round) U(trunc) U(frac) U(is_finite) U(is_nan) U(is_inf)
        U(logical_not) U(bitwise_not) U(stop_gradient) U(deg2rad) U(rad2deg) B(add) B(sub)
            B(mul) B(div) B(floor_div) B(remainder) B(fmod) B(pow) B(atan2) B(maximum)
                B(minimum) B(hypot) B(logaddexp) B(eq) B(ne) B(lt) B(le) B(gt) B(ge)
                    B(logical_and) B(logical_or) B(logical_xor) B(bitwise_and) B(
                        bitwise_or) B(bitwise_xor) B(shift_left) B(shift_right)
                        BODY(where, wf_where(c, in[0], in[1], in[2])) BODY(
                            clip, wf_clip(c, in[0], wf_float(c, -0.5), wf_float(c, 0.75)))
                            BODY(lerp, wf_lerp(c, in[0], in[1], in[2]))
                                BODY(is_close, wf_is_close(c, in[0], in[1], 0.5, 0.1))
                                    BODY(cast_down,
                                         wf_cast(c, wf_cast(c, in[0], WF_F32), WF_F64))
                                        BODY(scalars,
                                             wf_add(c, wf_mul(c, in[0], wf_float(c, 0.1)),
                                                    wf_int(c, 2)))
                                            BODY(one_hot, wf_one_hot(c, in[0], 4, WF_F64))

#define F "f64[2,3]"
                                                static const BodyCase
    elementwise[] = {
        {"neg", f_neg, {F}, 0, 0, 0},
        {"abs", f_abs, {F}, 0, 0, 0},
        {"sign", f_sign, {F}, NO_GRAD, 0, 0},
        {"positive", f_positive, {F}, 0, 0, 0},
        {"square", f_square, {F}, 0, 0, 0},
        {"reciprocal", f_reciprocal, {F}, 0, 0.5, 2},
        {"exp", f_exp, {F}, 0, 0, 0},
        {"exp2", f_exp2, {F}, 0, 0, 0},
        {"expm1", f_expm1, {F}, 0, 0, 0},
        {"log", f_log, {F}, 0, 0.2, 3},
        {"log2", f_log2, {F}, 0, 0.2, 3},
        {"log10", f_log10, {F}, 0, 0.2, 3},
        {"log1p", f_log1p, {F}, 0, -0.5, 3},
        {"sin", f_sin, {F}, 0, 0, 0},
        {"cos", f_cos, {F}, 0, 0, 0},
        {"tan", f_tan, {F}, 0, -1, 1},
        {"asin", f_asin, {F}, 0, -0.9, 0.9},
        {"acos", f_acos, {F}, 0, -0.9, 0.9},
        {"atan", f_atan, {F}, 0, 0, 0},
        {"sinh", f_sinh, {F}, 0, 0, 0},
        {"cosh", f_cosh, {F}, 0, 0, 0},
        {"tanh", f_tanh, {F}, 0, 0, 0},
        {"asinh", f_asinh, {F}, 0, 0, 0},
        {"acosh", f_acosh, {F}, 0, 1.2, 3},
        {"atanh", f_atanh, {F}, 0, -0.9, 0.9},
        {"erf", f_erf, {F}, 0, 0, 0},
        {"erf_inv", f_erf_inv, {F}, 0, -0.9, 0.9},
        {"sqrt", f_sqrt, {F}, 0, 0.2, 3},
        {"rsqrt", f_rsqrt, {F}, 0, 0.2, 3},
        {"sigmoid", f_sigmoid, {F}, 0, 0, 0},
        {"floor", f_floor, {F}, NO_GRAD, 0, 0},
        {"ceil", f_ceil, {F}, NO_GRAD, 0, 0},
        {"round", f_round, {F}, NO_GRAD, 0, 0},
        {"trunc", f_trunc, {F}, NO_GRAD, 0, 0},
        {"frac", f_frac, {F}, 0, 0, 0},
        {"is_finite", f_is_finite, {F}, NO_GRAD, 0, 0},
        {"is_nan", f_is_nan, {F}, NO_GRAD, 0, 0},
        {"is_inf", f_is_inf, {F}, NO_GRAD, 0, 0},
        {"logical_not", f_logical_not, {F}, NO_GRAD, 0, 0},
        {"bitwise_not", f_bitwise_not, {"i32[4]"}, NO_GRAD, -9, 9},
        {"stop", f_stop_gradient, {F}, NO_GRAD, 0, 0},
        {"deg2rad", f_deg2rad, {F}, 0, 0, 0},
        {"rad2deg", f_rad2deg, {F}, 0, 0, 0},
        {"add", f_add, {F, "f64[3]"}, 0, 0, 0},
        {"sub", f_sub, {"f64[2,1]", F}, 0, 0, 0},
        {"mul", f_mul, {F, "f64[]"}, 0, 0, 0},
        {"div", f_div, {F, "f64[3]"}, 0, 0.5, 2},
        {"floor_div", f_floor_div, {F, F}, NO_GRAD, -3, 3},
        {"floor_div_i", f_floor_div, {"i64[9]", "i64[9]"}, NO_GRAD, 1, 9},
        {"remainder", f_remainder, {F, F}, 0, -3, 3},
        {"remainder_i", f_remainder, {"i32[9]", "i32[9]"}, NO_GRAD, -9, -1},
        {"fmod", f_fmod, {F, F}, 0, -3, 3},
        {"pow", f_pow, {F, F}, 0, 0.3, 2},
        {"atan2", f_atan2, {F, F}, 0, 0, 0},
        {"maximum", f_maximum, {F, F}, 0, 0, 0},
        {"minimum", f_minimum, {F, "f64[1,3]"}, 0, 0, 0},
        {"hypot", f_hypot, {F, F}, 0, 0.1, 3},
        {"logaddexp", f_logaddexp, {F, F}, 0, 0, 0},
        {"eq", f_eq, {"i32[9]", "i32[9]"}, NO_GRAD, 0, 2},
        {"ne", f_ne, {"i32[9]", "i32[9]"}, NO_GRAD, 0, 2},
        {"lt", f_lt, {F, F}, NO_GRAD, 0, 0},
        {"le", f_le, {F, F}, NO_GRAD, 0, 0},
        {"gt", f_gt, {F, F}, NO_GRAD, 0, 0},
        {"ge", f_ge, {F, F}, NO_GRAD, 0, 0},
        {"and", f_logical_and, {"bool[8]", "bool[8]"}, NO_GRAD, 0, 0},
        {"or", f_logical_or, {"bool[8]", "i32[8]"}, NO_GRAD, -1, 2},
        {"xor", f_logical_xor, {"bool[8]", "bool[8]"}, NO_GRAD, 0, 0},
        {"band", f_bitwise_and, {"i32[8]", "i32[8]"}, NO_GRAD, -99, 99},
        {"bor", f_bitwise_or, {"u8[8]", "u8[8]"}, NO_GRAD, 0, 99},
        {"bxor", f_bitwise_xor, {"i64[8]", "i64[8]"}, NO_GRAD, -99, 99},
        {"shl", f_shift_left, {"i32[8]", "i32[8]"}, NO_GRAD, 0, 9},
        {"shr", f_shift_right, {"i32[8]", "i32[8]"}, NO_GRAD, 0, 9},
        {"where", f_where, {"bool[2,3]", F, "f64[3]"}, 0, 0, 0},
        {"clip", f_clip, {F}, 0, 0, 0},
        {"lerp", f_lerp, {F, F, F}, 0, 0, 0},
        {"is_close", f_is_close, {F, F}, NO_GRAD, 0, 0},
        {"cast", f_cast_down, {F}, NO_GRAD, 0, 0},
        {"scalars", f_scalars, {F}, 0, 0, 0},
        {"one_hot", f_one_hot, {"i64[2,3]"}, NO_GRAD, -1, 5},
};

TEST(elementwise_functions_agree_in_every_style)
{
    for (size_t i = 0; i < sizeof elementwise / sizeof *elementwise; i++)
        check_body(&elementwise[i]);
}

/* ---- shape ---- */

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }
#define INT(...)                                                                         \
    (const int[]) { __VA_ARGS__ }
static wf_tensor second_of_two(wf_ctx *c, wf_tensor x)
{
    wf_tensor out[2];

    wf_split_equal(c, x, 1, out, 2);
    return wf_add(c, out[1], wf_mul(c, out[0], wf_float(c, 3)));
}
static wf_tensor uneven(wf_ctx *c, wf_tensor x)
{
    wf_tensor out[3];

    wf_split_sizes(c, x, I64(1, 0, 2), 3, -1, out);
    return wf_concat(c, (wf_tensor[]){out[2], out[1], out[0], out[2]}, 4, 1);
}
BODY(reshape, wf_reshape(c, in[0], I64(3, WF_INFER), 2))
BODY(flatten, wf_flatten(c, in[0], 1, 2))
BODY(permute, wf_permute(c, in[0], INT(2, 0, 1), 3))
BODY(reshape_of_permuted, wf_reshape(c, wf_permute(c, in[0], NULL, 0), I64(WF_INFER), 1))
BODY(swap_axes, wf_swap_axes(c, in[0], 0, -1))
BODY(move_axis, wf_move_axis(c, in[0], 0, 2))
BODY(squeeze, wf_squeeze(c, in[0], NULL, 0))
BODY(expand_dims, wf_expand_dims(c, in[0], -2))
BODY(broadcast_to, wf_broadcast_to(c, in[0], I64(4, 2, 3), 3))
BODY(flip, wf_flip(c, in[0], INT(1), 1))
BODY(narrow, wf_narrow(c, in[0], 1, 1, 2))
BODY(concat, wf_concat(c, in, 3, 1))
BODY(stack, wf_stack(c, in, 2, 1))
BODY(split_equal, second_of_two(c, in[0]))
BODY(split_sizes, uneven(c, in[0]))
BODY(tile, wf_tile(c, in[0], I64(2, 1, 3), 3))
BODY(repeat, wf_repeat(c, in[0], 3, 1))
BODY(roll, wf_roll(c, in[0], -4, 1))
BODY(pad, wf_pad(c, in[0], I64(1, 0), I64(0, 2), 2, 0.5))
BODY(tril, wf_tril(c, in[0], -1))
BODY(triu, wf_triu(c, in[0], 1))

static const BodyCase shapes[] = {
    {"reshape", f_reshape, {"f64[2,3,4]"}, 0, 0, 0},
    {"flatten", f_flatten, {"f64[2,3,4]"}, 0, 0, 0},
    {"permute", f_permute, {"f64[2,3,4]"}, 0, 0, 0},
    {"reshape_of_permuted", f_reshape_of_permuted, {"f64[2,3,4]"}, 0, 0, 0},
    {"swap_axes", f_swap_axes, {"f64[2,3,4]"}, 0, 0, 0},
    {"move_axis", f_move_axis, {"f64[2,3,4]"}, 0, 0, 0},
    {"squeeze", f_squeeze, {"f64[1,3,1]"}, 0, 0, 0},
    {"expand_dims", f_expand_dims, {F}, 0, 0, 0},
    {"broadcast_to", f_broadcast_to, {"f64[2,1]"}, 0, 0, 0},
    {"flip", f_flip, {F}, 0, 0, 0},
    {"narrow", f_narrow, {F}, 0, 0, 0},
    {"concat", f_concat, {F, "f64[2,1]", "f64[2,0]"}, 0, 0, 0},
    {"stack", f_stack, {F, F}, 0, 0, 0},
    {"split_equal", f_split_equal, {"f64[2,6]"}, 0, 0, 0},
    {"split_sizes", f_split_sizes, {F}, 0, 0, 0},
    {"tile", f_tile, {F}, 0, 0, 0},
    {"repeat", f_repeat, {F}, 0, 0, 0},
    {"roll", f_roll, {F}, 0, 0, 0},
    {"pad", f_pad, {F}, 0, 0, 0},
    {"tril", f_tril, {"f64[2,3,3]"}, 0, 0, 0},
    {"triu", f_triu, {"f64[3,4]"}, 0, 0, 0},
};

TEST(shape_functions_agree_in_every_style)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_body(&shapes[i]);
}

/* ---- reductions ---- */

#define R(name)                                                                          \
    BODY(name, wf_##name(c, in[0], INT(-1), 1, true))                                    \
    BODY(name##_all, wf_##name(c, in[0], NULL, 0, false))
R(sum)
R(prod) R(max) R(min) R(all) R(any) R(mean) R(logsumexp)
    BODY(count_nonzero, wf_count_nonzero(c, in[0], INT(0), 1))
        BODY(var, wf_var(c, in[0], INT(0), 1, 1,
                         false)) BODY(std, wf_std(c, in[0], INT(0, 1), 2, 0, true))
            BODY(norm2, wf_norm(c, in[0], 2, INT(1), 1,
                                false)) BODY(norm3, wf_norm(c, in[0], 3, NULL, 0, false))
                BODY(norm1, wf_norm(c, in[0], 1, INT(0), 1, true))
                    BODY(norm_inf, wf_norm(c, in[0], (double)INFINITY, INT(1), 1, false))
                        BODY(norm0, wf_norm(c, in[0], 0, INT(1), 1, false))
                            BODY(argmax, wf_argmax(c, in[0], INT(1), true))
                                BODY(argmin_all, wf_argmin(c, in[0], NULL, false))
                                    BODY(cumsum, wf_cumsum(c, in[0], 1, false))
                                        BODY(cumsum_back, wf_cumsum(c, in[0], 0, true))
                                            BODY(cumprod, wf_cumprod(c, in[0], 1))
                                                BODY(cummax, wf_cummax(c, in[0], 1))
                                                    BODY(cummin, wf_cummin(c, in[0], 1))

#define G "f64[3,5]"
                                                        static const BodyCase
    reductions[] = {
        {"sum", f_sum, {G}, 0, 0, 0},
        {"sum_all", f_sum_all, {G}, 0, 0, 0},
        {"prod", f_prod, {G}, 0, 0, 0},
        {"prod_all", f_prod_all, {G}, 0, 0, 0},
        {"max", f_max, {G}, 0, 0, 0},
        {"max_all", f_max_all, {G}, 0, 0, 0},
        {"min", f_min, {G}, 0, 0, 0},
        {"min_all", f_min_all, {G}, 0, 0, 0},
        {"all", f_all, {"bool[3,5]"}, NO_GRAD, 0, 0},
        {"all_all", f_all_all, {"i32[3,5]"}, NO_GRAD, 0, 2},
        {"any", f_any, {"bool[3,5]"}, NO_GRAD, 0, 0},
        {"any_all", f_any_all, {"i32[3,5]"}, NO_GRAD, 0, 2},
        {"mean", f_mean, {G}, 0, 0, 0},
        {"mean_all", f_mean_all, {G}, 0, 0, 0},
        {"logsumexp", f_logsumexp, {G}, 0, 0, 0},
        {"logsumexp_all", f_logsumexp_all, {G}, 0, 0, 0},
        {"count_nonzero", f_count_nonzero, {"i32[3,5]"}, NO_GRAD, 0, 2},
        {"var", f_var, {G}, 0, 0, 0},
        {"std", f_std, {G}, 0, 0, 0},
        {"norm2", f_norm2, {G}, 0, 0, 0},
        {"norm3", f_norm3, {G}, 0, 0, 0},
        {"norm1", f_norm1, {G}, 0, 0, 0},
        {"norm_inf", f_norm_inf, {G}, 0, 0, 0},
        {"norm0", f_norm0, {G}, NO_GRAD, 0, 0},
        {"argmax", f_argmax, {G}, NO_GRAD, 0, 0},
        {"argmin_all", f_argmin_all, {G}, NO_GRAD, 0, 0},
        {"cumsum", f_cumsum, {G}, 0, 0, 0},
        {"cumsum_back", f_cumsum_back, {G}, 0, 0, 0},
        {"cumprod", f_cumprod, {G}, 0, 0, 0},
        {"cummax", f_cummax, {G}, 0, 0, 0},
        {"cummin", f_cummin, {G}, 0, 0, 0},
        {"cummin_i", f_cummin, {"i64[3,5]"}, NO_GRAD, -9, 9},
        {"cummax_i", f_cummax, {"i32[3,5]"}, NO_GRAD, -9, 9},
};

TEST(reductions_agree_in_every_style)
{
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        check_body(&reductions[i]);
}

/* ---- indexing ---- */

#define IX(...)                                                                          \
    (const wf_index[]){__VA_ARGS__},                                                     \
        (int)(sizeof((const wf_index[]){__VA_ARGS__}) / sizeof(wf_index))
#define GET(name, ...) BODY(name, wf_index_get(c, in[0], IX(__VA_ARGS__)))
#define A              wf_at_all()
#define S(a, b, s)     wf_at_slice_step(a, b, s)
#define N              WF_NOT
#define T(k)           wf_at_tensor(in[k])
GET(get_int, wf_at_int(1), wf_at_int(-1))
GET(get_slice, S(1, N, N), S(N, -1, 2))
GET(get_back, S(N, N, -1), S(3, 0, -2))
GET(get_empty, S(2, 1, N))
GET(get_rest, wf_at_rest(), wf_at_int(0))
GET(get_new, wf_at_new(), A, wf_at_new(), wf_at_int(2))
GET(get_tensor, T(1))
GET(get_middle, A, T(1), A)
GET(get_two, T(1), T(2))
GET(get_apart, T(1), A, T(2))
GET(get_mixed, wf_at_int(1), S(N, N, 2), T(1))
GET(get_mixed_next, A, wf_at_int(1), T(1))
GET(get_new_between, T(1), wf_at_new(), T(2))
BODY(set_slice, wf_index_set(c, in[0], IX(S(N, N, -2), wf_at_int(1)), in[1]))
BODY(set_tensor, wf_index_set(c, in[0], IX(T(2)), in[1]))
BODY(add_tensor, wf_index_add(c, in[0], IX(T(2)), in[1]))
BODY(take, wf_take(c, in[0], in[1], 1))
BODY(take_along, wf_take_along(c, in[0], in[1], 1))
BODY(put_along, wf_put_along(c, in[0], in[1], in[2], 0))
BODY(add_along, wf_add_along(c, in[0], in[1], in[2], 0))
BODY(masked_fill, wf_masked_fill(c, in[0], in[1], 7))
BODY(get_mask, wf_index_get(c, in[0], IX(T(1))))
BODY(get_mask_row, wf_index_get(c, in[0], IX(A, T(1))))
BODY(set_mask, wf_index_set(c, in[0], IX(T(1)), in[2]))
BODY(masked_select, wf_masked_select(c, in[0], in[1]))
BODY(nonzero, wf_nonzero(c, in[0]))
BODY(diagonal, wf_diagonal(c, in[0], 1))
BODY(diag, wf_diag(c, in[0], -1))

#define X345 "f64[3,4,5]"
static const BodyCase indexing[] = {
    {"get_int", f_get_int, {X345}, 0, 0, 0},
    {"get_slice", f_get_slice, {X345}, 0, 0, 0},
    {"get_back", f_get_back, {X345}, 0, 0, 0},
    {"get_empty", f_get_empty, {X345}, 0, 0, 0},
    {"get_rest", f_get_rest, {X345}, 0, 0, 0},
    {"get_new", f_get_new, {X345}, 0, 0, 0},
    {"get_tensor", f_get_tensor, {X345, "i64[2,3]"}, 0, -3, 2.9},
    {"get_middle", f_get_middle, {X345, "i32[6]"}, 0, -4, 3.9},
    {"get_two", f_get_two, {X345, "i64[2,1]", "i64[3]"}, 0, -3, 2.9},
    {"get_apart", f_get_apart, {X345, "i64[2,1]", "i64[3]"}, 0, -3, 2.9},
    {"get_mixed", f_get_mixed, {X345, "i64[2]"}, 0, -3, 2.9},
    {"get_mixed_next", f_get_mixed_next, {X345, "i64[2]"}, 0, -3, 2.9},
    {"get_new_between", f_get_new_between, {X345, "i64[2]", "i64[2]"}, 0, -3, 2.9},
    {"set_slice", f_set_slice, {X345, "f64[5]"}, 0, 0, 0},
    {"set_tensor", f_set_tensor, {"f64[9]", "f64[3]", "i64[3]"}, 0, -9, 8.9},
    {"add_tensor", f_add_tensor, {"f64[3,2]", "f64[6,2]", "i64[6]"}, 0, -3, 2.9},
    {"take", f_take, {X345, "i64[2,2]"}, 0, 0, 3.9},
    {"take_along", f_take_along, {"f64[3,4]", "i64[3,2]"}, 0, 0, 3.9},
    {"put_along", f_put_along, {"f64[3,4]", "i64[1,4]", "f64[1,4]"}, 0, 0, 2.9},
    {"add_along", f_add_along, {"f64[3,4]", "i64[5,4]", "f64[5,4]"}, 0, 0, 2.9},
    {"masked_fill", f_masked_fill, {"f64[3,4]", "bool[4]"}, 0, 0, 0},
    {"get_mask", f_get_mask, {X345, "bool[3,4]"}, NO_VMAP, 0, 0},
    {"get_mask_row", f_get_mask_row, {X345, "bool[4]"}, NO_VMAP, 0, 0},
    {"set_mask", f_set_mask, {"f64[3,4]", "bool[3,4]", "f64[]"}, NO_VMAP, 0, 0},
    {"masked_select", f_masked_select, {"f64[3,4]", "bool[4]"}, NO_VMAP, 0, 0},
    {"nonzero", f_nonzero, {"i32[3,4]"}, NO_VMAP | NO_GRAD, 0, 2},
    {"diagonal", f_diagonal, {"f64[2,3,4]"}, 0, 0, 0},
    {"diag", f_diag, {"f64[3]"}, 0, 0, 0},
};

TEST(indexing_agrees_in_every_style)
{
    for (size_t i = 0; i < sizeof indexing / sizeof *indexing; i++)
        check_body(&indexing[i]);
}

/* ---- linear algebra, sorting ---- */

static wf_tensor sorted(wf_ctx *c, wf_tensor x, bool down)
{
    wf_tensor v, i;

    wf_sort(c, x, 1, down, &v, &i);
    return wf_add(c, v, wf_mul(c, wf_cast(c, i, WF_F64), wf_float(c, 0.25)));
}
static wf_tensor top(wf_ctx *c, wf_tensor x)
{
    wf_tensor v, i;

    wf_top_k(c, x, 2, -1, true, &v, &i);
    return wf_add(c, v, wf_cast(c, i, WF_F64));
}
static wf_tensor spd(wf_ctx *c, wf_tensor x) /* x xᵀ + 3 I */
{
    return wf_add(c, wf_matmul(c, x, wf_swap_axes(c, x, -1, -2)),
                  wf_mul(c, wf_eye(c, WF_F64, 3, 3, 0), wf_float(c, 3)));
}
BODY(matmul, wf_matmul(c, in[0], in[1]))
/* operands that are transposed views, which are not copied; free axes in and out of their order */
#define TURNED(x, ...)                                                                   \
    wf_permute(c, x, (int[]){__VA_ARGS__},                                               \
               (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)))
BODY(matmul_turned, wf_matmul(c, TURNED(in[0], 1, 0), TURNED(in[1], 1, 0)))
BODY(matmul_turned_batch, wf_matmul(c, TURNED(in[0], 2, 0, 1), TURNED(in[1], 1, 2, 0)))
BODY(tensordot_turned, wf_tensordot(c, TURNED(in[0], 2, 1, 0), TURNED(in[1], 1, 0, 2),
                                    (int[]){0}, (int[]){1}, 1))
BODY(linear_twice,
     wf_linear(c, wf_tanh(c, wf_linear(c, in[0], in[1], in[2])), in[1], in[2]))
BODY(tensordot, wf_tensordot(c, in[0], in[1], INT(1, 2), INT(0, 1), 2))
BODY(outer, wf_outer(c, in[0], in[1]))
BODY(diagonal_sum, wf_diagonal_sum(c, in[0]))
BODY(cholesky, wf_cholesky(c, spd(c, in[0])))
BODY(solve, wf_solve(c, spd(c, in[0]), in[1]))
BODY(inv, wf_inv(c, spd(c, in[0])))
BODY(det, wf_det(c, in[0]))
BODY(solve_triangular, wf_solve_triangular(c, spd(c, in[0]), in[1], false, true, false))
#define E(name, spec, n) BODY(name, wf_einsum(c, spec, in, n))
E(ein_matmul, "ij,jk->ik", 2)
E(ein_implicit, "ij,jk", 2)
E(ein_batch, "bij,bjk->bik", 2)
E(ein_three, "ij,jk,kl->li", 3)
E(ein_diag, "ii->i", 1)
E(ein_trace, "ii", 1)
E(ein_sum, "ij->", 1)
E(ein_dots, "...ij,...jk->...ik", 2)
E(ein_dots_sum, "b...i,ij->b...j", 2)
E(ein_outer, "i,j->ji", 2)
E(ein_mul, "ij,ij->ij", 2)
BODY(sort_up, sorted(c, in[0], false))
BODY(sort_down, sorted(c, in[0], true))
BODY(argsort, wf_argsort(c, in[0], 0, false))
BODY(top_k, top(c, in[0]))
BODY(searchsorted,
     wf_searchsorted(c, wf_cumsum(c, wf_abs(c, in[0]), 0, false), in[1], true))
BODY(median_low, wf_median(c, in[0], 1, true, false))
BODY(median_mean, wf_median(c, in[0], 1, false, true))

static const BodyCase algebra[] = {
    {"matmul", f_matmul, {"f64[2,3]", "f64[3,4]"}, 0, 0, 0},
    {"matmul_turned", f_matmul_turned, {"f64[3,2]", "f64[4,3]"}, 0, 0, 0},
    {"matmul_turned_batch", f_matmul_turned_batch, {"f64[2,3,5]", "f64[4,5,3]"}, 0, 0, 0},
    {"tensordot_turned", f_tensordot_turned, {"f64[2,3,4]", "f64[4,5,2]"}, 0, 0, 0},
    {"linear_twice", f_linear_twice, {"f64[2,3,4]", "f64[4,4]", "f64[4]"}, 0, 0, 0},
    {"matmul_vv", f_matmul, {"f64[3]", "f64[3]"}, 0, 0, 0},
    {"matmul_mv", f_matmul, {"f64[2,3]", "f64[3]"}, 0, 0, 0},
    {"matmul_bv", f_matmul, {"f64[2,2,3]", "f64[3]"}, 0, 0, 0},
    {"matmul_vb", f_matmul, {"f64[3]", "f64[2,3,2]"}, 0, 0, 0},
    {"matmul_bb", f_matmul, {"f64[2,1,2,3]", "f64[4,3,2]"}, 0, 0, 0},
    {"matmul_i", f_matmul, {"i32[2,3]", "i32[3,2]"}, NO_GRAD, -5, 5},
    {"tensordot", f_tensordot, {"f64[2,3,4]", "f64[3,4,2]"}, 0, 0, 0},
    {"outer", f_outer, {"f64[3]", "f64[2]"}, 0, 0, 0},
    {"diagonal_sum", f_diagonal_sum, {"f64[2,3,3]"}, 0, 0, 0},
    {"cholesky", f_cholesky, {"f64[2,3,3]"}, 0, 0, 0},
    {"solve", f_solve, {"f64[3,3]", "f64[3,2]"}, 0, 0, 0},
    {"solve_v", f_solve, {"f64[3,3]", "f64[3]"}, 0, 0, 0},
    {"inv", f_inv, {"f64[2,3,3]"}, 0, 0, 0},
    {"det", f_det, {"f64[2,3,3]"}, 0, 0, 0},
    {"solve_triangular", f_solve_triangular, {"f64[3,3]", "f64[3,2]"}, 0, 0, 0},
    {"ein_matmul", f_ein_matmul, {"f64[2,3]", "f64[3,4]"}, 0, 0, 0},
    {"ein_implicit", f_ein_implicit, {"f64[2,3]", "f64[3,4]"}, 0, 0, 0},
    {"ein_batch", f_ein_batch, {"f64[2,3,4]", "f64[2,4,2]"}, 0, 0, 0},
    {"ein_three", f_ein_three, {"f64[2,3]", "f64[3,4]", "f64[4,2]"}, 0, 0, 0},
    {"ein_diag", f_ein_diag, {"f64[3,3]"}, 0, 0, 0},
    {"ein_trace", f_ein_trace, {"f64[3,3]"}, 0, 0, 0},
    {"ein_sum", f_ein_sum, {"f64[2,3]"}, 0, 0, 0},
    {"ein_dots", f_ein_dots, {"f64[2,1,2,3]", "f64[4,3,2]"}, 0, 0, 0},
    {"ein_dots_sum", f_ein_dots_sum, {"f64[2,3,2,4]", "f64[4,3]"}, 0, 0, 0},
    {"ein_outer", f_ein_outer, {"f64[3]", "f64[2]"}, 0, 0, 0},
    {"ein_mul", f_ein_mul, {"f64[3,2]", "f64[3,2]"}, 0, 0, 0},
    {"sort_up", f_sort_up, {"f64[3,5]"}, 0, 0, 0},
    {"sort_down", f_sort_down, {"f64[3,5]"}, 0, 0, 0},
    {"argsort", f_argsort, {"f64[3,5]"}, NO_GRAD, 0, 0},
    {"top_k", f_top_k, {"f64[3,5]"}, 0, 0, 0},
    {"searchsorted", f_searchsorted, {"f64[6]", "f64[2,3]"}, NO_GRAD, 0, 3},
    {"searchsorted long", f_searchsorted, {"f64[45]", "f64[2,3]"}, NO_GRAD, 0, 3},
    {"median_low", f_median_low, {"f64[3,4]"}, 0, 0, 0},
    {"median_mean", f_median_mean, {"f64[3,4]"}, 0, 0, 0},
};

TEST(linear_algebra_and_sorting_agree_in_every_style)
{
    for (size_t i = 0; i < sizeof algebra / sizeof *algebra; i++)
        check_body(&algebra[i]);
}

/* Sums of small whole numbers are exact, so that no order of them matters. */
static void check_spread(wf_ctx *c, const int64_t *from, int rank, wf_tensor x, wf_tensor yes)
{
    static const int64_t dims[] = {7, 33, 24};
    int64_t n = 1;
    wf_tensor y, full;

    for (int i = 0; i < rank; i++)
        n *= from[i];
    y = wf_reshape(c, wf_cast(c, wf_arange(c, WF_I64, 1, (double)n + 1, 1), WF_F32), from, rank);
    y = wf_broadcast_to(c, y, dims, 3);
    full = wf_copy(c, y);
    wf_tensor got[] = {wf_add(c, x, y), wf_sub(c, y, x), wf_maximum(c, y, y), wf_where(c, yes, x, y), wf_lt(c, y, x),
                       wf_neg(c, y)};
    wf_tensor want[] = {wf_add(c, x, full), wf_sub(c, full, x), wf_maximum(c, full, full), wf_where(c, yes, x, full),
                        wf_lt(c, full, x), wf_neg(c, full)};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        CHECK_EQ_INT(wf_item_int(c, wf_all(c, wf_eq(c, got[i], want[i]), NULL, 0, false)), 1);
}

TEST(operands_that_repeat_along_axes_are_what_they_are_filled_out)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_reshape(c, wf_cast(c, wf_arange(c, WF_I64, 0, 7 * 33 * 24, 1), WF_F32), (int64_t[]){7, 33, 24}, 3);
    wf_tensor yes = wf_lt(c, wf_remainder(c, x, wf_float(c, 3)), wf_float(c, 1));
    static const int64_t from[][3] = {{1, 1, 1}, {1, 1, 24}, {1, 33, 1}, {7, 1, 1}, {7, 1, 24}, {7, 33, 1}, {1, 33, 24}};

    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        check_spread(c, from[i], 3, x, yes);
    check_spread(c, from[1] + 2, 1, x, yes);
    check_spread(c, NULL, 0, x, yes);
    /* operands that are spread and turned, and two that are spread at once */
    CHECK_EQ_INT(wf_item_int(c, wf_all(c, wf_eq(c, wf_add(c, wf_broadcast_to(c, wf_int(c, 2), (int64_t[]){5000}, 1),
                                                          wf_broadcast_to(c, wf_int(c, 3), (int64_t[]){5000}, 1)),
                                                wf_int(c, 5)), NULL, 0, false)), 1);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    wf_ctx_free(c);
}

/* numbers whose negatives are none, where functions need the negative */
TEST(the_least_numbers_are_steps_and_diagonals_as_others_are)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_arange(c, WF_I64, 0, 3, 1);
    wf_index last = {.kind = WF_INDEX_SLICE, .has_step = true, .step = INT64_MIN};

    CHECK_EQ_INT(wf_item_int(c, wf_index_get(c, x, &last, 1)), 2);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    CHECK(wf_is_none(wf_diag(c, x, INT_MIN)));
    CHECK(wf_ctx_status(c) != WF_OK && wf_ctx_status(c) != WF_ERR_INTERNAL);
    wf_ctx_free(c);
}

#define GOLDENS(table) check_goldens(table, sizeof(table) / sizeof *(table))
TEST(results_are_those_of_numpy_and_pytorch)
{
    CHECK_EQ_INT(GOLDENS(elementwise), 24);
    CHECK_EQ_INT(GOLDENS(shapes), 6);
    CHECK_EQ_INT(GOLDENS(reductions), 6);
    CHECK_EQ_INT(GOLDENS(indexing), 17);
    CHECK_EQ_INT(GOLDENS(algebra), 7);
}
