/* lines.c -- steps along an axis, and of matrices, as launches of lines.cuh: running sums and the like, sort, top_k,
 * cholesky, triangular_solve. */
#include "cuda/cuda.h"
#include "codegen/render.h"
#include "kernels/linalg.h"
#include "kernels/sort.h"
#include "runtime/step.h"

#include <stdio.h>

#define BLOCK      256
#define TILE       1024 /* as in lines.cuh */
#define SORTED     8
#define LINES_MANY 4096 /* lines side by side in memory, from which on each is a thread's */
#define LINE_SHORT 64   /* elements, at most */

static int64_t blocks_for(int64_t n) { return (n + BLOCK - 1) / BLOCK; }

static bool launch(CudaQueue *q, const Frame *f, const char *what, int64_t blocks, void *args)
{
    return cuda_launch(q, cuda_native(q->d, f->root->cx, what), blocks, 1, BLOCK, args);
}

bool cuda_has_line(const Program *p, const Eqn *e)
{
    wf_dtype t = (wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype;
    bool is_float = t == WF_F16 || t == WF_BF16 || t == WF_F32 || t == WF_F64;

    switch (e->op) {
    case OP_cumsum:
    case OP_cumprod:
    case OP_recur: return t != WF_BOOL && !dtype_is_complex(t);
    case OP_cumlogsumexp: return is_float;
    case OP_cummax:
    case OP_cummin:
    case OP_top_k: return !dtype_is_complex(t);
    case OP_cholesky:
    case OP_triangular_solve: return t == WF_F32 || t == WF_F64;
    case OP_sort:
        for (uint32_t i = 0; i < e->nin; i++)
            if (i >= SORTED || dtype_is_complex((wf_dtype)val_type(p, eqn_in(p, e)[i]).dtype))
                return false;
        return true;
    default: return false;
    }
}

/* ---- running ------------------------------------------------------------------------- */

typedef struct NScan { /* as in lines.cuh */
    const void *x, *b;
    void *y;
    int64_t *place;
    int64_t outer, n, inner, reverse;
} NScan;

bool cuda_put_cum(CudaQueue *q, const Frame *f, const Op *op)
{
    const LineStep *s = op->data;
    unsigned kind = f->plan->p->eqns[op->eqn].op;
    wf_dtype t = (wf_dtype)s->type;
    const char *name = wf_dtype_name(t), *kept = wf_dtype_name(kept_dtype(t));
    uint32_t nin = kind == OP_recur ? 2 : 1;
    NScan n = {.x = op_at(f, op, 0),
               .b = nin > 1 ? op_at(f, op, 1) : NULL,
               .y = op_at(f, op, nin),
               .place = op->use.n > nin + 1 ? op_at(f, op, nin + 1) : NULL,
               .outer = s->outer,
               .n = s->n,
               .inner = s->inner,
               .reverse = s->flag};
    int64_t lines = s->outer * s->inner;
    bool each = s->n <= LINE_SHORT || (s->inner > 1 && lines >= LINES_MANY);
    const char *block = each ? "false" : "true";
    char what[96];

    if (kind == OP_recur)
        snprintf(what, sizeof what, "RECUR(%s, %s, %s, %s)", block, name, render_type(t), kept);
    else if (kind == OP_cummax || kind == OP_cummin)
        snprintf(what, sizeof what, "EXTREME(%s, %s, %s, %s)", block,
                 kind == OP_cummax ? "true" : "false", name, render_type(t));
    else
        snprintf(what, sizeof what, "CUM(%s, %d, %s, %s, %s)", block,
                 kind == OP_cumsum ? 0 : kind == OP_cumprod ? 1 : 2, name, render_type(t), kept);
    return launch(q, f, what, each ? blocks_for(lines) : lines, &n);
}

/* ---- sorting ------------------------------------------------------------------------- */

typedef struct NSort { /* as in lines.cuh */
    const void *in[SORTED];
    int64_t type[SORTED], down[SORTED];
    int64_t keys, lines, n, inner, nan_first, run;
    uint64_t *key, *to_key;
    uint32_t *place, *to_place;
} NSort;

typedef struct NTake {
    const void *from;
    void *to;
    const uint32_t *place;
    int64_t lines, n, inner, count;
} NTake;

/* Leaves the places of the sorted elements in n->place. */
static bool put_places(CudaQueue *q, const Frame *f, NSort *n)
{
    size_t all = (size_t)(n->lines * n->n);
    CuPtr work = n->n > INT32_MAX ? 0 : cuda_work(q, all * 24 + 64);

    if (!work)
        return cuda_ok(q->d, 2, "a sort's memory");
    n->key = (uint64_t *)(uintptr_t)work;
    n->to_key = n->key + all;
    n->place = (uint32_t *)(n->to_key + all);
    n->to_place = n->place + all;
    if (!launch(q, f, "KERNEL(n_sort_tiles, char, NSort)",
                n->lines * ((n->n + TILE - 1) / TILE), n))
        return false;
    for (n->run = TILE;; n->run *= 2) {
        uint64_t *key = n->key;
        uint32_t *place = n->place;

        n->key = n->to_key, n->place = n->to_place;
        n->to_key = key, n->to_place = place;
        if (n->run >= n->n)
            return true;
        if (!launch(q, f, "KERNEL(n_sort_merge, char, NSort)", blocks_for((int64_t)all), n))
            return false;
    }
}

static bool put_take(CudaQueue *q, const Frame *f, const NSort *n, int64_t count, size_t size,
                     const void *from, void *to)
{
    NTake k = {from, to, n->place, n->lines, n->n, n->inner, count};
    char what[64];

    snprintf(what, sizeof what, "KERNEL(n_take, uint%d_t, NTake)", 8 * (int)size);
    return launch(q, f, what, blocks_for(n->lines * count), &k);
}

bool cuda_put_sort(CudaQueue *q, const Frame *f, const Op *op)
{
    const KSort *s = op->data; /* the first of a SortStep */
    NSort n = {.keys = s->keys, .lines = s->lines, .n = s->n, .inner = s->inner};

    if (!s->lines || !s->n)
        return true;
    for (int i = 0; i < s->count; i++) {
        n.in[i] = op_at(f, op, (uint32_t)i);
        n.type[i] = s->type[i];
        n.down[i] = i < s->keys && s->down[i];
    }
    if (!put_places(q, f, &n))
        return false;
    for (int i = 0; i < s->count; i++)
        if (!put_take(q, f, &n, s->n, k_size(s->type[i]), n.in[i],
                      op_at(f, op, (uint32_t)(s->count + i))))
            return false;
    return true;
}

bool cuda_put_top(CudaQueue *q, const Frame *f, const Op *op)
{
    const KTop *t = op->data;
    NSort n = {.in = {op_at(f, op, 0)},
               .type = {t->type},
               .down = {t->largest},
               .keys = 1,
               .lines = t->lines,
               .n = t->n,
               .inner = t->inner,
               .nan_first = t->largest};

    return !t->lines || !t->k ||
           (put_places(q, f, &n) &&
            put_take(q, f, &n, t->k, k_size(t->type), n.in[0], op_at(f, op, 1)) &&
            put_take(q, f, &n, t->k, sizeof(int64_t), NULL, op_at(f, op, 2)));
}

/* ---- matrices ------------------------------------------------------------------------ */

typedef struct NMatrix { /* as in lines.cuh */
    const void *a, *y;
    void *x;
    int64_t count, n, m, left, lower, turned, unit;
} NMatrix;

bool cuda_put_linalg(CudaQueue *q, const Frame *f, const Op *op)
{
    const KLinalg *k = op->data;
    bool solve = k->op == KL_SOLVE, turned = solve && (k->trans != 0) != !k->left;
    NMatrix n = {.a = op_at(f, op, 0),
                 .y = solve ? op_at(f, op, 1) : NULL,
                 .x = op_at(f, op, solve ? 2 : 1),
                 .count = k->count,
                 .n = k->n,
                 .m = k->m,
                 .left = k->left,
                 .lower = (k->lower != 0) != turned,
                 .turned = turned,
                 .unit = k->unit};
    char what[64];

    snprintf(what, sizeof what, "KERNEL(%s, %s, NMatrix)", solve ? "n_solve" : "n_cholesky",
             k->type == KT_F64 ? "double" : "float");
    return launch(q, f, what, solve ? (k->count * k->m + 7) / 8 : k->count, &n);
}
