/* test_tensor_graph.c -- graphs as handles: side by side, with symbolic sizes, control flow and sessions. */
#include "lib_tensor.h"

#include <math.h>

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }

static wf_tensor ramp(wf_ctx *c, double from, int64_t n)
{
    return wf_arange(c, WF_F64, from, from + (double)n, 1);
}

static double at(wf_ctx *c, wf_tensor t, int64_t i)
{
    double v[1000] = {0};

    wf_read_f64(c, t, v, wf_count(c, t));
    return v[i];
}

static double sum_of(wf_ctx *c, wf_tensor t)
{
    return wf_item(c, wf_sum(c, t, NULL, 0, false));
}

TEST(graphs_are_built_side_by_side_with_sizes_of_their_own)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *g[2];
    wf_tensor x[2], y[2], m[2], n[2], in, out[3];
    const wf_program *p[2];

    for (int k = 0; k < 2; k++)
        wf_graph_new(c, k ? "b" : "a", NULL, &g[k]);
    for (int k = 0; k < 2; k++)
        x[k] = wf_symbol(c, g[k], "x", k ? "f64[M,3]" : "f64[N]");
    for (int k = 0; k < 2; k++) /* composed of many ops, by turns */
        y[k] = wf_softmax(c, wf_mul(c, x[k], wf_float(c, 2)), -1);
    for (int k = 1; k >= 0; k--)
        m[k] = wf_mean(c, wf_square(c, y[k]), NULL, 0, false);
    CHECK(wf_size(c, x[0], 0) < 0 && wf_size(c, x[1], 0) < 0);
    CHECK(!wf_size_equal(c, wf_size(c, x[0], 0), wf_size(c, x[1], 0)));
    for (int k = 0; k < 2; k++) { /* made of a size alone */
        int64_t size = wf_size_mul(c, wf_size(c, x[k], 0), 2);
        n[k] = wf_sum(c, wf_full(c, WF_F64, &size, 1, 0.5), NULL, 0, false);
        CHECK(wf_graph_of(c, n[k]) == g[k]);
    }
    for (int k = 0; k < 2; k++)
        wf_graph_close(c, g[k], &x[k], 1,
                       (wf_tensor[]){m[k], n[k], wf_partial(c, m[k], x[k], WF_NONE)}, 3,
                       &p[k]);
    REQUIRE(check_context(c, "graphs", "close"));
    for (int k = 0; k < 2; k++) {
        wf_tensor z, e;
        in = k ? wf_reshape(c, ramp(c, -1, 6), I64(2, 3), 2) : ramp(c, 0, 4);
        wf_apply(c, p[k], &in, 1, out, 3);
        z = wf_softmax(c, wf_mul(c, in, wf_float(c, 2)), -1);
        e = wf_mean(c, wf_square(c, z), NULL, 0, false);
        CHECK_NEAR(wf_item(c, out[0]), wf_item(c, e), 1e-14);
        CHECK_NEAR(wf_item(c, out[1]), k ? 2 : 4, 0);
        CHECK_EQ_INT(wf_count(c, out[2]), k ? 6 : 4);
        wf_program_release(p[k]);
    }
    wf_add(c, y[0], m[1]);
    CHECK_HAS(wf_ctx_message(c), "a size of another graph or trace is used in 'b'");
    wf_clear(c);
    wf_add(c, m[0], m[1]);
    CHECK_HAS(wf_ctx_message(c),
              "a tensor of another graph or trace is used in graph 'a'");
    wf_clear(c);
    wf_graph_free(c, g[0]);
    wf_add(c, y[0], y[0]);
    CHECK_HAS(wf_ctx_message(c), "used after the trace that made it has ended");
    wf_clear(c);
    CHECK(wf_graph_of(c, wf_exp(c, y[1])) == g[1]);
    wf_graph_free(c, g[1]);
    wf_zeros(c, WF_F64, I64(-1), 1);
    CHECK_HAS(wf_ctx_message(c), "size -1 of axis 0 is negative");
    wf_ctx_free(c);
}

TEST(a_size_belongs_to_its_graph_and_nameless_ones_are_all_different)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *g;
    wf_tensor x, y;
    int64_t size;

    wf_graph_new(c, "g", NULL, &g);
    x = wf_symbol(c, g, "x", "f64[?,?]");
    y = wf_symbol(c, g, "y", "f64[N,N]");
    CHECK(!wf_size_equal(c, wf_size(c, x, 0), wf_size(c, x, 1)));
    CHECK(wf_size_equal(c, wf_size(c, y, 0), wf_size(c, y, 1)));
    size = wf_size(c, x, 0);
    wf_graph_free(c, g);
    wf_zeros(c, WF_F64, &size, 1);
    CHECK_HAS(wf_ctx_message(c), "is negative");
    wf_clear(c);
    wf_size_add(c, size, 1);
    CHECK_HAS(wf_ctx_message(c), "means nothing outside its program");
    wf_ctx_free(c);
}

/* ---- control flow ---- */

typedef struct Body {
    wf_tensor w; /* from outside */
} Body;

static wf_status f_turn(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    const Body *b = user;

    (void)nin, (void)nout;
    out[0] = wf_tanh(c, wf_add(c, wf_mul(c, in[0], b->w), in[1]));
    out[1] = wf_sum(c, out[0], NULL, 0, false);
    return wf_ctx_status(c);
}

BODY(twice, wf_add(c, in[0], in[0]))
BODY(cube, wf_mul(c, in[0], wf_square(c, in[0])))

static wf_status f_weighed(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    out[0] = wf_sum(c, wf_mul(c, in[0], ((Body *)user)->w), NULL, 0, false);
    return wf_ctx_status(c);
}

TEST(control_flow_of_a_graphs_tensors_is_part_of_it)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *g, *other;
    wf_tensor h, xs, k, out[2], last, grads[2], in[4], res[4], want;
    Body b;
    const wf_program *p;

    wf_graph_new(c, "rnn", NULL, &g);
    wf_graph_new(c, "other", NULL, &other);
    h = wf_symbol(c, g, "h", "f64[D]");
    xs = wf_symbol(c, g, "xs", "f64[T,D]");
    b.w = wf_symbol(c, g, "w", "f64[D]");
    k = wf_symbol(c, g, "k", "i32[]");
    wf_symbol(c, other, "z",
              "f64[D]"); /* the graph that was built last does not matter */
    wf_scan_call(c, &(wf_function)WF_FUNCTION(f_turn, &b, 2, 2, "turn"), 1,
                 (wf_tensor[]){h, xs}, 2, WF_UNBOUNDED, false, out, 2);
    wf_cond_call(c, k,
                 (wf_function[]){WF_FUNCTION(f_twice, NULL, 1, 1, "a"),
                                 WF_FUNCTION(f_cube, NULL, 1, 1, "b")},
                 2, &out[0], 1, &last, 1);
    REQUIRE(check_context(c, "flow", "build"));
    CHECK(wf_graph_of(c, last) == g);
    last = wf_sum(c, last, NULL, 0, false);
    wf_partials(c, &last, NULL, 1, (wf_tensor[]){b.w, k}, 1, grads);
    wf_graph_close(c, g, (wf_tensor[]){h, xs, b.w, k}, 4,
                   (wf_tensor[]){last, out[1], grads[0]}, 3, &p);
    REQUIRE(check_context(c, "flow", "close"));
    in[0] = ramp(c, 0, 2);
    in[1] = wf_mul(c, wf_reshape(c, ramp(c, -2, 6), I64(3, 2), 2), wf_float(c, 0.2));
    in[2] = wf_mul(c, ramp(c, 1, 2), wf_float(c, 0.3));
    in[3] = wf_scalar(c, WF_I32, 1);
    wf_apply(c, p, in, 4, res, 3);
    wf_requires_grad(c, in[2], true); /* the same, run now */
    b.w = in[2];
    wf_scan_call(c, &(wf_function)WF_FUNCTION(f_turn, &b, 2, 2, "turn"), 1, in, 2,
                 WF_UNBOUNDED, false, out, 2);
    f_cube(c, NULL, out, 1, &want, 1);
    want = wf_sum(c, want, NULL, 0, false);
    wf_backward(c, want, WF_NONE, 0);
    check_context(c, "flow", "run");
    CHECK_NEAR(wf_item(c, res[0]), wf_item(c, want), 1e-14);
    CHECK_NEAR(at(c, res[2], 1), at(c, wf_grad_of(c, in[2]), 1), 1e-13);
    wf_program_release(p);
    b.w = wf_symbol(c, other, "w", "f64[2]"); /* used from outside, not an operand */
    for (int inside = 0; inside < 2; inside++) {
        if (inside)
            wf_graph_enter(c, other);
        wf_grad_call(c, &(wf_function)WF_FUNCTION(f_weighed, &b, 1, 1, "f"), in, 1, NULL,
                     0, &want, 1, out);
        CHECK_HAS(wf_ctx_message(c),
                  inside ? "" : "would be a constant in graph 'other'; enter the graph");
        CHECK(inside ? wf_graph_of(c, out[0]) == other
                     : wf_ctx_status(c) == WF_ERR_VALUE);
        wf_clear(c);
    }
    wf_graph_leave(c, other);
    wf_graph_free(c, g);
    wf_graph_free(c, other);
    wf_ctx_free(c);
}

/* ---- sessions ---- */

typedef struct Line {
    wf_graph *g;
    wf_tensor x, w, loss, step;
} Line;

/* w goes half of the way to the mean of x in each step */
static Line line_new(wf_ctx *c, const char *name)
{
    Line l;

    wf_graph_new(c, name, NULL, &l.g);
    l.x = wf_symbol(c, l.g, "x", "f64[N]");
    l.w = wf_variable(c, l.g, "w", wf_zeros(c, WF_F64, I64(1000), 1));
    l.loss = wf_mean(c, wf_square(c, wf_sub(c, wf_mean(c, l.x, NULL, 0, false), l.w)),
                     NULL, 0, false);
    l.step = wf_assign(
        c, l.w,
        wf_sub(c, l.w, wf_mul(c, wf_float(c, 250), wf_partial(c, l.loss, l.w, WF_NONE))));
    return l;
}

static double line_step(wf_ctx *c, wf_session *s, const Line *l, double x, int64_t n)
{
    wf_tensor out[2], in = wf_full(c, WF_F64, &n, 1, x);

    wf_session_run(c, s, &l->x, &in, 1, (wf_tensor[]){l->loss, l->step}, 2, out);
    return wf_item(c, out[0]);
}

static wf_status f_runs_a_session(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                                  wf_tensor *out, int nout)
{
    void **u = user;

    (void)nin, (void)nout;
    out[0] = wf_add(c, in[0], wf_float(c, line_step(c, u[0], u[1], 4, 3)));
    return wf_ctx_status(c);
}

TEST(sessions_of_one_graph_have_values_of_their_own_and_run_from_any_place)
{
    wf_ctx *c = wf_ctx_new(NULL);
    Line a = line_new(c, "a"), b = line_new(c, "b");
    wf_session *s, *t, *u;
    wf_tensor x = ramp(c, 0, 2), y, v;
    const wf_program *p;
    int64_t bytes = 0;

    wf_session_new(c, a.g, &s);
    wf_session_new(c, a.g, &t);
    wf_session_new(c, b.g, &u);
    CHECK_NEAR(line_step(c, s, &a, 4, 3), 16, 1e-12);
    CHECK_NEAR(line_step(c, s, &a, 4, 5), 4, 1e-12); /* another size, the same program */
    CHECK_EQ_INT(wf_session_plans(s), 1);
    CHECK_NEAR(line_step(c, t, &a, 4, 3), 16, 1e-12); /* from the first value */
    wf_graph_enter(c, a.g);                           /* while another is built */
    CHECK_NEAR(line_step(c, u, &b, 2, 3), 4, 1e-12);
    y = wf_exp(c, a.loss);
    wf_graph_leave(c, a.g);
    CHECK(wf_graph_of(c, y) == a.g);
    wf_trace(c, &(wf_function)WF_FUNCTION(f_runs_a_session, (void *[]){t, &a}, 1, 1, "f"),
             &x, 1, &p);
    wf_apply(c, p, &x, 1, &y, 1); /* the session ran once, when it was traced */
    CHECK_NEAR(at(c, y, 1), 1 + 4, 1e-12);
    CHECK_NEAR(at(c, wf_variable_value(c, t, a.w), 0), 3, 1e-12);
    wf_program_release(p);
    wf_set_variable(c, t, a.w, wf_full(c, WF_F64, I64(1000), 1, 3.5));
    CHECK_NEAR(line_step(c, t, &a, 4, 3), 0.25, 1e-12);
    v = wf_variable_value(c, t, a.w); /* held by us: the next value is elsewhere */
    line_step(c, t, &a, 4, 3);
    CHECK_NEAR(at(c, v, 999), 3.75, 1e-12);
    check_context(c, "session", "run");
    for (int i = 0; i < 50; i++) {
        wf_scope_begin(c);
        line_step(c, t, &a, 4, 3);
        wf_scope_end(c);
        bytes = i ? bytes : wf_live_bytes(c);
    }
    CHECK_EQ_INT(wf_live_bytes(c), bytes);
    wf_session_run(c, s, NULL, NULL, 0, &b.loss, 1, &y);
    CHECK_HAS(wf_ctx_message(c), "not an expression of graph 'a'");
    wf_clear(c);
    wf_set_variable(c, t, a.w, ramp(c, 0, 2));
    CHECK_HAS(wf_ctx_message(c),
              "f64[2] cannot be the value of a variable of type f64[1000]");
    wf_clear(c);
    wf_assign(c, a.x, a.x);
    CHECK_HAS(wf_ctx_message(c), "wf_assign: the tensor is not a variable of the graph");
    wf_clear(c);
    wf_graph_free(c, a.g);
    CHECK(line_step(c, t, &a, 4, 3) < 1e-9); /* its sessions hold it */
    wf_session_free(c, s);
    wf_session_free(c, t);
    wf_session_free(c, u);
    wf_graph_free(c, b.g);
    check_context(c, "session", "end");
    wf_ctx_free(c);
}

TEST(entering_and_leaving_is_checked)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *a, *b;

    wf_graph_new(c, "a", NULL, &a);
    wf_graph_new(c, "b", NULL, &b);
    wf_graph_enter(c, a);
    wf_graph_enter(c, a);
    wf_graph_enter(c, b);
    wf_graph_leave(c, a);
    CHECK_HAS(wf_ctx_message(c), "graph 'a' is not the innermost");
    wf_clear(c);
    wf_graph_enter(c, a);
    CHECK_HAS(wf_ctx_message(c), "graph 'a' is entered further out");
    wf_clear(c);
    wf_graph_free(c, a);
    CHECK_HAS(wf_ctx_message(c), "wf_graph_free: graph 'a' is entered");
    wf_clear(c);
    wf_graph_leave(c, b);
    wf_graph_leave(c, a);
    wf_graph_leave(c, a);
    CHECK(!wf_is_symbolic(c, wf_zeros(c, WF_F32, I64(2), 1)));
    wf_graph_free(c, a);
    wf_graph_free(c, b);
    CHECK_NEAR(sum_of(c, ramp(c, 0, 3)), 3, 0);
    check_context(c, "enter", "end");
    wf_ctx_free(c);
}

static wf_status build_and_run(wf_ctx *c)
{
    wf_session *s = NULL;
    Line l = {0};

    wf_scope_begin(c);
    if (wf_ctx_status(c) == WF_OK)
        l = line_new(c, "l");
    if (l.g && wf_session_new(c, l.g, &s) == WF_OK)
        for (int i = 0; i < 2; i++)
            line_step(c, s, &l, 2, 3 + i);
    wf_session_free(c, s);
    wf_graph_free(c, l.g);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

TEST(graphs_survive_failing_allocations) { check_faults(build_and_run, 11); }
