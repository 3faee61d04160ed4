/* turn.c -- transposed views as they lie in memory.
 *
 * Programs take operands in row-major order; a view in another order would be copied first. One that is
 * a transpose of packed memory goes as that memory instead, where the program can say the transpose
 * itself: products by other axes (dispatch.c), derivative programs by a transpose of their input, which
 * products take in (backward.c). The weights of a linear layer are such an operand at every step.
 */
#include "tensor/tensor.h"

bool tensor_turn(const Tensor *t, int64_t *out_order)
{
    int64_t n = 1;

    if (t->symbolic || t->packed || t->count == 0)
        return false;
    for (uint32_t i = 0; i < t->rank; i++) { /* insertion: the largest stride first */
        uint32_t k = i;

        for (; k > 0 && t->strides[out_order[k - 1]] < t->strides[i]; k--)
            out_order[k] = out_order[k - 1];
        out_order[k] = i;
    }
    for (uint32_t i = t->rank; i-- > 0; n *= t->dims[out_order[i]])
        if (t->dims[out_order[i]] != 1 && t->strides[out_order[i]] != n)
            return false;
    return true;
}

Tensor *tensor_turned(wf_ctx *c, Tensor *t, const int64_t *order)
{
    int64_t dims[MAX_RANK], strides[MAX_RANK];

    for (uint32_t i = 0; i < t->rank; i++) {
        dims[i] = t->dims[order[i]];
        strides[i] = t->strides[order[i]];
    }
    return tensor_view(c, t, (wf_dtype)t->dtype, dims, strides, t->rank, t->offset);
}

/* The axes by their place in the order; false if free axes do not stay in theirs. */
static bool turn_axes(const int64_t *order, uint32_t rank, Ints *sum, Ints *batch,
                      int64_t room[2][MAX_RANK])
{
    int64_t place[MAX_RANK], last = -1;
    bool free[MAX_RANK];

    for (uint32_t i = 0; i < rank; i++) {
        place[order[i]] = i;
        free[i] = true;
    }
    for (int part = 0; part < 2; part++) {
        Ints *axes = part ? batch : sum;

        for (uint32_t i = 0; i < axes->n; i++) {
            free[axes->v[i]] = false;
            room[part][i] = place[axes->v[i]];
        }
        axes->v = room[part];
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (free[i] && place[i] < last)
            return false;
        last = free[i] ? place[i] : last;
    }
    return true;
}

uint32_t turn_dot(wf_ctx *c, const DotAttr *a, Tensor *const *in, DotAttr *out,
                  int64_t room[2][2][MAX_RANK], Tensor **turned)
{
    uint32_t n = 0;

    *out = *a;
    for (int side = 0; side < 2; side++) {
        Ints sum = side ? a->rhs : a->lhs, batch = side ? a->rhs_batch : a->lhs_batch;
        int64_t order[MAX_RANK];

        turned[side] = NULL;
        if (!tensor_turn(in[side], order) ||
            !turn_axes(order, in[side]->rank, &sum, &batch, room[side]) ||
            !(turned[side] = tensor_turned(c, in[side], order)))
            continue;
        *(side ? &out->rhs : &out->lhs) = sum;
        *(side ? &out->rhs_batch : &out->lhs_batch) = batch;
        n++;
    }
    return n;
}
