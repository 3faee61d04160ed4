/* test_kernel.c -- kernels of the host as ops: traced, derived, batched, compiled, saved by name and asked for when loaded. */
#include "test.h"
#include "weft.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- acme.wave:  y = x sin x, elementwise, of any shape; with a derivative ---- */

static atomic_int wave_calls;

static wf_status wave_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    if (in->dtype != WF_F64)
        return wf_raise(c, WF_ERR_TYPE, "acme.wave takes f64");
    *out = *in;
    return WF_OK;
}

static int64_t count_of(const wf_kernel_value *v)
{
    int64_t n = 1;

    for (int k = 0; k < v->rank; k++)
        n *= v->dims[k];
    return n;
}

static wf_status wave_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    const double *x = in->data;
    double *y = out->data;

    (void)nin, (void)nout;
    atomic_fetch_add(&wave_calls, 1);
    for (int64_t i = 0; i < count_of(in); i++) {
        if (x[i] == 99)
            return wf_raise(c, WF_ERR_VALUE, "acme.wave: 99 is too much");
        y[i] = x[i] * sin(x[i]) * *(const double *)user;
    }
    return WF_OK;
}

/* gx = gy (sin x + x cos x) */
static wf_status wave_vjp(wf_ctx *c, void *user, const wf_tensor *in, int nin, const wf_tensor *out, int nout,
                          const wf_tensor *gout, int ngout, wf_tensor *gin, int ngin)
{
    (void)user, (void)out, (void)nin, (void)nout, (void)ngout, (void)ngin;
    gin[0] = wf_mul(c, gout[0], wf_add(c, wf_sin(c, in[0]), wf_mul(c, in[0], wf_cos(c, in[0]))));
    return wf_ctx_status(c);
}

/* ---- acme.split:  (i, f) of x[N] -> whole part as i64[N], sum of the rest as f64[]; no derivative, no leading axes ---- */

static wf_status split_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    (void)c, (void)user, (void)nin, (void)nout;
    if (in->dtype != WF_F64 || in->rank != 1)
        return WF_ERR_SHAPE;
    out[0] = (wf_kernel_value){.dtype = WF_I64, .rank = 1, .dims = {in->dims[0]}};
    out[1] = (wf_kernel_value){.dtype = WF_F64};
    return WF_OK;
}

static wf_status split_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    const double *x = in->data;
    double sum = 0;

    (void)c, (void)user, (void)nin, (void)nout;
    for (int64_t i = 0; i < in->dims[0]; i++) {
        ((int64_t *)out[0].data)[i] = (int64_t)floor(x[i]);
        sum += x[i] - floor(x[i]);
    }
    *(double *)out[1].data = sum;
    return WF_OK;
}

static double one = 1, two = 2;

static wf_kernel wave(bool leading)
{
    return (wf_kernel){.size = sizeof(wf_kernel), .name = leading ? "acme.wave" : "acme.wave1", .inputs = 1, .outputs = 1,
                       .user = &one, .type = wave_type, .run = wave_run, .vjp = wave_vjp, .leading = leading};
}

static wf_ctx *context(int compile_after)
{
    wf_options o = {.size = sizeof o, .threads = 1, .compile_after = compile_after};
    wf_ctx *c = wf_ctx_new(&o);
    wf_kernel a = wave(true), b = wave(false);
    wf_kernel s = {.size = sizeof s, .name = "acme.split", .inputs = 1, .outputs = 2, .type = split_type, .run = split_run};

    wf_kernel_register(c, &a);
    wf_kernel_register(c, &b);
    wf_kernel_register(c, &s);
    return c;
}

static wf_tensor numbers(wf_ctx *c, int64_t n)
{
    double x[16];

    for (int64_t i = 0; i < n; i++)
        x[i] = 0.3 * (double)i - 1.1;
    return wf_from(c, WF_F64, &n, 1, x);
}

#define CLOSE(a, b) CHECK_NEAR(a, b, 1e-12)

TEST(a_kernel_is_a_function_of_tensors)
{
    wf_ctx *c = context(0);
    wf_tensor y, z[2];
    double v[5];

    CHECK_EQ_INT(wf_kernel_call(c, "acme.wave", (wf_tensor[]){numbers(c, 5)}, 1, &y, 1), WF_OK);
    CHECK_EQ_INT(wf_read(c, y, v, sizeof v), WF_OK);
    for (int i = 0; i < 5; i++)
        CLOSE(v[i], (0.3 * i - 1.1) * sin(0.3 * i - 1.1));
    CHECK_EQ_INT(wf_kernel_call(c, "acme.split", (wf_tensor[]){numbers(c, 5)}, 1, z, 2), WF_OK);
    CHECK_EQ_INT(wf_item_int(c, wf_sum(c, z[0], NULL, 0, false)), -2 - 1 - 1 - 1 + 0);
    CLOSE(wf_item(c, z[1]), -1.1 - 0.8 - 0.5 - 0.2 + 0.1 + 5);
    wf_ctx_free(c);
}

/* sum(wave(wave(2 x))) */
static wf_status twice(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    wf_tensor x = wf_mul(c, in[0], wf_float(c, 2)), y, z;

    (void)nin, (void)nout;
    wf_kernel_call(c, user, &x, 1, &y, 1);
    wf_kernel_call(c, user, &y, 1, &z, 1);
    out[0] = wf_sum(c, z, NULL, 0, false);
    return wf_ctx_status(c);
}

static double twice_of(double x)
{
    double y = 2 * x * sin(2 * x);

    return y * sin(y);
}

TEST(it_is_derived_by_its_vjp)
{
    wf_ctx *c = context(0);

    for (int leading = 0; leading < 2; leading++) {
        wf_function f = WF_FUNCTION(twice, (void *)(uintptr_t)(leading ? "acme.wave" : "acme.wave1"), 1, 1, "twice");
        wf_tensor x = numbers(c, 6), y, g, h;
        const wf_program *p = NULL, *grad = NULL;
        double v[6], e = 1e-5;
        wf_array *in = NULL, *out = NULL;

        wf_grad_call(c, &f, &x, 1, NULL, 0, &y, 1, &g); /* by running it */
        CHECK_EQ_INT(wf_read(c, g, v, sizeof v), WF_OK);
        for (int i = 0; i < 6; i++) {
            double at = 0.3 * i - 1.1;

            CHECK_NEAR(v[i], (twice_of(at + e) - twice_of(at - e)) / (2 * e), 1e-7);
        }
        wf_requires_grad(c, x = wf_copy(c, x), true); /* by recording */
        twice(c, f.user, &x, 1, &y, 1);
        wf_backward(c, y, WF_NONE, 0);
        CHECK_EQ_INT(wf_read(c, wf_grad_of(c, x), v, sizeof v), WF_OK);
        CHECK_NEAR(v[2], (twice_of(-0.5 + e) - twice_of(-0.5 - e)) / (2 * e), 1e-7);
        CHECK_EQ_INT(wf_trace_types(c, &f, (const char *[]){"f64[N]"}, 1, &p), WF_OK); /* as a program */
        CHECK_EQ_INT(wf_grad(c, p, NULL, 0, &grad), WF_OK);
        wf_to_array(c, wf_detach(c, x), &in);
        CHECK_EQ_INT(wf_eval(c, grad, &in, 1, &out, 1), WF_OK);
        h = out ? wf_from_array(c, out) : WF_NONE;
        CLOSE(wf_item(c, wf_sum(c, wf_abs(c, wf_sub(c, h, g)), NULL, 0, false)), 0);
        CHECK_STR(wf_ctx_message(c), "");
        wf_array_release(in);
        wf_array_release(out);
        wf_program_release(p);
        wf_program_release(grad);
    }
    wf_ctx_free(c);
}

static wf_status halves(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user;
    return wf_kernel_call(c, "acme.split", in, nin, out, nout);
}

TEST(without_a_vjp_a_derivative_names_the_kernel)
{
    wf_ctx *c = context(0);
    wf_function f = WF_FUNCTION(halves, NULL, 1, 2, "halves");
    const wf_program *p = NULL, *g = NULL;

    CHECK_EQ_INT(wf_trace_types(c, &f, (const char *[]){"f64[N]"}, 1, &p), WF_OK);
    CHECK_EQ_INT(wf_vjp(c, p, NULL, 0, &g), WF_ERR_NORULE);
    CHECK_HAS(wf_ctx_message(c), "the kernel 'acme.split' was registered without a vjp");
    wf_clear(c);
    wf_program_release(p);
    wf_ctx_free(c);
}

TEST(a_batch_is_one_call_of_a_kernel_that_takes_leading_axes_and_many_of_another)
{
    wf_ctx *c = context(0);

    for (int leading = 0; leading < 2; leading++) {
        wf_function f = WF_FUNCTION(twice, (void *)(uintptr_t)(leading ? "acme.wave" : "acme.wave1"), 1, 1, "twice");
        wf_tensor x = wf_reshape(c, numbers(c, 6), (int64_t[]){3, 2}, 2), y;
        double v[3];
        int calls = atomic_load(&wave_calls);

        CHECK_EQ_INT(wf_vmap_call(c, &f, &x, (int[]){0}, 1, NULL, NULL, &y, 1), WF_OK);
        CHECK_EQ_INT(wf_read(c, y, v, sizeof v), WF_OK);
        for (int i = 0; i < 3; i++)
            CLOSE(v[i], twice_of(0.6 * i - 1.1) + twice_of(0.6 * i - 0.8));
        CHECK_EQ_INT(atomic_load(&wave_calls) - calls, leading ? 2 : 6);
    }
    wf_function f = WF_FUNCTION(halves, NULL, 1, 2, "halves");
    wf_tensor x = wf_reshape(c, numbers(c, 6), (int64_t[]){2, 3}, 2), z[2];

    CHECK_EQ_INT(wf_vmap_call(c, &f, &x, (int[]){0}, 1, NULL, NULL, z, 2), WF_OK);
    CHECK_EQ_INT(wf_rank(c, z[0]), 2);
    CLOSE(wf_item(c, wf_max(c, z[1], NULL, 0, false)), 1.6);
    wf_ctx_free(c);
}

TEST(compiled_programs_call_it_between_their_kernels)
{
    wf_ctx *c = context(0);
    wf_function f = WF_FUNCTION(twice, (void *)(uintptr_t) "acme.wave", 1, 1, "twice");
    wf_tensor x = numbers(c, 8);
    const wf_program *p = NULL, *g = NULL;
    wf_exec *plain = NULL, *fast = NULL;
    wf_array *in = NULL, *a[2] = {NULL, NULL}, *b[2] = {NULL, NULL};

    wf_to_array(c, x, &in);
    wf_trace_types(c, &f, (const char *[]){"f64[N]"}, 1, &p);
    wf_value_and_grad(c, p, NULL, 0, &g);
    wf_prepare(c, g, &plain);
    wf_compile(c, g, WF_COMPILE_EXACT, &fast);
    CHECK_EQ_INT(wf_run(c, plain, &in, 1, a, 2), WF_OK);
    CHECK_EQ_INT(wf_run(c, fast, &in, 1, b, 2), WF_OK);
    REQUIRE(a[1] && b[1]);
    CLOSE(*(const double *)wf_array_data(a[0]), *(const double *)wf_array_data(b[0]));
    for (int i = 0; i < 8; i++)
        CLOSE(((const double *)wf_array_data(a[1]))[i], ((const double *)wf_array_data(b[1]))[i]);
    for (int i = 0; i < 2; i++) {
        wf_array_release(a[i]);
        wf_array_release(b[i]);
    }
    wf_array_release(in);
    wf_exec_release(plain);
    wf_exec_release(fast);
    wf_program_release(p);
    wf_program_release(g);
    wf_ctx_free(c);
}

/* A file whose program calls acme.wave. */
static void save_wave(const char *path)
{
    wf_ctx *c = context(0);
    wf_function f = WF_FUNCTION(twice, (void *)(uintptr_t) "acme.wave", 1, 1, "twice");
    const wf_program *p = NULL;
    wf_model *m = NULL;

    wf_trace_types(c, &f, (const char *[]){"f64[N]"}, 1, &p);
    wf_model_new(c, &m);
    wf_model_add(c, m, p);
    CHECK_EQ_INT(wf_model_save(c, m, path), WF_OK);
    wf_program_release(p);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(a_file_asks_for_its_kernels_by_name)
{
    char path[] = "/tmp/weft_kernel_XXXXXX.weft";
    wf_options o = {.size = sizeof o, .threads = 1};
    wf_ctx *c;
    wf_model *m = NULL;
    wf_array *in = NULL, *out = NULL;
    const wf_program *g = NULL;
    double x = 0.7, e = 1e-5;

    REQUIRE(mkstemps(path, 5) >= 0);
    save_wave(path);
    c = wf_ctx_new(&o); /* a runtime of its own, which knows no kernels */
    CHECK_EQ_INT(wf_model_load(c, path, &m), WF_ERR_NAME);
    CHECK(m == NULL);
    CHECK_HAS(wf_ctx_message(c),
              "program 'twice' calls the kernel 'acme.wave', which is not registered (wf_kernel_register)");
    wf_ctx_free(c);
    c = context(0);
    CHECK_EQ_INT(wf_model_load(c, path, &m), WF_OK);
    REQUIRE(m);
    CHECK_EQ_INT(wf_grad(c, wf_model_find(m, "twice"), NULL, 0, &g), WF_OK); /* its vjp is in the file */
    wf_array_from(c, WF_F64, (int64_t[]){1}, 1, &x, &in);
    CHECK_EQ_INT(wf_eval(c, g, &in, 1, &out, 1), WF_OK);
    REQUIRE(out);
    CHECK_NEAR(*(const double *)wf_array_data(out), (twice_of(x + e) - twice_of(x - e)) / (2 * e), 1e-7);
    wf_array_release(in);
    wf_array_release(out);
    wf_program_release(g);
    wf_model_free(m);
    wf_ctx_free(c);
    unlink(path);
}

static wf_status run_text(wf_ctx *c, const char *text)
{
    wf_model *m = NULL;
    wf_array *in = NULL, *out[2] = {NULL, NULL};

    if (wf_model_parse(c, "f.wir", text, strlen(text), &m) == WF_OK) {
        wf_array_parse(c, "[1.5, 2.5]", WF_F64, 0, &in);
        wf_eval(c, wf_model_program(m, 0), &in, 1, out, wf_program_outputs(wf_model_program(m, 0)));
        wf_array_release(out[0]);
        wf_array_release(out[1]);
        wf_array_release(in);
    }
    wf_model_free(m);
    return wf_ctx_status(c);
}

TEST(what_a_file_says_of_a_kernel_is_not_believed)
{
    static const struct {
        const char *line, *message;
        wf_status status;
    } v[] = {
        {"host x kernel=\"acme.wave\" dtypes=[13] ranks=[1] dims=[1]", "gives another type as result 0", WF_ERR_TYPE},
        {"host x kernel=\"acme.wave\" dtypes=[12] ranks=[1] dims=[2]", "gives another type as result 0", WF_ERR_TYPE},
        {"host x x kernel=\"acme.wave\" dtypes=[13] ranks=[1] dims=[2]", "takes 1 and gives 1, found 2 and 1", WF_ERR_ARG},
        {"host x kernel=\"acme.none\" dtypes=[13] ranks=[1] dims=[2]", "kernel 'acme.none', which is not registered", WF_ERR_NAME},
        {"host x kernel=\"@0.0\" dtypes=[13] ranks=[1] dims=[2]", "calls a function of the script that made it", WF_ERR_NAME},
        {"callback x kernel=\"@0.0\" dtypes=[13] ranks=[1] dims=[2]", "calls a function of the script that made it", WF_ERR_NAME},
        {"host x kernel=\"acme.wave\" dtypes=[13] ranks=[2] dims=[2]", "has 2 axes, found sizes of 1", WF_ERR_VALUE},
        {"host x kernel=\"acme.wave\" dtypes=[99] ranks=[1] dims=[2]", "99 is no dtype", WF_ERR_VALUE},
        {"host x kernel=\"acme.wave\" dtypes=[13] ranks=[1,1] dims=[2,2]", "1 dtypes, but 2 ranks", WF_ERR_VALUE},
        {"host x kernel=\"acme.wave\" dtypes=[13] ranks=[1] dims=[2,2]", "2 sizes, but the ranks need 1", WF_ERR_VALUE},
    };
    wf_ctx *c = context(0);
    char text[300];

    CHECK_EQ_INT(run_text(c, "f(x: f64[2]) {\n  y = host x kernel=\"acme.wave\" dtypes=[13] ranks=[1] dims=[2]\n  ret y\n}\n"),
                 WF_OK);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        snprintf(text, sizeof text, "f(x: f64[2]) {\n  y = %s\n  ret y\n}\n", v[i].line);
        CHECK_EQ_INT(run_text(c, text), v[i].status);
        CHECK_HAS(wf_ctx_message(c), v[i].message);
        wf_clear(c);
    }
    wf_ctx_free(c);
}

/* Says that its result has an axis of the size that its user points to. */
static wf_status sized_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    (void)c, (void)in, (void)nin, (void)nout;
    *out = (wf_kernel_value){.dtype = WF_F64, .rank = 1, .dims = {*(const int64_t *)user}};
    return WF_OK;
}

static wf_status call_sized(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user;
    return wf_kernel_call(c, "acme.sized", in, nin, out, nout);
}

TEST(a_type_rule_that_makes_sizes_up_is_an_error)
{
    int64_t size = -77;
    wf_ctx *c = context(0);
    wf_kernel k = {.size = sizeof k, .name = "acme.sized", .inputs = 1, .outputs = 1, .user = &size, .type = sized_type, .run = wave_run};
    wf_function f = WF_FUNCTION(call_sized, NULL, 1, 1, "f");
    const wf_program *p = NULL;
    wf_tensor x = numbers(c, 4), y;

    wf_kernel_register(c, &k);
    CHECK_EQ_INT(wf_kernel_call(c, k.name, &x, 1, &y, 1), WF_ERR_SHAPE);
    CHECK_HAS(wf_ctx_message(c), "acme.sized: its type rule gives axis 0 of result 0 the size -77");
    wf_clear(c);
    CHECK_EQ_INT(wf_trace_types(c, &f, (const char *[]){"f64[N]"}, 1, &p), WF_ERR_SHAPE);
    CHECK_HAS(wf_ctx_message(c), "the size -77");
    wf_clear(c);
    wf_ctx_free(c);
}

TEST(kernels_and_their_failures_are_reported)
{
    wf_ctx *c = context(0);
    wf_kernel k = wave(true);
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){2}, 1), y;

    k.user = &two;
    CHECK_EQ_INT(wf_kernel_register(c, &k), WF_ERR_NAME);
    CHECK_HAS(wf_ctx_message(c), "'acme.wave': the name is taken, by another kernel");
    wf_clear(c);
    k.user = &one;
    CHECK_EQ_INT(wf_kernel_register(c, &k), WF_OK); /* the same again */
    k.name = "a b";
    CHECK_EQ_INT(wf_kernel_register(c, &k), WF_ERR_ARG);
    wf_clear(c);
    CHECK_EQ_INT(wf_kernel_call(c, "acme.wave", &x, 1, &y, 1), WF_ERR_TYPE);
    CHECK_HAS(wf_ctx_message(c), "acme.wave takes f64");
    wf_clear(c);
    CHECK_EQ_INT(wf_kernel_call(c, "acme.wave", (wf_tensor[]){wf_scalar(c, WF_F64, 99)}, 1, &y, 1), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "99 is too much");
    wf_clear(c);
    CHECK_EQ_INT(wf_kernel_call(c, "acme.split", (wf_tensor[]){wf_scalar(c, WF_F64, 1)}, 1, (wf_tensor[2]){{0}}, 2), WF_ERR_SHAPE);
    CHECK_HAS(wf_ctx_message(c), "acme.split: the kernel takes no operands of these types");
    wf_clear(c);
    CHECK_EQ_INT(wf_kernel_call(c, "acme.none", &x, 1, &y, 1), WF_ERR_NAME);
    wf_clear(c);
    CHECK_EQ_INT(wf_kernel_call(c, "acme.wave", &x, 1, (wf_tensor[2]){{0}}, 2), WF_ERR_ARG);
    wf_clear(c);
    wf_ctx_free(c);
}

static void *use_from_thread(void *runtime)
{
    wf_options o = {.size = sizeof o, .runtime = runtime};
    wf_ctx *c = wf_ctx_new(&o);
    wf_kernel k = wave(true);
    bool ok = wf_kernel_register(c, &k) == WF_OK;

    for (int i = 0; i < 50 && ok; i++) {
        wf_tensor y;

        wf_scope_begin(c);
        ok = wf_kernel_call(c, "acme.wave", (wf_tensor[]){numbers(c, 8)}, 1, &y, 1) == WF_OK &&
             fabs(wf_item(c, wf_sum(c, y, NULL, 0, false))) < 100;
        wf_scope_end(c);
    }
    wf_ctx_free(c);
    return ok ? runtime : NULL;
}

TEST(all_contexts_of_a_runtime_share_kernels)
{
    wf_runtime *r = wf_runtime_new(NULL);
    pthread_t t[4];
    void *ok;

    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&t[i], NULL, use_from_thread, r) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &ok);
        CHECK(ok == r);
    }
    wf_runtime_release(r);
}

static wf_status call_faulty(wf_ctx *c, void *user)
{
    wf_tensor y = WF_NONE;
    wf_kernel k = wave(true);

    (void)user;
    if (wf_kernel_register(c, &k) == WF_OK)
        wf_kernel_call(c, "acme.wave", (wf_tensor[]){numbers(c, 3)}, 1, &y, 1);
    return wf_ctx_status(c);
}

TEST(running_out_of_memory_anywhere_is_an_error_and_leaks_nothing)
{
    for (int at = 1, done = 0; !done && at < 2000; at++) {
        FaultAlloc f = {.fail_at = at};
        wf_options o = {.size = sizeof o, .threads = 1, .allocator = fault_allocator(&f)};
        wf_ctx *c = wf_ctx_new(&o);

        if (c)
            done = call_faulty(c, NULL) == WF_OK;
        wf_ctx_free(c);
        CHECK_EQ_INT(f.live_bytes, 0);
    }
}
