/* test_tensor_flow.c -- control flow, custom rules, collectives and effects as functions
 * of C functions.
 *
 * Each is run eagerly, recorded, jitted, under grad and under vmap; oracles are the same
 * sums written out, and central differences. */
#include "lib_tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }

static wf_tensor vec(wf_ctx *c, const double *v, int64_t n)
{
    return wf_from(c, WF_F64, &n, 1, v);
}
static wf_tensor one(wf_ctx *c, double x) { return wf_scalar(c, WF_F64, x); }

static wf_function fn(wf_call call, void *user, int inputs, int outputs)
{
    return (wf_function)WF_FUNCTION(call, user, inputs, outputs, NULL);
}

/* ---- cond ---- */

BODY(square, wf_square(c, in[0]))
BODY(sine, wf_sin(c, in[0]))
BODY(tenfold, wf_mul(c, in[0], wf_float(c, 10)))

static wf_status choose(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    wf_function f[3] = {fn(f_square, NULL, 1, 1), fn(f_sine, NULL, 1, 1),
                        fn(f_tenfold, NULL, 1, 1)};

    (void)user, (void)nin;
    return wf_cond_call(c, in[1], f, 3, in, 1, out, nout);
}

TEST(cond_takes_the_branch_of_its_index_in_every_way_of_running)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = fn(choose, NULL, 2, 1);
    wf_jit *jit;
    double x = 0.7, want[] = {x * x, sin(x), 10 * x}, dwant[] = {2 * x, cos(x), 10},
           got[3];

    wf_jit_new(c, &f, &jit);
    for (int64_t i = -2; i < 5; i++) {
        int k = i < 0 ? 0 : i > 2 ? 2 : (int)i;
        wf_dtype types[] = {WF_I32, WF_I64, WF_I8};
        for (int d = 0; d < 3; d++) {
            wf_tensor in[2] = {one(c, x), wf_scalar(c, types[d], (double)i)}, y, g;
            wf_requires_grad(c, in[0], true);
            choose(c, NULL, in, 2, &y, 1);
            CHECK_NEAR(wf_item(c, y), want[k], 1e-15);
            wf_backward(c, y, WF_NONE, 0);
            CHECK_NEAR(wf_item(c, wf_grad_of(c, in[0])), dwant[k], 1e-15);
            wf_jit_call(c, jit, in, 2, &y, 1, NULL, 0);
            CHECK_NEAR(wf_item(c, y), want[k], 1e-15);
            wf_grad_call(c, &f, in, 2, NULL, 0, &y, 1, &g);
            CHECK_NEAR(wf_item(c, g), dwant[k], 1e-15);
            check_context(c, "cond", "all");
        }
    }
    CHECK_EQ_INT(wf_jit_traces(jit), 3);
    wf_tensor in[2] = {one(c, x), wf_from(c, WF_I32, I64(3), 1, (int32_t[]){0, 1, 2})}, y;
    wf_vmap_call(c, &f, in, (int[]){WF_UNMAPPED, 0}, 2, NULL, NULL, &y, 1);
    wf_read_f64(c, y, got, 3);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(got[k], want[k], 1e-15);
    wf_cond_call(c, wf_bool(c, true),
                 (wf_function[]){fn(f_square, NULL, 1, 1), fn(f_sine, NULL, 1, 1)}, 2, in,
                 1, &y, 1);
    CHECK_NEAR(wf_item(c, y), sin(x), 1e-15);
    check_context(c, "cond", "vmap, bool");
    wf_jit_free(c, jit);
    wf_ctx_free(c);
}

typedef struct Outside {
    wf_tensor w, b;
} Outside;

static wf_status use_w(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    Outside *o = user;
    out[0] = wf_mul(c, in[0], o->w);
    return WF_OK;
}
static wf_status use_b(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    Outside *o = user;
    out[0] = wf_add(c, wf_mul(c, o->b, o->b), wf_mul(c, in[0], o->w));
    return WF_OK;
}

static wf_status with_outside(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    Outside o = {in[1], in[2]};
    wf_function f[2] = {fn(use_w, &o, 1, 1), fn(use_b, &o, 1, 1)};

    (void)user, (void)nin;
    return wf_cond_call(c, in[3], f, 2, in, 1, out, nout);
}

TEST(branches_share_what_they_use_from_outside)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = fn(with_outside, NULL, 4, 1);
    wf_jit *jit;

    wf_jit_new(c, &f, &jit);
    for (int k = 0; k < 2; k++) {
        wf_tensor in[4] = {one(c, 2), one(c, 3), one(c, 5), wf_bool(c, k)}, y, g[3];
        double want = k ? 31 : 6, dx = 3, dw = 2, db = k ? 10 : 0;
        with_outside(c, NULL, in, 4, &y, 1);
        CHECK_NEAR(wf_item(c, y), want, 0);
        wf_jit_call(c, jit, in, 4, &y, 1, NULL, 0);
        CHECK_NEAR(wf_item(c, y), want, 0);
        wf_grad_call(c, &f, in, 4, (int[]){0, 1, 2}, 3, NULL, 0, g);
        CHECK_NEAR(wf_item(c, g[0]), dx, 0);
        CHECK_NEAR(wf_item(c, g[1]), dw, 0);
        CHECK_NEAR(wf_item(c, g[2]), db, 0);
        for (int i = 0; i < 3; i++)
            wf_requires_grad(c, in[i], true);
        with_outside(c, NULL, in, 4, &y, 1);
        wf_backward(c, y, WF_NONE, 0);
        CHECK_NEAR(wf_item(c, wf_grad_of(c, in[2])), db, 0);
        CHECK_NEAR(wf_item(c, wf_grad_of(c, in[1])), dw, 0);
    }
    check_context(c, "cond", "captures");
    wf_jit_free(c, jit);
    wf_ctx_free(c);
}

BODY(pair, wf_stack(c, (wf_tensor[]){in[0], in[0]}, 2, 0))
BODY(to_int, wf_cast(c, in[0], WF_I32))
BODY(is_true, wf_gt(c, in[0], wf_float(c, 0)))

TEST(control_flow_names_the_types_that_differ)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 1), y;
    wf_function sq = fn(f_square, NULL, 1, 1), two = fn(f_pair, NULL, 1, 1),
                i = fn(f_to_int, NULL, 1, 1), ok = fn(f_is_true, NULL, 1, 1);

    wf_cond_call(c, wf_bool(c, true), (wf_function[]){sq, two}, 2, &x, 1, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "result 0 is f64[] in branch 0, but f64[2] in branch 1");
    wf_clear(c);
    wf_cond_call(c, wf_bool(c, true), (wf_function[]){sq, i}, 2, &x, 1, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "f64[] in branch 0, but i32[] in branch 1");
    wf_clear(c);
    wf_cond_call(c, x, &sq, 1, &x, 1, &y, 1);
    CHECK_HAS(wf_ctx_message(c),
              "wf_cond_call: the index must be a bool or integer scalar, got f64[]");
    wf_clear(c);
    wf_while_call(c, &ok, &two, &x, 1, WF_UNBOUNDED, &y, 1);
    CHECK_HAS(wf_ctx_message(c),
              "wf_while_call: carry 0 begins as f64[], but the body makes it f64[2]");
    wf_clear(c);
    wf_while_call(c, &sq, &sq, &x, 1, WF_UNBOUNDED, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "the condition must give one bool scalar, got f64[]");
    wf_clear(c);
    wf_scan_call(c, &i, 1, &x, 1, 3, false, &y, 1);
    CHECK_HAS(wf_ctx_message(c),
              "wf_scan_call: carry 0 begins as f64[], but the body makes it i32[]");
    wf_clear(c);
    wf_scan_call(c, &sq, 1, &x, 1, WF_UNBOUNDED, false, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "there is nothing to go along, so it needs a length");
    wf_clear(c);
    wf_scan_call(c, &sq, 0, &x, 1, WF_UNBOUNDED, false, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "input 0 is a scalar, needs an axis to go along");
    wf_clear(c);
    x = wf_zeros(c, WF_F64, I64(4), 1);
    wf_scan_call(c, &sq, 0, &x, 1, 3, false, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "input 0 is 4 along its first axis, needs length 3");
    wf_ctx_free(c);
}

/* ---- loops ---- */

BODY(below_hundred, wf_lt(c, in[0], wf_float(c, 100)))

static wf_status grow(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    (void)nin, (void)nout;
    Outside *o = user;
    out[0] = wf_mul(c, in[0], o->w);
    out[1] = wf_add(c, in[1], wf_int(c, 1));
    return WF_OK;
}

static wf_status power_loop(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                            wf_tensor *out, int nout)
{
    Outside o = {in[1], WF_NONE};
    wf_function cond = fn(f_below_hundred, NULL, 2, 1), body = fn(grow, &o, 2, 2);
    wf_tensor x[2] = {in[0], wf_int(c, 0)};
    int64_t *bound = user;

    (void)nin;
    return wf_while_call(c, &cond, &body, x, 2, bound ? *bound : WF_UNBOUNDED, out, nout);
}

TEST(while_runs_until_its_condition_fails_and_is_differentiated_both_ways)
{
    for (int bounded = 0; bounded < 2; bounded++) { /* x w^n, n: the first to reach 100 */
        wf_ctx *c = wf_ctx_new(NULL);
        int64_t bound = 50;
        wf_function f = fn(power_loop, bounded ? &bound : NULL, 2, 2);
        double x = 1.5, w = 1.3;
        int n = 0;
        wf_tensor in[2] = {one(c, x), one(c, w)}, y[2], g[2], dy[2],
                  dx[2] = {one(c, 1), one(c, 0)};
        wf_jit *jit;

        for (double v = x; v < 100; v *= w)
            n++;
        f.call(c, f.user, in, 2, y, 2);
        CHECK_NEAR(wf_item(c, y[0]), x * pow(w, n), 1e-12);
        CHECK_EQ_INT(wf_item_int(c, y[1]), n);
        CHECK(wf_is_weak(c, y[1]));
        wf_grad_call(c, &f, in, 2, (int[]){0, 1}, 2, y, 2, g);
        CHECK_NEAR(wf_item(c, g[0]), pow(w, n), 1e-12);
        CHECK_NEAR(wf_item(c, g[1]), x * n * pow(w, n - 1), 1e-10);
        wf_jvp_call(c, &f, in, 2, (int[]){0, 1}, 2, dx, y, dy, 2);
        CHECK_NEAR(wf_item(c, dy[0]), pow(w, n), 1e-12);
        wf_jit_new(c, &f, &jit);
        wf_jit_call(c, jit, in, 2, y, 2, NULL, 0);
        CHECK_NEAR(wf_item(c, y[0]), x * pow(w, n), 1e-12);
        wf_requires_grad(c, in[1], true);
        wf_jit_call(c, jit, in, 2, y, 2, NULL, 0);
        wf_backward(c, y[0], WF_NONE, 0);
        CHECK_NEAR(wf_item(c, wf_grad_of(c, in[1])), x * n * pow(w, n - 1), 1e-10);
        in[0] = vec(c, (double[]){1.5, 120, 20}, 3);
        wf_vmap_call(c, &f, in, (int[]){0, WF_UNMAPPED}, 2, NULL, NULL, y, 2);
        double got[3];
        wf_read_f64(c, y[0], got, 3);
        CHECK_NEAR(got[0], x * pow(w, n), 1e-12);
        CHECK_NEAR(got[1], 120, 0);
        check_context(c, "while", "all");
        wf_jit_free(c, jit);
        wf_ctx_free(c);
    }
}

/* h = tanh(w h + x_t), rows h */
static wf_status cell(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    (void)nin, (void)nout;
    Outside *o = user;
    out[0] = out[1] = wf_tanh(c, wf_add(c, wf_matmul(c, o->w, in[0]), in[1]));
    return WF_OK;
}

typedef struct Rnn {
    bool reverse, unrolled, any;
} Rnn;

static wf_status any_cell(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                          wf_tensor *out, int nout)
{
    wf_tensor v[2];
    (void)out, (void)nout;
    cell(c, user, in, nin, v, 2);
    wf_give(c, v, 1);
    return wf_give(c, v + 1, 1);
}

static wf_status rnn(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                     int nout)
{
    Rnn *r = user;
    Outside o = {in[2], WF_NONE};
    wf_function body = r->any ? fn(any_cell, &o, 2, WF_ANY) : fn(cell, &o, 2, 2);
    wf_tensor v[2] = {in[0], WF_NONE}, rows[8];
    int64_t n = 4;

    (void)nin, (void)nout;
    if (!r->unrolled) {
        int given;
        if (wf_scan_call(c, &body, 1, in, 2, WF_UNBOUNDED, r->reverse, r->any ? NULL : v,
                         r->any ? 0 : 2) != WF_OK)
            return wf_ctx_status(c);
        if (r->any) {
            memcpy(v, wf_given(c, &given), sizeof v);
            CHECK_EQ_INT(given, 2);
        }
    } else {
        for (int64_t k = 0; k < n; k++) {
            int64_t t = r->reverse ? n - 1 - k : k;
            wf_tensor step[2] = {v[0],
                                 wf_index_get(c, in[1], (wf_index[]){wf_at_int(t)}, 1)};
            cell(c, &o, step, 2, v, 0);
            rows[t] = v[1];
        }
        v[1] = wf_stack(c, rows, (int)n, 0);
    }
    out[0] = wf_add(c, wf_sum(c, wf_square(c, v[0]), NULL, 0, false),
                    wf_sum(c, wf_sin(c, v[1]), NULL, 0, false));
    return WF_OK;
}

TEST(scan_is_the_loop_written_out)
{
    for (int k = 0; k < 4; k++) {
        wf_ctx *c = wf_ctx_new(NULL);
        uint64_t seed = 5;
        Rnn a = {k & 1, false, k & 2}, b = {k & 1, true, false};
        wf_function fa = fn(rnn, &a, 3, 1), fb = fn(rnn, &b, 3, 1);
        wf_tensor in[3] = {random_tensor(c, "f64[3]", -1, 1, &seed),
                           random_tensor(c, "f64[4,3]", -1, 1, &seed),
                           random_tensor(c, "f64[3,3]", -1, 1, &seed)};
        wf_tensor ya, yb, ga[3], gb[3];
        wf_jit *jit;
        int64_t hits;

        rnn(c, &a, in, 3, &ya, 1);
        rnn(c, &b, in, 3, &yb, 1);
        check_same(c, ya, yb, 1e-14, "scan", "eager");
        wf_grad_call(c, &fa, in, 3, (int[]){0, 1, 2}, 3, &ya, 1, ga);
        wf_grad_call(c, &fb, in, 3, (int[]){0, 1, 2}, 3, &yb, 1, gb);
        for (int i = 0; i < 3; i++)
            check_same(c, ga[i], gb[i], 1e-13, "scan", "grad");
        hits = wf_history_hits(c);
        wf_grad_call(c, &fa, in, 3, (int[]){0, 1, 2}, 3, &ya, 1, ga);
        CHECK_EQ_INT(wf_history_hits(c),
                     hits + 1); /* the same loop again: its derivative is there */
        wf_jit_new(c, &fa, &jit);
        wf_jit_call(c, jit, in, 3, &ya, 1, NULL, 0);
        check_same(c, ya, yb, 1e-14, "scan", "jit");
        in[0] = random_tensor(c, "f64[5,3]", -1, 1, &seed);
        in[1] = random_tensor(c, "f64[4,5,3]", -1, 1, &seed);
        wf_vmap_call(c, &fa, in, (int[]){0, 1, WF_UNMAPPED}, 3, NULL, NULL, &ya, 1);
        wf_vmap_call(c, &fb, in, (int[]){0, 1, WF_UNMAPPED}, 3, NULL, NULL, &yb, 1);
        check_same(c, ya, yb, 1e-14, "scan", "vmap");
        check_context(c, "scan", "all");
        wf_jit_free(c, jit);
        wf_ctx_free(c);
    }
}

BODY(add_half, wf_add(c, in[0], wf_float(c, 0.5)))
BODY(add_x, wf_add(c, in[0], in[1]))

TEST(a_weak_carry_takes_the_dtype_of_the_body)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function half = fn(f_add_half, NULL, 1, 1), sum = fn(f_add_x, NULL, 2, 1);
    wf_tensor in[2] = {wf_int(c, 0), wf_ones(c, WF_F64, I64(3), 1)}, y;

    SET_MEANS(c, promotion, WF_PROMOTE_JAX);
    wf_scan_call(c, &half, 1, in, 1, 4, false, &y, 1);
    CHECK_EQ_INT(wf_dtype_of(c, y), WF_F32);
    CHECK_NEAR(wf_item(c, y), 2, 0);
    wf_scan_call(c, &sum, 1, in, 2, WF_UNBOUNDED, false, &y, 1);
    CHECK_EQ_INT(wf_dtype_of(c, y), WF_F64);
    CHECK(!wf_is_weak(c, y));
    CHECK_NEAR(wf_item(c, y), 3, 0);
    in[0] = wf_scalar(c, WF_I32, 0); /* not weak: an error */
    wf_scan_call(c, &sum, 1, in, 2, WF_UNBOUNDED, false, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "carry 0 begins as i32[], but the body makes it f64[]");
    wf_ctx_free(c);
}

BODY(deep, wf_sin(c, wf_exp(c, wf_sin(c, in[0]))))

static wf_status checkpointed(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    wf_function f = fn(f_deep, NULL, 1, 1);
    (void)user;
    return wf_checkpoint_call(c, &f, in, nin, false, out, nout);
}

TEST(checkpoint_has_the_value_and_the_gradient)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = fn(checkpointed, NULL, 1, 1), g = fn(f_deep, NULL, 1, 1);
    wf_tensor x = one(c, 0.4), y, z, a, b;

    wf_grad_call(c, &f, &x, 1, NULL, 0, &y, 1, &a);
    wf_grad_call(c, &g, &x, 1, NULL, 0, &z, 1, &b);
    check_same(c, y, z, 1e-15, "checkpoint", "value");
    check_same(c, a, b, 1e-15, "checkpoint", "grad");
    check_context(c, "checkpoint", "all");
    wf_ctx_free(c);
}

static wf_status symbolic_sums(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                               wf_tensor *out, int nout)
{
    wf_function sum = fn(f_add_x, NULL, 2, 1);
    wf_function f[2] = {fn(f_square, NULL, 1, 1), fn(f_sine, NULL, 1, 1)};
    wf_tensor row = wf_index_get(c, in[0], (wf_index[]){wf_at_int(0)}, 1), y;

    (void)user, (void)nin;
    wf_scan_call(c, &sum, 1, (wf_tensor[]){wf_zeros_like(c, row), in[0]}, 2, WF_UNBOUNDED,
                 false, &y, 1);
    return wf_cond_call(c, wf_gt(c, wf_sum(c, y, NULL, 0, false), wf_float(c, 0)), f, 2,
                        &y, 1, out, nout);
}

TEST(control_flow_over_symbolic_sizes_serves_all_of_them)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = fn(symbolic_sums, NULL, 1, 1);
    const wf_program *p;
    uint64_t seed = 1;

    wf_trace_types(c, &f, (const char *[]){"f64[N,M]"}, 1, &p);
    check_context(c, "flow", "symbolic trace");
    for (int64_t n = 1; n < 4; n++) {
        char type[32];
        wf_tensor x, y, z;
        snprintf(type, sizeof type, "f64[%d,%d]", (int)n, (int)(5 - n));
        x = random_tensor(c, type, -1, 1, &seed);
        wf_apply(c, p, &x, 1, &y, 1);
        symbolic_sums(c, NULL, &x, 1, &z, 1);
        check_same(c, y, z, 1e-15, "flow", "symbolic");
    }
    wf_program_release(p);
    wf_ctx_free(c);
}

/* ---- rules of one's own ---- */

/* f = x^2 w with the derivative 10 x dx, so that one sees which is used; second
 * derivatives use the rule again. */
static wf_status own_f(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout);

BODY(own_value, wf_mul(c, wf_square(c, in[0]), in[1]))

static wf_status own_rule(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                          wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    own_f(c, NULL, in, 2, &out[0], 1); /* the function itself */
    out[1] = wf_mul(c, wf_mul(c, wf_float(c, 10), in[0]), in[2]);
    return WF_OK;
}

static wf_status own_f(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    wf_function f = fn(f_own_value, NULL, 2, 1), rule = fn(own_rule, NULL, 4, 2);
    (void)user;
    return wf_custom_jvp_call(c, &f, &rule, in, nin, out, nout);
}

typedef struct Deriv {
    wf_call call;
    int inputs, order;
} Deriv;

static wf_status derive(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    Deriv *d = user, less = {d->call, d->inputs, d->order - 1};
    wf_function f = fn(derive, &less, d->inputs, 1);

    (void)nout;
    if (d->order == 0)
        return d->call(c, NULL, in, nin, out, nout);
    return wf_grad_call(c, &f, in, nin, NULL, 0, NULL, 0, out);
}

static double derivative(wf_ctx *c, wf_call call, int inputs, int order, bool jit,
                         const wf_tensor *in)
{
    Deriv d = {call, inputs, order};
    wf_function f = fn(derive, &d, inputs, 1);
    wf_tensor y = WF_NONE;
    wf_jit *j = NULL;

    if (!jit)
        derive(c, &d, in, inputs, &y, 1);
    else if (wf_jit_new(c, &f, &j) == WF_OK)
        wf_jit_call(c, j, in, inputs, &y, 1, NULL, 0);
    wf_jit_free(c, j);
    return wf_item(c, y);
}

TEST(a_custom_jvp_is_used_in_every_mode_and_may_call_itself)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor in[2] = {one(c, 3), one(c, 2)}, y, dy, dx = one(c, 1);
    wf_function f = fn(own_f, NULL, 2, 1);
    double got[2];

    for (int jit = 0; jit < 2; jit++) {
        CHECK_NEAR(derivative(c, own_f, 2, 0, jit, in), 18, 0);
        CHECK_NEAR(derivative(c, own_f, 2, 1, jit, in), 30, 0);
        CHECK_NEAR(derivative(c, own_f, 2, 2, jit, in), 10, 0);
    }
    wf_jvp_call(c, &f, in, 2, NULL, 0, &dx, &y, &dy, 1);
    CHECK_NEAR(wf_item(c, dy), 30, 0);
    wf_requires_grad(c, in[0], true);
    own_f(c, NULL, in, 2, &y, 1);
    wf_backward(c, y, WF_NONE, 0);
    CHECK_NEAR(wf_item(c, wf_grad_of(c, in[0])), 30, 0);
    Deriv d = {own_f, 2, 1};
    wf_function g = fn(derive, &d, 2, 1);
    wf_tensor v[2] = {vec(c, (double[]){1, 2}, 2), in[1]};
    wf_vmap_call(c, &g, v, (int[]){0, WF_UNMAPPED}, 2, NULL, NULL, &y, 1);
    wf_read_f64(c, y, got, 2);
    CHECK_NEAR(got[0], 10, 0);
    CHECK_NEAR(got[1], 20, 0);
    check_context(c, "custom_jvp", "all");
    wf_ctx_free(c);
}

/* y = sin x, saved: cos x and (from outside) a scale; backward gives 100 scale g cos x.
 * */
static wf_status vjp_forward(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    wf_tensor saved[2];
    (void)out, (void)nin, (void)nout;
    (void)user;
    saved[0] = wf_sin(c, in[0]);
    saved[1] = wf_cos(c, in[0]);
    return wf_give(c, saved, 2);
}

static wf_status vjp_backward(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    Outside *o = user;
    out[0] = wf_mul(c, wf_mul(c, in[1], in[0]), wf_mul(c, o->w, wf_float(c, 100)));
    return WF_OK;
}

static wf_status custom_sine(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    Outside o = {in[1], WF_NONE};
    wf_function f = fn(f_sine, NULL, 1, 1), fwd = fn(vjp_forward, NULL, 1, WF_ANY),
                bwd = fn(vjp_backward, &o, WF_ANY, 1);
    (void)user, (void)nin;
    return wf_custom_vjp_call(c, &f, &fwd, &bwd, in, 1, out, nout);
}

TEST(a_custom_vjp_is_used_backwards_and_its_captures_count_as_constants)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor in[2] = {one(c, 0.3), one(c, 2)}, y, g[2], dy, dx = one(c, 1);
    wf_function f = fn(custom_sine, NULL, 2, 1);

    for (int jit = 0; jit < 2; jit++) {
        CHECK_NEAR(derivative(c, custom_sine, 2, 0, jit, in), sin(0.3), 1e-15);
        CHECK_NEAR(derivative(c, custom_sine, 2, 1, jit, in), 200 * cos(0.3), 1e-12);
        CHECK_NEAR(derivative(c, custom_sine, 2, 2, jit, in), -200 * sin(0.3), 1e-12);
    }
    wf_grad_call(c, &f, in, 2, (int[]){0, 1}, 2, &y, 1, g);
    CHECK_NEAR(wf_item(c, g[0]), 200 * cos(0.3), 1e-12);
    CHECK_NEAR(wf_item(c, g[1]), 0, 0);
    check_context(c, "custom_vjp", "all");
    wf_jvp_call(c, &f, in, 2, NULL, 0, &dx, &y, &dy, 1);
    CHECK(wf_ctx_status(c) != WF_OK); /* it has no forward rule */
    wf_ctx_free(c);
}

/* ---- on the devices of a mesh ---- */

/* (w, x) -> (sum over all devices of sin(w x), x from the neighbour), and the mean of their sums */
static wf_status device_work(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_psum(c, wf_sum(c, wf_sin(c, wf_mul(c, in[0], in[1])), NULL, 0, false), "x,y");
    out[1] = wf_ppermute(c, in[1], "x", (int64_t[]){0, 1, 1, 0}, 2);
    out[2] = wf_pmean(c, wf_sum(c, in[1], NULL, 0, false), "x,y");
    return wf_ctx_status(c);
}

static wf_status on_devices(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                            wf_tensor *out, int nout)
{
    wf_function f = WF_FUNCTION(device_work, user, nin, 3, "work");
    wf_tensor y[3];

    wf_spmd_call(c, &f, "x:2,y:2", ";x+y", in, 2, ";x+y;", true, y, 3);
    (void)nout;
    out[0] = y[0];
    return wf_ctx_status(c);
}

TEST(a_function_runs_on_every_device_of_a_mesh)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(device_work, NULL, 2, 3, "work"),
                g = WF_FUNCTION(on_devices, NULL, 2, 1, "loss");
    double v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0, slope = 0, got[8];
    wf_tensor in[2], out[3], grad[1];

    wf_scope_begin(c);
    in[0] = wf_scalar(c, WF_F64, 0.5);
    in[1] = wf_from(c, WF_F64, (int64_t[]){8}, 1, v);
    for (int i = 0; i < 8; i++) {
        sum += sin(0.5 * v[i]);
        slope += v[i] * cos(0.5 * v[i]);
    }
    CHECK_EQ_INT(wf_spmd_call(c, &f, "x:2,y:2", ";x+y", in, 2, ";x+y;-", false, out, 3), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "result 2 has the layout \"-\": it has more entries");
    wf_clear(c);
    CHECK_EQ_INT(wf_spmd_call(c, &f, "x:2,y:2", ";x+y", in, 2, ";x;", true, out, 3), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "result 1 has the layout \"x\": but it varies over y");
    wf_clear(c);
    CHECK_EQ_INT(wf_spmd_call(c, &f, "x:3", ";x", in, 2, ";x;", true, out, 3), WF_ERR_SHAPE);
    wf_clear(c);
    CHECK_EQ_INT(wf_spmd_call(c, &f, "x:2,y:2", ";x+y", in, 2, ";x+y;", false, out, 3), WF_OK);
    CHECK(fabs(wf_item(c, out[0]) - sum) < 1e-12);
    wf_read(c, out[1], got, sizeof got);
    CHECK(got[0] == 5 && got[3] == 8 && got[4] == 1 && got[7] == 4);
    CHECK(wf_item(c, out[2]) == 9);
    wf_grad_call(c, &g, in, 2, NULL, 0, NULL, 0, grad);
    check_context(c, "spmd", "grad");
    CHECK(fabs(wf_item(c, grad[0]) - slope) < 1e-12);
    wf_scope_end(c);
    wf_ctx_free(c);
}

/* ---- collectives ---- */

static wf_status talk(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_psum(c, in[0], "i");
    out[1] = wf_pmean(c, in[0], "i");
    out[2] = wf_pmax(c, in[0], "i");
    out[3] = wf_pmin(c, in[0], "i");
    out[4] = wf_all_gather(c, in[0], "i", 0);
    out[5] = wf_axis_index(c, "i");
    out[6] = wf_psum(c, wf_int(c, 1), "i");
    out[7] = wf_ppermute(c, in[0], "i", (int64_t[]){0, 1, 1, 2, 2, 0}, 3);
    out[8] = wf_pmin(c, wf_cast(c, in[0], WF_U8), "i");
    return WF_OK;
}

static wf_status talk_inside(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    wf_jit **jit = user;
    return wf_jit_call(c, *jit, in, nin, out, nout, NULL, 0);
}

TEST(collectives_speak_over_the_axis_of_their_vmap)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_jit *jit;
    wf_function f = fn(talk, NULL, 1, 9), g = fn(talk_inside, &jit, 1, 9);
    wf_tensor x = vec(c, (double[]){3, 1, 8}, 3), y[9];
    double want[9][3] = {{12, 12, 12}, {4, 4, 4}, {8, 8, 8}, {1, 1, 1}, {0},
                         {0, 1, 2},    {3, 3, 3}, {8, 3, 1}, {1, 1, 1}};
    int zero = 0;

    wf_jit_new(c, &f, &jit);
    for (int how = 0; how < 2; how++) {
        wf_vmap_call(c, how ? &g : &f, &x, &zero, 1, NULL, "i", y, 9);
        check_context(c, "collectives", "vmap");
        for (int k = 0; k < 9; k++) {
            double got[9];
            if (k == 4) {
                wf_read_f64(c, y[k], got, 9);
                CHECK_NEAR(got[3], 3, 0);
                CHECK_NEAR(got[8], 8, 0);
                continue;
            }
            wf_read_f64(c, y[k], got, 3);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(got[i], want[k][i], 0);
        }
    }
    x = vec(c, (double[]){3, 1, 8, 5}, 4); /* another size of the axis: another trace */
    f.call = talk;
    wf_vmap_call(c, &g, &x, &zero, 1, NULL, "i", y, 9);
    CHECK_EQ_INT(wf_jit_traces(jit), 2);
    check_context(c, "collectives", "again");
    wf_psum(c, x, "j");
    CHECK_HAS(wf_ctx_message(c), "wf_psum: axis 'j' is not bound");
    wf_jit_free(c, jit);
    wf_ctx_free(c);
}

/* ---- effects ---- */

static wf_status shows(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    wf_print(c, "x is {}", in, 1);
    wf_assert(c, wf_gt(c, in[0], wf_float(c, 0)), "x must be positive, got {}", in, 1);
    out[0] = wf_square(c, in[0]);
    return wf_ctx_status(c);
}

/* Memory that is not zero when it is new. */
static void *dirty_resize(void *user, void *p, size_t old, size_t size)
{
    char *q = size ? realloc(p, size) : NULL;

    (void)user;
    if (!size)
        free(p);
    if (q && size > old)
        memset(q + old, 0xa5, size - old);
    return q;
}

/* Equations without results have no storage to look at. */
TEST(a_text_is_printed_without_operands)
{
    wf_options o = {.size = sizeof o, .allocator = {dirty_resize, NULL}};
    wf_ctx *c = wf_ctx_new(&o);

    CHECK(wf_print(c, "hello", NULL, 0) == WF_OK);
    check_context(c, "print", "without operands");
    wf_ctx_free(c);
}

TEST(effects_happen_now_or_with_each_run)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = fn(shows, NULL, 1, 1);
    wf_tensor x = one(c, 2), bad = one(c, -1), y;
    wf_jit *jit;
    char text[256] = "";
    int saved, n;
    FILE *file = tmpfile();

    fflush(stdout);
    saved = dup(1);
    dup2(fileno(file), 1);
    wf_jit_new(c, &f, &jit);
    shows(c, NULL, &x, 1, &y, 1);
    for (int i = 0; i < 2; i++)
        wf_jit_call(c, jit, &x, 1, &y, 1, NULL, 0);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(file);
    n = (int)fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n > 0 ? n : 0] = 0;
    CHECK_STR(text, "x is 2\nx is 2\nx is 2\n");
    check_context(c, "effects", "print");
    wf_assert(c, wf_bool(c, false), "no {}", &bad, 1);
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_ASSERT);
    CHECK_HAS(wf_ctx_message(c), "no -1");
    wf_clear(c);
    wf_function quiet = fn(f_square, NULL, 1, 1);
    wf_jit_free(c, jit);
    wf_jit_new(c, &quiet, &jit);
    wf_jit_call(c, jit, &x, 1, &y, 1, NULL, 0);
    CHECK_NEAR(wf_item(c, y), 4, 0);
    wf_jit_free(c, jit);
    wf_ctx_free(c);
}

/* ---- memory ---- */

static wf_status all_of_it(wf_ctx *c)
{
    Rnn a = {false, false, true};
    uint64_t seed = 5;
    wf_function f = fn(rnn, &a, 3, 1), p = fn(power_loop, NULL, 2, 2),
                t = fn(talk, NULL, 1, 9);
    wf_tensor in[3] = {random_tensor(c, "f64[3]", -1, 1, &seed),
                       random_tensor(c, "f64[4,3]", -1, 1, &seed),
                       random_tensor(c, "f64[3,3]", -1, 1, &seed)},
              y[9], g[3];
    int zero = 0;

    wf_grad_call(c, &f, in, 3, (int[]){0, 1, 2}, 3, y, 1, g);
    wf_vmap_call(c, &t, in, &zero, 1, NULL, "i", y, 9);
    in[0] = wf_scalar(c, WF_F64, 2);
    in[1] = wf_scalar(c, WF_F64, 1.5);
    in[2] = wf_bool(c, true);
    wf_grad_call(c, &p, in, 2, NULL, 0, y, 2, g);
    derivative(c, own_f, 2, 1, false, in);
    derivative(c, custom_sine, 2, 1, true, in);
    in[1] = wf_int(c, 1);
    choose(c, NULL, in, 3, y, 1);
    return wf_ctx_status(c);
}

TEST(control_flow_survives_every_failing_allocation) { check_faults(all_of_it, 13); }
