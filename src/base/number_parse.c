/* number_parse.c -- numbers from text, correctly rounded, in no locale.
 *
 *   number    ["+" | "-"] (decimal | hex | "inf" | "nan")
 *   decimal   digits ["." [digits]] [exponent]  |  "." digits [exponent]
 *   exponent  ("e" | "E") ["+" | "-"] digits            left unread if no digits follow
 *   hex       "0x" hexdigits ["." hexdigits] [("p" | "P") ["+" | "-"] digits]
 *
 * Method for decimals: the first 19 digits as an integer w and a power of ten, multiplied
 * in 192 bits, give an interval that holds the exact value, narrower than a unit of any
 * format by ten bits and more. Where both its ends round to the same number, that is the
 * result. Else (digits beyond 19 matter, or a tie) the exact value is compared, in big
 * integers of bounded size, with the number half-way between the two neighbours.
 */
#include "number.h"

/* ---- scanning ---------------------------------------------------------------------- */

typedef struct Decimal {
    uint64_t w;        /* the first 19 significant digits at most */
    int64_t exp10;     /* value is w * 10^exp10, plus what was cut */
    bool cut;          /* digits other than 0 were left out of w */
    const char *first; /* the first significant digit .. */
    const char *last;  /* .. and the end of the digits, a point between perhaps */
} Decimal;

#define W_DIGITS 19
#define EXP_LIMIT 1000000000 /* exponents beyond are as good as infinite */

static bool is_digit(const char *s, const char *end)
{
    return s < end && *s >= '0' && *s <= '9';
}

static int hex_digit(const char *s, const char *end)
{
    if (s >= end)
        return -1;
    if (*s >= '0' && *s <= '9')
        return *s - '0';
    if (*s >= 'a' && *s <= 'f')
        return *s - 'a' + 10;
    return *s >= 'A' && *s <= 'F' ? *s - 'A' + 10 : -1;
}

/* An exponent that begins with one of the two letters; s itself when there is none. */
static const char *scan_exponent(const char *s, const char *end, const char letters[2],
                                 int64_t *out)
{
    const char *p = s;
    bool negative = false;
    int64_t e = 0;

    *out = 0;
    if (p == end || (*p != letters[0] && *p != letters[1]))
        return s;
    p++;
    if (p < end && (*p == '+' || *p == '-'))
        negative = *p++ == '-';
    if (!is_digit(p, end))
        return s;
    for (; is_digit(p, end); p++)
        e = e < EXP_LIMIT ? e * 10 + (*p - '0') : e;
    *out = negative ? -e : e;
    return p;
}

static const char *scan_decimal(const char *s, const char *end, Decimal *d)
{
    bool point = false, any = false;
    int64_t e;
    int n = 0;

    *d = (Decimal){0};
    for (; s < end; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(s, end))
            break;
        any = true;
        if (n == 0 && *s == '0') {
            d->exp10 -= point;
            continue;
        }
        if (n == 0)
            d->first = s;
        if (n < W_DIGITS) {
            d->w = d->w * 10 + (uint64_t)(*s - '0');
            d->exp10 -= point;
            n++;
        } else {
            d->cut |= *s != '0';
            d->exp10 += !point;
        }
    }
    if (!any)
        return NULL;
    d->last = s;
    s = scan_exponent(s, end, "eE", &e);
    d->exp10 += e;
    return s;
}

/* ---- big integers ------------------------------------------------------------------ */

#define LIMBS                                                                            \
    72 /* 4608 bits; the widest use, 780 digits near the smallest f64, is about 2800 */
#define DIGITS_MAX 780 /* a half-way point of f64 has 767 digits at most */

typedef struct Big {
    uint64_t v[LIMBS]; /* little end first */
    int n;             /* without leading zeros */
} Big;

static void big_muladd(Big *b, uint64_t m, uint64_t carry)
{
    int i;

    for (i = 0; i < b->n; i++) {
        u128 t = (u128)b->v[i] * m + carry;

        b->v[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    if (carry && b->n < LIMBS)
        b->v[b->n++] = carry;
}

static void big_mul_pow5(Big *b, int k)
{
    for (; k >= 27; k -= 27)
        big_muladd(b, 7450580596923828125u, 0); /* 5^27 */
    for (; k > 0; k--)
        big_muladd(b, 5, 0);
}

static void big_shift_left(Big *b, int k)
{
    int words = k / 64, i;

    big_muladd(b, (uint64_t)1 << k % 64, 0);
    if (words == 0 || b->n + words > LIMBS)
        return;
    for (i = b->n - 1; i >= 0; i--)
        b->v[i + words] = b->v[i];
    memset(b->v, 0, (size_t)words * sizeof b->v[0]);
    b->n += words;
}

static int big_compare(const Big *a, const Big *b)
{
    int i;

    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (i = a->n - 1; i >= 0; i--)
        if (a->v[i] != b->v[i])
            return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

/* All digits of d, or the first DIGITS_MAX and a 1 for the rest; *exp10 as fits them. */
static void big_digits(Big *b, const Decimal *d, int64_t *exp10)
{
    bool rest = false;
    const char *s;
    int n = 0;

    b->n = 0;
    for (s = d->first; s < d->last; s++) {
        if (*s == '.')
            continue;
        if (n < DIGITS_MAX) {
            big_muladd(b, 10, (uint64_t)(*s - '0'));
            n++;
        } else {
            rest |= *s != '0';
        }
    }
    /* d->exp10 goes with the first 19 digits, and n - 19 more are here */
    *exp10 = d->exp10 - (n > W_DIGITS ? n - W_DIGITS : 0);
    if (rest) {
        big_muladd(b, 10, 1);
        --*exp10;
    }
}

/* Compare d with the number half-way between bits and bits+1. */
static int compare_halfway(FloatFormat f, const Decimal *d, uint64_t bits)
{
    int64_t exp10;
    uint64_t c;
    Big a, b = {.n = 1};
    int q, k;

    format_decode(f, bits, &c, &q);
    b.v[0] = 2 * c + 1; /* half-way is (2c+1) * 2^(q-1) */
    q--;
    big_digits(&a, d, &exp10);
    k = (int)exp10;
    big_mul_pow5(k >= 0 ? &a : &b, k >= 0 ? k : -k);
    /* a * 2^k against b * 2^q */
    big_shift_left(k >= q ? &a : &b, k >= q ? k - q : q - k);
    return big_compare(&a, &b);
}

/* ---- rounding ---------------------------------------------------------------------- */

/* (h + something of [0,1), not 0 if sticky) * 2^e, h not 0 */
static uint64_t round_wide(FloatFormat f, u128 h, int64_t e, bool sticky)
{
    uint64_t top = (uint64_t)(h >> 64);
    int up = top ? __builtin_clzll(top) : 64 + __builtin_clzll((uint64_t)h);

    h <<= up;
    return format_round(f, (uint64_t)(h >> 64), e - up + 64, sticky || (uint64_t)h != 0);
}

/* w * 10^q lies between the two, exactly at *low when they meet. */
static void round_interval(FloatFormat f, uint64_t w, int q, uint64_t *low,
                           uint64_t *high)
{
    const uint64_t *g = pow10_bits[q - POW10_MIN];
    int up = __builtin_clzll(w);
    int64_t e = log2_pow10(q) - 127 - up + 64;
    u128 part, h;

    w <<= up;
    part = (u128)w * g[1];
    h = (u128)w * g[0] + (uint64_t)(part >> 64);
    *high = round_wide(f, h, e, (uint64_t)part != 0);
    *low = q >= 0 && q <= POW10_EXACT ? *high : round_wide(f, h - 1, e, true);
}

static uint64_t round_decimal(FloatFormat f, const Decimal *d)
{
    uint64_t low, high, ignored;
    int q, order;

    if (d->w == 0 ||
        d->exp10 < POW10_MIN) /* below 2^64 * 10^-343, less than half the least f64 */
        return 0;
    if (d->exp10 > 308)
        return format_inf(f);
    q = (int)d->exp10;
    round_interval(f, d->w, q, &low, &high);
    if (d->cut)
        round_interval(f, d->w + 1, q, &ignored, &high);
    if (low == high)
        return low;
    order = compare_halfway(f, d, low);
    return order > 0 || (order == 0 && (low & 1)) ? high : low;
}

/* ---- floats ------------------------------------------------------------------------ */

static const char *scan_hex(const char *s, const char *end, FloatFormat f, uint64_t *bits)
{
    bool point = false, any = false, sticky = false;
    int64_t e = 0, p;
    uint64_t m = 0;
    int digit, up;

    for (;; s++) {
        digit = hex_digit(s, end);
        if (digit < 0 && (s == end || *s != '.' || point))
            break;
        if (digit < 0) {
            point = true;
        } else if (m >> 60) {
            sticky |= digit != 0;
            e += point ? 0 : 4;
            any = true;
        } else {
            m = m << 4 | (uint64_t)digit;
            e -= point ? 4 : 0;
            any = true;
        }
    }
    if (!any)
        return NULL;
    s = scan_exponent(s, end, "pP", &p);
    up = m ? __builtin_clzll(m) : 0;
    *bits = m ? format_round(f, m << up, e + p - up, sticky) : 0;
    return s;
}

static bool is_word(const char *s, const char *end, const char word[3])
{
    unsigned char next;

    if (end - s < 3 || memcmp(s, word, 3) != 0)
        return false;
    if (end - s == 3)
        return true;
    next = (unsigned char)s[3];
    return !(next == '_' || next >= 0x80 || (next >= '0' && next <= '9') ||
             (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'));
}

static const char *parse_float(const char *s, const char *end, FloatFormat f,
                               uint64_t *out)
{
    bool negative = false;
    const char *p = NULL;
    uint64_t bits = 0;
    Decimal d;

    if (s < end && (*s == '+' || *s == '-'))
        negative = *s++ == '-';
    if (is_word(s, end, "inf")) {
        bits = format_inf(f);
        p = s + 3;
    } else if (is_word(s, end, "nan")) {
        bits = format_quiet_nan(f);
        p = s + 3;
    } else if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        p = scan_hex(s + 2, end, f, &bits);
    }
    if (!p) {
        p = scan_decimal(s, end, &d);
        if (!p)
            return NULL;
        bits = round_decimal(f, &d);
    }
    *out = bits | (uint64_t)negative << f.sign;
    return p;
}

const char *number_parse_f64(const char *s, const char *end, double *out)
{
    uint64_t bits;
    const char *p = parse_float(s, end, FORMAT_F64, &bits);

    if (p)
        memcpy(out, &bits, 8);
    return p;
}

const char *number_parse_f32(const char *s, const char *end, float *out)
{
    uint64_t bits;
    uint32_t low;
    const char *p = parse_float(s, end, FORMAT_F32, &bits);

    if (!p)
        return NULL;
    low = (uint32_t)bits;
    memcpy(out, &low, 4);
    return p;
}

const char *number_parse_f16(const char *s, const char *end, uint16_t *out_bits)
{
    uint64_t bits;
    const char *p = parse_float(s, end, FORMAT_F16, &bits);

    if (p)
        *out_bits = (uint16_t)bits;
    return p;
}

const char *number_parse_bf16(const char *s, const char *end, uint16_t *out_bits)
{
    uint64_t bits;
    const char *p = parse_float(s, end, FORMAT_BF16, &bits);

    if (p)
        *out_bits = (uint16_t)bits;
    return p;
}

/* ---- integers ---------------------------------------------------------------------- */

/* Digits without sign. All are read even when they are too many. */
static const char *scan_integer(const char *s, const char *end, uint64_t *out,
                                bool *overflow)
{
    uint64_t v = 0, base = 10;
    int digit;

    *overflow = false;
    if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
        hex_digit(s + 2, end) >= 0) {
        base = 16;
        s += 2;
    }
    if (hex_digit(s, end) < 0 || hex_digit(s, end) >= (int)base)
        return NULL;
    for (; (digit = hex_digit(s, end)) >= 0 && digit < (int)base; s++)
        if (__builtin_mul_overflow(v, base, &v) ||
            __builtin_add_overflow(v, (uint64_t)digit, &v))
            *overflow = true;
    *out = v;
    return s;
}

const char *number_parse_u64(const char *s, const char *end, uint64_t *out,
                             bool *overflow)
{
    uint64_t v;

    *overflow = false;
    if (s < end && *s == '+')
        s++;
    s = scan_integer(s, end, &v, overflow);
    if (!s || *overflow)
        return NULL;
    *out = v;
    return s;
}

const char *number_parse_i64(const char *s, const char *end, int64_t *out, bool *overflow)
{
    bool negative = false;
    uint64_t v;

    *overflow = false;
    if (s < end && (*s == '+' || *s == '-'))
        negative = *s++ == '-';
    s = scan_integer(s, end, &v, overflow);
    if (!s)
        return NULL;
    *overflow |= v > (uint64_t)INT64_MAX + negative;
    if (*overflow)
        return NULL;
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return s;
}
