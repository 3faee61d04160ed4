/* ops_flow.c -- calls and control flow.
 *
 *     while   values that the body hands on as they are become constants of the loop. A loop that counts from a number to a number is
 *             a scan: its gradient keeps what each turn had, and batches of it do not wait for one another.
 *     case    cond, its operands all that any of the branches uses
 */
#include "stablehlo/stablehlo.h"

#include "stablehlo/loop.h"

/* ---- calls ------------------------------------------------------------------------------------------------------------- */

static uint32_t count_results(const HloOp *op)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < op->results.n; i++)
        n += op->results.v[i].n;
    return n;
}

static bool call_named(Hlo *h, const char *name)
{
    HloFunc *f = name ? hlo_find(h->t, name) : NULL;
    uint32_t nin = h->op->in.n, nout = count_results(h->op);
    Val *in = arena_array(h->t->a, nin, sizeof *in), *out;
    const Program *p;

    if (!f)
        return hlo_op_fail(h, WF_ERR_FORMAT, "there is no function '%.80s'", name ? name : "");
    for (uint32_t i = 0; i < nin; i++)
        in[i] = hlo_in(h, i);
    if (failed(h->cx) || !(p = hlo_function(h, f)))
        return false;
    if (p->nout < nout)
        return hlo_op_fail(h, WF_ERR_FORMAT, "'%.80s' gives %u values, %u are named", name, p->nout, nout);
    out = arena_array(h->t->a, p->nout, sizeof *out);
    return hlo_call(h, p, in, nin, out, p->nout) && hlo_outs(h, out, p->nout);
}

bool hlo_call_op(Hlo *h, const HloRule *r)
{
    const char *callee = h->op->symbol ? h->op->symbol : hlo_text(h, "callee");

    (void)r;
    return call_named(h, callee);
}

bool hlo_composite(Hlo *h, const HloRule *r)
{
    (void)r;
    return call_named(h, hlo_text(h, "decomposition"));
}

bool hlo_map(Hlo *h, const HloRule *r)
{
    uint32_t n = h->op->in.n;
    Val *in = arena_array(h->t->a, n, sizeof *in), *out;
    const Program *p;

    (void)r;
    for (uint32_t i = 0; i < n; i++)
        in[i] = hlo_in(h, i);
    if (failed(h->cx) || h->op->regions.n != 1 || !(p = hlo_region_program(h, h->op->regions.v[0])))
        return failed(h->cx) ? false : hlo_op_fail(h, WF_ERR_FORMAT, "needs a region");
    out = arena_array(h->t->a, p->nout, sizeof *out);
    return hlo_apply(h, p, in, n, out) && hlo_outs(h, out, p->nout);
}

/* ---- branches -------------------------------------------------------------------------------------------------------------- */

typedef struct Branch {
    HloScope s;
    Val *outs;
    uint32_t nouts;
} Branch;

/* The input of a branch for a value from outside, made if it has none. */
static Val input_for(Hlo *h, Branch *b, Val from)
{
    Type t = b_type(h->s->b, from);

    for (uint32_t i = 0; i < b->s.taken.n; i++)
        if (b->s.taken_from.v[i] == from)
            return b->s.taken.v[i];
    return b_input(b->s.b, NULL, b_make_type(b->s.b, (wf_dtype)t.dtype, t.dims, t.rank));
}

static bool branch_ops(Hlo *h, const HloRegion *r, Branch *b)
{
    Val *params;
    bool ok = hlo_region_open(h, &b->s, r, &params);

    ok = ok && hlo_region_ops(h, r, &b->outs, &b->nouts);
    hlo_region_leave(h);
    return ok && (!r->params.n || hlo_op_fail(h, WF_ERR_FORMAT, "a branch with arguments"));
}

/* cond of the regions, in this order. */
static bool build_branches(Hlo *h, Val index, HloRegion *const *regions, uint32_t n)
{
    Arena *a = h->t->a;
    Branch *branches = arena_zalloc(a, n * sizeof *branches);
    Sub *subs = arena_zalloc(a, n * sizeof *subs);
    VEC(Val) args = {0};
    uint32_t got;
    Val *out;

    vec_push(a, &args, index);
    for (uint32_t i = 0; i < n; i++) {
        if (!branch_ops(h, regions[i], &branches[i]))
            return false;
        for (uint32_t k = 0; k < branches[i].s.taken.n; k++) {
            bool seen = false;

            for (uint32_t j = 1; j < args.n; j++)
                seen |= args.v[j] == branches[i].s.taken_from.v[k];
            if (!seen)
                vec_push(a, &args, branches[i].s.taken_from.v[k]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        Val *ins = arena_array(a, args.n, sizeof *ins);

        for (uint32_t k = 1; k < args.n; k++)
            ins[k - 1] = input_for(h, &branches[i], args.v[k]);
        if (!(subs[i].p = builder_finish_as(branches[i].s.b, ins, args.n - 1, branches[i].outs, branches[i].nouts)))
            return false;
    }
    if (!(out = b_eqn_n(h->s->b, OP_cond, args.v, args.n, &(CondAttr){{n, subs}}, &got)))
        return false;
    return hlo_outs(h, out, got);
}

static const Eqn *maker(const Builder *b, Val v)
{
    return b->vals.v[v].eqn == EQN_INPUT ? NULL : &b->eqns.v[b->vals.v[v].eqn];
}

/* The branch to take: a bool if the number is made of one; numbers outside mean the last, if they can be */
static Val branch_index(Hlo *h, Val i, uint32_t n)
{
    Builder *b = h->s->b;
    const Eqn *e = maker(b, i);
    Val constant;

    if (e && e->op == OP_cast && n == 2 && b_dtype(b, b->args.v[e->args]) == WF_BOOL)
        return b->args.v[e->args];
    if (e && e->op == OP_clamp && b_is_number(b, b->args.v[e->args], 0))
        return i;
    constant = hlo_like(h, i, n - 1);
    return b_select(b, b_lt(b, i, hlo_like(h, i, 0)), constant, i);
}

bool hlo_case(Hlo *h, const HloRule *r)
{
    Val i = hlo_in(h, 0);

    (void)r;
    if (failed(h->cx))
        return false;
    if (!h->op->regions.n || h->op->regions.n > 10000 || b_rank(h->s->b, i) || b_dtype(h->s->b, i) != WF_I32)
        return hlo_op_fail(h, WF_ERR_FORMAT, "needs branches, and the number of one as an i32");
    return build_branches(h, branch_index(h, i, h->op->regions.n), h->op->regions.v, h->op->regions.n);
}

bool hlo_if(Hlo *h, const HloRule *r)
{
    Val i = hlo_in(h, 0);

    (void)r;
    if (failed(h->cx))
        return false;
    if (h->op->regions.n != 2 || b_rank(h->s->b, i) || b_dtype(h->s->b, i) != WF_BOOL)
        return hlo_op_fail(h, WF_ERR_FORMAT, "needs two branches and a bool");
    return build_branches(h, i, (HloRegion *[]){h->op->regions.v[1], h->op->regions.v[0]}, 2);
}

/* ---- loops ------------------------------------------------------------------------------------------------------------------- */

typedef struct Part { /* the condition, or the body */
    HloScope s;
    Val *params, *outs;
    uint32_t nouts;
    const Program *p;
    VEC(Val) ins, consts; /* inputs of the program; operands for the constant ones among them */
} Part;

static bool part_ops(Hlo *h, const HloRegion *r, Part *p)
{
    bool ok = hlo_region_open(h, &p->s, r, &p->params);

    ok = ok && hlo_region_ops(h, r, &p->outs, &p->nouts);
    hlo_region_leave(h);
    return ok;
}

static bool is_read(const Part *p, Val v)
{
    const Builder *b = p->s.b;

    for (uint32_t i = 0; i < b->args.n; i++)
        if (b->args.v[i] == v)
            return true;
    for (uint32_t i = 0; i < p->nouts; i++)
        if (p->outs[i] == v)
            return true;
    return false;
}

/* Its program: constants first, then what varies. */
static bool part_close(Hlo *h, Part *p, const Val *init, uint32_t n, const bool *fixed, const Val *outs, uint32_t nouts)
{
    for (uint32_t i = 0; i < p->s.taken.n; i++) {
        vec_push(h->t->a, &p->ins, p->s.taken.v[i]);
        vec_push(h->t->a, &p->consts, p->s.taken_from.v[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (fixed[i] && is_read(p, p->params[i])) {
            vec_push(h->t->a, &p->ins, p->params[i]);
            vec_push(h->t->a, &p->consts, init[i]);
        }
    for (uint32_t i = 0; i < n; i++)
        if (!fixed[i])
            vec_push(h->t->a, &p->ins, p->params[i]);
    p->p = builder_finish_as(p->s.b, p->ins.v, p->ins.n, outs, nouts);
    return p->p != NULL;
}

static bool whole_number(const Builder *b, Val v, int64_t *out)
{
    const void *bits;
    double x;

    if (!b_splat(b, v, &bits) || !dtype_is_int(b_dtype(b, v)) || b_rank(b, v))
        return false;
    x = element_as_f64(b_dtype(b, v), bits);
    *out = (int64_t)x;
    return x > -1e15 && x < 1e15;
}

/* The number of param v: fixed and a number at first. Or v is a number. */
static bool fixed_number(Hlo *h, const Part *p, Val v, const Val *init, uint32_t n, const bool *fixed, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        if (p->params[i] == v)
            return fixed[i] && whole_number(h->s->b, init[i], out);
    return whole_number(p->s.b, v, out);
}

/* while i < limit: i = i + 1, i and limit numbers. Gives which value counts and how many turns there are. */
static bool is_counted(Hlo *h, const Part *cond, const Part *body, const Val *init, uint32_t n, const bool *fixed, LoopCount *out)
{
    const Eqn *test = maker(cond->s.b, cond->outs[0]), *next;
    int64_t from, to, step;
    const Val *args;

    if (!test || test->op != OP_lt)
        return false;
    args = cond->s.b->args.v + test->args;
    for (uint32_t k = 0; k < n; k++) {
        if (args[0] != cond->params[k] || fixed[k])
            continue;
        next = maker(body->s.b, body->outs[k]);
        if (!next || next->op != OP_add || !whole_number(h->s->b, init[k], &from) ||
            !fixed_number(h, cond, args[1], init, n, fixed, &to))
            return false;
        args = body->s.b->args.v + next->args;
        if (!((args[0] == body->params[k] && whole_number(body->s.b, args[1], &step)) ||
              (args[1] == body->params[k] && whole_number(body->s.b, args[0], &step))) || step != 1)
            return false;
        *out = (LoopCount){.which = k, .from = from, .turns = to > from ? to - from : 0};
        return true;
    }
    return false;
}

static bool emit_while(Hlo *h, const Part *cond, const Part *body, const Val *init, uint32_t n, const bool *fixed, Val **out)
{
    VEC(Val) args = {0};
    WhileAttr a = {.cond = {.p = cond->p}, .body = {.p = body->p}, .ncond = cond->consts.n, .nbody = body->consts.n, .bound = DIM_NONE, .trips = DIM_NONE};
    uint32_t got, ncarry = 0;

    for (uint32_t i = 0; i < cond->consts.n; i++)
        vec_push(h->t->a, &args, cond->consts.v[i]);
    for (uint32_t i = 0; i < body->consts.n; i++)
        vec_push(h->t->a, &args, body->consts.v[i]);
    for (uint32_t i = 0; i < n; i++)
        if (!fixed[i]) {
            vec_push(h->t->a, &args, init[i]);
            ncarry++;
        }
    if (!(*out = b_eqn_n(h->s->b, OP_while, args.v, args.n, &a, &got)))
        return false;
    return got == ncarry || hlo_op_fail(h, WF_ERR_FORMAT, "its regions do not give its values");
}

bool hlo_while(Hlo *h, const HloRule *r)
{
    uint32_t n = h->op->in.n, nvary = 0, k = 0;
    Val *init = arena_array(h->t->a, n, sizeof *init), *vary = arena_array(h->t->a, n, sizeof *vary);
    Val *carry = arena_array(h->t->a, n, sizeof *carry), *out;
    bool *fixed = arena_zalloc(h->t->a, n + 1);
    Part cond = {0}, body = {0};
    LoopCount count = {0};
    bool counted;

    (void)r;
    for (uint32_t i = 0; i < n; i++)
        init[i] = hlo_in(h, i);
    if (failed(h->cx))
        return false;
    if (h->op->regions.n != 2 || h->op->regions.v[0]->params.n != n || h->op->regions.v[1]->params.n != n)
        return hlo_op_fail(h, WF_ERR_FORMAT, "needs two regions of its values");
    if (!part_ops(h, h->op->regions.v[0], &cond) || !part_ops(h, h->op->regions.v[1], &body))
        return false;
    if (cond.nouts != 1 || body.nouts != n)
        return hlo_op_fail(h, WF_ERR_FORMAT, "its regions give %u and %u values, needed 1 and %u", cond.nouts, body.nouts, n);
    for (uint32_t i = 0; i < n; i++)
        if (!(fixed[i] = body.outs[i] == body.params[i])) {
            carry[nvary] = init[i];
            vary[nvary++] = body.outs[i];
        }
    counted = is_counted(h, &cond, &body, init, n, fixed, &count);
    if (counted) /* its place among what varies */
        for (uint32_t i = 0, all = count.which; i < all; i++)
            count.which -= fixed[i];
    if (!part_close(h, &body, init, n, fixed, vary, nvary))
        return false;
    if (counted)
        out = hlo_loop_scan(h->s->b, body.p, body.consts.v, body.consts.n, carry, nvary, &count);
    else if (!part_close(h, &cond, init, n, fixed, cond.outs, 1) || !emit_while(h, &cond, &body, init, n, fixed, &out))
        return false;
    if (!out)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!fixed[i] && k == nvary)
            return hlo_op_fail(h, WF_ERR_FORMAT, "its regions do not give its values");
        vary[i] = fixed[i] ? init[i] : out[k++];
    }
    return hlo_outs(h, vary, n);
}
