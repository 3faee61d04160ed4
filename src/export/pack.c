/* pack.c -- filters of convolutions in the order in which they are multiplied, where nobody but convolutions reads
 * them and no method changes them.
 *
 * A panel has 128 bytes of filters side by side for each element that is summed over: [group][panel][in, taps][wide],
 * the last panel filled up with zeros. For Winograd's F(2x2, 3x3) (kernels/conv_winograd.h) they are transformed:
 * G g G' of a filter g of 3x3 gives 16 points, [group][panel][point][in][wide].
 */
#include "export/export.h"

static int64_t spec(Ints list, uint32_t i) { return list.n ? list.v[i] : i; }
static bool is_one(Ints list)
{
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] != 1)
            return false;
    return true;
}

int64_t filter_columns(wf_dtype t) { return 128 / (int64_t)wf_dtype_size(t); }

/* ---- which ------------------------------------------------------------------------- */

typedef struct ConvShape { /* of a convolution whose sizes but the batch are known */
    int64_t in, out, taps, places; /* of a group */
    int64_t rows, cols;            /* of squares of 2 by 2 places */
} ConvShape;

static bool shape_of(const Program *p, const Eqn *e, ConvShape *s)
{
    const ConvAttr *a = e->attr;
    Type w = val_type(p, eqn_in(p, e)[1]), z = val_type(p, e->out);

    *s = (ConvShape){.taps = 1, .places = 1, .rows = 1, .cols = 1};
    for (uint32_t i = 0; i < w.rank; i++)
        if (w.dims[i] < 0 || (i > 0 && z.dims[spec(a->out_spec, i)] < 0))
            return false;
    if (a->groups < 1)
        return false;
    s->in = w.dims[spec(a->rhs_spec, 1)];
    s->out = w.dims[spec(a->rhs_spec, 0)] / a->groups;
    for (uint32_t i = 2; i < w.rank; i++) {
        int64_t n = z.dims[spec(a->out_spec, i)];

        s->taps *= w.dims[spec(a->rhs_spec, i)];
        s->places *= n;
        s->rows = s->cols;
        s->cols = (n + 1) / 2;
    }
    return true;
}

static bool is_in_order(Ints list)
{
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] != i)
            return false;
    return true;
}

/* As is_winograd of kernels/conv_winograd.h has it. */
static bool is_winograd(const Program *p, const Eqn *e, const ConvShape *s)
{
    const ConvAttr *a = e->attr;
    Type w = val_type(p, eqn_in(p, e)[1]);

    return w.dtype == WF_F32 && w.rank == 4 && w.dims[spec(a->rhs_spec, 2)] == 3 &&
           w.dims[spec(a->rhs_spec, 3)] == 3 && is_one(a->stride) && is_one(a->rhs_dilation) && s->in >= 16 &&
           2 * s->rows * s->cols * 16 < 3 * 9 * s->places / 2 && s->rows * s->cols >= 9;
}

Packing c_packing(const Program *p, const Eqn *e)
{
    const ConvAttr *a = e->attr;
    wf_dtype x = (wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype, w = (wf_dtype)val_type(p, eqn_in(p, e)[1]).dtype;
    ConvShape s;

    if (x != w || (wf_dtype)a->acc != w || (w != WF_F32 && w != WF_F64) || val_type(p, e->out).rank > 5 ||
        a->batch_groups != 1 || !is_one(a->lhs_dilation) || !is_in_order(a->out_spec) || !shape_of(p, e, &s))
        return PACK_NOT;
    if (s.out < 16 || s.places < 8 || s.in * s.taps < 8) /* few numbers: nothing is won */
        return PACK_NOT;
    return is_winograd(p, e, &s) ? PACK_WINOGRAD : PACK_PANELS;
}

int64_t c_packed_group(const Program *p, const Eqn *e)
{
    int64_t wide = filter_columns((wf_dtype)val_type(p, e->out).dtype);
    ConvShape s = {0};

    shape_of(p, e, &s);
    return (s.out + wide - 1) / wide * wide * s.in * (c_packing(p, e) == PACK_WINOGRAD ? 16 : s.taps);
}

int64_t c_packed_work(const Program *p, const Eqn *e)
{
    int64_t wide = filter_columns((wf_dtype)val_type(p, e->out).dtype), k, width, blocks, most, step, plane;
    ConvShape s = {0};

    shape_of(p, e, &s);
    if (c_packing(p, e) == PACK_PANELS) { /* as wx_convolve_panels has them: sums, patches */
        k = s.in * s.taps;
        width = k <= 1024 ? 96 : k <= 2048 ? 48 : 24;
        return width * (wide + k);
    }
    blocks = (s.rows * s.cols + 63) / 64; /* as wx_winograd: data, two rows of results, planes, sums */
    most = blocks > s.rows ? 1 : (s.rows + blocks - 1) / blocks;
    step = most * s.cols + 16;
    plane = (most + 1) * (s.cols + 1) + 16;
    return 16 * (s.in * step + 16) + 4 * s.cols * wide + 4 * plane + 16 * step * wide;
}

bool c_packed_alike(const Program *p, const Eqn *e, const Program *q, const Eqn *d)
{
    const ConvAttr *a = e->attr, *b = d->attr;
    uint32_t rank = val_type(p, e->out).rank;

    for (uint32_t i = 0; i < rank; i++)
        if (rank != val_type(q, d->out).rank || spec(a->rhs_spec, i) != spec(b->rhs_spec, i))
            return false;
    return c_packing(p, e) == c_packing(q, d) && a->groups == b->groups &&
           c_packed_group(p, e) == c_packed_group(q, d);
}

/* ---- how --------------------------------------------------------------------------- */

/* One step of G on three numbers. */
static void transform_line(const float *g, int64_t step, float *y, int64_t to)
{
    float h = (g[0] + g[2 * step]) * 0.5f, k = g[step] * 0.5f;

    y[0] = g[0];
    y[to] = h + k;
    y[2 * to] = h - k;
    y[3 * to] = g[2 * step];
}

/* points[16 * step] of taps[9]. */
static void transform_filter(const float *taps, float *points, int64_t step)
{
    float half[12];

    for (int i = 0; i < 3; i++)
        transform_line(taps + i, 3, half + i, 3); /* G g, of columns */
    for (int i = 0; i < 4; i++)
        transform_line(half + 3 * i, 1, points + 4 * i * step, step);
}

/* The element of a filter at the axes' places: o of all filters, i, and tap t. */
static int64_t element_at(const ConvAttr *a, Type w, int64_t o, int64_t i, int64_t t)
{
    int64_t at[MAX_RANK] = {0}, n = 0;

    at[spec(a->rhs_spec, 0)] = o;
    at[spec(a->rhs_spec, 1)] = i;
    for (uint32_t k = w.rank; k-- > 2; t /= w.dims[spec(a->rhs_spec, k)])
        at[spec(a->rhs_spec, k)] = t % w.dims[spec(a->rhs_spec, k)];
    for (uint32_t k = 0; k < w.rank; k++)
        n = n * w.dims[k] + at[k];
    return n;
}

const void *c_pack_filters(Arena *mem, const Program *p, const Eqn *e, const void *filters)
{
    const ConvAttr *a = e->attr;
    Type w = val_type(p, eqn_in(p, e)[1]);
    int64_t size = (int64_t)wf_dtype_size((wf_dtype)w.dtype), wide = filter_columns((wf_dtype)w.dtype);
    int64_t group = c_packed_group(p, e);
    bool winograd = c_packing(p, e) == PACK_WINOGRAD;
    char *out = arena_zalloc(mem, (size_t)(a->groups * group * size));
    const char *from = filters;
    ConvShape s = {0};

    shape_of(p, e, &s);
    for (int64_t o = 0; o < a->groups * s.out; o++) {
        int64_t panel = o % s.out / wide, column = o % s.out % wide, each = winograd ? 16 : s.taps;
        char *to = out + (o / s.out * group + panel * each * s.in * wide + column) * size;

        for (int64_t i = 0; i < s.in; i++) {
            float taps[9];

            for (int64_t t = 0; t < s.taps; t++)
                memcpy(winograd ? (char *)&taps[t] : to + (i * s.taps + t) * wide * size,
                       from + element_at(a, w, o, i, t) * size, (size_t)size);
            if (winograd)
                transform_filter(taps, (float *)(void *)to + i * wide, s.in * wide);
        }
    }
    return out;
}
