/* style_graph.c -- fit a line by gradient descent: the graph of one step, closed into a program, run many times. */
#include "weft.h"

#include <stdio.h>

int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    const wf_program *step = NULL;
    wf_graph *g = NULL;

    if (wf_graph_new(c, "step", NULL, &g) != WF_OK)
        return 1;
    wf_tensor a = wf_symbol(c, g, "a", "f32[]"), b = wf_symbol(c, g, "b", "f32[]");
    wf_tensor x = wf_symbol(c, g, "x", "f32[N]"), t = wf_symbol(c, g, "t", "f32[N]");
    wf_tensor loss = wf_mse_loss(c, wf_add(c, wf_mul(c, a, x), b), t, WF_MEAN);
    wf_tensor rate = wf_float(c, 0.5);
    wf_tensor out[2] = {wf_sub(c, a, wf_mul(c, rate, wf_partial(c, loss, a, WF_NONE))),
                        wf_sub(c, b, wf_mul(c, rate, wf_partial(c, loss, b, WF_NONE)))};
    wf_graph_close(c, g, (wf_tensor[]){a, b, x, t}, 4, out, 2, &step);
    wf_graph_free(c, g);

    wf_tensor in[4] = {wf_scalar(c, WF_F32, 0), wf_scalar(c, WF_F32, 0), wf_linspace(c, WF_F32, -1, 1, 21, true), WF_NONE};
    in[3] = wf_add(c, wf_mul(c, in[2], wf_float(c, 3)), wf_float(c, 0.5));
    for (int i = 0; i < 200 && wf_ctx_status(c) == WF_OK; i++) {
        wf_apply(c, step, in, 4, out, 2);
        in[0] = out[0];
        in[1] = out[1];
    }
    printf("a = %.4f, b = %.4f\n", wf_item(c, in[0]), wf_item(c, in[1]));
    if (wf_ctx_status(c) != WF_OK)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_status status = wf_ctx_status(c);
    wf_program_release(step);
    wf_ctx_free(c);
    return status != WF_OK;
}
