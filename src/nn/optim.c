/* optim.c -- optimisers: PyTorch's formulas as a program of parameters, gradients and
 * state.
 *
 *   all      g += decay * p               (AdamW: p *= 1 - lr * decay instead)
 *   sgd      s = momentum * s + g;  g = nesterov ? g + momentum * s : s;  p -= lr * g
 *   adam     m += (1 - b1)(g - m);  v = b2 v + (1 - b2) g^2
 *            p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps)
 *   rmsprop  v = alpha v + (1 - alpha) g^2;  u = g / (sqrt(v) + eps);  with momentum s =
 *            momentum * s + u, u = s p -= lr * u
 *   adagrad  v += g^2;  p -= lr / (1 + (t - 1) lr_decay) * g / (sqrt(v) + eps)
 *
 * Rate and step number are f64 inputs of the program, so it is traced once; factors made
 * of them are computed in f64 and then rounded to the parameter's dtype, as PyTorch does
 * on the host.
 */
#include "nn/nn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { SGD, ADAM, ADAMW, RMSPROP, ADAGRAD } Kind;

struct wf_optim {
    Kind kind;
    double lr, a, b, eps,
        decay; /* a, b: momentum; beta1, beta2; alpha, momentum; lr_decay */
    bool nesterov;
    int64_t steps;
    int n, per;                /* parameters; state tensors of each */
    wf_tensor *params, *state; /* kept; state[i * n + j] */
    bool *with;                /* which had gradients when jit was made */
    int nwith;
    wf_jit *jit; /* of the update of those; NULL: none yet */
};

/* ---- formulas ---------------------------------------------------------------------- */

typedef struct Update { /* of one parameter */
    const wf_optim *o;
    wf_tensor lr, step; /* f64 */
    wf_tensor p, g, s[3];
} Update;

static wf_tensor times(wf_ctx *c, wf_tensor x, double k)
{
    return wf_mul(c, x, wf_float(c, k));
}

/* x * k, k an f64 scalar that is rounded to the dtype of x */
static wf_tensor scaled(wf_ctx *c, wf_tensor x, wf_tensor k)
{
    return wf_mul(c, x, wf_cast(c, k, wf_dtype_of(c, x)));
}

/* 1 - beta^t in f64 */
static wf_tensor correction(wf_ctx *c, double beta, wf_tensor step)
{
    return wf_sub(c, wf_scalar(c, WF_F64, 1),
                  wf_pow(c, wf_scalar(c, WF_F64, beta), step));
}

/* k x + (1 - k) g^2 */
static wf_tensor mean_square(wf_ctx *c, wf_tensor x, wf_tensor g, double k)
{
    return wf_add(c, times(c, x, k), times(c, wf_mul(c, g, g), 1 - k));
}

static void update_sgd(wf_ctx *c, Update *u)
{
    const wf_optim *o = u->o;
    wf_tensor g = u->g;

    if (o->a != 0) {
        u->s[0] = wf_add(c, times(c, u->s[0], o->a), g);
        g = o->nesterov ? wf_add(c, g, times(c, u->s[0], o->a)) : u->s[0];
    }
    u->p = wf_sub(c, u->p, scaled(c, g, u->lr));
}

static void update_adam(wf_ctx *c, Update *u)
{
    const wf_optim *o = u->o;
    wf_tensor root, size;

    u->s[0] = wf_add(c, u->s[0], times(c, wf_sub(c, u->g, u->s[0]), 1 - o->a));
    u->s[1] = mean_square(c, u->s[1], u->g, o->b);
    root = wf_cast(c, wf_sqrt(c, correction(c, o->b, u->step)), wf_dtype_of(c, u->p));
    size = wf_div(c, u->lr, correction(c, o->a, u->step));
    u->p = wf_sub(c, u->p,
                  scaled(c,
                         wf_div(c, u->s[0],
                                wf_add(c, wf_div(c, wf_sqrt(c, u->s[1]), root),
                                       wf_float(c, o->eps))),
                         size));
}

static void update_rmsprop(wf_ctx *c, Update *u)
{
    const wf_optim *o = u->o;
    wf_tensor d;

    u->s[0] = mean_square(c, u->s[0], u->g, o->a);
    d = wf_div(c, u->g, wf_add(c, wf_sqrt(c, u->s[0]), wf_float(c, o->eps)));
    if (o->b != 0)
        d = u->s[1] = wf_add(c, times(c, u->s[1], o->b), d);
    u->p = wf_sub(c, u->p, scaled(c, d, u->lr));
}

static void update_adagrad(wf_ctx *c, Update *u)
{
    const wf_optim *o = u->o;
    wf_tensor one = wf_scalar(c, WF_F64, 1);
    wf_tensor rate =
        wf_div(c, u->lr, wf_add(c, one, times(c, wf_sub(c, u->step, one), o->a)));

    u->s[0] = wf_add(c, u->s[0], wf_mul(c, u->g, u->g));
    u->p = wf_sub(
        c, u->p,
        scaled(c, wf_div(c, u->g, wf_add(c, wf_sqrt(c, u->s[0]), wf_float(c, o->eps))),
               rate));
}

static void update_one(wf_ctx *c, Update *u)
{
    const wf_optim *o = u->o;

    if (o->kind == ADAMW)
        u->p = scaled(c, u->p,
                      wf_sub(c, wf_scalar(c, WF_F64, 1), times(c, u->lr, o->decay)));
    else if (o->decay != 0)
        u->g = wf_add(c, u->g, times(c, u->p, o->decay));
    switch (o->kind) {
    case SGD: update_sgd(c, u); break;
    case ADAM:
    case ADAMW: update_adam(c, u); break;
    case RMSPROP: update_rmsprop(c, u); break;
    case ADAGRAD: update_adagrad(c, u); break;
    }
}

int wf_optim_state_per_param(const wf_optim *o) { return o->per; }

wf_status wf_optim_update(wf_ctx *c, const wf_optim *o, wf_tensor lr, wf_tensor step,
                          const wf_tensor *params, const wf_tensor *grads,
                          const wf_tensor *state, int n, wf_tensor *out_params,
                          wf_tensor *out_state)
{
    for (int j = 0; j < n; j++) {
        Update u = {.o = o, .lr = lr, .step = step, .p = params[j], .g = grads[j]};
        for (int i = 0; i < o->per; i++)
            u.s[i] = state[i * n + j];
        update_one(c, &u);
        out_params[j] = u.p;
        for (int i = 0; i < o->per; i++)
            out_state[i * n + j] = u.s[i];
    }
    return wf_ctx_status(c);
}

/* ---- the object -------------------------------------------------------------------- */

void wf_optim_free(wf_ctx *c, wf_optim *o)
{
    if (!o)
        return;
    for (int i = 0; o->params && i < o->n; i++)
        if (!wf_is_none(o->params[i]))
            wf_drop(c, o->params[i]);
    for (int i = 0; o->state && i < o->n * o->per; i++)
        if (!wf_is_none(o->state[i]))
            wf_drop(c, o->state[i]);
    if (o->jit)
        wf_jit_free(c, o->jit);
    free(o->params);
    free(o->state);
    free(o->with);
    free(o);
}

static wf_optim *new_optim(wf_ctx *c, wf_module *m, wf_optim set)
{
    wf_optim *o;

    if (nn_refuse(c, !m, "optimiser: the module is NULL") ||
        nn_refuse(c,
                  !(set.lr >= 0) || !(set.decay >= 0) || !(set.eps >= 0) ||
                      !(set.a >= 0) || !(set.b >= 0) ||
                      (set.kind != ADAGRAD && set.kind != SGD && set.a >= 1) ||
                      ((set.kind == ADAM || set.kind == ADAMW) && set.b >= 1) ||
                      (set.nesterov && set.a == 0),
                  "optimiser: a rate, decay or factor is out of range"))
        return NULL;
    o = malloc(sizeof *o);
    if (o) {
        *o = set;
        o->n = wf_module_parameters(m, NULL, 0);
        o->params = calloc((size_t)o->n + 1, sizeof *o->params);
        o->state = calloc((size_t)(o->n * o->per) + 1, sizeof *o->state);
        o->with = calloc((size_t)o->n + 1, sizeof *o->with);
    }
    if (!o || !o->params || !o->state || !o->with) {
        wf_raise(c, WF_ERR_MEMORY, "out of memory");
        wf_optim_free(c, o);
        return NULL;
    }
    o->n = wf_module_parameters(m, o->params, o->n);
    wf_scope_begin(c);
    for (int j = 0; j < o->n; j++)
        wf_keep(c, o->params[j]);
    for (int i = 0; i < o->n * o->per && !wf_ctx_status(c); i++)
        o->state[i] = wf_keep(c, wf_zeros_like(c, wf_detach(c, o->params[i % o->n])));
    wf_scope_end(c);
    if (wf_ctx_status(c)) {
        wf_optim_free(c, o);
        return NULL;
    }
    return o;
}

wf_optim *wf_sgd(wf_ctx *c, wf_module *m, double lr, double momentum, bool nesterov,
                 double decay)
{
    return new_optim(c, m,
                     (wf_optim){.kind = SGD,
                                .lr = lr,
                                .a = momentum,
                                .nesterov = nesterov,
                                .decay = decay,
                                .per = momentum != 0});
}

wf_optim *wf_adam(wf_ctx *c, wf_module *m, double lr, double beta1, double beta2,
                  double eps, double decay)
{
    return new_optim(c, m,
                     (wf_optim){.kind = ADAM,
                                .lr = lr,
                                .a = beta1,
                                .b = beta2,
                                .eps = eps,
                                .decay = decay,
                                .per = 2});
}

wf_optim *wf_adamw(wf_ctx *c, wf_module *m, double lr, double beta1, double beta2,
                   double eps, double decay)
{
    return new_optim(c, m,
                     (wf_optim){.kind = ADAMW,
                                .lr = lr,
                                .a = beta1,
                                .b = beta2,
                                .eps = eps,
                                .decay = decay,
                                .per = 2});
}

wf_optim *wf_rmsprop(wf_ctx *c, wf_module *m, double lr, double alpha, double eps,
                     double decay, double momentum)
{
    return new_optim(c, m,
                     (wf_optim){.kind = RMSPROP,
                                .lr = lr,
                                .a = alpha,
                                .b = momentum,
                                .eps = eps,
                                .decay = decay,
                                .per = 1 + (momentum != 0)});
}

wf_optim *wf_adagrad(wf_ctx *c, wf_module *m, double lr, double lr_decay, double eps,
                     double decay)
{
    return new_optim(c, m,
                     (wf_optim){.kind = ADAGRAD,
                                .lr = lr,
                                .a = lr_decay,
                                .eps = eps,
                                .decay = decay,
                                .per = 1});
}

double wf_optim_lr(const wf_optim *o) { return o->lr; }
void wf_optim_set_lr(wf_optim *o, double lr) { o->lr = lr; }
int64_t wf_optim_steps(const wf_optim *o) { return o->steps; }

wf_status wf_optim_zero_grad(wf_ctx *c, wf_optim *o)
{
    for (int j = 0; j < o->n; j++)
        wf_set_grad(c, o->params[j], WF_NONE);
    return wf_ctx_status(c);
}

/* ---- a step ------------------------------------------------------------------------ */

/* in: lr, step, params, grads, state; out: params, state; of those with gradients */
static bool trace_update(wf_ctx *c, void *user, const wf_tensor *in, wf_tensor *out)
{
    const wf_optim *o = user;
    int n = o->nwith;

    return !wf_optim_update(c, o, in[0], in[1], in + 2, in + 2 + n, in + 2 + 2 * n, n,
                            out, out + n);
}

/* The jit for the parameters that have gradients now. */
static bool prepare(wf_ctx *c, wf_optim *o)
{
    wf_function f = {trace_update, o, 0, 0, "update"};
    bool same = o->jit != NULL;

    for (int j = 0; j < o->n; j++) {
        bool with = !wf_is_none(wf_grad_of(c, o->params[j]));
        same &= with == o->with[j];
        o->with[j] = with;
    }
    if (same || wf_ctx_status(c))
        return same;
    if (o->jit)
        wf_jit_free(c, o->jit);
    o->jit = NULL;
    o->nwith = 0;
    for (int j = 0; j < o->n; j++)
        o->nwith += o->with[j];
    f.inputs = 2 + (2 + o->per) * o->nwith;
    f.outputs = (1 + o->per) * o->nwith;
    return !wf_jit_new(c, &f, &o->jit);
}

static void run_step(wf_ctx *c, wf_optim *o, wf_tensor *io)
{
    int n = o->nwith, at = 0;
    wf_tensor *in = io, *out = io + 2 + (2 + o->per) * n;

    in[0] = wf_scalar(c, WF_F64, o->lr);
    in[1] = wf_scalar(c, WF_F64, (double)(o->steps + 1));
    for (int j = 0; j < o->n; j++) {
        if (!o->with[j])
            continue;
        in[2 + at] = wf_detach(c, o->params[j]);
        in[2 + n + at] = wf_grad_of(c, o->params[j]);
        for (int i = 0; i < o->per; i++)
            in[2 + (2 + i) * n + at] = o->state[i * o->n + j];
        at++;
    }
    if (wf_jit_call(c, o->jit, in, out, NULL, 0))
        return;
    for (int j = 0, k = 0; j < o->n; j++) {
        if (!o->with[j])
            continue;
        wf_write(c, o->params[j], out[k]);
        for (int i = 0; i < o->per; i++)
            wf_write(c, o->state[i * o->n + j], out[(1 + i) * n + k]);
        k++;
    }
}

wf_status wf_optim_step(wf_ctx *c, wf_optim *o)
{
    wf_tensor *io;

    if (wf_ctx_status(c))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    wf_no_grad_begin(c);
    if (prepare(c, o) && o->nwith) {
        io = calloc((size_t)(2 + (3 + 2 * o->per) * o->nwith), sizeof *io);
        if (!io)
            wf_raise(c, WF_ERR_MEMORY, "out of memory");
        else
            run_step(c, o, io);
        free(io);
    }
    wf_no_grad_end(c);
    wf_scope_end(c);
    o->steps += !wf_ctx_status(c);
    return wf_ctx_status(c);
}

/* ---- files ------------------------------------------------------------------------- */

static void store_tensor(wf_ctx *c, wf_model *file, const char *name, wf_tensor t)
{
    wf_array *a = NULL;

    if (!wf_to_array(c, wf_copy(c, t), &a))
        wf_model_set_tensor(c, file, name, a);
    wf_array_release(a);
}

wf_status wf_optim_store(wf_ctx *c, wf_optim *o, wf_model *file)
{
    char name[40];

    wf_scope_begin(c);
    store_tensor(c, file, "optim.lr", wf_scalar(c, WF_F64, o->lr));
    store_tensor(c, file, "optim.steps", wf_scalar(c, WF_I64, (double)o->steps));
    for (int i = 0; i < o->n * o->per; i++) {
        snprintf(name, sizeof name, "optim.state.%d", i);
        store_tensor(c, file, name, o->state[i]);
    }
    wf_scope_end(c);
    return wf_ctx_status(c);
}

static wf_tensor stored(wf_ctx *c, const wf_model *file, const char *name)
{
    wf_array *a = wf_model_find_tensor(file, name);
    char text[120];

    if (a)
        return wf_from_array(c, a);
    snprintf(text, sizeof text, "wf_optim_restore: the file's tensor %s is missing",
             name);
    wf_raise(c, WF_ERR_NAME, text);
    return WF_NONE;
}

wf_status wf_optim_restore(wf_ctx *c, wf_optim *o, const wf_model *file)
{
    wf_tensor lr, steps;
    char name[40];

    wf_scope_begin(c);
    lr = stored(c, file, "optim.lr");
    steps = stored(c, file, "optim.steps");
    for (int i = 0; i < o->n * o->per && !wf_ctx_status(c); i++) {
        snprintf(name, sizeof name, "optim.state.%d", i);
        wf_write(c, o->state[i], stored(c, file, name));
    }
    if (!wf_ctx_status(c)) {
        o->lr = wf_item(c, lr);
        o->steps = wf_item_int(c, steps);
    }
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* ---- clipping ---------------------------------------------------------------------- */

/* The gradients there are, in new memory; NULL after an error. */
static wf_tensor *gradients(wf_ctx *c, wf_module *m, int *out_n)
{
    int room = wf_module_parameters(m, NULL, 0), n = 0, all;
    wf_tensor *list = malloc((size_t)(room + 1) * sizeof *list);

    *out_n = 0;
    if (!list) {
        wf_raise(c, WF_ERR_MEMORY, "out of memory");
        return NULL;
    }
    all = wf_module_parameters(m, list, room);
    for (int i = 0; i < all; i++) {
        wf_tensor g = wf_grad_of(c, list[i]);
        if (!wf_is_none(g))
            list[n++] = g;
    }
    *out_n = n;
    return list;
}

double wf_clip_grad_norm(wf_ctx *c, wf_module *m, double most)
{
    double sum = 0, norm;
    int n;
    wf_tensor *g;

    wf_scope_begin(c);
    wf_no_grad_begin(c);
    g = gradients(c, m, &n);
    for (int i = 0; i < n && !wf_ctx_status(c); i++)
        sum +=
            wf_item(c, wf_sum(c, wf_square(c, wf_cast(c, g[i], WF_F64)), NULL, 0, false));
    norm = sqrt(sum);
    for (int i = 0; i < n && norm + 1e-6 > most && !wf_ctx_status(c); i++)
        wf_mul_in(c, g[i], wf_float(c, most / (norm + 1e-6)));
    free(g);
    wf_no_grad_end(c);
    wf_scope_end(c);
    return norm;
}

wf_status wf_clip_grad_value(wf_ctx *c, wf_module *m, double most)
{
    int n;
    wf_tensor *g;

    wf_scope_begin(c);
    wf_no_grad_begin(c);
    g = gradients(c, m, &n);
    for (int i = 0; i < n && !wf_ctx_status(c); i++)
        wf_write(c, g[i], wf_clip(c, g[i], wf_float(c, -most), wf_float(c, most)));
    free(g);
    wf_no_grad_end(c);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* ---- rates ------------------------------------------------------------------------- */

double wf_lr_step(double lr, int64_t done, int64_t every, double gamma)
{
    return every > 0 ? lr * pow(gamma, (double)(done / every)) : lr;
}

double wf_lr_cosine(double lr, int64_t done, int64_t total, double lowest)
{
    const double pi = 3.14159265358979323846;

    return total > 0
               ? lowest + (lr - lowest) * (1 + cos(pi * (double)done / (double)total)) / 2
               : lr;
}

double wf_lr_lambda(double lr, int64_t done, double (*factor)(void *user, int64_t done),
                    void *user)
{
    return lr * factor(user, done);
}
