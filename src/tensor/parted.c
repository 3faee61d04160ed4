/* parted.c -- concrete tensors that processes hold together: each has its part, nobody has the whole.
 *
 * Such a tensor has the sizes and the layout of the whole. Its memory is on the meta device, where nobody reads, and its Storage
 * has the part that is this process's. Of a mesh whose devices are of several processes, a mesh of the processes with the same
 * axes is known here ("data:8,model:2", of which each of two processes has eight devices, is "data:2,model:1"): a process is one
 * device of that, and its part is what its own devices have together.
 *
 * An op on such tensors, or a program, is divided over the mesh of the processes (transform/spread.c), and this process does its
 * part with the others. All processes do the same in the same order. What cannot be divided is done by every process on the
 * whole, which is brought together for it, and of the results each keeps its part. Tensors that are no parts are whole in every
 * process, and the same.
 */
#include "op/mesh.h"
#include "tensor/tensor.h"
#include "world/world.h"

typedef struct PartMesh {
    struct PartMesh *next;
    const char *head; /* WHICH|MESH| of layouts on it */
    const char *mesh; /* of the processes */
    wf_comm *world;
    Mesh all, own; /* both, read */
} PartMesh;

struct PartedForm { /* a prim on operands that lie so; in its arena */
    struct PartedForm *next;
    const PartMesh *mesh;
    uint32_t *lies, *in;  /* layouts of the operands; of those that are parts, 0: whole */
    const char *wanted;   /* specs of the results; NULL: as they come */
    const Program *part;  /* what a process does; NULL: it cannot be divided */
    wf_exec *exec;        /* of that, made at need */
    uint32_t *out;        /* layouts of the results */
};

static void free_forms(PartedForm *f)
{
    for (; f; f = f->next) {
        wf_exec_release(f->exec);
        program_release(f->part);
    }
}

/* ---- meshes ------------------------------------------------------------------------------------ */

void parted_meshes_forget(wf_ctx *c)
{
    if (c->tensors)
        c->tensors->part_meshes = NULL;
}

static const PartMesh *mesh_of(wf_ctx *c, const char *layout)
{
    size_t n = layout ? layout_head(layout) : 0;

    for (const PartMesh *m = n ? c->tensors->part_meshes : NULL; m; m = m->next)
        if (!strncmp(m->head, layout, n) && !m->head[n])
            return m;
    return NULL;
}

static Spec whole_spec(uint32_t rank) { return (Spec){.rank = rank}; }

/* How the parts of processes lie. Whole where the devices of a process have no one block: of an axis that several of the mesh
 * divide, one in front has several devices in the process, and one behind is of several processes. In scratch memory. */
static Spec part_spec(wf_ctx *c, const PartMesh *m, const char *spec, uint32_t rank)
{
    const char *text = arena_printf(&c->scratch, "%.*s", (int)strcspn(spec, ";"), spec);
    bool divided = false;
    Spec s;

    if (spec_parse(&c->scratch, &m->all, text, rank, &s))
        return whole_spec(rank);
    for (uint32_t k = 0; k < rank; k++) {
        AxisList by = s.dim[k];

        divided = divided || mesh_count(&m->own, by) > 1;
        for (uint32_t i = 0; i < by.n; i++)
            for (uint32_t j = i + 1; j < by.n; j++)
                if (m->own.size[by.v[i]] < m->all.size[by.v[i]] && m->own.size[by.v[j]] > 1)
                    return whole_spec(rank);
    }
    return divided ? s : whole_spec(rank);
}

static Spec spec_of_layout(wf_ctx *c, const PartMesh *m, uint32_t layout, uint32_t rank)
{
    const char *text = layout_text(c, layout);

    return text && mesh_of(c, text) == m ? part_spec(c, m, text + layout_head(text), rank) : whole_spec(rank);
}

/* ---- tensors ------------------------------------------------------------------------------------- */

Tensor *parted_part(wf_ctx *c, const Tensor *t)
{
    const wf_array *a = t->store->array;

    if (t->packed && !t->offset && (uint32_t)wf_array_rank(a) == t->rank &&
        (!t->rank || !memcmp(wf_array_dims(a), t->dims, t->rank * sizeof *t->dims)))
        return t->store->part;
    fail(c, WF_ERR_INTERNAL, NOWHERE, "a view of a tensor of which this process has a part");
    return NULL;
}

/* Takes over the reference to the part, also when it fails. */
static Tensor *parted_new(wf_ctx *c, const int64_t *dims, uint32_t rank, Tensor *part, uint32_t layout)
{
    Tensor *t = NULL;
    wf_array *a;

    if (part && array_new_on(c, &device_meta, (wf_dtype)part->dtype, dims, (int)rank, &a) && (t = tensor_from_array(c, a))) {
        t->store->part = part;
        t->layout = layout;
        return t;
    }
    tensor_release(c, part);
    return NULL;
}

static Tensor *copy_parted(wf_ctx *c, Tensor *t)
{
    Tensor *part = parted_part(c, t);

    return part ? parted_new(c, t->dims, t->rank, tensor_copy(c, part), t->layout) : NULL;
}

bool parted_place(wf_ctx *c, const char *layout, const int64_t *dims, uint32_t rank, int64_t *start, int64_t *size)
{
    const PartMesh *m = mesh_of(c, layout);
    bool divided = false;
    Spec s;

    if (!m)
        return false;
    T_ENTER(c, false)
    s = part_spec(c, m, layout + layout_head(layout), rank);
    for (uint32_t k = 0; k < rank; k++) {
        int64_t n = mesh_count(&m->own, s.dim[k]);

        divided = divided || n > 1;
        if (dims[k] % mesh_count(&m->all, s.dim[k]))
            fail(c, WF_ERR_SHAPE, NOWHERE, "axis %u has %lld elements, for %lld devices", k, (long long)dims[k],
                 (long long)mesh_count(&m->all, s.dim[k]));
        size[k] = dims[k] / n;
        start[k] = size[k] * mesh_position(&m->own, wf_comm_rank(m->world), s.dim[k]);
    }
    T_LEAVE(c);
    return divided && !failed(c);
}

/* This process's part of what every process has the whole of; the whole where it is not divided. */
static Tensor *cut(wf_ctx *c, Tensor *t, uint32_t layout)
{
    int64_t start[MAX_RANK], size[MAX_RANK], offset = t->offset;
    const char *text = layout_text(c, layout);
    Tensor *view, *part;

    if (!text || !parted_place(c, text, t->dims, t->rank, start, size)) {
        if (failed(c) || !(view = tensor_alias(c, t)))
            return NULL;
        view->layout = layout;
        return view;
    }
    for (uint32_t k = 0; k < t->rank; k++)
        offset += start[k] * t->strides[k];
    if (!(view = tensor_view(c, t, (wf_dtype)t->dtype, size, t->strides, t->rank, offset)))
        return NULL;
    part = tensor_copy(c, view);
    tensor_release(c, view);
    return part ? parted_new(c, t->dims, t->rank, part, layout) : NULL;
}

Tensor *parted_join(wf_ctx *c, Tensor *part, const char *layout, const int64_t *dims, uint32_t rank)
{
    int64_t start[MAX_RANK], size[MAX_RANK];
    bool same;

    if (!parted_place(c, layout, dims, rank, start, size)) {
        tensor_fail(c, WF_ERR_ARG, "layout \"%s\" divides nothing among processes", layout);
        return NULL;
    }
    same = part->rank == rank;
    for (uint32_t k = 0; same && k < rank; k++)
        same = part->dims[k] == size[k];
    if (!same) {
        tensor_fail(c, WF_ERR_SHAPE, "%s is not this process's part by layout \"%s\"", shape_text(c, part), layout);
        return NULL;
    }
    return parted_new(c, dims, rank, tensor_retain(part), layout_intern(c, layout));
}

/* ---- ops and programs ------------------------------------------------------------------------------ */

/* The specs of n tensors, as the mesh of processes has them. Inside a region. */
static const char *specs_text(wf_ctx *c, const PartMesh *m, const uint32_t *layouts, const Program *p, bool inputs)
{
    uint32_t n = inputs ? p->nin : p->nout;
    const char **t = arena_array(&c->scratch, n + 1u, sizeof *t);

    for (uint32_t k = 0; k < n; k++) {
        uint32_t rank = val_type(p, inputs ? program_in(p, k) : p->outs[k]).rank;
        Spec s = spec_of_layout(c, m, layouts[k], rank);

        t[k] = xf_spec_text(&c->scratch, &m->own, &s);
    }
    return specs_join(&c->scratch, t, n);
}

/* The layouts of the results: as wanted, or as they come of those of the operands. Inside a region. */
static bool find_layouts(wf_ctx *c, const Prim *p, const PartMesh *m, Tensor *const *in, const char *wanted, uint32_t *out)
{
    const char **spec = wanted ? specs_split(&c->scratch, wanted, p->nout) : NULL;

    if (!wanted)
        return layout_results(c, p->program, p->op == OP_slice, m->head, in, p->nin, out);
    if (!spec)
        return fail(c, WF_ERR_ARG, NOWHERE, "layouts \"%s\" are not of %u results", wanted, p->nout);
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = layout_intern(c, arena_printf(&c->scratch, "%s%s", m->head, spec[j]));
    return !failed(c);
}

static bool is_refusal(const wf_ctx *c)
{
    return c->status == WF_ERR_MEMORY || !strncmp(c->error.text, "ShardingTypeError", 17);
}

static PartedForm *make_form(wf_ctx *c, Prim *p, const PartMesh *m, Tensor *const *in, const char *wanted)
{
    PartedForm *f;
    const Program *q;

    T_ENTER(c, NULL)
    f = arena_zalloc(&p->arena, sizeof *f);
    f->mesh = m;
    f->wanted = wanted ? arena_strdup(&p->arena, wanted) : NULL;
    f->lies = arena_zalloc(&p->arena, (p->nin + 1u) * sizeof *f->lies);
    f->in = arena_zalloc(&p->arena, (p->nin + 1u) * sizeof *f->in);
    f->out = arena_zalloc(&p->arena, (p->nout + 1u) * sizeof *f->out);
    for (uint32_t i = 0; i < p->nin; i++) {
        f->lies[i] = in[i]->layout;
        f->in[i] = tensor_is_parted(in[i]) ? in[i]->layout : 0;
    }
    if (!find_layouts(c, p, m, in, wanted, f->out) && !wanted && !is_refusal(c)) {
        memset(f->out, 0, p->nout * sizeof *f->out); /* where they would lie is not known */
        wf_clear(c);
    }
    q = failed(c) ? NULL
                  : xf_spread(c, p->program, m->mesh, specs_text(c, m, f->in, p->program, true),
                              specs_text(c, m, f->out, p->program, false));
    if (q)
        f->part = program_retain(((const SpmdAttr *)q->eqns[q->neqns - 1].attr)->body.p);
    else if (failed(c) && c->status != WF_ERR_INTERNAL && !is_refusal(c))
        wf_clear(c); /* every process does all of it */
    T_LEAVE(c);
    if (failed(c))
        return NULL;
    f->next = p->parted;
    return p->parted = f;
}

static PartedForm *find_form(wf_ctx *c, Prim *p, const PartMesh *m, Tensor *const *in, const char *wanted)
{
    for (PartedForm *f = p->parted; f; f = f->next) {
        bool same = f->mesh == m && (wanted ? f->wanted && !strcmp(f->wanted, wanted) : !f->wanted);

        for (uint32_t i = 0; same && i < p->nin; i++)
            same = f->lies[i] == in[i]->layout && !f->in[i] == !tensor_is_parted(in[i]);
        if (same)
            return f;
    }
    return make_form(c, p, m, in, wanted);
}

/* The mesh that operands lie on, or that of a layout. NULL: none, or with an error. */
static const PartMesh *common_mesh(wf_ctx *c, Tensor *const *in, uint32_t nin)
{
    const PartMesh *m = NULL;

    for (uint32_t i = 0; i < nin && !m; i++)
        m = tensor_is_parted(in[i]) ? mesh_of(c, layout_text(c, in[i]->layout)) : NULL;
    if (!m)
        fail(c, WF_ERR_VALUE, NOWHERE, "a tensor whose parts other processes had, which are gone");
    return m;
}

/* A part of the operands and of the results each, in step with the other processes. */
static bool run_part(wf_ctx *c, const Prim *p, PartedForm *f, Tensor *const *in, Tensor **out)
{
    size_t room = (p->nin + 1u) * sizeof(Tensor *);
    Tensor **x = mem_alloc(&c->al, room);
    bool ok = x != NULL;

    if (!ok)
        return fail_memory(c);
    for (uint32_t i = 0; i < p->nin && ok; i++)
        ok = (x[i] = tensor_is_parted(in[i]) ? parted_part(c, in[i]) : in[i]) != NULL;
    if (ok && !f->exec)
        wf_prepare(c, f->part, &f->exec);
    ok = ok && !failed(c) && wf_comm_use(c, f->mesh->world, f->mesh->mesh) == WF_OK;
    if (ok) {
        ok = tensor_run(c, f->exec, x, p->nin, out, p->nout);
        world_leave(c);
    }
    mem_free(&c->al, x, room);
    for (uint32_t j = 0; j < p->nout && ok; j++) {
        int64_t start[MAX_RANK], size[MAX_RANK];
        const char *text = layout_text(c, f->out[j]);

        if (text && parted_place(c, text, p->out[j].dims, p->out[j].rank, start, size))
            ok = (out[j] = parted_new(c, p->out[j].dims, p->out[j].rank, out[j], f->out[j])) != NULL;
        else
            out[j]->layout = f->out[j];
        ok = ok && !failed(c);
    }
    return ok;
}

/* On the whole, in every process. */
static bool run_whole(wf_ctx *c, Prim *p, const PartedForm *f, Tensor *const *in, Tensor **out)
{
    size_t room = (p->nin + 1u) * sizeof(Tensor *);
    Tensor **x = mem_alloc(&c->al, room);
    bool ok = x != NULL;

    if (!ok)
        return fail_memory(c);
    memset(x, 0, room);
    for (uint32_t i = 0; i < p->nin && ok; i++)
        ok = (x[i] = tensor_is_parted(in[i]) ? parted_lie(c, in[i], NULL) : tensor_retain(in[i])) != NULL;
    ok = ok && tensor_run_prim(c, p, x, out);
    for (uint32_t j = 0; j < p->nout && ok; j++) {
        Tensor *whole = out[j];

        ok = (out[j] = cut(c, whole, f->out[j])) != NULL;
        tensor_release(c, whole);
    }
    for (uint32_t i = 0; i < p->nin; i++)
        tensor_release(c, x[i]);
    mem_free(&c->al, x, room);
    return ok;
}

static bool run_prim(wf_ctx *c, Prim *p, const PartMesh *m, Tensor *const *in, const char *wanted, Tensor **out)
{
    PartedForm *f;
    bool ok;

    p->refs++; /* what is brought together on the way may make room among the prims */
    f = find_form(c, p, m, in, wanted);
    ok = f && (f->part ? run_part(c, p, f, in, out) : run_whole(c, p, f, in, out));
    if (!ok)
        for (uint32_t j = 0; j < p->nout; j++) {
            tensor_release(c, out[j]);
            out[j] = NULL;
        }
    prim_release(c, p);
    return ok;
}

static bool run_parted(wf_ctx *c, Prim *p, Tensor *const *in, const char *head, const char *wanted, Tensor **out)
{
    const PartMesh *m = head ? mesh_of(c, head) : common_mesh(c, in, p->nin);

    if (head && !m)
        return fail(c, WF_ERR_ARG, NOWHERE, "no mesh of processes has layouts \"%s\"", head);
    return m && run_prim(c, p, m, in, wanted, out);
}

Tensor *parted_lie(wf_ctx *c, Tensor *t, const char *layout)
{
    const PartMesh *m = tensor_is_parted(t) ? mesh_of(c, layout_text(c, t->layout)) : NULL;
    ShardAttr a = {"", ""};
    Tensor *out = NULL, *whole;
    Text wanted;
    Prim *p;

    if (!tensor_is_parted(t))
        return cut(c, t, layout ? layout_intern(c, layout) : 0);
    if (!m) {
        common_mesh(c, &t, 1);
        return NULL;
    }
    if (layout && mesh_of(c, layout) != m) { /* from one mesh to another */
        if (!(whole = parted_lie(c, t, NULL)))
            return NULL;
        out = cut(c, whole, layout_intern(c, layout));
        tensor_release(c, whole);
        return out;
    }
    T_ENTER(c, NULL)
    text_init(&wanted, &c->scratch);
    for (uint32_t k = 0; k < t->rank; k++)
        text_printf(&wanted, "%s-", k ? "," : "");
    a.mesh = arena_printf(&c->scratch, "%.*s", (int)strcspn(strchr(m->head, '|') + 1, "|"), strchr(m->head, '|') + 1);
    a.spec = layout ? arena_printf(&c->scratch, "%.*s", (int)strcspn(layout + layout_head(layout), ";"), layout + layout_head(layout))
                    : text_str(&wanted);
    p = prim_find(c, OP_shard, &t, 1, &a);
    if (p)
        run_prim(c, p, m, &t, a.spec, &out);
    if (out)
        out->layout = layout ? layout_intern(c, layout) : 0;
    T_LEAVE(c);
    return out;
}

static wf_tensor full_parted(wf_ctx *c, Tensor *like, double x)
{
    Tensor *part = parted_part(c, like), *t = NULL, *own;
    wf_tensor r = part ? wf_full(c, (wf_dtype)like->dtype, part->dims, (int)part->rank, x) : WF_NONE;

    if (!failed(c) && (own = tensor_get(c, r, "wf_full_like")) != NULL)
        t = parted_join(c, own, layout_text(c, like->layout), like->dims, like->rank);
    if (t)
        t->weak = like->weak;
    return tensor_handle(c, t);
}

/* ---- what other files know of it ---- */

static const PartedOps parted_ops = {copy_parted, full_parted, run_parted, free_forms};

bool parted_mesh(wf_ctx *c, const char *head, const char *mesh, wf_comm *world)
{
    Tensors *s = ts(c);
    const char *at = strchr(head, '|'), *why;
    PartMesh *m;

    T_ENTER(c, false)
    m = arena_zalloc(&s->names, sizeof *m);
    m->head = arena_strdup(&s->names, head);
    m->mesh = arena_strdup(&s->names, mesh);
    m->world = world;
    why = at ? mesh_parse(&s->names, arena_printf(&s->names, "%.*s", (int)strcspn(at + 1, "|"), at + 1), &m->all) : "it has no mesh";
    if (!why)
        why = mesh_parse(&s->names, mesh, &m->own);
    if (!why && (m->own.n != m->all.n || m->own.devices != wf_comm_size(world)))
        why = "the processes are others";
    for (uint32_t k = 0; !why && k < m->own.n; k++)
        if (strcmp(m->own.name[k], m->all.name[k]) || m->all.size[k] % m->own.size[k])
            why = "their axes differ";
    if (why)
        fail(c, WF_ERR_VALUE, NOWHERE, "a mesh of processes: \"%s\" and \"%s\": %s", head, mesh, why);
    else
        m->next = s->part_meshes, s->part_meshes = m, s->parted = &parted_ops;
    T_LEAVE(c);
    return !failed(c);
}
