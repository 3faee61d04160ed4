/* digits_mlp.c -- train a small network on the embedded 8x8 digits.
 *
 *   build/examples/digits_mlp [EPOCHS]
 *
 * 1437 digits, drawn at random, are learned; the 360 others are the test. Ends with the
 * share of those that are recognised.
 */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>

static double accuracy(wf_ctx *c, wf_module *net, wf_tensor x, wf_tensor y)
{
    wf_tensor hit;
    double share;

    wf_scope_begin(c);
    wf_no_grad_begin(c);
    wf_module_train(net, false);
    hit = wf_eq(c, wf_argmax(c, wf_forward_one(c, net, x), (int[]){1}, false), y);
    share = wf_item(c, wf_mean(c, wf_cast(c, hit, WF_F64), NULL, 0, false));
    wf_module_train(net, true);
    wf_no_grad_end(c);
    wf_scope_end(c);
    return share;
}

static double train_epoch(wf_ctx *c, wf_module *net, wf_optim *opt, wf_loader *data)
{
    wf_progress *bar = wf_progress_new(c, "epoch", wf_loader_batches(data));
    wf_tensor batch[2];
    double sum = 0, batches = 0;

    wf_scope_begin(c);
    while (wf_loader_next(c, data, batch, 2)) {
        wf_optim_zero_grad(c, opt);
        wf_tensor loss = wf_cross_entropy(c, wf_forward_one(c, net, batch[0]), batch[1],
                                          WF_NONE, -100, 0, WF_MEAN);
        wf_backward(c, loss, WF_NONE, 0);
        wf_optim_step(c, opt);
        sum += wf_item(c, loss);
        wf_progress_step(bar, sum / ++batches);
        wf_scope_end(c);
        wf_scope_begin(c);
    }
    wf_scope_end(c);
    wf_progress_free(c, bar);
    return sum / (double)wf_loader_batches(data);
}

int main(int argc, char **argv)
{
    int epochs = argc > 1 ? atoi(argv[1]) : 15;
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g = wf_ctx_generator(c);
    wf_tensor x, y, order;
    double share;

    if (wf_manual_seed(c, 0) || wf_data_digits(c, &x, &y))
        return 1;
    order = wf_randperm(c, g, wf_size(c, x, 0));
    x = wf_take(c, x, order, 0);
    y = wf_take(c, y, order, 0);
    wf_module *in = wf_nn_linear(c, g, 64, 64, true),
              *out = wf_nn_linear(c, g, 64, 10, true);
    wf_module *net = wf_nn_sequential(c, 3, in, wf_nn_relu(c), out);
    wf_optim *opt = wf_adam(c, net, 3e-3, 0.9, 0.999, 1e-8, 0);
    wf_tensor learn[2] = {wf_narrow(c, x, 0, 0, 1437), wf_narrow(c, y, 0, 0, 1437)};
    wf_loader *data = wf_loader_new(c, learn, 2, 32, g, false);

    printf("%s\n%lld parameters\n", wf_module_text(c, net),
           (long long)wf_module_count(c, net, false));
    for (int i = 1; i <= epochs && !wf_ctx_status(c); i++) {
        double loss = train_epoch(c, net, opt, data);
        if (i % 5 == 0)
            printf("epoch %2d: loss %.4f\n", i, loss);
    }
    share =
        accuracy(c, net, wf_narrow(c, x, 0, 1437, 360), wf_narrow(c, y, 0, 1437, 360));
    if (wf_ctx_status(c))
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_loader_free(c, data);
    wf_optim_free(c, opt);
    wf_module_release(c, net);
    wf_ctx_free(c);
    printf("360 digits that were not learned from\ntest accuracy: %.2f\n", share);
    return share >= 0.95 || epochs < 15 ? 0 : 1;
}
