/* vary.c -- which values differ from device to device, and the places where they begin to.
 *
 *   requires   the body of an spmd, or a program in it; over which axes of the mesh its
 *              inputs vary
 *   gives      the same program with pvary where a value that does not vary over an axis
 *              meets one that does: so that cotangents of what is one value are added up
 *              (op_collective.c), in sub-programs too
 *   keeps      all values, order, names, places
 *
 * A set of axes is a word, bit k for axis k of the mesh. A result varies as its operands do
 * together; collectives that give all devices the same take their axes away; axis_index and
 * pvary add theirs. Carries of loops are settled by going round until nothing changes.
 * Integers vary too, but have no cotangents: they get no pvary.
 *
 * A collective under a condition that varies over its axes would wait for devices that went
 * another way: an error.
 */
#include "op/control.h"
#include "op/mesh.h"
#include "transform/transform.h"

typedef struct Vary {
    wf_ctx *cx;
    const Mesh *mesh;
    uint32_t under; /* axes over which conditions around it vary */
    bool check;     /* collectives under them are errors */
} Vary;

/* ---- how results vary ---------------------------------------------------------------- */

static uint32_t axes_bits(const Vary *y, const void *attr)
{
    AxisList list;
    const char *rest;

    return mesh_find(&y->cx->scratch, y->mesh, ((const CollectiveAttr *)attr)->axis,
                     &list, &rest);
}

static uint32_t union_of(const uint32_t *v, uint32_t n)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < n; i++)
        all |= v[i];
    return all;
}

static uint32_t collective_out(const Vary *y, unsigned op, const void *attr, uint32_t in)
{
    const CollectiveAttr *a = attr;
    uint32_t axes = axes_bits(y, attr);

    switch (op) {
    case OP_psum:
    case OP_pmax:
    case OP_pmin: return a->groups.n ? in | axes : in & ~axes;
    case OP_all_gather: return a->inv ? in & ~axes : in | axes;
    default: return in | axes;
    }
}

static bool program_out(const Vary *y, const Program *p, const uint32_t *in,
                        uint32_t *out);

static bool under(const Vary *y, uint32_t more, const Program *p, const uint32_t *in,
                  uint32_t *out)
{
    Vary inner = *y;

    inner.under |= more;
    return program_out(&inner, p, in, out);
}

static bool cond_out(const Vary *y, const CondAttr *a, const uint32_t *in, uint32_t nout,
                     uint32_t *out)
{
    uint32_t *one = arena_array(&y->cx->scratch, nout + 1, sizeof *one);

    for (uint32_t j = 0; j < nout; j++)
        out[j] = in[0];
    for (uint32_t k = 0; k < a->branches.n; k++) {
        if (!under(y, in[0], a->branches.v[k].p, in + 1, one))
            return false;
        for (uint32_t j = 0; j < nout; j++)
            out[j] |= one[j];
    }
    return true;
}

/* What the inputs of a loop's body are, carries settled; *turns: how the condition varies. */
typedef struct LoopVary {
    uint32_t *cond, *body; /* inputs */
    uint32_t ncarry, nconst, ncond, turns;
} LoopVary;

static bool settle(const Vary *y, const Sub *cond, const Sub *body, LoopVary *l,
                   uint32_t *out)
{
    for (bool more = true; more;) {
        more = false;
        if (cond->p) {
            memcpy(l->cond + l->ncond, l->body + l->nconst, l->ncarry * sizeof *l->body);
            if (!under(y, l->turns, cond->p, l->cond, &l->turns))
                return false;
        }
        if (!under(y, l->turns, body->p, l->body, out))
            return false;
        for (uint32_t i = 0; i < l->ncarry; i++) {
            uint32_t now = l->body[l->nconst + i] | out[i] | l->turns;

            more |= now != l->body[l->nconst + i];
            l->body[l->nconst + i] = now;
        }
    }
    for (uint32_t j = 0; j < body->p->nout; j++)
        out[j] |= l->turns;
    return true;
}

static LoopVary loop_of(const Vary *y, const Eqn *e, const uint32_t *in)
{
    LoopVary l = {0};
    Arena *a = &y->cx->scratch;

    if (e->op == OP_while) {
        const WhileAttr *w = e->attr;

        l.ncond = (uint32_t)w->ncond;
        l.nconst = (uint32_t)w->nbody;
        l.ncarry = e->nin - l.ncond - l.nconst;
        l.cond = arena_array(a, l.ncond + l.ncarry + 1, sizeof *l.cond);
        memcpy(l.cond, in, l.ncond * sizeof *in);
    } else {
        l.nconst = (uint32_t)((const ScanAttr *)e->attr)->nconst;
        l.ncarry = (uint32_t)((const ScanAttr *)e->attr)->ncarry;
    }
    l.body = arena_dup(a, in + l.ncond, (e->nin - l.ncond) * sizeof *in);
    return l;
}

static bool loop_out(const Vary *y, const Eqn *e, const uint32_t *in, LoopVary *l,
                     uint32_t *out)
{
    const WhileAttr *w = e->attr;

    *l = loop_of(y, e, in);
    return settle(y, e->op == OP_while ? &w->cond : &(Sub){0},
                  e->op == OP_while ? &w->body : &((const ScanAttr *)e->attr)->body, l,
                  out);
}

static bool eqn_out(const Vary *y, const Eqn *e, Place place, const uint32_t *in,
                    uint32_t *out)
{
    uint32_t all = union_of(in, e->nin);
    LoopVary l;

    if (op_is_collective(e->op) && e->op != OP_pvary && e->op != OP_axis_index) {
        uint32_t bad = y->check ? axes_bits(y, e->attr) & y->under : 0;

        if (bad)
            return fail(
                y->cx, WF_ERR_VALUE, place,
                "%s over axis '%s' under a condition that varies over '%s': devices "
                "that go another way would not take part",
                op_name(e->op), ((const CollectiveAttr *)e->attr)->axis,
                axes_of_bits(&y->cx->scratch, y->mesh, bad));
    }
    if (op_is_collective(e->op)) {
        out[0] = collective_out(y, e->op, e->attr, all);
        return true;
    }
    switch (e->op) {
    case OP_cond: return cond_out(y, e->attr, in, e->nout, out);
    case OP_scan:
    case OP_while: return loop_out(y, e, in, &l, out);
    case OP_call:
    case OP_checkpoint:
        return program_out(y, ((const CallAttr *)e->attr)->body.p, in, out);
    case OP_custom_jvp:
    case OP_custom_vjp:
        return program_out(y, ((const CallAttr *)e->attr)->body.p, in, out); /* primal is first, as in CallAttr */
    case OP_opt_barrier: memcpy(out, in, e->nout * sizeof *out); return true;
    default:
        for (uint32_t j = 0; j < e->nout; j++)
            out[j] = e->op == OP_spmd ? 0 : all;
        return true;
    }
}

/* Of equations first.. of arrays; vary has those of all values before. */
static bool eqns_out(const Vary *y, const Eqn *eqns, uint32_t first, uint32_t n,
                     const Val *args, const Place *places, uint32_t *vary)
{
    for (uint32_t i = first; i < n; i++) {
        const Eqn *e = &eqns[i];
        uint32_t *in = arena_array(&y->cx->scratch, e->nin + 1u, sizeof *in);

        for (uint32_t k = 0; k < e->nin; k++)
            in[k] = vary[args[e->args + k]];
        if (!eqn_out(y, e, places[e->place], in, vary + e->out))
            return false;
    }
    return true;
}

static bool program_out(const Vary *y, const Program *p, const uint32_t *in,
                        uint32_t *out)
{
    uint32_t *vary = arena_zalloc(&y->cx->scratch, (p->nvals + 1u) * sizeof *vary);

    memcpy(vary + 1, in, p->nin * sizeof *in);
    if (!eqns_out(y, p->eqns, 0, p->neqns, p->args, p->places, vary))
        return false;
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = vary[p->outs[j]];
    return true;
}

bool vary_program(wf_ctx *cx, const Mesh *m, const Program *p, const uint32_t *in,
                  uint32_t *out)
{
    Vary y = {cx, m, 0, true};

    return program_out(&y, p, in, out);
}

bool vary_builder(wf_ctx *cx, const Mesh *m, const Builder *b, uint32_t first,
                  uint32_t *vary)
{
    Vary y = {cx, m, 0, false};

    return eqns_out(&y, b->eqns.v, first, b->eqns.n, b->args.v, b->places.v, vary);
}

/* ---- pvary where they meet ------------------------------------------------------------ */

typedef struct Insert {
    Vary y;
    Copier c;
    uint32_t *vary; /* of values of the program */
} Insert;

static const Program *insert(const Vary *y, const Program *p, const uint32_t *in,
                             const uint32_t *want);

static Val raise(Builder *b, const Vary *y, Val v, uint32_t has, uint32_t to)
{
    if (!(to & ~has) || b_failed(b) || !dtype_is_differentiable(b_dtype(b, v)))
        return v;
    return b_eqn1(b, OP_pvary, &v, 1,
                  &(CollectiveAttr){.axis = axes_of_bits(&b->arena, y->mesh, to & ~has)});
}

static Sub insert_sub(Insert *x, const Sub *s, const uint32_t *in, const uint32_t *want)
{
    const Program *p = insert(&x->y, s->p, in, want);

    return p ? sub_like(x->c.b, s, p) : (Sub){0};
}

/* How what goes with the floats among n values varies, appended. */
static uint32_t add_floats(const Insert *x, uint32_t *list, uint32_t n, const Val *v, uint32_t count, const uint32_t *vary)
{
    for (uint32_t i = 0; i < count; i++)
        if (dtype_is_differentiable((wf_dtype)val_type(x->c.from, v[i]).dtype))
            list[n++] = vary[i];
    return n;
}

/* The results of an equation, as eqn_in has its operands. */
static const Val *eqn_results(Insert *x, const Eqn *e)
{
    Val *v = arena_array(&x->c.b->arena, e->nout + 1u, sizeof *v);

    for (uint32_t j = 0; j < e->nout; j++)
        v[j] = e->out + j;
    return v;
}

/* A rule of one's own says by itself over which devices a cotangent is added up: an operand varies as it does, and begins to
 * where what the rule gives for it varies over more. */
static bool insert_custom_vjp(Insert *x, const Eqn *e, CustomVjpAttr *c, uint32_t *out, uint32_t *to)
{
    Arena *a = &x->c.b->arena;
    uint32_t nres, ngx = c->bwd.p->nout, n, *fwd = arena_array(a, c->fwd.p->nout + 1u, sizeof *fwd);
    uint32_t *given = arena_array(a, c->bwd.p->nin + 1u, sizeof *given), *gx = arena_array(a, ngx + 1u, sizeof *gx);
    const Val *in = eqn_in(x->c.from, e), *results = eqn_results(x, e);

    for (bool more = true; more;) {
        more = false;
        if (!program_out(&x->y, c->primal.p, to, out) || !program_out(&x->y, c->fwd.p, to, fwd))
            return false;
        nres = c->fwd.p->nout - e->nout;
        memcpy(given, fwd + e->nout, nres * sizeof *given);
        add_floats(x, given, nres, results, e->nout, out);
        if (!program_out(&x->y, c->bwd.p, given, gx))
            return false;
        n = 0;
        for (uint32_t i = 0; i < e->nin; i++)
            if (dtype_is_differentiable((wf_dtype)val_type(x->c.from, in[i]).dtype)) {
                more |= (gx[n] & ~to[i]) != 0;
                to[i] |= gx[n++];
            }
    }
    c->fwd = insert_sub(x, &c->fwd, to, NULL);
    c->bwd = insert_sub(x, &c->bwd, given, NULL);
    return !failed(x->y.cx);
}

/* rule(x.., dx..) -> (y.., dy..) */
static void insert_custom_jvp(Insert *x, const Eqn *e, CustomJvpAttr *c, const uint32_t *in, const uint32_t *out)
{
    Arena *a = &x->c.b->arena;
    uint32_t *given = arena_array(a, 2 * e->nin + 1u, sizeof *given), *want = arena_array(a, 2 * e->nout + 1u, sizeof *want);

    memcpy(given, in, e->nin * sizeof *in);
    memcpy(want, out, e->nout * sizeof *out);
    add_floats(x, given, e->nin, eqn_in(x->c.from, e), e->nin, in);
    add_floats(x, want, e->nout, eqn_results(x, e), e->nout, out);
    c->rule = insert_sub(x, &c->rule, given, want);
}

/* The bodies of a control equation; *to: how its operands are to vary; out: how its results do. */
static bool insert_subs(Insert *x, const Eqn *e, void *attr, const uint32_t *in,
                        uint32_t *out, uint32_t *to)
{
    Arena *a = &x->c.b->arena;
    CondAttr *c = attr;
    WhileAttr *w = attr;
    ScanAttr *s = attr;
    uint32_t *junk = arena_array(a, e->nout + 1u, sizeof *junk);
    LoopVary l;
    Sub *subs;

    switch (e->op) {
    case OP_call:
    case OP_checkpoint:
        ((CallAttr *)attr)->body = insert_sub(x, &((CallAttr *)attr)->body, in, NULL);
        break;
    case OP_cond:
        for (uint32_t i = 1; i < e->nin;
             i++) /* not in a branch, where not all would add up */
            to[i] |= in[0];
        subs = arena_array(a, c->branches.n, sizeof *subs);
        for (uint32_t k = 0; k < c->branches.n && !failed(x->y.cx); k++)
            subs[k] = insert_sub(x, &c->branches.v[k], to + 1, out);
        c->branches.v = subs;
        break;
    case OP_while:
    case OP_scan:
        if (!loop_out(&x->y, e, in, &l, junk))
            return false;
        for (uint32_t i = 0; i < l.nconst; i++)
            l.body[i] |= l.turns;
        memcpy(to + l.ncond, l.body, (e->nin - l.ncond) * sizeof *to);
        junk = arena_dup(a, out, e->nout * sizeof *out);
        memcpy(junk, l.body + l.nconst, l.ncarry * sizeof *junk);
        if (e->op == OP_scan) {
            s->body = insert_sub(x, &s->body, l.body, junk);
        } else {
            w->body = insert_sub(x, &w->body, l.body, junk);
            w->cond = insert_sub(x, &w->cond, l.cond, NULL);
        }
        break;
    case OP_custom_vjp:
        if (((CustomVjpAttr *)attr)->fwd.p && !insert_custom_vjp(x, e, attr, out, to))
            return false;
        ((CustomVjpAttr *)attr)->primal = insert_sub(x, &((CustomVjpAttr *)attr)->primal, to, out);
        break;
    case OP_custom_jvp:
        if (((CustomJvpAttr *)attr)->rule.p)
            insert_custom_jvp(x, e, attr, in, out);
        ((CustomJvpAttr *)attr)->primal = insert_sub(x, &((CustomJvpAttr *)attr)->primal, in, out);
        break;
    default: /* linear maps of one's own: all operands are as the results */
        for (uint32_t i = 0; i < e->nin; i++)
            to[i] = union_of(in, e->nin);
    }
    return !failed(x->y.cx);
}

static bool insert_eqn(Insert *x, const Eqn *e)
{
    Copier *c = &x->c;
    Builder *b = c->b;
    uint32_t *in = arena_array(&b->arena, 2 * e->nin + 1u, sizeof *in), *to = in + e->nin;
    Val *v = arena_array(&b->arena, e->nin + 1u, sizeof *v);
    void *attr = copier_attr(c, e);

    copier_place(c, e);
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = x->vary[eqn_in(c->from, e)[i]];
    if (!eqn_out(&x->y, e, eqn_place(c->from, e), in, x->vary + e->out))
        return false;
    memcpy(to, in, e->nin * sizeof *in);
    if (op_has(e->op, OPF_CONTROL)) {
        if (!insert_subs(x, e, attr, in, x->vary + e->out, to))
            return false;
    } else if (op_is_collective(e->op) && e->nin) {
        to[0] |= e->op == OP_pvary ? 0 : axes_bits(&x->y, e->attr);
    } else if (e->op != OP_opt_barrier) {
        for (uint32_t i = 0; i < e->nin; i++)
            to[i] = union_of(in, e->nin);
    }
    for (uint32_t i = 0; i < e->nin; i++)
        v[i] = raise(b, &x->y, c->val[eqn_in(c->from, e)[i]], in[i], to[i]);
    if (e->op == OP_pvary) /* what it varies over already is not added up */
        c->val[e->out] = raise(b, &x->y, v[0], in[0], x->vary[e->out]);
    else
        b_eqn(b, (OpCode)e->op, v, e->nin, attr, c->val + e->out, e->nout);
    return !b_failed(b);
}

static const Program *insert(const Vary *y, const Program *p, const uint32_t *in,
                             const uint32_t *want)
{
    Builder *b = builder_new(y->cx, p->name, B_OPTIMISE);
    Val *outs = arena_array(&b->arena, p->nout + 1u, sizeof *outs);
    Insert x = {.y = *y};

    x.vary = arena_zalloc(&b->arena, (p->nvals + 1u) * sizeof *x.vary);
    memcpy(x.vary + 1, in, p->nin * sizeof *in);
    copier_init(&x.c, b, p, NULL, NULL);
    copier_inputs(&x.c);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        insert_eqn(&x, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout && !b_failed(b); j++) {
        uint32_t has = x.vary[p->outs[j]];

        outs[j] = raise(b, y, x.c.val[p->outs[j]], has, want ? want[j] | has : has);
    }
    return builder_finish(b, outs, p->nout);
}

const Program *xf_vary(wf_ctx *cx, const Mesh *m, const Program *p, const uint32_t *in,
                       const uint32_t *want)
{
    Vary y = {cx, m, 0, false};

    return insert(&y, p, in, want);
}
