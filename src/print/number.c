/* number.c -- one element of an array as text, and the walk over those that are shown.
 *
 * Shortest digits come from base/number.c, which knows the neighbours of a number in its dtype; where
 * they are more than wanted, the exact value is rounded at the place instead, ties to even.
 */
#include "print/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

PrintArray print_array_of(const wf_array *a)
{
    return (PrintArray){wf_array_dtype(a), wf_array_rank(a), wf_array_dims(a),
                        wf_array_strides(a), wf_array_data(a)};
}

void print_parts(const PrintArray *a, PrintParts *out)
{
    wf_dtype part = dtype_part(a->dtype);

    for (int i = 0; i < a->rank; i++)
        out->strides[i] = 2 * a->strides[i];
    out->re = (PrintArray){part, a->rank, a->dims, out->strides, a->data};
    out->im = out->re;
    out->im.data = (const char *)a->data + wf_dtype_size(part);
}

double print_f64(const PrintArray *a, int64_t at)
{
    switch (a->dtype) {
    case WF_F64: return ((const double *)a->data)[at];
    case WF_F32: return (double)((const float *)a->data)[at];
    case WF_F16: return (double)f16_to_f32(((const uint16_t *)a->data)[at]);
    case WF_BF16: return (double)bf16_to_f32(((const uint16_t *)a->data)[at]);
    default: return element_as_f64(a->dtype, (const char *)a->data + at);
    }
}

int print_int(const PrintArray *a, int64_t at, char *out)
{
    switch (a->dtype) {
    case WF_I8: return number_i64(out, ((const int8_t *)a->data)[at]);
    case WF_I16: return number_i64(out, ((const int16_t *)a->data)[at]);
    case WF_I32: return number_i64(out, ((const int32_t *)a->data)[at]);
    case WF_I64: return number_i64(out, ((const int64_t *)a->data)[at]);
    case WF_U16: return number_u64(out, ((const uint16_t *)a->data)[at]);
    case WF_U32: return number_u64(out, ((const uint32_t *)a->data)[at]);
    case WF_U64: return number_u64(out, ((const uint64_t *)a->data)[at]);
    case WF_I4:
    case WF_U4: return number_i64(out, (int64_t)print_f64(a, at));
    default: return number_u64(out, ((const uint8_t *)a->data)[at]);
    }
}

/* ---- digits -------------------------------------------------------------------------------------- */

/* The locale's decimal point, whatever it is, becomes '.'. */
static int plain_point(char *s)
{
    char *from = s, *to = s;

    while (*from) {
        if ((*from >= '0' && *from <= '9') || strchr("+-einfa", *from)) {
            *to++ = *from++;
            continue;
        }
        *to++ = '.';
        while (*from && (*from < '0' || *from > '9'))
            from++;
    }
    *to = 0;
    return (int)(to - s);
}

static const char *not_finite(double x)
{
    return isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

int print_fixed(double x, int places, char *out)
{
    if (!isfinite(x))
        return snprintf(out, PRINT_NUMBER_MAX, "%s", not_finite(x));
    snprintf(out, PRINT_NUMBER_MAX, "%.*f", MIN(places, 100), x);
    return plain_point(out);
}

int print_exponent(double x, int places, char *out)
{
    if (!isfinite(x))
        return snprintf(out, PRINT_NUMBER_MAX, "%s", not_finite(x));
    snprintf(out, PRINT_NUMBER_MAX, "%.*e", MIN(places, 100), x);
    return plain_point(out);
}

/* Shortest digits of |x| in its dtype: |x| = 0.d1d2.. * 10^exp. Returns how many; 0 has one digit. */
static int shortest_digits(wf_dtype dtype, double x, char digits[32], int *exp)
{
    char text[NUMBER_MAX], *p = text;
    int n = 0, point = -1, seen = 0;

    x = fabs(x);
    if (x == 0) {
        digits[0] = '0';
        *exp = 1;
        return 1;
    }
    if (dtype == WF_F64)
        return number_digits_f64(x, digits, exp);
    if (dtype == WF_F32)
        return number_digits_f32((float)x, digits, exp);
    if (dtype == WF_F16)
        (void)number_f16(text, f16_from_f64(x));
    else
        (void)number_bf16(text, bf16_from_f64(x));
    for (; *p && *p != 'e'; p++) {
        if (*p == '.') {
            point = seen;
            continue;
        }
        seen++;
        if (n > 0 || *p != '0')
            digits[n++] = *p;
    }
    /* digits before the point, less the zeros in front */
    *exp = (point < 0 ? seen : point) - (seen - n) +
           (*p == 'e' ? (int)strtol(p + 1, NULL, 10) : 0);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

/* Cut zeros after the point; the point stays. Only for texts that have one. */
static int trim_zeros(char *s, int n)
{
    while (n > 0 && s[n - 1] == '0')
        n--;
    s[n] = 0;
    return n;
}

int print_shortest(wf_dtype dtype, double x, int places, char *out)
{
    char digits[32];
    int exp, n = shortest_digits(dtype, x, digits, &exp), at = 0;

    if (n - exp > places) { /* more digits after the point than wanted */
        at = print_fixed(x, places, out);
        if (places == 0) {
            out[at++] = '.';
            out[at] = 0;
        }
        return trim_zeros(out, at);
    }
    if (signbit(x))
        out[at++] = '-';
    if (exp <= 0)
        out[at++] = '0';
    for (int i = 0; i < exp; i++)
        out[at++] = i < n ? digits[i] : '0';
    out[at++] = '.';
    for (int i = exp; i < n; i++)
        out[at++] = i < 0 ? '0' : digits[i];
    out[at] = 0;
    return trim_zeros(out, at);
}

int print_shortest_exponent(wf_dtype dtype, double x, int places, int least_places,
                            int exp_digits, char *out)
{
    char digits[128], rounded[PRINT_NUMBER_MAX];
    int exp, n = shortest_digits(dtype, x, digits, &exp), at = 0, value;

    value = x == 0 ? 0 : exp - 1;
    if (n - 1 > places ||
        n - 1 < least_places) { /* of the exact value; may carry into the exponent */
        char *p = rounded + signbit(x);

        (void)print_exponent(x, n - 1 > places ? places : least_places, rounded);
        n = 0;
        for (; *p != 'e'; p++)
            if (*p != '.')
                digits[n++] = *p;
        value = (int)strtol(p + 1, NULL, 10);
        while (n > least_places + 1 && digits[n - 1] == '0')
            n--;
    }
    if (signbit(x))
        out[at++] = '-';
    out[at++] = digits[0];
    out[at++] = '.';
    for (int i = 1; i < n; i++)
        out[at++] = digits[i];
    return at + snprintf(out + at, 16, "e%c%0*d", value < 0 ? '-' : '+',
                         MAX(exp_digits, 2), abs(value));
}

/* ---- walking -------------------------------------------------------------------------------------- */

typedef struct Walk {
    const PrintArray *a;
    bool summarise;
    int64_t edge;
    void (*fn)(void *user, int64_t at);
    void *user;
} Walk;

static void walk(const Walk *w, int axis, int64_t at)
{
    int64_t n;

    if (axis == w->a->rank) {
        w->fn(w->user, at);
        return;
    }
    n = w->a->dims[axis];
    for (int64_t i = 0; i < n; i++) {
        if (print_cuts(n, w->summarise, w->edge) && i == w->edge)
            i = n - w->edge;
        if (i < n)
            walk(w, axis + 1, at + i * w->a->strides[axis]);
    }
}

void print_each(const PrintArray *a, bool summarise, int64_t edge,
                void (*fn)(void *user, int64_t at), void *user)
{
    walk(&(Walk){a, summarise, edge, fn, user}, 0, 0);
}

int64_t print_count(const PrintArray *a)
{
    int64_t n = 1;

    for (int i = 0; i < a->rank; i++)
        n *= a->dims[i];
    return n;
}

void print_shape(Text *t, const PrintArray *a)
{
    text_char(t, '(');
    for (int i = 0; i < a->rank; i++) {
        if (i)
            text_add(t, ", ");
        text_int(t, a->dims[i]);
    }
    text_add(t, a->rank == 1 ? ",)" : ")");
}
