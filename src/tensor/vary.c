/* vary.c -- inside an spmd: over which axes of the mesh the values of traces vary.
 *
 * Inputs say so when they are made. The rest is found when it is asked for, from the
 * equations so far (transform/vary.c); traces inside take it over for what they are given
 * and what they capture.
 */
#include "op/mesh.h"
#include "tensor/tensor.h"

const TraceAxis *innermost_mesh(wf_ctx *c)
{
    for (const Trace *tr = c->tensors ? c->tensors->trace : NULL; tr; tr = tr->outer)
        if (tr->axis.mesh)
            return &tr->axis;
    return NULL;
}

/* Room for all values of the builder. */
static bool make_room(wf_ctx *c, Trace *tr)
{
    uint32_t n = MAX(2 * tr->nvary, tr->b->vals.n + 16), *v;

    if (tr->b->vals.n < tr->nvary)
        return true;
    if (!(v = mem_alloc(&c->al, n * sizeof *v)))
        return fail_memory(c);
    memset(v, 0, n * sizeof *v);
    if (tr->nvary)
        memcpy(v, tr->vary, tr->nvary * sizeof *v);
    mem_free(&c->al, tr->vary, tr->nvary * sizeof *v);
    tr->vary = v;
    tr->nvary = n;
    return true;
}

void trace_set_vary(wf_ctx *c, Trace *tr, Val v, uint32_t axes)
{
    if (axes && make_room(c, tr))
        tr->vary[v] = axes;
}

uint32_t tensor_vary(wf_ctx *c, const Tensor *t)
{
    const TraceAxis *a = innermost_mesh(c);
    Trace *tr;

    if (!a || !t || !t->symbolic || !(tr = trace_find(c, t->trace)) || !make_room(c, tr))
        return 0;
    T_ENTER(c, 0)
    if (vary_builder(c, a->mesh, tr->b, tr->varied, tr->vary))
        tr->varied = tr->b->eqns.n;
    T_LEAVE(c);
    return tr->vary[t->val];
}

uint32_t *tensor_vary_all(wf_ctx *c, const wf_tensor *in, uint32_t nin,
                      Tensor *const *captures, uint32_t ncaptures)
{
    uint32_t *v = arena_array(&c->scratch, nin + ncaptures + 1, sizeof *v);

    for (uint32_t i = 0; i < nin; i++)
        v[i] = tensor_vary(c, tensor_get(c, in[i], "vary"));
    for (uint32_t i = 0; i < ncaptures; i++)
        v[nin + i] = tensor_vary(c, captures[i]);
    return v;
}
