/* style_session.c -- fit a line by gradient descent in a session with placeholders, variables and assignments. */
#include "weft.h"

#include <stdio.h>

int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *g = NULL;
    wf_session *s = NULL;

    if (wf_graph_new(c, "line", NULL, &g) != WF_OK)
        return 1;
    wf_tensor x = wf_symbol(c, g, "x", "f32[N]"), t = wf_symbol(c, g, "t", "f32[N]");
    wf_tensor a = wf_variable(c, g, "a", wf_scalar(c, WF_F32, 0)), b = wf_variable(c, g, "b", wf_scalar(c, WF_F32, 0));
    wf_tensor loss = wf_mse_loss(c, wf_add(c, wf_mul(c, a, x), b), t, WF_MEAN), rate = wf_float(c, 0.5);
    wf_tensor train[2] = {wf_assign(c, a, wf_sub(c, a, wf_mul(c, rate, wf_partial(c, loss, a, WF_NONE)))),
                          wf_assign(c, b, wf_sub(c, b, wf_mul(c, rate, wf_partial(c, loss, b, WF_NONE))))};

    wf_tensor xs = wf_linspace(c, WF_F32, -1, 1, 21, true);
    wf_tensor ts = wf_add(c, wf_mul(c, xs, wf_float(c, 3)), wf_float(c, 0.5));
    wf_session_new(c, g, &s);
    for (int i = 0; i < 200 && s; i++) {
        wf_tensor out[2];
        wf_scope_begin(c);
        wf_session_run(c, s, (wf_tensor[]){x, t}, (wf_tensor[]){xs, ts}, 2, train, 2, out);
        wf_scope_end(c);
    }
    printf("a = %.4f, b = %.4f\n", wf_item(c, wf_variable_value(c, s, a)), wf_item(c, wf_variable_value(c, s, b)));
    if (wf_ctx_status(c) != WF_OK)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_status status = wf_ctx_status(c);
    wf_session_free(c, s);
    wf_graph_free(c, g);
    wf_ctx_free(c);
    return status != WF_OK;
}
