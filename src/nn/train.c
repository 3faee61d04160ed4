/* train.c -- gradients clipped before a step, and rates that follow a schedule. */
#include "nn/nn.h"

#include <math.h>

/* ---- clipping ---------------------------------------------------------------------- */

/* The gradients there are, in new memory. */
static TensorList gradients(wf_ctx *c, wf_module *m)
{
    TensorList l = nn_list(c, m, false);
    int n = 0;

    for (int i = 0; i < l.n; i++) {
        wf_tensor g = wf_grad_of(c, l.v[i]);
        if (!wf_is_none(g))
            l.v[n++] = g;
    }
    l.n = n;
    return l;
}

double wf_clip_grad_norm(wf_ctx *c, wf_module *m, double most)
{
    double sum = 0, norm;
    TensorList g;

    wf_scope_begin(c);
    wf_no_grad_begin(c);
    g = gradients(c, m);
    for (int i = 0; i < g.n && !wf_ctx_status(c); i++)
        sum += wf_item(
            c, wf_sum(c, wf_square(c, wf_cast(c, g.v[i], WF_F64)), NULL, 0, false));
    norm = sqrt(sum);
    for (int i = 0; i < g.n && norm + 1e-6 > most && !wf_ctx_status(c); i++)
        wf_mul_in(c, g.v[i], wf_float(c, most / (norm + 1e-6)));
    nn_list_free(c, &g);
    wf_no_grad_end(c);
    wf_scope_end(c);
    return norm;
}

wf_status wf_clip_grad_value(wf_ctx *c, wf_module *m, double most)
{
    TensorList g;

    wf_scope_begin(c);
    wf_no_grad_begin(c);
    g = gradients(c, m);
    for (int i = 0; i < g.n && !wf_ctx_status(c); i++)
        wf_write(c, g.v[i], wf_clip(c, g.v[i], wf_float(c, -most), wf_float(c, most)));
    nn_list_free(c, &g);
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
    return factor ? lr * factor(user, done) : lr;
}
