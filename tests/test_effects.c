/* test_effects.c -- what programs do besides computing: prints and checks, once and in order under every transform, and
 * collectives, which speak of the rows of an axis. */
#include "lib_check.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define parse parse_lines

/* ---- effects ---- */

/* What the program prints: standard output goes to a file meanwhile. */
static const char *printed(wf_ctx *cx, const Program *p, const Nd *in)
{
    static char text[4096];
    FILE *file = tmpfile();
    int saved;
    size_t n;

    text[0] = 0;
    if (!file || !p)
        return "no file or no program";
    fflush(stdout);
    saved = dup(1);
    dup2(fileno(file), 1);
    run_program(cx, p, in);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = 0;
    fclose(file);
    return text;
}

XTEST(print_shows_values_as_nested_lists)
{
    const Program *p =
        parse(cx, "f(x: f64[2,2], s: f32[], n: i8[3], b: bool[2], e: f64[0,3]) {"
                  " print x s n b e format=\"x={} s={} n={} {{b}}={} {}\"; ret x }");
    Nd in[5] = {nd_new(cx, WF_F64, (int64_t[]){2, 2}, 2), nd_new(cx, WF_F32, NULL, 0),
                nd_new(cx, WF_I8, (int64_t[]){3}, 1),
                nd_new(cx, WF_BOOL, (int64_t[]){2}, 1),
                nd_new(cx, WF_F64, (int64_t[]){0, 3}, 2)};

    memcpy(in[0].data, (double[]){1, -0.5, 1e300, 0.1}, 32);
    *(float *)in[1].data = 0.1f;
    memcpy(in[2].data, (int8_t[]){-128, 0, 127}, 3);
    ((uint8_t *)in[3].data)[1] = 1;
    REQUIRE(is_valid(cx, p));
    CHECK_STR(
        printed(cx, p, in),
        "x=[[1, -0.5], [1e+300, 0.1]] s=0.1 n=[-128, 0, 127] {b}=[false, true] []\n");
}

static const char talk[] =
    "body(x: f64[]) { print x format=\"at {}\"; y = add x x; ret y }\n"
    "loud(x: f64[]) { print x format=\"loud {}\"; ret x }\n"
    "calm(x: f64[]) { y = neg x; ret y }\n"
    "below(x: f64[]) { l = const f64[] 4; c = lt x l; ret c }\n";

static const Program *talking(wf_ctx *cx, const char *text)
{
    return parse(cx, arena_printf(&cx->scratch, "%s%s", talk, text));
}

XTEST(effects_happen_once_and_in_order_under_every_transform)
{
    const Program *p = talking(cx, "f(x: f64[]) { print x format=\"before {}\"; y = scan "
                                   "x body=body ncarry=1 length=2;"
                                   " z = sin y; print format=\"after\"; ret z }");
    const char *want = "before 1\nat 1\nat 2\nafter\n";
    Nd in[] = {nd_f64(cx, 1), nd_f64(cx, 1)};

    CHECK_STR(printed(cx, p, in), want);
    CHECK_STR(printed(cx, xf_jvp_user(cx, p, (int[]){0}, 1), in), want);
    CHECK_STR(printed(cx, xf_grad(cx, p, (int[]){0}, 1, true), in), want);
    CHECK_STR(printed(cx, xf_grad(cx, p, (int[]){0}, 1, false), in), want);
}

XTEST(equal_effects_are_not_merged)
{
    const Program *p = talking(cx, "f(x: f64[]) { print x format=\"{}\"; print x "
                                   "format=\"{}\"; a = call x body=loud;"
                                   " b = call x body=loud; c = mul a b; ret c }");
    Nd in[] = {nd_f64(cx, 1), nd_f64(cx, 1)};
    const char *want = "1\n1\nloud 1\nloud 1\n";

    CHECK_STR(printed(cx, p, in), want);
    CHECK_STR(printed(cx, xf_jvp_user(cx, p, (int[]){0}, 1), in), want);
    CHECK_STR(printed(cx, xf_grad(cx, p, (int[]){0}, 1, true), in), want);
}

/* vmap of grad: the loop that reverse mode makes stacks to its turns, with the effect inside. */
XTEST(effects_inside_loops_come_through_vmap_of_grad)
{
    const Program *p =
        parse(cx, "below(x: f64[]) { l = const f64[] 8; c = lt x l; ret c }\n"
                  "body(x: f64[]) { y = mul x x; print x format=\"at {}\"; ret y }\n"
                  "f(x: f64[]) { y = while x cond=below body=body; ret y }");
    const Program *g = p ? xf_grad(cx, p, (int[]){0}, 1, false) : NULL;
    const Program *v = g ? xf_vmap(cx, g, (int[]){0}, NULL, -1, NULL) : NULL;
    Nd x = nd_f64s(cx, (double[]){2, 9, 3}, 3);

    REQUIRE(is_valid(cx, v));
    CHECK_STR(printed(cx, v, &x), "at 2\nat 3\nat 4\n");
}

XTEST(vmap_of_an_effect_has_it_for_each_row_that_reaches_it)
{
    Nd x = VEC_OF(cx, 1, 3, 9);
    const Program *p = talking(cx, "f(x: f64[]) { print x format=\"x {}\"; ret x }");
    CHECK_STR(printed(cx, xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL), &x), "x 1\nx 3\nx 9\n");

    p = talking(cx, "f(x: f64[]) { l = const f64[] 2; p = gt x l; y = cond p x "
                    "branches=[calm,loud]; ret y }");
    CHECK_STR(printed(cx, xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL), &x), "loud 3\nloud 9\n");

    p = talking(cx, "f(x: f64[]) { y = while x cond=below body=body; ret y }");
    CHECK_STR(printed(cx, xf_vmap(cx, p, (int[]){0}, NULL, 3, NULL), &x), "at 1\nat 2\nat 3\n");
}

XTEST(checkpoint_has_the_effects_of_its_body_once)
{
    const Program *p = talking(
        cx, "f(x: f64[]) { y = checkpoint x body=body; z = sin y; w = mul z y; ret w }");
    Nd x = nd_f64(cx, 1);

    CHECK_STR(printed(cx, xf_grad(cx, p, (int[]){0}, 1, true), &x), "at 1\n");
}

XTEST(a_failed_assert_says_its_message_at_its_place)
{
    const Program *p = parse(cx, "f(x: f64[2]) { z = const f64[2] 0; ok = gt x z; assert "
                                 "ok x message=\"{{x}} is {}\"; ret x }");
    const Program *v = p ? xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL) : NULL;
    Nd good = VEC_OF(cx, 1, 2), bad = VEC_OF(cx, 1, -2),
       rows = nd_new(cx, WF_F64, (int64_t[]){2, 2}, 2);

    REQUIRE(is_valid(cx, p) && is_valid(cx, v));
    CHECK(run_program(cx, p, &good) != NULL);
    CHECK(run_program(cx, p, &bad) == NULL);
    check_error(cx, WF_ERR_ASSERT,
               "test.wir:3:2: assertion failed: assert: {x} is [1, -2]");
    memcpy(rows.data, (double[]){1, 2, -3, 4}, 32);
    CHECK(run_program(cx, v, &rows) == NULL);
    check_error(cx, WF_ERR_ASSERT, "{x} is [-3, 4]");
}

/* ---- collectives ---- */

XTEST(collectives_speak_of_the_rows_of_their_axis)
{
    const Program *p = parse(cx, "f(x: f64[]) { s = psum x axis=\"i\"; m = pmax x "
                                 "axis=\"i\"; g = all_gather x axis=\"i\" size=3;"
                                 " r = ppermute x axis=\"i\" size=3 perm=[0,1,1,2]; k = "
                                 "axis_index axis=\"i\"; c = const f64[] 2;"
                                 " t = psum c axis=\"i\"; ret s, m, g, r, k, t }");
    const Program *v = p ? xf_vmap(cx, p, (int[]){0}, "i", 3, NULL) : NULL;
    Nd x = VEC_OF(cx, 1, 5, 3), *out = NULL;

    REQUIRE(is_valid(cx, v) && (out = run_program(cx, v, &x)));
    CHECK_VEC(&out[0], 0, 9, 9, 9);
    CHECK_VEC(&out[1], 0, 5, 5, 5);
    CHECK_VEC(&out[2], 0, 1, 5, 3, 1, 5, 3, 1, 5, 3);
    CHECK_VEC(&out[3], 0, 0, 1, 5);
    CHECK_VEC(&out[4], 0, 0, 1, 2);
    CHECK_VEC(&out[5], 0, 6, 6, 6);
}

XTEST(nested_axes_are_told_apart_by_name)
{
    const Program *p = parse(cx, "f(x: f64[]) { a = psum x axis=\"i\"; b = psum x "
                                 "axis=\"j\"; k = axis_index axis=\"j\";"
                                 " h = all_gather x axis=\"i\" size=2; ret a, b, k, h }");
    const Program *v =
        p ? xf_vmap(cx, p, (int[]){0}, "i", 2, NULL) : NULL; /* inner: last axis of x */
    Nd x = nd_new(cx, WF_F64, (int64_t[]){3, 2}, 2), *out = NULL;

    v = v ? xf_vmap(cx, v, (int[]){0}, "j", -1, NULL) : NULL;
    memcpy(x.data, (double[]){1, 2, 3, 4, 5, 6}, 48);
    REQUIRE(is_valid(cx, v) && (out = run_program(cx, v, &x)));
    CHECK_VEC(&out[0], 0, 3, 3, 7, 7, 11, 11);
    CHECK_VEC(&out[1], 0, 9, 12, 9, 12, 9, 12);
    CHECK_VEC(&out[2], 0, 0, 0, 1, 1, 2, 2);
    CHECK_VEC(&out[3], 0, 1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6);
}

XTEST(vmap_of_grad_with_collectives_sums_over_the_rows)
{
    const Program *p =
        parse(cx, /* y_j = x_j (sum x)^2: summed over rows, its gradient is s^2 + 2 s s */
              "f(x: f64[]) { s = psum x axis=\"i\"; a = mul x s; y = mul a s; ret y }");
    const Program *g = p ? xf_grad(cx, p, (int[]){0}, 1, false) : NULL;
    const Program *v = g ? xf_vmap(cx, g, (int[]){0}, "i", -1, NULL) : NULL;
    Nd x = VEC_OF(cx, 1, 5, 3), *out = NULL;

    REQUIRE(is_valid(cx, v) && (out = run_program(cx, v, &x)));
    CHECK_VEC(&out[0], 0, 243, 243, 243);
}

XTEST(a_collective_over_an_axis_that_is_not_bound_is_an_error)
{
    static const char *const ops[] = {"psum x axis=\"rows\"", "pmax x axis=\"rows\"",
                                      "all_gather x axis=\"rows\" size=2",
                                      "ppermute x axis=\"rows\" size=2 perm=[0,1]",
                                      "axis_index axis=\"rows\""};
    Nd x = nd_f64(cx, 1);

    for (int k = 0; k < COUNT(ops); k++) {
        const Program *p = parse(
            cx, arena_printf(&cx->scratch, "f(x: f64[]) { y = %s; ret y }", ops[k]));
        REQUIRE(is_valid(cx, p));
        CHECK(run_program(cx, p, &x) == NULL);
        check_error(cx, WF_ERR_NAME, "axis 'rows' is not bound");
    }
}

XTEST(rows_that_go_different_ways_cannot_communicate)
{
    const Program *p = parse(cx, "a(x: f64[]) { y = psum x axis=\"i\"; ret y }\n"
                                 "b(x: f64[]) { ret x }\n"
                                 "f(x: f64[]) { z = const f64[] 0; p = gt x z; y = cond "
                                 "p x branches=[a,b]; ret y }");

    CHECK(p && xf_vmap(cx, p, (int[]){0}, "i", 3, NULL) == NULL);
    check_error(cx, WF_ERR_NORULE, "cond: a branch communicates over axis 'i'");
    p = parse(cx, "c(x: f64[]) { z = const f64[] 9; p = lt x z; ret p }\n"
                  "b(x: f64[]) { y = psum x axis=\"i\"; ret y }\n"
                  "f(x: f64[]) { y = while x cond=c body=b; ret y }");
    CHECK(p && xf_vmap(cx, p, (int[]){0}, "i", 3, NULL) == NULL);
    check_error(cx, WF_ERR_NORULE, "while: the body communicates over axis 'i'");
}

XTEST(the_size_of_an_axis_is_checked)
{
    static const char *const ops[] = {"all_gather x axis=\"i\" size=2",
                                      "ppermute x axis=\"i\" size=2 perm=[0,1]",
                                      "axis_index axis=\"i\" size=2"};

    for (int k = 0; k < COUNT(ops); k++) {
        const Program *p = parse(
            cx, arena_printf(&cx->scratch, "f(x: f64[]) { y = %s; ret y }", ops[k]));
        CHECK(p && xf_vmap(cx, p, (int[]){0}, "i", 3, NULL) == NULL);
        check_error(cx, WF_ERR_SHAPE, "axis 'i' has 3 rows, needs size=2");
    }
}
