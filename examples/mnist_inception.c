/* mnist_inception.c -- a small Inception network on MNIST.
 *
 *   build/examples/mnist_inception DIR [EPOCHS]      DIR: the four IDX files, not
 *                                                    compressed; 2 epochs reach 0.985
 *   build/examples/mnist_inception                   a few steps on the embedded 8x8
 *                                                    digits
 *
 * Ends with the share of the test images that are recognised.
 */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Data {
    wf_tensor x, y, test_x, test_y;
    int epochs;
} Data;

static wf_tensor file(wf_ctx *c, const char *dir, const char *name)
{
    char path[1000];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return wf_data_idx(c, path);
}

/* u8[N,28,28] to f32[N,1,28,28], 0..1; the labels to i64 */
static void images(wf_ctx *c, wf_tensor *x, wf_tensor *y)
{
    *x = wf_expand_dims(c, wf_div(c, wf_cast(c, *x, WF_F32), wf_float(c, 255)), 1);
    *y = wf_cast(c, *y, WF_I64);
}

static Data read_mnist(wf_ctx *c, const char *dir, int epochs)
{
    Data d = {file(c, dir, "train-images-idx3-ubyte"),
              file(c, dir, "train-labels-idx1-ubyte"),
              file(c, dir, "t10k-images-idx3-ubyte"),
              file(c, dir, "t10k-labels-idx1-ubyte"), epochs};

    images(c, &d.x, &d.y);
    images(c, &d.test_x, &d.test_y);
    return d;
}

static Data small_digits(wf_ctx *c, wf_generator *g)
{
    wf_tensor x, y, order;

    wf_data_digits(c, &x, &y);
    order = wf_randperm(c, g, 1797);
    x = wf_reshape(c, wf_take(c, x, order, 0), (int64_t[]){1797, 1, 8, 8}, 4);
    y = wf_take(c, y, order, 0);
    return (Data){wf_narrow(c, x, 0, 0, 1437), wf_narrow(c, y, 0, 0, 1437),
                  wf_narrow(c, x, 0, 1437, 360), wf_narrow(c, y, 0, 1437, 360), 3};
}

/* The rate falls from 0.01 along a cosine over all steps of all epochs. */
static void train_epoch(wf_ctx *c, wf_module *net, wf_optim *opt, wf_loader *data,
                        int epochs)
{
    int64_t steps = epochs * wf_loader_batches(data);
    wf_progress *bar = wf_progress_new(c, "epoch", wf_loader_batches(data));
    wf_tensor batch[2];

    wf_scope_begin(c);
    while (wf_loader_next(c, data, batch, 2)) {
        wf_optim_zero_grad(c, opt);
        wf_optim_set_lr(opt, wf_lr_cosine(1e-2, wf_optim_steps(opt), steps, 1e-5));
        wf_tensor loss = wf_cross_entropy(c, wf_forward_one(c, net, batch[0]), batch[1],
                                          WF_NONE, -100, 0, WF_MEAN);
        wf_backward(c, loss, WF_NONE, 0);
        wf_optim_step(c, opt);
        wf_progress_step(bar, wf_item(c, loss));
        wf_scope_end(c);
        wf_scope_begin(c);
    }
    wf_scope_end(c);
    wf_progress_free(c, bar);
}

static double accuracy(wf_ctx *c, wf_module *net, const Data *d)
{
    wf_loader *l =
        wf_loader_new(c, (wf_tensor[]){d->test_x, d->test_y}, 2, 250, NULL, false);
    wf_tensor b[2];
    double hits = 0;

    wf_module_train(net, false);
    wf_no_grad_begin(c);
    wf_scope_begin(c);
    while (l && wf_loader_next(c, l, b, 2)) {
        wf_tensor guess = wf_argmax(c, wf_forward_one(c, net, b[0]), (int[]){1}, false);
        hits += wf_item(c, wf_count_nonzero(c, wf_eq(c, guess, b[1]), NULL, 0));
        wf_scope_end(c);
        wf_scope_begin(c);
    }
    wf_scope_end(c);
    wf_no_grad_end(c);
    wf_module_train(net, true);
    wf_loader_free(c, l);
    return hits / (double)wf_size(c, d->test_y, 0);
}

int main(int argc, char **argv)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g = wf_ctx_generator(c);
    double share = 0;

    wf_manual_seed(c, 0);
    Data d = argc > 1 ? read_mnist(c, argv[1], argc > 2 ? atoi(argv[2]) : 2)
                      : small_digits(c, g);
    wf_module *net = wf_nn_small_inception(c, g, 1, 10);
    wf_optim *opt = wf_ctx_status(c) ? NULL : wf_adam(c, net, 3e-3, 0.9, 0.999, 1e-8, 0);
    wf_loader *data =
        wf_loader_new(c, (wf_tensor[]){d.x, d.y}, 2, argc > 1 ? 64 : 32, g, true);

    for (int i = 0; i < d.epochs && !wf_ctx_status(c); i++) {
        train_epoch(c, net, opt, data, d.epochs);
        share = accuracy(c, net, &d);
        printf("epoch %d: %.4f\n", i + 1, share);
        fflush(stdout);
    }
    bool ok = wf_ctx_status(c) == WF_OK;
    if (!ok)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_loader_free(c, data);
    wf_optim_free(c, opt);
    wf_module_release(c, net);
    wf_ctx_free(c);
    printf("%s\ntest accuracy: %.4f\n",
           argc > 1 ? "the 10000 test images of MNIST" : "360 digits held back", share);
    return ok && share >= (argc == 2 ? 0.985 : 0.5) ? 0 : 1;
}
