/* step_map.c -- elementwise ops and casts. */
#include "runtime/runtime.h"

/* Uses: the operands, the results. */

/* Small and row-major: one call, with n elements. By number of operands, which is all that
 * there is to say of such a step, and steps this small are counted in nanoseconds. */
static bool run_small_1(Frame *f, const Op *op)
{
    const void *in[1] = {op_at(f, op, 0)};
    void *out = op_at(f, op, 1);

    ((KLoop)(uintptr_t)op->data)(op->n, in, &out);
    return true;
}

static bool run_small_2(Frame *f, const Op *op)
{
    const void *in[2] = {op_at(f, op, 0), op_at(f, op, 1)};
    void *out = op_at(f, op, 2);

    ((KLoop)(uintptr_t)op->data)(op->n, in, &out);
    return true;
}

static bool run_small_3(Frame *f, const Op *op)
{
    const void *in[3] = {op_at(f, op, 0), op_at(f, op, 1), op_at(f, op, 2)};
    void *out = op_at(f, op, 3);

    ((KLoop)(uintptr_t)op->data)(op->n, in, &out);
    return true;
}

static bool run_map(Frame *f, const Op *op)
{
    const KMap *m = op->data;
    const void *in[K_MAP_IN];
    void *out[K_MAP_OUT];

    for (uint32_t i = 0; i < (uint32_t)m->nin; i++)
        in[i] = op_at(f, op, i);
    for (uint32_t i = 0; i < (uint32_t)m->nout; i++)
        out[i] = op_at(f, op, (uint32_t)m->nin + i);
    kmap_run(m, in, out, &f->root->par);
    return true;
}

static bool bind_kmap(Bind *b, const KMap *m)
{
    bool dense = m->dense == (1 << m->nin) - 1;
    Op *op;

    if (dense && m->loop && !m->staged && m->count < K_TASK && m->nin <= 3 &&
        m->nout == 1) {
        op = bind_op(b,
                     m->nin == 1   ? run_small_1
                     : m->nin == 2 ? run_small_2
                                   : run_small_3,
                     (void *)(uintptr_t)m->loop);
        op->n = m->count;
    } else {
        KMap *own = arena_dup(b->a, m, sizeof *m);

        for (int i = 0; i < m->nin; i++)
            own->space[i] =
                m->dense >> i & 1 ? NULL : arena_dup(b->a, m->space[i], sizeof(KSpace));
        op = bind_op(b, run_map, own);
    }
    for (uint32_t i = 0; i < (uint32_t)m->nin; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    for (uint32_t i = 0; i < (uint32_t)m->nout; i++)
        bind_use(b, op, bind_out(b, i), USE_WRITE);
    return true;
}

/* Kernels know dtypes by number only. */
static KEach each_of(unsigned op)
{
    const Lower *l = &op_row(op)->lower;

    return (KEach){l->real, l->whole};
}

bool bind_map(Bind *b)
{
    static const int64_t zeros[MAX_RANK];
    Val y = bind_out(b, 0);
    KSpace room[K_MAP_IN];
    KType type[K_MAP_IN];
    const int64_t *stride[K_MAP_IN];
    KMap m;

    for (uint32_t i = 0; i < b->e->nin; i++) {
        Val x = bind_in(b, i);
        type[i] = (KType)bind_dtype(b, x);
        stride[i] = bind_rank(b, x) == bind_rank(b, y) ? b->f->loc[x].stride
                                                       : zeros; /* clamp's bounds */
    }
    if (!kmap_init(&m, b->root->loops, (KMapOp)b->e->op, each_of(b->e->op),
                   (int)b->e->nin, b->e->nout, type, (KType)bind_dtype(b, y),
                   (int)bind_rank(b, y), bind_dims(b, y), stride, room))
        return bind_fail(b, WF_ERR_INTERNAL, "there is no kernel for %s",
                         wf_dtype_name((wf_dtype)type[0]));
    return bind_kmap(b, &m);
}

bool bind_cast(Bind *b)
{
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    KSpace room;
    KMap m;

    kmap_init_cast(&m, b->root->loops, (KType)bind_dtype(b, x), (KType)bind_dtype(b, y),
                   (int)bind_rank(b, y), bind_dims(b, y), b->f->loc[x].stride, &room);
    return bind_kmap(b, &m);
}
