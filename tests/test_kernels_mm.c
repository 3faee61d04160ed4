/* test_kernels_mm.c -- matrix multiplication and convolution kernels against plain loops
 * in f64, for every instruction set of the machine, any strides, types and thread counts.
 *
 * Each case runs with several numbers of threads and must give the same bits each time, leave alone
 * what lies between and around C's elements, and stay inside its workspace. */
#include "test.h"

#include "base/base.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GUARD      64
#define GUARD_BYTE 0xA5

static int64_t below(int64_t n) { return (int64_t)test_random_below((uint64_t)n); }
static int64_t between(int64_t lo, int64_t hi) { return lo + below(hi - lo + 1); }
static int chance(int64_t n) { return below(n) == 0; }

static int64_t type_size(KType t) { return t == KT_F64 ? 8 : t == KT_F32 ? 4 : 2; }

static double get(KType t, const void *p, int64_t i)
{
    char b[8];

    memcpy(b, (const char *)p + i * type_size(t), (size_t)type_size(t));
    if (t == KT_F64) {
        double x;
        memcpy(&x, b, 8);
        return x;
    }
    if (t == KT_F32) {
        float x;
        memcpy(&x, b, 4);
        return (double)x;
    }
    uint16_t h;
    memcpy(&h, b, 2);
    return (double)(t == KT_F16 ? f16_to_f32(h) : bf16_to_f32(h));
}

static void put(KType t, void *p, int64_t i, double x)
{
    float f = (float)x;
    uint16_t h = t == KT_F16 ? f16_from_f64(x) : t == KT_BF16 ? bf16_from_f64(x) : 0;
    const void *src = t == KT_F64   ? (const void *)&x
                      : t == KT_F32 ? (const void *)&f
                                    : &h;

    memcpy((char *)p + i * type_size(t), src, (size_t)type_size(t));
}

/* An array with room before and after the elements, at any alignment of the element. */
typedef struct Buf {
    KType type;
    char *mem;
    size_t size;
    int64_t n;
    char *p; /* element 0 */
} Buf;

static Buf buf_new(KType type, int64_t n)
{
    Buf b = {.type = type, .n = n};

    b.size = (size_t)(n * type_size(type) + 2 * GUARD + 64);
    b.mem = aligned_alloc(64, (b.size + 63) & ~(size_t)63);
    memset(b.mem, GUARD_BYTE, b.size);
    b.p = b.mem + GUARD + below(16) * type_size(type) % 64;
    return b;
}

static void buf_fill(Buf *b)
{
    for (int64_t i = 0; i < b->n; i++)
        put(b->type, b->p, i, (double)(below(2001) - 1000) / 512);
}

/* An input: nothing after the last element, so that a sanitizer sees reads beyond it. */
static Buf buf_random(KType type, int64_t n)
{
    int64_t shift = below(16) * type_size(type);
    Buf b = {.type = type, .n = n, .size = (size_t)(shift + n * type_size(type))};

    b.mem = malloc(b.size ? b.size : 1);
    b.p = b.mem + shift;
    buf_fill(&b);
    return b;
}

static Buf buf_random_guarded(KType type, int64_t n)
{
    Buf b = buf_new(type, n);

    buf_fill(&b);
    return b;
}

static void buf_free(Buf *b) { free(b->mem); }

/* ---- running with several threads ------------------------------------------------- */

static Pool *pool;

static void run_pool(void *ctx, int n, void (*fn)(void *user, int i), void *user)
{
    pool_run(ctx, n, fn, user);
}

static KPar par_of(int threads)
{
    if (!pool)
        pool = pool_new(&alloc_default, 4);
    return (KPar){pool, threads, run_pool};
}

typedef struct Workspace {
    size_t size;
    char *p;
} Workspace;

static Workspace workspace_new(size_t size)
{
    Workspace w = {size, malloc(size + GUARD + 8)};

    memset(w.p, 0xFF, size); /* NaN, should it be used as it is */
    memset(w.p + size, GUARD_BYTE, GUARD);
    return w;
}

static void workspace_check(Workspace *w, const char *what)
{
    for (int i = 0; i < GUARD; i++) {
        if ((unsigned char)w->p[w->size + (size_t)i] != GUARD_BYTE) {
            FAIL("%s writes beyond its workspace of %zu bytes", what, w->size);
            break;
        }
    }
    free(w->p);
}

/* ---- matmul ----------------------------------------------------------------------- */

typedef struct Case {
    KMatmul x;
    Buf a, b, c;
    Buf bias_m, bias_n;
    double *sum, *size; /* sum_k a*b and sum_k |a*b| of each element, made once */
    char text[300];
} Case;

/* Strides for an r x c matrix in one of several layouts; *size: elements needed. */
static void random_layout(int64_t r, int64_t c, int kind, int64_t *row, int64_t *col,
                          int64_t *size)
{
    int64_t gap = kind >= 2 ? between(0, 3) : 0;

    if (kind % 2 == 0) {
        *col = kind == 4 ? 2 : 1;
        *row = c * *col + gap;
        *size = r * *row;
    } else {
        *row = kind == 5 ? 3 : 1;
        *col = r * *row + gap;
        *size = c * *col;
    }
}

static void case_batches(KMatmul *x, int64_t *na, int64_t *nb, int64_t *nc)
{
    bool big = x->m * x->n * x->k > 500000;

    x->nbatch = chance(3) ? (int)between(1, big ? 1 : 3) : 0;
    for (int d = x->nbatch - 1; d >= 0; d--) {
        x->batch[d] = between(chance(20) ? 0 : 1, big ? 2 : 4);
        x->a_batch[d] = chance(4) ? 0 : *na;
        x->b_batch[d] = chance(4) ? 0 : *nb;
        x->c_batch[d] = *nc;
        if (x->a_batch[d])
            *na *= MAX(1, x->batch[d]);
        if (x->b_batch[d])
            *nb *= MAX(1, x->batch[d]);
        *nc *= MAX(1, x->batch[d]);
    }
}

static void case_make(Case *t, int64_t m, int64_t n, int64_t k, bool f64, bool fancy)
{
    static const KType narrow[] = {KT_F32, KT_F16, KT_BF16};
    KMatmul *x = &t->x;
    int64_t na, nb, nc;
    int ka = fancy ? (int)below(6) : 0, kb = fancy ? (int)below(6) : 0;
    int kc = fancy ? (int)below(6) : 0;

    memset(t, 0, sizeof *t);
    x->a_type = f64 ? KT_F64 : fancy && chance(3) ? narrow[below(3)] : KT_F32;
    x->b_type = f64 ? KT_F64 : fancy && chance(3) ? narrow[below(3)] : KT_F32;
    x->c_type = f64 ? KT_F64 : fancy && chance(3) ? narrow[below(3)] : KT_F32;
    x->m = m, x->n = n, x->k = k;
    random_layout(m, k, ka, &x->a_row, &x->a_col, &na);
    random_layout(k, n, kb, &x->b_row, &x->b_col, &nb);
    random_layout(m, n, kc, &x->c_row, &x->c_col, &nc);
    if (fancy)
        case_batches(x, &na, &nb, &nc);
    x->accumulate = fancy && chance(3);
    t->a = buf_random(x->a_type, na);
    t->b = buf_random(x->b_type, nb);
    t->c = buf_random_guarded(x->c_type, nc);
    t->bias_m = buf_random(f64 ? KT_F64 : KT_F32, m);
    t->bias_n = buf_random(f64 ? KT_F64 : KT_F32, n);
    x->a = t->a.p, x->b = t->b.p, x->c = t->c.p;
    if (fancy && chance(8) && m > 0 && k > 0) { /* rows of A backwards */
        x->a = t->a.p + (m - 1) * x->a_row * type_size(x->a_type);
        x->a_row = -x->a_row;
    }
    if (fancy && chance(3))
        x->epilogue.bias_m = t->bias_m.p;
    if (fancy && chance(3))
        x->epilogue.bias_n = t->bias_n.p;
    x->epilogue.relu = fancy && chance(3);
    if (fancy && chance(4))
        x->epilogue.scale = chance(2) ? -0.5 : 0.125;
    snprintf(t->text, sizeof t->text,
             "m=%d n=%d k=%d types %d %d %d layouts %d %d %d batch %d acc %d bias %d %d "
             "relu %d",
             (int)m, (int)n, (int)k, x->a_type, x->b_type, x->c_type, ka, kb, kc,
             x->nbatch, x->accumulate, x->epilogue.bias_m != NULL,
             x->epilogue.bias_n != NULL, x->epilogue.relu);
}

static void case_free(Case *t)
{
    buf_free(&t->a), buf_free(&t->b), buf_free(&t->c);
    buf_free(&t->bias_m), buf_free(&t->bias_n);
    free(t->sum), free(t->size);
}

typedef double (*After)(double x, int64_t batch, int64_t i, int64_t j);

static int64_t batch_offset(const KMatmul *x, const int64_t *step, int64_t index)
{
    int64_t off = 0;

    for (int d = x->nbatch - 1; d >= 0; d--) {
        off += index % x->batch[d] * step[d];
        index /= x->batch[d];
    }
    return off;
}

static double unit_of(KType t)
{
    return t == KT_F64 ? 0x1p-53 : t == KT_F32 ? 0x1p-24 : t == KT_F16 ? 0x1p-11 : 0x1p-8;
}

static int64_t batch_total(const KMatmul *x)
{
    int64_t count = 1;

    for (int d = 0; d < x->nbatch; d++)
        count *= x->batch[d];
    return count;
}

static void case_sums(Case *t)
{
    const KMatmul *x = &t->x;
    int64_t each = x->m * x->n, count = batch_total(x) * each;
    double *a = malloc((size_t)(x->k + 1) * 8);

    t->sum = calloc((size_t)count + 1, 8);
    t->size = calloc((size_t)count + 1, 8);
    for (int64_t r = 0; x->n > 0 && r < count / x->n; r++) {
        int64_t b = r / x->m, i = r % x->m,
                ao = batch_offset(x, x->a_batch, b) + i * x->a_row;

        for (int64_t k = 0; k < x->k; k++)
            a[k] = get(x->a_type, x->a, ao + k * x->a_col);
        for (int64_t j = 0; j < x->n; j++) {
            int64_t bo = batch_offset(x, x->b_batch, b) + j * x->b_col;

            for (int64_t k = 0; k < x->k; k++) {
                double v = a[k] * get(x->b_type, x->b, bo + k * x->b_row);

                t->sum[r * x->n + j] += v;
                t->size[r * x->n + j] += fabs(v);
            }
        }
    }
    free(a);
}

/* Compares C in `got` with the reference; `before` is what C held. */
static void case_check(const Case *t, const char *before, const char *got, After after,
                       const char *isa)
{
    const KMatmul *x = &t->x;
    int64_t count = batch_total(x), na = x->m * x->n;
    int64_t c0 = t->c.p - t->c.mem, size = type_size(x->c_type);
    char *mask = calloc(1, t->c.size);
    bool f64 = x->c_type == KT_F64;

    for (int64_t e = 0; e < count * na; e++) {
        int64_t b = e / na, i = e % na / x->n, j = e % x->n;
        int64_t co = batch_offset(x, x->c_batch, b) + i * x->c_row + j * x->c_col;
        double sum = t->sum[e], size_sum = t->size[e], have,
               unit = f64 ? 0x1p-53 : 0x1p-24;

        if (x->accumulate)
            sum += get(x->c_type, before + c0, co);
        if (x->epilogue.scale != 0)
            sum *= x->epilogue.scale;
        if (x->epilogue.bias_m)
            sum += get(t->bias_m.type, t->bias_m.p, i);
        if (x->epilogue.bias_n)
            sum += get(t->bias_n.type, t->bias_n.p, j);
        if (x->epilogue.relu && sum < 0)
            sum = 0;
        if (after)
            sum = after(sum, b, i, j), size_sum = 4 * size_sum + fabs(sum);
        have = get(x->c_type, got + c0, co);
        memset(mask + c0 + co * size, 1, (size_t)size);
        if (!(fabs(have - sum) <= unit * (double)(x->k + 8) * (size_sum + fabs(sum) + 8) +
                                      2 * unit_of(x->c_type) * fabs(sum) + 1e-7 * !f64)) {
            FAIL("%s %s: C[%d][%d,%d] is %.9g, not %.9g", isa, t->text, (int)b, (int)i,
                 (int)j, have, sum);
            break;
        }
    }
    for (size_t i = 0; i < t->c.size; i++) {
        if (!mask[i] && got[i] != before[i]) {
            FAIL("%s %s: byte %d outside C changed", isa, t->text, (int)i - (int)c0);
            break;
        }
    }
    free(mask);
}

static int64_t packed_runs;

/* With B packed once: the bits of `first`, and B is read no more. */
static void case_packed(Case *t, const Kernels *k, int threads, const char *before,
                        const char *first, const char *isa)
{
    KMatmul x = t->x;
    KPar par = par_of(threads);
    size_t size = kernels_matmul_packed_size(k, &x);
    Workspace b, w;

    if (size == 0)
        return;
    b = workspace_new(size);
    kernels_matmul_pack(k, &x, &par, b.p);
    x.packed = b.p;
    x.b = NULL;
    w = workspace_new(kernels_matmul_workspace(k, &x, threads));
    memcpy(t->c.mem, before, t->c.size);
    CHECK(kernels_matmul(k, &x, &par, w.p) == 1);
    workspace_check(&w, t->text);
    if (memcmp(first, t->c.mem, t->c.size))
        FAIL("%s %s: other bits with B packed, %d threads", isa, t->text, threads);
    workspace_check(&b, t->text);
    packed_runs++;
}

static const int counts[] = {1, 2, 3, 4, 16}; /* of threads */

static void case_run(Case *t, After after, bool deep)
{
    char *before = malloc(t->c.size), *first = malloc(t->c.size);

    memcpy(before, t->c.mem, t->c.size);
    case_sums(t);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const Kernels *k = kernels_for(isa);

        for (int i = 0; k && i < (deep ? COUNT(counts) : 2); i++) {
            int threads = counts[i];
            KPar par = par_of(threads);
            Workspace w = workspace_new(kernels_matmul_workspace(k, &t->x, threads));

            if (threads == 1)
                par.run = NULL;
            memcpy(t->c.mem, before, t->c.size);
            CHECK(kernels_matmul(k, &t->x, &par, w.p) == 1);
            workspace_check(&w, t->text);
            if (threads == 1) {
                memcpy(first, t->c.mem, t->c.size);
                case_check(t, before, first, after, isa_name((Isa)isa));
            } else if (memcmp(first, t->c.mem, t->c.size)) {
                FAIL("%s %s: other bits with %d threads", isa_name((Isa)isa), t->text,
                     threads);
            }
            if (!after)
                case_packed(t, k, threads + threads / 4, before, first,
                            isa_name((Isa)isa));
        }
    }
    memcpy(t->c.mem, before, t->c.size);
    free(before);
    free(first);
}

static void check_shape(int64_t m, int64_t n, int64_t k, bool f64, bool fancy)
{
    Case t;

    case_make(&t, m, n, k, f64, fancy);
    case_run(&t, NULL, m * n * k > 20000);
    case_free(&t);
}

TEST(matmul_of_small_random_shapes_matches_plain_loops)
{
    for (int i = 0; i < 1500 && check_ok(); i++)
        check_shape(between(0, 40), between(0, 40), between(0, 40), chance(3), true);
}

TEST(matmul_of_every_tile_size_matches_plain_loops)
{
    for (int64_t m = 1; m <= 30 && check_ok(); m++) {
        check_shape(m, 3 * m + 1, 17, false, false);
        check_shape(m, 70 - m, 9, true, false);
        check_shape(m, 64, 64, false, false);
    }
    for (int64_t n = 1; n <= 66 && check_ok(); n++)
        check_shape(29, n, 11, chance(2), false);
}

TEST(matmul_of_long_sums_is_blocked_and_split_rightly)
{
    static const int64_t shape[][3] = {
        {5, 7, 1031},   {33, 65, 1100}, {16, 16, 5000}, {1, 1, 20011},  {1, 300, 9001},
        {100, 70, 600}, {30, 48, 2100}, {2, 70, 4099},  {60, 150, 530}, {300, 3, 1100},
        {9, 9, 20000},  {1, 5000, 64},  {8, 600, 700},  {3, 500, 8200}, {257, 65, 513},
        {530, 90, 520}, {90, 530, 520}, {650, 280, 90}, {200, 310, 700}};

    for (int i = 0; i < COUNT(shape) && check_ok(); i++) {
        check_shape(shape[i][0], shape[i][1], shape[i][2], false, false);
        check_shape(shape[i][0], shape[i][1], shape[i][2], chance(4), true);
        check_shape(shape[i][0], shape[i][1], shape[i][2], chance(4), true);
    }
}

TEST(matmul_of_thin_shapes_matches_plain_loops)
{
    for (int i = 0; i < 300 && check_ok(); i++) {
        int64_t thin = between(1, 9), n = between(1, 300), k = between(1, 300);

        check_shape(chance(2) ? thin : n, chance(2) ? n : thin, k, chance(3), true);
    }
}

TEST(matmul_of_power_of_two_strides_matches_plain_loops)
{
    check_shape(40, 1024, 64, false, false);
    check_shape(70, 64, 1024, false, false);
    check_shape(48, 512, 512, true, false);
}

TEST(matmul_with_b_packed_once_has_the_same_bits)
{
    static const int64_t shape[][3] = {
        {32, 1024, 256}, {33, 129, 300},  {300, 1030, 40}, {17, 40, 2500},
        {20, 70, 5000},  {520, 260, 270}, {9, 2000, 33},   {700, 33, 1025},
        {48, 500, 130},  {64, 700, 90}};

    packed_runs = 0;
    for (int i = 0; i < COUNT(shape) && check_ok(); i++) {
        check_shape(shape[i][0], shape[i][1], shape[i][2], false, false);
        check_shape(shape[i][0], shape[i][1], shape[i][2], true, false);
        for (int round = 0; round < 4 && check_ok(); round++)
            check_shape(shape[i][0], shape[i][1], shape[i][2], chance(4), true);
    }
    CHECK(packed_runs > 2 * COUNT(shape));
}

/* ---- the tile callback ------------------------------------------------------------ */

static double twice_plus_place(double x, int64_t batch, int64_t i, int64_t j)
{
    return 2 * x + (double)(i - 2 * j + 3 * batch);
}

typedef struct Seen {
    int64_t m, n;
    bool f64;
    atomic_int *count; /* for each element */
} Seen;

static void on_tile(void *user, const KTile *t)
{
    Seen *s = user;

    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t j = 0; j < t->cols; j++) {
            int64_t row = t->row + i, col = t->col + j, at = i * t->ld + j;

            atomic_fetch_add(&s->count[(t->batch * s->m + row) * s->n + col], 1);
            if (s->f64)
                ((double *)t->c)[at] =
                    twice_plus_place(((double *)t->c)[at], t->batch, row, col);
            else
                ((float *)t->c)[at] = (float)twice_plus_place((double)((float *)t->c)[at],
                                                              t->batch, row, col);
        }
    }
}

TEST(matmul_calls_back_once_for_every_element)
{
    for (int round = 0; round < 60 && check_ok(); round++) {
        Case t;
        Seen s;
        int64_t total = 1, runs = 0;
        int64_t big = chance(6) ? 5000 : 50;

        s.m = between(1, 80), s.n = between(1, 80), s.f64 = chance(3);
        case_make(&t, s.m, s.n, between(1, big), s.f64, true);
        total = batch_total(&t.x);
        s.count = calloc((size_t)(total * s.m * s.n + 1), sizeof *s.count);
        t.x.epilogue.tile = on_tile;
        t.x.epilogue.user = &s;
        case_run(&t, twice_plus_place, true);
        for (int isa = 0; isa < ISA_COUNT; isa++)
            runs += kernels_for(isa) ? COUNT(counts) : 0;
        for (int64_t i = 0; i < total * s.m * s.n && check_ok(); i++)
            CHECK_EQ_INT(s.count[i], runs);
        free(s.count);
        case_free(&t);
    }
}

TEST(matmul_relu_keeps_nan_and_empty_sums_are_the_epilogue_of_zero)
{
    float a[2] = {NAN, -1}, b[1] = {1}, c[2] = {5, 5}, bias[2] = {3, -4};
    char ws[8192];
    KPar par = {NULL, 1, NULL};

    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const Kernels *k = kernels_for(isa);
        KMatmul x = {KT_F32, KT_F32, KT_F32, 0, 2, 1, 1, a,          1,
                     1,      b,      1,      1, c, 1, 1, .nbatch = 0};

        if (!k)
            continue;
        REQUIRE(kernels_matmul_workspace(k, &x, 1) <= sizeof ws);
        x.epilogue.relu = 1;
        kernels_matmul(k, &x, &par, ws);
        CHECK(isnan(c[0]) && c[1] == 0);
        x.k = 0;
        x.epilogue.bias_m = bias;
        REQUIRE(kernels_matmul_workspace(k, &x, 1) <= sizeof ws);
        kernels_matmul(k, &x, &par, ws);
        CHECK(c[0] == 3 && c[1] == 0);
    }
}

TEST(matmul_has_no_kernel_for_mixed_f64_and_integers)
{
    KMatmul x = {KT_F32, KT_F64, KT_F32, 0, 1,    1, 1, NULL,       1,
                 1,      NULL,   1,      1, NULL, 1, 1, .nbatch = 0};
    KPar par = {NULL, 1, NULL};

    CHECK(kernels_matmul(kernels_best(), &x, &par, NULL) == 0);
    x.a_type = x.b_type = x.c_type = KT_I32;
    CHECK(kernels_matmul(kernels_best(), &x, &par, NULL) == 0);
}

/* Numbers of a half type, halfway between two, and next to that. */
static float near_half(KType t, int i)
{
    uint16_t lo = (uint16_t)i, hi = (uint16_t)(i + 1);
    double x = get(t, &lo, 0), y = get(t, &hi, 0), mid = (x + y) / 2;
    int64_t kind = below(4);

    if (!isfinite(x) || !isfinite(y) || kind == 0)
        return (float)x;
    return kind == 1   ? (float)mid
           : kind == 2 ? nextafterf((float)mid, INFINITY)
                       : nextafterf((float)mid, -INFINITY);
}

enum { HALVES = 65536 };

/* C = A * [1]: every element of A narrowed. */
static void check_narrowing(const Kernels *k, KType t, const char *isa)
{
    float *f = malloc(HALVES * 4), one = 1;
    uint16_t *c = malloc(HALVES * 2);
    char *ws = malloc(1 << 21);
    KMatmul x = {KT_F32, KT_F32, t, 0, HALVES, 1, 1, f,          1,
                 1,      &one,   1, 1, c,      1, 1, .nbatch = 0};
    KPar par = {NULL, 1, NULL};

    for (int i = 0; i < HALVES; i++)
        f[i] = near_half(t, i);
    REQUIRE(kernels_matmul_workspace(k, &x, 1) <= 1 << 21);
    kernels_matmul(k, &x, &par, ws);
    for (int i = 0; i < HALVES && check_ok(); i++) {
        uint16_t want = t == KT_F16 ? f16_from_f32(f[i]) : bf16_from_f32(f[i]);

        if (isnan(f[i]) ? !isnan(get(t, c, i)) : c[i] != want)
            FAIL("%s: %a narrows to %04x, not %04x", isa, (double)f[i], c[i], want);
    }
    free(f), free(c), free(ws);
}

/* C = A * identity: every finite element of A widened. */
static void check_widening(const Kernels *k, KType t, const char *isa)
{
    float *f = malloc(HALVES * 4), *eye = calloc(64 * 64, 4);
    uint16_t *a = malloc(HALVES * 2);
    char *ws = malloc(1 << 21);
    KMatmul x = {t, KT_F32, KT_F32, 0, HALVES / 64, 64, 64, a,          64,
                 1, eye,    64,     1, f,           64, 1,  .nbatch = 0};
    KPar par = {NULL, 1, NULL};

    for (int i = 0; i < 64; i++)
        eye[i * 65] = 1;
    for (int i = 0; i < HALVES; i++) {
        uint16_t h[4] = {
            (uint16_t)i}; /* room for the widest type, so that no read is out of bounds */

        a[i] = isfinite(get(t, h, 0)) ? h[0] : 0;
    }
    REQUIRE(kernels_matmul_workspace(k, &x, 1) <= 1 << 21);
    kernels_matmul(k, &x, &par, ws);
    for (int i = 0; i < HALVES && check_ok(); i++) {
        if ((double)f[i] != get(t, a, i))
            FAIL("%s: %04x widens to %a", isa, a[i], (double)f[i]);
    }
    free(f), free(a), free(eye), free(ws);
}

TEST(half_floats_are_widened_and_narrowed_as_base_does)
{
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const Kernels *k = kernels_for(isa);

        for (KType t = KT_F16; k && t <= KT_BF16; t++) {
            check_narrowing(k, t, isa_name((Isa)isa));
            check_widening(k, t, isa_name((Isa)isa));
        }
    }
}

TEST(half_infinities_and_nans_are_widened_as_such)
{
    static const uint16_t half[2][4] = {{0x7c00, 0xfc00, 0x7e01, 0x7c01},
                                        {0x7f80, 0xff80, 0x7fc1, 0x7f81}};
    float one[3] = {1, 1, 1}, c[12];
    char ws[1 << 14];
    KPar par = {NULL, 1, NULL};

    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const Kernels *k = kernels_for(isa);

        for (int t = 0; k && t < 2; t++) {
            KMatmul x = {t ? KT_BF16 : KT_F16,
                         KT_F32,
                         KT_F32,
                         0,
                         4,
                         3,
                         1,
                         half[t],
                         1,
                         1,
                         one,
                         3,
                         1,
                         c,
                         3,
                         1,
                         .nbatch = 0};

            REQUIRE(kernels_matmul_workspace(k, &x, 1) <= sizeof ws);
            kernels_matmul(k, &x, &par, ws);
            CHECK(c[0] == INFINITY && c[3] == -INFINITY && isnan(c[6]) && isnan(c[9]));
        }
    }
}

/* ---- convolution ------------------------------------------------------------------ */

typedef struct ConvCase {
    KConv x;
    Buf in, w, out, bias;
    double *sum, *size; /* by conv_at, made at the first need */
    char text[400];
} ConvCase;

/* Dense strides in a random order of dimensions, with gaps now and then; returns
 * elements. */
static int64_t random_strides(int n, const int64_t *size, int64_t **step)
{
    int order[8];
    int64_t total = 1;

    for (int i = 0; i < n; i++)
        order[i] = i;
    if (chance(2)) { /* channels last: dimension 1 becomes the innermost */
        for (int i = 1; i + 1 < n; i++)
            order[i] = i + 1;
        order[n - 1] = 1;
    } else if (chance(3)) {
        for (int i = n - 1; i > 0; i--) {
            int j = (int)below(i + 1), s = order[i];

            order[i] = order[j];
            order[j] = s;
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        *step[order[i]] = total;
        total *= MAX(1, size[order[i]]);
        if (chance(12))
            total += below(4);
    }
    return total;
}

/* Images as large as layers have them, or filters as large as images. */
static void conv_sizes_large(KConv *x, bool filter)
{
    for (int d = 0; d < x->spatial; d++) {
        int64_t large = between(9, 36), small = between(1, 5);

        x->stride[d] = chance(3) ? between(1, 3) : 1;
        x->w_dilation[d] = chance(3) ? between(1, 3) : 1;
        x->x_dilation[d] = 1;
        x->w_size[d] = filter ? large : small;
        x->out_size[d] = filter ? small : large;
        x->pad_lo[d] = chance(3) ? 0 : between(-1, 3);
        x->x_size[d] = (x->out_size[d] - 1) * x->stride[d] +
                       (x->w_size[d] - 1) * x->w_dilation[d] + 1 - between(0, 3);
        x->x_size[d] = MAX(1, x->x_size[d]);
        if (!filter && chance(3)) { /* phases as wide as vectors */
            x->x_dilation[d] = between(2, 3);
            x->x_size[d] = x->x_size[d] / x->x_dilation[d] + 1;
        }
    }
}

static void conv_sizes(KConv *x)
{
    if (x->spatial < 3 && chance(3)) {
        conv_sizes_large(x, chance(2));
        return;
    }
    for (int d = 0; d < x->spatial; d++) {
        x->x_size[d] = between(chance(30) ? 0 : 1, x->spatial == 3 ? 7 : 13);
        x->w_size[d] = between(chance(30) ? 0 : 1, chance(5) ? 9 : 3);
        x->stride[d] = chance(2) ? 1 : between(1, 3);
        x->w_dilation[d] = chance(2) ? 1 : between(1, 3);
        x->x_dilation[d] = chance(2) ? 1 : between(1, 4);
        x->pad_lo[d] = chance(2) ? x->w_size[d] / 2 : between(-2, 4);
        x->out_size[d] = between(chance(30) ? 0 : 1, x->spatial == 3 ? 6 : 12);
    }
}

/* As the layers that have vectors along their channels, but for odd sizes. */
static void conv_layer(KConv *x)
{
    x->groups = chance(3) ? 2 : 1;
    x->in_channels = x->groups * between(15, 20);
    x->out_channels = x->groups * between(15, 50);
    for (int d = 0; d < x->spatial; d++) {
        x->out_size[d] = between(1, d + 1 < x->spatial ? 9 : 20);
        x->w_size[d] = d && x->w_size[0] < 4 ? x->w_size[0] : chance(2) ? 3 : 1;
        x->stride[d] = chance(10) ? 2 : 1;
        x->w_dilation[d] = x->x_dilation[d] = 1;
        x->pad_lo[d] = x->w_size[d] == 1 ? 0 : between(-1, 2);
        x->x_size[d] = MAX(1, x->out_size[d] * x->stride[d] + between(0, 2) -
                                  (x->w_size[d] == 1 ? 0 : x->pad_lo[d]));
        if (chance(2))
            x->x_size[d] = x->out_size[d];
    }
}

static void conv_make(ConvCase *t, bool f64)
{
    static const KType narrow[] = {KT_F32, KT_F16, KT_BF16};
    KConv *x = &t->x;
    int64_t xs[5], ws[5], os[5], *xp[5], *wp[5], *op[5];

    memset(t, 0, sizeof *t);
    x->x_type = f64 ? KT_F64 : chance(4) ? narrow[below(3)] : KT_F32;
    x->w_type = f64 ? KT_F64 : chance(4) ? narrow[below(3)] : KT_F32;
    x->out_type = f64 ? KT_F64 : chance(4) ? narrow[below(3)] : KT_F32;
    x->spatial = (int)between(1, 3);
    x->batch = between(chance(30) ? 0 : 1, chance(4) ? 9 : 4);
    x->groups = chance(2) ? 1 : between(1, 6);
    x->in_channels = x->groups * (chance(2) ? 1 : between(1, 6));
    x->out_channels = x->groups * (chance(2) ? 1 : between(1, 20));
    conv_sizes(x);
    if (x->spatial < 3 && chance(6))
        conv_layer(x);
    xs[0] = x->batch, xs[1] = x->in_channels, xp[0] = &x->x_batch, xp[1] = &x->x_channel;
    ws[0] = x->out_channels, ws[1] = x->in_channels / x->groups;
    wp[0] = &x->w_out, wp[1] = &x->w_in;
    os[0] = x->batch, os[1] = x->out_channels, op[0] = &x->out_batch,
    op[1] = &x->out_channel;
    for (int d = 0; d < x->spatial; d++) {
        xs[2 + d] = x->x_size[d], xp[2 + d] = &x->x_step[d];
        ws[2 + d] = x->w_size[d], wp[2 + d] = &x->w_step[d];
        os[2 + d] = x->out_size[d], op[2 + d] = &x->out_step[d];
    }
    t->in = buf_random(x->x_type, random_strides(2 + x->spatial, xs, xp));
    t->w = buf_random(x->w_type, random_strides(2 + x->spatial, ws, wp));
    t->out = buf_random_guarded(x->out_type, random_strides(2 + x->spatial, os, op));
    t->bias = buf_random(f64 ? KT_F64 : KT_F32, x->out_channels);
    x->x = t->in.p, x->w = t->w.p, x->out = t->out.p;
    if (chance(2))
        x->epilogue.bias_m = t->bias.p;
    x->epilogue.relu = chance(3);
    snprintf(t->text, sizeof t->text,
             "%dd types %d %d %d n=%d g=%d c=%d o=%d x=%d,%d,%d w=%d,%d,%d out=%d,%d,%d "
             "stride %d,%d,%d pad %d,%d,%d xdil %d,%d,%d wdil %d,%d,%d",
             x->spatial, x->x_type, x->w_type, x->out_type, (int)x->batch, (int)x->groups,
             (int)x->in_channels, (int)x->out_channels, (int)x->x_size[0],
             (int)x->x_size[1], (int)x->x_size[2], (int)x->w_size[0], (int)x->w_size[1],
             (int)x->w_size[2], (int)x->out_size[0], (int)x->out_size[1],
             (int)x->out_size[2], (int)x->stride[0], (int)x->stride[1], (int)x->stride[2],
             (int)x->pad_lo[0], (int)x->pad_lo[1], (int)x->pad_lo[2],
             (int)x->x_dilation[0], (int)x->x_dilation[1], (int)x->x_dilation[2],
             (int)x->w_dilation[0], (int)x->w_dilation[1], (int)x->w_dilation[2]);
}

static void conv_case_free(ConvCase *t)
{
    buf_free(&t->in), buf_free(&t->w), buf_free(&t->out), buf_free(&t->bias);
}

/* One output element by the definition in kernels.h. */
static double conv_at(const ConvCase *t, int64_t n, int64_t o, const int64_t *p,
                      double *out_size)
{
    const KConv *x = &t->x;
    int64_t per_in = x->in_channels / x->groups, per_out = x->out_channels / x->groups;
    int64_t taps = 1;
    double sum = 0;

    *out_size = 0;
    for (int d = 0; d < x->spatial; d++)
        taps *= x->w_size[d];
    for (int64_t c = 0; c < per_in; c++) {
        for (int64_t e = 0; e < taps; e++) {
            int64_t rest = e,
                    xo = n * x->x_batch + (o / per_out * per_in + c) * x->x_channel;
            int64_t wo = o * x->w_out + c * x->w_in;
            bool inside = true;

            for (int d = x->spatial - 1; d >= 0; d--) {
                int64_t tap = rest % x->w_size[d];
                int64_t at = p[d] * x->stride[d] + tap * x->w_dilation[d] - x->pad_lo[d];

                rest /= x->w_size[d];
                inside = inside && at >= 0 && at % x->x_dilation[d] == 0 &&
                         at / x->x_dilation[d] < x->x_size[d];
                xo += at / x->x_dilation[d] * x->x_step[d];
                wo += tap * x->w_step[d];
            }
            if (inside) {
                double v = get(x->x_type, x->x, xo) * get(x->w_type, x->w, wo);

                sum += v;
                *out_size += fabs(v);
            }
        }
    }
    return sum;
}

static void conv_check(ConvCase *t, const char *before, const char *got, const char *isa)
{
    const KConv *x = &t->x;
    int64_t count = x->batch * x->out_channels, terms = x->in_channels / x->groups;
    int64_t o0 = t->out.p - t->out.mem, size = type_size(x->out_type);
    char *mask = calloc(1, t->out.size);
    bool first = !t->sum;
    int64_t pixels = 1;

    for (int d = 0; d < x->spatial; d++)
        count *= x->out_size[d], pixels *= x->out_size[d], terms *= x->w_size[d];
    if (first) {
        t->sum = malloc((size_t)(count + 1) * 8);
        t->size = malloc((size_t)(count + 1) * 8);
    }
    for (int64_t e = 0; e < count; e++) {
        int64_t rest = e, p[3] = {0}, off = 0, n, o;
        double want, sizes, have, unit = x->out_type == KT_F64 ? 0x1p-53 : 0x1p-24;

        for (int d = x->spatial - 1; d >= 0; d--) {
            p[d] = rest % x->out_size[d];
            rest /= x->out_size[d];
            off += p[d] * x->out_step[d];
        }
        o = rest % x->out_channels, n = rest / x->out_channels;
        off += n * x->out_batch + o * x->out_channel;
        if (first)
            t->sum[e] = conv_at(t, n, o, p, &t->size[e]);
        want = t->sum[e], sizes = t->size[e];
        if (x->epilogue.bias_m)
            want += get(t->bias.type, t->bias.p, o);
        if (x->epilogue.relu && want < 0)
            want = 0;
        if (x->epilogue.tile)
            want = twice_plus_place(want, n, o, e % pixels), sizes *= 4;
        have = get(x->out_type, got + o0, off);
        memset(mask + o0 + off * size, 1, (size_t)size);
        if (!(fabs(have - want) <= unit * (double)(terms + 8) * (sizes + fabs(want) + 8) +
                                       2 * unit_of(x->out_type) * fabs(want) +
                                       (x->out_type == KT_F64 ? 0 : 1e-7))) {
            FAIL("%s %s: out[%d,%d,(%d,%d,%d)] is %.9g, not %.9g", isa, t->text, (int)n,
                 (int)o, (int)p[0], (int)p[1], (int)p[2], have, want);
            break;
        }
    }
    for (size_t i = 0; i < t->out.size; i++) {
        if (!mask[i] && got[i] != before[i]) {
            FAIL("%s %s: byte %d outside the output changed", isa, t->text,
                 (int)i - (int)o0);
            break;
        }
    }
    free(mask);
}

/* By one instruction set, with 1 to 3 and 5 threads: the definition, and equal bits. first:
 * room for the results. */
static void conv_case_threads(ConvCase *t, int isa, const char *before, char *first)
{
    static const int some[] = {1, 2, 3, 5};
    const Kernels *k = kernels_for(isa);

    for (int i = 0; i < COUNT(some); i++) {
        KPar par = par_of(some[i]);
        Workspace w = workspace_new(kernels_conv_workspace(k, &t->x, some[i]));

        memcpy(t->out.mem, before, t->out.size);
        CHECK(kernels_conv(k, &t->x, &par, w.p) == 1);
        workspace_check(&w, t->text);
        if (i == 0) {
            memcpy(first, t->out.mem, t->out.size);
            conv_check(t, before, first, isa_name((Isa)isa));
        } else if (memcmp(first, t->out.mem, t->out.size)) {
            FAIL("%s %s%s: other bits with %d threads", isa_name((Isa)isa), t->text,
                 t->x.packed ? " packed" : "", some[i]);
        }
    }
}

#define CONV_RUNS 4 /* of conv_case_threads */

/* Returns how often the convolution ran. */
static int64_t conv_case_run(ConvCase *t)
{
    char *before = malloc(t->out.size), *first = malloc(t->out.size);
    int64_t runs = 0;

    memcpy(before, t->out.mem, t->out.size);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const Kernels *k = kernels_for(isa);
        size_t size = k ? kernels_conv_packed_size(k, &t->x) : 0;
        const void *w = t->x.w;

        if (!k)
            continue;
        conv_case_threads(t, isa, before, first);
        runs += CONV_RUNS;
        if (size) { /* the same with packed filters, packed by any number of threads */
            KPar par = par_of((int)between(1, 3));
            Workspace packed = workspace_new(size);

            kernels_conv_pack(k, &t->x, &par, packed.p);
            t->x.packed = packed.p;
            t->x.w = NULL;
            conv_case_threads(t, isa, before, first);
            t->x.packed = NULL;
            t->x.w = w;
            workspace_check(&packed, t->text);
            runs += CONV_RUNS;
        }
    }
    free(before);
    free(t->sum), free(t->size);
    free(first);
    return runs;
}

TEST(convolution_of_random_attributes_matches_its_definition)
{
    for (int i = 0; i < 1200 && check_ok(); i++) {
        ConvCase t;

        conv_make(&t, chance(3));
        conv_case_run(&t);
        conv_case_free(&t);
    }
}

TEST(convolution_calls_back_once_for_every_element)
{
    for (int i = 0; i < 150 && check_ok(); i++) {
        ConvCase t;
        Seen s = {.n = 1, .f64 = chance(3)};
        int64_t total, runs;

        conv_make(&t, s.f64);
        t.x.epilogue.tile = on_tile;
        t.x.epilogue.user = &s;
        if (!s.f64 && t.x.out_type != KT_F32) {
            conv_case_free(&t);
            continue;
        }
        for (int d = 0; d < t.x.spatial; d++)
            s.n *= t.x.out_size[d];
        s.m = t.x.out_channels;
        total = t.x.batch * s.m * s.n;
        s.count = calloc((size_t)total + 1, sizeof *s.count);
        runs = conv_case_run(&t);
        for (int64_t e = 0; e < total && check_ok(); e++)
            CHECK_EQ_INT(s.count[e], runs);
        free(s.count);
        conv_case_free(&t);
    }
}

/* Forward and both gradients, as the transforms express them, for one layer in both
 * layouts. */
static void check_layer(int64_t n, int64_t c, int64_t o, int64_t hw, int64_t f, int64_t s,
                        bool last)
{
    int64_t pad = f / 2, out = (hw + 2 * pad - f) / s + 1;
    int64_t cs = last ? 1 : hw * hw, ws = last ? c : 1, hs = ws * hw; /* x */
    int64_t gc = last ? 1 : out * out, gw = last ? o : 1, gh = gw * out;
    int64_t ko = last ? 1 : c * f * f, ki = last ? o : f * f, kw = last ? o * c : 1,
            kh = kw * f;
    Buf x = buf_random(KT_F32, n * c * hw * hw), w = buf_random(KT_F32, o * c * f * f);
    Buf g = buf_random(KT_F32, n * o * out * out);

    for (int form = 0; form < 3; form++) {
        ConvCase t = {.x = {KT_F32,
                            KT_F32,
                            KT_F32,
                            2,
                            n,
                            1,
                            c,
                            o,
                            {hw, hw},
                            {f, f},
                            {out, out},
                            {s, s},
                            {pad, pad},
                            {1, 1},
                            {1, 1},
                            .x = x.p,
                            .w = w.p}};
        KConv *q = &t.x;

        snprintf(t.text, sizeof t.text,
                 "layer form %d last %d n=%d c=%d o=%d hw=%d f=%d s=%d", form, last,
                 (int)n, (int)c, (int)o, (int)hw, (int)f, (int)s);
        q->x_batch = c * hw * hw, q->x_channel = cs, q->x_step[0] = hs, q->x_step[1] = ws;
        q->w_out = ko, q->w_in = ki, q->w_step[0] = kh, q->w_step[1] = kw;
        q->out_batch = o * out * out, q->out_channel = gc;
        q->out_step[0] = gh, q->out_step[1] = gw;
        if (form ==
            1) { /* gradient of x: g dilated by s, w flipped, channels exchanged */
            *q = (KConv){KT_F32,
                         KT_F32,
                         KT_F32,
                         2,
                         n,
                         1,
                         o,
                         c,
                         {out, out},
                         {f, f},
                         {hw, hw},
                         {1, 1},
                         {f - 1 - pad, f - 1 - pad},
                         {s, s},
                         {1, 1},
                         .x = g.p};
            q->x_batch = o * out * out, q->x_channel = gc, q->x_step[0] = gh,
            q->x_step[1] = gw;
            q->w = w.p + 4 * ((f - 1) * kh + (f - 1) * kw);
            q->w_out = ki, q->w_in = ko, q->w_step[0] = -kh, q->w_step[1] = -kw;
            q->out_batch = c * hw * hw, q->out_channel = cs;
            q->out_step[0] = hs, q->out_step[1] = ws;
        } else if (form == 2) { /* gradient of w: the batch is summed, g is the filter */
            *q = (KConv){KT_F32,     KT_F32, KT_F32,   2,          c,       1,
                         n,          o,      {hw, hw}, {out, out}, {f, f},  {1, 1},
                         {pad, pad}, {1, 1}, {s, s},   .x = x.p,   .w = g.p};
            q->x_batch = cs, q->x_channel = c * hw * hw, q->x_step[0] = hs,
            q->x_step[1] = ws;
            q->w_out = gc, q->w_in = o * out * out, q->w_step[0] = gh, q->w_step[1] = gw;
            q->out_batch = ki, q->out_channel = ko, q->out_step[0] = kh,
            q->out_step[1] = kw;
        }
        t.out = buf_new(KT_F32, form == 0   ? n * o * out * out
                                : form == 1 ? n * c * hw * hw
                                            : o * c * f * f);
        q->out = t.out.p;
        conv_case_run(&t);
        buf_free(&t.out);
    }
    buf_free(&x), buf_free(&w), buf_free(&g);
}

TEST(convolution_layers_and_their_gradients_match_the_definition)
{
    for (int last = 0; last < 2; last++) {
        check_layer(2, 5, 7, 9, 3, 1, last);
        check_layer(2, 16, 17, 14, 3, 2, last);
        check_layer(3, 3, 20, 17, 7, 2, last);
        check_layer(2, 24, 40, 24, 1, 1, last);
        check_layer(1, 33, 34, 8, 5, 1, last);
        check_layer(4, 8, 16, 7, 1, 2, last);
        check_layer(1, 40, 20, 30, 3, 1, last);
        check_layer(9, 6, 10, 28, 5, 1, last);
        check_layer(9, 1, 20, 28, 3, 1, last);
        check_layer(1, 16, 70, 32, 1, 1, last);
        check_layer(1, 17, 53, 13, 1, 1, last);
        check_layer(5, 20, 33, 7, 3, 1, last);
        check_layer(1, 18, 16, 130, 3, 1, last);
    }
}

/* Channels first, one input channel a group and `outs` outputs, with relu, on an image of hw rows and hw+1 columns. */
static void check_depthwise(int64_t c, int64_t outs, int64_t hw, int64_t f, int64_t s,
                            int64_t dilation, int64_t pad)
{
    int64_t reach = (f - 1) * dilation + 1, wide = hw + 1;
    int64_t oh = (hw + 2 * pad - reach) / s + 1, ow = (wide + 2 * pad - reach) / s + 1;
    Buf x = buf_random(KT_F32, 2 * c * hw * wide),
        w = buf_random(KT_F32, c * outs * f * f);
    ConvCase t = {.x = {.x_type = KT_F32,
                        .w_type = KT_F32,
                        .out_type = KT_F32,
                        .spatial = 2,
                        .batch = 2,
                        .groups = c,
                        .in_channels = c,
                        .out_channels = c * outs,
                        .x_size = {hw, wide},
                        .w_size = {f, f},
                        .out_size = {oh, ow},
                        .stride = {s, s},
                        .pad_lo = {pad, pad},
                        .x_dilation = {1, 1},
                        .w_dilation = {dilation, dilation},
                        .x = x.p,
                        .x_batch = c * hw * wide,
                        .x_channel = hw * wide,
                        .x_step = {wide, 1},
                        .w = w.p,
                        .w_out = f * f,
                        .w_in = f * f,
                        .w_step = {f, 1},
                        .out_batch = c * outs * oh * ow,
                        .out_channel = oh * ow,
                        .out_step = {ow, 1},
                        .epilogue.relu = 1}};

    snprintf(t.text, sizeof t.text,
             "depthwise c=%d outs=%d hw=%d f=%d s=%d dilation=%d pad=%d", (int)c,
             (int)outs, (int)hw, (int)f, (int)s, (int)dilation, (int)pad);
    t.out = buf_new(KT_F32, 2 * c * outs * oh * ow);
    t.x.out = t.out.p;
    conv_case_run(&t);
    buf_free(&t.out), buf_free(&x), buf_free(&w);
}

TEST(depthwise_convolutions_match_the_definition)
{
    static const int64_t sizes[] = {7, 14, 23, 35};

    for (int i = 0; i < 4; i++)
        for (int64_t f = 2; f <= 5; f++)
            for (int64_t s = 1; s <= 3; s++) {
                check_depthwise(5, 1, sizes[i], f, s, 1, f / 2);
                check_depthwise(3, 2, sizes[i], f, s, 1, 0);
            }
    check_depthwise(4, 1, 20, 3, 1, 2, 2);
    check_depthwise(3, 3, 20, 5, 2, 2, 4);
    check_depthwise(2, 1, 19, 7, 1, 1, 3);
}
