/* call.c -- load a file, call its method forward on ones, print the results: ./call net.weft */
#include <weft.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    const wf_program *p = NULL;
    wf_array *x = NULL, *y = NULL;

    if (argc > 1 && wf_model_load(cx, argv[1], &m) == WF_OK && wf_model_bind(cx, m, "forward", &p) == WF_OK) {
        wf_array_from(cx, WF_F32, (int64_t[]){1, 3}, 2, (float[]){1, 1, 1}, &x);
        wf_eval(cx, p, &x, 1, &y, 1);
    }
    if (!y) {
        fprintf(stderr, "%s\n", wf_ctx_message(cx));
        return 1;
    }
    for (int64_t i = 0; i < wf_array_count(y); i++)
        printf("%g\n", (double)((const float *)wf_array_data(y))[i]);
    wf_array_release(x);
    wf_array_release(y);
    wf_program_release(p);
    wf_model_free(m);
    wf_ctx_free(cx);
    return 0;
}
