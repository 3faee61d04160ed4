/* test_units.c -- translation units: kernels that differ in sizes alone are one function,
 * others are not, and both give what the interpreter gives.
 */
#include "lib_check.h"
#include "runtime/compiler.h"
#include "compile/compile.h"

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

static bool lower(wf_ctx *cx, Arena *a, const char *text, Lowered *out)
{
    const Program **ps;
    uint32_t n;

    return programs_parse(cx, "rows.wir", text, strlen(text), NULL, &ps, &n) &&
           compile_lower(cx, a, target_isa(ISA_AVX2), ps[0], false, 0, out);
}

static const char *rendered(Arena *a, const Kernel *k)
{
    Text t;

    text_init(&t, a);
    k->target->render(k, a, &t);
    return text_str(&t);
}

XTEST(kernels_that_differ_in_sizes_are_one_function)
{
    Arena *a = codegen_arena(cx);
    uint32_t nunits = 0;
    const char *one, *two;
    Lowered l;
    Text *text;

    if (!lower(cx, a, rows_text, &l) || l.n != 3) {
        CHECK(false);
        return;
    }
    CHECK(l.k[0]->code == l.k[1]->code && l.k[2]->code == l.k[2]);
    CHECK_EQ_INT(l.k[0]->nparams,
                 2); /* rows are units of work, so of each the columns: */
    CHECK(l.k[0]->params[1] == 1001 || l.k[0]->params[0] == 1001);
    CHECK(l.k[1]->params[1] == 905 || l.k[1]->params[0] == 905);
    CHECK_EQ_INT(l.k[2]->nparams, 0);
    text = render_units(l.k, l.n, 1, a, &nunits);
    CHECK_EQ_INT(nunits, 1);
    one = text_str(&text[0]);
    CHECK_EQ_INT(count(one, "\nvoid wk"), 2);
    text = render_units(l.k, l.n, 2, a, &nunits); /* one function never in two */
    CHECK_EQ_INT(nunits, 2);
    one = text_str(&text[0]);
    two = text_str(&text[1]);
    CHECK_EQ_INT(count(one, "\nvoid wk") + count(two, "\nvoid wk"), 2);
}

XTEST(rendering_changes_nothing)
{
    Arena *a = codegen_arena(cx);
    Lowered l;

    if (!lower(
            cx, a,
            "f(x: f32[N,M], b: f32[M]) {\n  c = broadcast b [N,M] dims=[1]\n"
            "  y = add x c\n  z = tanh y\n  s = reduce_sum z axes=[0]\n  ret s, z\n}\n",
            &l) ||
        l.n != 1) {
        CHECK(false);
        return;
    }
    for (uint32_t i = 0; i < l.n; i++) {
        Kernel before = *l.k[i];
        const char *text = rendered(a, l.k[i]);

        CHECK(!strcmp(rendered(a, l.k[i]), text));
        CHECK(!memcmp(&before, l.k[i], sizeof before) && before.nparams == 2);
    }
}

/* Whether kernels are equal is a matter of what they do, not of sizes. */
XTEST(equal_kernels_do_the_same)
{
    static const char form[] = "f(x: f32[%s], y: f32[%s]) {\n  a = %s x y\n"
                               "  c = const f32[%s] %s\n  b = mul a c\n  ret b\n}\n";
    static const struct {
        const char *size, *op, *number;
        bool equal;
    } rows[] = {
        {"90,51", "add", "3", true},  {"93,71", "add", "3", true},
        {"N,71", "add", "3", true},   {"90,51", "sub", "3", false},
        {"90,51", "add", "4", false}, {"30,51,7", "add", "3", true}, /* all is one loop */
        {"9,51", "add", "3", false}}; /* one unit of work */
    Arena *a = codegen_arena(cx);
    Kernel *k[COUNT(rows)];

    for (int i = 0; i < COUNT(rows); i++) {
        const char *s = rows[i].size;
        Lowered l;

        if (!lower(cx, a, arena_printf(a, form, s, s, rows[i].op, s, rows[i].number),
                   &l) ||
            l.n != 1) {
            CHECK(false);
            return;
        }
        k[i] = l.k[0];
        if (kernel_equal(k[0], k[i]) != rows[i].equal)
            check_fail(__FILE__, __LINE__, "kernel %d", i);
        CHECK(!rows[i].equal || hash_eq(kernel_hash(k[0]), kernel_hash(k[i])));
    }
    kernel_share_code(cx, a, k, COUNT(rows));
    for (int i = 0; i < COUNT(rows); i++)
        CHECK((k[i]->code == k[0]->code) == rows[i].equal);
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
    CHECK(wf_run(cx, fast, in, 3, got, 3) == WF_OK &&
          wf_run(cx, plain, in, 3, need, 3) == WF_OK);
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
