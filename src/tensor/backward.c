/* backward.c -- from histories to derivative programs.
 *
 * The nodes that lead from the results back to the wanted tensors are put in order. Their derivative
 * rules, given the saved values as inputs, make a program that is linear in the tangents (the forward
 * mode); run backwards it gives the gradients. Values of the forward pass are not computed again: they
 * are inputs. Programs are kept by the shape of the history (prims, edges, results, wanted), so that a
 * training loop pays for differentiation once.
 */
#include "tensor/tensor.h"

#include "opt/opt.h"
#include "runtime/comm.h"

#include <stdio.h>

typedef struct Need { /* an input of a derivative program: a saved value */
    uint32_t node;
    int32_t edge; /* >= 0: operand; < 0: result -edge-1 */
} Need;

typedef struct BackProgram {
    struct BackProgram *next;
    uint64_t hash;
    uint64_t *key;
    uint32_t nkey;
    Prim **prims; /* held, so that the key stays true */
    uint32_t nprims, prim_room;
    const Program *program;
    Need *needs;
    uint32_t nneeds;
    bool *nz; /* vjp: for each wanted; jvp: for each result */
    uint32_t nnz;
} BackProgram;

typedef struct Walk {
    wf_ctx *cx;
    bool forward; /* jvp */
    bool create;  /* the derivatives are recorded: saved values need their history */
    const char *all; /* axes of the processes over which gradients are added up; NULL: they are not */
    RecordNode **nodes; /* active, operands before users */
    uint32_t n, cap;
    uint32_t *base; /* of the results of each node among all results */
    uint32_t nouts;
    Tensor **found; /* a saved value of each result */
    uint32_t *found_version;
    bool calls;  /* some nodes are recorded calls of programs */
    bool *whole; /* of each node, where there are such: its derivative comes from the operands */
    Tensor **y, **x;
    uint32_t ny, nx;
    uint64_t *key;
    uint32_t nkey;
    wf_tensor *handles; /* inputs of the program */
    uint32_t nhandles;
    const Program *program;
    Arena *a; /* scratch of the call */
} Walk;

/* ---- the walk ---- */

typedef struct WalkFrame {
    RecordNode *n;
    uint32_t i;
    bool active;
} WalkFrame;

/* epoch: seen; epoch + 1: seen and active, order is valid */
static void visit(Walk *w, RecordNode *root, uint64_t epoch)
{
    VEC(WalkFrame) st = {0};

    if (!root || root->epoch == epoch || root->epoch == epoch + 1)
        return;
    root->epoch = epoch;
    vec_push(w->a, &st, ((WalkFrame){root, 0, root->wanted == epoch}));
    while (st.n) {
        WalkFrame *f = &st.v[st.n - 1];
        RecordNode *m = NULL;
        while (f->i < f->n->nin) {
            m = f->n->in[f->i].node;
            if (m && m->epoch == epoch + 1)
                f->active = true;
            f->i++;
            if (m && m->epoch != epoch && m->epoch != epoch + 1) {
                f->i--;
                break;
            }
            m = NULL;
        }
        if (m) {
            m->epoch = epoch;
            vec_push(w->a, &st, ((WalkFrame){m, 0, m->wanted == epoch}));
            continue;
        }
        if (f->active) {
            f->n->epoch = epoch + 1;
            f->n->order = w->n;
            if (w->n == w->cap) {
                uint32_t cap = w->cap ? w->cap * 2 : 64;
                RecordNode **v = arena_array(w->a, cap, sizeof *v);
                if (w->n)
                    memcpy(v, w->nodes, w->n * sizeof *v);
                w->nodes = v;
                w->cap = cap;
            }
            w->nodes[w->n++] = f->n;
        }
        st.n--;
    }
}

static bool is_active(const RecordNode *n, uint64_t epoch)
{
    return n && n->epoch == epoch + 1;
}

static bool is_current(const Walk *w, uint32_t at)
{
    return w->found[at] && w->found_version[at] != UINT32_MAX &&
           w->found[at]->store->version == w->found_version[at];
}

static void find_saved(Walk *w, uint64_t epoch)
{
    w->base = arena_array(w->a, w->n + 1, sizeof *w->base);
    for (uint32_t k = 0; k < w->n; k++) {
        w->base[k] = w->nouts;
        w->nouts += w->nodes[k]->nout;
    }
    w->found = arena_zalloc(w->a, (w->nouts + 1) * sizeof *w->found);
    w->found_version = arena_zalloc(w->a, (w->nouts + 1) * sizeof *w->found_version);
    for (uint32_t k = 0; k < w->n; k++) {
        RecordNode *n = w->nodes[k];
        w->calls = w->calls || n->form;
        if (n->leaf) {
            w->found[w->base[k]] = n->leaf;
            w->found_version[w->base[k]] =
                UINT32_MAX; /* as it is now, unless someone saved it */
        }
        for (uint32_t j = 0; j < n->nout && n->prim; j++)
            if (n->out_saved[j]) {
                w->found[w->base[k] + j] = n->out_saved[j];
                w->found_version[w->base[k] + j] = n->out_version[j];
            }
        for (uint32_t i = 0; i < n->nin; i++) {
            Edge *e = &n->in[i];
            if (e->saved && is_active(e->node, epoch)) {
                uint32_t at = w->base[e->node->order] + e->out;
                if (is_current(
                        w, at)) /* saved by several: one that nobody wrote to serves */
                    continue;
                w->found[at] = e->saved;
                w->found_version[at] = e->version;
            }
        }
    }
}

/* A call whose kept values have derivatives of their own here, or were written to, is differentiated from its
 * operands; and one whose gradients were kept, where derivatives of those may be wanted. */
static void find_whole(Walk *w, uint64_t epoch)
{
    if (!w->calls)
        return;
    w->whole = arena_zalloc(w->a, w->n + 1);
    for (uint32_t k = 0; k < w->n; k++) {
        RecordNode *n = w->nodes[k];

        w->whole[k] = w->whole[k] || (w->create && n->form && n->form->split);
        for (uint32_t i = 0; i < n->nin; i++) {
            RecordNode *from = n->in[i].node;
            if (is_active(from, epoch) && from->form && n->in[i].out >= from->prim->nout)
                w->whole[from->order] = true;
        }
        for (uint32_t t = 0; n->form && t < n->form->ntaken; t++)
            if (n->form->taken[t] >= n->nin &&
                !is_current(w, w->base[k] + n->form->taken[t] - n->nin))
                w->whole[k] = true;
    }
}

#define TURN_RANK 12 /* orders of more axes do not fit a word of the key */

/* The order of a saved value that goes as it lies in memory (turn.c); false: as it is. Where derivatives are recorded, it needs its
 * history. */
static bool saved_order(const Walk *w, const Tensor *t, int64_t *order)
{
    return t && !w->create && t->rank <= TURN_RANK && tensor_turn(t, order);
}

/* How a saved value lies in memory, exactly: programs of other orders take other inputs. */
static uint64_t order_key(const Walk *w, const Tensor *t)
{
    int64_t order[MAX_RANK];
    uint64_t key = 1;

    if (!saved_order(w, t, order))
        return 0;
    for (uint32_t i = 0; i < t->rank; i++)
        key = key << 5 | (uint64_t)order[i];
    return key;
}

static void make_key(Walk *w, uint64_t epoch)
{
    uint32_t n = 5 + 2 * w->ny + w->nx, at = 0;

    for (uint32_t k = 0; k < w->n; k++)
        n += 1 + 2 * w->nodes[k]->nin + w->nodes[k]->nout;
    w->key = arena_array(w->a, n, sizeof *w->key);
    w->key[at++] = (uint64_t)w->create << 33 | (uint64_t)w->forward << 32 | w->n;
    w->key[at++] = (uint64_t)w->ny << 32 | w->nx;
    w->key[at] = 0;
    for (const char *s = w->all; s && *s; s++)
        w->key[at] = hash_mix(w->key[at], (unsigned char)*s);
    at++;
    for (uint32_t k = 0; k < w->n; k++) {
        RecordNode *m = w->nodes[k];
        if (m->prim) {
            w->key[at++] = m->form && !w->whole[k] ? (uint64_t)(uintptr_t)m->form
                                                   : (uint64_t)(uintptr_t)m->prim;
        } else { /* a leaf is its type, which the wanted tensors give */
            w->key[at++] = 1;
        }
        for (uint32_t i = 0; i < m->nin; i++)
            w->key[at++] = is_active(m->in[i].node, epoch)
                               ? ((uint64_t)m->in[i].node->order << 16 | m->in[i].out) + 1
                               : 0;
        for (uint32_t i = 0; i < m->nin; i++)
            w->key[at++] = order_key(w, m->in[i].saved);
        for (uint32_t j = 0; j < m->nout; j++)
            w->key[at++] = order_key(w, w->found[w->base[k] + j]);
    }
    for (uint32_t j = 0; j < w->ny; j++)
        w->key[at++] = is_active(w->y[j]->node, epoch)
                           ? ((uint64_t)w->y[j]->node->order << 16 | w->y[j]->out) + 1
                           : 0;
    for (uint32_t i = 0; i < w->nx; i++) {
        uint64_t h = hash_mix(w->x[i]->dtype, w->x[i]->rank);
        for (uint32_t k = 0; k < w->x[i]->rank; k++)
            h = hash_mix(h, (uint64_t)w->x[i]->dims[k]);
        w->key[at++] = is_active(w->x[i]->node, epoch)
                           ? ((uint64_t)w->x[i]->node->order << 16 | w->x[i]->out) + 1
                           : 0;
        h = h >> 1;
        w->key[at - 1] ^= h << 24; /* types of leaves are part of it */
    }
    w->nkey = at;
}

/* ---- the program ---- */

typedef struct Make {
    Walk *w;
    uint64_t epoch;
    Builder *b;
    Val *val;   /* of each result: an input, or its transpose */
    Val **edge; /* of each operand of each node that is not the result of an active one */
    Val *val_in, **edge_in; /* the inputs themselves */
    Val *tangent; /* of each result */
    Val *dx;      /* tangent input of each wanted */
} Make;

static Val input_like(Builder *b, const PType *t)
{
    return b_input(b, NULL, b_make_type(b, (wf_dtype)t->dtype, t->dims, t->rank));
}

/* A saved value: an input as it lies in memory, transposed. */
static Val saved_input(Make *m, const PType *t, const Tensor *saved, Val *out_in)
{
    Builder *b = m->b;
    int64_t order[MAX_RANK], dims[MAX_RANK], perm[MAX_RANK];

    if (!saved_order(m->w, saved, order))
        return *out_in = input_like(b, t);
    for (uint32_t i = 0; i < t->rank; i++) {
        dims[i] = t->dims[order[i]];
        perm[order[i]] = i;
    }
    *out_in = b_input(b, NULL, b_make_type(b, (wf_dtype)t->dtype, dims, t->rank));
    return b_transpose(b, *out_in, perm);
}

static Val result_input(Make *m, uint32_t at, const PType *t)
{
    if (!m->val[at])
        m->val[at] = saved_input(m, t, m->w->found[at], &m->val_in[at]);
    return m->val[at];
}

static void add_tangent(Make *m, uint32_t at, Val d)
{
    m->tangent[at] = m->tangent[at] && d ? b_add(m->b, m->tangent[at], d)
                     : d                 ? d
                                         : m->tangent[at];
}

static void emit_node(Make *m, uint32_t k)
{
    RecordNode *n = m->w->nodes[k];
    const Prim *p = n->prim;
    Builder *b = m->b;
    const PType *out_type = n->form ? n->form->out : p ? p->out : NULL;
    uint32_t base = m->w->base[k];
    Val *in, *dx, *dy;
    Type *types;
    bool moves = false; /* an operand has a tangent */

    if (!p)
        return;
    in = arena_zalloc(&b->arena, (2u * p->nin + 3u * n->nout + 1) * sizeof *in);
    dx = in + p->nin + n->nout;
    dy = dx + p->nin; /* rules of loops give the results behind the tangents */
    types = arena_array(&b->arena, p->nin + n->nout + 1, sizeof *types);
    m->edge[k] = arena_zalloc(&b->arena, (2u * p->nin + 1) * sizeof(Val));
    m->edge_in[k] = m->edge[k] + p->nin;
    for (uint32_t i = 0; i < p->nin; i++) {
        RecordNode *from = n->in[i].node;
        if (is_active(from, m->epoch)) {
            uint32_t at = m->w->base[from->order] + n->in[i].out;
            in[i] = result_input(m, at, &p->in[i]);
            dx[i] = m->tangent[at];
            moves = moves || dx[i];
        } else {
            in[i] = m->edge[k][i] =
                saved_input(m, &p->in[i], n->in[i].saved, &m->edge_in[k][i]);
        }
        types[i] = b_type(b, in[i]);
    }
    for (uint32_t j = 0; j < n->nout; j++) {
        in[p->nin + j] = result_input(m, base + j, &out_type[j]);
        types[p->nin + j] = b_type(b, m->val[base + j]);
    }
    if (failed(m->w->cx) || !moves) /* rules need one */
        return;
    b_at(b, n->place);
    if (p->op == OP_call && n->form && !m->w->whole[k]) {
        call_derive_linear(b, p, n->form, in, dx, dy);
    } else if (p->op == OP_call) {
        call_derive_whole(b, p, n->form, in, dx, dy);
    } else {
        EqnView view = {.op = (uint16_t)p->op,
                        .nout = (uint16_t)p->nout,
                        .nin = p->nin,
                        .row = op_row(p->op),
                        .in = in,
                        .out = op_has(p->op, OPF_CONTROL) ? NULL : in + p->nin,
                        .in_type = types,
                        .out_type = types + p->nin,
                        .attr = p->attr,
                        .place = n->place};
        op_rules(view.op)->jvp(b, &view, dx, dy);
    }
    for (uint32_t j = 0; j < n->nout && !failed(m->w->cx); j++)
        if (dtype_is_differentiable((wf_dtype)out_type[j].dtype))
            add_tangent(m, base + j, dy[j]);
}

/* Which values do the kept equations and the results read? */
bool *used_values(Builder *b, const Val *outs, uint32_t nouts)
{
    bool *keep = arena_zalloc(&b->arena, b->eqns.n + 1),
         *used = arena_zalloc(&b->arena, b->vals.n + 1);
    LiveView v = {b->eqns.v,  b->eqns.n, b->args.v, b->vals.v, b->vals.n,
                  b->types.v, &b->dims,  outs,      nouts};

    live_equations(&b->arena, &v, keep);
    for (uint32_t e = 0; e < b->eqns.n; e++)
        for (uint32_t i = 0; keep[e] && i < b->eqns.v[e].nin; i++)
            used[b->args.v[b->eqns.v[e].args + i]] = true;
    for (uint32_t j = 0; j < nouts; j++)
        used[outs[j]] = true;
    return used;
}

/* (saved.., dx of wanted) -> dy of the results that have one */
static const Program *make_forward(Make *m, BackProgram *bp, bool *y_nz)
{
    Walk *w = m->w;
    Builder *b = m->b;
    Val *outs = arena_array(&b->arena, w->ny + 1, sizeof *outs), *ins;
    uint32_t nouts = 0, nins = 0, total = w->nouts + w->nx;
    bool *used;

    for (uint32_t k = 0; k < w->n && !failed(w->cx); k++) {
        for (uint32_t i = 0; i < w->nx; i++) { /* leaves and wanted intermediates */
            Tensor *x = w->x[i];
            if (x->node != w->nodes[k])
                continue;
            m->dx[i] =
                b_input(b, NULL, b_make_type(b, (wf_dtype)x->dtype, x->dims, x->rank));
            if (!w->nodes[k]->prim)
                add_tangent(m, w->base[k] + x->out, m->dx[i]);
        }
        emit_node(m, k);
        for (uint32_t i = 0; i < w->nx && w->nodes[k]->prim && !failed(w->cx); i++)
            if (w->x[i]->node == w->nodes[k])
                add_tangent(m, w->base[k] + w->x[i]->out, m->dx[i]);
        total += w->nodes[k]->nin;
    }
    if (failed(w->cx))
        return NULL;
    for (uint32_t j = 0; j < w->ny; j++) {
        RecordNode *n = w->y[j]->node;
        Val d = is_active(n, m->epoch) ? m->tangent[w->base[n->order] + w->y[j]->out]
                                       : VAL_NONE;
        y_nz[j] = d != VAL_NONE;
        if (d)
            outs[nouts++] = d;
    }
    used = used_values(b, outs, nouts);
    ins = arena_array(&b->arena, total + 1, sizeof *ins);
    bp->needs = arena_array(w->a, total + 1, sizeof *bp->needs);
    for (uint32_t k = 0; k < w->n; k++) {
        for (uint32_t i = 0; i < w->nodes[k]->nin; i++)
            if (m->edge[k] && m->edge_in[k][i] && used[m->edge_in[k][i]]) {
                bp->needs[nins] = (Need){k, (int32_t)i};
                ins[nins++] = m->edge_in[k][i];
            }
        for (uint32_t j = 0; j < w->nodes[k]->nout; j++) {
            Val v = m->val_in[w->base[k] + j];
            if (v && used[v]) {
                bp->needs[nins] = (Need){k, -(int32_t)j - 1};
                ins[nins++] = v;
            }
        }
    }
    bp->nneeds = nins;
    for (uint32_t i = 0; i < w->nx; i++)
        if (m->dx[i])
            ins[nins++] = m->dx[i];
    return builder_finish_as(b, ins, nins, outs, nouts);
}

/* Processes may have recorded different histories: they add up the same tensors in the order in which those are wanted. */
static Val sum_over(Builder *b, Val x, const char *axes, uint32_t order)
{
    return b_eqn1(b, OP_psum, &x, 1, &(CollectiveAttr){.axis = axes, .size = DIM_NONE, .order = order});
}

/* (saved.., gy of the results with a derivative) -> gx of the wanted that are reached */
static const Program *make_backward(wf_ctx *c, const Program *j, uint32_t nsaved, const char *all)
{
    Builder *b = builder_new(c, "backward", B_OPTIMISE);
    Val *ins = arena_array(&b->arena, (size_t)j->nin + j->nout + 1, sizeof *ins);
    Val *outs = arena_array(&b->arena, j->nin + 1, sizeof *outs), *gy, *ct;
    uint32_t nins = 0, nouts = 0;
    Linear l;
    Copier cp;

    gy = arena_zalloc(&b->arena, (j->nout + 1) * sizeof *gy);
    copier_init(&cp, b, j, NULL, NULL);
    linear_init(&l, b);
    for (uint32_t i = 0; i < j->nin && !failed(c); i++) {
        Val x = b_input(b, NULL, copier_type(&cp, val_type(j, program_in(j, i))));
        cp.val[program_in(j, i)] = x;
        if (i < nsaved)
            ins[nins++] = x;
        else
            linear_add(&l, x);
    }
    for (uint32_t k = 0; k < j->nout && !failed(c); k++)
        ins[nins++] = gy[k] = b_input(b, NULL, copier_type(&cp, val_type(j, j->outs[k])));
    if (failed(c) || !linear_copy(&l, &cp))
        return NULL;
    linear_mark(&l);
    ct = arena_zalloc(&b->arena, (b->vals.n + 1) * sizeof *ct);
    for (uint32_t k = 0; k < j->nout; k++) {
        Val y = cp.val[j->outs[k]];
        if (is_linear(&l, y))
            ct[y] = ct[y] ? b_add(b, ct[y], gy[k]) : gy[k];
    }
    if (failed(c) || !transpose_emit(&l, ct))
        return NULL;
    for (uint32_t i = nsaved; i < j->nin; i++) {
        Val x = cp.val[program_in(j, i)];
        outs[nouts] = ct[x] ? ct[x] : b_zeros_like(b, x);
        if (all && !failed(c))
            outs[nouts] = sum_over(b, outs[nouts], all, nouts + 1);
        nouts++;
    }
    return builder_finish_as(b, ins, nins, outs, nouts);
}

static void free_back(wf_ctx *c, BackProgram *bp)
{
    for (uint32_t i = 0; i < bp->nprims; i++)
        prim_release(c, bp->prims[i]);
    program_release(bp->program);
    mem_free(&c->al, bp->key, bp->nkey * sizeof *bp->key);
    mem_free(&c->al, bp->prims, bp->prim_room * sizeof *bp->prims);
    mem_free(&c->al, bp->needs, bp->nneeds * sizeof *bp->needs);
    mem_free(&c->al, bp->nz, bp->nnz);
    mem_free(&c->al, bp, sizeof *bp);
}

void tensors_drop_caches(wf_ctx *c)
{
    Tensors *s = c->tensors;

    for (BackProgram *bp; (bp = s->backs) != NULL;) {
        s->backs = bp->next;
        free_back(c, bp);
    }
    s->nbacks = 0;
}

static void *keep_copy(wf_ctx *c, const void *p, size_t n)
{
    void *q = mem_alloc(&c->al, n);

    if (q && n)
        memcpy(q, p, n);
    return q;
}

/* A lasting copy of what was made in the walk's arena. Memory out: jumps, nothing leaks. */
static BackProgram *keep_back(wf_ctx *c, Walk *w, const BackProgram *made, uint64_t hash)
{
    BackProgram *bp = mem_alloc(&c->al, sizeof *bp);

    if (!bp)
        ctx_out_of_memory(c);
    *bp = *made;
    bp->hash = hash;
    bp->nkey = w->nkey;
    bp->key = keep_copy(c, w->key, w->nkey * sizeof *w->key);
    bp->needs = keep_copy(c, made->needs, made->nneeds * sizeof *made->needs);
    bp->nz = keep_copy(c, made->nz, made->nnz);
    bp->prims = mem_alloc(&c->al, (w->n + 1) * sizeof *bp->prims);
    bp->prim_room = w->n + 1;
    if (!bp->key || (!bp->needs && made->nneeds) || (!bp->nz && made->nnz) ||
        !bp->prims) {
        if (bp->key)
            mem_free(&c->al, bp->key, w->nkey * sizeof *w->key);
        if (bp->needs)
            mem_free(&c->al, bp->needs, made->nneeds * sizeof *made->needs);
        if (bp->nz)
            mem_free(&c->al, bp->nz, made->nnz);
        if (bp->prims)
            mem_free(&c->al, bp->prims, bp->prim_room * sizeof *bp->prims);
        mem_free(&c->al, bp, sizeof *bp);
        ctx_out_of_memory(c);
    }
    bp->nprims = 0;
    for (uint32_t k = 0; k < w->n; k++)
        if (w->nodes[k]->prim) {
            bp->prims[bp->nprims++] = w->nodes[k]->prim;
            w->nodes[k]->prim->refs++;
        }
    program_retain(bp->program);
    return bp;
}

static BackProgram *find_back(Tensors *s, const Walk *w, uint64_t hash)
{
    for (BackProgram **at = &s->backs, *bp; (bp = *at) != NULL; at = &bp->next)
        if (bp->hash == hash && bp->nkey == w->nkey &&
            !memcmp(bp->key, w->key, w->nkey * sizeof *w->key)) {
            *at = bp->next; /* most recent first */
            bp->next = s->backs;
            s->backs = bp;
            s->back_hits++;
            return bp;
        }
    return NULL;
}

#define BACKS_MAX 256

static BackProgram *back_program(wf_ctx *c, Walk *w, uint64_t epoch)
{
    Tensors *s = c->tensors;
    Hasher h;
    uint64_t hash;
    BackProgram made = {0}, *bp;
    Make m = {.w = w, .epoch = epoch};
    bool *y_nz;
    const Program *j;

    hash_init(&h, 7);
    hash_bytes(&h, w->key, w->nkey * sizeof *w->key);
    hash = hash_done(&h).lo;
    if ((bp = find_back(s, w, hash)) != NULL)
        return bp;
    m.b = builder_new(c, "forward", B_OPTIMISE);
    m.val = arena_zalloc(&m.b->arena, (2 * w->nouts + 1) * sizeof *m.val);
    m.val_in = m.val + w->nouts;
    m.tangent = arena_zalloc(&m.b->arena, (w->nouts + 1) * sizeof *m.tangent);
    m.edge = arena_zalloc(&m.b->arena, (2 * w->n + 1) * sizeof *m.edge);
    m.edge_in = m.edge + w->n;
    m.dx = arena_zalloc(&m.b->arena, (w->nx + 1) * sizeof *m.dx);
    y_nz = arena_zalloc(w->a, w->ny + 1);
    if (!(j = make_forward(&m, &made, y_nz)))
        return NULL;
    made.nz = arena_zalloc(w->a, w->nx + w->ny + 1);
    memcpy(made.nz, y_nz, w->ny);
    for (uint32_t i = 0; i < w->nx; i++)
        made.nz[w->ny + i] = m.dx[i] != VAL_NONE;
    made.nnz = w->ny + w->nx;
    made.program = w->forward ? j : make_backward(c, j, made.nneeds, w->all);
    if (made.program &&
        !w->create) /* gradients of weights are made as they lie, not transposed */
        made.program = opt_contract(&(Opt){.cx = c}, made.program);
    if (made.program && w->all)
        made.program = opt_early(&(Opt){.cx = c}, made.program);
    if (!made.program)
        return NULL;
    bp = keep_back(c, w, &made, hash);
    bp->next = s->backs;
    s->backs = bp;
    if (++s->nbacks > BACKS_MAX) {
        BackProgram **at = &s->backs;
        while ((*at)->next)
            at = &(*at)->next;
        free_back(c, *at);
        *at = NULL;
        s->nbacks--;
    }
    return bp;
}

/* ---- running it ---- */

static void check_version(wf_ctx *c, const char *what, const RecordNode *n, const Tensor *t,
                          uint32_t version)
{
    Place at = t->store->written;

    if (version == UINT32_MAX || t->store->version == version)
        return;
    fail(c, WF_ERR_VALUE, at,
         "%s: a tensor that %s saved for its derivative was written to afterwards "
         "(version %u, "
         "saved at version %u)",
         what, n->prim ? op_name(n->prim->op) : "a leaf", t->store->version, version);
    fail_note(c, n->place, "saved here");
}

/* Gradients that came with a call are those of its operands then: what the derivative would read must be what it was. */
static void check_reads(wf_ctx *c, const char *what, const RecordNode *n)
{
    const CallForm *f = n->form->split;

    for (uint32_t t = 0; f && t < f->ntaken && !failed(c); t++)
        if (f->taken[t] < n->nin && n->in[f->taken[t]].saved)
            check_version(c, what, n, n->in[f->taken[t]].saved, n->in[f->taken[t]].version);
}

/* Calls on the way learn whether the derivative by all their operands is wanted. */
static void note_calls(wf_ctx *c, const Walk *w, uint64_t epoch, const char *what)
{
    for (uint32_t k = 0; w->calls && k < w->n; k++) {
        RecordNode *n = w->nodes[k];
        bool all = n->form && !w->forward && !w->create;

        for (uint32_t i = 0; i < n->nin && all; i++)
            all = !n->in[i].node || is_active(n->in[i].node, epoch);
        if (all)
            call_was_derived(n->form);
        if (n->form && !w->whole[k])
            check_reads(c, what, n);
    }
}

/* The saved value as a handle; with the history it had. */
static wf_tensor saved_handle(wf_ctx *c, Walk *w, Need need, const char *what)
{
    RecordNode *n = w->nodes[need.node], *from;
    Tensor *t, *v;
    uint32_t version;
    int64_t order[MAX_RANK];

    if (need.edge >= 0) {
        t = n->in[need.edge].saved;
        version = n->in[need.edge].version;
    } else {
        t = w->found[w->base[need.node] - (uint32_t)(need.edge + 1)];
        version = w->found_version[w->base[need.node] - (uint32_t)(need.edge + 1)];
    }
    if (!t) {
        fail(c, WF_ERR_INTERNAL, n->place, "%s: a value that %s needs was not saved", what,
             n->prim ? op_name(n->prim->op) : "a leaf");
        return WF_NONE;
    }
    check_version(c, what, n, t, version);
    if (saved_order(w, t, order))
        return (v = tensor_turned(c, t, order)) ? tensor_handle(c, v) : WF_NONE;
    from = need.edge < 0 ? n : n->in[need.edge].node;
    if (!w->create || !from || t->wants_grad || from->leaf == t)
        return tensor_handle(c, tensor_retain(t));
    if (!(v = tensor_alias(c, t)))
        return WF_NONE;
    v->node = from;
    from->refs++;
    v->out = need.edge < 0 ? (uint32_t)(-need.edge - 1) : n->in[need.edge].out;
    v->need = from->leaf ? from->leaf->need : from->need;
    return tensor_handle(c, v);
}

/* A history that was freed serves no more, also where what it saved can still be found in a leaf. */
static bool is_whole(wf_ctx *c, const Walk *w, const char *what)
{
    for (uint32_t k = 0; k < w->n; k++)
        if (w->nodes[k]->freed)
            return fail(c, WF_ERR_VALUE, w->nodes[k]->place,
                        "%s: the history was used and freed already; keep it with WF_GRAD_KEEP "
                        "(values saved by %s are gone)",
                        what, op_name(w->nodes[k]->prim->op));
    return true;
}

static void gather_inputs(wf_ctx *c, Walk *w, const BackProgram *bp, const char *what)
{
    w->nhandles = bp->nneeds + w->nx + w->ny + 1;
    w->handles = mem_alloc(&c->al, w->nhandles * sizeof *w->handles);
    if (!w->handles)
        ctx_out_of_memory(c);
    for (uint32_t i = 0; i < bp->nneeds && !failed(c); i++)
        w->handles[i] = saved_handle(c, w, bp->needs[i], what);
}

/* Everything up to the program and its inputs, in one region. The program is retained. */
static bool prepare(wf_ctx *c, Walk *w, bool *nz, uint32_t *out_nsaved, const char *what)
{
    Tensors *s = c->tensors;
    BackProgram *bp;

    T_ENTER(c, false)
    w->a = &c->scratch;
    s->epoch += 2;
    for (uint32_t i = 0; i < w->nx; i++)
        if (w->x[i]->node)
            w->x[i]->node->wanted = s->epoch;
    for (uint32_t j = 0; j < w->ny; j++)
        visit(w, w->y[j]->node, s->epoch);
    find_saved(w, s->epoch);
    find_whole(w, s->epoch);
    note_calls(c, w, s->epoch, what);
    make_key(w, s->epoch);
    if (is_whole(c, w, what) && (bp = back_program(c, w, s->epoch)) != NULL) {
        memcpy(nz, bp->nz, bp->nnz);
        *out_nsaved = bp->nneeds;
        gather_inputs(c, w, bp, what);
        w->program = failed(c) ? NULL : program_retain(bp->program);
    }
    T_LEAVE(c);
    return w->program != NULL;
}

/* nodes are walked again: the arena is gone, but the epoch tells who is active */
static void free_histories(wf_ctx *c, Walk *w)
{
    Tensors *s = c->tensors;
    uint64_t epoch = s->epoch;
    RecordNode *stack = NULL;

    s->epoch += 2; /* marks what is freed */
    for (uint32_t j = 0; j < w->ny; j++)
        if (is_active(w->y[j]->node, epoch) && w->y[j]->node->epoch != s->epoch) {
            w->y[j]->node->epoch = s->epoch;
            w->y[j]->node->next = stack;
            stack = w->y[j]->node;
        }
    while (stack) {
        RecordNode *n = stack;
        stack = n->next;
        n->refs++; /* its saved values may be the last to hold others */
        for (uint32_t i = 0; i < n->nin; i++)
            if (is_active(n->in[i].node, epoch)) {
                n->in[i].node->epoch = s->epoch;
                n->in[i].node->next = stack;
                stack = n->in[i].node;
            }
        node_free_saved(c, n);
        node_release(c, n);
    }
}

/* ---- gradients that are there already ---- */

static bool is_one(const Tensor *t)
{
    const void *x = t && !t->symbolic && t->count == 1 && tensor_is_here(t) ? tensor_data(t) : NULL;

    return x && ((t->dtype == WF_F32 && *(const float *)x == 1) || (t->dtype == WF_F64 && *(const double *)x == 1));
}

/* Is y the number of a call that kept its gradients, and are these by leaves all there is to give? Marks the nodes of those
 * that are operands: wanted is the epoch + 1, order the place among x. */
static bool are_ready(wf_ctx *c, const Walk *w, const RecordNode *n, uint64_t epoch)
{
    const CallForm *f = n->form;
    uint32_t at = n->prim->nout;

    for (uint32_t i = 0; i < w->nx; i++) {
        RecordNode *m = w->x[i]->node;

        if (!m)
            continue;
        if (m->prim || m->wanted == epoch)
            return false;
        m->wanted = epoch;
        m->order = i;
    }
    for (uint32_t k = 0; k < n->nin; k++) {
        RecordNode *m = n->in[k].node;

        if (m && (m->prim || m->wanted == epoch + 1 || !n->out_saved[at] ||
                  n->out_saved[at]->store->version != n->out_version[at]))
            return false;
        if (m && m->wanted == epoch)
            m->wanted = epoch + 1;
        at += f->follows[k];
    }
    check_reads(c, "backward", n);
    return !failed(c);
}

/* A gradient times one is itself: no program runs. Gives false where that is not all. */
static bool take_ready(wf_ctx *c, Walk *w, const wf_tensor *seeds, unsigned flags, wf_tensor *out)
{
    Tensors *s = c->tensors;
    RecordNode *n = w->ny == 1 && !w->forward && !w->create && !w->all ? w->y[0]->node : NULL;
    uint64_t epoch;
    uint32_t at;
    bool all, ready;

    if (!n || !n->form || !n->form->split || !n->form->nz[w->y[0]->out] || !is_one(tensor_get(c, seeds[0], "backward")))
        return false;
    epoch = s->epoch += 2;
    T_ENTER(c, false)
    ready = are_ready(c, w, n, epoch);
    T_LEAVE(c);
    if (!ready || failed(c))
        return false;
    at = n->prim->nout;
    all = true;
    for (uint32_t k = 0; k < n->nin && !failed(c); k++) {
        RecordNode *m = n->in[k].node;

        if (m && m->wanted == epoch + 1)
            out[m->order] = tensor_handle(c, tensor_retain(n->out_saved[at]));
        all = all && (!m || m->wanted == epoch + 1);
        at += n->form->follows[k];
    }
    if (failed(c))
        return false;
    if (all)
        call_was_derived(n->form);
    if (!(flags & (GRAD_KEEP | GRAD_CREATE))) {
        n->refs++;
        node_free_saved(c, n);
        node_release(c, n);
    }
    return true;
}

static bool derive(wf_ctx *c, Walk *w, const wf_tensor *seeds, unsigned flags,
                   const char *what, wf_tensor *out)
{
    Tensors *s = c->tensors;
    uint64_t open = s->recorders;
    uint32_t nsaved = 0, n, nout = w->forward ? w->ny : w->nx,
             nseed = w->forward ? w->nx : w->ny, k = 0;
    bool few[64] = {0}, *nz = few;
    const Program *p;
    PackedNodes packed;
    wf_tensor *res;
    bool ok = false;

    for (uint32_t i = 0; i < nout; i++)
        out[i] = WF_NONE;
    if (!packed_restore(c, w->y, w->ny, &packed)) {
        packed_forget(c, &packed);
        return false;
    }
    if (w->nx + w->ny > COUNT(few) && !(nz = mem_alloc(&c->al, w->nx + w->ny))) {
        packed_forget(c, &packed);
        return fail_memory(c);
    }
    scope_open(c);
    ok = take_ready(c, w, seeds, flags, out);
    if (!ok && !failed(c))
        prepare(c, w, nz, &nsaved, what);
    p = w->program;
    res = p ? mem_alloc(&c->al, (p->nout + 1) * sizeof *res) : NULL;
    if (p && !res)
        fail_memory(c);
    if (p && res && w->handles) {
        const bool *seed_nz = w->forward ? nz + w->ny : nz,
                   *out_nz = w->forward ? nz : nz + w->ny;
        n = nsaved;
        for (uint32_t i = 0; i < nseed; i++)
            if (seed_nz[i])
                w->handles[n++] = seeds[i];
        if (!(flags & GRAD_CREATE))
            s->recorders &= ~(uint64_t)1;
        ok = tensor_call(c, p, w->handles, n, res, p->nout);
        s->recorders = open;
        for (uint32_t i = 0; i < nout && ok; i++)
            if (out_nz[i])
                out[i] = res[k++];
        if (ok && !(flags & (GRAD_KEEP | GRAD_CREATE)))
            free_histories(c, w);
    }
    if (w->handles)
        mem_free(&c->al, w->handles, w->nhandles * sizeof *w->handles);
    if (res)
        mem_free(&c->al, res, (p->nout + 1) * sizeof *res);
    program_release(p);
    packed_forget(c, &packed);
    scope_close_n(c, out, (int)nout);
    if (nz != few)
        mem_free(&c->al, nz, w->nx + w->ny);
    return ok && !failed(c);
}

static Tensor **get_all(wf_ctx *c, const wf_tensor *h, uint32_t n, const char *what)
{
    Tensor **v = mem_alloc(&c->al, (n + 1) * sizeof *v);

    if (!v) {
        fail_memory(c);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!(v[i] = tensor_with_history(c, h[i], what)))
            break;
    return v;
}

/* All axes of the processes' mesh; NULL with an error: there is none. In scratch memory of the call. */
static const char *all_axes(wf_ctx *c, char *text, size_t n)
{
    size_t at = 0;

    if (!c->comm) {
        fail(c, WF_ERR_ARG, NOWHERE, "WF_GRAD_ALL: the context uses no processes (wf_comm_use)");
        return NULL;
    }
    for (uint32_t k = 0; k < c->comm->mesh->n && at < n; k++)
        at += (size_t)snprintf(text + at, n - at, "%s%s", k ? "," : "", c->comm->mesh->name[k]);
    if (at < n)
        return text;
    fail(c, WF_ERR_VALUE, NOWHERE, "WF_GRAD_ALL: the names of the mesh's axes are too long");
    return NULL;
}

static bool differentiate(wf_ctx *c, bool forward, const wf_tensor *y, uint32_t ny,
                          const wf_tensor *x, uint32_t nx, const wf_tensor *seeds,
                          unsigned flags, wf_tensor *out)
{
    const char *what = forward ? "jvp" : "backward";
    Walk w = {.cx = c, .forward = forward, .ny = ny, .nx = nx};
    char axes[256];
    bool ok = false;

    if (failed(c) || !ts(c) || (flags & GRAD_ALL && !(w.all = all_axes(c, axes, sizeof axes))))
        return false;
    w.create = flags & GRAD_CREATE || c->tensors->recorders & ~(uint64_t)1;
    if (w.all && w.create)
        return fail(c, WF_ERR_ARG, NOWHERE, "WF_GRAD_ALL: gradients that are recorded are this process's alone");
    w.y = get_all(c, y, ny, what);
    w.x = get_all(c, x, nx, what);
    if (w.y && w.x && !failed(c))
        ok = derive(c, &w, seeds, flags, what, out);
    if (ok && c->tensors->nlayouts)
        layout_follow(c, forward ? w.y : w.x, forward ? ny : nx, out);
    if (w.y)
        mem_free(&c->al, w.y, (ny + 1) * sizeof *w.y);
    if (w.x)
        mem_free(&c->al, w.x, (nx + 1) * sizeof *w.x);
    return ok;
}

bool history_vjp(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, uint32_t ny,
                 const wf_tensor *x, uint32_t nx, unsigned flags, wf_tensor *out)
{
    return differentiate(c, false, y, ny, x, nx, gy, flags, out);
}

bool history_jvp(wf_ctx *c, const wf_tensor *y, uint32_t ny, const wf_tensor *x,
                 const wf_tensor *dx, uint32_t nx, unsigned flags, wf_tensor *out)
{
    return differentiate(c, true, y, ny, x, nx, dx, flags, out);
}
