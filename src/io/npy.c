/* npy.c -- NumPy's format for one array.
 *
 *   file    = "\x93NUMPY", major, minor, header_size (u16 if major is 1, else u32,
 *             little-endian), header, data
 *   header  = a Python dict, spaces and a newline behind it:
 *             {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 *   descr   = byte order ('<' little, '>' big, '=' native, '|' of one byte), kind
 *             (b bool, i u integers, f float, c complex), size in bytes
 *   data    = the elements, row-major, or column-major if fortran_order
 *
 * Read: versions 1, 2 and 3. Written: version 1, data at a multiple of 64 bytes. Not held
 * by Weft, so refused by name: structures, strings, dates, objects
 * (which are pickles: never read). NumPy has no bf16.
 */
#include "io/io.h"

static const struct {
    char kind;
    int size;
    wf_dtype dtype;
} kinds[] = {
    {'b', 1, WF_BOOL}, {'i', 1, WF_I8},  {'i', 2, WF_I16}, {'i', 4, WF_I32},
    {'i', 8, WF_I64},  {'u', 1, WF_U8},  {'u', 2, WF_U16}, {'u', 4, WF_U32},
    {'u', 8, WF_U64},  {'f', 2, WF_F16}, {'f', 4, WF_F32}, {'f', 8, WF_F64},
    {'c', 8, WF_C64},  {'c', 16, WF_C128},
};

typedef struct Npy {
    wf_ctx *cx;
    const char *file;
    const char *at, *end; /* of the header */
    wf_dtype dtype;
    bool swap, fortran;
    uint32_t rank;
    int64_t dims[MAX_RANK];
} Npy;

static bool npy_fail(Npy *r, const char *text)
{
    return fail(r->cx, WF_ERR_FORMAT, in_file(r->file), ".npy: %s", text);
}

/* ---- the header -------------------------------------------------------------------- */

static void skip_space(Npy *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

static bool take(Npy *r, const char *word)
{
    size_t n = strlen(word);

    skip_space(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* 'text' or "text", without escapes */
static bool read_string(Npy *r, const char **out, size_t *out_n)
{
    const char *close;

    skip_space(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
        return npy_fail(r, "the header is not the dict that NumPy writes");
    close = memchr(r->at + 1, *r->at, (size_t)(r->end - r->at - 1));
    if (!close)
        return npy_fail(r, "the header ends inside a string");
    *out = r->at + 1;
    *out_n = (size_t)(close - r->at - 1);
    r->at = close + 1;
    return true;
}

static bool read_descr(Npy *r)
{
    const char *s;
    size_t n;
    int size = 0;

    if (take(r, "["))
        return npy_fail(r, "elements are structures, which Weft does not hold");
    if (!read_string(r, &s, &n))
        return false;
    if (n >= 3 && n <= 5 && strchr("<>=|", s[0]) && s[0]) {
        for (size_t i = 2; i < n && s[i] >= '0' && s[i] <= '9'; i++)
            size = size * 10 + (s[i] - '0');
        for (int i = 0; i < COUNT(kinds); i++)
            if (kinds[i].kind == s[1] && kinds[i].size == size && n == (size < 10 ? 3u : 4u)) {
                r->dtype = kinds[i].dtype;
                r->swap = s[0] == '>' && size > 1;
                return true;
            }
    }
    return fail(r->cx, WF_ERR_FORMAT, in_file(r->file),
                ".npy: dtype '%.*s', which Weft does not hold", (int)MIN(n, (size_t)40),
                s);
}

static bool read_order(Npy *r)
{
    r->fortran = take(r, "True");
    return r->fortran || take(r, "False") ||
           npy_fail(r, "fortran_order is neither True nor False");
}

/* digits, and an L that Python 2 wrote */
static bool read_size(Npy *r, int64_t *out)
{
    int64_t v = 0;
    const char *s;

    skip_space(r);
    for (s = r->at; s < r->end && *s >= '0' && *s <= '9'; s++)
        if (!mul_i64(v, 10, &v) || !add_i64(v, *s - '0', &v))
            return npy_fail(r, "the shape is too large");
    if (s == r->at)
        return npy_fail(r, "shape has something that is not a size");
    r->at = s;
    take(r, "L");
    *out = v;
    return true;
}

static bool read_shape(Npy *r)
{
    if (!take(r, "("))
        return npy_fail(r, "shape is not a tuple");
    while (!take(r, ")")) {
        if (r->rank == MAX_RANK)
            return npy_fail(r, "more than 32 axes");
        if (!read_size(r, &r->dims[r->rank]))
            return false;
        r->rank++;
        if (!take(r, ",")) {
            if (!take(r, ")"))
                return npy_fail(r, "shape is not a tuple");
            break;
        }
    }
    return true;
}

static bool read_header(Npy *r)
{
    static const struct {
        const char *key;
        bool (*read)(Npy *r);
    } fields[] = {
        {"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
    unsigned seen = 0;

    if (!take(r, "{"))
        return npy_fail(r, "the header is not the dict that NumPy writes");
    while (!take(r, "}")) {
        const char *key;
        size_t n;
        int i = 0;

        if (!read_string(r, &key, &n))
            return false;
        while (i < COUNT(fields) &&
               (strlen(fields[i].key) != n || memcmp(fields[i].key, key, n) != 0))
            i++;
        if (i == COUNT(fields) || seen & 1u << i || !take(r, ":"))
            return npy_fail(r, "the header has an unknown key, or one twice");
        seen |= 1u << i;
        if (!fields[i].read(r))
            return false;
        if (!take(r, ",")) {
            if (!take(r, "}"))
                return npy_fail(r, "the header is not the dict that NumPy writes");
            break;
        }
    }
    if (seen != 7)
        return npy_fail(r, "the header lacks descr, fortran_order or shape");
    skip_space(r);
    return r->at == r->end || npy_fail(r, "something follows the header's dict");
}

/* ---- reading ----------------------------------------------------------------------- */

static void copy_swapped(char *to, const char *from, size_t bytes, size_t size)
{
    for (size_t i = 0; i < bytes; i += size)
        for (size_t k = 0; k < size; k++)
            to[i + k] = from[i + size - 1 - k];
}

static bool fill(Npy *r, const char *from, size_t bytes, char *to)
{
    if (r->swap)
        copy_swapped(to, from, bytes, wf_dtype_size(dtype_part(r->dtype)));
    else if (bytes)
        memcpy(to, from, bytes);
    for (size_t i = 0; r->dtype == WF_BOOL && i < bytes; i++)
        if ((unsigned char)to[i] > 1)
            return npy_fail(r, "dtype bool and a byte that is not 0 or 1");
    return true;
}

/* The array whose row-major transpose is `a`: the same memory, axes the other way
 * round. */
static bool reverse_axes(Npy *r, wf_array *a, wf_array **out)
{
    int64_t dims[MAX_RANK], strides[MAX_RANK];

    for (uint32_t k = 0; k < r->rank; k++) {
        dims[k] = wf_array_dims(a)[r->rank - 1 - k];
        strides[k] = wf_array_strides(a)[r->rank - 1 - k];
    }
    if (wf_array_wrap(r->cx, r->dtype, dims, (int)r->rank, strides,
                      wf_array_data_mutable(a), array_drop, wf_array_retain(a),
                      out) == WF_OK)
        return true;
    wf_array_release(a);
    return false;
}

static bool read_data(Npy *r, const char *data, size_t size, wf_array **out)
{
    bool reverse = r->fortran && r->rank > 1;
    int64_t count, bytes, dims[MAX_RANK];
    wf_array *a;

    if (!type_size(r->dtype, r->dims, r->rank, &count, &bytes))
        return npy_fail(r, "the shape is too large");
    if ((uint64_t)bytes != size)
        return fail(r->cx, WF_ERR_FORMAT, in_file(r->file),
                    ".npy: the shape needs %lld bytes, the file has %llu",
                    (long long)bytes, (unsigned long long)size);
    for (uint32_t k = 0; k < r->rank; k++)
        dims[k] = r->dims[reverse ? r->rank - 1 - k : k];
    if (wf_array_new(r->cx, r->dtype, dims, (int)r->rank, &a) != WF_OK)
        return false;
    array_held(r->cx, a);
    if (!fill(r, data, size, wf_array_data_mutable(a)))
        return false;
    if (reverse)
        return reverse_axes(r, a, out);
    *out = wf_array_retain(a);
    return true;
}

bool npy_read(wf_ctx *cx, const char *file, const char *bytes, size_t size,
              wf_array **out)
{
    Npy r = {.cx = cx, .file = file};
    size_t prefix, header;
    const unsigned char *b = (const unsigned char *)bytes;

    *out = NULL;
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return npy_fail(&r, "the file does not begin as NumPy's arrays do");
    if (b[6] < 1 || b[6] > 3)
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    ".npy: version %d; 1 to 3 are known", b[6]);
    prefix = b[6] == 1 ? 10 : 12;
    header = (size_t)b[8] | (size_t)b[9] << 8;
    if (prefix == 12 && size >= 12)
        header |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (size < prefix || header > size - prefix)
        return npy_fail(&r, "the file ends inside the header");
    r.at = bytes + prefix;
    r.end = r.at + header;
    return read_header(&r) &&
           read_data(&r, bytes + prefix + header, size - prefix - header, out);
}

/* ---- writing ----------------------------------------------------------------------- */

bool npy_head(wf_ctx *cx, const char *path, wf_array *a, Text *t)
{
    wf_dtype dtype = wf_array_dtype(a);
    size_t begin = t->n;
    int k = 0;

    while (k < COUNT(kinds) && kinds[k].dtype != dtype)
        k++;
    if (k == COUNT(kinds))
        return fail(cx, WF_ERR_TYPE, in_file(path),
                    ".npy has no dtype %s; cast to f32 first", wf_dtype_name(dtype));
    text_addn(t, "\x93NUMPY\x01\x00..", 10);
    text_printf(t, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                kinds[k].size == 1 ? '|' : '<', kinds[k].kind, kinds[k].size);
    for (int i = 0; i < wf_array_rank(a); i++)
        text_printf(t, "%s%lld", i ? ", " : "", (long long)wf_array_dims(a)[i]);
    text_add(t, wf_array_rank(a) == 1 ? ",), }" : "), }");
    while ((t->n - begin + 1) % 64)
        text_char(t, ' ');
    text_char(t, '\n');
    t->s[begin + 8] = (char)((t->n - begin - 10) & 255);
    t->s[begin + 9] = (char)((t->n - begin - 10) >> 8);
    return true;
}

bool npy_write(wf_ctx *cx, const char *path, wf_array *a)
{
    wf_array *host;
    Writer *w;
    Text t;

    text_init(&t, &cx->scratch);
    if (!npy_head(cx, path, a, &t) || wf_array_contiguous(cx, a, &host) != WF_OK)
        return false;
    array_held(cx, host);
    w = writer_open(cx, path);
    return w && writer_put(w, t.s, t.n) &&
           writer_put(w, wf_array_data(host), (size_t)wf_array_count(host) * wf_dtype_size(wf_array_dtype(a))) &&
           writer_commit(w);
}
