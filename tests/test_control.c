/* test_control.c -- control flow and custom derivatives: the laws
 * of lib_laws.c on programs with each of them, closed forms, and what they promise besides.
 */
#include "lib_check.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define parse parse_lines

/* ---- programs that go through all laws ---- */

/* Programs used as bodies, before each program below. */
static const char library[] =
    "sq(x: f64[]) { y = mul x x; ret y }\n"
    "sn(x: f64[]) { y = sin x; ret y }\n"
    "vsq(x: f64[N]) { y = mul x x; ret y }\n"
    "vsin(x: f64[N]) { y = sin x; ret y }\n"
    "vconst(x: f64[N]) { c = const f64[N] 2; ret c }\n"
    "two_a(x: f64[], y: f64[]) { a = mul x y; b = sin x; ret a, b }\n"
    "two_b(x: f64[], y: f64[]) { a = exp y; b = const f64[] 3; ret a, b }\n"
    "two_c(x: f64[], y: f64[]) { a = div x y; e = exp a; l = tanh e; ret l, x }\n"
    /* x' = sin(w x) + s, y = x'^2 */
    "step(w: f64[], x: f64[], s: f64[]) { a = mul w x; b = sin a; c = add b s; d = mul c "
    "c; ret c, d }\n"
    "vstep(w: f64[N,N], x: f64[N], s: f64[N]) { a = dot w x; b = tanh a; c = add b s; "
    "ret c }\n"
    "acc(x: f64[], s: f64[]) { c = add x s; ret c }\n"
    "count(i: i32[], x: f64[]) { one = const i32[] 1; j = add i one; f = cast j f64; y = "
    "mul x f; z = sin y;"
    " ret j, z, i, y }\n"
    "rows(s: f64[]) { y = exp s; ret y }\n"
    "below(lim: f64[], x: f64[], n: i32[]) { c = lt x lim; ret c }\n"
    "grow(r: f64[], x: f64[], n: i32[]) { y = mul x r; one = const i32[] 1; m = add n "
    "one; ret y, m }\n"
    "grow_rows(r: f64[], x: f64[], n: i32[]) { y = mul x r; one = const i32[] 1; m = add "
    "n one; q = sin y;"
    " ret y, m, q, n }\n"
    "positive(x: f64[], t: f64[]) { z = const f64[] 0.05; c = gt t z; ret c }\n"
    "halve(x: f64[], t: f64[]) { h = const f64[] 0.5; u = mul t h; q = mul x t; v = sin "
    "q; w = add v x; ret w, u }\n";

static const char *const programs[] = {
    "f(x: f64[], y: f64[]) { a = call x body=sq; b = call y body=sn; c = mul a b; ret c, "
    "a }",
    "f(x: f64[3], y: f64[2]) { a = call x body=vsq; b = call y body=vsq; ret a, b }",
    "f(x: f64[N]) { a = checkpoint x body=vsin; b = mul a x; ret b }",
    "deep(x: f64[]) { a = sin x; b = exp a; c = mul b x; ret c, b }\n"
    "f(x: f64[], z: f64[]) { p, q = checkpoint x body=deep; r = mul p q; s = mul r z; "
    "ret s }",
    "mm(x: f64[2,3], w: f64[3,2]) { a = dot x w; t = tanh a; n = name t as=\"hidden\"; b "
    "= dot n x; ret b }\n"
    "f(x: f64[2,3], w: f64[3,2]) { a = checkpoint x w body=mm policy=dots; ret a }",
    "mm(x: f64[2,3], w: f64[3,2]) { a = dot x w; t = tanh a; n = name t as=\"hidden\"; b "
    "= dot n x; ret b }\n"
    "f(x: f64[2,3], w: f64[3,2]) { a = checkpoint x w body=mm policy=named; ret a }",
    "f(i: i32[], x: f64[], y: f64[]) { a, b = cond i x y branches=[two_a,two_b,two_c]; "
    "ret a, b }",
    "f(p: bool[], x: f64[], y: f64[]) { a, b = cond p x y branches=[two_b,two_c]; c = "
    "mul a b; ret c }",
    "f(p: bool[], x: f64[3]) { a = cond p x branches=[vsin,vsq]; ret a }",
    "f(p: bool[], x: f64[N]) { a = cond p x branches=[vconst,vsq]; ret a }",
    "f(p: bool[], x: f64[]) { a = cond p x branches=[sq]; ret a }",
    "f(x: f64[], y: f64[]) { p = lt x y; a, b = cond p x y branches=[two_a,two_c]; ret "
    "a, b }",
    "inner(p: bool[], x: f64[]) { y = cond p x branches=[sq,sn]; z = mul y x; ret z }\n"
    "other(p: bool[], x: f64[]) { ret x }\n"
    "f(p: bool[], q: bool[], x: f64[]) { y = cond p q x branches=[inner,other]; ret y }",
    "f(w: f64[], x: f64[], s: f64[4]) { y, z = scan w x s body=step nconst=1 ncarry=1 "
    "length=4; ret y, z }",
    "f(w: f64[], x: f64[], s: f64[N]) { y, z = scan w x s body=step nconst=1 ncarry=1 "
    "length=N; ret y, z }",
    "f(w: f64[], x: f64[], s: f64[Z]) { y, z = scan w x s body=step nconst=1 ncarry=1; "
    "ret y, z }",
    "f(w: f64[], x: f64[], s: f64[3]) { y, z = scan w x s body=step nconst=1 ncarry=1 "
    "reverse=true; ret z, y }",
    "f(w: f64[], x: f64[], s: f64[10]) { y, z = scan w x s body=step nconst=1 ncarry=1 "
    "checkpoint=true; ret y, z }",
    "f(w: f64[], x: f64[], s: f64[11]) { y, z = scan w x s body=step nconst=1 ncarry=1 "
    "checkpoint=true reverse=true;"
    " ret y, z }",
    "f(w: f64[], x: f64[], s: f64[N]) { y, z = scan w x s body=step nconst=1 ncarry=1 "
    "checkpoint=true; ret y, z }",
    "f(w: f64[N,N], x: f64[N], s: f64[M,N]) { y = scan w x s body=vstep nconst=1 "
    "ncarry=1; ret y }",
    "f(x: f64[], s: f64[5]) { y = scan x s body=acc ncarry=1; z = mul y y; ret z }",
    "f(s: f64[5]) { y = scan s body=rows; ret y }",
    "f(x: f64[]) { z = const i32[] 0; i, y, is, ys = scan z x body=count ncarry=2 "
    "length=4; ret y, ys, i, is }",
    "f(s: f64[3]) { z = const f64[] 0; y = scan z s body=acc ncarry=1; ret y }",
    "body(n: i32[], x: f64[], s: f64[]) { m = neg n; y, z = cond n x s "
    "branches=[two_a,two_c]; ret m, y, z }\n"
    "f(i: i32[], x: f64[], s: f64[4]) { n, y, z = scan i x s body=body ncarry=2; ret y, "
    "z }",
    "inner(w: f64[], x: f64[], s: f64[3]) { y, z = scan w x s body=step nconst=1 "
    "ncarry=1; ret y, z }\n"
    "f(w: f64[], x: f64[], s: f64[2,3]) { y, z = scan w x s body=inner nconst=1 "
    "ncarry=1; ret y, z }",
    "f(lim: f64[], r: f64[], x: f64[]) { k = const f64[] 1.5; q = add r k; big = const "
    "f64[] 20;"
    " n = const i32[] 0; y, m = while big q x n cond=below body=grow ncond=1 nbody=1; z "
    "= mul y lim; ret z, m }",
    "f(r: f64[], x: f64[]) { k = const f64[] 1.5; q = add r k; big = const f64[] 20;"
    " n = const i32[] 0; y, m = while big q x n cond=below body=grow ncond=1 nbody=1 "
    "bound=12; ret y, m }",
    "f(r: f64[], x: f64[]) { k = const f64[] 1.5; q = add r k; big = const f64[] 20;"
    " n = const i32[] 0; y, m = while big q x n cond=below body=grow ncond=1 nbody=1 "
    "bound=2; ret y, m }",
    "f(r: f64[], x: f64[]) { k = const f64[] 1.5; q = add r k; big = const f64[] 20;"
    " n = const i32[] 0; y, m, s, t = while big q x n cond=below body=grow_rows ncond=1 "
    "nbody=1 bound=7; ret y, m, s, t }",
    "f(r: f64[], x: f64[]) { k = const f64[] 1.5; q = add r k; big = const f64[] 20; n = "
    "const i32[] 0;"
    " y, m, s, t = while big q x n cond=below body=grow_rows ncond=1 nbody=1 trips=K padded=true;"
    " u = reduce_sum s axes=[0]; v = reduce_sum t axes=[0]; ret y, m, u, v }",
    "f(x: f64[], t: f64[]) { y, u = while x t cond=positive body=halve; ret y, u }",
    "turn(a: f64[], x: f64[], t: f64[]) { y, u = while x t cond=positive body=halve; z = "
    "mul y a; ret z, t }\n"
    "f(a: f64[], x: f64[], t: f64[]) { y, u = scan a x t body=turn nconst=1 ncarry=2 "
    "length=2; ret y }",
    "branch(x: f64[], t: f64[]) { y, u = while x t cond=positive body=halve; ret y }\n"
    "other(x: f64[], t: f64[]) { y = mul x t; ret y }\n"
    "f(p: bool[], x: f64[], t: f64[]) { y = cond p x t branches=[branch,other]; ret y }",
    "primal(x: f64[], y: f64[]) { z = mul x y; w = sin z; ret w }\n"
    "rule(x: f64[], y: f64[], dx: f64[], dy: f64[]) { z = mul x y; w = sin z; c = cos z; "
    "a = mul dx y; b = mul x dy;"
    " s = add a b; dw = mul c s; ret w, dw }\n"
    "f(x: f64[], y: f64[]) { z = custom_jvp x y primal=primal rule=rule; w = mul z x; "
    "ret w }",
    "primal(i: i32[], x: f64[N]) { f = cast i f64; g = broadcast f [N] dims=[]; y = mul "
    "g x; s = reduce_sum y axes=[0];"
    " ret s, i }\n"
    "rule(i: i32[], x: f64[N], dx: f64[N]) { s, j = call i x body=primal; t, k = call i "
    "dx body=primal; ret s, j, t }\n"
    "f(i: i32[], x: f64[3]) { z, j = custom_jvp i x primal=primal rule=rule; ret z, j }",
    "f(x: f64[3]) { a = exp x; b, c = opt_barrier a x; d = mul b c; ret d }",
    "pairs(x: f64[M], s: f64[]) { guard M % 2 == 0; p = reshape x [floor(M/2),2]; q = "
    "sin p; y = reshape q [M];"
    " t = broadcast s [M] dims=[]; z = mul y t; ret z }\n"
    "f(x: f64[M], s: f64[3]) { y = scan x s body=pairs ncarry=1; ret y }",
};

static const Program *with_library(wf_ctx *cx, const char *text)
{
    return parse(cx, arena_printf(&cx->scratch, "%s%s", library, text));
}

XTEST(control_flow_keeps_every_law)
{
    for (int i = 0; i < COUNT(programs) && !failed(cx); i++) {
        keep_laws(cx, with_library(cx, programs[i]), true);
        if (failed(cx) || !check_ok()) {
            FAIL("in program %d: %.300s", i, programs[i]);
            return;
        }
    }
}

/* ---- helpers ---- */

static Nd i32_scalar(wf_ctx *cx, int32_t v)
{
    Nd x = nd_new(cx, WF_I32, NULL, 0);

    *(int32_t *)x.data = v;
    return x;
}

/* How many equations of this op, sub-programs included (each as often as it is used)? */
typedef struct OpCount {
    OpCode op;
    int n;
} OpCount;

static void count_ops(OpCount *c, const Program *p);
static void count_sub(void *user, const Sub *s) { count_ops(user, s->p); }

static void count_ops(OpCount *c, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++) {
        c->n += p->eqns[i].op == c->op;
        if (op_has(p->eqns[i].op, OPF_CONTROL))
            attr_each_sub(op_row(p->eqns[i].op), p->eqns[i].attr, count_sub, c);
    }
}

static int ops_in(const Program *p, OpCode op)
{
    OpCount c = {op, 0};

    count_ops(&c, p);
    return c.n;
}

/* ---- loops: closed forms ---- */

static const char powers[] = "mulby(a: f64[], x: f64[]) { y = mul x a; ret y }\n";

XTEST(gradient_through_a_thousand_steps_is_the_closed_form)
{
    static const char *const kinds[] = {"", " checkpoint=true", " reverse=true"};

    for (int k = 0; k < 3; k++) {
        const Program *p =
            parse(cx, arena_printf(&cx->scratch,
                                   "%sf(a: f64[], x: f64[]) { y = scan a x body=mulby "
                                   "nconst=1 ncarry=1 length=1000%s; ret y }",
                                   powers, kinds[k]));
        const Program *g = p ? xf_grad(cx, p, (int[]){0, 1}, 2, true) : NULL;
        double a = 1.001, x = 0.7;
        Nd in[] = {nd_f64(cx, a), nd_f64(cx, x)}, *out = NULL;

        REQUIRE(is_valid(cx, g) && (out = run_program(cx, g, in)));
        CHECK_NEAR(nd_get(&out[0], 0), x * pow(a, 1000), 1e-12);
        CHECK_NEAR(nd_get(&out[1], 0), 1000 * x * pow(a, 999), 1e-9);
        CHECK_NEAR(nd_get(&out[2], 0), pow(a, 1000), 1e-12);
    }
}

XTEST(second_derivative_through_a_scan_is_the_closed_form)
{
    const Program *p =
        parse(cx, arena_printf(&cx->scratch,
                               "%sf(a: f64[], x: f64[]) { y = scan a x body=mulby "
                               "nconst=1 ncarry=1 length=50; ret y }",
                               powers));
    const Program *h = p ? xf_hessian(cx, p, (int[]){0, 1}, 2) : NULL;
    double a = 1.01, x = 0.7;
    Nd in[] = {nd_f64(cx, a), nd_f64(cx, x)}, *out = NULL;

    REQUIRE(is_valid(cx, h) && (out = run_program(cx, h, in)));
    CHECK_NEAR(nd_get(&out[0], 0), 50 * 49 * x * pow(a, 48), 1e-9);
    CHECK_NEAR(nd_get(&out[1], 0), 50 * pow(a, 49), 1e-11);
    CHECK_NEAR(nd_get(&out[2], 0), 50 * pow(a, 49), 1e-11);
    CHECK_NEAR(nd_get(&out[3], 0), 0, 0);
}

/* y = x r^K with K the turns until x r^K >= 100 */
static const char growth[] =
    "below(x: f64[]) { l = const f64[] 100; c = lt x l; ret c }\n"
    "mulby(r: f64[], x: f64[]) { y = mul x r; ret y }\n";

XTEST(both_modes_go_through_a_data_dependent_while)
{
    static const char *const kinds[] = {"", " bound=10", " bound=3"};
    static const double turns[] = {7, 7, 3};

    for (int k = 0; k < 3; k++) {
        const Program *p =
            parse(cx, arena_printf(&cx->scratch,
                                   "%sf(r: f64[], x: f64[]) { y = while r x cond=below "
                                   "body=mulby nbody=1%s; ret y }",
                                   growth, kinds[k]));
        const Program *j = p ? xf_jvp_user(cx, p, (int[]){0, 1}, 2) : NULL;
        const Program *g = p ? xf_grad(cx, p, (int[]){0, 1}, 2, true) : NULL;
        double n = turns[k], dr = n * pow(2, n - 1), dx = pow(2, n);
        Nd in[] = {nd_f64(cx, 2), nd_f64(cx, 1), nd_f64(cx, 3), nd_f64(cx, 5)},
           *out = NULL;

        REQUIRE(is_valid(cx, j) && is_valid(cx, g) && (out = run_program(cx, j, in)));
        CHECK_VEC(&out[0], 0, pow(2, n));
        CHECK_VEC(&out[1], 0, 3 * dr + 5 * dx);
        REQUIRE((out = run_program(cx, g, in)));
        CHECK_VEC(&out[0], 0, pow(2, n));
        CHECK_VEC(&out[1], 0, dr);
        CHECK_VEC(&out[2], 0, dx);
        CHECK_EQ_INT(ops_in(g, OP_while),
                     1); /* the loop runs once, then a scan backwards */
        CHECK_EQ_INT(ops_in(g, OP_scan), 1);
    }
}

XTEST(rows_of_a_while_make_their_own_number_of_turns)
{
    const Program *p = parse(cx, arena_printf(&cx->scratch,
                                              "%sf(r: f64[], x: f64[]) { y = while r x "
                                              "cond=below body=mulby nbody=1; ret y }",
                                              growth));
    const Program *g = p ? xf_grad(cx, p, (int[]){0, 1}, 2, true) : NULL;
    const Program *v = g ? xf_vmap(cx, g, (int[]){-1, 0}, NULL, -1, NULL) : NULL;
    Nd in[] = {nd_f64(cx, 2), VEC_OF(cx, 1, 200, 60, 3)}, *out = NULL;

    REQUIRE(is_valid(cx, v) && (out = run_program(cx, v, in)));
    CHECK_VEC(&out[0], 0, 128, 200, 120, 192);
    CHECK_VEC(&out[1], 0, 7 * 64, 0, 60, 6 * 32 * 3);
    CHECK_VEC(&out[2], 0, 128, 1, 2, 64);
}

XTEST(stacked_rows_of_a_while_are_zero_past_its_end)
{
    const Program *p = parse(
        cx, "below(x: f64[]) { l = const f64[] 8; c = lt x l; ret c }\n"
            "body(x: f64[]) { y = add x x; ret y, x }\n"
            "f(x: f64[]) { y, s = while x cond=below body=body bound=5; ret y, s }");
    const Program *v = p ? xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL) : NULL;
    Nd x = nd_f64(cx, 1), xs = VEC_OF(cx, 4, 100, 1), *out = NULL;

    REQUIRE(is_valid(cx, v) && (out = run_program(cx, p, &x)));
    CHECK_VEC(&out[1], 0, 1, 2, 4, 0, 0);
    REQUIRE((out = run_program(cx, v, &xs)));
    CHECK_VEC(&out[0], 0, 8, 100, 8);
    CHECK_VEC(&out[1], 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 0, 0);
}

XTEST(a_while_defines_how_many_turns_it_made)
{
    const Program *p =
        parse(cx, "below(x: f64[]) { l = const f64[] 8; c = lt x l; ret c }\n"
                  "body(x: f64[]) { y = add x x; ret y, x }\n"
                  "f(x: f64[]) { y, s = while x cond=below body=body trips=K; n = dim K; "
                  "t = reduce_sum s axes=[0]; ret s, n, t }");
    double want[] = {3, 0};
    Nd in[] = {nd_f64(cx, 1), nd_f64(cx, 9)}, *out = NULL;

    for (int k = 0; k < 2; k++) {
        REQUIRE(is_valid(cx, p) && (out = run_program(cx, p, &in[k])));
        CHECK_EQ_INT(out[0].dims[0], (int64_t)want[k]);
        CHECK_EQ_INT(nd_get(&out[1], 0), want[k]);
    }
    CHECK_VEC(&out[2], 0, 0);
}

XTEST(a_batch_has_no_one_number_of_turns_unless_padded)
{
    const char *text[] = {
        "below(x: f64[]) { l = const f64[] 8; c = lt x l; ret c }\n"
        "body(x: f64[]) { y = add x x; ret y, x }\n"
        "f(x: f64[]) { y, s = while x cond=below body=body trips=K; n = dim K; ret s, n }",
        "below(x: f64[]) { l = const f64[] 8; c = lt x l; ret c }\n"
        "body(x: f64[]) { y = add x x; ret y, x }\n"
        "f(x: f64[]) { y, s = while x cond=below body=body trips=K padded=true; ret s }"};
    Nd x = nd_f64s(cx, (double[]){1, 9, 4}, 3), *out = NULL;
    const Program *p = parse(cx, text[0]), *v = NULL;

    REQUIRE(p);
    CHECK(!xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL));
    check_error(cx, WF_ERR_SHAPE, "while: K would differ from row to row of the batch");
    REQUIRE((p = parse(cx, text[1])) && (v = xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL)));
    REQUIRE(out = run_program(cx, v, &x));
    CHECK_VEC(&out[0], 0, 1, 2, 4, 0, 0, 0, 4, 0, 0);
}

typedef struct Peak {
    FaultAlloc fault;
    const char *text;
    double turns;
} Peak;

static wf_status run_peak(wf_ctx *cx, Peak *k)
{
    Nd in, *out = NULL;

    API_ENTER(cx);
    const Program *p = parse(cx, k->text);
    in = nd_f64(cx, k->turns);
    if (p && (out = run_program(cx, p, &in)))
        CHECK_NEAR(nd_get(&out[0], 0), k->turns, 0);
    API_RETURN(cx);
}

TEST(a_loop_takes_the_same_memory_however_often_it_turns)
{
    long peak[2];

    for (int k = 0; k < 2; k++) {
        Peak x = {.turns = k ? 100000 : 10,
                  .text = "less(n: f64[], x: f64[], i: f64[]) { c = lt i n; ret c }\n"
                          "inner(x: f64[]) { y = sin x; z = cos y; ret z }\n"
                          "body(x: f64[], i: f64[]) { one = const f64[] 1; j = add i "
                          "one; y = call x body=inner; ret y, j }\n"
                          "f(n: f64[]) { z = const f64[] 0; x, i = while n z z cond=less "
                          "body=body ncond=1; ret i, x }"};
        wf_options o = {sizeof o, .allocator = fault_allocator(&x.fault)};
        wf_ctx *cx = wf_ctx_new(&o);

        CHECK_EQ_INT(run_peak(cx, &x), WF_OK);
        wf_ctx_free(cx);
        CHECK_EQ_INT(x.fault.live_bytes, 0);
        peak[k] = x.fault.peak_bytes;
    }
    CHECK_EQ_INT(peak[0], peak[1]);
}

/* ---- residuals ---- */

XTEST(what_does_not_change_in_a_loop_is_not_stacked)
{
    const Program *p =
        parse(cx, "body(w: f64[100], x: f64[100]) { e = exp w; y = mul x e; ret y }\n"
                  "f(w: f64[100], x: f64[100]) { y = scan w x body=body nconst=1 "
                  "ncarry=1 length=1000; ret y }");
    const Program *fw, *lin;

    REQUIRE(p && xf_linearize(cx, p, (int[]){1}, 1, &fw,
                              &lin)); /* by x: only exp w is needed */
    for (uint32_t j = p->nout; j < fw->nout; j++)
        CHECK(val_type(fw, fw->outs[j]).rank < 2);
    CHECK(fw->nout > p->nout);
}

XTEST(a_checkpointed_scan_keeps_one_carry_for_each_segment)
{
    static const int64_t lengths[] = {100, 103};

    for (int k = 0; k < 2; k++) {
        const Program *p = parse(
            cx,
            arena_printf(&cx->scratch,
                         "body(x: f64[7]) { a = sin x; b = exp a; y = mul b x; ret y }\n"
                         "f(x: f64[7]) { y = scan x body=body ncarry=1 length=%d "
                         "checkpoint=true; ret y }",
                         (int)lengths[k]));
        const Program *fw, *lin;
        int64_t rows = 0;

        REQUIRE(p && xf_linearize(cx, p, (int[]){0}, 1, &fw, &lin));
        for (uint32_t j = p->nout; j < fw->nout; j++) {
            Type t = val_type(fw, fw->outs[j]);
            rows += t.rank == 2 ? t.dims[0] : 1;
        }
        CHECK(rows <= 12);
    }
}

XTEST(checkpoint_computes_the_body_again_behind_a_barrier)
{
    const char *text =
        "body(x: f64[4]) { a = sin x; b = exp a; y = mul b x; ret y }\n"
        "f(x: f64[4]) { y = %s x body=body; s = reduce_sum y axes=[0]; ret s }";
    const Program *p = parse(cx, arena_printf(&cx->scratch, text, "checkpoint"));
    const Program *q = parse(cx, arena_printf(&cx->scratch, text, "call"));
    const Program *g = p ? xf_grad(cx, p, (int[]){0}, 1, true) : NULL,
                  *h = q ? xf_grad(cx, q, (int[]){0}, 1, true) : NULL;
    Nd x = VEC_OF(cx, 1, 2, 3, 4), *a = NULL, *b = NULL;

    REQUIRE(is_valid(cx, g) && is_valid(cx, h) && (a = run_program(cx, g, &x)) &&
            (b = run_program(cx, h, &x)));
    for (int j = 0; j < 2; j++)
        for (int64_t i = 0; i < a[j].count; i++)
            CHECK_NEAR(nd_get(&a[j], i), nd_get(&b[j], i), 0);
    CHECK_EQ_INT(ops_in(g, OP_sin), 2);
    CHECK_EQ_INT(ops_in(g, OP_opt_barrier), 1);
    CHECK_EQ_INT(ops_in(h, OP_sin), 1);
}

XTEST(a_checkpoint_policy_keeps_dots_or_named_values)
{
    static const struct {
        const char *policy;
        int dots, tanhs;
    } rows[] = {
        {"nothing", 2, 2},
        {"dots", 1, 2},
        {"named", 1, 1},
    };

    for (int k = 0; k < COUNT(rows); k++) {
        const Program *p =
            parse(cx, arena_printf(&cx->scratch,
                                   "body(x: f64[2,3], w: f64[3,2]) { a = dot x w; t = "
                                   "tanh a; n = name t as=\"h\"; y = mul n n; ret y }\n"
                                   "f(x: f64[2,3], w: f64[3,2]) { y = checkpoint x w "
                                   "body=body policy=%s; s = reduce_sum y axes=[0,1];"
                                   " ret s }",
                                   rows[k].policy));
        const Program *g = p ? xf_grad(cx, p, (int[]){0}, 1, true) : NULL;

        REQUIRE(is_valid(cx, g));
        CHECK_EQ_INT(ops_in(g, OP_dot_general),
                     rows[k].dots + 1); /* and one of the backward pass */
        CHECK_EQ_INT(ops_in(g, OP_tanh), rows[k].tanhs);
    }
}

/* ---- cond under vmap: no NaN, no endless loop ---- */

/* sum over rows of f, differentiated, against f differentiated and batched */
static void check_rows(wf_ctx *cx, const Program *p, const Nd *x, const double *y,
                       const double *gx, int64_t n)
{
    const Program *v = p ? xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL) : NULL, *gv, *vg;
    Nd ones = nd_new(cx, WF_F64, &n, 1), in[2] = {*x, ones}, *out = NULL;

    for (int64_t i = 0; i < n; i++)
        nd_data(&ones)[i] = 1;
    REQUIRE(is_valid(cx, v));
    gv = xf_vjp(cx, v, (int[]){0}, 1);
    vg = xf_grad(cx, p, (int[]){0}, 1, true);
    vg = vg ? xf_vmap(cx, vg, (int[]){0}, NULL, n, NULL) : NULL;
    REQUIRE(is_valid(cx, gv) && is_valid(cx, vg));
    REQUIRE((out = run_program(cx, v, x)));
    check_vec(&out[0], n, y, 1e-14);
    REQUIRE((out = run_program(cx, gv, in)));
    check_vec(&out[0], n, y, 1e-14);
    check_vec(&out[1], n, gx, 1e-13);
    REQUIRE((out = run_program(cx, vg, x)));
    check_vec(&out[0], n, y, 1e-14);
    check_vec(&out[1], n, gx, 1e-13);
}

XTEST(a_branch_not_taken_makes_no_nan_gradient)
{
    const Program *p =
        parse(cx, "zero(x: f64[]) { z = const f64[] 0; ret z }\n"
                  "root(x: f64[]) { l = log x; r = sqrt x; y = div l r; ret y }\n"
                  "f(x: f64[]) { z = const f64[] 0; p = gt x z; y = cond p x "
                  "branches=[zero,root]; ret y }");
    Nd x = VEC_OF(cx, 0, 1, -1, 4), none = VEC_OF(cx, 0, -1);

    check_rows(cx, p, &x, (double[]){0, 0, 0, log(4) / 2},
               (double[]){0, 1, 0, 1. / 8 - log(4) / 16}, 4);
    check_rows(cx, p, &none, (double[]){0, 0}, (double[]){0, 0}, 2);
}

XTEST(a_loop_in_a_branch_not_taken_does_not_run_for_ever)
{
    const Program *p =
        parse(cx, /* doubling ends for positive numbers only */
              "below(x: f64[]) { l = const f64[] 100; c = lt x l; ret c }\n"
              "twice(x: f64[]) { y = add x x; ret y }\n"
              "grow(x: f64[]) { y = while x cond=below body=twice; ret y }\n"
              "same(x: f64[]) { ret x }\n"
              "f(x: f64[]) { z = const f64[] 0; p = gt x z; y = cond p x "
              "branches=[same,grow]; ret y }");
    Nd x = VEC_OF(cx, 0, 3, -1, 50), none = VEC_OF(cx, 0, -1);

    check_rows(cx, p, &x, (double[]){0, 192, -1, 100}, (double[]){1, 64, 1, 2}, 4);
    check_rows(cx, p, &none, (double[]){0, -1}, (double[]){1, 1}, 2);
}

XTEST(a_finished_row_of_a_while_makes_no_nan_gradient)
{
    const Program *p =
        parse(cx, /* harmonic sums; 1/n of a finished row would be infinite */
              "more(x: f64[], n: f64[]) { z = const f64[] 0; c = gt n z; ret c }\n"
              "add_one(x: f64[], n: f64[]) { one = const f64[] 1; q = div x n; y = add x "
              "q; m = sub n one; ret y, m }\n"
              "f(n: f64[]) { one = const f64[] 1; m = floor n; y, k = while n m "
              "cond=more body=add_one; ret y }");
    Nd x = VEC_OF(cx, 1, 3, 2, 0);

    /* x (1 + 1/n) .. (1 + 1/1) = x (n + 1), n fixed by floor */
    check_rows(cx, p, &x, (double[]){2, 12, 6, 0}, (double[]){2, 4, 3, 1}, 4);
}

XTEST(cond_clamps_its_index)
{
    const Program *p =
        parse(cx, "a(x: f64[]) { ret x }\n"
                  "b(x: f64[]) { y = neg x; ret y }\n"
                  "c(x: f64[]) { y = add x x; ret y }\n"
                  "f(i: i32[], x: f64[]) { y = cond i x branches=[a,b,c]; ret y }");
    const Program *v = p ? xf_vmap(cx, p, (int[]){0, -1}, NULL, -1, NULL) : NULL;
    Nd is = nd_new(cx, WF_I32, (int64_t[]){5}, 1), *out = NULL;
    double want[] = {1, 1, -1, 2, 2};

    memcpy(is.data, (int32_t[]){-7, 0, 1, 2, 9}, 20);
    REQUIRE(is_valid(cx, v));
    for (int k = 0; k < 5; k++) {
        Nd in[] = {i32_scalar(cx, ((int32_t *)is.data)[k]), nd_f64(cx, 1)};
        REQUIRE((out = run_program(cx, p, in)));
        CHECK_NEAR(nd_get(&out[0], 0), want[k], 0);
    }
    REQUIRE((out = run_program(cx, v, (Nd[]){is, nd_f64(cx, 1)})));
    check_vec(&out[0], 5, want, 0);
}

XTEST(a_constant_index_leaves_only_its_branch)
{
    const Program *p = parse(
        cx, "a(x: f64[]) { y = sin x; ret y }\n"
            "b(x: f64[]) { y = cos x; ret y }\n"
            "f(x: f64[]) { i = const i32[] 1; y = cond i x branches=[a,b]; ret y }");
    const Program *g = p ? xf_grad(cx, p, (int[]){0}, 1, false) : NULL;

    REQUIRE(is_valid(cx, g));
    CHECK_EQ_INT(ops_in(g, OP_cond), 0);
    CHECK_EQ_INT(ops_in(g, OP_sin), 1);
}

/* ---- custom derivatives ---- */

/* value x^2, said to have the derivative 10 w x */
static const char odd_rules[] =
    "primal(w: f64[], x: f64[]) { y = mul x x; ret y }\n"
    "fwd(w: f64[], x: f64[]) { y = mul x x; ret y, w, x }\n"
    "bwd(w: f64[], x: f64[], gy: f64[]) { t = const f64[] 10; a = mul w x; b = mul a t; "
    "gx = mul b gy; gw = mul x gy; ret gw, gx }\n"
    "f(w: f64[], x: f64[]) { y = custom_vjp w x primal=primal fwd=fwd bwd=bwd; ret y }\n";

XTEST(custom_vjp_is_what_reverse_mode_uses)
{
    const Program *p = parse(cx, odd_rules),
                  *g = p ? xf_grad(cx, p, (int[]){0, 1}, 2, true) : NULL;
    Nd in[] = {nd_f64(cx, 2), nd_f64(cx, 3)}, *out = NULL;

    REQUIRE(is_valid(cx, p) && is_valid(cx, g) && (out = run_program(cx, g, in)));
    CHECK_VEC(&out[0], 0, 9);
    CHECK_VEC(&out[1], 0, 3);
    CHECK_VEC(&out[2], 0, 60);
    g = xf_grad(cx, xf_grad(cx, p, (int[]){1}, 1, false), (int[]){0, 1}, 2,
                false); /* d (10 w x) */
    REQUIRE(is_valid(cx, g) && (out = run_program(cx, g, in)));
    CHECK_VEC(&out[0], 0, 30);
    CHECK_VEC(&out[1], 0, 20);
}

XTEST(custom_vjp_survives_vmap_whatever_is_batched)
{
    const Program *p = parse(cx, odd_rules);
    Nd w = nd_f64(cx, 2), x = nd_f64(cx, 3), ws = VEC_OF(cx, 2, 5),
       xs = VEC_OF(cx, 3, 4);

    for (int k = 1; p && k < 4; k++) {
        const Program *v = xf_vmap(cx, p, (int[]){k & 1 ? 0 : -1, k & 2 ? 0 : -1}, NULL,
                                   k == 3 ? -1 : 2, NULL);
        const Program *g = v ? xf_vjp(cx, v, (int[]){0, 1}, 2) : NULL;
        Nd in[] = {k & 1 ? ws : w, k & 2 ? xs : x, VEC_OF(cx, 1, 1)}, *out = NULL;
        double w1 = k & 1 ? 5 : 2, x1 = k & 2 ? 4 : 3;

        REQUIRE(is_valid(cx, v) && is_valid(cx, g) && (out = run_program(cx, g, in)));
        CHECK_EQ_INT(ops_in(v, OP_custom_vjp), 1);
        CHECK_VEC(&out[0], 0, 9, x1 * x1);
        if (k & 1)
            CHECK_VEC(&out[1], 0, 3, x1);
        else
            CHECK_VEC(&out[1], 0, 3 + x1);
        if (k & 2)
            CHECK_VEC(&out[2], 0, 60, 10 * w1 * x1);
        else
            CHECK_VEC(&out[2], 0, 60 + 10 * w1 * x1);
    }
}

XTEST(custom_vjp_works_inside_loops_and_branches)
{
    const Program *p =
        parse(cx, arena_printf(&cx->scratch,
                               "%s"
                               "body(w: f64[], x: f64[]) { y = custom_vjp w x "
                               "primal=primal fwd=fwd bwd=bwd; ret y }\n"
                               "g(w: f64[], x: f64[]) { y = scan w x body=body nconst=1 "
                               "ncarry=1 length=2; ret y }",
                               odd_rules));
    const Program *g = p ? xf_grad(cx, p, (int[]){0, 1}, 2, true) : NULL;
    Nd in[] = {nd_f64(cx, 2), nd_f64(cx, 3)}, *out = NULL;

    REQUIRE(is_valid(cx, g) && (out = run_program(cx, g, in)));
    CHECK_VEC(&out[0], 0, 81);
    CHECK_VEC(&out[2], 0, (10. * 2 * 9) * (10 * 2 * 3));
    CHECK_VEC(&out[1], 0, 9 + 180 * 3);
}

XTEST(forward_mode_through_custom_vjp_is_an_error_that_says_so)
{
    const Program *p = parse(cx, odd_rules),
                  *j = p ? xf_jvp_user(cx, p, (int[]){1}, 1) : NULL;
    Nd in[] = {nd_f64(cx, 2), nd_f64(cx, 3), nd_f64(cx, 1)};

    REQUIRE(is_valid(cx, j));
    CHECK(run_program(cx, j, in) == NULL);
    check_error(cx, WF_ERR_NORULE, "custom_vjp");
    CHECK(xf_jvp_user(cx, j, (int[]){1}, 1) == NULL);
    check_error(cx, WF_ERR_NORULE,
               "custom_lin: forward mode cannot go through a custom_vjp");
}

/* exp by its own rule: the derivative of self(x) is self(x) dx */
static const char self_rules[] =
    "primal(x: f64[]) { y = exp x; ret y }\n"
    "rule(x: f64[], dx: f64[]) { y = custom_jvp x primal=primal self=true; dy = mul y "
    "dx; ret y, dy }\n"
    "f(x: f64[]) { y = custom_jvp x primal=primal rule=rule; ret y }\n";

XTEST(a_custom_rule_may_use_its_own_function)
{
    const Program *p = parse(cx, self_rules), *g = p;
    Nd x = nd_f64(cx, 0.5), xs = VEC_OF(cx, 0.5, 1), *out = NULL;

    for (int k = 0; k < 3; k++) {
        const Program *v;
        g = g ? xf_grad(cx, g, (int[]){0}, 1, false) : NULL;
        REQUIRE(is_valid(cx, g) && (out = run_program(cx, g, &x)));
        CHECK_VEC(&out[0], 1e-15, exp(0.5));
        v = xf_vmap(cx, g, (int[]){0}, NULL, -1, NULL);
        REQUIRE(is_valid(cx, v) && (out = run_program(cx, v, &xs)));
        CHECK_VEC(&out[0], 1e-15, exp(0.5), exp(1));
    }
    g = p;
    for (int k = 0; k < 3;
         k++) { /* batched first: the rule is batched with its own uses */
        const Program *s;
        g = xf_vmap(cx, p, (int[]){0}, NULL, 2, NULL);
        for (int i = 0; i <= k; i++)
            g = g ? xf_vjp(cx, g, (int[]){0}, 1) : NULL;
        s = g;
        REQUIRE(is_valid(cx, s));
    }
}

XTEST(a_custom_vjp_may_use_its_own_function)
{
    const Program *p = parse(
        cx, "primal(x: f64[]) { y = exp x; ret y }\n"
            "fwd(x: f64[]) { y = exp x; ret y, x }\n"
            "bwd(x: f64[], gy: f64[]) { y = custom_vjp x primal=primal self=true; gx = "
            "mul y gy; ret gx }\n"
            "f(x: f64[]) { y = custom_vjp x primal=primal fwd=fwd bwd=bwd; ret y }\n");
    const Program *g = p, *v = p ? xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL) : NULL;
    Nd x = nd_f64(cx, 0.5), in[] = {VEC_OF(cx, 0.5, 1), VEC_OF(cx, 1, 1)}, *out = NULL;

    for (int k = 0; k < 3; k++) {
        g = g ? xf_grad(cx, g, (int[]){0}, 1, false) : NULL;
        REQUIRE(is_valid(cx, g) && (out = run_program(cx, g, &x)));
        CHECK_VEC(&out[0], 1e-15, exp(0.5));
    }
    v = v ? xf_vjp(cx, v, (int[]){0}, 1) : NULL;
    REQUIRE(is_valid(cx, v) && (out = run_program(cx, v, in)));
    CHECK_VEC(&out[1], 1e-15, exp(0.5), exp(1));
}

XTEST(self_outside_of_a_rule_is_an_error)
{
    const Program *p =
        parse(cx, "primal(x: f64[]) { y = exp x; ret y }\n"
                  "f(x: f64[]) { y = custom_jvp x primal=primal self=true; ret y }\n");

    CHECK(p && xf_grad(cx, p, (int[]){0}, 1, false) == NULL);
    check_error(cx, WF_ERR_NORULE,
               "custom_jvp: self stands outside of the rule it refers to");
}

XTEST(the_value_of_a_custom_rule_is_the_value_under_differentiation)
{
    const Program *p = parse(
        cx,
        "primal(x: f64[]) { y = exp x; ret y }\n"
        "rule(x: f64[], dx: f64[]) { y = sin x; dy = cos x; d = mul dy dx; ret y, d }\n"
        "f(x: f64[]) { y = custom_jvp x primal=primal rule=rule; ret y }\n");
    const Program *g = p ? xf_grad(cx, p, (int[]){0}, 1, true) : NULL;
    Nd x = nd_f64(cx, 1), *out = NULL;

    REQUIRE(is_valid(cx, g) && (out = run_program(cx, g, &x)));
    CHECK_VEC(&out[0], 0, sin(1));
    CHECK_VEC(&out[1], 0, cos(1));
}

XTEST(a_value_held_fixed_has_no_derivative)
{
    const Program *p =
        parse(cx, "f(x: f64[]) { s = stop_gradient x; y = mul s x; ret y }");
    const Program *g = p ? xf_grad(cx, p, (int[]){0}, 1, false) : NULL;
    Nd x = nd_f64(cx, 3), *out = NULL;

    REQUIRE(is_valid(cx, g) && (out = run_program(cx, g, &x)));
    CHECK_VEC(&out[0], 0, 3);
}

/* ---- out of memory ---- */

static wf_status transform_all(wf_ctx *cx)
{
    API_ENTER(cx);
    const Program *p =
        parse(cx, "more(x: f64[], n: f64[]) { z = const f64[] 0; c = gt n z; ret c }\n"
                  "less(x: f64[], n: f64[]) { one = const f64[] 1; q = sin x; m = sub n "
                  "one; ret q, m, q }\n"
                  "a(x: f64[]) { y, n, s = while x x cond=more body=less bound=4; t = "
                  "reduce_sum s axes=[0]; z = mul t y; ret z }\n"
                  "b(x: f64[]) { y = checkpoint x body=a; ret y }\n"
                  "c(x: f64[]) { z = const f64[] 1; p = gt x z; y = cond p x "
                  "branches=[a,b]; ret y }\n"
                  "f(x: f64[]) { y = scan x body=c ncarry=1 length=2; ret y }");
    const Program *v = p ? xf_vmap(cx, p, (int[]){0}, NULL, -1, NULL) : NULL;
    const Program *g = v ? xf_vjp(cx, v, (int[]){0}, 1) : NULL;
    if (g) {
        Nd in[] = {VEC_OF(cx, 0.5, 3), VEC_OF(cx, 1, 1)};
        run_program(cx, g, in);
    }
    API_RETURN(cx);
}

static void run_transforms(wf_allocator al, void *user)
{
    wf_options o = {sizeof o, .allocator = al};
    wf_ctx *cx = wf_ctx_new(&o);

    (void)user;
    if (!cx)
        return;
    wf_status s = transform_all(cx);
    CHECK(s == WF_OK || s == WF_ERR_MEMORY);
    wf_ctx_free(cx);
}

TEST(every_allocation_may_fail) { CHECK(fault_each(run_transforms, NULL) > 10); }

/* ---- transposes of what was not split ---- */

XTEST(a_linear_loop_with_a_counter_can_be_transposed)
{
    const Program *p = parse(cx, /* y = 2^3 w 3! x, linear in x */
                             "body(w: f64[], i: i32[], x: f64[]) { one = const i32[] 1; "
                             "j = add i one; f = cast j f64;"
                             " y = mul x f; z = add y y; ret j, z }\n"
                             "f(w: f64[], x: f64[]) { z = const i32[] 0; i, y = scan w z "
                             "x body=body nconst=1 ncarry=2"
                             " length=3; v = mul y w; ret v }");
    bool nz[2] = {0};
    const Program *t =
        p ? xf_transpose(cx, p, (bool[]){false, true}, (bool[]){true}, NULL, nz) : NULL;
    Nd in[] = {nd_f64(cx, 5), nd_f64(cx, 2)}, *out = NULL;

    REQUIRE(is_valid(cx, t) && (out = run_program(cx, t, in)));
    CHECK(nz[1] && !nz[0]);
    CHECK_VEC(&out[0], 0, 2 * 5 * 48.0);
}

XTEST(a_linear_while_can_be_transposed)
{
    const Program *p =
        parse(cx, "more(x: f64[], n: i32[]) { z = const i32[] 0; c = gt n z; ret c }\n"
                  "body(w: f64[], x: f64[], n: i32[]) { o = const i32[] 1; m = sub n o; "
                  "y = mul x w;"
                  " ret y, m }\n"
                  "f(w: f64[], n: i32[], x: f64[]) { y, m = while w x n cond=more "
                  "body=body nbody=1;"
                  " ret y }");
    bool nz[3] = {0};
    const Program *t =
        p ? xf_transpose(cx, p, (bool[]){false, false, true}, (bool[]){true}, NULL, nz)
          : NULL;
    Nd in[] = {nd_f64(cx, 3), i32_scalar(cx, 4), nd_f64(cx, 2)}, *out = NULL;

    REQUIRE(is_valid(cx, t) && (out = run_program(cx, t, in)));
    CHECK_VEC(&out[0], 0, 162);
}

XTEST(a_while_that_turns_by_a_linear_value_cannot_be_transposed)
{
    const Program *p =
        parse(cx, "more(x: f64[]) { z = const f64[] 0; c = gt x z; ret c }\n"
                  "body(x: f64[]) { y = neg x; ret y }\n"
                  "f(x: f64[]) { y = while x cond=more body=body; ret y }");
    bool nz[1];

    CHECK(p && !xf_transpose(cx, p, (bool[]){true}, (bool[]){true}, NULL, nz));
    check_error(cx, WF_ERR_NORULE,
               "transpose: the condition of while depends on a tangent");
}

/* ---- transformed programs as text ---- */

static void check_round_trip(wf_ctx *cx, const Program *p)
{
    const Program **ps = NULL;
    uint32_t n = 0;
    Text text;

    REQUIRE(p);
    text_init(&text, &cx->scratch);
    program_print(p, &(PrintOptions){.header = true}, &text);
    REQUIRE(programs_parse(cx, "again.wir", text_str(&text), text.n, NULL, &ps, &n));
    CHECK(program_equal(ps[n - 1], p));
}

XTEST(transformed_control_flow_reads_back_as_it_was_written)
{
    for (int i = 0; i < COUNT(programs) && !failed(cx) && check_ok(); i++) {
        const Program *p = with_library(cx, programs[i]), *v = NULL;
        int wrt[8], nwrt = 0, axes[8] = {0};

        REQUIRE(p && p->nin <= 8);
        for (uint32_t k = 0; k < p->nin; k++)
            if (dtype_is_float((wf_dtype)val_type(p, program_in(p, k)).dtype))
                wrt[nwrt++] = (int)k;
        check_round_trip(cx, xf_jvp_user(cx, p, wrt, nwrt));
        check_round_trip(cx, v = xf_vjp(cx, p, wrt, nwrt));
        check_round_trip(cx, xf_vmap(cx, p, axes, NULL, -1, NULL));
        check_round_trip(cx, xf_vmap(cx, p, axes, NULL, 2, NULL));
        check_round_trip(cx, xf_vjp(cx, xf_vmap(cx, p, axes, NULL, -1, NULL), wrt, nwrt));
        if (failed(cx) || !check_ok())
            FAIL("in program %d: %.300s", i, programs[i]);
    }
    check_round_trip(cx, xf_jvp_user(cx, parse(cx, odd_rules), (int[]){0, 1}, 2));
    check_round_trip(cx, xf_vmap(cx, parse(cx, odd_rules), (int[]){0, -1}, NULL, -1, NULL));
    check_round_trip(
        cx, xf_jvp_user(cx, xf_vmap(cx, parse(cx, odd_rules), (int[]){0, -1}, NULL, -1, NULL),
                        (int[]){1}, 1));
    check_round_trip(cx,
                     xf_vmap(cx, xf_jvp_user(cx, parse(cx, odd_rules), (int[]){0, 1}, 2),
                             (int[]){-1, 0, -1, 0}, NULL, -1, NULL));
}
