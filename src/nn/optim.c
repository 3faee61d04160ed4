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
#include <string.h>

/* ---- formulas ---------------------------------------------------------------------- */

typedef struct Update { /* of one parameter */
    const wf_optim *o;
    wf_tensor lr, step; /* f64 */
    wf_tensor p, g, s[2];
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
    wf_tensor scaled = times(c, wf_mul(c, g, g), 1 - k);

    return wf_add(c, times(c, x, k), scaled);
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

/* ---- the table --------------------------------------------------------------------- */

enum { SGD, ADAM, ADAMW, RMSPROP, ADAGRAD };

static const struct {
    const char *name; /* in files */
    void (*update)(wf_ctx *c, Update *u);
    double a_below, b_below; /* factors must be in 0.. and below these */
    bool decays_first;       /* p *= 1 - lr * decay, not g += decay * p */
} rules[] = {
    [SGD] = {"sgd", update_sgd, INFINITY, INFINITY, false},
    [ADAM] = {"adam", update_adam, 1, 1, false},
    [ADAMW] = {"adamw", update_adam, 1, 1, true},
    [RMSPROP] = {"rmsprop", update_rmsprop, 1, INFINITY, false},
    [ADAGRAD] = {"adagrad", update_adagrad, INFINITY, INFINITY, false},
};

static void update_one(wf_ctx *c, Update *u, const OptimPart *part)
{
    const wf_optim *o = u->o;

    if (part->factor != 1)
        u->lr = times(c, u->lr, part->factor);
    if (rules[o->kind].decays_first)
        u->p = scaled(c, u->p,
                      wf_sub(c, wf_scalar(c, WF_F64, 1), times(c, u->lr, part->decay)));
    else if (part->decay != 0)
        u->g = wf_add(c, u->g, times(c, u->p, part->decay));
    rules[o->kind].update(c, u);
}

/* What all gradients together are multiplied with so that their norm is at most clip: f64 */
static wf_tensor clip_factor(wf_ctx *c, double clip, const wf_tensor *grads, int n)
{
    wf_tensor sum = wf_scalar(c, WF_F64, 0), size;

    for (int j = 0; j < n; j++)
        sum = wf_add(c, sum, wf_sum(c, wf_square(c, wf_cast(c, grads[j], WF_F64)), NULL, 0, false));
    size = wf_add(c, wf_sqrt(c, sum), wf_scalar(c, WF_F64, 1e-6));
    return wf_minimum(c, wf_div(c, wf_scalar(c, WF_F64, clip), size), wf_scalar(c, WF_F64, 1));
}

int wf_optim_state_per_param(const wf_optim *o) { return o ? o->per : 0; }

wf_status nn_optim_update(wf_ctx *c, const wf_optim *o, const int *number, wf_tensor lr,
                          wf_tensor step, const wf_tensor *params, const wf_tensor *grads,
                          const wf_tensor *state, int n, wf_tensor *out_params,
                          wf_tensor *out_state)
{
    wf_tensor clip = o->clip > 0 ? clip_factor(c, o->clip, grads, n) : WF_NONE;

    for (int j = 0; j < n; j++) {
        Update u = {.o = o, .lr = lr, .step = step, .p = params[j], .g = grads[j]};
        if (o->clip > 0)
            u.g = scaled(c, u.g, clip);
        for (int i = 0; i < o->per; i++)
            u.s[i] = state[i * n + j];
        update_one(c, &u, &o->parts[number ? number[j] : j]);
        out_params[j] = u.p;
        for (int i = 0; i < o->per; i++)
            out_state[i * n + j] = u.s[i];
    }
    return wf_ctx_status(c);
}

wf_status wf_optim_update(wf_ctx *c, const wf_optim *o, wf_tensor lr, wf_tensor step,
                          const wf_tensor *params, const wf_tensor *grads,
                          const wf_tensor *state, int n, wf_tensor *out_params,
                          wf_tensor *out_state)
{
    if (nn_null(c, o, "wf_optim_update", "optimiser") ||
        !nn_count(c, params, n, "wf_optim_update") ||
        !nn_count(c, grads, n, "wf_optim_update") ||
        !nn_count(c, state, o->per ? n : 0, "wf_optim_update") ||
        !nn_call(c, "wf_optim_update", NULL, 0, out_params, n) ||
        !nn_count(c, out_state, o->per ? n : 0, "wf_optim_update") ||
        nn_refuse(c, n != o->n, "wf_optim_update: needs all parameters of the optimiser"))
        return wf_ctx_status(c);
    return nn_optim_update(c, o, NULL, lr, step, params, grads, state, n, out_params,
                           out_state);
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
    nn_free(c, o->params, (size_t)o->room * sizeof *o->params);
    nn_free(c, o->state, (size_t)(o->room * o->per) * sizeof *o->state);
    nn_free(c, o->with, (size_t)o->room * sizeof *o->with);
    nn_free(c, o->parts, (size_t)o->room * sizeof *o->parts);
    nn_free(c, o, sizeof *o);
}

static bool fill(wf_ctx *c, wf_optim *o, wf_module *m, double decay)
{
    o->room = wf_module_parameters(m, NULL, 0);
    o->params = nn_alloc(c, (size_t)o->room * sizeof *o->params);
    o->state = nn_alloc(c, (size_t)(o->room * o->per) * sizeof *o->state);
    o->with = nn_alloc(c, (size_t)o->room * sizeof *o->with);
    o->parts = nn_alloc(c, (size_t)o->room * sizeof *o->parts);
    if (wf_ctx_status(c))
        return false;
    o->n = wf_module_parameters(m, o->params, o->room);
    for (int j = 0; j < o->n; j++) {
        wf_keep(c, o->params[j]);
        o->parts[j] = (OptimPart){1, decay};
    }
    for (int i = 0; i < o->n * o->per; i++) {
        wf_tensor zeros = wf_zeros_like(c, wf_detach(c, o->params[i % o->n]));
        if (wf_ctx_status(c))
            return false;
        o->state[i] = wf_keep(c, zeros);
    }
    return true;
}

static wf_optim *new_optim(wf_ctx *c, wf_module *m, wf_optim set, double decay)
{
    wf_optim *o;
    bool ok;

    if (nn_null(c, m, "optimiser", "module") ||
        nn_refuse(c,
                  !(set.lr >= 0) || !(decay >= 0) || !(set.eps >= 0) || !(set.a >= 0) ||
                      !(set.b >= 0) || !(set.a < rules[set.kind].a_below) ||
                      !(set.b < rules[set.kind].b_below) || (set.nesterov && set.a == 0),
                  "optimiser: a rate, decay or factor is out of range") ||
        !(o = nn_alloc(c, sizeof *o)))
        return NULL;
    *o = set;
    wf_scope_begin(c);
    ok = fill(c, o, m, decay);
    wf_scope_end(c);
    if (ok)
        return o;
    wf_optim_free(c, o);
    return NULL;
}

wf_optim *wf_sgd(wf_ctx *c, wf_module *m, double lr, double momentum, bool nesterov,
                 double decay)
{
    wf_optim set = {.kind = SGD, .lr = lr, .a = momentum, .nesterov = nesterov};

    set.per = momentum != 0;
    return new_optim(c, m, set, decay);
}

wf_optim *wf_adam(wf_ctx *c, wf_module *m, double lr, double beta1, double beta2,
                  double eps, double decay)
{
    wf_optim set = {.kind = ADAM, .lr = lr, .a = beta1, .b = beta2, .eps = eps, .per = 2};

    return new_optim(c, m, set, decay);
}

wf_optim *wf_adamw(wf_ctx *c, wf_module *m, double lr, double beta1, double beta2,
                   double eps, double decay)
{
    wf_optim set = {
        .kind = ADAMW, .lr = lr, .a = beta1, .b = beta2, .eps = eps, .per = 2};

    return new_optim(c, m, set, decay);
}

wf_optim *wf_rmsprop(wf_ctx *c, wf_module *m, double lr, double alpha, double eps,
                     double decay, double momentum)
{
    wf_optim set = {.kind = RMSPROP, .lr = lr, .a = alpha, .b = momentum, .eps = eps};

    set.per = 1 + (momentum != 0);
    return new_optim(c, m, set, decay);
}

wf_optim *wf_adagrad(wf_ctx *c, wf_module *m, double lr, double lr_decay, double eps,
                     double decay)
{
    wf_optim set = {.kind = ADAGRAD, .lr = lr, .a = lr_decay, .eps = eps, .per = 1};

    return new_optim(c, m, set, decay);
}

double wf_optim_lr(const wf_optim *o) { return o ? o->lr : 0; }
int64_t wf_optim_steps(const wf_optim *o) { return o ? o->steps : 0; }

void wf_optim_set_lr(wf_optim *o, double lr)
{
    if (o)
        o->lr = lr;
}

void wf_optim_set_clip(wf_ctx *c, wf_optim *o, double norm)
{
    if (!o || wf_ctx_status(c))
        return;
    o->clip = norm;
    if (o->jit)
        wf_jit_free(c, o->jit); /* the norm is a constant of its programs */
    o->jit = NULL;
}

void wf_optim_set_scale(wf_ctx *c, wf_optim *o, double scale)
{
    if (nn_null(c, o, "wf_optim_set_scale", "optimiser") ||
        nn_refuse(c, !(scale >= 0) || isinf(scale), "wf_optim_set_scale: needs a number from 0 on"))
        return;
    o->scale = scale;
    o->good = 0;
}

int nn_optim_find(const wf_optim *o, wf_tensor param)
{
    for (int j = 0; j < o->n; j++)
        if (nn_same(o->params[j], param))
            return j;
    return -1;
}

wf_status wf_optim_set_part(wf_ctx *c, wf_optim *o, wf_module *part, double factor,
                            double decay)
{
    TensorList l;

    if (nn_null(c, o, "wf_optim_set_part", "optimiser") ||
        nn_refuse(c, !part || !(factor >= 0) || !(decay >= 0),
                  "wf_optim_set_part: needs a module, a factor and a decay >= 0"))
        return wf_ctx_status(c);
    l = nn_list(c, part, false);
    for (int i = 0; i < l.n; i++) {
        int j = nn_optim_find(o, l.v[i]);
        if (nn_refuse(c, j < 0, "wf_optim_set_part: a parameter is not the optimiser's"))
            break;
        o->parts[j] = (OptimPart){factor, decay};
    }
    nn_list_free(c, &l);
    if (o->jit)
        wf_jit_free(c, o->jit); /* factors are constants of its programs */
    o->jit = NULL;
    return wf_ctx_status(c);
}

wf_status wf_optim_zero_grad(wf_ctx *c, wf_optim *o)
{
    if (nn_null(c, o, "wf_optim_zero_grad", "optimiser"))
        return wf_ctx_status(c);
    for (int j = 0; j < o->n; j++)
        wf_set_grad(c, o->params[j], WF_NONE);
    return wf_ctx_status(c);
}

/* ---- a step ------------------------------------------------------------------------ */

/* in: lr, step, params, grads, state; out: params, state; of those with gradients */
static wf_status trace_update(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    const wf_optim *o = user;
    int n = o->nwith;

    (void)nin, (void)nout;
    return nn_optim_update(c, o, o->with, in[0], in[1], in + 2, in + 2 + n,
                           in + 2 + 2 * n, n, out, out + n);
}

/* The jit for the parameters that have gradients now. */
static bool prepare(wf_ctx *c, wf_optim *o)
{
    wf_function f = WF_FUNCTION(trace_update, o, 0, 0, "update");
    bool same = o->jit != NULL;
    int n = 0;

    for (int j = 0; j < o->n; j++) {
        if (wf_is_none(wf_grad_of(c, o->params[j])))
            continue;
        same &= n < o->nwith && o->with[n] == j;
        o->with[n++] = j;
    }
    same &= n == o->nwith;
    o->nwith = n;
    if (same || wf_ctx_status(c))
        return same;
    if (o->jit)
        wf_jit_free(c, o->jit);
    o->jit = NULL;
    f.inputs = 2 + (2 + o->per) * n;
    f.outputs = (1 + o->per) * n;
    return n == 0 || !wf_jit_new(c, &f, &o->jit);
}

static void run_step(wf_ctx *c, wf_optim *o, wf_tensor *in, wf_tensor *out)
{
    int n = o->nwith;

    in[0] = wf_scalar(c, WF_F64, o->lr);
    in[1] = wf_scalar(c, WF_F64, (double)(o->steps + 1));
    for (int k = 0; k < n; k++) {
        int j = o->with[k];
        in[2 + k] = wf_detach(c, o->params[j]);
        in[2 + n + k] = wf_grad_of(c, o->params[j]);
        for (int i = 0; i < o->per; i++)
            in[2 + (2 + i) * n + k] = o->state[i * o->n + j];
    }
    if (wf_jit_call(c, o->jit, in, 2 + (2 + o->per) * n, out, (1 + o->per) * n, NULL, 0))
        return;
    for (int k = 0; k < n; k++) {
        int j = o->with[k];
        wf_write(c, o->params[j], out[k]);
        for (int i = 0; i < o->per; i++)
            wf_write(c, o->state[i * o->n + j], out[(1 + i) * n + k]);
    }
}

wf_status wf_optim_step(wf_ctx *c, wf_optim *o)
{
    wf_tensor *io;
    int nin, nout;

    if (nn_null(c, o, "wf_optim_step", "optimiser") ||
        nn_refuse(c, o->scale > 0, "wf_optim_step: losses are scaled in programs of steps alone (wf_optim_add_step)"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    wf_no_grad_begin(c);
    if (prepare(c, o) && o->nwith) {
        nin = 2 + (2 + o->per) * o->nwith;
        nout = (1 + o->per) * o->nwith;
        io = nn_alloc(c, (size_t)(nin + nout) * sizeof *io);
        if (io)
            run_step(c, o, io, io + nin);
        nn_free(c, io, (size_t)(nin + nout) * sizeof *io);
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

    if (nn_null(c, o, "wf_optim_store", "optimiser") ||
        nn_null(c, file, "wf_optim_store", "file"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    wf_model_set_meta(c, file, "optim", rules[o->kind].name);
    store_tensor(c, file, "optim.lr", wf_scalar(c, WF_F64, o->lr));
    store_tensor(c, file, "optim.steps", wf_scalar(c, WF_I64, (double)o->steps));
    if (o->scale > 0) {
        store_tensor(c, file, "optim.scale", wf_scalar(c, WF_F32, o->scale));
        store_tensor(c, file, "optim.good", wf_scalar(c, WF_I64, (double)o->good));
    }
    for (int i = 0; i < o->n * o->per; i++) {
        snprintf(name, sizeof name, "optim.state.%d", i);
        store_tensor(c, file, name, o->state[i]);
    }
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* The state in the file is this optimiser's: of its kind, and as many tensors of the same types. Nothing is
 * written before that is known. */
static bool check_stored(wf_ctx *c, const wf_optim *o, const wf_model *file)
{
    const char *kind = wf_model_meta(file, "optim");
    char name[40], text[200];

    text[0] = 0;
    if (*kind && strcmp(kind, rules[o->kind].name) != 0)
        snprintf(text, sizeof text,
                 "wf_optim_restore: the file has the state of %.40s, this is %s", kind,
                 rules[o->kind].name);
    for (int i = 0; i <= o->n * o->per && !text[0]; i++) {
        const wf_array *a;

        snprintf(name, sizeof name, "optim.state.%d", i);
        a = wf_model_find_tensor(file, name);
        if (i == o->n * o->per && a)
            snprintf(
                text, sizeof text,
                "wf_optim_restore: the file has more state than the %d tensors of this",
                o->n * o->per);
        else if (i < o->n * o->per && a &&
                 (wf_array_dtype(a) != wf_dtype_of(c, o->state[i]) ||
                  wf_array_count(a) != wf_count(c, o->state[i]) ||
                  wf_array_rank(a) != wf_rank(c, o->state[i])))
            snprintf(text, sizeof text,
                     "wf_optim_restore: the file's tensor %s is of another type", name);
        else if (i < o->n * o->per && !a)
            snprintf(text, sizeof text,
                     "wf_optim_restore: the file's tensor %s is missing", name);
    }
    if (text[0])
        wf_raise(c, WF_ERR_NAME, text);
    return wf_ctx_status(c) == WF_OK;
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
    wf_tensor lr, steps, scale = WF_NONE, good = WF_NONE;
    char name[40];

    if (nn_null(c, o, "wf_optim_restore", "optimiser") ||
        nn_null(c, file, "wf_optim_restore", "file") || !check_stored(c, o, file))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    lr = stored(c, file, "optim.lr");
    steps = stored(c, file, "optim.steps");
    if (o->scale > 0) {
        scale = stored(c, file, "optim.scale");
        good = stored(c, file, "optim.good");
    }
    for (int i = 0; i < o->n * o->per && !wf_ctx_status(c); i++) {
        snprintf(name, sizeof name, "optim.state.%d", i);
        wf_write(c, o->state[i], stored(c, file, name));
    }
    if (!wf_ctx_status(c)) {
        o->lr = wf_item(c, lr);
        o->steps = wf_item_int(c, steps);
        if (o->scale > 0) {
            o->scale = wf_item(c, scale);
            o->good = wf_item_int(c, good);
        }
    }
    wf_scope_end(c);
    return wf_ctx_status(c);
}
