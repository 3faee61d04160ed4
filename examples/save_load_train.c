/* save_load_train.c -- a file that still trains: train, save, load elsewhere, train on.
 *
 *   build/examples/save_load_train                      both halves, compared with
 *                                                       training without a break
 *   build/examples/save_load_train save FILE.weft       the first half, saved
 *   build/examples/save_load_train load FILE.weft       the second half, by another
 *                                                       program
 */
#include "weft.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HALF = 40 };

typedef struct Training {
    wf_ctx *c;
    wf_module *net;
    wf_optim *opt;
    wf_tensor x, y;
} Training;

static Training begin(void)
{
    Training t = {.c = wf_ctx_new(NULL)};
    wf_generator *g;

    wf_generator_new(t.c, 1, &g);
    wf_module *in = wf_nn_linear(t.c, g, 64, 32, true),
              *out = wf_nn_linear(t.c, g, 32, 10, true);
    wf_module *norm = wf_nn_batch_norm1d(t.c, 32, 1e-5, 0.1);
    t.net = wf_nn_sequential(t.c, 4, in, norm, wf_nn_relu(t.c), out);
    t.opt = wf_adamw(t.c, t.net, 2e-3, 0.9, 0.999, 1e-8, 0.01);
    wf_data_digits(t.c, &t.x, &t.y);
    wf_generator_free(g);
    return t;
}

/* Some steps on all digits; the loss of the last. */
static double train(Training *t, int steps)
{
    wf_ctx *c = t->c;
    double last = 0;

    for (int i = 0; i < steps; i++) {
        wf_scope_begin(c);
        wf_optim_zero_grad(c, t->opt);
        wf_tensor loss = wf_cross_entropy(c, wf_forward_one(c, t->net, t->x), t->y,
                                          WF_NONE, -100, 0, WF_MEAN);
        wf_backward(c, loss, WF_NONE, 0);
        wf_optim_step(c, t->opt);
        last = wf_item(c, loss);
        wf_scope_end(c);
    }
    return last;
}

static void save(Training *t, const char *path)
{
    wf_model *file;

    wf_model_new(t->c, &file);
    wf_module_store(t->c, t->net, file);
    wf_optim_store(t->c, t->opt, file);
    wf_model_save(t->c, file, path);
    wf_model_free(file);
}

static void load(Training *t, const char *path)
{
    wf_model *file;

    if (wf_model_open(t->c, path, &file))
        return;
    wf_module_restore(t->c, t->net, file);
    wf_optim_restore(t->c, t->opt, file);
    wf_model_free(file);
}

static int end(Training *t)
{
    bool ok = wf_ctx_status(t->c) == WF_OK;

    if (!ok)
        fprintf(stderr, "%s\n", wf_ctx_message(t->c));
    wf_optim_free(t->c, t->opt);
    wf_module_free(t->c, t->net);
    wf_ctx_free(t->c);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    char own[64];
    const char *path = argc > 2 ? argv[2] : own;
    bool first = argc < 2 || !strcmp(argv[1], "save"),
         second = argc < 2 || !strcmp(argv[1], "load");
    double broken = 0, whole = 0;
    int bad = 0;

    snprintf(own, sizeof own, "/tmp/weft_save_load_train.%ld.weft", (long)getpid());
    if (first) {
        Training t = begin();
        printf("loss after %d steps: %.7f, saved\n", HALF, train(&t, HALF));
        save(&t, path);
        bad |= end(&t);
    }
    if (second) {
        Training t = begin();
        load(&t, path);
        printf("loss after %d steps: %.7f, half of them after loading\n", 2 * HALF,
               broken = train(&t, HALF));
        bad |= end(&t);
    }
    if (argc < 2) {
        Training t = begin();
        printf("loss after %d steps: %.7f without a break\n", 2 * HALF,
               whole = train(&t, 2 * HALF));
        bad |= end(&t) | (broken != whole);
        remove(path);
    }
    return bad;
}
