/* lib_kernels.c -- what tests of products and convolutions share. */
#include "lib_kernels.h"

#include "test.h"

#include <stdlib.h>

int64_t rand_below(int64_t n) { return (int64_t)test_random_below((uint64_t)n); }
int64_t rand_between(int64_t lo, int64_t hi) { return lo + rand_below(hi - lo + 1); }
int rand_chance(int64_t n) { return rand_below(n) == 0; }

int64_t ktype_size(KType t) { return t == KT_F64 ? 8 : t == KT_F32 ? 4 : 2; }

double ktype_get(KType t, const void *p, int64_t i)
{
    char b[8];

    memcpy(b, (const char *)p + i * ktype_size(t), (size_t)ktype_size(t));
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

void ktype_put(KType t, void *p, int64_t i, double x)
{
    float f = (float)x;
    uint16_t h = t == KT_F16 ? f16_from_f64(x) : t == KT_BF16 ? bf16_from_f64(x) : 0;
    const void *src = t == KT_F64   ? (const void *)&x
                      : t == KT_F32 ? (const void *)&f
                                    : &h;

    memcpy((char *)p + i * ktype_size(t), src, (size_t)ktype_size(t));
}

Buf buf_new(KType type, int64_t n)
{
    Buf b = {.type = type, .n = n};

    b.size = (size_t)(n * ktype_size(type) + 2 * GUARD + 64);
    b.mem = aligned_alloc(64, (b.size + 63) & ~(size_t)63);
    memset(b.mem, GUARD_BYTE, b.size);
    b.p = b.mem + GUARD + rand_below(16) * ktype_size(type) % 64;
    return b;
}

static void buf_fill(Buf *b)
{
    for (int64_t i = 0; i < b->n; i++)
        ktype_put(b->type, b->p, i, (double)(rand_below(2001) - 1000) / 512);
}

Buf buf_random(KType type, int64_t n)
{
    int64_t shift = rand_below(16) * ktype_size(type);
    Buf b = {.type = type, .n = n, .size = (size_t)(shift + n * ktype_size(type))};

    b.mem = malloc(b.size ? b.size : 1);
    b.p = b.mem + shift;
    buf_fill(&b);
    return b;
}

Buf buf_random_guarded(KType type, int64_t n)
{
    Buf b = buf_new(type, n);

    buf_fill(&b);
    return b;
}

void room_free(Buf *b) { free(b->mem); }

/* ---- running with several threads ------------------------------------------------- */

static Pool *pool;

static void run_pool(void *ctx, int n, void (*fn)(void *user, int i), void *user)
{
    pool_run(ctx, n, fn, user);
}

KPar par_of(int threads)
{
    if (!pool)
        pool = pool_new(&alloc_default, 4);
    return (KPar){pool, threads, run_pool};
}

Workspace workspace_new(size_t size)
{
    Workspace w = {size, malloc(size + GUARD + 8)};

    memset(w.p, 0xFF, size); /* NaN, should it be used as it is */
    memset(w.p + size, GUARD_BYTE, GUARD);
    return w;
}

void workspace_check(Workspace *w, const char *what)
{
    for (int i = 0; i < GUARD; i++) {
        if ((unsigned char)w->p[w->size + (size_t)i] != GUARD_BYTE) {
            FAIL("%s writes beyond its workspace of %zu bytes", what, w->size);
            break;
        }
    }
    free(w->p);
}

double unit_of(KType t)
{
    return t == KT_F64 ? 0x1p-53 : t == KT_F32 ? 0x1p-24 : t == KT_F16 ? 0x1p-11 : 0x1p-8;
}

double twice_plus_place(double x, int64_t batch, int64_t i, int64_t j)
{
    return 2 * x + (double)(i - 2 * j + 3 * batch);
}

void on_tile(void *user, const KTile *t)
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
