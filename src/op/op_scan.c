/* op_scan.c -- scan: a body run a given number of times, with carries, slices and stacked rows.
 *
 *   for t in 0 .. length-1 (backwards if reverse):   x.., y_t.. = body(c.., x.., s_t..)
 *
 * jvp        the body's jvp, scanned, tangents of carries among the carries
 * partition  a scan of the known part, which stacks the residuals, and a scan of the rest, which reads them.
 *            Residuals that do not change are not stacked (op_loop.c).
 * transpose  the body's transpose, scanned the other way; cotangents of carries are carried, those of constants
 *            summed up in a carry
 * batch      the body batched, scanned
 *
 * With `checkpoint` the partition first cuts the scan into segments, a scan of checkpointed scans: one carry for each
 * segment is kept, and one segment at a time computed again. A constant length n gives segments of sqrt(n); a
 * symbolic one has no square root among dims, and gives segments of SEGMENT.
 */
#include "op/control.h"

#define SEGMENT 16

static const ScanAttr *attr_of(const EqnView *e) { return e->attr; }

static Loop loop_of(Builder *b, const ScanAttr *a)
{
    uint32_t nconst = (uint32_t)a->nconst, ncarry = (uint32_t)a->ncarry;

    return (Loop){b, &a->body, nconst, ncarry, a->body.p->nin - nconst - ncarry, a->body.p->nout - ncarry};
}

/* Types of the body's inputs: slices without the first axis. */
static Type *slice_types(Builder *b, const EqnView *e)
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
        return type_fail(t, WF_ERR_VALUE, "nconst=%lld ncarry=%lld, but there are %u operands",
                         (long long)a->nconst, (long long)a->ncarry, t->nin);
    if (a->ncarry > a->body.p->nout)
        return type_fail(t, WF_ERR_TYPE, "body '%s' has %u results, needs at least the %lld carries",
                         a->body.p->name, a->body.p->nout, (long long)a->ncarry);
    return true;
}

static bool check_carries(TypeRule *t, const Type *in, const Type *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!type_eq(in[i], out[i]))
            return type_fail(t, in[i].dtype == out[i].dtype ? WF_ERR_SHAPE : WF_ERR_TYPE,
                             "carry %u begins as %s, but the body makes it %s", i, type_show(t, in[i]),
                             type_show(t, out[i]));
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
            return type_fail(t, WF_ERR_SHAPE, "operand %u is %s, needs an axis to go along", i, type_show(t, in[i]));
        if (a->length == DIM_NONE)
            a->length = in[i].dims[0];
        if (in[i].dims[0] != a->length)
            return type_fail(t, WF_ERR_SHAPE, "operand %u is %s, needs length %s", i, type_show(t, in[i]),
                             dim_show(t, a->length));
        in[i] = b_make_type(t->b, (wf_dtype)in[i].dtype, in[i].dims + 1, in[i].rank - 1u);
    }
    if (a->length == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "has no operand to go along, so needs length=");
    if (dim_value(t->dims, a->length, &(int64_t){0}) && a->length < 0)
        return type_fail(t, WF_ERR_VALUE, "length %s is negative", dim_show(t, a->length));
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
    return stacked->dims[0] ? (size_t)(stacked->count / stacked->dims[0]) * wf_dtype_size(stacked->dtype) : 0;
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
    Nd *in = arena_dup(e->a, e->in, e->nin * sizeof *in), *out = arena_dup(e->a, e->out, e->nout * sizeof *out);
    Nd *x = in + nconst;

    for (uint32_t i = 0; i < ncarry; i++) {
        x[i] = e->out[i];
        copy_nd(&x[i], &e->in[nconst + i]);
        out[i].data = arena_array(e->a, (size_t)out[i].count, wf_dtype_size(out[i].dtype));
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
    Loop l = loop_of(b, a);
    bool *in_nz = NEW(b, e->nin, bool), *out_nz = NEW(b, e->nout, bool);
    uint32_t end[3] = {l.nconst, l.nconst + l.ncarry, e->nin}, n = 0;
    Val *in = NEW(b, 2 * e->nin, Val), *out;
    ScanAttr ja = *a;
    const Program *jvp;

    nonzero_of(dx, e->nin, in_nz);
    jvp = loop_jvp(&l, in_nz, out_nz);
    if (!jvp)
        return;
    ja.body = loop_jvp_body(&l, jvp, slice_types(b, e), in_nz, out_nz, e->place);
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
        k += spread(out + k, out_nz + from, to - from, dy + from);
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
static bool transpose_body(const Loop *l, const EqnView *e, const bool *linear, const Val *gy, Transposed *t)
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

/* Inputs of the new body, and its operands: other constants | gx.., sums gc.. | other slices, gy.. */
typedef struct Backward {
    Nest nest;
    Val *arg;  /* operands in the program around */
    Val *in;   /* the inputs they are */
    uint32_t n, nconst, ncarry;
} Backward;

static Val add_arg(Backward *w, Val v, bool slice, const char *name)
{
    Type t = b_type(w->nest.outer, v);

    w->arg[w->n] = v;
    w->in[w->n] = nest_input(&w->nest, slice ? elem_type(t) : t, name);
    return w->in[w->n++];
}

/*   x', y_t = body(cn, cl, x, sn_t, sl_t)    linear in cl, x, sl
 *   gcl_t, gx, gsl_t = body^T(cn, sn_t, gx', gy_t),   gcl = sum over t of gcl_t        */
static void transpose_linear(const Loop *l, const EqnView *e, const bool *linear, const Val *gy, Val *gx)
{
    Builder *b = l->b;
    const ScanAttr *a = attr_of(e);
    uint32_t nin = e->nin, nc = l->nconst, nx = l->ncarry, n = 0, k = 0;
    Backward w = {.arg = NEW(b, 2 * nin + e->nout, Val), .in = NEW(b, 2 * nin + e->nout, Val)};
    Val *gc = NEW(b, nin, Val), *gxs = NEW(b, nx, Val), *args = NEW(b, nin + e->nout, Val);
    Val *other = NEW(b, nin, Val), *g = NEW(b, e->nout, Val), *out = NEW(b, 2 * nin, Val), *r;
    Transposed t;

    if (!transpose_body(l, e, linear, gy, &t))
        return;
    Sub s = sub_like(b, l->body, t.p);
    nest_begin(&w.nest, b, t.p->name, e->place);
    for (uint32_t i = 0; i < nc; i++)
        if (!t.linear[i])
            other[i] = add_arg(&w, e->in[i], false, input_name(l->body->p, i));
    w.nconst = w.n;
    for (uint32_t i = 0; i < nx; i++)
        if (t.out_nz[i])
            g[i] = add_arg(&w, zeros_if_none(b, gy[i], e->out_type[i]), false, NULL);
    for (uint32_t i = 0; i < nc; i++)
        if (t.in_nz[i])
            gc[i] = add_arg(&w, b_zeros(b, e->in_type[i]), false, NULL);
    w.ncarry = w.n - w.nconst;
    for (uint32_t i = nc + nx; i < nin; i++)
        if (!t.linear[i])
            other[i] = add_arg(&w, e->in[i], true, input_name(l->body->p, i));
    for (uint32_t j = nx; j < e->nout; j++)
        if (t.out_nz[j])
            g[j] = add_arg(&w, gy[j], true, NULL);
    for (uint32_t i = 0; i < nin; i++)
        if (!t.linear[i])
            args[n++] = other[i];
    for (uint32_t j = 0; j < e->nout; j++)
        if (t.out_nz[j])
            args[n++] = g[j];
    Val *found = NEW(b, t.p->nout, Val), *gin = NEW(b, nin, Val);
    if (b_failed(b) || !nest_inline(&w.nest, &s, args, found))
        return;
    spread(found, t.in_nz, nin, gin);
    n = 0;
    for (uint32_t i = 0; i < nx; i++)
        if (t.out_nz[i])
            out[n++] = gin[nc + i];
    for (uint32_t i = 0; i < nc; i++)
        if (t.in_nz[i])
            out[n++] = b_add(w.nest.b, gc[i], gin[i]);
    for (uint32_t i = nc + nx; i < nin; i++)
        if (t.in_nz[i])
            out[n++] = gin[i];
    ScanAttr ta = {nest_end(&w.nest, out, n), w.nconst, w.ncarry, a->length, !a->reverse, false};
    if (!ta.body.p)
        return;
    r = b_eqn_n(b, OP_scan, w.arg, w.n, &ta, &n);
    if (b_failed(b))
        return;
    for (uint32_t i = 0; i < nx; i++)
        gxs[i] = t.out_nz[i] ? r[k++] : VAL_NONE;
    for (uint32_t i = 0; i < nc; i++)
        gx[i] = t.in_nz[i] ? r[k++] : VAL_NONE;
    memcpy(gx + nc, gxs, nx * sizeof *gxs);
    for (uint32_t i = nc + nx; i < nin; i++)
        gx[i] = t.in_nz[i] ? r[k++] : VAL_NONE;
}

/* Carries that depend on linear operands are linear, even if they begin as something fixed (a zero). Returns
 * whether all carries are. */
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
    Loop l = loop_of(b, attr_of(e));
    bool *linear = NEW(b, e->nin, bool);

    if (find_linear(&l, e, linear))
        transpose_linear(&l, e, linear, gy, gx);
    else if (!transpose_by_split(b, e, gy, gx)) /* a counter, say, is split off */
        fail(b->cx, WF_ERR_NORULE, e->place, "transpose: scan is not linear in its carries");
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

static void batch_scan(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis)
{
    ScanAttr a = *attr_of(e);
    Loop l = loop_of(b, attr_of(e));
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
        a.body = sub_batch(b, l.body, bt, axis, want, out_axis);
        if (!a.body.p)
            return;
        for (uint32_t i = 0; i < l.ncarry; i++) {
            more |= out_axis[i] >= 0 && !want[i];
            want[i] |= out_axis[i] >= 0;
        }
    } while (more);
    for (uint32_t i = 0; i < l.ncarry; i++)
        in[l.nconst + i] = batch_to_front(b, e->in[l.nconst + i], bt->axis[l.nconst + i], bt->size, want[i]);
    b_eqn(b, OP_scan, in, e->nin, &a, out, e->nout);
    for (uint32_t j = l.ncarry; j < e->nout; j++)
        out_axis[j] = out_axis[j] < 0 ? -1 : 1;
}

/* ---- partition ---- */

/* (constants.., carries.., slices of one segment..) -> (carries.., rows of the segment..) */
static Sub segment_body(Builder *b, const ScanAttr *a, const Type *in, uint32_t nin, Dim length, Place place)
{
    Val *v = NEW(b, nin, Val), *out;
    uint32_t n;
    Nest nest;

    nest_begin(&nest, b, "segment", place);
    for (uint32_t i = 0; i < nin; i++)
        v[i] = nest_input(&nest, in[i], input_name(a->body.p, i));
    ScanAttr sa = {nest_sub(&nest, &a->body), a->nconst, a->ncarry, nest_dim(&nest, length), a->reverse, false};
    out = b_eqn_n(nest.b, OP_scan, v, nin, &sa, &n);
    return nest_end(&nest, out, n);
}

/* Runs checkpointed segments: `count` of them scanned (DIM_NONE: one alone) over slices [from, from + count*length).
 * x holds the carries before and after; rows of result j go to ys[j]. */
static void run_segments(Builder *b, const EqnView *e, const ScanAttr *a, const Val *in, Dim from, Dim length,
                         Dim count, Val *x, Val *ys)
{
    uint32_t nc = (uint32_t)a->nconst, nx = (uint32_t)a->ncarry, n;
    Type *types = NEW(b, e->nin, Type);
    Val *args = arena_dup(&b->arena, in, e->nin * sizeof *args), *out;
    bool many = count != DIM_NONE;
    Dim total = many ? dim_mul(&b->dims, count, length) : length;
    Dim dims[MAX_RANK + 1];

    memcpy(args + nc, x, nx * sizeof *x);
    for (uint32_t i = 0; i < nc + nx; i++)
        types[i] = b_type(b, args[i]);
    for (uint32_t i = nc + nx; i < e->nin && !b_failed(b); i++) {
        Type t = b_type(b, in[i]);
        args[i] = b_slice_axis(b, in[i], 0, from, dim_add(&b->dims, from, total));
        dims[0] = count;
        dims[many] = length;
        memcpy(dims + many + 1, t.dims + 1, (t.rank - 1u) * sizeof *dims);
        types[i] = b_make_type(b, (wf_dtype)t.dtype, dims + many, t.rank);
        if (many)
            args[i] = b_reshape(b, args[i], dims, t.rank + 1u);
    }
    CheckpointAttr ca = {segment_body(b, a, types, e->nin, length, e->place), SAVE_NOTHING};
    if (b_failed(b))
        return;
    if (many) {
        Val *v = NEW(b, e->nin, Val);
        Nest nest;
        nest_begin(&nest, b, "segments", e->place);
        for (uint32_t i = 0; i < e->nin; i++)
            v[i] = nest_input(&nest, types[i], NULL);
        CheckpointAttr inner = {nest_sub(&nest, &ca.body), SAVE_NOTHING};
        out = b_eqn_n(nest.b, OP_checkpoint, v, e->nin, &inner, &n);
        ScanAttr sa = {nest_end(&nest, out, n), a->nconst, a->ncarry, count, a->reverse, false};
        out = b_failed(b) ? NULL : b_eqn_n(b, OP_scan, args, e->nin, &sa, &n);
    } else {
        out = b_eqn_n(b, OP_checkpoint, args, e->nin, &ca, &n);
    }
    if (b_failed(b))
        return;
    memcpy(x, out, nx * sizeof *x);
    for (uint32_t j = nx; j < e->nout; j++) {
        Type t = b_type(b, out[j]);
        dims[0] = total;
        memcpy(dims + 1, t.dims + 1 + many, (t.rank - 1u - many) * sizeof *dims);
        ys[j] = many ? b_reshape(b, out[j], dims, t.rank - 1u) : out[j];
    }
}

/* The scan as a scan of checkpointed segments and a remainder: the same function of the operands. */
static Sub in_segments(Builder *outer, const EqnView *e)
{
    ScanAttr a = *attr_of(e);
    uint32_t nc = (uint32_t)a.nconst, nx = (uint32_t)a.ncarry;
    Val *in = NEW(outer, e->nin, Val), *x, *ys[2], *out = NEW(outer, e->nout, Val);
    Nest nest;
    Dim n, length, count, done, rest;

    nest_begin(&nest, outer, "scan", e->place);
    Builder *b = nest.b;
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = nest_input(&nest, e->in_type[i], NULL);
    a.body = nest_sub(&nest, &a.body);
    n = a.length = nest_dim(&nest, a.length);
    length = SEGMENT;
    if (dim_is_const(n))
        for (length = 1; length * length < n;)
            length++;
    count = dim_div(&b->dims, n, length);
    done = dim_mul(&b->dims, count, length);
    rest = dim_sub(&b->dims, n, done);
    x = arena_dup(&outer->arena, in + nc, nx * sizeof *x);
    ys[0] = NEW(outer, e->nout, Val);
    ys[1] = NEW(outer, e->nout, Val);
    for (int k = 0; k < 2 && !b_failed(b); k++) /* a reversed scan begins with the remainder, which is last */
        if ((k == 1) != a.reverse) {
            if (rest != 0)
                run_segments(b, e, &a, in, done, rest, DIM_NONE, x, ys[1]);
        } else {
            run_segments(b, e, &a, in, 0, length, count, x, ys[0]);
        }
    for (uint32_t j = 0; j < e->nout && !b_failed(b); j++) {
        Val two[2] = {ys[0][j], ys[1][j]};
        out[j] = j < nx ? x[j] : rest == 0 ? two[0] : b_concat(b, two, 2, 0);
    }
    return nest_end(&nest, out, e->nout);
}

/* The known scan: known results of the body, then the residuals that are stacked. */
static Val *emit_known(PartitionRule *r, const Loop *l, const LoopSplit *ls)
{
    Builder *b = r->known;
    const ScanAttr *a = attr_of(&r->ek);
    const Program *known = ls->s.known;
    Sub s = sub_like(b, l->body, known);
    Type *types = slice_types(b, &r->ek);
    Val *in = NEW(b, r->ek.nin, Val), *v = NEW(b, r->ek.nin, Val), *out = NEW(b, known->nout, Val);
    uint32_t n = 0, nout = ls->nknown;
    Nest nest;

    nest_begin(&nest, b, known->name, r->ek.place);
    for (uint32_t i = 0; i < r->ek.nin; i++)
        if (ls->in_known[i]) {
            v[n] = nest_input(&nest, types[i], input_name(l->body->p, i));
            in[n++] = r->ek.in[i];
        }
    if (!nest_inline(&nest, &s, v, out))
        return NULL;
    for (uint32_t k = 0; k < ls->s.nres; k++)
        if (ls->res[k] == RES_STACKED)
            out[nout++] = out[ls->nknown + k];
    ScanAttr ka = {nest_end(&nest, out, nout), count_true(ls->in_known, l->nconst),
                   count_true(ls->in_known + l->nconst, l->ncarry), a->length, a->reverse, false};
    if (!ka.body.p)
        return NULL;
    out = b_eqn_n(b, OP_scan, in, n, &ka, &n);
    return failed(r->cx) ? NULL : out;
}

/* The rest: constants (residuals, unknown), unknown carries, slices (residuals, unknown). */
static bool emit_rest(PartitionRule *r, const Loop *l, const LoopSplit *ls, const Val *res)
{
    Builder *b = r->rest;
    const ScanAttr *a = attr_of(&r->ek);
    const Program *rest = ls->s.rest;
    uint32_t nin = r->er.nin, first_slice = l->nconst + l->ncarry, n = 0;
    Sub here = sub_rest(r, l->body), s = sub_like(b, &here, rest);
    Backward w = {.arg = NEW(b, nin + ls->s.nres, Val), .in = NEW(b, nin + ls->s.nres, Val)};
    Val *x = NEW(b, rest->nin, Val), *at = NEW(b, nin, Val), *out;

    nest_begin(&w.nest, b, rest->name, r->er.place);
    for (uint32_t i = 0, k = 0; i < nin; i++)
        if (!ls->in_known[i])
            at[i] = ls->s.nres + k++;
    for (int part = 0; part < 3; part++) {
        uint32_t from = part == 0 ? 0 : part == 1 ? l->nconst : first_slice;
        uint32_t to = part == 0 ? l->nconst : part == 1 ? first_slice : nin;
        for (uint32_t k = 0; k < ls->s.nres; k++) {
            int32_t i = ls->s.res_input[k];
            bool slice = ls->res[k] == RES_STACKED || (ls->res[k] == RES_INPUT && i >= (int32_t)first_slice);
            if (part == (slice ? 2 : 0))
                x[k] = add_arg(&w, res[k], slice, NULL);
        }
        for (uint32_t i = from; i < to; i++)
            if (!ls->in_known[i]) {
                Val v = r->ek.in[i] ? partition_residual(r, r->ek.in[i]) : r->er.in[i];
                x[at[i]] = add_arg(&w, v, part == 2, input_name(l->body->p, i));
            }
        if (part == 0)
            w.nconst = w.n;
        if (part == 1)
            w.ncarry = w.n - w.nconst;
    }
    Val *y = NEW(b, rest->nout, Val);
    if (failed(r->cx) || !nest_inline(&w.nest, &s, x, y))
        return false;
    ScanAttr ra = {nest_end(&w.nest, y, rest->nout), w.nconst, w.ncarry, partition_dim(r, a->length), a->reverse,
                   false};
    if (!ra.body.p)
        return false;
    out = b_eqn_n(b, OP_scan, w.arg, w.n, &ra, &n);
    for (uint32_t j = 0, k = 0; j < r->er.nout && !failed(r->cx); j++)
        if (!ls->s.out_known[j])
            r->out_rest[j] = out[k++];
    return !failed(r->cx);
}

static bool partition_scan(PartitionRule *r)
{
    const ScanAttr *a = attr_of(&r->ek);
    Loop l = loop_of(r->known, a);
    bool *known = NEW(r->known, r->ek.nin, bool);
    LoopSplit ls;
    Val *out, *res;

    if (a->checkpoint && (!dim_is_const(a->length) || a->length > 3)) {
        Sub s = in_segments(r->known, &r->ek);
        return s.p && partition_sub(r, &s, 0);
    }
    nonzero_of(r->ek.in, r->ek.nin, known);
    if (!loop_split(&l, known, &ls) || !(out = emit_known(r, &l, &ls)))
        return false;
    spread(out, ls.s.out_known, r->ek.nout, r->out_known);
    res = NEW(r->known, ls.s.nres, Val);
    loop_invariants(&l, &ls, r->ek.in, res);
    for (uint32_t k = 0, at = ls.nknown; k < ls.s.nres && !failed(r->cx); k++) {
        if (ls.res[k] == RES_INPUT)
            res[k] = r->ek.in[ls.s.res_input[k]];
        else if (ls.res[k] == RES_STACKED)
            res[k] = out[at++];
        res[k] = partition_residual(r, res[k]);
    }
    return !failed(r->cx) && emit_rest(r, &l, &ls, res);
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
    .doc = "Operands c.. (nconst) x.. (ncarry) s..: for t in 0..length-1, backwards if reverse, "
           "x.., y_t.. = body(c.., x.., s_t..), s_t a slice along the first axis. Results: the last x.., then "
           "the y stacked along a new first axis. Length 0 gives x as it came and no rows; length may be left "
           "out if there are s. checkpoint: reverse mode keeps the carry of every sqrt(length)-th turn (16th "
           "for a symbolic length) and computes the others again.",
    .attrs = attrs_scan,
    .attr_size = sizeof(ScanAttr),
    .type = type_scan,
    .eval = eval_scan,
    .jvp = jvp_scan,
    .transpose = transpose_scan,
    .batch = batch_scan,
    .partition = partition_scan,
    .fold = fold_scan,
    .lower = {LOWER_CONTROL, 0},
};
