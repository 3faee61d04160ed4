/* step.c -- bound steps as launches on a GPU.
 *
 * The steps are those the host binds (runtime/step.h says what their data is); here they
 * become a launch each: a fused kernel of its own code, the others a kernel of native.cuh.
 * What has no launch, cuda_has says no to, and the host does it on copies.
 */
#include "cuda/cuda.h"
#include "codegen/render.h"
#include "op/scalar.h"
#include "runtime/step.h"

#include <stdio.h>

#define BLOCK      CUDA_BLOCK
#define FILL_BLOCKS 16896 /* of a large fill, each of which goes on elsewhere: 128 for each of 132 multiprocessors */

typedef struct NMove { /* as in native.cuh */
    void *to;
    const void *from;
    int64_t count, rank;
    int64_t dims[CUDA_RANK], to_step[CUDA_RANK], from_step[CUDA_RANK];
} NMove;

typedef struct NFill {
    void *to;
    const void *with;
    int64_t count;
} NFill;

typedef struct NSet {
    void *to;
    int64_t value;
} NSet;

typedef struct NWindow {
    NMove m;
    int64_t starts, to_moves;
    const void *start[CUDA_RANK];
    int64_t type[CUDA_RANK], last[CUDA_RANK], step[CUDA_RANK];
} NWindow;

typedef struct NIndex {
    NMove m;
    const void *indices;
    int64_t mode, itype, rank, nbatch, nmap, npairs, rows;
    uint64_t fill;
    int64_t map[CUDA_RANK], pair_axis[CUDA_RANK], pair_batch[CUDA_RANK];
    int64_t last[CUDA_RANK], step[CUDA_RANK];
    int64_t batch[CUDA_RANK], batch_step[CUDA_RANK];
} NIndex;

typedef struct NScatter {
    NIndex i;
    int64_t *place;
    int *head, *next;
} NScatter;

/* ---- which there are ------------------------------------------------------------------ */

static bool is_low(const Program *p, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (val_type(p, eqn_in(p, e)[i]).rank > CUDA_RANK)
            return false;
    for (uint32_t j = 0; j < e->nout; j++)
        if (val_type(p, e->out + j).rank > CUDA_RANK)
            return false;
    return true;
}

/* Scatters combine in these. */
static bool is_joined(unsigned t)
{
    return t == WF_F32 || t == WF_F64 || t == WF_F16 || t == WF_BF16 || t == WF_I32 ||
           t == WF_I64;
}

bool cuda_has(Device *device, const Program *p, const Eqn *e)
{
    Cuda *d = (Cuda *)device;
    wf_dtype t = e->nin ? (wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype : WF_BOOL;
    bool is_real = !dtype_is_complex(t);

    if (!d->l->has_rtc || !is_low(p, e))
        return false;
    switch (e->op) {
    case OP_const:
    case OP_dim:
    case OP_reshape:
    case OP_bitcast:
    case OP_stop_gradient:
    case OP_name:
    case OP_opt_barrier:
    case OP_broadcast:
    case OP_transpose:
    case OP_slice:
    case OP_rev:
    case OP_pad:
    case OP_concat:
    case OP_dynamic_slice:
    case OP_dynamic_update_slice: return true;
    case OP_gather: return is_real && ((const GatherAttr *)e->attr)->mode != INDEX_PROMISED;
    case OP_scatter:
        return is_real && ((const ScatterAttr *)e->attr)->mode != INDEX_PROMISED;
    case OP_scatter_add:
    case OP_scatter_mul:
    case OP_scatter_min:
    case OP_scatter_max:
        return is_joined(t) && ((const ScatterAttr *)e->attr)->mode != INDEX_PROMISED;
    case OP_dot_general: return cuda_has_product(d, p, e);
    case OP_conv_general: return cuda_has_conv(p, e);
    case OP_call: return cuda_has_attention(p, e);
    case OP_cumsum:
    case OP_cumprod:
    case OP_cumlogsumexp:
    case OP_cummax:
    case OP_cummin:
    case OP_recur:
    case OP_sort:
    case OP_top_k:
    case OP_cholesky:
    case OP_triangular_solve: return cuda_has_line(p, e);
    case OP_fft: return cuda_has_fft(p, e);
    case OP_argmax:
    case OP_argmin:
    case OP_reduce_window_sum:
    case OP_reduce_window_max: return is_real;
    default: return false;
    }
}

/* ---- launches ------------------------------------------------------------------------- */

static bool launch_native(CudaQueue *q, wf_ctx *cx, const char *what, int64_t blocks,
                          void *args)
{
    return cuda_launch(q, cuda_native(q->d, cx, what), blocks, 1, BLOCK, args);
}

/* A kernel that moves elements of so many bytes. */
static bool launch_moving(CudaQueue *q, wf_ctx *cx, const char *name, size_t size,
                          const char *args_type, int64_t blocks, void *args)
{
    char what[96];

    if (size == 16)
        snprintf(what, sizeof what, "KERNEL(%s, uint4, %s)", name, args_type);
    else
        snprintf(what, sizeof what, "KERNEL(%s, uint%d_t, %s)", name, 8 * (int)size,
                 args_type);
    return launch_native(q, cx, what, blocks, args);
}

static int64_t blocks_for(int64_t n) { return (n + BLOCK - 1) / BLOCK; }

/* ---- fused kernels ----------------------------------------------------------------------- */

static int64_t vectors_of(int64_t n, int v) { return (n + v - 1) / v; }

static bool put_kernel(CudaQueue *q, const Frame *f, const Op *op)
{
    const KernelStep *s = op->data;
    const CudaKernel *c = s->code->there;
    const Kernel *k = s->code->kernel;
    const CudaShape *z = &c->shape;
    uint64_t args[512];
    uint32_t n = 0;
    int64_t gx, gy = 1;
    bool ok;

    for (uint32_t i = 0; i < s->narrays; i++)
        args[n++] = (uintptr_t)op_at(f, op, s->first + i);
    n += !s->narrays;
    args[n++] = (uintptr_t)op_at(f, op, s->first + s->narrays + 1);
    args[n++] = (uint64_t)s->size.acc_bytes;
    args[n++] = (uint64_t)s->size.rows;
    args[n++] = (uint64_t)s->tasks;
    for (uint32_t i = 0; i < k->nparams; i++)
        args[n++] = (uint64_t)s->d[i];
    if (k->scalar) {
        gx = 1;
    } else if (k->form == FORM_COLS) {
        gx = z->totals ? 1 : vectors_of(vectors_of(s->size.cols, z->vec), z->threads);
        gy = s->tasks;
    } else if (k->parts) {
        gx = s->tasks;
    } else if (k->form == FORM_ROWS) {
        gx = vectors_of(s->size.rows, z->rows);
    } else {
        gx = vectors_of(s->size.rows * vectors_of(s->size.cols, z->vec), z->threads);
    }
    ok = cuda_launch(q, c->run, k->parts ? MAX(gx, 1) : gx, gy,
                     (unsigned)(z->threads * z->rows), args);
    if (ok && k->parts)
        ok = cuda_launch(q, c->end, vectors_of(MAX(s->size.cols, 1), z->ends), z->parts, CUDA_END,
                         args);
    return ok;
}

/* ---- copies ------------------------------------------------------------------------------ */

static void fill_move(NMove *n, const KMove *m, void *to, const void *from)
{
    *n = (NMove){.to = to, .from = from, .count = m->count, .rank = m->rank};
    for (int i = 0; i < m->rank; i++) {
        n->dims[i] = m->dims[i];
        n->to_step[i] = m->to[i];
        n->from_step[i] = m->from[i];
    }
}

/* Neighbours that lie together at both ends are moved as one element, of at most 16 bytes, where all
 * strides and addresses allow it: also the n strides in `more`. */
static size_t widen(NMove *m, size_t size, int64_t *const *more, const uint32_t *n, int nmore)
{
    int64_t last = m->rank - 1;

    for (; size < 16 && m->rank && m->to_step[last] == 1 && m->from_step[last] == 1; size *= 2) {
        bool even = m->dims[last] % 2 == 0 &&
                    ((uintptr_t)m->to | (uintptr_t)m->from) % (2 * size) == 0;

        for (int64_t i = 0; i < last; i++)
            even = even && m->to_step[i] % 2 == 0 && m->from_step[i] % 2 == 0;
        for (int k = 0; k < nmore; k++)
            for (uint32_t i = 0; i < n[k]; i++)
                even = even && more[k][i] % 2 == 0;
        if (!even)
            break;
        for (int64_t i = 0; i < last; i++) {
            m->to_step[i] /= 2;
            m->from_step[i] /= 2;
        }
        for (int k = 0; k < nmore; k++)
            for (uint32_t i = 0; i < n[k]; i++)
                more[k][i] /= 2;
        m->dims[last] /= 2;
        m->count /= 2;
    }
    return size;
}

/* All elements, one after the other at both ends. */
static bool is_plain(const KMove *m)
{
    return m->rank == 0 || (m->rank == 1 && m->to[0] == 1 && m->from[0] == 1);
}

/* Is it the last two axes that change places, both of some size? */
static bool is_turned(const KMove *m)
{
    int r = m->rank;

    return r >= 2 && m->to[r - 1] == 1 && m->from[r - 2] == 1 && m->dims[r - 1] >= 16 &&
           m->dims[r - 2] >= 16;
}

static bool put_move(CudaQueue *q, wf_ctx *cx, const KMove *m, void *to, const void *from)
{
    size_t size = m->size;
    NMove n;

    if (!m->count)
        return true;
    if (is_plain(m))
        return cuda_ok(q->d,
                       q->d->l->cu.cuMemcpyDtoDAsync_v2(
                           (CuPtr)(uintptr_t)to, (CuPtr)(uintptr_t)from,
                           (size_t)m->count * m->size, q->stream),
                       "a copy inside it");
    fill_move(&n, m, to, from);
    if (!is_turned(m))
        size = widen(&n, size, NULL, NULL, 0);
    return launch_moving(q, cx, is_turned(m) ? "n_turn" : "n_copy", size, "NMove",
                         is_turned(m) ? MAX(m->count / 1024, 1) : blocks_for(n.count), &n);
}

bool cuda_put_move(Device *d, void *queue, wf_ctx *cx, const KMove *m, void *to,
                   const void *from, bool *out_done)
{
    *out_done = m->rank <= CUDA_RANK && ((Cuda *)d)->l->has_rtc;
    return !*out_done || (cuda_enter((Cuda *)d) && put_move(queue, cx, m, to, from));
}

static bool put_fill(CudaQueue *q, const Frame *f, const Op *op)
{
    size_t size = wf_dtype_size(
        (wf_dtype)val_type(f->plan->p, f->plan->p->eqns[op->eqn].out).dtype);
    NFill n = {op_at(f, op, 1), op_at(f, op, 0), op->n};

    if (cuda_is_window_start(f, op))
        return true;
    return launch_moving(q, f->root->cx, "n_fill", size, "NFill",
                         MIN(blocks_for((op->n * (int64_t)size + 15) / 16), FILL_BLOCKS), &n);
}

static bool put_set(CudaQueue *q, const Frame *f, const Op *op)
{
    NSet n = {op_at(f, op, 0), op->n};

    return cuda_launch(q, cuda_native(q->d, f->root->cx, "SET"), 1, 1, 1, &n);
}

/* ---- windows ------------------------------------------------------------------------------ */

static bool put_window(CudaQueue *q, const Frame *f, const Op *op, bool update)
{
    const WindowStep *s = op->data;
    int64_t size = (int64_t)s->m.size;
    char *x = op_at(f, op, s->rank), *y = op_at(f, op, s->rank + 1 + update);
    NWindow n = {.starts = s->rank, .to_moves = update};

    if (update && y != x && s->bytes &&
        !cuda_ok(q->d,
                 q->d->l->cu.cuMemcpyDtoDAsync_v2((CuPtr)(uintptr_t)y, (CuPtr)(uintptr_t)x,
                                                  (size_t)s->bytes, q->stream),
                 "a copy inside it"))
        return false;
    fill_move(&n.m, &s->m, y, update ? op_at(f, op, s->rank + 1) : x);
    for (uint32_t i = 0; i < s->rank; i++) {
        n.start[i] = op_at(f, op, i);
        n.type[i] = s->start[i].dtype;
        n.last[i] = s->start[i].last;
        n.step[i] = s->start[i].stride / size;
    }
    return launch_moving(q, f->root->cx, "n_window",
                         widen(&n.m, s->m.size, (int64_t *[]){n.step}, &s->rank, 1),
                         "NWindow", blocks_for(n.m.count), &n);
}

static void fill_index(NIndex *n, const IndexStep *s, void *to, const void *from,
                       const void *indices)
{
    int64_t size = (int64_t)s->m.size;

    *n = (NIndex){.indices = indices,
                  .mode = s->mode,
                  .itype = s->itype,
                  .rank = s->rank,
                  .nbatch = s->nbatch,
                  .nmap = s->nmap,
                  .npairs = s->npairs,
                  .rows = s->rows,
                  .fill = s->fill};
    fill_move(&n->m, &s->m, to, from);
    for (uint32_t i = 0; i < s->nmap; i++)
        n->map[i] = s->map[i];
    for (uint32_t i = 0; i < s->npairs; i++) {
        n->pair_axis[i] = s->pair_axis[i];
        n->pair_batch[i] = s->pair_batch[i];
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        n->last[i] = s->last[i];
        n->step[i] = s->last[i] > 0 ? s->step[i] / size : 0; /* whose window has one place is in the way of no wide moves */
    }
    for (uint32_t i = 0; i < s->nbatch; i++) {
        n->batch[i] = s->batch[i];
        n->batch_step[i] = s->batch_step[i] / size;
    }
}

#define GATHER_LONG  32  /* elements of a window that a warp moves */
#define GATHER_PIECE 256 /* at most; as in native.cuh */

static bool put_gather(CudaQueue *q, const Frame *f, const Op *op)
{
    const IndexStep *s = op->data;
    size_t size = s->m.size;
    NIndex n;

    fill_index(&n, s, op_at(f, op, 2), op_at(f, op, 0), op_at(f, op, 1));
    for (size_t bits = 8 * size; bits < 64; bits *= 2)
        n.fill |= n.fill << bits;
    size = widen(&n.m, size, (int64_t *[]){n.step, n.batch_step},
                 (uint32_t[]){s->rank, s->nbatch}, 2);
    if (n.m.count >= GATHER_LONG)
        return launch_moving(q, f->root->cx, "n_gather_long", size, "NIndex",
                             (s->rows * ((n.m.count + GATHER_PIECE - 1) / GATHER_PIECE) + 7) / 8, &n);
    return launch_moving(q, f->root->cx, "n_gather", size, "NIndex",
                         blocks_for(s->rows * n.m.count), &n);
}

#define SCATTER_FEW 4 /* elements of a window that one thread writes */
#define PLACES_MOST ((int64_t)1 << 28)

/* Windows that a scatter can write, counted over all places. */
static int64_t count_places(const IndexStep *s)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        if (!mul_i64(n, s->last[i] + 1, &n) || n > PLACES_MOST)
            return PLACES_MOST + 1;
    return n;
}

/* Rows that go to the same place become lists. */
static bool link_rows(CudaQueue *q, wf_ctx *cx, const IndexStep *s, NScatter *n)
{
    int64_t places = count_places(s), heads = (places * 4 + 255) / 256 * 256;
    CuPtr work = places > PLACES_MOST || s->rows > INT32_MAX
                     ? 0
                     : cuda_work(q, (size_t)(heads + s->rows * 12));

    if (!work)
        return cuda_ok(q->d, 2, "a scatter's lists");
    n->head = (int *)(uintptr_t)work;
    n->place = (int64_t *)(uintptr_t)(work + (CuPtr)heads);
    n->next = (int *)(void *)(n->place + s->rows);
    return cuda_ok(q->d,
                   q->d->l->cu.cuMemsetD8Async(work, 0xff, (size_t)places * 4, q->stream),
                   "clearing memory") &&
           launch_native(q, cx, "KERNEL(n_link, char, NScatter)", blocks_for(s->rows), n);
}

/* Can two windows share elements, and yet not be in the same place? */
static bool may_overlap(const IndexStep *s)
{
    for (uint32_t i = 0; i < s->rank; i++)
        if (s->size[i] > 1 && s->last[i] > 0)
            return true;
    return false;
}

static bool put_scatter(CudaQueue *q, const Frame *f, const Op *op)
{
    const IndexStep *s = op->data;
    const Eqn *e = &f->plan->p->eqns[op->eqn];
    unsigned combine = op_row(e->op)->lower.combine;
    bool unique = ((const ScatterAttr *)e->attr)->unique || s->rows == 1;
    char *x = op_at(f, op, 0), *y = op_at(f, op, 3);
    bool overlap = !unique && may_overlap(s);
    bool few = s->m.count <= SCATTER_FEW;
    const char *name = unique    ? "n_put, NIndex"
                       : overlap ? "n_in_order, NIndex"
                       : few     ? "n_scatter_few, NScatter"
                                 : "n_scatter, NScatter";
    NScatter n;
    char what[96];

    if (cuda_is_window_back(f, op))
        return cuda_put_window_back(q, f, op);
    if (!s->rows || !s->m.count)
        unique = true; /* nothing to write */
    if (y != x && s->bytes &&
        !cuda_ok(q->d,
                 q->d->l->cu.cuMemcpyDtoDAsync_v2((CuPtr)(uintptr_t)y, (CuPtr)(uintptr_t)x,
                                                  (size_t)s->bytes, q->stream),
                 "a copy inside it"))
        return false;
    fill_index(&n.i, s, y, op_at(f, op, 2), op_at(f, op, 1));
    if (!unique && !overlap && !link_rows(q, f->root->cx, s, &n))
        return false;
    if (combine)
        snprintf(what, sizeof what, "SCATTER(%s, %s, %s, %s, %s)", name,
                 wf_dtype_name(s->vtype), render_type(s->vtype),
                 wf_dtype_name(kept_dtype(s->vtype)), op_name(combine));
    else
        snprintf(what, sizeof what, "SCATTER_SET(%s, uint%d_t)", name, 8 * (int)s->m.size);
    return launch_native(q, f->root->cx, what,
                         unique    ? blocks_for(s->m.count * s->rows)
                         : overlap ? 1
                         : few     ? blocks_for(s->rows)
                                   : s->rows,
                         &n);
}

/* ---- lines ------------------------------------------------------------------------------- */

typedef struct NLine { /* as in native.cuh */
    const void *x;
    void *y;
    int64_t outer, n, inner, flag;
} NLine;

static bool put_arg(CudaQueue *q, const Frame *f, const Op *op)
{
    const LineStep *s = op->data;
    NLine n = {op_at(f, op, 0), op_at(f, op, 1), s->outer, s->n, s->inner, s->flag};
    wf_dtype t = (wf_dtype)s->type;
    char what[96];

    snprintf(what, sizeof what, "LINE_ARG(%s, %s, %s)", wf_dtype_name(t), render_type(t),
             render_type((wf_dtype)s->out_type));
    return launch_native(q, f->root->cx, what, (s->outer * s->inner + 7) / 8, &n);
}

static bool put_step(CudaQueue *q, const Frame *f, const Op *op)
{
    switch ((OpKind)op->kind) {
    case OP_RUNS_KERNEL: return put_kernel(q, f, op);
    case OP_RUNS_DOT: return cuda_put_product(q, f, op);
    case OP_RUNS_MOVE: return put_move(q, f->root->cx, op->data, op_at(f, op, 1), op_at(f, op, 0));
    case OP_RUNS_FILL: return put_fill(q, f, op);
    case OP_RUNS_SET: return put_set(q, f, op);
    case OP_RUNS_WINDOW: return put_window(q, f, op, false);
    case OP_RUNS_WINDOW_UPDATE: return put_window(q, f, op, true);
    case OP_RUNS_CONV: return cuda_put_conv(q, f, op);
    case OP_RUNS_ATTENTION: return cuda_put_attention(q, f, op);
    case OP_RUNS_ARG: return put_arg(q, f, op);
    case OP_RUNS_CUM: return cuda_put_cum(q, f, op);
    case OP_RUNS_SORT: return cuda_put_sort(q, f, op);
    case OP_RUNS_TOP: return cuda_put_top(q, f, op);
    case OP_RUNS_LINALG: return cuda_put_linalg(q, f, op);
    case OP_RUNS_FFT: return cuda_put_fft(q, f, op);
    case OP_RUNS_REDUCE_WINDOW: return cuda_put_reduce_window(q, f, op);
    case OP_RUNS_GATHER: return put_gather(q, f, op);
    case OP_RUNS_SCATTER: return put_scatter(q, f, op);
    default: return cuda_ok(q->d, 1, "a step that it has no kernel for");
    }
}

bool cuda_put_step(Device *device, void *queue, const Frame *f, const Op *op)
{
    CudaQueue *q = queue;
    const Op *merged = q->merged;

    q->merged = NULL;
    return merged == op || (cuda_enter((Cuda *)device) && cuda_branch_step(q, f, op) &&
                            put_step(q, f, op) && cuda_branch_end(q));
}

/* ---- who does what, for people ---------------------------------------------------------- */

/* As cuda_has says of most dtypes, and fusion of what is rendered. */
const char *wf_op_on_gpu(int i)
{
    switch (i < 0 || i >= wf_op_count() ? OP_host : i) {
    case OP_lu:
    case OP_qr:
    case OP_eigh:
    case OP_svd:
    case OP_eig:
    case OP_nonzero:
    case OP_print:
    case OP_assert:
    case OP_host:
    case OP_callback: return "host";
    case OP_iota:
    case OP_select:
    case OP_clamp:
    case OP_cast:
    case OP_reduce_sum:
    case OP_reduce_prod:
    case OP_reduce_max:
    case OP_reduce_min:
    case OP_reduce_and:
    case OP_reduce_or: return "kernel";
    default: return op_row((unsigned)i)->lower.kind == LOWER_MAP ? "kernel" : "native";
    }
}
