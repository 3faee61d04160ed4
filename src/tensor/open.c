/* open.c -- traces that stay open while others come and go: those of graphs (higher/graph.c).
 *
 * What is done with the tensors of one goes to it: they know their trace, sizes know theirs (Dims.base), and outside any
 * trace that one is made the innermost for as long as it takes (InGraph).
 */
#include "tensor/tensor.h"

Trace *graph_find(wf_ctx *c, uint64_t id)
{
    Trace *tr = c->tensors->open;

    while (tr && tr->id != id)
        tr = tr->next_open;
    return tr;
}

static InGraph enter_id(wf_ctx *c, uint64_t id)
{
    Tensors *s = c ? c->tensors : NULL;

    if (!s || s->trace || !s->open || !(s->trace = graph_find(c, id)))
        return (InGraph){NULL};
    return (InGraph){c};
}

void graph_restore(InGraph *g)
{
    if (g->c)
        g->c->tensors->trace = NULL;
}

InGraph graph_enter_tensors(wf_ctx *c, Tensor *const *in, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (in[i]->symbolic)
            return enter_id(c, in[i]->trace);
    return (InGraph){NULL};
}

InGraph graph_enter_handles(wf_ctx *c, const wf_tensor *in, int n)
{
    for (int i = 0; in && i < n && !failed(c) && c->tensors && c->tensors->open; i++) {
        Tensor *t = wf_is_none(in[i]) ? NULL : tensor_get(c, in[i], "call");
        if (t && t->symbolic)
            return enter_id(c, t->trace);
    }
    return (InGraph){NULL};
}

InGraph graph_enter_call(wf_ctx *c, wf_tensor index, const wf_tensor *in, int nin)
{
    InGraph g = graph_enter_handles(c, &index, 1);

    return g.c ? g : graph_enter_handles(c, in, nin);
}

InGraph graph_enter_size(wf_ctx *c, Dim d)
{
    return d >= 0 || d == DIM_NONE ? (InGraph){NULL}
                                   : enter_id(c, (uint64_t)((-d - 1) >> DIM_BITS));
}

static void first_symbolic(void *user, Dim d, bool defines)
{
    (void)defines;
    if (d < 0 && d != DIM_NONE)
        *(Dim *)user = d;
}

InGraph graph_enter_attr(wf_ctx *c, OpCode op, const void *attr)
{
    Dim d = 0;

    if (attr && !c->tensors->trace)
        attr_each_dim(op_row(op), attr, first_symbolic, &d);
    return graph_enter_size(c, d);
}

bool size_is_known(wf_ctx *c, Dim d)
{
    IN_GRAPH_OF_SIZE(c, d);
    return d >= 0 || trace_of_size(c->tensors->trace, d);
}
