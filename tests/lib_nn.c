#include "lib_nn.h"

wf_module *three_layers(wf_ctx *c, wf_generator *g)
{
    wf_module *a = wf_nn_linear(c, g, 4, 5, true), *b = wf_nn_linear(c, g, 5, 2, true);

    return wf_nn_sequential(c, 3, a, wf_nn_relu(c), b);
}

wf_module *a_dict(wf_ctx *c, wf_generator *g)
{
    wf_module *m = wf_nn_dict(c);

    wf_module_add(c, m, "up", wf_nn_linear(c, g, 2, 3, true));
    wf_module_add(c, m, "down",
                  wf_nn_sequential(c, 2, wf_nn_linear(c, g, 3, 2, true), wf_nn_relu(c)));
    return m;
}

wf_status pure_call(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    const Net *n = user;

    (void)nin, (void)nout;
    return wf_module_call_with(c, n->m, in, n->nstate, in + n->nstate, 1, out, 1,
                               out + 1);
}
