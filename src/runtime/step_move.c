/* step_move.c -- constants, shapes, copies: const iota dim reshape broadcast transpose
 * slice rev pad concat. Uses: what is read, what is written. */
#include "runtime/runtime.h"

/* ---- copies ------------------------------------------------------------------------ */

static bool run_move(Frame *f, const Op *op)
{
    kmove_run(op->data, op_at(f, op, 1), op_at(f, op, 0), &f->root->par);
    return true;
}

typedef struct End { /* of a move: values 0 are workspaces */
    Ref at;
    Val val;
    const int64_t *stride;
} End;

/* dst[i..] = src[i..] of that shape, by their strides. */
static void add_move(Bind *b, size_t size, uint32_t rank, const int64_t *dims, End dst,
                     End src)
{
    KMove *m = arena_alloc(b->a, sizeof *m);
    Op *op;

    kmove_init(m, size, (int)rank, dims, dst.stride, src.stride);
    op = bind_op(b, run_move, m);
    op->kind = OP_RUNS_MOVE;
    bind_use_at(b, op,
                use_strided(src.at, size, rank, dims, src.stride, src.val, USE_READ));
    bind_use_at(b, op,
                use_strided(dst.at, size, rank, dims, dst.stride, dst.val, USE_WRITE));
}

void bind_copy_to(Bind *b, Val v, Ref to)
{
    int64_t room[MAX_RANK], dense[MAX_RANK];

    k_row_major((int)bind_rank(b, v), bind_dims(b, v), dense);
    add_move(b, wf_dtype_size(bind_dtype(b, v)), bind_rank(b, v), bind_dims(b, v),
             (End){to, 0, dense}, (End){bind_ref(b, v), v, bind_strides(b, v, room)});
}

/* ---- the same elements ------------------------------------------------------------- */

bool bind_reshaped(uint32_t rank, const int64_t *dims, const int64_t *stride, uint32_t to_rank,
                   const int64_t *to_dims, int64_t *to)
{
    uint32_t i = 0, j = 0;

    memset(to, 0, to_rank * sizeof *to);
    while (i < rank || j < to_rank) { /* axes i..k have the elements of axes j..l */
        int64_t n = i < rank ? dims[i] : 1, m = j < to_rank ? to_dims[j] : 1;
        uint32_t k = i + (i < rank), l = j + (j < to_rank);

        while (n != m && (n < m ? k < rank : l < to_rank))
            *(n < m ? &n : &m) *= n < m ? dims[k++] : to_dims[l++];
        if (n != m)
            return false;
        n = m = 0; /* steps: of the innermost axis, of the one before */
        for (uint32_t a = k; a-- > i;) {
            if (dims[a] == 1)
                continue;
            if (m && stride[a] != m)
                return false;
            n = m ? n : stride[a];
            m = stride[a] * dims[a];
        }
        for (uint32_t a = l; a-- > j; n *= to_dims[a])
            to[a] = to_dims[a] == 1 ? 0 : n;
        i = k;
        j = l;
    }
    return true;
}

bool bind_alias(Bind *b)
{
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    int64_t to[MAX_RANK];
    Loc *at = &b->f->loc[y];

    if (b->e->op != OP_reshape)
        return true;
    if (bind_count(b, x) != bind_count(b, y))
        return bind_fail(b, WF_ERR_SHAPE, "%lld elements, but the result needs %lld",
                         (long long)bind_count(b, x), (long long)bind_count(b, y));
    if (!at->stride)
        return true;
    if (!bind_count(b, y))
        memset(to, 0, sizeof to);
    else if (!bind_reshaped(bind_rank(b, x), bind_dims(b, x), at->stride, bind_rank(b, y), bind_dims(b, y), to))
        return bind_fail(b, WF_ERR_INTERNAL, "a view that the result cannot be");
    at->stride = arena_dup(b->a, to, bind_rank(b, y) * sizeof *to);
    return true;
}

typedef struct View {
    int64_t offset; /* in elements */
    int64_t stride[MAX_RANK];
} View;

static void view_broadcast(Bind *b, const int64_t *stride, View *v)
{
    const BroadcastAttr *a = b->attr;
    const int64_t *dims = bind_dims(b, bind_in(b, 0));

    memset(v->stride, 0, sizeof v->stride);
    for (uint32_t i = 0; i < a->dims.n; i++)
        v->stride[a->dims.v[i]] = dims[i] == 1 ? 0 : stride[i];
}

static bool view_slice(Bind *b, const int64_t *stride, View *v)
{
    const SliceAttr *a = b->attr;
    const int64_t *dims = bind_dims(b, bind_in(b, 0));

    for (uint32_t i = 0; i < bind_rank(b, bind_in(b, 0)); i++) {
        int64_t start = a->start.v[i], limit = a->limit.v[i];
        if (start < 0 || limit < start || limit > dims[i])
            return bind_fail(b, WF_ERR_SHAPE,
                             "%lld to %lld of axis %u, which has size %lld",
                             (long long)start, (long long)limit, i, (long long)dims[i]);
        if (start < dims[i]) /* else it is empty */
            v->offset += start * stride[i];
        v->stride[i] = bind_dims(b, bind_out(b, 0))[i] > 1
                           ? stride[i] * (a->stride.n ? a->stride.v[i] : 1)
                           : 0;
    }
    return true;
}

static void view_rev(Bind *b, const int64_t *stride, View *v)
{
    const AxesAttr *a = b->attr;
    const int64_t *dims = bind_dims(b, bind_in(b, 0));

    memcpy(v->stride, stride, bind_rank(b, bind_in(b, 0)) * sizeof *stride);
    for (uint32_t i = 0; i < a->axes.n; i++) {
        int64_t k = a->axes.v[i];
        if (dims[k] > 0)
            v->offset += (dims[k] - 1) * stride[k];
        v->stride[k] = -stride[k];
    }
}

/* Row-major after all? Strides of axes of size 1 do not matter. */
static bool is_row_major(const int64_t *dims, const int64_t *stride, uint32_t rank)
{
    int64_t s = 1;

    if (!k_count((int)rank, dims))
        return true;
    for (uint32_t i = rank; i-- > 0; s *= dims[i])
        if (dims[i] != 1 && stride[i] != s)
            return false;
    return true;
}

bool bind_view(Bind *b)
{
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    int64_t room[MAX_RANK], dense[MAX_RANK];
    const int64_t *stride = bind_strides(b, x, room);
    size_t size = wf_dtype_size(bind_dtype(b, y));
    uint32_t rank = bind_rank(b, y);
    View v = {0};
    Ref at;

    if (b->e->op == OP_broadcast)
        view_broadcast(b, stride, &v);
    else if (b->e->op == OP_transpose)
        for (uint32_t i = 0; i < rank; i++)
            v.stride[i] = stride[((const TransposeAttr *)b->attr)->perm.v[i]];
    else if (b->e->op == OP_rev)
        view_rev(b, stride, &v);
    else if (!view_slice(b, stride, &v))
        return false;
    at = bind_ref(b, x);
    at.off += v.offset * (int64_t)size;
    if (b->plan->val[y].kind == VAL_VIEW) {
        bool plain = is_row_major(bind_dims(b, y), v.stride, rank);
        b->f->loc[y] =
            (Loc){at, plain ? NULL : arena_dup(b->a, v.stride, rank * sizeof *v.stride)};
        return true;
    }
    k_row_major((int)rank, bind_dims(b, y), dense);
    add_move(b, size, rank, bind_dims(b, y), (End){bind_ref(b, y), y, dense},
             (End){at, x, v.stride});
    return true;
}

/* ---- complex numbers and their parts ------------------------------------------------ */

/* Of a complex value, in parts of an element: twice its strides. */
static const int64_t *part_strides(Bind *b, Val v, int64_t *out)
{
    int64_t room[MAX_RANK];
    const int64_t *stride = bind_strides(b, v, room);

    for (uint32_t i = 0; i < bind_rank(b, v); i++)
        out[i] = 2 * stride[i];
    return out;
}

bool bind_part(Bind *b)
{
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    size_t size = wf_dtype_size(bind_dtype(b, y));
    int64_t from[MAX_RANK], to[MAX_RANK];
    Ref at = bind_ref(b, x);

    at.off += b->e->op == OP_imag ? (int64_t)size : 0;
    k_row_major((int)bind_rank(b, y), bind_dims(b, y), to);
    add_move(b, size, bind_rank(b, y), bind_dims(b, y), (End){bind_ref(b, y), y, to},
             (End){at, x, part_strides(b, x, from)});
    return true;
}

bool bind_complex(Bind *b)
{
    Val y = bind_out(b, 0);
    size_t size = wf_dtype_size(bind_dtype(b, bind_in(b, 0)));
    int64_t from[MAX_RANK], to[MAX_RANK];
    Ref at = bind_ref(b, y);

    for (uint32_t i = 0; i < 2; i++, at.off += (int64_t)size) {
        Val x = bind_in(b, i);

        add_move(b, size, bind_rank(b, y), bind_dims(b, y),
                 (End){at, y, part_strides(b, y, to)},
                 (End){bind_ref(b, x), x, bind_strides(b, x, from)});
    }
    return true;
}

/* ---- constants --------------------------------------------------------------------- */

static bool run_fill(Frame *f, const Op *op)
{
    size_t size =
        wf_dtype_size(val_type(f->plan->p, f->plan->p->eqns[op->eqn].out).dtype);

    kmove_fill(size, op->n, op_at(f, op, 1), op_at(f, op, 0), &f->root->par);
    return true;
}

/* All elements of the equation's result are that one. */
static void add_fill(Bind *b, Use with)
{
    Op *op = bind_op(b, run_fill, NULL);

    op->kind = OP_RUNS_FILL;
    op->n = bind_count(b, bind_out(b, 0));
    bind_use_at(b, op, with);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
}

bool bind_const(Bind *b)
{
    static const int64_t zeros[MAX_RANK];
    const ConstAttr *a = b->attr;
    Val y = bind_out(b, 0);
    Ref at = bind_constant(b, a->data->data, a->data->size, y);

    if (b->plan->val[y].kind == VAL_OWN) {
        add_fill(b, (Use){at, 0, (int64_t)a->data->size, y, USE_READ, false});
        return true;
    }
    b->f->loc[y] = (Loc){at, b->plan->val[y].kind == VAL_VIEW ? zeros : NULL};
    return true;
}

/* The value is in op->n. */
static bool run_dim(Frame *f, const Op *op)
{
    memcpy(op_at(f, op, 0), &op->n, sizeof op->n);
    return true;
}

bool bind_dim(Bind *b)
{
    Op *op = bind_op(b, run_dim, NULL);

    op->kind = OP_RUNS_SET;
    op->n = ((const DimAttr *)b->attr)->dim;
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    return true;
}

typedef struct IotaStep {
    KType type;
    int64_t outer, n, inner; /* y[o, i, k] = i */
} IotaStep;

static bool run_iota(Frame *f, const Op *op)
{
    const IotaStep *s = op->data;
    KCast cast = k_cast(f->root->loops, KT_I64, s->type);
    int64_t size = (int64_t)k_size(s->type), bytes = s->n * s->inner * size;
    char *y = op_at(f, op, 0), *to = y;

    for (int64_t i = 0; i < s->n && s->outer && s->inner; i++, to += s->inner * size) {
        cast(1, &i, to);
        kmove_fill((size_t)size, s->inner - 1, to + size, to, NULL);
    }
    for (int64_t o = 1; o < s->outer && bytes; o++)
        memcpy(y + o * bytes, y, (size_t)bytes);
    return true;
}

bool bind_iota(Bind *b)
{
    Val y = bind_out(b, 0);
    const int64_t *dims = bind_dims(b, y);
    uint32_t axis = (uint32_t)((const IotaAttr *)b->attr)->axis;
    IotaStep *s = arena_alloc(b->a, sizeof *s);

    *s = (IotaStep){(KType)bind_dtype(b, y), 1, dims[axis], 1};
    for (uint32_t i = 0; i < bind_rank(b, y); i++)
        if (i != axis)
            *(i < axis ? &s->outer : &s->inner) *= dims[i];
    bind_use(b, bind_op(b, run_iota, s), y, USE_WRITE);
    return true;
}

/* ---- pad, concat ------------------------------------------------------------------- */

/* Along one axis, x[i] goes to lo + i*(interior+1): which i are inside, and where the
 * first goes. */
static void pad_axis(int64_t n, int64_t lo, int64_t interior, int64_t size,
                     int64_t *first, int64_t *count)
{
    int64_t step = interior + 1, end;

    *first = lo >= 0 ? 0 : (-lo + step - 1) / step;
    end = size - 1 - lo < 0
              ? 0
              : (size - 1 - lo) / step + 1; /* i < end are below the upper end */
    *count = MIN(n, end) - *first;
}

bool bind_pad(Bind *b)
{
    const PadAttr *a = b->attr;
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    uint32_t rank = bind_rank(b, y);
    size_t size = wf_dtype_size(bind_dtype(b, y));
    int64_t room[MAX_RANK], to[MAX_RANK], dims[MAX_RANK];
    const int64_t *from = bind_strides(b, x, room), *ydims = bind_dims(b, y);
    Ref src = bind_ref(b, x), dst = bind_ref(b, y);
    bool empty = false;

    add_fill(b, bind_use_of(b, bind_in(b, 1), USE_READ));
    k_row_major((int)rank, ydims, to);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t interior = a->interior.n ? a->interior.v[i] : 0, lo = a->lo.v[i], first;
        pad_axis(bind_dims(b, x)[i], lo, interior, ydims[i], &first, &dims[i]);
        empty = empty || dims[i] <= 0;
        if (empty)
            continue;
        src.off += first * from[i] * (int64_t)size;
        dst.off += (lo + first * (interior + 1)) * to[i] * (int64_t)size;
        to[i] *= interior + 1;
    }
    if (!empty)
        add_move(b, size, rank, dims, (End){dst, y, to}, (End){src, x, from});
    return true;
}

bool bind_concat(Bind *b)
{
    Val y = bind_out(b, 0);
    uint32_t rank = bind_rank(b, y), axis = (uint32_t)((const AxisAttr *)b->attr)->axis;
    size_t size = wf_dtype_size(bind_dtype(b, y));
    int64_t to[MAX_RANK], room[MAX_RANK];
    Ref dst = bind_ref(b, y);

    k_row_major((int)rank, bind_dims(b, y), to);
    for (uint32_t i = 0; i < b->e->nin; i++) {
        Val x = bind_in(b, i);
        Ref src = bind_ref(b, x);
        if (src.base != dst.base || src.off != dst.off) /* else it was written there */
            add_move(b, size, rank, bind_dims(b, x), (End){dst, y, to},
                     (End){src, x, bind_strides(b, x, room)});
        dst.off += bind_dims(b, x)[axis] * to[axis] * (int64_t)size;
    }
    return true;
}
