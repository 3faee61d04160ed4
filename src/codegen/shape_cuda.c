/* shape_cuda.c -- how many threads a kernel on a GPU gets, and what each has of it: CudaShape,
 * which the text (render_cuda.c) and the launch (cuda/step.c) read.
 */
#include "codegen/render.h"

#define LAST(k)    ((k)->nloops - 1)
#define MAP_BLOCK  256
#define TASKS_MOST 264 /* that leave partial results */
#define FAR_BYTES  (128 << 20) /* twice the cache of a large GPU */
#define TASK_LEAST 1000 /* cost of one */
#define ROWS_BLOCK 128 /* threads, of several short rows */
#define ROW_MOST   1024 /* threads of one row */
#define LOADS_MOST 12   /* of as many elements at a time as fit 16 bytes */
#define KEPT_MOST  48   /* elements that a thread keeps from walk to walk */

/* Is it an element for each of the last loop, one after the other? */
bool render_cuda_is_vector(const Kernel *k, const Access *at)
{
    return at->stride[LAST(k)] == 1;
}

bool render_cuda_is_loaded(const Kernel *k, const Node *n)
{
    return n->kind == NODE_LOAD && !n->nin && n->level == LEVEL_EACH &&
           render_cuda_is_vector(k, &n->at);
}

static bool is_wide(const Kernel *k)
{
    return k->form == FORM_ROWS ? k->parts : k->form == FORM_MAP && k->nloops == 1 && !k->parts;
}

static int elements_of_thread(const Kernel *k)
{
    size_t most = 1;
    Dim last = k->loops[LAST(k)].size;
    int v, loads = 0;

    for (uint32_t i = 0; i < k->nnodes; i++)
        if (render_cuda_is_loaded(k, &k->nodes[i])) {
            most = MAX(most, wf_dtype_size((wf_dtype)k->nodes[i].dtype));
            loads++;
        }
    for (uint32_t j = 0; j < k->p->nout; j++)
        most = MAX(most, wf_dtype_size((wf_dtype)k->nodes[k->outs[j].node].dtype));
    /* Two accesses at a time where that was measured to pay: rows whose sums over all of them are kept, plain arrays. */
    v = (int)MIN((is_wide(k) ? 32 : 16) / most, 8);
    if (k->cost > 100 || loads > LOADS_MOST) /* registers */
        v = MIN(v, 2);
    while (last >= 0 && last % v != 0 && last < 4 * (Dim)v)
        v /= 2;
    return v;
}

/* The bytes from the first to the last element that is touched; -1: not known. */
static int64_t access_extent(const Kernel *k, const Access *at)
{
    int64_t n = at->offset;

    for (uint32_t l = 0; l < k->nloops && n >= 0; l++) {
        Dim size = k->loops[l].size, step = at->stride[l];

        if (size < 0 || step < 0 || size > INT32_MAX || step > INT32_MAX)
            return -1;
        n += size * step;
    }
    return n;
}

bool render_cuda_is_far(const Kernel *k, uint32_t j)
{
    int64_t n = access_extent(k, &k->outs[j].at);

    return n * (int64_t)wf_dtype_size((wf_dtype)k->nodes[k->outs[j].node].dtype) >= FAR_BYTES;
}

/* Are all indices small? */
static bool is_small(const Kernel *k)
{
    int64_t elements = 1, most = (int64_t)1 << 30;

    for (uint32_t l = 0; l < k->nloops; l++)
        if (k->loops[l].size < 0 || !mul_i64(elements, k->loops[l].size, &elements))
            return false;
    if (elements >= most)
        return false;
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        int64_t extent = 0;

        if (n->kind == NODE_LOAD || n->kind == NODE_IOTA)
            extent = access_extent(k, &n->at);
        if (n->kind == NODE_LOAD && n->nin)
            extent = extent < 0 || n->bound < 0 || n->step < 0 || n->bound > INT32_MAX ||
                             n->step > INT32_MAX
                         ? -1
                         : extent + n->bound * n->step;
        if (extent < 0 || extent >= most)
            return false;
    }
    for (uint32_t j = 0; j < k->p->nout; j++) {
        int64_t extent = access_extent(k, &k->outs[j].at);

        if (extent < 0 || extent >= most)
            return false;
    }
    return true;
}

/* Vectors of a row; -1: not known. */
static int64_t vectors_of_row(const Kernel *k, int v)
{
    int64_t n = 1;

    for (uint32_t l = k->nrows; l < k->nloops; l++) {
        Dim size = k->loops[l].size;

        if (size < 0)
            return -1;
        if (!mul_i64(n, l == LAST(k) ? (size + v - 1) / v : size, &n))
            return -1;
    }
    return n;
}

static void shape_rows(const Kernel *k, CudaShape *s)
{
    int64_t n = vectors_of_row(k, s->vec);
    int kept = 0;

    s->threads = 128;
    if (n >= 0)
        for (s->threads = 1; s->threads < n && s->threads < 256;)
            s->threads *= 2;
    if (k->parts)
        s->threads = MAX(s->threads, 32);
    for (uint32_t i = 0; i < k->nnodes; i++)
        kept += render_cuda_is_loaded(k, &k->nodes[i]) ||
                (k->nodes[i].kind == NODE_REDUCE && k->nodes[i].over == OVER_ROWS);
    kept = MAX(kept, 1);
    while (n > 256 && s->threads < ROW_MOST &&
           (n + s->threads - 1) / s->threads * s->vec * kept > KEPT_MOST)
        s->threads *= 2;
    s->rows = k->parts || s->threads > 32 ? 1 : ROWS_BLOCK / s->threads;
    s->chunks = n < 0 ? 0 : (int)MIN((n + s->threads - 1) / s->threads, 1000);
    if (s->chunks * s->vec * kept > KEPT_MOST)
        s->chunks = 0;
}

/* Threads for n neighbours; -1: who knows how many. */
static int threads_across(int64_t n)
{
    int t = 1;

    while (t < CUDA_COLS && (n < 0 || t < n))
        t *= 2;
    return t;
}

CudaShape render_cuda_shape(const Kernel *k)
{
    CudaShape s = {.vec = 1, .threads = 1, .rows = 1};

    if (k->scalar)
        return s;
    s.vec = elements_of_thread(k);
    s.small = is_small(k);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_is_part(&k->nodes[i])) {
            s.totals = s.totals || k->nodes[i].over == OVER_ALL;
            s.parts++;
        }
    if (k->form == FORM_ROWS) {
        shape_rows(k, &s);
    } else if (k->form == FORM_COLS) {
        s.threads = threads_across(vectors_of_row(k, s.vec));
        s.rows = CUDA_TILE / s.threads;
    } else {
        s.threads = MAP_BLOCK;
    }
    s.ends = threads_across(vectors_of_row(k, 1));
    return s;
}

/* Enough blocks for every multiprocessor to have some, each with some work; blocks of columns count, too. Rows a block does one
 * after the other: it is better if it has but one. */
int64_t render_cuda_tasks(const Kernel *k, int64_t cols, double work)
{
    CudaShape s = render_cuda_shape(k->code ? k->code : k);
    int64_t across = s.vec * s.threads, most = 2 * TASKS_MOST;

    if (k->form == FORM_ROWS) /* of few threads a multiprocessor has many blocks at a time */
        return s.threads < 256 ? 2 * most : most;
    if (k->form == FORM_COLS && !s.totals)
        most = MAX(1, most / MAX(1, (cols + across - 1) / across));
    return work < TASK_LEAST ? 1 : (int64_t)MIN(work / TASK_LEAST, (double)most);
}
