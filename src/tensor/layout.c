/* layout.c -- concrete tensors that lie on a mesh, and results of ops on them.
 *
 * A layout is a text, "WHICH|MESH|SPEC" (op/mesh.h; WHICH is the caller's, to tell meshes of
 * the same shape apart), interned in the context; a tensor has its number. What an op, or a
 * program, makes of tensors that lie somewhere lies as transform/shard.c says, if they agree
 * on the mesh; those without a layout, or with another mesh, count as whole on all devices.
 *
 * "WHICH!X,Y|MESH|SPEC": the axes X and Y are a part of types. Symbolic tensors have such layouts
 * too, and ops may be refused (transform/explicit.c). What stands behind an @ in WHICH names devices:
 * operands of one op that name different ones are refused. "WHICH||" is one device without a mesh,
 * "~WHICH||" one where a tensor only happens to be, which nothing follows. "SPEC;2" was written with two
 * entries, which is kept where a result lies as the first operand.
 */
#include <stdio.h>

#include "op/mesh.h"
#include "tensor/tensor.h"

uint32_t layout_intern(wf_ctx *c, const char *text)
{
    Tensors *s = ts(c);
    const char *bar;
    char *copy;

    for (uint32_t i = 0; s && i < s->nlayouts; i++)
        if (!strcmp(s->layouts[i], text))
            return i + 1;
    if (!s || failed(c))
        return 0;
    bar = strchr(text, '|');
    if (!bar || !(bar = strchr(bar + 1, '|')) || strchr(bar + 1, '|')) {
        tensor_fail(c, WF_ERR_VALUE, "a layout is WHICH|MESH|SPEC");
        return 0;
    }
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

size_t layout_head(const char *text)
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

/* The first ! of WHICH!AXES, or NULL: no axes are a part of types. */
static const char *explicit_of(const char *text)
{
    const char *bang = strchr(text, '!');

    return bang && bang < strchr(text, '|') ? bang : NULL;
}

uint32_t layout_explicit(wf_ctx *c, const Tensor *t)
{
    return t && t->layout && explicit_of(layout_text(c, t->layout)) ? t->layout : 0;
}

/* The spec in front of how many entries it was written with. */
static int spec_length(const char *spec) { return (int)strcspn(spec, ";"); }

uint32_t layout_row(wf_ctx *c, uint32_t layout, uint32_t axis)
{
    const char *text = layout_text(c, layout), *spec, *end;
    char *row = NULL;
    size_t head, room;

    if (!text)
        return 0;
    head = layout_head(text);
    spec = text + head;
    for (uint32_t k = 0; k < axis && strchr(spec, ','); k++)
        spec = strchr(spec, ',') + 1;
    end = strchr(spec, ',');
    room = strlen(text) + 1;
    if (!(row = mem_alloc(&c->al, room)))
        return fail_memory(c), 0;
    snprintf(row, room, "%.*s%s", (int)(spec - text), text, end ? end + 1 : "");
    row[head + (size_t)spec_length(row + head)] = 0;
    if (!end && spec > text + head) /* it was the last of several */
        row[strlen(row) - 1] = 0;
    layout = layout_intern(c, row);
    mem_free(&c->al, row, room);
    return layout;
}

/* The axes that are a part of types, "": none are. */
static const char *typed_axes(Arena *a, const char *head)
{
    const char *bang = explicit_of(head);

    return bang ? arena_printf(a, "%.*s", (int)(strchr(bang, '|') - bang - 1), bang + 1) : "";
}

/* An op whose operands are refused for how they lie. Inside a region. */
static bool is_allowed(wf_ctx *c, const Program *p, const char *typed, const char *mesh, const char *const *specs)
{
    Arena *a = &c->scratch;
    const char *why, *rest;
    AxisList axes;
    Mesh m;
    Spec *in = arena_array(a, p->nin + 1, sizeof *in);

    if (!*typed || c->tensors->lenient || p->neqns != 1 || mesh_parse(a, mesh, &m))
        return true;
    for (uint32_t i = 0; i < p->nin; i++)
        if (spec_parse(a, &m, specs[i], val_type(p, program_in(p, i)).rank, &in[i]))
            return true;
    for (uint32_t i = 0; i < p->eqns[0].nin; i++)
        if (eqn_in(p, &p->eqns[0])[i] != program_in(p, i))
            return true;
    m.typed = mesh_find(a, &m, typed, &axes, &rest);
    why = xf_explicit(c, &m, p, &p->eqns[0], in);
    return !why || fail(c, WF_ERR_VALUE, NOWHERE, "ShardingTypeError: %s", why);
}

/* t lies so, and what was saved of it for its derivative. */
static void lie(Tensor *t, uint32_t layout)
{
    t->layout = layout;
    if (t->node && t->out < t->node->nout && t->node->out_saved[t->out])
        t->node->out_saved[t->out]->layout = layout;
}

/* Of an axis that is cut at once every device has all, as JAX has it of an index; in a program it lies as it did. */
static const char *without_cut_axes(wf_ctx *c, const Program *p, const char *spec)
{
    Type x = val_type(p, program_in(p, 0)), y = val_type(p, p->outs[0]);
    Text t;

    text_init(&t, &c->scratch);
    for (uint32_t k = 0; k < y.rank; k++) {
        int n = (int)strcspn(spec, ",");

        text_printf(&t, "%s%.*s", k ? "," : "", x.dims[k] == y.dims[k] ? n : 1, x.dims[k] == y.dims[k] ? spec : "-");
        spec += n + (spec[n] == ',');
    }
    return text_str(&t);
}

bool layout_results(wf_ctx *c, const Program *p, bool cuts, const char *head, Tensor *const *in, uint32_t nin, uint32_t *out)
{
    Arena *a = &c->scratch;
    const size_t length = layout_head(head);
    const char **specs = arena_array(a, nin + 1, sizeof *specs), **got, *text, *typed, *mesh = strchr(head, '|') + 1;

    memset(out, 0, p->nout * sizeof *out);
    if (*mesh == '|') { /* one device */
        for (uint32_t j = 0; j < p->nout; j++)
            out[j] = layout_intern(c, head);
        return !failed(c);
    }
    for (uint32_t i = 0; i < nin; i++) {
        const char *own = layout_text(c, in[i]->layout);

        specs[i] = "";
        if (own && !strncmp(own, head, length))
            specs[i] = arena_printf(a, "%.*s", spec_length(own + length), own + length);
        else
            for (uint32_t k = 0; k < in[i]->rank; k++)
                specs[i] = spec_insert(a, specs[i], k, k);
    }
    mesh = arena_printf(a, "%.*s", (int)(length - 1 - (size_t)(mesh - head)), mesh);
    typed = typed_axes(a, head);
    if (!is_allowed(c, p, typed, mesh, specs))
        return false;
    text = xf_layouts(c, p, mesh, typed, specs_join(a, specs, nin), false);
    if (cuts && text && !*typed)
        text = without_cut_axes(c, p, text);
    got = text ? specs_split(a, text, p->nout) : NULL;
    for (uint32_t j = 0; got && j < p->nout; j++)
        if (nin && in[0]->layout && !strcmp(specs[0], got[j]) && !strncmp(layout_text(c, in[0]->layout), head, length))
            out[j] = in[0]->layout;
        else
            out[j] = layout_intern(c, arena_printf(a, "%.*s%s", (int)length, head, got[j]));
    return !failed(c);
}

/* Inside a region. */
static void spread_over(wf_ctx *c, const Program *p, bool cuts, const char *head, Tensor *const *in, Tensor *const *out)
{
    uint32_t *lies = arena_array(&c->scratch, p->nout + 1u, sizeof *lies);

    if (layout_results(c, p, cuts, head, in, p->nin, lies))
        for (uint32_t j = 0; j < p->nout; j++)
            if (lies[j])
                lie(out[j], lies[j]);
}

/* A program of values that lie nowhere may divide its work itself: the layout said last of a mesh that one of its spmds has. */
static const char *head_of_spmd(wf_ctx *c, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (p->eqns[i].op == OP_spmd) {
            const char *mesh = ((const SpmdAttr *)p->eqns[i].attr)->mesh;
            size_t n = strlen(mesh);

            for (uint32_t k = c->tensors->nlayouts; k > 0; k--) {
                const char *text = layout_text(c, k), *at = strchr(text, '|') + 1;

                if (!explicit_of(text) && !strncmp(at, mesh, n) && at[n] == '|')
                    return text;
            }
        }
    return NULL;
}

/* WHICH|MESH|.. of t, or NULL: nothing says where it lies. */
static const char *said_of(wf_ctx *c, const Tensor *t)
{
    const char *text = layout_text(c, t->layout);

    return text && *text != '~' ? text : NULL;
}

/* That of the first that lies somewhere, or NULL. */
static const char *head_of_inputs(wf_ctx *c, Tensor *const *in, uint32_t nin)
{
    const char *head = NULL;

    for (uint32_t i = 0; i < nin && !head; i++)
        head = said_of(c, in[i]);
    return head;
}

/* The devices that a layout names, and the length of that; NULL: it names none. */
static const char *devices_of(const char *head, size_t *length)
{
    size_t n = strcspn(head, "!|"), at = strcspn(head, "@");

    *length = at < n ? n - at - 1 : 0;
    return *length ? head + at + 1 : NULL;
}

bool layout_agrees(wf_ctx *c, const char *name, Tensor *const *in, uint32_t nin)
{
    const char *first = NULL, *own, *head;
    size_t length = 0, n;
    uint32_t of = 0;

    for (uint32_t i = 0; i < nin; i++) {
        if (!(head = said_of(c, in[i])) || !(own = devices_of(head, &n)))
            continue;
        if (!first)
            first = own, length = n, of = i;
        else if (n != length || strncmp(own, first, n) != 0)
            return fail(c, WF_ERR_VALUE, NOWHERE, "%s: operand %u is %s on the devices %.*s, operand %u is %s on the devices %.*s", name, of,
                        shape_text(c, in[of]), (int)length, first, i, shape_text(c, in[i]), (int)n, own);
    }
    return true;
}

/* May results of an op, or of a program, lie somewhere? */
static bool may_lie(wf_ctx *c, OpCode op, const Program *call, Tensor *const *in, uint32_t nin, const Tensor *out)
{
    const char *head = head_of_inputs(c, in, nin);

    return head ? !out->symbolic || explicit_of(head) : !out->symbolic && (call || op == OP_spmd);
}

bool layout_spread(wf_ctx *c, OpCode op, const void *attr, const Program *call,
                   Tensor *const *in, uint32_t nin, Tensor *const *out)
{
    if (!may_lie(c, op, call, in, nin, out[0]))
        return true;
    if (!layout_agrees(c, call ? call->name : op_name(op), in, nin))
        return false;
    T_ENTER(c, false)
    const Program *p = call ? call : op_program(c, op, attr, in, nin);
    const char *head = head_of_inputs(c, in, nin);
    head = head || !p ? head : head_of_spmd(c, p);
    if (head && p && p->nin == nin)
        spread_over(c, p, !call && op == OP_slice, head, in, out);
    T_LEAVE(c);
    if (failed(c) && c->status != WF_ERR_MEMORY && strncmp(c->error.text, "ShardingTypeError", 17) != 0)
        wf_clear(c); /* the numbers are right; where they lie is not known */
    return !failed(c);
}

void layout_follow(wf_ctx *c, Tensor *const *x, uint32_t n, const wf_tensor *out)
{
    for (uint32_t i = 0; i < n; i++) {
        Tensor *t = out[i].gen ? tensor_get(c, out[i], "layout") : NULL;

        if (t && !t->symbolic && !t->layout && said_of(c, x[i]))
            t->layout = x[i]->layout;
    }
}
