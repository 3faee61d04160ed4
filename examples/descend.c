/* descend.c -- minimise Rosenbrock's function by gradient descent with momentum, from C.
 *
 *   build/examples/descend [examples/rosenbrock.wir]
 *
 * Opens the program, makes a second one that also gives the gradient, plans it once and runs it many times.
 */
#include "weft.h"

#include <stdio.h>

static int complain(wf_ctx *cx)
{
    fprintf(stderr, "%s\n", wf_ctx_message(cx));
    wf_ctx_free(cx);
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "examples/rosenbrock.wir";
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *model;
    const wf_program *both;
    wf_exec *exec;
    double x[2] = {-1.5, 2}, v[2] = {0, 0}, value = 0;
    int64_t dims[] = {2};

    if (wf_model_load(cx, path, &model) ||
        wf_value_and_grad(cx, wf_model_find(model, "rosenbrock"), NULL, 0, &both) ||
        wf_prepare(cx, both, &exec))
        return complain(cx);
    for (int step = 0; step <= 6000; step++) {
        wf_array *in, *out[2];
        if (wf_array_wrap(cx, WF_F64, dims, 1, NULL, x, NULL, NULL, &in) ||
            wf_run(cx, exec, &in, 1, out, 2))
            return complain(cx);
        const double *g = wf_array_data(out[1]);
        value = *(const double *)wf_array_data(out[0]);
        if (step % 1500 == 0)
            printf("step %4d: f(%.6f, %.6f) = %.9f\n", step, x[0], x[1], value);
        for (int i = 0; i < 2; i++) {
            v[i] = 0.9 * v[i] - 5e-4 * g[i];
            x[i] += v[i];
        }
        wf_array_release(in);
        wf_array_release(out[0]);
        wf_array_release(out[1]);
    }
    wf_exec_release(exec);
    wf_program_release(both);
    wf_model_free(model);
    wf_ctx_free(cx);
    return value < 1e-6 ? 0 : 1;
}
