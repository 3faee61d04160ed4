/* save_load_train.c -- a file that still trains: train, save, load elsewhere, train on.
 *
 *   build/examples/save_load_train                      both halves, compared with
 *                                                       training without a break
 *   build/examples/save_load_train save FILE.weft       the first half, saved
 *   build/examples/save_load_train load FILE.weft       the second half
 *
 * The first half builds a network and an optimiser. The second knows nothing of them: the
 * file has the methods "train" and "forward", with the state they need.
 */
#include "weft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HALF = 40 };

static const char *const types[] = {"f32[N,64]", "i64[N]"}; /* images, labels */

typedef struct Training {
    wf_ctx *c;
    wf_module *net;
    wf_optim *opt;
    wf_tensor xy[2];
} Training;

static wf_status loss(wf_ctx *c, void *user, wf_module *net, const wf_tensor *xy, int nin,
                      wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_cross_entropy(c, wf_forward_one(c, net, xy[0]), xy[1], WF_NONE, -100, 0,
                              WF_MEAN);
    return wf_ctx_status(c);
}

static Training begin(void)
{
    Training t = {.c = wf_ctx_new(NULL)};

    wf_manual_seed(t.c, 1);
    wf_module *in = wf_nn_linear(t.c, NULL, 64, 32, true);
    wf_module *out = wf_nn_linear(t.c, NULL, 32, 10, true);
    wf_module *norm = wf_nn_batch_norm1d(t.c, 32, 1e-5, 0.1);
    t.net = wf_nn_sequential(t.c, 4, in, norm, wf_nn_relu(t.c), out);
    t.opt = wf_adamw(t.c, t.net, 2e-3, 0.9, 0.999, 1e-8, 0.01);
    wf_data_digits(t.c, &t.xy[0], &t.xy[1]);
    return t;
}

/* Some steps on all digits; the loss of the last. */
static double train(Training *t, int steps)
{
    wf_ctx *c = t->c;
    double last = 0;

    for (int i = 0; i < steps; i++) {
        wf_tensor y;
        wf_scope_begin(c);
        wf_optim_zero_grad(c, t->opt);
        loss(c, NULL, t->net, t->xy, 2, &y, 1);
        wf_backward(c, y, WF_NONE, 0);
        wf_optim_step(c, t->opt);
        last = wf_item(c, y);
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
    wf_optim_add_step(t->c, t->opt, t->net, file, "train", loss, NULL, types, 2);
    wf_module_train(t->net, false);
    wf_module_add_method(t->c, t->net, file, "forward", NULL, NULL, types, 1, 1);
    wf_model_save(t->c, file, path);
    wf_model_free(file);
}

static int end(wf_ctx *c)
{
    int bad = wf_ctx_status(c) != WF_OK;

    if (bad)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_ctx_free(c);
    return bad;
}

static int end_training(Training *t)
{
    wf_optim_free(t->c, t->opt);
    wf_module_release(t->c, t->net);
    return end(t->c);
}

/* The second program. */
static int go_on(const char *path, double *last)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_tensor xy[2], y, hit;

    wf_data_digits(c, &xy[0], &xy[1]);
    wf_model_load(c, path, &file);
    for (int i = 0; i < HALF && file; i++) {
        wf_scope_begin(c);
        wf_model_run(c, file, "train", xy, 2, &y, 1);
        *last = wf_item(c, y);
        wf_scope_end(c);
    }
    if (file && !wf_model_run(c, file, "forward", xy, 1, &y, 1)) {
        hit = wf_eq(c, wf_argmax(c, y, (int[]){1}, false), xy[1]);
        printf("loss after %d steps: %.6f, half of them after loading\n"
               "of the digits it learns from it knows %.2f\n",
               2 * HALF, *last,
               wf_item(c, wf_mean(c, wf_cast(c, hit, WF_F64), NULL, 0, false)));
    }
    wf_model_free(file);
    return end(c);
}

int main(int argc, char **argv)
{
    char own[64];
    const char *path = argc > 2 ? argv[2] : own;
    double broken = 0, whole;
    int bad = 0;

    snprintf(own, sizeof own, "/tmp/weft_save_load_train.%ld.weft", (long)getpid());
    if (argc < 2 || !strcmp(argv[1], "save")) {
        Training t = begin();
        printf("loss after %d steps: %.6f, saved\n", HALF, train(&t, HALF));
        save(&t, path);
        bad |= end_training(&t);
    }
    if (argc < 2 || !strcmp(argv[1], "load"))
        bad |= go_on(path, &broken);
    if (argc < 2) {
        Training t = begin();
        whole = train(&t, 2 * HALF);
        printf("loss after %d steps: %.6f without a break\n", 2 * HALF, whole);
        bad |= end_training(&t) | !(fabs(broken - whole) <= 1e-6);
        remove(path);
    }
    return bad;
}
