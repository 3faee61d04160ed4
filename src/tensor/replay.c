/* replay.c -- a program applied op by op to concrete tensors.
 *
 * A program in which equations define sizes (nonzero, some loops) cannot be recorded as
 * one step: the types of its values are known only when it has run. So where it is to be
 * recorded, its equations are applied one after the other like calls of the interface,
 * with the sizes as they turn out.
 */
#include "tensor/tensor.h"

typedef struct Replay {
    wf_ctx *cx;
    const Program *p;
    int64_t *symvals; /* -1: not yet known */
    wf_tensor *vals;  /* of each value of p */
} Replay;

/* The symbol that e defines takes the size it has in the result, or the value of the
 * operand. */
static bool define_size(Replay *r, const Eqn *e, const wf_tensor *in,
                        const wf_tensor *out)
{
    Dim sym = ((const SymAttr *)e->attr)->sym;
    uint32_t i = dim_node(&r->p->dims, sym)->sym;

    r->symvals[i] =
        e->op == OP_size ? wf_item_int(r->cx, in[0]) : wf_size(r->cx, out[0], 0);
    return !failed(r->cx);
}

static bool concrete_attr(Replay *r, const Eqn *e, Arena *a, void **out)
{
    wf_ctx *c = r->cx;
    bool ok;

    *out = NULL;
    T_ENTER(c, false)
    ok = !e->attr ||
         attr_concrete(op_row(e->op), e->attr, a, &r->p->dims, r->symvals, out);
    T_LEAVE(c);
    return ok && !failed(c);
}

/* How many turns a loop makes: run without recording. */
static bool count_turns(wf_ctx *c, const WhileAttr *w, const wf_tensor *in, uint32_t nin,
                        int64_t *out)
{
    uint32_t nc = (uint32_t)w->ncond, nb = (uint32_t)w->nbody, nx = nin - nc - nb;
    uint32_t nargs = MAX(nc, nb) + nx, nres = w->body.p->nout;
    wf_tensor *v = mem_alloc(&c->al, (nargs + nx + nres + 1) * sizeof *v);
    wf_tensor *x = v ? v + nargs : NULL, *y = v ? x + nx : NULL, go;

    *out = 0;
    if (!v)
        return fail_memory(c);
    memcpy(x, in + nc + nb, nx * sizeof *x);
    wf_no_grad_begin(c);
    for (; !failed(c); ++*out) {
        memcpy(v, in, nc * sizeof *v);
        memcpy(v + nc, x, nx * sizeof *v);
        if (!tensor_call(c, w->cond.p, v, nc + nx, &go, 1) || wf_item(c, go) == 0)
            break;
        memcpy(v, in + nc, nb * sizeof *v);
        memcpy(v + nb, x, nx * sizeof *v);
        if (tensor_call(c, w->body.p, v, nb + nx, y, nres))
            memcpy(x, y, nx * sizeof *x);
    }
    wf_no_grad_end(c);
    mem_free(&c->al, v, (nargs + nx + nres + 1) * sizeof *v);
    return !failed(c);
}

/* A loop that stacks as many rows as it makes turns: counted first, then a loop with that
 * bound, whose types are known. */
static bool replay_while(Replay *r, const Eqn *e, const wf_tensor *in)
{
    const WhileAttr *w = e->attr;
    WhileAttr bounded = *w;
    int64_t n;

    if (!count_turns(r->cx, w, in, e->nin, &n))
        return false;
    r->symvals[dim_node(&r->p->dims, w->trips)->sym] = n;
    bounded.bound = n;
    bounded.trips = DIM_NONE;
    bounded.padded = false;
    bounded.cond.binds = bounded.body.binds = (Ints){0}; /* from the operands */
    return tensor_op(r->cx, OP_while, in, e->nin, &bounded, r->vals + e->out, e->nout);
}

static bool replay_eqn(Replay *r, const Eqn *e)
{
    wf_ctx *c = r->cx;
    wf_tensor *in = mem_alloc(&c->al, (e->nin + 1) * sizeof *in);
    Arena a;
    void *attr;
    bool ok = false;

    if (!in)
        return fail_memory(c);
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = r->vals[eqn_in(r->p, e)[i]];
    arena_init(&a, &c->al, c);
    if (e->op == OP_while && ((const WhileAttr *)e->attr)->trips != DIM_NONE)
        ok = replay_while(r, e, in);
    else if (e->op == OP_size)
        ok = define_size(r, e, in, NULL);
    else if (concrete_attr(r, e, &a, &attr))
        ok = tensor_op(c, (OpCode)e->op, in, e->nin, e->op == OP_nonzero ? NULL : attr,
                       r->vals + e->out, e->nout) &&
             (e->op != OP_nonzero || define_size(r, e, in, r->vals + e->out));
    arena_free(&a);
    mem_free(&c->al, in, (e->nin + 1) * sizeof *in);
    return ok;
}

static bool bind_sizes(Replay *r, const wf_tensor *in)
{
    wf_ctx *c = r->cx;
    const int64_t **dims;
    bool ok;

    T_ENTER(c, false)
    dims = arena_array(&c->scratch, r->p->nin + 1, sizeof *dims);
    for (uint32_t i = 0; i < r->p->nin; i++)
        dims[i] = tensor_get(c, in[i], r->p->name)->dims;
    ok = program_bind(c, r->p, dims, r->symvals);
    T_LEAVE(c);
    return ok;
}

bool replay_program(wf_ctx *c, const Program *p, const wf_tensor *in, wf_tensor *out)
{
    size_t vals = (p->nvals + 1) * sizeof(wf_tensor),
           syms = (p->dims.syms.n + 1) * sizeof(int64_t);
    Replay r = {c, p, mem_alloc(&c->al, syms), mem_alloc(&c->al, vals)};
    bool ok = false;

    if (!r.symvals || !r.vals)
        fail_memory(c);
    scope_open(c);
    if (!failed(c)) {
        memset(r.vals, 0, vals);
        ok = bind_sizes(&r, in);
        for (uint32_t i = 0; i < p->nin; i++)
            r.vals[program_in(p, i)] = in[i];
        for (uint32_t e = 0; e < p->neqns && ok; e++)
            ok = replay_eqn(&r, &p->eqns[e]);
        for (uint32_t j = 0; j < p->nout && ok; j++)
            out[j] = r.vals[p->outs[j]];
    }
    scope_close_n(c, out, ok ? (int)p->nout : 0);
    if (r.symvals)
        mem_free(&c->al, r.symvals, syms);
    if (r.vals)
        mem_free(&c->al, r.vals, vals);
    return ok && !failed(c);
}

/* ---- results that are views of an input ---- */

static const Eqn *maker_of(const Program *p, Val v)
{
    for (uint32_t e = p->neqns; e-- > 0;)
        if (v >= p->eqns[e].out && v < p->eqns[e].out + p->eqns[e].nout)
            return &p->eqns[e];
    return NULL;
}

bool replay_is_views(const Program *p, Val v, Val of)
{
    while (v != of) {
        const Eqn *e = maker_of(p, v);

        if (!e || !op_has(e->op, OPF_VIEW | OPF_SAME))
            return false;
        v = eqn_in(p, e)[0];
    }
    return true;
}

/* Make v of a value that stands for a tensor already. */
static bool make_view(Replay *r, Val v)
{
    const Eqn *e;

    if (!wf_is_none(r->vals[v]))
        return true;
    e = maker_of(r->p, v);
    return make_view(r, eqn_in(r->p, e)[0]) && replay_eqn(r, e);
}

wf_tensor replay_view(wf_ctx *c, const Program *p, uint32_t out, const wf_tensor *in,
                      uint32_t to, int64_t written)
{
    size_t vals = (p->nvals + 1) * sizeof(wf_tensor),
           syms = (p->dims.syms.n + 1) * sizeof(int64_t);
    Replay r = {c, p, mem_alloc(&c->al, syms), mem_alloc(&c->al, vals)};
    Val of = written < 0 ? program_in(p, to) : p->outs[written];
    wf_tensor y = WF_NONE;

    if (!r.symvals || !r.vals)
        fail_memory(c);
    scope_open(c);
    if (!failed(c)) {
        memset(r.vals, 0, vals);
        r.vals[of] = in[to];
        if (replay_is_views(p, p->outs[out], of) && bind_sizes(&r, in) && make_view(&r, p->outs[out]))
            y = r.vals[p->outs[out]];
    }
    scope_close_n(c, &y, wf_is_none(y) ? 0 : 1);
    if (r.symvals)
        mem_free(&c->al, r.symvals, syms);
    if (r.vals)
        mem_free(&c->al, r.vals, vals);
    return y;
}
