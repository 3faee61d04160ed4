/* test_transform.c -- the transforms on hand-written programs: the laws of lib_laws.c, known
 * answers, sizes of what comes out, errors.
 */
#include "lib_check.h"

#include <math.h>

#define MAX_IO 16

/* ---- programs that go through all laws --------------------------------------------- */

static const char *const programs[] = {
    "product(x: f64[], y: f64[]) { z = mul x y; ret z }",
    "identity(x: f64[N]) { ret x }",
    "twice(x: f64[2]) { ret x, x }",
    "constant(x: f64[2]) { c = const f64[3] [1, 2, 3]; ret c }",
    "unused(x: f64[2], y: f64[3]) { z = sin x; ret z }",
    "square(x: f64[]) { y = mul x x; ret y }",
    "chain(x: f64[3]) { a = sin x; b = exp a; c = tanh b; d = log b; e = mul c d; ret e "
    "}",
    "fan_out(x: f64[2]) { a = sin x; b = mul a a; c = add a b; d = mul c a; e = sub d x; "
    "ret e, c }",
    "sin_x_times_x(x: f64[]) { s = sin x; y = mul s x; ret y }",
    "rosenbrock(x: f64[], y: f64[]) {"
    " one = const f64[] 1; k = const f64[] 100;"
    " a = sub one x; a2 = mul a a; x2 = mul x x; b = sub y x2; b2 = mul b b; c = mul k "
    "b2; r = add a2 c; ret r }",
    "matmul(x: f64[2,3], w: f64[3,2]) { y = dot x w; ret y }",
    "mlp(x: f64[N,3], w: f64[3,M], b: f64[M], v: f64[M]) {"
    " h = dot x w; c = broadcast b [N,M] dims=[1]; a = add h c; t = tanh a; y = dot t v;"
    " s = reduce_sum y axes=[0]; ret s }",
    "softmax_loss(x: f64[N,4], w: f64[4,3], t: i32[N]) {"
    " z = dot x w; m = reduce_max z axes=[1]; mb = broadcast m [N,3] dims=[0]; sm = "
    "stop_gradient mb;"
    " d = sub z sm; e = exp d; s = reduce_sum e axes=[1]; l = log s;"
    " i = iota i32[N,3] axis=1; tb = broadcast t [N,3] dims=[0]; hit = eq i tb;"
    " zero = const f64[N,3] 0; p = select hit d zero; q = reduce_sum p axes=[1];"
    " loss = sub l q; n = dim N; nf = cast n f64; total = reduce_sum loss axes=[0]; mean "
    "= div total nf;"
    " ret mean }",
    "shapes(x: f64[2,3], y: f64[4]) {"
    " t = transpose x perm=[1,0]; r = reshape t [6]; s = slice r start=[1] limit=[5]; c "
    "= concat s y axis=0;"
    " z = const f64[] 0; p = pad c z lo=[1] hi=[2]; v = rev p axes=[0]; w = mul v v; ret "
    "w }",
    "mixed(x: f64[3], n: i32[3]) {"
    " c = cast n f64; y = mul x c; k = add n n; b = lt x c; z = select b x y; ret z, k, "
    "b }",
    "narrow(x: f64[2,1], y: f64[3]) {"
    " a = broadcast x [2,3] dims=[0,1]; b = broadcast y [2,3] dims=[1]; c = mul a b; d = "
    "max c a; e = sqrt d; ret e }",
    "sums(x: f64[N,M]) { a = reduce_sum x axes=[0]; b = reduce_sum x axes=[0,1]; c = "
    "cumsum x axis=1;"
    " d = reduce_prod x axes=[1]; ret a, b, c, d }",
    "symbolic(x: f64[N], y: f64[M]) {"
    " c = concat x y axis=0; n = dim N+M; f = cast n f64; fb = broadcast f [N+M] "
    "dims=[]; q = div c fb;"
    " e = exp q; s = slice e start=[1] limit=[N]; t = reduce_sum s axes=[0]; ret t, e }",
    "empty(x: f64[0,2], y: f64[2]) { b = broadcast y [0,2] dims=[1]; m = mul x b; s = "
    "reduce_sum m axes=[0];"
    " t = add s y; ret t, m }",
    "index(x: f64[4,2], i: i32[], u: f64[1,2]) {"
    " z = const i32[] 0; r = dynamic_slice x i z sizes=[2,2]; v = dynamic_update_slice x "
    "u i z;"
    " w = mul v v; s = sin r; ret s, w }",
    "sorted(x: f64[5], y: f64[5]) { a, b = sort x y axis=0 keys=1; c = mul a b; ret c }",
    "inner(a: f64[N], b: f64[]) { s = sin a; t = broadcast b [N] dims=[]; u = mul s t; "
    "ret u, s }\n"
    "calls(x: f64[3], y: f64[]) { p, q = call x y body=inner; r = mul p q; s = "
    "reduce_sum r axes=[0];"
    " t = mul s y; ret t }",
    "step(a: f64[2], h: f64[2], t: f64[2]) { u = mul a h; v = add u t; w = tanh v; ret "
    "w, v }\n"
    "scanned(a: f64[2], h: f64[2], t: f64[3,2]) {"
    " y, ys = scan a h t body=step nconst=1 ncarry=1 length=3;"
    " p = mul y y; s = reduce_sum p axes=[0]; q = reduce_sum ys axes=[0,1]; r = mul s q; "
    "ret r }",
    "step(c: f64[], i: i32[], x: f64[]) { u = mul c x; v = sin u; o = const i32[] 1;"
    " j = add i o; ret j, v }\n"
    "scanned_n(c: f64[], x: f64[], l: f64[N]) { z = const i32[] 0;"
    " n, y = scan c z x body=step nconst=1 ncarry=2 length=N; s = reduce_sum l axes=[0];"
    " w = mul y s; ret w, n }",
    "on(x: f64[3], k: f64[]) { b = broadcast k [3] dims=[]; y = mul x b; z = sin y; ret "
    "z, k }\n"
    "off(x: f64[3], k: f64[]) { y = exp x; c = const f64[] 2; l = mul k c; ret y, l }\n"
    "branches(i: i32[], x: f64[3], k: f64[]) { y, l = cond i x k branches=[on,off];"
    " s = reduce_sum y axes=[0]; t = mul s l; ret t }",
    "more(x: f64[], i: i32[]) { k = const i32[] 4; b = lt i k; ret b }\n"
    "turn(a: f64[], x: f64[], i: i32[]) { o = const i32[] 1; j = add i o; y = mul a x;"
    " z = sin y; ret z, j }\n"
    "looped(a: f64[], x: f64[]) { z = const i32[] 0;"
    " y, n = while a x z cond=more body=turn nbody=1; w = mul y a; ret w }",
    "more(x: f64[]) { k = const f64[] 4; b = lt x k; ret b }\n"
    "turn(a: f64[], x: f64[]) { y = add x a; t = sin y; d = const f64[] 2; z = add t d;"
    " q = max y z; ret q }\n"
    "looped_bounded(a: f64[], x: f64[]) { y = while a x cond=more body=turn nbody=1 "
    "bound=6;"
    " w = mul y a; ret w }",
    "inner(a: f64[3], b: f64[]) { s = sin a; t = broadcast b [3] dims=[]; u = mul s t; e "
    "= exp u;"
    " ret e }\n"
    "recomputed(x: f64[3], y: f64[]) { p = checkpoint x y body=inner; r = mul p x;"
    " s = reduce_sum r axes=[0]; ret s }",
    "kept(x: f64[3]) { a = exp x; b = name a as=\"hidden\"; c = opt_barrier b; d = mul c "
    "c; ret d }",
};

XTEST(every_program_keeps_every_law)
{
    for (int i = 0; i < COUNT(programs) && !failed(cx); i++) {
        keep_laws(cx, parse_lines(cx, programs[i]), true);
        if (failed(cx))
            fail_note(cx, NOWHERE, "in %.40s", programs[i]);
    }
}

/* A symbol that an equation defines: the size is known at run time only. */
static const char *const counted[] = {
    "more(l: f64[], x: f64[]) { b = lt x l; ret b }\n"
    "turn(a: f64[], x: f64[]) { y = add x a; z = mul y a; s = sin z; ret y, s }\n"
    "stacked(l: f64[], a: f64[], x: f64[], w: f64[]) {"
    " y, ys = while l a x cond=more body=turn ncond=1 nbody=1 trips=K;"
    " b = broadcast w [K] dims=[]; p = mul ys b; q = mul p p; s = reduce_sum q axes=[0]; "
    "k = dim K;"
    " f = cast k f64; m = mul s f; r = add m y; ret r }",
    "sized(n: i64[], x: f64[]) { size n as=K; b = broadcast x [K] dims=[]; c = iota "
    "i64[K] axis=0;"
    " f = cast c f64; s = mul b f; t = sin s; u = reduce_sum t axes=[0]; v = mul u x; "
    "ret v }",
    "found(m: bool[5], x: f64[5], y: f64[]) { i = nonzero m as=K; b = broadcast y [K] "
    "dims=[];"
    " e = exp b; s = reduce_sum e axes=[0]; k = dim K; f = cast k f64; q = mul s f;"
    " r = reduce_sum x axes=[0]; w = mul q r; ret w }",
};

XTEST(symbols_defined_by_equations_go_through_all_derivatives)
{
    for (int i = 0; i < COUNT(counted) && !failed(cx); i++) {
        keep_laws(cx, parse_lines(cx, counted[i]), false);
        if (failed(cx))
            fail_note(cx, NOWHERE, "in %.40s", counted[i]);
    }
}

/* ---- known answers ----------------------------------------------------------------- */

/* Result j of p on f64 scalars. */
static double at_scalars(wf_ctx *cx, const Program *p, const double *x, uint32_t j)
{
    Nd in[MAX_IO], *out;

    for (uint32_t i = 0; p && i < p->nin; i++)
        in[i] = nd_f64(cx, x[i]);
    out = p ? run_program(cx, p, in) : NULL;
    return out ? nd_get(&out[j], 0) : (double)NAN;
}

XTEST(gradient_of_a_product_is_the_other_factor)
{
    const Program *p = parse_lines(cx, "f(x: f64[], y: f64[]) { z = mul x y; ret z }");
    const Program *g = xf_grad(cx, p, (int[]){0, 1}, 2, true);
    const double x[] = {3, 5};

    REQUIRE(is_valid(cx, g));
    CHECK_STR(g->name, "f_grad");
    CHECK_EQ_INT(g->nout, 3);
    CHECK_NEAR(at_scalars(cx, g, x, 0), 15, 0);
    CHECK_NEAR(at_scalars(cx, g, x, 1), 5, 0);
    CHECK_NEAR(at_scalars(cx, g, x, 2), 3, 0);
    CHECK_EQ_INT(xf_grad(cx, p, (int[]){0, 1}, 2, false)->neqns,
                 0); /* the inputs themselves */
}

XTEST(wrt_gives_the_order_of_results)
{
    const Program *p = parse_lines(cx, "f(x: f64[], y: f64[]) { z = mul x y; ret z }");
    const double x[] = {3, 5, 1, 0};
    const Program *g = xf_grad(cx, p, (int[]){1, 0}, 2, false),
                  *j = xf_jvp_user(cx, p, (int[]){1, 0}, 2);

    REQUIRE(is_valid(cx, g) && is_valid(cx, j));
    CHECK_NEAR(at_scalars(cx, g, x, 0), 3, 0);
    CHECK_NEAR(at_scalars(cx, g, x, 1), 5, 0);
    CHECK_NEAR(at_scalars(cx, j, x, 1), 3, 0); /* dy = 1, dx = 0 */
}

XTEST(gradient_of_matmul_with_ones_is_sums_of_the_other_matrix)
{
    const Program *p =
        parse_lines(cx, "f(x: f64[2,3], w: f64[3,4]) { y = dot x w; ret y }");
    const Program *v = xf_vjp(cx, p, (int[]){0, 1}, 2);
    Nd in[3], *out;

    REQUIRE(is_valid(cx, v));
    in[0] = input_of(cx, p, 0);
    in[1] = input_of(cx, p, 1);
    in[2] = nd_new(cx, WF_F64, (int64_t[]){2, 4}, 2);
    for (int64_t i = 0; i < 8; i++)
        nd_data(&in[2])[i] = 1;
    REQUIRE((out = run_program(cx, v, in)) != NULL);
    for (int64_t k = 0; k < 3; k++) {
        double row = 0;

        for (int64_t n = 0; n < 4; n++)
            row += nd_get(&in[1], k * 4 + n);
        CHECK_NEAR(nd_get(&out[1], k), row, 1e-14);
        CHECK_NEAR(nd_get(&out[1], 3 + k), row, 1e-14);
        for (int64_t n = 0; n < 4; n++)
            CHECK_NEAR(nd_get(&out[2], k * 4 + n),
                       nd_get(&in[0], k) + nd_get(&in[0], 3 + k), 1e-14);
    }
}

XTEST(hessian_of_rosenbrock_is_known)
{
    const Program *p = parse_lines(
        cx, "rosenbrock(v: f64[2]) {;"
            " a = slice v start=[0] limit=[1]; x = reshape a []; b = slice v start=[1] "
            "limit=[2];"
            " y = reshape b []; one = const f64[] 1; k = const f64[] 100; d = sub one x;"
            " d2 = mul d d; x2 = mul x x; e = sub y x2; e2 = mul e e; c = mul k e2;"
            " r = add d2 c; ret r }");
    const Program *h = NULL;
    Nd x = nd_f64s(cx, (double[]){1, 1}, 2), *out;

    REQUIRE(p != NULL);
    REQUIRE(is_valid(cx, h = xf_hessian(cx, p, (int[]){0}, 1)));
    REQUIRE((out = run_program(cx, h, &x)) != NULL);
    CHECK_EQ_INT(out[0].rank, 2);
    CHECK_NEAR(nd_get(&out[0], 0), 802, 1e-10);
    CHECK_NEAR(nd_get(&out[0], 1), -400, 1e-10);
    CHECK_NEAR(nd_get(&out[0], 2), -400, 1e-10);
    CHECK_NEAR(nd_get(&out[0], 3), 200, 1e-10);
}

XTEST(a_hessian_of_two_inputs_has_its_blocks_in_order)
{
    const Program *p = parse_lines(
        cx, "f(x: f64[], y: f64[]) { a = mul x x; b = mul a y; ret b }"); /* x x y */
    const Program *h = xf_hessian(cx, p, (int[]){0, 1}, 2),
                  *r = xf_hessian(cx, p, (int[]){1, 0}, 2);
    const double x[] = {3, 5};

    REQUIRE(is_valid(cx, h) && is_valid(cx, r));
    CHECK_EQ_INT(h->nout, 4);
    CHECK_NEAR(at_scalars(cx, h, x, 0), 10, 0); /* xx */
    CHECK_NEAR(at_scalars(cx, h, x, 1), 6, 0);  /* xy */
    CHECK_NEAR(at_scalars(cx, h, x, 2), 6, 0);
    CHECK_NEAR(at_scalars(cx, h, x, 3), 0, 0);
    CHECK_NEAR(at_scalars(cx, r, x, 0), 0, 0);
    CHECK_NEAR(at_scalars(cx, r, x, 3), 10, 0);
}

XTEST(integers_and_bools_have_no_tangent)
{
    const Program *p = parse_lines(cx, "f(x: f64[], n: i32[]) { c = cast x i32; d = add c "
                                      "n; e = cast d f64; y = mul x e;"
                                      " ret y, d }");
    const Program *j = NULL;
    bool in_nz[] = {true, true}, nz[2];

    REQUIRE(p && is_valid(cx, j = xf_jvp(cx, p, in_nz, NULL, nz)));
    CHECK_EQ_INT(j->nin, 3); /* x n dx */
    CHECK_EQ_INT(j->nout, 3);
    CHECK(nz[0] && !nz[1]);
}

XTEST(zero_tangents_are_not_computed)
{
    const Program *p = parse_lines(cx, "f(x: f64[2], y: f64[2]) { a = sin x; b = "
                                      "stop_gradient a; c = exp y; d = mul b c;"
                                      " ret a, b, d }");
    bool nz[3], want[] = {false, true, false};
    const Program *j = NULL;

    REQUIRE(p && (j = xf_jvp(cx, p, (bool[]){true, false}, NULL, nz)));
    CHECK(nz[0] && !nz[1] && !nz[2]);
    CHECK_EQ_INT(j->nout, 4);
    REQUIRE(is_valid(cx, j = xf_jvp(cx, p, (bool[]){true, false}, want, nz)));
    CHECK(nz[0] && nz[1] && !nz[2]);
    CHECK_EQ_INT(j->nout, 5);
}

XTEST(transpose_skips_what_has_no_cotangent)
{
    const Program *p = parse_lines(cx, "f(c: f64[2], x: f64[2], z: f64[2]) { a = mul c x; "
                                      "b = neg a; e = mul z c; ret b, e }");
    const bool linear[] = {false, true, true}, nz[] = {true, false},
               want[] = {false, true, true};
    bool in_nz[3];
    const Program *t = NULL;

    REQUIRE(p && is_valid(cx, t = xf_transpose(cx, p, linear, nz, NULL, in_nz)));
    CHECK(!in_nz[0] && in_nz[1] && !in_nz[2]);
    CHECK_EQ_INT(t->nin, 2); /* c, gb */
    CHECK_EQ_INT(t->nout, 1);
    REQUIRE(is_valid(cx, t = xf_transpose(cx, p, linear, nz, want, in_nz)));
    CHECK(in_nz[1] && in_nz[2]);
    CHECK_EQ_INT(t->nout, 2);
}

XTEST(residuals_are_few)
{
    /* the broadcast and the constants are made again, the same value is kept once */
    const Program *p = parse_lines(
        cx, "f(k: f64[3], x: f64[3], y: f64[100,3]) { e = exp k; b = broadcast e [100,3] "
            "dims=[1];"
            " two = const f64[100,3] 2; s = mul b two; t = mul y b; u = add t two;"
            " v = mul e x; w = reshape e [1,3]; z = broadcast w [100,3] dims=[0,1];"
            " q = mul u z; ret q, v, s }");
    Split s;

    REQUIRE(p && xf_partition(cx, p, (bool[]){true, false, false}, NULL, &s));
    REQUIRE(is_valid(cx, s.known) && is_valid(cx, s.rest));
    CHECK_EQ_INT(s.nres, 1);
    CHECK_EQ_INT(s.res_input[0], -1);
    CHECK(s.out_known[2] && !s.out_known[0] && !s.out_known[1]);
    REQUIRE(p && xf_partition(cx, p, (bool[]){false, true, true}, NULL, &s));
    CHECK_EQ_INT(s.nres, 2); /* x and y themselves */
    CHECK(s.res_input[0] == 2 && s.res_input[1] == 1);
}

/* Bytes of the values that a split keeps. */
static int64_t saved_bytes(const Program *backward, uint32_t nsaved)
{
    int64_t total = 0;

    for (uint32_t i = 0; i < nsaved; i++) {
        Type t = val_type(backward, program_in(backward, i));
        int64_t bytes = (int64_t)wf_dtype_size((wf_dtype)t.dtype);

        for (uint32_t k = 0; k < t.rank; k++)
            bytes *= t.dims[k];
        total += bytes;
    }
    return total;
}

XTEST(split_saves_what_is_small_and_makes_the_rest_again)
{
    /* h[64,64] is expensive and must be kept; exp, mul and tanh of it are not kept */
    const Program *p = parse_lines(
        cx,
        "f(x: f64[64,8], w: f64[8,64]) { h = dot x w; a = exp h; b = mul a h; c = tanh b;"
        " s = reduce_sum c axes=[0,1]; ret s }");
    const Program *fw, *bw;

    REQUIRE(p && xf_split(cx, p, (int[]){0, 1}, 2, &fw, &bw));
    CHECK_EQ_INT(fw->nout - 1, 3); /* x, w, h */
    CHECK_EQ_INT(saved_bytes(bw, 3), 8 * (64 * 64 + 2 * 64 * 8));
}

XTEST(split_never_makes_a_contraction_again)
{
    const Program *p = parse_lines(
        cx,
        "f(x: f64[4,4], w: f64[4,4], v: f64[4,4]) { h = dot x w; a = tanh h; y = dot a v;"
        " e = exp y; s = reduce_sum e axes=[0,1]; ret s }");
    const Program *fw, *bw;
    uint32_t dots = 0;

    REQUIRE(p && xf_split(cx, p, (int[]){0, 1, 2}, 3, &fw, &bw));
    for (uint32_t i = 0; i < bw->neqns; i++)
        dots += bw->eqns[i].op == OP_dot_general;
    CHECK_EQ_INT(dots, 4); /* two for each forward one */
}

XTEST(vmap_of_unbatched_work_stays_unbatched)
{
    const Program *p =
        parse_lines(cx, "f(x: f64[3], w: f64[3]) { e = exp w; y = mul x e; ret y, e }");
    const Program *v = NULL;

    REQUIRE(p && is_valid(cx, v = xf_vmap(cx, p, (int[]){1, -1}, NULL, -1, NULL)));
    CHECK_STR(v->name, "f_vmap");
    CHECK_EQ_INT(val_type(v, 1).rank, 2);
    CHECK_STR(type_str(&v->dims, val_type(v, 1), &cx->scratch), "f64[3,B]");
    CHECK_EQ_INT(v->eqns[0].op, OP_exp);
    CHECK_EQ_INT(val_type(v, v->eqns[0].out).rank, 1);
}

XTEST(vmap_nests)
{
    const Program *p =
        parse_lines(cx, "f(x: f64[], y: f64[]) { s = sin x; z = mul s y; ret z }");
    const Program *v = NULL, *vv = NULL;
    Nd in[2], *out;

    REQUIRE(p && (v = xf_vmap(cx, p, (int[]){0, -1}, NULL, -1, NULL)));
    REQUIRE(is_valid(cx, vv = xf_vmap(cx, v, (int[]){-1, 0}, NULL, -1, NULL)));
    CHECK_STR(type_str(&vv->dims, val_type(vv, vv->outs[0]), &cx->scratch), "f64[B_1,B]");
    in[0] = nd_f64s(cx, (double[]){1, 2, 3}, 3);
    in[1] = nd_f64s(cx, (double[]){10, 20}, 2);
    REQUIRE((out = run_program(cx, vv, in)) != NULL);
    CHECK_NEAR(nd_get(&out[0], 0), 10 * sin(1), 1e-14);
    CHECK_NEAR(nd_get(&out[0], 5), 20 * sin(3), 1e-14);
}

XTEST(a_named_axis_reaches_collectives_of_what_is_not_batched)
{
    const Program *p =
        parse_lines(cx, "f(x: f64[], y: f64[]) { a = psum x axis=\"i\"; b = psum y "
                       "axis=\"i\"; k = axis_index axis=\"i\";"
                       " f = cast k f64; c = mul a b; d = add c f; ret d, b }");
    const Program *v = NULL;
    Nd in[2], *out;

    REQUIRE(p && is_valid(cx, v = xf_vmap(cx, p, (int[]){0, -1}, "i", 3, NULL)));
    in[0] = nd_f64s(cx, (double[]){1, 2, 4}, 3);
    in[1] = nd_f64(cx, 5);
    REQUIRE((out = run_program(cx, v, in)) != NULL);
    for (int64_t e = 0; e < 3; e++) {
        CHECK_NEAR(nd_get(&out[0], e), 7 * 15 + (double)e, 0);
        CHECK_NEAR(nd_get(&out[1], e), 15, 0);
    }
}

static uint32_t count_op(const Program *p, unsigned op)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->neqns; i++)
        n += p->eqns[i].op == op;
    for (uint32_t i = 0; i < p->nsubs; i++)
        n += count_op(p->subs[i], op);
    return n;
}

XTEST(effects_happen_once)
{
    const Program *p = parse_lines(cx, "body(c: f64[], x: f64[]) { print x format=\"{}\"; "
                                      "y = mul c x; z = sin y; ret z }\n"
                                      "f(x: f64[]) { print x format=\"{}\"; y = scan x x "
                                      "body=body nconst=1 ncarry=1 length=3;"
                                      " ret y }");
    const Program *j = NULL, *g = NULL, *fw = NULL, *bw = NULL;

    REQUIRE(p && is_valid(cx, j = xf_jvp_user(cx, p, (int[]){0}, 1)));
    CHECK_EQ_INT(count_op(j, OP_print), 2);
    REQUIRE(is_valid(cx, g = xf_grad(cx, p, (int[]){0}, 1, false)));
    CHECK_EQ_INT(count_op(g, OP_print), 2);
    REQUIRE(xf_split(cx, p, (int[]){0}, 1, &fw, &bw));
    CHECK_EQ_INT(count_op(fw, OP_print), 2);
    CHECK_EQ_INT(count_op(bw, OP_print), 0);
}

/* ---- places ------------------------------------------------------------------------ */

XTEST(equations_of_a_gradient_have_the_place_of_their_origin)
{
    const Program *p = parse_lines(cx, "f(x: f64[]) {;a = sin x;b = exp a;ret b }");
    const Program *g = NULL;
    bool found = false;

    REQUIRE(p && (g = xf_grad(cx, p, (int[]){0}, 1, false)));
    for (uint32_t i = 0; i < g->neqns; i++) {
        Place at_ = eqn_place(g, &g->eqns[i]);

        found |= at_.line == 2 && at_.via && !strcmp(at_.via, "grad") &&
                 g->eqns[i].op == OP_cos;
    }
    CHECK(found);
}

/* ---- figures ----------------------------------------------------------------------- */

XTEST(six_nested_gradients_stay_small)
{
    const Program *p = parse_lines(cx, "f(x: f64[]) { s = sin x; y = mul s x; ret y }");
    const double x[] = {0.7};

    for (int i = 0; i < 6 && p; i++)
        p = xf_grad(cx, p, (int[]){0}, 1, false);
    REQUIRE(is_valid(cx, p));
    CHECK(p->neqns < 200);
    CHECK_NEAR(at_scalars(cx, p, x, 0), 6 * cos(0.7) - 0.7 * sin(0.7), 1e-12);
}

/* x -> long chain of elementwise ops; n equations */
static const Program *chain(wf_ctx *cx, uint32_t n)
{
    static const OpCode ops[] = {OP_sin, OP_tanh, OP_mul, OP_logistic, OP_add};
    Builder *b = builder_new(cx, "chain", B_VERBATIM);
    Val x = b_input(b, "x", b_make_type(b, WF_F32, NULL, 0)), y = x;

    for (uint32_t i = 0; i < n; i++) {
        OpCode op = ops[i % COUNT(ops)];

        y = b_eqn1(b, op, (Val[]){y, x}, op == OP_mul || op == OP_add ? 2 : 1, NULL);
    }
    return builder_finish(b, &y, 1);
}

XTEST(transforms_are_linear_in_the_length)
{
    const Program *p = chain(cx, 1000), *q = chain(cx, 20000);
    const Program *gp = NULL, *gq = NULL, *vq = NULL, *fw, *bw;
    double t0, t1, t2, small, large;

    REQUIRE(p && q);
    t0 = clock_seconds();
    for (int i = 0; i < 20; i++)
        REQUIRE((gp = xf_grad(cx, p, (int[]){0}, 1, true)));
    t1 = clock_seconds();
    REQUIRE((gq = xf_grad(cx, q, (int[]){0}, 1, true)));
    t2 = clock_seconds();
    small = t1 - t0;
    large = t2 - t1;
    CHECK(gq->neqns <= 21 * gp->neqns);
    CHECK(gq->neqns <= 4 * q->neqns); /* forward included */
    CHECK(large < 5 * small + 0.2);   /* quadratic would be 20 times */
    REQUIRE((vq = xf_vmap(cx, q, (int[]){0}, NULL, -1, NULL)));
    CHECK_EQ_INT(vq->neqns, q->neqns);
    REQUIRE(xf_split(cx, q, (int[]){0}, 1, &fw, &bw));
}

XTEST(the_gradient_of_a_contraction_is_two_contractions)
{
    const Program *p = parse_lines(
        cx,
        "f(x: f64[4,4], w: f64[4,4], v: f64[4,4]) { h = dot x w; a = tanh h; y = dot a v;"
        " s = reduce_sum y axes=[0,1]; ret s }");
    const Program *g = NULL;

    REQUIRE(p && (g = xf_grad(cx, p, (int[]){0, 1, 2}, 3, true)));
    CHECK_EQ_INT(count_op(p, OP_dot_general), 2);
    CHECK_EQ_INT(count_op(g, OP_dot_general), 6);
    REQUIRE(
        (g = xf_grad(cx, p, (int[]){1, 2}, 2, true))); /* no gradient by x: one less */
    CHECK_EQ_INT(count_op(g, OP_dot_general), 5);
}

/* ---- errors ------------------------------------------------------------------------ */

XTEST(grad_of_a_vector_is_an_error_at_its_line)
{
    const Program *p = parse_lines(cx, "f(x: f32[3]) {;y = sin x;ret y }");

    REQUIRE(p != NULL);
    CHECK(!xf_grad(cx, p, (int[]){0}, 1, false));
    CHECK_HAS(wf_ctx_message(cx), "test.wir:2:1");
    check_error(cx, WF_ERR_SHAPE, "grad: needs a scalar result, got f32[3]");
}

XTEST(derivatives_need_floats)
{
    const Program *p = parse_lines(cx, "f(x: i32[3], y: f64[]) { ret y }");
    const Program *q = parse_lines(cx, "g(x: f64[]) { y = cast x i32; ret y }");

    REQUIRE(p && q);
    CHECK(!xf_grad(cx, p, (int[]){0}, 1, false));
    check_error(cx, WF_ERR_TYPE, "grad: input 'x' is i32[3]; derivatives need a float");
    CHECK(!xf_jacfwd(cx, p, (int[]){0}, 1));
    check_error(cx, WF_ERR_TYPE, "jacfwd: input 'x' is i32[3]; derivatives need a float");
    CHECK(!xf_grad(cx, q, (int[]){0}, 1, false));
    check_error(cx, WF_ERR_TYPE, "grad: needs a floating-point result, got i32[]");
}

XTEST(wrong_inputs_to_differentiate_by_are_refused)
{
    const Program *p = parse_lines(cx, "f(x: f64[], y: f64[]) { z = mul x y; ret z }"), *a,
                  *b;

    REQUIRE(p != NULL);
    CHECK(!xf_grad(cx, p, (int[]){2}, 1, false));
    check_error(cx, WF_ERR_INDEX, "grad: input 2, but 'f' has 2 inputs");
    CHECK(!xf_vjp(cx, p, (int[]){-1}, 1));
    check_error(cx, WF_ERR_INDEX, "vjp: input -1, but 'f' has 2 inputs");
    CHECK(!xf_jvp_user(cx, p, (int[]){1, 1}, 2));
    check_error(cx, WF_ERR_ARG, "jvp: input 'y' is given twice");
    CHECK(!xf_jacrev(cx, p, NULL, 0));
    check_error(cx, WF_ERR_ARG,
               "jacrev: no input to differentiate by, needs at least one");
    CHECK(!xf_hessian(cx, p, (int[]){7}, 1));
    check_error(cx, WF_ERR_INDEX, "hessian: input 7, but 'f' has 2 inputs");
    CHECK(!xf_split(cx, p, (int[]){7}, 1, &a, &b));
    check_error(cx, WF_ERR_INDEX, "split: input 7, but 'f' has 2 inputs");
    CHECK(!xf_linearize(cx, p, (int[]){7}, 1, &a, &b));
    check_error(cx, WF_ERR_INDEX, "jvp: input 7, but 'f' has 2 inputs");
}

XTEST(wrong_axes_of_vmap_are_refused)
{
    const Program *p = parse_lines(
        cx, "f(x: f64[3], y: f64[]) { s = reduce_sum x axes=[0]; z = mul s y; ret z }");

    REQUIRE(p != NULL);
    CHECK(!xf_vmap(cx, p, (int[]){2, -1}, NULL, -1, NULL));
    check_error(cx, WF_ERR_INDEX,
               "vmap: axis 2 of input 0, which is f64[3]; needs 0 to 1, or - for none");
    CHECK(!xf_vmap(cx, p, (int[]){-1, -1}, NULL, -1, NULL));
    check_error(cx, WF_ERR_VALUE, "vmap: no input is batched");
    CHECK(is_valid(cx, xf_vmap(cx, p, (int[]){-1, -1}, NULL, 4, NULL)));
}

XTEST(what_is_not_linear_has_no_transpose)
{
    const Program *p = parse_lines(cx, "f(x: f64[2]) {;y = sin x;ret y }");
    const Program *q = parse_lines(cx, "g(x: f64[2]) {;y = mul x x;ret y }");
    bool yes[] = {true}, nz[1];

    REQUIRE(p && q);
    CHECK(!xf_transpose(cx, p, yes, yes, NULL, nz));
    CHECK_HAS(wf_ctx_message(cx), "test.wir:2:1");
    check_error(cx, WF_ERR_NORULE,
               "transpose: sin is not linear, or has no transpose rule");
    CHECK(!xf_transpose(cx, q, yes, yes, NULL, nz));
    check_error(cx, WF_ERR_NORULE, "transpose: mul is not linear in two operands at once");
}

XTEST(a_transform_after_an_error_does_nothing)
{
    const Program *p = parse_lines(cx, "f(x: f64[]) { y = sin x; ret y }");

    REQUIRE(p != NULL);
    fail(cx, WF_ERR_VALUE, NOWHERE, "earlier");
    CHECK(!xf_grad(cx, p, (int[]){0}, 1, false));
    CHECK(!xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL));
    CHECK(!xf_jacfwd(cx, p, (int[]){0}, 1));
    check_error(cx, WF_ERR_VALUE, "earlier");
}

XTEST(an_effect_on_a_tangent_has_no_reverse)
{
    const Program *p =
        parse_lines(cx, "primal(x: f64[]) { y = sin x; ret y }\n"
                       "rule(x: f64[], dx: f64[]) { y = sin x; c = cos x; print dx "
                       "format=\"{}\"; dy = mul c dx; ret y, dy }\n"
                       "f(x: f64[]) { y = custom_jvp x primal=primal rule=rule; ret y }");

    REQUIRE(p != NULL);
    CHECK(is_valid(cx, xf_jvp_user(cx, p, (int[]){0}, 1)));
    CHECK(!xf_grad(cx, p, (int[]){0}, 1, false));
    check_error(cx, WF_ERR_NORULE, "has an effect that depends on a tangent");
}

/* ---- memory ------------------------------------------------------------------------ */

static wf_status transform_all(wf_ctx *cx)
{
    const Program *p, *a, *b;

    API_ENTER(cx);
    p = parse_lines(cx, "inner(a: f64[N], b: f64[]) { s = sin a; t = broadcast b [N] "
                       "dims=[]; u = mul s t; ret u }\n"
                       "f(x: f64[N], y: f64[]) { p = call x y body=inner; s = reduce_sum "
                       "p axes=[0]; ret s }");
    if (p && xf_grad(cx, p, (int[]){0, 1}, 2, true) &&
        xf_vmap(cx, p, (int[]){0, -1}, "i", -1, NULL) && xf_hessian(cx, p, (int[]){0}, 1) &&
        xf_split(cx, p, (int[]){0, 1}, 2, &a, &b))
        xf_linearize(cx, p, (int[]){1}, 1, &a, &b);
    API_RETURN(cx);
}

static void transform_all_with(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);

    (void)user;
    if (!cx)
        return;
    if (transform_all(cx) != WF_OK)
        CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_MEMORY);
    wf_ctx_free(cx);
}

TEST(every_allocation_may_fail) { CHECK(fault_each(transform_all_with, NULL) > 10); }

/* ---- mixed precision --------------------------------------------------------------- */

/* 1 + 2^-10 is 1 in bf16: products lose it, in loops too and in gradients; sums and f64 keep it. */
TEST(mixed_precision_rounds_the_operands_of_products_and_nothing_else)
{
    static const char text[] = "f(x: f32[1], w: f32[1], k: f64[1]) {"
                               "  y = scan w x body=step nconst=1 ncarry=1 length=1\n"
                               "  z = add x x\n  l = dot k k\n  ret y, z, l\n}\n"
                               "step(w: f32[1], x: f32[1]) {\n  d = dot x w\n  b = broadcast d [1] dims=[]\n  ret b\n}\n"
                               "g(x: f32[1], w: f32[1]) {\n  d = dot x w\n  ret d\n}\n";
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    const wf_program *f = NULL, *g = NULL, *dg = NULL;
    const float near_one = 1.0009765625f;
    const double k = 1.0009765625;
    wf_array *in[3] = {NULL, NULL, NULL}, *out[3] = {NULL, NULL, NULL};

    REQUIRE(wf_model_parse(cx, "mixed", text, sizeof text - 1, &m) == WF_OK);
    wf_array_from(cx, WF_F32, (int64_t[]){1}, 1, &near_one, &in[0]);
    wf_array_from(cx, WF_F32, (int64_t[]){1}, 1, &near_one, &in[1]);
    wf_array_from(cx, WF_F64, (int64_t[]){1}, 1, &k, &in[2]);
    REQUIRE(wf_mixed(cx, wf_model_find(m, "f"), WF_BF16, &f) == WF_OK);
    REQUIRE(wf_eval(cx, f, in, 3, out, 3) == WF_OK);
    CHECK(*(const float *)wf_array_data(out[0]) == 1);
    CHECK(*(const float *)wf_array_data(out[1]) == 2 * near_one);
    CHECK(*(const double *)wf_array_data(out[2]) == k * k);
    for (int i = 0; i < 3; i++)
        wf_array_release(out[i]);
    REQUIRE(wf_mixed(cx, wf_model_find(m, "g"), WF_BF16, &g) == WF_OK && wf_grad(cx, g, (int[]){0}, 1, &dg) == WF_OK);
    REQUIRE(wf_eval(cx, dg, in, 2, out, 1) == WF_OK);
    CHECK(*(const float *)wf_array_data(out[0]) == 1);
    wf_array_release(out[0]);
    wf_program_release(f);
    CHECK_EQ_INT(wf_mixed(cx, wf_model_find(m, "g"), WF_I32, &f), WF_ERR_TYPE);
    for (int i = 0; i < 3; i++)
        wf_array_release(in[i]);
    wf_program_release(f);
    wf_program_release(g);
    wf_program_release(dg);
    wf_model_free(m);
    wf_ctx_free(cx);
}
