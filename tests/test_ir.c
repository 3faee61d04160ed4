/* test_ir.c -- dimensions, builder, finished programs, copies. */
#include "op/op.h"
#include "test.h"


/* Tests of internal functions run inside a region, as a public function would. */
#define WITH_CX(cx)                                                                              \
    wf_ctx *cx = wf_ctx_new(NULL);                                                               \
    Region region_;                                                                              \
    api_enter_(cx, &region_)
#define DONE(cx) (api_leave(cx, &region_), wf_ctx_free(cx))

/* ---- dims ---- */

TEST(equal_dims_are_equal_integers)
{
    WITH_CX(cx);
    Dims t;
    dims_init(&t, cx, &cx->scratch);
    Dim n = dim_symbol(&t, "N", SYM_INPUT), m = dim_symbol(&t, "M", SYM_INPUT);
    Dim x = dim_mul(&t, dim_add(&t, n, m), dim_sub(&t, n, m));
    Dim y = dim_sub(&t, dim_mul(&t, n, n), dim_mul(&t, m, m));
    CHECK_EQ_INT(x, y);
    CHECK_EQ_INT(dim_sub(&t, x, y), 0);
    CHECK_EQ_INT(dim_add(&t, n, m), dim_add(&t, m, n));
    CHECK_EQ_INT(dim_sub(&t, dim_add(&t, n, 3), 3), n);
    CHECK(dim_add(&t, n, 1) != dim_add(&t, n, 2));
    DONE(cx);
}

TEST(dims_print_as_they_are_written)
{
    WITH_CX(cx);
    Dims t;
    dims_init(&t, cx, &cx->scratch);
    Dim n = dim_symbol(&t, "N", SYM_INPUT), m = dim_symbol(&t, "M", SYM_INPUT);
#define SHOW(d) dim_str(&t, d, &cx->scratch)
    CHECK_STR(SHOW(dim_mul(&t, n, 64)), "N*64");
    CHECK_STR(SHOW(dim_sub(&t, n, 1)), "N-1");
    CHECK_STR(SHOW(dim_sub(&t, 8, n)), "-N+8");
    CHECK_STR(SHOW(dim_div(&t, n, 2)), "floor(N/2)");
    CHECK_STR(SHOW(dim_div(&t, dim_add(&t, n, 1), 2)), "floor((N+1)/2)");
    CHECK_STR(SHOW(dim_min(&t, n, 8)), "min(N,8)");
    CHECK_STR(SHOW(dim_mod(&t, n, 8)), "N-floor(N/8)*8");
    CHECK_STR(SHOW(dim_mul(&t, n, dim_add(&t, m, n))), "N*N+N*M");
    CHECK_STR(SHOW(dim_const(&t, -3)), "-3");
    DONE(cx);
}

/* As many terms as there may be, and a constant; and numbers at the end of their range. */
TEST(division_of_the_largest_dims_is_right)
{
    WITH_CX(cx);
    Dims t;
    Dim sum = 0, n, q;
    dims_init(&t, cx, &cx->scratch);
    for (int i = 0; i < 128; i++)
        sum = dim_add(&t, sum, dim_symbol(&t, "A", SYM_INPUT));
    CHECK(!dim_exact(&t, sum, dim_add(&t, sum, 1), &q));
    n = t.syms.v[0].dim;
    sum = dim_sub(&t, sum, n);
    CHECK(dim_guard(&t, dim_mod(&t, sum, 2), true, 0, NOWHERE));
    CHECK_EQ_INT(dim_mul(&t, dim_div(&t, sum, 2), 2), sum);
    sum = dim_add(&t, sum, n);
    q = dim_div(&t, dim_sub(&t, n, INT64_MAX), 3);
    int64_t sizes[128] = {5}, v = 0;
    CHECK(dim_eval(&t, q, sizes, &v));
    CHECK_EQ_INT(v, (4 - INT64_MAX) / 3); /* 4 - INT64_MAX is a multiple of 3 */
    CHECK(!dim_known_ge(&t, sum, dim_mul(&t, dim_add(&t, n, 1), t.syms.v[1].dim))); /* a proof that cannot be tried */
    CHECK_EQ_INT(wf_ctx_status(cx), WF_OK);
    DONE(cx);
}

TEST(guards_are_limited)
{
    WITH_CX(cx);
    Dims t;
    int i = 0;
    dims_init(&t, cx, &cx->scratch);
    Dim n = dim_symbol(&t, "N", SYM_INPUT), m = dim_symbol(&t, "M", SYM_INPUT);
    while (i < 1000 && dim_guard(&t, dim_mul(&t, n, 2 * i + 1), false, dim_mul(&t, m, 2 * i + 2), NOWHERE))
        i++;
    CHECK_EQ_INT(i, MAX_GUARDS);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_LIMIT);
    DONE(cx);
}

TEST(division_takes_out_what_divides)
{
    WITH_CX(cx);
    Dims t;
    dims_init(&t, cx, &cx->scratch);
    Dim n = dim_symbol(&t, "N", SYM_INPUT), m = dim_symbol(&t, "M", SYM_INPUT), q;
    CHECK_EQ_INT(dim_div(&t, dim_mul(&t, n, 6), 3), dim_mul(&t, n, 2));
    CHECK_EQ_INT(dim_div(&t, dim_add(&t, dim_mul(&t, n, 4), 7), 4), dim_add(&t, n, 1));
    CHECK_EQ_INT(dim_div(&t, dim_div(&t, n, 2), 3), dim_div(&t, n, 6));
    CHECK(dim_exact(&t, dim_mul(&t, dim_add(&t, n, 1), m), dim_add(&t, n, 1), &q));
    CHECK_EQ_INT(q, m);
    CHECK(!dim_exact(&t, n, 2, &q));
    CHECK(!dim_exact(&t, dim_mul(&t, n, m), dim_add(&t, n, 1), &q));
    DONE(cx);
}

TEST(a_guard_makes_division_exact)
{
    WITH_CX(cx);
    Dims t;
    dims_init(&t, cx, &cx->scratch);
    Dim n = dim_symbol(&t, "N", SYM_INPUT), q;
    CHECK(!dim_exact(&t, n, 8, &q));
    CHECK(dim_guard(&t, dim_mod(&t, n, 8), true, 0, NOWHERE));
    CHECK(dim_exact(&t, n, 8, &q));
    CHECK_EQ_INT(dim_mul(&t, q, 8), n);
    CHECK(dim_exact(&t, n, 4, &q));
    CHECK(!dim_exact(&t, n, 16, &q));
    DONE(cx);
}

TEST(bounds_decide_min_and_max)
{
    WITH_CX(cx);
    Dims t;
    dims_init(&t, cx, &cx->scratch);
    Dim n = dim_symbol(&t, "N", SYM_INPUT);
    CHECK_EQ_INT(dim_max(&t, n, 0), n);
    CHECK_EQ_INT(dim_min(&t, n, dim_add(&t, n, 2)), n);
    CHECK(!dim_known_ge(&t, n, 1));
    CHECK(dim_guard(&t, n, false, 1, NOWHERE));
    CHECK(dim_known_ge(&t, n, 1));
    CHECK(dim_known_ge(&t, dim_mul(&t, n, 3), 3));
    CHECK_EQ_INT(dim_max(&t, dim_sub(&t, n, 1), 0), dim_sub(&t, n, 1));
    DONE(cx);
}

/* Random expressions: the canonical form has the value of the expression it came from. */
static Dim random_dim(Dims *t, uint64_t *rng, int depth, const int64_t *vals, int64_t *out)
{
    *rng = *rng * 6364136223846793005u + 1442695040888963407u;
    unsigned r = (unsigned)(*rng >> 33);
    int64_t a, b;

    if (depth == 0 || r % 5 == 0) {
        if (r % 2) {
            *out = (int64_t)(r / 8 % 7);
            return *out;
        }
        unsigned s = r / 8 % 3;
        *out = vals[s];
        return t->syms.v[s].dim;
    }
    Dim x = random_dim(t, rng, depth - 1, vals, &a), y = random_dim(t, rng, depth - 1, vals, &b);
    switch (r / 4 % 6) {
    case 0: *out = a + b; return dim_add(t, x, y);
    case 1: *out = a - b; return dim_sub(t, x, y);
    case 2: *out = a * b; return dim_mul(t, x, y);
    case 3: *out = MIN(a, b); return dim_min(t, x, y);
    case 4: *out = MAX(a, b); return dim_max(t, x, y);
    default: {
        int64_t d = 1 + (int64_t)(r / 64 % 5);
        *out = floordiv_i64(a, d);
        return r % 3 ? dim_div(t, x, d) : (*out = a - d * floordiv_i64(a, d), dim_mod(t, x, d));
    }
    }
}

TEST(canonical_forms_keep_the_value)
{
    WITH_CX(cx);
    uint64_t rng = 42;
    for (int i = 0; i < 3000; i++) {
        ArenaMark mark = arena_mark(&cx->scratch);
        Dims t;
        dims_init(&t, cx, &cx->scratch);
        int64_t vals[3] = {i % 7, i % 11, i % 5}, want, got = -99;
        dim_symbol(&t, "A", SYM_INPUT), dim_symbol(&t, "B", SYM_INPUT), dim_symbol(&t, "C", SYM_INPUT);
        Dim d = random_dim(&t, &rng, 4, vals, &want);
        if (d != DIM_NONE) { /* DIM_NONE: too complicated, said so */
            CHECK(dim_eval(&t, d, vals, &got));
            CHECK_EQ_INT(got, want);
        } else {
            CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_LIMIT);
            wf_clear(cx);
        }
        arena_reset(&cx->scratch, mark);
    }
    DONE(cx);
}

TEST(dims_that_overflow_are_an_error)
{
    WITH_CX(cx);
    Dims t;
    dims_init(&t, cx, &cx->scratch);
    Dim n = dim_symbol(&t, "N", SYM_INPUT);
    CHECK_EQ_INT(dim_mul(&t, dim_mul(&t, n, INT64_MAX / 2), 4), DIM_NONE);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_LIMIT);
    DONE(cx);
}

__extension__ typedef __int128 Wide;

/* What twice as many bits say of an expression, as long as they are sure. */
typedef struct Sure {
    Dim d;
    Wide v;
    bool is; /* v is the value */
} Sure;

static Sure combine_dims(Dims *t, int op, Sure x, Sure y)
{
    static Dim (*const ops[])(Dims *, Dim, Dim) = {dim_add, dim_sub, dim_mul, dim_div,
                                                   dim_mod, dim_min, dim_max};
    Sure r = {.d = ops[op](t, x.d, y.d), .is = x.is && y.is};
    Wide q;

    if (!r.is)
        return r;
    switch (op) {
    case 0: r.v = x.v + y.v; break;
    case 1: r.v = x.v - y.v; break;
    case 2: r.v = x.v * y.v; break;
    case 5: r.v = MIN(x.v, y.v); break;
    case 6: r.v = MAX(x.v, y.v); break;
    default:
        r.is = y.v > 0;
        q = y.v > 0 ? x.v / y.v - (x.v % y.v < 0) : 0;
        r.v = op == 3 ? q : x.v - q * y.v;
    }
    r.is = r.is && r.v < ((Wide)1 << 62) && r.v > -((Wide)1 << 62);
    return r;
}

TEST(huge_dims_are_right_or_an_error_and_an_error_stays_one)
{
    static const int64_t numbers[] = {0, 1, 2, 3, 7, 1 << 20, INT64_MAX / 2, INT64_MAX};
    int right = 0, errors = 0;

    for (int round = 0; round < 3000; round++) {
        WITH_CX(cx);
        Dims t;
        dims_init(&t, cx, &cx->scratch);
        int64_t values[2] = {3, 5}, v;
        Sure pool[14] = {{dim_symbol(&t, "N", SYM_INPUT), 3, true},
                         {dim_symbol(&t, "M", SYM_INPUT), 5, true},
                         {DIM_NONE, 0, false}};
        int n = 3;

        for (; n < COUNT(pool); n++) {
            Sure x = pool[test_random_below((uint64_t)n)],
                 y = pool[test_random_below((uint64_t)n)];
            int op = (int)test_random_below(7);

            if (test_random_below(3) == 0) {
                y.v = numbers[test_random_below(COUNT(numbers))];
                y.d = (Dim)y.v, y.is = true;
            }
            if ((op != 3 && op != 4) || y.d != 0) /* by 0 is the caller's mistake */
                pool[n] = combine_dims(&t, op, x, y);
            else
                pool[n] = (Sure){DIM_NONE, 0, false};
            if (x.d == DIM_NONE || y.d == DIM_NONE)
                CHECK_EQ_INT(pool[n].d, DIM_NONE);
            if (pool[n].d == DIM_NONE) {
                errors++;
                CHECK(!failed(cx) || cx->status == WF_ERR_LIMIT ||
                      cx->status == WF_ERR_VALUE);
                wf_clear(cx);
                pool[n].is = false;
            } else if (dim_eval(&t, pool[n].d, values, &v) && pool[n].is) {
                right++;
                if (v != (int64_t)pool[n].v)
                    FAIL("round %d, op %d: %lld, not %lld", round, op, (long long)v,
                         (long long)pool[n].v);
            }
        }
        DONE(cx);
    }
    CHECK(right > 5000 && errors > 1000);
}

/* ---- builder ---- */

TEST(equal_equations_are_one_and_dead_ones_go)
{
    WITH_CX(cx);
    Builder *b = builder_new(cx, "f", B_OPTIMISE);
    Dim n = b_symbol(b, "N");
    Val x = b_input(b, "x", b_make_type(b, WF_F32, &n, 1));
    Val e1 = b_exp(b, x), e2 = b_exp(b, x);
    b_tanh(b, x);
    CHECK_EQ_INT(e1, e2);
    Val y = b_add(b, e1, e2);
    const Program *p = builder_finish(b, &y, 1);
    REQUIRE(p);
    CHECK_EQ_INT(p->neqns, 2);
    CHECK_EQ_INT(p->dims.syms.n, 1);
    CHECK_EQ_INT(p->dims.syms.v[0].origin, SYM_INPUT);
    DONE(cx);
}

TEST(operands_of_a_commutative_op_may_be_swapped)
{
    WITH_CX(cx);
    Builder *b = builder_new(cx, "f", B_OPTIMISE);
    Type t = b_make_type(b, WF_F64, NULL, 0);
    Val x = b_input(b, "x", t), y = b_input(b, "y", t);
    CHECK_EQ_INT(b_mul(b, x, y), b_mul(b, y, x));
    CHECK(b_sub(b, x, y) != b_sub(b, y, x));
    DONE(cx);
}

TEST(after_an_error_a_builder_does_nothing)
{
    WITH_CX(cx);
    Builder *b = builder_new(cx, "f", B_OPTIMISE);
    Dim two = 2, three = 3;
    Val x = b_input(b, "x", b_make_type(b, WF_F32, &two, 1));
    Val y = b_input(b, "y", b_make_type(b, WF_F32, &three, 1));
    CHECK_EQ_INT(b_add(b, x, y), VAL_NONE);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_SHAPE);
    CHECK_EQ_INT(b_exp(b, x), VAL_NONE);
    CHECK(builder_finish(b, &x, 1) == NULL);
    CHECK_HAS(wf_ctx_message(cx), "add");
    DONE(cx);
}

static const Program *sum_of_two(wf_ctx *cx, const char *sym, bool swap)
{
    Builder *b = builder_new(cx, "f", B_VERBATIM);
    Dim other = swap ? b_symbol(b, "unused") : 0;
    Dim n = b_symbol(b, sym), shape[2] = {n, dim_mul(&b->dims, n, 2)};
    (void)other;
    Type t = b_make_type(b, WF_F32, shape, 2);
    Val x = b_input(b, "x", t), y = b_input(b, sym, t);
    Val z = b_add(b, x, y);
    return builder_finish(b, &z, 1);
}

TEST(content_does_not_depend_on_names)
{
    WITH_CX(cx);
    const Program *a = sum_of_two(cx, "N", false), *b = sum_of_two(cx, "K", true);
    REQUIRE(a && b);
    CHECK(program_equal(a, b));
    CHECK(hash_eq(a->hash, b->hash));
    CHECK_EQ_INT(b->dims.syms.n, 1);
    DONE(cx);
}

TEST(a_specialised_program_has_no_symbol_left)
{
    WITH_CX(cx);
    const Program *a = sum_of_two(cx, "N", false);
    int64_t five = 5;
    const char *name = "N";
    const Program *p = program_specialise(cx, a, &name, &five, 1);
    REQUIRE(p);
    CHECK_EQ_INT(p->dims.syms.n, 0);
    CHECK_EQ_INT(val_type(p, 1).dims[1], 10);
    DONE(cx);
}

TEST(binding_checks_every_dimension)
{
    WITH_CX(cx);
    const Program *p = sum_of_two(cx, "N", false);
    int64_t good[] = {3, 6}, bad[] = {3, 7}, sym;
    CHECK(program_bind(cx, p, (const int64_t *[]){good, good}, &sym));
    CHECK_EQ_INT(sym, 3);
    CHECK(!program_bind(cx, p, (const int64_t *[]){good, bad}, &sym));
    CHECK_HAS(wf_ctx_message(cx), "axis 1 of input 'N' is 7, but needs N*2 = 6");
    DONE(cx);
}

TEST(evaluation_runs_the_rules)
{
    WITH_CX(cx);
    const Program *p = sum_of_two(cx, "N", false);
    float x[2] = {1, 2}, y[2] = {10, 20};
    int64_t dims[] = {1, 2};
    Nd in[2] = {{WF_F32, 2, dims, 2, x}, {WF_F32, 2, dims, 2, y}}, out;
    REQUIRE(eval_program(cx, p, in, &out, &cx->scratch));
    CHECK_NEAR(((float *)out.data)[0], 11, 0);
    CHECK_NEAR(((float *)out.data)[1], 22, 0);
    DONE(cx);
}
