/* step_attention.c -- calls of sub-programs that are attention, or its gradient.
 *
 * The body says what it is (opt/recognise.h); operands and results are planes of
 * kernels/attention.h, by strides. On the host, half floats are computed in f32, from copies;
 * other devices take them as they are.
 */
#include "kernels/attention.h"
#include "opt/recognise.h"
#include "runtime/step.h"

typedef struct Making { /* a step */
    Bind *b;
    const Program *body;
    const Attention *t;
    AttentionStep *s;
    Use use[AT_COUNT];
} Making;

static void *at(const Frame *f, const Op *op, const KPlane *m, int plane)
{
    return m->p ? op_at(f, op, (uint32_t)plane) : NULL;
}

/* Planes that are there have any address in the step. */
KAttention bind_attention_at(const Frame *f, const Op *op)
{
    KAttention x = ((const AttentionStep *)op->data)->x;

    x.q.p = at(f, op, &x.q, AT_Q);
    x.k.p = at(f, op, &x.k, AT_K);
    x.v.p = at(f, op, &x.v, AT_V);
    x.out.p = at(f, op, &x.out, AT_OUT);
    x.shift.p = at(f, op, &x.shift, AT_SHIFT);
    x.sum.p = at(f, op, &x.sum, AT_SUM);
    x.dout.p = at(f, op, &x.dout, AT_DOUT);
    x.dq.p = at(f, op, &x.dq, AT_DQ);
    x.dk.p = at(f, op, &x.dk, AT_DK);
    x.dv.p = at(f, op, &x.dv, AT_DV);
    for (int i = 0; i < x.nops; i++)
        x.op[i].at.p = at(f, op, &x.op[i].at, AT_MASK + i);
    return x;
}

static bool run_attention(Frame *f, const Op *op)
{
    const AttentionStep *s = op->data;
    KAttention x = bind_attention_at(f, op);

    if (x.dout.p)
        s->table->grad(&x, &f->root->par, op_at(f, op, AT_WORK));
    else
        s->table->run(&x, &f->root->par, op_at(f, op, AT_WORK));
    return true;
}

/* ---- planes ------------------------------------------------------------------------ */

/* v, of the program that calls, has the axes of x. */
static KPlane plane_of(Making *m, Val v, const Labelled *x, int row, int col)
{
    const Attention *t = m->t;
    int64_t room[MAX_RANK];
    const int64_t *stride = bind_strides(m->b, v, room);
    uint32_t rank = bind_rank(m->b, v);
    int nbatch = 0;
    KPlane p = {.p = m};

    for (uint32_t a = 0; a < t->rank; a++) {
        int64_t *to = a == t->query || a == t->key ? NULL : &p.batch[nbatch++];

        for (uint32_t i = 0; to && i < rank; i++)
            if (x->label[i] == (int)a)
                *to = stride[i];
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (x->label[i] == row)
            p.row = stride[i];
        if (x->label[i] == col)
            p.col = stride[i];
    }
    return p;
}

static bool is_input(const Program *p, Val v) { return v && v <= p->nin; }

/* A workspace as large as v in f32. */
static Use wide(Bind *b, Val v, UseKind kind)
{
    int64_t bytes = bind_count(b, v) * 4;

    return (Use){bind_workspace(b, (size_t)bytes), 0, bytes, 0, (uint8_t)kind, false};
}

/* Has it another type than the kernel computes with? */
static bool is_cast(const Making *m, Val v)
{
    return (KType)bind_dtype(m->b, v) != m->s->x.type && !frame_is_away(m->b->f);
}

static Use widened(Making *m, Val v)
{
    Bind *b = m->b;
    Use to;

    if (!is_cast(m, v))
        return bind_use_of(b, v, USE_READ);
    to = wide(b, v, USE_WRITE);
    bind_cast_to(b, bind_use_of(b, v, USE_READ), (KType)bind_dtype(b, v), NULL, to, KT_F32,
                 bind_rank(b, v), bind_dims(b, v));
    to.kind = USE_READ;
    return to;
}

#define PIECE 16 /* bytes that libraries read at a time */

/* A view that libraries do not read: rows in pieces, elements that are several. */
static bool is_awkward(Making *m, Val v)
{
    int64_t size = (int64_t)wf_dtype_size(bind_dtype(m->b, v));
    const int64_t *stride = m->b->f->loc[v].stride, *dims = bind_dims(m->b, v);
    uint32_t last = bind_rank(m->b, v) - 1;

    if (!stride || !frame_is_away(m->b->f))
        return false;
    for (uint32_t i = 0; i < last; i++)
        if (dims[i] != 1 && (stride[i] <= 0 || stride[i] * size % PIECE))
            return true;
    return stride[last] != 1 || bind_ref(m->b, v).off % PIECE;
}

/* Row-major, in a workspace. */
static void copy_in(Making *m, Val v, KPlane *plane, Plane number, const Labelled *x, int row, int col)
{
    int64_t bytes = bind_bytes(m->b, v);
    Loc was = m->b->f->loc[v];
    Ref at = bind_workspace(m->b, (size_t)bytes);

    bind_copy_to(m->b, v, at);
    m->b->f->loc[v] = (Loc){at, NULL};
    *plane = plane_of(m, v, x, row, col);
    m->b->f->loc[v] = was;
    m->use[number] = (Use){at, 0, bytes, 0, USE_READ, false};
}

/* An input of the body. */
static bool take_in(Making *m, const Labelled *x, int row, int col, KPlane *plane,
                    Plane number)
{
    Val v;

    if (!is_input(m->body, x->v))
        return false;
    v = bind_in(m->b, x->v - 1);
    if (is_awkward(m, v)) {
        copy_in(m, v, plane, number, x, row, col);
        return true;
    }
    *plane = plane_of(m, v, x, row, col);
    m->use[number] = widened(m, v);
    return true;
}

/* A result, if the body has it; it is narrowed behind the step (narrow_results). */
static void take_out(Making *m, const Labelled *x, int row, int col, KPlane *plane,
                     Plane number)
{
    for (uint32_t j = 0; x->v && j < m->body->nout; j++) {
        Val v = bind_out(m->b, j);

        if (m->body->outs[j] != x->v)
            continue;
        *plane = plane_of(m, v, x, row, col);
        m->use[number] = is_cast(m, v) ? wide(m->b, v, USE_WRITE)
                                       : bind_use_of(m->b, v, USE_WRITE);
    }
}

static void narrow(Making *m, Val in_body, Plane number)
{
    Bind *b = m->b;
    Use from = m->use[number];

    from.kind = USE_READ;

    for (uint32_t j = 0; in_body && j < m->body->nout; j++) {
        Val v = bind_out(b, j);

        if (m->body->outs[j] == in_body && is_cast(m, v))
            bind_cast_to(b, from, KT_F32, NULL, bind_use_of(b, v, USE_WRITE),
                         (KType)bind_dtype(b, v), bind_rank(b, v), bind_dims(b, v));
    }
}

static void narrow_results(Making *m)
{
    const Attention *t = m->t;

    if (t->forward) {
        narrow(m, t->out.at.v, AT_OUT);
        narrow(m, t->shift, AT_SHIFT);
        narrow(m, t->sum, AT_SUM);
    } else {
        narrow(m, t->dq.at.v, AT_DQ);
        narrow(m, t->dk.at.v, AT_DK);
        narrow(m, t->dv.at.v, AT_DV);
    }
}

/* ---- the parts --------------------------------------------------------------------- */

/* shift and sum have the axes of the scores without that of the keys. */
static Labelled by_row(const Attention *t, Val v)
{
    Labelled x = {.v = v};
    uint32_t n = 0;

    memset(x.label, LABEL_NONE, sizeof x.label);
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != t->key)
            x.label[n++] = (int8_t)i;
    return x;
}

static bool take_ops(Making *m)
{
    const Attention *t = m->t;
    KAttention *x = &m->s->x;
    static const KScoreKind kinds[] = {[SCORE_SCALE] = KS_SCALE,
                                       [SCORE_ADD] = KS_ADD,
                                       [SCORE_KEEP] = KS_KEEP,
                                       [SCORE_CAUSAL] = KS_CAUSAL};

    for (uint32_t i = 0; i < t->nops; i++) {
        const ScoreOp *o = &t->op[i];
        KScoreOp *to = &x->op[x->nops];

        if (o->kind == SCORE_CAST)
            continue;
        *to = (KScoreOp){.kind = kinds[o->kind],
                         .value = o->value,
                         .keep_if = o->keep_if,
                         .offset = o->offset};
        if (o->kind == SCORE_ADD || o->kind == SCORE_KEEP) {
            if (!is_input(m->body, o->mask.v))
                return false;
            to->type = (KType)bind_dtype(m->b, bind_in(m->b, o->mask.v - 1));
            to->at = plane_of(m, bind_in(m->b, o->mask.v - 1), &o->mask, (int)t->query,
                              (int)t->key);
            m->use[AT_MASK + x->nops] =
                bind_use_of(m->b, bind_in(m->b, o->mask.v - 1), USE_READ);
        }
        x->nops++;
    }
    return true;
}

static int64_t size_of(Making *m, const Labelled *x, int label)
{
    const int64_t *dims = bind_dims(m->b, bind_in(m->b, x->v - 1));

    for (uint32_t i = 0; i < bind_rank(m->b, bind_in(m->b, x->v - 1)); i++)
        if (x->label[i] == label)
            return dims[i];
    return 1;
}

/* The batch: each axis is as long as where Q, K or V have it. */
static void take_sizes(Making *m)
{
    const Attention *t = m->t;
    KAttention *x = &m->s->x;

    x->queries = size_of(m, &t->q, (int)t->query);
    x->keys = size_of(m, &t->k, (int)t->key);
    x->depth = size_of(m, &t->q, LABEL_DEPTH);
    x->width = size_of(m, &t->v, LABEL_WIDTH);
    for (uint32_t a = 0; a < t->rank; a++) {
        const Labelled *in[3] = {&t->q, &t->k, &t->v};

        if (a == t->query || a == t->key)
            continue;
        x->batch[x->nbatch] = 1;
        for (int i = 0; i < 3; i++)
            if (x->batch[x->nbatch] == 1)
                x->batch[x->nbatch] = size_of(m, in[i], (int)a);
        x->nbatch++;
    }
}

static bool take_forward(Making *m)
{
    const Attention *t = m->t;
    AttentionStep *s = m->s;
    Labelled shift = by_row(t, t->shift), sum = by_row(t, t->sum);
    int i = (int)t->query, j = (int)t->key;

    if (!take_in(m, &t->q, i, LABEL_DEPTH, &s->x.q, AT_Q) ||
        !take_in(m, &t->k, j, LABEL_DEPTH, &s->x.k, AT_K) ||
        !take_in(m, &t->v, j, LABEL_WIDTH, &s->x.v, AT_V))
        return false;
    take_out(m, &t->out.at, i, LABEL_WIDTH, &s->x.out, AT_OUT);
    take_out(m, &shift, i, LABEL_NONE - 1, &s->x.shift, AT_SHIFT);
    take_out(m, &sum, i, LABEL_NONE - 1, &s->x.sum, AT_SUM);
    return s->x.out.p != NULL;
}

static bool take_gradient(Making *m)
{
    const Attention *t = m->t;
    KAttention *x = &m->s->x;
    Labelled shift = by_row(t, t->shift), sum = by_row(t, t->sum), out = t->dout;
    int i = (int)t->query, j = (int)t->key;

    out.v = m->body->nin; /* the last input */
    if (!take_in(m, &t->q, i, LABEL_DEPTH, &x->q, AT_Q) ||
        !take_in(m, &t->k, j, LABEL_DEPTH, &x->k, AT_K) ||
        !take_in(m, &t->v, j, LABEL_WIDTH, &x->v, AT_V) ||
        !take_in(m, &shift, i, LABEL_NONE - 1, &x->shift, AT_SHIFT) ||
        !take_in(m, &sum, i, LABEL_NONE - 1, &x->sum, AT_SUM) ||
        !take_in(m, &t->dout, i, LABEL_WIDTH, &x->dout, AT_DOUT) ||
        !take_in(m, &out, i, LABEL_WIDTH, &x->out, AT_OUT))
        return false;
    take_out(m, &t->dq.at, i, LABEL_DEPTH, &x->dq, AT_DQ);
    take_out(m, &t->dk.at, j, LABEL_DEPTH, &x->dk, AT_DK);
    take_out(m, &t->dv.at, j, LABEL_WIDTH, &x->dv, AT_DV);
    x->dq_times = t->dq.times;
    x->dk_times = t->dk.times;
    x->dv_times = t->dv.times;
    return true;
}

bool bind_attention(Bind *b, const CallAttr *call)
{
    const Program *body = call->body.p;
    bool away = frame_is_away(b->f);
    Attention t;
    AttentionStep *s = arena_zalloc(b->a, sizeof *s);
    Making m = {.b = b, .body = body, .t = &t, .s = s};
    size_t size;
    Op *op;

    if (!opt_attention_read(b->a, body, (CallKind)call->kind, &t))
        return false;
    s->x.type = (KType)bind_dtype(b, bind_in(b, 0));
    if (!away && s->x.type != KT_F64)
        s->x.type = KT_F32;
    s->x.stat_type = (KType)val_type(body, t.shift).dtype;
    s->table = attention_best(s->x.type);
    take_sizes(&m);
    if (!take_ops(&m) || !(t.forward ? take_forward(&m) : take_gradient(&m)))
        return false;
    size = away          ? 0
           : t.forward ? s->table->workspace(&s->x, b->root->threads)
                       : s->table->grad_workspace(&s->x, b->root->threads);
    m.use[AT_WORK] = (Use){bind_workspace(b, size), 0, (int64_t)size, 0, USE_WORK, false};
    op = bind_op(b, run_attention, s);
    op->kind = OP_RUNS_ATTENTION;
    for (int i = 0; i < AT_COUNT; i++)
        bind_use_at(b, op, m.use[i]);
    narrow_results(&m);
    return true;
}
