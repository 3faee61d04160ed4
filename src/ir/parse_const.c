/* parse_const.c -- the elements of constants.
 *
 *   const  = "const" type ( number | list | "tensor" "(" STRING ")" ) .
 *   list   = "[" [ ( list | number ) { "," ( list | number ) } [ "," ] ] "]" .
 *   number = [ "-" | "+" ] ( NUMBER | "inf" | "nan" ) | "true" | "false"
 *          | "bits" "(" HEX ")" | "(" number "," number ")" .
 *
 * A single number fills the shape. A list is nested as the shape says, or flat in row-major
 * order. Lists are read from the bytes of the text, not token by token: constants can have
 * millions of elements. Memory grows with what is there, never with what the type
 * announces.
 */
#include "ir/parse.h"

/* ---- one number ------------------------------------------------------------------ */

static const char *const float_bits_range[] = {[1] = "2", [2] = "4", [4] = "8", [8] = "16"};

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    return s;
}

/* The low bytes of v, in the order of this machine. */
static void put_int(uint64_t v, size_t size, void *out)
{
    uint32_t v32 = (uint32_t)v;
    uint16_t v16 = (uint16_t)v;
    uint8_t v8 = (uint8_t)v;

    memcpy(out,
           size == 8   ? (void *)&v
           : size == 4 ? (void *)&v32
           : size == 2 ? (void *)&v16
                       : (void *)&v8,
           size);
}

/* bits(0x7fc00001): the element itself, for NaNs that are not the usual one. */
static const char *scan_bits(Parser *p, Token t, wf_dtype dtype, const char *s,
                             const char *end, void *out)
{
    size_t size = wf_dtype_size(dtype);
    bool overflow = false;
    uint64_t v;

    s = skip_blanks(s, end);
    if (s == end || *s != '(')
        return parse_fail_at(p, t, WF_ERR_SYNTAX, "expected '(' after bits"), NULL;
    s = number_parse_u64(s + 1, end, &v, &overflow);
    if (!s || s == end || *s != ')')
        return parse_fail_at(p, t, WF_ERR_SYNTAX, "expected bits(0x..)"), NULL;
    if (size < 8 && v >> (8 * size))
        return parse_fail_at(p, t, WF_ERR_VALUE,
                       "bits of %s have at most %s hexadecimal digits",
                       wf_dtype_name(dtype), float_bits_range[size]),
               NULL;
    put_int(v, size, out);
    return s + 1;
}

static const char *scan_float(wf_dtype dtype, const char *s, const char *end, void *out)
{
    switch (dtype) {
    case WF_F16: return number_parse_f16(s, end, out);
    case WF_BF16: return number_parse_bf16(s, end, out);
    case WF_F32: return number_parse_f32(s, end, out);
    default: return number_parse_f64(s, end, out);
    }
}

static const char *scan_signed(wf_dtype dtype, const char *s, const char *end, void *out,
                               bool *overflow)
{
    size_t size = wf_dtype_size(dtype);
    int64_t v, limit = size == 8 ? INT64_MAX : ((int64_t)1 << (8 * size - 1)) - 1;

    s = number_parse_i64(s, end, &v, overflow);
    if (!s)
        return NULL;
    if (v > limit || v < -limit - 1) {
        *overflow = true;
        return NULL;
    }
    put_int((uint64_t)v, size, out);
    return s;
}

static const char *scan_unsigned(wf_dtype dtype, const char *s, const char *end,
                                 void *out, bool *overflow)
{
    size_t size = wf_dtype_size(dtype);
    uint64_t v;

    s = number_parse_u64(s, end, &v, overflow);
    if (!s)
        return NULL;
    if (size < 8 && v >> (8 * size)) {
        *overflow = true;
        return NULL;
    }
    put_int(v, size, out);
    return s;
}

static bool is_word(const char *s, const char *end, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(end - s) >= n && memcmp(s, word, n) == 0 &&
           ((size_t)(end - s) == n || !name_is_byte((unsigned char)s[n]));
}

static const char *scan_element(Parser *p, Token t, wf_dtype dtype, const char *s,
                                const char *end, void *out);

/* (1, -2): both parts; or the real one alone. */
static const char *scan_pair(Parser *p, Token t, wf_dtype dtype, const char *s,
                             const char *end, void *out)
{
    wf_dtype part = dtype_part(dtype);
    size_t size = wf_dtype_size(part);

    memset(out, 0, 2 * size);
    if (s == end || *s != '(')
        return scan_element(p, t, part, s, end, out);
    t.s = skip_blanks(s + 1, end);
    if (!(s = scan_element(p, t, part, t.s, end, out)))
        return NULL;
    t.s = skip_blanks(s, end);
    t.n = 1;
    if (t.s == end || *t.s != ',')
        return parse_fail_at(p, t, WF_ERR_SYNTAX, "expected ',' after the real part"), NULL;
    t.s = skip_blanks(t.s + 1, end);
    s = scan_element(p, t, part, t.s, end, (char *)out + size);
    if (!s)
        return NULL;
    t.s = skip_blanks(s, end);
    if (t.s == end || *t.s != ')')
        return parse_fail_at(p, t, WF_ERR_SYNTAX, "expected ')' after the imaginary part"), NULL;
    return t.s + 1;
}

/* A number of the wider dtype, that it can store. */
static const char *scan_stored(Parser *p, Token t, wf_dtype dtype, const char *s, const char *end, void *out)
{
    wf_dtype wide = dtype_wide(dtype);
    uint64_t element = 0;
    double x;

    if (wide == WF_F32 && is_word(s, end, "bits"))
        return scan_bits(p, t, dtype, s + 4, end, out);
    if (!(s = scan_element(p, t, wide, s, end, &element)))
        return NULL;
    x = element_as_f64(wide, &element);
    element_from_f64(dtype, x, out);
    if (wide != WF_F32 && element_as_f64(dtype, out) != x)
        return parse_fail_at(p, t, WF_ERR_VALUE, "%d does not fit %s", (int)x, wf_dtype_name(dtype)), NULL;
    return s;
}

/* The element at s; NULL after an error, which is reported for token t. */
static const char *scan_element(Parser *p, Token t, wf_dtype dtype, const char *s,
                                const char *end, void *out)
{
    const char *e = NULL, *stop = s;
    bool overflow = false;

    if (dtype == WF_BOOL && (is_word(s, end, "true") || is_word(s, end, "false"))) {
        *(uint8_t *)out = *s == 't';
        return s + (*s == 't' ? 4 : 5);
    }
    if (dtype_is_complex(dtype))
        return scan_pair(p, t, dtype, s, end, out);
    if (dtype_is_storage(dtype))
        return scan_stored(p, t, dtype, s, end, out);
    if (dtype_is_float(dtype) && is_word(s, end, "bits"))
        return scan_bits(p, t, dtype, s + 4, end, out);
    if (dtype_is_float(dtype))
        e = scan_float(dtype, s, end, out);
    else if (dtype_is_signed(dtype))
        e = scan_signed(dtype, s, end, out, &overflow);
    else if (dtype_is_unsigned(dtype))
        e = scan_unsigned(dtype, s, end, out, &overflow);
    if (e && (e == end || !name_is_byte((unsigned char)*e)))
        return e;
    while (stop < end &&
           (name_is_byte((unsigned char)*stop) || *stop == '-' || *stop == '+'))
        stop++;
    t.n = (uint32_t)MIN(MAX(stop - s, 1), 40);
    if (overflow)
        return parse_fail_at(p, t, WF_ERR_VALUE, "%s does not fit %s", token_str(p, t),
                       wf_dtype_name(dtype)),
               NULL;
    if (dtype == WF_BOOL)
        return parse_fail_at(p, t, WF_ERR_VALUE, "expected true or false, found '%s'",
                       token_str(p, t)),
               NULL;
    return parse_fail_at(p, t, WF_ERR_VALUE, "expected a number of dtype %s, found '%s'",
                   wf_dtype_name(dtype),
                   s == end ? "the end of the text" : token_str(p, t)),
           NULL;
}

/* Put the reader at s, which is on the line and row given, and read the next token. */
static void resume(Parser *p, const char *s, const char *line, uint32_t row)
{
    p->lex.at = s;
    p->lex.line = line;
    p->lex.row = row;
    p->tok = lex_next(&p->lex);
    p->last = s;
}

bool parse_number(Parser *p, wf_dtype dtype, void *out)
{
    Token t = p->tok;
    const char *s;

    if (t.kind != TOK_NUMBER && t.kind != TOK_NAME && t.kind != '-' && t.kind != '+' &&
        !(t.kind == '(' && dtype_is_complex(dtype)))
        return parse_fail_expected(p, "a number");
    s = scan_element(p, t, dtype, t.s, p->lex.end, out);
    if (!s)
        return false;
    if (t.kind == '(')
        p->lex.depth--; /* it is closed */
    resume(p, s, t.line, t.row);
    return true;
}

/* ---- lists ----------------------------------------------------------------------- */

typedef struct ListReader {
    Parser *p;
    const char *s, *end;
    const char *line;
    uint32_t row;
    wf_dtype dtype;
    size_t size; /* of an element */
    uint32_t rank;
    const Dim *dims;
    int64_t want;               /* elements of the type */
    int64_t count;              /* so far */
    int64_t seen[MAX_RANK + 1]; /* items in each open list */
    char *data;
    size_t room;    /* elements data has room for */
    uint32_t depth; /* open lists */
    bool flat;      /* all elements in one list, although the rank is higher */
} ListReader;

static bool list_fail(ListReader *r, wf_status status, const char *text)
{
    Token t = {.s = r->s, .line = r->line, .row = r->row, .n = 1};

    return parse_fail_at(r->p, t, status, "%s", text);
}

static void skip_space(ListReader *r)
{
    for (; r->s < r->end; r->s++) {
        if (*r->s == '\n') {
            r->line = r->s + 1;
            r->row++;
        } else if (*r->s == '#') {
            const char *nl = memchr(r->s, '\n', (size_t)(r->end - r->s));

            r->s = (nl ? nl : r->end) - 1;
        } else if (*r->s != ' ' && *r->s != '\t' && *r->s != '\r') {
            return;
        }
    }
}

static bool open_list(ListReader *r)
{
    const char *s = r->s;

    while (s < r->end && *s == '[' && s - r->s <= MAX_RANK)
        s++;
    if (s - r->s > MAX_RANK)
        return list_fail(r, WF_ERR_LIMIT, "lists nested deeper than the largest rank");
    if (r->depth && (r->flat || r->depth >= r->rank))
        return list_fail(r, WF_ERR_SHAPE, "a list where the type has a number");
    r->s++;
    r->depth++;
    r->seen[r->depth] = 0;
    return true;
}

static bool close_list(ListReader *r)
{
    int64_t have = r->seen[r->depth], want = r->flat ? r->want : r->dims[r->depth - 1];
    bool empty = r->depth == 1 && have == 0 && r->want == 0; /* [] is every empty array */

    if (have != want && !empty) {
        Token t = {.s = r->s, .line = r->line, .row = r->row, .n = 1};

        return parse_fail_at(r->p, t, WF_ERR_SHAPE,
                       "the list has %lld items, but the type needs %lld",
                       (long long)have, (long long)want);
    }
    r->s++;
    r->depth--;
    return true;
}

/* Room for all that are missing, or for as many as the rest of the text can hold. */
static void grow(ListReader *r)
{
    size_t left = (size_t)(r->end - r->s) / 2 + 2, want = (size_t)(r->want - r->count);
    size_t room = (size_t)r->count + MIN(want, left);
    char *data = arena_array(r->p->a, room, r->size);

    if (r->count)
        memcpy(data, r->data, (size_t)r->count * r->size);
    r->data = data;
    r->room = room;
}

static bool read_element(ListReader *r)
{
    Token t = {.s = r->s, .line = r->line, .row = r->row, .n = 1};

    if (r->depth < r->rank && !r->flat) {
        if (r->depth > 1 || r->seen[1])
            return list_fail(r, WF_ERR_SHAPE, "expected '[': the type has more axes");
        r->flat = true;
    }
    if (r->count >= r->want)
        return parse_fail_at(r->p, t, WF_ERR_SHAPE,
                       "the type has %lld elements, the list has more",
                       (long long)r->want);
    if ((size_t)r->count == r->room)
        grow(r);
    r->s = scan_element(r->p, t, r->dtype, r->s, r->end,
                        r->data + (size_t)r->count * r->size);
    r->count += r->s != NULL;
    return r->s != NULL;
}

/* After an item: "," and another one, or the end of lists. */
static bool after_item(ListReader *r)
{
    for (;;) {
        skip_space(r);
        if (r->s < r->end && *r->s == ',') {
            r->s++;
            skip_space(r);
            if (r->s == r->end || *r->s != ']')
                return true;
        }
        if (r->s == r->end || *r->s != ']')
            return list_fail(r, WF_ERR_SYNTAX,
                             r->s == r->end ? "the text ends inside a list"
                                            : "expected ',' or ']'");
        if (!close_list(r))
            return false;
        if (r->depth == 0)
            return true;
        r->seen[r->depth]++;
    }
}

static bool read_list(ListReader *r)
{
    if (!open_list(r))
        return false;
    while (r->depth) {
        skip_space(r);
        if (r->s < r->end && *r->s == '[') {
            if (!open_list(r))
                return false;
            continue;
        }
        if (!(r->s < r->end && *r->s == ']' && r->seen[r->depth] == 0)) {
            if (r->s == r->end)
                return list_fail(r, WF_ERR_SYNTAX, "the text ends inside a list");
            if (!read_element(r))
                return false;
            r->seen[r->depth]++;
        }
        if (!after_item(r))
            return false;
    }
    return true;
}

static bool parse_list(Parser *p, Type type, const ConstData **out)
{
    Token t = p->tok;
    ListReader r = {.p = p,
                    .s = t.s,
                    .end = p->lex.end,
                    .line = t.line,
                    .row = t.row,
                    .dtype = (wf_dtype)type.dtype,
                    .size = wf_dtype_size((wf_dtype)type.dtype),
                    .rank = type.rank,
                    .dims = type.dims};
    int64_t bytes;

    for (uint32_t i = 0; i < type.rank; i++)
        if (!dim_is_const(type.dims[i]))
            return parse_fail_at(p, t, WF_ERR_SHAPE,
                           "a list needs a shape without symbols, found %s",
                           type_str(&p->b->dims, type, p->a));
    if (type.rank == 0)
        return parse_fail_at(p, t, WF_ERR_SHAPE, "a list for a scalar");
    if (!type_size(r.dtype, type.dims, type.rank, &r.want, &bytes))
        return parse_fail_at(p, t, WF_ERR_LIMIT,
                       "the type has more elements than can be counted");
    if (!read_list(&r))
        return false;
    p->lex.depth--; /* the bracket that made the current token is closed */
    resume(p, r.s, r.line, r.row);
    *out = const_data_new(p->cx, r.count ? r.data : "", (size_t)r.count * r.size, NULL,
                          NULL, NULL);
    return *out != NULL;
}

/* ---- tensors of the file --------------------------------------------------------- */

static bool parse_tensor(Parser *p, Type type, const ConstData **out)
{
    Token name;
    const char *s;
    uint32_t n;

    next_token(p);
    if (!parse_need(p, '(', "'('"))
        return false;
    name = p->tok;
    if (name.kind != TOK_STRING)
        return parse_fail_expected(p, "the name of a tensor in double quotes");
    if (!string_text(p, name, &s, &n))
        return false;
    next_token(p);
    if (!parse_need(p, ')', "')'"))
        return false;
    if (!p->env || !p->env->tensor)
        return parse_fail_at(p, name, WF_ERR_NAME, "no tensors come with this text");
    if (!p->env->tensor(p->env->user, s, type, out))
        return parse_fail_at(p, name, WF_ERR_NAME, "there is no tensor %s of type %s",
                       token_str(p, name), type_str(&p->b->dims, type, p->a));
    return true;
}

bool parse_const(Parser *p, Type type, const ConstData **out, bool *out_splat)
{
    uint64_t element[2] = {0};

    *out_splat = false;
    if (p->tok.kind == '[')
        return parse_list(p, type, out);
    if (token_is(p->tok, "tensor"))
        return parse_tensor(p, type, out);
    if (!parse_number(p, (wf_dtype)type.dtype, element))
        return false;
    *out_splat = true;
    *out = const_data_new(p->cx, element, wf_dtype_size((wf_dtype)type.dtype), NULL,
                          NULL, NULL);
    return *out != NULL;
}
