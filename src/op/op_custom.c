/* op_custom.c -- functions whose derivative the user gives: custom_jvp, custom_vjp and
 * what it leaves in forward mode, custom_lin.
 *
 *   custom_jvp   primal(x..) -> y..    rule(x.., dx..) -> (y.., dy..)
 *   custom_vjp   primal(x..) -> y..    fwd(x..) -> (y.., r..)    bwd(r.., gy..) -> gx..
 *   custom_lin   (r.., dx..) -> dy.., a linear map known by its transpose
 *                bwd(r.., gy..) -> gx.. only
 *
 * Tangents and cotangents are those of float operands and results; integers have none. A
 * tangent that is zero is made before a rule sees it. The jvp of custom_vjp runs fwd and
 * emits a custom_lin on the residuals; reverse mode transposes that into bwd. In forward
 * mode it stays, and cannot be evaluated.
 *
 * A rule may use its own function (`self`, see transform/custom.c). Batched, such a
 * function has all operands and results batched in front, so that every use of it inside
 * has the same types.
 */
#include "op/control.h"

static bool is_float(Type t) { return dtype_is_differentiable((wf_dtype)t.dtype); }

/* ---- types ---- */

/* The types of t that are floats, appended. */
static uint32_t add_floats(Type *to, uint32_t n, const Type *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_float(t[i]))
            to[n++] = t[i];
    return n;
}

static bool check_results(TypeRule *t, const char *what, const Type *want, uint32_t nwant,
                          const Type *got, uint32_t ngot)
{
    if (nwant != ngot)
        return type_fail(t, WF_ERR_TYPE, "%s has %u results, needs %u", what, ngot,
                         nwant);
    for (uint32_t i = 0; i < nwant; i++)
        if (!type_eq(want[i], got[i]))
            return type_fail(t,
                             want[i].dtype == got[i].dtype ? WF_ERR_SHAPE : WF_ERR_TYPE,
                             "result %u of %s is %s, needs %s", i, what,
                             type_show(t, got[i]), type_show(t, want[i]));
    return true;
}

static Type *bind_primal(TypeRule *t, Sub *primal)
{
    Type *out = NEW(t->b, primal->p ? primal->p->nout : 0, Type);

    if (!sub_bind(t, primal, "primal", t->in, t->nin, out))
        return NULL;
    for (uint32_t j = 0; j < primal->p->nout; j++)
        type_out_like(t, out[j]);
    return out;
}

static bool type_custom_jvp(TypeRule *t)
{
    CustomJvpAttr *a = t->attr;
    Type *y = bind_primal(t, &a->primal), *in, *out, *want;
    uint32_t nout, n, nwant;

    if (!y)
        return false;
    if (a->self && !a->rule.p)
        return true;
    if (!a->rule.p)
        return type_fail(t, WF_ERR_VALUE, "rule is missing");
    nout = a->primal.p->nout;
    in = NEW(t->b, 2 * t->nin, Type);
    want = NEW(t->b, 2 * nout, Type);
    out = NEW(t->b, a->rule.p->nout, Type);
    memcpy(in, t->in, t->nin * sizeof *in);
    n = add_floats(in, t->nin, t->in, t->nin);
    memcpy(want, y, nout * sizeof *y);
    nwant = add_floats(want, nout, y, nout);
    return sub_bind(t, &a->rule, "rule", in, n, out) &&
           check_results(t, "rule", want, nwant, out, a->rule.p->nout);
}

static bool type_custom_vjp(TypeRule *t)
{
    CustomVjpAttr *a = t->attr;
    Type *y = bind_primal(t, &a->primal), *out, *in, *want;
    uint32_t nout, nres, n, nwant;

    if (!y)
        return false;
    if (a->self && !a->fwd.p && !a->bwd.p)
        return true;
    if (!a->fwd.p || !a->bwd.p)
        return type_fail(t, WF_ERR_VALUE, "%s is missing", a->fwd.p ? "bwd" : "fwd");
    nout = a->primal.p->nout;
    out = NEW(t->b, MAX(a->fwd.p->nout, a->bwd.p->nout), Type);
    if (!sub_bind(t, &a->fwd, "fwd", t->in, t->nin, out))
        return false;
    if (a->fwd.p->nout < nout)
        return type_fail(t, WF_ERR_TYPE, "fwd has %u results, needs at least %u",
                         a->fwd.p->nout, nout);
    if (!check_results(t, "fwd", y, nout, out, nout))
        return false;
    nres = a->fwd.p->nout - nout;
    in = NEW(t->b, nres + nout, Type);
    want = NEW(t->b, t->nin, Type);
    memcpy(in, out + nout, nres * sizeof *in);
    n = add_floats(in, nres, y, nout);
    nwant = add_floats(want, 0, t->in, t->nin);
    return sub_bind(t, &a->bwd, "bwd", in, n, out) &&
           check_results(t, "bwd", want, nwant, out, a->bwd.p->nout);
}

/* Bare symbols of a type of the program take the dims of the type it stands for. */
static void match_dims(const Sub *s, Dim *binds, Type in_program, Type here)
{
    for (uint32_t k = 0; k < in_program.rank && in_program.rank == here.rank; k++) {
        Dim d = in_program.dims[k];
        if (d < 0 && d != DIM_NONE && dim_node(&s->p->dims, d)->kind == DIM_SYM) {
            Dim *bind = &binds[dim_node(&s->p->dims, d)->sym];
            *bind = *bind == DIM_NONE ? here.dims[k] : *bind;
        }
    }
}

static bool type_custom_lin(TypeRule *t)
{
    CustomLinAttr *a = t->attr;
    Sub *s = &a->bwd;
    uint32_t nres = (uint32_t)a->nres, ngy;
    Type *in, *out;
    Dim *binds;

    if (!s->p)
        return type_fail(t, WF_ERR_VALUE, "bwd is missing");
    if (a->nres < 0 || a->nres > t->nin || a->nres > s->p->nin)
        return type_fail(t, WF_ERR_VALUE,
                         "nres=%lld, but there are %u operands and bwd takes %u",
                         (long long)a->nres, t->nin, s->p->nin);
    if (t->nin - nres != s->p->nout)
        return type_fail(t, WF_ERR_TYPE, "bwd has %u results, needs %u", s->p->nout,
                         t->nin - nres);
    binds = NEW(t->b, s->p->dims.syms.n, Dim);
    for (uint32_t i = 0; i < s->p->dims.syms.n; i++)
        binds[i] = s->binds.n ? s->binds.v[i] : DIM_NONE;
    for (uint32_t i = 0; i < nres; i++)
        match_dims(s, binds, val_type(s->p, program_in(s->p, i)), t->in[i]);
    for (uint32_t i = nres; i < t->nin; i++)
        match_dims(s, binds, val_type(s->p, s->p->outs[i - nres]), t->in[i]);
    s->binds = (Ints){s->p->dims.syms.n, binds};
    ngy = s->p->nin - nres;
    in = NEW(t->b, s->p->nin, Type);
    out = NEW(t->b, s->p->nout, Type);
    memcpy(in, t->in, nres * sizeof *in);
    for (uint32_t j = 0; j < ngy; j++) {
        in[nres + j] = op_sub_type(t->b, s, val_type(s->p, program_in(s->p, nres + j)));
        if (b_failed(t->b))
            return false;
        if (!is_float(in[nres + j]))
            return type_fail(t, WF_ERR_TYPE, "cotangent %u of bwd is %s, needs a float",
                             j, type_show(t, in[nres + j]));
        type_out_like(t, in[nres + j]);
    }
    return sub_bind(t, s, "bwd", in, s->p->nin, out) &&
           check_results(t, "bwd", t->in + nres, t->nin - nres, out, s->p->nout);
}

/* ---- eval, transpose: by the primal ---- */

static bool eval_custom_jvp(Eval *e)
{
    return eval_sub(e, &((const CustomJvpAttr *)e->attr)->primal, e->in, e->out);
}
static bool eval_custom_vjp(Eval *e)
{
    return eval_sub(e, &((const CustomVjpAttr *)e->attr)->primal, e->in, e->out);
}

static void transpose_custom_jvp(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    transpose_sub(b, &((const CustomJvpAttr *)e->attr)->primal, e->in, e->nin, gy, gx);
}

static void transpose_custom_vjp(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    transpose_sub(b, &((const CustomVjpAttr *)e->attr)->primal, e->in, e->nin, gy, gx);
}

/* ---- jvp ---- */

static void refuse_self(Builder *b, const EqnView *e)
{
    fail(b->cx, WF_ERR_NORULE, e->place,
         "%s: self stands outside of the rule it refers to", op_name(e->op));
}

/* Tangents of the float operands, zeros made, appended. */
static uint32_t add_tangents(Builder *b, const EqnView *e, const Val *dx, Val *to,
                             uint32_t n)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (is_float(e->in_type[i]))
            to[n++] = zeros_if_none(b, dx[i], e->in_type[i]);
    return n;
}

static void give_tangents(const EqnView *e, const Val *from, Val *dy)
{
    for (uint32_t j = 0, k = 0; j < e->nout; j++)
        if (is_float(e->out_type[j]))
            dy[j] = from[k++];
}

/* y.., dy.. = rule(x.., dx..) */
static void jvp_custom_jvp(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const CustomJvpAttr *a = e->attr;
    Val *in = NEW(b, 2 * e->nin, Val), *out;
    const Program *rule;

    if (!a->rule.p) {
        refuse_self(b, e);
        return;
    }
    rule = custom_fill(b->cx, a->rule.p, OP_custom_jvp, a);
    if (!rule)
        return;
    Sub s = sub_like(b, &a->rule, rule);
    out = NEW(b, rule->nout, Val);
    memcpy(in, e->in, e->nin * sizeof *in);
    add_tangents(b, e, dx, in, e->nin);
    if (b_failed(b) || !b_inline_sub(b, &s, in, out, NULL))
        return;
    memcpy(dy + e->nout, out, e->nout * sizeof *out);
    give_tangents(e, out + e->nout, dy);
}

/* y.., r.. = fwd(x..);   dy.. = custom_lin(r.., dx..) */
static void jvp_custom_vjp(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const CustomVjpAttr *a = e->attr;
    const Program *fwd, *bwd;
    uint32_t nres, n;
    Val *in, *out, *lin;

    if (!a->fwd.p) {
        refuse_self(b, e);
        return;
    }
    fwd = custom_fill(b->cx, a->fwd.p, OP_custom_vjp, a);
    bwd = fwd ? custom_fill(b->cx, a->bwd.p, OP_custom_vjp, a) : NULL;
    if (!bwd)
        return;
    Sub sf = sub_like(b, &a->fwd, fwd);
    CustomLinAttr la = {sub_like(b, &a->bwd, bwd), (int64_t)fwd->nout - e->nout};
    out = NEW(b, fwd->nout, Val);
    if (!b_inline_sub(b, &sf, e->in, out, NULL))
        return;
    nres = fwd->nout - e->nout;
    in = NEW(b, nres + e->nin, Val);
    memcpy(in, out + e->nout, nres * sizeof *in);
    n = add_tangents(b, e, dx, in, nres);
    lin = b_eqn_n(b, OP_custom_lin, in, n, &la, &n);
    if (b_failed(b))
        return;
    memcpy(dy + e->nout, out, e->nout * sizeof *out);
    give_tangents(e, lin, dy);
}

/* Linear in dx; how it depends on the residuals is not known. */
static void jvp_custom_lin(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const CustomLinAttr *a = e->attr;
    Val *in = NEW(b, e->nin, Val);

    for (uint32_t i = 0; i < a->nres; i++)
        if (dx[i] != VAL_NONE) {
            fail(b->cx, WF_ERR_NORULE, e->place,
                 "custom_lin: forward mode cannot go through a custom_vjp, which gives a "
                 "reverse rule only");
            return;
        }
    memcpy(in, e->in, e->nin * sizeof *in);
    b_eqn(b, OP_custom_lin, in, e->nin, a, dy + e->nout, e->nout);
    for (uint32_t i = (uint32_t)a->nres; i < e->nin; i++)
        in[i] = zeros_if_none(b, dx[i], e->in_type[i]);
    b_eqn(b, OP_custom_lin, in, e->nin, a, dy, e->nout);
}

/* gx.. = bwd(r.., gy..) */
static void transpose_custom_lin(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const CustomLinAttr *a = e->attr;
    uint32_t nres = (uint32_t)a->nres;
    Val *in = NEW(b, a->bwd.p->nin, Val), *out = NEW(b, a->bwd.p->nout, Val);

    for (uint32_t i = 0; i < nres; i++) {
        if (e->in[i] == VAL_NONE) {
            fail(b->cx, WF_ERR_NORULE, e->place,
                 "transpose: custom_lin is not linear in its residuals");
            return;
        }
        in[i] = e->in[i];
    }
    for (uint32_t j = 0; j < e->nout; j++)
        in[nres + j] = zeros_if_none(b, gy[j], e->out_type[j]);
    if (b_failed(b) || !b_inline_sub(b, &a->bwd, in, out, NULL))
        return;
    for (uint32_t i = nres; i < e->nin; i++)
        gx[i] = e->in[i] == VAL_NONE ? out[i - nres] : VAL_NONE;
}

/* ---- batch ---- */

/* Operands with their batch axis in front; all of them batched if `all`. axis[i] becomes
 * 0 or -1. */
static Val *front_operands(Builder *b, const EqnView *e, const Batch *bt, bool all,
                           int *axis)
{
    Val *in = NEW(b, e->nin, Val);

    for (uint32_t i = 0; i < e->nin; i++) {
        in[i] = batch_to_front(b, e->in[i], bt->axis[i], bt->size, all);
        axis[i] = all || bt->axis[i] >= 0 ? 0 : -1;
    }
    return in;
}

/* Per float operand (or result): a flag for it. */
static uint32_t add_float_axes(int *to, uint32_t n, const int *axis, const Type *t,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_float(t[i]))
            to[n++] = axis[i];
    return n;
}

static void batch_custom_jvp(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    const CustomJvpAttr *a = e->attr;
    CustomJvpAttr ba = *a;
    bool all = !a->rule.p || custom_has_self(a->rule.p, OP_custom_jvp), more;
    int *axis = NEW(b, 2 * e->nin, int), *found = NEW(b, 2 * e->nout, int);
    bool *want = NEW(b, 2 * e->nout, bool);
    Val *in = front_operands(b, e, bt, all, axis);

    add_float_axes(axis, e->nin, axis, e->in_type, e->nin);
    memset(want, all, e->nout);
    do { /* until primal, rule and tangents agree on which results are batched */
        more = false;
        ba.primal = op_sub_batch(b, &a->primal, bt, axis, want, found);
        if (!ba.primal.p)
            return;
        for (uint32_t j = 0; j < e->nout; j++)
            want[j] |= found[j] >= 0;
        if (!a->rule.p)
            break;
        for (uint32_t j = 0, k = e->nout; j < e->nout; j++)
            if (is_float(e->out_type[j]))
                want[k++] = want[j];
        ba.rule = op_sub_batch(b, &a->rule, bt, axis, want, found);
        if (!ba.rule.p)
            return;
        for (uint32_t j = 0, k = e->nout; j < e->nout; j++) {
            bool is = found[j] >= 0 || (is_float(e->out_type[j]) && found[k++] >= 0);
            more |= is && !want[j];
            want[j] |= is;
        }
    } while (more);
    b_eqn(b, OP_custom_jvp, in, e->nin, &ba, out, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = want[j] ? 0 : -1;
}

/* bwd batched, the cotangents of operands that are not batched summed over the batch. */
static Sub batch_bwd(Builder *b, const EqnView *e, const Sub *bwd, const Batch *bt,
                     const int *in_axis, const int *x_axis)
{
    uint32_t ngx = bwd->p->nout;
    bool *want = NEW(b, ngx, bool);
    int *axis = NEW(b, ngx, int), *gx_axis = NEW(b, ngx, int);
    Val *in = NEW(b, bwd->p->nin, Val), *out = NEW(b, ngx, Val);
    Nest n;

    add_float_axes(gx_axis, 0, x_axis, e->in_type, e->nin);
    for (uint32_t i = 0; i < ngx; i++)
        want[i] = gx_axis[i] >= 0;
    Sub s = op_sub_batch(b, bwd, bt, in_axis, want, axis);
    if (!s.p)
        return s;
    nest_begin(&n, b, s.p->name, e->place);
    for (uint32_t i = 0; i < s.p->nin; i++)
        in[i] = nest_input(&n, op_sub_type(b, &s, val_type(s.p, program_in(s.p, i))),
                           input_name(s.p, i));
    if (b_failed(b) || !nest_inline(&n, &s, in, out))
        return (Sub){0};
    for (uint32_t i = 0; i < ngx; i++)
        if (axis[i] >= 0 && !want[i])
            out[i] = b_reduce_axis(n.b, OP_reduce_sum, out[i], 0);
    return nest_end(&n, out, ngx);
}

static void batch_custom_vjp(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    const CustomVjpAttr *a = e->attr;
    CustomVjpAttr ba = *a;
    bool all = !a->fwd.p || custom_has_self(a->fwd.p, OP_custom_vjp) ||
               custom_has_self(a->bwd.p, OP_custom_vjp),
         more;
    uint32_t nfwd = a->fwd.p ? a->fwd.p->nout : e->nout, nres = nfwd - e->nout;
    int *axis = NEW(b, e->nin, int), *found = NEW(b, nfwd, int),
        *bwd_axis = NEW(b, nfwd, int), *y_axis = NEW(b, e->nout, int);
    bool *want = NEW(b, nfwd, bool);
    Val *in = front_operands(b, e, bt, all, axis);

    memset(want, all, nfwd);
    for (uint32_t j = 0; j < e->nout;
         j++) /* even if y is the same in all rows, bwd may tell them apart */
        want[j] |= is_float(e->out_type[j]);
    do {
        more = false;
        ba.primal = op_sub_batch(b, &a->primal, bt, axis, want, found);
        if (!ba.primal.p)
            return;
        for (uint32_t j = 0; j < e->nout; j++)
            want[j] |= found[j] >= 0;
        if (!a->fwd.p)
            break;
        ba.fwd = op_sub_batch(b, &a->fwd, bt, axis, want, found);
        if (!ba.fwd.p)
            return;
        for (uint32_t j = 0; j < e->nout; j++) {
            more |= found[j] >= 0 && !want[j];
            want[j] |= found[j] >= 0;
        }
    } while (more);
    for (uint32_t j = 0; j < e->nout; j++)
        y_axis[j] = want[j] ? 0 : -1;
    if (a->fwd.p) {
        memcpy(bwd_axis, found + e->nout, nres * sizeof *found);
        add_float_axes(bwd_axis, nres, y_axis, e->out_type, e->nout);
        ba.bwd = batch_bwd(b, e, &a->bwd, bt, bwd_axis, axis);
        if (!ba.bwd.p)
            return;
    }
    b_eqn(b, OP_custom_vjp, in, e->nin, &ba, out, e->nout);
    memcpy(out_axis, y_axis, e->nout * sizeof *out_axis);
}

/* All tangents batched in front; the residuals as they are. */
static void batch_custom_lin(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    const CustomLinAttr *a = e->attr;
    CustomLinAttr ba = *a;
    uint32_t nres = (uint32_t)a->nres;
    Val *in = arena_dup(&b->arena, e->in, e->nin * sizeof *in);
    int *axis = NEW(b, a->bwd.p->nin, int), *found = NEW(b, a->bwd.p->nout, int);
    bool *want = NEW(b, a->bwd.p->nout, bool);

    memset(want, 1, a->bwd.p->nout);
    memcpy(axis, bt->axis, nres * sizeof *axis);
    ba.bwd = op_sub_batch(b, &a->bwd, bt, axis, want, found);
    if (!ba.bwd.p)
        return;
    for (uint32_t i = nres; i < e->nin; i++)
        in[i] = batch_to_front(b, in[i], bt->axis[i], bt->size, true);
    b_eqn(b, OP_custom_lin, in, e->nin, &ba, out, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = 0;
}

/* ---- rows ---- */

static const AttrField attrs_custom_jvp[] = {
    FIELD(CustomJvpAttr, primal, A_SUB, ATTR_REQUIRED),
    FIELD(CustomJvpAttr, rule, A_SUB, 0),
    FIELD(CustomJvpAttr, self, A_BOOL, false),
    FIELD_END,
};

const OpRow op_row_custom_jvp = {
    .attrs = attrs_custom_jvp,
    .attr_size = sizeof(CustomJvpAttr),
    .type = type_custom_jvp,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_custom_jvp = {
    .doc = DOC(
        "y.. = primal(x..), with the derivative y.., dy.. = rule(x.., dx..): dx for "
        "each float operand, dy for "
        "each float result. What rule gives as y is the result under differentiation. "
        "self: stands in its own "
        "rule and has it."),
    .eval = eval_custom_jvp,
    .jvp = jvp_custom_jvp,
    .transpose = transpose_custom_jvp,
    .batch = batch_custom_jvp,
};

static const AttrField attrs_custom_vjp[] = {
    FIELD(CustomVjpAttr, primal, A_SUB, ATTR_REQUIRED),
    FIELD(CustomVjpAttr, fwd, A_SUB, 0),
    FIELD(CustomVjpAttr, bwd, A_SUB, 0),
    FIELD(CustomVjpAttr, self, A_BOOL, false),
    FIELD_END,
};

const OpRow op_row_custom_vjp = {
    .attrs = attrs_custom_vjp,
    .attr_size = sizeof(CustomVjpAttr),
    .type = type_custom_vjp,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_custom_vjp = {
    .doc =
        DOC("y.. = primal(x..); in reverse mode y.., r.. = fwd(x..) and gx.. = bwd(r.., "
            "gy..): gy for each float "
            "result, gx for each float operand. Forward mode has no rule: its tangents "
            "cannot be evaluated. self: "
            "stands in its own rule and has it."),
    .eval = eval_custom_vjp,
    .jvp = jvp_custom_vjp,
    .transpose = transpose_custom_vjp,
    .batch = batch_custom_vjp,
};

static const AttrField attrs_custom_lin[] = {
    FIELD(CustomLinAttr, bwd, A_SUB, ATTR_REQUIRED),
    FIELD(CustomLinAttr, nres, A_INT, 0),
    FIELD_END,
};

const OpRow op_row_custom_lin = {
    .attrs = attrs_custom_lin,
    .attr_size = sizeof(CustomLinAttr),
    .type = type_custom_lin,
    .lower = {.kind = LOWER_NONE},
};
const OpRules op_rules_custom_lin = {
    .doc = DOC(
        "Operands r.. (nres) dx..: the linear map dx.. -> dy.. whose transpose is "
        "gx.. = bwd(r.., gy..). Forward "
        "mode leaves it where a custom_vjp stood; only reverse mode, which transposes "
        "it, can go on."),
    .jvp = jvp_custom_lin,
    .transpose = transpose_custom_lin,
    .batch = batch_custom_lin,
};
