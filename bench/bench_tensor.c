/* bench_tensor.c -- what an eager op costs.
 *
 *   1000 adds of one-element tensors                       PyTorch from Python: 1070 ns each
 *   1000 times y*x + x, recorded, and backward             PyTorch: 4.3 us an op
 *
 * The best of many rounds; results are read, so that nothing can be skipped.
 */
#include "weft.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double adds(wf_ctx *c, double *check)
{
    double t0 = now();
    wf_tensor x = wf_scalar(c, WF_F32, 0), y = wf_scalar(c, WF_F32, 1);

    for (int i = 0; i < 1000; i++)
        x = wf_add(c, x, y);
    *check = wf_item(c, x);
    return (now() - t0) / 1000;
}

static double backward(wf_ctx *c, double *check)
{
    double t0 = now();
    wf_tensor x = wf_scalar(c, WF_F32, 0.5), y = wf_scalar(c, WF_F32, 1);

    wf_requires_grad(c, x, true);
    for (int i = 0; i < 1000; i++)
        y = wf_add(c, wf_mul(c, y, x), x);
    wf_backward(c, y, WF_NONE, 0);
    *check = wf_item(c, wf_grad_of(c, x));
    return (now() - t0) / 2000;
}

static void row(wf_ctx *c, const char *name, double (*body)(wf_ctx *, double *),
                double want, double target)
{
    double best = 1, check = 0;

    for (int i = 0; i < 200; i++) {
        double t;
        wf_scope_begin(c);
        t = body(c, &check);
        wf_scope_end(c);
        best = t < best ? t : best;
    }
    printf("%-40s %8.1f ns an op   (aim %.0f)   result %g%s\n", name, best * 1e9, target,
           check, check > want * 0.99999 && check < want * 1.00001 ? "" : "   WRONG");
}

int main(void)
{
    wf_options o = {.size = sizeof o, .threads = 1};
    wf_ctx *c = wf_ctx_new(&o);

    if (!c)
        return 3;
    row(c, "eager add, one element", adds, 1000, 80);
    row(c, "y*x + x recorded, with backward", backward, 4, 400);
    if (wf_ctx_status(c) != WF_OK) {
        fprintf(stderr, "%s\n", wf_ctx_message(c));
        return 1;
    }
    wf_ctx_free(c);
    return 0;
}
