/* lower.c -- a program with less kinds of equations, before it is written: what ONNX has no node for becomes arithmetic, loops
 * and windows of primitives that it has.
 *
 *   requires   any program
 *   keeps      inputs, results and their types; values but for last bits
 *   breaks     derivatives: custom rules and markers are gone
 *
 *   complex    arithmetic on two real arrays (opt/planes.c)
 *   integers   of 8, 16 bits and u32 are added, multiplied, compared .. as i64, which wraps to the same bits; bf16 as f32
 *   functions  log1p, expm1, erfc, atan2, lgamma, digamma, erf_inv by formulas that keep their accuracy
 *   random     rounds of Threefry and Philox in i64
 *   loops      cumprod, cummax, cummin, cumlogsumexp and recur are scans; more than two branches are a chain of two
 *   windows    that are no pool of ONNX are a fold over strided slices
 *   conv       dilated, cut or symbolic padding is a pad before it; groups of the batch are groups of features
 */
#include "onnx/write_ops.h"
#include "op/control.h"
#include "opt/opt.h"

#include <math.h>

#define PI          3.14159265358979323846
#define MOST_WINDOW 4096 /* places of a window that slices are made for */

static Val num(Builder *b, Val like, double x) { return b_full_like(b, like, x); }

static Val integer(Builder *b, Val like, int64_t x)
{
    Type t = b_type(b, like);

    return b_broadcast_scalar(b, b_int(b, (wf_dtype)t.dtype, x), t.dims, t.rank);
}

/* Of a result of the equation that is being rewritten. */
static Type out_type(Rewriter *r, uint32_t i)
{
    return copier_type(r->c, val_type(r->from, r->at->out + i));
}

static Val is_nan(Builder *b, Val x) { return b_ne(b, x, x); }

/* c0 + x (c1 + x (c2 ..)) */
static Val polynomial(Builder *b, Val x, const double *c, int n)
{
    Val y = num(b, x, c[n - 1]);

    for (int i = n - 2; i >= 0; i--)
        y = b_add(b, b_mul(b, y, x), num(b, x, c[i]));
    return y;
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* log(1 + x) = log(u) x / (u - 1) for u = 1 + x as rounded, whose error is in both factors (Kahan) */
static Val lower_log1p(Builder *b, Val x)
{
    Val one = num(b, x, 1), u = b_add(b, x, one), d = b_sub(b, u, one);
    Val y = b_mul(b, b_log(b, u), b_div(b, x, d));

    y = b_select(b, b_eq(b, d, num(b, x, 0)), x, y);
    return b_select(b, b_eq(b, u, num(b, x, INFINITY)), u, y);
}

/* exp(x) - 1 = (u - 1) x / log(u) for u = exp(x) as rounded (Kahan) */
static Val lower_expm1(Builder *b, Val x)
{
    Val one = num(b, x, 1), u = b_exp(b, x), d = b_sub(b, u, one);
    Val y = b_div(b, b_mul(b, d, x), b_log(b, u));

    y = b_select(b, b_eq(b, d, num(b, x, 0)), x, y);
    return b_select(b, b_lt(b, b_abs(b, x), one), y, d);
}

/* Of floats below f64, x > 1/2: t exp(-x x + P(t)), t = 1 / (1 + x / 2), to 1e-7 of it; else 1 - erf(x). */
static Val lower_erfc(Builder *b, Val x)
{
    static const double c[] = {-1.26551223, 1.00002368, 0.37409196,  0.09678418,
                               -0.18628806, 0.27886807, -1.13520398, 1.48851587,
                               -0.82215223, 0.17087277};
    Val plain = b_sub(b, num(b, x, 1), b_erf(b, x)), t, y;

    if (b_dtype(b, x) == WF_F64)
        return plain;
    y = b_max(b, x, num(b, x, 0));
    t = b_div(b, num(b, x, 1), b_add(b, num(b, x, 1), b_mul(b, y, num(b, x, 0.5))));
    y = b_mul(b, t, b_exp(b, b_sub(b, polynomial(b, t, c, COUNT(c)), b_mul(b, y, y))));
    return b_select(b, b_gt(b, x, num(b, x, 0.5)), y, plain);
}

static Val is_negative(Builder *b, Val x) /* -0 too */
{
    Val zero = num(b, x, 0);

    return b_or(b, b_lt(b, x, zero), b_lt(b, b_div(b, num(b, x, 1), x), zero));
}

static Val lower_atan2(Builder *b, Val y, Val x)
{
    Val ax = b_abs(b, x), ay = b_abs(b, y), big = b_max(b, ax, ay), t;

    t = b_div(b, b_min(b, ax, ay),
              b_select(b, b_eq(b, big, num(b, x, 0)), num(b, x, 1), big));
    t = b_select(b, b_and(b, b_eq(b, ax, ay), b_eq(b, ax, num(b, x, INFINITY))),
                 num(b, x, 1), t);
    t = b_atan(b, t);
    t = b_select(b, b_gt(b, ay, ax), b_sub(b, num(b, x, PI / 2), t), t);
    t = b_select(b, is_negative(b, x), b_sub(b, num(b, x, PI), t), t);
    return b_select(b, is_negative(b, y), b_neg(b, t), t);
}

/* ln |gamma(x)| for x >= 1/2 by Lanczos' sum (g = 7, n = 9), below by pi / (sin(pi x) gamma(1 - x)) */
static Val lower_lgamma(Builder *b, Val x)
{
    static const double c[] = {676.5203681218851,     -1259.1392167224028,
                               771.32342877765313,    -176.61502916214059,
                               12.507343278686905,    -0.13857109526572012,
                               9.9843695780195716e-6, 1.5056327351493116e-7};
    Val low = b_lt(b, x, num(b, x, 0.5)),
        z = b_sub(b, b_select(b, low, b_sub(b, num(b, x, 1), x), x), num(b, x, 1));
    Val sum = num(b, x, 0.99999999999980993), t = b_add(b, z, num(b, x, 7.5)), y, s,
        whole;

    for (int i = 0; i < COUNT(c); i++)
        sum = b_add(b, sum, b_div(b, num(b, x, c[i]), b_add(b, z, num(b, x, i + 1))));
    y = b_mul(b, b_add(b, z, num(b, x, 0.5)), b_sub(b, b_log(b, t), num(b, x, 1)));
    y = b_add(b, y, b_add(b, b_log(b, sum), num(b, x, 0.91893853320467274 - 7)));
    s = b_abs(b, b_sin(b, b_mul(b, b_sub(b, x, b_floor(b, x)), num(b, x, PI))));
    y = b_select(b, low,
                 b_sub(b, num(b, x, 1.1447298858494002), b_add(b, b_log(b, s), y)), y);
    whole = b_and(b, b_le(b, x, num(b, x, 0)), b_eq(b, x, b_floor(b, x)));
    y = b_select(b, b_or(b, whole, b_eq(b, b_abs(b, x), num(b, x, INFINITY))),
                 num(b, x, INFINITY), y);
    return b_select(b, is_nan(b, x), x, y);
}

/* psi(x) = psi(x + 1) - 1/x up to 8, then ln x - 1/2x - 1/12x^2 + ..; below 0 by psi(1 - x) - pi / tan(pi x) */
static Val lower_digamma(Builder *b, Val x)
{
    static const double c[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                               -1.0 / 132, 691.0 / 32760, -1.0 / 12};
    Val zero = num(b, x, 0), one = num(b, x, 1), low = b_lt(b, x, zero),
        z = b_select(b, low, b_sub(b, one, x), x), y = zero, r;
    Val whole = b_and(b, low, b_eq(b, x, b_floor(b, x)));

    for (int i = 0; i < 8; i++) {
        Val small = b_lt(b, z, num(b, x, 8));

        y = b_select(b, small, b_sub(b, y, b_div(b, one, z)), y);
        z = b_select(b, small, b_add(b, z, one), z);
    }
    r = b_div(b, one, b_mul(b, z, z));
    y = b_add(b, y, b_sub(b, b_log(b, z), b_div(b, num(b, x, 0.5), z)));
    y = b_add(b, y, b_mul(b, r, polynomial(b, r, c, COUNT(c))));
    r = b_mul(b, b_sub(b, x, b_floor(b, x)), num(b, x, PI));
    y = b_select(b, low, b_sub(b, y, b_div(b, num(b, x, PI), b_tan(b, r))), y);
    y = b_select(b, b_or(b, whole, b_eq(b, x, num(b, x, -INFINITY))), num(b, x, NAN), y);
    return b_select(b, b_eq(b, x, zero), b_div(b, num(b, x, -1), x), y);
}

/* By Giles' polynomials in w = -ln(1 - x x), then for f64 two steps of Newton */
static Val lower_erf_inv(Builder *b, Val x)
{
    static const double near[] = {1.50140941,     0.246640727,    -0.00417768164,
                                  -0.00125372503, 0.000218580870, -4.39150654e-6,
                                  -3.5233877e-6,  3.43273939e-7,  2.81022636e-8};
    static const double far[] = {2.83297682,    1.00167406,     0.00943887047,
                                 -0.0076224613, 0.00573950773,  -0.00367342844,
                                 0.00134934322, 0.000100950558, -0.000200214257};
    Val one = num(b, x, 1),
        w = b_neg(b, b_log(b, b_mul(b, b_sub(b, one, x), b_add(b, one, x)))), y,
        ends = b_abs(b, x);
    Val tail = b_max(b, w, num(b, x, 5));

    y = b_select(b, b_lt(b, w, num(b, x, 5)),
                 polynomial(b, b_sub(b, w, num(b, x, 2.5)), near, COUNT(near)),
                 polynomial(b, b_sub(b, b_sqrt(b, tail), num(b, x, 3)), far, COUNT(far)));
    y = b_mul(b, y, x);
    for (int i = 0; i < 2 && b_dtype(b, x) == WF_F64; i++) {
        Val slope =
            b_mul(b, num(b, x, 1.1283791670955126), b_exp(b, b_neg(b, b_mul(b, y, y))));

        y = b_sub(b, y, b_div(b, b_sub(b, b_erf(b, y), x), slope));
    }
    y = b_select(b, b_eq(b, ends, one), b_mul(b, x, num(b, x, INFINITY)), y);
    return b_select(b, b_gt(b, ends, one), num(b, x, NAN), y);
}

static bool lower_function(Builder *b, const EqnView *e, Val *out)
{
    if (!e->nin || !dtype_is_float((wf_dtype)e->in_type[0].dtype))
        return false;
    switch (e->op) {
    case OP_log1p: out[0] = lower_log1p(b, e->in[0]); return true;
    case OP_expm1: out[0] = lower_expm1(b, e->in[0]); return true;
    case OP_erfc: out[0] = lower_erfc(b, e->in[0]); return true;
    case OP_atan2: out[0] = lower_atan2(b, e->in[0], e->in[1]); return true;
    case OP_lgamma: out[0] = lower_lgamma(b, e->in[0]); return true;
    case OP_digamma: out[0] = lower_digamma(b, e->in[0]); return true;
    case OP_erf_inv: out[0] = lower_erf_inv(b, e->in[0]); return true;
    default: return false;
    }
}

/* ---- integers ------------------------------------------------------------------------------------------ */

static bool is_narrow(wf_dtype t)
{
    return t == WF_I8 || t == WF_U8 || t == WF_I16 || t == WF_U16 || t == WF_U32;
}

/* Ops that are done in a wider type. */
static bool is_arithmetic(unsigned op)
{
    static const uint16_t ops[] = {OP_neg,
                                   OP_abs,
                                   OP_sign,
                                   OP_add,
                                   OP_sub,
                                   OP_mul,
                                   OP_div,
                                   OP_rem,
                                   OP_pow,
                                   OP_max,
                                   OP_min,
                                   OP_eq,
                                   OP_ne,
                                   OP_lt,
                                   OP_le,
                                   OP_gt,
                                   OP_ge,
                                   OP_select,
                                   OP_clamp,
                                   OP_reduce_sum,
                                   OP_reduce_prod,
                                   OP_reduce_max,
                                   OP_reduce_min,
                                   OP_argmax,
                                   OP_argmin,
                                   OP_cumsum,
                                   OP_cumprod,
                                   OP_cummax,
                                   OP_cummin,
                                   OP_recur,
                                   OP_scatter_add,
                                   OP_scatter_mul,
                                   OP_scatter_min,
                                   OP_scatter_max,
                                   OP_reduce_window_max,
                                   OP_reduce_window_sum};

    for (int i = 0; i < COUNT(ops); i++)
        if (ops[i] == op)
            return true;
    return false;
}

/* Least and largest of a narrow integer or a bool. */
static void range_of(wf_dtype t, int64_t *lo, int64_t *hi)
{
    int bits = t == WF_BOOL ? 1 : (int)wf_dtype_size(t) * 8;
    bool is_signed = t == WF_I8 || t == WF_I16;

    *lo = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    *hi = ((int64_t)1 << (bits - is_signed)) - 1;
}

static bool lower_width(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    uint32_t first = e->op == OP_select, n;
    wf_dtype t = e->nin > first ? (wf_dtype)e->in_type[first].dtype : WF_INVALID,
             wide = t == WF_BOOL ? WF_I32 : WF_I64;
    bool scatters = e->op >= OP_scatter && e->op <= OP_scatter_max;
    Val *in = NEW(b, e->nin, Val), *got;
    int64_t lo, hi;

    if (t == WF_BF16 && is_map(e->op) && e->op != OP_bitcast && e->op != OP_nextafter &&
        e->op != OP_cast) /* few nodes have kernels or even types for it */
        wide = WF_F32;
    else if (!is_arithmetic(e->op) ||
             !(is_narrow(t) || (t == WF_BOOL && e->op != OP_eq) ||
               (t == WF_U64 && e->op == OP_pow)))
        return false;
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = (first && i == 0) || (scatters && i == 1) ? e->in[i]
                                                          : b_cast(b, e->in[i], wide);
    got = b_eqn_n(b, (OpCode)e->op, in, e->nin, e->attr, &n);
    if (b_failed(b))
        return true;
    if (wide != WF_F32 && (e->op == OP_reduce_max || e->op == OP_reduce_min || e->op == OP_reduce_window_max)) {
        range_of(t, &lo, &hi); /* of nothing there is the least of the type itself */
        if (e->op != OP_reduce_min)
            got[0] = b_max(b, got[0], integer(b, got[0], lo));
        else if (t == WF_BOOL || lo != 0)
            got[0] = b_min(b, got[0], integer(b, got[0], hi));
    }
    for (uint32_t i = 0; i < e->nout; i++)
        out[i] = b_cast(b, got[i], (wf_dtype)out_type(r, i).dtype);
    return true;
}

/* ---- bits: numbers of up to 32 bits as they are without a sign, in i64 -------------------------------------- */

static Val words(Builder *b, Val x)
{
    return b_and(b, b_cast(b, x, WF_I64), integer(b, b_cast(b, x, WF_I64), 0xffffffff));
}
static Val low(Builder *b, Val x) { return b_and(b, x, integer(b, x, 0xffffffff)); }
static Val times(Builder *b, Val x, int64_t n) { return b_mul(b, x, integer(b, x, n)); }
static Val over(Builder *b, Val x, int64_t n) { return b_div(b, x, integer(b, x, n)); }

static Val rotate(Builder *b, Val x, int by)
{
    return b_add(b, low(b, times(b, x, (int64_t)1 << by)),
                 over(b, x, (int64_t)1 << (32 - by)));
}

static void lower_threefry(Builder *b, const EqnView *e, Val *out)
{
    static const int turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    Val k[3] = {words(b, e->in[0]), words(b, e->in[1])}, x = words(b, e->in[2]),
        y = words(b, e->in[3]);

    k[2] = b_xor(b, b_xor(b, k[0], k[1]), integer(b, x, 0x1BD11BDA));
    x = low(b, b_add(b, x, k[0]));
    y = low(b, b_add(b, y, k[1]));
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 4; j++) {
            x = low(b, b_add(b, x, y));
            y = b_xor(b, rotate(b, y, turns[i % 2][j]), x);
        }
        x = low(b, b_add(b, x, k[(i + 1) % 3]));
        y = low(b, b_add(b, b_add(b, y, k[(i + 2) % 3]), integer(b, y, i + 1)));
    }
    out[0] = b_cast(b, x, WF_U32);
    out[1] = b_cast(b, y, WF_U32);
}

/* x n as two words: by halves of n, so that nothing passes 2^63 */
static void product(Builder *b, Val x, int64_t n, Val *out_high, Val *out_low)
{
    Val h = times(b, x, n >> 16), l = times(b, x, n & 0xffff);

    *out_high = over(b, b_add(b, h, over(b, l, 65536)), 65536);
    *out_low = low(b, b_add(b, times(b, b_and(b, h, integer(b, h, 0xffff)), 65536), l));
}

static void lower_philox(Builder *b, const EqnView *e, Val *out)
{
    Val k[2] = {words(b, e->in[0]), words(b, e->in[1])}, c[4], h[2], l[2];

    for (int i = 0; i < 4; i++)
        c[i] = words(b, e->in[2 + i]);
    for (int i = 0; i < 10; i++) {
        product(b, c[0], 0xD2511F53, &h[0], &l[0]);
        product(b, c[2], 0xCD9E8D57, &h[1], &l[1]);
        c[0] = b_xor(b, b_xor(b, h[1], c[1]), k[0]);
        c[2] = b_xor(b, b_xor(b, h[0], c[3]), k[1]);
        c[1] = l[1];
        c[3] = l[0];
        k[0] = low(b, b_add(b, k[0], integer(b, k[0], 0x9E3779B9)));
        k[1] = low(b, b_add(b, k[1], integer(b, k[1], 0xBB67AE85)));
    }
    for (int i = 0; i < 4; i++)
        out[i] = b_cast(b, c[i], WF_U32);
}

/* How many bits of a word are set: sums of neighbours, of 2, 4, 8 .. bits. */
static Val ones_of(Builder *b, Val x)
{
    static const int64_t masks[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff,
                                    0x0000ffff};

    for (int i = 0; i < 5; i++)
        x = b_add(b, b_and(b, x, integer(b, x, masks[i])),
                  b_and(b, over(b, x, (int64_t)1 << (1 << i)), integer(b, x, masks[i])));
    return x;
}

/* The bits below the highest one set, which count what is not clear. */
static Val filled(Builder *b, Val x)
{
    for (int i = 0; i < 5; i++)
        x = b_or(b, x, over(b, x, (int64_t)1 << (1 << i)));
    return x;
}

static bool lower_count(Builder *b, const EqnView *e, Val *out)
{
    wf_dtype t = (wf_dtype)e->in_type[0].dtype;
    int64_t bits = (int64_t)wf_dtype_size(t) * 8;
    Val x;

    if (bits > 32 || t == WF_BOOL)
        return false;
    x = b_cast(b, e->in[0], WF_I64);
    x = b_and(b, x, integer(b, x, ((int64_t)1 << bits) - 1));
    x = ones_of(b, e->op == OP_clz ? filled(b, x) : x);
    if (e->op == OP_clz)
        x = b_sub(b, integer(b, x, bits), x);
    out[0] = b_cast(b, x, t);
    return true;
}

/* The f32 of 32 bits: (1 + m / 2^23) 2^(e - 127), m 2^-149 where e = 0, infinite or NaN where it is 255 */
static bool lower_bitcast(Builder *b, const EqnView *e, Val *out)
{
    wf_dtype t = (wf_dtype)e->in_type[0].dtype;
    Val x, m, p, y, exact;

    if ((t != WF_U32 && t != WF_I32) || ((const DtypeAttr *)e->attr)->dtype != WF_F32)
        return false;
    x = words(b, e->in[0]);
    p = b_and(b, over(b, x, 1 << 23), integer(b, x, 255));
    m = b_and(b, x, integer(b, x, (1 << 23) - 1));
    exact = b_cast(b,
                   b_select(b, b_eq(b, p, integer(b, p, 0)), times(b, m, 2),
                            b_add(b, m, integer(b, m, 1 << 23))),
                   WF_F64);
    y = b_cast(b, b_max(b, b_sub(b, p, integer(b, p, 150)), integer(b, p, -150)), WF_F64);
    y = b_cast(b, b_mul(b, exact, b_pow(b, num(b, y, 2), y)), WF_F32);
    exact =
        b_select(b, b_eq(b, m, integer(b, m, 0)), num(b, y, INFINITY), num(b, y, NAN));
    y = b_select(b, b_eq(b, p, integer(b, p, 255)), exact, y);
    out[0] = b_select(b, b_ge(b, x, integer(b, x, (int64_t)1 << 31)), b_neg(b, y), y);
    return true;
}

static bool lower_bits(Builder *b, const EqnView *e, Val *out)
{
    switch (e->op) {
    case OP_threefry2x32: lower_threefry(b, e, out); return true;
    case OP_philox4x32: lower_philox(b, e, out); return true;
    case OP_popcount:
    case OP_clz: return lower_count(b, e, out);
    case OP_bitcast: return lower_bitcast(b, e, out);
    default: return false;
    }
}

/* ---- loops ------------------------------------------------------------------------------------------------- */

/* One turn of a running op on the carries c, the element x (of recur: a, x = b) and whether it is the first. */
static void turn(Builder *b, unsigned op, const Val *c, Val x, Val a, Val first,
                 Val place, Val *out)
{
    Val most, least, take, y;

    switch (op) {
    case OP_cumprod: out[0] = b_mul(b, c[0], x); break;
    case OP_recur: out[0] = b_select(b, first, x, b_add(b, b_mul(b, a, c[0]), x)); break;
    case OP_cumlogsumexp:
        most = b_max(b, c[0], x);
        least = b_min(b, c[0], x);
        y = b_add(b, most, lower_log1p(b, b_exp(b, b_sub(b, least, most))));
        out[0] = b_select(b, b_eq(b, b_abs(b, most), num(b, most, INFINITY)), most, y);
        break;
    default:
        take = op == OP_cummax ? b_ge(b, x, c[0]) : b_le(b, x, c[0]);
        if (dtype_is_float(b_dtype(b, x)))
            take = b_or(b, b_and(b, take, b_eq(b, c[0], c[0])), is_nan(b, x));
        take = b_or(b, take, first);
        out[0] = b_select(b, take, x, c[0]);
        out[1] = b_select(b, take, place, c[1]);
    }
}

static bool lower_running(Builder *b, const EqnView *e, Val *out)
{
    const CumAttr *a = e->attr;
    wf_dtype dtype = (wf_dtype)e->in_type[0].dtype, inner = dtype;
    bool pairs = e->op == OP_cummax || e->op == OP_cummin, two = e->op == OP_recur;
    Dim length = e->in_type[0].dims[a->axis];
    Val x = b_move_axis(b, e->in[e->nin - 1], (uint32_t)a->axis, 0), in[5], c[2], t[3],
        ends[4], *got;
    uint32_t nc = 1 + pairs, n = 0, nout;
    Type row;
    Nest nest;

    if (dtype_is_float(dtype) && !pairs)
        x = b_cast(b, x, inner = WF_F64);
    row = elem_type(b_type(b, x));
    in[n++] = b_zeros(b, row);
    if (e->op == OP_cumprod || e->op == OP_cumlogsumexp)
        in[0] = b_full_like(b, in[0], e->op == OP_cumprod ? 1 : -INFINITY);
    if (pairs)
        in[n++] = b_zeros(b, b_make_type(b, WF_I64, row.dims, row.rank));
    in[n++] = x;
    if (two)
        in[n++] = b_cast(b, b_move_axis(b, e->in[0], (uint32_t)a->axis, 0), inner);
    in[n++] = b_iota(b, WF_I64, &length, 1, 0);

    nest_begin(&nest, b, "turn", e->place);
    for (uint32_t i = 0; i < nc; i++)
        c[i] = nest_input(&nest, b_type(b, in[i]), NULL);
    for (uint32_t i = nc; i < n; i++)
        t[i - nc] = nest_input(&nest, elem_type(b_type(b, in[i])), NULL);
    Type r = b_type(nest.b, c[0]);
    Val at = t[n - nc - 1],
        last = b_sub(nest.b, b_dim_value(nest.b, nest_dim(&nest, length)),
                     b_int(nest.b, WF_I64, 1));
    Val first = b_eq(nest.b, at, a->reverse ? last : b_int(nest.b, WF_I64, 0));
    turn(nest.b, e->op, c, t[0], two ? t[1] : VAL_NONE,
         b_broadcast_scalar(nest.b, first, r.dims, r.rank),
         b_broadcast_scalar(nest.b, at, r.dims, r.rank), ends);
    for (uint32_t i = 0; i < nc; i++)
        ends[nc + i] = ends[i];
    ScanAttr scan = {.body = nest_end(&nest, ends, 2 * nc),
                     .ncarry = nc,
                     .length = length,
                     .reverse = a->reverse};
    got = b_eqn_n(b, OP_scan, in, n, &scan, &nout);
    for (uint32_t i = 0; i < nc && !b_failed(b); i++)
        out[i] = b_move_axis(b, b_cast(b, got[nc + i], i ? WF_I64 : dtype), 0,
                             (uint32_t)a->axis);
    return true;
}

/* Branch 0 or the others, numbered one less. */
static bool lower_branches(Builder *b, const EqnView *e, Val *out)
{
    const CondAttr *a = e->attr;
    Val *in = NEW(b, e->nin, Val), *inner = NEW(b, e->nin, Val), *got;
    uint32_t n;
    Sub two[2];
    Nest nest;

    if (a->branches.n <= 2)
        return false;
    nest_begin(&nest, b, "others", e->place);
    for (uint32_t i = 0; i < e->nin; i++)
        inner[i] = nest_input(&nest, e->in_type[i], NULL);
    inner[0] = b_sub(nest.b, inner[0], b_int(nest.b, (wf_dtype)e->in_type[0].dtype, 1));
    Sub *rest = NEW(b, a->branches.n, Sub);
    for (uint32_t i = 1; i < a->branches.n; i++)
        rest[i - 1] = nest_sub(&nest, &a->branches.v[i]);
    got = b_eqn_n(nest.b, OP_cond, inner, e->nin, &(CondAttr){{a->branches.n - 1, rest}},
                  &n);
    if (b_failed(b))
        return true;
    two[1] = nest_end(&nest, got, n);
    nest_begin(&nest, b, "first", e->place);
    for (uint32_t i = 0; i < e->nin; i++)
        inner[i] = nest_input(&nest, e->in_type[i], NULL);
    got = NEW(b, e->nout, Val);
    nest_inline(&nest, &a->branches.v[0], inner + 1, got);
    two[0] = nest_end(&nest, got, e->nout);
    in[0] = b_gt(b, e->in[0], b_int(b, (wf_dtype)e->in_type[0].dtype, 0));
    for (uint32_t i = 0; i < e->nin; i++)
        in[i + 1] = e->in[i];
    got = b_eqn_n(b, OP_cond, in, e->nin + 1, &(CondAttr){{2, two}}, &n);
    if (!b_failed(b))
        memcpy(out, got, e->nout * sizeof *out);
    return true;
}

/* A scan over nothing has numbers to go over. */
static bool lower_scan(Builder *b, const EqnView *e, Val *out)
{
    const ScanAttr *a = e->attr;
    uint32_t n;
    Val *in = NEW(b, e->nin + 1, Val), *inner = NEW(b, e->nin + 1, Val),
        *ends = NEW(b, e->nout, Val), *got;
    Nest nest;

    if (e->nin > (uint32_t)(a->nconst + a->ncarry))
        return false;
    memcpy(in, e->in, e->nin * sizeof *in);
    in[e->nin] = b_iota(b, WF_I64, &a->length, 1, 0);
    nest_begin(&nest, b, "turn", e->place);
    for (uint32_t i = 0; i <= e->nin; i++)
        inner[i] = nest_input(
            &nest, i < e->nin ? e->in_type[i] : elem_type(b_type(b, in[i])), NULL);
    nest_inline(&nest, &a->body, inner, ends);
    ScanAttr scan = *a;
    scan.body = nest_end(&nest, ends, e->nout);
    got = b_eqn_n(b, OP_scan, in, e->nin + 1, &scan, &n);
    if (!b_failed(b))
        memcpy(out, got, e->nout * sizeof *out);
    return true;
}

/* ---- windows and convolutions --------------------------------------------------------------------------------- */

static int64_t entry(Ints v, uint32_t i, int64_t otherwise)
{
    return i < v.n ? v.v[i] : otherwise;
}

/* Does anybody read result k of the equation that is being rewritten? */
static bool is_read(const Rewriter *r, uint32_t k)
{
    const Program *p = r->from;
    Val v = r->at->out + k;

    for (uint32_t i = 0; i < p->nargs; i++)
        if (p->args[i] == v)
            return true;
    for (uint32_t i = 0; i < p->nout; i++)
        if (p->outs[i] == v)
            return true;
    return false;
}

/* A pool of ONNX: of floats, over axes behind the first two, without gaps, and nobody asks for places. */
static bool is_pool(const Rewriter *r, const EqnView *e)
{
    const WindowAttr *a = e->attr;
    Type t = e->in_type[0];

    if (t.rank < 3 || t.rank > 5 || !dtype_is_float((wf_dtype)t.dtype) ||
        (e->nout > 1 && is_read(r, 1)))
        return false;
    for (uint32_t i = 0; i < t.rank; i++) {
        int64_t lo = entry(a->pad_lo, i, 0), hi = entry(a->pad_hi, i, 0),
                w = entry(a->window, i, 1);
        int64_t reach = (w - 1) * entry(a->window_dilation, i, 1) + 1;

        if (entry(a->base_dilation, i, 1) != 1 || lo < 0 || hi < 0 || w < 1 || lo >= w ||
            hi >= w)
            return false;
        if ((t.dims[i] >= 0 && t.dims[i] + lo + hi < reach) ||
            (i < 2 && (w != 1 || entry(a->stride, i, 1) != 1)))
            return false;
    }
    return true;
}

/* x with gaps and padding of the value around it. */
static Val padded(Builder *b, const WindowAttr *a, Val x, Val value)
{
    Type t = b_type(b, x);
    Dim lo[MAX_RANK], hi[MAX_RANK];
    int64_t gaps[MAX_RANK];

    for (uint32_t i = 0; i < t.rank; i++) {
        lo[i] = entry(a->pad_lo, i, 0);
        hi[i] = entry(a->pad_hi, i, 0);
        gaps[i] = entry(a->base_dilation, i, 1) - 1;
    }
    return b_pad(b, x, value, lo, hi, gaps);
}

/* Element k of every window, as numbered in the window. */
static Val elements(Builder *b, const WindowAttr *a, Val x, Type like, int64_t k)
{
    Type t = b_type(b, x);
    Dim start[MAX_RANK], limit[MAX_RANK];
    int64_t step[MAX_RANK];

    for (uint32_t i = t.rank; i-- > 0;) {
        int64_t w = entry(a->window, i, 1);

        step[i] = entry(a->stride, i, 1);
        start[i] = k % w * entry(a->window_dilation, i, 1);
        k /= w;
        limit[i] = dim_add(&b->dims,
                           dim_mul(&b->dims, dim_sub(&b->dims, like.dims[i], 1), step[i]),
                           start[i] + 1);
    }
    return b_slice(b, x, start, limit, step);
}

static Val least_of(Builder *b, wf_dtype t)
{
    int64_t lo, hi;

    if (dtype_is_float(t))
        return b_scalar(b, t, -INFINITY);
    if (t == WF_I64 || t == WF_I32 || t == WF_U64)
        return b_int(b, t, t == WF_I64 ? INT64_MIN : t == WF_I32 ? INT32_MIN : 0);
    range_of(t, &lo, &hi);
    return b_int(b, t, lo);
}

static bool lower_window(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    const WindowAttr *a = e->attr;
    Type t = e->in_type[0], like = out_type(r, 0);
    bool sums = e->op == OP_reduce_window_sum;
    int64_t count = 1;
    Val x, at = VAL_NONE, y = VAL_NONE, p = VAL_NONE;

    for (uint32_t i = 0; i < t.rank; i++)
        count = count > MOST_WINDOW ? count : count * entry(a->window, i, 1);
    if (is_pool(r, e) || count > MOST_WINDOW || count < 1 || t.rank == 0)
        return false;
    for (uint32_t i = 0; i < like.rank; i++)
        if (like.dims[i] == 0) {
            out[0] = b_zeros(b, like);
            if (!sums)
                out[1] = b_zeros(b, out_type(r, 1));
            return true;
        }
    x = padded(b, a, e->in[0],
               sums ? b_scalar(b, (wf_dtype)t.dtype, 0) : least_of(b, (wf_dtype)t.dtype));
    if (!sums) {
        Dim all = dim_prod(&b->dims, t.dims, t.rank);
        at = padded(b, a, b_reshape(b, b_iota(b, WF_I64, &all, 1, 0), t.dims, t.rank),
                    b_int(b, WF_I64, -1));
    }
    for (int64_t k = 0; k < count && !b_failed(b); k++) {
        Val v = elements(b, a, x, like, k),
            q = sums ? VAL_NONE : elements(b, a, at, like, k), take;

        if (k == 0 || sums) {
            y = k ? b_add(b, y, v) : v;
            p = q;
            continue;
        }
        take = b_or(b, b_gt(b, v, y),
                    b_and(b, b_lt(b, p, integer(b, p, 0)), b_ge(b, q, integer(b, q, 0))));
        if (dtype_is_float((wf_dtype)t.dtype))
            take = b_or(b, b_and(b, take, b_eq(b, y, y)),
                        b_and(b, is_nan(b, v), b_eq(b, y, y)));
        y = b_select(b, take, v, y);
        p = b_select(b, take, q, p);
    }
    out[0] = y;
    if (!sums)
        out[1] = p;
    return true;
}

/* Padding that Conv cannot do, and gaps in the input, by a pad before it. */
static Val pad_input(Builder *b, const EqnView *e, ConvAttr *a)
{
    Type t = e->in_type[0];
    uint32_t n = t.rank - 2u;
    Dim lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};
    int64_t gaps[MAX_RANK] = {0}, *none = NEW(b, t.rank, int64_t);
    bool plain = true, empty = false;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = conv_axis(a->lhs_spec, i + 2);

        lo[axis] = entry(a->pad_lo, i, 0);
        hi[axis] = entry(a->pad_hi, i, 0);
        gaps[axis] = entry(a->lhs_dilation, i, 1) - 1;
        plain = plain && lo[axis] >= 0 && hi[axis] >= 0 && !gaps[axis];
        empty = empty || (t.dims[axis] >= 0 && t.dims[axis] + lo[axis] + hi[axis] <
                                                   0); /* nothing fits: zeros */
    }
    if (plain || empty)
        return e->in[0];
    a->pad_lo = a->pad_hi = (Ints){n, none};
    a->lhs_dilation = (Ints){0};
    return b_pad(b, e->in[0], b_scalar(b, (wf_dtype)t.dtype, 0), lo, hi, gaps);
}

/* Groups of the batch are groups of features of a smaller batch: [G n, C, ..] -> [n, G C, ..] */
static Val regroup(Builder *b, Val x, ConvAttr *a)
{
    Type t = b_type(b, x);
    uint32_t batch = conv_axis(a->lhs_spec, 0), feature = conv_axis(a->lhs_spec, 1),
             n = 0;
    Dim dims[MAX_RANK + 1], g = a->batch_groups;
    int64_t perm[MAX_RANK + 1];

    for (uint32_t i = 0; i < t.rank; i++) {
        if (i == batch)
            dims[n++] = g;
        dims[n++] = i == batch ? dim_div(&b->dims, t.dims[i], g) : t.dims[i];
    }
    x = b_reshape(b, x, dims, n);
    n = 0;
    for (uint32_t i = 0; i < t.rank; i++) { /* g goes before the feature */
        if (i == feature)
            perm[n++] = batch;
        perm[n++] = i + (i >= batch);
    }
    x = b_transpose(b, x, perm);
    for (uint32_t i = 0; i < t.rank; i++)
        dims[i] = i == batch     ? dim_div(&b->dims, t.dims[i], g)
                  : i == feature ? dim_mul(&b->dims, t.dims[i], g)
                                 : t.dims[i];
    a->groups = g;
    a->batch_groups = 1;
    return b_reshape(b, x, dims, t.rank);
}

static bool lower_conv(Builder *b, const EqnView *e, Val *out)
{
    ConvAttr a = *(const ConvAttr *)e->attr;
    Type t = e->in_type[0];
    Val x;

    if (t.rank + 1u > MAX_RANK || t.rank < 3)
        return false;
    x = pad_input(b, e, &a);
    if (a.batch_groups != 1)
        x = regroup(b, x, &a);
    if (x == e->in[0])
        return false;
    out[0] = b_conv(b, x, e->in[1], &a);
    return true;
}

/* A convolution over no axes is a product of features, group by group; only the plain one is taken. */
static bool lower_conv_0d(Builder *b, const EqnView *e, Val *out)
{
    const ConvAttr *a = e->attr;
    int64_t lf = conv_axis(a->lhs_spec, 1), rf = conv_axis(a->rhs_spec, 1);
    DotAttr dot = {
        .lhs = {1, &lf}, .rhs = {1, &rf}, .acc = a->acc, .precision = a->precision};

    if (e->in_type[0].rank != 2 || a->groups != 1 || a->batch_groups != 1)
        return false;
    out[0] = b_dot(b, e->in[0], e->in[1], &dot);
    if (conv_axis(a->out_spec, 0) == 1)
        out[0] = b_transpose(b, out[0], (int64_t[]){1, 0});
    return true;
}

/* A window put somewhere is a scatter of one. */
static bool lower_update(Builder *b, const EqnView *e, Val *out)
{
    uint32_t rank = e->in_type[0].rank;
    int64_t *axes = NEW(b, rank, int64_t);
    Val *at = NEW(b, rank, Val);

    out[0] = e->in[1];
    for (uint32_t i = 0; i < rank; i++) {
        axes[i] = i;
        at[i] = b_expand(b, b_cast(b, e->in[2 + i], WF_I64), 0);
    }
    if (rank)
        out[0] = b_scatter(b, OP_scatter, e->in[0], b_concat(b, at, rank, 0), e->in[1],
                           &(ScatterAttr){.update_window = {rank, axes},
                                          .operand_dims = {rank, axes},
                                          .mode = INDEX_CLIP});
    return true;
}

/* Has the writer arithmetic of types like the operands'? Such types are then all but unsigned ones of 16 and 32 bits, and bools. */
static bool has_width(const Rewriter *r, const EqnView *e)
{
    bool (*const *has)(unsigned) = r->user;
    wf_dtype t = e->nin ? (wf_dtype)e->in_type[e->nin > 1 && e->op == OP_select].dtype : WF_INVALID;

    return *has && (*has)(OP_cast) && t != WF_U16 && t != WF_U32 && t != WF_BOOL;
}

static bool before(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;

    if (!has_width(r, e) && lower_width(r, e, out))
        return true;
    switch (e->op) {
    case OP_assert: return true; /* no node of ONNX ends a run; Gather looks at its indices itself */
    case OP_cumprod:
    case OP_cummax:
    case OP_cummin:
    case OP_cumlogsumexp:
    case OP_recur: return lower_running(b, e, out);
    case OP_cond: return lower_branches(b, e, out);
    case OP_scan: return lower_scan(b, e, out);
    case OP_reduce_window_max:
    case OP_reduce_window_sum: return lower_window(r, e, out);
    case OP_dynamic_update_slice: return lower_update(b, e, out);
    case OP_conv_general: return lower_conv(b, e, out) || lower_conv_0d(b, e, out);
    default: return lower_function(b, e, out) || lower_bits(b, e, out);
    }
}

static bool before_unless(Rewriter *r, const EqnView *e, Val *out)
{
    bool (*const *has)(unsigned) = r->user;

    return !(*has)(e->op) ? before(r, e, out) : !has_width(r, e) && lower_width(r, e, out);
}

const Program *onnx_lower(wf_ctx *cx, const Program *p, bool (*has)(unsigned op))
{
    Opt o = {.cx = cx};
    const Program *last = NULL;
    BeforeRule *rule = has ? before_unless : before;

    for (p = has && has(OP_complex) ? p : opt_planes(&o, p);
         p && p != last && !failed(cx);) { /* what a rule makes may be another's */
        Rewriter r = {.o = &o, .user = (void *)&has, .before = rule, .done.a = &cx->scratch, .origin.a = &cx->scratch};

        last = p;
        p = rewrite_apply(&r, p);
    }
    return p;
}
