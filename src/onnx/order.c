/* order.c -- nodes in an order in which each comes behind those that make its inputs.
 *
 * ONNX asks for such an order, and converters (to half precision, say) write casts of inputs at the end all the same. A graph that is in
 * order stays as it is; one in a circle, too, and the node that has no input says so.
 */
#include "onnx/onnx.h"

#include <string.h>

#define DEEPEST 40 /* bodies inside one another, as they are run */

typedef struct Order {
    OxGraph *g;
    uint32_t *maker;          /* by the number of a name: its node and 1, or 0 */
    uint32_t *stack, *at, n;  /* nodes that wait, and which of their needs is next */
    uint32_t *needs, *first;  /* nodes that node i needs: needs[first[i]] up to needs[first[i + 1]] */
    uint32_t nneeds, room;
    unsigned char *state;     /* 1 waits, 2 stands in the order */
} Order;

static bool need(OxRun *r, Order *o, const char *name, uint32_t node)
{
    uint32_t number = ox_name_number(o->g, name), maker = number == UINT32_MAX ? 0 : o->maker[number];

    if (!maker || maker == node + 1)
        return true;
    if (o->nneeds == o->room) {
        uint32_t room = o->room * 2, *v = room > o->room ? ox_alloc(&r->mem, room, sizeof *v) : NULL;

        if (!v)
            return false;
        memcpy(v, o->needs, o->nneeds * sizeof *v);
        o->needs = v;
        o->room = room;
    }
    o->needs[o->nneeds++] = maker - 1;
    return true;
}

/* Names that a node uses: its inputs, and what its bodies use of the graph around them. */
static bool needs_of(OxRun *r, Order *o, const OxNode *n, uint32_t node, int depth)
{
    for (size_t k = 0; k < n->in.n; k++)
        if (n->in.v[k] && *n->in.v[k] && !need(r, o, n->in.v[k], node))
            return false;
    for (size_t a = 0; a < n->attrs.n && depth < DEEPEST; a++) {
        const OxGraph *g = n->attrs.v[a]->g;

        for (size_t i = 0; g && i < g->nodes.n; i++)
            if (!needs_of(r, o, g->nodes.v[i], node, depth + 1))
                return false;
        for (size_t i = 0; g && i < g->out.n; i++)
            if (g->out.v[i]->name && !need(r, o, g->out.v[i]->name, node))
                return false;
    }
    return true;
}

/* Node i behind what it needs; false: it needs itself. */
static bool place(Order *o, uint32_t i, OxNode **out, uint32_t *nout)
{
    if (o->state[i])
        return true;
    o->n = 0;
    o->stack[o->n] = i;
    o->at[o->n++] = o->first[i];
    o->state[i] = 1;
    while (o->n) {
        uint32_t top = o->stack[o->n - 1], *at = &o->at[o->n - 1];

        if (*at == o->first[top + 1]) {
            o->state[top] = 2;
            out[(*nout)++] = o->g->nodes.v[top];
            o->n--;
            continue;
        }
        uint32_t next = o->needs[(*at)++];
        if (o->state[next] == 1)
            return false;
        if (o->state[next] == 0) {
            o->state[next] = 1;
            o->stack[o->n] = next;
            o->at[o->n++] = o->first[next];
        }
    }
    return true;
}

bool ox_order(OxRun *r, OxGraph *g)
{
    uint32_t n = (uint32_t)g->nodes.n, nout = 0;
    Order o = {.g = g, .room = 2 * n + 16};
    OxNode **out;
    bool sorted = true;

    if (n < 2)
        return true;
    o.maker = ox_alloc(&r->mem, (size_t)g->nnames + 1, sizeof *o.maker);
    o.first = ox_alloc(&r->mem, (size_t)n + 1, sizeof *o.first);
    o.needs = ox_alloc(&r->mem, o.room, sizeof *o.needs);
    if (!o.maker || !o.first || !o.needs)
        return false;
    for (uint32_t i = n; i-- > 0;)
        for (size_t k = 0; k < g->nodes.v[i]->out.n; k++)
            if (g->nodes.v[i]->out.v[k] && *g->nodes.v[i]->out.v[k])
                o.maker[ox_name_number(g, g->nodes.v[i]->out.v[k])] = i + 1;
    for (uint32_t i = 0; i < n; i++) {
        o.first[i] = o.nneeds;
        if (!needs_of(r, &o, g->nodes.v[i], i, 0))
            return false;
        for (uint32_t k = o.first[i]; k < o.nneeds; k++)
            sorted = sorted && o.needs[k] < i;
    }
    o.first[n] = o.nneeds;
    if (sorted)
        return true;
    o.stack = ox_alloc(&r->mem, n, sizeof *o.stack);
    o.at = ox_alloc(&r->mem, n, sizeof *o.at);
    o.state = ox_alloc(&r->mem, n, 1);
    out = ox_alloc(&r->mem, n, sizeof *out);
    if (!o.stack || !o.at || !o.state || !out)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!place(&o, i, out, &nout))
            return true;
    g->nodes.v = out;
    return true;
}
