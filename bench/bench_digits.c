/* bench_digits.c -- one epoch of training on the embedded digits: 64-64-10, batch 32,
 * Adam, 45 steps.
 *
 *   eager     recorded ops, backward, optimiser step, batches by the loader
 *   program   the whole step as one jitted program, batches by the loader
 *   file      the step of a model file, run by name
 *
 * The best of many epochs, each of the same work; the losses after them are printed, so
 * that nothing can be skipped, and must agree: all ways see the same batches.
 */
#include "weft.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum {
    EPOCHS = 30,
    PARAMS = 4,
    STATE = 2 * PARAMS,
    LR = PARAMS + STATE,
    STEP,
    X,
    Y,
    INPUTS
};

typedef struct Run {
    wf_ctx *c;
    wf_module *net;
    wf_optim *opt;
    wf_loader *data;
    wf_jit *jit;
    wf_tensor in[INPUTS]; /* of the jitted step; kept */
    wf_model *file;
} Run;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static wf_status loss_of(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in,
                         int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_cross_entropy(c, wf_forward_one(c, m, in[0]), in[1], WF_NONE, -100, 0,
                              WF_MEAN);
    return wf_ctx_status(c);
}

static wf_tensor eager_step(Run *r, wf_tensor *batch)
{
    wf_tensor loss;

    wf_optim_zero_grad(r->c, r->opt);
    loss_of(r->c, NULL, r->net, batch, 2, &loss, 1);
    wf_backward(r->c, loss, WF_NONE, 0);
    wf_optim_step(r->c, r->opt);
    return loss;
}

/* (params.., x, y) -> loss */
static wf_status pure_loss(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    wf_tensor y;

    (void)nin, (void)nout;
    if (wf_module_call_with(c, ((Run *)user)->net, in, PARAMS, &in[PARAMS], 1, &y, 1,
                            NULL))
        return wf_ctx_status(c);
    out[0] = wf_cross_entropy(c, y, in[PARAMS + 1], WF_NONE, -100, 0, WF_MEAN);
    return wf_ctx_status(c);
}

/* the inputs above -> (params.., state.., loss) */
static wf_status pure_step(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    wf_function f = WF_FUNCTION(pure_loss, user, PARAMS + 2, 1, "loss");
    wf_tensor args[PARAMS + 2], grads[PARAMS];
    int wrt[PARAMS];

    (void)nin, (void)nout;
    for (int i = 0; i < PARAMS; i++)
        args[wrt[i] = i] = in[i];
    args[PARAMS] = in[X];
    args[PARAMS + 1] = in[Y];
    wf_grad_call(c, &f, args, PARAMS + 2, wrt, PARAMS, &out[LR], 1, grads);
    return wf_optim_update(c, ((Run *)user)->opt, in[LR], in[STEP], in, grads,
                           in + PARAMS, PARAMS, out, out + PARAMS);
}

static wf_tensor program_step(Run *r, wf_tensor *batch)
{
    wf_tensor out[LR + 1];

    r->in[X] = batch[0];
    r->in[Y] = batch[1];
    if (wf_jit_call(r->c, r->jit, r->in, INPUTS, out, LR + 1, NULL, 0))
        return WF_NONE;
    for (int i = 0; i < LR; i++) {
        wf_drop(r->c, r->in[i]);
        r->in[i] = wf_keep(r->c, out[i]);
    }
    wf_add_in(r->c, r->in[STEP], wf_float(r->c, 1));
    return out[LR];
}

static wf_tensor file_step(Run *r, wf_tensor *batch)
{
    wf_tensor loss = WF_NONE;

    wf_model_run(r->c, r->file, "train", batch, 2, &loss, 1);
    return loss;
}

static double epoch(Run *r, wf_tensor (*step)(Run *r, wf_tensor *batch), double *out_loss)
{
    double start = now(), sum = 0;
    wf_tensor batch[2];

    wf_scope_begin(r->c);
    while (wf_loader_next(r->c, r->data, batch, 2)) {
        sum += wf_item(r->c, step(r, batch));
        wf_scope_end(r->c);
        wf_scope_begin(r->c);
    }
    wf_scope_end(r->c);
    *out_loss = sum / (double)wf_loader_batches(r->data);
    return now() - start;
}

/* The same network, order and state each time. */
static void begin(Run *r)
{
    static const char *const types[] = {"f32[N,64]", "i64[N]"};
    wf_ctx *c = r->c = wf_ctx_new(&(wf_options){sizeof(wf_options), .threads = 1});
    wf_function f = WF_FUNCTION(pure_step, r, INPUTS, LR + 1, "step");
    wf_tensor x, y, own[PARAMS];

    wf_manual_seed(c, 0);
    wf_data_digits(c, &x, &y);
    wf_module *in = wf_nn_linear(c, NULL, 64, 64, true);
    wf_module *out = wf_nn_linear(c, NULL, 64, 10, true);
    r->net = wf_nn_sequential(c, 3, in, wf_nn_relu(c), out);
    r->opt = wf_adam(c, r->net, 3e-3, 0.9, 0.999, 1e-8, 0);
    x = wf_narrow(c, x, 0, 0, 1437);
    y = wf_narrow(c, y, 0, 0, 1437);
    r->data = wf_loader_new(c, (wf_tensor[]){x, y}, 2, 32, wf_ctx_generator(c), false);
    wf_module_parameters(r->net, own, PARAMS);
    for (int i = 0; i < PARAMS; i++) {
        r->in[i] = wf_keep(c, wf_copy(c, wf_detach(c, own[i])));
        r->in[PARAMS + i] = wf_keep(c, wf_zeros_like(c, r->in[i]));
        r->in[2 * PARAMS + i] = wf_keep(c, wf_zeros_like(c, r->in[i]));
    }
    r->in[LR] = wf_scalar(c, WF_F64, 3e-3);
    r->in[STEP] = wf_scalar(c, WF_F64, 1);
    wf_jit_new(c, &f, &r->jit);
    wf_model_new(c, &r->file);
    wf_module_store(c, r->net, r->file);
    wf_optim_store(c, r->opt, r->file);
    wf_optim_add_step(c, r->opt, r->net, r->file, "train", loss_of, NULL, types, 2);
}

static int end(Run *r)
{
    int bad = wf_ctx_status(r->c) != WF_OK;

    if (bad)
        fprintf(stderr, "%s\n", wf_ctx_message(r->c));
    wf_model_free(r->file);
    wf_jit_free(r->c, r->jit);
    wf_loader_free(r->c, r->data);
    wf_optim_free(r->c, r->opt);
    wf_module_release(r->c, r->net);
    wf_ctx_free(r->c);
    return bad;
}

int main(void)
{
    static const struct {
        const char *name;
        wf_tensor (*step)(Run *r, wf_tensor *batch);
    } ways[] = {{"eager", eager_step}, {"program", program_step}, {"file", file_step}};
    double first = 0;
    int bad = 0;

    for (int k = 0; k < 3; k++) {
        Run r = {0};
        double best = 1e9, cold = 0, loss = 0;
        begin(&r);
        for (int i = 0; i < EPOCHS && !wf_ctx_status(r.c); i++) {
            double t = epoch(&r, ways[k].step, &loss);
            cold = i ? cold : t;
            best = t < best ? t : best;
        }
        bad |= end(&r);
        first = k ? first : loss;
        printf("digits epoch, %-8s %8.2f ms   (first one %.1f ms)   loss %.6f%s\n",
               ways[k].name, best * 1e3, cold * 1e3, loss,
               fabs(loss - first) <= 1e-3 * first ? "" : "   DIFFERS");
    }
    return bad;
}
