/* arraytext.c -- arrays as text, and arrays from what stands on a command line.
 *
 *   text   = type " " value                        f32[2] [1.5, 2.5]
 *   value  = number | "[" [ value { "," value } ] "]"
 *   number = as in programs: 1, -0.5, 1e-3, inf, nan, true, bits(0x7fc00001)
 *   given  = [ type ] value | FILE ".npy"
 *          | ( "zeros" | "ones" | "iota" | "rand" | "randn" ) ":" type
 *   type   = dtype [ "[" [ size { "," size } ] "]" ]
 *
 * What is printed reads back the same, but for the bits of NaNs, which all print as nan.
 * Generated arrays are functions of the seed and the position alone: rand is uniform in
 * [0, 1) for floats, in 0..9 for integers, and a coin for bool; randn has mean 0 and
 * variance 1; iota counts 0, 1, 2 .. in row-major order.
 */
#include "io/io.h"

#include <math.h>

/* ---- printing ---------------------------------------------------------------------- */

static int64_t get_int(wf_dtype dtype, const char *at)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        int64_t i64;
    } x;

    memcpy(&x, at, wf_dtype_size(dtype));
    switch (dtype) {
    case WF_I8: return x.i8;
    case WF_I16: return x.i16;
    case WF_I32: return x.i32;
    case WF_U8: return x.u8;
    case WF_U16: return x.u16;
    case WF_U32: return x.u32;
    default: return x.i64;
    }
}

/* buf has room for two NUMBER_MAX. */
static int print_number(wf_dtype dtype, const char *at, char *buf)
{
    uint64_t u64;
    uint16_t u16;
    double f64;
    float f32;

    if (dtype_is_complex(dtype)) {
        wf_dtype part = dtype_part(dtype);
        int n = print_number(part, at, buf), m;

        buf[n] = '+';
        m = print_number(part, at + wf_dtype_size(part), buf + n + 1);
        if (buf[n + 1] == '-')
            memmove(buf + n, buf + n + 1, (size_t)m);
        n += m + (buf[n] == '+');
        buf[n] = 'j';
        return n + 1;
    }
    if (dtype_is_storage(dtype))
        return number_f32(buf, (float)element_as_f64(dtype, at));
    switch (dtype) {
    case WF_BOOL: strcpy(buf, *at ? "true" : "false"); return (int)strlen(buf);
    case WF_F16: memcpy(&u16, at, 2); return number_f16(buf, u16);
    case WF_BF16: memcpy(&u16, at, 2); return number_bf16(buf, u16);
    case WF_F32: memcpy(&f32, at, 4); return number_f32(buf, f32);
    case WF_F64: memcpy(&f64, at, 8); return number_f64(buf, f64);
    case WF_U64: memcpy(&u64, at, 8); return number_u64(buf, u64);
    default: return number_i64(buf, get_int(dtype, at));
    }
}

/* Every list that begins at element i opens before it, every one that ends closes behind
 * it. Lists of size 0 have no elements to hang on, so an empty array is printed axis by
 * axis. */
static void print_empty(const int64_t *dims, int rank, Text *out)
{
    text_char(out, '[');
    for (int64_t i = 0; rank > 1 && i < dims[0]; i++) {
        text_add(out, i ? ", " : "");
        print_empty(dims + 1, rank - 1, out);
    }
    text_char(out, ']');
}

#define EMPTY_LISTS 1000 /* an empty array of more lists than this prints as [] */

static void print_values(wf_array *a, Text *out)
{
    wf_dtype dtype = wf_array_dtype(a);
    size_t size = wf_dtype_size(dtype);
    int rank = wf_array_rank(a);
    const int64_t *dims = wf_array_dims(a);
    const char *at = wf_array_data(a);
    int64_t count = wf_array_count(a), lists = 1;
    char buf[2 * NUMBER_MAX];

    if (count == 0) {
        for (int k = 0; k < rank && lists <= EMPTY_LISTS && dims[k]; k++)
            lists = MIN(lists * MIN(dims[k], EMPTY_LISTS + 1), EMPTY_LISTS + 1);
        print_empty(dims, lists > EMPTY_LISTS ? 1 : rank, out);
        return;
    }
    for (int64_t i = 0; i < count; i++, at += size) {
        int opens = 0, closes = 0;
        int64_t block = 1;

        for (int k = rank - 1; k >= 0; k--) {
            block *= dims[k];
            opens += i % block == 0;
            closes += (i + 1) % block == 0;
        }
        text_add(out, i ? ", " : "");
        while (opens-- > 0)
            text_char(out, '[');
        text_addn(out, buf, (size_t)print_number(dtype, at, buf));
        while (closes-- > 0)
            text_char(out, ']');
    }
}

bool arraytext_print(wf_ctx *cx, wf_array *a, Text *out)
{
    wf_array *host;

    if (wf_array_contiguous(cx, a, &host) != WF_OK)
        return false;
    array_held(cx, host);
    text_add(out, wf_dtype_name(wf_array_dtype(a)));
    text_char(out, '[');
    for (int k = 0; k < wf_array_rank(a); k++)
        text_printf(out, "%s%lld", k ? "," : "", (long long)wf_array_dims(a)[k]);
    text_add(out, "] ");
    print_values(host, out);
    return true;
}

/* ---- reading ----------------------------------------------------------------------- */

typedef struct Scan {
    wf_ctx *cx;
    const char *text, *s, *end;
    wf_dtype dtype; /* WF_INVALID: to be found */
    bool typed;     /* the text gave a type: rank and dims */
    int rank;
    int64_t dims[MAX_RANK];
    VEC(const char *) at; /* where each element begins */

    int depth;                  /* of open lists */
    int leaf;                   /* depth of elements; -1: none seen */
    int64_t seen[MAX_RANK + 1]; /* items of the open list at each depth */
    bool known[MAX_RANK + 1];   /* the size at this depth is known */
} Scan;

#define SOURCE "<array>"

/* At p, with the text and a caret under it. Always false. */
static bool scan_fail(Scan *c, const char *p, wf_status status, const char *fmt, ...)
    PRINTF(4, 5);
static bool scan_fail(Scan *c, const char *p, wf_status status, const char *fmt, ...)
{
    Place place = {.file = SOURCE, .line = 1};
    const char *line = c->text;
    va_list ap;

    for (const char *q = c->text; q < p; q++)
        if (*q == '\n') {
            place.line++;
            line = q + 1;
        }
    place.col = (uint32_t)(p - line) + 1;
    ctx_add_source(c->cx, SOURCE, c->text, (size_t)(c->end - c->text));
    va_start(ap, fmt);
    fail_list(c->cx, status, place, fmt, ap);
    va_end(ap);
    return false;
}

static void skip_space(Scan *c)
{
    while (c->s < c->end &&
           (*c->s == ' ' || *c->s == '\t' || *c->s == '\n' || *c->s == '\r'))
        c->s++;
}

static bool is_delimiter(char c)
{
    return c == '\0' || c == ',' || c == ']' || c == ' ' || c == '\t' || c == '\n' ||
           c == '\r';
}

static const char *word_end(const char *s)
{
    while (!is_delimiter(*s) && *s != '[')
        s++;
    return s;
}

/* bits(0x7fc00001) */
static const char *parse_bits(size_t size, const char *s, const char *end, char *out)
{
    bool overflow;
    uint64_t v;

    s = number_parse_u64(s + 5, end, &v, &overflow);
    if (!s || *s != ')' || (size < 8 && v >> (8 * size)))
        return NULL;
    memcpy(out, &v, size); /* little-endian */
    return s + 1;
}

static const char *parse_int(wf_dtype dtype, const char *s, const char *end, char *out,
                             bool *overflow)
{
    size_t size = wf_dtype_size(dtype);
    int64_t v = 0, limit = size == 8 ? INT64_MAX : ((int64_t)1 << (8 * size - 1)) - 1;
    uint64_t u = 0;

    if (dtype_is_signed(dtype)) {
        s = number_parse_i64(s, end, &v, overflow);
        *overflow = *overflow || (s && (v > limit || v < -limit - 1));
        u = (uint64_t)v;
    } else {
        *overflow = *s == '-' && s[1] >= '0' && s[1] <= '9';
        s = *overflow ? NULL : number_parse_u64(s, end, &u, overflow);
        *overflow = *overflow || (s && size < 8 && u >> (8 * size));
    }
    if (!s || *overflow)
        return NULL;
    memcpy(out, &u, size);
    return s;
}

static const char *parse_element(wf_dtype dtype, const char *s, const char *end,
                                 char *out, bool *overflow);

/* 1+2j, 2j or 1 */
static const char *parse_pair(wf_dtype dtype, const char *s, const char *end, char *out)
{
    wf_dtype part = dtype_part(dtype);
    size_t size = wf_dtype_size(part);
    const char *stop = word_end(s);
    bool overflow;

    memset(out, 0, 2 * size);
    if (stop[-1] != 'j')
        return parse_element(part, s, end, out, &overflow);
    stop--; /* a number of the whole word is the imaginary part */
    if (parse_element(part, s, stop, out + size, &overflow) == stop)
        return stop + 1;
    s = parse_element(part, s, stop, out, &overflow);
    if (!s || (*s != '+' && *s != '-'))
        return NULL;
    return parse_element(part, s, stop, out + size, &overflow) == stop ? stop + 1 : NULL;
}

static const char *parse_element(wf_dtype dtype, const char *s, const char *end,
                                 char *out, bool *overflow)
{
    uint16_t h;
    double f64;
    float f32;

    *overflow = false;
    if (dtype_is_complex(dtype))
        return parse_pair(dtype, s, end, out);
    if (dtype_is_storage(dtype)) {
        uint64_t element = 0;

        s = parse_element(dtype_wide(dtype), s, end, (char *)&element, overflow);
        f64 = element_as_f64(dtype_wide(dtype), &element);
        element_from_f64(dtype, f64, out);
        *overflow = *overflow || (s && dtype_wide(dtype) != WF_F32 && element_as_f64(dtype, out) != f64);
        return *overflow ? NULL : s;
    }
    if (dtype_is_float(dtype) && strncmp(s, "bits(", 5) == 0)
        return parse_bits(wf_dtype_size(dtype), s, end, out);
    switch (dtype) {
    case WF_BOOL:
        *out = *s == 't';
        return strncmp(s, "true", 4) == 0    ? s + 4
               : strncmp(s, "false", 5) == 0 ? s + 5
                                             : NULL;
    case WF_F16:
    case WF_BF16:
        s = dtype == WF_F16 ? number_parse_f16(s, end, &h)
                            : number_parse_bf16(s, end, &h);
        return s ? memcpy(out, &h, 2), s : NULL;
    case WF_F32:
        s = number_parse_f32(s, end, &f32);
        return s ? memcpy(out, &f32, 4), s : NULL;
    case WF_F64:
        s = number_parse_f64(s, end, &f64);
        return s ? memcpy(out, &f64, 8), s : NULL;
    default: return parse_int(dtype, s, end, out, overflow);
    }
}

/* The structure of the lists: where elements are, and the shape, which the first list at
 * each depth gives. */
static bool open_list(Scan *c)
{
    if (c->depth == MAX_RANK)
        return scan_fail(c, c->s, WF_ERR_LIMIT, "lists nested deeper than %d", MAX_RANK);
    if (c->leaf >= 0 && c->depth >= c->leaf)
        return scan_fail(c, c->s, WF_ERR_SHAPE, "a list where other lists have numbers");
    c->seen[++c->depth] = 0;
    c->s++;
    return true;
}

static bool close_list(Scan *c)
{
    int64_t n = c->seen[c->depth], *size = &c->dims[c->depth - 1];

    if (c->known[c->depth] && *size != n)
        return scan_fail(c, c->s, WF_ERR_SHAPE, "a list of %lld items beside one of %lld",
                         (long long)n, (long long)*size);
    c->known[c->depth] = true;
    *size = n;
    c->rank = MAX(c->rank, c->depth);
    c->s++;
    c->seen[--c->depth]++;
    return true;
}

static bool scan_element(Scan *c)
{
    if (c->s == c->end || is_delimiter(*c->s))
        return scan_fail(c, c->s, WF_ERR_SYNTAX, "expected a number or a list");
    if (c->leaf >= 0 && c->depth != c->leaf)
        return scan_fail(c, c->s, WF_ERR_SHAPE, "a number where other lists have lists");
    c->leaf = c->depth;
    vec_push(&c->cx->scratch, &c->at, c->s);
    c->s = word_end(c->s);
    c->seen[c->depth]++;
    return true;
}

/* After an item: "," and another one, or the end of lists. */
static bool after_item(Scan *c)
{
    for (; c->depth; skip_space(c)) {
        skip_space(c);
        if (c->s < c->end && *c->s == ',') {
            c->s++;
            return true;
        }
        if (c->s == c->end || *c->s != ']')
            return scan_fail(c, c->s, WF_ERR_SYNTAX, "expected ',' or ']'");
        if (!close_list(c))
            return false;
    }
    skip_space(c);
    return c->s == c->end ||
           scan_fail(c, c->s, WF_ERR_SYNTAX, "expected the end of the array");
}

static bool scan_lists(Scan *c)
{
    c->leaf = -1;
    do {
        skip_space(c);
        if (c->s < c->end && *c->s == '[') {
            if (!open_list(c))
                return false;
            skip_space(c);
            if (c->s == c->end || *c->s != ']')
                continue;
        } else if (!scan_element(c)) {
            return false;
        }
        if (!after_item(c))
            return false;
    } while (c->depth);
    if (c->leaf >= 0 && c->leaf != c->rank) /* [[], 1] */
        return scan_fail(c, c->at.v[0], WF_ERR_SHAPE, "numbers at different depths");
    return true;
}

/* The dtype of untyped numbers: bool, or i64 if all are integers, or f32, or c64 if one ends in j. */
static wf_dtype find_dtype(const Scan *c)
{
    wf_dtype t = c->at.n ? WF_BOOL : WF_F32;
    bool overflow;
    char element[8];

    for (uint32_t i = 0; i < c->at.n; i++)
        if (word_end(c->at.v[i])[-1] == 'j')
            return WF_C64;
    for (uint32_t i = 0; i < c->at.n && t != WF_F32; i++) {
        const char *s = c->at.v[i], *e;

        if (t == WF_BOOL && i == 0 && *s != 't' && *s != 'f')
            t = WF_I64;
        if (t == WF_BOOL)
            continue;
        e = parse_element(WF_I64, s, c->end, element, &overflow);
        if (!e || !is_delimiter(*e))
            t = WF_F32;
    }
    return t;
}

static bool store_elements(Scan *c, char *data)
{
    size_t size = wf_dtype_size(c->dtype);
    bool overflow;

    for (uint32_t i = 0; i < c->at.n; i++) {
        const char *s = c->at.v[i],
                   *e = parse_element(c->dtype, s, c->end, data + i * size, &overflow);
        int n = (int)MIN(word_end(s) - s, 40);

        if (e && is_delimiter(*e))
            continue;
        if (overflow)
            return scan_fail(c, s, WF_ERR_VALUE, "%.*s does not fit %s", n, s,
                             wf_dtype_name(c->dtype));
        return scan_fail(c, s, WF_ERR_VALUE,
                         c->dtype == WF_BOOL ? "expected true or false, found '%.*s'"
                                             : "'%.*s' is not a number of dtype %s",
                         n, s, wf_dtype_name(c->dtype));
    }
    return true;
}

static bool parse_values(Scan *c, wf_array **out)
{
    int64_t dims[MAX_RANK], count = 1, bytes;
    int rank = c->rank;
    bool typed = c->typed;
    const char *begin = c->s;
    wf_array *a;

    memcpy(dims, c->dims, sizeof dims);
    c->rank = 0;
    if (!scan_lists(c))
        return false;
    if (typed) {
        if (!type_size(c->dtype, dims, (uint32_t)rank, &count, &bytes))
            return scan_fail(c, c->text, WF_ERR_LIMIT, "the type is too large");
        if (count != c->at.n ||
            (count && (rank != c->rank ||
                       memcmp(dims, c->dims, (size_t)rank * sizeof *dims) != 0)))
            return scan_fail(c, begin, WF_ERR_SHAPE,
                             "the value does not have the shape of the type");
    } else {
        rank = c->rank;
        memcpy(dims, c->dims, sizeof dims);
    }
    if (c->dtype == WF_INVALID)
        c->dtype = find_dtype(c);
    if (wf_array_new(c->cx, c->dtype, dims, rank, &a) != WF_OK)
        return false;
    array_held(c->cx, a);
    if (!store_elements(c, wf_array_data_mutable(a)))
        return false;
    *out = wf_array_retain(a);
    return true;
}

/* ---- types and generated arrays ---------------------------------------------------- */

static wf_dtype dtype_named(const char *s, size_t n)
{
    for (int t = WF_BOOL; t <= WF_C128; t++)
        if (strlen(wf_dtype_name((wf_dtype)t)) == n &&
            memcmp(wf_dtype_name((wf_dtype)t), s, n) == 0)
            return (wf_dtype)t;
    return WF_INVALID;
}

/* f32[8,64], or f32 for a scalar */
static bool scan_type(Scan *c)
{
    const char *e = word_end(c->s), *begin = c->s;
    bool overflow;

    c->dtype = dtype_named(c->s, (size_t)(e - c->s));
    if (c->dtype == WF_INVALID)
        return scan_fail(c, begin, WF_ERR_TYPE,
                         "expected a type such as f32[8,64], found '%.*s'",
                         (int)MIN(e - begin, 40), begin);
    c->typed = true;
    c->s = e;
    if (c->s == c->end || *c->s != '[')
        return true;
    c->s++;
    skip_space(c);
    while (c->s < c->end && *c->s != ']') {
        if (c->rank == MAX_RANK)
            return scan_fail(c, c->s, WF_ERR_LIMIT, "more than %d axes", MAX_RANK);
        e = number_parse_i64(c->s, c->end, &c->dims[c->rank], &overflow);
        if (!e || c->dims[c->rank] < 0 || !is_delimiter(*e))
            return scan_fail(c, c->s, WF_ERR_SHAPE,
                             "expected a size, a number that is not negative");
        c->rank++;
        c->s = e;
        skip_space(c);
        if (c->s < c->end && *c->s == ',')
            c->s++;
        skip_space(c);
    }
    if (c->s == c->end)
        return scan_fail(c, c->s, WF_ERR_SYNTAX, "expected ']'");
    c->s++;
    return true;
}

/* 64 random bits for a position (splitmix64). */
static uint64_t random_bits(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed + 1) * 0xD1342543DE82EF95u + (i + 1) * 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static double unit(uint64_t bits) { return (double)(bits >> 40) * 0x1p-24; }

static double normal(uint64_t seed, uint64_t i) /* Box and Muller */
{
    double u = 1 - unit(random_bits(seed, 2 * i)), v = unit(random_bits(seed, 2 * i + 1));

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

enum { GEN_ZEROS, GEN_ONES, GEN_IOTA, GEN_RAND, GEN_RANDN };
static const char *const generators[] = {"zeros:", "ones:", "iota:", "rand:", "randn:"};

/* 0..9 for integers; floats keep 24 bits, or as many as they have, so that 1 is not
 * reached */
static double uniform(wf_dtype dtype, uint64_t bits)
{
    if (dtype == WF_BOOL)
        return (double)(bits >> 63);
    if (dtype_is_int(dtype))
        return (double)((bits >> 32) * 10 >> 32);
    if (dtype == WF_F16)
        return (double)(bits >> 53) * 0x1p-11;
    if (dtype == WF_BF16)
        return (double)(bits >> 56) * 0x1p-8;
    return unit(bits);
}

static void generate(int kind, wf_dtype dtype, uint64_t seed, int64_t count, char *data)
{
    size_t size = wf_dtype_size(dtype);

    for (int64_t i = 0; i < count; i++, data += size) {
        uint64_t n = (uint64_t)i;

        if (kind == GEN_IOTA && dtype_is_int(dtype))
            memcpy(data, &n, size); /* little-endian; wraps */
        else
            element_from_f64(dtype,
                             kind == GEN_ZEROS  ? 0
                             : kind == GEN_ONES ? 1
                             : kind == GEN_IOTA ? (double)i
                             : kind == GEN_RAND ? uniform(dtype, random_bits(seed, n))
                                                : normal(seed, n),
                             data);
    }
}

static bool parse_generated(Scan *c, int kind, uint64_t seed, wf_array **out)
{
    const char *type;
    int64_t count, bytes;
    wf_array *a;

    c->s += strlen(generators[kind]);
    type = c->s;
    if (!scan_type(c))
        return false;
    skip_space(c);
    if (c->s != c->end)
        return scan_fail(c, c->s, WF_ERR_SYNTAX, "expected the end of the array");
    if ((kind == GEN_RANDN && !dtype_is_float(c->dtype)) ||
        (kind == GEN_IOTA && c->dtype == WF_BOOL))
        return scan_fail(c, type, WF_ERR_TYPE, "%s cannot make %s", generators[kind],
                         wf_dtype_name(c->dtype));
    if (!type_size(c->dtype, c->dims, (uint32_t)c->rank, &count, &bytes))
        return scan_fail(c, type, WF_ERR_LIMIT, "the type is too large");
    if (wf_array_new(c->cx, c->dtype, c->dims, c->rank, &a) != WF_OK)
        return false;
    generate(kind, c->dtype, seed, count, wf_array_data_mutable(a));
    *out = a;
    return true;
}

bool arraytext_parse(wf_ctx *cx, const char *text, wf_dtype dtype, uint64_t seed,
                 wf_array **out)
{
    size_t n = strlen(text);
    Scan c = {.cx = cx, .text = text, .s = text, .end = text + n, .dtype = dtype};
    const char *e;

    if (n > 4 && strcmp(text + n - 4, ".npy") == 0) {
        Blob *b = blob_open(cx, text);

        return b && npy_read(cx, text, b->data, b->size, out);
    }
    for (int k = 0; k < COUNT(generators); k++)
        if (strncmp(text, generators[k], strlen(generators[k])) == 0)
            return parse_generated(&c, k, seed, out);
    skip_space(&c);
    e = word_end(c.s);
    if (dtype_named(c.s, (size_t)(e - c.s)) != WF_INVALID && !scan_type(&c))
        return false;
    skip_space(&c);
    if (c.s < c.end && !strchr("+-.[0123456789", *c.s) && strncmp(c.s, "true", 4) &&
        strncmp(c.s, "false", 5) && strncmp(c.s, "inf", 3) && strncmp(c.s, "nan", 3) &&
        strncmp(c.s, "bits(", 5))
        return scan_fail(
            &c, c.s, WF_ERR_VALUE,
            "expected a number, a list, FILE.npy, or zeros: ones: iota: rand: randn: "
            "with a type");
    return parse_values(&c, out);
}
