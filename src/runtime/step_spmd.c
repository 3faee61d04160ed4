/* step_spmd.c -- spmd: the body in a frame of each device, on its parts of the operands.
 *
 * A part that is one piece of its array is used where it lies; others are copied, by the
 * device itself, into memory of the step, and parts of results back. Uses: the operands, the
 * results, then for each of both the copies of all devices, if there are any. */
#include "runtime/comm.h"

typedef struct PartOf { /* an operand or result, and a device's part of it */
    Spec spec;
    uint32_t rank;
    const int64_t *dims; /* of the whole */
    int64_t part[MAX_RANK];
    int64_t bytes;        /* of a part */
    size_t size;          /* of an element */
    uint32_t use, copies; /* copies: NO_USE where parts are in one piece */
} PartOf;

typedef struct SpmdStep {
    const char *text;
    Mesh mesh;
    Callee callee;
    uint32_t nin, nout;
    PartOf *io; /* operands, then results */
} SpmdStep;

/* ---- parts ------------------------------------------------------------------------ */

/* Is every device's part one piece? Axes before the divided one have one element. */
static bool in_one_piece(const PartOf *p)
{
    for (uint32_t k = 0; k < p->rank; k++)
        if (p->part[k] != p->dims[k])
            for (uint32_t i = 0; i < k; i++)
                if (p->part[i] != 1)
                    return false;
    return true;
}

/* The number of the part's first element in the whole. */
static int64_t part_start(const SpmdStep *s, const PartOf *p, int64_t device)
{
    int64_t at = 0;

    for (uint32_t k = 0; k < p->rank; k++)
        at = at * p->dims[k] +
             mesh_position(&s->mesh, device, p->spec.dim[k]) * p->part[k];
    return at;
}

/* Between the whole and the part, by runs along the last axes. */
static void copy_part(const PartOf *p, char *whole, char *part, bool out)
{
    int64_t run = (int64_t)p->size, n = 1, index[MAX_RANK] = {0};
    uint32_t k = p->rank;

    while (k > 0 && p->part[k - 1] == p->dims[k - 1])
        run *= p->dims[--k];
    if (k > 0)
        run *= p->part[--k];
    for (uint32_t i = 0; i < k; i++)
        n *= p->part[i];
    for (int64_t r = 0; r < n && run; r++, part += run) {
        int64_t at = 0;

        for (uint32_t i = 0; i < p->rank; i++)
            at = at * p->dims[i] + index[i];
        memcpy(out ? whole + (size_t)at * p->size : part,
               out ? part : whole + (size_t)at * p->size, (size_t)run);
        for (uint32_t i = k; i-- > 0 && ++index[i] == p->part[i];)
            index[i] = 0;
    }
}

/* ---- a run ------------------------------------------------------------------------- */

typedef struct SpmdRun {
    Frame *f;
    const Op *op;
    wf_ctx *first; /* the context of the first device, which has the profile meanwhile; NULL: nobody has */
} SpmdRun;

/* Where device d has its part. */
static char *part_at(const SpmdRun *r, const PartOf *p, int64_t d)
{
    if (p->copies != NO_USE)
        return (char *)op_at(r->f, r->op, p->copies) + d * p->bytes;
    return (char *)op_at(r->f, r->op, p->use) +
           (size_t)part_start(r->op->data, p, d) * p->size;
}

/* Does d give its part of this result? Of those that have the same, the first. */
static bool gives(const SpmdStep *s, const PartOf *p, int64_t d)
{
    for (uint32_t k = 0; k < s->mesh.n; k++)
        if (!(p->spec.used & 1u << k) && mesh_coordinate(&s->mesh, d, k))
            return false;
    return true;
}

static char *whole_from(const SpmdRun *r, const PartOf *p, int64_t d)
{
    return (char *)op_at(r->f, r->op, p->use) +
           (size_t)part_start(r->op->data, p, d) * p->size;
}

static bool run_device(void *user, int64_t d, Root *root)
{
    SpmdRun *r = user;
    const SpmdStep *s = r->op->data;
    Frame *g = root_frame(root, s->callee.plan, s->callee.symvals);

    if (d == 0 && r->f->root->cx->profile)
        profile_lend(r->f->root->cx, r->first = root->cx);
    g->nfixed = 0;
    for (uint32_t i = 0; i < s->nin + s->nout; i++) {
        const PartOf *p = &s->io[i];

        if (i < s->nin && p->copies != NO_USE)
            copy_part(p, whole_from(r, p, d), part_at(r, p, d), false);
        g->base[i < s->nin ? base_in(g->plan, i) : base_out(g->plan, i - s->nin)] =
            (uintptr_t)part_at(r, p, d);
    }
    if (!frame_run(g) || (root->checks && !root_check(root, g)))
        return false;
    for (uint32_t i = s->nin; i < s->nin + s->nout; i++)
        if (s->io[i].copies != NO_USE && gives(s, &s->io[i], d))
            copy_part(&s->io[i], whole_from(r, &s->io[i], d), part_at(r, &s->io[i], d),
                      true);
    return true;
}

static bool run_spmd(Frame *f, const Op *op)
{
    const SpmdStep *s = op->data;
    SpmdRun r = {f, op, NULL};
    bool ok;

    if (f->root->cx->comm)
        return op_fail(f, op, WF_ERR_VALUE, "an spmd inside an spmd");
    ok = team_run(f->root, s->text, run_device, &r);
    if (r.first) {
        r.first->profile = NULL;
        profile_lend(f->root->cx, NULL);
    }
    if (ok)
        return true;
    if (f->root->cx->status != WF_ERR_MEMORY)
        fail_note(f->root->cx, op_place(f, op), "in spmd of '%s'",
                  s->callee.plan->p->name);
    return false;
}

/* ---- binding ------------------------------------------------------------------------ */

static bool bind_piece(Bind *b, const SpmdStep *s, const char *text, Val v, PartOf *p)
{
    const char *why = spec_parse(b->a, &s->mesh, text, bind_rank(b, v), &p->spec);

    if (why)
        return bind_fail(b, WF_ERR_INTERNAL, "\"%s\": %s", text, why);
    p->rank = bind_rank(b, v);
    p->dims = bind_dims(b, v);
    p->size = wf_dtype_size(bind_dtype(b, v));
    p->bytes = (int64_t)p->size;
    for (uint32_t k = 0; k < p->rank; k++) {
        int64_t n = mesh_count(&s->mesh, p->spec.dim[k]);

        if (p->dims[k] % n)
            return bind_fail(b, WF_ERR_SHAPE,
                             "axis %u has %lld elements, for %lld devices", k,
                             (long long)p->dims[k], (long long)n);
        p->part[k] = p->dims[k] / n;
        p->bytes *= p->part[k];
    }
    return true;
}

/* Results that several devices have are written by each for itself. */
static bool needs_copies(const SpmdStep *s, const PartOf *p, bool result)
{
    uint32_t all = (1u << s->mesh.n) - 1;

    return !in_one_piece(p) || (result && p->spec.used != all && s->mesh.devices > 1);
}

bool bind_spmd(Bind *b)
{
    const SpmdAttr *a = b->attr;
    uint32_t nin = b->e->nin, nout = b->e->nout, n = nin + nout;
    SpmdStep *s = arena_zalloc(b->a, sizeof *s);
    const char **in = specs_split(b->a, a->in, nin),
               **out = specs_split(b->a, a->out, nout);
    Op *op;

    s->text = a->mesh;
    s->nin = nin;
    s->nout = nout;
    s->io = arena_zalloc(b->a, (n + 1) * sizeof *s->io);
    s->callee = (Callee){
        plan_sub(b->plan, a->body.p),
        arena_dup(b->a, a->body.binds.v, a->body.binds.n * sizeof(int64_t)), NULL, NULL};
    if (mesh_parse(b->a, a->mesh, &s->mesh) || !in || !out)
        return bind_fail(b, WF_ERR_INTERNAL, "its layouts do not parse");
    for (uint32_t i = 0; i < n; i++)
        if (!bind_piece(b, s, i < nin ? in[i] : out[i - nin],
                       i < nin ? bind_in(b, i) : bind_out(b, i - nin), &s->io[i]))
            return false;
    op = bind_op(b, run_spmd, s);
    for (uint32_t i = 0; i < n; i++)
        s->io[i].use = bind_use(b, op, i < nin ? bind_in(b, i) : bind_out(b, i - nin),
                                i < nin ? USE_READ : USE_WRITE);
    for (uint32_t i = 0; i < n; i++) {
        int64_t bytes = s->io[i].bytes * s->mesh.devices;

        s->io[i].copies = needs_copies(s, &s->io[i], i >= nin)
                              ? bind_use_bytes(b, op, bind_workspace(b, (size_t)bytes),
                                               bytes, 0, USE_WORK)
                              : NO_USE;
    }
    return true;
}
