/* op_scan.c -- scan: a body run a given number of times, with carries, slices and stacked
 * rows.
 *
 *   for t in 0 .. length-1 (backwards if reverse):   x.., y_t.. = body(c.., x.., s_t..)
 *
 * jvp        the body's jvp, scanned, tangents of carries among the carries
 * partition  op_scan_split.c
 * transpose  the body's transpose, scanned the other way; cotangents of carries are
 *            carried, those of constants summed up in a carry
 * batch      the body batched, scanned
 */
#include "op/control.h"

static const ScanAttr *attr_of(const EqnView *e) { return e->attr; }

Loop scan_loop(Builder *b, const ScanAttr *a)
{
    uint32_t nconst = (uint32_t)a->nconst, ncarry = (uint32_t)a->ncarry;

    return (Loop){b,
                  &a->body,
                  nconst,
                  ncarry,
                  a->body.p->nin - nconst - ncarry,
                  a->body.p->nout - ncarry};
}

Type *scan_slice_types(Builder *b, const EqnView *e)
{
    const ScanAttr *a = attr_of(e);
    Type *t = NEW(b, e->nin, Type);

    for (uint32_t i = 0; i < e->nin; i++)
        t[i] = i < a->nconst + a->ncarry ? e->in_type[i] : elem_type(e->in_type[i]);
    return t;
}

/* ---- type ---- */

static bool check_counts(TypeRule *t, const ScanAttr *a)
{
    int64_t max = t->nin;

    if (!a->body.p)
        return type_fail(t, WF_ERR_VALUE, "body is missing");
    if (a->nconst < 0 || a->ncarry < 0 || a->nconst > max || a->ncarry > max - a->nconst)
        return type_fail(t, WF_ERR_VALUE,
                         "nconst=%lld ncarry=%lld, but there are %u operands",
                         (long long)a->nconst, (long long)a->ncarry, t->nin);
    if (a->ncarry > a->body.p->nout)
        return type_fail(t, WF_ERR_TYPE,
                         "body '%s' has %u results, needs at least the %lld carries",
                         a->body.p->name, a->body.p->nout, (long long)a->ncarry);
    return true;
}

static bool check_carries(TypeRule *t, const Type *in, const Type *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!type_eq(in[i], out[i]))
            return type_fail(t, in[i].dtype == out[i].dtype ? WF_ERR_SHAPE : WF_ERR_TYPE,
                             "carry %u begins as %s, but the body makes it %s", i,
                             type_show(t, in[i]), type_show(t, out[i]));
    return true;
}

static bool type_scan(TypeRule *t)
{
    ScanAttr *a = t->attr;
    Type *in = arena_dup(&t->b->arena, t->in, t->nin * sizeof *in), *out;
    uint32_t first;

    if (!check_counts(t, a))
        return false;
    first = (uint32_t)(a->nconst + a->ncarry);
    for (uint32_t i = first; i < t->nin; i++) {
        if (in[i].rank == 0)
            return type_fail(t, WF_ERR_SHAPE,
                             "operand %u is %s, needs an axis to go along", i,
                             type_show(t, in[i]));
        if (a->length == DIM_NONE)
            a->length = in[i].dims[0];
        if (in[i].dims[0] != a->length)
            return type_fail(t, WF_ERR_SHAPE, "operand %u is %s, needs length %s", i,
                             type_show(t, in[i]), dim_show(t, a->length));
        in[i] = b_make_type(t->b, (wf_dtype)in[i].dtype, in[i].dims + 1, in[i].rank - 1u);
    }
    if (a->length == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "has no operand to go along, so needs length=");
    if (dim_value(t->dims, a->length, &(int64_t){0}) && a->length < 0)
        return type_fail(t, WF_ERR_VALUE, "length %s is negative",
                         dim_show(t, a->length));
    out = NEW(t->b, a->body.p->nout, Type);
    if (!sub_bind(t, &a->body, "body", in, t->nin, out) ||
        !check_carries(t, in + a->nconst, out, (uint32_t)a->ncarry))
        return false;
    for (uint32_t j = 0; j < a->body.p->nout; j++)
        type_out_like(t, j < a->ncarry ? out[j] : stack_type(t->b, out[j], a->length));
    return true;
}

/* ---- eval ---- */

static size_t row_bytes(const Nd *stacked)
{
    return stacked->dims[0] ? (size_t)(stacked->count / stacked->dims[0]) *
                                  wf_dtype_size(stacked->dtype)
                            : 0;
}

static Nd row_of(const Nd *stacked, int64_t t)
{
    return (Nd){stacked->dtype, stacked->rank - 1, stacked->dims + 1,
                stacked->dims[0] ? stacked->count / stacked->dims[0] : 0,
                (char *)stacked->data + (size_t)t * row_bytes(stacked)};
}

static void copy_nd(Nd *to, const Nd *from)
{
    if (from->count)
        memcpy(to->data, from->data, (size_t)from->count * wf_dtype_size(from->dtype));
}

/* The carries go to and fro between the result arrays and a second set. */
static bool eval_scan(Eval *e)
{
    const ScanAttr *a = e->attr;
    uint32_t nconst = (uint32_t)a->nconst, ncarry = (uint32_t)a->ncarry;
    Nd *in = arena_dup(e->a, e->in, e->nin * sizeof *in),
       *out = arena_dup(e->a, e->out, e->nout * sizeof *out);
    Nd *x = in + nconst;

    for (uint32_t i = 0; i < ncarry; i++) {
        x[i] = e->out[i];
        copy_nd(&x[i], &e->in[nconst + i]);
        out[i].data =
            arena_array(e->a, (size_t)out[i].count, wf_dtype_size(out[i].dtype));
    }
    for (int64_t k = 0; k < a->length; k++) {
        int64_t t = a->reverse ? a->length - 1 - k : k;
        for (uint32_t i = nconst + ncarry; i < e->nin; i++)
            in[i] = row_of(&e->in[i], t);
        for (uint32_t j = ncarry; j < e->nout; j++)
            out[j] = row_of(&e->out[j], t);
        if (!eval_sub(e, &a->body, in, out))
            return false;
        for (uint32_t i = 0; i < ncarry; i++) {
            void *swap = x[i].data;
            x[i].data = out[i].data;
            out[i].data = swap;
        }
    }
    for (uint32_t i = 0; i < ncarry; i++)
        if (x[i].data != e->out[i].data)
            copy_nd(&e->out[i], &x[i]);
    return true;
}

/* No turns: carries as they came, no rows. */
static bool fold_scan(Builder *b, const EqnView *e, Val *out)
{
    const ScanAttr *a = attr_of(e);

    if (a->length != 0)
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        out[j] = j < a->ncarry ? e->in[a->nconst + j] : b_zeros(b, e->out_type[j]);
    return true;
}

/* ---- jvp ---- */

static void jvp_scan(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const ScanAttr *a = attr_of(e);
    Loop l = scan_loop(b, a);
    bool *in_nz = NEW(b, e->nin, bool), *out_nz = NEW(b, e->nout, bool);
    uint32_t end[3] = {l.nconst, l.nconst + l.ncarry, e->nin}, n = 0;
    Val *in = NEW(b, 2 * e->nin, Val), *out;
    ScanAttr ja = *a;
    const Program *jvp;

    nonzero_of(dx, e->nin, in_nz);
    jvp = loop_jvp(&l, in_nz, out_nz);
    if (!jvp)
        return;
    ja.body = loop_jvp_body(&l, jvp, scan_slice_types(b, e), in_nz, out_nz, e->place);
    if (!ja.body.p)
        return;
    for (uint32_t part = 0, i = 0, d = 0; part < 3; part++) {
        for (; i < end[part]; i++)
            in[n++] = e->in[i];
        for (; d < end[part]; d++)
            if (in_nz[d])
                in[n++] = zeros_if_none(b, dx[d], e->in_type[d]);
        if (part == 0)
            ja.nconst = n;
        if (part == 1)
            ja.ncarry = n - ja.nconst;
    }
    out = b_eqn_n(b, OP_scan, in, n, &ja, &n);
    if (b_failed(b))
        return;
    for (uint32_t part = 0, k = 0; part < 2; part++) { /* x.., dx.., y.., dy.. */
        uint32_t from = part ? l.ncarry : 0, to = part ? e->nout : l.ncarry;
        memcpy(dy + e->nout + from, out + k, (to - from) * sizeof *out);
        k += to - from;
        k += op_spread(out + k, out_nz + from, to - from, dy + from);
    }
}

/* ---- transpose ---- */

typedef struct Transposed {
    const Program *p;
    const bool *linear; /* inputs of the body */
    bool *out_nz;       /* results of the body that have a cotangent */
    bool *in_nz;        /* linear inputs that get one */
} Transposed;

/* The transpose of the body, with the carries that have a cotangent found. */
static bool transpose_body(const Loop *l, const EqnView *e, const bool *linear,
                           const Val *gy, Transposed *t)
{
    bool *want = NEW(l->b, e->nin, bool), more;

    t->linear = linear;
    t->in_nz = NEW(l->b, e->nin, bool);
    t->out_nz = NEW(l->b, e->nout, bool);
    nonzero_of(gy, e->nout, t->out_nz);
    do {
        more = false;
        memcpy(want + l->nconst, t->out_nz, l->ncarry);
        t->p = xf_transpose(l->b->cx, l->body->p, t->linear, t->out_nz, want, t->in_nz);
        if (!t->p)
            return false;
        for (uint32_t i = 0; i < l->ncarry; i++) {
            more |= t->in_nz[l->nconst + i] && !t->out_nz[i];
            t->out_nz[i] |= t->in_nz[l->nconst + i];
        }
    } while (more);
    return true;
}

/* Inputs of the new body, by what they are of the old one. */
typedef struct Backward {
    LoopArgs w;
    Transposed t;
    Val *other; /* inputs that are not linear */
    Val *gc;    /* sums of cotangents of constants, so far */
    Val *g;     /* cotangents of results */
} Backward;

/* The operands: other constants | gx.., sums gc.. | other slices, gy.. */
static void add_args(Backward *k, const Loop *l, const EqnView *e, const Val *gy)
{
    uint32_t nc = l->nconst, nx = l->ncarry;
    LoopArgs *w = &k->w;
    const Transposed *t = &k->t;
    Builder *b = l->b;

    for (uint32_t i = 0; i < nc; i++)
        if (!t->linear[i])
            k->other[i] = loop_arg(w, e->in[i], false, input_name(l->body->p, i));
    w->nconst = w->n;
    for (uint32_t i = 0; i < nx; i++)
        if (t->out_nz[i])
            k->g[i] = loop_arg(w, zeros_if_none(b, gy[i], e->out_type[i]), false, NULL);
    for (uint32_t i = 0; i < nc; i++)
        if (t->in_nz[i])
            k->gc[i] = loop_arg(w, b_zeros(b, e->in_type[i]), false, NULL);
    w->ncarry = w->n - w->nconst;
    for (uint32_t i = nc + nx; i < e->nin; i++)
        if (!t->linear[i])
            k->other[i] = loop_arg(w, e->in[i], true, input_name(l->body->p, i));
    for (uint32_t j = nx; j < e->nout; j++)
        if (t->out_nz[j])
            k->g[j] = loop_arg(w, gy[j], true, NULL);
}

/* The new body: (gx.., gc + gc_t.., gs_t..) */
static Sub backward_body(Backward *k, const Loop *l, const EqnView *e)
{
    const Transposed *t = &k->t;
    uint32_t nc = l->nconst, first = l->nconst + l->ncarry, n = 0;
    Val *args = NEW(l->b, e->nin + e->nout, Val), *found = NEW(l->b, t->p->nout, Val);
    Val *gin = NEW(l->b, e->nin, Val), *out = NEW(l->b, e->nin, Val);
    Sub s = sub_like(l->b, l->body, t->p);

    for (uint32_t i = 0; i < e->nin; i++)
        if (!t->linear[i])
            args[n++] = k->other[i];
    for (uint32_t j = 0; j < e->nout; j++)
        if (t->out_nz[j])
            args[n++] = k->g[j];
    if (b_failed(l->b) || !nest_inline(&k->w.nest, &s, args, found))
        return (Sub){0};
    op_spread(found, t->in_nz, e->nin, gin);
    n = 0;
    for (uint32_t i = nc; i < first; i++)
        if (t->in_nz[i])
            out[n++] = gin[i];
    for (uint32_t i = 0; i < nc; i++)
        if (t->in_nz[i])
            out[n++] = b_add(k->w.nest.b, k->gc[i], gin[i]);
    for (uint32_t i = first; i < e->nin; i++)
        if (t->in_nz[i])
            out[n++] = gin[i];
    return nest_end(&k->w.nest, out, n);
}

/*   x', y_t = body(cn, cl, x, sn_t, sl_t)    linear in cl, x, sl
 *   gcl_t, gx, gsl_t = body^T(cn, sn_t, gx', gy_t),   gcl = sum over t of gcl_t        */
static void transpose_linear(const Loop *l, const EqnView *e, const bool *linear,
                             const Val *gy, Val *gx)
{
    Builder *b = l->b;
    const ScanAttr *a = attr_of(e);
    uint32_t first = l->nconst + l->ncarry, room = 2 * e->nin + e->nout, n;
    Backward k = {.w = {.arg = NEW(b, room, Val), .in = NEW(b, room, Val)},
                  .other = NEW(b, e->nin, Val),
                  .gc = NEW(b, e->nin, Val),
                  .g = NEW(b, e->nout, Val)};
    Val *r;

    if (!transpose_body(l, e, linear, gy, &k.t))
        return;
    nest_begin(&k.w.nest, b, k.t.p->name, e->place);
    add_args(&k, l, e, gy);
    Sub body = backward_body(&k, l, e);
    if (!body.p)
        return;
    ScanAttr ta = {body, k.w.nconst, k.w.ncarry, a->length, !a->reverse, false};
    r = b_eqn_n(b, OP_scan, k.w.arg, k.w.n, &ta, &n);
    if (b_failed(b))
        return;
    r += op_spread(r, k.t.in_nz + l->nconst, l->ncarry, gx + l->nconst);
    r += op_spread(r, k.t.in_nz, l->nconst, gx);
    op_spread(r, k.t.in_nz + first, e->nin - first, gx + first);
}

/* Carries that depend on linear operands are linear, even if they begin as something
 * fixed (a zero). Returns whether all carries are. */
static bool find_linear(const Loop *l, const EqnView *e, bool *linear)
{
    const Program *p = l->body->p;
    bool *dep = NEW(l->b, p->nvals, bool), more, all = true;

    for (uint32_t i = 0; i < e->nin; i++)
        linear[i] = e->in[i] == VAL_NONE;
    do {
        more = false;
        memcpy(dep + 1, linear, e->nin);
        for (uint32_t i = 0; i < p->neqns; i++) {
            const Eqn *q = &p->eqns[i];
            bool any = false;
            for (uint32_t k = 0; k < q->nin; k++)
                any |= dep[eqn_in(p, q)[k]];
            memset(dep + q->out, any, q->nout);
        }
        for (uint32_t i = 0; i < l->ncarry; i++)
            if (dep[p->outs[i]] && !linear[l->nconst + i])
                linear[l->nconst + i] = more = true;
    } while (more);
    for (uint32_t i = 0; i < l->ncarry; i++)
        all &= linear[l->nconst + i];
    return all;
}

static void transpose_scan(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    Loop l = scan_loop(b, attr_of(e));
    bool *linear = NEW(b, e->nin, bool);

    if (find_linear(&l, e, linear))
        transpose_linear(&l, e, linear, gy, gx);
    else if (!transpose_by_split(b, e, gy, gx)) /* a counter, say, is split off */
        fail(b->cx, WF_ERR_NORULE, e->place,
             "transpose: scan is not linear in its carries");
}

/* ---- batch ---- */

/* The axis of slices is in front, so theirs goes behind it. */
static int slice_axis(Builder *b, Val *v, int axis)
{
    if (axis < 0)
        return -1;
    if (axis == 0) {
        *v = b_move_axis(b, *v, 0, 1);
        return 0;
    }
    return axis - 1;
}

static void batch_scan(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    ScanAttr a = *attr_of(e);
    Loop l = scan_loop(b, attr_of(e));
    Val *in = arena_dup(&b->arena, e->in, e->nin * sizeof *in);
    int *axis = arena_dup(&b->arena, bt->axis, e->nin * sizeof *axis);
    bool *want = NEW(b, e->nout, bool), more;

    for (uint32_t i = 0; i < l.ncarry; i++)
        want[i] = axis[l.nconst + i] >= 0;
    for (uint32_t i = l.nconst + l.ncarry; i < e->nin; i++)
        axis[i] = slice_axis(b, &in[i], axis[i]);
    do {
        more = false;
        for (uint32_t i = 0; i < l.ncarry; i++)
            axis[l.nconst + i] = want[i] ? 0 : -1;
        a.body = op_sub_batch(b, l.body, bt, axis, want, out_axis);
        if (!a.body.p)
            return;
        for (uint32_t i = 0; i < l.ncarry; i++) {
            more |= out_axis[i] >= 0 && !want[i];
            want[i] |= out_axis[i] >= 0;
        }
    } while (more);
    for (uint32_t i = 0; i < l.ncarry; i++)
        in[l.nconst + i] = batch_to_front(b, e->in[l.nconst + i], bt->axis[l.nconst + i],
                                          bt->size, want[i]);
    b_eqn(b, OP_scan, in, e->nin, &a, out, e->nout);
    for (uint32_t j = l.ncarry; j < e->nout; j++)
        out_axis[j] = out_axis[j] < 0 ? -1 : 1;
}

static const AttrField attrs_scan[] = {
    FIELD(ScanAttr, body, A_SUB, ATTR_REQUIRED),
    FIELD(ScanAttr, nconst, A_INT, 0),
    FIELD(ScanAttr, ncarry, A_INT, 0),
    FIELD(ScanAttr, length, A_DIM, DIM_NONE),
    FIELD(ScanAttr, reverse, A_BOOL, false),
    FIELD(ScanAttr, checkpoint, A_BOOL, false),
    FIELD_END,
};

const OpRow op_row_scan = {
    .attrs = attrs_scan,
    .attr_size = sizeof(ScanAttr),
    .type = type_scan,
    .fold = fold_scan,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_scan = {
    .doc =
        DOC("Operands c.. (nconst) x.. (ncarry) s..: for t in 0..length-1, backwards if "
            "reverse, "
            "x.., y_t.. = body(c.., x.., s_t..), s_t a slice along the first axis. "
            "Results: the last x.., then "
            "the y stacked along a new first axis. Length 0 gives x as it came and no "
            "rows; length may be left "
            "out if there are s. checkpoint: reverse mode keeps the carry of every "
            "sqrt(length)-th turn (16th "
            "for a symbolic length) and computes the others again."),
    .eval = eval_scan,
    .jvp = jvp_scan,
    .transpose = transpose_scan,
    .batch = batch_scan,
    .partition = partition_scan,
};
