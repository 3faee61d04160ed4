/* test_cost.c -- what programs cost, and that derivatives cost no more than they
 * should. */
#include "test.h"

#include <stdio.h>
#include <string.h>

static wf_ctx *cx;

/* The first program of a text in which ; stands for the end of a line. */
static const wf_program *parse(const char *text)
{
    const wf_program *p = NULL;
    wf_model *m = NULL;
    char lines[8000];

    strcpy(lines, text);
    for (char *s = lines; (s = strchr(s, ';'));)
        *s = '\n';
    cx = wf_ctx_new(NULL);
    if (wf_model_parse(cx, "cost.wir", lines, strlen(lines), &m) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    else
        p = wf_program_retain(wf_model_program(m, 0));
    wf_model_free(m);
    return p;
}

static wf_cost cost_of(const wf_program *p)
{
    wf_cost c = {.size = sizeof c};

    if (p && wf_program_cost(cx, p, NULL, NULL, 0, &c) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    return c;
}

static wf_cost cost_at(const char *text, const char *symbol, int64_t size)
{
    const wf_program *p = parse(text);
    wf_cost c = {.size = sizeof c};

    if (p && wf_program_cost(cx, p, &symbol, &size, symbol ? 1 : 0, &c) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    wf_program_release(p);
    wf_ctx_free(cx);
    return c;
}

TEST(elementwise_ops_count_their_elements)
{
    wf_cost c = cost_at(
        "f(x: f32[10,3]) { a = exp x; b = mul a x; m = lt a b; s = select m a b; ret s }",
        NULL, 0);

    CHECK_NEAR(c.map_flops, 60, 0);
    CHECK_NEAR(c.contraction_flops, 0, 0);
    /* exp 2, mul 3, lt 2 and a bool, select 3 and a bool */
    CHECK_NEAR(c.bytes, 30 * (4 * (2 + 3 + 2 + 3) + 2), 0);
    CHECK_NEAR(c.input_bytes, 120, 0);
    CHECK_NEAR(c.output_bytes, 120, 0);
}

TEST(integers_cost_no_floating_point_operations)
{
    CHECK_NEAR(cost_at("f(x: i32[8]) { y = mul x x; ret y }", NULL, 0).map_flops, 0, 0);
}

TEST(reductions_count_what_they_combine)
{
    CHECK_NEAR(
        cost_at("f(x: f32[5,7]) { y = reduce_sum x axes=[1]; ret y }", NULL, 0).map_flops,
        35, 0);
    CHECK_NEAR(
        cost_at("f(x: f32[6]) { y = reduce_window_sum x window=[3]; ret y }", NULL, 0)
            .map_flops,
        12, 0);
}

TEST(contractions_count_two_operations_a_product)
{
    CHECK_NEAR(cost_at("f(x: f32[5,7], y: f32[7,3]) { z = dot x y; ret z }", NULL, 0)
                   .contraction_flops,
               2 * 5 * 7 * 3, 0);
    CHECK_NEAR(cost_at("f(x: f32[1,2,8], k: f32[4,2,3]) { z = conv_general x k "
                       "stride=[1] acc=f32; ret z }",
                       NULL, 0)
                   .contraction_flops,
               2 * 4 * 6 * 2 * 3, 0);
    CHECK_NEAR(
        cost_at("f(x: f64[2,6,6]) { y = cholesky x; ret y }", NULL, 0).contraction_flops,
        2 * 6 * 6 * 6 / 3., 1e-9);
}

TEST(symbols_take_the_sizes_given_or_64)
{
    const char *text = "f(x: f32[N,2]) { y = exp x; ret y }";

    CHECK_NEAR(cost_at(text, NULL, 0).map_flops, 128, 0);
    CHECK_NEAR(cost_at(text, "N", 5).map_flops, 10, 0);
    CHECK_NEAR(cost_at(text, "N", 0).map_flops, 0, 0);
}

TEST(an_unknown_symbol_is_refused_with_the_nearest)
{
    const wf_program *p = parse("f(x: f32[Batch]) { y = exp x; ret y }");
    const char *name = "Batsh";
    int64_t size = 3, negative = -3;
    wf_cost c = {.size = sizeof c}, unset = {0};

    CHECK_EQ_INT(wf_program_cost(cx, p, &name, &size, 1, &c), WF_ERR_NAME);
    CHECK_HAS(wf_ctx_message(cx), "f has no symbol 'Batsh'; did you mean 'Batch'?");
    wf_clear(cx);
    name = "Batch";
    CHECK_EQ_INT(wf_program_cost(cx, p, &name, &negative, 1, &c), WF_ERR_VALUE);
    wf_clear(cx);
    CHECK_EQ_INT(wf_program_cost(cx, p, NULL, NULL, 0, &unset), WF_ERR_ARG);
    wf_program_release(p);
    wf_ctx_free(cx);
}

TEST(loops_count_their_turns)
{
    CHECK_NEAR(cost_at("f(x: f32[4]) { y = scan x body=g ncarry=1 length=1000; ret y }\n"
                       "g(x: f32[4]) { y = exp x; ret y }",
                       NULL, 0)
                   .map_flops,
               4000, 0);
    CHECK_NEAR(
        cost_at("f(x: f32[]) { y = while x cond=c body=g bound=10; ret y }\n"
                "g(x: f32[]) { y = exp x; ret y }\n"
                "c(x: f32[]) { o = const f32[] 1; a = add x o; p = lt a o; ret p }",
                NULL, 0)
            .map_flops,
        20, 0);
    CHECK_NEAR(cost_at("f(x: f32[]) { y = while x cond=c body=g; ret y }\n"
                       "g(x: f32[]) { y = exp x; ret y }\n"
                       "c(x: f32[]) { o = const f32[] 1; p = lt x o; ret p }",
                       NULL, 0)
                   .map_flops,
               1, 0);
    CHECK_NEAR(cost_at("f(p: bool[], x: f32[4]) { y = cond p x branches=[g,h]; ret y }\n"
                       "g(x: f32[4]) { y = exp x; ret y }\n"
                       "h(x: f32[4]) { a = exp x; y = exp a; ret y }",
                       NULL, 0)
                   .map_flops,
               8, 0);
}

TEST(calls_to_one_program_are_counted_each_but_walked_once)
{
    char text[4000] = "f0(x: f32[]) { a = call x body=f1; b = call a body=f1; ret b }\n";

    for (int i = 1; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "f%d(x: f32[]) { a = call x body=f%d; b = call a body=f%d; ret b }\n", i,
                 i + 1, i + 1);
    strcat(text, "f40(x: f32[]) { y = exp x; ret y }\n");
    CHECK_NEAR(cost_at(text, NULL, 0).map_flops, 1099511627776., 0);
}

TEST(live_bytes_are_the_largest_sum_of_values_in_use)
{
    /* x, a and b at once; then x, b and c */
    CHECK_NEAR(
        cost_at("f(x: f32[100]) { a = exp x; b = exp a; c = exp b; ret c }", NULL, 0)
            .live_bytes,
        1200, 0);
    /* all four are results */
    CHECK_NEAR(cost_at("f(x: f32[100]) { a = exp x; b = exp a; c = exp b; ret a, b, c }",
                       NULL, 0)
                   .live_bytes,
               1600, 0);
    CHECK_NEAR(cost_at("f(x: f32[100]) { y = call x body=g; ret y }\n"
                       "g(x: f32[100]) { a = exp x; b = exp a; c = exp b; ret c }",
                       NULL, 0)
                   .live_bytes,
               400 + 400 + 800, 0);
}

/* ---- what derivatives cost ---- */

/* Programs of one elementwise op after another; the reduction at the end is the same work
 * in both. */
TEST(elementwise_gradients_cost_at_most_four_times_the_forward)
{
    static const char *const bodies[] = {
        "y = tanh x",
        "y = exp x",
        "y = sin x",
        "y = logistic x",
        "y = mul x x",
        "y = sqrt x",
        "y = log x",
        "y = erf x",
        "y = div x w",
        "y = mul x w",
        "y = max x w",
        "y = sub x w",
        "y = abs x",
        "y = pow x w",
        "a = tanh x; b = mul a w; c = sin b; d = add c x; y = exp d",
        "a = mul x x; b = mul a x; c = add a b; y = logistic c",
        "a = exp x; b = log a; c = sqrt b; d = div c a; y = tanh d",
        "a = mul x w; b = add a x; c = tanh b; d = mul c c; e = sub d a; y = mul e c",
    };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int both = 0; both < 2; both++) {
            const wf_program *f, *g = NULL;
            char text[512];
            double forward, backward;

            snprintf(
                text, sizeof text,
                "f(x: f32[1000], w: f32[1000]) { %s; s = reduce_sum y axes=[0]; ret s }",
                bodies[i]);
            f = parse(text);
            REQUIRE(f);
            CHECK(wf_grad(cx, f, (int[]){0, 1}, 1 + both, &g) == WF_OK);
            forward = cost_of(f).map_flops - 1000; /* without the sum */
            backward = cost_of(g).map_flops;
            /* pow has two derivatives that share nothing: w x^(w-1) and x^w log x, three
             * operations each */
            if (backward > (both && strstr(bodies[i], "pow") ? 6 : 4) * forward)
                FAIL("%s%s: %g operations forward, %g for the gradient", bodies[i],
                     both ? " (both)" : "", forward, backward);
            wf_program_release(f);
            wf_program_release(g);
            wf_ctx_free(cx);
        }
}

TEST(gradients_of_contractions_cost_twice_the_forward)
{
    static const char *const texts[] = {
        "f(x: f32[N,40], w: f32[40,30]) { y = dot x w; z = mul y y; s = reduce_sum z "
        "axes=[0,1]; ret s }",
        "f(x: f32[8,20,10], w: f32[8,10,12]) {"
        " y = dot_general x w lhs=[2] rhs=[1] lhs_batch=[0] rhs_batch=[0] acc=f32; z = "
        "mul y y;"
        " s = reduce_sum z axes=[0,1,2]; ret s }",
        "f(x: f32[4,3,16,16], w: f32[8,3,3,3]) { y = conv_general x w stride=[1,1] "
        "acc=f32; z = mul y y;"
        " s = reduce_sum z axes=[0,1,2,3]; ret s }",
        "f(x: f32[N,784], w: f32[784,100], v: f32[100,10]) {"
        " h = dot x w; a = tanh h; y = dot a v; z = mul y y; s = reduce_sum z "
        "axes=[0,1]; ret s }",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const wf_program *f = parse(texts[i]), *g = NULL;
        int n, wrt[] = {0, 1, 2};
        double forward, backward;

        REQUIRE(f);
        n = wf_program_inputs(f);
        CHECK(wf_value_and_grad(cx, f, wrt, n, &g) == WF_OK);
        forward = cost_of(f).contraction_flops;
        backward = cost_of(g).contraction_flops - forward;
        /* convolution: the borders of the input gradient are counted whole */
        if (backward < 2 * forward * 0.99 ||
            backward > 2 * forward * (strstr(texts[i], "conv") ? 1.3 : 1.01))
            FAIL("%s: %g operations forward, %g more for the gradient", texts[i], forward,
                 backward);
        wf_program_release(f);
        wf_program_release(g);
        wf_ctx_free(cx);
    }
}

TEST(the_gradient_of_one_operand_costs_one_contraction_more)
{
    const wf_program *f =
        parse("f(x: f32[9,40], w: f32[40,30]) { y = dot x w; z = mul y y;"
              " s = reduce_sum z axes=[0,1]; ret s }");
    const wf_program *g = NULL;

    REQUIRE(f);
    CHECK(wf_grad(cx, f, (int[]){1}, 1, &g) == WF_OK);
    CHECK_NEAR(cost_of(g).contraction_flops, 2 * cost_of(f).contraction_flops, 0);
    wf_program_release(f);
    wf_program_release(g);
    wf_ctx_free(cx);
}
