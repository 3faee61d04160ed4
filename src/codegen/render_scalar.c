/* render_scalar.c -- programs of scalars, with loops, as straight C.
 *
 * A while among scalars is a loop of C; its carries are variables. Values are vectors of
 * equal elements, as everywhere, so that every op has one rendering.
 */
#include "codegen/render.h"

typedef struct Names { /* of the values of a program */
    const Program *p;
    const char **v;
    uint32_t depth, tag; /* of the text; of the names */
} Names;

static void indent(Render *r, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        text_add(r->t, "    ");
}

static Names new_names(Render *r, const Program *p, uint32_t depth)
{
    return (Names){p, arena_zalloc(r->a, (p->nvals + 1) * sizeof(char *)), depth,
                   r->tags++};
}

static void define_out(Render *r, Names *n, Val v, bool fixed)
{
    n->v[v] = arena_printf(r->a, "v%u_%u", n->tag, v);
    indent(r, n->depth);
    text_printf(r->t, "%s%s %s = ", fixed ? "const " : "",
                lane_type(r, (wf_dtype)val_type(n->p, v).dtype), n->v[v]);
}

static void render_eqns(Render *r, Names *n);

static void render_while(Render *r, Names *n, const Eqn *e)
{
    const WhileAttr *a = e->attr;
    const Val *in = eqn_in(n->p, e);
    uint32_t nc = (uint32_t)a->ncond, nb = (uint32_t)a->nbody;
    Names cond = new_names(r, a->cond.p, n->depth + 1);
    Names body = new_names(r, a->body.p, n->depth + 1);

    for (uint32_t i = 0; i < e->nout; i++) {
        define_out(r, n, e->out + i, false);
        text_printf(r->t, "%s;\n", n->v[in[nc + nb + i]]);
    }
    for (uint32_t i = 0; i < nc; i++)
        cond.v[i + 1] = n->v[in[i]];
    for (uint32_t i = 0; i < nb; i++)
        body.v[i + 1] = n->v[in[nc + i]];
    for (uint32_t i = 0; i < e->nout; i++)
        cond.v[nc + i + 1] = body.v[nb + i + 1] = n->v[e->out + i];
    indent(r, n->depth);
    text_add(r->t, "while (!*k->stop) {\n");
    render_eqns(r, &cond);
    indent(r, n->depth + 1);
    text_printf(r->t, "if (!%c_first_bool(%s))\n", r->set, cond.v[a->cond.p->outs[0]]);
    indent(r, n->depth + 2);
    text_add(r->t, "break;\n");
    render_eqns(r, &body);
    for (uint32_t i = 0; i < e->nout; i++) { /* all carries change at once */
        indent(r, n->depth + 1);
        text_printf(r->t, "const %s n%u_%u = %s;\n",
                    lane_type(r, (wf_dtype)val_type(n->p, e->out + i).dtype), body.tag, i,
                    body.v[a->body.p->outs[i]]);
    }
    for (uint32_t i = 0; i < e->nout; i++) {
        indent(r, n->depth + 1);
        text_printf(r->t, "%s = n%u_%u;\n", n->v[e->out + i], body.tag, i);
    }
    indent(r, n->depth);
    text_add(r->t, "}\n");
}

static void render_eqn(Render *r, Names *n, const Eqn *e)
{
    const Val *in = eqn_in(n->p, e);
    wf_dtype *types = arena_array(r->a, e->nin + 1u, sizeof *types);
    const char **args = arena_array(r->a, e->nin + 1u, sizeof *args);

    if (e->op == OP_while) {
        render_while(r, n, e);
        return;
    }
    if (fuse_kind(r->k->target, n->p, e) == FUSE_INDEX) {
        n->v[e->out] = n->v[in[0]];
        return;
    }
    define_out(r, n, e->out, true);
    if (e->op == OP_const) {
        uint64_t bits = 0;
        const ConstAttr *a = e->attr;

        memcpy(&bits, a->data->data, wf_dtype_size((wf_dtype)a->type.dtype));
        render_const(r, (wf_dtype)a->type.dtype, bits);
    } else {
        for (uint32_t i = 0; i < e->nin; i++) {
            types[i] = (wf_dtype)val_type(n->p, in[i]).dtype;
            args[i] = n->v[in[i]];
        }
        render_map(r, e->op, (wf_dtype)val_type(n->p, e->out).dtype, types, args, e->nin);
    }
    text_add(r->t, ";\n");
}

static void render_eqns(Render *r, Names *n)
{
    for (uint32_t i = 0; i < n->p->neqns; i++)
        render_eqn(r, n, &n->p->eqns[i]);
}

void render_scalar(Render *r)
{
    const Program *p = r->k->p;
    Names n = new_names(r, p, 1);

    text_printf(r->t,
                "%svoid wk%u%s(const WkArgs *k, int64_t begin, int64_t end)\n{\n"
                "    (void)begin;\n    (void)end;\n",
                *r->k->part ? "static " : "", r->k->id, r->k->part);
    for (uint32_t i = 0; i < p->nin; i++) {
        wf_dtype t = (wf_dtype)val_type(p, i + 1).dtype;

        define_out(r, &n, i + 1, true);
        text_printf(r->t, "%c_splat_%s(*(const %s *)k->p[%u]);\n", r->set,
                    wf_dtype_name(t), render_type(t), i);
    }
    render_eqns(r, &n);
    for (uint32_t j = 0; j < p->nout; j++) {
        wf_dtype t = (wf_dtype)val_type(p, p->outs[j]).dtype;

        text_printf(r->t, "    *(%s *)k->p[%u] = %c_first_%s(%s);\n", render_type(t),
                    p->nin + j, r->set, wf_dtype_name(t), n.v[p->outs[j]]);
    }
    text_add(r->t, "}\n\n");
}
