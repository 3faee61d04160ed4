/* ops_map.c -- elementwise ops. */
#include "stablehlo/stablehlo.h"

Val hlo_like(Hlo *h, Val like, double x) { return b_full_like(h->s->b, like, x); }

Val hlo_spread(Hlo *h, Val scalar, Val like)
{
    Type t = b_type(h->s->b, like);

    return b_broadcast_scalar(h->s->b, scalar, t.dims, t.rank);
}

bool hlo_map1(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0);

    /* unsigned numbers are their own sign and size */
    if (!failed(h->cx) && (r->op == OP_abs || r->op == OP_sign) && dtype_is_unsigned(b_dtype(h->s->b, x)))
        return hlo_out(h, r->op == OP_abs ? x : b_min(h->s->b, x, hlo_like(h, x, 1)));
    if (!failed(h->cx) && r->op == OP_sign && dtype_is_complex(b_dtype(h->s->b, x))) {
        Builder *b = h->s->b;
        Val size = b_abs(b, x), zero = b_zeros_like(b, size), is0 = b_eq(b, size, zero);
        Val safe = b_cast(b, b_select(b, is0, b_one_like(b, size), size), b_dtype(b, x));

        return hlo_out(h, b_select(b, is0, b_zeros_like(b, x), b_div(b, x, safe)));
    }
    return hlo_out(h, failed(h->cx) ? VAL_NONE : b_eqn1(h->s->b, (OpCode)r->op, &x, 1, NULL));
}

bool hlo_map2(Hlo *h, const HloRule *r)
{
    Val in[2] = {hlo_in(h, 0), hlo_in(h, 1)};

    if (failed(h->cx))
        return false;
    /* complex powers by logarithms */
    if (r->op == OP_pow && dtype_is_complex(b_dtype(h->s->b, in[0]))) {
        Builder *b = h->s->b;
        Val zero = b_eq(b, in[0], b_zeros_like(b, in[0])), none = b_eq(b, in[1], b_zeros_like(b, in[1]));
        Val at = b_select(b, zero, b_one_like(b, in[0]), in[0]), p = b_exp(b, b_mul(b, in[1], b_log(b, at)));

        return hlo_out(h, b_select(b, b_and(b, zero, b_not(b, none)), b_zeros_like(b, p), p));
    }
    return hlo_out(h, b_eqn1(h->s->b, (OpCode)r->op, in, 2, NULL));
}

/* add and multiply: of bools, or and and */
bool hlo_logic(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0), y = hlo_in(h, 1);
    int op = r->op;

    if (!failed(h->cx) && b_dtype(h->s->b, x) == WF_BOOL)
        op = op == OP_add ? OP_or : OP_and;
    return !failed(h->cx) && hlo_out(h, b_eqn1(h->s->b, (OpCode)op, (Val[]){x, y}, 2, NULL));
}

/* Integers in the total order of floats: -nan < -inf < .. < -0 < 0 < .. < inf < nan. */
static Val total_order(Hlo *h, Val x)
{
    Builder *b = h->s->b;
    wf_dtype t = b_dtype(b, x);
    size_t bits = wf_dtype_size(t) * 8;
    wf_dtype as = bits == 64 ? WF_I64 : bits == 32 ? WF_I32 : WF_I16;
    Val i, sign, all;

    if (!dtype_is_float(t))
        return x;
    i = b_bitcast(b, x, as);
    sign = b_eqn1(b, OP_shr_arith, (Val[]){i, hlo_like(h, i, (double)(bits - 1))}, 2, NULL);
    all = hlo_spread(h, b_int(b, as, (int64_t)(UINT64_MAX >> (65 - bits))), i);
    return b_xor(b, i, b_and(b, sign, all));
}

bool hlo_compare(Hlo *h, const HloRule *r)
{
    static const struct {
        const char *word;
        OpCode op;
    } kinds[] = {{"EQ", OP_eq}, {"NE", OP_ne}, {"LT", OP_lt}, {"LE", OP_le}, {"GT", OP_gt}, {"GE", OP_ge}};
    Val in[2] = {hlo_in(h, 0), hlo_in(h, 1)};
    const char *kind = h->op->words.n ? h->op->words.v[0] : hlo_text(h, "comparison_direction");
    const char *order = h->op->words.n > 1 ? h->op->words.v[1] : hlo_text(h, "compare_type");

    (void)r;
    for (size_t k = 0; !failed(h->cx) && k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(kind, kinds[k].word)) {
            if (!strcmp(order, "TOTALORDER"))
                for (int i = 0; i < 2; i++)
                    in[i] = total_order(h, in[i]);
            return hlo_out(h, b_eqn1(h->s->b, kinds[k].op, in, 2, NULL));
        }
    return failed(h->cx) ? false : hlo_op_fail(h, WF_ERR_FORMAT, "there is no comparison '%.20s'", kind);
}

bool hlo_select(Hlo *h, const HloRule *r)
{
    Val p = hlo_in(h, 0), x = hlo_in(h, 1), y = hlo_in(h, 2);

    (void)r;
    if (failed(h->cx))
        return false;
    if (!b_rank(h->s->b, p) && b_rank(h->s->b, x))
        p = hlo_spread(h, p, x);
    return hlo_out(h, b_select(h->s->b, p, x, y));
}

bool hlo_clamp(Hlo *h, const HloRule *r)
{
    Val lo = hlo_in(h, 0), x = hlo_in(h, 1), hi = hlo_in(h, 2);

    (void)r;
    return !failed(h->cx) && hlo_out(h, b_clamp(h->s->b, lo, x, hi));
}

bool hlo_convert(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0);
    Type to = hlo_out_type(h, 0);

    (void)r;
    return !failed(h->cx) && hlo_out(h, b_cast(h->s->b, x, (wf_dtype)to.dtype));
}

/* Elements of another size: a last axis of parts is made of them, or one of the parts. Numbers are little-endian. */
static Val split_bits(Hlo *h, Val x, wf_dtype part, uint32_t n)
{
    Builder *b = h->s->b;
    size_t width = wf_dtype_size(b_dtype(b, x)), small = wf_dtype_size(part);
    wf_dtype wide = width == 8 ? WF_U64 : width == 4 ? WF_U32 : WF_U16, narrow = small == 4 ? WF_U32 : small == 2 ? WF_U16 : WF_U8;
    Val parts[8], bits = b_bitcast(b, x, wide);

    for (uint32_t i = 0; i < n; i++) {
        Val down = b_shr_logical(b, bits, hlo_like(h, bits, (double)(i * small * 8)));

        parts[i] = b_expand(b, b_bitcast(b, b_cast(b, down, narrow), part), b_rank(b, x));
    }
    return b_concat(b, parts, n, b_rank(b, x));
}

static Val join_bits(Hlo *h, Val x, wf_dtype whole, uint32_t n)
{
    Builder *b = h->s->b;
    size_t width = wf_dtype_size(whole), small = wf_dtype_size(b_dtype(b, x));
    wf_dtype wide = width == 8 ? WF_U64 : width == 4 ? WF_U32 : WF_U16, narrow = small == 4 ? WF_U32 : small == 2 ? WF_U16 : WF_U8;
    uint32_t last = b_rank(b, x) - 1;
    Val sum = VAL_NONE;

    for (uint32_t i = 0; i < n; i++) {
        Val part = b_squeeze(b, b_slice_axis(b, x, last, i, (Dim)i + 1), last);

        part = b_cast(b, b_bitcast(b, part, narrow), wide);
        part = b_shl(b, part, hlo_like(h, part, (double)(i * small * 8)));
        sum = i ? b_or(b, sum, part) : part;
    }
    return b_bitcast(b, sum, whole);
}

bool hlo_bitcast(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0);
    Type to = hlo_out_type(h, 0), from;
    wf_dtype dtype = (wf_dtype)to.dtype;
    size_t a, c;

    (void)r;
    if (failed(h->cx))
        return false;
    from = b_type(h->s->b, x);
    a = wf_dtype_size((wf_dtype)from.dtype);
    c = wf_dtype_size(dtype);
    if (from.dtype == WF_BOOL || dtype == WF_BOOL || dtype_is_complex(dtype) || dtype_is_complex((wf_dtype)from.dtype))
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "the bits of bools and complex numbers");
    if (a == c)
        return hlo_out(h, b_bitcast(h->s->b, x, dtype));
    if (a > c ? to.rank != from.rank + 1u : from.rank != to.rank + 1u || from.dims[from.rank - 1] != (Dim)(c / a))
        return hlo_op_fail(h, WF_ERR_FORMAT, "sizes that do not fit");
    return hlo_out(h, a > c ? split_bits(h, x, dtype, (uint32_t)(a / c)) : join_bits(h, x, dtype, (uint32_t)(c / a)));
}

/* sign(x) floor(|x| + 1/2), but for numbers whose half is no number: those next below 1/2, and whole ones */
bool hlo_round_away(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), down, half;

    (void)r;
    if (failed(h->cx))
        return false;
    down = b_floor(b, b_abs(b, x));
    half = b_ge(b, b_sub(b, b_abs(b, x), down), hlo_like(h, x, 0.5));
    return hlo_out(h, b_mul(b, b_sign(b, x), b_add(b, down, b_cast(b, half, b_dtype(b, x)))));
}

bool hlo_square(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0);

    (void)r;
    return !failed(h->cx) && hlo_out(h, b_mul(h->s->b, x, x));
}

/* format = e5m10: those that are dtypes */
bool hlo_reduce_precision(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0);
    const char *format = hlo_text(h, "format");
    int64_t e, m;
    wf_dtype as;

    (void)r;
    if (failed(h->cx) || !hlo_int(h, "exponent_bits", 0, &e) || !hlo_int(h, "mantissa_bits", 0, &m))
        return false;
    as = !strcmp(format, "e5m10") || (e == 5 && m == 10)   ? WF_F16
         : !strcmp(format, "e8m7") || (e == 8 && m == 7)   ? WF_BF16
         : !strcmp(format, "e8m23") || (e == 8 && m == 23) ? WF_F32
         : !strcmp(format, "e11m52") || (e == 11 && m == 52) ? WF_F64
                                                            : WF_INVALID;
    if (as == WF_INVALID)
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "format %.20s, which is no dtype", format);
    return hlo_out(h, b_cast(h->s->b, b_cast(h->s->b, x, as), b_dtype(h->s->b, x)));
}

bool hlo_identity(Hlo *h, const HloRule *r)
{
    (void)r;
    return hlo_out(h, hlo_in(h, 0));
}

bool hlo_barrier(Hlo *h, const HloRule *r)
{
    uint32_t n = h->op->in.n, got;
    Val *in = arena_array(h->t->a, n, sizeof *in), *out;

    (void)r;
    for (uint32_t i = 0; i < n; i++)
        in[i] = hlo_in(h, i);
    if (failed(h->cx) || !(out = b_eqn_n(h->s->b, OP_opt_barrier, in, n, NULL, &got)))
        return false;
    return hlo_outs(h, out, got);
}

bool hlo_is_inf(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), v;

    if (failed(h->cx))
        return false;
    v = r->op ? x : b_abs(b, x);
    return hlo_out(h, b_eq(b, v, hlo_like(h, x, r->op < 0 ? -__builtin_inf() : __builtin_inf())));
}

/* ---- functions Weft has no primitive for ------------------------------------------------------------------------- */

/* A sum of Chebyshev polynomials T_k(x) c_k, k from the last to 0, the first halved, by Clenshaw's recurrence. */
static Val chebyshev(Hlo *h, Val x, const double *c, int n)
{
    Builder *b = h->s->b;
    Val b0 = hlo_like(h, x, 0), b1 = b0, b2 = b0;

    for (int i = 0; i < n; i++) {
        b2 = b1;
        b1 = b0;
        b0 = b_add(b, b_sub(b, b_mul(b, x, b1), b2), hlo_like(h, x, c[i]));
    }
    return b_mul(b, hlo_like(h, x, 0.5), b_sub(b, b0, b2));
}

/* exp(-|x|) I1(x): x times one series of (|x|/2 - 2) up to 8, another of (32/|x| - 2) over sqrt(|x|) beyond. The series are
 * the Chebyshev expansions of those functions on [-2, 2]; the coefficients are computed here, by their definition as sums over
 * the nodes, from the series and the asymptotic integral of I1. */
enum { TERMS = 24, NODES = 48 };

static double i1e_at(double x) /* by the integral (1/pi) int_0^pi exp(x (cos t - 1)) cos t dt, by trapezoids */
{
    enum { STEPS = 400 };
    double sum = 0;

    for (int i = 0; i <= STEPS; i++) {
        double t = 3.14159265358979323846 * i / STEPS, s = __builtin_exp(x * (__builtin_cos(t) - 1)) * __builtin_cos(t);

        sum += i == 0 || i == STEPS ? s / 2 : s;
    }
    return sum / STEPS;
}

static void i1e_series(bool beyond, double *out)
{
    for (int k = 0; k < TERMS; k++) {
        double sum = 0;

        for (int j = 0; j < NODES; j++) {
            double t = 3.14159265358979323846 * (j + 0.5) / NODES, u = 2 * __builtin_cos(t);
            double x = beyond ? 32 / (u + 2) : 2 * (u + 2);
            double f = beyond ? i1e_at(x) * __builtin_sqrt(x) : x > 0 ? i1e_at(x) / x : 0.5;

            sum += f * __builtin_cos(k * t);
        }
        out[TERMS - 1 - k] = 2 * sum / NODES;
    }
}

bool hlo_bessel(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    double near[TERMS], far[TERMS];
    Val x = hlo_in(h, 0), ax, inside, safe, y;

    (void)r;
    if (failed(h->cx))
        return false;
    i1e_series(false, near);
    i1e_series(true, far);
    ax = b_abs(b, x);
    inside = b_le(b, ax, hlo_like(h, x, 8));
    y = b_mul(b, ax, chebyshev(h, b_sub(b, b_mul(b, ax, hlo_like(h, x, 0.5)), hlo_like(h, x, 2)), near, TERMS));
    safe = b_max(b, ax, hlo_like(h, x, 8));
    safe = b_div(b, chebyshev(h, b_sub(b, b_div(b, hlo_like(h, x, 32), safe), hlo_like(h, x, 2)), far, TERMS), b_sqrt(b, safe));
    return hlo_out(h, b_mul(b, b_select(b, inside, y, safe), b_sign(b, x)));
}

/* Hurwitz's zeta(s, q) = sum over k of (k + q)^-s by Euler and Maclaurin: N terms, then
 *   a^(1-s)/(s-1) + a^-s/2 + sum over j of B_2j/(2j)! s (s+1) .. (s+2j-2) a^(-s-2j+1),     a = q + N
 * for s > 1 and q > 0; polygamma(n, x) = (-1)^(n+1) n! zeta(n+1, x), and digamma for n = 0. */
static Val zeta(Hlo *h, Val s, Val q)
{
    static const double bernoulli[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000};
    enum { N = 10 };
    Builder *b = h->s->b;
    Val sum = hlo_like(h, s, 0), one = b_one_like(b, s), a, p, factor = s;

    for (int k = 0; k < N; k++)
        sum = b_add(b, sum, b_pow(b, b_add(b, q, hlo_like(h, s, k)), b_neg(b, s)));
    a = b_add(b, q, hlo_like(h, s, N));
    p = b_pow(b, a, b_neg(b, s));
    sum = b_add(b, sum, b_add(b, b_div(b, b_mul(b, p, a), b_sub(b, s, one)), b_mul(b, p, hlo_like(h, s, 0.5))));
    for (int j = 0; j < 6; j++) {
        p = b_div(b, p, a);
        sum = b_add(b, sum, b_mul(b, b_mul(b, factor, p), hlo_like(h, s, bernoulli[j])));
        p = b_div(b, p, a);
        factor = b_mul(b, factor, b_mul(b, b_add(b, s, hlo_like(h, s, 2 * j + 1)), b_add(b, s, hlo_like(h, s, 2 * j + 2))));
    }
    return b_select(b, b_gt(b, s, one), b_select(b, b_gt(b, q, hlo_like(h, s, 0)), sum, hlo_like(h, s, __builtin_nan(""))),
                    hlo_like(h, s, __builtin_nan("")));
}

bool hlo_zeta(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    Val s = hlo_in(h, 0), q = hlo_in(h, 1), n1, odd, v;

    if (failed(h->cx))
        return false;
    if (!r->op)
        return hlo_out(h, zeta(h, s, q));
    n1 = b_add(b, s, b_one_like(b, s));
    odd = b_eq(b, b_rem(b, s, hlo_like(h, s, 2)), b_one_like(b, s));
    v = b_mul(b, b_exp(b, b_lgamma(b, n1)), zeta(h, n1, q));
    v = b_select(b, odd, v, b_neg(b, v));
    return hlo_out(h, b_select(b, b_eq(b, s, hlo_like(h, s, 0)), b_digamma(b, q), v));
}
