/* per_sample_grads.c -- the gradient of each example of a batch on its own: vmap of grad.
 *
 *   build/examples/per_sample_grads
 *
 * Prints the norms of the gradients of eight digits, and checks that their mean is the
 * gradient of the batch.
 */
#include "weft.h"

#include <math.h>
#include <stdio.h>

enum { PARAMS = 2, BATCH = 8, SIZE = 64 * 10 };

/* (weight, bias, x [64], y []) -> loss of one example */
static wf_status loss(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    wf_tensor logits;

    (void)nin, (void)nout;
    if (wf_module_call_with(c, user, in, PARAMS, &in[PARAMS], 1, &logits, 1, NULL))
        return wf_ctx_status(c);
    out[0] = wf_cross_entropy(c, logits, in[PARAMS + 1], WF_NONE, -100, 0, WF_MEAN);
    return wf_ctx_status(c);
}

static wf_status grad(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    wf_function f = WF_FUNCTION(loss, user, PARAMS + 2, 1, "loss");

    (void)nout;
    return wf_grad_call(c, &f, in, nin, (int[]){0, 1}, 2, NULL, 0, out);
}

int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    wf_tensor x, y, in[PARAMS + 2], each[PARAMS], whole[PARAMS], norms;
    double norm[BATCH], a[SIZE], b[SIZE], worst = 0;

    if (wf_generator_new(c, 0, &g) || wf_data_digits(c, &x, &y))
        return 1;
    wf_module *m = wf_nn_linear(c, g, 64, 10, true);
    wf_function f = WF_FUNCTION(grad, m, PARAMS + 2, PARAMS, "grad");
    wf_module_parameters(m, in, PARAMS);
    in[0] = wf_detach(c, in[0]);
    in[1] = wf_detach(c, in[1]);
    in[2] = wf_narrow(c, x, 0, 0, BATCH);
    in[3] = wf_narrow(c, y, 0, 0, BATCH);

    int axes[] = {WF_UNMAPPED, WF_UNMAPPED, 0, 0};
    if (!wf_vmap_call(c, &f, in, axes, 4, NULL, NULL, each, PARAMS) &&
        !grad(c, m, in, PARAMS + 2, whole, PARAMS)) {
        norms = wf_norm(c, wf_flatten(c, each[0], 1, 2), 2, (int[]){1}, 1, false);
        wf_read_f64(c, norms, norm, BATCH);
        wf_read_f64(c, wf_mean(c, each[0], (int[]){0}, 1, false), a, SIZE);
        wf_read_f64(c, whole[0], b, SIZE);
    }
    bool ok = wf_ctx_status(c) == WF_OK;
    for (int i = 0; i < BATCH && ok; i++)
        printf(
            "example %d, a %lld: |gradient| %.4f\n", i,
            (long long)wf_item_int(c, wf_index_get(c, y, (wf_index[]){wf_at_int(i)}, 1)),
            norm[i]);
    for (int i = 0; i < SIZE && ok; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    if (ok)
        printf("their mean differs from the gradient of the batch by at most %.1e\n",
               worst);
    else
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_module_release(c, m);
    wf_generator_free(g);
    wf_ctx_free(c);
    return ok && worst < 1e-6 ? 0 : 1;
}
