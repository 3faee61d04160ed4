/* number.c -- numbers to text: the shortest digits that read back to the same number.
 *
 * Method: Schubfach (Giulietti, "The Schubfach way to render doubles", 2020), for any
 * binary format. A number v = c*2^q owns the interval of reals that round to it, of
 * length about 2^q. With 10^k <= 2^q < 10^(k+1) the interval holds at least one multiple
 * of 10^k and at most one of 10^(k+1). If there is one of the latter it is the shortest;
 * else the multiple of 10^k nearest to v is. The ends and v itself, in units of 10^k / 4,
 * come from one multiplication each by a 128-bit power of ten, rounded to odd, so that
 * comparing them with integers gives what exact arithmetic would.
 *
 * requires   arithmetic right shift of negative integers
 */
#include "number.h"

#include "pow10.h"

/* ---- integers ---------------------------------------------------------------------- */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* Decimal digits of x at out, no NUL; returns how many. */
static int put_digits(char *out, uint64_t x)
{
    char buf[20];
    int at = 20;

    for (; x >= 100; x /= 100)
        memcpy(buf + (at -= 2), pairs + 2 * (x % 100), 2);
    if (x >= 10)
        memcpy(buf + (at -= 2), pairs + 2 * x, 2);
    else
        buf[--at] = (char)('0' + x);
    memcpy(out, buf + at, (size_t)(20 - at));
    return 20 - at;
}

int number_u64(char *out, uint64_t x)
{
    int n = put_digits(out, x);

    out[n] = '\0';
    return n;
}

int number_i64(char *out, int64_t x)
{
    if (x >= 0)
        return number_u64(out, (uint64_t)x);
    out[0] = '-';
    return 1 + number_u64(out + 1, 0 - (uint64_t)x);
}

/* ---- shortest digits --------------------------------------------------------------- */

/* floor(g * x / 2^128), its lowest bit set if anything was cut off (round to odd). g is
 * rounded up by less than one unit, x < 2^64: an exact quotient shows 64 zero bits after
 * it, and the paper proves that no other one does. */
static uint64_t scale(const uint64_t g[2], uint64_t x)
{
    u128 y = (u128)g[0] * x + (uint64_t)((u128)g[1] * x >> 64);

    return (uint64_t)(y >> 64) | ((uint64_t)y != 0);
}

/* *dec * 10^result is the shortest decimal within the interval of c * 2^q. uneven: the
 * neighbour below is only half as far as the one above. */
static int shortest(uint64_t c, int q, bool uneven, uint64_t *dec)
{
    int k =
        (q * 1262611 - (uneven ? 524031 : 0)) >> 22; /* floor(log10(2^q or 3/4*2^q)) */
    int h = q + log2_pow10(-k) + 1;
    const uint64_t *g = pow10_bits[-k - POW10_MIN];
    uint64_t open = c & 1; /* ties go to even: an odd number does not own its ends */
    uint64_t low = scale(g, (4 * c - 2 + uneven) << h) + open;
    uint64_t mid = scale(g, (4 * c) << h);
    uint64_t high = scale(g, (4 * c + 2) << h) - open;
    uint64_t s = mid / 4, t = s / 10;
    bool below, above;

    if (s >= 10) {
        below = low <= 40 * t;
        above = 40 * t + 40 <= high;
        if (below != above) {
            *dec = t + above;
            return k + 1;
        }
    }
    below = low <= 4 * s;
    above = 4 * s + 4 <= high;
    if (below == above)
        above = mid > 4 * s + 2 || (mid == 4 * s + 2 && (s & 1));
    *dec = s + above;
    return k;
}

/* Digits without trailing zeros, NUL-terminated; the value is 0.digits * 10^*exp10. */
static int digits_of(FloatFormat f, uint64_t bits, char digits[20], int *exp10)
{
    uint64_t c, dec, hidden = (uint64_t)1 << (f.prec - 1);
    int q, k, n;

    format_decode(f, bits, &c, &q);
    k = shortest(c, q, c == hidden && bits >= 2 * hidden, &dec);
    if (dec % 100000000 == 0) {
        dec /= 100000000;
        k += 8;
    }
    for (; dec % 10 == 0; dec /= 10)
        k++;
    n = put_digits(digits, dec);
    digits[n] = '\0';
    *exp10 = k + n;
    return n;
}

int number_digits_f64(double x, char digits[20], int *exp10)
{
    return digits_of(FORMAT_F64, bits_of_f64(x), digits, exp10);
}

int number_digits_f32(float x, char digits[20], int *exp10)
{
    return digits_of(FORMAT_F32, bits_of_f32(x), digits, exp10);
}

/* ---- layout ------------------------------------------------------------------------ */

static char *put_zeros(char *p, int n)
{
    if (n > 0)
        memset(p, '0', (size_t)n);
    return p + MAX(n, 0);
}

static char *put(char *p, const char *s, int n)
{
    memcpy(p, s, (size_t)n);
    return p + n;
}

/* 0.d1..dn * 10^e as d1d2.d3, d1d200, 0.00d1d2 or d1.d2e-07 */
static char *lay_out(char *p, const char *d, int n, int e)
{
    if (e < -3 || e > 16) {
        *p++ = d[0];
        if (n > 1)
            *p++ = '.';
        p = put(p, d + 1, n - 1);
        *p++ = 'e';
        *p++ = e < 1 ? '-' : '+';
        e = e < 1 ? 1 - e : e - 1;
        if (e < 10)
            *p++ = '0';
        return p + put_digits(p, (uint64_t)e);
    }
    if (e <= 0) {
        p = put_zeros(put(p, "0.", 2), -e);
        return put(p, d, n);
    }
    p = put(p, d, MIN(n, e));
    p = put_zeros(p, e - n);
    if (n > e) {
        *p++ = '.';
        p = put(p, d + e, n - e);
    }
    return p;
}

static int number_float(char *out, FloatFormat f, uint64_t bits)
{
    uint64_t magnitude = bits & (((uint64_t)1 << f.sign) - 1);
    char digits[20], *p = out;
    int n, e;

    if (magnitude > format_inf(f)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    if (bits != magnitude)
        *p++ = '-';
    if (magnitude == format_inf(f)) {
        p = put(p, "inf", 3);
    } else if (magnitude == 0) {
        *p++ = '0';
    } else {
        n = digits_of(f, magnitude, digits, &e);
        p = lay_out(p, digits, n, e);
    }
    *p = '\0';
    return (int)(p - out);
}

int number_f64(char *out, double x)
{
    return number_float(out, FORMAT_F64, bits_of_f64(x));
}

int number_f32(char *out, float x)
{
    return number_float(out, FORMAT_F32, bits_of_f32(x));
}

int number_f16(char *out, uint16_t bits)
{
    return number_float(out, FORMAT_F16, bits);
}

int number_bf16(char *out, uint16_t bits)
{
    return number_float(out, FORMAT_BF16, bits);
}
