/* step_linalg.c -- factorisations, and triangular systems. Uses: the operands, the results,
 * the workspace. */
#include "kernels/linalg.h"
#include "runtime/runtime.h"

static bool run_linalg(Frame *f, const Op *op)
{
    const KLinalg *k = op->data;
    uint32_t nin = (uint32_t)op->n, nout = op->use.n - nin - 1;
    const void *in[KL_IN] = {NULL};
    void *out[KL_OUT] = {NULL};

    for (uint32_t i = 0; i < nin; i++)
        in[i] = op_at(f, op, i);
    for (uint32_t j = 0; j < nout; j++)
        out[j] = op_at(f, op, nin + j);
    klinalg_run(k, f->root->kernels, in, out, &f->root->par, op_at(f, op, nin + nout));
    return true;
}

static KLinalgOp linalg_op(unsigned op)
{
    switch (op) {
    case OP_cholesky: return KL_CHOLESKY;
    case OP_triangular_solve: return KL_SOLVE;
    case OP_lu: return KL_LU;
    case OP_qr: return KL_QR;
    case OP_eigh: return KL_EIGH;
    default: return KL_SVD;
    }
}

static void set_sizes(Bind *b, KLinalg *k)
{
    Val x = bind_in(b, 0);
    uint32_t r = bind_rank(b, x);
    const int64_t *dims = bind_dims(b, x);

    k->op = linalg_op(b->e->op);
    k->type = (KType)bind_dtype(b, x);
    k->m = dims[r - 2];
    k->n = dims[r - 1];
    k->count = k_count((int)r - 2, dims);
    k->k = MIN(k->m, k->n);
    if (k->op == KL_QR && ((const QrAttr *)b->attr)->full)
        k->k = k->m;
    if (k->op == KL_SOLVE) {
        const SolveAttr *s = b->attr;
        const int64_t *y = bind_dims(b, bind_in(b, 1));

        k->m = y[r - (s->left ? 1 : 2)];
        k->left = s->left;
        k->lower = s->lower;
        k->trans = s->trans;
        k->unit = s->unit;
    }
}

bool bind_linalg(Bind *b)
{
    KLinalg *k = arena_zalloc(b->a, sizeof *k);
    Op *op;

    set_sizes(b, k);
    if (k->op == KL_LU && k->m > INT32_MAX)
        return bind_fail(b, WF_ERR_LIMIT, "%lld rows, at most %d are possible",
                         (long long)k->m, INT32_MAX);
    klinalg_init(k, b->root->kernels, b->root->threads);
    op = bind_op(b, run_linalg, k);
    op->kind = OP_RUNS_LINALG;
    op->n = b->e->nin;
    for (uint32_t i = 0; i < b->e->nin; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    for (uint32_t j = 0; j < b->e->nout; j++)
        bind_use(b, op, bind_out(b, j), USE_WRITE);
    bind_use_bytes(b, op, bind_workspace(b, k->workspace), (int64_t)k->workspace, 0,
                   USE_WORK);
    return true;
}
