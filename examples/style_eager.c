/* style_eager.c -- fit a line by gradient descent, eagerly with recorded gradients. */
#include "weft.h"

#include <stdio.h>

int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_linspace(c, WF_F32, -1, 1, 21, true);
    wf_tensor t = wf_add(c, wf_mul(c, x, wf_float(c, 3)), wf_float(c, 0.5)); /* what is to be found: 3 x + 0.5 */
    wf_tensor a = wf_scalar(c, WF_F32, 0), b = wf_scalar(c, WF_F32, 0), loss = WF_NONE;

    wf_requires_grad(c, a, true);
    wf_requires_grad(c, b, true);
    for (int i = 0; i < 200; i++) {
        wf_scope_begin(c);
        loss = wf_mse_loss(c, wf_add(c, wf_mul(c, a, x), b), t, WF_MEAN);
        wf_backward(c, loss, WF_NONE, 0);
        wf_no_grad_begin(c);
        wf_sub_in(c, a, wf_mul(c, wf_grad_of(c, a), wf_float(c, 0.5)));
        wf_sub_in(c, b, wf_mul(c, wf_grad_of(c, b), wf_float(c, 0.5)));
        wf_no_grad_end(c);
        wf_set_grad(c, a, WF_NONE);
        wf_set_grad(c, b, WF_NONE);
        wf_scope_end(c);
    }
    printf("a = %.4f, b = %.4f\n", wf_item(c, a), wf_item(c, b));
    if (wf_ctx_status(c) != WF_OK)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_status status = wf_ctx_status(c);
    wf_ctx_free(c);
    return status != WF_OK;
}
