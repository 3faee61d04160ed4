/* test_tensor_call.c -- calls of programs that are recorded: the forward runs once, and its values serve the derivative.
 *
 * The oracle is the same function run op by op; that every body of tests/test_tensor_ops.c agrees is checked in
 * lib_tensor.c, and that forward and derivative together are jvp in lib_laws.c. Here: what is kept, and for how long. */
#include "lib_tensor.h"

#include <math.h>

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }

static wf_tensor vec(wf_ctx *c, double a, double b)
{
    return wf_from(c, WF_F64, I64(2), 1, (double[]){a, b});
}

/* exp(sum(tanh(x * w) * w + b)): the derivative reads x, w and the result, not b */
BODY(net,
     wf_exp(c, wf_sum(c,
                      wf_add(c, wf_mul(c, wf_tanh(c, wf_mul(c, in[0], in[1])), in[1]),
                             in[2]),
                      NULL, 0, false)))
BODY(sigmoid, wf_sigmoid(c, in[0]))

typedef struct Net {
    wf_ctx *c;
    wf_jit *jit;
    wf_tensor in[3];
    int inputs;
} Net;

static Net net_new(wf_call call, int inputs)
{
    Net n = {.c = wf_ctx_new(NULL), .inputs = inputs};

    wf_jit_new(n.c, &(wf_function)WF_FUNCTION(call, NULL, inputs, 1, "net"), &n.jit);
    n.in[0] = vec(n.c, 0.3, -0.8);
    n.in[1] = vec(n.c, 1.2, 0.4);
    n.in[2] = vec(n.c, 0.1, 0.2);
    return n;
}

static void net_free(Net *n)
{
    check_context(n->c, "call", "end");
    wf_jit_free(n->c, n->jit);
    wf_ctx_free(n->c);
}

static wf_tensor net_call(Net *n)
{
    wf_tensor y = WF_NONE;

    wf_jit_call(n->c, n->jit, n->in, n->inputs, &y, 1, NULL, 0);
    return y;
}

static double at(wf_ctx *c, wf_tensor t, int i)
{
    double v[2] = {NAN, NAN};

    wf_read_f64(c, t, v, 2);
    return v[i];
}

/* d log(net) / dx = w² (1 - tanh²(x w)) */
static double dnet(double x, double w) { return w * w * (1 - pow(tanh(x * w), 2)); }

TEST(a_recorded_call_keeps_what_its_derivative_reads_and_minds_no_other_writes)
{
    Net n = net_new(f_net, 3);
    wf_tensor y;
    double v;

    wf_requires_grad(n.c, n.in[0], true);
    y = net_call(&n);
    v = wf_item(n.c, y);
    wf_fill_in(n.c, n.in[2], 7); /* b, which no derivative reads */
    wf_backward(n.c, y, WF_NONE, 0);
    check_context(n.c, "call", "backward");
    CHECK_NEAR(at(n.c, wf_grad_of(n.c, n.in[0]), 0), v * dnet(0.3, 1.2), 1e-13);
    CHECK_NEAR(at(n.c, wf_grad_of(n.c, n.in[0]), 1), v * dnet(-0.8, 0.4), 1e-13);
    y = net_call(&n);
    wf_fill_in(n.c, n.in[1], 7);
    wf_backward(n.c, y, WF_NONE, 0);
    CHECK_EQ_INT(wf_ctx_status(n.c), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(n.c), "call saved for its derivative was written to");
    wf_clear(n.c);
    net_free(&n);
}

TEST(a_result_written_to_after_the_call_is_computed_again)
{
    Net n = net_new(f_sigmoid, 1);
    wf_tensor y, z;
    double s = 1 / (1 + exp(-0.3));

    wf_requires_grad(n.c, n.in[0], true);
    y = net_call(&n);
    z = wf_sum(n.c, y, NULL, 0, false);
    wf_no_grad_begin(n.c);
    wf_fill_in(n.c, y, 5); /* the derivative y (1 - y) would read it */
    wf_no_grad_end(n.c);
    wf_backward(n.c, z, WF_NONE, 0);
    check_context(n.c, "call", "backward");
    CHECK_NEAR(at(n.c, wf_grad_of(n.c, n.in[0]), 0), s * (1 - s), 1e-14);
    net_free(&n);
}

TEST(a_kept_history_serves_again_and_a_used_one_says_so)
{
    Net n = net_new(f_net, 3);
    wf_tensor y, g;
    int64_t before;
    double v;

    wf_requires_grad(n.c, n.in[0], true);
    wf_requires_grad(n.c, n.in[1], true);
    y = net_call(&n);
    v = wf_item(n.c, y);
    for (int k = 0; k < 2; k++) /* by one of the two alone */
        wf_gradients(n.c, &y, NULL, 1, &n.in[k], 1, WF_GRAD_KEEP, &g);
    CHECK_NEAR(at(n.c, g, 0), v * (tanh(0.36) + 0.36 * (1 - pow(tanh(0.36), 2))), 1e-13);
    wf_backward(n.c, y, WF_NONE, 0);
    CHECK_NEAR(at(n.c, wf_grad_of(n.c, n.in[0]), 0), v * dnet(0.3, 1.2), 1e-13);
    wf_backward(n.c, y, WF_NONE, 0);
    CHECK_HAS(wf_ctx_message(n.c), "the history was used and freed already");
    wf_clear(n.c);
    before = wf_live_bytes(n.c);
    wf_scope_begin(n.c);
    net_call(&n);
    CHECK(wf_live_bytes(n.c) > before);
    wf_scope_end(n.c);
    CHECK_EQ_INT(wf_live_bytes(n.c), before); /* what was kept went with the result */
    wf_no_grad_begin(n.c);
    y = net_call(&n);
    wf_no_grad_end(n.c);
    CHECK(!wf_has_grad_history(n.c, y));
    net_free(&n);
}

static wf_status f_jit(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    return wf_jit_call(c, user, in, nin, out, nout, NULL, 0);
}

TEST(derivatives_of_derivatives_go_through_what_a_call_kept)
{
    Net n = net_new(f_net, 3);
    wf_tensor y[2], g[2], h[2], t[2], d, gy = vec(n.c, 0.7, -0.2);
    wf_record *r;

    wf_requires_grad(n.c, n.in[0], true);
    for (int k = 0; k < 2; k++) {
        if (k)
            y[k] = net_call(&n);
        else
            f_net(n.c, NULL, n.in, 3, &y[k], 1);
        wf_gradients(n.c, &y[k], NULL, 1, n.in, 1, WF_GRAD_CREATE, &g[k]);
        wf_gradients(n.c, &g[k], &gy, 1, n.in, 1, WF_GRAD_CREATE, &h[k]);
        wf_gradients(n.c, &h[k], &gy, 1, n.in, 1, 0, &t[k]);
    }
    check_same(n.c, g[0], g[1], 1e-13, "call", "first");
    check_same(n.c, h[0], h[1], 1e-13, "call", "second");
    check_same(n.c, t[0], t[1], 1e-13, "call", "third");
    CHECK(fabs(at(n.c, t[0], 0)) > 0.1);
    wf_record_new(n.c, &(wf_function)WF_FUNCTION(f_jit, n.jit, 3, 1, "f"), n.in, 3,
                  (int[]){0}, 1, y, 1, &r);
    wf_record_jvp(n.c, r, (wf_tensor[]){vec(n.c, 1, 0)}, 1, &d, 1);
    wf_record_free(n.c, r);
    CHECK_NEAR(wf_item(n.c, d), at(n.c, g[0], 0), 1e-13);
    net_free(&n);
}

/* ---- gradients that come with the call ---- */

/* A step of training by SGD that moves nothing: gradients of x and w as they are, by the call's own derivative. */
static void train(Net *n, int steps)
{
    for (int k = 0; k < steps; k++) {
        wf_set_grad(n->c, n->in[0], WF_NONE);
        wf_set_grad(n->c, n->in[1], WF_NONE);
        wf_backward(n->c, net_call(n), WF_NONE, 0);
    }
}

static Net trained_net(void)
{
    Net n = net_new(f_net, 3);

    wf_requires_grad(n.c, n.in[0], true);
    wf_requires_grad(n.c, n.in[1], true);
    train(&n, 5);
    return n;
}

/* The gradients of x and w, op by op, times the cotangent: against those of the call. */
static void check_gradients(Net *n, double cotangent, unsigned flags)
{
    wf_tensor y[2], g[2][2], gy = wf_scalar(n->c, WF_F64, cotangent);

    f_net(n->c, NULL, n->in, 3, &y[0], 1);
    y[1] = net_call(n);
    for (int k = 0; k < 2; k++)
        wf_gradients(n->c, &y[k], cotangent == 1 ? NULL : &gy, 1, n->in, 2, flags, g[k]);
    check_same(n->c, y[0], y[1], 1e-13, "call", "value");
    for (int i = 0; i < 2; i++)
        check_same(n->c, g[0][i], g[1][i], 1e-12, "call", "gradient");
}

TEST(a_loss_that_is_always_derived_comes_with_its_gradients)
{
    Net n = trained_net();
    int64_t derived = wf_history_hits(n.c);
    double v = wf_item(n.c, net_call(&n));

    train(&n, 3);
    CHECK_EQ_INT(wf_history_hits(n.c), derived); /* no program of derivatives ran */
    CHECK_NEAR(at(n.c, wf_grad_of(n.c, n.in[0]), 0), v * dnet(0.3, 1.2), 1e-13);
    check_gradients(&n, 1, 0);
    train(&n, 3);
    check_gradients(&n, -2.5, 0);
    train(&n, 3);
    check_gradients(&n, 1, WF_GRAD_KEEP);
    train(&n, 3);
    check_gradients(&n, 1, WF_GRAD_CREATE);
    for (int k = 0; k < 9; k++) /* nobody asks: computed for nothing, and no longer */
        net_call(&n);
    check_gradients(&n, 1, 0);
    net_free(&n);
}

TEST(gradients_that_came_with_a_call_are_those_of_its_operands_then)
{
    Net n = trained_net();
    wf_tensor y = net_call(&n), g, h[2], gy = vec(n.c, 0.7, -0.2);
    double v = wf_item(n.c, y);

    for (int k = 0; k < 2; k++) {
        wf_gradients(n.c, &y, NULL, 1, n.in, 1, WF_GRAD_KEEP, &g);
        check_context(n.c, "call", "gradient");
        CHECK_NEAR(at(n.c, g, 0), v * dnet(0.3, 1.2), 1e-13);
        wf_fill_in(n.c, g, 0); /* who has a gradient may write to it */
    }
    train(&n, 3);
    y = net_call(&n);
    wf_fill_in(n.c, n.in[2], 0.15); /* b, which no derivative reads */
    wf_gradients(n.c, &y, NULL, 1, n.in, 1, 0, &g);
    check_context(n.c, "call", "gradient");
    CHECK_NEAR(at(n.c, g, 0), v * dnet(0.3, 1.2), 1e-13);
    train(&n, 3);
    y = net_call(&n);
    wf_no_grad_begin(n.c);
    wf_fill_in(n.c, n.in[1], 1);
    wf_no_grad_end(n.c);
    wf_backward(n.c, y, WF_NONE, 0);
    CHECK_EQ_INT(wf_ctx_status(n.c), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(n.c), "call saved for its derivative was written to");
    wf_clear(n.c);
    train(&n, 3);
    for (int k = 0; k < 2; k++) {
        if (k)
            f_net(n.c, NULL, n.in, 3, &y, 1);
        else
            y = net_call(&n);
        wf_gradients(n.c, &y, NULL, 1, n.in, 1, WF_GRAD_CREATE, &g);
        wf_gradients(n.c, &g, &gy, 1, n.in, 1, 0, &h[k]);
    }
    check_same(n.c, h[0], h[1], 1e-12, "call", "second");
    net_free(&n);
}

/* ---- loops, sizes, memory ---- */

BODY(turn, wf_tanh(c, wf_mul(c, in[0], wf_float(c, 0.9))))
BODY(is_large, wf_gt(c, wf_max(c, in[0], NULL, 0, false), wf_float(c, 0.2)))

/* user: not NULL for a while, whose number of turns its values say */
static wf_status f_loop(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    wf_function turn = WF_FUNCTION(f_turn, NULL, 1, 1, "turn"),
                more = WF_FUNCTION(f_is_large, NULL, 1, 1, "more");

    return user ? wf_while_call(c, &more, &turn, in, nin, WF_UNBOUNDED, out, nout)
                : wf_scan_call(c, &turn, 1, in, nin, 5, false, out, nout);
}

TEST(calls_with_loops_have_the_derivatives_of_their_turns)
{
    for (int kind = 0; kind < 2; kind++) {
        wf_ctx *c = wf_ctx_new(NULL);
        wf_function f = WF_FUNCTION(f_loop, kind ? c : NULL, 1, 1, "loop");
        wf_tensor x = vec(c, 0.9, 0.5), y, h, g[2];
        wf_jit *jit;

        wf_jit_new(c, &f, &jit);
        wf_requires_grad(c, x, true);
        for (int k = 0; k < 2; k++) {
            if (k)
                wf_jit_call(c, jit, &x, 1, &y, 1, NULL, 0);
            else
                f_loop(c, f.user, &x, 1, &y, 1);
            wf_gradients(c, &y, (wf_tensor[]){vec(c, 1, 2)}, 1, &x, 1, WF_GRAD_CREATE,
                         &h);
            wf_gradients(c, &h, (wf_tensor[]){vec(c, 1, 2)}, 1, &x, 1, 0, &g[k]);
        }
        check_context(c, "loop", kind ? "while" : "scan");
        CHECK(fabs(at(c, g[0], 0)) > 0.1);
        check_same(c, g[0], g[1], 1e-12, "loop", kind ? "while" : "scan");
        wf_jit_free(c, jit);
        wf_ctx_free(c);
    }
}

BODY(scores,
     wf_sum(c, wf_softmax(c, wf_matmul(c, in[0], in[1]), -1), (int[]){0}, 1, false))

TEST(one_trace_is_recorded_at_every_size)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(f_scores, NULL, 2, 1, "scores");
    const wf_program *p;
    uint64_t seed = 3;

    wf_trace_types(c, &f, (const char *[]){"f64[N,3]", "f64[3,4]"}, 2, &p);
    for (int k = 0; k < 4; k++) {
        wf_tensor in[2] = {
            random_tensor(c, k % 2 ? "f64[5,3]" : "f64[2,3]", -1, 1, &seed),
            random_tensor(c, "f64[3,4]", -1, 1, &seed)};
        wf_tensor y[2], g[2], gy = random_tensor(c, "f64[4]", -1, 1, &seed);

        wf_requires_grad(c, in[0], true);
        wf_apply(c, p, in, 2, &y[0], 1);
        f_scores(c, NULL, in, 2, &y[1], 1);
        for (int j = 0; j < 2; j++)
            wf_gradients(c, &y[j], &gy, 1, in, 1, 0, &g[j]);
        check_same(c, g[0], g[1], 1e-12, "scores", "gradient");
    }
    check_context(c, "scores", "end");
    wf_program_release(p);
    wf_ctx_free(c);
}

static wf_status scale(wf_ctx *c, void *by, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    out[0] = wf_tanh(c, wf_mul(c, in[0], wf_scalar(c, WF_F32, *(const int *)by)));
    return wf_ctx_status(c);
}

/* A function mapped over a batch, and one that is jitted and gone, each another program. Plans keep the memory of their
 * results, 256 kB. */
static void call_once(wf_ctx *c, int by)
{
    wf_function f = WF_FUNCTION(scale, &by, 1, 1, "scale");
    wf_jit *jit = NULL;
    wf_tensor x, y[2];

    wf_scope_begin(c);
    x = wf_full(c, WF_F32, I64(64, 1024), 2, 0.5);
    wf_vmap_call(c, &f, &x, (int[]){0}, 1, NULL, NULL, &y[0], 1);
    if (wf_jit_new(c, &f, &jit) == WF_OK)
        wf_jit_call(c, jit, &x, 1, &y[1], 1, NULL, 0);
    wf_jit_free(c, jit);
    check_same(c, y[0], y[1], 1e-6, "scale", "mapped and jitted");
    wf_scope_end(c);
}

TEST(programs_that_are_gone_are_not_kept)
{
    FaultAlloc memory = {0};
    wf_ctx *c = wf_ctx_new(&(wf_options){sizeof(wf_options), .allocator = fault_allocator(&memory), .threads = 1});
    int64_t first = 0;

    for (int i = 0; i < 80 && check_ok(); i++) {
        call_once(c, i + 2);
        if (i == 20)
            first = memory.live_bytes;
    }
    CHECK(memory.live_bytes < first + 100000);
    wf_ctx_free(c);
    CHECK_EQ_INT(memory.live_bytes, 0);
}

static wf_status recorded_calls(wf_ctx *c)
{
    wf_function f = WF_FUNCTION(f_net, NULL, 3, 1, "net");
    wf_tensor in[3], y, g, h;
    wf_jit *jit;

    wf_scope_begin(c);
    for (int i = 0; i < 3; i++)
        in[i] = vec(c, 0.3 * i, 0.5);
    wf_requires_grad(c, in[0], true);
    if (wf_jit_new(c, &f, &jit) == WF_OK) {
        wf_jit_call(c, jit, in, 3, &y, 1, NULL, 0);
        wf_gradients(c, &y, NULL, 1, in, 1, WF_GRAD_CREATE, &g);
        wf_gradients(c, &g, &in[2], 1, in, 1, 0, &h);
        for (int k = 0; k < 5; k++) { /* the last ones come with their gradients */
            wf_jit_call(c, jit, in, 3, &y, 1, NULL, 0);
            wf_backward(c, y, WF_NONE, 0);
        }
        wf_jit_free(c, jit);
    }
    wf_scope_end(c);
    return wf_ctx_status(c);
}

TEST(recorded_calls_survive_failing_allocations) { check_faults(recorded_calls, 11); }
