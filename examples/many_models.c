/* many_models.c -- train 16 networks at once, each with its own weights and learning
 * rate.
 *
 *   build/examples/many_models [STEPS]
 *
 * One training step (forward, backward, Adam) is a function of parameters, optimiser
 * state and data. vmap makes it a step of 16 networks and jit one program, so the 16 cost
 * little more than one.
 */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>

enum { MODELS = 16, PARAMS = 4, STATE = 2 * PARAMS, ROWS = 1437, TESTS = 360 };
enum {
    LR = PARAMS + STATE,
    STEP,
    X,
    Y,
    INPUTS
}; /* inputs: params, state, rate, step, x, y */

typedef struct Net {
    wf_module *module;
    wf_optim *opt;
} Net;

/* (params.., x, y) -> loss */
static wf_status loss(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    wf_module *m = ((Net *)user)->module;
    wf_tensor logits;

    (void)nin, (void)nout;
    if (wf_module_call_with(c, m, in, PARAMS, &in[PARAMS], 1, &logits, 1, NULL))
        return wf_ctx_status(c);
    out[0] = wf_cross_entropy(c, logits, in[PARAMS + 1], WF_NONE, -100, 0, WF_MEAN);
    return wf_ctx_status(c);
}

/* One network: the inputs above -> (params.., state.., loss) */
static wf_status step(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    wf_function f = WF_FUNCTION(loss, user, PARAMS + 2, 1, "loss");
    wf_tensor args[PARAMS + 2], grads[PARAMS];
    int wrt[PARAMS];

    (void)nin, (void)nout;
    for (int i = 0; i < PARAMS; i++)
        args[wrt[i] = i] = in[i];
    args[PARAMS] = in[X];
    args[PARAMS + 1] = in[Y];
    wf_grad_call(c, &f, args, PARAMS + 2, wrt, PARAMS, &out[PARAMS + STATE], 1, grads);
    return wf_optim_update(c, ((Net *)user)->opt, in[LR], in[STEP], in, grads,
                           in + PARAMS, PARAMS, out, out + PARAMS);
}

/* All of them: parameters, state and rate have a first axis of 16, the rest is shared. */
static wf_status step_all(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                          wf_tensor *out, int nout)
{
    wf_function f = WF_FUNCTION(step, user, INPUTS, PARAMS + STATE + 1, "step");
    int axes[INPUTS] = {0};

    (void)nin;
    axes[STEP] = axes[X] = axes[Y] = WF_UNMAPPED;
    return wf_vmap_call(c, &f, in, axes, INPUTS, NULL, NULL, out, nout);
}

/* (params..) -> share of the test recognised; x and y from outside */
typedef struct Test {
    Net *net;
    wf_tensor x, y;
} Test;

static wf_status test(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    Test *t = user;
    wf_tensor logits, hit;

    (void)nin, (void)nout;
    if (wf_module_call_with(c, t->net->module, in, PARAMS, &t->x, 1, &logits, 1, NULL))
        return wf_ctx_status(c);
    hit = wf_eq(c, wf_argmax(c, logits, (int[]){1}, false), t->y);
    out[0] = wf_mean(c, wf_cast(c, hit, WF_F64), NULL, 0, false);
    return wf_ctx_status(c);
}

static wf_module *new_net(wf_ctx *c, wf_generator *g)
{
    wf_module *in = wf_nn_linear(c, g, 64, 32, true),
              *out = wf_nn_linear(c, g, 32, 10, true);

    return wf_nn_sequential(c, 3, in, wf_nn_tanh(c), out);
}

/* First parameters of 16 networks, stacked, zeros for Adam, and rates from 0.001 to
 * 0.016. */
static void first_inputs(wf_ctx *c, wf_generator *g, wf_tensor *in)
{
    wf_tensor p[PARAMS][MODELS];
    double rates[MODELS];

    for (int k = 0; k < MODELS; k++) {
        wf_module *m = new_net(c, g);
        wf_tensor own[PARAMS];
        if (!m || wf_module_parameters(m, own, PARAMS) != PARAMS)
            return;
        for (int i = 0; i < PARAMS; i++)
            p[i][k] = wf_copy(c, wf_detach(c, own[i]));
        wf_module_release(c, m);
        rates[k] = 0.001 * (k + 1);
    }
    for (int i = 0; i < PARAMS; i++) {
        in[i] = wf_stack(c, p[i], MODELS, 0);
        in[PARAMS + i] = in[2 * PARAMS + i] = wf_zeros_like(c, in[i]);
    }
    in[LR] = wf_from(c, WF_F64, (int64_t[]){MODELS}, 1, rates);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 60;
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    wf_tensor x, y, order, in[INPUTS], out[PARAMS + STATE + 1], shares;
    wf_jit *j = NULL;
    double share[MODELS] = {0};

    if (wf_generator_new(c, 0, &g) || wf_data_digits(c, &x, &y))
        return 1;
    order = wf_randperm(c, g, ROWS + TESTS);
    x = wf_take(c, x, order, 0);
    y = wf_take(c, y, order, 0);
    Net net = {new_net(c, NULL), NULL};
    net.opt = wf_adam(c, net.module, 0, 0.9, 0.999, 1e-8, 0);
    wf_function f = WF_FUNCTION(step_all, &net, INPUTS, PARAMS + STATE + 1, "step_all");
    wf_jit_new(c, &f, &j);
    first_inputs(c, g, in);
    in[X] = wf_narrow(c, x, 0, 0, ROWS);
    in[Y] = wf_narrow(c, y, 0, 0, ROWS);
    for (int i = 1; i <= steps && !wf_ctx_status(c); i++) {
        in[STEP] = wf_scalar(c, WF_F64, i);
        if (wf_jit_call(c, j, in, INPUTS, out, PARAMS + STATE + 1, NULL, 0))
            break;
        for (int k = 0; k < PARAMS + STATE; k++)
            in[k] = out[k];
    }
    Test t = {&net, wf_narrow(c, x, 0, ROWS, TESTS), wf_narrow(c, y, 0, ROWS, TESTS)};
    wf_function ft = WF_FUNCTION(test, &t, PARAMS, 1, "test");
    if (!wf_vmap_call(c, &ft, in, (int[PARAMS]){0}, PARAMS, NULL, NULL, &shares, 1))
        wf_read_f64(c, shares, share, MODELS);
    double best = 0;
    for (int k = 0; k < MODELS; k++) {
        printf("rate %.3f: %.3f\n", 0.001 * (k + 1), share[k]);
        best = share[k] > best ? share[k] : best;
    }
    if (wf_ctx_status(c))
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    if (j)
        wf_jit_free(c, j);
    wf_optim_free(c, net.opt);
    wf_module_release(c, net.module);
    wf_generator_free(g);
    wf_ctx_free(c);
    printf("%d digits that were not learned from, by the best of %d networks\n"
           "test accuracy: %.2f\n",
           TESTS, MODELS, best);
    return best >= 0.9 || steps < 50 ? 0 : 1;
}
