/* test_kernels_nd.c -- elementwise, cast, reduction, copy and window kernels against the
 * scalar meanings in op/scalar.h and plain loops: every instruction set of the machine,
 * odd sizes, any strides, misaligned pointers, and equal bits for any number of threads.
 */
#include "test.h"

#include "kernels/nd.h"
#include "op/nd.h"
#include "op/op_map.h"

#include <math.h>
#include <stdlib.h>

/* ---- ulps -------------------------------------------------------------------------- */

static double ulp_of(double x, bool single)
{
    double a = fabs(x), least = single ? 0x1p-149 : 0x1p-1074;
    int e;

    if (!(a < (double)INFINITY) || a == 0)
        return least;
    frexp(a, &e);
    return fmax(ldexp(1, e - (single ? 24 : 53)), least);
}

/* How far apart in units of the last place of the exact result; 0 for equal specials. */
static double ulps(double got, long double exact, bool single)
{
    double rounded = single ? (double)(float)exact : (double)exact;

    if (isnan(got) || isnan(rounded))
        return isnan(got) && isnan(rounded) ? 0 : 1e9;
    if (isinf(got) ||
        isinf(rounded)) /* next to the largest number either is right within an ulp */
        return got == rounded                                               ? 0
               : single && fabs(got) > 3e38 && fabs((double)rounded) > 3e38 ? 1
                                                                            : 1e9;
    if (got == 0 && rounded == 0)
        return signbit(got) == signbit(rounded) ? 0 : 1e9;
    return (double)(fabsl((long double)got - exact) /
                    (long double)ulp_of(rounded, single));
}

static long double logistic_l(long double x) { return 1 / (1 + expl(-x)); }
static long double rsqrt_l(long double x) { return 1 / sqrtl(x); }

static const struct {
    KMapOp op;
    long double (*exact)(long double x);
    double lo, hi;
} functions[] = {
    {KM_exp, expl, -110, 92},
    {KM_exp, expl, -750, 712},
    {KM_exp, expl, -1e-3, 1e-3},
    {KM_expm1, expm1l, -60, 92},
    {KM_expm1, expm1l, -750, 712},
    {KM_expm1, expm1l, -1e-3, 1e-3},
    {KM_log, logl, 0, 4},
    {KM_log, logl, 0, 1e30},
    {KM_log, logl, 0.9, 1.1},
    {KM_log, logl, 0, 1e-305},
    {KM_log, logl, 0, 1e-40},
    {KM_log1p, log1pl, -1, 4},
    {KM_log1p, log1pl, -1e-4, 1e-4},
    {KM_log1p, log1pl, 0, 1e30},
    {KM_sin, sinl, -10, 10},
    {KM_sin, sinl, -9e4, 9e4},
    {KM_sin, sinl, -1e12, 1e12},
    {KM_cos, cosl, -10, 10},
    {KM_cos, cosl, -9e4, 9e4},
    {KM_cos, cosl, -1e12, 1e12},
    {KM_tan, tanl, -10, 10},
    {KM_tan, tanl, -9e4, 9e4},
    {KM_tanh, tanhl, -25, 25},
    {KM_tanh, tanhl, -1, 1},
    {KM_tanh, tanhl, -1e-5, 1e-5},
    {KM_erf, erfl, -7, 7},
    {KM_erf, erfl, -1.1, 1.1},
    {KM_erf, erfl, -1e-9, 1e-9},
    {KM_sqrt, sqrtl, 0, 10},
    {KM_rsqrt, rsqrt_l, 0, 10},
    {KM_logistic, logistic_l, -20, 20},
    {KM_logistic, logistic_l, -745, 40},
};

/* The worst error of a loop over random points of the range, and of special points. */
static void check_function(const KLoops *k, int isa, int f, bool single)
{
    enum { N = 20011 };
    static const double specials[] = {
        0.0,       -0.0,       INFINITY, -INFINITY, NAN,      1,         -1,
        0x1p-1074, -0x1p-1074, 0x1p-149, -0x1p-149, 0x1p-126, 0x1p-1022, 1e308,
        -1e308,    3e38,       -3e38,    0.5,       2,        88.72,     88.73,
        -87.4,     -103.9,     -104.1,   709.78,    709.79,   -745.1,    -745.2};
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), worst = 0, where = 0;
    KLoop loop = k->type[single ? KT_F32 : KT_F64]->map[functions[f].op];

    for (int i = 0; i < N; i++) {
        double v = i < COUNT(specials)
                       ? specials[i]
                       : functions[f].lo +
                             test_random_unit() * (functions[f].hi - functions[f].lo);
        if (single)
            ((float *)x)[i] = (float)v;
        else
            x[i] = v;
    }
    loop(N, (const void *[]){x}, (void *[]){y});
    for (int i = 0; i < N; i++) {
        double v = single ? (double)((float *)x)[i] : x[i],
               got = single ? (double)((float *)y)[i] : y[i];
        double u = ulps(got, functions[f].exact((long double)v), single);
        if (u > worst) {
            worst = u;
            where = v;
        }
    }
    if (worst > (single ? 2 : 4))
        FAIL("isa %d: op %s of %s is %.2f ulp off at %.17g", isa,
             op_name(functions[f].op), single ? "f32" : "f64", worst, where);
    free(x);
    free(y);
}

TEST(functions_are_within_two_ulps_in_f32_and_four_in_f64)
{
    for (int isa = 0; k_loops_for(isa); isa++)
        for (int f = 0; f < COUNT(functions); f++) {
            check_function(k_loops_for(isa), isa, f, true);
            check_function(k_loops_for(isa), isa, f, false);
        }
}

TEST(pow_is_within_two_ulps_in_f32)
{
    enum { N = 20000 };
    static const float points[] = {0,      -0.0f,    1,         -1,  2,        -2,
                                   0.5f,   -0.5f,    3,         -3,  1e30f,    -1e30f,
                                   1e-40f, INFINITY, -INFINITY, NAN, 16777215, 1e9f};
    float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y),
          *z = malloc(N * sizeof *z);

    for (int isa = 0; k_loops_for(isa); isa++) {
        for (int i = 0; i < N; i++) {
            x[i] = i < COUNT(points) * COUNT(points) ? points[i / COUNT(points)]
                                                     : (float)(test_random_unit() * 20);
            y[i] = i < COUNT(points) * COUNT(points)
                       ? points[i % COUNT(points)]
                       : (float)(test_random_unit() * 40 - 20);
        }
        k_loops_for(isa)->type[KT_F32]->map[KM_pow](N, (const void *[]){x, y},
                                                    (void *[]){z});
        for (int i = 0; i < N; i++)
            if (ulps((double)z[i], powl((long double)x[i], (long double)y[i]), true) >
                2) {
                FAIL("isa %d: pow(%g, %g) is %g, needs %g", isa, (double)x[i],
                     (double)y[i], (double)z[i], pow((double)x[i], (double)y[i]));
                break;
            }
    }
    free(x);
    free(y);
    free(z);
}

/* ---- every op on every dtype, against its scalar meaning --------------------------- */

static uint64_t interesting(wf_dtype t)
{
    static const double floats[] = {0.0,   -0.0,  1,     -1,       0.5,       -2.5,
                                    3.5,   1e30,  -1e30, INFINITY, -INFINITY, NAN,
                                    1e-42, 65504, 1e-7,  7,        100.75};
    uint64_t r = test_random(), bits = 0;

    if (t == WF_BOOL)
        return r % 3; /* any byte but 0 is true */
    if (dtype_is_float(t)) {
        double x = r % 4 ? (test_random_unit() - 0.5) * 8 : floats[r / 4 % COUNT(floats)];
        scalar_store(t, &bits, 0, (Scalar){.f = x});
        return bits;
    }
    switch (r % 5) {
    case 0: return r >> 8;
    case 1: return (uint64_t)0 - (r >> 8) % 4;
    case 2: return (uint64_t)1 << ((r >> 8) % 64);
    case 3: return ~(uint64_t)0 >> ((r >> 8) % 64);
    default: return (r >> 8) % 70;
    }
}

/* Cheap ops, and rem, have one right answer. */
static bool is_exact(unsigned op)
{
    return (op_cost(op, WF_F64) < 10 || op == OP_rem) && op != OP_rsqrt;
}

static double room_of(wf_dtype t)
{
    return t == WF_F64 ? 0x1p-50 : t == WF_F32 ? 0x1p-22 : t == WF_F16 ? 0x1p-10 : 0x1p-7;
}

static bool is_near(wf_dtype t, Scalar x, Scalar y, bool exact)
{
    if (!dtype_is_float(t))
        return x.u == y.u;
    if (isnan(x.f) || isnan(y.f))
        return isnan(x.f) && isnan(y.f);
    if (x.f == y.f)
        return signbit(x.f) == signbit(y.f);
    return !exact &&
           fabs(x.f - y.f) <= room_of(t) * fabs(y.f) + (t == WF_F16 ? 0x1p-24 : 1e-40);
}

/* The dtype of the op's result for operands of dtype t, by its type rule; WF_INVALID: it
 * does not take them. */
static wf_dtype result_of(unsigned op, wf_dtype t)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    Builder *b = builder_new(cx, "f", B_VERBATIM);
    Dim d[1] = {3};
    Val in[3], out = VAL_NONE;

    for (int i = 0; i < 3; i++)
        in[i] = b_input(b, NULL, b_make_type(b, t, d, 1));
    out = b_eqn1(b, (OpCode)op, in, (uint32_t)op_table[op].nin, NULL);
    t = wf_ctx_status(cx) ? WF_INVALID : b_dtype(b, out);
    wf_ctx_free(cx);
    return t;
}

static KEach each_of(unsigned op)
{
    return (KEach){op_row(op)->lower.real, op_row(op)->lower.whole};
}

static void check_op(const KLoops *k, int isa, unsigned code, wf_dtype t, wf_dtype to)
{
    enum { N = 523 };
    int nin = op_table[code].nin;
    size_t size = wf_dtype_size(t);
    /* one element off the start: not aligned to more than the element */
    char *in[3], *out = malloc((N + 1) * 8);
    const void *at[3];
    KType type[3] = {(KType)t, (KType)t, (KType)t};
    const int64_t dims[1] = {N}, *stride[3] = {NULL, NULL, NULL};
    KSpace room[3];
    KMap m;

    for (int a = 0; a < 3; a++) {
        in[a] = malloc((N + 1) * 8);
        at[a] = in[a] + size;
        for (int i = 0; i < N; i++) {
            uint64_t bits = interesting(t);
            memcpy(in[a] + size * (size_t)(i + 1), &bits, size);
        }
    }
    if (!kmap_init(&m, k, (KMapOp)code, each_of(code), nin, 1, type, (KType)to, 1, dims, stride, room)) {
        FAIL("isa %d: no kernel of %s for %s", isa, op_name(code), wf_dtype_name(t));
    } else {
        kmap_run(&m, at, (void *[]){out + wf_dtype_size(to)}, NULL);
        for (int i = 0; i < N; i++) {
            Scalar x[3], need, got = scalar_load(to, out, i + 1);
            uint64_t bits = 0;
            for (int a = 0; a < nin; a++)
                x[a] = scalar_load(t, in[a], i + 1);
            need = scalar_apply(code, t, x);
            scalar_store(to, &bits, 0, need);
            if (!is_near(to, got, scalar_load(to, &bits, 0), is_exact(code))) {
                FAIL("isa %d: %s of %s: (%.17g, %.17g / %llx %llx) gives %.17g / %llx, "
                     "needs %.17g / %llx",
                     isa, op_name(code), wf_dtype_name(t), x[0].f, nin > 1 ? x[1].f : 0,
                     (unsigned long long)x[0].u,
                     (unsigned long long)(nin > 1 ? x[1].u : 0), got.f,
                     (unsigned long long)got.u, need.f, (unsigned long long)need.u);
                break;
            }
        }
    }
    for (int a = 0; a < 3; a++)
        free(in[a]);
    free(out);
}

TEST(elementwise_kernels_mean_what_the_op_table_says)
{
    for (int isa = 0; k_loops_for(isa); isa++)
        for (unsigned op = 0; op < OP_COUNT; op++)
            for (wf_dtype t = WF_BOOL; t <= WF_F64; t++) {
                bool map = op_row(op)->eval == eval_map;
                wf_dtype to = map ? result_of(op, t) : WF_INVALID;

                if (to != WF_INVALID && !dtype_is_complex(to)) /* which is moved, not computed */
                    check_op(k_loops_for(isa), isa, op, t, to);
            }
}

TEST(casts_mean_what_the_op_table_says)
{
    enum { N = 1031 };
    uint64_t in[N], out[N], bits;

    for (int isa = 0; k_loops_for(isa); isa++)
        for (int from = WF_BOOL; from <= WF_F64; from++)
            for (int to = WF_BOOL; to <= WF_F64; to++) {
                for (int i = 0; i < N; i++) {
                    bits = interesting((wf_dtype)from);
                    if (from == WF_F64 && i % 3 == 0)
                        bits = (bits & 0x000fffffffffffffu) |
                               ((uint64_t)(1023 - 26 + test_random_below(52)) << 52);
                    memcpy((char *)in + (size_t)i * wf_dtype_size((wf_dtype)from), &bits,
                           wf_dtype_size((wf_dtype)from));
                }
                k_cast(k_loops_for(isa), (KType)from, (KType)to)(N, in, out);
                for (int i = 0; i < N; i++) {
                    Scalar x = scalar_load((wf_dtype)from, in, i),
                           got = scalar_load((wf_dtype)to, out, i), need;
                    bits = 0;
                    scalar_store((wf_dtype)to, &bits, 0,
                                 scalar_cast((wf_dtype)from, (wf_dtype)to, x));
                    need = scalar_load((wf_dtype)to, &bits, 0);
                    if (!is_near((wf_dtype)to, got, need, true)) {
                        FAIL("isa %d: cast of %.17g / %llx from %s to %s gives %.17g / "
                             "%llx, needs %.17g / %llx",
                             isa, x.f, (unsigned long long)x.u,
                             wf_dtype_name((wf_dtype)from), wf_dtype_name((wf_dtype)to),
                             got.f, (unsigned long long)got.u, need.f,
                             (unsigned long long)need.u);
                        break;
                    }
                }
            }
}

/* ---- shapes and strides ------------------------------------------------------------ */

typedef struct Shape {
    int rank;
    int64_t dims[4], stride[4], low, span; /* elements from first to the lowest; in all */
    int64_t count;
} Shape;

/* Random sizes; strides of a permuted array with gaps, zero (broadcast) or negative ones
 * among them. */
static Shape random_shape(int64_t most, bool zero)
{
    Shape s = {.rank = (int)test_random_below(5), .count = 1};
    int order[4] = {0, 1, 2, 3};
    int64_t step = 1;

    for (int i = 0; i < s.rank; i++) {
        s.dims[i] = (int64_t)test_random_below((uint64_t)most);
        if (s.dims[i] == 0 && test_random_below(4))
            s.dims[i] = 1;
        s.count *= s.dims[i];
    }
    for (int i = s.rank - 1; i > 0; i--) {
        int j = (int)test_random_below((uint64_t)i + 1), t = order[i];
        if (test_random_below(2))
            order[i] = order[j], order[j] = t;
    }
    s.span = 1;
    for (int i = s.rank - 1; i >= 0; i--) {
        int k = order[i];
        int64_t reach;
        s.stride[k] = step;
        step *= (s.dims[k] > 0 ? s.dims[k] : 1) + (test_random_below(3) ? 0 : 1);
        if (test_random_below(4) == 0)
            s.stride[k] = -s.stride[k];
        if (zero && test_random_below(5) == 0)
            s.stride[k] = 0;
        reach = (s.dims[k] > 0 ? s.dims[k] - 1 : 0) * s.stride[k];
        s.low += reach < 0 ? -reach : 0;
        s.span += reach < 0 ? -reach : reach;
    }
    return s;
}

static int64_t flat(const Shape *s, int64_t i)
{
    int64_t off = 0;

    for (int k = s->rank - 1; k >= 0; k--) {
        off += i % s->dims[k] * s->stride[k];
        i /= s->dims[k];
    }
    return off;
}

static void run_tasks_backwards(void *ctx, int n, void (*fn)(void *user, int i),
                                void *user)
{
    (void)ctx;
    for (int i = n - 1; i >= 0; i--)
        fn(user, i);
}

TEST(maps_take_operands_of_any_strides)
{
    for (int round = 0; round < 600; round++) {
        Shape s = random_shape(round % 10 ? 9 : 40, true), t = random_shape(9, true);
        int32_t *a, *b, *c;
        const int64_t *stride[2] = {s.stride, t.stride};
        KType type[2] = {KT_I32, KT_I32};
        KSpace room[2];
        KMap m;
        KPar par = {NULL, 3, run_tasks_backwards};

        t.rank = s.rank; /* the same shape with its own strides, computed as before */
        t.span = 1, t.low = 0;
        for (int i = 0; i < s.rank; i++) {
            int64_t reach;
            t.dims[i] = s.dims[i];
            if (!t.stride[i])
                t.stride[i] = (int64_t)test_random_below(3);
            reach = (s.dims[i] > 0 ? s.dims[i] - 1 : 0) * t.stride[i];
            t.low += reach < 0 ? -reach : 0;
            t.span += reach < 0 ? -reach : reach;
        }
        a = malloc((size_t)s.span * 4);
        b = malloc((size_t)t.span * 4);
        c = malloc((size_t)(s.count + 1) * 4);
        for (int64_t i = 0; i < s.span; i++)
            a[i] = (int32_t)test_random();
        for (int64_t i = 0; i < t.span; i++)
            b[i] = (int32_t)test_random();
        CHECK(kmap_init(&m, k_loops(), KM_sub, each_of(OP_sub), 2, 1, type, KT_I32, s.rank, s.dims, stride,
                        room));
        kmap_run(&m, (const void *[]){a + s.low, b + t.low}, (void *[]){c},
                 round % 2 ? &par : NULL);
        for (int64_t i = 0; i < s.count; i++)
            if (c[i] != (int32_t)((uint32_t)a[s.low + flat(&s, i)] -
                                  (uint32_t)b[t.low + flat(&t, i)])) {
                FAIL("round %d: element %lld differs", round, (long long)i);
                break;
            }
        free(a);
        free(b);
        free(c);
    }
}

TEST(copies_go_between_any_strides)
{
    for (int round = 0; round < 1500; round++) {
        static const size_t sizes[] = {1, 2, 4, 8};
        size_t size = sizes[round % 4];
        Shape s = random_shape(round % 20 ? 9 : 70, false), d = s;
        char *from, *to, *need;
        KMove m;
        KPar par = {NULL, 3, run_tasks_backwards};

        /* another layout of the same shape, without overlaps */
        d.low = 0, d.span = 1;
        for (int64_t step = 1, i = s.rank - 1, k; i >= 0; i--) {
            k = round % 3 ? i : s.rank - 1 - i;
            d.stride[k] = round % 5 == 0 ? -step : step;
            if (d.stride[k] < 0)
                d.low += (d.dims[k] > 0 ? d.dims[k] - 1 : 0) * step;
            d.span += (d.dims[k] > 0 ? d.dims[k] - 1 : 0) * step;
            step *= (d.dims[k] > 0 ? d.dims[k] : 1) + (round % 7 == 0);
        }
        from = malloc((size_t)s.span * size);
        to = malloc((size_t)d.span * size);
        need = malloc((size_t)d.span * size);
        for (size_t i = 0; i < (size_t)s.span * size; i++)
            from[i] = (char)test_random();
        memset(to, 0x55, (size_t)d.span * size);
        memset(need, 0x55, (size_t)d.span * size);
        for (int64_t i = 0; i < s.count; i++)
            memcpy(need + (size_t)(d.low + flat(&d, i)) * size,
                   from + (size_t)(s.low + flat(&s, i)) * size, size);
        kmove_init(&m, size, s.rank, s.dims, d.stride, s.stride);
        kmove_run(&m, to + (size_t)d.low * size, from + (size_t)s.low * size,
                  round % 2 ? &par : NULL);
        if (memcmp(to, need, (size_t)d.span * size)) {
            FAIL("round %d: a copy of %lld elements differs", round, (long long)s.count);
            break;
        }
        free(from);
        free(to);
        free(need);
    }
}

TEST(transposes_of_whole_tiles_and_rests)
{
    static const int64_t shapes[][2] = {{16, 16}, {17, 33}, {64, 130}, {131, 64}, {300, 80}};

    for (int i = 0; i < COUNT(shapes) * 4; i++) {
        int64_t n = shapes[i / 4][0], m = shapes[i / 4][1];
        size_t size = (size_t)1 << i % 4, bytes = (size_t)(n * m) * size;
        char *from = malloc(bytes), *to = malloc(bytes);
        KMove move;
        bool same = true;

        for (size_t k = 0; k < bytes; k++)
            from[k] = (char)test_random();
        kmove_init(&move, size, 2, (int64_t[]){n, m}, (int64_t[]){m, 1},
                   (int64_t[]){1, n});
        kmove_run(&move, to, from, NULL);
        for (int64_t r = 0; r < n; r++)
            for (int64_t c = 0; c < m; c++)
                same &= !memcmp(to + (size_t)(r * m + c) * size,
                                from + (size_t)(c * n + r) * size, size);
        if (!same)
            FAIL("%lld x %lld of %d bytes", (long long)n, (long long)m, (int)size);
        free(from);
        free(to);
    }
}

static Scalar combine(KFoldOp op, wf_dtype t, Scalar x, Scalar y)
{
    static const uint16_t ops[KF_COUNT] = {OP_add, OP_mul, OP_max, OP_min, OP_and, OP_or};
    unsigned code = ops[op];

    if (t == WF_BOOL)
        code = op == KF_MAX ? OP_or : op == KF_MIN ? OP_and : code;
    return scalar_apply(code, t, (Scalar[]){x, y});
}

static bool folds(KFoldOp op, wf_dtype t)
{
    return op <= KF_PROD ? t != WF_BOOL : op <= KF_MIN ? true : !dtype_is_float(t);
}

static void check_reduce(const KLoops *k, const Shape *s, KFoldOp op, wf_dtype t,
                         unsigned axes, int round)
{
    uint8_t reduced[4] = {0};
    int64_t nout = 1, need_stride[4] = {0};
    size_t size = wf_dtype_size(t);
    char *x = malloc((size_t)s->span * size), *y[2];
    bool *begun;
    Scalar *acc;
    double *size_of_sum;
    KReduce r;
    KPar par = {NULL, 3, run_tasks_backwards};

    for (int64_t i = 0; i < s->span; i++) {
        uint64_t bits = 0;
        if (dtype_is_float(t))
            scalar_store(t, &bits, 0,
                         (Scalar){.f = (op == KF_PROD ? 1 : 0) +
                                       (test_random_unit() - 0.5) * 0.25});
        else
            bits = interesting(t);
        memcpy(x + (size_t)i * size, &bits, size);
    }
    for (int i = s->rank - 1; i >= 0; i--) {
        reduced[i] = axes >> i & 1;
        if (!reduced[i]) {
            need_stride[i] = nout;
            nout *= s->dims[i];
        }
    }
    acc = malloc((size_t)(nout + 1) * sizeof *acc);
    begun = calloc((size_t)nout + 1, 1);
    size_of_sum = calloc((size_t)nout + 1, sizeof *size_of_sum);
    for (int64_t i = 0; i < s->count; i++) {
        int64_t at = 0, rest = i;
        Scalar v = scalar_load(t, x, s->low + flat(s, i));
        for (int d = s->rank - 1; d >= 0; d--) {
            at += rest % s->dims[d] * need_stride[d];
            rest /= s->dims[d];
        }
        size_of_sum[at] += dtype_is_float(t) ? fabs(v.f) : 0;
        acc[at] = begun[at] ? combine(op, t, acc[at], v) : v;
        begun[at] = true;
    }
    kreduce_init(&r, k, op, (KType)t, s->rank, s->dims, s->stride, reduced);
    for (int way = 0; way < 2; way++) {
        char *work = malloc(r.workspace + 1);
        y[way] = malloc((size_t)(nout + 1) * size);
        kreduce_run(&r, x + (size_t)s->low * size, y[way], way ? &par : NULL, work + 1);
        free(work);
    }
    CHECK(nout == 0 || !memcmp(y[0], y[1], (size_t)nout * size));
    for (int64_t i = 0; i < nout; i++) {
        static const uint16_t ops[KF_COUNT] = {OP_add, OP_mul, OP_max,
                                               OP_min, OP_and, OP_or};
        Scalar got = scalar_load(t, y[0], i),
               need = begun[i] ? acc[i] : scalar_identity(ops[op], t);
        uint64_t bits = 0;
        double tol = 0;
        if (dtype_is_float(t) &&
            op <= KF_PROD) /* roundings of f32 grow far slower than the sum of sizes */
            tol = room_of(t) * 8 * (1 + fabs(need.f)) +
                  0.05 * (t == WF_F64 ? 0x1p-53 : 0x1p-24) * size_of_sum[i];
        scalar_store(t, &bits, 0, need);
        need = scalar_load(t, &bits, 0);
        if (dtype_is_float(t) ? !(got.f == need.f || fabs(got.f - need.f) <= tol)
                              : got.u != need.u) {
            FAIL("round %d: fold %d of %s, result %lld of %lld: %g / %llx, needs %g / "
                 "%llx",
                 round, (int)op, wf_dtype_name(t), (long long)i, (long long)nout, got.f,
                 (unsigned long long)got.u, need.f, (unsigned long long)need.u);
            break;
        }
    }
    free(x);
    free(y[0]);
    free(y[1]);
    free(acc);
    free(begun);
    free(size_of_sum);
}

TEST(reductions_over_any_axes_and_strides_give_equal_bits_however_tasks_run)
{
    for (int round = 0; round < 400; round++) {
        Shape s = random_shape(round % 8 ? 11 : 45, false);
        for (int op = 0; op < KF_COUNT; op++) {
            wf_dtype t = (wf_dtype)(WF_BOOL + test_random_below(WF_F64 - WF_BOOL + 1));
            const KLoops *k = k_loops_for((int)test_random_below(3));
            if (folds((KFoldOp)op, t))
                check_reduce(k ? k : k_loops(), &s, (KFoldOp)op, t,
                             (unsigned)test_random_below(16), round);
        }
    }
}

TEST(large_reductions_are_precise)
{
    static const struct {
        int64_t dims[2];
        unsigned axes;
    } cases[] = {{{1, 600001}, 2}, {{600001, 1}, 1}, {{500, 801}, 1},
                 {{500, 801}, 2},  {{500, 801}, 3},  {{70000, 7}, 1},
                 {{7, 70000}, 2},  {{40000, 17}, 1}, {{40, 20000}, 1}};

    for (int i = 0; i < COUNT(cases); i++) {
        Shape s = {.rank = 2,
                   .dims = {cases[i].dims[0], cases[i].dims[1]},
                   .stride = {cases[i].dims[1], 1}};
        s.count = s.span = s.dims[0] * s.dims[1];
        check_reduce(k_loops(), &s, KF_SUM, WF_F32, cases[i].axes, i);
        check_reduce(k_loops(), &s, KF_SUM, WF_F16, cases[i].axes, i);
        check_reduce(k_loops(), &s, KF_MAX, WF_F64, cases[i].axes, i);
        check_reduce(k_loops(), &s, KF_SUM, WF_I32, cases[i].axes, i);
    }
}

/* ---- windows ------------------------------------------------------------------------- */

static double random_element(void)
{
    static const double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1, 1};

    return test_random_below(4) ? (double)test_random_below(7) - 3
                                : special[test_random_below(COUNT(special))];
}

/* Over the two innermost axes of f32 or f64 planes, against the general way. */
static void check_pool(const KLoops *k, KType t, int round)
{
    KWindow w = {.loops = k, .type = t, .rank = 1 + (int)test_random_below(4)};
    int64_t nx = 1, ny = 1;
    size_t size = k_size(t);
    char *x, *y[2];
    int64_t *place[2];
    KPar par = {NULL, 2, run_tasks_backwards};

    for (int i = 0; i < w.rank; i++) {
        bool outer = i < w.rank - 2;
        int64_t reach, room;
        w.x[i] = 1 + (int64_t)test_random_below(outer ? 4 : round % 9 ? 23 : 300);
        w.window[i] = outer ? 1 : 1 + (int64_t)test_random_below(4);
        w.stride[i] = outer ? 1 : 1 + (int64_t)test_random_below(3);
        w.dilation[i] = outer ? 1 : 1 + (int64_t)test_random_below(3);
        w.lo[i] = outer ? 0 : (int64_t)test_random_below(5) - 1;
        w.base[i] = 1;
        reach = (w.window[i] - 1) * w.dilation[i] + 1;
        room = w.x[i] + w.lo[i] + (int64_t)test_random_below(4) - reach;
        w.y[i] = outer ? w.x[i] : room < 0 ? 1 : room / w.stride[i] + 1;
        nx *= w.x[i];
        ny *= w.y[i];
    }
    x = malloc((size_t)nx * size);
    for (int64_t i = 0; i < nx; i++) {
        double v = random_element();
        if (t == KT_F64)
            ((double *)x)[i] = v;
        else if (t == KT_F32)
            ((float *)x)[i] = (float)v;
        else
            x[i] = (char)test_random_below(256);
    }
    for (int i = 0; i < 2; i++) {
        y[i] = malloc((size_t)ny * size);
        place[i] = malloc((size_t)ny * sizeof *place[i]);
    }
    for (int sum = 0; sum < 3; sum++) { /* 2: maxima without places */
        for (int i = 0; i < 2; i++) {   /* 0: the general way, 1: by planes */
            w.loops = i ? k : NULL;
            if (sum == 2)
                k_window_max(&w, x, y[i], NULL, &par);
            else if (sum)
                k_window_sum(&w, x, y[i], &par);
            else
                k_window_max(&w, x, y[i], place[i], &par);
        }
        for (int64_t i = 0; i < ny && check_ok(); i++) {
            double a = size == 8 ? ((double *)y[0])[i] : size == 4 ? (double)((float *)y[0])[i] : y[0][i];
            double c = size == 8 ? ((double *)y[1])[i] : size == 4 ? (double)((float *)y[1])[i] : y[1][i];
            if (sum == 1 && size > 1
                    ? !(a == c || (isnan(a) && isnan(c)))
                    : memcmp(y[0] + (size_t)i * size, y[1] + (size_t)i * size, size) != 0)
                FAIL("round %d: result %d is %g, not %g", round, (int)i, c, a);
            if (!sum)
                CHECK_EQ_INT(place[1][i], place[0][i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        free(y[i]);
        free(place[i]);
    }
    free(x);
}

TEST(windows_over_planes_are_those_of_any_axes)
{
    for (int round = 0; round < 600 && check_ok(); round++) {
        const KLoops *k = k_loops_for(round % 3);
        check_pool(k ? k : k_loops(), (KType[]){KT_F64, KT_F32, KT_U8, KT_I8}[round % 4], round);
    }
}

/* ---- scatter ------------------------------------------------------------------------- */

TEST(elements_are_added_where_indices_say_in_their_order)
{
    enum { ROWS = 100000, N = 70000 };
    int64_t *at = malloc(ROWS * sizeof *at);
    float *u = malloc(ROWS * sizeof *u), *y[3];
    int64_t near = 0;

    for (int i = 0; i < 3; i++)
        y[i] = calloc(N, sizeof *y[i]);
    for (int i = 0; i < ROWS; i++) { /* mostly neighbours, some far away or outside */
        near += (int64_t)test_random_below(3);
        at[i] =
            test_random_below(50) ? near % N : (int64_t)test_random_below(N + 20) - 10;
        u[i] = (float)test_random_below(1000) / 7;
        if (at[i] >= 0 && at[i] < N)
            y[0][at[i]] += u[i];
    }
    CHECK_EQ_INT(k_scatter_add(KT_F32, N, y[1], ROWS, at, u, NULL), 1);
    CHECK_EQ_INT(k_scatter_add(KT_F32, N, y[2], ROWS, at, u,
                               &(KPar){NULL, 3, run_tasks_backwards}),
                 1);
    CHECK(memcmp(y[0], y[1], N * sizeof *y[0]) == 0);
    CHECK(memcmp(y[0], y[2], N * sizeof *y[0]) == 0);
    CHECK_EQ_INT(k_scatter_add(KT_I32, N, y[1], ROWS, at, u, NULL), 0);
    CHECK(memcmp(y[0], y[1], N * sizeof *y[0]) == 0);
    for (int i = 0; i < 3; i++)
        free(y[i]);
    free(u);
    free(at);
}
