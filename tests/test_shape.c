/* test_shape.c -- shape, index and window ops: known answers where meanings are easy to
 * get wrong, what folds, and every message. Derivatives, vmap and shapes at large are
 * tested from tests/ops/{shape,index,window}.wir.
 */
#include "lib_check.h"
#include "op/op.h"

#include <math.h>

/* ---- messages ---------------------------------------------------------------------- */

static const struct Mistake {
    const char *text; /* the program: parsed, and run on inputs of zeros if it has no type
                         error */
    wf_status status;
    const char *message;
} mistakes[] = {
    {"f(x: f32[N,3]) { z = reshape x [N,4]; ret z }", WF_ERR_SHAPE,
     "reshape: f32[N,3] has N*3 elements, but [N,4] needs N*4"},
    {"f(x: f32[32,28,28]) { z = reshape x [32,700]; ret z }", WF_ERR_SHAPE,
     "reshape: f32[32,28,28] has 25088 elements, but [32,700] needs 22400"},
    {"f(x: f32[N]) { z = reshape x [floor(N/2),2]; ret z }", WF_ERR_SHAPE,
     "reshape: f32[N] has N elements"},
    {"f(x: f32[2]) { z = reshape x [-1,-2]; ret z }", WF_ERR_SHAPE,
     "reshape: size 0 of the result is -1, but sizes are not negative"},

    {"f(x: f32[3]) { z = broadcast x [2,4] dims=[1]; ret z }", WF_ERR_SHAPE,
     "broadcast: axis 0 of f32[3] has size 3, but axis 1 of the result has 4"},
    {"f(x: f32[N]) { z = broadcast x [4] dims=[0]; ret z }", WF_ERR_SHAPE,
     "broadcast: axis 0 of f32[N] has size N, but axis 0 of the result has 4"},
    {"f(x: f32[3]) { z = broadcast x [2,3]; ret z }", WF_ERR_VALUE,
     "broadcast: dims has 0 entries, but f32[3] has 1 axes"},
    {"f(x: f32[3]) { z = broadcast x [2,3] dims=[2]; ret z }", WF_ERR_VALUE,
     "broadcast: dims[0] is 2, but there are 2 axes"},
    {"f(x: f32[2,3]) { z = broadcast x [2,3] dims=[1,0]; ret z }", WF_ERR_VALUE,
     "broadcast: dims must be increasing, but axis 0 follows 1"},

    {"f(x: f32[2,3]) { z = transpose x perm=[0]; ret z }", WF_ERR_VALUE,
     "transpose: perm has 1 entries, but f32[2,3] has 2 axes"},
    {"f(x: f32[2,3]) { z = transpose x perm=[1,1]; ret z }", WF_ERR_VALUE,
     "transpose: perm names axis 1 twice"},
    {"f(x: f32[2,3]) { z = transpose x perm=[0,-1]; ret z }", WF_ERR_VALUE,
     "transpose: perm[1] is -1, but there are 2 axes"},

    {"f(x: f32[4]) { z = slice x start=[1] limit=[5]; ret z }", WF_ERR_SHAPE,
     "slice: 1 to 5 of axis 0, but 0 <= start <= limit <= 4 is needed for f32[4]"},
    {"f(x: f32[4]) { z = slice x start=[3] limit=[2]; ret z }", WF_ERR_SHAPE,
     "slice: 3 to 2 of axis 0"},
    {"f(x: f32[4]) { z = slice x start=[-1] limit=[2]; ret z }", WF_ERR_SHAPE,
     "slice: -1 to 2 of axis 0"},
    {"f(x: f32[N]) { z = slice x start=[0] limit=[N+1]; ret z }", WF_ERR_SHAPE,
     "slice: 0 to N+1 of axis 0, but 0 <= start <= limit <= N is needed"},
    {"f(x: f32[4]) { z = slice x start=[0] limit=[4] stride=[0]; ret z }", WF_ERR_VALUE,
     "slice: stride[0] is 0, but must be at least 1"},
    {"f(x: f32[4]) { z = slice x start=[0] limit=[4] stride=[9223372036854775807]; ret z "
     "}",
     WF_ERR_LIMIT, "slice: stride[0] is 9223372036854775807, but must be at most 2^40"},
    {"f(x: f32[N]) { z = slice x start=[0] limit=[4]; ret z }", WF_ERR_SHAPE,
     "slice: 0 to 4 of axis 0, which has size 3"}, /* at run time */
    {"f(x: f32[N]) { z = slice x start=[N-2] limit=[2]; ret z }", WF_OK, ""},

    {"f(x: f32[4], v: f64[]) { z = pad x v lo=[1] hi=[1]; ret z }", WF_ERR_TYPE,
     "pad: the padding value is f64[], but must be a scalar f32"},
    {"f(x: f32[4], v: f32[1]) { z = pad x v lo=[1] hi=[1]; ret z }", WF_ERR_SHAPE,
     "pad: the padding value is f32[1], but must be a scalar f32"},
    {"f(x: f32[4], v: f32[]) { z = pad x v lo=[1]; ret z }", WF_ERR_VALUE,
     "pad: hi has 0 entries, but f32[4] has 1 axes"},
    {"f(x: f32[4], v: f32[]) { z = pad x v lo=[-3] hi=[-2]; ret z }", WF_ERR_SHAPE,
     "pad: lo -3 and hi -2 cut more than axis 0 of f32[4] has"},
    {"f(x: f32[4], v: f32[]) { z = pad x v lo=[0] hi=[0] interior=[-1]; ret z }",
     WF_ERR_VALUE, "pad: interior[0] is -1, but must be at least 0"},

    {"f(x: f32[4], y: i32[4]) { z = concat x y axis=0; ret z }", WF_ERR_TYPE,
     "concat: operand 1 is i32[4], but operand 0 is f32[4]"},
    {"f(x: f32[4,2], y: f32[4,3]) { z = concat x y axis=0; ret z }", WF_ERR_SHAPE,
     "concat: operand 1 is f32[4,3], but operand 0 is f32[4,2]: only axis 0 may differ"},
    {"f(x: f32[4,2], y: f32[4]) { z = concat x y axis=0; ret z }", WF_ERR_SHAPE,
     "only axis 0 may differ"},
    {"f(x: f32[4]) { z = concat x axis=1; ret z }", WF_ERR_VALUE,
     "concat: axis is 1, but f32[4] has 1 axes"},
    {"f() { z = concat axis=0; ret z }", WF_ERR_VALUE, "concat: no operands"},
    {"f(x: f32[4]) { z = rev x axes=[0,0]; ret z }", WF_ERR_VALUE,
     "rev: axes names axis 0 twice"},
    {"f() { z = iota bool[4] axis=0; ret z }", WF_ERR_TYPE,
     "iota: bool, but an integer or float dtype is needed"},
    {"f() { z = iota i32[4] axis=1; ret z }", WF_ERR_VALUE,
     "iota: axis is 1, but i32[4] has 1 axes"},
    {"f(x: i32[]) { size x as=K; z = iota i32[K] axis=0; ret z }", WF_ERR_TYPE,
     "size: i32[], but an i64 scalar is needed"},
    {"f(x: i64[1]) { size x as=K; z = iota i32[K] axis=0; ret z }", WF_ERR_SHAPE,
     "size: i64[1], but a scalar is needed"},
    {"f(x: i64[]) { c = const i64[] -1; n = add x c; size n as=K; z = iota i32[K] "
     "axis=0; ret z }",
     WF_ERR_VALUE, "size: the size is -1, but sizes are not negative"},

    {"f(x: f32[4], i: f32[2,1]) { z = gather x i collapsed=[0] start_index_map=[0] "
     "slice_sizes=[1]; ret z }",
     WF_ERR_TYPE, "gather: indices are f32[2,1], but must be integers"},
    {"f(x: f32[4], i: i32[2,2]) { z = gather x i collapsed=[0] start_index_map=[0] "
     "slice_sizes=[1]; ret z }",
     WF_ERR_SHAPE,
     "gather: indices are i32[2,2], but need a last axis of size 1 for start_index_map"},
    {"f(x: f32[4], i: i32[]) { z = gather x i collapsed=[0] slice_sizes=[1]; ret z }",
     WF_ERR_SHAPE, "gather: indices are i32[], but need a last axis of size 0"},
    {"f(x: f32[4], i: i32[2,1]) { z = gather x i start_index_map=[0] slice_sizes=[1]; "
     "ret z }",
     WF_ERR_VALUE,
     "gather: offset_dims, collapsed and operand_batching have 0 entries together, but "
     "f32[4] has 1 axes"},
    {"f(x: f32[4], i: i32[2,1]) { z = gather x i offset_dims=[2] start_index_map=[0] "
     "slice_sizes=[1]; ret z }",
     WF_ERR_VALUE, "gather: offset_dims[0] is 2, but there are 2 axes"},
    {"f(x: f32[4], i: i32[2,1]) { z = gather x i collapsed=[0] start_index_map=[0] "
     "slice_sizes=[2]; ret z }",
     WF_ERR_VALUE,
     "gather: slice_sizes[0] is 2, but axis 0 is in collapsed: 1 is needed"},
    {"f(x: f32[4], i: i32[2,1]) { z = gather x i offset_dims=[1] start_index_map=[0] "
     "slice_sizes=[5]; ret z }",
     WF_ERR_SHAPE, "gather: slice_sizes[0] is 5, but axis 0 of f32[4] has size 4"},
    {"f(x: f32[4], i: i32[2,1]) { z = gather x i offset_dims=[1] start_index_map=[0] "
     "slice_sizes=[-1]; ret z }",
     WF_ERR_VALUE, "gather: slice_sizes[0] is -1, but sizes are not negative"},
    {"f(x: f32[4], i: i32[2,1]) {"
     " z = gather x i collapsed=[0] start_index_map=[0] slice_sizes=[1] mode=drop; ret z "
     "}",
     WF_ERR_VALUE, "gather: mode is drop, but clip, fill or promised is needed"},
    {"f(x: f32[3,4], i: i32[2,1]) { z = gather x i collapsed=[1] operand_batching=[0] "
     "indices_batching=[0]"
     " start_index_map=[1] slice_sizes=[1,1]; ret z }",
     WF_ERR_SHAPE,
     "gather: batching axis 0 of f32[3,4] and 0 of i32[2,1] differ in size"},
    {"f(x: f32[3,4], i: i32[3,1]) { z = gather x i collapsed=[1] operand_batching=[0]"
     " start_index_map=[1] slice_sizes=[1,1]; ret z }",
     WF_ERR_VALUE, "gather: operand_batching has 1 entries, but indices_batching 0"},
    {"f(x: f32[3,4], i: i32[3,1]) { z = gather x i collapsed=[1] operand_batching=[0] "
     "indices_batching=[0]"
     " start_index_map=[0] slice_sizes=[1,1]; ret z }",
     WF_ERR_VALUE, "gather: axis 0 is in operand_batching and in start_index_map"},
    {"f(x: f32[4]) { i = const i32[1,1] 4;"
     " z = gather x i collapsed=[0] start_index_map=[0] slice_sizes=[1] mode=promised; "
     "ret z }",
     WF_ERR_INDEX, "gather: a window of 1 at 4 does not fit axis 0, which has size 4"},
    {"f(x: f32[Z], i: i32[1,1]) { z = gather x i collapsed=[0] start_index_map=[0] "
     "slice_sizes=[1]; ret z }",
     WF_ERR_INDEX, "gather: a window of 1 at 0 does not fit axis 0, which has size 0"},

    {"f(x: f32[4], i: i32[2,1], u: f64[2]) { z = scatter x i u inserted=[0] "
     "operand_dims=[0]; ret z }",
     WF_ERR_TYPE, "scatter: updates are f64[2], but the operand is f32[4]"},
    {"f(x: f32[4], i: i32[2,1], u: f32[3]) { z = scatter x i u inserted=[0] "
     "operand_dims=[0]; ret z }",
     WF_ERR_SHAPE,
     "scatter: axis 0 of the updates f32[3] and axis 0 of the indices i32[2,1] differ"},
    {"f(x: f32[4], i: i32[2,1], u: f32[2,2]) { z = scatter x i u inserted=[0] "
     "operand_dims=[0]; ret z }",
     WF_ERR_SHAPE,
     "scatter: updates are f32[2,2], but indices i32[2,1] and update_window need 1 axes"},
    {"f(x: f32[4], i: i32[2,1], u: f32[2,5]) { z = scatter x i u update_window=[1] "
     "operand_dims=[0]; ret z }",
     WF_ERR_SHAPE,
     "scatter: windows of the updates f32[2,5] do not fit axis 0 of f32[4]"},
    {"f(x: f32[4], i: i32[2,1], u: f32[2]) { z = scatter x i u inserted=[0] "
     "operand_dims=[0] mode=fill; ret z }",
     WF_ERR_VALUE, "scatter: mode is fill, but clip, drop or promised is needed"},
    {"f(x: bool[4], i: i32[2,1], u: bool[2]) { z = scatter_add x i u inserted=[0] "
     "operand_dims=[0]; ret z }",
     WF_ERR_TYPE, "scatter_add: bool[4], but a number dtype is needed"},
    {"f(x: bool[4], i: i32[2,1], u: bool[2]) { z = scatter_mul x i u inserted=[0] "
     "operand_dims=[0]; ret z }",
     WF_ERR_TYPE, "scatter_mul: bool[4], but a number dtype is needed"},
    {"f(x: f32[4], u: f32[1]) { i = const i8[1,1] -1;"
     " z = scatter x i u inserted=[0] operand_dims=[0] mode=promised; ret z }",
     WF_ERR_INDEX, "scatter: a window of 1 at -1 does not fit axis 0, which has size 4"},

    {"f(x: f32[4,2], i: i32[]) { z = dynamic_slice x i sizes=[1,1]; ret z }",
     WF_ERR_VALUE, "dynamic_slice: 1 starts, but f32[4,2] has 2 axes"},
    {"f(x: f32[4], i: f32[]) { z = dynamic_slice x i sizes=[1]; ret z }", WF_ERR_TYPE,
     "dynamic_slice: start 0 is f32[], but must be an integer"},
    {"f(x: f32[4], i: i32[1]) { z = dynamic_slice x i sizes=[1]; ret z }", WF_ERR_SHAPE,
     "dynamic_slice: start 0 is i32[1], but must be a scalar"},
    {"f(x: f32[4], i: i32[]) { z = dynamic_slice x i sizes=[5]; ret z }", WF_ERR_SHAPE,
     "dynamic_slice: a window of 5 does not fit axis 0 of f32[4], which has size 4"},
    {"f(x: f32[N], i: i32[]) { z = dynamic_slice x i sizes=[5]; ret z }", WF_ERR_SHAPE,
     "dynamic_slice: a window of 5 does not fit axis 0, which has size 3"}, /* at run time
                                                                             */
    {"f() { z = dynamic_slice sizes=[]; ret z }", WF_ERR_VALUE,
     "dynamic_slice: 0 operands, but at least 1"},
    {"f(x: f32[4], u: f64[2], i: i32[]) { z = dynamic_update_slice x u i; ret z }",
     WF_ERR_TYPE, "dynamic_update_slice: the update is f64[2], but x is f32[4]"},
    {"f(x: f32[4], u: f32[], i: i32[]) { z = dynamic_update_slice x u i; ret z }",
     WF_ERR_SHAPE,
     "dynamic_update_slice: the update is f32[], but x is f32[4]: equal ranks are "
     "needed"},
    {"f(x: f32[4], u: f32[5], i: i32[]) { z = dynamic_update_slice x u i; ret z }",
     WF_ERR_SHAPE, "dynamic_update_slice: a window of 5 does not fit"},
    {"f(x: f32[4]) { z = dynamic_update_slice x; ret z }", WF_ERR_VALUE,
     "dynamic_update_slice: 1 operands, but at least 2 are needed"},

    {"f(x: f32[4]) { z = reduce_window_sum x window=[2,2]; ret z }", WF_ERR_VALUE,
     "reduce_window_sum: window has 2 entries, but f32[4] has 1 axes"},
    {"f(x: f32[4]) { z = reduce_window_sum x window=[0]; ret z }", WF_ERR_VALUE,
     "reduce_window_sum: window[0] is 0, but must be at least 1"},
    {"f(x: bool[4]) { z = reduce_window_sum x window=[2]; ret z }", WF_ERR_TYPE,
     "reduce_window_sum: bool[4], but a number dtype is needed"},
    {"f(x: f32[4]) { v, i = reduce_window_max x window=[2] base_dilation=[0]; ret v }",
     WF_ERR_VALUE, "reduce_window_max: base_dilation[0] is 0, but must be at least 1"},
};

XTEST(every_mistake_has_its_message)
{
    for (int k = 0; k < COUNT(mistakes); k++) {
        const struct Mistake *m = &mistakes[k];
        const Program *p = parse_lines(cx, m->text);
        int64_t *symvals;
        Nd in[4], out[4];
        if (p) {
            symvals = arena_array(&cx->scratch, p->dims.syms.n, sizeof *symvals);
            for (uint32_t i = 0; i < p->dims.syms.n; i++)
                symvals[i] = strcmp(p->dims.syms.v[i].name, "Z") ? 3 : 0;
            for (uint32_t i = 0; i < p->nin; i++) {
                Type t = val_type(p, program_in(p, i));
                int64_t dims[MAX_RANK];
                for (uint32_t j = 0; j < t.rank; j++)
                    CHECK(dim_eval(&p->dims, t.dims[j], symvals, &dims[j]));
                in[i] = nd_new(cx, (wf_dtype)t.dtype, dims, t.rank);
            }
            eval_program(cx, p, in, out, &cx->scratch);
        }
        if (m->status == WF_OK)
            CHECK(!failed(cx));
        else if (!failed(cx))
            FAIL("no error: %s", m->text);
        else
            check_error(cx, m->status, m->message);
    }
}

XTEST(a_batch_of_sizes_is_refused)
{
    const Program *p =
        parse_lines(cx, "f(n: i64[]) { size n as=K; z = iota i32[K] axis=0; ret z }");
    int axis = 0;

    CHECK(xf_vmap(cx, p, &axis, NULL, 2, NULL) == NULL);
    check_error(cx, WF_ERR_SHAPE,
               "size: the size would be different for each row of the batch");
    p = parse_lines(cx, "f(x: f32[3]) { z = nonzero x as=K; ret z }");
    CHECK(xf_vmap(cx, p, &axis, NULL, 2, NULL) == NULL);
    check_error(cx, WF_ERR_SHAPE,
               "nonzero: the result has a different size for each row of the batch");
}

/* ---- known answers ------------------------------------------------------------------
 */

/* Result 0 of the program, f64, is this. NaN equals NaN and -0 is not 0. */
static void check_f64(wf_ctx *cx, const char *text, const Nd *in, const double *want,
                      int64_t n)
{
    const Program *p = parse_lines(cx, text);
    Nd *out = p ? run_program(cx, p, in) : NULL;

    if (!out) {
        FAIL("%s", text);
        return;
    }
    CHECK_EQ_INT(out[0].count, n);
    for (int64_t i = 0; i < n && i < out[0].count; i++) {
        double got = nd_data(&out[0])[i];
        bool same = got != got ? want[i] != want[i]
                               : got == want[i] && !signbit(got) == !signbit(want[i]);
        if (!same)
            FAIL("element %lld is %g, not %g: %s", (long long)i, got, want[i], text);
    }
}

XTEST(windows_that_meet_apply_in_index_order)
{
    /* the window axis comes first in the updates: order is that of the index vectors all
     * the same */
    check_f64(cx,
              "f() { x = const f64[3] 0; i = const i64[2,1] [[0], [1]]; u = const "
              "f64[2,2] [[1, 2], [3, 4]];"
              " z = scatter x i u update_window=[0] operand_dims=[0]; ret z }",
              NULL, (double[]){1, 2, 4}, 3);
    check_f64(cx,
              "f() { x = const f64[2] 1; i = const i64[3,1] [[1], [1], [1]]; u = const "
              "f64[3] [2, 3, 5];"
              " z = scatter_mul x i u inserted=[0] operand_dims=[0]; ret z }",
              NULL, (double[]){1, 30}, 2);
}

XTEST(indices_beyond_i64_are_beyond_the_end)
{
    check_f64(
        cx,
        "f() { x = const f64[3] [1, 2, 3]; i = const u64[2,1] [[18446744073709551615], "
        "[0]];"
        " z = gather x i collapsed=[0] start_index_map=[0] slice_sizes=[1]; ret z }",
        NULL, (double[]){3, 1}, 2);
    check_f64(cx,
              "f() { x = const f64[3] [1, 2, 3]; i = const i64[3,1] "
              "[[-9223372036854775808], [9223372036854775807], [1]];"
              " z = gather x i collapsed=[0] start_index_map=[0] slice_sizes=[1] "
              "mode=fill fill=-0; ret z }",
              NULL, (double[]){-0.0, -0.0, 2}, 3);
}

XTEST(a_window_is_dropped_whole)
{
    check_f64(
        cx,
        "f() { x = const f64[4] 0; i = const i64[3,1] [[-1], [1], [3]]; u = const "
        "f64[3,2] 1;"
        " z = scatter_add x i u update_window=[1] operand_dims=[0] mode=drop; ret z }",
        NULL, (double[]){0, 1, 1, 0}, 4);
    check_f64(cx,
              "f() { x = const f64[4] 0; i = const i64[3,1] [[-1], [1], [3]]; u = const "
              "f64[3,2] 1;"
              " z = scatter_add x i u update_window=[1] operand_dims=[0]; ret z }",
              NULL, (double[]){1, 2, 2, 1}, 4);
}

XTEST(scatter_min_and_max_propagate_nan)
{
    check_f64(cx,
              "f() { x = const f64[3] [nan, 1, -0]; i = const i64[3,1] [[0], [1], [2]];"
              " u = const f64[3] [5, nan, 0]; z = scatter_max x i u inserted=[0] "
              "operand_dims=[0]; ret z }",
              NULL, (double[]){NAN, NAN, 0}, 3);
    check_f64(cx,
              "f() { x = const f64[3] [nan, 1, 0]; i = const i64[3,1] [[0], [1], [2]];"
              " u = const f64[3] [5, nan, -0]; z = scatter_min x i u inserted=[0] "
              "operand_dims=[0]; ret z }",
              NULL, (double[]){NAN, NAN, -0.0}, 3);
}

/* Result `which` of vjp (after the results of p itself) at these inputs and cotangents.
 */
static const double *vjp_at(wf_ctx *cx, const char *text, int wrt, const Nd *in)
{
    const Program *p = parse_lines(cx, text), *v = p ? xf_vjp(cx, p, &wrt, 1) : NULL;
    Nd *out = v ? run_program(cx, v, in) : NULL;

    return out ? nd_data(&out[p->nout]) : NULL;
}

XTEST(ties_of_scatter_max_share_the_derivative)
{
    const char *text = "f(x: f64[2], u: f64[3]) { i = const i64[3,1] [[0], [0], [1]];"
                       " z = scatter_max x i u inserted=[0] operand_dims=[0]; ret z }";
    Nd in[3] = {nd_f64s(cx, (double[]){4, 1}, 2), nd_f64s(cx, (double[]){4, 4, 2}, 3),
                nd_f64s(cx, (double[]){3, 5}, 2)};
    const double *gx = vjp_at(cx, text, 0, in), *gu = vjp_at(cx, text, 1, in);

    REQUIRE(gx && gu);
    CHECK_NEAR(gx[0], 1, 1e-15);
    CHECK_NEAR(gx[1], 0, 0);
    CHECK_NEAR(gu[0], 1, 1e-15);
    CHECK_NEAR(gu[1], 1, 1e-15);
    CHECK_NEAR(gu[2], 5, 0);
}

XTEST(the_cotangent_of_padding_leaves_out_the_operand)
{
    const char *text =
        "f(x: f64[2], v: f64[]) { z = pad x v lo=[1] hi=[0] interior=[1]; ret z }";
    Nd in[3] = {nd_f64s(cx, (double[]){1, 2}, 2), nd_f64(cx, 0),
                nd_f64s(cx, (double[]){3, INFINITY, 5, NAN}, 4)};
    const double *gv = vjp_at(cx, text, 1, in), *gx = vjp_at(cx, text, 0, in);

    REQUIRE(gv && gx);
    CHECK_NEAR(gv[0], 8, 0);
    CHECK(isinf(gx[0]) && isnan(gx[1]));
}

XTEST(the_derivative_of_scatter_mul_is_right_at_zeros)
{
    /* z = x * u0 * u1 * u2 at one place, with u0 = u1 = 0: all first derivatives are 0,
     * and so is nothing of the second with respect to u0 and u1, which is x * u2 */
    const char *text = "f(x: f64[1], u: f64[3]) { i = const i64[3,1] 0;"
                       " z = scatter_mul x i u inserted=[0] operand_dims=[0]; s = "
                       "reduce_sum z axes=[0]; ret s }";
    const Program *p = parse_lines(cx, text), *h;
    int wrt = 1;
    Nd in[2] = {nd_f64s(cx, (double[]){7}, 1), nd_f64s(cx, (double[]){0, 0, 5}, 3)},
       *out;

    h = xf_hessian(cx, p, &wrt, 1);
    REQUIRE(h);
    out = run_program(cx, h, in);
    REQUIRE(out && out[0].count == 9);
    CHECK_NEAR(nd_get(&out[0], 0), 0, 0);
    CHECK_NEAR(nd_get(&out[0], 1), 35, 1e-12);
    CHECK_NEAR(nd_get(&out[0], 2), 0, 0);
    CHECK_NEAR(nd_get(&out[0], 3), 35, 1e-12);
    CHECK_NEAR(nd_get(&out[0], 8), 0, 0);
}

XTEST(the_largest_of_a_window_is_the_first_and_nan_wins)
{
    const Program *p =
        parse_lines(cx, "f() { x = const f64[7] [1, 1, nan, nan, 0, -0, -inf];"
                       " v, i = reduce_window_max x window=[2] pad_hi=[2]; ret v, i }");
    static const double v[] = {1, NAN, NAN, NAN, 0, -0.0, -INFINITY, -INFINITY};
    static const int64_t i[] = {0, 2, 2, 3, 4, 5, 6, -1};
    Nd *out = p ? run_program(cx, p, NULL) : NULL;

    REQUIRE(out && out[0].count == 8);
    for (int k = 0; k < 8; k++) {
        CHECK_NEAR(nd_data(&out[0])[k], v[k], 0);
        CHECK_EQ_INT(((int64_t *)out[1].data)[k], i[k]);
    }
}

XTEST(an_empty_window_of_integers_is_the_lowest)
{
    const Program *p = parse_lines(
        cx, "f() { x = const i8[1] 5; y = const u16[1] 5; b = const bool[1] true;"
            " v, i = reduce_window_max x window=[1] pad_lo=[1]; w, j = reduce_window_max "
            "y window=[1] pad_lo=[1];"
            " c, k = reduce_window_max b window=[1] pad_lo=[1]; ret v, w, c }");
    Nd *out = p ? run_program(cx, p, NULL) : NULL;

    REQUIRE(out);
    CHECK_EQ_INT(((int8_t *)out[0].data)[0], -128);
    CHECK_EQ_INT(((uint16_t *)out[1].data)[0], 0);
    CHECK_EQ_INT(((uint8_t *)out[2].data)[0], 0);
    CHECK_EQ_INT(((uint8_t *)out[2].data)[1], 1);
}

/* ---- folds ---------------------------------------------------------------------------
 */

XTEST(identities_of_shape_are_no_equations)
{
    Builder *b = builder_new(cx, "f", B_OPTIMISE);
    Dim n = b_symbol(b, "N"), shape[2] = {n, 3}, flat = dim_mul(&b->dims, n, 3),
        zeros[2] = {0, 0};
    Val x = b_input(b, "x", b_make_type(b, WF_F32, shape, 2)), v = b_scalar(b, WF_F32, 2),
        y;
    int64_t swap[2] = {1, 0}, same[2] = {0, 1}, both[2] = {0, 1};

    CHECK_EQ_INT(b_reshape(b, x, shape, 2), x);
    CHECK_EQ_INT(b_reshape(b, b_reshape(b, x, &flat, 1), shape, 2), x);
    CHECK_EQ_INT(b_broadcast(b, x, shape, 2, same), x);
    CHECK_EQ_INT(b_transpose(b, x, same), x);
    CHECK_EQ_INT(b_transpose(b, b_transpose(b, x, swap), swap), x);
    CHECK_EQ_INT(b_slice(b, x, zeros, shape, NULL), x);
    CHECK_EQ_INT(b_pad(b, x, v, zeros, zeros, NULL), x);
    CHECK_EQ_INT(b_concat(b, &x, 1, 0), x);
    CHECK_EQ_INT(b_rev(b, x, both, 0), x);
    CHECK_EQ_INT(b_rev(b, b_rev(b, x, both, 2), both, 2), x);
    y = b_dynamic_slice(b, x, (const Val[]){b_int(b, WF_I32, 5), b_int(b, WF_I32, 7)},
                        shape);
    CHECK_EQ_INT(y, x);
    y = b_broadcast_scalar(b, v, shape, 2);
    CHECK(b_is_number(b, b_transpose(b, y, swap), 2));
    CHECK(b_is_number(b, b_reshape(b, y, &flat, 1), 2));
    /* not identities */
    CHECK(b_transpose(b, x, swap) != x);
    CHECK(b_rev(b, b_rev(b, x, both, 1), both, 2) != x);
    CHECK(b_slice(b, x, zeros, (const Dim[]){n, 2}, NULL) != x);
}
