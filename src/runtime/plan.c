/* plan.c -- what can be said of running a program before sizes are known.
 *
 *   views      a broadcast, transpose, slice or reversal is not carried out if all who
 *              use it take strides; a reshape or bitcast never is. Attention away from the
 *              host takes strides, also through a reshape that only divides axes
 *   storage    values that are the same memory share a store; a result takes the store of
 *              an operand that is used for the last time where its equation can write in
 *              place (reuse.c); operands of a concatenation that lie in one piece of it,
 *              or that attention away from the host makes, are written there; results of the program are written where the caller
 *              wants them, or into the memory of a donated input
 *   lifetime   after which equation a store is free
 *   exchanges  those between devices whose result is not read at once go on while other
 *              equations run: what they read is in use until somebody reads the result
 *   segments   the equations up to and including one that defines a symbol
 *
 *   method     backwards: what do users take; forwards: views and stores; last uses;
 *              forwards: in place, parts
 */
#include "opt/recognise.h"
#include "runtime/runtime.h"

typedef struct Planner {
    Plan *plan;
    const Program *p;
    Arena *a; /* of the plan */
    Arena *scratch;
    uint8_t *want;    /* Accept of each value: the least of its users */
    bool *rough;      /* a view whose innermost stride may not be 0 or 1 */
    bool *attends;    /* equations that are attention of another device than the host: all their planes
                         have strides */
    bool *attended;   /* values that those read, and nobody else */
    bool *splat;      /* constants of one element, not filled */
    uint32_t *merged; /* store -> store it became part of; itself: none */
    uint32_t *held;   /* of each store 1 + the exchange that reads it last and goes on; 0: none, NO_USE: more than that hold it */
    VEC(Store) stores;
} Planner;

static const Val *operands(const Planner *k, const Eqn *e) { return eqn_in(k->p, e); }

/* The operand a result is the same as, or -1. */
static int alias_of(unsigned op, uint32_t j)
{
    return op_has(op, OPF_SAME) ? (int)j : -1;
}

/* ---- what users take --------------------------------------------------------------- */

static void find_attention(Planner *k)
{
    const Program *p = k->p;
    Device *d = k->plan->device;
    bool *others = arena_zalloc(k->scratch, p->nvals + 1);

    for (uint32_t n = 0; n < p->neqns; n++) {
        const Eqn *e = &p->eqns[n];

        k->attends[n] = e->op == OP_call && !d->host_reads && opt_is_attention(k->scratch, e->attr) && d->has(d, p, e);
        for (uint32_t i = 0; i < e->nin; i++)
            (k->attends[n] ? k->attended : others)[operands(k, e)[i]] = true;
    }
    for (uint32_t j = 0; j < p->nout; j++)
        others[p->outs[j]] = true;
    for (uint32_t v = 0; v < p->nvals; v++)
        k->attended[v] = k->attended[v] && !others[v];
}

/* Are the axes of y those of x, in order, each as it is or divided into several? */
static bool divides_axes(Type x, Type y)
{
    uint32_t j = 0;

    for (uint32_t i = 0; i < x.rank; i++) {
        Dim rest = x.dims[i];

        while (j < y.rank && rest != 1 && (y.dims[j] == rest || (y.dims[j] > 0 && rest > 0 && rest % y.dims[j] == 0)))
            rest = y.dims[j] == rest ? 1 : rest / y.dims[j], j++;
        if (rest != 1)
            return false;
    }
    while (j < y.rank && y.dims[j] == 1)
        j++;
    return j == y.rank;
}

static Accept accepted(const Planner *k, const Eqn *e, uint32_t i)
{
    Accept out = e->nout ? (Accept)k->want[e->out] : ACCEPT_ANY;

    if (op_has(e->op, OPF_VIEW)) /* what is carried out here anyway can start from any view */
        return out == ACCEPT_DENSE ? ACCEPT_ANY : out;
    if (e->op == OP_reshape)
        return k->attended[e->out] && divides_axes(val_type(k->p, operands(k, e)[0]), val_type(k->p, e->out))
                   ? ACCEPT_ANY
                   : ACCEPT_DENSE;
    if (k->attends[e - k->p->eqns])
        return ACCEPT_ANY;
    if (alias_of(e->op, 0) >= 0)
        return (Accept)k->want[e->out + i];
    return (Accept)bind_row(e->op).accept[MIN(i, 2)];
}

static void find_wants(Planner *k)
{
    const Program *p = k->p;

    memset(k->want, ACCEPT_ANY, p->nvals);
    for (uint32_t j = 0; j < p->nout; j++)
        k->want[p->outs[j]] = ACCEPT_DENSE;
    for (uint32_t n = p->neqns; n-- > 0;) {
        const Eqn *e = &p->eqns[n];
        for (uint32_t i = 0; i < e->nin; i++) {
            Val v = operands(k, e)[i];
            k->want[v] = MIN(k->want[v], (uint8_t)accepted(k, e, i));
        }
    }
}

/* ---- views and stores -------------------------------------------------------------- */

static uint32_t new_store(Planner *k, StoreKind kind, uint32_t index, uint32_t eqn)
{
    vec_push(k->scratch, &k->stores,
             ((Store){.kind = (uint8_t)kind, .index = index, .first = eqn, .last = eqn}));
    return k->stores.n - 1;
}

/* Does the view leave the innermost axis alone? */
static bool is_rough_op(const Eqn *e)
{
    const TransposeAttr *t = e->attr;
    const SliceAttr *s = e->attr;
    const AxesAttr *r = e->attr;

    switch (e->op) {
    case OP_transpose: return t->perm.n && t->perm.v[t->perm.n - 1] != t->perm.n - 1;
    case OP_slice: return s->stride.n && s->stride.v[s->stride.n - 1] != 1;
    case OP_rev: return r->axes.n != 0;
    default: return false;
    }
}

static bool is_late_shape(const Planner *k, Val v)
{
    return k->plan->type_late[k->p->vals[v].type];
}

static void set_val(Planner *k, Val v, ValKind kind, uint32_t store)
{
    k->plan->val[v] = (PlanVal){store, (uint8_t)kind, kind == VAL_VIEW};
    if (kind == VAL_OWN)
        k->stores.v[store].val = v;
}

static bool is_one(Type t)
{
    for (uint32_t i = 0; i < t.rank; i++)
        if (t.dims[i] != 1)
            return false;
    return true;
}

static void place_const(Planner *k, const Eqn *e, uint32_t n)
{
    const ConstAttr *a = e->attr;
    bool splat =
        a->data->size == wf_dtype_size((wf_dtype)a->type.dtype) && !is_one(a->type);

    if (!splat)
        set_val(k, e->out, VAL_ALIAS, new_store(k, STORE_CONST, 0, n));
    else if (k->want[e->out] == ACCEPT_DENSE)
        set_val(k, e->out, VAL_OWN, new_store(k, STORE_TEMP, 0, n));
    else
        set_val(k, e->out, VAL_VIEW, new_store(k, STORE_CONST, 0, n));
}

static void place_view(Planner *k, const Eqn *e, uint32_t n)
{
    Val x = operands(k, e)[0];
    bool rough = k->rough[x] || is_rough_op(e);

    if (k->want[e->out] == ACCEPT_ANY || (k->want[e->out] == ACCEPT_ROWS && !rough)) {
        set_val(k, e->out, VAL_VIEW, k->plan->val[x].store);
        k->rough[e->out] = rough;
    } else {
        set_val(k, e->out, VAL_OWN, new_store(k, STORE_TEMP, 0, n));
    }
}

/* Is result j as large as a symbol the equation defines? */
static bool is_dyn(const Eqn *e, uint32_t j)
{
    const WhileAttr *w = e->attr;

    if (e->op == OP_while)
        return w->trips != DIM_NONE && j >= e->nin - (uint32_t)(w->ncond + w->nbody);
    return e->op == OP_nonzero;
}

static void place_outputs(Planner *k, const Eqn *e, uint32_t n)
{
    if (e->op == OP_const) {
        place_const(k, e, n);
        return;
    }
    if (op_has(e->op, OPF_VIEW)) {
        place_view(k, e, n);
        return;
    }
    for (uint32_t j = 0; j < e->nout; j++) {
        Val v = e->out + j;
        int from = alias_of(e->op, j);
        if (from >= 0) {
            Val x = operands(k, e)[from];
            set_val(k, v, VAL_ALIAS, k->plan->val[x].store);
            k->plan->val[v].part = k->plan->val[x].part;
            k->rough[v] = k->rough[x];
        } else if (is_dyn(e, j)) {
            set_val(k, v, VAL_OWN, new_store(k, STORE_DYN, k->plan->ndyn++, n));
        } else {
            set_val(k, v, VAL_OWN, new_store(k, STORE_TEMP, 0, n));
        }
    }
}

static void place_all(Planner *k)
{
    const Program *p = k->p;

    for (uint32_t i = 0; i < p->nin; i++)
        set_val(k, i + 1, VAL_ALIAS, new_store(k, STORE_IN, i, 0));
    for (uint32_t n = 0; n < p->neqns; n++)
        place_outputs(k, &p->eqns[n], n);
}

/* ---- lifetime ---------------------------------------------------------------------- */

static bool is_donated(const Planner *k, const Store *s)
{
    return s->kind == STORE_IN && k->plan->donated && k->plan->donated[s->index];
}

/* May result j, and nothing else, take the memory of a donated input? */
static bool is_heir(const Planner *k, uint32_t input, uint32_t j)
{
    return !k->plan->heir || k->plan->heir[input] == j + 1;
}

static bool is_exchange(const Eqn *e)
{
    return op_is_collective(e->op) && e->op != OP_axis_index && e->op != OP_pvary;
}

/* Processes whose programs differ put the same ones together, in buckets. */
static bool is_ordered(const Eqn *e) { return ((const CollectiveAttr *)e->attr)->order != 0; }

/* Does it take time? Views and names do not, and exchanges are done one after the other. */
static bool is_work(const Eqn *e)
{
    return !op_has(e->op, OPF_VIEW) && bind_row(e->op).bind != bind_alias && e->op != OP_const && !is_exchange(e);
}

static void find_going(Planner *k)
{
    const Program *p = k->p;
    Plan *plan = k->plan;
    uint32_t *done = arena_array(k->scratch, p->neqns + 2, sizeof *done); /* equations that take time, before each */
    uint32_t *before = arena_zalloc(k->scratch, (p->nvals + 1) * sizeof *before), n = 0; /* 1 + who reads it first */

    for (uint32_t i = 0; i < p->neqns; i++)
        n += is_exchange(&p->eqns[i]);
    if (!n || plan->nsegs > 1 || !plan->device->host_reads)
        return;
    plan->going = arena_array(k->a, n, sizeof *plan->going);
    done[0] = 0;
    for (uint32_t i = 0; i < p->neqns; i++) {
        done[i + 1] = done[i] + is_work(&p->eqns[i]);
        for (uint32_t o = 0; o < p->eqns[i].nin; o++)
            if (!before[operands(k, &p->eqns[i])[o]])
                before[operands(k, &p->eqns[i])[o]] = i + 1;
    }
    for (uint32_t i = 0; i < p->neqns; i++) {
        uint32_t end = is_exchange(&p->eqns[i]) ? before[p->eqns[i].out] : 1;

        end = end ? end - 1 : p->neqns;
        if (is_exchange(&p->eqns[i]) && (done[end] > done[i + 1] || is_ordered(&p->eqns[i])))
            plan->going[plan->ngoing++] = (Going){i, end};
    }
}

static void find_last_uses(Planner *k)
{
    const Program *p = k->p;

    for (uint32_t n = 0; n < p->neqns; n++)
        for (uint32_t i = 0; i < p->eqns[n].nin; i++)
            k->stores.v[k->plan->val[operands(k, &p->eqns[n])[i]].store].last = n;
    k->held = arena_zalloc(k->scratch, (k->stores.n + 1) * sizeof *k->held);
    for (uint32_t g = 0; g < k->plan->ngoing; g++) {
        const Going *x = &k->plan->going[g];
        uint32_t at = k->plan->val[operands(k, &p->eqns[x->eqn])[0]].store;
        Store *s = &k->stores.v[at];

        if (x->before > s->last)
            k->held[at] = !k->held[at] && s->last == x->eqn ? x->eqn + 1 : NO_USE;
        s->last = MAX(s->last, x->before);
    }
    for (uint32_t j = 0; j < p->nout; j++) {
        PlanVal v = k->plan->val[p->outs[j]];
        Store *s = &k->stores.v[v.store];
        k->plan->out_direct[j] = s->kind == STORE_TEMP && !is_late_shape(k, p->outs[j]);
        if (k->plan->out_direct[j]) {
            s->kind = STORE_OUT;
            s->index = j;
        } else if (is_donated(k, s) && !v.part && s->last < p->neqns &&
                   is_heir(k, s->index, j)) {
            k->plan->out_direct[j] = true; /* the input itself */
            k->plan->out_from[j] = s->index + 1;
            k->plan->in_taken[s->index] = true;
        }
        s->last = p->neqns;
    }
}

/* ---- in place ---------------------------------------------------------------------- */

static uint32_t root_store(const Planner *k, uint32_t s)
{
    while (k->merged[s] != s)
        s = k->merged[s];
    return s;
}

static uint32_t store_of(const Planner *k, Val v)
{
    return root_store(k, k->plan->val[v].store);
}

/* The store in which it lies, of which it may be a part. */
static uint32_t outer_store(const Planner *k, uint32_t s)
{
    while (k->stores.v[s].inside)
        s = root_store(k, k->stores.v[s].inside - 1);
    return s;
}

/* May result j be written where operand i lies, by all that the equation reads there? */
static bool may_replace(const Planner *k, const Eqn *e, uint32_t i, uint32_t j)
{
    const Val *x = operands(k, e);
    uint32_t s = store_of(k, x[i]);

    if (k->plan->val[x[i]].part ||
        !plan_same_size(val_type(k->p, x[i]), val_type(k->p, e->out + j)))
        return false;
    for (uint32_t o = 0; o < e->nin; o++) {
        Reuse rule;

        if (outer_store(k, store_of(k, x[o])) != s)
            continue;
        rule = reuse_of(k->plan, e, o, j);
        if (rule == REUSE_NOT || (rule == REUSE_ALONE && o != i) ||
            k->plan->val[x[o]].part || store_of(k, x[o]) != s)
            return false;
    }
    return true;
}

/* Is the store used for the last time by equation n, and no result of that in it yet? Of an exchange that goes on the result
 * holds it as long. */
static bool is_free_at(const Planner *k, uint32_t s, const Eqn *e, uint32_t n)
{
    const Store *t = &k->stores.v[s];

    if ((t->kind != STORE_TEMP && !is_donated(k, t)) || (t->last != n && k->held[s] != n + 1) || t->inside)
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        if (store_of(k, e->out + j) == s)
            return false;
    return true;
}

static void take_store(Planner *k, uint32_t from, uint32_t to)
{
    Store *f = &k->stores.v[from], *t = &k->stores.v[to];

    k->merged[to] = from;
    k->held[from] = k->held[to];
    f->last = t->last;
    if (f->kind == STORE_IN) {
        k->plan->in_taken[f->index] = true;
        if (t->kind == STORE_OUT)
            k->plan->out_from[t->index] = f->index + 1;
        return;
    }
    f->kind = t->kind;
    f->index = t->index;
}

/* A donated input that has an heir is given to that result alone. */
static bool inherits(const Planner *k, uint32_t from, uint32_t to)
{
    const Store *f = &k->stores.v[from], *t = &k->stores.v[to];

    return f->kind != STORE_IN || !k->plan->heir ||
           (t->kind == STORE_OUT && is_heir(k, f->index, t->index));
}

/* The operand of equation n in whose place result j is written, or e->nin: rather what was given for it than memory of the program's own,
 * which would have to be copied there, or leave what was given unused. */
static uint32_t replaced_by(const Planner *k, const Eqn *e, uint32_t n, uint32_t j)
{
    uint32_t to = store_of(k, e->out + j), best = e->nin;

    for (uint32_t i = 0; i < e->nin; i++) {
        uint32_t from = store_of(k, operands(k, e)[i]);

        if (!is_free_at(k, from, e, n) || !inherits(k, from, to) || !may_replace(k, e, i, j))
            continue;
        if (k->stores.v[from].kind == STORE_IN)
            return i;
        best = MIN(best, i);
    }
    return best;
}

static void place_in_place(Planner *k, const Eqn *e, uint32_t n)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        uint32_t to = store_of(k, e->out + j), i;

        if (k->plan->val[e->out + j].kind != VAL_OWN ||
            (k->stores.v[to].kind != STORE_TEMP && k->stores.v[to].kind != STORE_OUT))
            continue;
        i = replaced_by(k, e, n, j);
        if (i < e->nin)
            take_store(k, store_of(k, operands(k, e)[i]), to);
    }
}

/* ---- parts of concatenations ------------------------------------------------------- */

/* Is every operand one piece of the result, of a size known when the first is written? */
static bool has_whole_parts(const Planner *k, const Eqn *e)
{
    Type t = val_type(k->p, e->out);
    int64_t axis = ((const AxisAttr *)e->attr)->axis;

    for (int64_t d = 0; d < axis; d++)
        if (t.dims[d] != 1)
            return false;
    for (uint32_t i = 0; i < e->nin; i++)
        if (is_late_shape(k, operands(k, e)[i]))
            return false;
    return !is_late_shape(k, e->out);
}

static uint32_t count_reads(const Planner *k, Val v)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->p->neqns; i++)
        for (uint32_t j = 0; j < k->p->eqns[i].nin; j++)
            n += operands(k, &k->p->eqns[i])[j] == v;
    for (uint32_t j = 0; j < k->p->nout; j++)
        n += k->p->outs[j] == v;
    return n;
}

/* Is the operand what attention of the device makes, or that with axes joined, for this concatenation alone? It
 * can write it with gaps. */
static bool is_spread(const Planner *k, Val x)
{
    const Program *p = k->p;
    uint32_t n = p->vals[x].eqn, s = k->plan->val[x].store;
    Val v = x;

    if (n != EQN_INPUT && p->eqns[n].op == OP_reshape) {
        v = operands(k, &p->eqns[n])[0];
        n = p->vals[v].eqn;
    }
    for (uint32_t t = 0; t < k->stores.n; t++)
        if (k->merged[t] != t && (t == s || k->merged[t] == s))
            return false;
    return n != EQN_INPUT && k->attends[n] && k->plan->val[v].kind == VAL_OWN && count_reads(k, v) == 1 &&
           count_reads(k, x) == 1 && divides_axes(val_type(p, x), val_type(p, v));
}

/* Operands are written where the concatenation wants them. They may be read there as long
 * as they like, but nothing else may be written there. */
static void place_parts(Planner *k, const Eqn *e, uint32_t n)
{
    uint32_t to;
    bool whole;
    Store *t;

    if (e->op != OP_concat) /* an effect has no result to look at */
        return;
    whole = has_whole_parts(k, e);
    to = store_of(k, e->out);
    t = &k->stores.v[to];
    for (uint32_t i = 0; i < e->nin; i++) {
        Val x = operands(k, e)[i];
        Store *s = &k->stores.v[store_of(k, x)];

        if (s->kind != STORE_TEMP || s->inside || k->plan->val[x].part ||
            (!whole && (is_late_shape(k, x) || is_late_shape(k, e->out) || !is_spread(k, x))))
            continue;
        s->spread = !whole;
        s->inside = to + 1;
        s->concat = n;
        s->operand = i;
        t->first = MIN(t->first, s->first);
        t->last = MAX(t->last, s->last);
    }
}

static void share_stores(Planner *k)
{
    const Program *p = k->p;

    k->merged = arena_array(k->scratch, k->stores.n + 1, sizeof *k->merged);
    for (uint32_t s = 0; s < k->stores.n; s++)
        k->merged[s] = s;
    for (uint32_t n = 0; n < p->neqns; n++) {
        place_in_place(k, &p->eqns[n], n);
        place_parts(k, &p->eqns[n], n);
    }
    for (uint32_t v = 1; v < p->nvals; v++)
        k->plan->val[v].store = store_of(k, v);
}

/* ---- segments, free lists ---------------------------------------------------------- */

static void cut_segments(Planner *k)
{
    const Program *p = k->p;
    uint32_t n = 1;

    for (uint32_t i = 0; i < p->neqns; i++)
        n += op_has(p->eqns[i].op, OPF_DEFINES);
    k->plan->seg_end = arena_array(k->a, n, sizeof(uint32_t));
    n = 0;
    for (uint32_t i = 0; i < p->neqns; i++)
        if (op_has(p->eqns[i].op, OPF_DEFINES))
            k->plan->seg_end[n++] = i + 1;
    k->plan->seg_end[n++] = p->neqns;
    k->plan->nsegs = n;
}

static uint32_t segment_of(const Plan *plan, uint32_t eqn)
{
    uint32_t lo = 0, hi = plan->nsegs - 1;

    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (eqn < plan->seg_end[mid])
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Stores that outlive their segment keep their memory to the end. */
static bool is_freed(const Planner *k, uint32_t s)
{
    const Store *t = &k->stores.v[s];

    return k->merged[s] == s && !t->inside && t->kind == STORE_TEMP &&
           t->last < k->p->neqns &&
           segment_of(k->plan, t->first) == segment_of(k->plan, t->last);
}

static void list_frees(Planner *k)
{
    Plan *plan = k->plan;
    uint32_t *at = arena_zalloc(k->a, (k->p->neqns + 2) * sizeof *at);

    plan->free_list = arena_array(k->a, k->stores.n + 1, sizeof *plan->free_list);
    for (uint32_t s = 0; s < k->stores.n; s++)
        if (is_freed(k, s))
            at[k->stores.v[s].last + 2]++;
    for (uint32_t n = 2; n < k->p->neqns + 2; n++)
        at[n] += at[n - 1];
    for (uint32_t s = 0; s < k->stores.n; s++)
        if (is_freed(k, s))
            plan->free_list[at[k->stores.v[s].last + 1]++] = s;
    plan->free_at = at;
}

/* ---- late types -------------------------------------------------------------------- */

static bool is_late(const bool *late, Dim d)
{
    return d < 0 && d != DIM_NONE && late[-d - 1];
}

/* Parts of an expression come before it. */
static void find_late_types(Planner *k)
{
    const Program *p = k->p;
    bool *late = arena_zalloc(k->scratch, p->dims.nodes.n + 1);

    for (uint32_t i = 0; i < p->dims.nodes.n; i++) {
        const DimNode *n = &p->dims.nodes.v[i];
        if (n->kind == DIM_SYM)
            late[i] = p->dims.syms.v[n->sym].origin == SYM_EQN;
        else if (n->kind == DIM_POLY)
            for (uint32_t t = 0; t < n->nterms; t++)
                for (uint32_t m = 0; m < n->terms[t].natoms; m++)
                    late[i] |= is_late(late, n->terms[t].atoms[m]);
        else
            late[i] = is_late(late, n->a) || is_late(late, n->b);
    }
    for (uint32_t i = 0; i < p->ntypes; i++)
        for (uint32_t d = 0; d < p->types[i].rank; d++)
            k->plan->type_late[i] |= is_late(late, p->types[i].dims[d]);
}

/* plan has what p calls. */
static void plan_one(wf_ctx *cx, Arena *a, const Program *p, Plan *plan)
{
    ArenaMark mark = arena_mark(&cx->scratch);
    Planner k = {.plan = plan, .p = p, .a = a, .scratch = &cx->scratch};

    plan->out_from = arena_zalloc(a, (p->nout + 1) * sizeof *plan->out_from);
    plan->in_taken = arena_zalloc(a, p->nin + 1);
    plan->val = arena_zalloc(a, (p->nvals + 1) * sizeof *plan->val);
    plan->out_direct = arena_zalloc(a, p->nout + 1);
    plan->type_late = arena_zalloc(a, p->ntypes + 1);
    k.want = arena_array(&cx->scratch, p->nvals + 1, 1);
    k.rough = arena_zalloc(&cx->scratch, p->nvals + 1);
    k.attends = arena_zalloc(&cx->scratch, p->neqns + 1);
    k.attended = arena_zalloc(&cx->scratch, p->nvals + 1);
    find_late_types(&k);
    cut_segments(&k);
    find_attention(&k);
    find_wants(&k);
    find_going(&k);
    place_all(&k);
    find_last_uses(&k);
    share_stores(&k);
    list_frees(&k);
    plan->nstores = k.stores.n;
    plan->store = arena_dup(a, k.stores.v, k.stores.n * sizeof *plan->store);
    arena_reset(&cx->scratch, mark);
}

/* ---- placement ---------------------------------------------------------------------- */

/* It, or what it calls. */
bool plan_defines_sizes(const Program *p)
{
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        if (p->dims.syms.v[i].origin == SYM_EQN)
            return true;
    return false;
}

static bool defines_sizes(const Program *p, bool deep)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (op_has(p->eqns[i].op, OPF_DEFINES))
            return true;
    for (uint32_t i = 0; deep && i < p->nsubs; i++)
        if (defines_sizes(p->subs[i], true))
            return true;
    return false;
}

static void find_sub(void *user, const Sub *s) { *(const Program **)user = s->p; }

/* What has no kernel on the device is done by the host; control flow is the host's work
 * anyway, if its bodies are on the device. */
static void place_equations(wf_ctx *cx, Arena *a, Plan *plan)
{
    const Program *p = plan->p;

    if (plan->device->host_reads)
        return;
    plan->staged = arena_zalloc(a, p->neqns + 1);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        const Program *body = NULL;

        attr_each_sub(op_row(e->op), e->attr, find_sub, &body);
        if (e->op == OP_call && opt_is_attention(a, e->attr))
            body = NULL; /* a step of its own */
        plan->staged[i] = body ? plan_sub(plan, body)->device != plan->device
                               : !plan->device->has(plan->device, p, e);
        if (plan->staged[i])
            ctx_log(cx, WF_LOG_DEBUG, "%s is done by the host, on copies from and to '%s'",
                    op_name(e->op), plan->device->name);
    }
}

/* Branches of one equation are all on the device, or all on the host: so are all that a
 * program calls. */
static Device *device_of_subs(const Program *p, Device *d)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (p->eqns[i].op == OP_spmd) /* its devices are teams of threads */
            return &device_host;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (defines_sizes(p->subs[i], true))
            return &device_host;
    return d;
}

const Plan *plan_make(wf_ctx *cx, Plans *plans, const Program *p, const bool *donated,
                      Device *d)
{
    Device *subs = d->host_reads ? d : device_of_subs(p, d);
    Plan *plan;

    if (!d->host_reads && defines_sizes(p, false))
        d = subs = &device_host;
    for (uint32_t i = 0; i < plans->v.n; i++)
        if (plans->v.v[i]->p == p && plans->v.v[i]->device == d)
            return plans->v.v[i];
    plan = arena_zalloc(plans->a, sizeof *plan);
    plan->p = p;
    plan->device = d;
    plan->donated = donated;
    plan->heir = donated ? plans->heir : NULL;
    plan->sub = arena_array(plans->a, p->nsubs + 1, sizeof *plan->sub);
    for (uint32_t i = 0; i < p->nsubs; i++)
        plan->sub[i] = plan_make(cx, plans, p->subs[i], NULL, subs);
    plan_one(cx, plans->a, p, plan);
    place_equations(cx, plans->a, plan);
    for (uint32_t i = 0; i < plans->ncodes; i++)
        if (plans->codes[i].kernel->p == p &&
            (d->host_reads ? plans->codes[i].run != NULL : plans->codes[i].there != NULL))
            plan->code = &plans->codes[i];
    plan->index = plans->v.n;
    vec_push(plans->a, &plans->v, plan);
    return plan;
}
