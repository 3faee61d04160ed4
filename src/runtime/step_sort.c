/* step_sort.c -- arrays sorted together; the first few of an order. Uses: the operands, the
 * results, the workspace. */
#include "kernels/sort.h"
#include "runtime/runtime.h"

typedef struct SortStep {
    KSort k;
    const void **in; /* addresses of a run */
    void **out;
} SortStep;

static bool run_sort(Frame *f, const Op *op)
{
    SortStep *s = op->data;
    uint32_t n = (uint32_t)s->k.count;

    for (uint32_t i = 0; i < n; i++) {
        s->in[i] = op_at(f, op, i);
        s->out[i] = op_at(f, op, n + i);
    }
    ksort_run(&s->k, s->in, s->out, &f->root->par, op_at(f, op, 2 * n));
    return true;
}

bool bind_sort(Bind *b)
{
    const SortAttr *a = b->attr;
    uint32_t n = b->e->nin, keys = (uint32_t)a->keys, axis = (uint32_t)a->axis;
    const int64_t *dims = bind_dims(b, bind_in(b, 0));
    SortStep *s = arena_zalloc(b->a, sizeof *s);
    KType *type = arena_array(b->a, n, sizeof *type);
    uint8_t *down = arena_zalloc(b->a, keys);
    Op *op;

    s->in = arena_array(b->a, n, sizeof *s->in);
    s->out = arena_array(b->a, n, sizeof *s->out);
    for (uint32_t i = 0; i < n; i++)
        type[i] = (KType)bind_dtype(b, bind_in(b, i));
    for (uint32_t i = 0; i < a->descending.n; i++)
        down[i] = a->descending.v[i] != 0;
    s->k = (KSort){.count = (int)n, .keys = (int)keys, .type = type, .down = down};
    if (bind_count(b, bind_in(b, 0))) {
        s->k.n = dims[axis];
        s->k.inner =
            k_count((int)(bind_rank(b, bind_in(b, 0)) - axis - 1), dims + axis + 1);
        s->k.lines = bind_count(b, bind_in(b, 0)) / s->k.n;
    }
    ksort_init(&s->k, b->root->par.threads);
    op = bind_op(b, run_sort, s);
    op->kind = OP_RUNS_SORT;
    for (uint32_t i = 0; i < n; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    for (uint32_t i = 0; i < n; i++)
        bind_use(b, op, bind_out(b, i), USE_WRITE);
    bind_use_bytes(b, op, bind_workspace(b, s->k.workspace), (int64_t)s->k.workspace, 0,
                   USE_WORK);
    return true;
}

static bool run_top_k(Frame *f, const Op *op)
{
    ktop_run(op->data, op_at(f, op, 0), op_at(f, op, 1), op_at(f, op, 2), &f->root->par,
             op_at(f, op, 3));
    return true;
}

bool bind_top_k(Bind *b)
{
    const TopAttr *a = b->attr;
    Val x = bind_in(b, 0);
    const int64_t *dims = bind_dims(b, x);
    KTop *t = arena_zalloc(b->a, sizeof *t);
    int64_t rest = bind_rank(b, x) - a->axis - 1;
    Op *op;

    if (a->k > dims[a->axis])
        return bind_fail(b, WF_ERR_VALUE, "k is %lld along an axis of %lld elements",
                         (long long)a->k, (long long)dims[a->axis]);
    *t = (KTop){.type = (KType)bind_dtype(b, x), .largest = a->largest, .k = a->k};
    if (bind_count(b, x)) {
        t->n = dims[a->axis];
        t->inner = k_count((int)rest, dims + a->axis + 1);
        t->lines = bind_count(b, x) / t->n;
    }
    ktop_init(t, b->root->par.threads);
    op = bind_op(b, run_top_k, t);
    op->kind = OP_RUNS_TOP;
    bind_use(b, op, x, USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    bind_use(b, op, bind_out(b, 1), USE_WRITE);
    bind_use_bytes(b, op, bind_workspace(b, t->workspace), (int64_t)t->workspace, 0,
                   USE_WORK);
    return true;
}
