/* space.c -- which loops does a set of equations need, and can one nest serve them all?
 *
 * Every dim of every value is an axis. Equations say which axes are the same: those of
 * the operands and the result of an elementwise op, those a broadcast or a transpose
 * passes on. A reshape says that two lists of axes, read outermost first, are the same
 * range: [784] and [28,28]; the longer axis is split. What is left unsplit are the
 * leaves: the loops. Dims of size 1 have no axis.
 *
 *   method   union-find over axes, which may have two parts; then the sets of leaves of
 *            every value, and what reductions make of them:
 *
 *                row x col                  loops outside, loops inside
 *                reduced over col           known after a walk over the row (FORM_ROWS)
 *                reduced over row, or all   known at the end: a result, read by nobody
 *                                           inside
 */
#include "codegen/codegen.h"

/* ---- what ops are ------------------------------------------------------------------ */

static bool is_splat_const(const Eqn *e)
{
    const ConstAttr *a = e->attr;

    return a->data->size == wf_dtype_size((wf_dtype)a->type.dtype);
}

static bool keeps_last_axis(const Eqn *e)
{
    const TransposeAttr *t = e->attr;

    return !t->perm.n || t->perm.v[t->perm.n - 1] == t->perm.n - 1;
}

static bool has_unit_strides(const Eqn *e)
{
    const SliceAttr *s = e->attr;

    return !s->stride.n || s->stride.v[s->stride.n - 1] == 1;
}

static bool all_scalars(const Program *p)
{
    for (Val v = 1; v < p->nvals; v++)
        if (val_type(p, v).rank || dtype_is_complex((wf_dtype)val_type(p, v).dtype))
            return false;
    return true;
}

/* Can all of p be straight code on scalars? */
static bool is_scalar_code(const Target *t, const Program *p)
{
    if (!all_scalars(p) || p->dims.syms.n || p->effects)
        return false;
    for (uint32_t i = 0; i < p->neqns; i++) {
        FuseKind kind = fuse_kind(t, p, &p->eqns[i]);

        if (kind == FUSE_NO || kind == FUSE_REDUCE || p->eqns[i].op == OP_dim ||
            p->eqns[i].nout > 1)
            return false;
    }
    return true;
}

/* Can the while be a loop of the kernel's own? */
static bool is_scalar_loop(const Target *t, const Program *p, const Eqn *e)
{
    const WhileAttr *a = e->attr;

    if (!target_forms(t, RENDER_WHILE) || a->trips != DIM_NONE || a->bound != DIM_NONE)
        return false;
    for (uint32_t i = 0; i < e->nin; i++)
        if (val_type(p, eqn_in(p, e)[i]).rank)
            return false;
    return e->nout == e->nin - (uint32_t)(a->ncond + a->nbody) &&
           is_scalar_code(t, a->cond.p) && is_scalar_code(t, a->body.p);
}

/* y[b.., o..] = x[i[b..], o..]: rows of x, long enough, none of them by a promise. */
static bool is_row_gather(const Target *t, const Program *p, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Type x = val_type(p, eqn_in(p, e)[0]), i = val_type(p, eqn_in(p, e)[1]),
         y = val_type(p, e->out);
    int64_t n = 1;

    if ((a->mode != INDEX_CLIP && a->mode != INDEX_FILL) || a->operand_batching.n ||
        x.rank < 2 || i.rank < 1 || i.rank + x.rank - 2u != y.rank ||
        i.dims[i.rank - 1] != 1 || x.dims[0] < 1 || a->collapsed.n != 1 ||
        a->collapsed.v[0] || a->start_index_map.n != 1 || a->start_index_map.v[0] ||
        a->offset_dims.n + 1 != x.rank || x.dtype == WF_BOOL || x.dtype == WF_F16 ||
        x.dtype == WF_BF16 || i.dtype == WF_U64)
        return false;
    for (uint32_t d = 1; d < x.rank; d++)
        if (a->slice_sizes.v[d] != x.dims[d] || x.dims[d] < 0 ||
            a->offset_dims.v[d - 1] != (int64_t)(i.rank + d - 2) ||
            !mul_i64(n, x.dims[d], &n))
            return false;
    return n >= t->gather_row;
}

FuseKind fuse_kind(const Target *t, const Program *p, const Eqn *e)
{
    if (eqn_is_odd(p, e))
        return FUSE_NO;
    switch (e->op) {
    case OP_const: return is_splat_const(e) && t->renders(t, p, e) ? FUSE_FREE : FUSE_NO;
    case OP_iota:
    case OP_dim: return t->renders(t, p, e) ? FUSE_FREE : FUSE_NO;
    case OP_broadcast:
    case OP_reshape: return FUSE_INDEX;
    case OP_transpose: return keeps_last_axis(e) ? FUSE_INDEX : FUSE_NO;
    case OP_slice: return has_unit_strides(e) ? FUSE_INDEX : FUSE_NO;
    case OP_gather:
        return is_row_gather(t, p, e) && t->renders(t, p, e) ? FUSE_GATHER : FUSE_NO;
    case OP_while: return is_scalar_loop(t, p, e) ? FUSE_SCALAR : FUSE_NO;
    case OP_dot_general:
    case OP_conv_general:
        return t->has_tiles && t->has_tiles(t, p, e) ? FUSE_PRODUCT : FUSE_NO;
    default: break;
    }
    switch (op_row(e->op)->lower.kind) {
    case LOWER_REDUCE: return t->renders(t, p, e) ? FUSE_REDUCE : FUSE_NO;
    case LOWER_MAP: return t->renders(t, p, e) ? FUSE_MAP : FUSE_NO;
    default: return FUSE_NO;
    }
}

/* ---- axes -------------------------------------------------------------------------- */

Dim space_dim(Space *s, Dim d)
{
    if (d >= 0)
        return d;
    if (s->memo[-d - 1] == DIM_NONE) {
        Dim *syms = arena_array(s->a, s->p->dims.syms.n + 1, sizeof *syms);

        for (uint32_t i = 0; i < s->p->dims.syms.n; i++)
            syms[i] = s->dims.syms.v[i].dim;
        s->memo[-d - 1] = dim_subst(&s->dims, &s->p->dims, d, syms);
    }
    return s->memo[-d - 1];
}

static uint32_t new_axis(Space *s, Dim size)
{
    uint32_t n = s->axes.n;

    if (size == 1)
        return 0;
    vec_push(s->a, &s->axes, ((LoopAxis){.size = size, .to = n}));
    return n;
}

static uint32_t find_axis(const Space *s, uint32_t a)
{
    while (s->axes.v[a].to != a)
        a = s->axes.v[a].to;
    return a;
}

/* Leaves of a list of axes, one after the other; axes may be split on the way. */
typedef struct Walk {
    uint32_t v[4 * MAX_LEAVES], n;
} Walk;

static bool walk_init(Walk *w, const uint32_t *axes, uint32_t rank)
{
    w->n = 0;
    if (rank > MAX_LEAVES)
        return false;
    for (uint32_t i = rank; i-- > 0;)
        if (axes[i])
            w->v[w->n++] = axes[i];
    return true;
}

/* 0: at the end, or too many. */
static uint32_t walk_next(const Space *s, Walk *w)
{
    while (w->n) {
        uint32_t a = find_axis(s, w->v[--w->n]);

        if (!s->axes.v[a].hi)
            return a;
        if (w->n + 2 > 4 * MAX_LEAVES)
            return 0;
        w->v[w->n++] = s->axes.v[a].lo;
        w->v[w->n++] = s->axes.v[a].hi;
    }
    return 0;
}

/* a, longer than b, is b and a rest, which the walk goes on with. */
static bool split_axis(Space *s, uint32_t a, uint32_t b, Walk *rest)
{
    Dim q;
    uint32_t lo;

    if (!dim_exact(&s->dims, s->axes.v[a].size, s->axes.v[b].size, &q))
        return false;
    lo = new_axis(s, q);
    if (!lo || rest->n == 4 * MAX_LEAVES)
        return false;
    s->axes.v[a].hi = b;
    s->axes.v[a].lo = lo;
    rest->v[rest->n++] = lo;
    return true;
}

static bool same_range(Space *s, const uint32_t *x, uint32_t nx, const uint32_t *y,
                       uint32_t ny)
{
    Walk wx, wy;

    if (!walk_init(&wx, x, nx) || !walk_init(&wy, y, ny))
        return false;
    for (;;) {
        uint32_t a = walk_next(s, &wx), b = walk_next(s, &wy);

        if (!a || !b)
            return !a && !b;
        if (a == b)
            continue;
        if (s->axes.v[a].size == s->axes.v[b].size)
            s->axes.v[b].to = a;
        else if (!split_axis(s, a, b, &wx) && !split_axis(s, b, a, &wy))
            return false;
    }
}

/* ---- equations --------------------------------------------------------------------- */

static uint32_t *new_axes(Space *s, Type t)
{
    uint32_t *v = arena_array(s->a, t.rank + 1u, sizeof *v);

    for (uint32_t i = 0; i < t.rank; i++)
        v[i] = new_axis(s, space_dim(s, t.dims[i]));
    return v;
}

/* The axes of operand x of a result with axes `out`, dim by dim: those it has are made the
 * same, one from outside takes them. NULL: impossible. */
static uint32_t *share_axes(Space *s, Val x, const uint32_t *out)
{
    uint32_t rank = val_type(s->p, x).rank;

    if (!s->of[x])
        return arena_dup(s->a, out, rank * sizeof *out);
    for (uint32_t i = 0; i < rank; i++)
        if (!same_range(s, &s->of[x][i], 1, &out[i], 1))
            return NULL;
    return s->of[x];
}

static bool place_map(Space *s, const Eqn *e, uint32_t **in)
{
    Type t = val_type(s->p, e->out);
    uint32_t *out = NULL;
    static uint32_t none[1];

    for (uint32_t i = 0; i < e->nin && !out; i++)
        if (val_type(s->p, eqn_in(s->p, e)[i]).rank == t.rank)
            out = s->of[eqn_in(s->p, e)[i]];
    if (!out)
        out = new_axes(s, t);
    for (uint32_t i = 0; i < e->nin; i++) {
        Val x = eqn_in(s->p, e)[i];

        in[i] = val_type(s->p, x).rank == t.rank ? share_axes(s, x, out) : none;
        if (!in[i])
            return false;
    }
    for (uint32_t j = 0; j < e->nout; j++)
        s->of[e->out + j] = out;
    return true;
}

static bool place_broadcast(Space *s, const Eqn *e, uint32_t **in)
{
    const BroadcastAttr *a = e->attr;
    Val x = eqn_in(s->p, e)[0];
    Type tx = val_type(s->p, x), ty = val_type(s->p, e->out);
    uint32_t *out = new_axes(s, ty),
             *mine = arena_array(s->a, tx.rank + 1u, sizeof *mine);

    for (uint32_t i = 0; i < tx.rank; i++) {
        uint32_t *to = &out[a->dims.v[i]];

        mine[i] = tx.dims[i] == ty.dims[a->dims.v[i]] ? *to : 0;
        if (mine[i] && s->of[x])
            *to = mine[i] = s->of[x][i];
    }
    in[0] = s->of[x] ? s->of[x] : mine;
    s->of[e->out] = out;
    return true;
}

static bool place_transpose(Space *s, const Eqn *e, uint32_t **in)
{
    const TransposeAttr *a = e->attr;
    Val x = eqn_in(s->p, e)[0];
    uint32_t *out = arena_array(s->a, a->perm.n + 1, sizeof *out);

    in[0] = s->of[x] ? s->of[x] : new_axes(s, val_type(s->p, x));
    for (uint32_t i = 0; i < a->perm.n; i++)
        out[i] = in[0][a->perm.v[i]];
    s->of[e->out] = out;
    return true;
}

/* An array from outside is row-major: a reshape of it is the same array. */
static bool place_reshape(Space *s, const Eqn *e, uint32_t **in)
{
    Val x = eqn_in(s->p, e)[0];
    Type t = val_type(s->p, e->out);

    s->of[e->out] = new_axes(s, t);
    in[0] = s->of[x];
    return !in[0] || same_range(s, in[0], val_type(s->p, x).rank, s->of[e->out], t.rank);
}

static bool place_slice(Space *s, const Eqn *e, uint32_t **in)
{
    if (s->of[eqn_in(s->p, e)[0]])
        return false;
    in[0] = s->of[e->out] = new_axes(s, val_type(s->p, e->out));
    return true;
}

/* Rows of an array from outside; the numbers have the outer axes of the result. */
static bool place_gather(Space *s, const Eqn *e, uint32_t **in)
{
    const Val *v = eqn_in(s->p, e);
    uint32_t rank = val_type(s->p, v[1]).rank, *out = new_axes(s, val_type(s->p, e->out)),
             *mine = arena_zalloc(s->a, (rank + 1) * sizeof *mine);

    if (s->of[v[0]])
        return false;
    for (uint32_t k = 0; k + 1 < rank; k++) {
        mine[k] = out[k];
        if (s->of[v[1]] && !same_range(s, &s->of[v[1]][k], 1, &out[k], 1))
            return false;
    }
    in[1] = s->of[v[1]] ? s->of[v[1]] : mine;
    s->of[e->out] = out;
    return true;
}

static bool place_reduce(Space *s, const Eqn *e, uint32_t **in)
{
    const ReduceAttr *a = e->attr;
    Val x = eqn_in(s->p, e)[0];
    uint32_t rank = val_type(s->p, x).rank, n = 0, k = 0;
    uint32_t *out = arena_array(s->a, rank + 1, sizeof *out);

    in[0] = s->of[x] ? s->of[x] : new_axes(s, val_type(s->p, x));
    for (uint32_t i = 0; i < rank; i++)
        if (k < a->axes.n && a->axes.v[k] == (int64_t)i)
            k++;
        else
            out[n++] = in[0][i];
    s->of[e->out] = out;
    return true;
}

static bool place_scalars(Space *s, const Eqn *e, uint32_t **in)
{
    static uint32_t none[1];

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = none;
    for (uint32_t j = 0; j < e->nout; j++)
        s->of[e->out + j] = none;
    return true;
}

static bool place_eqn(Space *s, SpaceEqn *se)
{
    const Eqn *e = &s->p->eqns[se->eqn];
    uint32_t **in = arena_zalloc(s->a, (e->nin + 1u) * sizeof *in);

    se->in = in;
    switch (fuse_kind(s->target, s->p, e)) {
    case FUSE_PRODUCT: /* its operands are no matter of the loops */
    case FUSE_FREE: s->of[e->out] = new_axes(s, val_type(s->p, e->out)); return true;
    case FUSE_MAP: return place_map(s, e, in);
    case FUSE_GATHER: return place_gather(s, e, in);
    case FUSE_REDUCE: return place_reduce(s, e, in);
    case FUSE_SCALAR: return place_scalars(s, e, in);
    case FUSE_INDEX: break;
    default: return false;
    }
    switch (e->op) {
    case OP_broadcast: return place_broadcast(s, e, in);
    case OP_transpose: return place_transpose(s, e, in);
    case OP_slice: return place_slice(s, e, in);
    default: return place_reshape(s, e, in);
    }
}

/* ---- leaves ------------------------------------------------------------------------ */

uint32_t space_leaves(const Space *s, const uint32_t *axes, uint32_t rank, uint32_t *out)
{
    Walk w;
    uint32_t n = 0, a;

    if (!axes || !walk_init(&w, axes, rank))
        return 0;
    while (n < MAX_LEAVES && (a = walk_next(s, &w)))
        out[n++] = a;
    return n;
}

AxisSet space_set(const Space *s, const uint32_t *axes, uint32_t rank)
{
    uint32_t leaf[MAX_LEAVES], n = space_leaves(s, axes, rank, leaf);
    AxisSet set = 0;

    for (uint32_t i = 0; i < n; i++)
        set |= (AxisSet)1 << s->axes.v[leaf[i]].leaf;
    return set;
}

/* Numbers the leaves of a value; false: too many, or one twice (a diagonal). */
static bool number_leaves(Space *s, const uint32_t *axes, uint32_t rank, uint32_t *n,
                          AxisSet *out)
{
    uint32_t leaf[MAX_LEAVES], k = space_leaves(s, axes, rank, leaf);

    *out = 0;
    for (uint32_t i = 0; i < k; i++) {
        LoopAxis *a = &s->axes.v[leaf[i]];

        if (a->leaf == UINT32_MAX) {
            if (*n == MAX_LEAVES)
                return false;
            a->leaf = (*n)++;
        }
        if (*out >> a->leaf & 1)
            return false;
        *out |= (AxisSet)1 << a->leaf;
    }
    return true;
}

/* ---- loops of the same size -------------------------------------------------------- */

typedef struct Leaves {
    uint32_t v[MAX_LEAVES], n;
} Leaves;

static bool has_leaf(const Leaves *x, uint32_t leaf)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->v[i] == leaf)
            return true;
    return false;
}

/* Equal sizes in the same order, and no leaf of one in another place of the other? */
static bool could_be_same(const Space *s, const Leaves *x, const Leaves *y)
{
    if (x->n != y->n)
        return false;
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->v[i] == y->v[i])
            continue;
        if (s->axes.v[x->v[i]].size != s->axes.v[y->v[i]].size || has_leaf(x, y->v[i]) ||
            has_leaf(y, x->v[i]))
            return false;
    }
    return true;
}

/* The leaves of operand or result i of equation k. */
static void leaves_at(const Space *s, uint32_t k, uint32_t i, Leaves *out)
{
    const Eqn *e = &s->p->eqns[s->eqns[k].eqn];
    Val v = i < e->nin ? eqn_in(s->p, e)[i] : e->out + i - e->nin;
    const uint32_t *axes = i < e->nin ? s->eqns[k].in[i] : s->of[v];

    out->n = space_leaves(s, axes, val_type(s->p, v).rank, out->v);
}

/* Which loop a reduction runs over, or a row is spread along, is ours to choose: values of
 * the shape that has most loops take the loops of the last of them. */
static void share_loops(Space *s)
{
    Leaves most = {.n = 0}, x;

    for (int round = 0; round < 2; round++)
        for (uint32_t k = s->neqns; k-- > 0;) {
            const Eqn *e = &s->p->eqns[s->eqns[k].eqn];

            for (uint32_t i = e->nin + e->nout; i-- > 0;) {
                leaves_at(s, k, i, &x);
                if (!round && x.n > most.n)
                    most = x;
                else if (round && could_be_same(s, &most, &x))
                    for (uint32_t l = 0; l < x.n; l++)
                        s->axes.v[x.v[l]].to = most.v[l];
            }
        }
}

/* ---- the form ---------------------------------------------------------------------- */

typedef struct Shaper {
    Space *s;
    AxisSet all;
    const uint32_t *order; /* axes of a value that has them all */
    uint32_t order_rank;
    bool *inside; /* values read by an equation of the set */
} Shaper;

static bool is_reduce(const Space *s, const SpaceEqn *se)
{
    return fuse_kind(s->target, s->p, &s->p->eqns[se->eqn]) == FUSE_REDUCE;
}

static bool gather_leaves(Shaper *h)
{
    Space *s = h->s;
    uint32_t n = 0;
    AxisSet set;

    for (uint32_t i = 0; i < s->axes.n; i++)
        s->axes.v[i].leaf = UINT32_MAX;
    for (int round = 0; round < 2; round++)
        for (uint32_t k = 0; k < s->neqns; k++) {
            const Eqn *e = &s->p->eqns[s->eqns[k].eqn];

            for (uint32_t i = 0; i < e->nin + e->nout; i++) {
                Val v = i < e->nin ? eqn_in(s->p, e)[i] : e->out + i - e->nin;
                const uint32_t *axes = i < e->nin ? s->eqns[k].in[i] : s->of[v];

                if (!axes) /* reshape of an array from outside */
                    continue;
                if (!number_leaves(s, axes, val_type(s->p, v).rank, &n, &set))
                    return false;
                h->all |= set;
                if (set == h->all && (i >= e->nin || is_reduce(s, &s->eqns[k]))) {
                    h->order = axes;
                    h->order_rank = val_type(s->p, v).rank;
                }
                if (i < e->nin)
                    h->inside[v] = true;
            }
        }
    return h->order && space_set(s, h->order, h->order_rank) == h->all;
}

static void find_reduced(Space *s, SpaceEqn *se)
{
    const Eqn *e = &s->p->eqns[se->eqn];
    const ReduceAttr *a = e->attr;

    se->all = space_set(s, se->in[0], val_type(s->p, eqn_in(s->p, e)[0]).rank);
    se->reduced = 0;
    for (uint32_t k = 0; k < a->axes.n; k++)
        se->reduced |= space_set(s, &se->in[0][a->axes.v[k]], 1);
}

static bool reduces_last(const Space *s, const SpaceEqn *se)
{
    const Eqn *e = &s->p->eqns[se->eqn];
    uint32_t leaf[MAX_LEAVES];
    uint32_t n =
        space_leaves(s, se->in[0], val_type(s->p, eqn_in(s->p, e)[0]).rank, leaf);

    return n && se->reduced >> s->axes.v[leaf[n - 1]].leaf & 1;
}

/* Which reductions are over rows, over columns: all must agree. */
static bool find_form(Shaper *h)
{
    Space *s = h->s;
    AxisSet rows = 0, cols = 0;
    bool whole = false, other = false;

    for (uint32_t k = 0; k < s->neqns; k++) {
        SpaceEqn *se = &s->eqns[k];

        if (!is_reduce(s, se))
            continue;
        find_reduced(s, se);
        if (!se->reduced)
            continue;
        if (se->reduced == h->all) {
            whole = whole || h->inside[s->p->eqns[se->eqn].out];
        } else if (se->all != h->all) {
            other = true;
        } else if (reduces_last(s, se)) {
            if (cols && cols != se->reduced)
                return false;
            cols = se->reduced;
        } else {
            if (rows && rows != se->reduced)
                return false;
            rows = se->reduced;
        }
    }
    if (whole) {
        if (rows || cols || other)
            return false;
        cols = h->all;
    }
    if (rows && cols && (rows | cols) != h->all)
        return false;
    s->form = cols ? FORM_ROWS : rows ? FORM_COLS : FORM_MAP;
    s->col = cols ? cols : rows ? h->all & ~rows : 0;
    s->row = h->all & ~s->col;
    return !other || s->form != FORM_MAP;
}

/* The loops in order: row before col, each as in the value that has them all. */
static void order_leaves(Shaper *h)
{
    Space *s = h->s;
    uint32_t leaf[MAX_LEAVES], n = space_leaves(s, h->order, h->order_rank, leaf);

    s->leaves = arena_array(s->a, n + 1, sizeof *s->leaves);
    s->nleaves = 0;
    for (int part = 0; part < 2; part++)
        for (uint32_t i = 0; i < n; i++)
            if ((s->col >> s->axes.v[leaf[i]].leaf & 1) == (unsigned)part)
                s->leaves[s->nleaves++] = leaf[i];
}

/* Does a set miss only inner loops? Then it is computed once for many. */
static bool is_outer(const Space *s, AxisSet set)
{
    bool missed = false;

    for (uint32_t i = 0; i < s->nleaves; i++) {
        bool has = set >> s->axes.v[s->leaves[i]].leaf & 1;

        if (has && missed)
            return false;
        missed = missed || !has;
    }
    return true;
}

static bool check_eqn(const Shaper *h, const SpaceEqn *se)
{
    const Space *s = h->s;
    const Eqn *e = &s->p->eqns[se->eqn];
    FuseKind kind = fuse_kind(s->target, s->p, e);
    Type t = e->nout ? val_type(s->p, e->out) : (Type){0};
    AxisSet set = e->nout ? space_set(s, s->of[e->out], t.rank) : 0;

    if (kind == FUSE_SCALAR)
        return !h->all;
    if (kind == FUSE_REDUCE && se->reduced) {
        if (se->reduced == s->col && se->all == h->all && s->form == FORM_ROWS)
            return true;
        if (h->inside[e->out])
            return false;
        return se->reduced == h->all || (se->reduced == s->row && se->all == h->all) ||
               (se->reduced == s->row && se->all == s->row && s->form != FORM_MAP);
    }
    if (kind == FUSE_GATHER && !is_outer(s, set))
        return false;
    if (kind == FUSE_MAP && set != h->all && set && !is_outer(s, set))
        return op_cost(e->op, (wf_dtype)t.dtype) < s->target->cheap_each;
    return true;
}

static bool check_out(const Shaper *h, Val v)
{
    const Space *s = h->s;
    AxisSet set = space_set(s, s->of[v], val_type(s->p, v).rank);

    for (uint32_t k = 0; k < s->neqns; k++)
        if (s->p->eqns[s->eqns[k].eqn].out == v && is_reduce(s, &s->eqns[k]) &&
            s->eqns[k].reduced && !(s->form == FORM_ROWS && s->eqns[k].reduced == s->col))
            return true;
    return set == h->all || (s->form != FORM_MAP && set == s->row);
}

/* ---- all of it --------------------------------------------------------------------- */

static void init_space(Space *s, wf_ctx *cx, Arena *a, const Target *t, const Program *p)
{
    *s = (Space){.cx = cx, .a = a, .target = t, .p = p};
    dims_init(&s->dims, cx, a);
    for (uint32_t i = 0; i < p->dims.syms.n; i++) /* names of a program end here: C is made of this */
        dim_symbol(&s->dims, arena_printf(a, "n%u", i), (SymOrigin)p->dims.syms.v[i].origin);
    s->memo = arena_array(a, p->dims.nodes.n + 1, sizeof *s->memo);
    for (uint32_t i = 0; i < p->dims.nodes.n; i++)
        s->memo[i] = DIM_NONE;
    s->of = arena_zalloc(a, (p->nvals + 1) * sizeof *s->of);
    vec_push(a, &s->axes, ((LoopAxis){.size = 1})); /* 0: none */
}

bool space_slice_fits(wf_ctx *cx, Arena *a, const Program *p, const Eqn *e)
{
    const SliceAttr *at = e->attr;
    Type t = val_type(p, eqn_in(p, e)[0]);
    Space s;

    init_space(&s, cx, a, NULL, p);
    for (uint32_t i = 0; i < t.rank; i++) {
        Dim start = space_dim(&s, at->start.v[i]), limit = space_dim(&s, at->limit.v[i]);

        if (!dim_known_ge(&s.dims, start, 0) || !dim_known_ge(&s.dims, limit, start) ||
            !dim_known_ge(&s.dims, space_dim(&s, t.dims[i]), limit))
            return false;
    }
    return true;
}

/* Has the target code of the form? */
static bool has_form(const Space *s)
{
    static const unsigned forms[] = {
        [FORM_MAP] = RENDER_MAP, [FORM_ROWS] = RENDER_ROWS, [FORM_COLS] = RENDER_COLS};

    return target_forms(s->target, forms[s->form]);
}

bool space_make(Space *s, wf_ctx *cx, Arena *a, const Target *t, const Program *p,
                const uint32_t *eqns, uint32_t neqns, const Val *outs, uint32_t nouts)
{
    Shaper h = {.s = s};

    init_space(s, cx, a, t, p);
    h.inside = arena_zalloc(a, p->nvals + 1);
    s->eqns = arena_zalloc(a, (neqns + 1) * sizeof *s->eqns);
    s->neqns = neqns;
    for (uint32_t k = 0; k < neqns; k++) {
        s->eqns[k].eqn = eqns[k];
        if (!place_eqn(s, &s->eqns[k]))
            return false;
    }
    share_loops(s);
    if (!gather_leaves(&h) || !find_form(&h) || !has_form(s))
        return false;
    order_leaves(&h);
    for (uint32_t k = 0; k < neqns; k++)
        if (!check_eqn(&h, &s->eqns[k]))
            return false;
    for (uint32_t j = 0; j < nouts; j++)
        if (!s->of[outs[j]] || !check_out(&h, outs[j]))
            return false;
    return true;
}
