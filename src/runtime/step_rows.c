/* step_rows.c -- calls of sub-programs that are softmax, a norm or gelu, in f32 and f64.
 *
 * The body says what it is (opt/recognise.h). Reductions along other axes than the last
 * run as the body says.
 */
#include "kernels/rows.h"
#include "opt/recognise.h"
#include "runtime/runtime.h"

typedef struct RowsStep {
    KRows k;
    KRowsRun *run;
    Ref weight, bias, index;
} RowsStep;

static bool run_rows(Frame *f, const Op *op)
{
    const RowsStep *s = op->data;
    KRows k = s->k;

    k.x = frame_at(f, op->in[0]);
    k.y = frame_at(f, op->out);
    k.weight = k.weight ? frame_at(f, s->weight) : NULL;
    k.bias = k.bias ? frame_at(f, s->bias) : NULL;
    k.index = k.index ? frame_at(f, s->index) : NULL;
    s->run(&k, &f->root->par);
    return true;
}

static const KRowsKind kinds[PIECE_COUNT] = {
    [PIECE_SOFTMAX] = KR_SOFTMAX,
    [PIECE_LOG_SOFTMAX] = KR_LOG_SOFTMAX,
    [PIECE_NLL] = KR_NLL,
    [PIECE_LAYER_NORM] = KR_LAYER_NORM,
    [PIECE_RMS_NORM] = KR_RMS_NORM,
    [PIECE_GELU] = KR_GELU,
    [PIECE_GELU_TANH] = KR_GELU_TANH,
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

/* Input i of the body, if it has it. */
static void take_input(Bind *b, int32_t i, const void **there, Ref *at)
{
    *there = i < 0 ? NULL : b; /* any address */
    if (i >= 0)
        *at = bind_ref(b, bind_in(b, (uint32_t)i));
}

bool bind_rows(Bind *b, const Program *body)
{
    RowsStep *s = arena_zalloc(b->a, sizeof *s);
    Piece p;
    Val x;
    Op *op;

    if (!piece_read(body, &p))
        return false;
    x = bind_in(b, (uint32_t)p.x);
    if ((bind_dtype(b, x) != WF_F32 && bind_dtype(b, x) != WF_F64) ||
        !take_axes(b, x, p.axes, &s->k))
        return false;
    s->k.kind = kinds[p.kind];
    s->k.eps = p.eps;
    s->k.mean = p.mean;
    s->k.guarded = p.guarded;
    take_input(b, p.weight, &s->k.weight, &s->weight);
    take_input(b, p.bias, &s->k.bias, &s->bias);
    take_input(b, p.index, &s->k.index, &s->index);
    if (p.kind == PIECE_NLL) {
        Val i = bind_in(b, (uint32_t)p.index);

        if ((bind_dtype(b, i) != WF_I32 && bind_dtype(b, i) != WF_I64) || !s->k.rows ||
            !s->k.n)
            return false;
        s->k.index_type = (KType)bind_dtype(b, i);
        s->k.count = bind_count(b, bind_out(b, 0));
    }
    s->run = rows_best((KType)bind_dtype(b, x));
    op = bind_op(b, run_rows, s);
    op->in[0] = bind_ref(b, x);
    op->out = bind_ref(b, bind_out(b, 0));
    return true;
}
