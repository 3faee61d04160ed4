/* test_tensor.c -- handles, scopes, recording, tapes, graphs, sessions, writing, mistakes. */
#include "lib_tensor.h"
#include "weft_dlpack.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }

static wf_tensor vec(wf_ctx *c, const double *v, int64_t n)
{
    return wf_from(c, WF_F64, &n, 1, v);
}
static wf_tensor one(wf_ctx *c, double x) { return wf_scalar(c, WF_F64, x); }
static double item(wf_ctx *c, wf_tensor t) { return wf_item(c, t); }

/* ---- handles and scopes ---- */

TEST(a_scope_releases_what_was_not_kept)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor a, b, d;
    int64_t before;

    a = one(c, 2);
    before = wf_live_tensors(c);
    wf_scope_begin(c);
    b = wf_keep(c, wf_add(c, a, a));
    d = wf_mul(c, a, a);
    wf_scope_end(c);
    CHECK(wf_is_alive(c, a));
    CHECK(wf_is_alive(c, b));
    CHECK(!wf_is_alive(c, d));
    CHECK_EQ_INT(wf_live_tensors(c), before + 1);
    CHECK_NEAR(item(c, b), 4, 0);
    wf_drop(c, b);
    CHECK(!wf_is_alive(c, b));
    wf_scope_begin(c);
    wf_scope_begin(c);
    d = wf_scope_end_with(c, wf_mul(c, a, a));
    CHECK(wf_is_alive(c, d));
    wf_scope_end(c);
    CHECK(!wf_is_alive(c, d));
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    wf_ctx_free(c);
}

TEST(dead_missing_and_foreign_handles_are_errors_that_name_the_function)
{
    wf_ctx *c = wf_ctx_new(NULL), *d = wf_ctx_new(NULL);
    wf_tensor a, b = one(d, 1), e = one(c, 3);

    wf_scope_begin(c);
    a = one(c, 1);
    wf_scope_end(c);
    CHECK(wf_is_none(wf_add(c, a, e)));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_ARG);
    CHECK_HAS(wf_ctx_message(c), "wf_add: the tensor is dead");
    CHECK(wf_is_none(wf_mul(c, e, e))); /* sticky */
    wf_clear(c);
    CHECK(wf_is_none(wf_exp(c, b)));
    CHECK_HAS(wf_ctx_message(c), "wf_exp: the tensor belongs to another context");
    wf_clear(c);
    CHECK(wf_is_none(wf_matmul(c, WF_NONE, e)));
    CHECK_HAS(wf_ctx_message(c), "wf_matmul: an operand is missing");
    wf_clear(c);
    wf_scope_end(c);
    CHECK_HAS(wf_ctx_message(c), "wf_scope_end: no scope is open");
    wf_clear(c);
    CHECK_NEAR(item(c, wf_add(c, e, e)), 6, 0);
    wf_ctx_free(c);
    wf_ctx_free(d);
}

TEST(a_slot_used_again_does_not_revive_an_old_handle)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor old = one(c, 1), now;

    wf_drop(c, old);
    now = one(c, 2);
    CHECK_EQ_INT(now.index, old.index);
    CHECK(!wf_is_alive(c, old));
    CHECK(wf_is_alive(c, now));
    wf_ctx_free(c);
}

/* Views of views, writes through them, masks: in constant memory too. */
TEST(a_hundred_thousand_writes_through_views_take_constant_memory)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_keep(c, wf_zeros(c, WF_F64, I64(4, 3), 2)), v = x;
    int64_t tensors = 0, bytes = 0;

    for (int i = 0; i < 100000 && wf_ctx_status(c) == WF_OK; i++) {
        wf_tensor old = v;
        wf_scope_begin(c);
        v = wf_keep(c, wf_swap_axes(c, v, 0, 1)); /* a chain of views of x */
        if (i)
            wf_drop(c, old);
        wf_add_in(c, wf_index_get(c, v, (wf_index[]){wf_at_int(0)}, 1), wf_float(c, 1));
        wf_scope_end(c);
        if (i == 1000) {
            tensors = wf_live_tensors(c);
            bytes = wf_live_bytes(c);
        }
    }
    CHECK_EQ_INT(wf_live_tensors(c), tensors);
    CHECK_EQ_INT(wf_live_bytes(c), bytes);
    CHECK_NEAR(item(c, wf_sum(c, x, NULL, 0, false)), 50000 * 7, 0);
    check_context(c, "views", "loop");
    wf_ctx_free(c);
}

TEST(a_million_eager_ops_take_constant_memory)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_scalar(c, WF_F32, 0), y = wf_scalar(c, WF_F32, 1);
    int64_t bytes = 0;

    for (int i = 0; i < 1000; i++) {
        wf_tensor z;
        wf_scope_begin(c);
        z = x;
        for (int k = 0; k < 1000; k++)
            z = wf_add(c, z, y);
        z = wf_keep(c, z);
        wf_scope_end(c);
        wf_drop(c, x);
        x = z;
        if (i == 10)
            bytes = wf_live_bytes(c);
    }
    CHECK_EQ_INT(wf_live_bytes(c), bytes);
    CHECK_NEAR(item(c, x), 1e6, 0);
    CHECK_EQ_INT(wf_live_tensors(c), 2);
    wf_ctx_free(c);
}

/* ---- views and writing ---- */

TEST(views_share_memory_and_writes_are_seen)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_arange(c, WF_F64, 0, 6, 1), m = wf_reshape(c, x, I64(2, 3), 2),
              t = wf_permute(c, m, NULL, 0);
    wf_tensor row = wf_index_get(c, m, (wf_index[]){wf_at_int(1)}, 1);
    double v[6];

    CHECK(wf_shares_memory(c, x, t));
    CHECK(wf_shares_memory(c, x, row));
    wf_mul_in(c, row, wf_float(c, 10));
    wf_read_f64(c, t, v, 6);
    CHECK_NEAR(v[1], 30, 0); /* t[0,1] is x[3] */
    CHECK_EQ_INT(wf_write_count(c, x), 1);
    CHECK(!wf_shares_memory(c, x, wf_copy(c, x)));
    wf_index_write(c, m, (wf_index[]){wf_at_all(), wf_at_slice_step(WF_NOT, WF_NOT, -2)},
                   2, wf_float(c, -1));
    wf_read_f64(c, x, v, 6);
    CHECK_NEAR(v[0], -1, 0);
    CHECK_NEAR(v[1], 1, 0);
    CHECK_NEAR(v[5], -1, 0);
    wf_write(c, wf_flip(c, x, NULL, 0), x); /* onto itself, reversed */
    wf_read_f64(c, x, v, 6);
    CHECK_NEAR(v[4], 1, 0);
    check_context(c, "views", "");
    wf_add_in(c, wf_arange(c, WF_I32, 0, 3, 1), wf_float(c, 0.5));
    CHECK_HAS(wf_ctx_message(c),
              "wf_add_in: a value of dtype f32 cannot be written into i32[3]");
    wf_ctx_free(c);
}

TEST(a_write_to_something_saved_for_backward_is_an_error_with_both_places)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 2), a = one(c, 3), y;

    wf_requires_grad(c, x, true);
    wf_set_place(c, "model.py", 10, 5);
    y = wf_mul(c, x, a);
    wf_set_place(c, "model.py", 11, 3);
    wf_add_in(c, a, wf_float(c, 1));
    wf_set_place(c, NULL, 0, 0);
    wf_backward(c, y, WF_NONE, 0);
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "model.py:11:3");
    CHECK_HAS(wf_ctx_message(c), "mul saved for its derivative was written to");
    CHECK_HAS(wf_ctx_message(c), "model.py:10:5: note: saved here");
    wf_clear(c);
    wf_add_in(c, x, wf_float(c, 1));
    CHECK_HAS(wf_ctx_message(c),
              "wf_add_in: a leaf that requires a gradient cannot be written to");
    wf_ctx_free(c);
}

TEST(a_write_to_weights_that_a_product_saved_transposed_is_an_error)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_full(c, WF_F64, (int64_t[]){2, 3}, 2, 1), y;
    wf_tensor w = wf_full(c, WF_F64, (int64_t[]){4, 3}, 2, 2);

    wf_requires_grad(c, x, true);
    y = wf_sum(c, wf_linear(c, x, w, WF_NONE), NULL, 0, false);
    wf_backward(c, y, WF_NONE, WF_GRAD_KEEP);
    CHECK_NEAR(item(c, wf_sum(c, wf_grad_of(c, x), NULL, 0, false)), 48, 0);
    wf_add_in(c, w, wf_float(c, 1));
    wf_backward(c, y, WF_NONE, 0);
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "dot_general saved for its derivative was written to");
    wf_ctx_free(c);
}

TEST(a_write_that_saved_values_do_not_mind_is_recorded)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 2), y, z;

    wf_requires_grad(c, x, true);
    y = wf_add(c, x, one(c, 1)); /* saves nothing */
    wf_mul_in(c, y, wf_float(c, 5));
    z = wf_mul(c, y, y);
    wf_backward(c, z, WF_NONE, 0); /* 25 (x+1)^2 */
    check_context(c, "write", "");
    CHECK_NEAR(item(c, wf_grad_of(c, x)), 150, 1e-12);
    wf_ctx_free(c);
}

/* ---- recording ---- */

TEST(backward_accumulates_and_frees_its_history)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 3), y;

    wf_requires_grad(c, x, true);
    wf_set_place(c, "a.py", 7, 1);
    y = wf_exp(c, wf_mul(c, x, x));
    wf_backward(c, y, WF_NONE, WF_GRAD_KEEP);
    wf_backward(c, y, WF_NONE, 0);
    CHECK_NEAR(item(c, wf_grad_of(c, x)) / (12 * exp(9)), 1, 1e-14);
    CHECK_EQ_INT(wf_history_hits(c), 1);
    wf_backward(c, y, WF_NONE, 0);
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "a.py:7:1");
    CHECK_HAS(wf_ctx_message(c), "the history was used and freed already");
    wf_clear(c);
    wf_set_grad(c, x, WF_NONE);
    CHECK(wf_is_none(wf_grad_of(c, x)));
    wf_no_grad_begin(c);
    y = wf_mul(c, x, x);
    wf_no_grad_end(c);
    CHECK(!wf_has_grad_history(c, y));
    wf_backward(c, y, WF_NONE, 0);
    CHECK_HAS(wf_ctx_message(c), "wf_backward: f64[] has no history");
    wf_clear(c);
    y = wf_mul(c, wf_detach(c, x), x);
    wf_backward(c, y, WF_NONE, 0);
    CHECK_NEAR(item(c, wf_grad_of(c, x)), 3, 0);
    wf_backward(c, wf_mul(c, x, vec(c, (double[]){1, 2}, 2)), WF_NONE, 0);
    CHECK_HAS(wf_ctx_message(c), "the gradient of f64[2] must be given");
    wf_ctx_free(c);
}

TEST(gradients_of_gradients)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 2), y, g, h, t;

    wf_requires_grad(c, x, true);
    y = wf_mul(c, wf_square(c, x), wf_square(c, x));
    wf_gradients(c, &y, NULL, 1, &x, 1, WF_GRAD_CREATE, &g);
    wf_gradients(c, &g, NULL, 1, &x, 1, WF_GRAD_CREATE, &h);
    wf_gradients(c, &h, NULL, 1, &x, 1, 0, &t);
    check_context(c, "third", "");
    CHECK_NEAR(item(c, g), 32, 1e-12);
    CHECK_NEAR(item(c, h), 48, 1e-12);
    CHECK_NEAR(item(c, t), 48, 1e-12);
    CHECK(!wf_has_grad_history(c, t));
    wf_gradients(c, &x, NULL, 1, (wf_tensor[]){one(c, 1)}, 1, 0, &g);
    CHECK_HAS(wf_ctx_message(c), "wf_gradients: the results do not depend on input 0");
    wf_ctx_free(c);
}

TEST(gradients_by_something_in_between)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 2), m, y, g[2];

    wf_requires_grad(c, x, true);
    m = wf_square(c, x);
    y = wf_mul(c, m, wf_mul(c, m, x)); /* m² x */
    wf_gradients(c, &y, NULL, 1, (wf_tensor[]){m, x}, 2, 0, g);
    check_context(c, "between", "");
    CHECK_NEAR(item(c, g[0]), 2 * 4 * 2, 1e-12);
    CHECK_NEAR(item(c, g[1]), 5 * 16, 1e-12); /* x^5 in all */
    wf_ctx_free(c);
}

TEST(a_dropped_result_drops_its_history)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_ones(c, WF_F32, I64(1000), 1);
    int64_t before;

    wf_requires_grad(c, x, true);
    before = wf_live_bytes(c);
    wf_scope_begin(c);
    wf_tensor y = x;
    for (int i = 0; i < 200000; i++) /* deep: freeing must not recurse */
        y = i % 2 ? wf_neg(c, y) : wf_reshape(c, y, I64(1000), 1);
    wf_scope_end(c);
    CHECK_EQ_INT(wf_live_bytes(c), before);
    check_context(c, "history", "");
    wf_ctx_free(c);
}

TEST(tapes_nest)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 3), y, g, h;
    int outer = wf_tape_begin(c), inner;

    wf_tape_watch(c, outer, x);
    inner = wf_tape_begin(c);
    wf_tape_watch(c, inner, x);
    y = wf_mul(c, x, wf_square(c, x));
    wf_tape_end(c, inner);
    wf_gradients(c, &y, NULL, 1, &x, 1, WF_GRAD_KEEP, &g);
    wf_tape_end(c, outer);
    wf_gradients(c, &g, NULL, 1, &x, 1, 0, &h);
    check_context(c, "tapes", "");
    CHECK_NEAR(item(c, g), 27, 1e-12);
    CHECK_NEAR(item(c, h), 18, 1e-12);
    y = wf_square(c, x); /* no tape is open */
    wf_gradients(c, &y, NULL, 1, &x, 1, WF_GRAD_UNUSED_OK, &g);
    CHECK(wf_is_none(g));
    wf_tape_watch(c, outer, x);
    CHECK_HAS(wf_ctx_message(c), "wf_tape_watch: tape 1 is not open");
    wf_ctx_free(c);
}

/* ---- graphs and sessions ---- */

TEST(graphs_have_partial_derivatives_and_substitution)
{
    wf_ctx *c = wf_ctx_new(NULL);
    const wf_program *p;
    wf_tensor x, u, y, dyu, dyx, d2, sub, out[5], in;
    wf_graph *g;

    wf_graph_new(c, "f", NULL, &g);
    x = wf_symbol(c, g, "x", "f64[]");
    u = wf_mul(c, x, x);
    y = wf_mul(c, wf_sin(c, u), x);
    dyu = wf_partial(c, y, u, WF_NONE); /* cos(u) x */
    dyx = wf_partial(c, y, x, WF_NONE); /* 2x² cos(x²) + sin(x²) */
    d2 = wf_partial(c, dyx, x, WF_NONE);
    sub = wf_substitute(c, y, &u, &x, 1); /* sin(x) x */
    wf_graph_close(c, g, &x, 1, (wf_tensor[]){y, dyu, dyx, d2, sub}, 5, &p);
    REQUIRE(check_context(c, "graph", "close"));
    wf_graph_free(c, g);
    in = one(c, 1.3);
    wf_apply(c, p, &in, 1, out, 5);
    check_context(c, "graph", "run");
    CHECK_NEAR(item(c, out[1]), cos(1.69) * 1.3, 1e-14);
    CHECK_NEAR(item(c, out[2]), 2 * 1.69 * cos(1.69) + sin(1.69), 1e-14);
    CHECK_NEAR(item(c, out[3]), 6 * 1.3 * cos(1.69) - 4 * 1.3 * 1.69 * sin(1.69), 1e-13);
    CHECK_NEAR(item(c, out[4]), sin(1.3) * 1.3, 1e-14);
    wf_program_release(p);
    wf_graph_new(c, "g", NULL, &g);
    x = wf_symbol(c, g, "x", "f64[2]");
    y = wf_symbol(c, g, "y", "f64[2]");
    wf_graph_close(c, g, &x, 1, (wf_tensor[]){wf_add(c, x, y)}, 1, &p);
    CHECK_HAS(wf_ctx_message(c), "the results need symbol 'y', which is not an input");
    wf_clear(c);
    wf_graph_free(c, g);
    wf_ctx_free(c);
}

TEST(a_session_runs_what_is_fetched_and_keeps_variables)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *g;
    wf_session *s;
    wf_tensor x, w, y, loss, step, out[2], z, never;

    wf_graph_new(c, "line", NULL, &g);
    x = wf_symbol(c, g, "x", "f64[3]");
    never = wf_symbol(c, g, "never", "f64[3]");
    w = wf_variable(c, g, "w", one(c, 1));
    y = wf_mul(c, x, w);
    z = wf_add(c, y, never);
    loss = wf_sum(c, wf_square(c, wf_sub(c, y, wf_float(c, 6))), NULL, 0, false);
    step = wf_assign(
        c, w,
        wf_sub(c, w, wf_mul(c, wf_float(c, 0.01), wf_partial(c, loss, w, WF_NONE))));
    wf_session_new(c, g, &s);
    wf_graph_free(c, g); /* the session holds it */
    REQUIRE(check_context(c, "session", "build"));
    for (int i = 0; i < 200; i++) {
        wf_scope_begin(c);
        wf_session_run(c, s, &x,
                       (wf_tensor[]){wf_from(c, WF_F64, I64(3), 1, (double[]){3, 3, 3})},
                       1, (wf_tensor[]){step, loss}, 2, out);
        wf_scope_end(c);
    }
    REQUIRE(check_context(c, "session", "train"));
    CHECK_EQ_INT(wf_session_plans(s), 1);
    CHECK_NEAR(item(c, wf_variable_value(c, s, w)), 2, 1e-9);
    wf_session_run(c, s, &y, (wf_tensor[]){vec(c, (double[]){6, 6, 7}, 3)}, 1, &loss, 1,
                   out); /* y itself is fed */
    CHECK_NEAR(item(c, out[0]), 1, 1e-12);
    wf_session_run(c, s, &x, (wf_tensor[]){vec(c, (double[]){1, 1, 1}, 3)}, 1, &z, 1,
                   out);
    CHECK_HAS(wf_ctx_message(c),
              "placeholder 'never' is needed for a fetch and was not fed");
    wf_clear(c);
    wf_session_free(c, s);
    wf_ctx_free(c);
}

/* ---- promotion ---- */

TEST(dtypes_promote_as_in_each_library)
{
    static const struct {
        wf_promotion rules;
        wf_dtype a;
        bool aw, az;
        wf_dtype b;
        bool bw, bz;
        wf_dtype want;
    } rows[] = {
        {WF_PROMOTE_TORCH, WF_I32, false, false, WF_F16, false, false, WF_F16},
        {WF_PROMOTE_TORCH, WF_F16, false, false, WF_BF16, false, false, WF_F32},
        {WF_PROMOTE_TORCH, WF_U8, false, false, WF_I8, false, false, WF_I16},
        {WF_PROMOTE_TORCH, WF_F32, false, false, WF_F64, false, true, WF_F32},
        {WF_PROMOTE_TORCH, WF_I32, false, false, WF_F64, false, true, WF_F64},
        {WF_PROMOTE_TORCH, WF_I32, false, false, WF_F32, true, true, WF_F32},
        {WF_PROMOTE_TORCH, WF_BOOL, false, false, WF_I64, true, true, WF_I64},
        {WF_PROMOTE_TORCH, WF_U32, false, false, WF_I32, false, false, WF_INVALID},
        {WF_PROMOTE_TORCH, WF_I16, false, true, WF_I32, false, true, WF_I32},
        {WF_PROMOTE_JAX, WF_I32, false, false, WF_F16, false, false, WF_F16},
        {WF_PROMOTE_JAX, WF_U8, false, false, WF_I8, false, false, WF_I16},
        {WF_PROMOTE_JAX, WF_U32, false, false, WF_I32, false, false, WF_I64},
        {WF_PROMOTE_JAX, WF_U64, false, false, WF_I64, false, false, WF_F32},
        {WF_PROMOTE_JAX, WF_I8, false, false, WF_I64, true, false, WF_I8},
        {WF_PROMOTE_JAX, WF_BF16, false, false, WF_F32, true, false, WF_BF16},
        {WF_PROMOTE_JAX, WF_F16, false, false, WF_BF16, false, false, WF_F32},
        {WF_PROMOTE_JAX, WF_F32, false, false, WF_F64, false, true, WF_F64},
        {WF_PROMOTE_JAX, WF_BOOL, false, false, WF_BOOL, false, false, WF_BOOL},
        {WF_PROMOTE_NUMPY, WF_I32, false, false, WF_F32, false, false, WF_F64},
        {WF_PROMOTE_NUMPY, WF_I16, false, false, WF_F32, false, false, WF_F32},
        {WF_PROMOTE_NUMPY, WF_I8, false, false, WF_F16, false, false, WF_F16},
        {WF_PROMOTE_NUMPY, WF_U64, false, false, WF_I64, false, false, WF_F64},
        {WF_PROMOTE_NUMPY, WF_U8, false, false, WF_I8, false, false, WF_I16},
        {WF_PROMOTE_NUMPY, WF_U8, false, false, WF_I64, true, false, WF_U8},
        {WF_PROMOTE_NUMPY, WF_F32, false, false, WF_F64, true, false, WF_F32},
        {WF_PROMOTE_NUMPY, WF_I32, false, false, WF_F64, true, false, WF_F64},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wf_dtype ab = wf_promote(rows[i].rules, rows[i].a, rows[i].aw, rows[i].az,
                                 rows[i].b, rows[i].bw, rows[i].bz);
        wf_dtype ba = wf_promote(rows[i].rules, rows[i].b, rows[i].bw, rows[i].bz,
                                 rows[i].a, rows[i].aw, rows[i].az);
        if (ab != rows[i].want || ba != rows[i].want)
            check_fail(__FILE__, __LINE__, "row %zu: %s and %s, not %s", i,
                       wf_dtype_name(ab), wf_dtype_name(ba), wf_dtype_name(rows[i].want));
    }
}

TEST(conventions_of_a_library_are_data_that_a_context_takes)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_semantics jax = {.size = sizeof jax}, numpy = jax, now = jax, older = {.size = offsetof(wf_semantics, precision)};
    wf_tensor one = wf_scalar(c, WF_I32, 1), long_one = wf_scalar(c, WF_I64, 1), zero = wf_scalar(c, WF_I32, 0);

    REQUIRE(!wf_semantics_like(c, WF_PROMOTE_JAX, &jax) && !wf_semantics_like(c, WF_PROMOTE_NUMPY, &numpy));
    CHECK_EQ_INT(wf_dtype_of(c, wf_sqrt(c, one)), WF_F32);
    REQUIRE(!wf_set_semantics(c, &numpy));
    CHECK_EQ_INT(wf_dtype_of(c, wf_sqrt(c, one)), WF_F64);
    REQUIRE(!wf_set_semantics(c, &jax));
    CHECK_EQ_INT(wf_dtype_of(c, wf_sqrt(c, one)), WF_F32);
    CHECK_EQ_INT(wf_dtype_of(c, wf_argmax(c, wf_reshape(c, long_one, (int64_t[]){1}, 1), 0, false)), WF_I32);
    wf_floor_div(c, one, zero);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    wf_semantics_like(c, WF_PROMOTE_TORCH, &numpy);
    REQUIRE(!wf_set_semantics(c, &numpy));
    wf_floor_div(c, one, zero);
    CHECK_HAS(wf_ctx_message(c), "ZeroDivisionError");
    wf_clear(c);
    wf_set_semantics(c, &(wf_semantics){.promotion = WF_PROMOTE_JAX});
    CHECK_HAS(wf_ctx_message(c), "wf_semantics.size is not set");
    wf_clear(c);
    jax.default_float = WF_I32;
    wf_set_semantics(c, &jax);
    CHECK_HAS(wf_ctx_message(c), "needs a float dtype, got i32");
    wf_semantics_of(c, &now);
    CHECK_EQ_INT(now.promotion, WF_PROMOTE_TORCH);
    wf_clear(c);
    wf_semantics_of(c, &older); /* a struct of an older header: what it lacks stays as it is */
    CHECK(older.default_float == WF_F32 && older.size == offsetof(wf_semantics, precision));
    CHECK(!older.strict && now.strict && !wf_set_semantics(c, &older));
    now.strict = false;
    wf_semantics_of(c, &now);
    CHECK(now.strict);
    wf_semantics_of(c, &(wf_semantics){0});
    CHECK_HAS(wf_ctx_message(c), "wf_semantics_of: wf_semantics.size is not set");
    wf_ctx_free(c);
}

TEST(host_numbers_take_the_dtype_they_meet_and_keep_their_digits)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = one(c, 0), y = wf_add(c, x, wf_float(c, 0.1)), z;

    CHECK_EQ_INT(wf_dtype_of(c, y), WF_F64);
    CHECK_NEAR(item(c, y), 0.1, 0);
    z = wf_mul(c, wf_scalar(c, WF_F16, 2), wf_float(c, 0.1));
    CHECK_EQ_INT(wf_dtype_of(c, z), WF_F16);
    CHECK_EQ_INT(
        wf_dtype_of(c, wf_div(c, wf_scalar(c, WF_I32, 1), wf_scalar(c, WF_I32, 2))),
        WF_F32);
    SET_MEANS(c, promotion, WF_PROMOTE_NUMPY);
    CHECK_EQ_INT(
        wf_dtype_of(c, wf_div(c, wf_scalar(c, WF_I32, 1), wf_scalar(c, WF_I32, 2))),
        WF_F64);
    check_context(c, "host", "");
    wf_ctx_free(c);
}

/* ---- mistakes ---- */

BODY(cube, wf_mul(c, in[0], wf_square(c, in[0])))
BODY(poly,
     wf_sum(c, wf_mul(c, in[0], wf_sin(c, wf_mul(c, in[0], in[1]))), NULL, 0, false))

static const wf_function cube = WF_FUNCTION(f_cube, NULL, 1, 1, "cube");
static const wf_function poly = WF_FUNCTION(f_poly, NULL, 2, 1, "poly");

#define WRONG(call, text)                                                                \
    do {                                                                                 \
        (void)(call);                                                                    \
        CHECK_HAS(wf_ctx_message(c), text);                                              \
        wf_clear(c);                                                                     \
    } while (0)

static wf_status flatten_wrongly(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_reshape(c, in[0], I64(-1), 1);
    return wf_ctx_status(c);
}

static wf_status twice_of(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_add(c, in[0], in[1]);
    return wf_ctx_status(c);
}

TEST(types_as_text_may_name_their_inputs)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(twice_of, NULL, 2, 1, "f");
    const wf_program *p = NULL;

    CHECK_EQ_INT(wf_trace_types(c, &f, (const char *[]){"left: f32[N]", "f32[N]"}, 2, &p), WF_OK);
    CHECK_STR(wf_program_input_name(p, 0), "left");
    CHECK_EQ_INT(wf_program_find_input(p, "left"), 0);
    wf_program_release(p);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_INT(wf_trace_types(c, &f, (const char *[]){(const char *[]){":f32[N]", "a:", "a:b:f32[N]"}[i], "f32[N]"}, 2, &p),
                     WF_ERR_SYNTAX);
        wf_clear(c);
    }
    wf_ctx_free(c);
}

TEST(a_size_of_minus_one_in_a_program_says_what_to_write_instead)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(flatten_wrongly, NULL, 1, 1, "f");
    const wf_program *p = NULL;

    CHECK_EQ_INT(wf_trace_types(c, &f, (const char *[]){"f32[2,3]"}, 1, &p), WF_ERR_ARG);
    CHECK_HAS(wf_ctx_message(c), "say WF_INFER, not -1");
    wf_clear(c);
    wf_ctx_free(c);
}

TEST(mistakes_name_the_function_what_was_found_and_what_was_needed)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor a = wf_zeros(c, WF_F32, I64(2, 3), 2), b = wf_zeros(c, WF_F32, I64(4), 1),
              i = wf_arange(c, WF_I64, 0, 3, 1);
    wf_tensor out[3];

    WRONG(wf_add(c, a, b), "wf_add: shapes f32[2,3] and f32[4] cannot be broadcast "
                           "together: axis -1 differs");
    WRONG(wf_matmul(c, a, a), "wf_matmul: shapes f32[2,3] and f32[2,3] do not fit");
    WRONG(wf_reshape(c, a, I64(4), 1),
          "wf_reshape: f32[2,3] has 6 elements, but [4] needs 4");
    WRONG(wf_reshape(c, a, I64(WF_INFER, 4), 2), "cannot be divided");
    WRONG(wf_reshape(c, a, I64(-1, 3), 2), "say WF_INFER, not -1");
    WRONG(wf_sum(c, a, (int[]){2}, 1, false),
          "wf_sum: axis 2 is out of range for a tensor of rank 2");
    WRONG(wf_sum(c, a, (int[]){1, -1}, 2, false), "wf_sum: axis -1 stands twice");
    WRONG(wf_permute(c, a, (int[]){0, 0}, 2), "wf_permute: axis 0 stands twice");
    WRONG(wf_index_get(c, a, (wf_index[]){wf_at_int(5)}, 1),
          "index: 5 is out of range for axis 0 of size 2");
    WRONG(wf_index_get(c, a, (wf_index[]){wf_at_int(0), wf_at_int(0), wf_at_int(0)}, 3),
          "3 indices for a tensor of rank 2");
    WRONG(wf_take(c, a, i, 0), "index: 2 is out of range for axis 0 of size 2");
    WRONG(wf_take(c, a, b, 0), "must be of integers or bools, got f32");
    WRONG(wf_index_get(c, a, (wf_index[]){wf_at_slice_step(0, 1, 0)}, 1),
          "the step of a slice is 0");
    WRONG(wf_concat(c, (wf_tensor[]){a, b}, 2, 0),
          "wf_concat: shapes f32[2,3] and f32[4] differ in more than axis 0");
    WRONG(wf_split_equal(c, a, 1, out, 2), "cannot be divided into 2 equal parts");
    WRONG(wf_einsum(c, "ij,jk->ik", &a, 1), "does not name 1 operands");
    WRONG(wf_einsum(c, "ij->ik", &a, 1),
          "label 'k' of the result stands twice or in no operand");
    WRONG(wf_einsum(c, "i1->i", &a, 1), "wf_einsum: '1' at position 1");
    WRONG(
        wf_cross_entropy(c, a, wf_arange(c, WF_I64, 2, 4, 1), WF_NONE, -100, 0, WF_MEAN),
        "index: 3 is out of range");
    WRONG(wf_conv(c, a, a, WF_NONE, 2, NULL, NULL, NULL, 1),
          "wf_conv: 2 spatial axes need [N,C,..] of rank 4, got f32[2,3]");
    WRONG(wf_conv(c, a, a, WF_NONE, INT_MAX, NULL, NULL, NULL, 1), "wf_conv: 2147483647 spatial axes; there are 1 to 3");
    WRONG(wf_sub(c, wf_bool(c, true), wf_bool(c, true)),
          "wf_sub: not defined for two bools");
    WRONG(wf_bitwise_and(c, a, a), "wf_bitwise_and: needs integers or bools, got f32");
    WRONG(wf_max(c, wf_zeros(c, WF_F32, I64(0), 1), NULL, 0, false),
          "wf_max: no elements along axis 0");
    WRONG(wf_item(c, a), "wf_item: needs one element, got f32[2,3]");
    WRONG(wf_requires_grad(c, i, true),
          "wf_requires_grad: needs a float dtype, got i64[3]");
    WRONG(wf_zeros(c, WF_INVALID, NULL, 0), "wf_full: dtype invalid cannot be used");
    WRONG(wf_zeros(c, WF_F32, I64(-3), 1), "wf_full: size -3 of axis 0 is negative");
    WRONG(wf_arange(c, WF_F32, 0, 1, 0), "wf_arange: the number of steps is not a size");
    WRONG(wf_top_k(c, b, 9, 0, true, out, out + 1), "wf_top_k: 9 of axis 0 of f32[4]");
    WRONG(wf_layer_norm(c, a, 3, WF_NONE, WF_NONE, 1e-5),
          "wf_layer_norm: cannot normalise 3 axes of f32[2,3]");
    WRONG(
        wf_vmap_call(c, &poly, (wf_tensor[]){a, b}, (int[]){0, 0}, 2, NULL, NULL, out, 1),
        "input 1 has 4 elements along its mapped axis");
    WRONG(wf_grad_call(c, &cube, &a, 1, NULL, 0, NULL, 0, out),
          "the first result must be a float scalar, got f32[2,3]");
    WRONG(wf_grad_call(c, &cube, &i, 1, NULL, 0, NULL, 0, out),
          "derivatives need float arguments, got i64[3]");
    CHECK_NEAR(item(c, wf_sum(c, a, NULL, 0, false)), 0, 0);
    check_context(c, "mistakes", "end");
    wf_ctx_free(c);
}

/* ---- memory, threads ---- */

static wf_status everything(wf_ctx *c)
{
    wf_tensor x, w, y, g[2], out;
    wf_graph *graph = NULL;
    wf_session *s = NULL;
    wf_jit *jit = NULL;
    const wf_program *p = NULL;
    int zero = 0;

    wf_scope_begin(c);
    x = wf_arange(c, WF_F32, 0, 6, 1);
    w = wf_full(c, WF_F32, I64(3, 2), 2, 0.5);
    wf_requires_grad(c, w, true);
    y = wf_softmax(c, wf_matmul(c, wf_reshape(c, x, I64(2, 3), 2), w), 1);
    y = wf_cross_entropy(c, y, wf_arange(c, WF_I64, 0, 2, 1), WF_NONE, -100, 0, WF_MEAN);
    wf_gradients(c, &y, NULL, 1, &w, 1, WF_GRAD_CREATE, g);
    wf_backward(c, y, WF_NONE, 0);
    wf_index_write(c, x, (wf_index[]){wf_at_slice_step(WF_NOT, WF_NOT, 2)}, 1,
                   wf_float(c, 1));
    x = wf_cast(c, x, WF_F64);
    wf_vmap_call(c, &cube, &x, &zero, 1, NULL, NULL, &out, 1);
    if (wf_jit_new(c, &cube, &jit) == WF_OK) {
        wf_jit_call(c, jit, &x, 1, &out, 1, NULL, 0);
        wf_jit_free(c, jit);
    }
    wf_grad_call(c, &poly, (wf_tensor[]){x, wf_scalar(c, WF_F64, 2)}, 2, (int[]){0, 1}, 2,
                 &out, 1, g);
    wf_trace_types(c, &poly, (const char *[]){"f64[N]", "f64[]"}, 2, &p);
    wf_program_release(p);
    if (wf_graph_new(c, "g", NULL, &graph) == WF_OK) {
        wf_tensor v = wf_variable(c, graph, "v", wf_scalar(c, WF_F64, 1));
        wf_tensor a =
            wf_assign(c, v, wf_add(c, v, wf_partial(c, wf_square(c, v), v, WF_NONE)));
        if (wf_session_new(c, graph, &s) == WF_OK)
            for (int i = 0; i < 2; i++)
                wf_session_run(c, s, NULL, NULL, 0, &a, 1, &out);
        wf_session_free(c, s);
        wf_graph_free(c, graph);
    }
    wf_scope_end(c);
    return wf_ctx_status(c);
}

TEST(every_allocation_may_fail) { check_faults(everything, 7); }

/* What is composed of many ops: images, counts, scatters, masks. */
static wf_status compositions(wf_ctx *c)
{
    wf_tensor x, i, y, z, n;

    wf_scope_begin(c);
    x = wf_reshape(c, wf_arange(c, WF_F32, 0, 36, 1), I64(1, 1, 6, 6), 4);
    y = wf_unfold(c, x, 2, I64(2, 2), NULL, NULL, I64(2, 2));
    wf_fold(c, y, 2, I64(6, 6), I64(2, 2), NULL, NULL, I64(2, 2));
    wf_interpolate(c, x, 2, I64(4, 9), NULL, true, false);
    wf_pad_with(c, x, I64(0, 0, 2, 1), I64(0, 0, 1, 2), 4, WF_PAD_REFLECT, 0);
    wf_max_pool_with(c, x, 2, I64(2, 3), I64(2, 2), NULL, NULL, true, &i);
    wf_avg_pool_with(c, x, 2, I64(2, 3), I64(2, 2), NULL, true, false, 0);
    wf_unique(c, i, &y, &z, &n);
    wf_mode(c, x, -1, false, &y, &z);
    wf_histogram(c, x, 4, 0, 0);
    y = wf_scatter_along(c, wf_zeros(c, WF_F32, I64(3, 2), 2),
                         wf_zeros(c, WF_I64, I64(3, 2), 2), wf_float(c, 2), 0,
                         WF_SCATTER_MEAN, false);
    wf_masked_scatter(c, y, wf_gt(c, y, wf_float(c, 0)), x);
    wf_logcumsumexp(c, y, 0);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

TEST(compositions_survive_failing_allocations) { check_faults(compositions, 41); }

static void *train(void *user)
{
    double *out = user;
    wf_options o = {.size = sizeof o, .threads = 1};
    wf_ctx *c = wf_ctx_new(&o);
    uint64_t seed = 9;
    wf_tensor x = random_tensor(c, "f32[16,8]", -1, 1, &seed),
              t = random_tensor(c, "f32[16,1]", -1, 1, &seed);
    wf_tensor w1 = random_tensor(c, "f32[8,16]", -0.5, 0.5, &seed),
              w2 = random_tensor(c, "f32[16,1]", -0.5, 0.5, &seed);

    for (int i = 0; i < 100; i++) {
        wf_tensor l, g[2], w[2] = {w1, w2};
        wf_scope_begin(c);
        wf_requires_grad(c, w1, true);
        wf_requires_grad(c, w2, true);
        l = wf_mse_loss(c, wf_matmul(c, wf_tanh(c, wf_matmul(c, x, w1)), w2), t, WF_MEAN);
        wf_gradients(c, &l, NULL, 1, w, 2, 0, g);
        wf_no_grad_begin(c);
        for (int k = 0; k < 2; k++)
            wf_sub_in(c, w[k], wf_mul(c, g[k], wf_float(c, 0.1)));
        wf_no_grad_end(c);
        *out = wf_item(c, l);
        wf_scope_end(c);
    }
    if (wf_ctx_status(c) != WF_OK)
        *out = -1;
    wf_ctx_free(c);
    return NULL;
}

TEST(eight_contexts_in_eight_threads_train_alike)
{
    pthread_t th[8];
    double alone, out[8];

    train(&alone);
    CHECK(alone > 0 && alone < 0.3);
    for (int i = 0; i < 8; i++)
        pthread_create(&th[i], NULL, train, &out[i]);
    for (int i = 0; i < 8; i++) {
        pthread_join(th[i], NULL);
        CHECK(out[i] == alone);
    }
}

TEST(ten_thousand_training_steps_take_constant_memory)
{
    FaultAlloc f = {0};
    wf_options o = {.size = sizeof o, .allocator = fault_allocator(&f), .threads = 1};
    wf_ctx *c = wf_ctx_new(&o);
    uint64_t seed = 3;
    wf_tensor x = random_tensor(c, "f32[4,3]", -1, 1, &seed);
    wf_tensor w = random_tensor(c, "f32[3,2]", -1, 1, &seed), loss;
    long bytes = 0;

    wf_requires_grad(c, w, true);
    for (int i = 0; i < 10000; i++) {
        wf_scope_begin(c);
        loss = wf_mean(c, wf_square(c, wf_tanh(c, wf_matmul(c, x, w))), NULL, 0, false);
        wf_backward(c, loss, WF_NONE, 0);
        wf_no_grad_begin(c);
        wf_sub_in(c, w, wf_mul(c, wf_grad_of(c, w), wf_float(c, 0.01)));
        wf_no_grad_end(c);
        wf_set_grad(c, w, WF_NONE);
        wf_scope_end(c);
        if (i == 100)
            bytes = f.live_bytes;
    }
    check_context(c, "training", "");
    CHECK_EQ_INT(f.live_bytes, bytes);
    CHECK_EQ_INT(wf_history_hits(c), 9999);
    wf_ctx_free(c);
    CHECK_EQ_INT(f.live_bytes, 0);
}

/* ---- symbolic sizes ---- */

static wf_tensor mlp(wf_ctx *c, wf_tensor x, wf_tensor w)
{
    wf_tensor h = wf_relu(c, wf_matmul(c, x, w));
    wf_tensor n = wf_layer_norm(c, h, 1, WF_NONE, WF_NONE, 1e-5);
    wf_tensor row = wf_index_get(c, n, (wf_index[]){wf_at_slice(1, WF_NOT)}, 1);

    return wf_sum(c, wf_log_softmax(c, wf_concat(c, (wf_tensor[]){n, row}, 2, 0), -1),
                  NULL, 0, false);
}
BODY(mlp, mlp(c, in[0], in[1]))

TEST(layers_over_a_symbolic_batch_have_values_and_gradients_for_every_size)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(f_mlp, NULL, 2, 1, "mlp");
    const wf_program *p = NULL, *g = NULL;
    uint64_t seed = 5;

    wf_trace_types(c, &f, (const char *[]){"f64[N,3]", "f64[3,4]"}, 2, &p);
    REQUIRE(check_context(c, "mlp", "trace"));
    wf_grad(c, p, (int[]){1}, 1, &g);
    REQUIRE(check_context(c, "mlp", "grad"));
    for (int n = 1; n < 5; n++) {
        char type[32];
        wf_tensor in[2], y, z, gy, gz;
        snprintf(type, sizeof type, "f64[%d,3]", n);
        in[0] = random_tensor(c, type, -1, 1, &seed);
        in[1] = random_tensor(c, "f64[3,4]", -1, 1, &seed);
        f_mlp(c, NULL, in, 2, &y, 1);
        wf_apply(c, p, in, 2, &z, 1);
        check_same(c, y, z, 1e-13, "mlp", type);
        wf_grad_call(c, &f, in, 2, (int[]){1}, 1, NULL, 0, &gy);
        wf_apply(c, g, in, 2, &gz, 1);
        check_same(c, gy, gz, 1e-13, "mlp gradient", type);
    }
    wf_program_release(p);
    wf_program_release(g);
    wf_ctx_free(c);
}

/* ---- trees ---- */

static wf_tree *params(wf_ctx *c)
{
    wf_tree *layer = wf_tree_dict(
        c, (const char *[]){"w", "b"},
        (wf_tree *[]){wf_tree_leaf(c, one(c, 2)), wf_tree_leaf(c, one(c, 3))}, 2);
    wf_tree *list = wf_tree_list(c, (wf_tree *[]){wf_tree_leaf(c, one(c, 5))}, 1);

    return wf_tree_tuple(c, (wf_tree *[]){layer, list, wf_tree_tuple(c, NULL, 0)}, 3);
}

TEST(trees_flatten_in_order_of_keys_and_come_back)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tree *t, *u;
    wf_tensor flat[3], twice[3];
    const char *text;

    wf_scope_begin(c);
    t = params(c);
    wf_scope_end(c); /* the tree keeps its tensors */
    REQUIRE(check_context(c, "tree", "make"));
    CHECK_EQ_INT(wf_tree_leaves(t), 3);
    wf_tree_structure(c, t, &text);
    CHECK_STR(text, "({'b': *, 'w': *}, [*], ())");
    wf_tree_flatten(t, flat, 3);
    CHECK_NEAR(item(c, flat[0]), 3, 0);
    for (int i = 0; i < 3; i++)
        twice[i] = wf_mul(c, flat[i], wf_float(c, 2));
    u = wf_tree_unflatten(c, t, twice, 3);
    CHECK_NEAR(item(c, wf_tree_tensor(wf_tree_get(wf_tree_at(u, 0), "w"))), 4, 0);
    CHECK(wf_tree_get(wf_tree_at(u, 0), "v") == NULL);
    wf_tree_free(c, t);
    wf_tree_free(c, u);
    CHECK(
        wf_tree_dict(c, (const char *[]){"a", "a"},
                     (wf_tree *[]){wf_tree_tuple(c, NULL, 0), wf_tree_tuple(c, NULL, 0)},
                     2) == NULL);
    CHECK_HAS(wf_ctx_message(c), "wf_tree_dict: key 'a' stands twice");
    wf_ctx_free(c);
}

static void make_trees(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *c = wf_ctx_new(&o);
    wf_tree *t, *u;
    wf_tensor flat[3];

    (void)user;
    if (!c)
        return;
    if ((t = params(c)) != NULL) {
        wf_tree_flatten(t, flat, 3);
        u = wf_tree_unflatten(c, t, flat, 3);
        wf_tree_free(c, u);
        wf_tree_free(c, t);
    }
    wf_ctx_free(c);
}

TEST(trees_survive_every_failing_allocation) { CHECK(fault_each(make_trees, NULL) > 10); }

/* ---- DLPack ---- */

static int deleted;
static void count_deletion(DLManagedTensor *m)
{
    (void)m;
    deleted++;
}

TEST(dlpack_tensors_come_and_go_without_copies)
{
    wf_ctx *c = wf_ctx_new(NULL);
    float data[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *p;
    int64_t shape[2] = {2, 3}, strides[2] = {1, 2};
    DLManagedTensor m = {{data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 4},
                         NULL,
                         count_deletion},
                    *out;
    wf_tensor t;
    double v[6];

    deleted = 0;
    t = wf_from_dlpack(c, &m);
    wf_read_f64(c, t, v, 6);
    CHECK_NEAR(v[1], 3, 0); /* [0,1]: 1 + 2 */
    wf_fill_in(c, t, 9);
    CHECK_NEAR(data[6], 9, 0);
    CHECK_EQ_INT(deleted, 0);
    wf_drop(c, t);
    CHECK_EQ_INT(deleted, 1);
    t = wf_arange(c, WF_F32, 0, 4, 1);
    wf_to_dlpack(c, t, &out);
    REQUIRE(check_context(c, "dlpack", "to"));
    CHECK_EQ_INT(out->dl_tensor.ndim, 1);
    CHECK_EQ_INT(out->dl_tensor.dtype.bits, 32);
    p = out->dl_tensor.data;
    p[2] = 20; /* seen on both sides */
    wf_read_f64(c, t, v, 4);
    CHECK_NEAR(v[2], 20, 0);
    m.dl_tensor.device = (DLDevice){kDLCUDA, 77};
    CHECK(wf_is_none(wf_from_dlpack(c, &m)));
    CHECK_HAS(wf_ctx_message(c), "there is no device 'cuda:77'");
    wf_ctx_free(c);
    CHECK_NEAR(p[3], 3, 0); /* outlives the context */
    out->deleter(out);
}
