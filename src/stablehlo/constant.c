/* constant.c -- the numbers of dense<..>.
 *
 *     literal = STRING "0x.." (all bytes, in hexadecimal) | element | list .
 *     list    = "[" [ ( list | element ) { "," .. } ] "]" .
 *     element = NUMBER | "true" | "false" | "0x" HEX (the bits of a float) | "(" element "," element ")" .
 *
 * One element is all of them. A resource is the bytes of {-# .. #-}, behind four that say how they were aligned.
 */
#include "stablehlo/stablehlo.h"

typedef struct Literal {
    Hlo *h;
    const char *at, *end;
    wf_dtype dtype; /* of parts, if it is complex */
} Literal;

static void skip(Literal *l)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\n' || *l->at == '\t' || *l->at == ','))
        l->at++;
}

static bool bad(Literal *l) { return hlo_op_fail(l->h, WF_ERR_FORMAT, "a constant that is not one of %s", wf_dtype_name(l->dtype)); }

static bool take_word(Literal *l, const char *word)
{
    size_t n = strlen(word);
    bool is = (size_t)(l->end - l->at) >= n && !memcmp(l->at, word, n);

    l->at += is ? n : 0;
    return is;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Behind 0x: the bits of a float. */
static bool read_bits(Literal *l, void *out)
{
    uint64_t v = 0;
    const char *from = l->at;

    while (l->at < l->end && digit(*l->at) >= 0)
        v = v << 4 | (uint64_t)digit(*l->at++);
    memcpy(out, &v, wf_dtype_size(l->dtype)); /* little-endian */
    return l->at > from || bad(l);
}

static bool read_integer(Literal *l, void *out)
{
    bool overflow;
    uint64_t u;
    int64_t i;
    const char *end;

    if (dtype_is_unsigned(l->dtype) && *l->at != '-') {
        if (!(end = number_parse_u64(l->at, l->end, &u, &overflow)))
            return bad(l);
    } else if ((end = number_parse_i64(l->at, l->end, &i, &overflow)) != NULL) {
        u = (uint64_t)i;
    } else {
        return bad(l);
    }
    l->at = end;
    memcpy(out, &u, wf_dtype_size(l->dtype));
    return true;
}

static bool read_float(Literal *l, void *out)
{
    const char *end = l->dtype == WF_F64   ? number_parse_f64(l->at, l->end, out)
                      : l->dtype == WF_F32 ? number_parse_f32(l->at, l->end, out)
                      : l->dtype == WF_F16 ? number_parse_f16(l->at, l->end, out)
                                           : number_parse_bf16(l->at, l->end, out);

    if (!end)
        return bad(l);
    l->at = end;
    return true;
}

static bool read_element(Literal *l, bool complex, void *out);

/* As a number of the wider dtype. */
static bool read_stored(Literal *l, void *out)
{
    wf_dtype t = l->dtype;
    uint64_t element = 0;
    bool ok;

    l->dtype = dtype_wide(t);
    ok = read_element(l, false, &element);
    if (ok)
        element_from_f64(t, element_as_f64(l->dtype, &element), out);
    l->dtype = t;
    return ok;
}

static bool read_element(Literal *l, bool complex, void *out)
{
    skip(l);
    if (dtype_is_storage(l->dtype))
        return read_stored(l, out);
    if (complex) {
        size_t n = wf_dtype_size(l->dtype);

        return (take_word(l, "(") || bad(l)) && read_element(l, false, out) && read_element(l, false, (char *)out + n) &&
               (skip(l), take_word(l, ")") || bad(l));
    }
    if (l->at >= l->end)
        return bad(l);
    if (l->dtype == WF_BOOL) {
        *(uint8_t *)out = take_word(l, "true");
        return *(uint8_t *)out || take_word(l, "false") || bad(l);
    }
    if (!dtype_is_float(l->dtype))
        return read_integer(l, out);
    return take_word(l, "0x") ? read_bits(l, out) : read_float(l, out);
}

/* "0x0011.." as bytes; gives how many were read */
static size_t read_hex(const char *s, size_t n, unsigned char *out, size_t room)
{
    size_t k = 0;

    for (size_t i = 0; i + 1 < n && k < room && digit(s[i]) >= 0 && digit(s[i + 1]) >= 0; i += 2)
        out[k++] = (unsigned char)(digit(s[i]) << 4 | digit(s[i + 1]));
    return k;
}

/* Bits packed eight to a byte, the first lowest, as bools are in a string. */
static void unpack_bits(unsigned char *data, int64_t count)
{
    for (int64_t i = count - 1; i >= 0; i--)
        data[i] = data[i / 8] >> (i % 8) & 1;
}

static Val hex_constant(Hlo *h, Type type, const char *s, size_t n, int64_t count, size_t skipped)
{
    size_t each = wf_dtype_size((wf_dtype)type.dtype), bytes = (size_t)count * each, got;
    unsigned char *data;

    /* the digits are there: memory follows the text */
    if (n < 2 || s[0] != '0' || s[1] != 'x' || (n - 2) / 2 < skipped)
        return hlo_op_fail(h, WF_ERR_FORMAT, "a constant that is not in hexadecimal"), VAL_NONE;
    s += 2 + 2 * skipped;
    n -= 2 + 2 * skipped;
    if (type.dtype == WF_BOOL && n / 2 != bytes && n / 2 == ((size_t)count + 7) / 8) {
        data = arena_zalloc(h->t->a, bytes + 1);
        read_hex(s, n, data, n / 2);
        unpack_bits(data, count);
        return b_const(h->s->b, type, data);
    }
    if (n / 2 != bytes && n / 2 != each)
        return hlo_op_fail(h, WF_ERR_FORMAT, "%zu bytes of a constant, needed %zu", n / 2, bytes), VAL_NONE;
    data = arena_alloc(h->t->a, n / 2 + 1);
    got = read_hex(s, n, data, n / 2);
    for (size_t i = 0; type.dtype == WF_BOOL && i < got; i++)
        data[i] = data[i] != 0;
    if (got != n / 2)
        return hlo_op_fail(h, WF_ERR_FORMAT, "a constant that is not in hexadecimal"), VAL_NONE;
    return got == bytes ? b_const(h->s->b, type, data) : b_splat_bits(h->s->b, type, data);
}

static Val list_constant(Hlo *h, Literal *l, Type type, int64_t count)
{
    bool complex = dtype_is_complex((wf_dtype)type.dtype);
    size_t each = wf_dtype_size((wf_dtype)type.dtype);
    char *data;
    int64_t n = 0;

    if (count > l->end - l->at) /* an element is a character at least: memory follows the text */
        return (void)bad(l), VAL_NONE;
    data = arena_alloc(h->t->a, (size_t)count * each + 1);
    for (;;) {
        for (skip(l); l->at < l->end && (*l->at == '[' || *l->at == ']'); skip(l))
            l->at++;
        if (l->at >= l->end)
            break;
        if (n == count || !read_element(l, complex, data + (size_t)n * each))
            return (void)(failed(h->cx) || bad(l)), VAL_NONE;
        n++;
    }
    if (n != count)
        return hlo_op_fail(h, WF_ERR_FORMAT, "%lld numbers of a constant, needed %lld", (long long)n, (long long)count), VAL_NONE;
    return b_const(h->s->b, type, data);
}

static Val resource_constant(Hlo *h, const HloAttr *a, Type type, int64_t count)
{
    for (uint32_t i = 0; i < h->t->resources.n; i++) {
        const HloField *f = &h->t->resources.v[i];

        if (strlen(f->key) == a->n && !memcmp(f->key, a->text, a->n))
            return hex_constant(h, type, f->value->text, f->value->n, count, 4);
    }
    return hlo_op_fail(h, WF_ERR_FORMAT, "the resource '%.*s' is not in the text", (int)(a->n > 60 ? 60 : a->n), a->text), VAL_NONE;
}

Val hlo_constant(Hlo *h, const HloAttr *a)
{
    Type type = hlo_make_type(h, &a->type);
    Literal l = {h, a->text, a->text + a->n, dtype_part((wf_dtype)type.dtype)};
    char element[16] = {0};
    int64_t count, bytes;

    if (failed(h->cx) || !type_size((wf_dtype)type.dtype, type.dims, type.rank, &count, &bytes))
        return VAL_NONE;
    if (a->resource)
        return resource_constant(h, a, type, count);
    skip(&l);
    if (l.at < l.end && *l.at == '"')
        return hex_constant(h, type, l.at + 1, (size_t)(l.end - l.at) < 2 ? 0 : (size_t)(l.end - l.at) - 2, count, 0);
    if (l.at >= l.end && count == 0)
        return b_splat_bits(h->s->b, type, element);
    if (l.at >= l.end)
        return (void)bad(&l), VAL_NONE;
    if (*l.at == '[')
        return list_constant(h, &l, type, count);
    if (!read_element(&l, dtype_is_complex((wf_dtype)type.dtype), element))
        return VAL_NONE;
    skip(&l);
    if (l.at < l.end)
        return (void)bad(&l), VAL_NONE;
    return b_splat_bits(h->s->b, type, element);
}
