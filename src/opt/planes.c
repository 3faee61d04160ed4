/* planes.c -- complex arithmetic becomes arithmetic on two real arrays.
 *
 *   requires   nothing
 *   keeps      values but for the last bits; inputs, results and those of sub-programs are
 *              complex as before
 *   breaks     nothing
 *
 *   method   A complex value is made again as complex(re, im) of what computes its parts;
 *            an equation that reads it takes them back (the fold of real and imag), and
 *            where everyone does, the complex is dropped. So targets and kernels know real
 *            numbers only, and whatever is fused, vectorised or multiplied fast for those
 *            is so for complex ones. Complex remain inputs and results; what is only moved
 *            between them; and ops without a rule here (fft, linear algebra, inverse
 *            functions), which the library runs as they are.
 */
#include "opt/opt.h"

#include <math.h>

typedef struct Two {
    Val re, im;
} Two;

/* The parts of v; of a real value itself and nothing. */
static Two parts(Builder *b, Val v)
{
    if (!dtype_is_complex(b_dtype(b, v)))
        return (Two){v, VAL_NONE};
    return (Two){b_real(b, v), b_imag(b, v)};
}

static Val joined(Builder *b, Two z) { return b_complex(b, z.re, z.im); }

/* ---- functions --------------------------------------------------------------------- */

static Val full(Builder *b, Val like, double x) { return b_full_like(b, like, x); }
static Val scaled(Builder *b, Val x, double by) { return b_mul(b, x, full(b, x, by)); }
static Val is_zero(Builder *b, Val x) { return b_eq(b, x, b_zeros_like(b, x)); }
static Val is_none(Builder *b, Two x)
{
    Val im = is_zero(b, x.im);

    return b_and(b, is_zero(b, x.re), im);
}

/* |x| without overflow: m sqrt(1 + (n/m)^2), m the larger of the two; inf beats NaN. */
static Val modulus(Builder *b, Two x)
{
    Val re = b_abs(b, x.re), im = b_abs(b, x.im), m = b_max(b, re, im),
        n = b_min(b, re, im);
    Val one = b_one_like(b, m), q = b_div(b, n, b_select(b, is_zero(b, m), one, m)),
        inf = full(b, m, (double)INFINITY);
    Val q2 = b_mul(b, q, q), y = b_mul(b, m, b_sqrt(b, b_add(b, b_one_like(b, q), q2)));
    Val far = b_eq(b, im, inf);

    return b_select(b, b_or(b, b_eq(b, re, inf), far), inf, y);
}

static Two times(Builder *b, Two x, Two y)
{
    Val ii = b_mul(b, x.im, y.im), re = b_sub(b, b_mul(b, x.re, y.re), ii);
    Val ir = b_mul(b, x.im, y.re), im = b_add(b, b_mul(b, x.re, y.im), ir);

    return (Two){re, im};
}

/* By the larger part of y, see op/pair.h; x / 0 is each part by 0. */
static Two over(Builder *b, Two x, Two y)
{
    Val c = b_abs(b, y.re), d = b_abs(b, y.im), first = b_ge(b, c, d);
    Val big = b_select(b, first, y.re, y.im), small = b_select(b, first, y.im, y.re);
    Val none = is_none(b, y);
    Val r = b_div(b, small, b_select(b, none, b_one_like(b, big), big));
    Val size = b_add(b, big, b_mul(b, small, r)), scale = b_div(b, b_one_like(b, r), size);
    Val x_r = b_mul(b, x.re, r), i_r = b_mul(b, x.im, r);
    Val re = b_add(b, x_r, x.im), im = b_sub(b, i_r, x.re);

    re = b_select(b, first, b_add(b, x.re, i_r), re);
    im = b_select(b, first, b_sub(b, x.im, x_r), im);
    re = b_mul(b, re, scale);
    re = b_select(b, none, b_div(b, x.re, c), re);
    im = b_mul(b, im, scale);
    im = b_select(b, none, b_div(b, x.im, d), im);
    return (Two){re, im};
}

/* e^a (cos b, sin b); a factor of 0 is 0 even where e^a is infinite. */
static Two exponential(Builder *b, Two x)
{
    Val e = b_exp(b, x.re), im = b_mul(b, e, b_sin(b, x.im)), re = b_mul(b, e, b_cos(b, x.im));

    re = b_select(b, is_zero(b, x.im), e, re);
    im = b_select(b, is_zero(b, x.im), x.im, im);
    return (Two){re, im};
}

/* ln |x| by log1p where |x| is near 1, so that nothing cancels. */
static Two logarithm(Builder *b, Two x)
{
    Val re = b_abs(b, x.re), im = b_abs(b, x.im), m = b_max(b, re, im),
        n = b_min(b, re, im);
    Val one = b_one_like(b, m);
    Val far = b_lt(b, m, full(b, m, 2)), near = b_and(b, b_gt(b, m, full(b, m, 0.5)), far);
    Val n2 = b_mul(b, n, n), more = b_add(b, m, one), off = b_add(b, b_mul(b, b_sub(b, m, one), more), n2);
    Val close = scaled(b, b_log1p(b, b_select(b, near, off, b_zeros_like(b, off))), 0.5);

    re = b_select(b, near, close, b_log(b, modulus(b, x)));
    return (Two){re, b_atan2(b, x.im, x.re)};
}

/* t = sqrt((|a| + |x|) / 2), of eighths so that it does not overflow: (t, |b| / 2t) where a >= 0, else
 * (|b| / 2t, t); the imaginary part with the sign of b, which atan2 tells of -0 too. */
static Two square_root(Builder *b, Two x)
{
    Val a = scaled(b, x.re, 0.125), zero = b_zeros_like(b, a);
    Val m = modulus(b, (Two){a, scaled(b, x.im, 0.125)});
    Val t = scaled(b, b_sqrt(b, b_add(b, b_abs(b, a), m)), 2), none = is_zero(b, t);
    Val twice = scaled(b, b_select(b, none, b_one_like(b, t), t), 2), other = b_div(b, b_abs(b, x.im), twice);
    Val right = b_ge(b, x.re, zero), im = b_select(b, right, other, t);
    Val minus = b_lt(b, b_atan2(b, x.im, full(b, a, -1)), zero);

    im = b_select(b, none, x.im, b_select(b, minus, b_neg(b, im), im));
    return (Two){b_select(b, right, t, other), im};
}

static Two sine(Builder *b, Two x)
{
    Val c = b_cosh(b, x.im), re = b_mul(b, b_sin(b, x.re), c), s = b_sinh(b, x.im);

    return (Two){re, b_mul(b, b_cos(b, x.re), s)};
}

static Two cosine(Builder *b, Two x)
{
    Val c = b_cosh(b, x.im), re = b_mul(b, b_cos(b, x.re), c), s = b_sinh(b, x.im);

    return (Two){re, b_neg(b, b_mul(b, b_sin(b, x.re), s))};
}

static Two turned(Builder *b, Two x) { return (Two){b_neg(b, x.im), x.re}; } /* i x */
static Two unturned(Builder *b, Two x) { return (Two){x.im, b_neg(b, x.re)}; }

static bool function_of(Builder *b, unsigned op, Two x, Two y, Two *z)
{
    Two one = {b_one_like(b, x.re), b_zeros_like(b, x.re)}, minus;

    switch (op) {
    case OP_neg: *z = (Two){b_neg(b, x.re), b_neg(b, x.im)}; return true;
    case OP_conj: *z = (Two){x.re, b_neg(b, x.im)}; return true;
    case OP_add: *z = (Two){b_add(b, x.re, y.re), b_add(b, x.im, y.im)}; return true;
    case OP_sub: *z = (Two){b_sub(b, x.re, y.re), b_sub(b, x.im, y.im)}; return true;
    case OP_mul: *z = times(b, x, y); return true;
    case OP_div: *z = over(b, x, y); return true;
    case OP_exp: *z = exponential(b, x); return true;
    case OP_log: *z = logarithm(b, x); return true;
    case OP_sqrt: *z = square_root(b, x); return true;
    case OP_rsqrt: *z = over(b, one, square_root(b, x)); return true;
    case OP_sin: *z = sine(b, x); return true;
    case OP_cos: *z = cosine(b, x); return true;
    case OP_sinh: *z = unturned(b, sine(b, turned(b, x))); return true;
    case OP_cosh: *z = cosine(b, turned(b, x)); return true;
    case OP_logistic:
        minus = exponential(b, (Two){b_neg(b, x.re), b_neg(b, x.im)});
        *z = over(b, one, (Two){b_add(b, minus.re, one.re), minus.im});
        return true;
    default: return false;
    }
}

/* ---- elementwise ------------------------------------------------------------------- */

static bool before_map(Builder *b, const EqnView *e, Val *out)
{
    Two x = parts(b, e->in[e->op == OP_select]), y = {VAL_NONE, VAL_NONE}, z;
    Val im;

    if (e->nin > 1)
        y = parts(b, e->in[e->nin - 1]);
    switch (e->op) {
    case OP_abs: out[0] = modulus(b, x); return true;
    case OP_eq:
        im = b_eq(b, x.im, y.im);
        out[0] = b_and(b, b_eq(b, x.re, y.re), im);
        return true;
    case OP_ne:
        im = b_ne(b, x.im, y.im);
        out[0] = b_or(b, b_ne(b, x.re, y.re), im);
        return true;
    case OP_select:
        out[0] = joined(b, (Two){b_select(b, e->in[0], x.re, y.re),
                                 b_select(b, e->in[0], x.im, y.im)});
        return true;
    default: break;
    }
    if (!function_of(b, e->op, x, y, &z))
        return false;
    out[0] = joined(b, z);
    return true;
}

static bool before_cast(Builder *b, const EqnView *e, Val *out)
{
    wf_dtype to = (wf_dtype)((const DtypeAttr *)e->attr)->dtype;
    Two x = parts(b, e->in[0]);

    if (to == WF_BOOL)
        out[0] = b_not(b, is_none(b, x));
    else if (!dtype_is_complex(to))
        out[0] = b_cast(b, x.re, to);
    else {
        x.re = b_cast(b, x.re, dtype_part(to));
        x.im = x.im ? b_cast(b, x.im, dtype_part(to)) : b_zeros_like(b, x.re);
        out[0] = joined(b, x);
    }
    return true;
}

/* ---- sums of products -------------------------------------------------------------- */

static Val product(Builder *b, const EqnView *e, Val x, Val y)
{
    DotAttr dot;
    ConvAttr conv;

    if (!x || !y)
        return VAL_NONE;
    if (e->op == OP_dot_general) {
        dot = *(const DotAttr *)e->attr;
        dot.acc = (int32_t)dtype_part((wf_dtype)dot.acc);
        return b_eqn1(b, OP_dot_general, (Val[]){x, y}, 2, &dot);
    }
    conv = *(const ConvAttr *)e->attr;
    conv.acc = (int32_t)dtype_part((wf_dtype)conv.acc);
    return b_eqn1(b, OP_conv_general, (Val[]){x, y}, 2, &conv);
}

static bool before_product(Builder *b, const EqnView *e, Val *out)
{
    Two x = parts(b, e->in[0]), y = parts(b, e->in[1]);
    Val re = product(b, e, x.re, y.re), minus = product(b, e, x.im, y.im);
    Val im = product(b, e, x.re, y.im), more = product(b, e, x.im, y.re);

    if (b_failed(b))
        return false;
    re = minus ? b_sub(b, re, minus) : re;
    im = im && more ? b_add(b, im, more) : im ? im : more ? more : b_zeros_like(b, re);
    out[0] = b_complex(b, re, im);
    return true;
}

/* ---- one plane after the other ----------------------------------------------------- */

/* The op on the real parts of all complex operands, and on the imaginary ones; indices and the like are those
 * of both. The number that a gather fills with is real. */
static bool before_each(Builder *b, const EqnView *e, Val *out)
{
    Val *re = arena_array(&b->arena, e->nin + 1u, sizeof *re);
    Val *im = arena_array(&b->arena, e->nin + 1u, sizeof *im);
    GatherAttr gather;
    const void *attr = e->attr;
    Val x;

    for (uint32_t i = 0; i < e->nin; i++) {
        Two t = parts(b, e->in[i]);

        re[i] = t.re;
        im[i] = t.im ? t.im : t.re;
    }
    x = b_eqn1(b, (OpCode)e->op, re, e->nin, attr);
    if (e->op == OP_gather) {
        gather = *(const GatherAttr *)attr;
        gather.fill = 0;
        attr = &gather;
    }
    out[0] = b_complex(b, x, b_eqn1(b, (OpCode)e->op, im, e->nin, attr));
    return true;
}

/* Keys of two parts become two keys. */
static bool before_sort(Builder *b, const EqnView *e, Val *out)
{
    SortAttr a = *(const SortAttr *)e->attr;
    Val *in = arena_array(&b->arena, 2u * e->nin, sizeof *in), *sorted;
    int64_t *down = arena_array(&b->arena, 2u * e->nin, sizeof *down);
    uint32_t n = 0, keys = 0, k = 0;

    for (uint32_t i = 0; i < e->nin; i++) {
        Two t = parts(b, e->in[i]);
        bool key = i < (uint32_t)a.keys;

        for (int part = 0; part < (t.im ? 2 : 1); part++, keys += key) {
            if (key)
                down[keys] = a.descending.n ? a.descending.v[i] : 0;
            in[n++] = part ? t.im : t.re;
        }
    }
    a.keys = keys;
    a.descending = (Ints){a.descending.n ? keys : 0, down};
    sorted = b_eqn_n(b, OP_sort, in, n, &a, &n);
    for (uint32_t i = 0; i < e->nin && !b_failed(b); i++) {
        bool two = dtype_is_complex((wf_dtype)e->in_type[i].dtype);

        out[i] = two ? b_complex(b, sorted[k], sorted[k + 1]) : sorted[k];
        k += two ? 2 : 1;
    }
    return !b_failed(b);
}

static bool before_nonzero(Builder *b, const EqnView *e, Val *out)
{
    Val x = b_cast(b, e->in[0], WF_BOOL);

    out[0] = b_eqn1(b, OP_nonzero, &x, 1, e->attr);
    return true;
}

static bool reads_complex(const EqnView *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (dtype_is_complex((wf_dtype)e->in_type[i].dtype))
            return true;
    return false;
}

static bool split_eqn(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;

    if (e->op == OP_cast &&
        dtype_is_complex((wf_dtype)((const DtypeAttr *)e->attr)->dtype))
        return before_cast(b, e, out);
    if (e->op == OP_dot_general && dtype_is_complex((wf_dtype)((const DotAttr *)e->attr)->acc))
        return before_product(b, e, out);
    if (!reads_complex(e) || e->op == OP_real || e->op == OP_imag)
        return false;
    switch (e->op) {
    case OP_cast: return before_cast(b, e, out);
    case OP_dot_general:
    case OP_conv_general: return before_product(b, e, out);
    case OP_reduce_sum:
    case OP_cumsum:
    case OP_reduce_window_sum:
    case OP_gather:
    case OP_scatter:
    case OP_scatter_add: return before_each(b, e, out);
    case OP_reshape:
    case OP_broadcast:
    case OP_transpose:
    case OP_slice:
    case OP_pad:
    case OP_concat:
    case OP_rev:
    case OP_dynamic_slice:
    case OP_dynamic_update_slice: return any_made_by(b, e, OP_complex) && before_each(b, e, out); /* else what reads it takes its parts */
    case OP_sort: return before_sort(b, e, out);
    case OP_nonzero: return before_nonzero(b, e, out);
    default: return is_map(e->op) && before_map(b, e, out);
    }
}

const Program *opt_planes(const Opt *o, const Program *p)
{
    return program_has(p, dtype_is_complex) ? rewrite_with(o, p, NULL, split_eqn) : p;
}
