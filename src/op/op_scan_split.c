/* op_scan_split.c -- scan split into what is known and the rest.
 *
 * A scan of the known part stacks the residuals, a scan of the rest reads them. Residuals
 * that do not change from turn to turn are not stacked (op_loop.c).
 *
 * With `checkpoint` the scan is first cut into segments, a scan of checkpointed scans:
 * one carry for each segment is kept, and one segment at a time computed again. A
 * constant length n gives segments of sqrt(n); a symbolic one has no square root among
 * dims, and gives segments of SEGMENT.
 */
#include "op/control.h"

#define SEGMENT 16

static const ScanAttr *attr_of(const EqnView *e) { return e->attr; }

/* (constants.., carries.., slices of one segment..) -> (carries.., rows of the segment..)
 */
static Sub segment_body(Builder *b, const ScanAttr *a, const Type *in, uint32_t nin,
                        Dim length, Place place)
{
    Val *v = NEW(b, nin, Val), *out;
    uint32_t n;
    Nest nest;

    nest_begin(&nest, b, "segment", place);
    for (uint32_t i = 0; i < nin; i++)
        v[i] = nest_input(&nest, in[i], input_name(a->body.p, i));
    ScanAttr sa = {nest_sub(&nest, &a->body), a->nconst,  a->ncarry,
                   nest_dim(&nest, length),   a->reverse, false};
    out = b_eqn_n(nest.b, OP_scan, v, nin, &sa, &n);
    return nest_end(&nest, out, n);
}

/* Runs checkpointed segments: `count` of them scanned (DIM_NONE: one alone) over slices
 * [from, from + count*length). x holds the carries before and after; rows of result j go
 * to ys[j]. */
static void run_segments(Builder *b, const EqnView *e, const ScanAttr *a, const Val *in,
                         Dim from, Dim length, Dim count, Val *x, Val *ys)
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
    CheckpointAttr ca = {segment_body(b, a, types, e->nin, length, e->place),
                         SAVE_NOTHING};
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
        ScanAttr sa = {
            nest_end(&nest, out, n), a->nconst, a->ncarry, count, a->reverse, false};
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

/* The scan as a scan of checkpointed segments and a remainder: the same function of the
 * operands. */
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
    for (int k = 0; k < 2 && !b_failed(b);
         k++) /* a reversed scan begins with the remainder, which is last */
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
    Type *types = scan_slice_types(b, &r->ek);
    Val *in = NEW(b, r->ek.nin, Val), *v = NEW(b, r->ek.nin, Val),
        *out = NEW(b, known->nout, Val);
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
    ScanAttr ka = {nest_end(&nest, out, nout),
                   count_true(ls->in_known, l->nconst),
                   count_true(ls->in_known + l->nconst, l->ncarry),
                   a->length,
                   a->reverse,
                   false};
    if (!ka.body.p)
        return NULL;
    out = b_eqn_n(b, OP_scan, in, n, &ka, &n);
    return failed(r->cx) ? NULL : out;
}

/* The rest: constants (residuals, unknown), unknown carries, slices (residuals, unknown).
 */
static bool emit_rest(PartitionRule *r, const Loop *l, const LoopSplit *ls,
                      const Val *res)
{
    Builder *b = r->rest;
    const ScanAttr *a = attr_of(&r->ek);
    const Program *rest = ls->s.rest;
    uint32_t nin = r->er.nin, first_slice = l->nconst + l->ncarry, n = 0;
    Sub here = op_sub_rest(r, l->body), s = sub_like(b, &here, rest);
    LoopArgs w = {.arg = NEW(b, nin + ls->s.nres, Val),
                  .in = NEW(b, nin + ls->s.nres, Val)};
    Val *x = NEW(b, rest->nin, Val), *at = NEW(b, nin, Val);

    nest_begin(&w.nest, b, rest->name, r->er.place);
    for (uint32_t i = 0, k = 0; i < nin; i++)
        if (!ls->in_known[i])
            at[i] = ls->s.nres + k++;
    for (int part = 0; part < 3; part++) {
        uint32_t from = part == 0 ? 0 : part == 1 ? l->nconst : first_slice;
        uint32_t to = part == 0 ? l->nconst : part == 1 ? first_slice : nin;
        for (uint32_t k = 0; k < ls->s.nres; k++) {
            int32_t i = ls->s.res_input[k];
            bool slice = ls->res[k] == RES_STACKED ||
                         (ls->res[k] == RES_INPUT && i >= (int32_t)first_slice);
            if (part == (slice ? 2 : 0))
                x[k] = loop_arg(&w, res[k], slice, NULL);
        }
        for (uint32_t i = from; i < to; i++)
            if (!ls->in_known[i]) {
                Val v = r->ek.in[i] ? partition_residual(r, r->ek.in[i]) : r->er.in[i];
                x[at[i]] = loop_arg(&w, v, part == 2, input_name(l->body->p, i));
            }
        if (part == 0)
            w.nconst = w.n;
        if (part == 1)
            w.ncarry = w.n - w.nconst;
    }
    Val *y = NEW(b, rest->nout, Val);
    if (failed(r->cx) || !nest_inline(&w.nest, &s, x, y))
        return false;
    ScanAttr ra = {nest_end(&w.nest, y, rest->nout), w.nconst,   w.ncarry,
                   partition_dim(r, a->length),      a->reverse, false};
    if (!ra.body.p)
        return false;
    return loop_rest(r, ls->s.out_known, b_eqn_n(b, OP_scan, w.arg, w.n, &ra, &n));
}

bool partition_scan(PartitionRule *r)
{
    const ScanAttr *a = attr_of(&r->ek);
    Loop l = scan_loop(r->known, a);
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
    op_spread(out, ls.s.out_known, r->ek.nout, r->out_known);
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
