/* bytes.c -- casts of dtypes that only store become arithmetic on their bytes.
 *
 *   requires   nothing
 *   keeps      values, bit for bit; inputs, results and those of sub-programs have their dtypes
 *   breaks     nothing
 *
 *   method   A cast reads or makes bytes (a bitcast, which costs nothing) by integer arithmetic that
 *            says what base/eight.c and op/scalar.c say. What picks or moves elements does so with
 *            bytes where kernels know no other. So targets know neither floats of 8 bits nor
 *            integers of 4.
 */
#include "opt/opt.h"

typedef struct Eight {
    wf_dtype dtype;
    int mantissa, bias, top, nan, over; /* codes: the largest number, NaN, what is larger */
} Eight;

static const Eight eights[] = {{WF_F8E4M3FN, 3, 7, 0x7E, 0x7F, 0x7F},
                               {WF_F8E5M2, 2, 15, 0x7B, 0x7E, 0x7C},
                               {WF_F8E4M3FNUZ, 3, 8, 0x7F, 0x80, 0x80},
                               {WF_F8E5M2FNUZ, 2, 16, 0x7F, 0x80, 0x80}};

static const Eight *eight_of(wf_dtype t)
{
    for (int i = 0; i < COUNT(eights); i++)
        if (eights[i].dtype == t)
            return &eights[i];
    return NULL;
}

static Val number(Builder *b, Val like, int64_t n) { return b_full_like(b, like, (double)n); }
static Val and_(Builder *b, Val x, int64_t n) { return b_and(b, x, number(b, x, n)); }
static Val plus(Builder *b, Val x, int64_t n) { return b_add(b, x, number(b, x, n)); }
static Val times(Builder *b, Val x, double by) { return b_mul(b, x, b_full_like(b, x, by)); }
static Val up(Builder *b, Val x, int by) { return b_shl(b, x, number(b, x, by)); }
static Val down(Builder *b, Val x, int by) { return b_shr_logical(b, x, number(b, x, by)); }
static Val above(Builder *b, Val x, int64_t n) { return b_gt(b, x, number(b, x, n)); }
static Val below(Builder *b, Val x, int64_t n) { return b_lt(b, x, number(b, x, n)); }
static Val equals(Builder *b, Val x, int64_t n) { return b_eq(b, x, number(b, x, n)); }

/* x where it holds, else y */
static Val either(Builder *b, Val holds, int64_t x, Val y)
{
    return b_select(b, holds, number(b, y, x), y);
}

static Val bits_of(Builder *b, Val x) { return b_bitcast(b, x, WF_I32); }
static double power(int e) { return e < 0 ? 1.0 / (double)((int64_t)1 << -e) : (double)((int64_t)1 << e); }

/* ---- from bytes -------------------------------------------------------------------- */

/* u: codes as i32 */
static Val powers(Builder *b, Val u)
{
    Val bits = up(b, u, 23);

    bits = either(b, equals(b, u, 0), 0x00400000, bits);
    return b_bitcast(b, either(b, equals(b, u, 255), 0x7FC00000, bits), WF_F32);
}

/* A number without a leading 1 is its mantissa times the least power. */
static Val floats(Builder *b, const Eight *f, Val u)
{
    bool uz = f->nan == 0x80;
    Val m = and_(b, u, 0x7F), sign = up(b, and_(b, u, 0x80), 24),
        small = bits_of(b, times(b, b_cast(b, m, WF_F32), power(1 - f->bias - f->mantissa))),
        bits = plus(b, up(b, m, 23 - f->mantissa), (int64_t)(127 - f->bias) << 23);

    bits = b_select(b, below(b, m, (int64_t)1 << f->mantissa), small, bits);
    if (!uz) {
        bits = either(b, above(b, m, f->top), 0x7FC00000, bits);
        if (f->over != f->nan)
            bits = either(b, equals(b, m, f->over), 0x7F800000, bits);
    }
    bits = b_or(b, bits, sign);
    return b_bitcast(b, uz ? either(b, equals(b, u, f->nan), 0x7FC00000, bits) : bits, WF_F32);
}

/* Of a storage dtype, in the one that is wide enough. */
static Val widened(Builder *b, Val x)
{
    wf_dtype t = b_dtype(b, x);
    Val u = b_cast(b, b_bitcast(b, x, WF_U8), WF_I32);

    switch (t) {
    case WF_U4: return b_cast(b, and_(b, u, 15), WF_U8);
    case WF_I4: u = and_(b, u, 15); return b_cast(b, plus(b, b_xor(b, u, number(b, u, 8)), -8), WF_I8);
    case WF_F8E8M0FNU: return powers(b, u);
    default: return floats(b, eight_of(t), u);
    }
}

/* ---- to bytes ---------------------------------------------------------------------- */

/* The nearest power of f32 x, as its code; ties up. What has none is NaN. */
static Val power_codes(Builder *b, Val x)
{
    Val bits = bits_of(b, x),
        least = b_cast(b, b_ge(b, bits, number(b, bits, 0x600000)), WF_I32),
        code = down(b, plus(b, bits, 0x400000), 23);

    code = b_select(b, below(b, bits, 0x800000), least, code);
    code = b_min(b, code, number(b, code, 255));
    return either(b, b_le(b, bits, number(b, bits, 0)), 255, code);
}

/* Nearest, ties to even: by the carry of an addition; adding 2^23 rounds numbers without a leading 1. */
static Val float_codes(Builder *b, const Eight *f, Val x)
{
    bool uz = f->nan == 0x80;
    int cut = 23 - f->mantissa;
    Val bits = bits_of(b, x), m = and_(b, bits, 0x7FFFFFFF), sign = and_(b, down(b, bits, 24), 0x80),
        odd = and_(b, down(b, m, cut), 1),
        tail = b_full_like(b, x, 0x1p23), small = b_add(b, times(b, b_bitcast(b, m, WF_F32), power(f->bias - 1 + f->mantissa)), tail),
        code = plus(b, down(b, b_add(b, plus(b, m, ((int64_t)1 << (cut - 1)) - 1), odd), cut),
                    -((int64_t)(127 - f->bias) << f->mantissa));

    small = plus(b, bits_of(b, small), -0x4B000000);
    code = b_select(b, below(b, m, (int64_t)(128 - f->bias) << 23), small, code);
    code = either(b, above(b, code, f->top), f->over, code);
    code = either(b, above(b, m, 0x7F800000), f->nan, code);
    if (uz) /* no -0, and NaN has its sign */
        sign = either(b, equals(b, code, 0), 0, sign);
    return b_or(b, code, sign);
}

/* Floats at the ends of the range where they are beyond, integers modulo 16. */
static Val fours(Builder *b, Val x, wf_dtype to)
{
    wf_dtype from = b_dtype(b, x);

    if (dtype_is_inexact(from)) {
        x = b_cast(b, x, dtype_wide(to));
        x = b_min(b, x, number(b, x, to == WF_I4 ? 7 : 15));
        x = to == WF_I4 ? b_max(b, x, number(b, x, -8)) : x;
    }
    return and_(b, b_cast(b, x, WF_I32), 15);
}

static Val narrowed(Builder *b, Val x, wf_dtype to)
{
    Val code;

    if (to == WF_I4 || to == WF_U4)
        code = fours(b, x, to);
    else {
        x = b_cast(b, x, WF_F32);
        code = to == WF_F8E8M0FNU ? power_codes(b, x) : float_codes(b, eight_of(to), x);
    }
    return b_bitcast(b, b_cast(b, code, WF_U8), to);
}

/* ---- the pass ---------------------------------------------------------------------- */

/* The op on bytes; the number that a gather fills with becomes its byte. */
static bool on_bytes(Builder *b, const EqnView *e, Val *out)
{
    Val *in = arena_array(&b->arena, e->nin + 1u, sizeof *in);
    wf_dtype t = (wf_dtype)e->in_type[e->op == OP_select].dtype;
    const void *attr = e->attr;
    GatherAttr gather;
    uint8_t fill;

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = dtype_is_storage((wf_dtype)e->in_type[i].dtype) ? b_bitcast(b, e->in[i], WF_U8) : e->in[i];
    if (e->op == OP_gather) {
        gather = *(const GatherAttr *)attr;
        element_from_f64(t, gather.fill, &fill);
        gather.fill = fill;
        attr = &gather;
    }
    out[0] = b_bitcast(b, b_eqn1(b, (OpCode)e->op, in, e->nin, attr), t);
    return true;
}

static bool store_eqn(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    wf_dtype from = e->nin ? (wf_dtype)e->in_type[e->op == OP_select].dtype : WF_INVALID, to;

    if (e->op != OP_cast && !dtype_is_storage(from))
        return false;
    switch (e->op) {
    case OP_cast:
        to = (wf_dtype)((const DtypeAttr *)e->attr)->dtype;
        if (!dtype_is_storage(from) && !dtype_is_storage(to))
            return false;
        out[0] = dtype_is_storage(from) ? widened(b, e->in[0]) : e->in[0];
        out[0] = dtype_is_storage(to) ? narrowed(b, out[0], to) : b_cast(b, out[0], to);
        return true;
    case OP_gather:
    case OP_scatter:
    case OP_select: return on_bytes(b, e, out);
    case OP_reshape:
    case OP_broadcast:
    case OP_transpose:
    case OP_slice:
    case OP_pad:
    case OP_concat:
    case OP_rev:
    case OP_dynamic_slice:
    case OP_dynamic_update_slice: return any_made_by(b, e, OP_bitcast) && on_bytes(b, e, out);
    default: return false;
    }
}

const Program *opt_bytes(const Opt *o, const Program *p)
{
    return program_has(p, dtype_is_storage) ? rewrite_with(o, p, NULL, store_eqn) : p;
}
