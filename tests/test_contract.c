/* test_contract.c -- contractions and linear algebra: every message, and what the rules
 * make of a program. Numbers are tested from tests/golden/, derivatives and vmap from
 * tests/ops/{contract,linalg}.wir.
 */
#include "lib_check.h"
#include "op/op.h"

/* ---- messages ---------------------------------------------------------------------- */

static const struct Mistake {
    const char *text;
    wf_status status;
    const char *message;
} mistakes[] = {
    {"f(x: bool[2], y: f32[2]) { z = dot_general x y lhs=[0] rhs=[0] acc=f32; ret z }",
     WF_ERR_TYPE, "dot_general: left operand is bool, needed an integer or float dtype"},
    {"f(x: f32[2], y: bool[2]) { z = dot_general x y lhs=[0] rhs=[0] acc=f32; ret z }",
     WF_ERR_TYPE, "right operand is bool"},
    {"f(x: i8[2], y: i8[2]) { z = dot_general x y lhs=[0] rhs=[0] acc=bool; ret z }",
     WF_ERR_TYPE, "acc is bool, needed an integer or float dtype"},
    {"f(x: i8[2], y: f32[2]) { z = dot_general x y lhs=[0] rhs=[0] acc=i32; ret z }",
     WF_ERR_TYPE, "right operand is f32, needed a float acc but it is i32"},
    {"f(x: f32[2], y: f32[2]) { z = dot_general x y lhs=[0] acc=f32; ret z }",
     WF_ERR_VALUE, "1 and 0 contracted axes, 0 and 0 batch axes; needed equal numbers"},
    {"f(x: f32[2], y: f32[2]) { z = dot_general x y lhs=[1] rhs=[0] acc=f32; ret z }",
     WF_ERR_VALUE, "axis 1 of the left operand f32[2], which has 1 axes"},
    {"f(x: f32[], y: f32[2]) { z = dot x y; ret z }", WF_ERR_VALUE,
     "axis -1 of the left operand f32[], which has 0 axes"},
    {"f(x: f32[2,2], y: f32[2,2]) { z = dot_general x y lhs=[0] rhs=[1] lhs_batch=[1] "
     "rhs_batch=[1] acc=f32; ret z }",
     WF_ERR_VALUE, "axis 1 of the right operand f32[2,2] is named twice"},
    {"f(x: f32[2,3], y: f32[4,2]) { z = dot x y; ret z }", WF_ERR_SHAPE,
     "contracted axes 1 of f32[2,3] and 0 of f32[4,2] have sizes 3 and 4, needed equal"},
    {"f(x: f32[N,3], y: f32[M,3]) { z = dot_general x y lhs_batch=[0] rhs_batch=[0] "
     "acc=f32; ret z }",
     WF_ERR_SHAPE, "batch axes 0 of f32[N,3] and 0 of f32[M,3] have sizes N and M"},

    {"f(x: f32[2], k: f32[2]) { z = conv_general x k acc=f32; ret z }", WF_ERR_SHAPE,
     "conv_general: input f32[2] and kernel f32[2], needed equal ranks of at least 2"},
    {"f(x: f32[1,2,3], k: f32[1,2]) { z = conv_general x k acc=f32; ret z }",
     WF_ERR_SHAPE, "input f32[1,2,3] and kernel f32[1,2], needed equal ranks"},
    {"f(x: f32[1,2,3], k: f32[1,2,1]) { z = conv_general x k lhs_spec=[0,1] acc=f32; "
     "ret z }",
     WF_ERR_VALUE, "lhs_spec has 2 axes, needed 3 or none"},
    {"f(x: f32[1,2,3], k: f32[1,2,1]) { z = conv_general x k out_spec=[0,1,1] acc=f32; "
     "ret z }",
     WF_ERR_VALUE, "out_spec is 1 at 2, needed each of 0 to 2 once"},
    {"f(x: f32[1,2,3], k: f32[1,2,1]) { z = conv_general x k stride=[1,1] acc=f32; "
     "ret z }",
     WF_ERR_VALUE, "stride has 2 entries, needed 1 or none"},
    {"f(x: f32[1,2,3], k: f32[1,2,1]) { z = conv_general x k rhs_dilation=[0] acc=f32; "
     "ret z }",
     WF_ERR_VALUE, "rhs_dilation is 0 at 0, needed at least 1"},
    {"f(x: f32[1,2,3], k: f32[1,2,1]) { z = conv_general x k groups=0 acc=f32; ret z }",
     WF_ERR_VALUE, "groups is 0, needed at least 1"},
    {"f(x: f32[1,2,3], k: f32[1,2,1]) { z = conv_general x k batch_groups=-1 acc=f32; "
     "ret z }",
     WF_ERR_VALUE, "batch_groups is -1, needed at least 1"},
    {"f(x: f32[2,2,3], k: f32[2,1,1]) { z = conv_general x k groups=2 batch_groups=2 "
     "acc=f32; ret z }",
     WF_ERR_VALUE, "groups is 2 and batch_groups is 2, needed one of them 1"},
    {"f(x: f32[1,3,3], k: f32[1,2,1]) { z = conv_general x k acc=f32; ret z }",
     WF_ERR_SHAPE,
     "the input f32[1,3,3] has 3 features, the kernel f32[1,2,1] with 1 groups needs 2"},
    {"f(x: f32[1,N,3], k: f32[1,2,1]) { z = conv_general x k acc=f32; ret z }",
     WF_ERR_SHAPE, "the input f32[1,N,3] has N features"},
    {"f(x: f32[1,4,3], k: f32[3,2,1]) { z = conv_general x k groups=2 acc=f32; ret z }",
     WF_ERR_SHAPE, "has 3 out features, needed a multiple of 2 groups"},
    {"f(x: f32[2,2,3], k: f32[3,2,1]) { z = conv_general x k batch_groups=2 acc=f32; "
     "ret z }",
     WF_ERR_SHAPE, "has 3 out features, needed a multiple of 2 batch groups"},
    {"f(x: f32[3,2,3], k: f32[2,2,1]) { z = conv_general x k batch_groups=2 acc=f32; "
     "ret z }",
     WF_ERR_SHAPE,
     "the input f32[3,2,3] has batch 3, needed a multiple of 2 batch groups"},
    {"f(x: f32[1,1,4], k: f32[1,1,2]) { z = conv_general x k "
     "lhs_dilation=[9223372036854775807] acc=f32; ret z }",
     WF_ERR_LIMIT, ""},

    {"f(x: f16[2,2]) { z = cholesky x; ret z }", WF_ERR_TYPE,
     "cholesky: operand is f16, needed f32, f64, c64 or c128"},
    {"f(x: f32[2]) { z = cholesky x; ret z }", WF_ERR_SHAPE,
     "operand is f32[2], needed a matrix or a batch of them"},
    {"f(x: f32[2,3]) { z = cholesky x; ret z }", WF_ERR_SHAPE,
     "operand is f32[2,3], needed square matrices"},
    {"f(x: f32[N,M]) { z = cholesky x; ret z }", WF_ERR_SHAPE,
     "operand is f32[N,M], needed square matrices"},
    {"f(a: f32[2,2], y: f64[2,2]) { x = triangular_solve a y; ret x }", WF_ERR_TYPE,
     "triangular_solve: operands are f32 and f64, needed equal dtypes"},
    {"f(a: f32[3,2,2], y: f32[2,2]) { x = triangular_solve a y; ret x }", WF_ERR_SHAPE,
     "operands are f32[3,2,2] and f32[2,2], needed equal leading axes"},
    {"f(a: f32[2,2], y: f32[3,2]) { x = triangular_solve a y; ret x }", WF_ERR_SHAPE,
     "operands are f32[2,2] and f32[3,2], needed rows of the second to number 2"},
    {"f(a: f32[2,2], y: f32[2,3]) { x = triangular_solve a y left=false; ret x }",
     WF_ERR_SHAPE, "needed columns of the second to number 2"},
    {"f(x: i32[2,2]) { f, p, q = lu x; ret f }", WF_ERR_TYPE,
     "lu: operand is i32, needed f32, f64, c64 or c128"},
};

XTEST(mistakes_in_contractions_are_named)
{
    for (int i = 0; i < COUNT(mistakes); i++) {
        CHECK(parse_lines(cx, mistakes[i].text) == NULL);
        check_error(cx, mistakes[i].status, mistakes[i].message);
    }
}

/* ---- what the rules make ----------------------------------------------------------- */

static int count_ops(const Program *p, OpCode op)
{
    int n = 0;

    for (uint32_t i = 0; i < p->neqns; i++)
        n += p->eqns[i].op == op;
    return n;
}

XTEST(reverse_mode_of_a_matmul_is_two_matmuls_and_no_transpose)
{
    const Program *p =
        parse_lines(cx, "f(x: f32[N,784], w: f32[784,10]) { z = dot x w; ret z }");
    const int wrt[] = {0, 1};
    const Program *g = xf_vjp(cx, p, wrt, 2);

    REQUIRE(is_valid(cx, g));
    CHECK_EQ_INT(count_ops(g, OP_dot_general), 3);
    CHECK_EQ_INT(count_ops(g, OP_transpose), 0);
    CHECK_EQ_INT(g->neqns, 3);
}

XTEST(vmap_of_a_matmul_is_one_dot_general_that_moves_nothing_in)
{
    const Program *p =
        parse_lines(cx, "f(x: f32[3,4], w: f32[4,5]) { z = dot x w; ret z }");

    for (int both = 1; both <= 3; both++) {
        const int axes[] = {both & 1 ? 0 : -1, both & 2 ? 2 : -1};
        const Program *q = xf_vmap(cx, p, axes, NULL, -1, NULL);

        REQUIRE(is_valid(cx, q));
        CHECK_EQ_INT(count_ops(q, OP_dot_general), 1);
        CHECK_EQ_INT(count_ops(q, OP_reshape) + count_ops(q, OP_broadcast), 0);
        /* the batch of w alone stands last in the result and is brought to the front */
        CHECK_EQ_INT(count_ops(q, OP_transpose), both == 2);
    }
}

XTEST(gradients_of_a_sample_each_of_a_convolution_are_one_grouped_convolution)
{
    const Program *p = parse_lines(
        cx, "f(x: f32[1,3,8,8], k: f32[4,3,3,3]) { z = conv_general x k pad_lo=[1,1] "
            "pad_hi=[1,1] acc=f32; s = reduce_sum z axes=[0,1,2,3]; ret s }");
    const int wrt[] = {1}, axes[] = {0, -1};
    const Program *g = xf_grad(cx, p, wrt, 1, false);
    const Program *q = g ? xf_vmap(cx, g, axes, NULL, -1, NULL) : NULL;

    REQUIRE(is_valid(cx, q));
    CHECK_EQ_INT(count_ops(q, OP_conv_general), 1);
    CHECK_EQ_INT(count_ops(q, OP_scan), 0);
}

XTEST(sizes_of_a_convolution_and_its_gradients_come_back_for_symbolic_sizes)
{
    const Program *p = parse_lines(
        cx, "f(x: f64[1,2,N,M], k: f64[3,2,3,K]) { z = conv_general x k stride=[2,1] "
            "pad_lo=[1,K-1] lhs_dilation=[1,2] rhs_dilation=[2,1] acc=f64; ret z }");
    const int wrt[] = {0, 1};
    const Program *g = xf_vjp(cx, p, wrt, 2);

    REQUIRE(is_valid(cx, g));
    for (uint32_t i = 0; i < 2; i++) {
        Arena *a = &cx->scratch;

        CHECK_STR(type_str(&g->dims, val_type(g, g->outs[i + 1]), a),
                  type_str(&p->dims, val_type(p, program_in(p, i)), a));
    }
}

XTEST(a_narrow_operand_of_a_wide_sum_gets_a_narrow_gradient)
{
    const Program *p = parse_lines(cx, "f(x: f16[2,3], y: f32[3,4]) { z = dot_general x y "
                                      "lhs=[1] rhs=[0] acc=f64; ret z }");
    const int wrt[] = {0, 1};
    const Program *g = xf_vjp(cx, p, wrt, 2);

    REQUIRE(is_valid(cx, g));
    CHECK_EQ_INT(val_type(g, g->outs[0]).dtype, WF_F64);
    CHECK_EQ_INT(val_type(g, g->outs[1]).dtype, WF_F16);
    CHECK_EQ_INT(val_type(g, g->outs[2]).dtype, WF_F32);
}

XTEST(samples_of_right_hand_sides_become_columns_of_one_solve)
{
    const Program *p =
        parse_lines(cx, "f(a: f64[3,3], y: f64[3,2]) { x = triangular_solve a y; ret x }");
    const int axes[] = {-1, 0};
    const Program *q = xf_vmap(cx, p, axes, NULL, 5, NULL);

    REQUIRE(is_valid(cx, q));
    for (uint32_t i = 0; i < q->neqns; i++)
        if (q->eqns[i].op == OP_triangular_solve) {
            Type t = val_type(q, q->eqns[i].out);

            CHECK_EQ_INT(t.rank, 2);
            CHECK_EQ_INT(t.dims[1], 10);
        }
    CHECK_EQ_INT(count_ops(q, OP_broadcast), 0);
}
