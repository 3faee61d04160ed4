/* test_number.c -- numbers to and from text and between formats, against libc's exact
 * printf and strtod in the C locale, and against tables of all values for the small
 * formats.
 *
 * TEST_ROUNDS=n in the environment multiplies the random cases by n.
 */
#include "test.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rounds(int n)
{
    const char *s = getenv("TEST_ROUNDS");

    return n * (s ? atoi(s) : 1);
}

static double f64_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static float f32_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t b;
    memcpy(&b, &x, 8);
    return b;
}

static uint32_t bits_of_float(float x)
{
    uint32_t b;
    memcpy(&b, &x, 4);
    return b;
}

static const char *show_f64(double x)
{
    static char buf[NUMBER_MAX];
    int n;

    n = number_f64(buf, x);
    CHECK_EQ_INT(n, strlen(buf));
    return buf;
}

static const char *show_f32(float x)
{
    static char buf[NUMBER_MAX];
    int n;

    n = number_f32(buf, x);
    CHECK_EQ_INT(n, strlen(buf));
    return buf;
}

/* ---- floats to text ---------------------------------------------------------------- */

TEST(f64_is_laid_out_like_python_without_point_zero)
{
    static const struct {
        double x;
        const char *s;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {100, "100"},
        {123456789, "123456789"},
        {1e15, "1000000000000000"},
        {9007199254740993.0, "9007199254740992"},
        {9999999999999998.0, "9999999999999998"},
        {1e16, "1e+16"},
        {12345678901234567890.0, "1.2345678901234567e+19"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {9.5e22, "9.5e+22"},
        {1e100, "1e+100"},
        {0.0001, "0.0001"},
        {0.00012345678901234567, "0.00012345678901234567"},
        {0.00001, "1e-05"},
        {1.5e-7, "1.5e-07"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {-1.7976931348623157e308, "-1.7976931348623157e+308"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p53, "9007199254740992"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };

    for (int i = 0; i < COUNT(cases); i++)
        CHECK_STR(show_f64(cases[i].x), cases[i].s);
    CHECK_STR(show_f64(NAN), "nan");
    CHECK_STR(show_f64(-NAN), "nan");
}

TEST(f32_takes_the_shortest_digits_among_floats)
{
    CHECK_STR(show_f32(0.1f), "0.1");
    CHECK_STR(show_f32(1.0f / 3), "0.33333334");
    CHECK_STR(show_f32(16777216.0f), "16777216");
    CHECK_STR(show_f32(3.4028235e38f), "3.4028235e+38");
    CHECK_STR(show_f32(1e-45f), "1e-45");
    CHECK_STR(show_f32(1.1754944e-38f), "1.1754944e-38");
    CHECK_STR(show_f32(-0.0f), "-0");
    CHECK_STR(show_f32(1e10f), "10000000000");
    CHECK_STR(show_f32(8388609.5f), "8388610");
    CHECK_STR(show_f32(INFINITY), "inf");
    CHECK_STR(show_f32(NAN), "nan");
}

/* What glibc finds by trying 1, 2, 3 .. digits until one reads back; those digits are the
 * nearest. */
static void check_shortest(double x, bool is_f32)
{
    char d[20], ref[40], mine[40];
    int n, e, p = 0;
    bool back;

    n = is_f32 ? number_digits_f32((float)x, d, &e) : number_digits_f64(x, d, &e);
    do {
        snprintf(ref, sizeof ref, "%.*e", p++, x);
        back = is_f32 ? strtof(ref, NULL) == (float)x : strtod(ref, NULL) == x;
    } while (!back);
    snprintf(mine, sizeof mine, "0.%se%d", d, e);
    back = is_f32 ? strtof(mine, NULL) == (float)x : strtod(mine, NULL) == x;
    if (!back || n > p || d[n] || d[0] == '0' || (n > 1 && d[n - 1] == '0'))
        FAIL("%a: %s for %s", x, mine, ref);
    snprintf(mine, sizeof mine, "%c%s%.*se%c%02d", d[0], n > 1 ? "." : "", n - 1, d + 1,
             e < 1 ? '-' : '+', abs(e - 1));
    if (n == p && strcmp(mine, ref) != 0)
        FAIL("%a: %s is not the nearest, %s", x, mine, ref);
}

TEST(random_f64_print_shortest_and_nearest)
{
    for (int i = rounds(40000); i > 0; i--) {
        uint64_t b = test_random() >> 1;

        if (b == 0 || b >= 0x7FF0000000000000u)
            continue;
        check_shortest(f64_of(b), false);
        check_shortest((double)(b >> (b & 63)) + 1, false);     /* integers */
        check_shortest((double)(1 + b % 100000) / 1000, false); /* short decimals */
        check_shortest(f64_of(b & 0x7FF0000000000000u) + 5e-324,
                       false); /* powers of two */
        check_shortest(f64_of((b & 0x7FF0000000000000u) | (b & 3)) + 5e-324, false);
        check_shortest(f64_of(1 + (b & 0xFFFFFFFFFFFFFu) % ((uint64_t)1 << (b >> 57))),
                       false);
    }
}

TEST(every_power_of_two_and_ten_prints_shortest)
{
    for (int e = -1074; e <= 1023; e++) {
        double x = ldexp(1, e);

        check_shortest(x, false);
        check_shortest(nextafter(x, 0) + 5e-324, false);
        check_shortest(nextafter(x, INFINITY), false);
        if (e >= -149 && e <= 127) {
            check_shortest(x, true);
            check_shortest(nextafterf((float)x, INFINITY), true);
        }
    }
    for (int k = -323; k <= 308; k++) {
        char s[16];
        double x;

        snprintf(s, sizeof s, "1e%d", k);
        x = strtod(s, NULL);
        check_shortest(x, false);
        check_shortest(nextafter(x, INFINITY), false);
        check_shortest(nextafter(x, 0) + 5e-324, false);
    }
}

TEST(random_f32_print_shortest_and_nearest)
{
    for (int i = rounds(100000); i > 0; i--) {
        uint32_t b = (uint32_t)test_random() & 0x7FFFFFFF;

        if (b > 0 && b < 0x7F800000)
            check_shortest((double)f32_of(b), true);
    }
}

TEST(integers_print_and_read_back)
{
    static const int64_t cases[] = {
        0,   1,   -1,  9,    10,        99,        100,
        101, -10, 999, 1000, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    char s[NUMBER_MAX], ref[40];
    bool over;

    for (int i = 0; i < 20000; i++) {
        int64_t x =
            i < COUNT(cases) ? cases[i] : (int64_t)test_random() >> (test_random() & 63);
        uint64_t u = (uint64_t)x, uback;
        int64_t back;

        CHECK_EQ_INT(number_i64(s, x), snprintf(ref, sizeof ref, "%lld", (long long)x));
        CHECK_STR(s, ref);
        CHECK(number_parse_i64(s, s + strlen(s), &back, &over) == s + strlen(s) && !over);
        CHECK_EQ_INT(back, x);
        CHECK_EQ_INT(number_u64(s, u),
                     snprintf(ref, sizeof ref, "%llu", (unsigned long long)u));
        CHECK_STR(s, ref);
        CHECK(number_parse_u64(s, s + strlen(s), &uback, &over) == s + strlen(s) &&
              !over);
        CHECK(uback == u);
        snprintf(s, sizeof s, "%#llx", (unsigned long long)u | 1);
        CHECK(number_parse_u64(s, s + strlen(s), &uback, &over) == s + strlen(s) &&
              !over);
        CHECK(uback == (u | 1));
    }
}

/* ---- text to floats ---------------------------------------------------------------- */

static void check_parse(const char *s)
{
    const char *end = s + strlen(s);
    double want = strtod(s, NULL), x = -1;
    float wantf = strtof(s, NULL), f = -1;

    if (number_parse_f64(s, end, &x) != end || bits_of(x) != bits_of(want))
        FAIL("f64 of %.60s (%zu long): %a, needed %a", s, strlen(s), x, want);
    if (number_parse_f32(s, end, &f) != end || bits_of_float(f) != bits_of_float(wantf))
        FAIL("f32 of %.60s (%zu long): %a, needed %a", s, strlen(s), (double)f,
             (double)wantf);
}

TEST(hard_decimals_round_like_strtod)
{
    static const char *const cases[] = {
        "0",
        "-0",
        "0.0",
        "00012.500",
        "1.",
        ".5",
        "1e0",
        "1E+2",
        "1e-2",
        "1e23",
        "5e-324",
        "2.47e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "4.94e-324",
        "1e-400",
        "1e400",
        "-1e400",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "0e999999999999999999999",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740995",
        "9007199254740993.0000000000000000000000000001",
        "9007199254740992.9999999999999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793728971405301e276",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "6.631236846766476e-316",
        "3.2378839133029012895883524125015321748630094e-319",
        "16777217",
        "16777217.0000000001",
        "16777216.9999999999",
        "1.00000005960464477539062500",
        "1.00000005960464477539062501",
        "1.00000005960464477539062499",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "7.0064923216240853546186479164495e-46",
        "7.0064923216240853546186479164496e-46",
        "1.1754943508222875e-38",
        "8.5e-46",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000000123",
        "1000000000000000000000000000000000000000000",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "9999999999999999999",
        "99999999999999999999",
        "9223372036854775807.5",
        "6929495644600919.5",
        "3.5571368141092e-1",
        "7.2057594037927933e16",
    };

    for (int i = 0; i < COUNT(cases); i++)
        check_parse(cases[i]);
}

TEST(half_way_cases_round_to_even_at_any_length)
{
    static char s[2600];

    for (int i = rounds(1500); i > 0; i--) {
        uint64_t b = i < 40 ? (uint64_t)i : test_random() % 0x7FEFFFFFFFFFFFFFu;
        long double mid = ((long double)f64_of(b) + (long double)f64_of(b + 1)) / 2;
        int n = snprintf(s, sizeof s, "%.780Le", mid), e = n;
        int kind = i % 4; /* exact, a little more, a little less, far digits */

        if (kind == 0) {
            check_parse(s);
            continue;
        }
        while (s[e - 1] != 'e')
            e--;
        memmove(s + e + 300, s + e - 1, (size_t)(n - e + 2));
        memset(s + e - 1, '0', 301);
        if (kind == 1)
            s[e + 299 - (int)test_random_below(300)] = '1';
        if (kind == 2) { /* borrow: the last digit that is not 0 goes down, 9s follow */
            int k = e - 2;

            while (s[k] == '0')
                s[k--] = '9';
            if (s[k] == '.')
                continue;
            s[k]--;
        }
        check_parse(s);
    }
    for (int i = rounds(20000); i > 0;
         i--) { /* and f32's half-way points, exact in f64 */
        uint32_t b = (uint32_t)(test_random() % 0x7F7FFFFF);
        double mid = ((double)f32_of(b) + (double)f32_of(b + 1)) / 2;
        int n = snprintf(s, sizeof s, "%.180e", mid);

        if (i % 2)
            s[n - 5 - (int)test_random_below(20)] = '1';
        check_parse(s);
    }
}

TEST(random_decimals_round_like_strtod)
{
    char s[1200];

    for (int i = rounds(60000); i > 0; i--) {
        double x = f64_of(test_random());
        int n = 1 + (int)test_random_below(i % 50 ? 25 : 1000), k;

        if (isfinite(x)) {
            snprintf(s, sizeof s, "%.*g", 1 + (int)test_random_below(25), x);
            check_parse(s);
            snprintf(s, sizeof s, "%.*e", (int)test_random_below(i % 50 ? 30 : 800),
                     (double)(float)x);
            check_parse(s);
        }
        for (k = 0; k < n; k++)
            s[k] = (char)('0' + test_random_below(10));
        if (test_random() & 1)
            s[test_random_below((uint64_t)n)] = n > 1 ? '.' : '7';
        snprintf(s + n, 16, "e%d", (int)test_random_below(700) - 350);
        check_parse(s);
    }
}

TEST(hexadecimal_floats_round_like_strtod)
{
    static const char *const cases[] = {
        "0x10",
        "0x1p0",
        "-0x1.8p3",
        "0x1.fffffffffffff7ffp0",
        "0x1.fffffffffffff8p0",
        "0x1.fffffffffffff80000000000000000001p0",
        "0x.8",
        "0X1P-1074",
        "0x1p-1075",
        "0x1.8p-1075",
        "0x1.00000000000000001p-1075",
        "0x1p1023",
        "0x1p1024",
        "0x0p99999999999",
        "0x1p99999999999",
        "0xffffffffffffffffffffffff",
        "0x0000000000000000000000000000001",
        "0x1.000001p0",
        "0x1.0000010000000000000000001p0",
        "0x1p-149",
        "0x1p-150",
        "0x1.8p-150",
        "0x123456789abcdef.fedcba9876543210p-7",
    };
    char s[64];

    for (int i = 0; i < COUNT(cases); i++)
        check_parse(cases[i]);
    for (int i = 0; i < 20000; i++) {
        double x = f64_of(test_random());

        if (isfinite(x)) {
            snprintf(s, sizeof s, "%a", x);
            check_parse(s);
        }
    }
}

static int length_of(const char *s)
{
    double x;
    const char *p = number_parse_f64(s, s + strlen(s), &x);

    return p ? (int)(p - s) : -1;
}

TEST(a_number_ends_where_its_grammar_ends)
{
    static const struct {
        const char *s;
        int n;
    } cases[] = {
        {"", -1},     {"-", -1},    {"+", -1},   {".", -1},    {"-.", -1},
        {"e5", -1},   {"x", -1},    {"1e", 1},   {"1e+", 1},   {"1e+x", 1},
        {"1.5.2", 3}, {"1..2", 2},  {"0x", 1},   {"0xg", 1},   {"0x.", 1},
        {"0x1p", 3},  {"inf", 3},   {"-inf", 4}, {"info", -1}, {"inf_", -1},
        {"nan", 3},   {"nano", -1}, {"nan)", 3}, {"in", -1},   {"1,5", 1},
        {"1_000", 1}, {"--1", -1},  {" 1", -1},  {"1 ", 1},    {"+1.5e3,", 6},
        {"1f", 1},    {"Inf", -1},
    };
    double x;
    uint16_t h;
    float f;

    for (int i = 0; i < COUNT(cases); i++)
        if (length_of(cases[i].s) != cases[i].n)
            FAIL("'%s' ends at %d, needed %d", cases[i].s, length_of(cases[i].s),
                 cases[i].n);
    /* not beyond end, even where more digits follow */
    const char *s = "12e5";
    CHECK(number_parse_f64(s, s + 1, &x) == s + 1 && x == 1);
    CHECK(number_parse_f64(s, s + 3, &x) == s + 2 && x == 12);
    s = "-nan";
    CHECK(number_parse_f64(s, s + 4, &x) == s + 4 && isnan(x) && signbit(x));
    CHECK(number_parse_f32(s, s + 4, &f) == s + 4 && isnan(f) && signbit(f));
    CHECK(number_parse_f16(s, s + 4, &h) == s + 4 && h == 0xFE00);
    CHECK(number_parse_bf16(s, s + 4, &h) == s + 4 && h == 0xFFC0);
}

TEST(integers_out_of_range_are_overflow_and_not_numbers)
{
    static const struct {
        const char *s;
        bool i64, u64; /* overflow */
    } cases[] = {
        {"9223372036854775808", true, false},    {"-9223372036854775809", true, false},
        {"18446744073709551616", true, true},    {"0x10000000000000000", true, true},
        {"99999999999999999999999", true, true}, {"0xffffffffffffffff", true, false},
        {"184467440737095516150", true, true},
    };
    int64_t i;
    uint64_t u;
    bool over;

    for (int k = 0; k < COUNT(cases); k++) {
        const char *s = cases[k].s, *end = s + strlen(s);

        CHECK(number_parse_i64(s, end, &i, &over) == NULL && over == cases[k].i64);
        if (*s == '-')
            continue;
        CHECK((number_parse_u64(s, end, &u, &over) == NULL) == cases[k].u64);
        CHECK(over == cases[k].u64);
    }
    const char *s = "-9223372036854775808";
    CHECK(number_parse_i64(s, s + 20, &i, &over) == s + 20 && i == INT64_MIN && !over);
    s = "-1";
    CHECK(number_parse_u64(s, s + 2, &u, &over) == NULL && !over);
    s = "x";
    CHECK(number_parse_i64(s, s + 1, &i, &over) == NULL && !over);
    s = "0x";
    CHECK(number_parse_i64(s, s + 2, &i, &over) == s + 1 && i == 0);
    s = "-0x10";
    CHECK(number_parse_i64(s, s + 5, &i, &over) == s + 5 && i == -16);
}

/* ---- small formats, against a table of all their values ---------------------------- */

typedef struct Small {
    int bits; /* of the mantissa */
    int inf;  /* bits of infinity: the number of finite values not below 0 */
    double value[1 << 15];
} Small;

/* From the definition of the format: mantissa * 2^(exponent - bias). */
static Small *make_small(int bits, int bias)
{
    Small *t = malloc(sizeof *t);

    t->bits = bits;
    t->inf = ((1 << (15 - bits)) - 1) << bits;
    for (int i = 0; i < t->inf; i++) {
        int field = i >> bits, m = i & ((1 << bits) - 1);

        t->value[i] = field ? ldexp(m + (1 << bits), field - bias - bits)
                            : ldexp(m, 1 - bias - bits);
    }
    t->value[t->inf] = 2 * t->value[t->inf - (1 << bits)]; /* where infinity would be */
    return t;
}

/* Nearest by search, ties to the even pattern. x >= 0 */
static int nearest_small(const Small *t, double x)
{
    int low = 0, high = t->inf;

    if (x >= t->value[t->inf])
        return t->inf;
    while (high - low > 1) {
        int mid = (low + high) / 2;

        *(t->value[mid] <= x ? &low : &high) = mid;
    }
    if (x == t->value[low])
        return low;
    double down = x - t->value[low],
           up = t->value[high] - x; /* exact, or far from a tie */
    return down < up || (down == up && low % 2 == 0) ? low : high;
}

typedef struct SmallCase {
    const char *name;
    int bits, bias;
    int (*show)(char *out, uint16_t bits);
    const char *(*parse)(const char *s, const char *end, uint16_t *out);
    float (*to)(uint16_t h);
    uint16_t (*from32)(float x);
    uint16_t (*from64)(double x);
} SmallCase;

static const SmallCase small_cases[] = {
    {"f16", 10, 15, number_f16, number_parse_f16, f16_to_f32, f16_from_f32, f16_from_f64},
    {"bf16", 7, 127, number_bf16, number_parse_bf16, bf16_to_f32, bf16_from_f32,
     bf16_from_f64},
};

static void check_small_value(const SmallCase *c, const Small *t, int h)
{
    char s[NUMBER_MAX], ref[64];
    double x = t->value[h & 0x7FFF];
    uint16_t back;
    int len = c->show(s, (uint16_t)h), p = 0, mine = 0;

    if (c->parse(s, s + len, &back) != s + len || back != h)
        FAIL("%s: %04x prints as %s, which reads as %04x", c->name, h, s, back);
    x = h & 0x8000 ? -x : x;
    if (bits_of((double)c->to((uint16_t)h)) != bits_of(x))
        FAIL("%s: %04x is %a, needed %a", c->name, h, (double)c->to((uint16_t)h), x);
    if (c->from32((float)x) != h || c->from64(x) != h)
        FAIL("%s: %a gives %04x and %04x, needed %04x", c->name, x, c->from32((float)x),
             c->from64(x), h);
    if (x <= 0)
        return;
    do
        snprintf(ref, sizeof ref, "%.*e", p++, x);
    while (nearest_small(t, strtod(ref, NULL)) != h);
    for (int i = 0; s[i] && s[i] != 'e'; i++) /* digits but leading and trailing zeros */
        mine += s[i] != '.' && (mine || s[i] != '0');
    for (int i = (int)strcspn(s, "e") - 1; i >= 0 && (s[i] == '0' || s[i] == '.'); i--)
        mine -= s[i] == '0';
    if (mine > p || nearest_small(t, strtod(s, NULL)) != h)
        FAIL("%s: %04x prints as %s, shortest is %s", c->name, h, s, ref);
    if (mine == p && strtod(s, NULL) != strtod(ref, NULL))
        FAIL("%s: %04x prints as %s, nearest is %s", c->name, h, s, ref);
}

TEST(every_f16_and_bf16_prints_shortest_and_reads_back)
{
    for (int k = 0; k < COUNT(small_cases); k++) {
        const SmallCase *c = &small_cases[k];
        Small *t = make_small(c->bits, c->bias);
        char s[NUMBER_MAX];

        for (int h = 0; h < 0x10000; h++) {
            int m = h & 0x7FFF;

            if (m < t->inf)
                check_small_value(c, t, h);
            c->show(s, (uint16_t)h);
            if (m == t->inf) {
                CHECK_STR(s, h & 0x8000 ? "-inf" : "inf");
                CHECK_EQ_INT(c->from32(c->to((uint16_t)h)), h);
            }
            if (m > t->inf) { /* every payload survives */
                CHECK_STR(s, "nan");
                CHECK_EQ_INT(c->from32(c->to((uint16_t)h)), h);
                CHECK(isnan(c->to((uint16_t)h)));
            }
        }
        free(t);
    }
}

TEST(f16_and_bf16_round_once_to_nearest_even)
{
    for (int k = 0; k < COUNT(small_cases); k++) {
        const SmallCase *c = &small_cases[k];
        Small *t = make_small(c->bits, c->bias);
        char s[200];
        uint16_t back;

        for (int h = 0; h < t->inf; h++) {
            double mid = (t->value[h] + t->value[h + 1]) / 2;
            int even = h + (h & 1), n = snprintf(s, sizeof s, "%.160e", mid);

            CHECK_EQ_INT(c->from64(mid), even);
            CHECK_EQ_INT(c->from64(nextafter(mid, 0)), h);
            CHECK_EQ_INT(c->from64(nextafter(mid, INFINITY)), h + 1);
            CHECK_EQ_INT(c->from64(-mid), even | 0x8000);
            if ((double)(float)mid == mid) {
                CHECK_EQ_INT(c->from32((float)mid), even);
                CHECK_EQ_INT(c->from32(nextafterf((float)mid, 0)), h);
                CHECK_EQ_INT(c->from32(nextafterf((float)mid, INFINITY)), h + 1);
            }
            CHECK(c->parse(s, s + n, &back) == s + n && back == even);
            s[n - 5] = '1'; /* the 160th digit: beyond what a double or float could see */
            CHECK(c->parse(s, s + n, &back) == s + n && back == h + 1);
        }
        for (int i = rounds(100000); i > 0; i--) {
            double x = f64_of(test_random());
            float f = f32_of((uint32_t)test_random());

            if (i & 1)
                x = ldexp(1 + test_random_unit(), (int)test_random_below(60) - 40);
            if (!isnan(x) && (c->from64(x) & 0x7FFF) != nearest_small(t, fabs(x)))
                FAIL("%s of %a is %04x", c->name, x, c->from64(x));
            if (!isnan(f) &&
                (c->from32(f) & 0x7FFF) != nearest_small(t, (double)fabsf(f)))
                FAIL("%s of %a is %04x", c->name, (double)f, c->from32(f));
        }
        CHECK(isnan(c->to(c->from64(f64_of(0x7FF0000000000001u))))); /* not infinity */
        CHECK(isnan(c->to(c->from32(f32_of(0x7F800001)))));
        CHECK_EQ_INT(c->from64(INFINITY), t->inf);
        CHECK_EQ_INT(c->from64(-INFINITY), t->inf | 0x8000);
        CHECK_EQ_INT(c->from64(1e300), t->inf);
        CHECK_EQ_INT(c->from64(1e-300), 0);
        CHECK_EQ_INT(c->from64(-1e-300), 0x8000);
        free(t);
    }
}
