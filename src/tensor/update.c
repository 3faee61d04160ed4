/* update.c -- programs that give tensors new values, in their memory.
 *
 * A step of an optimiser is one program on a parameter, its state and its gradient. Its results lie where the parameter
 * and the state lay, so that nothing is copied and all who share that memory see the new numbers, as they do after a
 * write (functions/inplace.c). Histories stay as they are: it is for where nothing is recorded.
 */
#include "compile/compile.h"
#include "tensor/tensor.h"

#define OPERANDS 24

static const char *end_of(const Tensor *t)
{
    return (const char *)tensor_data(t) + (size_t)t->count * wf_dtype_size((wf_dtype)t->dtype);
}

static bool overlap(const Tensor *a, const Tensor *b)
{
    return (const char *)tensor_data(a) < end_of(b) && (const char *)tensor_data(b) < end_of(a);
}

/* Of a type that the program takes there, on the host, in one piece? */
static bool is_plain(const Program *p, uint32_t i, const Tensor *t)
{
    Type type = val_type(p, program_in(p, i));

    return !t->symbolic && !t->gone && !t->layout && t->packed && t->count && tensor_is_here(t) &&
           t->dtype == type.dtype && t->rank == type.rank;
}

/* May it be written to, and does nothing else read where it lies? */
static bool is_apart(const wf_ctx *c, Tensor *const *t, uint32_t n, uint32_t i)
{
    const Tensor *root = t[i]->root ? t[i]->root : t[i];
    wf_array *a = t[i]->store->array;

    if ((root->wants_grad && !c->tensors->no_grad) || (root->node && !c->tensors->no_grad) ||
        (a && wf_array_data(a) && !wf_array_data_mutable(a)))
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (k != i && overlap(t[i], t[k]))
            return false;
    return true;
}

static bool update(wf_ctx *c, wf_exec *e, Tensor *const *t, uint32_t n, uint32_t nout)
{
    wf_array *in[OPERANDS], *out[OPERANDS];

    for (uint32_t i = 0; i < n; i++)
        if (!(in[i] = tensor_array(c, t[i])))
            return false;
    if (wf_run(c, e, in, (int)n, out, (int)nout) != WF_OK)
        return false;
    for (uint32_t j = 0; j < nout; j++) {
        if (wf_array_data(out[j]) != tensor_data(t[j]))
            memcpy(tensor_data(t[j]), wf_array_data(out[j]),
                   (size_t)t[j]->count * wf_dtype_size((wf_dtype)t[j]->dtype));
        wf_array_release(out[j]);
        t[j]->store->version++;
        t[j]->store->written = c->tensors->place;
    }
    return true;
}

bool tensor_update(wf_ctx *c, const Program *p, wf_exec **exec, const wf_tensor *in, bool *out_done)
{
    Tensor *t[OPERANDS];
    wf_exec *base;

    *out_done = false;
    if (p->nin > OPERANDS || p->nout > p->nin || c->tensors->trace)
        return !failed(c);
    for (uint32_t i = 0; i < p->nin; i++)
        if (!(t[i] = tensor_get(c, in[i], "update")))
            return false;
    for (uint32_t i = 0; i < p->nin; i++)
        if (!is_plain(p, i, t[i]))
            return true;
    for (uint32_t i = 0; i < p->nout; i++)
        if (!is_apart(c, t, p->nin, i))
            return true;
    if (!*exec) {
        if (wf_prepare(c, p, &base) == WF_OK)
            exec_updating(c, base, p->nout, exec);
        wf_exec_release(base);
    }
    *out_done = *exec && update(c, *exec, t, p->nin, p->nout);
    return *out_done;
}
