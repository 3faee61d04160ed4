/* split.c -- forward and backward as two programs, made ahead of time, keeping as few
 * bytes between them as it can.
 *
 *   xf_split    forward: x.. -> (y.., saved..)      backward: (saved.., gy..) -> gx..
 *               together they are xf_vjp
 *   xf_record   forward: x.. -> (y.., extra..)      linear: (taken.., dx..) -> dy..
 *               together they are xf_jvp; what is taken are inputs, results and extra ones
 *
 * Method: start from one program of both, (x.., gy..) -> (y.., gx..), or (x.., dx..) ->
 * (y.., dy..). Its values are forward (they do not depend on a gy or dx) or backward. The
 * backward equations read some forward values; each must be saved, or made again from
 * others that are saved. Making again is allowed for cheap equations only: elementwise
 * ones and changes of shape; constants are free. The cheapest choice is a minimum cut:
 *
 *   source -> v     v cannot be made again: an input, or the equation is not cheap
 *   v.in -> v.out   capacity: the bytes of v. Cut: v is saved
 *   u.out -> v.in   v = cheap op of u: who wants v and has not saved it wants u
 *   v.out -> sink   a backward equation, or a result, reads v
 *
 * Of several minimum cuts the one nearest to the sink is taken: it makes the least again.
 * Sizes that are symbols count as their hint, or 64.
 */
#include "transform/transform.h"

#define UNKNOWN_SIZE       64
#define MAX_BYTES          ((int64_t)1 << 44)
#define FLOW_BUDGET(edges) (4000000u + 64u * (uint64_t)(edges))

typedef struct Joint {
    wf_ctx *cx;
    Arena *a;
    const Program *p;  /* (x.., gy..) -> (y.., gx..), or (x.., dx..) -> (y.., dy..) */
    uint32_t nx, ny;   /* the first nx inputs are x, the first ny results y */
    bool *backward;    /* for each value: does it depend on a gy? */
    bool *wanted;      /* forward values that the backward part reads */
    bool *saved;       /* the answer */
    bool *held;        /* values that somebody keeps anyway: they cost nothing */
    int64_t *sizes;    /* what the symbols count as */
    SymbolMarks marks; /* symbols that backward equations define */
} Joint;

/* ---- classes ----------------------------------------------------------------------- */

static bool is_cheap_op(const Eqn *e)
{
    const OpInfo *op = &op_table[e->op];

    if (!(op->flags & OPF_PURE) || (op->flags & (OPF_DEFINES | OPF_CONTROL)))
        return false;
    return !strcmp(op->family, "map") || !strcmp(op->family, "shape") ||
           !strcmp(op->family, "random") || op_is_cheap(e->op);
}

static bool is_backward(const Joint *j, const Eqn *e)
{
    const Val *in = eqn_in(j->p, e);

    for (uint32_t i = 0; i < e->nin; i++)
        if (j->backward[in[i]])
            return true;
    return marks_touch(&j->marks, e);
}

static void classify(Joint *j)
{
    const Program *p = j->p;

    for (uint32_t i = j->nx; i < p->nin; i++)
        j->backward[program_in(p, i)] = true;
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        const Val *in = eqn_in(p, e);

        if (!is_backward(j, e))
            continue;
        memset(j->backward + e->out, true, e->nout);
        marks_add(&j->marks, e);
        for (uint32_t k = 0; k < e->nin; k++)
            j->wanted[in[k]] |= !j->backward[in[k]];
    }
    for (uint32_t k = j->ny; k < p->nout; k++)
        j->wanted[p->outs[k]] |= !j->backward[p->outs[k]];
}

/* ---- the cut ----------------------------------------------------------------------- */

static void guess_sizes(Joint *j)
{
    const Dims *dims = &j->p->dims;

    j->sizes = arena_array(j->a, dims->syms.n + 1u, sizeof *j->sizes);
    for (uint32_t i = 0; i < dims->syms.n; i++)
        j->sizes[i] = dims->syms.v[i].hint > 0 ? dims->syms.v[i].hint : UNKNOWN_SIZE;
}

static int64_t bytes_of(const Joint *j, Val v)
{
    Type t = val_type(j->p, v);
    int64_t bytes = (int64_t)wf_dtype_size((wf_dtype)t.dtype), d;

    if (j->held[v])
        return 1;
    for (uint32_t i = 0; i < t.rank; i++) {
        if (!dim_eval(&j->p->dims, t.dims[i], j->sizes, &d) || d < 0)
            d = UNKNOWN_SIZE;
        if (!mul_i64(bytes, d, &bytes) || bytes > MAX_BYTES)
            return MAX_BYTES;
    }
    return bytes + 1; /* of equal bytes, fewer values */
}

enum { SOURCE, SINK, FIRST };
static uint32_t node_in(Val v) { return FIRST + 2 * v; }
static uint32_t node_out(Val v) { return FIRST + 2 * v + 1; }

static void make_graph(Joint *j, Flow *f)
{
    const Program *p = j->p;

    flow_init(f, j->a, FIRST + 2 * p->nvals);
    for (uint32_t i = 0; i < j->nx; i++)
        flow_edge(f, SOURCE, node_in(program_in(p, i)), FLOW_INFINITE);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        const Val *in = eqn_in(p, e);

        for (uint32_t k = 0; k < e->nout && !is_backward(j, e); k++)
            for (uint32_t m = 0; m < (is_cheap_op(e) ? e->nin : 1); m++)
                flow_edge(f, is_cheap_op(e) ? node_out(in[m]) : SOURCE,
                          node_in(e->out + k), FLOW_INFINITE);
    }
    for (Val v = 1; v < p->nvals; v++) {
        if (!j->backward[v])
            flow_edge(f, node_in(v), node_out(v), bytes_of(j, v));
        if (j->wanted[v])
            flow_edge(f, node_out(v), SINK, FLOW_INFINITE);
    }
}

static void choose(Joint *j)
{
    const Program *p = j->p;
    bool *side, found;
    Flow f;

    make_graph(j, &f);
    found = flow_run(&f, SOURCE, SINK, FLOW_BUDGET(f.edges.n));
    side = flow_sink_side(&f, SINK);
    for (Val v = 1; v < p->nvals; v++) {
        uint32_t e = p->vals[v].eqn;
        bool is_free = e != EQN_INPUT && p->eqns[e].nin == 0 && is_cheap_op(&p->eqns[e]);

        if (j->backward[v])
            continue;
        j->saved[v] =
            found ? !side[node_in(v)] && side[node_out(v)] : j->wanted[v] && !is_free;
    }
}

/* ---- the two programs -------------------------------------------------------------- */

static const Program *make_forward(Joint *j, const char *name)
{
    const Program *p = j->p;
    Builder *b = builder_new(j->cx, name, B_OPTIMISE);
    Val *outs = arena_array(j->a, (size_t)j->ny + p->nvals + 1, sizeof *outs);
    uint32_t n = 0;
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < j->nx && !b_failed(b); i++) {
        Val v = program_in(p, i);

        c.val[v] = b_input(b, p->names[p->vals[v].name], copier_type(&c, val_type(p, v)));
    }
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        if (!is_backward(j, &p->eqns[i]))
            copier_eqn(&c, &p->eqns[i]);
    if (b_failed(b))
        return NULL;
    for (uint32_t k = 0; k < j->ny; k++)
        outs[n++] = c.val[p->outs[k]];
    for (Val v = 1; v < p->nvals; v++)
        if (j->saved[v] && !j->held[v])
            outs[n++] = c.val[v];
    return builder_finish(b, outs, n);
}

/* Can a forward equation be made again here? Then it is, and dropped if nothing wants it.
 */
static bool can_remake(const Joint *j, const Copier *c, const Eqn *e)
{
    const Val *in = eqn_in(j->p, e);

    if (!is_cheap_op(e) || (e->nout && c->val[e->out]))
        return false;
    for (uint32_t i = 0; i < e->nin; i++)
        if (!c->val[in[i]])
            return false;
    return true;
}

static const Program *make_backward(Joint *j, const char *name, uint32_t *out_nsaved)
{
    const Program *p = j->p;
    Builder *b = builder_new(j->cx, name, B_OPTIMISE);
    Val *outs = arena_array(j->a, p->nout + 1u, sizeof *outs);
    uint32_t n = 0;
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (Val v = 1; v < p->nvals && !b_failed(b); v++)
        if (j->saved[v]) {
            c.val[v] =
                b_input(b, p->names[p->vals[v].name], copier_type(&c, val_type(p, v)));
            n++;
        }
    *out_nsaved = n;
    for (uint32_t i = j->nx; i < p->nin && !b_failed(b); i++) {
        Val v = program_in(p, i);

        c.val[v] = b_input(b, p->names[p->vals[v].name], copier_type(&c, val_type(p, v)));
    }
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        if (is_backward(j, &p->eqns[i]) || can_remake(j, &c, &p->eqns[i]))
            copier_eqn(&c, &p->eqns[i]);
    if (b_failed(b))
        return NULL;
    n = 0;
    for (uint32_t k = j->ny; k < p->nout; k++)
        outs[n++] = c.val[p->outs[k]];
    return builder_finish(b, outs, n);
}

/* What both have in common: which values are forward, and which of those are saved. */
static void cut(Joint *j)
{
    j->backward = arena_zalloc(j->a, j->p->nvals + 1u);
    j->wanted = arena_zalloc(j->a, j->p->nvals + 1u);
    j->saved = arena_zalloc(j->a, j->p->nvals + 1u);
    j->held = arena_zalloc(j->a, j->p->nvals + 1u);
    marks_init(&j->marks, j->p, j->a);
    guess_sizes(j);
    classify(j);
}

bool xf_split(wf_ctx *cx, const Program *p, const int *wrt, int nwrt,
              const Program **out_forward, const Program **out_backward)
{
    Joint j = {.cx = cx, .a = &cx->scratch, .nx = p->nin, .ny = p->nout};
    const Program *forward, *backward;
    const bool *is = xf_wrt(cx, p, wrt, nwrt, "split");
    uint32_t nsaved;

    *out_forward = *out_backward = NULL;
    if (!is || !(j.p = vjp_program(cx, p, is, wrt, nwrt, NULL, true, "vjp")))
        return false;
    cut(&j);
    choose(&j);
    forward = make_forward(&j, xf_name(cx, p->name, "forward"));
    backward = make_backward(&j, xf_name(cx, p->name, "backward"), &nsaved);
    if (!forward || !backward)
        return false;
    return xf_close(cx, forward, backward, nsaved, out_forward, out_backward);
}

/* Where each saved value is found: among the inputs, or the results of forward. */
static void find_taken(const Joint *j, Recording *out)
{
    uint32_t *from = arena_zalloc(j->a, (j->p->nvals + 1) * sizeof *from), extra = 0;

    for (uint32_t k = j->ny; k-- > 0;)
        from[j->p->outs[k]] = j->nx + k;
    for (uint32_t i = 0; i < j->nx; i++)
        from[program_in(j->p, i)] = i;
    out->taken = arena_array(j->a, j->p->nvals + 1, sizeof *out->taken);
    out->ntaken = 0;
    for (Val v = 1; v < j->p->nvals; v++)
        if (j->saved[v])
            out->taken[out->ntaken++] = j->held[v] ? from[v] : j->nx + j->ny + extra++;
}

/* Not so: a loop that computes results and derivatives at once, or one that counts its turns, so that the sizes of
 * what it saves are known only when it has run. */
static bool is_separate(const Joint *j)
{
    for (uint32_t k = 0; k < j->ny; k++)
        if (j->backward[j->p->outs[k]])
            return false;
    for (uint32_t i = 0; i < j->p->dims.syms.n; i++)
        if (j->p->dims.syms.v[i].origin == SYM_EQN)
            return false;
    return true;
}

bool xf_record(wf_ctx *cx, const Program *p, const bool *wrt, Recording *out)
{
    Joint j = {.cx = cx, .a = &cx->scratch, .nx = p->nin, .ny = p->nout};
    uint32_t nsaved;

    memset(out, 0, sizeof *out);
    out->nz = arena_zalloc(j.a, p->nout + 1u);
    if (!(j.p = linear_program(cx, p, wrt, out->nz, "jvp")))
        return false;
    cut(&j);
    if (!is_separate(&j))
        return fail(cx, WF_ERR_NORULE, NOWHERE,
                    "record: '%s' cannot be computed ahead of its derivative", p->name);
    for (uint32_t i = 0; i < j.nx; i++)
        j.held[program_in(j.p, i)] = true;
    for (uint32_t k = 0; k < j.ny; k++)
        j.held[j.p->outs[k]] = true;
    choose(&j);
    find_taken(&j, out);
    out->forward = make_forward(&j, p->name);
    out->linear = make_backward(&j, xf_name(cx, p->name, "linear"), &nsaved);
    return out->forward && out->linear;
}
