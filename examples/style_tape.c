/* style_tape.c -- fit a line by gradient descent, under a tape that watches the parameters. */
#include "weft.h"

#include <stdio.h>

int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_linspace(c, WF_F32, -1, 1, 21, true);
    wf_tensor t = wf_add(c, wf_mul(c, x, wf_float(c, 3)), wf_float(c, 0.5));
    wf_tensor p[2] = {wf_scalar(c, WF_F32, 0), wf_scalar(c, WF_F32, 0)};

    for (int i = 0; i < 200; i++) {
        wf_tensor loss, g[2];
        int tape;

        wf_scope_begin(c);
        tape = wf_tape_begin(c);
        wf_tape_watch(c, tape, p[0]);
        wf_tape_watch(c, tape, p[1]);
        loss = wf_mse_loss(c, wf_add(c, wf_mul(c, p[0], x), p[1]), t, WF_MEAN);
        wf_tape_end(c, tape);
        wf_gradients(c, &loss, NULL, 1, p, 2, 0, g);
        for (int k = 0; k < 2; k++)
            wf_sub_in(c, p[k], wf_mul(c, g[k], wf_float(c, 0.5)));
        wf_scope_end(c);
    }
    printf("a = %.4f, b = %.4f\n", wf_item(c, p[0]), wf_item(c, p[1]));
    if (wf_ctx_status(c) != WF_OK)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_status status = wf_ctx_status(c);
    wf_ctx_free(c);
    return status != WF_OK;
}
