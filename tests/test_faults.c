/* test_faults.c -- a representative run through the public interface alone, with each allocation failing in turn:
 * no crash, no leak, no wrong result.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "weft 1\n"
                           "step(w: f32[D], h: f32[D], x: f32[D]) {\n"
                           "  a = mul w h\n"
                           "  b = add a x\n"
                           "  y = tanh b\n"
                           "  ret y, y\n"
                           "}\n"
                           "\n"
                           "loss(w: f32[D], x: f32[T,D]) {\n"
                           "  zero = const f32[D] 0\n"
                           "  h, ys = scan w zero x body=step nconst=1 ncarry=1 length=T\n"
                           "  z = mul ys ys\n"
                           "  s = reduce_sum z axes=[0,1]\n"
                           "  ret s\n"
                           "}\n";

typedef struct Run {
    char path[64];  /* of the .weft file */
    char want[512]; /* the text of the gradient, from the first run */
} Run;

static wf_status save_and_open(wf_ctx *cx, const char *path, wf_model *m, wf_model **out)
{
    wf_status s = wf_model_save(cx, m, path);

    return s == WF_OK ? wf_model_load(cx, path, out) : s;
}

/* Parse, differentiate, batch, print, describe, save, open, run. */
static void representative(wf_allocator al, void *user)
{
    Run *r = user;
    wf_options o = {sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    wf_model *m = NULL, *again = NULL;
    const wf_program *g = NULL, *v = NULL;
    wf_array *in[2] = {NULL, NULL}, *out[1] = {NULL};
    const char *shown = NULL;
    wf_value_info info = {.size = sizeof info};
    wf_cost cost = {.size = sizeof cost};

    if (!cx)
        return;
    if (wf_model_parse(cx, "loss.wir", text, sizeof text - 1, &m) == WF_OK &&
        wf_grad(cx, wf_model_find(m, "loss"), NULL, 0, &g) == WF_OK &&
        wf_vmap(cx, g, (int[]){-1, 0}, 2, NULL, -1, &v) == WF_OK &&
        wf_program_verify(cx, v) == WF_OK &&
        wf_program_text(cx, v, WF_TEXT_HEADER | WF_TEXT_PLACES, &shown) == WF_OK &&
        wf_program_json(cx, v, &shown) == WF_OK &&
        wf_program_dot(cx, v, &shown) == WF_OK &&
        wf_program_input_type(cx, v, 0, &shown) == WF_OK &&
        wf_program_output_type(cx, v, 0, &shown) == WF_OK &&
        wf_program_input_info(cx, v, 0, &info) == WF_OK &&
        wf_program_output_info(cx, v, 0, &info) == WF_OK &&
        wf_program_cost(cx, v, (const char *[]){"D"}, (int64_t[]){2}, 1, &cost) ==
            WF_OK &&
        wf_model_add(cx, m, v) == WF_OK &&
        save_and_open(cx, r->path, m, &again) == WF_OK &&
        wf_array_parse(cx, "[0.5, -0.25]", WF_F32, 0, &in[0]) == WF_OK &&
        wf_array_parse(cx, "iota:f32[2,3,2]", WF_F32, 0, &in[1]) == WF_OK &&
        wf_eval(cx, wf_model_find(again, wf_program_name(v)), in, 2, out, 1) == WF_OK &&
        wf_array_text(cx, out[0], &shown) == WF_OK) {
        if (!r->want[0])
            snprintf(r->want, sizeof r->want, "%s", shown);
        CHECK_STR(shown, r->want);
    } else {
        CHECK(wf_ctx_status(cx) == WF_ERR_MEMORY);
        CHECK_HAS(wf_ctx_message(cx), "out of memory");
        wf_clear(cx); /* the context is usable again */
        CHECK(wf_ctx_status(cx) == WF_OK);
    }
    wf_array_release(in[0]);
    wf_array_release(in[1]);
    wf_array_release(out[0]);
    wf_program_release(g);
    wf_program_release(v);
    wf_model_free(m);
    wf_model_free(again);
    wf_ctx_free(cx);
}

TEST(every_failing_allocation_is_an_error_and_nothing_leaks)
{
    Run r = {.want = ""};
    long n;

    snprintf(r.path, sizeof r.path, "/tmp/weft-faults-%d.weft", (int)getpid());
    representative((wf_allocator){0}, &r);
    CHECK_HAS(r.want, "f32[2,2]");
    n = fault_each(representative, &r);
    CHECK(n > 50);
    unlink(r.path);
}
