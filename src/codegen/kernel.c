/* kernel.c -- a fused sub-program as a loop nest.
 *
 *   method   space.c says which loops. Every value becomes a node: arrays are loads with
 *            a stride for each loop, ops that move elements vanish into those strides.
 *            Loops that every access walks as one become one. A node is computed once,
 *            once a row or for each element, by what it depends on. A reduction over a
 *            row is known after a walk over it, and what depends on it needs another
 *            walk: its stage. What a later walk needs of an earlier one is computed again
 *            if that is cheap, else kept in a buffer as long as a row.
 */
#include "codegen/codegen.h"
#include "op/scalar.h"

typedef struct Maker {
    Kernel *k;
    Space *s;
    const Program *p;
    Arena *a;
    VEC(Node) nodes;
    uint32_t *node; /* of each value, + 1 */
    bool bad;       /* a stride cannot be computed */
} Maker;

/* ---- accesses ---------------------------------------------------------------------- */

static Dim mul_dims(Maker *m, Dim x, Dim y)
{
    int64_t r;

    if (x >= 0 && y >= 0) {
        if (!mul_i64(x, y, &r)) {
            m->bad = true;
            return 0;
        }
        return r;
    }
    return dim_mul(&m->s->dims, x, y);
}

static uint32_t loop_of(const Space *s, uint32_t leaf)
{
    for (uint32_t i = 0; i < s->nleaves; i++)
        if (s->leaves[i] == leaf)
            return i;
    return 0;
}

static Access new_access(Maker *m, uint32_t array)
{
    return (Access){array, 0, arena_zalloc(m->a, (m->s->nleaves + 2) * sizeof(Dim))};
}

/* A range of axes, outermost first, walked with this stride; gives that before it. */
static Dim walk_axes(Maker *m, Access *at, const uint32_t *axes, uint32_t n, Dim stride)
{
    uint32_t leaf[MAX_LEAVES], k = space_leaves(m->s, axes, n, leaf);

    while (k-- > 0) {
        at->stride[loop_of(m->s, leaf[k])] = stride;
        stride = mul_dims(m, stride, m->s->axes.v[leaf[k]].size);
    }
    return stride;
}

/* Array of value v, whose dims are walked by these axes. */
static Access dense_access(Maker *m, uint32_t array, Type t, const uint32_t *axes)
{
    Access at = new_access(m, array);
    Dim stride = 1;

    for (uint32_t d = t.rank; d-- > 0;) {
        if (axes[d])
            walk_axes(m, &at, &axes[d], 1, stride);
        stride = mul_dims(m, stride, space_dim(m->s, t.dims[d]));
    }
    return at;
}

static Access slice_access(Maker *m, uint32_t array, const Eqn *e, const uint32_t *axes)
{
    const SliceAttr *a = e->attr;
    Type t = val_type(m->p, eqn_in(m->p, e)[0]);
    Access at = new_access(m, array);
    Dim stride = 1;

    for (uint32_t d = t.rank; d-- > 0;) {
        Dim step = a->stride.n ? mul_dims(m, stride, a->stride.v[d]) : stride;
        Dim start = mul_dims(m, stride, space_dim(m->s, a->start.v[d]));

        at.offset = dim_add(&m->s->dims, at.offset, start);
        if (axes[d])
            walk_axes(m, &at, &axes[d], 1, step);
        stride = mul_dims(m, stride, space_dim(m->s, t.dims[d]));
    }
    return at;
}

/* ---- nodes ------------------------------------------------------------------------- */

static bool same_access(const Maker *m, const Access *x, const Access *y)
{
    return x->array == y->array && x->offset == y->offset &&
           !memcmp(x->stride, y->stride, m->s->nleaves * sizeof(Dim));
}

static uint32_t add_node(Maker *m, Node n)
{
    n.saved = -1;
    vec_push(m->a, &m->nodes, n);
    return m->nodes.n - 1;
}

static uint32_t add_load(Maker *m, Val v, Access at)
{
    for (uint32_t i = 0; i < m->nodes.n; i++)
        if (m->nodes.v[i].kind == NODE_LOAD && !m->nodes.v[i].nin && same_access(m, &m->nodes.v[i].at, &at))
            return i;
    return add_node(
        m, (Node){.kind = NODE_LOAD, .dtype = val_type(m->p, v).dtype, .at = at});
}

/* Operand i of an equation. */
static uint32_t operand(Maker *m, const SpaceEqn *se, uint32_t i)
{
    const Eqn *e = &m->p->eqns[se->eqn];
    Val x = eqn_in(m->p, e)[i];

    if (m->s->of[x])
        return m->node[x] - 1;
    if (e->op == OP_slice)
        return add_load(m, x, slice_access(m, x - 1, e, se->in[0]));
    if (!se->in[i]) /* reshape of an array */
        return add_load(m, x,
                        dense_access(m, x - 1, val_type(m->p, e->out), m->s->of[e->out]));
    return add_load(m, x, dense_access(m, x - 1, val_type(m->p, x), se->in[i]));
}

static uint32_t node_gather(Maker *m, const SpaceEqn *se)
{
    const Eqn *e = &m->p->eqns[se->eqn];
    const GatherAttr *a = e->attr;
    Val x = eqn_in(m->p, e)[0];
    Type t = val_type(m->p, x);
    const uint32_t *axes =
        m->s->of[e->out] + val_type(m->p, e->out).rank - (t.rank - 1u);
    Node n = {.kind = NODE_LOAD, .dtype = t.dtype, .nin = 1, .at = new_access(m, x - 1)};

    n.step = 1;
    for (uint32_t d = t.rank; d-- > 1;) {
        if (axes[d - 1])
            walk_axes(m, &n.at, &axes[d - 1], 1, n.step);
        n.step = mul_dims(m, n.step, t.dims[d]);
    }
    n.bound = t.dims[0];
    n.fill = a->mode == INDEX_FILL;
    if (n.fill)
        scalar_store((wf_dtype)t.dtype, &n.bits, 0,
                     scalar_cast(WF_F64, (wf_dtype)t.dtype, (Scalar){.f = a->fill}));
    n.in = arena_array(m->a, 1, sizeof *n.in);
    n.in[0] = operand(m, se, 1);
    return add_node(m, n);
}

static uint32_t node_free(Maker *m, const Eqn *e)
{
    Node n = {.dtype = val_type(m->p, e->out).dtype};

    if (e->op == OP_const) {
        const ConstAttr *a = e->attr;

        n.kind = NODE_CONST;
        memcpy(&n.bits, a->data->data, wf_dtype_size((wf_dtype)n.dtype));
    } else if (e->op == OP_iota) {
        const IotaAttr *a = e->attr;

        n.kind = NODE_IOTA;
        n.at = new_access(m, 0);
        if (m->s->of[e->out][a->axis])
            walk_axes(m, &n.at, &m->s->of[e->out][a->axis], 1, 1);
    } else {
        n.kind = NODE_DIM;
        n.dim = space_dim(m->s, ((const DimAttr *)e->attr)->dim);
    }
    return add_node(m, n);
}

/* The product's result: as if it lay in one array, until the loops are known. */
static uint32_t node_product(Maker *m, const Eqn *e)
{
    Type t = val_type(m->p, e->out);
    Access at = dense_access(m, m->p->nin + m->p->nout, t, m->s->of[e->out]);

    return add_node(m, (Node){.kind = NODE_LOAD, .dtype = t.dtype, .at = at});
}

static uint32_t node_map(Maker *m, const SpaceEqn *se)
{
    const Eqn *e = &m->p->eqns[se->eqn];
    Node n = {.kind = NODE_MAP, .op = e->op, .dtype = val_type(m->p, e->out).dtype};

    n.nin = (uint16_t)e->nin;
    n.nout = (uint8_t)e->nout;
    n.in = arena_array(m->a, e->nin + 1u, sizeof *n.in);
    for (uint32_t i = 0; i < e->nin; i++)
        n.in[i] = operand(m, se, i);
    return add_node(m, n);
}

static uint32_t node_result(Maker *m, const Eqn *e, uint32_t from, uint32_t which)
{
    Node n = {.kind = NODE_RESULT,
              .dtype = val_type(m->p, e->out + which).dtype,
              .nin = 1,
              .which = (uint8_t)which};

    n.in = arena_array(m->a, 1, sizeof *n.in);
    n.in[0] = from;
    return add_node(m, n);
}

static uint32_t node_reduce(Maker *m, const SpaceEqn *se)
{
    const Space *s = m->s;
    const Eqn *e = &m->p->eqns[se->eqn];
    Node n = {.kind = NODE_REDUCE, .dtype = val_type(m->p, e->out).dtype, .nin = 1};
    AxisSet all = s->row | s->col;

    n.in = arena_array(m->a, 1, sizeof *n.in);
    n.in[0] = operand(m, se, 0);
    if (!se->reduced)
        return n.in[0];
    n.op = op_row(e->op)->lower.combine;
    n.over = s->form == FORM_ROWS && se->reduced == s->col ? OVER_COLS
             : se->reduced == all || se->all == s->row     ? OVER_ALL
                                                           : OVER_ROWS;
    n.level = se->all == all ? LEVEL_EACH : LEVEL_ROW;
    return add_node(m, n);
}

static void make_node(Maker *m, const SpaceEqn *se)
{
    const Eqn *e = &m->p->eqns[se->eqn];
    uint32_t n;

    switch (fuse_kind(m->k->target, m->p, e)) {
    case FUSE_PRODUCT: n = node_product(m, e); break;
    case FUSE_FREE: n = node_free(m, e); break;
    case FUSE_INDEX: n = operand(m, se, 0); break;
    case FUSE_GATHER: n = node_gather(m, se); break;
    case FUSE_REDUCE: n = node_reduce(m, se); break;
    default: n = node_map(m, se); break;
    }
    for (uint32_t j = 0; j < e->nout; j++)
        m->node[e->out + j] = (e->nout > 1 ? node_result(m, e, n, j) : n) + 1;
}

static void make_outs(Maker *m)
{
    Kernel *k = m->k;

    k->outs = arena_array(m->a, m->p->nout + 1, sizeof *k->outs);
    for (uint32_t j = 0; j < m->p->nout; j++) {
        Val v = m->p->outs[j];

        k->outs[j] = (KernelOut){
            m->node[v] - 1,
            dense_access(m, m->p->nin + j, val_type(m->p, v), m->s->of[v]), false};
    }
}

/* ---- loops ------------------------------------------------------------------------- */

static Access *access_at(Maker *m, uint32_t i)
{
    Node *n;

    if (i >= m->nodes.n)
        return &m->k->outs[i - m->nodes.n].at;
    n = &m->nodes.v[i];
    return n->kind == NODE_LOAD || n->kind == NODE_IOTA ? &n->at : NULL;
}

/* Do all accesses walk loops i and i+1 as one? */
static bool loops_merge(Maker *m, uint32_t i)
{
    const NestLoop *l = m->k->loops;

    if (l[i].col != l[i + 1].col || l[i].tile != l[i + 1].tile)
        return false;
    for (uint32_t n = 0; n < m->nodes.n + m->p->nout; n++) {
        const Access *at = access_at(m, n);

        if (at && at->stride[i] != mul_dims(m, at->stride[i + 1], l[i + 1].size))
            return false;
    }
    return true;
}

static void merge_loops(Maker *m, uint32_t i)
{
    Kernel *k = m->k;
    uint32_t rest = k->nloops - i - 1;

    k->loops[i + 1].size = mul_dims(m, k->loops[i].size, k->loops[i + 1].size);
    memmove(k->loops + i, k->loops + i + 1, rest * sizeof *k->loops);
    for (uint32_t n = 0; n < m->nodes.n + m->p->nout; n++) {
        Access *at = access_at(m, n);

        if (at)
            memmove(at->stride + i, at->stride + i + 1, rest * sizeof *at->stride);
    }
    k->nloops--;
}

/* Behind a product: which loops are over its batch, its rows, its columns. They must be
 * those of its result, in that order. */
static void part_loops(Maker *m)
{
    Kernel *k = m->k;
    Type t = val_type(m->p, k->product->out);
    const uint32_t *axes = m->s->of[k->product->out];
    uint32_t nbatch, nrows, leaf[MAX_LEAVES];

    product_axes(m->p, k->product, &nbatch, &nrows);
    m->bad = m->bad || space_leaves(m->s, axes, t.rank, leaf) != k->nloops;
    for (uint32_t i = 0; i < k->nloops && !m->bad; i++) {
        uint32_t batch = space_leaves(m->s, axes, nbatch, leaf),
                 rows = space_leaves(m->s, axes, nbatch + nrows, leaf);

        space_leaves(m->s, axes, t.rank, leaf);
        m->bad = m->bad || leaf[i] != m->s->leaves[i];
        k->loops[i].tile = (uint8_t)(i < batch  ? TILE_BATCH
                                     : i < rows ? TILE_ROW
                                                : TILE_COL);
    }
}

/* The loops are known: columns must be one; the product is read where its piece is. */
static bool finish_product(Maker *m)
{
    Kernel *k = m->k;
    uint32_t last = k->nloops - 1;
    const Access *there = &m->nodes.v[m->node[k->product->out] - 1].at;

    if (k->form != FORM_MAP || k->loops[last].tile != TILE_COL ||
        there->stride[last] != 1 || (last && k->loops[last - 1].tile == TILE_COL) ||
        memcmp(there->stride, k->outs[0].at.stride, k->nloops * sizeof(Dim)))
        return false;
    memset(there->stride, 0, last * sizeof(Dim));
    if (product_is_apart(m->p, k->product))
        return true;
    k->outs[0].at = *there;
    return m->nodes.v[k->outs[0].node].dtype == val_type(m->p, k->product->out).dtype;
}

static void make_loops(Maker *m)
{
    Kernel *k = m->k;
    const Space *s = m->s;

    k->loops = arena_array(m->a, s->nleaves + 2, sizeof *k->loops);
    for (uint32_t i = 0; i < s->nleaves; i++) {
        const LoopAxis *x = &s->axes.v[s->leaves[i]];

        k->loops[i] = (NestLoop){x->size, s->col >> x->leaf & 1, TILE_BATCH};
    }
    k->nloops = s->nleaves;
    if (k->product)
        part_loops(m);
    for (uint32_t i = k->nloops; i-- > 1;)
        if (loops_merge(m, i - 1))
            merge_loops(m, i - 1);
    if (!k->nloops || (!k->loops[k->nloops - 1].col && k->form != FORM_MAP))
        k->loops[k->nloops++] = (NestLoop){1, true, TILE_COL};
    k->loops[k->nloops - 1].col = true;
    while (k->nrows < k->nloops && !k->loops[k->nrows].col)
        k->nrows++;
}

/* ---- levels and stages ------------------------------------------------------------- */

static uint8_t access_level(const Kernel *k, const Access *at)
{
    uint8_t level = LEVEL_ONCE;

    for (uint32_t i = 0; i < k->nloops; i++)
        if (at->stride[i])
            level = i < k->nrows ? LEVEL_ROW : LEVEL_EACH;
    return level;
}

/* The level at which others see the node. */
static uint8_t seen_level(const Node *n)
{
    return n->kind == NODE_REDUCE ? LEVEL_ROW : n->level;
}

static void find_levels(Kernel *k)
{
    for (uint32_t i = 0; i < k->nnodes; i++) {
        Node *n = &k->nodes[i];
        uint16_t stage = 0;

        if (n->kind == NODE_LOAD || n->kind == NODE_IOTA)
            n->level = access_level(k, &n->at);
        for (uint32_t j = 0; j < n->nin; j++) {
            const Node *x = &k->nodes[n->in[j]];

            if (n->kind != NODE_REDUCE)
                n->level = MAX(n->level, seen_level(x));
            stage = MAX(stage, x->stage);
        }
        n->stage = (uint16_t)(stage + (n->kind == NODE_REDUCE && n->over == OVER_COLS));
        k->nstages = MAX(k->nstages, n->stage + 1u);
    }
}

/* Which values of earlier walks are kept for later ones. */
static void find_saved(Kernel *k, Arena *a)
{
    double *again = arena_zalloc(a, (k->nnodes + 1) * sizeof *again);
    uint16_t *last = arena_zalloc(a, (k->nnodes + 1) * sizeof *last);

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        for (uint32_t j = 0; j < n->nin; j++)
            if (n->kind != NODE_REDUCE && n->level == LEVEL_EACH)
                last[n->in[j]] = MAX(last[n->in[j]], n->stage);
    }
    for (uint32_t i = 0; i < k->nnodes; i++) {
        Node *n = &k->nodes[i];

        if (n->level != LEVEL_EACH || n->kind == NODE_REDUCE)
            continue;
        again[i] = n->kind == NODE_MAP || n->kind == NODE_RESULT ? node_cost(n) : 0.5;
        for (uint32_t j = 0; j < n->nin; j++)
            again[i] += again[n->in[j]];
        if (last[i] > n->stage && again[i] > k->target->cheap_again) {
            n->saved = (int32_t)k->nsaved++;
            again[i] = 0.5;
        }
    }
}

static void find_cost(Kernel *k)
{
    bool f64 = false;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        f64 = f64 || n->dtype == WF_F64;
        k->parts = k->parts || node_is_part(n);
        if (n->level != LEVEL_EACH)
            continue;
        k->cost += node_cost(n);
        k->wide = k->wide || wf_dtype_size((wf_dtype)n->dtype) == 8;
    }
    k->wide = k->wide || f64;
}

/* ---- sizes ------------------------------------------------------------------------- */

static bool sum_kept(int64_t *total, int64_t n, size_t size)
{
    int64_t bytes;

    return mul_i64(n, (int64_t)size, &bytes) && bytes < INT64_MAX - 64 &&
           add_i64(*total, (bytes + 63) & ~(int64_t)63, total);
}

bool kernel_size(const Kernel *k, const int64_t *symvals, KernelSize *out)
{
    int64_t last = 1, block = k->target->block;

    *out = (KernelSize){.rows = 1, .cols = 1};
    for (uint32_t i = 0; i < k->nloops; i++) {
        int64_t n, *to = k->loops[i].col ? &out->cols : &out->rows;

        if (!dim_eval(&k->dims, k->loops[i].size, symvals, &n) || n < 0 ||
            !mul_i64(*to, n, to))
            return false;
        last = n;
    }
    out->units = out->rows;
    if (k->form == FORM_MAP && !k->product &&
        !mul_i64(out->rows, last / block + (last % block != 0), &out->units))
        return false;
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        size_t size = kept_size((wf_dtype)n->dtype);

        if (n->saved >= 0 && !sum_kept(&out->tmp_bytes, out->cols, size))
            return false;
        if (node_is_part(n) &&
            !sum_kept(&out->acc_bytes, n->over == OVER_ALL ? 1 : out->cols, size))
            return false;
    }
    return true;
}

/* ---- a kernel ---------------------------------------------------------------------- */

static bool has_scalar_loop(const Target *t, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (fuse_kind(t, p, &p->eqns[i]) == FUSE_SCALAR)
            return true;
    return false;
}

static bool make_nest(Maker *m, wf_ctx *cx)
{
    const Program *p = m->p;
    Kernel *k = m->k;
    uint32_t *eqns = arena_array(m->a, p->neqns + 1, sizeof *eqns);

    for (uint32_t i = 0; i < p->neqns; i++)
        eqns[i] = i;
    if (!space_make(m->s, cx, m->a, k->target, p, eqns, p->neqns, p->outs, p->nout))
        return false;
    k->form = m->s->form;
    k->product = product_of(k->target, p);
    for (uint32_t i = 0; i < p->neqns; i++)
        make_node(m, &m->s->eqns[i]);
    make_outs(m);
    make_loops(m);
    if (m->bad || (k->product && !finish_product(m)))
        return false;
    k->nodes = m->nodes.v;
    k->nnodes = m->nodes.n;
    find_levels(k);
    find_saved(k, m->a);
    find_cost(k);
    return !m->bad && !failed(cx);
}

static bool scalar_is_wide(const Program *p)
{
    for (Val v = 1; v < p->nvals; v++)
        if (wf_dtype_size((wf_dtype)val_type(p, v).dtype) == 8)
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (scalar_is_wide(p->subs[i]))
            return true;
    return false;
}

Kernel *kernel_new(Arena *a, const Target *t, const Program *p, bool exact)
{
    Kernel *k = arena_zalloc(a, sizeof *k);

    *k = (Kernel){.target = t, .p = p, .code = k, .part = "", .exact = exact};
    return k;
}

Kernel *kernel_make(wf_ctx *cx, Arena *a, const Target *t, const Program *p, bool exact,
                    uint32_t id)
{
    Kernel *k = kernel_new(a, t, p, exact);
    Maker m = {.k = k, .p = p, .a = a};

    k->id = id;
    k->scalar = has_scalar_loop(t, p);
    if (k->scalar) {
        k->wide = scalar_is_wide(p);
        kernel_plan_walks(k, a);
        return k;
    }
    m.s = arena_alloc(a, sizeof *m.s);
    m.node = arena_zalloc(a, (p->nvals + 1) * sizeof *m.node);
    if (!make_nest(&m, cx))
        return NULL;
    k->dims = m.s->dims;
    kernel_plan_walks(k, a);
    kernel_find_params(k, a);
    return k;
}
