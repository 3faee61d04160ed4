/* test_recognise.c -- recognised pieces give what the plain program gives.
 *
 * Programs of attention, softmax, norms and gelu are written as the fronts write them,
 * run as they are, optimised (so that library kernels run them) and compiled, in every
 * float dtype, with values that are not finite and rows without a key, at odd sizes and
 * symbolic ones. That they were recognised is checked by name, of what scripts of each
 * library become, too.
 */
#include "lib_attention.h"
#include "lib_check.h"
#include "opt/recognise.h"
#include "script/script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- running ----------------------------------------------------------------------- */

static double element(const wf_array *a, int64_t i)
{
    wf_dtype t = wf_array_dtype(a);

    return element_as_f64(t,
                          (const char *)wf_array_data(a) + (size_t)i * wf_dtype_size(t));
}

static void set_element(wf_array *a, int64_t i, double x)
{
    wf_dtype t = wf_array_dtype(a);

    element_from_f64(t, x, (char *)wf_array_data(a) + (size_t)i * wf_dtype_size(t));
}

#define MOST_ARRAYS 8

typedef struct Run {
    wf_array *in[MOST_ARRAYS], *out[MOST_ARRAYS];
    int nin, nout;
} Run;

static void fill(wf_array *a, Rng *rng)
{
    for (int64_t i = 0; i < wf_array_count(a); i++)
        if (wf_array_dtype(a) == WF_BOOL)
            ((uint8_t *)wf_array_data(a))[i] = rng_int(rng, 0, 3) != 0;
        else
            set_element(a, i, 2 * rng_unit(rng) - 1);
}

/* Inputs of p at these sizes of its symbols. */
static bool make_inputs(wf_ctx *cx, const Program *p, const int64_t *sizes, Rng *rng,
                        Run *r)
{
    r->nin = (int)p->nin;
    r->nout = (int)p->nout;
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, i + 1);
        int64_t dims[MAX_RANK];

        for (uint32_t k = 0; k < t.rank; k++)
            if (!dim_eval(&p->dims, t.dims[k], sizes, &dims[k]))
                return false;
        if (wf_array_new(cx, (wf_dtype)t.dtype, dims, (int)t.rank, &r->in[i]) != WF_OK)
            return false;
        fill(r->in[i], rng);
    }
    return true;
}

static void drop(wf_array **a, int n)
{
    for (int i = 0; i < n; i++) {
        wf_array_release(a[i]);
        a[i] = NULL;
    }
}

static const double tolerances[] = {
    [WF_F16] = 2e-2, [WF_BF16] = 1.2e-1, [WF_F32] = 2e-5, [WF_F64] = 1e-12};

static double largest(const wf_array *a)
{
    double m = 0;

    for (int64_t i = 0; i < wf_array_count(a); i++)
        if (isfinite(element(a, i)))
            m = fmax(m, fabs(element(a, i)));
    return m;
}

/* Relative to the largest element, and a little to the largest input; NaN is NaN, and
 * infinities are themselves. */
static void compare(const Run *plain, wf_array *const *got, double tol, const char *how)
{
    double least = 0;

    for (int i = 0; i < plain->nin; i++)
        least = fmax(least, 1e-3 * largest(plain->in[i]));
    for (int j = 0; j < plain->nout; j++) {
        double scale = fmax(largest(plain->out[j]), least);

        for (int64_t i = 0; i < wf_array_count(plain->out[j]); i++) {
            double a = element(plain->out[j], i), b = element(got[j], i);

            if ((isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tol * scale)
                continue;
            check_fail(__FILE__, __LINE__, "%s: result %d, element %lld: %g, needs %g",
                       how, j, (long long)i, b, a);
            return;
        }
    }
}

static bool run_exec(wf_ctx *cx, wf_exec *e, Run *r, wf_array **out, const char *how)
{
    if (wf_run(cx, e, r->in, wf_exec_inputs(e), out, wf_exec_outputs(e)) == WF_OK)
        return true;
    check_fail(__FILE__, __LINE__, "%s: %s", how, wf_ctx_message(cx));
    wf_clear(cx);
    return false;
}

/* Plain, optimised and (if wished) compiled: the same. */
static void compare_ways(wf_ctx *cx, const Program *p, Run *r, bool compiled, double tol,
                         const char *how)
{
    const wf_program *q = NULL;
    wf_array *got[MOST_ARRAYS] = {NULL};
    wf_exec *e = NULL;
    char what[200];

    if (wf_eval(cx, p, r->in, wf_program_inputs(p), r->out, wf_program_outputs(p)) !=
        WF_OK) {
        check_fail(__FILE__, __LINE__, "%s: %s", how, wf_ctx_message(cx));
        return;
    }
    for (int way = 0; way < 1 + compiled; way++) {
        snprintf(what, sizeof what, "%s, %s", how, way ? "compiled" : "optimised");
        if (way ? wf_compile(cx, p, 0, &e) != WF_OK
                : wf_optimise(cx, p, "all", &q) != WF_OK ||
                      wf_prepare(cx, q, &e) != WF_OK) {
            check_fail(__FILE__, __LINE__, "%s: %s", what, wf_ctx_message(cx));
            return;
        }
        if (run_exec(cx, e, r, got, what))
            compare(r, got, tol, what);
        drop(got, r->nout);
        wf_exec_release(e);
    }
    wf_program_release(q);
}

static bool has_call(const Program *p, const char *name)
{
    for (uint32_t i = 0; i < p->neqns; i++) {
        const CallAttr *c = p->eqns[i].attr;

        if (p->eqns[i].op == OP_call && !strcmp(op_call_kinds[c->kind], name))
            return true;
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (has_call(p->subs[i], name))
            return true;
    return false;
}

static void check_names(wf_ctx *cx, const Program *p, const char *const *names,
                        const char *how)
{
    const wf_program *q = NULL;

    if (wf_optimise(cx, p, "all", &q) != WF_OK) {
        check_fail(__FILE__, __LINE__, "%s: %s", how, wf_ctx_message(cx));
        return;
    }
    for (; *names; names++)
        if (!has_call(q, *names))
            check_fail(__FILE__, __LINE__, "%s: no call of %s", how, *names);
    wf_program_release(q);
}

/* ---- attention --------------------------------------------------------------------- */

static const char *const dtype_text[] = {
    [WF_F16] = "f16", [WF_BF16] = "bf16", [WF_F32] = "f32", [WF_F64] = "f64"};

static const Shape shapes[] = {
    {"37", "45", 37, 45, 2, 3, 8, 5, false},  {"64", "64", 64, 64, 1, 2, 16, 16, true},
    {"8", "130", 8, 130, 3, 1, 3, 9, true},   {"70", "9", 70, 9, 1, 1, 33, 4, false},
    {"33", "33", 33, 33, 5, 4, 20, 32, true}, {"N", "M", 41, 67, 2, 2, 12, 7, false},
    {"N", "N", 50, 50, 1, 3, 6, 6, true},     {"96", "96", 96, 96, 2, 2, 8, 8, true},
};
#define SMALL 96 /* keys of the last: many, and little work in all */

typedef enum What { FORWARD, BOTH, GRADIENT } What; /* GRADIENT: nobody reads the result */

static void check_widened(wf_ctx *cx, wf_dtype t, Mask m, const Shape *z, What gradient,
                          bool widened, void (*spoil)(Run *r))
{
    static const char *const both[] = {"attention", "attention_grad", NULL};
    const Program *p = attention_program(cx, dtype_text[t], m, z, widened, gradient ? "y" : "o");
    const wf_program *g = NULL;
    int64_t sizes[2] = {z->nl, z->ns};
    Rng rng = {(uint64_t)m * 100 + t};
    Run r = {0};
    char how[100];

    if (!p)
        return;
    if (gradient && (gradient == BOTH ? wf_value_and_grad : wf_grad)(cx, p, (int[]){0, 1, 2},
                                                                     3, &g) != WF_OK) {
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(cx));
        return;
    }
    p = g ? g : p;
    snprintf(how, sizeof how, "%s, mask %d, shape %d%s", dtype_text[t], m,
             (int)(z - shapes), gradient ? ", gradient" : "");
    check_names(cx, p, gradient ? both : (const char *const[]){both[0], NULL}, how);
    if (make_inputs(cx, p, sizes, &rng, &r)) {
        if (spoil)
            spoil(&r);
        compare_ways(cx, p, &r, (m + (z - shapes)) % 4 == 1 || z->ns == SMALL,
                     tolerances[t], how);
    }
    drop(r.in, r.nin);
    drop(r.out, r.nout);
    wf_program_release(g);
}

static void check_attention(wf_ctx *cx, wf_dtype t, Mask m, const Shape *z, bool gradient,
                            void (*spoil)(Run *r))
{
    check_widened(cx, t, m, z, gradient ? BOTH : FORWARD, false, spoil);
}

XTEST(the_gradient_of_attention_whose_result_nobody_reads_is_recognised)
{
    for (int m = 0; m < MASKS; m++) {
        check_widened(cx, m % 2 ? WF_F32 : WF_F64, (Mask)m, &shapes[1 + m % 2 * 3], GRADIENT,
                      false, NULL);
        check_widened(cx, WF_BF16, (Mask)m, &shapes[1 + m % 2 * 3], GRADIENT, true, NULL);
    }
}

/* As JAX and PyTorch compute it of half floats. */
XTEST(attention_of_half_floats_with_a_softmax_of_f32_is_recognised)
{
    for (int m = 0; m < MASKS; m++)
        for (int what = FORWARD; what <= BOTH; what++)
            check_widened(cx, m % 2 ? WF_BF16 : WF_F16, (Mask)m, &shapes[1 + m % 2 * 3],
                          (What)what, true, NULL);
}

XTEST(attention_in_every_dtype_with_every_mask_is_what_the_plain_program_gives)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int m = NO_MASK; m < MASKS; m++)
            check_attention(cx, WF_F32, (Mask)m, &shapes[k], false, NULL);
    for (wf_dtype t = WF_F16; t <= WF_F64; t = (wf_dtype)(t + 1))
        for (int m = NO_MASK; m < MASKS; m++)
            check_attention(cx, t, (Mask)m, &shapes[1 + m % 2], false, NULL);
}

XTEST(the_gradient_of_attention_is_what_the_plain_program_gives)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int m = NO_MASK; m < MASKS; m++)
            check_attention(cx, m % 2 ? WF_F32 : WF_F64, (Mask)m, &shapes[k], true, NULL);
    for (wf_dtype t = WF_F16; t <= WF_F64; t = (wf_dtype)(t + 1))
        check_attention(cx, t, CAUSAL, &shapes[1], true, NULL);
}

static const Program *sub_named(const Program *p, const char *name)
{
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (!strcmp(p->subs[i]->name, name))
            return p->subs[i];
    return NULL;
}

/* The body with value v as its last result instead. */
static const Program *with_result(wf_ctx *cx, const Program *body, Val v)
{
    Builder *b = builder_new(cx, body->name, B_VERBATIM);
    Val outs[4];
    Copier c;

    copier_init(&c, b, body, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < body->neqns; i++)
        copier_eqn(&c, &body->eqns[i]);
    for (uint32_t j = 0; j < body->nout; j++)
        outs[j] = c.val[j + 1 < body->nout ? body->outs[j] : v];
    return builder_finish(b, outs, body->nout);
}

XTEST(a_body_with_results_that_attention_does_not_have_is_not_read)
{
    static const CallKind kinds[] = {KIND_ATTENTION, KIND_ATTENTION_GRAD};
    const Program *p = attention_program(cx, "f32", CAUSAL, &shapes[1], false, "y");
    const wf_program *g = NULL, *q = NULL;

    REQUIRE(p != NULL);
    REQUIRE(wf_value_and_grad(cx, p, (int[]){0, 1, 2}, 3, &g) == WF_OK &&
            wf_optimise(cx, g, "all", &q) == WF_OK);
    for (int i = 0; i < 2; i++) {
        const Program *body = sub_named(q, op_call_kinds[kinds[i]]), *other;
        Attention t;

        REQUIRE(body != NULL && body->nout <= 4);
        CHECK(opt_attention_read(&cx->scratch, body, kinds[i], &t));
        CHECK(opt_is_attention(&cx->scratch, &(CallAttr){{body, {0}}, (int32_t)kinds[i]}));
        CHECK(!opt_is_attention(&cx->scratch, &(CallAttr){{body, {0}}, KIND_PLAIN}));
        other = with_result(cx, body, t.exps);
        REQUIRE(other != NULL);
        CHECK(!opt_attention_read(&cx->scratch, other, kinds[i], &t));
    }
    wf_program_release(g);
    wf_program_release(q);
}

/* ---- what is not finite ------------------------------------------------------------ */

static void no_keys(Run *r)
{
    wf_array *m = r->in[4];
    int64_t n = wf_array_dims(m)[1];

    memset((char *)wf_array_data(m) + 3 * n, 0, (size_t)n);
}

static void nan_query(Run *r) { set_element(r->in[0], 5, NAN); }
static void infinite_key(Run *r) { set_element(r->in[1], 7, INFINITY); }
static void infinite_value(Run *r)
{
    set_element(r->in[2], wf_array_count(r->in[2]) - 1, -INFINITY);
}
static void nan_gradient(Run *r)
{
    set_element(r->in[3], wf_array_count(r->in[3]) / 2, NAN);
}

XTEST(rows_without_keys_and_numbers_that_are_not_finite_are_as_in_the_plain_program)
{
    static void (*const spoils[])(Run * r) = {nan_query, infinite_key, infinite_value,
                                              nan_gradient};

    check_attention(cx, WF_F32, BOOL_MASK, &shapes[0], false, no_keys);
    check_attention(cx, WF_F64, BOOL_MASK, &shapes[0], true, no_keys);
    for (int i = 0; i < 4; i++) {
        check_attention(cx, WF_F64, NO_MASK, &shapes[0], true, spoils[i]);
        check_attention(cx, WF_F64, CAUSAL, &shapes[1], true, spoils[i]);
        check_attention(cx, WF_F32, CAUSAL_LOW, &shapes[4], true, spoils[i]);
    }
}

/* Scores far below the number that masks: the masked keys count. */
static void deep_scores(Run *r)
{
    for (int64_t i = 0; i < wf_array_count(r->in[0]); i++) {
        set_element(r->in[0], i, -500);
        set_element(r->in[1], i, 500);
    }
}

XTEST(masked_keys_count_where_nothing_is_above_them)
{
    check_attention(cx, WF_F64, CAUSAL_LOW, &shapes[1], true, deep_scores);
}

/* ---- derivatives, threads, memory -------------------------------------------------- */

static double loss_at(wf_ctx *cx, wf_exec *e, Run *r, int input, int64_t i, double x)
{
    double old = element(r->in[input], i), y;
    wf_array *out[MOST_ARRAYS] = {NULL};

    set_element(r->in[input], i, x);
    y = run_exec(cx, e, r, out, "loss") ? element(out[0], 0) : NAN;
    set_element(r->in[input], i, old);
    drop(out, 1);
    return y;
}

XTEST(the_gradient_of_attention_is_a_central_difference)
{
    static const Shape z = {"9", "11", 9, 11, 2, 2, 4, 3, false};
    const double h = 1e-5;

    for (int m = NO_MASK; m < MASKS; m++) {
        const Program *p = attention_program(cx, "f64", (Mask)m, &z, false, "y");
        const wf_program *g = NULL;
        wf_exec *f = NULL, *e = NULL;
        Rng rng = {7};
        Run r = {0};

        REQUIRE(p != NULL);
        CHECK(wf_value_and_grad(cx, p, (int[]){0, 1, 2}, 3, &g) == WF_OK &&
              wf_compile(cx, g, 0, &e) == WF_OK && wf_prepare(cx, p, &f) == WF_OK);
        make_inputs(cx, g, NULL, &rng, &r);
        if (run_exec(cx, e, &r, r.out, "gradient"))
            for (int input = 0; input < 3; input++)
                for (int64_t i = 0; i < wf_array_count(r.in[input]); i += 5) {
                    double x = element(r.in[input], i),
                           up = loss_at(cx, f, &r, input, i, x + h),
                           down = loss_at(cx, f, &r, input, i, x - h);

                    CHECK_NEAR(element(r.out[1 + input], i), (up - down) / (2 * h), 1e-8);
                }
        drop(r.in, r.nin);
        drop(r.out, r.nout);
        wf_exec_release(e);
        wf_exec_release(f);
        wf_program_release(g);
    }
}

static void run_with_threads(int threads, const Shape *z, wf_array **out)
{
    wf_options o = {.size = sizeof o, .threads = threads};
    Bench b = {.cx = wf_ctx_new(&o)};
    const wf_program *g = NULL, *q = NULL;
    int64_t sizes[2] = {z->nl, z->ns};
    wf_exec *e = NULL;
    Rng rng = {3};
    Run r = {0};

    api_enter_(b.cx, &b.region);
    const Program *p = attention_program(b.cx, "f32", CAUSAL, z, false, "y");

    if (p && wf_value_and_grad(b.cx, p, (int[]){0, 1, 2}, 3, &g) == WF_OK &&
        wf_optimise(b.cx, g, "all", &q) == WF_OK && wf_prepare(b.cx, q, &e) == WF_OK &&
        make_inputs(b.cx, q, sizes, &rng, &r))
        run_exec(b.cx, e, &r, out, "threads");
    drop(r.in, r.nin);
    wf_exec_release(e);
    wf_program_release(q);
    wf_program_release(g);
    BENCH_CLOSE(b);
}

TEST(attention_gives_the_same_bits_on_any_number_of_threads)
{
    static const Shape z[] = {{"200", "200", 200, 200, 1, 2, 16, 16, true},
                              {"96", "96", 96, 96, 5, 4, 24, 24, false}};

    for (int k = 0; k < 2; k++) {
        wf_array *one[MOST_ARRAYS] = {NULL}, *more[MOST_ARRAYS] = {NULL};

        run_with_threads(1, &z[k], one);
        run_with_threads(3, &z[k], more);
        for (int j = 0; j < 4; j++)
            CHECK(one[j] && more[j] &&
                  !memcmp(wf_array_data(one[j]), wf_array_data(more[j]),
                          (size_t)wf_array_count(one[j]) * 4));
        drop(one, 4);
        drop(more, 4);
    }
}

/* The largest value of a program, in elements. */
static int64_t largest_value(const Program *p)
{
    int64_t most = 0;

    for (Val v = 1; v < p->nvals; v++) {
        int64_t n = 1;

        for (uint32_t i = 0; i < val_type(p, v).rank; i++)
            n *= val_type(p, v).dims[i];
        most = MAX(most, n);
    }
    return most;
}

XTEST(no_value_as_large_as_all_scores_is_left)
{
    static const Shape z = {"512", "512", 512, 512, 1, 2, 16, 16, false};
    const Program *p = attention_program(cx, "f32", CAUSAL, &z, false, "y");
    const wf_program *g = NULL, *q = NULL;

    REQUIRE(p && wf_value_and_grad(cx, p, (int[]){0, 1, 2}, 3, &g) == WF_OK);
    CHECK(wf_optimise(cx, g, "dce", &q) == WF_OK && largest_value(q) == 2 * 512 * 512);
    wf_program_release(q);
    CHECK(wf_optimise(cx, g, "all", &q) == WF_OK && largest_value(q) == 2 * 512 * 16);
    wf_program_release(q);
    wf_program_release(g);
}

/* Equal bodies with symbols of other names are one, called with the right sizes. */
XTEST(two_attentions_of_different_sizes_share_a_body)
{
    static const char *const text =
        "f(q: f32[1,T,4], k: f32[1,T,4], u: f32[1,S,4], w: f32[1,S,4]) { "
        "a = dot_general q k lhs=[2] rhs=[2] lhs_batch=[0] rhs_batch=[0] acc=f32; "
        "m = reduce_max a axes=[2]; mb = broadcast m [1,T,T] dims=[0,1]; d = sub a mb; e "
        "= exp d; l = reduce_sum e axes=[2]; lb = broadcast l [1,T,T] dims=[0,1]; p = "
        "div e lb; x = dot_general p k lhs=[2] rhs=[1] lhs_batch=[0] rhs_batch=[0] "
        "acc=f32; "
        "a2 = dot_general u w lhs=[2] rhs=[2] lhs_batch=[0] rhs_batch=[0] acc=f32; "
        "m2 = reduce_max a2 axes=[2]; mb2 = broadcast m2 [1,S,S] dims=[0,1]; d2 = sub a2 "
        "mb2; e2 = exp d2; l2 = reduce_sum e2 axes=[2]; lb2 = broadcast l2 [1,S,S] "
        "dims=[0,1]; p2 = div e2 lb2; y = dot_general p2 w lhs=[2] rhs=[1] lhs_batch=[0] "
        "rhs_batch=[0] acc=f32; ret x, y }";
    const Program *p = parse_lines(cx, text);
    const wf_program *q = NULL;
    int64_t sizes[2] = {33, 9};
    Rng rng = {5};
    Run r = {0};

    REQUIRE(p != NULL);
    CHECK(wf_optimise(cx, p, "all", &q) == WF_OK && q->nsubs == 1);
    wf_program_release(q);
    if (make_inputs(cx, p, sizes, &rng, &r))
        compare_ways(cx, p, &r, false, tolerances[WF_F32], "two sizes");
    drop(r.in, r.nin);
    drop(r.out, r.nout);
}

XTEST(what_is_recognised_is_recognised_again)
{
    const Program *p = attention_program(cx, "f32", BIAS_CAUSAL, &shapes[1], false, "y");
    const wf_program *g = NULL, *q = NULL, *again = NULL;

    REQUIRE(p && wf_value_and_grad(cx, p, (int[]){0, 1, 2}, 3, &g) == WF_OK);
    CHECK(wf_optimise(cx, g, "all", &q) == WF_OK &&
          wf_optimise(cx, q, "all", &again) == WF_OK && program_equal(q, again));
    wf_program_release(again);
    wf_program_release(q);
    wf_program_release(g);
}

/* ---- pieces ------------------------------------------------------------------------ */

#define PIECE(name, expr)                                                                \
    static wf_status f_##name(wf_ctx *c, void *user, const wf_tensor *in, int nin,       \
                              wf_tensor *out, int nout)                                  \
    {                                                                                    \
        (void)user, (void)nin, (void)nout;                                               \
        out[0] = (expr);                                                                 \
        return wf_ctx_status(c);                                                         \
    }

static wf_tensor largest_kept(wf_ctx *c, wf_tensor x)
{
    return wf_max(c, x, (int[]){-1}, 1, true);
}

/* Without a guard against a largest element that is not finite. */
static wf_tensor bare_softmax(wf_ctx *c, wf_tensor x)
{
    wf_tensor e = wf_exp(c, wf_sub(c, x, largest_kept(c, x)));

    return wf_div(c, e, wf_sum(c, e, (int[]){-1}, 1, true));
}

PIECE(softmax, wf_softmax(c, in[0], -1))
PIECE(softmax_first, wf_softmax(c, in[0], 0))
PIECE(softmax_bare, bare_softmax(c, in[0]))
PIECE(log_softmax, wf_log_softmax(c, in[0], -1))
PIECE(layer_norm, wf_layer_norm(c, in[0], 1, in[1], in[2], 1e-5))
PIECE(layer_norm_bare, wf_layer_norm(c, in[0], 2, WF_NONE, WF_NONE, 1e-3))
PIECE(layer_norm_weight, wf_layer_norm(c, in[0], 1, in[1], WF_NONE, 1e-5))
PIECE(rms_norm, wf_rms_norm(c, in[0], 1, in[1], 1e-6))
PIECE(gelu, wf_gelu(c, in[0], false))
PIECE(gelu_tanh, wf_gelu(c, in[0], true))
PIECE(nll, wf_cross_entropy(c, in[0], in[3], WF_NONE, -100, 0, WF_MEAN))

static const struct PieceCase {
    const char *name;
    wf_call call;
    int rank;          /* of x, whose last axis is n */
    const char *found; /* the name of the call */
} piece_cases[] = {
    {"softmax", f_softmax, 3, "softmax"},
    {"softmax along the first axis", f_softmax_first, 2, "softmax"},
    {"softmax without guard", f_softmax_bare, 2, "softmax"},
    {"log_softmax", f_log_softmax, 2, "log_softmax"},
    {"layer_norm", f_layer_norm, 3, "layer_norm"},
    {"layer_norm of two axes", f_layer_norm_bare, 3, "layer_norm"},
    {"layer_norm without bias", f_layer_norm_weight, 2, "layer_norm"},
    {"rms_norm", f_rms_norm, 3, "rms_norm"},
    {"gelu", f_gelu, 2, "gelu"},
    {"gelu by tanh", f_gelu_tanh, 3, "gelu_tanh"},
    {"cross entropy", f_nll, 2, "nll"},
};

static void spoil_rows(Run *r)
{
    wf_array *x = r->in[0];
    int64_t n = wf_array_dims(x)[wf_array_rank(x) - 1];

    set_element(x, 1, NAN);
    set_element(x, n, INFINITY);
    for (int64_t i = 0; i < n; i++)
        set_element(x, 2 * n + i, -INFINITY);
    set_element(x, 3 * n, -INFINITY);
    set_element(x, 4 * n, 600);
}

static const wf_program *trace_piece(wf_ctx *c, const struct PieceCase *k, wf_dtype t,
                                     int64_t n)
{
    int64_t dims[3] = {3, 7, n}, rows = 7;
    wf_tensor in[4] = {wf_zeros(c, t, dims + 3 - k->rank, k->rank), wf_zeros(c, t, &n, 1),
                       wf_zeros(c, t, &n, 1), wf_zeros(c, WF_I64, &rows, 1)};
    wf_function f = WF_FUNCTION(k->call, NULL, 4, 1, "f");
    const wf_program *p = NULL;

    wf_trace(c, &f, in, 4, &p);
    return p;
}

static void check_piece(const struct PieceCase *k, wf_dtype t, int64_t n, bool spoilt)
{
    wf_ctx *c = wf_ctx_new(NULL);
    const wf_program *p = trace_piece(c, k, t, n);
    Rng rng = {(uint64_t)n};
    Run r = {0};
    char how[120];

    snprintf(how, sizeof how, "%s of %d %s%s", k->name, (int)n, dtype_text[t],
             spoilt ? ", spoilt" : "");
    if (!p) {
        check_fail(__FILE__, __LINE__, "%s: %s", how, wf_ctx_message(c));
    } else {
        check_names(c, p, (const char *const[]){k->found, NULL}, how);
        make_inputs(c, p, NULL, &rng, &r);
        for (int64_t i = 0; i < 7; i++)
            ((int64_t *)wf_array_data(r.in[3]))[i] = i * 5 % n;
        if (spoilt)
            spoil_rows(&r);
        compare_ways(c, p, &r, n == 33 && t == WF_F32, tolerances[t], how);
    }
    drop(r.in, r.nin);
    drop(r.out, r.nout);
    wf_program_release(p);
    wf_ctx_free(c);
}

TEST(pieces_give_what_the_plain_program_gives)
{
    for (size_t i = 0; i < sizeof piece_cases / sizeof *piece_cases; i++) {
        const struct PieceCase *k = &piece_cases[i];

        for (wf_dtype t = WF_F16; t <= WF_F64; t = (wf_dtype)(t + 1)) {
            check_piece(k, t, 10, false);
            check_piece(k, t, 33, false);
        }
        check_piece(k, WF_F32, 128, false);
        check_piece(k, WF_F32, 10, true);
        check_piece(k, WF_F64, 64, true);
    }
}

/* ---- fronts ------------------------------------------------------------------------ */

typedef struct Printed {
    char text[4000];
    size_t n;
} Printed;

static void collect(void *user, const char *s, size_t n, bool err)
{
    Printed *o = user;

    if (err || n > sizeof o->text - 1 - o->n)
        return;
    memcpy(o->text + o->n, s, n);
    o->n += n;
    o->text[o->n] = 0;
}

static void check_script(const char *text, const char *want)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    Printed out = {.n = 0};
    VmOptions opt = {.write = collect, .write_user = &out};
    Vm *vm = sc_vm_new(cx, &opt);

    if (vm)
        sc_run_text(vm, "t.py", text, strlen(text));
    sc_vm_free(vm);
    CHECK_STR(wf_ctx_message(cx), "");
    CHECK_STR(out.text, want);
    wf_ctx_free(cx);
}

#define NAMES                                                                            \
    "import weft\n"                                                                      \
    "def names(f, *a):\n"                                                                \
    "    t = str(weft.optimised(weft.program(lambda *b: f(*b), *a)))\n"                  \
    "    print(*[w.split('kind=')[1] for w in t.split('\\n') if 'kind=' in w])\n"

TEST(what_scripts_of_torch_write_is_recognised)
{
    check_script(
        NAMES "import math, torch\n"
              "import torch.nn.functional as F\n"
              "x, w, b = torch.zeros(4, 8, 10), torch.ones(10), torch.zeros(10)\n"
              "q = torch.zeros(2, 3, 32, 16)\n"
              "def hand(q, k, v):\n"
              "    s = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\n"
              "    mask = torch.tril(torch.ones(32, 32, dtype=torch.bool))\n"
              "    return torch.softmax(s.masked_fill(~mask, float('-inf')), -1) @ v\n"
              "sdpa = F.scaled_dot_product_attention\n"
              "names(lambda x: F.softmax(x, -1), x)\n"
              "names(lambda x: F.log_softmax(x, 1), x)\n"
              "names(F.cross_entropy, x[0], torch.zeros(8, dtype=torch.int64))\n"
              "names(lambda x, w, b: F.layer_norm(x, (10,), w, b), x, w, b)\n"
              "names(torch.nn.LayerNorm((8, 10)), x)\n"
              "names(lambda x, w: F.rms_norm(x, (10,), w), x, w)\n"
              "names(F.gelu, x)\n"
              "names(lambda x: F.gelu(x, approximate='tanh'), x)\n"
              "names(sdpa, q, q, q)\n"
              "names(lambda q, k, v: sdpa(q, k, v, is_causal=True), q, q, q)\n"
              "names(sdpa, q, q, q, torch.zeros(32, 32))\n"
              "names(sdpa, q, q, q, torch.ones(2, 1, 1, 32, dtype=torch.bool))\n"
              "names(hand, q, q, q)\n"
              "names(torch.nn.TransformerEncoderLayer(10, 2, 32, 0.0, batch_first=True), "
              "x)\n",
        "softmax\nlog_softmax\nnll\nlayer_norm\nlayer_norm\nrms_norm\ngelu\ngelu_tanh\n"
        "attention\nattention\nattention\nattention\nattention\n"
        "attention layer_norm layer_norm\n");
}

TEST(what_scripts_of_jax_write_is_recognised)
{
    check_script(
        "import jax, jax.numpy as jnp\n"
        "def names(f, *a):\n"
        "    t = jax.jit(lambda *b: f(*b)).lower(*a).compile().as_text()\n"
        "    print(*[w.split('kind=')[1] for w in t.split('\\n') if 'kind=' in w])\n"
        "x, w, q = jnp.zeros((4, 8, 10)), jnp.ones(10), jnp.zeros((2, 32, 3, 16))\n"
        "def norm(x, w, b):\n"
        "    m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)\n"
        "    return (x - m) / jnp.sqrt(v + 1e-5) * w + b\n"
        "def hand(q, k, v):\n"
        "    s = jnp.einsum('bihd,bjhd->bhij', q, k) / jnp.sqrt(16.0)\n"
        "    s = jnp.where(jnp.tril(jnp.ones((32, 32), dtype=bool)), s, -1e9)\n"
        "    return jnp.einsum('bhij,bjhe->bihe', jax.nn.softmax(s, axis=-1), v)\n"
        "def loss(q, k, v):\n"
        "    return (hand(q, k, v) ** 2).sum()\n"
        "sdpa = jax.nn.dot_product_attention\n"
        "names(jax.nn.softmax, x)\n"
        "names(jax.nn.log_softmax, x)\n"
        "names(jax.nn.gelu, x)\n"
        "names(norm, x, w, w)\n"
        "names(sdpa, q, q, q)\n"
        "names(lambda q, k, v: sdpa(q, k, v, is_causal=True), q, q, q)\n"
        "names(hand, q, q, q)\n"
        "names(jax.grad(loss, argnums=(0, 1, 2)), q, q, q)\n"
        "names(jax.vmap(hand), *[jnp.zeros((5, 2, 32, 3, 16))] * 3)\n",
        "softmax\nlog_softmax\ngelu_tanh\nlayer_norm\nattention\nattention\n"
        "attention\nattention attention_grad\nattention\n");
}

TEST(what_scripts_of_tensorflow_write_is_recognised)
{
    check_script(NAMES "import tensorflow as tf\n"
                       "x, q = tf.zeros((4, 8, 10)), tf.zeros((2, 3, 32, 16))\n"
                       "def hand(q, k, v):\n"
                       "    s = tf.matmul(q, k, transpose_b=True) / 4.0\n"
                       "    return tf.matmul(tf.nn.softmax(s), v)\n"
                       "def loss(x, y):\n"
                       "    return tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)\n"
                       "names(tf.nn.softmax, x)\n"
                       "names(tf.nn.log_softmax, x)\n"
                       "names(tf.nn.gelu, x)\n"
                       "names(lambda x: tf.nn.gelu(x, approximate=True), x)\n"
                       "names(tf.keras.layers.LayerNormalization(), x)\n"
                       "names(hand, q, q, q)\n"
                       "names(loss, x[0], tf.zeros((8,), dtype=tf.int64))\n",
                 "softmax\nlog_softmax\ngelu\ngelu_tanh\nlayer_norm\nattention\nnll\n");
}

/* ---- what is none ------------------------------------------------------------------ */

/* What looks like a piece but is not, or is read elsewhere too. */
XTEST(what_others_read_is_not_taken)
{
    static const char *const texts[] = {
        /* the exponentials are a result */
        ("f(x: f32[4,8]) { m = reduce_max x axes=[1]; b = broadcast m [4,8] dims=[0]; d "
         "= "
         "sub x b; e = exp d; s = reduce_sum e axes=[1]; t = broadcast s [4,8] dims=[0]; "
         "y "
         "= div e t; ret y, e }"),
        /* the sum of other exponentials */
        ("f(x: f32[4,8], z: f32[4,8]) { m = reduce_max x axes=[1]; b = broadcast m [4,8] "
         "dims=[0]; d = sub x b; e = exp d; u = exp z; s = reduce_sum u axes=[1]; t = "
         "broadcast s [4,8] dims=[0]; y = div e t; ret y }"),
        /* sums along two different axes */
        ("f(x: f32[8,8]) { m = reduce_max x axes=[1]; b = broadcast m [8,8] dims=[0]; d "
         "= "
         "sub x b; e = exp d; s = reduce_sum e axes=[0]; t = broadcast s [8,8] dims=[1]; "
         "y "
         "= div e t; ret y }"),
        /* another constant than gelu's */
        ("f(x: f32[8]) { h = const f32[8] 0.5; a = mul x h; r = const f32[8] 0.7; b = "
         "mul "
         "x r; c = erf b; o = const f32[8] 1; d = add c o; y = mul a d; ret y }"),
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const Program *p = parse_lines(cx, texts[i]);

        REQUIRE(p != NULL);
        p = opt_run(&(Opt){.cx = cx}, p, OPT_ALL);
        CHECK(p && p->nsubs == 0);
    }
}
