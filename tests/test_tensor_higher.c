/* test_tensor_higher.c -- functions of functions: derivatives, batches and jit in any order, traces, what they capture. */
#include "lib_tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }

static wf_tensor vec(wf_ctx *c, const double *v, int64_t n)
{
    return wf_from(c, WF_F64, &n, 1, v);
}
static wf_tensor one(wf_ctx *c, double x) { return wf_scalar(c, WF_F64, x); }
static double item(wf_ctx *c, wf_tensor t) { return wf_item(c, t); }

/* ---- functions of functions ---- */

BODY(cube, wf_mul(c, in[0], wf_square(c, in[0])))
BODY(poly,
     wf_sum(c, wf_mul(c, in[0], wf_sin(c, wf_mul(c, in[0], in[1]))), NULL, 0, false))

static const wf_function cube = WF_FUNCTION(f_cube, NULL, 1, 1, "cube");
static const wf_function poly = WF_FUNCTION(f_poly, NULL, 2, 1, "poly");

typedef struct Nested { /* a transform of another function, as a function */
    const wf_function *f;
    int how; /* 0 grad, 1 jvp with tangent 1, 2 vmap over a stack of two, 3 jit */
} Nested;

static wf_status call_nested(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    Nested *n = user;
    wf_tensor y, dx = WF_NONE, two[1];
    wf_jit *jit;
    int zero = 0;

    switch (n->how) {
    case 0: wf_grad_call(c, n->f, in, nin, NULL, 0, NULL, 0, out); break;
    case 1:
        dx = wf_ones_like(c, in[0]);
        wf_jvp_call(c, n->f, in, nin, NULL, 0, &dx, &y, out, 1);
        break;
    case 2:
        two[0] =
            wf_stack(c, (wf_tensor[]){in[0], wf_mul(c, in[0], wf_float(c, 2))}, 2, 0);
        wf_vmap_call(c, n->f, two, &zero, 1, NULL, NULL, &y, 1);
        *out = wf_sum(c, y, NULL, 0, false);
        break;
    default:
        if (wf_jit_new(c, n->f, &jit) == WF_OK) {
            wf_jit_call(c, jit, in, nin, out, nout, NULL, 0);
            wf_jit_free(c, jit);
        }
    }
    return wf_ctx_status(c);
}

/* What the transform does to x -> a x^k: (a, k) changes. */
static void follow(int how, double *a, int *k)
{
    if (how <= 1) {
        *a *= *k;
        *k -= 1;
    } else if (how == 2) {
        *a *= 1 + pow(2, *k);
    }
}

TEST(grad_jvp_vmap_and_jit_nest_in_any_order)
{
    for (int code = 0; code < 64; code++) {
        wf_ctx *c = wf_ctx_new(NULL);
        int how[3] = {code % 4, code / 4 % 4, code / 16};
        Nested n[3];
        wf_function f[3];
        double a = 1, x = 1.5;
        int k = 3;
        wf_tensor in = one(c, x), out = WF_NONE;
        char name[64];

        for (int i = 0; i < 3; i++) {
            n[i] = (Nested){i ? &f[i - 1] : &cube, how[i]};
            f[i] = (wf_function)WF_FUNCTION(call_nested, &n[i], 1, 1, "nested");
            follow(how[i], &a, &k);
        }
        snprintf(name, sizeof name, "%d of %d of %d", how[2], how[1], how[0]);
        call_nested(c, &n[2], &in, 1, &out, 1);
        if (check_context(c, name, "nested"))
            CHECK_NEAR(item(c, out), a * pow(x, k), 1e-10);
        wf_ctx_free(c);
    }
}

static wf_status branching(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    *out = wf_item(c, in[0]) > 0 ? wf_square(c, in[0]) : wf_neg(c, in[0]);
    return wf_ctx_status(c);
}

TEST(a_function_being_differentiated_may_branch_on_values_a_traced_one_not)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(branching, NULL, 1, 1, "branching");
    wf_tensor x = one(c, 3), g, y;
    const wf_program *p;
    int zero = 0;

    wf_grad_call(c, &f, &x, 1, NULL, 0, &y, 1, &g);
    check_context(c, "branch", "");
    CHECK_NEAR(item(c, g), 6, 0);
    CHECK_NEAR(item(c, y), 9, 0);
    x = one(c, -3);
    wf_grad_call(c, &f, &x, 1, NULL, 0, NULL, 0, &g);
    CHECK_NEAR(item(c, g), -1, 0);
    wf_trace(c, &f, &x, 1, &p);
    CHECK_HAS(wf_ctx_message(c),
              "wf_item: a symbolic tensor of type f64[] has no numbers yet");
    wf_clear(c);
    x = vec(c, (double[]){1, 2}, 2);
    wf_vmap_call(c, &f, &x, &zero, 1, NULL, NULL, &y, 1);
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_VALUE);
    wf_ctx_free(c);
}

static wf_status product_of_itself(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                                   wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_matmul(c, in[0], in[0]);
    return wf_ctx_status(c);
}

/* The setting becomes the attribute of products of f32, and of no others. */
TEST(the_precision_that_is_set_is_in_programs_of_f32)
{
    static const wf_dtype dtypes[] = {WF_F32, WF_F64};
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(product_of_itself, NULL, 1, 1, "f");
    wf_semantics s = {.size = sizeof s}, now = s;

    wf_semantics_of(c, &s);
    CHECK_EQ_INT(s.precision, WF_PRECISION_DEFAULT);
    s.precision = WF_PRECISION_TF32;
    CHECK(!wf_set_semantics(c, &s));
    for (int i = 0; i < 2; i++) {
        wf_tensor x = wf_ones(c, dtypes[i], (int64_t[]){2, 2}, 2);
        const wf_program *p = NULL, *g = NULL;
        const char *text = "";
        int n = 0;

        REQUIRE(wf_trace(c, &f, &x, 1, &p) == WF_OK);
        REQUIRE(wf_program_text(c, p, 0, &text) == WF_OK);
        CHECK_EQ_INT(strstr(text, "precision=tf32") != NULL, dtypes[i] == WF_F32);
        REQUIRE(wf_vjp(c, p, (int[]){0}, 1, &g) == WF_OK); /* and both products of its gradient */
        REQUIRE(wf_program_text(c, g, 0, &text) == WF_OK);
        for (; (text = strstr(text, "dot_general")) != NULL; text++, n++)
            CHECK_EQ_INT(!strncmp(text + strcspn(text, "p\n"), "precision=tf32", 14),
                         dtypes[i] == WF_F32);
        CHECK(n >= 2 || dtypes[i] == WF_F64);
        wf_program_release(g);
        wf_program_release(p);
    }
    s.precision = (wf_precision)9;
    CHECK(wf_set_semantics(c, &s) != WF_OK);
    CHECK_HAS(wf_ctx_message(c), "wf_set_semantics: 9 is not a precision");
    wf_semantics_of(c, &now);
    CHECK_EQ_INT(now.precision, WF_PRECISION_TF32);
    wf_ctx_free(c);
}

TEST(records_give_pullbacks_and_linear_maps)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor in[2] = {vec(c, (double[]){1, 2}, 2), one(c, 0.5)}, y, g[2], dy,
              seed = one(c, 1), dx[2];
    wf_record *r;

    wf_record_new(c, &poly, in, 2, (int[]){0, 1}, 2, &y, 1, &r);
    REQUIRE(check_context(c, "record", "new"));
    wf_record_vjp(c, r, &seed, 1, g, 2);
    dx[0] = vec(c, (double[]){0.3, -0.2}, 2);
    dx[1] = one(c, 0.7);
    wf_record_jvp(c, r, dx, 2, &dy, 1);
    check_context(c, "record", "both");
    CHECK_NEAR(item(c, dy),
               item(c, wf_add(c, wf_sum(c, wf_mul(c, g[0], dx[0]), NULL, 0, false),
                              wf_mul(c, g[1], dx[1]))),
               1e-14);
    CHECK_NEAR(item(c, g[1]), cos(0.5) + 4 * cos(1), 1e-14);
    wf_record_free(c, r);
    wf_ctx_free(c);
}

static wf_status uses_outside(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    *out = wf_mul(c, in[0], *(wf_tensor *)user);
    return wf_ctx_status(c);
}

TEST(derivatives_flow_through_what_a_mapped_function_captured)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor w = one(c, 3), x = vec(c, (double[]){1, 2, 4}, 3), y;
    wf_function f = WF_FUNCTION(uses_outside, &w, 1, 1, "scale");
    wf_jit *jit;
    int zero = 0;

    wf_requires_grad(c, w, true);
    wf_vmap_call(c, &f, &x, &zero, 1, NULL, NULL, &y, 1);
    wf_backward(c, wf_sum(c, y, NULL, 0, false), WF_NONE, 0);
    check_context(c, "captured", "vmap");
    CHECK_NEAR(item(c, wf_grad_of(c, w)), 7, 0);
    wf_jit_new(c, &f, &jit);
    for (int i = 0; i < 2; i++) {
        wf_jit_call(c, jit, &x, 1, &y, 1, NULL, 0);
        wf_backward(c, wf_sum(c, y, NULL, 0, false), WF_NONE, 0);
    }
    check_context(c, "captured", "jit");
    CHECK_NEAR(item(c, wf_grad_of(c, w)), 21, 0);
    CHECK_EQ_INT(wf_jit_traces(jit), 1);
    wf_jit_free(c, jit);
    wf_ctx_free(c);
}

static wf_status scaled_by_static(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                                  wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    *out = wf_mul(c, in[0], wf_float(c, *(double *)user));
    return wf_ctx_status(c);
}

TEST(jit_traces_once_for_each_signature)
{
    wf_ctx *c = wf_ctx_new(NULL);
    double k = 2;
    wf_function f = WF_FUNCTION(scaled_by_static, &k, 1, 1, "scaled");
    wf_tensor x = vec(c, (double[]){1, 2}, 2), y;
    wf_jit *jit;

    wf_jit_new(c, &f, &jit);
    wf_jit_call(c, jit, &x, 1, &y, 1, &k, sizeof k);
    wf_jit_call(c, jit, &x, 1, &y, 1, &k, sizeof k);
    CHECK_EQ_INT(wf_jit_traces(jit), 1);
    k = 3;
    wf_jit_call(c, jit, &x, 1, &y, 1, &k, sizeof k); /* other static bytes */
    CHECK_EQ_INT(wf_jit_traces(jit), 2);
    CHECK_NEAR(item(c, wf_sum(c, y, NULL, 0, false)), 9, 0);
    x = vec(c, (double[]){1, 2, 3}, 3);
    wf_jit_call(c, jit, &x, 1, &y, 1, &k, sizeof k); /* other shape */
    CHECK_EQ_INT(wf_jit_traces(jit), 3);
    x = wf_float(c, 2);
    wf_jit_call(c, jit, &x, 1, &y, 1, &k, sizeof k); /* weak */
    CHECK(wf_is_weak(c, y));
    check_context(c, "jit", "");
    wf_jit_free(c, jit);
    wf_ctx_free(c);
}

TEST(a_trace_over_symbols_serves_all_sizes)
{
    wf_ctx *c = wf_ctx_new(NULL);
    const wf_program *p;
    wf_tensor x, y, z;
    const char *text;

    wf_trace_types(c, &poly, (const char *[]){"f64[N]", "f64[]"}, 2, &p);
    REQUIRE(check_context(c, "symbols", "trace"));
    wf_program_input_type(c, p, 0, &text);
    CHECK_STR(text, "f64[N]");
    for (int64_t n = 0; n < 4; n++) {
        wf_tensor in[2];
        x = wf_arange(c, WF_F64, 0, (double)n, 1);
        in[0] = x;
        in[1] = one(c, 0.3);
        wf_apply(c, p, in, 2, &y, 1);
        f_poly(c, NULL, in, 2, &z, 1);
        check_same(c, z, y, 1e-15, "poly", "symbolic");
    }
    wf_program_release(p);
    wf_trace_types(c, &poly, (const char *[]){"c128[N]", "c128[]"}, 2, &p);
    REQUIRE(check_context(c, "complex", "trace"));
    wf_program_input_type(c, p, 0, &text);
    CHECK_STR(text, "c128[N]");
    wf_program_release(p);
    wf_trace_types(c, &poly, (const char *[]){"f64(N)", "f64[]"}, 2, &p);
    CHECK_HAS(wf_ctx_message(c), "'f64(N)' is not a type such as f32[N,784]");
    wf_ctx_free(c);
}

static wf_status add_sums(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                          wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_add(c, wf_sum(c, in[0], NULL, 0, false), wf_sum(c, in[1], NULL, 0, false));
    return wf_ctx_status(c);
}

TEST(a_size_of_a_type_may_be_made_of_others)
{
    static const wf_function sums = WF_FUNCTION(add_sums, NULL, 2, 1, "sums");
    static const char *const wrong[] = {"f64[2*]", "f64[N N]", "f64[-N]", "f64[N+]", "f64[*N]", "f64[N//2]"};
    wf_ctx *c = wf_ctx_new(NULL);
    const wf_program *p;
    const char *text;
    wf_tensor y;

    wf_trace_types(c, &sums, (const char *[]){"f64[N,2]", "f64[2*N-1]"}, 2, &p);
    REQUIRE(check_context(c, "expression", "trace"));
    wf_program_input_type(c, p, 1, &text);
    CHECK_STR(text, "f64[N*2-1]");
    wf_apply(c, p, (wf_tensor[]){wf_ones(c, WF_F64, (int64_t[]){3, 2}, 2), wf_ones(c, WF_F64, (int64_t[]){5}, 1)}, 2, &y, 1);
    CHECK(wf_item(c, y) == 11);
    wf_apply(c, p, (wf_tensor[]){wf_ones(c, WF_F64, (int64_t[]){3, 2}, 2), wf_ones(c, WF_F64, (int64_t[]){4}, 1)}, 2, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "needs");
    wf_clear(c);
    wf_program_release(p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wf_trace_types(c, &sums, (const char *[]){"f64[N,2]", wrong[i]}, 2, &p);
        CHECK_HAS(wf_ctx_message(c), "is not a type such as");
        wf_clear(c);
    }
    wf_ctx_free(c);
}

static int calls;
static wf_status impure(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    *out = wf_add(c, in[0], wf_float(c, calls++));
    return WF_OK;
}

TEST(a_trace_check_reports_what_differs)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(impure, NULL, 1, 1, "impure");
    wf_tensor x = one(c, 1);
    const wf_program *p;

    calls = 0;
    wf_trace(c, &f, &x, 1, &p);
    wf_trace_check(c, &f, p, &x, 1, 1e-6, 1e-6);
    CHECK_HAS(wf_ctx_message(c),
              "result 0 of the function and of its trace differ by up to 1");
    wf_clear(c);
    wf_program_release(p);
    wf_trace(c, &cube, &x, 1, &p);
    CHECK_EQ_INT(wf_trace_check(c, &cube, p, &x, 1, 1e-6, 1e-6), WF_OK);
    wf_program_release(p);
    wf_ctx_free(c);
}

static wf_tensor leaked;
static wf_status leaks(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    leaked = wf_keep(c, wf_exp(c, in[0]));
    *out = leaked;
    return WF_OK;
}

TEST(a_symbolic_tensor_that_outlives_its_trace_is_an_error_when_used)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(leaks, NULL, 1, 1, "leaks");
    wf_tensor x = one(c, 1);
    const wf_program *p;

    wf_trace(c, &f, &x, 1, &p);
    check_context(c, "leak", "");
    CHECK(wf_is_none(wf_add(c, leaked, x)));
    CHECK_HAS(wf_ctx_message(c),
              "a symbolic tensor is used after the trace that made it has ended");
    wf_program_release(p);
    wf_ctx_free(c);
}

/* ---- contract: what a call was told does not stay behind it ---- */

/* A value that everything in wf_semantics has a say in: promotion, divisions, indices, products, a loop without a bound. */
BODY(more_than, wf_gt(c, wf_sum(c, in[0], NULL, 0, false), wf_float(c, 1)))
BODY(half, wf_mul(c, in[0], wf_float(c, 0.5)))
static wf_status telling(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const wf_function cond = WF_FUNCTION(f_more_than, NULL, 1, 1, "cond"), body = WF_FUNCTION(f_half, NULL, 1, 1, "body");
    wf_tensor i = wf_cast(c, in[0], WF_I32), x, y = WF_NONE;

    (void)user, (void)nin, (void)nout;
    x = wf_add(c, wf_div(c, i, wf_int(c, 3)), wf_take(c, in[0], i, 0));
    wf_while_call(c, &cond, &body, &x, 1, WF_UNBOUNDED, &y, 1);
    out[0] = wf_matmul(c, y, in[0]);
    return wf_ctx_status(c);
}

/* The same, which then fails. */
static wf_status failing(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    if (telling(c, user, in, nin, out, nout) == WF_OK)
        wf_reshape(c, in[0], I64(7, 7), 2);
    return wf_ctx_status(c);
}

static const char *const calls_of_functions[] = {"grad",  "jvp",  "record", "vmap",       "jit",        "trace", "types",
                                                 "hints", "cond", "scan",   "checkpoint", "custom_jvp", "custom_vjp"};

static void call_by(wf_ctx *c, const char *how, const wf_function *f, wf_tensor x)
{
    wf_tensor y, g, rows = wf_stack(c, (wf_tensor[]){x, x}, 2, 0);
    const wf_program *p = NULL;
    wf_record *record = NULL;
    wf_jit *jit = NULL;
    int zero = 0;

    if (!strcmp(how, "grad"))
        wf_grad_call(c, f, &x, 1, NULL, 0, &y, 1, &g);
    else if (!strcmp(how, "jvp"))
        wf_jvp_call(c, f, &x, 1, NULL, 0, &x, &y, &g, 1);
    else if (!strcmp(how, "record") && wf_record_new(c, f, &x, 1, NULL, 0, &y, 1, &record) == WF_OK)
        wf_record_vjp(c, record, &y, 1, &g, 1);
    else if (!strcmp(how, "vmap"))
        wf_vmap_call(c, f, &rows, &zero, 1, NULL, "batch", &y, 1);
    else if (!strcmp(how, "jit") && wf_jit_new(c, f, &jit) == WF_OK)
        wf_jit_call(c, jit, &x, 1, &y, 1, NULL, 0);
    else if (!strcmp(how, "trace"))
        wf_trace(c, f, &x, 1, &p);
    else if (!strcmp(how, "types"))
        wf_trace_types(c, f, (const char *[]){"f32[3]"}, 1, &p);
    else if (!strcmp(how, "hints"))
        wf_trace_hinted(c, f, &x, NULL, 1, &p);
    else if (!strcmp(how, "cond"))
        wf_cond_call(c, wf_int(c, 1), (wf_function[]){*f, *f}, 2, &x, 1, &y, 1);
    else if (!strcmp(how, "scan"))
        wf_scan_call(c, f, 0, &rows, 1, WF_UNBOUNDED, false, &y, 1);
    else if (!strcmp(how, "checkpoint"))
        wf_checkpoint_call(c, f, &x, 1, true, &y, 1);
    else if (!strcmp(how, "custom_jvp"))
        wf_custom_jvp_call(c, f, f, &x, 1, &y, 1);
    else if (!strcmp(how, "custom_vjp"))
        wf_custom_vjp_call(c, f, f, f, &x, 1, &y, 1);
    wf_record_free(c, record);
    wf_jit_free(c, jit);
    wf_program_release(p);
}

/* The program of `telling` and of its derivative, as text. */
static char *told(wf_ctx *c)
{
    const wf_function f = WF_FUNCTION(telling, NULL, 1, 1, "f");
    const wf_program *p = NULL, *g = NULL;
    const char *text = "";
    char *both = NULL;

    if (wf_trace_types(c, &f, (const char *[]){"f32[3]"}, 1, &p) == WF_OK && wf_vjp(c, p, (int[]){0}, 1, &g) == WF_OK &&
        wf_program_text(c, p, 0, &text) == WF_OK) {
        both = calloc(1, 65536);
        snprintf(both, 32768, "%s", text);
        wf_program_text(c, g, 0, &text);
        snprintf(both + strlen(both), 32768, "%s", text);
    }
    wf_program_release(p);
    wf_program_release(g);
    return both;
}

TEST(no_call_changes_what_later_ones_mean)
{
    const wf_function well = WF_FUNCTION(telling, NULL, 1, 1, "well"), ill = WF_FUNCTION(failing, NULL, 1, 1, "ill");
    wf_ctx *fresh = wf_ctx_new(NULL), *c = wf_ctx_new(NULL);
    char *expected = told(fresh), *now;

    REQUIRE(expected != NULL);
    for (size_t i = 0; i < 2 * sizeof calls_of_functions / sizeof *calls_of_functions; i++) {
        const char *how = calls_of_functions[i / 2];
        wf_tensor x, y;

        wf_scope_begin(c);
        x = wf_cast(c, vec(c, (double[]){0.5, 1, 2}, 3), WF_F32);
        call_by(c, how, i % 2 ? &ill : &well, x);
        CHECK(i % 2 == 0 || wf_ctx_status(c) == WF_ERR_SHAPE);
        wf_clear(c);
        now = told(c);
        CHECK(now && !strcmp(now, expected));
        free(now);
        wf_requires_grad(c, x, true);
        y = wf_square(c, x);
        CHECK(wf_has_grad_history(c, y) && !wf_is_symbolic(c, y));
        wf_scope_end(c);
    }
    free(expected);
    wf_ctx_free(fresh);
    wf_ctx_free(c);
}
