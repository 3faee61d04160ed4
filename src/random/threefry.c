/* threefry.c -- JAX's random numbers as equations: a key is a value u32[2].
 *
 * Bits are arithmetic: element i of a result (row-major, 64-bit i) is made from
 * (a, b) = threefry2x32(key, i >> 32, i), so what is built here goes through vmap, jit and sharding
 * like any other equations, and a batch of keys gives what each key gives alone. The formulas are those
 * of jax.random, default implementation, with its partitionable counters:
 *
 *   bits         64: a << 32 | b;  32: a ^ b;  16 and 8: the low bits of that
 *   split        the pairs (a, b) themselves;  fold_in: the pair for counter (0, data)
 *   uniform      the top bits as the mantissa of a number in [1, 2), minus 1; max(lo, u*(hi-lo) + lo)
 *   normal       sqrt(2) * erf_inv(uniform(-1 + ulp, 1))
 *   randint      (high mod span * (2^bits mod span) + low mod span) mod span, of two keys' bits
 *   permutation  sorted by random keys, enough times to make ties unlikely
 *   categorical  argmax of logits + gumbel noise
 */
#include "random/random.h"

#include <math.h>

/* ---- shapes ------------------------------------------------------------------------------------ */

/* A scalar repeated over the shape; a value of the shape as it is. */
static Val spread(Builder *b, Val x, const Dim *dims, uint32_t rank)
{
    if (b_failed(b) || b_rank(b, x) > 0 || rank == 0)
        return x;
    return b_broadcast_scalar(b, x, dims, rank);
}

static Val number(Builder *b, Val like, double x)
{
    return b_failed(b) ? VAL_NONE : b_full_like(b, like, x);
}

/* A whole number in an integer dtype of up to 64 bits, over the shape of `like`. */
static Val whole(Builder *b, Val like, uint64_t x)
{
    Type t;

    if (b_failed(b))
        return VAL_NONE;
    t = b_type(b, like);
    return spread(b, b_int(b, (wf_dtype)t.dtype, (int64_t)x), t.dims, t.rank);
}

static int bits_of(wf_dtype t) { return (int)wf_dtype_size(t) * 8; }

static wf_dtype uint_of(int bits)
{
    return bits == 8 ? WF_U8 : bits == 16 ? WF_U16 : bits == 32 ? WF_U32 : WF_U64;
}

/* The number of each element in row-major order, in two words. */
static void counters(Builder *b, const Dim *dims, uint32_t rank, Val out[2])
{
    int64_t count = 1;
    bool fits = true;

    out[0] = out[1] = VAL_NONE;
    for (uint32_t i = 0; i < rank; i++)
        fits = fits && dim_is_const(dims[i]) && mul_i64(count, dims[i], &count) &&
               count <= (int64_t)UINT32_MAX;
    if (fits) {
        out[0] = b_zeros(b, b_make_type(b, WF_U32, dims, rank));
        out[1] = rank == 0
                     ? out[0]
                     : b_reshape(b, b_iota(b, WF_U32, (Dim[]){count}, 1, 0), dims, rank);
        return;
    }
    Val at = b_zeros(b, b_make_type(b, WF_U64, dims, rank)), stride = b_int(b, WF_U64, 1);

    for (uint32_t i = rank; i-- > 0;) {
        Val along = b_iota(b, WF_U64, dims, rank, i);

        at = b_add(b, at, b_mul(b, along, spread(b, stride, dims, rank)));
        stride = b_mul(b, stride, b_cast(b, b_dim_value(b, dims[i]), WF_U64));
    }
    out[0] = b_cast(b, b_shr_logical(b, at, whole(b, at, 32)), WF_U32);
    out[1] = b_cast(b, b_and(b, at, whole(b, at, UINT32_MAX)), WF_U32);
}

/* ---- keys ----------------------------------------------------------------------------------------- */

static Val key_word(Builder *b, Val key, int64_t i)
{
    return b_squeeze(b, b_slice_axis(b, key, 0, i, i + 1), 0);
}

/* (a, b) for every counter. */
static void cipher(Builder *b, Val key, const Val counter[2], const Dim *dims,
                   uint32_t rank, Val out[2])
{
    out[0] = out[1] = VAL_NONE;
    if (b_failed(b))
        return;
    Val k0 = spread(b, key_word(b, key, 0), dims, rank),
        k1 = spread(b, key_word(b, key, 1), dims, rank);

    (void)b_eqn(b, OP_threefry2x32, (Val[]){k0, k1, counter[0], counter[1]}, 4, NULL, out,
                2);
}

static Val pair(Builder *b, const Val x[2], uint32_t rank)
{
    return b_concat(b, (Val[]){b_expand(b, x[0], rank), b_expand(b, x[1], rank)}, 2,
                    rank);
}

void key_words(uint64_t seed, uint32_t out[2])
{
    out[0] = (uint32_t)(seed >> 32);
    out[1] = (uint32_t)seed;
}

Val b_key_seed(Builder *b, Val seed)
{
    Val words[2];

    if (b_failed(b))
        return VAL_NONE;
    if (bits_of(b_dtype(b, seed)) < 64) {
        wf_dtype wide = dtype_is_signed(b_dtype(b, seed)) ? WF_I32 : WF_U32;

        words[1] = b_cast(b, b_cast(b, seed, wide), WF_U32);
        words[0] = b_zeros_like(b, words[1]);
    } else {
        Val bits = b_cast(b, seed, WF_U64);

        words[0] = b_cast(b, b_shr_logical(b, bits, whole(b, bits, 32)), WF_U32);
        words[1] = b_cast(b, b_and(b, bits, whole(b, bits, UINT32_MAX)), WF_U32);
    }
    return pair(b, words, 0);
}

Val b_key_split(Builder *b, Val key, const Dim *dims, uint32_t rank)
{
    Val counter[2], out[2];

    counters(b, dims, rank, counter);
    cipher(b, key, counter, dims, rank, out);
    return b_failed(b) ? VAL_NONE : pair(b, out, rank);
}

Val b_key_fold_in(Builder *b, Val key, Val data)
{
    Val counter[2], out[2];

    if (b_failed(b))
        return VAL_NONE;
    counter[1] = b_cast(b, data, WF_U32);
    counter[0] = b_zeros_like(b, counter[1]);
    cipher(b, key, counter, NULL, 0, out);
    return pair(b, out, 0);
}

Val b_key_at(Builder *b, Val keys, int64_t i)
{
    return b_squeeze(b, b_slice_axis(b, keys, 0, i, i + 1), 0);
}

/* ---- bits and uniform numbers ------------------------------------------------------------------------ */

Val b_random_bits(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    Val counter[2], out[2], mixed;

    counters(b, dims, rank, counter);
    cipher(b, key, counter, dims, rank, out);
    if (b_failed(b))
        return VAL_NONE;
    if (bits_of(dtype) == 64) {
        Val high = b_cast(b, out[0], WF_U64), low;

        low = b_cast(b, out[1], WF_U64);
        return b_or(b, b_shl(b, high, whole(b, high, 32)), low);
    }
    mixed = b_xor(b, out[0], out[1]);
    if (bits_of(dtype) == 32)
        return mixed;
    return b_cast(b, b_and(b, mixed, whole(b, mixed, (1u << bits_of(dtype)) - 1)), dtype);
}

/* bf16 has 7 bits of mantissa: 8 random bits are enough, as in JAX. */
Val b_random_unit(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    int mantissa = dtype == WF_F64 ? 52 : dtype == WF_F32 ? 23 : dtype == WF_F16 ? 10 : 7;
    int drawn = dtype == WF_BF16 ? 8 : bits_of(dtype);
    uint64_t one = dtype == WF_F64   ? 0x3ff0000000000000u
                   : dtype == WF_F32 ? 0x3f800000u
                   : dtype == WF_F16 ? 0x3c00u
                                     : 0x3f80u;
    Val bits = b_random_bits(b, key, uint_of(drawn), dims, rank), x;

    if (b_failed(b))
        return VAL_NONE;
    bits = b_cast(b, bits, uint_of(bits_of(dtype)));
    bits = b_shr_logical(b, bits, whole(b, bits, (uint64_t)(drawn - mantissa)));
    x = b_bitcast(b, b_or(b, bits, whole(b, bits, one)), dtype);
    return b_sub(b, x, b_one_like(b, x));
}

/* x*y + z of f32 rounded once, as XLA contracts it: the product is exact in f64. */
static Val fused(Builder *b, Val x, Val y, Val z)
{
    Val y64 = b_cast(b, y, WF_F64), wide = b_mul(b, b_cast(b, x, WF_F64), y64);

    return b_cast(b, b_add(b, wide, b_cast(b, z, WF_F64)), WF_F32);
}

Val b_random_uniform(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank,
                     Val low, Val high)
{
    Val u = b_random_unit(b, key, dtype, dims, rank), span;

    low = spread(b, low, dims, rank);
    high = spread(b, high, dims, rank);
    if (b_failed(b))
        return VAL_NONE;
    if (b_is_number(b, low, 0) && b_is_number(b, high, 1))
        return u;
    span = b_sub(b, high, low);
    return b_max(b, low,
                 dtype == WF_F32 ? fused(b, u, span, low)
                                 : b_add(b, b_mul(b, u, span), low));
}

static Val uniform_between(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                           uint32_t rank, double low, double high)
{
    Val top;

    if (b_failed(b))
        return VAL_NONE;
    top = b_scalar(b, dtype, high);
    return b_random_uniform(b, key, dtype, dims, rank, b_scalar(b, dtype, low), top);
}

/* Smallest normal number, and the distance from 1 to the next larger one. */
static double tiny_of(wf_dtype t)
{
    return t == WF_F64 ? 0x1p-1022 : t == WF_F16 ? 0x1p-14 : 0x1p-126;
}

static double eps_of(wf_dtype t)
{
    return t == WF_F64 ? 0x1p-52 : t == WF_F32 ? 0x1p-23 : t == WF_F16 ? 0x1p-10 : 0x1p-7;
}

/* ---- distributions --------------------------------------------------------------------------------------- */

/* erf_inv of f32 by the polynomials of Giles, "Approximating the erfinv function" (2010), in
 * w = -log(1 - x*x), rounded step by step as XLA does: 99 of 100 results have its bits, the others are
 * as far away as its log1p is from the true one. */
static Val erf_inv_f32(Builder *b, Val x)
{
    static const double centre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                    -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                    -0.00417768164,  0.246640727,    1.50140941};
    static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                  -0.00367342844,  0.00573950773,  -0.0076224613,
                                  0.00943887047,   1.00167406,     2.83297682};
    Val w, central, p, q, v;

    if (b_failed(b))
        return VAL_NONE;
    w = b_neg(b, b_log1p(b, b_neg(b, b_mul(b, x, x))));
    central = b_lt(b, w, number(b, x, 5));
    v = number(b, x, 3);
    v = b_sub(b, b_sqrt(b, w), v);
    w = b_sub(b, w, number(b, x, 2.5));
    p = number(b, x, centre[0]);
    q = number(b, x, tail[0]);
    for (int i = 1; i < COUNT(centre); i++) {
        p = fused(b, p, w, number(b, x, centre[i]));
        q = fused(b, q, v, number(b, x, tail[i]));
    }
    return b_mul(b, b_select(b, central, p, q), x);
}

/* f16 and bf16 are computed in f32. */
static Val erf_inv(Builder *b, Val x)
{
    wf_dtype dtype;

    if (b_failed(b))
        return VAL_NONE;
    dtype = b_dtype(b, x);
    return dtype == WF_F64 ? b_erf_inv(b, x)
                           : b_cast(b, erf_inv_f32(b, b_cast(b, x, WF_F32)), dtype);
}

Val b_random_normal(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    Val u = uniform_between(b, key, dtype, dims, rank, -1.0 + eps_of(dtype) / 2, 1.0);

    if (b_failed(b))
        return VAL_NONE;
    u = erf_inv(b, u);
    return b_mul(b, number(b, u, M_SQRT2), u);
}

/* The neighbour of x towards +inf (up) or -inf. Bits of numbers of one sign are in order. */
static Val neighbour(Builder *b, Val x, bool up)
{
    if (b_failed(b))
        return VAL_NONE;
    wf_dtype dtype = b_dtype(b, x), bits_dtype = uint_of(bits_of(dtype));
    Val bits = b_bitcast(b, x, bits_dtype), zero = b_zeros_like(b, x), one, away, moved,
        least;

    if (b_failed(b))
        return VAL_NONE;
    one = b_one_like(b, bits);
    away = up ? b_gt(b, x, zero) : b_lt(b, x, zero); /* magnitude grows */
    moved = b_sub(b, bits, one);
    moved = b_bitcast(b, b_select(b, away, b_add(b, bits, one), moved), dtype);
    least = b_bitcast(
        b, up ? one : b_or(b, one, whole(b, bits, UINT64_C(1) << (bits_of(dtype) - 1))),
        dtype);
    moved = b_select(b, b_eq(b, x, zero), least, moved);
    return b_select(
        b, b_eq(b, x, number(b, x, up ? (double)INFINITY : -(double)INFINITY)), x, moved);
}

Val b_random_truncated_normal(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                              uint32_t rank, Val low, Val high)
{
    if (b_failed(b))
        return VAL_NONE;
    low = spread(b, low, dims, rank);
    high = spread(b, high, dims, rank);
    Val root2 = number(b, low, M_SQRT2);
    Val from = b_erf(b, b_div(b, low, root2)), to = b_erf(b, b_div(b, high, root2));
    Val x = b_mul(b, root2,
                  erf_inv(b, b_random_uniform(b, key, dtype, dims, rank, from, to)));

    if (b_failed(b))
        return VAL_NONE;
    low = neighbour(b, b_stop_gradient(b, low), true);
    high = neighbour(b, b_stop_gradient(b, high), false);
    return b_min(b, b_max(b, x, low), high);
}

Val b_random_bernoulli(Builder *b, Val key, Val p, const Dim *dims, uint32_t rank)
{
    if (b_failed(b))
        return VAL_NONE;
    p = spread(b, p, dims, rank);
    return b_lt(b, b_random_unit(b, key, b_dtype(b, p), dims, rank), p);
}

Val b_random_exponential(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                         uint32_t rank)
{
    Val u = b_random_unit(b, key, dtype, dims, rank);

    return b_neg(b, b_log1p(b, b_neg(b, u)));
}

Val b_random_gumbel(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    Val u = uniform_between(b, key, dtype, dims, rank, tiny_of(dtype), 1.0);

    return b_neg(b, b_log(b, b_neg(b, b_log(b, u))));
}

Val b_random_laplace(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    Val u = uniform_between(b, key, dtype, dims, rank, -1.0 + eps_of(dtype) / 2, 1.0);
    Val size = b_log1p(b, b_neg(b, b_abs(b, u)));

    return b_mul(b, b_sign(b, u), size);
}

Val b_random_logistic(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    Val u = uniform_between(b, key, dtype, dims, rank, tiny_of(dtype), 1.0);
    Val rest = b_log1p(b, b_neg(b, u));

    return b_sub(b, b_log(b, u), rest);
}

Val b_random_cauchy(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    Val u = uniform_between(b, key, dtype, dims, rank, eps_of(dtype), 1.0);

    if (b_failed(b))
        return VAL_NONE;
    u = b_sub(b, u, number(b, u, 0.5));
    return b_tan(b, b_mul(b, number(b, u, M_PI), u));
}

/* -1 or 1, evenly: the sign of a coin whose probability is a default float. */
Val b_random_rademacher(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                        uint32_t rank)
{
    if (b_failed(b))
        return VAL_NONE;
    Val coin = b_random_bernoulli(b, key, b_scalar(b, WF_F32, 0.5), dims, rank);

    if (b_failed(b))
        return VAL_NONE;
    Val one = b_full(b, b_make_type(b, dtype, dims, rank), 1);

    return b_select(b, coin, one, b_neg(b, one));
}

/* ---- integers ---------------------------------------------------------------------------------------------- */

/* x of any integer dtype, clipped to what dtype holds. */
static Val to_range(Builder *b, Val x, wf_dtype dtype, Val *out_above)
{
    Val lo, hi;
    int bits = bits_of(dtype);
    wf_dtype from = b_dtype(b, x);
    bool is_signed = dtype_is_signed(dtype);

    *out_above = b_full(b, b_make_type(b, WF_BOOL, b_type(b, x).dims, b_rank(b, x)), 0);
    if (from == dtype)
        return x;
    if (bits_of(from) > bits ||
        (bits_of(from) == bits && dtype_is_signed(from) != is_signed)) {
        bool cut_low = dtype_is_signed(from),
             cut_high = bits_of(from) > bits || !dtype_is_signed(from);
        uint64_t most = ~UINT64_C(0) >> (64 - bits + is_signed);

        if (cut_high) {
            hi = whole(b, x, most);
            *out_above = b_gt(b, x, hi);
            x = b_min(b, x, hi);
        }
        if (cut_low) {
            lo = whole(b, x, is_signed ? ~most : 0);
            x = b_max(b, x, lo);
        }
    } else if (dtype_is_signed(from) && !is_signed) {
        x = b_max(b, x, b_zeros_like(b, x));
    }
    return b_cast(b, x, dtype);
}

/* Results of 8 and 16 bits are drawn in i32, the bounds clipped to what they hold. An upper bound past the
 * largest number means that number included; an empty interval gives low. */
Val b_random_randint(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank,
                     Val low, Val high)
{
    wf_dtype work = bits_of(dtype) < 32 ? WF_I32 : dtype;
    int bits = bits_of(work);
    wf_dtype words = uint_of(bits);
    Val above, below, keys, h, l, span, empty, mult, offset, top, more;

    if (b_failed(b))
        return VAL_NONE;
    if (work != dtype) {
        int64_t most = dtype_is_signed(dtype) ? (INT64_C(1) << (bits_of(dtype) - 1)) - 1
                                              : (INT64_C(1) << bits_of(dtype)) - 1;
        int64_t least = dtype_is_signed(dtype) ? -most - 1 : 0;

        low = b_cast(b, low, WF_I32);
        high = b_cast(b, high, WF_I32);
        if (b_failed(b))
            return VAL_NONE;
        top = whole(b, low, (uint64_t)most);
        low = b_clamp(b, whole(b, low, (uint64_t)least), low, top);
        top = whole(b, high, (uint64_t)most + 1);
        high = b_clamp(b, whole(b, high, (uint64_t)least), high, top);
        if (b_failed(b))
            return VAL_NONE;
    }
    low = spread(b, to_range(b, low, work, &below), dims, rank);
    high = spread(b, to_range(b, high, work, &above), dims, rank);
    above = spread(b, above, dims, rank);
    keys = b_key_split(b, key, (Dim[]){2}, 1);
    h = b_random_bits(b, b_key_at(b, keys, 0), words, dims, rank);
    l = b_random_bits(b, b_key_at(b, keys, 1), words, dims, rank);
    span = b_cast(b, b_sub(b, high, low), words);
    empty = b_le(b, high, low);
    if (b_failed(b))
        return VAL_NONE;
    top = b_select(b, empty, b_one_like(b, span), span);
    more = b_add(b, span, b_one_like(b, span));
    span = b_select(b, b_and(b, above, b_not(b, empty)), more, top);
    if (b_failed(b))
        return VAL_NONE;
    mult = b_rem(b, whole(b, span, UINT64_C(1) << bits / 2), span);
    mult = b_rem(b, b_mul(b, mult, mult), span);
    offset = b_rem(b, l, span);
    offset = b_add(b, b_mul(b, b_rem(b, h, span), mult), offset);
    offset = b_rem(b, offset, span);
    return b_cast(b, b_add(b, low, b_cast(b, offset, work)), dtype);
}

/* ---- categorical, permutation ---------------------------------------------------------------------------------- */

Val b_random_categorical(Builder *b, Val key, Val logits, uint32_t axis, const Dim *dims,
                         uint32_t rank, wf_dtype index_dtype)
{
    Dim shape[MAX_RANK];
    int64_t places[MAX_RANK];
    uint32_t own, prefix, n = 0;
    Val noise;

    if (b_failed(b))
        return VAL_NONE;
    own = b_rank(b, logits);
    prefix = rank - (own - 1);
    if (rank + 1 > MAX_RANK || own == 0 || rank + 1 < own) {
        fail(b->cx, WF_ERR_SHAPE, NOWHERE,
             "categorical: logits of rank %u give samples of rank %u or more, not %u",
             own, own ? own - 1 : 0, rank);
        return VAL_NONE;
    }
    for (uint32_t i = 0; i < prefix; i++)
        shape[n++] = dims[i];
    for (uint32_t i = 0; i < own; i++) {
        places[i] = n;
        shape[n++] = b_dim(b, logits, i);
    }
    noise = b_random_gumbel(b, key, b_dtype(b, logits), shape, n);
    logits = b_broadcast(b, logits, shape, n, places);
    return b_eqn1(b, OP_argmax, (Val[]){b_add(b, noise, logits)}, 1,
                  &(ArgAttr){.axis = prefix + axis, .dtype = (int32_t)index_dtype});
}

/* x of rank 1 shuffled: sorted by 32 random bits as often as makes n^3 results unlikely to tie. */
static Val shuffle(Builder *b, Val key, Val x)
{
    if (b_failed(b))
        return VAL_NONE;
    Dim n = b_dim(b, x, 0);

    if (!dim_is_const(n)) {
        fail(b->cx, WF_ERR_SHAPE, NOWHERE, "permutation: needs a constant size");
        return VAL_NONE;
    }
    int rounds = (int)ceil(3 * log((double)MAX(n, 1)) / log((double)UINT32_MAX));

    for (int i = 0; i < rounds && !b_failed(b); i++) {
        Val keys = b_key_split(b, key, (Dim[]){2}, 1), out[2] = {VAL_NONE, VAL_NONE};
        Val order = b_random_bits(b, b_key_at(b, keys, 1), WF_U32, (Dim[]){n}, 1);

        key = b_key_at(b, keys, 0);
        (void)b_eqn(b, OP_sort, (Val[]){order, x}, 2, &(SortAttr){.axis = 0, .keys = 1},
                    out, 2);
        x = out[1];
    }
    return x;
}

Val b_random_permutation_n(Builder *b, Val key, wf_dtype dtype, int64_t n)
{
    return b_failed(b) ? VAL_NONE : shuffle(b, key, b_iota(b, dtype, (Dim[]){n}, 1, 0));
}

/* Rank 1: x itself; else whole slices move, by a shuffled index. */
Val b_random_permutation(Builder *b, Val key, Val x, uint32_t axis)
{
    if (b_failed(b) || b_rank(b, x) == 1)
        return shuffle(b, key, x);
    uint32_t rank = b_rank(b, x), n = 0;
    int64_t offset[MAX_RANK], at = axis;
    Dim sizes[MAX_RANK];
    Val index = shuffle(b, key, b_iota(b, WF_I32, (Dim[]){b_dim(b, x, axis)}, 1, 0));

    if (b_failed(b))
        return VAL_NONE;
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = i == axis ? 1 : b_dim(b, x, i);
        if (i != axis)
            offset[n++] = i;
    }
    GatherAttr attr = {.offset_dims = {n, offset},
                       .collapsed = {1, &at},
                       .start_index_map = {1, &at},
                       .slice_sizes = {rank, sizes},
                       .mode = INDEX_PROMISED};

    return b_gather(b, x, b_expand(b, index, 1), &attr);
}
