/* ops_sort.c -- sort, top_k.
 *
 * A comparator is a region of two scalars of each operand. Those that are orders by keys are known by their form:
 *
 *     order = compare LT|GT key(k, left) key(k, right)  |  or(order, and(compare EQ key(k, left) key(k, right), order))
 *     key   = the scalar, or select(compare .., CONSTANT, key): JAX makes -0 and 0 equal, and all NaN one, last
 */
#include "stablehlo/stablehlo.h"

typedef struct Order {
    const HloRegion *r;
    uint32_t n; /* operands */
    uint32_t keys[MAX_RANK];
    int64_t descending[MAX_RANK];
    uint32_t nkeys;
    bool nan_first; /* descending in the total order of floats */
} Order;

static const HloOp *maker(const HloRegion *r, const char *name)
{
    for (uint32_t i = 0; i < r->ops.n; i++)
        for (uint32_t k = 0; k < r->ops.v[i]->results.n; k++)
            if (r->ops.v[i]->results.v[k].name == name)
                return r->ops.v[i];
    return NULL;
}

/* Which param the name is, as it is or made canonical; -1: none. */
static int param_of(const HloRegion *r, const char *name, int depth)
{
    const HloOp *op;

    for (uint32_t i = 0; i < r->params.n; i++)
        if (r->params.v[i].name == name)
            return (int)i;
    if (depth > 4 || !(op = maker(r, name)))
        return -1;
    if (!strcmp(op->name, "select") && op->in.n == 3) {
        const HloOp *test = maker(r, op->in.v[0].name), *with = maker(r, op->in.v[1].name);
        int of = param_of(r, op->in.v[2].name, depth + 1);

        if (test && with && !strcmp(test->name, "compare") && !strcmp(with->name, "constant") && test->in.n == 2 &&
            param_of(r, test->in.v[0].name, depth + 1) == of && test->words.n && (!strcmp(test->words.v[0], "EQ") || !strcmp(test->words.v[0], "NE")))
            return of;
    }
    return -1;
}

/* compare WORD of one operand's two scalars; gives the operand, -1: it is not that. swapped: right before left */
static int compared(const Order *o, const HloOp *op, bool *swapped)
{
    int x, y;

    if (!op || strcmp(op->name, "compare") || op->in.n != 2 || !op->words.n)
        return -1;
    x = param_of(o->r, op->in.v[0].name, 0);
    y = param_of(o->r, op->in.v[1].name, 0);
    if (x < 0 || y < 0 || x / 2 != y / 2 || x == y)
        return -1;
    *swapped = x > y;
    return x / 2;
}

static bool read_order(Order *o, const char *name, int depth)
{
    const HloOp *op = maker(o->r, name), *first, *both, *same;
    bool swapped;
    int k;

    if (!op || depth > MAX_RANK - 1)
        return false;
    if (!strcmp(op->name, "compare")) {
        bool down;

        if ((k = compared(o, op, &swapped)) < 0 || (strcmp(op->words.v[0], "LT") && strcmp(op->words.v[0], "GT")))
            return false;
        down = (op->words.v[0][0] == 'G') != swapped;
        o->nan_first |= down && op->words.n > 1 && !strcmp(op->words.v[1], "TOTALORDER");
        o->keys[o->nkeys] = (uint32_t)k;
        o->descending[o->nkeys++] = down;
        return true;
    }
    if (strcmp(op->name, "or") || op->in.n != 2)
        return false;
    for (int turn = 0; turn < 2; turn++) {
        first = maker(o->r, op->in.v[turn].name);
        both = maker(o->r, op->in.v[!turn].name);
        if (!first || !both || strcmp(first->name, "compare") || strcmp(both->name, "and") || both->in.n != 2)
            continue;
        for (int t = 0; t < 2; t++) {
            same = maker(o->r, both->in.v[t].name);
            if (same && compared(o, same, &swapped) >= 0 && !strcmp(same->words.v[0], "EQ") &&
                compared(o, same, &swapped) == compared(o, first, &swapped))
                return read_order(o, op->in.v[turn].name, depth + 1) && read_order(o, both->in.v[!t].name, depth + 1);
        }
    }
    return false;
}

bool hlo_sort(Hlo *h, const HloRule *r)
{
    uint32_t n = h->op->in.n, at = 0, got;
    Val *in = arena_array(h->t->a, n, sizeof *in), *out = arena_array(h->t->a, n, sizeof *out), *sorted;
    uint32_t *from = arena_array(h->t->a, n, sizeof *from);
    bool *used = arena_zalloc(h->t->a, n + 1);
    Order o = {.n = n};
    int64_t axis;
    const HloOp *give;

    (void)r;
    if (!hlo_int(h, "dimension", -1, &axis))
        return false;
    if (h->op->regions.n != 1 || !h->op->regions.v[0]->ops.n || h->op->regions.v[0]->params.n != 2 * n)
        return hlo_op_fail(h, WF_ERR_FORMAT, "needs a comparator of %u values", 2 * n);
    o.r = h->op->regions.v[0];
    give = o.r->ops.v[o.r->ops.n - 1];
    if (give->in.n != 1 || !read_order(&o, give->in.v[0].name, 0))
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "a comparator that is not an order by keys");
    for (uint32_t k = 0; k < o.nkeys; k++) /* keys first */
        if (!used[o.keys[k]]) {
            o.descending[at] = o.descending[k];
            used[from[at++] = o.keys[k]] = true;
        }
    o.nkeys = at;
    for (uint32_t k = 0; k < n; k++)
        if (!used[k])
            from[at++] = k;
    for (uint32_t k = 0; k < n; k++)
        in[k] = hlo_in(h, from[k]);
    if (failed(h->cx))
        return false;
    if (o.nan_first && dtype_is_float(b_dtype(h->s->b, in[0])))
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "a comparator that puts NaN first");
    if (axis < 0)
        axis += b_rank(h->s->b, in[0]);
    sorted = b_eqn_n(h->s->b, OP_sort, in, n, &(SortAttr){axis, o.nkeys, {o.nkeys, o.descending}}, &got);
    if (!sorted || got != n)
        return false;
    for (uint32_t k = 0; k < n; k++)
        out[from[k]] = sorted[k];
    return hlo_outs(h, out, n);
}

bool hlo_top_k(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), out[2];
    int64_t k;

    (void)r;
    if (failed(h->cx) || !hlo_int(h, "k", -1, &k))
        return false;
    if (!b_rank(b, x) || k < 0)
        return hlo_op_fail(h, WF_ERR_FORMAT, "k is %lld", (long long)k);
    if (!b_eqn(b, OP_top_k, &x, 1, &(TopAttr){b_rank(b, x) - 1, k, true}, out, 2))
        return false;
    out[1] = b_cast(b, out[1], WF_I32);
    return hlo_outs(h, out, 2);
}
