/* layout.c -- concrete tensors that lie on a mesh, and results of ops on them.
 *
 * A layout is a text, "WHICH|MESH|SPEC" (op/mesh.h; WHICH is the caller's, to tell meshes of
 * the same shape apart), interned in the context; a tensor has its number. What an op, or a
 * program, makes of tensors that lie somewhere lies as transform/shard.c says, if they agree
 * on the mesh; those without a layout, or with another mesh, count as whole on all devices.
 */
#include "op/mesh.h"
#include "tensor/tensor.h"

uint32_t layout_intern(wf_ctx *c, const char *text)
{
    Tensors *s = ts(c);
    char *copy;

    for (uint32_t i = 0; s && i < s->nlayouts; i++)
        if (!strcmp(s->layouts[i], text))
            return i + 1;
    if (!s || failed(c))
        return 0;
    if (s->nlayouts == COUNT(s->layouts)) {
        tensor_fail(c, WF_ERR_LIMIT, "more than %d layouts of tensors", (int)COUNT(s->layouts));
        return 0;
    }
    if (!(copy = arena_strdup(&s->names, text)))
        return fail_memory(c), 0;
    s->layouts[s->nlayouts] = copy;
    return ++s->nlayouts;
}

const char *layout_text(wf_ctx *c, uint32_t layout)
{
    return layout ? c->tensors->layouts[layout - 1] : NULL;
}

/* The length of WHICH|MESH| in front. */
static size_t head_of(const char *text)
{
    return (size_t)(strrchr(text, '|') - text) + 1;
}

/* The op alone as a program. Inside a region. */
static const Program *op_program(wf_ctx *c, OpCode op, const void *attr,
                                 Tensor *const *in, uint32_t nin)
{
    Builder *b = builder_new(c, op_name(op), B_VERBATIM);
    Val *v = arena_array(&b->arena, nin + 1, sizeof *v), *out;
    uint32_t n;

    for (uint32_t i = 0; i < nin && !failed(c); i++)
        v[i] = b_input(b, NULL,
                       b_make_type(b, (wf_dtype)in[i]->dtype, in[i]->dims, in[i]->rank));
    out = b_eqn_n(b, op, v, nin, attr, &n);
    return builder_finish(b, out, n);
}

/* Inside a region. */
static void spread_over(wf_ctx *c, const Program *p, const char *head, size_t length,
                        Tensor *const *in, Tensor *const *out)
{
    Arena *a = &c->scratch;
    const char **specs = arena_array(a, p->nin + 1, sizeof *specs), **got, *text, *mesh;

    for (uint32_t i = 0; i < p->nin; i++) {
        const char *own = layout_text(c, in[i]->layout);

        specs[i] = "";
        if (own && !strncmp(own, head, length))
            specs[i] = own + length;
        else
            for (uint32_t k = 0; k < in[i]->rank; k++)
                specs[i] = spec_insert(a, specs[i], k, k);
    }
    mesh = strchr(head, '|') + 1;
    text = xf_layouts(
        c, p, arena_printf(a, "%.*s", (int)(length - 1 - (size_t)(mesh - head)), mesh),
        specs_join(a, specs, p->nin));
    got = text ? specs_split(a, text, p->nout) : NULL;
    for (uint32_t j = 0; got && j < p->nout; j++)
        out[j]->layout =
            layout_intern(c, arena_printf(a, "%.*s%s", (int)length, head, got[j]));
}

void layout_spread(wf_ctx *c, OpCode op, const void *attr, const Program *call,
                   Tensor *const *in, uint32_t nin, Tensor *const *out)
{
    const char *head = NULL;

    for (uint32_t i = 0; i < nin && !head; i++)
        head = layout_text(c, in[i]->layout);
    if (!head)
        return;
    T_ENTER(c, )
    const Program *p = call ? call : op_program(c, op, attr, in, nin);
    if (p && p->nin == nin)
        spread_over(c, p, head, head_of(head), in, out);
    T_LEAVE(c);
    if (failed(c) && c->status != WF_ERR_MEMORY)
        wf_clear(c); /* the numbers are right; where they lie is not known */
}
