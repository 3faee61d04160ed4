/* step_index.c -- windows at computed places: dynamic_slice dynamic_update_slice gather
 * scatter; and what defines sizes from values: nonzero size. Uses: operands, result. */
#include "op/index.h"
#include "runtime/step.h"

static int64_t read_int(wf_dtype t, const void *p, int64_t i)
{
    Nd x = {.dtype = t, .data = (void *)(uintptr_t)p};

    if (t == WF_I64) /* nearly always */
        return ((const int64_t *)p)[i];
    return t == WF_I32 ? ((const int32_t *)p)[i] : nd_int(&x, i);
}

/* ---- one window -------------------------------------------------------------------- */

/* Bytes from the operand's first element to the window's, starts clamped so that it fits.
 */
static int64_t window_offset(Frame *f, const Op *op)
{
    const WindowStep *s = op->data;
    int64_t off = 0;

    for (uint32_t i = 0; i < s->rank; i++) {
        const Start *t = &s->start[i];
        off += MAX(0, MIN(read_int(t->dtype, op_at(f, op, i), 0), t->last)) * t->stride;
    }
    return off;
}

/* first: operand number of the first start; sizes: of the window; stride: of x, in
 * elements. */
static WindowStep *window_step(Bind *b, uint32_t first, const int64_t *sizes,
                               const int64_t *stride)
{
    Val x = bind_in(b, 0);
    uint32_t rank = bind_rank(b, x);
    WindowStep *s = arena_zalloc(b->a, sizeof *s + rank * sizeof *s->start);

    s->rank = rank;
    s->bytes = bind_bytes(b, x);
    for (uint32_t i = 0; i < rank; i++) {
        Val v = bind_in(b, first + i);
        s->start[i] = (Start){bind_dtype(b, v), bind_dims(b, x)[i] - sizes[i],
                              stride[i] * (int64_t)wf_dtype_size(bind_dtype(b, x))};
        if (sizes[i] < 0 || s->start[i].last < 0) {
            bind_fail(b, WF_ERR_SHAPE,
                      "a window of %lld does not fit axis %u, which has size %lld",
                      (long long)sizes[i], i, (long long)bind_dims(b, x)[i]);
            return NULL;
        }
    }
    return s;
}

/* first: operand number of the first start. */
static Op *add_window(Bind *b, bool (*run)(Frame *f, const Op *op), WindowStep *s,
                      uint32_t first)
{
    Op *op = bind_op(b, run, s);

    for (uint32_t i = 0; i < s->rank; i++)
        bind_use(b, op, bind_in(b, first + i), USE_READ);
    for (uint32_t i = 0; i < first; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    return op;
}

static bool run_dynamic_slice(Frame *f, const Op *op)
{
    const WindowStep *s = op->data;

    kmove_run(&s->m, op_at(f, op, s->rank + 1),
              (char *)op_at(f, op, s->rank) + window_offset(f, op), &f->root->par);
    return true;
}

bool bind_dynamic_slice(Bind *b)
{
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    int64_t room[MAX_RANK], dense[MAX_RANK];
    const int64_t *stride = bind_strides(b, x, room);
    WindowStep *s = window_step(b, 1, bind_dims(b, y), stride);

    if (!s)
        return false;
    k_row_major((int)s->rank, bind_dims(b, y), dense);
    kmove_init(&s->m, wf_dtype_size(bind_dtype(b, y)), (int)s->rank, bind_dims(b, y),
               dense, stride);
    add_window(b, run_dynamic_slice, s, 1)->kind = OP_RUNS_WINDOW;
    return true;
}

static bool run_dynamic_update(Frame *f, const Op *op)
{
    const WindowStep *s = op->data;
    const char *x = op_at(f, op, s->rank), *u = op_at(f, op, s->rank + 1);
    char *y = op_at(f, op, s->rank + 2);
    int64_t off = window_offset(f, op);

    if (y != x && s->bytes)
        memcpy(y, x, (size_t)s->bytes);
    kmove_run(&s->m, y + off, u, &f->root->par);
    return true;
}

bool bind_dynamic_update(Bind *b)
{
    Val x = bind_in(b, 0), u = bind_in(b, 1);
    int64_t room[MAX_RANK], dense[MAX_RANK];
    WindowStep *s;

    memcpy(dense, bind_strides(b, x, room), bind_rank(b, x) * sizeof *dense);
    s = window_step(b, 2, bind_dims(b, u), dense);
    if (!s)
        return false;
    kmove_init(&s->m, wf_dtype_size(bind_dtype(b, x)), (int)s->rank, bind_dims(b, u),
               dense, bind_strides(b, u, room));
    add_window(b, run_dynamic_update, s, 2)->kind = OP_RUNS_WINDOW_UPDATE;
    return true;
}

/* ---- many windows ---------------------------------------------------------------------
 *
 * index.h says how axes are numbered. The rows of `indices` are walked in order, and for
 * each the window is copied (gather) or combined (scatter). */

static int64_t operand_dim(Bind *b, uint32_t i) { return bind_dims(b, bind_in(b, 0))[i]; }

/* shape: the result of a gather, the updates of a scatter; to_shape: the move goes there.
 */
static IndexStep *index_step(Bind *b, const Numbering *n, int32_t mode, Val shape,
                             bool to_shape, const int64_t *stride)
{
    Val x = bind_in(b, 0), indices = bind_in(b, 1);
    int64_t size = (int64_t)wf_dtype_size(bind_dtype(b, x)), dense[MAX_RANK];
    int64_t dims[MAX_RANK], here[MAX_RANK], there[MAX_RANK];
    IndexStep *s = arena_zalloc(b->a, sizeof *s);
    Axes ax;

    numbering_axes(n, bind_rank(b, x), bind_rank(b, shape), &ax);
    memset(dense, 0, sizeof dense); /* products of sizes may overflow if one is 0 */
    if (bind_count(b, shape))
        k_row_major((int)bind_rank(b, shape), bind_dims(b, shape), dense);
    s->mode = mode;
    s->itype = bind_dtype(b, indices);
    s->rank = bind_rank(b, x);
    s->nbatch = ax.nbatch;
    s->nmap = n->map.n;
    s->npairs = n->operand_batching.n;
    s->bytes = bind_bytes(b, x);
    memcpy(s->map, n->map.v, n->map.n * sizeof *s->map);
    for (uint32_t j = 0; j < s->npairs; j++) {
        s->pair_axis[j] = n->operand_batching.v[j];
        s->pair_batch[j] = n->indices_batching.v[j];
        s->pair_step[s->pair_batch[j]] += stride[s->pair_axis[j]] * size;
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        s->size[i] = 1;
        s->step[i] = stride[i] * size;
    }
    for (uint32_t i = 0; i < ax.nwindow; i++) {
        int64_t axis = n->window.v[i];
        s->size[ax.operand[i]] = dims[i] = bind_dims(b, shape)[axis];
        here[i] = dense[axis];
        there[i] = stride[ax.operand[i]];
    }
    s->narrow = s->rank;
    for (uint32_t i = s->rank; i-- > 0;) {
        s->last[i] = operand_dim(b, i) - s->size[i];
        if (s->last[i] < 0 && !ints_have(n->map, i))
            s->narrow = i;
    }
    for (uint32_t i = 0; i < ax.nbatch; i++) {
        s->batch[i] = bind_dims(b, shape)[ax.batch[i]];
        s->batch_step[i] = dense[ax.batch[i]] * size;
    }
    s->rows = k_count((int)ax.nbatch, s->batch);
    kmove_init(&s->m, (size_t)size, (int)ax.nwindow, dims, to_shape ? here : there,
               to_shape ? there : here);
    s->group = s->m.count ? MAX(1, K_TASK / 2 / s->m.count) : 1;
    return s;
}

/* The index vector that stands at `row`, with what does not depend on its numbers. */
typedef struct Where {
    int64_t row, at[MAX_RANK]; /* its place along each batch axis */
    int64_t operand, shape;    /* bytes, without its own starts */
} Where;

typedef struct Misfit { /* the first window that does not fit though it must */
    int64_t row, start;
    uint32_t axis;
} Misfit;

static void where_begin(const IndexStep *s, int64_t row, Where *w)
{
    *w = (Where){.row = row};
    for (uint32_t i = s->nbatch; i-- > 0;) {
        w->at[i] = row % s->batch[i];
        row /= s->batch[i];
        w->shape += w->at[i] * s->batch_step[i];
        w->operand += w->at[i] * s->pair_step[i];
    }
}

static void where_next(const IndexStep *s, Where *w)
{
    w->row++;
    for (uint32_t i = s->nbatch; i-- > 0;) {
        w->shape += s->batch_step[i];
        w->operand += s->pair_step[i];
        if (++w->at[i] < s->batch[i])
            return;
        w->shape -= w->at[i] * s->batch_step[i];
        w->operand -= w->at[i] * s->pair_step[i];
        w->at[i] = 0;
    }
}

typedef enum Window { WINDOW_OUT, WINDOW_IN, WINDOW_BAD } Window; /* WINDOW_OUT: it is outside, and may be */

/* Bytes to the window, its starts clamped where the mode says so. */
static Window find_window(const IndexStep *s, const void *indices, const Where *w, int64_t *out_operand, Misfit *bad)
{
    const bool may_miss = s->mode == INDEX_FILL || s->mode == INDEX_DROP;

    *out_operand = w->operand;
    if (s->narrow < s->rank) {
        *bad = (Misfit){w->row, 0, s->narrow};
        return may_miss ? WINDOW_OUT : WINDOW_BAD;
    }
    for (uint32_t k = 0; k < s->nmap; k++) {
        uint32_t axis = (uint32_t)s->map[k];
        int64_t start = read_int(s->itype, indices, w->row * s->nmap + k), last = s->last[axis];

        if (start < 0 || start > last) {
            *bad = (Misfit){w->row, start, axis};
            if (may_miss)
                return WINDOW_OUT;
            if (last < 0 || s->mode == INDEX_PROMISED)
                return WINDOW_BAD;
            start = start < 0 ? 0 : last;
        }
        *out_operand += start * s->step[axis];
    }
    return WINDOW_IN;
}

static bool fail_misfit(Frame *f, const Op *op, const Misfit *bad)
{
    const IndexStep *s = op->data;

    return op_fail(f, op, WF_ERR_INDEX,
                   "a window of %lld at %lld does not fit axis %u, which has size %lld",
                   (long long)s->size[bad->axis], (long long)bad->start, bad->axis,
                   (long long)(s->last[bad->axis] + s->size[bad->axis]));
}

typedef struct GatherRun {
    const IndexStep *s;
    const void *indices;
    const char *x;
    char *y;
    _Atomic int64_t bad; /* 1 + the first row that does not fit */
} GatherRun;

static void fill_window(const IndexStep *s, char *to)
{
    static const int64_t zeros[MAX_RANK];
    KMove m;

    kmove_init(&m, s->m.size, s->m.rank, s->m.dims, s->m.to, zeros);
    kmove_run(&m, to, &s->fill, NULL);
}

static void copy_element(size_t size, void *to, const void *from)
{
    switch (size) {
    case 4: memcpy(to, from, 4); return;
    case 8: memcpy(to, from, 8); return;
    default: memcpy(to, from, size); return;
    }
}

static void gather_task(void *user, int i)
{
    GatherRun *r = user;
    const IndexStep *s = r->s;
    int64_t end = MIN((i + 1) * s->group, s->rows);
    Where w;

    for (where_begin(s, i * s->group, &w); w.row < end; where_next(s, &w)) {
        int64_t operand;
        Misfit bad;
        Window fit = find_window(s, r->indices, &w, &operand, &bad);

        if (fit == WINDOW_BAD) {
            int64_t old = atomic_load(&r->bad);
            while ((!old || w.row + 1 < old) &&
                   !atomic_compare_exchange_weak(&r->bad, &old, w.row + 1))
                ;
            return;
        }
        if (fit == WINDOW_OUT)
            fill_window(s, r->y + w.shape);
        else if (s->m.count == 1)
            copy_element(s->m.size, r->y + w.shape, r->x + operand);
        else
            kmove_run(&s->m, r->y + w.shape, r->x + operand, NULL);
    }
}

static bool run_gather(Frame *f, const Op *op)
{
    const IndexStep *s = op->data;
    const KPar *par = &f->root->par;
    GatherRun r = {
        .s = s, .x = op_at(f, op, 0), .indices = op_at(f, op, 1), .y = op_at(f, op, 2)};
    int64_t tasks = (s->rows + s->group - 1) / s->group, operand;
    Where w;
    Misfit bad;

    if (!s->rows || !s->m.count)
        return true;
    if (tasks > 1 && par->threads > 1)
        par->run(par->ctx, (int)tasks, gather_task, &r);
    else
        for (int i = 0; i < (int)tasks && !r.bad; i++)
            gather_task(&r, i);
    if (!r.bad)
        return true;
    where_begin(s, r.bad - 1, &w);
    find_window(s, r.indices, &w, &operand, &bad);
    return fail_misfit(f, op, &bad);
}

bool bind_gather(Bind *b)
{
    const GatherAttr *a = b->attr;
    Numbering n = numbering_gather(a);
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    int64_t room[MAX_RANK];
    IndexStep *s = index_step(b, &n, a->mode, y, true, bind_strides(b, x, room));
    Op *op = bind_op(b, run_gather, s);

    op->kind = OP_RUNS_GATHER;
    k_cast(b->root->loops, KT_F64, (KType)bind_dtype(b, y))(1, &a->fill, &s->fill);
    bind_use(b, op, x, USE_READ);
    bind_use(b, op, bind_in(b, 1), USE_READ);
    bind_use(b, op, y, USE_WRITE);
    return true;
}

/* ---- scatter: windows one after the other, so that duplicates apply in order ------- */

#define CHUNK 256

static void combine_row(const IndexStep *s, int64_t n, char *y, const char *u)
{
    size_t size = s->m.size;

    for (int64_t i = 0; i < n;
         i += CHUNK, y += CHUNK * (int64_t)size, u += CHUNK * (int64_t)size) {
        int64_t k = MIN(CHUNK, n - i);
        float a[CHUNK], c[CHUNK];
        if (!s->widen) {
            void *out = y;
            s->combine(k, (const void *[]){y, u}, &out);
            continue;
        }
        s->widen(k, y, a);
        s->widen(k, u, c);
        s->combine(k, (const void *[]){a, c}, (void *[]){a});
        s->shrink(k, a, y);
    }
}

#define ADD_ELEMENT(T)                                                                   \
    do {                                                                                 \
        *(T *)(void *)y += *(const T *)(const void *)u;                                  \
        return;                                                                          \
    } while (0)

static void combine_element(const IndexStep *s, char *y, const char *u)
{
    switch (s->adds) {
    case WF_F32: ADD_ELEMENT(float);
    case WF_F64: ADD_ELEMENT(double);
    case WF_I32: ADD_ELEMENT(uint32_t);
    case WF_I64: ADD_ELEMENT(uint64_t);
    default: combine_row(s, 1, y, u);
    }
}

/* Rows along the innermost axis of the move when both sides are contiguous there, else
 * single elements. */
static void combine_window(const IndexStep *s, char *y, const char *u)
{
    const KMove *m = &s->m;
    int inner = m->rank - 1;
    bool rows = m->rank && m->to[inner] == 1 && m->from[inner] == 1;
    int outer = rows ? inner : m->rank;
    int64_t n = rows ? m->dims[inner] : 1, at[MAX_RANK] = {0};

    for (;;) {
        int64_t to = 0, from = 0;
        int i;
        for (int k = 0; k < outer; k++) {
            to += at[k] * m->to[k];
            from += at[k] * m->from[k];
        }
        combine_row(s, n, y + to * (int64_t)m->size, u + from * (int64_t)m->size);
        for (i = outer - 1; i >= 0 && ++at[i] == m->dims[i]; i--)
            at[i] = 0;
        if (i < 0)
            return;
    }
}

static bool run_scatter(Frame *f, const Op *op)
{
    const IndexStep *s = op->data;
    const char *x = op_at(f, op, 0), *indices = op_at(f, op, 1), *u = op_at(f, op, 2);
    char *y = op_at(f, op, 3);
    Where w;

    if (y != x && s->bytes)
        memcpy(y, x, (size_t)s->bytes);
    if (!s->rows || !s->m.count)
        return true;
    for (where_begin(s, 0, &w); w.row < s->rows; where_next(s, &w)) {
        int64_t operand;
        Misfit bad;
        Window fit = find_window(s, indices, &w, &operand, &bad);

        if (fit == WINDOW_BAD)
            return fail_misfit(f, op, &bad);
        if (fit == WINDOW_OUT)
            continue;
        if (s->m.count == 1 && s->combine)
            combine_element(s, y + operand, u + w.shape);
        else if (s->m.count == 1)
            copy_element(s->m.size, y + operand, u + w.shape);
        else if (s->combine)
            combine_window(s, y + operand, u + w.shape);
        else
            kmove_run(&s->m, y + operand, u + w.shape, NULL);
    }
    return true;
}

/* Single elements of one axis, those outside dropped. */
static bool run_scatter_add(Frame *f, const Op *op)
{
    const IndexStep *s = op->data;
    const char *x = op_at(f, op, 0);
    char *y = op_at(f, op, 3);

    if (y != x && s->bytes)
        memcpy(y, x, (size_t)s->bytes);
    k_scatter_add((KType)s->vtype, s->last[0] + 1, y, s->rows, op_at(f, op, 1),
                  op_at(f, op, 2), &f->root->par);
    return true;
}

static bool adds_elements(const Bind *b, const IndexStep *s)
{
    return b->e->op == OP_scatter_add && (s->vtype == WF_F32 || s->vtype == WF_F64) &&
           s->itype == WF_I64 && s->mode == INDEX_DROP && s->m.count == 1 &&
           s->nmap == 1 && s->npairs == 0 && s->rank == 1 &&
           s->step[0] == (int64_t)s->m.size;
}

static void find_combine(Bind *b, IndexStep *s)
{
    unsigned combine = op_row(b->e->op)->lower.combine;
    const KLoops *l = b->root->loops;
    KType t = (KType)bind_dtype(b, bind_in(b, 0));

    if (combine) {
        bool half = t == KT_F16 || t == KT_BF16;

        s->combine = l->type[half ? KT_F32 : t]->map[combine];
        s->widen = half ? k_cast(l, t, KT_F32) : NULL;
        s->shrink = half ? k_cast(l, KT_F32, t) : NULL;
        s->adds = b->e->op == OP_scatter_add ? bind_dtype(b, bind_in(b, 0)) : WF_BOOL;
    }
}

bool bind_scatter(Bind *b)
{
    const ScatterAttr *a = b->attr;
    Numbering n = numbering_scatter(a);
    Val x = bind_in(b, 0);
    int64_t room[MAX_RANK];
    IndexStep *s =
        index_step(b, &n, a->mode, bind_in(b, 2), false, bind_strides(b, x, room));
    Op *op = bind_op(b, run_scatter, s);

    op->kind = OP_RUNS_SCATTER;
    find_combine(b, s);
    s->vtype = bind_dtype(b, x);
    if (adds_elements(b, s))
        op->run = run_scatter_add;
    for (uint32_t i = 0; i < 3; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    return true;
}

/* ---- sizes from values ------------------------------------------------------------- */

static bool run_size(Frame *f, const Op *op)
{
    const SymAttr *a = op->data;
    int64_t n;

    memcpy(&n, op_at(f, op, 0), sizeof n);
    if (n < 0)
        return op_fail(f, op, WF_ERR_VALUE,
                       "the size is %lld, but sizes are not negative", (long long)n);
    frame_define(f, a->sym, n);
    return true;
}

bool bind_size(Bind *b)
{
    bind_use(b, bind_op(b, run_size, (void *)(uintptr_t)b->e->attr), bind_in(b, 0),
             USE_READ);
    return true;
}

typedef struct NonzeroStep {
    Dim sym;
    KCast to_bool;
    size_t size;
    uint32_t rank, block;
    const int64_t *dims;
} NonzeroStep;

/* The elements in runs of CHUNK as bools; out NULL: count only. */
static int64_t walk_nonzero(const NonzeroStep *s, const char *x, int64_t n, int64_t *out)
{
    int64_t found = 0, at[MAX_RANK] = {0};

    for (int64_t i = 0; i < n; i += CHUNK) {
        uint8_t flag[CHUNK];
        int64_t k = MIN(CHUNK, n - i);
        s->to_bool(k, x + i * (int64_t)s->size, flag);
        for (int64_t j = 0; j < k; j++) {
            if (flag[j] && out && s->rank)
                memcpy(out + found * s->rank, at, s->rank * sizeof *at);
            found += flag[j];
            for (uint32_t d = s->rank; out && d-- > 0; at[d] = 0)
                if (++at[d] < s->dims[d])
                    break;
        }
    }
    return found;
}

static bool run_nonzero(Frame *f, const Op *op)
{
    const NonzeroStep *s = op->data;
    const char *x = op_at(f, op, 0);
    int64_t found = walk_nonzero(s, x, op->n, NULL);

    frame_dyn_reserve(f, s->block, (size_t)found * s->rank * sizeof(int64_t), 0);
    walk_nonzero(s, x, op->n, op_at(f, op, 1));
    frame_define(f, s->sym, found);
    return true;
}

bool bind_nonzero(Bind *b)
{
    Val x = bind_in(b, 0);
    NonzeroStep *s = arena_alloc(b->a, sizeof *s);
    Op *op = bind_op(b, run_nonzero, s);

    *s = (NonzeroStep){((const SymAttr *)b->e->attr)->sym,
                       k_cast(b->root->loops, (KType)bind_dtype(b, x), KT_BOOL),
                       wf_dtype_size(bind_dtype(b, x)),
                       bind_rank(b, x),
                       b->plan->store[b->plan->val[bind_out(b, 0)].store].index,
                       bind_dims(b, x)};
    op->n = bind_count(b, x);
    bind_use(b, op, x, USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    return true;
}
