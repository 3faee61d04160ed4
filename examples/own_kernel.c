/* own_kernel.c -- a C function of one's own as an op: run, differentiated, batched, saved and loaded.
 *
 *     build/examples/own_kernel
 *
 * The kernel is a smooth step, y = x / (1 + |x|), of any shape, with the derivative 1 / (1 + |x|)^2.
 */
#include "weft.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* The result is what the operand is, symbolic sizes and all. */
static wf_status step_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    if (in->dtype != WF_F32)
        return wf_raise(c, WF_ERR_TYPE, "example.step takes f32");
    *out = *in;
    return WF_OK;
}

static wf_status step_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    const float *x = in->data;
    float *y = out->data;
    int64_t n = 1;

    (void)c, (void)user, (void)nin, (void)nout;
    for (int k = 0; k < in->rank; k++)
        n *= in->dims[k];
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] / (1 + fabsf(x[i]));
    return WF_OK;
}

/* gx = gy / (1 + |x|)^2, with functions of tensors: it becomes part of programs. */
static wf_status step_vjp(wf_ctx *c, void *user, const wf_tensor *in, int nin, const wf_tensor *out, int nout,
                          const wf_tensor *gout, int ngout, wf_tensor *gin, int ngin)
{
    wf_tensor d = wf_add(c, wf_abs(c, in[0]), wf_float(c, 1));

    (void)user, (void)nin, (void)out, (void)nout, (void)ngout, (void)ngin;
    gin[0] = wf_div(c, gout[0], wf_mul(c, d, d));
    return wf_ctx_status(c);
}

static wf_status register_step(wf_ctx *c)
{
    return wf_kernel_register(c, &(wf_kernel){.size = sizeof(wf_kernel), .name = "example.step", .inputs = 1, .outputs = 1,
                                              .type = step_type, .run = step_run, .vjp = step_vjp, .leading = true});
}

static wf_status loss(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    wf_tensor y;

    (void)user, (void)nout;
    wf_kernel_call(c, "example.step", in, nin, &y, 1);
    out[0] = wf_sum(c, wf_square(c, y), NULL, 0, false);
    return wf_ctx_status(c);
}

static void show(wf_ctx *c, const char *what, wf_tensor t)
{
    wf_array *a = NULL;
    const char *text;

    if (wf_to_array(c, t, &a) == WF_OK && wf_array_text(c, a, &text) == WF_OK)
        printf("%s: %s\n", what, text);
    wf_array_release(a);
}

int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(loss, NULL, 1, 1, "loss");
    wf_tensor x = wf_from(c, WF_F32, (int64_t[]){4}, 1, (float[]){-2, -0.5f, 0, 1}), y, g;
    wf_tensor rows = wf_reshape(c, x, (int64_t[]){2, 2}, 2);
    const wf_program *p = NULL;
    char path[64];
    wf_model *m = NULL, *loaded = NULL;
    wf_tensor again;
    int status;

    register_step(c);
    wf_grad_call(c, &f, &x, 1, NULL, 0, &y, 1, &g);
    show(c, "loss", y);
    show(c, "its gradient", g);
    wf_vmap_call(c, &f, &rows, (int[]){0}, 1, NULL, NULL, &y, 1); /* one call of the kernel */
    show(c, "loss of each row", y);

    wf_trace_types(c, &f, (const char *[]){"f32[N]"}, 1, &p);
    wf_model_new(c, &m);
    wf_model_add(c, m, p);
    snprintf(path, sizeof path, "/tmp/own_kernel_%d.weft", (int)getpid());
    wf_model_save(c, m, path);
    wf_model_load(c, path, &loaded); /* where nobody registers example.step this is an error that names it */
    wf_model_run(c, loaded, "loss", &x, 1, &again, 1);
    show(c, "loss from the file", again);
    unlink(path);

    status = wf_ctx_status(c) != WF_OK;
    if (status)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    wf_program_release(p);
    wf_model_free(m);
    wf_model_free(loaded);
    wf_ctx_free(c);
    return status;
}
