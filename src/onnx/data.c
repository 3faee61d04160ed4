/* data.c -- TensorProto as numbers.
 *
 * They stand in one of: raw_data, little-endian and row-major; float_data, int32_data (all
 * types of at most 32 bits but float), int64_data, double_data, uint64_data (uint32, too); a
 * part of a file beside the model (data_location 1), which may not leave the model's
 * folder. Elements of 4 and 2 bits are packed, low ones first.
 *
 * Raw data that lies well in memory is used where it is: the file stays mapped.
 */
#include "onnx/onnx.h"

#include <errno.h>

static bool tensor_fail(OxRun *r, const OxTensor *t, const char *what)
{
    return ox_fail(r, WF_ERR_FORMAT, "tensor '%.80s': %s", t->name ? t->name : "", what);
}

/* ---- files beside the model ---------------------------------------------------------------- */

static Blob *find_blob(OxRun *r, const char *name)
{
    OxBlobs *b;

    for (b = r->blobs; b; b = b->next)
        if (strcmp(b->name, name) == 0)
            return b->blob;
    b = ox_alloc(&r->mem, 1, sizeof *b);
    if (!b)
        return NULL;
    *b = (OxBlobs){r->blobs, name, NULL};
    if (blob_open_beside(r->c, r->file, r->blob, name, &b->blob))
        return NULL;
    r->blobs = b;
    return b->blob;
}

void ox_blobs_free(OxRun *r)
{
    for (OxBlobs *b = r->blobs; b; b = b->next)
        blob_release(b->blob);
    r->blobs = NULL;
}

static bool parse_size(const char *s, size_t *out)
{
    char *end;

    errno = 0;
    *out = (size_t)strtoull(s, &end, 10);
    return *s >= '0' && *s <= '9' && !*end && !errno;
}

/* Where the raw bytes are: in the model or in another file. holder: whose memory it is. */
static bool raw_bytes(OxRun *r, const OxTensor *t, OxBytes *out, Blob **holder)
{
    const char *name = NULL;
    size_t offset = 0, length = SIZE_MAX;

    *holder = r->blob;
    *out = t->raw;
    if (t->location != 1)
        return true;
    for (size_t i = 0; i < t->external.n; i++) {
        const char *key = t->external.v[i]->key, *value = t->external.v[i]->value;

        if (!key || !value)
            continue;
        if (strcmp(key, "location") == 0)
            name = value;
        else if ((strcmp(key, "offset") == 0 && !parse_size(value, &offset)) ||
                 (strcmp(key, "length") == 0 && !parse_size(value, &length)))
            return tensor_fail(r, t, "an offset or length that is no number");
    }
    if (!name)
        return tensor_fail(r, t, "external data without a location");
    if (!(*holder = find_blob(r, name)))
        return false;
    if (offset > (*holder)->size)
        return tensor_fail(r, t, "its data begins behind the end of its file");
    if (length == SIZE_MAX)
        length = (*holder)->size - offset;
    if (length > (*holder)->size - offset)
        return tensor_fail(r, t, "its data ends behind the end of its file");
    *out = (OxBytes){(*holder)->data + offset, length};
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool count_of(OxRun *r, const OxTensor *t, int64_t *out)
{
    int64_t n = 1;
    bool zero = false;

    if (t->dims.n > WF_MAX_RANK)
        return tensor_fail(r, t, "more axes than there may be");
    for (size_t i = 0; i < t->dims.n; i++)
        zero = zero || t->dims.v[i] == 0;
    for (size_t i = 0; i < t->dims.n; i++)
        if (t->dims.v[i] < 0 || (!zero && __builtin_mul_overflow(n, t->dims.v[i], &n)) || n > INT64_MAX / 32)
            return tensor_fail(r, t, "sizes that cannot be");
    *out = zero ? 0 : n;
    return true;
}

static void drop_blob(void *blob) { blob_release(blob); }

/* Elements of less than a byte, one a byte. */
static wf_array *unpack(OxRun *r, const OxTensor *t, const unsigned char *from, int64_t count)
{
    bool is_signed = t->type == OX_INT4 || t->type == OX_INT2;
    int bits = ox_bits(t->type), per = 8 / bits;
    wf_array *a = NULL;
    signed char *to;

    if (wf_array_new(r->c, is_signed ? WF_I8 : WF_U8, t->dims.v, (int)t->dims.n, &a))
        return NULL;
    to = wf_array_data_mutable(a);
    for (int64_t i = 0; i < count; i++) {
        int v = from[i / per] >> (i % per * bits) & ((1 << bits) - 1);

        to[i] = (signed char)(is_signed && v >> (bits - 1) ? v - (1 << bits) : v);
    }
    return a;
}

static wf_array *from_raw(OxRun *r, const OxTensor *t, wf_dtype dtype, int64_t count)
{
    int bits = ox_bits(t->type);
    size_t need = ((size_t)count * (size_t)bits + 7) / 8;
    wf_array *a = NULL;
    Blob *holder;
    OxBytes raw;

    if (!raw_bytes(r, t, &raw, &holder))
        return NULL;
    if (raw.size != need)
        return tensor_fail(r, t, "as many bytes as its type asks for are not there"), NULL;
    if (bits < 8)
        return unpack(r, t, (const unsigned char *)raw.data, count);
    if (t->type == OX_BOOL) { /* any byte but 0 is true */
        if (!wf_array_from(r->c, dtype, t->dims.v, (int)t->dims.n, count ? raw.data : "", &a))
            for (int64_t i = 0; i < count; i++)
                ((char *)wf_array_data(a))[i] = raw.data[i] != 0;
        return a;
    }
    if (holder && need >= 4096 && (uintptr_t)raw.data % wf_dtype_size(dtype) == 0) {
        if (wf_array_wrap(r->c, dtype, t->dims.v, (int)t->dims.n, NULL, (void *)(uintptr_t)raw.data, drop_blob,
                          blob_retain(holder), &a))
            blob_release(holder);
        return a;
    }
    wf_array_from(r->c, dtype, t->dims.v, (int)t->dims.n, count ? raw.data : "", &a);
    return a;
}

static size_t typed_count(const OxTensor *t)
{
    return t->floats.n ? t->floats.n : t->doubles.n ? t->doubles.n : t->ints32.n ? t->ints32.n
           : t->ints64.n ? t->ints64.n : t->uints64.n;
}

static void copy_ints(const OxTensor *t, wf_dtype dtype, int64_t count, void *to)
{
    const int64_t *from = t->ints32.n ? t->ints32.v : t->ints64.n ? t->ints64.v : t->uints64.v;
    size_t size = wf_dtype_size(dtype);

    for (int64_t i = 0; i < count; i++) {
        int64_t v = dtype == WF_BOOL ? from[i] != 0 : from[i];

        memcpy((char *)to + (size_t)i * size, &v, size);
    }
}

static wf_array *from_typed(OxRun *r, const OxTensor *t, wf_dtype dtype, int64_t count)
{
    int bits = ox_bits(t->type);
    size_t there = typed_count(t), need = bits < 8 ? ((size_t)count * (size_t)bits + 7) / 8 : (size_t)count;
    wf_array *a = NULL;
    unsigned char *packed;

    if (there != need || (count && (t->type == OX_FLOAT ? !t->floats.n : t->floats.n != 0)) ||
        (count && (t->type == OX_DOUBLE ? !t->doubles.n : t->doubles.n != 0)))
        return tensor_fail(r, t, "as many numbers as its type asks for are not there"), NULL;
    if (bits < 8) {
        if (!(packed = ox_alloc(&r->mem, need + 1, 1)))
            return NULL;
        copy_ints(t, WF_U8, (int64_t)need, packed);
        return unpack(r, t, packed, count);
    }
    if (wf_array_new(r->c, dtype, t->dims.v, (int)t->dims.n, &a) || !count)
        return a;
    if (t->floats.n)
        memcpy(wf_array_data_mutable(a), t->floats.v, (size_t)count * 4);
    else if (t->doubles.n)
        memcpy(wf_array_data_mutable(a), t->doubles.v, (size_t)count * 8);
    else
        copy_ints(t, dtype, count, wf_array_data_mutable(a));
    return a;
}

wf_array *ox_array(OxRun *r, const OxTensor *t)
{
    wf_dtype dtype = ox_dtype(t->type);
    int64_t count;

    if (dtype == WF_INVALID && ox_bits(t->type) <= 8 && ox_bits(t->type))
        dtype = WF_U8;
    if (dtype == WF_INVALID)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "tensor '%.80s' is of type %s", t->name ? t->name : "",
                       ox_elem_name(t->type)),
               NULL;
    if (!count_of(r, t, &count))
        return NULL;
    /* Numbers that are not there: no memory is taken before it is clear. */
    return t->location == 1 || typed_count(t) == 0 ? from_raw(r, t, dtype, count) : from_typed(r, t, dtype, count);
}

wf_array *ox_halves(OxRun *r, const OxTensor *t)
{
    OxTensor bytes = *t;
    int64_t count, *dims = ox_alloc(&r->mem, t->dims.n + 1, sizeof *dims);

    if (!dims || !count_of(r, t, &count))
        return NULL;
    if (t->dims.v[t->dims.n - 1] % 2 == 0) {
        memcpy(dims, t->dims.v, t->dims.n * sizeof *dims);
        dims[t->dims.n - 1] /= 2;
    } else {
        *dims = (count + 1) / 2;
        bytes.dims.n = 1;
    }
    bytes.dims.v = dims;
    bytes.type = t->type == OX_INT4 ? OX_INT8 : OX_UINT8;
    return ox_array(r, &bytes);
}

wf_tensor ox_halves_apart(OxRun *r, wf_tensor x, const OxTensor *t)
{
    wf_ctx *c = r->c;
    wf_tensor four = wf_scalar(c, wf_dtype_of(c, x), 4), half[2], both;
    int64_t count = 1, twice = 2 * wf_count(c, x);

    for (size_t i = 0; i < t->dims.n; i++)
        count *= t->dims.v[i];
    half[0] = t->type == OX_INT4 ? wf_shift_right(c, wf_shift_left(c, x, four), four)
                                 : wf_bitwise_and(c, x, wf_scalar(c, WF_U8, 15));
    half[1] = wf_shift_right(c, x, four);
    both = wf_stack(c, half, 2, wf_rank(c, x));
    if (twice != count) /* an odd number of them, all in a row */
        both = wf_narrow(c, wf_reshape(c, both, &twice, 1), 0, 0, count);
    return wf_reshape(c, both, t->dims.v, (int)t->dims.n);
}

OxValue ox_constant(OxRun *r, const OxTensor *t)
{
    OxValue v = {.kind = OX_TENSOR, .narrow = ox_dtype(t->type) == WF_INVALID ? (OxElem)t->type : 0};
    wf_array *a;

    if (t->type == OX_STRING)
        return (OxValue){.kind = OX_STRINGS};
    a = ox_array(r, t);
    v.t = a ? wf_from_array(r->c, a) : WF_NONE;
    wf_array_release(a);
    return v;
}

/* values[k] at indices[k], which are of rank 1 (row-major places) or 2 (a row of coordinates each). */
wf_array *ox_sparse(OxRun *r, const OxSparse *s)
{
    OxTensor dense = {.type = s->values ? s->values->type : 0, .name = s->values ? s->values->name : NULL};
    wf_array *v = NULL, *ix = NULL, *a = NULL;
    int64_t count, n, width;
    size_t size;

    dense.dims.v = s->dims.v;
    dense.dims.n = s->dims.n;
    if (!s->values || !s->indices || !count_of(r, &dense, &count))
        return ox_ok(r) ? (ox_fail(r, WF_ERR_FORMAT, "a sparse tensor without values or indices"), NULL) : NULL;
    if (count > (int64_t)1 << 24 || !(v = ox_array(r, s->values)) || !(ix = ox_array(r, s->indices)))
        goto done;
    n = wf_array_count(v);
    width = wf_array_rank(ix) == 2 ? wf_array_dims(ix)[1] : 1;
    size = wf_dtype_size(wf_array_dtype(v));
    if (wf_array_dtype(ix) != WF_I64 || wf_array_count(ix) != n * width ||
        (wf_array_rank(ix) == 2 && width != (int64_t)s->dims.n)) {
        tensor_fail(r, s->values, "indices of another shape");
        goto done;
    }
    if (wf_array_new(r->c, wf_array_dtype(v), s->dims.v, (int)s->dims.n, &a))
        goto done;
    for (int64_t k = 0; k < n; k++) {
        const int64_t *at = (const int64_t *)wf_array_data(ix) + k * width;
        int64_t place = wf_array_rank(ix) == 2 ? 0 : at[0];

        for (int64_t d = 0; d < width && wf_array_rank(ix) == 2; d++)
            place = at[d] < 0 || at[d] >= s->dims.v[d] ? -1 : place < 0 ? -1 : place * s->dims.v[d] + at[d];
        if (place < 0 || place >= count) {
            tensor_fail(r, s->values, "an index outside its sizes");
            break;
        }
        memcpy((char *)wf_array_data(a) + (size_t)place * size, (char *)wf_array_data(v) + (size_t)k * size, size);
    }
done:
    if (!ox_ok(r)) {
        wf_array_release(a);
        a = NULL;
    }
    wf_array_release(v);
    wf_array_release(ix);
    if (!a && ox_ok(r))
        ox_fail(r, WF_ERR_LIMIT, "a sparse tensor is too large");
    return a;
}
