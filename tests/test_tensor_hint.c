/* test_tensor_hint.c -- traces of an example that serve other sizes: which sizes stay
 * free, which are made one, which become numbers; results against the function itself at
 * several sizes. */
#include "lib_tensor.h"

#include <stdio.h>
#include <string.h>

typedef struct Model {
    wf_tensor w[8];
} Model;

static wf_tensor rnd(wf_ctx *c, const char *type)
{
    static uint64_t seed = 77;
    return random_tensor(c, type, -1, 1, &seed);
}

static wf_status mlp(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                     int nout)
{
    (void)nin, (void)nout;
    Model *m = user;
    wf_tensor h = wf_relu(c, wf_linear(c, in[0], m->w[0], m->w[1]));
    out[0] = wf_softmax(c, wf_linear(c, h, m->w[2], m->w[3]), -1);
    return WF_OK;
}

/* conv, pool, flatten, linear; then the mean over N and all pixels added */
static wf_status convnet(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    Model *m = user;
    wf_tensor h = wf_relu(
        c, wf_conv(c, in[0], m->w[0], m->w[1], 2, NULL, (int64_t[]){1, 1}, NULL, 1));
    h = wf_max_pool(c, h, 2, (int64_t[]){2, 2}, NULL, NULL, NULL);
    h = wf_reshape(c, h, (int64_t[]){wf_size(c, h, 0), WF_INFER}, 2);
    h = wf_linear(c, h, m->w[2], WF_NONE);
    out[0] = wf_add(c, h, wf_mean(c, h, (int[]){0}, 1, true));
    return WF_OK;
}

/* fully convolutional: height and width stay free */
static wf_status fcn(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                     int nout)
{
    (void)nin, (void)nout;
    Model *m = user;
    wf_tensor h = wf_relu(
        c, wf_conv(c, in[0], m->w[0], m->w[1], 2, NULL, (int64_t[]){1, 1}, NULL, 1));
    out[0] = wf_mean(c, h, (int[]){2, 3}, 2, false);
    return WF_OK;
}

/* heads: [B,T,C] -> [B,4,T,C/4], as PyTorch code writes it */
static wf_status attention(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    Model *m = user;
    int64_t b = wf_size(c, in[0], 0), t = wf_size(c, in[0], 1), ch = wf_size(c, in[0], 2);
    wf_tensor part[3];

    (void)nin, (void)nout;
    for (int k = 0; k < 3; k++) {
        wf_tensor v = wf_linear(c, in[0], m->w[k], WF_NONE);
        v = wf_reshape(c, v, (int64_t[]){b, t, 4, wf_size_div(c, ch, 4)}, 4);
        part[k] = wf_swap_axes(c, v, 1, 2);
    }
    out[0] = wf_attention(c, part[0], part[1], part[2], WF_NONE, true, 0);
    out[0] = wf_reshape(c, wf_swap_axes(c, out[0], 1, 2), (int64_t[]){b, t, ch}, 3);
    return WF_OK;
}

/* the host loops over the axis: it becomes a number, the batch stays free */
static wf_status steps(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    int64_t n = wf_size_value(c, wf_size(c, in[0], 1));
    wf_tensor h = WF_NONE;

    (void)user, (void)nin, (void)nout;
    for (int64_t t = 0; t < n; t++) {
        wf_tensor x = wf_index_get(c, in[0], (wf_index[]){wf_at_all(), wf_at_int(t)}, 2);
        h = t ? wf_tanh(c, wf_add(c, h, x)) : x;
    }
    out[0] = h;
    return WF_OK;
}

/* x + y: equal sizes become one; concat keeps those of its axis apart */
static wf_status join(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_concat(c, (wf_tensor[]){wf_add(c, in[0], in[1]), in[2]}, 2, 0);
    return WF_OK;
}

/* a number in a reshape, and a size that is inferred by division */
static wf_status fold_rows(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_sum(c, wf_reshape(c, in[0], (int64_t[]){WF_INFER, 2, 3}, 3), (int[]){1},
                    1, false);
    return WF_OK;
}

static wf_status with_scan(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout);

typedef struct HintCase {
    const char *name;
    wf_call call;
    const char *weights[4];
    const char *types[4];     /* of the example */
    const char *want;         /* in the text of the program */
    const char *others[2][4]; /* types it must serve, too; NULL: none */
    const char *refused[4];   /* types it must not take */
} HintCase;

static const HintCase cases[] = {
    {"mlp",
     mlp,
     {"f64[16,8]", "f64[16]", "f64[4,16]", "f64[4]"},
     {"f64[5,8]"},
     "f64[s0,8]",
     {{"f64[1,8]"}, {"f64[32,8]"}},
     {"f64[5,9]"}},
    {"convnet",
     convnet,
     {"f64[4,3,3,3]", "f64[4]", "f64[10,64]"},
     {"f64[2,3,8,8]"},
     "f64[s0,3,8,8]",
     {{"f64[7,3,8,8]"}},
     {"f64[2,3,10,8]"}},
    {"fcn",
     fcn,
     {"f64[4,3,3,3]", "f64[4]"},
     {"f64[2,3,8,6]"},
     "f64[s0,3,s2,s3]",
     {{"f64[3,3,5,9]"}, {"f64[1,3,8,8]"}},
     {"f64[2,4,8,6]"}},
    {"attention",
     attention,
     {"f64[8,8]", "f64[8,8]", "f64[8,8]"},
     {"f64[2,5,8]"},
     "f64[s0,s1,8]",
     {{"f64[3,7,8]"}, {"f64[1,1,8]"}},
     {"f64[2,5,4]"}},
    {"steps", steps, {0}, {"f64[4,3]"}, "f64[s0,3]", {{"f64[9,3]"}}, {"f64[4,2]"}},
    {"join",
     join,
     {0},
     {"f64[4,3]", "f64[4,3]", "f64[2,3]"},
     "f64[s0,s1], %2: f64[s0,s1], %3: f64[s4,s1]",
     {{"f64[6,5]", "f64[6,5]", "f64[3,5]"}},
     {"f64[4,3]", "f64[5,3]", "f64[2,3]"}},
    {"ones",
     join,
     {0},
     {"f64[4,3]", "f64[1,3]", "f64[1,3]"},
     "f64[s0,s1], %2: f64[1,s1], %3: f64[s4,s1]",
     {{"f64[7,2]", "f64[1,2]", "f64[1,2]"}},
     {"f64[4,3]", "f64[4,3]", "f64[1,3]"}},
    {"fold_rows",
     fold_rows,
     {0},
     {"f64[12]"},
     "f64[s0]",
     {{"f64[6]"}, {"f64[18]"}},
     {"f64[8]"}},
    {"scan",
     with_scan,
     {0},
     {"f64[5,3]", "f64[3,3]"},
     "f64[s0,s1], %2: f64[s1,s1]",
     {{"f64[2,4]", "f64[4,4]"}},
     {"f64[5,3]", "f64[4,4]"}},
};

static wf_status scan_step(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    Model *m = user;
    out[0] = wf_tanh(c, wf_add(c, wf_matmul(c, m->w[0], in[0]), in[1]));
    return WF_OK;
}

/* in the body of the loop the width of x meets both sizes of w */
static wf_status with_scan(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    Model m = {{in[1]}};
    wf_function body = WF_FUNCTION(scan_step, &m, 2, 1, "step");
    int64_t n = wf_size(c, in[0], 1);
    wf_tensor h = wf_zeros(c, WF_F64, &n, 1);

    (void)user, (void)nin;
    return wf_scan_call(c, &body, 1, (wf_tensor[]){h, in[0]}, 2, WF_UNBOUNDED, false, out,
                        nout);
}

static int make_inputs(wf_ctx *c, const char *const *types, wf_tensor *in)
{
    int n = 0;

    for (; n < 4 && types[n]; n++)
        in[n] = rnd(c, types[n]);
    return n;
}

static void check_case(const HintCase *k)
{
    wf_ctx *c = wf_ctx_new(NULL);
    Model m = {0};
    wf_tensor in[4], y, z;
    const wf_program *p = NULL;
    const char *text = NULL;

    make_inputs(c, k->weights, m.w);
    wf_function f = WF_FUNCTION(k->call, &m, make_inputs(c, k->types, in), 1, k->name);
    wf_trace_hinted(c, &f, in, NULL, f.inputs, &p);
    if (!check_context(c, k->name, "trace"))
        goto done;
    wf_program_verify(c, p);
    wf_program_text(c, p, 0, &text);
    check_context(c, k->name, "verify");
    CHECK_HAS(text, k->want);
    for (int t = -1; t < 2; t++) {
        const char *const *types = t < 0 ? k->types : k->others[t];
        if (!types[0])
            continue;
        make_inputs(c, types, in);
        wf_apply(c, p, in, f.inputs, &y, 1);
        f.call(c, &m, in, f.inputs, &z, f.outputs);
        check_same(c, y, z, 1e-12, k->name, t < 0 ? "the example" : "another size");
    }
    make_inputs(c, k->refused, in);
    wf_apply(c, p, in, f.inputs, &y, 1);
    if (wf_ctx_status(c) == WF_OK)
        FAIL("%s: took what it should refuse", k->name);
    wf_program_release(p);
done:
    wf_ctx_free(c);
}

TEST(a_trace_of_an_example_serves_other_sizes)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

BODY(sum_two, wf_add(c, in[0], in[1]))

TEST(sizes_that_differ_in_the_example_are_an_error)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(f_sum_two, NULL, 2, 1, NULL);
    wf_tensor in[2] = {rnd(c, "f64[4,3]"), rnd(c, "f64[5,3]")};
    const wf_program *p;

    wf_trace_hinted(c, &f, in, NULL, 2, &p);
    CHECK(p == NULL);
    CHECK_HAS(wf_ctx_message(c), "cannot be broadcast together");
    wf_clear(c);
    in[1] = rnd(c, "f64[4,3]");
    wf_trace_hinted(c, &f, in, (bool[]){false, true}, 2,
                    &p); /* a fixed input: a parameter */
    const char *text;
    wf_program_text(c, p, 0, &text);
    CHECK_HAS(text, "f64[4,3], %2: f64[4,3]");
    wf_program_release(p);
    wf_size_value(c, wf_size_add(c, -1, 2));
    CHECK_HAS(wf_ctx_message(c), "a symbolic size means nothing outside its program");
    wf_ctx_free(c);
}

BODY(dot_and_add, wf_add(c, wf_matmul(c, in[0], in[1]), in[2]))

TEST(sizes_of_graphs_that_must_agree_become_one_if_asked_to)
{
    for (int on = 0; on < 2; on++) {
        wf_ctx *c = wf_ctx_new(NULL);
        wf_function f = WF_FUNCTION(f_dot_and_add, NULL, 3, 1, NULL);
        wf_tensor in[3], y;
        const wf_program *p = NULL;
        const char *text;

        SET_MEANS(c, size_guards, on);
        wf_trace_types(c, &f, (const char *[]){"f64[A,B]", "f64[C,D]", "f64[E]"}, 3, &p);
        if (!on) {
            CHECK_HAS(wf_ctx_message(c), "wf_matmul: shapes f64[A,B] and f64[C,D] do not fit");
            wf_ctx_free(c);
            continue;
        }
        REQUIRE(check_context(c, "guards", "trace"));
        wf_program_text(c, p, 0, &text);
        CHECK_HAS(text, "f64[A,B], %2: f64[B,D], %3: f64[D]");
        in[0] = rnd(c, "f64[2,3]");
        in[1] = rnd(c, "f64[3,4]");
        in[2] = rnd(c, "f64[4]");
        wf_apply(c, p, in, 3, &y, 1);
        CHECK_EQ_INT(wf_count(c, y), 8);
        check_context(c, "guards", "apply");
        in[2] = rnd(c, "f64[5]");
        wf_apply(c, p, in, 3, &y, 1);
        CHECK(wf_ctx_status(c) != WF_OK);
        wf_clear(c);
        wf_program_release(p);
        wf_graph *graph; /* as Aesara's matrices, a gradient taken before sizes are joined */
        wf_graph_new(c, "g",
                     &(wf_graph_options){.size = sizeof(wf_graph_options), .size_guards = true},
                     &graph);
        wf_tensor x = wf_symbol(c, graph, "x", "f64[N,M]"),
                  w = wf_symbol(c, graph, "w", "f64[K]"), v = wf_exp(c, x),
                  g = wf_partial(c, v, x, WF_NONE),
                  z = wf_matmul(c, v, w);
        wf_graph_close(c, graph, (wf_tensor[]){x, w}, 2,
                       (wf_tensor[]){z, g, wf_partial(c, z, w, WF_NONE)}, 3, &p);
        wf_graph_free(c, graph);
        REQUIRE(check_context(c, "guards", "graph"));
        wf_program_text(c, p, 0, &text);
        CHECK_HAS(text, "x: f64[N,M], w: f64[M]");
        CHECK_EQ_INT(wf_program_verify(c, p), WF_OK);
        wf_program_release(p);
        wf_ctx_free(c);
    }
}

TEST(a_batch_stays_open_where_the_other_matrix_has_none)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *g;
    const wf_program *p = NULL;
    const char *text;

    wf_graph_new(c, "g", &(wf_graph_options){.size = sizeof(wf_graph_options), .size_guards = true}, &g);
    wf_tensor x = wf_symbol(c, g, "x", "f64[N,M,3]"), w = wf_symbol(c, g, "w", "f64[3,4]"), y = wf_matmul(c, x, w);
    wf_graph_close(c, g, (wf_tensor[]){x, w}, 2, &y, 1, &p);
    wf_graph_free(c, g);
    REQUIRE(check_context(c, "batch", "graph"));
    wf_program_text(c, p, 0, &text);
    CHECK_HAS(text, "x: f64[N,M,3]");
    wf_program_release(p);
    wf_ctx_free(c);
}

TEST(a_number_becomes_a_size)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_graph *g;
    const wf_program *p = NULL;
    int64_t seven = 7, below = -1, n;

    CHECK_EQ_INT(wf_size_from(c, wf_from(c, WF_I64, NULL, 0, &seven)), 7);
    CHECK_EQ_INT(wf_size_from(c, wf_from(c, WF_I64, NULL, 0, &below)), -1);
    CHECK_HAS(wf_ctx_message(c), "wf_size_from: a size of -1");
    wf_clear(c);
    CHECK_EQ_INT(wf_size_from(c, wf_scalar(c, WF_F32, 2)), -1);
    CHECK_HAS(wf_ctx_message(c), "needs an integer scalar, found f32");
    wf_clear(c);
    wf_graph_new(c, "g", NULL, &g);
    wf_tensor k = wf_symbol(c, g, "k", "i32[]"), y, in;
    wf_graph_enter(c, g);
    n = wf_size_from(c, k);
    y = wf_iota(c, WF_I64, &n, 1, 0);
    wf_graph_leave(c, g);
    wf_graph_close(c, g, &k, 1, &y, 1, &p);
    wf_graph_free(c, g);
    REQUIRE(check_context(c, "size", "graph"));
    in = wf_scalar(c, WF_I32, 5);
    wf_apply(c, p, &in, 1, &y, 1);
    CHECK_EQ_INT(wf_size(c, y, 0), 5);
    CHECK_NEAR(wf_item(c, wf_sum(c, y, NULL, 0, false)), 10, 0);
    wf_program_release(p);
    wf_ctx_free(c);
}

static wf_status sizes(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    int64_t n = wf_size(c, in[0], 0), m = wf_size_add(c, wf_size_mul(c, n, 2), 1);

    (void)user, (void)nin, (void)nout;
    CHECK_EQ_INT(wf_size_hint(c, m), 13);
    CHECK(wf_size_equal(c, wf_size_sub(c, m, 1), wf_size_mul(c, 2, n)));
    CHECK(wf_size_equal(c, wf_size_div(c, wf_size_sub(c, m, 1), 2), n));
    CHECK_EQ_INT(wf_size_mod(c, wf_size_mul(c, n, 4), 2), 0);
    out[0] = wf_mul(c, wf_sum(c, in[0], NULL, 0, false), wf_size_tensor(c, m));
    return WF_OK;
}

TEST(hosts_compute_with_sizes)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(sizes, NULL, 1, 1, NULL);
    wf_tensor x = rnd(c, "f64[6]"), y;
    const wf_program *p;

    wf_trace_hinted(c, &f, &x, NULL, 1, &p);
    REQUIRE(check_context(c, "sizes", "trace"));
    x = wf_ones(c, WF_F64, (int64_t[]){4}, 1);
    wf_apply(c, p, &x, 1, &y, 1);
    CHECK_NEAR(wf_item(c, y), 36, 0);
    wf_program_release(p);
    wf_ctx_free(c);
}

static wf_status traces(wf_ctx *c)
{
    Model m = {0};
    uint64_t seed = 3;
    const wf_program *p = NULL;
    wf_function f = WF_FUNCTION(convnet, &m, 1, 1, NULL);
    wf_tensor x = random_tensor(c, "f64[2,3,8,8]", -1, 1, &seed);

    m.w[0] = random_tensor(c, "f64[4,3,3,3]", -1, 1, &seed);
    m.w[1] = random_tensor(c, "f64[4]", -1, 1, &seed);
    m.w[2] = random_tensor(c, "f64[10,64]", -1, 1, &seed);
    wf_trace_hinted(c, &f, &x, NULL, 1, &p);
    wf_program_release(p);
    return wf_ctx_status(c);
}

TEST(hinted_traces_survive_every_failing_allocation) { check_faults(traces, 3); }
