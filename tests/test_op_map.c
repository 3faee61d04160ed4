/* test_op_map.c -- elementwise ops, random bits, reductions and sort: known answers at
 * the edges, slopes at kinks, what folds and what must not, and every message of a type
 * rule.
 */
#include "test.h"

#include "op/scalar.h"
#include "transform/transform.h"

#include <math.h>
#include <stdio.h>

/* ---- running text programs ---- */

#define MOST 64 /* elements of all results together */

typedef struct Run {
    int n;          /* results' elements, one result after the other; -1: failed */
    double v[MOST]; /* as doubles */
    char message[1024];
    wf_status status;
} Run;

static double element(const Nd *x, int64_t i)
{
    Scalar s = scalar_load(x->dtype, x->data, i);

    if (dtype_is_float(x->dtype))
        return s.f;
    return dtype_is_signed(x->dtype) ? (double)(int64_t)s.u : (double)s.u;
}

/* The last program of the text (a ; ends a line in it), or with slope its forward
 * derivative with respect to input 0, a vector of x (n < 0: no input) in the direction of
 * ones: only the tangents are kept. */
static void run_inside(wf_ctx *cx, const char *text, const double *x, int n, bool slope,
                       Run *r)
{
    const Program **ps, *p;
    uint32_t count;
    int64_t dims[1] = {n};
    double ones[MOST];
    Nd in[2], out[8];

    for (int i = 0; i < MOST; i++)
        ones[i] = 1;
    in[0] = (Nd){WF_F64, 1, dims, n, (void *)x};
    in[1] = (Nd){WF_F64, 1, dims, n, ones};
    char *lines = arena_strdup(&cx->scratch, text);
    for (char *c = lines; (c = strchr(c, ';'));)
        *c = '\n';
    if (!programs_parse(cx, "t.wir", lines, strlen(lines), NULL, &ps, &count))
        return;
    p = ps[count - 1];
    uint32_t first = slope ? p->nout : 0;
    if (slope && !(p = xf_jvp_user(cx, p, (const int[]){0}, 1)))
        return;
    if (!program_verify(cx, p) || !eval_program(cx, p, in, out, &cx->scratch))
        return;
    r->n = 0;
    for (uint32_t j = first; j < p->nout; j++)
        for (int64_t i = 0; i < out[j].count && r->n < MOST; i++)
            r->v[r->n++] = element(&out[j], i);
}

static wf_status run_region(wf_ctx *cx, const char *text, const double *x, int n,
                            bool slope, Run *r)
{
    API_ENTER(cx);
    run_inside(cx, text, x, n, slope, r);
    API_RETURN(cx);
}

static Run run(const char *text, const double *x, int n, bool slope)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    Run r = {.n = -1};

    r.status = run_region(cx, text, x, n, slope, &r);
    snprintf(r.message, sizeof r.message, "%s", wf_ctx_message(cx));
    wf_ctx_free(cx);
    return r;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void expect(int line, const char *what, const Run *r, const double *want, int n)
{
    if (r->n != n)
        check_fail(__FILE__, line, "%s: %d elements, not %d. %s", what, r->n, n,
                   r->message);
    for (int i = 0; i < n && i < r->n; i++)
        if (!same(r->v[i], want[i]))
            check_fail(__FILE__, line, "%s: element %d is %g, not %g", what, i, r->v[i],
                       want[i]);
}

#define LIST(...) (const double[]){__VA_ARGS__}, COUNT(((const double[]){__VA_ARGS__}))

static void gives(int line, const char *text, const double *want, int n)
{
    Run r = run(text, NULL, -1, false);

    expect(line, text, &r, want, n);
}

static void slopes(int line, const char *text, const double *x, int nx,
                   const double *want, int n)
{
    Run r = run(text, x, nx, true);

    expect(line, text, &r, want, n);
}

#define GIVES(text, ...) gives(__LINE__, text, LIST(__VA_ARGS__))
/* At x (in parentheses), the derivative in the direction of ones. */
#define AT(...)               LIST(__VA_ARGS__)
#define SLOPES(text, at, ...) slopes(__LINE__, text, at, LIST(__VA_ARGS__))

static void refuses(int line, const char *text, wf_status status, const char *part)
{
    Run r = run(text, NULL, -1, false);

    if (r.status != status || !strstr(r.message, part))
        check_fail(__FILE__, line, "%s: status %d, '%s', without '%s'", text, r.status,
                   r.message, part);
}

#define REFUSES(text, status, part) refuses(__LINE__, text, status, part)

/* ---- random bits: the known answers published with the algorithms ---- */

TEST(threefry_gives_the_published_bits)
{
    GIVES("f() { z = const u32[] 0; a, b = threefry2x32 z z z z; ret a, b }", 0x6b200159,
          0x99ba4efe);
    GIVES("f() { z = const u32[] 0xffffffff; a, b = threefry2x32 z z z z; ret a, b }",
          0x1cb996fc, 0xbb002be7);
    GIVES("f() { k = const u32[] 0x13198a2e; l = const u32[] 0x03707344; c = const u32[] "
          "0x243f6a88; d = const u32[] 0x85a308d3; a, b = threefry2x32 k l c d; ret a, b "
          "}",
          0xc4923a9c, 0x483df7a0);
}

TEST(philox_gives_the_published_bits)
{
    GIVES(
        "f() { z = const u32[] 0; a, b, c, d = philox4x32 z z z z z z; ret a, b, c, d }",
        0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    GIVES("f() { z = const u32[] 0xffffffff; a, b, c, d = philox4x32 z z z z z z; ret a, "
          "b, c, d }",
          0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    GIVES("f() { k = const u32[] 0xa4093822; l = const u32[] 0x299f31d0; c = const u32[] "
          "0x243f6a88; d = const u32[] 0x85a308d3; e = const u32[] 0x13198a2e; g = const "
          "u32[] 0x03707344; a, b, x, y = philox4x32 k l c d e g; ret a, b, x, y }",
          0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

/* ---- reductions ---- */

TEST(empty_reductions_give_the_identity)
{
    static const struct {
        const char *op, *dtype;
        double want;
    } cases[] = {{"sum", "f32", 0},         {"prod", "f16", 1},
                 {"max", "f64", -INFINITY}, {"min", "bf16", INFINITY},
                 {"max", "i8", -128},       {"min", "i8", 127},
                 {"max", "u8", 0},          {"min", "u8", 255},
                 {"max", "i32", INT32_MIN}, {"min", "u32", UINT32_MAX},
                 {"max", "bool", 0},        {"min", "bool", 1},
                 {"and", "bool", 1},        {"or", "bool", 0},
                 {"and", "i16", -1},        {"and", "u16", 65535},
                 {"or", "u64", 0},          {"sum", "i64", 0},
                 {"prod", "u8", 1},         {"max", "i64", (double)INT64_MIN}};

    for (int i = 0; i < COUNT(cases); i++) {
        char text[200];

        snprintf(text, sizeof text,
                 "f() { x = const %s[0,2] %s; y = reduce_%s x axes=[0]; ret y }",
                 cases[i].dtype, strcmp(cases[i].dtype, "bool") ? "0" : "false",
                 cases[i].op);
        gives(__LINE__, text, (const double[]){cases[i].want, cases[i].want}, 2);
    }
}

TEST(reductions_at_their_edges)
{
    GIVES("f() { x = const f32[4] [1, nan, 3, -inf]; a = reduce_max x axes=[0]; b = "
          "reduce_min x axes=[0]; ret a, b }",
          NAN, NAN);
    GIVES("f() { x = const f32[2] [-0, 0]; a = reduce_max x axes=[0]; b = reduce_min x "
          "axes=[0]; ret a, b }",
          0.0, -0.0);
    GIVES("f() { x = const i8[3] [100, 100, 3]; a = reduce_sum x axes=[0]; b = "
          "reduce_prod x axes=[0]; ret a, b }",
          -53, 48);
    GIVES("f() { x = const f16[3] [2048, 1, 1]; a = reduce_sum x axes=[0]; b = cumsum x "
          "axis=0; ret a, b }",
          2050, 2048, 2048, 2050);
    GIVES("f() { x = const u8[2] [12, 10]; a = reduce_and x axes=[0]; b = reduce_or x "
          "axes=[0]; ret a, b }",
          8, 14);
    GIVES("f() { x = const f64[1,2] [-0, 1]; a = reduce_sum x axes=[0]; b = reduce_sum x "
          "axes=[]; ret a, b }",
          -0.0, 1, -0.0, 1);
    GIVES("f() { x = const i32[2,3] [1, 2, 3, 4, 5, 6]; a = reduce_sum x axes=[0]; b = "
          "reduce_sum x axes=[1]; c = reduce_prod x axes=[0,1]; ret a, b, c }",
          5, 7, 9, 6, 15, 720);
    GIVES(
        "f() { x = const i32[4] [1, 2, 3, 4]; y = cumsum x axis=0 reverse=true; ret y }",
        10, 9, 7, 4);
}

TEST(places_of_extremes_are_the_first_and_nan_wins)
{
    GIVES("f() { x = const f32[5] [1, 3, 3, 0, 0]; a = argmax x axis=0 dtype=i32; b = "
          "argmin x axis=0 dtype=i64; ret a, b }",
          1, 3);
    GIVES("f() { x = const f32[4] [inf, nan, 1, nan]; a = argmax x axis=0 dtype=i32; b = "
          "argmin x axis=0 dtype=i64; ret a, b }",
          1, 1);
    GIVES("f() { x = const f32[2] [-0, 0]; a = argmax x axis=0 dtype=i32; b = argmin x "
          "axis=0 dtype=i32; ret a, b }",
          0, 0);
    GIVES("f() { x = const u64[3] [1, 0xffffffffffffffff, 2]; a = argmax x axis=0 "
          "dtype=i32; b = argmin x axis=0 dtype=i32; ret a, b }",
          1, 0);
    GIVES("f() { x = const bool[2,2] [false, true, true, true]; a = argmax x axis=1 "
          "dtype=i32; b = argmin x axis=0 dtype=i32; ret a, b }",
          1, 0, 0, 0);
}

/* ---- sort ---- */

TEST(sort_is_stable_with_nan_last_both_ways)
{
    GIVES("f() { k = const f32[6] [2, nan, 1, -inf, nan, inf]; i = const i32[6] [0, 1, "
          "2, 3, 4, 5]; a, b = sort k i axis=0; ret a, b }",
          -INFINITY, 1, 2, INFINITY, NAN, NAN, 3, 2, 0, 5, 1, 4);
    GIVES("f() { k = const f32[6] [2, nan, 1, -inf, nan, inf]; i = const i32[6] [0, 1, "
          "2, 3, 4, 5]; a, b = sort k i axis=0 descending=[1]; ret a, b }",
          INFINITY, 2, 1, -INFINITY, NAN, NAN, 5, 0, 2, 3, 1, 4);
    GIVES("f() { k = const f32[4] [0, -0, 0, -0]; i = const i32[4] [0, 1, 2, 3]; a, b = "
          "sort k i axis=0 descending=[1]; ret a, b }",
          0.0, -0.0, 0.0, -0.0, 0, 1, 2, 3);
    GIVES("f() { k = const i8[5] [2, 1, 2, 1, 2]; l = const u8[5] [1, 5, 3, 6, 2]; i = "
          "const i32[5] [0, 1, 2, 3, 4]; a, b, c = sort k l i axis=0 keys=2 "
          "descending=[0,1]; ret a, b, c }",
          1, 1, 2, 2, 2, 6, 5, 3, 2, 1, 3, 1, 2, 4, 0);
    GIVES("f() { k = const i32[2,3] [3, 1, 2, 1, 3, 2]; a = sort k axis=1; b = sort k "
          "axis=0; ret a, b }",
          1, 2, 3, 1, 2, 3, 1, 1, 2, 3, 3, 2);
}

/* ---- slopes at kinks ---- */

TEST(slopes_at_kinks_are_those_of_jax)
{
    SLOPES("f(x: f64[3]) { y = abs x; ret y }", AT(0.0, -0.0, -2), 1, 1, -1);
    SLOPES("f(x: f64[3]) { c = const f64[3] 1; y = max x c; ret y }", AT(1, 2, 0), 0.5, 1,
           0);
    SLOPES("f(x: f64[3]) { c = const f64[3] 1; y = min c x; ret y }", AT(1, 2, 0), 0.5, 0,
           1);
    SLOPES(
        "f(x: f64[4]) { l = const f64[] 0; h = const f64[] 1; y = clamp l x h; ret y }",
        AT(0, 1, 0.5, 2), 0, 0, 1, 0);
    SLOPES(
        "f(x: f64[3]) { l = const f64[3] 1; h = const f64[3] 3; y = clamp x l h; ret y }",
        AT(1, 2, 4), 0, 1, 0);
    SLOPES(
        "f(x: f64[3]) { c = const f64[3] 2; l = const f64[] 1; y = clamp l c x; ret y }",
        AT(1.5, 2, 3), 1, 0, 0);
    SLOPES("f(x: f64[1]) { c = const f64[1] [0]; y = pow c x; ret y }", AT(2), 0);
    SLOPES("f(x: f64[3]) { c = const f64[3] [0, 1, 2]; y = pow x c; ret y }", AT(0, 0, 0),
           0, 1, 0);
    SLOPES("f(x: f64[4]) { y = reduce_max x axes=[0]; ret y }", AT(1, 3, 3, 2), 1);
    SLOPES("f(x: f64[2]) { c = const f64[2] [1, 0]; d = const f64[2] 0; t = mul x c; y = "
           "add t d; z = reduce_max y axes=[0]; ret z }",
           AT(0, 5), 0.5);
    SLOPES("f(x: f64[3]) { y = rem x x; ret y }", AT(1, 2, -3), 0, 0, 0);
    SLOPES("f(x: f64[2]) { c = const f64[2] [7, -7]; y = rem c x; ret y }", AT(2, 2), -3,
           3);
    SLOPES("f(x: f64[3]) { y = sign x; z = floor x; ret y, z }", AT(1, 0, -1), 0, 0, 0, 0,
           0, 0);
    SLOPES("f(x: f64[2]) { a = cast x i32; y = cast a f64; ret y }", AT(1, 2), 0, 0);
    SLOPES("f(x: f64[2]) { a = bitcast x i64; y = bitcast a f64; ret y }", AT(1, 2), 0,
           0);
}

TEST(slopes_of_products_are_right_with_zeros)
{
    SLOPES("f(x: f64[3]) { y = reduce_prod x axes=[0]; ret y }", AT(2, 0, 5), 10);
    SLOPES("f(x: f64[3]) { y = reduce_prod x axes=[0]; ret y }", AT(2, 0, 0), 0);
    SLOPES("f(x: f64[N]) { y = reduce_prod x axes=[0]; ret y }", AT(2, 0, 5, 3), 30);
    SLOPES("f(x: f64[N]) { y = reduce_prod x axes=[0]; ret y }", AT(2, 3, 5, 7), 247);
}

TEST(slopes_of_empty_extremes_are_zero)
{
    Run r = run("f(x: f64[N]) { c = const f64[N,2] 0; b = broadcast x [N,2] dims=[0]; d "
                "= add b c; y = reduce_max d axes=[0]; ret y }",
                (const double[]){0}, 0, true);

    expect(__LINE__, "reduce_max", &r, (const double[]){0, 0}, 2);
}

/* ---- folds ---- */

typedef struct Fold {
    Builder *b;
    Val x, i; /* f64[3], i32[3] */
} Fold;

static void check_folds(Fold *f)
{
    Builder *b = f->b;
    Val x = f->x, i = f->i, zero = b_zeros_like(b, x), minus = b_full_like(b, x, -0.0);
    Val one = b_one_like(b, x), yes = b_eq(b, i, i);

    CHECK(b_add(b, x, zero) != x);
    CHECK(b_add(b, x, minus) == x);
    CHECK(b_add(b, minus, x) == x);
    CHECK(b_add(b, i, b_zeros_like(b, i)) == i);
    CHECK(b_sub(b, x, zero) == x);
    CHECK(b_sub(b, x, minus) != x);
    CHECK(b_sub(b, x, x) != zero);
    CHECK(b_sub(b, i, i) == b_zeros_like(b, i));
    CHECK(b_mul(b, x, one) == x);
    CHECK(b_mul(b, one, x) == x);
    CHECK(b_mul(b, x, zero) != zero);
    CHECK(b_mul(b, i, b_zeros_like(b, i)) == b_zeros_like(b, i));
    CHECK(b_mul(b, x, b_full_like(b, x, -1)) == b_neg(b, x));
    CHECK(b_div(b, x, one) == x);
    CHECK(b_div(b, one, x) != x);
    CHECK(b_pow(b, x, one) == x);
    CHECK(b_pow(b, x, zero) == one);
    CHECK(b_neg(b, b_neg(b, x)) == x);
    CHECK(b_not(b, b_not(b, i)) == i);
    CHECK(b_max(b, x, x) == x);
    CHECK(b_is_number(b, yes, 1));
    CHECK(!b_is_number(b, b_eq(b, x, x), 1));
    CHECK(b_select(b, yes, x, zero) == x);
    CHECK(b_select(b, b_not(b, yes), x, zero) == zero);
    CHECK(b_cast(b, b_cast(b, b_cast(b, x, WF_F32), WF_F64), WF_F32) ==
          b_cast(b, x, WF_F32));
    CHECK(b_cast(b, b_cast(b, x, WF_F32), WF_F64) != x);
    CHECK(b_cast(b, b_cast(b, i, WF_F64), WF_I32) == i);
    CHECK(b_cast(b, b_cast(b, i, WF_F32), WF_I32) != i);
    CHECK(b_is_number(b, b_mul(b, b_full_like(b, x, 3), b_full_like(b, x, 4)), 12));
    CHECK(b_reduce(b, OP_reduce_sum, x, NULL, 0) == x);
}

static wf_status fold_region(wf_ctx *cx)
{
    API_ENTER(cx);
    Builder *b = builder_new(cx, "f", B_OPTIMISE);
    Dim three = 3;
    Fold f = {b, b_input(b, "x", b_make_type(b, WF_F64, &three, 1)),
              b_input(b, "i", b_make_type(b, WF_I32, &three, 1))};
    check_folds(&f);
    API_RETURN(cx);
}

TEST(only_exact_identities_fold)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    CHECK_EQ_INT(fold_region(cx), WF_OK);
    wf_ctx_free(cx);
}

/* ---- messages ---- */

TEST(elementwise_ops_refuse_wrong_types)
{
    REFUSES("f(x: i32[2]) { y = exp x; ret y }", WF_ERR_TYPE,
            "exp: operand 1 is i32[2], needs a float or complex dtype");
    REFUSES("f(x: bool[2]) { y = neg x; ret y }", WF_ERR_TYPE,
            "neg: operand 1 is bool[2], needs an integer, float or complex dtype");
    REFUSES("f(x: c64[2]) { y = lt x x; ret y }", WF_ERR_TYPE,
            "lt: operand 1 is c64[2], needs a dtype with an order");
    REFUSES("f(x: c64[2]) { y = floor x; ret y }", WF_ERR_TYPE,
            "floor: operand 1 is c64[2], needs a float dtype");
    REFUSES("f(x: f32[2]) { y = real x; ret y }", WF_ERR_TYPE,
            "real: operand 1 is f32[2], needs a complex dtype");
    REFUSES("f(x: f16[2]) { y = complex x x; ret y }", WF_ERR_TYPE,
            "complex: operand 1 is f16[2], needs f32 or f64");
    REFUSES("f(x: c64[2]) { y = reduce_max x axes=[0]; ret y }", WF_ERR_TYPE,
            "reduce_max: operand is c64[2], needs a dtype with an order");
    REFUSES("f(x: f32[2]) { y = not x; ret y }", WF_ERR_TYPE,
            "not: operand 1 is f32[2], needs bool or an integer dtype");
    REFUSES("f(x: f32[2]) { y = shl x x; ret y }", WF_ERR_TYPE,
            "shl: operand 1 is f32[2], needs an integer dtype");
    REFUSES("f(x: f32[2], y: f64[2]) { z = add x y; ret z }", WF_ERR_TYPE,
            "add: operands are f32[2] and f64[2], needs equal types");
    REFUSES("f(x: f32[2], y: f32[N]) { z = add x y; ret z }", WF_ERR_SHAPE,
            "add: operands are f32[2] and f32[N], needs equal types");
    REFUSES("f(p: i8[2], x: f32[2]) { z = select p x x; ret z }", WF_ERR_TYPE,
            "select: operand 1 is i8[2], needs bool");
    REFUSES("f(p: bool[], x: f32[2]) { z = select p x x; ret z }", WF_ERR_SHAPE,
            "select: chooses by bool[] from f32[2], needs equal shapes");
    REFUSES("f(x: bool[2]) { z = clamp x x x; ret z }", WF_ERR_TYPE,
            "clamp: operand 2 is bool[2], needs an integer or float dtype");
    REFUSES("f(x: f32[2], l: f64[]) { z = clamp l x l; ret z }", WF_ERR_TYPE,
            "clamp: bound is f64[], needs the dtype of f32[2]");
    REFUSES("f(x: f32[2], l: f32[1]) { z = clamp x x l; ret z }", WF_ERR_SHAPE,
            "clamp: bound is f32[1], needs a scalar or the shape of f32[2]");
    REFUSES("f(x: f32[2]) { z = bitcast x i64; ret z }", WF_ERR_TYPE,
            "bitcast: from f32[2] to i64, needs dtypes of equal size");
    REFUSES("f(x: u8[2]) { z = bitcast x bool; ret z }", WF_ERR_TYPE,
            "bitcast: from u8[2] to bool, needs ne with 0");
    REFUSES("f(x: i32[2]) { a, b = threefry2x32 x x x x; ret a }", WF_ERR_TYPE,
            "threefry2x32: operand 1 is i32[2], needs u32");
    REFUSES("f(x: u32[2], y: u32[]) { a, b = threefry2x32 y y x x; ret a }", WF_ERR_SHAPE,
            "threefry2x32: operands are u32[] and u32[2], needs equal types");
}

TEST(reductions_and_sort_refuse_wrong_attributes)
{
    REFUSES("f(x: bool[2]) { y = reduce_sum x axes=[0]; ret y }", WF_ERR_TYPE,
            "reduce_sum: operand is bool[2], needs an integer or float dtype");
    REFUSES("f(x: f32[2]) { y = reduce_or x axes=[0]; ret y }", WF_ERR_TYPE,
            "reduce_or: operand is f32[2], needs bool or an integer dtype");
    REFUSES("f(x: f32[2]) { y = reduce_sum x axes=[1]; ret y }", WF_ERR_VALUE,
            "reduce_sum: axis 1 of f32[2], needs 0 <= axis < 1");
    REFUSES("f(x: f32[2,2]) { y = reduce_max x axes=[1,0]; ret y }", WF_ERR_VALUE,
            "reduce_max: axis 0 after axis 1, needs increasing axes");
    REFUSES("f(x: f32[2]) { y = argmax x axis=0 dtype=f32; ret y }", WF_ERR_TYPE,
            "argmax: index dtype is f32, needs i32 or i64");
    REFUSES("f(x: f32[2]) { y = argmin x axis=-1 dtype=i32; ret y }", WF_ERR_VALUE,
            "argmin: axis -1 of f32[2], needs 0 <= axis < 1");
    REFUSES("f(x: f32[2,0]) { y = argmax x axis=1 dtype=i32; ret y }", WF_ERR_SHAPE,
            "argmax: axis 1 of f32[2,0] is empty, needs an element");
    REFUSES("f(x: bool[4294967296]) { y = argmax x axis=0 dtype=i32; ret y }",
            WF_ERR_VALUE, "is too long for i32, needs dtype=i64");
    REFUSES("f(x: bool[2]) { y = cumsum x axis=0; ret y }", WF_ERR_TYPE,
            "cumsum: operand is bool[2], needs an integer or float dtype");
    REFUSES("f(x: f32[2]) { y = cumsum x axis=1; ret y }", WF_ERR_VALUE,
            "cumsum: axis 1 of f32[2], needs 0 <= axis < 1");
    REFUSES("f(x: f32[2], y: f32[3]) { a, b = sort x y axis=0; ret a }", WF_ERR_SHAPE,
            "sort: operands are f32[2] and f32[3], needs equal shapes");
    REFUSES("f(x: f32[2]) { y = sort x axis=1; ret y }", WF_ERR_VALUE,
            "sort: axis 1 of f32[2], needs 0 <= axis < 1");
    REFUSES("f(x: f32[2]) { y = sort x axis=0 keys=2; ret y }", WF_ERR_VALUE,
            "sort: 2 keys of 1 operands, needs 1 <= keys <= operands");
    REFUSES("f(x: f32[2]) { y = sort x axis=0 descending=[1,0]; ret y }", WF_ERR_VALUE,
            "sort: descending has 2 entries, needs one for each of 1 keys");
    REFUSES("f(x: f32[2]) { y = sort x axis=0 descending=[2]; ret y }", WF_ERR_VALUE,
            "sort: descending has 2, needs 0 or 1");
    REFUSES("f() { sort axis=0; c = const f32[] 0; ret c }", WF_ERR_VALUE,
            "sort: no operands, needs at least one");
}

TEST(an_empty_axis_met_at_run_time_is_an_error)
{
    Run r = run("f(x: f64[N]) { y = argmax x axis=0 dtype=i32; ret y }",
                (const double[]){0}, 0, false);

    CHECK_EQ_INT(r.status, WF_ERR_SHAPE);
    CHECK_HAS(r.message, "argmax: axis 0 is empty, needs an element");
}
