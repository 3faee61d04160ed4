/* recognise.c -- pieces of programs that are well-known functions become calls.
 *
 *   requires   the forms that the other passes leave; so it stands behind them, and runs
 *              once; before the first of them its calls are taken apart again
 *   keeps      values bit for bit, as the bodies say; who runs a body by a kernel of its
 *              own rounds otherwise
 *
 * Pieces are the rows of a table of patterns; attention and products with codes are found by walks of their own. A
 * piece is taken only if what it computes on the way is read by nobody else. Equal bodies
 * are one sub-program.
 */
#include "opt/recognise.h"

typedef struct PieceRow {
    CallKind kind;
    const char *pattern;
} PieceRow;

#define SHIFT       "[select(is_finite(r=reduce_max(x)), r, 0)|reduce_max(x)]"
#define LOG_SOFTMAX "sub(d=sub(x, along(" SHIFT ")), along(log(reduce_sum(exp(d)))))"
#define MEAN(of)    "[mul(reduce_sum(" of "), #n)|div(reduce_sum(" of "), #c)]"
/* x / sqrt(v + eps), however it is written */
#define SCALED(x, v)                                                                     \
    "[mul(" x ", along(rsqrt(add(" v ", #e))))|div(" x ", along(sqrt(add(" v ", #e))))]"
#define STANDARD  SCALED("d=sub(x, along(" MEAN("x") "))", MEAN("mul(d, d)"))
#define ROOT_MEAN SCALED("x", MEAN("mul(x, x)"))

/* Larger pieces before their parts. w and b are vectors along the last axes, i is numbers
 * of elements. */
static const PieceRow rows[] = {
    {KIND_SOFTMAX,
     "div(e=exp(sub(x, along(" SHIFT "))), along(reduce_sum(e)))"},
    {KIND_NLL, "gather(" LOG_SOFTMAX ", i)"},
    {KIND_LOG_SOFTMAX, LOG_SOFTMAX},
    {KIND_LAYER_NORM,
     "add(mul(" STANDARD ", broadcast(w)), broadcast(b))"},
    {KIND_LAYER_NORM, "mul(" STANDARD ", broadcast(w))"},
    {KIND_LAYER_NORM, STANDARD},
    {KIND_RMS_NORM, "mul(" ROOT_MEAN ", broadcast(w))"},
    {KIND_RMS_NORM, ROOT_MEAN},
    {KIND_GELU, "mul(mul(x, 0.5), add(erf(mul(x, 0.70710678118654752440)), 1))"},
    {KIND_GELU_TANH,
     "mul(mul(x, 0.5), add(tanh(mul(add(x, mul(mul(mul(x, x), x), 0.044715)), "
     "0.79788456080286535588)), 1))"},
};

/* ---- sub-programs ------------------------------------------------------------------ */

typedef struct Recogniser {
    wf_ctx *cx;
    const Target *target;
    Arena *a;
    unsigned what;
    PtrMap known;              /* bodies of calls with a kind */
    PtrMap plans;              /* program -> its FoundAt */
    VEC(const Program *) made; /* sub-programs, no two equal */
} Recogniser;

typedef struct LoopBody { /* being built of equations of p */
    const Program *p;
    Builder *b;
    Copier c;
} LoopBody;

static void body_open(LoopBody *k, wf_ctx *cx, Arena *a, const Program *p, const char *name)
{
    Dim *none = arena_array(a, p->dims.syms.n + 1, sizeof *none);

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        none[i] = DIM_NONE;
    *k = (LoopBody){.p = p, .b = builder_new(cx, name, B_VERBATIM)};
    copier_init(&k->c, k->b, p, p->dims.guards.n ? NULL : none, NULL);
}

static void body_input(LoopBody *k, Val v)
{
    k->c.val[v] = b_input(k->b, NULL, copier_type(&k->c, val_type(k->p, v)));
}

/* v and what it is made of, down to the inputs. */
static bool body_value(LoopBody *k, Val v)
{
    const Eqn *e;

    if (k->c.val[v])
        return true;
    if (k->p->vals[v].eqn == EQN_INPUT)
        return false;
    e = &k->p->eqns[k->p->vals[v].eqn];
    for (uint32_t i = 0; i < e->nin; i++)
        if (!body_value(k, eqn_in(k->p, e)[i]))
            return false;
    return copier_eqn(&k->c, e);
}

static const Program *share(Recogniser *g, const Program *q)
{
    for (uint32_t i = 0; i < g->made.n; i++)
        if (hash_eq(g->made.v[i]->hash, q->hash) && program_equal(g->made.v[i], q))
            return g->made.v[i];
    vec_push(g->a, &g->made, q);
    return q;
}

static const Program *body_close(Recogniser *g, LoopBody *k, const Val *outs, uint32_t n)
{
    Val *v = arena_array(g->a, n + 1, sizeof *v);

    for (uint32_t j = 0; j < n; j++) {
        if (!body_value(k, outs[j]))
            return NULL;
        v[j] = k->c.val[outs[j]];
    }
    return builder_finish(k->b, v, n);
}

/* A call of q, or of its equal, at values of the program being copied; the symbols of q
 * have the names that they have there, and equal programs have them in the same order. */
static Val *call(Recogniser *g, Rewriter *r, const Program *q, CallKind kind,
                 const Val *ins, uint32_t n)
{
    const Dims *t = &r->from->dims;
    Dim *binds = arena_array(&r->b->arena, q->dims.syms.n + 1, sizeof *binds);
    Val *in = arena_array(&r->b->arena, n + 1, sizeof *in);
    uint32_t nout;

    for (uint32_t i = 0; i < q->dims.syms.n; i++) {
        binds[i] = DIM_NONE;
        for (uint32_t k = 0; k < t->syms.n; k++)
            if (!strcmp(t->syms.v[k].name, q->dims.syms.v[i].name))
                binds[i] = copier_dim(r->c, t->syms.v[k].dim);
    }
    for (uint32_t i = 0; i < n; i++)
        in[i] = r->c->val[ins[i]];
    return b_eqn_n(r->b, OP_call, in, n,
                   &(CallAttr){{share(g, q), {q->dims.syms.n, binds}}, (int32_t)kind}, &nout);
}

/* ---- what is in a program ---------------------------------------------------------- */

typedef struct Found {
    const PieceRow *row; /* a piece; NULL: attention, or codes */
    Match m;
    Attention *t;
    Codes *codes;
    Val fore[3]; /* out, shift and sum, once they are there */
    Val back[3]; /* dq, dk, dv */
    bool failed; /* could not be made: left as it is */
} Found;

typedef struct FoundAt {
    Found **at; /* by equation that makes a result; NULL: none */
} FoundAt;

static bool overlaps(const bool *taken, const Program *p, const Match *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (taken[m->eqns[i]] && p->eqns[m->eqns[i]].op != OP_const)
            return true;
    return false;
}

static void mark(bool *taken, const Match *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        taken[m->eqns[i]] = true;
}

static uint32_t maker(const Program *p, Val v) { return p->vals[v].eqn; }

/* The gradient has five products instead of four; that pays where the scores are many,
 * or half of them are skipped. */
static bool gradient_pays(const Target *to, const Program *p, const Attention *t)
{
    Dim keys = val_type(p, t->weights).dims[t->key];
    bool causal = false;

    for (uint32_t i = 0; i < t->nops; i++)
        causal |= t->op[i].kind == SCORE_CAUSAL;
    return keys < 0 || keys >= (causal ? to->attention_causal_keys : to->attention_keys);
}

/* Few queries fill no vector. */
static bool forward_pays(const Target *to, const Program *p, const Attention *t)
{
    Dim n = val_type(p, t->weights).dims[t->query];

    return n < 0 || n >= to->attention_queries;
}

static void find_attention(Recogniser *g, const Uses *u, FoundAt *plan, bool *taken)
{
    const Program *p = u->p;
    Attention t;

    for (uint32_t i = 0; i < p->neqns; i++) {
        Found *f;

        if (p->eqns[i].op != OP_div || !opt_attention_find(u, &p->eqns[i], &t) ||
            !forward_pays(g->target, p, &t) || overlaps(taken, p, &t.fore) || (t.gradient && overlaps(taken, p, &t.back)))
            continue;
        if (g->what & RECOGNISE_FUSED && t.gradient && !gradient_pays(g->target, p, &t))
            continue;
        mark(taken, &t.fore);
        f = arena_zalloc(g->a, sizeof *f);
        f->t = arena_dup(g->a, &t, sizeof t);
        if (t.out.at.v)
            plan->at[maker(p, t.out.at.v)] = f;
        if (!t.gradient)
            continue;
        mark(taken, &t.back);
        for (int k = 0; k < 3; k++) {
            Val v = (k == 0 ? &t.dq : k == 1 ? &t.dk : &t.dv)->at.v;

            if (v)
                plan->at[maker(p, v)] = f;
        }
    }
}

/* Is all between read by the piece alone? */
static bool is_closed(const Uses *u, const Match *m, Val root)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const Eqn *e = &u->p->eqns[m->eqns[i]];

        if (e->op == OP_const || e->out == root)
            continue;
        if (u->is_out[e->out])
            return false;
        for (uint32_t k = u->at[e->out]; k < u->at[e->out + 1]; k++) {
            uint32_t j = 0;

            while (j < m->n && m->eqns[j] != u->users[k])
                j++;
            if (j == m->n)
                return false;
        }
    }
    return true;
}

/* Is v a vector along the last axes, those that the piece reduces, of x? */
static bool is_along(const Program *p, const Match *m, Val v)
{
    Type x = val_type(p, m->val[LETTER('x')]), t = val_type(p, v);

    for (uint32_t i = 0; i < t.rank; i++)
        if (t.rank > x.rank || t.dims[i] != x.dims[x.rank - t.rank + i])
            return false;
    return m->axes == ((1u << x.rank) - 1) - ((1u << (x.rank - t.rank)) - 1);
}

/* The last axes of the result, all of them? */
static bool broadcasts_last(const Program *p, const Match *m, Val v)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const Eqn *e = &p->eqns[m->eqns[i]];
        const BroadcastAttr *a = e->attr;

        if (e->op != OP_broadcast || eqn_in(p, e)[0] != v)
            continue;
        for (uint32_t k = 0; k < a->dims.n; k++)
            if (a->dims.v[k] != (int64_t)(a->shape.n - a->dims.n + k))
                return false;
    }
    return true;
}

static bool vector_fits(const Program *p, const Match *m, char letter)
{
    Val v = m->val[LETTER(letter)];

    return !v || (is_along(p, m, v) && broadcasts_last(p, m, v));
}

static bool is_pair(Ints v) { return v.n == 2 && v.v[0] == 0 && v.v[1] == 1; }

/* One element of a matrix at each (row, column) of i. */
static bool takes_elements(const Program *p, Val v)
{
    const Eqn *e = match_made(p, v, OP_gather);
    const GatherAttr *a = e->attr;

    return a->mode == INDEX_CLIP && !a->offset_dims.n && !a->operand_batching.n &&
           is_pair(a->collapsed) && is_pair(a->start_index_map);
}

static bool match_row(const PieceRow *row, const Program *p, Val v, Match *m)
{
    match_init(m, p);
    return pattern_match(m, row->pattern, v) && val_type(p, m->val[LETTER('x')]).rank < 31 &&
           dtype_is_float((wf_dtype)val_type(p, v).dtype) && vector_fits(p, m, 'w') &&
           vector_fits(p, m, 'b') && (row->kind != KIND_NLL || takes_elements(p, v));
}

static void find_pieces(Recogniser *g, const Uses *u, FoundAt *plan, bool *taken)
{
    const Program *p = u->p;
    Match m;

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (uint32_t i = 0; i < p->neqns; i++) {
            const Eqn *e = &p->eqns[i];
            Found *f;

            if (e->nout != 1 || plan->at[i] || !match_row(&rows[k], p, e->out, &m) ||
                overlaps(taken, p, &m) || !is_closed(u, &m, e->out))
                continue;
            mark(taken, &m);
            f = arena_zalloc(g->a, sizeof *f);
            f->row = &rows[k];
            f->m = m;
            plan->at[i] = f;
        }
}

/* What else reads the weights keeps what it reads. */
static void find_codes(Recogniser *g, const Program *p, FoundAt *plan)
{
    Codes c;

    for (uint32_t i = 0; i < p->neqns; i++)
        if (!plan->at[i] && opt_codes_find(p, &p->eqns[i], &c)) {
            Found *f = arena_zalloc(g->a, sizeof *f);

            f->codes = arena_dup(g->a, &c, sizeof c);
            plan->at[i] = f;
        }
}

static FoundAt *plan_of(Recogniser *g, const Program *p)
{
    FoundAt *plan = (FoundAt *)(uintptr_t)ptrmap_get(&g->plans, p);
    bool *taken;
    Uses u;

    if (plan)
        return plan;
    plan = arena_zalloc(g->a, sizeof *plan);
    plan->at = arena_zalloc(g->a, (p->neqns + 1) * sizeof(Found *));
    taken = arena_zalloc(g->a, p->neqns + 1);
    uses_init(&u, g->a, p);
    if (!ptrmap_get(&g->known, p)) { /* else it was recognised before */
        if (g->what & RECOGNISE_ATTENTION)
            find_attention(g, &u, plan, taken);
        if (g->what & RECOGNISE_PIECES)
            find_pieces(g, &u, plan, taken);
        if (g->what & RECOGNISE_CODES)
            find_codes(g, p, plan);
    }
    ptrmap_put(&g->plans, p, plan);
    return plan;
}

/* ---- making them ------------------------------------------------------------------- */

static bool make_piece(Recogniser *g, Rewriter *r, Found *f, Val root, Val *out)
{
    const Program *p = r->from, *q;
    Val ins[4], *y;
    uint32_t n = 0;
    LoopBody k;

    body_open(&k, g->cx, g->a, p, op_call_kinds[f->row->kind]);
    for (const char *c = "xwbi"; *c; c++)
        if (f->m.val[LETTER(*c)]) {
            ins[n] = f->m.val[LETTER(*c)];
            body_input(&k, ins[n++]);
        }
    if (!(q = body_close(g, &k, &root, 1)) || !(y = call(g, r, q, f->row->kind, ins, n)))
        return false;
    out[0] = y[0];
    return true;
}

/* Without those that stand there twice. */
static uint32_t distinct(Val *v, uint32_t n)
{
    uint32_t m = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;

        while (j < m && v[j] != v[i])
            j++;
        if (j == m)
            v[m++] = v[i];
    }
    return m;
}

static bool make_codes(Recogniser *g, Rewriter *r, const Codes *c, Val root, Val *out)
{
    Val ins[4] = {c->x, c->code.leaf, c->scale.leaf, c->has_zeros ? c->zero.leaf : VAL_NONE}, *y;
    uint32_t n = distinct(ins, c->has_zeros ? 4 : 3);
    const Program *q;
    LoopBody k;

    body_open(&k, g->cx, g->a, r->from, op_call_kinds[KIND_CODES]);
    for (uint32_t i = 0; i < n; i++)
        body_input(&k, ins[i]);
    if (!(q = body_close(g, &k, &root, 1)) || !(y = call(g, r, q, KIND_CODES, ins, n)))
        return false;
    out[0] = y[0];
    return true;
}

/* The mask of a causal op, as a comparison of places: constants of that size are gone. */
static void put_triangle(LoopBody *k, const Attention *t, const ScoreOp *o)
{
    Type s = copier_type(&k->c, val_type(k->p, o->whole));
    Val i = b_iota(k->b, WF_I32, s.dims, s.rank, t->query),
        j = b_iota(k->b, WF_I32, s.dims, s.rank, t->key);

    if (o->offset)
        i = b_add(k->b, i, b_full_like(k->b, i, (double)o->offset));
    k->c.val[o->whole] = o->keep_if ? b_ge(k->b, i, j) : b_lt(k->b, i, j);
}

/* Q K V and masks as inputs. */
static uint32_t open_attention(LoopBody *k, Recogniser *g, const Program *p, const char *name,
                               const Attention *t, Val *ins)
{
    uint32_t n = 0;

    body_open(k, g->cx, g->a, p, name);
    ins[n++] = t->q.v;
    ins[n++] = t->k.v;
    ins[n++] = t->v.v;
    for (uint32_t i = 0; i < t->nops; i++)
        if (t->op[i].kind == SCORE_ADD || t->op[i].kind == SCORE_KEEP)
            ins[n++] = t->op[i].mask.v;
    for (uint32_t i = 0; i < n; i++)
        if (!k->c.val[ins[i]])
            body_input(k, ins[i]);
    return n;
}

static int64_t axis_of(const Labelled *x, int label)
{
    int64_t i = 0;

    while (x->label[i] != label)
        i++;
    return i;
}

/* The product with V that the program does not have. */
static Val missing_out(LoopBody *k, const Attention *t)
{
    int64_t key[2] = {t->key, axis_of(&t->v, (int)t->key)}, batch[2][MAX_RANK];
    uint32_t n = 0;

    if (!body_value(k, t->read) || !body_value(k, t->v.v))
        return VAL_NONE;
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != t->query && i != t->key) {
            batch[0][n] = i;
            batch[1][n++] = axis_of(&t->v, (int)i);
        }
    return b_dot(k->b, k->c.val[t->read], k->c.val[t->v.v],
                 &(DotAttr){.lhs = {1, &key[0]},
                            .rhs = {1, &key[1]},
                            .lhs_batch = {n, batch[0]},
                            .rhs_batch = {n, batch[1]},
                            .acc = (int32_t)val_type(k->p, t->v.v).dtype});
}

static bool make_forward(Recogniser *g, Rewriter *r, Found *f)
{
    const Attention *t = f->t;
    Val ins[3 + ATTENTION_OPS], outs[3] = {t->out.at.v, t->shift, t->sum}, *y;
    const Program *q;
    LoopBody k;
    uint32_t n = open_attention(&k, g, r->from, "attention", t, ins);

    n = distinct(ins, n);
    for (uint32_t i = 0; i < t->nops; i++)
        if (t->op[i].kind == SCORE_CAUSAL)
            put_triangle(&k, t, &t->op[i]);
    if (!outs[0] && !(k.c.val[0] = missing_out(&k, t)))
        return false;
    if (!(q = body_close(g, &k, outs, t->gradient ? 3 : 1)) ||
        !(y = call(g, r, q, KIND_ATTENTION, ins, n)))
        return false;
    memcpy(f->fore, y, (t->gradient ? 3 : 1) * sizeof *y);
    return true;
}

/* The forward result with axes in the order of dO's. */
static Val turned_out(Rewriter *r, const Found *f)
{
    const Labelled *o = &f->t->out.at, *d = &f->t->dout;
    int64_t perm[MAX_RANK];
    uint32_t rank = b_rank(r->b, f->fore[0]);
    bool same = true;

    for (uint32_t i = 0; i < rank; i++) {
        for (uint32_t j = 0; j < rank; j++)
            if (o->label[j] == d->label[i])
                perm[i] = j;
        same = same && perm[i] == i;
    }
    return same ? f->fore[0] : b_transpose(r->b, f->fore[0], perm);
}

static bool make_backward(Recogniser *g, Rewriter *r, Found *f)
{
    const Attention *t = f->t;
    const Val wanted[3] = {t->dq.at.v, t->dk.at.v, t->dv.at.v};
    Val ins[7 + ATTENTION_OPS], outs[3], *y, kept[3];
    const Program *q;
    LoopBody k;
    uint32_t n = open_attention(&k, g, r->from, "attention_grad", t, ins), nout = 0;

    for (uint32_t i = 0; i < t->nops; i++)
        if (t->op[i].kind == SCORE_CAUSAL)
            put_triangle(&k, t, &t->op[i]);
    for (int i = 0; i < 3; i++) {
        Val v = i == 0 ? t->shift : i == 1 ? t->sum : t->dout.v;

        ins[n++] = v;
        if (!k.c.val[v])
            body_input(&k, v);
    }
    n = distinct(ins, n);
    b_input(k.b, NULL, copier_type(&k.c, val_type(r->from, t->dout.v))); /* the result */
    for (int i = 0; i < 3; i++)
        if (wanted[i])
            outs[nout++] = wanted[i];
    q = body_close(g, &k, outs, nout);
    if (!q)
        return false;
    /* shift, sum and the result are those of the forward call */
    ins[n++] = t->out.at.v;
    memcpy(kept, (Val[]){r->c->val[t->shift], r->c->val[t->sum], r->c->val[t->out.at.v]},
           sizeof kept);
    r->c->val[t->shift] = f->fore[1];
    r->c->val[t->sum] = f->fore[2];
    r->c->val[t->out.at.v] = turned_out(r, f);
    y = call(g, r, q, KIND_ATTENTION_GRAD, ins, n);
    r->c->val[t->shift] = kept[0];
    r->c->val[t->sum] = kept[1];
    r->c->val[t->out.at.v] = kept[2];
    nout = 0;
    for (int i = 0; y && i < 3; i++)
        if (wanted[i])
            f->back[i] = y[nout++];
    return y != NULL;
}

static bool make_attention(Recogniser *g, Rewriter *r, Found *f, Val root, Val *out)
{
    const Attention *t = f->t;

    if ((root == t->out.at.v || !t->out.at.v) && !f->fore[0] && !make_forward(g, r, f))
        return false;
    if (root == t->out.at.v) {
        out[0] = f->fore[0];
        return true;
    }
    if (!f->fore[0] ||
        (!f->back[0] && !f->back[1] && !f->back[2] && !make_backward(g, r, f)))
        return false;
    out[0] = root == t->dq.at.v   ? f->back[0]
             : root == t->dk.at.v ? f->back[1]
                                  : f->back[2];
    return true;
}

static bool replace(Rewriter *r, const EqnView *e, Val *out)
{
    Recogniser *g = r->user;
    uint32_t i = (uint32_t)(r->at - r->from->eqns);
    Found *f = plan_of(g, r->from)->at[i];
    bool ok;

    (void)e;
    if (!f || f->failed)
        return false;
    ok = f->row     ? make_piece(g, r, f, r->at->out, out)
         : f->codes ? make_codes(g, r, f->codes, r->at->out, out)
                    : make_attention(g, r, f, r->at->out, out);
    f->failed = !ok;
    return ok;
}

const Program *opt_recognise_all(const Opt *o, const Program *p, unsigned what)
{
    Arena *a = &o->cx->scratch;
    const Target *t = opt_target(o);
    Recogniser g = {.cx = o->cx, .target = t, .a = a, .known.a = a, .plans.a = a};
    Rewriter r = {.o = o, .before = replace, .user = &g, .done.a = a, .origin.a = a};

    g.what = what;
    recognised_bodies(p, &g.known);
    if (!target_calls(t, CALL_ROWS))
        g.what &= ~(unsigned)RECOGNISE_PIECES;
    if (!target_calls(t, CALL_ATTENTION))
        g.what &= ~(unsigned)RECOGNISE_ATTENTION;
    if (!target_calls(t, CALL_CODES))
        g.what &= ~(unsigned)RECOGNISE_CODES;
    return g.what & (RECOGNISE_PIECES | RECOGNISE_ATTENTION | RECOGNISE_CODES) ? rewrite_apply(&r, p) : p;
}

const Program *opt_recognise(const Opt *o, const Program *p)
{
    return opt_recognise_all(o, p, RECOGNISE_PIECES | RECOGNISE_ATTENTION | RECOGNISE_CODES);
}

static bool has_codes(const Program *p)
{
    Codes c;

    for (uint32_t i = 0; i < p->neqns; i++)
        if (opt_codes_find(p, &p->eqns[i], &c))
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (has_codes(p->subs[i]))
            return true;
    return false;
}

const Program *opt_recognise_codes(const Opt *o, const Program *p)
{
    return has_codes(p) ? opt_recognise_all(o, p, RECOGNISE_CODES) : p;
}

/* ---- and back ---------------------------------------------------------------------- */

static bool put_back(Rewriter *r, const EqnView *e, Val *out)
{
    const CallAttr *a = e->attr;

    return e->op == OP_call && a->kind != KIND_PLAIN &&
           b_inline_sub(r->b, &a->body, e->in, out, NULL);
}

const Program *opt_take_apart(wf_ctx *cx, const Program *p)
{
    return rewrite_with(&(Opt){.cx = cx}, p, NULL, put_back);
}

/* ---- reading bodies ---------------------------------------------------------------- */

void recognised_bodies(const Program *p, PtrMap *out)
{
    for (uint32_t i = 0; i < p->neqns; i++) {
        const CallAttr *c = p->eqns[i].attr;

        if (p->eqns[i].op == OP_call && c->kind != KIND_PLAIN)
            ptrmap_put(out, c->body.p, c);
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        recognised_bodies(p->subs[i], out);
}

static int32_t input_number(const Program *p, Val v)
{
    return v && p->vals[v].eqn == EQN_INPUT ? (int32_t)v - 1 : -1;
}

bool piece_read(const Program *p, CallKind kind, Piece *out)
{
    Match m;

    for (size_t k = 0; p->nout == 1 && k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].kind != kind || !match_row(&rows[k], p, p->outs[0], &m) ||
            input_number(p, m.val[LETTER('x')]) < 0)
            continue;
        *out = (Piece){.kind = rows[k].kind,
                       .x = input_number(p, m.val[LETTER('x')]),
                       .weight = input_number(p, m.val[LETTER('w')]),
                       .bias = input_number(p, m.val[LETTER('b')]),
                       .index = input_number(p, m.val[LETTER('i')]),
                       .axes = m.axes,
                       .eps = m.number[LETTER('e')],
                       .mean = m.numbers >> LETTER('n') & 1 ? m.number[LETTER('n')]
                                                            : 1 / m.number[LETTER('c')],
                       .guarded = m.val[LETTER('r')] != VAL_NONE};
        return true;
    }
    return false;
}
