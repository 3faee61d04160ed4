/* test_kernels_mm.c -- matrix multiplication kernels, and those for half floats, against plain loops
 * in f64, for every instruction set of the machine, any strides, types and thread counts.
 *
 * Each case runs with several numbers of threads and must give the same bits each time, leave alone
 * what lies between and around C's elements, and stay inside its workspace. */
#include "lib_kernels.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    int64_t gap = kind >= 2 ? rand_between(0, 3) : 0;

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

    x->nbatch = rand_chance(3) ? (int)rand_between(1, big ? 1 : 3) : 0;
    for (int d = x->nbatch - 1; d >= 0; d--) {
        x->batch[d] = rand_between(rand_chance(20) ? 0 : 1, big ? 2 : 4);
        x->a_batch[d] = rand_chance(4) ? 0 : *na;
        x->b_batch[d] = rand_chance(4) ? 0 : *nb;
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
    int ka = fancy ? (int)rand_below(6) : 0, kb = fancy ? (int)rand_below(6) : 0;
    int kc = fancy ? (int)rand_below(6) : 0;

    memset(t, 0, sizeof *t);
    x->a_type = f64 ? KT_F64 : fancy && rand_chance(3) ? narrow[rand_below(3)] : KT_F32;
    x->b_type = f64 ? KT_F64 : fancy && rand_chance(3) ? narrow[rand_below(3)] : KT_F32;
    x->c_type = f64 ? KT_F64 : fancy && rand_chance(3) ? narrow[rand_below(3)] : KT_F32;
    x->m = m, x->n = n, x->k = k;
    random_layout(m, k, ka, &x->a_row, &x->a_col, &na);
    random_layout(k, n, kb, &x->b_row, &x->b_col, &nb);
    random_layout(m, n, kc, &x->c_row, &x->c_col, &nc);
    if (fancy)
        case_batches(x, &na, &nb, &nc);
    x->accumulate = fancy && rand_chance(3);
    t->a = buf_random(x->a_type, na);
    t->b = buf_random(x->b_type, nb);
    t->c = buf_random_guarded(x->c_type, nc);
    t->bias_m = buf_random(f64 ? KT_F64 : KT_F32, m);
    t->bias_n = buf_random(f64 ? KT_F64 : KT_F32, n);
    x->a = t->a.p, x->b = t->b.p, x->c = t->c.p;
    if (fancy && rand_chance(8) && m > 0 && k > 0) { /* rows of A backwards */
        x->a = t->a.p + (m - 1) * x->a_row * ktype_size(x->a_type);
        x->a_row = -x->a_row;
    }
    if (fancy && rand_chance(3))
        x->epilogue.bias_m = t->bias_m.p;
    if (fancy && rand_chance(3))
        x->epilogue.bias_n = t->bias_n.p;
    x->epilogue.relu = fancy && rand_chance(3);
    if (fancy && rand_chance(4))
        x->epilogue.scale = rand_chance(2) ? -0.5 : 0.125;
    snprintf(t->text, sizeof t->text,
             "m=%d n=%d k=%d types %d %d %d layouts %d %d %d batch %d acc %d bias %d %d "
             "relu %d",
             (int)m, (int)n, (int)k, x->a_type, x->b_type, x->c_type, ka, kb, kc,
             x->nbatch, x->accumulate, x->epilogue.bias_m != NULL,
             x->epilogue.bias_n != NULL, x->epilogue.relu);
}

static void case_free(Case *t)
{
    room_free(&t->a), room_free(&t->b), room_free(&t->c);
    room_free(&t->bias_m), room_free(&t->bias_n);
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
            a[k] = ktype_get(x->a_type, x->a, ao + k * x->a_col);
        for (int64_t j = 0; j < x->n; j++) {
            int64_t bo = batch_offset(x, x->b_batch, b) + j * x->b_col;

            for (int64_t k = 0; k < x->k; k++) {
                double v = a[k] * ktype_get(x->b_type, x->b, bo + k * x->b_row);

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
    int64_t c0 = t->c.p - t->c.mem, size = ktype_size(x->c_type);
    char *mask = calloc(1, t->c.size);
    bool f64 = x->c_type == KT_F64;

    for (int64_t e = 0; e < count * na; e++) {
        int64_t b = e / na, i = e % na / x->n, j = e % x->n;
        int64_t co = batch_offset(x, x->c_batch, b) + i * x->c_row + j * x->c_col;
        double sum = t->sum[e], size_sum = t->size[e], have,
               unit = f64 ? 0x1p-53 : 0x1p-24;

        if (x->accumulate)
            sum += ktype_get(x->c_type, before + c0, co);
        if (x->epilogue.scale != 0)
            sum *= x->epilogue.scale;
        if (x->epilogue.bias_m)
            sum += ktype_get(t->bias_m.type, t->bias_m.p, i);
        if (x->epilogue.bias_n)
            sum += ktype_get(t->bias_n.type, t->bias_n.p, j);
        if (x->epilogue.relu && sum < 0)
            sum = 0;
        if (after)
            sum = after(sum, b, i, j), size_sum = 4 * size_sum + fabs(sum);
        have = ktype_get(x->c_type, got + c0, co);
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
        check_shape(rand_between(0, 40), rand_between(0, 40), rand_between(0, 40), rand_chance(3), true);
}

TEST(matmul_of_every_tile_size_matches_plain_loops)
{
    for (int64_t m = 1; m <= 30 && check_ok(); m++) {
        check_shape(m, 3 * m + 1, 17, false, false);
        check_shape(m, 70 - m, 9, true, false);
        check_shape(m, 64, 64, false, false);
    }
    for (int64_t n = 1; n <= 66 && check_ok(); n++)
        check_shape(29, n, 11, rand_chance(2), false);
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
        check_shape(shape[i][0], shape[i][1], shape[i][2], rand_chance(4), true);
        check_shape(shape[i][0], shape[i][1], shape[i][2], rand_chance(4), true);
    }
}

TEST(matmul_of_thin_shapes_matches_plain_loops)
{
    for (int i = 0; i < 300 && check_ok(); i++) {
        int64_t thin = rand_between(1, 9), n = rand_between(1, 300), k = rand_between(1, 300);

        check_shape(rand_chance(2) ? thin : n, rand_chance(2) ? n : thin, k, rand_chance(3), true);
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
            check_shape(shape[i][0], shape[i][1], shape[i][2], rand_chance(4), true);
    }
    CHECK(packed_runs > 2 * COUNT(shape));
}

/* ---- the tile callback ------------------------------------------------------------ */

TEST(matmul_calls_back_once_for_every_element)
{
    for (int round = 0; round < 60 && check_ok(); round++) {
        Case t;
        Seen s;
        int64_t total = 1, runs = 0;
        int64_t big = rand_chance(6) ? 5000 : 50;

        s.m = rand_between(1, 80), s.n = rand_between(1, 80), s.f64 = rand_chance(3);
        case_make(&t, s.m, s.n, rand_between(1, big), s.f64, true);
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
    double x = ktype_get(t, &lo, 0), y = ktype_get(t, &hi, 0), mid = (x + y) / 2;
    int64_t kind = rand_below(4);

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

        if (isnan(f[i]) ? !isnan(ktype_get(t, c, i)) : c[i] != want)
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

        a[i] = isfinite(ktype_get(t, h, 0)) ? h[0] : 0;
    }
    REQUIRE(kernels_matmul_workspace(k, &x, 1) <= 1 << 21);
    kernels_matmul(k, &x, &par, ws);
    for (int i = 0; i < HALVES && check_ok(); i++) {
        if ((double)f[i] != ktype_get(t, a, i))
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
