/* jvp.c -- forward mode: a program that computes f(x) and the derivative of f at x in the
 * direction dx.
 *
 *   requires   a verified program
 *   keeps      the equations, their order, names and places (with a note: via jvp)
 *   gives      (x.., dx..) -> (y.., dy..)
 *
 * Method: the equations are copied one by one; where an operand has a tangent, the op's
 * jvp rule emits the tangents of the results right behind. A tangent that is zero is not
 * emitted but symbolic (VAL_NONE); integers and bools never have one. Linear in the
 * length of the program; sub-programs are the business of the rules of control flow,
 * which call xf_jvp again.
 */
#include "transform/transform.h"

/* Does the equation have anything to differentiate? */
static bool is_active(const Program *p, const Eqn *e, const Val *tangent)
{
    const Val *in = eqn_in(p, e);
    bool any = false;

    if (op_has(e->op, OPF_ZERO))
        return false;
    for (uint32_t i = 0; i < e->nin && !any; i++)
        any = tangent[in[i]] != VAL_NONE;
    if (!any)
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        if (dtype_is_differentiable((wf_dtype)val_type(p, e->out + j).dtype))
            return true;
    return false;
}

/* Store the tangents a rule gave: of float results only, and of the type of their primal.
 */
static bool take_tangents(Copier *c, const Eqn *e, const Val *dy, Val *tangent)
{
    Builder *b = c->b;

    for (uint32_t j = 0; j < e->nout; j++) {
        Type t = b_type(b, c->val[e->out + j]);

        if (dy[j] == VAL_NONE || !dtype_is_differentiable((wf_dtype)t.dtype))
            continue;
        if (!type_eq(b_type(b, dy[j]), t))
            return xf_bad_rule(b, e->op, "jvp", eqn_place(c->from, e), b_type(b, dy[j]),
                               t);
        tangent[e->out + j] = dy[j];
    }
    return true;
}

/* buf: room for nin + 2 nout values */
static bool jvp_eqn(Copier *c, const Eqn *e, Val *tangent, Val *buf)
{
    const Val *in = eqn_in(c->from, e);
    const OpRules *rules = op_rules(e->op);
    bool control = op_has(e->op, OPF_CONTROL);
    Val *dx = buf, *dy = buf + e->nin;
    EqnView view;

    if (!rules->jvp)
        return fail(c->b->cx, WF_ERR_NORULE, copier_place(c, e),
                    "jvp: %s has no derivative rule", op_name(e->op));
    if (!control && !copier_eqn(c, e))
        return false;
    copier_place(c, e);
    copier_view(c, e, &view);
    view.out = control ? NULL : &c->val[e->out];
    for (uint32_t i = 0; i < e->nin; i++)
        dx[i] = tangent[in[i]];
    memset(dy, 0, 2 * (size_t)e->nout * sizeof *dy);
    rules->jvp(c->b, &view, dx, dy);
    if (b_failed(c->b))
        return false;
    if (control)
        memcpy(&c->val[e->out], dy + e->nout, e->nout * sizeof *dy);
    return take_tangents(c, e, dy, tangent);
}

bool jvp_emit(Copier *c, Val *tangent)
{
    const Program *p = c->from;
    uint32_t room = 1;
    Val *buf;

    for (uint32_t i = 0; i < p->neqns; i++)
        room = MAX(room, p->eqns[i].nin + 2u * p->eqns[i].nout);
    buf = arena_array(&c->b->arena, room, sizeof *buf);
    for (uint32_t i = 0; i < p->neqns && !b_failed(c->b); i++) {
        const Eqn *e = &p->eqns[i];

        if (is_active(p, e, tangent))
            jvp_eqn(c, e, tangent, buf);
        else
            copier_eqn(c, e);
    }
    return !b_failed(c->b);
}

const Program *jvp_program(wf_ctx *cx, const Program *p, const int *order, int nwrt,
                           bool with_y, const bool *want, bool *out_nz, const char *via)
{
    Builder *b = builder_new(cx, xf_name(cx, p->name, "jvp"), B_OPTIMISE);
    Val *tangent = arena_zalloc(&b->arena, (p->nvals + 1) * sizeof *tangent);
    Val *outs = arena_array(&b->arena, 2 * (size_t)p->nout + 1, sizeof *outs);
    uint32_t n = 0;
    Copier c;

    copier_init(&c, b, p, NULL, via);
    copier_inputs(&c);
    for (int k = 0; k < nwrt && !b_failed(b); k++) {
        Val x = program_in(p, (uint32_t)order[k]);

        tangent[x] = b_input(b, xf_val_name(cx, p, "d", x), b_type(b, c.val[x]));
    }
    if (b_failed(b) || !jvp_emit(&c, tangent))
        return NULL;
    b->place = 0;
    for (uint32_t j = 0; j < p->nout && with_y; j++)
        outs[n++] = c.val[p->outs[j]];
    for (uint32_t j = 0; j < p->nout; j++) {
        Val y = p->outs[j], dy = tangent[y];

        if (!dy && want && want[j] && dtype_is_differentiable((wf_dtype)val_type(p, y).dtype))
            dy = b_zeros_like(b, c.val[y]);
        out_nz[j] = dy != VAL_NONE;
        if (dy)
            outs[n++] = dy;
    }
    return builder_finish(b, outs, n);
}

const Program *xf_jvp(wf_ctx *cx, const Program *p, const bool *in_nz, const bool *want,
                      bool *out_nz)
{
    int *order = arena_array(&cx->scratch, p->nin + 1u, sizeof *order), n = 0;

    for (uint32_t i = 0; i < p->nin; i++)
        if (in_nz[i] && dtype_is_differentiable((wf_dtype)val_type(p, program_in(p, i)).dtype))
            order[n++] = (int)i;
    return jvp_program(cx, p, order, n, true, want, out_nz, "jvp");
}

const Program *xf_jvp_user(wf_ctx *cx, const Program *p, const int *wrt, int nwrt)
{
    bool *want = arena_alloc(&cx->scratch, p->nout + 1u);
    bool *nz = arena_alloc(&cx->scratch, p->nout + 1u);

    memset(want, true, p->nout + 1u);
    if (!xf_wrt(cx, p, wrt, nwrt, "jvp"))
        return NULL;
    return jvp_program(cx, p, wrt, nwrt, true, want, nz, "jvp");
}
