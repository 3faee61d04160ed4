/* test_kernels_sort.c -- sorts, the first few and running sums and the like against the ops' eval rules: every dtype,
 * any axis, keys and directions, NaN, zeros of both signs, equal elements, sizes 0 and 1,
 * rows that threads share out and long ones that are merged; equal bits for any number
 * of threads.
 */
#include "lib_check.h"

#include "kernels/nd.h"
#include "kernels/sort.h"
#include "op/op.h"
#include "op/scalar.h"

#include <math.h>
#include <stdlib.h>

static void run_backwards(void *ctx, int n, void (*fn)(void *user, int i), void *user)
{
    (void)ctx;
    while (n-- > 0)
        fn(user, n);
}

/* Few different values, so that there are equals; bits of all kinds among them. */
static void fill(KType type, int64_t n, char *x)
{
    size_t size = k_size(type);

    for (int64_t i = 0; i < n; i++) {
        uint64_t v = test_random_below(3) ? test_random_below(6)
                                          : test_random_below(1u << 30) << 34;

        if (type == KT_BOOL)
            v &= 1;
        else if (test_random_below(4) == 0) /* NaN, -0, negative numbers */
            v = test_random_below(2) ? UINT64_MAX : 1ull << (8 * size - 1);
        else if (v > 5)
            v >>= 64 - 8 * size;
        memcpy(x + (size_t)i * size, &v, size);
    }
}

typedef struct Arrays {
    uint32_t n;
    Nd in[3], out[3], other[3];
} Arrays;

static void arrays_open(Arrays *a, uint32_t n, const KType *type, uint32_t rank,
                        const int64_t *dims)
{
    int64_t count = k_count((int)rank, dims);

    a->n = n;
    for (uint32_t i = 0; i < n; i++) {
        Nd x = {(wf_dtype)type[i], rank, dims, count, NULL};
        size_t bytes = (size_t)count * k_size(type[i]) + 1;

        a->in[i] = a->out[i] = a->other[i] = x;
        a->in[i].data = malloc(bytes);
        a->out[i].data = calloc(1, bytes);
        a->other[i].data = calloc(1, bytes);
        fill(type[i], count, a->in[i].data);
    }
}

static bool arrays_equal(const Arrays *a)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (memcmp(a->out[i].data, a->other[i].data,
                   (size_t)a->in[i].count * k_size((KType)a->in[i].dtype)) != 0)
            return false;
    return true;
}

static void arrays_close(Arrays *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        free(a->in[i].data);
        free(a->out[i].data);
        free(a->other[i].data);
    }
}

static void eval_op(wf_ctx *cx, Arrays *a, uint16_t op, const void *attr)
{
    Eval e = {.cx = cx,
              .a = &cx->scratch,
              .row = op_row(op),
              .op = op,
              .nin = a->n,
              .nout = a->n,
              .in = a->in,
              .out = a->out,
              .attr = attr};

    CHECK(e.row->eval(&e));
}

static void check_sort(wf_ctx *cx, uint32_t n, uint32_t keys, const KType *type,
                       const int64_t *down, uint32_t rank, const int64_t *dims,
                       uint32_t axis)
{
    Arrays a;
    SortAttr attr = {.axis = axis, .keys = keys, .descending = {keys, down}};
    const void *in[3];
    void *out[3];
    uint8_t turned[3] = {down[0] != 0, down[1] != 0, down[2] != 0};
    int64_t count = k_count((int)rank, dims);

    arrays_open(&a, n, type, rank, dims);
    eval_op(cx, &a, OP_sort, &attr);
    for (uint32_t i = 0; i < n; i++) {
        in[i] = a.in[i].data;
        out[i] = a.other[i].data;
    }
    for (int threads = 1; threads <= 5; threads += 2) {
        KPar par = {NULL, threads, run_backwards};
        KSort s = {.count = (int)n,
                   .keys = (int)keys,
                   .type = type,
                   .down = turned,
                   .n = dims[axis],
                   .lines = count ? count / dims[axis] : 0,
                   .inner = k_count((int)(rank - axis - 1), dims + axis + 1)};
        void *work;

        ksort_init(&s, threads);
        work = malloc(s.workspace + 1);
        ksort_run(&s, in, out, &par, work);
        free(work);
        if (!arrays_equal(&a))
            check_fail(__FILE__, __LINE__, "dtype %d, %u keys, %d threads, axis %u of %d",
                       (int)type[0], keys, threads, axis, (int)dims[axis]);
    }
    arrays_close(&a);
}

XTEST(sorts_are_those_of_the_op_table_for_any_number_of_threads)
{
    static const int64_t shapes[][3] = {{3, 70, 5}, {1, 1, 1},    {0, 3, 2},
                                        {2, 0, 3},  {40, 900, 1}, {1, 200, 300},
                                        {7, 48, 49}};

    for (int t = KT_BOOL; t <= KT_F64; t++)
        for (int i = 0; i < COUNT(shapes) && check_ok(); i++)
            for (uint32_t keys = 1; keys <= 3; keys++) {
                KType type[3] = {(KType)t, (KType)(1 + test_random_below(KT_F64)),
                                 (KType)(1 + test_random_below(KT_F64))};
                int64_t down[3];

                for (int k = 0; k < 3; k++)
                    down[k] = (int64_t)test_random_below(2);
                check_sort(cx, 3, keys, type, down, 3, shapes[i],
                           (uint32_t)test_random_below(3));
            }
}

XTEST(long_lines_are_merged_from_runs)
{
    static const KType types[][3] = {{KT_F32, KT_I32, KT_U8}, {KT_F64, KT_F16, KT_I64}};

    for (int i = 0; i < COUNT(types); i++)
        for (int64_t lines = 1; lines <= 2; lines++)
            check_sort(cx, 3, 2, types[i], (int64_t[3]){i, 1, 0}, 2,
                       (int64_t[]){lines, 4 * K_TASK + 77}, 1);
}

/* Small numbers, so that products and recurrences stay in range; NaN among extremes. */
static void fill_small(KType type, int64_t n, void *x, bool nan)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t v = (int64_t)test_random_below(5) - 2;

        if (type < KT_F16)
            scalar_store((wf_dtype)type, x, k,
                         scalar_int((wf_dtype)type, type == KT_BOOL ? v & 1 : v));
        else
            scalar_store(
                (wf_dtype)type, x, k,
                (Scalar){.f = nan && test_random_below(9) == 0 ? NAN : (double)v / 2});
    }
}

/* Kernel against rule, for any number of threads. */
static void check_cum(wf_ctx *cx, uint16_t op, KCumOp way, KType type, const int64_t *d,
                      uint32_t axis)
{
    bool extreme = way == KC_MAX || way == KC_MIN;
    CumExtremeAttr attr = {.axis = axis, .reverse = test_random_below(2) != 0};
    int64_t count = k_count(3, d);
    size_t bytes = (size_t)count * k_size(type);
    Nd in[2], out[2];
    Eval e = {.cx = cx,
              .a = &cx->scratch,
              .row = op_row(op),
              .op = op,
              .nin = way == KC_RECUR ? 2 : 1,
              .nout = extreme ? 2 : 1,
              .in = in,
              .out = out,
              .attr = &attr};
    KCum cum = {way,          type,
                attr.reverse, k_count((int)axis, d),
                d[axis],      k_count((int)(2 - axis), d + axis + 1)};
    void *y = calloc(1, bytes + 1);
    int64_t *place = calloc((size_t)count + 1, sizeof *place);

    for (int i = 0; i < 2; i++) {
        in[i] = (Nd){(wf_dtype)type, 3, d, count, malloc(bytes + 1)};
        fill_small(type, count, in[i].data, extreme);
        out[i] =
            (Nd){i ? WF_I64 : (wf_dtype)type, 3, d, count, calloc((size_t)count + 1, 8)};
    }
    CHECK(e.row->eval(&e));
    for (int threads = 1; threads <= 3; threads += 2) {
        KPar par = {NULL, threads, run_backwards};

        if (count)
            k_cumulate(&cum, in[0].data, in[1].data, y, extreme ? place : NULL, &par);
        if (memcmp(y, out[0].data, bytes) != 0 ||
            (extreme && memcmp(place, out[1].data, (size_t)count * 8) != 0))
            check_fail(__FILE__, __LINE__, "%s, dtype %d, axis %u of %d", op_name(op),
                       (int)type, axis, (int)d[axis]);
    }
    for (int i = 0; i < 2; i++) {
        free(in[i].data);
        free(out[i].data);
    }
    free(y);
    free(place);
}

XTEST(running_combinations_are_those_of_the_op_table_along_any_axis)
{
    static const int64_t shapes[][3] = {{3, 70, 5}, {1, 1, 1},  {0, 3, 2},
                                        {2, 0, 3},  {9, 11, 1}, {40, 30, 67}};
    static const struct {
        uint16_t op;
        KCumOp way;
        int first;
    } ops[] = {{OP_cumprod, KC_PROD, KT_I8},
               {OP_cumlogsumexp, KC_LOG_SUM, KT_F16},
               {OP_cummax, KC_MAX, KT_BOOL},
               {OP_cummin, KC_MIN, KT_BOOL},
               {OP_recur, KC_RECUR, KT_I8}};

    for (int o = 0; o < COUNT(ops); o++)
        for (int t = ops[o].first; t <= KT_F64; t++)
            for (int i = 0; i < COUNT(shapes) && check_ok(); i++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    check_cum(cx, ops[o].op, ops[o].way, (KType)t, shapes[i], axis);
}

XTEST(the_first_few_are_those_of_the_op_table)
{
    static const int64_t shapes[][3] = {
        {3, 70, 5}, {1, 1, 1}, {0, 3, 2}, {9, 11, 1}, {2, 900, 30}};

    for (int t = KT_BOOL; t <= KT_F64; t++)
        for (int i = 0; i < COUNT(shapes) && check_ok(); i++) {
            const int64_t *d = shapes[i];
            int64_t k = 1 + (int64_t)test_random_below((uint64_t)MIN(d[1], 20)),
                    to[3] = {d[0], k, d[2]};
            int64_t count = k_count(3, d), nout = k_count(3, to);
            TopAttr attr = {1, k, test_random_below(2) != 0};
            size_t size = k_size((KType)t);
            Nd in = {(wf_dtype)t, 3, d, count, malloc((size_t)count * size + 1)};
            Nd out[2] = {{(wf_dtype)t, 3, to, nout, calloc((size_t)nout + 1, 8)},
                         {WF_I64, 3, to, nout, calloc((size_t)nout + 1, 8)}};
            Eval e = {.cx = cx,
                      .a = &cx->scratch,
                      .row = op_row(OP_top_k),
                      .op = OP_top_k,
                      .nin = 1,
                      .nout = 2,
                      .in = &in,
                      .out = out,
                      .attr = &attr};
            void *y = calloc((size_t)nout + 1, 8);
            int64_t *place = calloc((size_t)nout + 1, 8);

            fill((KType)t, count, in.data);
            CHECK(e.row->eval(&e));
            for (int threads = 1; threads <= 3; threads += 2) {
                KPar par = {NULL, threads, run_backwards};
                KTop top = {.type = (KType)t,
                            .largest = attr.largest,
                            .lines = d[0] * d[2],
                            .n = d[1],
                            .inner = d[2],
                            .k = k};
                void *work;

                ktop_init(&top, threads);
                work = malloc(top.workspace + 1);
                ktop_run(&top, in.data, y, place, &par, work);
                free(work);
                if (memcmp(y, out[0].data, (size_t)nout * size) != 0 ||
                    memcmp(place, out[1].data, (size_t)nout * 8) != 0)
                    check_fail(__FILE__, __LINE__, "dtype %d, %d of %d", t, (int)k,
                               (int)d[1]);
            }
            free(in.data);
            free(out[0].data);
            free(out[1].data);
            free(y);
            free(place);
        }
}

XTEST(running_sums_are_those_of_the_op_table_along_any_axis)
{
    static const int64_t shapes[][3] = {{3, 70, 5}, {1, 1, 1},     {0, 3, 2},   {2, 0, 3},
                                        {9, 11, 1}, {3, 130, 200}, {700, 3, 67}};

    for (int t = KT_I8; t <= KT_F64; t++)
        for (int i = 0; i < COUNT(shapes); i++)
            for (uint32_t axis = 0; axis < 3; axis++) {
                const int64_t *d = shapes[i];
                CumAttr attr = {.axis = axis, .reverse = test_random_below(2) != 0};
                KPar par = {NULL, 3, run_backwards};
                KType type = (KType)t;
                Arrays a;

                arrays_open(&a, 1, &type, 3, d);
                for (int64_t k = 0; t >= KT_F16 && k < a.in[0].count; k++)
                    scalar_store((wf_dtype)t, a.in[0].data, k,
                                 (Scalar){.f = (double)test_random_below(1000) / 8 - 50});
                eval_op(cx, &a, OP_cumsum, &attr);
                if (a.in[0].count) {
                    KCum cum = {KC_SUM,       type,
                                attr.reverse, k_count((int)axis, d),
                                d[axis],      k_count((int)(2 - axis), d + axis + 1)};

                    k_cumulate(&cum, a.in[0].data, NULL, a.other[0].data, NULL, &par);
                }
                if (!arrays_equal(&a))
                    check_fail(__FILE__, __LINE__, "dtype %d, axis %u, shape %d", t, axis,
                               i);
                arrays_close(&a);
            }
}
