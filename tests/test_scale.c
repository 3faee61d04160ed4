/* test_scale.c -- constant scales and shifts behind products go into their weights: what
 * comes out is checked against the program as it was, by the eval rules. */
#include "lib_check.h"
#include "opt/opt.h"

#include <math.h>

static uint32_t count(const Program *p, OpCode op)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->neqns; i++)
        n += p->eqns[i].op == op;
    return n;
}

/* Optimised by all passes, and by scale alone, it computes the same; optimised once more,
 * nothing changes. Gives the optimised program. */
static const Program *check_kept(wf_ctx *cx, const char *text, double tol)
{
    const Program *p = parse_lines(cx, text), *q, *one;
    Case c;
    Rng rng = {5};
    Nd *in, *want, *got;

    if (!p)
        return NULL;
    c = case_of(cx, p, 7);
    in = case_inputs(cx, &c, &rng);
    want = run_program(cx, p, in);
    one = opt_scale(&(Opt){.cx = cx}, p);
    q = opt_run(&(Opt){.cx = cx}, p, OPT_ALL);
    CHECK(is_valid(cx, one) && is_valid(cx, q));
    if (!check_ok())
        return NULL;
    for (int k = 0; k < 2; k++) {
        got = run_program(cx, k ? q : one, in);
        for (uint32_t j = 0; got && j < p->nout; j++)
            CHECK_STR(nd_differ(cx, &got[j], &want[j], tol), NULL);
    }
    CHECK(opt_run(&(Opt){.cx = cx}, q, OPT_ALL) == q);
    return q;
}

#define W "w = const f32[3,4] [1, -2, 3, 4, 0.5, 6, -7, 8, 9, 1, 2, -3];"
#define V4(name, a, b, c, d)                                                             \
    name " = const f32[4] [" #a ", " #b ", " #c ", " #d "]; " name                       \
         "b = broadcast " name " [N,4] dims=[1];"

XTEST(batch_norm_behind_a_product_is_gone)
{
    const Program *q = check_kept(
        cx,
        "f(x: f32[N,3]) {" W " h = dot x w;" V4("m", 1, 2, 3, 4) V4("s", 0.5, -2, 3, 0.25)
            V4("t", 1, 0, -1, 2) " a = sub h mb; b = mul a sb; y = add b tb; ret y }",
        1e-5);

    REQUIRE(q != NULL);
    CHECK_EQ_INT(count(q, OP_mul), 0);
    CHECK_EQ_INT(count(q, OP_sub), 0);
    CHECK_EQ_INT(count(q, OP_add), 1);
    CHECK_EQ_INT(count(q, OP_const), 2);
}

XTEST(all_ways_to_scale_and_shift_are_known)
{
    static const char *const ways[] = {
        "y = mul h sb; ret y",
        "y = div h sb; ret y",
        "a = sub tb h; y = mul a sb; ret y",
        "a = add h sb; y = add tb a; ret y",
        "a = mul sb h; b = add a tb; c = div b sb; d = sub mb c; e = mul d tb; y = sub e sb; ret y",
        "k = const f32[N,4] 3; a = mul h k; y = add a tb; ret y",
        "k = const f32[] 3; kb = broadcast k [N,4] dims=[]; a = mul h kb; y = sub kb a; ret y",
        ("u = const f32[1,4] [1, 2, -1, 5]; ub = broadcast u [N,4] dims=[0,1]; a = mul h ub; "
        "y = add a ub; ret y"),
    };

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const Program *q = check_kept(
            cx,
            arena_printf(&cx->scratch,
                         "f(x: f32[N,3]) {" W " h = dot x w;" V4("m", 1, 2, 3, 4)
                             V4("s", 0.5, -2, 3, 0.25) V4("t", 1, 7, -1, 2) " %s }",
                         ways[i]),
            1e-5);

        REQUIRE(q != NULL);
        CHECK_EQ_INT(count(q, OP_mul) + count(q, OP_div) + count(q, OP_sub), 0);
        CHECK(count(q, OP_add) <= 1);
    }
}

XTEST(the_weights_may_be_on_either_side_and_have_several_free_axes)
{
    const Program *q = check_kept(
        cx,
        "f(x: f64[5,N]) { w = const f64[2,5,3] [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,-1,-2,-3,-4,"
        "-5,-6,-7,-8,-9,-1,-2,-3,4,5,6]; h = dot_general w x lhs=[1] rhs=[0] acc=f64;"
        " s = const f64[2] [2, 3]; sb = broadcast s [2,3,N] dims=[0]; a = mul h sb;"
        " t = const f64[3] [2, 3, 5]; tb = broadcast t [2,3,N] dims=[1]; y = mul a tb; ret y }",
        1e-12);

    REQUIRE(q != NULL);
    CHECK_EQ_INT(count(q, OP_mul), 0);
}

/* Channels in any place, groups. */
XTEST(batch_norm_behind_a_convolution_is_gone)
{
    static const struct {
        const char *x, *w, *conv, *y;
        int axis;
    } rows[] = {
        {"f32[N,2,5,5]", "f32[4,2,3,1]", "pad_lo=[1,0] pad_hi=[1,0]", "[N,4,5,5]", 1},
        {"f32[N,4,5]", "f32[4,1,3]", "groups=4", "[N,4,3]", 1},
        {"f32[N,5,2]", "f32[3,2,4]", "lhs_spec=[0,2,1] rhs_spec=[2,1,0] out_spec=[0,2,1]",
         "[N,3,4]", 2},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Program *q;
        Text t;
        int n = i == 0 ? 24 : i == 1 ? 12 : 24;

        text_init(&t, &cx->scratch);
        text_printf(&t, "f(x: %s) { v = const f32[%d] [", rows[i].x, n);
        for (int k = 0; k < n; k++)
            text_printf(&t, "%s%d", k ? "," : "", k * 7 % 11 - 5);
        text_printf(&t,
                    "]; w = reshape v %s; h = conv_general x w %s acc=f32; s = const f32[4] [2,-1,3,0.5];"
                    " sb = broadcast s %s dims=[%d]; m = const f32[4] [1,2,3,4];"
                    " mb = broadcast m %s dims=[%d]; a = sub h mb; y = mul a sb; ret y }",
                    strchr(rows[i].w, '['), rows[i].conv, rows[i].y, rows[i].axis, rows[i].y,
                    rows[i].axis);
        q = check_kept(cx, text_str(&t), 1e-5);
        REQUIRE(q != NULL);
        CHECK_EQ_INT(count(q, OP_mul), 0);
        CHECK_EQ_INT(count(q, OP_sub), 0);
    }
}

/* Left as it is: another reads what is between, other rows differ, constants that are not
 * finite, weights that are read twice, half floats. */
XTEST(what_may_not_be_folded_stays)
{
    static const char *const bodies[] = {
        W " h = dot x w;" V4("s", 1, 2, 3, 4) " y = mul h sb; ret y, h",
        W " h = dot x w;" V4("s", 1, 2, 3, 4) " a = mul h sb; y = add a h; ret y",
        W " h = dot x w;" V4("s", 1, inf, 3, 4) " y = mul h sb; ret y",
        W " h = dot x w;" V4("s", 1, nan, 3, 4) " y = mul h sb; ret y",
        W " h = dot x w;" V4("s", 1, 0, 3, 4) " y = div h sb; ret y",
        W " h = dot x w; n = dim N; k = cast n f32; kb = broadcast k [N,4] dims=[]; y = mul h kb;"
          " ret y",
        W " h = dot x w;" V4("s", 1, 2, 3, 4) " y = mul h sb;"
          " z = dot_general y w lhs=[1] rhs=[1] acc=f32; ret z",
    };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const Program *q = check_kept(
            cx, arena_printf(&cx->scratch, "f(x: f32[N,3]) {%s }", bodies[i]), 0);

        REQUIRE(q != NULL);
        CHECK(count(q, OP_mul) + count(q, OP_div) >= 1);
    }
}

XTEST(half_floats_keep_their_roundings)
{
    const Program *q = check_kept(
        cx,
        "f(x: bf16[N,2]) { w = const bf16[2,2] [1, 2, 3, 4]; h = dot_general x w lhs=[1] rhs=[0] "
        "acc=bf16; s = const bf16[2] [3, 0.3]; sb = broadcast s [N,2] dims=[1]; y = mul h sb; ret y }",
        0);

    REQUIRE(q != NULL);
    CHECK_EQ_INT(count(q, OP_mul), 1);
}
