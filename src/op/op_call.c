/* op_call.c -- call and checkpoint (a body run once), opt_barrier, stop_gradient and name
 * (the operand itself, marked).
 *
 * checkpoint is a call in every way but one: when it is split into what is known and the
 * rest, rest does not get the residuals but computes them again from the operands. Its
 * transpose puts a barrier between the operands and that second computation, which also
 * waits for the cotangents, so that it is neither merged with the first nor done early.
 */
#include "op/control.h"

const Sub *op_body(unsigned op, const void *attr)
{
    switch (op) {
    case OP_call: return &((const CallAttr *)attr)->body;
    case OP_checkpoint: return &((const CheckpointAttr *)attr)->body;
    case OP_custom_jvp: return &((const CustomJvpAttr *)attr)->primal;
    case OP_custom_vjp: return &((const CustomVjpAttr *)attr)->primal;
    default: return NULL;
    }
}

/* ---- call:  y.. = body(x..) ---- */

static bool type_body(TypeRule *t, Sub *body)
{
    Type *out = NEW(t->b, body->p ? body->p->nout : 0, Type);

    if (!sub_bind(t, body, "body", t->in, t->nin, out))
        return false;
    for (uint32_t j = 0; j < body->p->nout; j++)
        type_out_like(t, out[j]);
    return true;
}

static bool type_call(TypeRule *t) { return type_body(t, &((CallAttr *)t->attr)->body); }

static bool eval_call(Eval *e)
{
    return eval_sub(e, &((const CallAttr *)e->attr)->body, e->in, e->out);
}

/* y.., dy.. = body_jvp(x.., dx..), by the same op with another body */
static void jvp_body(Builder *b, const EqnView *e, const Sub *body, void *attr,
                     Sub *attr_body, const Val *dx, Val *dy)
{
    bool *in_nz = NEW(b, e->nin, bool), *out_nz = NEW(b, e->nout, bool);
    Val *in = NEW(b, 2 * e->nin, Val), *out;
    uint32_t n;
    const Program *p;

    nonzero_of(dx, e->nin, in_nz);
    p = xf_jvp(b->cx, body->p, in_nz, NULL, out_nz);
    if (!p)
        return;
    *attr_body = sub_like(b, body, p);
    n = join_nonzero(e->in, e->nin, dx, in);
    out = b_eqn_n(b, (OpCode)e->op, in, n, attr, &n);
    if (b_failed(b))
        return;
    memcpy(dy + e->nout, out, e->nout * sizeof *out);
    op_spread(out + e->nout, out_nz, e->nout, dy);
}

static void jvp_call(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    CallAttr a = {.kind = KIND_PLAIN};

    jvp_body(b, e, &((const CallAttr *)e->attr)->body, &a, &a.body, dx, dy);
}

static void transpose_call(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    transpose_sub(b, &((const CallAttr *)e->attr)->body, e->in, e->nin, gy, gx);
}

static void batch_body(Builder *b, const EqnView *e, const Batch *bt, const Sub *body,
                       void *attr, Sub *attr_body, Val *out, int *out_axis)
{
    *attr_body = op_sub_batch(b, body, bt, bt->axis, NULL, out_axis);
    if (attr_body->p)
        b_eqn(b, (OpCode)e->op, e->in, e->nin, attr, out, e->nout);
}

static void batch_call(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    CallAttr a = {.kind = KIND_PLAIN};

    batch_body(b, e, bt, &((const CallAttr *)e->attr)->body, &a, &a.body, out, out_axis);
}

static bool partition_call(PartitionRule *r)
{
    return partition_sub(r, &((const CallAttr *)r->ek.attr)->body, 0);
}

/* A body that only hands operands on. */
static bool fold_call(Builder *b, const EqnView *e, Val *out)
{
    const Program *p = ((const CallAttr *)e->attr)->body.p;

    (void)b;
    if (p->neqns)
        return false;
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = e->in[p->outs[j] - 1];
    return true;
}

const char *const op_call_kinds[] = {
    "plain",     "softmax",   "log_softmax",    "nll", "layer_norm", "rms_norm", "gelu",
    "gelu_tanh", "attention", "attention_grad", "codes", NULL};

static const AttrField attrs_call[] = {
    FIELD(CallAttr, body, A_SUB, ATTR_REQUIRED),
    FIELD_ENUM(CallAttr, kind, KIND_PLAIN, op_call_kinds), FIELD_END};

const OpRow op_row_call = {
    .attrs = attrs_call,
    .attr_size = sizeof(CallAttr),
    .type = type_call,
    .fold = fold_call,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_call = {
    .doc =
        DOC("y.. = body(x..): the results of another program. kind: what the optimiser "
            "recognised the body as, of which a target may have a faster form."),
    .eval = eval_call,
    .jvp = jvp_call,
    .transpose = transpose_call,
    .batch = batch_call,
    .partition = partition_call,
};

/* ---- checkpoint ---- */

static bool type_checkpoint(TypeRule *t)
{
    return type_body(t, &((CheckpointAttr *)t->attr)->body);
}

static bool eval_checkpoint(Eval *e)
{
    return eval_sub(e, &((const CheckpointAttr *)e->attr)->body, e->in, e->out);
}

static void jvp_checkpoint(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    CheckpointAttr a = *(const CheckpointAttr *)e->attr;

    jvp_body(b, e, &((const CheckpointAttr *)e->attr)->body, &a, &a.body, dx, dy);
}

static void batch_checkpoint(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    CheckpointAttr a = *(const CheckpointAttr *)e->attr;

    batch_body(b, e, bt, &((const CheckpointAttr *)e->attr)->body, &a, &a.body, out,
               out_axis);
}

/* x', gy' = opt_barrier(x.., gy..);  gx.. = body^T(x'.., gy'..) */
static void transpose_checkpoint(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    Val *v = NEW(b, e->nin + e->nout, Val), *in = NEW(b, e->nin, Val),
        *g = NEW(b, e->nout, Val), *out;
    uint32_t n = 0, k = 0;

    for (uint32_t i = 0; i < e->nin; i++)
        if (e->in[i] != VAL_NONE)
            v[n++] = e->in[i];
    for (uint32_t j = 0; j < e->nout; j++)
        if (gy[j] != VAL_NONE)
            v[n++] = gy[j];
    out = b_eqn_n(b, OP_opt_barrier, v, n, NULL, &n);
    if (b_failed(b))
        return;
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = e->in[i] != VAL_NONE ? out[k++] : VAL_NONE;
    for (uint32_t j = 0; j < e->nout; j++)
        g[j] = gy[j] != VAL_NONE ? out[k++] : VAL_NONE;
    transpose_sub(b, &((const CheckpointAttr *)e->attr)->body, in, e->nin, g, gx);
}

/* known: y.., kept.. = call known(x..);   rest: checkpoint (recompute; rest)(x.., kept..,
 * dx..) */
static bool partition_checkpoint(PartitionRule *r)
{
    const CheckpointAttr *a = r->ek.attr;
    const Sub *s = &a->body;
    uint32_t nin = r->ek.nin, nout = r->ek.nout, n = 0, nk;
    bool *in_known = NEW(r->known, nin, bool);
    Val *in = NEW(r->known, nin, Val), *rest_in, *out;
    Split sp;

    nonzero_of(r->ek.in, nin, in_known);
    if (!xf_partition(r->cx, s->p, in_known, NULL, &sp) ||
        !split_recompute(r->cx, s->p, in_known, a->policy, &sp))
        return false;
    for (uint32_t i = 0; i < nin; i++)
        if (in_known[i])
            in[n++] = r->ek.in[i];
    nk = count_true(sp.out_known, nout);
    Sub known = sub_like(r->known, s, sp.known);
    out = b_call(r->known, &known, in, n, &n);
    if (failed(r->cx))
        return false;
    op_spread(out, sp.out_known, nout, r->out_known);
    rest_in = NEW(r->rest, sp.nres + nin, Val);
    for (uint32_t k = 0; k < sp.nres; k++)
        rest_in[k] = partition_residual(
            r, sp.res_input[k] >= 0 ? r->ek.in[sp.res_input[k]] : out[nk + k]);
    n = sp.nres;
    for (uint32_t i = 0; i < nin; i++)
        if (!in_known[i])
            rest_in[n++] = r->er.in[i];
    Sub here = op_sub_rest(r, s);
    CheckpointAttr ra = {sub_like(r->rest, &here, sp.rest), a->policy};
    out = b_eqn_n(r->rest, OP_checkpoint, rest_in, n, &ra, &n);
    if (failed(r->cx))
        return false;
    for (uint32_t j = 0, k = 0; j < nout; j++)
        if (!sp.out_known[j])
            r->out_rest[j] = out[k++];
    return true;
}

static const char *const policies[] = {"nothing", "dots", "named", NULL};
static const AttrField attrs_checkpoint[] = {
    FIELD(CheckpointAttr, body, A_SUB, ATTR_REQUIRED),
    FIELD_ENUM(CheckpointAttr, policy, SAVE_NOTHING, policies),
    FIELD_END,
};

const OpRow op_row_checkpoint = {
    .attrs = attrs_checkpoint,
    .attr_size = sizeof(CheckpointAttr),
    .type = type_checkpoint,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_checkpoint = {
    .doc = DOC(
        "y.. = body(x..), as call. In reverse mode the operands are kept and the body "
        "is computed again, "
        "but for what the policy keeps: nothing; dots, the results of dot_general and "
        "conv_general in the "
        "body; named, those of name."),
    .eval = eval_checkpoint,
    .jvp = jvp_checkpoint,
    .transpose = transpose_checkpoint,
    .batch = batch_checkpoint,
    .partition = partition_checkpoint,
};

/* ---- the operand itself ---- */

static bool type_same(TypeRule *t)
{
    for (uint32_t i = 0; i < t->nin; i++)
        type_out_like(t, t->in[i]);
    return true;
}

static bool eval_same(Eval *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (e->in[i].count)
            memcpy(e->out[i].data, e->in[i].data,
                   (size_t)e->in[i].count * wf_dtype_size(e->in[i].dtype));
    return true;
}

static void batch_same(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    b_eqn(b, (OpCode)e->op, e->in, e->nin, e->attr, out, e->nout);
    for (uint32_t i = 0; i < e->nin; i++)
        out_axis[i] = bt->axis[i];
}

/* ---- opt_barrier:  dy = opt_barrier(dx), those that are there; gx likewise ---- */

static void barrier_of(Builder *b, const Val *v, uint32_t n, Val *out)
{
    bool *nz = NEW(b, n, bool);
    Val *some = NEW(b, n, Val);
    uint32_t k = 0;

    nonzero_of(v, n, nz);
    for (uint32_t i = 0; i < n; i++)
        if (nz[i])
            some[k++] = v[i];
    some = b_eqn_n(b, OP_opt_barrier, some, k, NULL, &k);
    if (!b_failed(b))
        op_spread(some, nz, n, out);
}

static void jvp_barrier(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    barrier_of(b, dx, e->nin, dy);
}

static void transpose_barrier(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    barrier_of(b, gy, e->nin, gx);
    for (uint32_t i = 0; i < e->nin; i++)
        if (e->in[i] != VAL_NONE)
            gx[i] = VAL_NONE;
}

static bool fold_barrier(Builder *b, const EqnView *e, Val *out)
{
    (void)b;
    (void)out;
    return e->nin == 0;
}

const OpRow op_row_opt_barrier = {
    .type = type_same,
    .eval = eval_same,
    .fold = fold_barrier,
    .lower = {.kind = LOWER_ALIAS},
};
const OpRules op_rules_opt_barrier = {
    .doc =
        DOC("y.. = x.., any dtypes. No pass moves, merges or drops anything across it: "
            "all x are there before "
            "any y is."),
    .jvp = jvp_barrier,
    .transpose = transpose_barrier,
    .batch = batch_same,
};

/* ---- stop_gradient ---- */

/* Without a derivative there is nothing to stop. */
static bool fold_stop(Builder *b, const EqnView *e, Val *out)
{
    const Eqn *from =
        b->vals.v[e->in[0]].eqn == EQN_INPUT ? NULL : &b->eqns.v[b->vals.v[e->in[0]].eqn];

    if (dtype_is_differentiable((wf_dtype)e->in_type[0].dtype) &&
        !(from && from->op == OP_stop_gradient))
        return false;
    out[0] = e->in[0];
    return true;
}

const OpRow op_row_stop_gradient = {
    .type = type_same,
    .eval = eval_same,
    .fold = fold_stop,
    .lower = {.kind = LOWER_ALIAS},
};
const OpRules op_rules_stop_gradient = {
    .doc = DOC("y = x, any dtype, with derivative zero."),
    .batch = batch_same,
};

/* ---- name:  dy = dx, gx = gy; the derivatives bear no name ---- */

static void jvp_name(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    (void)b;
    (void)e;
    dy[0] = dx[0];
}

static void transpose_name(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    (void)b;
    (void)e;
    gx[0] = gy[0];
}

static const AttrField attrs_name[] = {
    FIELD_AS("as", NameAttr, name, A_STR, ATTR_REQUIRED), FIELD_END};

const OpRow op_row_name = {
    .attrs = attrs_name,
    .attr_size = sizeof(NameAttr),
    .type = type_same,
    .eval = eval_same,
    .lower = {.kind = LOWER_ALIAS},
};
const OpRules op_rules_name = {
    .doc =
        DOC("y = x, any dtype, under a name: checkpoint with policy named keeps it, and "
            "drawings show it."),
    .jvp = jvp_name,
    .transpose = transpose_name,
    .batch = batch_same,
};
