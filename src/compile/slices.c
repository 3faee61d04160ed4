/* slices.c -- parts of an elementwise result are computed from parts of its operands.
 *
 *   requires   a program after the optimiser
 *   keeps      values, types
 *   breaks     nothing; pays where the parts are read by what can be fused
 *
 *     slice f(x, y)        f(slice x, slice y)
 *     slice broadcast x    broadcast slice x
 *
 * for results f(x, y) of which only slices are read, together no larger than they, each by
 * elementwise ops only. Such are the gates of a recurrent cell, quarters of one sum of
 * products: a kernel cannot read parts of what it computes itself, but parts of arrays it
 * can, so the sum and the cell become one kernel.
 */
#include "compile/compile.h"
#include "opt/opt.h"

#define EVERYTHING 1e300

/* What is known of a program: by value. */
typedef struct Reads {
    double *parts;   /* elements of the slices that are read of it; EVERYTHING: others */
    bool *only_maps; /* nothing but elementwise ops reads it */
    bool *sinks;     /* it is to be computed by parts */
    bool any;
} Reads;

/* Elements; symbols count as many. */
static double count_of(const Program *p, Val v)
{
    Type t = val_type(p, v);
    double n = 1;

    for (uint32_t i = 0; i < t.rank; i++)
        n *= dim_is_const(t.dims[i]) ? (double)t.dims[i] : 64;
    return n;
}

static const Eqn *def_of(const Program *p, Val v)
{
    return p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
}

/* Can e be computed part by part? Of an iota there are no parts. */
static bool has_parts(const Target *t, const Program *p, const Eqn *e)
{
    if (fuse_kind(t, p, e) != FUSE_MAP || e->nout != 1)
        return false;
    for (uint32_t i = 0; i < e->nin; i++) {
        const Eqn *d = def_of(p, eqn_in(p, e)[i]);

        if (d && d->op == OP_iota)
            return false;
    }
    return true;
}

/* How much of its operands equation e reads, all that reads e being known. */
static double reads_of(const Opt *o, Arena *a, const Program *p, Reads *r, const Eqn *e)
{
    double n = count_of(p, e->out);

    if (e->op == OP_slice)
        return fuse_kind(opt_target(o), p, e) == FUSE_INDEX && r->only_maps[e->out] &&
                       space_slice_fits(o->cx, a, p, e)
                   ? n
                   : EVERYTHING;
    if (r->parts[e->out] == 0 || r->parts[e->out] > n || !has_parts(opt_target(o), p, e))
        return EVERYTHING;
    r->sinks[e->out] = r->any = true;
    return r->parts[e->out];
}

static void find_reads(const Opt *o, const Program *p, Arena *a, Reads *r)
{
    *r = (Reads){arena_zalloc(a, (p->nvals + 1) * sizeof *r->parts),
                 arena_alloc(a, p->nvals + 1), arena_zalloc(a, p->nvals + 1), false};
    memset(r->only_maps, true, p->nvals + 1);
    for (uint32_t j = 0; j < p->nout; j++) {
        r->parts[p->outs[j]] = EVERYTHING;
        r->only_maps[p->outs[j]] = false;
    }
    for (uint32_t i = p->neqns; i-- > 0;) {
        const Eqn *e = &p->eqns[i];
        double n = e->nout == 1 ? reads_of(o, a, p, r, e) : EVERYTHING;
        bool map = fuse_kind(opt_target(o), p, e) == FUSE_MAP;

        for (uint32_t k = 0; k < e->nin; k++) {
            Val v = eqn_in(p, e)[k];

            if (k == 0 || v != eqn_in(p, e)[k - 1])
                r->parts[v] += n;
            r->only_maps[v] &= map;
        }
    }
}

/* ---- the parts --------------------------------------------------------------------- */

typedef struct Sinker {
    Rewriter *r;
    const Reads *reads;
    const SliceAttr *at; /* of which part, in the new program */
    Type part;           /* likewise */
    Val *memo;
} Sinker;

static Val slice_of(Sinker *s, Val x)
{
    const SliceAttr *a = s->at;

    return b_slice(s->r->b, x, a->start.v, a->limit.v, a->stride.n ? a->stride.v : NULL);
}

/* The part of a broadcast: axes that x has, and does not stretch, are cut in x. */
static Val part_of_broadcast(Sinker *s, const Eqn *e)
{
    Builder *b = s->r->b;
    const BroadcastAttr *a = e->attr;
    const SliceAttr *at = s->at;
    Val x = s->r->c->val[eqn_in(s->r->from, e)[0]];
    uint32_t rank = b_rank(b, x);
    Dim *start = NEW(b, rank, Dim), *limit = NEW(b, rank, Dim);
    int64_t *stride = NEW(b, rank, int64_t);

    for (uint32_t i = 0; i < rank; i++) {
        uint32_t axis = (uint32_t)a->dims.v[i];
        bool cut = b_dim(b, x, i) != 1;

        start[i] = cut ? at->start.v[axis] : 0;
        limit[i] = cut ? at->limit.v[axis] : 1;
        stride[i] = cut && at->stride.n ? at->stride.v[axis] : 1;
    }
    x = b_slice(b, x, start, limit, stride);
    return b_broadcast(b, x, s->part.dims, s->part.rank, a->dims.v);
}

static Val part_of(Sinker *s, Val v)
{
    const Program *p = s->r->from;
    const Eqn *e = def_of(p, v);
    Val *in;

    if (s->memo[v])
        return s->memo[v];
    if (e && e->op == OP_broadcast)
        return s->memo[v] = part_of_broadcast(s, e);
    if (!s->reads->sinks[v])
        return s->memo[v] = slice_of(s, s->r->c->val[v]);
    in = NEW(s->r->b, e->nin, Val);
    for (uint32_t i = 0; i < e->nin; i++) {
        Val x = eqn_in(p, e)[i];

        in[i] =
            val_type(p, x).rank == val_type(p, v).rank ? part_of(s, x) : s->r->c->val[x];
    }
    copier_place(s->r->c, e);
    return s->memo[v] =
               b_eqn1(s->r->b, (OpCode)e->op, in, e->nin, copier_attr(s->r->c, e));
}

static const Reads *reads_in(Rewriter *r)
{
    PtrMap *known = r->user;
    const Reads *found = ptrmap_get(known, r->from);
    Reads *made;

    if (found)
        return found;
    made = arena_alloc(known->a, sizeof *made);
    find_reads(r->o, r->from, known->a, made);
    ptrmap_put(known, r->from, made);
    return made;
}

static bool sink(Rewriter *r, const EqnView *e, Val *out)
{
    Sinker s = {.r = r, .at = e->attr};
    Val x;

    if (e->op != OP_slice)
        return false;
    x = eqn_in(r->from, r->at)[0];
    s.reads = reads_in(r);
    s.part = copier_type(r->c, val_type(r->from, r->at->out));
    if (!s.reads->sinks[x])
        return false;
    s.memo = arena_zalloc(&r->b->arena, (r->from->nvals + 1) * sizeof *s.memo);
    out[0] = part_of(&s, x);
    return !b_failed(r->b);
}

/* Is there anything to do? Most programs are not copied for nothing. */
static bool any_sinks(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    ArenaMark mark = arena_mark(a);
    Reads r = {.any = false};

    for (uint32_t i = 0; i < p->neqns && !r.any; i++)
        if (p->eqns[i].op == OP_slice) {
            find_reads(o, p, a, &r);
            break;
        }
    arena_reset(a, mark);
    for (uint32_t i = 0; i < p->nsubs && !r.any; i++)
        r.any = any_sinks(o, p->subs[i]);
    return r.any;
}

const Program *compile_slices(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    PtrMap known = {.a = a};
    Rewriter r = {
        .o = o, .before = sink, .user = &known, .done.a = a, .origin.a = a};

    return any_sinks(o, p) ? rewrite_apply(&r, p) : p;
}
