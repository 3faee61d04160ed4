/* step_rows.c -- calls of sub-programs that are softmax, a norm or gelu, in f32 and f64.
 *
 * The body says what it is (opt/recognise.h). Reductions along other axes than the last
 * run as the body says.
 */
#include "kernels/rows.h"
#include "opt/recognise.h"
#include "runtime/runtime.h"

enum { ROWS_X, ROWS_Y, ROWS_MORE }; /* uses; then weight, bias, index, those there are */

typedef struct RowsStep {
    KRows k;
    KRowsRun *run;
} RowsStep;

static bool run_rows(Frame *f, const Op *op)
{
    const RowsStep *s = op->data;
    KRows k = s->k;
    uint32_t more = ROWS_MORE;

    k.x = op_at(f, op, ROWS_X);
    k.y = op_at(f, op, ROWS_Y);
    k.weight = k.weight ? op_at(f, op, more++) : NULL;
    k.bias = k.bias ? op_at(f, op, more++) : NULL;
    k.index = k.index ? op_at(f, op, more++) : NULL;
    s->run(&k, &f->root->par);
    return true;
}

static const KRowsKind kinds[KIND_ATTENTION] = {
    [KIND_SOFTMAX] = KR_SOFTMAX,
    [KIND_LOG_SOFTMAX] = KR_LOG_SOFTMAX,
    [KIND_NLL] = KR_NLL,
    [KIND_LAYER_NORM] = KR_LAYER_NORM,
    [KIND_RMS_NORM] = KR_RMS_NORM,
    [KIND_GELU] = KR_GELU,
    [KIND_GELU_TANH] = KR_GELU_TANH,
};

/* The last axes, in one piece? How many elements are along them, and beside them? */
static bool take_axes(Bind *b, Val x, uint32_t axes, KRows *k)
{
    uint32_t rank = bind_rank(b, x), n = 0;

    if (!axes) /* any way to cut it */
        axes = rank ? 1u << (rank - 1) : 0;
    while (n < rank && axes >> (rank - 1 - n) & 1)
        n++;
    if (axes != (rank ? ((1u << rank) - 1) - ((1u << (rank - n)) - 1) : 0))
        return false;
    k->rows = k_count((int)(rank - n), bind_dims(b, x));
    k->n = k_count((int)n, bind_dims(b, x) + (rank - n));
    return true;
}

bool bind_rows(Bind *b, const CallAttr *call)
{
    RowsStep *s = arena_zalloc(b->a, sizeof *s);
    int32_t more[3];
    Piece p;
    Val x;
    Op *op;

    if (!piece_read(call->body.p, (CallKind)call->kind, &p))
        return false;
    more[0] = p.weight;
    more[1] = p.bias;
    more[2] = p.index;
    x = bind_in(b, (uint32_t)p.x);
    if ((bind_dtype(b, x) != WF_F32 && bind_dtype(b, x) != WF_F64) ||
        !take_axes(b, x, p.axes, &s->k))
        return false;
    s->k.kind = kinds[p.kind];
    s->k.eps = p.eps;
    s->k.mean = p.mean;
    s->k.guarded = p.guarded;
    s->k.weight = p.weight < 0 ? NULL : b; /* any address */
    s->k.bias = p.bias < 0 ? NULL : b;
    s->k.index = p.index < 0 ? NULL : b;
    if (p.kind == KIND_NLL) {
        Val i = bind_in(b, (uint32_t)p.index);

        if ((bind_dtype(b, i) != WF_I32 && bind_dtype(b, i) != WF_I64) || !s->k.rows ||
            !s->k.n)
            return false;
        s->k.index_type = (KType)bind_dtype(b, i);
        s->k.count = bind_count(b, bind_out(b, 0));
    }
    s->run = rows_best((KType)bind_dtype(b, x));
    op = bind_op(b, run_rows, s);
    bind_use(b, op, x, USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    for (int i = 0; i < COUNT(more); i++)
        if (more[i] >= 0)
            bind_use(b, op, bind_in(b, (uint32_t)more[i]), USE_READ);
    return true;
}
