/* test_units.c -- translation units: kernels that differ in sizes alone are one function,
 * others are not, and both give what the interpreter gives.
 */
#include "lib_check.h"
#include "runtime/compiler.h"
#include "runtime/runtime.h"

#include <math.h>
#include <stdlib.h>

/* Rows divided by their sums, at two sizes; and a third that is something else. */
static const char rows_text[] =
    "f(x: f32[900,1001], y: f32[800,905], z: f32[700,1003]) {\n"
    "  ex = exp x\n"
    "  sx = reduce_sum ex axes=[1]\n"
    "  bx = broadcast sx [900,1001] dims=[0]\n"
    "  dx = div ex bx\n"
    "  ey = exp y\n"
    "  sy = reduce_sum ey axes=[1]\n"
    "  by = broadcast sy [800,905] dims=[0]\n"
    "  dy = div ey by\n"
    "  ez = tanh z\n"
    "  sz = reduce_max ez axes=[1]\n"
    "  bz = broadcast sz [700,1003] dims=[0]\n"
    "  dz = sub ez bz\n"
    "  ret dx, dy, dz\n"
    "}\n";

static int count(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

XTEST(kernels_that_differ_in_sizes_are_one_function)
{
    Arena *a = codegen_arena(cx);
    const Program **ps;
    uint32_t n, nunits = 0;
    const char *one, *two;
    Lowered l;
    Text *text;

    if (!programs_parse(cx, "rows.wir", rows_text, strlen(rows_text), NULL, &ps, &n) ||
        !compile_lower(cx, a, ps[0], false, FUSE_LEAST, 0, &l)) {
        CHECK(false);
        return;
    }
    CHECK_EQ_INT(l.n, 3);
    text = render_units(l.k, l.n, ISA_AVX2, 1, a, &nunits);
    CHECK_EQ_INT(nunits, 1);
    one = text_str(&text[0]);
    CHECK_EQ_INT(count(one, "_any(const int64_t *q, "), 1);
    for (uint32_t i = 0; i < l.n; i++)
        CHECK_EQ_INT(count(one, arena_printf(a, "\nvoid wk%u(", l.k[i]->id)), 1);
    text = render_units(l.k, l.n, ISA_AVX2, 2, a, &nunits); /* one form never in two */
    CHECK_EQ_INT(nunits, 2);
    one = text_str(&text[0]);
    two = text_str(&text[1]);
    CHECK_EQ_INT(
        count(one, "_any(const int64_t *q, ") + count(two, "_any(const int64_t *q, "), 1);
}

static void check_equal(const wf_array *x, const wf_array *y)
{
    const float *p = wf_array_data(x), *q = wf_array_data(y);
    int64_t n = 1, wrong = 0;

    for (int i = 0; i < wf_array_rank(x); i++)
        n *= wf_array_dims(x)[i];
    for (int64_t i = 0; i < n; i++)
        wrong += !(fabsf(p[i] - q[i]) <= 1e-5f * fabsf(q[i]) + 1e-9f);
    CHECK_EQ_INT(wrong, 0);
}

XTEST(shared_functions_give_what_the_interpreter_gives)
{
    static const int64_t dims[3][2] = {{900, 1001}, {800, 905}, {700, 1003}};
    wf_array *in[3] = {0}, *got[3] = {0}, *need[3] = {0};
    wf_exec *fast = NULL, *plain = NULL;
    wf_model *m = NULL;

    if (!code_possible(cx))
        SKIP("no C compiler");
    wf_model_parse(cx, "rows.wir", rows_text, strlen(rows_text), &m);
    for (int i = 0; i < 3; i++) {
        int64_t n = dims[i][0] * dims[i][1];
        float *v = malloc((size_t)n * sizeof *v);

        for (int64_t k = 0; v && k < n; k++)
            v[k] = (float)(k * 7919 % 2003) / 1000 - 1;
        wf_array_from(cx, WF_F32, dims[i], 2, v, &in[i]);
        free(v);
    }
    CHECK(wf_compile(cx, wf_model_program(m, 0), 0, &fast) == WF_OK);
    CHECK(wf_prepare(cx, wf_model_program(m, 0), &plain) == WF_OK);
    CHECK(fast && wf_exec_is_compiled(fast));
    CHECK(wf_run(cx, fast, in, got) == WF_OK && wf_run(cx, plain, in, need) == WF_OK);
    for (int i = 0; i < 3; i++) {
        if (got[i] && need[i])
            check_equal(got[i], need[i]);
        wf_array_release(got[i]);
        wf_array_release(need[i]);
        wf_array_release(in[i]);
    }
    wf_exec_release(fast);
    wf_exec_release(plain);
    wf_model_free(m);
}
