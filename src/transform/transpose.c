/* transpose.c -- run a linear program backwards.
 *
 *   requires   a program linear in some inputs (a tangent program, or a part of one)
 *   gives      cotangents of the results -> cotangents of the linear inputs
 *
 * Method: values that depend on a linear input are linear, all others are computed
 * forward as they stand. Then the linear equations are walked from last to first. The
 * transpose rule of each turns the cotangents of its results into those of its linear
 * operands; cotangents of a value with several uses are added. A zero cotangent is
 * symbolic (VAL_NONE): an equation all of whose results have it is passed over.
 */
#include "transform/transform.h"

typedef struct Room { /* for the view of one equation */
    Val *in, *gy, *gx;
    Type *in_type, *out_type;
} Room;

static void make_room(Builder *b, Room *r)
{
    uint32_t nin = 1, nout = 1;

    for (uint32_t i = 0; i < b->eqns.n; i++) {
        nin = MAX(nin, b->eqns.v[i].nin);
        nout = MAX(nout, b->eqns.v[i].nout);
    }
    r->in = arena_array(&b->arena, nin, sizeof(Val));
    r->gx = arena_array(&b->arena, nin, sizeof(Val));
    r->gy = arena_array(&b->arena, nout, sizeof(Val));
    r->in_type = arena_array(&b->arena, nin, sizeof(Type));
    r->out_type = arena_array(&b->arena, nout, sizeof(Type));
}

static bool not_linear(Builder *b, const Eqn *e, const char *why)
{
    return fail(b->cx, WF_ERR_NORULE, b->places.v[e->place], "transpose: %s %s",
                op_name(e->op), why);
}

/* Can the rule be asked? At least one operand is linear. */
static bool check_eqn(Builder *b, const Eqn *e, const Room *r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < e->nin; i++) {
        if (r->in[i] != VAL_NONE)
            continue;
        n++;
        if (!dtype_is_differentiable((wf_dtype)r->in_type[i].dtype))
            return not_linear(
                b, e, "is not linear: an operand that is no float depends on a tangent");
    }
    if (op_has(e->op, OPF_BILINEAR) && n > 1)
        return not_linear(b, e, "is not linear in two operands at once");
    if (!op_rules(e->op)->transpose)
        return not_linear(b, e, "is not linear, or has no transpose rule");
    return true;
}

/* ct of each linear operand += what the rule gave */
static bool add_cotangents(Linear *l, const Eqn *e, const Room *r, Val *ct)
{
    Builder *b = l->b;

    for (uint32_t i = 0; i < e->nin; i++) {
        Val x = b->args.v[e->args + i];

        if (r->in[i] != VAL_NONE || r->gx[i] == VAL_NONE)
            continue;
        if (!type_eq(b_type(b, r->gx[i]), r->in_type[i]))
            return xf_bad_rule(b, e->op, "transpose", b->places.v[e->place],
                               b_type(b, r->gx[i]), r->in_type[i]);
        ct[x] = ct[x] ? b_add(b, ct[x], r->gx[i]) : r->gx[i];
    }
    return !b_failed(b);
}

static bool transpose_eqn(Linear *l, Eqn e, const Room *r, Val *ct)
{
    Builder *b = l->b;
    const Val *in = e.nin ? b->args.v + e.args : NULL;
    bool linear = false, any = false;
    EqnView view = {e.op, e.nout,     e.nin,       op_row(e.op), r->in,
                    NULL, r->in_type, r->out_type, e.attr,       NOWHERE};

    for (uint32_t i = 0; i < e.nin; i++) {
        bool is = is_linear(l, in[i]);

        linear |= is;
        r->in[i] = is ? VAL_NONE : in[i];
        r->gx[i] = VAL_NONE;
        r->in_type[i] = b_type(b, in[i]);
    }
    if (!linear)
        return true;
    if (attr_has_effects(e.op, e.attr)) /* it would stay behind when the forward tangents go */
        return not_linear(b, &e,
                          "has an effect that depends on a tangent, which reverse mode "
                          "does not compute");
    for (uint32_t j = 0; j < e.nout; j++) {
        r->gy[j] = ct[e.out + j];
        r->out_type[j] = b_type(b, e.out + j);
        any |= r->gy[j] != VAL_NONE;
    }
    if (!any)
        return true;
    if (!check_eqn(b, &e, r))
        return false;
    b->place = e.place;
    view.place = b->places.v[e.place];
    op_rules(view.op)->transpose(b, &view, r->gy, r->gx);
    return !b_failed(b) && add_cotangents(l, &e, r, ct);
}

bool transpose_emit(Linear *l, Val *ct)
{
    Room room;

    linear_mark(l);
    make_room(l->b, &room);
    for (uint32_t i = l->b->eqns.n; i-- > 0;)
        if (!transpose_eqn(l, l->b->eqns.v[i], &room, ct))
            return false;
    return !b_failed(l->b);
}

/* The results of xf_transpose, zeros made where wanted. */
static uint32_t gather_outs(Builder *b, const Program *p, const Copier *c,
                            const bool *linear, const Val *ct, const bool *want,
                            bool *in_nz, Val *outs)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->nin; i++) {
        Val x = c->val[program_in(p, i)], g;

        in_nz[i] = false;
        if (!linear[i])
            continue;
        g = ct[x];
        if (!g && want && want[i])
            g = b_zeros_like(b, x);
        in_nz[i] = g != VAL_NONE;
        if (g)
            outs[n++] = g;
    }
    return n;
}

const Program *xf_transpose(wf_ctx *cx, const Program *p, const bool *linear,
                            const bool *out_nz, const bool *want, bool *in_nz)
{
    Builder *b = builder_new(cx, xf_name(cx, p->name, "t"), B_OPTIMISE);
    Val *ins = arena_array(&b->arena, (size_t)p->nin + p->nout + 1, sizeof *ins);
    Val *outs = arena_array(&b->arena, (size_t)p->nin + 1, sizeof *outs);
    Val *gy = arena_zalloc(&b->arena, (p->nout + 1) * sizeof *gy);
    uint32_t nins = 0, nouts;
    Linear l;
    Copier c;
    Val *ct;

    copier_init(&c, b, p, NULL, "transpose");
    copier_inputs(&c);
    linear_init(&l, b);
    for (uint32_t i = 0; i < p->nin && !b_failed(b); i++) {
        Val x = c.val[program_in(p, i)];

        if (linear[i])
            linear_add(&l, x);
        else
            ins[nins++] = x;
    }
    for (uint32_t j = 0; j < p->nout && !b_failed(b); j++)
        if (out_nz[j])
            ins[nins++] = gy[j] = b_input(b, xf_val_name(cx, p, "g", p->outs[j]),
                                          copier_type(&c, val_type(p, p->outs[j])));
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        copier_eqn(&c, &p->eqns[i]);
    if (b_failed(b))
        return NULL;
    ct = arena_zalloc(&b->arena, (b->vals.n + 1) * sizeof *ct);
    linear_mark(&l);
    for (uint32_t j = 0; j < p->nout; j++) {
        Val y = c.val[p->outs[j]];

        if (gy[j] && is_linear(&l, y))
            ct[y] = ct[y] ? b_add(b, ct[y], gy[j]) : gy[j];
    }
    if (!transpose_emit(&l, ct))
        return NULL;
    nouts = gather_outs(b, p, &c, linear, ct, want, in_nz, outs);
    return builder_finish_as(b, ins, nins, outs, nouts);
}
