/* op_cond.c -- cond: one of several branches, all given the same operands.
 *
 * jvp, transpose and batch with an index for all rows transform each branch; what one
 * branch has (a tangent, a cotangent, a batch axis) all must have, so each branch is
 * transformed twice at most.
 *
 * partition with a known index runs known branches that return, besides their results,
 * residuals for rest. Each branch has its own; they share slots of equal type, and a
 * branch fills slots it does not use with zeros.
 *
 * batch with an index for each row: every branch is run on all rows and the results are
 * selected. Computing a branch on operands that would not take it could make infinities,
 * whose zero cotangents become NaN, or loop for ever. So a branch sees, in the rows that
 * do not take it, the operands of the first row that does; if there is none, it is not
 * run (a cond on any). Every row then computes what some row rightfully computes:
 * results, derivatives and loops inside end as they do without vmap. Branches with
 * effects are run row by row instead.
 */
#include "op/control.h"

static const CondAttr *attr_of(const EqnView *e) { return e->attr; }

/* Goes through the branches until each was transformed with all flags that any of them
 * raised. */
typedef struct Again {
    uint32_t k, n;
    bool started;
    uint32_t *has; /* how many flags branch k has, + 1 */
} Again;

static Again again_begin(Builder *b, uint32_t n)
{
    return (Again){n - 1, n, false, NEW(b, n, uint32_t)};
}

/* flags: how many are raised now, those of the branch just transformed included. */
static bool again_next(Again *g, uint32_t flags)
{
    if (g->started)
        g->has[g->k] = flags + 1;
    g->started = true;
    for (uint32_t i = 0; i < g->n; i++) {
        g->k = (g->k + 1) % g->n;
        if (g->has[g->k] != flags + 1)
            return true;
    }
    return false;
}

static void join_flags(bool *all, const bool *more, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        all[i] |= more[i];
}

/* ---- type, eval ---- */

static bool check_same(TypeRule *t, uint32_t k, const Type *first, const Type *out,
                       uint32_t nout)
{
    for (uint32_t j = 0; j < nout; j++)
        if (!type_eq(first[j], out[j]))
            return type_fail(t,
                             first[j].dtype == out[j].dtype ? WF_ERR_SHAPE : WF_ERR_TYPE,
                             "result %u is %s in branch 0, but %s in branch %u", j,
                             type_show(t, first[j]), type_show(t, out[j]), k);
    return true;
}

static bool type_cond(TypeRule *t)
{
    CondAttr *a = t->attr;
    Sub *branches =
        arena_dup(&t->b->arena, a->branches.v, a->branches.n * sizeof *branches);
    Type *first = NULL;
    uint32_t nout = 0;

    if (t->nin < 1 || t->in[0].rank != 0 ||
        (t->in[0].dtype != WF_BOOL && t->in[0].dtype != WF_I32))
        return type_fail(t, WF_ERR_TYPE, "the index is %s, needs bool[] or i32[]",
                         t->nin ? type_show(t, t->in[0]) : "missing");
    if (a->branches.n == 0)
        return type_fail(t, WF_ERR_VALUE, "has no branches, needs at least one");
    for (uint32_t k = 0; k < a->branches.n; k++) {
        Type *out = NEW(t->b, branches[k].p ? branches[k].p->nout : 0, Type);
        if (!sub_bind(t, &branches[k], "branch", t->in + 1, t->nin - 1, out))
            return false;
        if (k == 0) {
            first = out;
            nout = branches[0].p->nout;
        }
        if (branches[k].p->nout != nout)
            return type_fail(t, WF_ERR_TYPE, "branch %u has %u results, branch 0 has %u",
                             k, branches[k].p->nout, nout);
        if (!check_same(t, k, first, out, nout))
            return false;
    }
    a->branches.v = branches;
    for (uint32_t j = 0; j < nout; j++)
        type_out_like(t, first[j]);
    return true;
}

static uint32_t clamp_index(wf_dtype dtype, const void *p, uint32_t n)
{
    int32_t i;

    if (dtype == WF_BOOL)
        i = *(const uint8_t *)p != 0;
    else
        memcpy(&i, p, sizeof i);
    return i < 0 ? 0 : MIN((uint32_t)i, n - 1);
}

static bool eval_cond(Eval *e)
{
    const CondAttr *a = e->attr;

    return eval_sub(
        e, &a->branches.v[clamp_index(e->in[0].dtype, e->in[0].data, a->branches.n)],
        e->in + 1, e->out);
}

static bool fold_cond(Builder *b, const EqnView *e, Val *out)
{
    const CondAttr *a = attr_of(e);
    const void *index;

    if (!b_splat(b, e->in[0], &index))
        return false;
    return b_inline_sub(
        b,
        &a->branches.v[clamp_index((wf_dtype)e->in_type[0].dtype, index, a->branches.n)],
        e->in + 1, out, NULL);
}

/* ---- jvp:  y.., dy.. = cond(i, x.., dx..) of the branches' jvp ---- */

static void jvp_cond(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const CondAttr *a = attr_of(e);
    uint32_t n = a->branches.n, nin = e->nin - 1;
    Sub *branches = NEW(b, n, Sub);
    bool *in_nz = NEW(b, nin, bool), *nz = NEW(b, e->nout, bool),
         *all = NEW(b, e->nout, bool);
    Val *in = NEW(b, 2 * e->nin, Val), *out;

    nonzero_of(dx + 1, nin, in_nz);
    for (Again g = again_begin(b, n); again_next(&g, count_true(all, e->nout));) {
        const Program *p = xf_jvp(b->cx, a->branches.v[g.k].p, in_nz, all, nz);
        if (!p)
            return;
        join_flags(all, nz, e->nout);
        branches[g.k] = sub_like(b, &a->branches.v[g.k], p);
    }
    in[0] = e->in[0];
    n = 1 + join_nonzero(e->in + 1, nin, dx + 1, in + 1);
    out = b_eqn_n(b, OP_cond, in, n, &(CondAttr){{a->branches.n, branches}}, &n);
    if (b_failed(b))
        return;
    memcpy(dy + e->nout, out, e->nout * sizeof *out);
    op_spread(out + e->nout, all, e->nout, dy);
}

/* ---- transpose:  gx.. = cond(i, other x.., gy..) of the branches' transposes ---- */

static void transpose_cond(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const CondAttr *a = attr_of(e);
    uint32_t nbranch = a->branches.n, nin = e->nin - 1, n = 1;
    Sub *branches = NEW(b, nbranch, Sub);
    bool *linear = NEW(b, nin, bool), *nz = NEW(b, nin, bool), *all = NEW(b, nin, bool);
    bool *out_nz = NEW(b, e->nout, bool);
    Val *in = NEW(b, e->nin + e->nout, Val), *out;

    in[0] = e->in[0];
    for (uint32_t i = 0; i < nin; i++) {
        linear[i] = e->in[i + 1] == VAL_NONE;
        if (!linear[i])
            in[n++] = e->in[i + 1];
    }
    for (uint32_t j = 0; j < e->nout; j++) {
        out_nz[j] = gy[j] != VAL_NONE;
        if (out_nz[j])
            in[n++] = gy[j];
    }
    for (Again g = again_begin(b, nbranch); again_next(&g, count_true(all, nin));) {
        const Program *p =
            xf_transpose(b->cx, a->branches.v[g.k].p, linear, out_nz, all, nz);
        if (!p)
            return;
        join_flags(all, nz, nin);
        branches[g.k] = sub_like(b, &a->branches.v[g.k], p);
    }
    out = b_eqn_n(b, OP_cond, in, n, &(CondAttr){{nbranch, branches}}, &n);
    if (!b_failed(b))
        op_spread(out, all, nin, gx + 1);
}

/* ---- batch, one index for all rows ---- */

static void batch_plain(Builder *b, const EqnView *e, const Batch *bt, Val index,
                        Val *out, int *out_axis)
{
    const CondAttr *a = attr_of(e);
    Sub *branches = NEW(b, a->branches.n, Sub);
    bool *all = NEW(b, e->nout, bool);
    int *axis = NEW(b, e->nout, int);
    Val *in = arena_dup(&b->arena, e->in, e->nin * sizeof *in);

    for (Again g = again_begin(b, a->branches.n);
         again_next(&g, count_true(all, e->nout));) {
        branches[g.k] = op_sub_batch(b, &a->branches.v[g.k], bt, bt->axis + 1, all, axis);
        if (!branches[g.k].p)
            return;
        for (uint32_t j = 0; j < e->nout; j++)
            all[j] |= axis[j] >= 0;
    }
    in[0] = index;
    b_eqn(b, OP_cond, in, e->nin, &(CondAttr){{a->branches.n, branches}}, out, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = all[j] ? 0 : -1;
}

/* ---- batch, an index for each row ---- */

/* mask[B] along the first axis of a value of type t */
static Val mask_like(Builder *b, Val mask, Type t)
{
    return b_broadcast(b, mask, t.dims, t.rank, (const int64_t[]){0});
}

/* The row of x that `first` marks, as a value without the batch axis. */
static Val marked_row(Builder *b, Val first, Val x)
{
    Type t = b_type(b, x);
    Val none = b_zeros(b, t), only = b_select(b, mask_like(b, first, t), x, none);

    return b_reduce_axis(b, t.dtype == WF_BOOL ? OP_reduce_or : OP_reduce_sum, only, 0);
}

/* x where mask, elsewhere the first row that has it */
static Val masked_operand(Builder *b, Val mask, Val first, Val x, Dim size)
{
    Val row = b_broadcast_axis(b, marked_row(b, first, x), 0, size);

    return b_select(b, mask_like(b, mask, b_type(b, x)), x, row);
}

/* The branch on masked operands: (mask, x..) -> y.., all batched in front. */
static Sub taken_branch(Builder *b, const EqnView *e, const Batch *bt, const Sub *branch,
                        const Val *in, Val mask, const int *axis)
{
    uint32_t nin = e->nin - 1;
    Val *x = NEW(b, nin, Val), *y = NEW(b, e->nout, Val), m, first;
    bool *all = NEW(b, e->nout, bool);
    int *out_axis = NEW(b, e->nout, int);
    Sub s;
    Nest n;

    memset(all, 1, e->nout);
    s = op_sub_batch(b, branch, bt, axis, all, out_axis);
    if (!s.p)
        return s;
    nest_begin(&n, b, branch->p->name, e->place);
    Dim size = nest_dim(&n, bt->size);
    m = nest_input(&n, b_type(b, mask), "mask");
    for (uint32_t i = 0; i < nin; i++)
        x[i] = nest_input(&n, b_type(b, in[i + 1]), input_name(branch->p, i));
    first = b_cumsum(n.b, b_cast(n.b, m, WF_I64), 0,
                     false); /* 1 from the first row taken to the second */
    first = b_and(n.b, m, b_eq(n.b, first, b_one_like(n.b, first)));
    for (uint32_t i = 0; i < nin; i++)
        if (axis[i] >= 0)
            x[i] = masked_operand(n.b, m, first, x[i], size);
    if (!nest_inline(&n, &s, x, y))
        return (Sub){0};
    return nest_end(&n, y, e->nout);
}

/* (mask, x..) -> zeros of the batched result types */
static Sub zero_branch(Builder *b, const EqnView *e, const Batch *bt, const Val *in,
                       Val mask)
{
    Val *y = NEW(b, e->nout, Val);
    Nest n;

    nest_begin(&n, b, "zeros", e->place);
    nest_input(&n, b_type(b, mask), NULL);
    for (uint32_t i = 1; i < e->nin; i++)
        nest_input(&n, b_type(b, in[i]), NULL);
    for (uint32_t j = 0; j < e->nout; j++)
        y[j] = b_zeros(n.b, nest_type(&n, stack_type(b, e->out_type[j], bt->size)));
    return nest_end(&n, y, e->nout);
}

/* Does it compute nothing from its operands? Then it can run on any. */
static bool is_trivial(const Program *p) { return p->nargs == 0; }

static bool run_branch(Builder *b, const EqnView *e, const Batch *bt, const Sub *branch,
                       Val *in, Val mask, const int *axis, Val *out)
{
    bool *all = NEW(b, e->nout, bool);
    int *out_axis = NEW(b, e->nout, int);
    Sub two[2];
    Val any;

    if (is_trivial(branch->p)) {
        memset(all, 1, e->nout);
        two[0] = op_sub_batch(b, branch, bt, axis, all, out_axis);
        return two[0].p && b_inline_sub(b, &two[0], in + 1, out, NULL);
    }
    two[0] = zero_branch(b, e, bt, in, mask);
    two[1] = taken_branch(b, e, bt, branch, in, mask, axis);
    if (!two[0].p || !two[1].p)
        return false;
    any = b_reduce_axis(b, OP_reduce_or, mask, 0);
    Val *args = NEW(b, e->nin + 1, Val);
    args[0] = any;
    args[1] = mask;
    memcpy(args + 2, in + 1, (e->nin - 1) * sizeof *args);
    b_eqn(b, OP_cond, args, e->nin + 1, &(CondAttr){{2, two}}, out, e->nout);
    return !b_failed(b);
}

/* Which rows take branch k? */
static Val branch_mask(Builder *b, Val index, uint32_t k, uint32_t n)
{
    Type t = b_type(b, index);

    if (t.dtype == WF_BOOL)
        return k == 0 ? b_not(b, index) : index; /* more than two: never taken */
    if (k == 0)
        return b_le(b, index, b_zeros(b, t));
    if (k == n - 1)
        return b_ge(b, index, b_full(b, t, (double)k));
    return b_eq(b, index, b_full(b, t, (double)k));
}

static void batch_rows(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    const CondAttr *a = attr_of(e);
    uint32_t n = a->branches.n;
    Val *in = NEW(b, e->nin, Val), *y = NEW(b, e->nout, Val);
    int *axis = NEW(b, e->nin, int);

    if (b_dtype(b, e->in[0]) == WF_BOOL)
        n = MIN(n, 2);
    batch_front(b, e, bt, false, in);
    for (uint32_t i = 1; i < e->nin; i++)
        axis[i - 1] = bt->axis[i] < 0 ? -1 : 0;
    for (uint32_t k = 0; k < n && !b_failed(b); k++) {
        Val mask = branch_mask(b, in[0], k, n);
        if (!run_branch(b, e, bt, &a->branches.v[k], in, mask, axis, y))
            return;
        for (uint32_t j = 0; j < e->nout; j++) /* later branches over earlier ones */
            out[j] = k == 0
                         ? y[j]
                         : b_select(b, mask_like(b, mask, b_type(b, y[j])), y[j], out[j]);
    }
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = 0;
}

static void batch_cond(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    const CondAttr *a = attr_of(e);
    int64_t size;

    if (bt->axis[0] < 0 || a->branches.n == 1) {
        Val index = bt->axis[0] < 0 ? e->in[0] : b_scalar(b, WF_BOOL, 0);
        batch_plain(b, e, bt, index, out, out_axis);
        return;
    }
    if (dim_value(&b->dims, bt->size, &size) && size == 1) {
        batch_plain(b, e, bt, b_reshape(b, e->in[0], NULL, 0), out, out_axis);
        return;
    }
    for (uint32_t k = 0; k < a->branches.n; k++) {
        if (bt->name && op_program_uses_axis(a->branches.v[k].p, bt->name)) {
            fail(b->cx, WF_ERR_NORULE, e->place,
                 "cond: a branch communicates over axis '%s', but rows along it take "
                 "different branches",
                 bt->name);
            return;
        }
        if (a->branches.v[k].p->effects) {
            batch_loop(b, e, bt, out, out_axis);
            return;
        }
    }
    batch_rows(b, e, bt, out, out_axis);
}

/* ---- partition ---- */

typedef struct Slot { /* a residual that branches share */
    Type type;        /* in known */
    Val rest;         /* in rest */
} Slot;

typedef struct CondSplit {
    PartitionRule *r;
    uint32_t n, nin, nout; /* branches, operands, results */
    bool *in_known, *unknown;
    Split *split;    /* of each branch */
    uint32_t **slot; /* of each branch: the slot of each of its residuals; DIRECT: it is
                        an operand */
    VEC(Slot) slots;
} CondSplit;
#define DIRECT UINT32_MAX

/* Known and unknown results are those of all branches. */
static bool split_branches(CondSplit *c, const CondAttr *a)
{
    for (Again g = again_begin(c->r->known, c->n);
         again_next(&g, count_true(c->unknown, c->nout));) {
        if (!split_sub(c->r->cx, a->branches.v[g.k].p, c->in_known, c->unknown,
                       &c->split[g.k]))
            return false;
        for (uint32_t j = 0; j < c->nout; j++)
            c->unknown[j] |= !c->split[g.k].out_known[j];
    }
    return true;
}

static void assign_slots(CondSplit *c, const CondAttr *a)
{
    Builder *b = c->r->known;
    uint32_t nk = c->nout - count_true(c->unknown, c->nout);

    for (uint32_t k = 0; k < c->n; k++) {
        const Split *s = &c->split[k];
        Sub known = sub_like(b, &a->branches.v[k], s->known);
        bool *taken = NEW(b, c->slots.n + s->nres, bool);
        c->slot[k] = NEW(b, s->nres, uint32_t);
        for (uint32_t i = 0; i < s->nres; i++) {
            Type t = op_sub_type(b, &known, val_type(s->known, s->known->outs[nk + i]));
            uint32_t at = 0;
            c->slot[k][i] = DIRECT;
            if (s->res_input[i] >= 0)
                continue;
            while (at < c->slots.n && (taken[at] || !type_eq(c->slots.v[at].type, t)))
                at++;
            if (at == c->slots.n)
                vec_push(&b->arena, &c->slots, ((Slot){t, VAL_NONE}));
            taken[at] = true;
            c->slot[k][i] = at;
        }
    }
}

/* (known operands) -> (known results.., slots..) */
static Sub known_branch(CondSplit *c, const CondAttr *a, uint32_t k)
{
    Builder *b = c->r->known;
    const Split *s = &c->split[k];
    Sub known = sub_like(b, &a->branches.v[k], s->known);
    uint32_t nk = c->nout - count_true(c->unknown, c->nout), n = 0;
    Val *in = NEW(b, c->nin, Val), *y = NEW(b, s->known->nout, Val),
        *out = NEW(b, nk + c->slots.n, Val);
    Nest nest;

    nest_begin(&nest, b, s->known->name, c->r->ek.place);
    for (uint32_t i = 0; i < c->nin; i++)
        if (c->in_known[i])
            in[n++] = nest_input(&nest, c->r->ek.in_type[i + 1],
                                 input_name(a->branches.v[k].p, i));
    if (!nest_inline(&nest, &known, in, y))
        return (Sub){0};
    memcpy(out, y, nk * sizeof *y);
    for (uint32_t i = 0; i < s->nres; i++)
        if (c->slot[k][i] != DIRECT)
            out[nk + c->slot[k][i]] = y[nk + i];
    for (uint32_t i = 0; i < c->slots.n; i++)
        out[nk + i] =
            zeros_if_none(nest.b, out[nk + i], nest_type(&nest, c->slots.v[i].type));
    return nest_end(&nest, out, nk + c->slots.n);
}

/* (slots.., known operands that some branch needs.., unknown operands..) -> unknown
 * results */
static Sub rest_branch(CondSplit *c, const CondAttr *a, uint32_t k, const Val *operand,
                       const Val *args, uint32_t nargs)
{
    Builder *b = c->r->rest;
    const Split *s = &c->split[k];
    Sub here = op_sub_rest(c->r, &a->branches.v[k]), rest = sub_like(b, &here, s->rest);
    uint32_t nu = count_true(c->unknown, c->nout), n = 0;
    Val *in = NEW(b, nargs, Val), *x = NEW(b, s->rest->nin, Val), *y = NEW(b, nu, Val);
    Nest nest;

    nest_begin(&nest, b, s->rest->name, c->r->er.place);
    for (uint32_t i = 0; i < nargs; i++)
        in[i] = nest_input(&nest, b_type(b, args[i]), NULL);
    for (uint32_t i = 0; i < s->nres; i++) {
        Val want = c->slot[k][i] == DIRECT ? operand[s->res_input[i]]
                                           : c->slots.v[c->slot[k][i]].rest;
        for (uint32_t m = 0; m < nargs; m++)
            if (args[m] == want)
                x[n] = in[m];
        n++;
    }
    for (uint32_t i = 0; i < c->nin; i++)
        if (!c->in_known[i]) {
            for (uint32_t m = 0; m < nargs; m++)
                if (args[m] == c->r->er.in[i + 1])
                    x[n] = in[m];
            n++;
        }
    if (!nest_inline(&nest, &rest, x, y))
        return (Sub){0};
    return nest_end(&nest, y, nu);
}

static bool emit_rest(CondSplit *c, const CondAttr *a)
{
    PartitionRule *r = c->r;
    Builder *b = r->rest;
    Val *operand = NEW(b, c->nin, Val), *args = NEW(b, c->slots.n + 2 * c->nin + 1, Val),
        *out;
    Sub *branches = NEW(b, c->n, Sub);
    uint32_t n = 0;

    args[n++] = partition_residual(r, r->ek.in[0]);
    for (uint32_t i = 0; i < c->slots.n; i++)
        args[n++] = c->slots.v[i].rest;
    for (uint32_t k = 0; k < c->n; k++)
        for (uint32_t i = 0; i < c->split[k].nres; i++) {
            int32_t at = c->split[k].res_input[i];
            if (at < 0 || operand[at])
                continue;
            operand[at] = args[n++] = partition_residual(r, r->ek.in[at + 1]);
        }
    for (uint32_t i = 0; i < c->nin; i++)
        if (!c->in_known[i])
            args[n++] = r->er.in[i + 1];
    for (uint32_t k = 0; k < c->n; k++) {
        branches[k] =
            failed(r->cx) ? (Sub){0} : rest_branch(c, a, k, operand, args + 1, n - 1);
        if (!branches[k].p)
            return false;
    }
    out = b_eqn_n(b, OP_cond, args, n, &(CondAttr){{c->n, branches}}, &n);
    for (uint32_t j = 0, k = 0; j < c->nout && !failed(r->cx); j++)
        if (c->unknown[j])
            r->out_rest[j] = out[k++];
    return !failed(r->cx);
}

/* The index is not known: everything is in rest. */
static bool all_in_rest(PartitionRule *r)
{
    Val *in = NEW(r->rest, r->er.nin, Val), *out;
    uint32_t n;

    for (uint32_t i = 0; i < r->er.nin; i++)
        in[i] =
            r->ek.in[i] != VAL_NONE ? partition_residual(r, r->ek.in[i]) : r->er.in[i];
    out = b_eqn_n(r->rest, OP_cond, in, r->er.nin, r->er.attr, &n);
    memcpy(r->out_rest, out, n * sizeof *out);
    return !failed(r->cx);
}

static bool partition_cond(PartitionRule *r)
{
    const CondAttr *a = attr_of(&r->ek);
    Builder *b = r->known;
    CondSplit c = {.r = r, .n = a->branches.n, .nin = r->ek.nin - 1, .nout = r->ek.nout};
    Val *in, *out;
    uint32_t n = 1, nk;

    if (r->ek.in[0] == VAL_NONE)
        return all_in_rest(r);
    c.in_known = NEW(b, c.nin, bool);
    c.unknown = NEW(b, c.nout, bool);
    c.split = NEW(b, c.n, Split);
    c.slot = NEW(b, c.n, uint32_t *);
    nonzero_of(r->ek.in + 1, c.nin, c.in_known);
    if (!split_branches(&c, a))
        return false;
    assign_slots(&c, a);
    Sub *branches = NEW(b, c.n, Sub);
    for (uint32_t k = 0; k < c.n; k++) {
        branches[k] = failed(r->cx) ? (Sub){0} : known_branch(&c, a, k);
        if (!branches[k].p)
            return false;
    }
    in = NEW(b, r->ek.nin, Val);
    in[0] = r->ek.in[0];
    for (uint32_t i = 0; i < c.nin; i++)
        if (c.in_known[i])
            in[n++] = r->ek.in[i + 1];
    out = b_eqn_n(b, OP_cond, in, n, &(CondAttr){{c.n, branches}}, &n);
    if (failed(r->cx))
        return false;
    nk = 0;
    for (uint32_t j = 0; j < c.nout; j++)
        r->out_known[j] = c.unknown[j] ? VAL_NONE : out[nk++];
    for (uint32_t i = 0; i < c.slots.n; i++)
        c.slots.v[i].rest = partition_residual(r, out[nk + i]);
    return emit_rest(&c, a);
}

static const AttrField attrs_cond[] = {FIELD(CondAttr, branches, A_SUBS, ATTR_REQUIRED),
                                       FIELD_END};

const OpRow op_row_cond = {
    .attrs = attrs_cond,
    .attr_size = sizeof(CondAttr),
    .type = type_cond,
    .fold = fold_cond,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_cond = {
    .doc =
        DOC("y.. = branches[i](x..), i a bool (false is 0) or i32 scalar, clamped to the "
            "branches there are. Only "
            "that branch is run. vmap over i runs the branches that any row takes and "
            "selects."),
    .eval = eval_cond,
    .jvp = jvp_cond,
    .transpose = transpose_cond,
    .batch = batch_cond,
    .partition = partition_cond,
};
