/* step_dot.c -- dot_general and conv_general, by the routines of products.
 *
 * As step_dot.c of the runtime: operands are used as they lie, by strides, if axes of the
 * same role can be walked as one; else they are copied into an order where they can. Half
 * floats are widened first; other dtypes that differ are cast to f64.
 */
#include "export/export.h"

/* An operand on its way to the routine. */
typedef struct Side {
    const char *at;
    wf_dtype type;
    uint32_t rank;
    Dim dims[MAX_RANK], stride[MAX_RANK];
} Side;

static Side side_of(Func *f, uint32_t i)
{
    Val v = in_of(f, i);
    Side s = {.at = c_at_of(f, v), .type = dtype_of(f, v), .rank = rank_of(f, v)};

    memcpy(s.stride, c_stride_of(f, v), s.rank * sizeof *s.stride);
    for (uint32_t k = 0; k < s.rank; k++)
        s.dims[k] = c_size_of(f, v, k);
    return s;
}

static Dim side_count(Func *f, const Side *s)
{
    Dim n = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        n = dim_mul(&f->dims, n, s->dims[i]);
    return n;
}

/* What is multiplied in: all f64, or f32 where all are f32 or half floats. */
static wf_dtype work_type(wf_dtype x, wf_dtype y, wf_dtype acc)
{
    wf_dtype all[] = {x, y, acc};

    if (!dtype_is_float(acc))
        return acc;
    for (int i = 0; i < 3; i++)
        if (all[i] != WF_F32 && all[i] != WF_F16 && all[i] != WF_BF16)
            return WF_F64;
    return WF_F32;
}

/* ---- casts and copies before and after ---------------------------------------------- */

static const char *new_array(Func *f, wf_dtype t, Dim count, const char *wish)
{
    const char *name = c_unique(f->a, &f->names, wish), *type = c_type(t);

    c_put_line(f, "%s *const %s = %s;", type, name,
             step_memory(f, c_most_of(f, count) * (int64_t)wf_dtype_size(t), type));
    return name;
}

static void write_cast(Func *f, const Side *s, wf_dtype to, const char *at,
                       const Dim *stride)
{
    const char *i[MAX_RANK];

    c_open_block(f, "%s", "");
    for (uint32_t k = 0; k < s->rank; k++) {
        i[k] = arena_printf(f->a, "i%u", k);
        if (k + 1 == s->rank)
            c_put_line(f, "WX_VECTOR");
        c_open_for(f, i[k], c_dim_in(f, s->dims[k]));
    }
    c_put_line(
        f, "const %s v0 = %s;", c_value(s->type),
        c_load(f->c, s->type,
               arena_printf(f->a, "%s[%s]", s->at, c_index(f, s->rank, i, s->stride))));
    c_put_line(f, "%s[%s] = %s;", at, c_index(f, s->rank, i, stride),
             c_store(f->c, to, c_cast(f->c, s->type, to, "v0")));
    for (uint32_t k = 0; k < s->rank + 1; k++)
        c_close_block(f);
}

/* The operand in another dtype, or in another order (NULL: as it is), row-major in it. */
static void side_copy(Func *f, Side *s, wf_dtype to, const int64_t *order)
{
    const char *at = new_array(f, to, side_count(f, s), "copy");
    Dim stride[MAX_RANK], step = 1;

    for (uint32_t i = s->rank; i-- > 0;) {
        int64_t axis = order ? order[i] : i;

        stride[axis] = step;
        step = dim_mul(&f->dims, step, s->dims[axis]);
    }
    if (s->type == to)
        write_move(f, s->rank, s->dims, to, at, stride, s->at, s->stride);
    else
        write_cast(f, s, to, at, stride);
    s->at = at;
    s->type = to;
    memcpy(s->stride, stride, s->rank * sizeof *stride);
}

/* ---- axes by role -------------------------------------------------------------------- */

typedef struct Axis {
    Dim size, stride;
} Axis;

/* The axes as one; false if no single stride walks them. */
static bool one_axis(Func *f, const Side *s, Ints axes, Axis *out)
{
    *out = (Axis){1, 1};
    for (uint32_t i = axes.n; i-- > 0;) {
        Dim d = s->dims[axes.v[i]], stride = s->stride[axes.v[i]];

        if (d == 1)
            continue;
        if (out->size == 1)
            out->stride = stride;
        else if (stride != dim_mul(&f->dims, out->stride, out->size))
            return false;
        out->size = dim_mul(&f->dims, out->size, d);
    }
    return true;
}

/* ---- products ------------------------------------------------------------------------ */

#define BLOCK_K 256 /* as wx_blocks has them */
#define BLOCK_M 120
#define BLOCK_N 512
#define TILE_M  12
#define TILE_N  32

static int64_t rounded(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* Elements of workspace that wx_gemm needs for sizes up to these. */
static int64_t gemm_work(int64_t m, int64_t n, int64_t k)
{
    return MIN(k, BLOCK_K) *
           (rounded(MIN(n, BLOCK_N), TILE_N) + rounded(MIN(m, BLOCK_M), TILE_M));
}

static const char *result_at(Func *f, wf_dtype work, wf_dtype acc)
{
    Val z = out_of(f, 0);

    return work == acc ? c_at_of(f, z) : new_array(f, work, c_count_of(f, z), "product");
}

static void cast_back(Func *f, const char *at, wf_dtype work, wf_dtype acc)
{
    Val z = out_of(f, 0);
    Side s = {.at = at, .type = work, .rank = 1, .dims = {c_count_of(f, z)}, .stride = {1}};
    const Dim one[] = {1};

    if (work != acc)
        write_cast(f, &s, acc, c_at_of(f, z), one);
}

/* Loops over the batch axes; what they add to the pointers. */
static uint32_t open_batch(Func *f, const Side *x, const DotRoles *rx, const Side *y,
                           const DotRoles *ry, Dim each, const char **a, const char **b,
                           const char **c)
{
    const char *i[MAX_RANK];
    Dim dims[MAX_RANK], sa[MAX_RANK], sb[MAX_RANK], sc[MAX_RANK];
    const Dim *dense;
    uint32_t n = rx->batch.n;

    for (uint32_t k = 0; k < n; k++) {
        i[k] = arena_printf(f->a, "i%u", k);
        dims[k] = x->dims[rx->batch.v[k]];
        sa[k] = x->stride[rx->batch.v[k]];
        sb[k] = y->stride[ry->batch.v[k]];
        c_open_for(f, i[k], c_dim_in(f, dims[k]));
    }
    dense = c_row_major(f, n, dims);
    for (uint32_t k = 0; k < n; k++)
        sc[k] = dim_mul(&f->dims, dense[k], each);
    if (n) {
        *a = arena_printf(f->a, "%s + %s", *a, c_index(f, n, i, sa));
        *b = arena_printf(f->a, "%s + %s", *b, c_index(f, n, i, sb));
        *c = arena_printf(f->a, "%s + %s", *c, c_index(f, n, i, sc));
    }
    return n;
}

/* Products of few rows, whose strides say which way they go, need no blocks. */
typedef enum Thin { THIN_NOT, THIN_INNER, THIN_ROWS } Thin;

typedef struct Product {
    Axis m, n, k, k2;
    const char *a, *b, *c;
} Product;

static Thin thin_kind(Func *f, const Axis *m, const Axis *n, const Axis *k,
                      const Axis *k2)
{
    if (c_most_of(f, m->size) > 4)
        return THIN_NOT;
    if (k2->stride == 1 && k->stride == 1)
        return THIN_INNER;
    return n->stride == 1 ? THIN_ROWS : THIN_NOT;
}

static void write_thin(Func *f, wf_dtype work, Thin kind, Product p)
{
    const char *a = p.a, *c = p.c, *n = c_dim_in(f, p.n.size), *k = c_dim_in(f, p.k.size);
    bool rows = p.m.size != 1;

    if (rows) {
        c_open_for(f, "j0", c_dim_in(f, p.m.size));
        a = arena_printf(f->a, "%s + j0 * %s", a, c_dim_in(f, p.m.stride));
        c = arena_printf(f->a, "%s + j0 * %s", c, n);
    }
    if (kind == THIN_INNER)
        c_put_line(f, "%s(%s, %s, %s, %s, %s, %s);",
                 c_need_of(f->c, "inner_products", work), n, k, a, p.b,
                 c_dim_in(f, p.n.stride), c);
    else
        c_put_line(f, "%s(%s, %s, %s, %s, %s, %s, %s);",
                 c_need_of(f->c, "rows_added", work), n, k, a, c_dim_in(f, p.k.stride), p.b,
                 c_dim_in(f, p.k2.stride), c);
    if (rows)
        c_close_block(f);
}

bool step_dot(Func *f)
{
    const DotAttr *d = f->e->attr;
    wf_dtype acc = (wf_dtype)d->acc;
    Side x = side_of(f, 0), y = side_of(f, 1);
    wf_dtype work = work_type(x.type, y.type, acc);
    const char *a, *b, *c, *space = "", *out;
    DotRoles rx, ry;
    Axis m, n, k, k2;
    uint32_t loops;
    Thin thin;

    dot_roles(&rx, x.rank, d->lhs_batch, d->lhs, true);
    dot_roles(&ry, y.rank, d->rhs_batch, d->rhs, false);
    if (x.type != work || !one_axis(f, &x, rx.free, &m) || !one_axis(f, &x, rx.sum, &k))
        side_copy(f, &x, work, rx.order);
    if (y.type != work || !one_axis(f, &y, ry.free, &n) || !one_axis(f, &y, ry.sum, &k2))
        side_copy(f, &y, work, ry.order);
    one_axis(f, &x, rx.free, &m);
    one_axis(f, &x, rx.sum, &k);
    one_axis(f, &y, ry.free, &n);
    one_axis(f, &y, ry.sum, &k2);
    out = result_at(f, work, acc);
    thin = dtype_is_float(work) ? thin_kind(f, &m, &n, &k, &k2) : THIN_NOT;
    if (dtype_is_float(work) && !thin) {
        int64_t m_most = c_most_of(f, m.size), n_most = c_most_of(f, n.size),
                k_most = c_most_of(f, k.size);
        int64_t bytes =
            MAX(gemm_work(m_most, n_most, k_most), gemm_work(n_most, m_most, k_most)) *
            (int64_t)wf_dtype_size(work);

        space = arena_printf(f->a, ", %s", step_memory(f, bytes, c_type(work)));
    }
    a = x.at, b = y.at, c = out;
    loops =
        open_batch(f, &x, &rx, &y, &ry, dim_mul(&f->dims, m.size, n.size), &a, &b, &c);
    if (thin)
        write_thin(f, work, thin, (Product){m, n, k, k2, a, b, c});
    else
        c_put_line(f, "%s(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s%s);",
                 c_need_of(f->c, "matmul", work), c_dim_in(f, m.size), c_dim_in(f, n.size),
                 c_dim_in(f, k.size), a, c_dim_in(f, m.stride), c_dim_in(f, k.stride), b,
                 c_dim_in(f, k2.stride), c_dim_in(f, n.stride), c, c_dim_in(f, n.size), space);
    while (loops--)
        c_close_block(f);
    cast_back(f, out, work, acc);
    return true;
}

/* ---- convolutions -------------------------------------------------------------------- */

static int64_t spec(Ints list, uint32_t i) { return list.n ? list.v[i] : i; }

typedef struct Spatial { /* one axis */
    Dim x, w, out, pad, x_step, w_step, out_step;
    int64_t stride, x_dilation, w_dilation;
} Spatial;

typedef struct Conv {
    const ConvAttr *a;
    Side x, w;
    const Dim *zdims, *zstride;
    wf_dtype work;
    Spatial axis[3]; /* the last ones; others of size 1 */
    int64_t xn, xc, wo, wi, zn, zc;
} Conv;

static void conv_spatial(Func *f, Conv *c)
{
    uint32_t n = c->x.rank - 2;

    for (uint32_t i = 0; i < 3; i++)
        c->axis[i] = (Spatial){1, 1, 1, 0, 0, 0, 0, 1, 1, 1};
    for (uint32_t i = 0; i < n; i++) {
        int64_t xa = spec(c->a->lhs_spec, i + 2), wa = spec(c->a->rhs_spec, i + 2),
                za = spec(c->a->out_spec, i + 2);

        c->axis[3 - n + i] =
            (Spatial){c->x.dims[xa],
                      c->w.dims[wa],
                      c->zdims[za],
                      c->a->pad_lo.n ? c_dim_of(f, c->a->pad_lo.v[i]) : 0,
                      c->x.stride[xa],
                      c->w.stride[wa],
                      c->zstride[za],
                      c->a->stride.n ? c->a->stride.v[i] : 1,
                      c->a->lhs_dilation.n ? c->a->lhs_dilation.v[i] : 1,
                      c->a->rhs_dilation.n ? c->a->rhs_dilation.v[i] : 1};
    }
}

/* Filters of one element, moved by one: the image is one long row. */
static void merge_points(Func *f, Conv *c)
{
    Spatial *last = &c->axis[2];
    Dims *t = &f->dims;

    for (int i = 0; i < 3; i++) {
        Spatial *s = &c->axis[i];

        if (s->w != 1 || s->stride != 1 || s->pad || s->x_dilation != 1 || s->x != s->out)
            return;
    }
    for (int i = 1; i >= 0; i--) {
        Spatial *s = &c->axis[i];

        if (s->x == 1)
            continue;
        if (s->x_step != dim_mul(t, last->x_step, last->x) ||
            s->out_step != dim_mul(t, last->out_step, last->out))
            return;
        last->x = last->out = dim_mul(t, last->x, s->x);
        *s = (Spatial){1, 1, 1, 0, 0, 0, 0, 1, 1, 1};
    }
}

static const char *three(Func *f, Dim a, Dim b, Dim c)
{
    return arena_printf(f->a, "{%s, %s, %s}", c_dim_in(f, a), c_dim_in(f, b), c_dim_in(f, c));
}

#define THREE(field) three(f, s[0].field, s[1].field, s[2].field)

/* const wx_conv_f32 q = {..}; */
static void write_conv(Func *f, const Conv *c, Dim batch, Dim in, Dim out, const char *x)
{
    const Spatial *s = c->axis;

    c_put_line(f, "const %s q = {", c_need_of(f->c, "conv", c->work));
    c_put_line(f, "    .batch = %s, .in_channels = %s, .out_channels = %s,",
             c_dim_in(f, batch), c_dim_in(f, in), c_dim_in(f, out));
    c_put_line(f, "    .x_size = %s, .w_size = %s, .out_size = %s,", THREE(x), THREE(w),
             THREE(out));
    c_put_line(f, "    .stride = %s, .pad = %s,", THREE(stride), THREE(pad));
    c_put_line(f, "    .x_dilation = %s, .w_dilation = %s,", THREE(x_dilation),
             THREE(w_dilation));
    c_put_line(f, "    .x_batch = %s, .x_channel = %s, .x_step = %s,",
             c_dim_in(f, c->x.stride[c->xn]), c_dim_in(f, c->x.stride[c->xc]), THREE(x_step));
    c_put_line(f, "    .w_out = %s, .w_in = %s, .w_step = %s,",
             c_dim_in(f, c->w.stride[c->wo]), c_dim_in(f, c->w.stride[c->wi]), THREE(w_step));
    c_put_line(f, "    .out_batch = %s, .out_channel = %s, .out_step = %s, .x = %s};",
             c_dim_in(f, c->zstride[c->zn]), c_dim_in(f, c->zstride[c->zc]),
             c_dim_in(f, s[2].out_step), x);
}

/* Is one stride enough for all places of the result? */
static bool is_one_row(Func *f, const Conv *c)
{
    const Spatial *s = c->axis;
    Dim step = s[2].out_step, size = s[2].out;

    for (int i = 1; i >= 0; i--) {
        if (s[i].out != 1 && size != 1 && s[i].out_step != dim_mul(&f->dims, step, size))
            return false;
        if (size == 1)
            step = s[i].out_step;
        size = dim_mul(&f->dims, size, s[i].out);
    }
    return true;
}

static int64_t conv_work(Func *f, const Conv *c, Dim out, Dim batch, Dim in)
{
    int64_t taps = 1, places = c_most_of(f, batch), k;

    for (int i = 0; i < 3; i++) {
        taps *= c_most_of(f, c->axis[i].w);
        places *= c_most_of(f, c->axis[i].out);
    }
    k = taps * c_most_of(f, in);
    return (k * c_most_of(f, out) + gemm_work(c_most_of(f, out), places, k)) *
           (int64_t)wf_dtype_size(c->work);
}

/* The filters of the convolution as they are in the caller's struct. */
static Packing packing_of(const Func *f)
{
    Val w = in_of(f, 1);

    return f->packing && w <= f->p->nin ? (Packing)f->packing[w - 1] : PACK_NOT;
}

static bool conv_init(Func *f, Conv *c)
{
    const ConvAttr *a = c->a = f->e->attr;
    Val z = out_of(f, 0);
    Dim *zdims = arena_array(f->a, MAX_RANK, sizeof *zdims);

    c->x = side_of(f, 0);
    c->w = side_of(f, 1);
    c->work = work_type(c->x.type, c->w.type, (wf_dtype)a->acc);
    if (!dtype_is_float(c->work) || c->x.rank > 5)
        return refuse_step(f, "%s",
                           !dtype_is_float(c->work) ? "of integers"
                                                    : "of more than three axes");
    if (c->x.type != c->work)
        side_copy(f, &c->x, c->work, NULL);
    if (c->w.type != c->work)
        side_copy(f, &c->w, c->work, NULL);
    for (uint32_t i = 0; i < c->x.rank; i++)
        zdims[i] = c_size_of(f, z, i);
    c->zdims = zdims;
    c->zstride = c_row_major(f, c->x.rank, zdims);
    c->xn = spec(a->lhs_spec, 0), c->xc = spec(a->lhs_spec, 1);
    c->wo = spec(a->rhs_spec, 0), c->wi = spec(a->rhs_spec, 1);
    c->zn = spec(a->out_spec, 0), c->zc = spec(a->out_spec, 1);
    conv_spatial(f, c);
    merge_points(f, c);
    if (!is_one_row(f, c))
        return refuse_step(f, "%s", "the axes of the result lie apart");
    return true;
}

bool step_conv(Func *f)
{
    Conv c;
    Dims *t = &f->dims;
    Dim groups, split, batch, in, out;
    static const char *const routines[] = {"convolve", "convolve_panels", "winograd"};
    const char *to, *work, *g;
    Packing packing = packing_of(f);

    if (c_count_of(f, out_of(f, 0)) == 0)
        return true;
    if (!conv_init(f, &c))
        return false;
    groups = c_dim_of(f, c.a->groups);
    split = c_dim_of(f, c.a->batch_groups);
    batch = c.zdims[c.zn];
    in = c.w.dims[c.wi];
    out = dim_div(t, c.zdims[c.zc], dim_mul(t, groups, split));
    to = result_at(f, c.work, (wf_dtype)c.a->acc);
    work = step_memory(f,
                       packing ? c_packed_work(f->p, f->e) * (int64_t)wf_dtype_size(c.work)
                               : conv_work(f, &c, out, batch, in),
                       c_type(c.work));
    g = groups == 1 && split == 1 ? "0" : "i0";
    if (*g == '0')
        c_open_block(f, "%s", "");
    else
        c_open_for(f, "i0", c_dim_in(f, dim_mul(t, groups, split)));
    write_conv(f, &c, batch, in, out,
               *g == '0'    ? c.x.at
               : split != 1 ? arena_printf(f->a, "%s + i0 * %s", c.x.at,
                                           c_dim_in(f, dim_mul(t, batch, c.x.stride[c.xn])))
                            : arena_printf(f->a, "%s + i0 * %s", c.x.at,
                                           c_dim_in(f, dim_mul(t, in, c.x.stride[c.xc]))));
    c_put_line(f, "%s(&q, %s + %s * %s, %s + %s * %s, %s);",
             c_need_of(f->c, routines[packing], c.work), c.w.at, g,
             c_dim_in(f, packing ? c_packed_group(f->p, f->e) : dim_mul(t, out, c.w.stride[c.wo])), to, g,
             c_dim_in(f, dim_mul(t, out, c.zstride[c.zc])), work);
    c_close_block(f);
    cast_back(f, to, c.work, (wf_dtype)c.a->acc);
    return true;
}
