/* step_dot.c -- dot_general and conv_general by the kernels of matmul and convolution.
 *
 * Operands are used as they lie in memory, by strides, if axes of the same role (batch,
 * free, contracted) can be walked as one; else they are copied into an order where they
 * can. What the kernels do not multiply in the wished dtypes is cast to f64 first, and
 * back; integers of more than 16 bits have loops of their own here, modulo 2^width.
 */
#include "runtime/step.h"

/* An operand on its way to the kernel. */
typedef struct Side {
    Use use;
    KType type;
    uint32_t rank;
    const int64_t *dims;
    int64_t stride[MAX_RANK]; /* in elements */
} Side;

static bool is_narrow(KType t) { return t == KT_F32 || t == KT_F16 || t == KT_BF16; }
static bool is_small(KType t) { return t == KT_I8 || t == KT_U8 || t == KT_I16; }
static bool has_small_kernel(KType x, KType y, KType z)
{
    return is_small(x) && is_small(y) && z == KT_I32;
}
static bool has_kernel(KType x, KType y, KType z)
{
    return (x == KT_F64 && y == KT_F64 && z == KT_F64) ||
           (is_narrow(x) && is_narrow(y) && is_narrow(z)) || has_small_kernel(x, y, z);
}

static Side side_of(Bind *b, uint32_t i)
{
    Val v = bind_in(b, i);
    Side s = {bind_use_of(b, v, USE_READ),
              (KType)bind_dtype(b, v),
              bind_rank(b, v),
              bind_dims(b, v),
              {0}};
    int64_t room[MAX_RANK];

    memcpy(s.stride, bind_strides(b, v, room), s.rank * sizeof *s.stride);
    return s;
}

static int64_t side_count(const Side *s) { return k_count((int)s->rank, s->dims); }

/* ---- casts and copies before the product ------------------------------------------- */

static bool run_cast(Frame *f, const Op *op)
{
    const void *in = op_at(f, op, 0);
    void *out = op_at(f, op, 1);

    kmap_run(op->data, &in, &out, &f->root->par);
    return true;
}

void bind_cast_to(Bind *b, Use from, KType from_type, const int64_t *stride, Use to,
                  KType to_type, uint32_t rank, const int64_t *dims)
{
    KMap *m = arena_alloc(b->a, sizeof *m);
    KSpace room;
    Op *op;

    kmap_init_cast(m, b->root->loops, from_type, to_type, (int)rank, dims, stride, &room);
    m->space[0] = arena_dup(b->a, &room, sizeof room);
    op = bind_op(b, run_cast, m);
    bind_use_at(b, op, from);
    bind_use_at(b, op, to);
}

static bool run_copy(Frame *f, const Op *op)
{
    kmove_run(op->data, op_at(f, op, 1), op_at(f, op, 0), &f->root->par);
    return true;
}

/* A workspace that one step of the equation writes and another reads. */
static Use scratch(Bind *b, size_t size)
{
    return (Use){bind_workspace(b, size), 0, (int64_t)size, 0, USE_WRITE, false};
}

static Use as_read(Use u)
{
    u.kind = USE_READ;
    return u;
}

/* The operand in another dtype, row-major. */
static void side_cast(Bind *b, Side *s, KType to)
{
    Use at;

    if (s->type == to)
        return;
    at = scratch(b, (size_t)side_count(s) * k_size(to));
    bind_cast_to(b, s->use, s->type, s->stride, at, to, s->rank, s->dims);
    s->use = as_read(at);
    s->type = to;
    k_row_major((int)s->rank, s->dims, s->stride);
}

/* A copy in which the axes lie in the given order; the axes keep their numbers. */
static void side_reorder(Bind *b, Side *s, const int64_t *order)
{
    int64_t to[MAX_RANK], step = 1;
    KMove *m = arena_alloc(b->a, sizeof *m);
    Use at;
    Op *op;

    for (uint32_t i = s->rank; i-- > 0; step *= MAX(s->dims[order[i]], 1))
        to[order[i]] = step;
    kmove_init(m, k_size(s->type), (int)s->rank, s->dims, to, s->stride);
    op = bind_op(b, run_copy, m);
    op->kind = OP_RUNS_MOVE;
    at = scratch(b, (size_t)side_count(s) * k_size(s->type));
    bind_use_at(b, op, s->use);
    bind_use_at(b, op, at);
    s->use = as_read(at);
    memcpy(s->stride, to, s->rank * sizeof *to);
}

/* ---- axes by role ------------------------------------------------------------------ */

typedef struct Axis {
    int64_t size, stride;
} Axis;

/* The axes as one; false if no single stride walks them. */
static bool one_axis(const Side *s, const int64_t *axes, uint32_t n, Axis *out)
{
    *out = (Axis){1, 1};
    for (uint32_t i = 0; i < n; i++)
        if (s->dims[axes[i]] == 0) {
            out->size = 0;
            return true;
        }
    for (uint32_t i = n; i-- > 0;) {
        int64_t d = s->dims[axes[i]], stride = s->stride[axes[i]];
        if (d == 1)
            continue;
        if (out->size == 1)
            out->stride = stride;
        else if (stride != out->stride * out->size)
            return false;
        out->size *= d;
    }
    return true;
}

/* Batch axes of both operands, merged where both allow it; how many remain. */
static int merge_batch(const Side *x, const DotRoles *rx, const Side *y, const DotRoles *ry,
                       KMatmul *m)
{
    int n = 0;
    int64_t size[MAX_RANK], sx[MAX_RANK], sy[MAX_RANK], c = m->m * m->n;

    for (uint32_t i = 0; i < rx->batch.n; i++) {
        int64_t d = x->dims[rx->batch.v[i]], a = x->stride[rx->batch.v[i]],
                b = y->stride[ry->batch.v[i]];
        if (d == 1)
            continue;
        if (n && sx[n - 1] == a * d && sy[n - 1] == b * d) {
            size[n - 1] *= d;
            sx[n - 1] = a;
            sy[n - 1] = b;
            continue;
        }
        size[n] = d;
        sx[n] = a;
        sy[n++] = b;
    }
    for (int i = MIN(n, K_BATCH) - 1; i >= 0; i--) {
        m->batch[i] = size[i];
        m->a_batch[i] = sx[i];
        m->b_batch[i] = sy[i];
        m->c_batch[i] = c;
        c *= size[i];
    }
    m->nbatch = MIN(n, K_BATCH);
    return n;
}

/* ---- matmul ------------------------------------------------------------------------ */

bool frame_lasting(const Frame *f, Ref r, uint64_t *since)
{
    uint32_t i = r.base - base_in(f->plan, 0);

    *since = 0;
    if (r.base == base_const(f->plan))
        return true;
    if (r.base < base_in(f->plan, 0) || i >= f->nfixed)
        return false;
    if (!f->known[i])
        *since = f->entry;
    return true;
}

/* The packed form of m.b, NULL if it has none. */
static const void *packed_operand(Frame *f, const Op *op)
{
    DotStep *s = op->data;
    uint64_t since;
    void *to;

    if (!s->keeps || !frame_lasting(f, op->use.v[DOT_Y].at, &since))
        return NULL;
    to = op_at(f, op, DOT_PACKED);
    if (s->from != s->m.b || s->entry != since) {
        kernels_matmul_pack(f->root->kernels, &s->m, &f->root->par, to);
        s->from = s->m.b;
        s->entry = since;
    }
    return to;
}

static bool run_dot(Frame *f, const Op *op)
{
    DotStep *s = op->data;

    s->m.a = op_at(f, op, DOT_X);
    s->m.b = op_at(f, op, DOT_Y);
    s->m.c = op_at(f, op, DOT_OUT);
    s->m.packed = packed_operand(f, op);
    kernels_matmul(f->root->kernels, &s->m, &f->root->par, op_at(f, op, DOT_WORK));
    return true;
}

/* Fills sizes and strides; copies operands whose axes cannot be walked as they lie. */
static void lay_out(Bind *b, Side *x, Side *y, const DotRoles *rx, const DotRoles *ry,
                    KMatmul *m)
{
    Axis free, sum;
    bool again;

    if (!one_axis(x, rx->free.v, rx->free.n, &free) ||
        !one_axis(x, rx->sum.v, rx->sum.n, &sum))
        side_reorder(b, x, rx->order);
    if (!one_axis(y, ry->free.v, ry->free.n, &free) ||
        !one_axis(y, ry->sum.v, ry->sum.n, &sum))
        side_reorder(b, y, ry->order);
    do {
        one_axis(x, rx->free.v, rx->free.n, &free);
        one_axis(x, rx->sum.v, rx->sum.n, &sum);
        m->m = free.size;
        m->k = sum.size;
        m->a_row = free.stride;
        m->a_col = sum.stride;
        one_axis(y, ry->free.v, ry->free.n, &free);
        one_axis(y, ry->sum.v, ry->sum.n, &sum);
        m->n = free.size;
        m->b_row = sum.stride;
        m->b_col = free.stride;
        again = merge_batch(x, rx, y, ry, m) > K_BATCH;
        if (again) {
            side_reorder(b, x, rx->order);
            side_reorder(b, y, ry->order);
        }
    } while (again);
    m->a_type = x->type;
    m->b_type = y->type;
    m->c_row = m->n;
    m->c_col = 1;
}

/* Integers: rows of z = sum over k of x[i,k] * row k of y, modulo 2^width. Uses: x y z. */
#define INT_ROWS(T)                                                                      \
    for (int64_t i = 0; i < m->m; i++) {                                                 \
        T *z = (T *)m->c + c + i * m->n;                                                 \
        memset(z, 0, (size_t)m->n * sizeof *z);                                          \
        for (int64_t k = 0; k < m->k; k++) {                                             \
            T u = ((const T *)m->a)[a + i * m->a_row + k * m->a_col];                    \
            const T *v = (const T *)m->b + w + k * m->b_row;                             \
            for (int64_t j = 0; j < m->n; j++)                                           \
                z[j] = (T)(z[j] + (uint64_t)u * v[j * m->b_col]);                        \
        }                                                                                \
    }                                                                                    \
    break

static void int_matmul(const KMatmul *m, int64_t a, int64_t w, int64_t c)
{
    switch (k_size(m->c_type)) {
    case 1: INT_ROWS(uint8_t);
    case 2: INT_ROWS(uint16_t);
    case 4: INT_ROWS(uint32_t);
    default: INT_ROWS(uint64_t);
    }
}

static bool run_int_dot(Frame *f, const Op *op)
{
    KMatmul *m = op->data;
    int64_t at[K_BATCH] = {0}, a, w, c;
    int i;

    m->a = op_at(f, op, DOT_X);
    m->b = op_at(f, op, DOT_Y);
    m->c = op_at(f, op, DOT_OUT);
    for (i = 0; i < m->nbatch; i++)
        if (m->batch[i] == 0)
            return true;
    do {
        a = w = c = 0;
        for (i = 0; i < m->nbatch; i++) {
            a += at[i] * m->a_batch[i];
            w += at[i] * m->b_batch[i];
            c += at[i] * m->c_batch[i];
        }
        if (cancelled(f->root->cx))
            return op_fail(f, op, WF_ERR_CANCELLED, "the run was cancelled");
        int_matmul(m, a, w, c);
        for (i = m->nbatch - 1; i >= 0 && ++at[i] == m->batch[i]; i--)
            at[i] = 0;
    } while (i >= 0);
    return true;
}

/* Bytes of workspace, whether y is packed or not; if it may be, its place. */
static size_t dot_workspace(Bind *b, DotStep *s, Ref y, Use *packed_at)
{
    const Kernels *k = b->root->kernels;
    size_t plain = kernels_matmul_workspace(k, &s->m, b->root->threads),
           size = kernels_matmul_packed_size(k, &s->m), packed;
    uint64_t since;

    if (!size || !frame_lasting(b->f, y, &since))
        return plain;
    s->keeps = true;
    *packed_at = (Use){bind_kept(b, size), 0, (int64_t)size, 0, USE_KEPT, false};
    s->m.packed = s; /* any address */
    packed = kernels_matmul_workspace(k, &s->m, b->root->threads);
    s->m.packed = NULL;
    return MAX(plain, packed);
}

static bool bind_int_dot(Bind *b, const DotAttr *a, Side *x, Side *y)
{
    KMatmul *m = arena_zalloc(b->a, sizeof *m);
    DotRoles rx, ry;
    Op *op;

    side_cast(b, x, (KType)a->acc);
    side_cast(b, y, (KType)a->acc);
    dot_roles(&rx, x->rank, a->lhs_batch, a->lhs, true);
    dot_roles(&ry, y->rank, a->rhs_batch, a->rhs, false);
    lay_out(b, x, y, &rx, &ry, m);
    m->c_type = (KType)a->acc;
    op = bind_op(b, run_int_dot, m);
    bind_use_at(b, op, x->use);
    bind_use_at(b, op, y->use);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    return true;
}

/* Where the product goes: to the result, or to what is cast to it. */
static Use work_use(Bind *b, KType work, KType acc)
{
    Val z = bind_out(b, 0);

    return work == acc ? bind_use_of(b, z, USE_WRITE)
                       : scratch(b, (size_t)bind_count(b, z) * k_size(work));
}

static void cast_back(Bind *b, Use from, KType work, KType acc)
{
    Val z = bind_out(b, 0);

    if (work != acc)
        bind_cast_to(b, as_read(from), work, NULL, bind_use_of(b, z, USE_WRITE), acc,
                     bind_rank(b, z), bind_dims(b, z));
}

bool bind_dot(Bind *b)
{
    const DotAttr *a = b->attr;
    KType acc = (KType)a->acc, work = acc;
    Side x = side_of(b, 0), y = side_of(b, 1);
    Use out, packed;
    size_t size;
    DotRoles rx, ry;
    DotStep *s;
    Op *op;

    if (acc < KT_F16 && !has_small_kernel(x.type, y.type, acc))
        return bind_int_dot(b, a, &x, &y);
    if (!has_kernel(x.type, y.type, acc)) {
        side_cast(b, &x, KT_F64);
        side_cast(b, &y, KT_F64);
        work = KT_F64;
    }
    dot_roles(&rx, x.rank, a->lhs_batch, a->lhs, true);
    dot_roles(&ry, y.rank, a->rhs_batch, a->rhs, false);
    s = arena_zalloc(b->a, sizeof *s);
    lay_out(b, &x, &y, &rx, &ry, &s->m);
    s->m.c_type = work;
    if (b->epilogue)
        s->m.epilogue = *b->epilogue;
    out = work_use(b, work, acc);
    size = dot_workspace(b, s, y.use.at, &packed);
    op = bind_op(b, run_dot, s);
    op->kind = OP_RUNS_DOT;
    bind_use_at(b, op, x.use);
    bind_use_at(b, op, y.use);
    bind_use_at(b, op, out);
    bind_use_bytes(b, op, bind_workspace(b, size), (int64_t)size, 0, USE_WORK);
    if (s->keeps)
        bind_use_at(b, op, packed);
    cast_back(b, out, work, acc);
    return true;
}

/* ---- convolution ------------------------------------------------------------------- */

static bool run_conv(Frame *f, const Op *op)
{
    ConvStep *s = op->data;
    const char *x = op_at(f, op, DOT_X), *w = op_at(f, op, DOT_Y);
    char *out = op_at(f, op, DOT_OUT);

    if (s->keeps) {
        s->c.packed = op_at(f, op, DOT_PACKED);
        if (!s->filled) {
            s->c.w = w;
            kernels_conv_pack(f->root->kernels, &s->c, &f->root->par,
                              op_at(f, op, DOT_PACKED));
            s->filled = true;
        }
    }
    for (int64_t g = 0; g < s->groups; g++) {
        s->c.x = x + g * s->x_step;
        s->c.w = w + g * s->w_step;
        s->c.out = out + g * s->out_step;
        kernels_conv(f->root->kernels, &s->c, &f->root->par, op_at(f, op, DOT_WORK));
    }
    return true;
}

static int64_t spec(Ints list, uint32_t i) { return list.n ? list.v[i] : i; }
static int64_t entry(Ints list, uint32_t i, int64_t standard)
{
    return list.n ? list.v[i] : standard;
}

static bool is_plain(Ints dilation)
{
    for (uint32_t i = 0; i < dilation.n; i++)
        if (dilation.v[i] != 1)
            return false;
    return true;
}

static void conv_spatial(KConv *c, const ConvAttr *a, const Side *x, const Side *w,
                         const int64_t *zdims, const int64_t *zstride)
{
    c->spatial = (int)MAX(x->rank - 2, 1);
    /* without spatial axes: one of size 1 */
    c->x_size[0] = c->w_size[0] = c->out_size[0] = 1;
    c->stride[0] = c->x_dilation[0] = c->w_dilation[0] = 1;
    for (uint32_t i = 0; i + 2 < x->rank; i++) {
        int64_t xa = spec(a->lhs_spec, i + 2), wa = spec(a->rhs_spec, i + 2),
                za = spec(a->out_spec, i + 2);
        c->x_size[i] = x->dims[xa];
        c->x_step[i] = x->stride[xa];
        c->w_size[i] = w->dims[wa];
        c->w_step[i] = w->stride[wa];
        c->out_size[i] = zdims[za];
        c->out_step[i] = zstride[za];
        c->stride[i] = entry(a->stride, i, 1);
        c->pad_lo[i] = entry(a->pad_lo, i, 0);
        c->x_dilation[i] = entry(a->lhs_dilation, i, 1);
        c->w_dilation[i] = entry(a->rhs_dilation, i, 1);
    }
}

static void conv_channels(ConvStep *s, const ConvAttr *a, const Side *x, const Side *w,
                          const int64_t *zdims, const int64_t *zstride)
{
    KConv *c = &s->c;
    int64_t xn = spec(a->lhs_spec, 0), xc = spec(a->lhs_spec, 1),
            wo = spec(a->rhs_spec, 0), wi = spec(a->rhs_spec, 1),
            zn = spec(a->out_spec, 0), zc = spec(a->out_spec, 1);

    s->groups = a->batch_groups;
    c->groups = a->groups;
    c->batch = zdims[zn];
    c->in_channels = x->dims[xc];
    c->out_channels = zdims[zc] / s->groups;
    c->x_batch = x->stride[xn];
    c->x_channel = x->stride[xc];
    c->w_out = w->stride[wo];
    c->w_in = w->stride[wi];
    c->out_batch = zstride[zn];
    c->out_channel = zstride[zc];
    s->x_step = c->batch * c->x_batch * (int64_t)k_size(x->type);
    s->w_step = c->out_channels * c->w_out * (int64_t)k_size(w->type);
    s->out_step = c->out_channels * c->out_channel * (int64_t)k_size(c->out_type);
}

/* The workspace, and of packed filters their own. */
static void add_conv_memory(Bind *b, Op *op, const ConvStep *s, size_t packed)
{
    size_t size = kernels_conv_workspace(b->root->kernels, &s->c, b->root->threads);
    Ref kept = packed ? bind_kept(b, packed) : (Ref){0, 0};

    bind_use_bytes(b, op, bind_workspace(b, size), (int64_t)size, 0, USE_WORK);
    if (packed)
        bind_use_bytes(b, op, kept, (int64_t)packed, 0, USE_KEPT);
}

bool bind_conv(Bind *b)
{
    const ConvAttr *a = b->attr;
    Val z = bind_out(b, 0);
    KType acc = (KType)a->acc, work = acc;
    Side x = side_of(b, 0), w = side_of(b, 1);
    int64_t zstride[MAX_RANK];
    ConvStep *s = arena_zalloc(b->a, sizeof *s);
    size_t size = 0;
    Use out;
    Op *op;

    if (bind_count(b, z) == 0)
        return true;
    if ((acc < KT_F16 && !(has_small_kernel(x.type, w.type, acc) && is_plain(a->lhs_dilation))) ||
        x.rank > 2 + K_SPATIAL || a->groups < 1 || a->batch_groups < 1)
        return bind_eval(b);
    if (!has_kernel(x.type, w.type, acc)) {
        side_cast(b, &x, KT_F64);
        side_cast(b, &w, KT_F64);
        work = KT_F64;
    }
    k_row_major((int)bind_rank(b, z), bind_dims(b, z), zstride);
    s->c.x_type = x.type;
    s->c.w_type = w.type;
    s->c.out_type = work;
    if (b->epilogue)
        s->c.epilogue = *b->epilogue;
    conv_spatial(&s->c, a, &x, &w, bind_dims(b, z), zstride);
    conv_channels(s, a, &x, &w, bind_dims(b, z), zstride);
    out = work_use(b, work, acc);
    s->c.x = s->c.w = s->c.out = s; /* any address, for sums with it */
    if (w.use.at.base == base_const(b->plan) && s->groups == 1)
        size = kernels_conv_packed_size(b->root->kernels, &s->c);
    s->keeps = size != 0; /* filters that are a constant are packed by the first run */
    if (s->keeps)
        s->c.packed = s;
    op = bind_op(b, run_conv, s);
    op->kind = OP_RUNS_CONV;
    bind_use_at(b, op, x.use);
    bind_use_at(b, op, w.use);
    bind_use_at(b, op, out);
    add_conv_memory(b, op, s, size);
    cast_back(b, out, work, acc);
    return true;
}
