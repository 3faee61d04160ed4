/* call.c -- calls of programs that are recorded.
 *
 * The call runs its forward once: the program is split (xf_record) into one that gives the results with
 * what the derivative reads, and the derivative itself, which is linear in the tangents. The node keeps
 * what was read and, in case that is not enough, the operands:
 *
 *   linear   the usual case: backward.c puts the derivative in, its inputs are the values kept
 *   whole    the derivative of the forward, from the operands. Where a kept value has a derivative itself
 *            (second order), where a result was written to since, or where the program cannot be split
 *
 * A form is made for the operands that are followed, and kept with the prim.
 *
 * Of a program that gives one number, a loss, the gradients can be computed with it (xf_record_gradient): one program instead
 * of two, and nothing is kept between them but what is wanted in the end. That is done once backward passes have followed the
 * last calls, and no longer when they do not: the work would be for nothing.
 */
#include "tensor/tensor.h"

void call_forms_free(CallForm *f)
{
    for (; f; f = f->next) { /* itself in the prim's arena */
        execs_release(&f->exec);
        program_release(f->forward);
        program_release(f->linear);
    }
}

/* Types of all results of forward, on operands of these. */
static bool result_types(wf_ctx *c, Prim *p, const Program *forward, CallForm *f)
{
    Builder *b = builder_new(c, p->program->name, B_VERBATIM);
    Val *in = arena_array(&b->arena, p->nin + 1, sizeof *in), *out;

    for (uint32_t i = 0; i < p->nin && !failed(c); i++)
        in[i] = b_input(
            b, NULL,
            b_make_type(b, (wf_dtype)p->in[i].dtype, p->in[i].dims, p->in[i].rank));
    out = b_eqn_n(b, OP_call, in, p->nin, &(CallAttr){.body = {.p = forward}}, &f->nout);
    if (failed(c))
        return false;
    f->out = arena_array(&p->arena, f->nout + 1, sizeof *f->out);
    for (uint32_t j = 0; j < f->nout; j++)
        f->out[j] = prim_type(p, b_type(b, out[j]));
    return true;
}

/* A form of what was recorded; without its programs if it could not be. */
static CallForm *make_form(wf_ctx *c, Prim *p, const bool *follows, bool recorded, const Recording *r)
{
    CallForm *f = arena_zalloc(&p->arena, sizeof *f);

    f->follows = arena_dup(&p->arena, follows, p->nin + 1);
    if (recorded && result_types(c, p, r->forward, f)) {
        f->forward = program_retain(r->forward);
        f->linear = program_retain(r->linear);
        f->taken = arena_dup(&p->arena, r->taken, (r->ntaken + 1) * sizeof *r->taken);
        f->ntaken = r->ntaken;
        f->nz = arena_dup(&p->arena, r->nz, p->nout + 1);
    } else if (c->status == WF_ERR_NORULE) {
        wf_clear(c); /* who asks for the derivative is told */
    }
    if (!failed(c)) {
        f->next = p->forms;
        p->forms = f;
    }
    return f;
}

static CallForm *split_form(wf_ctx *c, Prim *p, const bool *follows)
{
    CallForm *f;
    Recording r;

    T_ENTER(c, NULL)
    f = make_form(c, p, follows, xf_record(c, p->program, follows, &r), &r);
    T_LEAVE(c);
    return failed(c) ? NULL : f;
}

static CallForm *gradient_form(wf_ctx *c, Prim *p, CallForm *f)
{
    CallForm *g;
    Recording r;

    T_ENTER(c, NULL)
    g = make_form(c, p, f->follows, xf_record_gradient(c, p->program, f->follows, f->nz, &r), &r);
    g->split = f;
    f->alone = !g->forward;
    f->gradient = f->alone ? NULL : g;
    T_LEAVE(c);
    return failed(c) ? NULL : f->alone ? f : g;
}

/* A call takes one from the score, a backward pass behind it gives two: the third step of a loop is the first of one
 * program, and a few calls without a backward pass end that. */
enum { SCORE_PAYS = 2, SCORE_MOST = 8, SCORE_PASS = 2 };

void call_was_derived(CallForm *f)
{
    f = f->split ? f->split : f;
    f->score = (int8_t)MIN(f->score + SCORE_PASS, SCORE_MOST);
}

static CallForm *paying_form(wf_ctx *c, Prim *p, CallForm *f)
{
    bool pays = f->score >= SCORE_PAYS && !f->alone && f->forward && !c->tensors->packer;

    f->score = (int8_t)MAX(f->score - 1, -SCORE_MOST);
    return !pays ? f : f->gradient ? f->gradient : gradient_form(c, p, f);
}

CallForm *call_form(wf_ctx *c, Prim *p, Tensor *const *in)
{
    bool few[64], *follows = few;
    CallForm *f;

    if (p->nin + 1 > COUNT(few) && !(follows = mem_alloc(&c->al, p->nin + 1))) {
        fail_memory(c);
        return NULL;
    }
    for (uint32_t i = 0; i < p->nin; i++)
        follows[i] = tensor_is_followed(c, in[i]);
    follows[p->nin] = false;
    for (f = p->forms; f && (f->split || memcmp(f->follows, follows, p->nin));)
        f = f->next;
    if (!f)
        f = split_form(c, p, follows);
    if (f)
        f = paying_form(c, p, f);
    if (follows != few)
        mem_free(&c->al, follows, p->nin + 1);
    return f;
}

/* ---- its derivative, in a program of derivatives ---- */

/* The symbols of q, part of a call of p, are the sizes of its operands. */
static const Dim *call_binds(Builder *b, const Prim *p, const Program *q)
{
    Dim *binds = arena_array(&b->arena, q->dims.syms.n + 1u, sizeof *binds);

    for (uint32_t s = 0; s < q->dims.syms.n; s++) {
        Dim d = dim_find(&p->program->dims, q->dims.syms.v[s].name);

        binds[s] = DIM_NONE;
        for (uint32_t i = 0; i < p->nin && d != DIM_NONE; i++) {
            Type t = val_type(p->program, program_in(p->program, i));

            for (uint32_t k = 0; k < t.rank; k++)
                if (t.dims[k] == d)
                    binds[s] = p->in[i].dims[k];
        }
    }
    return binds;
}

bool call_derive_whole(Builder *b, const Prim *p, const CallForm *f, const Val *in,
                       const Val *dx, Val *dy)
{
    const Program *q = f && f->forward && !f->split ? f->forward : p->program;
    Val *tangent = arena_zalloc(&b->arena, (q->nvals + 1) * sizeof *tangent);
    Copier c;

    copier_init(&c, b, q, call_binds(b, p, q), NULL);
    for (uint32_t i = 0; i < q->nin; i++) {
        c.val[program_in(q, i)] = in[i];
        tangent[program_in(q, i)] = dx[i];
    }
    if (!jvp_emit(&c, tangent))
        return false;
    for (uint32_t j = 0; j < q->nout; j++)
        dy[j] = tangent[q->outs[j]];
    return true;
}

/* An equation of a linear program some of whose tangents are zero (VAL_NONE): zero where all are, and of a
 * sum what is left. */
static void copy_linear(Copier *c, const Eqn *e, const bool *depends)
{
    const Val *in = eqn_in(c->from, e);
    uint32_t some = 0, none = 0;

    for (uint32_t i = 0; i < e->nin; i++)
        if (depends[in[i]])
            *(c->val[in[i]] ? &some : &none) += 1;
    if (none && !some)
        return;
    if (none && e->op == OP_add) {
        c->val[e->out] = c->val[in[0]] ? c->val[in[0]] : c->val[in[1]];
        return;
    }
    for (uint32_t i = 0; i < e->nin && none; i++)
        if (!c->val[in[i]])
            c->val[in[i]] = b_zeros(c->b, copier_type(c, val_type(c->from, in[i])));
    copier_eqn(c, e);
}

bool call_derive_linear(Builder *b, const Prim *p, const CallForm *f, const Val *in,
                        const Val *dx, Val *dy)
{
    const Program *q = f->linear;
    bool *depends = arena_zalloc(&b->arena, q->nvals + 1u);
    uint32_t at = 0, n = 0;
    Copier c;

    copier_init(&c, b, q, call_binds(b, p, q), "jvp");
    for (uint32_t k = 0; k < f->ntaken; k++)
        c.val[program_in(q, at++)] = in[f->taken[k]];
    for (uint32_t i = 0; i < p->nin; i++)
        if (f->follows[i]) {
            depends[program_in(q, at)] = true;
            c.val[program_in(q, at++)] = dx[i];
        }
    for (uint32_t e = 0; e < q->neqns && !b_failed(b); e++) {
        const Eqn *eqn = &q->eqns[e];

        for (uint32_t i = 0; i < eqn->nin; i++)
            if (depends[eqn_in(q, eqn)[i]])
                memset(depends + eqn->out, true, eqn->nout);
        copy_linear(&c, eqn, depends);
    }
    for (uint32_t j = 0; j < p->nout && !b_failed(b); j++)
        if (f->nz[j])
            dy[j] = c.val[q->outs[n++]];
    return !b_failed(b);
}
