/* step_attention.c -- calls of sub-programs that are attention, or its gradient.
 *
 * The body says what it is (opt/recognise.h); operands and results are planes of
 * kernels/attention.h, by strides. Half floats are computed in f32, from copies.
 */
#include "kernels/attention.h"
#include "opt/recognise.h"
#include "runtime/runtime.h"

typedef struct AttentionStep {
    KAttention x;
    const KAttentionTable *table;
    Ref q, k, v, out, shift, sum, dout, dq, dk, dv, mask[K_SCORE_OPS], workspace;
} AttentionStep;

typedef struct Making { /* a step */
    Bind *b;
    const Program *body;
    const Attention *t;
    AttentionStep *s;
    KType type; /* of the program's values; the kernel's may be wider */
} Making;

static void *at(const Frame *f, const KPlane *m, Ref r)
{
    return m->p ? frame_at(f, r) : NULL;
}

/* Planes that are there have any address so far. */
static bool run_attention(Frame *f, const Op *op)
{
    const AttentionStep *s = op->data;
    KAttention x = s->x;

    x.q.p = at(f, &x.q, s->q);
    x.k.p = at(f, &x.k, s->k);
    x.v.p = at(f, &x.v, s->v);
    x.out.p = at(f, &x.out, s->out);
    x.shift.p = at(f, &x.shift, s->shift);
    x.sum.p = at(f, &x.sum, s->sum);
    x.dout.p = at(f, &x.dout, s->dout);
    x.dq.p = at(f, &x.dq, s->dq);
    x.dk.p = at(f, &x.dk, s->dk);
    x.dv.p = at(f, &x.dv, s->dv);
    for (int i = 0; i < x.nops; i++)
        x.op[i].at.p = at(f, &x.op[i].at, s->mask[i]);
    if (x.dout.p)
        s->table->grad(&x, &f->root->par, frame_at(f, s->workspace));
    else
        s->table->run(&x, &f->root->par, frame_at(f, s->workspace));
    return true;
}

/* ---- planes ------------------------------------------------------------------------ */

/* v, of the program that calls, has the axes of x, row-major. */
static KPlane plane_of(Making *m, Val v, const Labelled *x, int row, int col)
{
    const Attention *t = m->t;
    int64_t stride[MAX_RANK];
    uint32_t rank = bind_rank(m->b, v);
    int nbatch = 0;
    KPlane p = {.p = m};

    k_row_major((int)rank, bind_dims(m->b, v), stride);
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

static Ref widened(Making *m, Val v)
{
    Bind *b = m->b;
    Ref to;

    if (m->type == m->s->x.type)
        return bind_ref(b, v);
    to = bind_workspace(b, (size_t)bind_count(b, v) * 4);
    bind_cast_to(b, bind_ref(b, v), m->type, NULL, to, KT_F32, bind_rank(b, v),
                 bind_dims(b, v));
    return to;
}

/* An input of the body. */
static bool take_in(Making *m, const Labelled *x, int row, int col, KPlane *plane,
                    Ref *ref)
{
    Val v;

    if (!is_input(m->body, x->v))
        return false;
    v = bind_in(m->b, x->v - 1);
    *plane = plane_of(m, v, x, row, col);
    *ref = widened(m, v);
    return true;
}

/* A result, if the body has it; it is narrowed behind the step (narrow_results). */
static void take_out(Making *m, const Labelled *x, int row, int col, KPlane *plane,
                     Ref *ref)
{
    for (uint32_t j = 0; x->v && j < m->body->nout; j++) {
        Val v = bind_out(m->b, j);

        if (m->body->outs[j] != x->v)
            continue;
        *plane = plane_of(m, v, x, row, col);
        *ref = m->type == m->s->x.type
                   ? bind_ref(m->b, v)
                   : bind_workspace(m->b, (size_t)bind_count(m->b, v) * 4);
    }
}

static void narrow(Making *m, Val in_body, Ref from)
{
    Bind *b = m->b;

    for (uint32_t j = 0; in_body && j < m->body->nout; j++) {
        Val v = bind_out(b, j);

        if (m->body->outs[j] == in_body)
            bind_cast_to(b, from, KT_F32, NULL, bind_ref(b, v), m->type, bind_rank(b, v),
                         bind_dims(b, v));
    }
}

static void narrow_results(Making *m)
{
    const Attention *t = m->t;
    const AttentionStep *s = m->s;

    if (m->type == s->x.type)
        return;
    if (t->forward) {
        narrow(m, t->out.at.v, s->out);
        narrow(m, t->shift, s->shift);
        narrow(m, t->sum, s->sum);
    } else {
        narrow(m, t->dq.at.v, s->dq);
        narrow(m, t->dk.at.v, s->dk);
        narrow(m, t->dv.at.v, s->dv);
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

        *to = (KScoreOp){.kind = kinds[o->kind],
                         .value = o->value,
                         .keep_if = o->keep_if,
                         .offset = o->offset,
                         .type = m->type};
        if (o->kind == SCORE_ADD || o->kind == SCORE_KEEP) {
            if (!is_input(m->body, o->mask.v))
                return false;
            to->at = plane_of(m, bind_in(m->b, o->mask.v - 1), &o->mask, (int)t->query,
                              (int)t->key);
            m->s->mask[x->nops] = bind_ref(m->b, bind_in(m->b, o->mask.v - 1));
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

    if (!take_in(m, &t->q, i, LABEL_DEPTH, &s->x.q, &s->q) ||
        !take_in(m, &t->k, j, LABEL_DEPTH, &s->x.k, &s->k) ||
        !take_in(m, &t->v, j, LABEL_WIDTH, &s->x.v, &s->v))
        return false;
    take_out(m, &t->out.at, i, LABEL_WIDTH, &s->x.out, &s->out);
    take_out(m, &shift, i, LABEL_NONE - 1, &s->x.shift, &s->shift);
    take_out(m, &sum, i, LABEL_NONE - 1, &s->x.sum, &s->sum);
    return s->x.out.p != NULL;
}

static bool take_gradient(Making *m)
{
    const Attention *t = m->t;
    AttentionStep *s = m->s;
    KAttention *x = &s->x;
    Labelled shift = by_row(t, t->shift), sum = by_row(t, t->sum), out = t->dout;
    int i = (int)t->query, j = (int)t->key;

    out.v = m->body->nin; /* the last input */
    if (!take_in(m, &t->q, i, LABEL_DEPTH, &x->q, &s->q) ||
        !take_in(m, &t->k, j, LABEL_DEPTH, &x->k, &s->k) ||
        !take_in(m, &t->v, j, LABEL_WIDTH, &x->v, &s->v) ||
        !take_in(m, &shift, i, LABEL_NONE - 1, &x->shift, &s->shift) ||
        !take_in(m, &sum, i, LABEL_NONE - 1, &x->sum, &s->sum) ||
        !take_in(m, &t->dout, i, LABEL_WIDTH, &x->dout, &s->dout) ||
        !take_in(m, &out, i, LABEL_WIDTH, &x->out, &s->out))
        return false;
    take_out(m, &t->dq.at, i, LABEL_DEPTH, &x->dq, &s->dq);
    take_out(m, &t->dk.at, j, LABEL_DEPTH, &x->dk, &s->dk);
    take_out(m, &t->dv.at, j, LABEL_WIDTH, &x->dv, &s->dv);
    x->dq_times = t->dq.times;
    x->dk_times = t->dk.times;
    x->dv_times = t->dv.times;
    return true;
}

bool bind_attention(Bind *b, const Program *body)
{
    Attention t;
    AttentionStep *s = arena_zalloc(b->a, sizeof *s);
    Making m = {b, body, &t, s, KT_F32};

    if (!attention_read(b->a, body, &t))
        return false;
    m.type = (KType)bind_dtype(b, bind_in(b, 0));
    s->x.type = m.type == KT_F64 ? KT_F64 : KT_F32;
    s->x.stat_type = m.type;
    s->table = attention_best(s->x.type);
    take_sizes(&m);
    if (!take_ops(&m) || !(t.forward ? take_forward(&m) : take_gradient(&m)))
        return false;
    s->workspace =
        bind_workspace(b, t.forward ? s->table->workspace(&s->x, b->root->threads)
                                    : s->table->grad_workspace(&s->x, b->root->threads));
    bind_op(b, run_attention, s);
    narrow_results(&m);
    return true;
}
