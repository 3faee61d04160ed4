/* test_kernels_narrow.c -- products and convolutions of small integers against their definition, bit for bit: every
 * instruction set, types, strides, sizes around tiles, packed or not, several threads, written or handed out. */
#include "base/base.h"
#include "kernels/kernels.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static int64_t below(int64_t n) { return (int64_t)test_random_below((uint64_t)n); }
static int64_t between(int64_t lo, int64_t hi) { return lo + below(hi - lo + 1); }

static void run_pool(void *ctx, int n, void (*fn)(void *user, int i), void *user) { pool_run(ctx, n, fn, user); }

static KType random_type(void) { return (KType[]){KT_U8, KT_I8, KT_I16}[below(5) * 2 / 4]; }

static void *random_bytes(int64_t n)
{
    uint8_t *p = malloc((size_t)n + 1);

    for (int64_t i = 0; i < n; i++) /* ends of the range more often than chance has them */
        p[i] = (uint8_t)(below(4) ? below(256) : (uint8_t[]){0, 127, 128, 255}[below(4)]);
    return p;
}

static uint32_t at(KType t, const void *p, int64_t i)
{
    return t == KT_U8   ? ((const uint8_t *)p)[i]
           : t == KT_I8 ? (uint32_t)((const int8_t *)p)[i]
                        : (uint32_t)((const int16_t *)p)[i];
}

/* ---- products ---------------------------------------------------------------------- */

typedef struct Handed { /* what tiles bring */
    int32_t *c;
    int64_t batch, rows, cols;
} Handed;

static void on_tile(void *user, const KTile *t)
{
    const Handed *h = user;

    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->cols; j++)
            __atomic_fetch_add(&h->c[(t->batch * h->rows + t->row + i) * h->cols + t->col + j],
                               ((int32_t *)t->c)[i * t->ld + j], __ATOMIC_RELAXED);
}

static void random_matmul(KMatmul *x, int64_t *na, int64_t *nb)
{
    *x = (KMatmul){.a_type = random_type(), .b_type = random_type(), .c_type = KT_I32};
    x->m = between(0, below(3) ? 30 : 3);
    x->n = between(0, below(2) ? 150 : 20);
    x->k = between(0, below(2) ? 20 : 90);
    x->nbatch = (int)below(3) - 1 > 0;
    x->batch[0] = x->nbatch ? between(1, 3) : 1;
    x->a_row = below(2) ? x->k : 1;
    x->a_col = x->a_row == 1 ? MAX(x->m, 1) : 1;
    x->b_row = below(2) ? MAX(x->n, 1) : 1;
    x->b_col = x->b_row == 1 ? x->k : 1;
    x->a_row = x->a_col == 1 ? x->k : x->a_row;
    x->a_batch[0] = x->m * x->k;
    x->b_batch[0] = x->n * x->k;
    x->c_batch[0] = x->m * x->n;
    x->c_row = x->n;
    x->c_col = 1;
    *na = x->batch[0] * x->m * x->k;
    *nb = x->batch[0] * x->n * x->k;
}

static void check_matmul(const Kernels *k, Pool *pool, int threads)
{
    KMatmul x;
    KPar par = {pool, threads, run_pool};
    int64_t na, nb, nc;
    int32_t *want, *got;
    void *a, *b, *packed = NULL, *w;
    size_t size;
    Handed h;

    random_matmul(&x, &na, &nb);
    nc = x.batch[0] * x.m * x.n;
    x.a = a = random_bytes(na * 2);
    x.b = b = random_bytes(nb * 2);
    want = calloc((size_t)nc + 1, 4);
    got = calloc((size_t)nc + 1, 4);
    for (int64_t g = 0; g < x.batch[0]; g++)
        for (int64_t i = 0; i < x.m; i++)
            for (int64_t j = 0; j < x.n; j++) {
                uint32_t s = 0;

                for (int64_t l = 0; l < x.k; l++)
                    s += at(x.a_type, x.a, g * x.a_batch[0] + i * x.a_row + l * x.a_col) *
                         at(x.b_type, x.b, g * x.b_batch[0] + l * x.b_row + j * x.b_col);
                want[(g * x.m + i) * x.n + j] = (int32_t)s;
            }
    x.c = got;
    h = (Handed){got, x.batch[0], x.m, x.n};
    if (below(2))
        x.epilogue = (KEpilogue){.tile = on_tile, .user = &h};
    if (below(2) && (size = kernels_matmul_packed_size(k, &x))) {
        packed = malloc(size);
        kernels_matmul_pack(k, &x, &par, packed);
        x.packed = packed;
        x.b = NULL;
    }
    w = malloc(kernels_matmul_workspace(k, &x, threads));
    CHECK(kernels_matmul(k, &x, &par, w));
    if (memcmp(want, got, (size_t)nc * 4))
        FAIL("%lld x %lld x %lld, types %d %d%s, %d threads", (long long)x.m, (long long)x.n, (long long)x.k, (int)x.a_type,
             (int)x.b_type, packed ? ", packed" : "", threads);
    free(w), free(packed), free(a), free(b), free(want), free(got);
}

static void on_every_machine(void (*check)(const Kernels *k, Pool *pool, int threads), int times)
{
    Pool *pool = pool_new(&alloc_default, 4);

    for (int isa = 0; isa < ISA_COUNT; isa++)
        for (int i = 0; i < times && kernels_for(isa); i++)
            check(kernels_for(isa), pool, (int[]){1, 2, 4}[i % 3]);
    pool_free(pool);
}

TEST(products_of_small_integers_are_exact) { on_every_machine(check_matmul, 300); }

/* ---- convolutions ------------------------------------------------------------------ */

static void random_conv(KConv *x)
{
    int64_t step = 1;

    *x = (KConv){.x_type = random_type(), .w_type = random_type(), .out_type = KT_I32, .spatial = (int)between(1, 3)};
    x->batch = between(1, 3);
    x->groups = below(3) ? 1 : between(2, 3);
    x->in_channels = x->groups * (below(3) ? between(1, 9) : 1);
    x->out_channels = x->groups * between(1, below(3) ? 5 : 30);
    for (int i = 0; i < x->spatial; i++) {
        x->x_size[i] = between(1, x->spatial == 3 ? 6 : 20);
        x->w_size[i] = between(1, 3);
        x->stride[i] = between(1, 3);
        x->w_dilation[i] = between(1, 2);
        x->x_dilation[i] = 1;
        x->pad_lo[i] = between(-1, 3);
        x->out_size[i] = between(1, x->spatial == 3 ? 5 : 19);
    }
    for (int i = x->spatial - 1; i >= 0; step *= x->x_size[i--])
        x->x_step[i] = step;
    x->x_channel = step;
    x->x_batch = step * x->in_channels;
    if (below(4) == 0) { /* channels last */
        x->x_channel = 1;
        for (int i = 0; i < x->spatial; i++)
            x->x_step[i] *= x->in_channels;
    }
    step = 1;
    for (int i = x->spatial - 1; i >= 0; step *= x->w_size[i--])
        x->w_step[i] = step;
    x->w_in = step;
    x->w_out = step * (x->in_channels / x->groups);
    step = 1;
    for (int i = x->spatial - 1; i >= 0; step *= x->out_size[i--])
        x->out_step[i] = step;
    x->out_channel = step;
    x->out_batch = step * x->out_channels;
}

static uint32_t conv_at(const KConv *x, int64_t n, int64_t o, const int64_t *p)
{
    int64_t c1 = x->in_channels / x->groups, g = o / (x->out_channels / x->groups), t[3] = {0}, s;
    uint32_t sum = 0;
    int i;

    do {
        int64_t xi = 0, wi = 0;
        bool inside = true;

        for (i = 0; i < x->spatial; i++) {
            s = p[i] * x->stride[i] + t[i] * x->w_dilation[i] - x->pad_lo[i];
            inside = inside && s >= 0 && s < x->x_size[i];
            xi += s * x->x_step[i];
            wi += t[i] * x->w_step[i];
        }
        for (int64_t c = 0; inside && c < c1; c++)
            sum += at(x->x_type, x->x, n * x->x_batch + (g * c1 + c) * x->x_channel + xi) *
                   at(x->w_type, x->w, o * x->w_out + c * x->w_in + wi);
        for (i = x->spatial - 1; i >= 0 && ++t[i] == x->w_size[i]; i--)
            t[i] = 0;
    } while (i >= 0);
    return sum;
}

static int32_t *conv_wanted(const KConv *x, int64_t count)
{
    int32_t *want = calloc((size_t)count + 1, 4);
    int64_t p[3] = {0}, k = 0;
    int i;

    for (int64_t n = 0; n < x->batch; n++)
        for (int64_t o = 0; o < x->out_channels; o++)
            do {
                want[k++] = (int32_t)conv_at(x, n, o, p);
                for (i = x->spatial - 1; i >= 0 && ++p[i] == x->out_size[i]; i--)
                    p[i] = 0;
            } while (i >= 0);
    return want;
}

static void check_conv(const Kernels *k, Pool *pool, int threads)
{
    KPar par = {pool, threads, run_pool};
    int32_t *want, *got;
    void *in, *filters, *packed = NULL, *w;
    int64_t count;
    size_t size;
    KConv x;
    Handed h;

    random_conv(&x);
    x.x = in = random_bytes(x.batch * x.x_batch * 2);
    x.w = filters = random_bytes(x.out_channels * x.w_out * 2);
    count = x.batch * x.out_batch;
    want = conv_wanted(&x, count);
    x.out = got = calloc((size_t)count + 1, 4);
    h = (Handed){got, x.batch, x.out_channels, x.out_channel};
    if (below(2))
        x.epilogue = (KEpilogue){.tile = on_tile, .user = &h};
    if (below(2) && (size = kernels_conv_packed_size(k, &x))) {
        packed = malloc(size);
        kernels_conv_pack(k, &x, &par, packed);
        x.packed = packed;
    }
    w = malloc(kernels_conv_workspace(k, &x, threads));
    CHECK(kernels_conv(k, &x, &par, w));
    if (memcmp(want, got, (size_t)count * 4))
        FAIL("%d axes, %lld images, %lld to %lld channels, %lld groups, types %d %d%s, %d threads", x.spatial,
             (long long)x.batch, (long long)x.in_channels, (long long)x.out_channels, (long long)x.groups, (int)x.x_type,
             (int)x.w_type, packed ? ", packed" : "", threads);
    free(w), free(packed), free(in), free(filters), free(want), free(got);
}

TEST(convolutions_of_small_integers_are_exact) { on_every_machine(check_conv, 300); }
