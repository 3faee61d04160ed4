/* op_spmd.c -- spmd: one body on every device of a mesh at once.
 *
 *   y.. = spmd x.. body=f mesh="x:4,y:2" in="x,-;-" out="x"
 *
 * Every device runs the body on its part of each operand: along an axis of an array that
 * `in` divides by axes of the mesh it has one of so many equal pieces, and all of the
 * others. Collectives in the body (op_collective.c) speak of the devices. The results are
 * put together of the devices' parts in the same way; of one that `out` does not divide by
 * an axis of the mesh, the devices along that axis have the same, and the first gives it.
 *
 * Rules go into the body, and the layouts go with their values. Residuals of a split are
 * each device's own: they get a new first axis, divided by the whole mesh. Transposed,
 * what an operand was is what its cotangent is. With check the body says itself where
 * cotangents of all devices are summed (pvary). Without, each of the devices that hold a
 * copy of a result gets its share of the cotangent, and copies of an operand add theirs:
 *
 *   gy' = gy / (devices that hold a copy),   gx = psum gx'   over the axes of the copies
 *
 * The meaning, which eval computes, is that of the body batched over the devices
 * (op_spmd_as_batch); the runtime has an engine for it (runtime/step_spmd.c).
 */
#include "op/control.h"
#include "op/mesh.h"

/* ---- layouts ---- */

typedef struct Layouts {
    Mesh mesh;
    const char **in, **out; /* texts */
} Layouts;

/* The texts of an attribute that its type rule has passed. */
static bool take_apart(Builder *b, const SpmdAttr *a, uint32_t nin, uint32_t nout,
                       Layouts *out)
{
    const char *why = mesh_parse(&b->arena, a->mesh, &out->mesh);

    out->in = specs_split(&b->arena, a->in, nin);
    out->out = specs_split(&b->arena, a->out, nout);
    return !why && out->in && out->out;
}

static bool bad_text(TypeRule *t, const char *what, const char *text, const char *why)
{
    return type_fail(t, WF_ERR_VALUE, "%s=\"%s\": %s", what, text, why);
}

/* The type of a device's part of x. */
static bool part_type(TypeRule *t, const Mesh *m, const char *text, Type x, uint32_t i,
                      Type *out)
{
    Dim dims[MAX_RANK];
    Spec s;
    const char *why = spec_parse(&t->b->arena, m, text, x.rank, &s);

    if (why)
        return bad_text(t, "in", text, why);
    for (uint32_t k = 0; k < x.rank; k++) {
        int64_t n = mesh_count(m, s.dim[k]);

        if (!dim_exact(t->dims, x.dims[k], n, &dims[k]))
            return type_fail(t, WF_ERR_SHAPE,
                             "operand %u is %s, but axis %u is divided by %lld devices",
                             i, type_show(t, x), k, (long long)n);
    }
    *out = b_make_type(t->b, (wf_dtype)x.dtype, dims, x.rank);
    return true;
}

static bool whole_type(TypeRule *t, const Mesh *m, const char *text, Type y)
{
    Dim dims[MAX_RANK];
    Spec s;
    const char *why = spec_parse(&t->b->arena, m, text, y.rank, &s);

    if (why)
        return bad_text(t, "out", text, why);
    for (uint32_t k = 0; k < y.rank; k++)
        dims[k] = dim_mul(t->dims, y.dims[k], mesh_count(m, s.dim[k]));
    type_out(t, (wf_dtype)y.dtype, dims, y.rank);
    return true;
}

static bool type_spmd(TypeRule *t)
{
    SpmdAttr *a = t->attr;
    uint32_t nout = a->body.p ? a->body.p->nout : 0;
    Type *in = NEW(t->b, t->nin, Type), *out = NEW(t->b, nout, Type);
    Arena *ar = &t->b->arena;
    const char *why, **ins, **outs;
    Mesh m;

    if ((why = mesh_parse(ar, a->mesh, &m)))
        return bad_text(t, "mesh", a->mesh, why);
    if (!(ins = specs_split(ar, a->in, t->nin)))
        return bad_text(t, "in", a->in, "needs one spec for each operand");
    if (!(outs = specs_split(ar, a->out, nout)))
        return bad_text(t, "out", a->out, "needs one spec for each result");
    for (uint32_t i = 0; i < t->nin; i++)
        if (!part_type(t, &m, ins[i], t->in[i], i, &in[i]))
            return false;
    if (!sub_bind(t, &a->body, "body", in, t->nin, out))
        return false;
    for (uint32_t j = 0; j < nout; j++)
        if (!whole_type(t, &m, outs[j], out[j]))
            return false;
    return true;
}

/* ---- the body with other inputs and results ---- */

/* A copy of p under construction. */
typedef struct Remake {
    Builder *b;
    Copier c;
    Val *out; /* results of p, once body was called */
} Remake;

static void remake_begin(Remake *r, wf_ctx *cx, const Program *p)
{
    r->b = builder_new(cx, p->name, B_OPTIMISE);
    copier_init(&r->c, r->b, p, NULL, NULL);
    r->out = NEW(r->b, p->nout, Val);
}

static Type remake_type(Remake *r, uint32_t i)
{
    return copier_type(&r->c, val_type(r->c.from, program_in(r->c.from, i)));
}

static void remake_input(Remake *r, uint32_t i, Val v)
{
    r->c.val[program_in(r->c.from, i)] = v;
}

static void remake_body(Remake *r)
{
    const Program *p = r->c.from;

    for (uint32_t i = 0; i < p->neqns && !b_failed(r->b); i++)
        copier_eqn(&r->c, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        r->out[j] = r->c.val[p->outs[j]];
}

/* Results from `first` on get a new first axis of size 1. */
static const Program *stack_results(wf_ctx *cx, const Program *p, uint32_t first)
{
    Remake r;

    remake_begin(&r, cx, p);
    for (uint32_t i = 0; i < p->nin && !failed(cx); i++)
        remake_input(&r, i, b_input(r.b, input_name(p, i), remake_type(&r, i)));
    remake_body(&r);
    for (uint32_t j = first; j < p->nout && !failed(cx); j++)
        r.out[j] = b_expand(r.b, r.out[j], 0);
    return builder_finish(r.b, r.out, p->nout);
}

/* Inputs that are `stacked` have such an axis. */
static const Program *unstack_inputs(wf_ctx *cx, const Program *p, const bool *stacked)
{
    Remake r;

    remake_begin(&r, cx, p);
    for (uint32_t i = 0; i < p->nin && !failed(cx); i++) {
        Type t = remake_type(&r, i);
        Val v = b_input(r.b, input_name(p, i), stacked[i] ? stack_type(r.b, t, 1) : t);

        remake_input(&r, i, stacked[i] && !failed(cx) ? b_squeeze(r.b, v, 0) : v);
    }
    remake_body(&r);
    return builder_finish(r.b, r.out, p->nout);
}

/* psum of result j over these axes; "": none */
static const Program *sum_results(wf_ctx *cx, const Program *p, const char *const *axes)
{
    Remake r;

    remake_begin(&r, cx, p);
    for (uint32_t i = 0; i < p->nin && !failed(cx); i++)
        remake_input(&r, i, b_input(r.b, input_name(p, i), remake_type(&r, i)));
    remake_body(&r);
    for (uint32_t j = 0; j < p->nout && !failed(cx); j++)
        if (*axes[j])
            r.out[j] =
                b_eqn1(r.b, OP_psum, &r.out[j], 1, &(CollectiveAttr){.axis = axes[j]});
    return builder_finish(r.b, r.out, p->nout);
}

/* ---- rules ---- */

static Val *emit(Builder *b, const SpmdAttr *like, const Sub *body, const Val *in,
                 const char *const *in_spec, uint32_t nin, const char *const *out_spec,
                 uint32_t *nout)
{
    SpmdAttr a = *like;

    if (b_failed(b) || !body->p)
        return NULL;
    a.body = *body;
    a.in = specs_join(&b->arena, in_spec, nin);
    a.out = specs_join(&b->arena, out_spec, body->p->nout);
    return b_eqn_n(b, OP_spmd, in, nin, &a, nout);
}

static void jvp_spmd(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const SpmdAttr *a = e->attr;
    bool *in_nz = NEW(b, e->nin, bool), *out_nz = NEW(b, e->nout, bool);
    Val *in = NEW(b, 2 * e->nin, Val), *out;
    const char **specs = NEW(b, 2 * (e->nin + e->nout), const char *), **outs;
    uint32_t n, k;
    Layouts l;
    Sub body;

    nonzero_of(dx, e->nin, in_nz);
    if (!take_apart(b, a, e->nin, e->nout, &l))
        return;
    body.p = xf_jvp(b->cx, a->body.p, in_nz, NULL, out_nz);
    if (!body.p)
        return;
    body = sub_like(b, &a->body, body.p);
    n = join_nonzero(e->in, e->nin, dx, in);
    for (uint32_t i = k = 0; i < e->nin; i++)
        specs[k++] = l.in[i];
    for (uint32_t i = 0; i < e->nin; i++)
        if (in_nz[i])
            specs[k++] = l.in[i];
    outs = specs + k;
    for (uint32_t j = k = 0; j < e->nout; j++)
        outs[k++] = l.out[j];
    for (uint32_t j = 0; j < e->nout; j++)
        if (out_nz[j])
            outs[k++] = l.out[j];
    out = emit(b, a, &body, in, specs, n, outs, &k);
    if (b_failed(b))
        return;
    memcpy(dy + e->nout, out, e->nout * sizeof *out);
    op_spread(out + e->nout, out_nz, e->nout, dy);
}

/* known: y.., r.. = known(x..), each r stacked;   rest: dy.. = rest(r.., dx..) */
static bool partition_spmd(PartitionRule *r)
{
    const SpmdAttr *a = r->ek.attr;
    uint32_t nin = r->ek.nin, nout = r->ek.nout, n = 0, nk, k = 0;
    Builder *kb = r->known, *rb = r->rest;
    bool *in_known = NEW(kb, nin, bool), *stacked;
    Val *in = NEW(kb, nin, Val), *rest_in, *out;
    const char **ispec = NEW(kb, nin, const char *), **ospec, **rspec;
    Layouts l;
    Split sp;

    nonzero_of(r->ek.in, nin, in_known);
    if (!take_apart(kb, a, nin, nout, &l) ||
        !split_sub(r->cx, a->body.p, in_known, NULL, &sp))
        return false;
    nk = count_true(sp.out_known, nout);
    ospec = NEW(kb, nk + sp.nres, const char *);
    for (uint32_t i = 0; i < nin; i++)
        if (in_known[i]) {
            ispec[n] = l.in[i];
            in[n++] = r->ek.in[i];
        }
    for (uint32_t j = 0; j < nout; j++)
        if (sp.out_known[j])
            ospec[k++] = l.out[j];
    for (uint32_t i = 0; i < sp.nres; i++)
        ospec[nk + i] = spec_first(&kb->arena, &l.mesh,
                                   val_type(sp.known, sp.known->outs[nk + i]).rank + 1u);
    Sub known = sub_like(kb, &a->body, stack_results(r->cx, sp.known, nk));
    out = emit(kb, a, &known, in, ispec, n, ospec, &k);
    if (failed(r->cx))
        return false;
    op_spread(out, sp.out_known, nout, r->out_known);

    rest_in = NEW(rb, sp.nres + nin, Val);
    rspec = NEW(rb, sp.nres + nin, const char *);
    stacked = NEW(rb, sp.nres + nin, bool);
    for (uint32_t i = 0; i < sp.nres; i++) {
        int32_t from = sp.res_input[i];

        stacked[i] = from < 0;
        rspec[i] = arena_strdup(&rb->arena, from < 0 ? ospec[nk + i] : l.in[from]);
        rest_in[i] = partition_residual(r, from < 0 ? out[nk + i] : r->ek.in[from]);
    }
    n = sp.nres;
    for (uint32_t i = 0; i < nin; i++)
        if (!in_known[i]) {
            rspec[n] = l.in[i];
            rest_in[n++] = r->er.in[i];
        }
    ospec = NEW(rb, nout, const char *);
    for (uint32_t j = k = 0; j < nout; j++)
        if (!sp.out_known[j])
            ospec[k++] = l.out[j];
    Sub here = op_sub_rest(r, &a->body);
    Sub rest = sub_like(rb, &here, unstack_inputs(r->cx, sp.rest, stacked));
    out = emit(rb, a, &rest, rest_in, rspec, n, ospec, &k);
    if (failed(r->cx))
        return false;
    for (uint32_t j = k = 0; j < nout; j++)
        if (!sp.out_known[j])
            r->out_rest[j] = out[k++];
    return true;
}

/* Axes of the mesh that do not divide it, and how many devices have a copy. */
static const char *copies_over(Builder *b, const Mesh *m, const char *spec, uint32_t rank,
                               int64_t *count)
{
    Spec s;
    uint32_t bits;

    spec_parse(&b->arena, m, spec, rank, &s);
    bits = ~s.used & ((1u << m->n) - 1);
    *count = 1;
    for (uint32_t k = 0; k < m->n; k++)
        if (bits & 1u << k)
            *count *= m->size[k];
    return axes_of_bits(&b->arena, m, bits);
}

static void transpose_spmd(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const SpmdAttr *a = e->attr;
    uint32_t n = 0, k = 0;
    bool *linear = NEW(b, e->nin, bool), *in_nz = NEW(b, e->nin, bool),
         *out_nz = NEW(b, e->nout, bool);
    Val *in = NEW(b, e->nin + e->nout, Val), *out;
    const char **ispec = NEW(b, e->nin + e->nout, const char *),
               **ospec = NEW(b, e->nin, const char *),
               **sums = NEW(b, e->nin, const char *);
    const Program *t;
    int64_t copies;
    Layouts l;

    if (!take_apart(b, a, e->nin, e->nout, &l))
        return;
    for (uint32_t i = 0; i < e->nin; i++)
        if (!(linear[i] = e->in[i] == VAL_NONE)) {
            ispec[n] = l.in[i];
            in[n++] = e->in[i];
        }
    for (uint32_t j = 0; j < e->nout; j++) {
        if (!(out_nz[j] = gy[j] != VAL_NONE))
            continue;
        copies_over(b, &l.mesh, l.out[j], e->out_type[j].rank, &copies);
        ispec[n] = l.out[j];
        in[n++] = a->check || copies == 1
                      ? gy[j]
                      : b_mul(b, gy[j], b_full_like(b, gy[j], 1.0 / (double)copies));
    }
    t = b_failed(b) ? NULL : xf_transpose(b->cx, a->body.p, linear, out_nz, NULL, in_nz);
    if (!t)
        return;
    for (uint32_t i = 0; i < e->nin; i++)
        if (linear[i] && in_nz[i]) {
            sums[k] = copies_over(b, &l.mesh, l.in[i], e->in_type[i].rank, &copies);
            ospec[k++] = l.in[i];
        }
    if (!a->check)
        t = sum_results(b->cx, t, sums);
    if (!t)
        return;
    Sub body = sub_like(b, &a->body, t);
    out = emit(b, a, &body, in, ispec, n, ospec, &k);
    if (!b_failed(b))
        op_spread(out, in_nz, e->nin, gx);
}

static void batch_spmd(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    const SpmdAttr *a = e->attr;
    const char **ispec = NEW(b, e->nin, const char *),
               **ospec = NEW(b, e->nout, const char *);
    Val *res;
    uint32_t n;
    Layouts l;
    Sub body;

    if (!take_apart(b, a, e->nin, e->nout, &l))
        return;
    body = op_sub_batch(b, &a->body, bt, bt->axis, NULL, out_axis);
    for (uint32_t i = 0; i < e->nin; i++)
        ispec[i] = bt->axis[i] < 0 ? l.in[i]
                                   : spec_insert(&b->arena, l.in[i], e->in_type[i].rank,
                                                 (uint32_t)bt->axis[i]);
    for (uint32_t j = 0; j < e->nout; j++)
        ospec[j] = out_axis[j] < 0
                       ? l.out[j]
                       : spec_insert(&b->arena, l.out[j], e->out_type[j].rank, 0);
    res = emit(b, a, &body, e->in, ispec, e->nin, ospec, &n);
    if (!b_failed(b))
        memcpy(out, res, e->nout * sizeof *out);
}

/* ---- the meaning: the body batched over the devices ---- */

/* x, or its parts along a new first axis, one for each device; *axis: 0 or -1 */
static Val deal(Builder *b, const Mesh *m, const char *text, Val x, int *axis)
{
    Type t = b_type(b, x);
    Dim dims[MAX_RANK + MESH_AXES], whole[MAX_RANK + 1];
    int64_t perm[MAX_RANK + MESH_AXES], place[MESH_AXES], at[MESH_AXES];
    uint32_t n = 0, rest = 0;
    Spec s;

    spec_parse(&b->arena, m, text, t.rank, &s);
    *axis = -1;
    if (!s.used)
        return x;
    *axis = 0;
    for (uint32_t k = 0; k < t.rank;
         k++) { /* [x, part of axis 0, y, part of axis 1 ..] */
        int64_t count = mesh_count(m, s.dim[k]);

        for (uint32_t i = 0; i < s.dim[k].n; i++) {
            place[s.dim[k].v[i]] = n;
            dims[n++] = m->size[s.dim[k].v[i]];
        }
        perm[m->n + rest] = n;
        dim_exact(&b->dims, t.dims[k], count, &whole[rest + 1]);
        dims[n++] = whole[++rest];
    }
    x = b_reshape(b, x, dims, n);
    for (uint32_t k = n = 0; k < m->n; k++)
        if (s.used & 1u << k) {
            at[n] = k;
            perm[n++] = place[k];
        }
    memmove(perm + n, perm + m->n, rest * sizeof *perm);
    x = b_transpose(b, x, perm); /* [used axes of the mesh.., parts..] */
    for (uint32_t k = 0; k < m->n; k++)
        dims[k] = m->size[k];
    memcpy(dims + m->n, whole + 1, rest * sizeof *dims);
    memcpy(perm, at, n * sizeof *perm);
    for (uint32_t i = 0; i < rest; i++)
        perm[n + i] = m->n + i;
    x = b_broadcast(b, x, dims, m->n + rest, perm);
    whole[0] = m->devices;
    return b_reshape(b, x, whole, rest + 1);
}

/* And back: y has the devices along axis 0, or is the same on all (axis -1). */
static Val collect(Builder *b, const Mesh *m, const char *text, Val y, int axis)
{
    Type t = b_type(b, y);
    uint32_t rank = axis >= 0 ? t.rank - 1u : t.rank, n = 0;
    Dim dims[MAX_RANK + MESH_AXES], whole[MAX_RANK];
    int64_t perm[MAX_RANK + MESH_AXES];
    Spec s;

    if (axis < 0) {
        y = b_broadcast_axis(b, y, 0, m->devices);
        t = b_type(b, y);
    }
    spec_parse(&b->arena, m, text, rank, &s);
    for (uint32_t k = 0; k < m->n; k++)
        dims[k] = m->size[k];
    memcpy(dims + m->n, t.dims + 1, rank * sizeof *dims);
    y = b_reshape(b, y, dims, m->n + rank);
    for (uint32_t k = 0; k < m->n; k++)
        if (!(s.used & 1u << k))
            y = b_slice_axis(b, y, k, 0, 1);
    for (uint32_t k = 0; k < m->n; k++)
        if (!(s.used & 1u << k))
            perm[n++] = k;
    for (uint32_t k = 0; k < rank; k++) {
        for (uint32_t i = 0; i < s.dim[k].n; i++)
            perm[n++] = s.dim[k].v[i];
        perm[n++] = m->n + k;
        whole[k] = dim_mul(&b->dims, t.dims[1 + k], mesh_count(m, s.dim[k]));
    }
    return b_reshape(b, b_transpose(b, y, perm), whole, rank);
}

bool op_spmd_as_batch(Builder *b, const SpmdAttr *a, const Val *in, uint32_t nin,
                      Val *out)
{
    uint32_t nout = a->body.p->nout;
    int *axis = NEW(b, nin, int), *out_axis = NEW(b, nout, int);
    Val *parts = NEW(b, nin, Val), *res = NEW(b, nout, Val);
    const Program *p;
    Layouts l;

    if (!take_apart(b, a, nin, nout, &l))
        return false;
    for (uint32_t i = 0; i < nin && !b_failed(b); i++)
        parts[i] = deal(b, &l.mesh, l.in[i], in[i], &axis[i]);
    p = b_failed(b) ? NULL
                    : xf_batch(b->cx, a->body.p, l.mesh.devices, "B",
                               l.mesh.n ? a->mesh : NULL, axis, NULL, out_axis);
    if (!p)
        return false;
    Sub s = sub_like(b, &a->body, p);
    if (!b_inline_sub(b, &s, parts, res, NULL))
        return false;
    for (uint32_t j = 0; j < nout && !b_failed(b); j++)
        out[j] = collect(b, &l.mesh, l.out[j], res[j], out_axis[j]);
    return !b_failed(b);
}

static bool eval_spmd(Eval *e)
{
    SpmdAttr a = *(const SpmdAttr *)e->attr;
    Builder *b = builder_new(e->cx, "spmd", B_OPTIMISE);
    Val *in = NEW(b, e->nin, Val), *out = NEW(b, e->nout, Val);
    const Program *p;

    /* binds are numbers here, and so are sizes: the body at those sizes */
    for (uint32_t i = 0; i < e->nin && !b_failed(b); i++)
        in[i] = b_input(b, NULL,
                        b_make_type(b, e->in[i].dtype, e->in[i].dims, e->in[i].rank));
    if (b_failed(b) || !op_spmd_as_batch(b, &a, in, e->nin, out))
        return failed(e->cx) ? false
                             : eval_fail(e, WF_ERR_INTERNAL,
                                         "its layouts are not what "
                                         "its type rule passed");
    p = builder_finish(b, out, e->nout);
    return p && eval_sub(e, &(Sub){.p = p}, e->in, e->out);
}

static const AttrField attrs_spmd[] = {
    FIELD(SpmdAttr, body, A_SUB, ATTR_REQUIRED),
    FIELD(SpmdAttr, mesh, A_STR, ATTR_REQUIRED),
    FIELD(SpmdAttr, in, A_STR, 0),
    FIELD(SpmdAttr, out, A_STR, 0),
    FIELD(SpmdAttr, check, A_BOOL, false),
    FIELD_END,
};

const OpRow op_row_spmd = {
    .attrs = attrs_spmd,
    .attr_size = sizeof(SpmdAttr),
    .type = type_spmd,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_spmd = {
    .doc = DOC(
        "y.. = the body on every device of the mesh at once, each on its part of x..: "
        "mesh=\"x:4,y:2\" names axes and sizes, in and out say for each operand and "
        "result, one after the other with ; between, the axes of the mesh that divide "
        "each of its axes (- for none, x+y for two, x major). Collectives over axes of "
        "the mesh speak of the devices. A result that out does not divide by an axis is "
        "that of the first device along it. check: the body says by pvary and inv where "
        "values differ from device to device, and cotangents follow that."),
    .eval = eval_spmd,
    .jvp = jvp_spmd,
    .transpose = transpose_spmd,
    .batch = batch_spmd,
    .partition = partition_spmd,
};

/* ---- shard: the operand itself, which lies so on the devices of a mesh;  dy = shard dx,  gx = shard gy ---- */

static bool type_shard(TypeRule *t)
{
    const ShardAttr *a = t->attr;
    Type part;
    Mesh m;
    const char *why = mesh_parse(&t->b->arena, a->mesh, &m);

    if (why)
        return bad_text(t, "mesh", a->mesh, why);
    if (!part_type(t, &m, a->spec, t->in[0], 0, &part))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

static bool eval_shard(Eval *e)
{
    if (e->in[0].count)
        memcpy(e->out[0].data, e->in[0].data,
               (size_t)e->in[0].count * wf_dtype_size(e->in[0].dtype));
    return true;
}

static void transpose_shard(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    gx[0] = b_eqn1(b, OP_shard, gy, 1, e->attr);
}

static void batch_shard(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                        int *out_axis)
{
    ShardAttr a = *(const ShardAttr *)e->attr;

    a.spec = spec_insert(&b->arena, a.spec, e->in_type[0].rank, (uint32_t)bt->axis[0]);
    out[0] = b_eqn1(b, OP_shard, e->in, 1, &a);
    out_axis[0] = bt->axis[0];
}

static const AttrField attrs_shard[] = {FIELD(ShardAttr, mesh, A_STR, ATTR_REQUIRED),
                                        FIELD(ShardAttr, spec, A_STR, 0), FIELD_END};

const OpRow op_row_shard = {
    .attrs = attrs_shard,
    .attr_size = sizeof(ShardAttr),
    .type = type_shard,
    .eval = eval_shard,
    .lower = {.kind = LOWER_ALIAS},
};
const OpRules op_rules_shard = {
    .doc = DOC(
        "y = x, any dtype, which is to lie so on the devices of a mesh: mesh and spec as "
        "of spmd. Its derivatives lie so too."),
    .jvp = jvp_linear,
    .transpose = transpose_shard,
    .batch = batch_shard,
};
