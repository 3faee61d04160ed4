/* test_control.c -- control flow, custom derivatives, effects and collectives: the laws
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

static Nd vec(wf_ctx *cx, int64_t n, const double *v) { return nd_f64s(cx, v, n); }
#define VEC_OF(cx, ...) vec(cx, COUNT(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__})

static Nd i32_scalar(wf_ctx *cx, int32_t v)
{
    Nd x = nd_new(cx, WF_I32, NULL, 0);

    *(int32_t *)x.data = v;
    return x;
}

static void check_vec(const Nd *x, int64_t n, const double *want, double tol)
{
    CHECK_EQ_INT(x->count, n);
    for (int64_t i = 0; i < n && i < x->count; i++)
        CHECK_NEAR(nd_get(x, i), want[i], tol);
}
#define CHECK_VEC(x, tol, ...)                                                           \
    check_vec(x, COUNT(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__}, tol)

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

/* ---- messages ---- */

static const struct {
    const char *eqn; /* of f(x: f64[2], p: bool[], i: i32[], n: i64[]) */
    wf_status status;
    const char *text;
} mistakes[] = {
    {"y = call x body=nosuch", WF_ERR_NAME, "nosuch"},
    {"y = call p body=id2", WF_ERR_TYPE,
     "call: input 0 of body 'id2' needs f64[2], got bool[]"},
    {"y = call x x body=id2", WF_ERR_TYPE, "call: body 'id2' takes 1 inputs, got 2"},
    {"y = cond n x branches=[id2]", WF_ERR_TYPE,
     "cond: the index is i64[], needs bool[] or i32[]"},
    {"y = cond x x branches=[id2]", WF_ERR_TYPE,
     "cond: the index is f64[2], needs bool[] or i32[]"},
    {"y = cond branches=[id2]", WF_ERR_TYPE, "cond: the index is missing"},
    {"y = cond p x branches=[]", WF_ERR_VALUE,
     "cond: has no branches, needs at least one"},
    {"y = cond p x branches=[id2,total]", WF_ERR_SHAPE,
     "cond: result 0 is f64[2] in branch 0, but f64[] in branch 1"},
    {"y = cond p x branches=[id2,signs]", WF_ERR_TYPE,
     "cond: result 0 is f64[2] in branch 0, but bool[2] in branch 1"},
    {"y = cond p x branches=[id2,both]", WF_ERR_TYPE,
     "cond: branch 1 has 2 results, branch 0 has 1"},
    {"y = scan x body=id2 ncarry=1", WF_ERR_VALUE,
     "scan: has no operand to go along, so needs length="},
    {"y = scan x body=id2 ncarry=2 length=3", WF_ERR_VALUE,
     "scan: nconst=0 ncarry=2, but there are 1 operands"},
    {"y = scan x body=id2 ncarry=-1 length=3", WF_ERR_VALUE, "scan: nconst=0 ncarry=-1"},
    {"y = scan p body=id0", WF_ERR_SHAPE,
     "scan: operand 0 is bool[], needs an axis to go along"},
    {"y = scan x body=id0 length=3", WF_ERR_SHAPE,
     "scan: operand 0 is f64[2], needs length 3"},
    {"y = scan x body=total ncarry=1 length=3", WF_ERR_SHAPE,
     "scan: carry 0 begins as f64[2], but the body makes it f64[]"},
    {"y = scan x body=signs ncarry=1 length=3", WF_ERR_TYPE,
     "scan: carry 0 begins as f64[2], but the body makes it bool[2]"},
    {"y = scan x body=nothing ncarry=1 length=3", WF_ERR_TYPE,
     "scan: body 'nothing' has 0 results, needs at least the 1 carries"},
    {"y = while x cond=total body=id2", WF_ERR_TYPE,
     "while: cond 'total' gives f64[], needs one bool[]"},
    {"y = while x cond=nothing body=id2", WF_ERR_TYPE,
     "while: cond 'nothing' gives not one result, needs one bool[]"},
    {"y = while x cond=any2 body=total", WF_ERR_SHAPE,
     "while: carry 0 begins as f64[2], but the body makes it f64[]"},
    {"y = while x cond=any2 body=signs", WF_ERR_TYPE,
     "while: carry 0 begins as f64[2], but the body makes it bool[2]"},
    {"y = while x cond=any2 body=nothing", WF_ERR_TYPE,
     "while: body 'nothing' has 0 results, needs at least the 1 carries"},
    {"y = while x cond=any2 body=id2 nbody=2", WF_ERR_VALUE,
     "while: ncond=0 nbody=2, but there are 1 operands"},
    {"y, z = while x cond=any2 body=both", WF_ERR_VALUE,
     "while: stacks 1 rows a turn without a bound, so it needs trips="},
    {"y, z = while x cond=any2 body=both bound=3 trips=K", WF_ERR_VALUE,
     "while: has a bound, so it cannot define trips as well"},
    {"y = custom_jvp x primal=id2", WF_ERR_VALUE, "custom_jvp: rule is missing"},
    {"y = custom_jvp x primal=id2 rule=id2", WF_ERR_TYPE,
     "custom_jvp: rule 'id2' takes 1 inputs, got 2"},
    {"y = custom_jvp x primal=id2 rule=first", WF_ERR_TYPE,
     "custom_jvp: rule has 1 results, needs 2"},
    {"y = custom_jvp x primal=id2 rule=odd", WF_ERR_TYPE,
     "custom_jvp: result 1 of rule is bool[2], needs f64[2]"},
    {"y = custom_vjp x primal=id2 fwd=id2", WF_ERR_VALUE, "custom_vjp: bwd is missing"},
    {"y = custom_vjp x primal=id2 bwd=id2", WF_ERR_VALUE, "custom_vjp: fwd is missing"},
    {"y = custom_vjp x primal=id2 fwd=nothing bwd=id2", WF_ERR_TYPE,
     "custom_vjp: fwd has 0 results, needs at least 1"},
    {"y = custom_vjp x primal=id2 fwd=total bwd=id2", WF_ERR_SHAPE,
     "custom_vjp: result 0 of fwd is f64[], needs f64[2]"},
    {"y = custom_vjp x primal=id2 fwd=id2 bwd=total", WF_ERR_SHAPE,
     "custom_vjp: result 0 of bwd is f64[], needs f64[2]"},
    {"y = custom_lin x bwd=id2 nres=2", WF_ERR_VALUE,
     "custom_lin: nres=2, but there are 1 operands"},
    {"y = custom_lin x x bwd=id2", WF_ERR_TYPE, "custom_lin: bwd has 1 results, needs 2"},
    {"print x format=\"none\"", WF_ERR_VALUE,
     "print: the format has 0 {} for 1 operands"},
    {"print x format=\"{\"", WF_ERR_VALUE, "print: a lone '{' in the format"},
    {"print x format=\"{} }\"", WF_ERR_VALUE, "print: a lone '}' in the format"},
    {"assert x message=\"no\"", WF_ERR_TYPE,
     "assert: the condition is f64[2], needs bool"},
    {"assert message=\"no\"", WF_ERR_TYPE,
     "assert: the condition is missing, needs bool"},
    {"assert p message=\"{}\"", WF_ERR_VALUE,
     "assert: the format has 1 {} for 0 operands"},
    {"y = psum x axis=\"\"", WF_ERR_VALUE, "psum: the axis has no name"},
    {"y = psum p axis=\"i\"", WF_ERR_TYPE, "psum: operand is bool[], needs a number"},
    {"y = pmax p axis=\"i\"", WF_ERR_TYPE, "pmax: operand is bool[], needs a number"},
    {"y = all_gather x axis=\"i\" size=2 at=2", WF_ERR_VALUE,
     "all_gather: at=2, but the operand is f64[2]; needs 0 to 1"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0]", WF_ERR_VALUE,
     "ppermute: perm has 1 numbers, needs pairs"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0,2]", WF_ERR_VALUE,
     "ppermute: perm has row 2 of 2"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0,1,0,0]", WF_ERR_VALUE,
     "ppermute: perm has row 0 twice as a source"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0,1,1,1]", WF_ERR_VALUE,
     "ppermute: perm has row 1 twice as a target"},
    {"y = psum x axis=\"i,\"", WF_ERR_VALUE, "psum: the axis has no name"},
    {"y = psum x axis=\"i\" groups=[0,1,1] parts=[1,2]", WF_ERR_VALUE,
     "psum: groups must cover all indices exactly once"},
    {"y = psum x axis=\"i\" groups=[0,1] parts=[1]", WF_ERR_VALUE,
     "psum: the parts of groups are 1 of 2 members"},
    {"y = psum x axis=\"i\" groups=[0,1] parts=[2] inv=true", WF_ERR_VALUE,
     "psum: with groups the result varies over the axis"},
    {"y = all_gather x axis=\"i\" size=2 groups=[0,1] parts=[1,1]", WF_ERR_VALUE,
     "all_gather: a group has 1 members, needs size=2"},
    {"y = reduce_scatter x axis=\"i\" size=3", WF_ERR_SHAPE,
     "reduce_scatter: operand is f64[2], needs 3 elements along axis 0"},
    {"y = all_to_all x axis=\"i\" size=2 to=1", WF_ERR_VALUE,
     "all_to_all: to=1, needs 0 to 0"},
};

XTEST(mistakes_say_what_was_found_and_what_was_needed)
{
    for (int k = 0; k < COUNT(mistakes); k++) {
        const Program *p = parse(
            cx,
            arena_printf(&cx->scratch,
                         "id2(x: f64[2]) { ret x }\n"
                         "id0(x: bool[]) { ret x }\n"
                         "nothing(x: f64[2]) { ret }\n"
                         "both(x: f64[2]) { ret x, x }\n"
                         "first(x: f64[2], y: f64[2]) { ret x }\n"
                         "odd(x: f64[2], y: f64[2]) { b = lt x y; ret x, b }\n"
                         "total(x: f64[2]) { y = reduce_sum x axes=[0]; ret y }\n"
                         "signs(x: f64[2]) { z = const f64[2] 0; y = lt x z; ret y }\n"
                         "any2(x: f64[2]) { z = const f64[2] 0; y = lt x z; a = "
                         "reduce_or y axes=[0]; ret a }\n"
                         "f(x: f64[2], p: bool[], i: i32[], n: i64[]) { %s; ret x }",
                         mistakes[k].eqn));
        CHECK(p == NULL);
        check_error(cx, mistakes[k].status, mistakes[k].text);
        if (!check_ok()) {
            FAIL("in: %s", mistakes[k].eqn);
            return;
        }
    }
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
