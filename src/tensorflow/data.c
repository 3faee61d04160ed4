/* data.c -- TensorProto as numbers.
 *
 * They stand in tensor_content, little-endian and row-major, or one by one in a list for the type. A list may be shorter than
 * the shape: its last number stands for all that follow, zero if there is none.
 */
#include "tensorflow/tensorflow.h"

/* The sizes, all numbers; false with an error. */
static bool dims_of(OxRun *r, const TgTensor *t, int64_t *dims, int *rank, int64_t *count)
{
    size_t n = t->shape ? t->shape->dims.n : 0;
    bool zero = false;

    *count = 1;
    if (n > WF_MAX_RANK || (t->shape && t->shape->unknown_rank))
        return ox_fail(r, WF_ERR_FORMAT, "a tensor of %zu axes", n);
    for (size_t i = 0; i < n; i++) {
        dims[i] = t->shape->dims.v[i]->size;
        zero = zero || dims[i] == 0;
    }
    for (size_t i = 0; i < n; i++)
        if (dims[i] < 0 || (!zero && __builtin_mul_overflow(*count, dims[i], count)) ||
            *count > INT64_MAX / 32)
            return ox_fail(r, WF_ERR_FORMAT, "a tensor with sizes that cannot be");
    *rank = (int)n;
    *count = zero ? 0 : *count;
    return true;
}

typedef struct Listed { /* the list that a type has */
    const void *v;
    size_t n, size; /* of one number there */
} Listed;

static Listed listed(const TgTensor *t, wf_dtype d)
{
    switch (d) {
    case WF_F32: return (Listed){t->floats.v, t->floats.n, 4};
    case WF_F64: return (Listed){t->doubles.v, t->doubles.n, 8};
    case WF_C64: return (Listed){t->complexes.v, t->complexes.n / 2, 8};
    case WF_C128: return (Listed){t->dcomplexes.v, t->dcomplexes.n / 2, 16};
    case WF_F16:
    case WF_BF16: return (Listed){t->halves.v, t->halves.n, 8};
    case WF_I64: return (Listed){t->longs.v, t->longs.n, 8};
    case WF_BOOL: return (Listed){t->bools.v, t->bools.n, 8};
    case WF_U32: return (Listed){t->uints.v, t->uints.n, 8};
    case WF_U64: return (Listed){t->ulongs.v, t->ulongs.n, 8};
    default: return (Listed){t->ints.v, t->ints.n, 8};
    }
}

static void copy_listed(const Listed *l, wf_dtype d, void *to, int64_t count)
{
    size_t size = wf_dtype_size(d);

    for (int64_t i = 0; i < count; i++) {
        size_t k = MIN((size_t)i, l->n - 1);
        int64_t flag = 0;

        if (d == WF_BOOL)
            flag = ((const int64_t *)l->v)[k] != 0;
        memcpy((char *)to + (size_t)i * size,
               d == WF_BOOL ? (const char *)&flag : (const char *)l->v + k * l->size,
               size);
    }
}

static void drop_blob(void *blob) { blob_release(blob); }

static wf_array *from_content(OxRun *r, const TgTensor *t, wf_dtype d,
                              const int64_t *dims, int rank, int64_t count)
{
    size_t need = (size_t)count * wf_dtype_size(d);
    wf_array *a = NULL;

    if (t->content.size != need)
        return ox_fail(r, WF_ERR_FORMAT,
                       "a tensor of %zu bytes where its shape asks for %zu",
                       t->content.size, need),
               NULL;
    if (d == WF_BOOL) {
        if (!wf_array_from(r->c, d, dims, rank, t->content.data, &a))
            for (int64_t i = 0; i < count; i++)
                ((char *)wf_array_data(a))[i] = t->content.data[i] != 0;
        return a;
    }
    if (r->blob && need >= 4096 &&
        (uintptr_t)t->content.data % wf_dtype_size(d) == 0) { /* used where it is */
        if (wf_array_wrap(r->c, d, dims, rank, NULL, (void *)(uintptr_t)t->content.data,
                          drop_blob, blob_retain(r->blob), &a))
            blob_release(r->blob);
        return a;
    }
    wf_array_from(r->c, d, dims, rank, t->content.data, &a);
    return a;
}

wf_array *tg_array(OxRun *r, const TgTensor *t)
{
    wf_dtype d = tg_dtype(t->type);
    int64_t dims[WF_MAX_RANK], count;
    wf_array *a = NULL;
    Listed l;
    int rank;

    if (d == WF_INVALID)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "a constant of type %s",
                       tg_type_name(t->type)),
               NULL;
    if (!dims_of(r, t, dims, &rank, &count))
        return NULL;
    if (t->content.size)
        return from_content(r, t, d, dims, rank, count);
    l = listed(t, d);
    if (count > (int64_t)l.n && !ox_bounded(r, dims, rank, OX_FILLED))
        return NULL;
    if (!wf_array_new(r->c, d, dims, rank, &a) && l.n)
        copy_listed(&l, d, wf_array_data_mutable(a), count);
    else if (a && count)
        memset(wf_array_data_mutable(a), 0, (size_t)count * wf_dtype_size(d));
    return a;
}

OxValue tg_constant(OxRun *r, const TgTensor *t)
{
    OxValue v = {.kind = OX_TENSOR};
    wf_array *a;

    if (t->type == TG_STRING) {
        int64_t dims[WF_MAX_RANK], count;
        int rank;

        if (!dims_of(r, t, dims, &rank, &count))
            return v;
        v = (OxValue){.kind = OX_STRINGS,
                      .strings = t->strings.v,
                      .nitems = (int)MIN(t->strings.n, (size_t)INT32_MAX)};
        return v;
    }
    a = tg_array(r, t);
    v.t = a ? wf_from_array(r->c, a) : WF_NONE;
    wf_array_release(a);
    return v;
}

bool tg_is_weight(const TgTensor *t)
{
    wf_dtype d = tg_dtype(t->type);
    int64_t count = 1;

    if (d == WF_INVALID || !wf_dtype_is_float(d) || !t->shape || !t->shape->dims.n ||
        t->shape->dims.n > WF_MAX_RANK)
        return false;
    for (size_t i = 0; i < t->shape->dims.n; i++) {
        int64_t size = t->shape->dims.v[i]->size;

        count =
            size < 0 || size > INT32_MAX || count > INT32_MAX ? INT32_MAX : count * size;
    }
    return count > 1 && count < INT32_MAX &&
           (t->content.size || (int64_t)listed(t, d).n == count);
}
