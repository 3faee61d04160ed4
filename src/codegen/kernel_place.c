/* kernel_place.c -- may a result of a kernel be written where one of its operands lies?
 *
 * Work is split into units that run in any order, side by side; in a unit, rows are
 * walked several times, and a vector of a result is stored after that vector is loaded.
 * So this is right if
 *
 *   - every load of the operand is at the address of the element stored: same offset,
 *     same stride for every loop, elements of the same size;
 *   - every element of the result is stored by one unit, once, so that no unit loads what
 *     another has stored;
 *   - no walk over the row comes after the one that stores.
 *
 * Sums over rows, stored when all units are done, are left out: they are small.
 */
#include "codegen/codegen.h"

static bool same_place(const Kernel *k, const Access *x, const Access *y)
{
    for (uint32_t l = 0; l < k->nloops; l++)
        if (k->loops[l].size != 1 && x->stride[l] != y->stride[l])
            return false;
    return x->offset == y->offset;
}

static bool has_cols(const Kernel *k, const Access *at)
{
    for (uint32_t l = k->nrows; l < k->nloops; l++)
        if (k->loops[l].size != 1 && at->stride[l])
            return true;
    return false;
}

/* What is known by row is stored after its walks, the rest in a walk. The units of a map
 * are parts of rows, each of which stores what is known by row. */
static bool stored_once(const Kernel *k, const KernelOut *o)
{
    const Node *n = &k->nodes[o->node];
    bool by_row = k->form != FORM_MAP && !has_cols(k, &o->at);
    uint32_t loops = by_row ? k->nrows : k->nloops;

    if (n->kind == NODE_REDUCE && n->over != OVER_COLS)
        return false;
    for (uint32_t l = 0; l < loops; l++)
        if (k->loops[l].size != 1 && !o->at.stride[l])
            return false;
    return by_row || n->stage + 1u == k->nstages;
}

bool kernel_in_place(const Kernel *k, uint32_t in, uint32_t out)
{
    const KernelOut *o;
    size_t size;

    if (k->scalar || !k->nodes)
        return false;
    if (k->product && (in < 2 || !out)) /* its kernel reads and writes as it likes */
        return false;
    o = &k->outs[out];
    size = wf_dtype_size((wf_dtype)k->nodes[o->node].dtype);
    if (!stored_once(k, o))
        return false;
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (n->kind == NODE_LOAD && n->at.array == in &&
            (n->nin || !same_place(k, &n->at, &o->at) ||
             wf_dtype_size((wf_dtype)n->dtype) != size))
            return false;
    }
    return true;
}
