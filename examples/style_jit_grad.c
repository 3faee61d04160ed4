/* style_jit_grad.c -- fit a line by gradient descent: a function, its gradient, and the step that uses it, jitted. */
#include "weft.h"

#include <stdio.h>

/* (a, b, x, t) -> loss */
static wf_status loss(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_mse_loss(c, wf_add(c, wf_mul(c, in[0], in[2]), in[1]), in[3], WF_MEAN);
    return wf_ctx_status(c);
}

/* (a, b, x, t) -> (a, b) one step further */
static wf_status step(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    static const wf_function f = WF_FUNCTION(loss, NULL, 4, 1, "loss");
    static const int wrt[] = {0, 1};
    wf_tensor g[2];

    (void)user, (void)nout;
    wf_grad_call(c, &f, in, nin, wrt, 2, NULL, 0, g);
    for (int k = 0; k < 2; k++)
        out[k] = wf_sub(c, in[k], wf_mul(c, g[k], wf_float(c, 0.5)));
    return wf_ctx_status(c);
}

int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(step, NULL, 4, 2, "step");
    wf_jit *jit = NULL;
    wf_tensor in[4] = {wf_scalar(c, WF_F32, 0), wf_scalar(c, WF_F32, 0), wf_linspace(c, WF_F32, -1, 1, 21, true), WF_NONE};

    in[3] = wf_add(c, wf_mul(c, in[2], wf_float(c, 3)), wf_float(c, 0.5));
    if (wf_jit_new(c, &f, &jit) != WF_OK)
        return 1;
    for (int i = 0; i < 200 && wf_ctx_status(c) == WF_OK; i++) {
        wf_tensor out[2];
        wf_jit_call(c, jit, in, 4, out, 2, NULL, 0);
        in[0] = out[0];
        in[1] = out[1];
    }
    printf("a = %.4f, b = %.4f, traced %d times\n", wf_item(c, in[0]), wf_item(c, in[1]), wf_jit_traces(jit));
    if (wf_ctx_status(c) != WF_OK)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_status status = wf_ctx_status(c);
    wf_jit_free(c, jit);
    wf_ctx_free(c);
    return status != WF_OK;
}
