/* test_scalar.c -- the elementwise ops on one element: bytes exhaustively against plain C
 * arithmetic, wide integers, floats and casts at their edges, erf_inv against digits
 * computed with 40 decimals.
 */
#include "test.h"

#include "base/special.h"
#include "op/scalar.h"

#include <math.h>

static Scalar num(wf_dtype t, double x)
{
    return dtype_is_float(t) ? (Scalar){.f = x} : (Scalar){.u = (uint64_t)(int64_t)x};
}

/* op(x, y) stored in dtype t and read back, as a double */
static double apply(unsigned op, wf_dtype t, double x, double y)
{
    Scalar in[2] = {num(t, x), num(t, y)}, r = scalar_apply(op, t, in);
    uint64_t element = 0;

    scalar_store(t, &element, 0, r);
    r = scalar_load(t, &element, 0);
    if (dtype_is_float(t))
        return r.f;
    return dtype_is_signed(t) ? (double)(int64_t)r.u : (double)r.u;
}

static int64_t apply_i64(unsigned op, int64_t x, int64_t y)
{
    Scalar in[2] = {{.u = (uint64_t)x}, {.u = (uint64_t)y}};

    return (int64_t)scalar_apply(op, WF_I64, in).u;
}

static bool holds(unsigned op, wf_dtype t, double x, double y)
{
    return scalar_apply(op, t, (Scalar[]){num(t, x), num(t, y)}).u != 0;
}

static bool same(double a, double b) /* NaN is NaN, -0 is not 0 */
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* ---- bytes, every pair ---- */

/* x^y by repeated multiplication, wrapped to a byte at every step */
static int power(int x, int y, bool is_signed)
{
    int r = 1;

    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    for (int i = 0; i < y; i++)
        r = is_signed ? (int8_t)(r * x) : (uint8_t)(r * x);
    return r;
}

static int reference(unsigned op, int x, int y, bool is_signed)
{
    int bits = x & 255, amount = y & 255;

    switch (op) {
    case OP_add: return x + y;
    case OP_sub: return x - y;
    case OP_mul: return x * y;
    case OP_div: return y ? x / y : -1;
    case OP_rem: return y ? x % y : x;
    case OP_pow: return power(x, y, is_signed);
    case OP_max: return x > y ? x : y;
    case OP_min: return x < y ? x : y;
    case OP_and: return x & y;
    case OP_or: return x | y;
    case OP_xor: return x ^ y;
    case OP_shl: return amount < 8 ? bits * (1 << amount) : 0;
    case OP_shr_logical: return amount < 8 ? bits / (1 << amount) : 0;
    case OP_shr_arith:
        return amount < 8 ? (int)floor((bits < 128 ? bits : bits - 256) / exp2(amount))
                          : (bits < 128 ? 0 : -1);
    case OP_eq: return x == y;
    case OP_ne: return x != y;
    case OP_lt: return x < y;
    case OP_le: return x <= y;
    case OP_gt: return x > y;
    case OP_ge: return x >= y;
    case OP_neg: return -x;
    case OP_abs: return x < 0 ? -x : x;
    case OP_sign: return x < 0 ? -1 : x > 0;
    case OP_not: return ~x;
    default: return 12345;
    }
}

static const unsigned int_ops[] = {
    OP_add, OP_sub, OP_mul, OP_div, OP_rem,         OP_pow,       OP_max,  OP_min,
    OP_and, OP_or,  OP_xor, OP_shl, OP_shr_logical, OP_shr_arith, OP_eq,   OP_ne,
    OP_lt,  OP_le,  OP_gt,  OP_ge,  OP_neg,         OP_abs,       OP_sign, OP_not};

/* The element of dtype t that a double becomes, its bits as an unsigned number. */
static uint64_t element_of(wf_dtype t, double x)
{
    uint64_t bits = 0;

    element_from_f64(t, x, &bits);
    return bits;
}

TEST(doubles_become_integers_modulo_the_dtype_and_stop_at_64_bits)
{
    CHECK(element_of(WF_U8, -1) == 255 && element_of(WF_U8, 256 + 7) == 7 && element_of(WF_U8, 2.9) == 2);
    CHECK(element_of(WF_I8, 300) == 44 && element_of(WF_I8, -1) == 255);
    CHECK(element_of(WF_U16, -2) == 65534 && element_of(WF_I32, 0x1p32 + 5) == 5 && element_of(WF_U32, -1) == UINT32_MAX);
    CHECK(element_of(WF_I64, 1e300) == INT64_MAX && element_of(WF_I64, -1e300) == (uint64_t)INT64_MIN);
    CHECK(element_of(WF_U64, 0x1p63) == (uint64_t)1 << 63 && element_of(WF_U64, 1e300) == UINT64_MAX);
    CHECK(element_of(WF_U64, -1) == UINT64_MAX && element_of(WF_I32, (double)NAN) == 0 && element_of(WF_U8, (double)INFINITY) == 255);
}

TEST(bytes_equal_plain_arithmetic_for_every_pair)
{
    for (int is_signed = 0; is_signed < 2; is_signed++)
        for (int k = 0; k < COUNT(int_ops) && check_ok(); k++)
            for (int i = 0; i < 65536 && check_ok(); i++) {
                wf_dtype t = is_signed ? WF_I8 : WF_U8;
                int x = is_signed ? (int8_t)(i & 255) : (i & 255);
                int y = is_signed ? (int8_t)(i >> 8) : (i >> 8);
                int want = reference(int_ops[k], x, y, is_signed);
                bool test = int_ops[k] >= OP_eq && int_ops[k] <= OP_ge;

                if (!test)
                    want = is_signed ? (int8_t)want : (uint8_t)want;
                int got =
                    test ? holds(int_ops[k], t, x, y) : (int)apply(int_ops[k], t, x, y);
                if (got != want)
                    FAIL("%s %s of %d and %d is %d, not %d", op_name(int_ops[k]),
                         wf_dtype_name(t), x, y, got, want);
            }
}

TEST(bools_are_one_bit)
{
    for (int x = 0; x < 2; x++) {
        CHECK_EQ_INT(apply(OP_not, WF_BOOL, x, 0), !x);
        for (int y = 0; y < 2; y++) {
            CHECK_EQ_INT(apply(OP_and, WF_BOOL, x, y), x && y);
            CHECK_EQ_INT(apply(OP_or, WF_BOOL, x, y), x || y);
            CHECK_EQ_INT(apply(OP_xor, WF_BOOL, x, y), x != y);
            CHECK_EQ_INT(apply(OP_max, WF_BOOL, x, y), x || y);
            CHECK_EQ_INT(apply(OP_min, WF_BOOL, x, y), x && y);
            CHECK_EQ_INT(holds(OP_lt, WF_BOOL, x, y), !x && y);
        }
    }
}

TEST(wide_integers_wrap_and_divide_without_trouble)
{
    CHECK_EQ_INT(apply_i64(OP_add, INT64_MAX, 1), INT64_MIN);
    CHECK_EQ_INT(apply_i64(OP_sub, INT64_MIN, 1), INT64_MAX);
    CHECK_EQ_INT(apply_i64(OP_mul, INT64_MAX, 2), -2);
    CHECK_EQ_INT(apply_i64(OP_neg, INT64_MIN, 0), INT64_MIN);
    CHECK_EQ_INT(apply_i64(OP_abs, INT64_MIN, 0), INT64_MIN);
    CHECK_EQ_INT(apply_i64(OP_div, INT64_MIN, -1), INT64_MIN);
    CHECK_EQ_INT(apply_i64(OP_rem, INT64_MIN, -1), 0);
    CHECK_EQ_INT(apply_i64(OP_div, 7, 0), -1);
    CHECK_EQ_INT(apply_i64(OP_rem, 7, 0), 7);
    CHECK_EQ_INT(apply_i64(OP_pow, 3, 40), 12157665459056928801u);
    CHECK_EQ_INT(apply_i64(OP_pow, -1, INT64_MIN), 1);
    CHECK_EQ_INT(apply_i64(OP_shl, 1, 63), INT64_MIN);
    CHECK_EQ_INT(apply_i64(OP_shl, 1, 64), 0);
    CHECK_EQ_INT(apply_i64(OP_shr_logical, -1, 63), 1);
    CHECK_EQ_INT(apply_i64(OP_shr_arith, INT64_MIN, 62), -2);
    CHECK_EQ_INT(apply_i64(OP_shr_arith, -5, -1), -1);
    CHECK_EQ_INT(apply(OP_div, WF_U32, 7, 0), 4294967295);
    CHECK_EQ_INT(apply(OP_div, WF_I16, -32768, -1), -32768);
    CHECK_EQ_INT(apply(OP_add, WF_U16, 65535, 1), 0);
}

/* ---- floats ---- */

TEST(float_edges)
{
    static const struct {
        unsigned op;
        double x, y, want;
    } cases[] = {
        {OP_max, -0.0, 0.0, 0.0},
        {OP_max, 0.0, -0.0, 0.0},
        {OP_min, -0.0, 0.0, -0.0},
        {OP_min, 0.0, -0.0, -0.0},
        {OP_max, NAN, 1, NAN},
        {OP_max, 1, NAN, NAN},
        {OP_min, -INFINITY, NAN, NAN},
        {OP_sign, -0.0, 0, -0.0},
        {OP_sign, NAN, 0, NAN},
        {OP_sign, -INFINITY, 0, -1},
        {OP_abs, -0.0, 0, 0.0},
        {OP_neg, 0.0, 0, -0.0},
        {OP_round, 0.5, 0, 0.0},
        {OP_round, 1.5, 0, 2},
        {OP_round, 2.5, 0, 2},
        {OP_round, -0.5, 0, -0.0},
        {OP_ceil, -0.5, 0, -0.0},
        {OP_floor, -0.0, 0, -0.0},
        {OP_floor, INFINITY, 0, INFINITY},
        {OP_rem, 5.5, -2, 1.5},
        {OP_rem, -5.5, 2, -1.5},
        {OP_rem, -4, 2, -0.0},
        {OP_rem, 1, 0, NAN},
        {OP_rem, INFINITY, 1, NAN},
        {OP_rem, 3, INFINITY, 3},
        {OP_div, 1, 0, INFINITY},
        {OP_div, 1, -0.0, -INFINITY},
        {OP_div, 0, 0, NAN},
        {OP_pow, NAN, 0, 1},
        {OP_pow, 1, NAN, 1},
        {OP_pow, 0, -1, INFINITY},
        {OP_pow, -8, 1.0 / 3, NAN},
        {OP_pow, -2, 3, -8},
        {OP_atan2, 0.0, -0.0, M_PI},
        {OP_atan2, -0.0, 0.0, -0.0},
        {OP_atan2, INFINITY, INFINITY, M_PI_4},
        {OP_log, 0, 0, -INFINITY},
        {OP_log, -1, 0, NAN},
        {OP_log1p, -1, 0, -INFINITY},
        {OP_log1p, 1e-300, 0, 1e-300},
        {OP_expm1, -INFINITY, 0, -1},
        {OP_expm1, 1e-300, 0, 1e-300},
        {OP_exp, 1000, 0, INFINITY},
        {OP_sqrt, -0.0, 0, -0.0},
        {OP_sqrt, -1, 0, NAN},
        {OP_rsqrt, 0.0, 0, INFINITY},
        {OP_rsqrt, -0.0, 0, -INFINITY},
        {OP_rsqrt, INFINITY, 0, 0.0},
        {OP_logistic, -INFINITY, 0, 0.0},
        {OP_logistic, INFINITY, 0, 1},
        {OP_logistic, 0, 0, 0.5},
        {OP_logistic, -800, 0, 0.0},
        {OP_tanh, -0.0, 0, -0.0},
        {OP_sin, INFINITY, 0, NAN},
        {OP_erf, INFINITY, 0, 1},
        {OP_erf_inv, 1, 0, INFINITY},
        {OP_erf_inv, -1, 0, -INFINITY},
        {OP_erf_inv, 1.5, 0, NAN},
        {OP_erf_inv, NAN, 0, NAN},
        {OP_erf_inv, -0.0, 0, -0.0},
    };

    for (int i = 0; i < COUNT(cases); i++) {
        double got = apply(cases[i].op, WF_F64, cases[i].x, cases[i].y);

        if (!same(got, cases[i].want))
            FAIL("%s of %g and %g is %g, not %g", op_name(cases[i].op), cases[i].x,
                 cases[i].y, got, cases[i].want);
    }
    CHECK(apply(OP_logistic, WF_F64, -700, 0) == exp(-700));
}

TEST(only_ne_holds_for_nan)
{
    for (unsigned op = OP_eq; op <= OP_ge; op++) {
        CHECK_EQ_INT(holds(op, WF_F32, NAN, 1), op == OP_ne);
        CHECK_EQ_INT(holds(op, WF_F32, NAN, NAN), op == OP_ne);
        CHECK_EQ_INT(holds(op, WF_F32, -0.0, 0.0), holds(op, WF_F32, 1, 1));
    }
    CHECK(holds(OP_is_finite, WF_F64, 1e308, 0));
    CHECK(!holds(OP_is_finite, WF_F64, INFINITY, 0));
    CHECK(!holds(OP_is_finite, WF_F64, NAN, 0));
}

TEST(arithmetic_in_f32_equals_the_machine)
{
    for (int i = 0; i < 200000 && check_ok(); i++) {
        uint32_t a = (uint32_t)test_random(), b = (uint32_t)test_random();
        float x, y;

        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        volatile float add = x + y, mul = x * y, div = x / y, root = sqrtf(x);
        CHECK(same(apply(OP_add, WF_F32, (double)x, (double)y), (double)add));
        CHECK(same(apply(OP_mul, WF_F32, (double)x, (double)y), (double)mul));
        CHECK(same(apply(OP_div, WF_F32, (double)x, (double)y), (double)div));
        CHECK(same(apply(OP_sqrt, WF_F32, (double)x, 0), (double)root));
    }
}

TEST(halves_round_once)
{
    CHECK(apply(OP_add, WF_F16, 2048, 1) == 2048); /* ties to even */
    CHECK(apply(OP_add, WF_F16, 2050, 1) == 2052);
    CHECK(apply(OP_mul, WF_F16, 60000, 2) == INFINITY);
    CHECK(apply(OP_add, WF_BF16, 256, 1) == 256);
    CHECK(apply(OP_add, WF_BF16, 258, 1) == 260);
    CHECK(apply(OP_exp, WF_F16, 11, 0) == 59872); /* 59874.14 to 11 bits */
    CHECK(apply(OP_div, WF_F16, 1, 3) == 0.333251953125);
}

TEST(erf_inv_is_within_two_ulp)
{
    static const double table[][2] = {
        {0x0.0000000000001p-1022, 0x0.0000000000001p-1022},
        {0x1.56e1fc2f8f359p-997, 0x1.2fdf36bf69b9fp-997},
        {0x1.19799812dea11p-40, 0x1.f2e6c291f30e8p-41},
        {0x1.54295227cdcbep-27, 0x1.2d75cfb1908ddp-27},
        {0x1.79f505f35670cp-27, 0x1.4ef4ade1bd0f6p-27},
        {0x1.a36e2eb1c432dp-14, 0x1.73b5e44c617bcp-14},
        {0x1.999999999999ap-4, 0x1.6bf442539fd74p-4},
        {0x1.0000000000000p-2, 0x1.cd70681d5ff70p-3},
        {0x1.ffffbce4217d3p-2, 0x1.e861b1083ed15p-2},
        {0x1.0000000000000p-1, 0x1.e861fbb24c00ap-2},
        {0x1.0000218def417p-1, 0x1.e862465c5e616p-2},
        {0x1.6666666666666p-1, 0x1.773a9da42b44fp-1},
        {0x1.8000000000000p-1, 0x1.a07890f6b2ba1p-1},
        {0x1.ccccccccccccdp-1, 0x1.29c0146770651p+0},
        {0x1.e666666666666p-1, 0x1.62ca97d0fbb2ap+0},
        {0x1.fae147ae147aep-1, 0x1.d2466082bb20ep+0},
        {0x1.ff7ced916872bp-1, 0x1.29d311405cdb4p+1},
        {0x1.ffffde7210be9p-1, 0x1.babd964830d58p+1},
        {0x1.fffffff800000p-1, 0x1.14fe6a4f2e9d0p+2},
        {0x1.fffffffffff00p-1, 0x1.582d58eaccf1fp+2},
        {0x1.ffffffffffffep-1, 0x1.73856d153f081p+2},
        {0x1.fffffffffffffp-1, 0x1.7744f8f74e94ap+2},
    };

    for (int i = 0; i < COUNT(table); i++) {
        double x = table[i][0], want = table[i][1];
        double ulp = nextafter(want, INFINITY) - want, got = erf_inverse(x);

        if (!(fabs(got - want) <= 2 * ulp))
            FAIL("erf_inv(%a) is %a, not %a", x, got, want);
        CHECK(erf_inverse(-x) == -got);
    }
}

/* ---- casts ---- */

static double cast(wf_dtype from, wf_dtype to, Scalar x)
{
    uint64_t element = 0;

    scalar_store(to, &element, 0, scalar_cast(from, to, x));
    x = scalar_load(to, &element, 0);
    if (dtype_is_float(to))
        return x.f;
    return dtype_is_signed(to) ? (double)(int64_t)x.u : (double)x.u;
}

static double cast_f64(wf_dtype to, double x)
{
    return cast(WF_F64, to, (Scalar){.f = x});
}

TEST(casts_of_floats_truncate_and_saturate)
{
    static const struct {
        wf_dtype t;
        double lo, hi;
    } range[] = {{WF_I8, -128, 127},
                 {WF_I16, -32768, 32767},
                 {WF_I32, -2147483648.0, 2147483647.0},
                 {WF_U8, 0, 255},
                 {WF_U16, 0, 65535},
                 {WF_U32, 0, 4294967295.0}};

    for (int i = 0; i < COUNT(range); i++) {
        wf_dtype t = range[i].t;

        CHECK(cast_f64(t, 1e30) == range[i].hi);
        CHECK(cast_f64(t, -1e30) == range[i].lo);
        CHECK(cast_f64(t, INFINITY) == range[i].hi);
        CHECK(cast_f64(t, -INFINITY) == range[i].lo);
        CHECK(cast_f64(t, range[i].hi + 0.75) == range[i].hi);
        CHECK(cast_f64(t, range[i].lo - 0.75) == range[i].lo);
        CHECK(cast_f64(t, NAN) == 0);
        CHECK(cast_f64(t, 2.99) == 2);
        CHECK(cast_f64(t, -2.99) == (range[i].lo < 0 ? -2 : 0));
    }
    CHECK(scalar_cast(WF_F64, WF_I64, (Scalar){.f = 1e30}).u == (uint64_t)INT64_MAX);
    CHECK(scalar_cast(WF_F64, WF_I64, (Scalar){.f = -1e30}).u == (uint64_t)INT64_MIN);
    CHECK(scalar_cast(WF_F64, WF_U64, (Scalar){.f = 1e30}).u == UINT64_MAX);
    CHECK(scalar_cast(WF_F64, WF_U64, (Scalar){.f = 0x1p63}).u == (uint64_t)1 << 63);
    CHECK(cast_f64(WF_BOOL, NAN) == 1);
    CHECK(cast_f64(WF_BOOL, -0.0) == 0);
    CHECK(cast_f64(WF_BOOL, 0.25) == 1);
    CHECK(cast_f64(WF_F16, 65520) == INFINITY);
    CHECK(cast_f64(WF_F16, 65519) == 65504);
}

static const wf_dtype eights[] = {WF_F8E4M3FN, WF_F8E5M2, WF_F8E4M3FNUZ, WF_F8E5M2FNUZ, WF_F8E8M0FNU};

/* Every code comes back; every middle of two neighbours, and what is a little off it, goes to the nearest code, even
 * ones first (of powers: the larger). */
TEST(floats_of_8_bits_round_to_the_nearest_code)
{
    for (int k = 0; k < COUNT(eights); k++) {
        wf_dtype t = eights[k];

        for (int code = 0; code < 256; code++) {
            float x = f8_to_f32(t, (uint8_t)code), y, middle;

            CHECK(f8_is_nan(t, (uint8_t)code) == (x != x));
            CHECK(f8_from_f32(t, x) == code || x != x);
            if (code >= (t == WF_F8E8M0FNU ? 255 : 127) || x != x)
                continue;
            y = f8_to_f32(t, (uint8_t)(code + 1));
            if (y != y || isinf(y))
                continue;
            CHECK(x < y);
            middle = x + (y - x) / 2;
            CHECK(f8_from_f32(t, middle) == (code & 1 || t == WF_F8E8M0FNU ? code + 1 : code));
            CHECK(f8_from_f32(t, nextafterf(middle, 0)) == code);
            CHECK(f8_from_f32(t, nextafterf(middle, y)) == code + 1);
        }
    }
    CHECK(cast_f64(WF_F32, f8_to_f32(WF_F8E4M3FN, 0x7E)) == 448 && cast_f64(WF_F32, f8_to_f32(WF_F8E5M2, 0x7B)) == 57344);
    CHECK(f8_to_f32(WF_F8E4M3FNUZ, 0x7F) == 240 && f8_to_f32(WF_F8E5M2FNUZ, 0x7F) == 57344);
    CHECK(f8_from_f32(WF_F8E4M3FN, 464) == 0x7E && f8_from_f32(WF_F8E4M3FN, 465) == 0x7F && f8_from_f32(WF_F8E5M2, 1e9f) == 0x7C);
    CHECK(f8_from_f32(WF_F8E4M3FNUZ, -0.0f) == 0 && f8_from_f32(WF_F8E5M2FNUZ, (float)INFINITY) == 0x80);
    CHECK(f8_from_f32(WF_F8E8M0FNU, 0) == 0xFF && f8_from_f32(WF_F8E8M0FNU, -1) == 0xFF);
}

TEST(casts_of_integers_wrap_and_round_once)
{
    CHECK(cast(WF_I32, WF_U8, (Scalar){.u = 300}) == 44);
    CHECK(cast(WF_I32, WF_I8, (Scalar){.u = 200}) == -56);
    CHECK(cast(WF_I8, WF_U16, (Scalar){.u = (uint64_t)-1}) == 65535);
    CHECK(cast(WF_U8, WF_I64, (Scalar){.u = 255}) == 255);
    CHECK(cast(WF_I32, WF_BOOL, (Scalar){.u = 256}) == 1);
    CHECK(cast(WF_BOOL, WF_F16, (Scalar){.u = 1}) == 1);
    /* just above the middle of two bf16 numbers, by less than a double can tell */
    CHECK(cast(WF_I64, WF_BF16, (Scalar){.u = ((uint64_t)257 << 54) + 1}) == 0x1.02p62);
    CHECK(cast(WF_I64, WF_BF16, (Scalar){.u = (uint64_t)257 << 54}) == 0x1.00p62);
    for (int i = 0; i < 100000 && check_ok(); i++) {
        uint64_t u = test_random() >> test_random_below(64);

        CHECK(cast(WF_I64, WF_F32, (Scalar){.u = u}) == (double)(float)(int64_t)u);
        CHECK(cast(WF_U64, WF_F32, (Scalar){.u = u}) == (double)(float)u);
        CHECK(cast(WF_I64, WF_F64, (Scalar){.u = u}) == (double)(int64_t)u);
        CHECK(cast(WF_U64, WF_F64, (Scalar){.u = u}) == (double)u);
    }
}
