/* cost.c -- what running a program once costs, counted from its equations.
 *
 *   map           what the op's row says (flops): elementwise ops that compute on floats
 *                 one operation an element of the result; reductions, cumsum and windows
 *                 one an element combined
 *   contraction   the same of products and factorisations: dot_general 2 m n k ..
 *   bytes         operands and results of every equation but constants
 *   live          the largest sum, over the equations, of inputs, values that are still
 *                 to be read, and what a sub-program holds meanwhile
 *   control       scan: length times its body; while: its bound, or one turn; cond: the
 *                 dearest branch; the others: their body (custom_jvp, custom_vjp: the
 *                 primal)
 *
 * Counts are doubles: they say how much, not how many exactly. Sub-programs at equal
 * sizes are counted once.
 */
#include "op/op.h"

typedef struct Cost {
    double map, contraction, bytes, live; /* live: without the inputs */
} Cost;

typedef struct Memo {
    const Program *p;
    const int64_t *sizes; /* of its symbols */
    Cost cost;
} Memo;

typedef struct Coster {
    wf_ctx *cx;
    Arena *a;
    VEC(Memo) memos;
    uint32_t *slots; /* open addressing: memo + 1 */
    uint32_t nslots;
} Coster;

typedef struct CostFrame { /* a program being counted */
    Coster *c;
    const Program *p;
    const int64_t *sizes; /* of its symbols */
} CostFrame;

static Cost cost_of(Coster *c, const Program *p, const int64_t *sizes);

/* A size that cannot be computed, or would be negative, counts as 0. */
int64_t sized_dim(const SizedEqn *s, Dim d)
{
    int64_t v;

    return d != DIM_NONE && dim_eval(&s->p->dims, d, s->sizes, &v) && v > 0 ? v : 0;
}

double sized_count(const SizedEqn *s, Type t)
{
    double n = 1;

    for (uint32_t i = 0; i < t.rank; i++)
        n *= (double)sized_dim(s, t.dims[i]);
    return n;
}

static int64_t size_of(const CostFrame *f, Dim d)
{
    return sized_dim(&(SizedEqn){f->p, NULL, f->sizes}, d);
}

static double bytes_of(const CostFrame *f, Val v)
{
    Type t = val_type(f->p, v);

    return sized_count(&(SizedEqn){f->p, NULL, f->sizes}, t) *
           (double)wf_dtype_size((wf_dtype)t.dtype);
}

/* ---- one equation ------------------------------------------------------------------ */

/* Those of products and factorisations are counted apart. */
static void count_flops(const CostFrame *f, const Eqn *e, Cost *cost)
{
    const char *family = op_table[e->op].family;
    const OpRow *row = op_row(e->op);
    double n = row->flops ? row->flops(&(SizedEqn){f->p, e, f->sizes}) : 0;

    if (!strcmp(family, "contract") || !strcmp(family, "linalg"))
        cost->contraction = n;
    else
        cost->map = n;
}

/* ---- sub-programs ------------------------------------------------------------------ */

static Cost sub_cost(const CostFrame *f, const Sub *s)
{
    uint32_t n = s->p->dims.syms.n;
    int64_t *sizes = arena_array(f->c->a, n, sizeof *sizes);

    for (uint32_t i = 0; i < n; i++) {
        const Symbol *sym = &s->p->dims.syms.v[i];

        sizes[i] = sym->origin != SYM_EQN && i < s->binds.n ? size_of(f, s->binds.v[i])
                   : sym->hint > 0                          ? sym->hint
                                                            : 64;
    }
    return cost_of(f->c, s->p, sizes);
}

static void add_times(Cost *to, Cost c, double times)
{
    to->map += c.map * times;
    to->contraction += c.contraction * times;
    to->bytes += c.bytes * times;
    to->live = MAX(to->live, times > 0 ? c.live : 0);
}

static Cost dearest(const CostFrame *f, const Subs *subs)
{
    Cost best = {0};

    for (uint32_t i = 0; i < subs->n; i++) {
        Cost c = sub_cost(f, &subs->v[i]);
        double live = MAX(best.live, c.live);

        if (c.map + c.contraction > best.map + best.contraction ||
            (c.map + c.contraction == best.map + best.contraction &&
             c.bytes > best.bytes))
            best = c;
        best.live = live;
    }
    return best;
}

static Cost control_cost(const CostFrame *f, const Eqn *e)
{
    Cost total = {0};

    switch (e->op) {
    case OP_cond:
        add_times(&total, dearest(f, &((const CondAttr *)e->attr)->branches), 1);
        break;
    case OP_scan: {
        const ScanAttr *a = e->attr;

        add_times(&total, sub_cost(f, &a->body), (double)size_of(f, a->length));
        break;
    }
    case OP_while: {
        const WhileAttr *a = e->attr;
        double turns = a->bound == DIM_NONE ? 1 : (double)size_of(f, a->bound);

        add_times(&total, sub_cost(f, &a->cond), turns);
        add_times(&total, sub_cost(f, &a->body), turns);
        break;
    }
    case OP_custom_jvp:
        add_times(&total, sub_cost(f, &((const CustomJvpAttr *)e->attr)->primal), 1);
        break;
    case OP_custom_vjp:
        add_times(&total, sub_cost(f, &((const CustomVjpAttr *)e->attr)->primal), 1);
        break;
    case OP_custom_lin:
        add_times(&total, sub_cost(f, &((const CustomLinAttr *)e->attr)->bwd), 1);
        break;
    case OP_checkpoint:
        add_times(&total, sub_cost(f, &((const CheckpointAttr *)e->attr)->body), 1);
        break;
    default: add_times(&total, sub_cost(f, &((const CallAttr *)e->attr)->body), 1); break;
    }
    return total;
}

/* ---- programs ---------------------------------------------------------------------- */

/* The equation after which each value is not read any more; neqns for results. */
static uint32_t *last_uses(const CostFrame *f)
{
    const Program *p = f->p;
    uint32_t *last = arena_zalloc(f->c->a, p->nvals * sizeof *last);

    for (uint32_t i = 0; i < p->neqns; i++) {
        for (uint32_t j = 0; j < p->eqns[i].nin; j++)
            last[eqn_in(p, &p->eqns[i])[j]] = i;
        for (uint32_t j = 0; j < p->eqns[i].nout; j++)
            last[p->eqns[i].out + j] = i;
    }
    for (uint32_t i = 0; i < p->nout; i++)
        last[p->outs[i]] = p->neqns;
    return last;
}

/* What equation i frees: operands (each once) and results that are read no more. Inputs
 * belong to the caller. */
static double freed_bytes(const CostFrame *f, uint32_t i, uint32_t *last)
{
    const Eqn *e = &f->p->eqns[i];
    double sum = 0;

    for (uint32_t j = 0; j < e->nin + e->nout; j++) {
        Val v = j < e->nin ? eqn_in(f->p, e)[j] : e->out + (j - e->nin);

        if (last[v] == i && f->p->vals[v].eqn != EQN_INPUT) {
            sum += bytes_of(f, v);
            last[v] = UINT32_MAX;
        }
    }
    return sum;
}

static Cost count_program(const CostFrame *f)
{
    const Program *p = f->p;
    uint32_t *last = last_uses(f);
    Cost total = {0};
    double live = 0;

    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        Cost inner = {0};
        double results = 0;

        for (uint32_t j = 0; j < e->nout; j++)
            results += bytes_of(f, e->out + j);
        if (op_has(e->op, OPF_CONTROL)) {
            inner = control_cost(f, e);
        } else if (e->op != OP_const) {
            count_flops(f, e, &inner);
            inner.bytes = results;
            for (uint32_t j = 0; j < e->nin; j++)
                inner.bytes += bytes_of(f, eqn_in(p, e)[j]);
        }
        live += results;
        total.map += inner.map;
        total.contraction += inner.contraction;
        total.bytes += inner.bytes;
        total.live = MAX(total.live, live + inner.live);
        live -= freed_bytes(f, i, last);
    }
    return total;
}

static uint32_t *memo_slot(const Coster *c, const Program *p, const int64_t *sizes)
{
    uint64_t h = hash_mix(1, (uint64_t)(uintptr_t)p);
    size_t bytes = p->dims.syms.n * sizeof *sizes;

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        h = hash_mix(h, (uint64_t)sizes[i]);
    for (uint32_t k = (uint32_t)(h >> 32) & (c->nslots - 1);;
         k = (k + 1) & (c->nslots - 1)) {
        const Memo *m = c->slots[k] ? &c->memos.v[c->slots[k] - 1] : NULL;

        if (!m || (m->p == p && (bytes == 0 || memcmp(m->sizes, sizes, bytes) == 0)))
            return &c->slots[k];
    }
}

static void grow_memos(Coster *c)
{
    c->nslots = c->nslots ? c->nslots * 2 : 32;
    c->slots = arena_zalloc(c->a, c->nslots * sizeof *c->slots);
    for (uint32_t i = 0; i < c->memos.n; i++)
        *memo_slot(c, c->memos.v[i].p, c->memos.v[i].sizes) = i + 1;
}

static Cost cost_of(Coster *c, const Program *p, const int64_t *sizes)
{
    CostFrame f = {c, p, sizes};
    Memo m = {.p = p, .sizes = sizes};

    if (c->nslots && *memo_slot(c, p, sizes))
        return c->memos.v[*memo_slot(c, p, sizes) - 1].cost;
    m.cost = count_program(&f);
    if ((c->memos.n + 1) * 2 > c->nslots)
        grow_memos(c);
    vec_push(c->a, &c->memos, m);
    *memo_slot(c, p, sizes) = c->memos.n;
    return m.cost;
}

void eqn_cost(wf_ctx *cx, const Program *p, const Eqn *e, const int64_t *sizes,
              double *out_flops, double *out_bytes)
{
    ArenaMark mark = arena_mark(&cx->scratch);
    Coster c = {.cx = cx, .a = &cx->scratch};
    CostFrame f = {&c, p, sizes};
    Cost cost = {0};

    if (op_has(e->op, OPF_CONTROL))
        cost = control_cost(&f, e);
    else
        count_flops(&f, e, &cost);
    *out_flops = cost.map + cost.contraction;
    *out_bytes = 0;
    for (uint32_t j = 0; j < e->nin; j++)
        *out_bytes += bytes_of(&f, eqn_in(p, e)[j]);
    for (uint32_t j = 0; j < e->nout; j++)
        *out_bytes += bytes_of(&f, e->out + j);
    arena_reset(&cx->scratch, mark);
}

/* ---- the public function ----------------------------------------------------------- */

static bool take_sizes(wf_ctx *cx, const Program *p, const char *const *symbols,
                       const int64_t *values, int n, int64_t *sizes)
{
    uint32_t nsyms = p->dims.syms.n;
    const char **names = arena_array(&cx->scratch, nsyms, sizeof *names);

    for (uint32_t i = 0; i < nsyms; i++) {
        names[i] = p->dims.syms.v[i].name;
        sizes[i] = p->dims.syms.v[i].hint > 0 ? p->dims.syms.v[i].hint : 64;
    }
    for (int k = 0; k < n; k++) {
        uint32_t i = 0;

        if (!symbols[k])
            return fail(cx, WF_ERR_ARG, NOWHERE, "wf_program_cost: a name is NULL");

        while (i < nsyms && strcmp(names[i], symbols[k]) != 0)
            i++;
        if (i == nsyms) {
            const char *near = nearest_name(symbols[k], names, (int)nsyms);

            return fail(cx, WF_ERR_NAME, NOWHERE, "%s has no symbol '%s'%s%s%s", p->name,
                        symbols[k], near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
        }
        if (values[k] < 0)
            return fail(cx, WF_ERR_VALUE, NOWHERE,
                        "the size of %s is %lld; it needs 0 or more", symbols[k],
                        (long long)values[k]);
        sizes[i] = values[k];
    }
    return true;
}

static void count(wf_ctx *cx, const Program *p, const int64_t *sizes, wf_cost *out)
{
    Coster c = {.cx = cx, .a = &cx->scratch};
    CostFrame f = {&c, p, sizes};
    Cost cost = cost_of(&c, p, sizes);
    wf_cost r = {.size = out->size,
                 .map_flops = cost.map,
                 .contraction_flops = cost.contraction,
                 .bytes = cost.bytes};

    for (uint32_t i = 0; i < p->nin; i++)
        r.input_bytes += bytes_of(&f, program_in(p, i));
    for (uint32_t i = 0; i < p->nout; i++)
        r.output_bytes += bytes_of(&f, p->outs[i]);
    r.live_bytes = r.input_bytes + cost.live;
    memcpy(out, &r, MIN(out->size, sizeof r));
}

wf_status wf_program_cost(wf_ctx *cx, const wf_program *p, const char *const *symbols,
                          const int64_t *values, int n, wf_cost *out_cost)
{
    int64_t *sizes;

    if (!cx)
        return WF_ERR_ARG;
    if (!p || !out_cost || n < 0 || (n && (!symbols || !values)) ||
        out_cost->size < sizeof out_cost->size) {
        fail(cx, WF_ERR_ARG, NOWHERE,
             "wf_program_cost: an argument is NULL, or wf_cost.size not set");
        return ctx_status(cx);
    }
    API_ENTER(cx);
    sizes = arena_array(&cx->scratch, p->dims.syms.n, sizeof *sizes);
    if (take_sizes(cx, p, symbols, values, n, sizes))
        count(cx, p, sizes, out_cost);
    API_RETURN(cx);
}
